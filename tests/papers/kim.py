"""Rows of Kim and Rossignac 2003."""

import functools

import numpy as np
import sympy as sp

import collide
from generative import Rigid, Screw, axis_angle, fit, t

from ..benchmarks.polyhedra import screws
from . import close, row

here = functools.partial(row, "kim")
CORNERS = [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]]
BODY = CORNERS, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
PLATE = [[-4, -4, -1], [4, -4, -1], [0, 4, -1]], [[0, 1, 2]]
SWING = Rigid(rotation=axis_angle([0, 1, 0], t**2))
MOVING, STILL = ([[1, -1, 0], [1, 1, 0], [3, 0, 0]], [[0, 1, 2]]), 1.1 * np.array([np.cos(1.5), np.sin(1.5)])


@here(1, "Eqs. 1, 2: the screw between two poses")
def two_poses() -> str:
    from generative.screw import screw_of

    axis, _, angle, advance = screw_of(Rigid(rotation=axis_angle([1, 1, 0], sp.Rational(9, 10)), translation=[1, 2, 3]))
    close(float(angle), 0.9)
    close(float(advance), 3 / 2**0.5)
    return f"axis {[round(float(a), 6) for a in axis]}, advance {float(advance):.9g}"


@here(2, "2: a motion as screws with a bound of the error")
def fitted() -> str:
    found = [fit.screws(SWING, (0, 1), CORNERS, tolerance=e) for e in (1e-1, 1e-2, 1e-3)]
    return ", ".join(f"{len(f.segments)} screws: {f.error:.2g}" for f in found)


@here(3, "the screws in collision prediction")
def used() -> str:
    true, said = float(sp.sqrt(sp.pi / 6)), []
    for tolerance in (1e-2, 1e-3, 1e-4):
        swing = fit.screws(SWING, (0, 1), CORNERS, tolerance=tolerance)
        found = collide.screw_contact(BODY, PLATE, swing)
        assert found.exists and found.time.lo <= true <= found.time.hi
        said.append(f"{len(swing.segments)} screws: bracket {found.time.width:.1e}, {1e3 * found.seconds:.0f} ms")
    return "; ".join(said)


@here(4, "3: rejections of objects; 5, 6: of pairs", "50 %, 50.5 %, 66 %, 32.8 ms")
def rejections() -> str:
    return "; ".join(" ".join(map(str, screws(radius, 40)[0])) for radius in (1.0, 1.75))


@here(7, "4: vertex and triangle; the annulus that loses hits")
def annulus() -> str:
    still = [[*STILL, -1], [*STILL, 1], [*(STILL / 2.2), 0]], [[0, 1, 2]]
    c = collide.mesh_mesh(MOVING, still, 1e-9, motions=(Screw(axis=[0, 0, 1], angle=t), Rigid()), time=(0, 2))
    close(c.time.midpoint, 1.5 - np.arctan(0.21**0.5), 1e-8)
    return f"hit at {c.time.midpoint:.10f}"


@here(10, "Fig. 11: with and without rejections")
def on_and_off() -> str:
    from ..collide.polyhedra.solids import ball

    first, second, g = ball(1, 200), ball(2, 300), np.random.default_rng(1)
    asked = [(Screw(axis=g.normal(size=3).tolist(), angle=float(g.uniform(-3, 3)) * t, advance=float(g.normal()) * t),
              Rigid(translation=[*g.uniform(1.5, 2.5, 2).tolist(), 0])) for _ in range(20)]
    said = list[str]()
    for rejection in (True, False):
        found = [[collide.mesh_mesh(first, second, motions=m, rejection=rejection) for _ in range(3)] for m in asked]
        times = [1e3 * min(f.seconds for f in own) for own in found]
        said.append(f"{np.median(times):.2g} ms, {sum(own[0].queries for own in found)} queries")
    return f"20 screws, with: {said[0]}; without: {said[1]}"
