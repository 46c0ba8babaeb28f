"""Solids from curves against volumes in closed form, and the remarks on what is known of their closing."""

import math

import pytest
import sympy as sp

from collide import distance
from collide.bodies.parts import is_closed
from generative import Curve, ParametricSurface, Rigid, Solid, cap, curve, sew, solids, sweep, t, u, v
from models.shapes.quadrics import sphere
from models.shapes.solids import box, cylinder
from tests.models.test_shapes import quadrature

TURN = (0, 2 * sp.pi)


def volume(solid):
    return sum(quadrature(face)[1] for face in solid.faces)


@pytest.mark.parametrize("solid, features, known", [
    (solids.extruded(curve.ellipse(2, 1), [0, 1, 3]), (3, 2, 0), 6 * sp.pi),
    (solids.revolved(curve.line([2, 0, 0], [1, 0, 3])), (3, 2, 0), 7 * sp.pi),
    (solids.revolved(curve.line([2, 0, 0], [0, 0, 3])), (2, 1, 0), 4 * sp.pi),
    (solids.revolved(Curve([sp.sin(u), 0, -sp.cos(u)], (0, sp.pi))), (1, 0, 0), sp.Rational(4, 3) * sp.pi),
    (solids.revolved(Curve([2 + sp.cos(u), 0, sp.sin(u)], TURN)), (1, 0, 0), 4 * sp.pi**2),
    (solids.lofted([curve.circle(2), Curve([sp.cos(u), sp.sin(u), 3], TURN)]), (3, 2, 0), 7 * sp.pi),
    (solids.lofted([Curve([r * sp.cos(u), r * sp.sin(u), h], TURN) for r, h in ((1, 0), (2, 1), (1, 3))], at=[0, 1, 3]), (3, 2, 0),
     sp.integrate(sp.pi * (1 + v * (3 - v) / 2)**2, (v, 0, 3))),
    (solids.swept(curve.circle(), curve.line([0, 0, 0], [0, 0, 3]), up=(1, 0, 0), scale=1 + u), (3, 2, 0), 7 * sp.pi),
    (solids.swept(curve.ellipse(sp.Rational(1, 2), sp.Rational(1, 4)), curve.arc(2, 0, 3)), (3, 2, 0), sp.pi / 8 * 6),
    (solids.swept(curve.circle(sp.Rational(1, 2)), curve.circle(2)), (1, 0, 0), sp.pi**2),
], ids=["oblique", "frustum", "cone", "ball", "torus", "loft", "uneven loft", "upright cone", "bar", "ring"])  # fmt: skip
def test_volumes(solid, features, known):
    assert (len(solid.faces), len(solid.edges), len(solid.vertices)) == features
    assert volume(solid) == pytest.approx(float(known), rel=1e-9)  # positive: normals outward, caps too


def test_a_loft_passes_through_its_sections():
    sections = [curve.circle(), curve.ellipse(2, 1), curve.circle(sp.Rational(1, 2))]
    surface = sweep.loft(sections, at=[0, 1, 4])
    for place, section in zip((0, 1, 4), sections, strict=True):
        assert all(sp.simplify(e.subs(v, place) - c) == 0 for e, c in zip(surface.body, section.expressions, strict=True))


def test_a_cap_looks_outwards_by_itself():
    for side in (cylinder().faces[0], ParametricSurface(cylinder().faces[0].body, cylinder().faces[0].domain)):
        low, high = (cap(side, (v, end)) for end in (0, 1))
        assert not low.flipped and high.flipped
    swapped = ParametricSurface([sp.cos(v), sp.sin(v), u], {u: (0, 1), v: TURN}, flipped=True)
    assert volume(solids.capped(swapped)) == pytest.approx(float(sp.pi))


def test_what_is_known_of_closing_is_said():
    assert "not checked to close" in repr(box())
    sewn = sew(box().faces)
    assert repr(sewn) == "Solid(6 faces, 12 edges, 8 vertices; closes at sampled points, not proved)"
    moving = sewn.moved(Rigid(translation=[0, 0, t]))
    assert moving.closed == moving.at(1).closed == sewn.closed and isinstance(moving, Solid)
    swelling = sew([ParametricSurface([(1 + t) * e for e in sphere().body], sphere().domain)])
    assert swelling.at(1).closed == "not checked to close"


@pytest.mark.parametrize("make, message", [
    (lambda: solids.capped(sweep.height_field(0, (0, 1), (0, 1))), "only a tube can be capped"),
    (lambda: solids.capped(cylinder().faces[0], (0, 0, 0)), "has 2 open ends, got 1 centres"),
    (lambda: solids.extruded(curve.arc(1, 0, 1), [0, 0, 1]), "only a tube can be capped"),
    (lambda: solids.extruded(curve.circle().reversed(), [0, 0, 1]), "enclose a negative volume"),
    (lambda: solids.revolved(Curve([u, u, 0], (0, 1))), "must lie in the plane y = 0"),
    (lambda: sweep.loft([curve.circle()]), "at least two sections"),
    (lambda: sweep.loft([curve.circle(), curve.circle(2)], at=[1, 0]), "increasing places"),
])  # fmt: skip
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()


R = sp.Rational


@pytest.mark.parametrize("radius, length", [(R(1, 2), 1), (R(9, 100), R(3, 10)), (sp.sqrt(2), 0.1)])
def test_a_capsule_has_the_volume_of_a_cylinder_and_a_ball(radius, length):
    solid = solids.capsule(radius, length, name="link")
    r, h = float(radius), float(length)
    assert volume(solid) == pytest.approx(math.pi * r**2 * h + 4 / 3 * math.pi * r**3, rel=1e-9)
    assert solid == sew(solid.faces) and solid.name == "link"  # the edges that are found at sampled points are those declared


@pytest.mark.parametrize("sizes, radius", [((1, 1, 1), R(1, 8)), ((R(3, 10), 1, 2), R(1, 10))])
def test_a_rounded_box_has_the_volume_of_steiners_formula(sizes, radius):
    solid = solids.rounded_box(sizes, radius)
    a, b, c, r = (float(e) for e in (*(e - 2 * radius for e in sizes), radius))
    steiner = a * b * c + 2 * r * (a * b + b * c + c * a) + math.pi * r**2 * (a + b + c) + 4 / 3 * math.pi * r**3
    assert (len(solid.faces), len(solid.edges), len(solid.vertices)) == (26, 48, 24)
    assert volume(solid) == pytest.approx(steiner, rel=1e-9)


@pytest.mark.parametrize("make, message", [
    (lambda: solids.capsule(0), "the radius of a capsule must be positive"),
    (lambda: solids.capsule(1, -1), "the length of a capsule must be positive"),
    (lambda: solids.rounded_box((1, 1, R(1, 4)), R(1, 8)), "each size of a rounded box less twice its radius 1/8 must be positive"),
])
def test_sizes_that_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_solids_of_a_few_numbers_are_centred():
    """Volumes in closed form, and how far they reach along z."""
    for body, size in ((solids.box([1, 2, 3]), 6.0), (solids.cylinder(1, 3), 3 * math.pi), (solids.sphere(2), 32 / 3 * math.pi),
                       (solids.cone(1, 3), math.pi)):
        assert volume(body) == pytest.approx(size) and is_closed(body)
    tops = solids.box([1, 1, 3]), solids.cylinder(1, 3), solids.sphere(sp.Rational(3, 2)), solids.cone(1, 3)
    plate = solids.box([8, 8, 1])
    for body in tops:
        for sign in (1, -1):
            gap = distance(body, plate.moved(Rigid(translation=[0, 0, 4 * sign]))).bracket
            assert gap.lo <= 2.0 <= gap.hi + 1e-12 and gap.hi < 2.0 + 1e-6
    with pytest.raises(ValueError, match="the height of a cone"):
        solids.cone(1, 0)
    assert solids.sphere(1, name="ball").name == "ball"
