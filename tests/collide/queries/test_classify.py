"""Points in curved bodies against their formulas, and on them."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Kind, Mesh, classify
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, Screw, primitives, t, u, v, x, y, z
from generative.polyhedron import brick

from ..polyhedra.location.test_index import CORNERS, TRIANGLES

IN, OUT, FACE, UNRESOLVED = Kind.IN, Kind.OUT, Kind.FACE, Kind.UNRESOLVED
BALL = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
TORUS = ParametricSurface([(1 + sp.cos(v) / 4) * sp.cos(u), (1 + sp.cos(v) / 4) * sp.sin(u), sp.sin(v) / 4],
                          {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def test_by_the_sign_of_a_function():
    points = np.random.default_rng(1).uniform(-1.2, 1.2, (300, 3))
    assert (classify(BALL, points) == np.where((points ** 2).sum(axis=1) < 1, IN, OUT)).all()
    exact = [[1, 0, 0], [0, -1, 0], [0.28125, 0, 0.96875], [np.nextafter(1, 2), 0, 0], [5, 0, 0]]
    assert classify(BALL, exact).tolist() == [FACE, FACE, OUT, OUT, OUT]
    assert classify(BALL.moved(Rigid(translation=[t, 0, 0])), [[2, 0, 0], [1.5, 0, 0]], at=1).tolist() == [FACE, IN]
    assert classify(BALL & ImplicitSurface(z, bounds=[(-2, 2)] * 3), [[0, 0, -0.5], [0, 0, 0.5]]).tolist() == [IN, OUT]


@pytest.mark.parametrize("body", [TORUS, TORUS.moved(Screw(axis=[0, 0, 1], point=[0, 0, 0], angle=1, advance=0))])
def test_by_rays_through_a_surface(body):
    points = np.random.default_rng(2).uniform(-1.3, 1.3, (12, 3)) * [1, 1, 0.2]
    depth = (np.hypot(points[:, 0], points[:, 1]) - 1) ** 2 + points[:, 2] ** 2 - 1 / 16
    assert (classify(body, points) == np.where(depth < 0, IN, OUT)).all()


def test_what_is_on_a_surface_is_not_claimed_to_be_in_or_out():
    assert classify(TORUS, [[1.25, 0, 0], [1, 0, 0.25], [1.25 + 1e-17, 0, 0]]).tolist() == [UNRESOLVED] * 3
    assert classify(brick(), [[0.25, 0.1, 0.1], [3, 0, 0]]).tolist() == [IN, OUT]


def test_meshes():
    cube, points = Mesh(CORNERS, TRIANGLES), np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 1], [0, 0.5, 1], [1, 1, 1], [1, 1, 2], [1, 2, 0]])
    assert [k.name for k in classify(cube, points)] == ["IN", "FACE", "EDGE", "VERTEX", "OUT", "OUT"]
    moved = cube.moved(Rigid(translation=[t, 0, 0]))
    assert (classify(moved, points + [2, 0, 0], at=2) == classify(cube, points)).all()
    turned = cube.moved(Screw(axis=[0, 0, 1], point=[0, 0, 0], angle=t, advance=0))
    rotation = np.array([[np.cos(1), -np.sin(1), 0], [np.sin(1), np.cos(1), 0], [0, 0, 1]])
    assert classify(turned, points @ rotation.T, at=1).tolist() == [IN, UNRESOLVED, UNRESOLVED, UNRESOLVED, OUT, OUT]


def test_bad_input():
    with pytest.raises(ValueError, match="not closed"):
        classify(ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)}), [[0, 0, 0]])
    with pytest.raises(TypeError, match="bodies are"):
        classify("ball", [[0, 0, 0]])
    with pytest.raises(ValueError, match="parameter p"):
        classify(primitives.ball(Parameter("p")), [[0, 0, 0]])
    with pytest.raises(ValueError, match="points must be finite"):
        classify(BALL, [[np.inf, 0, 0]])
    with pytest.raises(ValueError, match="at must be a finite number"):
        classify(BALL, [[0, 0, 0]], at=np.nan)
    assert classify(TORUS, np.zeros((3, 3)), budget=collide.Budget(seconds=1e-9)).tolist() == [UNRESOLVED] * 3
    assert classify(BALL, np.zeros((0, 3))).shape == (0,)
