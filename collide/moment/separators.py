"""Surfaces proved apart at one moment by a function that is negative on one of them and positive on the other.

Surfaces that lie close to each other all over, as a ball in a shell or a shaft in its bearing, are told apart by a search for their common
points in about 1 / gap boxes, each of a pair of places. A function of space that tells them apart needs boxes of one surface at a time, and
where it is nearly constant on each, a Taylor form of second order in u and v decides boxes as large as the cube root of the gap. For two
parametric surfaces it is a polynomial of degree 2 or 4, fitted to points of both: any polynomial proves it whose sign is proved on both.
On an implicit surface a function is its own, and of two of them it is a combination.
"""

import functools
import itertools
import math
from typing import Any

import numpy as np

from codegen.from_sympy import convert
from codegen.graph.expr import Expr, ExprPool
from codegen.graph.meanvalue import second_order_form
from codegen.kernel import Kernel
from codegen.machine.tiers import compile_busy
from generative import ParametricSurface, t, u, v, x, y, z

from ..bodies.cells import Cell
from ..bodies.numbers import Numbers
from ..bodies.surface_points import at_moment, position_kernel
from ..search.clock import Clock
from ..search.paving import Paving

# All of these decide only effort: a sign is proved, or not.
# The degrees of polynomials; points a side of a grid on a face that they are fitted to.
_DEGREES, _POINTS = (2, 4), 24
# Steps of the fit.
_STEPS = 30
# So many boxes may be open, and be looked at.
_OPEN, _MOST = 1 << 20, 1 << 22
Pair = tuple[Numbers, Numbers]


def separated(first: Cell, second: Cell, moment: float, numbers: Pair, clock: Clock) -> bool:
    """Whether a function of space proves that two faces do not meet at a moment."""
    if not first.leaves and not second.leaves:
        return any(_by_polynomial((first, second), degree, moment, numbers, clock) for degree in _DEGREES)
    if max(len(first.leaves), len(second.leaves)) > 1:
        return False
    if first.leaves and second.leaves:
        return _by_combination(first.leaves[0], second.leaves[0], moment, numbers, clock)
    if first.leaves:
        first, second, numbers = second, first, numbers[::-1]
    symbols = numbers[0].symbols, numbers[1].symbols
    known = np.concatenate([numbers[0].intervals, numbers[1].intervals])
    kernel = _on_surface(first.surface, second.leaves[0], moment, symbols)
    return any(_one_sign(kernel, first, numbers[0], known, positive, clock) for positive in (True, False))


# -- polynomials ----------------------------------------------------------------------------------------------------------


def _by_polynomial(faces: tuple[Cell, Cell], degree: int, moment: float, numbers: Pair, clock: Clock) -> bool:
    points = [_points(face, moment, own) for face, own in zip(faces, numbers, strict=True)]
    frame, values = _fitted(points, degree)
    if values is None:
        return False
    coefficients = np.repeat(np.concatenate([frame, values])[:, None], 2, axis=1)
    return all(_one_sign(_polynomial(face.surface, degree, moment, own.symbols), face, own, np.concatenate([own.intervals, coefficients]),
                         positive, clock) for face, own, positive in zip(faces, numbers, (False, True), strict=True))


def _points(face: Cell, moment: float, numbers: Numbers) -> np.ndarray:
    """(n, 3): points of a face, approximately."""
    ends = numbers.bounds(face.domain)[1]
    places = _grid(ends)
    return position_kernel(face.surface, numbers.symbols).points(at_moment(places, moment), parameters=numbers.middles)


def _grid(ends: np.ndarray) -> np.ndarray:
    """Points (n, k) of a grid on a box (k, 2)."""
    return np.stack(np.meshgrid(*(np.linspace(lo, hi, _POINTS) for lo, hi in ends)), axis=-1).reshape(-1, len(ends))


def _exponents(degree: int) -> list[tuple[int, ...]]:
    return [e for e in itertools.product(range(degree + 1), repeat=3) if sum(e) <= degree]


def _fitted(points: list[np.ndarray], degree: int) -> tuple[np.ndarray, np.ndarray | None]:
    """A centre and a scale, and the coefficients of a polynomial of (x - centre) scale that is negative on the first points and positive on
    the others; None if none is found.
    """
    everything = np.concatenate(points)
    if not np.isfinite(everything).all():
        return np.zeros(4), None
    centre = 0.5 * (everything.min(axis=0) + everything.max(axis=0))
    scale = math.ldexp(1.0, -math.frexp(float(np.abs(everything - centre).max()) or 1.0)[1])
    exponents = np.array(_exponents(degree))
    terms = np.prod(((everything - centre) * scale)[:, None] ** exponents, axis=2)
    wanted = np.repeat([-1.0, 1.0], [len(p) for p in points])
    return np.array([*centre, scale]), _divided(terms, wanted)


def _divided(terms: np.ndarray, wanted: np.ndarray) -> np.ndarray | None:
    """Coefficients whose combination of the terms is negative or positive as wanted (-1 or 1), for all points; None if none are found.

    Least squares over the points where it falls short of that, in turn: Newton's method for a support vector machine (Chapelle 2007,
    "Training a support vector machine in the primal").
    """
    short = np.full(len(wanted), True)
    for _ in range(_STEPS):
        values = np.linalg.lstsq(terms[short], wanted[short], rcond=1e-15)[0]
        reached = wanted * (terms @ values)
        if (reached > 0.25).all():
            return np.asarray(values)
        short = reached < 1.0
    return None


@functools.lru_cache(maxsize=256)
def _polynomial(face: ParametricSurface, degree: int, moment: float, symbols: tuple[Any, ...]) -> Kernel:
    """The polynomial on the surface, of u and v; the parameters are the symbols, the centre, the scale and the coefficients."""
    pool = ExprPool()
    exponents, count = _exponents(degree), len(symbols)
    position = _position(face, moment, symbols, pool)
    centre, scale = [pool.parameter(count + k) for k in range(3)], pool.parameter(count + 3)
    at = [(e - c) * scale for e, c in zip(position, centre, strict=True)]
    total = pool.parameter(count + 4)
    for k, powers in enumerate(exponents[1:], 5):
        term = pool.parameter(count + k)
        for e, power in zip(at, powers, strict=True):
            term = term * pool.power_integer(e, power) if power else term
        total = total + term
    return _kernel(total, count + 4 + len(exponents))


# -- implicit functions ---------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _on_surface(face: ParametricSurface, leaf: Any, moment: float, symbols: tuple[tuple[Any, ...], ...]) -> Kernel:
    """The function of an implicit surface on a parametric one, of u and v; the parameters are the symbols of both."""
    pool = ExprPool()
    place = dict(zip((x, y, z), _position(face, moment, symbols[0], pool), strict=True))
    known = {s: pool.parameter(len(symbols[0]) + k) for k, s in enumerate(symbols[1])}
    return _kernel(convert([leaf.expression], {**place, **known, t: pool.constant(moment)}, pool)[0], sum(map(len, symbols)))


def _by_combination(first: Any, second: Any, moment: float, numbers: Pair, clock: Clock) -> bool:
    """Whether a combination F2 - s F1 has one sign where F1 = 0, so that F2 is not zero there. s: as one function follows the other near F1
    = 0.
    """
    symbols = numbers[0].symbols, numbers[1].symbols
    known = np.concatenate([numbers[0].intervals, numbers[1].intervals])
    ends = numbers[0].bounds(first.bounds)[0]
    kernel = _combination(first, second, moment, symbols)
    points = _grid(ends)
    values = kernel.points(points, parameters=np.append(known.mean(axis=1), 0.0))
    near = values[np.argsort(np.abs(values[:, 1]))[:len(values) // _POINTS]]
    if not np.isfinite(near).all():
        return False
    share = float(np.linalg.lstsq(np.column_stack([near[:, 1], np.ones(len(near))]), near[:, 0], rcond=None)[0][0])
    known = np.concatenate([known, [(share, share)]])
    return _decided(kernel, ends, known, bool(np.median(near[:, 0] - share * near[:, 1]) > 0), clock)


@functools.lru_cache(maxsize=256)
def _combination(first: Any, second: Any, moment: float, symbols: tuple[tuple[Any, ...], ...]) -> Kernel:
    """F2 - s F1 and F1 in the frame of the first surface; the parameters are the symbols of both, and s."""
    pool, count = ExprPool(), sum(map(len, symbols))
    place, at = dict(zip((x, y, z), map(pool.variable, range(3)), strict=True)), {t: pool.constant(moment)}
    own, other = ({**at, **{s: pool.parameter(shift + k) for k, s in enumerate(names)}}
                  for names, shift in zip(symbols, (0, len(symbols[0])), strict=True))
    world = dict(zip((x, y, z), convert(first.motion.apply((x, y, z)), {**own, **place}, pool), strict=True))
    (f,), (g,) = convert([first.body], {**own, **place}, pool), convert([second.expression], {**other, **world}, pool)
    formed = second_order_form([g - pool.parameter(count) * f], [pool.variable(k) for k in range(3)])
    return Kernel([*formed, f], ["x", "y", "z"], [f"p{k}" for k in range(count + 1)], quick=True)


# -- a sign on a surface --------------------------------------------------------------------------------------------------


def _position(face: ParametricSurface, moment: float, symbols: tuple[Any, ...], pool: ExprPool) -> list[Expr]:
    known = {s: pool.parameter(k) for k, s in enumerate(symbols)}
    return convert(face.expressions, {**known, u: pool.variable(0), v: pool.variable(1), t: pool.constant(moment)}, pool)


def _kernel(function: Expr, parameters: int) -> Kernel:
    formed = second_order_form([function], [function.pool.variable(k) for k in range(2)])
    return Kernel(formed, ["u", "v"], [f"p{k}" for k in range(parameters)], quick=True)


def _one_sign(kernel: Kernel, face: Cell, numbers: Numbers, known: np.ndarray, positive: bool, clock: Clock) -> bool:
    return _decided(kernel, numbers.bounds(face.domain)[0], known, positive, clock)


def _decided(kernel: Kernel, ends: np.ndarray, known: np.ndarray, positive: bool, clock: Clock) -> bool:
    """Whether the first output of a kernel is proved positive, or negative, on a box where another one, if there is one, is zero, and
    wherever it is defined.
    """
    paving = Paving(ends[None], axes=range(len(ends)), most=_OPEN, examined=_MOST)
    for boxes in paving:
        if clock.exceeded():
            return False
        clock.boxes += len(boxes)
        lo, hi = kernel.interval(boxes[..., 0], boxes[..., 1], parameters=(known[:, 0], known[:, 1]) if len(known) else None)
        sought = ((lo[:, 1:] <= 0) & (hi[:, 1:] >= 0)).all(axis=1)
        wrong = (hi[:, 0] <= 0 if positive else lo[:, 0] >= 0) & (len(ends) == 2)
        if wrong.any():
            return False
        right = lo[:, 0] > 0 if positive else hi[:, 0] < 0
        paving.keep(boxes[sought & ~right])
        compile_busy()
    return paving.done
