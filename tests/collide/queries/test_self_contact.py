"""Contact of surfaces, and of sheets of them, with themselves: closed forms, and what is not covered."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import collide
from collide import Start, Status, self_contact
from collide.search.budget import Budget
from collide.sheets import injective
from generative import Parameter, ParametricSurface, Rigid, Screw, patch, t, u, v
from tests.collide.sheet_scenes import W, folding, halves, hinge, over, pinched

R = sp.Rational


def test_a_tube_pinches_at_one_point():
    c = self_contact(pinched(), (0, 2))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True] and c.start == {(0, 0): Start.DISJOINT}
    assert c.time.lo <= 1 <= c.time.hi < 1 + 1e-9
    np.testing.assert_allclose(c.points, [[0, 0, 0]], atol=1e-9)
    assert {round(b, 6) for b in c.boxes[0].mean(axis=1)[[0, 2]]} == {round(k * math.pi / 2 - 1 / 7, 6) for k in (1, 3)}


def test_a_rigid_motion_carries_what_is_found():
    """The place at t = 1 is the origin, which is on the axis of the screw; the normal turns by one radian about it."""
    c, still = self_contact(pinched().moved(Screw([1, 2, 2], angle=t, advance=5 * t)), (0, 2)), self_contact(pinched(), (0, 2))
    assert c.time.lo <= 1 <= c.time.hi < 1 + 1e-9 and c.proved.all()
    np.testing.assert_allclose(c.points, [[5 / 3, 10 / 3, 10 / 3]], atol=1e-8)
    turned = Rotation.from_rotvec(np.array([1, 2, 2]) / 3).apply(still.normals.copy())
    np.testing.assert_allclose(c.normals, turned, atol=1e-8)
    assert self_contact(pinched().moved(Rigid(translation=[7, 0, 0])), (0, 2)).points[0].tolist() == pytest.approx([7, 0, 0])


def test_a_tube_pinches_along_a_line():
    c = self_contact(pinched(bulge=0, span_v=(0, 1)), (0, 2), spacing=0.05)
    assert c.status is Status.CONTACT and c.existence.all() and not c.proved.any()
    assert c.time.lo <= 1 <= c.time.hi < 1 + 1e-5
    assert np.abs(c.points[:, [0, 2]]).max() < 1e-3
    along = np.sort(np.concatenate([[0], c.points[:, 1], [1]]))
    assert np.diff(along).max() < 0.1


def bowl(left, right, height):
    """A bent Bezier patch whose lips v = 0, at that height, and v = 1, at height 2, move towards each other by `left` and `right`."""
    def row(y, lean):
        return [[R(-1, 2) + left * lean, y, height], [-2, y, 1], [0, y, -2], [2, y, 1], [R(1, 2) - right * lean, y, 2]]
    # The middle of it leans most: 5/6 t at u = 1/3.
    return patch.bezier_patch([row(0, t * R(3, 4)), row(R(3, 5), t), row(1, t / 2)])


def test_sides_that_meet_need_no_common_tangent_plane():
    c = self_contact(bowl(1, 1, 2), (0, R(6001, 10000)))
    assert c.clear_until <= 0.6 <= c.time.hi and c.clear_until > 0.6 - 1e-7
    assert c.status in (Status.CONTACT, Status.UNRESOLVED) and abs(c.points - [0, 17 / 45, 2]).max(axis=1).min() < 1e-3


def test_a_side_meets_the_inside_of_the_same_patch():
    # Rows and heights do not change along v, so the lip meets the point of its own row that is as high: a quartic in v.
    c = self_contact(bowl(1, R(1, 4), R(8, 5)), (0, R(7, 5)))
    basis = [sp.binomial(4, k) * v**k * (1 - v) ** (4 - k) for k in range(5)]
    heights, places = (R(8, 5), 1, -2, 1, 2), (R(-1, 2), -2, 0, 2, R(1, 2))
    where = max(r for r in sp.Poly(sum(map(sp.Mul, heights, basis)) - R(8, 5), v).nroots(n=30, maxsteps=200) if r.is_real and 0.1 < r < 1)
    ahead = sum(map(sp.Mul, places, basis)).subs(v, where) + R(1, 2)
    moment = float(ahead / (1 - (basis[0] - basis[4] / 4).subs(v, where)) * R(6, 5))
    assert c.status is Status.CONTACT and c.time.hi < c.time.lo + 1e-6
    assert c.time.lo <= moment + 1e-13 and moment - 1e-13 <= c.time.hi


def test_a_near_miss_is_proved_clear():
    c = self_contact(pinched(gap=R(1, 10**6)), (0, 1))
    assert c.status is Status.NO_CONTACT and c.clear_until == 1


def test_a_torus_does_not_touch_itself_across_its_seams():
    ring = 1 + R(3, 10) * sp.cos(v) * (1 + t)
    torus = ParametricSurface([ring * sp.cos(W), ring * sp.sin(W), R(3, 10) * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
    assert self_contact(torus, (0, 1)).status is Status.NO_CONTACT


def test_contact_at_the_start():
    crossing = ParametricSurface([u**2 - 1, v, u * (u**2 - 1) * (1 + t)], {u: (R(-3, 2), R(8, 5)), v: (0, 1)})
    c = self_contact(crossing, (0, 1))
    assert c.time == (0, 0) and c.start == {(0, 0): Start.UNKNOWN} and c.clear_until == 0


def test_where_a_surface_folds_up_nothing_is_claimed():
    # At t = 0 a cusp appears at u = 0; after it u = sqrt(t) and u = -sqrt(t) meet.
    swallowed = ParametricSurface([u**3 - t * u, v, u**2], {u: (-1, R(9, 8)), v: (0, 1)})
    c = self_contact(swallowed, (-1, 2))
    assert c.status is Status.UNRESOLVED and len(c) == 0
    assert -0.01 < c.clear_until <= 0 and c.time == (c.clear_until, 2)
    assert "normal vanishes" in c.summary()


@pytest.mark.parametrize("reverse", [False, True])
def test_a_bent_plate_on_a_hinge(reverse):
    c = self_contact(hinge(reverse), (0, 2))
    moment = 2 - math.atan(9 / 32)
    assert c.status is Status.CONTACT and c.proved.tolist() == [True]
    assert c.time.lo <= moment + 1e-15 and moment - 1e-15 <= c.time.hi < c.time.lo + 1e-9
    np.testing.assert_allclose(c.points, [[0.75 / math.cos(math.atan(9 / 32)), 0.4, 0]], atol=1e-6)


def test_a_hinge_that_shuts_is_not_called_clear():
    plate = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    lid = ParametricSurface([u * sp.cos(t), v, u * sp.sin(t)], {u: (0, 1), v: (0, 1)})
    assert self_contact([plate, lid], (R(1, 5), 6)).status is Status.NO_CONTACT
    c = self_contact([plate, lid], (R(1, 5), 7))
    assert c.status is Status.UNRESOLVED and 2 * math.pi - 0.01 < c.clear_until <= 2 * math.pi
    assert "two surfaces fold together" in c.summary()


def test_a_sheet_that_moves_strongly_is_clear_at_first():
    # Normals vanish later on; a grid of times and parameters finds from when on, about.
    rng = np.random.default_rng(8)
    net = [[[R(i, 3) + t * a, R(j, 3) + t * b, t * c] for j, (a, b, c) in enumerate(row)] for i, row in
           enumerate([[[R(int(k), 8) for k in rng.integers(-8, 9, 3)] for _ in range(4)] for _ in range(4)])]
    sheet = patch.bezier_patch(net)
    c = self_contact(sheet, (0, 1))
    tangents = sp.lambdify([u, v, t], [sp.diff(e, s) for s in (u, v) for e in sheet.expressions])
    grid = np.linspace(0, 1, 41)
    slopes = [np.broadcast_to(s, (41, 41, 41)) for s in tangents(*np.meshgrid(grid, grid, grid, indexing="ij"))]
    areas = np.linalg.norm(np.cross(np.stack(slopes[:3], -1), np.stack(slopes[3:], -1)), axis=-1).min(axis=(0, 1))
    assert c.start == {(0, 0): Start.DISJOINT} and c.status is Status.UNRESOLVED and "normal vanishes" in c.summary()
    assert c.clear_until > 0.6 * grid[areas < 0.05][0] > 0.3


def test_a_sheet_rolls_up():
    # A spiral of one and a half turns: those at angle w and w + 2 pi differ by 2 pi (1 - t) - pi/2 cos((w - 1)/2) (1 - v^2/4).
    w = u
    radius = 2 + (1 - t) * w + sp.pi / 4 * sp.cos((w - 1) / 2) * (1 - v**2 / 4)
    roll = ParametricSurface([radius * sp.cos(w), radius * sp.sin(w), v], {u: (0, 3 * sp.pi), v: (R(-1, 2), R(3, 4))})
    c = self_contact(roll, (0, 1))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True]
    assert c.time.lo <= 0.75 <= c.time.hi < c.time.lo + 1e-9
    assert sorted(c.boxes[0].mean(axis=1)[[0, 2]].round(6)) == [1, round(1 + 2 * math.pi, 6)]


def test_a_moebius_strip_widens():
    # Its side v = 1 reaches the middle of the opposite part when the half width 1 + t is twice the radius; the seam lies elsewhere.
    across = v * (1 + t)
    radius = 1 + across * sp.cos(W / 2)
    strip = ParametricSurface([radius * sp.cos(W), radius * sp.sin(W), across * sp.sin(W / 2)], {u: (0, 2 * sp.pi), v: (-1, 1)})
    c = self_contact(strip, (R(-9, 10), 2))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True] and c.features == [("face 0", "edge 3")]
    assert c.time.lo <= 1 <= c.time.hi < c.time.lo + 1e-9
    np.testing.assert_allclose(c.points, [[-1, 0, 0]], atol=1e-9)


def test_neighbouring_waves_touch():
    # Places at equal distances y/3 from u = pi meet in x = pi where the height is -(y/3) / sin(y), which is least where tan y = y.
    height = t - v**2 / 5
    wave = ParametricSurface([u - height * sp.sin(3 * u), v, sp.cos(u)], {u: (R(8, 5), R(47, 10)), v: (R(-1, 2), R(3, 4))})
    moment = math.sqrt(1 + 4.493409457909064**2) / 3
    c = self_contact(wave, (R(1, 2), 2))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True]
    assert c.time.lo <= moment + 1e-14 and moment - 1e-14 <= c.time.hi < c.time.lo + 1e-9
    np.testing.assert_allclose(c.points[0, :2], [math.pi, 0], atol=1e-7)


@pytest.mark.parametrize("lean", [0.3, 0.0])
def test_a_row_of_bezier_patches_closes(lean):
    """Nets, their surfaces, and the same with the parameters of every other patch reversed: one answer."""
    nets = folding(3, lean)
    turned = [s if k % 2 else ParametricSurface([e.subs({u: 1 - v, v: u}, simultaneous=True) for e in s.expressions], s.domain)
              for k, s in enumerate(nets.surfaces())]
    answers = [self_contact(given, (0, 1)) for given in ((nets, nets.surfaces(), turned) if lean else (nets, turned))]
    assert all(c.status is Status.CONTACT and (0, 2) in set(map(tuple, c.pairs.tolist())) for c in answers)
    assert max(c.time.lo for c in answers) <= min(c.time.hi for c in answers)
    assert all(state is Start.DISJOINT for state in answers[0].start.values())


def test_a_contact_at_a_corner_is_proved():
    # The corner of the last patch comes down on the first one.
    c = self_contact(folding(3, 0.3, 0.2), (0, 1))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True] and c.time.hi < c.time.lo + 1e-9
    assert "vertex" in c.features[0][1] and c.pairs[0].tolist() == [0, 2]


def test_closed_rows_of_patches_do_not_touch_at_their_joints():
    # A ring of four patches that swells.
    angles = np.arange(7) * 2 * np.pi / 4
    points = np.stack([np.cos(angles)[:, None] * [1, 1.2, 1, 1.1], np.sin(angles)[:, None] * [1, 1.2, 1, 1.1],
                       np.tile(np.arange(4) / 2, (7, 1))], axis=-1).round(6)
    points[4:] = points[:3]
    sheet = collide.nurbs_to_bezier(points, list(range(11)), [0] * 4 + [1] * 4, (3, 3), velocities=0.1 * points)
    c = self_contact(sheet, (0, 1))
    assert len(sheet) == 4 and c.status is Status.NO_CONTACT and c.clear_until == 1


def test_two_sheets_that_share_nothing():
    flat = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    dome = ParametricSurface([u, v, 2 - t + (u - R(1, 2)) ** 2 + (v - R(2, 5)) ** 2], {u: (0, 1), v: (0, 1)})
    c = self_contact([flat, dome], (0, 3))
    assert c.time.lo <= 2 <= c.time.hi < c.time.lo + 1e-9 and c.proved.all() and c.pairs.tolist() == [[0, 1]]


@pytest.mark.parametrize(("simultaneity", "count"), [(1e-6, 1), (1e-2, 2)])
def test_what_comes_a_little_later_counts_within_the_simultaneity(simultaneity, count, capsys):
    """Two domes come down on a plate, the second 1/1000 later than the first at t = 1."""
    domain = {u: (-1, 1), v: (-1, 1)}
    plate = ParametricSurface([4 * u, 4 * v, 0], domain)
    domes = [ParametricSurface([u + 3 * k - 2, v, 1 + R(k, 1000) - t + u**2 + v**2], domain) for k in (0, 1)]
    c = self_contact([plate, *domes], (0, 2), simultaneity=simultaneity, tolerance=1e-7, progress=True)
    assert c.status is Status.CONTACT and c.time.lo <= 1 <= c.time.hi and c.clear_until <= 1
    assert c.proved.all() and c.pairs.tolist() == [[0, 1], [0, 2]][:count]
    assert np.allclose(c.points, [[-2, 0, 0], [1, 0, 0]][:count], atol=1e-6)
    assert "searching" in capsys.readouterr().err


def test_a_sheet_that_flies_through_another_quickly():
    flat = ParametricSurface([u, v, (v - R(1, 2)) ** 2 / 10], {u: (0, 1), v: (0, 1)})
    fast = ParametricSurface([u, v, 50 * (t - R(1, 3)) - (u - R(1, 2)) ** 2 / 10], {u: (0, 1), v: (0, 1)})
    c = self_contact([flat, fast], (0, 1))
    assert c.status is Status.CONTACT and c.time.lo <= 1 / 3 <= c.time.hi < c.time.lo + 1e-9


def test_surfaces_that_fold_together_at_their_corner_are_not_covered():
    """The second turns about the corner that it shares with the first, into its plane and beyond it, over it when t > 5/4."""
    flat = ParametricSurface([u, v, 0], {u: (-1, 0), v: (-1, 0)})
    angle = sp.pi / 2 * (t - R(1, 4))
    x, y = u * sp.cos(angle) - v * sp.sin(angle), u * sp.sin(angle) + v * sp.cos(angle)
    c = self_contact([flat, ParametricSurface([x, y, 0], {u: (0, 1), v: (0, 1)})], (0, R(3, 2)))
    assert c.status is not Status.NO_CONTACT and 1.2 < c.clear_until <= 1.25


@pytest.mark.parametrize("place", [R(1, 2), R(1, 50)])
def test_a_cell_is_pressed_flat_at_one_point(place):
    """A closed surface with two poles; both sides meet at x = place, y = 0 when t = 1, near both poles or farther away."""
    x, y = sp.cos(v) * sp.cos(W), sp.cos(v) * sp.sin(W)
    cell = ParametricSurface([x, 6 * y / 5, sp.sin(v) * (1 - t + (x - place) ** 2 + y**2)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    c = self_contact(cell, (0, R(6, 5)))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True]
    assert c.time.lo <= 1 <= c.time.hi < c.time.lo + 1e-9
    np.testing.assert_allclose(c.points, [[float(place), 0, 0]], atol=1e-7)


def test_a_ball_that_swells_is_clear():
    x, y, z = BALL.body
    c = self_contact(ParametricSurface([(1 + t) * x, y, z], BALL.domain), (0, 1))
    assert c.status is Status.NO_CONTACT and c.clear_until == 1


BALL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


@pytest.mark.parametrize(("bodies", "error", "words"), [
    ([pinched(), patch.bezier_triangle([[(0, 0, 0), (0, 1, 0)], [(1, 0, t)]])], ValueError, "surface 1 is a single point"),
    ([pinched()] * 3, ValueError, "surface 1 of the sheet is surface 0 again"), ([], TypeError, "takes a ParametricSurface"),
    ([pinched(), 3], TypeError, "takes a ParametricSurface"),
    ([pinched(), ParametricSurface([u, v, Parameter("a") * u], {u: (0, 1), v: (0, 1)})], ValueError, "surface 1 contains the parameter a"),
    (ParametricSurface([u, u, t], {u: (0, 1), v: (0, 1)}), ValueError, "vanishes")])
def test_bad_surfaces(bodies, error, words):
    with pytest.raises(error, match=words):
        self_contact(bodies, (0, 1))


def test_a_small_budget_returns_what_is_proved():
    c = self_contact(pinched(), (0, 2), budget=collide.Budget(boxes=8))
    assert c.status is Status.BUDGET_SPENT and c.clear_until <= 1
    wild = patch.bezier_patch([[(R(i, 3) + t * R(3 * i % 5, 4), R(j, 3), t * R(i * j % 7, 3) - t * R(2, 3)) for j in range(4)]
                               for i in range(4)])
    for boxes in (1, 100):
        c = self_contact(wild, (0, 9), budget=collide.Budget(boxes=boxes))
        assert c.status is Status.BUDGET_SPENT and "the budget did not suffice" in c.summary() and c.clear_until < 9


def test_interrupted_while_neighbours_are_proved(monkeypatch):
    calls = []

    def stop(*given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return examined(*given)

    examined = injective._examined
    monkeypatch.setattr(injective, "_examined", stop)
    c = self_contact(pinched(), (0, 2))
    assert len(calls) == 3 and c.status is Status.BUDGET_SPENT and c.clear_until <= 1


ROLLED = [sp.sin(t * u) / t, (1 - sp.cos(t * u)) / t, v]


@pytest.mark.parametrize(("bodies", "pair"), [
    ([over(ROLLED, 0, 1)], (0, 0)), ([over(ROLLED, turned=True)], (0, 0)), ([over(ROLLED, 0, R(1, 2)), over(ROLLED, R(1, 2), 1)], (0, 1)),
    ([over([*ROLLED[:2], v + u * (1 - u) / 9], 0, 1)], (0, 0)), ([over([(sp.cos(t * u) - 1) / t, sp.sin(t * u) / t, v], 0, 1)], (0, 0))],
    ids=["one", "turned", "in two", "bulging", "sidewards"])
def test_a_strip_rolls_up_into_a_tube(bodies, pair):
    """The radius is 1/t, so two sides meet along all their length when t = 2 pi; nothing crosses there."""
    c = self_contact(bodies, (1, 7), budget=Budget(boxes=400_000))
    assert c.status is Status.CONTACT and c.existence.all() and not c.proved.any() and set(map(tuple, c.pairs.tolist())) == {pair}
    assert sp.Rational(c.time.lo) < 2 * sp.pi < sp.Rational(c.time.hi) and c.time.hi - c.time.lo < 1e-6
    assert c.clear_until == c.time.lo and {name.split()[0] for feature in c.features for name in feature} == {"edge"}
    assert np.abs(c.points[:, :2]).max() < 1e-6 and np.diff(np.sort([0, *c.points[:, 2], 1])).max() < 0.05


def test_a_strip_that_rolls_up_askew_is_not_called_in_contact():
    """At t = 2 pi one side is 1e-9 higher than the other: they slide past each other."""
    body = [ROLLED[0], ROLLED[1] + u / 10**9, v]
    c = self_contact(over(body, 0, 1), (1, R(63, 10)), budget=Budget(boxes=200_000))
    assert c.status is not Status.CONTACT and c.clear_until > 2 * math.pi - 1e-3


BETWEEN = 1 - t + (u - R(3, 5)) ** 2 + (v - R(1, 2)) ** 2


@pytest.mark.parametrize(("sides", "turned"), [(u * v, True), (u * (1 - u) * v * (1 - v), False)], ids=["two", "four"])
def test_surfaces_that_share_sides_with_common_corners(sides, turned):
    """Halves of a pillow, open or closed, pressed together until they touch at u = 3/5, v = 1/2."""
    bodies = halves(sides * BETWEEN, turned)
    assert self_contact(bodies, (0, R(1, 2))).status is Status.NO_CONTACT
    c = self_contact(bodies, (R(1, 2), R(21, 20)))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True] and all(s is Start.DISJOINT for s in c.start.values())
    assert c.time.lo <= 1 <= c.time.hi < c.time.lo + 1e-9
    np.testing.assert_allclose(c.points, [[0.6 + 0.3 / 4, 0.5 - 0.36 / 5, 0.1]], atol=1e-7)
