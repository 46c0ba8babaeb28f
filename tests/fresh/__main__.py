"""``python -m tests.fresh [--count 10000] [--seed 0]``: new questions of ten kinds, each asked of two processes.

One has answered all before, with the machine code that it has made meanwhile. The other one is new, and interprets all kernels. Both must
have the same status, and brackets that overlap. It prints what differs, and returns 1 then.
"""

import argparse
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any
from unittest import mock

import collide
from codegen.machine import cache, tiers
from tests.benchmarks.long_process import kinds
from tests.benchmarks.new_questions import SPAN, Draw, pair

KINDS, _SECONDS = kinds(10), 600.0
_EACH = 20
Answer = tuple[str, tuple[float, float] | None]


def answer(number: int, seed: int = 0) -> Answer:
    """The status of a question, and the bracket of its time or distance; None where nothing meets."""
    asked, way, first, second = KINDS[number % len(KINDS)]
    draw = Draw(f"{seed} {number}")
    draw.count = number // len(KINDS)
    bodies = pair((first, second), way, draw)()
    budget = collide.Budget(seconds=_SECONDS)
    if asked == "distance":
        near = collide.distance(*bodies, at=0, budget=budget)
        lo, hi = near.bracket
        return near.status.name, (lo, hi)
    found = collide.first_contact(bodies, SPAN, budget=budget)
    return found.status.name, None if found.time is None else (found.time.lo, found.time.hi)


def differences(known: Answer, other: Answer) -> list[str]:
    """The ways in which two answers to the same question contradict each other."""
    wrong = [] if known[0] == other[0] else [f"{known[0]} and {other[0]}"]
    one, two = known[1], other[1]
    if one is None or two is None:
        return wrong + ([] if one is two else [f"brackets {one} and {two}"])
    return wrong + ([] if max(one[0], two[0]) <= min(one[1], two[1]) else [f"brackets {one} and {two} do not overlap"])


def interpreted(number: int, seed: int = 0) -> Answer:
    """The answer where no kernel has machine code."""
    with mock.patch.object(cache, "stored", lambda name: False), mock.patch.object(tiers.Tiered, "ask", lambda self: None):
        return answer(number, seed)


class Process:
    """A process that begins as a copy of this one, which has answered nothing, and answers by a function."""

    def __init__(self, function: Callable[[int, int], Answer]) -> None:
        context = multiprocessing.get_context("fork")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, function), daemon=True)
        self._process.start()
        there.close()

    def ask(self, number: int, seed: int) -> Any:
        """The answer to a question, or the error in words."""
        self._here.send((number, seed))
        return self._here.recv()

    def close(self) -> None:
        """End the process."""
        self._here.send(None)
        self._process.join()


def _serve(requests: Connection, function: Callable[[int, int], Answer]) -> None:
    while (request := requests.recv()) is not None:
        try:
            requests.send(function(*request))
        except Exception as error:
            requests.send((f"{type(error).__name__}: {error}", None))


def compared(number: int, seed: int, warm: Process) -> tuple[Answer, list[str]]:
    """The answer of the process that has answered more, and what is wrong with it."""
    fresh = Process(interpreted)
    known = warm.ask(number, seed)
    other = fresh.ask(number, seed)
    fresh.close()
    return known, differences(known, other)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fresh", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warm, statuses, total, begin = Process(answer), Counter[str](), 0, time.monotonic()
    for number in range(options.count):
        known, wrong = compared(number, options.seed, warm)
        statuses[known[0]] += 1
        total += bool(wrong)
        for words in wrong:
            print(f"WRONG question {number} of seed {options.seed}, {' '.join(KINDS[number % len(KINDS)])}: {words}", flush=True)
        if (number + 1) % _EACH == 0:
            print(f"{number + 1}: {total} wrong, {dict(statuses.most_common())}, {time.monotonic() - begin:.0f} s", flush=True)
    warm.close()
    print(f"{options.count} questions: {total} wrong, {dict(statuses.most_common())}, {time.monotonic() - begin:.0f} s")
    return min(total, 1)


if __name__ == "__main__":
    raise SystemExit(main())
