"""Impulses: laws that hold of all of them, and cases in closed form."""

import numpy as np
import pytest

from collide.world.contact_solver.gauss_seidel import rubbed
from collide.world.contact_solver.impact import Contact, Impact, newton, poisson
from collide.world.motion.rotation import matrix
from collide.world.motion.state import Mass

ZERO, NONE = np.zeros(3), np.zeros((3, 3))


def ball(centre, velocity, spin=ZERO, mass=1.0):
    return Mass(np.array(centre, float), 1.0 / mass, np.eye(3) / (0.4 * mass), np.array(velocity, float), np.array(spin, float))


GROUND = Mass(ZERO, 0.0, NONE, ZERO, ZERO)
UP = np.array([0.0, 0.0, 1.0])


def energy(impact):
    return sum((v[:3] @ v[:3] / m.inverse + v[3:] @ np.linalg.solve(m.turning, v[3:])) / 2
               for m, v in zip(impact.masses, impact.velocity.reshape(-1, 6), strict=True) if m.inverse)


def on_ground(velocity, spin, e, friction, law=newton):
    impact = Impact([GROUND, ball([0, 0, 1], velocity, spin)], [Contact((0, 1), ZERO, UP, e, friction)])
    law(impact)
    return impact.velocity[6:9], impact.velocity[9:]


@pytest.mark.parametrize("law", [newton, poisson])
def test_a_ball_bounces(law):
    velocity, spin = on_ground([1.0, 0.0, -2.0], ZERO, 0.5, 0.0, law)
    np.testing.assert_allclose(velocity, [1.0, 0.0, 1.0], atol=1e-15)
    assert not spin.any()


def test_friction_that_slips_takes_what_coulomb_says():
    velocity, spin = on_ground([3.0, 0.0, -1.0], ZERO, 0.5, 0.1)
    np.testing.assert_allclose(velocity, [3.0 - 0.1 * 1.5, 0.0, 0.5], atol=1e-14)
    np.testing.assert_allclose(spin, [0.0, 0.15 / 0.4, 0.0], atol=1e-14)


def test_friction_that_sticks_makes_a_ball_roll():
    velocity, spin = on_ground([3.0, 0.0, -1.0], ZERO, 0.5, 10.0)
    np.testing.assert_allclose(velocity, [15.0 / 7.0, 0.0, 0.5], atol=1e-14)
    np.testing.assert_allclose(spin, [0.0, 15.0 / 7.0, 0.0], atol=1e-14)


def rod(angle, slip, e, friction, law):
    """A thin rod of length and mass 1 that falls onto its end, at an angle with the ground, its energy before, and how its end moves:
    along the normal, across, and of one against the other.
    """
    x, z = -np.cos(angle) / 2, np.sin(angle) / 2
    body = Mass(np.array([x, 0.0, z]), 1.0, np.diag([12.0, 12.0, 12.0]), np.array([slip, 0.0, -1.0]), ZERO)
    impact = Impact([GROUND, body], [Contact((0, 1), ZERO, UP, e, friction)])
    before = energy(impact)
    law(impact)
    return impact, before, (1 + 12 * x * x, 1 + 12 * z * z, -12 * x * z)


@pytest.mark.parametrize("law", [newton, poisson])
@pytest.mark.parametrize("angle", [0.2, 0.8, 1.3])
@pytest.mark.parametrize("friction", [0.0, 0.1, 0.2])
def test_a_rod_that_slips_all_the_while_bounces_as_in_textbooks(law, angle, friction):
    # Newton's and Poisson's laws agree where a slip neither stops nor turns (Brach 1991): -1 + p (normal + friction both) = e.
    impact, _, (normal, _, both) = rod(angle, -5.0, 0.6, friction, law)
    speeds = impact.rows[0] @ impact.velocity
    assert speeds[0] == pytest.approx(0.6, rel=1e-12) and np.hypot(*speeds[1:]) > 0.1
    p = 1.6 / (normal + friction * both)
    assert impact.impulses[0] == pytest.approx([friction * p, 0.0, p], rel=1e-12)


@pytest.mark.parametrize("angle", [0.2, 0.8, 1.3])
def test_a_rod_that_sticks_bounces_with_its_restitution(angle):
    impact, _, (normal, across, both) = rod(angle, 0.0, 0.6, 50.0, newton)
    p = np.linalg.solve([[normal, both], [both, across]], [1.6, 0.0])
    np.testing.assert_allclose(impact.impulses[0], [p[1], 0.0, p[0]], rtol=1e-12, atol=1e-14)


def test_where_restitution_with_friction_would_add_energy_it_is_less():
    # Kane and Levinson 1985: friction that stops a slip backwards feeds the rebound.
    found = [rod(angle, slip, 1.0, friction, newton) for angle in (0.3, 0.8, 1.2) for slip in (-0.5, 0.0, 0.5) for friction in (0.3, 1.0)]
    speeds = [(impact.rows[0] @ impact.velocity)[0] for impact, _, _ in found]
    assert all(energy(impact) <= before * (1 + 1e-13) for impact, before, _ in found)
    assert max(speeds) == pytest.approx(1.0, rel=1e-12) and min(speeds) < 0.999


@pytest.mark.parametrize("law", [newton, poisson])
def test_a_driven_body_puts_energy_in(law):
    plate = Mass(ZERO, 0.0, NONE, np.array([0.2, 0.0, 1.0]), ZERO)
    impact = Impact([plate, ball([0, 0, 1], ZERO)], [Contact((0, 1), ZERO, UP, 0.5, 0.1)])
    law(impact)
    np.testing.assert_allclose(impact.velocity[6:9], [0.2 * 2 / 7, 0.0, 1.5], atol=1e-14)
    fast = Impact([plate, ball([0, 0, 1], ZERO)], [Contact((0, 1), ZERO, UP, 0.5, 0.01)])
    law(fast)
    np.testing.assert_allclose(fast.velocity[6:9], [0.015, 0.0, 1.5], atol=1e-14)


def test_the_first_of_a_row_sends_the_last_one_off():
    balls = [ball([2 * k, 0, 0], [float(k == 0), 0, 0]) for k in range(5)]
    impact = Impact(balls, [Contact((k, k + 1), np.array([2 * k + 1.0, 0, 0]), np.array([1.0, 0, 0]), 1.0, 0.0) for k in range(4)])
    newton(impact)
    np.testing.assert_allclose(impact.velocity.reshape(-1, 6)[:, 0], [0, 0, 0, 0, 1], atol=1e-14)


def test_a_flat_body_lands_flat():
    body = Mass(np.array([0, 0, 0.5]), 1.0, np.diag([6.0, 6.0, 6.0]), np.array([0.0, 0.0, -1.0]), ZERO)
    corners = [np.array([x, y, 0.0]) for x in (-0.5, 0.0, 0.5) for y in (-0.5, 0.5)]
    impact = Impact([GROUND, body], [Contact((0, 1), p, UP, 0.5, 0.3) for p in corners])
    newton(impact)
    np.testing.assert_allclose(impact.impulses, np.tile([0.0, 0.0, 1.5 / 6], (6, 1)), atol=1e-11)
    np.testing.assert_allclose(impact.velocity[6:], [0, 0, 0.5, 0, 0, 0], atol=1e-14)


def cluster(seed):
    """Balls and turned bodies with contacts anywhere, some of them over-determined."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 5))
    masses = [GROUND]
    for _ in range(count):
        turn = matrix(rng.normal(size=4))
        masses.append(Mass(rng.normal(size=3), 1.0 / rng.uniform(0.1, 3), turn @ np.diag(1 / rng.uniform(0.5, 0.9, 3)) @ turn.T,
                           rng.normal(size=3), rng.normal(size=3)))
    contacts = []
    for _ in range(int(rng.integers(1, 8))):
        i, j = sorted(rng.choice(count + 1, 2, replace=False).tolist())
        normal = rng.normal(size=3)
        contacts.append(Contact((i, j), rng.normal(size=3), normal / np.linalg.norm(normal), float(rng.uniform(0, 1)),
                                float(rng.choice([0, 0.5]))))
    return Impact(masses, contacts)


@pytest.mark.parametrize("law", [newton, poisson])
def test_energy_never_grows_and_nothing_approaches(law):
    for seed in range(20):
        impact = cluster(seed)
        before = energy(impact)
        law(impact)
        assert energy(impact) <= before * (1 + 1e-12)
        assert impact.speeds()[:, 0].min() >= -1e-9
        # Nothing pulls, and friction is within its cone.
        normal, across = impact.total[:, 0], np.hypot(impact.total[:, 1], impact.total[:, 2])
        assert normal.min() >= 0.0
        assert (across <= np.array([c.friction for c in impact.contacts]) * normal * (1 + 1e-9) + 1e-12).all()


def test_impulses_act_and_react():
    impact = Impact([ball([0, 0, 0], [1, 0.3, 0], mass=2.0), ball([2, 0, 0], [-1, 0, 0.2], [0, 1, 0])],
                    [Contact((0, 1), np.array([1.0, 0, 0]), np.array([1.0, 0, 0]), 0.7, 0.4)])
    newton(impact)
    v = impact.velocity.reshape(-1, 6)
    np.testing.assert_allclose(2 * (v[0, :3] - [1, 0.3, 0]), -impact.impulses[0], atol=1e-14)
    np.testing.assert_allclose(v[1, :3] - [-1, 0, 0.2], impact.impulses[0], atol=1e-14)


def test_the_least_in_a_disc():
    rng = np.random.default_rng(3)
    for _ in range(20):
        root = rng.normal(size=(2, 2))
        block, linear, limit = root @ root.T + 0.1 * np.eye(2), rng.normal(size=2), float(rng.uniform(0, 1))
        moves = np.pad(block, ((1, 0), (1, 0)))
        found = rubbed(moves, np.array([0.0, *linear]), np.array([limit]), np.zeros((1, 2)), 9, 0.0)[0]
        angles = np.linspace(0, 2 * np.pi, 400)
        others = np.stack([np.cos(angles), np.sin(angles)], axis=1)[None] * np.linspace(0, limit, 50)[:, None, None]
        values = np.einsum("rai,ij,raj->ra", others, block, others) / 2 + others @ linear
        assert found @ block @ found / 2 + linear @ found <= values.min() + 1e-12
        assert np.hypot(*found) <= limit * (1 + 1e-12)
