"""Contact modes of bodies that are followed: they rest, roll, slide or rock."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..contact_solver.forces import ActiveConstraint
from ..dynamics.equations import Forces, System
from ..dynamics.steady_contact import ContactMode, still
from ..motion.moving_body import MovingBody
from ..motion.state import Particulars
from ..reason import Undecided
from .event_queue import Key
from .low_bounces import Hopping
from .transitions import ModeChange

# Against what acts on a body, what counts as none.
SLOW = 1e-9
# The contacts that are followed, as advice.
_FOLLOWED = ("end the run before, or use closed bodies that touch at points, along straight lines or along rims that lie flat: contacts at "
             "those are followed, and of other bodies if they rest or slide without turning")


class Staying(Hopping):
    """Of bodies that are followed, `modes`: how they stay in contact."""

    def __init__(self, actors: Sequence[MovingBody], coefficients: Callable[[int, int], tuple[float, float]], start: float,
                 forces: Forces | None, gravity: np.ndarray) -> None:
        super().__init__(actors, coefficients, start, forces)
        self.particulars, self.gravity = list[Particulars](), gravity
        self.modes: dict[int, ContactMode] = {}

    def system(self, kept: Sequence[ActiveConstraint], free: Sequence[int]) -> System:
        return System(self.forces, self.particulars, self.gravity, free, kept)

    def all_courses(self) -> list[Any]:
        return [a.course for a in self.actors]

    def rests_now(self, system: System) -> bool:
        """Does nothing move, or begin to?"""
        actors = [self.actors[k] for k in system.linked]
        if not all(a.free or a.rigid.fixed for a in actors):
            return False
        rates, answer = system.look(self.now, self.all_courses())[3], system.answer(self.now, self.all_courses())
        speeding = np.abs(rates + answer.change.reshape(-1, 6)).max(axis=0)
        size, pull = min(a.radius for a in actors if a.free), float(np.linalg.norm(self.gravity))
        calm = speeding[:3].max() <= SLOW * pull and speeding[3:].max() * size <= SLOW * pull
        return calm and all(still(a.course, self.now, a.radius, a.gravity) for a in actors if a.free)

    def tell(self, system: System) -> None:
        """How bodies stay in contact until their present motion ends, where that has changed: what begins to move does not rest."""
        middle = (self.now + min(self.actors[k].course.until for k in system.free)) / 2.0
        _, motion, _, _ = system.look(middle, self.all_courses())
        told = {}
        for k in system.free:
            own = [c for c, kept in enumerate(system.kept) if k in kept.link.pair and not kept.loose]
            if own:
                told[k] = self._mode(k, [system.kept[c] for c in own], motion.speeds[own], middle)
        for k, mode in told.items():
            if self.modes.get(k) is not mode:
                self.rests.append(ModeChange(self.now, k, mode))
        self.modes = {k: m for k, m in self.modes.items() if k not in system.free} | told

    def _mode(self, k: int, kept: Sequence[ActiveConstraint], speeds: np.ndarray, when: float) -> ContactMode:
        slips = [(c.slip is not None and c.friction > 0.0) or np.hypot(*s[1:]) > c.still for c, s in zip(kept, speeds, strict=True)]
        if any(slips):
            return ContactMode.SLIDING
        own = self.actors[k].course.spin_at(when)
        for c in kept:
            other = self.actors[sum(c.link.pair) - k].course.spin_at(when)
            if np.linalg.norm(own - other) * self.actors[k].radius > c.still:
                return ContactMode.ROCKING if self.shape(k) is not None else ContactMode.ROLLING
        return ContactMode.REST

    def not_followed(self, key: Key, obstacle: str = "stay in contact in a way that is not followed") -> None:
        """Raises Undecided for a pair without contacts that can be followed."""
        raise Undecided(self.reason(key[:2], obstacle, _FOLLOWED))
