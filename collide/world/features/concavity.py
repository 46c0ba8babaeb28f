"""Curved bodies that are not convex: which of their edges are hollow, and how thick they are."""

import enum
from collections.abc import Sequence

import numpy as np

from codegen.kernel import compile
from generative import u, v

from ...bodies.cells import Parametric
from .curved import CurvedPatch, LevelSet

# Places along an edge, and a step from it into a face, against the domain; up to which height, against the step, faces go on in each other.
_PLACES, _STEP, _SMOOTH = 9, 1e-4, 1e-3
# So many points of a face are looked at, and directions that are more than so much against each other are opposite.
_MANY, _OPPOSITE = 200, 0.5


class Way(enum.Enum):
    """The way faces meet in an edge: the body bends outward there, or inward, or they are smooth; or some of each."""

    OUT = 1
    IN = 2
    SMOOTH = 3
    BOTH = 4


def way(edge: Parametric) -> Way:
    """As seen at some places; BOTH, too, of an edge of other than two faces."""
    if len(edge.outward) != 2:
        return Way.BOTH
    formulas = []
    for face, (a, b) in edge.outward:
        middle = [sum(face.domain[s]) / 2 for s in (u, v)]
        inner = {s: e + _STEP * (m - e) for s, e, m in zip((u, v), (a, b), middle, strict=True)}
        formulas += [*(e.xreplace({u: a, v: b}) for e in (*face.expressions, *face.normal)), *(e.xreplace(inner) for e in face.expressions)]
    lo, hi = (float(e) for e in edge.domain[0])
    at = lo + (np.arange(_PLACES) + 0.5) / _PLACES * (hi - lo)
    found = compile(formulas, [u], quick=True).points(at[:, None]).reshape(-1, 2, 3, 3)
    steps, normals = found[:, :, 2] - found[:, :, 0], found[:, :, 1]
    along = np.cross(normals[:, 0], normals[:, 1])
    with np.errstate(divide="ignore", invalid="ignore"):
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        steps -= np.nan_to_num((steps * along[:, None]).sum(axis=2, keepdims=True) * along[:, None])
        steps /= np.linalg.norm(steps, axis=2, keepdims=True)
        normals = normals / np.linalg.norm(normals, axis=2, keepdims=True)
    high = (steps * normals[:, ::-1]).sum(axis=2)
    if not np.isfinite(high).all():
        return Way.BOTH
    return (Way.SMOOTH if (np.abs(high) <= _SMOOTH).all() else Way.OUT if (high <= _SMOOTH).all() else
            Way.IN if (high >= -_SMOOTH).all() else Way.BOTH)


def thickness(faces: Sequence[CurvedPatch | LevelSet]) -> float:
    """The least diameter of a ball inside that touches a face at one of many points, and goes through one of others that faces it."""
    jets = [f.jet(f.start(np.arange(0, len(f.points), max(1, len(f.points) // _MANY)))) for f in faces]
    points, normals = (np.concatenate([j[k] for j in jets]) for k in (0, 3))
    least = np.inf
    for p, n in zip(points, normals, strict=True):
        depth, far = (p - points) @ n, ((p - points) ** 2).sum(axis=1)
        which = (normals @ n < -_OPPOSITE) & (depth > 0.0)
        least = min(least, float((far[which] / depth[which]).min(initial=np.inf)))
    return least
