"""Integer polynomials, their real roots in [0, 1], and exact signs at such roots.

A root is a dyadic number, or isolated in an open interval with dyadic ends in which a squarefree polynomial has no other
zero. The sign of a polynomial at a root is decided exactly: by a bound on the polynomial over the interval, after refining
it if need be, or, when it is zero there, by a common divisor. Plain Python integers are exact and quick enough.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

Polynomial = tuple[int, ...]
"""Coefficients, the constant term first; no leading zero, so () is the polynomial zero."""

# Bits of the first isolating intervals: a root found in doubles is good to about 2**-50 when it is well separated.
_BITS = 50


class Root(NamedTuple):
    """The one zero of the squarefree polynomial `of` in the open interval from a/2**bits to b/2**bits; or, if a = b, that
    number itself.
    """

    of: Polynomial
    a: int
    b: int
    bits: int


# -- polynomials --------------------------------------------------------------------------------------------------


def trim(p: Iterable[int]) -> Polynomial:
    q = list(p)
    while q and q[-1] == 0:
        q.pop()
    return tuple(q)


def subtract(p: Polynomial, q: Polynomial) -> Polynomial:
    if len(p) < len(q):
        return trim([a - b for a, b in zip(p, q, strict=False)] + [-b for b in q[len(p):]])
    return trim([a - b for a, b in zip(p, q, strict=False)] + list(p[len(q):]))


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    if not p or not q:
        return ()
    out = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        if a:
            for j, b in enumerate(q):
                out[i + j] += a * b
    return tuple(out)


def _remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    """A nonzero multiple of the remainder of p by q, without common factors of its coefficients."""
    r, lead = list(p), q[-1]
    while len(r) >= len(q):
        top, shift = r.pop(), len(r) - len(q) + 1
        r = [lead * c for c in r]
        for i in range(len(q) - 1):
            r[shift + i] -= top * q[i]
        while r and r[-1] == 0:
            r.pop()
    g = math.gcd(*r) if r else 1
    return tuple(c // g for c in r)


def _common(p: Polynomial, q: Polynomial) -> Polynomial:
    """A greatest common divisor over the rationals."""
    while q:
        p, q = q, _remainder(p, q)
    return p


def derivative(p: Polynomial) -> Polynomial:
    return tuple(i * c for i, c in enumerate(p))[1:]


def _squarefree(p: Polynomial) -> Polynomial:
    """A polynomial with the same zeros, all simple."""
    g = _common(p, derivative(p))
    if len(g) <= 1:
        return p
    quotient, r, lead = [0] * (len(p) - len(g) + 1), list(p), g[-1]
    scale = lead ** len(quotient)
    r = [c * scale for c in r]
    for k in range(len(quotient) - 1, -1, -1):
        quotient[k] = r[k + len(g) - 1] // lead
        for i, c in enumerate(g):
            r[k + i] -= quotient[k] * c
    d = math.gcd(*quotient)
    return tuple(c // d for c in quotient)


def _discriminant(p: Polynomial) -> int:
    """The discriminant of a polynomial of degree 2 or 3: 0 if and only if it has a multiple zero."""
    if len(p) == 3:
        return p[1] * p[1] - 4 * p[0] * p[2]
    d, c, b, a = p
    return b * c * (18 * a * d + b * c) - 4 * (b**3 * d + a * c**3) - 27 * (a * d) ** 2


def value_at(p: Polynomial, a: int, bits: int) -> int:
    """p(a / 2**bits) times 2**(bits degree)."""
    if not p:
        return 0
    total = p[-1]
    shift = 0
    for c in p[-2::-1]:
        shift += bits
        total = total * a + (c << shift)
    return total


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)


# -- roots in the unit interval -----------------------------------------------------------------------------------


def roots(p: Polynomial) -> list[Root]:
    """The distinct zeros of p, which is not zero, in [0, 1], in order, each one isolated.

    Between neighbouring zeros of its derivative a polynomial is monotonic: a change of sign is one zero, no change none.
    """
    if len(p) == 1:
        return []
    if len(p) > 4 or (len(p) > 2 and not _discriminant(p)):
        p = _squarefree(p)
    if len(p) == 2:
        return _root_of_line(p)
    marks = [(0, 0)]
    for r in roots(derivative(p)):
        marks += _apart(r, p)
    marks.append((1, 0))
    found: list[Root] = []
    before = 0
    for k, (a, bits) in enumerate(marks):
        here = _sign(value_at(p, a, bits))
        if here == 0:
            found.append(Root(p, a, a, bits))
        elif before * here < 0:
            found.append(_narrow(p, *marks[k - 1], a, bits))
        before = here
    return found


def _root_of_line(p: Polynomial) -> list[Root]:
    """The zero of a polynomial of degree 1, if it lies in [0, 1]."""
    c, d = (-p[0], p[1]) if p[1] > 0 else (p[0], -p[1])
    if not 0 <= c <= d:
        return []
    a, rest = divmod(c << _BITS, d)
    return [Root(p, a, a if rest == 0 else a + 1, _BITS)]


def _apart(r: Root, p: Polynomial) -> list[tuple[int, int]]:
    """Ends of an interval around the root r of the derivative of p, in which p, which is squarefree, has no zero."""
    while not _bounded(p, r):
        r = refined(r)
    return [(r.a, r.bits)] if r.a == r.b else [(r.a, r.bits), (r.b, r.bits)]


def _bounded(p: Polynomial, r: Root) -> int:
    """The sign of p over all of [a, b], where p(a) and the slope of p in [0, 1] show it; else 0."""
    value, degree = value_at(p, r.a, r.bits), len(p) - 1
    if r.a != r.b and degree > 0:
        slope = sum(i * abs(c) for i, c in enumerate(p))
        if abs(value) <= (slope * (r.b - r.a)) << (r.bits * (degree - 1)):
            return 0
    return _sign(value)


def _narrow(p: Polynomial, a: int, a_bits: int, b: int, b_bits: int) -> Root:
    """The only zero of p between two dyadic numbers with values of opposite signs, isolated in about 2**-_BITS."""
    bits = max(a_bits, b_bits, _BITS)
    a, b = a << (bits - a_bits), b << (bits - b_bits)
    below = _sign(value_at(p, a, bits))
    guess, denominator = _approximate(p, a / (1 << bits), b / (1 << bits)).as_integer_ratio()
    middle, width = (guess << bits) // denominator, 1 << max(0, bits - 50)
    while b - a > 2 * width:
        for m in (middle - width, middle, middle + width):
            if a < m < b:
                here = _sign(value_at(p, m, bits))
                if here == 0:
                    return Root(p, m, m, bits)
                a, b = (m, b) if here == below else (a, m)
        width *= 16
    return Root(p, a, b, bits)


def _approximate(p: Polynomial, a: float, b: float) -> float:
    """The zero in doubles, by bisection and Newton's method: only a guess."""
    shift = max(0, max(c.bit_length() for c in p) - 500)
    c = [float(x >> shift) for x in p]
    slopes = [i * x for i, x in enumerate(c)][1:]
    rising = _horner([0.0, *c[1:]], b) > _horner([0.0, *c[1:]], a)
    x = 0.5 * (a + b)
    for _ in range(40):
        f = _horner(c, x)
        if (f > 0) == rising:
            b = x
        else:
            a = x
        slope = _horner(slopes, x)
        new = x - f / slope if slope else a
        if abs(new - x) <= 1e-16:
            return min(max(new, 0.0), 1.0)
        x = new if a < new < b else 0.5 * (a + b)
    return x


def _horner(c: Sequence[float], x: float) -> float:
    value = 0.0
    for e in reversed(c):
        value = value * x + e
    return value


def refined(r: Root) -> Root:
    """The same root in an interval 2**30 times narrower or nearly so: Newton's method says where, signs say whether; else
    bisection.
    """
    if r.a == r.b:
        return r
    a, b, bits = r.a << 30, r.b << 30, r.bits + 30
    above = _sign(value_at(r.of, b, bits))
    slope = value_at(derivative(r.of), a, bits)
    if slope:
        guess = a - value_at(r.of, a, bits) // slope
        for m in (guess - 1, guess + 2):
            if a < m < b:
                here = _sign(value_at(r.of, m, bits))
                if here == 0:
                    return Root(r.of, m, m, bits)
                a, b = (a, m) if here == above else (m, b)
    while b - a > max(r.b - r.a, 3):
        middle = (a + b) >> 1
        here = _sign(value_at(r.of, middle, bits))
        if here == 0:
            return Root(r.of, middle, middle, bits)
        a, b = (a, middle) if here == above else (middle, b)
    return Root(r.of, a, b, bits)


def rational(r: Root) -> Fraction | None:
    """The root, if it is a fraction whose denominator has fewer than half of the bits to which the root is known; else None."""
    if r.a == r.b:
        return Fraction(r.a, 1 << r.bits)
    near = Fraction(r.a + r.b, 2 << r.bits).limit_denominator(1 << max(r.bits // 2 - 2, 0))
    value = sum((c * near**k for k, c in enumerate(r.of)), Fraction(0))
    return near if value == 0 and Fraction(r.a, 1 << r.bits) < near < Fraction(r.b, 1 << r.bits) else None


def sign_at(p: Polynomial, r: Root) -> int:
    """The sign of p at a root, exactly."""
    if not p:
        return 0
    s = _bounded(p, r)
    if s or r.a == r.b:
        return s
    g = _common(r.of, p)
    if len(g) > 1 and value_at(g, r.a, r.bits) * value_at(g, r.b, r.bits) < 0:
        return 0
    while not s:
        r = refined(r)
        s = _bounded(p, r)
    return s


# -- order -----------------------------------------------------------------------------------------------------------


def in_order(found: list[Root]) -> list[Root]:
    """In order of time, equal ones once. Two different numbers are told apart by refining; equality is a sign at a root."""
    out: list[Root] = []
    for r in found:
        k = len(out)
        while k > 0:
            order = compare(r, out[k - 1])
            if order >= 0:
                break
            k -= 1
        if k == 0 or compare(r, out[k - 1]) != 0:
            out.insert(k, r)
    return out


def compare(r: Root, s: Root) -> int:
    """-1, 0 or 1: r is before, at, or after s."""
    if _overlap(r, s) and sign_at(r.of, s) == 0 and _same(r, s):
        return 0
    while _overlap(r, s):
        r, s = refined(r), refined(s)
    return -1 if r.b << s.bits <= s.a << r.bits else 1


def _overlap(r: Root, s: Root) -> bool:
    """Whether the two may be equal. Open intervals that only share an end cannot hold the same number."""
    if r.a == r.b and s.a == s.b:
        return r.a << s.bits == s.a << r.bits
    return r.a << s.bits < s.b << r.bits and s.a << r.bits < r.b << s.bits


def _same(r: Root, s: Root) -> bool:
    """Given that s is a zero of r.of: is it the one in the interval of r? Its ends are no zeros."""
    if r.a == r.b and s.a == s.b:
        return r.a << s.bits == s.a << r.bits
    lower: Polynomial = (-r.a, 1 << r.bits)
    upper: Polynomial = (-r.b, 1 << r.bits)
    if r.a == r.b:
        return sign_at(trim(lower), s) == 0
    return sign_at(trim(lower), s) > 0 and sign_at(trim(upper), s) < 0
