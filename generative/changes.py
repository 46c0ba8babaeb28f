"""Times at which the formulas of moving bodies change, as where the pieces of a motion through keyframes meet.

Derivatives by time are known before and after such a moment, but not across it. So a time span is searched in stages that end just before
and begin just after. The gap, a few roundings long, is searched with the formulas that hold before the moment, those at it, and those after
it: all of them are smooth.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from codegen.deadline import interruptible
from codegen.functions import Spline
from codegen.walk import atoms, parts, replaced

from . import ImplicitBody, ImplicitSurface, ParametricSurface, Solid, t
from .combination import Combination
from .divided import Divided
from .motion import Motion
from .products import Product
from .symbols import NOT_REAL
from .triangulated import Triangulated
from .vanishing import vanishes

# A stage across a moment is at most so many units in the last place long.
_ACROSS = 4
_NONE: Mapping[Motion, Motion] = {}
_KINKED = (sp.Piecewise, sp.Abs, sp.Max, sp.Min, Spline)

Known = tuple[tuple[Any, Any], ...]
"""Symbols that stand for numbers, each with its exact number."""


def moments_of(bodies: Sequence[Any]) -> set[Any]:
    """The moments, exact, at which a formula of a body changes."""
    return {moment for body in bodies for piece in pieces_of(body) for moment in _moments(piece)}


def smooth_bodies(bodies: Sequence[Any], begin: float, end: float) -> list[tuple[Any, ...]]:
    """The bodies with the formulas that hold before a moment, at it and after it, for a stage across that moment; equal ones once. Empty if
    the stage is longer than such a stage is, or holds no moment, or several, since then it is not known what holds between them.
    """
    if not is_short(begin, end):
        return []
    moments = {m for m in moments_of(bodies) if begin <= m <= end}
    if len(moments) != 1:
        return []
    (moment,) = moments
    return list(dict.fromkeys(tuple(_at_moment(body, at) for body in bodies) for at in (sp.Rational(begin), moment, sp.Rational(end))))


def is_short(begin: float, end: float) -> bool:
    """Whether a stage is so short that it may lie across one moment."""
    return end <= begin + _ACROSS * math.ulp(max(abs(begin), abs(end)))


def joined_bodies(bodies: Sequence[Any], window: tuple[float, float]) -> tuple[Any, ...]:
    """Bodies that are at the same places at each time of a window that holds one moment, with formulas that are *proved* continuous there,
    and whose derivatives contain Clarke's. Of g(t) before the moment and h(t) after it the formula is g(t) + d(max(t, moment)); d is the
    difference of h and g, which vanishes at the moment. Empty if the window holds no moment or several, or if that is not seen.
    """
    lo, hi = map(sp.Rational, window)
    pieces = [piece for body in bodies for piece in pieces_of(body)]
    moments = {m for piece in pieces for m in _moments(piece) if lo <= m <= hi}
    if len(moments) != 1:
        return ()
    (moment,) = moments
    switches = {e for piece in pieces for f in _formulas(piece) for e in atoms(f, sp.Piecewise, Spline) if changes_at_known_moments(e)}
    joined = {e: _joined(e, lo, moment, hi) for e in switches}
    if any(e is None for e in joined.values()):
        return ()
    return tuple(with_formulas(body, lambda e: replaced(e, joined)) for body in bodies) if joined else tuple(bodies)


@functools.lru_cache(maxsize=256)
@interruptible()
def _joined(e: Any, lo: Any, moment: Any, hi: Any) -> Any:
    """A Piecewise of the time alone as one formula from `lo` to `hi`; None where its pieces are not seen to meet at the moment."""
    before, at, after = (branch(e, time) for time in (lo, moment, hi))
    if any(piece.has(sp.Piecewise, Spline) for piece in (before, at, after)):
        return None
    if not all(vanishes((piece - before).xreplace({t: moment})) for piece in (at, after)):
        return None
    return before + (after - before).xreplace({t: sp.Max(t, moment)})


def pieces_of(body: Any) -> Sequence[Any]:
    if isinstance(body, ImplicitBody):
        return body.leaves
    if isinstance(body, Triangulated):
        return (body.face,)
    return body.faces if isinstance(body, Solid) else (body,)


@functools.lru_cache(maxsize=4096)
@interruptible()
def _moments(piece: Any) -> tuple[Any, ...]:
    """The times at which conditions change that compare linear functions of the time, or their absolute, greatest or least values."""
    kinks = set().union(*(atoms_of(e, _KINKED) for e in _formulas(piece)))
    roots = [_root(d) for kink in kinks for d in _differences(kink)]
    return tuple(dict.fromkeys(m for m in roots if m is not None))


def _formulas(piece: Any) -> tuple[Any, ...]:
    """All formulas of a shape and its motion."""
    return *piece.motion.formulas, *([piece.body] if isinstance(piece, ImplicitSurface) else piece.body)


@functools.lru_cache(maxsize=4096)
def atoms_of(e: Any, kinds: tuple[Any, ...]) -> frozenset[Any]:
    """The functions of these kinds in an expression; the faces of a body have their motion in common."""
    return frozenset(atoms(e, *kinds))


def changes_at_known_moments(kink: Any) -> bool:
    """Whether a formula changes at the moments listed here, and at no others."""
    return isinstance(kink, _KINKED) and all(_root(d) is not None for d in _differences(kink))


def kinks_along(formulas: Iterable[Any], symbol: Any, known: Known = ()) -> set[Any]:
    """The values of a parameter at which formulas change by conditions that compare linear functions of it alone."""
    return {root for kink in changes_along(formulas, symbol) for d in _differences(kink) if (root := _root(d, symbol, known)) is not None}


def changes_along(formulas: Iterable[Any], symbol: Any) -> set[Any]:
    """The parts of formulas that may change with a parameter."""
    return {kink for e in formulas for kink in atoms(e, *_KINKED) if kink.has(symbol)}


def continuous_along(formulas: Iterable[Any], symbol: Any, value: Any, beside: Sequence[Any], known: Known = ()) -> bool:
    """Whether formulas are seen to be continuous at a value of a parameter. The formulas that hold on either side of it are compared."""
    switches = {e for f in formulas for e in atoms(f, sp.Piecewise)}
    pieces = [[branch(e, at, symbol, known) for at in (value, *beside)] for e in switches]
    return all(vanishes(_at(own[0] - e, symbol, value, known)) for own in pieces for e in own[1:])


def _differences(kink: Any) -> list[Any]:
    """The expressions whose sign changes where a formula changes."""
    if isinstance(kink, sp.Piecewise):
        return [r.lhs - r.rhs for _, condition in kink.args for r in atoms(condition, Relational)]
    if isinstance(kink, Spline):
        return [kink.args[0] - sp.Rational(knot) for knot in kink.samples.knots[1:-1].tolist()]
    return list(kink.args) if isinstance(kink, sp.Abs) else [a - b for a, b in itertools.combinations(kink.args, 2)]


@functools.lru_cache(maxsize=4096)
def _root(d: Any, symbol: Any = t, known: Known = ()) -> Any:
    """The zero of an expression that is linear in the time, or in that parameter, and contains nothing else but known symbols. None for
    other expressions.
    """
    slope = _slope(d, symbol, known) if d.has(symbol) else None
    number = sp.Integer(0) if slope is None else slope.xreplace(dict(known))
    return sp.expand(-d.xreplace({symbol: sp.Integer(0)}) / slope) if number.is_number and number.is_real and number.is_nonzero else None


def _slope(d: Any, symbol: Any, known: Known) -> Any:
    """The slope of an expression that is linear in a symbol and contains nothing else but known ones; None for others."""
    if not d.free_symbols <= {symbol, *(s for s, _ in known)} or (known and d.xreplace(dict(known)).has(*NOT_REAL)):
        return None
    slope = sp.expand(d.diff(symbol))
    return None if slope.has(symbol) else slope


def _at(e: Any, symbol: Any, value: Any, known: Known) -> Any:
    """An expression at a value of a symbol, with the numbers of the known ones."""
    found = e.xreplace({symbol: value})
    return found.xreplace(dict(known)) if known else found


# -- formulas of one moment ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
@interruptible()
def _at_moment(body: Any, moment: Any) -> Any:
    """The body with the formulas that hold at a moment."""
    return with_formulas(body, lambda e: branch(e, moment))


def with_formulas(body: Any, change: Callable[[Any], Any], motions: Mapping[Motion, Motion] = _NONE) -> Any:
    """The body with all formulas of its shape and motion changed, and the ends of what it is given over. `motions`: what comes in the place
    of factors of its motion, as it is.
    """
    if isinstance(body, Combination):
        return Combination(body.operation, [with_formulas(c, change, motions) for c in body.children])
    if isinstance(body, Solid):
        return body._like([with_formulas(f, change, motions) for f in body.faces], body.closed)
    motion = body.motion.changed(change) if motions.keys().isdisjoint(body.motion.factors) else _with_factors(body.motion, change, motions)
    if isinstance(body, Triangulated):
        return body.carried_by(motion)
    if isinstance(body, ImplicitSurface):
        return ImplicitSurface(change(body.body), [tuple(map(change, ends)) for ends in body.bounds], motion=motion)
    domain = {s: tuple(map(change, ends)) for s, ends in body.domain.items()}
    found = ParametricSurface([change(e) for e in body.body], domain, flipped=body.flipped, motion=motion)
    return Divided(found, with_formulas(body.pieces, change, motions)) if isinstance(body, Divided) else found


def _with_factors(motion: Motion, change: Callable[[Any], Any], motions: Mapping[Motion, Motion]) -> Motion:
    factors = [motions[f] if f in motions else f.changed(change) for f in motion.factors]
    return Product(*factors) if isinstance(motion, Product) else factors[0]


@functools.lru_cache(maxsize=1 << 15)
def branch(e: Any, moment: Any, symbol: Any = t, known: Known = ()) -> Any:
    """The expression with the pieces that hold at a moment, or at a value of that parameter, if the moment and the known numbers alone
    decide the conditions.

    A Piecewise for which they do not decide stays as it is, with everything in it.
    """
    held: dict[Any, Any] = {}
    # Those inside others come first.
    for kink in (part for part in parts(e) if isinstance(part, _KINKED)):
        told = all(_slope(d, symbol, known) is not None for d in ([kink.args[0]] if isinstance(kink, Spline) else _differences(kink)))
        if told and isinstance(kink, Spline):
            held[kink] = replaced(kink.piece_at(_at(kink.args[0], symbol, moment, known)), held)
        elif isinstance(kink, sp.Piecewise):
            piece = _piece(kink, moment, symbol, known) if told else None
            held[kink] = kink if piece is None else replaced(piece, held)
        elif told:
            held[kink] = _smooth(kink, moment, symbol, known)
    return replaced(e, held) if held else e


def _piece(e: Any, moment: Any, symbol: Any, known: Known) -> Any:
    """The piece of a Piecewise that holds; None where that cannot be told."""
    for piece, condition in e.args:
        holds = _at(condition, symbol, moment, known)
        if holds != sp.false:
            return piece if holds == sp.true else None
    return None


def _smooth(e: Any, moment: Any, symbol: Any, known: Known) -> Any:
    """The function that holds at a moment, of Abs, Max or Min of linear functions. If the numbers cannot be compared, it stays as it is."""
    terms = [e.args[0], -e.args[0]] if isinstance(e, sp.Abs) else list(e.args)
    values = [_at(a, symbol, moment, known) for a in terms]
    for term, value in zip(terms, values, strict=True):
        if all((value <= other if isinstance(e, sp.Min) else value >= other) == sp.true for other in values):
            return term
    return e
