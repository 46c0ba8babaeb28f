"""Native loops compute what the same functions compute as ordinary Python."""

import ctypes
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from codegen.machine.loops import FLOAT, INT, STRUCT, UnsupportedPython, call_kernel, loop_assembly, native, parallel
from codegen.machine.native import Code, optimized_object_code, target_machine
from codegen.machine.structures import Floats, Ints, Structure, array

SCALE = 3
HALF = 0.5


class Arrays(Structure):
    a: Floats = array("length")
    b: Ints = array("length")
    c: Floats = array("length")


@native
def sieve(s: Any, n: int) -> int:
    """Loops, conditions, augmented assignment, division of integers."""
    found = 0
    for k in range(n):
        s.b[k] = 1
    for k in range(2, n):
        if s.b[k] == 0:
            continue
        found += 1
        j = 2 * k
        while j < n:
            s.b[j] = 0
            j += k
    return found * SCALE + n // 4 + n % 4


@native
def guarded(s: Any, n: int) -> int:
    """Short-circuit: the second operand would read outside the array."""
    hits = 0
    for k in range(-2, n + 2):
        if 0 <= k < n and s.a[k] > HALF:
            hits += 1
        if k < 0 or k >= n or not s.a[k] > HALF:
            hits += 100
        hits += 1000 if (k < 0) | ((k >= 2) & (k < n)) else 0
    return hits


@native
def first_large(s: Any, n: int, bound: float) -> int:
    for k in range(n - 1, -1, -1):
        if s.a[k] > bound:
            return k
    return -1


@native
def arithmetic(s: Any, n: int) -> float:
    total = 0.0
    for k in range(n):
        x, y = s.a[k], s.c[k]
        x, y = y, x
        s.a[k], s.c[k] = s.c[k] - 1, s.a[k]
        total += max(x, y, 0.25) - min(x, 2 * y) + abs(x - 1) + x**2 + (0.5, 1.5, 2.5)[k % 3]
        total += np.sqrt(abs(y)) + np.round(3.7 * x) + np.floor(y) + (x if y > 0 else -y) / 3
    if total > np.inf:
        return 0.0
    return total - first_large(s, n, 0.3)


@native
def nested(s: Any, n: int) -> int:
    count = 0
    for i in range(n):
        for j in range(i, n):
            if j == 3:
                break
            count += max(i, j) + abs(i - 2 * j)
        if count > 40:
            break
    return -count


@native
def side_by_side(s: Any, n: int) -> int:
    """What is read is also written, by the same pass; and the passes round it are not independent."""
    for k in range(n - 8):
        for i in parallel(8):
            x = s.c[k + i]
            s.a[k + i] = (x if x > HALF else -2.0 * s.a[k + i]) + max(x, 0.25)
            s.c[k + i] = abs(s.a[k + i]) - x
    return n


def both(function: Any, n: int, returns: Any) -> tuple[Any, Any]:
    """(result, arrays) of the function as Python and as machine code."""
    outcomes = []
    for compiled in (False, True):
        rng = np.random.default_rng(5)
        arrays = {"a": rng.normal(size=n), "b": rng.integers(0, 9, n), "c": rng.normal(size=n)}
        if compiled:
            text = loop_assembly(function, [STRUCT, INT], Arrays, "entry")
            code = Code(optimized_object_code(text), ("entry",))
            pointers = np.array([a.ctypes.data for a in arrays.values()])
            call = ctypes.CFUNCTYPE(returns, ctypes.c_void_p, ctypes.c_int64)(code.address["entry"])
            result = call(pointers.ctypes.data, n)
        else:
            result = function(SimpleNamespace(**arrays), n)
        outcomes.append((result, arrays))
    return outcomes[0], outcomes[1]


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("function", [sieve, guarded, nested, arithmetic, side_by_side])
def test_compiled_loops_do_what_python_does(function: Any, n: int) -> None:
    (expected, before), (got, after) = both(function, n, ctypes.c_double if function is arithmetic else ctypes.c_int64)
    assert got == pytest.approx(expected, rel=1e-14)
    for name in before:
        np.testing.assert_array_equal(after[name], before[name])


@native
def makes_a_list(s: Any) -> int:
    x = [1, 2]
    return x


@native
def changes_kind(s: Any) -> int:
    x = 1
    x = 1.5
    return x


@native
def unknown_array(s: Any) -> float:
    return s.missing[0]


def ordinary(x: float) -> float:
    return x


@native
def calls_python(s: Any) -> float:
    return ordinary(1.0)


@pytest.mark.parametrize(("function", "message"), [
    (makes_a_list, "line .*List is outside the subset"),
    (changes_kind, "a value of kind double where i64 is needed"),
    (unknown_array, "no array 'missing'"),
    (calls_python, "ordinary is not a native function"),
])
def test_what_is_outside_the_subset_is_named(function: Any, message: str) -> None:
    with pytest.raises(UnsupportedPython, match=message):
        loop_assembly(function, [STRUCT], Arrays, "entry")


def test_independent_passes_become_vectors(capfd: pytest.CaptureFixture[str]) -> None:
    """And LLVM does not complain, as it does of a loop that it cannot change so."""
    text = loop_assembly(side_by_side, [STRUCT, INT], Arrays, "entry")
    vectors = [made(text.replace("!llvm.loop", "!unused")), made(text)]
    assert not capfd.readouterr().err
    assert vectors[1] > vectors[0] == 0


def made(text: str) -> int:
    """How many operations on vectors its optimized code has."""
    module, target = llvm.parse_assembly(text), target_machine()
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(2))
    builder.getModulePassManager().run(module, builder)
    return str(module).count(" x double>")


def test_kernels_are_called_from_native_code_only() -> None:
    with pytest.raises(RuntimeError, match="compiled loops"):
        call_kernel(0)


def test_a_wrong_number_of_arguments_is_an_error() -> None:
    with pytest.raises(UnsupportedPython, match="takes 2 arguments, got 3"):
        loop_assembly(sieve, [STRUCT, INT, FLOAT], Arrays, "entry")
