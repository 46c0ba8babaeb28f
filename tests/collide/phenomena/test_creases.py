"""Patches with creases, where a formula changes at a value of a parameter: smooth faces, with the creases as edges."""

import itertools

import numpy as np
import pytest
import sympy as sp

from collide import Budget, Status, first_contact
from collide.bodies.parts import parts_of
from generative import Parameter, ParametricSurface, Screw, t, u, v
from generative.changes import with_formulas
from generative.creases import creased, divided
from generative.divided import Divided
from models.shapes.patches import plane_patch
from tests.collide.contact_scenes import FLOOR, TILT, TURN, TURNED, Q, ball, move, sphere

DOWN = Screw([0, 1, 0], angle=sp.pi / 2)
PLATE = plane_patch(width=8, depth=8)


def pinched(factor, domain):
    """A ball whose points at u and v come nearer to its axis by a factor."""
    return ParametricSurface([sp.cos(u) * sp.cos(v) * factor, sp.sin(u) * sp.cos(v) * factor, sp.sin(v)], domain)


MERIDIAN = pinched(1 - sp.Abs(u) / 10, {u: (-sp.pi, sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(DOWN)
EQUATOR = pinched(1 - sp.Abs(v) / 5, {u: TURN, v: (-sp.pi / 2, sp.pi / 2)}).moved(DOWN)
PIECES = pinched(sp.Piecewise((1 + u / 10, u < 0), (1 - u / 10, True)), {u: (-sp.pi, sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(DOWN)
# In the plane of the crease, a unit circle, at 1/13 from the middle of a unit ball.
BESIDE = 4 - sp.sqrt((1 + sp.sqrt(1 - Q(1, 169))) ** 2 - Q(1, 81))


@pytest.mark.parametrize("body", [MERIDIAN, EQUATOR, PIECES], ids=["meridian", "equator", "pieces"])
@pytest.mark.parametrize("lower", [PLATE, FLOOR, ball().moved(TURNED), sphere()], ids=["plate", "floor", "ball", "sphere"])
def test_a_crease_lands(body, lower):
    flat = lower in (PLATE, FLOOR)
    if body is EQUATOR and not flat:
        pytest.skip("its crease lies across the direction to the ball")
    moved = body.moved(move(Q(1, 9), Q(1, 13), (3 if flat else 4) - t)).moved(TILT)
    c = first_contact([moved, lower.moved(TILT)], (0, 4), budget=Budget(seconds=None, boxes=5_000))
    moment = 2 if flat else BESIDE
    assert c.status is Status.CONTACT and c.proved.all() and len(c) == 1 and c.features[0][0].startswith("edge")
    assert sp.Rational(c.time.lo) <= moment <= sp.Rational(c.time.hi) and c.time.hi - c.time.lo < 1e-12


def test_beside_a_crease():
    """The lowest point of the surface is not on its crease: a point of a piece whose height has no slope."""
    off = pinched(1 - sp.Abs(u - Q(1, 3)) / 10, {u: (-sp.pi, sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(DOWN)
    c = first_contact([off.moved(move(Q(1, 9), Q(1, 13), 3 - t)).moved(TILT), PLATE.moved(TILT)], (0, 4),
                      budget=Budget(seconds=None, boxes=5_000))
    # The height is -cos(u) (1 + (u - 1/3) / 10): its slope vanishes where tan(u) (29 + 3 u) = 3.
    at = sp.nsolve(sp.tan(u) * (Q(29, 30) + u / 10) - Q(1, 10), 0.1, prec=40)
    moment = 3 - sp.cos(at) * (1 + (at - Q(1, 3)) / 10)
    assert c.status is Status.CONTACT and c.proved.all() and len(c) == 1 and c.features == [("face 0", "face 0")]
    assert sp.Float(c.time.lo, 40) <= moment <= sp.Float(c.time.hi, 40) and c.time.hi - c.time.lo < 1e-12


ROOF = ParametricSurface([u, v, 1 - sp.Abs(u) - sp.Max(v, -v)], {u: (-1, 1), v: (-1, 1)})


def test_the_point_of_a_roof_is_a_vertex():
    turned = ROOF.moved(Screw([1, 0, 0], angle=sp.pi)).moved(move(Q(1, 9), Q(1, 13), 3 - t))
    below = ball().moved(move(Q(1, 9), Q(1, 13), 0))
    c = first_contact([turned.moved(TILT), below.moved(TILT)], (0, 4), budget=Budget(seconds=None, boxes=5_000))
    assert c.status is Status.CONTACT and c.features[0][0] == "vertex 4" and c.proved.all() and c.time.lo <= 1 <= c.time.hi
    place = np.array(TILT.rotation, float) @ [1 / 9, 1 / 13, 1]
    assert np.allclose(c.points, place, atol=1e-9) and c.time.hi - c.time.lo < 1e-9


def test_pieces_are_the_surface():
    """At exact points; along the creases both faces are there, with edges and vertices of all that meet."""
    solid = creased(ROOF)
    assert [len(solid.faces), len(solid.edges), len(solid.vertices)] == [4, 12, 9]
    for face in solid.faces:
        assert not any(e.has(sp.Abs, sp.Max) for e in face.body)
        for a, b in ((0, 0), (Q(1, 3), Q(2, 7)), (1, 1)):
            at = {s: lo + w * (hi - lo) for (s, (lo, hi)), w in zip(face.domain.items(), (a, b), strict=True)}
            assert [e.xreplace(at) for e in face.body] == [e.xreplace(at) for e in ROOF.body]
    inner = [e for e in solid.edges if len(e.faces) == 2]
    assert len(inner) == 4 and all(solid.position(e, 0) == solid.position(e, 1) for e in inner)
    assert sorted(len(p.faces) for p in solid.vertices) == [1] * 4 + [2] * 4 + [4]
    assert [p.feature for p in parts_of(EQUATOR) if p.dimension > 0] == ["face 0", "face 1", "edge 0"]


@pytest.mark.parametrize("height", [sp.Piecewise((0, u < 0), (1, True)), sp.Piecewise((0, u < 0), (1, sp.Eq(u, 0)), (0, True)),
                                    sp.Abs(u - t), sp.Abs(u - v), sp.sin(u), sp.Abs(u - 3), sp.Abs(sp.sin(20 * u))])
def test_what_is_not_divided(height):
    assert creased(ParametricSurface([u, v, height], {u: (-1, 1), v: (-1, 1)})) is None


def test_creases_of_members_of_a_family_lie_anywhere(kernels):
    """Places and ends that are no small numbers are data of the family: its members share kernels, however they are divided alike."""
    for k in range(3):
        place, lo, hi = 0.1 + k / 7, -1.1 - k / 9, 0.9 + k / 11
        roof = ParametricSurface([u, v, -sp.Abs(u - place) / 2], {u: (lo, hi), v: (-1, 1)})
        above = ball(Q(1, 4)).moved(move(place, 0, 1 - t))
        c = first_contact([roof, above], (0, Q(11, 10)), budget=Budget(seconds=None, boxes=5_000))
        assert c.status is Status.CONTACT and c.proved.tolist() == [True] and c.features == [("edge 1", "face 0")]
        assert c.time.lo <= 0.75 <= c.time.hi < c.time.lo + 1e-12
        assert k == 0 or not kernels
        kernels.clear()


P, R, S = (Parameter(name) for name in "prs")


@pytest.mark.parametrize(("numbers", "lines"), [
    ((Q(1, 3), Q(1, 2), 1), [-1, P, R, 1]), ((Q(1, 2), Q(1, 3), 1), [-1, R, P, 1]), ((Q(1, 2), Q(1, 2), 1), [-1, P, 1]),
    ((-1, 0, 1), [-1, R, 1]), ((2, Q(1, 3), 1), [-1, R, 1]), ((Q(1, 3), 1, 2), [-1, P, R / S, 1]), ((Q(1, 3), 1, 0), [-1, P, 1]),
    ((-3, 5, 1), None), ((Q(1, 3), Q(1, 3) + Q(1, 10**30), 1), [-1, P, R, 1]),
    ((sp.sqrt(2) / 2, 1, sp.sqrt(2)), [-1, P, 1])])  # fmt: skip
def test_a_member_is_divided_where_its_numbers_say(numbers, lines):
    """At what is inside the domain, in this order, each once; the pieces are the surface with these numbers."""
    known = tuple(zip((P, R, S), map(sp.sympify, numbers), strict=True))
    lines = lines and [e.xreplace({S: 1}) if isinstance(e, sp.Expr) and numbers[2] == 1 else sp.sympify(e) for e in lines]
    whole = ParametricSurface([u, v, sp.Abs(u - P) + sp.Max(S * u - R, v * 0)], {u: (-1, 1), v: (-1, 1)})
    member = divided(whole, known)
    assert (member is whole) if lines is None else isinstance(member, Divided)
    faces = [] if lines is None else creased(member).faces
    ends = [[e.xreplace(dict(known)) for e in f.domain[u]] for f in faces]
    assert ends == [[e.xreplace(dict(known)) for e in pair] for pair in itertools.pairwise(lines or [])]
    for face, (lo, hi) in zip(faces, ends, strict=True):
        assert not any(e.has(sp.Abs, sp.Max) for e in face.body)
        for at in (lo, (lo + 2 * hi) / 3, hi):
            left, right = (s.body[2].xreplace({u: at, **dict(known)}) for s in (face, whole))
            assert sp.simplify(left - right) == 0
    assert lines is None or divided(whole, known) is member


def test_a_divided_surface_stays_so():
    """Moved, at rest, and with other formulas of the time."""
    whole = ParametricSurface([u, v, sp.Abs(u - P) + sp.Abs(t)], {u: (-1, 1), v: (-1, 1)})
    member = divided(whole, ((P, Q(1, 3)),))
    moved = member.moved(move(0, 0, t))
    assert moved != whole.moved(move(0, 0, t)) and moved.resting == member and hash(moved.resting) == hash(member)
    changed = with_formulas(moved, lambda e: e.xreplace({sp.Abs(t): t}))
    assert [len(creased(s).faces) for s in (member, moved, changed)] == [2, 2, 2] and not changed.pieces.faces[0].body[2].has(sp.Abs)
    assert all(f.motion == moved.motion for f in creased(changed).faces)
