"""Exact mass properties, against closed forms and against the integrals in doubles."""

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

from collide import exact_mass_properties, mass_properties
from generative import ParametricSurface, Rigid, primitives, solids, t, u, v

from ..scenes import BALL, EGG, RING, cube
from .test_properties import ANGLE

R = sp.Rational


@pytest.mark.parametrize(("shape", "volume", "centre", "moments"), [
    (BALL, 4 * sp.pi / 3, (0, 0, 0), (R(2, 5),) * 3),
    (EGG, sp.pi / 2, (0, 0, 0), ((R(9, 16) + R(1, 4)) / 5, (1 + R(1, 4)) / 5, (1 + R(9, 16)) / 5)),
    (RING.moved(ANGLE), 2 * sp.pi**2 * R(9, 100), (1, 2, 3), (1 + R(27, 400), R(1, 2) + R(9, 160), R(1, 2) + R(9, 160))),
    (cube().placed(translation=[1, 0, 0]), 1, (1, 0, 0), (R(1, 6),) * 3),
    (solids.capsule(R(1, 2), 1), sp.pi * 5 / 12, (0, 0, R(1, 2)), None),
    (solids.rounded_box(), R(27, 32) + 29 * sp.pi / 768, (0, 0, 0), None),
    (ParametricSurface(BALL.body, BALL.domain, flipped=True), 4 * sp.pi / 3, (0, 0, 0), (R(2, 5),) * 3),
])  # fmt: skip
def test_closed_forms(shape, volume, centre, moments):
    found, near = exact_mass_properties(shape), mass_properties(shape)
    assert sp.expand(found.volume - volume) == 0 and found.centre == centre
    if moments is not None:
        assert (found.inertia - volume * sp.diag(*moments)).applyfunc(sp.expand) == sp.zeros(3)
    bounds, lo, hi = found.inertia_bounds, *found.volume_bounds
    assert lo <= near.volume * (1 + 1e-12) and near.volume * (1 - 1e-12) <= hi and hi - lo <= 2 * np.spacing(hi)
    assert found.centre_bounds.shape == (3, 2) and (bounds[..., 0] <= bounds[..., 1]).all()
    np.testing.assert_allclose(bounds.mean(axis=-1), near.inertia, atol=1e-12)


@pytest.mark.parametrize(("shape", "what"), [
    (ParametricSurface([u, v, u * v], {u: (0, 1), v: (0, 1)}), "closed"), (BALL.moved(Rigid(translation=[t, 0, 0])), "at rest"),
    (primitives.ball(2), "implicit"), (ParametricSurface([e * sp.exp(sp.sin(v)) for e in BALL.body], BALL.domain), "no polynomials"),
])  # fmt: skip
def test_what_is_not_known_exactly_is_refused(shape, what):
    with pytest.raises(ValueError, match=what) as error:
        exact_mass_properties(shape)
    assert ". " not in str(error.value)


def test_what_is_no_body_is_refused():
    with pytest.raises(TypeError, match="bodies are"):
        exact_mass_properties("ball")


def test_a_mesh_has_rational_properties():
    found = exact_mass_properties(cube(0.3))
    assert found.volume == sp.Rational(0.6) ** 3 and found.inertia[0, 0] == sp.Rational(0.6) ** 5 / 6
    assert math.isclose(found.volume_bounds.midpoint, 0.216)


@pytest.mark.parametrize("query", [exact_mass_properties, mass_properties])
def test_a_surface_that_covers_itself_is_refused(query: Any) -> None:
    """Twice the volume would not be wrong by rounding alone."""
    sphere = [sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)]
    torus = [(2 + sp.cos(3 * v)) * sp.cos(u), (2 + sp.cos(3 * v)) * sp.sin(u), sp.sin(3 * v)]
    for body, u_end, often, s in ((sphere, 4 * sp.pi, 2, "u"), (torus, 2 * sp.pi, 3, "v"), (torus, 6 * sp.pi, 3, "u")):
        domain = {u: (0, u_end), v: (-sp.pi / 2, sp.pi / 2) if body is sphere else (0, 2 * sp.pi)}
        with pytest.raises(ValueError, match=f"covers itself {often} times along {s}"):
            query(ParametricSurface(body, domain))
    once = query(ParametricSurface([e.subs(v, v / 3) for e in torus], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)}))
    assert abs(float(once.volume) - 4 * np.pi**2) < 1e-9
