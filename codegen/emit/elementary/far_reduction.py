"""Reduction of large doubles modulo pi/2 by integers, after Payne and Hanek.

M. Payne, R. Hanek, Radian reduction for trigonometric functions, SIGNUM Newsletter 18 (1983). For x = m 2^e with an
integer m of 53 bits, x 2/pi modulo 2^32 depends on 224 bits of 2/pi alone, from 2^(31-e) downwards. They come from a
table, in limbs of 32 bits, and are multiplied by the two limbs of m. The product is a number of quarter turns modulo
2^32 with 192 bits behind the point; what the table leaves out changes it by less than 2^-192 m < 2^-139.
"""

from collections.abc import Sequence
from itertools import pairwise

from ..lanes import Lanes
from .doubled import Value, fast_two_sum, negate_where, two_product

PERIOD = 1 << 32
"""Quarter turns are counted modulo this number."""

_LIMB, _LOW = 32, (1 << 32) - 1
_LIMBS = 7
# x = m 2^e with e >= -32: e + 32 = 32 word + shift. The largest e is 971.
_ROWS = (971 + 32) // _LIMB + 1
_HIDDEN, _FRACTION = 1 << 52, (1 << 52) - 1
_BIASED = 2.0**52
"""Added to an integer below 2^52, leaves it in the low bits of the encoding."""

# pi/2 = HALF_PI[0] + HALF_PI[1] to 2^-108 in relation.
HALF_PI = tuple(map(float.fromhex, ("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54")))

_BITS = _LIMB * (_ROWS + _LIMBS + 1)
TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1d"
    "eb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b"
    "5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b"
    "6babf0cfbc209af4361d", 16)
"""The first `_BITS` bits of 2/pi."""


def _words() -> list[list[float]]:
    """Row w: bits of 2/pi from 2^(63 - 32 w) downwards in limbs, the highest first, each with `_BIASED` added."""
    # The first two limbs are before the point.
    limbs = [TWO_OVER_PI >> (_BITS + _LIMB - _LIMB * k) & _LOW for k in range(_ROWS + _LIMBS + 1)]
    return [[_BIASED + limb for limb in limbs[row:row + _LIMBS + 1]] for row in range(_ROWS)]


def _limbs_of_turns(L: Lanes, exponent: str) -> list[str]:
    """The 224 bits of 2^e 2/pi below 2^32, as limbs, the lowest first; `exponent` is e + 32."""
    row = L.row("two_over_pi", _words, L.shift_right(exponent, 5), _LIMBS + 1)
    words = [L.bits_and(L.to_bits(word), L.bits_const(_LOW)) for word in row]
    shift = L.bits_and(exponent, L.bits_const(_LIMB - 1))
    pairs = [L.bits_add(L.shift_left(a, _LIMB), b) for a, b in pairwise(words)]
    return [L.shift_right(L.bits_shift_left(pair, shift), _LIMB) for pair in reversed(pairs)]


def _product(L: Lanes, limbs: Sequence[str], low: str, high: str) -> list[str]:
    """(low + 2^32 high) times a number in limbs, modulo the power of 2 behind its highest; no sum reaches 2^64."""
    mask = L.bits_const(_LOW)
    carry, before, result = L.bits_const(0), L.bits_const(0), list[str]()
    for limb in limbs:
        products = L.bits_mul(limb, low), L.bits_mul(before, high)
        total = carry
        for product in products:
            total = L.bits_add(total, L.bits_and(product, mask))
        result.append(L.bits_and(total, mask))
        carry = L.shift_right(total, _LIMB)
        for product in products:
            carry = L.bits_add(carry, L.shift_right(product, _LIMB))
        before = limb
    return result


def _double(L: Lanes, limb: str, exponent: int) -> Value:
    """limb 2^exponent, exactly."""
    biased = L.from_bits(L.bits_add(limb, L.to_bits(L.const(_BIASED))))
    return L.mul(L.sub(biased, L.const(_BIASED)), L.const(2.0**exponent))


def _sum(L: Lanes, limbs: Sequence[str]) -> tuple[Value, Value]:
    """The fraction of limbs, the highest first, as high + low, right to 2^-103 in relation and 2^-147.

    Every limb but the first is less than one unit of the limb before it, so what is added to a sum is not larger than the sum, or the sum
    is 0, as `fast_two_sum` wants it. Two limbs have a unit of 2^-64, and the fraction is at least 2^-62 for every double (the tests go
    through continued fractions), so high is not 0.
    """
    parts = [_double(L, limb, -_LIMB * (k + 1)) for k, limb in enumerate(limbs[:5])]
    s, s_low = fast_two_sum(L, parts[0], parts[1])
    rest, rest_low = fast_two_sum(L, parts[2], L.add(parts[3], parts[4]))
    high, low = fast_two_sum(L, s, rest)
    return high, L.add(L.add(s_low, low), rest_low)


def far_reduction(L: Lanes, x: Value) -> tuple[Value, Value, Value]:
    """(r, r', k) with x = k' pi/2 + r + r' for 2^20 <= |x| < inf, and k the double whose encoding is k' modulo 2^32.

    The fraction f of quarter turns, and 1 - f where that is less (as the complement of all bits, wrong by 2^-192), is
    at most 1/2, so |r| <= pi/4 (1 + 2^-51). r + r' is right to 2^-100 |r| + 2^-138, and |r'| <= 2^-51 |r|: with |r| >= 2^-61 less than
    2^-76 in relation.
    """
    encoding = L.to_bits(L.abs(x))
    # The biased exponent of m 2^e is e + 52 + 1023.
    exponent = L.bits_sub(L.shift_right(encoding, 52), L.bits_const(1023 + 52 - 32))
    mantissa = L.bits_add(L.bits_and(encoding, L.bits_const(_FRACTION)), L.bits_const(_HIDDEN))
    limbs = _product(L, _limbs_of_turns(L, exponent), L.bits_and(mantissa, L.bits_const(_LOW)), L.shift_right(mantissa, _LIMB))
    *fraction, turns = limbs
    half = L.shift_right(fraction[-1], _LIMB - 1)
    flipped = L.bits_and(L.bits_sub(L.bits_const(0), half), L.bits_const(_LOW))
    high, low = _sum(L, [L.bits_xor(limb, flipped) for limb in reversed(fraction)])
    p, p_low = two_product(L, high, L.const(HALF_PI[0]))
    p_low = L.fma(high, L.const(HALF_PI[1]), L.fma(low, L.const(HALF_PI[0]), p_low))
    r, r_low = fast_two_sum(L, p, p_low)
    negative = L.shift_right(L.to_bits(x), 63)
    sign = L.shift_left(L.bits_xor(half, negative), 63)
    k = L.bits_add(turns, half)
    k = L.bits_sub(L.bits_xor(k, L.bits_sub(L.bits_const(0), negative)), L.bits_sub(L.bits_const(0), negative))
    return negate_where(L, sign, r), negate_where(L, sign, r_low), L.from_bits(k)
