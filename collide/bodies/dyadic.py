"""Doubles as exact numbers: rationals, and integers after scaling by a power of two, in NumPy arrays of objects."""

from fractions import Fraction
from typing import Any

import numpy as np


def fractions(values: np.ndarray) -> np.ndarray:
    """Doubles as rationals, in an array of the same shape."""
    return np.array([Fraction(x) for x in values.ravel().tolist()] + [None], object)[:-1].reshape(values.shape)


def integers(values: np.ndarray) -> np.ndarray:
    """Finite doubles, all times the same power of two, as integers in an array of the same shape."""
    pairs = [x.as_integer_ratio() for x in values.ravel().tolist()]
    bits = max((d.bit_length() for _, d in pairs), default=1)
    return np.array([n << (bits - d.bit_length()) for n, d in pairs] + [None], object)[:-1].reshape(values.shape)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The cross products of arrays (..., 3) of integers or rationals of any size."""
    parts = [a[..., (k + 1) % 3] * b[..., (k + 2) % 3] - a[..., (k + 2) % 3] * b[..., (k + 1) % 3] for k in range(3)]
    return np.stack([np.asarray(x, object) for x in parts], axis=-1)


def dot(a: np.ndarray, b: np.ndarray) -> Any:
    return (a * b).sum(axis=-1)
