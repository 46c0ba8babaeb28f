"""Constants of every kind, against SymPy's digits and Arb."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx

import codegen
from codegen.functions.algebraic import root_of
from codegen.reference.constants import named_constant
from codegen.reference.directed import Format

x = sp.Symbol("x", real=True)
NUMBERS = [sp.zeta(3), sp.zeta(17), sp.CRootOf(x**5 - x - 1, 0), sp.CRootOf(x**3 - 3 * x + 1, 0), sp.CRootOf(x**3 - 30 * x + 1, 2),
           sp.AlgebraicNumber(sp.sqrt(2) + sp.sqrt(3)), sp.TribonacciConstant, sp.GoldenRatio, sp.EulerGamma, sp.Catalan]


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_constants_are_tight(number: Any) -> None:
    lo, hi = codegen.compile([number * x], [x]).interval([[1.0]], [[1.0]])
    value = sp.Rational(number.evalf(60))
    assert sp.Rational(lo[0, 0]) <= value <= sp.Rational(hi[0, 0]) and hi[0, 0] - lo[0, 0] <= 2 * np.spacing(abs(hi[0, 0]))


def test_values_of_the_zeta_function_and_roots_at_any_precision() -> None:
    with ctx.workprec(400):
        for name, value in (("zeta 5", arb(5).zeta()), ("root 0 1 -1 0 2", 1 / arb(2).sqrt())):
            lo, hi = (arb(end[1]) * arb(2) ** end[2] for end in named_constant(name, Format(300)))
            assert lo <= value <= hi and hi - lo < arb(2) ** -298


@pytest.mark.parametrize("number", [sp.CRootOf(x**3 + x + 1, 1), sp.zeta(sp.Rational(5, 2), x)], ids=str)
def test_what_is_not_known_is_refused(number: Any) -> None:
    with pytest.raises(ValueError):
        codegen.compile([number], [x])


def test_a_root_is_its_integer_part_and_a_root_below_1() -> None:
    found = root_of(sp.CRootOf(x**2 - 7, 1))
    assert found is not None and found.whole == 2 and found.coefficients == (-3, 4, 1) and 0 < found.lo < found.hi < 1
