"""Conversion of SymPy classes to nodes of an expression graph: one rule a class (see `from_sympy`)."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy as sp

from .forms.choices import chosen
from .forms.identities import both, cotangent, difference, fraction, logarithm, modulo, product, repetition
from .forms.polynomials import polynomial
from .forms.removable import completed, equal, total
from .functions import Chebyshev, SphericalBesselQuotient, Spline
from .functions.lattices import TricubicSpline
from .graph.binders import bind
from .graph.expr import Expr, ExprPool
from .operators import DefiniteIntegral, Inverse

Convert = Callable[[ExprPool, Any, list[Expr]], Expr]
"""(pool, SymPy node, its converted arguments) -> node."""

# Of an inverse function at a point: quadratic at the end, a bisection at worst.
NEWTON_STEPS = 12


LARGEST_ORDER = 1000
"""The largest order of a Bessel function; a table of larger orders would be zeros."""


LARGEST_POLYGAMMA = 20
"""Beyond, Stirling's series from 8 on says less and less."""


class UnsupportedExpression(ValueError):
    """A SymPy expression that has no inclusion function here; the message names the part and the way out."""


def float_value(e: Any) -> Fraction:
    """The binary number that a SymPy Float holds."""
    sign, mantissa, exponent, _ = e._mpf_
    value = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -value if sign else value


def _add(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    found = total(args)
    if found is not None:
        return found
    result = args[0]
    for a in args[1:]:
        result = result + a
    return polynomial(args, repetition(args, difference(args, result)))


def _mul(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    return product(_with_entropies(p, args))


def _with_entropies(p: ExprPool, factors: list[Expr]) -> list[Expr]:
    """Factors x^a log x with a > 0 by y log y = x^a a log x, which is bounded where x is near 0; x is the argument of a logarithm."""
    factors = list(factors)
    for k, a in enumerate(factors):
        if a.op == "log":
            found = next((j for j, b in enumerate(factors) if _positive_power(b, a.args[0]) is not None), None)
            if found is not None:
                base, power, exponent = _positive_power(factors[found], a.args[0])  # type: ignore[misc]
                factors[found] = p.power_integer(base, exponent - 1) if exponent > 1 else p.constant(1)
                factors[k] = p.node("entropy", base) * (1 / power)
    return factors


def _positive_power(e: Expr, x: Expr) -> tuple[Expr, Fraction, int] | None:
    """(y, a, n) with e = y^n, where y = x^a is positive exactly where x is."""
    base, exponent = (e.args[0], e.value) if e.op == "power_integer" else (e, 1)
    if exponent < 1:
        return None
    if base is x:
        return base, Fraction(1), exponent
    if base.op == "sqrt" and base.args[0] is x:
        return base, Fraction(1, 2), exponent
    power = base.args[1].value if base.op == "pow" and base.args[0] is x and base.args[1].op == "constant" else None
    return (base, power, exponent) if isinstance(power, Fraction) and power > 0 else None


def _pow(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    if len(args) == 1:
        number = Fraction(int(e.exp.p), int(e.exp.q)) if e.exp.is_Rational else float_value(e.exp)
        return _rational_power(p, args[0], number.numerator, number.denominator)
    if e.base is sp.E:
        return p.node("exp", args[1])
    power = p.node("pow", *args)
    if e.base.is_positive or e.exp.is_integer is False:
        return power
    base, exponent, zero = *args, p.constant(0)
    usual, other = p.node("lt", zero, exponent), p.where(p.node("eq", exponent, zero), p.constant(1), p.node("undefined"))
    if not e.base.is_nonnegative:
        usual, other = p.node("and", p.node("le", zero, base), usual), _integer_power(p, base, exponent)
    return p.where(p.node("or", p.node("lt", zero, base), usual), power, other)


def _integer_power(p: ExprPool, base: Expr, exponent: Expr) -> Expr:
    """The power of SymPy for bases that are negative or 0: there it is real for integer exponents alone, and 0^0 is 1.

    The square root is 0 at integers, and undefined elsewhere: so nothing is proved of a box but that the power lies in the bounds.
    """
    zero, one, below = p.constant(0), p.constant(1), p.node("floor", exponent)
    size, half = p.node("pow", p.node("abs", base), exponent), exponent * Fraction(1, 2)
    even = p.node("eq", half, p.node("floor", half))
    nothing = p.node("and", p.node("eq", base, zero), p.node("eq", exponent, zero))
    signed = p.where(nothing, one, size * p.where(even, one, -one))
    return signed + p.node("sqrt", p.node("min", below - exponent, zero))


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
    if numerator < 0 and base.op == "tan":  # 0 at its poles
        return _rational_power(p, cotangent(base.args[0]), -numerator, denominator)
    if numerator < 0:
        return 1 / _rational_power(p, base, -numerator, denominator)
    if denominator == 1:
        return p.power_integer(base, numerator)
    if denominator == 2:
        return p.power_integer(p.node("sqrt", base), numerator)
    return p.node("pow", base, p.constant(Fraction(numerator, denominator)))


def _piecewise(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    """A Piecewise, undefined where no condition holds."""
    value = p.node("undefined")
    for expression, condition in reversed(list(zip(args[::2], args[1::2], strict=True))):
        value = completed(p.where(condition, expression, value))
    return chosen(value, args[::2], args[1::2])


def _equal(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    return equal(*args)


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


def _bessel_j(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    if not (e.order.is_Integer and 0 <= e.order <= LARGEST_ORDER):
        raise UnsupportedExpression(f"the order of besselj must be an integer from 0 to {LARGEST_ORDER}, got {e.order}")
    return p.node("bessel_j", args[1], value=int(e.order))


def _polygamma(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    order = e.args[0]
    if not (order.is_Integer and 0 <= order <= LARGEST_POLYGAMMA):
        raise UnsupportedExpression(f"the order of polygamma must be an integer from 0 to {LARGEST_POLYGAMMA}, got {order}")
    return _reflected(p, args[1], int(order))


def _reflected(p: ExprPool, x: Expr, order: int) -> Expr:
    """psi^(n)(x) = (-1)^n psi^(n)(1 - x) - pi d^n/dx^n cot(pi x) for x < 0 (DLMF 5.15.6), derivatives of c = cot as polynomials of c:
    (P(c))' = -pi P'(c) (1 + c^2).
    """
    pi, slopes = p.constant("pi"), [0, 1]
    for _ in range(order):
        first = [k * a for k, a in enumerate(slopes)][1:]
        slopes = [-(a + b) for a, b in zip([*first, 0, 0], [0, 0, *first], strict=True)]
    # The cotangent as a tangent has its poles alone, the integers.
    c = p.node("tan", pi * (Fraction(1, 2) - x))
    total: Expr = p.constant(slopes[-1])
    for a in reversed(slopes[:-1]):
        total = total * c + a
    beyond = p.node("polygamma", 1 - x, value=order)
    below = (-beyond if order % 2 else beyond) - p.power_integer(pi, order + 1) * total
    return p.where(p.node("le", p.constant(0), x), p.node("polygamma", x, value=order), below)


def _gamma(p: ExprPool, e: Any, args: list[Expr]) -> Expr:
    """pi / (sin(pi x) gamma(1 - x)) for x < 0 (DLMF 5.5.3), the sine by the distances to the integers on both sides of x. The smaller of
    them has no rounding; at points the sine is taken of it.
    """
    (x,) = args
    above = p.node("gamma", x)
    if e.args[0].is_positive:
        return above
    pi, floor, after = p.constant("pi"), p.node("floor", x), p.node("ceiling", x) - x
    size = both(p.node("sin", pi * (x - floor)), p.node("sin", pi * after), near=2 * after)
    # At half of an integer and a quarter the floor has no jump.
    half, quarter = floor * Fraction(1, 2), p.constant(Fraction(1, 4))
    sign = p.where(p.node("lt", half - p.node("floor", half + quarter), quarter), p.constant(1), p.constant(-1))
    below = sign * pi / (size * p.node("gamma", 1 - x))
    return p.where(p.node("lt", p.constant(0), x), above, below)


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


RULES: dict[type, Convert] = {
    sp.Add: _add, sp.Mul: _mul, sp.Pow: _pow, sp.Piecewise: _piecewise, sp.Heaviside: _heaviside,
    sp.Abs: _same("abs"), sp.sign: _same("sign"), sp.floor: _same("floor"), sp.ceiling: _same("ceiling"),
    sp.Min: _fold("min"), sp.Max: _fold("max"),
    sp.exp: _same("exp"), sp.log: lambda p, e, args: logarithm(*args), sp.sin: _same("sin"), sp.cos: _same("cos"), sp.tan: _same("tan"),
    sp.asin: _same("asin"), sp.acos: _same("acos"), sp.atan: _same("atan"), sp.atan2: _same("atan2"),
    sp.sinh: _same("sinh"), sp.cosh: _same("cosh"), sp.tanh: _same("tanh"),
    sp.asinh: _same("asinh"), sp.acosh: _same("acosh"), sp.atanh: _same("atanh"),
    sp.sec: _reciprocal("cos"), sp.csc: _reciprocal("sin"), sp.cot: lambda p, e, args: cotangent(*args),
    sp.sech: _reciprocal("cosh"), sp.csch: _reciprocal("sinh"), sp.coth: _reciprocal("tanh"),
    sp.sinc: lambda p, e, args: p.node("sinc", args[0], value=0),
    sp.erf: _same("erf"), sp.erfc: _same("erfc"), sp.Si: _same("sine_integral"), sp.besselj: _bessel_j,
    sp.gamma: _gamma, sp.loggamma: _same("loggamma"), sp.polygamma: _polygamma,
    sp.digamma: lambda p, e, args: _reflected(p, args[0], 0),
    sp.Integral: lambda p, e, args: args[0], Spline: lambda p, e, args: args[0], DefiniteIntegral: _integral, Inverse: _inverse,
    Chebyshev: _same("chebyshev"), SphericalBesselQuotient: _bessel,
    TricubicSpline: lambda p, e, args: p.node("tricubic", *args, value=e.value),
    sp.frac: lambda p, e, args: fraction(*args),
    sp.Mod: lambda p, e, args: modulo(*args),
    sp.StrictLessThan: _same("lt"), sp.LessThan: _same("le"),
    sp.StrictGreaterThan: _swapped("lt"), sp.GreaterThan: _swapped("le"),
    sp.Equality: _equal, sp.Unequality: lambda p, e, args: p.not_(equal(*args)),
    sp.And: _fold("and"), sp.Or: _fold("or"), sp.Not: lambda p, e, args: p.not_(args[0]),
    sp.ITE: lambda p, e, args: _either(p, *args), sp.Implies: lambda p, e, args: p.node("or", p.not_(args[0]), args[1]),
    sp.Xor: _xor, sp.Equivalent: _equivalent,
}  # fmt: skip
# Classes that SymPy takes long to import, by their modules and names.
_NAMED: dict[tuple[str, str], Convert] = {("sympy.codegen.cfunctions", "fma"): _same("fma")}

SUPPORTED = sorted([*(kind.__name__ for kind in RULES if kind not in (sp.Add, sp.Mul, sp.Pow)), *(name for _, name in _NAMED)])


def rule(kind: type) -> Convert | None:
    """The rule that converts a class; None if there is none."""
    return RULES.get(kind) or _NAMED.get((kind.__module__, kind.__name__))
