"""Triangles that are near each other: against all pairs, with distances of segments and triangles in rationals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import collide
from collide.polyhedra import near_loop

from ..bodies.test_hull import PIT
from .solids import CORNERS, CUBE, HERE, OCTAHEDRON, SIDES, about_z, ball, cross, dot, minus, places, pose, rotation


def clamp(x):
    return min(max(x, Fraction(0)), Fraction(1))


def segments(p, q, r, s):
    """The square of the distance of two segments: least at an end of one, or inside of both."""
    def to_point(a, b, x):
        e = minus(b, a)
        share = clamp(dot(minus(x, a), e) / dot(e, e)) if any(e) else Fraction(0)
        off = [u - v - share * w for u, v, w in zip(x, a, e, strict=True)]
        return dot(off, off)
    found = [to_point(r, s, p), to_point(r, s, q), to_point(p, q, r), to_point(p, q, s)]
    e, f, w = minus(q, p), minus(s, r), minus(r, p)
    n = cross(e, f)
    if any(n):
        a, b = dot(cross(w, f), n) / dot(n, n), dot(cross(w, e), n) / dot(n, n)
        if 0 <= a <= 1 and 0 <= b <= 1:
            found.append(dot(w, n)**2 / dot(n, n))
    return min(found)


def inside(face, x):
    """Does the foot of a point on the plane of a triangle lie in it?"""
    n = cross(minus(face[1], face[0]), minus(face[2], face[0]))
    turns = [dot(cross(minus(face[k - 2], face[k]), minus(x, face[k])), n) for k in range(3)]
    return any(n) and (all(v >= 0 for v in turns) or all(v <= 0 for v in turns))


def triangles(a, b):
    found = [segments(a[i - 1], a[i], b[j - 1], b[j]) for i, j in product(range(3), repeat=2)]
    for face, other in ((a, b), (b, a)):
        n = cross(minus(face[1], face[0]), minus(face[2], face[0]))
        found += [dot(minus(x, face[0]), n)**2 / dot(n, n) for x in other if inside(face, x)]
        for k in range(3):
            h, g = (dot(minus(x, face[0]), n) for x in (other[k - 1], other[k]))
            if h * g < 0:
                share = h / (h - g)
                if inside(face, [u + share * (v - u) for u, v in zip(other[k - 1], other[k], strict=True)]):
                    return Fraction(0)
    return min(found)


def brute(meshes, matrices, distance):
    at = [places(mesh, m) for mesh, m in zip(meshes, matrices, strict=True)]
    faces = [[[p[k] for k in t] for t in mesh.triangles.tolist()] for mesh, p in zip(meshes, at, strict=True)]
    boxes = [[(np.min(f, axis=0).astype(float), np.max(f, axis=0).astype(float)) for f in some] for some in faces]
    near = [[i, j] for i, (a, b) in enumerate(boxes[0]) for j, (c, d) in enumerate(boxes[1])
            if (a <= d + distance + 1e-9).all() and (c <= b + distance + 1e-9).all()]
    return [[i, j] for i, j in near if triangles(faces[0][i], faces[1][j]) <= Fraction(distance)**2]


@pytest.mark.parametrize("distance", [0.0, 0.0625])
def test_a_walk_of_meshes_past_each_other(distance):
    meshes, random, count = (ball(1, 5), PIT), np.random.default_rng(1), 0
    near, start = collide.Near(*meshes, distance), rotation(random)
    for k in range(3):
        matrices = pose(start @ about_z(0.02 * k), (-0.6 + 0.04 * k, 0.5, 0.5)), pose(about_z(0.01 * k))
        found = near.update(*matrices)
        assert found.tolist() == brute(meshes, matrices, distance)
        count += len(found)
    assert count > 2


def test_jumps_and_rests():
    meshes, random = (ball(3, 5), ball(4, 6)), np.random.default_rng(2)
    near, looked = collide.Near(*meshes, 0.125), []
    look = near._look
    near._look = lambda step: (looked.append(step), look(step))
    for _ in range(2):
        matrices = pose(rotation(random), 0.9 * random.normal(size=3)), pose(rotation(random))
        assert near.update(*matrices).tolist() == near.update(*matrices).tolist() == brute(meshes, matrices, 0.125)
    assert len(looked) == 2


@pytest.mark.parametrize("turning", [0, 1])
def test_what_is_kept_from_step_to_step_is_what_one_step_alone_finds(turning):
    """Two balls come nearer by moving, and turn, in steps after most of which the trees are not gone through again."""
    meshes, looked, counts = (ball(1, 40), ball(2, 40)), [], []
    near, random = collide.Near(*meshes), np.random.default_rng(4)
    look, start = near._look, rotation(random)
    near._look = lambda step: (looked.append(step), look(step))
    for k in range(30):
        matrices = pose(about_z(0.02 * turning * k) @ start), pose(start @ about_z(-0.03 * turning * k), (2.1 - 0.015 * k, 0.01 * k, 0))
        found = near.update(*matrices)
        assert found.tolist() == collide.Near(*meshes).update(*matrices).tolist()
        counts.append(len(found))
    assert counts[0] == 0 and len(set(counts)) > 3 and len(looked) < 15


def test_flush_and_touching_faces_are_ordinary():
    for mesh, matrix, distance, some in ((CUBE, pose(shift=(1, 1, 0)), 0.0, True), (OCTAHEDRON, pose(shift=(2.5, 0, 0)), 0.5, True),
                                         (OCTAHEDRON, pose(shift=(2.5, 0, 0)), np.nextafter(0.5, 0), False)):
        found = collide.Near(mesh, mesh, distance).update(HERE, matrix)
        assert found.tolist() == brute((mesh, mesh), (HERE, matrix), distance) and (len(found) > 0) == some


def test_there_is_room_for_any_number_of_pairs(monkeypatch):
    monkeypatch.setattr(collide.polyhedra.near, "_ROOM", 1)
    assert len(collide.Near(CUBE, CUBE, 9.0).update(HERE, HERE)) == 144


def test_what_is_no_distance_is_named():
    for wrong in (-1, np.nan, np.inf, "x"):
        with pytest.raises(ValueError, match="distance must be"):
            collide.Near(CUBE, CUBE, wrong)
    with pytest.raises(ValueError, match="pose_b"):
        collide.Near(CUBE, CUBE).update(HERE, np.eye(3))
    with pytest.raises(ValueError, match="orthonormal"):
        collide.Near(CUBE, CUBE).update(HERE, np.diag([2.0, 1, 1, 1]))
    empty = collide.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    assert collide.Near(empty, CUBE).update(HERE, HERE).shape == (0, 2)
    assert near_loop.APART == 0


def test_hulls_overlap_over_a_pit():
    small = collide.Mesh(0.125 * (CORNERS - 0.5), SIDES)
    found = collide.hull_overlap(PIT, small, HERE, pose(shift=(0.5, 0.5, 0.9)))
    assert found.overlap and {18, 19, 20, 21} <= set(found.triangles[0].tolist()) and len(found.triangles[1]) == 12
    assert len(collide.Near(PIT, small).update(HERE, pose(shift=(0.5, 0.5, 0.9)))) == 0
    apart = collide.hull_overlap(PIT, small, pose_b=pose(shift=(0.5, 0.5, 1.25)))
    assert not apart.overlap and all(len(x) == 0 for x in (*apart.faces, *apart.triangles))
