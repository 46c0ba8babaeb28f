"""Logs of declared functions name them as assumptions, and the checker says so."""

import ctypes
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from flint import arb

import codegen
import collide
from codegen.functions.primitives import Primitive
from collide.proof.checker.formulas import Assumed, FormulaProgram
from collide.proof.checker.text import Refused, read
from generative import x, y

HALF = sp.Rational(1, 2)


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
def everything(ends: Any, bounds: Any) -> None:
    bounds[0], bounds[1] = float("-inf"), float("inf")


def parabola(x: Any) -> Any:
    return x * (1 - x)


def hill() -> Primitive:
    return codegen.primitive("hill", points=parabola, derivative=lambda x: 1 - 2 * x, bounds=lambda x: (
        sp.Min(parabola(x.lo), parabola(x.hi)),
        sp.Piecewise((parabola(x.hi), x.hi < HALF), (parabola(x.lo), x.lo > HALF), (sp.Rational(1, 4), True))))


def power() -> Primitive:
    return codegen.primitive("power", points=sp.exp, derivative=lambda x, value: value, bounds=lambda x: (sp.exp(x.lo), sp.exp(x.hi)))


def test_a_log_states_what_it_assumes(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    found = collide.maximize(hill()(x) - power()(y) / 8, {x: (-2, 2), y: (0, 1)}, log=path)
    assert found.bracket.hi <= 0.1250001 and any("assumes " in note and "hill" in note for note in found.notes)
    checked = collide.check(path)
    assert checked.accepted and "ASSUMED, not proved: power(x0) lies between (exp lo0) and (exp hi0)" in checked.theorem
    assert "ASSUMED, not proved: hill(x0) lies between" in checked.theorem
    text = path.read_text()
    for old, new in (("1/4)) (+", "1/2)) (+"), ("assume hill 1", "assume hell 1"), ("(exp hi0) x1", "(exp hi0) x2")):
        assert old in text
        path.write_text(text.replace(old, new))
        assert not collide.check(path).accepted


def test_zeros_with_a_derivative_that_is_assumed(tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    found = collide.solve([power()(x) - 2], {x: (-1, 1)}, log=path)
    checked = collide.check(path)
    assert found.proved.tolist() == [True] and checked.accepted
    assert "exactly one" in checked.theorem and "and x1 is its derivative by x0" in checked.theorem


def test_native_bounds_have_no_log(tmp_path: Path) -> None:
    f = codegen.primitive("f", bounds=everything, points=lambda x: x)
    with pytest.raises(ValueError, match="bounds are native code"):
        collide.minimize(f(x) + x, {x: (0, 1)}, log=tmp_path / "a.proof")
    with pytest.raises(ValueError, match="sin, which its checker has"):
        g = codegen.primitive("sin", points=sp.sin, bounds=lambda x: (-1, 1))
        collide.minimize(g(x) + x, {x: (0, 1)}, log=tmp_path / "a.proof")


def test_values_and_slopes_over_boxes() -> None:
    program = FormulaProgram()
    program.assume(read("twice 1 (* 2 lo0) (* 2 hi0) 2"))
    at = program.variable()
    place = program.add(read("(square (twice a))")[0], {"a": at})
    ((value, slopes, _),) = program.jets([place], [arb(1).union(arb(2))], 1, (at,))
    assert value.contains(4) and value.contains(16) and value < 17 and slopes[at].contains(8) and slopes[at].contains(16)
    ((value, slopes, _),) = program.jets([place], [arb("nan")], 1, (at,))
    assert not value.is_finite() and not slopes[at].is_finite()


@pytest.mark.parametrize("line", ["sin 1 lo0 hi0", "f 1 lo0 a", "f 1 lo0", "f 1 lo0 hi0 1 1", "f x lo0 hi0", "2 1 lo0 hi0"])
def test_what_is_no_assumption_is_refused(line: str) -> None:
    with pytest.raises((Refused, IndexError)):
        FormulaProgram().assume(read(line))


def test_bounds_are_of_the_ends_alone() -> None:
    f = Assumed("f", 2, read("(min lo0 lo1) (max hi0 hi1)"), {})
    both = f(arb(1), arb(3))
    assert both.contains(1) and both.contains(3)
