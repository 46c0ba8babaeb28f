"""The kernels of `linear` for larger systems: the same algorithms as loops over memory instead of straight-line code.

Straight-line code grows with n^3, and so does the time to compile it (15 s for n = 10); these loops compile in some
hundredths of a second for any n. The inner statements are the same rounded emitters.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..emit.elementary.arithmetic import add, divide, multiply_ends, negate, zero_excluded
from ..emit.lanes import Lanes, Module
from ..emit.room import add_with_room, is_large, vector_bytes
from .blocks import Interval, Value, scale
from .operators import row_sum_term
from .rows import intersect_quotient, is_reversed

Pattern = tuple[tuple[int, ...], ...]
"""The columns of each row that are not zero throughout."""


class Writer:
    """Lanes with loops, integer indices (SSA names or literals) and scratch memory."""

    def __init__(self, L: Lanes) -> None:
        self.L = L
        self.label = "start"
        self.places: list[str] = []
        self.room = 0
        self._loops = 0

    def array(self, name: str, vectors: int) -> str:
        self.places.append(f"  %{name} = getelementptr {self.L.vector}, ptr %room, i64 {self.room}")
        self.room += vectors
        return f"%{name}"

    @contextmanager
    def loop(self, first: int | str, last: int | str, step: int = 1) -> Iterator[str]:
        """``for i in range(first, last, step)``."""
        self._loops += 1
        k, L = self._loops, self.L
        how = "slt" if step > 0 else "sgt"
        L.lines += [f"  br label %test{k}", f"test{k}:",
                    f"  %i{k} = phi i64 [ {first}, %{self.label} ], [ %n{k}, %more{k} ]",
                    f"  %c{k} = icmp {how} i64 %i{k}, {last}", f"  br i1 %c{k}, label %body{k}, label %done{k}", f"body{k}:"]
        self.label = f"body{k}"
        yield f"%i{k}"
        L.lines += [f"  br label %more{k}", f"more{k}:", f"  %n{k} = add i64 %i{k}, {step}", f"  br label %test{k}", f"done{k}:"]
        self.label = f"done{k}"

    def index(self, i: int | str, n: int, j: int | str) -> str:
        """i n + j."""
        return self.L.emit(f"add i64 {self.L.emit(f'mul i64 {i}, {n}')}, {j}")

    def add_index(self, i: int | str, j: int) -> str:
        return self.L.emit(f"add i64 {i}, {j}")

    def table(self, name: str, numbers: Sequence[int]) -> str:
        """A constant array of integers."""
        self.L.intrinsics[name] = f"@{name} = private constant [{len(numbers)} x i64] [{', '.join(f'i64 {k}' for k in numbers)}]"
        return f"@{name}"

    def look_up(self, table: str, i: int | str) -> str:
        return self.L.emit(f"load i64, ptr {self.L.emit(f'getelementptr i64, ptr {table}, i64 {i}')}")

    def get(self, pointer: str, i: int | str) -> Value:
        return self.L.load(pointer, i)      # type: ignore[arg-type]

    def put(self, pointer: str, i: int | str, value: Value) -> None:
        self.L.store(pointer, i, value)     # type: ignore[arg-type]

    def get_pair(self, pointer: str, i: int | str) -> Interval:
        at = self.index(i, 2, 0)
        return self.get(pointer, at), self.get(pointer, self.add_index(at, 1))

    def put_pair(self, pointer: str, i: int | str, x: Interval) -> None:
        at = self.index(i, 2, 0)
        self.put(pointer, at, x[0])
        self.put(pointer, self.add_index(at, 1), x[1])

    def raise_flag(self, pointer: str, mask: Value, value: float) -> None:
        """The flag becomes `value` where the mask holds."""
        self.put(pointer, 0, self.L.select(mask, self.L.const(value), self.get(pointer, 0)))


def write(module: Module, L: Lanes, name: str, arguments: str, m: int, n: int, pattern: Pattern | None) -> None:
    """The body of the kernel `name`. Its scratch memory grows with n^2; where that is refused, the kernel says what holds without it."""
    w, refused = Writer(module.lanes()), Writer(module.lanes())
    if name == "linear_solve":
        linear_solve(w, m, n, pattern or (tuple(range(n)),) * m)
    else:
        _SQUARE[name](w, n)
        _unimproved(refused, name, n)
    pointers, restricted = (", ".join(f"{kind} %{a}" for a in arguments.split()) for kind in ("ptr", "ptr noalias"))
    body = "\n".join(["start:", *w.places, *w.L.lines])
    module.add("loops", f"define internal void @loops({restricted}, ptr noalias %room) #2 {{\n{body}\n  ret void\n}}")
    size = vector_bytes(L, w.room)
    add_with_room(module, "solve", pointers, size, is_large(size), [f"  call void @loops({pointers}, ptr %room)"],
                  ["  br label %start", "start:", *refused.L.lines])
    L.lines.append(f"  call void @solve({pointers})")


def _unimproved(w: Writer, name: str, n: int) -> None:
    """The system as it is; the box as it is, of which nothing is proved."""
    copies = {"precondition": [("%G", "%M", n * n), ("%g", "%f", n)], "krawczyk": [("%K", "%X", n)], "interval_inverse": [("%Q", "%X", n)]}
    for to, source, count in copies[name]:
        with w.loop(0, count) as k:
            w.put_pair(to, k, w.get_pair(source, k))
    if name != "precondition":
        w.put("%flag", 0, w.L.const(0.0))


# -- Linear_Solve -----------------------------------------------------------------------------------------------------


def linear_solve(w: Writer, m: int, n: int, pattern: Pattern) -> None:
    """Over the entries of the pattern, listed row by row; `after` holds the sum over a row's entries from each one on."""
    L = w.L
    starts = w.table("starts", [sum(map(len, pattern[:i])) for i in range(m + 1)])
    columns = w.table("columns", [j for row in pattern for j in row])
    y, after = w.array("y", 2 * n), w.array("after", 2 * (sum(map(len, pattern)) + 1))
    before = w.array("before", 2)
    with w.loop(0, n) as j:
        (xn, xh), c = w.get_pair("%X", j), w.get("%c", j)
        w.put_pair(y, j, (L.add(xn, c), L.sub(xh, c)))
    zero = L.const(0.0)
    with w.loop(0, m) as i:
        first, last = w.look_up(starts, i), w.look_up(starts, w.add_index(i, 1))
        w.put_pair(after, last, (zero, zero))
        with w.loop(w.add_index(last, -1), first, -1) as k:
            j = w.look_up(columns, k)
            term = multiply_ends(L, *w.get_pair("%M", w.index(i, n, j)), *w.get_pair(y, j))
            w.put_pair(after, k, add(L, *w.get_pair(after, w.add_index(k, 1)), *term))
        # The row is M y = -f; the running sum starts with f.
        w.put_pair(before, 0, w.get_pair("%f", i))
        with w.loop(first, last) as k:
            j = w.look_up(columns, k)
            entry, old, sum_before = w.get_pair("%M", w.index(i, n, j)), w.get_pair(y, j), w.get_pair(before, 0)
            rest = add(L, *sum_before, *w.get_pair(after, w.add_index(k, 1)))
            new = intersect_quotient(L, negate(L, *rest), entry, old)
            w.raise_flag("%flag", is_reversed(L, *new), 0.0)
            w.put_pair(y, j, new)
            w.put_pair(before, 0, add(L, *sum_before, *multiply_ends(L, *entry, *new)))
    with w.loop(0, n) as j:
        (xn, xh), (yn, yh), c = w.get_pair("%X", j), w.get_pair(y, j), w.get("%c", j)
        x = L.min(L.sub(yn, c), xn), L.min(L.add(yh, c), xh)
        w.raise_flag("%flag", is_reversed(L, *x), 0.0)
        w.put_pair("%X", j, x)


# -- preconditioning --------------------------------------------------------------------------------------------------


def _approximate_inverse(w: Writer, n: int) -> str:
    """About the inverse of mid M, as an array of n n numbers: as in `linear`."""
    L = w.L
    a, y = w.array("a", n * n), w.array("inverse", n * n)
    with w.loop(0, n) as i:
        with w.loop(0, n) as j:
            at = w.index(i, n, j)
            low, high = w.get_pair("%M", at)
            w.put(a, at, L.mul(L.const(0.5), L.sub(high, low)))
            w.put(y, at, L.const(0.0))
        w.put(y, w.index(i, n, i), L.const(1.0))
    with w.loop(0, n) as k:
        with w.loop(w.add_index(k, 1), n) as r:
            larger = L.gt(L.abs(w.get(a, w.index(r, n, k))), L.abs(w.get(a, w.index(k, n, k))))
            for matrix in (a, y):
                with w.loop(0, n) as j:
                    top, bottom = w.index(k, n, j), w.index(r, n, j)
                    p, q = w.get(matrix, top), w.get(matrix, bottom)
                    w.put(matrix, top, L.select(larger, q, p))
                    w.put(matrix, bottom, L.select(larger, p, q))
        inverse = L.div(L.const(1.0), w.get(a, w.index(k, n, k)))
        for matrix in (a, y):
            with w.loop(0, n) as j:
                at = w.index(k, n, j)
                w.put(matrix, at, L.mul(w.get(matrix, at), inverse))
        for start, stop in ((0, k), (w.add_index(k, 1), n)):
            with w.loop(start, stop) as r:
                factor = L.neg(w.get(a, w.index(r, n, k)))
                for matrix in (a, y):
                    with w.loop(0, n) as j:
                        at = w.index(r, n, j)
                        w.put(matrix, at, L.fma(factor, w.get(matrix, w.index(k, n, j)), w.get(matrix, at)))
    with w.loop(0, n * n) as at:
        value = w.get(y, at)
        w.put(y, at, L.select(L.lt(L.abs(value), L.const(1e300)), value, L.const(0.0)))
    return y


def _multiply(w: Writer, y: str, i: str, source: str, stride: int, j: int | str, n: int, total: str) -> Interval:
    """sum_k y[i, k] source[k, j]."""
    L = w.L
    w.put_pair(total, 0, (L.const(0.0), L.const(0.0)))
    with w.loop(0, n) as k:
        entry = w.get_pair(source, w.index(k, stride, j))
        w.put_pair(total, 0, add(L, *w.get_pair(total, 0), *scale(L, w.get(y, w.index(i, n, k)), *entry)))
    return w.get_pair(total, 0)


def _preconditioned(w: Writer, n: int, G: str, g: str) -> None:
    """Y M into G and Y f into g."""
    y, total = _approximate_inverse(w, n), w.array("total", 2)
    with w.loop(0, n) as i:
        with w.loop(0, n) as j:
            w.put_pair(G, w.index(i, n, j), _multiply(w, y, i, "%M", n, j, n, total))
        w.put_pair(g, i, _multiply(w, y, i, "%f", 1, 0, n, total))


def precondition(w: Writer, n: int) -> None:
    _preconditioned(w, n, "%G", "%g")


def _scratch_system(w: Writer, n: int) -> tuple[str, str]:
    G, g = w.array("G", 2 * n * n), w.array("g", 2 * n)
    _preconditioned(w, n, G, g)
    return G, g


# -- operators with an existence test ---------------------------------------------------------------------------------


def krawczyk(w: Writer, n: int) -> None:
    L = w.L
    G, g = _scratch_system(w, n)
    spread = w.array("spread", 1)
    w.put("%flag", 0, L.const(1.0))
    with w.loop(0, n) as i:
        w.put(spread, 0, L.const(0.0))
        for start, stop, one in ((0, i, 0.0), (i, w.add_index(i, 1), 1.0), (w.add_index(i, 1), n, 0.0)):
            with w.loop(start, stop) as j:
                (xn, xh), c = w.get_pair("%X", j), w.get("%c", j)
                radius = L.max(L.add(xn, c), L.sub(xh, c))
                term = row_sum_term(L, w.get_pair(G, w.index(i, n, j)), one, radius)
                w.put(spread, 0, L.add(w.get(spread, 0), term))
        (gn, gh), c, s = w.get_pair(g, i), w.get("%c", i), w.get(spread, 0)
        _finish(w, "%K", i, (L.add(L.add(gh, s), L.neg(c)), L.add(L.add(gn, s), c)))


def interval_inverse(w: Writer, n: int) -> None:
    L = w.L
    G, b = _scratch_system(w, n)
    solution, total = w.array("solution", 2 * n), w.array("sum", 2)
    w.put("%flag", 0, L.const(1.0))
    failed = w.array("failed", 1)
    w.put(failed, 0, L.const(0.0))
    with w.loop(0, n) as k:
        pivot = w.get_pair(G, w.index(k, n, k))
        w.raise_flag(failed, L.invert(zero_excluded(L, *pivot)), 1.0)
        with w.loop(w.add_index(k, 1), n) as r:
            factor = negate(L, *divide(L, *w.get_pair(G, w.index(r, n, k)), *pivot))
            with w.loop(w.add_index(k, 1), n) as j:
                at = w.index(r, n, j)
                w.put_pair(G, at, add(L, *w.get_pair(G, at), *multiply_ends(L, *factor, *w.get_pair(G, w.index(k, n, j)))))
            w.put_pair(b, r, add(L, *w.get_pair(b, r), *multiply_ends(L, *factor, *w.get_pair(b, k))))
    with w.loop(n - 1, -1, -1) as k:
        # b holds Y f, the right side is its negative: sum = -b - G x.
        w.put_pair(total, 0, negate(L, *w.get_pair(b, k)))
        with w.loop(w.add_index(k, 1), n) as j:
            product = multiply_ends(L, *w.get_pair(G, w.index(k, n, j)), *w.get_pair(solution, j))
            w.put_pair(total, 0, add(L, *w.get_pair(total, 0), *negate(L, *product)))
        w.put_pair(solution, k, divide(L, *w.get_pair(total, 0), *w.get_pair(G, w.index(k, n, k))))
    with w.loop(0, n) as j:
        (sn, sh), c = w.get_pair(solution, j), w.get("%c", j)
        bad, infinity = L.gt(w.get(failed, 0), L.const(0.5)), L.const(float("inf"))
        _finish(w, "%Q", j, (L.select(bad, infinity, L.sub(sn, c)), L.select(bad, infinity, L.add(sh, c))))


def _finish(w: Writer, pointer: str, j: str, result: Interval) -> None:
    """Store a coordinate of the operator's value; the flag becomes 0 unless it lies in the interior of X."""
    L = w.L
    xn, xh = w.get_pair("%X", j)
    w.raise_flag("%flag", L.invert(L.both(L.lt(result[0], xn), L.lt(result[1], xh))), 0.0)
    w.put_pair(pointer, j, result)


_SQUARE: dict[str, Callable[[Writer, int], None]] = {
    "precondition": precondition, "krawczyk": krawczyk, "interval_inverse": interval_inverse}
