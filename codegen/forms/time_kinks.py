"""Kinks of equations in time: where |t - 1|, Max(t, 1) and comparisons of linear formulas of variable 0 change, and the branches beside."""

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from ..graph.expr import Expr, reachable
from .exact_values import exact_value, exact_values, is_zero

_COMPARED = {"lt": lambda d: d < 0, "le": lambda d: d <= 0, "eq": lambda d: d == 0}
_LINEAR = frozenset({"variable", "constant", "add", "sub", "neg", "mul", "div"})
_TIME = sp.Symbol("x_0", real=True)


def kinks(rates: Sequence[Expr]) -> list[Fraction]:
    """The times, in order."""
    return sorted({time for e in reachable(rates) for d in _differences(e) if (time := _zero(d)) is not None})


def _differences(e: Expr) -> list[Expr]:
    """The formulas at whose zeros an operation has its kinks."""
    if e.op == "abs":
        return [e.args[0]]
    return [e.args[0] - e.args[1]] if e.op in ("min", "max", *_COMPARED) else []


def _zero(d: Expr) -> Fraction | None:
    """The zero of a linear formula of the time alone."""
    if any(e.op not in _LINEAR or (e.op == "variable" and e.value) for e in reachable([d])):
        return None
    value = sp.expand(exact_value(d))
    slope, start = value.coeff(_TIME, 1), value.coeff(_TIME, 0)
    if not (slope.is_Rational and start.is_Rational and slope and value == slope * _TIME + start):
        return None
    time = -start / slope
    return Fraction(int(time.p), int(time.q))


def resolved(rates: Sequence[Expr], at: Fraction) -> list[Expr]:
    """The equations by the branches that hold at a time that is no kink."""
    done: dict[int, Expr] = {}
    for e in reachable(rates):
        args = tuple(done[a.index] for a in e.args)
        signs = [_sign(d, at) for d in _differences(e)]
        if signs and signs[0] is not None:
            done[e.index] = _branch(e, args, signs[0])
        else:
            done[e.index] = e if args == e.args else e.pool.node(e.op, *args, value=e.value)
    return [done[e.index] for e in rates]


def _branch(e: Expr, args: tuple[Expr, ...], sign: int) -> Expr:
    if e.op == "abs":
        return args[0] if sign > 0 else -args[0]
    if e.op in _COMPARED:
        return e.pool.node("true" if _COMPARED[e.op](sign) else "false")
    return args[0] if (sign > 0) == (e.op == "max") else args[1]


def _sign(d: Expr, at: Fraction) -> int | None:
    """The sign of a linear formula of the time, which is not 0 there; None for other formulas."""
    if _zero(d) is None:
        return None
    return 1 if exact_value(d).subs(_TIME, sp.Rational(at.numerator, at.denominator)) > 0 else -1


def meet(before: Sequence[Expr], after: Sequence[Expr], time: Fraction) -> bool:
    """Whether both are the same at that time."""
    at = sp.Rational(time.numerator, time.denominator)
    values = exact_values([*before, *after], before[0], sp.nan)
    here = [value.subs(_TIME, at) if value is not sp.nan else value for value in values]
    return all(is_zero(a - b) for a, b in zip(here[:len(before)], here[len(before):], strict=True))
