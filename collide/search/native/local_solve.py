"""Local solves in ordinary arithmetic, eight points at a time. They prove nothing: what they find is a candidate."""

from codegen.algebra.local_step import DAMPING, LEAST
from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import Box, Floats

from .layout import LANES, ProblemRow, SearchMemory

# Newton steps of a local solve, and the longest step against the domain. Effort only (measured: tests/benchmarks/constants.py, 6 steps take
# 1.5 times as many boxes, 96 take 3 % fewer; a reach of a quarter takes 6 % more in the mean, of four times 5 %).
STEPS, REACH = 24, 0.3
# The damping that stays where there are fewer rows than variables, against the largest slope.
_UNSEEN = 1e-9
# A row this much flatter than others of its kind is rounding: far above 2^-53 times what products of a few slopes lose.
_ROUNDING = 2.0**-20
# Against an equation, times the size of a small body: necessary conditions flatter than this may all be rounding, as of faces that land
# flat. By trial: a much smaller share loses such landings, a larger one proofs in large units.
_NOTHING = 2.0**-6
# The domain as far as proofs see it, against the size of the point: some domains are as wide as numbers go.
_SPAN = 1e3
# A step and a residual at which a local solve has converged, and a step below which another one changes nothing, some
# units of 2^-53. Proofs of what is found try radii from 1e-12 on.
SMALL_STEP, SMALL_RESIDUAL, _NO_STEP = 1e-9, 1e-7, 1e-14


@native
def solve_dense(a: Floats, b: Floats, n: int) -> bool:
    """a x = b by Gaussian elimination with row exchanges; b becomes x. False where a is singular."""
    for k in range(n):
        pivot = k
        for r in range(k + 1, n):
            if abs(a[r * n + k]) > abs(a[pivot * n + k]):
                pivot = r
        if not abs(a[pivot * n + k]) > 0.0:
            return False
        for j in range(n):
            a[k * n + j], a[pivot * n + j] = a[pivot * n + j], a[k * n + j]
        b[k], b[pivot] = b[pivot], b[k]
        for r in range(k + 1, n):
            factor = a[r * n + k] / a[k * n + k]
            for j in range(k, n):
                a[r * n + j] -= factor * a[k * n + j]
            b[r] -= factor * b[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= a[k * n + j] * b[j]
        b[k] /= a[k * n + k]
    return True


@native
def evaluate_points(s: SearchMemory, p: ProblemRow) -> None:
    """Rows and Jacobian at the points of all lanes, in ordinary arithmetic."""
    call_kernel(p.point, s.point, p.point_parameters, s.value)


@native
def slope_at(s: SearchMemory, p: ProblemRow, i: int, j: int, lane: int) -> float:
    """d row_i / d x_j at the point of a lane."""
    return s.value[p.rows + p.variables * i + j, lane]


@native
def newton_step(s: SearchMemory, p: ProblemRow, lane: int) -> float:
    """A Levenberg-Marquardt step into `step`; the size of the residual, or -1 where there is no step."""
    if p.local_step == 0:
        return dense_step(s, p, lane, p.rows)
    n = p.variables
    for j in range(n):
        s.step[j] = s.moves[j, lane]
        if not abs(s.step[j]) < 1e300:
            return -1.0
    return s.moves[n, lane]


@native
def extent(s: SearchMemory, p: ProblemRow, j: int, x: float) -> float:
    """The width of the domain of variable j as a search near x sees it."""
    whole = p.domain.width(j)
    return whole if p.image != 0 else min(whole, _SPAN * (1.0 + abs(x)))


@native
def measure(s: SearchMemory, p: ProblemRow, rows: int) -> None:
    """Store the units of variables and rows in `unit`: variables against the domain, as a search near the points in `point` sees it; of
    `rows` rows, whose values and slopes are in `value`, the inverse of the largest change by one such unit that was seen so far. (Where a
    necessary condition is at its least it may have no slopes at all: what it has at one point is rounding. So is a row that is far flatter
    than all others of its kind, wherever bodies land flat on each other.)
    """
    n = p.variables
    for j in range(n):
        for lane in range(LANES):
            size = extent(s, p, j, s.point[j, lane])
            s.unit[j, lane] = size if size > 0.0 else 1.0
    for i in range(rows):
        steepest = p.steepest[i]
        for j in range(n):
            for lane in range(LANES):
                change = abs(s.value[rows + n * i + j, lane]) * s.unit[j, lane]
                steepest = max(steepest, change) if change < 1e300 else steepest
        p.steepest[i] = steepest
    for i in range(rows):
        size = max(p.steepest[i], _ROUNDING * steepest_of_kind(s, p, i, rows))
        for lane in range(LANES):
            s.unit[n + i, lane] = 1.0 / size if size > 0.0 else 0.0


@native
def steepest_of_kind(s: SearchMemory, p: ProblemRow, i: int, rows: int) -> float:
    """The largest change of the rows of the kind of row i: equations, or necessary conditions, which come in other units."""
    equations, most = p.equations, 0.0
    for k in range(rows):
        if (k < equations) == (i < equations):
            most = max(most, p.steepest[k])
        elif k < equations:
            most = max(most, _NOTHING * p.space / _ROUNDING * p.steepest[k])
    return most


@native
def row_scale(s: SearchMemory, p: ProblemRow, i: int, lane: int) -> float:
    """The inverse of the largest change of row i across the domain by its slopes; 0 for a row of no use."""
    largest = 0.0
    for j in range(p.variables):
        largest = max(largest, abs(slope_at(s, p, i, j, lane)) * extent(s, p, j, s.point[j, lane]))
    return 1.0 / largest if 0.0 < largest < 1e300 else 0.0


@native
def dense_step(s: SearchMemory, p: ProblemRow, lane: int, rows: int) -> float:
    """The step for the first `rows` rows, of systems that are large or of mixed scales, into `step`.

    Variables are measured against their domains and rows by their slopes. The damping fades with the residual, so
    convergence stays quadratic at regular zeros and steps stay tame at singular ones; with fewer rows than variables
    a little of it stays, or the directions that no row sees would collect noise.
    """
    n = p.variables
    residual, largest = 0.0, 0.0
    for j in range(n):
        s.step[j] = 0.0
        for k in range(n):
            s.small[j * n + k] = 0.0
    for i in range(rows):
        scale = row_scale(s, p, i, lane)
        f = scale * s.value[i, lane]
        residual = max(residual, abs(f))
        for j in range(n):
            s.gradient[j] = scale * slope_at(s, p, i, j, lane) * extent(s, p, j, s.point[j, lane])
        for j in range(n):
            s.step[j] -= s.gradient[j] * f
            for k in range(n):
                s.small[j * n + k] += s.gradient[j] * s.gradient[k]
    for j in range(n):
        largest = max(largest, s.small[j * n + j])
    if not (residual < 1e300 and 0.0 < largest < 1e300):
        return -1.0
    least = LEAST if rows >= n else _UNSEEN
    for j in range(n):
        s.small[j * n + j] += largest * (least + min(DAMPING, residual * residual))
    if not solve_dense(s.small, s.step, n):
        return -1.0
    for j in range(n):
        s.step[j] *= extent(s, p, j, s.point[j, lane])
    return residual


@native
def advance(s: SearchMemory, p: ProblemRow, lane: int) -> float:
    """Take the step, no longer than the reach, within the domain (periodic variables wrap); its size against the
    domain.
    """
    size = 0.0
    n = p.variables
    for j in range(n):
        whole = p.domain.width(j)
        if whole > 0.0:
            size = max(size, abs(s.step[j]) / whole)
    scale = min(1.0, REACH / size) if size > 0.0 else 1.0
    for j in range(n):
        lo, hi = p.inner.lo(j), p.inner.hi(j)
        x = s.point[j, lane] + scale * s.step[j]
        if x < lo:
            x += p.period[j]
        elif x > hi:
            x -= p.period[j]
        s.point[j, lane] = min(max(x, lo), hi)
    return size


@native
def local_solve(s: SearchMemory, p: ProblemRow) -> None:
    """Newton from the points in `point`, all lanes at once. `converged` is 1 in lanes that converged."""
    s.local_solves += 1
    for turn in range(STEPS):
        evaluate_points(s, p)
        if p.local_step != 0:
            if turn == 0:
                measure(s, p, p.rows)
            call_kernel(p.local_step, s.value, s.unit, s.moves)
        settled = True
        for lane in range(LANES):
            residual = newton_step(s, p, lane)
            s.converged[lane] = 0.0
            if residual >= 0.0:
                size = advance(s, p, lane)
                settled = settled and size < _NO_STEP
                if size < SMALL_STEP and residual < SMALL_RESIDUAL:
                    s.converged[lane] = 1.0
        if settled:
            return


@native
def restore(s: SearchMemory, p: ProblemRow) -> None:
    """From the points in `point` to points near them where the equations hold. `converged` is 1 in lanes that got there."""
    for _ in range(STEPS):
        evaluate_points(s, p)
        settled = True
        for lane in range(LANES):
            residual = dense_step(s, p, lane, p.equations)
            s.converged[lane] = 0.0
            if residual >= 0.0:
                settled = advance(s, p, lane) < _NO_STEP and settled
                if residual < SMALL_RESIDUAL:
                    s.converged[lane] = 1.0
        if settled:
            return


@native
def scatter_points(s: SearchMemory, p: ProblemRow, box: Box, spread: float) -> None:
    """The middle of a box in the first lane of `point`, and points spread over it in the others."""
    for j in range(p.variables):
        for lane in range(LANES):
            at = 0.5 if lane == 0 else 0.5 + spread * (((5 * lane + 3 * j) % 8) / 7.0 - 0.5)
            s.point[j, lane] = box.lo(j) + at * box.width(j)
