"""Least distances of random pairs of bodies, in forty digits: by closed forms, or by roots of the conditions of Lagrange with signs that
prove them least. All numbers of the bodies are rationals.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from scipy.optimize import minimize

import collide
from generative import ImplicitSurface, ParametricSurface, Rigid, hull, primitives, solids, u, v, x, y, z

DIGITS, WIDTH, GRAIN = 40, 1.001e-9, 4096
Pair = tuple[Any, Any, Any]
# A turn by rational numbers, of the quaternion (2, 1, 0, -1) and others like it.
Matrix = list[list[Any]]


def number(rng: np.random.Generator, lo: float, hi: float) -> Any:
    return sp.Rational(round(float(rng.uniform(lo, hi)) * GRAIN), GRAIN)


def point(rng: np.random.Generator, size: float) -> list[Any]:
    return [number(rng, -size, size) for _ in range(3)]


def turn(rng: np.random.Generator) -> Matrix:
    a, b, c, d = (sp.Integer(int(n)) for n in (*rng.integers(-4, 5, 3), rng.integers(1, 5)))
    n = a * a + b * b + c * c + d * d
    rows = [[a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d]]
    return [[e / n for e in row] for row in rows]


def away(rng: np.random.Generator, far: float) -> list[Any]:
    way = rng.normal(size=3)
    return [sp.Rational(round(float(e) * GRAIN), GRAIN) for e in way / np.linalg.norm(way) * far * rng.uniform(1.0, 1.5)]


def exact(e: Any) -> Any:
    return mpmath.mpf(e.p) / e.q


def vector(e: Sequence[Any]) -> Any:
    return mpmath.matrix([exact(sp.Rational(c)) for c in e])


def sphere(r: Any, centre: Sequence[Any]) -> ParametricSurface:
    shape = [r * sp.cos(u) * sp.cos(v), r * sp.sin(u) * sp.cos(v), r * sp.sin(v)]
    return ParametricSurface(shape, {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(Rigid(translation=list(centre)))


# -- smooth convex bodies ---------------------------------------------------------------------------------------------


def smooth(rng: np.random.Generator, powers: Sequence[int]) -> tuple[Any, Callable[[Any], Any], Callable[[Any], Any], list[Any]]:
    """|x / a|^p + |y / b|^p + |z / c|^p = 1, turned and shifted, with p even; its function there and the gradient, and its place."""
    p, sizes, matrix, place = int(rng.choice(powers)), [number(rng, 0.4, 1.2) for _ in range(3)], turn(rng), away(rng, 1.0)
    body = ImplicitSurface(sum((s / a)**p for s, a in zip((x, y, z), sizes, strict=True)) - 1, bounds=[(-2 * a, 2 * a) for a in sizes])
    m, at, scale = mpmath.matrix([list(map(exact, row)) for row in matrix]), vector(place), list(map(exact, sizes))

    def local(q: Any) -> Any:
        return m.T * (q - at)

    def value(q: Any) -> Any:
        return sum((e / a)**p for e, a in zip(local(q), scale, strict=True)) - 1

    def gradient(q: Any) -> Any:
        return m * mpmath.matrix([p * (e / a)**(p - 1) / a for e, a in zip(local(q), scale, strict=True)])

    return body.moved(Rigid(rotation=matrix, translation=place)), value, gradient, place


def superquadrics(rng: np.random.Generator) -> Pair:
    """Two of them, one far enough from the other."""
    while True:
        a, f, df, here = smooth(rng, (2, 4, 6))
        b, g, dg, there = smooth(rng, (2, 4, 6))
        far = away(rng, 2.5)
        found = _least((f, df, vector(here)), (lambda q, g=g, far=far: g(q - vector(far)), lambda q, dg=dg, far=far: dg(q - vector(far)),
                                               vector(there) + vector(far)))
        if found is not None and found > 1e-3:
            return a, b.moved(Rigid(translation=far)), found


def _least(first: tuple[Any, Any, Any], second: tuple[Any, Any, Any]) -> Any:
    """The distance of two convex bodies that are apart; None if no such root is found."""
    (f, df, here), (g, dg, there) = first, second
    start = np.array([*map(float, here), *map(float, there)])

    def split(w: Sequence[float]) -> tuple[Any, Any]:
        return mpmath.matrix([mpmath.mpf(e) for e in w[:3]]), mpmath.matrix([mpmath.mpf(e) for e in w[3:6]])

    held = [{"type": "ineq", "fun": lambda w: -float(f(split(w)[0])), "jac": lambda w: -np.array([*map(float, df(split(w)[0])), 0, 0, 0])},
            {"type": "ineq", "fun": lambda w: -float(g(split(w)[1])), "jac": lambda w: -np.array([0, 0, 0, *map(float, dg(split(w)[1]))])}]
    with mpmath.workdps(20):
        found = minimize(lambda w: float(((w[:3] - w[3:])**2).sum()), start, constraints=held, method="SLSQP",
                         jac=lambda w: 2 * np.concatenate([w[:3] - w[3:], w[3:] - w[:3]]), options={"maxiter": 200, "ftol": 1e-13}).x
    p, q = split(found)
    if mpmath.norm(p - q) < 1e-3:
        return None
    push, pull = mpmath.norm(p - q) / mpmath.norm(df(p)), mpmath.norm(p - q) / mpmath.norm(dg(q))

    def conditions(*w: Any) -> list[Any]:
        p, q = mpmath.matrix(w[:3]), mpmath.matrix(w[3:6])
        return [*(p - q + w[6] * df(p)), *(q - p + w[7] * dg(q)), f(p), g(q)]

    try:
        root = mpmath.findroot(conditions, [*p, *q, push, pull], tol=1e-60, maxsteps=60)
    except (ValueError, ZeroDivisionError):
        return None
    return mpmath.norm(mpmath.matrix(root[:3]) - mpmath.matrix(root[3:6])) if root[6] > 0 and root[7] > 0 else None


# -- solids -----------------------------------------------------------------------------------------------------------


def polyhedra(rng: np.random.Generator) -> Pair:
    """The hull of some points, beside another one or a ball."""
    a = [point(rng, 0.7) for _ in range(int(rng.integers(4, 9)))]
    far = away(rng, 2.0)
    if rng.random() < 0.5:
        r = number(rng, 0.1, 0.6)
        return hull(a), sphere(r, far), _from_points(a, [far]) - exact(r)
    b = [[e + s for e, s in zip(point(rng, 0.7), far, strict=True)] for _ in range(int(rng.integers(4, 9)))]
    return hull(a), hull(b), _from_points(a, b)


def _from_points(a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> Any:
    """The distance of two hulls that are apart: the least length in the hull of differences, whose nearest point is one of a vertex, an
    edge or a triangle of it; the plane across it parts all.
    """
    apart = [vector([e - f for e, f in zip(p, q, strict=True)]) for p in a for q in b]
    best = min((_to_simplex(some) for some in _near(apart)), key=mpmath.norm)
    least = min((best.T * d)[0] for d in apart)
    assert least > (best.T * best)[0] * (1 - mpmath.mpf(10)**-30), "not the least"
    return mpmath.norm(best)


def _near(apart: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Of these points, those that span what is nearest to 0, about: vertices, edges and triangles of few that lie lowest."""
    w = np.array([[float(e) for e in d] for d in apart])
    whole = {"type": "eq", "fun": lambda s: s.sum() - 1}
    share = minimize(lambda s: float(((s @ w)**2).sum()), np.full(len(w), 1 / len(w)), jac=lambda s: 2 * w @ (s @ w), constraints=whole,
                     bounds=[(0, 1)] * len(w), method="SLSQP", options={"maxiter": 500, "ftol": 1e-15}).x
    nearest = share @ w
    lowest = np.argsort(w @ nearest)[:8]
    for count in (1, 2, 3):
        yield from ([apart[k] for k in some] for some in combinations(lowest.tolist(), count))


def _to_simplex(points: Sequence[Any]) -> Any:
    """The nearest point to 0 of the plane through points, if it lies between them; else the first one."""
    first, *others = points
    if not others:
        return first
    sides = [p - first for p in others]
    gram = mpmath.matrix([[(s.T * r)[0] for r in sides] for s in sides])
    if abs(mpmath.det(gram)) < mpmath.mpf(10)**-30:
        return first
    share = mpmath.lu_solve(gram, mpmath.matrix([-(s.T * first)[0] for s in sides]))
    if min(share) < 0 or sum(share) > 1:
        return first
    return first + sum((k * s for k, s in zip(share, sides, strict=True)), mpmath.zeros(3, 1))


def capsules(rng: np.random.Generator) -> Pair:
    """Two capsules, which are parallel curves of segments; or one and a ball."""
    bodies, ends, thick = [], [], []
    for far in ([0, 0, 0], away(rng, 3.0)):
        r, length, matrix = number(rng, 0.2, 0.5), number(rng, 0.3, 1.2), turn(rng)
        bodies.append(solids.capsule(r, length).moved(Rigid(rotation=matrix, translation=far)))
        ends.append([[f + row[2] * e for f, row in zip(far, matrix, strict=True)] for e in (0, length)])
        thick.append(exact(r))
    return bodies[0], bodies[1], _from_points(*ends) - thick[0] - thick[1]


# -- combined implicit bodies -----------------------------------------------------------------------------------------


def blocks(rng: np.random.Generator) -> Pair:
    """A turned block and a ball."""
    sizes, matrix, far, r = [number(rng, 0.4, 1.5) for _ in range(3)], turn(rng), away(rng, 2.0), number(rng, 0.1, 0.5)
    at = mpmath.matrix([list(map(exact, row)) for row in matrix]).T * vector(far)
    over = [max(abs(e) - exact(s) / 2, mpmath.mpf(0)) for e, s in zip(at, sizes, strict=True)]
    return primitives.block(sizes).moved(Rigid(rotation=matrix)), primitives.ball(r).moved(Rigid(translation=far)), \
        mpmath.norm(mpmath.matrix(over)) - exact(r)


def two_balls(rng: np.random.Generator) -> Pair:
    """A ball beside the union, the intersection, or the difference of two balls that cross."""
    r, q, c = number(rng, 0.5, 0.9), number(rng, 0.5, 0.9), number(rng, 0.55, 0.95)
    first, second, s = primitives.ball(r), primitives.ball(q, (0, 0, c)), number(rng, 0.1, 0.4)
    far, how = away(rng, 2.3), int(rng.integers(3))
    body = (first | second, first & second, first - second)[how]
    matrix = turn(rng)
    ball = primitives.ball(s).moved(Rigid(translation=far))
    here, there, at = vector([0, 0, 0]), vector([0, 0, c]), vector(far)
    # Where the spheres cross: a circle round the axis.
    height = (exact(r)**2 - exact(q)**2 + exact(c)**2) / (2 * exact(c))
    across = mpmath.sqrt(exact(r)**2 - height**2)
    places = [mpmath.sqrt((mpmath.hypot(at[0], at[1]) + sign * across)**2 + (at[2] - height)**2) for sign in (1, -1)]
    for centre, radius, other, reach, side in ((here, r, there, q, how == 1), (there, q, here, r, how > 0)):
        way = (at - centre) / mpmath.norm(at - centre)
        for sign in (1, -1):
            p = centre + sign * exact(radius) * way
            if (mpmath.norm(p - other) < exact(reach)) == side:
                places.append(mpmath.norm(at - p))
    turned = Rigid(rotation=matrix)
    return body.moved(turned), ball.moved(turned), min(places) - exact(s)


KINDS: dict[str, Sequence[Callable[[np.random.Generator], Pair]]] = {
    "superquadrics": (superquadrics,), "solids": (polyhedra, capsules), "csg": (blocks, two_balls),
}


def drawn(kind: str, seed: int) -> Pair:
    """Two bodies that are apart, and their distance; the smaller number of the seed says which kind of them."""
    rng = np.random.default_rng([seed, *kind.encode()])
    with mpmath.workdps(DIGITS):
        while True:
            a, b, value = KINDS[kind][seed % len(KINDS[kind])](rng)
            if value > 1e-3:
                return (a, b, value) if seed % 3 else (b, a, value)


def compared(kind: str, seed: int, budget: float) -> tuple[str, list[str]]:
    a, b, value = drawn(kind, seed)
    answer = collide.distance(a, b, budget=budget)
    with mpmath.workdps(DIGITS):
        room = mpmath.mpf(10)**-30
        lo, hi = mpmath.mpf(answer.bracket.lo) - room, mpmath.mpf(answer.bracket.hi) + room
        if not lo <= value <= hi:
            return answer.status.name, [f"{mpmath.nstr(value, 20)} is not in {answer.bracket!r}"]
    wide = answer.bracket.hi - answer.bracket.lo > WIDTH * answer.bracket.hi
    return ("WIDE" if wide else answer.status.name), []
