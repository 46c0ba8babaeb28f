"""Sheets of Hermite patches: energy against closed forms, derivatives against differences, mass and nets against exact ones.

Of `collide.shell.sheet`, `koiter` and `hermite`.
"""

import numpy as np
import pytest

from collide.shell import Sheet
from collide.shell.hermite import cubic, functions, gauss
from generative import patch

E, NU, H = 2e5, 0.25, 2e-3


def sheet(size=(2.0, 1.0), patches=(4, 2), **more):
    return Sheet(size, patches, thickness=H, young=E, poisson=NU, density=300.0, **more)


def test_a_stretched_sheet_has_the_energy_of_plane_stress():
    """By the factor c along x alone: E_11 = (c^2 - 1) / 2, and W = h/2 E/(1 - nu^2) E_11^2 for each unit of area."""
    own, c = sheet(), 1.1
    strain = (c * c - 1.0) / 2.0
    wanted = H / 2.0 * E / (1.0 - NU**2) * strain**2 * 2.0
    assert own.energy(own.rest * [c, 1, 1]) == pytest.approx(wanted, rel=1e-12)


def test_a_sheared_sheet_has_the_energy_of_its_shear():
    """x + g y: E_12 = g / 2 and E_22 = g^2 / 2; W = h/2 (2 mu (2 E_12^2 + E_22^2) + lambda E_22^2)."""
    own, g = sheet(), 0.2
    first, mu = E * NU / (1 - NU**2), E / (2 * (1 + NU))
    wanted = H / 2 * (2 * mu * (2 * (g / 2) ** 2 + (g * g / 2) ** 2) + first * (g * g / 2) ** 2) * 2.0
    places = own.rest.copy()
    places[:, 0] += g * places[:, 1]
    assert own.energy(places) == pytest.approx(wanted, rel=1e-12)


def test_a_sheet_rolled_up_to_a_cylinder_has_the_energy_of_its_curvature():
    """Radius r without stretch: W = h^3/24 E/(1 - nu^2) / r^2, up to the error of cubics."""
    own, r = sheet(patches=(16, 2)), 0.6
    rolled = own.placed(lambda p: np.column_stack([r * np.sin(p[:, 0] / r), p[:, 1], r * np.cos(p[:, 0] / r)]))
    wanted = H**3 / 24 * E / (1 - NU**2) / r**2 * 2.0
    assert own.energy(rolled) == pytest.approx(wanted, rel=0.02)


def test_derivatives_are_those_of_the_energy():
    own, rng = sheet(), np.random.default_rng(7)
    places, way, h = own.rest + 0.02 * rng.normal(size=own.rest.shape), rng.normal(size=own.rest.shape), 1e-6
    slope = (own.energy(places + h * way) - own.energy(places - h * way)) / (2 * h)
    assert (own.gradient(places) * way).sum() == pytest.approx(slope, rel=1e-6)
    # Stretched both ways no eigenvalue is negative, so nothing is left out of the Hessian.
    stretched = own.rest * [1.1, 1.2, 1.0] + 1e-5 * rng.normal(size=own.rest.shape)
    bend = (own.gradient(stretched + h * way) - own.gradient(stretched - h * way)).ravel() / (2 * h)
    np.testing.assert_allclose(own.hessian(stretched) @ way.ravel(), bend, atol=1e-5 * np.abs(bend).max())


def test_moving_and_turning_cost_nothing():
    own = sheet()
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    moved = own.rest @ turn.T
    moved[::4] += [1.0, 2.0, 3.0]
    assert abs(own.energy(moved)) < 1e-20 and np.abs(own.gradient(moved)).max() < 1e-10


def test_the_mass_is_that_of_the_sheet():
    """Velocity fields 1, x and y: total mass, and moments of a rectangle about its middle."""
    own = sheet()
    for field, wanted in ((lambda p: np.ones(len(p)), 1.0), (lambda p: p[:, 0], 4 / 12), (lambda p: p[:, 1], 1 / 12)):
        rows = own.placed(lambda p, field=field: np.column_stack([field(p), 0 * p[:, :2]])).ravel()
        assert rows @ (own.mass @ rows) == pytest.approx(300.0 * H * 2.0 * wanted, rel=1e-6)


def test_nets_and_points_are_those_of_hermite_patches():
    own = sheet()
    places = own.rest + 0.1 * np.random.default_rng(1).normal(size=own.rest.shape)
    nodes = places.reshape(5, 3, 4, 3)
    corner = nodes[1:3, 0:2]
    exact = patch.hermite_to_bezier(*(corner[:, :, k].tolist() for k in range(4)))
    np.testing.assert_allclose(own.nets(places)[2], np.array(exact, float), atol=1e-14)
    # The middle of that patch, by cubic Bernstein polynomials, is a vertex of the triangles.
    weights = np.array([1.0, 3, 3, 1]) / 8
    middle = np.einsum("i,j,ijk->k", weights, weights, own.nets(places)[2])
    assert np.linalg.norm(own.points(places) - middle, axis=1).min() < 1e-14


def test_the_deviation_bounds_how_far_patches_are_from_their_triangles():
    """Against the closest of samples of a wave, which cubics follow to 5e-4; a flat sheet has none."""
    own = sheet()
    places = own.placed(lambda p: np.column_stack([p[:, 0], p[:, 1], 0.1 * np.sin(2 * p[:, 0] + p[:, 1])]))
    fine, coarse = (sheet(cells=c) for c in (12, 2))
    heights = fine.points(places)[:, 2] - 0.1 * np.sin(2 * fine.points(places)[:, 0] + fine.points(places)[:, 1])
    assert np.abs(heights).max() < 5e-4 and coarse.deviation(own.rest) < 1e-15
    corners = coarse.points(places)[coarse.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    shares = np.array([[1, 1, 1], [2, 1, 1], [1, 0, 1]]) / np.array([[3], [4], [2]])
    middles = np.einsum("sk,tki->tsi", shares, corners)
    away = middles[..., 2] - 0.1 * np.sin(2 * middles[..., 0] + middles[..., 1])
    off = np.abs(away * (normals[:, 2] / np.linalg.norm(normals, axis=1))[:, None]).max()
    assert off - 5e-4 <= coarse.deviation(places) < 20 * off


def test_the_functions_reproduce_cubics_and_their_derivatives():
    at = np.array([0.0, 0.3, 1.0])
    np.testing.assert_allclose(cubic(at) @ [0, 1, 2, 3], at + at**2)
    np.testing.assert_allclose(cubic(at, 2) @ [0, 1, 2, 3], 2 * np.ones(3))
    points, weights = gauss(3)
    assert weights.sum() == pytest.approx(1.0) and functions(points).shape == (9, 16)


def test_bad_numbers_are_refused():
    for more, told in (({"thickness": 0.0}, "thickness"), ({"poisson": 0.5}, "Poisson"), ({"patches": (0, 1)}, "patches")):
        known = {"thickness": H, "young": E, "poisson": NU, "density": 1.0, "patches": (1, 1), **more}
        with pytest.raises(ValueError, match=told):
            Sheet((1.0, 1.0), known.pop("patches"), **known)
    with pytest.raises(ValueError, match="four rows a node"):
        sheet().energy(np.zeros((3, 3)))
