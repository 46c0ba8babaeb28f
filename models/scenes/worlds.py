"""Worlds: rigid bodies that are let go, listed by name in `WORLDS`. Bodies and options are those of `collide.RigidBody` and
`collide.World`, as dictionaries.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from generative import Curve, ParametricSurface, Rigid, sew, sweep, t, u, v

from ..shapes.quadrics import ellipsoid, sphere
from ..shapes.solids import box, cylinder
from ..shapes.swept import egg
from .fruits import pile


@dataclass(frozen=True)
class WorldScene:
    """Bodies, `options` of their world, and up to when or how many events it `run`s. `known`: in words, what comes of it."""

    name: str
    title: str
    source: str
    build: Callable[[], Sequence[dict[str, Any]]]
    run: dict[str, Any]
    known: str
    options: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def bodies(self) -> tuple[dict[str, Any], ...]:
        return tuple(self.build())

    def __repr__(self) -> str:
        return f"WorldScene({self.name!r}: {self.title})"


WORLDS: dict[str, WorldScene] = {}

Build = Callable[[], Sequence[dict[str, Any]]]


def world(*, title: str, source: str, run: dict[str, Any], known: str, **options: Any) -> Callable[[Build], WorldScene]:
    """Register the decorated function, which returns the bodies, as the world of its name (with - for _)."""

    def register(build: Build) -> WorldScene:
        name = build.__name__.replace("_", "-")
        assert name not in WORLDS, f"the world {name} is registered twice"
        WORLDS[name] = WorldScene(name, title, source, build, run, known, options)
        return WORLDS[name]

    return register


@world(title="Newton's cradle: one ball comes, and one leaves", source="ours: five equal balls in line, without their strings",
       run={"until": 6.0}, known="hits at t = 3, after which only the last ball moves", gravity=(0, 0, 0))
def newtons_cradle() -> Sequence[dict[str, Any]]:
    balls = [{"shape": sphere(), "position": (2 * k, 0, 0)} for k in range(4)]
    return [{"shape": sphere(), "position": (-5, 0, 0), "velocity": (1, 0, 0)}, *balls]


@world(title="Two blocks and a wall count the digits of pi", source="G. Galperin, Playing pool with pi, 2003",
       run={"until": 60.0}, known="31 hits for masses of 1 and 100", gravity=(0, 0, 0))
def counting_pi() -> Sequence[dict[str, Any]]:
    wall = ParametricSurface([0, u, v], {u: (-3, 3), v: (-3, 3)})
    return [{"shape": wall, "fixed": True}, {"shape": box(), "position": (2, 0, 0), "mass": 1},
            {"shape": box(sizes=(2, 2, 2)), "position": (5, 0, 0), "velocity": (-1, 0, 0), "mass": 100}]


@world(title="A top and a tumbling body are thrown", source="L. Euler and L. Poinsot: rotation without torque",
       run={"until": 2.0}, known="the top's axis goes round evenly; the other body turns over again and again (Dzhanibekov's effect)")
def thrown_tops() -> Sequence[dict[str, Any]]:
    """The second spins nearly about its middle axis."""
    top = egg(radius=1, taper=sp.Rational(1, 2))
    tumbling = ellipsoid(semiaxes=(1, sp.Rational(3, 5), sp.Rational(1, 4)))
    return [{"shape": top, "position": (-1.5, 0, 0), "velocity": (0, 0, 10), "spin": (1.5, 0, 12)},
            {"shape": tumbling, "position": (1.5, 0, 0), "velocity": (0, 0, 10), "spin": (0.05, 12, 0.05)}]


@world(title="Marbles in a funnel", source="ours, after the hourglass of everyday life", run={"until": 1.5}, restitution=0.8,
       known="marbles bounce from the funnel and from each other, and fall through its hole")
def marbles_in_funnel() -> Sequence[dict[str, Any]]:
    """The hole has the radius 1/2, marbles 1/5."""
    funnel = sweep.revolve(Curve([sp.Rational(1, 2) + u, 0, u], (0, 2)))
    marble = sphere(radius=sp.Rational(1, 5))
    places = [(1.1, 0.3, 2.6), (-0.9, 0.7, 2.9), (0.2, -1.2, 3.2), (-0.6, -0.5, 3.5), (0.7, 0.9, 3.8), (-1.3, 0.1, 4.1)]
    return [{"shape": funnel, "fixed": True}, *({"shape": marble, "position": p} for p in places)]


@world(title="Dominoes: one falls against the next", source="ours", run={"until": 1.5}, restitution=0.0, friction=0.5,
       known="the wave reaches the last one; the energy never grows, and no corner is in the floor")
def dominoes() -> Sequence[dict[str, Any]]:
    """The first one turns about its front edge as they start; each is a little wider than the one before."""
    thick, apart, spin = 0.25, 0.75, 1.5
    shapes = [box(sizes=(sp.Rational(1, 4), 1 + sp.Rational(k, 10), 2)) for k in range(4)]
    floor = ParametricSurface([u, v, 0], {u: (-3, 7), v: (-3, 3)})
    pushed = {"spin": (0, spin, 0), "velocity": (spin, 0, spin * thick / 2)}
    return [{"shape": floor, "fixed": True},
            *({"shape": shape, "position": (apart * k, 0, 1), **(pushed if k == 0 else {})} for k, shape in enumerate(shapes))]


def _turned(axis: Sequence[float], angle: float) -> tuple[float, ...]:
    return (math.cos(angle / 2), *(math.sin(angle / 2) * e for e in axis))


@world(title="A tippe top turns over", source="e.g. R. J. Cohen, The tippe top revisited, 1977",
       run={"until": 4.0}, restitution=0.0, friction=0.3,
       known="friction turns the spinning ball over, and lifts its mass; Jellett's constant is kept, and the energy never grows")
def tippe_top() -> Sequence[dict[str, Any]]:
    """A ball of radius 1, truncated at the height 9/10; it begins to spin about the vertical, its axis a little aside."""
    polar = [sp.sin(v) * sp.cos(u), sp.sin(v) * sp.sin(u), -sp.cos(v)]
    cut = sp.Rational(9, 10)
    ball = ParametricSurface(polar, {u: (0, 2 * sp.pi), v: (0, sp.acos(-cut))})
    lid = ParametricSurface([v * sp.cos(u), v * sp.sin(u), cut], {u: (0, 2 * sp.pi), v: (0, sp.sqrt(1 - cut**2))}, flipped=True)
    floor = ParametricSurface([u, v, 0], {u: (-4, 4), v: (-4, 4)})
    return [{"shape": floor, "fixed": True},
            {"shape": sew([ball, lid]), "position": (0, 0, 1), "orientation": _turned((1, 0, 0), 0.3), "spin": (0, 0, 15), "mass": 1,
             "centre": (0, 0, -0.3), "inertia": [[0.374, 0, 0], [0, 0.374, 0], [0, 0, 0.4]]}]


@world(title="A rattleback turns round", source="G. T. Walker, On a dynamical top, 1896; A. Garcia and M. Hubbard, 1988",
       run={"until": 3.0}, restitution=0.0, friction=5.0,
       known="it spins, begins to rattle, and spins the other way; the energy stays the same, since it rolls without slip")
def rattleback() -> Sequence[dict[str, Any]]:
    """An ellipsoid whose mass is turned against its axes by 1/5."""
    turn = sp.Matrix([[math.cos(0.2), -math.sin(0.2), 0], [math.sin(0.2), math.cos(0.2), 0], [0, 0, 1]])
    inertia = turn * sp.diag(0.025625, 0.26, 0.265625) * turn.T
    floor = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
    stone = ellipsoid(semiaxes=(1, sp.Rational(1, 4), sp.Rational(1, 5)))
    return [{"shape": floor, "fixed": True},
            {"shape": stone, "position": (0, 0, 0.2), "spin": (0.05, 0.05, -3), "velocity": (0.01, -0.01, 0), "mass": 1,
             "centre": (0, 0, 0), "inertia": [[float((inertia[i, j] + inertia[j, i]) / 2) for j in range(3)] for i in range(3)]}]


@world(title="Euler's disk goes round on its rim", source="L. Euler; closed form: e.g. K. T. McDonald and A. J. McDonald, 2000",
       run={"until": 2.0}, restitution=0.0, friction=0.9,
       known="the centre of a thin disk that rolls steadily stays where it is, and its axis goes round with W^2 = 4 g / (r sin a)")
def euler_s_disk() -> Sequence[dict[str, Any]]:
    """Tilted by 1/2. The mass is in the plane of the lower rim."""
    tilt, radius = 0.5, 1.0
    turning = math.sqrt(4 * 9.81 / (radius * math.sin(tilt))) * math.sin(tilt)
    floor = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    return [{"shape": floor, "fixed": True},
            {"shape": cylinder(radius=1, height=sp.Rational(1, 10)), "position": (0, 0, math.sin(tilt)), "mass": 1, "centre": (0, 0, 0),
             "orientation": _turned((0, 1, 0), tilt), "inertia": [[0.25, 0, 0], [0, 0.25, 0], [0, 0, 0.5]],
             "spin": (-turning * math.cos(tilt), 0, turning * math.sin(tilt))}]


@world(title="A block teeters on a drum", source="ours, after rocking stones", run={"until": 1.7}, restitution=0.0, friction=0.9,
       known="its edges roll over the drum; small swings have w^2 = g (r - h) / (k^2 + h^2)")
def teetering_block() -> Sequence[dict[str, Any]]:
    """It is 2 long and 1/2 high, on a drum of radius 1, and is let go aslant, where its edges have rolled to."""
    tilt, half = 0.4, 0.25
    up, along = (math.sin(tilt), 0.0, math.cos(tilt)), (math.cos(tilt), 0.0, -math.sin(tilt))
    place = tuple((1 + half) * a - tilt * b for a, b in zip(up, along, strict=True))
    return [{"shape": cylinder(radius=1, height=3), "position": (0, 1.5, 0), "orientation": _turned((1, 0, 0), math.pi / 2), "fixed": True},
            {"shape": box(sizes=(2, 1, sp.Rational(1, 2))), "position": place, "orientation": _turned((0, 1, 0), tilt)}]


@world(title="A vibratory feeder: parts travel along a trough that shakes", source="Ponamgi, Manocha and Lin 1995, Section 1; sizes ours",
       run={"until": 0.2}, restitution=0.0, friction=0.5,
       known="the parts slide forwards farther than back, by stick and slip, and arrive together")
def vibratory_feeder() -> Sequence[dict[str, Any]]:
    """It shakes aslant at 60 rad a second, and so gently that no part leaves it: its acceleration is at most 8.64, less than g."""
    shake = sp.sin(60 * t) / 250
    trough = {"shape": box(sizes=(4, 1, sp.Rational(1, 10))), "motion": Rigid(translation=[shake, 0, sp.Rational(3, 5) * shake])}
    side = sp.Rational(1, 10)
    return [trough, *({"shape": box(sizes=(side, side, side)), "position": (x, 0, 0.1), "velocity": (0, 0, 0.144)} for x in (-1, 0))]


@world(title="Fruit tracing: fruits fall onto a lobster of voxels",
       source="Snyder et al. 1993, Figures 15 and 16; shapes and voxels are ours",
       run={"events": 12}, restitution=0.7, known="the energy never grows, and no fruit passes into another or into the lobster")
def fruit_tracing() -> Sequence[dict[str, Any]]:
    return pile(12)
