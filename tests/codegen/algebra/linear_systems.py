"""Interval linear systems with known solutions, drawn at random, and exact rational arithmetic as their referee.

A system is an interval matrix M, an interval vector f, a point c and a box X, all chosen around a known solution: x in X and A in M
are drawn first, and f encloses -A (x - c), computed exactly.
"""

import ctypes
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

LANES = 8
Bounds = tuple[float, float]
Vector = list[Fraction]


def run(address: int, *arrays: np.ndarray) -> None:
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(address)(*(a.ctypes.data for a in arrays))


def enclose(q: Fraction) -> Bounds:
    """The tight double enclosure of a rational."""
    x = float(q)
    if Fraction(x) == q:
        return x, x
    return (x, math.nextafter(x, math.inf)) if Fraction(x) < q else (math.nextafter(x, -math.inf), x)


class System(NamedTuple):
    """One lane: M (m, n), f (m,), c (n,), X (n,), a matrix A in M and a point x in X with A (x - c) + b = 0, b in f."""

    M: list[list[Bounds]]
    f: list[Bounds]
    c: list[float]
    X: list[Bounds]
    A: list[list[float]]
    x: list[float]


def around(rng: random.Random, value: float, width: float) -> Bounds:
    """An interval that holds `value`, at times as an end, at times of no width."""
    if width == 0:
        return value, value
    return (value if rng.random() < 0.15 else value - width * rng.random(),
            value if rng.random() < 0.15 else value + width * rng.random())


def system(rng: random.Random, m: int, n: int, spread: float, size: float = 1.0, unbounded: bool = False) -> System:
    X = [(-size * rng.random(), size * rng.random()) if rng.random() < 0.9 else (0.5 * size,) * 2 for _ in range(n)]
    x = [rng.choice([lo, hi, *[rng.uniform(lo, hi)] * 4]) for lo, hi in X]
    c = [rng.uniform(lo, hi) if rng.random() < 0.5 else min(max(0.5 * (lo + hi), lo), hi) for lo, hi in X]
    A = [[rng.choice([0.0, 1.0, *[rng.uniform(-2, 2)] * 4]) + (3.0 if i == j else 0.0) for j in range(n)] for i in range(m)]
    M = [[around(rng, a, spread * rng.random()) for a in row] for row in A]
    if unbounded:
        i, j = rng.randrange(m), rng.randrange(n)
        M[i][j] = rng.choice([(-math.inf, math.inf), (M[i][j][0], math.inf), (-math.inf, M[i][j][1])])
    f = []
    for row in A:
        lo, hi = enclose(-sum((Fraction(a) * (Fraction(p) - Fraction(q)) for a, p, q in zip(row, x, c, strict=True)), Fraction(0)))
        width = size * spread * rng.random() * 0.1
        f.append((lo - width, hi + width))
    return System(M, f, c, X, A, x)


class Block(NamedTuple):
    """Eight systems as the kernels read them."""

    M: np.ndarray
    f: np.ndarray
    c: np.ndarray
    X: np.ndarray
    flag: np.ndarray

    @classmethod
    def of(cls, systems: list[System]) -> "Block":
        def pairs(values: list) -> np.ndarray:  # type: ignore[type-arg]
            """(lanes, ..., 2) as (..., -lo and hi, lanes)"""
            array = np.moveaxis(np.array(values, float), 0, -1).copy()
            array[..., 0, :] *= -1
            return np.ascontiguousarray(array)

        return cls(pairs([s.M for s in systems]), pairs([s.f for s in systems]),
                   np.ascontiguousarray(np.array([s.c for s in systems], float).T), pairs([s.X for s in systems]), np.ones(LANES))


def holds(box: np.ndarray, x: list[float], lane: int) -> bool:
    return all(-box[j, 0, lane] <= v <= box[j, 1, lane] for j, v in enumerate(x))


def batches(seed: int, count: int, make: Callable[[random.Random], System]) -> list[list[System]]:
    rng = random.Random(seed)
    return [[make(rng) for _ in range(LANES)] for _ in range(count)]


def with_matrix(rng: random.Random, A: list[list[float]], spread: float, solution: list[float]) -> System:
    """The system on X = [-1, 1]^n around c = 0 whose thin version has this solution."""
    n = len(A)
    f = [enclose(-sum((Fraction(a) * Fraction(v) for a, v in zip(row, solution, strict=True)), Fraction(0))) for row in A]
    M = [[(a - spread * rng.random(), a + spread * rng.random()) for a in row] for row in A]
    return System(M, f, [0.0] * n, [(-1.0, 1.0)] * n, A, solution)


def inner(rng: random.Random, n: int) -> System:
    """A solution well inside its box, and a matrix wide enough to be proved at times only."""
    A = [[rng.uniform(-1, 1) + 2 * n * (i == j) for j in range(n)] for i in range(n)]
    return with_matrix(rng, A, rng.choice([1e-9, 0.1, 1.0]), [rng.uniform(-0.5, 0.5) for _ in range(n)])


def kinds(m: int, n: int) -> list[Callable[[random.Random], System]]:
    return [lambda r: system(r, m, n, 0.0), lambda r: system(r, m, n, 1e-12), lambda r: system(r, m, n, 0.3),
            lambda r: system(r, m, n, 6.0), lambda r: system(r, m, n, 0.5, 1e-200), lambda r: system(r, m, n, 0.5, 1e-310),
            lambda r: system(r, m, n, 0.5, 1e150), lambda r: system(r, m, n, 2.0, unbounded=True)]


# -- exact referee --------------------------------------------------------------------------------------------------


def solve(A: list[list[Fraction]], b: Vector) -> Vector | None:
    """The solution of A y = b by Gaussian elimination, None for a singular matrix."""
    n = len(A)
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for k in range(n):
        pivot = next((r for r in range(k, n) if rows[r][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for r in range(n):
            if r != k and rows[r][k]:
                factor = rows[r][k] / rows[k][k]
                rows[r] = [p - factor * q for p, q in zip(rows[r], rows[k], strict=True)]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def drawn(rng: random.Random, bounds: Bounds) -> Fraction:
    lo, hi = bounds
    return Fraction(rng.choice([lo, hi, min(max(lo + (hi - lo) * rng.random(), lo), hi)]))


def surely_unique(s: System, rng: random.Random) -> bool:
    """Does every system drawn from M and f have exactly one solution, and that in X?"""
    for _ in range(8):
        A = [[drawn(rng, entry) for entry in row] for row in s.M]
        y = solve(A, [-drawn(rng, b) for b in s.f])
        if y is None or not all(lo <= Fraction(c) + v <= hi for (lo, hi), c, v in zip(s.X, s.c, y, strict=True)):
            return False
    return True
