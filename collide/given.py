"""Numbers, tolerances and time spans as the user gives them, checked; keywords under their former names."""

import functools
import math
import numbers
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.given import TEXT, shown
from generative.symbols import exact

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def is_number(value: Any) -> bool:
    """A real number, of Python, NumPy or SymPy, not a truth value; NaN and infinity of Python and NumPy count."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_positive(name: str, value: Any) -> float:
    """The number as a float; ValueError unless it is finite and positive."""
    if type(value) is float and 0.0 < value < math.inf:
        return value
    if not (is_number(value) and 0 < value < math.inf and float(value) > 0):
        raise ValueError(f"{name} must be a positive number, got {shown(value)}")
    return float(value)


def check_in_space(body: Any, query: str) -> None:
    """Refuse a region of the plane for a query that takes none."""
    if getattr(body, "planar", False):
        raise ValueError(f"{query} takes bodies in space, and not a region of the plane; take a solid, such as solids.extruded makes of "
                         "its outline")


def check_tolerance(tolerance: float, least: float) -> float:
    """The width of a bracket of time, if it is one that can be had."""
    if not (is_number(tolerance) and least <= tolerance <= 1):
        raise ValueError(f"tolerance must be a number from {least:g} to 1, got {shown(tolerance)}")
    return float(tolerance)


def check_span(time: Any) -> tuple[float, float]:
    """The time span in doubles, enclosing the exact one."""
    if isinstance(time, (tuple, list)) and len(time) == 2 and all(map(_is_double, time)) and -math.inf < time[0] < time[1] < math.inf:
        # Adding 0.0 turns -0.0 into 0.0.
        return time[0] + 0.0, time[1] + 0.0
    try:
        if isinstance(time, TEXT):
            raise TypeError
        first, last = time
        ends = exact(first), exact(last)
    except (TypeError, ValueError):
        raise ValueError(f"time must be a pair (first, last) of numbers, got {shown(time)}") from None
    if not all(isinstance(e, sp.Expr) and e.is_number and e.is_real and e.is_finite for e in ends):
        raise ValueError(f"the time span must have two finite real ends, got {first} to {last}")
    if not ends[0] < ends[1]:
        raise ValueError(f"the time span must go forward, got {first} to {last}")
    span = enclose(ends[0])[0], enclose(ends[1])[1]
    if not np.isfinite(span).all():
        raise ValueError(f"the time span must lie in the range of doubles, got {first} to {last}; scale the time")
    return span


def _is_double(value: Any) -> bool:
    """Whether a value is a number of Python that is a double without rounding."""
    return type(value) is float or (type(value) is int and abs(value) <= 2**53)


def takes_separation(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The function, which still takes `separation=` for `spacing=`, with a DeprecationWarning."""
    @functools.wraps(function)
    def asked(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        if "separation" in options:
            if "spacing" in options:
                raise TypeError(f"{function.__name__} got spacing and separation, its former name; give spacing alone")
            warnings.warn(f"separation= of {function.__name__} is called spacing= now; the old name goes with 0.1.0", DeprecationWarning,
                          stacklevel=2)
            options["spacing"] = options.pop("separation")
        return function(*args, **options)

    return asked
