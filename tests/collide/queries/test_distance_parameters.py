"""Distances for any values of parameters in their ranges: closed forms, dense sampling, and bodies that change their shapes in time."""

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from codegen.interval import Interval
from collide import DistanceStatus
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, primitives, t, u, v, x, y, z

R = sp.Rational
PLATE = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
a, b, c, r = (Parameter(name) for name in "abcr")


def torus(tube: Any) -> ParametricSurface:
    return ParametricSurface([(1 + tube * sp.cos(v)) * sp.cos(u), (1 + tube * sp.cos(v)) * sp.sin(u), tube * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def ball(radius: Any) -> ParametricSurface:
    return ParametricSurface([radius * sp.cos(u) * sp.cos(v), radius * sp.sin(u) * sp.cos(v), radius * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def sphere(radius: Any) -> ImplicitSurface:
    return ImplicitSurface(x**2 + y**2 + z**2 - radius**2, bounds=[(-3, 3)] * 3)


def shift(*by: Any) -> Rigid:
    return Rigid(translation=list(by))


def ellipsoid() -> ImplicitSurface:
    return ImplicitSurface(x**2 / a**2 + y**2 / b**2 + z**2 - 1, bounds=[(-3, 3)] * 3)


def holds(bracket: Interval, value: Any) -> bool:
    with mpmath.workdps(40):
        exact = mpmath.mpmathify(sp.N(value, 40))
        return bool(mpmath.mpf(bracket.lo) <= exact <= mpmath.mpf(bracket.hi))


# -- shapes that change with the time -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("radius", "height"), [(1, 5 - t * (1 - t)), (1 + t * (1 - t), 5), (1 + t / 2 + t * (1 - t), 5 + t / 2),
                                                (1 + t / 3 + t * (1 - t), 5 + t / 5)])
def test_an_implicit_ball_that_grows_and_moves(radius: Any, height: Any) -> None:
    """Its distance to a plate is least within the span, where the plate's side grows as fast as it moves away."""
    k = collide.clearance([PLATE, sphere(sp.sympify(radius)).moved(shift(0, 0, height))], (0, 1))
    gap = height - radius
    assert k.status is DistanceStatus.MEASURED and holds(k.bracket, gap.subs(t, sp.solve(sp.diff(gap, t), t)[0])), k.summary()


def test_the_edge_of_a_body_whose_halves_move_against_each_other() -> None:
    """The halves of a lens, of spheres with radius 5/4, come together and go apart: its rim has the height s = 1 + t (1 - t) - t/5."""
    half = 1 + t * (1 - t)
    lens = primitives.ball(R(5, 4)).moved(shift(half / 2, 0, 0)) & primitives.ball(R(5, 4)).moved(shift(-half / 2, 0, 0))
    k = collide.clearance([PLATE, lens.moved(shift(0, 0, 3 - t / 5))], (R(1, 5), 1))
    height = 3 - t / 5 - sp.sqrt(R(25, 16) - half**2 / 4)
    least = sp.lambdify(t, height, "numpy")(np.linspace(0.2, 1, 4001)).min()
    assert k.bracket.lo <= least <= k.bracket.hi + 1e-6, k.summary()


# -- ranges ---------------------------------------------------------------------------------------------------------------


def test_worst_at_corners() -> None:
    """An ellipsoid above a tilted plate, by its support function."""
    plate = ParametricSurface([u, v, -u / 2 - v / 3], {u: (-3, 3), v: (-3, 3)}).moved(shift(0, 0, -4))
    value = (4 - sp.sqrt(R(1, 4) + R(4, 9) + 1)) / sp.sqrt(1 + R(1, 4) + R(1, 9))
    for given in ({a: 1, b: 2}, {a: 1, b: (1, 2)}, {a: (R(1, 2), 1), b: (1, 2)}):
        d = collide.distance(ellipsoid(), plate, parameters=given)
        assert d.status is DistanceStatus.MEASURED and holds(d.bracket, value), d.summary()
        assert len(d) == 1 and d.unique.all() and d.parameters[0][a].hi == 1.0 and d.parameters[0][b].lo > 2 - 1e-9
    assert "All this is for any a from 1/2 to 1, b from 1 to 2." in d.summary()


def test_worst_within_a_range() -> None:
    """Balls on a parabola: their distance to the plate is least in its middle."""
    d = collide.distance(PLATE, ball(R(1, 2)).moved(shift(c, 0, 2 + (c - R(1, 3))**2)), parameters={c: (0, 1)})
    assert holds(d.bracket, R(3, 2)) and d.unique.tolist() == [True]
    assert d.parameters[0][c].lo <= 1 / 3 <= d.parameters[0][c].hi and d.parameters[0][c].hi - d.parameters[0][c].lo < 1e-9


def test_three_ranges_of_a_motion() -> None:
    """A ball of radius r flies down on a torus with speed s from height h: nearest for the largest, the fastest, the lowest."""
    h, s = Parameter("h"), Parameter("s")
    bodies = [torus(R(3, 10)), ball(r).moved(shift(R(1, 5), R(1, 7), h - s * t))]
    given = {h: (3, R(31, 10)), r: (R(2, 5), R(1, 2)), s: (R(9, 10), 1)}
    value = sp.sqrt((1 - sp.sqrt(R(1, 25) + R(1, 49)))**2 + 4) - R(4, 5)
    k = collide.clearance(bodies, (0, 1), parameters=given)
    assert k.status is DistanceStatus.MEASURED and holds(k.bracket, value) and k.unique.tolist() == [True]
    assert [k.parameters[0][p].lo for p in (h, r, s)] == pytest.approx([3, 0.5, 1])
    assert collide.clearance(bodies, (0, 1), 1.0, parameters=given).verdict is True
    assert collide.clearance(bodies, (0, 1), 1.4, parameters=given).verdict is False


def test_numbers_are_points() -> None:
    pair = torus(R(3, 10)), ball(r).moved(shift(0, 0, 3))
    d = collide.distance(*pair, parameters={r: R(1, 2)})
    assert d.bracket == collide.distance(pair[0], ball(R(1, 2)).moved(shift(0, 0, 3))).bracket
    assert d.parameters[0][r] == (0.5, 0.5)


@pytest.mark.parametrize("ends", [(R(1, 2), 2), (R(9, 5), R(19, 10)), (R(1, 2), R(6, 5))])
def test_bodies_that_meet_for_some_values(ends: tuple[Any, Any]) -> None:
    """A ball of radius r above a torus meets it for radii from 1.27 to 1.98 on."""
    d = collide.distance(torus(R(3, 10)), ball(r).moved(shift(R(1, 5), R(1, 7), R(3, 2))), parameters={r: ends})
    meets = bool(ends[1] > R(3, 2))
    assert (d.status is DistanceStatus.MEETING) is meets, d.summary()
    if meets:
        assert d.bracket == (0.0, 0.0) and ends[0] <= d.parameters[0][r].lo <= ends[1]


@pytest.mark.parametrize("seed", range(4))
def test_no_sample_is_nearer(seed: int) -> None:
    """Random ellipsoids, parametric and implicit, of random ranges of sizes, poses and speeds, against dense samples of all."""
    g = np.random.default_rng(seed)
    size, away = Parameter("size"), Parameter("away")
    lo, hi = sorted(R(int(n), 10) for n in g.choice(np.arange(5, 12), 2, replace=False))
    given = {size: (lo, hi), away: (R(int(g.integers(-9, 0)), 10), R(int(g.integers(1, 9)), 10))}
    first = ParametricSurface([size * sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), R(3, 4) * sp.sin(v) / size],
                              {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    at = [away, R(int(g.integers(-5, 5)), 10) + t / 3, 3 + away**2 / 2 - t * size / 2]
    second = sphere(R(1, 2) + size / 4 + t * (1 - t) / 5) if seed % 2 else ball(R(1, 2) + size / 4 + t * (1 - t) / 5)
    k = collide.clearance([first, second.moved(shift(*at))], (0, 1), parameters=given)
    assert k.status is DistanceStatus.MEASURED, k.summary()
    values = [g.uniform(float(p), float(q), 40_000) for p, q in given.values()]
    moment = g.uniform(0, 1, 40_000)
    for m, ends in enumerate(given.values()):
        values[m][:10_000] = np.array([float(e) for e in ends])[g.integers(0, 2, 10_000)]
    centre = sp.lambdify([size, away, t], at, "numpy")(*values, moment)
    around = np.stack(np.broadcast_arrays(*centre), axis=1)
    reach = 0.5 + values[0] / 4 + moment * (1 - moment) / 5
    p, q = g.uniform(0, 2 * np.pi, 40_000), np.arcsin(g.uniform(-1, 1, 40_000))
    points = np.stack([values[0] * np.cos(p) * np.cos(q), np.sin(p) * np.cos(q), 0.75 * np.sin(q) / values[0]], axis=1)
    sampled = np.linalg.norm(points - around, axis=1) - reach
    assert k.bracket.lo <= sampled.min() and sampled.min() - k.bracket.hi < 0.2


def test_bad_input() -> None:
    pair = PLATE, ball(r).moved(shift(0, 0, 3))
    with pytest.raises(ValueError, match="the bodies contain the parameter r, for which no numbers are given"):
        collide.distance(*pair, parameters={})
    with pytest.raises(ValueError, match="no formula of the bodies has the parameter a"):
        collide.distance(*pair, parameters={r: 1, a: 1})
    with pytest.raises(ValueError, match="must go from less to more"):
        collide.clearance([*pair], (0, 1), parameters={r: (2, 1)})
    with pytest.raises(ValueError, match=r"with r = 0, in the ranges"):
        collide.distance(*pair, parameters={r: (-1, 1)})
