"""`World`: bodies with mass, gravity and what happens at contacts; `run` lets them go."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from codegen.deadline import interruptible
from codegen.given import doubles, shown
from codegen.walk import nesting_in_words
from generative.body import called

from ..given import is_number
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from .actor import Actor
from .boxed import Undecided
from .impact import LAWS, Impact, Law
from .rigid_body import RigidBody, friction_of, restitution_of
from .run import Outcome, Run
from .simulation import Simulation
from .system import Forces

if TYPE_CHECKING:
    from .certified.simulation import Certified

# Seconds after which a step ends that does not look at the clock. Effort only.
_INSISTING = 0.2


class World:
    """Rigid bodies under gravity (3,), and what their contacts do.

    `restitution` (0 to 1) and `friction` are those of bodies that have none of their own; where two bodies differ, the greater restitution
    and the geometric mean of the frictions count. `response`: "newton" (normal velocities are turned round by the restitution) or "poisson"
    (impulses are), both with Coulomb's friction, so that the energy never grows; or a function of an `Impact`, which calls its `apply`.
    `forces`: springs, drag and whatever else acts besides gravity, a function of a `State` of n bodies that gives the forces (n, 3) at
    their centres of mass, or (n, 2, 3), forces and torques about these, in the world; those on bodies that are fixed or driven count
    nothing.

    Raises TypeError for what are no bodies, and for forces that are no function, and ValueError for no bodies, and for numbers that are not
    finite or out of their range.
    """

    def __init__(self, bodies: Sequence[RigidBody], *, gravity: Any = (0, 0, -9.81), restitution: Any = 1.0, friction: Any = 0.0,
                 response: str | Law = "newton", forces: Forces | None = None) -> None:
        if isinstance(bodies, (str, RigidBody)) or not isinstance(bodies, Sequence):
            raise TypeError(f"a world takes a list of RigidBody values, got {shown(bodies)}")
        if not bodies:
            raise ValueError("a world needs at least one body")
        for k, body in enumerate(bodies):
            if not isinstance(body, RigidBody):
                raise TypeError(f"body {k} of the world is {shown(body)}; it takes RigidBody values")
        self.bodies: tuple[RigidBody, ...] = tuple(bodies)
        self.gravity: np.ndarray = np.array(doubles(gravity, "the gravity of a world", "(3,)"))
        if self.gravity.shape != (3,) or not np.isfinite(self.gravity).all():
            raise ValueError(f"the gravity of a world must be three finite numbers, got {shown(gravity)}")
        self.restitution = restitution_of(1.0 if restitution is None else restitution, "a world") or 0.0
        self.friction = friction_of(0.0 if friction is None else friction, "a world") or 0.0
        if not callable(response) and response not in LAWS:
            raise ValueError(f'the response of a world is "newton", "poisson" or a function, got {shown(response)}')
        if forces is not None and not callable(forces):
            raise TypeError(f"the forces of a world are a function of its state, got {shown(forces)}")
        self.forces = forces
        self.response: Callable[[Impact], None] = response if callable(response) else LAWS[response]

    @nesting_in_words
    def run(self, until: float | None = None, *, events: int | None = None, start: float = 0.0, budget: Budget | float | None = None,
            progress: bool = False, certified: bool = False) -> Run:
        """What the bodies do from the time `start` on, up to the time `until`, or up to so many `events`, whichever comes first.

        Between two events every body moves by a formula whose numbers are its state in doubles (`Run.motion`): a parabola, and a rotation
        in closed form for balls, for bodies of revolution, and for those that spin about a principal axis; else a Taylor series of
        quaternions, whose last terms are roundings: how far that is from Euler's equations is not proved, and no claim rests on it, since
        the body moves by the series. For *that* flight each hit is proved to be the first contact, as by `first_contact`; states after it
        are computed in doubles. Under `forces` the flight is a polynomial of the time, fitted to what Picard's
        iteration at 18 Chebyshev points finds, until it changes by 1e-13: to 1e-11 of the size of the body (velocities: 1e-9), as measured
        at these; and the defect of the polynomial itself, measured at 17 points between, adds up to no more of its velocity. Bodies that
        part from a contact are proved to be apart before they have moved a billionth of their size, and to meet nowhere from then
        on. Below a height of 1e-7 of the size of a body bounces are told by the acceleration
        of the gap, and infinitely many of them end in motion in contact. In closed form that is rest, a ball that rolls or slides on a flat
        face, or a body that slides without turning. Else, for balls, corners, edges and faces, flat and curved, also of bodies that are
        driven, under `forces`, or that push each other, accelerations obey the contacts, each of which sticks or slips by Coulomb's law,
        and polynomials are fitted as above. At 24 points of each it is looked at whether a force would pull, a cone of
        friction is left, a slip stops, a border is passed, or a corner lands; when that begins is found by looking closer and closer.
        Contacts are kept to 1e-9 of the size of a body; slips of 1e-9 of the speed of a fall from it are none; and what rocks comes to rest
        when it would rise no higher than 1e-9 of it. In a hit each contact parts as its restitution says, with the friction that goes with
        its impulse, which is what takes most energy; where both would add energy (Kane and Levinson 1985), with as much of the restitution
        as adds none. Through bodies that touch a hit goes in rounds (`collide.world.impact`), between which little of a small restitution
        is left. The same world gives the same run, bit for bit.

        `budget`: seconds or a `Budget`, for the whole run, 60 seconds if None; what is known when it is spent, or at Ctrl-C, is the answer,
        and `Run.resumed` goes on. A run of so many `events` alone is FINISHED, with a sentence, as soon as all that
        moves is *proved* to go away from all others for ever, by balls along parabolas; where forces or contacts keep bodies moving and no
        event comes, the budget ends it. A run
        that meets what it cannot decide, or motion in contact of another kind, ends there: `Run.outcome` is UNRESOLVED, and `Run.reason`
        says why.

        `certified`: states are enclosures, of as many digits as are needed, and every event is a theorem about the exact initial value
        problem, whose numbers are those of the bodies and of the world (positions, velocities, masses, restitutions: doubles; the inertia
        of bodies of revolution, where it is not given, is exactly that of the shape if its integrals are known), with Newton's
        restitution. `Run.certified_until` tells up to when the events are *proved* to be all there are. Balls, and fixed balls and flat
        faces with four sides, meet by polynomials. Bodies of flat faces, up to 64 corners and 256 patches or triangles, meet each other
        and balls where a corner falls through the plane of a face, two edges cross, or the surface of a ball reaches a face, edge or
        corner, by planes that are proved to be between the hulls of the bodies until then, and the only zero of a height above one of
        them; what is not convex, or round another body, does so by up to 64 pairs of faces. Bodies of other shapes are searched as above,
        by intervals that hold the numbers of their flights, and what a search finds, at one place where faces, edges (as rims) and corners
        are smooth, is proved once more, and enclosed, by Krawczyk's test with all digits (Krawczyk 1969). The run is UNRESOLVED where it
        is not decided which of two hits of a body comes first, as if both come at once; where bodies just graze each other, touch with
        several corners, along edges or faces, at the apex of a cone, or stay in contact; and where hits come so soon after each other that
        doubles do not tell them apart. Balls, and bodies with two equal moments of inertia whose axis is one of the shape's own
        coordinates, turn in closed form; others by validated Taylor series, with remainders bounded by a majorant, which takes about 0.2
        seconds of a processor for each radian at first, and more with more digits. Such runs are without friction and driven bodies, and
        need python-flint (``pip install generative-collision[proof]``).

        Raises ValueError for bodies that overlap at the start, for a time that is not finite or not after the start, if neither `until`
        nor `events` is given, and for certified runs with driven bodies, friction, or an own response; ImportError for such runs without
        python-flint.
        """
        if not (is_number(start) and np.isfinite(float(start))):
            raise ValueError(f"a run starts at a finite time, got {shown(start)}")
        last, most = limits(until, events, float(start))
        clock = Clock(as_budget(budget), progress)
        simulation = self._certified(float(start)) if certified else clock.read(lambda: self._simulation(float(start)))
        return self._finish(simulation, float(start), last, most, clock)

    def _simulation(self, start: float) -> Simulation:
        return Simulation(self._actors(), self.response, self.coefficients, start, self.forces, self.gravity)

    def _certified(self, start: float) -> "Certified":
        if self.response not in LAWS.values():
            raise ValueError("certified runs have the responses of a world by name, not those of a function")
        if self.forces is not None:
            raise ValueError("certified runs are of free flight, without forces besides gravity")
        try:
            from .certified.simulation import Certified
        except ImportError:
            raise ImportError("certified runs need python-flint: pip install generative-collision[proof]") from None
        return Certified(self._actors(), self.coefficients, start, self.called)

    def _finish(self, simulation: "Simulation | Certified", start: float, last: float, most: float, clock: Clock) -> Run:
        outcome, reason = advance(simulation, last, most, clock)
        return clock.read(lambda: Run(self, simulation, start, last, outcome, reason, not isinstance(simulation, Simulation)))

    def resume(self, run: Run, until: float | None, events: int | None, budget: Any, progress: bool) -> Run:
        """See `Run.resumed`."""
        last, most = limits(until, events, run.until)
        return self._finish(run.simulation, run.start, last, most + len(run.events), Clock(as_budget(budget), progress))

    def load(self, path: str | PathLike[str]) -> Run:
        """A run that `Run.save` wrote, of this same world: its events, states and motions, bit for bit. It cannot be resumed."""
        return Run.loaded(self, self._actors(), path)

    def coefficients(self, i: int, j: int) -> tuple[float, float]:
        """Restitution and friction of two bodies."""
        both = [self.bodies[k] for k in (i, j)]
        e = [self.restitution if b.restitution is None else b.restitution for b in both]
        friction = [self.friction if b.friction is None else b.friction for b in both]
        return max(e), float(np.sqrt(friction[0] * friction[1]))

    def _actors(self) -> list[Actor]:
        actors = [Actor(body, self.gravity) for body in self.bodies]
        first: dict[Any, Actor] = {}
        for actor in actors:
            key = actor.rigid.shape, actor.rigid.fixed, tuple(actor.middle.tolist())
            other = first.setdefault(key, actor)
            actor.like(other, list(first).index(key))
        return actors

    def called(self, k: int) -> str:
        return called(self.bodies, k)

    def __repr__(self) -> str:
        return f"World({len(self.bodies)} bodies, gravity={self.gravity.tolist()})"


def limits(until: Any, events: Any, start: float) -> tuple[float, float]:
    """Up to which time and how many events a run goes."""
    if until is None and events is None:
        raise ValueError("a run needs to know how far it goes: until= a time, or events= a number")
    if until is not None and not (is_number(until) and start < until < np.inf):
        raise ValueError(f"a run goes on until a finite time after t = {start:g}, got {shown(until)}")
    if events is not None and not (isinstance(events, (int, np.integer)) and not isinstance(events, bool) and events > 0):
        raise ValueError(f"the number of events must be a positive integer, got {shown(events)}")
    return np.inf if until is None else float(until), np.inf if events is None else float(events)


def advance(simulation: "Simulation | Certified", last: float, most: float, clock: Clock) -> tuple[Outcome, str]:
    """Event after event, and how that ended. A step for which the budget does not suffice is undone; one that is undecided is the last. No
    step goes on for long once the time is up, also where it does not look at the clock.
    """
    finished, saved = False, None
    with clock.query(), interruptible(_INSISTING):
        try:
            while not (finished or simulation.stuck or clock.exceeded()):
                # What interrupts a snapshot finds nothing that is to be undone.
                saved = None
                saved = simulation.snapshot()
                finished = simulation.go_on(last, most, clock)
        except Undecided as stop:
            # Where the time is up much is undecided.
            simulation.stuck = "" if clock.exceeded() else str(stop)
    if finished or simulation.stuck:
        return (Outcome.FINISHED, simulation.over) if finished else (Outcome.UNRESOLVED, simulation.stuck)
    if saved is not None:
        clock.read(lambda: simulation.restore(saved))
    return Outcome.BUDGET_SPENT, clock.reason()
