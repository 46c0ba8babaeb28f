"""Convex hulls of points, as polyhedra."""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from .brep import Solid
from .polyhedron import polyhedron
from .symbols import items, vector

Face = tuple[int, ...]


def hull(points: Any, *, name: str | None = None) -> Solid:
    """The convex hull of points (n, 3), numbers or exact expressions, as a polyhedron with some of the points as its vertices.

    Which points these are, and which triangles join them, is computed in doubles (SciPy's ConvexHull, Qhull): so a point may lie outside by
    some roundings of the size. Triangles of one side that lie in one plane exactly are one face. Needs SciPy, as the extra `mesh`.

    Raises ValueError for fewer than four points, for numbers that are not finite, and for points in one plane.
    """
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError as error:
        raise ImportError("hulls need SciPy: pip install scipy") from error
    exact = [vector(p, [], "a point of a hull") for p in items(points, "the points of a hull")]
    at = np.array([[float(e) for e in p] for p in exact]).reshape(-1, 3)
    if len(at) < 4:
        raise ValueError(f"a hull needs at least four points, got {len(at)}")
    if not np.isfinite(at).all():
        raise ValueError("the points of a hull exceed the range of doubles; scale them")
    try:
        found = ConvexHull(at)
    except QhullError:
        raise ValueError("the points of a hull lie in one plane, so they enclose no volume") from None
    sides: dict[bytes, list[Face]] = defaultdict(list)
    for corners, plane in zip(found.simplices.tolist(), found.equations, strict=True):
        sides[plane.tobytes()].append(_outward(at, corners, plane))
    faces = [face for plane, own in sides.items() for face in _merged(exact, at, own, np.frombuffer(plane))]
    used = sorted(set(itertools.chain(*faces)))
    number = {k: n for n, k in enumerate(used)}
    return polyhedron([exact[k] for k in used], [[number[k] for k in face] for face in faces], name=name)


def _outward(at: np.ndarray, corners: Sequence[int], plane: np.ndarray) -> Face:
    """A triangle counterclockwise as seen from outside."""
    a, b, c = corners
    return (a, b, c) if np.cross(at[b] - at[a], at[c] - at[a]) @ plane[:3] > 0 else (a, c, b)


def _merged(exact: Sequence[Any], at: np.ndarray, triangles: list[Face], plane: np.ndarray) -> list[Face]:
    """The triangles of a side as one face, where all corners lie in one plane exactly."""
    corners = sorted(set(itertools.chain(*triangles)))
    if len(triangles) == 1 or not _flat([exact[k] for k in corners]):
        return triangles
    middle = at[corners].mean(axis=0)
    first = at[corners[0]] - middle
    second = np.cross(plane[:3], first)
    return [tuple(sorted(corners, key=lambda k: math.atan2((at[k] - middle) @ second, (at[k] - middle) @ first)))]


def _flat(points: Sequence[Any]) -> bool:
    """Do rational points lie in one plane exactly? Of others that is not known."""
    if not all(isinstance(e, sp.Rational) for p in points for e in p):
        return False
    a, *others = [[Fraction(int(e.p), int(e.q)) for e in p] for p in points]
    sides = [[e - f for e, f in zip(p, a, strict=True)] for p in others]
    normal = next((n for b, c in itertools.combinations(sides, 2) if any(n := _cross(b, c))), None)
    return normal is not None and all(sum(n * e for n, e in zip(normal, side, strict=True)) == 0 for side in sides)


def _cross(b: Sequence[Fraction], c: Sequence[Fraction]) -> list[Fraction]:
    return [b[(k + 1) % 3] * c[(k + 2) % 3] - b[(k + 2) % 3] * c[(k + 1) % 3] for k in range(3)]
