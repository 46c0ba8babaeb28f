"""Contact manifold of an impact, from the result of the narrow phase; also of bodies that touch at the start."""

from dataclasses import replace

import numpy as np

from ...answers.contacts import Contacts, Status
from ...search.clock import Clock
from ..event import SAME, distinct
from ..narrow_phase.search import meet
from ..reason import Undecided
from ..shapes.simple import Flat
from . import contact_mode, contact_points, contact_sides, expiry, gap_rates, low_bounces, thresholds
from .event_queue import EventEntry, PairKey
from .low_bounces import LOW
from .pair import Manifold
from .state import Simulation, ordered

# Against size: bodies may not move further in the time in which a hit is known to come; and points no further off are on a face.
_LOOSE = 1e-6
# The advice for contacts at a shallow angle.
_GRAZE = "move a start a little, so that they hit or miss each other clearly"


def comes(s: Simulation, key: PairKey) -> bool:
    """Whether bodies that touch come together, except for rounding."""
    return bool(gap_rates.parting_speeds(s, key).min() < -thresholds.still_speed(s, key))


def touch_at_start(s: Simulation, key: PairKey, clock: Clock) -> Manifold | None:
    """The contact manifold of bodies that gravity presses together: by letting them come together that way."""
    pull, reach = s.actors[key.j].gravity - s.actors[key.i].gravity, s.size(key)
    if not pull.any():
        return None
    way = 0.1 * reach / np.linalg.norm(pull)
    one, other = (s.actors[k].falling(s.now, way * s.actors[k].gravity) for k in ordered(s.actors, key.bodies))
    found = meet(one, other, (s.now - 1.0, s.now + 1e-6), None, reach, clock)
    late = found.status is Status.CONTACT and found.time is not None and found.time[1] >= s.now - SAME
    return manifold_of(s, found, key) if late else None


def met(s: Simulation, entry: EventEntry) -> Manifold:
    found, key = entry.found, entry.pair
    i, j = key.bodies
    if found is None:
        return contact_points.moved_touch(s, key)
    doubtful = found.status is not Status.CONTACT or not len(found.points)
    wide = found.time is not None and expiry.closing_bound(s, key) * (found.time[1] - found.time[0]) > _LOOSE * s.size(key)
    if (doubtful or wide) and (grazing := contact_points.grazing(s, key, entry.bracket)) is not None:
        return grazing
    if (doubtful or wide) and low_bounces.barely_parted(s, key):
        contact_mode.not_followed(
            s, key, f"bounce by less than {LOW} of their size, and so stay in contact in a way that is not followed"
        )
    if doubtful:
        raise Undecided(s.reason((i, j), "may touch, which is neither proved nor excluded", _GRAZE, entry.bracket))
    if wide:
        raise Undecided(s.reason((i, j), "meet at a time that is not known more closely", _GRAZE, entry.bracket))
    touch = manifold_of(s, found, key)
    if not np.isfinite(touch.normals).all():
        normal = contact_sides.separating_normal(s, key)
        if normal is None:
            raise Undecided(
                s.reason(
                    (i, j),
                    "touch where no direction separates them",
                    "move a start a little, so that they do not meet edge to edge or in a hollow",
                    entry.time,
                )
            )
        normals = np.tile(normal if ordered(s.actors, key.bodies) == (i, j) else -normal, (len(found.points), 1))
        touch = manifold_of(s, replace(found, normals=normals), key)
    return touch


def manifold_of(s: Simulation, found: Contacts, key: PairKey) -> Manifold:
    normals = found.normals if ordered(s.actors, key.bodies) == key.bodies else -found.normals
    # The centre of a ball tells which way its normal goes.
    wrong = contact_sides.refuted(s, key, found.points, normals)[:, None]
    normals = np.where(wrong, -normals if any(s.actors[k].ball is not None for k in key.bodies) else np.nan, normals)
    normals = normals_of_ball(s, key, found.points, normals)
    wide = 0.0 if found.time is None else found.time[1] - found.time[0]
    which = np.array(distinct(found.points, normals, SAME * s.size(key) + wide * expiry.closing_bound(s, key)))
    which = which[contact_sides.in_planes(s, key, found.points[which], normals[which])]
    touch = Manifold(
        s.now, found.points[which], normals[which], found.existence[which], face_of(s, key, found.points[which], normals[which])
    )
    return contact_points.tracked(s, key, touch)


def normals_of_ball(s: Simulation, key: PairKey, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Normals, but where a ball has others: at the border of a face a search may give that of the face."""
    for k, side in zip(key.bodies, (1.0, -1.0), strict=True):
        if s.actors[k].ball is not None:
            way = side * (points - s.actors[k].course.centre_at(s.now))
            way /= np.linalg.norm(way, axis=1)[:, None]
            normals = np.where((way * normals).sum(axis=1)[:, None] >= 1.0 - SAME, normals, way)
    return normals


def face_of(s: Simulation, key: PairKey, points: np.ndarray, normals: np.ndarray) -> tuple[int, Flat] | None:
    """The one of two bodies that is fixed, and touches with a flat face, and that face. The body may have others that are parallel to that.
    """
    for k in key.bodies:
        actor = s.actors[k]
        if actor.rigid.fixed:
            for f in actor.flats_at(s.now):
                near = np.abs(points @ f.normal - f.level).max() <= _LOOSE * s.size(key)
                if near and np.abs(normals @ f.normal).min() > 1.0 - SAME:
                    return k, f
    return None
