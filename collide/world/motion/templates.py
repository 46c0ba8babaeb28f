"""Flights as formulas of t whose numbers are parameters: one for each way to turn, whatever the states are.

So a shape is converted and compiled once for each of them, and a new state is an array of doubles.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose
from generative import Motion, Parameter, Product, Rigid, t
from generative.family import member_of
from generative.motion import quaternion_matrix
from generative.resting import Member

from ...bodies.numbers import Numbers, numbers_of
from .ballistic import Ballistic, RotationKind
from .polynomial import Polynomial
from .rotation import TERMS, TUMBLING

ONE, OTHER = "a", "b"
"""The two bodies of a pair, whose formulas have different symbols."""

_ALONG_SERIES = RotationKind.SERIES, RotationKind.PUSHED
HIGHER = 3 * (TERMS - 2)
"""Coefficients of the path of a series beyond those of a parabola."""


@dataclass(frozen=True, eq=False)
class MotionTemplate:
    """A motion with `symbols` for its numbers: start, centre, velocity, acceleration, of a series the higher coefficients; those of the
    turn; a pose (12).
    """

    motion: Motion
    symbols: tuple[Parameter, ...]


@functools.lru_cache(maxsize=64)
def formula(gait: RotationKind | None, side: str = ONE) -> MotionTemplate:
    """The formula of a gait; None: without any turn, of a ball that looks the same however it is turned."""
    made: list[Parameter] = []

    def new(name: str, count: int) -> list[Parameter]:
        made.extend(Parameter(f"{side}{name}{k}") for k in range(count))
        return made[-count:]

    (start,), centre = new("start", 1), new("centre", 3)
    tau = t - start
    velocity, acceleration = new("velocity", 3), new("acceleration", 3)
    path = [new(f"p{k}_", 3) for k in range(3, TERMS + 1)] if gait in _ALONG_SERIES else []
    place = [p + w * tau + g * tau**2 / 2 + sum(row[j] * tau**k for k, row in enumerate(path, 3))
             for j, (p, w, g) in enumerate(zip(centre, velocity, acceleration, strict=True))]
    factors = _factors(gait, tau, place, new)
    if gait not in (None, RotationKind.PUSHED):
        factors.append(Rigid._unchecked(sp.ImmutableMatrix(3, 3, new("turn", 9)), new("shift", 3)))
    return MotionTemplate(Product(*factors), tuple(made))


@functools.lru_cache(maxsize=8)
def about_centre(gait: RotationKind | None) -> tuple[Motion, tuple[Parameter, ...]]:
    """The motion in free flight of a body whose centre of mass is the origin of its coordinates, with symbols for its numbers: a time, and
    centre, velocity and acceleration then; of what turns, another time, the numbers of the turn, and the turn then (9).
    """
    made: list[Parameter] = []

    def new(name: str, count: int) -> list[Parameter]:
        made.extend(Parameter(f"{name}{k}") for k in range(count))
        return made[-count:]

    tau = t - new("begin", 1)[0]
    rows = zip(new("centre", 3), new("velocity", 3), new("acceleration", 3), strict=True)
    place = [p + w * tau + g * tau**2 / 2 for p, w, g in rows]
    factors = _factors(gait, tau if gait is None else t - new("start", 1)[0], place, new)
    if gait is not None:
        factors.append(Rigid._unchecked(sp.ImmutableMatrix(3, 3, new("turn", 9)), [0, 0, 0]))
    return Product(*factors), tuple(made)


def _factors(gait: RotationKind | None, tau: Any, place: Sequence[Any], new: Callable[[str, int], list[Parameter]]) -> list[Motion]:
    """The turn of a body in a time as factors, the first one with its place."""
    if gait in (None, RotationKind.PUSHED):
        return [Rigid._unchecked(sp.ImmutableMatrix.eye(3), place)]
    if gait is RotationKind.SERIES:
        series = [new(f"q{k}_", 4) for k in range(1, TUMBLING + 1)]
        q = [int(j == 0) + sum(row[j] * tau**k for k, row in enumerate(series, 1)) for j in range(4)]
        turns = [quaternion_matrix(q)]
    else:
        axis, (speed, rate) = new("axis", 3), new("speed", 2)
        turns = [_about(axis, speed * tau + rate * tau**2 / 2)]
        if gait is RotationKind.TOP:
            own, (second,) = new("own", 3), new("second", 1)
            turns.append(_about(own, second * tau))
    return [Rigid._unchecked(sp.ImmutableMatrix(r), place if k == 0 else [0, 0, 0]) for k, r in enumerate(turns)]


def _about(axis: Sequence[Any], angle: Any) -> Any:
    a, b, c = axis
    cross = sp.Matrix([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    return sp.eye(3) + sp.sin(angle) * cross + (1 - sp.cos(angle)) * cross * cross


def values_of(flight: Ballistic | Polynomial, middle: np.ndarray, ball: bool) -> np.ndarray:
    """The numbers of a flight as its formula takes them; `middle`: the centre of mass in the coordinates of the shape."""
    if isinstance(flight, Polynomial):
        # Twice a coefficient, and half of that, are exact.
        moved = [flight.start, *flight.centre, *flight.path[0], *(2.0 * flight.path[1]), *flight.path[2:].ravel()]
        turning = np.concatenate([flight.turning.ravel(), np.zeros(4 * (TUMBLING - TERMS))])
    else:
        moved, turning = [flight.start, *flight.centre, *flight.velocity, *flight.acceleration], flight.numbers
        moved += [0.0] * (HIGHER if flight.gait is RotationKind.SERIES and not ball else 0)
    if ball:
        return np.array(moved)
    return np.array([*moved, *turning, *flight.turn.ravel(), *(-flight.turn @ middle)])


def motion_of(flight: Ballistic | Polynomial, middle: np.ndarray) -> Motion:
    """The motion of the shape, with exact numbers in the formula."""
    own = formula(flight.gait)
    known = dict(zip(own.symbols, map(sp.Rational, values_of(flight, middle, False).tolist()), strict=True))
    return own.motion.changed(lambda e: e.xreplace(known))


@dataclass(frozen=True, eq=False)
class QueryBody:
    """A body of a query: that of its family, its numbers, and, for either side of a pair, what tells whether two bodies move alike."""

    body: Any
    numbers: Numbers
    carried: Mapping[str, Any]


class Template:
    """A shape that moves by a formula, as a member of a family. `places`: which number of the formula each of the member's is, -1 for those
    of the shape, which are `exact`, None for others.
    """

    def __init__(self, shape: Any, middle: np.ndarray, gait: RotationKind | None) -> None:
        centred = shape
        if gait in (None, RotationKind.PUSHED) and middle.any():
            centred = shape.moved(Rigid(translation=[-sp.Rational(e) for e in middle.tolist()]))
        self.carried = {side: centred.moved(formula(gait, side).motion) for side in (ONE, OTHER)}
        self.member = member_of(self.carried[ONE])
        number = {s: k for k, s in enumerate(formula(gait).symbols)}
        self.places = np.array([number.get(e, -1) for e in self.member.numbers], np.int64)
        self.exact = [None if e in number else e for e in self.member.numbers]
        self._known = np.array([(0.0, 0.0) if e in number else enclose(e) for e in self.member.numbers]).reshape(-1, 2)

    def moving(self, values: np.ndarray) -> QueryBody:
        """With the numbers (n,) of a flight, or enclosures (n, 2) of them."""
        own = values[self.places] if values.ndim > 1 else values[self.places, None]
        intervals = np.where(self.places[:, None] < 0, self._known, own)
        return QueryBody(self.member.body, Numbers(self.member.symbols, self.exact, intervals), self.carried)


def placed(body: Any) -> QueryBody:
    """A body that has all its numbers."""
    member: Member = member_of(body)
    return QueryBody(member.body, numbers_of(member), {ONE: body, OTHER: body})
