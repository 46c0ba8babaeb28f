"""Cost of compiling, cold and from the cache on disk, each in a fresh process; and of importing."""

import itertools
import random
import statistics
import tempfile
from typing import Any

import sympy as sp

from .timing import fresh, medians, table

RUNS = 3
# Issue 2: seconds cold and from the cache, by operations.
TARGETS = {100: (0.2, 0.02), 1000: (0.6, 0.02), 3000: (2.0, 0.02)}


def mixed(operations: int) -> tuple[list[Any], list[Any]]:
    """SymPy formulas of about so many operations: products, sums, squares, quotients, square roots, sines and cosines.

    Built without SymPy's evaluation, which flattens sums and takes time exponential in the depth of such a graph.
    """
    u, v, t = symbols = list(sp.symbols("u v t", real=True))
    rng, nodes = random.Random(operations), [u + 2 * v, v - t, t + 3 * u]
    numbers = (sp.Rational(rng.randrange(1, 10**6), 999983) for _ in itertools.count())

    def combined(a: Any, b: Any, step: int) -> Any:
        square = sp.Add(sp.Pow(b, 2, evaluate=False), sp.Integer(1), evaluate=False)
        if step in (0, 5):
            wave = sp.sin if step else sp.cos
            return sp.Mul(a, wave(next(numbers) * u + next(numbers) * v), evaluate=False)
        if step in (7, 9):
            return sp.Mul(a, sp.Pow(square, -1 if step == 7 else sp.Rational(1, 2), evaluate=False), evaluate=False)
        return sp.Mul(a, b, evaluate=False)

    count = 9
    while count < operations - 2:
        a, b = rng.sample(nodes[-6:], 2) if len(nodes) > 3 else nodes[:2]
        step = len(nodes) % 10
        nodes.append(sp.Add(combined(a, b, step), next(numbers) * rng.choice(symbols), evaluate=False))
        # Nodes of the graph, the new numbers among them.
        count += {0: 9, 5: 9, 7: 6, 9: 6}.get(step, 4)
    return nodes[-6:], symbols


_COMPILE = """
import time, numpy as np, codegen, codegen.from_sympy
from codegen.graph.expr import reachable
from tests.benchmarks.compile_time import mixed
expressions, symbols = mixed({operations})
lo = np.full((8, 3), 0.25)
start = time.perf_counter()
kernel = codegen.compile(expressions, symbols)
built = time.perf_counter()
kernel.interval(lo, lo + 0.1)
done = time.perf_counter()
kernel.interval(lo, lo + 0.1)
again = time.perf_counter()
print(built - start, done - built, again - done, len(reachable(kernel.outputs)))
"""


def compile_times() -> None:
    rows = []
    for operations, (cold_target, cached_target) in TARGETS.items():
        code = _COMPILE.format(operations=operations)
        cold = []
        for _ in range(RUNS):
            with tempfile.TemporaryDirectory() as directory:
                cold.append(fresh(code, GENERATIVE_COLLISION_CACHE=directory))
                cached = medians(code, RUNS, GENERATIVE_COLLISION_CACHE=directory)
        first = [statistics.median(c) for c in zip(*cold, strict=True)]
        rows.append([int(first[3]), "cold", first[0], first[1], first[0] + first[1], f"{cold_target}"])
        rows.append([int(first[3]), "cached", cached[0], cached[1], cached[0] + cached[1], f"{cached_target}"])
    table("Seconds from SymPy to the first interval result, fresh process, imports not counted",
          ["operations", "", "compile()", "first interval()", "both", "target <="], rows)


def import_times() -> None:
    rows = []
    for module, target in (("codegen", 0.8), ("collide", 1.2), ("sympy", None), ("numba", None), ("numpy", None)):
        code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
        rows.append([f"import {module}", *medians(code, 5), "" if target is None else f"{target}"])
    table("Seconds to import in a fresh process (median of 5)", ["", "s", "target <="], rows)


_LOOP = """
import time
from codegen.machine.loop_runtime import compiled
from collide.search.native.loop import run
start = time.perf_counter()
compiled(run)
print(time.perf_counter() - start)
"""

_DEMO = """
import contextlib, io, sys, tempfile, time
sys.argv = ["collide", "--demo", "--html", tempfile.gettempdir() + "/demo-benchmark.html"]
start = time.perf_counter()
import runpy
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    runpy.run_module("collide", run_name="__main__")
print(time.perf_counter() - start)
"""


def program_times() -> None:
    rows = []
    for name, code, targets in (("the native search loop", _LOOP, ("", "")), ("make demo, after set-up", _DEMO, ("15", "3"))):
        with tempfile.TemporaryDirectory() as directory:
            cold = fresh(code, GENERATIVE_COLLISION_CACHE=directory)
            cached = medians(code, RUNS, GENERATIVE_COLLISION_CACHE=directory)
        rows.append([name, *cold, targets[0], *cached, targets[1]])
    table("Seconds in a fresh process", ["", "cold", "target <=", "cached", "target <="], rows)


def main() -> None:
    compile_times()
    import_times()
    program_times()
