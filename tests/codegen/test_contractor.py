"""Contractors: no solution is lost, whatever the operation; simple constraints are solved; unions, complements and undefined points."""

import ctypes
import itertools
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx
from sympy.codegen.cfunctions import fma

import codegen
from codegen.algebra.inverses import RULES
from codegen.graph.expr import reachable
from codegen.operators import DefiniteIntegral

x, y, z = sp.symbols("x y z", real=True)
SAMPLES = 100_000

# A function of x and y, the same by Arb, and ranges of x and y.
Truth = Callable[[Any, Any], Any]
OPERATIONS: dict[str, tuple[Any, Truth, tuple[float, float], tuple[float, float]]] = {
    "add": (x + y, lambda a, b: a + b, (-9, 9), (-9, 9)), "sub": (x - y, lambda a, b: a - b, (-9, 9), (-9, 9)),
    "neg": (-x, lambda a, b: -a, (-9, 9), (0, 1)), "mul": (x * y, lambda a, b: a * b, (-9, 9), (-9, 9)),
    "div": (x / y, lambda a, b: a / b, (-9, 9), (-9, 9)), "abs": (sp.Abs(x), lambda a, b: abs(a), (-9, 9), (0, 1)),
    "square": (x**2, lambda a, b: a**2, (-9, 9), (0, 1)), "cube": (x**3, lambda a, b: a**3, (-9, 9), (0, 1)),
    "fourth": (x**4, lambda a, b: a**4, (-9, 9), (0, 1)), "sixth": (x**6, lambda a, b: a**6, (-9, 9), (0, 1)),
    "seventh": (x**7, lambda a, b: a**7, (-9, 9), (0, 1)), "inverse cube": (x**-3, lambda a, b: a**-3, (-9, 9), (0, 1)),
    "sqrt": (sp.sqrt(x), lambda a, b: a.sqrt(), (0, 9), (0, 1)),
    "third": (x**sp.Rational(1, 3), lambda a, b: a**(arb(1) / 3), (0, 9), (0, 1)),
    "power": (x**y, lambda a, b: a**b, (0.01, 9), (-9, 9)), "fma": (fma(x, y, y), lambda a, b: a * b + b, (-9, 9), (-9, 9)),
    "min": (sp.Min(x, y), lambda a, b: a.min(b), (-9, 9), (-9, 9)), "max": (sp.Max(x, y), lambda a, b: a.max(b), (-9, 9), (-9, 9)),
    "exp": (sp.exp(x), lambda a, b: a.exp(), (-30, 30), (0, 1)), "log": (sp.log(x), lambda a, b: a.log(), (1e-6, 99), (0, 1)),
    "entropy": (x * sp.log(x), lambda a, b: a * a.log(), (1e-6, 9), (0, 1)),
    "sin": (sp.sin(x), lambda a, b: a.sin(), (-99, 99), (0, 1)), "cos": (sp.cos(x), lambda a, b: a.cos(), (-99, 99), (0, 1)),
    "tan": (sp.tan(x), lambda a, b: a.tan(), (-99, 99), (0, 1)), "asin": (sp.asin(x), lambda a, b: a.asin(), (-1, 1), (0, 1)),
    "acos": (sp.acos(x), lambda a, b: a.acos(), (-1, 1), (0, 1)), "atan": (sp.atan(x), lambda a, b: a.atan(), (-1e9, 1e9), (0, 1)),
    "sinh": (sp.sinh(x), lambda a, b: a.sinh(), (-30, 30), (0, 1)), "cosh": (sp.cosh(x), lambda a, b: a.cosh(), (-30, 30), (0, 1)),
    "tanh": (sp.tanh(x), lambda a, b: a.tanh(), (-9, 9), (0, 1)), "asinh": (sp.asinh(x), lambda a, b: a.asinh(), (-99, 99), (0, 1)),
    "acosh": (sp.acosh(x), lambda a, b: a.acosh(), (1, 99), (0, 1)),
    "atanh": (sp.atanh(x), lambda a, b: a.atanh(), (-0.999, 0.999), (0, 1)),
    "floor": (sp.floor(x), lambda a, b: a.floor(), (-9, 9), (0, 1)), "ceiling": (sp.ceiling(x), lambda a, b: a.ceil(), (-9, 9), (0, 1)),
    "sign": (sp.sign(x), lambda a, b: a.sgn(), (-9, 9), (0, 1)),
    "heaviside": (sp.Heaviside(x), lambda a, b: (a.sgn() + 1) / 2, (-9, 9), (0, 1)),
    "cotangent": (sp.cot(x), lambda a, b: a.cot(), (-9, 9), (0, 1)), "sinc": (sp.sin(x) / x, lambda a, b: a.sin() / a, (-9, 9), (0, 1)),
    "logistic": (sp.exp(x) / (1 + sp.exp(x)), lambda a, b: 1 / (1 + (-a).exp()), (-40, 40), (0, 1)),
    "modulo": (sp.Mod(x, 2), lambda a, b: a - 2 * (a / 2).floor(), (-9, 9), (0, 1)),
    "restricted": (sp.Piecewise((x**2, x > y)), lambda a, b: a**2 if a > b else arb("nan"), (-9, 9), (-9, 9)),
    # Without a rule: nothing is cut off that should not be.
    "erf": (sp.erf(x), lambda a, b: a.erf(), (-4, 4), (0, 1)),
    "atan2": (sp.atan2(x, y), lambda a, b: arb.atan2(a, b), (-9, 9), (0.1, 9)),
    "piecewise": (sp.Piecewise((sp.log(x + 10), x > y), (x, True)), lambda a, b: (a + 10).log() if a > b else a, (-9, 9), (-9, 9)),
}  # fmt: skip


def enclosures(truth: Truth, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Doubles around the exact values at points."""
    ctx.prec = 80
    lo, hi = np.empty(len(points)), np.empty(len(points))
    for k, (a, b) in enumerate(points.tolist()):
        value = truth(arb(a), arb(b))
        lo[k] = math.nextafter(float(value.mid()) - float(value.rad()), -math.inf)
        hi[k] = math.nextafter(float(value.mid()) + float(value.rad()), math.inf)
    return lo, hi


def lost(c: codegen.Contractor, truth: Truth, ranges: Any, seed: str, count: int) -> np.ndarray:
    """Boxes round random points, contracted by the value there; where the point is not in what is left."""
    rng = np.random.default_rng(list(seed.encode()))
    points = np.stack([rng.uniform(*r, count) for r in ranges], axis=1)
    points[::7] = np.round(points[::7] * 2) / 2
    points = np.clip(points, [r[0] for r in ranges], [r[1] for r in ranges])
    below, above = enclosures(truth, points)
    known = np.isfinite(below) & np.isfinite(above)
    # Narrow boxes and wide ones, and ends that are the point; bounds of the value likewise.
    sides = [np.where(rng.random((count, 2)) < 0.2, 0.0, 10.0 ** rng.uniform(-6, 2, (count, 2))) for _ in "lh"]
    slack = [np.where(rng.random(count) < 0.5, 0.0, 10.0 ** rng.uniform(-6, 1, count)) for _ in "lh"]
    for array in (*sides, *slack):
        array[rng.random(array.shape) < 0.05] = math.inf
    lo = np.column_stack([points - sides[0], below - slack[0]])[known]
    hi = np.column_stack([points + sides[1], above + slack[1]])[known]
    new_lo, new_hi = c(lo, hi)
    assert not ((new_lo < lo) | (new_hi > hi)).any()
    return np.asarray(~((new_lo[:, :2] <= points[known]) & (points[known] <= new_hi[:, :2])).all(axis=1))


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_solution_is_lost(name: str) -> None:
    form, truth, *ranges = OPERATIONS[name]
    missing = lost(codegen.contract(sp.Eq(form, z), [x, y, z]), truth, ranges, name, SAMPLES)
    assert not missing.any(), f"{missing.sum()} of {len(missing)} solutions are lost"


def test_every_rule_is_tried() -> None:
    tried = set()
    for form, *_ in OPERATIONS.values():
        (side,) = codegen.compile(form, [x, y]).outputs
        tried |= {e.op for e in reachable([side])}
    # Functions with an inclusion of the user's own are tried in `hand/test_primitive.py`, those without an inverse in
    # `algebra/test_shaving.py`.
    shaved = {"primitive", "atan2", "sinc", "erf", "erfc", "bessel_j", "sine_integral", "loggamma", "gamma", "polygamma", "tabled",
              "chebyshev", "solution", "tricubic"}
    assert tried | {"guarded"} | shaved >= set(RULES)


# -- what is left -----------------------------------------------------------------------------------------------------

ONE = sp.Integer(1)
SOLVED: list[tuple[Any, tuple[float, float], tuple[float, float]]] = [
    (sp.Eq(sp.sin(x), ONE / 2), (1, 10), (5 * math.pi / 6, 17 * math.pi / 6)),
    (sp.Eq(sp.sin(x), ONE / 2), (-8, 0), (-11 * math.pi / 6, -7 * math.pi / 6)),
    (sp.Ge(sp.cos(x), ONE / 2), (1.5, 8), (5 * math.pi / 3, 7 * math.pi / 3)),
    (sp.Eq(sp.cos(x), 0), (-9, 99.5), (-5 * math.pi / 2, 63 * math.pi / 2)),
    (sp.Eq(sp.tan(x), 1), (1, 9), (5 * math.pi / 4, 9 * math.pi / 4)),
    (sp.Ge(sp.tan(x), 1), (0, 1.5), (math.pi / 4, 1.5)),
    (sp.Eq(x**3, -8), (-9, 9), (-2, -2)),
    (sp.Le(x**7, 128), (-9, 9), (-9, 2)),
    (sp.Eq(x**6, 64), (-1, 9), (2, 2)),
    (sp.Eq(sp.sqrt(x), 3), (0, 99), (9, 9)),
    (sp.Eq(sp.exp(x), 1), (-9, 9), (0, 0)),
    (sp.Eq(sp.log(x), 1), (0, 9), (math.e, math.e)),
    (sp.Ge(sp.atan(x), 1), (0, 9), (math.tan(1), 9)),
    (sp.Le(sp.asin(x), ONE / 2), (-3, 3), (-1, math.sin(0.5))),
    (sp.Ge(sp.acos(x), 1), (-3, 3), (-1, math.cos(1))),
    (sp.Eq(sp.sinh(x), 1), (-9, 9), (math.asinh(1), math.asinh(1))),
    (sp.Le(sp.cosh(x), 2), (-9, 9), (-math.acosh(2), math.acosh(2))),
    (sp.Ge(sp.cosh(x), 2), (0, 9), (math.acosh(2), 9)),
    (sp.Eq(sp.tanh(x), ONE / 2), (-9, 9), (math.atanh(0.5), math.atanh(0.5))),
    (sp.Eq(sp.asinh(x), 1), (-9, 9), (math.sinh(1), math.sinh(1))),
    (sp.Eq(sp.acosh(x), 1), (-9, 9), (math.cosh(1), math.cosh(1))),
    (sp.Eq(sp.atanh(x), 1), (-9, 9), (math.tanh(1), math.tanh(1))),
    (sp.Eq(sp.floor(x), 2), (0, 9), (2, 3)),
    (sp.Eq(sp.ceiling(x), 2), (0, 9), (1, 2)),
    (sp.Gt(sp.sign(x), -ONE / 2), (-9, 9), (0, 9)),
    (sp.Ge(sp.Heaviside(x), ONE / 4), (-9, 9), (0, 9)),
    (sp.Eq(x**(ONE / 3), 2), (0, 99), (8, 8)),
    (sp.Le(sp.Min(x, 9), 2), (0, 5), (0, 2)),
    (sp.Ge(sp.Max(x, 1), 2), (0, 5), (2, 5)),
    (sp.Eq(2**x, 8), (-9, 9), (3, 3)),
    (sp.Eq(sp.Abs(x), 2), (-1, 9), (2, 2)),
    (sp.Or(x <= 1, x >= 7), (2, 9), (7, 9)),
    (sp.Or(sp.Eq(x, 1), sp.Eq(x, 7)), (0, 9), (1, 7)),
    (sp.Not(sp.Or(x < 1, x > 7)), (0, 9), (1, 7)),
    (sp.Implies(x > 1, x > 4), (2, 9), (4, 9)),
    (sp.Xor(x > 1, x > 4), (0, 9), (1, 4)),
    (sp.ITE(x > 1, x < 3, x < -3), (0, 9), (1, 3)),
    (sp.And(sp.Ne(x, 4), x > 3), (0, 9), (3, 9)),
]  # fmt: skip


@pytest.mark.parametrize(("constraint", "given", "left"), SOLVED)
def test_simple_constraints_are_solved(constraint: Any, given: Any, left: Any) -> None:
    lo, hi = codegen.contract(constraint, [x])([[given[0]]], [[given[1]]])
    assert np.allclose([lo[0, 0], hi[0, 0]], left, rtol=4e-15, atol=4e-15)


def test_empty_boxes_are_nan_and_stay_empty() -> None:
    c = codegen.contract([x**2 + y**2 <= 1, sp.Eq(x, 2 * y)], [x, y])
    lo, hi = c([[1, 1], [0, 0], [-9, -9]], [[2, 2], [0, 0], [9, 9]])
    assert np.isnan(lo[0]).all() and np.isnan(hi[0]).all() and (lo[1:] <= hi[1:]).all()
    again = c(lo, hi)
    assert np.isnan(again[0][0]).all() and np.isnan(again[1][0]).all() and (again[0][1:] >= lo[1:]).all()
    assert all(np.isnan(ends).all() for ends in c(np.full((2, 2), np.nan), np.full((2, 2), np.nan)))
    assert all(ends.shape == (0, 2) for ends in c(np.empty((0, 2)), np.empty((0, 2))))
    never, always = codegen.contract(sp.false, [x]), codegen.contract([], [x])
    assert np.isnan(never([[0]], [[1]])[0]).all() and always([[0]], [[1]])[1] == 1


def test_a_box_does_not_depend_on_its_neighbours() -> None:
    rng = np.random.default_rng(5)
    lo = rng.uniform(-3, 1, (101, 4))
    hi = lo + 10.0 ** rng.uniform(-3, 1, (101, 4))
    # In some rows x and y come to rest at once, as they shrink by 3 %, and v and w do not, as they are halved; in others nothing moves.
    v, w = sp.symbols("v w", real=True)
    lo[::3], hi[::3], lo[::6, 2:], hi[::6, 2:] = -1, 1, 0, 0
    slow = [sp.Eq(x, sp.Rational(97, 100) * y), sp.Eq(x, y), sp.Eq(v, w / 2), sp.Eq(v, w)]
    c = codegen.contract(sp.Or(sp.And(*slow), sp.And(sp.Eq(x**2 + y**2, 1), sp.Eq(sp.sin(3 * x), y / 2), v > 3)), [x, y, v, w])
    together = c(lo, hi)
    alone = [c(lo[k:k + 1], hi[k:k + 1]) for k in range(101)]
    assert all(np.array_equal(together[end], np.concatenate([one[end] for one in alone]), equal_nan=True) for end in (0, 1))


def test_rounds_go_on_while_something_moves() -> None:
    """x = y/2 and y = x: only 0 is left, which is approached by halves."""
    def width(rounds: int) -> float:
        lo, hi = codegen.contract([sp.Eq(x, y / 2), sp.Eq(x, y)], [x, y], rounds=rounds)([[-1, -1]], [[1, 1]])
        return float((hi - lo).max())

    assert width(1) > 8 * width(5) > 64 * width(10) > 0


# -- what is cut off by the complement is a solution ------------------------------------------------------------------


@pytest.mark.parametrize(("constraint", "holds"), [
    ((x**2 + y**2 <= 4), lambda p, q: p * p + q * q <= 4), ((x**2 + y**2 < 4), lambda p, q: p * p + q * q < 4),
    (sp.And(x * y <= 1, x >= y**3), lambda p, q: p * q <= 1 and p >= q**3),
    (sp.Or(x * y > 1, x / y < -1), lambda p, q: p * q > 1 or (q != 0 and p / q < -1)),
    (1 / x >= y, lambda p, q: p != 0 and 1 / p >= q), (sp.Ne(x, y), lambda p, q: p != q), (sp.Eq(x, y), lambda p, q: p == q),
    (sp.sqrt(x) <= 2, lambda p, q: 0 <= p <= 4), (sp.Or(sp.sqrt(x) <= 1, y > x), lambda p, q: 0 <= p <= 1 or q > p),
])  # fmt: skip
def test_what_the_complement_cuts_off_is_in_the_set(constraint: Any, holds: Callable[[Fraction, Fraction], bool]) -> None:
    rng = np.random.default_rng(9)
    lo = np.round(rng.uniform(-4, 3, (4000, 2)) * 4) / 4
    hi = lo + np.round(10.0 ** rng.uniform(-2, 0.7, (4000, 2)) * 8) / 8
    left = (~codegen.contract(constraint, [x, y]))(lo, hi)
    points = np.stack([lo, hi, 0.5 * (lo + hi), *(lo + rng.random(lo.shape) * (hi - lo) for _ in range(9))])
    gone = ~((left[0] <= points) & (points <= left[1])).all(axis=2)
    assert gone.any() or isinstance(constraint, sp.Eq)
    assert all(holds(Fraction(p), Fraction(q)) for p, q in points[gone].tolist())


def test_undefined_points_are_in_the_complement() -> None:
    c = codegen.contract(sp.log(x) <= 0, [x])
    assert np.isnan((~c)([[0.25]], [[0.5]])[0]).all()
    for given in ([-1, 0.5], [0, 0.5], [-2, -1], [-1, 9]):
        lo, hi = (~c)([[given[0]]], [[given[1]]])
        assert [lo[0, 0], hi[0, 0]] == given
    assert np.isnan(c([[-2]], [[-1]])[0]).all()


# -- joined, with parameters, natively --------------------------------------------------------------------------------


def test_contractors_are_joined() -> None:
    inside, right = codegen.contract(x**2 + y**2 <= 1, [x, y]), codegen.contract(x >= ONE / 2, [x, y])
    lo, hi = (inside & right)([[-9, -9]], [[9, 9]])
    assert lo[0, 0] == 0.5 and hi[0, 0] == 1 and hi[0, 1] == pytest.approx(math.sqrt(0.75))
    lo, hi = (inside | right)([[-9, -9]], [[9, 9]])
    assert lo[0, 0] == -1 and hi[0, 0] == 9
    for a, b in ((~~inside, inside), (pickle.loads(pickle.dumps(inside)), inside), (~(inside & right), ~inside | ~right)):
        assert all(np.array_equal(p, q) for p, q in zip(a([[-9, 0]], [[9, 0.9]]), b([[-9, 0]], [[9, 0.9]]), strict=True))
    with pytest.raises(ValueError, match="same variables"):
        inside & codegen.contract(x <= 1, [x])
    with pytest.raises(TypeError):
        inside | 1  # type: ignore[operator]


def test_parameters_are_intervals_of_which_some_value_will_do() -> None:
    c = codegen.contract(sp.Eq(x, y), [x], [y])
    lo, hi = c([[0], [0]], [[9], [9]], parameters=([[1], [2]], [[3], [2]]))
    assert lo.ravel().tolist() == [1, 2] and hi.ravel().tolist() == [3, 2]
    below = codegen.contract(x <= y, [x], [y])
    lo, hi = (~below)([[0]], [[9]], parameters=([1], [3]))
    assert lo[0, 0] == 1      # only x < 1 is below all of them


def test_the_native_entry() -> None:
    c = codegen.contract(x**2 <= 4, [x])
    pointer = ctypes.POINTER(ctypes.c_double)
    block = ctypes.CFUNCTYPE(None, pointer, pointer, pointer)(c.address())
    boxes, out = np.array([[[9.0] * 8, [5.0] * 8]]), np.empty((1, 2, 8))
    boxes[0, 0, 3] = -3.0
    block(boxes.ctypes.data_as(pointer), None, out.ctypes.data_as(pointer))
    assert out[0, :, 0].tolist() == [2, 2] and np.isnan(out[0, :, 3]).all()
    assert "void" in repr(c.capsule())


def test_many_variables_and_long_formulas() -> None:
    v = sp.symbols("v:90", real=True)
    c = codegen.contract([sp.Or(sum(v) <= -89, v[0] >= 2), *(sp.Eq(a, b) for a, b in itertools.pairwise(v))], v, rounds=1)
    lo, hi = c(np.full((9, 90), -1.0), np.full((9, 90), 1.0))
    assert (lo == -1).all() and (hi == 0).all()
    many = sp.symbols("v:600", real=True)      # copies of a box that are too large for the stack
    lo, hi = codegen.contract(sp.Or(many[0] <= 0, many[599] <= -2), many, rounds=1)(np.full((9, 600), -1.0), np.full((9, 600), 1.0))
    assert (hi[:, 0] == 0).all() and (hi[:, 1:] == 1).all() and (lo == -1).all()
    with pytest.raises(ValueError, match="more than 1,500 operations"):
        codegen.contract(sp.Add(*(sp.sin(k * x) for k in range(1000))) <= 0, [x])


def test_integrals_tell_boxes_without_solutions_only() -> None:
    t = sp.Symbol("t", real=True)
    c = codegen.contract(sp.Le(DefiniteIntegral(t**2 + x, t, 0, 1), 0), [x])
    lo, hi = c([[-2], [1], [-1]], [[2], [2], [-0.5]])
    assert (lo[0, 0], hi[0, 0]) == (-2, 2) and np.isnan(lo[1]).all() and hi[2] == -0.5
    assert np.isnan((~c)([[-2]], [[-1]])[0]).all()


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: codegen.contract("x < 1", [x]), TypeError, "not as text"),
    (lambda: codegen.contract(x, [x]), TypeError, "a constraint is a relation"),
    (lambda: codegen.contract([x < 1, 3], [x]), TypeError, "a constraint is a relation, .* got 3"),
    (lambda: codegen.contract(x < y, [x]), ValueError, "the free symbol y"), (lambda: codegen.contract(x < 1, [x, x]), ValueError, "twice"),
    (lambda: codegen.contract(sp.Le(sp.Function("f")(x), 1), [x]), ValueError, "no definition"),
    (lambda: codegen.contract(x < 1, [x], rounds=0), ValueError, "rounds must be"),
    (lambda: codegen.contract(x < 1, [x], rounds=True), ValueError, "rounds"),
    (lambda: codegen.contract([], []), ValueError, "at least one variable"),
    (lambda: codegen.contract(sp.Eq(x < 1, y < 1, evaluate=False), [x, y]), TypeError, "compares numbers"),
    (lambda: codegen.contract(x < 1, [x])([[2]], [[1]]), ValueError, r"row 0: x = \[2.0, 1.0\]"),
    (lambda: codegen.contract(x < y, [x, y])([[np.nan, 0]], [[1, 1]]), ValueError, "row 0"),
    (lambda: codegen.contract(x < 1, [x])([[0, 0]], [[1, 1]]), ValueError, "shape"),
])  # fmt: skip
def test_bad_input_is_named(call: Callable[[], Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
