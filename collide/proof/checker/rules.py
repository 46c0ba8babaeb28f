"""The rules: when does a step follow?

A *system* has rows over variables x: equations F(x) = 0, and conditions G(x) <= 0. A *solution* fulfils all of them. For weights w (of
conditions w >= 0) every solution has g(x) = w . (F, G)(x) <= 0, and g(x) + (m/2) |F(x)|^2 <= 0, too, since F vanishes there. So a box on
which such a function is positive holds no solution: that is what `natural` and `convex` show. `exists` shows that there is a solution, by
Krawczyk's operator, and `injective` that different places have different images.

A side of a box is (lower end, upper end, ball that contains both), the ends exact. Whatever is undefined, or has no derivative, is nan,
and no comparison with nan holds.
"""

from collections.abc import Sequence
from typing import Any

from flint import arb

from .formulas import Jet, Program

Side = tuple[Any, Any, Any]
_NONE = arb(0)


def side(lo: float, hi: float) -> Side:
    a, b = arb(lo), arb(hi)
    return (a, b, a.union(b)) if lo < hi else (a, a, a)


class System:
    """The rows of a program: equations first, then conditions."""

    def __init__(self, program: Program, equations: int, corners: Sequence[Any] = ()) -> None:
        """`corners`: the values of the last variables of the program, which are numbers."""
        self.program, self.equations, self.corners = program, equations, corners

    def of(self, corners: Sequence[Any]) -> "System":
        return System(self.program, self.equations, corners)

    def jets(self, balls: Sequence[Any], order: int, free: Sequence[int] | None = None) -> list[Jet]:
        return self.program.jets([*balls, *self.corners], order, range(len(balls)) if free is None else free)

    def natural(self, box: Sequence[Side], weights: Sequence[Any]) -> bool:
        """g > 0, by the enclosure of the formulas themselves."""
        return bool(_dot(weights, [value for value, _, _ in self.jets(_balls(box), 0)]) > 0)

    def convex(self, box: Sequence[Side], weights: Sequence[Any], m: Any = _NONE, bend: Any = _NONE, point: Sequence[Any] = ()) -> bool:
        """Is h = g + (m/2) |F|^2 > 0, by its derivatives? Where it is monotone in a variable it is least at one end of it. In the others
        the mean value theorem tells how far it may fall from its value in the middle; or, with a point, its second derivatives H are such
        that H + bend I is positive definite, bend >= 0: then it lies above its tangent plane at the point, less (bend/2) times the square
        of the distance from there.
        """
        slopes = self._slopes(self.jets(_balls(box), 1), weights, m, len(box))
        face = [(lo, lo, lo) if s >= 0 else (hi, hi, hi) if s <= 0 else (lo, hi, x) for (lo, hi, x), s in zip(box, slopes, strict=True)]
        free = [i for i, (lo, hi, _) in enumerate(face) if lo is not hi]
        at = [point[i] if point and i in free else x.mid() for i, (_, _, x) in enumerate(face)]
        if point and not (bend >= 0 and all(face[i][0] <= at[i] <= face[i][1] for i in free) and positive_definite(
                self._second(self.jets(_balls(face), 2, free), weights, m, bend, free))):
            return False
        jets = self.jets(at, 1 if point else 0, free)
        if point:
            slopes = self._slopes(jets, weights, m, len(box))
        values = [value for value, _, _ in jets]
        bound = _dot(weights, values) + sum((v * v for v in values[:self.equations]), arb(0)) * m / 2
        for i in free:
            away = face[i][2] - at[i]
            bound += slopes[i] * away - bend / 2 * away.abs_upper() ** 2
        return bool(bound > 0)

    def _slopes(self, jets: Sequence[Jet], weights: Sequence[Any], m: Any, n: int) -> list[Any]:
        """The derivatives of g + (m/2) |F|^2 by each of n variables."""
        return [_dot(self._forces(jets, weights, m), [g.get(i, 0) for _, g, _ in jets]) for i in range(n)]

    def _forces(self, jets: Sequence[Jet], weights: Sequence[Any], m: Any) -> list[Any]:
        """By which the derivatives of the rows add up to that of g + (m/2) |F|^2."""
        return [w + m * value if r < self.equations else w for r, (w, (value, _, _)) in enumerate(zip(weights, jets, strict=True))]

    def _second(self, jets: Sequence[Jet], weights: Sequence[Any], m: Any, bend: Any, free: Sequence[int]) -> list[list[Any]]:
        """The second derivatives of g + (m/2) |F|^2 + (bend/2) |x|^2 by the free variables."""
        forces, table = self._forces(jets, weights, m), [[arb(0)] * len(free) for _ in free]
        for a, i in enumerate(free):
            for b, j in enumerate(free[:a + 1]):
                slopes = [(g.get(i, 0), g.get(j, 0)) for _, g, _ in jets[:self.equations]]
                h = _dot(forces, [second.get((j, i), 0) for _, _, second in jets]) + m * sum((p * q for p, q in slopes), arb(0))
                table[a][b] = table[b][a] = h + bend if a == b else h
        return table

    def injective(self, place: Sequence[Side], rest: Sequence[Side], matrix: Sequence[Any]) -> bool:
        """Have different values of the first two variables different images? With Y the given matrix and J the derivatives by these, Y J
        has a positive definite symmetric part, so (a - b) . Y (F(a) - F(b)) > 0.
        """
        jets = self.jets(_balls([*place, *rest]), 1, (0, 1))
        table = [[_dot(matrix[3 * i:3 * i + 3], [g.get(j, 0) for _, g, _ in jets]) for j in (0, 1)] for i in (0, 1)]
        return positive_definite([[table[i][j] + table[j][i] for j in (0, 1)] for i in (0, 1)])

    def exists(self, box: Sequence[Side], matrix: Sequence[Any]) -> bool:
        """Is there a solution in the box? As many variables as there are equations have room; the others are held. With Y the given
        matrix, K = c - Y F(c) + (1 - Y J) (x - c) lies inside the box, which proves a zero there, and that it is the only one (Krawczyk
        1969, Moore 1977), and the conditions hold on the whole box.
        """
        free, m = [i for i, (lo, hi, _) in enumerate(box) if lo < hi], self.equations
        if len(free) != m or len(matrix) != m * m:
            return False
        middle = [x.mid() for _, _, x in box]
        jets, values = self.jets(_balls(box), 1, free), [value for value, _, _ in self.jets(middle, 0)]
        away = [box[i][2] - middle[i] for i in free]
        for k, i in enumerate(free):
            row = matrix[m * k:m * k + m]
            shift = -_dot(row, values[:m])
            for j, (column, d) in enumerate(zip(free, away, strict=True)):
                shift += ((1 if j == k else 0) - _dot(row, [g.get(column, 0) for _, g, _ in jets[:m]])) * d
            if not box[i][0] < middle[i] + shift < box[i][1]:
                return False
        nearly = [value + sum((g.get(i, 0) * d for i, d in zip(free, away, strict=True)), arb(0))
                  for value, (_, g, _) in zip(values[m:], jets[m:], strict=True)]
        return all(bool(x <= 0 or y <= 0) for (x, _, _), y in zip(jets[m:], nearly, strict=True))


def _balls(box: Sequence[Side]) -> list[Any]:
    return [x for _, _, x in box]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True) if not isinstance(y, int)), arb(0))


def positive_definite(table: list[list[Any]]) -> bool:
    """Is every symmetric matrix within these bounds? All pivots of the elimination are positive."""
    for k, row in enumerate(table):
        if not row[k] > 0:
            return False
        for below in table[k + 1:]:
            factor = below[k] / row[k]
            for j in range(k + 1, len(table)):
                below[j] -= factor * row[j]
    return True
