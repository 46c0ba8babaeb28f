"""Values of formulas at places, in decimals, with numbers that stand for parameters and the time: to compare formulas, not to prove."""

import decimal
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from codegen.walk import free_symbols

DIGITS = 30
"""Digits of values. Decimals are made with ten more (`precise`)."""


def precise() -> Any:
    """A context for the arithmetic of decimals."""
    return decimal.localcontext(prec=DIGITS + 10)


def sample(symbol: Any) -> Any:
    """A number that stands for a parameter, or for the time."""
    return sp.Rational(1 + zlib.crc32(str(symbol).encode()) % 9973, 4999)


def sampled_number(e: Any) -> Any:
    """A number or formula with samples for its symbols, as a number."""
    return e if e.is_Rational else sp.N(e.xreplace({s: sample(s) for s in free_symbols(e)}), DIGITS)


def value_of(formula: Any, known: Mapping[Any, Any]) -> Any:
    """A formula with numbers for its symbols, in `DIGITS` digits: a decimal if it is of sums, products, powers and roots alone, which is
    much faster, or has a real value.
    """
    try:
        return _decimal(formula, known)
    except (decimal.DecimalException, NotImplementedError):
        value = sp.N(formula.xreplace({s: _written(at) for s, at in known.items()}), DIGITS)
        return decimal.Decimal(str(value)) if value.is_Float and value.is_finite else value


def _written(value: Any) -> Any:
    return sp.Float(str(value), DIGITS) if isinstance(value, decimal.Decimal) else value


def alike(values: Sequence[Any]) -> Sequence[Any]:
    """Numbers that are all decimals, or all SymPy's."""
    return values if all(isinstance(value, decimal.Decimal) for value in values) else [_written(value) for value in values]


def _decimal(e: Any, known: Mapping[Any, Any]) -> decimal.Decimal:
    if e.is_Symbol:
        e = known[e]
        if isinstance(e, decimal.Decimal):
            return e
    if e.is_Rational:
        return decimal.Decimal(e.p) / e.q
    if e.is_Float:
        return decimal.Decimal(str(e))
    if e.is_Add:
        return sum((_decimal(a, known) for a in e.args), decimal.Decimal(0))
    if e.is_Mul:
        return math.prod((_decimal(a, known) for a in e.args), start=decimal.Decimal(1))
    if e.is_Pow and e.exp.is_Integer:
        return _decimal(e.base, known) ** int(e.exp)
    if isinstance(e, sp.Abs):
        return abs(_decimal(e.args[0], known))
    if isinstance(e, (sp.Max, sp.Min)):
        return (max if isinstance(e, sp.Max) else min)(_decimal(a, known) for a in e.args)
    if e.is_Pow and e.exp == sp.S.Half:
        return _decimal(e.base, known).sqrt()
    raise NotImplementedError
