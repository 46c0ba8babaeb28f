"""Convex bodies as hulls of few corners, thickened by balls: balls, capsules, flat patches, and polyhedra all of whose corners are on the
inner side of each face.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from generative import ParametricSurface, Solid

from .flat import FlatBody, Point, flat_of, volume_of
from .parts import has_inside
from .rounded import rounded_of

# Effort only: bodies of more corners are not taken.
_MOST = 16
# More than what rounding moves corners, their averages and radii by, against their size.
_OFF = 2.0**-46


class ConvexCore(NamedTuple):
    """A body between two thickened hulls of corners (c, 3): all of it is within `outer` of their hull, and all that is within `inner` of
    the hull is of the body. A negative `inner` says how near at least the body comes to each point of the hull. `edges` and `triangles` by
    numbers of corners; a single corner is an edge.
    """

    corners: np.ndarray
    edges: tuple[tuple[int, int], ...]
    triangles: tuple[tuple[int, int, int], ...]
    outer: float
    inner: float


@functools.lru_cache(maxsize=1024)
def core_of(body: Any) -> ConvexCore | None:
    """The core of a rigid convex body of faces, in its own frame; None of others, and of those with parameters in their shapes."""
    if not isinstance(body, (Solid, ParametricSurface)):
        return None
    rounded = rounded_of(body)
    if rounded is not None:
        return _core(rounded.core, [(0, len(rounded.core) - 1)], [], float(rounded.square) ** 0.5)
    flat = flat_of(body)
    if flat is None or len(flat.corners) > _MOST or not _is_convex(body, flat):
        return None
    edges = sorted({(min(side), max(side)) for face in flat.faces for side in face.sides})
    return _core(flat.corners, edges, [c for face in flat.faces for c in face.triangles], 0.0)


def _core(corners: Sequence[Point], edges: Sequence[tuple[int, int]], triangles: Sequence[tuple[int, int, int]],
          radius: float) -> ConvexCore:
    at = np.array([[float(e) for e in p] for p in corners])
    off = _OFF * (radius + float(np.abs(at).max()))
    return ConvexCore(at, tuple(edges), tuple(triangles), radius + off, radius - off)


def _is_convex(body: Any, flat: FlatBody) -> bool:
    """Whether a flat body is one face, or has an inside and no corner is beyond the plane of a face: exactly. Its faces are then parts of
    the surface of its hull. A closed surface in another one covers it, so they are all of that.
    """
    if len(flat.faces) == 1:
        return True
    corners = flat.corners
    return has_inside(body) and all(volume_of(corners[a], corners[b], corners[c], p) <= 0 for face in flat.faces
                                    for (a, b, c), p in itertools.product(face.triangles, corners))
