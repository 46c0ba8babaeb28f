"""Rational triangular patches, and NURBS split into patches: closed forms, exact rationals, bad input."""

import math
from fractions import Fraction

import numpy as np
import pytest

import collide
from generative import t, u, v

# -- triangles ----------------------------------------------------------------------------------------------------


def indices(degree):
    return [(i, j, degree - i - j) for i in range(degree + 1) for j in range(degree + 1 - i)]


def triangle_point(net, weights, u, v):
    """In the arithmetic of its arguments."""
    degree = {3: 1, 6: 2, 10: 3}[len(net)]
    basis = [math.factorial(degree) // math.factorial(i) // math.factorial(j) // math.factorial(k) * u**i * v**j * (1 - u - v)**k
             for i, j, k in indices(degree)]
    total = sum(b * w for b, w in zip(basis, weights, strict=True))
    return [sum(b * w * p[c] for b, w, p in zip(basis, weights, net, strict=True)) / total for c in range(3)]


def part_of_a_ball():
    """(2u, 2v, 1 - u^2 - v^2) / (1 + u^2 + v^2) for u, v >= 0, u + v <= 1: of the unit ball, by stereographic projection."""
    X, Y, Z, W = np.array([[0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 0], [1, 1, 0, 1, 1, 0], [1, 1, 2, 1, 1, 2]], float)
    return np.stack([X, Y, Z], axis=-1) / W[:, None], W


def flat_triangle(corners):
    """A plane triangle as a quadratic patch, order as `indices`: corners of w, v, u."""
    w, v, u = np.asarray(corners, float)
    return np.array([w, (w + v) / 2, v, (w + u) / 2, (u + v) / 2, u])


def at_rest(net):
    return np.stack([net, np.zeros_like(net)])


def test_part_of_a_ball_and_a_plane():
    """The plane comes along its normal d, at the distance 2 - 2 t: contact at t = 1/2 in d."""
    ball, heavy = part_of_a_ball()
    d = np.array([1.0, 2.0, 2.0]) / 3
    sides = np.linalg.svd(d[None])[2][1:]
    corners = [2 * d + 3 * (math.cos(a) * sides[0] + math.sin(a) * sides[1]) for a in (0.1, 2.2, 4.3)]
    plane = flat_triangle(corners)
    other = np.random.default_rng(0).uniform(0.5, 2, 6)  # weights move points within the plane only
    q = np.stack([at_rest(ball), np.stack([plane, np.broadcast_to(-2 * d, plane.shape)])])[None]
    r = collide.bezier_triangle_pairs(q, weights=np.stack([heavy, other])[None], tolerance=1e-9)
    assert r.proved[0] and r.time[0, 0] <= 0.5 + 1e-15 and 0.5 - 1e-15 <= r.time[0, 1] <= r.time[0, 0] + 1e-9
    np.testing.assert_allclose(r.parameters[0, :2], [0.2, 0.4], atol=1e-4)  # d = (1, 2, 2)/3: u = x / (1 + z)
    np.testing.assert_allclose(triangle_point(plane, other, *r.parameters[0, 2:]), 2 * d, atol=1e-4)
    unweighted = collide.bezier_triangle_pairs(q)
    assert abs(unweighted.time[0, 0] - 0.5) > 0.01  # another surface


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_rational_triangles(degree):
    """Equal weights change nothing; with others the proved contacts are contacts of the rational patches."""
    g = np.random.default_rng(31)
    K = (degree + 1) * (degree + 2) // 2
    q, w = g.uniform(-1, 1, (80, 2, 2, K, 3)), g.uniform(0.3, 3, (80, 2, K))
    q[:, 0, 0] += 0.7
    q[:, 0, 1] -= 0.9
    plain, equal = collide.bezier_triangle_pairs(q), collide.bezier_triangle_pairs(q, weights=np.full_like(w, 3))
    np.testing.assert_array_equal(plain.hit, equal.hit)
    np.testing.assert_allclose(plain.time[plain.hit], equal.time[plain.hit], atol=2e-6)
    r = collide.bezier_triangle_pairs(q, weights=w)
    assert r.hit.sum() > 25 and r.proved[r.hit].mean() > 0.95
    for k in np.flatnonzero(r.proved):
        a, b = (triangle_point(q[k, p, 0] + r.time[k, 1] * q[k, p, 1], w[k, p], *r.parameters[k, 2 * p:2 * p + 2]) for p in range(2))
        assert np.abs(np.subtract(a, b)).max() < 1e-8


@pytest.mark.parametrize("degree", [2, 3])
def test_raised_triangles_are_within_the_error_that_is_claimed(degree):
    """The squares given to the search against the triangles, exactly. (Fails with weights in another order.)"""
    g = np.random.default_rng(7)
    K = (degree + 1) * (degree + 2) // 2
    q, w = g.uniform(-1, 1, (3, 2, 2, K, 3)), g.uniform(0.3, 3, (3, 2, K))
    squares, heavy, error = collide.bezier.pairs._squared(q, degree, w)
    exact = np.vectorize(Fraction, otypes=[object])
    for k in range(3):
        s, r = Fraction(int(g.integers(0, 9)), 8), Fraction(int(g.integers(0, 9)), 8)
        binomial = [[math.comb(degree, i) * x**i * (1 - x)**(degree - i) for i in range(degree + 1)] for x in (s, r)]
        W, P = exact(heavy[k, 0]), exact(squares[k, 0, 0])
        basis = [[binomial[0][i] * binomial[1][j] * W[i, j] for j in range(degree + 1)] for i in range(degree + 1)]
        total = sum(map(sum, basis))
        ours = [sum(basis[i][j] * P[i, j, c] for i in range(degree + 1) for j in range(degree + 1)) / total for c in range(3)]
        truth = triangle_point(exact(q[k, 0, 0]), exact(w[k, 0]), s, (1 - s) * r)
        assert max(abs(a - b) for a, b in zip(ours, truth, strict=True)) <= Fraction(error) / 2


def test_bad_weights_of_triangles():
    q = np.zeros((2, 2, 2, 6, 3))
    with pytest.raises(ValueError, match="to match q"):
        collide.bezier_triangle_pairs(q, weights=np.ones((2, 2, 5)))
    with pytest.raises(ValueError, match="hull of its control points"):
        collide.bezier_triangle_pairs(q, weights=np.zeros((2, 2, 6)))
    with pytest.raises(ValueError, match="positive and finite"):
        collide.bezier_triangle_pairs(q, weights=np.full((2, 2, 6), np.nan))
    with pytest.raises(ValueError, match="tolerance"):
        collide.bezier_triangle_pairs(q, tolerance=2.0, weights=np.ones((2, 2, 6)))
    assert len(collide.bezier_triangle_pairs(np.zeros((0, 2, 2, 6, 3)), weights=np.ones((0, 2, 6)))) == 0
    with pytest.raises(ValueError, match="error must be a number from 0"):
        collide.bezier_pairs(np.zeros((1, 2, 2, 2, 2, 3)), error=-1.0)


METHODS = [("time-dependent", 1e-3), ("time-dependent-initial", 1e-3), ("time-dependent-aligned", 1e-3), ("traditional", 1e-2),
           ("traditional-aligned", 1e-2)]


@pytest.mark.parametrize(("method", "tolerance"), METHODS)
@pytest.mark.parametrize("net", [(3, 3), (6,), (10,)])
def test_the_method_of_chen_for_rational_patches(method, tolerance, net):
    """Squares and triangles: the same hits, and the accepted box just before the contact. (Fails where weights are not divided by.)"""
    pairs = collide.bezier_pairs if net == (3, 3) else collide.bezier_triangle_pairs
    g = np.random.default_rng(8)
    q, w = g.uniform(-1, 1, (30, 2, 2, *net, 3)), g.uniform(0.3, 3, (30, 2, *net))
    q[:, 0, 0] += [1.5, 0.8, 0.6]
    q[:, 0, 1] -= [1.0, -0.2, 1.0]
    ours, theirs = pairs(q, weights=w), pairs(q, tolerance=tolerance, weights=w, method=method)
    assert 10 < ours.hit.sum() < 30 and not theirs.proved.any()
    assert theirs.hit[ours.hit].all() and (theirs.hit == ours.hit).mean() > 0.9
    early = ours.time[ours.hit, 1] - theirs.time[ours.hit, 0]
    # The accepted box comes no later than the contact.
    assert (theirs.time[ours.hit, 0] <= ours.time[ours.hit, 1]).all() and np.median(early) < (2e-2 if tolerance < 1e-2 else 0.2)


# -- NURBS --------------------------------------------------------------------------------------------------------


def de_boor(net, knots, degree, x):
    """The spline of a list of tuples at x within the domain, by the recursion of its basis, exactly."""
    def basis(i, p):
        if p == 0:
            last = x == knots[-degree - 1] and knots[i + 1] == x > knots[i]
            return Fraction(knots[i] <= x < knots[i + 1] or last)
        a, b = knots[i + p] - knots[i], knots[i + p + 1] - knots[i + 1]
        left = (x - knots[i]) / a * basis(i, p - 1) if a else 0
        return left + ((knots[i + p + 1] - x) / b * basis(i + 1, p - 1) if b else 0)

    shares = [basis(i, degree) for i in range(len(net))]
    return tuple(sum(b * c for b, c in zip(shares, column, strict=True)) for column in zip(*net, strict=True))


def exactly(a):
    return np.vectorize(Fraction, otypes=[object])(a)


@pytest.mark.parametrize(("degrees", "raise_to"), [((2, 3), None), ((3, 1), (3, 3))])
@pytest.mark.parametrize("rational", [False, True])
def test_pieces_of_nurbs(degrees, raise_to, rational):
    """At random places of every piece, within the error claimed. (Fails with the velocities in place of the points.)"""
    g = np.random.default_rng(17)
    K, L = 6, 5
    knots = [np.sort(np.concatenate([[0.0] * (p + 1), g.integers(1, 8, n - p - 1) / 8.0, [1.0] * (p + 1)]))
             for p, n in zip(degrees, (K, L), strict=True)]
    points, velocities, weights = g.uniform(-1, 1, (K, L, 3)), g.uniform(-1, 1, (K, L, 3)), g.uniform(0.5, 2, (K, L))
    nets = collide.nurbs_to_bezier(points, *knots, degrees, weights if rational else None, velocities, raise_to)
    N, M = raise_to or degrees
    assert nets.points.shape[1:] == (2, N + 1, M + 1, 3) and (nets.weights is not None) == rational and nets.error == 2.0**-53
    w = weights if rational else np.ones_like(weights)
    homogeneous = exactly(np.concatenate([points, velocities, w[..., None]], axis=-1))
    homogeneous[..., :6] *= homogeneous[..., 6:]
    bound = Fraction(collide.bezier.pairs.inherited(nets.error, nets.weights)) / 2
    for k in range(len(nets)):
        local = [Fraction(int(g.integers(0, 9)), 8) for _ in range(2)]
        at = [Fraction(lo) + s * (Fraction(hi) - Fraction(lo)) for s, (lo, hi) in zip(local, nets.domains[k], strict=True)]
        rows = [de_boor([tuple(c) for c in row], [Fraction(x) for x in knots[1]], degrees[1], at[1]) for row in homogeneous]
        truth = de_boor(rows, [Fraction(x) for x in knots[0]], degrees[0], at[0])
        basis = [[math.comb(d, i) * s**i * (1 - s)**(d - i) for i in range(d + 1)] for d, s in zip((N, M), local, strict=True)]
        W = exactly(nets.weights[k]) if rational else exactly(np.ones((N + 1, M + 1)))
        shares = np.outer(*basis) * W
        for part in range(2):
            ours = (shares[..., None] * exactly(nets.points[k, part])).sum(axis=(0, 1)) / shares.sum()
            assert max(abs(a - b / truth[6]) for a, b in zip(ours, truth[3 * part:3 * part + 3], strict=True)) <= bound


def cylinder(along):
    """The unit cylinder as one NURBS surface of four quarters; `along` (M+1,) heights."""
    circle = np.array([[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]], float)
    points = np.stack([*np.broadcast_arrays(circle[:, None, 0], circle[:, None, 1], np.asarray(along, float))], axis=-1)
    w = np.repeat(np.where(np.arange(9) % 2, math.sqrt(0.5), 1.0)[:, None], len(along), 1)
    return points, [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4], w


def test_nurbs_cylinders_meet():
    """Two crossed cylinders, axes 3 apart, approach by 4: 1/4. Their pieces are exact, being whole Bezier segments."""
    points, knots, w = cylinder([-3, 3])
    moved = points[..., [2, 0, 1]] + [0.25, 0.0, 3.0]  # its axis along x, above
    rate = np.broadcast_to([0.0, 0, -4], moved.shape)
    second = collide.nurbs_to_bezier(moved, knots, [0, 0, 1, 1], (2, 1), w, rate, raise_to=(2, 2))
    turned = collide.nurbs_to_bezier(points[..., [0, 2, 1]], knots, [0, 0, 1, 1], (2, 1), w, raise_to=(2, 2))  # its axis along y
    assert len(turned) == len(second) == 4 and turned.error == second.error == 0.0
    r = collide.bezier_pairs(**turned.pairs(second), tolerance=1e-8)
    hits = np.flatnonzero(r.hit)
    k = hits[np.argmin(r.time[hits, 0])]
    assert len(r) == 16 and r.time[k, 0] <= 0.25 <= r.time[k, 1] <= r.time[k, 0] + 1e-8


def test_exact_pieces_and_mixed_pairs():
    """Halves of small binary fractions are doubles; a polynomial surface against a rational one gets weights 1."""
    g = np.random.default_rng(2)
    net = g.integers(-8, 9, (5, 4, 3)) / 8
    plain = collide.nurbs_to_bezier(net, [0, 0, 0, 1, 2, 3, 3, 3], [0, 0, 0, 1, 2, 2, 2], (2, 2))
    assert plain.error == 0.0 and len(plain) == 6 and plain.weights is None
    heavy = collide.nurbs_to_bezier(net, [0, 0, 0, 1, 2, 3, 3, 3], [0, 0, 0, 1, 2, 2, 2], (2, 2), np.full((5, 4), 2.0))
    np.testing.assert_array_equal(heavy.points, plain.points)
    mixed = plain.pairs(heavy, np.array([0, 5]), np.array([1, 2]))
    assert mixed["q"].shape == (2, 2, 2, 3, 3, 3) and (mixed["weights"] == [[[[1]], [[2]]]]).all()
    assert len(collide.bezier_pairs(**plain.pairs(plain, np.array([], int), np.array([], int)))) == 0


@pytest.mark.parametrize("rational", [False, True])
def test_nets_as_surfaces(rational):
    """Patches as formulas, at dyadic parameters, against sums of Bernstein polynomials in exact rationals."""
    g = np.random.default_rng(4)
    net, rate = g.uniform(-1, 1, (2, 3, 3, 3))
    knots = [0, 0, 0, 1, 1, 1]
    nets = collide.nurbs_to_bezier(net, knots, knots, (2, 2), g.uniform(0.5, 2, (3, 3)) if rational else None, rate)
    surface, = nets.surfaces()
    a, b, moment = Fraction(1, 4), Fraction(5, 8), Fraction(3, 8)
    weight = np.ones((3, 3)) if nets.weights is None else nets.weights[0]
    share = {(i, j): Fraction(weight[i, j]) * math.comb(2, i) * a**i * (1 - a)**(2 - i) * math.comb(2, j) * b**j * (1 - b)**(2 - j)
             for i in range(3) for j in range(3)}
    points = nets.points[0]
    for c, e in enumerate(surface.expressions):
        exact = sum(s * (Fraction(points[0, i, j, c]) + moment * Fraction(points[1, i, j, c])) for (i, j), s in share.items())
        assert Fraction(str(e.subs({u: a, v: b, t: moment}))) == exact / sum(share.values())


@pytest.mark.parametrize(("change", "match"), [
    ({"points": np.full((4, 4, 3), np.nan)}, "must be finite"), ({"weights": np.zeros((4, 4))}, "weights must be positive"),
    ({"weights": np.ones((4, 3))}, "must have the shape"), ({"velocities": np.ones((4, 3, 3))}, "must have the shape"),
    ({"knots_u": [0, 0, 0, 1, 1, 1]}, "need 7 knots, got 6"), ({"knots_v": [0, 0, 0, 2, 1, 1, 1]}, "must not decrease"),
    ({"raise_to": (1, 2)}, "cannot be raised"), ({"degrees": 2}, "pair of whole numbers"), ({"degrees": (2.5, 2)}, "pair of whole numbers"),
    ({"degrees": (2, 0)}, "integer of at least 1"), ({"points": np.zeros((0, 4, 3))}, "must have the shape"),
    ({"raise_to": (3,)}, "pair of whole numbers"), ({"knots_u": [0, 0, 0, "x", 1, 1, 1]}, "not as text"),
    ({"points": "net"}, "must be an array of numbers"),
])  # fmt: skip
def test_bad_nurbs(change, match):
    good = {"points": np.zeros((4, 4, 3)), "knots_u": [0, 0, 0, 1, 2, 2, 2], "knots_v": [0, 0, 0, 1, 2, 2, 2], "degrees": (2, 2)}
    with pytest.raises(ValueError, match=match):
        collide.nurbs_to_bezier(**{**good, **change})


def test_pairs_of_unequal_degrees_are_refused():
    a = collide.nurbs_to_bezier(np.zeros((3, 3, 3)), [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], (2, 2))
    b = collide.nurbs_to_bezier(np.zeros((2, 2, 3)), [0, 0, 1, 1], [0, 0, 1, 1], (1, 1))
    with pytest.raises(ValueError, match="equal degrees"):
        a.pairs(b)


# -- which patches come near each other ---------------------------------------------------------------------------


@pytest.mark.parametrize("rational", [False, True])
def test_no_contact_is_culled(rational):
    """Every pair in contact is among those left. (Fails with boxes of the control points at t = 0 alone.)"""
    g = np.random.default_rng(41)
    knots = np.arange(13.0)
    nets = []
    for x, y, rate in ((0, 0, 1.0), (2.3, 1.4, -1.0)):
        points = g.uniform(0, 1, (9, 9, 3)) * [1, 1, 0.2] + [x, y, 0] + np.stack([*np.mgrid[:9, :9], np.zeros((9, 9))], axis=-1)
        velocities = g.uniform(-1, 1, (9, 9, 3)) * [2, 2, 0.5] + [0, 0, rate]
        weights = g.uniform(0.5, 2, (9, 9)) if rational else None
        nets.append(collide.nurbs_to_bezier(points, knots, knots, (3, 3), weights, velocities))
    nets[0].points[:, 0, ..., 2] -= 1
    every, near = collide.bezier_pairs(**nets[0].pairs(nets[1])), nets[0].near(nets[1])
    hits = {divmod(int(k), len(nets[1])) for k in np.flatnonzero(every.hit)}
    left = set(zip(*(x.tolist() for x in near), strict=True))
    assert hits <= left and len(hits) > 30 and len(left) == len(near[0]) < len(every) / 3
    again = collide.bezier_pairs(**nets[0].pairs(nets[1], *near))
    assert again.hit.sum() == len(hits)


def test_a_box_that_is_only_touched_is_near():
    """Exact numbers: flat patches whose boxes share a plane at t = 1."""
    flat = np.zeros((2, 2, 3))
    flat[..., :2] = np.stack(np.mgrid[:2, :2], axis=-1)
    line = [0, 0, 1, 1]
    a = collide.nurbs_to_bezier(flat, line, line, (1, 1), velocities=np.broadcast_to([0.0, 0, 1], flat.shape))
    b = collide.nurbs_to_bezier(flat + [0, 0, 1], line, line, (1, 1))
    assert [x.tolist() for x in a.near(b)] == [[0], [0]] and collide.bezier_pairs(**a.pairs(b)).hit.all()
    far = collide.nurbs_to_bezier(flat + [0, 0, 1.001], line, line, (1, 1))
    assert len(a.near(far)[0]) == 0
