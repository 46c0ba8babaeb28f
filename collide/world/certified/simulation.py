"""A certified run: hit after hit, each a theorem about the exact initial value problem.

The states of the bodies are balls of Arb's, which hold the true states. Which hit comes first is told where their times are proved to be in
order; where the digits do not suffice the run begins anew with more of them, and where there are plenty it ends, and says so.
"""

import copy
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb, ctx

from ...bodies.parts import is_closed
from ...moment.start import Start
from ...search.budget import as_budget
from ...search.clock import Clock
from ..actor import Actor
from ..lookout import Undecided, ordered
from ..meeting import state_at
from ..outline import exact_ball
from ..simulation import Event
from .enclosures import above, below, interval, matrix, nearest, number, product, vector
from .hits import Gap, Parabola, first_hit, gap
from .obstacles import ball_of, obstacles_of, point
from .roots import Unclear

# Bits of the numbers at first, at most, and by how many times they become more; and the bits of a time which suffice to tell that more of
# them will not help.
_BITS, _MOST_BITS, _MORE, _PLENTY = 256, 1 << 15, 4, 128
_CHANGING = "events", "now", "bits", "version", "last", "states", "radii", "obstacles", "hits", "stuck"

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Hit:
    """What is known of a pair: the time at which it touches next, with the gap that closes then, and the number of that; or, without one,
    why nothing is known from then on.
    """

    time: Any
    gap: Gap | None
    number: int = 0
    why: str = ""


class Certified:
    """Balls, in free flight between hits at which nothing rubs, and fixed obstacles. `now`: up to this time all is proved. `states`: of
    each body all its parabolas so far. `last`: of pairs that have touched, the versions of their motions after it and the number of the
    gap.
    """

    def __init__(self, actors: Sequence[Actor], coefficients: Callable[[int, int], tuple[float, float]], start: float,
                 called: Callable[[int], str]) -> None:
        self.actors, self.coefficients, self.start, self.called = actors, coefficients, start, called
        self.rests: list[Any] = []
        self.bits, self.stuck = _BITS, ""
        self._check()
        with ctx.workprec(self.bits):
            self._begin()

    # -- the start ----------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Refuses worlds of which nothing is proved yet."""
        self.obstacles = [obstacles_of(a.rigid) if a.rigid.fixed else None for a in self.actors]
        for k, actor in enumerate(self.actors):
            if actor.rigid.motion is not None or (actor.free and actor.ball is None) or (actor.rigid.fixed and self.obstacles[k] is None):
                raise ValueError(f"certified runs are of balls, and of fixed bodies that are balls or have flat faces of four sides, and "
                                 f"{self.called(k)} is neither")
        for i, j in self._pairs():
            if self.coefficients(i, j)[1]:
                raise ValueError(f"certified runs are without friction, and {self.called(i)} and {self.called(j)} have some")

    def _check_inside(self) -> None:
        """Refuses balls in closed bodies that do not move."""
        for pair in self._pairs():
            still = next((k for k in pair if self.actors[k].rigid.fixed and self.actors[k].ball is None), None)
            if still is not None and is_closed(self.actors[still].rigid.shape):
                one, other = (self.actors[k].moving for k in ordered(self.actors, pair))
                if state_at(one, other, self.start, Clock(as_budget(None), False)) is Start.OVERLAPPING:
                    raise ValueError(f"{self._both(pair)} overlap at the start")

    def _pairs(self) -> list[Pair]:
        return [(i, j) for i, j in itertools.combinations(range(len(self.actors)), 2) if self.actors[i].free or self.actors[j].free]

    def _begin(self) -> None:
        self.events: list[Event] = []
        self.now = self.start
        self.version = [0] * len(self.actors)
        self.last: dict[Pair, tuple[int, int, int]] = {}
        self.states: list[list[Parabola]] = []
        self.radii: list[Any] = []
        self.obstacles = [obstacles_of(a.rigid) if a.rigid.fixed else None for a in self.actors]
        for actor in self.actors:
            ball = ball_of(actor.rigid) if actor.free else None
            centre, radius = ball if ball is not None else (vector((0, 0, 0)), number(0))
            state = Parabola(number(self.start), centre, vector(actor.rigid.velocity.tolist()), vector(actor.gravity.tolist()))
            self.states.append([state])
            self.radii.append(radius)
            actor.path.clear()
            actor.begin(self.start)
        if not self.bits > _BITS:
            self._check_inside()
        self.hits = {pair: hit for pair in self._pairs() if (hit := self._ask(pair)) is not None}

    # -- the loop -----------------------------------------------------------------------------------------------------

    def snapshot(self) -> Any:
        """What a step may change, so that one that does not come to its end can be undone."""
        own = {name: copy.copy(getattr(self, name)) for name in _CHANGING} | {"states": [list(s) for s in self.states]}
        return own, [(a.course, list(a.path)) for a in self.actors]

    def restore(self, saved: Any) -> None:
        own, actors = saved
        for name, value in own.items():
            setattr(self, name, value)
        for a, (course, path) in zip(self.actors, actors, strict=True):
            a.course, a.path = course, path

    def go_on(self, last: float, most: float, clock: Clock) -> bool:
        """The next event up to a time, and to so many events. Was there none left?"""
        with ctx.workprec(self.bits):
            if len(self.events) >= most:
                return True
            pair = min(self.hits, key=lambda p: self.hits[p].time.lower(), default=None)
            if pair is None or self.hits[pair].time > last:
                self.now = max(self.now, last) if last < np.inf else self.now
                return True
            why = self._doubt(pair) or self._respond(pair)
            if not why:
                return False
            accurate = self.hits[pair].time.rel_accuracy_bits() > _PLENTY
        if accurate or self.bits * _MORE > _MOST_BITS:
            self.now = max(self.now, below(self.hits[pair].time))
            raise Undecided(why)
        self.bits *= _MORE
        with ctx.workprec(self.bits):
            self._begin()
        return False

    def _doubt(self, pair: Pair) -> str:
        """Why it is not decided that this is the next event; empty if it is."""
        hit = self.hits[pair]
        if hit.gap is None:
            return hit.why
        free = {k for k in pair if self.actors[k].free}
        for other, its in self.hits.items():
            if other != pair and free.intersection(other) and not hit.time < its.time:
                both = " and ".join(self.called(k) for k in sorted({*pair, *other}))
                return (f"{both} touch near t = {below(hit.time)!r} at times of which it is not decided which one is first; several hits "
                        "of a body at once are not followed")
        before = next((e.time for e in reversed(self.events) if tuple(e.pairs[0]) == pair), None)
        if before is not None and not above(hit.time) > before[1]:
            return f"{self._both(pair)} hit each other ever sooner: from t = {before[0]!r} on doubles do not tell their hits apart"
        return ""

    def _both(self, pair: Pair) -> str:
        return " and ".join(map(self.called, pair))

    # -- which hit comes next -----------------------------------------------------------------------------------------

    def _ask(self, pair: Pair) -> Hit | None:
        """When a pair touches next."""
        i, j = pair
        start = max((self.states[k][-1].start for k in pair if self.actors[k].free), key=lambda s: s.mid())
        first: Hit | None = None
        for n, g in enumerate(self._gaps(pair, start)):
            try:
                tau = first_hit(g, self.last.get(pair) == (self.version[i], self.version[j], n), None)
            except Unclear as stop:
                found = self._unclear(pair, start + stop.time)
            except ValueError:
                raise ValueError(f"{self._both(pair)} overlap at the start") from None
            else:
                if tau is None:
                    continue
                found = Hit(start + tau, g, n)
            first = found if first is None else self._sooner(first, found, pair)
        return first

    def _unclear(self, pair: Pair, time: Any) -> Hit:
        return Hit(time, None, why=f"whether {self._both(pair)} touch, or part, near t = {below(time)!r} is not decided; contacts that "
                   "last are not followed in certified runs")

    def _sooner(self, one: Hit, other: Hit, pair: Pair) -> Hit:
        if one.time < other.time or other.time < one.time:
            return one if one.time < other.time else other
        return Hit(one.time.union(other.time), None, why=f"{self._both(pair)} touch near t = {below(one.time)!r} at several places of "
                   "which it is not decided which one is first")

    def _gaps(self, pair: Pair, start: Any) -> list[Gap]:
        i, j = pair if self.actors[pair[0]].free else pair[::-1]
        ball, obstacles = self.states[i][-1].since(start), self.obstacles[j]
        if obstacles is None:
            other = self.states[j][-1].since(start)
            ball = Parabola(start, ball.centre - other.centre, ball.velocity - other.velocity, ball.acceleration - other.acceleration)
            obstacles = [point(vector((0, 0, 0)), self.radii[j])]
        return [gap(ball, self.radii[i], o) for o in obstacles]

    # -- what a hit does ----------------------------------------------------------------------------------------------

    def _respond(self, pair: Pair) -> str:
        """Newton's restitution, and new parabolas for the bodies that move; or why it is not decided what comes first."""
        hit, (i, j) = self.hits[pair], pair
        a, b = pair if self.actors[i].free else (j, i)
        assert hit.gap is not None
        g, tau = hit.gap, hit.time - hit.gap.start
        # From b to a, at right angles to the surfaces.
        normal = g.obstacle.across @ (g.path[0] + tau * (g.path[1] + tau * g.path[2]))
        before = [self.states[k][-1].since(hit.time) for k in (a, b)]
        push = self._push(pair, normal, before[0].velocity - before[1].velocity) * normal
        after = {k: replace(state, velocity=state.velocity + sign / number(self.actors[k].rigid.mass) * push)
                 for k, sign, state in zip((a, b), (1, -1), before, strict=True) if self.actors[k].free}
        if why := self._near_others(after, hit.time):
            return why
        for k, state in after.items():
            self._fly(k, state)
        unit, sign = normal / (normal @ normal).sqrt(), 1 if a == j else -1
        at = before[0].centre - self.radii[a] * unit
        self.events.append(Event(interval(hit.time), np.array([pair]), nearest(at)[None], sign * nearest(unit)[None],
                                 sign * nearest(push)[None], np.array([True])))
        self.now = max(self.now, below(hit.time))
        self.last[pair] = self.version[i], self.version[j], hit.number
        self._ask_again(set(after))
        return ""

    def _push(self, pair: Pair, normal: np.ndarray, relative: np.ndarray) -> Any:
        """The impulse on the first body against the second, in lengths of the normal."""
        mobility = sum((1 / number(self.actors[k].rigid.mass) for k in pair if self.actors[k].free), arb(0))
        return -(1 + number(self.coefficients(*pair)[0])) * (normal @ relative) / (normal @ normal * mobility)

    def _fly(self, k: int, state: Parabola) -> None:
        actor, time = self.actors[k], float(state.start.mid())
        self.states[k].append(state)
        self.version[k] += 1
        actor.take(actor.course.again(time, centre=nearest(state.centre), velocity=nearest(state.velocity)), time, seen=False)

    def _near_others(self, after: dict[int, Parabola], time: Any) -> str:
        """Hits without a common body may come in either order: then bodies of both must be proved to be apart meanwhile, too."""
        for (k, new), (other, states) in itertools.product(after.items(), enumerate(self.states)):
            recent = itertools.takewhile(lambda n, own=states: not own[n].start < time, range(len(states) - 1, 0, -1))  # type: ignore[misc]
            for n in () if other in after else recent:
                both = time.union(states[n].start)
                way, far = new.at(both) - states[n - 1].at(both), self.radii[k] + self.radii[other]
                if not way @ way > far * far:
                    return (f"{self._both((k, other))} are near each other at t = {below(both)!r}, when others hit them at times of which "
                            "it is not decided which one is first")
        return ""

    def _ask_again(self, changed: set[int]) -> None:
        for other in self._pairs():
            if changed.intersection(other):
                self.hits.pop(other, None)
                found = self._ask(other)
                if found is not None:
                    self.hits[other] = found

    # -- states -------------------------------------------------------------------------------------------------------

    def bounds(self, k: int, time: float) -> list[np.ndarray]:
        """Doubles that enclose the position (3, 2) of a body at a time, its quaternion (4, 2), velocity and spin (3, 2)."""
        with ctx.workprec(self.bits):
            found = [self._state(k, state, number(time)) for n, state in enumerate(self.states[k])
                     if not state.start > time and not (n + 1 < len(self.states[k]) and self.states[k][n + 1].start < time)]
            return [np.array([[min(below(e[n][d]) for e in found), max(above(e[n][d]) for e in found)] for d in range(len(found[0][n]))])
                    for n in range(4)]

    def _state(self, k: int, state: Parabola, time: Any) -> list[np.ndarray]:
        rigid, begin = self.actors[k].rigid, vector(self.actors[k].rigid.orientation.tolist())
        q, spin = begin / (begin @ begin).sqrt(), vector(rigid.spin.tolist())
        if not self.actors[k].free:
            return [vector(rigid.position.tolist()), q, state.velocity, spin]
        speed = (spin @ spin).sqrt()
        if rigid.spin.any():
            half = (time - number(self.start)) * speed / 2
            q = product(np.array([half.cos(), *(half.sin() / speed * spin)], object), q)
        turn = matrix(q)
        return [state.at(time) - turn @ self._middle(k), q, state.velocity_at(time), spin]

    def _middle(self, k: int) -> np.ndarray:
        a, b, c = self.actors[k].middle.tolist()
        found = exact_ball(self.actors[k].rigid.shape, (a, b, c))
        assert found is not None
        return vector(found[0])
