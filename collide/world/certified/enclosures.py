"""Arb's balls for exact numbers: each holds the number it stands for, whatever is rounded (python-flint; Johansson 2017)."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq

from codegen.constants import enclose
from codegen.interval import Interval
from generative.symbols import exact


def number(given: Any) -> Any:
    """An exact number: rational ones, roots and pi with all digits, others as doubles enclose them."""
    e = exact(given)
    if e.is_Rational:
        return arb(fmpq(int(e.p), int(e.q)))
    if e is sp.pi:
        return arb.pi()
    if e.is_Add or e.is_Mul:
        parts = [number(a) for a in e.args]
        return sum(parts[1:], parts[0]) if e.is_Add else math.prod(parts[1:], start=parts[0])
    if e.is_Pow and e.exp in (sp.S.Half, -sp.S.Half):
        root = number(e.base).sqrt()
        return root if e.exp > 0 else 1 / root
    lo, hi = enclose(e)
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
    """That of quaternions."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))], object)


def below(x: Any) -> float:
    """The largest double that is proved to be at most every number of a ball."""
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
