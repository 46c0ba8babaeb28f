"""Rows of `contact_batch` whose bodies touch along lines: brackets as narrow as asked for. The referees are closed forms in 40 digits."""

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from generative import Parameter, ParametricSurface, Rigid, axis_angle, t, u, v
from models.scenes import SCENES
from tests.laws import batch_laws

R = sp.Rational
SPEED, AHEAD = Parameter("speed"), Parameter("ahead")
HALF_PIPE = {u: (-R(1, 2), R(1, 2)), v: (-1, 1)}


def pipes(begin=0):
    """Two halves of cylinders of radius 1 that come together by `SPEED` from 3 on, a tenth beside each other."""
    first, second = (ParametricSurface([side * sp.cos(u), sp.sin(u), v], HALF_PIPE) for side in (1, -1))
    return [first, second.moved(Rigid(translation=[3 - SPEED * (t - begin), R(1, 10), 0]))]


def check(r, times, tolerance):
    batch_laws(r, len(times), 4, (0.0, np.inf), tolerance)
    with mpmath.workdps(40):
        for (lo, hi), time, status in zip(r.time, times, r.status, strict=True):
            assert status is Status.CONTACT and lo <= time <= hi, (lo, hi, time)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10, 1e-12])
def test_teeth_of_gears(tolerance):
    """Involutes touch along lines. Turned ahead, the driver comes so much later."""
    driver, driven = SCENES["meshing-teeth"].bodies
    bodies = [driver.moved(Rigid(rotation=axis_angle([0, 0, 1], AHEAD))), driven]
    values = np.array([0.0, 2.0**-7])
    r = collide.contact_batch(bodies, (0, R(1, 2)), parameters={AHEAD: values}, tolerance=tolerance)
    check(r, [mpmath.mpf(1) / 5 + a for a in values], tolerance)
    assert r.notes == ()


@pytest.mark.parametrize("tolerance", [1e-6, 1e-12])
def test_pipes(tolerance):
    speeds = np.array([0.75, 1.25])
    r = collide.contact_batch(pipes(), (0, 3), parameters={SPEED: speeds}, tolerance=tolerance)
    check(r, [(3 - mpmath.sqrt(4 - mpmath.mpf(1) / 100)) / s for s in speeds], tolerance)


def test_what_rounding_leaves_open_is_said():
    """At a time of 10000 a rounding is 2e-12."""
    r = collide.contact_batch(pipes(10**4), (10**4, 10**4 + 3), parameters={SPEED: np.array([0.75])}, tolerance=1e-12)
    check(r, [10**4 + (3 - mpmath.sqrt(4 - mpmath.mpf(1) / 100)) / 0.75], np.inf)
    (lo, hi), = r.time
    assert 1e-12 < hi - lo < 1e-10 and len(r.notes) == 1 and "wider than the tolerance of 1e-12" in r.notes[0]
