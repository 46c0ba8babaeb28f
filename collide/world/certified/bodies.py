"""A body as a certified run sees it: its exact mass properties, how it looks to a search, and its flight at the start."""

import functools
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from ..actor import Actor
from ..exact_mass import ExactMass, exact_mass_properties
from ..flight import Gait
from ..flight import Inertia as Rounded
from ..formulas import Moving, Template
from ..outline import exact_ball
from ..rigid_body import RigidBody
from .enclosures import above, below, matrix, number, vector
from .flights import BALL, Flight, Inertia, at_double, flight
from .obstacles import Obstacle, obstacles_of

_GAITS = {"ball": None, "spin": Gait.SPIN, "top": Gait.TOP}


class Body:
    """`centre` (3,): that of mass, at the start; `middle` (3,): the same in the coordinates of the shape; `ball`: the radius of a ball,
    else None; `obstacles`: of a fixed body that is a ball or has flat faces of four sides, these; `mobility`: the inverse of the mass, 0
    of what is fixed; `reach`: of a ball about the centre that holds the body; `size`, about that.

    Its numbers are the doubles that the RigidBody has, its mass among them. But a centre and an inertia that are not given are exactly
    those of the shape, of what seems to be a body of revolution, where its integrals are known in closed form.
    """

    def __init__(self, actor: Actor) -> None:
        self.actor, self.rigid = actor, actor.rigid
        self.obstacles: list[Obstacle] | None = obstacles_of(self.rigid) if self.rigid.fixed else None
        ball = self._round() if self.rigid.free else None
        found = _integrals(self.rigid) if ball is None and self.rigid.free else None
        own = self.rigid.centre.tolist() if found is None or self.rigid.given[0] else found.centre
        self.middle = vector(own if ball is None else ball[0])
        self.ball = None if ball is None else number(ball[1]).sqrt()
        self.mobility = 1 / number(self.rigid.mass) if self.rigid.free else arb(0)
        self.inertia = _inertia(self.rigid, ball is not None, found) if self.rigid.free else BALL
        self.centre = matrix(vector(self.rigid.orientation.tolist())) @ self.middle + vector(self.rigid.position.tolist())
        off = self.middle - vector(actor.middle.tolist())
        self.size = actor.radius
        self.reach = number(actor.radius) + sum(abs(e) for e in off) if self.ball is None else self.ball
        # The centre that its template for balls knows is a double.
        self._centred = self.ball is not None and all(e.is_zero() for e in off)

    def _round(self) -> Any:
        a, b, c = self.actor.middle.tolist()
        return exact_ball(self.rigid.shape, (a, b, c))

    def begun(self, start: float, gravity: np.ndarray) -> Flight:
        """The flight from the start of a run on."""
        turn = vector(self.rigid.orientation.tolist())
        turn = turn / (turn @ turn).sqrt()
        velocity, spin = (vector(e.tolist()) for e in (self.rigid.velocity, self.rigid.spin))
        return flight(number(start), self.centre, velocity, vector(gravity.tolist()), turn, spin, self.inertia)

    def seen(self, state: Flight, backward: bool = False) -> tuple[Moving, dict[Any, Any]]:
        """The body of a query, whose numbers enclose those of its flight, and balls that do, by their symbols; `backward`: in the time -t.
        """
        if not self.rigid.free:
            moving = self.actor.moving
            return moving, {s: number(e) for s, e in moving.numbers.pairs}
        state = at_double(state)
        # One formula for all flights of a body of revolution, lest kernels be made for two.
        gait = "ball" if self._centred else "spin" if self.inertia.axis in (None, -1) else "top"
        a, b, c = self.actor.middle.tolist()
        template, known = _template(self.rigid.shape, (a, b, c), gait), (state.backward() if backward else state).numbers(self.middle, gait)
        balls = [number(e) if k < 0 else known[k] for k, e in zip(template.places.tolist(), template.exact, strict=True)]
        return template.moving(np.array([(below(e), above(e)) for e in known])), dict(zip(template.member.symbols, balls, strict=True))

    def position(self, state: Flight, time: Any) -> np.ndarray:
        """Where the origin of the shape's coordinates is."""
        return np.asarray(state.at(time) - matrix(state.turn_at(time)) @ self.middle)


@functools.lru_cache(maxsize=256)
def _template(shape: Any, middle: tuple[float, float, float], gait: str) -> Template:
    return Template(shape, np.array(middle), _GAITS[gait])


@functools.lru_cache(maxsize=256)
def _exact(shape: Any) -> ExactMass | None:
    try:
        return exact_mass_properties(shape)
    except ValueError:
        return None


def _integrals(rigid: RigidBody) -> ExactMass | None:
    """Exact mass properties, where they are wanted: of what seems to be a body of revolution, which doubles would not tell."""
    inside = Rounded(rigid.inertia if rigid.free else np.eye(3))
    return _exact(rigid.shape) if not all(rigid.given) and (inside.spherical or inside.axis is not None) else None


def _inertia(rigid: RigidBody, ball: bool, found: ExactMass | None) -> Inertia:
    """By exact numbers, which tell what kind it is."""
    if ball and not rigid.given[1]:
        return BALL
    exact = sp.Matrix(rigid.inertia.tolist()).applyfunc(sp.Rational) if found is None or rigid.given[1] else found.inertia * (
        sp.Rational(rigid.mass) / found.volume)
    inside = vector(exact).reshape(3, 3)
    return Inertia(inside, _inverse(inside), _axis(exact))


def _axis(exact: Any) -> int | None:
    """That about which an inertia is the same all round; -1 if about all."""
    if any(sp.expand(exact[i, j]) != 0 for i in range(3) for j in range(i)):
        return None
    same = [sp.expand(exact[k - 1, k - 1] - exact[k - 2, k - 2]) == 0 for k in range(3)]
    return -1 if all(same) else same.index(True) if any(same) else None


def _inverse(m: np.ndarray) -> np.ndarray:
    """Of a positive matrix (3, 3): by its cofactors, which rows and columns that are 0 but for one number leave so."""
    across = np.array([np.cross(m[1], m[2]), np.cross(m[2], m[0]), np.cross(m[0], m[1])]).T
    return np.asarray(across / (m[0] @ across[:, 0]))
