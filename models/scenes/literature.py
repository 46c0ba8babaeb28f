"""Scenes after the figures of Snyder et al. 1993. The paper prints no formulas; the shapes here are ours."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, t, u, v

from ..shapes.patches import cushion
from ..shapes.quadrics import TURN, cone_side
from ..shapes.rings import bumpy_sphere, torus
from .scene import Known, scene


@scene(title="A torus slips over a cone", names=["torus", "cone"], time=(0, 3), simultaneity=1e-3, spacing=0.1,
       source="Snyder et al. 1993, Fig. 1", known=Known(time=2 - 3 * sp.sqrt(2) / 10, contact="a circle"))
def torus_on_cone() -> Sequence[ParametricSurface]:
    """The cone's side is rho + z = 2; the tube's centre (1, 3 - t) comes within 3/10 of it when 3 - t = 1 + 3 sqrt(2) / 10."""
    return [torus().moved(Rigid(translation=[0, 0, 3 - t])), cone_side(radius=2, height=2)]


# From Newton's method on contact and tangency (Snyder Eqs. 1 and 2) in mpmath with 45 digits, started at the closest points of
# dense samples; the least distance of the samples falls in proportion to the time left before.
BUMPY_TIME = sp.Float("0.986687024100300654066645633466", 30)


@scene(title="Two bumpy objects, turning and flying, touch at one point", names=["bumpy body", "flying body"], time=(0, 2),
       simultaneity=1e-6, spacing=0.05, source="Snyder et al. 1993, Fig. 12",
       known=Known(time=BUMPY_TIME, points=1, contact="one isolated point"))
def bumpy_pair() -> Sequence[ParametricSurface]:
    first = bumpy_sphere().moved(Screw(axis=[1, 2, 2], angle=sp.Rational(3, 2) * t))
    second = bumpy_sphere(radius=sp.Rational(4, 5), around=3).moved(Screw(axis=[2, -1, 2], angle=-t))
    fall = Rigid(translation=[sp.Rational(1, 5) - t / 10, sp.Rational(-1, 10) + t / 20, 3 - t])
    return [first, second.moved(fall)]


TUBE = sp.Rational(3, 10)
"""Radius of the tube of Fig. 13 at the moment of contact."""


def _tube() -> ParametricSurface:
    """A tube round the curve at the distance TUBE above the ridge z = (1 - x^2) / 2; higher and thinner before t = 2."""
    early = 2 - t
    radius, slope = TUBE - early / 20, sp.sqrt(1 + u**2)
    along, up = u / slope, 1 / slope
    reach = TUBE + radius * sp.cos(v)
    return ParametricSurface([u + reach * along, radius * sp.sin(v), (1 - u**2) / 2 + reach * up + early / 2],
                             {u: (sp.Rational(-3, 4), sp.Rational(3, 4)), v: TURN}, flipped=True)


@scene(title="A bent tube, swelling and sinking, touches a cushion along a curve", names=["tube", "cushion"], time=(0, 3),
       simultaneity=1e-3, spacing=0.05, source="Snyder et al. 1993, Fig. 13",
       known=Known(time=sp.Integer(2), contact="an arc of a parabola along the ridge of the cushion"))
def tube_on_cushion() -> Sequence[ParametricSurface]:
    return [_tube(), cushion()]


def _checkerboard(squares: int = 3, depth: Any = sp.Rational(1, 2)) -> ParametricSurface:
    """z = depth min(0, sin(pi x) sin(pi y)): every other unit square is flat at z = 0, the others are hollows."""
    height = depth * sp.Min(0, sp.sin(sp.pi * u) * sp.sin(sp.pi * v))
    return ParametricSurface([u, v, height], {u: (-squares, squares), v: (-squares, squares)})


def _dish() -> ParametricSurface:
    """A flat dish with a wavy outline whose border (v > 3/4) curls up; the normal looks down."""
    outline = 2 + sp.sin(5 * u) / 4
    border = sp.Max(0, v - sp.Rational(3, 4))
    return ParametricSurface([v * outline * sp.cos(u), v * outline * sp.sin(u), 8 * border**2], {u: TURN, v: (0, 1)},
                             flipped=True)


@scene(title="A wavy dish lands on a raised checkerboard in several flat patches", names=["dish", "checkerboard"], time=(0, 2),
       simultaneity=1e-3, spacing=0.3, source="Snyder et al. 1993, Fig. 14",
       known=Known(time=sp.Integer(1), contact="several flat patches"))
def dish_on_checkerboard() -> Sequence[ParametricSurface | ImplicitSurface]:
    return [_dish().moved(Rigid(translation=[0, 0, 1 - t])), _checkerboard()]
