"""A process that asks new questions of ten or fifty kinds: its memory after each hundred, and seconds of the processor for it.

    python -m tests.benchmarks.long_process [COUNT [KINDS]]

prints the lines as they come; the benchmark is 600 questions of ten kinds. Kinds are pairs of shapes in poses by formulas or arrays, asked
for their first contact or their distance.
"""

import itertools
import mmap
import sys
import time
from pathlib import Path
from typing import Any

from .new_questions import SHAPES, SPAN, Draw, pair, question
from .timing import table

COUNT, KINDS, EACH = 600, 10, 100

Kind = tuple[str, str, str, str]


def kinds(count: int) -> list[Kind]:
    """The first kinds (question, way, shape, shape): each shape with itself by formulas first."""
    alike = [(asked, "formula", a, a) for asked in ("first_contact", "distance") for a in SHAPES]
    pairs = itertools.product(("formula", "array"), itertools.combinations_with_replacement(SHAPES, 2), ("first_contact", "distance"))
    others = [(asked, way, a, b) for way, (a, b), asked in pairs if (asked, way, a, b) not in alike]
    return (alike + others)[:count]


def resident() -> float:
    """Megabytes of memory that the process has; NaN where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE / 1e6
    except OSError:
        return float("nan")


def rows(count: int = COUNT, number: int = KINDS) -> Any:
    """After each hundred questions: how many, megabytes, seconds of the processor for these."""
    asked = kinds(number)
    draws = {kind: Draw(5) for kind in asked}
    begin = time.process_time()
    for k in range(count):
        name, way, first, second = kind = asked[k % len(asked)]
        draws[kind].count += 1
        question(name)(pair((first, second), way, draws[kind])())
        if (k + 1) % EACH == 0:
            now = time.process_time()
            yield [k + 1, resident(), now - begin]
            begin = now


def main() -> None:
    table(f"New questions of {KINDS} kinds in one process, to {SPAN[1]} s: memory and time", ["questions", "MB", "seconds for 100"],
          list(rows()))


if __name__ == "__main__":
    for row in rows(*map(int, sys.argv[1:])):
        print("{} questions: {:.0f} MB, {:.1f} s for the last hundred".format(*row), flush=True)
