"""From a candidate point to a proof: local solves, and the existence and uniqueness tests of Snyder 1993, Section 5.

A local solve is ordinary arithmetic and proves nothing. A candidate is proved in two ways, each tried in eight
boxes of growing radius at once. Uniqueness: an interval Newton operator of the square system maps a box round the
point into its interior. Existence alone needs no square system: all but as many variables as there are equations
are frozen at the point, and the operator is applied to the rest; that works on contact curves and surfaces too,
where uniqueness must fail.
"""

from codegen.loops import call_kernel, native

from .boxes import at_border, encloses_one, inside_region, load_all, lower, period, read_lane, upper, width
from .layout import (
    ALONE,
    CLEAR,
    CLOSED,
    EQUATIONS,
    EXISTENCE,
    EXISTS,
    IMAGE,
    LANES,
    LOCAL_SOLVES,
    LOCAL_STEP,
    OBJECTIVE,
    PARAMETERS,
    POINT,
    POINT_PARAMETERS,
    PROVED,
    RANGE,
    ROWS,
    SLOPE,
    SOLUTIONS,
    TENTATIVE,
    UNIQUE,
    UNIQUENESS,
    VARIABLES,
)
from .queue import attribute, copy_box

# Newton steps of a local solve, the longest step against the domain, and the damping of a step at a large residual.
_STEPS, _REACH, _DAMPING = 24, 0.3, 1e-3
# The domain as far as proofs see it, against the size of the point: some domains are as wide as numbers go.
_SPAN = 1e3
# Against the domain, a distance from its end that counts as none.
_NEAR = 1e-8
# A step and a residual at which a local solve has converged, and a step below which another one changes nothing.
_SMALL_STEP, _SMALL_RESIDUAL, _NO_STEP = 1e-9, 1e-7, 1e-14


@native
def radius(lane):
    """Radii of the boxes in which a proof is tried, against the domain: from a few roundings to a large box."""
    return (1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 6e-2)[lane]


@native
def solve_dense(a, b, n):
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


# -- local solve --------------------------------------------------------------------------------------------------


@native
def evaluate_points(s, p):
    """Rows and Jacobian at the points of all lanes, in ordinary arithmetic."""
    call_kernel(attribute(s, p, POINT), s.point, attribute(s, p, POINT_PARAMETERS), s.value)


@native
def slope_at(s, p, i, j, lane):
    """d row_i / d x_j at the point of a lane."""
    return s.value[(attribute(s, p, ROWS) + attribute(s, p, VARIABLES) * i + j) * LANES + lane]


@native
def newton_step(s, p, lane):
    """A Levenberg-Marquardt step into `step`; the size of the residual, or -1 where there is no step."""
    if attribute(s, p, LOCAL_STEP) == 0:
        return dense_step(s, p, lane, attribute(s, p, ROWS))
    n = attribute(s, p, VARIABLES)
    for j in range(n):
        s.step[j] = s.steps[j * LANES + lane]
        if not abs(s.step[j]) < 1e300:
            return -1.0
    return s.steps[n * LANES + lane]


@native
def extent(s, p, j, x):
    """The width of the domain of variable j as a search near x sees it."""
    return min(width(s, s.domain, p, j), _SPAN * (1.0 + abs(x)))


@native
def row_scale(s, p, i, lane):
    """The inverse of the largest change of row i across the domain by its slopes; 0 for a row of no use."""
    largest = 0.0
    for j in range(attribute(s, p, VARIABLES)):
        largest = max(largest, abs(slope_at(s, p, i, j, lane)) * extent(s, p, j, s.point[j * LANES + lane]))
    return 1.0 / largest if 0.0 < largest < 1e300 else 0.0


@native
def dense_step(s, p, lane, rows):
    """The step for the first `rows` rows, of systems that are large or of mixed scales, into `step`.

    Variables are measured against their domains and rows by their slopes. The damping fades with the residual, so
    convergence stays quadratic at regular zeros and steps stay tame at singular ones; with fewer rows than variables
    a little of it stays, or the directions that no row sees would collect noise.
    """
    n = attribute(s, p, VARIABLES)
    residual, largest = 0.0, 0.0
    for j in range(n):
        s.step[j] = 0.0
        for k in range(n):
            s.small[j * n + k] = 0.0
    for i in range(rows):
        scale = row_scale(s, p, i, lane)
        f = scale * s.value[i * LANES + lane]
        residual = max(residual, abs(f))
        for j in range(n):
            s.gradient[j] = scale * slope_at(s, p, i, j, lane) * extent(s, p, j, s.point[j * LANES + lane])
        for j in range(n):
            s.step[j] -= s.gradient[j] * f
            for k in range(n):
                s.small[j * n + k] += s.gradient[j] * s.gradient[k]
    for j in range(n):
        largest = max(largest, s.small[j * n + j])
    if not (residual < 1e300 and 0.0 < largest < 1e300):
        return -1.0
    least = 1e-15 if rows >= n else 1e-9
    for j in range(n):
        s.small[j * n + j] += largest * (least + min(_DAMPING, residual * residual))
    if not solve_dense(s.small, s.step, n):
        return -1.0
    for j in range(n):
        s.step[j] *= extent(s, p, j, s.point[j * LANES + lane])
    return residual


@native
def advance(s, p, lane):
    """Take the step, no longer than the reach, within the domain (periodic variables wrap); its size against the
    domain.
    """
    size = 0.0
    n = attribute(s, p, VARIABLES)
    for j in range(n):
        whole = width(s, s.domain, p, j)
        if whole > 0.0:
            size = max(size, abs(s.step[j]) / whole)
    scale = min(1.0, _REACH / size) if size > 0.0 else 1.0
    for j in range(n):
        lo, hi = lower(s, s.inner, p, j), upper(s, s.inner, p, j)
        x = s.point[j * LANES + lane] + scale * s.step[j]
        if x < lo:
            x += period(s, p, j)
        elif x > hi:
            x -= period(s, p, j)
        s.point[j * LANES + lane] = min(max(x, lo), hi)
    return size


@native
def local_solve(s, p):
    """Newton from the points in `point`, all lanes at once. `flag` is 1 in lanes that converged."""
    s.count[LOCAL_SOLVES] += 1
    for _ in range(_STEPS):
        evaluate_points(s, p)
        if attribute(s, p, LOCAL_STEP) != 0:
            call_kernel(attribute(s, p, LOCAL_STEP), s.value, s.steps)
        settled = True
        for lane in range(LANES):
            residual = newton_step(s, p, lane)
            s.flag[lane] = 0.0
            if residual >= 0.0:
                size = advance(s, p, lane)
                settled = settled and size < _NO_STEP
                if size < _SMALL_STEP and residual < _SMALL_RESIDUAL:
                    s.flag[lane] = 1.0
        if settled:
            return


@native
def restore(s, p):
    """From the points in `point` to points near them where the equations hold. `flag` is 1 in lanes that got there."""
    for _ in range(_STEPS):
        evaluate_points(s, p)
        settled = True
        for lane in range(LANES):
            residual = dense_step(s, p, lane, attribute(s, p, EQUATIONS))
            s.flag[lane] = 0.0
            if residual >= 0.0:
                settled = advance(s, p, lane) < _NO_STEP and settled
                if residual < _SMALL_RESIDUAL:
                    s.flag[lane] = 1.0
        if settled:
            return


@native
def scatter_points(s, p, boxes, k, spread):
    """The middle of a box in the first lane of `point`, and points spread over it in the others."""
    for j in range(attribute(s, p, VARIABLES)):
        for lane in range(LANES):
            at = 0.5 if lane == 0 else 0.5 + spread * (((5 * lane + 3 * j) % 8) / 7.0 - 0.5)
            s.point[j * LANES + lane] = lower(s, boxes, k, j) + at * width(s, boxes, k, j)


# -- proofs -------------------------------------------------------------------------------------------------------


@native
def chosen(s, p, j):
    """Is variable j one of those that an existence proof solves for?"""
    for k in range(attribute(s, p, EQUATIONS)):
        if s.pick[k] == j:
            return True
    return False


@native
def surround(s, p, frozen):
    """Boxes of the eight radii round `centre` in X; with `frozen`, variables that are not solved for stay points."""
    for j in range(attribute(s, p, VARIABLES)):
        moves = not frozen or chosen(s, p, j)
        for lane in range(LANES):
            r = radius(lane) * extent(s, p, j, s.centre[j]) if moves else 0.0
            s.X[2 * j * LANES + lane] = -(s.centre[j] - r)
            s.X[(2 * j + 1) * LANES + lane] = s.centre[j] + r
            s.C[j * LANES + lane] = s.centre[j]


@native
def linearize(s, p):
    """The Jacobian over the boxes in X, in M, and the rows at the points in C, in V."""
    call_kernel(attribute(s, p, SLOPE), s.X, attribute(s, p, PARAMETERS), s.M)
    for j in range(attribute(s, p, VARIABLES)):
        for lane in range(LANES):
            s.K[2 * j * LANES + lane] = -s.C[j * LANES + lane]
            s.K[(2 * j + 1) * LANES + lane] = s.C[j * LANES + lane]
    call_kernel(attribute(s, p, RANGE), s.K, attribute(s, p, PARAMETERS), s.V)


@native
def feasible(s, p, boxes, k):
    """Does box k lie in the domain (but for periodic variables), and do the inequalities hold on all of it?"""
    for j in range(attribute(s, p, VARIABLES)):
        if period(s, p, j) == 0.0:
            if lower(s, boxes, k, j) < lower(s, s.inner, p, j) or upper(s, boxes, k, j) > upper(s, s.inner, p, j):
                return False
    load_all(s, p, boxes, k)
    call_kernel(attribute(s, p, RANGE), s.X, attribute(s, p, PARAMETERS), s.F)
    return s.F[2 * attribute(s, p, ROWS) * LANES] <= -1.0


@native
def impossible(s, p, boxes, k):
    """Does box k lie outside the domain, or do the inequalities hold nowhere in it?"""
    for j in range(attribute(s, p, VARIABLES)):
        if period(s, p, j) == 0.0:
            if upper(s, boxes, k, j) < lower(s, s.domain, p, j) or lower(s, boxes, k, j) > upper(s, s.domain, p, j):
                return True
    load_all(s, p, boxes, k)
    call_kernel(attribute(s, p, RANGE), s.X, attribute(s, p, PARAMETERS), s.F)
    return s.F[(2 * attribute(s, p, ROWS) + 1) * LANES] <= 0.0


@native
def prove_unique(s, p):
    """Has the square system exactly one zero near `centre`? Then `tight` encloses it, and it is the only one in
    `wide`. Whether it lies in the domain and satisfies the inequalities is another question.
    """
    if attribute(s, p, UNIQUENESS) == 0:
        return False
    surround(s, p, False)
    linearize(s, p)
    call_kernel(attribute(s, p, UNIQUENESS), s.M, s.V, s.C, s.X, s.K, s.flag)
    first, last = -1, -1
    for lane in range(LANES):
        if s.flag[lane] > 0.5:
            last = lane
            first = lane if first < 0 else first
    if first < 0:
        return False
    read_lane(s, p, s.K, first, s.tight, 0)
    read_lane(s, p, s.X, last, s.wide, 0)
    return not at_border(s, p, s.tight, 0)


@native
def choose_variables(s, p):
    """Pick the variables to solve for by pivoting on the equations' Jacobian, those at the end of their domain
    last; False if its rank is short.
    """
    n, e = attribute(s, p, VARIABLES), attribute(s, p, EQUATIONS)
    for i in range(e):
        s.pick[i] = -1
        for j in range(n):
            s.small[i * n + j] = slope_at(s, p, i, j, 0)
    for i in range(e):
        best, row, column = 0.0, -1, -1
        for r in range(i, e):
            for j in range(n):
                size = abs(s.small[r * n + j]) * width(s, s.domain, p, j) * (1e-6 if s.bound[j] != 0 else 1.0)
                if size > best and not chosen(s, p, j):
                    best, row, column = size, r, j
        if row < 0:
            return False
        for j in range(n):
            s.small[i * n + j], s.small[row * n + j] = s.small[row * n + j], s.small[i * n + j]
        s.pick[i] = column
        for r in range(i + 1, e):
            factor = s.small[r * n + column] / s.small[i * n + column]
            for j in range(n):
                s.small[r * n + j] -= factor * s.small[i * n + j]
    return True


@native
def note_bounds(s, p):
    """Which coordinates of `centre` are at the end of their domain; and `centre` into every lane of `point`.

    Where the rows hold up to the border, a coordinate that is nearly at the end moves there: a minimizer often lies there.
    """
    for j in range(attribute(s, p, VARIABLES)):
        lo, hi = lower(s, s.inner, p, j), upper(s, s.inner, p, j)
        near = _NEAR * min(hi - lo, 1.0 + abs(s.centre[j])) if attribute(s, p, CLOSED) != 0 else 0.0
        if s.centre[j] - lo <= near:
            s.centre[j] = lo
        elif hi - s.centre[j] <= near:
            s.centre[j] = hi
        x = s.centre[j]
        end = x <= lo or x >= hi
        s.bound[j] = 1 if end and period(s, p, j) == 0.0 else 0
        for lane in range(LANES):
            s.point[j * LANES + lane] = x


@native
def restrict(s, p):
    """The columns of M, C and X of the variables to solve for, in G, C and Q."""
    n, e = attribute(s, p, VARIABLES), attribute(s, p, EQUATIONS)
    for k in range(e):
        j = s.pick[k]
        for lane in range(LANES):
            s.C[k * LANES + lane] = s.centre[j]
        for side in range(2 * LANES):
            s.Q[2 * k * LANES + side] = s.X[2 * j * LANES + side]
            for i in range(e):
                s.G[2 * (e * i + k) * LANES + side] = s.M[2 * (n * i + j) * LANES + side]


@native
def prove_exists(s, p):
    """Have the equations a feasible zero near `centre`, with the other variables frozen there? Then `tight` holds
    one.
    """
    if attribute(s, p, EXISTENCE) == 0:
        return False
    note_bounds(s, p)
    evaluate_points(s, p)
    if not choose_variables(s, p):
        return False
    surround(s, p, True)
    linearize(s, p)
    restrict(s, p)
    call_kernel(attribute(s, p, EXISTENCE), s.G, s.V, s.C, s.Q, s.K, s.flag)
    for lane in range(LANES):
        if s.flag[lane] > 0.5:
            for j in range(attribute(s, p, VARIABLES)):
                s.tight[2 * j] = s.centre[j]
                s.tight[2 * j + 1] = s.centre[j]
            for k in range(attribute(s, p, EQUATIONS)):
                s.tight[2 * s.pick[k]] = -s.K[2 * k * LANES + lane]
                s.tight[2 * s.pick[k] + 1] = s.K[(2 * k + 1) * LANES + lane]
            return feasible(s, p, s.tight, 0)
    return False


# -- solutions ----------------------------------------------------------------------------------------------------


@native
def improve(s, p, boxes, k):
    """Box k is proved to hold a feasible zero: the bound u falls to its objective."""
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0 and upper(s, boxes, k, objective) < s.real[PROVED]:
        s.real[PROVED] = upper(s, boxes, k, objective)
        copy_box(s, p, boxes, k, s.best, 0)


@native
def image_of(s, p, boxes, k, places, at):
    """Bounds of the points of space that both bodies can reach in box k, as place number `at`."""
    load_all(s, p, boxes, k)
    call_kernel(attribute(s, p, IMAGE), s.X, attribute(s, p, PARAMETERS), s.image)
    shared_image(s, 0, places, at)


@native
def shared_image(s, lane, places, at):
    """What both bodies' images in a lane share, as place number `at`."""
    for c in range(3):
        places[6 * at + 2 * c] = -min(s.image[2 * c * LANES + lane], s.image[(2 * c + 6) * LANES + lane])
        places[6 * at + 2 * c + 1] = min(s.image[(2 * c + 1) * LANES + lane], s.image[(2 * c + 7) * LANES + lane])


@native
def record(s, p, kind, boxes, k, regions, r):
    """Keep a solution: box k, and region r in which a UNIQUE one is the only zero."""
    new = s.count[SOLUTIONS]
    s.count[SOLUTIONS] = new + 1
    copy_box(s, p, boxes, k, s.found, new)
    copy_box(s, p, regions, r, s.region, new)
    s.kind[new] = kind
    s.owner[new] = p
    if attribute(s, p, IMAGE) != 0:
        image_of(s, p, s.found, new, s.place, new)
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0 and not (kind == ALONE and impossible(s, p, s.found, new)):
        if kind >= EXISTS:
            improve(s, p, s.found, new)
        else:
            s.real[TENTATIVE] = min(s.real[TENTATIVE], upper(s, s.found, new, objective))
        if kind != UNIQUE:
            s.real[CLEAR] = min(s.real[CLEAR], lower(s, s.found, new, objective))


@native
def solved_before(s, p):
    """Is `centre` in the uniqueness box of a solution?"""
    for j in range(attribute(s, p, VARIABLES)):
        s.tight[2 * j] = s.centre[j]
        s.tight[2 * j + 1] = s.centre[j]
    for solution in range(s.count[SOLUTIONS]):
        if encloses_one(s, solution) and s.owner[solution] == p and inside_region(s, p, s.tight, 0, solution):
            return True
    return False


@native
def prove(s, p, sample):
    """Try to prove the candidate `centre`; is it a zero that is now known?

    A unique zero is recorded. One that only exists is recorded where it may be a `sample` of a manifold of them;
    otherwise it lowers the bound u.
    """
    if solved_before(s, p):
        return True
    alone = False
    if prove_unique(s, p):
        if feasible(s, p, s.tight, 0):
            record(s, p, UNIQUE, s.tight, 0, s.wide, 0)
            return True
        if attribute(s, p, CLOSED) != 0:
            record(s, p, ALONE, s.tight, 0, s.wide, 0)
            alone = True
    if not prove_exists(s, p):
        return alone
    if sample and not alone:
        record(s, p, EXISTS, s.tight, 0, s.tight, 0)
    else:
        improve(s, p, s.tight, 0)
    return True
