"""Motions and what contact asks of them: rotations, screws, pendulums, terms of tangency."""

from collections.abc import Callable, Sequence

import sympy as sp
from flint import arb

from .cases import Case, w, x, y, z
from .outward import V, cos, hull, joined, sin, turning
from .shapes import TWICE

UNIT = [(-1.0, 1.0)] * 4
TURN = [(-2.0, 2.0), (-2.0, 2.0), (-4.0, 4.0)]
IDENTITY = "sin(x) cos(y) - cos(x) sin(y) is sin(x - y), which a person sees"


def turned(x: V, y: V, a: V) -> V:
    """x cos a - y sin a: of an angle linear in x and y, so corners count; of a corner it is r cos(a + phi), whose extremes are known."""
    return joined(*(_swing(p, q, a) for p in x for q in y))


def _swing(p: arb, q: arb, a: V) -> V:
    """Its derivative vanishes where tan a = -q / p."""
    phase = arb.atan2(-q, p)
    first, last = (int(float(((end - phase) / arb.pi()).mid())) for end in a)
    return turning(lambda b: p * b.cos() - q * b.sin(), a, *(phase + k * arb.pi() for k in range(first - 2, last + 3)))


def of_unit_quaternion(w: V, x: V, y: V, z: V) -> V:
    """(p - q) / (p + q) of p = w^2 + x^2 and q = y^2 + z^2 rises with p and falls with q."""
    p, q = w**2 + x**2, y**2 + z**2
    return V((p.lo - q.hi) / (p.lo + q.hi), (p.hi - q.lo) / (p.hi + q.lo))


def monotone(f: Callable[..., arb], slopes: Callable[..., Sequence[V]], natural: Callable[..., V]) -> Callable[..., V]:
    """Where the derivative by a variable has one sign its ends are put in; the rest is bounded operation by operation."""
    def hand(*box: V) -> V:
        if all(s.lo >= 0 or s.hi <= 0 for s in slopes(*box)):
            signs = [s.lo >= 0 for s in slopes(*box)]
            ends = [[v.lo if up == low else v.hi for v, up in zip(box, signs, strict=True)] for low in (True, False)]
            return V(f(*ends[0]), f(*ends[1]))
        return natural(*box)

    return hand


def tip(a: arb, b: arb) -> arb:
    return a.sin() + (a + b).sin()


DET = x * w - y * z
MOTIONS: dict[str, Case] = {
    "rotation by an angle": Case([x * sp.cos(z) - y * sp.sin(z)], TURN, turned, TWICE),
    "rotation by a quaternion": Case([w**2 + x**2 - y**2 - z**2, 2 * (x * y - w * z)], UNIT,
                                     lambda x, y, z, w: [w**2 + x**2 - y**2 - z**2, 2 * (x * y - w * z)]),
    "rotation by a quaternion of any size": Case([(w**2 + x**2 - y**2 - z**2) / (w**2 + x**2 + y**2 + z**2)],
                                                 [(0.25, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0)],
                                                 lambda x, y, z, w: of_unit_quaternion(w, x, y, z), TWICE),
    "screw": Case([x * sp.cos(2 * z) - y * sp.sin(2 * z) + 1, z / 3 + x], [(-2.0, 2.0), (-2.0, 2.0), (-2.0, 2.0)],
                  lambda x, y, z: [turned(x, y, z * 2) + 1, z / 3 + x], TWICE),
    "ball that moves": Case([(x - z) ** 2 + (y - z / 2) ** 2 - 1], TURN,
                            lambda x, y, z: moving(x, y, z), TWICE),
    "energy of a pendulum": Case([y**2 / 2 - sp.cos(x)], [(-4.0, 4.0), (-3.0, 3.0)], lambda x, y: y**2 / 2 - cos(x)),
    "acceleration of a pendulum": Case([-sp.sin(x) - y / 10], [(-4.0, 4.0), (-3.0, 3.0)], lambda x, y: -sin(x) - y / 10),
    "tip of a double pendulum": Case([sp.sin(x) + sp.sin(x + y)], [(-1.5, 1.5), (-1.5, 1.5)], monotone(
        tip, lambda a, b: [cos(a) + cos(a + b), cos(a + b)], lambda a, b: sin(a) + sin(a + b)), TWICE),
    "tangency of circles": Case([sp.sin(x) * sp.cos(y) - sp.cos(x) * sp.sin(y)], [(-2.0, 2.0), (-2.0, 2.0)],
                                lambda x, y: sin(x - y), IDENTITY),
    "determinant": Case([DET], [(-3.0, 3.0)] * 4, lambda x, y, z, w: x * w - y * z),
    "normal speed": Case([sp.cos(x) * y + sp.sin(x) * z], [(-4.0, 4.0), (-2.0, 2.0), (-2.0, 2.0)],
                         lambda x, y, z: joined(*(_swing(p, -q, x) for p in y for q in z)), TWICE),
    "heading": Case([sp.atan2(y, x)], [(0.25, 3.0), (-2.0, 2.0)], lambda x, y: hull(*(arb.atan2(b, a) for a in x for b in y))),
}  # fmt: skip


def moving(x: V, y: V, t: V) -> V:
    """A convex function of t, x and y: its greatest value is at a corner. The least one over t is at t = (2 x + y) 2/5, clipped; over x and
    y each square is least at the nearest place. So it is at the least of what pieces between t = x, t = 2 y and the ends have.
    """
    most = hull(*((p - s) ** 2 + (q - s / 2) ** 2 for p in x for q in y for s in t)).hi
    places = [*t, *(e for e in (*x, 2 * y.lo, 2 * y.hi) if e >= t.lo and e <= t.hi)]
    places += [s for p in x for q in y for s in ((4 * p + 2 * q) / 5,) if s >= t.lo and s <= t.hi]

    def nearest(s: arb) -> arb:
        first = (x.lo - s).max(s - x.hi).max(arb(0))
        second = (y.lo - s / 2).max(s / 2 - y.hi).max(arb(0))
        return first**2 + second**2

    return V(hull(*map(nearest, places)).lo - 1, most - 1)
