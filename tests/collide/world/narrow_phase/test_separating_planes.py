"""Planes between bodies of flat faces; the referee turns corners by Rodrigues' formula and looks at all axes at many times."""

import itertools

import numpy as np
import pytest
import sympy as sp
from scipy.spatial import ConvexHull

from collide import Mesh, Outcome, RigidBody, World
from collide.world.narrow_phase.separating_planes import met, parted
from collide.world.shapes.hull import hull
from collide.world.shapes.simple import corners_of
from generative import ParametricSurface, Solid, u, v
from models.shapes import polyhedra
from models.shapes.solids import box

from ..scenes import set_up

CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
SHEET = ParametricSurface([u, v, 0], {u: (-5, 5), v: (-5, 5)})
FLOOR = RigidBody(box(sizes=(20, 20, 1)), position=(0, 0, -0.5), fixed=True)


def turned(q, spin, times):
    """(m, 3, 3): the rotation of a quaternion, and then by a constant spin for some times."""
    w, *a = q / np.linalg.norm(q)
    a = np.array(a)
    first = np.eye(3) + 2.0 * w * cross(a) + 2.0 * cross(a) @ cross(a)
    speed = float(np.linalg.norm(spin))
    axis, angle = cross(np.array(spin) / speed), speed * times[:, None, None]
    return (np.eye(3) + np.sin(angle) * axis + (1.0 - np.cos(angle)) * axis @ axis) @ first


def cross(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def thrown(rng):
    """Two cubes that fly at each other, with constant spins, and how far they are apart along the best of all axes, at times."""
    states = [(rng.normal(size=4), 3.0 * rng.normal(size=3), side * np.array([2.0, 0, 0]) + 0.4 * rng.normal(size=3),
               -side * np.array([3.0, 0, 0]) + 0.5 * rng.normal(size=3)) for side in (-1.0, 1.0)]
    sides = [sp.Rational(int(rng.integers(4, 13)), 10) for _ in states]
    bodies = [RigidBody(box(sizes=(a, a, a)), position=p, orientation=q, velocity=w, spin=s, density=1)
              for a, (q, s, p, w) in zip(sides, states, strict=True)]

    def gap(times):
        turns = [turned(q, s, times) for q, s, _, _ in states]
        one, other = (float(a) * CORNERS @ r.transpose(0, 2, 1) + (p + times[:, None] * w)[:, None]
                      for a, r, (_, _, p, w) in zip(sides, turns, states, strict=True))
        edges = np.cross(turns[0].transpose(0, 2, 1)[:, :, None], turns[1].transpose(0, 2, 1)[:, None]).reshape(-1, 9, 3)
        axes = np.concatenate([*turns, (edges / np.linalg.norm(edges, axis=2, keepdims=True)).transpose(0, 2, 1)], axis=2)
        first, second = one @ axes, other @ axes
        return np.maximum(second.min(axis=1) - first.max(axis=1), first.min(axis=1) - second.max(axis=1)).max(axis=1)

    return World(bodies, gravity=(0, 0, 0)), gap


@pytest.mark.parametrize("seed", range(25))
def test_planes_part_cubes_until_they_meet(seed):
    world, gap = thrown(np.random.default_rng(seed))
    simulation = set_up(world)
    one, other = simulation.actors
    found = parted(one, other, (0.0, 2.0))
    times = np.linspace(0.0, 2.0, 4001)
    apart = gap(times) > 0.0
    if apart.all():
        assert found.until == 2.0
        return
    lo, hi = times[np.argmin(apart) - 1], times[np.argmin(apart)]
    for _ in range(60):
        middle = 0.5 * (lo + hi)
        lo, hi = (middle, hi) if gap(np.array([middle]))[0] > 0.0 else (lo, middle)
    assert found.until <= hi + 1e-13
    contact = met(one, other, found, 2.0, 0.5)
    assert contact is not None and contact.existence.any()
    assert hi - 1e-10 < contact.time[0] <= hi + 1e-13 and lo - 1e-13 <= contact.time[1] < lo + 1e-9


@pytest.mark.parametrize("floor", [FLOOR, RigidBody(SHEET, fixed=True)])
def test_a_corner_comes_to_a_floor(floor):
    """A cube falls on its corner, on a block and on a sheet: t = sqrt(2 h / g)."""
    q = (0.9, 0.3, 0.2, 0.1)
    low = min((CORNERS @ turned(np.array(q), (0, 0, 1), np.zeros(1))[0].T)[:, 2])
    cube = RigidBody(box(sizes=(1, 1, 1)), position=(0.1, 0.2, 0.8 - low), orientation=q, density=1)
    run = World([floor, cube], gravity=(0, 0, -10), restitution=0.5).run(events=1)
    (event,) = run.events
    assert event.proved.all() and len(event.points) == 1
    assert event.time[0] - 1e-12 <= 0.4 <= event.time[1] + 1e-12 and event.time[1] - event.time[0] < 1e-10


def test_a_stack_comes_to_rest():
    blocks = [RigidBody(box(sizes=(1, 1, 1)), position=(0, 0, 0.5 + 1.1 * k), density=1) for k in range(3)]
    run = World([FLOOR, *blocks], restitution=0.2, friction=0.5).run(until=2)
    assert run.outcome.name == "FINISHED"
    assert np.abs(run.state(2.0).positions[1:] - [[0, 0, 0.5], [0, 0, 1.5], [0, 0, 2.5]]).max() < 1e-9
    assert not run.state(2.0).velocities.any()


def test_what_touches_at_the_start_stands():
    """A wall of bricks, of which none lies on a fixed body but the lowest."""
    brick = box(sizes=(1, sp.Rational(1, 2), sp.Rational(1, 2)))
    bricks = [RigidBody(brick, position=(1.05 * i + 0.5 * (j % 2), 0, 0.25 + 0.5 * j), density=1) for j in range(3) for i in range(3)]
    run = World([FLOOR, *bricks], friction=0.5).run(until=1)
    assert run.outcome.name == "FINISHED" and not run.events and not run.state(1.0).velocities.any()


def test_a_block_tips_over_an_edge():
    """As long as it sticks there it turns about the edge: it falls by what its turn takes, and it leaves the edge to fall down."""
    table = RigidBody(box(sizes=(2, 2, 1)), position=(0, 0, 0.5), fixed=True)
    block = RigidBody(box(sizes=(2, sp.Rational(1, 2), sp.Rational(1, 5))), position=(1.2, 0, 1.1), density=1)
    run = World([FLOOR, table, block], gravity=(0, 0, -10), restitution=0.1, friction=0.5).run(until=1)
    state = run.state(0.2)
    about_edge = (4.0 + 0.04) / 12.0 + 0.2**2 + 0.1**2
    assert state.spins[2, 1] > 0.5
    assert 0.5 * about_edge * state.spins[2, 1] ** 2 == pytest.approx(10.0 * (1.1 - state.positions[2, 2]), rel=1e-9)
    assert run.outcome.name == "FINISHED" and run.state(1.0).positions[2, 2] < 1.0


def test_hulls_of_polygons_with_many_corners_are_closed():
    for shape, faces in ((polyhedra.prism(), 8), (polyhedra.dodecahedron(), 12), (polyhedra.wedge(), 5)):
        found = hull(shape)
        assert found is not None and len(found.within) == faces and found.slack < 1e-14
    whole = box(sizes=(1, 1, 1))
    lidless = hull(Solid(whole.faces[:5]))
    assert lidless is not None and not len(lidless.within)


def test_all_of_a_mesh_is_in_its_hull():
    """A corner in the middle of what counts as one face is a little higher than the border."""
    corners = np.vstack([CORNERS, [[0.0, 0.0, 0.5 + 2e-10]]])
    top = [k for k in range(8) if CORNERS[k, 2] > 0]
    flat = ConvexHull(CORNERS)
    faces = [f[::1 if np.cross(*(CORNERS[f[1:]] - CORNERS[f[0]])) @ e[:3] > 0 else -1]
             for f, e in zip(flat.simplices, flat.equations, strict=True)]
    ring = sorted(top, key=lambda k: np.arctan2(CORNERS[k, 1], CORNERS[k, 0]))
    faces = [list(f) for f in faces if not set(f) <= set(top)] + [[ring[k], ring[(k + 1) % 4], 8] for k in range(4)]
    found = hull(Mesh(corners, np.array(faces)))
    assert found is not None and found.corners[:, 2].max() == 0.5 + 2e-10


def test_what_is_proved_apart_just_before_a_hit_is_not_taken_to_be_in_the_other():
    """Planes part them until just before, and no point is proved to be in both: a search finds the hit."""
    fallen = RigidBody(polyhedra.wedge(), position=(1.9468755080927977, -1.2559297580499822, 1.9058952425584794), density=1,
                       orientation=(0.4392989399611272, -0.4779682459152011, 0.7460788844460271, 0.14808475758682052),
                       velocity=(0.974, -0.458, -16.15390998402691), spin=(-1.5163653483937587, -1.8715710115826085, -0.11946571672383281))
    ground = RigidBody(box(sizes=(20, 20, 2)), position=(0, 0, -1), fixed=True)
    run = World([ground, fallen], gravity=(0, 0, -9.81), restitution=1).run(until=0.03)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1 and abs(run.energy(0.03) / run.energy(0.0) - 1) < 1e-12
    state = run.state(run.events[0].time[0])
    corners = corners_of(fallen.shape) @ turned(state.quaternions[1], (0, 0, 1), np.zeros(1))[0].T + state.positions[1]
    assert abs(corners[:, 2].min()) < 1e-11
