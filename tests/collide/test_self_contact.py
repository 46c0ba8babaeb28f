"""Contact of a surface with itself, and with a neighbour along a shared side: closed forms, and what is not covered."""

import math

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Start, Status, self_contact
from collide.glue import along_side, with_itself
from generative import ParametricSurface, Screw, patch, t, u, v

R = sp.Rational
W = u + R(1, 7)


def pinched(gap=0, bulge=1, span_v=(-1, R(9, 8))):
    """A tube whose waist closes: at t = 1 + gap the points u + 1/7 = pi/2 and 3 pi/2 meet at v = 0 in the origin."""
    return ParametricSurface([2 * sp.cos(W), v, sp.sin(W) * (sp.cos(W) ** 2 + bulge * v**2 + 1 + gap - t)], {u: (0, 2 * sp.pi), v: span_v})


def hinge(reverse=False):
    """A plate, and a bent plate that turns on one side of it; the bend touches the plate at u = 3/4, v = 2/5, tan(2 - t) = 9/32."""
    along = 1 - v if reverse else v
    bend = -(1 - (along - R(2, 5)) ** 2 / 4) / 2 * u**2 * (R(3, 2) - u)
    c, s = sp.cos(2 - t), sp.sin(2 - t)
    plate = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    return plate, ParametricSurface([u * c - bend * s, along, u * s + bend * c], {u: (0, 1), v: (0, 1)})


def test_a_tube_pinches_at_one_point():
    c = self_contact(pinched(), (0, 2))
    assert c.status is Status.CONTACT and c.proved.tolist() == [True] and c.start == {(0, 1): Start.DISJOINT}
    assert c.time.lo <= 1 <= c.time.hi < 1 + 1e-9
    np.testing.assert_allclose(c.points, [[0, 0, 0]], atol=1e-9)
    assert {round(b, 6) for b in c.boxes[0].mean(axis=1)[[0, 2]]} == {round(k * math.pi / 2 - 1 / 7, 6) for k in (1, 3)}


def test_a_rigid_motion_changes_nothing():
    c = self_contact(pinched().moved(Screw([1, 2, 2], angle=t, advance=5 * t)), (0, 2))
    assert c.time.lo <= 1 <= c.time.hi < 1 + 1e-9 and c.proved.all()


def test_a_tube_pinches_along_a_line():
    c = self_contact(pinched(bulge=0, span_v=(0, 1)), (0, 2), separation=0.05)
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
    assert c.clear_until <= 0.6 <= c.time.hi and c.clear_until > 0.6 - 1e-9
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


def test_a_contact_at_a_side_of_two_patches_is_listed():
    # The second half of a B-spline sheet folds back over the first.
    points = np.array([[[i, 2 * j / 3, 0] for j in range(4)] for i in range(5)])
    speeds = np.zeros_like(points)
    speeds[3], speeds[4] = [-0.5, 0, 2.6], [-2.5, 0, 1.2]
    speeds[4, 1], speeds[4, 2] = [-2.8, 0.1, 0.3], [-2.8, -0.1, 0.2]
    ends = [0] * 4, [1] * 4
    sheet = collide.nurbs_to_bezier(points, [*ends[0], 0.5, *ends[1]], [*ends[0], *ends[1]], (3, 3), velocities=speeds)
    c = self_contact(sheet.surfaces(), (0, 2))
    assert c.status is Status.CONTACT and c.time.hi < c.time.lo + 1e-9 and len(c) > 0 and c.boxes[0][2, 1] == 1
    first, second = (np.array(s.expressions) for s in sheet.surfaces())
    u1, v1, u2, v2, moment = c.boxes[0].mean(axis=1)
    for place, at in ((first, (u1, v1)), (second, (u2, v2))):
        np.testing.assert_allclose([float(e.subs({u: at[0], v: at[1], t: moment})) for e in place], c.points[0], atol=1e-6)


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
    assert c.time == (0, 0) and c.start == {(0, 1): Start.UNKNOWN} and c.clear_until == 0


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
    assert c.start == {(0, 1): Start.DISJOINT} and c.status is Status.UNRESOLVED and "normal vanishes" in c.summary()
    assert c.clear_until > 0.6 * grid[areas < 0.05][0] > 0.3


def test_every_pair_is_injective_or_kept():
    """Random pairs of different places that share a point: all of them lie in the boxes that are kept."""
    rng = np.random.default_rng(7)
    # x and z of u and -u agree for every v, so each such pair is a contact.
    surface = ParametricSurface([u**3 - u / 2, v, u**2], {u: (-1, 1), v: (0, 1)})
    kept, left = with_itself(surface).pairs((0.0, 1.0))
    boxes = np.concatenate([kept, left])
    root = math.sqrt(0.5)
    for where, moment in rng.uniform(0, 1, (50, 2)):
        for first, second in ((root, -root), (-root, root)):
            p = np.array([first, where, second, where, moment])
            # sqrt(1/2) is rounded; so are the boxes' halves, which are dyadic.
            if ((boxes[:, :, 0] <= p + 1e-15) & (p - 1e-15 <= boxes[:, :, 1])).all(axis=1).any():
                break
        else:
            raise AssertionError(f"the contact at v = {where}, t = {moment} is in no pair of boxes")


def test_sides_are_found_whichever_way_they_run():
    for reverse in (False, True):
        glued = along_side(*hinge(reverse))
        assert (glued.across, glued.end) == (0, 0)
        assert glued.place == (-u, 1 - v if reverse else v)


BALL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
PLATES = [ParametricSurface([u, v, k], {u: (0, 1), v: (0, 1)}) for k in (0, 1)]


@pytest.mark.parametrize(("bodies", "words"), [(BALL, "single point"), (PLATES, "share one side")])
def test_bad_surfaces(bodies, words):
    with pytest.raises(ValueError, match=words):
        self_contact(bodies, (0, 1))


def test_other_bodies_are_refused():
    with pytest.raises(TypeError, match="takes a ParametricSurface"):
        self_contact([pinched()] * 3, (0, 1))


def test_a_small_budget_returns_what_is_proved():
    c = self_contact(pinched(), (0, 2), budget=collide.Budget(boxes=8))
    assert c.status in (Status.BUDGET_SPENT, Status.CONTACT) and c.clear_until <= 1
