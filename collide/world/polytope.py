"""Intersections of half-spaces as solids with flat faces: of these all corners and edges are known, with which contacts are followed."""

import functools
from typing import Any

import numpy as np
import sympy as sp

from generative import ImplicitBody, Solid, hull

from .implicit_mass import corners_of, planes_of

# Corners are looked for among doubles first: planes that are nearer to one than this, against the size, go through it.
_NEAR = 1e-9


@functools.lru_cache(maxsize=256)
def solid_of(shape: Any) -> Solid | None:
    """The same points as a Solid, *proved*: of an intersection of half-spaces with rational coefficients that is bounded; else None.

    Each corner is where three of the planes meet, and on the inner side of all, exactly; so the hull of the corners is inside. If each of
    its faces is in one of the planes, everything inside is in the hull, too.
    """
    rows = planes_of(shape) if isinstance(shape, ImplicitBody) else None
    near = corners_of(shape) if rows is not None and all(c.is_Rational for row in rows for c in row) else None
    if rows is None or near is None:
        return None
    size = float(np.ptp(near, axis=0).max())
    planes = np.array(rows, float)
    planes /= np.linalg.norm(planes[:, :3], axis=1)[:, None]
    through = np.abs(near @ planes[:, :3].T + planes[:, 3]) < _NEAR * size
    exact = {c for own in through if (c := _corner([rows[k] for k in np.flatnonzero(own)]))}
    if any(_height(row, c) > 0 for c in exact for row in rows) or len(exact) < 4:
        return None
    solid = hull(sorted(exact), name=shape.name)
    faces = [face.expressions for face in solid.faces]
    inside = all(any(sp.expand(_height(row, face)) == 0 for row in rows) for face in faces)
    return solid if inside else None


def _corner(rows: list[list[Any]]) -> tuple[Any, ...] | None:
    """Where planes meet, if that is in one point."""
    found = sp.Matrix(rows).rref()[0] if len(rows) >= 3 else sp.zeros(1, 4)
    return tuple(-e for e in found[:3, 3]) if found.rows >= 3 and found[:3, :3] == sp.eye(3) and not any(found[3:, :]) else None


def _height(row: list[Any], at: Any) -> Any:
    return sum(c * e for c, e in zip(row, (*at, 1), strict=True))
