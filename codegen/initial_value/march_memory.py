"""What the native loop of `march_loop` works on."""

from ..machine.loops import native
from ..machine.structures import LANES, Floats, Grid, Intervals, Structure, View, array

_LARGEST = 1.7e308


class Decorated(View):
    """Outputs of a kernel with levels: of each -lo of all lanes, then hi, then the level."""

    @native
    def lo(self, k: int, lane: int) -> float:
        return -self.at[3 * k * LANES + lane]

    @native
    def hi(self, k: int, lane: int) -> float:
        return self.at[(3 * k + 1) * LANES + lane]

    @native
    def level(self, k: int, lane: int) -> float:
        return self.at[(3 * k + 2) * LANES + lane]


class MarchMemory(Structure):
    """A march of n states with polynomials of degree `order`, over the way from 0 to `end`; `way`: of the longer side. Kernels as of
    `series.Kernels`. At the time `at` the states are m + C r0 + Q r; `off` encloses C r0 + Q r, and `box` all. `least_term`, `least_rest`:
    what the last terms may be against the largest, and remainders against the states; `margin`: of boxes against their widths.
    """

    quick = True

    n: int
    order: int
    terms: int                     # order + 2
    values: int                    # (order + 1) n
    twice: int                     # 2 n
    room: int                      # cells
    count: int                     # those that are known
    coefficients: int
    advance: int
    spread: int
    turned: int
    none: int
    at: float
    end: float
    way: float
    last: float
    least_term: float
    least_rest: float
    margin: float
    after: float
    h_lo: float                    # the step enclosed
    h_hi: float
    m: Floats = array("n")
    c: Grid[float] = array("n", "n")
    q: Grid[float] = array("n", "n")
    r0: Grid[float] = array("n", 2)
    r: Grid[float] = array("n", 2)
    off: Grid[float] = array("n", 2)
    box: Grid[float] = array("n", 2)
    x: Grid[float] = array("terms", "n", 2)          # coefficients over the box
    over: Grid[float] = array("terms", "n", 2)       # likewise over the whole step, from order 1 on
    inside: Grid[float] = array("n", 2)
    trial: Grid[float] = array("n", 2)
    size: Floats = array("terms")
    width: Floats = array("terms")
    weight: Floats = array("n")
    work: Floats = array("n")
    basis: Grid[float] = array("n", "n")             # rows are vectors
    mid_c: Grid[float] = array("n", "n")
    vector: Floats = array("n")
    given: Intervals = array("inputs", 2, LANES)
    found: Decorated = array("outputs", 3, LANES)
    kept: Decorated = array("outputs", 3, LANES)     # those of `advance`
    cell: Grid[float] = array("room", 4)             # s, s + h, and the ends of h
    cell_kept: Grid[float] = array("room", "values", 2)
    cell_over: Grid[float] = array("room", "twice", 2)
    cell_inside: Grid[float] = array("room", "n", 2)


@native
def give(s: MarchMemory, k: int, lo: float, hi: float) -> int:
    """Argument k of a kernel; the number of the next one."""
    for lane in range(LANES):
        s.given.put(k, lane, lo, hi)
    return k + 1


@native
def is_finite(lo: float, hi: float) -> bool:
    return lo >= -_LARGEST and hi <= _LARGEST
