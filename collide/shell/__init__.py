"""Thin sheets of bicubic Hermite patches that bend, fall on things and on themselves (Chen 2024, Section 5.2): `Sheet` and `simulate`.

The energy is a SymPy formula (`koiter`), whose gradient and Hessian are compiled; each implicit step is one sparse linear system, contacts
are impulses by Coulomb's law, and no step goes farther than `step_limit` proves free of contact.
"""

from .run import ShellRun
from .sheet import Sheet
from .simulation import simulate

__all__ = ["Sheet", "ShellRun", "simulate"]
