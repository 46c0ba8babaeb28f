"""Rows of Snyder, Woodbury, Fleischer, Currin, Barr 1993."""

import functools

import numpy as np
import sympy as sp

import codegen
import collide
from codegen.functions import Chebyshev
from collide import RigidBody, Status, World
from generative import ImplicitSurface, ParametricSurface, Rigid, fit, primitives, t, u, v, x, y, z

from . import close, row, scene, told

Q = sp.Rational
here = functools.partial(row, "snyder")
FLOOR = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
BOUNDS = [(-3, 3)] * 3


@here(1, "Fig. 1: torus over a cone")
def torus_on_cone() -> str:
    return told(scene("torus-on-cone"))


@here(3, "Fig. 2: deforming bodies in a simulation")
def deforming() -> str:
    sheet = RigidBody(ParametricSurface([u, v, t**2], {u: (-2, 2), v: (-2, 2)}), fixed=True)
    run = World([sheet, RigidBody(primitives.ball(Q(1, 2)), position=(0, 0, 1.5), mass=2.0)], gravity=(0, 0, 0)).run(until=2.5)
    close(run.state(2.0).velocities[1, 2], 4.0, 1e-9)
    return f"thrown at {run.state(2.0).velocities[1, 2]:.12g} from t in [{run.events[0].time[0]!r}, {run.events[0].time[1]!r}]"


@here(5, "a solver's contacts tracked without formulas")
def tracked() -> str:
    ball = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(v), sp.sin(u) * sp.cos(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)},
                             flipped=True).moved(Rigid(translation=[t, 0, 1]))
    room = ImplicitSurface(z, bounds=[(-6, 6)] * 3) | ImplicitSurface(4 - x, bounds=[(-6, 6)] * 3)
    c = collide.first_contact([ball, room], (0, 4), tracked=[collide.tracked_at([ball, room], (0, 1), [0, 0, 0], 0, 0.1)])
    close(c.time.hi, 3.0)
    return told(c)


@here(8, "footnote 2: other domains by mapping")
def mapped() -> str:
    triangle = ParametricSurface([u, v * (1 - u), 0], {u: (0, 1), v: (0, 1)})
    ball = primitives.ball(Q(3, 10)).moved(Rigid(translation=[Q(7, 10), Q(7, 10), 1 - t]))
    c = collide.first_contact([ball, triangle], (0, 2))
    close(c.time.hi, 1 - float(sp.sqrt(Q(9, 100) - Q(8, 100))))
    return told(c)


@here(9, "footnote 4: poles")
def poles() -> str:
    return told(scene("ball-in-cup"))


@here(10, "manifolds with a boundary, saddles")
def saddle() -> str:
    ground = ParametricSurface([u, v, (u**2 - v**2) / 4], {u: (-2, 2), v: (-2, 2)})
    c = collide.first_contact([primitives.ball(Q(1, 4)).moved(Rigid(translation=[0, 0, 1 - t])), ground], (0, 2))
    close(c.time.hi, 0.75)
    return told(c)


@here(11, "2.2: implicit pairs")
def implicit() -> str:
    return told(scene("implicit-tori-crossed"))


@here(13, "2.2: boolean operations")
def bore() -> str:
    plate = ImplicitSurface(z, bounds=BOUNDS) - ImplicitSurface(x**2 + y**2 - Q(1, 4), bounds=BOUNDS)
    c = collide.first_contact([primitives.ball(Q(3, 5)).moved(Rigid(translation=[0, 0, Q(3, 2) - t])), plate], (0, 2))
    close(c.time.hi, 1.5 - 0.11**0.5)
    return told(c)


@here(14, "2.3, Fig. 5: two points at once")
def two_points() -> str:
    return told(scene("tori-crossed"))


@here(15, "2.3: a curve of contact")
def curve() -> str:
    return told(scene("tori-coaxial"))


@here(16, "3.2: simultaneity")
def simultaneity() -> str:
    balls = [primitives.ball(Q(1, 4)).moved(Rigid(translation=[k - 1, 0, Q(1, 4) + 1 + late - t])) for k, late in
             enumerate((0, Q(1, 10_000), Q(1, 10)))]
    counts = [len(collide.first_contact([*balls, FLOOR], (0, 2), simultaneity=s)) for s in (1e-6, 1e-3, 0.2)]
    assert counts == [1, 2, 3]
    return f"{counts} contacts with 1e-6, 1e-3, 0.2"


@here(17, "3.2: distance of samples")
def spacing() -> str:
    counts = [len(scene("tori-coaxial", spacing=s)) for s in (1, 0.3, 0.1)]
    return f"{counts} points at 1, 0.3, 0.1"


@here(18, "footnote 10: points nearer than that")
def bumps() -> str:
    # Two crests, at x = -1/100 and 1/100.
    wave = ParametricSurface([u, v, t - 1 - 1000 * (u**2 - Q(1, 10_000))**2 - v**2], {u: (-Q(1, 20), Q(1, 20)), v: (-1, 1)})
    c = collide.first_contact([wave, FLOOR], (0, 2), spacing=0.5)
    close(c.time.hi, 1.0)
    assert len(c) == 2
    return told(c)


@here(19, "3.2, 10: order by the lower and the upper end", "factors of 1 to 10")
def orders() -> str:
    names = "tori-crossed", "bumpy-pair", "torus-on-torus"
    found = [[scene(name, order=order).iterations for order in ("lower", "upper")] for name in names]
    return "boxes lower / upper: " + ", ".join(f"{a} / {b}" for a, b in found)


@here(22, "3.2: many problems at once")
def chain() -> str:
    return told(scene("chain-of-tori"))


@here(27, "5: tangent without interpenetration")
def turning_back() -> str:
    ball = primitives.ball(1).moved(Rigid(translation=[0, 0, 1 + (t - 1)**2]))
    c = collide.first_contact([ball, primitives.half_space([0, 0, 1], 0, size=4)], (0, 3))
    assert c.status is Status.CONTACT
    close(c.time.hi, 1.0)
    return told(c)


@here(28, "5: contact on congruent curved surfaces")
def congruent() -> str:
    sheet = ParametricSurface([u, v, u**2 / 2 + u * v / 3], {u: (-1, 1), v: (-1, 1)})
    c = collide.first_contact([sheet.moved(Rigid(translation=[0, 0, 1 - t])), sheet], (0, 2))
    close(c.time.hi, 1.0, 1e-12)
    return f"{told(c)}; {' '.join(c.notes)[:80]}"


@here(30, "8: inclusion functions by operators, Chebyshev")
def series() -> str:
    g = np.random.default_rng(0)
    k = codegen.compile([Chebyshev(x, -1, 1, *g.normal(size=12).tolist())], [x])
    lo = g.uniform(-1, 0.9, (200, 1))
    hi = lo + g.uniform(0, 0.1, (200, 1))
    low, high = k.interval(lo, hi)
    inside = k.points((lo + (hi - lo) * np.linspace(0, 1, 101)).reshape(-1, 1)).reshape(200, -1)
    assert (inside >= low).all() and (inside <= high).all()
    return f"200 boxes, none violated, width {np.median((high - low)[:, 0] / np.ptp(inside, axis=1)):.2g} times the range"


@here(31, "Fig. 10: LEQN on the bumpy pair", "LEQN 6331, KM 10087 iterations")
def figure_10() -> str:
    return ", ".join(f"{m} {scene('bumpy-pair', method=m, budget=60).iterations}" for m in ("auto", "newton"))


@here(32, "Fig. 14: flat patches", "59 points, 28704 iterations")
def figure_14() -> str:
    return told(scene("dish-on-checkerboard"))


@here(33, "Appendix A: two cylinders", "25 problems")
def cylinders() -> str:
    return "; ".join(f"{name}: {told(scene(name))}" for name in ("cylinder-on-cylinder", "box-on-corner", "wheel-on-step"))


@here(34, "Fig. 12: bumpy pair")
def figure_12() -> str:
    return told(scene("bumpy-pair"))


@here(35, "Fig. 13: a tube that varies in time")
def figure_13() -> str:
    return told(scene("tube-on-cushion"))


@here(38, "footnote 1: a solver's motion as Chebyshev series")
def solved_motion() -> str:
    times = np.linspace(0, 1, 60)
    found = fit.chebyshev_motion(times, np.column_stack([np.cos(times / 2), 0 * times, 0 * times, np.sin(times / 2)]),
                                 np.column_stack([0 * times, 0 * times, 3 - 5 * times**2]), degree=11)
    return f"fit error {found.error:.2g}"
