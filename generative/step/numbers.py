"""Numbers and frames of OpenCASCADE as exact ones of SymPy: each double stands for the binary rational that it holds."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

Vector = tuple[Any, Any, Any]


def number(value: float) -> Any:
    return sp.Rational(value)


def vector(xyz: Any, scale: Any = 1) -> Vector:
    """A point, vector or direction of the kernel, times a number."""
    return number(xyz.X()) * scale, number(xyz.Y()) * scale, number(xyz.Z()) * scale


class Frame(NamedTuple):
    """An origin, and three directions at right angles, of length 1 except for rounding."""

    origin: Vector
    first: Vector
    second: Vector
    third: Vector


def frame(axes: Any, scale: Any) -> Frame:
    """A gp_Ax3 or gp_Ax2."""
    return Frame(vector(axes.Location(), scale), vector(axes.XDirection()), vector(axes.YDirection()), vector(axes.Direction()))


def combined(*terms: tuple[Any, Sequence[Any]]) -> list[Any]:
    """The sum of numbers or formulas times vectors."""
    return [sum((factor * row[k] for factor, row in terms), sp.S.Zero) for k in range(3)]
