"""Data of a page's drawing: meshes in bodies' own coordinates, each once, poses over time, and marks.

Coordinates of vertices are kept to 1/65535 of the size of their mesh, and poses to an error: for the eye only.
"""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from generative.mesh import MovingMesh, tessellate
from generative.triangulated import Triangulated

from .tracks import Track, poses_of, track

COLOURS = ("#3f7fbf", "#e0803a", "#4fa06b", "#8d6bb5", "#c9a227", "#c8586c", "#4aa5b5", "#8a7563", "#6b7f2a", "#b5679f")
GREY = "#8a929a"
DEVIATION = 7e-4
"""The distance that chords may be from surfaces, and keys of motions from these, of the size of a body where it is alone in a picture."""

# Moments of a mesh that deforms, at most, and bytes that they may come to; moments of one that is made anew each time.
_MOMENTS, _BYTES, _REMADE = 129, 4_000_000, 33
_ALWAYS = 1e38
# From where scenes are seen, towards the eye; those that are flat, by so much shorter along an axis than along the others, from there.
_VIEW, _FLAT = (0.56, -0.72, 0.45), 0.25
_SIDES = {0: (0.94, -0.2, 0.28), 1: (0.2, -0.94, 0.28), 2: (0.12, -0.42, 0.9)}


def fineness(count: int) -> float:
    """`DEVIATION` of each of many bodies, which are the smaller in a picture the more there are."""
    return DEVIATION * max(count, 1) ** (1 / 3)


@dataclass
class Drawing:
    """A scene over the times `span`. `shapes`, `parts` and `marks` are those of `viewer.js`; `tracks`: of each part its poses, points that
    the picture must hold, (m, n, 3) at m moments evenly over the span, and whether it moves.
    """

    span: tuple[float, float]
    shapes: list[dict[str, Any]] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    marks: list[Sequence[float]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    tracks: list[tuple[Track, np.ndarray, bool]] = field(default_factory=list)
    _numbers: dict[Any, int] = field(default_factory=dict)

    def add_body(self, number: int, body: Any, deviation: float, alpha: float = 1.0) -> None:
        """A body that moves by its own formula."""
        times = tuple(np.linspace(*self.span, 3)) if self.span[0] < self.span[1] else self.span[:1]
        for mesh in merged(tessellate(body, times=times, deviation=deviation)):
            self.add_mesh(number, mesh, deviation, alpha, isinstance(body, Triangulated))

    def add_mesh(self, number: int, mesh: MovingMesh, deviation: float, alpha: float, flat: bool) -> None:
        moments = self._moments(mesh, deviation)
        frames = [compact(*mesh.local(float(time))) if mesh.remeshed else mesh.local(float(time)) for time in moments]
        if not any(len(triangles) for _, triangles in frames):
            return
        points = np.array([_corners(vertices[np.unique(triangles)]) for vertices, triangles in frames if len(triangles)])
        reach, size = float(np.linalg.norm(points, axis=-1).max()), max(map(_size, points))
        known = track(poses_of(mesh.motion), self.span, deviation * size, reach)
        if not mesh.remeshed:
            shape = self.shape([vertices for vertices, _ in frames], frames[0][1], flat)
            self.add_part(number, shape, known, points, alpha=alpha, moving=not mesh.static)
            return
        ends = [-_ALWAYS, *((moments[1:] + moments[:-1]) / 2), _ALWAYS]
        for (vertices, triangles), begin, end in zip(frames, ends[:-1], ends[1:], strict=True):
            if len(triangles):
                self.add_part(number, self.shape([vertices], triangles, flat), known, points, alpha=alpha, window=(begin, end))

    def _moments(self, mesh: MovingMesh, deviation: float) -> np.ndarray:
        """The moments at which a mesh that deforms is stored, such that the vertices tell what lies between."""
        if not mesh.deforming or not self.span[0] < self.span[1]:
            return np.array(self.span[1:])
        if mesh.remeshed:
            return np.linspace(*self.span, _REMADE)
        count, most = 5, min(_MOMENTS, max(5, _BYTES // (12 * max(1, len(mesh.local(self.span[0])[0])))))
        while True:
            times = np.linspace(*self.span, count)
            found = np.array([mesh.local(float(time))[0] for time in times])
            off = np.linalg.norm(found[1:-1:2] - (found[:-2:2] + found[2::2]) / 2, axis=-1)
            if 2 * count - 1 > most or not np.nanmax(off, initial=0.0) > deviation * _size(found.reshape(-1, 3)):
                return times
            count = 2 * count - 1

    def shape(self, frames: Sequence[np.ndarray], triangles: np.ndarray, flat: bool) -> int:
        """The number of a mesh, which may have its vertices at several moments, evenly over the span."""
        if flat:
            frames, triangles = [f[triangles].reshape(-1, 3) for f in frames], np.arange(3 * len(triangles)).reshape(-1, 3)
        elif len(frames) == 1:
            vertices, triangles = compact(frames[0], triangles)
            frames = [vertices]
        places = np.nan_to_num(np.array(frames, float))
        lo = places.min(axis=(0, 1))
        width = np.maximum(places.max(axis=(0, 1)) - lo, 1e-30)
        packed = np.zeros(places.shape[:2], [("p", "<u2", 4), ("n", "i1", 4)])
        packed["p"][..., :3] = np.round((places - lo) / width * 65535)
        packed["n"][..., :3] = np.round(127 * np.array([vertex_normals(f, triangles) for f in places]))
        index = triangles.astype("<u4" if places.shape[1] > 65535 else "<u2")
        found = {"count": places.shape[1], "frames": len(frames), "from": self.span[0], "to": self.span[1], "lo": lo.tolist(),
                 "range": width.tolist(), "vertices": encoded(packed), "index": encoded(index)}
        key = found["vertices"], found["index"], *found["lo"], *found["range"]
        if key not in self._numbers:
            self._numbers[key] = len(self.shapes)
            self.shapes.append(found)
        return self._numbers[key]

    def add_part(self, number: int, shape: int, known: Track, points: np.ndarray, *, alpha: float = 1.0, moving: bool = True,
                 colour: str = "", window: tuple[float, float] = (-_ALWAYS, _ALWAYS)) -> None:
        """A mesh of a body with its poses; `points` of it, which the picture must hold."""
        times, poses = (encoded(e.astype("<f4")) for e in known)
        self.parts.append({"body": number, "shape": shape, "times": times, "poses": poses, "alpha": alpha,
                           "colour": _rgb(colour or COLOURS[number % len(COLOURS)]), "from": window[0], "to": window[1]})
        self.tracks.append((known, points if points.ndim == 3 else _corners(points)[None], moving))

    def mark(self, a: Sequence[float], b: Sequence[float], width: float, colour: str, label: str = "",
             window: tuple[float, float] = (-_ALWAYS, _ALWAYS), fading: bool = False, ends: Sequence[Sequence[float]] = ()) -> None:
        """A line of some pixels, or a dot where a is b; by the end of its window a and b are at `ends`, if these are given."""
        c, d = ends or (a, b)
        self.marks.append([*a, *b, width, *window, float(fading), *_rgb(colour), *c, *d])
        self.labels.append(label)

    def cloud(self, times: Any) -> np.ndarray:
        """Points of all bodies at some times, (n, 3), without those of bodies at rest by which what moves would look small."""
        found = [(places(known, np.asarray(times, float), self._at(times, points)), moving) for known, points, moving in self.tracks]
        moved = [points for points, moving in found if moving]
        if not moved:
            return np.concatenate([points for points, _ in found]) if found else np.zeros((1, 3))
        most = 3 * _size(np.concatenate(moved))
        return np.concatenate([points for points, moving in found if moving or _size(points) <= most])

    def _at(self, times: Any, points: np.ndarray) -> np.ndarray:
        """Points (m, n, 3) of moments of the span at the nearest ones of some times."""
        share = (np.asarray(times, float) - self.span[0]) / max(self.span[1] - self.span[0], 1e-300)
        return np.asarray(points[np.clip(np.round(share * (len(points) - 1)).astype(int), 0, len(points) - 1)])

    def data(self, **more: Any) -> dict[str, Any]:
        """As `viewer.js` reads it."""
        return {"shapes": self.shapes, "parts": self.parts, "marks": encoded(np.array(self.marks, "<f4")), "labels": self.labels, **more}


def view_of(cloud: np.ndarray) -> tuple[float, float, float]:
    """From where a scene is seen: from above or from a side, nearly, if it is flat."""
    widths = np.ptp(cloud, axis=0)
    thin = int(widths.argmin())
    if widths[thin] > _FLAT * np.sort(widths)[1]:
        return _VIEW
    return _SIDES[thin]


def places(known: Track, times: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The places of points of a body, (m, n, 3) or (n, 3), at m times, (m n, 3)."""
    from scipy.spatial.transform import Rotation

    at, poses = known
    poses = np.stack([np.interp(times, at, column) for column in poses.T], axis=1)
    turns = Rotation.from_quat(poses[:, [4, 5, 6, 3]]).as_matrix()
    found: np.ndarray = (points @ np.swapaxes(turns, 1, 2) + poses[:, None, :3]).reshape(-1, 3)
    return found


def _corners(points: np.ndarray) -> np.ndarray:
    """The corners of the box round points, (8, 3)."""
    lo, hi = points.min(axis=0), points.max(axis=0)
    return np.array([[(lo, hi)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])


def merged(meshes: Sequence[MovingMesh]) -> list[MovingMesh]:
    """Meshes that keep their shape and move together as one."""
    groups: dict[Any, list[MovingMesh]] = {}
    for k, mesh in enumerate(meshes):
        groups.setdefault(k if mesh.deforming else mesh.motion, []).append(mesh)
    return [own[0] if len(own) == 1 else MovingMesh(_together(own), own[0].motion) for own in groups.values()]


def _together(meshes: Sequence[MovingMesh]) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    both = [mesh.local(0.0) for mesh in meshes]
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in both)])
    found = (np.concatenate([vertices for vertices, _ in both]),
             np.concatenate([triangles + start for (_, triangles), start in zip(both, starts, strict=False)]))
    return lambda time: found


def compact(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without vertices that no triangle has."""
    used, index = np.unique(triangles, return_inverse=True)
    return vertices[used], index.reshape(-1, 3)


def vertex_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Normals of length 1 at vertices: those of the triangles that meet at a vertex, the larger ones counting more."""
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    across = np.cross(q - p, r - p)
    total = np.stack([np.bincount(triangles.ravel(), np.repeat(across[:, k], 3), len(vertices)) for k in range(3)], axis=1)
    found: np.ndarray = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    return found


def encoded(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def _rgb(colour: str) -> list[float]:
    return [round(int(colour[k:k + 2], 16) / 255, 3) for k in (1, 3, 5)]


def _size(points: np.ndarray) -> float:
    finite = points[np.isfinite(points).all(axis=1)]
    return float(np.linalg.norm(np.ptp(finite, axis=0))) if len(finite) else 0.0
