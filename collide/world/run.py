"""Run of a world: its events, and the states of its bodies at any time."""

import functools
import json
from collections.abc import Sequence
from enum import Enum
from os import PathLike
from typing import Any, Protocol

import numpy as np
import sympy as sp

from codegen.given import shown
from generative import Motion, Rigid, t

from ..answers.contact_regions import RegionChange
from ..files import write_text
from ..given import is_number
from ..queries.coincident_notes import coincident_notes
from ..queries.gaps import notes_of_runs
from . import page, saved
from .dynamics.steady_contact import ContactMode
from .event import Event
from .motion.moving_body import MovingBody
from .motion.rotation import crosses, quaternions
from .motion.state import BodyState, State, at_each, places_along
from .rigid_body import RigidBody
from .simulation.state import ContactRegion, ModeChange

_LOADED = "It was loaded from a file: a saved run is no proof."


class Origin(Protocol):
    """The world of a run."""

    @property
    def bodies(self) -> tuple[RigidBody, ...]: ...

    @property
    def gravity(self) -> np.ndarray: ...

    def resume(self, run: "Run", until: float | None, events: int | None, budget: Any, progress: bool) -> "Run": ...


class Outcome(Enum):
    """The way a run ended; each value is its sentence."""

    FINISHED = "The run came to its end."
    BUDGET_SPENT = "The budget was spent before the end of the run."
    UNRESOLVED = "The run met what it could not decide."

    def __repr__(self) -> str:
        return f"Outcome.{self.name}"


class Run:
    """`events`, in order; `rests`: which bodies came to rest, or rolled or slid from a time on; `until`: the time up to which all is known;
    `outcome`, and `reason`, a sentence where the run did not come to its end, or nothing can come any more.

    `regions`: the contact regions of bodies that stay in contact, by their numbers, a `ContactRegion` each with its pair, begin, end, None
    if it lasts, and points at its begin; `region_changes`: their births, merges, splits and deaths, `RegionChange` values in order. They
    are noted where a motion in contact begins, changes or ends, in doubles: a contact that comes without a hit and moves nothing otherwise,
    as where a slab slides over a gap, counts from the next change.

    `certified_until`, of a certified run (else None): up to this time the events are *proved* to be all that the exact initial value
    problem has, in this order (hits that share no body, and whose times overlap, may come in either order), and each lies in its `time`.

    A copy, also one that is pickled, holds all this, states and motions, bit for bit. Like a run that was loaded it has no `bounds`, and
    cannot be resumed.
    """

    def __init__(self, world: Origin, simulation: Any, start: float, last: float, outcome: Outcome, reason: str,
                 certified: bool = False) -> None:
        self.world, self.simulation, self.start = world, simulation, start
        self.outcome, self.reason = outcome, reason
        self.events: tuple[Event, ...] = tuple(simulation.events)
        self.rests: tuple[ModeChange, ...] = tuple(simulation.rests)
        self.region_changes: tuple[RegionChange, ...] = tuple(simulation.region_changes)
        self.regions: tuple[ContactRegion, ...] = tuple(ended(simulation.region_begins, self.region_changes))
        self.until: float = simulation.now
        self.certified_until: float | None = self.until if certified else None
        self._told = [list(actor.path) for actor in simulation.actors]
        self._loaded = isinstance(simulation, saved.Past)

    @functools.cached_property
    def _paths(self) -> list[list[tuple[float, Any]]]:
        """Trajectories of each body with the times at which they begin; of a run that ended before its first step, those of the start."""
        told = [own or [(self.start, actor.first(self.start))] for own, actor in zip(self._told, self.simulation.actors, strict=True)]
        return [_whole(path, self.until) if self.certified_until is not None else path for path in told]

    # -- what was where -----------------------------------------------------------------------------------------------

    def state(self, time: Any) -> State:
        """The state of all bodies at a time of the run, or at each of an array of times; at that of an event, after it. ValueError for a
        time outside the run.
        """
        when, shape = self._moments(time), (*np.shape(time), len(self._paths))
        places = [(p.centre - p.turn @ actor.middle, quaternions(p.turn), p.velocity, p.spin)
                  for actor, p in zip(self.simulation.actors, self._places(when), strict=True)]
        return State(time if np.ndim(time) else float(when[0]),
                     *(np.stack(e, axis=1).reshape(*shape, -1) for e in zip(*places, strict=True)))

    def _places(self, times: np.ndarray) -> list[BodyState]:
        return [places_along(path, times) for path in self._paths]

    def _moments(self, times: Any) -> np.ndarray:
        return np.array([self._moment(e) for e in np.ravel(times).tolist()])

    def _moment(self, time: Any) -> float:
        # An event at the end is known by its bracket.
        end = max([self.until, *(e.time[1] for e in self.events[-1:])])
        if not (is_number(time) and self.start <= time <= end):
            raise ValueError(f"the run goes from t = {self.start:g} to t = {self.until:g}, which does not hold {shown(time)}")
        return float(time)

    def bounds(self, time: Any) -> State:
        """Enclosures of the exact state at a time of a certified run: as `state`, with lower and upper bounds, doubles, along a last axis
        of length 2. Quaternions are told up to their sign. Within the bracket of an event they hold what is before it and what is after.
        """
        if self.certified_until is None or isinstance(self.simulation, saved.Past):
            raise ValueError("only certified runs have bounds of their states, and copies of runs and loaded ones have none")
        if np.ndim(time):
            return at_each(self.bounds, time)
        moment = self._moment(time)
        places = [self.simulation.bounds(k, moment) for k in range(len(self._paths))]
        return State(moment, *(np.array([p[k] for p in places]) for k in range(4)))

    def motion(self, k: int) -> Motion:
        """The motion of body k, from its own coordinates to the world: formulas of t, one after the other at the events, with the numbers
        of the run as exact rationals. It may be used wherever a Motion may; beyond the run the last formula goes on.
        """
        if not (isinstance(k, (int, np.integer)) and 0 <= k < len(self._paths)):
            raise ValueError(f"bodies are numbered from 0 to {len(self._paths) - 1}, got {shown(k)}")
        actor, path = self.simulation.actors[k], self._paths[k]
        pieces = [p for n, p in enumerate(path) if n + 1 == len(path) or path[n + 1][0] > p[0]]
        motions = [actor.motion(course) for _, course in pieces]
        if len(motions) == 1:
            return motions[0]
        ends = [sp.Rational(time) for time, _ in pieces[1:]]
        entries = [sp.Piecewise(*((m.entries[n], t < end) for m, end in zip(motions, ends, strict=False)), (motions[-1].entries[n], True))
                   for n in range(12)]
        return Rigid._unchecked(sp.ImmutableMatrix(3, 3, entries[:9]), entries[9:])

    def courses(self, k: int) -> list[tuple[Any, float, float]]:
        """The flights of body k, each with its beginning and its end."""
        own = self._paths[k]
        path = [p for n, p in enumerate(own) if n + 1 == len(own) or own[n + 1][0] > p[0]]
        ends = [*(time for time, _ in path[1:]), self.until]
        return [(course, time, max(time, end)) for (time, course), end in zip(path, ends, strict=True)]

    def energy(self, time: Any) -> Any:
        """Kinetic and potential energy of the bodies that hits move, a number; of an array of times, an array."""
        when = self._moments(time)
        total = np.zeros(len(when))
        for body, p in zip(self.world.bodies, self._places(when), strict=True):
            if body.free:
                spin = (p.spin[:, None] @ p.turn)[:, 0]
                total += body.mass * ((p.velocity * p.velocity).sum(axis=1) / 2.0 - (p.centre * self.world.gravity).sum(axis=1))
                total += ((spin @ body.inertia) * spin).sum(axis=1) / 2.0
        return total.reshape(np.shape(time)) if np.ndim(time) else float(total[0])

    def momentum(self, time: Any) -> np.ndarray:
        """(..., 2, 3): the linear momentum, and the angular momentum about the origin, of the bodies that hits move."""
        when = self._moments(time)
        found = np.zeros((len(when), 2, 3))
        for body, p in zip(self.world.bodies, self._places(when), strict=True):
            if body.free:
                own = body.mass * p.velocity
                found[:, 0] += own
                found[:, 1] += crosses(p.centre, own) + (p.turn @ (((p.spin[:, None] @ p.turn) @ body.inertia)[:, 0])[..., None])[..., 0]
        return found.reshape(*np.shape(time), 2, 3)

    # -- on and off ---------------------------------------------------------------------------------------------------

    def resumed(self, until: float | None = None, *, events: int | None = None, budget: Any = None, progress: bool = False) -> "Run":
        """The run gone on with, up to a time, or by so many more events: as if it had not been interrupted. See `World.run`. ValueError for
        a copy, for a run that was loaded, and for one that has been gone on with already, whose successor is the one to resume.
        """
        if isinstance(self.simulation, saved.Past):
            raise ValueError("a run that was loaded or copied holds what happened, but not what was proved for later; run the world again")
        if (self.simulation.now, len(self.simulation.events)) != (self.until, len(self.events)):
            raise ValueError(f"this run, known until t = {self.until:g}, has been resumed already; resume the run that came of it, or run "
                             "the world again")
        return self.world.resume(self, until, events, budget, progress)

    def save(self, path: str | PathLike[str]) -> None:
        """Everything but the world as JSON; `World.load` reads it, bit for bit."""
        write_text(path, json.dumps(saved.table(self, self._paths)))

    @classmethod
    def loaded(cls, world: Origin, actors: Sequence[MovingBody], path: str | PathLike[str]) -> "Run":
        """See `World.load`."""
        known, past = saved.read(path, actors, Outcome.__members__)
        return cls(world, past, known["start"], known["until"], Outcome[known["outcome"]], known["reason"], known.get("certified", False))

    def __getstate__(self) -> dict[str, Any]:
        """The record of what happened: the simulation that a run goes on with belongs to the run alone."""
        kept = {name: value for name, value in vars(self).items() if name not in ("simulation", "_told", "_paths")}
        return kept | {"_told": [list(own) for own in self._paths]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        actors = [MovingBody(body, self.world.gravity) for body in self.world.bodies]
        self.simulation = saved.Past(actors, self.events, self.rests, self.until, self.regions, self.region_changes)

    # -- shown --------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences about gaps of solids, and about leaves of combined bodies that count as two surfaces though they may be one."""
        shapes = [body.shape for body in self.world.bodies]
        return (*notes_of_runs(shapes), *coincident_notes(shapes, (0, 0)))

    def summary(self) -> str:
        """Say how far the run came, and how it ended."""
        hits, last = len(self.events), f"t = {self.until:.12g}"
        rests = sum(r.mode is ContactMode.REST for r in self.rests)
        count = len(self.world.bodies)
        known = [f"{count} {'body' if count == 1 else 'bodies'}", f"{hits} {'event' if hits == 1 else 'events'} up to {last}"]
        known += [f"at rest {rests} {'time' if rests == 1 else 'times'}"] if rests else []
        return " ".join(s for s in (f"{', '.join(known)}.", self.outcome.value, self.reason, *self.notes,
                                    _LOADED if self._loaded else "") if s)

    def save_html(self, path: str | PathLike[str], title: str = "Simulation") -> None:
        """Write a page that plays the run in a browser, self-contained: slider, speed, flashes at hits, energy and events."""
        page.write(self, path, title)

    def show(self) -> None:
        """Play the run, in a notebook or browser."""
        page.figure(self).show()

    def _repr_html_(self) -> str:
        return page.figure(self)._repr_html_()

    def __repr__(self) -> str:
        return f"Run({self.outcome.name}, {len(self.events)} events, until={self.until!r})"


def ended(begins: Sequence[ContactRegion], changes: Sequence[RegionChange]) -> list[ContactRegion]:
    """Regions with the times at which they end."""
    ends = {n: c.time for c in changes for n in c.before if n not in c.after}
    return [region._replace(end=ends.get(region.number)) for region in begins]


def _whole(path: Sequence[tuple[float, Any]], last: float) -> list[tuple[float, Any]]:
    """The path, with further series where that of a body that tumbles ends before its next flight."""
    found, ends = list[tuple[float, Any]](), [*(time for time, _ in path[1:]), last]
    for (time, course), end in zip(path, ends, strict=True):
        found.append((time, course))
        while course.ballistic and course.until < end:
            course = course.again(course.until)
            found.append((course.start, course))
    return found
