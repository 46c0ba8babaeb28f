"""Closing proved by enclosures: what sampling cannot see is refused, what closes up to rounding is accepted with its bound."""

import sys

import pytest
import sympy as sp

import collide
from generative import ParametricSurface, Rigid, Screw, Solid, solids, sweep, t, u, v
from generative.curve import circle, line
from generative.sew import FRACTIONS, borders
from models.shapes import SHAPES
from models.shapes.quadrics import sphere
from models.shapes.solids import box, cylinder, disc

TURN = (0, 2 * sp.pi)


@pytest.mark.parametrize("name", ["cylinder", "cone", "box", "wedge", "capsule", "biconvex_lens", "gear_tooth", "bolt", "bolt_nut",
                                  "hook", "lofted_foot"])
def test_solids_of_the_catalogue_close_exactly(name):
    solid = SHAPES[name].make()
    checked = collide.check_solid(solid.moved(Screw(axis=[1, 2, 3], angle=t)))
    assert checked.closed == "closed: borders proved to coincide exactly" and checked.closed in repr(checked)
    assert checked == solid.moved(Screw(axis=[1, 2, 3], angle=t))  # only the remark is new


@pytest.mark.parametrize("name", ["prism", "dodecahedron"])
def test_solids_whose_coordinates_do_not_cancel_close_within_a_bound(name):
    assert "proved to meet within 1" in collide.check_solid(SHAPES[name].make()).closed
    assert "proved to meet within 1e-13" in collide.check_solid(SHAPES[name].make(), within=1e-13).closed


def bumpy_can(height):
    """A can whose side's upper rim rises between the parameters that `sew` looks at, by about `height`."""
    share = u / (2 * sp.pi)
    bump = sp.prod([share - sp.Rational(str(f)) for f in FRACTIONS]) * 200 * height
    side = ParametricSurface([sp.cos(u), sp.sin(u), v * (2 + bump)], {u: TURN, v: (0, 1)})
    return Solid([side, disc(1, 0, upwards=False), disc(1, 2, upwards=True)])


def test_a_gap_between_the_samples_is_found():
    assert borders(bumpy_can(sp.Rational(1, 1000)).faces)  # raises where samples differ
    with pytest.raises(ValueError, match=r"the side v = 1 of face 0 and the side v = 1 of face 2 are proved to gape by more than"):
        collide.check_solid(bumpy_can(sp.Rational(1, 1000)))
    assert "within 0.01" in collide.check_solid(bumpy_can(sp.Rational(1, 1000)), within=0.01).closed


def test_a_gap_that_opens_in_time_is_found():
    side = sweep.extrude(circle(1 + t / 100), [0, 0, 2])
    solid = Solid([side, disc(1, 0, upwards=False), disc(1, 2, upwards=True)])
    with pytest.raises(ValueError, match="proved to gape"):
        collide.check_solid(solid, time=(0, 1))
    swelling = solids.capped(side)
    assert "closed: borders proved" in collide.check_solid(swelling, time=(0, 1)).closed


def test_faces_that_move_apart_are_found():
    faces = list(cylinder().faces)
    faces[1] = faces[1].moved(Rigid(translation=[0, 0, t]))
    with pytest.raises(ValueError, match="proved to gape"):
        collide.check_solid(Solid(faces), time=(0, 1))


def test_what_cannot_be_decided_is_said(monkeypatch):
    monkeypatch.setattr(sys.modules["collide.queries.check_solid"], "_MOST", 100)
    solid = collide.check_solid(SHAPES["dodecahedron"].make(), within=1e-30)
    assert solid.closed.endswith("neither proved nor refuted")


@pytest.mark.parametrize("budget", [collide.Budget(boxes=100), collide.Budget(seconds=None, boxes=100)])
def test_a_budget_ends_the_work(budget):
    solid = SHAPES["dodecahedron"].make()
    assert collide.check_solid(solid, within=1e-30, budget=budget).closed.endswith("neither proved nor refuted")
    assert collide.check_solid(solid, budget=30).closed.startswith("closed: borders proved")


def test_time_that_is_up_is_told():
    assert "neither proved nor refuted" in collide.check_solid(SHAPES["dodecahedron"].make(), within=1e-30, budget=1e-9).closed


@pytest.mark.parametrize("make, error, message", [
    (lambda: collide.check_solid(box().faces[0]), TypeError, "takes a Solid, got a ParametricSurface"),
    (lambda: collide.check_solid(Solid(box().faces[:5])), ValueError, "meets no other side"),
    (lambda: collide.check_solid(SHAPES["prism"].make(), within=0), ValueError, "within must be a positive number, got 0"),
    # A ball closes exactly, so what it is to close within is not needed.
    (lambda: collide.check_solid(Solid([sphere()]), within=float("nan")), ValueError, "within must be a positive number, got nan"),
    (lambda: collide.check_solid(solids.revolved(line([1, 0, 0], [1, 0, 1])), time=(1, 0)), ValueError, "must go forward"),
])  # fmt: skip
def test_misuse_says_what_to_do(make, error, message):
    with pytest.raises(error, match=message):
        make()
