"""Value of a fit: see `fit`."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .curve import Curve
from .motion import Motion
from .polyhedron import brick
from .thumbnail import beside, drawn_curves, thumbnail


@dataclass(frozen=True)
class Fit:
    """The object that was fitted (`value`), its distance from the original (`error`), and what is known about that (`statement`)."""

    value: Any
    error: float
    statement: str
    time: tuple[float, float] = (0.0, 1.0)
    """The time span of what a motion was fitted to."""

    def __repr__(self) -> str:
        return f"Fit({type(self.value).__name__}, error={self.error:.3g}: {self.statement})"

    def _repr_html_(self) -> str:
        """The object that was fitted, a motion as a brick at six times of its span, and what is known of the error."""
        pieces = self.value if isinstance(self.value, list) else [self.value]
        picture = drawn_curves(pieces) if all(isinstance(p, Curve) for p in pieces) else ""
        if isinstance(self.value, Motion):
            picture = thumbnail([brick().moved(self.value)], np.linspace(*self.time, 6).tolist())
        return beside(picture, f"{self!r}\n{self.value}")
