"""Forward-backward contraction: no solution is lost, and simple constraints are solved exactly."""

import ctypes
import random

import numpy as np
import pytest
import sympy as sp

from codegen.algebra.passes import backward_code
from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool

x, y, z = sp.symbols("x y z", real=True)


def contract(equations: list[sp.Expr], condition: object, lo: list[float], hi: list[float]) -> tuple[np.ndarray, np.ndarray, bool]:
    """One pass over one box (in all lanes)."""
    pool = ExprPool()
    nodes = {s: pool.variable(k) for k, s in enumerate((x, y, z))}
    truth = None if condition is None else convert([condition], nodes, pool)[0]
    code = backward_code(convert(equations, nodes, pool), truth)
    assert code is not None
    block = np.repeat(np.stack([-np.array(lo, float), np.array(hi, float)], axis=1)[:, :, None], 8, axis=2)
    flag = np.ones(8)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(code.address["kernel"])(block.ctypes.data, None, flag.ctypes.data)
    return -block[:, 0, 0], block[:, 1, 0], bool(flag[0])


@pytest.mark.parametrize("form", [
    x + y * z, x - y / (z + 5), x * y - z, x**2 * y + z, (x + 3)**4 - y * z, sp.sqrt(x + 4) * y - z, sp.exp(x) - y + z,
    sp.log(x + 4) + y * z, sp.Abs(x) - y * z, sp.Max(x, y) - z, sp.Min(x, y) * z, x * (y - z) + sp.sin(x), x**3 - y * z,
    sp.Piecewise((x, y < z), (y, True)), 1 / (x + y) + z, x / y - y / z,
])  # fmt: skip
def test_solutions_survive(form: sp.Expr) -> None:
    """f(p) - c = 0 with c enclosed by the box of a fourth variable would need rounding: inequalities around f(p) instead."""
    f = sp.lambdify((x, y, z), form, "mpmath")
    rng = random.Random(str(form))
    for _ in range(40):
        point = [rng.uniform(-3, 3) for _ in range(3)]
        value = float(f(*point))
        size = 1e-9 * (1 + abs(value))
        near = sp.And(form >= sp.Rational(value - size), form <= sp.Rational(value + size))
        lo, hi = ([p - rng.choice([0, rng.random(), 3]) for p in point], [p + rng.choice([0, rng.random(), 3]) for p in point])
        new_lo, new_hi, alive = contract([], near, lo, hi)
        assert alive and all(a <= p <= b for a, p, b in zip(new_lo, point, new_hi, strict=True))
        assert np.all(new_lo >= lo) and np.all(new_hi <= hi)


def test_simple_constraints_are_solved() -> None:
    lo, hi, alive = contract([x + y - 1], None, [0, 0, 0], [5, 5, 1])
    assert alive and np.all(lo[:2] == 0) and np.all(hi[:2] == 1)
    lo, hi, alive = contract([x**2 - 4], None, [0, 0, 0], [5, 5, 1])
    assert alive and lo[0] == hi[0] == 2
    lo, hi, alive = contract([x * y - 1], None, [-5, 2, 0], [5, 4, 1])
    assert alive and lo[0] == 0.25 and hi[0] == 0.5


def test_empty_boxes_are_flagged_and_kept() -> None:
    lo, hi, alive = contract([x**2 + y**2 + 1], None, [-1, -1, 0], [1, 1, 1])
    assert not alive and np.all(lo[:2] == -1) and np.all(hi[:2] == 1)
    assert not contract([], sp.And(x > 2, y < 0), [0, 0, 0], [1, 1, 1])[2]
