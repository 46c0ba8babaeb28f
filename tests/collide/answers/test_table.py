"""Everything public shows itself in a notebook; numbers that enclose are printed in full."""

import re

import numpy as np
import pytest
import sympy as sp

import codegen
import collide
from collide.bezier.nurbs import _grids
from generative import IDENTITY, Curve, Screw, axis_angle, curve, t, u, v, x, y
from generative.fit import chebyshev_motion_of, interpolating_curve, motion_through, rotation_minimizing_up
from generative.patch import b_spline_patches
from models.scenes import SCENES
from models.shapes import SHAPES


@pytest.fixture(scope="module")
def zeros():
    return collide.solve([x**2 + y**2 - 1, y - x**3], {x: (-2, 2), y: (-2, 2)})


def test_zeros(zeros):
    text = zeros._repr_html_()
    assert zeros.summary().split(".")[0] in text and text.count("<tr>") == 3 and text.count("unique (proved)") == 2
    for lo, hi in re.findall(r"\[(\S+), (\S+)\]", text):  # printed in full, so that they still enclose
        assert any(float(lo) == a and float(hi) == b for box in zeros.boxes for a, b in box)


def test_a_minimum():
    least = collide.minimize((x**2 + y - 1) ** 2 + (x + y**2 - 3) ** 2, {x: (-4, 4), y: (-4, 4)})
    text = least._repr_html_()
    assert "The global minimum is proved" in text and "<th>x</th><th>y</th>" in text and text.count("<tr>") == len(least.boxes) + 1
    assert repr(least).endswith("boxes)")


def test_a_batch():
    q = np.random.default_rng(1).normal(size=(40, 8, 3))
    batch = collide.edge_edge(q)
    hits = int(batch.hit.sum())
    text = batch._repr_html_()
    assert f"{int(batch.proved.sum())} with a proved contact" in text and f"{40 - hits} NO_CONTACT" in text
    assert text.count("<tr>") == min(hits, 10) + 1
    assert hits <= 10 or f"and {hits - 10} more hits" in text


def test_a_kernel():
    text = codegen.compile([sp.sin(x) * y - x**2], [x, y])._repr_html_()
    assert "&lt;Kernel of 1 expressions of (x, y)" in text and "1 sin" in text


@pytest.mark.parametrize("value", [
    SHAPES["vase"].make(), SHAPES["lens"].make(), SHAPES["box"].make(), SHAPES["implicit_torus"].make(), IDENTITY, curve.helix(),
    Screw([0, 0, 1], angle=t, advance=t), SCENES["tori-crossed"], SCENES["lens-on-ball"],
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_shapes_motions_and_scenes_show_a_picture(value):
    text = value._repr_html_()
    assert "data:image/png;base64," in text and repr(value)


def test_a_mesh_contact():
    corners, faces = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    lower, upper = np.stack([corners, corners]), np.stack([corners + [0.3, 0.3, 3], corners + [0.3, 0.3, -1]])
    found = collide.mesh_mesh((lower, faces), (upper, faces))
    text = found._repr_html_()
    assert f"from {found.time.lo!r} to {found.time.hi!r}" in text and text.count("<tr>") == 3  # in full, so that it still encloses
    assert found.features[0] in text and f"[{found.time.lo!r}, {found.time.hi!r}]" in repr(found)
    apart = collide.mesh_mesh((lower, faces), (lower + 5, faces))
    assert repr(apart) == "MeshContact(NO_CONTACT)" and "<table>" not in apart._repr_html_()


def test_bezier_nets_are_drawn_where_their_surface_is():
    points = np.random.default_rng(4).normal(size=(5, 4, 3))
    knots = [0, 0, 0, 1, 2, 3, 3, 3], [0, 0, 0, 1, 2, 2, 2]
    weights = np.random.default_rng(5).uniform(1, 2, (5, 4))
    still = collide.nurbs_to_bezier(points, *knots, (2, 2), weights=weights)
    moving = collide.nurbs_to_bezier(points, *knots, (2, 2), velocities=np.ones_like(points))
    assert "6 rational patches of degree 2 x 2" in repr(still) and "orange" not in still._repr_html_()
    assert "data:image/png;base64," in still._repr_html_() and "orange at t = 1" in moving._repr_html_()
    surfaces = b_spline_patches(points.tolist(), *knots, (2, 2), weights=weights.tolist())
    for (grid, _), surface in zip(_grids(still, 0, 3), surfaces, strict=True):
        (a, b), (c, d) = surface.domain.values()
        middle = [float(e.subs({u: (a + b) / 2, v: (c + d) / 2})) for e in surface.expressions]
        assert grid[4] == pytest.approx(middle, abs=1e-12)


def test_curves_and_fits_show_formulas():
    assert "C(u)" in Curve([u, 0, u**2], (0, 1))._repr_latex_()
    assert "exact at the points" in repr(interpolating_curve([[0, 0, 0], [1, 0, 0], [1, 1, 0]]))
    assert repr(axis_angle([0, 0, 1], 0))


def test_a_fit_shows_what_was_fitted_and_what_is_known():
    """A spline of several pieces, a motion over its own span of time, far from t = 0, and a direction, which has no picture."""
    times = np.linspace(100, 103, 7)
    quaternions = np.stack([np.cos(times), 0 * times, 0 * times, np.sin(times)], axis=1)
    moved = motion_through(times, quaternions, np.stack([times, 0 * times, 0 * times], axis=1))
    assert moved.time == (100, 103) and chebyshev_motion_of(lambda at: (np.stack([1 + 0 * at, at, at, at], 1) /
        np.sqrt(1 + 3 * at**2)[:, None], np.stack([at] * 3, 1)), (2, 3), degree=3).time == (2, 3)
    for fit in (interpolating_curve([[0, 0, 0], [1, 0, 0], [1, 1, 0]]), moved):
        assert "data:image/png;base64," in fit._repr_html_() and fit.statement in fit._repr_html_()
    up = rotation_minimizing_up(curve.helix(), steps=64, tolerance=1e-2)
    assert "<img" not in up._repr_html_() and "double reflection" in up._repr_html_()
