"""SymPy expressions with a variable of their own: definite integrals, inverses of monotone functions."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import mpmath
import sympy as sp

from .given import expression, lambdified, shown
from .walk import atoms, free_symbols, replaced


class BoundSymbol(sp.Dummy):  # type: ignore[misc]
    """The variable of an operator below: a symbol of its own, so replacing the symbol it was made from leaves it alone.

    Its `dummy_index` is how many such operators lie nested inside the formula it is bound in.
    """

    def _sympystr(self, printer: Any) -> str:
        return str(self.name)

    def _latex(self, printer: Any) -> str:
        return str(printer._print_Symbol(self))


class Operator(sp.Expr):  # type: ignore[misc]
    """``Operator(f, s, ...)``: a real number made of a function s -> f; s is bound in f and nowhere else."""

    @classmethod
    def _bound(cls, f: Any, s: Any) -> tuple[Any, Any]:
        """The formula and its variable as a `BoundSymbol`."""
        f, s = expression(f, f"the function of {cls.__name__}"), expression(s, f"the variable of {cls.__name__}")
        if not isinstance(s, sp.Symbol):
            raise TypeError(f"{cls.__name__} needs a symbol as its variable, got {shown(s)}; write {cls.__name__}(f, s, ...) for f of s")
        if not isinstance(f, sp.Expr):
            raise TypeError(f"{cls.__name__} needs a real expression, got {shown(f)} of type {type(f).__name__}")
        depth = 1 + max((e.variable.dummy_index for e in atoms(f, Operator)), default=-1)
        if isinstance(s, BoundSymbol) and s.dummy_index == depth:
            return f, s
        own = BoundSymbol(s.name, dummy_index=depth, real=True)
        return replaced(f, {s: own}), own

    @property
    def function(self) -> Any:
        return self.args[0]

    @property
    def variable(self) -> Any:
        return self.args[1]

    @property
    def free_symbols(self) -> set[Any]:
        return (free_symbols(self.function) - {self.variable}) | free_symbols(*self.args[2:])

    @property
    def is_number(self) -> bool:
        return not self.free_symbols

    def at(self, value: Any) -> Any:
        """f at s = value."""
        return replaced(self.function, {self.variable: expression(value, f"the variable of {type(self).__name__}")})

    def _xreplace(self, rule: Any) -> Any:
        return super()._xreplace({old: new for old, new in rule.items() if old != self.variable})

    def _eval_is_real(self) -> bool | None:
        return True if all(e.is_real for e in self.args) else None

    def _eval_is_extended_positive(self) -> bool | None:
        """Not by evaluation, which is what SymPy does with numbers unasked."""
        return None

    def _eval_is_extended_negative(self) -> bool | None:
        return None

    def _eval_evalf(self, prec: int) -> Any:
        value = None if self.free_symbols else _evaluated(self, prec)
        return None if value is None or not mpmath.isfinite(value) else sp.Float._new(value._mpf_, prec)


def separate(expressions: Sequence[Any]) -> tuple[list[Any], dict[Any, sp.Symbol]]:
    """The expressions with a symbol in the place of every operator that lies in no other one, and which symbol stands for which."""
    places: dict[Any, sp.Symbol] = {}
    stack, seen = list(expressions), set[int]()
    while stack:
        e = stack.pop()
        if id(e) in seen:
            continue
        seen.add(id(e))
        if not isinstance(e, Operator):
            stack.extend(e.args)
        elif e not in places:
            places[e] = sp.Dummy(real=True)
    return [replaced(e, places) for e in expressions], places


@lru_cache(maxsize=4096)
def _evaluated(operator: Any, prec: int) -> Any:
    with mpmath.workprec(prec + 10):
        return operator._function([])()


def mpmath_function(e: Any, symbols: Sequence[Any]) -> Callable[..., Any]:
    """e as a function of mpmath numbers, one a symbol."""
    plain, places = separate([e])
    function = lambdified([*symbols, *places.values()], plain, "mpmath")
    inner = [operator._function(symbols) for operator in places]
    return lambda *values: mpmath.mpmathify(function(*values, *(g(*values) for g in inner))[0])


class DefiniteIntegral(Operator):
    """``DefiniteIntegral(f, s, a, b)`` is the integral of f, a formula of s and anything else, from s = a to s = b.

    The limits are expressions; b may be below a. Undefined unless f is defined and bounded between them: improper integrals
    are not taken. Bounds come from Gauss's rule with its remainder on `panels` equal parts (see `codegen.graph.quadrature`); doubling
    the parts divides the width of the bounds by about 2000, where it is not rounding, and doubles the time. SymPy's `Integral`
    with two limits means the same.

    >>> from sympy import sin, symbols
    >>> s, x = symbols("s x", real=True)
    >>> DefiniteIntegral(sin(s * x), s, 0, x).diff(x)
    sin(x**2) + DefiniteIntegral(s*cos(s*x), s, 0, x)
    """

    PANELS = 32

    def __new__(cls, f: Any, s: Any, a: Any, b: Any, panels: Any = PANELS) -> Any:
        panels = expression(panels, "the number of panels")
        if not (isinstance(panels, sp.Integer) and 1 <= panels <= 4096):
            raise ValueError(f"panels must be an integer from 1 to 4096, got {shown(panels)}")
        function, own = cls._bound(f, s)
        a, b = (expression(e, "a limit of an integral") for e in (a, b))
        if own not in function.free_symbols or a == b:
            return function * (b - a) if a != b else sp.Integer(0)
        return sp.Expr.__new__(cls, function, own, a, b, panels)

    def _eval_derivative(self, x: Any) -> Any:
        """Leibniz's rule."""
        f, s, a, b, panels = self.args
        inside = f.diff(x)
        total = self.at(b) * b.diff(x) - self.at(a) * a.diff(x)
        return total if inside.is_zero else total + DefiniteIntegral(inside, s, a, b, panels)

    def _eval_is_extended_positive(self) -> bool | None:
        f, _, a, b, _ = self.args
        return True if f.is_positive and (b - a).is_positive else None

    def _written(self) -> Any:
        f, s, a, b, _ = self.args
        return sp.Integral(f, (s, a, b))

    def _function(self, symbols: Sequence[Any]) -> Callable[..., Any]:
        f = mpmath_function(self.function, [self.variable, *symbols])
        a, b = (mpmath_function(e, symbols) for e in self.args[2:4])
        return lambda *values: mpmath.quad(lambda s: f(s, *values), [a(*values), b(*values)])

    def _sympystr(self, printer: Any) -> str:
        *parts, panels = self.args
        inside = ", ".join(printer._print(e) for e in parts)
        return f"DefiniteIntegral({inside}{'' if panels == self.PANELS else f', panels={panels}'})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        text = printer._print(self._written())
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _pretty(self, printer: Any) -> Any:
        return printer._print(self._written())


def _known_inverse(f: Any, s: Any, y: Any) -> Any:
    """b, if f is an integral from a to s and y the same integral from a to b, or a, if y is 0: the ends of a curve."""
    if not (isinstance(f, DefiniteIntegral) and f.args[3] == s and not f.args[0].has(s) and not f.args[2].has(s)):
        return None
    if y.is_zero:
        return f.args[2]
    return y.args[3] if isinstance(y, DefiniteIntegral) and y.args[2] == f.args[2] and y.at(s) == f.at(s) else None


class Inverse(Operator):
    """``Inverse(f, s, y, lo, hi)`` is the s between lo and hi where f, a formula of s and anything else, has the value y.

    f must be strictly monotone, with a derivative other than 0, from lo to hi inclusive. Bounds are [lo, hi] at level 0 where a
    kernel cannot prove that, or cannot prove y to lie between f(lo) and f(hi); else they come from an interval Newton step
    (see `codegen.graph.quadrature`). Undefined for other y.

    >>> from sympy import symbols
    >>> s, x = symbols("s x", real=True)
    >>> Inverse(s**3 + s, s, x, -2, 2).diff(x)
    1/(3*Inverse(s**3 + s, s, x, -2, 2)**2 + 1)
    """

    def __new__(cls, f: Any, s: Any, y: Any, lo: Any, hi: Any) -> Any:
        function, own = cls._bound(f, s)
        if own not in function.free_symbols:
            raise ValueError(f"Inverse needs a function of {s}, got {function}, which does not depend on it")
        y, lo, hi = (expression(e, "an argument of Inverse") for e in (y, lo, hi))
        known = _known_inverse(function, own, y)
        if known is not None and (lo <= known) == sp.true and (known <= hi) == sp.true:
            return known
        return sp.Expr.__new__(cls, function, own, y, lo, hi)

    @property
    def is_number(self) -> bool:
        """SymPy evaluates numbers unasked, to learn their signs; an inverse of an integral is too dear for that."""
        return False

    def _eval_derivative(self, x: Any) -> Any:
        """(y' - f_x) / f_s at the inverse: the implicit function theorem."""
        f, s, y, _, _ = self.args
        above = y.diff(x) - f.diff(x).xreplace({s: self})
        return above / f.diff(s).xreplace({s: self}) if above != 0 else above

    def _function(self, symbols: Sequence[Any]) -> Callable[..., Any]:
        f, s = self.function, self.variable
        value, rate = (mpmath_function(e, [s, *symbols]) for e in (f, f.diff(s)))
        y, lo, hi = (mpmath_function(e, symbols) for e in self.args[2:5])

        def solve(*values: Any) -> Any:
            """Newton's method, kept inside [lo, hi] by bisection."""
            target, left, right = y(*values), lo(*values), hi(*values)
            if (target - value(left, *values)) * (value(right, *values) - target) < 0:
                return mpmath.nan
            at, accuracy = (left + right) / 2, mpmath.eps * (abs(left) + abs(right))
            for _ in range(2 * mpmath.mp.prec):
                move = (value(at, *values) - target) / rate(at, *values)
                left, right = (left, at) if move > 0 else (at, right)
                at = at - move if left <= at - move <= right else (left + right) / 2
                if abs(move) <= accuracy or right - left <= accuracy:
                    break
            return at

        return solve

    def _sympystr(self, printer: Any) -> str:
        return f"Inverse({', '.join(printer._print(e) for e in self.args)})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        f, s, y, lo, hi = (printer._print(e) for e in self.args)
        text = rf"\left({s} \mapsto {f}\right)^{{-1}}_{{\left[{lo}, {hi}\right]}}\left({y}\right)"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"
