"""Mesh files as vertices and faces, and as polyhedra. OBJ, OFF, PLY and STL are read here; other formats by trimesh, the extra `mesh`."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .brep import Solid
from .outline import FLAT, IntegerPoints, dot, minus, newell, triangulated
from .polygon_files import Faces, read_obj, read_off, read_ply, read_stl
from .polyhedron import polyhedron

_READERS: dict[str, Callable[[bytes], tuple[np.ndarray, Faces]]] = {
    ".obj": read_obj, ".off": read_off, ".ply": read_ply, ".stl": read_stl}
# How trimesh says that a package is missing; and those that guess how text is written, which it asks for where a file is no text.
_MISSING, _GUESSES = re.compile(r"(?:No module named |pip install )['\"]?([\w-]+)"), ("chardet", "charset_normalizer")


_UP_AXIS = re.compile(rb"<(?:\w+:)?up_axis>\s*([XYZ])_UP")


class MeshFile(NamedTuple):
    """`vertices` (n, 3), finite, each place once; `faces`: their corners in turn, none of them twice in a row. `metres`: the unit of length
    that the file names, None if its format has none; `up`: the axis that points up, x, y or z, in the same way.
    """

    vertices: np.ndarray
    faces: Faces
    metres: float | None
    up: str | None


def polyhedron_from_file(path: str | PathLike[str], *, most: int = 2000) -> Solid:
    """The polyhedron of a mesh file: OBJ, OFF, PLY, STL, or another format that trimesh reads, as GLB and 3MF.

    Vertices at one place are one, whatever else the file says of them. Faces keep their outlines, also concave ones; one whose corners do
    not lie in one plane, within rounding, is cut into triangles, round its first corner where it is convex as seen along its mean normal.
    Lengths are the numbers of the file, in its unit.

    Raises FileNotFoundError, ImportError for a package that is missing, and ValueError for a file that is no mesh, is damaged, has vertices
    that are not finite or more than `most` triangles, and for faces that `polyhedron` refuses.
    """
    source = Path(path)
    found = read_mesh(source)
    return polyhedron_of(source.name, found.vertices, found.faces, most=most)


def polyhedron_of(name: str, vertices: np.ndarray, faces: Faces, *, most: int = 2000) -> Solid:
    """The polyhedron of such vertices (n, 3) and faces, those of a file called `name`."""
    count = sum(len(face) - 2 for face in faces)
    if not 4 <= count <= most:
        raise ValueError(f"{name} holds {count} triangles; a polyhedron takes 4 to {most}, collide.Mesh any number")
    points = vertices.tolist()
    try:
        return polyhedron(points, [flat for k, face in enumerate(faces) for flat in _flat_faces(points, k, face)])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def triangles_of(points: Sequence[Sequence[float]], faces: Faces) -> Faces:
    """The faces in triangles, also concave ones."""
    return [piece for k, face in enumerate(faces) for piece in (_pieces(_ring(points, face), k, face) if len(face) > 3 else [face])]


def _flat_faces(points: Sequence[Sequence[float]], k: int, face: tuple[int, ...]) -> Faces:
    """A face as it is, if it is flat or has no area, else in triangles."""
    if len(face) == 3:
        return [face]
    ring = _ring(points, face)
    normal = newell(ring)
    heights = [dot(normal, minus(p, ring[0])) for p in ring]
    span = max(abs(e) for p in ring for e in minus(p, ring[0]))
    if ((max(heights) - min(heights)) * FLAT) ** 2 <= span**2 * dot(normal, normal):
        return [face]
    return _pieces(ring, k, face)


def _ring(points: Sequence[Sequence[float]], face: tuple[int, ...]) -> Any:
    return IntegerPoints([[Fraction(e) for e in points[c]] for c in face]).at


def _pieces(ring: Any, k: int, face: tuple[int, ...]) -> Faces:
    try:
        return [tuple(face[i] for i in piece) for piece in triangulated(ring)]
    except ValueError as error:
        raise ValueError(f"face {k} {error}") from None


def read_mesh(source: Path) -> MeshFile:
    """The vertices and faces of a mesh file, checked. Raises as `polyhedron_from_file`."""
    reader = _READERS.get(source.suffix.lower())
    load = None if reader is not None else _trimesh()
    if not source.is_file():
        raise FileNotFoundError(f"there is no mesh file {source}")
    metres = None
    if reader is None:
        vertices, faces, metres = _by_trimesh(load, source)
    else:
        try:
            vertices, faces = reader(source.read_bytes())
        except ValueError as error:
            raise ValueError(f"{source.name} cannot be read as {source.suffix[1:].upper()}: {error}") from None
    if not faces:
        raise ValueError(f"{source.name} holds no faces; it may be truncated or of another format")
    _check(source.name, vertices, faces)
    vertices, number = _merged(vertices)
    merged = [_without_repeats(tuple(number[list(face)].tolist())) for face in faces]
    return MeshFile(vertices, [face for face in merged if len(set(face)) > 2], metres, _up(source))


def _up(source: Path) -> str | None:
    """The axis that points up: glTF has y there, COLLADA what the file says, y where it says nothing. Other formats have none."""
    kind = source.suffix.lower()
    named = _UP_AXIS.search(source.read_bytes()) if kind == ".dae" else None
    return named[1].decode().lower() if named else "y" if kind in (".dae", ".glb", ".gltf") else None


def _merged(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each place once, in the order of the file, and the number of each vertex among them. (Adding 0.0 turns -0.0 into 0.0.)"""
    _, first, number = np.unique(vertices + 0.0, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return vertices[first[order]], np.argsort(order)[number.ravel()]


def _without_repeats(face: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(c for k, c in enumerate(face) if c != face[k - 1])


def _check(name: str, vertices: np.ndarray, faces: Faces) -> None:
    wrong = np.flatnonzero(~np.isfinite(vertices).all(axis=1))
    if len(wrong):
        raise ValueError(f"{name} has a vertex that is not finite, vertex {wrong[0]}: {tuple(vertices[wrong[0]].tolist())}")
    for k, face in enumerate(faces):
        if not all(0 <= c < len(vertices) for c in face):
            raise ValueError(f"{name} has a face, face {k}, of vertices {list(face)}, but {len(vertices)} vertices")
        if len(face) < 3:
            raise ValueError(f"{name} has a face, face {k}, of {len(face)} vertices; a face has at least three")


# -- other formats ----------------------------------------------------------------------------------------------------------


def _trimesh() -> Any:
    try:
        import trimesh
    except ImportError as error:
        raise ImportError(f"mesh files of other formats than OBJ, OFF, PLY and STL need trimesh: pip install trimesh ({error})") from error
    return trimesh


def _by_trimesh(trimesh: Any, source: Path) -> tuple[np.ndarray, Faces, float | None]:
    """All meshes of a file in one frame, where their nodes place them."""
    source.open("rb").close()  # what the system refuses is no fault of the file
    try:
        mesh = trimesh.load_mesh(source, process=False)
        vertices, faces, unit = np.asarray(mesh.vertices, float), np.asarray(mesh.faces).tolist(), mesh.units
        metres = None if unit is None else float(trimesh.units.unit_conversion(unit, "meters"))
    except ImportError as error:
        package = _MISSING.search(str(error))
        if package is None or package[1] not in _GUESSES:
            needed = "another package of trimesh" if package is None else f"{package[1]}: pip install {package[1]}"
            raise ImportError(f"{source.suffix[1:].upper()} files need {needed} ({error})") from error
        raise ValueError(f"{source.name} cannot be read as a mesh; it may be truncated or of another format") from error
    except MemoryError:
        raise
    except Exception as error:  # the readers of the formats raise whatever comes up
        raise ValueError(f"{source.name} cannot be read as a mesh; trimesh {trimesh.__version__} says {type(error).__name__}: "
                         f"{str(error).partition(chr(10))[0]}") from error
    return vertices.reshape(-1, 3), [tuple(face) for face in faces], metres
