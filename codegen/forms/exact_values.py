"""Values of formulas at exact numbers, by SymPy: what proves that a part of a quotient vanishes at a point."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from ..graph.evaluate import evaluate
from ..graph.expr import Expr

Number = Any

_NAMED = {"pi": sp.pi, "e": sp.E, "euler_gamma": sp.EulerGamma, "catalan": sp.Catalan}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    **{name: getattr(sp, name) for name in (
        "sqrt", "sign", "floor", "ceiling", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
        "asinh", "acosh", "atanh", "erf", "erfc", "loggamma", "gamma")},
    "abs": sp.Abs, "min": sp.Min, "max": sp.Max, "sine_integral": sp.Si, "heaviside": sp.Heaviside,
}


def exact_values(outputs: Sequence[Expr], leaf: Expr, at: Number) -> list[Number]:
    """The values of formulas where the bound leaf is `at`, in terms of their variables and parameters; NaN where one is not found."""
    try:
        return evaluate(outputs, _Exact(at), _Symbols("x"), _Symbols("p"))  # type: ignore[arg-type]
    except (TypeError, ValueError, NotImplementedError):
        return [sp.nan] * len(outputs)


def exact_value(e: Expr) -> Number:
    """The value of a constant expression, or of one in terms of variables."""
    return exact_values([e], e, sp.nan)[0]


def is_zero(value: Number) -> bool:
    """Whether a value is proved to be 0."""
    return bool(value == 0 or (value is not sp.nan and sp.expand(value) == 0))


class _Symbols:
    """The symbol of a variable by its number."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getitem__(self, k: int) -> Number:
        return sp.Symbol(f"{self.name}_{k}", real=True)


class _Exact:
    """Exact values for `evaluate`, one method an operation. A value that is not known is NaN, and so are values made of it."""

    def __init__(self, at: Number) -> None:
        self.at = at

    def __getattr__(self, op: str) -> Callable[..., Number]:
        return _FUNCTIONS.get(op, _unknown)

    def constant(self, value: Fraction | str) -> Number:
        return _NAMED.get(value, sp.nan) if isinstance(value, str) else sp.Rational(value.numerator, value.denominator)

    def bound(self, value: int) -> Number:
        return self.at

    def add(self, a: Number, b: Number) -> Number:
        return a + b

    def sub(self, a: Number, b: Number) -> Number:
        return a - b

    def neg(self, a: Number) -> Number:
        return -a

    def mul(self, a: Number, b: Number) -> Number:
        return a * b

    def div(self, a: Number, b: Number) -> Number:
        return sp.nan if is_zero(b) else a / b

    def fma(self, a: Number, b: Number, c: Number) -> Number:
        return a * b + c

    def power_integer(self, n: int, a: Number) -> Number:
        return a**n

    def pow(self, a: Number, b: Number) -> Number:
        return a**b

    def sinc(self, order: int, x: Number) -> Number:
        return 1 / sp.factorial2(2 * order + 1) if is_zero(x) else sp.nan

    def bessel_j(self, order: int, x: Number) -> Number:
        return sp.besselj(order, x)

    def polygamma(self, order: int, x: Number) -> Number:
        return sp.polygamma(order, x)

    def entropy(self, x: Number) -> Number:
        return sp.S.Zero if is_zero(x) else x * sp.log(x)

    def choice(self, s: Number, a: Number, b: Number) -> Number:
        return a if s.is_positive else b if s.is_negative else sp.nan

    def guarded(self, a: Number, guard: Number) -> Number:
        return a

    def restricted(self, condition: Number, a: Number) -> Number:
        return a

    def either(self, level: int, natural: Number, form: Number, guard: Number, near: Number) -> Number:
        return form if natural is sp.nan else natural


def _unknown(*args: Any) -> Number:
    return sp.nan
