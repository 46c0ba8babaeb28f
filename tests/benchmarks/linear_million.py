"""A million random edge-edge and vertex-face queries against exact truth: false hits, missed ones, times outside of the bracket.

It takes some minutes, nearly all of them for the truth; `python -m tests.benchmarks linear_million` runs it by name only.
"""

from time import thread_time

import numpy as np

import collide
from tests.linear_truth import CASES, FAMILIES, KINDS, truth

from .timing import table

COUNT, PART = 1_000_000, 20_000


def main(count: int = COUNT) -> None:
    rows = [row(kind, family, -(-count // len(CASES))) for kind, family in CASES]
    table(f"{sum(r[2] for r in rows)} random queries against exact truth",
          ["", "family", "queries", "hits", "false hits", "missed", "outside of the bracket", "us a query"], rows)


def row(kind: str, family: str, count: int) -> list:
    g = np.random.default_rng(7)
    sums, seconds = np.zeros(4, int), 0.0
    for start in range(0, count, PART):
        q = FAMILIES[family](g, min(PART, count - start), KINDS[kind])
        before = thread_time()
        r = getattr(collide, kind)(q)
        seconds += thread_time() - before
        hit, times = truth(q, KINDS[kind])
        outside = sum(bool(exact < lo or exact > hi) for (lo, hi), exact in zip(r.time[hit], times[hit], strict=True))
        sums += [hit.sum(), (r.hit & ~hit).sum(), (~r.hit & hit).sum(), outside]
    return [kind, family, count, *sums.tolist(), 1e6 * seconds / count]
