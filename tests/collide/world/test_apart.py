"""Covers of surfaces, and the times up to which bodies in flight are proved apart without a search; the referee samples points."""

import numpy as np
import pytest
import sympy as sp

import codegen
from collide import Mesh, RigidBody, World
from collide.world.apart import Apart
from collide.world.cover import covers
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from models.scenes.fruits import banana, lobster

from .scenes import BALL, cube

ELLIPSOID = ParametricSurface([2 * sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v) / 2], BALL.domain)
IN_ELLIPSOID = ImplicitSurface(x**2 / 4 + y**2 + 4 * z**2 - 1, [(-3, 3), (-2, 2), (-1, 1)])


def points_of(shape, count, rng):
    """Points (n, 3) of a surface, but for rounding."""
    if isinstance(shape, ParametricSurface):
        ends = np.array([[float(e) for e in shape.domain[s]] for s in (u, v)])
        return codegen.compile(list(shape.body), [u, v]).points(rng.uniform(*ends.T, (count, 2)))
    if isinstance(shape, Mesh):
        vertices, triangles = shape.arrays
        return np.einsum("nk,nki->ni", rng.dirichlet([1, 1, 1], count), vertices[triangles[rng.integers(len(triangles), size=count)]])
    function, ends = codegen.compile([shape.expression], [x, y, z]), np.array(shape.bounds, float)
    inner, outer = (rng.uniform(*ends.T, (40 * count, 3)) for _ in range(2))
    crossing = (function.points(inner)[:, 0] < 0) & (function.points(outer)[:, 0] > 0)
    inner, outer = inner[crossing][:count], outer[crossing][:count]
    for _ in range(60):
        middle = 0.5 * (inner + outer)
        inside = function.points(middle) < 0
        inner, outer = np.where(inside, middle, inner), np.where(inside, outer, middle)
    return 0.5 * (inner + outer)


@pytest.mark.parametrize("shape", [banana(), ELLIPSOID, IN_ELLIPSOID, lobster(), cube()])
def test_covers_hold_the_surface(shape):
    points = points_of(shape, 60, np.random.default_rng(0))
    assert len(points) == 60
    sizes = []
    for cover in covers(shape):
        at = points[:, None, :]
        far = np.maximum(0.0, np.maximum(cover.boxes[..., 0] - at, at - cover.boxes[..., 1])).max(axis=2).min(axis=1)
        assert far.max() <= 1e-14 * np.abs(points).max()
        sizes.append((cover.boxes[..., 1] - cover.boxes[..., 0]).max())
    assert isinstance(shape, Mesh) or sizes[-1] < 0.1 * np.ptp(points, axis=0).max()


def inside(shape, at):
    return codegen.compile([shape.expression], [x, y, z]).points(at)[:, 0] < 0


@pytest.mark.parametrize(("other", "solid", "fixed"), [
    (ELLIPSOID, IN_ELLIPSOID, False), (ELLIPSOID, IN_ELLIPSOID, True), (lobster(), lobster(), True),
])  # fmt: skip
@pytest.mark.parametrize("seed", (0, 2, 3))
def test_until_then_no_point_of_one_is_in_the_other(other, solid, fixed, seed):
    """And that time comes near the first at which one is; likewise the time after which none is."""
    rng = np.random.default_rng(seed)
    turned = rng.normal(size=4)
    first = RigidBody(banana(), position=(0.3, 0.1, 3.5), orientation=rng.normal(size=4), spin=rng.normal(size=3), velocity=(0.5, 0, -12))
    second = RigidBody(other, orientation=turned, fixed=True) if fixed else RigidBody(other, orientation=turned, spin=rng.normal(size=3))
    one, two = actors = World([first, second])._actors()
    for actor in actors:
        actor.begin(0.25)
    lo, hi, last = one.box(0.25, 3.0)
    window = 0.25, min(last, two.lasts)
    apart = Apart(one, two, window, np.stack([lo, hi], axis=1))
    until, times, own = apart.until(), np.linspace(*window, 600), points_of(banana(), 500, rng) - one.middle
    met = [t for t in times if inside(solid, (own @ one.course.turn_at(t).T + one.course.centre_at(t) - two.course.centre_at(t))
                                      @ two.course.turn_at(t)).any()]
    assert (met and window[0] < until < met[0]) or (not met and window[0] < until)
    assert until > window[0] + 0.5 * ((met[0] if met else window[1]) - window[0])
    since = apart.since(*window)
    assert since >= met[-1] if met else since <= window[1]
