"""Points in and on combined bodies, against the cells of a grid that these are made of."""

import numpy as np
import pytest
import sympy as sp

from collide import Kind, classify
from generative import Rigid, axis_angle, primitives, t
from tests.sampled.cells import SIDE, Cells

IN, OUT, FACE, UNRESOLVED = Kind.IN, Kind.OUT, Kind.FACE, Kind.UNRESOLVED


@pytest.mark.parametrize("seed", [1, 3, 6, 9, 16, 21])
def test_points_of_a_grid(seed):
    cells = Cells(seed)
    points = np.random.default_rng(seed).integers(-1, 2 * SIDE + 2, (60, 3)) / 2
    assert classify(cells.body, points).tolist() == [cells.kind(p) for p in points]


def test_a_line_or_a_point_of_contact_belongs_to_a_union():
    cube = primitives.block((1, 1, 1))
    for way, right in (((1, 1, 0), FACE), ((1, 1, 1), FACE), ((1, 0, 0), IN)):
        both = cube | cube.moved(Rigid(translation=way))
        assert classify(both, [[0.5, 0.5 * way[1], 0.5 * way[2]]]).tolist() == [right]
        assert classify(cube & cube.moved(Rigid(translation=way)), [[0.5, 0.5 * way[1], 0.5 * way[2]]]).tolist() == [OUT]


def test_what_is_not_told_is_unresolved():
    one, other = primitives.ball(1), primitives.ball(1, (2, 0, 0))
    assert classify(one & other, [[1, 0, 0], [0.5, 0, 0]]).tolist() == [UNRESOLVED, OUT]
    turned = primitives.block((2, 2, 2)).moved(Rigid(rotation=axis_angle([0, 0, 1], sp.Rational(3, 10))))
    assert classify(turned & one, [[0, 0, 1], [0.5, 0, 0]]).tolist() == [UNRESOLVED, IN]


def test_at_a_time():
    step = primitives.block((2, 2, 2)) - primitives.block((2, 2, 2)).moved(Rigid(translation=[0, 0, 1]))
    moved = step.moved(Rigid(translation=[0, 0, t]))
    assert classify(moved, [[0, 0, 2], [0, 0, 2.5], [0, 0, 1.5], [0, 0, 1]], at=2).tolist() == [FACE, OUT, IN, FACE]
