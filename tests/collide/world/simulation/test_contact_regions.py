"""Contact regions of runs: feet, a gap in a floor, a block that slides off its edge. The times are those of the laws of motion."""

import numpy as np
import pytest

from collide import Mesh, RegionEvent, RigidBody, World
from collide.world.shapes.simple import Flat
from collide.world.simulation.contact_regions import _holds
from generative import primitives

from ...polyhedra.touch.test_regions import block, united

BIRTH, MERGE, SPLIT, DEATH = RegionEvent
FLOOR = RigidBody(block([-5, -5, -1], [5, 5, 0]), fixed=True)
TABLE = united(block([0, 0, 1], [5, 3, 2]), *(block([x, y, 0], [x + 1, y + 1, 1]) for x in (0, 4) for y in (0, 2)))


def told(run):
    return [(c.kind, c.before, c.after) for c in run.region_changes]


def test_a_table_comes_to_rest_on_four_feet(tmp_path):
    world = World([FLOOR, RigidBody(TABLE, position=(-2, -1, 0.2), density=1.0)], gravity=(0, 0, -10), restitution=0.3, friction=0.5)
    run = world.run(until=1.0)
    assert told(run) == [(BIRTH, (), (k,)) for k in range(4)]
    # Falls of 1/5, then bounces that go on for 2 e / (1 - e) times as long.
    assert all(r.pair == (0, 1) and r.end is None and abs(r.begin - 0.2 * (1 + 0.6 / 0.7)) < 1e-9 for r in run.regions)
    centres = {tuple(np.round(r.points.mean(axis=0), 6).tolist()) for r in run.regions}
    assert centres == {(x, y, 0.0) for x in (-1.5, 2.5) for y in (-0.5, 1.5)}
    run.save(tmp_path / "run.json")
    loaded = world.load(tmp_path / "run.json")
    assert loaded.region_changes == run.region_changes
    assert [r[:4] for r in loaded.regions] == [r[:4] for r in run.regions]


def test_a_run_in_parts_has_the_same_regions():
    world = World([FLOOR, RigidBody(TABLE, position=(-2, -1, 0.2), density=1.0)], gravity=(0, 0, -10), restitution=0.3)
    whole, parts = world.run(until=1.0), world.run(events=2)
    while parts.until < 1.0:
        parts = parts.resumed(until=min(parts.until + 0.1, 1.0))
    assert parts.region_changes == whole.region_changes and len(whole.regions) == 4


def test_a_region_ends_where_a_ball_leaves_the_floor():
    ball = RigidBody(primitives.ball(1), position=(3, 0, 1), velocity=(2, 0, 0), mass=1.0)
    run = World([FLOOR, ball], gravity=(0, 0, -10), restitution=0.0).run(until=1.5)
    (region,) = run.regions
    assert region.begin == 0.0 and region.end >= 1.0 - 1e-9 and region.points.shape == (1, 3)
    assert [c.kind for c in run.region_changes] == [BIRTH, DEATH]


def test_a_slab_slides_over_a_gap():
    """It is noted on the far side when its middle comes to the edge, at 11/4, and no more on the near side once it has left that."""
    near = block([-5, -5, -1], [5, 5, 0])
    places = np.concatenate([near.vertices[:, :3], near.vertices[:, :3] + [12, 0, 0]])
    steps = Mesh(places, np.concatenate([near.triangles, near.triangles + 8]))
    slab = RigidBody(block([0, 0, 0], [8, 1, 0.5]), position=(-4.5, 0, 0), velocity=(2, 0, 0), density=1.0)
    run = World([RigidBody(steps, fixed=True), slab], gravity=(0, 0, -10), restitution=0.0).run(until=6.0)
    first, second = run.regions
    assert np.allclose([first.begin, first.end, second.begin], [0, 4.75, 2.75], atol=1e-6) and second.end is None
    assert [c.kind for c in run.region_changes] == [BIRTH, BIRTH, DEATH]


def test_bounces_are_no_regions():
    ball = RigidBody(primitives.ball(1), position=(0, 0, 2), mass=1.0)
    run = World([FLOOR, ball], gravity=(0, 0, -10), restitution=1.0).run(events=4)
    assert run.regions == () and run.region_changes == ()


@pytest.mark.parametrize(("p", "q", "held"), [((0.5, 3), (0.5, 1.5), True), ((0.5, 3), (2.5, 3), False), ((0.5, 3), (2.5, 0.5), False),
                                              ((0.5, 0.5), (2.5, 0.5), True), ((0, 1), (3, 1), True), ((0, 4), (3, 4), False)])
def test_ways_in_a_face(p, q, held):
    """The face is a U."""
    at = np.array([[0, 0], [3, 0], [3, 4], [2, 4], [2, 1], [1, 1], [1, 4], [0, 4]], float)
    corners = np.column_stack([at, np.zeros(8)])
    face = Flat(np.array([0.0, 0.0, 1.0]), 0.0, np.stack([corners, np.roll(corners, -1, axis=0)], axis=1))
    ways = [np.array([*e, 0.0], float) for e in (p, q)]
    assert _holds(face, *ways, 1e-7) is held and _holds(face, *ways[::-1], 1e-7) is held
