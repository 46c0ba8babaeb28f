"""Questions about bodies with new numbers, a third of them round, and the same questions again: milliseconds of the processor, construction
apart and together with the question, and new / again. Bodies move by formulas, or are placed by arrays.

Each row has a process of its own, which has asked fifty questions of the kind before, or as many as 40 s allow: it has met most kinds of
parts that touch, and numbers that are equal, by then. Those that it meets later are in the last twentieth of the new ones. Numbers are
drawn before the clock runs, except those of the arm.

coal's distance of the same kinds of bodies stands beside, where it is installed. With another build's directory in QUESTIONS_AGAINST, that
build answers the same questions in turn with this one, so a slow phase of the machine meets both alike.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .timing import ROOT, table

WARM, COUNT, LIMIT = 50, 30, 25.0
ROWS = [(kind, question, way) for question in ("first_contact", "distance") for way in ("formula", "array")
        for kind in ("tori", "capsules", "ellipsoids", "cans", "blocks")] + [("arm of six and a post", "first_contact", "formula")]
_WORKER = Path(__file__).with_name("new_questions.py")


class Worker:
    """A process that asks the questions of a row of a build."""

    def __init__(self, tree: Path, row: tuple[str, str, str]) -> None:
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        self._process = subprocess.Popen([sys.executable, str(_WORKER), *row, str(WARM)], cwd=tree, env=environment, text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._line()
        self.times: list[tuple[float, ...]] = []

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def ask(self) -> str:
        """Asks the next question, and returns the status."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        *times, status = self._line().split()
        self.times.append(tuple(map(float, times)))
        return status

    def close(self) -> list[float]:
        """The medians of construction, of a new question, and of an old one; the ratio of those with construction and without; and what a
        new question costs at most, except one of twenty.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        made, new, again = map(statistics.median, zip(*self.times, strict=True))
        slow = float(np.quantile([own for _, own, _ in self.times], 0.95))
        return [made, new, again, (made + new) / again, new / again, slow]


def main() -> None:
    against = os.environ.get("QUESTIONS_AGAINST")
    trees = [ROOT, *([Path(against)] if against else [])]
    rows = [[*row, *measured(row, trees), peer(row)] for row in ROWS]
    each = ["make", "new", "again", "(make + new) / again", "new / again", "new, 95 %"] * len(trees)
    heads = ["bodies", "question", "poses", *each, "coal"]
    title = "New questions: milliseconds of the processor, medians"
    table(f"{title}; this build, then {against}" if against else title, heads, rows)


def measured(row: tuple[str, str, str], trees: list[Path]) -> list[float]:
    """The figures of a row for each build. Statuses must agree, where both tell."""
    workers, begin, number = [Worker(tree, row) for tree in trees], time.monotonic(), 0
    while number < 3 or (number < COUNT and time.monotonic() < begin + LIMIT * len(trees)):
        number += 1
        statuses = {worker.ask() for worker in workers}
        if len(statuses) > 1:
            print(f"{' '.join(row)}: question {number} is answered by {' and '.join(sorted(statuses))}")
    return [figure for worker in workers for figure in worker.close()]


def peer(row: tuple[str, str, str]) -> Any:
    """Milliseconds of coal for the distance of new bodies of the kind at rest; nothing where it has no such bodies or is not there."""
    try:
        coal = import_module("coal")
    except ImportError:
        return ""
    kinds: dict[str, Callable[..., Any]] = {
        "capsules": lambda a, b, _: coal.Capsule(a, b), "ellipsoids": coal.Ellipsoid, "cans": lambda a, b, _: coal.Cylinder(a, b),
        "blocks": coal.Box}
    kind, question, _ = row
    if question != "distance" or kind not in kinds:
        return ""
    rng, times = np.random.default_rng(5), []
    for _ in range(COUNT):
        sizes, place = rng.uniform(0.3, 1, (2, 3)).tolist(), rng.uniform(-0.3, 0.3, 3) + [0, 0, 5]
        begin = time.process_time()
        here, there = coal.Transform3s.Identity(), coal.Transform3s.Identity()
        here.setTranslation(place)
        bodies = [kinds[kind](*own) for own in sizes]
        coal.distance(bodies[0], here, bodies[1], there, coal.DistanceRequest(), coal.DistanceResult())
        times.append(1e3 * (time.process_time() - begin))
    return statistics.median(times)
