"""Cores of convex bodies: their corners and radii, and bodies that have none."""

import numpy as np
import pytest
import sympy as sp

from collide.bodies.convex_cores import core_of
from generative import Parameter, ParametricSurface, Rigid, Solid, polyhedron, primitives, solids, t, u, v

R = sp.Rational


def test_cores():
    """Corners, edges and triangles, and how thick bodies are: all of a box is its hull, and a capsule a segment with a ball."""
    for body, corners, edges, triangles, radius in ((solids.box((1, 2, 3)), 8, 12, 12, 0.0), (solids.capsule(R(1, 3), 2), 2, 1, 0, 1 / 3),
                                                    (solids.sphere(R(1, 7)), 1, 1, 0, 1 / 7)):
        core = core_of(body.moved(Rigid(translation=[t, 0, 0])))
        assert (len(core.corners), len(core.edges), len(core.triangles)) == (corners, edges, triangles)
        assert core.inner < radius < core.outer and core.outer - core.inner < 1e-12
    square = core_of(ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 2)}))
    assert len(square.edges) == 4 and len(square.triangles) == 2
    assert np.array_equal(np.ptp(core_of(solids.box((1, 2, 3))).corners, axis=0), [1, 2, 3])


def _dented(depth):
    """A cube with a pyramid on its top, or a dent."""
    base = [(x, y, z) for z in (0, 2) for y in (0, 2) for x in (0, 2)]
    sides = [[0, 2, 3, 1], [0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6]]
    return polyhedron([*base, (1, 1, 2 - depth)], [*sides, *([a, b, 8] for a, b in ((4, 5), (5, 7), (7, 6), (6, 4)))])


@pytest.mark.parametrize(("depth", "known"), [(1, False), (-1, True), (R(1, 10**30), False), (-R(1, 10**30), True)])
def test_convexity_is_exact(depth, known):
    assert (core_of(_dented(depth)) is not None) == known


def test_others_have_none():
    box, sized = solids.box(), ParametricSurface([Parameter("size") * u, v, 0], {u: (0, 1), v: (0, 1)})
    wave = ParametricSurface([u, v, t * u], {u: (0, 1), v: (0, 1)})
    lidless = Solid(box.faces[:5], [e for e in box.edges if max(e.faces) < 5], [])
    for body in (solids.cylinder(1, 2), solids.rounded_box(), primitives.ball(1), lidless, sized, wave):
        assert core_of(body) is None
