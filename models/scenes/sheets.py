"""Surfaces that touch themselves: scenes of one body, for `collide.self_contact`."""

from collections.abc import Sequence

import sympy as sp

from generative import ParametricSurface, t, u, v

from .scene import Known, scene


@scene(title="A sheet rolls up until neighbouring turns touch", names=["sheet"], time=(0, 1),
       source="ours; a spiral whose turns differ by a cosine",
       known=Known(time=sp.Rational(3, 4), points=1, contact="one isolated point of two turns"))
def sheet_rolls_up() -> Sequence[ParametricSurface]:
    """At the angles u and u + 2 pi the radii differ by 2 pi (1 - t) - pi/2 cos((u - 1)/2) (1 - v^2/4): least at u = 1, v = 0."""
    radius = 2 + (1 - t) * u + sp.pi / 4 * sp.cos((u - 1) / 2) * (1 - v**2 / 4)
    return [ParametricSurface([radius * sp.cos(u), radius * sp.sin(u), 2 * v], {u: (0, 3 * sp.pi), v: (sp.Rational(-3, 4), 1)})]


@scene(title="A Moebius strip widens until its side touches the opposite part", names=["strip"], time=(sp.Rational(-9, 10), 2),
       source="ours; the seam is joined with the direction across reversed",
       known=Known(time=sp.Integer(1), points=1, contact="one isolated point, (-1, 0, 0)"))
def moebius_widens() -> Sequence[ParametricSurface]:
    """The half width 1 + t reaches from the middle line of radius 1 across the axis to its other side when it is 2."""
    angle, across = u + sp.Rational(1, 7), v * (1 + t)
    radius = 1 + across * sp.cos(angle / 2)
    strip = [radius * sp.cos(angle), radius * sp.sin(angle), across * sp.sin(angle / 2)]
    return [ParametricSurface(strip, {u: (0, 2 * sp.pi), v: (-1, 1)})]
