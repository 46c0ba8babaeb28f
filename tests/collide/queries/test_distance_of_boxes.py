"""Boxes that touch as closely as doubles let them, of which FCL throws: issues #493 and #495 of FCL, #18704 of Drake. The referee is exact.

Both boxes are turned by the same matrix of doubles, taken as it is, so that their faces are parallel.
"""

import itertools
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from collide import DistanceStatus
from generative import Rigid, hull, primitives

from ..polyhedra.location.test_index import CORNERS, TRIANGLES

TURNS = {
    493: [[0.96193976625564348, 0.15401279915737359, 0.22572537250328920], [-0.19134171618254486, 0.96936494951283914, 0.15401279915737359],
          [-0.19509032201612822, -0.19134171618254486, 0.96193976625564348]],
    495: [[0.94096063217417758, 0.29296840037289501, 0.16959541586174812],
          [-0.23569836841299879, 0.92661523595848427, -0.29296840037289507],
          [-0.24298017990326390, 0.23569836841299885, 0.94096063217417758]],
    18704: [[0.99983216350830295, 0.017302258779861118, 0.0060230104948389620],
            [-0.017255387167394182, 0.99982108658241231, -0.0077489637286347465],
            [-0.0061560074731557592, 0.0076437337917465197, 0.9999518372930325]],
}


class Pair(NamedTuple):
    """Two boxes of a size, turned likewise, at two places."""

    turn: list[list[float]]
    size: float
    places: tuple[list[float], list[float]]

    @property
    def distance(self) -> Any:
        """Of the surfaces, in forty digits; 0 where they meet."""
        inverse = sp.Matrix(3, 3, lambda i, j: sp.Rational(self.turn[i][j])).inv()
        apart = inverse * sp.Matrix([sp.Rational(b) - sp.Rational(a) for a, b in zip(*self.places, strict=True)])
        gaps = {k: abs(apart[k]) - sp.Rational(self.size) for k in range(3)}
        across = [k for k, gap in gaps.items() if gap > 0]
        assert len(across) < 2
        return sum(mpmath.mpmathify(sp.N(gaps[k] / sp.sqrt(sum(e**2 for e in inverse.row(k))), 40)) for k in across)

    def bodies(self, formulas: bool) -> list[Any]:
        corners = (CORNERS - 0.5) * self.size
        body = hull([tuple(map(sp.Rational, c)) for c in corners.tolist()]) if formulas else collide.Mesh(corners, TRIANGLES)
        turn = [[sp.Rational(e) for e in row] for row in self.turn]
        return [body.moved(Rigid(rotation=turn, translation=[sp.Rational(e) for e in place])) for place in self.places]


def beside(issue: int, size: float, place: list[float], axis: int, gap: float) -> Pair:
    """The second box beside the first one along an axis of it, by doubles that are rounded."""
    turn = TURNS[issue]
    return Pair(turn, size, (place, (np.array(place) + (size + gap) * np.array(turn)[:, axis]).tolist()))


REPORTED = Pair(TURNS[493], 0.5, ([2.0770063995786869, 0.48468247475641951, 1.1543291419087276], [2.0, 0.0, 1.25]))
STACKED = [beside(495, size, [0.0, 0.0, 5 * size], 1, gap * max(1.0, size))
           for size in (0.01, 0.25, 1000.0) for gap in (-1e-15, -1e-16, 0.0, 1e-15)]
WALL = [beside(18704, 0.3, [0.85626818476862632, -0.77764714060125895, 0.070907056388150050], axis, 0.0) for axis in (0, 2)]


@pytest.mark.parametrize(("pair", "formulas"), [*((pair, False) for pair in [REPORTED, *STACKED, *WALL]), (STACKED[7], True)])
def test_boxes_that_touch_are_an_answer(pair: Pair, formulas: bool) -> None:
    d = collide.distance(*pair.bodies(formulas))
    with mpmath.workdps(40):
        assert d.bracket.lo <= pair.distance <= d.bracket.hi < 1e-12 * max(1.0, 1e3 * pair.size), d.summary()
    assert d.status in (DistanceStatus.MEETING, DistanceStatus.UNRESOLVED)
    assert formulas or (d.status is DistanceStatus.MEETING) == (pair.distance == 0)


def test_blocks_that_are_turned_need_few_boxes() -> None:
    """A corner of one above a face of the other, as the sines and cosines of two turns put it. These were 80,000 boxes."""
    turn = Rigid(rotation=[[sp.Rational(4, 5), sp.Rational(-3, 5), 0], [sp.Rational(3, 5), sp.Rational(4, 5), 0], [0, 0, 1]])
    tilt = Rigid(rotation=[[1, 0, 0], [0, sp.Rational(12, 13), sp.Rational(-5, 13)], [0, sp.Rational(5, 13), sp.Rational(12, 13)]])
    cube = primitives.block((1, 1, 1))
    found = collide.distance(cube, cube.moved(Rigid(translation=[sp.Rational(1, 7), 4, 0]) @ turn @ tilt))
    low = min((sp.Rational(3, 5) * a + sp.Rational(4, 5) * (sp.Rational(12, 13) * b - sp.Rational(5, 13) * c)) / 2
              for a, b, c in itertools.product((-1, 1), repeat=3))
    truth = 4 + low - sp.Rational(1, 2)
    assert sp.Rational(found.bracket.lo) <= truth <= sp.Rational(found.bracket.hi) and found.bracket.hi - found.bracket.lo < 1e-8
    assert found.status is DistanceStatus.MEASURED and found.iterations < 5000 and len(found.points) == 1
