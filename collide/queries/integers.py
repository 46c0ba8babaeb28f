"""Integer variables in `solve` and `minimize`: branch and prune between integers, with the continuous query for what is left.

Boxes are contracted with their integers rounded inwards (`codegen.contract`), and split between two integers, until every integer is a
single number. That number is put into the formulas, exactly, and the continuous query answers for the real variables. Nothing is
differentiated by an integer.

A minimum is bounded from below, for a box of integers, by bounds of the function over it and by the continuous minimum over all real values
in it, which has more points. A box is left out where that bound is above a value that a feasible point is proved to have (Land and Doig
1960; with rigorous bounds, Neumaier 2004, Section 20).
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp

from codegen.contractor import Contractor, contract
from codegen.deadline import check
from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from codegen.sympy_rules import UnsupportedExpression
from codegen.walk import replaced

from ..search.budget import Budget
from ..search.clock import Clock
from .formulas import Domain

# Boxes contracted at a time.
_PART = 4096
# Boxes that the continuous query looks at for the lower bound of one box of integers.
_RELAXED = 300

Box = np.ndarray


@dataclass(frozen=True)
class IntegerCell:
    """The rest of a question for certain values of the integers: exact formulas of the real variables, and their domain."""

    box: Box
    formulas: list[Any]
    conditions: list[Any]
    domain: dict[Any, tuple[Any, Any]]
    undecided: bool

    def whole(self, real: Box, integers: np.ndarray) -> Box:
        """Boxes (k, r, 2) of the real variables, with the integers."""
        result = np.repeat(self.box[None], len(real), axis=0)
        result[:, ~integers] = real
        return result


class Cells:
    """The boxes of integers that may hold a solution, and the cells that they come down to."""

    def __init__(self, domain: Domain, zero: Sequence[Any], conditions: Sequence[Any]) -> None:
        self.domain, self.integers = domain, domain.integers
        self._zero, self._conditions = list(zero), list(conditions)
        self._contractor = _contractor([*(sp.Eq(f, 0, evaluate=False) for f in zero), *conditions], domain)

    def contracted(self, boxes: Box) -> Box:
        """Boxes (k, n, 2) without those that are proved to hold no solution."""
        if not len(boxes):
            return boxes
        lo, hi = self._contractor(boxes[..., 0], boxes[..., 1])
        kept = ~np.isnan(lo[:, 0])
        return np.stack([lo[kept], hi[kept]], axis=2)

    def put(self, e: Any, box: Box) -> Any:
        """A formula with the values of the integers."""
        return _put(e, self.values(box))

    def fixed(self, boxes: Box) -> np.ndarray:
        """(k,): whether every integer has one value only."""
        return np.asarray((boxes[:, self.integers, 0] == boxes[:, self.integers, 1]).all(axis=1))

    def values(self, box: Box) -> dict[Any, Any]:
        """Those of the integers, where each has one only."""
        return {s: sp.Integer(int(box[k, 0])) for k, s in enumerate(self.domain.symbols) if self.integers[k]}

    def cell(self, box: Box, values: dict[Any, Any] | None = None) -> IntegerCell | None:
        """The cell of a box whose integers are fixed, or with other values; None where a formula is seen to exclude it."""
        values = self.values(box) if values is None else values
        formulas, conditions, undecided = [], [], False
        for f in (_put(e, values) for e in self._zero):
            zero = f.is_zero if not f.free_symbols else None
            if zero is False and not _may_vanish(f):
                return None
            undecided = undecided or (not f.free_symbols and not zero)
            formulas += [f] if f.free_symbols else []
        for c in (_put(e, values) for e in self._conditions):
            if c == sp.false:
                return None
            conditions += [] if c == sp.true else [c]
        reals = {s: ends for s, ends, whole in zip(self.domain.symbols, self.domain.ends, self.integers, strict=True) if not whole}
        return IntegerCell(box, formulas, conditions, reals, undecided)


def _put(e: Any, values: dict[Any, Any]) -> Any:
    """A formula with values of symbols."""
    return replaced(e, values)


def _may_vanish(number: Any) -> bool:
    (lo,), (hi,) = Kernel(convert([number], {}, ExprPool()), []).interval(np.empty((1, 0)), np.empty((1, 0)))
    return bool(lo[0] <= 0 <= hi[0])


def _contractor(constraints: Sequence[Any], domain: Domain) -> Contractor | Callable[[Any, Any], tuple[Any, Any]]:
    """One that rounds alone, where a formula is too long for one that narrows."""
    try:
        return contract(constraints, domain.symbols)
    except UnsupportedExpression:
        return contract([], domain.symbols)


def split(boxes: Box, integers: np.ndarray) -> Box:
    """Both parts of boxes of which some integer is not fixed, split between two integers of the longest range."""
    width = np.where(integers, boxes[..., 1] - boxes[..., 0], -1.0)
    rows, axis = np.arange(len(boxes)), width.argmax(axis=1)
    lower, upper = boxes.copy(), boxes.copy()
    lower[rows, axis, 1] = np.floor(boxes[rows, axis, 0] + np.floor(width[rows, axis] / 2))
    upper[rows, axis, 0] = lower[rows, axis, 1] + 1
    return np.concatenate([lower, upper])


# -- all zeros --------------------------------------------------------------------------------------------------------


@dataclass
class Located:
    """The zeros as far as they are known: boxes with whether they are proved, and what was not looked at."""

    boxes: list[Box] = field(default_factory=list)
    regions: list[Box] = field(default_factory=list)
    proved: list[bool] = field(default_factory=list)
    left: list[Box] = field(default_factory=list)
    open: bool = False

    def add(self, boxes: Box, regions: Box, proved: Sequence[bool]) -> None:
        self.boxes += list(boxes)
        self.regions += list(regions)
        self.proved += [bool(p) for p in proved]


def locate(cells: Cells, question: Callable[[IntegerCell, Budget], Any], found: Located, clock: Clock) -> None:
    """Go through all boxes of integers, depth first; `question` solves the equations of a cell in its real variables."""
    found.left = [cells.domain.outer[None].copy()]
    while found.left:
        check()
        boxes = cells.contracted(found.left[-1][:_PART])
        rest, fixed = found.left[-1][_PART:], cells.fixed(boxes)
        clock.boxes += len(boxes)
        for box in boxes[fixed]:
            _answer(cells, box, question, found, clock)
        found.left[-1:] = [e for e in (rest, split(boxes[~fixed], cells.integers)) if len(e)]
        if clock.exceeded():
            return


def _answer(cells: Cells, box: Box, question: Callable[[IntegerCell, Budget], Any], found: Located, clock: Clock) -> None:
    cell = cells.cell(box)
    if cell is None:
        return
    whole = box[None]
    if not cell.domain:
        sure = not (cell.undecided or cell.conditions)
        found.add(whole, whole, [sure])
    elif len(cell.formulas) < len(cell.domain) or cell.undecided:
        found.add(whole, whole, [False])
    else:
        answer = question(cell, clock.rest)
        clock.boxes += answer.iterations
        found.open = found.open or answer.status.name == "BUDGET_SPENT"
        found.add(cell.whole(answer.boxes, cells.integers), cell.whole(answer.regions, cells.integers), answer.proved)


# -- the least value --------------------------------------------------------------------------------------------------


@dataclass
class Least:
    """The minimum as far as it is known: the least value proved, its place, and boxes that may hold less, by their lower bounds."""

    upper: float = math.inf
    feasible: Box | None = None
    ends: list[tuple[float, Box, bool]] = field(default_factory=list)
    queue: list[tuple[float, int, Box, bool]] = field(default_factory=list)
    count: int = 0
    done: bool = False

    def push(self, lower: float, box: Box, relaxed: bool) -> None:
        self.count += 1
        heapq.heappush(self.queue, (lower, self.count, box, relaxed))

    @property
    def lower(self) -> float:
        """The least bound of all boxes that may hold a minimizer."""
        return min([self.upper, *(e[0] for e in self.queue[:1]), *(e[0] for e in self.ends)])

    def settle(self, lower: float, box: Box, alone: bool) -> None:
        self.ends.append((lower, box, alone))

    def lowered(self, upper: float, feasible: Box | None) -> None:
        if feasible is not None and upper < self.upper:
            self.upper, self.feasible = upper, feasible

    def remaining(self) -> list[tuple[Box, bool]]:
        """The boxes that may hold a minimizer."""
        return [(box, alone) for lower, box, alone in [*self.ends, *((e[0], e[2], False) for e in self.queue)] if lower <= self.upper]


def least(cells: Cells, objective: Any, question: Callable[[Any, IntegerCell, Budget], Any], found: Least, tolerance: float,
          clock: Clock) -> None:
    """Best first. `question` minimizes over the real variables of a cell, and of a box of integers as if these were real."""
    bounds = _bounds(objective, cells.domain)
    _push(cells.domain.outer[None].copy(), -math.inf, cells, bounds, found)
    while found.queue and not _close(found, tolerance):
        check()
        lower, _, box, relaxed = heapq.heappop(found.queue)
        if lower > found.upper:
            continue
        clock.boxes += 1
        if cells.fixed(box[None])[0]:
            _fixed(cells, objective, box, lower, question, found, clock)
        elif not relaxed:
            bound = _relaxed(cells, objective, box, question, clock)
            if bound <= found.upper:
                found.push(max(lower, bound), box, True)
        else:
            _push(split(box[None], cells.integers), lower, cells, bounds, found)
        if clock.exceeded():
            return
    found.done = True


def _close(found: Least, tolerance: float) -> bool:
    return found.upper < math.inf and found.upper - found.queue[0][0] <= tolerance * max(1.0, abs(found.upper))


def _push(boxes: Box, least: float, cells: Cells, bounds: Callable[[Box], np.ndarray], found: Least) -> None:
    boxes = cells.contracted(boxes)
    for box, lower in zip(boxes, bounds(boxes) if len(boxes) else (), strict=True):
        if max(least, lower) <= found.upper:
            found.push(max(least, float(lower)), box, False)


def _bounds(objective: Any, domain: Domain) -> Callable[[Box], np.ndarray]:
    pool = ExprPool()
    kernel = Kernel(convert([objective], domain.nodes(pool), pool), domain.names, quick=True)
    return lambda boxes: kernel.interval(boxes[..., 0], boxes[..., 1])[0][:, 0]


def _fixed(cells: Cells, objective: Any, box: Box, lower: float, question: Callable[[Any, IntegerCell, Budget], Any], found: Least,
           clock: Clock) -> None:
    cell = cells.cell(box)
    if cell is None:
        return
    function = cells.put(objective, box)
    if not cell.domain:
        found.settle(*_valued(function, cell, found), True)
        return
    answer = question(function, cell, clock.rest)
    clock.boxes += answer.iterations
    if answer.status.name == "INFEASIBLE":
        return
    lo, hi = answer.bracket
    if answer.feasible is not None and not cell.undecided:
        found.lowered(hi, cell.whole(answer.feasible[None], cells.integers)[0])
    for part, alone in zip(cell.whole(answer.boxes, cells.integers), answer.unique, strict=True):
        found.settle(max(lower, lo), part, bool(alone))


def _valued(function: Any, cell: IntegerCell, found: Least) -> tuple[float, Box]:
    """The bounds of the objective where every variable is an integer; a value that counts if the constraints are seen to hold."""
    lo, hi, level = Kernel(convert([function], {}, ExprPool()), []).decorated(np.empty((1, 0)), np.empty((1, 0)))
    if level[0, 0] and not (cell.undecided or cell.conditions):
        found.lowered(float(hi[0, 0]), cell.box)
    return float(lo[0, 0]), cell.box


def _relaxed(cells: Cells, objective: Any, box: Box, question: Callable[[Any, IntegerCell, Budget], Any], clock: Clock) -> float:
    """A lower bound over the box, with its integers as real numbers."""
    exact = [(sp.Rational(*map(int, a.as_integer_ratio())), sp.Rational(*map(int, b.as_integer_ratio()))) for a, b in box]
    real = [sp.Symbol(str(s), real=True) if s.is_integer else s for s in cells.domain.symbols]
    values = {s: lo if lo == hi else r for s, r, (lo, hi) in zip(cells.domain.symbols, real, exact, strict=True) if lo == hi or r is not s}
    cell = cells.cell(box, values)
    if cell is None:
        return math.inf
    ends = {r: e for r, e in zip(real, exact, strict=True) if e[0] < e[1]}
    cell = replace(cell, domain=ends, conditions=[c for c in cell.conditions if not c.has(sp.Ne)])
    answer = question(_put(objective, values), cell, Budget(clock.rest.seconds, _RELAXED, clock.rest.bytes))
    return math.inf if answer.status.name == "INFEASIBLE" else float(answer.bracket.lo)
