"""Orthogonal matrices of formulas, proved by algebra."""

import pytest
import sympy as sp

from generative import Parameter, axis_angle, t
from generative.orthogonal import is_orthogonal

A, B = Parameter("a"), Parameter("b")
DOUBLE = sp.Rational(0.1)


@pytest.mark.parametrize(("rotation", "exactly", "nearly"), [
    (axis_angle((1, 2, 2), A * t), True, True),
    (axis_angle((0, 3, 4), A) * axis_angle((1, 0, 0), sp.exp(B)), True, True),
    (axis_angle((1, 0, 0), A) * (1 + sp.Rational(1, 10**14)), False, True),
    (axis_angle((1, 0, 0), A) * (1 + sp.Rational(1, 10**11)), False, False),
    (axis_angle((1, 0, 0), A) * B, False, False),
    (sp.diag(sp.cos(A), 1, 1), False, False),
    (sp.diag(sp.exp(DOUBLE * A), sp.exp(-DOUBLE * A), 1), False, False)])
def test_what_is_seen(rotation, exactly, nearly):
    rotation = sp.ImmutableMatrix(rotation)
    assert (is_orthogonal(rotation), is_orthogonal(rotation, 1e-12)) == (exactly, nearly)
