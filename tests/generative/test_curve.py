import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import BSpline

import codegen
from generative import Curve, curve, t, u, v
from generative.mesh import approx_function


def sample(c, count=41):
    return approx_function(c.expressions, [u])(np.linspace(float(c.domain[0]), float(c.domain[1]), count))


def length(c):
    """By 16-point Gauss-Legendre on 8 pieces."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(float(c.domain[0]), float(c.domain[1]), 9)
    half = (edges[1] - edges[0]) / 2
    at = (0.5 * (edges[1:] + edges[:-1])[:, None] + half * nodes).ravel()
    speed = np.linalg.norm(approx_function(c.tangent, [u])(at), axis=-1)
    return np.sum(speed * np.tile(half * weights, 8))


@pytest.mark.parametrize("c, known", [
    (curve.line([0, 0, 0], [1, 2, 2]), 3),
    (curve.circle(2), 4 * np.pi),
    (curve.arc(3, 0, sp.pi / 2), 1.5 * np.pi),
    (curve.helix(1, 2, 3), 3 * np.sqrt(4 * np.pi**2 + 4)),
    (curve.polynomial([[0, 0, 0], [3, 0, 0], [0, 4, 0]], (0, 1)), np.sqrt(73) / 2 + 9 / 16 * np.arcsinh(8 / 3)),
], ids=["line", "circle", "arc", "helix", "parabola"])
def test_lengths(c, known):
    assert length(c) == pytest.approx(known, rel=1e-10)


def test_a_rational_bezier_quarter_circle_is_exact():
    c = curve.bezier([[1, 0, 0], [1, 1, 0], [0, 1, 0]], weights=[1, 1, 2])
    assert sp.simplify(c.expressions[0] ** 2 + c.expressions[1] ** 2) == 1
    assert c.at(0) == (1, 0, 0) and c.at(1) == (0, 1, 0)


def test_a_b_spline_is_split_exactly():
    generator = np.random.default_rng(3)
    points = generator.integers(-9, 9, (7, 3)).tolist()
    knots = [0, 0, 0, 0, 1, 2, 2, 3, 3, 3, 3]
    pieces = curve.b_spline(points, knots, 3)
    assert [p.domain for p in pieces] == [(0, 1), (1, 2), (2, 3)]
    reference = BSpline(np.array(knots, float), np.array(points, float), 3)
    for p in pieces:
        at = np.linspace(float(p.domain[0]), float(p.domain[1]), 9)
        np.testing.assert_allclose(sample(p, 9), reference(at), atol=1e-12)


def test_a_nurbs_circle_lies_on_the_circle():
    half = sp.sqrt(2) / 2
    points = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [-1, 1, 0], [-1, 0, 0]]
    for p in curve.b_spline(points, [0, 0, 0, 1, 1, 2, 2, 2], 2, weights=[1, half, 1, half, 1]):
        np.testing.assert_allclose(np.linalg.norm(sample(p), axis=1), 1, atol=1e-14)


def test_chebyshev_curves_follow_numpy():
    coefficients = np.random.default_rng(5).normal(size=(6, 3))
    c = curve.chebyshev(coefficients, (2, 5))
    at = np.linspace(2, 5, 11)
    expected = np.polynomial.chebyshev.chebval((2 * at - 7) / 3, coefficients).T
    np.testing.assert_allclose(sample(c, 11), expected, atol=1e-12)


def test_a_superellipse_satisfies_its_equation():
    points = sample(curve.superellipse(2, 0.5, 6), 200)
    np.testing.assert_allclose((points[:, 0] / 2)**6 + (points[:, 1] / 0.5)**6, 1, atol=1e-13)


def test_pieces_are_joined():
    pieces = [curve.line([0, 0, 0], [2, 0, 0]), curve.arc(2, 0, 1).onto((1, 3))]
    joined = curve.piecewise(pieces)
    at = approx_function(joined.expressions, [u])(np.array([0.0, 0.5, 1.0, 3.0]))
    np.testing.assert_allclose(at, [[0, 0, 0], [1, 0, 0], [2, 0, 0], [2 * np.cos(1), 2 * np.sin(1), 0]], atol=1e-14)
    assert joined.domain == (0, 3) and joined.expressions[2] == 0
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    sides = curve.polygon(corners)
    assert [s.domain for s in sides] == [(0, 1), (1, 2), (2, 3)] and sides[2].at(3) == (0, 0, 0)
    assert curve.polygon(corners, closed=False) == sides[:2] and curve.polygon([*corners, corners[0]], closed=False) == sides


def test_maps_of_the_parameter():
    c = curve.bezier([[0, 0, 0], [1, 2, 0], [3, 0, 1]])
    np.testing.assert_allclose(sample(c.onto((5, 7))), sample(c), atol=1e-13)
    np.testing.assert_allclose(sample(c.reversed()), sample(c)[::-1], atol=1e-13)
    assert c.onto((0, 1)) is c and c.at(v)[0].has(v)


def test_values():
    assert curve.circle() == curve.ellipse(1, 1) and len({curve.circle(), curve.circle()}) == 1
    assert repr(curve.line([0, 0, 0], [0.1, 0, 1])) == "Curve([0.1*u, 0, u], (0, 1))" and "C(u)" in curve.circle()._repr_latex_()


@pytest.mark.parametrize("make, message", [
    (lambda: Curve([u, v, 0], (0, 1)), "the symbol v means nothing in a curve"),
    (lambda: curve.line([1, 2, 3], [1, 2, 3]), "two different ends"),
    (lambda: curve.superellipse(1, 1, 3), "must be even"),
    (lambda: curve.polygon([]), "a polygon needs at least two corners, got 0"),
    (lambda: curve.polygon([[0, 0, 0]], closed=False), "a polygon needs at least two corners, got 1"),
    (lambda: curve.piecewise([]), "at least one piece"),
    (lambda: curve.piecewise([curve.circle(), curve.circle()]), "piece 1 begins at 0"),
    (lambda: curve.bezier([[0, 0, 0]]), "at least two control points"),
    (lambda: curve.bezier([[0, 0, 0], [1, 0, 0]], [1]), "one weight a control point"),
    (lambda: curve.bezier([[0, 0, 0], [1, 0, 0]], [1, 0]), "weights must be positive"),
    (lambda: curve.b_spline([[0, 0, 0], [1, 0, 0]], [0, 0, 1], 1), "need 4 knots, got 3"),
    (lambda: curve.b_spline([[0, 0, 0], [1, 0, 0]], [0, 1, 0, 1], 1), "must not decrease"),
    (lambda: curve.b_spline([[0, 0, 0], [1, 0, 0]], [0, 1, 1, 2], 1), "span no interval"),
    (lambda: curve.b_spline([[0, 0, t], [1, 0, 0]], [0, 0, t, 1], 1), "means nothing in a knot"),
])
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()


PARABOLA = curve.polynomial([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
with mpmath.workdps(40):
    # By Legendre's integral of the second kind, whose angle is counted from an end of the axis b.
    FROM_AN_END = [mpmath.ellipe(angle, mpmath.mpf(3) / 4) for angle in (mpmath.pi / 6, mpmath.pi / 2)]
    LENGTHS = [(curve.ellipse(2, 1), 4 * mpmath.ellipe(-3)), (curve.ellipse(2, 1, sp.pi / 3, sp.pi), 2 * sum(FROM_AN_END)),
               (curve.helix(1, 2, 3), 6 * mpmath.pi * mpmath.sqrt(1 + 1 / mpmath.pi**2)),
               (PARABOLA, mpmath.sqrt(5) / 2 + mpmath.asinh(2) / 4)]


@pytest.mark.parametrize("c, exact", LENGTHS, ids=["ellipse", "half ellipse", "helix", "parabola"])
def test_arc_lengths_are_enclosed(c, exact):
    lo, hi = codegen.compile([c.arc_length()], []).interval(np.empty((1, 0)), np.empty((1, 0)))
    assert lo[0, 0] <= exact <= hi[0, 0] and hi[0, 0] - lo[0, 0] < 1e-8
    half = codegen.compile([c.arc_length(u)], [u])
    middle = float(c.domain[0] + c.domain[1]) / 2
    assert half.points([[middle]])[0, 0] <= float(exact) and half.interval([[middle]], [[middle]])[1][0, 0] < exact


@pytest.mark.parametrize("c", [curve.ellipse(2, 1), curve.helix(1, 2, 3), PARABOLA], ids=["ellipse", "helix", "parabola"])
def test_a_curve_by_arc_length_has_speed_1_and_the_same_points(c):
    even = c.by_arc_length()
    length = float(even.domain[1])
    at = np.linspace(0, length, 9)[:, None]
    kernel = codegen.compile(list(even.expressions), [u])
    lo, hi, level = kernel.jacobian().decorated(at, at)
    assert (level == 3).all()
    square = [np.sum([np.where((a < 0) & (b > 0), 0, pick(a * a, b * b)) for a, b in zip(lo.T, hi.T, strict=True)], axis=0)
              for pick in (np.minimum, np.maximum)]
    assert (square[0] <= 1 + 1e-14).all() and (square[1] >= 1 - 1e-14).all() and (square[1] - square[0] < 1e-7).all()
    points = kernel.points(at)
    assert np.allclose(points[[0, -1]], [[float(e) for e in c.at(end)] for end in c.domain], atol=1e-12)
    assert np.allclose(approx_function(even.expressions, [u])(at[:, 0]), points, atol=1e-8)
    rest = codegen.compile([c.arc_length(u)], [u])
    start, end = (float(e) for e in c.domain)
    ours = np.interp(at[:, 0], rest.points(np.linspace(start, end, 4001)[:, None])[:, 0], np.linspace(start, end, 4001))
    assert np.allclose(approx_function(c.expressions, [u])(ours), points, atol=1e-6)


def test_curves_by_arc_length_over_a_given_domain():
    assert curve.line([0, 0, 0], [3, 4, 0]).by_arc_length().domain == (0, 5)
    even = PARABOLA.by_arc_length((0, 1))
    assert even.domain == (0, 1) and even.at(0) == PARABOLA.at(0) and even.at(1) == PARABOLA.at(1)
    assert even == PARABOLA.by_arc_length((0, 1)) and "DefiniteIntegral" in repr(even)
    middle = codegen.compile(list(even.expressions), [u]).points([[0.5]])[0]
    half = codegen.compile([PARABOLA.arc_length(u)], [u]).points([middle[:1]])[0, 0]
    assert half == pytest.approx(float(PARABOLA.arc_length()) / 2, rel=1e-12)
    growing = Curve([(1 + t) * u, u**2, 0], (0, 1))
    with pytest.raises(ValueError, match="changes with t; give the domain"):
        growing.by_arc_length()
    kernel = codegen.compile(list(growing.by_arc_length((0, 1)).expressions), [u, t])
    assert np.allclose(kernel.points([[1.0, 0.5]]), [[1.5, 1.0, 0.0]], atol=1e-12)
    assert (kernel.decorated([[0.2, 0.1]], [[0.3, 0.2]])[2] == 3).all()


def test_a_curve_by_arc_length_that_goes_no_further_than_it_must():
    """The length of (u, sqrt(32)/5 u^(5/4), 2/3 u^(3/2)) from 0 is u + 2/3 u^(3/2), and there is no curve before u = 0."""
    start = sp.Rational(1, 100)
    c = Curve([u, sp.sqrt(32) / 5 * u ** sp.Rational(5, 4), sp.Rational(2, 3) * u ** sp.Rational(3, 2)], (start, 1))
    at = np.linspace(0, 1, 5)[:, None]
    for share, proved in ((sp.Rational(1, 64), False), (sp.Rational(1, 200), True)):
        even = codegen.compile(list(c.by_arc_length((0, 1), beyond=share).expressions), [u])
        assert (even.decorated(at, at)[2] == 3).all() == proved
    lo, hi = even.interval(at, at)
    with mpmath.workdps(40):
        length = lambda p: p + mpmath.mpf(2) / 3 * p ** mpmath.mpf(1.5)  # noqa: E731
        first, last = length(mpmath.mpf(1) / 100), length(1)
        for share, below, above in zip(at[:, 0].tolist(), lo[:, 0].tolist(), hi[:, 0].tolist(), strict=True):
            place = mpmath.findroot(lambda p, s=share: length(p) - first - s * (last - first), below)
            assert below <= place <= above < below + 1e-5
