"""Rows of a batch whose bodies have flat faces, answered exactly where a short search leaves them open (see `flat_pairs`)."""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.interval import Interval

from ..answers.contacts import Status
from ..moment.pairs import Pair, Pairs
from ..polyhedra.flat.contact_samples import on_face
from ..polyhedra.flat.relative_motion import FlatMotion
from ..polyhedra.mesh.mesh_contact import MeshContact
from ..search.clock import Clock
from .flat_pairs import meeting


class FaceMeeting(NamedTuple):
    """The place where two bodies meet, approximately: the bodies, their faces, the parameters on these (4,), and the point (3,)."""

    pair: Pair
    faces: tuple[int, int]
    parameters: np.ndarray
    point: np.ndarray


class Earliest(NamedTuple):
    """The time and the place of the first meeting of bodies; neither, if they do not meet."""

    time: Interval | None = None
    place: FaceMeeting | None = None


def flat_row(bodies: Sequence[Any], span: tuple[float, float], ignored: Pairs, clock: Clock) -> Earliest | None:
    """The first meeting of the bodies of a row; None where it is not decided for each pair of them."""
    first, (begin, end) = Earliest(), span
    for label in itertools.combinations(range(len(bodies)), 2):
        if label in ignored or not end > begin:
            continue
        known = FlatMotion.of(*(bodies[k] for k in label))
        found = None if known is None or clock.exceeded() else meeting(known, (begin, end), clock)
        if known is None or found is None or found.status not in (Status.CONTACT, Status.NO_CONTACT):
            return None
        if found.time is not None:
            # It is no later than `end`.
            least = found.time.lo if first.time is None else min(found.time.lo, first.time.lo)
            end = min(end, found.time.hi)
            first = Earliest(Interval(least, end), _place(label, known, found))
    return first


def _place(label: Pair, known: FlatMotion, found: MeshContact) -> FaceMeeting:
    assert found.triangles is not None
    faces, parameters = list[int](), list[float]()
    for flat, triangle, weights in zip(known.flats, found.triangles, found.weights, strict=True):
        number, corners = [(k, c) for k, face in enumerate(flat.faces) for c in face.triangles][triangle]
        point = weights @ np.array([flat.corners[c] for c in corners], float)
        faces.append(number)
        parameters += [0.5 * (lo + hi) for lo, hi in on_face(flat.faces[number], point, 0.0)] if np.isfinite(point).all() else [np.nan] * 2
    return FaceMeeting(label, (faces[0], faces[1]), np.array(parameters), found.point / known.scale)
