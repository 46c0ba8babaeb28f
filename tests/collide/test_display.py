"""Everything public shows itself in a notebook; numbers that enclose are printed in full."""

import re

import numpy as np
import pytest
import sympy as sp

import codegen
import collide
from generative import IDENTITY, Curve, Screw, axis_angle, t, u, x, y
from generative.fit import interpolating_curve
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
    assert f"{hits} hits" in text and f"{40 - hits} NO_CONTACT" in text and text.count("<tr>") == min(hits, 10) + 1
    assert hits <= 10 or f"and {hits - 10} more hits" in text


def test_a_kernel():
    text = codegen.compile([sp.sin(x) * y - x**2], [x, y])._repr_html_()
    assert "&lt;Kernel of 1 expressions of (x, y)" in text and "1 sin" in text


@pytest.mark.parametrize("value", [
    SHAPES["vase"].make(), SHAPES["lens"].make(), SHAPES["box"].make(), SHAPES["implicit_torus"].make(), IDENTITY,
    Screw([0, 0, 1], angle=t, advance=t), SCENES["tori-crossed"], SCENES["lens-on-ball"],
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_shapes_motions_and_scenes_show_a_picture(value):
    text = value._repr_html_()
    assert "data:image/png;base64," in text and repr(value)


def test_curves_and_fits_show_formulas():
    assert "C(u)" in Curve([u, 0, u**2], (0, 1))._repr_latex_()
    assert "exact at the points" in repr(interpolating_curve([[0, 0, 0], [1, 0, 0], [1, 1, 0]]))
    assert repr(axis_angle([0, 0, 1], 0))
