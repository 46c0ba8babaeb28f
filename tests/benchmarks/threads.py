"""Two threads beside one: throughput by the clock, and how much of a call is Python, which holds the interpreter lock.

Native loops and kernels run without the lock. Two threads can get at most 1 / (share of Python) times as much done as one.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import collide
from codegen.machine import loop_runtime
from generative import ParametricSurface, Rigid, u, v
from generative import t as moment
from tests.shared_data import DATA

from .families import asked, bicubic, drawn
from .timing import table

REPEATS = 4


def native_seconds(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of this thread in a call, and those of them in native loops."""
    inside = [0.0]
    original = loop_runtime.Loop.__call__

    def timed(self: loop_runtime.Loop, *arguments: int) -> int:
        begin = time.thread_time()
        try:
            return original(self, *arguments)
        finally:
            inside[0] += time.thread_time() - begin

    loop_runtime.Loop.__call__ = timed  # type: ignore[method-assign]
    try:
        begin = time.thread_time()
        call()
        return time.thread_time() - begin, inside[0]
    finally:
        loop_runtime.Loop.__call__ = original  # type: ignore[method-assign]


def elapsed(call: Callable[[], Any], threads: int, calls: int) -> float:
    """Seconds by the clock in which so many threads make so many calls each."""
    def work() -> None:
        for _ in range(calls):
            call()

    team = [threading.Thread(target=work) for _ in range(threads)]
    begin = time.perf_counter()
    for member in team:
        member.start()
    for member in team:
        member.join()
    return time.perf_counter() - begin


def row(name: str, call: Callable[[], Any]) -> list[Any]:
    for _ in range(3):
        call()
    whole, native = min(native_seconds(call) for _ in range(REPEATS))
    calls = max(1, int(0.2 / whole))
    alone = min(elapsed(call, 1, calls) for _ in range(REPEATS))
    together = min(elapsed(call, 2, calls) for _ in range(REPEATS))
    return [name, 1e3 * whole, 1 - native / whole, 2 * alone / together]


def main() -> None:
    if not DATA.exists():
        print(f"{DATA} is not there")
        return
    pairs, edges = np.load(DATA / "bezier_pairs.npz")["q2"], np.load(DATA / "ccd_queries.npz")["edge_edge"]
    far = np.random.default_rng(1).normal(size=(20_000, 8, 3))
    bodies, parameters = asked(bicubic(), *drawn(bicubic(), 60))
    ring = 1 + sp.Rational(3, 10) * sp.cos(v)
    torus = ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), sp.Rational(3, 10) * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
    moved = torus.moved(Rigid(rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]], translation=[0, 0, 3 - moment]))
    table("One thread and two", ["", "ms a call", "Python", "throughput of two"], [
        row("bezier_pairs, 1000 biquadratic", lambda: collide.bezier_pairs(pairs)),
        row("bezier_pairs, one pair", lambda: collide.bezier_pairs(pairs[:1])),
        row("edge_edge, 20,000 at random", lambda: collide.edge_edge(far)),
        row("edge_edge, 750 degenerate", lambda: collide.edge_edge(edges)),
        row("contact_batch, 60 bicubic", lambda: collide.contact_batch(bodies, (0, 1), parameters=parameters)),
        row("first_contact, two tori", lambda: collide.first_contact([moved, torus], time=(0, 4))),
    ])
