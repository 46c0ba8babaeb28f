"""Rounded linear algebra on small interval matrices, over blocks of 8 systems: straight-line code up to `UNROLLED` unknowns.

Everything the interval Newton method needs and nothing may round carelessly: Snyder's Linear_Solve (1993, Fig. 8),
the Krawczyk operator (Section 4.1, Theorem 1), and the interval inverse by Gaussian elimination (Section 4.2.1,
Theorem 2). A kernel is compiled once for each size, kept in the cache on disk, and called by address.

Blocks in memory are arrays of vectors of 8 doubles, one lane a system:

    M   (m, n, 2)   interval matrix: an enclosure of the Jacobian over the box X, as -lo and hi
    f   (m, 2)      an enclosure of f(c)
    c   (n,)        a point of X
    X   (n, 2)      the box, bounded
    flag ()         see each kernel; 1.0 and 0.0
"""

import functools
import math
import threading
from collections.abc import Callable, Sequence

from . import cache
from .elementary.arithmetic import add, divide, multiply, negate, zero_excluded
from .lanes import Lanes, Module
from .native import Code, add_entry, host, llvm_version, object_code

Value = str
Interval = tuple[Value, Value]
Pattern = tuple[tuple[int, ...], ...]
_lock = threading.Lock()

# Unknowns (or rows) up to which the code is straight; beyond, compiling it would take longer than most searches.
UNROLLED = 5


def linear_solve(m: int, n: int, pattern: Pattern | None = None) -> int:
    """Address of ``void(M, f, c, X, flag)``: one sweep of Linear_Solve on M (x - c) = -f over the rows of M as they are.

    X shrinks in place and keeps every x in X with f(x) = 0; the flag becomes 0.0 in lanes where there is none (it is
    left alone in others). Unlike Fig. 8, a divisor that holds 0 is used too: the quotient is then the complement of
    a gap. `pattern` lists the columns of each row that are not zero throughout; the others are not read.
    """
    return _compiled("linear_solve", m, n, _linear_solve, pattern)


def eliminate(m: int, n: int) -> int:
    """Address of ``void(M, f, c, X, flag)``: like `linear_solve`, on Y M (x - c) = -Y f, Y such that each row of Y mid M holds a variable
    that the others do not, as far as their columns are independent: of those the ones by which rows change most over X.

    So a variable that two rows tell only together, as the time when planes meet that are tilted against the axes, is found at once.
    For n up to `UNROLLED`.
    """
    return _compiled("eliminate", m, n, _eliminate)


def krawczyk(n: int) -> int:
    """Address of ``void(M, f, c, X, K, flag)``: the Krawczyk operator K = c - Y f(c) + (I - Y M)(X - c), Y about the inverse of mid M.

    K (n, 2) holds every zero of f in X. The flag is 1.0 where K lies in the interior of X: then f has exactly one
    zero in X (Theorem 1; interior inclusion implies the norm condition, Neumaier 1990, Section 5.1), provided M
    encloses the Jacobian, or Clarke's, over all of X and f is continuous there.
    """
    return _compiled("krawczyk", n, n, _krawczyk)


def interval_inverse(n: int) -> int:
    """Address of ``void(M, f, c, X, Q, flag)``: the solutions of M y = -f by Gaussian elimination on Y M, plus c.

    Q (n, 2) holds every zero of f in X; it is the whole space where a pivot holds 0. The flag is 1.0 where Q lies
    in the interior of X: then f has exactly one zero in X (Theorem 2).
    """
    return _compiled("interval_inverse", n, n, _interval_inverse)


def precondition(n: int) -> int:
    """Address of ``void(M, f, G, g)``: G = Y M and g = Y f, Y about the inverse of mid M: the same zeros, nearly
    decoupled.
    """
    return _compiled("precondition", n, n, _precondition)


# -- compilation ------------------------------------------------------------------------------------------------


@functools.cache
def _compiled(name: str, m: int, n: int, write: Callable[[Lanes, int, int], str], pattern: Pattern | None = None) -> int:
    """The address of the kernel that `write` emits; `write` returns the names of its arguments."""
    key = cache.key("linear", name, f"{m} {n} {pattern}", "\0".join(host()), llvm_version())
    code = cache.load(key)
    if code is None:
        code = object_code(_text(m, n, write, pattern))
        cache.store(key, code)
    with _lock:
        _alive.append(Code(code, ("kernel",)))
        return _alive[-1].address["kernel"]


_alive: list[Code] = []


def _text(m: int, n: int, write: Callable[[Lanes, int, int], str], pattern: Pattern | None = None) -> str:
    module = Module()
    L = module.lanes()
    if max(m, n) <= UNROLLED:
        names = write(L, m, n).split()
        body = "\n".join(L.lines)
    else:
        from .linear_loops import function_text

        body, names = function_text(L, write.__name__.strip("_"), m, n, pattern)
    parameters = ", ".join(f"ptr noalias %{x}" for x in names)
    module.add("body", f"define internal void @body({parameters}) #2 {{\n{body}\n  ret void\n}}")
    add_entry(module, "kernel", "body", parameters.replace("noalias ", ""), ", ".join(f"ptr %{x}" for x in names))
    return module.text()


# -- blocks in memory -------------------------------------------------------------------------------------------


def _read(L: Lanes, pointer: str, position: int) -> Interval:
    return L.load(pointer, 2 * position), L.load(pointer, 2 * position + 1)


def _write(L: Lanes, pointer: str, position: int, x: Interval) -> None:
    L.store(pointer, 2 * position, x[0])
    L.store(pointer, 2 * position + 1, x[1])


def _from_centre(L: Lanes, n: int) -> list[Interval]:
    """X - c, rounded outward."""
    return [(L.add(xn, c), L.sub(xh, c)) for (xn, xh), c in
            ((_read(L, "%X", j), L.load("%c", j)) for j in range(n))]


# -- Linear_Solve -----------------------------------------------------------------------------------------------


def _linear_solve(L: Lanes, m: int, n: int) -> str:
    return _solve_rows(L, [[_read(L, "%M", i * n + j) for j in range(n)] for i in range(m)], [_read(L, "%f", i) for i in range(m)])


def _solve_rows(L: Lanes, rows: Sequence[Sequence[Interval]], f: Sequence[Interval]) -> str:
    y = _from_centre(L, len(rows[0]))
    empty = L.mask_const(False)
    for row, value in zip(rows, f, strict=True):
        empty = L.either(empty, _sweep(L, row, negate(L, *value), y))
    for j in range(len(y)):
        c = L.load("%c", j)
        xn, xh = _read(L, "%X", j)
        x = L.min(L.sub(y[j][0], c), xn), L.min(L.add(y[j][1], c), xh)
        empty = L.either(empty, is_reversed(L, *x))
        _write(L, "%X", j, x)
    L.store("%flag", 0, L.select(empty, L.const(0.0), L.load("%flag", 0)))
    return "M f c X flag"


def _sweep(L: Lanes, row: Sequence[Interval], b: Interval, y: list[Interval]) -> str:
    """Solve one row for each unknown in turn, y shrinking in place; the mask of lanes left without a solution.

    The sum over the others is a running sum of those before and stored sums of those after.
    """
    n = len(row)
    after: list[Interval] = [(L.const(0.0), L.const(0.0))] * (n + 1)
    for k in range(n - 1, 0, -1):
        after[k] = add(L, *after[k + 1], *multiply(L, *row[k], *y[k]))
    before: Interval = negate(L, *b)
    empty = L.mask_const(False)
    for j in range(n):
        rest = add(L, *before, *after[j + 1])
        y[j] = intersect_quotient(L, negate(L, *rest), row[j], y[j])
        empty = L.either(empty, is_reversed(L, *y[j]))
        if j < n - 1:
            before = add(L, *before, *multiply(L, *row[j], *y[j]))
    return empty


def intersect_quotient(L: Lanes, a: Interval, b: Interval, y: Interval) -> Interval:
    """The hull of { t in y : a' = b' t for some a' in a, b' in b }; reversed bounds where it is empty.

    0 not in b: y meets a / b. 0 in b and 0 in a: nothing is known. 0 in b, 0 not in a: t lies outside the open gap
    between the quotients of the end of a nearer to 0 by the two ends of b; an end of y inside the gap moves to its
    far side. y is bounded.
    """
    zero = L.const(0.0)
    quotient = divide(L, *a, *b)
    met = L.min(quotient[0], y[0]), L.min(quotient[1], y[1])
    # Flip signs so that a > 0: then t >= a.lo / b.hi or t <= a.lo / b.lo, with b.lo <= 0 <= b.hi.
    positive, negative = L.lt(a[0], zero), L.lt(a[1], zero)
    holds_zero = L.invert(zero_excluded(L, *b))
    gap = L.both(L.either(positive, negative), holds_zero)
    nearest = L.select(positive, L.neg(a[0]), L.neg(a[1]))
    bn, bh = L.select(positive, b[0], b[1]), L.select(positive, b[1], b[0])
    # Lower bounds of the sizes of the gap's ends, as negatives: division by +0 says the gap has no end on that side.
    right = L.div(L.neg(nearest), L.add(bh, zero))
    left = L.div(L.neg(nearest), L.add(bn, zero))
    # `right` is -(a.lo / b.hi) rounded up, so the gap reaches up to at least -right; `left` is (a.lo / b.lo)
    # rounded up, in size at most exact.
    inside_left = L.both(gap, L.gt(L.neg(y[0]), left))
    inside_right = L.both(gap, L.lt(y[1], L.neg(right)))
    n = L.select(inside_left, L.min(right, y[0]), L.select(holds_zero, y[0], met[0]))
    h = L.select(inside_right, L.min(left, y[1]), L.select(holds_zero, y[1], met[1]))
    return n, h


def is_reversed(L: Lanes, n: Value, h: Value) -> str:
    """Is lo > hi? The comparison -n > h is exact."""
    return L.gt(L.neg(n), h)


# -- elimination ------------------------------------------------------------------------------------------------

# A pivot smaller than the first one by this factor is taken as rounding.
_NO_PIVOT = 2.0**-26


def _eliminate(L: Lanes, m: int, n: int) -> str:
    matrix, f = [[_read(L, "%M", i * n + j) for j in range(n)] for i in range(m)], [_read(L, "%f", i) for i in range(m)]
    y = _eliminator(L, matrix, [L.add(*_read(L, "%X", j)) for j in range(n)])
    return _solve_rows(L, [[_dot(L, row, column) for column in zip(*matrix, strict=True)] for row in y], [_dot(L, row, f) for row in y])


def _eliminator(L: Lanes, matrix: Sequence[Sequence[Interval]], widths: Sequence[Value]) -> list[list[Value]]:
    """Y by Gauss-Jordan elimination with full pivoting on the middles of the matrix, its columns scaled by `widths`. Any Y is valid."""
    m = len(matrix)
    zero, half, first = L.const(0.0), L.const(0.5), L.const(math.inf)
    a = [[L.mul(w, L.mul(half, L.sub(h, low))) for w, (low, h) in zip(widths, row, strict=True)] for row in matrix]
    y = [[L.const(1.0 if i == j else 0.0) for j in range(m)] for i in range(m)]
    for k in range(m):
        best = zero
        for r in range(k, m):
            sizes = [L.abs(x) for x in a[r]]
            largest = zero
            for x in sizes:
                largest = L.select(L.gt(x, largest), x, largest)
            better = L.gt(largest, best)
            best = L.select(better, largest, best)
            if r > k:
                a[k], a[r] = _exchanged(L, better, a[k], a[r])
                y[k], y[r] = _exchanged(L, better, y[k], y[r])
        first = best if k == 0 else first
        found = L.both(L.gt(best, zero), L.gt(best, L.mul(L.const(_NO_PIVOT), first)))
        columns = _first_of(L, [L.ge(L.abs(x), best) for x in a[k]])
        pivot = _chosen(L, columns, a[k])
        for r in range(m):
            if r != k:
                factor = L.select(found, L.neg(L.div(_chosen(L, columns, a[r]), pivot)), zero)
                a[r] = [L.select(L.both(found, c), zero, L.fma(factor, p, q)) for c, p, q in zip(columns, a[k], a[r], strict=True)]
                y[r] = [L.fma(factor, p, q) for p, q in zip(y[k], y[r], strict=True)]
    huge = L.const(1e300)
    return [[L.select(L.lt(L.abs(x), huge), x, zero) for x in row] for row in y]


def _exchanged(L: Lanes, where: Value, a: Sequence[Value], b: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    return ([L.select(where, q, p) for p, q in zip(a, b, strict=True)], [L.select(where, p, q) for p, q in zip(a, b, strict=True)])


def _first_of(L: Lanes, masks: Sequence[Value]) -> list[Value]:
    """Of masks, in every lane the first that holds."""
    result, before = [], L.mask_const(False)
    for mask in masks:
        result.append(L.both(mask, L.invert(before)))
        before = L.either(before, mask)
    return result


def _chosen(L: Lanes, masks: Sequence[Value], values: Sequence[Value]) -> Value:
    """The value whose mask holds; 0 where none does."""
    total = L.const(0.0)
    for mask, x in zip(masks, values, strict=True):
        total = L.select(mask, x, total)
    return total


# -- preconditioning --------------------------------------------------------------------------------------------


def _approximate_inverse(L: Lanes, n: int) -> list[list[Value]]:
    """About the inverse of mid M, by Gauss-Jordan elimination with row exchanges. Any matrix is valid; a good one contracts.

    Entries that come out NaN or infinite (a singular midpoint, an unbounded M) become 0, so no NaN reaches interval
    arithmetic.
    """
    half = L.const(0.5)
    a = [[L.mul(half, L.sub(h, m)) for m, h in (_read(L, "%M", i * n + j) for j in range(n))] for i in range(n)]
    y = [[L.const(1.0 if i == j else 0.0) for j in range(n)] for i in range(n)]
    for k in range(n):
        for r in range(k + 1, n):
            larger = L.gt(L.abs(a[r][k]), L.abs(a[k][k]))
            for matrix in (a, y):
                for j in range(n):
                    top, bottom = matrix[k][j], matrix[r][j]
                    matrix[k][j] = L.select(larger, bottom, top)
                    matrix[r][j] = L.select(larger, top, bottom)
        inverse = L.div(L.const(1.0), a[k][k])
        a[k] = [L.mul(x, inverse) for x in a[k]]
        y[k] = [L.mul(x, inverse) for x in y[k]]
        for r in range(n):
            if r != k:
                factor = L.neg(a[r][k])
                a[r] = [L.fma(factor, p, q) if j > k else q for j, (p, q) in enumerate(zip(a[k], a[r], strict=True))]
                y[r] = [L.fma(factor, p, q) for p, q in zip(y[k], y[r], strict=True)]
    zero, huge = L.const(0.0), L.const(1e300)
    return [[L.select(L.lt(L.abs(x), huge), x, zero) for x in row] for row in y]


def scale(L: Lanes, y: Value, n: Value, h: Value) -> Interval:
    """y [lo, hi] for numbers y: each end is the larger of two products. 0 * inf stands for 0, as in `multiply`."""
    zero, minus = L.const(0.0), L.neg(y)

    def end(p: Value, q: Value) -> Value:
        product = L.mul(y, p)
        return L.max(L.mul(minus, q), L.select(L.isnan(product), zero, product))

    return end(n, h), end(h, n)


def _dot(L: Lanes, y: Sequence[Value], column: Sequence[Interval]) -> Interval:
    total: Interval = (L.const(0.0), L.const(0.0))
    for yk, x in zip(y, column, strict=True):
        total = add(L, *total, *scale(L, yk, *x))
    return total


def _preconditioned(L: Lanes, n: int) -> tuple[list[list[Interval]], list[Interval]]:
    """Y M and Y f."""
    y = _approximate_inverse(L, n)
    matrix = [[_read(L, "%M", i * n + j) for j in range(n)] for i in range(n)]
    f = [_read(L, "%f", i) for i in range(n)]
    product = [[_dot(L, y[i], [matrix[k][j] for k in range(n)]) for j in range(n)] for i in range(n)]
    return product, [_dot(L, y[i], f) for i in range(n)]


def _precondition(L: Lanes, m: int, n: int) -> str:
    G, g = _preconditioned(L, n)
    for i in range(n):
        for j in range(n):
            _write(L, "%G", i * n + j, G[i][j])
        _write(L, "%g", i, g[i])
    return "M f G g"


# -- operators with an existence test ------------------------------------------------------------------------------


def _krawczyk(L: Lanes, m: int, n: int) -> str:
    G, g = _preconditioned(L, n)
    radius = [L.max(a, b) for a, b in _from_centre(L, n)]
    result = []
    for i in range(n):
        spread = L.const(0.0)
        for j in range(n):
            one = 1.0 if i == j else 0.0
            spread = L.add(spread, row_sum_term(L, G[i][j], one, radius[j]))
        c = L.load("%c", i)
        result.append((L.add(L.add(g[i][1], spread), L.neg(c)), L.add(L.add(g[i][0], spread), c)))
    _finish(L, result, "%K")
    return "M f c X K flag"


def _interval_inverse(L: Lanes, m: int, n: int) -> str:
    G, g = _preconditioned(L, n)
    b = [negate(L, *x) for x in g]
    failed = L.mask_const(False)
    for k in range(n):
        failed = L.either(failed, L.invert(zero_excluded(L, *G[k][k])))
        for r in range(k + 1, n):
            factor = negate(L, *divide(L, *G[r][k], *G[k][k]))
            for j in range(k + 1, n):
                G[r][j] = add(L, *G[r][j], *multiply(L, *factor, *G[k][j]))
            b[r] = add(L, *b[r], *multiply(L, *factor, *b[k]))
    solution: list[Interval] = [b[0]] * n
    for k in range(n - 1, -1, -1):
        total = b[k]
        for j in range(k + 1, n):
            total = add(L, *total, *negate(L, *multiply(L, *G[k][j], *solution[j])))
        solution[k] = divide(L, *total, *G[k][k])
    infinity = L.const(float("inf"))
    result = []
    for j, (sn, sh) in enumerate(solution):
        c = L.load("%c", j)
        result.append((L.select(failed, infinity, L.sub(sn, c)), L.select(failed, infinity, L.add(sh, c))))
    _finish(L, result, "%Q")
    return "M f c X Q flag"


def row_sum_term(L: Lanes, entry: Interval, one: float, radius: Value) -> Value:
    """|I - Y M| r for one entry of Y M, whose place in I holds `one`.

    The size of the entry is the larger of hi - 1 and 1 - lo; 0 * inf cannot add anything (the radius is then 0).
    """
    size = L.max(L.sub(entry[1], L.const(one)), L.add(entry[0], L.const(one)))
    term = L.mul(size, radius)
    return L.select(L.isnan(term), L.const(0.0), term)


def _finish(L: Lanes, result: Sequence[Interval], pointer: str) -> None:
    """Store the operator's value, and whether it lies in the interior of X."""
    inside = L.mask_const(True)
    for j, (rn, rh) in enumerate(result):
        xn, xh = _read(L, "%X", j)
        inside = L.both(inside, L.both(L.lt(rn, xn), L.lt(rh, xh)))
        _write(L, pointer, j, (rn, rh))
    L.store("%flag", 0, L.select(inside, L.const(1.0), L.const(0.0)))
