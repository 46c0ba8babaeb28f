"""Parts that may be nearest, of bodies with very many: pairs by boxes one by one, and no cell that is not asked for."""

import itertools
import math

import numpy as np
import pytest

from collide import Mesh, distance
from collide.bodies.mesh_cells import Triangles
from collide.culling.boxes_apart import least_distances
from collide.moment.pairs import Pairs
from collide.timeline import meetings
from collide.timeline.nearest import Neighbours
from generative import Rigid, t
from models.shapes.quadrics import sphere


def plate(n: int, size: float) -> Mesh:
    """2 n^2 triangles in the plane z = 0."""
    places = np.linspace(-size, size, n + 1)
    corners = np.array([(a, b, 0.0) for a, b in itertools.product(places, places)])
    first = np.array([(n + 1) * i + j for i, j in itertools.product(range(n), range(n))])
    return Mesh(corners, np.concatenate([np.column_stack([first, first + n + 1, first + 1]),
                                         np.column_stack([first + 1, first + n + 1, first + n + 2])]))


def test_pairs_that_may_be_as_near_are_those_of_their_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few at a time, here."""
    monkeypatch.setattr(meetings, "_AT_ONCE", 300)
    bodies = [plate(4, 1.0), plate(3, 1.0).moved(Rigid(translation=[t, 0, 3 - t])), sphere().moved(Rigid(translation=[0, 4, 1]))]
    own = Neighbours(bodies, (0, 1), (0.0, 1.0), Pairs(3), {})
    labels = [(0, 1), (0, 2)]
    near = own.near(labels, 2.5)
    expected = {}
    for (i, j) in labels:
        for a, b in itertools.product(range(len(own._boxes[i])), range(len(own._boxes[j]))):
            gaps = least_distances(own._boxes[i][a], own._boxes[j][b])
            if gaps.min() <= 2.5:
                when = own.slices[gaps <= 2.5]
                # The plate and the ball are at rest: all is asked at one moment.
                window = (when[0, 0], when[-1, 1]) if (i, j) == (0, 1) else (0.0, 0.0)
                expected[(i, j), own._parts[i][a].feature, own._parts[j][b].feature] = gaps.min(), window
    assert {(m.label, m.first.feature, m.second.feature): (m.least, m.window) for m in near} == expected and len(near) == len(expected) > 20
    first = near.nearest_first()
    assert [m.least for m in first] == sorted(m.least for m in near) and {m.label for m in near.without((0, 1))} == {(0, 2)}
    assert len(first.within(2.2)) == sum(least <= 2.2 for least, _ in expected.values()) < len(first)


def test_few_triangles_of_a_mesh_become_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 8,192: those under the ball, whose lowest point is 2 above the plate."""
    made, before = [], Triangles.cell

    def cell(self: Triangles, kind: int, number: int) -> object:
        made.append(number)
        return before(self, kind, number)

    monkeypatch.setattr(Triangles, "cell", cell)
    found = distance(plate(64, 16.0), sphere().moved(Rigid(translation=[0.3, 0.1, 3])))
    assert found.bracket.lo <= 2.0 <= found.bracket.hi <= 2.0 + 1e-7 and math.isclose(found.points[0][0][2], 0.0, abs_tol=1e-9)
    assert len({*made}) < 200
