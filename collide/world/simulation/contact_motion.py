"""Bodies that are followed while they stay in contact, by differential equations: where forces act, where what they touch moves, and where
they rock, slip or push each other. Which contacts press, which stick, and when that ends, is in `tracked`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...search.clock import Clock
from ..contact.tracked_pair import OnSmooth
from ..contact_solver.forces import ActiveConstraint
from ..contact_solver.stick_slip import gripped
from ..dynamics.equations import Forces, System
from ..dynamics.guards import BEYOND, GuardHit, GuardSet, hopping
from ..dynamics.projection import lifted, onward, settled
from ..dynamics.steady_contact import ContactMode, SteadyContact, at_rest
from ..motion import rotation
from ..motion.moving_body import MovingBody
from ..motion.polynomial import Polynomial, onset
from ..reason import Undecided, Work
from .contact_mode import Staying
from .event_queue import EventKind, Key
from .pair import State

# Against a slip that counts as none, those that are stopped where there is no other answer.
_STOPPED = (1.0, 10.0, 100.0)
# A window goes on for so much longer than what hops or lands is expected to. Effort only.
_PAST = 2.0
# Against size: what hits each other is moved by no more, so as not to be in each other.
_FAR = 1e-5
# Against what acts at contacts, what counts as no force. So many ends of motions at one moment, but for so much of it, are none.
_QUIET, _AT_ONCE, _SAME = 1e-11, 30, 1e-9


class Following(Staying):
    """Of bodies that are followed, `ends`: why their present motion ends; `owners`: the pairs that move with them; and `steps`: how long a
    time is tried at once, of those that slip, and others.
    """

    def __init__(self, actors: Sequence[MovingBody], coefficients: Callable[[int, int], tuple[float, float]], start: float,
                 forces: Forces | None, gravity: np.ndarray) -> None:
        super().__init__(actors, coefficients, start, forces, gravity)
        self.ends: dict[int, GuardHit | None] = {}
        self.owners: dict[int, tuple[Key, ...]] = {}
        self.steps: dict[tuple[int, bool], float] = {}
        # Of the first of bodies that are followed together: since when and how often their motion ended at once.
        self.since: dict[int, tuple[float, int]] = {}
        # While it is not told yet what hops: what has begun.
        self.waiting: list[tuple[System, Sequence[Key]]] | None = None

    # -- what is followed -----------------------------------------------------------------------------------------------

    def after(self, keys: Sequence[Key]) -> None:
        """Also where bodies stay in touch at some points, and part at others."""
        for key in keys:
            self.pairs[key] = self.pairs[key].follows(())
            self.look_closely(key)
            touch, stay = self.touch(key), self._hardly_part(key)
            # Samples of an edge that hardly lies flat are higher than others.
            which = np.flatnonzero(stay & (self.gaps(key) <= BEYOND * self.size(key))) if touch.links else ()
            if 0 < len(which) < len(stay) and not stay.all():
                self.put(key, replace(touch, points=touch.points[which], normals=touch.normals[which], proved=touch.proved[which],
                                      links=tuple(touch.links[k] for k in which)))
        begun = self._begun(keys)
        hops = [key for key in keys if self.pairs[key].state is State.PARTING and self._hops(key)]
        for key in hops:
            self.pairs[key] = self.pairs[key].separates()
        # With what their bodies stay in contact with.
        groups = self.groups([*hops, *(key for key in self.pairs.held if key in self.pairs.followed)]) if hops else []
        groups = [group for group in groups if not set(hops).isdisjoint(group)]
        for system, owners in begun:
            if not any(owners[0] in group for group in groups):
                self._solve(system, owners)
        for group in groups:
            links = [(key, self._hop(ActiveConstraint(link, 0.0, None, self._slow(key)), key, speed)) for key in hops if key in group
                     for link, speed in zip(self.touch(key).links, self.speeds(key), strict=True)]
            links += [(key, kept) for key in group if key not in hops for kept in self.pairs[key].constraints]
            self._go_on([own for own, _ in links], [kept for _, kept in links],
                        sorted({k for own in group for k in own[:2] if self.actors[k].free}))

    def _begun(self, keys: Sequence[Key]) -> list[tuple[System, Sequence[Key]]]:
        """What is followed after a response, which has but begun: it is solved together with what hops beside it, once that is told."""
        self.waiting = [] if self.forces is None and len(keys) > 1 else None
        try:
            super().after(keys)
            return self.waiting or []
        finally:
            self.waiting = None

    def _keep(self, keys: Sequence[Key]) -> None:
        if keys and self.forces is not None:
            others = [key for key in self.pairs.followed if key not in keys]
            self._follow([*keys, *others], [k for k, a in enumerate(self.actors) if a.free])
        else:
            super()._keep(keys)

    def _follow(self, keys: Sequence[Key], free: Sequence[int]) -> None:
        """Motion in contact by differential equations, of pairs that touch."""
        found = [(key, link) for key in keys for link in self.touch(key).links]
        for key in keys:
            if not self.touch(key).links:
                self.not_followed(key)
        kept = [ActiveConstraint(link, self.coefficients(*key[:2])[1], None, self._slow(key)) for key, link in found]
        system = self.system(kept, free)
        _, motion, inverse, rates = system.look(self.now, self.all_courses())
        # What still parts hops before it presses: nothing pulls it down.
        up = [c for c, (key, _) in enumerate(found) if motion.speeds[c, 0] > self._known_speed(key)]
        down = [c for c in range(len(found)) if c not in up]
        scales = np.concatenate([np.repeat([1.0, self.actors[k].radius], 3) for k in free])
        quiet = _QUIET * self._strength(system, rates)
        # Friction at slips that end at once may have no answer; what is left of these is taken then.
        ways = (gripped([replace(kept[c], still=part * kept[c].still) for c in down], motion.of(down), inverse, scales, quiet)
                for part in _STOPPED)
        chosen = next((way for way in ways if way is not None), None)
        if chosen is None:
            self.not_followed(keys[0])
        assert chosen is not None
        pairs = list(zip((found[c][0] for c in down), chosen, strict=False))
        pressed = {key for key, k in pairs if not k.loose}
        pairs = [(key, k) for key, k in pairs if not k.loose or key not in pressed]
        pairs += [(found[c][0], self._hop(kept[c], found[c][0], float(motion.speeds[c, 0]))) for c in up]
        self._go_on([key for key, _ in pairs], [k for _, k in pairs], free)

    def _go_on(self, owners: Sequence[Key], chosen: Sequence[ActiveConstraint], free: Sequence[int]) -> None:
        """With the contacts that stay, each of a pair of `owners`."""
        if self.forces is not None:
            with self.bouncing_on(free):
                self._go_on_together(owners, chosen, free)
            return
        # Bodies that do not hang together any more go on by themselves: the end of the motion of some is none of others.
        for group in self.groups(owners):
            own = [n for n, key in enumerate(owners) if key in group]
            self._go_on_together([owners[n] for n in own], [chosen[n] for n in own],
                                 sorted({k for key in group for k in key[:2] if self.actors[k].free}))

    def _go_on_together(self, owners: Sequence[Key], chosen: Sequence[ActiveConstraint], free: Sequence[int]) -> None:
        chosen = self._renewed(owners, chosen)
        system = self.system(chosen, free)
        self.turn_to(Work.CONTACT, system.linked)
        system.step = max([self.steps.get((k, system.turning), 0.0) for k in free], default=0.0) or system.step
        if chosen:
            for k, (centre, shift, velocity, spin) in zip(free, settled(system, self.now, self.all_courses()), strict=True):
                course = self.actors[k].course
                self.actors[k].take(course.again(self.now, centre=centre, turn=self._turned(k, shift), velocity=velocity, spin=spin),
                                    self.now, seen=False)
        if chosen and self.forces is None and self.rests_now(system):
            for k in free:
                self._hold_body(k, SteadyContact(ContactMode.REST, at_rest(self.actors[k], self.now)))
            for key in dict.fromkeys(owners):
                self._hold_pair(key)
        elif self.waiting is None:
            self._solve(system, owners)
        else:
            self.waiting.append((system, owners))
            rates = system.look(self.now, self.all_courses())[3] + system.answer(self.now, self.all_courses()).change.reshape(-1, 6)
            for k, own in zip(free, rates, strict=True):
                self.actors[k].take(onset(self.actors[k].course, self.now, self.now + system.step, own), self.now, seen=False)
            self._hold_kept(system, owners)

    def _turned(self, k: int, shift: np.ndarray) -> np.ndarray:
        turn, angle = self.actors[k].course.turn_at(self.now), float(np.linalg.norm(shift))
        return np.asarray(rotation.about(shift / angle, angle) @ turn if angle else turn)

    def lift(self, keys: Sequence[Key]) -> None:
        """Out of each other, of pairs that hit each other: what landed was seen when it was a little too deep, and if it then hardly parts,
        it would be found to touch as it comes out.
        """
        links, free = [link for key in keys for link in self.touch(key).links], sorted({k for key in keys for k in key[:2]
                                                                                          if self.actors[k].free})
        if not links:
            return
        size = min(self.size(key) for key in keys)
        shifts = lifted(self.system([ActiveConstraint(link, 0.0, None, 0.0) for link in links], free), self.now, self.all_courses(), size)
        if shifts is None:
            return
        far = float(max(np.linalg.norm(s[:3]) + self.actors[k].radius * np.linalg.norm(s[3:]) for k, s in zip(free, shifts, strict=True)))
        if far > _FAR * size:
            both = sorted({k for key in keys for k in key[:2]})
            raise Undecided(self.reason(both, f"hit each other {far:.3g} deep, since their points of contact are not known well enough",
                                        "end the run before, or give them surfaces that are less flat where they touch"))
        for k, shift in zip(free, shifts, strict=True):
            course, pull = self.actors[k].course, self.actors[k].gravity
            # As it flies from the hit on, or bounces would not be seen to end.
            self.actors[k].take(course.again(self.now, centre=course.centre_at(self.now) + shift[:3], turn=self._turned(k, shift[3:]),
                                             acceleration=pull, spinning=np.zeros(3)), self.now, seen=False)

    def _renewed(self, owners: Sequence[Key], chosen: Sequence[ActiveConstraint]) -> list[ActiveConstraint]:
        """These contacts alone are what touches from now on; those of curved surfaces from where they are."""
        found = [replace(k, link=self.renewed(k.link)) for k in chosen]
        for key in dict.fromkeys(owners):
            links = tuple(k.link for k, own in zip(found, owners, strict=True) if own == key)
            points, normals = self.courses(key, links)
            self.put(key, replace(self.touch(key), time=self.now, points=points, normals=normals, proved=np.zeros(len(links), bool),
                                  links=links))
        return found

    def _solve(self, system: System, owners: Sequence[Key]) -> None:
        self.turn_to(Work.CONTACT, system.linked)
        step, watch = system.step, self._watch(system, owners) if system.kept else None
        system.step = min(step, _PAST * hopping(system, self.now, self.all_courses(), min(map(self.size, owners), default=1.0)))
        if watch and any(self.ends.get(k) for k in system.free):
            # Where one end came, the next one may be near.
            system.step = min(system.step, _PAST * watch.soon(self.now, self.all_courses()))
        soon = system.step < step
        found = system.courses(self.now, self.all_courses())
        if found is None:
            self._no_curves(system, owners)
            raise Undecided(self.reason(system.free, "cannot be followed by a polynomial, since the forces change so much",
                                        "use smoother forces, or weaker springs and heavier bodies"))
        end = self._end(watch, owners, found) if watch else None
        for k, course in zip(system.free, found, strict=True):
            self.actors[k].take(course if end is None else replace(course, until=end.time), self.now)
            # So nothing comes after it that does not know how the body moves on.
            self.push(self.actors[k].course.until, EventKind.SERIES, (k,))
            # How long a slip can be followed at once, which gets less and less as it ends, says nothing of what sticks then.
            self.steps |= {(k, turning): step if soon else system.step for turning in {system.turning, True}}
            self.ends[k] = end
            self.owners[k] = tuple(dict.fromkeys(owners))
        self._hold_kept(system, owners)
        self.tell(system)

    def _hold_kept(self, system: System, owners: Sequence[Key]) -> None:
        for key in dict.fromkeys(owners):
            self.pairs[key] = self.pairs[key].follows(tuple(k for k, own in zip(system.kept, owners, strict=True) if own == key))
            self._hold_pair(key, State.FOLLOWED)

    def _no_curves(self, system: System, owners: Sequence[Key]) -> None:
        """Bodies that come to touch along a curve are not followed (as a ring that comes to lie on a floor)."""
        places, *_ = system.look(self.now, self.all_courses())
        for key, kept in zip(owners, system.kept, strict=True):
            contact = kept.link.contact
            if isinstance(contact, OnSmooth) and contact.flattens(*(places[b] for b in kept.link.pair)):
                raise Undecided(self.reason(key[:2], "come to touch along a curve, or where both are flat, which is not followed",
                                            "end the run before, or give one of them more curvature there"))

    def _watch(self, system: System, owners: Sequence[Key]) -> GuardSet:
        shapes = {k: shape for k in system.linked if (shape := self.shape(k)) is not None}
        watch = GuardSet(system, self.now, self.all_courses(), shapes, self.features, min(self.size(key) for key in owners))
        for c, k in watch.around:
            if not (self.actors[k].rigid.fixed and self.touch(owners[c]).face is not None):
                self.not_followed(owners[c])
        return watch

    def _end(self, watch: GuardSet, owners: Sequence[Key], found: Sequence[Polynomial]) -> GuardHit | None:
        courses = self.all_courses()
        for k, course in zip(watch.system.free, found, strict=True):
            courses[k] = course
        return watch.end(self.now, found[0].until, courses)

    def _not_at_once(self, k: int, key: Key) -> None:
        """Counts an end that has come: one that was expected may be expected again whenever other bodies hit each other."""
        begin, count = self.since.get(k, (-math.inf, 0))
        self.since[k] = (begin, count + 1) if self.now - begin <= _SAME * (1.0 + abs(begin)) else (self.now, 0)
        if count > _AT_ONCE:
            raise Undecided(self.reason(key[:2], f"begin or end to stick, slip or press more than {_AT_ONCE} times at once",
                                        "change their friction or restitution a little, or end the run before"))

    def _strength(self, system: System, rates: np.ndarray) -> float:
        spins = [float(np.linalg.norm(self.actors[k].course.spin_at(self.now))) for k in system.linked]
        radii = [self.actors[k].radius for k in system.linked if self.actors[k].free]
        return float(np.abs(rates[:, :3]).max()) + max(spins) ** 2 * min(radii)

    # -- what comes next ------------------------------------------------------------------------------------------------

    def next_forced(self, k: int, clock: Clock) -> Sequence[Key]:
        """A motion comes to its end: it goes on as it did, or contacts change. Which pairs hit each other then?"""
        end, keys = self.ends.get(k), [key for key in self.owners.get(k, ()) if key in self.pairs.followed]
        free = [j for j, a in enumerate(self.actors) if a.free] if self.forces is not None else sorted(
            {j for key in keys for j in key[:2] if self.actors[j].free} | {k})
        if end is not None and keys:
            self._not_at_once(free[0], keys[0])
        owners = [key for key in keys for _ in self.pairs[key].constraints]
        kept = [c for key in keys for c in self.pairs[key].constraints]
        going = onward(self.system(kept, free), self.now, self.all_courses()) if end is None or end.turned else None
        if going is not None:
            self._go_on(owners, going, free)
            self.changed(set(free), clock)
            return ()
        if end is not None and end.lands is not None:
            return (owners[end.lands],)
        return self._grip_again(keys, free, clock)

    def _grip_again(self, keys: Sequence[Key], free: Sequence[int], clock: Clock) -> Sequence[Key]:
        """From a moment at which not all contacts last; those that come together then, after hops, are hits."""
        left = []
        for key in [*keys, *self._low(free)]:
            touch = self.moved_touch(key)
            if len(touch.points) and not self._risen(key):
                self.put(key, touch)
                left.append(key)
            else:
                self.let_go(key)
        for k in free:
            course = self.actors[k].course
            self.fly(k, np.concatenate([course.velocity_at(self.now), course.spin_at(self.now)]))
        hits = [key for key in left if self.speeds(key).min() < -self._still_speed(key)]
        if hits:
            if self.forces is None:
                # What does not hang together with what hits goes on by itself.
                with_hits = {key for group in self.groups(left) if not set(hits).isdisjoint(group) for key in group}
                self.after([key for key in left if key not in with_hits])
                self.changed(set(free).difference(k for key in with_hits for k in key[:2]), clock)
            return hits
        changed = set(free) | self._force(left)
        self.after(left)
        self.changed(changed, clock)
        return ()

    def _force(self, hit: Sequence[Key] = ()) -> set[int]:
        raise NotImplementedError
