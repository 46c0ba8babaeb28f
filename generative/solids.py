"""Solids from curves: extruded, revolved, lofted and swept, closed by caps where they are open.

Outlines are closed curves that run counterclockwise; `generative.sew` makes the edges and refuses what does not close.
"""

from collections.abc import Sequence
from typing import Any

from .brep import Solid
from .curve import Curve
from .sew import cap, open_sides, sew
from .surface import ParametricSurface
from .sweep import extrude, loft, revolve, sweep


def capped(side: ParametricSurface, *centres: Any) -> Solid:
    """A tube closed by a cap at each open end, in the order u = lo, u = hi, v = lo, v = hi.

    `centres`: one point an open end, from which its whole outline is seen; none: the mean of three points of each outline. Caps of
    plane outlines are flat. A surface that is closed already is a solid by itself.
    """
    ends = open_sides(side)
    if centres and len(centres) != len(ends):
        raise ValueError(f"the surface has {len(ends)} open ends, got {len(centres)} centres of caps")
    if len(ends) > 2:
        raise ValueError("only a tube can be capped: one pair of opposite sides of the surface must coincide")
    return sew([side, *(cap(side, end, centre) for end, centre in zip(ends, centres or [None] * len(ends), strict=True))])


def extruded(outline: Curve, direction: Any) -> Solid:
    """The closed outline moved along `direction`, with two caps."""
    return capped(extrude(outline, direction))


def revolved(profile: Curve) -> Solid:
    """The profile, a curve in the half-plane x >= 0, y = 0 that runs upwards, turned about the z axis and closed by discs.

    Where it begins or ends on the axis there is no disc; a closed profile needs none.
    """
    tube = revolve(profile)
    middles = {v_end: (0, 0, profile.at(profile.domain[v_end])[2]) for v_end in (0, 1)}
    return capped(tube, *(middles[end] for _, end in open_sides(tube)))


def lofted(sections: Sequence[Curve], *, at: Sequence[Any] | None = None) -> Solid:
    """The solid through closed sections, as `generative.sweep.loft` joins them, with caps on the first and last."""
    return capped(loft(sections, at=at))


def swept(section: Curve, path: Curve, *, up: Any = (0, 0, 1), scale: Any = 1) -> Solid:
    """The closed section carried along the path as by `generative.sweep.sweep`, with caps about the ends of the path.

    The section must surround its origin. No caps where path and frame close up.
    """
    tube = sweep(section, path, up=up, scale=scale)
    return capped(tube, *(path.at(path.domain[end]) for _, end in open_sides(tube)))
