"""Booleans of polyhedra (`parts`, `surfaces`, `crossings`, `arrangement`, `inside`) against exact volumes of boxes on a grid and of inputs
that fail elsewhere, and against points classified in both operands.
"""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

import collide
from collide import Index, Kind

CORNERS = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
FACES = np.array([t for a, b, c, d in QUADS for t in ([a, b, c], [a, c, d])])
OPERATIONS = "union", "intersection", "difference"


def box(low, high):
    return np.array(low) + CORNERS * (np.array(high) - np.array(low)), FACES


def size(low, high):
    sides = [max(Fraction(0), Fraction(b) - Fraction(a)) for a, b in zip(low, high, strict=True)]
    return sides[0] * sides[1] * sides[2]


def drawn(rng):
    low = [rng.randint(0, 3) / 2 for _ in range(3)]
    return low, [a + rng.randint(1, 3) / 2 for a in low]


@pytest.mark.parametrize("seed", range(12))
def test_boxes_on_a_grid_have_the_exact_volume(seed):
    """Their faces, edges and corners often coincide."""
    rng = random.Random(seed)
    (a, b), (c, d) = drawn(rng), drawn(rng)
    shared = size([max(p) for p in zip(a, c, strict=True)], [min(p) for p in zip(b, d, strict=True)])
    expected = {"union": size(a, b) + size(c, d) - shared, "intersection": shared, "difference": size(a, b) - shared}
    for operation, volume in expected.items():
        result = collide.boolean(box(a, b), box(c, d), operation)
        assert result.volume == volume and (result.mesh is None) == (volume == 0)
        if result.mesh is not None:
            assert result.mesh.closed and result.mesh.misturned is None and result.moved < 1e-15


def turned(mesh):
    """By the rational rotation (2, 1, 2 | -2, 2, 1 | -1, -2, 2) / 3 of doubles, whose rows are orthogonal up to roundings."""
    vertices, faces = mesh
    return vertices @ (np.array([[2.0, 1, 2], [-2, 2, 1], [-1, -2, 2]]) / 3).T + [0.25, 0.5, 0.125], faces


@pytest.mark.parametrize("operation", OPERATIONS)
def test_points_are_where_both_operands_say(operation):
    a, b = box([-1, -1, -1], [1, 1, 1]), turned(box([-1, -1, -0.5], [1, 0.75, 1]))
    result, points = collide.boolean(a, b, operation), np.random.default_rng(1).uniform(-2, 2, (60, 3))
    first, second = (Index(collide.Mesh(*mesh)).classify(points)[0] == Kind.IN for mesh in (a, b))
    expected = {"union": first | second, "intersection": first & second, "difference": first & ~second}[operation]
    assert ((result.classify(points) == Kind.IN) == expected).all()


def test_volumes_add_up():
    a, b = box([-1, -1, -1], [1, 1, 1]), turned(box([-1, -1, -0.5], [1, 0.75, 1]))
    volume = {operation: collide.boolean(a, b, operation).volume for operation in OPERATIONS}
    assert volume["union"] == volume["intersection"] + volume["difference"] + collide.boolean(b, a, "difference").volume
    assert volume["difference"] + volume["intersection"] == 8


def test_a_body_with_itself():
    mesh = turned(box([-1, -1, -0.5], [1, 0.75, 1]))
    union, empty = collide.boolean(mesh, mesh, "union"), collide.boolean(mesh, mesh, "difference")
    assert union.volume == collide.boolean(mesh, mesh, "intersection").volume and len(union.mesh.triangles) == 12
    assert empty.volume == 0 and empty.mesh is None and empty.classify([[0, 0, 0]]).tolist() == [Kind.OUT]


def test_walls_without_thickness_vanish():
    """Two boxes side by side are one; their common face is inside."""
    result = collide.boolean(box([0, 0, 0], [1, 1, 1]), box([1, 0, 0], [2, 1, 1]), "union")
    kinds = result.classify([[1, 0.5, 0.5], [1, 0.5, 1], [1, 0, 0], [2, 0.5, 0.5], [3, 0, 0]]).tolist()
    assert kinds == [Kind.IN, Kind.FACE, Kind.FACE, Kind.FACE, Kind.OUT] and result.volume == 2


@pytest.mark.parametrize("shift", [0.0, 1e5, 2.0**40])
def test_slabs_and_places_far_away_are_exact(shift):
    """A slab of 2^-40 is cut off a box, also where doubles are 2^-12 apart."""
    thin = 2.0**-40 if not shift else float(np.spacing(shift + 1))
    a, b = box([shift] * 3, [shift + 1] * 3), box([shift, shift, shift + thin], [shift + 1, shift + 1, shift + 2])
    assert collide.boolean(a, b, "difference").volume == Fraction(thin)
    assert collide.boolean(a, b, "intersection").volume == 1 - Fraction(thin)


def test_bodies_apart_and_inside_each_other():
    small, large = box([0.25] * 3, [0.75] * 3), box([0] * 3, [1] * 3)
    assert collide.boolean(large, small, "difference").volume == Fraction(7, 8)
    assert collide.boolean(large, small, "union").volume == 1 and collide.boolean(small, large, "difference").mesh is None
    assert collide.boolean(small, box([2] * 3, [3] * 3), "intersection").volume == 0


def tetrahedron(*corners):
    """With its volume."""
    (a, b, c), d = ([Fraction(x) - Fraction(y) for x, y in zip(p, corners[3], strict=True)] for p in corners[:3]), corners[3]
    volume = sum(a[k] * (b[k - 2] * c[k - 1] - b[k - 1] * c[k - 2]) for k in range(3)) / 6
    faces = np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
    return (np.array([*corners[:3], d]), faces if volume > 0 else faces[:, ::-1]), abs(volume)


def test_a_face_that_tetrahedra_share_is_inside_their_union():
    """manifold3d keeps it (its issue 1656)."""
    face = (-0.856016, 34.2002, -32.2128), (-38.7507, -48.6049, 35.289), (-2.36607, -39.6614, -41.2837)
    (a, first), (b, second) = (tetrahedron(*face, p) for p in ((-2.22164, -18.9363, -7.25029), (-19.3048, -17.6092, -15.2126)))
    union = collide.boolean(a, b, "union")
    assert union.volume == first + second and union.mesh.triangles.shape == (6, 3)
    assert collide.boolean(a, b, "intersection").mesh is None and collide.boolean(a, b, "difference").volume == first


def test_boxes_that_kiss_along_an_edge_stay_closed():
    union = collide.boolean(box([0, 0, 0], [1, 1, 1]), box([1, 1, 0], [2, 2, 1]), "union")
    assert union.volume == 2 and union.mesh.closed and len(union.mesh.triangles) == 24
    assert collide.boolean(box([0, 0, 0], [1, 1, 1]), box([1, 1, 0], [2, 2, 1]), "intersection").mesh is None


def test_a_box_on_a_face_of_a_larger_box():
    large, small = box([-100, -100, -1], [100, 100, 0]), box([-0.5, -0.5, 0], [0.5, 0.5, 1])
    union = collide.boolean(large, small, "union")
    assert union.volume == 40001 and union.mesh.closed and union.classify([[0, 0, 0], [0.5, 0.5, 0]]).tolist() == [Kind.IN, Kind.FACE]


def sphere(n):
    turn, down = 2 * np.pi * np.arange(n) / n, np.pi * np.arange(1, n) / n
    rings = np.array([[np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)] for b in down for a in turn])
    ring, last = [(k, (k + 1) % n) for k in range(n)], (n - 1) * n + 1
    faces = [[0, 1 + a, 1 + b] for a, b in ring] + [[last - n + b, last - n + a, last] for a, b in ring]
    for k in range(1, last - n, n):
        faces += [f for a, b in ring for f in ([k + a, k + n + a, k + n + b], [k + a, k + n + b, k + b])]
    return np.concatenate([[[0, 0, 1]], rings, [[0, 0, -1]]]), np.array(faces)


def test_a_copy_turned_in_two_steps_leaves_what_rounding_left():
    """The coordinates differ in their last bits: all that remains is thinner than a roundoff, and closed."""
    def about_z(angle):
        return np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])

    vertices, faces = sphere(8)
    once, twice = vertices @ about_z(np.pi / 6).T, vertices @ (about_z(np.pi / 18) @ about_z(np.pi / 9)).T
    difference, back = (collide.boolean((p, faces), (q, faces), "difference") for p, q in ((once, twice), (twice, once)))
    whole = collide.boolean((once, faces), (twice, faces), "intersection")
    assert difference.mesh is None or difference.mesh.closed
    alone = collide.boolean((once, faces), box([5] * 3, [6] * 3), "difference")
    assert 0 <= difference.volume < 1e-15 and difference.volume + whole.volume == alone.volume
    assert whole.volume + difference.volume + back.volume == collide.boolean((once, faces), (twice, faces), "union").volume


def test_bad_input_is_refused_by_name():
    good = box([0] * 3, [1] * 3)
    with pytest.raises(ValueError, match='"union", "intersection" or "difference", got \'minus\''):
        collide.boolean(good, good, "minus")
    with pytest.raises(ValueError, match="the second mesh has a hole at edge"):
        collide.boolean(good, (CORNERS, FACES[:-1]), "union")
    with pytest.raises(ValueError, match="of the first mesh, triangle"):
        collide.boolean((CORNERS, FACES[:, ::-1]), good, "union")
    with pytest.raises(ValueError, match="triangle 12 of the first mesh has no area"):
        flat = np.vstack([CORNERS, [[2, 0, 0], [3, 0, 0], [4, 0, 0]]]), np.vstack([FACES, [[8, 9, 10], [8, 10, 9]]])
        collide.boolean(flat, good, "union")
