"""Time of impact without a search: providers for kinds of bodies, in the order in which they are asked."""

from typing import Protocol

from ...answers.contacts import Contacts
from ...culling.broad_phase import Window
from ..motion.moving_body import MovingBody
from . import separating_planes, spheres
from .separating_planes import Parted


class TimeOfImpact(Protocol):
    """A provider. It raises the bound up to which two bodies are proved apart, and proves the contact that ends it, or neither. What it
    leaves open is searched (`search`), which takes any two bodies.
    """

    def accepts(self, one: MovingBody, other: MovingBody) -> bool:
        """Whether it knows both bodies, in this order and the other."""
        ...

    def parted(self, one: MovingBody, other: MovingBody, window: Window, allowed: float = ..., stride: float = ...) -> Parted:
        """The time until which two bodies are *proved* apart from the beginning of a window on; from then on, or since a later time, until
        which they are proved to be `allowed` deep in each other at most. In that time steps begin with one of `stride`.
        """
        ...

    def met(self, one: MovingBody, other: MovingBody, apart: Parted, end: float, size: float, least: float = ...) -> Contacts | None:
        """The *proved* contact of two bodies that come together, faster than `least`, where they are not known to be apart any more; None
        where there is no proof. `size`: of the smaller body.
        """
        ...


PROVIDERS: tuple[TimeOfImpact, ...] = separating_planes, spheres


def provider_of(one: MovingBody, other: MovingBody) -> TimeOfImpact | None:
    """The first provider for two bodies; None where only a search tells."""
    return next((p for p in PROVIDERS if p.accepts(one, other)), None)
