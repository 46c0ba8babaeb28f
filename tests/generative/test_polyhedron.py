"""Polyhedra with concave, pierced and notched faces, by volumes in closed form; and what encloses nothing, or crosses itself."""

import itertools
import math
import pickle
import random
from fractions import Fraction

import pytest
import sympy as sp

from generative import Rigid, hull, polyhedron
from generative.outline import area, cut
from tests.generative.test_solids import volume

ELL = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
BOX = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def prism(outline, low=0, high=1):
    n = len(outline)
    walls = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    return [(*p, z) for z in (low, high) for p in outline], [tuple(range(n))[::-1], tuple(range(n, 2 * n)), *walls]


def box(low, high):
    return list(itertools.product(*zip(low, high, strict=True))), BOX


def both(first, second):
    """Two bodies as one list of vertices and one of faces."""
    n = len(first[0])
    return [*first[0], *second[0]], [*first[1], *(tuple(c + n for c in face) for face in second[1])]


def turned(solid):
    return solid[0], [face[::-1] for face in solid[1]]


@pytest.mark.parametrize("outline, size, patches", [
    (ELL, 3, 8),
    ([(0, 0), (1, 0), (2, 0), (2, 2), (1, 2), (0, 2)], 4, 14),                       # corners on straight sides
    ([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)], 10, 11),                              # a deep notch
    ([(0, 0), (6, 0), (6, 6), (0, 6), (0, 0.5), (5, 0.5), (5, 5), (1, 5), (1, 1), (4, 1), (4, 4), (2, 4), (2, 3), (3, 3), (3, 2),
      (2, 2), (2, 1.5), (0.5, 1.5), (0.5, 5.5), (5.5, 5.5), (5.5, 0.25), (0, 0.25)], None, None),    # a spiral
])  # fmt: skip
def test_faces_of_any_outline_are_filled_exactly(outline, size, patches):
    outline = [(sp.Rational(x), sp.Rational(y)) for x, y in outline]
    if size is None:
        with pytest.raises(ValueError, match="face 0 crosses itself"):
            polyhedron(*prism(outline))
        return
    solid = polyhedron(*prism(outline))
    assert volume(solid) == pytest.approx(size) and len(solid.edges) == 3 * len(outline) and len(solid.vertices) == 2 * len(outline)
    assert patches is None or len(solid.faces) - len(outline) == 2 * sum(1 for _ in cut([(int(x), int(y), 0) for x, y in outline], 0))


def test_a_face_may_come_to_its_vertices_twice_as_round_a_hole():
    """A block of 4 x 4 x 1 with a hole of 2 x 2: the ring is one outline, with a line from the outer to the inner border."""
    outer, inner = [(0, 0), (4, 0), (4, 4), (0, 4)], [(1, 1), (1, 3), (3, 3), (3, 1)]
    vertices = [(*p, z) for z in (0, 1) for p in (*outer, *inner)]
    top = (8, 9, 10, 11, 8, 12, 13, 14, 15, 12)
    walls = [(k, (k + 1) % 4, 8 + (k + 1) % 4, 8 + k) for k in range(4)]
    holes = [(4 + k, 4 + (k + 1) % 4, 12 + (k + 1) % 4, 12 + k) for k in range(4)]
    assert volume(polyhedron(vertices, [top, tuple(c - 8 for c in reversed(top)), *walls, *holes])) == pytest.approx(12)


def test_irrational_corners_are_as_good():
    star = [(r * sp.cos(sp.pi * k / 5), r * sp.sin(sp.pi * k / 5)) for k in range(10) for r in (1 if k % 2 else 2,)]
    assert volume(polyhedron(*prism(star))) == pytest.approx(float(10 * sp.sin(sp.pi / 5)))


@pytest.mark.parametrize("made, message", [
    (prism([(0, 0), (2, 2), (2, 0), (0, 2)]), "face 0 is degenerate"),
    (prism([(0, 0), (3, 3), (3, 0), (0, 2)]), "face 0 crosses itself"),
    (prism([(0, 0), (4, 0), (4, 4), (2, 4), (2, 6), (2, 1), (0, 4)]), "face 0 crosses itself"),
    (both(box((0, 0, 0), (2, 2, 2)), box((1, 1, 1), (3, 3, 3))), "the polyhedron crosses itself: faces 3 and 6 do"),
    (both(box((0, 0, 0), (2, 2, 2)), box((1, 1, 2), (3, 3, 3))), "the polyhedron is degenerate: faces 5 and 10 lie on each other"),
    (both(box((0, 0, 0), (2, 2, 2)), box((0, 0, 0), (2, 2, 2))), "edges belong to more than two faces"),
    (both(box((0, 0, 0), (1, 1, 1)), box((0, 1, 1), (1, 2, 2))), "1 edge belongs to more than two faces"),
    (turned(prism(ELL)), "is inside out"),
    ((box((0, 0, 0), (1, 1, 1))[0], [(0, 1, 3, 3, 2), *BOX[1:]]), "face 0 needs at least three different vertices, none of them twice"),
    (([*box((0, 0, 0), (1, 1, 1))[0][:7], (1, 1, 1.001)], BOX), "face 5 is not flat"),
])  # fmt: skip
def test_what_is_no_body_is_refused_by_name(made, message):
    with pytest.raises(ValueError, match=message):
        polyhedron(*made)


def test_bodies_may_touch_themselves():
    """In a corner that is in a face, and in a corner of both."""
    tip = ([(1, 1, 2), (0, 0, 3), (2, 0, 3), (1, 2, 3)], [(0, 2, 1), (0, 3, 2), (0, 1, 3), (1, 2, 3)])
    assert volume(polyhedron(*both(box((0, 0, 0), (2, 2, 2)), tip))) == pytest.approx(8 + 2 / 3)
    assert volume(polyhedron(*both(box((0, 0, 0), (1, 1, 1)), box((1, 1, 1), (2, 2, 2))))) == pytest.approx(2)


@pytest.mark.parametrize("seed", range(5))
def test_outlines_are_covered_once(seed):
    """Random star-shaped outlines, with corners on their sides: patches are convex, and their areas add up to that of the outline."""
    draw = random.Random(seed)
    angles = sorted(draw.uniform(0, 6.2) for _ in range(12))
    ring = [(2 * round(r * math.cos(a)), 2 * round(r * math.sin(a))) for a in angles for r in (draw.uniform(200, 1000),)]
    k = draw.randrange(11)
    ring.insert(k + 1, ((ring[k][0] + ring[k + 1][0]) // 2, (ring[k][1] + ring[k + 1][1]) // 2))
    whole = sum(area((0, 0), a, b) for a, b in zip(ring, [*ring[1:], ring[0]], strict=True))
    parts = [area(*(ring[i] for i in (piece[0], *piece[j:j + 2]))) for piece in cut([(*p, 3 * p[0] - p[1]) for p in ring], 0)
             for j in range(1, len(piece) - 1)]
    assert min(parts) > 0 and sum(parts) == whole


def test_formulas_are_written_when_they_are_asked_for():
    """A body that was moved, named or copied before is equal to one that was afterwards."""
    first, second = (hull([(Fraction(i, 3), j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]) for _ in (0, 1))
    move = Rigid(translation=[1, 2, 3])
    early = first.moved(move).named("a")
    copied = pickle.loads(pickle.dumps(early))
    assert len(second.faces) == 6
    late = second.moved(move).named("a")
    assert early == late == copied and hash(early) == hash(late) and early.resting == second and early.name == copied.name == "a"
    assert early.moved(move.inverse()).faces[0].expressions == second.faces[0].expressions
