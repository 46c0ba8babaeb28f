"""Bodies without guards against 0 * infinity: the bits of guarded ones on every box, and bounds that hold the exact range."""

import ctypes
import re

import numpy as np
import pytest

import codegen
from codegen.emit import lower, unguarded
from codegen.graph.expr import Expr, ExprPool
from codegen.graph.signs import analyse
from codegen.machine.native import Code, assembly, object_code
from codegen.reference.interpreter import interpret
from tests.codegen.boxes import Array, random_boxes, same_bits

INF = np.inf
CPU = "x86-64-v3"


def products() -> list[Expr]:
    """Products of sums and of products of all signs: each meets 0 * infinity on some boxes."""
    pool = ExprPool()
    x, y = pool.variable(0), pool.variable(1)
    chain = x
    for _ in range(30):
        chain = chain * y + x
    return [x * y, (x - y) * (x + y), x * (x + 1) * (y - 2), pool.node("abs", x) * y, pool.node("exp", x) * pool.node("abs", y), chain]


def hard_boxes() -> tuple[Array, Array]:
    """Random boxes, and all pairs of boxes with ends among 0, infinity and others, in blocks of their own and among random ones."""
    ends = [(0.0, 0.0), (-0.0, 0.0), (0.0, INF), (-INF, 0.0), (-INF, INF), (-1.0, 0.0), (0.0, 2.0), (1.0, INF), (-INF, -1.0),
            (1e200, 1e300)]
    pairs = np.array([[a, b] for a in ends for b in ends])
    lo, hi = random_boxes("unguarded", 400, 2)
    lo[::40], hi[::40] = pairs[::10, :, 0], pairs[::10, :, 1]
    return np.concatenate([lo, pairs[..., 0]]), np.concatenate([hi, pairs[..., 1]])


def compiled(outputs: list[Expr], cpu: str | None = None) -> codegen.Kernel:
    kernel = codegen.Kernel(outputs, ["x", "y"], cpu=cpu)
    for kind in ("interval", "decorated"):
        kernel.__dict__.setdefault("_held", {})[kind, "batch"] = Code(object_code(kernel.llvm(kind, "batch"), cpu), ("batch",))
    return kernel


@pytest.mark.parametrize("outputs", [products(), products()[-1:]], ids=["products", "chain"])
def test_both_bodies_have_the_same_bits(outputs: list[Expr], monkeypatch: pytest.MonkeyPatch) -> None:
    assert unguarded.pays(outputs, analyse(outputs[0].pool.nodes))
    boxes = hard_boxes()
    found = [compiled(outputs, cpu).decorated(*boxes) for cpu in (None, CPU)]
    monkeypatch.setattr(lower, "pays", lambda *_: False)
    guarded = compiled(outputs)
    assert "@unguardedbody" not in guarded.llvm("interval", "batch")
    wanted = guarded.decorated(*boxes)
    for lo, hi, level in found:
        assert same_bits(lo, wanted[0]) and same_bits(hi, wanted[1]) and np.array_equal(level, wanted[2])


def test_bounds_are_tight_where_infinity_meets_zero() -> None:
    outputs, (lo, hi) = products()[:4], hard_boxes()
    found = compiled(products()).interval(lo, hi)
    wanted = interpret(outputs, lo, hi)
    assert all(np.array_equal(a[:, :4], b) for a, b in zip(found, wanted, strict=False))


def test_a_flag_set_before_a_block_costs_no_bits() -> None:
    """The caller's flags, and those of the block before."""
    kernel = compiled(products())
    x = np.tile(np.array([-0.5, 1.5, -0.25, 2.0])[:, None], 8).copy()
    wanted = kernel.interval(np.full((8, 2), [0.5, 0.25]), np.full((8, 2), [1.5, 2.0]))
    block = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(kernel.block_address())
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.float64(INF) - np.float64(INF))
    out = np.empty((len(products()), 2, 8))
    block(x.ctypes.data, None, out.ctypes.data)
    assert np.array_equal(-out[:, 0, 0], wanted[0][0]) and np.array_equal(out[:, 1, 0], wanted[1][0])


def test_a_product_of_the_chain_is_ten_instructions() -> None:
    text = assembly(codegen.Kernel(products()[-1:], ["x", "y"]).llvm("interval", "block"), CPU)
    body = "".join(re.findall(r"^unguardedchunk\d+:(.*?)\n\.Lfunc_end", text, re.MULTILINE | re.DOTALL))
    counts = {name: len(re.findall(rf"\tv{name}pd\t", body)) for name in ("blendv", "mul", "max", "cmp")}
    assert counts["mul"] == counts["blendv"] == 2 * counts["max"] and counts["mul"] == 30 * 4 * 2 and counts["cmp"] == 0


def test_code_that_is_not_ours_keeps_the_guards() -> None:
    """It sets the register, and its flags with it."""
    pool = ExprPool()
    x, y = pool.variable(0), pool.variable(1)
    outputs = [x * y * (x + y) * (x - y) * y]
    assert unguarded.pays(outputs, analyse(pool.nodes))
    pool.node("true")
    loops = [pool.node("loop", outputs[0], value=("sum", 3, outputs[0].index)) + outputs[0]]
    assert not unguarded.pays(loops, analyse(pool.nodes))
