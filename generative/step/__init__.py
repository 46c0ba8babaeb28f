"""STEP files as bodies, and bodies as STEP files: faces by their formulas, trimmed by their loops.

OpenCASCADE (extra `cad`) reads the file; everything after that is done here. `reader` makes the solids, `faces` one face, `surfaces` and
`curves` the formulas. The other way, `writer` makes the file, `built` the kernel's faces, and `recognized` finds the kinds of formulas.
"""

from .reader import solids_from_step
from .writer import save_step

__all__ = ["save_step", "solids_from_step"]
