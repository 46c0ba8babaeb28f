"""Thousands of random expression graphs: bounds hold Arb's values and the reference's, levels are true.

Hundreds of graphs share one kernel, with common subexpressions, constants, conditions, and boxes of every kind. Its
block entry is called, 8 boxes at a time: the code around it that serves arrays grows with the number of outputs.
"""

import ctypes
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import ctx

import codegen
from codegen.emit import lower
from codegen.graph.evaluate import evaluate
from codegen.graph.expr import Expr, ExprPool
from codegen.reference.interpreter import interpret

from .arb_arithmetic import ArbArithmetic, highest_level, point, surely_outside
from .boxes import Array, random_boxes, samples

VARIABLES = 3
GRAPHS, KERNELS, BOXES = 500, 5, 16

BASIC = ["add", "sub", "mul", "div", "fma", "square", "power", "sqrt", "abs", "min", "max", "neg", "scale"]
STEPS = ["sign", "heaviside", "floor", "ceiling", "where", "choice", "modulo"]
# Constants that are no doubles, and some that no double comes near.
SIZES = [Fraction(10) ** 400, -(Fraction(10) ** 400), Fraction(1, 10**400), Fraction(2) ** -1074, Fraction(0)]
ELEMENTARY = ["exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "entropy",
              "atanh", "sinc", "erf", "erfc", "loggamma", "gamma", "bessel_j", "sine_integral", "pow", "atan2", "chebyshev"]  # fmt: skip
ARGUMENTS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "fma": 3, "min": 2, "max": 2, "pow": 2, "atan2": 2}


@pytest.fixture(autouse=True)
def precision(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Library functions are called, not inlined, in short chunks: the same bits in a tenth of the compile time.
    monkeypatch.setattr(lower, "OUTLINE", 0)
    monkeypatch.setattr(lower, "CHUNK", 64)
    old, ctx.prec = ctx.prec, 200
    yield
    ctx.prec = old


class Grower:
    """Random graphs over one pool, grown upwards from leaves; later graphs use pieces of earlier ones."""

    def __init__(self, seed: int, elementary: bool = True) -> None:
        self.rng, self.pool = random.Random(seed), ExprPool()
        self.operations = BASIC * 3 + STEPS + (ELEMENTARY if elementary else [])
        self.nodes: list[Expr] = [self.pool.variable(k) for k in range(VARIABLES)]

    def graphs(self, count: int) -> list[Expr]:
        return [self.graph(self.rng.randrange(2, 7)) for _ in range(count)]

    def graph(self, depth: int) -> Expr:
        if depth == 0:
            return self.leaf()
        if self.rng.random() < 0.1:
            return self.rng.choice(self.nodes)
        e = self.operation(self.rng.choice(self.operations), depth)
        self.nodes.append(e)
        return e

    def leaf(self) -> Expr:
        kind = self.rng.random()
        if kind < 0.7:
            return self.pool.variable(self.rng.randrange(VARIABLES))
        if kind < 0.8:
            return self.pool.constant(self.rng.choice(["pi", "e"]))
        if kind < 0.84:
            return self.pool.constant(self.rng.choice(SIZES))
        return self.pool.constant(self.rng.choice([1, -1, 2, 3, -5, 10])) / self.rng.choice([1, 2, 3, 7])

    def operation(self, name: str, depth: int) -> Expr:
        depths = [depth - 1, *(self.rng.randrange(depth) for _ in range(ARGUMENTS.get(name, 1) - 1))]
        args = [self.graph(d) for d in depths]
        self.rng.shuffle(args)
        special = getattr(self, f"_{name}", None)
        return special(*args, depth) if special else self.pool.node(name, *args)

    def _square(self, x: Expr, depth: int) -> Expr:
        return x**2

    def _power(self, x: Expr, depth: int) -> Expr:
        return x ** self.rng.choice([-2, -1, 3, 4, 5])

    def _scale(self, x: Expr, depth: int) -> Expr:
        return x * self.leaf()

    def _sinc(self, x: Expr, depth: int) -> Expr:
        return self.pool.node("sinc", x, value=self.rng.randrange(3))

    def _bessel_j(self, x: Expr, depth: int) -> Expr:
        return self.pool.node("bessel_j", x, value=self.rng.randrange(3))

    def _chebyshev(self, x: Expr, depth: int) -> Expr:
        return self.pool.node("chebyshev", x, *(self.leaf() for _ in range(self.rng.randrange(2, 6))))

    def _where(self, x: Expr, depth: int) -> Expr:
        return self.pool.where(self.condition(depth), x, self.graph(self.rng.randrange(depth)))

    def _choice(self, x: Expr, depth: int) -> Expr:
        return self.pool.node("choice", self.graph(self.rng.randrange(depth)), x, self.graph(self.rng.randrange(depth)))

    def _modulo(self, x: Expr, depth: int) -> Expr:
        y = self.leaf()
        return x - y * self.pool.node("floor", x / y)

    def condition(self, depth: int) -> Expr:
        kind = self.rng.choice(["lt", "le", "lt", "le", "eq", "not", "and", "or"])
        if kind in ("lt", "le", "eq"):
            return self.pool.node(kind, self.graph(self.rng.randrange(depth)), self.leaf())
        if kind == "not":
            return self.pool.not_(self.condition(depth))
        return self.pool.node(kind, self.condition(depth), self.condition(depth))


def decorated(kernel: codegen.Kernel, lo: Array, hi: Array) -> tuple[Array, Array, Array]:
    """`kernel.decorated` by its block entry, for a multiple of 8 boxes."""
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(kernel.block_address("decorated"))
    results = []
    for start in range(0, len(lo), 8):
        rows = slice(start, start + 8)
        x = np.ascontiguousarray(np.stack([-lo[rows].T, hi[rows].T], axis=1))
        out = np.empty((len(kernel.outputs), 3, 8))
        call(x.ctypes.data, x.ctypes.data, out.ctypes.data)
        results.append(out)
    bounds = np.concatenate(results, axis=2)
    return -bounds[:, 0].T, bounds[:, 1].T, bounds[:, 2].T


def grown(seed: int, count: int = GRAPHS, elementary: bool = True) -> tuple[list[Expr], codegen.Kernel, Array, Array]:
    grower = Grower(seed, elementary)
    outputs = grower.graphs(count)
    kernel = codegen.compile(outputs, [grower.pool.variable(k) for k in range(VARIABLES)])
    return outputs, kernel, *random_boxes(seed, BOXES, VARIABLES)


@pytest.mark.parametrize("seed", range(KERNELS))
def test_bounds_and_levels_hold_at_sample_points(seed: int) -> None:
    outputs, kernel, lo, hi = grown(seed)
    out_lo, out_hi, level = decorated(kernel, lo, hi)
    assert not np.isnan(out_lo).any() and not np.isnan(out_hi).any() and (out_lo <= out_hi).all()
    assert (out_lo < np.inf).all() and (out_hi > -np.inf).all() and (level <= 3).all()
    rng = random.Random(seed)
    for row in range(len(lo)):
        columns = [samples(rng, a, b, 3) for a, b in zip(lo[row], hi[row], strict=True)]
        seen = [evaluate(outputs, ArbArithmetic(), [point(c) for c in x]) for x in zip(*columns, strict=True)]
        for k, e in enumerate(outputs):
            where = (e, lo[row], hi[row], out_lo[row, k], out_hi[row, k])
            assert not any(surely_outside(s[k].ball, out_lo[row, k], out_hi[row, k]) for s in seen), where
            assert level[row, k] <= highest_level([s[k] for s in seen]), where


def described(where: Array, outputs: list[Expr], lo: Array, hi: Array, *bounds: Array) -> list[object]:
    """The first few failures: expression, box, bounds."""
    return [(outputs[k], lo[r], hi[r], [b[r, k] for b in bounds]) for r, k in np.argwhere(where)[:3]]


@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_the_reference(seed: int) -> None:
    """The compiled natural extension is never tighter than the tight one, and claims no more.

    A wider box inside may be defined in part where the tight one is undefined, and then be answered less widely than
    with the whole line: no claim where the reference has level 0.
    """
    outputs, kernel, lo, hi = grown(1000 + seed, 60)
    out_lo, out_hi, level = decorated(kernel, lo, hi)
    ref_lo, ref_hi, ref_level = interpret(outputs, lo, hi)
    worse = (ref_level > 0) & ~((out_lo <= ref_lo) & (out_hi >= ref_hi)) | (level > ref_level)
    assert not worse.any(), described(worse, outputs, lo, hi, out_lo, ref_lo, out_hi, ref_hi)


@pytest.mark.parametrize("seed", range(3))
def test_basic_arithmetic_has_the_bits_of_the_reference(seed: int) -> None:
    """Without elementary functions and higher powers every operation is tight: the same bounds and the same levels."""
    grower = Grower(2000 + seed, elementary=False)
    grower.operations = [op for op in grower.operations if op != "power"]
    outputs = grower.graphs(80)
    kernel = codegen.compile(outputs, [grower.pool.variable(k) for k in range(VARIABLES)])
    lo, hi = random_boxes(seed, BOXES, VARIABLES)
    out_lo, out_hi, level = decorated(kernel, lo, hi)
    ref_lo, ref_hi, ref_level = interpret(outputs, lo, hi)
    different = (out_lo != ref_lo) | (out_hi != ref_hi) | (level != ref_level)
    assert not different.any(), described(different, outputs, lo, hi, out_lo, ref_lo, out_hi, ref_hi)


@pytest.mark.parametrize("seed", range(3000, 3003))
def test_mean_value_forms_hold_at_sample_points(seed: int) -> None:
    """The derivatives of random graphs, kinks and jumps included, bound every difference that the form relies on."""
    grower = Grower(seed, elementary=seed % 2 == 0)
    outputs, variables = grower.graphs(40), [grower.pool.variable(k) for k in range(VARIABLES)]
    centre = np.random.default_rng(seed).uniform(-2, 2, (24, VARIABLES))
    radius = np.repeat([1e-8, 1e-3, 0.1], 8)[:, None]
    lo, hi = (np.concatenate(b) for b in zip(random_boxes(seed, 24, VARIABLES), (centre - radius, centre + radius), strict=True))
    plain_lo, plain_hi, _ = decorated(codegen.compile(outputs, variables), lo, hi)
    out_lo, out_hi, _ = decorated(codegen.compile(outputs, variables, form="mean-value"), lo, hi)
    assert (out_lo >= plain_lo).all() and (out_hi <= plain_hi).all() and ((out_lo > plain_lo) | (out_hi < plain_hi)).any()
    rng = random.Random(seed)
    for row in range(len(lo)):
        columns = [samples(rng, a, b, 3) for a, b in zip(lo[row], hi[row], strict=True)]
        for x in zip(*columns, strict=True):
            for k, v in enumerate(evaluate(outputs, ArbArithmetic(), [point(c) for c in x])):
                assert not surely_outside(v.ball, out_lo[row, k], out_hi[row, k]), (outputs[k], x, lo[row], hi[row])


def test_every_way_to_call_gives_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays or blocks, with decorations or without, in one function or cut into many, inlined or called."""
    outputs, kernel, lo, hi = grown(11, 30)
    expected = decorated(kernel, lo, hi)
    text = kernel.llvm("decorated", "block")
    found: list[Sequence[Any]] = [kernel.decorated(lo, hi), kernel.interval(lo, hi)]
    at = np.clip(lo, -1e6, 1e6)
    points = kernel.points(at)
    for chunk, outline in ((7, 0), (10**9, 10**9)):
        monkeypatch.setattr(lower, "CHUNK", chunk)
        monkeypatch.setattr(lower, "OUTLINE", outline)
        # One output more makes another kernel, for which there is no code yet.
        again = codegen.compile([*outputs, outputs[chunk % 3]], [outputs[0].pool.variable(k) for k in range(VARIABLES)])
        assert again.llvm("decorated", "block") != text
        found.append([b[:, :-1] for b in decorated(again, lo, hi)])
        assert np.array_equal(again.points(at)[:, :-1], points, equal_nan=True)
    for bounds in found:
        assert np.array_equal(bounds[0], expected[0]) and np.array_equal(bounds[1], expected[1])
