"""Validated series of tumbling bodies, against the closed form of tops, and what a free body keeps."""

import numpy as np
import pytest
from flint import arb, ctx

from collide import RigidBody, World
from collide.world.certified.arithmetic.enclosures import matrix, number, vector
from collide.world.certified.motion.ballistic import CertifiedInertia, flight
from collide.world.certified.motion.tumbling import Tumbling
from tests.collide.world.scenes import EGG

TURN = vector((0.8, 0.6, 0, 0))


def inertia(moments, axis=None):
    matrices = [np.array([[e if i == j else arb(0) for j in range(3)] for i, e in enumerate(own)], object)
                for own in ([number(e) for e in moments], [1 / number(e) for e in moments])]
    return CertifiedInertia(matrices[0], matrices[1], axis)


@pytest.fixture(autouse=True)
def digits():
    with ctx.workprec(256):
        yield


@pytest.mark.parametrize("time", [0.03125, 0.7, -0.7])
def test_series_agree_with_the_closed_form_of_tops(time):
    top = flight(number(0.0), *[vector((0, 0, 0))] * 3, TURN / (TURN @ TURN).sqrt(), vector((1, -2, 3)), inertia((2, 2, 3), 2))
    series = Tumbling(top.start, top.turn, top.momentum, top.inertia.inverse)
    for own, other in zip(top.turn_at(number(time)), series.turn_at(number(time)), strict=True):
        assert own.overlaps(other) and own.rad() < 1e-70 and other.rad() < 1e-60


def test_a_free_body_keeps_its_energy():
    body = flight(number(0.0), *[vector((0, 0, 0))] * 3, TURN / (TURN @ TURN).sqrt(), vector((1, -2, 3)), inertia((1, 1.5, 2)))
    assert body.tumbling is not None
    energies = [body.momentum @ body.spin_at(number(t)) for t in (0.0, 0.25, 0.5)]
    assert all(e.overlaps(energies[0]) and e.rad() < 1e-60 for e in energies)
    turn = matrix(body.turn_at(number(0.5)))
    assert not turn[0, 0].overlaps(body.placed[0, 0]) and max(e.rad() for e in turn.ravel()) < 1e-60


def test_few_terms_hold_what_they_leave_out():
    """(Fails without the remainder.)"""
    body = flight(number(0.0), *[vector((0, 0, 0))] * 3, vector((1, 0, 0, 0)), vector((1, -2, 3)), inertia((1, 1.5, 2)))
    rows, step = body.tumbling.series(body.tumbling.own, 12, 2.0**-24)
    for part in (-1 / 32, 0.5, 1.0):
        time = part * step
        found = sum((row[3:] * time**k for k, row in enumerate(rows)), vector((0, 0, 0, 0)))
        assert all(a.contains(b) and a.rad() < 1e-6 for a, b in zip(found, body.turn_at(time), strict=True))


def test_a_ball_of_times_that_is_too_wide_tells_nothing():
    body = flight(number(0.0), *[vector((0, 0, 0))] * 3, TURN / (TURN @ TURN).sqrt(), vector((1, -2, 3)), inertia((1, 1.5, 2)))
    assert not any(e.is_finite() for e in body.turn_at(arb(0.5, 0.25)))


def test_what_is_not_known_at_the_start_is_held_later():
    """(Fails where the difference of solutions is taken to be none.)"""
    rng, off, own = np.random.default_rng(0), 1e-20, inertia((1, 1.5, 2))
    start, momentum = TURN / (TURN @ TURN).sqrt(), vector((1, -2, 3))
    wide = Tumbling(arb(0), start + arb(0, 2 * off), momentum + arb(0, off), own.inverse)
    for _ in range(2):
        turn = start + vector(rng.uniform(-off, off, 4).tolist())
        exact = Tumbling(arb(0), turn / (turn @ turn).sqrt(), momentum + vector(rng.uniform(-off, off, 3).tolist()), own.inverse)
        for time in (-0.25, 1.0):
            found = wide.turn_at(number(time))
            assert all(a.contains(b) and a.rad() < 1e-16 for a, b in zip(found, exact.turn_at(number(time)), strict=True))


def test_the_state_of_a_body_that_tumbles_goes_on_along_all_its_series(tmp_path):
    world = World([RigidBody(EGG, spin=(0.1, 0.2, 2))], gravity=(0, 0, -10))
    run = world.run(until=2.0, certified=True)
    run.save(tmp_path / "run")
    for known in (run, world.load(tmp_path / "run")):
        bounds, state = run.bounds(1.75), known.state(1.75)
        sign = np.sign(bounds.quaternions.mean(axis=-1) @ state.quaternions[0])[0]
        np.testing.assert_allclose(sign * state.quaternions, bounds.quaternions.mean(axis=-1), atol=1e-13)
        np.testing.assert_allclose(state.spins, bounds.spins.mean(axis=-1), atol=1e-13)
        np.testing.assert_allclose(known.energy(1.75), known.energy(0.0), rtol=1e-13)
