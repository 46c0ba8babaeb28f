"""Drawings that ezdxf writes, as regions: their places are known in closed form."""

import math

import pytest
import sympy as sp

import collide
from generative import Rigid, curve, plane, t, u
from generative.dxf import regions_from_dxf
from generative.outlines_apart import meeting

ezdxf = pytest.importorskip("ezdxf")
IN, OUT = collide.Kind.IN, collide.Kind.OUT


@pytest.fixture
def drawing(tmp_path):
    """A function that writes what is drawn, and reads it."""
    def read(draw, **options):
        document = ezdxf.new(units=4)
        draw(document.modelspace(), document)
        document.saveas(tmp_path / "drawing.dxf")
        return regions_from_dxf(tmp_path / "drawing.dxf", **options)

    return read


def kinds(region, *places):
    return collide.classify(region, [(*p, 0) for p in places]).tolist()


def test_a_plate_of_lines_and_arcs_with_a_hole(drawing):
    """A slot of length 2 and radius 1, drawn by lines and arcs in any order and direction, with a circle in it, and a text."""
    def draw(model, _):
        model.add_line((2, 1), (0, 1))
        model.add_arc((2, 0), 1, -90, 90)
        model.add_line((2, -1), (0, -1))
        model.add_arc((0, 0), 1, 90, 270)
        model.add_circle((0, 0), 0.5)
        model.add_text("plate")

    found = drawing(draw)
    (plate,) = found.regions
    assert found.unit == "millimetres" and "TEXT" in found.notes[0] and "apart were made one" in found.notes[1]
    assert kinds(plate, (0.7, 0), (0, 0), (2.9, 0), (2.8, 0.8), (-0.9, 0.2)) == [IN, OUT, IN, OUT, IN]
    ball = plane.disc(sp.Rational(1, 2)).moved(Rigid(translation=[5 - t, 0, 0]))
    contacts = collide.first_contact([plate, ball], (0, 3))
    assert contacts.time.lo - 1e-12 <= 1.5 <= contacts.time.hi + 1e-12


def test_bulges_mirrored_frames_and_repeated_corners(drawing):
    """Bulge 1 from (0, 0) to (2, 0) passes (1, -1); a frame seen from below has x the other way; a last corner that repeats the first."""
    def draw(model, _):
        model.add_lwpolyline([(0, 0, 1), (2, 0, 0), (2, 2, 0), (0, 2, 0)], format="xyb", close=True)
        model.add_lwpolyline([(5, 0, 1), (7, 0, 0), (7, 2, 0), (5, 2, 0), (5, 0, 0)], format="xyb", close=True,
                             dxfattribs={"extrusion": (0, 0, -1)})
        model.add_circle((20, 0), 1, dxfattribs={"extrusion": (0, 0, -1)})

    first, second, disc = drawing(draw, scale=2).regions
    assert kinds(first, (2, -1.9), (2, -2.1), (2, 1)) == [IN, OUT, IN]
    assert kinds(second, (-12, -1.9), (-12, -2.1), (-12, 1), (12, 1)) == [IN, OUT, IN, OUT]
    assert kinds(disc, (-40, 0), (40, 0)) == [IN, OUT]


def test_arcs_wrap_round_and_blocks_are_inserted(drawing):
    """An arc from 350 to 10 degrees passes 0; a mirrored block gives arcs that end below their start."""
    def draw(model, document):
        block = document.blocks.new("pie")
        a = math.radians(10)
        block.add_arc((0, 0), 1, 350, 10)
        block.add_line((math.cos(a), math.sin(a)), (0, 0))
        block.add_line((0, 0), (math.cos(a), -math.sin(a)))
        model.add_blockref("pie", (0, 0))
        model.add_blockref("pie", (10, 0), dxfattribs={"xscale": -1})

    first, second = drawing(draw).regions
    assert kinds(first, (0.99, 0), (-0.5, 0), (1.01, 0)) == [IN, OUT, OUT]
    assert kinds(second, (9.01, 0), (10.5, 0), (8.99, 0)) == [IN, OUT, OUT]


def test_splines_and_ellipses(drawing):
    def draw(model, _):
        model.add_open_spline([(0, 0), (1, 2), (3, 2), (4, 0)], degree=3)
        model.add_line((0, 0), (4, 0))
        model.add_ellipse((10, 0), (2, 0), 0.5)

    leaf, ellipse = drawing(draw).regions
    # The cubic Bezier curve is at (2, 3/2) in the middle.
    assert kinds(leaf, (2, 1.49), (2, 1.51), (2, -0.1)) == [IN, OUT, OUT]
    assert kinds(ellipse, (11.9, 0), (10, 0.99), (10, 1.01)) == [IN, IN, OUT]


def circles(*given):
    return lambda model, _: [model.add_circle(centre, radius) for centre, radius in given]


@pytest.mark.parametrize("draw", [
    circles(((0, 0), 10), ((8, 0), 5)),
    circles(((0, 0), 10), ((5, 0), 5)),
    circles(((0, 0), 10), ((15, 0), 5)),
    circles(((0, 0), 10), ((0, 0), 10)),
    lambda m, d: [m.add_circle((0, 0), 1), m.add_lwpolyline([(-2, 1), (2, 1), (0, 5)], close=True)],
    lambda m, d: [m.add_ellipse((0, 0), (2, 0), 0.5), m.add_ellipse((0, 0), (0, 2), 0.5)],
    lambda m, d: [m.add_lwpolyline(own, close=True) for own in ([(0, 0), (4, 0), (4, 4), (0, 4)], [(4, 1), (6, 1), (6, 3), (4, 3)])],
    lambda m, d: [m.add_lwpolyline([(0, 0, 0.5), (4, 0, 0.3), (2, 5, 1)], format="xyb", close=True) for _ in range(2)],
], ids=["cross", "touch from within", "touch from outside", "one place", "tangent line", "ellipses", "flush sides", "drawn twice"])
def test_outlines_that_meet_are_refused_by_name(drawing, draw):
    """In closed form: circles meet where the distance of centres is between the difference and the sum of radii."""
    entities = []

    def watched(model, document):
        draw(model, document)
        entities.extend(f"{e.dxftype()} {e.dxf.handle}" for e in model)

    with pytest.raises(ValueError, match=r"cross, touch or lie on each other|branches at") as told:
        drawing(watched)
    assert all(name in str(told.value) for name in entities)


@pytest.mark.parametrize("gap", [1e-3, 1e-5])
def test_outlines_apart_by_a_little_more_than_join_are_taken(drawing, gap):
    """A circle within another one, of radius 1, and apart from it by a gap at the nearest place."""
    (ring,) = drawing(circles(((0, 0), 1), ((0.5 - gap, 0), 0.5))).regions
    assert len(ring.faces) == 2 and kinds(ring, (0.5, 0), (-0.5, 0)) == [OUT, IN]


def test_outlines_nearer_than_join_are_refused():
    """Proved by `outlines_apart.meeting` on circles with a gap: apart for a less one, and named for a greater one."""
    inner, outer = ([(curve.Curve([r * sp.cos(u), r * sp.sin(u), 0], (0, 2 * sp.pi)), name)] for r, name in ((0.99, "a"), (1, "b")))
    assert meeting([inner, outer], 1e-3) is None and meeting([inner, outer], 0.1) == ("a", "b") and meeting([inner], 1e-3) is None


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "cut.dxf"
    path.write_text("  0\nSECTION\n  2\nENTITIES\n  0\nLINE\n  8\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"is no DXF file that ezdxf reads|has no closed outline"):
        regions_from_dxf(path)


@pytest.mark.parametrize("draw, message", [
    (lambda m, d: m.add_line((0, 0), (1, 0)), r"an outline is open at \(0\.0, 0\.0\), at an end of LINE"),
    (lambda m, d: [m.add_line((0, 0), e) for e in ((1, 0), (0, 1), (1, 1))], "an outline branches at"),
    (lambda m, d: m.add_text("x"), "has no closed outline"),
    (lambda m, d: m.add_circle((0, 0), 1, dxfattribs={"extrusion": (0, 1, 0)}), "CIRCLE .* lies in another plane"),
    (lambda m, d: m.add_line((0, 0, 1), (1, 0, 1)), "LINE .* leaves the plane"),
    (lambda m, d: m.add_ellipse((0, 0), (2, 0), 0.5, 0, 1), "ELLIPSE .* is a part of an ellipse"),
    (lambda m, d: m.add_spline([(0, 0), (1, 1), (2, 0)]), "SPLINE .* has fit points alone"),
    (lambda m, d: m.add_3dface([(0, 0), (1, 0), (1, 1)]), "3DFACE .* is no line, arc"),
])
def test_what_is_no_outline_is_named(drawing, draw, message):
    with pytest.raises(ValueError, match=message):
        drawing(draw)
