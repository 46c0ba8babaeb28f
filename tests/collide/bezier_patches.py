"""Bezier patches of known shape, and their evaluation in any arithmetic, for the tests of Bezier pairs."""

import itertools
import math
from fractions import Fraction

import numpy as np

import collide


def bernstein(degree, x):
    return [math.comb(degree, i) * x**i * (1 - x) ** (degree - i) for i in range(degree + 1)]


def point(patch, u, v, t, weights=None):
    """S(u, v, t) in the arithmetic of its arguments; patch (2, N+1, M+1, 3)."""
    N, M = patch.shape[1] - 1, patch.shape[2] - 1
    total, weight = [0, 0, 0], 0
    for (i, a), (j, b) in itertools.product(enumerate(bernstein(N, u)), enumerate(bernstein(M, v))):
        w = a * b * (1 if weights is None else weights[i][j])
        weight += w
        total = [s + w * (p + t * r) for s, p, r in zip(total, patch[0, i, j], patch[1, i, j], strict=True)]
    return [s / weight for s in total]


def exact(a):
    return np.vectorize(Fraction, otypes=[object])(a)


def moving(points, velocity=(0, 0, 0)):
    points = np.asarray(points, float)
    return np.stack([points, np.broadcast_to(np.asarray(velocity, float), points.shape)])


def square(height, size=1.0, degree=2, at=(0.0, 0.0)):
    g = np.linspace(-size, size, degree + 1)
    return np.stack([*np.meshgrid(g + at[0], g + at[1], indexing="ij"), np.full((degree + 1, degree + 1), float(height))], axis=-1)


def bowl(sign=1.0):
    """z = sign (x^2 + y^2) for |x|, |y| <= 1: control values of x^2 are 1, -1, 1."""
    p = square(0.0)
    c = np.array([1.0, -1.0, 1.0])
    p[..., 2] = sign * (c[:, None] + c[None, :])
    return p


def pair(a, b):
    return np.stack([a, b])


def one(q, **options):
    r = collide.bezier_pairs(q[None], **options)
    return r, r.time[0]


TILT = np.linalg.qr(np.array([[3.0, 1.0, 0.2], [-1.0, 2.0, 0.5], [0.3, -0.4, 1.0]]))[0]


def tilted(points, velocity=(0, 0, 0)):
    """So that no coordinate plane is special."""
    return moving(np.asarray(points) @ TILT.T, TILT @ velocity)


def trough():
    p = bowl()
    p[..., 2] = np.array([1.0, -1.0, 1.0])[:, None]
    return p


def cone():
    """A patch with one side in a point, the lowest."""
    p = square(0.0, 0.5)
    p[0, :] = [0.0, 0.0, -1.0]
    return p + [0.2, 0.1, 1.0]


def paraboloid(ratio, middle=(0.0, 0.0), angle=0.0):
    """z = ratio (x^2 + y^2) over a square of side 2 with this middle, turned by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    a, b = np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], indexing="ij")
    x, y = middle[0] + c * a - s * b, middle[1] + s * a + c * b
    # Control values of a^2 + b^2 are those of `bowl`; the rest of x^2 + y^2 is linear in a and b.
    linear = middle[0] * (2 * x - middle[0]) + middle[1] * (2 * y - middle[1])
    return np.stack([x, y, ratio * (linear + bowl()[..., 2])], axis=-1)
