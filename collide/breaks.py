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

from generative import ImplicitBody, ImplicitSurface, Solid, t


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
