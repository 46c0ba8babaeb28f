"""Collisions of moving curved bodies, answered with proof."""

from codegen.interval import Interval

from .budget import Budget
from .contact import Tracked
from .first import first_contact
from .linear_ccd import edge_edge, vertex_face
from .result import Contacts, Start, Status

__all__ = ["Budget", "Contacts", "Interval", "Start", "Status", "Tracked", "edge_edge", "first_contact", "vertex_face"]
