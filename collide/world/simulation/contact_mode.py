"""Contact modes of bodies that are followed: they rest, roll, slide or rock."""

from collections.abc import Sequence

import numpy as np

from ..contact_solver.forces import ActiveConstraint
from ..dynamics.equations import MotionEquations
from ..dynamics.steady_contact import ContactMode, still
from ..reason import Undecided
from . import contact_sides
from .event_queue import PairKey
from .state import ModeChange, Simulation

# Against what acts on a body, what counts as none.
SLOW = 1e-9
# The contacts that are followed, as advice.
_FOLLOWED = (
    "end the run before, or use closed bodies that touch at points, along straight lines or along rims that lie flat: contacts at "
    "those are followed, and of other bodies if they rest or slide without turning"
)


def system_of(s: Simulation, kept: Sequence[ActiveConstraint], free: Sequence[int]) -> MotionEquations:
    return MotionEquations(s.forces, s.particulars, s.gravity, free, kept)


def rests_now(s: Simulation, system: MotionEquations) -> bool:
    """Whether nothing moves, or begins to."""
    actors = [s.actors[k] for k in system.linked]
    if not all(a.free or a.rigid.fixed for a in actors):
        return False
    rates, answer = system.look(s.now, s.all_courses())[3], system.answer(s.now, s.all_courses())
    speeding = np.abs(rates + answer.change.reshape(-1, 6)).max(axis=0)
    size, pull = min(a.radius for a in actors if a.free), float(np.linalg.norm(s.gravity))
    calm = speeding[:3].max() <= SLOW * pull and speeding[3:].max() * size <= SLOW * pull
    return calm and all(still(a.course, s.now, a.radius, a.gravity) for a in actors if a.free)


def tell(s: Simulation, system: MotionEquations) -> None:
    """Tell how bodies stay in contact until their present motion ends, where that has changed: what begins to move does not rest."""
    middle = (s.now + min(s.actors[k].course.until for k in system.free)) / 2.0
    _, motion, _, _ = system.look(middle, s.all_courses())
    told = {}
    for k in system.free:
        own = [c for c, kept in enumerate(system.kept) if k in kept.link.pair and not kept.loose]
        if own:
            told[k] = mode_of(s, k, [system.kept[c] for c in own], motion.speeds[own], middle)
    for k, mode in told.items():
        if s.contacts[k].mode is not mode:
            s.rests.append(ModeChange(s.now, k, mode))
    for k in system.free:
        s.contacts[k] = s.contacts[k]._replace(mode=told.get(k))


def mode_of(s: Simulation, k: int, kept: Sequence[ActiveConstraint], speeds: np.ndarray, when: float) -> ContactMode:
    slips = [(c.slip is not None and c.friction > 0.0) or np.hypot(*speed[1:]) > c.still for c, speed in zip(kept, speeds, strict=True)]
    if any(slips):
        return ContactMode.SLIDING
    own = s.actors[k].course.spin_at(when)
    for c in kept:
        other = s.actors[sum(c.link.pair) - k].course.spin_at(when)
        if np.linalg.norm(own - other) * s.actors[k].radius > c.still:
            return ContactMode.ROCKING if contact_sides.shape_of(s, k) is not None else ContactMode.ROLLING
    return ContactMode.REST


def not_followed(s: Simulation, key: PairKey, obstacle: str = "stay in contact in a way that is not followed") -> None:
    """Raises Undecided for a pair without contacts that can be followed."""
    raise Undecided(s.reason(key.bodies, obstacle, _FOLLOWED))
