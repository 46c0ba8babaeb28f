"""Random bodies, each with its function in NumPy: negative inside, 0 on the surface."""

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from generative import ParametricSurface, Rigid, axis_angle, primitives, solids, t, u, v

Array = np.ndarray
Inside = Callable[[Array], Array]
# Numbers are of few binary digits, so both descriptions have the same ones.
GRAIN = 64


class Shape(NamedTuple):
    """A body about the origin, its function of points (n, 3), and a radius of a ball that holds it."""

    body: Any
    inside: Inside
    radius: float


class Flight(NamedTuple):
    """A turn by `rate` t about an axis through the body's origin, which moves from `place` by `speed` t. The axis is one of x, y, z."""

    place: Array
    speed: Array
    axis: int
    rate: float

    @property
    def motion(self) -> Rigid:
        axis = [int(k == self.axis) for k in range(3)]
        place = [exact(p) + exact(s) * t for p, s in zip(self.place, self.speed, strict=True)]
        return Rigid(rotation=axis_angle(axis, exact(self.rate) * t), translation=place)

    def rotation(self, moment: float) -> Array:
        return turned(self.axis, self.rate * moment)

    def world(self, points: Array, moment: float) -> Array:
        return points @ self.rotation(moment).T + self.place + self.speed * moment

    def local(self, points: Array, moment: float) -> Array:
        return (points - self.place - self.speed * moment) @ self.rotation(moment)


def exact(number: float) -> sp.Rational:
    return sp.Rational(float(number))


def turned(axis: int, angle: float) -> Array:
    j, k = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[[j, k], [j, k]] = np.cos(angle)
    matrix[k, j], matrix[j, k] = np.sin(angle), -np.sin(angle)
    return matrix


def number(rng: np.random.Generator, lo: float, hi: float) -> float:
    return float(np.round(rng.uniform(lo, hi) * GRAIN) / GRAIN)


# -- leaves -------------------------------------------------------------------------------------------------------


def ball(rng: np.random.Generator) -> Shape:
    r = number(rng, 0.25, 0.6)
    return Shape(primitives.ball(exact(r)), lambda p: np.linalg.norm(p, axis=1) - r, r)


def block(rng: np.random.Generator) -> Shape:
    half = np.array([number(rng, 0.125, 0.5) for _ in range(3)])
    return Shape(primitives.block([2 * exact(h) for h in half]), lambda p: (np.abs(p) - half).max(axis=1), float(np.linalg.norm(half)))


def cylinder(rng: np.random.Generator) -> Shape:
    r, h = number(rng, 0.125, 0.5), number(rng, 0.25, 1)
    return Shape(primitives.round_cylinder(exact(r), exact(h)),
                 lambda p: np.max([np.hypot(p[:, 0], p[:, 1]) - r, -p[:, 2], p[:, 2] - h], axis=0), float(np.hypot(r, h)))


LEAVES = ball, block, cylinder


def combined(rng: np.random.Generator, leaves: int) -> Shape:
    """So many of them at random places and turns, one after the other: united, cut off, or (rarely) intersected with what is there."""
    whole = leaf(rng, 0.25)
    for _ in range(leaves - 1):
        other, how = leaf(rng, 0.75), rng.choice(3, p=[0.5, 0.45, 0.05])
        if how == 0:
            whole = Shape(whole.body | other.body, union(whole.inside, other.inside), max(whole.radius, other.radius))
        elif how == 1:
            whole = Shape(whole.body - other.body, difference(whole.inside, other.inside), whole.radius)
        else:
            size = number(rng, 0.75, 1.25)
            around = primitives.ball(exact(size))
            whole = Shape(whole.body & around, intersection(whole.inside, size), min(whole.radius, size))
    return whole


def union(first: Inside, second: Inside) -> Inside:
    return lambda p: np.minimum(first(p), second(p))


def difference(first: Inside, second: Inside) -> Inside:
    return lambda p: np.maximum(first(p), -second(p))


def intersection(first: Inside, size: float) -> Inside:
    return lambda p: np.maximum(first(p), np.linalg.norm(p, axis=1) - size)


def leaf(rng: np.random.Generator, spread: float) -> Shape:
    """One of the leaves, by a turn about an axis and a shift."""
    shape, axis = LEAVES[rng.integers(len(LEAVES))](rng), int(rng.integers(3))
    angle, shift = number(rng, -3, 3), np.array([number(rng, -spread, spread) for _ in range(3)])
    matrix, inside = turned(axis, angle), shape.inside
    motion = Rigid(rotation=axis_angle([int(k == axis) for k in range(3)], exact(angle)), translation=[exact(s) for s in shift])
    return Shape(shape.body.moved(motion), lambda p: inside((p - shift) @ matrix), shape.radius + float(np.linalg.norm(shift)))


# -- others -------------------------------------------------------------------------------------------------------


def capsule(rng: np.random.Generator) -> Shape:
    r, length = number(rng, 0.125, 0.4), number(rng, 0.25, 1)

    def inside(p: Array) -> Array:
        return np.linalg.norm(p - np.clip(p[:, 2:], 0, length) * [0, 0, 1], axis=1) - r

    return Shape(solids.capsule(exact(r), exact(length)), inside, r + length)


def rounded_box(rng: np.random.Generator) -> Shape:
    r, half = number(rng, 0.0625, 0.125), np.array([number(rng, 0.25, 0.5) for _ in range(3)])

    def inside(p: Array) -> Array:
        return np.linalg.norm(np.maximum(np.abs(p) - (half - r), 0), axis=1) - r

    return Shape(solids.rounded_box([2 * exact(h) for h in half], exact(r)), inside, float(np.linalg.norm(half)))


def ellipsoid(rng: np.random.Generator) -> Shape:
    axes = np.array([number(rng, 0.25, 0.75) for _ in range(3)])
    a, b, c = map(exact, axes)
    body = ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    return Shape(body, lambda p: np.linalg.norm(p / axes, axis=1) - 1, float(axes.max()))


def torus(rng: np.random.Generator) -> Shape:
    large, small = number(rng, 0.4, 0.6), number(rng, 0.125, 0.25)
    ring = exact(large) + exact(small) * sp.cos(v)
    body = ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), exact(small) * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
    return Shape(body, lambda p: np.hypot(np.hypot(p[:, 0], p[:, 1]) - large, p[:, 2]) - small, large + small)


OTHERS = capsule, rounded_box, ellipsoid, torus, ball, block, cylinder


def flights(rng: np.random.Generator, radii: list[float]) -> list[Flight]:
    """Bodies in balls of these radii come from random sides towards places near the origin, apart at first."""
    reach = 1.25 * max(radii)
    while True:
        sides = rng.normal(size=(len(radii), 3))
        places = np.round(reach * sides / np.linalg.norm(sides, axis=1, keepdims=True) * GRAIN) / GRAIN
        if all(np.linalg.norm(places[i] - places[j]) > 1.0625 * (radii[i] + radii[j]) for i, j in combinations(range(len(radii)), 2)):
            break
        reach *= 1.125
    aims = np.array([[number(rng, -0.5, 0.5) for _ in range(3)] for _ in radii])
    return [Flight(place, aim - place, int(rng.integers(3)), number(rng, -2, 2)) for place, aim in zip(places, aims, strict=True)]
