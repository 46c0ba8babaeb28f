"""Pairs of moving Bezier patches drawn as in Chen et al. 2024, Section 5.1: their method and ours, compiled alike, in one run.

Each pair is timed alone, in machine code from the first test to the answer; one thread, everything warm.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from collide import bezier

from .timing import table

DATA = Path(__file__).parents[3] / "shared" / "data" / "bezier_pairs.npz"
# Mean milliseconds of Chen et al. 2024, Table 1, quadrilateral patches, deltas 1e-4, 1e-5 and 1e-6, on their machine.
PAPER = {
    "Chen, axes": {1: (5.00, 9.72, 22.13), 2: (19.30, 32.50, 62.12), 3: (27.17, 44.71, 79.40)},
    "traditional, axes": {1: (12.70, 44.04, 619.46), 2: (133.04, 891.13, 6858.91), 3: (205.46, 1363.95, 10962.40)},
    "traditional, aligned": {1: (21.38, 99.53, 836.18), 2: (333.06, 2233.37, 16196.34), 3: (730.90, 4875.23, 35332.08)},
    "Chen, aligned": {1: (21.93, 83.16, 443.23), 2: (205.02, 1381.54, 10934.02), 3: (337.91, 2336.47, 17901.88)},
}
DELTAS = (1e-4, 1e-5, 1e-6)
METHODS = {
    "ours": ("auto", 1000), "Chen, axes follow the motion": ("time-dependent", 300), "Chen, axes at t = 0": ("time-dependent-initial", 40),
    "Chen, aligned boxes": ("time-dependent-aligned", 40), "traditional, axes follow": ("traditional", 40),
    "traditional, aligned boxes": ("traditional-aligned", 10),
}  # fmt: skip


def timed(q: np.ndarray, tolerance: float, method: str) -> tuple[np.ndarray, Any]:
    """Milliseconds of each pair, the best of two, and the finished search."""
    best = np.full(len(q), np.inf)
    for _ in range(2):
        s = bezier._Search(q, None, tolerance, 1_000_000, bezier._METHODS[method])
        for k in range(len(q)):
            done = k
            while done == k:
                start = time.perf_counter()
                done = s.advance(k, k + 1)
                seconds = time.perf_counter() - start
                if done == k:
                    s.more_room()
            best[k] = min(best[k], 1e3 * seconds)
    return best, s


def drawn(degree: int, count: int) -> np.ndarray:
    """Random pairs: uniform in [-1, 1], and pushed towards each other along a random vector."""
    g = np.random.default_rng(degree)
    q = g.uniform(-1, 1, (count, 2, 2, degree + 1, degree + 1, 3))
    d = g.uniform(-1, 1, (count, 1, 1, 3))
    for patch, rate, sign in ((0, 0, 1), (1, 1, 1), (1, 0, -1), (0, 1, -1)):
        q[:, patch, rate] += sign * d
    return q


def main() -> None:
    data = np.load(DATA) if DATA.exists() else {}
    for degree in (1, 2, 3):
        q = np.ascontiguousarray(data[f"q{degree}"]) if f"q{degree}" in data else drawn(degree, 1000)
        rows = []
        for tolerance in (*DELTAS, 1e-10):
            for name, (method, count) in METHODS.items():
                # Ours goes further than the paper; the slow ones stop earlier here.
                if (method != "auto" and tolerance < 1e-6) or (count < 100 and tolerance < (1e-5 if "Chen" in name else 1e-4)):
                    continue
                times, s = timed(q[:count], tolerance, method)
                verdict, tests = s.arrays["verdict"], s.arrays["tests"]
                hits = int((verdict > 0).sum())
                proved = f"{100 * (verdict == 1).sum() / max(hits, 1):.1f} %" if method == "auto" else "-"
                boxes = next((PAPER[k] for k in PAPER if name.startswith(k)), None)
                paper = boxes[degree][DELTAS.index(tolerance)] if boxes else "-"
                rows.append([f"{tolerance:g} {name}", len(times), hits, float(times.mean()),
                             *(float(np.percentile(times, p)) for p in (50, 99, 100)), float(tests.mean()), proved, paper])
        table(f"Bezier patches of degree {degree}: milliseconds a pair",
              ["", "pairs", "hits", "mean", "median", "99 %", "max", "tests", "proved", "paper"], rows)
