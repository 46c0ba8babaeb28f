"""Declared functions: in kernels, derivatives, contractors and queries, against the same formulas and exact values."""

import ctypes
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
import collide
from codegen.functions.primitives import AppliedPrimitive, Primitive
from codegen.graph.primitives import NATIVE
from codegen.hand.contradiction import contradiction
from codegen.reference.interpreter import interpret

from ..boxes import INF, random_boxes

x, y = sp.symbols("x y", real=True)
HALF = sp.Rational(1, 2)


def parabola(x: Any) -> Any:
    return x * (1 - x)


def hill(**other: Any) -> Primitive:
    given: dict[str, Any] = {"points": parabola, "derivative": lambda x: 1 - 2 * x, "bounds": lambda x: (
        sp.Min(parabola(x.lo), parabola(x.hi)),
        sp.Piecewise((parabola(x.hi), x.hi < HALF), (parabola(x.lo), x.lo > HALF), (sp.Rational(1, 4), True)))}
    return codegen.primitive("hill", **{**given, **other})


def power(**other: Any) -> Primitive:
    given: dict[str, Any] = {"points": sp.exp, "derivative": lambda x, value: value, "bounds": lambda x: (sp.exp(x.lo), sp.exp(x.hi)),
                             "inverse": lambda y: (sp.log(y.lo), sp.log(y.hi))}
    return codegen.primitive("power", **{**given, **other})


def product() -> Primitive:
    def corners(x: Any, y: Any) -> list[Any]:
        return [a * b for a in x for b in y]

    return codegen.primitive("product", points=lambda x, y: x * y, derivative=lambda x, y: [y, x],
                             bounds=lambda x, y: (sp.Min(*corners(x, y)), sp.Max(*corners(x, y))))


@pytest.fixture(scope="module")
def kernel() -> codegen.Kernel:
    f, g = hill(), product()
    return codegen.compile([f(x), f(f(x)), g(x, f(y)), power()(x)], [x, y])


def test_bounds_hold_the_exact_values(kernel: codegen.Kernel) -> None:
    lo, hi = random_boxes("hill", 400, 2)
    low, high = kernel.interval(lo, hi)
    for k in range(len(lo)):
        corners = [(a, b) for a in (lo[k, 0], hi[k, 0]) for b in (lo[k, 1], hi[k, 1]) if abs(a) + abs(b) < INF]
        for a, b in corners:
            p, q = Fraction(a), Fraction(b)
            for j, value in enumerate((parabola(p), parabola(parabola(p)), p * parabola(q))):
                assert low[k, j] <= value <= high[k, j], (lo[k], hi[k], j)


def test_the_reference_has_the_same_bounds(kernel: codegen.Kernel) -> None:
    lo, hi = random_boxes("reference", 60, 2)
    own, other = kernel.decorated(lo, hi), interpret(kernel.outputs[:1], lo, hi)
    for a, b in zip(own, other, strict=True):
        assert np.array_equal(a[:, :1], b, equal_nan=True)


def test_hand_bounds_are_tighter_than_those_of_the_formula() -> None:
    made, plain = codegen.compile([hill()(x)], [x]), codegen.compile([parabola(x)], [x])
    assert made.interval([[0]], [[1]])[1] == 0.25 < plain.interval([[0]], [[1]])[1]
    assert made.interval([[-INF]], [[INF]]) == ([[-INF]], [[0.25]])


def test_points_and_derivatives_are_those_declared(kernel: codegen.Kernel) -> None:
    at = np.array([[0.25, 2.0]])
    assert np.allclose(kernel.points(at), [[0.1875, 0.15234375, -0.5, np.exp(0.25)]])
    low, high, level = kernel.jacobian().decorated(at, at)
    slopes = [0.5, 0, 0.5 * (1 - 2 * 0.1875), 0, -2, 0.25 * -3, np.exp(0.25), 0]
    assert np.allclose(low, slopes) and np.allclose(high, slopes) and (level == 3).all()
    assert kernel.hessian().points(at)[0, 0] == -2


def test_an_undefined_end_is_no_bound() -> None:
    root = codegen.primitive("root", points=sp.sqrt, bounds=lambda x: (sp.sqrt(x.lo), sp.sqrt(x.hi)), level=2)
    low, high, level = codegen.compile([root(x)], [x]).decorated([[-1.0], [-2.0], [4.0]], [[4.0], [-1.0], [4.0]])
    assert low.ravel().tolist() == [-INF, -INF, 2.0] and high.ravel().tolist() == [2.0, INF, 2.0]
    assert level.ravel().tolist() == [0, 0, 2]


def test_without_a_derivative_nothing_is_known_of_it() -> None:
    plain = hill(derivative=None)
    low, high, level = codegen.compile([plain(x)], [x]).jacobian().decorated([[0.0]], [[1.0]])
    assert (low[0, 0], high[0, 0], level[0, 0]) == (-INF, INF, 0)
    with pytest.raises(ValueError, match="declared without a derivative"):
        plain(x).diff(x)


def test_the_inverse_narrows_boxes() -> None:
    c = codegen.contract(sp.And(power()(x) >= 2, power()(x) <= 3), [x])
    low, high = c([[-9.0], [2.0]], [[9.0], [3.0]])
    assert low[0, 0] <= np.log(2.0) <= low[0, 0] + 1e-15 and high[0, 0] - 1e-15 <= np.log(3.0) <= high[0, 0]
    assert np.isnan(low[1, 0])


def test_queries_take_them() -> None:
    zeros = collide.solve([power()(x) - y, y - 2], {x: (-3, 3), y: (-9, 9)})
    assert zeros.status is collide.ZerosStatus.COMPLETE and zeros.proved.tolist() == [True]
    (a, b), _ = zeros.boxes[0]
    assert a <= np.log(2.0) <= b and b - a < 1e-9
    lo, hi = collide.maximize(hill()(x) + 0 * y, {x: (-2, 2), y: (0, 1)}).bracket
    assert lo <= 0.25 <= hi < 0.2500001


NATIVE_CODE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))


@NATIVE_CODE
def square(ends: Any, bounds: Any) -> None:
    """x^2 over x >= 0, of small integers."""
    lo, hi = ends[0], ends[1]
    known = lo >= 0 and hi <= 1000
    bounds[0], bounds[1] = (np.floor(lo) ** 2, np.ceil(hi) ** 2) if known else (np.nan, np.nan)


@NATIVE_CODE
def square_at(x: Any, value: Any) -> None:
    value[0] = x[0] * x[0]


def test_native_code_by_its_address() -> None:
    for points in (square_at, lambda x: x**2):
        f = codegen.primitive("square", bounds=square, points=points, level=2)
        made = codegen.compile([f(x) + 1], [x])
        low, high, level = made.decorated([[1.5], [-1.0]], [[3.0], [2.0]])
        assert (low[0, 0], high[0, 0], level[0, 0]) == (2, 10, 2)
        assert (low[1, 0], high[1, 0], level[1, 0]) == (-INF, INF, 0)
        assert made.points([[3.0]]) == 10
        assert [end[0, 0] for end in interpret(made.outputs, [[1.5]], [[3.0]])] == [2, 10, 2]


def test_native_code_of_another_process_is_refused() -> None:
    f = codegen.primitive("square", bounds=square, points=square_at)
    made = pickle.loads(pickle.dumps(codegen.compile([f(x) + 17], [x])))
    del NATIVE[f.native]
    with pytest.raises(ValueError, match="belongs to the process that declared it"):
        made.interval([[1]], [[2]])


@pytest.mark.parametrize(("other", "says"), [
    ({"points": lambda x: x * (1 - x) + HALF / 100}, "bounds of hill contradict its points"),
    ({"derivative": lambda x: 1 - 3 * x}, "derivative of hill contradicts its points"),
    ({"inverse": lambda y: (0, y.hi)}, "inverse of hill contradicts its points"),
])  # fmt: skip
def test_what_contradicts_its_points_is_refused(other: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        hill(**other)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("other", "says"), [
    ({"points": "x"}, "function that returns formulas"), ({"bounds": lambda x: x.lo}, "2 formulas"),
    ({"bounds": lambda x, y: (x, y)}, "of 1 argument"),
    ({"level": 4}, "level of hill"), ({"points": lambda x: sp.Integral(sp.exp(-x * y**2), (y, 0, 1))}, "no integral"),
    ({"arguments": 0}, "from 1 to 64"), ({"points": square_at}, "native"),
])  # fmt: skip
def test_what_is_no_declaration_is_refused(other: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        hill(**other)


def test_expressions_print_compare_and_travel() -> None:
    f = hill()
    assert str(f(x + 1)) == "hill(x + 1)" and sp.latex(f(x) ** 2) == r"\operatorname{hill}^{2}\left(x\right)"
    assert f(x) == hill()(x) == pickle.loads(pickle.dumps(f(x))) and isinstance(f(x), AppliedPrimitive)
    assert f(x).diff(x) == 1 - 2 * x and power()(2 * x).diff(x) == 2 * power()(2 * x)
    assert f(sp.Rational(1, 3)).evalf(30) == sp.Rational(2, 9).evalf(30) and contradiction(f) == ""
    with pytest.raises(TypeError, match="takes 1 argument, got 2"):
        f(x, y)
    with pytest.raises(ValueError, match="identifier"):
        codegen.primitive("a b", bounds=lambda x: (x.lo, x.hi), points=lambda x: x)
