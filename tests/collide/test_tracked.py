"""Known contacts that roll, slide and separate (Snyder 1993, Eq. 7): only new ones are reported."""

import pytest
import sympy as sp

import collide
from collide import Status, Tracked
from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, t, u, v, x, z

Q = sp.Rational
BOUNDS = [(-6, 6)] * 3
FLOOR = ImplicitSurface(z, bounds=BOUNDS)
# A room: floor z = 0 and a wall at x = 4, solid outside.
ROOM = FLOOR | ImplicitSurface(4 - x, bounds=BOUNDS)
# A ball whose poles are at its sides, rolling along x at unit speed: it turns by t, and touches the floor at u = -pi/2 + t.
WHEEL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(v), sp.sin(u) * sp.cos(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)},
                          flipped=True)
ROLLING = WHEEL.moved(Screw([0, 1, 0], angle=t)).moved(Rigid(translation=[t, 0, 1]))
SLAB = ParametricSurface([u, v, 0], {u: (-6, 6), v: (-6, 6)})
AT_FLOOR = Tracked((0, 1), t - sp.pi / 2, 0, None, None, Q(1, 10))


def test_rolling_until_the_wall():
    c = collide.first_contact([ROLLING, ROOM], (0, 4), tracked=[AT_FLOOR])
    assert c.start[0, 1] is collide.Start.TOUCHING
    assert c.status is Status.CONTACT and c.time.lo <= 3 <= c.time.hi and c.clear_until <= 3
    assert len(c) == 1 and c.proved.all() and abs(c.points[0] - [4, 0, 1]).max() < 1e-6
    assert "no new incoming tangential contact" in c.summary()


def test_rolling_on_is_no_new_contact():
    c = collide.first_contact([ROLLING, ROOM], (0, Q(5, 2)), tracked=[AT_FLOOR])
    assert c.status is Status.NO_CONTACT and c.clear_until == 2.5


def test_without_tracking_the_old_contact_is_reported():
    c = collide.first_contact([ROLLING, ROOM], (0, 4))
    assert c.status is not Status.NO_CONTACT and c.clear_until <= 1e-6 and (abs(c.points[:, 2]) < 1e-6).any()


def test_two_parametric_surfaces():
    known = Tracked((0, 1), t - sp.pi / 2, 0, t, 0, 0.1)
    c = collide.first_contact([ROLLING, SLAB], (0, 2), tracked=[known])
    assert c.status is Status.NO_CONTACT


def test_sliding_and_lifting_off():
    sliding = WHEEL.moved(Rigid(translation=[t, 0, 1]))
    c = collide.first_contact([sliding, FLOOR], (0, 2), tracked=[Tracked((0, 1), -sp.pi / 2, 0, None, None, 0.1)])
    assert c.status is Status.NO_CONTACT
    lifting = WHEEL.moved(Rigid(translation=[0, 0, 1 + t**2]))
    c = collide.first_contact([lifting, FLOOR], (0, 2), tracked=[Tracked((0, 1), -sp.pi / 2, 0, None, None, 0.5)])
    assert c.status is Status.NO_CONTACT


def test_functions_that_do_not_follow():
    with pytest.raises(ValueError, match="do not follow the contact"):
        collide.first_contact([ROLLING, ROOM], (0, 4), tracked=[Tracked((0, 1), -sp.pi / 2, 0, None, None, 0.1)])
    with pytest.raises(ValueError, match="do not follow the contact"):
        collide.first_contact([ROLLING, SLAB], (0, 4), tracked=[Tracked((0, 1), t - sp.pi / 2, 0, 0, 0, 0.1)])


@pytest.mark.parametrize("item, error, message", [
    ("contact", TypeError, "Tracked values"),
    (Tracked((1, 0), 0, 0, 0, 0, 0.1), ValueError, "i < j"),
    (Tracked((0, 1), 0, 0, 0, 0, 0), ValueError, "radius"),
    (Tracked((0, 1), 0, 0, 0, 0, float("nan")), ValueError, "radius"),
    (Tracked((0, 1), None, None, None, None, 0.1), ValueError, "needs u"),
    (Tracked((0, 1), sp.Symbol("q"), 0, None, None, 0.1), ValueError, "the symbol q"),
])
def test_bad_tracking(item, error, message):
    with pytest.raises(error, match=message):
        collide.first_contact([ROLLING, ROOM], (0, 4), tracked=[item])


def test_implicit_pairs_cannot_be_tracked():
    with pytest.raises(ValueError, match="needs parameters"):
        collide.first_contact([ROOM, FLOOR], (0, 1), tracked=[Tracked((0, 1), None, None, None, None, 0.1)])
