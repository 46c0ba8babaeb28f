"""Searches that locate contacts they cannot prove, where sides meet along all their length: `closing` proves these by formulas."""

from collections.abc import Sequence

import numpy as np

from ..search.clock import Clock
from ..search.drive import drive
from ..search.native import layout
from ..search.options import Options
from ..search.search import Search
from .closing import Closing, closing
from .self_pairs import Held, SheetPair, pair_problem

# Boxes after which sides that meet along all their length are first thought of, and how many more are examined when the time is known.
EARLY = 1 << 15
# Against the domain, how near a located contact is to a side that is then tried; so many pairs of sides are looked at. Effort only.
_AT_SIDE, _SIDES = 1e-6, 16

Span = tuple[float, float]
Box = tuple[int, np.ndarray]
"""The number of a problem, and a box of it."""



def doubtful(search: Search) -> list[int]:
    """The solutions that a search located, if any of them is earlier than all that is proved."""
    found = [k for k in search.solutions if search.kind(k) == layout.LOCATED]
    early = any(search.found(k)[-1, 0] + search.simultaneity < search.proved for k in found)
    return found if early else []


def closed_sides(search: Search, pairs: Sequence[SheetPair], span: Span, options: Options) -> Search | None:
    """Sides that meet along all their length near what a search located but did not prove, or near the earliest boxes that it has not yet
    examined, and are proved to: contacts of problems of their own, which are samples for the search, too. None where there are none.
    """
    early = [*_earliest([(search.owner(k), search.found(k)) for k in doubtful(search)], options), *_first_open(search, options)]
    if not early:
        return None
    window = max(span[0], min(float(box[-1, 0]) for _, box in early) - options.simultaneity), span[1]
    near = {(p, at) for p, at in ((p, _sides(pairs[p], box)) for p, box in early) if at}
    found = [(p, held, made) for p, held in sorted(near, key=str)[:_SIDES] if (made := _closing(pairs[p], held, window, options))]
    if not found:
        return None
    sides = Search([pair_problem(pairs[p], span, held, closed=False) for p, held, _ in found], options,
                   starts=[np.empty((0, 3, 2))] * len(found))
    for number, (p, held, made) in enumerate(found):
        ends = {k: pairs[p].outer[k, end] for k, end in enumerate(held) if end is not None}
        for place in made.places:
            if sides.note(number, np.concatenate([place, [made.time]]), layout.EXISTS):
                free = iter(place)
                whole = [[ends[k]] * 2 if k in ends else next(free) for k in range(4)]
                search.note(p, np.array([*whole, made.time]), layout.LOCATED)
    return sides if len(sides.solutions) else None


def _earliest(boxes: Sequence[Box], options: Options) -> list[Box]:
    """Those that begin within `simultaneity` of the first."""
    least = min((box[-1, 0] for _, box in boxes), default=np.inf)
    return [(p, box) for p, box in boxes if box[-1, 0] <= least + options.simultaneity]


def _first_open(search: Search, options: Options) -> list[Box]:
    """The earliest boxes in the queue, if they may hold an earlier contact than is proved. Where sides that have met slide over one
    another, these lie at the sides, and what is located may not.
    """
    least = min(map(search.least_open, range(len(search.problems))), default=np.inf)
    if not least + options.simultaneity < search.proved:
        return []
    opened = ((p, search.open(p)) for p in range(len(search.problems)))
    return [(p, box) for p, boxes in opened for box in boxes[boxes[:, -1, 0] <= least + options.simultaneity]]


def beside(search: Search, sides: Search, options: Options, clock: Clock) -> tuple[Search, bool]:
    """The search goes on beside the contacts of sides, until the time is known to within `simultaneity`, and for a while after that."""
    proved = search.proved = min(search.proved, sides.proved)
    finished = drive(search, clock)
    search.gap = 0.0
    if finished:
        drive(search, clock, boxes=search.iterations + EARLY)
    count = len(search.problems)
    both = Search([*search.problems, *sides.problems], options, starts=[np.empty((0, 3, 2))] * (count + len(sides.problems)))
    both.adopt(sides, {k: count + k for k in range(len(sides.problems))})
    both.adopt(search, {k: k for k in range(count)})
    # What is left of the search is no earlier than this.
    both.clear = min(search.clear, *(search.least_open(k) for k in range(count)))
    assert both.proved <= proved
    return both, finished


def _sides(pair: SheetPair, box: np.ndarray) -> Held | None:
    """One side of either surface that a box reaches; None where there are not."""
    size = pair.outer[:, 1] - pair.outer[:, 0]
    near = [[(a, end) for a in own for end in (0, 1)
             if (a % 2, end) in pair.pieces[a // 2].edges and abs(box[a, end] - pair.outer[a, end]) <= _AT_SIDE * size[a]]
            for own in ((0, 1), (2, 3))]
    if not all(near):
        return None
    held: list[int | None] = [None] * 4
    for (a, end), *_ in near:
        held[a] = end
    return held[0], held[1], held[2], held[3]


def _closing(pair: SheetPair, held: Held, window: Span, options: Options) -> Closing | None:
    (a, i), (b, j) = ((k, end) for k, end in enumerate(held) if end is not None)
    return closing(pair.first, (a, i), pair.second, (b - 2, j), window, options.spacing)
