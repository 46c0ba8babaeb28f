"""Collisions of moving curved bodies, answered with proof.

    bodies ─► parts ─► situations of two parts ─► problems ─► search ─► Contacts

Each folder imports only those before it:

- `bodies`: cells of bodies (faces, edges, vertices, creases), and where they are
- `search`: problems, and the search that solves many of them on one queue; its loop over boxes is `search.native`
- `culling`: which cells can meet, and when
- `situations`: two cells as equations and inequalities
- `moment`: bodies at one moment: apart, touching, one inside the other
- `timeline`: the time span in stages, and what is known of each
- `answers`: what a query returns, and that it does not contradict itself; drawn by `picture`
- `bezier`, `polyhedra`: arrays of small problems, and meshes; `sheets`: what self-contact asks of a surface
- `proof`: logs of proofs, and the checker, which imports nothing of all this
- `queries`: the public questions
- `world`: simulation, which asks them from event to event
- `shell`: thin sheets that bend, in steps of time
"""

from .siblings import check_siblings, leave_working_folder

leave_working_folder()
check_siblings("codegen", "generative")

# ruff: noqa: E402
from codegen.interval import Interval

from . import shell
from .answers.clashes import Clashes, ClashKind, ClashSpell, TouchRegion
from .answers.clearance_profile import ClearanceProfile
from .answers.consistency import ContradictionError
from .answers.contact_regions import RegionChange, RegionEvent, RegionTracker
from .answers.contact_times import ContactTimes, Spell
from .answers.contacts import Contacts, Status
from .answers.distances import Clearance, ClearanceBatch, Distance, DistanceStatus
from .answers.link_states import LinkState
from .answers.sensitivity import Sensitivity
from .bezier.mixed import bezier_mixed_pairs
from .bezier.nurbs import BezierNets, nurbs_to_bezier
from .bezier.pairs import bezier_pairs, bezier_triangle_pairs
from .bodies.mesh import Mesh
from .moment.start import Start
from .polyhedra.boolean.boolean import Boolean, boolean
from .polyhedra.boolean.hull_intersection import hull_intersection
from .polyhedra.closest.closest import Closest, ClosestPair
from .polyhedra.distance.proximity import HullOverlap, Near, NearestTriangles, hull_overlap
from .polyhedra.distance.screw_contact import screw_contact
from .polyhedra.location.index import Index, Kind
from .polyhedra.mesh.first_contact import mesh_mesh
from .polyhedra.mesh.mesh_contact import MeshContact
from .polyhedra.primitives.queries import edge_edge, triangle_triangle, vertex_face
from .polyhedra.swarm import Changes, Swarm
from .polyhedra.sweep_and_prune import SweepAndPrune
from .polyhedra.touch.touch import Touch, TouchContact, TouchStatus, touch
from .proof import check
from .queries.check_solid import check_solid
from .queries.clash import clash
from .queries.classify import classify
from .queries.clearance_batch import clearance_batch
from .queries.clearance_profile import clearance_profile
from .queries.clearance_range import ClearanceRange, clearance_range
from .queries.contact_batch import contact_batch
from .queries.contacts_during import contacts_during
from .queries.critical_value import CriticalValue, critical_value
from .queries.distance import clearance, distance
from .queries.first_contact import first_contact
from .queries.free_box import FreeBox, free_box
from .queries.joint_travel import JointTravel, joint_travel
from .queries.maximize import Maximum, MaximumStatus, maximize
from .queries.minimize import minimize
from .queries.minimum import Minimum, MinimumStatus
from .queries.pave import Subpaving, SubpavingStatus, pave
from .queries.self_contact import self_contact
from .queries.solve import Zeros, ZerosStatus, solve
from .queries.step_limit import step_limit
from .queries.trace import Trace, trace
from .queries.tracked_point import tracked_at
from .search.budget import Budget
from .situations.tracking import Tracked
from .world.mass.exact import ExactMass, exact_mass_properties
from .world.mass.properties import MassProperties, mass_properties
from .world.rigid_body import RigidBody
from .world.run import Outcome, Run
from .world.world import World

__version__ = "0.1.0"

__all__ = [
    "BezierNets", "Boolean", "Budget", "Changes", "ClashKind", "ClashSpell", "Clashes", "Clearance", "ClearanceBatch",
    "ClearanceProfile", "ClearanceRange", "Closest", "ClosestPair", "ContactTimes", "Contacts", "ContradictionError",
    "CriticalValue", "Distance", "DistanceStatus", "ExactMass", "FreeBox", "HullOverlap", "Index", "Interval", "JointTravel",
    "Kind", "LinkState", "MassProperties", "Maximum", "MaximumStatus", "Mesh", "MeshContact", "Minimum", "MinimumStatus", "Near",
    "NearestTriangles", "Outcome", "RegionChange", "RegionEvent", "RegionTracker", "RigidBody", "Run", "Sensitivity", "Spell",
    "Start", "Status", "Subpaving", "SubpavingStatus", "Swarm", "SweepAndPrune", "Touch", "TouchContact", "TouchRegion",
    "TouchStatus", "Trace", "Tracked", "World", "Zeros", "ZerosStatus", "bezier_mixed_pairs", "bezier_pairs",
    "bezier_triangle_pairs", "boolean", "check", "check_solid", "clash", "classify", "clearance", "clearance_batch",
    "clearance_profile", "clearance_range", "contact_batch", "contacts_during", "critical_value", "distance", "edge_edge",
    "exact_mass_properties", "first_contact", "free_box", "hull_intersection", "hull_overlap", "joint_travel", "mass_properties",
    "maximize", "mesh_mesh", "minimize", "nurbs_to_bezier", "pave", "screw_contact", "self_contact", "shell", "solve", "step_limit",
    "touch", "trace", "tracked_at", "triangle_triangle", "vertex_face",
]
