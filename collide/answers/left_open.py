"""The pairs of bodies that an answer leaves undecided, as data and in words; and where its search stood."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from generative.body import label

from ..frozen import frozen
from ..moment.pairs import Pair, Pairs, Starts
from ..moment.start import Start
from ..search.clock import Clock
from ..search.problem import Problem
from ..search.search import Search
from .table import counted

Windows = Iterable[tuple[Pair, tuple[float, float]]]
# Pairs of bodies that a sentence lists.
MOST_PAIRS = 4


def pair_array(pairs: Iterable[Pair]) -> np.ndarray:
    """Pairs as a read-only array (m, 2), in order."""
    return frozen(np.array(sorted(pairs), np.int64).reshape(-1, 2))


def left_open(s: Search | None, near: Windows, seen: float, last: float) -> set[Pair]:
    """The pairs that may meet by the time `last`, as far as is known: what the search left, and those that come near each other after what
    it was about, or, of pairs that it was not about, after the time `seen`, up to which everything was looked at.
    """
    until = {} if s is None else _ends(s.problems)
    found = {pair for pair, (begin, end) in near if min(end, last) > until.get(pair, seen) and begin <= last}
    if s is None:
        return found
    found |= {s.problems[p].label for p in s.left} | {p.label for k, p in enumerate(s.problems) if s.least_open(k) <= last}
    return found | {s.problem_of(k).label for k in s.possible_ones().tolist() if s.times([k])[0, 0] <= last}


def _ends(problems: Sequence[Problem]) -> dict[Pair, float]:
    """The time up to which all problems of a pair of bodies go, for each pair."""
    ends = dict[Pair, float]()
    for p in problems:
        if p.objective is not None:
            ends[p.label] = min(ends.get(p.label, math.inf), float(p.outer[p.objective, 1]))
    return ends


def named_pairs(bodies: Sequence[Any], pairs: Sequence[Pair], count: int | None = None) -> str:
    """The first few pairs of bodies, of so many, in words."""
    count = len(pairs) if count is None else count
    rest = f"; and {counted(count - MOST_PAIRS, 'more pair')}" if count > MOST_PAIRS else ""
    return "; ".join(f"{label(bodies, i)} and {'itself' if i == j else label(bodies, j)}" for i, j in pairs[:MOST_PAIRS]) + rest


def undecided_in_words(bodies: Sequence[Any], undecided: np.ndarray, asked: int) -> str:
    """A sentence, where more than one pair was asked about."""
    if not len(undecided) or asked == 1:
        return ""
    pairs = [(i, j) for i, j in undecided.tolist()]
    if len(pairs) == asked:
        return f"None of the {asked:,} pairs of bodies is decided."
    return f"Not decided, of {counted(asked, 'pair')} of bodies: {named_pairs(bodies, pairs)}."


def all_pairs(count: int, ignored: Pairs | None = None) -> Starts:
    """All pairs of so many bodies that were asked about; they are not made before they are looked at."""
    return Starts(count, Start.UNKNOWN, ignored)


def in_the_way(s: Search | None, clock: Clock, bodies: Sequence[Any]) -> Iterator[str]:
    """In words, where the work stood when it ended: whose formulas were being converted, or where most boxes are open."""
    if clock.converting is not None:
        yield (f"It ended as formulas of {named_pairs(bodies, [clock.converting])} were being converted: what is ready is kept, so ask "
               "again, or for fewer bodies, or with simpler formulas.")
    elif s is not None and s.open_count:
        first = min(range(len(s.problems)), key=s.least_open)
        problem, count = s.problems[first], len(s.open(first))
        yield (f"The search stood at {_objective(problem, s.least_open(first))}{_features(problem, bodies)}, with "
               f"{count:,} of {counted(s.open_count, 'open box')}: ask for that pair alone, or with a larger budget.")


def _objective(p: Problem, value: float) -> str:
    """The least objective, the time or a distance, in words."""
    return "its beginning" if p.objective is None or not math.isfinite(value) else f"{p.variables[p.objective]} = {value + 0.0:.6g}"


def _features(problem: Any, bodies: Sequence[Any]) -> str:
    if not problem.features:
        return ""
    owners = zip(problem.features, problem.label, strict=True)
    return " of " + " and ".join(f"{feature} of {label(bodies, k)}" for feature, k in owners)
