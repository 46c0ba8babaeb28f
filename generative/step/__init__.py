"""STEP files as bodies: faces by their formulas, trimmed by their loops.

OpenCASCADE (extra `cad`) reads the file; everything after that is done here. `reader` makes the solids, `faces` one face, `surfaces` and
`curves` the formulas.
"""

from .reader import solids_from_step

__all__ = ["solids_from_step"]
