"""Times at which the formulas of moving bodies change: where pieces of a motion meet, as those of keyframes.

Derivatives by time are known on either side of such a moment, but not across it. So a time span is searched in stages that end just
before and just after: in between only positions count.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Rigid, Solid, t
from generative.implicit import Combination


def stage_ends(bodies: Sequence[Any], span: tuple[float, float]) -> list[float]:
    """The doubles next to the moments within a span at which a formula of a body changes, in order."""
    moments = {moment for body in bodies for piece in _pieces(body) for moment in _moments(piece)}
    ends = {math.nextafter(float(moment), side) for moment in moments for side in (-math.inf, math.inf)}
    return sorted(end for end in ends if span[0] < end < span[1])


def _pieces(body: Any) -> Sequence[Any]:
    if isinstance(body, ImplicitBody):
        return body.leaves
    return body.faces if isinstance(body, Solid) else (body,)


@functools.lru_cache(maxsize=4096)
def _moments(piece: Any) -> tuple[Any, ...]:
    """The numbers with which conditions of pieces compare the time."""
    formulas = [*piece.motion.entries]
    formulas += [piece.body] if isinstance(piece, ImplicitSurface) else piece.body
    conditions = {c for e in formulas if e.has(sp.Piecewise) for p in e.atoms(sp.Piecewise) for _, c in p.args}
    relations = {r for c in conditions for r in c.atoms(Relational)}
    sides = [(r.lhs, r.rhs) for r in relations] + [(r.rhs, r.lhs) for r in relations]
    return tuple(b for a, b in sides if a == t and b.is_number and b.is_real)


def smooth_bodies(bodies: Sequence[Any], begin: float, end: float) -> list[tuple[Any, ...]]:
    """Bodies with the formulas that hold in a stage across one moment: before it, at it and after it, each only once. None where the stage
    is longer than that, or holds no moment, or several: then nothing is known of what holds between those.
    """
    if end > math.nextafter(math.nextafter(begin, math.inf), math.inf):
        return []
    moments = {m for body in bodies for piece in _pieces(body) for m in _moments(piece) if begin <= m <= end}
    if len(moments) != 1:
        return []
    (moment,) = moments
    return list(dict.fromkeys(tuple(_at_moment(body, at) for body in bodies) for at in (sp.Rational(begin), moment, sp.Rational(end))))


@functools.lru_cache(maxsize=4096)
def _at_moment(body: Any, moment: Any) -> Any:
    """The body with the formulas that hold at a moment."""
    if isinstance(body, Combination):
        return Combination(body.operation, [_at_moment(c, moment) for c in body.children])
    if isinstance(body, Solid):
        return Solid._unchecked([_at_moment(f, moment) for f in body.faces], body.edges, body.vertices, body.closed)
    motion = Rigid._unchecked(body.motion.rotation.applyfunc(lambda e: _branch(e, moment)),
                              [_branch(e, moment) for e in body.motion.translation])
    if isinstance(body, ImplicitSurface):
        return ImplicitSurface(_branch(body.body, moment), body.bounds, motion=motion)
    return ParametricSurface([_branch(e, moment) for e in body.body], body.domain, flipped=body.flipped, motion=motion)


def _branch(e: Any, moment: Any) -> Any:
    """The expression with the pieces that hold at a moment, where conditions tell that by the time alone."""
    if not e.has(sp.Piecewise):
        return e
    if not isinstance(e, sp.Piecewise):
        return e.func(*(_branch(a, moment) for a in e.args))
    for piece, condition in e.args:
        holds = condition.xreplace({t: moment})
        if holds == sp.true:
            return _branch(piece, moment)
        if holds != sp.false:
            return e
    return e
