"""The cases that an inclusion by hand is set against: formulas, the boxes, and why the compiled bounds may be wider."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from flint import arb, ctx

import codegen
from codegen.hand.compare import Comparison

from .outward import V, doubles

Hand = Callable[..., V | Sequence[V]]
x, y, z, w = VARIABLES = sp.symbols("x y z w", real=True)
Range = tuple[float, float]


class Case(NamedTuple):
    """`formulas` of x, y, ... as many as there are `ranges`, within which boxes lie; `hand` takes their intervals. `reason`: why compiled
    bounds are wider; without one they are as tight but for `ulps` roundings.
    """

    formulas: Sequence[Any]
    ranges: Sequence[Range]
    hand: Hand
    reason: str = ""
    ulps: int = 16


# Widths of boxes, as parts of the range: one rounding, a thousandth, a part of it, all of it.
WIDTHS = (2.0**-52, 1e-3, 0.1, 0.4, 1.0)


def boxes(case: Case, count: int, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    lo, hi = np.array(case.ranges, float).T
    size = np.array(WIDTHS)[np.arange(count) % len(WIDTHS), None] * (hi - lo) * rng.uniform(0.5, 1.0, (count, len(lo)))
    start = lo + rng.uniform(0.0, 1.0, size.shape) * (hi - lo - size)
    return start, np.minimum(start + size, hi)


def by_hand(case: Case) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """As arrays in, arrays out."""
    def inclusion(lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with ctx.workprec(200):
            given = [[V(arb(a), arb(b)) for a, b in zip(*ends, strict=True)] for ends in zip(lo.tolist(), hi.tolist(), strict=True)]
            rows = [case.hand(*box) for box in given]
            found = [[doubles(e) for e in ([row] if isinstance(row, V) else row)] for row in rows]
        ends = np.array(found)
        return ends[..., 0], ends[..., 1]

    return inclusion


def kernel(case: Case) -> codegen.Kernel:
    return codegen.compile(list(case.formulas), list(VARIABLES[:len(case.ranges)]))


def compared(case: Case, count: int = 60) -> Comparison:
    return codegen.compare(kernel(case), by_hand(case), boxes(case, count))


def ratios(found: Comparison) -> np.ndarray:
    """Widths against those by hand, of boxes wider than a rounding, (boxes, expressions)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(found.hand_hi > found.hand_lo, (found.hi - found.lo) / (found.hand_hi - found.hand_lo), 1.0)
