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
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

Polynomial = tuple[int, ...]
"""Coefficients, the constant term first; no leading zero, so () is the polynomial zero."""
Vector = tuple[Polynomial, Polynomial, Polynomial]

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


def _discriminant(p: Polynomial) -> int:
    """Of a polynomial of degree 2 or 3: 0 if and only if it has a multiple zero."""
    if len(p) == 3:
        return p[1] * p[1] - 4 * p[0] * p[2]
    d, c, b, a = p
    return b * c * (18 * a * d + b * c) - 4 * (b**3 * d + a * c**3) - 27 * (a * d) ** 2


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
    """The distinct zeros of p, which is not zero, in [0, 1], in order, each one isolated.

    Between neighbouring zeros of its derivative a polynomial is monotonic: a change of sign is one zero, no change none.
    """
    if len(p) == 1:
        return []
    if len(p) > 2 and not _discriminant(p):
        p = _squarefree(p)
    if len(p) == 2:
        return _root_of_line(p)
    marks = [(0, 0)]
    for r in roots(_derivative(p)):
        marks += _apart(r, p)
    marks.append((1, 0))
    found: list[Root] = []
    before = 0
    for k, (a, bits) in enumerate(marks):
        here = _sign(_value(p, a, bits))
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
        r = _refined(r)
    return [(r.a, r.bits)] if r.a == r.b else [(r.a, r.bits), (r.b, r.bits)]


def _bounded(p: Polynomial, r: Root) -> int:
    """The sign of p over all of [a, b], where p(a) and the slope of p in [0, 1] show it; else 0."""
    value, degree = _value(p, r.a, r.bits), len(p) - 1
    if r.a != r.b and degree > 0:
        slope = sum(i * abs(c) for i, c in enumerate(p))
        if abs(value) <= (slope * (r.b - r.a)) << (r.bits * (degree - 1)):
            return 0
    return _sign(value)


def _narrow(p: Polynomial, a: int, a_bits: int, b: int, b_bits: int) -> Root:
    """The only zero of p between two dyadic numbers with values of opposite signs, isolated in about 2**-_BITS."""
    bits = max(a_bits, b_bits, _BITS)
    a, b = a << (bits - a_bits), b << (bits - b_bits)
    below = _sign(_value(p, a, bits))
    guess, width = _approximate(p, a / (1 << bits), b / (1 << bits)), 1 << max(0, bits - 50)
    middle = int(guess * (1 << bits))
    while b - a > 2 * width:
        for m in (middle - width, middle, middle + width):
            if a < m < b:
                here = _sign(_value(p, m, bits))
                if here == 0:
                    return Root(p, m, m, bits)
                a, b = (m, b) if here == below else (a, m)
        width *= 16
    return Root(p, a, b, bits)


def _approximate(p: Polynomial, a: float, b: float) -> float:
    """The zero in doubles, by bisection and Newton's method: only a guess."""
    shift = max(0, max(c.bit_length() for c in p) - 500)
    c = [float(x >> shift) for x in p] + [0.0] * (4 - len(p))
    rising = ((c[3] * b + c[2]) * b + c[1]) * b > ((c[3] * a + c[2]) * a + c[1]) * a
    x = 0.5 * (a + b)
    for _ in range(40):
        f = ((c[3] * x + c[2]) * x + c[1]) * x + c[0]
        if (f > 0) == rising:
            b = x
        else:
            a = x
        slope = (3 * c[3] * x + 2 * c[2]) * x + c[1]
        new = x - f / slope if slope else a
        if abs(new - x) <= 1e-16:
            return min(max(new, 0.0), 1.0)
        x = new if a < new < b else 0.5 * (a + b)
    return x


def _refined(r: Root) -> Root:
    """The same root in an interval 2**30 times narrower or nearly so: Newton's method says where, signs say whether; else
    bisection.
    """
    if r.a == r.b:
        return r
    a, b, bits = r.a << 30, r.b << 30, r.bits + 30
    above = _sign(_value(r.of, b, bits))
    slope = _value(_derivative(r.of), a, bits)
    if slope:
        guess = a - _value(r.of, a, bits) // slope
        for m in (guess - 1, guess + 2):
            if a < m < b:
                here = _sign(_value(r.of, m, bits))
                if here == 0:
                    return Root(r.of, m, m, bits)
                a, b = (a, m) if here == above else (m, b)
    while b - a > max(r.b - r.a, 3):
        middle = (a + b) >> 1
        here = _sign(_value(r.of, middle, bits))
        if here == 0:
            return Root(r.of, middle, middle, bits)
        a, b = (a, middle) if here == above else (middle, b)
    return Root(r.of, a, b, bits)


def sign_at(p: Polynomial, r: Root) -> int:
    """The sign of p at a root, exactly."""
    if not p:
        return 0
    s = _bounded(p, r)
    if s or r.a == r.b:
        return s
    g = _common(r.of, p)
    if len(g) > 1 and _value(g, r.a, r.bits) * _value(g, r.b, r.bits) < 0:
        return 0
    while not s:
        r = _refined(r)
        s = _bounded(p, r)
    return s


# -- contact at one time ------------------------------------------------------------------------------------------


def _on_edge(p: Vector, q: Vector, r: Vector, at: Root) -> bool:
    """Is the point p on the edge from q to r, which may be a single point?"""
    a, b = _minus(p, q), _minus(p, r)
    return all(sign_at(_cross_component(a, b, k), at) == 0 for k in range(3)) and sign_at(_dot(a, b), at) <= 0


class Query:
    """The polynomials of one query, from its eight points with integer coordinates, and its predicates.

    The touching points are the solutions x, y of x n = X, y n = Y (three components each), n being the common normal.
    """

    def __init__(self, points: Sequence[Sequence[int]], face: bool) -> None:
        p = [tuple(_trim((a, b - a)) for a, b in zip(points[k], points[k + 4], strict=True)) for k in range(4)]
        self.points: list[Vector] = p  # type: ignore[assignment]
        self.face = face
        a, b, c, d = self.points
        if face:
            first, second, self.w = _minus(c, b), _minus(d, b), _minus(a, b)
            self.edges = [(a, b, c), (a, c, d), (a, d, b)]
        else:
            first, second, self.w = _minus(b, a), _minus(d, c), _minus(c, a)
            self.edges = [(a, c, d), (b, c, d), (c, a, b), (d, a, b)]
        self.first, self.second = first, second
        self.normal = _cross(first, second)
        self.volume = _dot(self.normal, self.w)

    def coordinates(self, k: int) -> tuple[Polynomial, Polynomial]:
        """Component k of X and Y: fractions along the edges, or the weights of f1 and f2, times n."""
        if self.face:
            return _cross_component(self.w, self.second, k), _cross_component(self.first, self.w, k)
        return _cross_component(self.w, self.second, k), _cross_component(self.w, self.first, k)

    def touches(self, at: Root) -> bool:
        """Do the parts touch at a time at which the four points are coplanar?"""
        for k in range(3):
            n = self.normal[k]
            s = sign_at(n, at)
            if s == 0:
                continue
            x, y = self.coordinates(k)
            if sign_at(x, at) * s < 0 or sign_at(y, at) * s < 0:
                return False
            if self.face:
                return sign_at(_subtract(_subtract(n, x), y), at) * s >= 0
            return sign_at(_subtract(n, x), at) * s >= 0 and sign_at(_subtract(n, y), at) * s >= 0
        return any(_on_edge(*e, at) for e in self.edges)

    def times(self) -> list[Root]:
        """Times among which the first contact is, if there is one, in order; equal times may be repeated."""
        if self.volume:
            return roots(self.volume)
        start = Root((0, 1), 0, 0, 0)
        found = [time for p, q, r in self.edges for time in _meetings(p, q, r)]
        # A sort by the ends of overlapping intervals could be wrong by their width: make them differ or be equal.
        return [start, *_sorted(found)]


def _meetings(p: Vector, q: Vector, r: Vector) -> list[Root]:
    a, b = _minus(p, q), _minus(p, r)
    for k in range(3):
        c = _cross_component(a, b, k)
        if c:
            return roots(c)
    return [x for coordinate in (*a, *b) if coordinate for x in roots(coordinate)]


def _sorted(found: list[Root]) -> list[Root]:
    """In order of time, equal ones once. Two different numbers are told apart by refining; equality is a sign at a root."""
    out: list[Root] = []
    for r in found:
        k = len(out)
        while k > 0:
            order = _compare(r, out[k - 1])
            if order >= 0:
                break
            k -= 1
        if k == 0 or _compare(r, out[k - 1]) != 0:
            out.insert(k, r)
    return out


def _compare(r: Root, s: Root) -> int:
    """-1, 0 or 1: is r before, at, or after s?"""
    if _overlap(r, s) and sign_at(r.of, s) == 0 and _same(r, s):
        return 0
    while _overlap(r, s):
        r, s = _refined(r), _refined(s)
    return -1 if r.b << s.bits <= s.a << r.bits else 1


def _overlap(r: Root, s: Root) -> bool:
    """May the two be equal? Open intervals that only share an end cannot hold the same number."""
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
        return sign_at(_trim(lower), s) == 0
    return sign_at(_trim(lower), s) > 0 and sign_at(_trim(upper), s) < 0


# -- answers ------------------------------------------------------------------------------------------------------


def integers(q: np.ndarray) -> list[list[list[int]]]:
    """Each of the queries (n, 8, 3) times a power of two of its own, as integers."""
    mantissa, exponent = np.frexp(q)
    whole = (mantissa * 2.0**53).astype(np.int64)
    exponent = np.where(whole == 0, 10000, exponent)
    shift = np.where(whole == 0, 0, exponent - exponent.min(axis=(1, 2), keepdims=True))
    if shift.max(initial=0) <= 10:
        return (whole << shift).tolist()  # type: ignore[no-any-return]
    return [[[c << e for c, e in zip(cs, es, strict=True)] for cs, es in zip(a, b, strict=True)]
            for a, b in zip(whole.tolist(), shift.tolist(), strict=True)]


def answer(points: Sequence[Sequence[int]], face: bool, tolerance: float) -> Answer | None:
    """The first contact of one query with integer coordinates, exactly; None: there is none in [0, 1]."""
    query = Query(points, face)
    for at in query.times():
        if query.touches(at):
            while (at.b - at.a) / 2.0**at.bits > tolerance:
                at = _refined(at)
            return Answer(_bracket(at), _parameters(query, at))
    return None


def _bracket(at: Root) -> tuple[float, float]:
    """Doubles around the root: 53 bits hold a multiple of 2**-52 in [0, 1]."""
    drop = max(0, at.bits - 52)
    scale = 2.0**-min(at.bits, 52)
    return (at.a >> drop) * scale, -(-at.b >> drop) * scale


def _parameters(query: Query, at: Root) -> tuple[float, float]:
    """Parameters of a touching point, in doubles, at the middle of the interval."""
    middle, bits = at.a + at.b, at.bits + 1

    def value(p: Polynomial) -> int:
        """p there, times 2**(2 bits)."""
        return _value(p, middle, bits) << (bits * (3 - len(p))) if p else 0

    n = [value(c) for c in query.normal]
    k = max(range(3), key=lambda i: abs(n[i]))
    if n[k] == 0 or all(sign_at(c, at) == 0 for c in query.normal):
        return _degenerate_parameters(query, at, value)
    x, y = (value(c) / n[k] for c in query.coordinates(k))
    x = min(max(x, 0.0), 1.0)
    return x, min(max(y, 0.0), 1.0 - x if query.face else 1.0)


def _degenerate_parameters(query: Query, at: Root, value: Callable[[Polynomial], int]) -> tuple[float, float]:
    """The same where the edges are parallel or the triangle has no area: a vertex lies on an edge."""
    k = next(i for i, e in enumerate(query.edges) if _on_edge(*e, at))
    p, q, r = query.edges[k]
    along = _minus(r, q)
    square = value(_dot(along, along))
    s = min(max(value(_dot(along, _minus(p, q))) / square, 0.0), 1.0) if square else 0.0
    if query.face:
        return [(s, 0.0), (1.0 - s, s), (0.0, 1.0 - s)][k]
    return [(0.0, s), (1.0, s), (s, 0.0), (s, 1.0)][k]
