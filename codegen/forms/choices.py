"""Choices by one variable, in forms that see their conditions.

A Piecewise bounds every branch over the whole box. Where all its conditions compare one variable s with numbers, they cut the line at
these numbers c_1 < ... < c_m, and on each open piece and at each number one branch holds, which rational samples tell: all conditions are
comparisons with the c_i, and so have one truth value on a piece. Two more forms of the same function follow, and are intersected with it.

- Each branch f_i is taken at s cut to its own piece [a, b], f_i(min(max(s, a), b)): the same value wherever the branch holds.
- Where neighbours have the same value at each number between them, which SymPy proves exactly, f is the first branch and what each later
  one adds since the beginning of its piece, f_0(s_0) + sum of f_i(s_i) - f_i(a_i), with s_i as above. All terms of pieces behind s are 0,
  and those before s add up to the next value; so this is f, and it is continuous where its terms are.

The samples also tell where no condition holds: a spline without an "else" has bounds across its knots.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import sympy as sp

from ..graph.expr import Expr, ExprPool, reachable, substitute
from .exact_values import exact_values, is_zero
from .identities import both

# Larger choices are tables, whose other forms would cost more than they give.
_MOST = 40
_COMPARED = {"lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "eq": lambda a, b: a == b}
_LEAVES = frozenset({"variable", "parameter", "bound"})


class _Piece(NamedTuple):
    """A branch, None for no value, and the ends between which it holds; None for no end. Its upper end is part of it if it is `closed`."""

    branch: Expr | None
    low: Fraction | None
    high: Fraction | None
    closed: bool


def chosen(plain: Expr, branches: Sequence[Expr], conditions: Sequence[Expr]) -> Expr:
    """The choice `plain` of the first branch whose condition holds, with the forms that see the conditions, if there are any."""
    pool, leaf = plain.pool, _variable(conditions)
    if leaf is None or plain.op not in ("where", "restricted") or not any(leaf in reachable([b]) for b in branches):
        return plain
    pieces = _pieces(branches, conditions)
    if not 1 < len(pieces) <= _MOST or any(p.branch is None for p in pieces[1:-1]):
        return plain
    cut = [p if p.branch is None else p._replace(branch=_cut(p, p.branch, leaf)) for p in pieces]
    found = both(plain, _joined(pool, cut, leaf))
    total = _continuous(pool, pieces, cut, leaf)
    # Where a branch has a value by complex numbers alone, as sqrt(-1)^2, the sum is undefined and f is not: it counts where it is defined.
    return found if total is None else pool.node("either", found, total, total, pool.constant(2), value=2)


def _variable(conditions: Sequence[Expr]) -> Expr | None:
    """The one variable that all conditions compare with rational numbers."""
    found: Expr | None = None
    for e in reachable(conditions):
        if e.op in ("true", "false", "and", "or", "not") or (e.op == "constant" and isinstance(e.value, Fraction)):
            continue
        if e.op in _LEAVES and found in (None, e):
            found = e
        elif e.op not in _COMPARED:
            return None
    return found


def _pieces(branches: Sequence[Expr], conditions: Sequence[Expr]) -> list[_Piece]:
    """The pieces of the line from left to right."""
    cuts = sorted({e.value for e in reachable(conditions) if e.op == "constant"})
    if not cuts:
        return []
    middles = [(a + b) / 2 for a, b in itertools.pairwise(cuts)]
    points = [cuts[0] - 1, *(x for pair in zip(cuts, [*middles, cuts[-1] + 1], strict=True) for x in pair)]
    held = [next((b for b, c in zip(branches, conditions, strict=True) if _truth(c, at)), None) for at in points]
    held = [None if b is not None and b.op == "undefined" else b for b in held]
    pieces: list[_Piece] = []
    for k, branch in enumerate(held):
        # Even numbers are open pieces, odd ones the numbers between them.
        low, high = (cuts[k // 2 - 1] if k else None, cuts[k // 2] if k // 2 < len(cuts) else None) if k % 2 == 0 else (cuts[k // 2],) * 2
        if pieces and pieces[-1].branch is branch:
            pieces[-1] = pieces[-1]._replace(high=high, closed=k % 2 == 1)
        else:
            pieces.append(_Piece(branch, low, high, k % 2 == 1))
    return pieces


def _truth(condition: Expr, at: Fraction) -> bool:
    """Whether it holds where the variable is this number."""
    if condition.op in ("true", "false"):
        return condition.op == "true"
    if condition.op == "not":
        return not _truth(condition.args[0], at)
    if condition.op in ("and", "or"):
        return (all if condition.op == "and" else any)(_truth(c, at) for c in condition.args)
    a, b = (x.value if x.op == "constant" else at for x in condition.args)
    return bool(_COMPARED[condition.op](a, b))


def _cut(piece: _Piece, branch: Expr, leaf: Expr) -> Expr:
    """The branch at the variable cut to the piece."""
    pool, within = leaf.pool, leaf
    if piece.low is not None:
        within = pool.node("max", within, pool.constant(piece.low))
    if piece.high is not None:
        within = pool.constant(piece.high) if piece.low == piece.high else pool.node("min", within, pool.constant(piece.high))
    return substitute([branch], {leaf.index: within})[0]


def _joined(pool: ExprPool, pieces: Sequence[_Piece], leaf: Expr) -> Expr:
    """The choice of the piece in which the variable lies."""
    last = pieces[-1].branch
    value = pool.node("undefined") if last is None else last
    for piece in reversed(pieces[:-1]):
        assert piece.high is not None
        before = pool.node("le" if piece.closed else "lt", leaf, pool.constant(piece.high))
        value = pool.where(before, pool.node("undefined") if piece.branch is None else piece.branch, value)
    return value


def _continuous(pool: ExprPool, pieces: Sequence[_Piece], cut: Sequence[_Piece], leaf: Expr) -> Expr | None:
    """The sum of all changes, where neighbours meet; None if they are not seen to do so."""
    inside = [k for k, piece in enumerate(pieces) if piece.branch is not None]
    total = cut[inside[0]].branch
    for j, k in itertools.pairwise(inside):
        before, after, at = pieces[j].branch, pieces[k].branch, pieces[k].low
        assert before is not None and after is not None and at is not None
        bound = pool.node("bound", value=-1)
        values = exact_values(substitute([before, after], {leaf.index: bound}), bound, sp.Rational(at.numerator, at.denominator))
        if not is_zero(values[0] - values[1]):
            return None
        here, = substitute([after], {leaf.index: pool.constant(at)})
        total = total + (cut[k].branch - here)  # type: ignore[operator]
    assert total is not None
    return _joined(pool, [p._replace(branch=total) if p.branch is not None else p for p in _merged(pieces)], leaf)


def _merged(pieces: Sequence[_Piece]) -> list[_Piece]:
    """All pieces with a value as one."""
    inside = [p for p in pieces if p.branch is not None]
    one = _Piece(inside[0].branch, inside[0].low, inside[-1].high, inside[-1].closed)
    return [*([pieces[0]] if pieces[0].branch is None else []), one, *([pieces[-1]] if pieces[-1].branch is None else [])]
