"""Pairs of bodies that touch: how they part, bounce a little, or stay in contact.

Small bounces, whose height rounding would hide, follow from the acceleration of the gap; infinitely many of them end in rest, or in motion
in contact (mode 2 of Snyder 1993, Section 1.1).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...search.clock import Clock
from ..contact.closed_forms import OnFace
from ..contact.manifold import ContactConstraint
from ..contact.tracked_pair import OnSmooth
from ..contact_solver.impact import Contact
from ..dynamics import steady_contact
from ..dynamics.steady_contact import ContactMode, SteadyContact
from ..motion.moving_body import MovingBody
from ..motion.polynomial import place_of
from .event_queue import EventKind, Key
from .gap_rates import Parting
from .pair import Manifold, State

# Bounces end in rest when all that are left come within so many units in the last place of the time; and against size, speeds that count as
# none.
_AT_ONCE, _STILL = 8.0, 1e-13
# Against the speed of a fall from a body's size, one with which nothing rises higher than 1e-10 of that.
_FALL = 1e-5
# Against their speeds, how well those of bodies that are followed are known.
FITTED = 1e-10
# Against size, what is on the border of a face.
_BORDER = 1e-8


@dataclass(frozen=True)
class ModeChange:
    """From `time` on `body` stays in contact, and rests, rolls, slides or rocks, as `mode` says: at the end of infinitely many bounces,
    where there were any.
    """

    time: float
    body: int
    mode: ContactMode


class Touches(Parting):
    """What touches, and bodies that came to `rests`. `coefficients`: restitution and friction of two bodies."""

    def __init__(self, actors: Sequence[MovingBody], coefficients: Callable[[int, int], tuple[float, float]], start: float) -> None:
        super().__init__(actors, start)
        self.coefficients = coefficients
        self.rests: list[ModeChange] = []
        self.leaving: set[int] = set()

    def moved_touch(self, key: Key, lands: bool = False) -> Manifold:
        """Where two bodies touch that touched a while ago, and stayed together but for small bounces; `lands`: which is a hit."""
        old, ball = self.touch(key), next((k for k in key[:2] if self.actors[k].ball is not None), None)
        if ball is None:
            way = self.actors[key[0]] if self.actors[key[0]].free else self.actors[key[1]]
            return replace(old, time=self.now, points=old.points + (way.course.centre_at(self.now) - way.course.centre_at(old.time)),
                           proved=np.zeros(len(old.points), bool))
        radius = self.actors[ball].ball or 0.0
        points = self.actors[ball].course.centre_at(self.now) + (radius if ball == key[0] else -radius) * old.normals
        return replace(old, time=self.now, points=points, proved=np.zeros(len(points), bool))

    def fly(self, k: int, velocity: np.ndarray) -> None:
        actor = self.actors[k]
        actor.take(actor.course.again(self.now, velocity=velocity[:3], spin=velocity[3:], acceleration=actor.gravity,
                                      spinning=np.zeros(3)), self.now)

    def bounces_end(self, key: Key, e: float) -> bool:
        """Do all bounces that are left of a pair come at once?"""
        pull, speed = self._pull(key), float(np.abs(self.speeds(key)).max())
        if pull is None or not pull < 0.0 or e >= 1.0 or not self._is_low(key, speed, pull):
            return False
        return 2.0 * e * speed <= _AT_ONCE * math.ulp(self.now) * -pull * (1.0 - e)

    # -- after a response -------------------------------------------------------------------------------------------------

    def after(self, keys: Sequence[Key]) -> None:
        """Of pairs that touch, with their velocities after a response: which part, bounce a little, or stay together?"""
        for key in keys:
            self.pairs[key] = self.pairs[key].hits()
        stay = self._pressed([key for key in keys if self._hardly_part(key).all()])
        self._keep(stay)
        again: dict[int, float] = {}
        for key in keys:
            time = None if key in self.pairs.held else self._lands(key)
            if time is not None:
                again |= {k: min(time, again.get(k, math.inf)) for k in key[:2] if self.actors[k].free}
                self._hold_pair(key, State.BOUNCING)
                self.pairs[key] = self.pairs[key].bounces((self.now, 0.0))
                self._bounces(key, time)
        for key in keys:
            if key not in self.pairs.held and self._hardly_parts(key, min(again.get(k, math.inf) for k in key[:2])):
                self._hold_pair(key)
            elif key not in self.pairs.held:
                self.pairs[key] = self.pairs[key].parts()

    def _bounces(self, key: Key, time: float) -> None:
        if time < self._followed(key):
            self.push(time, EventKind.BOUNCE, key)

    def _hardly_part(self, key: Key) -> np.ndarray:
        """(k,): at which points do two bodies stay together?"""
        return np.asarray(np.abs(self.speeds(key)) <= self._still_speed(key))

    def _still_speed(self, key: Key) -> float:
        """A speed that counts as none, along the normal."""
        pull = self._pull(key)
        scale = sum(map(self.pace, key[:2]))
        # Bodies that fall side by side are pulled together as soon as something holds one of them.
        fall = max(float(np.linalg.norm(self.actors[k].gravity)) for k in key[:2])
        at_once = _AT_ONCE * math.ulp(self.now) * max(fall, -(pull or 0.0))
        least = max(at_once, _STILL * scale)
        return least if not self.touch(key).links or pull is not None else max(least, self.low_speed(key))

    def low_speed(self, key: Key) -> float:
        """One with which bodies that are followed rise no higher than what of their motion is not told."""
        fall = max(*(float(np.linalg.norm(self.actors[k].gravity)) for k in key[:2]), float(np.abs(self.bends(key)).max()))
        return max(_FALL * math.sqrt(self.size(key) * fall), FITTED * sum(map(self.pace, key[:2])))

    def _pressed(self, keys: list[Key]) -> list[Key]:
        """Those that gravity, forces or a driven body press on each other, and what touches these."""
        pressed = [key for key in keys if self._may_press(key) or (self._accelerations(key) < 0.0).any()]
        grown = True
        while grown:
            bodies = {k for key in pressed for k in key[:2] if self.actors[k].free}
            more = [key for key in keys if key not in pressed and bodies.intersection(key[:2])]
            pressed, grown = pressed + more, bool(more)
        return pressed

    def _may_press(self, key: Key) -> bool:
        """Only the equations of motion tell of bodies with corners that turn, and of what is curved."""
        if any(isinstance(link.contact, OnSmooth) for link in self.touch(key).links):
            return True
        return bool(self.touch(key).links) and any(a.free and a.ball is None and a.course.spin_at(self.now).any()
                                                      for a in (self.actors[k] for k in key[:2]))

    def _keep(self, keys: Sequence[Key]) -> None:
        """Motion in contact, for each group of bodies that hang together by pairs that stay in touch."""
        for group in self.groups(keys):
            self._keep_group(group, sorted({k for key in group for k in key[:2] if self.actors[k].free}))

    def groups(self, keys: Sequence[Key]) -> list[list[Key]]:
        """Pairs that hang together by free bodies."""
        left, found = [*dict.fromkeys(keys)], list[list[Key]]()
        while left:
            group, grown = [left.pop(0)], True
            while grown:
                bodies = {k for key in group for k in key[:2] if self.actors[k].free}
                more = [key for key in left if bodies.intersection(key[:2])]
                grown, group, left = bool(more), group + more, [key for key in left if key not in more]
            found.append(group)
        return found

    def _keep_group(self, keys: Sequence[Key], free: Sequence[int]) -> None:
        bodies = sorted({k for key in keys for k in key[:2]})
        actors = [self.actors[k] for k in bodies]
        contacts = [Contact((bodies.index(key[0]), bodies.index(key[1])), p, n, 0.0, self.coefficients(*key[:2])[1])
                    for key in keys for p, n in zip(self.touch(key).points, self.touch(key).normals, strict=True)]
        still = all(steady_contact.still(a.course, self.now, a.radius, a.gravity) for a in actors if a.free)
        if all(a.free or a.rigid.fixed for a in actors) and still and steady_contact.rest(actors, contacts, self.now):
            for k in free:
                self._hold_body(k, SteadyContact(ContactMode.REST, steady_contact.at_rest(self.actors[k], self.now)))
        elif (held := self._evenly(keys, free, contacts)) is not None:
            self._hold_body(free[0], held)
        else:
            self._follow(keys, free)
            return
        for key in keys:
            self._hold_pair(key)

    def _evenly(self, keys: Sequence[Key], free: Sequence[int], contacts: Sequence[Contact]) -> SteadyContact | None:
        """A body that goes along a parabola on what is fixed."""
        k, actor = free[0], self.actors[free[0]]
        if len(free) > 1 or not all(self.actors[j].rigid.fixed for key in keys for j in key[:2] if j != k):
            return None
        owners = [key for key in keys for _ in self.touch(key).points]
        toward = [c.normal if key[1] == k else -c.normal for key, c in zip(owners, contacts, strict=True)]
        face = self.touch(keys[0]).face
        if actor.ball is not None:
            if len(keys) > 1 or face is None:
                return None
            normal = face[1].normal if face[1].normal @ toward[0] > 0 else -face[1].normal
            return steady_contact.ball_on(actor, face[1], normal, contacts[0].friction, self.now)
        held = steady_contact.block_on(actor, [replace(c, normal=n) for c, n in zip(contacts, toward, strict=True)], self.now)
        links = [link for key in keys for link in self.touch(key).links]
        if held is None:
            return None
        if not links:
            # Of a border that is not known it is not known when the body passes over it.
            points = np.concatenate([self.touch(key).points for key in keys])
            return None if face is None or len(keys) > 1 else replace(held, until=min(held.until, *(
                held.course.start + steady_contact.leaving(face[1], p, held.course.velocity, held.course.acceleration) for p in points)))
        # The contacts are the body's own corners, as long as each of them is on its face.
        if not all(isinstance(link.contact, OnFace) and link.pair[0] == k and self._within(link) for link in links):
            return None
        return replace(held, until=min(held.until, *(self._leaves(link, held) for link in links)))

    def _within(self, link: ContactConstraint) -> bool:
        """Is a contact not just at a border?"""
        places = [place_of(self.actors[b].course, self.now) for b in link.pair]
        return link.contact.outside(*places) < -_BORDER * self.actors[link.pair[0]].radius

    def _leaves(self, link: ContactConstraint, held: SteadyContact) -> float:
        """When a corner that slides on a fixed face reaches its border."""
        contact, (_, j) = link.contact, link.pair
        assert isinstance(contact, OnFace)
        other, course = self.actors[j].course, held.course
        face = contact.face.moved(other.turn_at(self.now), other.centre_at(self.now))
        point = course.centre + course.turn @ contact.point
        return course.start + steady_contact.leaving(face, point, course.velocity, course.acceleration)

    def _follow(self, keys: Sequence[Key], free: Sequence[int]) -> None:
        raise NotImplementedError

    def at_border(self, keys: Sequence[Key]) -> Sequence[Key]:
        """These pairs as they touch where a ball has come to the border of a face; none where that is not known."""
        raise NotImplementedError

    def _hold_body(self, k: int, held: SteadyContact) -> None:
        # Beyond its end nobody looks.
        self.actors[k].take(replace(held.course, until=min(held.course.until, held.until)), self.now)
        self.rests.append(ModeChange(self.now, k, held.mode))
        if held.until < math.inf:
            self.push(max(held.until, self.now), EventKind.HELD, (k,))
        (self.leaving.add if held.leaves else self.leaving.discard)(k)

    def _hold_pair(self, key: Key, state: State = State.STEADY) -> None:
        """It is not searched for a while; what else there is of a body than the face on which they touch is, if they may meet there."""
        face = self.touch(key).face
        elsewhere = len(key) == 2 and face is not None and not self.watched(key)
        others = (face[0], self.actors[face[0]].without(face[1])) if elsewhere and face is not None else None
        self.pairs[key] = self.pairs[key].holds(state, self._versions(key), others)

    def watched(self, key: Key) -> bool:
        """Is it known of all parts of two bodies that they do not touch elsewhere, while they stay in contact?"""
        return any(isinstance(link.contact, OnSmooth) for link in self.touch(key).links)

    def held_again(self, k: int, clock: Clock) -> None:
        """A motion in contact ends: the slip is over, or the border of the face is reached."""
        keys = [key for key in self.pairs.held if k in key[:2]]
        for key in keys:
            self.put(key, self.moved_touch(key))
        actor = self.actors[k]
        self.fly(k, np.concatenate([actor.course.velocity_at(self.now), actor.course.spin_at(self.now)]))
        at_border = self.at_border(keys) if k in self.leaving else keys
        if not at_border:
            for key in keys:
                pull = float(np.abs(self.touch(key).normals @ actor.gravity).max())
                self.pairs[key] = self.pairs[key].leaves(pull)
        else:
            self.after(at_border)
        self.changed({k}, clock)
