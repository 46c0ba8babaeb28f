"""A run as a page that plays in a browser, without anything from the net: rigid bodies by transforms, hits as flashes.

Shapes are triangulated once, equal ones together. Places are those of `Run.state` at even times and just before and after events, in single
precision; between them the page interpolates.
"""

import base64
import html
import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from generative.mesh import tessellate

from ..bodies.mesh import Mesh
from .viewer import PAGE

# Frames a second of the run's time as it is played, in how many seconds it is played, and no more frames than this, and bytes of them, of
# 40 a body; what is left of these is for events, which have frames of their own. So many of them flash.
_RATE, _LASTS, _FRAMES, _LARGEST, _FLASHES = 60, 12.0, 6000, 12_000_000, 20_000
# How far chords are from surfaces, and colours of bodies.
_DEVIATION, _CELLS = 2e-3, 24


def write(run: Any, path: str | PathLike[str], title: str) -> None:
    Path(path).write_text(page(run, title), encoding="utf-8")


def page(run: Any, title: str) -> str:
    """The whole page."""
    times = frame_times(run)
    states = [run.state(float(t)) for t in times]
    places = np.array([np.concatenate([s.positions, s.quaternions], axis=1) for s in states], np.float32)
    shapes, which = shapes_of(run)
    data = {"shapes": shapes, "which": which, "fixed": [b.fixed for b in run.world.bodies], "count": len(which), "frames": len(times),
            "times": _packed(times.astype(np.float32)), "places": _packed(places), "flashes": _flashes(run), "size": _size(places, run),
            "energy": [round(run.energy(float(t)), 9) for t in times[:: max(1, len(times) // 300)]],
            "names": [b.name or f"body {k}" for k, b in enumerate(run.world.bodies)]}
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    return PAGE.replace("@TITLE@", html.escape(title)).replace("@SUMMARY@", html.escape(run.summary())).replace("@DATA@", text)


def frame_times(run: Any) -> np.ndarray:
    """Even times, and those of events."""
    begin, end = run.start, max(run.until, run.start + 1e-9)
    most = int(min(_FRAMES, max(64, _LARGEST // (40 * len(run.world.bodies)))))
    count = int(min(most, max(2, _RATE * min(_LASTS, end - begin) + 1)))
    even = np.linspace(begin, min(end, run.until), count)
    hits = np.array([e.time[0] for e in run.events[:(most - count) // 2]])
    hits = hits[(hits >= begin) & (hits <= run.until)]
    return np.unique(np.concatenate([even, hits, np.maximum(begin, hits - 1e-6 * (end - begin))]))


def shapes_of(run: Any) -> tuple[list[dict[str, str]], list[int]]:
    """The shapes, each once, and which of them each body has."""
    numbers: dict[Any, int] = {}
    shapes = []
    for body in run.world.bodies:
        if body.shape not in numbers:
            numbers[body.shape] = len(numbers)
            meshes = [m.at(0.0) for m in tessellate(body.shape, deviation=_DEVIATION, cells=_CELLS)]
            corners = np.concatenate([np.asarray(vertices)[np.asarray(triangles)].reshape(-1, 3, 3) for vertices, triangles in meshes])
            flat = isinstance(body.shape, Mesh)
            normals = np.concatenate([_normals(np.asarray(v), np.asarray(f), flat) for v, f in meshes])
            shapes.append({"corners": _packed(corners.astype(np.float32)), "normals": _packed(normals.astype(np.float32))})
    return shapes, [numbers[body.shape] for body in run.world.bodies]


def _normals(vertices: np.ndarray, triangles: np.ndarray, flat: bool) -> np.ndarray:
    """(n, 3, 3): at the corners of triangles, of all that meet there, or of each alone."""
    corners = vertices[triangles]
    own = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if flat:
        found = np.repeat(own[:, None], 3, axis=1)
    else:
        total = np.zeros_like(vertices, dtype=float)
        for k in range(3):
            np.add.at(total, triangles[:, k], own)
        found = total[triangles]
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=2, keepdims=True), 1e-300))


def _flashes(run: Any) -> list[list[float]]:
    rows = [[e.time[0], *p] for e in run.events for p in e.points.tolist()]
    return [[float(f"{x:.6g}") for x in row] for row in rows[:_FLASHES]]


def _size(places: np.ndarray, run: Any) -> list[float]:
    """The middle and half the diagonal of what is to be seen: the places of bodies that move, and how far these reach."""
    free = [k for k, b in enumerate(run.world.bodies) if not b.fixed] or list(range(len(run.world.bodies)))
    at = places[:, free, :3].astype(float).reshape(-1, 3)
    reach = max(run.simulation.actors[k].radius for k in free)
    lo, hi = at.min(axis=0) - reach, at.max(axis=0) + reach
    return [*((lo + hi) / 2).tolist(), float(np.linalg.norm(hi - lo)) / 2]


def _packed(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
