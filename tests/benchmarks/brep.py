"""CAD parts: milliseconds of reading eight STEP files, and of the first contact of five pairs of them, cold and warm, beside OpenCASCADE.

Needs the extra `cad`. OpenCASCADE's first contact is conservative advancement: steps of its distance over a bound of the speed
(`BRepExtrema_DistShapeShape`), until the distance is below 1e-9. It proves nothing; ours is a proved bracket.
"""

import json
import math
from collections.abc import Callable
from time import thread_time
from typing import Any

import numpy as np

import collide
from generative import Solid
from generative.step import solids_from_step
from tests.generative.test_step import pose_of
from tests.shared_data import DATA

from .timing import table

CLOSE, STEPS, TIMES, BUDGET = 1e-9, 80, 3, 120.0
Pose = dict[str, Any]


def main() -> None:
    if not (DATA / "step" / "pairs.json").is_file():
        print("brep: the real parts are not here")
        return
    names = sorted(path.name for path in (DATA / "step").glob("*.step"))
    table("Reading STEP files, ms", ["file", "ours, first", "ours", "kernel's", "ratio"], [reading(name) for name in names])
    heads = ["pair", "first", "warm", "OpenCASCADE", "ratio", "distances", "boxes", "width of ours", "off: ours", "theirs"]
    pairs = json.loads((DATA / "step" / "pairs.json").read_text())["pairs"]
    table("First contacts, ms", heads, [contact(pair) for pair in pairs])


def took(ask: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds of a call on this thread, and its value."""
    begin = thread_time()
    value = ask()
    return 1e3 * (thread_time() - begin), value


def reading(name: str) -> list[Any]:
    path = DATA / "step" / name
    first, _ = took(lambda: solids_from_step(path))
    ours = min(took(lambda: solids_from_step(path))[0] for _ in range(TIMES))
    theirs = min(took(lambda: kernel_solids(name))[0] for _ in range(TIMES))
    return [name, first, ours, theirs, ours / theirs]


def contact(pair: dict[str, Any]) -> list[Any]:
    bodies = [placed(pair[k]) for k in "ab"]
    first, _ = took(lambda: collide.first_contact(bodies, (0, 1), budget=BUDGET))
    asked = [took(lambda: collide.first_contact(bodies, (0, 1), budget=BUDGET)) for _ in range(TIMES)]
    warm, found = min(asked, key=lambda e: e[0])
    shapes = [kernel_solids(pair[k]["file"])[pair[k]["solid"]] for k in "ab"]
    theirs, (time, count) = took(lambda: advanced(shapes, [pair[k]["pose"] for k in "ab"]))
    known, bracket = pair["first_contact"], found.time
    off = max(bracket.lo - known, known - bracket.hi, 0.0)
    return [pair["name"], first, warm, theirs, warm / theirs, count, found.iterations, bracket.hi - bracket.lo, off, time - known]


def placed(part: dict[str, Any]) -> Solid:
    return solids_from_step(DATA / "step" / part["file"])[part["solid"]].moved(pose_of(part["pose"]))


# -- OpenCASCADE --------------------------------------------------------------------------------------------------------


def kernel_solids(name: str) -> list[Any]:
    from OCP.STEPControl import STEPControl_Reader
    from OCP.TopAbs import TopAbs_SOLID
    from OCP.TopExp import TopExp_Explorer

    reader = STEPControl_Reader()
    reader.ReadFile(str(DATA / "step" / name))
    reader.TransferRoots()
    explorer, found = TopExp_Explorer(reader.OneShape(), TopAbs_SOLID), []
    while explorer.More():
        found.append(explorer.Current())
        explorer.Next()
    return found


def advanced(shapes: list[Any], poses: list[Pose]) -> tuple[float, int]:
    """The first contact by conservative advancement, and the number of distances."""
    speed, time = sum(map(fastest, shapes, poses)), 0.0
    for count in range(1, STEPS + 1):
        distance = apart(*(shape.Moved(location(pose, time)) for shape, pose in zip(shapes, poses, strict=True)))
        if distance < CLOSE:
            return time, count
        time += distance / speed
    return math.nan, STEPS


def apart(first: Any, second: Any) -> float:
    from OCP.BRepExtrema import BRepExtrema_DistShapeShape

    found = BRepExtrema_DistShapeShape(first, second)
    return float(found.Value()) if found.IsDone() else math.nan


def location(pose: Pose, time: float) -> Any:
    """Turns in order, then a move."""
    from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
    from OCP.TopLoc import TopLoc_Location

    whole = gp_Trsf()
    for turn in pose["turns"]:
        step = gp_Trsf()
        angle = math.radians(turn["degrees"] + turn["degrees_per_time"] * time)
        step.SetRotation(gp_Ax1(gp_Pnt(*map(float, turn["point"])), gp_Dir(*map(float, turn["axis"]))), angle)
        whole = step * whole
    move = gp_Trsf()
    move.SetTranslation(gp_Vec(*(o + time * v for o, v in zip(pose["offset"], pose["velocity"], strict=True))))
    return TopLoc_Location(move * whole)


def fastest(shape: Any, pose: Pose) -> float:
    """A bound of the speed of a part, which turns about axes that do not move: that of its box seen from these, and that of its move."""
    from OCP.Bnd import Bnd_Box
    from OCP.BRepBndLib import BRepBndLib

    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, box, False, False)
    ends = [[p.X(), p.Y(), p.Z()] for p in (box.CornerMin(), box.CornerMax())]
    corners = np.array(np.meshgrid(*np.transpose(ends))).reshape(3, -1).T
    speed = float(np.linalg.norm(pose["velocity"]))
    for turn in pose["turns"]:
        if turn["degrees_per_time"]:
            axis = np.array(turn["axis"], float) / np.linalg.norm(turn["axis"])
            far = np.linalg.norm(np.cross(axis, corners - turn["point"]), axis=1).max()
            speed += abs(math.radians(turn["degrees_per_time"])) * float(far)
    return speed
