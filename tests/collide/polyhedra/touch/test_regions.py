"""Contact regions of polyhedra: solids of unit cubes, whose common cells are joined by whole numbers, and a table on its feet."""

import itertools

import numpy as np
import pytest

import collide
from collide import Mesh, touch
from collide.bodies.convex_hull import convex_hull
from generative import IDENTITY, Rigid

from ..location.test_index import CORNERS, TRIANGLES
from ..voxels import SHEAR, _bad, mesh_of, voxels


def block(low, high):
    return Mesh(np.array(low, float) + CORNERS * (np.array(high, float) - low), TRIANGLES)


def united(*blocks):
    return blocks[0] if len(blocks) == 1 else collide.boolean(united(*blocks[:-1]), blocks[-1], "union").mesh


def parts_in_common(one, other):
    """The component of each corner of the lattice that is in both solids: cubes meet in common corners, sides and squares."""
    label = {}
    for a, b in itertools.product(np.argwhere(one).tolist(), np.argwhere(other).tolist()):
        ranges = [range(max(p, q), min(p, q) + 2) for p, q in zip(a, b, strict=True)]
        corners = list(itertools.product(*ranges))
        known = {label.setdefault(c, c) for c in corners}
        least = min(known, default=None)
        label = {c: least if own in known else own for c, own in label.items()}
    return label


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("matrix", [np.eye(3), SHEAR])
def test_regions_of_cubes(seed, matrix):
    g = np.random.default_rng(seed)
    one = voxels(g, 3, 0.35)
    other = next(b for b in (~one & (g.random(one.shape) < 0.4) for _ in range(10_000)) if b.any() and not _bad(b).any())
    found = touch(mesh_of(one, g, matrix), mesh_of(other, g, matrix))
    label = parts_in_common(one, other)
    at = np.round(np.array([c.point for c in found.contacts]).reshape(-1, 3) @ np.linalg.inv(matrix).T * 2) / 2
    own = [label[tuple(p)] for p in np.floor(at).astype(int).tolist()]
    assert len(set(own)) == len(set(label.values())) == len(found.faces)
    assert len(set(zip(own, found.regions.tolist(), strict=True))) == len(found.faces)


def test_a_table_has_a_region_for_each_foot():
    table = united(block([0, 0, 1], [5, 3, 2]), *(block([x, y, 0], [x + 1, y + 1, 1]) for x in (0, 4) for y in (0, 2)))
    floor = block([-1, -1, -1], [9, 4, 0])
    found = touch(table, floor)
    assert len(found.contacts) == 16 and len(found.faces) == 4 and "4 regions" in found.summary()
    assert sorted(np.bincount(found.regions).tolist()) == [4, 4, 4, 4]
    # Two feet are over the edge of the floor.
    assert len(touch(table, floor, (Rigid(translation=[-3, 0, 0]), IDENTITY)).faces) == 2


def test_regions_on_one_face_are_told_apart():
    """A bar lies across both legs of a U, whose upper side is one face: by a path along the base they would be one."""
    fork = united(block([0, 0, 0], [3, 1, 1]), block([0, 1, 0], [1, 4, 1]), block([2, 1, 0], [3, 4, 1]))
    bar = block([-1, 2, 1], [4, 3, 2])
    legs = touch(bar, fork)
    assert len(legs.faces) == 2 and legs.faces[0] & legs.faces[1]
    assert len(touch(bar, fork, (Rigid(translation=[0, -1.5, 0]), IDENTITY)).faces) == 1
    # With a tolerance contacts on a common pair of faces count as one.
    assert len(touch(bar, fork, tolerance=1e-3).faces) == 1


def test_a_frame_is_one_region_with_a_hole():
    frame = collide.boolean(block([0, 0, 0], [3, 3, 1]), block([1, 1, -1], [2, 2, 2]), "difference").mesh
    found = touch(block([-1, -1, 1], [4, 4, 2]), frame)
    assert len(found.contacts) == 8 and len(found.faces) == 1


def test_no_regions_apart_or_inside():
    for shift in (3, 0.5):
        found = touch(block([0, 0, 0], [1, 1, 1]), block([0, 0, 0], [1, 1, 1]), (Rigid(translation=[shift, 0, 0]), IDENTITY))
        assert found.faces == () and found.regions.shape == (0,)


def test_convex_bodies_touch_in_one_region():
    """Both sets are convex, so what they have in common is; and neither is the first one."""
    g, seen = np.random.default_rng(7), 0
    for _ in range(60):
        one, other = (hull_of(g.integers(-2, 3, (9, 3)).astype(float)) for _ in range(2))
        rise = other.vertices[:, 2].max() - one.vertices[:, 2].min()
        up = Rigid(translation=[*g.integers(-1, 2, 2).tolist(), rise])
        found, turned = touch(one, other, (up, IDENTITY)), touch(other, one, (IDENTITY, up))
        assert len(found.faces) == len(turned.faces) == (1 if found.contacts else 0)
        seen += bool(found.contacts)
    assert seen > 5


def hull_of(points):
    corners, triangles = np.unique(convex_hull(points), return_inverse=True)
    return Mesh(points[corners], triangles.reshape(-1, 3))
