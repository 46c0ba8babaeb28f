"""Pairs of bodies of flat faces, answered exactly before anything is searched: when they first meet, and where.

The time is that of their meshes (`polyhedra.mesh`), the places are those of `polyhedra.flat.contact_samples`. Where their motions have no
exact form, or the answer is not all that a search would tell, nothing is claimed, and the pair is searched as others are.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from codegen.interval import Interval
from generative import Motion

from ..answers.contacts import Contacts, Status
from ..bodies.flat import FlatBody
from ..bodies.mesh import LARGEST, Mesh
from ..moment.start import Start
from ..polyhedra.exact.motion import ExactMotion, RationalMotion
from ..polyhedra.exact.real_roots import compare
from ..polyhedra.flat.contact_intervals import times
from ..polyhedra.flat.contact_region import FlatImpact, MovingTouch, events
from ..polyhedra.flat.contact_samples import ContactSample, contacts, is_sparse
from ..polyhedra.flat.relative_motion import FlatMotion
from ..polyhedra.mesh.first_contact import mesh_mesh
from ..polyhedra.mesh.mesh_contact import MeshContact
from ..polyhedra.primitives.memory import finest
from ..polyhedra.primitives.motion_windows import motion_windows
from ..search.clock import Clock
from ..timeline.scene import Scene

Pair = tuple[int, int]
# Against the way that bodies go meanwhile, how near to a contact they go on into each other, and touch nowhere anew; and against
# `spacing`, how near that may be at most (see `first_contact`). Parts of a window along which that way is measured.
_AROUND, _NEAR, _PARTS = 16.0, 0.125, 4
_SPARSE = "Bodies touch in so large a patch that the points listed are farther apart than `spacing`."


class FlatMeeting(NamedTuple):
    """The time when two bodies first meet, and the contacts, in the frame of the second one, which moves by `motion`."""

    label: Pair
    time: Interval
    rows: Sequence[ContactSample]
    motion: Motion
    scale: int
    sparse: bool


def flat_pairs(scene: Scene, bodies: Sequence[Any], spacing: float, simultaneity: float, clock: Clock) -> dict[Pair, FlatMeeting | None]:
    """The meetings of those pairs that are decided, of the pairs that start apart, or part at once, and may meet; None for those that do
    not meet.
    """
    found: dict[Pair, FlatMeeting | None] = {}
    for label in sorted({m.label for m in scene.near}):
        touching = scene.states[label] is Start.TOUCHING
        if (touching or scene.apart(label)) and label not in scene.early and label not in scene.tracked and not clock.over:
            known = FlatMotion.of(*(bodies[k] for k in label))
            begin = None if known is None else _parted(known, scene.span) if touching else scene.span[0]
            if known is not None and begin is not None:
                decided, met = _decided(label, known, (begin, scene.span[1]), spacing, simultaneity, clock)
                if decided:
                    found[label] = met
    return found


def _parted(known: FlatMotion, span: tuple[float, float]) -> float | None:
    """A moment up to which nothing comes to touch anew, of bodies that touch as the span begins: they part at once. None if they do not."""
    exact = times(known, span)
    begin, end, meet = exact.windows[0] if exact is not None and exact.windows else (span[0], span[0], True)
    middle = 0.5 * (begin + end)
    return middle if begin == span[0] < middle < end and not meet else None


def until(found: Mapping[Pair, FlatMeeting | None], span: tuple[float, float], scene: Scene, simultaneity: float) -> float:
    """Up to when all other pairs are of interest."""
    times = [m.time.hi for m in found.values() if m is not None]
    return min(span[1], min(times, default=math.inf) + simultaneity) if times and not scene.early else span[1]


def _decided(label: Pair, known: FlatMotion, span: tuple[float, float], spacing: float, simultaneity: float,
             clock: Clock) -> tuple[bool, FlatMeeting | None]:
    """Whether it is decided when two bodies meet; and when and where they do."""
    flats, scale, motions, relative = known
    found = meeting(known, span, clock)
    if found is None or found.status is not Status.CONTACT or found.time is None:
        return found is not None and found.status is Status.NO_CONTACT, None
    touch = _touch(flats, scale, relative, found.time, min(found.time.hi + simultaneity, span[1]), spacing)
    if touch is None:
        return False, None
    ends = zip(touch.window.narrowed(touch.at, 0.0)[1], found.time, strict=True)
    lo, hi = (best(both) for best, both in zip((max, min), ends, strict=True))
    if lo > hi:
        return False, None
    return True, FlatMeeting(label, Interval(lo, hi), contacts(touch, spacing), motions[1], scale, is_sparse(touch, spacing))


def meeting(known: FlatMotion, span: tuple[float, float], clock: Clock) -> MeshContact | None:
    """The first contact of the meshes of two bodies, its time in a bracket of few ulps; None where their corners are no doubles in any
    unit.
    """
    first, second = (_mesh(flat, known.scale) for flat in known.flats)
    if first is None or second is None:
        return None
    rest = clock.rest
    found = mesh_mesh(first, second, max(1e-13, 8.0 * finest(span)), motions=known.motions, time=span, budget=rest)
    clock.boxes += found.iterations
    if found.status is Status.BUDGET_SPENT and not clock.exceeded():
        clock.interrupted = rest.boxes is None or found.iterations < rest.boxes
    return found


def _touch(flats: tuple[FlatBody, FlatBody], scale: int, known: ExactMotion, time: Interval, end: float,
           spacing: float) -> MovingTouch | None:
    """The first contact, which is known to be in a bracket of time; None where other parts may come to touch soon after it, up to `end`."""
    window = known.window(time.lo, math.nextafter(max(end, time.hi), math.inf))
    if window is None:
        return None
    reach = _way(flats, scale, window)
    found = events(flats, scale, window, reach)
    if not found:
        return None
    touch = MovingTouch(flats, scale, window, found[0].at)
    hulls = [np.array([touch.position(p) for p in r.places]) for r in touch.regions]
    far = _AROUND * reach > _NEAR * spacing * scale
    for event in found:
        if compare(event.at, found[0].at) and (far or not any(_beside(points, event, _AROUND * reach) for points in hulls)):
            return None
    return touch if hulls else None


def _way(flats: tuple[FlatBody, FlatBody], scale: int, window: RationalMotion) -> float:
    """The way that a corner of the first body goes in a window, about, and some more."""
    times = [Fraction(k, _PARTS) for k in range(_PARTS + 1)]
    places = np.array([[window.place([c * scale for c in p], s) for s in times] for p in flats[0].corners], float)
    return 2.0 * float(np.abs(np.diff(places, axis=1)).sum(axis=1).max())


def _beside(points: np.ndarray, event: FlatImpact, reach: float) -> bool:
    """Whether a corner of what comes to touch is in the box round a region. There bodies go on into each other."""
    low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    return any(bool((low <= c).all() and (c <= high).all()) for c in event.corners)


def _mesh(flat: FlatBody, scale: int) -> Mesh | None:
    """The mesh in units in which all coordinates are doubles; None where they are not."""
    exact = [[c * scale for c in p] for p in flat.corners]
    if any(abs(c) > LARGEST or Fraction(float(c)) != c for p in exact for c in p):
        return None
    return Mesh([[float(c) for c in p] for p in exact], [corners for face in flat.faces for corners in face.triangles])


# -- answers --------------------------------------------------------------------------------------------------------


def together(answer: Contacts, found: Mapping[Pair, FlatMeeting | None], span: tuple[float, float], simultaneity: float) -> Contacts:
    """The answer about all other pairs, up to the first of these contacts and a little more, and these, as the answer about all pairs."""
    met = [m for m in found.values() if m is not None]
    if not met:
        return answer
    first = min(m.time.hi for m in met)
    met = [m for m in met if m.time.lo <= first + simultaneity]
    least = min(m.time.lo for m in met)
    if answer.status is Status.CONTACT and answer.time is not None and answer.time.hi + simultaneity < least:
        return replace(answer, time_span=span)
    clear = min(least, answer.clear_until)
    open_still = answer.status in (Status.BUDGET_SPENT, Status.UNRESOLVED) and answer.clear_until < first
    keep = open_still or (answer.status is Status.CONTACT and answer.time is not None and answer.time.lo <= first + simultaneity)
    last = min(first, answer.time.hi) if answer.status is Status.CONTACT and answer.time is not None else first
    status = answer.status if open_still and answer.status is Status.BUDGET_SPENT else Status.CONTACT
    empty = answer if keep else replace(answer, **_none())
    notes = (*answer.notes, *([_SPARSE] if any(m.sparse for m in met) else []))
    return _joined(replace(empty, status=status, time=Interval(clear, last), clear_until=clear, time_span=span, notes=notes), met)


def _none() -> dict[str, Any]:
    """The fields of an answer that lists nothing."""
    return {"points": np.empty((0, 3)), "normals": np.empty((0, 3)), "proved": np.empty(0, bool), "existence": np.empty(0, bool),
            "pairs": np.empty((0, 2), np.int64), "features": [], "boxes": [], "variables": [], "held": []}


def _joined(answer: Contacts, met: Sequence[FlatMeeting]) -> Contacts:
    """An answer, with these contacts after its own."""
    rows = [(m, row) for m in met for row in m.rows]
    turned = {id(m): motion_windows(m.motion, m.motion).at(m.time.midpoint)[1] for m in met}
    points, normals = [], []
    for m, row in rows:
        rotation, shift = turned[id(m)][:9].reshape(3, 3), turned[id(m)][9:] / m.scale
        points.append(rotation @ row.point + shift)
        normals.append(rotation @ row.normal)
    times = np.array([m.time for m, _ in rows]).reshape(-1, 1, 2)
    return replace(
        answer, points=np.concatenate([answer.points, np.array(points).reshape(-1, 3)]),
        normals=np.concatenate([answer.normals, np.array(normals).reshape(-1, 3)]),
        proved=np.concatenate([answer.proved, [row.isolated for _, row in rows]]).astype(bool),
        existence=np.concatenate([answer.existence, np.ones(len(rows), bool)]),
        pairs=np.concatenate([answer.pairs, np.array([m.label for m, _ in rows], np.int64).reshape(-1, 2)]),
        features=[*answer.features, *(row.features for _, row in rows)], held=[*answer.held, *(((), ()) for _ in rows)],
        variables=[*answer.variables, *((*row.names, "t") for _, row in rows)],
        boxes=[*answer.boxes, *(np.concatenate([row.parameters, at]) for (_, row), at in zip(rows, times, strict=True))])
