"""Random scenes against referees that are not the code: ``python -m tests.sampled [--count 300] [--seed 0] [KIND ...]``.

Random assemblies and runs of random worlds are compared with dense sampling; distances of random pairs with roots in forty digits; logs of
random scenes with the checker; bodies combined of boxes on a grid with their cells; random polyhedra in mesh files with closed forms;
derivatives at switches with limits from each side; zeros and minima of formulas that a narrower reading than SymPy's would lose with known
ones. It prints contradictions, and questions that are slow or not decided. Budgets are of the processor's time, so that what else a machine
does decides nothing.
"""

import argparse
import re
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import collide
from collide.search import clock
from tests.arms import arm, polynomials, values
from tests.collide.queries.test_arms import first_hits

from . import cells, distances, files, kept, meanings, roots, switches, worlds
from .compared import Scene, wrong
from .logs import logged

KINDS = ("combined", "arms", "mixed", "distances", "clearances", *roots.KINDS, "worlds", "kept", "dominoes", "logs", "files", "switches",
         "cells", *meanings.KINDS)
SLOW = 20
UNDECIDED = "BUDGET_SPENT", "UNRESOLVED"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sampled", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=60, help="seconds of the processor a question")
    options = parser.parse_args()
    total = 0
    vars(clock)["time"] = SimpleNamespace(perf_counter=time.process_time)
    for kind in options.kinds:
        statuses, begin = Counter[str](), time.process_time()
        for seed in range(options.seed, options.seed + options.count):
            started = time.process_time()
            ask = {"arms": arms, "worlds": runs, "kept": stay, "dominoes": stay, "distances": near, "clearances": near, "logs": logs,
                   "files": read, "switches": switches.compared, "cells": cells.compared,
                   **dict.fromkeys(meanings.KINDS, meanings.compared)}.get(
                kind, roots.compared if kind in roots.KINDS else bodies)
            status, found = ask(kind, seed, options.budget)
            statuses[status] += 1
            if time.process_time() - started > SLOW or status.startswith(UNDECIDED):
                print(f"{kind} {seed}: {status}, {time.process_time() - started:.0f} s", flush=True)
            total += len(found)
            for words in found:
                print(f"WRONG {kind} {seed}: {words}", flush=True)
        print(f"{kind}: {dict(statuses.most_common())}, {time.process_time() - begin:.0f} s", flush=True)
    return min(total, 1)


def bodies(kind: str, seed: int, budget: float) -> tuple[str, list[str]]:
    scene = Scene(kind, seed)
    answer = scene.asked(budget)
    return answer.status.name, list(wrong(scene, answer))


def arms(_: str, seed: int, budget: float) -> tuple[str, list[str]]:
    made, coefficients = arm(seed), polynomials(seed)
    answer = collide.first_contact(made.chain.at(values(coefficients)), time=(0, 1), ignore=made.chain.ignore, budget=budget)
    first, gap, all_apart = first_hits(made, coefficients)
    found = [] if answer.clear_until <= first else [f"links overlap at {first!r}, before {answer.clear_until!r}"]
    if all_apart and answer.status is collide.Status.CONTACT and not gap < 2e-3:
        found.append(f"a contact, but samples are {gap:.3g} apart")
    return answer.status.name, found


def near(kind: str, seed: int, budget: float) -> tuple[str, list[str]]:
    scene = distances.Near(kind, seed)
    answer = scene.found(budget)
    return answer.status.name, list(distances.wrong(scene, answer))


def logs(_: str, seed: int, budget: float) -> tuple[str, list[str]]:
    try:
        return logged(seed, budget)
    except Exception as error:  # An exception is a finding, too.
        return "raised", [f"{type(error).__name__}: {error}"]


def read(_: str, seed: int, budget: float) -> tuple[str, list[str]]:
    kind = list(files.WRITERS)[seed % len(files.WRITERS)]
    with tempfile.TemporaryDirectory() as folder:
        status, found = files.compared(kind, seed, Path(folder))
    return f"{kind} {status}", found


def runs(_: str, seed: int, budget: float) -> tuple[str, list[str]]:
    run = worlds.world(seed).run(until=6.0, budget=budget)
    return run.outcome.name, list(worlds.wrong(run))


def stay(kind: str, seed: int, budget: float) -> tuple[str, list[str]]:
    try:
        run = (kept.world if kind == "kept" else kept.dominoes)(seed).run(until=2.0, budget=budget)
    except Exception as error:  # An exception is a finding, too.
        return "raised", [f"{type(error).__name__}: {error}"]
    if run.outcome is not collide.Outcome.FINISHED:
        print(f"{kind} {seed}: {run.until!r}, {run.reason}", flush=True)
    # Reasons are counted apart from each other, but for numbers.
    why = f": {re.sub('[0-9][0-9.e-]*', '#', run.reason)}" if run.outcome is collide.Outcome.UNRESOLVED else ""
    return run.outcome.name + why, list(kept.wrong(run)) if run.until > 0.0 else []


if __name__ == "__main__":
    raise SystemExit(main())
