"""How each SymPy class becomes nodes of an expression graph: one rule a class, by its name (see `from_sympy`)."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy as sp

from .functions import Chebyshev, SphericalBesselQuotient
from .graph.binders import bind
from .graph.expr import Expr, ExprPool
from .operators import DefiniteIntegral, Inverse

Convert = Callable[[ExprPool, Any, list[Expr]], Expr]
"""(pool, SymPy node, its converted arguments) -> node."""

# Of an inverse function at a point: quadratic at the end, a bisection at worst.
NEWTON_STEPS = 12


class UnsupportedExpression(ValueError):
    """A SymPy expression that has no inclusion function here; the message names the part and the way out."""


def float_value(e: Any) -> Fraction:
    """The binary number that a SymPy Float holds."""
    sign, mantissa, exponent, _ = e._mpf_
    value = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -value if sign else value


def _add(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    total = args[0]
    for a in args[1:]:
        total = total + a
    return total


def _mul(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    """Factors with negative exponents are gathered into one denominator: one division instead of several."""
    above: Expr | None = None
    below: Expr | None = None
    for a in args:
        if a.op == "div" and a.args[0].op == "constant" and a.args[0].value == 1:
            below = a.args[1] if below is None else below * a.args[1]
        else:
            above = a if above is None else above * a
    above = p.constant(1) if above is None else above
    return above if below is None else above / below


def _pow(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    if len(args) == 1:
        exponent = Fraction(int(e.exp.p), int(e.exp.q)) if e.exp.is_Rational else float_value(e.exp)
        return _rational_power(p, args[0], exponent.numerator, exponent.denominator)
    if e.base is sp.E:
        return p.node("exp", args[1])
    return p.node("pow", *args)


def _xor(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    """True of an odd number of conditions."""
    total = args[0]
    for a in args[1:]:
        total = _either(p, total, p.not_(a), a)
    return total


def _equivalent(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    """All or none."""
    every, some = _fold("and")(p, e, args), _fold("or")(p, e, args)
    return p.node("or", every, p.not_(some))


def _either(p: ExprPool, condition: Expr, yes: Expr, no: Expr) -> Expr:
    return p.node("or", p.node("and", condition, yes), p.node("and", p.not_(condition), no))


def _rational_power(p: ExprPool, base: Expr, numerator: int, denominator: int) -> Expr:
    if numerator < 0:
        return 1 / _rational_power(p, base, -numerator, denominator)
    if denominator == 1:
        return p.power_integer(base, numerator)
    if denominator == 2:
        return p.power_integer(p.node("sqrt", base), numerator)
    return p.node("pow", base, p.constant(Fraction(numerator, denominator)))


def _piecewise(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    """Where no condition holds a Piecewise is undefined."""
    value = p.node("undefined")
    for expression, condition in reversed(list(zip(args[::2], args[1::2], strict=True))):
        value = p.where(condition, expression, value)
    return value


def _heaviside(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    x, at_zero = args
    if at_zero.op == "constant" and at_zero.value == Fraction(1, 2):
        return p.node("heaviside", x)
    zero, one = p.constant(0), p.constant(1)
    return p.where(p.node("lt", x, zero), zero, p.where(p.node("eq", x, zero), at_zero, one))


def _bessel(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    order = e.args[0]
    if not (order.is_Integer and order >= 0):
        raise UnsupportedExpression(f"the order of SphericalBesselQuotient must be an integer from 0 up, got {order}")
    return p.node("sinc", args[1], value=int(order))


def _integral(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    f, a, b, _ = args
    return bind("integral", f, p.node("bound", value=int(e.variable.dummy_index)), a, b, value=int(e.args[4]))


def _inverse(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    f, *rest = args
    return bind("inverse", f, p.node("bound", value=int(e.variable.dummy_index)), *rest, value=NEWTON_STEPS)


def _fold(op: str) -> Convert:
    def rule(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
        total = args[0]
        for a in args[1:]:
            total = p.node(op, total, a)
        return total
    return rule


def _same(op: str) -> Convert:
    return lambda p, e, args: p.node(op, *args)


def _swapped(op: str) -> Convert:
    return lambda p, e, args: p.node(op, args[1], args[0])


def _reciprocal(op: str) -> Convert:
    return lambda p, e, args: 1 / p.node(op, *args)


RULES: dict[str, Convert] = {
    "Add": _add, "Mul": _mul, "Pow": _pow, "Piecewise": _piecewise, "Heaviside": _heaviside,
    "Abs": _same("abs"), "sign": _same("sign"), "floor": _same("floor"), "ceiling": _same("ceiling"),
    "Min": _fold("min"), "Max": _fold("max"),
    "exp": _same("exp"), "log": _same("log"), "sin": _same("sin"), "cos": _same("cos"), "tan": _same("tan"),
    "asin": _same("asin"), "acos": _same("acos"), "atan": _same("atan"), "atan2": _same("atan2"),
    "sinh": _same("sinh"), "cosh": _same("cosh"), "tanh": _same("tanh"),
    "asinh": _same("asinh"), "acosh": _same("acosh"), "atanh": _same("atanh"),
    "sec": _reciprocal("cos"), "csc": _reciprocal("sin"), "cot": _reciprocal("tan"),
    "sech": _reciprocal("cosh"), "csch": _reciprocal("sinh"), "coth": _reciprocal("tanh"),
    "sinc": lambda p, e, args: p.node("sinc", args[0], value=0),
    "Integral": lambda p, e, args: args[0], DefiniteIntegral.__name__: _integral, Inverse.__name__: _inverse,
    Chebyshev.__name__: _same("chebyshev"), SphericalBesselQuotient.__name__: _bessel,
    "fma": _same("fma"),
    "frac": lambda p, e, args: args[0] - p.node("floor", args[0]),
    "Mod": lambda p, e, args: args[0] - args[1] * p.node("floor", args[0] / args[1]),
    "StrictLessThan": _same("lt"), "LessThan": _same("le"),
    "StrictGreaterThan": _swapped("lt"), "GreaterThan": _swapped("le"),
    "Equality": _same("eq"), "Unequality": lambda p, e, args: p.not_(p.node("eq", *args)),
    "And": _fold("and"), "Or": _fold("or"), "Not": lambda p, e, args: p.not_(args[0]),
    "ITE": lambda p, e, args: _either(p, *args), "Implies": lambda p, e, args: p.node("or", p.not_(args[0]), args[1]),
    "Xor": _xor, "Equivalent": _equivalent,
}  # fmt: skip

SUPPORTED = sorted(name for name in RULES if name not in ("Add", "Mul", "Pow"))
