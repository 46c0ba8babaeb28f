"""Collisions of moving curved bodies, answered with proof.

    bodies ─► parts ─► situations of two parts ─► problems ─► search ─► Contacts

Where to look for

- the questions: `first`, `self_contact`, `sweep`, `solve`, `minimize`; for arrays of small problems `bezier` and `linear`
- the answers: `result`, made by `answer`; shown by `display` and `picture`
- parts of bodies (faces, edges, vertices, creases): `parts`, `creases`, `implicit_parts`; on an expression graph: `frame`, `place`,
  `placed_implicit`
- situations as equations and inequalities: `contact`; with kernels: `problem`
- which situations there are, and when: `scene`, `broad_phase`, `features`; at the beginning `start` and `inside`; where motions change
  `breaks`, `jumps`, `continued`; where bodies may rest or touch `standing`; contacts that are known already: `tracking`
- the search: `state` holds one, `prepared` fills it, `budget` drives it; its native loop is `collide.search`
- how time is moved on without splitting it: `advance`, `separable_advance`
"""

from codegen.interval import Interval

from .bezier.nurbs import BezierNets, nurbs_to_bezier
from .bezier.pairs import bezier_pairs, bezier_triangle_pairs
from .budget import Budget
from .first import first_contact
from .linear.mesh import MeshContact, mesh_mesh
from .linear.mesh_tree import Mesh
from .linear.queries import edge_edge, triangle_triangle, vertex_face
from .minimize import Minimum, MinimumStatus, minimize
from .result import Contacts, Start, Status
from .self_contact import self_contact
from .solid_check import check_solid
from .solve import Zeros, ZerosStatus, solve
from .sweep import contact_batch
from .trace import Trace, trace
from .tracking import Tracked

__all__ = [
    "BezierNets", "Budget", "Contacts", "Interval", "Mesh", "MeshContact", "Minimum", "MinimumStatus", "Start", "Status",
    "Trace", "Tracked", "Zeros", "ZerosStatus", "bezier_pairs", "bezier_triangle_pairs", "check_solid", "contact_batch",
    "edge_edge",
    "first_contact", "mesh_mesh", "minimize", "nurbs_to_bezier", "self_contact", "solve", "trace", "triangle_triangle",
    "vertex_face",
]
