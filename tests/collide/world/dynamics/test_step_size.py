"""Windows of motion in contact, against the course of polynomials on them."""

import math

import numpy as np
import pytest
from numpy.polynomial import Chebyshev

from collide.world.dynamics import step_size
from collide.world.motion import rotation

SLIPS = [((1.0, 0.0), (-10.0, 0.5)), ((0.3, 0.2), (-1.0, 2.0)), ((1e-3, 0.0), (-1.0, 1.0)), ((0.5, 0.1), (3.0, -2.0))]


def off(slip, rate, length):
    """How far a polynomial is from what friction takes, over a window, as the slip turns."""
    def taken(t):
        way = slip[:, None] + rate[:, None] * t
        return np.hypot(*rate) * way / np.hypot(*way)

    times = np.linspace(0.0, length, 1001)
    return length * max(np.abs(Chebyshev.interpolate(lambda t, k=k: taken(t)[k], rotation.TERMS - 1, [0.0, length])(times)
                               - taken(times)[k]).max() for k in (0, 1))


@pytest.mark.parametrize(("slip", "rate"), SLIPS)
def test_polynomials_follow_a_slip_that_turns_on_a_window_that_is_expected_to_be_good_and_on_none_of_four_times_that(slip, rate):
    slip, rate = np.array(slip), np.array(rate)
    length = step_size._turned(slip, rate, 1e-9)
    assert off(slip, rate, length) < 100e-9 < off(slip, rate, 4.0 * length)


@pytest.mark.parametrize(("rate", "expected"), [((-2.0, 0.0), 1.0), ((2.0, 0.0), math.inf), ((0.0, 0.0), math.inf)])
def test_what_slips_straight_on_is_followed_beyond_the_time_when_it_stops(rate, expected):
    """The slip (1, 0) does so at 0.5."""
    assert step_size._turned(np.array([1.0, 0.0]), np.array(rate), 1e-9) == expected


def test_the_power_of_an_error_is_told_by_two_windows():
    """An error of 400 L, against what it may be, is 0.75 for L = 0.75 / 400."""
    length = 0.01 * step_size.following([(0.02, 8.0), (0.01, 4.0)])
    assert length == pytest.approx(0.75 / 400, rel=1e-12)
