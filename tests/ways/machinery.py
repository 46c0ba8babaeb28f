"""Ways that ask the very same question where another machinery answers: kernels interpreted or compiled, with caches empty or full, in a
thread, in another process, of copied bodies. The answer must be the same to the last bit, so each compares with the one given.
"""

import contextlib
import functools
import gc
import math
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import collide
from codegen import kernel, remembered
from codegen.machine import cache, linked, loop_runtime, straight_line, tiers

from ..laws import differences
from .copies import copied
from .scenes import Scene, scene
from .shapes import Draw
from .ways import SIMULTANEITY, SPACING

ROOT = Path(__file__).parents[2]


def answer(given: Scene, budget: float) -> collide.Contacts:
    options = {"simultaneity": float(SIMULTANEITY), "spacing": float(SPACING)}
    query = collide.self_contact if len(given.bodies) == 1 else collide.first_contact
    return query(list(given.bodies), given.span, budget=collide.Budget(seconds=budget, boxes=20_000), **options)


@contextlib.contextmanager
def forgotten() -> Iterator[None]:
    """Nothing is known of kernels, formulas and bodies, within it and after it; machine code is taken from the disk."""
    with contextlib.ExitStack() as stack:
        for module, name, nothing in ((straight_line, "_known", {}), (linked, "_codes", {}), (linked, "_tiers", {}), (tiers, "_all", []),
                                      (loop_runtime, "_loops", [])):
            stack.enter_context(mock.patch.object(module, name, nothing))
        clear_caches()
        yield
        clear_caches()


def clear_caches() -> None:
    remembered.forget()
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper) and each.__module__.partition(".")[0] in ("codegen", "collide", "generative"):
            each.cache_clear()


def interpreted(given: Scene, budget: float) -> collide.Contacts:
    """No kernel that may be interpreted is compiled."""
    with (forgotten(), mock.patch.object(cache, "stored", lambda name: False), mock.patch.object(cache, "load", lambda name: None),
          mock.patch.object(tiers.Tiered, "ask", lambda self: None)):
        return answer(given, budget)


def compiled(given: Scene, budget: float) -> collide.Contacts:
    """Every kernel is compiled before it is used."""
    with (forgotten(), mock.patch.object(kernel, "interpretable", lambda outputs: False),
          mock.patch.object(straight_line, "recorded", lambda *given: None)):
        return answer(given, math.inf if budget is None else 10 * budget)


def from_nothing(given: Scene, budget: float) -> collide.Contacts:
    with forgotten():
        return answer(given, budget)


def threaded(given: Scene, budget: float) -> collide.Contacts:
    """In one thread, while another one asks of other scenes of the kind."""
    found: list[Any] = [None]
    stop = threading.Event()

    def other() -> None:
        for k in range(1, 4):
            if not stop.is_set():
                answer(scene(given.kind, given.seed + k), 2.0)

    def asked() -> None:
        found[0] = answer(given, 3 * budget)
        stop.set()

    threads = [threading.Thread(target=other), threading.Thread(target=asked)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found[0]


def in_another_process(given: Scene, budget: float) -> collide.Contacts:
    code = ("import pickle, sys; from tests.ways.machinery import answer; given, budget = pickle.load(sys.stdin.buffer); "
            "pickle.dump(answer(given, budget), sys.stdout.buffer)")
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps((given, budget)), capture_output=True, cwd=ROOT, check=True)
    return pickle.loads(done.stdout)


def of_copies(given: Scene, budget: float) -> collide.Contacts:
    """Of bodies that were copied, some of them twice, each in a way of its own."""
    d = Draw(f"{given.name} copies")
    bodies = [copied(copied(b, d) if d.random() < 0.3 else b, d) for b in given.bodies]
    return answer(replace(given, bodies=tuple(bodies)), budget)


MACHINES: dict[str, Callable[[Scene, float], collide.Contacts]] = {
    "again": answer, "interpreted": interpreted, "compiled": compiled, "from_nothing": from_nothing, "threaded": threaded,
    "in_another_process": in_another_process, "of_copies": of_copies,
}  # fmt: skip


def disagreement(given: Scene, name: str, first: collide.Contacts, budget: float) -> list[str]:
    """What differs between an answer and that of another machinery; nothing where the seconds of a budget ended either."""
    other = MACHINES[name](given, budget)
    spent = collide.Status.BUDGET_SPENT in (first.status, other.status) and max(first.iterations, other.iterations) < 20_000
    # The budget may end after the bracket is known, and before all is proved of the points.
    if spent or max(first.seconds, other.seconds) >= budget:
        return []
    return [f"{field} differs {name}: {getattr(first, field)!r} / {getattr(other, field)!r}" for field in differences(first, other)]
