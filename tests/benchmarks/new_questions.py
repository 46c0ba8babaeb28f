"""Questions about bodies with new numbers, and the same questions again: see the benchmark `questions`, which runs this file by its path.

    python new_questions.py KIND QUESTION WAY WARM

asks one question for each line of its input, and prints milliseconds of the processor for construction, for the question, and for the same
bodies again, and the status. It needs nothing but the packages that are measured, so another build can be put in their place.
"""

import functools
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import Chain, ParametricSurface, Rigid, axis_angle, primitives, revolute, solids, t, u, v
from generative.curve import Curve

SPAN = (0, 4)
# Seconds of the processor after which questions are measured, whatever is new yet.
WARMING = 40.0
_TURN, _HALF = (0, 2 * sp.pi), (-sp.pi / 2, sp.pi / 2)
_ROUND = [sp.Rational(1, 4), sp.Rational(3, 10), sp.Rational(1, 3), sp.Rational(3, 8), sp.Rational(2, 5)]


class Draw(random.Random):
    """Exact numbers of three digits, and each third question's sizes among those that people write."""

    count = 0

    def size(self, low: float, high: float) -> Any:
        fits = [e for e in _ROUND if low <= e <= high]
        return self.choice(fits) if self.count % 3 == 2 and fits else self.number(low, high)

    def number(self, low: float, high: float) -> Any:
        return sp.Rational(round(1000 * self.uniform(low, high)), 1000)


def torus(minor: Any) -> Any:
    ring = 1 + minor * sp.cos(v)
    return ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), minor * sp.sin(v)], {u: _TURN, v: _TURN})


def ellipsoid(a: Any, b: Any, c: Any) -> Any:
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)], {u: _TURN, v: _HALF})


def can(radius: Any, height: Any) -> Any:
    return solids.extruded(Curve([radius * sp.cos(u), radius * sp.sin(u), 0], _TURN), [0, 0, height])


SHAPES: dict[str, tuple[Callable[..., Any], list[tuple[float, float]]]] = {
    "tori": (torus, [(0.2, 0.4)]), "ellipsoids": (ellipsoid, [(0.3, 1)] * 3), "cans": (can, [(0.2, 0.4), (0.3, 1)]),
    "capsules": (solids.capsule, [(0.2, 0.4), (0.3, 1)]), "blocks": (lambda *sizes: primitives.block(sizes), [(0.2, 1)] * 3),
}
"""Shapes by the numbers that they are made of, and the ranges of these."""


def pair(kinds: tuple[str, str], way: str, draw: Draw) -> Callable[[], list[Any]]:
    """Two bodies, of which one turns in some way, and comes down to the other: their numbers are drawn, not yet made bodies."""
    shift = draw.number(-0.3, 0.3), draw.number(-0.3, 0.3)
    axis, angle = [draw.number(-1, 1), draw.number(-1, 1), sp.Integer(1)], draw.number(0, 3)
    shapes, ranges = zip(*(SHAPES[kind] for kind in kinds), strict=True)
    sizes = [[draw.size(*ends) for ends in own] for own in ranges]

    def made() -> list[Any]:
        first, second = (shape(*own) for shape, own in zip(shapes, sizes, strict=True))
        if way == "formula":
            return [first.moved(Rigid(rotation=axis_angle(axis, angle), translation=[*shift, 5 - t])), second]
        return [first.placed(turn, [*map(float, shift), 0.0], normalize=True).moved(Rigid(translation=[0, 0, 5 - t])), second]

    unit = np.array(axis, float)
    turn = [float(np.cos(float(angle) / 2)), *(float(np.sin(float(angle) / 2)) * unit / np.linalg.norm(unit))]
    return made


def arm(_: str, draw: Draw) -> list[Any]:
    """Six capsules in a row that bend sideways beside a post, which they come near in about half of the questions."""
    capsule = solids.capsule(sp.Rational(1, 16), sp.Rational(3, 8))
    links: dict[str, Any] = {"base": []} | {f"link {k}": capsule for k in range(6)}
    up = Rigid(translation=[0, 0, sp.Rational(1, 2)])
    joints = [revolute(f"q{k}", f"link {k - 1}" if k else "base", f"link {k}", axis=[(1, 0, 0), (0, 1, 0)][k % 2],
                       **({"origin": up} if k else {})) for k in range(6)]
    values = {f"q{k}": draw.number(-0.4, 0.4) + draw.number(-0.2, 0.2) * t for k in range(6)}
    post = solids.capsule(sp.Rational(1, 10), 3).moved(Rigid(translation=[draw.size(0.3, 1), draw.number(-1, 1), 0]))
    return [*Chain(links, joints).at(values), post]


def drawn(kind: str, way: str, draw: Draw) -> Callable[[], list[Any]]:
    """The bodies of the next question, to be made."""
    draw.count += 1
    return functools.partial(arm, way, draw) if kind == "arm of six and a post" else pair((kind, kind), way, draw)


def question(name: str) -> Callable[[list[Any]], Any]:
    def contact(bodies: list[Any]) -> Any:
        return collide.first_contact(bodies, SPAN, ignore=[(k, k + 1) for k in range(5)] if len(bodies) > 2 else ())

    return contact if name == "first_contact" else lambda bodies: collide.distance(*bodies, at=0)


def main(kind: str, asked: str, way: str, warm: int) -> None:
    draw, ask, ready = Draw(5), question(asked), time.process_time() + WARMING
    for _ in range(warm):
        bodies = drawn(kind, way, draw)()
        ask(bodies), ask(bodies)
        if time.process_time() > ready:
            break
    print("ready", flush=True)
    for _ in sys.stdin:
        make = drawn(kind, way, draw)
        begin = time.process_time()
        bodies = make()
        made = time.process_time()
        answer = ask(bodies)
        new, times = time.process_time(), []
        for _ in range(3):
            start = time.process_time()
            ask(bodies)
            times.append(time.process_time() - start)
        print(*(1e3 * e for e in (made - begin, new - made, sorted(times)[1])), answer.status.name, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4], int(sys.argv[4]))  # type: ignore[arg-type]
