"""Random motions: bodies that start apart and come together, most of them turning."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from generative import Rigid, axis_angle, t

from .shapes import Draw

FAR = 4
"""Middles of bodies are so far apart at the start, at least."""


def turning(d: Draw) -> Any:
    """A rotation, at rest or moving."""
    w, w0 = d.number(-2, 2), d.number(-3, 3)
    return d.choice([
        lambda: None,
        lambda: axis_angle([d.randint(1, 3), d.randint(-3, 3), d.randint(-3, 3)], w * t + w0),
        lambda: axis_angle([0, 0, 1], w * t + w0),
        lambda: [1, *(e + f * t for e, f in zip(d.vector(2), d.vector(1), strict=True))],
    ])()


def towards(d: Draw, body: Any, start: Sequence[Any], speed: float = 1.8) -> Any:
    """The body turning and moving from `start` towards about the origin and past it, mostly with an acceleration."""
    push = d.vector(0.7) if d.random() < 0.6 else [0, 0, 0]
    pace = d.number(0.8 * speed, speed)
    path = [s - pace * t * (s + e) + p * t**2 for s, e, p in zip(start, d.vector(0.6), push, strict=True)]
    return body.moved(Rigid(rotation=turning(d), translation=path))


def about(d: Draw, body: Any) -> Any:
    """The body turning near the origin, or at rest there."""
    drift = [e * t for e in d.vector(0.3)] if d.random() < 0.5 else [0, 0, 0]
    return body.moved(Rigid(rotation=turning(d), translation=drift))


def away(d: Draw) -> list[Any]:
    """A point FAR from the origin, in a random direction."""
    while True:
        p = d.vector(1)
        size = sp.sqrt(sum(e**2 for e in p))
        if 0.3 < size < 1:
            factor = sp.Rational(round(float(FAR / size) * 64), 64)
            return [factor * e for e in p]
