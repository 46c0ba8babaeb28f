"""Memory of the native loop of `march_loop`."""

from ..machine.loops import native
from ..machine.structures import LANES, Floats, Grid, Intervals, Structure, View, array

_LARGEST = 1.7e308


class DecoratedOutputs(View):
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
    """A march of n states with polynomials of degree d, over the way from 0 to `end`; `way`: of the longer side. Kernels as of
    `series.Kernels`. At the time `at` the states are m + C r0 + Q r; `off` encloses C r0 + Q r, and `box` all. The rows of `frame` are the
    columns of Q and C; the first `columns` of them count, as long as r0 is 0 those of Q alone. `least_term`, `least_rest`: what the last
    terms may be against the largest, and remainders against the states; `margin`: of boxes against their widths.
    """

    quick = True

    n: int
    degrees: int                   # of a polynomial, d + 1
    terms: int                     # d + 2
    twice: int                     # 2 n
    columns: int
    room: int                      # cells
    count: int                     # those that are known
    coefficients: int
    along: int
    polynomial: int
    moved: int
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
    frame: Grid[float] = array("twice", "n")
    r: Grid[float] = array("twice", 2)               # r, then r0
    off: Grid[float] = array("n", 2)
    box: Grid[float] = array("n", 2)
    mid: Grid[float] = array("terms", "n", 2)        # coefficients at m, up to order d
    x: Grid[float] = array("terms", "n", 2)          # over the box
    w: Grid[float] = array("terms", "twice", "n", 2)  # derivatives along the columns, up to order d
    over: Grid[float] = array("terms", "n", 2)       # as x over the whole step, from order 1 on
    inside: Grid[float] = array("n", 2)
    trial: Grid[float] = array("n", 2)
    size: Floats = array("terms")
    width: Floats = array("terms")
    weight: Floats = array("n")
    work: Floats = array("n")
    next: Grid[float] = array("n", 2)                # the states at the end of the step if r0 and r were 0
    moves: Grid[float] = array("twice", "n", 2)      # the columns there
    vector: Floats = array("n")                      # middles of these
    basis: Grid[float] = array("twice", "n")
    given: Intervals = array("inputs", 2, LANES)
    found: Intervals = array("outputs", 2, LANES)
    over_box: Intervals = array("inputs", 2, LANES)  # what `polynomial` is given of x
    judged: DecoratedOutputs = array("outputs", 3, LANES)   # those of `coefficients`
    cell: Grid[float] = array("room", 2)             # s, s + h
    c: Grid[float] = array("room", "n", "degrees")   # as in `graph.flows.Table`
    error: Grid[float] = array("room", "n")
    slope_error: Grid[float] = array("room", "n")
    bend: Grid[float] = array("room", "n")
    range: Grid[float] = array("room", "n", 2)


@native
def give(s: MarchMemory, k: int, lo: float, hi: float) -> int:
    """Argument k of a kernel; the number of the next one."""
    for lane in range(LANES):
        s.given.put(k, lane, lo, hi)
    return k + 1


@native
def is_finite(lo: float, hi: float) -> bool:
    return lo >= -_LARGEST and hi <= _LARGEST
