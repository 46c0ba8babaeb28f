"""First touch of a ball in free flight and its surroundings.

Flights are parabolas whose numbers are balls of Arb's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from ..arithmetic.first_root import Unclear, first_fall, value
from ..motion.ballistic import Parabola
from .sphere_obstacles import Obstacle


@dataclass(frozen=True, eq=False)
class Gap:
    """The square of the distance of a moving ball from an obstacle, less that of the radii, as a polynomial of the time since `start`.
    `path` (3, 3): the coefficients of the centre against the origin of the obstacle.
    """

    start: Any
    polynomial: list[Any]
    path: np.ndarray
    obstacle: Obstacle

    def over(self, tau: Any) -> bool:
        """Whether the obstacle's own part is nearest, at a time. Raises Unclear."""
        at = self.path[0] + tau * (self.path[1] + tau * self.path[2]) + self.obstacle.origin
        beyond = [normal @ at - level for normal, level in self.obstacle.sides]
        if any(e < 0 for e in beyond):
            return False
        if all(e > 0 for e in beyond):
            return True
        raise Unclear(tau)


def gap(ball: Parabola, radius: Any, obstacle: Obstacle) -> Gap:
    path = np.array([ball.centre - obstacle.origin, ball.velocity, ball.acceleration / 2])
    p, q, r = (obstacle.across @ e for e in path)
    far = radius + obstacle.radius
    return Gap(ball.start, [p @ p - far * far, 2 * (p @ q), q @ q + 2 * (p @ r), 2 * (q @ r), r @ r], path, obstacle)


def first_hit(g: Gap, parting: bool, end: Any) -> Any:
    """The first time from `start` on at which the ball touches the obstacle, since then; None if it does not up to `end`, since then. If
    they are `parting` they touch at the start. Raises Unclear, with the time since then; and ValueError if they overlap.
    """
    p = g.polynomial[1:] if parting else g.polynomial
    at = arb(0)
    if parting and not p[0] > 0:
        raise Unclear(at)
    if not parting and p[0] < 0 and g.over(at):
        raise ValueError
    while True:
        if value(p, at) < 0:
            # It is beside what belongs to the obstacle, and comes over it only by way of an edge.
            out = first_fall([-c for c in p], at, end)
            if out is None:
                return None
            at = out[1]
        hit = first_fall(p, at, end)
        if hit is None or g.over(hit[0]):
            return None if hit is None else hit[0]
        at = hit[1]


def together(g: Gap) -> tuple[Any, Any] | None:
    """A time, since the start, before which two balls do not touch or overlap, and one from which on they never do, None if none is known;
    None if they never do.
    """
    p, outside = g.polynomial, [-c for c in g.polynomial]
    begin = at = arb(0)
    try:
        if p[0] > 0:
            hit = first_fall(p, at, None)
            if hit is None:
                return None
            begin, at = hit[0].lower(), hit[1]
        out = first_fall(outside, at, None) if value(p, at) < 0 else None
        return begin, out[1] if out is not None and first_fall(p, out[1], None) is None else None
    except Unclear:
        return begin, None
