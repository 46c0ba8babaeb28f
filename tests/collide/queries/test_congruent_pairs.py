"""A bent patch that comes to lie on its equal: contact over all of it, at a moment known exactly (`collide.queries.congruent_pairs`)."""

import numpy as np
import pytest
import sympy as sp

from collide import Status, first_contact
from collide.queries.congruent_pairs import slopes_of
from generative import ParametricSurface, Rigid, t, u, v

BENT = ParametricSurface([u, v, u**2 / 4 + sp.sin(v) / 5], {u: (-1, 1), v: (-1, 1)})
TILT = Rigid(rotation=[3, 1, 2, 1], normalize=True)
R = sp.Rational


@pytest.mark.parametrize(("way", "when"), [
    ([0, 0, 1 - t], 1),
    ([(1 - t) ** 2 / 4, (1 - t) / 8, 1 - t], 1),
    ([0, (R(1, 2) - t**2) / 3, R(1, 2) - t**2], 2**-0.5),
    ([0, 0, (1 - t) ** 2], 1),
])
def test_a_bent_patch_on_its_copy_touches_all_over(way, when):
    found = first_contact([BENT.moved(Rigid(translation=way)).moved(TILT), BENT.moved(TILT)], (0, 1.5), simultaneity=1e-6, spacing=0.5)
    assert found.status is Status.CONTACT and found.exists.all() and not found.unique.any()
    assert found.time[0] <= when <= found.time[1] and np.ptp(found.time) < 1e-15 and found.clear_until >= when - 1e-15
    own = found.points @ np.array(TILT.rotation, float)
    np.testing.assert_allclose(own[:, 2], own[:, 0] ** 2 / 4 + np.sin(own[:, 1]) / 5, atol=1e-12)
    along = found.normals @ np.array(TILT.rotation, float)
    slopes = np.column_stack([-own[:, 0] / 2, -np.cos(own[:, 1]) / 5, np.ones(len(own))])
    np.testing.assert_allclose(along, -slopes / np.linalg.norm(slopes, axis=1)[:, None], atol=1e-12)
    assert np.ptp(own[:, 0]) == pytest.approx(2.0) and len(own) >= 25


def test_others_are_searched():
    """Beside the copy by 1/10 the first contact is where z falls behind by the chord, before t = 1."""
    beside = first_contact([BENT.moved(Rigid(translation=[R(1, 10), 0, 1 - t])), BENT], (0, 1.5), spacing=0.5)
    assert beside.status is Status.CONTACT and beside.time[1] < 1
    half = ParametricSurface([sp.cos(u), sp.sin(u), v], {u: (0, sp.pi), v: (0, 1)})
    ring = ParametricSurface([sp.cos(u), sp.sin(u), v], {u: (0, 2 * sp.pi), v: (0, 1)})
    assert slopes_of(BENT) is not None and slopes_of(half) is None and slopes_of(ring) is None
