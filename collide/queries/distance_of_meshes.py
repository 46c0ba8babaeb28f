"""The distances of meshes, as `distance` and `clearance` give them."""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from generative.body import called

from ..answers.nearest_points import Listed
from ..bodies.mesh import Mesh
from ..bodies.numbers import NONE
from ..moment.inside import inside
from ..moment.pairs import Pairs
from ..polyhedra import mesh_distance
from ..polyhedra.mesh_distance import Nearest
from ..search.drive import Clock
from ..timeline.nearest import Asked

# Against the size of the bodies, a distance that may be nothing but rounding.
_CLOSE = 1e-12


class Known(NamedTuple):
    """As of `timeline.neighbourhood.Found`, what `status_of` asks for."""

    lower: float
    upper: float
    finished: bool
    meets: Any


def all_meshes(bodies: Sequence[Any]) -> bool:
    """Are the bodies meshes? TypeError where only some of them are."""
    which = [isinstance(body, Mesh) for body in bodies]
    if any(which) and not all(which):
        mesh, other = which.index(True), which.index(False)
        raise TypeError(f"distances of meshes to other bodies are not computed yet: {called(bodies, mesh)} is a mesh, and "
                        f"{called(bodies, other)} is none; give a polyhedron of its triangles")
    return all(which)


def nearest(meshes: Sequence[Mesh], span: tuple[float, float], ignored: Pairs, asked: Asked, clock: Clock, found: Nearest) -> None:
    """The least distance of all pairs that are asked about."""
    share, lower = mesh_distance.Asked(asked.tolerance, asked.reach), math.inf
    for i, j in pairs_but(ignored):
        # Of pairs that are not searched nothing is known.
        if found.meets or found.upper < asked.reach < math.inf or clock.exceeded():
            lower, found.finished = 0.0, found.finished and not clock.exceeded()
            break
        lower = min(lower, mesh_distance.search((meshes[i], meshes[j]), span, share, clock, found, (i, j)))
    found.lower = min(lower, found.upper, asked.reach)


def pairs_but(ignored: Pairs) -> Iterator[tuple[int, int]]:
    """All pairs but some."""
    return (pair for pair in itertools.combinations(range(ignored.count), 2) if pair not in ignored)


def known(found: Nearest) -> Known:
    """The outcome."""
    return Known(found.lower, found.upper, found.finished, found.points if found.meets else None)


def listed(meshes: Sequence[Mesh], found: Nearest) -> Listed:
    """The two points that are known to be nearest."""
    if found.points is None or found.corners is None:
        return Listed()
    parts = [mesh_distance.feature(meshes[k], triangle, corners, point)
             for k, triangle, corners, point in zip(found.pair, found.triangles, found.corners, found.points, strict=True)]
    return Listed(found.points[None], np.zeros(1, bool), [(parts[0], parts[1])], [np.zeros((0, 2))], [()],
                  np.array([[found.time, found.time]]), np.array([found.pair]), [{}])


def notes(meshes: Sequence[Mesh], found: Nearest, ignored: Pairs, moment: float, clock: Clock) -> Iterator[str]:
    """Which meshes lie inside others when the time begins; or that nothing is known of it, as they may touch."""
    size = max(float(np.abs(mesh.tree.boxes[0, :6]).max()) for mesh in meshes)
    if not found.meets and found.lower == 0.0 < found.upper < _CLOSE * size:
        yield "The surfaces touch, or nearly do, without crossing, which rounding cannot tell apart."
    elif not found.meets and found.lower > 0.0:
        places = [mesh_distance.about(mesh, moment) for mesh in meshes]
        for i, j in pairs_but(ignored):
            for a, b in ((i, j), (j, i)):
                if _in_box(places[a], places[b]) and inside(meshes[a], meshes[b], moment, clock, (NONE, NONE)):
                    yield f"When the time begins, a piece of the surface of {called(meshes, a)} is inside {called(meshes, b)}."


def _in_box(some: np.ndarray, other: np.ndarray) -> bool:
    """Are any of the points in the box round the others, but for rounding?"""
    return bool(((some >= other.min(axis=0)) & (some <= other.max(axis=0))).all(axis=1).any())
