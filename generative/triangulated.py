"""Bodies of many triangles: numbers, not formulas. All of them have the formula of one triangle, whose corners are symbols."""

import copy
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, Self

from codegen.given import shown

from .body import Body
from .motion import IDENTITY, Motion
from .surface import ParametricSurface
from .symbols import Parameter, formula, t, u, v

CORNERS = tuple(Parameter(f"corner{k}") for k in range(51))
"""Stand for the coordinates of up to seventeen corners, one corner after the other."""

TRIANGLE = ParametricSurface([a + u * (b - a) + u * v * (c - b) for a, b, c in zip(CORNERS[:3], CORNERS[3:6], CORNERS[6:9], strict=True)],
                             {u: (0, 1), v: (0, 1)})
"""The triangle of three corners, counterclockwise as seen from outside; its side u = 0 is the first of them."""


class Triangulated(Body):
    """A rigid body of triangles, carried by `motion`. Who derives from it has the triangles."""

    made: ClassVar[Callable[[Any, Any], "Triangulated"] | None] = None
    """Makes one of vertices (n, 3) and triangles (m, 3); `collide`, which builds on this package, sets it."""
    _motion: Motion = IDENTITY

    @property
    def motion(self) -> Motion:
        """The motion that carries the body's frame into the world."""
        return self._motion

    @property
    def arrays(self) -> tuple[Any, Any]:
        """Its vertices (n, 3) in its own frame, and triangles (m, 3) of their numbers."""
        raise NotImplementedError

    @property
    def face(self) -> ParametricSurface:
        """Its triangles, with symbols for their corners."""
        return TRIANGLE.carried_by(self.motion)

    def moved(self, motion: Motion) -> Self:
        """This body carried along by `motion`, after the motion it has already."""
        if not isinstance(motion, Motion):
            raise TypeError(f"a mesh moves by a Motion, such as Rigid or Screw, got {shown(motion)}")
        return self.carried_by(motion @ self.motion)

    def carried_by(self, motion: Motion) -> Self:
        """This body with `motion` in the place of the motion it has."""
        placed = copy.copy(self)
        placed.__dict__.pop("_hash", None)
        placed.__dict__["resting"] = self.resting
        placed._motion = motion
        return placed

    @cached_property
    def resting(self) -> Self:
        """This body in its own frame: the same object for all that are moved from one."""
        if self.motion.is_identity:
            return self
        placed = copy.copy(self)
        for name in ("_hash", "resting"):
            placed.__dict__.pop(name, None)
        placed._motion = IDENTITY
        return placed

    def at(self, time: Any) -> Self:
        """This body with t replaced by a number or by an expression of t."""
        formula(time, [t], "a time")
        return self.carried_by(self.motion.at(time))
