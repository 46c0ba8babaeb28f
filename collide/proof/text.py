"""Formulas of SymPy as text of logs, exactly: prefix form, with definitions for what occurs often."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from codegen.functions import Chebyshev, Spline
from codegen.functions.lattices import TricubicSpline
from codegen.functions.primitives import AppliedPrimitive, Primitive
from codegen.given import expression

from .checker.formulas import RULES

_NAMES = {sp.sin: "sin", sp.cos: "cos", sp.tan: "tan", sp.exp: "exp", sp.log: "log", sp.asin: "asin", sp.acos: "acos", sp.atan: "atan",
          sp.sinh: "sinh", sp.cosh: "cosh", sp.tanh: "tanh", sp.asinh: "asinh", sp.Abs: "abs", sp.floor: "floor", sp.Min: "min",
          sp.Max: "max", sp.Add: "+", sp.Mul: "*", sp.And: "min", sp.Or: "max", sp.Not: "neg"}
_RECIPROCAL = {sp.sec: "cos", sp.csc: "sin", sp.cot: "tan", sp.sech: "cosh", sp.csch: "sinh", sp.coth: "tanh"}
# A part that occurs more than once is defined once if its text is longer.
_SHORT = 12


class NoLog(ValueError):
    """There is no log of this; the message says why, in a sentence."""


def reason(error: BaseException) -> str:
    """The reason why there is no log of an answer that was found."""
    if isinstance(error, KeyboardInterrupt):
        return "it was interrupted"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) if isinstance(error, (OSError, ValueError)) and str(error) else f"of an error, {error!r}"


def value_text(x: Any) -> str:
    """A rational number: as integers, or as the double that it is."""
    q = Fraction(int(x.p), int(x.q)) if isinstance(x, sp.Rational) else Fraction(x)
    if q.denominator > 1000 and float(q) == q:
        return float(q).hex()
    return str(q)


class Texts:
    """The writer of formulas; `definitions` are the lines that they refer to, and `assumed` those of functions that the user declared, by
    name.
    """

    def __init__(self, formulas: Iterable[Any]) -> None:
        self.definitions: list[str] = []
        self.assumed: dict[str, str] = {}
        self._done: dict[Any, str] = {}
        self._count: Counter[Any] = Counter()
        for f in map(expression, formulas):
            self._count_parts(f)

    def _count_parts(self, formula: Any) -> None:
        stack = [formula]
        while stack:
            e = stack.pop()
            self._count[e] += 1
            if self._count[e] == 1:
                stack.extend(_parts(e))

    def of(self, formula: Any) -> str:
        """The text of a formula."""
        stack = [expression(formula)]
        while stack:
            e = stack[-1]
            waiting = [p for p in _parts(e) if p not in self._done]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if e not in self._done:
                text = self._written(e)
                often = self._count[e] > 1 and not isinstance(e, (Relational, sp.logic.boolalg.Boolean))
                self._done[e] = self._defined(text) if often else text
        return self._done[expression(formula)]

    def _assume(self, f: Primitive) -> None:
        """The line of a declared function, after those of functions that it is made of."""
        if f.native:
            raise NoLog(f"no log can be written for formulas with {f.name}, whose bounds are native code, which its checker cannot read")
        own = _Whole([])
        text = " ".join(own.of(e) for e in (*f.bounds, *(f.slopes if f.level == 3 else ())))
        for name, line in (*own.assumed.items(), (f.name, f"{f.arguments} {text}")):
            if self.assumed.setdefault(name, line) != line:
                raise NoLog(f"no log can be written for two functions of the name {name}")
            if name in RULES:
                raise NoLog(f"no log can be written for a declared function of the name {name}, which its checker has; call it otherwise")

    def _defined(self, text: str) -> str:
        """The name of a definition, if the text is long."""
        if len(text) <= _SHORT:
            return text
        self.definitions.append(text)
        return f"#{len(self.definitions)}"

    def _written(self, e: Any) -> str:
        if isinstance(e, (sp.Rational, sp.Float)):
            return value_text(sp.Rational(e))
        if e in (sp.pi, sp.E):
            return "pi" if e is sp.pi else "e"
        if isinstance(e, sp.Symbol):
            return str(e.name)
        parts = [self._done[p] for p in _parts(e)]
        if isinstance(e, sp.Mul):
            return _product(parts)
        if isinstance(e, sp.Pow):
            several = e.exp.is_Rational and abs(e.exp.p) > 2 and e.exp.p % 2
            return _power(e, [self._defined(parts[0]) if several else parts[0], *parts[1:]])
        if isinstance(e, sp.Piecewise):
            return _cases(e, parts)
        if isinstance(e, Spline):
            return parts[0]
        if isinstance(e, AppliedPrimitive):
            self._assume(e.primitive)
            return f"({e.primitive.name} {' '.join(parts)})"
        if isinstance(e, Chebyshev):
            return _series(parts)
        if isinstance(e, Relational):
            return _comparison(e, parts)
        for kind, name in _NAMES.items():
            if type(e) is kind:
                return f"({name} {' '.join(parts)})"
        if type(e) in _RECIPROCAL:
            return f"(inv ({_RECIPROCAL[type(e)]} {parts[0]}))"
        raise NoLog(f"no log can be written for formulas with {type(e).__name__}, which its checker does not know")


class _Whole(Texts):
    """The writer of formulas without definitions."""

    def _defined(self, text: str) -> str:
        return text


def _parts(e: Any) -> tuple[Any, ...]:
    """The parts whose texts the text of e is made of."""
    if isinstance(e, Spline):
        return (e.unrolled(),)
    if isinstance(e, sp.Piecewise):
        return tuple(part for pair in e.args for part in pair.args if part is not sp.true)
    if isinstance(e, sp.Pow) and e.exp.is_Rational:
        return (e.base,)
    if isinstance(e, TricubicSpline):
        return ()
    if isinstance(e, AppliedPrimitive):
        return tuple(e.args[1:])
    return tuple(e.args)


def _product(parts: list[str]) -> str:
    """Factors with negative exponents become one denominator, which comes last."""
    above = [p for p in parts if not p.startswith("(inv ")]
    below = [p[5:-1] for p in parts if p.startswith("(inv ")]
    if above[:1] == ["-1"] and len(parts) > 1:
        return f"(neg {_product(parts[1:])})"
    return _joined("*", [*above, *([f"(inv {_joined('*', below)})"] if below else [])])


def _joined(name: str, parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({name} {' '.join(parts)})"


def _raised(base: str, n: int) -> str:
    """A power, by squares."""
    if n == 1:
        return base
    even = f"(square {_raised(base, n // 2)})"
    return f"(* {even} {base})" if n % 2 else even


def _power(e: Any, parts: list[str]) -> str:
    if e.base is sp.E:
        return f"(exp {parts[-1]})"
    if len(parts) == 2:
        return f"(exp (* {parts[1]} (log {parts[0]})))"
    n, d = abs(int(e.exp.p)), int(e.exp.q)
    if d > 2:
        root = f"(exp (* {n}/{d} (log {parts[0]})))"
    else:
        root = parts[0] if d == 1 else f"(sqrt {parts[0]})"
        root = _raised(root, n)
    return root if e.exp > 0 else f"(inv {root})"


def _cases(e: Any, parts: list[str]) -> str:
    """The text of a formula by cases, undefined where no condition holds: log(-1)."""
    given, text = iter(parts), []
    for _, condition in e.args:
        text.append((next(given), None if condition is sp.true else next(given)))
    value = "(log -1)" if text[-1][1] is not None else ""
    for case, condition in reversed(text):
        value = case if condition is None else f"(if {condition} {case} {value})"
    return value


def _comparison(e: Any, parts: list[str]) -> str:
    if isinstance(e, (sp.StrictLessThan, sp.LessThan)):
        return f"(- {parts[1]} {parts[0]})"
    if isinstance(e, (sp.StrictGreaterThan, sp.GreaterThan)):
        return f"(- {parts[0]} {parts[1]})"
    raise NoLog("no log can be written for formulas that ask whether numbers are equal")


def _series(parts: list[str]) -> str:
    raise NoLog("no log can be written for Chebyshev series yet")
