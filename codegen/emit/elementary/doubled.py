"""Unevaluated sums of two doubles, and the directed rounding of an approximation with a proved error.

An elementary function is approximated at a double by h + l with |l| small against |h|, and by an error bound e. Both
ends of an enclosure follow with one rounding at the size of the result each (`upper`, `negated_lower`), so that an
enclosure is wider than the tight one only by the roundings of l and by e.

Error-free facts hold in upward rounding as in rounding to nearest, unless stated otherwise, and barring underflow.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..lanes import Lanes

Value = str


class Approximation(NamedTuple):
    """A real number within `error` of high + low; |low| is small against |high|."""

    high: Value
    low: Value
    error: Value


def two_product(L: Lanes, a: Value, b: Value) -> tuple[Value, Value]:
    """(p, e) with p = rounded a*b and p + e = a*b exactly."""
    p = L.mul(a, b)
    return p, L.fma(a, b, L.neg(p))


def fast_two_sum(L: Lanes, a: Value, b: Value) -> tuple[Value, Value]:
    """(s, e) with s = rounded a + b, for |a| >= |b| (or a = 0, or s exact); s + e is a + b up to a rounding of e.

    s - a is exact in every rounding mode (Boldo, Graillat, Muller, On the robustness of the 2Sum and Fast2Sum
    algorithms, 2017), so e is one rounding of the true error, at most 2^-52 |e|, and exact where that is a double.
    """
    s = L.add(a, b)
    return s, L.sub(b, L.sub(s, a))


def two_sum(L: Lanes, a: Value, b: Value) -> tuple[Value, Value]:
    """(s, e) with s = rounded a + b and s + e close to a + b, for operands in any order.

    The operands are sorted by magnitude, so the bound of `fast_two_sum` holds, which is better in directed rounding
    than what the six operations of Knuth's algorithm give, and costs no more.
    """
    a_is_larger = L.ge(L.abs(a), L.abs(b))
    return fast_two_sum(L, L.select(a_is_larger, a, b), L.select(a_is_larger, b, a))


def upper(L: Lanes, a: Approximation) -> Value:
    """An upper bound of the approximated number. L rounds upward."""
    return L.add(a.high, L.add(a.low, a.error))


def negated_lower(L: Lanes, a: Approximation) -> Value:
    """The negative of a lower bound of the approximated number. L rounds upward."""
    return L.sub(L.sub(a.error, a.low), a.high)


def negate_where(L: Lanes, sign: str, a: Value) -> Value:
    """-a where the bits `sign` are the sign bit alone, a where they are zero."""
    return L.from_bits(L.bits_xor(L.to_bits(a), sign))


def polynomial(L: Lanes, x: Value, coefficients: Sequence[float | Value]) -> Value:
    """sum of coefficients[i] x^i by Estrin's scheme: pairs in x, then in x^2, x^4, ... (short chains of fma)."""
    terms = [c if isinstance(c, str) else L.const(c) for c in coefficients]
    while len(terms) > 1:
        pairs = [L.fma(b, x, a) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[2 * len(pairs):]
        x = L.mul(x, x) if len(terms) > 1 else x
    return terms[0]
