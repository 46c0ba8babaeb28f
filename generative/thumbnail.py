"""Small still pictures of bodies for notebooks and contact sheets: triangles drawn with a depth buffer into a PNG, in floating point."""

import base64
import html
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .brep import Solid
from .curve import Curve
from .family import parameters_in
from .implicit import ImplicitBody
from .marching import Triangles, Vertices
from .mesh import VIEW, grid_triangles, tessellate
from .motion import Motion
from .numeric import approx_function
from .polyhedron import brick
from .surface import ParametricSurface
from .symbols import parameters_of, t, u
from .triangulated import Triangulated
from .value import card

LIGHT = np.array([0.3, -0.5, 0.81]) / np.linalg.norm([0.3, -0.5, 0.81])
COLOURS = ((63, 127, 191), (224, 128, 58), (79, 160, 107), (141, 107, 181))
SHADES = 63
"""Levels of brightness: with four colours and one transparent they fill the palette of a PNG."""

STEP = 0.7
"""Distance of sample points in pixels: below the half diagonal of a pixel, so that none is left out."""


# How fine bodies are drawn: the largest deviation, and cells along each parameter.
_DEVIATION, _CELLS = 1e-3, 40


def thumbnail(bodies: Sequence[Any], times: Sequence[float] = (0.0,), *, size: int = 190) -> str:
    """A shaded picture of bodies, at each of the times, seen from `VIEW`, as an HTML image `size` pixels wide, twice as fine; "" of bodies
    with parameters, which have no one shape.
    """
    if any(map(parameters_in, bodies)):
        return ""
    return image([(k, *mesh.at(time)) for k, body in enumerate(bodies) for mesh in tessellate(body, deviation=_DEVIATION, cells=_CELLS)
                  for time in times], size)


def image(meshes: Sequence[tuple[int, Vertices, Triangles]], size: int = 190) -> str:
    """The picture of `thumbnail` of triangles, each mesh with the number of its body, which chooses its colour; "" of none."""
    if not any(len(triangles) for _, _, triangles in meshes):
        return ""
    data = base64.b64encode(_png(_drawn(meshes, 2 * size))).decode()
    return f'<img alt="" width="{size}" height="{size}" style="flex:none" src="data:image/png;base64,{data}">'


@card.register(ParametricSurface)
@card.register(ImplicitBody)
@card.register(Solid)
@card.register(Triangulated)
def _(body: Any) -> str:
    return pictured([body], repr(body))


@card.register
def _(motion: Motion) -> str:
    """A brick carried by the motion, at six times from t = 0 to 1."""
    return pictured([brick().moved(motion)], repr(motion), [k / 5 for k in range(6)])


@card.register
def _(curve: Curve) -> str:
    """The curve, at t = 0, as a thin tube."""
    return beside(drawn_curves([curve]), repr(curve))


def pictured(bodies: Sequence[Any], text: str, times: Sequence[float] = (0.0,)) -> str:
    """A small picture of bodies beside a text."""
    return beside(thumbnail(bodies, times), text)


def beside(picture: str, text: str) -> str:
    """A small picture beside a text, the middle of a long one left out."""
    if len(text) > 400:
        text = f"{text[:280]} ... {len(text) - 380} characters ... {text[-100:]}"
    return (f'<div style="display:flex;flex-wrap:wrap;align-items:center;gap:1em">{picture}'
            f'<code style="white-space:pre-wrap;overflow-wrap:anywhere;flex:1 1 16em">{html.escape(text)}</code></div>')


def drawn_curves(curves: Sequence[Curve]) -> str:
    """A small picture of curves that follow each other, at t = 0, as a thin tube; "" of curves with parameters."""
    if parameters_of(*(e for c in curves for e in (*c.expressions, *c.domain))):
        return ""
    points = [approx_function(c.expressions, [u, t])(np.linspace(float(c.domain[0]), float(c.domain[1]), 257), 0.0) for c in curves]
    return image([(0, *wire(np.concatenate(points)))])


def wire(points: np.ndarray, *, sides: int = 8) -> tuple[Vertices, Triangles]:
    """A thin tube round a line through points (n, 3), for pictures of curves.

    Its cross-section is carried from point to point by projection, so that it does not turn about the line.
    """
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 2:
        return points, np.zeros((0, 3), np.int32)
    ahead = np.gradient(points, axis=0)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-300)
    across = np.eye(3)[np.argmin(np.abs(ahead[0]))]
    frames = []
    for direction in ahead:
        across = across - (across @ direction) * direction
        across /= max(float(np.linalg.norm(across)), 1e-300)
        frames.append([across, np.cross(direction, across)])
    angles = np.linspace(0, 2 * np.pi, sides + 1)
    radius = 0.015 * float(np.linalg.norm(np.ptp(points, axis=0)))
    rings = points[:, None] + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1) @ np.array(frames)
    return rings.reshape(-1, 3), grid_triangles(len(points), sides + 1)


def raster(meshes: Sequence[tuple[int, Vertices, Triangles]], pixels: int, around: np.ndarray) -> np.ndarray:
    """Colours (pixels, pixels, 3) uint8 of meshes with the numbers of their bodies, on white, framed so that points (n, 3) fit."""
    colours = _palette()
    colours[0] = 255
    return colours[_drawn(meshes, pixels, around)]


def _drawn(meshes: Sequence[tuple[int, Vertices, Triangles]], pixels: int, around: np.ndarray | None = None) -> np.ndarray:
    """Palette indices (pixels, pixels), 0 for the background, of meshes with the numbers of their bodies."""
    right = np.cross([0.0, 0.0, 1.0], VIEW)
    right /= np.linalg.norm(right)
    axes = np.stack([right, -np.cross(VIEW, right), VIEW], axis=1)
    used = np.concatenate([vertices[np.unique(triangles)] for _, vertices, triangles in meshes]) if around is None else around
    used = used @ axes
    lo, hi = used.min(axis=0), used.max(axis=0)
    scale = 0.94 * pixels / max(float((hi - lo)[:2].max()), 1e-300)
    front = np.zeros(pixels * pixels, np.int64)
    for body, vertices, triangles in meshes:
        place = (vertices @ axes - 0.5 * (lo + hi)) * scale + 0.5 * pixels
        normals = _vertex_normals(vertices, triangles)
        for point, normal in _samples(place[triangles], normals[triangles]):
            at = np.clip(point[:, :2].astype(int), 0, pixels - 1)
            # The nearest sample of a pixel wins: its depth comes first in the number, its palette index last.
            depth = np.clip((point[:, 2] + 4 * pixels) * 4096, 0, None).astype(np.int64)
            index = 1 + body % len(COLOURS) * SHADES + _brightness(normal)
            np.maximum.at(front, at[:, 1] * pixels + at[:, 0], depth << 8 | index)
    shown: np.ndarray = (front & 255).astype(np.uint8).reshape(pixels, pixels)
    return shown


def _vertex_normals(vertices: Vertices, triangles: Triangles) -> np.ndarray:
    """Sums of the normals of the triangles round each vertex, not normalized."""
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    across, normals = np.cross(q - p, r - p), np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, triangles[:, k], across)
    return normals


def _brightness(normals: np.ndarray) -> np.ndarray:
    """0 to SHADES - 1; a surface seen from behind is lit from behind."""
    facing = normals * np.where(normals @ VIEW < 0, -1.0, 1.0)[:, None]
    lit = np.clip(facing @ LIGHT / np.maximum(np.linalg.norm(facing, axis=1), 1e-300), 0, 1)
    shades: np.ndarray = np.round((0.35 + 0.65 * lit) * (SHADES - 1)).astype(np.int64)
    return shades


def _samples(corners: np.ndarray, normals: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Points (m, 3) all over triangles (n, 3, 3) in pixels, at most STEP apart, with the normals there."""
    edges = np.linalg.norm((np.roll(corners, 1, axis=1) - np.roll(corners, -1, axis=1))[..., :2], axis=-1)  # opposite each corner
    order = (edges.argmin(axis=1)[:, None] + np.arange(3)) % 3  # the shortest edge comes opposite the first corner
    corners, normals = (np.take_along_axis(a, order[:, :, None], axis=1) for a in (corners, normals))
    # Numbers of samples rounded up to powers of the square root of 2, so that few kinds of triangles remain.
    counts = np.ceil(2 * np.log2(np.maximum(np.stack([edges.max(axis=1), edges.min(axis=1)], axis=1) / STEP, 1))).astype(int)
    for along, across in np.unique(counts, axis=0):
        s, r = (a.ravel() for a in np.meshgrid(_shares(along), _shares(across)))
        weights = np.stack([1 - s, s * (1 - r), s * r], axis=1)
        chosen = np.flatnonzero((counts == (along, across)).all(axis=1))
        for part in np.array_split(chosen, 1 + len(chosen) * len(weights) // 1_000_000):
            yield (weights @ corners[part]).reshape(-1, 3), (weights @ normals[part]).reshape(-1, 3)


def _shares(power: int) -> np.ndarray:
    return np.linspace(0, 1, int(np.ceil(2 ** (power / 2))) + 1)


def _palette() -> np.ndarray:
    shades = np.linspace(0, 1, SHADES)[:, None]
    return np.concatenate([np.zeros((1, 3)), *(shades * np.array(c) for c in COLOURS)]).round().astype(np.uint8)


def _png(indices: np.ndarray) -> bytes:
    """A PNG file of palette indices; 0 is transparent."""
    palette = _palette().tobytes()
    rows, columns = indices.shape
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), indices], axis=1).tobytes()
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)), (b"PLTE", palette), (b"tRNS", b"\0"),
              (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)
