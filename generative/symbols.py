"""The symbols that formulas are written in, and the rules that keep formulas exact.

Every number that enters is kept as the exact real number it stands for: a float becomes the binary rational it holds,
so no later step of SymPy can round it. A formula may contain the symbols of this module only.
"""

import contextlib
import functools
from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from codegen import walk
from codegen.given import TEXT, expression, shown
from codegen.operators import separate
from codegen.walk import Survey, atoms, check_nesting, free_symbols, is_writable, nesting, replaced, survey

u, v, t, x, y, z = (sp.Symbol(name, real=True) for name in "uvtxyz")
"""u and v are surface parameters, t is time, x, y and z are coordinates; all real."""

SYMBOLS: dict[str, sp.Symbol] = {s.name: s for s in (u, v, t, x, y, z)}


class Parameter(sp.Symbol):  # type: ignore[misc]
    """A number of a shape or a motion that is given later, row by row, as to `collide.contact_batch`: a real symbol.

    It may stand wherever a number may.
    """

    __slots__ = ()

    def __new__(cls, name: str) -> "Parameter":
        return super().__new__(cls, name, real=True)  # type: ignore[return-value]

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.name,), {}


def parameters_of(*values: Any) -> set[Parameter]:
    """The parameters that occur in expressions or matrices."""
    return {s for s in free_symbols(*values) if isinstance(s, Parameter)}


# What SymPy gives where there is no number.
NOT_REAL = (sp.I, sp.nan, sp.zoo, sp.oo, -sp.oo, sp.AccumBounds)
_NOT_REAL = frozenset(e if isinstance(e, type) else type(e) for e in NOT_REAL)


def exact(value: Any, owner: str = "a formula") -> Any:
    """The SymPy expression of `value`, an expression or a number; every Float is replaced by the rational number that it holds.

    Raises NotAFormula, a ValueError, for text and other objects, and ValueError for functions that are only names, for derivatives that are
    not evaluated, and for operations that nest deeper than SymPy can follow.
    """
    return _surveyed(value, owner)[0]


def _surveyed(value: Any, owner: str) -> tuple[Any, Survey]:
    """As `exact`, and the survey of it."""
    given = expression(value, owner)
    if isinstance(given, sp.Float):
        given = sp.Rational(given)
    known = check_nesting(owner, given)
    if not any(issubclass(kind, (sp.Float, AppliedUndef, sp.Derivative)) for kind in known.kinds):
        return given, known
    found = atoms(given, sp.Float, AppliedUndef, sp.Derivative)
    for e in found:
        if isinstance(e, AppliedUndef):
            raise ValueError(f"{owner} contains {shown(e)}, a function without a definition; write one of SymPy's, such as sp.sin")
        if isinstance(e, sp.Derivative) and not e.doit().has(sp.Derivative, sp.Subs):
            raise ValueError(f"{owner} contains {shown(e)}, which is not evaluated yet; call .doit() on the formula")
    floats = {f: sp.Rational(f) for f in found if isinstance(f, sp.Float)}
    given = replaced(given, floats) if floats else given
    return given, survey(given)


def text(value: Any) -> str:
    """`value`, an expression or nested sequences of them, for display; rationals made from floats read as floats."""
    if isinstance(value, (list, tuple)):
        inner = ", ".join(text(e) for e in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if not is_writable(value):
        return shown(value)
    dyadic = [r for r in value.atoms(sp.Rational) if r.q > 1024 and float(r).as_integer_ratio() == (r.p, r.q)]
    return str(sp.sstr(value.xreplace({r: sp.Float(float(r)) for r in dyadic}), full_prec=False))


def latex(e: Any) -> str:
    """An expression or an immutable matrix, where it is not too long."""
    return str(sp.latex(e)) if is_writable(e) else rf"\text{{{shown(e)}}}"


def formula(value: Any, allowed: Sequence[sp.Symbol], owner: str) -> Any:
    """`value` as an exact real expression in the `allowed` symbols and parameters; `owner` says, in messages, what it belongs to.

    Raises ValueError for other free symbols, for symbols of the right name with other assumptions, and for constants
    that are not real.
    """
    given, known = _surveyed(value, owner)
    if not isinstance(given, sp.Expr):
        raise ValueError(f"{owner} needs real expressions, got {shown(value)} of type {type(value).__name__}")
    for s in sorted((s for s in known.symbols - set(allowed) if not isinstance(s, Parameter)), key=str):
        if SYMBOLS.get(s.name, s) != s:
            raise ValueError(f"the symbol {s.name} in {owner} has other assumptions; import {s.name} from generative")
        names = ", ".join(a.name for a in allowed) or "none"
        raise ValueError(f"the symbol {s.name} means nothing in {owner} (its symbols: {names}); substitute a value")
    if not known.kinds.isdisjoint(_NOT_REAL):
        raise ValueError(f"{owner} contains {shown(given)}, which is not a finite real expression")
    return given


def positive(value: Any, allowed: Sequence[sp.Symbol], owner: str) -> Any:
    """`value` as a formula that is not known to be zero or negative."""
    size = formula(value, allowed, owner)
    if size.is_nonpositive:
        raise ValueError(f"{owner} must be positive, got {text(size)}")
    return size


def vector(values: Any, allowed: Sequence[sp.Symbol], owner: str) -> tuple[Any, Any, Any]:
    """Three formulas, from a sequence or a 3 x 1 or 1 x 3 matrix."""
    if isinstance(values, TEXT) or not isinstance(values, (Iterable, sp.MatrixBase)):
        raise ValueError(f"{owner} must be a vector of 3 expressions, got {shown(values)}")
    entries = items(values, owner)
    if len(entries) != 3:
        raise ValueError(f"{owner} must be a vector of 3 expressions, got {len(entries)}")
    first, second, third = (formula(e, allowed, owner) for e in entries)
    return first, second, third


@functools.lru_cache(maxsize=4096)
def double(number: Any) -> float:
    """About the value of an exact number, for what is only sampled."""
    return int(number.p) / int(number.q) if number.is_Rational and _ordinary(number) else float(number)


def _ordinary(number: Any) -> bool:
    """Whether the terms of a fraction are far from overflow."""
    return max(int(number.p).bit_length(), int(number.q).bit_length()) < 512


def items(given: Any, owner: str) -> list[Any]:
    """The items of a list, an array or another finite collection, in order; TypeError for anything else, and for text."""
    if not isinstance(given, (*TEXT, dict, set)):
        with contextlib.suppress(TypeError):
            return list(given)
    raise TypeError(f"{owner} must be a list, got {shown(given)}")


def interval(pair: Any, owner: str) -> tuple[Any, Any]:
    """The closed interval (lo, hi) of exact finite numbers, lo < hi."""
    if not isinstance(pair, Iterable) or isinstance(pair, (*TEXT, set)) or len(ends := items(pair, owner)) != 2:
        raise ValueError(f"{owner} must be a pair (lo, hi), got {shown(pair)}")
    lo, hi = (exact(e, f"an end of {owner}") for e in ends)
    if all(isinstance(e, sp.Expr) for e in (lo, hi)) and parameters_of(lo, hi):
        return formula(lo, [], owner), formula(hi, [], owner)
    if not all(isinstance(e, sp.Expr) and e.is_number and e.is_real and e.is_finite for e in (lo, hi)):
        raise ValueError(f"{owner} must have two finite real ends, got ({lo}, {hi})")
    if not _is_less(lo, hi):
        raise ValueError(f"{owner} is empty or reversed: ({lo}, {hi}); the first end must be below the second")
    return lo, hi


@functools.lru_cache(maxsize=1024)
def _is_less(lo: Any, hi: Any) -> bool:
    """(SymPy computes numbers with pi to compare them, and most domains are parts of a turn.)"""
    return bool(lo < hi)


# SymPy differentiates formulas that nest up to so many operations, with up to nine calls for each.
_DIFFERENTIATED = 60
# Functions that are constant except where they jump.
_STEPS = (sp.floor, sp.ceiling, sp.sign, sp.Heaviside)


def derivative(e: Any, s: sp.Symbol) -> Any:
    """The derivative of e by s, wherever e has one. It is SymPy's; but that of a function with steps is 0, where SymPy gives what is no
    formula.

    A step inside an operator that binds a variable stays, since its place matters there.
    """
    for kind, written in ((sp.Mod, lambda a, b: a - b * sp.floor(a / b)), (sp.frac, lambda a: a - sp.floor(a))):
        e = e.replace(kind, written) if e.has(kind) else e
    steps = {k: sp.Dummy(real=True) for k in atoms(e, *_STEPS) if k.has(s) and not any(isinstance(a, sp.Dummy) for a in free_symbols(k))}
    plain = replaced(e, steps)
    slope = sp.diff(plain, s) if nesting(plain) <= _DIFFERENTIATED else walk.derivative(plain, s)
    return replaced(slope, {symbol: k for k, symbol in steps.items()})


def simplified(square: Any) -> Any:
    """A sum of squares, simplified if it is small: sin^2 + cos^2 = 1, as on circles and helices, is worth finding.

    Operators with a variable of their own count as symbols here, so that the square of a tangent at constant speed is found to be 1.
    """
    (plain,), places = separate([square])
    if sp.count_ops(plain) >= (60 if places else 40):
        return square
    if not places:
        return sp.trigsimp(plain)
    above, below = (sp.trigsimp(e) for e in sp.fraction(sp.together(plain)))
    return sp.cancel(above / below).xreplace({symbol: operator for operator, symbol in places.items()})
