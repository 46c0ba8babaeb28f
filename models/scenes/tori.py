"""One torus falling on another. Two tori of equal tube radius r touch when their central circles come within 2 r.

Crossed (one circle flat about the origin, one upright at the height h, both of radius 1): the least squared distance of the
circles is (sqrt(1 + h^2) - 1)^2, from the points (cos a, sin a, 0) and (cos b, 0, h + sin b) with a = 0 or pi and
tan b = -+h. With r = 3/10 this is (2 r)^2 for h^2 = 39/25, so h = sqrt(39)/5 = sqrt(1.56), at two isolated points.
"""

from collections.abc import Sequence

import sympy as sp

from generative import ParametricSurface, Rigid, axis_angle, t

from ..shapes.rings import torus
from .scene import Known, scene

UPRIGHT = axis_angle([1, 0, 0], sp.pi / 2)
CROSSED = Known(time=3 - sp.sqrt(39) / 5, points=2, contact="two isolated points")


@scene(title="Two crossed tori touch at two isolated points", names=["upper torus", "lower torus"], time=(0, 2), simultaneity=1e-6,
       spacing=0.05, known=CROSSED, source="Snyder et al. 1993, Fig. 5; the sizes are ours")
def tori_crossed() -> Sequence[ParametricSurface]:
    return [torus().moved(Rigid(rotation=UPRIGHT, translation=[0, 0, 3 - t])), torus()]


@scene(title="Two coaxial tori touch along a circle", names=["upper torus", "lower torus"], time=(0, 2), simultaneity=1e-3,
       spacing=0.1, source="Snyder et al. 1993, Section 2.3; Chen et al. 2024, Fig. 9; the sizes are ours",
       known=Known(time=sp.Rational(7, 5), contact="a circle of radius 1 at the height 0.3"))
def tori_coaxial() -> Sequence[ParametricSurface]:
    return [torus().moved(Rigid(translation=[0, 0, 2 - t])), torus()]


@scene(title="The crossed tori in general position", names=["upper torus", "lower torus"], time=(0, 2), simultaneity=1e-6,
       spacing=0.05, known=CROSSED,
       source="tori-crossed, tilted as a whole, parameter origins shifted: no contact at a dyadic parameter or along an axis")
def tori_general() -> Sequence[ParametricSurface]:
    shift = [sp.Rational(1, 7), sp.Rational(-2, 9), sp.Rational(1, 11)]
    tilt = Rigid(rotation=[5, 1, 2, 3], translation=shift, normalize=True)
    first = torus(u_origin=sp.Rational(-17, 10), v_origin=sp.Rational(-9, 10))
    second = torus(u_origin=sp.Rational(-23, 10), v_origin=sp.Rational(-13, 10))
    return [first.moved(Rigid(rotation=UPRIGHT, translation=[0, 0, 3 - t])).moved(tilt), second.moved(tilt)]


@scene(title="A torus falls on an equal torus, sampled finely", names=["upper torus", "lower torus"], time=(0, 1), simultaneity=1e-3,
       spacing=0.1,
       source="Chen et al. 2024, Fig. 9: 124 points at the spacing 0.1, which gives the radius 2; the rest is ours",
       known=Known(time=sp.Rational(1, 2), contact="a circle of radius 2"))
def torus_on_torus() -> Sequence[ParametricSurface]:
    ring = torus(major=2, minor=sp.Rational(1, 2))
    return [ring.moved(Rigid(translation=[0, 0, sp.Rational(3, 2) - t])), ring]


@scene(title="A torus falls on an equal torus, sampled coarsely", names=["upper torus", "lower torus"], time=(0, 1),
       simultaneity=1e-3, spacing=1, source="Chen et al. 2024, Fig. 9: 12 points at the spacing 1",
       known=Known(time=sp.Rational(1, 2), contact="a circle of radius 2"))
def torus_on_torus_coarse() -> Sequence[ParametricSurface]:
    return torus_on_torus.build()


@scene(title="Eight linked tori are pulled apart until seven pairs touch at once", names=[f"link {k}" for k in range(1, 9)],
       time=(0, sp.Rational(1, 2)), simultaneity=1e-6, spacing=0.05,
       source="Ponamgi, Manocha and Lin 1995, Fig. 12 and Table 1; the sizes are ours",
       known=Known(time=sp.Rational(1, 5), points=7, contact="seven isolated points, one in each link but the last"))
def chain_of_tori() -> Sequence[ParametricSurface]:
    """Links with planes at right angles and centres 1 + s apart on a line are 1 - s - 2 r apart, r being 1/5 and s = 2/5 + t."""
    apart = sp.Rational(7, 5) + t
    return [torus(minor=sp.Rational(1, 5)).moved(Rigid(rotation=UPRIGHT if k % 2 else sp.eye(3), translation=[k * apart, 0, 0]))
            for k in range(8)]
