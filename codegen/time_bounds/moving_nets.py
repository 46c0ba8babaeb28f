"""A body that deforms by functions of the time: its control points at one time, and how they go on from there.

The points of the body are C(t) g, g m functions of its parameters, known by a record of their polynomial model (`polynomial_models`):
hull of control points, widened by rho. C(t) has k <= 3 rows. At t0, the beginning of a window, the body is then in the hull of the points
C(t0) P, widened by |C| rho and by what is left open of C: a record of k functions, with which `separable` goes on as with
that of a body that keeps its shape. Of the motion from there it needs the rate C'(t0) g, the second derivative C''(t) g in the window,
and, by Taylor's theorem, with h the length of the window,

    C(t) g in C(t0) g + [0, h] C'(t0) g + [0, h^2 / 2] C''([t0, t0 + h]) g,    C'(t) g in C'(t0) g + [0, h] C''([t0, t0 + h]) g,

each in a box: that of the products with the control points, whose basis functions sum to 1, which a box of the m functions forgets.

Rounding. Everything is rounded upward, with relative errors below u = 2^-52. A sum of m products c_j P_j is wrong by less than
(m + 2) u sum_j |c_j| |P_j| (of products, see `tensor_models`), and by sum_j rad c_j |P_j|; by underflow less than 2^-500. All of it
goes into rho, and into the radii.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..emit.lanes import Lanes, Module
from ..machine.straight_line import straight_line
from .polynomial_models import Model
from .step import Ball, Matrix, Reader, Value, Vector, product, row_product
from .tensor_models import Tensor

# As in `separable`.
_TINY, _UNIT = 2.0**-500, 2.0**-52
_RATE, _RATES, _PUSH, _PLACES = range(4)


class Net(NamedTuple):
    """The functions g, the number of rows of C, and where, row after row, C and its derivative have entries other than the constant 0."""

    model: Model | Tensor
    rows: int
    entries: tuple[int, ...]
    rates: tuple[int, ...]

    @property
    def shown(self) -> Model:
        """Layout of the first part of a record of `net_kernel`."""
        return Model(self.model.degrees, (), False, self.rows)

    @property
    def rate(self) -> int:
        """The place of the control points of C'(t0) g in such a record; as behind those of the place, their rho and size follow."""
        return self.shown.length

    def ball(self, which: int) -> tuple[int, int]:
        """The places, in such a record, of the middles and the radii of the rate at t0 (0), of twice the rate in the window (1), of the
        second derivative (2) and of the place (3) there.
        """
        begin = self.rate + self.shown.middle + 2 * self.rows * which
        return begin, begin + self.rows

    @property
    def length(self) -> int:
        return self.ball(_PLACES + 1)[0]

    @property
    def intervals(self) -> int:
        return len(self.entries) + 2 * len(self.rates)


def net_kernel(net: Net, position: int, quick: bool = False) -> int:
    """Address of ``void(A, M, W, out)``: what a body looks like at the beginnings of eight windows, and how that changes.

    A    (model.length,)   records of g
    M    intervals:        from number `position` on the entries of C at t0, of C' there, of C'' in the window
    W    (2, 2)            the window as an interval, and t0 as a thin one
    out  (net.length,)     a record of C(t0) g, in which the extents are not set, then what `Net` says of the rates
    `quick`: see `straight_line`.
    """
    return straight_line("moving net", (net, position), "A M W out", lambda module, L: _Writer(net).write(module, L, position), quick=quick)


class _Writer:
    def __init__(self, net: Net) -> None:
        self.net, self.model = net, net.model

    def write(self, module: Module, L: Lanes, position: int) -> None:
        net, m = self.net, self.model.coordinates
        module.add("hull", self.hull(module.lanes()))
        L.lines.append(f"  %m = alloca {L.vector}, i64 {net.rows * m}, align 64")
        L.lines.append(f"  %h = alloca {L.vector}, i64 {2 * net.rows}, align 64")
        L.lines.append(f"  %p = alloca {L.vector}, i64 {net.shown.middle}, align 64")
        read = Reader(L, position, "%M")
        known = L.lt(L.load("%A", self.model.doubt), L.const(1.0))
        place = self.image(L, Matrix(read, m, net.entries, net.rows), known, "%out")
        rate = self.image(L, Matrix(read, m, net.rates, net.rows), known, L.emit(f"getelementptr {L.vector}, ptr %out, i64 {net.rate}"))
        push = self.image(L, Matrix(read, m, net.rates, net.rows), known, "%p")
        for i in range(net.rows):
            L.store("%out", net.shown.middle + i, place[0][i])
            L.store("%out", net.shown.reach + i, place[1][i])
        half = L.mul(L.const(0.5), L.add(L.load("%W", 1), L.load("%W", 2)))
        rates = _onward(L, rate, push, half)
        places = _onward(L, _onward(L, place, rate, half), push, L.mul(half, half))
        two = L.const(2.0)
        for which, ball in ((_RATE, rate), (_RATES, ([L.mul(two, x) for x in rates[0]], [L.mul(two, x) for x in rates[1]])),
                            (_PUSH, push), (_PLACES, places)):
            for begin, values in zip(net.ball(which), ball, strict=True):
                for i, x in enumerate(values):
                    L.store("%out", begin + i, x)
        L.store("%out", net.shown.doubt, L.load("%A", self.model.doubt))

    def image(self, L: Lanes, matrix: Matrix, known: str, out: str) -> Ball:
        """A box that holds the matrix times g; its control points, their rho and size go to `out`."""
        net, model = self.net, self.model
        m = model.coordinates
        for i, row in enumerate(matrix.middle):
            for j in range(m):
                L.store("%m", m * i + j, row.get(j, L.const(0.0)))
        L.lines.append(f"  call void @hull(ptr %A, ptr %m, ptr {out}, ptr %h)")
        size, rho, middle, reach = self.functions(L)
        units = L.const((2 + (m if isinstance(model, Model) else model.sums)) * _UNIT)
        middles, radii = product(L, matrix, (middle, reach), ([L.const(0.0)] * net.rows, [L.const(0.0)] * net.rows))
        for i, row in enumerate(matrix.middle):
            wide = L.const(_TINY)
            for j, entry in row.items():
                error = L.fma(units, L.abs(entry), matrix.radius[i][j])
                wide = L.fma(error, size[j], L.fma(L.abs(entry), rho[j], wide))
            highest, lowest = L.load("%h", 2 * i), L.load("%h", 2 * i + 1)
            high, low = L.add(highest, wide), L.add(lowest, wide)
            centre = L.mul(L.const(0.5), L.sub(high, low))
            radius = L.max(L.sub(high, centre), L.add(centre, low))
            middles[i], radii[i] = L.select(known, centre, middles[i]), L.select(known, radius, radii[i])
            L.store(out, net.shown.rho + i, wide)
            L.store(out, net.shown.size + i, L.add(L.max(highest, lowest), wide))
        return middles, radii

    def functions(self, L: Lanes) -> list[Vector]:
        """The sizes of the functions g, rho, and the middles and reaches of their box."""
        model = self.model
        if isinstance(model, Tensor):
            return model.functions(L, "%A")
        return [[L.load("%A", at + j) for j in range(model.coordinates)] for at in (model.size, model.rho, model.middle, model.reach)]

    def hull(self, L: Lanes) -> str:
        """A function: the control points of the image, and of every row the greatest coordinate, and minus the least."""
        m, rows = self.model.coordinates, self.net.rows
        for i in range(rows):
            row = {j: L.load("%m", m * i + j) for j in range(m) if self.used(i, j)}
            # Rounded operations are carried out in the order in which they stand, so each value is used before the next is made.
            highest = lowest = L.const(0.0)
            for point, x in enumerate(self.points(L, row)):
                L.store("%p", rows * point + i, x)
                highest, lowest = (L.max(x, highest), L.min(x, lowest)) if point else (x, x)
            L.store("%h", 2 * i, highest)
            L.store("%h", 2 * i + 1, L.neg(lowest))
        body = "\n".join(L.lines)
        return f"define internal void @hull(ptr noalias %P, ptr noalias %m, ptr noalias %p, ptr noalias %h) #2 {{\n{body}\n  ret void\n}}"

    def points(self, L: Lanes, row: Mapping[int, Value]) -> Iterator[Value]:
        """The products of a row of a matrix with the control points."""
        model = self.model
        if isinstance(model, Tensor):
            yield from model.products(L, row, "%P")
        else:
            for point in range(model.points):
                yield row_product(L, row, {j: L.load("%P", model.coordinates * point + j) for j in row})

    def used(self, i: int, j: int) -> bool:
        return self.model.coordinates * i + j in self.net.entries


def _onward(L: Lanes, start: Ball, step: Ball, half: Value) -> Ball:
    """start + s step for all s between 0 and 2 half: half step is no further from it than half |step|, and half of both radii."""
    middle: Vector = []
    radius: Vector = []
    for x, r, y, q in zip(start[0], start[1], step[0], step[1], strict=True):
        upper, lower = L.fma(half, y, x), L.fma(half, L.neg(y), L.neg(x))
        middle.append(upper)
        radius.append(L.add(L.fma(L.add(half, half), q, L.fma(half, L.abs(y), r)), L.add(upper, lower)))
    return middle, radius
