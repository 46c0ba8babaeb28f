"""Distance of an emitted interval function from the tight enclosure, in doubles, with Arb as referee."""

import math
from collections.abc import Callable

import numpy as np
from flint import arb, ctx

from codegen.emit.lanes import Emit
from tests.lanes import VectorFunction

Real = Callable[..., arb]


def tight(y: arb) -> tuple[float, float]:
    """The greatest double <= y and the least double >= y, for a ball narrower than a double's spacing."""
    lo = hi = float(y.mid())
    while not arb(lo) <= y:
        lo = math.nextafter(lo, -math.inf)
    while arb(math.nextafter(lo, math.inf)) <= y:
        lo = math.nextafter(lo, math.inf)
    while not arb(hi) >= y:
        hi = math.nextafter(hi, math.inf)
    while arb(math.nextafter(hi, -math.inf)) >= y:
        hi = math.nextafter(hi, -math.inf)
    return lo, hi


def ordinal(x: float) -> int:
    """Doubles numbered in order, both zeros 0: differences count units in the last place."""
    bits = int(np.float64(abs(x)).view(np.int64))
    return -bits if x < 0 else bits


def excess(n: np.ndarray, h: np.ndarray, lower: list[arb], upper: list[arb]) -> tuple[int, int]:
    """How many doubles [-n, h] reaches beyond the tight enclosures of [lower, upper]; fails where it does not enclose."""
    worst = [0, 0]
    for k in range(len(n)):
        lo, hi = tight(lower[k])[0], tight(upper[k])[1]
        assert -n[k] <= lo, f"{k}: lower end {-n[k]!r} is above {lo!r}"
        assert h[k] >= hi, f"{k}: upper end {h[k]!r} is below {hi!r}"
        worst = [max(worst[0], ordinal(lo) - ordinal(-n[k])), max(worst[1], ordinal(h[k]) - ordinal(hi))]
    return worst[0], worst[1]


def excess_increasing(emit: Emit, f: Real, x: np.ndarray) -> int:
    """`excess` of an increasing function on boxes with ends in x: [x, x] and [x, next x]."""
    x = np.sort(x)
    lo, hi = np.concatenate([x, x[:-1]]), np.concatenate([x, x[1:]])
    n, h = VectorFunction(emit, 2, 2)(-lo, hi)
    with ctx.workprec(256):
        values = [f(arb(float(v))) for v in x]
        return max(excess(n, h, values + values[:-1], values + values[1:]))


def point_error(emit: Emit, f: Real, *x: np.ndarray) -> float:
    """Largest error of a point function in ulp."""
    value, = VectorFunction(emit, len(x), 1, rounding="nearest")(*x)
    with ctx.workprec(256):
        return max(float(abs(arb(float(v)) - f(*map(arb, map(float, args)))) / math.ulp(v))
                   for v, *args in zip(value, *x, strict=True))


def same_bits(emit: Emit, *arguments: np.ndarray) -> bool:
    """Whether code for AVX2, half as wide, gives the bits of the host's, both ends."""
    here, there = (VectorFunction(emit, len(arguments), 2, cpu=cpu)(*arguments) for cpu in (None, "x86-64-v3"))
    return all(np.array_equal(a.view(np.int64), b.view(np.int64)) for a, b in zip(here, there, strict=True))


def sizes(rng: np.random.Generator, count: int, low: int, high: int) -> np.ndarray:
    """Numbers of either sign and of all sizes from 2^low to 2^high."""
    return rng.choice([-1.0, 1.0], count) * rng.uniform(1.0, 2.0, count) * 2.0 ** rng.integers(low, high, count)
