"""Random parts made by OpenCASCADE, read and compared with it: ``python -m tests.random_parts [--count 200] [--first 0]``.

Volumes within 1e-5, and 40 points each against the kernel's classifier. It prints contradictions, and parts of which points are not
decided; it ends with 1 if there are contradictions. Budgets are of the processor's time, so that what else a machine does decides nothing.
"""

import argparse
import random
import tempfile
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import collide
from collide.search import clock
from generative.step import solids_from_step

# Kernels of a part with rounded edges take 15 s, points of it then less than 0.1 s each.
POINTS, BUDGET, _VOLUME = 40, 60.0, 1e-5
# Parts before this one have no fillets and grooves, so that they stay what they were.
_SIMPLE = 20


class Compared(NamedTuple):
    """Contradictions of a part, a sentence each, and how many of its points are not decided."""

    wrong: list[str]
    undecided: int


def made(seed: int) -> Any:
    """A block, sometimes with rounded edges, with one to three drilled, countersunk, dished, grooved or joined places on its top."""
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
    from OCP.BRepPrimAPI import (
        BRepPrimAPI_MakeBox,
        BRepPrimAPI_MakeCone,
        BRepPrimAPI_MakeCylinder,
        BRepPrimAPI_MakeSphere,
        BRepPrimAPI_MakeTorus,
    )
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

    chance = random.Random(seed)
    shape = BRepPrimAPI_MakeBox(gp_Pnt(-4, -4, -2), 8.0, 8.0, 4.0).Shape()
    if seed >= _SIMPLE and chance.random() < 0.5:
        shape = _rounded(shape, chance.uniform(0.2, 0.9))
    for _ in range(chance.randint(1, 3)):
        place, r = (chance.uniform(-2.5, 2.5), chance.uniform(-2.5, 2.5)), chance.uniform(0.4, 1.2)
        axis = gp_Ax2(gp_Pnt(*place, chance.uniform(0.0, 1.0)), gp_Dir(0, 0, 1))
        kind = chance.choice(["drill", "sink", "dish", "join"] + ["groove"] * (seed >= _SIMPLE))
        if kind == "drill":
            shape = BRepAlgoAPI_Cut(shape, BRepPrimAPI_MakeCylinder(axis, r, 4.0).Shape()).Shape()
        elif kind == "sink":
            shape = BRepAlgoAPI_Cut(shape, BRepPrimAPI_MakeCone(axis, 0.5 * r, 2 * r, 4.0).Shape()).Shape()
        elif kind == "dish":
            shape = BRepAlgoAPI_Cut(shape, BRepPrimAPI_MakeSphere(gp_Pnt(*place, 2.0), r).Shape()).Shape()
        elif kind == "groove":
            ring = BRepPrimAPI_MakeTorus(gp_Ax2(gp_Pnt(*place, 2.0), gp_Dir(0, 0, 1)), r, 0.4 * r).Shape()
            shape = BRepAlgoAPI_Cut(shape, ring).Shape()
        else:
            shape = BRepAlgoAPI_Fuse(shape, BRepPrimAPI_MakeCylinder(axis, r, 4.0).Shape()).Shape()
    return shape


def _rounded(shape: Any, radius: float) -> Any:
    """A shape with its edges rounded."""
    from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
    from OCP.TopAbs import TopAbs_EDGE
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopoDS import TopoDS

    fillet, edges = BRepFilletAPI_MakeFillet(shape), TopExp_Explorer(shape, TopAbs_EDGE)
    while edges.More():
        fillet.Add(radius, TopoDS.Edge(edges.Current()))
        edges.Next()
    return fillet.Shape()


def written(shape: Any, path: Path) -> Path:
    """A STEP file of a shape, in millimetres."""
    from OCP.STEPControl import STEPControl_AsIs, STEPControl_Writer

    from generative.step.kernel import silent

    with silent():
        writer = STEPControl_Writer()
        writer.Transfer(shape, STEPControl_AsIs)
        writer.Write(str(path))
    return path


def compared(seed: int, folder: Path) -> Compared:
    """A part beside the kernel's own volume and classifier."""
    from OCP.BRepClass3d import BRepClass3d_SolidClassifier
    from OCP.BRepGProp import BRepGProp
    from OCP.gp import gp_Pnt
    from OCP.GProp import GProp_GProps
    from OCP.TopAbs import TopAbs_IN, TopAbs_OUT

    shape, chance = made(seed), random.Random(-seed - 1)
    solids = solids_from_step(written(shape, folder / "part.step"))
    known = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, known)
    wrong = [] if all(s.closed.startswith("closed") and s.gap < _VOLUME for s in solids) else ["it is open, or has gaps"]
    volume = sum(collide.mass_properties(s).volume for s in solids)
    if abs(volume - known.Mass()) > _VOLUME * known.Mass():
        wrong.append(f"its volume is {volume!r}, by the kernel {known.Mass()!r}")
    points = [[chance.uniform(-5, 5), chance.uniform(-5, 5), chance.uniform(-3, 5)] for _ in range(POINTS)]
    kinds = {TopAbs_IN: "IN", TopAbs_OUT: "OUT"}
    asked = [kinds[BRepClass3d_SolidClassifier(shape, gp_Pnt(*p), 1e-7).State()] for p in points]
    found = [[k.name for k in collide.classify(s, points, budget=BUDGET)] for s in solids]
    whole = ["IN" if "IN" in own else "UNRESOLVED" if "UNRESOLVED" in own else "OUT" for own in zip(*found, strict=True)]
    wrong += [f"{p} is {a}, by the kernel {b}" for p, a, b in zip(points, whole, asked, strict=True) if a not in (b, "UNRESOLVED")]
    return Compared(wrong, whole.count("UNRESOLVED"))


def main() -> int:
    """Compare parts one after the other; 1 if there are contradictions."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_parts", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    options, total = parser.parse_args(), 0
    vars(clock)["time"] = SimpleNamespace(perf_counter=time.process_time)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            before = time.process_time()
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = compared(seed, Path(folder))
            for sentence in [*found.wrong, *(str(w.message) for w in told)]:
                print(f"part {seed}: {sentence}", flush=True)
            if found.undecided:
                print(f"part {seed}: {found.undecided} of {POINTS} points are not decided", flush=True)
            print(f"part {seed}: {time.process_time() - before:.1f} s", flush=True)
            total += len(found.wrong)
    print(f"{options.count} parts, {total} contradictions")
    return int(total > 0)


if __name__ == "__main__":
    raise SystemExit(main())
