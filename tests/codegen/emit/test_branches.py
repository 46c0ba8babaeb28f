"""Branches of choices: taken lane by lane, with the values and bounds of the formula whichever lanes take them."""

from collections.abc import Iterator

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx

import codegen
from codegen.graph.expr import ExprPool

x, y = sp.symbols("x y", real=True)
FIRST, SECOND = sp.exp(x) * sp.sin(y) + sp.cos(x * y), sp.log(1 + x**2) * sp.atan(y)
CHOSEN = sp.Piecewise((FIRST, x < y), (SECOND, True))


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    before, ctx.prec = ctx.prec, 160
    yield
    ctx.prec = before


def value(a: float, b: float) -> arb:
    p, q = arb(a), arb(b)
    return p.exp() * q.sin() + (p * q).cos() if a < b else (1 + p * p).log() * q.atan()


# All lanes of a block take one side, or the other, or some of them, or one lane alone.
SIDES = [[1] * 8, [0] * 8, [1, 0] * 4, [0] * 7 + [1], [1] + [0] * 7, [1] * 8 + [0] * 8 + [1, 0, 0]]


@pytest.mark.parametrize("sides", SIDES)
def test_lanes_take_their_own_branch(sides: list[int]) -> None:
    random = np.random.default_rng(3)
    p = np.sort(random.uniform(-2, 2, (len(sides), 2)), axis=1)
    p[np.array(sides) == 0] = p[np.array(sides) == 0, ::-1]
    kernel = codegen.compile([CHOSEN, CHOSEN + 1], [x, y])
    assert "branch" in kernel.llvm("points") and "branch" in kernel.llvm("decorated")
    lo, hi, level = kernel.decorated(p, p)
    points = kernel.points(p)
    for k, (a, b) in enumerate(p.tolist()):
        assert arb(lo[k, 0]) <= value(a, b) <= arb(hi[k, 0])
        assert hi[k, 0] - lo[k, 0] < 1e-14 and abs(float(value(a, b)) - points[k, 0]) < 1e-14
        assert abs(float(value(a, b)) + 1 - points[k, 1]) < 1e-14
    assert (level == 3).all()


def test_an_undecided_box_takes_both_branches() -> None:
    lo, hi, level = codegen.compile(CHOSEN, [x, y]).decorated([[0.4, 0.5], [-1.0, 0.5]], [[0.6, 0.5], [-1.0, 0.5]])
    for a in np.linspace(0.4, 0.6, 9):
        assert arb(lo[0, 0]) <= value(a, 0.5) <= arb(hi[0, 0])
    assert level[0, 0] < 2 and level[1, 0] == 3


def test_what_is_shared_stays_outside() -> None:
    """The exponential is needed on both sides, the sine on one side of two choices by the same condition."""
    shared, own = sp.exp(x), sp.sin(x * y)
    formulas = [sp.Piecewise((shared + own, x < 0), (shared * 2, True)), sp.Piecewise((own * own, x < 0), (shared, True))]
    kernel = codegen.compile(formulas, [x, y])
    at = np.random.default_rng(4).uniform(-1, 1, (40, 2))
    a, b = at.T
    expected = np.stack([np.where(a < 0, np.exp(a) + np.sin(a * b), 2 * np.exp(a)), np.where(a < 0, np.sin(a * b) ** 2, np.exp(a))], 1)
    assert np.allclose(kernel.points(at), expected, rtol=1e-14)


def test_choices_that_wait_for_each_other_are_taken_one_by_one() -> None:
    """A choice by one condition depends on one by another condition, and the other way round for two further ones."""
    pool = ExprPool()
    a, b = pool.variable(0), pool.variable(1)
    zero, p, q = pool.constant(0), pool.node("lt", a, pool.constant(0)), pool.node("lt", b, pool.constant(0))
    first, second = pool.where(p, pool.node("exp", a), zero), pool.where(q, pool.node("exp", b), zero)
    third, fourth = pool.where(p, pool.node("sin", second), zero), pool.where(q, pool.node("sin", first), zero)
    kernel = codegen.compile([first + fourth, second + third, first, second], [a, b])
    at = np.random.default_rng(5).uniform(-1, 1, (40, 2))
    u, v = at.T
    f, s = np.where(u < 0, np.exp(u), 0), np.where(v < 0, np.exp(v), 0)
    expected = np.stack([f + np.where(v < 0, np.sin(f), 0), s + np.where(u < 0, np.sin(s), 0), f, s], 1)
    assert np.allclose(kernel.points(at), expected, rtol=1e-14)
    lo, hi = kernel.interval(at, at)
    assert ((lo <= expected + 1e-15) & (expected - 1e-15 <= hi)).all()


def test_many_choices_within_each_other() -> None:
    """Deeper than functions are made for."""
    pool = ExprPool()
    a = pool.variable(0)
    nested = pool.node("sin", a)
    for k in range(14):
        nested = pool.where(pool.node("lt", pool.constant(k), a), pool.node("cos", a + k), nested)
    at = np.random.default_rng(6).uniform(-5, 20, (100, 1))
    expected = np.select([at > k for k in range(13, -1, -1)], [np.cos(at + k) for k in range(13, -1, -1)], np.sin(at))
    assert np.allclose(codegen.compile([nested], [a]).points(at), expected, rtol=1e-13, atol=1e-13)
