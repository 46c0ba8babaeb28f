"""Surfaces made by operators against closed forms, by quadrature of area and enclosed volume (Gauss' theorem)."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import NdBSpline

from generative import Curve, ParametricSurface, Rigid, curve, t, u, v, x, y, z
from generative.deform import bend, deform, scale, taper, twist
from generative.mesh import approx_function
from generative.patch import b_spline_patches, bezier_patch, bezier_triangle
from generative.sweep import (
    affine_sweep,
    extrude,
    height_field,
    interpolate,
    offset,
    profile_product,
    rail_product,
    reparameterize,
    revolve,
    ruled,
    sweep,
    wire_product,
)
from models.shapes.quadrics import sphere
from models.shapes.rings import torus
from tests.models.test_shapes import quadrature

TAU = 2 * sp.pi
SEGMENT = curve.line([1, 0, 0], [1, 0, 2])


def points(surface, count=7, time=0.0):
    lines = [np.linspace(float(lo), float(hi), count) for lo, hi in surface.domain.values()]
    return approx_function(surface.expressions, [u, v, t])(*np.meshgrid(*lines, indexing="ij"), time).reshape(-1, 3)


@pytest.mark.parametrize("surface, area", [
    (extrude(curve.circle(2), [0, 0, 3]), 12 * np.pi),
    (revolve(SEGMENT), 4 * np.pi),
    (revolve(SEGMENT, (1, sp.Rational(5, 2))), 3),
    (revolve(curve.line([1, 0, 0], [0, 0, 1])), np.sqrt(2) * np.pi),
    (ruled(curve.circle(1), Curve([sp.cos(u), sp.sin(u), 3], (0, TAU))), 6 * np.pi),
    (profile_product(curve.circle(1), SEGMENT), 4 * np.pi),
    (sweep(curve.circle(sp.Rational(3, 10)), curve.circle(1)), 4 * np.pi**2 * 0.3),
    (sweep(curve.circle(1), curve.line([0, 0, 0], [3, 0, 0])), 6 * np.pi),
    (offset(sphere(), 1), 16 * np.pi),
    (height_field(u + v, (0, 2), (0, 1)), 2 * np.sqrt(3)),
    (interpolate(sphere(), sphere(radius=3), sp.Rational(1, 2)), 16 * np.pi),
    (reparameterize(height_field(0, (0, 1), (0, 1)), u, u * v, {u: (0, 1), v: (0, 1)}), 0.5),
    (bend(height_field(0, (-1, 1), (-1, 1)), 1), 4),
    (twist(extrude(curve.circle(2), [0, 0, 3]), 1), 12 * np.pi),
    (wire_product(curve.circle(sp.Rational(1, 5)), curve.helix(1, 1, 1)), 2 * np.pi / 5 * np.hypot(2 * np.pi, 1)),
    (affine_sweep(curve.circle(2), [[1, 0, 0], [0, 1, 0], [u, 0, 1]], curve.line([0, 0, 0], [0, 0, 3])), None),
    (rail_product(Curve([u, 0, 0], (-1, 1)), curve.line([0, 0, 0], [0, 3, 0]), curve.line([1, 0, 0], [3, 3, 0])), 6),
], ids=["extrude", "revolve", "sector", "cone", "ruled", "product", "torus", "tube", "offset", "field", "between", "triangle", "bend",
        "twist", "wire", "affine", "rails"])
def test_areas(surface, area):
    if area is None:  # a circle of radius 2 sheared along z by u x: |S_u x S_v| from the definition
        angle, _ = np.meshgrid(*(np.polynomial.legendre.leggauss(40)[0],) * 2)
        weight = np.outer(*(np.polynomial.legendre.leggauss(40)[1],) * 2)
        area = np.sum(weight * 2 * abs(2 * np.cos((angle + 1) * np.pi) + 3)) * np.pi / 2
    assert quadrature(surface)[0] == pytest.approx(area, rel=1e-9)


@pytest.mark.parametrize("surface, volume", [
    (revolve(Curve([sp.cos(u), 0, sp.sin(u)], (-sp.pi / 2, sp.pi / 2))), 4 / 3 * np.pi),
    (sweep(curve.circle(sp.Rational(3, 10)), curve.circle(1)), 2 * np.pi**2 * 0.09),
    (wire_product(curve.circle(1), curve.circle(2), scale=1 + sp.sin(u) / 2), 2 * np.pi**2 * 2 * (1 + 1 / 8)),
    (scale(sphere(), (1, 2, 3)), 8 * np.pi),
    (scale(sphere(), -2), 32 / 3 * np.pi),
    (twist(torus(), 2), 2 * np.pi**2 * 0.09),
    (deform(torus(), [y, x, z], mirrored=True), 2 * np.pi**2 * 0.09),
    (taper(sphere(), 1 + z / 2), 4 / 3 * np.pi * (1 + 1 / 20)),
], ids=["ball", "torus", "bulging ring", "stretched", "mirrored", "twisted", "exchanged", "tapered"])
def test_volumes_are_positive_and_known(surface, volume):
    """The volume is positive where the normal points outwards."""
    assert quadrature(surface)[1] == pytest.approx(volume, rel=1e-9)


def test_bending_goes_through_no_bend_without_a_singularity():
    flat = height_field(0, (-1, 1), (-1, 1))
    assert points(bend(flat, 0)).tolist() == points(flat).tolist()
    wave = points(bend(flat, t), time=1.0)  # the circle of radius 1 about (0, 0, 1)
    np.testing.assert_allclose(np.hypot(wave[:, 0], wave[:, 2] - 1), 1, atol=1e-14)


def test_deformations_act_in_the_world():
    moved = scale(sphere().moved(Rigid(translation=[0, 0, 1])), 2)
    np.testing.assert_allclose(np.linalg.norm(points(moved) - [0, 0, 2], axis=1), 2, atol=1e-14)


def test_a_bicubic_patch_interpolates_its_corners_and_bernstein_sums():
    net = np.random.default_rng(2).integers(-5, 5, (4, 4, 3))
    patch = bezier_patch(net.tolist())
    ends = approx_function(patch.body, [u, v])(np.array([0.0, 0, 1, 1]), np.array([0.0, 1, 0, 1]))
    np.testing.assert_allclose(ends, [net[0, 0], net[0, 3], net[3, 0], net[3, 3]], atol=1e-14)
    middle = np.array([1, 3, 3, 1]) / 8
    np.testing.assert_allclose(approx_function(patch.body, [u, v])(0.5, 0.5), np.einsum("i,j,ijk", middle, middle, net))


def test_a_triangular_patch_of_the_ball():
    """(2a, 2b, 1 - a^2 - b^2) / (1 + a^2 + b^2), in Bernstein form over the triangle with corners (0, 0), (0, 1), (1, 0)."""
    half = sp.Rational(1, 2)
    rows = [[[0, 0, 1], [0, 1, 1], [0, 1, 0]], [[1, 0, 1], [1, 1, 1]], [[1, 0, 0]]]
    patch = bezier_triangle(rows, [[1, 1, 2], [1, 1], [2]])
    cloud = points(patch)
    np.testing.assert_allclose(np.linalg.norm(cloud, axis=1), 1, atol=1e-14)
    at = {u: half, v: half}  # a = 1/2, b = 1/4
    assert [e.subs(at) for e in patch.body] == [sp.Rational(16, 21), sp.Rational(8, 21), sp.Rational(11, 21)]
    assert all(e.subs(at) * x > 0 for e, x in zip(patch.normal, (1, 1, 1), strict=True))
    flat = bezier_triangle([[[0, 0, 0], [0, 1, 0]], [[1, 0, t]]])
    assert [sp.expand(e) for e in flat.body] == [u, v - u * v, t * u]


def test_b_spline_patches_join_and_reproduce_a_plane():
    grid = [[[i, j, 2 * i - j] for j in range(4)] for i in range(5)]
    patches = b_spline_patches(grid, [0, 0, 0, 1, 2, 3, 3, 3], [0, 0, 0, 1, 2, 2, 2], (2, 2))
    assert len(patches) == 6
    for p in patches:
        cloud = points(p)
        np.testing.assert_allclose(cloud[:, 2], 2 * cloud[:, 0] - cloud[:, 1], atol=1e-12)
    np.testing.assert_allclose(points(patches[0])[-1], points(patches[2])[7 - 1], atol=1e-12)


def test_a_nurbs_cylinder_is_round():
    half = sp.sqrt(2) / 2
    rows = [[[a, b, c] for c in (0, 1)] for a, b in ((1, 0), (1, 1), (0, 1))]
    [patch] = b_spline_patches(rows, [0, 0, 0, 1, 1, 1], [0, 0, 1, 1], (2, 1), weights=[[1, 1], [half, half], [1, 1]])
    np.testing.assert_allclose(np.linalg.norm(points(patch)[:, :2], axis=1), 1, atol=1e-14)


def test_nurbs_patches_follow_scipy_in_homogeneous_coordinates():
    generator = np.random.default_rng(6)
    net, weights = generator.integers(-4, 5, (5, 4, 3)), generator.integers(1, 6, (5, 4))
    knots = [0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 0, 1, 1, 1, 1]
    patches = b_spline_patches(net.tolist(), *knots, (2, 3), weights=weights.tolist())
    assert len(patches) == 2 and patches[1].domain[u] == (1, 2)
    homogeneous = np.concatenate([net * weights[..., None], weights[..., None]], axis=-1).astype(float)
    reference = NdBSpline(tuple(np.array(k, float) for k in knots), homogeneous, (2, 3))
    for p in patches:
        at = [np.linspace(float(lo), float(hi), 7) for lo, hi in p.domain.values()]
        grid = np.stack(np.meshgrid(*at, indexing="ij"), axis=-1).reshape(-1, 2)
        known = reference(np.minimum(grid, [2 - 1e-15, 1]))
        np.testing.assert_allclose(points(p), known[:, :3] / known[:, 3:], atol=1e-11)


@pytest.mark.parametrize("make, message", [
    (lambda: extrude(curve.circle(), [0, 0, 0]), "must not be the zero vector"),
    (lambda: revolve(curve.circle()), "must lie in the plane y = 0"),
    (lambda: sweep(curve.circle(), curve.line([0, 0, 0], [0, 0, 1])), "must not run along its up"),
    (lambda: wire_product(curve.circle(), curve.line([0, 0, 0], [1, 0, 0])), "no Frenet frame"),
    (lambda: affine_sweep(curve.circle(), [[1, 0, 0]], curve.circle()), "needs a 3 x 3 matrix, got 1 rows"),
    (lambda: affine_sweep(curve.circle(), [[0, 0, 0]] * 3, curve.circle()), "affine_sweep makes no surface"),
    (lambda: profile_product(curve.circle(), Curve([0, 0, u], (0, 1))), "profile_product makes no surface .* a line or a point"),
    (lambda: ruled(curve.circle(), curve.circle()), "ruled makes no surface"),
    (lambda: sweep(curve.circle(), curve.helix(), scale=0), "sweep makes no surface"),
    (lambda: bezier_patch([[[i + j, 0.1 * (i + j), 7] for j in range(3)] for i in range(3)]), "bezier_patch makes no surface"),
    (lambda: scale(sphere(), (1, 0, 1)), "flattens"),
    (lambda: bezier_patch([[[0, 0, 0], [1, 0, 0]]]), "at least two rows"),
    (lambda: bezier_patch([[[0, 0, 0], [1, 0, 0]], [[0, 0, 0]]]), "rows of equal length"),
    (lambda: bezier_triangle([[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 1, 0]]]), "N \\+ 1, N, ... 1 control points, got \\[2, 2\\]"),
    (lambda: bezier_triangle([[[0, 0, 0], [1, 0, 0]], [[0, 1, 0]]], [[1, 1]]), "one weight a control point"),
    (lambda: bezier_triangle([[[0, 0, 0], [1, 0, 0]], [[0, 1, 0]]], [[1, 1], [0]]), "must be positive"),
    (lambda: reparameterize(sphere(), sp.Symbol("u"), v, {u: (0, 1), v: (0, 1)}), "import u from generative"),
    (lambda: reparameterize(sphere(), u, 2 * v, {u: (0, 1), v: (0, 1)}),
     r"the new v leaves the surface's domain \(-pi/2, pi/2\): it is 2 at u = 0, v = 1; correct it, or .* beyond=True"),
    (lambda: reparameterize(sphere(), u - v, v, {u: (0, 1), v: (0, 1)}), "the new u leaves .*: it is -1 at u = 0, v = 1"),
])
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_reparameterization_accepts_what_stays_inside_or_is_meant_to_leave():
    """Up to the very border, and where the floating-point value at a corner rounds past it; a torus goes on beyond its seam."""
    third = sp.Rational(1, 3)
    patch = height_field(u * v, (0, third), (0, 3 * sp.pi))
    assert reparameterize(patch, u * third * (v + 1) / 2, 3 * sp.acos(-v), {u: (0, 1), v: (-1, 1)}).body[0] == u * (v + 1) / 6
    turned = reparameterize(sphere(), u + 1, v, sphere().domain, beyond=True)
    assert turned.body[2] == sphere().body[2] and turned.domain == sphere().domain


def test_what_only_begins_without_width_is_a_surface():
    """A sweep that grows from nothing, and a ribbon a million times as long as it is wide, far from the origin."""
    assert sweep(curve.circle(), curve.helix(), scale=t).deforming
    far, thin = 10**6, sp.Rational(1, 10**6)
    assert ruled(curve.line([far, 0, 0], [far + 1, 0, 0]), curve.line([far, thin, 0], [far + 1, thin, 0]))


def test_results_are_surfaces():
    assert isinstance(extrude(curve.circle(), [0, 0, 1]), ParametricSurface)


@pytest.mark.parametrize("outline", [curve.line([0, 0, 0], [1, 1, 1]), curve.Curve([u**2, 2 * u**2, u**2 * 3], (-1, 2))])
def test_lines_along_a_direction_are_refused_and_others_extruded(outline: Any) -> None:
    """Also from a place where the line comes back, and by directions that differ by far less than two points tell."""
    way = [b - a for a, b in zip(outline.at(0), outline.at(1), strict=True)]
    with pytest.raises(ValueError, match="must not run along the direction"):
        extrude(outline, way)
    assert extrude(outline, [way[0] + sp.Rational(1, 10**30), *way[1:]]).domain[v] == (0, 1)
