"""Scenes that look like the work of our users, with closed answers: implicit bodies, solids, combined bodies, near misses."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from generative import Rigid, axis_angle, t

from ..shapes.blobs import lens
from ..shapes.patches import implicit_floor
from ..shapes.quadrics import implicit_sphere, paraboloid_cup, sphere
from ..shapes.rings import implicit_torus, torus
from ..shapes.solids import box, cylinder
from .scene import Known, scene


def _drop(height: Any, **more: Any) -> Rigid:
    """Falling at unit speed from `height`."""
    return Rigid(translation=[0, 0, height - t], **more)


@scene(title="A ball flies through a ring without touching it", names=["ball", "ring"], time=(0, 3), source="ours; the gap is 1/20",
       known=Known(time="never"))
def ball_through_ring() -> Sequence[Any]:
    return [sphere(radius=sp.Rational(13, 20)).moved(_drop(sp.Rational(3, 2))), torus()]


@scene(title="A ball falls into a cup and touches its lowest point", names=["ball", "cup"], time=(0, 2), simultaneity=1e-6,
       spacing=0.05, source="ours; contact at a pole of both parametrizations",
       known=Known(time=sp.Rational(3, 2), points=1, contact="one point, the bottom of the cup"))
def ball_in_cup() -> Sequence[Any]:
    """The cup z = (x^2 + y^2) / 4 bends less than the ball of radius 1/2, so that the ball reaches the bottom."""
    return [sphere(radius=sp.Rational(1, 2)).moved(_drop(2)), paraboloid_cup(radius=2, height=1)]


@scene(title="A ring falls flat on a floor", names=["ring", "floor"], time=(0, 4), simultaneity=1e-3, spacing=0.2,
       source="ours; parametric against implicit", known=Known(time=sp.Rational(27, 10), contact="a circle of radius 1"))
def torus_on_floor() -> Sequence[Any]:
    return [torus().moved(_drop(3)), implicit_floor(width=10, depth=10)]


@scene(title="The crossed tori as implicit surfaces", names=["upper torus", "lower torus"], time=(0, 2), simultaneity=1e-6,
       spacing=0.05, source="tori-crossed, implicit",
       known=Known(time=3 - sp.sqrt(39) / 5, points=2, contact="two isolated points"))
def implicit_tori_crossed() -> Sequence[Any]:
    return [implicit_torus().moved(_drop(3, rotation=axis_angle([1, 0, 0], sp.pi / 2))), implicit_torus()]


@scene(title="A lens falls edge-first on a ball", names=["lens", "ball"], time=(0, 2), simultaneity=1e-6, spacing=0.05,
       source="ours; contact on the crease of an intersection of two implicit balls",
       known=Known(time=sp.Rational(6, 5), points=1, contact="one point of the rim, on the crease"))
def lens_on_ball() -> Sequence[Any]:
    """Upright, the lens reaches 4/5 (its rim) below its centre; the ball's top is at the height 1."""
    return [lens().moved(_drop(3, rotation=axis_angle([0, 1, 0], sp.pi / 2))), implicit_sphere()]


@scene(title="A box falls on its corner", names=["box", "table"], time=(0, 3), simultaneity=1e-6, spacing=0.05,
       source="ours; vertex on face", known=Known(time=3 - sp.sqrt(3) / 2, points=1, contact="one corner on a face"))
def box_on_corner() -> Sequence[Any]:
    """The unit cube with a space diagonal upright reaches sqrt(3)/2 below its centre; the table's top is z = 0."""
    upright = axis_angle([1, -1, 0], sp.atan(sp.sqrt(2)))
    table = box(sizes=(4, 4, 1)).moved(Rigid(translation=[0, 0, sp.Rational(-1, 2)]))
    return [box().moved(_drop(3, rotation=upright)), table]


@scene(title="A tilted can falls on a drum", names=["can", "drum"], time=(0, 3), simultaneity=1e-6, spacing=0.05,
       source="Snyder et al. 1993, Appendix A: two cylinders, 25 situations; the sizes are ours",
       known=Known(time=2 - sp.sqrt(2) / 4, points=1, contact="the rim of the can on the drum's top"))
def cylinder_on_cylinder() -> Sequence[Any]:
    """Tilted by 45 degrees, the can of radius 1/2 reaches sqrt(2)/4 below the centre of its base; the drum is 2 high."""
    can = cylinder(radius=sp.Rational(1, 2), height=1)
    return [can.moved(_drop(4, rotation=axis_angle([1, 0, 0], sp.pi / 4))), cylinder()]
