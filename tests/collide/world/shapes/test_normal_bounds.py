"""Normals bound the first time bodies touch; the referees are normals of formulas, and samples of points."""

from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

import codegen
from collide import RigidBody, World
from collide.world.motion.rotation import about
from collide.world.narrow_phase.bounding_trees import near
from collide.world.narrow_phase.native.normals_loop import averted_for, parting_for
from collide.world.shapes.bounding_spheres import ball_tree
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from models.scenes.fruits import banana, fruits, lobster

from ..narrow_phase.test_bounding_trees import ELLIPSOID, IN_ELLIPSOID, OTHERS, in_region, on_patch, points_of, seen, thrown
from ..scenes import BALL, RING

IN_DEPTH = codegen.compile([IN_ELLIPSOID.expression], [x, y, z])
TUBE = ParametricSurface([sp.cos(u), sp.sin(u), v], {u: (0, 2 * sp.pi), v: (-1, 1)})


def normals_at(shape, count, rng):
    """Points (n, 3) of a surface, outward normals there, and parameters or, again, points."""
    if isinstance(shape, ParametricSurface):
        at, points = on_patch(shape, count, rng)
        return points, codegen.compile(list(shape.normal), [u, v]).points(at), at
    points = points_of(shape, count, rng)
    return points, codegen.compile([sp.diff(shape.expression, s) for s in (x, y, z)], [x, y, z]).points(points), points


def holding(tree, point, wanted=lambda nodes: True):
    """The leaves that hold a point, with all nodes above, and that are wanted as these are."""
    nodes, found = np.array([0]), []
    while len(nodes):
        away = point - tree.nodes[nodes, :3]
        held = np.linalg.norm(away, axis=1) <= tree.nodes[nodes, 3] + 1e-12
        held &= np.abs((away * tree.nodes[nodes, 5:]).sum(axis=1)) <= tree.nodes[nodes, 4] + 1e-12
        nodes = nodes[held & wanted(nodes)]
        found += nodes[tree.child[nodes] < 0].tolist()
        first = tree.child[nodes[tree.child[nodes] >= 0]]
        nodes = np.concatenate([first, first + 1])
    return np.array(found, int)


@pytest.mark.parametrize("shape", [*fruits(), ELLIPSOID, IN_ELLIPSOID, lobster(), RING])
def test_normals_are_within_the_slants(shape):
    """Of leaves, and of all nodes above them for which one is known, all the way from the root to one that holds a point."""
    rng, tree = np.random.default_rng(0), ball_tree(shape, (0.0, 0.0, 0.0))
    for point, normal, _ in zip(*normals_at(shape, 100, rng), strict=True):
        def within(nodes, normal=normal):
            along, slants = tree.nodes[nodes, 5:] @ normal, tree.slants[nodes]
            across = np.sqrt(np.maximum(0.0, normal @ normal - along**2))
            return np.isinf(slants) | ((along > 0.0) & (across <= (slants + 1e-9) * along))

        assert len(holding(tree, point, within))
    leaves = tree.slants[tree.child < 0]
    assert np.isfinite(leaves).mean() > 0.95 and np.median(leaves[np.isfinite(leaves)]) < 0.25


@pytest.mark.parametrize("shape", [ParametricSurface([ELLIPSOID.body[0], -ELLIPSOID.body[1], ELLIPSOID.body[2]], ELLIPSOID.domain), TUBE])
def test_patches_that_point_inwards_or_are_open_tell_nothing(shape):
    assert np.isinf(ball_tree(shape, (0.0, 0.0, 0.0)).slants).all()


@pytest.mark.parametrize("shape", [
    ImplicitSurface(sp.Max(x**2 + y**2 - 1, z**2 - 1), [(-2, 2)] * 3), ImplicitSurface(x**2 + y**2 - 1, [(-2, 2), (-2, 2), (-1, 1)])])
def test_creases_and_borders_tell_nothing(shape):
    """Elsewhere normals are known."""
    tree = ball_tree(shape, (0.0, 0.0, 0.0))
    for angle in np.linspace(0.0, 6.0, 20):
        for end in (-1.0, 1.0):
            assert np.isinf(tree.slants[holding(tree, np.array([np.cos(angle), np.sin(angle), end]))]).any()
    assert np.isfinite(tree.slants[tree.child < 0]).mean() > 0.9


def touching(one, other, rng, apart, fast):
    """Two bodies, as `near` takes them, that touch where normals are opposed and part there with that speed; they turn `fast`, and slip
    besides. And until when they fly.
    """
    (first, n, _), (second, m, _) = (normals_at(shape, 9, rng) for shape in (one, other))
    n, m = n[0] / np.linalg.norm(n[0]), m[0] / np.linalg.norm(m[0])
    turn = rotation_between(n, -m)
    spins, heavy = fast * rng.normal(size=(2, 3)), {"mass": 1.0, "inertia": np.diag([0.4, 0.5, 0.6]), "centre": (0, 0, 0)}
    velocity = apart * m + np.cross(m, rng.normal(size=3)) + np.cross(spins[1], second[0]) - np.cross(spins[0], turn @ first[0])
    place = {"orientation": quaternion_of(turn), "position": second[0] - turn @ first[0], "velocity": velocity}
    bodies = [RigidBody(one, spin=spins[0], **place, **heavy), RigidBody(other, spin=spins[1], **heavy)]
    actors = World(bodies, gravity=(0, 0, 0))._actors()
    for actor in actors:
        actor.begin(0.0)
    return actors, min(a.lasts for a in actors)


def rotation_between(a, b):
    """A rotation that turns one unit vector into another one."""
    axis = np.cross(a, b)
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + cross + cross @ cross / (1.0 + a @ b)


def quaternion_of(turn):
    w = np.sqrt(max(0.0, 1.0 + np.trace(turn))) / 2
    return [w, *(np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / (4 * w))]


def test_what_parts_does_not_meet_until_then():
    """Nor is any point of one in the other before that time; what comes together is not said to part."""
    left = again = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        (one, two), lasts = touching(ELLIPSOID, IN_ELLIPSOID, rng, 2.0 if seed % 3 else -0.5, 2.0 if seed % 2 else 8.0)
        found = near(one, two, (0.0, min(1.0, lasts)), 0.01)
        own, times = points_of(ELLIPSOID, 3000, rng), np.linspace(0.0, min(1.0, lasts), 500)[1:]
        met = times[[IN_DEPTH.points(seen(one, two, own, t)).min() < -1e-9 for t in times]]
        assert found.until <= (met[0] if len(met) else lasts) if seed % 3 else found.until == 0.0
        left, again = left + (found.until > 0.0), again + len(met[:1])
    assert left >= 4 and again >= 2


def stretch(rng):
    """What the loop knows of a stretch of time in which two bodies spin evenly, of a pair of nodes; and their spins."""
    spins, last, turn = rng.normal(size=(2, 3)) * rng.uniform(0.0, 8.0), rng.uniform(0.01, 0.2), np.zeros((2, 2, 3, 3))
    places, radii, sizes = rng.normal(size=(2, 3)), rng.uniform(0.01, 0.3, 2), np.linalg.norm(spins, axis=1)
    for side, spin in enumerate(spins):
        turn[side] = np.eye(3), np.cross(spin, np.eye(3)).T
    normals = rng.normal(size=(2, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    place = rng.normal(size=9) * np.repeat([0.0, 1.5, 3.0], 3)
    pace, jerk = 0.7072 * np.sqrt(2.0) * sizes, np.sqrt(2.0) * sizes**2
    nodes = [np.array([[*p, r, r, *n]]) for p, r, n in zip(places, radii, normals, strict=True)]
    way = [*(places[1] - places[0]), *(place[3:6] + np.cross(spins[1], places[1]) - np.cross(spins[0], places[0]))]
    return SimpleNamespace(
        turn=turn.reshape(36), place=place, node1=nodes[0], node2=nodes[1], slant1=rng.uniform(0.01, 0.6, 1),
        slant2=rng.uniform(0.01, 0.6, 1), way=np.array(way), last=last, drift=0.0, bend=float(jerk @ np.linalg.norm(places, axis=1)),
        pace=pace, jerk=jerk, skew=0.5 * last**2 * jerk, whirl=np.sqrt(2.0) * sizes + last * jerk), spins


def least_along(m, slant, w):
    """The least product of a vector with unit vectors at angles to m whose tangent is no greater than that."""
    across = w - (m @ w) * m
    return (m @ w - slant * np.linalg.norm(across)) / np.sqrt(1.0 + slant * slant)


def test_what_nodes_hold_parts_and_is_averted_for_so_long():
    """At samples of points of two balls, of normals at the ends of what they may be, and of times, as bodies that spin evenly have them.
    (Fails where the turn within nodes, or how fast all that changes, is left out.)
    """
    rng, told = np.random.default_rng(0), [0, 0]
    for _ in range(500):
        s, spins = stretch(rng)
        side, slants, nodes = int(rng.integers(2)), (s.slant1[0], s.slant2[0]), (s.node1[0], s.node2[0])
        for kind, found in enumerate((averted_for(s, 0, 0, 0.0), parting_for(s, 0, 0, 0.0, side))):
            told[kind] += found > 0.0
            for time in min(found, s.last) * rng.uniform(0.0, 1.0, 12) ** 0.25 if found > 0.0 else ():
                turns = [about(spin / np.linalg.norm(spin), float(time * np.linalg.norm(spin))) for spin in spins]
                normals = [r @ node[5:] for r, node in zip(turns, nodes, strict=True)]
                ways = rng.normal(size=(2, 3))
                arms = [r @ (node[:3] + node[3] * way / np.linalg.norm(way)) for r, node, way in zip(turns, nodes, ways, strict=True)]
                w = s.place[3:6] + time * s.place[6:] + np.cross(spins[1], arms[1]) - np.cross(spins[0], arms[0])
                if kind == 0:
                    assert np.arccos(-normals[0] @ normals[1]) > np.arctan(slants).sum()
                else:
                    assert least_along(normals[side], slants[side], w * (1 - 2 * side)) > 0.0
    assert min(told) > 50


@pytest.mark.parametrize(("other", "solid", "fixed"), OTHERS)
def test_bodies_touch_first_in_the_region(other, solid, fixed):
    """At the place where samples, ever closer together round the deepest, find that a banana is in the other body first."""
    place, value, checked = codegen.compile(list(banana().body), [u, v]), codegen.compile([solid.expression], [x, y, z]), 0
    for seed in (1, 3):
        one, two, window, rng = thrown(other, seed, fixed)
        found, at = near(one, two, window, 0.2), on_patch(banana(), 4000, rng)[0]

        def depths(time, at, one=one, two=two):
            return value.points(seen(one, two, place.points(at) - one.middle, time))[:, 0]

        def deepest(time, at=at, rng=rng, depths=depths):
            for k in range(12):
                best = at[np.argsort(depths(time, at))[:8]]
                at = np.concatenate([best, (best[:, None] + 0.2 * 0.4**k * rng.normal(size=(8, 40, 2))).reshape(-1, 2)])
            return depths(time, best[:1])[0], best[0]

        times = np.linspace(*window, 400)
        later = next((k for k, t in enumerate(times) if (depths(t, at) < 0.0).any()), None)
        if later is None or times[later] > found.horizon:
            continue
        lo, hi = times[later - 1], times[later]
        for _ in range(25):
            middle = 0.5 * (lo + hi)
            lo, hi = (lo, middle) if deepest(middle)[0] < 0.0 else (middle, hi)
        assert found.until <= hi and in_region(found.region, deepest(hi)[1], place, one, two, hi)
        checked += 1
    assert checked


@pytest.mark.parametrize("up", (1.0, -1.0))
def test_a_ball_leaves_a_ring(up):
    """Of a ball, which is one node, no normals are told; those of the other body are enough."""
    bodies = [RigidBody(BALL, position=(1, 0, 1.3), velocity=(0.1, 0, up), spin=(3, 1, 1)), RigidBody(RING, spin=(0, 0, 0.2))]
    actors = World(bodies, gravity=(0, 0, 0))._actors()
    for actor in actors:
        actor.begin(0.0)
    for one, two in (actors, actors[::-1]):
        assert (near(one, two, (0.0, 0.5), 0.01).until > 0.0) == (up > 0.0)
