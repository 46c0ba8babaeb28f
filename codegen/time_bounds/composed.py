"""A lower bound of the time of contact of two bodies at F(g(x), t), from polynomial models of g and derivatives of F by g.

The functions g of a body's parameters lie within the convex hull of control points, widened by rho, and in the box c +- r
(`polynomial_models`). Where F is twice differentiable by g on the box at t0, the beginning of the window, Taylor's theorem gives there

    F(g, t0) = F(c, t0) + A (g - c) + R,   A = F_g(c, t0),   |R| <= sum_{j <= k} max |F_jk| r_j r_k / (1 + [j = k]),

the maximum over the box at t0. So at t0 the body is A g + (F(c, t0) - A c), to be treated as in `separable`, but for R,
of second order in the size of the box, however wildly g bends. Its rates F_t over the box at t0 and F_tt over the box and the
window, and F itself over both, are bounded as they are.

Rounding is that of `separable`; F(c, t0) - A c is computed as an interval, and R upward.
"""

from typing import NamedTuple

from ..emit.lanes import Lanes
from ..machine.straight_line import straight_line
from .polynomial_models import Model
from .separable import TURNED, Carrier, SeparatedPair
from .step import Ball, Matrix, Reader, Value, Vector, added, dot, product


class EntryPattern(NamedTuple):
    """The shape of F: where, row after row, F_g has entries other than the constant 0, and the pairs (j, k) of nonzero F_jk."""

    entries: tuple[int, ...]
    bends: tuple[tuple[int, int], ...]


def composed_time_bound(models: tuple[Model, Model], forms: tuple[EntryPattern, EntryPattern], quick: bool = False) -> int:
    """Address of ``void(A, B, M, U, W, N, out)``: a lower bound of the time of any contact of eight pairs of boxes.

    M, U  intervals:  of each body, the second one negated, F at c and t0; the entries of F_g there; F_jk over the box at t0, for each of
                      the bends; over the box at t0 F and F_t; over the box and the window F_tt and F
    The others are as in `separable_time_bound`. `quick`: see `straight_line`.
    """
    return straight_line("composed time bound", (models, forms), "A B M U W N out",
                         lambda module, L: _Composed(models, forms).write(module, L), quick=quick)


class _Composed(SeparatedPair):
    def __init__(self, models: tuple[Model, Model], forms: tuple[EntryPattern, EntryPattern]) -> None:
        super().__init__(models, (Carrier(TURNED, forms[0].entries, ()), Carrier(TURNED, forms[1].entries, ())))
        self.forms = forms
        self.put(rest=3)

    def prepare(self, L: Lanes) -> list[Vector]:
        readers = [Reader(L, 0, pointer) for pointer in ("%M", "%U")]
        bodies = [self.read_body(L, read, k) for k, read in enumerate(readers)]
        shift, place, rate, push, window = (added(L, a, b) for a, b in zip(bodies[0][1], bodies[1][1], strict=True))
        for name, ball in (("E", place), ("B", rate), ("C", push)):
            self.store_ball(L, name, ball)
        rest = [L.add(x, y) for x, y in zip(bodies[0][2], bodies[1][2], strict=True)]
        self.store(L, "rest", rest)
        read = readers[0]
        read.finite = L.add(read.finite, readers[1].finite)
        for middle, radius in (shift, place, rate, push):
            for x, y in zip(middle, radius, strict=True):
                read.note(x, y)
        first = [matrix for matrix, _, _ in bodies]
        self.keep_sums(L, read.finite, {f"A{k}": matrix for k, matrix in enumerate(first)}, {"place": shift})
        self.keep_start(L, window)
        return self.world_tangents(L, first)

    def read_body(self, L: Lanes, read: Reader, k: int) -> tuple[Matrix, list[Ball], Vector]:
        """F_g; the balls F(c, t0) - A c, F, F_t, F_tt, F over the window; the bounds of R."""
        model, form = self.models[k], self.forms[k]
        centre, reach = self.body(L, k, model.middle), self.body(L, k, model.reach)
        start = read.vector()
        matrix = Matrix(read, model.coordinates, form.entries)
        rest = [L.const(0.0)] * 3
        for i, j in form.bends:
            weight = L.mul(reach[i], reach[j])
            weight = L.mul(L.const(0.5), weight) if i == j else weight
            middle, radius = read.vector()
            rest = [L.fma(L.add(L.abs(x), r), weight, total) for x, r, total in zip(middle, radius, rest, strict=True)]
        shift = product(L, matrix, ([L.neg(x) for x in centre], [L.const(0.0)] * model.coordinates), start)
        return matrix, [shift, *(read.vector() for _ in range(4))], rest

    def left_open(self, L: Lanes, size: Vector) -> Value:
        return dot(L, size, self.load(L, "rest"), super().left_open(L, size))
