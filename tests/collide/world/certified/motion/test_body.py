"""Certified runs of bodies that are no balls, against closed forms with 60 digits, from formulas of how far ellipsoids and rings reach."""

import math

import mpmath
import numpy as np
import pytest
import sympy as sp
from mpmath import mpf

from collide import Outcome, RigidBody, World
from collide.world.certified import loop, next_contact
from collide.world.certified.motion.body import CertifiedBody
from collide.world.motion.rotation import matrix
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from tests.collide.world.scenes import BALL, EGG, FLOOR, RING

LENS = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v) / 2], BALL.domain)
ROD = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v) / 2, sp.sin(v) / 2], BALL.domain)
WAIST = 1 + 2 * sp.sin(v) ** 2
PEANUT = ParametricSurface([sp.cos(u) * sp.cos(v) * WAIST, sp.sin(u) * sp.cos(v) * WAIST, 2 * sp.sin(v)], BALL.domain)
SMALL = ParametricSurface([e / 10 for e in BALL.body], BALL.domain)
WIDTHS = np.array([1.0, 1.0, 0.5])
TILTED = (1, 0.3, 0.2, 0.1)


def on_floor(body, restitution=0.5):
    return World([RigidBody(FLOOR, fixed=True), body], gravity=(0, 0, -10), restitution=restitution)


def holds(bracket, exact):
    return mpf(bracket[0]) <= exact <= mpf(bracket[1])


# -- closed forms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spin", "half"), [((0, 0, 0), sp.Rational(1, 2)), ((0, 0, 4), sp.Rational(1, 2))])
def test_a_lens_falls_flat(spin, half):
    # It lands on its pole, from 5/2 above the floor: like a ball, whether it turns about its axis or not.
    run = on_floor(RigidBody(LENS, position=(0.5, 0.25, 3), spin=spin)).run(until=1.9, certified=True)
    assert run.outcome is Outcome.FINISHED and run.certified_until == 1.9 and len(run.events) == 3
    with mpmath.workdps(60):
        fall = mpmath.sqrt(2 * mpf(2.5) / 10)
        for k, event in enumerate(run.events):
            assert holds(event.time, fall * (3 - mpf(2) / 2**k)) and event.time.width <= 4.5e-16
            np.testing.assert_allclose(event.points, [[0.5, 0.25, 0]], atol=1e-15)
        bounds = run.bounds(1.0)
        height = float(half + 5 * fall * (1 - fall) - 5 * (1 - fall) ** 2)
    lo, hi = bounds.positions[1, 2]
    assert lo - 1e-15 <= height <= hi + 1e-15 and hi - lo < 1e-15
    assert bounds.spins[1, 2, 0] <= spin[2] <= bounds.spins[1, 2, 1]
    turned = matrix(bounds.quaternions[1].mean(axis=-1))
    np.testing.assert_allclose(turned[:2, 0], [math.cos(spin[2]), math.sin(spin[2])], atol=1e-14)


def about(w, angle):
    """The rotation by an angle about a vector, with all digits."""
    size = mpmath.norm(w)
    if not size:
        return mpmath.eye(3)
    a, b, c = (e / size for e in w)
    k = mpmath.matrix([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    return mpmath.eye(3) + mpmath.sin(angle * size) * k + (1 - mpmath.cos(angle * size)) * k * k


def cross(a, b):
    return mpmath.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation(q):
    w, a, b, c = (e / mpmath.norm(q) for e in q)
    return mpmath.matrix([[1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
                          [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
                          [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)]])


class Top:
    """A body with three moments, the first two of them equal, and mass 1, above a floor. `lowest`: its lowest point, from its centre, for
    the normal of the floor in its own frame. All is with many digits, by the secant method from doubles.
    """

    def __init__(self, body, moments, lowest):
        self.inertia, self.lowest, self.now = mpmath.diag(moments), lowest, mpf(0)
        self.turn = rotation([mpf(e) for e in body.orientation])
        self.centre, self.velocity = (mpmath.matrix([mpf(e) for e in a]) for a in (body.position, body.velocity))
        self.momentum = self.turn * self.inertia * self.turn.T * mpmath.matrix([mpf(e) for e in body.spin])

    def turn_at(self, tau):
        own, across, along = self.turn[:, 2], self.inertia[0, 0], self.inertia[2, 2]
        slip = (own.T * self.momentum)[0] * (1 / along - 1 / across)
        return about(self.momentum / across, tau) * about(own * slip, tau) * self.turn

    def foot(self, tau):
        """The lowest point, from the centre."""
        turn = self.turn_at(tau)
        return turn * self.lowest(turn.T * mpmath.matrix([0, 0, 1]))

    def height(self, tau):
        return self.centre[2] + tau * self.velocity[2] - 5 * tau**2 + self.foot(tau)[2]

    def hit(self, near, restitution):
        """The hit near a time: when it is, and where; the state is then that after it."""
        tau = mpmath.findroot(self.height, mpf(near) - self.now)
        arm, turn, up = self.foot(tau), self.turn_at(tau), mpmath.matrix([0, 0, 1])
        self.centre = self.centre + tau * self.velocity - 5 * tau**2 * up
        self.velocity, self.turn, self.now = self.velocity - 10 * tau * up, turn, self.now + tau
        back = turn * self.inertia**-1 * turn.T
        lever = cross(arm, up)
        closing = self.velocity[2] + (lever.T * back * self.momentum)[0]
        push = -(1 + restitution) * closing / (1 + (lever.T * back * lever)[0])
        self.velocity, self.momentum = self.velocity + push * up, self.momentum + push * lever
        return self.now, self.centre + arm, push


class Tumbler(Top):
    """With three different moments: Euler's equations, by Taylor series of mpmath's."""

    def turn_at(self, tau):
        if "flow" not in vars(self) or self.since is not self.turn:
            a, b, c = (self.inertia[k, k] for k in range(3))

            def rates(_, y):
                p, q, r, w, x, y, z = y
                return [(b - c) / a * q * r, (c - a) / b * r * p, (a - b) / c * p * q, -(x * p + y * q + z * r) / 2,
                        (w * p + y * r - z * q) / 2, (w * q + z * p - x * r) / 2, (w * r + x * q - y * p) / 2]

            spin = self.inertia**-1 * self.turn.T * self.momentum
            self.since, self.flow = self.turn, mpmath.odefun(rates, 0, [*spin, 1, 0, 0, 0])
        return self.turn * rotation(self.flow(tau)[3:])


def of_lens(n, widths=(1, 1, 0.25)):
    widths = [mpf(e) for e in widths]
    reach = mpmath.sqrt(sum(w * e * e for w, e in zip(widths, n, strict=True)))
    return mpmath.matrix([-w * e / reach for w, e in zip(widths, n, strict=True)])


def of_ring(n):
    across = mpmath.sqrt(n[0] ** 2 + n[1] ** 2)
    return mpmath.matrix([-n[0] / across, -n[1] / across, 0]) - n * mpf(3) / 10


# The moments of a solid ellipsoid are known, those of a solid torus are 5/8 r^2 + R^2/2 and 3/4 r^2 + R^2.
@pytest.mark.parametrize(("shape", "across", "along", "lowest", "spin"), [
    (LENS, (1, 4), (2, 5), of_lens, (0, 0, 0)),
    (LENS, (1, 4), (2, 5), of_lens, (0.5, -1, 3)),
    (RING, (5 * 9 + 8 * 50, 800), (3 * 9 + 400, 400), of_ring, (0.5, 0.25, 3)),
])  # fmt: skip
def test_oblique_hits_of_tops(shape, across, along, lowest, spin):
    body = RigidBody(shape, position=(0.3, 0.2, 3), orientation=TILTED, velocity=(0.1, 0, -1), spin=spin, mass=1)
    run = on_floor(body, restitution=0.75).run(events=8, certified=True)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 8
    with mpmath.workdps(60):
        moments = [mpf(a) / b for a, b in (across, across, along)]
        top = Top(body, moments, lowest)
        for event in run.events:
            now, point, push = top.hit(sum(event.time) / 2, mpf(0.75))
            assert holds(event.time, now) and event.time.width <= 2 * np.spacing(event.time[1])
            np.testing.assert_allclose(event.points[0], [float(e) for e in point], atol=1e-15)
            np.testing.assert_allclose(event.impulses[0], [0, 0, float(push)], rtol=1e-15, atol=1e-30)


def test_hits_of_a_body_that_tumbles():
    body = RigidBody(EGG, position=(0.3, 0.2, 1), orientation=TILTED, velocity=(0.1, 0, -1), spin=(0.5, -1, 3), mass=1,
                     inertia=np.diag([0.1625, 0.25, 0.3125]))
    run = on_floor(body, restitution=0.75).run(events=2, certified=True)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 2
    with mpmath.workdps(40):
        egg = Tumbler(body, [mpf(e) for e in (0.1625, 0.25, 0.3125)], lambda n: of_lens(n, (1, 0.5625, 0.25)))
        for event in run.events:
            now, point, push = egg.hit(sum(event.time) / 2, mpf(0.75))
            assert holds(event.time, now) and event.time.width <= 2 * np.spacing(event.time[1])
            np.testing.assert_allclose(event.points[0], [float(e) for e in point], atol=1e-15)
            np.testing.assert_allclose(event.impulses[0], [0, 0, float(push)], rtol=1e-15, atol=1e-30)


def test_rods_in_a_row_pass_their_speed_on():
    # They touch at their ends, one after the other, at t = 1 and t = 2.
    rods = [RigidBody(ROD, position=(3 * k, 0, 0), velocity=(int(k == 0), 0, 0)) for k in range(3)]
    run = World(rods, gravity=(0, 0, 0)).run(until=5.0, certified=True)
    assert run.outcome is Outcome.FINISHED and [e.pairs[0].tolist() for e in run.events] == [[0, 1], [1, 2]]
    assert all(holds(e.time, k) for k, e in enumerate(run.events, 1))
    velocities = run.bounds(5.0).velocities
    assert np.abs(velocities.mean(axis=-1) - [[0, 0, 0], [0, 0, 0], [1, 0, 0]]).max() < 1e-15 and np.ptp(velocities, axis=-1).max() < 1e-15


# -- billiards -----------------------------------------------------------------------------------------------------------


def test_billiard_in_an_ellipse():
    # The centre of the ball runs in x^2/4 + y^2 = 1, since the wall is as far outside of that as the ball is large. The product of the
    # angular momenta about both foci is constant.
    size = sp.sqrt(sp.cos(u) ** 2 + 4 * sp.sin(u) ** 2)
    wall = ParametricSurface([2 * sp.cos(u) + sp.cos(u) / size / 10, sp.sin(u) + sp.sin(u) / size / 5, v], {u: (0, 2 * sp.pi), v: (-1, 1)})
    ball = RigidBody(SMALL, position=(0.3, 0.2, 0), velocity=(1, 0.3, 0), mass=1)
    run = World([RigidBody(wall, fixed=True), ball], gravity=(0, 0, 0)).run(events=12, certified=True)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 12
    assert all(e.time.width <= 2 * np.spacing(e.time[1]) for e in run.events)
    products = []
    for event in run.events:
        # Between two hits.
        bounds = run.bounds(event.time[0] - 0.25)
        (a, b, _), (c, d, _) = bounds.positions[1].mean(axis=-1), bounds.velocities[1].mean(axis=-1)
        focus = math.sqrt(3.0)
        products.append(((a - focus) * d - b * c) * ((a + focus) * d - b * c))
        at = event.points[0] + event.normals[0] / 10
        assert abs(at[0] ** 2 / 4 + at[1] ** 2 - 1) < 1e-14
    np.testing.assert_allclose(products, products[0], rtol=1e-13)


# -- what is not decided -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("body", "events", "until", "what"), [
    # It touches along a circle.
    (RigidBody(RING, position=(0, 0, 3)), 0, math.sqrt(0.54), "at one place"),
    # It lies, and touches at two places at once, where cos(v) (1 + 2 sin(v)^2) is greatest: 2 sin(v)^2 = 1.
    (RigidBody(PEANUT, position=(0, 0, 3), orientation=(1, 0, 1, 0)), 0, math.sqrt(0.6 - math.sqrt(0.08)), "at one place"),
    (RigidBody(LENS, position=(0, 0, 0.5)), 0, 0.0, "not decided"),
])  # fmt: skip
def test_what_is_not_decided_is_a_value(body, events, until, what):
    run = on_floor(body).run(until=4.0, certified=True)
    assert run.outcome is Outcome.UNRESOLVED and what in run.reason and ". " not in run.reason and len(run.events) == events
    assert run.certified_until == run.until and abs(run.until - until) < 1e-4


def test_without_restitution_contacts_last():
    run = on_floor(RigidBody(LENS, position=(0, 0, 3)), restitution=0.0).run(until=4.0, certified=True)
    assert run.outcome is Outcome.UNRESOLVED and "contacts that last" in run.reason and len(run.events) == 1


def test_that_bodies_part_is_proved_up_to_where_it_goes_on(monkeypatch):
    # A sheet, which the lens is below of, and apart from, long after its flight has met it again.
    monkeypatch.setattr(next_contact, "_SOON", (64.0,))
    run = on_floor(RigidBody(LENS, position=(0, 0, 3)), restitution=0.25).run(until=4.0, certified=True)
    assert run.outcome is Outcome.UNRESOLVED and len(run.events) == 1


def test_bodies_that_overlap_are_refused():
    with pytest.raises(ValueError, match="overlap at the start"):
        on_floor(RigidBody(LENS, position=(0, 0, 0.25))).run(until=1.0, certified=True)


def test_a_body_in_equations_hits():
    shape = ImplicitSurface(x**4 + y**4 + z**4 - 1, bounds=[(-1.25, 1.25)] * 3)
    body = RigidBody(shape, position=(0, 0, 3), orientation=TILTED, mass=1, inertia=np.eye(3) / 2)
    run = on_floor(body, restitution=0.75).run(events=3, certified=True)
    assert run.outcome is Outcome.FINISHED
    for event in run.events:
        # The lowest point, of a support function: sum |n|^(4/3) to the power 3/4.
        bounds = run.bounds(event.time[0])
        down = matrix(bounds.quaternions[1].mean(axis=-1))[2]
        assert abs(bounds.positions[1, 2].mean() - (np.abs(down) ** (4 / 3)).sum() ** 0.75) < 1e-14


def test_ctrl_c_while_exact_masses_are_found_is_an_outcome(monkeypatch):
    """The bounds of the start are then found where they are asked for."""
    world, calls = on_floor(RigidBody(LENS, position=(0.5, 0.25, 3), orientation=TILTED)), []

    def interrupted(actor):
        calls.append(actor)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return CertifiedBody(actor)

    monkeypatch.setattr(loop, "CertifiedBody", interrupted)
    part = world.run(until=1.0, certified=True)
    assert part.outcome is Outcome.BUDGET_SPENT and "interrupted" in part.reason and part.certified_until == 0.0
    lo, hi = part.bounds(0.0).positions[1].T
    assert (lo <= (0.5, 0.25, 3)).all() and (hi >= (0.5, 0.25, 3)).all() and (hi - lo < 1e-14).all()
    on = part.resumed(until=1.0)
    assert [e.time for e in on.events] == [e.time for e in world.run(until=1.0, certified=True).events] and on.events


def test_a_step_that_the_budget_does_not_suffice_for_is_undone():
    world = on_floor(RigidBody(LENS, position=(0.5, 0.25, 3), orientation=TILTED))
    part = world.run(until=1.5, certified=True, budget=1e-6)
    assert part.outcome is Outcome.BUDGET_SPENT
    whole, on = world.run(until=1.5, certified=True), part.resumed(until=1.5)
    assert [e.time for e in on.events] == [e.time for e in whole.events] and len(whole.events) > 1
