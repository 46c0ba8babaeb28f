"""Polynomial models of functions that are products of one of the first parameter and one of the second, such as those of tensor product
patches: models of the factors, of which there are few.

Let g = a b with |a - A| <= rho_a, A in the hull of control points, |a|, |A| <= size_a, and likewise b. Then A B, whose control points
are the products of those of A and B, is off by at most rho_a size_b + size_a rho_b. A sum of products c_ij A_i B_j is computed as
that over j of B_j sum_i c_ij A_i: of n and m terms, upward, with relative errors below u = 2^-52, it is wrong by less than
(n + m + 2) u sum |c_ij| size_i size_j as long as (n + m)^2 u is below 1 / 2, and by underflow by less than 2^-500 where no size is beyond
2^500; elsewhere the record is in doubt.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..emit.lanes import Lanes
from ..machine.straight_line import straight_line
from .polynomial_models import Model, extents, half_width, write_record
from .step import Reader, Value, Vector, dot, largest

# Extents beyond this, whose products might overflow, count as unknown, as in `separable`.
_LARGEST = 2.0**500


class Tensor(NamedTuple):
    """The models of the factors by each parameter, and for each function which ones it is the product of."""

    first: Model
    second: Model
    pairs: tuple[tuple[int, int], ...]

    # A record holds those of both factors, doubt, and the extents in space along the parameters.

    @property
    def degrees(self) -> tuple[int, int]:
        return self.first.degrees[0], self.second.degrees[0]

    @property
    def coordinates(self) -> int:
        return len(self.pairs)

    @property
    def viewed(self) -> bool:
        return True

    @property
    def points(self) -> int:
        return self.first.points * self.second.points

    @property
    def doubt(self) -> int:
        return self.first.length + self.second.length

    @property
    def extents(self) -> int:
        return self.doubt + 1

    @property
    def length(self) -> int:
        return self.doubt + 3

    @property
    def sums(self) -> int:
        """Terms of both sums, for the rounding."""
        return self.first.coordinates + self.second.coordinates

    def functions(self, L: Lanes, record: str) -> list[Vector]:
        """The sizes of the products, rho, and the middles and reaches of their box."""
        sides = [[[L.load(record, begin + at + j) for j in range(model.coordinates)]
                  for at in (model.size, model.rho, model.middle, model.reach)]
                 for model, begin in ((self.first, 0), (self.second, self.first.length))]
        result: list[Vector] = [[], [], [], []]
        for i, j in self.pairs:
            size, rho, middle, reach = (x[i] for x in sides[0])
            length, error, centre, radius = (x[j] for x in sides[1])
            product = L.mul(middle, centre)
            rounding = L.add(product, L.mul(L.neg(middle), centre))
            # |x y - m c| <= |m| |y - c| + |x - m| (|c| + |y - c|)
            wide = L.fma(L.abs(middle), radius, L.fma(reach, L.add(L.abs(centre), radius), rounding))
            for values, x in zip(result, (L.mul(size, length), L.fma(rho, length, L.mul(size, error)), product, wide), strict=True):
                values.append(x)
        return result

    def products(self, L: Lanes, row: Mapping[int, Value], record: str) -> Iterator[Value]:
        """The sum of the functions, each times its entry of the row, at all control points."""
        columns = sorted({self.pairs[k][1] for k in row})
        for p in range(self.first.points):
            inner = [dot(L, [row[k] for k in row if self.pairs[k][1] == j],
                         [L.load(record, self.first.coordinates * p + self.pairs[k][0]) for k in row if self.pairs[k][1] == j])
                     for j in columns]
            for q in range(self.second.points):
                begin = self.first.length + self.second.coordinates * q
                yield dot(L, inner, [L.load(record, begin + j) for j in columns]) if inner else L.const(0.0)


def tensor_record_kernel(model: Tensor, quick: bool = False) -> int:
    """Address of ``void(Z, T, V, out)``: the records of eight boxes; the intervals of T are those of the first factors, then of the
    second. The others are as in `polynomial_models.record_kernel`.
    """
    return straight_line("tensor model", tuple(model), "Z T V out", lambda module, L: _record(L, model), quick=quick)


def _record(L: Lanes, model: Tensor) -> None:
    read, r = Reader(L), [half_width(L, 2, j) for j in range(2)]
    second = L.emit(f"getelementptr {L.vector}, ptr %out, i64 {model.first.length}")
    write_record(L, model.first, read, r[:1])
    write_record(L, model.second, read, r[1:], second)
    doubt = L.add(L.load("%out", model.first.doubt), L.load(second, model.second.doubt))
    for begin, part in (("%out", model.first), (second, model.second)):
        for j in range(part.coordinates):
            doubt = L.select(L.lt(L.load(begin, part.size + j), L.const(_LARGEST)), doubt, L.const(math.inf))
    L.store("%out", model.doubt, doubt)
    m = model.coordinates
    rows = [{k: L.load("%V", m * i + k) for k in range(m)} for i in range(3)]
    points = list(zip(*(model.products(L, row, "%out") for row in rows), strict=True))
    widest = _widest(L, rows, model.functions(L, "%out")[3])
    for j, extent in enumerate(extents(L, model.degrees, [list(point) for point in points])):
        # Where nothing but the box is known, the parameter of the wider interval is taken for the longer side.
        least = L.select(L.ge(r[j], r[1 - j]), widest, L.mul(L.const(0.5), widest))
        L.store("%out", model.extents + j, L.select(L.lt(doubt, L.const(1.0)), extent, least))


def _widest(L: Lanes, rows: Sequence[Mapping[int, Value]], reach: Vector) -> Value:
    return largest(L, [dot(L, [L.abs(x) for x in row.values()], reach) for row in rows])
