"""Random boxes of every kind, sample points in them, the reference over one box, and distances between doubles."""

import math
import random

import numpy as np
from numpy.typing import NDArray

from codegen.graph.expr import Expr
from codegen.reference.interpreter import interpret

Array = NDArray[np.float64]
Box = tuple[float, float]

INF = math.inf
LINE = (-INF, INF)
SPECIAL = [0.0, -0.0, 0.5, 1.0, -1.0, 2.0, math.pi / 2, math.pi, -math.pi, 5e-324, -5e-324, 2.0**-1022,
           1e300, -1e300, 2.0**20]  # fmt: skip


def random_double(rng: random.Random) -> float:
    """A double of any size and sign, denormals included."""
    kind = rng.random()
    if kind < 0.15:
        return rng.choice(SPECIAL)
    if kind < 0.25:
        return float(rng.randrange(-12, 13)) / 4
    exponent = rng.uniform(-1074, 1023) if kind < 0.35 else rng.uniform(-60, 21) if kind < 0.6 else rng.uniform(-3, 4)
    return rng.choice([-1, 1]) * math.ldexp(rng.uniform(1, 2), math.floor(exponent))


def random_box(rng: random.Random) -> Box:
    """Tiny, huge, straddling 0 or a special point, degenerate, half-infinite or the whole line."""
    kind, a = rng.random(), random_double(rng)
    if kind < 0.1:
        return a, a
    if kind < 0.3:
        ulps = rng.randrange(1, 9)
        return a, a + ulps * math.ulp(a)
    if kind < 0.5:
        centre, radius = rng.choice(SPECIAL), math.ldexp(rng.random(), rng.randrange(-60, 2))
        return centre - radius * rng.random(), centre + radius
    if kind < 0.56:
        return (a, INF) if rng.random() < 0.5 else (-INF, a)
    if kind < 0.57:
        return -INF, INF
    if kind < 0.75:
        return tuple(sorted((rng.uniform(-4, 4), rng.uniform(-4, 4))))  # type: ignore[return-value]
    b = random_double(rng)
    return min(a, b), max(a, b)


def random_boxes(seed: int | str, rows: int, columns: int) -> tuple[Array, Array]:
    rng = random.Random(seed)
    boxes = np.array([[random_box(rng) for _ in range(columns)] for _ in range(rows)])
    return np.ascontiguousarray(boxes[..., 0]), np.ascontiguousarray(boxes[..., 1])


def samples(rng: random.Random, lo: float, hi: float, count: int) -> list[float]:
    """Finite doubles of [lo, hi]: ends, special points inside, random points."""
    finite = [e for e in (lo, hi) if math.isfinite(e)]
    low, high = max(lo, -1e308), min(hi, 1e308)
    inside = [s for s in SPECIAL if lo <= s <= hi]
    found = finite + rng.sample(inside, min(len(inside), 2))
    while len(found) < count:
        share = rng.random()
        x = low * (1 - share) + high * share if rng.random() < 0.6 else random_double(rng)
        if lo <= x <= hi:
            found.append(x)
        elif rng.random() < 0.5:
            found.append(min(max(x, lo, -1e308), hi, 1e308))
    return rng.sample(found, count)


def one(e: Expr, *boxes: Box) -> tuple[float, float, int]:
    """Bounds and level of one expression over one box, by the reference."""
    lo, hi, level = interpret([e], [[b[0] for b in boxes]], [[b[1] for b in boxes]])
    return float(lo[0, 0]), float(hi[0, 0]), int(level[0, 0])


def ordinal(x: Array) -> NDArray[np.int64]:
    """The position of each double in their order: neighbours differ by 1, both zeros are 0."""
    bits = np.asarray(x, np.float64).view(np.int64)
    return np.where(bits >= 0, bits, np.int64(-(2**63)) - bits)


def ulps_apart(a: Array, b: Array) -> Array:
    """How many doubles lie from b to a: exact where it is small, huge where it is not."""
    p, q = ordinal(a), ordinal(b)
    near = np.signbit(p) == np.signbit(q)
    return np.where(near, (p - np.where(near, q, p)).astype(float), p.astype(float) - q.astype(float))


def same_bits(a: Array, b: Array) -> bool:
    return bool(np.array_equal(a.view(np.int64), b.view(np.int64)))


def boxes(rows: int, columns: int = 2, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Random boxes of width 1/4, a row each: lower and upper ends."""
    lo = np.random.default_rng(seed).uniform(-1.5, 1, (rows, columns))
    return lo, lo + 0.25
