"""Motions made of pieces: derivatives by time are known on either side of a change, not across it."""

import itertools
import math

import mpmath
import numpy as np
import pytest
import scipy.linalg
import sympy as sp

from collide import Budget, Start, Status, first_contact
from collide.bodies.numbers import NONE
from collide.bodies.parts import faces_of, parts_of
from collide.moment import start
from collide.search.clock import Clock
from collide.situations.contact import situation
from collide.timeline.kinks import stage_ends
from generative import ParametricSurface, Rigid, axis_angle, keyframes, t, u, v
from generative import changes as breaks
from generative.changes import joined_bodies, smooth_bodies
from tests.collide.contact_scenes import FLOOR, TILT, TURNED, Q, ball, box, move, sphere

# To and fro along x: at 4, 21/10, past the origin's ball at a distance of 1/10, and into it.
POSES = [(4, 0), (Q(21, 10), 0), (3, 2), (0, 0)]


def through(places, times):
    return keyframes([Rigid(rotation=axis_angle([0, 0, 1], Q(k, 5)), translation=[x, y, 0]) for k, (x, y) in enumerate(places)], times)


def test_stages_end_beside_the_changes():
    moved = ball().moved(through(POSES, [0, Q(1, 3), 1, 2]))
    ends = stage_ends([moved, FLOOR], (0.0, 2.0))
    third = 1 / 3, math.nextafter(1 / 3, 1)
    assert third[0] < Q(1, 3) < third[1]
    assert ends == [math.nextafter(e, side) for ends in (third, (1.0, 1.0)) for e, side in zip(ends, (-math.inf, math.inf), strict=True)]
    assert all(a < Q(1, 3) < b for a, b in [ends[:2]]) and not stage_ends([ball().moved(move(t, 0, 0)), FLOOR], (0.0, 2.0))


def test_contact_after_two_keyframes():
    """The centre of the ball goes the way of screws from (3, 2) to (0, 0): it is 2 from the origin first where a screw says so."""
    motion = through(POSES, [0, Q(1, 3), 1, 2])
    c = first_contact([ball().moved(TILT).moved(motion), ball().moved(TURNED)], (0, 2), budget=Budget(boxes=100_000))
    x, y, z = (sp.lambdify(t, e, "mpmath") for e in motion.apply((0, 0, 0)))
    distance = [math.sqrt(x(s) ** 2 + y(s) ** 2 + z(s) ** 2) for s in (c.time.lo, c.time.hi)]
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo > 1 and c.time.hi - c.time.lo < 1e-9
    assert distance[0] >= 2 - 1e-12 and distance[1] <= 2 + 1e-12
    assert all(x(s / 1000) ** 2 + y(s / 1000) ** 2 + z(s / 1000) ** 2 > 4 for s in range(int(1000 * c.time.lo)))


@pytest.mark.parametrize("depth, status", [(Q(1, 10**6), Status.CONTACT), (-Q(1, 100), Status.NO_CONTACT)])
def test_a_turn_back_at_a_keyframe(depth, status):
    there_and_back = keyframes([Rigid(translation=[x, 0, 0]) for x in (4, 2 - depth, 4)], [0, Q(1, 3), 2])
    c = first_contact([ball().moved(TILT).moved(there_and_back), ball().moved(TURNED)], (0, 2), budget=Budget(boxes=100_000))
    assert c.status is status
    if status is Status.CONTACT:
        assert Q(c.time.lo) <= Q(2, 3) / (2 + depth) <= Q(c.time.hi)


THIRD = Q(1, 3)
KINKS = {
    "keyframes": keyframes([Rigid(translation=[x, 0, 0]) for x in (1, 0, 2)], [0, THIRD, 2]).translation[0],
    "absolute value": sp.Abs(t - THIRD),
    "greatest": sp.Max(t - THIRD, 2 * (THIRD - t)),
    "pieces with two conditions": sp.Piecewise((THIRD - t, (t > -1) & (t <= THIRD)), (t - THIRD, True)),
    "a condition of twice the time": sp.Piecewise((THIRD - t, 2 * t < 2 * THIRD), (t - THIRD, True)),
}


@pytest.mark.parametrize("name", KINKS)
@pytest.mark.parametrize("gap", [Q(1, 10**4), Q(1, 10**6), Q(1, 10**8)])
def test_a_near_miss_at_a_kink_of_the_motion(name, gap):
    """The ball is nearest where its motion has a kink, and is then `gap` away."""
    moved = ball().moved(TILT).moved(move(2 + gap + KINKS[name], 0, 0))
    c = first_contact([moved, ball().moved(TURNED)], (0, 2), budget=Budget(seconds=None, boxes=10_000))
    assert c.status is Status.NO_CONTACT


@pytest.mark.parametrize("name", KINKS)
def test_what_meets_just_before_a_kink_is_found(name):
    moved = ball().moved(TILT).moved(move(2 - Q(1, 10**5) + KINKS[name], 0, 0))
    c = first_contact([moved, ball().moved(TURNED)], (0, 2), budget=Budget(seconds=None, boxes=10_000))
    speed = {"keyframes": 3, "greatest": 2}.get(name, 1)
    assert c.status is Status.CONTACT and Q(c.time.lo) <= THIRD - Q(1, 10**5) / speed <= Q(c.time.hi)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_body_that_is_in_the_way_for_a_moment_is_not_excluded(place):
    """It jumps: before, just at, or after t = 1/3, exactly, the balls overlap or the one is far away."""
    at = [1 if k == place else 5 for k in range(3)]
    motion = sp.Piecewise((at[0], t < THIRD), (at[1], sp.Eq(t, THIRD)), (at[2], True))
    begin = Q(1, 8) if place else 0
    c = first_contact([ball().moved(TILT).moved(move(motion, 0, 0)), ball().moved(TURNED)], (begin, Q(1, 2)),
                      budget=Budget(seconds=None, boxes=20_000))
    assert c.status is not Status.NO_CONTACT or c.start[0, 1] is Start.OVERLAPPING
    assert c.clear_until <= THIRD


def test_boxes_that_come_near_at_a_keyframe_in_a_tilted_frame():
    down = keyframes([Rigid(translation=[Q(1, 7), 0, h]) for h in (4, 1 + Q(1, 10**6), 4)], [0, THIRD, 2])
    c = first_contact([box(1, 1, 1).moved(down).moved(TILT), box(3, 3, 1).moved(TILT)], (0, 2), budget=Budget(seconds=None, boxes=10_000))
    assert c.status is Status.NO_CONTACT


def test_formulas_of_a_stage_across_a_moment():
    around = [math.nextafter(1 / 3, 0), math.nextafter(math.nextafter(1 / 3, 1), 1)]
    body = ball().moved(move(sp.Piecewise((1, t < THIRD), (2, sp.Eq(t, THIRD)), (3, True)), 0, 0))
    assert [b.motion.translation[0] for (b,) in smooth_bodies([body], *around)] == [1, 2, 3]
    kinked = ball().moved(move(sp.Abs(t - THIRD) + sp.Min(t, THIRD), 0, 0))
    assert {sp.expand(b.motion.translation[0]) for (b,) in smooth_bodies([kinked], *around)} == {THIRD, t - THIRD + THIRD}
    other = ball().moved(move(sp.Abs(t - THIRD - Q(1, 10**20)), 0, 0))
    beside = ball().moved(move(sp.Piecewise((1, 2 * t < 2 * THIRD + Q(1, 10**20)), (2, True)), 0, 0))
    assert not smooth_bodies([body, beside], *around)
    assert not smooth_bodies([body, other], *around) and not smooth_bodies([body], 0.0, 1.0) and not smooth_bodies([ball()], *around)


@pytest.mark.parametrize("name, upper, lower, at", [
    ("parametric", ball().moved(TILT), ball().moved(TURNED), (1, 0, 0)), ("implicit", sphere(), sphere(), (1, 0, 0)),
    ("of both kinds", sphere(), ball().moved(TURNED), (1, 0, 0))])
def test_what_touches_just_at_a_kink_is_located(name, upper, lower, at):
    """No search proves anything there, since the motion has no derivative; but the time is bracketed, and the place found. That surfaces
    have it in common is proved where its numbers are simple.
    """
    c = first_contact([upper.moved(move(2 + sp.Abs(t - THIRD), 0, 0)), lower], (0, 2), budget=Budget(seconds=None, boxes=100_000))
    if name == "implicit":
        assert c.status is Status.CONTACT and not c.notes
    else:
        assert c.status is Status.UNRESOLVED and not c.existence.any() and "changes its formula" in c.summary()
    assert Q(c.time.lo) <= THIRD <= Q(c.time.hi) and 0 <= THIRD - Q(c.clear_until) < 1e-12 and c.time.hi < 0.333335
    assert abs(c.points - at).max() < 1e-5


def test_what_touches_at_a_kink_and_meets_later():
    """The ball turns back just where it touches, and comes again: the first contact is at 1/3 or at 1, which rounding cannot tell."""
    away = sp.Min(sp.Abs(t - THIRD), 1 - t)
    c = first_contact([ball().moved(TILT).moved(move(2 + away, 0, 0)), ball().moved(TURNED)], (0, 2), budget=Budget(boxes=100_000))
    assert c.status is Status.CONTACT and Q(c.time.lo) <= THIRD and Q(c.time.hi) >= 1 and c.time.hi < 1 + 1e-9
    assert "changes its formula" in c.summary()


ONWARDS = {
    "slower": sp.Max(THIRD - t, (THIRD - t) / 2), "faster": sp.Min(THIRD - t, 2 * (THIRD - t)),
    "pieces": sp.Piecewise((THIRD - t, t < THIRD), ((THIRD - t) / 2, True)),
    "keyframes": keyframes([Rigid(translation=[x, 0, 0]) for x in (1, 0, -1)], [0, THIRD, 2]).translation[0],
}
PAIRS = {"parametric": (ball().moved(TILT), ball().moved(TURNED)), "implicit": (sphere(), sphere()), "of both kinds": (sphere(), ball())}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("name", ONWARDS)
def test_what_meets_just_at_a_kink_and_goes_on_is_proved(name, pair):
    upper, lower = PAIRS[pair]
    c = first_contact([upper.moved(move(2 + ONWARDS[name], 0, 0)), lower], (0, 2), budget=Budget(seconds=None, boxes=100_000))
    assert c.status is Status.CONTACT and c.time.hi - c.time.lo < 2e-6 and c.clear_until == c.time.lo
    # What comes within 1e-6 of the time, at half the speed, is not much farther than 1e-3 away.
    assert Q(c.time.lo) <= THIRD <= Q(c.time.hi) and np.linalg.norm(c.points - (1, 0, 0), axis=1).max() < 2e-3


@pytest.mark.parametrize("early", [Q(1, 10**7), Q(1, 10**10), Q(1, 10**13), -Q(1, 10**13), -Q(1, 10**10), -Q(1, 10**7)])
def test_what_meets_beside_a_kink_and_goes_on(early):
    """At the distance of 1 where the time is 1/3 - early, or half as fast later: then 1/3 - 2 early."""
    moved = sphere().moved(move(0, 0, 1 - early + ONWARDS["pieces"])).moved(TILT)
    c = first_contact([moved, FLOOR.moved(TILT)], (0, 2), budget=Budget(seconds=None, boxes=100_000))
    assert c.status is Status.CONTACT and c.time.hi - c.time.lo < 1e-8
    assert Q(c.time.lo) <= THIRD - (early if early > 0 else 2 * early) <= Q(c.time.hi)


def test_solids_that_land_flat_at_a_keyframe():
    down = keyframes([Rigid(translation=[Q(1, 9), Q(1, 13), h]) for h in (4, 1, 0)], [0, THIRD, 2])
    c = first_contact([box(1, 1, 1).moved(down).moved(TILT), box(3, 3, 1).moved(TILT)], (0, 2), spacing=0.2,
                      budget=Budget(seconds=None, boxes=200_000))
    assert c.status is Status.CONTACT and Q(c.time.lo) <= THIRD <= Q(c.time.hi) and c.time.hi - c.time.lo < 1e-9


def test_formulas_that_meet_are_joined():
    window = 0.25, 0.5
    body = ball().moved(move(ONWARDS["pieces"] * sp.cos(t), ONWARDS["keyframes"], sp.Abs(t - THIRD)))
    (joined,) = joined_bodies([body], window)
    for time in (Q(1, 4), Q(3, 10), THIRD, Q(2, 5), Q(1, 2)):
        values = [[e.xreplace({t: time}) for e in b.motion.translation] for b in (body, joined)]
        assert [sp.simplify(a - b) for a, b in zip(*values, strict=True)] == [0, 0, 0]
    assert not joined.motion.translation.has(sp.Piecewise) and joined_bodies([ball(), joined], window) == (ball(), joined)


@pytest.mark.parametrize("jump", [
    sp.Piecewise((THIRD - t, t < THIRD), (THIRD - t + Q(1, 10**20), True)), sp.Piecewise((1, t < THIRD), (2, sp.Eq(t, THIRD)), (1, True)),
    sp.Piecewise((0, t < THIRD), (sp.Abs(t - THIRD), t < Q(2, 5)), (0, True)), t], ids=["a gap", "a point", "two moments", "none"])
def test_formulas_that_do_not_meet_or_change_more_than_once_are_not_joined(jump):
    assert joined_bodies([ball().moved(move(jump, 0, 0))], (0.25, 0.5)) == ()


@pytest.mark.parametrize("e, trusted", [
    (sp.Abs(t - THIRD), True), (sp.Min(t, THIRD) * u, True), (sp.Abs(u - v / 8) * sp.Abs(t - THIRD), False),
    (sp.Max(u, t - THIRD), False), (sp.floor(t + Q(2, 3)), False), (sp.sqrt(sp.Abs(t - THIRD)), False)])
def test_tangency_is_trusted_where_bodies_are_smooth_in_space_and_continuous_in_time(e, trusted):
    """Of a patch that moves by, or deforms with, what has a kink or jumps at u = 0 or t = 1/3."""
    patch = ParametricSurface([u, v, u**2 + v**2 + e], {u: (-1, 1), v: (-1, 1)})
    problem = situation(*(parts_of(b)[0] for b in (patch, ball().moved(TILT))), (0, 1))
    lo, hi = np.array([[-0.1, -0.1, 3, 0.1, 0.3]]), np.array([[0.1, 0.1, 3.2, 0.2, 0.4]])
    values = tuple(problem.parameters.T) if len(problem.parameters) else None
    bounds = problem.range_kernel.interval(lo, hi, parameters=values)[0][0, 3:5]
    assert np.isfinite(bounds).all() == trusted


UNBOUNDED = {
    "a root at the start": sp.sqrt(t) / 2,
    "a cube root at the start": sp.cbrt(t) / 2,
    "a power of 3/2": t * sp.sqrt(t),
    "three at the start": sp.Max(-t / 2, t**2 / 3, t**3 / 5),
    "where curves cross": sp.Max(sp.sin(3 * t), sp.cos(2 * t)) / 4,
    "a greatest one of a greatest one": sp.Max(t / 2, sp.Max(t / 3, 2 * t - 1) ** 2),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_a_moment_at_which_derivatives_by_time_are_unbounded_is_passed(name):
    """The corner of a triangle, a collapsed side, meets a ball: where `ahead`, the square of its distance less 1, is zero."""
    aside = Q(1, 3) + UNBOUNDED[name] / 4
    triangle = ParametricSurface([u, u * v, 0], {u: (0, 1), v: (0, 1)}).moved(move(aside, Q(1, 2), 3 - 3 * t))
    c = first_contact([triangle, ball()], (0, 1), budget=Budget(boxes=20_000))
    ahead = sp.lambdify(t, aside**2 + Q(1, 4) + (3 - 3 * t) ** 2 - 1, "mpmath")
    assert c.status is Status.CONTACT and c.proved.all() and len(c) == 1 and c.time.hi - c.time.lo < 1e-9
    assert ahead(mpmath.mpf(c.time.lo)) > -1e-12 and ahead(mpmath.mpf(c.time.hi)) < 1e-12
    assert all(ahead(mpmath.mpf(c.time.lo) * k / 100) > 0 for k in range(100))


def test_keyframes_between_exact_turns_about_several_axes():
    """Their formulas have forty thousand operations, which SymPy would take minutes to print."""
    poses = [move(4, 0, 0), Rigid(axis_angle([0, 0, 1], 1), [0, 3, 0]), Rigid(axis_angle([1, 0, 1], 2), [-Q(1, 2), 1, 0])]
    motion = keyframes(poses, [0, THIRD, 1])
    c = first_contact([ball().moved(motion), sphere()], (0, 1), budget=Budget(boxes=20_000))
    first, last = (np.block([[np.array(p.rotation, float), np.array(p.translation, float)], [np.zeros(3), 1]]) for p in poses[1:])
    turn = scipy.linalg.logm(last @ np.linalg.inv(first))
    distance = [np.linalg.norm((scipy.linalg.expm(1.5 * (s - 1 / 3) * turn) @ first)[:3, 3]) for s in c.time]
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo > THIRD and c.time.hi - c.time.lo < 1e-9
    assert distance[0] >= 2 - 1e-9 and distance[1] <= 2 + 1e-9


def composed():
    """A box carried by three motions of pieces, one on the other: it stays between 2 and 9 from the origin's plane."""
    def pieces(*formulas):
        return sp.Piecewise((formulas[0], t < 1), (formulas[1], t < 2), (formulas[2], True))

    motions = [Rigid(axis_angle([1, 2, 2], pieces(t, 2 * t - 1, 3 * t - 3)), [pieces(t, 2 * t - 1, 3), 0, 0]),
               Rigid(axis_angle([1, 0, 2], pieces(t, 2 * t - 1, 3 * t - 3)), [0, pieces(t / 7, t / 7, Q(2, 7)), 0]),
               Rigid(axis_angle([1, 1, 2], sp.Abs(t - 1)), [0, 0, sp.Max(t, 2 * t - 1)])]
    body = box(1, 1, 1)
    for motion in motions:
        body = body.moved(motion)
    return body


def test_where_bodies_are_far_from_each_other_as_pieces_change_no_formulas_are_made(monkeypatch):
    """Those of three composed motions, face by face, took seconds that no budget ended."""
    monkeypatch.setattr("collide.timeline.scene.smooth_bodies", lambda *known: pytest.fail("formulas of a moment were made"))
    c = first_contact([composed().moved(move(0, 0, 9)), box(1, 1, 1).moved(TILT)], (0, 3), budget=Budget(seconds=None, boxes=100_000))
    assert c.status is Status.NO_CONTACT


def test_formulas_of_a_moment_are_found_once_for_what_faces_have_in_common(monkeypatch):
    """The six faces of a box share their motion: the functions that change in it, which are few, are looked at a few times."""
    looked = []
    monkeypatch.setattr("generative.changes._differences", lambda kink, known=breaks._differences: looked.append(kink) or known(kink))
    for cached in (breaks._moments, breaks._at_moment, breaks.branch, breaks.atoms_of):
        cached.cache_clear()
    bodies, = smooth_bodies([composed()], 1.0, 1.0)
    assert not any(e.has(sp.Piecewise, sp.Abs, sp.Max) for face in bodies[0].faces for e in face.motion.entries) and len(looked) < 200


def test_no_more_is_converted_when_the_time_is_up_as_a_moment_is_looked_at(monkeypatch):
    made = []
    meeting = start._meeting
    monkeypatch.setattr("collide.moment.start._meeting", lambda pairs, *known: made.append(pairs) or meeting(pairs, *known))
    clock = Clock(Budget(seconds=1e-9))
    faces = [faces_of(b) for b in (box(1, 1, 1), box(1, 1, 1).moved(move(0, 0, Q(3, 2))).moved(TILT))]
    assert not start.apart_within(list(itertools.product(*faces)), (1.0, 1.0), 1e-9, clock, (NONE, NONE)) and len(made) == 1


@pytest.mark.parametrize("begin, simultaneity", [(10**12, 1e-6), (10**9, 1e-15), (-10**12, 1e-6)])
def test_a_kink_late_in_time_is_told_to_some_roundings(begin, simultaneity):
    """There what was asked to count as simultaneous is less than one rounding of the time. The ball touches the floor just at the kink."""
    kink = begin + 1
    down = ball().moved(TURNED).moved(move(0, 0, 1 + sp.Max(0, kink - t) / 2 - sp.Max(0, t - kink)))
    c = first_contact([down, FLOOR], (begin, begin + 3), simultaneity=simultaneity)
    assert c.status is Status.CONTACT and c.time.lo <= kink <= c.time.hi and c.time.hi - c.time.lo <= 40 * math.ulp(begin)
