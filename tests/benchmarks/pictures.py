"""Pages with moving bodies: their sizes, how long they take to make, and, in headless Chromium where that is installed, triangles of a
picture, milliseconds that the page's program works for one, and pictures a second; beside k3d (where it is installed) of the same bodies.

Headless Chromium draws in software: its pictures a second tell of the processor, by which every triangle is drawn. With a graphics card the
work of the program is what is left, and 30 pictures a second leave it 33 milliseconds.
"""

import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational as R

import collide
from collide.picture.drawing import DEVIATION
from collide.picture.scenes import scene_of
from collide.picture.viewer import page
from generative import Rigid, axis_angle, primitives, t
from generative.mesh import approx_motion, tessellate
from models.scenes import SCENES
from tests.collide.picture.browser import CHROMIUM, opened

from .timing import table
from .world import boxed

SPAN, EVENTS, FRAMES = (-2.0, 0.0), 100, 120


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [_row(Path(folder), name, write) for name, write in _pages().items()]
    table("Pages with moving bodies (targets: the cylinder below 5 MB and 2 s, 300 bodies below 15 MB and at 30 pictures a second)",
          ["", "MB", "s of the processor", "triangles", "ms of the program", "pictures a second, in software"], rows)


def cylinder() -> list[Any]:
    """A Geneva wheel that turns, a cylinder minus four blocks, and its pin."""
    wheel = primitives.round_cylinder(1, R(1, 5))
    for quarter in range(4):
        turn = Rigid(rotation=axis_angle([0, 0, 1], quarter * sp.pi / 2 + sp.pi / 4))
        wheel = wheel - primitives.block((R(4, 5), R(11, 50), 1)).moved(Rigid(translation=[R(7, 10), 0, 0])).moved(turn)
    pin = primitives.round_cylinder(R(1, 10), R(1, 5)).moved(Rigid(translation=[1, 0, 0]))
    return [pin.moved(Rigid(rotation=axis_angle([0, 0, 1], t))).named("pin"),
            wheel.moved(Rigid(rotation=axis_angle([0, 0, 1], -t))).moved(Rigid(translation=[sp.sqrt(2), 0, 0])).named("wheel")]


def _pages() -> dict[str, Callable[[Path], Any]]:
    scene, bodies = SCENES["tori-crossed"], cylinder()
    contacts = collide.first_contact(list(scene.bodies), time=scene.time)
    runs = {count: boxed("balls and tori", count).run(events=EVENTS, budget=120) for count in (100, 300)}
    found: dict[str, Callable[[Path], Any]] = {
        "two tori": contacts.save_html,
        "cylinder minus four blocks": lambda path: path.write_text(page("Wheel", [scene_of(bodies, time=SPAN, play=True)])),
        **{f"run of {count} bodies, {EVENTS} events": run.save_html for count, run in runs.items()}}
    if importlib.util.find_spec("k3d"):
        found["k3d, cylinder"] = lambda path: path.write_text(_k3d(bodies))
    return found


def _row(folder: Path, name: str, write: Callable[[Path], Any]) -> list[Any]:
    path = folder / f"{len(name)}.html"
    begin = time.process_time()
    write(path)
    spent = time.process_time() - begin
    seen: list[Any] = ["-"] * 3
    if CHROMIUM is not None and "viewers" in path.read_text():
        told = opened(path, folder / "profile", seconds=4.0)
        (first,) = told["found"]
        seen = [round(first["triangles"]), first["work"], "; ".join([f"{first['rate']:.0f}", *told["errors"]])]
    return [name, path.stat().st_size / 1e6, spent, *seen]


def _k3d(bodies: list[Any]) -> str:
    """Each face with a table of matrices."""
    import k3d

    plot, times = k3d.plot(), np.linspace(*SPAN, FRAMES)
    for body in bodies:
        for mesh in tessellate(body, times=SPAN, deviation=DEVIATION):
            vertices, triangles = mesh.local(0.0)
            turns, shifts = approx_motion(mesh.motion)(times)
            poses = np.tile(np.eye(4, dtype=np.float32), (FRAMES, 1, 1))
            poses[:, :3, :3], poses[:, :3, 3] = turns, shifts
            if len(triangles):
                added = k3d.mesh(vertices.astype(np.float32), triangles.astype(np.uint32))
                added.model_matrix = {str(float(s - SPAN[0])): m for s, m in zip(times, poses, strict=True)}
                plot += added
    return str(plot.get_snapshot())
