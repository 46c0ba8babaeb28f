"""Scenes of machines and everyday things, most with closed answers: gears, cams, threads, bearings, grippers, cloth."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from generative import Curve, ParametricSurface, Rigid, Screw, axis_angle, interpolate_poses, sweep, t, u, v
from generative.symbols import exact

from ..shapes.machine import gear_tooth, involute_flank, raceway
from ..shapes.patches import plane_patch
from ..shapes.quadrics import TURN, ellipsoid, sphere
from ..shapes.rings import torus
from ..shapes.swept import egg, teapot_spout
from ..shapes.threads import bolt, bolt_nut, profile, thread_flank
from .scene import Known, scene

PRESSURE = sp.pi / 6
"""Pressure angle of the gears: between the line of action, along which involutes touch, and the tangent at the pitch point."""


def gear_flanks(*, crown: Any = 0) -> list[ParametricSurface]:
    """Two flanks on base circles of radius 1 and 3/2 whose common tangent has the pressure angle.

    Turned by theta, the flank of a base circle r cuts its line of action at the distance r (PRESSURE - theta) from the point of
    tangency; both cuts meet when their sum is the length (1 + 3/2) tan(PRESSURE) of that line (Litvin, Gear Geometry, involute gears).
    The second gear stands so that this happens at the pitch point when the first has turned by 1/5, clockwise at unit speed.
    """
    ready = PRESSURE - sp.tan(PRESSURE)
    driver = involute_flank(turn=ready + sp.Rational(1, 5)).moved(Screw(axis=[0, 0, 1], angle=-t))
    driven = involute_flank(base=sp.Rational(3, 2), turn=ready, crown=crown)
    away = sp.Rational(5, 2) / sp.cos(PRESSURE)
    return [driver, driven.moved(Rigid(rotation=axis_angle([0, 0, 1], sp.pi), translation=[away, 0, 0]))]


@scene(title="Two spur gears mesh: a flank takes up the backlash", names=["driver", "driven gear"], time=(0, 1), simultaneity=1e-3,
       spacing=0.1, source="involute gearing; the sizes are ours",
       known=Known(time=sp.Rational(1, 5), contact="a line across both flanks"))
def meshing_gears() -> Sequence[Any]:
    return gear_flanks()


@scene(title="A spur gear meshes with a crowned one, which was designed to touch in one point", names=["driver", "crowned gear"],
       time=(0, 1), simultaneity=1e-6, spacing=0.05, source="involute gearing; the sizes are ours",
       known=Known(time=sp.Rational(1, 5), points=1, contact="the pitch point, in the middle of the flank"))
def crowned_gears() -> Sequence[Any]:
    return gear_flanks(crown=sp.Rational(1, 5))


@scene(title="Two teeth of spur gears, whole solids, take up the backlash", names=["driver", "driven tooth"],
       time=(0, sp.Rational(1, 2)), simultaneity=1e-3, spacing=0.2, source="involute gearing; the sizes are ours",
       known=Known(time=sp.Rational(1, 5), contact="a line across both flanks"))
def meshing_teeth() -> Sequence[Any]:
    """As meshing-gears: the lower flank of a tooth starts at minus its half angle, here 1/4, from the middle of the tooth.

    The driven tooth is twice as wide, as pinions are made, so that only edges of the driver's meet its flank.
    """
    ready, half = PRESSURE - sp.tan(PRESSURE), sp.Rational(1, 4)
    turn = Screw(axis=[0, 0, 1], angle=ready + half + sp.Rational(1, 5) - t)
    away = sp.Rational(5, 2) / sp.cos(PRESSURE)
    stand = Rigid(rotation=axis_angle([0, 0, 1], sp.pi + ready + half), translation=[away, 0, -sp.Rational(1, 4)])
    return [gear_tooth().moved(turn), gear_tooth(base=sp.Rational(3, 2), width=1).moved(stand)]


CAM_HEIGHT = (1 + sp.sqrt(33)) / 4


@scene(title="A cam lifts to its follower", names=["cam", "follower"], time=(0, 1), simultaneity=1e-6, spacing=0.05,
       source="ours: an eccentric disc and a ball", known=Known(time=sp.pi / 6, points=1, contact="one point of the ball"))
def cam_and_follower() -> Sequence[Any]:
    """The disc's centre, at 1/2 from its axis and the angle t, is 3/2 = 1 + 1/2 from the ball's centre (0, h, 0) for sin t = 1/2."""
    outline = Curve([sp.Rational(1, 2) + sp.cos(u), sp.sin(u), -sp.Rational(1, 2)], TURN)
    disc = sweep.extrude(outline, [0, 0, 1]).moved(Screw(axis=[0, 0, 1], angle=t))
    return [disc, sphere(radius=sp.Rational(1, 2)).moved(Rigid(translation=[0, CAM_HEIGHT, 0]))]


@scene(title="A ball rolls outwards into the race of a bearing", names=["ball", "race"], time=(0, 1), simultaneity=1e-6,
       spacing=0.05, source="ours", known=Known(time=sp.Rational(1, 5), points=1, contact="one point in the middle of the race"))
def ball_in_raceway() -> Sequence[Any]:
    """A ball of radius 3/10 in a groove of radius 2/5 about a circle of radius 1: it reaches 7/5 when its centre is at 11/10."""
    out = Rigid(rotation=axis_angle([0, 0, 1], 2 * t), translation=[sp.Rational(9, 10) + t, 0, 0])
    return [sphere(radius=sp.Rational(3, 10)).moved(out), raceway()]


@scene(title="A bolt is turned in a nut until their threads meet", names=["bolt", "nut"], time=(0, 1), simultaneity=1e-3,
       spacing=0.1, source="after Ponamgi et al. 1995, Section 5.1; square threads, sizes ours",
       known=Known(time=sp.pi / 10, contact="a helix along the middle of the nut's thread"))
def bolt_in_nut() -> Sequence[Any]:
    """Turned by -4 t, a helicoid of pitch 1 rises by 4 t / (2 pi); the nut's crowned flank begins 1/5 above the bolt's."""
    bolt = thread_flank(turns=(0, 2)).moved(Screw(axis=[0, 0, 1], angle=-4 * t))
    flank = thread_flank(turns=(sp.Rational(1, 2), sp.Rational(5, 4)), crown=2, downwards=True)
    return [bolt, flank.moved(Rigid(translation=[0, 0, sp.Rational(1, 5)]))]


def push_time(*, allowance: Any, major: Any = 2, pitch: Any = sp.Rational(1, 2), root: Any = sp.Rational(1, 32)) -> Any:
    """The distance that a bolt of `models.shapes.threads` moves along its nut before their threads meet.

    Moved by t, the bolt's thread gains h(w - d) - h(w) on the nut's at the phase w, with d = 2 pi t / pitch: most in the middle of the
    flank, 2 H asin(k sin(d / 2)), which closes the gap of allowance major / 2.
    """
    allowance, major, pitch, root = (exact(e, "a size of a bolt") for e in (allowance, major, pitch, root))
    _, _, k = profile(0, pitch=pitch, root=root)
    half = sp.sqrt(3) * pitch / (2 * sp.pi * k)
    return pitch / sp.pi * sp.asin(sp.sin(allowance * major / 4 / half) / k)


@scene(title="A bolt is pushed along in its nut until their threads meet", names=["bolt", "nut"], time=(0, sp.Rational(1, 4)),
       simultaneity=1e-3, spacing=0.3,
       source="after Ponamgi et al. 1995, Section 5.1: the thread of Nicolson and Fearing, smooth, whole solids; sizes ours",
       known=Known(time=push_time(allowance=sp.Rational(1, 10)), contact="a helix in the middle of the flanks"))
def bolt_pushed_in_nut() -> Sequence[Any]:
    pushed = bolt(allowance=sp.Rational(1, 10)).moved(Rigid(translation=[0, 0, t - sp.Rational(1, 2)]))
    return [pushed, bolt_nut()]


TAPER = sp.Rational(1, 4)
WAIST_SINE = (1 - sp.sqrt(1 + 8 * TAPER**2)) / (4 * TAPER)
EGG_WAIST = sp.sqrt(1 - WAIST_SINE**2) * (1 - TAPER * WAIST_SINE)


@scene(title="A robot's gripper closes on an egg", names=["egg", "left finger", "right finger"], time=(0, 1), simultaneity=1e-6,
       spacing=0.05, source="ours; three bodies",
       known=Known(time=sp.Rational(3, 2) - EGG_WAIST, points=2, contact="two points of the egg's equator"))
def gripper_on_egg() -> Sequence[Any]:
    """The radius cos v (1 - sin v / 4) of the egg is greatest where sin v / 2 = (1 - sqrt(3/2)) / 2; two flat fingers close in."""
    finger = plane_patch(width=1, depth=sp.Rational(3, 5))
    poses = [Rigid(rotation=axis_angle([0, 1, 0], sign * sp.pi / 2), translation=[-sign * (sp.Rational(3, 2) - t), 0, 0])
             for sign in (1, -1)]
    return [egg(), *(finger.moved(pose) for pose in poses)]


# The upper end of the spout's rim lies 1/5 from the end (3/2, 0, 6/5) of its path, at right angles to the path's direction (5, 0, 1).
RIM = sp.Rational(3, 2) - 1 / (5 * sp.sqrt(26)) - sp.Rational(5, 4), sp.Rational(6, 5) + 1 / sp.sqrt(26)
CLOTH_TIME = (2 + sp.cos(3 * RIM[0]) / 40 - RIM[1]) / (sp.Rational(1, 2) + RIM[0] ** 2 / 8)


@scene(title="A cloth settles on the spout of a teapot", names=["cloth", "spout"], time=(0, 2), simultaneity=1e-6, spacing=0.05,
       source="ours; the cloth deforms: its border droops while it falls",
       known=Known(time=CLOTH_TIME, points=1, contact="the uppermost point of the spout's rim"))
def cloth_on_spout() -> Sequence[Any]:
    """By symmetry it touches the rim in the plane v = 0, where its height falls as 2 - t/2 - t u^2/8 + cos(3 u)/40."""
    fall = 2 - t / 2 - t * (u**2 + v**2) / 8 + sp.Rational(1, 40) * sp.cos(3 * u) * sp.cos(2 * v)
    cloth = ParametricSurface([sp.Rational(5, 4) + u, v, fall], {u: (-1, 1), v: (-1, 1)}, flipped=True)
    return [cloth, teapot_spout()]


@scene(title="A ball carried by a screw motion between two poses hits a wall", names=["ball", "wall"], time=(0, 1), simultaneity=1e-6,
       spacing=0.05, source="after Kim and Rossignac 2003, Section 5; the sizes are ours",
       known=Known(time=sp.Rational(2, 3), points=1, contact="one point of the wall"))
def ball_on_screw() -> Sequence[Any]:
    """Half a turn on the radius 2 and a rise of 1: x = 2 cos(pi t) reaches -1, 1/2 before the wall x = -3/2, at t = 2/3."""
    start, end = Rigid(translation=[2, 0, 0]), Rigid(rotation=axis_angle([0, 0, 1], sp.pi), translation=[-2, 0, 1])
    wall = plane_patch(width=3, depth=6).moved(Rigid(rotation=axis_angle([0, 1, 0], sp.pi / 2), translation=[-sp.Rational(3, 2), 0, 0]))
    return [sphere(radius=sp.Rational(1, 2)).moved(interpolate_poses(start, end)), wall]


@scene(title="A pendulum swings into a post", names=["bob", "post"], time=(0, 4), simultaneity=1e-6, spacing=0.05, source="ours",
       known=Known(time=sp.acos(-sp.asin(sp.Rational(1, 4))), points=1, contact="one point of the bob"))
def pendulum_on_post() -> Sequence[Any]:
    """The bob, of radius 3/10, hangs 2 below the origin at the angle cos t; the post's face is the plane x = -4/5."""
    swing = Screw(axis=[0, -1, 0], angle=sp.cos(t)) @ Rigid(translation=[0, 0, -2])
    post = plane_patch(width=3, depth=1)
    upright = Rigid(rotation=axis_angle([0, 1, 0], sp.pi / 2), translation=[-sp.Rational(4, 5), 0, -2])
    return [sphere(radius=sp.Rational(3, 10)).moved(swing), post.moved(upright)]


@scene(title="A wheel runs against the edge of a step", names=["wheel", "step"], time=(0, 3), simultaneity=1e-6, spacing=0.05,
       source="ours; contact on the border of a patch, not tangential to it",
       known=Known(time=2 - sp.sqrt(sp.Rational(5, 4)), points=1, contact="one point of the step's edge"))
def wheel_on_step() -> Sequence[Any]:
    """A wheel of outer radius 3/2 rolls 1/20 above the ground; the edge of the step, at x = 0, is 1 below its centre's height."""
    roll = Rigid(rotation=axis_angle([0, 1, 0], t), translation=[t - 2, 0, 0]) @ Rigid(rotation=axis_angle([1, 0, 0], sp.pi / 2))
    step = ParametricSurface([u, v, -1], {u: (0, 2), v: (-1, 1)})
    return [torus(major=sp.Rational(6, 5)).moved(roll), step]


@scene(title="A balloon swells between two walls and pushes against both", names=["balloon", "left wall", "right wall"], time=(0, 2),
       simultaneity=1e-6, spacing=0.05, source="ours; a deforming body, two contacts at once",
       known=Known(time=sp.Rational(2, 3), points=2, contact="one point of each wall"))
def balloon_between_walls() -> Sequence[Any]:
    """Semi-axes 1/2 + 3 t / 4 along x and 1/2 + t / 4 across; the walls stand at x = -1 and 1."""
    balloon = ellipsoid(semiaxes=(sp.Rational(1, 2) + 3 * t / 4, sp.Rational(1, 2) + t / 4, sp.Rational(1, 2) + t / 4))
    walls = [plane_patch(width=2, depth=2).moved(Rigid(rotation=axis_angle([0, 1, 0], sign * sp.pi / 2), translation=[-sign, 0, 0]))
             for sign in (1, -1)]
    return [balloon, *walls]


@scene(title="A ball falls just too steeply through a ring and touches it", names=["ball", "ring"], time=(0, 3), simultaneity=1e-6,
       spacing=0.05, source="ours",
       known=Known(time=sp.Rational(3, 2) - sp.sqrt(sp.Rational(95, 100) ** 2 - sp.Rational(9, 10) ** 2), points=1,
                   contact="one point inside the ring"))
def ball_against_ring() -> Sequence[Any]:
    """As ball-through-ring, a tenth to the side: the ball of radius 13/20 and the tube of 3/10 touch when their centres are 19/20 apart."""
    return [sphere(radius=sp.Rational(13, 20)).moved(Rigid(translation=[sp.Rational(1, 10), 0, sp.Rational(3, 2) - t])), torus()]
