"""Hermite patches: their derivatives at the corners, by SymPy, and conversion to Bezier and back."""

import random

import pytest
import sympy as sp

from generative import patch, u, v


def drawn(rng):
    return [[tuple(sp.Rational(rng.randint(-9, 9), rng.randint(1, 9)) for _ in range(3)) for _ in range(2)] for _ in range(2)]


def test_derivatives_at_the_corners_are_those_given():
    rng = random.Random(0)
    given = [drawn(rng) for _ in range(4)]
    surface = patch.hermite(*given)
    for values, by in zip(given, ((), (u,), (v,), (u, v)), strict=True):
        found = [sp.diff(sp.expand(e), *by) if by else sp.expand(e) for e in surface.expressions]
        assert all(tuple(e.subs({u: i, v: j}) for e in found) == values[i][j] for i in (0, 1) for j in (0, 1))


def test_conversion_to_bezier_and_back_is_exact():
    rng = random.Random(1)
    given = tuple(drawn(rng) for _ in range(4))
    net = patch.hermite_to_bezier(*given)
    assert patch.bezier_to_hermite(net) == given
    bezier, surface = patch.bezier_patch(net), patch.hermite(*given)
    assert all(sp.expand(a - b) == 0 for a, b in zip(bezier.expressions, surface.expressions, strict=True))


def test_other_shapes_are_refused():
    good = [[(0, 0, 0), (0, 1, 0)], [(1, 0, 0), (1, 1, 0)]]
    with pytest.raises(ValueError, match="dv must have two rows of two vectors"):
        patch.hermite(good, good, good[:1], good)
    with pytest.raises(ValueError, match="an entry of duv must have three components, got 2"):
        patch.hermite(good, good, good, [[(0, 0), (0, 1)], [(1, 0), (1, 1)]])
    with pytest.raises(ValueError, match="4 rows of 4 control points"):
        patch.bezier_to_hermite(good)
