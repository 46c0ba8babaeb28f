"""Exact truth for edge-edge and vertex-face queries with straight trajectories, by FLINT, and random queries to ask.

Coordinates become integers. Queries whose volume keeps one sign are told by Bernstein coefficients, found by interpolation of
integer determinants; of the others the roots of polynomials are isolated by FLINT, and signs there decided by balls and greatest
common divisors. Nothing is shared with `collide`.
"""

from itertools import product

import flint
import numpy as np

BITS = 60


def uniform(g, n):
    """Doubles from -1 to 1."""
    return g.uniform(-1, 1, (n, 8, 3))


def coarse(g, n):
    """Quarters from -1 to 1: touches, parallel edges and queries within a plane are common."""
    q = g.integers(-4, 5, (n, 8, 3)) / 4.0
    q[::7, :, 2] = 0.25
    return q


def touching(g, n, face):
    """Queries that touch at a time k / 8, mostly in the interior, some by a corner; half of them moved by 2**-44 or 2**-52."""
    q = g.integers(-32, 33, (n, 8, 3)) / 32.0
    s = g.integers(0, 9, (n, 2)) / 8.0
    s[:, 1] = np.where(face, np.minimum(s[:, 1], 1 - s[:, 0]), s[:, 1])
    when = g.integers(0, 9, n)[:, None] / 8.0
    x, y = s[:, :1], s[:, 1:]
    place, velocity = q[:, :4], q[:, 4:]
    # The first point, so that the parts meet then: its place at that time is chosen, and its velocity is left as it is.
    at = place + when[:, :, None] * velocity
    if face:
        at[:, 0] = at[:, 1] + x * (at[:, 2] - at[:, 1]) + y * (at[:, 3] - at[:, 1])
    else:
        # a0 + x (a1 - a0) = c: a0 and a1 are c -+ multiples of a vector.
        c = at[:, 2] + y * (at[:, 3] - at[:, 2])
        along = at[:, 1] - at[:, 0]
        at[:, 0], at[:, 1] = c - x * along, c + (1 - x) * along
    start = at - when[:, :, None] * velocity
    q = np.concatenate([start, start + velocity], axis=1)
    nudge = g.choice([0.0, 0.0, 2.0**-44, -(2.0**-44), 2.0**-52, -(2.0**-52)], n)
    q[np.arange(n), g.integers(0, 8, n), g.integers(0, 3, n)] += nudge
    return q


def integers(q):
    scaled = q * 2.0**BITS
    assert (np.floor(scaled) == scaled).all(), "coordinates must be multiples of 2**-60"
    return np.frompyfunc(int, 1, 1)(scaled)


def truth(q, face):
    """(n,) of bool, and (n,) of arb or None: when they meet first."""
    whole = integers(q)
    values = [_volumes(whole[:, :4] * (3 - k) + whole[:, 4:] * k, face) for k in range(4)]
    # Bernstein coefficients of the cubic from its values at 0, 1/3, 2/3, 1, times 27 and a positive number.
    a, b, c, d = values
    sizes = [6 * a, -5 * a + 18 * b - 9 * c + 2 * d, 2 * a - 9 * b + 18 * c - 5 * d, 6 * d]
    one_sign = np.all([b > 0 for b in sizes], axis=0) | np.all([b < 0 for b in sizes], axis=0)
    times = np.full(len(q), None)
    for k in np.flatnonzero(~one_sign):
        times[k] = first_contact(whole[k], face)
    return np.array([x is not None for x in times], bool), times


def _volumes(p, face):
    a, b, c, d = (p[:, k] for k in range(4))
    e, f, w = (c - b, d - b, a - b) if face else (b - a, d - c, c - a)
    return sum(w[:, i] * (e[:, (i + 1) % 3] * f[:, (i + 2) % 3] - e[:, (i + 2) % 3] * f[:, (i + 1) % 3]) for i in range(3))


def first_contact(points, face):
    """The first time of contact as a ball, or None."""
    p = [[flint.fmpz_poly([a, b - a]) for a, b in zip(points[k], points[k + 4], strict=True)] for k in range(4)]
    volume = _dot(_minus(p[0], p[1]), _cross(_minus(p[2], p[1]), _minus(p[3], p[1])))
    edges = [(0, 1, 2), (0, 2, 3), (0, 3, 1)] if face else [(0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1)]
    if volume.degree() >= 0:
        candidates = _all_roots(volume)
    else:
        candidates = _all_roots(flint.fmpz_poly([0, 1]))
        for i, j, k in edges:
            turn = _cross(_minus(p[i], p[j]), _minus(p[i], p[k]))
            if all(c.degree() < 0 for c in turn):
                turn = [*_minus(p[i], p[j]), *_minus(p[i], p[k])]
            candidates += [root for c in turn if c.degree() > 0 for root in _all_roots(c)]
    found = [root for root in candidates if _sign(flint.fmpz_poly([0, 1]), root) >= 0 and _sign(flint.fmpz_poly([1, -1]), root) >= 0
             and _touch(p, edges, face, root)]
    return min((roots.balls(64)[n] for roots, n in found), key=lambda x: float(x.mid()), default=None)


def _all_roots(f):
    roots = Roots(f)
    return [(roots, n) for n in range(len(roots.balls(64)))]


def _minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def _cross(a, b):
    return [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


class Roots:
    """The real roots of a polynomial in order, as balls of the precision asked for last."""

    def __init__(self, f):
        self.f, self.found = f, {}

    def balls(self, bits):
        if bits not in self.found:
            flint.ctx.prec = bits
            roots = self.f.complex_roots() if self.f.degree() > 0 else []
            self.found[bits] = sorted((r.real for r, _ in roots if r.imag == 0), key=lambda x: float(x.mid()))
        return self.found[bits]


def _sign(g, root):
    """Of g at root number n of f, exactly."""
    roots, n = root
    if g.degree() < 0:
        return 0
    common, bits = None, 64
    while True:
        at = roots.balls(bits)[n]
        flint.ctx.prec = 4 * bits
        value = g(at)
        if not value.contains(0):
            return 1 if value > 0 else -1
        common = common or Roots(roots.f.gcd(g))
        # A common root is a root of f; whose ball alone it meets, that one it is.
        if any(r.overlaps(at) and sum(r.overlaps(b) for b in roots.balls(bits)) == 1 for r in common.balls(bits)):
            return 0
        bits *= 2


def _touch(p, edges, face, root):
    """Do the parts meet at this time, when the four points are coplanar?"""
    if any(_on_edge(*(p[i] for i in e), root) for e in edges):
        return True
    # Otherwise inner points meet: all crossings turn the same way, seen along the normal.
    a, b, c, d = p
    if face:
        normal = _cross(_minus(c, b), _minus(d, b))
        turns = [_dot(normal, _cross(_minus(y, x), _minus(a, x))) for x, y in ((b, c), (c, d), (d, b))]
        return all(_sign(x, root) > 0 for x in turns)
    along, across = _minus(b, a), _minus(d, c)
    sides = [_cross(along, _minus(x, a)) for x in (c, d)], [_cross(across, _minus(x, c)) for x in (a, b)]
    return all(_sign(_dot(x, y), root) < 0 for x, y in sides)


def _on_edge(p, q, r, root):
    u, v = _minus(p, q), _minus(p, r)
    return all(_sign(x, root) == 0 for x in _cross(u, v)) and _sign(_dot(u, v), root) <= 0


KINDS = {"edge_edge": False, "vertex_face": True}
FAMILIES = {"uniform": lambda g, n, face: uniform(g, n), "coarse": lambda g, n, face: coarse(g, n), "touching": touching}
CASES = list(product(KINDS, FAMILIES))
