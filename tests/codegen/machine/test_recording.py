"""Straight-line kernels that are interpreted: the bits of machine code, instruction by instruction."""

import ctypes

import numpy as np
import pytest

from codegen.algebra import linear
from codegen.algebra.local_step import least_step, local_step
from codegen.emit.lanes import Lanes, Module
from codegen.emit.room import is_large
from codegen.machine import straight_line as home
from codegen.machine.bytecode import Program
from codegen.machine.compiler import compiler
from codegen.machine.interpreter import VECTOR
from codegen.machine.native import Code
from codegen.machine.recording import recorded
from codegen.machine.straight_line import straight_line

pytestmark = pytest.mark.usefixtures("nothing_compiled")
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1.7e308, -1.0])


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(home, "_known", {})


def tiered(address: int) -> home.Tiered:
    return next(made for at, made in home._known.values() if at == address)


def run(address: int, sizes: list[int], seed: int, special: bool) -> np.ndarray:
    """All that a kernel leaves in its arrays, of so many vectors each."""
    g = np.random.default_rng(seed)
    arrays = [g.normal(size=(size, 8)) for size in sizes]
    for a in arrays if special else []:
        chosen = g.random(a.shape) < 0.1
        a[chosen] = g.choice(SPECIAL, int(chosen.sum()))
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(address)(*(a.ctypes.data for a in arrays))
    whole = np.concatenate(arrays)
    return np.where(np.isnan(whole), np.nan, whole).view(np.int64)


def system(m: int, n: int) -> list[int]:
    return [2 * m * n, 2 * m, n, 2 * n]


KERNELS = {
    **{f"{name} {m} {n}": (lambda quick, name=name, m=m, n=n: getattr(linear, name)(m, n, quick=quick), [*system(m, n), 1])
       for name in ("linear_solve", "eliminate") for m, n in ((1, 1), (3, 5), (5, 4))},
    **{f"{name} {n}": (lambda quick, name=name, n=n: getattr(linear, name)(n, quick=quick), [*system(n, n), 2 * n, 1])
       for name in ("krawczyk", "interval_inverse") for n in (1, 3, 4)},
    "precondition 3": (lambda quick: linear.precondition(3, quick=quick), [18, 6, 18, 6]),
    "local step": (lambda quick: local_step(3, 4, quick), [15, 7, 5]),
    "least step": (lambda quick: least_step(3, 4, 3, [(0, 0), (1, 2)], quick), [21, 3, 4, 1, 7, 9]),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_interpreted_and_compiled_bits_are_the_same(name):
    make, sizes = KERNELS[name]
    quick, compiled = make(True), make(False)
    made = tiered(quick)
    assert isinstance(made.code, Program) and isinstance(tiered(compiled), Code)
    for seed in range(20):
        assert np.array_equal(run(quick, sizes, seed, seed % 2 == 1), run(compiled, sizes, seed, seed % 2 == 1))
    assert made.calls == 20
    made.ask()
    compiler.settle()
    assert isinstance(made.code, Code) and make(True) == quick
    assert all(np.array_equal(run(quick, sizes, seed, True), run(compiled, sizes, seed, True)) for seed in range(3))


def test_all_operations_of_lanes_are_recorded():
    def write(module: Module, L: Lanes) -> None:
        a, b, c = (L.load("%x", k) for k in range(3))
        mask = L.either(L.both(L.lt(a, b), L.differ(L.le(b, c), L.isnan(c))), L.both(L.ge(a, c), L.invert(L.eq(a, b))))
        bits = L.bits_xor(L.bits_add(L.to_bits(a), L.bits_const(5)), L.bits_and(L.to_bits(b), L.bits_sub(L.to_bits(c), L.to_bits(a))))
        values = [L.add(a, b), L.sub(a, b), L.mul(b, c), L.div(a, c), L.sqrt(L.abs(a)), L.fma(a, b, c), L.neg(a), L.floor(b),
                  L.copysign(a, c), L.max(a, b), L.min(b, c), L.select(mask, a, b), L.select(L.negative(a), b, c),
                  L.select(L.bits_eq(bits, L.to_bits(a)), a, c), L.from_bits(L.shift_right(bits, 3)), L.from_bits(L.shift_left(bits, 2)),
                  L.select(L.mask_const(True), a, L.const(0.1)), L.const(-0.0)]
        for k, value in enumerate(values):
            L.store("%out", k, value)

    for rounding in ("upward", "nearest"):
        one, two = (straight_line(f"all {rounding}", (), "x out", write, rounding, quick) for quick in (True, False))
        assert isinstance(tiered(one).code, Program)
        assert all(np.array_equal(run(one, [3, 18], seed, True), run(two, [3, 18], seed, True)) for seed in range(40))


def test_what_is_not_recorded_is_compiled_without_effort_at_first():
    def write(module: Module, L: Lanes) -> None:
        L.lines += ["  br label %next", "next:"]
        L.store("%out", 0, L.add(L.load("%x", 0), L.const(1.0)))

    quick, compiled = (straight_line("branch", (), "x out", write, quick=quick) for quick in (True, False))
    assert isinstance(tiered(quick).code, Code)
    assert np.array_equal(run(quick, [1, 1], 0, True), run(compiled, [1, 1], 0, True))


def test_code_that_needs_more_than_the_stack_is_not_recorded():
    """Where memory is refused it could not say so: what it leaves would be taken for results."""
    module = Module()
    L = module.lanes()
    values = [L.load("%x", k) for k in range(1100)]
    for k, value in enumerate(values):
        L.store("%out", k, value)
    assert is_large(1100 * VECTOR) and recorded(L, ["x", "out"]) is None
