"""B-splines and NURBS against geomdl, which evaluates them from the knots by de Boor's algorithm, in floating point."""

import numpy as np
import pytest

from generative import curve, patch, u, v
from generative.mesh import approx_function

geomdl_nurbs = pytest.importorskip("geomdl.NURBS", reason="needs geomdl, which is among the requirements of the tests")

UNIFORM = [0, 0, 0, 0, 1, 2, 3, 3, 3, 3]
REPEATED = [0, 0, 0, 0.25, 0.5, 0.5, 2, 2, 2]
UNCLAMPED = [-1, -0.5, 0, 1, 3, 4, 4.5, 6]


def the_curve(points, knots, degree, weights):
    made = geomdl_nurbs.Curve(normalize_kv=False)
    made.degree = degree
    made.ctrlpts, made.weights, made.knotvector = points.tolist(), weights.tolist(), list(map(float, knots))
    return made


@pytest.mark.parametrize("knots, degree", [(UNIFORM, 3), (REPEATED, 2), (UNCLAMPED, 2)], ids=["clamped", "repeated", "unclamped"])
@pytest.mark.parametrize("rational", [False, True])
def test_curves(knots, degree, rational):
    generator = np.random.default_rng(11)
    points = generator.normal(size=(len(knots) - degree - 1, 3))
    weights = generator.uniform(0.3, 3, len(points)) if rational else np.ones(len(points))
    reference = the_curve(points, knots, degree, weights)
    pieces = curve.b_spline(points.tolist(), knots, degree, weights.tolist() if rational else None)
    assert float(pieces[0].domain[0]) == knots[degree] and float(pieces[-1].domain[1]) == knots[-degree - 1]
    for piece in pieces:
        at = np.linspace(*map(float, piece.domain), 9)
        ours = approx_function(piece.expressions, [u])(at)
        np.testing.assert_allclose(ours, reference.evaluate_list(at.tolist()), atol=1e-12)


@pytest.mark.parametrize("rational", [False, True])
def test_surfaces(rational):
    generator = np.random.default_rng(12)
    points = generator.normal(size=(6, 5, 3))
    weights = generator.uniform(0.3, 3, (6, 5)) if rational else np.ones((6, 5))
    along, across = [0, 0, 0, 0, 1, 1.5, 2, 2, 2, 2], [0, 0, 0, 1, 4, 5, 5, 5]
    reference = geomdl_nurbs.Surface(normalize_kv=False)
    reference.degree_u, reference.degree_v = 3, 2
    reference.ctrlpts_size_u, reference.ctrlpts_size_v = 6, 5
    reference.ctrlpts, reference.weights = points.reshape(-1, 3).tolist(), weights.ravel().tolist()
    reference.knotvector_u, reference.knotvector_v = list(map(float, along)), list(map(float, across))
    patches = patch.b_spline_patches(points.tolist(), along, across, (3, 2), weights.tolist() if rational else None)
    assert len(patches) == 3 * 3
    for piece in patches:
        grid = np.stack(np.meshgrid(*(np.linspace(*map(float, ends), 4) for ends in piece.domain.values())), axis=-1).reshape(-1, 2)
        ours = approx_function(piece.expressions, [u, v])(*grid.T)
        np.testing.assert_allclose(ours, reference.evaluate_list(grid.tolist()), atol=1e-12)
