"""Proved simple zeros of square systems near a guess: Newton's method in doubles, and Krawczyk's test in rational arithmetic.

Bounds of the functions and of their derivatives are those of kernels; what is made of them is exact.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from codegen import compile

_STEPS = 60
# Half widths of boxes that are tried, relative to 1 + |x|: the smallest is far above rounding, the largest allows for steep functions.
_RADII = 2.0**-36, 2.0**-30, 2.0**-24, 2.0**-18
Box = list[tuple[float, float]]


def enclosed_root(equations: Sequence[Any], unknowns: Sequence[Any], near: Sequence[float]) -> Box | None:
    """Doubles that enclose a zero near a guess, proved to be the only one between slightly wider ones (Krawczyk 1969; Moore 1977); None
    where none is found or proved.

    Parameters
    ----------
    equations, unknowns : sequences of n SymPy expressions and n symbols
    near : n numbers from which Newton's method starts
    """
    kernel = compile(list(equations), list(unknowns))
    slopes = kernel.jacobian()
    at = _newton(kernel, slopes, np.array(near, float))
    if at is None:
        return None
    for radius in _RADII:
        found = _krawczyk(kernel, slopes, at, radius * (1 + np.abs(at)))
        if found is not None:
            return [(_down(lo), _up(hi)) for lo, hi in found]
    return None


def _newton(kernel: Any, slopes: Any, at: np.ndarray) -> np.ndarray | None:
    for _ in range(_STEPS):
        value, matrix = kernel.points(at[None])[0], slopes.points(at[None])[0].reshape(len(at), -1)
        if not (np.isfinite(value).all() and np.isfinite(matrix).all()):
            return None
        step = np.linalg.lstsq(matrix, value, rcond=None)[0]
        at = at - step
        if (np.abs(step) <= 2.0**-50 * (1 + np.abs(at))).all():
            return at
    return at if (np.abs(step) <= 2.0**-40 * (1 + np.abs(at))).all() else None


def _krawczyk(kernel: Any, slopes: Any, at: np.ndarray, radius: np.ndarray) -> list[tuple[Fraction, Fraction]] | None:
    """K = x - Y f(x) + (1 - Y f'(X)) (X - x), where it lies in the interior of X."""
    n, lo, hi = len(at), at - radius, at + radius
    low, high, level = slopes.decorated(lo[None], hi[None])
    value = kernel.interval(at[None], at[None])
    middle = ((low + high) / 2).reshape(n, n)
    smooth = (level >= 2).all() and (kernel.decorated(lo[None], hi[None])[2] >= 3).all()
    if not (smooth and np.isfinite([*low[0], *high[0], *value[0][0], *value[1][0]]).all()) or np.linalg.cond(middle) > 2.0**40:
        return None
    inverse = [[Fraction(e) for e in row] for row in np.linalg.inv(middle).tolist()]
    bounds = [(Fraction(a), Fraction(b)) for a, b in zip(low[0].tolist(), high[0].tolist(), strict=True)]
    values = [(Fraction(a), Fraction(b)) for a, b in zip(value[0][0].tolist(), value[1][0].tolist(), strict=True)]
    ends = zip(lo.tolist(), hi.tolist(), at.tolist(), strict=True)
    half = [max(Fraction(b) - Fraction(x), Fraction(x) - Fraction(a)) for a, b, x in ends]
    found = []
    for i, row in enumerate(inverse):
        least, most = _combined(row, values)
        spread = Fraction(0)
        for j in range(n):
            a, b = _combined(row, bounds[j::n])
            spread += max(abs((i == j) - a), abs((i == j) - b)) * half[j]
        centre = Fraction(float(at[i]))
        found.append((centre - most - spread, centre - least + spread))
    inside = all(Fraction(float(a)) < p and q < Fraction(float(b)) for (p, q), a, b in zip(found, lo, hi, strict=True))
    return found if inside else None


def _combined(row: Sequence[Fraction], intervals: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """The sum of numbers times intervals."""
    ends = [sorted((c * a, c * b)) for c, (a, b) in zip(row, intervals, strict=True)]
    return sum((e[0] for e in ends), Fraction(0)), sum((e[1] for e in ends), Fraction(0))


def _down(e: Fraction) -> float:
    found = float(e)
    return found if Fraction(found) <= e else math.nextafter(found, -math.inf)


def _up(e: Fraction) -> float:
    return -_down(-e)
