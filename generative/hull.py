"""Convex hulls of points, as polyhedra."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .brep import Solid
from .closedness import flipped
from .outline import IntegerPoints, Point, cross, cut, dot, minus
from .polyhedron import flat_faced
from .symbols import items, vector

MOST = 10_000
"""Triangles of a hull: as a body each of them is a formula, which takes about a millisecond to write."""

Face = tuple[int, ...]


def hull(points: Any, *, name: str | None = None) -> Solid:
    """The convex hull of points (n, 3), numbers or exact expressions, as a polyhedron with some of the points as its vertices.

    Which points these are, and which triangles join them, is computed in doubles (SciPy's ConvexHull, Qhull): so a point may lie outside by
    some roundings of the size. Triangles of one side that lie in one plane exactly are one face. Needs SciPy, as the extra `mesh`.

    Raises ValueError for fewer than four points, for numbers that are not finite, for points in one plane, and for a hull of more than
    `MOST` triangles.
    """
    try:
        from scipy.spatial import ConvexHull, QhullError
    except ImportError as error:
        raise ImportError("hulls need SciPy: pip install scipy") from error
    given, at = _places(points)
    if len(at) < 4:
        raise ValueError(f"a hull needs at least four points, got {len(at)}")
    if not np.isfinite(at).all():
        raise ValueError("the points of a hull exceed the range of doubles; scale them")
    # In units of a power of two, as products of three coordinates must neither overflow nor be taken for nothing.
    at = np.ldexp(at, -int(np.frexp(np.abs(at).max())[1]))
    try:
        found = ConvexHull(at)
    except QhullError:
        raise ValueError("the points of a hull lie in one plane, but for roundings of their size, so they enclose no volume") from None
    if len(found.simplices) > MOST:
        raise ValueError(f"the hull has {len(found.simplices):,} triangles, a solid takes up to {MOST:,}; leave out points, or take "
                         "a collide.Mesh of its triangles")
    used, corners = np.unique(found.simplices, return_inverse=True)
    at, kept = at[used], [given[k] for k in used.tolist()]
    triangles = _outward(at, corners.reshape(-1, 3), found.equations)
    sides = _planes(at, kept, triangles)
    return _solid(kept, triangles, sides, name)


def _places(points: Any) -> tuple[Sequence[Any], np.ndarray]:
    """Points exactly, and in doubles. What doubles hold exactly is not made formulas of, which takes long."""
    listed = points.tolist() if isinstance(points, np.ndarray) else items(points, "the points of a hull")
    listed = [p.tolist() if isinstance(p, np.ndarray) else p for p in listed]
    if all(isinstance(p, (list, tuple)) and len(p) == 3 and all(map(_plain, p)) for p in listed):
        at = np.array(listed, float).reshape(-1, 3)
        return at.tolist(), at
    given = [vector(p, [], "a point of a hull") for p in listed]
    return given, np.array([[float(e) for e in p] for p in given]).reshape(-1, 3)


def _plain(e: Any) -> bool:
    """Whether a number is a finite double, or an integer that is one."""
    return (type(e) is float and math.isfinite(e)) or (type(e) is int and abs(e) <= 2**53)


def _outward(at: np.ndarray, triangles: np.ndarray, planes: np.ndarray) -> np.ndarray:
    """The triangles counterclockwise as seen from outside; what roundings turn goes as its neighbours do."""
    p, q, r = (at[triangles[:, k]] for k in range(3))
    turned = (np.cross(q - p, r - p) * planes[:, :3]).sum(axis=1) < 0
    triangles = np.where(turned[:, None], triangles[:, ::-1], triangles)
    if len(np.unique(_sides_of(triangles))) < 3 * len(triangles):
        wrong = flipped(triangles.tolist())
        triangles[wrong] = triangles[wrong, ::-1]
    if (np.sort(_sides_of(triangles), axis=None) != np.sort(_sides_of(triangles[:, ::-1]), axis=None)).any():
        raise ValueError("the points of a hull are too near to each other, or to one plane, for their hull to close; leave out some")
    return triangles


def _sides_of(triangles: np.ndarray) -> np.ndarray:
    """Each side of triangles, from a corner to the next, as one number."""
    return np.asarray(triangles << 32 | np.roll(triangles, -1, axis=1))


# -- triangles in one plane -------------------------------------------------------------------------------------------------


def _planes(at: np.ndarray, given: Sequence[Any], triangles: np.ndarray) -> np.ndarray:
    """The number of the plane side that each triangle is part of, with those that lie in one plane with it exactly, and hang together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    along = _sides_of(triangles).ravel()
    order = np.argsort(along)
    # Of each side of a triangle, the one that goes along it in the opposite sense.
    other = order[np.searchsorted(along, (np.roll(triangles, -1, axis=1) << 32 | triangles).ravel(), sorter=order)]
    one = np.arange(len(other))
    once = one < other
    one, other = one[once], other[once]
    ends = triangles[one // 3]
    far = triangles[other // 3, (other + 2) % 3]
    flat = _coplanar(at, given, ends, far)
    flat &= _joined(at, given, triangles, one, other)
    links = one[flat] // 3, other[flat] // 3
    count = len(triangles)
    return np.asarray(connected_components(coo_array((np.ones(len(links[0])), links), shape=(count, count)), directed=False)[1])


def _coplanar(at: np.ndarray, given: Sequence[Any], ends: np.ndarray, far: np.ndarray) -> np.ndarray:
    """Whether points `far` (k,) lie in the planes of triangles (k, 3) exactly; for points that are not rational that is not known."""
    places = at / np.abs(at).max()
    p, q, r = (places[ends[:, k]] for k in range(3))
    # As in `crossing`: a height is off by less than 2**-42.
    flat = np.abs((np.cross(q - p, r - p) * (places[far] - p)).sum(axis=1)) <= 2.0**-42
    for k in np.flatnonzero(flat).tolist():
        flat[k] = _height([given[i] for i in (*ends[k].tolist(), int(far[k]))]) == 0
    return flat


def _height(points: Sequence[Sequence[Any]]) -> int:
    """The sign of the volume of four points; 1 where they are not rational."""
    numbers = _rational(points)
    if numbers is None:
        return 1
    a, b, c, d = IntegerPoints(numbers).at
    return int(np.sign(dot(cross(minus(b, a), minus(c, a)), minus(d, a))))


def _rational(points: Sequence[Sequence[Any]]) -> list[list[Fraction]] | None:
    """Floats and rational numbers as fractions; None where others are among them."""
    if not all(isinstance(e, float) or e.is_Rational for p in points for e in p):
        return None
    return [[Fraction(e) if isinstance(e, float) else Fraction(int(e.p), int(e.q)) for e in p] for p in points]


def _joined(at: np.ndarray, given: Sequence[Any], triangles: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Whether triangles at the sides `one` and `other` (3 times the triangle, plus the side) may be one face: those without area, of which
    the planes say nothing, go to their neighbour along the longest side, on which their third corner lies.
    """
    places = at / np.abs(at).max()
    p, q, r = (places[triangles[:, k]] for k in range(3))
    longest = np.full(len(triangles), -1)
    # As in `crossing`: a component of a normal is off by less than 2**-46.
    for k in np.flatnonzero(np.abs(np.cross(q - p, r - p)).max(axis=1) <= 2.0**-46).tolist():
        numbers = _rational([given[i] for i in triangles[k].tolist()])
        if numbers is not None and (side := _longest(IntegerPoints(numbers).at)) is not None:
            longest[k] = 3 * k + side
    thin = (longest[one // 3] >= 0) | (longest[other // 3] >= 0)
    return np.asarray(~thin | (longest[one // 3] == one) | (longest[other // 3] == other))


def _longest(corners: Sequence[Point]) -> int | None:
    """The longest side of a triangle without area, from corner k to the next; None for one with area."""
    a, b, c = corners
    if any(cross(minus(b, a), minus(c, a))):
        return None
    return next(k for k in range(3) if dot(minus(corners[k], corners[k - 1]), minus(corners[(k + 1) % 3], corners[k - 1])) <= 0)


def _solid(given: Sequence[Any], triangles: np.ndarray, sides: np.ndarray, name: str | None) -> Solid:
    order = np.argsort(sides, kind="stable")
    groups = np.split(triangles[order], np.flatnonzero(np.diff(sides[order])) + 1)
    outlines: list[Face] = []
    pieces: list[Face] = []
    for group in groups:
        for outline, own in _faces(given, [tuple(corners) for corners in group.tolist()]):
            outlines.append(outline)
            pieces += own
    used = sorted({k for outline in outlines for k in outline})
    number = {k: n for n, k in enumerate(used)}
    outlines, pieces = ([tuple(number[k] for k in corners) for corners in listed] for listed in (outlines, pieces))
    return flat_faced([given[k] for k in used], outlines, pieces, name)


def _faces(given: Sequence[Any], triangles: list[Face]) -> Iterable[tuple[Face, list[Face]]]:
    """The outline of a side, and its patches; or those of its triangles, where these have no single outline."""
    ring = triangles[0] if len(triangles) == 1 else _border(triangles)
    if len(triangles) == 1 or not ring:
        return [(corners, [corners]) for corners in triangles]
    numbers = _rational([given[k] for k in ring])
    assert numbers is not None, "only rational points are known to lie in one plane"
    return [(ring, [tuple(ring[k] for k in piece) for piece in cut(IntegerPoints(numbers).at, 0)])]


def _border(triangles: Sequence[Face]) -> Face:
    """The corners round triangles that hang together; nothing where their border comes to a corner twice."""
    sides = {(a, b) for corners in triangles for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)}
    after = {a: b for a, b in sides if (b, a) not in sides}
    first = min(after)
    ring = [first]
    while (corner := after[ring[-1]]) != first:
        ring.append(corner)
    return tuple(ring) if len(ring) == sum((b, a) not in sides for a, b in sides) else ()
