"""Covers of surfaces, and where and when bodies in flight may meet, without a search; the referee samples points."""

import numpy as np
import pytest
import sympy as sp

import codegen
from collide import Mesh, RigidBody, World
from collide.world.broad_phase.boxes import box_of
from collide.world.narrow_phase.bounding_trees import near
from collide.world.shapes.bounding_spheres import ball_tree, cover
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from models.scenes.fruits import banana, lobster

from ..scenes import BALL, cube

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


def on_patch(shape, count, rng):
    """Parameters (n, 2) of points of a patch, and these."""
    ends = np.array([[float(e) for e in shape.domain[s]] for s in (u, v)])
    at = rng.uniform(*ends.T, (count, 2))
    return at, codegen.compile(list(shape.body), [u, v]).points(at)


@pytest.mark.parametrize("shape", [banana(), ELLIPSOID, IN_ELLIPSOID, lobster(), cube()])
def test_covers_hold_the_surface(shape):
    """Boxes do, and so do all nodes of the tree that hold a box with a point, in their balls and between their planes."""
    rng, known, tree = np.random.default_rng(0), cover(shape), ball_tree(shape, (0.1, -0.2, 0.05))
    at, points = on_patch(shape, 60, rng) if known.parameters is not None else (None, points_of(shape, 60, rng))
    assert len(points) == 60
    room = 1e-13 * np.abs(points).max()
    in_boxes = ((known.boxes[None, ..., 0] <= points[:, None] + room) & (points[:, None] <= known.boxes[None, ..., 1] + room)).all(axis=2)
    if at is not None:
        in_boxes &= ((known.parameters[None, ..., 0] <= at[:, None]) & (at[:, None] <= known.parameters[None, ..., 1])).all(axis=2)
    assert in_boxes.any(axis=1).all()
    away = points[:, None] - np.array([0.1, -0.2, 0.05]) - tree.nodes[None, :, :3]
    held = np.linalg.norm(away, axis=2) <= tree.nodes[:, 3] + room
    held &= np.abs((away * tree.nodes[:, 5:]).sum(axis=2)) <= tree.nodes[:, 4] + room
    # A point is held all the way from the root down to a leaf.
    reached, inner = np.zeros_like(held), np.flatnonzero(tree.child >= 0)
    reached[:, 0] = held[:, 0]
    for k in inner:
        for child in (tree.child[k], tree.child[k] + 1):
            reached[:, child] = reached[:, k] & held[:, child]
    assert reached[:, tree.child < 0].any(axis=1).all()
    assert isinstance(shape, Mesh) or tree.nodes[tree.child < 0, 3].max() < 0.1 * np.ptp(points, axis=0).max()


@pytest.mark.parametrize("shape", [banana(), ELLIPSOID])
def test_groups_hold_the_parameters_of_their_leaves(shape):
    """And every node between a group and its leaves is of that group."""
    tree, rng = ball_tree(shape, (0.0, 0.0, 0.0)), np.random.default_rng(1)
    at, points = on_patch(shape, 200, rng)
    away = points[:, None] - tree.nodes[None, :, :3]
    held = (np.linalg.norm(away, axis=2) <= tree.nodes[:, 3]) & (np.abs((away * tree.nodes[:, 5:]).sum(axis=2)) <= tree.nodes[:, 4])
    own = ((tree.parameters[None, ..., 0] <= at[:, None]) & (at[:, None] <= tree.parameters[None, ..., 1])).all(axis=2)
    assert (own.sum(axis=1) == 1).all() and (tree.group[tree.child < 0] >= 0).all()
    leaves = np.flatnonzero(tree.child < 0)
    assert (held[:, leaves] & (tree.group[leaves][None] == own.argmax(axis=1)[:, None])).any(axis=1).all()
    inner = np.flatnonzero((tree.child >= 0) & (tree.group >= 0))
    assert (tree.group[tree.child[inner]] == tree.group[inner]).all() and (tree.group[tree.child[inner] + 1] == tree.group[inner]).all()


def inside(shape, at):
    return codegen.compile([shape.expression], [x, y, z]).points(at)[:, 0] < 0


def thrown(other, seed, fixed):
    """A banana that is thrown at another body, in a window of time in which both fly."""
    rng = np.random.default_rng(seed)
    turned = rng.normal(size=4)
    first = RigidBody(banana(), position=(0.3, 0.1, 3.5), orientation=rng.normal(size=4), spin=rng.normal(size=3), velocity=(0.5, 0, -12))
    second = RigidBody(other, orientation=turned, fixed=True) if fixed else RigidBody(other, orientation=turned, spin=rng.normal(size=3))
    actors = World([first, second])._actors()
    for actor in actors:
        actor.begin(0.25)
    one, two = actors
    return one, two, (0.25, min(box_of(one, 0.25, 3.0)[2], one.lasts, two.lasts)), rng


def seen(one, two, own, time):
    """Points of the first body, as its shape has them about its centre, in the coordinates of the second, at a time."""
    at = own @ one.course.turn_at(time).T + one.course.centre_at(time) - two.course.centre_at(time)
    return at @ two.course.turn_at(time)


OTHERS = [(ELLIPSOID, IN_ELLIPSOID, False), (ELLIPSOID, IN_ELLIPSOID, True), (IN_ELLIPSOID, IN_ELLIPSOID, False),
          (lobster(), lobster(), True)]


@pytest.mark.parametrize(("other", "solid", "fixed"), OTHERS)
@pytest.mark.parametrize("seed", (0, 1, 2, 3))
def test_until_then_no_point_of_one_is_in_the_other(other, solid, fixed, seed):
    """And that time comes near the first at which one is."""
    one, two, window, rng = thrown(other, seed, fixed)
    found = near(one, two, window, 0.01)
    own, times = points_of(banana(), 500, rng) - one.middle, np.linspace(*window, 600)
    met = [t for t in times if inside(solid, seen(one, two, own, t)).any()]
    assert window[0] < found.until and (not met or found.until < met[0])
    assert found.until > window[0] + 0.9 * ((met[0] if met else window[1]) - window[0])
    assert found.until <= found.horizon <= window[1]


@pytest.mark.parametrize(("other", "solid", "fixed"), OTHERS)
@pytest.mark.parametrize("seed", (0, 1, 2, 3))
def test_surfaces_meet_in_the_region(other, solid, fixed, seed):
    """Up to the horizon, wherever a segment of one surface has ends inside and outside of the other body, however long it has."""
    one, two, window, rng = thrown(other, seed, fixed)
    found = near(one, two, window, 0.05, anew=False)
    at, checked = on_patch(banana(), 4000, rng)[0], 0
    steps, place = rng.normal(size=at.shape) * 0.02, codegen.compile(list(banana().body), [u, v])
    value = codegen.compile([solid.expression], [x, y, z])
    for time in np.linspace(found.until, found.horizon, 20)[1:-1]:
        def there(parameters, time=time):
            return value.points(seen(one, two, place.points(parameters) - one.middle, time))[:, 0]

        lo, hi = at, at + steps
        crossing = (there(lo) < 0) != (there(hi) < 0)
        lo, hi = lo[crossing], hi[crossing]
        for _ in range(50):
            middle = 0.5 * (lo + hi)
            same = ((there(middle) < 0) == (there(lo) < 0))[:, None]
            lo, hi = np.where(same, middle, lo), np.where(same, hi, middle)
        for parameters in lo:
            assert in_region(found.region, parameters, place, one, two, time)
            checked += 1
    assert checked > 0 or found.region is None or seed != 1


@pytest.mark.parametrize("seed", range(6))
def test_a_turn_bends_the_way_of_a_tip(seed):
    """Two small cubes far from each other, as one body; in the way of one of them a cube that it passes by far if it goes straight on.
    (Fails with half the bound of the second derivative of the turn.)
    """
    rng, small = np.random.default_rng(seed), cube(0.001)
    corners, triangles = small.arrays
    pair = Mesh(np.concatenate([corners + [1, 0, 0], corners - [1, 0, 0]]), np.concatenate([triangles, triangles + len(corners)]))
    spin = np.array([0.0, 0.0, 1.0]) if seed < 2 else np.array([0.3, *rng.normal(size=2)])
    orientation, heavy, meets = rng.normal(size=4), {"mass": 1.0, "inertia": np.diag([0.9, 1.2, 1.5])}, 0.21
    still = World([RigidBody(pair, orientation=orientation, **heavy)])._actors()[0]
    still.begin(0.0)
    spin = still.course.turn_at(0.0) @ (spin / np.linalg.norm(spin[1:]))
    for end in (0.24, 0.9):
        one = World([RigidBody(pair, orientation=orientation, spin=spin, **heavy)], gravity=(0, 0, 0))._actors()[0]
        one.begin(0.0)
        at = one.course.turn_at(meets) @ [1.0, 0.0, 0.0]
        other = World([RigidBody(small, position=at, fixed=True)])._actors()[0]
        other.begin(0.0)
        found = near(one, other, (0.0, min(end, one.lasts)), 0.01)
        straight = one.course.turn_at(0.0) @ [1.0, 0.0, 0.0]
        straight = straight + np.linspace(0, 1, 500)[:, None] * np.cross(spin, straight)
        assert np.linalg.norm(straight - at, axis=1).min() > 0.018
        assert 0.15 < found.until < meets


def in_region(region, parameters, place, one, two, time):
    """Is there a row for a point of the first surface that is on the second, an ellipsoid if that has parameters?"""
    rows = (region.when <= time) & holds(region.first, parameters)
    if region.second is not None:
        p = seen(one, two, place.points(parameters[None]) - one.middle, time)[0]
        rows &= holds(region.second, np.array([np.arctan2(p[1], p[0] / 2) % (2 * np.pi), np.arcsin(np.clip(2 * p[2], -1, 1))]))
    return rows.any()


def holds(cells, parameters):
    """Which cells of a patch, whose u has the period 2 pi and whose v ends at poles, hold these parameters, but for rounding?"""
    (a, b), half = parameters, np.pi / 2
    if abs(b) > half:
        a, b = a + np.pi, np.sign(b) * np.pi - b
    p = np.array([a % (2 * np.pi), b])
    return ((cells[..., 0] <= p + 1e-9) & (p <= cells[..., 1] + 1e-9)).all(axis=1)


def test_an_implicit_ball_hits_the_border_of_a_tube_that_turns():
    """The place on the border is told by one parameter."""
    tube = ParametricSurface([3 * sp.cos(u) / 10, 3 * sp.sin(u) / 10, v], {u: (0, 2 * sp.pi), v: (-sp.Rational(1, 2), sp.Rational(1, 2))})
    ball, heavy = ImplicitSurface(x**2 + y**2 + z**2 - sp.Rational(1, 4), [(-1, 1)] * 3), {"mass": 1, "inertia": np.eye(3)}
    world = World([RigidBody(ball, position=(0.1, 0, 3), velocity=(0, 0, -1), spin=(1, 0, 0), **heavy),
                   RigidBody(tube, spin=(0, 0, 2), **heavy)], gravity=(0, 0, 0))
    run = world.run(events=1)
    # The nearest point of the border is 1/5 beside the centre, which is at 3 - t.
    when = 2.5 - np.sqrt(0.25 - 0.04)
    assert run.events[0].time.lo - 1e-12 <= when <= run.events[0].time.hi + 1e-12
    assert np.allclose(run.events[0].points, [[0.3, 0, 0.5]], atol=1e-9)
