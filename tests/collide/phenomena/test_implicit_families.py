"""Implicit bodies, and calls with known contacts, that differ in numbers alone: one family, nothing compiled again, exact answers."""

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status, Tracked
from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, t, u, v, x, y, z
from generative.family import member_of
from generative.primitives import ball, round_cylinder

Q = sp.Rational


def torus(ring, tube):
    bound = (ring + tube) * Q(9, 8)
    return ImplicitSurface((x**2 + y**2 + z**2 + ring**2 - tube**2) ** 2 - 4 * ring**2 * (x**2 + y**2),
                           bounds=[(-bound, bound), (-bound, bound), (-2 * tube, 2 * tube)])


def exactly(*numbers):
    return [Q(float(e)) for e in numbers]


def drawn(rng):
    """A rotation, and where a body comes down from."""
    return Rigid(rotation=exactly(*rng.normal(size=4)), normalize=True, translation=[*exactly(*rng.uniform(-0.4, 0.4, 2)), 4 - t])


def agrees(first, second, numbers, symbols):
    """Do formulas of x, y, z, t agree to 35 digits, with numbers in the place of symbols?"""
    at = {x: Q(3, 7), y: Q(-5, 11), z: Q(2, 13), t: Q(13, 17)}
    known = dict(zip(symbols, numbers, strict=True))
    return abs((sp.sympify(first).xreplace(known) - second).xreplace(at).evalf(40, maxn=200)) < sp.Float("1e-35")


@pytest.mark.parametrize("make", [
    lambda r, s: torus(r, s / 4), lambda r, s: ball(r) - ball(s),
    lambda r, s: (ball(r) | ball(s)) - ball(s).complement() & round_cylinder(s, r),
], ids=["torus", "difference", "tree"])
def test_implicit_bodies_that_differ_in_numbers_are_members_of_one_family(make):
    rng = np.random.default_rng(5)
    bodies = [make(*exactly(*rng.uniform(1, 2, 2))).moved(drawn(rng)) for _ in range(6)]
    members = [member_of(body) for body in bodies]
    assert len({id(m.body) for m in members}) == 1
    for body, m in zip(bodies, members, strict=True):
        known = dict(zip(m.symbols, m.numbers, strict=True))
        assert agrees(m.body.expression, body.expression, m.numbers, m.symbols) and len(m.body.leaves) == len(body.leaves)
        for one, other in zip(m.body.leaves, body.leaves, strict=True):
            assert agrees(one.expression, other.expression, m.numbers, m.symbols)
            assert [sp.sympify(e).xreplace(known) for ends in one.bounds for e in ends] == [e for ends in other.bounds for e in ends]
        # Equal leaves, and leaves and their complements, stay so.
        pairs = [[(a == b, a == b.complement()) for a in whole.leaves for b in whole.leaves] for whole in (m.body, body)]
        assert pairs[0] == pairs[1]


def test_a_sweep_over_poses_and_sizes_of_an_implicit_torus_compiles_once(kernels):
    """Turned about a horizontal axis by an angle a, its lowest point is R |sin a| + r below its centre; where it is there, the floor is."""
    floor = ImplicitSurface(z, bounds=[(-9, 9), (-9, 9), (-1, 1)])
    rng = np.random.default_rng(6)
    for k in range(6):
        ring, tube = exactly(*rng.uniform([1.5, 0.3], [2.5, 0.7]))
        cosine, sine, first, second = exactly(*rng.normal(size=4))
        motion = Rigid(rotation=[cosine, sine, 0, 0], normalize=True, translation=[first, second, 7 - t])
        c = collide.first_contact([torus(ring, tube).moved(motion), floor], (0, 8))
        with mpmath.workdps(40):
            numbers = [mpmath.mpf(e.p) / e.q for e in (ring, tube, cosine, sine)]
            angle = 2 * mpmath.atan2(numbers[3], numbers[2])
            truth = 7 - numbers[0] * abs(mpmath.sin(angle)) - numbers[1]
            assert c.status is Status.CONTACT and c.proved.tolist() == [True]
            assert c.time.lo <= truth <= c.time.hi < c.time.lo + 1e-11 and c.clear_until <= truth
        assert k < 2 or not kernels
        kernels.clear()


def test_implicit_against_parametric_and_combined_bodies(kernels):
    """Balls that fall beside each other's axes: centres a sum of radii apart; of a ball with a hollow only the outside counts."""
    rng = np.random.default_rng(7)
    for k in range(5):
        r, s, a, b = exactly(*rng.uniform(0.5, 1.0, 2), *rng.uniform(-0.3, 0.3, 2))
        above = ParametricSurface([s * sp.cos(u) * sp.cos(v), s * sp.sin(u) * sp.cos(v), s * sp.sin(v)],
                                  {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(Rigid(translation=[a, b, 4 - t]))
        below = (ball(r) - ball(r / 2)).moved(Screw([1, 2, 2], angle=float(rng.normal()) * t))
        c = collide.first_contact([below, above], (0, 4))
        truth = sp.N(4 - sp.sqrt((r + s) ** 2 - a**2 - b**2), 40)
        assert c.status is Status.CONTACT and c.time.lo <= truth <= c.time.hi < c.time.lo + 1e-10
        # The third contact is the first one near a pole, for which there are parameters of its own.
        assert k < 3 or not kernels
        kernels.clear()


def test_known_contacts_are_numbers_of_a_family(kernels):
    """A ball of radius r rolls along the floor with speed w towards a wall at x = d: its centre gets to d - r."""
    rng = np.random.default_rng(8)
    bounds = [(-9, 9)] * 3
    for k in range(5):
        r, w, d = exactly(*rng.uniform([0.5, 0.5, 3.0], [1.0, 1.5, 5.0]))
        wheel = ParametricSurface([r * sp.cos(u) * sp.cos(v), r * sp.sin(v), r * sp.sin(u) * sp.cos(v)],
                                  {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}, flipped=True)
        rolling = wheel.moved(Screw([0, 1, 0], angle=w * t / r)).moved(Rigid(translation=[w * t, 0, r]))
        room = ImplicitSurface(z, bounds=bounds) | ImplicitSurface(d - x, bounds=bounds)
        known = Tracked((0, 1), w * t / r - sp.pi / 2, 0, None, None, float(rng.uniform(0.05, 0.1)))
        c = collide.first_contact([rolling, room], (0, 10), tracked=[known])
        truth = sp.N((d - r) / w, 40)
        assert c.status is Status.CONTACT and c.time.lo <= truth <= c.time.hi < c.time.lo + 1e-6 and len(c.points) == 1
        assert k < 2 or not kernels
        kernels.clear()
        assert collide.first_contact([rolling, room], (0, truth - Q(1, 10)), tracked=[known]).status is Status.NO_CONTACT
