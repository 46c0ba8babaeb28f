"""Collision elements of URDF files as bodies: shapes of numbers exactly, and mesh files in metres, with z up."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .body import Body
from .hull import hull
from .mesh_file import MeshFile, polyhedron_of, read_mesh, triangles_of
from .motion import Rigid
from .polygon_files import Faces
from .solids import box, capsule, cylinder, sphere
from .symbols import exact
from .triangulated import Triangulated

MESHES = ("hull", "solid", "mesh")
UP = ("file", "z")
# The rows of turns that take these axes to z.
_TO_Z = {"x": ((0, 0, -1), (0, 1, 0), (1, 0, 0)), "y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)), "z": ((1, 0, 0), (0, 1, 0), (0, 0, 1))}


@dataclass
class Shapes:
    """The way geometry becomes bodies: `meshes` and `up` as `chain_from_urdf` takes them. `find`: where a file is that the URDF names.
    `notes`: what was done to files that name a unit or an axis, a sentence each.
    """

    meshes: str
    up: str | None
    find: Callable[[str], str]
    notes: dict[str, None] = field(default_factory=dict)

    def body(self, geometry: Any, kind: str) -> Body:
        """The body in the frame of its element. `kind`: its tag."""
        if kind == "box":
            return box(_positive("a box", *geometry.box.size.tolist()))
        if kind in ("cylinder", "capsule"):
            sizes = _positive(f"a {kind}", geometry.cylinder.radius, geometry.cylinder.length)
            return (cylinder if kind == "cylinder" else _centred_capsule)(*sizes)
        if kind == "sphere":
            return sphere(*_positive("a sphere", geometry.sphere.radius))
        return self._mesh(Path(self.find(geometry.mesh.filename)), geometry.mesh.scale)

    def _mesh(self, source: Path, scale: Any) -> Body:
        factors = np.ones(3) if scale is None else np.asarray(scale, float).ravel()
        if not (np.isfinite(factors).all() and factors.all()):
            numbers = " ".join(map(str, factors))
            raise ValueError(f"the scale of the mesh {source.name} is {numbers}; its numbers must be finite and none of them 0")
        read = read_mesh(source)
        vertices = read.vertices @ np.array(self._turn(source.name, read), float).T * (factors * self._unit(source.name, read))
        # A mirror image has the inside of its triangles out.
        faces = read.faces if np.prod(np.broadcast_to(factors, 3)) > 0 else [face[::-1] for face in read.faces]
        return self._made(source.name, vertices, faces)

    def _made(self, name: str, vertices: np.ndarray, faces: Faces) -> Body:
        if self.meshes == "solid":
            return polyhedron_of(name, vertices, faces)
        if self.meshes == "mesh":
            return _triangulated(vertices, triangles_of(vertices.tolist(), faces))
        return hull(vertices[np.unique(np.concatenate([np.array(face) for face in faces]))])

    def _unit(self, name: str, read: MeshFile) -> float:
        if read.metres not in (None, 1.0):
            self.notes[f"{name} is taken in its unit, {read.metres:.9g} m."] = None
        return read.metres or 1.0

    def _turn(self, name: str, read: MeshFile) -> Any:
        if read.up in (None, "z"):
            return _TO_Z["z"]
        if self.up is None:
            raise ValueError(f"the mesh {name} has {read.up} as its axis that points up, by the file or its format; readers differ: "
                             'pass up="z" to take its coordinates as they are, or up="file" to turn that axis to z')
        turned = self.up == "file"
        self.notes[f"{name} has {read.up} up: {'turned to z' if turned else 'its coordinates are taken as they are'}."] = None
        return _TO_Z[read.up if turned else "z"]


def _centred_capsule(radius: Any, length: Any) -> Body:
    return capsule(radius, length).moved(Rigid(translation=[0, 0, -length / 2]))


def _triangulated(vertices: np.ndarray, triangles: Faces) -> Body:
    if Triangulated.made is None:
        raise ValueError('meshes="mesh" makes values of collide.Mesh; import collide first')
    return Triangulated.made(vertices, np.array(triangles))


def _positive(what: str, *sizes: float) -> list[Any]:
    if not all(0 < size < math.inf for size in sizes):
        raise ValueError(f"{what} has the sizes {' '.join(f'{size:g}' for size in sizes)}; all must be positive and finite")
    return [exact(size) for size in sizes]
