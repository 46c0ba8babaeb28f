"""Rows of `contact_batch` by executors: threads, processes, and dask and loky, where these are installed, beside one call; by how much, and
whether the bits are the same.

By the clock, after workers have made or read their machine code. Goal: two threads on two cores, 1.8 times the rows of one. `python -m
tests.benchmarks.executors COUNT` streams so many cheap rows through two threads, and prints their rate and the memory of the process.
"""

import contextlib
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any

import numpy as np

import collide
from generative import Parameter, ParametricSurface, Rigid, t, u, v
from tests.robot_cell import straight_paths

from .families import asked, bicubic, drawn
from .timing import table
from .tolerances import HEIGHT, RADIUS, SPEED, bodies

GOAL, ROUNDS, ROWS, LONG = 1.8, 4, 1200, 900


@contextlib.contextmanager
def dask() -> Iterator[Any]:
    peer = import_module("distributed")
    with peer.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster, \
            peer.Client(cluster) as client:
        yield client


@contextlib.contextmanager
def loky() -> Iterator[Any]:
    with import_module("joblib.externals.loky").ProcessPoolExecutor(2) as executor:
        yield executor


WAYS: dict[str, tuple[str, Callable[[], Any]]] = {
    "one thread": ("", lambda: ThreadPoolExecutor(1)),
    "two threads": ("", lambda: ThreadPoolExecutor(2)),
    "two processes": ("", lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn"))),
    "dask.distributed, two processes": ("distributed", dask),
    "loky, two processes": ("joblib", loky),
}


def scenes() -> dict[str, Callable[..., Any]]:
    """Patches that are searched together, a ball on a torus, whose parameters end at poles, and a robot cell with straight paths."""
    patches, parameters = asked(bicubic(), *drawn(bicubic(), 60))
    many = {s: np.tile(array, ROWS // 60) for s, array in parameters.items()}
    share = np.linspace(0, 1, ROWS)
    balls = {RADIUS: 0.1 + 0.2 * share, HEIGHT: 2 + share, SPEED: 1.5 - share / 2}
    cell, paths, ignored, _ = straight_paths(ROWS)
    return {"bicubic patches": lambda **more: collide.contact_batch(patches, (0, 1), parameters=many, budget=LONG, **more),
            "ball on torus": lambda **more: collide.contact_batch(bodies(), (0, 4), parameters=balls, budget=LONG, **more),
            "clearance, at_least=3/5": lambda **more: collide.clearance_batch(bodies(), (0, 1), 0.6, parameters=balls, budget=LONG, **more),
            "robot paths": lambda **more: collide.contact_batch(cell, (0, 4), parameters=paths, ignore=ignored, budget=LONG, **more)}


def main() -> None:
    for name, ask in scenes().items():
        (alone, expected), rows = best(ask), list[list[Any]]()
        rows.append(["no executor", ROWS / alone, 1.0, "", ""])
        for way, (needed, made) in WAYS.items():
            if needed and find_spec(needed) is None:
                rows.append([way, "not installed", "", "", ""])
                continue
            with made() as executor:
                took, answer = best(partial(ask, executor=executor))
            rate, same = alone / took, "same" if _bits(answer) == _bits(expected) else "OTHER"
            rows.append([way, ROWS / alone * rate, rate, rate / GOAL if way == "two threads" else "", same])
        head = ["", "rows a second", "beside none", "/ goal", "bits"]
        table(f"{ROWS} rows, {name} (goal: {GOAL} by two threads on two cores)", head, rows)


def _bits(answer: Any) -> dict[str, bytes]:
    """Of all arrays of an answer."""
    arrays = {f.name: getattr(answer, f.name) for f in fields(answer)}
    return {name: array.tobytes() for name, array in arrays.items() if isinstance(array, np.ndarray)}


def best(ask: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the answer."""
    answer = ask()
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        ask()
        times.append(time.perf_counter() - begin)
    return min(times), answer


def stream(count: int) -> None:
    """Bowls that fall on a plate at so many speeds."""
    speed = Parameter("speed")
    plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, 1 - speed * t]))
    values = {speed: np.linspace(0.25, 2.0, count)}
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, time.perf_counter()
    with ThreadPoolExecutor(2) as executor:
        answer = collide.contact_batch([plate, bowl], (0, 2), parameters=values, executor=executor, progress=True,
                                       budget=collide.Budget(seconds=36_000.0))
    took, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = sum(getattr(answer, f.name).nbytes for f in fields(answer) if f.name != "notes") / 2**20
    print(f"{answer!r}: {count / took:.0f} rows a second, {time.process_time() / count * 1e3:.3f} ms of the processor each; at most "
          f"{after:.0f} MB, {before:.0f} MB before; the answer has {size:.0f} MB")


if __name__ == "__main__":
    stream(int(sys.argv[1]))
