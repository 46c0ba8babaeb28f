"""The rules by which a step follows.

A *system* has rows over variables x: equations F(x) = 0, and conditions G(x) <= 0. A *solution* fulfils all of them. For weights w (of
conditions w >= 0) every solution has h(x) = w . (F, G)(x) + (m/2) |F(x)|^2 <= 0, since F vanishes there. So a box on which h is positive
holds no solution: that is what `excludes` shows. `exists` shows that there is a solution, by Krawczyk's operator, and `injective` that
different places have different images.

A side of a box is (lower end, upper end, ball that contains both), the ends exact. Whatever is undefined, or has no derivative, is nan,
and no comparison with nan holds.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from flint import arb

from .formulas import FormulaProgram, Jet
from .text import require

Side = tuple[Any, Any, Any]


def side(lo: float, hi: float) -> Side:
    a, b = arb(lo), arb(hi)
    return (a, b, a.union(b)) if lo < hi else (a, a, a)


class RowPlaces(NamedTuple):
    """Places of rows in a program, and of h. The program's variables are those of the box, then numbers (`cells`), then w and m."""

    program: FormulaProgram
    equations: tuple[int, ...]
    conditions: tuple[int, ...]
    sum: int
    cells: tuple[Any, ...] = ()

    def excludes(self, box: Sequence[Side], numbers: Sequence[Any]) -> bool:
        """A step `n w...`, or `c w... m bend p...`: is h > 0? By the enclosure of the formulas themselves; or by derivatives. Where it is
        monotone in a variable it is least at one end of it. In the others the mean value theorem tells how far it may fall from its value
        in the middle; or, with a point p, its second derivatives H are such that H + bend I is positive definite, bend >= 0: then it lies
        above its tangent plane at p, less (bend/2) times the square of the distance from there.
        """
        rows, over = len(self.equations) + len(self.conditions), [x for _, _, x in box]
        require(len(numbers) in (rows, rows + 2 + len(box)), "this step has too few or too many numbers")
        (m, bend), point = numbers[rows:rows + 2] or (arb(0), arb(0)), numbers[rows + 2:]
        require(all(w >= 0 for w in numbers[len(self.equations):rows]), "the weight of a condition is negative")
        jet = functools.partial(self._jet, [*self.cells, *numbers[:rows], m])
        if not point and jet(over, 0)[0] > 0:
            return True
        _, slopes, _ = jet(over, 1)
        face = [_least(own, slopes.get(i, 0)) for i, own in enumerate(box)]
        free = [i for i, (lo, hi, _) in enumerate(face) if lo is not hi]
        at = [point[i] if point and i in free else x.mid() for i, (_, _, x) in enumerate(face)]
        if point:
            _, _, second = jet([x for _, _, x in face], 2, free)
            table = [[second.get((min(i, j), max(i, j)), 0) + (bend if i == j else arb(0)) for j in free] for i in free]
            if not (bend >= 0 and all(face[i][0] <= at[i] <= face[i][1] for i in free) and positive_definite(table)):
                return False
            _, slopes, _ = jet(at, 1, free)
        bound, _, _ = jet(at, 0)
        for i in free:
            away = face[i][2] - at[i]
            bound += slopes.get(i, 0) * away - bend / 2 * away.abs_upper() ** 2
        return bool(bound > 0)

    def _jet(self, numbers: Sequence[Any], balls: Sequence[Any], order: int, free: Sequence[int] | None = None) -> Jet:
        """The jet of h, for numbers in place of the further variables."""
        return self.program.jets((self.sum,), [*balls, *numbers], order, range(len(balls)) if free is None else free)[0]

    def injective(self, box: Sequence[Side], matrix: Sequence[Any]) -> bool:
        """Whether different values of the first two variables have different images S, if the next two are such values as well, and the
        equations are S(a) - S(b) = 0. With Y the given matrix and J the derivatives over a box that holds both, Y J has a positive definite
        symmetric part, so (a - b) . Y (S(a) - S(b)) > 0.
        """
        require(len(matrix) == 6, "this step has too few or too many numbers")
        hull = [a[2].union(b[2]) for a, b in zip(box[:2], box[2:4], strict=True)]
        jets = self.program.jets(self.equations, [*hull, *(x for _, _, x in box[2:])], 1, (0, 1))
        table = [[_dot(matrix[3 * i:3 * i + 3], [g.get(j, 0) for _, g, _ in jets]) for j in (0, 1)] for i in (0, 1)]
        return positive_definite([[table[i][j] + table[j][i] for j in (0, 1)] for i in (0, 1)])

    def exists(self, box: Sequence[Side], matrix: Sequence[Any]) -> bool:
        """Whether there is a solution in the box. As many variables as there are equations have room; the others are held. With Y the given
        matrix, K = c - Y F(c) + (1 - Y J) (x - c) lies inside the box, which proves a zero there, and that it is the only one (Krawczyk
        1969, Moore 1977), and the conditions hold on the whole box.
        """
        free, m = [i for i, (lo, hi, _) in enumerate(box) if lo < hi], len(self.equations)
        if len(free) != m or len(matrix) != m * m:
            return False
        over, middle = ([*balls, *self.cells] for balls in ([x for _, _, x in box], [x.mid() for _, _, x in box]))
        slopes = [g for _, g, _ in self.program.jets(self.equations, over, 1, free)]
        values = [value for value, _, _ in self.program.jets(self.equations, middle, 0, free)]
        for k, i in enumerate(free):
            row = matrix[m * k:m * k + m]
            image = middle[i] - _dot(row, values)
            for j in free:
                image += ((i == j) - _dot(row, [g.get(j, 0) for g in slopes])) * (over[j] - middle[j])
            if not box[i][0] < image < box[i][1]:
                return False
        return all(value <= 0 for value, _, _ in self.program.jets(self.conditions, over, 0, free))


def _least(own: Side, slope: Any) -> Side:
    """The place in a side where a function with this derivative is least; all of the side, if that is not known."""
    lo, hi, _ = own
    return (lo, lo, lo) if slope >= 0 else (hi, hi, hi) if slope <= 0 else own


def system_of(program: FormulaProgram, equations: Sequence[int], conditions: Sequence[int]) -> RowPlaces:
    rows = [*equations, *conditions]
    weights, m = [program.variable() for _ in rows], program.variable()
    squares = [m] * len(equations) + [program.number(0)] * len(conditions)
    terms = (program.operation("w f + m f f / 2", *row) for row in zip(rows, weights, squares, strict=True))
    return RowPlaces(program, tuple(equations), tuple(conditions), program.total(terms))


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), arb(0))


def positive_definite(table: list[list[Any]]) -> bool:
    """Whether every symmetric matrix within these bounds is positive definite: all pivots of the elimination are positive."""
    for k, row in enumerate(table):
        if not row[k] > 0:
            return False
        for below in table[k + 1:]:
            factor = below[k] / row[k]
            for j in range(k + 1, len(table)):
                below[j] -= factor * row[j]
    return True
