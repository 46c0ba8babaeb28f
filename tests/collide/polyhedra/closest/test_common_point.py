"""Common points carried along: inside by rationals, the answers of searches that start anew, and no search on rationals once warm."""

from fractions import Fraction

import numpy as np
import pytest

import collide
from collide.polyhedra.closest.common_point import FacePlanes
from collide.polyhedra.closest.convex_mesh import convex
from collide.polyhedra.closest.memory import MEET

from ..solids import ball


def turned(angle, shift):
    pose = np.eye(4)
    pose[:2, :2], pose[:3, 3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], shift
    return pose


def exactly_inside(mesh, point):
    x = [Fraction(float(c)) for c in point]
    for corners in mesh.vertices[mesh.triangles, :3]:
        p, q, r = ([Fraction(float(c)) for c in corner] for corner in corners)
        a, b, d = ([u - v for u, v in zip(end, p, strict=True)] for end in (q, r, x))
        if sum(d[k] * (a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2]) for k in range(3)) >= 0:
            return False
    return True


def test_depths_are_bounds():
    """Of points on faces, moved by some roundings, none that is not inside has a positive depth; of points farther inside all have."""
    mesh, rng = ball(0, 40), np.random.default_rng(1)
    planes = FacePlanes(convex(mesh, "it"))
    corners = mesh.vertices[mesh.triangles, :3]
    on = (rng.dirichlet(np.ones(3), len(corners))[:, :, None] * corners).sum(axis=1)
    for scale in (1 - 2.0**-53, 1 - 2.0**-51, 1 - 2.0**-49, 1 + 2.0**-52):
        assert all(exactly_inside(mesh, p) for p in on * scale if planes.depth(p) > 0)
    assert all(planes.depth(p) > 0 for p in on * (1 - 2.0**-40))


def test_steps_in_each_other_are_decided_without_rationals(monkeypatch):
    pair, poses = collide.Closest(ball(0, 40), ball(1, 40)), [turned(0.02 * k, [1.4 - 0.02 * k, 0.1, 0.2]) for k in range(30)]
    assert pair.at(np.eye(4), poses[0]).distance.hi == 0

    def refused(*_):
        raise AssertionError("a search on rationals")

    monkeypatch.setattr(collide.Closest, "_in_rationals", refused)
    for pose in poses:
        found = pair.at(np.eye(4), pose)
        assert found._outcome == MEET
        for mesh, of in zip(pair.bodies, (np.eye(4), pose), strict=True):
            assert FacePlanes(mesh).depth(of[:3, :3].T @ (found.points[0] - of[:3, 3])) > 0
    assert pair.distances(np.stack([np.eye(4)] * 30), np.stack(poses)).max() == 0


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_those_of_searches_that_start_anew(seed):
    """In and out of each other, and from one place to another."""
    meshes, rng = (ball(2 * seed, 40), ball(2 * seed + 1, 40)), np.random.default_rng(seed)
    pair = collide.Closest(*meshes)
    for k in range(25):
        pose = turned(rng.uniform(0, 6) if k % 5 == 0 else 0.1 * k, rng.uniform(-1.3, 1.3, 3) if k % 3 else [2 - 0.02 * k, 0, 0])
        warm, cold = pair.at(np.eye(4), pose), collide.Closest(*meshes).at(np.eye(4), pose)
        assert warm.distance == cold.distance and warm.penetrating == cold.penetrating and warm.depth == cold.depth
