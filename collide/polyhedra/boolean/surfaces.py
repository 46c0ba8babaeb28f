"""Closed surfaces as triangles of numbered points: their orientation, and the volume inside, exactly."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from codegen.deadline import check

from .exact_points import DECISIVE, Points, cross, determinant, minus, sign


class OrientedTriangles(NamedTuple):
    """`corners` (m, 3): numbers of points. `axis` (m,): a coordinate along which the normal is not 0; `turn` (m,): its sign there."""

    corners: np.ndarray
    axis: np.ndarray
    turn: np.ndarray


def faces_of(points: Points, corners: np.ndarray, name: str) -> OrientedTriangles:
    """Triangles without those two corners of which are one. ValueError for others without area."""
    whole = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    a, b, c = points.places[corners].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    axis = np.abs(normals).argmax(axis=1)
    along = np.take_along_axis(normals, axis[:, None], axis=1)[:, 0]
    turn = np.sign(along).astype(np.int64)
    for k in np.flatnonzero(whole & (np.abs(along) <= DECISIVE)).tolist():
        p, q, r = (points.exact(n) for n in corners[k].tolist())
        normal = cross(minus(q, p), minus(r, p))
        if not any(normal):
            raise ValueError(f"triangle {k} of the {name} mesh has no area: its corners are in a line")
        axis[k] = max(range(3), key=lambda n: abs(normal[n]))
        turn[k] = sign(normal[axis[k]])
    return OrientedTriangles(corners[whole], axis[whole], turn[whole])


def volume(points: Points, corners: np.ndarray) -> Fraction:
    """The volume inside a closed surface: a sixth of the sum of the determinants of its triangles.

    Fractions are added in pairs of neighbours, and these again: neighbours share points, so denominators grow slowly.
    """
    whole, parts = 0, list[Fraction]()
    for face in corners.tolist():
        p, q, r = (points.exact(k) for k in face)
        value, scale = determinant(p[:3], q[:3], r[:3]), p[3] * q[3] * r[3]
        if scale == 1:
            whole += value
        else:
            parts.append(Fraction(value, scale))
    while len(parts) > 1:
        check()
        parts = [sum(parts[k:k + 2], Fraction(0)) for k in range(0, len(parts), 2)]
    return sum(parts, Fraction(whole)) * points.unit**3 / 6
