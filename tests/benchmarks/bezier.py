"""Pairs of moving Bezier patches drawn as in Chen et al. 2024, Section 5.1: their methods and ours, compiled alike, in one run.

Their Table 1, with the figures printed there beside ours. Each pair is timed alone, in machine code from the first test to the
answer; one thread, its processor time, everything warm. Slow cells stop after some seconds or at a budget of tests a pair, and say so.
"""

import itertools
import os
import time
from typing import Any, NamedTuple

import numpy as np

import collide
from collide.bezier import pairs as bezier
from collide.bezier.memory import CONTACT, MISS, SPENT
from collide.bezier.published import triangle as bezier_triangle
from tests.shared_data import DATA

from .timing import table

PLACE = DATA / "bezier_pairs.npz"
DELTAS = (1e-4, 1e-5, 1e-6)
# Seconds of processor time for a cell of the table, and the tests after which a pair is given up.
SECONDS, BUDGET = 1.5, 400_000
OURS, BEST = "ours", "theirs, OBB, axes follow"
METHODS = {
    OURS: "auto", BEST: "time-dependent", "theirs, OBB, axes at t = 0": "time-dependent-initial", "theirs, AABB": "time-dependent-aligned",
    "traditional, OBB": "traditional", "traditional, AABB": "traditional-aligned",
}  # fmt: skip
# Collision pairs, and mean milliseconds, at the three deltas, of Table 1, on their machine; their axes are those at t = 0.
PAPER = {
    ("triangular", 1): (468, {"traditional, AABB": (8.15, 13.48, 19.57), "theirs, AABB": (18.00, 32.70, 49.70),
                              "traditional, OBB": (3.45, 4.93, 6.85), "theirs, OBB": (4.26, 5.51, 6.68)}),
    ("triangular", 2): (776, {"traditional, AABB": (159.07, 1145.41, 7748.46), "theirs, AABB": (215.16, 1489.60, 11934.78),
                              "traditional, OBB": (61.20, 374.81, 3264.07), "theirs, OBB": (22.40, 42.67, 90.87)}),
    ("triangular", 3): (932, {"traditional, AABB": (523.10, 3138.51, 26564.17), "theirs, AABB": (375.81, 2610.75, 19525.31),
                              "traditional, OBB": (203.21, 1226.84, 9974.95), "theirs, OBB": (35.98, 66.73, 131.30)}),
    ("quadrilateral", 1): (670, {"traditional, AABB": (21.38, 99.53, 836.18), "theirs, AABB": (21.93, 83.16, 443.23),
                                 "traditional, OBB": (12.70, 44.04, 619.46), "theirs, OBB": (5.00, 9.72, 22.13)}),
    ("quadrilateral", 2): (933, {"traditional, AABB": (333.06, 2233.37, 16196.34), "theirs, AABB": (205.02, 1381.54, 10934.02),
                                 "traditional, OBB": (133.04, 891.13, 6858.91), "theirs, OBB": (19.30, 32.50, 62.12)}),
    ("quadrilateral", 3): (988, {"traditional, AABB": (730.90, 4875.23, 35332.08), "theirs, AABB": (337.91, 2336.47, 17901.88),
                                 "traditional, OBB": (205.46, 1363.95, 10962.40), "theirs, OBB": (27.17, 44.71, 79.40)}),
}  # fmt: skip


class Cell(NamedTuple):
    """Of the pairs that were timed: milliseconds, tests and verdicts."""

    times: np.ndarray
    tests: np.ndarray
    verdicts: np.ndarray


def drawn(shape: str, degree: int, count: int = 1000) -> np.ndarray:
    """Random pairs: uniform in [-1, 1], and pushed towards each other along a random vector."""
    g = np.random.default_rng(degree)
    net = (degree + 1, degree + 1) if shape == "quadrilateral" else (len(bezier_triangle.indices(degree)),)
    q = g.uniform(-1, 1, (count, 2, 2, *net, 3))
    d = g.uniform(-1, 1, (count, *(1 for _ in net), 3))
    for patch, rate, sign in ((0, 0, 1), (1, 1, 1), (1, 0, -1), (0, 1, -1)):
        q[:, patch, rate] += sign * d
    return q


def search(q: np.ndarray, tolerance: float, method: str) -> Any:
    axes = bezier._METHODS[method]
    if q.ndim == 6:
        return bezier._Search(q, None, tolerance, bezier._Limit(collide.Budget(seconds=None, boxes=BUDGET)), axes)
    if axes is not None:
        return bezier._triangle_baseline(q, None, tolerance, bezier._Limit(collide.Budget(seconds=None, boxes=BUDGET)), axes)
    squares, _, error = bezier._squared(q, round((2 * q.shape[3] + 0.25) ** 0.5 - 1.5))
    return bezier._Search(squares, None, tolerance, bezier._Limit(collide.Budget(seconds=None, boxes=BUDGET)), error=error)


def timed(q: np.ndarray, tolerance: float, method: str, repeat: int = 1, seconds: float = SECONDS) -> Cell:
    """Each pair alone, the best of `repeat`, as many as are done in so many seconds. What a call from Python costs that solves nothing,
    a microsecond or more, is taken off: the pairs of order 1 take little longer.
    """
    s = search(q, tolerance, method)
    until, best = time.thread_time() + seconds, np.full(len(q), np.inf)
    solve(s, 0)  # warm
    nothing = min(called(s, 0, 0)[0] for _ in range(1000))
    done = 0
    while done < len(q) and (done < 3 or time.thread_time() < until):
        best[done] = min(solve(s, done) for _ in range(repeat)) - nothing
        done += 1
    return Cell(best[:done], s.found["tests"][:done].copy(), s.found["verdict"][:done].copy())


def solve(s: Any, k: int) -> float:
    """Milliseconds of pair k, once there is memory enough."""
    while True:
        elapsed, done = called(s, k, k + 1)
        if done > k:
            return elapsed
        s.more_room()


def called(s: Any, first: int, last: int) -> tuple[float, int]:
    """Milliseconds of a call, and what it returns."""
    start = time.thread_time()
    done = s.advance(first, last)
    return 1e3 * (time.thread_time() - start), done


def row(name: str, tolerance: float, cell: Cell, paper: dict[str, tuple[float, ...]]) -> list[Any]:
    times, spent = cell.times, int((cell.verdicts == SPENT).sum())
    hits = int((cell.verdicts != MISS).sum())
    proved = f"{100 * (cell.verdicts == CONTACT).sum() / max(hits, 1):.1f} %" if name == OURS else "-"
    printed = next((paper[k] for k in paper if name.startswith(k)), None)
    there = printed[DELTAS.index(tolerance)] if printed and tolerance in DELTAS else "-"
    return [f"{tolerance:.0e} {name}", len(times), f"{hits}{f', {spent} given up' if spent else ''}", float(times.mean()),
            *(float(np.percentile(times, p)) for p in (50, 99, 100)), float(cell.tests.mean()), proved, there]


def compared(shape: str, degree: int, q: np.ndarray) -> list[list[Any]]:
    """Print the table of one kind of patch; rows of the summary."""
    pairs, paper = PAPER[shape, degree]
    rows, summary, hits = [], [], 0
    for tolerance in (*DELTAS, 1e-10):
        cells = {name: timed(q, tolerance, method, 2 if name in (OURS, BEST) else 1, 10 if name == OURS else SECONDS)
                 for name, method in METHODS.items() if name == OURS or tolerance in DELTAS}
        rows += [row(name, tolerance, cell, paper) for name, cell in cells.items()]
        hits = int((cells[OURS].verdicts != MISS).sum())
        if BEST in cells:
            summary.append(ratios(f"{shape} {degree}, {tolerance:.0e}", cells[OURS], cells[BEST]))
    title = f"{shape.capitalize()} Bezier patches of order {degree}, milliseconds a pair"
    table(f"{title}; collision pairs: {hits} of {len(q)}, {pairs} in the paper",
          ["", "pairs", "hits", "mean", "median", "99 %", "max", "tests", "proved", "paper"], rows)
    return summary


def ratios(name: str, ours: Cell, theirs: Cell) -> list[Any]:
    """On the pairs that both did."""
    m = min(len(ours.times), len(theirs.times))
    times, tests = ([float(x[:m].mean()) for x in pair] for pair in ((ours.times, theirs.times), (ours.tests, theirs.tests)))
    return [name, m, *times, times[1] / times[0], *tests, tests[1] / tests[0]]


def throughput(q: np.ndarray) -> list[list[Any]]:
    """Pairs a second with one thread and with several, the best of some calls."""
    out = []
    for workers in (1, 2):
        seconds = np.inf
        for _ in range(5):
            start = time.perf_counter()
            collide.bezier_pairs(q, workers=workers)
            seconds = min(seconds, time.perf_counter() - start)
        out.append([f"{workers} thread{'s' if workers > 1 else ''}", len(q) / seconds])
    return out


def main() -> None:
    data = np.load(PLACE) if PLACE.exists() else {}
    summary, q = [], np.empty(0)
    for shape, degree in itertools.product(("triangular", "quadrilateral"), (1, 2, 3)):
        given = shape == "quadrilateral" and f"q{degree}" in data
        q = np.ascontiguousarray(data[f"q{degree}"]) if given else drawn(shape, degree)
        summary += compared(shape, degree, q)
    table("Ours and the best of theirs (OBB, axes that follow the motion) on the same pairs: means",
          ["", "pairs", "ours, ms", "theirs, ms", "ratio", "our tests", "their tests", "ratio"], summary)
    table(f"Bicubic pairs a second at 1e-6, {os.cpu_count()} processors", ["", "pairs a second"], throughput(np.concatenate([q] * 4)))
