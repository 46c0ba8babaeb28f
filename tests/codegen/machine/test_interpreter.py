"""Interpreted kernels: the same bits as compiled ones, whatever the graph, and the change from one to the other."""

import ctypes
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import codegen
from codegen.emit.lanes import Kind
from codegen.emit.translate import vectors
from codegen.graph.expr import Expr, ExprPool
from codegen.machine import bytecode, cache, compiler_process, interpreter, linked, native, tiers
from codegen.machine.bytecode import interpretable
from codegen.machine.compiler import compiler
from codegen.machine.native import Code
from tests.codegen.boxes import Array, random_boxes, same_bits
from tests.codegen.emit.test_lower import graph
from tests.codegen.test_random_graphs import VARIABLES, Grower

KINDS: tuple[Kind, ...] = ("interval", "decorated", "points")


pytestmark = pytest.mark.usefixtures("nothing_compiled")


def both(outputs: list[Expr], variables: int, parameters: int = 0, kinds: Sequence[Kind] = KINDS) -> tuple[codegen.Kernel, codegen.Kernel]:
    """A compiled kernel, and one that is interpreted: it must be asked first, or takes the other's code."""
    names = [f"x{k}" for k in range(variables)], [f"p{k}" for k in range(parameters)]
    interpreted = codegen.Kernel(outputs, *names, quick=True)
    assert all(interpreted._tiered(kind) is not None for kind in kinds)
    return codegen.Kernel(outputs, *names), interpreted


def asked(kernel: codegen.Kernel) -> bool:
    tiered = kernel._tiered("interval")
    return tiered is not None and tiered.asked


def block(kernel: codegen.Kernel, kind: Kind, x: Array, p: Array) -> Array:
    out = np.full((len(kernel.outputs), vectors(kind)[1], 8), 7.0)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(kernel.block_address(kind))(x.ctypes.data, p.ctypes.data, out.ctypes.data)
    # The sign of a NaN is nobody's promise.
    return np.where(np.isnan(out), np.nan, out)


def blocks(kind: Kind, seed: str, count: int, variables: int) -> Iterator[Array]:
    """Blocks of boxes of every kind, unbounded and empty of inner points among them, or of points."""
    lo, hi = random_boxes(seed, 8 * count, variables)
    for k in range(count):
        rows = slice(8 * k, 8 * k + 8)
        yield np.ascontiguousarray(hi[rows].T[:, None] if kind == "points" else np.stack([-lo[rows].T, hi[rows].T], axis=1))


@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs_have_the_same_bits(kind: Kind) -> None:
    """Many outputs share one graph, so values live long, and places in the frame are used again."""
    outputs = Grower(11).graphs(150)
    compiled, interpreted = both(outputs, VARIABLES)
    tiered = interpreted._tiered(kind)
    for x in blocks(kind, f"interpreter {kind}", 40, VARIABLES):
        assert same_bits(block(compiled, kind, x, x), block(interpreted, kind, x, x))
    assert tiered is not None and tiered.calls == 40, "it was interpreted"


@pytest.mark.parametrize("kind", KINDS)
def test_guards_and_parameters_have_the_same_bits(kind: Kind) -> None:
    compiled, interpreted = both(graph(), 2, 1)
    p = np.full((1, 1, 8), 0.3) if kind == "points" else np.stack([np.full((1, 8), -0.3), np.full((1, 8), 0.4)], axis=1)
    for x in blocks(kind, f"guards {kind}", 20, 2):
        assert same_bits(block(compiled, kind, x, p), block(interpreted, kind, x, p))


def test_constants_and_inputs_alone() -> None:
    pool = ExprPool()
    x, y = pool.variable(0), pool.variable(1)
    outputs = [pool.constant("pi"), y, pool.constant(0), y, x * 0.1, x * -0.1, x * pool.constant("pi"), x * pool.constant(-3), -x]
    across = pool.node("mul", pool.node("hull", pool.constant(-1), pool.constant(2)), x)
    for kind in KINDS:
        compiled, interpreted = both([*outputs, x if kind == "points" else across], 2, kinds=[kind])
        for b in blocks(kind, f"constants {kind}", 8, 2):
            assert same_bits(block(compiled, kind, b, b), block(interpreted, kind, b, b))


@pytest.mark.parametrize("rows", [0, 1, 8, 19])
def test_arrays_of_any_length(rows: int) -> None:
    """Through the loop over arrays that all interpreted kernels share."""
    pool = ExprPool()
    x, y, a = pool.variable(0), pool.variable(1), pool.parameter(0)
    compiled, interpreted = both([(x - a) * y + k for k in range(40)], 2, 1)
    lo, hi = (ends[:rows] for ends in random_boxes("arrays", 19, 2))
    for numbers in (([0.25], [0.5]), (np.full((rows, 1), 0.25), np.linspace(0.25, 1.0, max(rows, 1))[:rows, None])):
        for one, two in zip(compiled.interval(lo, hi, parameters=numbers), interpreted.interval(lo, hi, parameters=numbers), strict=True):
            assert same_bits(one, two)
        levels = compiled.decorated(lo, hi, parameters=numbers)[2], interpreted.decorated(lo, hi, parameters=numbers)[2]
        assert np.array_equal(*levels)
        assert same_bits(compiled.points(lo, parameters=numbers[0]), interpreted.points(lo, parameters=numbers[0]))


def test_bad_rows_are_named() -> None:
    _, kernel = both([ExprPool().variable(0)], 1)
    with pytest.raises(ValueError, match="row 9"):
        kernel.interval(np.zeros((12, 1)), np.where(np.arange(12) == 9, np.nan, 1.0)[:, None])


def test_code_that_costs_more_to_interpret_than_to_make_is_made_in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a process that does not come after all others, if it is still to come; whichever comes second changes nothing."""
    pool = ExprPool()
    _, kernel = both([pool.node("exp", pool.variable(0)) - pool.variable(1)], 2)
    x = next(blocks("interval", "hurried", 1, 2))
    requests = list[tuple[str, object]]()
    for name in ("compiler", "urgent"):
        monkeypatch.setattr(getattr(tiers, name), "ask", lambda work, adopt, name=name: requests.append((name, (work, adopt))))
    first = block(kernel, "interval", x, x)
    assert tiers.compile_used() >= 1 and [name for name, _ in requests] == ["compiler"] * len(requests)
    monkeypatch.setattr(tiers, "HURRIED", 3)
    tiered, polite = kernel._tiered("interval"), len(requests)
    tiers.compile_busy()
    assert tiered is not None and tiered.asked and not tiered.hurried and len(requests) == polite
    for _ in range(2):
        block(kernel, "interval", x, x)
    tiers.compile_busy()
    tiers.compile_busy()
    assert tiered.hurried and [name for name, _ in requests[polite:]] == ["urgent"]
    work, adopt = requests[-1][1]  # type: ignore[misc]
    code = compiler_process.made(*work[1:])  # type: ignore[has-type]
    adopt(code)  # type: ignore[has-type]
    program, came = tiered._before, tiered.code
    adopt(code)  # type: ignore[has-type]
    assert tiered._before is program and tiered.code is came and same_bits(block(kernel, "interval", x, x), first) and tiered.calls == 0


def test_repetitions_are_compiled() -> None:
    pool = ExprPool()
    body = pool.node("bound", value=0)
    w = pool.node("sum", body * pool.variable(0), body, value=5)
    kernel = codegen.Kernel([w], ["x"], quick=True)
    assert not interpretable([w]) and kernel._tiered("interval") is None
    assert kernel.interval([[1.0]], [[1.0]])[1][0, 0] == 10.0


def test_busy_code_is_compiled_at_the_same_address(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ExprPool()
    _, kernel = both([pool.node("exp", pool.variable(0)) * pool.variable(1)], 2)
    x = next(blocks("interval", "busy", 1, 2))
    address, first = kernel.block_address(), block(kernel, "interval", x, x)
    monkeypatch.setattr(tiers, "CALLS", 5)
    for _ in range(4):
        tiers.compile_busy()
        assert not asked(kernel)
        block(kernel, "interval", x, x)
    tiers.compile_busy()
    tiered = kernel._tiered("interval")
    compiler.settle()
    assert tiered is not None and isinstance(tiered.code, Code) and tiered.code.address["block"] == tiered._stubs.cells[tiered._k, 0]
    calls = tiered.calls
    assert kernel.block_address() == address and same_bits(block(kernel, "interval", x, x), first)
    assert tiered.calls == calls, "nothing is interpreted any more"


def test_what_queries_use_again_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "FIRST", 0)
    pool = ExprPool()
    _, kernel = both([pool.variable(0) - pool.variable(1)], 2)
    x = next(blocks("interval", "again", 1, 2))
    for query in range(1, tiers.QUERIES + 1):
        tiers.begin_query()
        for _ in range(tiers.AGAIN):
            block(kernel, "interval", x, x)
        tiers.compile_repeated()
        assert asked(kernel) == (query == tiers.QUERIES)


def test_what_the_first_queries_of_a_process_use_is_compiled_for_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most called of it, up to a number."""
    pool = ExprPool()
    kernels = [both([pool.variable(0) * k], 1)[1] for k in (3, 5, 7)]
    x = next(blocks("interval", "first", 1, 1))
    monkeypatch.setattr(tiers, "FIRST", 2)
    monkeypatch.setattr(tiers, "_asked", [0])
    tiers.begin_query()
    for kernel, calls in zip(kernels, (1, 3, 2), strict=True):
        for _ in range(calls):
            block(kernel, "interval", x, x)
    tiers.compile_repeated()
    assert [asked(kernel) for kernel in kernels] == [False, True, True]


def test_what_a_long_series_of_queries_calls_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ExprPool()
    _, kernel = both([pool.variable(0) + 2 * pool.variable(1)], 2)
    x = next(blocks("interval", "series", 1, 2))
    monkeypatch.setattr(tiers, "SERIES", 12)
    monkeypatch.setattr(tiers, "FIRST", 0)
    for query in range(1, 5):
        tiers.begin_query()
        for _ in range(3):
            block(kernel, "interval", x, x)
        tiers.compile_repeated()
        assert asked(kernel) == (query == 4)


def test_what_queries_call_a_few_times_each_stays_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "FIRST", 0)
    pool = ExprPool()
    _, kernel = both([pool.variable(0) + pool.variable(1)], 2)
    x = next(blocks("interval", "seldom", 1, 2))
    for _ in range(5):
        tiers.begin_query()
        for _ in range(tiers.AGAIN - 1):
            block(kernel, "interval", x, x)
        tiers.compile_repeated()
    tiers.begin_query()
    tiers.compile_repeated()
    assert not asked(kernel)


def test_threads_share_an_interpreted_kernel() -> None:
    compiled, interpreted = both(Grower(5).graphs(20), VARIABLES)
    boxes = [random_boxes(f"thread {k}", 800, VARIABLES) for k in range(4)]
    expected = [compiled.interval(*b) for b in boxes]
    results: list[list[tuple[Array, Array]]] = [[] for _ in boxes]
    threads = [threading.Thread(target=lambda k=k: results[k].extend(interpreted.interval(*boxes[k]) for _ in range(5)))  # type: ignore[misc]
               for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(r) == 5 and same_bits(lo, e[0]) and same_bits(hi, e[1]) for r, e in zip(results, expected, strict=True) for lo, hi in r)


def test_programs_are_read_from_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same bits, by a process that has the functions, or finds them there; else they are written anew."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(linked, "_LONG", 1)
    made = list[str]()
    written = linked.kernel_layout
    monkeypatch.setattr(linked, "kernel_layout", lambda outputs, kind, bounded: made.append(kind) or written(outputs, kind, bounded))
    outputs, box = Grower(7).graphs(20), random_boxes("kept", 200, VARIABLES)
    names = [f"x{k}" for k in range(VARIABLES)]

    def answers() -> list[bytes]:
        monkeypatch.setattr(linked, "_tiers", {})
        kernel = codegen.Kernel(outputs, names, quick=True)
        return [np.nan_to_num(array).tobytes() for array in (*kernel.interval(*box), *kernel.decorated(*box), kernel.points(box[0]))]

    def anew() -> None:
        for name in ("UPWARD", "NEAREST"):
            monkeypatch.setattr(bytecode, name, interpreter.Library(getattr(interpreter, name).rounding))

    anew()
    expected = answers()
    assert made == ["interval", "decorated", "points"] and answers() == expected and len(made) == 3
    anew()
    assert answers() == expected and len(made) == 3
    anew()
    monkeypatch.setattr(interpreter.Library, "has", lambda *_: False)
    assert answers() == expected and len(made) == 6


def test_where_much_code_is_linked_kernels_stay_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM ends a process that gets no more pieces of address space."""
    pool = ExprPool()
    _, kernel = both([pool.node("exp", pool.variable(0)) - 41], 1)
    tiered, linked_ones = kernel._tiered("interval"), Code.linked
    assert tiered is not None and linked_ones > 0
    monkeypatch.setattr(native, "MOST", 0)
    program = tiered.code
    tiered._adopt(b"never linked")
    assert tiered.code is program and Code.linked == linked_ones
    monkeypatch.setattr(cache, "stored", lambda name: True)
    assert codegen.Kernel([pool.node("exp", pool.variable(0)) - 42], ["x0"], [], quick=True)._tiered("interval") is not None
