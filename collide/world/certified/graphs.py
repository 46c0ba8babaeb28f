"""Formulas over balls of Arb's: expression graphs, evaluated with as many digits as are asked for.

What is finite encloses. On a box of balls a derivative that comes out finite is that of a function which is differentiable there, so the
mean value theorem holds with it: where a formula, or a derivative in it, may jump, the result is nan.
"""

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from codegen.graph.evaluate import evaluate
from codegen.graph.expr import Expr

_NAMED = {"pi": arb.pi, "e": arb.const_e, "euler_gamma": arb.const_euler, "catalan": arb.const_catalan}
# Operations that balls have under the same name, and are smooth wherever their results are finite.
_SMOOTH = {"exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sqrt", "erf",
           "erfc", "gamma"}


class Unsupported(AttributeError):
    """A formula has an operation of which nothing is known here."""


def values(outputs: Sequence[Expr], variables: Sequence[Any], parameters: Sequence[Any] = ()) -> list[Any]:
    """Enclosures of expressions of a graph over balls. Raises Unsupported."""
    return evaluate(outputs, _BALLS, variables, parameters)


def _nan() -> Any:
    return arb("nan")


def _sure(truth: bool | None, yes: Any, no: Any) -> Any:
    """One of two branches, whose condition may be undecided: then the formula may jump."""
    return _nan() if truth is None else yes if truth else no


def _less(a: Any, b: Any, orequal: bool) -> bool | None:
    if (a <= b) if orequal else (a < b):
        return True
    return False if ((a > b) if orequal else (a >= b)) else None


def _even(a: Any) -> Any:
    """|a|, of which every value is a value of the result."""
    return a.abs_lower().union(a.abs_upper()) + 0 * a


def _power(exponent: int, a: Any) -> Any:
    return (_even(a) if exponent % 2 == 0 and not a.is_exact() else a) ** exponent


class _Balls:
    """A method an operation; a truth value is True, False, or None where it is undecided."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _SMOOTH:
            raise Unsupported(name)
        return lambda a: getattr(a, name)()

    @staticmethod
    @functools.lru_cache(maxsize=1 << 12)
    def _number(value: Fraction) -> Any:
        return fmpq(value.numerator, value.denominator)

    def constant(self, value: Fraction | str) -> Any:
        return _NAMED[value]() if isinstance(value, str) else arb(self._number(value))

    def undefined(self) -> Any:
        return _nan()

    def add(self, a: Any, b: Any) -> Any:
        return a + b

    def sub(self, a: Any, b: Any) -> Any:
        return a - b

    def neg(self, a: Any) -> Any:
        return -a

    def mul(self, a: Any, b: Any) -> Any:
        return a * b

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        return a * b + c

    def div(self, a: Any, b: Any) -> Any:
        return a / b

    def power_integer(self, exponent: int, a: Any) -> Any:
        return _power(exponent, a)

    def pow(self, a: Any, b: Any) -> Any:
        """exp(b log a), for a > 0."""
        return (a.log() * b).exp() if a > 0 else _nan()

    def atan2(self, b: Any, a: Any) -> Any:
        return arb.atan2(b, a) if a > 0 or b > 0 or b < 0 else _nan()

    def abs(self, a: Any) -> Any:
        return _even(a)

    def min(self, a: Any, b: Any) -> Any:
        return a.min(b)

    def max(self, a: Any, b: Any) -> Any:
        return a.max(b)

    def sign(self, a: Any) -> Any:
        return arb(1) if a > 0 else arb(-1) if a < 0 else _nan()

    def heaviside(self, a: Any) -> Any:
        return arb(1) if a > 0 else arb(0) if a < 0 else _nan()

    def floor(self, a: Any) -> Any:
        found = a.floor()
        return found if found.is_exact() and not a.contains(found) else _nan()

    def ceiling(self, a: Any) -> Any:
        return -self.floor(-a)

    # -- truth --------------------------------------------------------------------------------------------------------

    def lt(self, a: Any, b: Any) -> bool | None:
        return _less(a, b, False)

    def le(self, a: Any, b: Any) -> bool | None:
        return _less(a, b, True)

    def eq(self, a: Any, b: Any) -> bool | None:
        return True if a == b else False if a != b else None

    def true(self) -> bool:
        return True

    def false(self) -> bool:
        return False

    def not_(self, a: bool | None) -> bool | None:
        return None if a is None else not a

    def and_(self, a: bool | None, b: bool | None) -> bool | None:
        return False if False in (a, b) else None if None in (a, b) else True

    def or_(self, a: bool | None, b: bool | None) -> bool | None:
        return True if True in (a, b) else None if None in (a, b) else False

    def where(self, condition: bool | None, a: Any, b: Any) -> Any:
        return _sure(condition, a, b)

    def choice(self, s: Any, a: Any, b: Any) -> Any:
        """a where s > 0, b where s < 0: the derivative of a function that has a kink at 0."""
        return a if s > 0 else b if s < 0 else _nan()

    def guarded(self, a: Any, guard: Any) -> Any:
        return a + 0 * guard

    def trusted(self, level: int, a: Any, guard: Any) -> Any:
        """A derivative, where the function that it belongs to is defined."""
        return a + 0 * guard

    def refined(self, a: Any, form: Any) -> Any:
        return a


_BALLS = _Balls()
