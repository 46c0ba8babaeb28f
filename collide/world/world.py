"""`World`: bodies with mass, gravity and what happens at contacts; `run` lets them go."""

import functools
from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from codegen.deadline import interruptible
from codegen.given import doubles, shown
from codegen.walk import nesting_in_words
from generative import Chain
from generative.body import called

from ..frozen import Frozen
from ..given import is_number
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from .contact_solver.impact import LAWS, Impact, Law
from .dynamics.equations import Forces
from .motion.moving_body import MovingBody, NotFinite
from .reason import Reason, Undecided
from .rigid_body import RigidBody, friction_of, restitution_of
from .run import Outcome, Run
from .simulation.loop import go_on
from .simulation.state import Simulation

if TYPE_CHECKING:
    from .certified.loop import Certified

# Seconds after which a step ends that does not look at the clock. Effort only.
_INSISTING = 0.2


class World(Frozen):
    """Rigid bodies under gravity, and the response of their contacts.

    Parameters
    ----------
    bodies : sequence of RigidBody
        One or more.
    gravity : array_like, (3,), optional
        The acceleration of all bodies that are neither fixed nor driven.
    restitution : float, optional
        0 to 1, of bodies that have none of their own. Where two bodies differ, the greater one counts.
    friction : float, optional
        Coulomb's coefficient, of bodies that have none of their own. Where two bodies differ, the geometric mean counts.
    response : str or callable, optional
        "newton" (normal velocities are turned round by the restitution) or "poisson" (impulses are), both with Coulomb's friction, so that
        the energy never grows; or a function of an `Impact`, which calls its `apply`.
    forces : callable, optional
        Springs, drag and other forces besides gravity: a function of a `State` of n bodies that gives the forces (n, 3) at their centres of
        mass, or (n, 2, 3), forces and torques about these, in the world. Those on bodies that are fixed or driven count nothing.

    Raises
    ------
    TypeError
        For anything but bodies, and for forces that are no function.
    ValueError
        For no bodies, and for numbers that are not finite or out of their range.

    Examples
    --------
    A ball falls from a height of 1/2 on a floor, with g = 1, which it reaches at t = 1.

    >>> from collide import RigidBody, World
    >>> from generative import primitives
    >>> ball = RigidBody(primitives.ball(), position=[0, 0, 1.5])
    >>> floor = RigidBody(primitives.half_space([0, 0, 1], 0, size=4), fixed=True)
    >>> run = World([ball, floor], gravity=[0, 0, -1]).run(2.0, events=1)
    >>> round(run.events[0].time[0], 6)
    1.0
    """

    def __init__(self, bodies: Sequence[RigidBody], *, gravity: Any = (0, 0, -9.81), restitution: Any = 1.0, friction: Any = 0.0,
                 response: str | Law = "newton", forces: Forces | None = None) -> None:
        if isinstance(bodies, (str, RigidBody)) or not isinstance(bodies, Sequence):
            raise TypeError(f"a world takes a list of RigidBody values, got {shown(bodies)}")
        if not bodies:
            raise ValueError("a world needs at least one body")
        for k, body in enumerate(bodies):
            if isinstance(body, Chain):
                raise TypeError(f"body {k} of the world is a Chain, whose joints a world does not simulate; pass each of its links as a "
                                "driven body, RigidBody(shape, motion=chain.motions(values)[link])")
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
        self._freeze()

    @nesting_in_words
    def run(self, until: float | None = None, *, events: int | None = None, start: float = 0.0, budget: Budget | float | None = None,
            progress: bool = False, certified: bool = False) -> Run:
        """Move the bodies from `start` on, until a time or for a number of events.

        Between two events each body moves by a formula whose numbers are its state in doubles (`Run.motion`), and that flight is *proved*
        free of contact up to its event. The same world gives the same run, bit for bit.

        Parameters
        ----------
        until : float, optional
            The time up to which the run goes.
        events : int, optional
            The number of events after which the run ends. One of `until` and `events` must be given; the first that is reached counts.
        start : float
            The time at which the bodies have the states that they were made with.
        budget : Budget or float, optional
            Seconds, or a `Budget`, for the whole run; 60 seconds if None. After it, or at Ctrl-C, the run holds all that is known.
        progress : bool
            Whether a progress bar is shown.
        certified : bool
            Whether states are enclosures and every event is a theorem about the exact initial value problem. Needs python-flint.

        Returns
        -------
        Run
            Its `outcome` is FINISHED, BUDGET_SPENT or UNRESOLVED; `reason` is a sentence where it did not come to its end.

        Raises
        ------
        ValueError
            If bodies overlap at the start, if a time is not finite or not after the start, if neither `until` nor `events` is given, and
            for certified runs with driven bodies, friction, forces or an own response.
        ImportError
            For certified runs without python-flint.

        Notes
        -----
        *Impacts.* Each contact parts as its restitution says, with Coulomb's friction; restitution is lowered where both together would add
        energy (Kane and Levinson 1985).

        *Contact.* Bounces below 1e-7 of the size of a body follow from the acceleration of the gap; infinitely many of them end in contact.
        Bodies that rest, roll or slide move in closed form, others along polynomials that are fitted to the equations of motion
        and checked at 24 times each. Motion in contact is not proved.

        *Tolerances.* Contacts are kept to 1e-9 of the size of a body. Slips of 1e-9 of the speed of a fall from it are none.

        *Certified runs.* `Run.certified_until` is the time up to which the events are *proved* to be all there are. The run ends as
        UNRESOLVED where the order of two impacts is not decided, and where bodies graze, touch at several places at once, or stay in
        contact.

        The page on simulation of the documentation has the details of each.

        Examples
        --------
        A ball falls 4/5 under g = 10 and hits the floor at t = 2/5.

        >>> import sympy as sp
        >>> from generative import ParametricSurface, primitives, u, v
        >>> floor = RigidBody(ParametricSurface([u, v, 0], {u: (-5, 5), v: (-5, 5)}), fixed=True)
        >>> ball = RigidBody(primitives.ball(sp.Rational(1, 5)), position=(0, 0, 1), mass=2.0)
        >>> run = World([floor, ball], gravity=(0, 0, -10), restitution=0.5).run(events=1)
        >>> bool(abs(run.events[0].time[0] - 0.4) < 1e-12)
        True
        """
        if not (is_number(start) and np.isfinite(float(start))):
            raise ValueError(f"a run starts at a finite time, got {shown(start)}")
        last, most = limits(until, events, float(start))
        clock = Clock(as_budget(budget), progress)
        simulation = clock.read(lambda: (self._certified if certified else self._simulation)(float(start)))
        return self._finish(simulation, float(start), last, most, clock)

    def _simulation(self, start: float) -> Simulation:
        return Simulation(self._actors(), self.response, self.coefficients, start, self.forces, self.gravity)

    def _certified(self, start: float) -> "Certified":
        if self.response not in LAWS.values():
            raise ValueError("certified runs have the responses of a world by name, not those of a function")
        if self.forces is not None:
            raise ValueError("certified runs are of free flight, without forces besides gravity")
        try:
            from .certified.loop import Certified
        except ImportError:
            raise ImportError("certified runs need python-flint: pip install generative-collision[proof]") from None
        return Certified(self._actors(), self.coefficients, start, self.called)

    def _finish(self, simulation: "Simulation | Certified", start: float, last: float, most: float, clock: Clock) -> Run:
        step = functools.partial(go_on, simulation) if isinstance(simulation, Simulation) else simulation.go_on
        outcome, reason = advance(simulation, step, last, most, clock)
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

    def _actors(self) -> list[MovingBody]:
        actors = [MovingBody(body, self.gravity) for body in self.bodies]
        first: dict[Any, MovingBody] = {}
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


def advance(simulation: "Simulation | Certified", step: Callable[[float, float, Clock], bool], last: float, most: float,
            clock: Clock) -> tuple[Outcome, str]:
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
                finished = step(last, most, clock)
        except NotFinite as stop:
            who = [k for k, a in enumerate(simulation.actors) if a.rigid is stop.rigid][:1]
            simulation.stuck = str(Reason.of(simulation.called, who, stop.time, "would move by numbers that are not finite",
                                             "check its mass and speeds, and the forces on it"))
        except Undecided as stop:
            # Where the time is up much is undecided.
            simulation.stuck = "" if clock.exceeded() else str(stop)
    if finished or simulation.stuck:
        return (Outcome.FINISHED, simulation.over) if finished else (Outcome.UNRESOLVED, simulation.stuck)
    doing = simulation.activity.now(clock).spent(simulation.called)
    if saved is not None:
        clock.read(lambda: simulation.restore(saved))
    return Outcome.BUDGET_SPENT, f"{clock.reason()} {doing}"
