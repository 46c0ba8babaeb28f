"""Trials of a declared function: bounds against points, derivatives against differences, inverses against arguments.

They prove nothing but that something is wrong. Points approximate, so an excess counts from half the digits of a double on, 2^-26 of the
numbers that are compared.
"""

import math
import random
from typing import Any

import numpy as np
import sympy as sp

from ..from_sympy import declared_of
from ..functions.primitives import Primitive
from ..graph.expr import Expr, ExprPool
from ..graph.primitives import decoded, formulas
from ..kernel import Array, Kernel, compile

BOXES = 400
_SLACK = 2.0**-26
# Sizes of arguments are from 2^-20 to 2^20, boxes up to as wide as these.
_SIZES = 20.0


def contradiction(f: Primitive) -> str:
    """A sentence on where what is declared contradicts itself; empty if no such place was met."""
    symbols = sp.symbols(f"x:{f.arguments}", real=True)
    made = compile([f(*symbols)], symbols, quick=True)
    lo, hi = _boxes(f.arguments)
    at = [lo, hi, 0.5 * lo + 0.5 * hi]
    values = np.stack([made.points(x) for x in at])[..., 0]
    low, high = (end[:, 0] for end in made.interval(lo, hi))
    return (_outside(f, lo, hi, at, values, low, high) or (_steeper(f, made) if f.slopes else "")
            or (_lost(f, at, values) if f.inverses else ""))


def _boxes(n: int) -> tuple[Array, Array]:
    rng = random.Random(n)

    def number() -> float:
        return rng.choice((-1.0, 1.0)) * 2.0 ** rng.uniform(-_SIZES, _SIZES) if rng.random() < 0.7 else float(rng.randint(-3, 3))

    lo = np.array([[number() for _ in range(n)] for _ in range(BOXES)])

    def width() -> float:
        return 0.0 if rng.random() < 0.2 else abs(number()) * 2.0 ** -rng.randrange(0, 12)

    return lo, lo + np.array([[width() for _ in range(n)] for _ in range(BOXES)])


def _excess(x: Array, low: Array, high: Array) -> Any:
    """Mask: x is outside by more than what is forgiven; NaN is not."""
    size = _SLACK * np.maximum(np.abs(x), np.minimum(np.nan_to_num(np.abs(low), posinf=0.0), np.nan_to_num(np.abs(high), posinf=0.0)))
    return np.isfinite(x) & ((x < low - size) | (x > high + size))


def _outside(f: Primitive, lo: Array, hi: Array, at: list[Array], values: Array, low: Array, high: Array) -> str:
    for x, value in zip(at, values, strict=True):
        for k in np.flatnonzero(_excess(value, low, high))[:1]:
            return (f"the bounds of {f.name} contradict its points: over {_box(lo[k], hi[k])} they are [{low[k]!s}, {high[k]!s}], but at "
                    f"{_point(x[k])} it is {value[k]!s}; correct the one or the other")
    return ""


def _steeper(f: Primitive, made: Kernel) -> str:
    """Differences of points along each axis, by the mean value theorem."""
    slopes = made.jacobian()
    rng = np.random.default_rng(f.arguments)
    for axis in range(f.arguments):
        a = rng.uniform(-3.0, 3.0, (BOXES, f.arguments))
        b = a.copy()
        b[:, axis] += 2.0 ** rng.uniform(-6.0, 2.0, BOXES)
        low, high, level = (part[:, axis] for part in slopes.decorated(a, b))
        first, last = made.points(a)[:, 0], made.points(b)[:, 0]
        step = b[:, axis] - a[:, axis]
        rounding = _SLACK * (np.abs(first) + np.abs(last)) / step
        rise = np.where(level > 0, (last - first) / step, math.nan)
        wrong = _excess(rise, low - rounding, high + rounding)
        for k in np.flatnonzero(wrong)[:1]:
            return (f"the derivative of {f.name} contradicts its points: over {_box(a[k], b[k])} it is in [{low[k]!s}, {high[k]!s}], "
                    f"but its points rise by {rise[k]!s} a unit; correct the one or the other")
    return ""


def _lost(f: Primitive, at: list[Array], values: Array) -> str:
    """Arguments outside the inverse of their values; of all arguments the boxes are what they are."""
    graphs = formulas(decoded(declared_of(f)).inverses)
    made = Kernel(_in_one_pool(graphs), [f"y{k}" for k in range(2 + 2 * f.arguments)], quick=True)
    for x, value in zip(at, values, strict=True):
        rows = np.flatnonzero(np.isfinite(value))
        slack = _SLACK * np.abs(value[rows])
        ends = np.concatenate([np.stack([value[rows] - slack, value[rows] + slack], axis=1), np.repeat(x[rows], 2, axis=1)], axis=1)
        low, high, level = made.decorated(ends, ends)
        for j in range(f.arguments):
            lower = np.where(level[:, 2 * j] > 0, low[:, 2 * j], -math.inf)
            upper = np.where(level[:, 2 * j + 1] > 0, high[:, 2 * j + 1], math.inf)
            for k in np.flatnonzero(_excess(x[rows, j], lower, upper))[:1]:
                return (f"the inverse of {f.name} contradicts its points: where it is {value[rows[k]]!s} its argument is in [{lower[k]!s}, "
                        f"{upper[k]!s}], but at {_point(x[rows[k]])} it has this value; correct the one or the other")
    return ""


def _in_one_pool(graphs: tuple[Expr, ...]) -> list[Expr]:
    return list(graphs) if graphs else [ExprPool().constant(0)]


def _box(lo: Array, hi: Array) -> str:
    return " x ".join(f"[{a!s}, {b!s}]" for a, b in zip(lo, hi, strict=True))


def _point(x: Array) -> str:
    return f"({', '.join(map(str, x))})" if len(x) > 1 else str(x[0])
