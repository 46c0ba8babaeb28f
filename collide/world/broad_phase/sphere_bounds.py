"""Lower bounds on the time of impact that ignore rotation: bounding sphere against sphere, or against the box of a fixed body.

Series of bodies that tumble end sooner than that may be, and begin anew without a change of the paths of their centres. So more is asked
for than is wanted at once, and kept.
"""

import math

import numpy as np

from ...culling.broad_phase import Window
from ..journal import Undoable
from ..motion.moving_body import MovingBody
from .boxes import not_before, not_before_box

# So many times as long as is wanted. Effort only.
_AHEAD = 16.0


class Far:
    """Records of pairs: the time until which they are apart, and the `way` of either by which they are."""

    def __init__(self) -> None:
        self.known: Undoable[tuple[int, int], tuple[float, tuple[int, int]]] = Undoable()

    def beyond(self, pair: tuple[int, ...], actors: tuple[MovingBody, MovingBody], time: float) -> bool:
        """Whether it is kept that two bodies are apart up to a time."""
        until, known = self.known.get((pair[0], pair[1]), (-math.inf, None))
        return until >= time and known == (actors[0].way, actors[1].way)

    def until(self, pair: tuple[int, int], actors: tuple[MovingBody, MovingBody], box: tuple[np.ndarray, np.ndarray] | None,
              window: Window) -> float:
        """A time of the window before which two bodies that fly are apart; its beginning if none is found. `box`: of one that is fixed."""
        one, other = actors
        ways = one.way, other.way
        until, known = self.known.get(pair, (window[0], None))
        if known != ways or until < window[1]:
            later = window[0] + _AHEAD * (window[1] - window[0]) if window[1] < math.inf else math.inf
            if box is None:
                until = not_before(one.course, other.course, (window[0], later), one.radius + other.radius)
            else:
                free = other if one.rigid.fixed else one
                until = not_before_box(free.course, *box, (window[0], later), free.radius)
            self.known[pair] = until, ways
        return min(until, window[1])


def move_alike(one: MovingBody, other: MovingBody, time: float) -> bool:
    """Whether two bodies have one velocity and acceleration, and no spin that matters."""
    if not (one.course.ballistic and other.course.ballistic):
        return False
    first, second = one.course, other.course
    same = first.at(time)[1] == second.at(time)[1] and first.floats[2] == second.floats[2]
    return same and all(a.ball is not None or not a.course.spin.any() for a in (one, other))
