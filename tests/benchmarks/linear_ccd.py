"""Edge-edge and vertex-face queries with straight trajectories, ipctk's methods beside ours in the same run (where it is installed).

The queries are hand-made degenerate cases with exact truth: `../shared/data/README.md` says where they come from.
"""

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import collide
from tests.shared_data import DATA

from .timing import table

PLACE = DATA / "ccd_queries.npz"
ROUNDS = 3


def one_by_one(function: Callable[[np.ndarray], Any], queries: np.ndarray, rounds: int = ROUNDS) -> tuple[np.ndarray, np.ndarray]:
    """Microseconds of processor time of each query called alone, the best of some rounds, and the answers."""
    best, answers = np.full(len(queries), np.inf), np.zeros(len(queries), bool)
    for _, k in itertools.product(range(rounds), range(len(queries))):
        start = time.thread_time()
        answers[k] = function(queries[k])
        best[k] = min(best[k], time.thread_time() - start)
    return 1e6 * best, answers


def peers(kind: str) -> dict[str, Callable[[np.ndarray], Any]]:
    """ipctk's two methods for queries of a kind."""
    try:
        import ipctk
    except ImportError:
        return {}
    name = {"edge_edge": "edge_edge_ccd", "vertex_face": "point_triangle_ccd"}[kind]

    def call(method: Any) -> Callable[[np.ndarray], Any]:
        return lambda q: getattr(method, name)(*q)[0]

    return {"ipctk, Tight-Inclusion 1e-6, at most 1e6": call(ipctk.TightInclusionCCD(tolerance=1e-6, max_iterations=1_000_000)),
            "ipctk, additive": call(ipctk.AdditiveCCD(conservative_rescaling=0.99))}


def row(name: str, times: np.ndarray, answers: np.ndarray, truth: np.ndarray) -> list[Any]:
    spread = [float(np.percentile(times, p)) for p in (50, 90, 99, 100)]
    return [name, int((answers & ~truth).sum()), int((~answers & truth).sum()), float(times.mean()), *spread]


def main() -> None:
    if not PLACE.exists():
        print("\nlinear_ccd: ../shared/data/ccd_queries.npz is not here\n")
        return
    data = np.load(PLACE)
    for kind in ("edge_edge", "vertex_face"):
        queries, truth = data[kind], data[f"{kind}_hit"]
        ours = getattr(collide, kind)
        contenders = {"ours, one at a time": lambda q, ours=ours: ours(q[None]).hit[0], **peers(kind)}
        rows = [row(name, *one_by_one(f, queries, ROUNDS if name.startswith("ours") else 1), truth) for name, f in contenders.items()]
        batch = []
        for _ in range(5):
            start = time.thread_time()
            answer = ours(queries)
            batch.append(time.thread_time() - start)
        whole = np.full(1, 1e6 * min(batch) / len(queries))
        rows.insert(1, [*row("ours, all in one call", whole, answer.hit, truth)[:4], *["-"] * 4])
        table(f"{len(queries)} {kind} queries, {int(truth.sum())} hits: microseconds a query",
              ["", "false hits", "missed", "mean", "median", "90 %", "99 %", "max"], rows)
    random_queries()


def random_queries(count: int = 200_000) -> None:
    g = np.random.default_rng(0)
    rows = []
    for kind in ("edge_edge", "vertex_face"):
        q = g.uniform(-1, 1, (count, 8, 3))
        start = time.thread_time()
        answer = getattr(collide, kind)(q)
        rows.append([kind, count, int(answer.hit.sum()), 1e6 * (time.thread_time() - start) / count])
    table("Uniformly random queries in one call", ["", "queries", "hits", "us a query"], rows)
