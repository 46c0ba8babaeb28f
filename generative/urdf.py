"""Robots from URDF files, as chains of links and joints (read by yourdfpy, the extra `urdf`)."""

from collections.abc import Iterator
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
from .mesh import polyhedron_from_file
from .motion import IDENTITY, Rigid
from .polyhedron import brick
from .solids import extruded, revolved
from .symbols import exact, u

_KINDS = {"revolute": revolute, "continuous": revolute, "prismatic": prismatic}
MESHES = ("hull", "solid")


def chain_from_urdf(path: str | PathLike[str], *, meshes: str = "hull") -> Chain:
    """The robot of a URDF file: its links with the bodies of their `collision` elements, and its joints.

    Boxes, cylinders and spheres are exact solids of the numbers in the file; of meshes (files beside the URDF, or in its packages) the
    convex hull is taken, or, with ``meshes="solid"``, the closed polyhedron (see `polyhedron_from_file`). A revolute, continuous or
    prismatic joint takes a value in `Chain.at`, whatever its limits are, unless it mimics another one. Lengths and angles are those of the
    file, metres and radian; its rotations are doubles, which differ from rotations by roundings.

    Raises FileNotFoundError and ImportError for what is missing, and ValueError, which names the item, for a file that is no URDF, for
    joints of other types (planar, floating), for geometry without a shape, and for meshes that cannot be read.
    """
    try:
        import yourdfpy
    except ImportError as error:
        raise ImportError("URDF files need yourdfpy: pip install yourdfpy") from error
    source = Path(path)
    if meshes not in MESHES:
        raise ValueError(f"meshes must be one of {', '.join(MESHES)}, got {shown(meshes)}")
    if not source.is_file():
        raise FileNotFoundError(f"there is no URDF file {source}")
    try:
        read = yourdfpy.URDF.load(str(source), build_scene_graph=False, load_meshes=False)
        robot, find = read.robot, read._filename_handler
    except Exception as error:  # the reader raises whatever comes up
        raise ValueError(f"{source.name} cannot be read as URDF ({str(error).partition(chr(10))[0]})") from error
    joints = [_joint(j, source.name) for j in robot.joints]
    return Chain({link.name: list(_bodies(link, find, meshes)) for link in robot.links if link.collisions}, joints)


def _joint(given: Any, file: str) -> Joint:
    origin = _origin(given.origin)
    if given.type == "fixed":
        return fixed(given.name, given.parent, given.child, origin=origin)
    if given.type not in _KINDS:
        known = ", ".join([*_KINDS, "fixed"])
        raise ValueError(f"joint {given.name} of {file} is of type {shown(given.type)}; a chain has joints of the types {known}")
    axis = (1, 0, 0) if given.axis is None else given.axis.tolist()
    return _KINDS[given.type](given.name, given.parent, given.child, axis=axis, origin=origin, follows=_mimicked(given.mimic))


def _mimicked(given: Any) -> tuple[str, float, float] | None:
    if given is None:
        return None
    return given.joint, 1.0 if given.multiplier is None else given.multiplier, given.offset or 0.0


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
        return brick(geometry.box.size.tolist())
    if geometry.cylinder is not None:
        length = exact(geometry.cylinder.length)
        return extruded(circle(exact(geometry.cylinder.radius)), [0, 0, length]).moved(Rigid(translation=[0, 0, -length / 2]))
    if geometry.sphere is not None:
        radius = exact(geometry.sphere.radius)
        return revolved(Curve([radius * sp.sin(u), 0, -radius * sp.cos(u)], (0, sp.pi)))
    if geometry.mesh is None:
        raise ValueError("its geometry has no box, cylinder, sphere or mesh")
    return _mesh(Path(find(geometry.mesh.filename)), geometry.mesh.scale, meshes)


def _mesh(source: Path, scale: Any, meshes: str) -> Any:
    factors = np.ones(3) if scale is None else np.broadcast_to(np.asarray(scale, float), 3)
    if meshes == "solid":
        if (factors != 1.0).any():
            raise ValueError(f"the mesh {source.name} is scaled, which a solid is not; take its hull")
        return polyhedron_from_file(source)
    import trimesh

    if not source.is_file():
        raise FileNotFoundError(f"there is no mesh file {source}")
    try:
        points = np.asarray(trimesh.load_mesh(source).vertices)
    except Exception as error:  # the readers of the formats raise whatever comes up
        raise ValueError(f"{source.name} cannot be read as a mesh") from error
    return hull((points * factors).tolist())
