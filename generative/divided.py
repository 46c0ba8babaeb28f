"""Surfaces with creases, of which it is known where these lie."""

from functools import cached_property
from typing import Any

from .brep import Solid
from .motion import Motion
from .surface import ParametricSurface


class Divided(ParametricSurface):
    """A surface with creases, and the smooth pieces that it is made of: the faces of a solid in the body's frame.

    Of a member of a family the formula does not tell where its creases lie, and in which order: its numbers do.
    """

    def __init__(self, surface: ParametricSurface, pieces: Solid) -> None:
        super().__init__(surface.body, surface.domain, flipped=surface.flipped, motion=surface.motion)
        self._pieces = pieces

    @property
    def pieces(self) -> Solid:
        return self._pieces

    def carried_by(self, motion: Motion) -> "Divided":
        placed = Divided(super().carried_by(motion), self.pieces)
        placed.__dict__["resting"] = self.resting
        return placed

    @cached_property
    def resting(self) -> "Divided":
        return self if self.motion.is_identity else Divided(super().resting, self.pieces)

    def _key(self) -> tuple[Any, ...]:
        return *super()._key(), self.pieces
