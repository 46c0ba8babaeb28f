"""Times at which the formulas of moving bodies change: where pieces of a motion meet, as those of keyframes.

Derivatives by time are known on either side of such a moment, but not across it. So a time span is searched in stages that end just
before and just after. In between, a few roundings long, the bodies are looked at by the formulas that hold before the moment, those
that hold at it, and those that hold after it: all of them smooth.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Rigid, Solid, t
from generative.implicit import Combination

from .patch import enclose

# A stage across a moment is no longer than so many units in the last place.
_ACROSS = 4
_KINKED = (sp.Piecewise, sp.Abs, sp.Max, sp.Min)


def stage_ends(bodies: Sequence[Any], span: tuple[float, float]) -> list[float]:
    """The doubles next to (bounds of) the moments within a span at which a formula of a body changes, in order."""
    moments = {moment for body in bodies for piece in pieces_of(body) for moment in _moments(piece)}
    ends = {math.nextafter(bound, side) for moment in moments for bound, side in zip(enclose(moment), (-math.inf, math.inf), strict=True)}
    return sorted(end for end in ends if span[0] < end < span[1])


def smooth_bodies(bodies: Sequence[Any], begin: float, end: float) -> list[tuple[Any, ...]]:
    """Bodies with the formulas that hold in a stage across one moment: before it, at it and after it, each only once. None where the stage
    is longer than that, or holds no moment, or several: then nothing is known of what holds between those.
    """
    if end > begin + _ACROSS * math.ulp(max(abs(begin), abs(end))):
        return []
    moments = {m for body in bodies for piece in pieces_of(body) for m in _moments(piece) if begin <= m <= end}
    if len(moments) != 1:
        return []
    (moment,) = moments
    return list(dict.fromkeys(tuple(_at_moment(body, at) for body in bodies) for at in (sp.Rational(begin), moment, sp.Rational(end))))


def pieces_of(body: Any) -> Sequence[Any]:
    if isinstance(body, ImplicitBody):
        return body.leaves
    return body.faces if isinstance(body, Solid) else (body,)


@functools.lru_cache(maxsize=4096)
def _moments(piece: Any) -> tuple[Any, ...]:
    """When conditions change that compare linear functions of the time, or absolute values, or greatest or least ones, of such."""
    formulas = [*piece.motion.entries]
    formulas += [piece.body] if isinstance(piece, ImplicitSurface) else piece.body
    kinks = {kink for e in formulas if e.has(*_KINKED) for kink in e.atoms(*_KINKED)}
    roots = [_root(d) for kink in kinks for d in _differences(kink)]
    return tuple(dict.fromkeys(m for m in roots if m is not None))


def changes_at_known_moments(kink: Any) -> bool:
    """Does a formula change at the moments listed here, and at no others?"""
    return isinstance(kink, _KINKED) and all(_root(d) is not None for d in _differences(kink))


def _differences(kink: Any) -> list[Any]:
    """What changes its sign where a formula changes."""
    if isinstance(kink, sp.Piecewise):
        return [r.lhs - r.rhs for _, condition in kink.args for r in condition.atoms(Relational)]
    return list(kink.args) if isinstance(kink, sp.Abs) else [a - b for a, b in itertools.combinations(kink.args, 2)]


def _root(d: Any) -> Any:
    """Where an expression that is linear in the time, and contains nothing else, is zero; None for other expressions."""
    slope = sp.expand(d.diff(t)) if d.free_symbols == {t} else sp.Integer(0)
    return sp.expand(-d.xreplace({t: sp.Integer(0)}) / slope) if slope.is_number and slope.is_real and slope.is_nonzero else None


# -- formulas of one moment ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _at_moment(body: Any, moment: Any) -> Any:
    """The body with the formulas that hold at a moment."""
    return with_formulas(body, lambda e: _branch(e, moment))


def with_formulas(body: Any, change: Callable[[Any], Any]) -> Any:
    """The body with all formulas of its shape and motion changed."""
    if isinstance(body, Combination):
        return Combination(body.operation, [with_formulas(c, change) for c in body.children])
    if isinstance(body, Solid):
        return Solid._unchecked([with_formulas(f, change) for f in body.faces], body.edges, body.vertices, body.closed)
    motion = Rigid._unchecked(body.motion.rotation.applyfunc(change), [change(e) for e in body.motion.translation])
    if isinstance(body, ImplicitSurface):
        return ImplicitSurface(change(body.body), body.bounds, motion=motion)
    return ParametricSurface([change(e) for e in body.body], body.domain, flipped=body.flipped, motion=motion)


def _branch(e: Any, moment: Any) -> Any:
    """The expression with the pieces that hold at a moment, where conditions tell that by the time alone."""
    if not e.has(*_KINKED):
        return e
    if not isinstance(e, _KINKED) or any(_root(d) is None for d in _differences(e)):
        return e.func(*(_branch(a, moment) for a in e.args)) if not isinstance(e, sp.Piecewise) else e
    if not isinstance(e, sp.Piecewise):
        return _smooth(e, moment)
    for piece, condition in e.args:
        holds = condition.xreplace({t: moment})
        if holds != sp.false:
            return _branch(piece, moment) if holds == sp.true else e
    return e


def _smooth(e: Any, moment: Any) -> Any:
    """Of Abs, Max or Min of linear functions of the time that which holds at a moment; where numbers cannot be compared, the same."""
    terms = [e.args[0], -e.args[0]] if isinstance(e, sp.Abs) else list(e.args)
    values = [a.xreplace({t: moment}) for a in terms]
    for term, value in zip(terms, values, strict=True):
        if all((value <= other if isinstance(e, sp.Min) else value >= other) == sp.true for other in values):
            return term
    return e
