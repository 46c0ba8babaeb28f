"""Arrays of numbers as the user gives them, as the doubles that kernels take."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .from_sympy import real_number
from .reference.interpreter import enclose_constant

# Integers up to this size are doubles.
_EXACT = 1 << 53


def rounded_doubles(given: Any, name: str, end: int | None = None) -> NDArray[np.float64]:
    """`given` as a contiguous array of doubles. Numbers that are none are rounded down for lower bounds (`end` 0), up for upper ones (1),
    and to nearest where they are no bounds (None). Raises ValueError for what is no array of real numbers.
    """
    try:
        array = np.asarray(given)
    except ValueError:
        raise ValueError(f"{name} must be an array of numbers, got a {type(given).__name__} of unequal parts") from None
    if array.dtype.kind not in "fiubO":
        raise ValueError(f"{name} must be an array of real numbers, got {array.dtype}")
    if array.dtype == np.float64:
        return np.ascontiguousarray(array)
    if array.dtype.kind == "O" or (end is not None and _inexact(array)):
        array = _rounded(array.astype(object), name, end)
    return np.ascontiguousarray(array, np.float64)


def _inexact(array: NDArray[Any]) -> bool:
    """Whether some of the numbers may be no doubles."""
    if array.dtype.kind in "iu" and array.size:
        return int(array.max()) > _EXACT or int(array.min()) < -_EXACT
    return array.itemsize > 8


def _rounded(array: NDArray[Any], name: str, end: int | None) -> NDArray[np.float64]:
    rounded = [_end(e, name, end) for e in array.ravel()]
    return np.array(rounded, np.float64).reshape(array.shape)


def _end(number: Any, name: str, end: int | None) -> float:
    """An end of the tight enclosure of a real number by doubles; without one, about the number."""
    from .given import shown
    if isinstance(number, np.floating) and np.isfinite(number):
        number = Fraction(*number.as_integer_ratio())
    if isinstance(number, (float, np.floating)):
        return float(number)
    exact = real_number(number)
    if exact is None:
        raise ValueError(f"{name} must be an array of real numbers, got {shown(number)}")
    return exact if isinstance(exact, float) else enclose_constant(exact)[end or 0]
