"""Numbers, arrays, tolerances and time spans as the user gives them, checked."""

import math
import numbers
from typing import Any

import numpy as np

from codegen.constants import enclose
from generative.symbols import exact


def as_doubles(q: Any, name: str, shape: str) -> np.ndarray:
    """`q` as a contiguous array of doubles; ValueError where it is none."""
    try:
        if not np.iscomplexobj(q):
            return np.ascontiguousarray(q, np.float64)
        given = "complex numbers"
    except (TypeError, ValueError) as error:
        given = f"a {type(q).__name__}" + " of unequal parts" * ("inhomogeneous" in str(error))
    raise ValueError(f"{name} must be an array of numbers of shape {shape}, got {given}")


def is_number(value: Any) -> bool:
    """A real number, of Python, NumPy or SymPy, not a truth value; NaN and infinity of Python and NumPy count."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_positive(name: str, value: Any) -> float:
    """The number as a float; ValueError unless it is finite and positive."""
    if not (is_number(value) and 0 < value < math.inf and float(value) > 0):
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return float(value)


def check_tolerance(tolerance: float, least: float) -> float:
    if not (is_number(tolerance) and least <= tolerance <= 1):
        raise ValueError(f"tolerance must be a number from {least:g} to 1, got {tolerance!r}")
    return float(tolerance)


def check_span(time: Any) -> tuple[float, float]:
    """The time span in doubles, enclosing the exact one."""
    try:
        first, last = time
        if isinstance(first, str) or isinstance(last, str):
            raise TypeError
        ends = exact(first), exact(last)
    except (TypeError, ValueError):
        raise ValueError(f"time must be a pair (first, last) of numbers, got {time!r}") from None
    if not all(e.is_number and e.is_real and e.is_finite for e in ends):
        raise ValueError(f"the time span must have two finite real ends, got {first} to {last}")
    if not ends[0] < ends[1]:
        raise ValueError(f"the time span must go forward, got {first} to {last}")
    span = enclose(ends[0])[0], enclose(ends[1])[1]
    if not np.isfinite(span).all():
        raise ValueError(f"the time span must lie in the range of doubles, got {first} to {last}; scale the time")
    return span
