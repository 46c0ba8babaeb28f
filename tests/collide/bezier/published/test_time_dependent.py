"""`first_contact(method="time-dependent")`: surfaces as Bezier patches, periods apart, and whole answers against closed forms."""

import ctypes
import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from collide.bezier.form import BezierPiece, ParameterRun, pieces
from collide.bezier.kernel import radius
from collide.bezier.memory import LANES
from collide.bezier.published import time_dependent
from collide.bezier.published.apart import apart, swept
from collide.moment.start import Start
from collide.search.budget import as_budget
from collide.search.clock import Clock
from collide.search.drive import drive
from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, Solid, axis_angle, t, u, v, z
from generative.patch import bezier_patch, bezier_triangle
from models.scenes.tori import tori_general, torus_on_torus
from models.shapes.quadrics import sphere
from models.shapes.rings import torus
from tests.collide.bezier_patches import bernstein
from tests.shared_data import DATA

PLACE = DATA / "bezier_pairs.npz"


def fall(*translation):
    return Rigid(translation=list(translation))


def chen(bodies, time=(0, 2), **options):
    return collide.first_contact(bodies, time, method="time-dependent", **options)


def sheet(seed=0, height=0, degree=3):
    g = np.random.default_rng(seed)
    flat = np.full((degree + 1, degree + 1), height)
    plane = np.stack([*np.meshgrid(range(degree + 1), range(degree + 1), indexing="ij"), flat], axis=-1)
    return bezier_patch((g.integers(-5, 6, plane.shape) / 16 + plane).tolist())


PLATE = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})

# -- surfaces as patches ------------------------------------------------------------------------------------------


def value(piece, s, w, time):
    """The piece at its own parameters, in the arithmetic of its numbers."""
    total, weight = [0, 0, 0], 0
    N, M = piece.degrees
    for (i, a), (j, b) in itertools.product(enumerate(bernstein(N, s)), enumerate(bernstein(M, w))):
        weight += a * b * piece.weights[i][j]
        total = [x + a * b * (p + time * r) for x, p, r in zip(total, piece.points[i][j], piece.velocities[i][j], strict=True)]
    return [sp.sympify(x) / sp.sympify(weight) for x in total]


SURFACES = {
    "a torus, tilted": (torus(u_origin=1).moved(Rigid(rotation=[5, 1, 2, 3], translation=[t, 0, -2 * t], normalize=True)), 16),
    "part of a ball": (ParametricSurface([sp.cos(2 * u) * sp.cos(v), sp.sin(2 * u + 1) * sp.cos(v), sp.sin(v)], {u: (0, 1), v: (0, 1)}), 2),
    "a helicoid's relative": (ParametricSurface([u * sp.cos(v), u * sp.sin(v), sp.sin(3 * v)], {u: (1, 2), v: (0, sp.pi / 2)}), 1),
    "a quotient": (ParametricSurface([u / (1 + v), v * t, 1 / (2 + u)], {u: (0, 1), v: (0, 1)}), 1),
    "a deforming sheet": (ParametricSurface([u, v, u**2 * v + t * (1 - u * v)], {u: (-1, 2), v: (0, 1)}), 1),
}


@pytest.mark.parametrize("name", SURFACES)
def test_pieces_are_the_surface(name):
    """At inner points and corners, to 40 digits. (Fails with the sign of the sine of the sum of two angles changed.)"""
    surface, count = SURFACES[name]
    found = pieces(surface)
    assert len(found) == count
    places = [(Fraction(1, 3), Fraction(3, 7)), (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
    for piece, (s, w) in zip([found[0], found[-1], found[0]], places, strict=True):
        at = {u: piece.runs[0].at(sp.Rational(s)), v: piece.runs[1].at(sp.Rational(w)), t: sp.Rational(2, 3)}
        with mpmath.workdps(40):
            for ours, theirs in zip(value(piece, s, w, Fraction(2, 3)), surface.expressions, strict=True):
                assert abs(sp.N(ours - theirs.subs(at), 40)) < 1e-35
        assert all(sp.N(x) > 0 for row in piece.weights for x in row)


def test_control_points_come_back():
    g = np.random.default_rng(3)
    net, weights = g.uniform(-1, 1, (4, 3, 3)), g.uniform(0.5, 2, (4, 3))
    (piece,) = pieces(bezier_patch(net.tolist(), weights.tolist()).moved(fall(0, t, 0)))
    ratio = piece.weights[0][0] / Fraction(weights[0, 0])
    for i, j, k in np.ndindex(4, 3, 3):
        assert piece.weights[i][j] == ratio * Fraction(weights[i, j])
        assert piece.points[i][j][k] == piece.weights[i][j] * Fraction(net[i, j, k])
        assert piece.velocities[i][j][k] == piece.weights[i][j] * (k == 1)


# -- periods ------------------------------------------------------------------------------------------------------


def gap(above, below, axis, time):
    """The least of one set of control points above the largest of another, along an axis at a time, exactly."""
    ends = [[sum(n * (p + Fraction(time) * r) for n, p, r in zip(axis, c[:3], c[4:7], strict=True)) / c[3] for c in node]
            for node in (above, below)]
    return min(ends[0]) - max(ends[1])


@pytest.mark.parametrize("rational", [False, True])
def test_patches_are_apart_in_the_periods_claimed(rational):
    """Exactly, at both ends; and the periods are nearly as long as they can be. (Fails when `slack` is subtracted.)"""
    g = np.random.default_rng(5)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(apart(6, rational))
    tight = 0
    for _ in range(40):
        nodes = g.uniform(-0.5, 0.5, (2, 6, 8))
        nodes[0, :, :3] += g.uniform(-1, 1, 3)
        nodes[0, :, 4:7] += g.uniform(-2, 2, 3)
        nodes[..., 3] = g.uniform(0.5, 2, (2, 6)) if rational else 1.0
        axes, out = g.uniform(-1, 1, (3, LANES)), np.empty((4, LANES))
        first, last = np.sort(g.uniform(0, 1, 2))
        numbers = np.array([first, last, 2 * radius(2 * np.abs(nodes).max(), 4.0 if rational else 1.0, 2, 0)])
        call(nodes[0].ctypes.data, nodes[1].ctypes.data, axes.ctypes.data, numbers.ctypes.data, out.ctypes.data)
        exact = np.vectorize(Fraction, otypes=[object])(nodes)
        for lane, k in itertools.product(range(LANES), (0, 2)):
            start, stop = out[k:k + 2, lane]
            sides = *(exact[::-1] if k == 0 else exact), [Fraction(x) for x in axes[:, lane]]
            if start <= stop:
                assert first <= start <= stop <= last
                assert gap(*sides, start) > 0 and gap(*sides, stop) > 0
                tight += start > first or stop < last
                assert (start == first or gap(*sides, start) < 1e-12) and (stop == last or gap(*sides, stop) < 1e-12)
            else:
                assert gap(*sides, first) < 1e-12 and gap(*sides, last) < 1e-12
    assert tight > 20


@pytest.mark.parametrize("rational", [False, True])
def test_swept_boxes_are_apart_where_it_is_claimed(rational):
    """Exactly, one box resting on the other up to some bits. (Fails without `slack`.)"""
    g = np.random.default_rng(6)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(swept(3, rational))
    verdicts = [0, 0]
    for _ in range(100):
        nodes, axis, window = g.uniform(-0.5, 0.5, (2, 3, 8)), g.uniform(0.1, 1, 3), np.sort(g.uniform(0, 1, 2))
        nodes[..., 3] = g.uniform(0.5, 2, (2, 3)) if rational else 1.0
        rise = float(extents(nodes, axis, window)[0][1] - extents(nodes, axis, window)[1][0]) / axis[2]
        for more in (-1e-13, -1e-16, 0.0, 1e-16, 1e-11):
            moved = nodes.copy()
            moved[1, :, 2] += (rise + more) * nodes[1, :, 3]
            numbers = np.array([*window, 2 * radius(2 * np.abs(moved).max(), 4.0 if rational else 1.0, 2, 0)])
            axes, out = np.repeat(axis[:, None], LANES, 1), np.empty((4, LANES))
            call(moved[0].ctypes.data, moved[1].ctypes.data, axes.ctypes.data, numbers.ctypes.data, out.ctypes.data)
            claimed = int(out[0, 0] <= out[1, 0])
            verdicts[claimed] += 1
            below, above = extents(moved, axis, window)
            assert not claimed or above[0] > below[1]
            assert out[2, 0] > out[3, 0] or above[1] < below[0]
    assert min(verdicts) > 80


def extents(nodes, axis, window):
    """The least and the largest product of each node's control points with an axis, at the ends of a window, exactly."""
    exact, n = np.vectorize(Fraction, otypes=[object])(nodes), [Fraction(x) for x in axis]
    ends = [[sum(a * (p + Fraction(t) * r) for a, p, r in zip(n, c[:3], c[4:7], strict=True)) / c[3] for c in node for t in window]
            for node in exact]
    return [(min(x), max(x)) for x in ends]


# -- whole answers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spacing", "count"), [(1, 12), (0.1, 124)])
def test_torus_on_torus_as_published(spacing, count):
    """Chen et al. 2024, Fig. 9: a circle of radius 2, of which they find 12 and 124 points.

    The circle lies on sides of the patches that the tori are cut into. (Half of it is proved when `beside` finds no neighbours.)
    """
    c = chen(torus_on_torus.bodies, (0, 1), simultaneity=1e-3, spacing=spacing, tolerance=1e-6)
    assert c.status is Status.CONTACT and c.time[0] <= 0.5 <= c.time[1] and c.time.width < 1e-6 and c.clear_until == c.time[0]
    assert len(c) == count and c.existence.all() and not c.proved.any()
    np.testing.assert_allclose(np.hypot(*c.points.T[:2]), 2, atol=1e-3)
    np.testing.assert_allclose(c.points[:, 2], 0.5, atol=1e-3)
    np.testing.assert_allclose(c.normals, np.broadcast_to([0, 0, -1], (count, 3)), atol=1e-3)
    for k in range(0, count, 7):
        for m, body in enumerate(torus_on_torus.bodies):
            at = dict(zip((u, v, t), (c.boxes[k][j].mean() for j in (2 * m, 2 * m + 1, 4)), strict=True))
            np.testing.assert_allclose([float(e.subs(at)) for e in body.expressions], c.points[k], atol=1e-6)
    angles = np.sort(np.arctan2(c.points[:, 1], c.points[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    assert 2 * 2 * np.sin(gaps.max() / 2) < 2 * spacing * 1.01
    assert c.start == {(0, 1): Start.DISJOINT} and "disjoint at the start" in c.summary()


@pytest.mark.parametrize("bodies", [tori_general.bodies, [sheet(1, 2, 2).moved(fall(0, 0, -2 * t)), sheet(2, 0, 1)], [
    sphere().moved(Rigid(rotation=axis_angle([1, 2, 3], 1), translation=[sp.Rational(1, 3), 0, 3 - sp.pi * t])), PLATE]])
def test_the_same_contacts_as_those_proved_unique(bodies):
    ours, truth = chen(bodies), collide.first_contact(bodies, (0, 2))
    assert ours.status is truth.status is Status.CONTACT and truth.proved.all() and ours.existence.all() and len(ours) == len(truth)
    assert ours.time[0] <= truth.time[1] and truth.time[0] <= ours.time[1] and ours.time.width < 2e-9
    for point, normal, box in zip(ours.points, ours.normals, ours.boxes, strict=True):
        k = int(np.linalg.norm(truth.points - point, axis=1).argmin())
        np.testing.assert_allclose(point, truth.points[k], atol=1e-6)
        np.testing.assert_allclose(normal, truth.normals[k], atol=1e-5)
        for m, body in enumerate(bodies):
            place = [float(e.subs({u: box[2 * m, 0], v: box[2 * m + 1, 0], t: box[4, 0]})) for e in body.expressions]
            np.testing.assert_allclose(place, point, atol=1e-7)


def test_three_balls_meet_on_sides_of_their_patches():
    """Two balls come in from both sides, one above: at the distance 2, (3 - t)^2 + 1 = 4. Every contact is on the plane y = 0."""
    bodies = [sphere(), *(sphere().moved(fall(s * (3 - t), 0, 1)) for s in (1, -1))]
    c = chen(bodies)
    when = 3 - np.sqrt(3)
    assert c.status is Status.CONTACT and c.time[0] <= when <= c.time[1] <= c.time[0] + 2e-9 and c.existence.all()
    np.testing.assert_array_equal(sorted(c.pairs.tolist()), [[0, 1], [0, 2]])
    np.testing.assert_allclose(np.abs(c.points), [[np.sqrt(3) / 2, 0, 0.5]] * 2, atol=1e-4)


@pytest.mark.parametrize("name", ["q2", "q3"])
def test_published_pairs(name):
    """The times given, which two other programs agree on to 2e-12, lie in the brackets. (Fails when `meeting` cuts off 1e-7 more.)"""
    if not PLACE.exists():
        pytest.skip("../shared/data/bezier_pairs.npz is not here")
    data = np.load(PLACE)
    exact = np.vectorize(Fraction, otypes=[object])
    for q, truth in zip(data[name][:25], data[f"{name}_time"][:25], strict=True):
        patches = [BezierPiece((ParameterRun(0, 1), ParameterRun(0, 1)),
                               exact(np.ones(net.shape[1:3])).tolist(), *exact(net).tolist()) for net in q]
        search = time_dependent.PatchSearch([0, 1], patches, (sp.Integer(0), sp.Integer(1)))
        search.set(1e-6, 0.05, 1e-8)
        assert drive(search, Clock(as_budget(10.0)))
        assert (search.solution_count > 0) == np.isfinite(truth)
        if np.isfinite(truth):
            assert search.clear() <= truth + 4e-12 and truth - 4e-12 <= search.earliest < search.clear() + 1e-7


def test_no_contact_is_proved():
    c = chen([torus().moved(fall(0, 0, 2 - t)), torus()], (0, 1))
    assert c.status is Status.NO_CONTACT and c.time is None and c.clear_until == 1.0 and c.points.shape == (0, 3)
    near = chen([torus().moved(fall(0, 0, 2 - t)), torus()], (0, sp.Rational(7, 5) - sp.Rational(1, 10**7)))
    assert near.status is Status.NO_CONTACT


def test_solids_and_flat_contact():
    """A plate of two faces lands flat on another: samples with the spacing. The border of the common part is missed by no more."""
    halves = Solid([ParametricSurface([u, v, 0], {u: ends, v: (-1, 1)}) for ends in ((-1, 0), (0, 1))])
    c = chen([halves.moved(fall(0, 0, 1 - t)), Solid([PLATE])], (0, 2), spacing=0.5)
    assert c.status is Status.CONTACT and c.time[0] <= 1 <= c.time[1] <= c.time[0] + 1e-8
    assert {f for pair in c.features for f in pair} == {"face 0", "face 1"}
    corners = np.array(list(itertools.product(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9), [0])))
    assert np.linalg.norm(corners[:, None] - c.points[None], axis=2).min(axis=1).max() < 1.0


def test_a_rational_triangle_of_a_ball_and_a_tilted_plate():
    """The plate x + 2 y + 2 z = 3 (2 - t) comes within 1 of the centre at t = 1; the contact is (1, 2, 2) / 3."""
    ball = bezier_triangle([[[0, 0, 1], [0, 1, 1], [0, 1, 0]], [[1, 0, 1], [1, 1, 1]], [[1, 0, 0]]], [[1, 1, 2], [1, 1], [2]])
    plate = ParametricSurface([2 * u - 2 * v, -2 * u - v, u + 2 * v], {u: (-1, 1), v: (-1, 1)})
    c = chen([ball, plate.moved(fall(*((2 - t) * sp.Rational(x, 3) for x in (1, 2, 2))))], (0, 2))
    assert c.status is Status.CONTACT and c.time[0] <= 1 <= c.time[1] and len(c) == 1 and c.existence[0]
    np.testing.assert_allclose(c.points[0], np.array([1, 2, 2]) / 3, atol=1e-6)
    np.testing.assert_allclose(c.normals[0], np.array([1, 2, 2]) / 3, atol=1e-6)


def test_bodies_that_overlap_at_the_start():
    c = chen([sphere().moved(fall(0, 0, sp.Rational(1, 3) - t)), PLATE], (0, 1), spacing=0.5)
    assert c.status is Status.CONTACT and c.time == (0.0, 0.0) and c.clear_until == 0.0 and c.start == {(0, 1): Start.OVERLAPPING}
    np.testing.assert_allclose(np.hypot(*c.points[c.existence].T[:2]), np.sqrt(8) / 3, atol=1e-6)


def test_budgets_and_growth(monkeypatch):
    monkeypatch.setattr(time_dependent, "_NODES", 32)
    monkeypatch.setattr(time_dependent, "_BOXES", 32)
    monkeypatch.setattr(time_dependent, "_SOLUTIONS", 2)
    bodies = torus_on_torus.bodies
    small = chen(bodies, (0, 1), simultaneity=1e-3, spacing=1, tolerance=1e-6)
    assert len(small) == 12
    none = chen(bodies, (0, 1), budget=collide.Budget(bytes=1))  # (fails where what was not begun counts as clear)
    assert none.status is Status.BUDGET_SPENT and none.clear_until == 0.0 and none.time == (0.0, 1.0)
    spent = chen(bodies, (0, 1), simultaneity=1e-3, spacing=1e-2, tolerance=1e-6, budget=collide.Budget(boxes=20_000))
    assert spent.status is Status.BUDGET_SPENT and 0.4 < spent.time[0] <= 0.5 <= spent.time[1] and spent.clear_until == spent.time[0]


@pytest.mark.parametrize(("body", "error", "match"), [
    (sphere().moved(fall(0, 0, 3 - t**2)), ValueError, "does not move on straight lines at constant speed"),
    (sphere().moved(Screw(axis=[0, 0, 1], angle=t)), ValueError, "is no Bezier patch on a straight path: method 'time-dependent' takes"),
    (ParametricSurface([u, v, sp.exp(u)], {u: (0, 1), v: (0, 1)}), ValueError, "is no Bezier patch"),
    (ParametricSurface([u, v, u * sp.sin(u)], {u: (0, 1), v: (0, 1)}), ValueError, "is no Bezier patch"),
    (ParametricSurface([u, v, sp.sin(u) + sp.sin(sp.sqrt(2) * u)], {u: (0, 1), v: (0, 1)}), ValueError, "is no Bezier patch"),
    (ParametricSurface([u, v, 1 / u], {u: (-1, 1), v: (0, 1)}), ValueError, "not positive"),
    (ParametricSurface([u, v, u**9], {u: (-1, 1), v: (0, 1)}), ValueError, "degrees 9 and 1; at most 8"),
    (ImplicitSurface(z, bounds=[(-1, 1)] * 3), TypeError, "body 1 is a ImplicitSurface"),
])  # fmt: skip
def test_bodies_that_are_refused(body, error, match):
    with pytest.raises(error, match=match):
        chen([PLATE, body])


def test_tracked_contacts_are_refused():
    bodies = [PLATE.moved(fall(0, 0, t)), PLATE]
    with pytest.raises(ValueError, match="tracked"):
        chen(bodies, tracked=[collide.Tracked((0, 1), 0, 0, 0, 0, 1.0)])
