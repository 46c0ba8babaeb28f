"""Motions that jump: what is known of them, and where they take a body into another one."""

import numpy as np
import pytest
import sympy as sp

from codegen.constants import enclose
from collide import Budget, Start, Status, first_contact
from collide.bodies.numbers import NONE, Numbers
from collide.timeline.jumps import jumps_of, variants
from generative import ImplicitSurface, Parameter, t, x, y, z
from generative.polyhedron import brick
from tests.collide.contact_scenes import FLOOR, TILT, Q, ball, box, move, slab


@pytest.mark.parametrize("height, moments", [
    (sp.floor(3 * t), [Q(k, 3) for k in range(1, 6)]), (sp.ceiling(t**2 / 2), [sp.sqrt(2)]), (sp.sign(sp.cos(t)) + t, [sp.pi / 2]),
    (sp.Mod(2 * t, 3), [Q(3, 2)]), (sp.frac(t) * sp.Heaviside(t - Q(1, 7)), [Q(1, 7), 1]),
    (sp.Piecewise((0, t**2 < 2), (t, True)), [sp.sqrt(2)]),
], ids=str)
def test_moments_of_change_are_enclosed(height, moments):
    """All of them, in narrow intervals, and no others."""
    found = jumps_of([ball().moved(move(0, 0, height)), FLOOR], (0.0, 1.9))
    assert all(any(Q(lo) <= m <= Q(hi) for lo, hi in found) for m in moments)
    assert all(hi - lo < 1e-15 and any(abs(lo - float(m)) < 1e-15 for m in [0, *moments]) for lo, hi in found)


def test_what_changes_at_known_moments_is_no_jump():
    assert not jumps_of([ball().moved(move(0, 0, sp.Abs(t - 1) + sp.Piecewise((t, t < Q(1, 3)), (2 * t, True)))), FLOOR], (0.0, 2.0))


def test_more_changes_than_can_be_told_apart_are_none():
    assert jumps_of([ball().moved(move(0, 0, sp.floor(10**9 * t))), FLOOR], (0.0, 2.0)) == []
    c = first_contact([ball().moved(move(0, 0, 3 - sp.floor(10**6 * t) / 10**6)), FLOOR], (0, 4), budget=Budget(boxes=20_000))
    assert c.status is Status.BUDGET_SPENT and 1.9 < c.clear_until <= 2


@pytest.mark.parametrize("height, truth", [
    (3 - 2 * sp.frac(t) - t / 7, Q(14, 15)), (3 - sp.floor(100 * t) * Q(13, 5000), Q(77, 10)),
    (4 - 3 * sp.Heaviside(t - sp.sqrt(2)) * t / sp.sqrt(2), sp.sqrt(2)), (sp.Piecewise((3, t < 2), (Q(1, 2), True)), 2),
    (3 - sp.frac(t), None), (3 - sp.Mod(3 * t, 2) * Q(99, 100), None),
], ids=str)
def test_motions_that_jump(height, truth):
    """The ball touches the floor where its centre is at height 1, or as it jumps below that."""
    c = first_contact([ball().moved(TILT).moved(move(0, 0, height)), FLOOR], (0, 10), budget=Budget(boxes=400_000))
    if truth is None:
        assert c.status is Status.NO_CONTACT
    else:
        # After a jump the surfaces cross in a curve, of which the budget may leave something open; not of the time.
        assert c.status is not Status.UNRESOLVED and Q(c.time.lo) <= truth <= Q(c.time.hi) and c.time.hi - c.time.lo < 1e-9


@pytest.mark.parametrize("body", [slab(), FLOOR.complement() & FLOOR.moved(move(0, 0, Q(1, 9))), box(1, 1, 1)],
                         ids=["slab", "plate", "box"])
def test_a_body_that_jumps_over_another_one_is_not_proved_to_meet_it(body):
    """The ball is above at t < 1, and below from t = 1 on, two radii away at least."""
    c = first_contact([ball(Q(1, 2)).moved(TILT).moved(move(0, 0, 2 - 4 * sp.floor(t))), body], (0, Q(3, 2)), budget=Budget(boxes=200_000))
    assert c.status is Status.NO_CONTACT


def test_bodies_that_overlap_all_the_time_prove_nothing_at_a_jump_of_others():
    """The ball jumps over the slab at t = 1 while two others, far away, that cross from the beginning drift apart."""
    crossed = [ball().moved(move(9, 0, h)) for h in (0, Q(4, 3) + t / 9)]
    c = first_contact([ball(Q(1, 2)).moved(TILT).moved(move(0, 0, 2 - 4 * sp.floor(t))), slab(), *crossed], (0, Q(3, 2)),
                      budget=Budget(boxes=200_000))
    assert c.start[2, 3] is Start.OVERLAPPING and c.status is Status.NO_CONTACT


def test_a_box_that_jumps_onto_another_and_rests_there():
    """Face on face: nothing shows the two apart by all formulas that may hold, and nobody tries to for long."""
    c = first_contact([brick((1, 1, 1)), brick((1, 1, 1)).moved(move(0, 0, 3 - sp.floor(t)))], (0, Q(5, 2)), budget=Budget(boxes=300_000))
    assert c.clear_until <= 2 and c.status in (Status.CONTACT, Status.UNRESOLVED)
    assert c.time.lo <= 2 <= c.time.hi and c.clear_until > 2 - 1e-12


def test_a_contact_for_a_moment_only_is_not_excluded_by_a_later_one():
    """Just at t = sqrt(2) the ball is in the floor, before above it and after below it, until it comes back at t = 4."""
    jumping = ball().moved(TILT).moved(move(0, 0, 3 * sp.sign(sp.sqrt(2) - t) + t / 2))
    c = first_contact([jumping, FLOOR], (0, 5), budget=Budget(boxes=400_000))
    assert c.status is not Status.NO_CONTACT and c.clear_until <= sp.sqrt(2) and c.time.lo <= sp.sqrt(2) <= c.time.hi <= 4 + 1e-9
    before = first_contact([jumping, FLOOR], (0, 3), budget=Budget(boxes=400_000))
    assert before.status is not Status.NO_CONTACT and before.clear_until <= sp.sqrt(2)


@pytest.mark.parametrize("body", [
    ImplicitSurface(z - sp.floor(x) / 10, [(-2, 2), (-2, 2), (-1, 1)]),
    ImplicitSurface(z + (1 - sp.Heaviside(x, 1)) / 10, [(-2, 2), (-2, 2), (-1, 1)]),
], ids=["floor", "Heaviside"])
def test_the_rim_of_a_step_in_an_implicit_surface(body):
    """The ball meets the end of the upper step, at the origin, and no tangent plane; the lower step only at t = 2.1."""
    c = first_contact([body, ball().moved(move(-Q(3, 10), 0, 3 - t))], (0, 4), budget=Budget(boxes=100_000))
    truth = 3 - sp.sqrt(1 - Q(9, 100))
    assert c.clear_until <= truth and c.time.lo <= truth <= c.time.hi and truth - c.time.lo < 1e-5


def test_an_implicit_body_that_jumps_onto_a_box():
    """At t = 2 the ball's centre comes from 9/4 to 5/4 above that of the box; which way they close is asked on all its parts."""
    implicit = ImplicitSurface(x**2 + y**2 + z**2 - 1, [(-2, 2)] * 3).moved(move(1, 0, Q(17, 4) - sp.floor(3 * t / 2)))
    c = first_contact([implicit, box(1, 1, 1)], (0, 4), budget=Budget(boxes=100_000))
    assert c.clear_until <= 2 and c.time.lo <= 2 <= c.time.hi and c.time.hi - c.time.lo < 1e-9


@pytest.mark.parametrize("gap", [Q(1, 10**3), Q(1, 10**6)])
@pytest.mark.parametrize("moment", [1, sp.sqrt(2)])
def test_a_near_miss_just_after_a_jump(gap, moment):
    """The body jumps from far above to `gap` above a tilted ball."""
    height = 4 - sp.Heaviside(t - moment) * (2 - gap) + (t - moment) ** 2
    for body in (ball(), box(2, 2, 2)):
        c = first_contact([body.moved(move(0, 0, height)).moved(TILT), ball().moved(TILT)], (0, 3),
                          budget=Budget(seconds=None, boxes=200_000))
        assert c.status is Status.NO_CONTACT


@pytest.mark.parametrize("height", [4 - 3 * sp.Heaviside(t - sp.sqrt(2)), 4 - 3 * sp.floor(t * Q(3, 4)), 1 + 4 * sp.frac(t / 2 + Q(1, 3)),
                                    sp.Piecewise((4, t**2 < 2), (1, True))], ids=str)
def test_points_at_a_jump_lie_on_both_bodies(height):
    """Two balls cross in a circle after the jump: where they are then, not where they are on the way."""
    c = first_contact([ball().moved(move(0, 0, height)).moved(TILT), ball()], (0, 3), spacing=0.2, budget=Budget(boxes=100_000))
    assert c.status is Status.CONTACT and c.existence.all() and len(c.points) > 10
    moment = sp.Rational(c.time.hi)
    centre = np.array(TILT.apply((0, 0, height.subs(t, moment))), float)
    assert abs(np.linalg.norm(c.points, axis=1) - 1).max() < 1e-9
    assert abs(np.linalg.norm(c.points - centre, axis=1) - 1).max() < 1e-9


@pytest.mark.parametrize("height", [
    sp.floor(3 * t), sp.ceiling(t) * sp.sign(t - 1) + t, sp.Heaviside(t - 1, 3) * sp.frac(2 * t),
    sp.Mod(t**2, 1) + sp.floor(t + sp.sign(t - 1)), sp.Piecewise((sp.floor(t), t**2 < 1), (5, True)),
    # One alone: formulas of several are combined in all ways, of which another one may happen to be right.
    sp.ceiling(t), sp.ceiling(-t**2), sp.sign(t - 1), sp.Heaviside(t - 1, 3), sp.frac(t), sp.Mod(t**2, 1), sp.Mod(t**3, -1),
    sp.Piecewise((1, t**2 < 1), (2, t**3 <= 1), (t, t**2 < 2), (4, True)),
], ids=str)
def test_one_of_the_formulas_of_a_jump_holds_at_every_time(height):
    body, window = ball().moved(move(0, 0, height)), (0.9375, 1.0625)
    found = [v.motion.translation[2] for (v,) in variants([body], [NONE], window)]
    assert not any(e.has(sp.floor, sp.ceiling, sp.sign, sp.Heaviside, sp.frac, sp.Mod, sp.Piecewise) for e in found)
    for k in range(-8, 9):
        moment = 1 + Q(k, 128)
        assert any(sp.simplify(e.subs(t, moment) - height.subs(t, moment)) == 0 for e in found)
    assert variants([ball().moved(move(0, 0, sp.floor(1000 * t)))], [NONE], window) == []


def test_too_many_formulas_of_a_jump_are_none():
    """At t = 1 the floors of powers of t step, each by itself as far as is known: twice as many formulas with each of them."""
    window = (0.9375, 1.0625)
    for powers, count in ((3, 8), (4, 16), (5, 0), (8, 0)):
        body = ball().moved(move(0, 0, sum(sp.floor(t**k) for k in range(1, powers + 1))))
        assert len(variants([body], [NONE], window)) == count
    few, others = (ball().moved(move(0, 0, sum(sp.floor(t**k) for k in powers))) for powers in ((1, 2), (3, 4)))
    assert len(variants([few, others], [NONE] * 2, window)) == 16 and variants([few, others, body], [NONE] * 3, window) == []


# -- bodies that jump together --------------------------------------------------------------------------------------------

TOGETHER = [
    (sp.floor(2 * t), sp.floor(2 * t)), (sp.floor(2 * t) + t, 3 - sp.floor(2 * t) / 7), (sp.Mod(t**2, 1), sp.Mod(t**2, 1) * t),
    (sp.Piecewise((1, t**2 < 1), (5, True)), sp.Piecewise((1, t**2 < 1), (5, True))), (sp.frac(3 * t), 1 + sp.frac(3 * t)),
    # These step at the same moment, or have pieces of the same form, but are not the same.
    (sp.floor(2 * t), sp.ceiling(2 * t)), (sp.floor(2 * t), sp.floor(3 * t)), (sp.Mod(t, 1), sp.Mod(t, Q(1, 2))),
    (sp.Piecewise((1, t**2 < 1), (5, True)), sp.Piecewise((1, t**3 < 1), (5, True))), (sp.sign(t - 1), sp.Heaviside(t - 1, 3)),
    (sp.Piecewise((1, t**2 < 1), (5, True)), sp.Piecewise((1, t**2 <= 1), (5, True))),
]


@pytest.mark.parametrize("first, second", TOGETHER, ids=str)
def test_of_bodies_that_jump_one_pair_of_formulas_holds_at_every_time(first, second):
    found = variants([ball().moved(move(0, 0, height)) for height in (first, second)], [NONE] * 2, (0.9375, 1.0625))
    assert found
    for k in range(-8, 9):
        moment = 1 + Q(k, 128)
        truth = [height.subs(t, moment) for height in (first, second)]
        paths = [[v.motion.translation[2].subs(t, moment) for v in some] for some in found]
        assert any(all(sp.simplify(a - b) == 0 for a, b in zip(path, truth, strict=True)) for path in paths)


NEAR_2 = sp.sqrt(4 + Q(1, 10**40))


@pytest.mark.parametrize("values, exact, doubles", [((2, 2), 2, 2), ((2, 3), 4, 4), ((NEAR_2, 2), 4, 4), ((NEAR_2, NEAR_2), 2, 4)])
def test_symbols_of_one_name_are_numbers_of_their_own(values, exact, doubles):
    """As members of a family bodies have them; of rows of a batch only doubles are known, or intervals round what is none."""
    n = Parameter("n0")
    bodies, window = [ball().moved(move(0, 0, sp.floor(n * t)))] * 2, (0.9375, 1.0625)
    assert len(variants(bodies, [Numbers((n,), (value,)) for value in values], window)) == exact
    assert len(variants(bodies, [Numbers((n,), intervals=np.array([enclose(sp.sympify(value))])) for value in values], window)) == doubles


@pytest.mark.parametrize("step", [first for first, second in TOGETHER[:5]], ids=str)
def test_bodies_that_jump_together_do_not_meet(step):
    """Half a unit apart at all times, but by formulas of before and after the jump they would overlap."""
    bodies = [ball().moved(move(step, 0, 0)), ball().moved(move(Q(5, 2) + step, 0, 0))]
    c = first_contact(bodies, (0, Q(5, 4)), budget=Budget(boxes=100_000))
    assert c.status is Status.NO_CONTACT and c.clear_until == 1.25


def test_bodies_that_jump_by_formulas_of_one_form_at_different_moments():
    """The first jumps to within 3/2 at t = 1/3, before the other one goes on at t = 1/2."""
    c = first_contact([ball().moved(move(sp.floor(3 * t), 0, 0)), ball().moved(move(Q(5, 2) + sp.floor(2 * t), 0, 0))], (0, 1))
    assert c.status is Status.CONTACT and c.time.lo <= Q(1, 3) <= c.time.hi and c.time.hi - c.time.lo < 1e-9


def test_a_jump_that_cannot_be_decided_is_no_spent_budget():
    """The second ball jumps 10^-17 / 2 earlier, which no double between tells."""
    near = sp.floor(2 * t + Q(1, 10**17))
    c = first_contact([ball().moved(move(sp.floor(2 * t), 0, 0)), ball().moved(move(Q(5, 2) + near, 0, 0))], (0, Q(3, 4)))
    assert c.status is Status.UNRESOLVED and 0 < c.time.hi - c.time.lo < 1e-9 and c.clear_until <= Q(1, 2) <= c.time.hi
    assert "While a motion jumps" in c.summary() and "budget" not in c.summary()
