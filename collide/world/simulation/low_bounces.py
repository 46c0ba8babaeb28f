"""Low hops of bodies that are followed in contact: what bounces so little that a search would not tell it is followed with the others."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ..contact_solver.forces import ActiveConstraint
from ..dynamics.equations import Forces
from ..dynamics.guards import IN_PLANE
from ..motion.moving_body import MovingBody
from ..motion.polynomial import place_of
from .contact_points import Linked
from .event_queue import EventKind, Key
from .transitions import FITTED

# Against the speed of a fall from a body's size, a slip that counts as none: it is stopped without a force, so momentum is out by so much.
_SLIP = 1e-9
# Against the speeds of bodies, a slip that is not told from none, also where nothing else draws them together.
_TOLD = 1e-11
# Against the speed of a hop that is hardly told, what counts as none.
_NONE = 1e-5
# Against size: bounces that rise no higher are followed.
LOW = 1e-7


class Hopping(Linked):
    """Pairs of which some bounce a little while others are followed. `forces`: see `Simulation`."""

    def __init__(self, actors: Sequence[MovingBody], coefficients: Callable[[int, int], tuple[float, float]], start: float,
                 forces: Forces | None) -> None:
        super().__init__(actors, coefficients, start)
        self.forces = forces

    def _hops(self, key: Key) -> bool:
        """Do bodies part that touch nothing else, unless they are followed there, and so slowly that a search would not tell them apart
        before they touch again?
        """
        touch, speeds = self.touch(key), self.speeds(key)
        if self.forces is not None or not touch.links or self._steady_pull(key) is not None or not speeds.min() >= 0.0:
            return False
        free = {k for k in key[:2] if self.actors[k].free}
        followed = all(other in self.pairs.followed for other in self.pairs.held if free.intersection(other[:2]))
        bend = float(np.abs(self.bends(key)).max())
        return followed and 0.0 < float(speeds.max()) ** 2 <= 2.0 * bend * LOW * self.size(key)

    def _hop(self, kept: ActiveConstraint, key: Key, speed: float) -> ActiveConstraint:
        """A contact that parts with a speed."""
        return replace(kept, loose=True, rises=speed <= self.low_speed(key))

    def _known_speed(self, key: Key) -> float:
        """What is slower than that along the normal may be rounding."""
        return max(FITTED * sum(map(self.pace, key[:2])), _NONE * self.low_speed(key))

    def _steady_pull(self, key: Key) -> float | None:
        """Not of bodies that are followed in contact with others, where these push them."""
        followed = self.forces is None and any(self.actors[k].course.solved for k in key[:2])
        return None if followed else super()._steady_pull(key)

    def barely_parted(self, key: Key) -> bool:
        """Did bodies part so slowly, when they touched last, that they rise no higher than what is followed?"""
        if key not in self.pairs.touched:
            return False
        return float(np.abs(self.speeds(key)).max()) ** 2 <= 2.0 * float(np.abs(self.bends(key)).max()) * LOW * self.size(key)

    def _risen(self, key: Key) -> bool:
        """Is what hops higher by now than what touches? A search tells when it comes down."""
        kept = self.pairs[key].constraints
        if not kept or not all(k.loose for k in kept):
            return False
        places = {k: place_of(self.actors[k].course, self.now) for k in key[:2]}
        gaps = [k.link.contact.course(*(places[b] for b in k.link.pair)).gap for k in kept]
        return bool(min(gaps) > IN_PLANE * self.size(key))

    def let_go(self, key: Key) -> None:
        """A contact beyond a border is none; the bodies part."""
        normals, speed = self.touch(key).normals, self.speed(key)
        # What moves along a surface that bends comes nearer to it, too.
        pull = max(float(np.abs(normals @ self.actors[k].gravity).max()) for k in key[:2]) + speed * speed / self.size(key)
        self.pairs[key] = self.pairs[key].lets_go(pull)

    def _slow(self, key: Key) -> float:
        """A slip that counts as none."""
        pull = max(float(np.abs(self._accelerations(key)).max()), max(float(np.linalg.norm(self.actors[k].gravity)) for k in key[:2]))
        return max(_SLIP * math.sqrt(self.size(key) * pull), _TOLD * sum(map(self.pace, key[:2])))

    def _low(self, bodies: Sequence[int]) -> list[Key]:
        """Pairs of these bodies that are held, but not followed: small bounces, and what lasts no longer than these."""
        return [key for key in self.pairs.held if key not in self.pairs.followed and not set(bodies).isdisjoint(key[:2])]

    @contextmanager
    def bouncing_on(self, bodies: Sequence[int]) -> Iterator[None]:
        """Small bounces go on where bodies move on by other formulas: from as high as they are by now. Those that then rise higher are
        searched.
        """
        low = self._low(bodies)
        bounces = [e for e in self.queue if e.kind is EventKind.BOUNCE and e.key in low] if low else []
        uneven = [key for key in low if self.pairs[key].height and self.pairs[key].motions == self._versions(key) and not self._even(key)]
        for key in uneven:
            since, high = self.pairs.height(key)
            high = max(0.0, high - float(self._rise(key, np.array([since - self.now]))[0]))
            self.pairs[key] = self.pairs[key].bounces((self.now, high))
        yield
        for key in low:
            self.pairs[key] = self.pairs[key].goes_on(self._versions(key))
        for e in bounces:
            if e.key not in uneven:
                self.push(e.time, EventKind.BOUNCE, e.key)
        for key in uneven:
            high = self.pairs.height(key)[1]
            down = high == 0.0 and not self.speeds(key).min() > 0.0
            time = self.now if down else self._lands(key, high)
            if time is None:
                self.pairs[key] = self.pairs[key].parts()
            else:
                self._bounces(key, time)
