"""Members of one family, with special numbers beside general ones: what is asked of each must not depend on those that were asked before.

Sizes are 1/2, 1/3, 3/4, 1, 2, roots, parts of pi and numbers of three digits; two of them may be equal, or differ by 2^-40. Bodies stand
along coordinates, or at any angle. Each question is asked after the others of its family, and as the first one, with nothing kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

import collide
from codegen.remembered import forget
from generative import ParametricSurface, Rigid, axis_angle, primitives, solids, t, u, v
from generative.curve import Curve

from .shapes import TURN, Draw

QUESTIONS, SPAN = 4, (0, 4)
_HALF = sp.Rational(1, 2)
_SIZES = (_HALF, sp.Rational(1, 3), sp.Rational(3, 4), sp.Integer(1), sp.Integer(2), sp.sqrt(2) / 2, sp.pi / 4, sp.sqrt(3) / 3)
_ANGLES = (sp.Integer(0), sp.pi / 2, sp.pi, sp.pi / 3, sp.Integer(1), _HALF)
_AXES = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 1, 0), (1, 1, 1), (0, -1, 2))


def size(d: Draw, others: list[Any]) -> Any:
    """A number of a shape: special, general, or that of the others, up to 2^-40."""
    choice = d.random()
    if others and choice < 0.25:
        return d.choice(others) + d.choice([0, 0, 1, -1]) * sp.Rational(1, 2**40)
    return d.choice(_SIZES) if choice < 0.65 else sp.Rational(d.randint(200, 999), 1000)


def sizes(d: Draw, count: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(count):
        found.append(size(d, found))
    return found


def ellipsoid(d: Draw) -> Any:
    a, b, c = sizes(d, 3)
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)], {u: TURN, v: (-sp.pi / 2, sp.pi / 2)})


def torus(d: Draw) -> Any:
    ring, tube = sizes(d, 2)
    round_ = ring + tube / 2 * sp.cos(v)
    return ParametricSurface([round_ * sp.cos(u), round_ * sp.sin(u), tube / 2 * sp.sin(v)], {u: TURN, v: TURN})


def wheel(d: Draw) -> Any:
    """With as many teeth as a frequency says, half of it along half of a turn too little, or all of it."""
    teeth, part = d.choice([2, 3, sp.Rational(3, 2), sp.Rational(5, 2)]), d.choice([1, _HALF, 2])
    a, b = sizes(d, 2)
    rim = a + b / 8 * sp.cos(teeth * u)
    return ParametricSurface([rim * sp.cos(u), rim * sp.sin(u), v], {u: (0, 2 * sp.pi * part), v: (0, b)})


def cone(d: Draw) -> Any:
    """With a tip, which is a pole, or cut off a little or much above it."""
    a, b = sizes(d, 2)
    low = d.choice([sp.Integer(0), sp.Integer(0), sp.Rational(1, 2**40), b / 2])
    return ParametricSurface([a * v * sp.cos(u), a * v * sp.sin(u), v], {u: TURN, v: (low, b)})


def can(d: Draw) -> Any:
    radius, height = sizes(d, 2)
    return solids.extruded(Curve([radius * sp.cos(u), radius * sp.sin(u), 0], TURN), [0, 0, height])


def lens(d: Draw) -> Any:
    return primitives.ball(size(d, [])) & primitives.ball(size(d, []), (0, 0, size(d, [])))


FAMILIES: dict[str, Callable[[Draw], Any]] = {
    "ellipsoids": ellipsoid, "tori": torus, "wheels": wheel, "cones": cone, "cans": can, "lenses": lens,
    "capsules": lambda d: solids.capsule(*sizes(d, 2)), "blocks": lambda d: primitives.block(sizes(d, 3)),
    "boxes": lambda d: solids.rounded_box([e + 1 for e in sizes(d, 3)], size(d, []) / 4),
}
KINDS = tuple(f"members_{name}" for name in FAMILIES)


@dataclass(frozen=True)
class Members:
    """Pairs of bodies of a family, of which the first one comes down onto the other."""

    kind: str
    seed: int
    pairs: tuple[tuple[Any, Any], ...]

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.seed}"


def members(kind: str, seed: int) -> Members:
    d, made = Draw(f"{kind}:{seed}"), list[tuple[Any, Any]]()
    make = FAMILIES[kind.removeprefix("members_")]
    for _ in range(QUESTIONS):
        axis = d.choice(_AXES) if d.random() < 0.6 else (sp.Rational(d.randint(-99, 99), 100), d.choice([0, _HALF, 1]), 1)
        angle = d.choice(_ANGLES) if d.random() < 0.6 else sp.Rational(d.randint(1, 3000), 1000)
        place = [d.choice([sp.Integer(0), sp.Rational(d.randint(-300, 300), 1000)]) for _ in range(2)]
        motion = Rigid(rotation=axis_angle(axis, angle), translation=[*place, 6 - d.choice([1, 2, _HALF]) * t])
        made.append((make(d).moved(motion), make(d)))
    return Members(kind, seed, tuple(made))


@dataclass(frozen=True)
class Told:
    """A status, and where a number is: the time of contact, or a distance."""

    status: str
    bracket: tuple[float, float]

    def agrees(self, other: "Told") -> bool:
        """Do brackets overlap? Statuses may differ where one of them says less."""
        return self.bracket[0] <= other.bracket[1] and other.bracket[0] <= self.bracket[1]


def answers(pair: tuple[Any, Any], budget: float) -> tuple[Told, Told]:
    met = collide.first_contact(list(pair), SPAN, budget=budget)
    near = collide.distance(*pair, at=0, budget=budget)
    return (Told(met.status.name, (met.clear_until, met.time.hi if met.status is collide.Status.CONTACT and met.time else float("inf"))),
            Told(near.status.name, (near.bracket.lo, near.bracket.hi)))


def wrong(kind: str, seed: int, budget: float) -> list[str]:
    """Where a question is answered otherwise after others than with nothing kept."""
    pairs = members(kind, seed).pairs
    warm = [answers(pair, budget) for pair in pairs]
    found = []
    for k, (pair, known) in enumerate(zip(pairs, warm, strict=True)):
        forget()
        for after, first in zip(known, answers(pair, budget), strict=True):
            if not after.agrees(first) or (after.status != first.status and "BUDGET_SPENT" not in (after.status, first.status)):
                found.append(f"pair {k} after others: {after}, and with nothing kept: {first}")
    return found
