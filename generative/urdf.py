"""Robots from URDF files, as chains of links and joints (read by yourdfpy, the extra `urdf`)."""

import math
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from codegen.given import shown

from .body import Body
from .chain import Chain, Joint, fixed, prismatic, revolute
from .curve import Curve, circle
from .hull import hull
from .mesh_file import polyhedron_from_file, read_mesh
from .motion import IDENTITY, Rigid
from .polyhedron import brick
from .solids import extruded, revolved
from .symbols import exact, u
from .urdf_file import collision_model

_KINDS = {"revolute": revolute, "continuous": revolute, "prismatic": prismatic}
MESHES = ("hull", "solid")


def chain_from_urdf(path: str | PathLike[str], *, meshes: str = "hull") -> Chain:
    """The robot of a URDF file: its links with the bodies of their `collision` elements, and its joints.

    Boxes, cylinders and spheres are exact solids of the numbers in the file; of meshes (files beside the URDF, or in its packages) the
    convex hull is taken, or, with ``meshes="solid"``, the closed polyhedron (see `polyhedron_from_file`). A revolute, continuous or
    prismatic joint takes a value in `Chain.at`, whatever its limits are, unless it mimics another one. Lengths and angles are those of the
    file, metres and radian; its rotations are doubles, which differ from rotations by roundings. A mesh file that names its unit of length
    (DAE, 3MF) is taken in that unit.

    Raises FileNotFoundError and ImportError for what is missing, and ValueError, which names the item, for a file that is not well formed,
    is no URDF, or names a link or a joint twice or without declaring it, for joints of other types (planar, floating), for collision
    elements of no shape or of other ones (capsules), for a file without collision elements, and for meshes that cannot be read.
    """
    try:
        import yourdfpy
    except ImportError as error:
        missing = error.name or "yourdfpy"
        raise ImportError(f"URDF files need {missing}: pip install {missing}") from error
    source = Path(path)
    if meshes not in MESHES:
        raise ValueError(f"meshes must be one of {', '.join(MESHES)}, got {shown(meshes)}")
    if not source.is_file():
        raise FileNotFoundError(f"there is no URDF file {source}")
    model = collision_model(source)
    try:
        read = yourdfpy.URDF.load(model, mesh_dir=str(source.parent), build_scene_graph=False, load_meshes=False)
        robot, find = read.robot, read._filename_handler
    except Exception as error:  # the reader raises whatever comes up
        raise ValueError(f"{source.name} cannot be read as URDF ({str(error).partition(chr(10))[0]})") from error
    mimicked = {j.name: j.mimic for j in robot.joints if j.mimic is not None}
    joints = [_joint(j, source.name, mimicked) for j in robot.joints]
    return Chain({link.name: list(_bodies(link, find, meshes)) for link in robot.links if link.collisions}, joints)


def _joint(given: Any, file: str, mimicked: Mapping[str, Any]) -> Joint:
    origin = _origin(given.origin)
    if given.type == "fixed":
        return fixed(given.name, given.parent, given.child, origin=origin)
    if given.type not in _KINDS:
        known = ", ".join([*_KINDS, "fixed"])
        raise ValueError(f"joint {given.name} of {file} is of type {shown(given.type)}; a chain has joints of the types {known}")
    axis = (1, 0, 0) if given.axis is None else given.axis.tolist()
    return _KINDS[given.type](given.name, given.parent, given.child, axis=axis, origin=origin, follows=_followed(given.name, mimicked))


def _followed(name: str, mimicked: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
    """The joint whose value a joint follows in the end, where one mimics another one that mimics a third one, with factor and offset."""
    factor, offset, seen = exact(1), exact(0), [name]
    while (given := mimicked.get(seen[-1])) is not None:
        offset += factor * exact(given.offset or 0.0)
        factor *= exact(1.0 if given.multiplier is None else given.multiplier)
        if given.joint in seen:
            raise ValueError(f"joint {name} mimics itself, through {', '.join(seen)}")
        seen.append(given.joint)
    return None if len(seen) == 1 else (seen[-1], factor, offset)


def _origin(matrix: np.ndarray | None) -> Rigid:
    return IDENTITY if matrix is None else Rigid(matrix[:3, :3], matrix[:3, 3])


def _bodies(link: Any, find: Any, meshes: str) -> Iterator[Body]:
    for k, collision in enumerate(link.collisions):
        try:
            body = _body(collision.geometry, find, meshes)
        except (ValueError, FileNotFoundError, TypeError) as error:
            raise type(error)(f"collision {k} of link {link.name}: {error}") from error
        yield body.moved(_origin(collision.origin))


def _body(geometry: Any, find: Any, meshes: str) -> Any:
    """In the frame of its collision element."""
    if geometry.box is not None:
        return brick(_positive("a box", *geometry.box.size.tolist()))
    if geometry.cylinder is not None:
        radius, length = _positive("a cylinder", geometry.cylinder.radius, geometry.cylinder.length)
        return extruded(circle(radius), [0, 0, length]).moved(Rigid(translation=[0, 0, -length / 2]))
    if geometry.sphere is not None:
        (radius,) = _positive("a sphere", geometry.sphere.radius)
        return revolved(Curve([radius * sp.sin(u), 0, -radius * sp.cos(u)], (0, sp.pi)))
    return _mesh(Path(find(geometry.mesh.filename)), geometry.mesh.scale, meshes)


def _positive(what: str, *sizes: float) -> list[Any]:
    if not all(0 < size < math.inf for size in sizes):
        raise ValueError(f"{what} has the sizes {' '.join(f'{size:g}' for size in sizes)}; all must be positive and finite")
    return [exact(size) for size in sizes]


def _mesh(source: Path, scale: Any, meshes: str) -> Any:
    factors = np.ones(3) if scale is None else np.asarray(scale, float).ravel()
    if not (np.isfinite(factors).all() and factors.all()):
        numbers = " ".join(map(str, factors))
        raise ValueError(f"the scale of the mesh {source.name} is {numbers}; its numbers must be finite and none of them 0")
    if meshes == "solid" and (factors == 1.0).all() and source.suffix.lower() not in (".dae", ".3mf"):
        return polyhedron_from_file(source)
    if meshes == "solid":
        raise ValueError(f"the mesh {source.name} is scaled, which a solid is not; take its hull")
    vertices, faces, metres = read_mesh(source)
    used = np.unique(np.concatenate([np.array(face) for face in faces]))
    return hull(vertices[used] * (factors * (metres or 1.0)))
