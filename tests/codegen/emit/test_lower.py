"""Cutting, outlining and widening change no bit: the same graph lowered in every way, slots and liveness."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import codegen
from codegen import kernel as kernels
from codegen.emit import lower
from codegen.emit.lanes import Kind
from codegen.emit.lower import PassShape, _Slots, batch_shape
from codegen.emit.translate import decorated_nodes, live_nodes
from codegen.graph.expr import Expr, ExprPool
from codegen.machine.native import Code, object_code
from tests.codegen.boxes import random_boxes, same_bits


def graph() -> list[Expr]:
    """Every way in which a value crosses chunks: long life, shared, sine and cosine far apart, levels, parameters, constants."""
    pool = ExprPool()
    x, y, a = pool.variable(0), pool.variable(1), pool.parameter(0)
    early, sine = pool.node("sqrt", x), pool.node("sin", x * y)
    truth = pool.node("lt", x, y)
    w, kept = x + a, []
    for k in range(60):
        w = w * y + pool.constant(k) / 7 if k % 3 else pool.node("max", w, x - k * a)
        kept.append(w)
    cosine = pool.node("cos", x * y)
    chosen = pool.where(truth, early * cosine, kept[5] - kept[50])
    slope = pool.trusted(pool.node("exp", w * 1e-9), early)
    return [w, chosen, sine * cosine + kept[20], slope, pool.constant("pi") * 2, x, pool.node("log", pool.constant(2)),
            pool.node("refined", kept[30], kept[31]), pool.guarded(y, pool.node("log", y)), a / 3, pool.node("undefined")]  # fmt: skip


def run(outputs: Sequence[Expr], kind: Kind, width: int | None = None) -> list[Any]:
    kernel = codegen.Kernel(outputs, ["x", "y"], ["a"])
    text = kernel.llvm(kind)
    assert width is None or f"<{width} x double>" in text
    kernel._held = {(kind, "batch"): Code(object_code(text), ("batch",))}  # type: ignore[attr-defined]
    lo, hi = random_boxes("lower", 37, 2)
    if kind == "points":
        return [kernel.points(np.random.default_rng(1).uniform(-2, 2, (37, 2)), parameters=[0.3])]
    call = kernel.interval if kind == "interval" else kernel.decorated
    return list(call(lo, hi, parameters=([0.3], [0.4])))


def same(one: Sequence[Any], two: Sequence[Any]) -> bool:
    return all(same_bits(a, b) if a.dtype == np.float64 else np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("kind", ["interval", "decorated", "points"])
def test_chunks_and_outlining_give_the_same_bits(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = graph()
    expected = run(outputs, kind)
    for chunk, roomy, middle, outline in ((1, 0, 0, 0), (9, 10**9, 0, 10**9), (64, 0, 10**9, 10**9), (64, 0, 0, 10**9)):
        monkeypatch.setattr(lower, "CHUNK", chunk)
        monkeypatch.setattr(lower, "ROOMY", roomy)
        monkeypatch.setattr(lower, "MIDDLE", middle)
        monkeypatch.setattr(lower, "OUTLINE", outline)
        assert same(run(outputs, kind), expected)


@pytest.mark.parametrize(("nodes", "called"), [(40, set()), (300, {"sin"}), (700, {"sin", "multiply"}),
                                              (1600, {"sin", "multiply", "multiply_finite"})])
@pytest.mark.parametrize("twice", [False, True])
def test_which_functions_are_called(nodes: int, called: set[str], twice: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of formulas that are written twice the second body calls them all."""
    if not twice:
        monkeypatch.setattr(lower, "pays", lambda *_: False)
    pool = ExprPool()
    w = pool.variable(0)
    while len(pool.nodes) < nodes:
        w = pool.node("sin", w) * pool.node("sin", pool.variable(1) + w) + w * pool.variable(1)
    functions = lower.lower([w], "interval").functions
    first = "".join(text for name, text in functions.items() if "chunk" in name and not name.startswith("guarded"))
    written_twice = twice and nodes < lower.OUTLINE
    found = {name for name in ("sin", "multiply", "multiply_finite") if f"@{name}(" in first}
    assert found == called - ({"multiply"} if written_twice else set())
    assert ("guardedbody" in functions) == written_twice


@pytest.mark.parametrize("kind", ["interval", "decorated", "points"])
def test_every_width_gives_the_same_bits(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = graph()
    results = []
    for width in (8, 32):
        monkeypatch.setattr(kernels, "batch_shape", lambda *_, width=width: PassShape(width))
        results.append(run(outputs, kind, width))
    assert same(*results)


def test_long_graphs_are_really_cut() -> None:
    pool = ExprPool()
    w = pool.variable(0)
    for k in range(lower.CHUNK * 3):
        w = pool.node("max", w * 0.5, pool.constant(k))
    functions = lower.lower([w], "interval").functions
    assert sum(name.startswith("chunk") for name in functions) > 3 and "body" in functions
    assert max(f.count("\n") for f in functions.values()) < 40 * lower.CHUNK


def test_chains_run_wide_and_others_do_not() -> None:
    pool = ExprPool()
    x, y = pool.variable(0), pool.variable(1)
    w = x
    for _ in range(50):
        w = w * y + x
    assert batch_shape([w], wide=True).width == 32
    assert batch_shape([w], wide=False).width == 16
    assert batch_shape([x + y], wide=True).width == 8
    assert batch_shape([pool.node("sin", x) * (y + k) for k in range(30)], wide=True).width == 8


def test_slots_are_used_again_and_never_shared_while_alive() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    w, nodes, early = x, [x], None
    for k in range(300):
        w = w * 0.5 + (early if early is not None and k % 50 == 0 else x)
        early = early or w
        nodes = [e for e in pool.nodes if e.op != "constant"]
    chunks = [nodes[k:k + 7] for k in range(0, len(nodes), 7)]
    slots = _Slots(chunks, lambda e: e.op in ("variable", "constant"))
    assert slots.count <= 4
    place: dict[int, int] = {}
    for k, chunk in enumerate(chunks):
        for e in slots.read[k]:
            assert place[slots.place[e.index]] == e.index, "a value was overwritten while it was needed"
        for e in slots.written[k]:
            assert e in chunk
            place[slots.place[e.index]] = e.index


def test_only_what_is_needed_is_computed() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    guarded = pool.guarded(x + 1, pool.node("tan", x))
    constant = pool.node("sin", pool.constant(1)) * pool.constant("pi")
    for kind, tangent in (("interval", False), ("decorated", True), ("points", False)):
        ops = [e.op for e in live_nodes([guarded, constant + x], kind, decorated_nodes([guarded], kind))]
        assert ("tan" in ops) == tangent and ("sin" in ops) == (kind == "points")


def test_trusted_needs_its_level_and_refined_needs_continuity() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    step, root, kink = pool.node("floor", x), pool.node("sqrt", x), pool.node("abs", x)
    narrow = pool.constant(7)
    outputs = [pool.trusted(narrow, root, 1), pool.trusted(narrow, kink, 2), pool.trusted(narrow, kink, 3),
               pool.node("refined", step, step * 0 + 1), pool.node("refined", kink, kink * 0 + x * 0.5)]
    kernel = codegen.compile(outputs, [x])
    lo, hi = kernel.interval([[-1.0], [1.25]], [[1.0], [1.5]])
    inf = np.inf
    assert lo.tolist() == [[-inf, 7, -inf, -1, 0], [7, 7, 7, 1, 1.25]]
    assert hi.tolist() == [[inf, 7, inf, 1, 0.5], [7, 7, 7, 1, 0.75]]


@pytest.mark.parametrize("kind", ["interval", "decorated", "points"])
def test_outputs_that_repeat_are_copies(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sparse Jacobian has thousands of zeros, which were written in one function, one by one."""
    pool = ExprPool()
    x, y = pool.variable(0), pool.variable(1)
    outputs = [pool.constant(0), x * y, pool.node("sqrt", x), x * y, *[pool.constant(0)] * 40, *[pool.node("sqrt", x)] * 40]
    lo, hi = random_boxes("repeated", 19, 2)
    monkeypatch.setattr(lower, "CHUNK", 8)
    kernel = codegen.compile(outputs, [x, y])
    assert kernel.llvm(kind).count("store <8 x double>") < 80
    a, b, c = (codegen.compile([e], [x, y]) for e in outputs[:3])

    def ask(k: codegen.Kernel) -> tuple[Any, ...]:
        return (k.points(lo),) if kind == "points" else k.interval(lo, hi) if kind == "interval" else k.decorated(lo, hi)

    for found, *each in zip(ask(kernel), *map(ask, (a, b, c)), strict=True):
        expected = np.column_stack([each[0], each[1], each[2], each[1], *[each[0]] * 40, *[each[2]] * 40])
        assert np.array_equal(found, expected, equal_nan=True)
