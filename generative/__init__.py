"""Shapes and motions as functions, in exact mathematics: SymPy expressions, no floating point."""

from . import curve, deform, patch, sweep
from .brep import Edge, Solid, Vertex
from .curve import Curve
from .implicit import ImplicitBody, ImplicitSurface, complement, difference, intersection, union
from .motion import IDENTITY, Motion, Rigid, Screw, axis_angle, euler
from .surface import ParametricSurface
from .symbols import t, u, v, x, y, z

__all__ = [
    "IDENTITY", "Curve", "Edge", "ImplicitBody", "ImplicitSurface", "Motion", "ParametricSurface", "Rigid", "Screw", "Solid",
    "Vertex", "axis_angle", "complement", "curve", "deform", "difference", "euler", "intersection", "patch", "sweep", "t",
    "u", "union", "v", "x", "y", "z",
]  # fmt: skip
