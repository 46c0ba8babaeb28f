"""Surfaces: implicit ones, points of parametric ones, distance functions and what CSG makes of them."""

from collections.abc import Callable

import sympy as sp
from flint import arb

from .cases import Case, x, y, z
from .outward import V, cos, exp, falling, least, most, sin, sqrt

CUBE = [(-2.0, 2.0)] * 3
SQUARE = [(-3.0, 3.0)] * 2
ANGLES = [(-4.0, 4.0)] * 2
QUARTER = sp.Rational(1, 4)
TWICE = "a variable occurs more than once, and operations are bounded one by one"


def quartic_torus(x: V, y: V, z: V) -> V:
    """With s = x^2 + y^2 and w = z^2 it is (s + w + 15/16)^2 - 4 s: it rises with w, and is convex in s, least at 17/16 - w."""
    s, w = x**2 + y**2, z**2

    def at(s: arb, w: arb) -> arb:
        return (s + w + arb(15) / 16) ** 2 - 4 * s

    bottom = (arb(17) / 16 - w.lo).max(s.lo).min(s.hi)
    return V(at(bottom, w.lo), at(s.lo, w.hi).max(at(s.hi, w.hi)))


def box_distance(x: V, y: V) -> V:
    """It rises with |x| and |y|."""
    def at(a: arb, b: arb) -> arb:
        p, q = a - 1, b - 2
        return (p.max(arb(0)) ** 2 + q.max(arb(0)) ** 2).sqrt() + p.max(q).min(arb(0))

    a, b = abs(x), abs(y)
    return V(at(a.lo, b.lo), at(a.hi, b.hi))


def capsule_distance(x: V, y: V) -> V:
    """x - clip(x, 0, 1) rises."""
    def rest(a: arb) -> arb:
        return a - a.max(arb(0)).min(arb(1))

    return sqrt(V(rest(x.lo), rest(x.hi)) ** 2 + y**2) - arb(1) / 2


def unit_component(x: V, y: V) -> V:
    """x / sqrt(x^2 + y^2) rises with x, and with |y| tends to 0."""
    def at(a: arb, b: arb) -> arb:
        return a / (a * a + b * b).sqrt()

    size = abs(y)
    return V(at(x.lo, size.lo if x.lo <= 0 else size.hi), at(x.hi, size.lo if x.hi >= 0 else size.hi))


def saturated(x: V, y: V) -> V:
    """s / (1 + s) of s = x^2 + y^2 rises with s."""
    s = x**2 + y**2
    return V(s.lo / (1 + s.lo), s.hi / (1 + s.hi))


def ball(at: int) -> Callable[..., V]:
    return lambda x, y: (x - at) ** 2 + y**2 - 1


def first(x: V, y: V, f: Callable[[V, V], V]) -> V:
    return f(ball(0)(x, y), ball(1)(x, y))


LEFT, RIGHT = x**2 + y**2 - 1, (x - 1) ** 2 + y**2 - 1
INSIDE = sp.sqrt(sp.Max(abs(x) - 1, 0) ** 2 + sp.Max(abs(y) - 2, 0) ** 2)

SHAPES: dict[str, Case] = {
    "sphere": Case([x**2 + y**2 + z**2 - 1], CUBE, lambda x, y, z: x**2 + y**2 + z**2 - 1),
    "ellipsoid": Case([x**2 / 4 + y**2 / 9 + z**2 - 1], CUBE, lambda x, y, z: x**2 / 4 + y**2 / 9 + z**2 - 1),
    "torus by its distance": Case([(sp.sqrt(x**2 + y**2) - 1) ** 2 + z**2 - QUARTER**2], CUBE,
                                  lambda x, y, z: (sqrt(x**2 + y**2) - 1) ** 2 + z**2 - arb(1) / 16),
    "torus as a quartic": Case([(x**2 + y**2 + z**2 + sp.Rational(15, 16)) ** 2 - 4 * (x**2 + y**2)], CUBE, quartic_torus, TWICE),
    "torus, a point of it": Case([(1 + sp.cos(y) / 4) * sp.cos(x), (1 + sp.cos(y) / 4) * sp.sin(x), sp.sin(y) / 4], ANGLES,
                                 lambda x, y: [(1 + cos(y) / 4) * cos(x), (1 + cos(y) / 4) * sin(x), sin(y) / 4]),
    "bumpy ball, its radius": Case([1 + sp.cos(3 * x) * sp.cos(3 * y) / 12], ANGLES,
                                   lambda x, y: 1 + cos(3 * x) * cos(3 * y) / 12),
    "superquadric of degree 3": Case([abs(x) ** 3 + abs(y) ** 3 + abs(z) ** 3 - 1], CUBE,
                                     lambda x, y, z: abs(x) ** 3 + abs(y) ** 3 + abs(z) ** 3 - 1),
    "superquadric of degree 8": Case([x**8 + y**8 + z**8 - 1], CUBE, lambda x, y, z: x**8 + y**8 + z**8 - 1),
    "superellipse, a point of it": Case([sp.sign(sp.cos(x)) * sp.sqrt(abs(sp.cos(x)))], [(-1.5, 1.5)], lambda x: sqrt(cos(x)), ulps=64),
    "paraboloid": Case([z - x**2 - y**2], CUBE, lambda x, y, z: z - x**2 - y**2),
    "saddle": Case([z - x * y], CUBE, lambda x, y, z: z - x * y),
    "hyperboloid": Case([x**2 + y**2 - z**2 - 1], CUBE, lambda x, y, z: x**2 + y**2 - z**2 - 1),
    "gaussian": Case([sp.exp(-x**2 - y**2)], SQUARE, lambda x, y: exp(-(x**2 + y**2)), ulps=64),
    "distance from an axis": Case([sp.sqrt(x**2 + y**2) - 1], SQUARE, lambda x, y: sqrt(x**2 + y**2) - 1, ulps=64),
    "distance from a box": Case([INSIDE + sp.Min(sp.Max(abs(x) - 1, abs(y) - 2), 0)], SQUARE, box_distance, ulps=64),
    "distance from a segment": Case([sp.sqrt((x - sp.Max(0, sp.Min(x, 1))) ** 2 + y**2) - sp.Rational(1, 2)], SQUARE, capsule_distance,
                                    TWICE),
    "union of balls": Case([sp.Min(LEFT, RIGHT)], SQUARE, lambda x, y: first(x, y, least)),
    "intersection of balls": Case([sp.Max(LEFT, RIGHT)], SQUARE, lambda x, y: first(x, y, most)),
    "difference of balls": Case([sp.Max(LEFT, -RIGHT)], SQUARE, lambda x, y: most(ball(0)(x, y), -ball(1)(x, y))),
    "blended union": Case([-sp.log(sp.exp(-4 * x) + sp.exp(-4 * y)) / 4], SQUARE,
                          lambda x, y: V(*(-((-4 * a).exp() + (-4 * b).exp()).log() / 4 for a, b in zip(x, y, strict=True))), ulps=1024),
    "direction, a component": Case([x / sp.sqrt(x**2 + y**2)], [(-3.0, 3.0), (0.25, 3.0)], unit_component, TWICE),
    "saturation of a distance": Case([(x**2 + y**2) / (1 + x**2 + y**2)], SQUARE, saturated, TWICE),
    "curvature of a parabola": Case([2 / sp.sqrt(1 + 4 * x**2) ** 3], [(-3.0, 3.0)],
                                    lambda x: falling(lambda a: 2 / (1 + 4 * a).sqrt() ** 3, x**2)),
}  # fmt: skip
