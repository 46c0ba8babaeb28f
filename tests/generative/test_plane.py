"""Regions of the plane (`plane`, `planar_motion`): outlines, arcs by bulges, and motions that keep the plane."""

import pytest
import sympy as sp

from generative import Chain, Curve, Rigid, Screw, axis_angle, curve, plane, prismatic, revolute, solids, t, u
from generative.planar_motion import keeps_plane

R = sp.Rational


def test_outlines_are_strips_with_normals_outward_in_either_order():
    corners = [(0, 0), (2, 0), (2, 1), (0, 1)]
    for order in (corners, corners[::-1]):
        body = plane.polygon(order, name="plate")
        assert body.planar and body.name == "plate" and len(body.faces) == len(body.vertices) == 4
        for face in body.faces:
            middle = {u: sum(face.domain[u]) / 2}
            (px, py), (nx, ny) = ([e.subs(middle) for e in entries[:2]] for entries in (face.expressions, face.normal))
            assert (px - 1) * nx + (py - R(1, 2)) * ny > 0 and face.normal[2] == 0
    assert not solids.box((1, 1, 1)).planar and plane.disc(2).moved(Screw([0, 0, 1], angle=t)).at(1).planar


def test_holes_have_normals_into_them():
    ring = plane.region(curve.circle(2), [curve.circle(1)])
    outer, inner = (f.normal[0].subs(u, 0) for f in ring.faces)
    assert outer > 0 and inner < 0


@pytest.mark.parametrize("bulge", [R(1, 3), -R(1, 2), R(9, 10), 1, -1, 3])
def test_arcs_have_the_bulge_of_dxf(bulge):
    """From (0, 0) to (2, 0) the middle of the arc is at (1, -bulge), on the right of the chord; all of it is on one circle, exactly."""
    pieces = plane.arcs((0, 0), (2, 0), bulge)
    assert len(pieces) == (1 if abs(bulge) < 1 else 2)
    apex = pieces[0].at(R(1, 2)) if len(pieces) == 1 else pieces[1].at(0)
    assert apex[:2] == (1, -bulge)
    height = (1 - R(bulge) ** 2) / (2 * R(bulge))
    for p in pieces:
        x, y, _ = p.expressions
        assert sp.simplify((x - 1) ** 2 + (y - height) ** 2 - 1 - height**2) == 0
    assert plane.arcs((0, 0), (2, 0), 0)[0].expressions == curve.line((0, 0, 0), (2, 0, 0)).expressions


def test_motions_that_keep_the_plane():
    kept = [Screw([0, 0, 1], [1, 2, 0], t), Rigid(translation=[t, t**2, 0]), Rigid(axis_angle((0, 0, 1), sp.pi / 5)), Rigid()]
    lost = [Screw([0, 1, 0], angle=t), Screw([0, 0, 1], angle=t, advance=t), Rigid(translation=[0, 0, 1]),
            Rigid(axis_angle((1, 0, 0), sp.pi))]
    assert all(map(keeps_plane, kept)) and not any(map(keeps_plane, lost))
    arm = Chain({}, [revolute("a", "r", "A", axis=(0, 0, -1)), prismatic("b", "A", "B", axis=(1, 2, 0)),
                     revolute("c", "B", "C", axis=(0, 0, 2), origin=Rigid(translation=[1, 1, 0]))])
    assert all(map(keeps_plane, arm.motions({"a": t, "b": t**2, "c": 1}).values()))
    tilted = Chain({}, [revolute("a", "r", "A", axis=(0, 1, 5))])
    assert not keeps_plane(tilted.motions({"a": t})["A"])
    with pytest.raises(ValueError, match="turns about z and shifts along x and y alone"):
        plane.disc().moved(lost[0])


@pytest.mark.parametrize("make, message", [
    (lambda: plane.region([curve.line((0, 0, 0), (1, 0, 0)), curve.line((1, 0, 0), (0, 1, 0))]), "does not close: piece 1 ends at"),
    (lambda: plane.region(curve.helix()), "does not close|leaves the plane"),
    (lambda: plane.region([]), "a closed Curve, or a list of Curve pieces"),
    (lambda: plane.region([curve.line((0, 0, 0), (1, 0, 0)), curve.line((1, 0, 0), (0, 0, 0))]), "encloses no area"),
    (lambda: plane.region(Curve([sp.cos(u), sp.sin(u), u], (0, 2 * sp.pi))), "leaves the plane z = 0"),
    (lambda: plane.disc(0), "the radius of a disc must be positive"),
    (lambda: plane.polygon([(0, 0), (1, 0)]), "at least three corners"),
    (lambda: plane.disc(1, (0, 0, 1)), "lies in the plane z = 0"),
])
def test_bad_regions_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
