"""Arb's balls for exact numbers: each holds the number it stands for, whatever is rounded (python-flint; Johansson 2017)."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from flint import arb, fmpq

from codegen.constants import enclose
from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.interval import Interval
from generative.symbols import exact

from .jets import Unsupported, jets


def number(given: Any) -> Any:
    """An exact number with all digits; as doubles enclose it where its formula has operations of which balls know nothing."""
    if isinstance(given, float):
        return arb(given)
    e = exact(given)
    if e.is_Rational:
        return arb(fmpq(int(e.p), int(e.q)))
    try:
        return jets(convert([e], {}, ExprPool()), ())[0][0]
    except Unsupported:
        return hull(*enclose(e))


def hull(lo: float, hi: float) -> Any:
    """All numbers between two doubles."""
    return arb(lo).union(arb(hi))


def vector(given: Iterable[Any]) -> np.ndarray:
    """Exact numbers as an array of balls."""
    return np.array([number(e) for e in given], object)


def matrix(q: np.ndarray) -> np.ndarray:
    """(3, 3): the rotation p -> q p q^-1, of a quaternion of any length but zero."""
    w, a, b, c = q
    size = w * w + a * a + b * b + c * c
    rows = [[size - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
            [2 * (a * b + w * c), size - 2 * (a * a + c * c), 2 * (b * c - w * a)],
            [2 * (a * c - w * b), 2 * (b * c + w * a), size - 2 * (a * a + b * b)]]
    return np.array(rows, object) / size


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The product of quaternions."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))], object)


def below(x: Any) -> float:
    """The largest double that is proved to be at most every number of a ball."""
    if not x.is_finite():
        return -math.inf
    found = float(x.lower())
    while not arb(found) <= x:
        found = math.nextafter(found, -math.inf)
    return found


def above(x: Any) -> float:
    return -below(-x)


def interval(x: Any) -> Interval:
    """The doubles that enclose a ball."""
    return Interval(below(x), above(x))


def nearest(values: np.ndarray) -> np.ndarray:
    """Doubles near the middles of balls."""
    return np.array([float(x.mid()) for x in values.ravel()]).reshape(values.shape)
