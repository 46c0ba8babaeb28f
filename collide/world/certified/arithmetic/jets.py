"""Formulas over balls of Arb's, with their derivatives: expression graphs, evaluated with as many digits as are asked for.

A jet is a ball and its derivatives by some variables, a list of balls, or None where all are 0 or not asked for. What is finite encloses
values and derivatives at all points of a box, by the chain rule, operation by operation. Where a formula may jump the result is nan, and
where it may have a kink its derivatives are.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from codegen.graph.evaluate import evaluate
from codegen.graph.expr import Expr

Jet = tuple[Any, list[Any] | None]

_NAMED = {"pi": arb.pi, "e": arb.const_e, "euler_gamma": arb.const_euler, "catalan": arb.const_catalan}
# Functions that balls have under the same name, and their derivatives, by the argument and the value.
_SMOOTH: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda x, y: y, "log": lambda x, y: 1 / x, "sin": lambda x, y: x.cos(), "cos": lambda x, y: -x.sin(),
    "tan": lambda x, y: 1 + y * y, "asin": lambda x, y: (1 - x * x).rsqrt(), "acos": lambda x, y: -(1 - x * x).rsqrt(),
    "atan": lambda x, y: 1 / (1 + x * x), "sinh": lambda x, y: x.cosh(), "cosh": lambda x, y: x.sinh(),
    "tanh": lambda x, y: 1 - y * y, "asinh": lambda x, y: (1 + x * x).rsqrt(), "acosh": lambda x, y: (x * x - 1).rsqrt(),
    "atanh": lambda x, y: 1 / (1 - x * x), "sqrt": lambda x, y: 1 / (2 * y),
    "erf": lambda x, y: 2 * (-x * x).exp() / arb.pi().sqrt(), "erfc": lambda x, y: -2 * (-x * x).exp() / arb.pi().sqrt(),
}  # fmt: skip


class Unsupported(AttributeError):
    """A formula has an operation of which nothing is known here."""


def jets(outputs: Sequence[Expr], variables: Sequence[Jet], parameters: Sequence[Jet] = ()) -> list[Jet]:
    """Jets of expressions of a graph. Raises Unsupported."""
    return evaluate(outputs, _JETS, variables, parameters)


def known(number: Any) -> Jet:
    """The jet of what is constant."""
    return number, None


def _nan(*slopes: list[Any] | None) -> Jet:
    return arb("nan"), next(([arb("nan")] * len(g) for g in slopes if g is not None), None)


def _combined(*terms: tuple[Any, list[Any] | None]) -> list[Any] | None:
    """The sum of multiples of derivatives."""
    found = [[c * e for e in g] for c, g in terms if g is not None]
    return functools.reduce(lambda a, b: list(map(operator.add, a, b)), found) if found else None


def _less(a: Any, b: Any, equal: bool) -> bool | None:
    if (a <= b) if equal else (a < b):
        return True
    return False if ((a > b) if equal else (a >= b)) else None


def _even(a: Any) -> Any:
    """|a|, of which every value is a value of the result."""
    return a.abs_lower().union(a.abs_upper()) + 0 * a


def _raised(a: Any, n: int) -> Any:
    """a to the power n >= 0, by squares. (Arb's own power is no number where a may be 0.)"""
    if n < 2:
        return a if n else arb(1)
    root = _raised(a, n // 2)
    even = root * root if root.is_exact() else _even(root) * _even(root)
    return even * a if n % 2 else even


class _Jets:
    """A method an operation; a truth value is True, False, or None where it is undecided."""

    def __getattr__(self, name: str) -> Callable[..., Jet]:
        if name not in _SMOOTH:
            raise Unsupported(name)

        def function(a: Jet) -> Jet:
            y = getattr(a[0], name)()
            return y, None if a[1] is None else _combined((_SMOOTH[name](a[0], y), a[1]))

        return function

    @staticmethod
    @functools.lru_cache(maxsize=1 << 12)
    def _number(value: Fraction) -> Any:
        return fmpq(value.numerator, value.denominator)

    def constant(self, value: Fraction | str) -> Jet:
        return known(_NAMED[value]() if isinstance(value, str) else arb(self._number(value)))

    def undefined(self) -> Jet:
        return _nan()

    def add(self, a: Jet, b: Jet) -> Jet:
        return a[0] + b[0], a[1] if b[1] is None else b[1] if a[1] is None else list(map(operator.add, a[1], b[1]))

    def sub(self, a: Jet, b: Jet) -> Jet:
        return self.add(a, self.neg(b))

    def neg(self, a: Jet) -> Jet:
        return -a[0], None if a[1] is None else [-e for e in a[1]]

    def mul(self, a: Jet, b: Jet) -> Jet:
        return a[0] * b[0], _combined((b[0], a[1]), (a[0], b[1]))

    def entropy(self, a: Jet) -> Jet:
        """x log x."""
        return self.mul(a, self.log(a))  # type: ignore[attr-defined]

    def fma(self, a: Jet, b: Jet, c: Jet) -> Jet:
        return self.add(self.mul(a, b), c)

    def div(self, a: Jet, b: Jet) -> Jet:
        y = a[0] / b[0]
        return y, _combined((1 / b[0], a[1]), (-y / b[0], b[1]))

    def power_integer(self, n: int, a: Jet) -> Jet:
        return _raised(a[0], n), None if a[1] is None else _combined((n * _raised(a[0], n - 1), a[1]))

    def pow(self, a: Jet, b: Jet) -> Jet:
        """exp(b log a), for a > 0."""
        if not a[0] > 0:
            return _nan(a[1], b[1])
        y = (a[0].log() * b[0]).exp()
        return y, _combined((y * b[0] / a[0], a[1]), (y * a[0].log(), b[1]))

    def atan2(self, b: Jet, a: Jet) -> Jet:
        if not (a[0] > 0 or b[0] > 0 or b[0] < 0):
            return _nan(a[1], b[1])
        square = a[0] * a[0] + b[0] * b[0]
        return arb.atan2(b[0], a[0]), _combined((a[0] / square, b[1]), (-b[0] / square, a[1]))

    # -- choices ------------------------------------------------------------------------------------------------------

    def abs(self, a: Jet) -> Jet:
        return self._kinked(_even(a[0]), a, a, self.neg(a))

    def min(self, a: Jet, b: Jet) -> Jet:
        return self._kinked(a[0].min(b[0]), self.sub(b, a), a, b)

    def max(self, a: Jet, b: Jet) -> Jet:
        return self._kinked(a[0].max(b[0]), self.sub(a, b), a, b)

    def _kinked(self, value: Any, s: Jet, a: Jet, b: Jet) -> Jet:
        """The value, with the derivatives of a where s > 0, of b where s < 0."""
        return value, a[1] if s[0] > 0 else b[1] if s[0] < 0 else _nan(a[1], b[1])[1]

    def sign(self, a: Jet) -> Jet:
        return known(arb(1)) if a[0] > 0 else known(arb(-1)) if a[0] < 0 else _nan(a[1])

    def heaviside(self, a: Jet) -> Jet:
        return known(arb(1)) if a[0] > 0 else known(arb(0)) if a[0] < 0 else _nan(a[1])

    def floor(self, a: Jet) -> Jet:
        found = a[0].floor()
        return known(found) if found.is_exact() and not a[0].contains(found) else _nan(a[1])

    def ceiling(self, a: Jet) -> Jet:
        return self.neg(self.floor(self.neg(a)))

    def where(self, condition: bool | None, a: Jet, b: Jet) -> Jet:
        return _nan(a[1], b[1]) if condition is None else a if condition else b

    def restricted(self, condition: bool | None, a: Jet) -> Jet:
        return a if condition else _nan(a[1])

    def either(self, level: int, a: Jet, form: Jet, guard: Jet, near: Jet) -> Jet:
        """Two forms of one function: the first, where it has a value."""
        return a if all(e.is_finite() for e in (a[0], *(a[1] or ()))) else self.trusted(level, form, guard)

    def hull(self, a: Jet, b: Jet) -> Jet:
        return a[0].union(b[0]), _nan(a[1], b[1])[1] if a[1] or b[1] else None

    def choice(self, s: Jet, a: Jet, b: Jet) -> Jet:
        """a where s > 0, b where s < 0: the derivative of a function that has a kink at 0."""
        return a if s[0] > 0 else b if s[0] < 0 else _nan(a[1], b[1])

    def guarded(self, a: Jet, guard: Jet) -> Jet:
        good = all(e.is_finite() for e in (guard[0], *(guard[1] or ())))
        return a if good else _nan(a[1], guard[1])

    def trusted(self, level: int, a: Jet, guard: Jet) -> Jet:
        """A derivative, where the function that it belongs to is smooth."""
        return self.guarded(a, guard)

    def refined(self, a: Jet, form: Jet) -> Jet:
        return a

    # -- truth --------------------------------------------------------------------------------------------------------

    def lt(self, a: Jet, b: Jet) -> bool | None:
        return _less(a[0], b[0], False)

    def le(self, a: Jet, b: Jet) -> bool | None:
        return _less(a[0], b[0], True)

    def eq(self, a: Jet, b: Jet) -> bool | None:
        return True if a[0] == b[0] else False if a[0] != b[0] else None

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


_JETS = _Jets()
