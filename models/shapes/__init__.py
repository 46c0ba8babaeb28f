"""Shapes: functions with keyword parameters that return a body, with formula, source and known facts.

Each module registers its shapes with `shape`; `SHAPES` lists them by name. Lengths are in metres, angles in radian.
"""

from . import blobs, machine, patches, polyhedra, quadrics, rings, solids, swept, teapot, threads
from .facts import SHAPES, Facts, Shape

__all__ = ["SHAPES", "Facts", "Shape", "blobs", "machine", "patches", "polyhedra", "quadrics", "rings", "solids", "swept",
           "teapot", "threads"]
