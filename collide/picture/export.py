"""Bodies as files of other programs: meshes at a moment (glTF, STL, PLY, OBJ), and animations (GIF, MP4).

Meshes are as near to the surfaces as those of pictures.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from generative.thumbnail import raster

from .drawing import COLOURS, compact
from .parts import Meshes, plain, span, stage
from .subject import Meeting, Nearest

MESHES, FILMS = (".glb", ".gltf", ".stl", ".ply", ".obj"), (".gif", ".mp4")


def save_mesh(path: str | PathLike[str], subject: Meeting | Nearest | Sequence[Any], *, time: float | None = None) -> None:
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
    if target.suffix.lower() == ".gltf":  # its parts are written beside it; as data they stay in one file
        target.write_bytes(trimesh.exchange.gltf.export_gltf(scene, embed_buffers=True)["model.gltf"])
    else:
        scene.export(str(target))


def save_film(path: str | PathLike[str], subject: Meeting | Nearest | Sequence[Any], *, time: tuple[float, float] | None = None,
              seconds: float = 3.0, rate: int = 20, size: int = 360) -> None:
    """Write the motion of bodies, up to the contact of a result or over the span `time`, as .gif, which loops, or .mp4: `size` pixels wide
    and high, `rate` pictures a second. No browser is needed.

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
    pictures = [raster([(body, *mesh.at(float(t))) for body, mesh in meshes], size, around) for t in times]
    if target.suffix.lower() == ".gif":
        imageio.imwrite(target, pictures, duration=1000 / rate, loop=0)
    else:
        imageio.imwrite(target, pictures, fps=rate)


def _checked(path: str | PathLike[str], endings: Sequence[str]) -> Path:
    if Path(path).suffix.lower() not in endings:
        raise ValueError(f"the file must end in {', '.join(endings)}, got {Path(path).name!r}")
    return Path(path)


def _staged(subject: Any, time: tuple[float, float] | None, frames: int) -> tuple[Sequence[Any], Meshes, np.ndarray]:
    told = subject if isinstance(subject, (Meeting, Nearest)) else None
    bodies = subject if told is None else told.bodies
    return bodies, *stage(bodies, span(told, time) if time is None else time, frames)
