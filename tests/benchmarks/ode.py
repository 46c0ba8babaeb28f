"""Solutions of differential equations: how long the validated integration takes, how wide it is at its end, what a box costs, and how many
of 100,000 boxes do not hold the solution by Taylor's series in Arb. The pendulum beside heyoka (doubles, not validated) and Codac's
CtcLohner, where they are installed.
"""

import contextlib
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import sympy as sp

import codegen
from codegen.from_sympy import flow_of
from codegen.initial_value.march import integrated
from generative import ode, ode_span, t
from tests.initial_values import KEPLER, LORENZ, PENDULUM, Case, Referee, x, y

from .timing import table

POINTS, CALLS = 25_000, 5
_OSCILLATOR = Case([y, -x], [x, y], [1, 0], lambda x, y: (y, -x), "1/4")
_POLE = Case([x**2], [x], [1], lambda x: (x * x,), "1/64")


def main() -> None:
    rows = [measured(*case) for case in (
        ("pendulum to 10", PENDULUM, [1, 0], 10.0, POINTS), ("Kepler, e = 0.6, one turn", KEPLER, [sp.Rational(2, 5), 0, 0, 2], 6.28125, 0),
        ("Kepler, circle, to 6", KEPLER, KEPLER.start, 6.0, POINTS), ("Lorenz to 20", LORENZ, LORENZ.start, 20.0, POINTS),
        ("oscillator, 1,000 periods", _OSCILLATOR, [1, 0], 6283.0, 0), ("oscillator to 100", _OSCILLATOR, [1, 0], 100.0, POINTS),
        ("x' = x^2, pole at 1", _POLE, [1], 2.0, 0))]
    table("Solutions of differential equations", ["problem", "first (ms)", "again (ms)", "steps", "known to", "width there", "ns a box",
                                                  "outside Arb"], rows)
    own = ["here", rows[0][1] - rows[0][2], rows[0][2], rows[0][5], ""]
    table("The pendulum to 10", ["by", "compile (ms)", "ms of the processor", "width", "meets ours at 100 times"], [own, *peers()])


def measured(name: str, case: Case, start: Any, end: float, points: int) -> list[Any]:
    solution = ode(case.rates, case.states, start, (t, 0, end), steps=20_000)
    flow, times = flow_of(solution[0].problem), []
    for _ in range(CALLS):
        begin = time.process_time()
        found = integrated(flow)
        times.append(1e3 * (time.process_time() - begin))
    kernel, last = codegen.compile(solution, [t]), min(end, ode_span(solution[0]).span.hi)
    lo, hi = kernel.interval([[last]], [[last]])
    at = np.random.default_rng(0).uniform(0, last, (100_000, 1))
    kernel.interval(at, at)
    begin = time.perf_counter()
    kernel.interval(at, at)
    box = 1e9 * (time.perf_counter() - begin) / len(at)
    return [name, times[0], min(times[1:]), len(found.base), f"{last:.9g}", float((hi - lo).max()), box,
            outside(case, kernel, last, points)]


def outside(case: Case, kernel: codegen.Kernel, end: float, points: int) -> str:
    """Of so many boxes of random widths, each with a random time in it."""
    if not points:
        return ""
    rng, referee = np.random.default_rng(1), Referee(case)
    times = np.sort(rng.uniform(0, end, points))
    left, right = (rng.uniform(0, 1, points) ** 20 * end * rng.integers(0, 2, points) for _ in range(2))
    lo, hi = kernel.interval(np.maximum(times - left, 0)[:, None], np.minimum(times + right, end)[:, None])
    wrong = sum(not all(a <= e <= b for a, e, b in zip(low, referee.at(s), high, strict=True))
                for s, low, high in zip(times.tolist(), lo.tolist(), hi.tolist(), strict=True))
    return f"{wrong} of {points:,}"


def peers() -> Iterator[list[Any]]:
    """Rows of what is installed."""
    with contextlib.suppress(ImportError):
        yield heyoka(import_module("heyoka"))
    with contextlib.suppress(ImportError):
        codac = import_module("codac")
        yield from (lohner(codac, step) for step in (0.05, 0.01))


def heyoka(hy: Any) -> list[Any]:
    begin = time.perf_counter()
    angle, speed = hy.make_vars("x", "v")
    made, times = hy.taylor_adaptive([(angle, speed), (speed, -hy.sin(angle))], [1.0, 0.0]), []
    compiled = 1e3 * (time.perf_counter() - begin)
    for _ in range(20):
        made.time, made.state[:] = 0.0, [1.0, 0.0]
        begin = time.process_time()
        made.propagate_until(10.0)
        times.append(1e3 * (time.process_time() - begin))
    return ["heyoka, doubles", compiled, min(times), "not validated", ""]


def lohner(codac: Any, step: float) -> list[Any]:
    state = codac.VectorVar(2)
    f = codac.AnalyticFunction([state], codac.vec(state[1], -codac.sin(state[0])))
    begin = time.process_time()
    tube = codac.SlicedTube(codac.create_tdomain([0, 10], step, True), codac.IntervalVector(2))
    tube.set(codac.IntervalVector([[1, 1], [0, 0]]), 0.0)
    codac.CtcLohner(f).contract(tube)
    passed = 1e3 * (time.process_time() - begin)
    return [f"Codac, CtcLohner, step {step}", "", passed, float(tube(10.0).max_diam()), meeting(tube)]


def meeting(tube: Any) -> str:
    """How often does a tube of the pendulum meet our enclosure, as two that hold one solution must?"""
    kernel = codegen.compile(ode(PENDULUM.rates, PENDULUM.states, [1, 0], (t, 0, 10.0)), [t])
    times = np.linspace(0.0, 10.0, 100)
    lo, hi = kernel.interval(times[:, None], times[:, None])
    count = 0
    for moment, low, high in zip(times.tolist(), lo.tolist(), hi.tolist(), strict=True):
        box = tube(moment)
        count += all(box[k].lb() <= high[k] and low[k] <= box[k].ub() for k in range(2))
    return f"{count} of {len(times)}"
