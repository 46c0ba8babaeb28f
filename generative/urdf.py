"""Robots from URDF files, as chains of links and joints (read by yourdfpy, the extra `urdf`)."""

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from codegen.given import shown

from .body import Body
from .chain import Chain
from .urdf_file import collision_model, for_other_readers, shape_kinds
from .urdf_joints import joints_of, origin_of
from .urdf_shapes import MESHES, UP, Shapes


def chain_from_urdf(path: str | PathLike[str], *, meshes: str = "hull", up: str | None = None, visual: bool = False) -> Chain:
    """The robot of a URDF file: its links with the bodies of their `collision` elements, and its joints.

    Boxes, cylinders, spheres and capsules, whose `length` is that of the cylinder, are exact solids of the numbers in the file. Mesh files
    stand beside the URDF, or in its packages. `meshes`: "hull" is their convex hull, "mesh" their triangles as a `collide.Mesh`, and
    "solid" their closed polyhedron, of up to 2,000 triangles. Those that name their unit of length (DAE, 3MF) are taken in metres. For
    those that have another axis than z up (DAE, GLB) `up` says what is done: "z" takes their coordinates as they are, "file" turns that
    axis to z. `Chain.notes` name what was done. With `visual` the visual elements are taken in the place of the collision elements.

    A revolute, continuous or prismatic joint takes a value in `Chain.at`, unless it mimics another one, a floating joint six, and a planar
    one three (their names are in `Chain.values`). A prismatic joint moves by its value, however long its axis is written.
    `Chain.limits` holds the limits of revolute and prismatic joints. Lengths and angles are those of the file, metres and radian; its
    rotations are doubles, which differ from rotations by roundings.

    Raises FileNotFoundError and ImportError for what is missing, and ValueError, which names the item, for a file that is not well formed,
    is no URDF, or names a link or a joint twice or without declaring it, for joints of other types, for revolute and prismatic joints
    without both limits, for collision elements of no shape or of other ones, for a file without collision elements, for meshes that cannot
    be read, and for those with another axis up, without `up`.
    """
    try:
        import yourdfpy
    except ImportError as error:
        missing = error.name or "yourdfpy"
        raise ImportError(f"URDF files need {missing}: pip install {missing}") from error
    source = Path(path)
    _check_choices(meshes, up)
    if not source.is_file():
        raise FileNotFoundError(f"there is no URDF file {source}")
    model = collision_model(source, "visual" if visual else "collision")
    try:
        read = yourdfpy.URDF.load(for_other_readers(model), mesh_dir=str(source.parent), build_scene_graph=False, load_meshes=False)
        robot, find = read.robot, read._filename_handler
    except Exception as error:  # the reader raises whatever comes up
        raise ValueError(f"{source.name} cannot be read as URDF ({str(error).partition(chr(10))[0]})") from error
    mimicked = {j.name: j.mimic for j in robot.joints if j.mimic is not None}
    joints = [joint for given in robot.joints for joint in joints_of(given, source.name, mimicked)]
    kinds, shapes = shape_kinds(model), Shapes(meshes, up, find)
    bodies = {link.name: list(_bodies(link, kinds[link.name], shapes)) for link in robot.links if link.collisions}
    return Chain(bodies, joints, notes=[*shapes.notes])


def _check_choices(meshes: str, up: str | None) -> None:
    for name, given, known in (("meshes", meshes, MESHES), ("up", up, (*UP, None))):
        if given not in known:
            raise ValueError(f"{name} must be one of {', '.join(map(str, known))}, got {shown(given)}")


def _bodies(link: Any, kinds: Sequence[str], shapes: Shapes) -> Iterator[Body]:
    for k, (collision, kind) in enumerate(zip(link.collisions, kinds, strict=True)):
        try:
            body = shapes.body(collision.geometry, kind)
        except (ValueError, FileNotFoundError, TypeError) as error:
            raise type(error)(f"collision {k} of link {link.name}: {error}") from error
        yield body.moved(origin_of(collision.origin))
