"""Hulls of meshes: exact, with caps over concavities."""

import numpy as np
import pytest
import scipy.spatial

import collide
from collide.bodies.convex_hull import convex_hull

from ..polyhedra.solids import CORNERS, CUBE, SIDES, ball

TOP = [t for t in SIDES.tolist() if not all(CORNERS[k][2] == 1 for k in t)]
INNER = [[0.25, 0.25, 1], [0.75, 0.25, 1], [0.75, 0.75, 1], [0.25, 0.75, 1], [0.5, 0.5, 0.5]]
RING = [[1, 5, 9], [1, 9, 8], [5, 7, 10], [5, 10, 9], [7, 3, 11], [7, 11, 10], [3, 1, 8], [3, 8, 11]]
PIT = collide.Mesh(np.vstack([CORNERS, INNER]), TOP + RING + [[8, 9, 12], [9, 10, 12], [10, 11, 12], [11, 8, 12]])


def volume(points, triangles):
    return sum(np.linalg.det(points[t]) for t in triangles) / 6


def test_the_hull_of_random_and_of_flat_points_is_convex_and_full():
    random = np.random.default_rng(0)
    for k in range(60):
        points = random.normal(size=(30, 3)) if k % 2 else random.integers(-2, 3, size=(int(random.integers(6, 40)), 3)).astype(float)
        triangles = convex_hull(points)
        # The check is exact, and another program.
        collide.Closest(collide.Mesh(points, triangles), CUBE)
        assert abs(volume(points, triangles) - scipy.spatial.ConvexHull(points).volume) < 1e-9


def test_nearly_flat_points_far_away():
    """Signs that doubles cannot tell."""
    random = np.random.default_rng(1)
    for _ in range(10):
        points = np.round(random.normal(size=(25, 3)) * 4) * 2.0**-50 + [1, 2, 3]
        collide.Closest(collide.Mesh(points, convex_hull(points)), CUBE)


def test_points_in_a_plane_have_no_hull():
    for points in (CORNERS[:4], CORNERS[[0, 0, 1, 1]], CORNERS[:1]):
        with pytest.raises(ValueError, match="lie in a plane"):
            convex_hull(points)


def test_a_cube_with_a_pit_has_one_cap():
    hull = PIT.hull()
    (cap,) = hull.caps
    assert cap.rim == ((8, 9), (9, 10), (10, 11), (11, 8)) and cap.concavity == (18, 19, 20, 21)
    assert set(np.flatnonzero(~hull.real).tolist()) == set(cap.faces)
    assert (PIT.vertices[hull.triangles[list(cap.faces)], 2] == 1).all() and hull.mesh.closed


def test_a_pit_has_one_loop_and_one_concavity():
    hull = PIT.hull()
    assert hull.caps[0].loops == ((8, 9, 10, 11),) and hull.concavities == ((18, 19, 20, 21),) and hull.caps_of == ((0,),)


def box(low, high):
    return collide.Mesh(np.array(low, float) + (CORNERS - CORNERS.min(axis=0)) * (np.array(high, float) - low), SIDES)


def cut(mesh, *others):
    for other in others:
        mesh = collide.boolean(mesh, other, "difference").mesh
    return mesh


def test_a_hole_that_goes_through_has_two_caps():
    """A plate with a hole, and with a pit beside it."""
    both = cut(box([0, 0, 0], [5, 3, 2]), box([1, 1, -1], [2, 2, 3]), box([3, 1, 1], [4, 2, 3]))
    hull = both.hull()
    assert len(hull.caps) == 3 and sorted(map(len, hull.caps_of)) == [1, 2] and len(hull.concavities) == 2
    (through,) = [caps for caps in hull.caps_of if len(caps) == 2]
    for k in through:
        (loop,) = hull.caps[k].loops
        ring = both.vertices[list(loop), :3]
        assert ring[:, :2].min() == 1 and ring[:, :2].max() == 2 and np.ptp(ring[:, 2]) == 0


def test_loops_round_an_island():
    """A moat round a tower: the cap has an outer loop, counterclockwise, and one round the tower, clockwise."""
    moat = cut(box([1, 1, 1], [4, 4, 3]), box([2, 2, 0], [3, 3, 4]))
    castle = cut(box([0, 0, 0], [5, 5, 2]), moat)
    (cap,) = castle.hull().caps
    rings = [castle.vertices[list(loop), :3] for loop in cap.loops]
    areas = [np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)[2] / 2 for ring in rings]
    assert sorted(areas) == [-1, 9]
    assert {e for loop in cap.loops for e in zip(loop, (*loop[1:], loop[0]), strict=True)} == set(cap.rim)


def test_loops_that_touch_at_a_vertex_are_two():
    rim = ((0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2))
    assert collide.bodies.hull.Cap((), rim, (), ()).loops in (((0, 1, 2), (2, 3, 4)),)


def test_a_convex_mesh_has_no_caps():
    for mesh in (CUBE, ball(1, 40)):
        hull = mesh.hull()
        assert hull.caps == () and hull.real.all() and abs(volume(mesh.vertices[:, :3], hull.triangles) / volume(
            mesh.vertices[:, :3], mesh.triangles) - 1) < 1e-12


def test_a_ball_with_twelve_dimples_has_twelve_caps():
    mesh, golden = ball(3, 400), (1 + 5**0.5) / 2
    places = mesh.vertices[:, :3]
    tips = np.array([p for i in (-1, 1) for j in (-golden, golden) for p in ((0, i, j), (i, j, 0), (j, 0, i))])
    near = (places @ tips.T).max(axis=1) / np.linalg.norm(tips[0]) > np.cos(0.25)
    hull = collide.Mesh(np.where(near[:, None], 0.8 * places, places), mesh.triangles).hull()
    assert len(hull.caps) == 12 and sorted(k for cap in hull.caps for k in cap.concavity) == sorted(
        np.flatnonzero(near[mesh.triangles].any(axis=1)).tolist())


def test_two_pits_in_a_face_are_two_caps_and_a_slot_through_an_edge_is_one():
    """A plate of blocks, of which some are lower: caps are regions, also where one goes over several planes."""
    for low, caps in (([(1, 1), (3, 1)], 2), ([(1, 1), (2, 1)], 1), ([(1, 0)], 1), ([(0, 0)], 1)):
        assert len(blocks(low).hull().caps) == caps, low


def blocks(low):
    """5 x 3 unit columns of height 2, those given of height 1."""
    height = {(i, j): 1 if (i, j) in low else 2 for i in range(5) for j in range(3)}
    cells = {(i, j, k) for (i, j), h in height.items() for k in range(h)}
    quads = []
    for cell in cells:
        for axis in range(3):
            for side in (0, 1):
                step = np.eye(3, dtype=int)[axis] * (2 * side - 1)
                if tuple((np.array(cell) + step).tolist()) not in cells:
                    a, b = np.eye(3, dtype=int)[[(axis + 1) % 3, (axis + 2) % 3]]
                    corner = np.array(cell) + side * np.eye(3, dtype=int)[axis]
                    quad = [corner, corner + a, corner + a + b, corner + b]
                    quads.append([tuple(p.tolist()) for p in (quad if side else quad[::-1])])
    points = sorted({p for q in quads for p in q})
    number = {p: k for k, p in enumerate(points)}
    triangles = [[number[p] for p in t] for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return collide.Mesh(np.array(points, float), triangles)


def test_a_hull_is_of_a_rigid_mesh():
    with pytest.raises(ValueError, match=r"\(2, n, 3\)"):
        collide.Mesh([CORNERS, CORNERS], SIDES).hull()
