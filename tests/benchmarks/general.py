"""General surfaces in general motion: pairs of turning, accelerating patches of several families, one compiled kernel for each family.

A pair of a family is a set of numbers: the kernels take them as parameters, so nothing is compiled or converted again. Timed
in processor time of this thread: the bracket alone (from the first test until the earliest contact is known to within the
tolerance, existence proved), and the whole search, which goes on to prove the contact unique and to find all others that
are simultaneous.
"""

import time
from typing import Any

import numpy as np
import sympy as sp

import codegen
import collide
from codegen.machine.compiler import compiler
from codegen.machine.loop_runtime import optimize_loops
from codegen.machine.tiers import begin_query, compile_repeated
from collide.answers.batch import Batch
from collide.search.native import layout
from collide.search.options import Options
from collide.search.problem import Problem
from collide.search.search import Search
from generative import t, u, v

from . import multistart
from .families import MOTION, SEED, Family, asked, bicubic, drawn, motion, problem, swinging, twisting, wavy
from .timing import table

PAIRS, CHECKED, TOLERANCE = 300, 20, 1e-6
# Times of the local method may be off by this: its contacts are within 1e-11 of each other.
ROUGH = 1e-9


def swept(family: Family, numbers: np.ndarray, boxes: np.ndarray) -> tuple[float, Batch]:
    """All pairs by the public function: seconds, and its answer."""
    bodies, parameters = asked(family, numbers, boxes)
    begin = time.thread_time()
    answer = collide.contact_batch(bodies, (0, 1), parameters=parameters, tolerance=TOLERANCE)
    return time.thread_time() - begin, answer


def searched(whole: Problem, numbers: np.ndarray, box: np.ndarray, gap: float) -> tuple[float, float, Search]:
    """Seconds of the search alone and with its set-up. What several searches use is compiled, as between queries."""
    begin_query()
    begin = time.thread_time()
    search = Search([whole.instance(np.stack([numbers] * 2, axis=1), box, box)],
                    Options(simultaneity=0.0 if gap else 1e-6, spacing=0.05))
    search.gap = gap
    middle = time.thread_time()
    while (reason := search.run(100_000)) != layout.FINISHED:
        if reason == layout.NEED_BOXES:
            search.grow_boxes()
        elif reason == layout.NEED_SOLUTIONS:
            search.grow_solutions()
    end = time.thread_time()
    compile_repeated()
    optimize_loops(ended=True)
    compiler.settle()
    return end - middle, end - begin, search


def _row(whole: Problem, label: str, numbers: np.ndarray, boxes: np.ndarray, gap: float) -> list[Any]:
    times, results = np.full((2, len(numbers)), np.inf), np.full(len(numbers), np.inf)
    tests, solves = np.zeros(len(numbers)), np.zeros(len(numbers))
    for _ in range(2):
        for k, (q, box) in enumerate(zip(numbers, boxes, strict=True)):
            alone, together, search = searched(whole, q, box, gap)
            times[:, k] = np.minimum(times[:, k], [1e3 * alone, 1e3 * together])
            results[k], tests[k] = search.proved, search.iterations
            solves[k] = search.local_solves
    t = times[0]
    return [label, len(t), int((results < np.inf).sum()), float(t.mean()), float(np.median(t)), float(np.percentile(t, 99)), float(t.max()),
            float(times[1].mean()), float(tests.mean()), float(np.median(tests)), float(solves.mean())]


def difference(family: Family) -> codegen.Kernel:
    """S1 - S2 and its derivatives by u1, v1, u2, v2, t, of all numbers of both."""
    variables = sp.symbols("u1 v1 u2 v2 t", real=True)
    names = [*family.symbols, *MOTION]
    numbers = sp.symbols(f"n0:{2 * len(names)}", real=True)
    rotation, translation = motion()
    position = [sum(rotation[3 * k + j] * family.body[j] for j in range(3)) + translation[k] for k in range(3)]
    sides = []
    for side in (0, 1):
        at = {u: variables[2 * side], v: variables[2 * side + 1], t: variables[4]}
        at |= dict(zip(names, numbers[side * len(names):], strict=False))
        sides.append([e.xreplace(at) for e in position])
    return multistart.kernel([a - b for a, b in zip(*sides, strict=True)], variables, numbers)


def checked(family: Family, numbers: np.ndarray, boxes: np.ndarray, starts: int) -> list[list[Any]]:
    """What a local method finds from random starts beside what both searches prove: rows of a table.

    Contradictions are contacts found where we prove that there is none.
    """
    rng, formula = np.random.default_rng(SEED), difference(family)
    begin = time.thread_time()
    found = np.array([multistart.earliest(formula, q, box, starts, rng).time for q, box in zip(numbers, boxes, strict=True)])
    seconds = (time.thread_time() - begin) / len(numbers)
    return [[f"{family.name}, {'rigid' if rigid else 'any motion'}", len(found), starts, seconds,
             *compared(found, bounds(problem(family, rigid), numbers, boxes))] for rigid in family.forms]


def bounds(whole: Problem, numbers: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Of each pair the time before which there is proved to be no contact, and the time by which one is proved; inf for none."""
    rows = []
    for q, box in zip(numbers, boxes, strict=True):
        found = searched(whole, q, box, TOLERANCE)[2]
        proved = found.proved
        rows.append((min(found.clear, proved - TOLERANCE * max(1.0, abs(proved)) if proved < np.inf else np.inf), proved))
    return np.array(rows)


def compared(found: np.ndarray, ours: np.ndarray) -> list[Any]:
    """Contacts of ours, brackets wider than the tolerance, contacts of the local method, how many of them are no later than ours by
    more than the tolerance, how much later the worst is, contradictions.
    """
    clear, proved = ours.T
    hit = proved < np.inf
    both = hit & (found < np.inf)
    late = found[both] - proved[both]
    return [int(hit.sum()), int((proved[hit] - clear[hit] > 1.001 * TOLERANCE).sum()), int((found < np.inf).sum()),
            int((late <= TOLERANCE).sum()), f"{late.max():.1e}" if len(late) else "-", int((found < clear - ROUGH).sum())]


def main(every: bool = False, count: int = PAIRS, starts: int = 20_000) -> None:
    """`every`: all pairs go through the local method too, not the first of them only."""
    rows, batches, checks = [], [], []
    for family in (wavy(), bicubic(), swinging(), twisting()):
        numbers, boxes = drawn(family, count)
        for rigid in family.forms:
            whole = problem(family, rigid)
            searched(whole, numbers[0], boxes[0], TOLERANCE)
            for label, gap in ((f"to {TOLERANCE:g}", TOLERANCE), ("whole search", 0.0)):
                rows.append(_row(whole, f"{family.name}, {'rigid' if rigid else 'any motion'}: {label}", numbers, boxes, gap))
        swept(family, numbers[:30], boxes[:30])
        seconds, answer = min((swept(family, numbers, boxes) for _ in range(2)), key=lambda found: found[0])
        batches.append([family.name, count, int(answer.hit.sum()), int(answer.proved.sum()), 1e3 * seconds / count,
                        float(answer.tests.mean())])
        some = slice(count if every else CHECKED)
        checks += checked(family, numbers[some], boxes[some], starts)
    table("General surfaces: milliseconds a pair", ["", "pairs", "contacts", "mean", "median", "99 %", "max", "with set-up", "tests",
                                                   "median", "solves"], rows)
    table("The same pairs by collide.contact_batch: milliseconds a pair, everything included",
          ["", "pairs", "contacts", "proved", "mean", "tests"], batches)
    table("A local method from random starts, beside ours",
          ["", "pairs", "starts each", "seconds a pair", "contacts, ours", "brackets wider", "its", "as early", "latest by",
           "contradictions"],
          checks)
