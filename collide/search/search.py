"""A search over problems: its memory filled with them, grown between slices, and read."""

from collections.abc import Mapping, Sequence

import numpy as np

from codegen.algebra import linear
from codegen.machine.linked import address

from .native import layout
from .native.crossings_beside import locate_first
from .native.layout import LANES
from .native.loop import push_written, record_held, run
from .native.memory import BOXES, NODES, PER_BOX, PER_NODE, PER_SOLUTION, SOLUTIONS, Memory, compiled
from .native.queue import list_queued
from .prepare import METHODS, prepare
from .problem import Problem

# The most nodes kept; beyond, all are forgotten, and made again where they are wanted.
_MOST_NODES, _MOST_NUMBERS = 1 << 16, 1 << 23
# After so many steps inequalities contract the boxes, too.
_LONG = 2000
# The least time is told no closer than by some roundings of it.
_ROUNDINGS = 2.0**-48


class Search:
    """A search over `problems`, each with its whole domain queued, or with the boxes `starts` (n, variables, 2). `arrays`
    holds all of its state, so it can be sliced, resumed and copied.
    """

    def __init__(self, problems: Sequence[Problem], *, method: str = "auto", order: str = "auto", sample: bool = True,
                 simultaneity: float = 0.0, separation: float = 0.0, tolerance: float = 1e-9, first_only: bool = False,
                 starts: Sequence[np.ndarray] | None = None) -> None:
        self.problems = tuple(problems)
        self.n = max(len(p.variables) for p in problems)
        parts = [prepare(p, method) for p in problems]
        sizes = [max(size) for size in zip(*(part.sizes for part in parts), strict=True)]
        self.left: set[int] = set()
        # Boxes examined when it was last not in doubt: see `stalls`.
        self.doubtful = 0
        self.arrays = Memory(self.n, len(problems), *sizes)
        self.count, self.real = self.arrays["count"], self.arrays["real"]
        for name, value in ((layout.STRIDE, self.n), (layout.PROBLEMS, len(problems)), (layout.ROOM, SOLUTIONS),
                            (layout.FREE, BOXES), (layout.ROOM_NODES, NODES), (layout.RECORD_STRIDE, self.arrays.record),
                            (layout.NEXT_LOCAL, 3), (layout.NEWTON, METHODS[method][0]), (layout.SAMPLE, int(sample)),
                            (layout.UPPER_FIRST, int(order == "upper")), (layout.FIRST_ONLY, int(first_only)),
                            (layout.ROW_STRIDE, sizes[0])):
            self.count[name] = value
        self.real[[layout.PROVED, layout.TENTATIVE, layout.CLEAR, layout.ALONG]] = np.inf
        self.real[layout.LATEST] = -np.inf
        self.real[layout.SIMULTANEITY], self.real[layout.SEPARATION] = simultaneity, separation
        self.real[layout.TOLERANCE], self.real[layout.SHARE] = tolerance, _ROUNDINGS
        for k, (p, part) in enumerate(zip(problems, parts, strict=True)):
            self._fill(k, p, part.row)
        labels = {label: number for number, label in enumerate(dict.fromkeys(p.label for p in problems))}
        self.arrays["table"][:, layout.LABEL] = [labels[p.label] for p in problems]
        for k, p in enumerate(problems):
            self._push(k, starts[k] if starts is not None else p.outer[None])

    def _push(self, k: int, boxes: np.ndarray) -> None:
        """Queue boxes (n, variables, 2) of problem k."""
        while len(boxes):
            if self.count[layout.FREE] == 0:
                self.grow_boxes()
            unused = int(self.count[layout.FREE])
            some, boxes = boxes[:unused], boxes[unused:]
            places = self.arrays["free"][unused - len(some):unused][::-1]
            self.arrays["box"][places, :some.shape[1]] = some
            compiled(push_written, 2)(self.arrays.address, k, len(some))

    def note(self, k: int, box: np.ndarray, kind: int) -> bool:
        """A box as a solution of problem k, LOCATED, or EXISTS if it is *proved* to hold a zero of the equations. False where that lies
        beyond the domain, or is not feasible.
        """
        if self.count[layout.SOLUTIONS] + 2 * LANES >= self.count[layout.ROOM]:
            self.grow_solutions()
        self.arrays["hold"][0, :len(box)] = box
        return bool(compiled(record_held, 2)(self.arrays.address, k, kind))

    def run(self, steps: int) -> int:
        """Up to `steps` steps; why it stopped (`layout.FINISHED` and others)."""
        reason = compiled(run, 1)(self.arrays.address, steps)
        if self.count[layout.STEPS] > _LONG:
            self._respect_limits()
        return reason

    def _respect_limits(self) -> None:
        """From now on inequalities contract the boxes of the problems that come first: in long searches that is worth its code."""
        table = self.arrays["table"]
        begins = {k: float(self.arrays["key"][table[k, layout.ROOT]]) for k, p in enumerate(self.problems)
                  if table[k, layout.ROOT] >= 0 and p.objective is not None}
        first = min(begins.values(), default=np.inf)
        for k, begin in begins.items():
            p = self.problems[k]
            if begin <= first + self.real[layout.SIMULTANEITY] and p.limits and not table[k, layout.LIMITS]:
                solve = linear.linear_solve(len(p.limits), len(p.variables))
                table[k, layout.LIMITS:layout.COLUMNS] = len(p.limits), *(kernel.block_address() for kernel in p.limit_kernels), solve

    # -- reading ------------------------------------------------------------------------------------------------

    @property
    def solutions(self) -> range:
        return range(int(self.count[layout.SOLUTIONS]))

    @property
    def pole(self) -> tuple[Problem, int, int] | None:
        """Where the search stopped because it met a pole: the problem, the number of the variable, and at which end of it."""
        p, at = int(self.count[layout.POLE]) - 1, int(self.count[layout.POLE_END])
        return (self.problems[p], at // 2, at % 2) if p >= 0 else None

    @property
    def bytes(self) -> int:
        return self.arrays.bytes

    def numbers(self, p: int, *kinds: int) -> np.ndarray:
        """The numbers of the solutions of problem p that are of these kinds; of all kinds if none are named."""
        count = len(self.solutions)
        own = self.arrays["owner"][:count] == p
        return np.flatnonzero(own & np.isin(self.arrays["kind"][:count], kinds) if kinds else own)

    def owner(self, k: int) -> int:
        """The number of the problem that solution k solves."""
        return int(self.arrays["owner"][k])

    def problem_of(self, k: int) -> Problem:
        """The problem that solution k solves."""
        return self.problems[self.owner(k)]

    def kind(self, k: int) -> int:
        return int(self.arrays["kind"][k])

    def found(self, k: int) -> np.ndarray:
        """The box of solution k, (variables of its problem, 2)."""
        box: np.ndarray = self.arrays["found"][k, :len(self.problems[self.owner(k)].variables)]
        return box

    def boxes(self, p: int, numbers: np.ndarray) -> np.ndarray:
        """The boxes of these solutions of problem p, (k, its variables, 2)."""
        boxes: np.ndarray = self.arrays["found"][numbers, :len(self.problems[p].variables)]
        return boxes

    def times(self, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """(k, 2): the objective at these solutions."""
        objectives = np.array([p.objective for p in self.problems], np.int64)
        times: np.ndarray = self.arrays["found"][numbers, objectives[self.arrays["owner"][numbers]]]
        return times

    def possible(self, k: int) -> bool:
        """May the solution be one: not where the only zero of a region was found to lie outside the domain, or to violate inequalities?"""
        if self.kind(k) != layout.ALONE:
            return True
        p, box = self.problem_of(k), self.found(k)
        free = p.period == 0.0 if p.period is not None else np.full(len(box), True)
        if ((box[:, 1] < p.outer[:, 0]) | (box[:, 0] > p.outer[:, 1]))[free].any():
            return False
        values = tuple(p.parameters.T)
        _, hi = p.range_kernel.interval(box[None, :, 0], box[None, :, 1], parameters=values if len(p.parameters) else None)
        return bool(hi[0, -1] > 0)

    def clear_until(self, found: Sequence[int], end: float) -> float:
        """The least time at which anything was found, was thinned, or is still open; none of these solutions comes after `end`."""
        times = self.times(found)[:, 0]
        return min([float(self.real[layout.CLEAR]), end, float(times.min(initial=np.inf)),
                    *(self.least_open(p) for p in range(len(self.problems)))])

    def adopt(self, other: "Search", problems: Mapping[int, int], unique: bool = False) -> None:
        """Take over the solutions of problems of another search, {its number: number here}, and what it knows of the objective; or `unique`
        solutions only, and what is proved.
        """
        known = [layout.PROVED, layout.ALONG, *(() if unique else (layout.TENTATIVE, layout.CLEAR, layout.LATEST))]
        self.real[known] = other.real[known]
        self.left |= {problems[k] for k in other.left if k in problems}
        for k in other.solutions:
            if other.owner(k) in problems and (not unique or other.kind(k) == layout.UNIQUE):
                while self.count[layout.SOLUTIONS] + 2 * LANES >= self.count[layout.ROOM]:
                    self.grow_solutions()
                new = int(self.count[layout.SOLUTIONS])
                self.count[layout.SOLUTIONS] = new + 1
                n = len(other.problems[other.owner(k)].variables)
                for name in ("found", "region"):
                    self.arrays[name][new, :n] = other.arrays[name][k, :n]
                for name in ("place", "kind"):
                    self.arrays[name][new] = other.arrays[name][k]
                self.arrays["owner"][new] = problems[other.owner(k)]

    def locate_first(self, p: int) -> bool:
        """A place near the first box of problem p where rounding cannot exclude a zero, as LOCATED; is there one?"""
        if self.count[layout.SOLUTIONS] + 2 * LANES >= self.count[layout.ROOM]:
            self.grow_solutions()
        return bool(compiled(locate_first, 1)(self.arrays.address, p))

    def forget_after(self, time: float) -> None:
        """Leave out all solutions that come later than that, unless all do."""
        kept = [k for k in self.solutions if self.found(k)[self.problems[self.owner(k)].objective, 0] <= time]
        if kept:
            for name in PER_SOLUTION:
                self.arrays[name][:len(kept)] = self.arrays[name][kept]
            self.count[[layout.SOLUTIONS, layout.WALKED]] = len(kept)

    def leave(self, p: int, begin: float) -> None:
        """Search problem p no further: nothing is known of it from `begin` on."""
        boxes = self._queued(p)
        # They lie just behind the free ones, and are free now.
        self.count[layout.FREE] += len(boxes)
        self.count[layout.OPEN] -= len(boxes)
        self.arrays["table"][p, layout.ROOT] = -1
        self.real[layout.CLEAR], self.real[layout.LATEST] = min(self.real[layout.CLEAR], begin), np.inf
        self.left.add(p)

    def leave_out(self, samples: Sequence[int]) -> range:
        """Leave these samples out, for others that are near; the numbers of new ones, where too wide a gap would stay."""
        first = len(self.solutions)
        if len(samples) == 0 or self.count[layout.SAMPLE] == 0:
            return range(first, first)
        self.arrays["kind"][list(samples)] = layout.LEFT_OUT
        self.count[layout.MENDING], self.count[layout.WALKED] = 1, 0
        while self.count[layout.WALKED] < first:
            reason = self.run(first - int(self.count[layout.WALKED]))
            if reason == layout.NEED_BOXES:
                self.grow_boxes()
            elif reason == layout.NEED_SOLUTIONS:
                self.grow_solutions()
        return range(first, len(self.solutions))

    def latest(self, k: int) -> float:
        """The greatest objective in the box of solution k."""
        return float(self.found(k)[self.problems[self.owner(k)].objective, 1])

    def open(self, p: int) -> np.ndarray:
        """What is still queued of problem p: boxes (n, variables, 2)."""
        boxes: np.ndarray = self.arrays["box"][self._queued(p), :len(self.problems[p].variables)]
        return boxes

    def _queued(self, p: int) -> np.ndarray:
        """The numbers of the boxes in the queue of problem p, valid until the queues change."""
        unused = int(self.count[layout.FREE])
        numbers: np.ndarray = self.arrays["free"][unused:unused + compiled(list_queued, 1)(self.arrays.address, p)]
        return numbers

    def least_open(self, p: int) -> float:
        """The least objective of the boxes that are still queued of problem p; infinite where there are none."""
        root = int(self.arrays["table"][p, layout.ROOT])
        if root < 0:
            return np.inf
        if self.count[layout.UPPER_FIRST]:
            return float(self.open(p)[:, self.problems[p].objective, 0].min())
        return float(self.arrays["key"][root])

    def open_boxes(self) -> list[tuple[int, np.ndarray]]:
        """(problem, box) of everything still queued."""
        return [(p, box) for p in range(len(self.problems)) for box in self.open(p)]

    # -- memory -------------------------------------------------------------------------------------------------

    def grow_boxes(self) -> None:
        """Twice the room for boxes and for nodes, whichever there is too little of."""
        room = int(self.count[layout.ROOM_NODES])
        if room - self.count[layout.NODES] < 8 * LANES:
            if room < min(_MOST_NODES, _MOST_NUMBERS // self.arrays.record):
                self.arrays.double(PER_NODE)
                self.count[layout.ROOM_NODES] *= 2
            else:
                self.arrays["pair"][:] = -1
                self.count[layout.NODES] = 0
            return
        old, unused = len(self.arrays["key"]), int(self.count[layout.FREE])
        self.arrays.double(PER_BOX)
        self.arrays["free"][unused:unused + old] = np.arange(2 * old - 1, old - 1, -1)
        self.count[layout.FREE] = unused + old

    def grow_solutions(self) -> None:
        """Twice the room for solutions."""
        self.arrays.double(PER_SOLUTION)
        self.count[layout.ROOM] *= 2

    def _fill(self, k: int, p: Problem, row: np.ndarray) -> None:
        """The memory of problem k."""
        a, n = self.arrays, len(p.variables)
        own = a["table"][k]
        own[:] = row
        own[layout.CLOSED] = p.border is None
        own[layout.PARAMETERS], own[layout.POINT_PARAMETERS] = (address(block) or 0 for block in p.parameter_blocks)
        if row[layout.BODY] and p.views:
            own[layout.VIEW], own[layout.VIEW + 1] = map(address, p.views)
        a["domain"][k, :n], a["inner"][k, :n] = p.outer, p.inner
        a["polar"][k] = -np.inf, np.inf
        for name, values in (("border", p.border), ("period", p.period), ("polar", p.polar)):
            if values is not None:
                a[name][k, :n] = values
