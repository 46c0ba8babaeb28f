"""Shapes and motions as functions, in exact mathematics: SymPy expressions, no floating point.

Formulas are written in real symbols: `u` and `v`, the parameters of surfaces (`u` alone of curves), `x`, `y` and `z` for points of implicit
bodies, the time `t`, and `Parameter` for numbers that are given later. Where to look for

- bodies: `body` (names), `surface`, `implicit`, `brep` (solids with faces, edges and vertices), `trimmed` (faces inside loops)
- motions: `motion`, `screw`, `chain` (links and joints: `joint`), `loops` (closed chains), `urdf` (those of a file)
- what makes them: `curve`, `sweep`, `patch`, `deform`; `solids`, `sew`, `polyhedron`, `hull`; `primitives`; `ode` (differential equations)
- regions of the plane: `plane`, and those of drawings, `dxf`
- what approximates, in floating point, for pictures and data: `mesh`, `thumbnail`, `fit`
- what the solver asks of formulas: `family` and `template` (numbers apart from formulas), `chart` (smooth parameters round a pole)
"""

from . import combination as _combination  # noqa: F401  (the class of trees, which `|`, `&`, `-` and `~` make)
from . import curve, deform, loops, patch, plane, primitives, solids, sweep
from . import saved as _saved  # noqa: F401  (writes solids to files)
from . import thumbnail as _thumbnail  # noqa: F401  (registers how values look in a notebook)
from . import trimmed as _trimmed  # noqa: F401  (trims surfaces)
from .brep import Edge, Solid, Vertex
from .chain import Chain
from .curve import Curve
from .hull import hull
from .implicit import ImplicitBody, ImplicitSurface, complement, difference, intersection, union
from .joint import Joint, fixed, prismatic, revolute
from .keyframed import keyframes
from .motion import IDENTITY, Motion, Rigid, Screw, euler, quaternion_matrix
from .ode import ode, ode_span
from .polyhedron import polyhedron
from .products import Product, pose
from .screw import interpolate_poses
from .sew import cap, sew
from .surface import ParametricSurface
from .symbols import Parameter, t, u, v, x, y, z
from .turns import axis_angle

__all__ = [
    "IDENTITY", "Chain", "Curve", "Edge", "ImplicitBody", "ImplicitSurface", "Joint", "Motion", "Parameter", "ParametricSurface",
    "Product", "Rigid", "Screw", "Solid", "Vertex", "axis_angle", "cap", "complement", "curve", "deform", "difference", "euler", "fixed",
    "hull", "interpolate_poses", "intersection", "keyframes", "loops", "ode", "ode_span", "patch", "plane", "polyhedron", "pose",
    "primitives", "prismatic", "quaternion_matrix", "revolute", "sew", "solids", "sweep", "t", "u", "union", "v", "x", "y", "z",
]  # fmt: skip
