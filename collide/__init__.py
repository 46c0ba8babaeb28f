"""Collisions of moving curved bodies, answered with proof."""

from codegen.interval import Interval

from .budget import Budget
from .contact import Tracked
from .first import first_contact
from .result import Contacts, Start, Status

__all__ = ["Budget", "Contacts", "Interval", "Start", "Status", "Tracked", "first_contact"]
