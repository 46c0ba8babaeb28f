"""A body as a certified run sees it: its exact mass properties, how it looks to a search, and its flight at the start."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from ...mass.exact import ExactMass, exact_mass_properties
from ...motion.ballistic import RotationKind
from ...motion.moving_body import MovingBody
from ...motion.rotation import TUMBLING
from ...motion.state import Inertia as Rounded
from ...motion.templates import HIGHER, QueryBody, Template, formula, placed
from ...rigid_body import RigidBody
from ...shapes.simple import exact_ball, reach
from ...solids.solid_of_revolution import turned_of, turns_exactly
from ..arithmetic.enclosures import above, below, matrix, number, vector
from ..arithmetic.krawczyk import Numbers
from ..narrow_phase.convex_pieces import pieces
from ..narrow_phase.facets import ConvexForm, form_of, form_of_ball
from ..narrow_phase.polyhedron import polyhedron_of
from ..narrow_phase.sphere_obstacles import Obstacle, obstacles_of
from .ballistic import BALL, NONE, CertifiedInertia, Flight, axis_of, flight

# What the last term of a series may be for the kernels of a search: effort only.
_REMAINDER = 2.0**-24


@dataclass(frozen=True, eq=False)
class QueriedBody:
    """A body of a query, whose intervals hold the numbers of its flight `until` a time. At a time, a ball: its `numbers` as a `System`
    takes them, and the `velocity` (3,) of its point (3,).
    """

    moving: QueryBody
    numbers: Numbers
    velocity: Callable[[np.ndarray, Any], np.ndarray]
    until: float


class CertifiedBody:
    """`centre` (3,): that of mass, at the start; `middle` (3,): the same in the coordinates of the shape; `ball`: the radius of a ball,
    else None; `obstacles`: of a fixed body that is a ball or has flat faces of four sides, these; `mobility`: the inverse of the mass, 0
    of what is fixed; `reach`: of a ball about the centre that holds the body; `size`, about that; `form`: of a ball, or flat faces.

    Its numbers are the doubles that the RigidBody has, its mass among them. But a centre and an inertia that are not given are exactly
    those of the shape, of what seems to be a body of revolution, where its integrals are known in closed form.
    """

    def __init__(self, actor: MovingBody) -> None:
        self.actor, self.rigid = actor, actor.rigid
        self.obstacles: list[Obstacle] | None = obstacles_of(self.rigid) if self.rigid.fixed else None
        about = self._round()
        ball = about if self.rigid.free else None
        found = _integrals(self.rigid) if ball is None and self.rigid.free else None
        own = self.rigid.centre.tolist() if found is None or self.rigid.given[0] else found.centre
        self.middle = vector(own if ball is None else ball[0])
        self.ball = None if ball is None else number(ball[1]).sqrt()
        self.mobility = 1 / number(self.rigid.mass) if self.rigid.free else arb(0)
        self.inertia = _inertia(self.rigid, ball is not None, found) if self.rigid.free else BALL
        self.centre = matrix(vector(self.rigid.orientation.tolist())) @ self.middle + vector(self.rigid.position.tolist())
        off = self.middle - vector(actor.middle.tolist())
        # A solid that is the same only but for roundings is none of which anything is proved.
        same = turned_of(self.rigid.shape) is None or turns_exactly(self.rigid.shape)
        self.shape = self.rigid.outline if same else self.rigid.shape
        self.size = reach(self.shape, tuple(actor.middle.tolist()))
        self.reach = number(self.size) + sum(abs(e) for e in off) if self.ball is None else self.ball
        self.form = self._form() if about is None else form_of_ball(vector(about[0]) - self.middle, number(about[1]).sqrt())
        # The centre that its template for balls knows is a double.
        self._centred = self.ball is not None and all(e.is_zero() for e in off)

    def _round(self) -> Any:
        a, b, c = self.actor.middle.tolist()
        return exact_ball(self.rigid.shape, (a, b, c))

    @functools.cached_property
    def pieces(self) -> list[ConvexForm]:
        """Convex ones that are all of its surface; none if these are not known."""
        flat = polyhedron_of(self.shape) if self.ball is None else None
        return [form_of(piece, self.middle) for piece in pieces(flat)] if flat is not None else []

    def _form(self) -> ConvexForm | None:
        flat = polyhedron_of(self.shape)
        return None if flat is None else form_of(flat, self.middle)

    def begun(self, start: float, gravity: np.ndarray) -> Flight:
        """The flight from the start of a run on."""
        turn = vector(self.rigid.orientation.tolist())
        turn = turn / (turn @ turn).sqrt()
        velocity, spin = (vector(e.tolist()) for e in (self.rigid.velocity, self.rigid.spin))
        return flight(number(start), self.centre, velocity, vector(gravity.tolist()), turn, spin, self.inertia)

    def seen(self, state: Flight, begin: float, backward: bool = False) -> "QueriedBody":
        """The body of a query from a time on; `backward`: in the time -t."""
        if not self.rigid.free:
            rigid = self.rigid
            moving = self.actor.moving if self.shape is rigid.outline else placed(
                self.shape.placed(rigid.orientation, rigid.position, normalize=True))
            still = [(number(e), None) for _, e in moving.numbers.pairs]
            return QueriedBody(moving, lambda time: still, lambda point, time: NONE, math.inf)
        # Poses come from the flight as it is given, which knows its series.
        sign, whole = -1 if backward else 1, state
        state = (state.since(number(-begin)).backward() if backward else state.since(number(begin)))
        a, b, c = self.actor.middle.tolist()
        template = _template(self.shape, (a, b, c), self._gait)
        enclosed, until = self._numbers(state)
        moving = template.moving(np.array([(below(e), above(e)) for e in enclosed]))
        places, shape = template.places.tolist(), [None if e is None else (number(e), None) for e in template.exact]

        def numbers(time: Any) -> list[Any]:
            own = self._pose(whole, sign * time, sign)
            return [known if k < 0 else own[k] for k, known in zip(places, shape, strict=True)]

        return QueriedBody(moving, numbers, lambda point, time: sign * _velocity(whole, point, sign * time), until)

    @property
    def _gait(self) -> RotationKind | None:
        """One formula for all flights of a body, lest kernels be made for several."""
        if self._centred:
            return None
        return RotationKind.SERIES if self.inertia.axis is None else RotationKind.SPIN if self.inertia.axis == -1 else RotationKind.TOP

    def _numbers(self, state: Flight) -> tuple[list[Any], float]:
        """The numbers that the `formula` of a gait takes, and the time until which they hold.

        Of a series the last one holds a number for each time that gives the turn then. So what is excluded at that time for all numbers in
        it is excluded.
        """
        moved = [state.start, *state.centre, *state.velocity, *state.acceleration]
        if self._centred:
            return moved, math.inf
        pose, until = [*state.placed.ravel(), *(-state.placed @ self.middle)], math.inf
        if self.inertia.axis is None:
            higher, turning = [arb(0)] * HIGHER, [arb(0)] * 4 * TUMBLING
            if state.tumbling is not None:
                rows, step = state.tumbling.series(state.tumbling.own, TUMBLING, _REMAINDER)
                turning = [e for row in rows[1:] for e in (row[3], *(state.placed @ row[4:]))]
                until = below(state.start + step)
            return [*moved, *higher, *turning, *pose], until
        (first, size), (own, second) = (axis_of(rate) for rate in state.rates)
        return [*moved, *first, size, arb(0), *([] if self.inertia.axis == -1 else [*own, second]), *pose], until

    def _pose(self, state: Flight, time: Any, sign: int) -> list[Any]:
        """Numbers for the same formula with which nothing moves, each with its derivative by the time, or (`sign` -1) by -t."""
        still = (arb(0), None)
        moved = [still, *zip(state.at(time), sign * state.velocity_at(time), strict=True), *[still] * 6]
        if self._centred:
            return moved
        turn, spin = matrix(state.turn_at(time)), sign * state.spin_at(time)
        turning = np.cross(spin, turn.T).T
        shift, shifting = -turn @ self.middle, -turning @ self.middle
        count = len(formula(self._gait).symbols) - len(moved) - 12
        return [*moved, *[still] * count, *zip(turn.ravel(), turning.ravel(), strict=True), *zip(shift, shifting, strict=True)]

    def position(self, state: Flight, time: Any) -> np.ndarray:
        """The position of the origin of the shape's coordinates."""
        return np.asarray(state.at(time) - matrix(state.turn_at(time)) @ self.middle)


@functools.lru_cache(maxsize=256)
def _template(shape: Any, middle: tuple[float, float, float], gait: RotationKind | None) -> Template:
    return Template(shape, np.array(middle), gait)


def _velocity(state: Flight, point: np.ndarray, time: Any) -> np.ndarray:
    return np.asarray(state.velocity_at(time) + np.cross(state.spin_at(time), point - state.at(time)))


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


def _inertia(rigid: RigidBody, ball: bool, found: ExactMass | None) -> CertifiedInertia:
    """The inertia by exact numbers, which tell its kind."""
    if ball and not rigid.given[1]:
        return BALL
    exact = sp.Matrix(rigid.inertia.tolist()).applyfunc(sp.Rational) if found is None or rigid.given[1] else found.inertia * (
        sp.Rational(rigid.mass) / found.volume)
    inside = vector(exact).reshape(3, 3)
    return CertifiedInertia(inside, _inverse(inside), _axis(exact))


def _axis(exact: Any) -> int | None:
    """The axis about which an inertia is the same all round; -1 if about all."""
    if any(sp.expand(exact[i, j]) != 0 for i in range(3) for j in range(i)):
        return None
    same = [sp.expand(exact[k - 1, k - 1] - exact[k - 2, k - 2]) == 0 for k in range(3)]
    return -1 if all(same) else same.index(True) if any(same) else None


def _inverse(m: np.ndarray) -> np.ndarray:
    """The inverse of a positive matrix (3, 3) by its cofactors: rows and columns that are 0 except for one number stay so."""
    across = np.array([np.cross(m[1], m[2]), np.cross(m[2], m[0]), np.cross(m[0], m[1])]).T
    return np.asarray(across / (m[0] @ across[:, 0]))
