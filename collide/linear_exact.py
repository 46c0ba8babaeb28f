"""Exact answers for moving points, edges and triangles: integer polynomials in time and their real roots.

Coordinates are doubles, that is rationals with a power of two below, so after scaling every coordinate is an integer
polynomial of degree 1 in t, and every condition used here is the sign of an integer polynomial of degree at most 3. A
time is a rational number or a real root of such a polynomial, isolated in an interval with dyadic ends, and signs
there are decided exactly: by a bound on the polynomial over the interval, or, when it is zero there, by a common divisor.

Where can the first contact be? The two parts of a query (edge and edge, point and triangle) touch at time t only if the
four points are coplanar, f(t) = 0 for a cubic f. If f is not zero, the times are the roots of f. If f is zero throughout,
everything moves within a plane, and a first contact later than t = 0 has a vertex on an edge: were the touching points
inner ones, and the parts not parallel, they would have touched just before as well; and parallel edges, or a triangle
without area, touch nowhere unless a vertex touches. A vertex P is on the line of an edge QR when (P - Q) x (R - Q) = 0:
the times are the roots of a component that is not zero throughout; if there is none, the first contact later than 0 is
a meeting of P with Q or R, at a root of a coordinate of P - Q or P - R. Every such time is tested, in order.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

Polynomial = tuple[int, ...]
"""Coefficients, the constant term first; no leading zero, so () is the polynomial zero."""
Vector = tuple[Polynomial, Polynomial, Polynomial]

# Bits of the first isolating intervals: a root found in doubles is good to about 2**-50 when it is well separated.
_BITS = 44


class Root(NamedTuple):
    """The one zero of the squarefree polynomial `of` in the open interval from a/2**bits to b/2**bits; or, if a = b, that
    number itself.
    """

    of: Polynomial
    a: int
    b: int
    bits: int


class Answer(NamedTuple):
    """The first contact: an interval of doubles that holds its time, and two parameters in doubles."""

    time: tuple[float, float]
    parameters: tuple[float, float]


# -- polynomials --------------------------------------------------------------------------------------------------


def _trim(p: Iterable[int]) -> Polynomial:
    q = list(p)
    while q and q[-1] == 0:
        q.pop()
    return tuple(q)


def _subtract(p: Polynomial, q: Polynomial) -> Polynomial:
    if len(p) < len(q):
        return _trim([a - b for a, b in zip(p, q, strict=False)] + [-b for b in q[len(p):]])
    return _trim([a - b for a, b in zip(p, q, strict=False)] + list(p[len(q):]))


def _multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    if not p or not q:
        return ()
    out = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        if a:
            for j, b in enumerate(q):
                out[i + j] += a * b
    return tuple(out)


def _minus(a: Vector, b: Vector) -> Vector:
    return _subtract(a[0], b[0]), _subtract(a[1], b[1]), _subtract(a[2], b[2])


def _cross_component(a: Vector, b: Vector, k: int) -> Polynomial:
    i, j = (k + 1) % 3, (k + 2) % 3
    return _subtract(_multiply(a[i], b[j]), _multiply(a[j], b[i]))


def _cross(a: Vector, b: Vector) -> Vector:
    return _cross_component(a, b, 0), _cross_component(a, b, 1), _cross_component(a, b, 2)


def _dot(a: Vector, b: Vector) -> Polynomial:
    out: list[int] = []
    for x, y in zip(a, b, strict=True):
        product = _multiply(x, y)
        out += [0] * (len(product) - len(out))
        for i, c in enumerate(product):
            out[i] += c
    return _trim(out)


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


def _derivative(p: Polynomial) -> Polynomial:
    return tuple(i * c for i, c in enumerate(p))[1:]


def _squarefree(p: Polynomial) -> Polynomial:
    """A polynomial with the same zeros, all simple."""
    g = _common(p, _derivative(p))
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


def _value(p: Polynomial, a: int, bits: int) -> int:
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
    """The distinct zeros of p, which is not zero, in [0, 1], in order: each one isolated."""
    if len(p) == 1:
        return []
    if len(p) == 2:
        return _root_of_line(p)
    p = _squarefree(p)
    if len(p) == 2:
        return _root_of_line(p)
    # The zeros of the derivative separate those of p.
    marks = [0]
    for r in roots(_derivative(p)):
        marks += _around(r, p)
    marks.append(1 << _BITS)
    found = []
    for k, mark in enumerate(marks):
        here = _value(p, mark, _BITS)
        if here == 0 and (k == 0 or mark != marks[k - 1]):
            found.append(Root(p, mark, mark, _BITS))
        if k + 1 < len(marks) and here and _sign(here) * _sign(_value(p, marks[k + 1], _BITS)) < 0:
            found.append(_narrow(Root(p, mark, marks[k + 1], _BITS)))
    return found


def _root_of_line(p: Polynomial) -> list[Root]:
    """The zero of a polynomial of degree 1, if it lies in [0, 1]."""
    c, d = p if p[1] > 0 else (-p[0], -p[1])
    if not 0 <= -c <= d:
        return []
    a = ((-c) << _BITS) // d
    exact = a * d == (-c) << _BITS
    return [Root(p, a, a if exact else a + 1, _BITS)]
