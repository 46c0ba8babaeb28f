"""Numbers and formulas as they are given: exact, by the class of a function and never by its name, and no name ever runs."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import codegen
import collide
from codegen import operators
from codegen.given import NotAFormula, doubles, expression
from generative import Curve, Parameter, ParametricSurface, Rigid, curve, solids, sweep, t, u, v
from generative.numeric import approx_function
from generative.resting import written
from generative.template import TemplateReader

RAN: list[int] = []
PROGRAM = f"__import__('{__name__}', fromlist=['RAN']).RAN.append(1)"
SQUARE = {u: (0, 1), v: (0, 1)}


# -- names ----------------------------------------------------------------------------------------------------------

NAME = f"[{PROGRAM}, 1.0][1]"


@pytest.mark.parametrize("make", [
    lambda s: sweep.ruled(curve.circle(), Curve([s * sp.cos(u), sp.sin(u), 1], (0, 2 * sp.pi))),
    lambda s: solids.extruded(curve.circle(s), [0, 0, 1]),
    lambda s: ParametricSurface([s * u, v, 0], SQUARE)._repr_html_(), lambda s: approx_function([s * u], [u])(1.0),
    lambda s: operators.DefiniteIntegral(operators.DefiniteIntegral(s * u, s, 0, 1), u, 0, 1).evalf(),
    lambda s: operators.DefiniteIntegral(sp.Integral(s * u, (s, 0, 1)), u, 0, 1).evalf(),
    lambda s: sweep.revolve(Curve([s, 0, u], (0, 1))), lambda s: codegen.compile([s * u], [u], [s]).points([[1.0]], parameters=[1.0]),
], ids=range(8))  # fmt: skip
def test_the_name_of_a_symbol_never_runs(make: Callable[[Any], Any]) -> None:
    """Symbols may be called as one likes; some of this is refused, as they have no value there."""
    RAN.clear()
    try:
        make(Parameter(NAME))
    except ValueError as error:
        assert "\n" not in str(error)
    assert not RAN


class sin(sp.Function):  # type: ignore[misc]
    """Not SymPy's."""


COMPUTED: list[Callable[[Any], Any]] = [
    lambda e: codegen.compile([e], [u]), lambda e: approx_function([e], [u])(1.0), lambda e: collide.solve([e], {u: (0, 1)}),
    lambda e: collide.minimize(e, {u: (0, 1)}), lambda e: codegen.compile([operators.DefiniteIntegral(e, u, 0, 1)], []),
    lambda e: operators.DefiniteIntegral(e, u, 0, 1).evalf(),
]  # fmt: skip
TAKEN: list[Callable[[Any], Any]] = [
    lambda e: ParametricSurface([u, v, e], SQUARE), lambda e: Rigid(translation=[0, 0, e.xreplace({u: t})]),
]  # fmt: skip


@pytest.mark.parametrize("function", [sp.Function("sin"), sp.Function("Add"), sp.Function(f"({NAME} or print)"), sin], ids=range(4))
@pytest.mark.parametrize("use", [*COMPUTED, *TAKEN], ids=range(8))
def test_functions_go_by_their_class_not_by_their_name(function: Any, use: Callable[[Any], Any]) -> None:
    RAN.clear()
    if function is sin and use in TAKEN:
        assert use(function(u))
        return
    with pytest.raises(ValueError, match=r"definition|in name only|cannot be computed"):
        use(function(u))
    assert not RAN


def test_families_go_by_classes_too() -> None:
    """A function of the same name as SymPy's is not made into that where numbers are taken out of formulas."""
    (e,) = written(TemplateReader().read([sin(sp.Rational(1, 7777) * u)]), [Parameter(f"n{k}") for k in range(9)])
    assert e.has(sin) and not e.has(sp.sin)


# -- what is good stays good -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given, exact", [
    (1, 1), (0.1, sp.Rational(*(0.1).as_integer_ratio())), (Fraction(1, 3), sp.Rational(1, 3)), (np.float32(0.5), sp.Rational(1, 2)),
    (np.int8(3), 3), (np.longdouble(0.25), sp.Rational(1, 4)), (sp.pi, sp.pi), (u, u), (float("inf"), sp.oo), (np.float64("-inf"), -sp.oo),
    (True, sp.true), (np.bool_(False), sp.false), (1 + 2j, 1 + 2 * sp.I), (sp.Float("0.1", 30), sp.Float("0.1", 30)),
    (Decimal("0.1"), sp.Rational(1, 10)), (mpmath.mpf(0.75), sp.Rational(3, 4)),
])  # fmt: skip
def test_numbers_of_known_types_are_taken_exactly(given: Any, exact: Any) -> None:
    assert expression(given) == exact and type(expression(given)) is type(sp.sympify(exact))


def test_what_is_no_number_is_named() -> None:
    for given in (None, sp.sin, [1], {1}, np.ones(1), sp.Matrix([1]), object()):
        with pytest.raises(NotAFormula, match="a width must be a SymPy expression or a number, got "):
            expression(given, "a width")
    assert np.isnan(float(expression(float("nan"))))


@pytest.mark.parametrize("given, rows", [
    ([[Fraction(1, 3), 2]], [[1 / 3, 2.0]]), ([[sp.pi, Decimal("0.1")]], [[np.pi, 0.1]]),
    ([[float("nan"), -float("inf")]], [[np.nan, -np.inf]]), ([[10**400, 0.5]], [[np.inf, 0.5]]),
    ([[sp.oo, 1.5], [True, 10**20]], [[np.inf, 1.5], [1.0, 1e20]]),
])  # fmt: skip
def test_arrays_of_numbers_of_any_type_are_doubles(given: Any, rows: Any) -> None:
    assert np.array_equal(doubles(np.array(given, object), "q", "(n, 2)"), np.array(rows), equal_nan=True)


@pytest.mark.parametrize("given", [["1.0"], [b"1"], "1", b"1", [1j], [sp.I], [sp.Symbol("a")], [None], [[1], [1, 2]]])
def test_what_is_no_array_of_numbers_is_named(given: Any) -> None:
    with pytest.raises(ValueError, match=r"q must be .*numbers|a number of q"):
        doubles(given, "q", "(n,)")


def test_a_symbol_without_a_value_is_named() -> None:
    """Before a program is written, in which its name would be whatever is called so there."""
    with pytest.raises(ValueError, match="the symbol print has no value here"):
        approx_function([u * sp.Symbol("print")], [u])
