"""Solids of a STEP file."""

import math
import os
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sympy as sp

from ..brep import UNCHECKED, Solid, joined
from ..polyhedron import CLOSED
from .curves import Unread
from .faces import Known, face_patches
from .faults import Entities, in_words
from .gaps import Use, gaps
from .kernel import opencascade

UNITS = {"m": sp.Rational(1, 1000), "cm": sp.Rational(1, 10), "mm": sp.Integer(1), "in": sp.Rational(5, 127), "ft": sp.Rational(5, 1524)}
"""The length of a millimetre in each unit of length: OpenCASCADE reads every file in millimetres."""


def solids_from_step(path: Any, unit: str = "mm") -> list[Solid]:
    """Read the solids of a STEP file, each face by the formula of its surface, trimmed by its loops.

    Parameters
    ----------
    path : path-like
        The file.
    unit : str, optional
        The unit of lengths of the solids: "m", "cm", "mm", "in" or "ft". The unit of the file is read from it.

    Returns
    -------
    list of Solid
        One for each solid, in the order of the file, placed as assemblies place them; named after the file, with their numbers where there
        are several. `Solid.gap` bounds how far edges are from the faces that they bound.

    Raises
    ------
    ImportError
        Without OpenCASCADE (extra `cad`).
    ValueError
        For a file that is not read, or holds no solid; for a face that has no formula here, or whose loops are not understood. The message
        names the solid and the face, by their numbers from 0, and entities by their numbers in the file.

    Warns
    -----
    UserWarning
        If faces of the file belong to no solid: they are left out. The message has their number. If entities are missing or of an unknown
        kind, solids are left out, shells are open, faces have no loops, or loops cross, so that OpenCASCADE made other faces. The message
        has the numbers of these entities in the file.

    Notes
    -----
    OpenCASCADE reads the file; formulas follow from the doubles it holds, exactly. Planes, cylinders, cones, spheres, tori, surfaces of
    revolution and of extrusion, offset surfaces, and B-splines, rational or not, periodic or not, are formulas; no face becomes a mesh. On
    planes a face is trimmed by the projections of its edges, elsewhere by their curves in its parameters.

    The gap is a *proved* bound of the distance of each edge from the image of its curve in the parameters, point by point, after straight
    curves are replaced by lines and ends of curves that do not meet are moved together. Times of contact and distances are bracketed for
    bodies thickened by their gaps, contacts are proved of the faces that are made here, and `notes` tell the gap. The gap leaves out that
    rectangles are rounded to full turns, by less than 1e-9 of the size of a face; curves below 1e-5 of the size of their loop may be left
    out where they stand in the way; corners between tangent curves are cut where the face is thinner than 1e-9 of its height. Numbers of a
    formula are written for SymPy when they are first asked for.

    A solid is `closed` where each edge bounds two faces in opposite senses, up to its gap.

    Examples
    --------
    >>> from generative.step import solids_from_step
    >>> solids_from_step("bracket.step", unit="m")  # doctest: +SKIP
    [Solid(12 faces, 38 edges, 24 vertices; closed: every edge joins two faces, name='bracket')]
    """
    if unit not in UNITS:
        raise ValueError(f"the unit of lengths must be one of {', '.join(UNITS)}, got {unit!r}")
    place = Path(os.fspath(path))
    if not place.is_file():
        raise FileNotFoundError(f"there is no file {place}")
    reader = opencascade().reader()
    if reader.ReadFile(str(place)) != opencascade().done:
        raise ValueError(f"{place.name} is not read as a STEP file: it is damaged, or of another format")
    reader.TransferRoots()
    whole = reader.OneShape() if reader.NbShapes() else None
    shapes = [] if whole is None else list(parts(whole, opencascade().solid))
    entities = Entities(reader, place)
    faults = entities.faults(shapes, [] if whole is None else list(parts(whole, opencascade().face)))
    if not shapes:
        why = f". It has faults: {in_words(faults)}" if faults else ""
        raise ValueError(f"{place.name} holds no solid: its surfaces and curves bound none{why}")
    if faults:
        warnings.warn(f"{place.name} has faults, and what needs these entities is left out or may not close up: {in_words(faults)}",
                      stacklevel=2)
    loose = sum(1 for _ in parts(whole, opencascade().face, opencascade().solid))
    if loose:
        warnings.warn(f"{loose} faces in {place.name} belong to no solid and are left out", stacklevel=2)
    names = [place.stem if len(shapes) == 1 else f"{place.stem} {k}" for k in range(len(shapes))]
    return [_solid(one, UNITS[unit], name, entities) for one, name in zip(shapes, names, strict=True)]


def parts(shape: Any, kind: Any, *outside: Any) -> Iterator[Any]:
    """The parts of a kind, or those that are not in a part of the kind `outside`."""
    explorer = opencascade().explorer(shape, kind, *outside)
    while explorer.More():
        yield explorer.Current()
        explorer.Next()


def _solid(shape: Any, scale: Any, name: str, entities: Entities) -> Solid:
    pieces, uses, known = list[Solid](), list[Use](), Known()
    for k, face in enumerate(parts(shape, opencascade().face)):
        try:
            own, beside = face_patches(opencascade().shapes.Face(face), scale, face.Orientation() == opencascade().reversed,
                                       known)
        except (Unread, ValueError) as error:
            raise ValueError(f"face {k}{entities.named(face)} of the solid {name!r}: {error}") from error
        pieces += own
        uses += beside
    off = float(gaps(uses).max(initial=0.0))
    gap = math.nextafter(off * float(scale) * (1 + 1e-15), math.inf) if off > 0.0 else 0.0
    return joined(pieces, CLOSED if _closed(shape) else UNCHECKED).with_gap(gap).named(name)


def _closed(shape: Any) -> bool:
    """Whether every edge that is no point is used twice, in opposite senses."""
    uses: Counter[Any] = Counter()
    senses: Counter[Any] = Counter()
    for face in parts(shape, opencascade().face):
        for edge in parts(face, opencascade().edge):
            if opencascade().tool.Degenerated_s(opencascade().shapes.Edge(edge)):
                continue
            # One edge has one shape at one place, however it is turned.
            key = hash(edge)
            uses[key] += 1
            senses[key] += -1 if edge.Orientation() == opencascade().reversed else 1
    return bool(uses) and all(n == 2 for n in uses.values()) and not any(senses.values())
