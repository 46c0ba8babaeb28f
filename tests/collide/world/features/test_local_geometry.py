"""Contacts of curved parts move as differences of where they are tell."""

import numpy as np
import pytest
import sympy as sp

from collide.world.contact.tracked_pair import OnSmooth
from collide.world.features.curved import CurvedPatch
from collide.world.features.local_geometry import Lost
from collide.world.features.straight import StraightSegment
from collide.world.motion.rotation import about
from collide.world.motion.state import BodyState
from generative import ParametricSurface, u, v

SEMIAXES = np.array([0.75, 0.5, 0.4])


def ellipsoid(*semiaxes):
    a, b, c = map(sp.nsimplify, semiaxes)
    return CurvedPatch(ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                                   {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}), np.zeros(3), False)


def moving(seed):
    """A body's place as a function of time: it goes straight on, and turns about a fixed axis."""
    rng = np.random.default_rng(seed)
    centre, velocity, spin, axis = np.array([0, 0, 1.1 * (seed % 2)]), *rng.normal(size=(3, 3))
    rate, size = np.linalg.norm(spin), np.linalg.norm(axis)
    return lambda t: BodyState(centre + t * velocity, about(spin / rate, t * rate) @ about(axis / size, 0.3), velocity, spin)


EDGE = StraightSegment(np.array([-1.0, 0.1, 0.2]), np.array([2.0, 0.3, -0.2]), np.zeros((0, 3)))


@pytest.mark.parametrize("first", [ellipsoid(0.6, 0.3, 0.5), EDGE], ids=["ellipsoid", "edge"])
@pytest.mark.parametrize("seed", [2, 10, 14])
def test_a_contact_on_an_ellipsoid_moves_as_it_is_found(first, seed):
    """Its axes are of three lengths, so that its parameters are not those of its curvatures."""
    other, one, its = ellipsoid(*SEMIAXES), moving(seed + 1), moving(seed)
    start = (0.0, 3.0, -0.4) if first.dimension == 2 else (0.5,)
    contact = OnSmooth(first, other, (np.array(start), np.array([0.0, 1.0, 1.0])), 0.0, 1.0, 0.8)
    h, at = 1e-3, contact.course(one(0.0), its(0.0))
    # It is where both have one normal, which goes from one to the other.
    outward = its(0.0).turn @ ((its(0.0).turn.T @ (at.point - its(0.0).centre)) / SEMIAXES**2)
    np.testing.assert_allclose(at.normal, outward / np.linalg.norm(outward), atol=1e-13)
    before, after = ([contact.course(one(s * k * h), its(s * k * h)) for k in (1, 2)] for s in (-1, 1))
    for name, rate in (("point", at.moving), ("normal", at.turning), ("gap", None)):
        near, far = ((getattr(after[k], name) - getattr(before[k], name)) / (2 * (k + 1) * h) for k in (0, 1))
        wanted = (one(0.0).at(at.point + at.gap * at.normal) - its(0.0).at(at.point)) @ at.normal if rate is None else rate
        np.testing.assert_allclose((4 * near - far) / 3, wanted, atol=1e-6)


def test_a_contact_at_times_at_which_a_body_is_nowhere_is_lost():
    """As where the motion of a step that is too long has no bounds; it was looked for without end."""
    contact = OnSmooth(EDGE, ellipsoid(*SEMIAXES), (np.array([0.5]), np.array([0.0, 1.0, 1.0])), 0.0, 1.0, 0.8)
    one, other = (BodyState(*(np.stack(e) for e in zip(*map(moving(seed), (0.0, 0.1, 0.2)), strict=True))) for seed in (2, 3))
    one.centre[1:] = np.nan
    with pytest.raises(Lost):
        contact.course(one, other)
