"""Pairs of bodies that meet, from pose to pose, against boxes whose overlap is known, and against triangles asked anew."""

import numpy as np
import pytest

import collide

from .solids import CUBE, OCTAHEDRON, about_z, ball, pose

RING = collide.Mesh([[x, y, z] for r in (1, 2) for x, y in ((r, r), (-r, r), (-r, -r), (r, -r)) for z in (-0.25, 0.25)],
                    [f for a, b in ((0, 2), (2, 4), (4, 6), (6, 0)) for q in ((a, b, b + 1, a + 1), (b + 8, a + 8, a + 9, b + 9),
                                                                             (a + 1, b + 1, b + 9, a + 9), (b, a, a + 8, b + 8))
                     for f in (q[:3], (q[0], *q[2:]))])


def test_cubes_side_by_side():
    """Cubes of side 2 meet as their boxes do, touches included."""
    rng, swarm = np.random.default_rng(0), collide.Swarm([CUBE] * 12)
    size, known = np.ptp(CUBE.vertices[:, :3], axis=0), set()
    for _ in range(12):
        places = rng.integers(0, 8, (12, 3)) * size / 2
        changes = swarm.update(np.array([pose(shift=p) for p in places]))
        now = {(i, j) for i in range(12) for j in range(i + 1, 12) if (abs(places[i] - places[j]) <= size).all()}
        assert set(map(tuple, swarm.meeting.tolist())) == now
        assert set(map(tuple, changes.begun.tolist())) == now - known and set(map(tuple, changes.ended.tolist())) == known - now
        known = now


def test_a_ball_in_a_ring_meets_nothing_until_it_is_at_the_rim():
    small = ball(0, 40)
    swarm = collide.Swarm([RING, collide.Mesh(0.5 * small.vertices[:, :3], small.triangles)])
    assert RING.closed and swarm.meeting.shape == (0, 2)
    assert [len(swarm.update(np.array([np.eye(4), pose(shift=(x, 0, 0))])).begun) for x in (0.0, 0.3, 0.6, 0.7)] == [0, 0, 1, 0]
    assert swarm.distance(0, 1).hi == 0 and repr(swarm) == "Swarm(2 bodies, 1 pairs meet)"


def test_distances_are_those_of_closest():
    swarm, poses = collide.Swarm([CUBE, OCTAHEDRON]), np.array([np.eye(4), pose(about_z(0.3), (4, 0.2, 0.1))])
    swarm.update(poses)
    assert swarm.distance(1, 0) == collide.Closest(CUBE, OCTAHEDRON).at(*poses).distance


def test_bad_input_is_named():
    swarm = collide.Swarm([CUBE, CUBE])
    with pytest.raises(ValueError, match=r"poses must have the shape \(2, 4, 4\)"):
        swarm.update(np.eye(4))
    with pytest.raises(ValueError, match="the rotation in pose 1 must be orthonormal"):
        swarm.update(np.stack([np.eye(4), np.diag([2.0, 1, 1, 1])]))
    with pytest.raises(ValueError, match="mesh 1 has no triangles"):
        collide.Swarm([CUBE, (np.zeros((3, 3)), np.zeros((0, 3), int))])
    assert len(collide.Swarm([]).update(np.zeros((0, 4, 4))).begun) == 0
