"""The distances of meshes, as `distance` and `clearance` give them."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..answers.nearest_points import Listed
from ..bodies.mesh import Mesh
from ..bodies.numbers import NONE
from ..bodies.relative_frames import RelativeFrames, in_world, relative_frames
from ..moment.inside import inside
from ..moment.pairs import Pairs
from ..polyhedra.distance import mesh_distance
from ..polyhedra.distance.mesh_distance import MeshDistanceBounds
from ..search.clock import Clock
from ..timeline.nearest import Asked
from ..timeline.neighbourhood import Found


class DistanceBounds(NamedTuple):
    """Bounds of the least distance of all pairs, whether the search came to its end, and whether surfaces are proved to meet."""

    lower: float
    upper: float
    finished: bool
    meets: bool


def known(found: Found, between: MeshDistanceBounds) -> DistanceBounds:
    """The bounds of pairs of meshes and of the others together."""
    return DistanceBounds(min(found.lower, between.lower), min(found.upper, between.upper), found.finished and between.finished,
                 found.meets is not None or between.meets)


def nearest(bodies: Sequence[Any], span: tuple[float, float], ignored: Pairs, asked: Asked, clock: Clock,
            found: MeshDistanceBounds) -> None:
    """The least distance of all pairs of meshes that are asked about."""
    share, lower = mesh_distance.DistanceTolerance(asked.tolerance, asked.reach), math.inf
    found.waiting = [*pairs_but(bodies, ignored)][::-1]
    frames = relative_frames(bodies, np.array(found.waiting, np.int64).reshape(-1, 2))
    while found.waiting:
        i, j = found.waiting[-1]
        # Of pairs that are not searched nothing is known.
        if found.ends(asked.reach) or clock.exceeded():
            lower, found.finished = 0.0, found.finished and not clock.exceeded()
            break
        lower = min(lower, _between((i, j), frames, span, share, clock, found))
        if not found.finished:
            lower = lower if len(found.waiting) == 1 else 0.0
            break
        found.waiting.pop()
    found.lower = min(lower, found.upper, asked.reach)


def _between(pair: tuple[int, int], frames: RelativeFrames, span: tuple[float, float], share: mesh_distance.DistanceTolerance, clock: Clock,
             found: MeshDistanceBounds) -> float:
    """A lower bound of the distance of two meshes, seen from the motion that they have in common; points are told in the world."""
    first, second = (frames.bodies[k] for k in frames.label(pair))
    before = found.points
    try:
        return mesh_distance.search((first, second), span, share, clock, found, pair)
    finally:
        if pair in frames.frames and found.points is not None and found.points is not before:
            motion, at = frames.frames[pair], {s: np.array([found.time]) for s in frames.frames[pair].symbols}
            found.points = in_world(motion, found.points[None], at)[0]
            found.corners = None if found.corners is None else tuple(in_world(motion, c[None], at)[0] for c in found.corners)


def pairs_but(bodies: Sequence[Any], ignored: Pairs) -> Iterator[tuple[int, int]]:
    """All pairs of meshes but some."""
    meshes = [k for k, body in enumerate(bodies) if isinstance(body, Mesh)]
    return (pair for pair in itertools.combinations(meshes, 2) if pair not in ignored)


def listed(meshes: Sequence[Mesh], found: MeshDistanceBounds) -> Listed:
    """The two points that are known to be nearest."""
    if found.points is None or found.corners is None:
        return Listed()
    parts = [mesh_distance.feature(meshes[k], triangle, corners, point)
             for k, triangle, corners, point in zip(found.pair, found.triangles, found.corners, found.points, strict=True)]
    return Listed(found.points[None], np.zeros(1, bool), [(parts[0], parts[1])], [np.zeros((0, 2))], [()],
                  np.array([[found.time, found.time]]), np.array([found.pair]), [{}])


def size_of(mesh: Mesh) -> float:
    """About as large as it is, or farther from the origin."""
    return float(np.abs(mesh.tree.boxes[0, :6]).max())


def nested(bodies: Sequence[Any], ignored: Pairs, moment: float, clock: Clock) -> Iterator[tuple[int, int]]:
    """The pairs of which the first has a piece inside the second at a moment, of meshes that are proved apart."""
    for pair in pairs_but(bodies, ignored):
        places = {k: mesh_distance.about(bodies[k], moment) for k in pair}
        for a, b in (pair, pair[::-1]):
            if _in_box(places[a], places[b]) and inside(bodies[a], bodies[b], moment, clock, (NONE, NONE)):
                yield a, b


def _in_box(some: np.ndarray, other: np.ndarray) -> bool:
    """Whether any of the points is in the box round the others, except for rounding."""
    return bool(((some >= other.min(axis=0)) & (some <= other.max(axis=0))).all(axis=1).any())
