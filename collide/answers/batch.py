"""What the batch functions answer, and the checks they share."""

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from .contacts import Status


@dataclass(frozen=True, eq=False)
class Batch:
    """The answers to n small problems.

    `status` (n,) of `Status`; `hit` (n,): contact is proved, or not excluded; `time` (n, 2): a bracket of the earliest
    contact, no wider than the tolerance unless the budget was spent or nothing is proved, NaN without a hit; `parameters`: where the
    parts touch, in doubles, NaN without a hit; `proved` (n,): a contact is proved to exist within the bracket; `tests` (n,): how many
    boxes were tested.
    """

    status: np.ndarray
    hit: np.ndarray
    time: np.ndarray
    parameters: np.ndarray
    proved: np.ndarray
    tests: np.ndarray

    def __len__(self) -> int:
        return len(self.hit)

    def __repr__(self) -> str:
        return f"Batch({len(self)} problems, {int(self.hit.sum())} hits, {int(self.proved.sum())} of them proved)"

    def _repr_html_(self) -> str:
        from .table import batch_html

        return batch_html(self)


_BY_NUMBER = np.array([Status.NO_CONTACT, Status.CONTACT, Status.UNRESOLVED, Status.BUDGET_SPENT], object)


def statuses(codes: np.ndarray) -> np.ndarray:
    """0 no contact, 1 contact, 2 unresolved, 3 budget spent."""
    return _BY_NUMBER[codes]


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
