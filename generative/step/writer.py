"""Solids written to STEP files."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sympy as sp

from codegen.given import shown

from ..brep import Solid
from .built import face_of
from .kernel import modelling, opencascade, silent
from .reader import UNITS, parts

_KINDS = "a plane, cylinder, cone, sphere, torus, extruded ellipse, or polynomial or rational patch"


def save_step(solid: Solid, path: Any, unit: str = "mm") -> None:
    """Write a solid to a STEP file, each face by the formula of its surface, for CAD programs.

    Parameters
    ----------
    solid : Solid
        A solid at rest, or carried by a constant motion. Its faces are planes, cylinders, cones, spheres, tori, extruded ellipses, or
        polynomial or rational patches, over rectangles of their parameters.
    path : path-like
        The file. One that is there is replaced when the new one is complete.
    unit : str, optional
        The unit of lengths of the solid: "m", "cm", "mm", "in" or "ft". The file is in millimetres.

    Raises
    ------
    ImportError
        Without OpenCASCADE (extra `cad`).
    TypeError
        For what is no solid.
    ValueError
        For a solid that moves or deforms, or has a `Parameter`; for a face of another kind; for faces that do not close up, and for what
        the kernel's checker refuses. The message names the solid, and the face by its number from 0.
    OSError
        Where the file cannot be written.

    Notes
    -----
    The file *approximates* the solid: coefficients of formulas are rounded to doubles, and what differs by 1e-12 of the size of a face is
    taken as equal. Poles of patches follow exactly from the formulas before they are rounded. OpenCASCADE sews the faces where their sides
    are within 1e-6 mm, and checks the solid (`BRepCheck_Analyzer`) before it is written.

    Examples
    --------
    >>> from generative import solids
    >>> from generative.step import save_step
    >>> save_step(solids.cylinder(radius=5, length=20, name="pin"), "pin.step")  # doctest: +SKIP
    """
    if not isinstance(solid, Solid):
        raise TypeError(f"a Solid is written to a STEP file, got {shown(solid)}")
    if unit not in UNITS:
        raise ValueError(f"the unit of lengths must be one of {', '.join(UNITS)}, got {unit!r}")
    name = "the solid" if solid.name is None else f"the solid {solid.name!r}"
    _refuse_changing(solid, name)
    shape = _sewn([_face(face, k, name, 1 / UNITS[unit]) for k, face in enumerate(solid.faces)], name)
    _write(shape, Path(os.path.realpath(os.fspath(path))))


def _refuse_changing(solid: Solid, name: str) -> None:
    if solid.planar:
        raise ValueError(f"{name} is a region of the plane, which no STEP file holds as a solid: extrude it first")
    for k, face in enumerate(solid.faces):
        if face.deforming or not face.motion.is_constant:
            raise ValueError(f"{name} moves or deforms, and a STEP file holds one shape: write it at one moment, solid.at(time)")
        others = sp.Tuple(*face.expressions).free_symbols - set(face.domain)
        if others:
            raise ValueError(f"face {k} of {name} has the symbols {', '.join(sorted(map(str, others)))}: give them values first")


def _face(face: Any, k: int, name: str, scale: Any) -> Any:
    made = face_of(face, scale)
    if made is None:
        raise ValueError(f"face {k} of {name} is not written to a STEP file: its formula is not seen to be {_KINDS}, got {shown(face)}")
    return made


def _sewn(faces: list[Any], name: str) -> Any:
    """A TopoDS_Solid bounded by faces, with its outside outside."""
    kernel = modelling()
    sewing = kernel.sewing()
    for face in faces:
        sewing.Add(face)
    sewing.Perform()
    sewn = sewing.SewedShape()
    shells = list(parts(sewn, kernel.shell)) or [_shell_of(parts(sewn, opencascade().face))]
    if len(shells) != 1:
        raise ValueError(f"the faces of {name} are sewn to {len(shells)} shells, and a solid of one shell is written")
    (shell,) = shells
    if not kernel.is_closed(shell):
        raise ValueError(f"the faces of {name} do not close up: sides of some have no face within 1e-6 mm beside them")
    made = kernel.make_solid(opencascade().shapes.Shell(shell)).Solid()
    kernel.orient(made)
    if not kernel.analyzer(made).IsValid():
        raise ValueError(f"{name} is not written: OpenCASCADE's checker finds its boundary invalid, as where faces cross")
    return made


def _shell_of(faces: Iterable[Any]) -> Any:
    """A shell of faces: the kernel makes none of a single one, as of a sphere."""
    shell, builder = modelling().empty_shell(), modelling().builder()
    builder.MakeShell(shell)
    for face in faces:
        builder.Add(shell, face)
    return shell


def _write(shape: Any, target: Path) -> None:
    """Write a file beside another one, and put it in its place when it is complete."""
    kernel = modelling()
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} for the file {target.name}")
    writer = kernel.writer()
    with silent(), tempfile.TemporaryDirectory(prefix=".step-", dir=target.parent) as folder:
        new = Path(folder) / "new.step"
        if writer.Transfer(shape, kernel.as_is) != opencascade().done or writer.Write(str(new)) != opencascade().done:
            raise OSError(f"{target.name} is not written: OpenCASCADE could not write the file beside it")
        os.replace(new, target)
