"""Room for vectors: no formula is too large for the stack of a thread, and memory that is refused is no wrong answer."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.algebra import linear
from codegen.emit import room
from codegen.emit.room import GIVE, TAKE
from codegen.functions import DefiniteIntegral
from codegen.machine import bytecode, interpreter, linked, native, straight_line
from tests.codegen.boxes import random_boxes, same_bits

x, y, r, s = sp.symbols("x y r s", real=True)
FORMULAS = [sp.sin(x) * y, sp.sqrt(x**2 + y), DefiniteIntegral(sp.cos(s * x) + DefiniteIntegral(s * r * x, r, 0, s, 2), s, 0, y, 2)]


@pytest.fixture
def from_the_heap(nothing_compiled, monkeypatch):
    """All room is large."""
    monkeypatch.setattr(room, "_STACK", 0)
    monkeypatch.setattr(straight_line, "_known", {})
    monkeypatch.setattr(linked, "_general_batch", linked._general_batch.__wrapped__)
    for name in ("UPWARD", "NEAREST"):
        monkeypatch.setattr(bytecode, name, interpreter.Library(getattr(interpreter, name).rounding))


def answers(quick):
    kernel = codegen.compile(FORMULAS[:2] if quick else FORMULAS, [x, y], quick=quick)
    lo, hi = (np.clip(ends, -4, 4) for ends in random_boxes("room", 20, 2))
    return [array.tobytes() for array in (*kernel.interval(lo, hi), *kernel.decorated(lo, hi), np.nan_to_num(kernel.points(lo)))]


def krawczyk(n):
    """That of a random linear system, and the flag."""
    g = np.random.default_rng(n)
    matrix = g.uniform(-1, 1, (n, n, 8)) + 4 * np.eye(n)[..., None]
    f, c = g.uniform(-0.1, 0.1, (n, 8)), np.zeros((n, 8))
    K, flag = np.zeros((n, 2, 8)), np.zeros(8)
    arrays = [np.stack([-matrix, matrix], axis=2), np.stack([-f, f], axis=1), c, np.ones((n, 2, 8)), K, flag]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(linear.krawczyk(n))(*(a.ctypes.data for a in arrays))
    return K, flag


@pytest.mark.parametrize("quick", [True, False])
def test_the_same_bits_from_the_stack_and_from_the_heap(quick, request):
    expected, (K, _) = answers(quick), krawczyk(7)
    request.getfixturevalue("from_the_heap")
    assert TAKE in codegen.compile(FORMULAS, [x, y]).llvm("interval", "block")
    found, flag = krawczyk(7)
    assert answers(quick) == expected and same_bits(found, K) and flag.all()


@pytest.mark.parametrize("quick", [True, False])
def test_where_memory_is_refused_nothing_is_known(quick, from_the_heap, monkeypatch):
    none = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)
    monkeypatch.setitem(native._MEMORY, TAKE, ctypes.cast(none, ctypes.c_void_p).value)
    kernel = codegen.compile(FORMULAS[:2] if quick else FORMULAS, [x, y], quick=quick)
    with pytest.raises(MemoryError, match="no memory for one block of"):
        kernel.interval([[0.0, 0.0]], [[1.0, 1.0]])
    block = np.ones((2, 2, 8))
    for kind, values in room.UNKNOWN.items():
        out = np.zeros((len(kernel.outputs), len(values), 8))
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(kernel.block_address(kind))(block.ctypes.data, None, out.ctypes.data)
        assert np.array_equal(out, np.broadcast_to(np.array(values)[:, None], out.shape), equal_nan=True)
    K, flag = krawczyk(8)
    assert (K == 1.0).all() and not flag.any()


SMALL = """
import threading
import numpy as np
from codegen import Kernel
from codegen.graph.expr import ExprPool

x, n = ExprPool().variable(0), 1200
parts = [x * k for k in range(1, n)]
total = parts[-1]
for part in reversed(parts[:-1]):
    total = total + part
kernels = [Kernel([total], ["x"]), Kernel([total], ["x"], quick=True), Kernel(parts, ["x"], quick=True), Kernel([x + 1] * 4 * n, ["x"])]
calls = [lambda at, k=k: k.interval(at, at)[0] for k in kernels]
one = np.ones((1, 1))
values = [call(one) for call in calls]      # compiled here: LLVM takes more of the stack
again = []
threading.stack_size(128 << 10)
thread = threading.Thread(target=lambda: again.extend(call(one) for call in calls))
thread.start()
thread.join()
assert all(np.array_equal(a, b) for a, b in zip(values, again, strict=True))
assert [v.sum() for v in values] == [n * (n - 1) / 2] * 3 + [8 * n]
print("done")
"""


def test_large_formulas_run_in_threads_with_small_stacks():
    """Every value is needed until the end, where they are added in the opposite order."""
    done = subprocess.run([sys.executable, "-c", SMALL], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_memory_is_given_back(from_the_heap, monkeypatch):
    given = []
    plain = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(native._MEMORY[GIVE])

    def give(block):
        given.append(block)
        plain(block)

    watched = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(give)
    monkeypatch.setitem(native._MEMORY, GIVE, ctypes.cast(watched, ctypes.c_void_p).value)
    for quick in (True, False):
        codegen.compile([x * y], [x, y], quick=quick).interval(np.zeros((9, 2)), np.ones((9, 2)))
    # One a batch, one of each of its two blocks of lanes.
    assert len(given) == 6 and all(given)
