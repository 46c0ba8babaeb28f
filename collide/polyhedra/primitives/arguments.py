"""Arguments of queries about moving edges, points and triangles: points, motions, numbers of these, and the time."""

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
import sympy as sp

from codegen.given import doubles, shown
from generative import Motion, t

from ...given import check_tolerance
from ...search.budget import Budget
from .loop import LARGEST
from .memory import finest

Motions = tuple[Motion, Motion] | None
Parameters = Mapping[Any, Any] | None
Limit = Budget | float | None


def shaped(q: Any, points: int) -> np.ndarray:
    shape = f"(n, {points}, 3)"
    q = doubles(q, "q", shape)
    if q.ndim != 3 or q.shape[1:] != (points, 3):
        raise ValueError(f"q must have the shape {shape}, got {q.shape}")
    return q


def largest(q: np.ndarray) -> float:
    """The size of the largest coordinate; ValueError where one is not finite."""
    largest = float(np.abs(q).max(initial=0.0))
    if not largest < np.inf:
        refuse(int(np.argmin(np.isfinite(q).all(axis=(1, 2)))))
    return largest


def refuse(k: int) -> NoReturn:
    raise ValueError(f"q must be finite, query {k} is not")


def check_motions(motions: Any) -> tuple[Motion, Motion]:
    try:
        first, second = motions
    except (TypeError, ValueError):
        raise ValueError(f"motions must be a pair of motions, got {shown(motions)}") from None
    for motion in (first, second):
        if not isinstance(motion, Motion):
            raise TypeError(f"motions must be a pair of motions such as Rigid or Screw, got a {type(motion).__name__}")
    return first, second


def check_straight(time: Any) -> None:
    if not (isinstance(time, (tuple, list)) and tuple(time) == (0, 1)):
        raise ValueError(f"straight trajectories go from t = 0 to t = 1; the time span {shown(time)} needs motions=...")


def symbols_of(parameters: Parameters) -> tuple[Any, ...]:
    if not isinstance(parameters, (Mapping, type(None))):
        raise TypeError(f"parameters must be a dictionary from symbols to their numbers, got a {type(parameters).__name__}")
    wrong = next((s for s in parameters or () if not isinstance(s, sp.Symbol) or s == t), None)
    if wrong is not None:
        raise ValueError(f"parameters are symbols of the motions other than the time t, got {shown(wrong)}")
    return tuple(sorted(parameters or (), key=str))


def values_of(parameters: Parameters, n: int) -> np.ndarray:
    """One row a query, one column a symbol."""
    columns = []
    for symbol in symbols_of(parameters):
        column = doubles((parameters or {})[symbol], f"the values of {symbol}", f"({n},)")
        if column.shape not in ((1,), (n,)):
            raise ValueError(f"the values of {symbol} must be a number or an array of shape ({n},), one a query, got {column.shape}")
        if not np.abs(column).max(initial=0.0) <= LARGEST:
            raise ValueError(f"the values of {symbol} must be finite and no larger than {LARGEST:g} in size")
        columns.append(np.broadcast_to(column, (n,)))
    return np.ascontiguousarray(np.array(columns).reshape(len(columns), n).T)


def repeated(parameters: Parameters, n: int, times: int) -> Parameters:
    """For so many queries in the place of each."""
    return parameters and {s: np.repeat(x, times) if np.shape(x) == (n,) else x for s, x in parameters.items()}


def check_moving_tolerance(tolerance: float, span: tuple[float, float]) -> float:
    """Check the tolerance of a time bracket; ValueError where it is below the resolution of the search."""
    tolerance = check_tolerance(tolerance, 1e-13)
    if tolerance < finest(span):
        raise ValueError(f"tolerance must be at least {finest(span):.3g} for the time span {span[0]:g} to {span[1]:g}, got {tolerance:g}")
    return tolerance
