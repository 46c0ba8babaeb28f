"""Every moment integrator obeys one suite; the referees are closed forms of a block, a ball, a can and an egg, and the rule for motions."""

import functools
import math

import numpy as np
import pytest
import sympy as sp

from collide import Mesh, exact_mass_properties
from collide.world.mass.integrators import INTEGRATORS, Moments, integrator_of
from generative import ImplicitSurface, Rigid, primitives, solids, x, y, z

from ..scenes import BALL

MOTION = Rigid(rotation=[sp.Rational(1, 2)] * 4, translation=[1, 2, 3])
TURN, SHIFT = np.array([float(e) for e in MOTION.entries[:9]]).reshape(3, 3), np.array([1.0, 2, 3])
CORNERS = [[a, b, c] for a in (-0.5, 0.5) for b in (-1.0, 1) for c in (-1.5, 1.5)]
SIDES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
MESH = Mesh(CORNERS, [t for a, b, c, d in SIDES for t in ([a, b, c], [a, c, d])])
EGG = ImplicitSurface(4 * x**2 + y**2 + z**2 / 4 - 1, bounds=[(-1, 1), (-2, 2), (-3, 3)])
CAN = primitives.round_cylinder(2, 3).moved(Rigid(translation=[0, 0, -sp.Rational(3, 2)]))
# The name of the integrator, a body, its volume, and the means of xx, yy and zz over it.
CASES = [
    ("TriangleIntegrator", MESH, 6.0, (1 / 12, 1 / 3, 3 / 4)),
    ("FaceIntegrator", BALL, 4 * math.pi / 3, (1 / 5, 1 / 5, 1 / 5)),
    ("FaceIntegrator", solids.cylinder(2, 3), 12 * math.pi, (1.0, 1.0, 3 / 4)),
    ("HalfSpaceIntegrator", primitives.block((1, 2, 3)), 6.0, (1 / 12, 1 / 3, 3 / 4)),
    ("RevolvedIntegrator", CAN, 12 * math.pi, (1.0, 1.0, 3 / 4)),
    ("SignedSumIntegrator", EGG, 4 * math.pi / 3, (1 / 20, 1 / 5, 4 / 5)),
]  # fmt: skip
IDS = [f"{name}-{k}" for k, (name, *_) in enumerate(CASES)]


@functools.cache
def moments(k: int, moved: bool) -> Moments:
    name, shape, *_ = CASES[k]
    shape = shape.moved(MOTION) if moved else shape
    assert type(integrator_of(shape)).__name__ == name
    return integrator_of(shape).moments(shape)


def test_the_cases_are_of_all_integrators() -> None:
    assert {name for name, *_ in CASES} == {type(i).__name__ for i in INTEGRATORS}


@pytest.mark.parametrize("k", range(len(CASES)), ids=IDS)
def test_moments_are_those_of_the_closed_form_within_the_error(k: int) -> None:
    _, _, volume, means = CASES[k]
    found = moments(k, False)
    sign = np.sign(found.volume[0])
    np.testing.assert_allclose(sign * found.volume, volume * np.array([1.0, 0, 0, 0, *means, 0, 0, 0]), atol=1e-12 * volume)
    assert abs(sign * found.volume[0] / volume - 1.0) <= found.error + 1e-14 and found.error < 1e-10
    assert np.abs(found.normals).max() <= 1e-12 * found.area


@pytest.mark.parametrize("k", range(len(CASES)), ids=IDS)
def test_moments_of_a_moved_body_are_those_carried_along(k: int) -> None:
    volume, first, (xx, yy, zz, yz, zx, xy) = (moments(k, False).volume[e] for e in (0, slice(1, 4), slice(4, 10)))
    products, at = TURN @ np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) @ TURN.T, TURN @ first
    products += np.outer(at, SHIFT) + np.outer(SHIFT, at) + volume * np.outer(SHIFT, SHIFT)
    expected = [volume, *(at + volume * SHIFT), *np.diag(products), products[1, 2], products[2, 0], products[0, 1]]
    np.testing.assert_allclose(moments(k, True).volume, expected, atol=1e-11 * abs(volume))


@pytest.mark.parametrize("k", [0, 1, 2])
def test_the_exact_integrator_encloses_the_same_volume(k: int) -> None:
    _, shape, volume, means = CASES[k]
    found = exact_mass_properties(shape)
    assert found.volume_bounds.lo <= volume * (1 + 1e-15) and found.volume_bounds.hi >= volume * (1 - 1e-15)
    np.testing.assert_allclose(found.inertia_bounds.mean(axis=2), volume * np.diag(sum(means) - np.array(means)), rtol=1e-14, atol=1e-14)
