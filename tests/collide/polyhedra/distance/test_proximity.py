"""Triangles that are near each other: against all pairs, with distances of segments and triangles in rationals."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import collide
from collide.polyhedra.distance.triangle_distance_exact import have_common_point

from ...bodies.test_hull import PIT
from ..solids import CORNERS, CUBE, HERE, OCTAHEDRON, SIDES, about_z, ball, cross, dot, minus, places, pose, rotation


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
    """After a jump all is looked at anew; at rest, nothing."""
    meshes, random = (ball(3, 5), ball(4, 6)), np.random.default_rng(2)
    near = collide.Near(*meshes, 0.125)
    for _ in range(2):
        matrices = pose(rotation(random), 0.9 * random.normal(size=3)), pose(rotation(random))
        assert near.update(*matrices).tolist() == brute(meshes, matrices, 0.125)
        assert near._moved < 1e-12
        front = near.arrays["key"][:near._count].copy()
        assert near.update(*matrices).tolist() == brute(meshes, matrices, 0.125)
        left = near.arrays["key"][:near._count]
        assert len(front) == len(left) and (front != left).mean() < 0.5


@pytest.mark.parametrize("turning", [0, 1])
def test_what_is_kept_from_step_to_step_is_what_one_step_alone_finds(turning):
    """Two balls come nearer by moving, and turn: what is near, and how near the nearest is, asked by turns."""
    meshes, counts, anew = (ball(1, 40), ball(2, 40)), [], 0
    near, random = collide.Near(*meshes), np.random.default_rng(4)
    start = rotation(random)
    for k in range(60):
        matrices = pose(about_z(0.01 * turning * k) @ start), pose(start @ about_z(-0.02 * turning * k), (2.1 - 0.008 * k, 0.005 * k, 0))
        before = near._moved
        found = near.update(*matrices)
        anew += near._moved < before
        assert found.tolist() == collide.Near(*meshes).update(*matrices).tolist()
        counts.append(len(found))
        if k % 3 == 0:
            kept, alone = near.nearest(*matrices).distance, collide.Near(*meshes).nearest(*matrices).distance
            assert max(kept.lo, alone.lo) <= min(kept.hi, alone.hi) and (kept.hi == 0) == (alone.hi == 0) == (len(found) > 0)
    assert counts[0] == 0 and len(set(counts)) > 3 and anew < 10


@pytest.mark.parametrize("seed", range(4))
def test_the_nearest_triangles_are_those_of_all_pairs(seed):
    """Along a walk, against rationals: soups of triangles, some of which end up in each other."""
    random = np.random.default_rng(seed)
    meshes = [collide.Mesh(random.integers(-8, 9, (9, 3)) / 8, np.arange(9).reshape(3, 3)) for _ in range(2)]
    near, turned, met = collide.Near(*meshes), rotation(random), 0
    for k in range(8):
        matrices = pose(about_z(0.03 * k) @ turned, (2.5 - 0.3 * k, 0.1, 0)), pose(about_z(-0.02 * k))
        found = near.nearest(*matrices)
        corners = [[[at[v] for v in t] for t in mesh.triangles.tolist()]
                   for mesh, at in ((mesh, places(mesh, m)) for mesh, m in zip(meshes, matrices, strict=True))]
        square = min(triangles(a, b) for a, b in product(*corners))
        assert Fraction(found.distance.lo)**2 <= square <= Fraction(found.distance.hi)**2
        assert found.distance.hi - found.distance.lo < 1e-12
        own = triangles(*(c[i] for c, i in zip(corners, found.triangles, strict=True)))
        assert own <= Fraction(found.distance.hi)**2
        assert abs(np.linalg.norm(found.points[0] - found.points[1]) - found.distance.hi) < 1e-9
        met += square == 0
    assert met or seed


def test_how_near_what_touches_is_and_what_is_hardly_apart():
    octahedra = (collide.Near(OCTAHEDRON, OCTAHEDRON), 1.0)
    for near, reach in (octahedra, (collide.Near(CUBE, CUBE), 0.5)):
        least = 2 * reach
        for gap in (0.5, 2.0**-20, 2.0**-50, 0.0, -2.0**-50, -0.25):
            found = near.nearest(HERE, pose(shift=(least + gap, 0, 0)))
            assert found.distance.lo <= max(gap, 0.0) <= found.distance.hi and (found.distance.hi == 0) == (gap <= 0)
            assert found.distance.hi - found.distance.lo < 1e-12
            assert gap < -0.1 or (abs(found.points[:, 0] - reach) < abs(gap) + 1e-12).all()
    with pytest.raises(ValueError, match="without triangles"):
        collide.Near(collide.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)), CUBE).nearest(HERE, HERE)


def test_slivers_are_no_nearer_than_they_are():
    """A point over a triangle as thin as rounding errors: normals of such are known to few digits."""
    random, tip = np.random.default_rng(3), np.array([[0, 0, 0.75], [0.5, 0.5, 2], [-0.5, 0.5, 2]])
    for thin in (2.0**-30, 2.0**-38, 2.0**-44):
        sliver = collide.Mesh([[-1, -thin, 0], [1, -thin, 0], [0.125, 2 * thin, 0]], [[0, 1, 2]])
        for _ in range(5):
            turned = pose(rotation(random), random.normal(size=3))
            meshes, matrices = (sliver, collide.Mesh(tip, [[0, 1, 2]])), (turned, turned)
            for distance in 0.75 * (1 + np.array([-1e-9, -1e-12, 1e-12, 1e-9])):
                assert collide.Near(*meshes, distance).update(*matrices).tolist() == brute(meshes, matrices, distance)
            found = collide.Near(*meshes).nearest(*matrices).distance
            assert found.lo <= 0.75 + 1e-15 and found.hi >= 0.75 - 1e-15 and found.hi - found.lo < 1e-12


def test_triangles_on_a_grid_have_a_common_point_or_not():
    """Most touch: corners on corners, on sides and on faces, sides on sides, in one plane, or without area."""
    random, seen = np.random.default_rng(5), Counter()
    for size in (2, 3, 5):
        for _ in range(50):
            a, b = random.integers(0, size, (2, 3, 3)).tolist()
            known = have_common_point(a, b)
            exact = triangles(*([[Fraction(x) for x in p] for p in own] for own in (a, b))) == 0
            assert known is None or known == exact
            flat = [not any(cross(minus(own[1], own[0]), minus(own[2], own[0]))) for own in (a, b)]
            seen[str(known) if known is not None or any(flat) else "in one plane"] += 1
    assert seen["True"] > 25 and seen["False"] > 25 and seen["in one plane"] < 20


def test_flush_and_touching_faces_are_ordinary():
    for mesh, matrix, distance, some in ((CUBE, pose(shift=(1, 1, 0)), 0.0, True), (OCTAHEDRON, pose(shift=(2.5, 0, 0)), 0.5, True),
                                         (OCTAHEDRON, pose(shift=(2.5, 0, 0)), np.nextafter(0.5, 0), False)):
        found = collide.Near(mesh, mesh, distance).update(HERE, matrix)
        assert found.tolist() == brute((mesh, mesh), (HERE, matrix), distance) and (len(found) > 0) == some


def test_there_is_room_for_any_number_of_pairs(monkeypatch):
    monkeypatch.setattr(collide.polyhedra.distance.proximity, "_ROOM", 1)
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


def test_hulls_overlap_over_a_pit():
    small = collide.Mesh(0.125 * (CORNERS - 0.5), SIDES)
    found = collide.hull_overlap(PIT, small, HERE, pose(shift=(0.5, 0.5, 0.9)))
    assert found.overlap and {18, 19, 20, 21} <= set(found.triangles[0].tolist()) and len(found.triangles[1]) == 12
    assert len(collide.Near(PIT, small).update(HERE, pose(shift=(0.5, 0.5, 0.9)))) == 0
    apart = collide.hull_overlap(PIT, small, pose_b=pose(shift=(0.5, 0.5, 1.25)))
    assert not apart.overlap and all(len(x) == 0 for x in (*apart.faces, *apart.triangles))
