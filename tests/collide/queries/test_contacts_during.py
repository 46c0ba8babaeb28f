"""All contacts in a span of time. The referees are closed forms, in exact or 40-digit arithmetic, and dense sampling."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.spatial import ConvexHull

import collide
from collide import Spell, Status
from generative import IDENTITY, ImplicitSurface, ParametricSurface, Rigid, Screw, solids, t, u, v, x, y, z
from generative.fit import motion_through
from generative.primitives import ball, block

Q = sp.Rational
SPHERE = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
PLATE = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
TOLERANCE = 1e-6


def patch(r, motion=IDENTITY):
    return ParametricSurface([r * sp.cos(u) * sp.cos(v), r * sp.sin(u) * sp.cos(v), r * sp.sin(v)], SPHERE, motion=motion)


def assert_spells(stretches, kinds, ends):
    """Are there these spells, whose inner ends are those numbers, in order, and in narrow brackets?"""
    assert [s.kind for s in stretches] == kinds
    for former, later, exact in zip(stretches[:-1], stretches[1:], ends, strict=True):
        assert tuple(former.end) == tuple(later.begin), "the end of a spell is the beginning of the next"
        lo, hi = former.end
        assert lo <= exact <= hi <= lo + TOLERANCE, f"{exact} in [{lo!r}, {hi!r}]"


APART, MEET, OPEN = Spell.SEPARATION, Spell.CONTACT, Spell.UNDECIDED
PASSING = Rigid(translation=[t - 3, Q(1, 2), 0])


@pytest.mark.parametrize("kinds", ["patches", "implicit", "mixed", "one encloses the other", "recorded"])
def test_two_balls_pass_when_a_quadratic_has_its_roots(kinds):
    r1, r2, motion = {"one encloses the other": (2, Q(1, 2), PASSING)}.get(kinds, (1, 1, PASSING))
    if kinds == "recorded":
        times = np.linspace(0, 6, 9)
        motion = motion_through(times, np.tile([1.0, 0, 0, 0], (9, 1)), np.stack([times - 3, 0 * times + 0.5, 0 * times], 1)).value
    first = ball(r1) if kinds in ("implicit", "mixed") else patch(r1)
    second = (ball(r2) if kinds == "implicit" else patch(r2)).moved(motion)
    r = collide.contacts_during([first, second], (0, 6))
    with mpmath.workdps(40):
        roots = [3 + sign * mpmath.sqrt(mpmath.mpf(r1 + s * r2) ** 2 - mpmath.mpf(1) / 4) for s in (1, -1) for sign in (1, -1)
                 if (r1 + s * r2) ** 2 > 0.25]  # fmt: skip
        spells = [APART, MEET, APART] if len(roots) == 2 else [APART, MEET, APART, MEET, APART]
        assert r.status is Status.CONTACT
        assert_spells(r.of(1, 0), spells, sorted(roots))


def hull(points):
    """A mesh of the convex hull of points, seen from outside."""
    points, found = np.array(points, float), ConvexHull(points)
    outward = [np.linalg.det(points[s]) > 0 for s in found.simplices]
    return collide.Mesh(points, np.where(np.array(outward)[:, None], found.simplices, found.simplices[:, ::-1]).astype(int))


CUBE, SPIKES = hull([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]), hull(np.concatenate([np.eye(3), -np.eye(3)]) / 2)


@pytest.mark.parametrize("kind", ["patch", "implicit", "recorded patch", "mesh", "recorded mesh"])
def test_what_goes_through_a_mesh_meets_its_surface_twice(kind):
    """A cube of triangles, and what reaches 1/2 along its way on both sides. While its tips are in a face's plane, at the times 2 and 4, a
    mesh crosses the face in edges alone.
    """
    times = np.linspace(0, 6, 9)
    recorded = motion_through(times, np.tile([1.0, 0, 0, 0], (9, 1)), np.stack([times - 3, 0 * times + 0.25, 0 * times + 0.125], 1)).value
    motion = recorded if "recorded" in kind else Rigid(translation=[t - 3, Q(1, 4), Q(1, 8)])
    body = {"patch": patch(Q(1, 2)), "mesh": SPIKES}.get(kind.split()[-1], ball(Q(1, 2)))
    r = collide.contacts_during([CUBE, body.moved(motion)], (0, 6))
    meets = [MEET, OPEN, MEET] if "mesh" in kind else [MEET]
    ends = [1.5, *([2, 2] if "mesh" in kind else []), 2.5, 3.5, *([4, 4] if "mesh" in kind else []), 4.5]
    assert_spells(r.of(0, 1), [APART, *meets, APART, *meets, APART], ends)


def test_a_mesh_that_turns_in_a_ball_meets_it_while_a_corner_is_outside():
    """A cube of half-diagonal sqrt(3) turns about a vertical line 1/4 beside the ball's centre: its corners are outside a ball of radius
    19/10 while the distance of one is more.
    """
    turning = Rigid(translation=[Q(1, 4), 0, 0]) @ Screw([0, 0, 1], angle=t)
    r = collide.contacts_during([CUBE.moved(turning), patch(Q(19, 10))], (0, 3))
    with mpmath.workdps(40):
        reach = mpmath.acos((mpmath.mpf(361) / 100 - 3 - mpmath.mpf(1) / 16) * 2 / mpmath.sqrt(2))
        corner = mpmath.pi / 4, 3 * mpmath.pi / 4
        assert_spells(r.of(0, 1), [APART, MEET] * 2, [corner[0] - reach, corner[0] + reach, corner[1] - reach])


TILTED = solids.capsule(Q(1, 4), 1).moved(Screw([1, 0, 0], angle=Q(1, 2)))


@pytest.mark.parametrize("body", [patch(Q(1, 4)), ball(Q(1, 4)), block((Q(1, 2), Q(1, 2), Q(1, 2))), TILTED])
def test_a_body_that_swings_meets_a_plate_again_and_again(body):
    """It reaches 1/4 below its origin, which is 1/2 + cos(3 t)/2 high, so it crosses the plate where the cosine is below -1/2."""
    height = Q(1, 2) + sp.cos(3 * t) / 2
    r = collide.contacts_during([PLATE, body.moved(Rigid(translation=[0, 0, height]))], (0, 6))
    with mpmath.workdps(40):
        exact = [(2 * mpmath.pi * k + sign * 2 * mpmath.pi / 3) / 3 for k in range(4) for sign in (-1, 1)]
        assert_spells(r.of(0, 1), [APART, MEET] * 3 + [APART], sorted(e for e in exact if 0 < e < 6))


def test_a_corner_of_a_box_dips_into_a_plate():
    """A cube that stands on its corner sinks and rises: h(t) = 2 - t (4 - t)/2, and the corner is sqrt(3)/2 below its centre."""
    turned = Screw([1, -1, 0], angle=sp.acos(1 / sp.sqrt(3)))
    cube = block((1, 1, 1)).moved(Rigid(translation=[0, 0, 2 - t * (4 - t) / 2]) @ turned)
    r = collide.contacts_during([PLATE, cube], (0, 4))
    with mpmath.workdps(40):
        root = mpmath.sqrt(4 - 2 * (2 - mpmath.sqrt(3) / 2))
        assert_spells(r.of(0, 1), [APART, MEET, APART], [2 - root, 2 + root])


def test_a_ball_passes_over_the_end_of_a_plate():
    """It is cut by the plane in a disc of radius sqrt(3)/4, which leaves the plate at x = 2: the plane beyond is no part of the plate."""
    for body in (patch(Q(1, 2)), ball(Q(1, 2))):
        r = collide.contacts_during([PLATE, body.moved(Rigid(translation=[t, Q(1, 3), Q(1, 4)]))], (0, 4))
        with mpmath.workdps(40):
            assert_spells(r.of(0, 1), [MEET, APART], [2 + mpmath.sqrt(3) / 4])


def test_a_ball_falls_through_a_ring():
    """It has room in the middle; beside it, it meets the ring above and below: in the plane of both centres two discs pass."""
    torus = ParametricSurface([(1 + sp.cos(v) / 4) * sp.cos(u), (1 + sp.cos(v) / 4) * sp.sin(u), sp.sin(v) / 4],
                              {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
    through = collide.contacts_during([torus, patch(Q(1, 2), Rigid(translation=[Q(1, 8), 0, 2 - t]))], (0, 4))
    assert through.status is Status.NO_CONTACT and [s.kind for s in through.of(0, 1)] == [APART]
    r = collide.contacts_during([torus, patch(Q(1, 2), Rigid(translation=[Q(1, 2), 0, 2 - t]))], (0, 4))
    with mpmath.workdps(40):
        root = mpmath.sqrt(mpmath.mpf(9) / 16 - mpmath.mpf(1) / 4)
        assert_spells(r.of(0, 1), [APART, MEET, APART], [2 - root, 2 + root])


@pytest.mark.parametrize(("aside", "status", "kind"), [(0, Status.CONTACT, MEET), (sp.sqrt(2) / 8, Status.UNRESOLVED, OPEN)])
def test_a_touch_for_an_instant_is_decided_where_its_place_has_simple_numbers(aside, status, kind):
    """A ball comes down to a plate at just its radius, and rises again."""
    r = collide.contacts_during([PLATE, patch(1, Rigid(translation=[aside, 0, 1 + (t - 1) ** 2]))], (0, 3))
    assert r.status is status
    before, touch, after = r.of(0, 1)
    assert [before.kind, touch.kind, after.kind] == [APART, kind, APART]
    assert before.end == touch.begin == touch.end == after.begin and touch.begin[0] <= 1 <= touch.begin[1] <= touch.begin[0] + TOLERANCE


@pytest.mark.parametrize(("time", "kinds"), [((0, 3), [APART, MEET]), ((3, 6), [MEET, APART]), ((2, 4), [MEET]), ((0, 1), [APART])])
def test_spells_begin_and_end_with_the_span(time, kinds):
    r = collide.contacts_during([ball(), patch(1, PASSING)], time)
    spells = r.of(0, 1)
    assert [s.kind for s in spells] == kinds and tuple(spells[0].begin) == (time[0],) * 2 and tuple(spells[-1].end) == (time[1],) * 2


def test_what_moves_together_touches_always_or_never():
    carried = Rigid(translation=[t, sp.sin(t), 0]) @ Screw([1, 2, 2], angle=t)
    bodies = [patch(1, carried), ball().moved(carried @ Rigid(translation=[1, 0, 0])), ball().moved(carried @ Rigid(translation=[0, 4, 0]))]
    r = collide.contacts_during(bodies, (0, 9))
    assert [[s.kind for s in r.of(*pair)] for pair in ((0, 1), (0, 2), (1, 2))] == [[MEET], [APART], [APART]]


def test_surfaces_that_coincide_are_undecided():
    """Two equal balls pass through each other: at t = 0 they are the same, and no point in common can be proved."""
    r = collide.contacts_during([ball(), ball().moved(Rigid(translation=[t, 0, 0]))], (-3, 3))
    spells = r.of(0, 1)
    assert [s.kind for s in spells][:2] == [APART, MEET] and [s.kind for s in spells][-2:] == [MEET, APART]
    assert all(s.begin[0] <= 0 <= s.end[1] for s in spells if s.kind is OPEN)
    assert spells[0].end[0] <= -2 <= spells[0].end[1] and spells[-1].begin[0] <= 2 <= spells[-1].begin[1]


def test_a_crossing_along_an_edge_alone_is_undecided():
    """An upright capsule sinks until the seam of its hemisphere lies in the plate, where no point of a face proves that they cross."""
    body = solids.capsule(Q(1, 4), 1).moved(Rigid(translation=[0, 0, (t - 1) ** 2]))
    r = collide.contacts_during([PLATE, body], (0, 2))
    first, *middle, last = r.of(0, 1)
    assert first.kind is APART and last.kind is APART and first.end[0] <= 0.5 <= first.end[1] <= last.begin[0] <= 1.5
    assert {s.kind for s in middle} == {MEET, OPEN} and all(s.begin[0] > 0.9999 and s.end[1] < 1.0001 for s in middle if s.kind is OPEN)


def test_jumps_and_kinks_of_motions_end_spells_too():
    """A ball is put into a plate at t = 1, and out of it at t = 2; another one turns back in the plate."""
    height = sp.Piecewise((2, t < 1), (Q(1, 8), t < 2), (2, True))
    jumping = collide.contacts_during([PLATE, ball(Q(1, 2)).moved(Rigid(translation=[0, 0, height]))], (0, 3))
    assert_spells(jumping.of(0, 1), [APART, MEET, APART], [1, 2])
    turning = collide.contacts_during([PLATE, ball(Q(1, 2)).moved(Rigid(translation=[0, 0, Q(1, 8) + sp.Abs(t - 1)]))], (0, 2))
    assert_spells(turning.of(0, 1), [APART, MEET, APART], [Q(5, 8), Q(11, 8)])


@pytest.mark.parametrize("seed", range(3))
def test_spells_of_random_scenes_agree_with_dense_samples(seed):
    """Balls on ellipses and an ellipsoid: at 4,000 moments the signs of functions on dense grids tell whether surfaces cross."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(0.4, 1.2, 3)
    egg = ImplicitSurface((x / Q(a)) ** 2 + (y / Q(b)) ** 2 + (z / Q(c)) ** 2 - 1, [(-2, 2)] * 3).moved(Screw([1, 1, 0], angle=t))
    way = [Q(e) * sp.cos(Q(w) * t) + Q(d) for e, w, d in zip(rng.uniform(0.5, 2, 3), rng.uniform(0.5, 2, 3), rng.uniform(-0.5, 0.5, 3),
                                                              strict=True)]
    small = patch(Q(1, 2), Rigid(translation=way))
    r = collide.contacts_during([egg, small], (0, 6), budget=60)
    spells, moments = r.of(0, 1), np.linspace(0.0007, 5.9993, 4000)
    angles = np.stack(np.meshgrid(np.linspace(0, 2 * np.pi, 60), np.linspace(-np.pi / 2, np.pi / 2, 30), indexing="ij"), -1).reshape(-1, 2)
    sphere = 0.5 * np.stack([np.cos(angles[:, 0]) * np.cos(angles[:, 1]), np.sin(angles[:, 0]) * np.cos(angles[:, 1]),
                             np.sin(angles[:, 1])], -1)
    at = sp.lambdify([x, y, z, t], egg.expression, "numpy")
    centre = sp.lambdify(t, way, "numpy")
    seen = 0
    for moment in moments:
        f = at(*(sphere + np.array(centre(moment))).T, moment)
        crosses = f.min() < -0.02 and f.max() > 0.02
        (own,) = [s for s in spells if s.begin[0] <= moment <= s.end[1]][:1]
        surely = own.begin[1] < moment < own.end[0]
        seen += crosses
        assert not (crosses and surely and own.kind is APART), f"they cross at {moment}"
        assert not (surely and own.kind is MEET and (f.min() > 0.1 or f.max() < -0.1)), f"they do not meet at {moment}"
    assert seen > 50 and MEET in [s.kind for s in spells]


def test_pairs_that_are_ignored_have_no_spells():
    bodies = [PLATE.named("plate"), ball(Q(1, 2), (0, 0, Q(1, 4))), ball(Q(1, 4)).moved(Rigid(translation=[t - 3, 0, Q(3, 4)]))]
    r = collide.contacts_during(bodies, (0, 6), ignore=[("plate", 1)])
    assert r.pairs.tolist() == sorted(r.pairs.tolist()) and [0, 1] not in r.pairs.tolist()
    assert MEET in [s.kind for s in r.of(1, 2)] and [s.kind for s in r.of(0, 2)] == [APART]
    with pytest.raises(ValueError, match="nothing is known of bodies 0 and 1"):
        r.of(0, 1)


@pytest.mark.parametrize("budget", [1e-9, collide.Budget(boxes=1), collide.Budget(seconds=0.05)])
def test_a_spent_budget_leaves_what_is_proved(budget):
    bodies = [patch(1), patch(1, PASSING), block((1, 1, 1)).moved(Rigid(translation=[0, 5 - t, 0]))]
    r = collide.contacts_during(bodies, (0, 6), budget=budget)
    assert r.status is Status.BUDGET_SPENT and "What ended the work" in r.summary() and "proved" not in r.summary().split(".")[0]
    if budget == 1e-9:
        assert [s.kind for pair in ((0, 1), (0, 2), (1, 2)) for s in r.of(*pair)] == [OPEN] * 3
    for s in r.of(0, 1):
        if s.kind is MEET:
            assert s.begin[1] >= 1.0635083268962914 and s.end[0] <= 4.936491673103709
        if s.kind is APART:
            assert s.end[0] <= 1.0635083268962916 or s.begin[1] >= 4.936491673103708


def test_ctrl_c_leaves_what_is_proved(monkeypatch):
    from collide.timeline import spells

    looked = []

    def interrupted(self, clock):
        looked.append(1)
        if len(looked) == 2:
            raise KeyboardInterrupt
        return real(self, clock)

    real = spells.Spells.look
    monkeypatch.setattr(spells.Spells, "look", interrupted)
    r = collide.contacts_during([ball(), patch(1, PASSING)], (0, 6))
    assert r.status is Status.BUDGET_SPENT and "interrupted" in r.summary() and {OPEN, MEET} & {s.kind for s in r.of(0, 1)}


@pytest.mark.parametrize(("change", "message"), [
    ({"bodies": [ball()]}, "at least two bodies"), ({"bodies": ball()}, "contacts_during takes a list of bodies"),
    ({"bodies": [ball(), collide.Mesh(np.eye(3), np.zeros((0, 3), int))]}, "body 1 is a mesh without triangles"),
    ({"time": (1, 0)}, "time span must go forward"), ({"tolerance": 0}, "tolerance must be a number"),
    ({"ignore": [(0, 1)]}, "leaves no pair of bodies"), ({"ignore": [(0, 7)]}, "ignore names body 7"), ({"budget": -1}, "budget's seconds"),
])  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        collide.contacts_during(**{"bodies": [ball(), patch(1, PASSING)], "time": (0, 6), **change})
