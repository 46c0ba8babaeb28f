"""Kernels for inputs of known size: the same bounds as others give, and the whole line where an input is larger."""

import ctypes
from fractions import Fraction

import numpy as np
import pytest

import codegen
from codegen.emit import lower
from codegen.graph.expr import Expr, ExprPool
from codegen.graph.signs import LARGEST, analyse
from tests.codegen.boxes import Array, random_boxes
from tests.codegen.test_containment import violations
from tests.codegen.test_random_graphs import VARIABLES, Grower

INF = np.inf


pytestmark = pytest.mark.usefixtures("nothing_compiled")


def kernels(outputs: list[Expr], variables: int, parameters: int = 0) -> list[codegen.Kernel]:
    """One for all inputs, and bounded ones, interpreted and compiled: the former must be asked first, or takes the latter's code."""
    names = [f"x{k}" for k in range(variables)], [f"p{k}" for k in range(parameters)]
    quick = codegen.Kernel(outputs, *names, quick=True, bounded=True)
    assert quick._tiered("interval") is not None
    return [codegen.Kernel(outputs, *names), quick, codegen.Kernel(outputs, *names, bounded=True)]


def products() -> list[Expr]:
    """Products of everything with everything, and their sums with what is made of them."""
    pool = ExprPool()
    x = [pool.variable(k) for k in range(VARIABLES)]
    some = [*x, x[0] + x[1] * 3, x[1] - x[2], pool.node("sin", x[0]) * x[2], x[0] ** 3, pool.node("abs", x[1])]
    return [a * b * (a - b) for k, a in enumerate(some) for b in some[k:]] + [1 / x[0] * x[1], pool.node("exp", x[2]) * x[0]]


def moderate(seed: str, rows: int) -> tuple[Array, Array]:
    """Boxes that end at `LARGEST` where they went on."""
    lo, hi = (np.clip(ends, -LARGEST, LARGEST) for ends in random_boxes(seed, rows, VARIABLES))
    return lo, hi


@pytest.mark.parametrize("outputs", [products(), Grower(5).graphs(60)], ids=["products", "random"])
def test_bounds_are_those_of_other_kernels(outputs: list[Expr]) -> None:
    general, *bounded = kernels(outputs, VARIABLES)
    lo, hi = moderate("bounded", 400)
    wanted = general.interval(lo, hi)
    for kernel in bounded:
        found = kernel.interval(lo, hi)
        assert np.array_equal(found[0], wanted[0]) and np.array_equal(found[1], wanted[1])


def test_fewer_products_need_a_guard() -> None:
    outputs = products()
    order = [e for e in outputs[0].pool.nodes if not e.boolean]
    known = [analyse(order, bounded) for bounded in (False, True)]
    guarded = [sum(e.op == "mul" and not all(k[a.index].finite for a in e.args) for e in order) for k in known]
    assert guarded[1] <= 2 < guarded[0]


def test_bounds_hold_the_values() -> None:
    outputs = products()
    for kernel in kernels(outputs, VARIABLES)[1:]:
        lo, hi = moderate("held", 150)
        assert violations(outputs, lo, hi, *kernel.interval(lo, hi), 3) == []


def test_larger_boxes_get_the_whole_line() -> None:
    """Among them 0 times infinity, and what has no bounds at all."""
    outputs = products()
    lo, hi = random_boxes("beyond", 600, VARIABLES)
    lo[:4], hi[:4] = 0.0, 0.0
    lo[0, 1], hi[1, 1], lo[2, 2], hi[3, 0] = -INF, INF, -INF, np.nextafter(LARGEST, INF)
    larger = (np.maximum(-lo, hi) > LARGEST).any(axis=1)
    assert 100 < larger.sum() < 500
    general, *bounded = kernels(outputs, VARIABLES)
    wanted = general.interval(lo, hi)
    for kernel in bounded:
        found = kernel.interval(lo, hi)
        assert (found[0][larger] == -INF).all() and (found[1][larger] == INF).all()
        assert all(np.array_equal(a[~larger], b[~larger]) for a, b in zip(found, wanted, strict=True))


def test_what_the_graph_does_not_use_may_be_larger() -> None:
    pool = ExprPool()
    for kernel in kernels([pool.variable(1) * pool.parameter(0)], 2, 2)[1:]:
        huge = LARGEST * 2
        lo, hi = kernel.interval([[-INF, 2.0]], [[INF, 3.0]], parameters=([5.0, huge], [5.0, huge]))
        assert (lo[0, 0], hi[0, 0]) == (10.0, 15.0)
        lo, hi = kernel.interval([[0.0, 2.0]], [[0.0, 3.0]], parameters=([huge, 0.0], [huge, 0.0]))
        assert (lo[0, 0], hi[0, 0]) == (-INF, INF)


def test_decorations_and_points_know_no_largest_size() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    for kernel in kernels([x * x * x], 1)[1:]:
        huge = 2.0**40
        lo, hi, level = kernel.decorated([[huge]], [[huge]])
        assert lo[0, 0] == hi[0, 0] == Fraction(huge) ** 3 and level[0, 0] == 3
        assert kernel.points([[huge]])[0, 0] == Fraction(huge) ** 3


def test_results_pass_through_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a graph in many chunks results are written in all of them."""
    monkeypatch.setattr(lower, "CHUNK", 7)
    outputs = products()
    lo, hi = moderate("chunks", 8)
    lo[3], hi[3] = -INF, 0.0
    kernel = codegen.Kernel(outputs, ["x", "y", "z"], bounded=True)
    out = np.full((len(outputs), 2, 8), np.nan)
    block = np.ascontiguousarray(np.stack([-lo.T, hi.T], axis=1))
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(kernel.block_address())(block.ctypes.data, None, out.ctypes.data)
    assert not np.isnan(out).any() and (out[:, :, 3] == INF).all() and np.isfinite(out[:-2, :, :3]).all()
