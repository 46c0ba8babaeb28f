"""Smooth parameters round a pole: the same surface, with a normal that does not vanish there."""

import mpmath
import numpy as np
import pytest
import sympy as sp

from generative import ParametricSurface, t, u, v
from generative.chart import is_pole, pole_chart
from models.scenes.fruits import banana
from models.shapes.quadrics import cone_side, paraboloid_cup, sphere
from models.shapes.rings import bumpy_sphere
from models.shapes.solids import cylinder

Q = sp.Rational
TURN = (0, 2 * sp.pi)


def upside_down():
    """The angle is v, the pole at the upper end of u, and the surface swells with time."""
    return ParametricSurface([(2 - u) * sp.cos(v), (1 + t) * (2 - u) * sp.sin(v), sp.exp((2 - u) ** 2)], {u: (0, 2), v: (1, 1 + 2 * sp.pi)})


def twice():
    """An angle that goes round at half speed, a distance in sines at the rate 3/2, and a root of something smooth."""
    a, b = sp.sin(Q(3, 2) * v) * sp.cos(u / 2), sp.sin(Q(3, 2) * v) * sp.sin(u / 2)
    return ParametricSurface([a, b, sp.sqrt(2 + a * b - sp.cos(3 * v))], {u: (0, 4 * sp.pi), v: (0, 1)}, flipped=True)


def kinked():
    """Kinks that meet at the pole, three lines of them, and one that runs round it."""
    rise = sp.Abs(sp.cos(3 * u) * sp.cos(v) ** 3) / 4 + sp.Max(sp.sin(v), Q(3, 4)) + sp.Abs(sp.cos(u) * sp.cos(v)) * sp.cos(v) ** 2
    return ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), rise], {u: TURN, v: (0, sp.pi / 2)})


# Surface, the symbol and the end at which the pole lies, the rate of the distance in sines.
SMOOTH = {
    "ball, south": (sphere(radius=Q(3, 2)), v, 0, 1),
    "ball, north": (sphere(radius=Q(3, 2)), v, 1, 1),
    "cup": (paraboloid_cup(radius=2, height=1), v, 0, 0),
    "bumps, south": (bumpy_sphere(), v, 0, 1),
    "bumps, north": (bumpy_sphere(radius=Q(4, 5), around=3), v, 1, 1),
    "banana": (banana(), v, 1, 1),
    "disc": (cylinder().faces[2], v, 0, 0),
    "upside down": (upside_down(), u, 1, 0),
    "twice": (twice(), v, 0, Q(3, 2)),
    "kinks": (kinked(), v, 1, 1),
    "fold": (ParametricSurface([v * sp.cos(u), v * sp.sin(u), sp.Abs(v * sp.sin(2 * u) * v - v**2 / 3)], {u: TURN, v: (0, 1)}), v, 0, 0),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_the_chart_is_the_surface(name):
    """At points of 30 digits: w and r from p and q through the definition of rho, which the algebra does not use so."""
    surface, symbol, end, rate = SMOOTH[name]
    chart, limit = pole_chart(surface, symbol, end)
    other = v if symbol is u else u
    (lo, hi), pole = surface.domain[other], surface.domain[symbol][end]
    half = chart.domain[u][1]
    assert chart.domain == {u: (-half, half), v: (-half, half)}
    rng = np.random.default_rng(3)
    with mpmath.workdps(30):
        both = [sp.lambdify((u, v, t), [*s.expressions, *s.normal], "mpmath") for s in (surface, chart)]
        for p, q in rng.uniform(-float(half), float(half), (5, 2)):
            rho, w = mpmath.hypot(p, q), mpmath.atan2(q, p)
            r = 2 * mpmath.atan(rho) / mpmath.mpf(sp.N(rate, 30)) if rate else rho
            along = mpmath.mpf(sp.N(pole, 30)) + (r if end == 0 else -r)
            angle = mpmath.mpf(sp.N(lo, 30)) + w * mpmath.mpf(sp.N(hi - lo, 30)) / (2 * mpmath.pi)
            at = (along, angle) if symbol is u else (angle, along)
            first, second = both[0](*at, mpmath.mpf("0.4")), both[1](mpmath.mpf(p), mpmath.mpf(q), mpmath.mpf("0.4"))
            assert max(abs(a - b) for a, b in zip(first[:3], second[:3], strict=True)) < 1e-25
            n, m = mpmath.matrix(first[3:]), mpmath.matrix(second[3:])
            assert mpmath.norm(n / mpmath.norm(n) - m / mpmath.norm(m)) < 1e-20
        assert mpmath.norm(mpmath.matrix(both[1](mpmath.mpf(0), mpmath.mpf(0), mpmath.mpf("0.4"))[3:])) > 1e-3
    reach = abs(float(limit - pole))
    covered = np.tan(float(rate) * reach / 2) if rate else reach
    assert reach > 0 and covered < float(half) and abs(float(limit - surface.domain[symbol][1 - end])) > 0.5 * reach


@pytest.mark.parametrize("surface", [
    cone_side(radius=2, height=2),
    ParametricSurface([v * sp.cos(u), v * sp.sin(u), v * sp.cos(2 * u)], {u: TURN, v: (0, 1)}),
    ParametricSurface([v * sp.cos(u), v * sp.sin(u), sp.sin(v) * v], {u: TURN, v: (0, 1)}),
    ParametricSurface([v * sp.cos(u), v * sp.sin(u), sp.Max(0, v - Q(1, 2))], {u: TURN, v: (0, 1)}),
    ParametricSurface([sp.sin(v) * sp.cos(u), sp.sin(sp.sqrt(2) * v) * sp.sin(u), 0], {u: TURN, v: (0, 1)}),
    ParametricSurface([sp.sin(v) * sp.cos(u), sp.sin(v * (1 + t)) * sp.sin(u), 0], {u: TURN, v: (0, 1)}),
    ParametricSurface([v**2 * sp.cos(u), v**2 * sp.sin(u), v], {u: TURN, v: (0, 1)}),
])
def test_where_no_smooth_formula_is_found_there_is_none(surface):
    """The apex of a cone, a saddle of odd order, and formulas that mix what the algebra knows apart."""
    pole = 1 if surface == cone_side(radius=2, height=2) else 0
    assert pole_chart(surface, v, pole) is None


def scaled(surface, factor):
    """The same surface by parameters `factor` times as large."""
    smaller = {s: s / sp.sympify(factor) for s in (u, v)}
    ends = {s: (factor * lo, factor * hi) for s, (lo, hi) in surface.domain.items()}
    return ParametricSurface([e.xreplace(smaller) for e in surface.body], ends, flipped=surface.flipped)


@pytest.mark.parametrize("factor", [2**60, Q(1, 2**60), 10**7, Q(1, 10**7), Q(1, 10**12), 10**200, Q(1, 10**200)], ids=str)
@pytest.mark.parametrize("name", SMOOTH)
def test_a_chart_stays_on_the_surface_whatever_the_range_of_parameters(name, factor):
    """The corner of its square, farthest from the pole, lies before the other side, in exact numbers; and it covers what it should."""
    surface, symbol, end, rate = SMOOTH[name]
    surface = scaled(surface, factor)
    chart, limit = pole_chart(surface, symbol, end)
    pole, other, half = surface.domain[symbol][end], surface.domain[symbol][1 - end], chart.domain[u][1]
    rate, corner, way = rate / factor, sp.sqrt(2) * half, abs(other - pole)
    with mpmath.workdps(40):
        assert (2 * sp.atan(corner) / rate if rate else corner) < way / 4
        covered = sp.tan(abs(limit - pole) * rate / 2) if rate else abs(limit - pole)
        assert 0 < sp.N(covered, 40) < half and int(half.p // (half.p & -half.p)).bit_length() <= 21


def test_the_range_of_parameters_of_a_chart_is_one_of_doubles():
    """Where a distance from the pole is no normal double there is no chart."""
    disc = cylinder().faces[2]
    assert pole_chart(scaled(disc, Q(1, 10**306)), v, 0) is not None
    assert pole_chart(scaled(disc, Q(1, 10**307)), v, 0) is None and pole_chart(scaled(disc, 10**400), v, 0) is None


def test_a_pole_is_seen_where_large_numbers_cancel():
    """The first coordinate is v cos(u), written so that doubles see it vary by about 1 along v = 0."""
    far = 10**8
    nothing = (u + far) ** 2 - u**2 - 2 * far * u - far**2
    disc = ParametricSurface([v * sp.cos(u) + nothing, v * sp.sin(u), 0], {u: TURN, v: (0, 1)})
    assert is_pole(disc, v, 0) and not is_pole(disc, v, 1)
