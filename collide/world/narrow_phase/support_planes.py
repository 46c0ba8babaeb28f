"""Flat faces of what is fixed, for balls that fly beside them: planes that all of a body is behind, with bounds that are proved."""

import functools
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from codegen.constants import enclose
from generative import u, v
from generative.changes import pieces_of

from ...bodies.mesh import Mesh
from ..motion.moving_body import MovingBody
from ..shapes.hull import across, hull
from ..shapes.polyhedral import polyhedral
from ..shapes.simple import Flat
from .separating_planes import entries

# Against size: what is further inside of the border of a face than this is on it, whatever the roundings of its corners are, which are
# some units in the last place.
_INSIDE = 1e-9
# Unit vectors in doubles are shortened by so much to be no longer than 1, and are no shorter than twice that.
_SHORTER = 2.0**-50

Bounds = tuple[Fraction, Fraction]


class Wall(NamedTuple):
    """A face in the world, by a vector `normal` n that is no longer than 1, and no shorter than `length`: all points x of the body are
    proved to have n x <= `level`, and all points of the face n x >= `low`. `across`: planes through its border, outward normals and levels
    (m, 4), in doubles; the face may end so much inside of them as is the `slack` of its shape.
    """

    normal: np.ndarray
    length: float
    level: float
    low: float
    across: np.ndarray
    slack: float

    def faces(self, point: np.ndarray) -> bool:
        """Whether the line through a point along the normal is *proved* to go through the face."""
        size = np.abs(self.across[:, 3]).max() + np.abs(point).max()
        return bool((self.across[:, :3] @ point - self.across[:, 3]).max() < -_INSIDE * size - self.slack)


def walls_of(actor: MovingBody) -> tuple[Wall, ...]:
    """The walls of a body that is fixed, convex and closed, or one flat sheet, whose walls look either way; else none."""
    own = hull(actor.rigid.outline) if actor.rigid.fixed else None
    if own is None or not len(own.within):
        return ()
    return _walls(actor.rigid.outline, *(tuple(e.tolist()) for e in entries(actor, 0.0)))


@functools.lru_cache(maxsize=512)
def _walls(shape: Any, least: tuple[float, ...], most: tuple[float, ...]) -> tuple[Wall, ...]:
    flat, pose = polyhedral(shape, (0.0, 0.0, 0.0)), [(Fraction(a), Fraction(b)) for a, b in zip(least, most, strict=True)]
    cells = [[_moved(pose, corner) for corner in cell] for cell in _cells(shape)]
    turn, shift = ((np.array(part(least)) + part(most)) / 2.0 for part in (lambda e: np.reshape(e[:9], (3, 3)), lambda e: np.array(e[9:])))
    assert flat is not None
    faces = [f.moved(turn, shift) for f in flat.faces]
    ways = [(f, sign) for f in faces for sign in ((1.0, -1.0) if len(faces) == 1 else (1.0,))]
    own = hull(shape)
    assert own is not None
    return tuple(_wall(f, sign, cells, own.slack) for f, sign in ways) if cells else ()


def _wall(face: Flat, sign: float, cells: list[list[list[Bounds]]], slack: float) -> Wall:
    n = sign * face.normal / np.linalg.norm(face.normal)
    square = sum(Fraction(e) ** 2 for e in n.tolist())
    if square != 1:
        n = n * (1.0 - _SHORTER)
        square = sum(Fraction(e) ** 2 for e in n.tolist())
    length = 1.0 if square == 1 else 1.0 - 4.0 * _SHORTER
    assert Fraction(length) ** 2 <= square <= 1, "a unit vector is so but for some roundings"
    way = [(Fraction(e), Fraction(e)) for e in n.tolist()]
    level = max(_sum(way, corner)[1] for cell in cells for corner in cell)
    low = min(_sum(way, corner)[0] for k in face.cells for corner in cells[k])
    return Wall(n, length, float(np.nextafter(float(level), np.inf)) if Fraction(float(level)) < level else float(level),
                float(np.nextafter(float(low), -np.inf)) if Fraction(float(low)) > low else float(low), across(face), slack)


@functools.lru_cache(maxsize=512)
def _cells(shape: Any) -> tuple[tuple[tuple[Bounds, ...], ...], ...]:
    """The corners of its triangles, or flat patches, each of which is in the hull of these."""
    if isinstance(shape, Mesh):
        vertices, triangles = shape.arrays
        return tuple(tuple(tuple((Fraction(e), Fraction(e)) for e in vertices[k].tolist()) for k in own) for own in triangles
                     ) if shape.motion.is_identity else ()
    found = []
    for face in pieces_of(shape):
        (a, b), (c, d) = face.domain[u], face.domain[v]
        found.append(tuple(tuple((Fraction(lo), Fraction(hi)) for lo, hi in (enclose(e.subs({u: p, v: q})) for e in face.expressions))
                           for p, q in ((a, c), (b, c), (b, d), (a, d))))
    return tuple(found)


def _moved(pose: list[Bounds], corner: tuple[Bounds, ...]) -> list[Bounds]:
    return [tuple(a + b for a, b in zip(_sum(pose[3 * k:3 * k + 3], corner), pose[9 + k], strict=True))  # type: ignore[misc]
            for k in range(3)]


def _sum(first: Any, second: Any) -> Bounds:
    """Bounds of a sum of products."""
    ends = [[a * b for a in one for b in other] for one, other in zip(first, second, strict=True)]
    return sum((min(e) for e in ends), Fraction(0)), sum((max(e) for e in ends), Fraction(0))
