"""Impulses by Coulomb's law at many contacts, against the law itself."""

import numpy as np
import pytest
import sympy as sp

from collide import Outcome, RigidBody, World
from collide.world.contact_solver import impact as impacts
from collide.world.contact_solver.coulomb import Coulomb, Unsettled, least_distance
from collide.world.contact_solver.impact import Contact, Impact, newton, poisson
from collide.world.motion.state import Mass
from generative import primitives

from ..scenes import BALL, FLOOR

HALF = sp.Rational(1, 2)
ZERO, NONE = np.zeros(3), np.zeros((3, 3))


def brick(centre, half, mass, velocity=ZERO, spin=ZERO):
    moments = mass / 3 * (half @ half - half**2)
    return Mass(np.array(centre, float), 1 / mass, np.diag(1 / moments), np.array(velocity, float), np.array(spin, float))


def ground(centre=ZERO):
    return Mass(np.array(centre, float), 0.0, NONE, ZERO, ZERO)


def corners(low, high, axis, level):
    """Of the rectangle that two bricks share."""
    others = [k for k in range(3) if k != axis]
    for one in (low, high):
        for other in (low, high):
            point = np.zeros(3)
            point[axis], point[others[0]], point[others[1]] = level, one[others[0]], other[others[1]]
            yield point


def pile(seed):
    """Bricks, plates and rods in a pile on the ground, of masses from 1e-3 to 1e3, the lowest of them between blocks at its sides, of which
    one may be free.
    """
    rng = np.random.default_rng(seed)
    masses, contacts, top, below = [ground()], list[Contact](), 0.0, None
    friction = float(rng.uniform(0.1, 1.5))
    for k in range(int(rng.integers(2, 5))):
        half = rng.uniform(0.1, 1, 3) * rng.choice([0.05, 1, 1], 3)
        centre = np.array([*rng.uniform(-0.04, 0.04, 2), top + half[2]])
        masses.append(brick(centre, half, 10 ** rng.uniform(-3, 3), 3 * rng.normal(size=3) * rng.choice([0, 1], 3), rng.normal(size=3)))
        low, high = centre - half, centre + half
        if below is not None:
            low, high = np.maximum(low, below[0]), np.minimum(high, below[1])
        if (low < high)[:2].all():
            contacts += [Contact((k, k + 1), p, np.array([0, 0, 1.0]), 0.0, friction) for p in corners(low, high, 2, top)]
        top, below = top + 2 * half[2], (centre - half, centre + half)
    lowest = contacts[:4] and masses[1]
    half = np.abs(contacts[0].point - lowest.centre)
    for side in (-1.0, 1.0):
        at = lowest.centre + [side * (half[0] + 0.5), 0.3 * half[1], 0]
        masses.append(ground(at) if side < 0 or seed % 2 else brick(at, np.array([0.5, half[1], half[2]]), 1.0))
        normal = np.array([side, 0, 0])
        contacts += [Contact((1, len(masses) - 1), p, normal, 0.0, friction)
                     for p in corners(at - half, lowest.centre + half, 0, lowest.centre[0] + side * half[0])]
    return Impact(masses, contacts)


def energy(impact):
    return sum((v[:3] @ v[:3] / m.inverse + v[3:] @ np.linalg.solve(m.turning, v[3:])) / 2
               for m, v in zip(impact.masses, impact.velocity.reshape(-1, 6), strict=True) if m.inverse)


@pytest.mark.parametrize("seed", [0, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 16])
def test_piles_obey_coulomb_s_law(seed):
    """Nothing pulls or approaches, what parts is not pushed, friction is in its cone, and it is as large as that and against the slip
    where there is one.
    """
    impact = pile(seed)
    before = energy(impact)
    newton(impact)
    # Each contact is measured by the speed that the whole energy would give it.
    units = np.sqrt(2 * before) * np.linalg.norm(impact.bent, axis=(1, 2))
    work = units * np.abs(impact.total[:, 0]) + before
    speeds, friction = impact.speeds(), np.array([c.friction for c in impact.contacts])
    normal, across = impact.total[:, 0], impact.total[:, 1:]
    slip = np.hypot(speeds[:, 1], speeds[:, 2])
    assert np.isfinite(impact.velocity).all() and energy(impact) <= before * (1 + 1e-9)
    assert normal.min() >= 0.0 and (speeds[:, 0] >= -1e-8 * units).all()
    assert (np.hypot(*across.T) <= friction * normal * (1 + 1e-9)).all()
    assert (normal * np.maximum(speeds[:, 0], 0) <= 1e-8 * work).all()
    assert (friction * normal * slip + (across * speeds[:, 1:]).sum(axis=1) <= 1e-8 * work).all()


def test_a_cube_that_slides_against_a_smaller_block_stops():
    """Four corners on the floor, four of the block on its face: sweeps over the contacts diverge."""
    cube = brick([-0.6, 0, 0.5], np.full(3, 0.5), 1.0, [3.35648626, 0, 0])
    sides, feet = ((1, 3), (1, 1), (-1, 1), (-1, 3)), ((-1.1, 0.5), (-1.1, -0.5), (-0.1, -0.5), (-0.1, 0.5))
    contacts = [Contact((1, 2), np.array([-0.1, y / 4, z / 4]), np.array([1.0, 0, 0]), 0.0, 0.5) for y, z in sides]
    contacts += [Contact((0, 1), np.array([x, y, 0]), np.array([0, 0, 1.0]), 0.0, 0.5) for x, y in feet]
    impact = Impact([ground(), cube, ground([0, 0, 0.5])], contacts)
    newton(impact)
    np.testing.assert_allclose(impact.velocity, 0, atol=1e-9)


def test_a_cube_slides_to_a_stop_at_a_block():
    stop = RigidBody(primitives.block((sp.Rational(1, 5), HALF, HALF)), position=(0, 0, 0.5), fixed=True)
    cube = RigidBody(primitives.block((1, 1, 1)), position=(-2, 0, 0.5), velocity=(5, 0, 0))
    run = World([RigidBody(FLOOR, fixed=True), cube, stop], friction=0.5, restitution=0.0).run(until=2)
    assert run.outcome is Outcome.FINISHED
    np.testing.assert_allclose(run.state(2.0).positions[1], [-0.6, 0, 0.5], atol=1e-9)


@pytest.mark.parametrize("law", [newton, poisson])
def test_without_friction_or_restitution_what_parts_is_not_pushed(law):
    """A row of three bodies of which the first hits the second off its centre."""
    half = np.array([0.5, 1.0, 0.5])
    masses = [brick([2 * k, 0, 0], half, mass, [3.0 * (k == 0), 0, 0], [0, 0, (-0.13, 0.10, 0.36)[k]])
              for k, mass in enumerate((3.5, 0.015, 18))]
    contacts = [Contact((k, k + 1), np.array([2 * k + 1.0, y, 0]), np.array([1.0, 0, 0]), 0.0, 0.0)
                for k in range(2) for y in (-0.9, 0.3, 0.9)]
    impact = Impact(masses, contacts)
    law(impact)
    normal, speed = impact.total[:, 0], impact.speeds()[:, 0]
    assert normal.max() > 0.1 and normal.min() >= 0.0 and speed.min() > -1e-11 and np.abs(normal * speed).max() < 1e-10


def test_a_violation_is_told():
    law = Coulomb(np.eye(3)[None], np.array([[-1.0, 0.3, 0.0]]), [0.5])
    assert law.violated(law.solved()) < 1e-14
    np.testing.assert_allclose(law.solved(), [[1.0, -0.3, 0.0]], atol=1e-14)
    for wrong in ([-0.1, 0, 0], [0.5, -0.25, 0], [1.5, -0.3, 0], [1, 0.3, 0], [np.nan, 0, 0]):
        assert law.violated(np.array([wrong])) > 0.05


def test_least_distance_is_that_of_a_corner():
    """The nearest point with x >= 1 and x + y >= 3 is (3/2, 3/2); with y <= -1, too, it is (4, -1)."""
    rows = np.array([[1.0, 0], [1, 1]])
    np.testing.assert_allclose(rows.T @ least_distance(rows, np.array([1.0, 3])), [1.5, 1.5], atol=1e-14)
    rows = np.vstack([rows, [0, -1]])
    np.testing.assert_allclose(rows.T @ least_distance(rows, np.array([1.0, 3, 1])), [4, -1], atol=1e-14)
    with pytest.raises(Unsettled):
        least_distance(np.array([[1.0, 0], [-1, 0]]), np.array([1.0, 1]))


def falling():
    return World([RigidBody(FLOOR, fixed=True), RigidBody(BALL.named("marble"), position=(0, 0, 2))], friction=0.5, restitution=0.0)


def test_impulses_that_are_not_found_end_a_run(monkeypatch):
    def unsettled(_):
        raise Unsettled

    monkeypatch.setitem(impacts.LAWS, "newton", unsettled)
    run = falling().run(until=2.0)
    assert run.outcome is Outcome.UNRESOLVED and "Coulomb's law" in run.reason and "marble" in run.reason and not run.events


def test_numbers_that_are_not_finite_leave_no_run(monkeypatch):
    def broken(impact):
        impact.velocity = impact.velocity * np.nan

    monkeypatch.setitem(impacts.LAWS, "newton", broken)
    run = falling().run(until=2.0)
    assert run.outcome is Outcome.UNRESOLVED and 'body 1 ("marble")' in run.reason and "not finite" in run.reason
    assert np.isfinite(run.state(run.until).positions).all() and np.isfinite(run.energy(run.until))
