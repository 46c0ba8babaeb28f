"""Bodies that move by solutions of differential equations."""

import sympy as sp
from flint import arb

import collide
from generative import ParametricSurface, Rigid, ode, primitives, t, u, v
from tests.initial_values import PENDULUM, Referee


def test_ball_of_a_pendulum_hits_a_wall() -> None:
    """The ball, of radius 1/10 at a distance of 1, meets x = -1/2 when the sine of the angle is -2/5."""
    angle, _ = ode(PENDULUM.rates, PENDULUM.states, PENDULUM.start, (t, 0, 5))
    ball = primitives.ball(sp.Rational(1, 10)).moved(Rigid(translation=[sp.sin(angle), 0, -sp.cos(angle)]))
    wall = ParametricSurface([sp.Rational(-1, 2), u, v], {u: (-1, 1), v: (-2, 1)})
    found, referee = collide.first_contact([ball, wall], time=(0, 5)), Referee(PENDULUM)
    assert found.status is collide.Status.CONTACT and found.proved.all() and found.time is not None
    before, after = (referee.at(e)[0].sin() + arb(2) / 5 for e in found.time)
    assert before >= 0 >= after and found.time.width < 1e-12 and abs(found.time[0] - 2.118437721515934) < 1e-12
    assert collide.first_contact([ball, wall], time=(0, 2.1)).status is collide.Status.NO_CONTACT


def test_nothing_is_claimed_beyond_a_pole() -> None:
    """x' = x^2 flies off to the right before t = 1, so whether it is at a wall on the left later is not said."""
    x = sp.Symbol("x", real=True)
    (place,) = ode([x**2], [x], [1], (t, 0, 3))
    ball = primitives.ball(sp.Rational(1, 10)).moved(Rigid(translation=[place, 0, 0]))
    left, right = (ParametricSurface([wall, u, v], {u: (-1, 1), v: (-1, 1)}) for wall in (-5, 2))
    found = collide.first_contact([ball, left], time=(0, 2), budget=1)
    assert found.status is not collide.Status.NO_CONTACT and not found.proved.any() and found.clear_until < 1
    hit = collide.first_contact([ball, right], time=(0, sp.Rational(3, 4)))
    # x + 1/10 = 2 at t = 1 - 1 / x.
    assert hit.proved.all() and hit.time is not None and hit.time[0] <= 1 - 1 / 1.9 <= hit.time[1]
