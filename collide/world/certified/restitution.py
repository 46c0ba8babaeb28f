"""Response to an impact: Newton's restitution at one place of two bodies, without friction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb

from .motion.ballistic import Flight
from .motion.body import CertifiedBody
from .next_contact import Hit


@dataclass(frozen=True, eq=False)
class CertifiedTouch:
    """Touch of two bodies, with their flights from then on as they are without the hit, at a `point` (3,); the unit `normal` (3,) is from
    the first to the second.
    """

    bodies: Sequence[CertifiedBody]
    flights: Sequence[Flight]
    point: np.ndarray
    normal: np.ndarray

    @classmethod
    def of(cls, hit: Hit, pair: tuple[int, int], bodies: Sequence[CertifiedBody], flights: Sequence[Flight]) -> "CertifiedTouch":
        if hit.contact is not None:
            return cls(bodies, flights, hit.contact.point, _unit(hit.contact.normal))
        assert hit.gap is not None
        # From what is touched to the ball, at right angles to the surfaces.
        g, tau, first = hit.gap, hit.time - hit.gap.start, int(not bodies[0].rigid.free)
        normal = _unit(g.obstacle.across @ (g.path[0] + tau * (g.path[1] + tau * g.path[2])))
        point = flights[first].centre - bodies[first].ball * normal
        return cls(bodies, flights, point, normal if first else -normal)

    def impulse(self, restitution: Any) -> Any:
        """Its size: on the second body along the normal, on the first against it."""
        closing = mobility = arb(0)
        for body, flight, sign in zip(self.bodies, self.flights, (1, -1), strict=True):
            if body.rigid.free:
                arm = _arm(body, flight, self.point, self.normal)
                closing += sign * (self.normal @ flight.velocity)
                mobility += body.mobility
                if arm is not None:
                    closing += sign * (arm @ flight.spin_at(flight.start))
                    mobility += arm @ flight.mobility_at(flight.start) @ arm
        return (1 + restitution) * closing / mobility


def pushed(body: CertifiedBody, flight: Flight, point: np.ndarray, impulse: np.ndarray) -> Flight:
    """The flight after an impulse at a point."""
    arm = _arm(body, flight, point, impulse)
    return replace(flight, velocity=flight.velocity + body.mobility * impulse,
                   momentum=flight.momentum if arm is None else flight.momentum + arm)


def _arm(body: CertifiedBody, flight: Flight, point: np.ndarray, along: np.ndarray) -> np.ndarray | None:
    """The moment about the centre of something at a point; None of balls, whose centre it meets."""
    return None if body.ball is not None else np.asarray(np.cross(point - flight.centre, along))


def _unit(normal: np.ndarray) -> np.ndarray:
    return np.asarray(normal / (normal @ normal).sqrt())
