"""Random bodies about the origin, of a size of about one. Numbers are dyadic, so that doubles hold them exactly."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from scipy.spatial import ConvexHull

from generative import Edge, ImplicitSurface, ParametricSurface, Solid, polyhedron, primitives, t, u, v, x, y, z
from generative.patch import bezier_patch

TURN = (0, 2 * sp.pi)
SQUARE = {u: (-1, 1), v: (-1, 1)}


class Draw(random.Random):
    """Exact random numbers."""

    def number(self, lo: float, hi: float, bits: int = 10) -> Any:
        """A multiple of 2^-bits from lo to hi, not 0 or of size 1: those are structure rather than numbers of a family."""
        while True:
            k = sp.Rational(round(self.uniform(lo, hi) * 2**bits), 2**bits)
            if k not in (0, 1, -1):
                return k

    def vector(self, size: float) -> list[Any]:
        return [self.number(-size, size) for _ in range(3)]


Family = Callable[[Draw], Any]


def bowl(d: Draw) -> ParametricSurface:
    a, b, c, e, f = (d.number(lo, hi) for lo, hi in ((0.5, 1), (0.5, 1), (0.1, 0.8), (-0.4, 0.8), (-0.5, 0.5)))
    return ParametricSurface([a * u, b * v, c * u**2 + e * v**2 + f * u * v], SQUARE)


def wave(d: Draw) -> ParametricSurface:
    a, b, c, e = d.number(0.1, 0.4), d.number(1, 4), d.number(-2, 2), d.number(1, 4)
    return ParametricSurface([u, v, a * sp.sin(b * u + c) * sp.cos(e * v)], SQUARE)


def bump(d: Draw) -> ParametricSurface:
    a, b, c = d.number(0.3, 1), d.number(0.5, 4), d.number(0.5, 4)
    return ParametricSurface([u, v, a * sp.exp(-b * u**2 - c * v**2)], SQUARE)


def witch(d: Draw) -> ParametricSurface:
    a, b, c = d.number(0.3, 1), d.number(0.5, 4), d.number(0.5, 4)
    return ParametricSurface([u, v, a / (1 + b * u**2 + c * v**2)], SQUARE)


def helicoid(d: Draw) -> ParametricSurface:
    a, b = d.number(0.5, 2.5), d.number(0.3, 0.9)
    return ParametricSurface([u * sp.cos(a * v), u * sp.sin(a * v), b * v], SQUARE)


def belt(d: Draw) -> ParametricSurface:
    """A patch of an ellipsoid that keeps away from the poles."""
    a, b, c = (d.number(0.4, 1) for _ in range(3))
    first = d.number(-3, 3)
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: (first, first + d.number(1, 4)), v: (-d.number(0.3, 1.2), d.number(0.3, 1.2))})


def torus(d: Draw) -> ParametricSurface:
    ring, tube = d.number(0.5, 0.8), d.number(0.1, 0.4)
    return ParametricSurface([(ring + tube * sp.cos(v)) * sp.cos(u), (ring + tube * sp.cos(v)) * sp.sin(u), tube * sp.sin(v)],
                             {u: TURN, v: TURN})


def polynomial(d: Draw) -> ParametricSurface:
    terms = (u**2, u * v, v**2, u**3, u**2 * v, v**3, u**2 * v**2)
    heights = [sum(d.number(-0.4, 0.4) * e for e in terms) for _ in range(3)]
    return ParametricSurface([u + heights[0] / 4, v + heights[1] / 4, heights[2]], SQUARE)


SMOOTH: tuple[Family, ...] = (bowl, wave, bump, witch, helicoid, belt, torus, polynomial)


def ellipsoid(d: Draw) -> ParametricSurface:
    """Whole, with two poles and a seam."""
    a, b, c = (d.number(0.4, 1) for _ in range(3))
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: TURN, v: (-sp.pi / 2, sp.pi / 2)})


def cone(d: Draw) -> ParametricSurface:
    a, b = d.number(0.4, 1), d.number(0.3, 1)
    return ParametricSurface([a * v * sp.cos(u), a * v * sp.sin(u), b * v], {u: TURN, v: (0, 1)})


def dome(d: Draw) -> ParametricSurface:
    """A paraboloid in polar coordinates: a pole in the middle."""
    a, b = d.number(0.4, 1), d.number(-1, -0.2)
    return ParametricSurface([a * v * sp.cos(u), a * v * sp.sin(u), b * v**2], {u: TURN, v: (0, 1)})


POLES: tuple[Family, ...] = (ellipsoid, cone, dome)


def creased(d: Draw) -> ParametricSurface:
    """With one crease or two, each along a line of u or of v."""
    a, b, c, e = (d.number(-0.8, 0.8) for _ in range(4))
    s, other = d.choice([(u, v), (v, u)])
    folds = [a * sp.Abs(s - e / 2), sp.Max(a * s, b * s), sp.Min(a * s, b * s + c / 4), sp.Piecewise((a * s, s < 0), (b * s, True)),
             a * sp.Abs(s) + b * sp.Abs(other), sp.Max(a * s, c / 4) + b * other**2]
    return ParametricSurface([u, v, d.choice(folds) + c * other**2 / 4], SQUARE)


def deforming(d: Draw) -> ParametricSurface:
    a, b, c = d.number(0.2, 0.6), d.number(1, 4), d.number(1, 5)
    ball = ellipsoid(d).body
    choices = [([u, v, a * sp.sin(b * u + c * t) * sp.cos(v)], SQUARE), ([u, v, (a * t - b / 8) * (u**2 - v**2)], SQUARE),
               ([u, v * (1 + a * t), a * t**2 * (1 - u**2) * (1 - v**2)], SQUARE),
               ([u * sp.cos(a * t * v), u * sp.sin(a * t * v), v], SQUARE),
               ([(1 + a * sp.sin(c * t)) * e for e in ball], {u: TURN, v: (-sp.Rational(5, 4), sp.Rational(5, 4))})]
    return ParametricSurface(*d.choice(choices))


def rounded(d: Draw) -> ImplicitSurface:
    """A quadric, a quartic or a torus, as an implicit surface."""
    a, b, c = (d.number(0.4, 1) for _ in range(3))
    tube = d.number(0.1, 0.35)
    choices = [x**2 / a**2 + y**2 / b**2 + z**2 / c**2 - 1, x**4 / a**4 + y**4 / b**4 + z**2 / c**2 - 1,
               (x**2 + y**2 + z**2 + a**2 - tube**2) ** 2 - 4 * a**2 * (x**2 + y**2)]
    return ImplicitSurface(d.choice(choices), [(-2, 2)] * 3)


def csg(d: Draw) -> Any:
    a, b = rounded(d), ImplicitSurface((x - d.number(-1, 1)) ** 2 + (y - d.number(-1, 1)) ** 2 + z**2 - d.number(0.2, 0.9), [(-2, 2)] * 3)
    return d.choice([lambda: a | b, lambda: a - b, lambda: primitives.block([d.number(0.4, 1.5) for _ in range(3)]),
                     lambda: primitives.round_cylinder(d.number(0.3, 0.8), d.number(0.5, 1.5)), lambda: a & b])()


def hull(d: Draw) -> Solid:
    """A polyhedron of triangles: the convex hull of some points."""
    points = [[d.number(-0.9, 0.9) for _ in range(3)] for _ in range(d.choice([4, 5, 7]))]
    found = ConvexHull(np.array(points, float))
    middle = np.array(points, float).mean(axis=0)
    faces = []
    for a, b, c in found.simplices.tolist():
        p, q, r = (np.array(points[k], float) for k in (a, b, c))
        faces.append((a, b, c) if np.dot(np.cross(q - p, r - p), p - middle) > 0 else (a, c, b))
    used = sorted({k for face in faces for k in face})
    return polyhedron([points[k] for k in used], [[used.index(k) for k in face] for face in faces])


def brick(d: Draw) -> Solid:
    from generative.polyhedron import brick as make

    return make([d.number(0.4, 1.6) for _ in range(3)])


def can(d: Draw) -> Solid:
    from models.shapes.solids import cylinder

    return cylinder(radius=d.number(0.3, 0.8), height=d.number(0.4, 1.5))


def pillow(d: Draw) -> Solid:
    """Two curved faces over one square, with its four sides as edges."""
    a, b = d.number(0.2, 0.6), d.number(0.2, 0.6)
    faces = [ParametricSurface([u, v, h * (1 - u**2) * (1 - v**2)], SQUARE, flipped=h < 0) for h in (a, -b)]
    sides = [(u, -1), (u, 1), (-1, u), (1, u)]
    return Solid(faces, [Edge((0, 1), (path, path), (-1, 1)) for path in sides])


SOLIDS: tuple[Family, ...] = (hull, brick, can, pillow)


def net(d: Draw, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Control points and velocities (2, rows, columns, 3) of a patch of a size of about one, and weights, all dyadic."""
    rng = np.random.default_rng(d.getrandbits(32))
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij"), -1)
    places = np.concatenate([grid + rng.normal(0, 0.2, grid.shape), rng.normal(0, 0.4, (rows, columns, 1))], axis=-1)
    turned = places @ np.linalg.qr(rng.normal(0, 1, (3, 3)))[0].T
    points = np.round(np.stack([turned, rng.normal(0, 0.4, turned.shape)]) * 2**20) / 2**20
    return points, np.round(2.0 ** rng.uniform(-2, 2, (rows, columns)) * 2**10) / 2**10


def patch_of(points: np.ndarray, weights: np.ndarray | None) -> ParametricSurface:
    """The Bezier patch whose control points move at constant velocity."""
    at = [[tuple(sp.Rational(float(a)) + t * sp.Rational(float(b)) for a, b in zip(p, q, strict=True)) for p, q in zip(*rows, strict=True)]
          for rows in zip(*points, strict=True)]
    return bezier_patch(at, None if weights is None else [[sp.Rational(float(w)) for w in row] for row in weights])
