"""`first_contact` with ranges of parameters: closed forms, and calls at sampled numbers, none of which may come earlier."""

import itertools

import numpy as np
import pytest
import sympy as sp

import collide
from collide.answers.contacts import Status
from generative import IDENTITY, ImplicitSurface, Parameter, ParametricSurface, Rigid, Screw, t, u, v, x, y, z
from generative.polyhedron import brick

R = sp.Rational
H, RHO, SPEED, OFF, TURN = (Parameter(name) for name in ("h", "rho", "s1", "off2", "turn"))
SPHERE = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
PLATE = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-2, 2)})


def torus(r=R(3, 10)):
    ring = 1 + r * sp.cos(v)
    return ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), r * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def ball(r, at=(0, 0, 0)):
    return ParametricSurface([r * sp.cos(u) * sp.cos(v), r * sp.sin(u) * sp.cos(v), r * sp.sin(v)], SPHERE).moved(Rigid(translation=at))


def implicit_ball(r, at=(0, 0, 0)):
    return ImplicitSurface(x**2 + y**2 + z**2 - r**2, bounds=[(-2, 2)] * 3).moved(Rigid(translation=at))


def never_earlier(c, bodies, time, ranges, seed, count=8):
    """At the corners, and at random values, contact comes no earlier; and somewhere within the bracket."""
    rng, ends = np.random.default_rng(seed), [[*map(float, r)] for r in ranges.values()]
    values = [*itertools.product(*ends), *(tuple(rng.uniform(lo, hi) for lo, hi in ends) for _ in range(count))]
    assert c.status is Status.CONTACT and c.clear_until == c.time[0]
    for at in values:
        other = collide.first_contact(bodies, time, parameters=dict(zip(ranges, at, strict=True)))
        assert other.time is None or other.time[1] >= c.clear_until


def falling_brick():
    """A cube of side 1 that begins 5/2 above the origin, and falls with a speed in a range."""
    return brick([1, 1, 1]).moved(Rigid(translation=[0, 0, 3 - SPEED * t]))


def holds(c, time, worst, width=1e-9):
    assert c.status is Status.CONTACT and c.time[0] <= time <= c.time[1] and c.time[1] - c.time[0] < width
    for at in c.parameters:
        assert at.keys() == worst.keys()
        assert all(at[s][0] <= value <= at[s][1] for s, value in worst.items()), at


@pytest.mark.parametrize("order", [1, -1])
def test_ball_on_torus(order):
    """t* = (h - 3/10 - rho) / s: each parameter is worst at an end of its range."""
    ranges = {H: (2, R(21, 10)), RHO: (R(29, 100), R(31, 100)), SPEED: (R(9, 10), R(11, 10))}
    bodies = [ball(RHO, [1, 0, H - SPEED * t]), torus()][::order]
    c = collide.first_contact(bodies, (0, 4), parameters=ranges)
    holds(c, R(139, 110), {H: 2, RHO: R(31, 100), SPEED: R(11, 10)})
    assert c.unique.tolist() == [True] and "proved by the signs" in c.summary()
    lo, hi = c.sensitivity(RHO).time[0, 0]
    assert lo <= -R(10, 11) <= hi


def test_worst_within_a_range():
    """A ball flies past another at a height: none is worst."""
    ranges = {H: (-R(1, 10), R(1, 5)), RHO: (R(1, 3), R(1, 2)), SPEED: (1, 2)}
    c = collide.first_contact([ball(RHO, [2 - SPEED * t, H, 0]), ball(R(1, 2))], (0, 4), parameters=ranges)
    holds(c, R(1, 2), {H: 0, RHO: R(1, 2), SPEED: 2})
    assert c.unique.tolist() == [True]


@pytest.mark.parametrize("make", [(ball, ball), (implicit_ball, ball), (implicit_ball, implicit_ball)])
def test_random_flights(make):
    rng = np.random.default_rng(11)
    for seed in range(3):
        def near(low, high, width):
            middle = rng.uniform(low, high)
            return R(float(middle - width)), R(float(middle + width))

        ranges = {RHO: near(.4, .9, .05), H: near(2.5, 3.5, .1), OFF: near(-.3, .5, .1)}
        bodies = [make[0](RHO, [H - t, OFF, R(1, 10)]), make[1](R(3, 4))]
        c = collide.first_contact(bodies, (0, 6), parameters=ranges)
        never_earlier(c, bodies, (0, 6), ranges, seed, 4)
        reach, off = RHO + R(3, 4), sp.Max(ranges[OFF][0], sp.Min(0, ranges[OFF][1]))
        exact = ranges[H][0] - sp.sqrt(reach.subs(RHO, ranges[RHO][1])**2 - off**2 - R(1, 100))
        assert c.time[0] <= exact <= c.time[1] and c.time[1] - c.time[0] < 1e-8


def test_turning_tori():
    ranges = {TURN: (1, R(6, 5)), H: (R(1, 10), R(3, 10)), SPEED: (1, R(11, 10))}
    bodies = [torus().moved(Screw(axis=[1, 2, 0], angle=TURN * t)).moved(Rigid(translation=[H, 0, 3 - SPEED * t])), torus()]
    never_earlier(collide.first_contact(bodies, (0, 4), parameters=ranges), bodies, (0, 4), ranges, 5)


def test_ends_of_domains_and_corners():
    """The corner of a tilted plate that comes down: the longer it is, the earlier."""
    tilted = ParametricSurface([u, v, u / 2 + v / 3], {u: (-RHO, RHO), v: (-1, 1)}).moved(Rigid(translation=[0, 0, H - SPEED * t]))
    ranges = {RHO: (R(1, 2), 1), H: (2, 3), SPEED: (1, 2)}
    c = collide.first_contact([tilted, PLATE], (0, 4), parameters=ranges)
    holds(c, R(7, 12), {RHO: 1, H: 2, SPEED: 2})
    assert c.unique.tolist() == [True] and c.features == [("vertex 0", "face 0")]
    # A patch that is short enough never gets there, and one that is long enough does.
    strip = ParametricSurface([0, v, u], {u: (0, RHO), v: (-1, 1)}).moved(Rigid(translation=[t / 10, 0, 1 + t / 10]))
    roof = PLATE.moved(Rigid(translation=[0, 0, 2]))
    assert collide.first_contact([strip, roof], (0, 2), parameters={RHO: (R(1, 2), R(3, 4))}).status is Status.NO_CONTACT
    c = collide.first_contact([strip, roof], (0, 2), parameters={RHO: (R(1, 2), R(9, 10))})
    assert c.status is Status.CONTACT and c.time[0] <= 1 <= c.time[1] and c.time[1] - c.time[0] < 1e-5


def test_curves_of_contacts_and_of_worst_cases():
    ranges = {H: (R(1, 10), R(3, 10))}
    bodies = [torus(), torus(H).moved(Rigid(translation=[0, 0, 2 - t]))]
    c = collide.first_contact(bodies, (0, 2), parameters=ranges, spacing=0.5, simultaneity=1e-3)
    # Samples are at doubles within the range.
    assert c.status is Status.CONTACT and c.time[0] <= 1.4 <= c.time[1] < 1.402 and all(at[H][0] == 0.3 for at in c.parameters)
    assert len(c) > 4 and not c.unique.any()
    # Wherever the ball comes down on the plate, it is at the same time.
    c = collide.first_contact([ball(R(1, 2), [H, 0, 3 - t]), PLATE], (0, 4), parameters={H: (-1, 1)}, spacing=0.25)
    assert c.status is Status.CONTACT and c.time[0] <= 2.5 <= c.time[1] and c.time[1] - c.time[0] < 1e-5
    assert {round(float(np.mean(at[H])), 1) for at in c.parameters} > {-1.0, 0.0, 1.0}


def test_parameters_that_do_not_matter():
    bodies = [ball(RHO, [5, 0, 20 - t]), ball(1, [0, 0, 3 - SPEED * t]), ball(1)]
    c = collide.first_contact(bodies, (0, 4), parameters={RHO: (1, 2), SPEED: (1, 2)})
    holds(c, R(1, 2), {RHO: R(3, 2), SPEED: 2})
    assert tuple(c.parameters[0][RHO]) == (1.0, 2.0) and "does not depend on rho" in c.summary()


def test_one_number_and_one_range():
    c = collide.first_contact([ball(RHO, [1, 0, H - t]), torus()], (0, 4), parameters={H: 2, RHO: (R(1, 5), R(3, 10))})
    holds(c, R(7, 5), {H: 2, RHO: R(3, 10)})


def test_none_for_all():
    c = collide.first_contact([ball(RHO, [R(16, 5), 0, 3 - t]), ball(1)], (0, 4), parameters={RHO: (1, 2)})
    assert c.status is Status.NO_CONTACT and c.clear_until == 4.0 and c.parameters == []


def test_bodies_that_meet_at_first_for_some_values():
    c = collide.first_contact([ball(RHO, [2 - t, 0, 0]), ball(1)], (0, 1), parameters={RHO: (R(1, 2), R(11, 10))}, spacing=1.0)
    assert c.status is Status.CONTACT and c.time[0] == 0.0 and c.time[1] < 1e-6 and not c.nesting


def test_a_spent_budget_says_what_is_proved():
    bodies = [ball(RHO, [1, 0, H - t]), torus()]
    c = collide.first_contact(bodies, (0, 4), parameters={H: (2, 3), RHO: (R(1, 5), R(3, 10))}, budget=collide.Budget(boxes=1))
    assert c.status in (Status.BUDGET_SPENT, Status.CONTACT) and c.clear_until <= 1.4


def test_what_is_refused():
    bodies = [ball(RHO, [1, 0, H - t]), torus()]
    for ranges, message in (({H: (2, 1), RHO: 1}, "from less to more"), ({H: (2, 2), RHO: 1}, "from less to more"),
                            ({H: (1, 2, 3), RHO: 1}, "pair"), ({H: (2, sp.oo), RHO: 1}, "finite and real"),
                            ({H: 2, RHO: (-1, 1)}, "vanishes everywhere.*rho = 0"), ({H: 2, RHO: (0, 1)}, "vanishes everywhere.*rho = 0")):
        with pytest.raises(ValueError, match=message):
            collide.first_contact(bodies, (0, 4), parameters=ranges)
    narrow = ParametricSurface([u, v, H], {u: (0, RHO), v: (0, 1)}, motion=IDENTITY)
    with pytest.raises(ValueError, match="rho = -1"):
        collide.first_contact([narrow, torus()], (0, 4), parameters={H: 2, RHO: (-1, 1)})
    with pytest.raises(ValueError, match="tangency=False"):
        collide.first_contact(bodies, (0, 4), parameters={H: 2, RHO: (R(1, 5), R(3, 10))}, tangency=False)


def test_a_solid_whose_motion_alone_has_parameters():
    """It falls on the top of a ball of radius 1 at t* = (5/2 - 1) / s."""
    bodies, ranges = [falling_brick(), ball(1)], {SPEED: (1, R(3, 2))}
    holds(collide.first_contact(bodies, (0, 2), parameters=ranges), 1, {SPEED: R(3, 2)})
    least = collide.critical_value(bodies, (0, 1), {SPEED: (1, 3)}).bracket
    assert least[0] <= R(3, 2) <= least[1] <= least[0] + 1e-9
    gaps = collide.clearance_batch(bodies, (0, 1), parameters={SPEED: np.array([0.5, 0.75])})
    for (lo, hi), gap in zip(gaps.bracket, (1, R(3, 4)), strict=True):
        assert lo <= gap <= hi <= lo + 1e-8
