"""Vectors of three nodes."""

from .expr import Expr

Vector = tuple[Expr, Expr, Expr]


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a: Vector, b: Vector) -> Expr:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def subtract(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
