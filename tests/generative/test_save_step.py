"""Solids written to STEP files (`saved`, `step.writer`, `built`, `recognized`) and read again. Volumes are closed forms."""

import math
import os
import re
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import collide
from generative import Curve, Parameter, Rigid, Solid, axis_angle, curve, solids, t, u, v
from generative.surface import ParametricSurface

pytest.importorskip("OCP", reason="OpenCASCADE (extra `cad`) is not installed")

from generative.step import save_step, solids_from_step


def again(solid: Solid, folder: Path, unit: str = "mm") -> Solid:
    solid.save_step(folder / "part.step", unit)
    (found,) = solids_from_step(folder / "part.step", unit)
    return found


def ring() -> Solid:
    return solids.revolved(Curve([3 + sp.cos(u), 0, sp.sin(u)], (0, 2 * sp.pi)))


def prism() -> Solid:
    triangle = [[(0, 0, k), (4, 0, k), (2, 5, k), (0, 0, k)] for k in (0, 2)]
    return solids.lofted([curve.bezier(points) for points in triangle])


# The solid, its volume, the height of its top, and an entity of the file.
SOLIDS: dict[str, tuple[Any, float, float, str]] = {
    "box": (lambda: solids.box((1, 2, 3)), 6.0, 1.5, "PLANE"),
    "cylinder": (lambda: solids.cylinder(2, 3), 12 * math.pi, 1.5, "CYLINDRICAL_SURFACE"),
    "cone": (lambda: solids.cone(2, 3), 4 * math.pi, 1.5, "CONICAL_SURFACE"),
    "sphere": (lambda: solids.sphere(2), 32 / 3 * math.pi, 2.0, "SPHERICAL_SURFACE"),
    "torus": (ring, 6 * math.pi**2, 1.0, "TOROIDAL_SURFACE"),
    "extruded": (lambda: solids.extruded(curve.ellipse(2, 1), [0, 0, 3]), 6 * math.pi, 3.0, "SURFACE_OF_LINEAR_EXTRUSION"),
}
MORE: dict[str, tuple[Any, float, str]] = {
    # The kernel counts angles of an ellipse from its longer axis: the seam is a quarter of a turn before that.
    "slanted, longer along y": (lambda: solids.extruded(curve.ellipse(1, 2), [1, sp.Rational(1, 2), 3]), 6 * math.pi, "ELLIPSE"),
    "turned cylinder": (lambda: solids.cylinder(2, 3).moved(Rigid(axis_angle([1, 2, 3], 0.7), [1, 2, 3])), 12 * math.pi, "CYLINDRICAL"),
    # Its outline is the cubic (12 s (1 - s)^2 + 6 s^2 (1 - s), 15 s^2 (1 - s)), of the area 3; a closed spline of one piece.
    "extruded cubic": (prism, 6.0, "B_SPLINE_SURFACE"),
    # (4 - 2)^3 + 6 faces 2 x 2 x 1, 12 quarters of cylinders of length 2, and a ball.
    "rounded box": (lambda: solids.rounded_box((4, 4, 4), 1), 8 + 24 + 6 * math.pi + 4 / 3 * math.pi, "SPHERICAL_SURFACE"),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_what_is_read_again_is_what_was_written(name: str, tmp_path: Path) -> None:
    make, volume, top, entity = SOLIDS[name]
    solid = make()
    found = again(solid, tmp_path)
    assert f"= {entity}(" in (tmp_path / "part.step").read_text()
    assert found.closed.startswith("closed") and found.gap < 1e-11
    assert collide.mass_properties(found).volume == pytest.approx(volume, rel=1e-11)
    # A ball of radius 1 falls onto the top of the torus or of the others, from the height top + 3, at the speed 1.
    ball = solids.sphere(1).moved(Rigid(translation=[sp.S(3) if name == "torus" else 0, 0, sp.Rational(top) + 3 - t]))
    for body in (solid, found):
        contact = collide.first_contact([ball, body], time=(0, 4))
        assert contact.time.lo - 1e-9 <= 2.0 <= contact.time.hi + 1e-9 and contact.time.hi - contact.time.lo < 1e-6


@pytest.mark.parametrize("name", MORE)
def test_other_kinds_of_faces(name: str, tmp_path: Path) -> None:
    make, volume, entity = MORE[name]
    found = again(make(), tmp_path)
    assert entity in (tmp_path / "part.step").read_text()
    assert found.closed.startswith("closed")
    assert collide.mass_properties(found).volume == pytest.approx(volume, rel=1e-11)


def test_units_and_what_the_kernel_prints(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert collide.mass_properties(again(solids.sphere(2), tmp_path, "in")).volume == pytest.approx(32 / 3 * math.pi, rel=1e-11)
    (found,) = solids_from_step(tmp_path / "part.step", unit="mm")
    assert collide.mass_properties(found).volume == pytest.approx(32 / 3 * math.pi * 25.4**3, rel=1e-11)
    assert "Transfer" not in capfd.readouterr().out
    with pytest.raises(ValueError, match="the unit of lengths must be one of m, cm, mm, in, ft, got 'inch'"):
        save_step(solids.sphere(), tmp_path / "part.step", "inch")


def open_tube() -> Solid:
    return Solid(solids.cylinder(1, 2).faces[:2], name="tube")


@pytest.mark.parametrize(("make", "message"), [
    (lambda: solids.extruded(curve.superellipse(), [0, 0, 1]).named("tin"),
     "face 0 of the solid 'tin' is not written to a STEP file: its formula is not seen to be a plane, cylinder, cone, sphere, torus"),
    (lambda: solids.sphere(1).moved(Rigid(translation=[t, 0, 0])), "write it at one moment, solid.at(time)"),
    (lambda: Solid([ParametricSurface([u * Parameter("p"), v, 0], {u: (0, 1), v: (0, 1)})]),
     "has the symbols p: give them values first"),
    (open_tube, "the faces of the solid 'tube' do not close up"),
])  # fmt: skip
def test_what_is_not_written_is_named(make: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "part.step"
    path.write_text("kept")
    with pytest.raises(ValueError, match=re.escape(message)):
        save_step(make(), path)
    assert path.read_text() == "kept" and os.listdir(tmp_path) == ["part.step"]


def test_other_values_and_folders(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a Solid is written to a STEP file, got 3"):
        save_step(3, tmp_path / "part.step")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        save_step(solids.sphere(), tmp_path / "absent" / "part.step")
