"""Contact manifold of an impact, from the result of the narrow phase; also of bodies that touch at the start."""

from dataclasses import replace

import numpy as np

from ...answers.contacts import Contacts, Status
from ...search.clock import Clock
from ..event import SAME, distinct
from ..narrow_phase.search import meet
from ..reason import Undecided
from ..shapes.simple import Flat
from .contact_motion import Following
from .event_queue import EventEntry, Key
from .expiry import ordered
from .low_bounces import LOW
from .pair import Manifold

# Against size: bodies may not move further in the time in which a hit is known to come; and points no further off are on a face.
_LOOSE = 1e-6
# The advice for contacts at a shallow angle.
_GRAZE = "move a start a little, so that they hit or miss each other clearly"


class Hitting(Following):
    """Where bodies touch as they come together."""

    def _comes(self, key: Key) -> bool:
        """Do bodies that touch come together, but for rounding?"""
        return bool(self.speeds(key).min() < -self._still_speed(key))

    def _touch_at_start(self, key: Key, clock: Clock) -> Manifold | None:
        """Where bodies touch that gravity presses together: by letting them come together that way."""
        pull, reach = self.actors[key[1]].gravity - self.actors[key[0]].gravity, self.size(key)
        if not pull.any():
            return None
        way = 0.1 * reach / np.linalg.norm(pull)
        one, other = (self.actors[k].falling(self.now, way * self.actors[k].gravity) for k in ordered(self.actors, key))
        found = meet(one, other, (self.now - 1.0, self.now + 1e-6), None, reach, clock)
        late = found.status is Status.CONTACT and found.time is not None and found.time[1] >= self.now - SAME
        return self._touch(found, key) if late else None

    def _met(self, entry: EventEntry) -> Manifold:
        found, (i, j) = entry.found, entry.key[:2]
        if found is None:
            return self.moved_touch(entry.key)
        doubtful = found.status is not Status.CONTACT or not len(found.points)
        wide = found.time is not None and self.speed(entry.key) * (found.time[1] - found.time[0]) > _LOOSE * self.size(entry.key)
        if (doubtful or wide) and (grazing := self.grazing(entry.key, entry.bracket)) is not None:
            return grazing
        if (doubtful or wide) and self.barely_parted(entry.key):
            self.not_followed(entry.key, f"bounce by less than {LOW} of their size, and so stay in contact in a way that is not followed")
        if doubtful:
            raise Undecided(self.reason((i, j), "may touch, which is neither proved nor excluded", _GRAZE, entry.bracket))
        if wide:
            raise Undecided(self.reason((i, j), "meet at a time that is not known more closely", _GRAZE, entry.bracket))
        touch = self._touch(found, entry.key)
        if not np.isfinite(touch.normals).all():
            normal = self.separating(entry.key)
            if normal is None:
                raise Undecided(self.reason((i, j), "touch where no direction separates them", "move a start a little, so that they do not "
                                            "meet edge to edge or in a hollow", entry.time))
            normals = np.tile(normal if ordered(self.actors, entry.key) == (i, j) else -normal, (len(found.points), 1))
            touch = self._touch(replace(found, normals=normals), entry.key)
        return touch

    def _touch(self, found: Contacts, key: Key) -> Manifold:
        normals = found.normals if ordered(self.actors, key) == key[:2] else -found.normals
        # The centre of a ball tells which way its normal goes.
        wrong = self.refuted(key, found.points, normals)[:, None]
        normals = np.where(wrong, -normals if any(self.actors[k].ball is not None for k in key[:2]) else np.nan, normals)
        normals = self._of_ball(key, found.points, normals)
        wide = 0.0 if found.time is None else found.time[1] - found.time[0]
        which = np.array(distinct(found.points, normals, SAME * self.size(key) + wide * self.speed(key)))
        which = which[self.in_planes(key, found.points[which], normals[which])]
        touch = Manifold(self.now, found.points[which], normals[which], found.existence[which],
                         self._face(key, found.points[which], normals[which]))
        return self.tracked(key, touch)

    def _of_ball(self, key: Key, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """Normals, but where a ball has others: at the border of a face a search may give that of the face."""
        for k, side in zip(key[:2], (1.0, -1.0), strict=True):
            if self.actors[k].ball is not None:
                way = side * (points - self.actors[k].course.centre_at(self.now))
                way /= np.linalg.norm(way, axis=1)[:, None]
                normals = np.where((way * normals).sum(axis=1)[:, None] >= 1.0 - SAME, normals, way)
        return normals

    def _face(self, key: Key, points: np.ndarray, normals: np.ndarray) -> tuple[int, Flat] | None:
        """Which of two bodies is fixed, and touches with a flat face? It may have others that are parallel to that."""
        for k in key[:2]:
            actor = self.actors[k]
            if actor.rigid.fixed:
                for f in actor.flats_at(self.now):
                    near = np.abs(points @ f.normal - f.level).max() <= _LOOSE * self.size(key)
                    if near and np.abs(normals @ f.normal).min() > 1.0 - SAME:
                        return k, f
        return None
