"""Bodies as files of other programs: meshes at a moment (glTF, STL, PLY, OBJ), and animations (GIF, MP4).

Meshes are as near to the surfaces as those of pictures.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from generative.mesh import MovingMesh, tessellate
from generative.thumbnail import raster

from ..files import replaced
from .drawing import COLOURS, DEVIATION, compact, merged
from .parts import plain, span
from .subject import MeetingAnswer, NearestAnswer

Meshes = Sequence[tuple[int, MovingMesh]]
"""Meshes, each with the index of its body."""

MESHES, FILMS = (".glb", ".gltf", ".stl", ".ply", ".obj"), (".gif", ".mp4")


def save_mesh(path: str | PathLike[str], subject: MeetingAnswer | NearestAnswer | Sequence[Any], *, time: float | None = None) -> None:
    """Write the bodies of a result, or a list of bodies, at a moment: as .glb, .gltf, .ply, .obj, with the name and colour of each body,
    or as .stl, which has neither. `time`: None is the moment of contact, or t = 0 of bodies.

    Raises ImportError without trimesh, and ValueError for another ending.
    """
    target = _checked(path, MESHES)
    try:
        import trimesh
    except ImportError as error:
        raise ImportError("files of meshes need trimesh: pip install trimesh") from error
    bodies, meshes, moment = _staged(subject, None if time is None else (float(time), float(time)), 1)
    scene = trimesh.Scene()
    for k in sorted({body for body, _ in meshes}):
        parts = [compact(*mesh.at(float(moment[-1]))) for body, mesh in meshes if body == k]
        colour = [int(COLOURS[k % len(COLOURS)][n:n + 2], 16) for n in (1, 3, 5)] + [255]
        own = trimesh.util.concatenate([trimesh.Trimesh(v, f, process=False, face_colors=np.tile(colour, (len(f), 1))) for v, f in parts])
        scene.add_geometry(own, node_name=plain(bodies, k), geom_name=plain(bodies, k))
    with replaced(target) as new:
        if target.suffix.lower() == ".gltf":  # its parts are written beside it; as data they stay in one file
            new.write_bytes(trimesh.exchange.gltf.export_gltf(scene, embed_buffers=True)["model.gltf"])
        else:
            scene.export(str(new))


def save_film(path: str | PathLike[str], subject: MeetingAnswer | NearestAnswer | Sequence[Any], *, time: tuple[float, float] | None = None,
              seconds: float = 3.0, rate: int = 20, size: int = 360) -> None:
    """Write the motion of bodies, up to the contact of a result or over the span `time`, as .gif, which loops, or .mp4: `size` pixels wide
    and high (for .mp4 an even number, one more if need be), `rate` pictures a second. No browser is needed.

    Raises ImportError without imageio (for .mp4 with its plug-in ffmpeg), and ValueError for another ending or for bodies at rest.
    """
    target = _checked(path, FILMS)
    try:
        import imageio.v3 as imageio
    except ImportError as error:
        raise ImportError("animations need imageio: pip install 'imageio[ffmpeg]'") from error
    _, meshes, times = _staged(subject, time, max(2, round(seconds * rate)))
    if len(times) < 2:
        raise ValueError("an animation needs a span of time in which something moves")
    around = np.concatenate([mesh.at(float(t))[0] for _, mesh in meshes for t in times[::max(1, len(times) // 8)]])
    around = around[np.isfinite(around).all(axis=1)]
    film = target.suffix.lower() == ".mp4"
    size += size % 2 * film  # its colours are stored for two by two pixels
    pictures = [raster([(body, *mesh.at(float(t))) for body, mesh in meshes], size, around) for t in times]
    with replaced(target) as new:
        if film:
            imageio.imwrite(new, pictures, fps=rate, macro_block_size=2)
        else:
            imageio.imwrite(new, pictures, duration=1000 / rate, loop=0)


def _checked(path: str | PathLike[str], endings: Sequence[str]) -> Path:
    if Path(path).suffix.lower() not in endings:
        raise ValueError(f"the file must end in {', '.join(endings)}, got {Path(path).name!r}")
    return Path(path)


def _staged(subject: Any, time: tuple[float, float] | None, frames: int) -> tuple[Sequence[Any], Meshes, np.ndarray]:
    told = subject if isinstance(subject, (MeetingAnswer, NearestAnswer)) else None
    bodies = subject if told is None else told.bodies
    return bodies, *_stage(bodies, span(told, time) if time is None else time, frames)


def _stage(bodies: Sequence[Any], span: tuple[float, float], frames: int) -> tuple[Meshes, np.ndarray]:
    """The meshes, each with the index of its body, and the times of the frames, the last being the moment shown first.

    Bodies that come from afar are shown from where the whole is at most 1.1 times as large as at the end.
    """
    sampled = np.linspace(*span, 3)
    shown = [(k, body) for k, body in enumerate(bodies) if body not in bodies[:k]]  # a body that may touch itself is there twice
    meshes = [(k, mesh) for k, body in shown for mesh in merged(tessellate(body, times=sampled, deviation=DEVIATION))]
    if span[0] == span[1] or frames == 1 or all(mesh.static for _, mesh in meshes):
        return meshes, np.array([span[1]])
    starts = np.linspace(*span, 33)[:-1]
    final = _scale(meshes, [span[1]])
    start = next((s for s in starts if _scale(meshes, [s, span[1]]) <= 1.1 * final), starts[-1])
    return meshes, np.linspace(start, span[1], frames)


def _bounds(meshes: Meshes, times: Any) -> tuple[np.ndarray, np.ndarray]:
    clouds = [mesh.at(time)[0] for _, mesh in meshes for time in (times[:1] if mesh.static else times)]
    clouds = [c[np.isfinite(c).all(axis=1)] for c in clouds]
    filled = [c for c in clouds if len(c)] or [np.zeros((1, 3))]
    return np.min([c.min(axis=0) for c in filled], axis=0), np.max([c.max(axis=0) for c in filled], axis=0)


def _scale(meshes: Meshes, times: Any) -> float:
    """The diagonal of the box round everything at these times."""
    lo, hi = _bounds(meshes, times)
    return float(np.linalg.norm(hi - lo)) or 1.0
