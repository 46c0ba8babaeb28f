"""A tracked contact from a point of the world, where a solver found bodies in contact: its parameters on both bodies, and their rates.

The rates are those of a contact that lasts: the points of both bodies move alike along their tangent plane, and what is tangent to one body
stays at right angles to the normal of the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from codegen.given import doubles, expression, shown
from codegen.kernel import Kernel, compile
from generative import ImplicitBody, t, x, y, z
from generative.body import called

from ..bodies.cells import Cell
from ..given import is_number
from ..situations.tracking import Tracked, check_tracked_item, part_named
from .arguments import check_kinds

# Samples along each parameter where the search for the nearest point begins; its steps, at most.
_SAMPLES, _STEPS = 33, 50


@dataclass(frozen=True, eq=False)
class _Side:
    """A part of a body as formulas of `symbols` and t: its point, what is tangent to it, and its normal, if it is a face."""

    symbols: tuple[Any, ...]
    point: tuple[Any, ...]
    normal: tuple[Any, ...] | None
    domain: np.ndarray

    @classmethod
    def of(cls, part: Cell, number: int) -> "_Side":
        symbols = tuple(sp.Symbol(f"{s}{number}", real=True) for s in part.symbols)
        own = dict(zip(part.symbols, symbols, strict=True))
        at = dict(zip(sorted(part.surface.domain, key=str), (expression(e).xreplace(own) for e in part.path), strict=True))
        point, normal = (tuple(e.xreplace(at) for e in row) for row in (part.surface.expressions, part.surface.normal))
        return cls(symbols, point, normal if part.dimension == 2 else None, np.array(part.domain, float).reshape(-1, 2))

    @property
    def tangents(self) -> list[tuple[Any, ...]]:
        return [tuple(sp.diff(e, s) for e in self.point) for s in self.symbols]

    @cached_property
    def kernel(self) -> Kernel:
        return compile(list(self.point), [*self.symbols, t], quick=True)

    def nearest(self, place: np.ndarray, time: float) -> tuple[np.ndarray, float]:
        """The parameters of the point nearest to a place, by samples and Gauss and Newton's steps, and how far it is away."""
        axes = [np.linspace(lo, hi, _SAMPLES) for lo, hi in self.domain]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes)) if axes else np.zeros((1, 0))
        best = grid[np.nanargmin(np.linalg.norm(self._points(grid, time) - place, axis=1))]
        for _ in range(_STEPS if axes else 0):
            slopes = self.kernel.jacobian().points(np.append(best, time)[None])[0].reshape(3, -1)[:, :-1]
            step = np.linalg.lstsq(slopes, place - self._points(best[None], time)[0], rcond=None)[0]
            onward = np.clip(best + step, *self.domain.T)
            if not (np.isfinite(onward).all() and self._far(onward, place, time) < self._far(best, place, time)):
                break
            best = onward
        return best, self._far(best, place, time)

    def _points(self, at: np.ndarray, time: float) -> np.ndarray:
        return self.kernel.points(np.column_stack([at, np.full(len(at), time)]))

    def _far(self, at: np.ndarray, place: np.ndarray, time: float) -> float:
        return float(np.linalg.norm(self._points(at[None], time)[0] - place))


def tracked_at(bodies: Sequence[Any], pair: tuple[int, int], point: Any, time: float, radius: float,
               features: tuple[str, str] = ("face 0", "face 0")) -> Tracked:
    """Make a tracked contact of a point at which two bodies touch, as any solver gives it.

    Parameters
    ----------
    bodies : sequence of bodies
        Those that `first_contact` is asked about.
    pair : pair of int
        The numbers of the two bodies, the lesser first.
    point : array_like, (3,)
        Where they touch, in the world.
    time : float
        When they do.
    radius : float
        As of `Tracked`. The point may be no further from either body.
    features : pair of str, optional
        The parts that touch there, as `Contacts.features` names them.

    Returns
    -------
    Tracked
        With parameters that are linear in t.

    Raises
    ------
    TypeError, ValueError
        For arguments that are not as they should be, and for a point that is further than `radius` from one of the parts.

    Notes
    -----
    Parameters and rates *approximate*: to first order in the time since then, as of a contact that lasts. `radius` must make up for the
    rest over the time that is asked about; `first_contact` refuses a tracked contact that does not follow the bodies (Snyder 1993, Eq. 7).

    Examples
    --------
    A ball slides along a floor towards a wall at x = 4. Its solver knows that it touches the floor at the origin.

    >>> import sympy as sp
    >>> from collide import first_contact, tracked_at
    >>> from generative import ParametricSurface, Rigid, Solid, primitives, t, u, v
    >>> ball = primitives.ball(1).moved(Rigid(rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]])).moved(Rigid(translation=[t, 0, 1]))
    >>> room = Solid([ParametricSurface([u, v, 0], {u: (-1, 5), v: (-2, 2)}), ParametricSurface([4, v, u], {u: (0, 2), v: (-2, 2)})])
    >>> lowest = tracked_at([ball, room], (0, 1), [0, 0, 0], 0, radius=0.5)
    >>> found = first_contact([ball, room], (0, 5), tracked=[lowest])
    >>> found.features, found.time.lo <= 3 <= found.time.hi
    ([('face 0', 'face 1')], True)
    """
    check_kinds(bodies)
    item = Tracked(pair, None, None, None, None, radius, features)
    check_tracked_item(item, bodies)
    place = doubles(point, "the point of a contact", "(3,)")
    if np.shape(place) != (3,) or not np.isfinite(place).all():
        raise ValueError(f"the point of a contact is three finite numbers, got {shown(point)}")
    if not (is_number(time) and np.isfinite(float(time))):
        raise ValueError(f"the time of a contact is a finite number, got {shown(time)}")
    parts = [part_named(bodies, k, name) for k, name in zip(pair, features, strict=True)]
    sides = [None if part is None else _Side.of(part, n) for n, part in enumerate(parts, 1)]
    if sides == [None, None]:
        raise ValueError(f"a contact of {called(bodies, pair[0])} and {called(bodies, pair[1])} has no parameters: one of them needs some")
    found = [np.zeros(0) if side is None else _on(side, np.array(place), float(time), float(radius), called(bodies, k), name)
             for side, k, name in zip(sides, pair, features, strict=True)]
    rates = _rates(sides, [bodies[k] for k in pair], np.concatenate(found), float(time), np.array(place))
    at = [sp.Rational(float(q)) + sp.Rational(float(r)) * (t - sp.Rational(float(time)))
          for q, r in zip(np.concatenate(found), rates, strict=True)]
    count = len(found[0])
    (u1, v1, *_), (u2, v2, *_) = ([*own, None, None] for own in (at[:count], at[count:]))
    return Tracked(pair, u1, v1, u2, v2, radius, features)


def _on(side: _Side, place: np.ndarray, time: float, radius: float, body: str, name: str) -> np.ndarray:
    at, far = side.nearest(place, time)
    if not far <= radius:
        raise ValueError(f"the point {place.tolist()} is {far:.3g} from {name} of {body} at t = {time:g}, "
                         f"further than the radius {radius:g}")
    return at


def _rates(sides: Sequence[_Side | None], bodies: Sequence[Any], at: np.ndarray, time: float, place: np.ndarray) -> np.ndarray:
    """The rates of the parameters of a contact that lasts; of those that it leaves free the least, and 0 where they are not known."""
    symbols = [s for side in sides if side is not None for s in side.symbols]
    rows = [row for row in _conditions(sides, bodies, symbols, at, time, place) if row.free_symbols]
    if not symbols or not rows:
        return np.zeros(len(symbols))
    slopes = compile(rows, [*symbols, t], quick=True).jacobian().points(np.append(at, time)[None])[0].reshape(len(rows), -1)
    slopes = slopes[np.isfinite(slopes).all(axis=1)]
    return np.asarray(np.linalg.lstsq(slopes[:, :-1], -slopes[:, -1], rcond=None)[0])


def _conditions(sides: Sequence[_Side | None], bodies: Sequence[Any], symbols: Sequence[Any], at: np.ndarray, time: float,
                place: np.ndarray) -> list[Any]:
    """Formulas of the parameters and t that stay 0."""
    one, other = sides
    found = list[Any]()
    for side, next_one, body in ((one, other, bodies[1]), (other, one, bodies[0])):
        normal = None if side is None else next_one.normal if next_one is not None else _gradient(body, side, place, time)
        if side is not None and normal is not None:
            found += [_dot(tangent, normal) for tangent in side.tangents]
    if one is not None and other is not None:
        gap = [a - b for a, b in zip(one.point, other.point, strict=True)]
        found += [_dot(way, gap) for way in _across(_upright(one, other), symbols, at, time)]
    return found


def _upright(one: _Side, other: _Side) -> tuple[Any, ...] | None:
    """The normal of a face, or of two edges that cross; None where there is none."""
    for side in (one, other):
        if side.normal is not None:
            return side.normal
    return _cross(one.tangents[0], other.tangents[0]) if one.symbols and other.symbols else None


def _gradient(body: Any, side: _Side, place: np.ndarray, time: float) -> tuple[Any, ...] | None:
    """That of the leaf of an implicit body which is nearest, at the point of the other one; None of a mesh."""
    if not isinstance(body, ImplicitBody):
        return None
    values = compile([leaf.expression for leaf in body.leaves], [x, y, z, t], quick=True).points(np.append(place, time)[None])[0]
    leaf = body.leaves[int(np.abs(values).argmin())]
    return tuple(expression(e).xreplace(dict(zip((x, y, z), side.point, strict=True))) for e in leaf.gradient)


def _across(upright: Sequence[Any] | None, symbols: Sequence[Any], at: np.ndarray, time: float) -> list[list[Any]]:
    """Two directions at right angles to a normal at a contact; all three where there is no normal."""
    ways = np.eye(3)
    if upright is not None:
        normal = compile(list(upright), [*symbols, t], quick=True).points(np.append(at, time)[None])[0]
        if np.isfinite(normal).all() and normal.any():
            ways = np.linalg.svd(normal[None])[2][1:]
    return [[sp.Rational(float(e)) for e in way] for way in ways]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((p * q for p, q in zip(a, b, strict=True)), sp.S.Zero)


def _cross(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1)))

