"""A search over problems: its memory filled with them, grown between slices, and read."""

from collections.abc import Mapping, Sequence

import numpy as np

from codegen.algebra import linear
from codegen.machine.linked import address
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number, columns
from codegen.remembered import Bounded

from .native import layout
from .native.crossings_beside import locate_first
from .native.layout import LANES, SearchMemory
from .native.loop import push_written, record_held, run
from .native.queue import list_queued
from .options import ROUNDINGS, Options
from .prepare import METHODS, prepare
from .problem import Problem

# The most nodes kept; beyond, all are forgotten, and made again where they are wanted.
_MOST_NODES, _MOST_NUMBERS = 1 << 16, 1 << 23
# What there is room for at the beginning.
_ROOM = {"box_room": 1 << 12, "node_room": 1 << 12, "solution_room": 256}
_AT = columns(SearchMemory, layout.ProblemRow)
_UNUSED = np.arange(_ROOM["box_room"] - 1, -1, -1)
# After so many steps inequalities contract the boxes, too. Effort only (measured: tests/benchmarks/constants.py, 500 and 8,000 are alike).
_LONG = 2000
# Searches of so many problems begin as a memory that is kept, of so many bytes of these.
_FEW, _MOST_KEPT = 256, 12 << 20
_USUAL, _NO_ROWS = Options(), {"rows": 0, "numbers": 0, "viewed": 0}


def _real(name: str = "") -> Number[float]:
    return Number(SearchMemory, name)


def _count(name: str = "") -> Number[int]:
    return Number(SearchMemory, name)


def _all_sizes(n: int, m: int) -> dict[str, int]:
    return {"n_and_one": n + 1, "row_ends": m + 1, "n_and_m": n + m, "n_or_m": max(n, m)}


def _begun(sizes: dict[str, int], options: Options) -> Memory:
    """The memory of a search of no problems yet, which all of these sizes begin with. Those of many problems are not kept."""
    return (_kept if sizes["problems"] <= _FEW else _empty)(tuple(sizes.items()), options)


def _empty(sizes: tuple[tuple[str, int], ...], options: Options) -> Memory:
    memory = Memory(SearchMemory, dict(sizes))
    for name, value in (("unused", _ROOM["box_room"]), ("next_local", 3), ("newton", METHODS[options.method][0]),
                        ("sampling", int(options.sample)), ("upper_first", int(options.order == "upper")),
                        ("first_only", int(options.first_only)), ("latest", -np.inf), ("share", ROUNDINGS),
                        *((name, np.inf) for name in ("proved", "tentative", "clear", "proved_along")),
                        *((name, getattr(options, name)) for name in ("simultaneity", "spacing", "tolerance"))):
        memory.set(name, value)
    return memory


_kept = Bounded[Memory](_MOST_KEPT, lambda memory: memory.bytes).cached(_empty)


def may_be(p: Problem, boxes: np.ndarray) -> np.ndarray:
    """(k,): whether zeros in boxes (k, variables, 2) may lie within the domain of a problem, and fulfil its inequalities."""
    beyond = (boxes[..., 1] < p.outer[:, 0]) | (boxes[..., 0] > p.outer[:, 1])
    if p.period is not None:
        beyond &= p.period == 0.0
    _, hi = p.ranges(boxes[..., 0], boxes[..., 1])
    return np.asarray(~beyond.any(axis=1) & (hi[:, -1] > 0))


class Search:
    """A search over `problems`, each with its whole domain queued, or with the boxes `starts` (n, variables, 2). `room`: for
    instances, see `rows`. `arrays` holds all of its state, so it can be sliced, resumed and copied.
    """

    # What the search knows and was asked for, see `SearchMemory`.
    proved, tentative, proved_along = _real(), _real(), _real()
    clear, latest_left = _real(), _real("latest")
    simultaneity, spacing, tolerance = _real(), _real(), _real()
    gap, share, ahead = _real(), _real(), _real()
    iterations, steps, local_solves, best_problem = _count(), _count(), _count(), _count()
    open_count, solution_count, walked = _count("open"), _count("solutions"), _count()
    _unused, _sampling, _mending, _upper_first = _count("unused"), _count("sampling"), _count("mending"), _count("upper_first")
    _pole_met, _first_only = _count("pole_met"), _count("first_only")
    _nodes, _node_room, _solution_room = _count("nodes"), _count("node_room"), _count("solution_room")

    def __init__(self, problems: Sequence[Problem], options: Options = _USUAL, *, starts: Sequence[np.ndarray] | None = None,
                 room: Mapping[str, int] = _NO_ROWS) -> None:
        self.problems = tuple(problems)
        self._objectives = np.array([-1 if p.objective is None else p.objective for p in problems], np.int64)
        parts = [prepare(p, options.method) for p in problems]
        sizes = parts[0].sizes if len(parts) == 1 else {name: max(part.sizes[name] for part in parts) for name in parts[0].sizes}
        self.left: set[int] = set()
        # Boxes examined when it was last not in doubt: see `stalls`.
        self.doubtful = 0
        sizes = _all_sizes(sizes["n"], sizes["m"]) | sizes | _ROOM | {"problems": len(problems), **room}
        self.arrays = Memory(SearchMemory, sizes, like=_begun(sizes, options))
        self.arrays["free"][:] = _UNUSED
        for k, (p, part) in enumerate(zip(problems, parts, strict=True)):
            self._fill(k, p, part.row)
        labels = {label: number for number, label in enumerate(dict.fromkeys(p.label for p in problems))}
        self.arrays["problem"][:, _AT["label"]] = [labels[p.label] for p in problems]
        for k, p in enumerate(problems):
            self.push(k, starts[k] if starts is not None else p.outer[None])

    def push(self, k: int, boxes: np.ndarray) -> None:
        """Queue boxes (n, variables, 2) of problem k."""
        while len(boxes):
            if self._unused == 0:
                self.grow_boxes()
            unused = self._unused
            some, boxes = boxes[:unused], boxes[unused:]
            places = self.arrays["free"][unused - len(some):unused][::-1]
            self.arrays["box"][places, :some.shape[1]] = some
            compiled(push_written)(self.arrays.address, k, len(some))

    def note(self, k: int, box: np.ndarray, kind: int) -> bool:
        """A box as a solution of problem k, LOCATED, or EXISTS if it is *proved* to hold a zero of the equations. False where that lies
        beyond the domain, or is not feasible.
        """
        if self.solution_count + 2 * LANES >= self._solution_room:
            self.grow_solutions()
        self.arrays["hold"][0, :len(box)] = box
        return bool(compiled(record_held)(self.arrays.address, k, kind))

    def run(self, steps: int) -> int:
        """Up to `steps` steps; why it stopped (`layout.FINISHED` and others)."""
        return compiled(run)(self.arrays.address, steps)

    def pause(self) -> None:
        """Between slices: in long searches, where it is worth its code, inequalities contract the boxes of the problems that come first."""
        if self.steps <= _LONG:
            return
        table = self.arrays.table(layout.ProblemRow)
        open_ones = np.flatnonzero((table["root"] >= 0) & (self._objectives >= 0))
        begins = self.arrays["key"][table["root"][open_ones]]
        for k in open_ones[begins <= begins.min(initial=np.inf) + self.simultaneity].tolist():
            p = self.problems[k]
            if not table["limited"][k]:
                self._limit(k, p, table)

    @staticmethod
    def _limit(k: int, p: Problem, table: np.ndarray) -> None:
        """The inequalities of problem k contract its boxes from now on, if it has any."""
        table["limited"][k] = bool(p.limits) or any(margin is not None for margin in p.margins)
        if p.limits:
            table["limits"][k] = len(p.limits)
            table["limit_range"][k], table["limit_slope"][k] = (kernel.block_address() for kernel in p.limit_kernels)
            table["limit_solve"][k] = linear.linear_solve(len(p.limits), len(p.variables), quick=True)
        for side, margin in enumerate(p.margins):
            if margin is not None:
                program = margin.narrowing(len(p.variables))
                table["narrowing"][k, side], table["narrows"][k, side] = program.entry, program.address
                table["place_slope"][k, side] = p.place_slope_kernels[side].block_address()

    # -- reading ------------------------------------------------------------------------------------------------

    @property
    def answered(self) -> bool:
        """Whether the first proof is all that is asked for, and is found."""
        return bool(self._first_only and self.proved < np.inf)

    @property
    def solutions(self) -> range:
        return range(self.solution_count)

    @property
    def pole(self) -> tuple[Problem, int, int] | None:
        """The pole at which the search stopped: the problem, the number of the variable, and at which end of it."""
        if not self._pole_met:
            return None
        p, variable, end = (self.arrays.number(name) for name in ("pole_problem", "pole_variable", "pole_end"))
        return self.problems[p], variable, end

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

    def problems_of(self, numbers: Sequence[int]) -> list[Problem]:
        """The problems that these solutions solve."""
        return [self.problems[p] for p in self.arrays["owner"][np.asarray(numbers, np.int64)].tolist()]

    def boxes_of(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Copies of the boxes of these solutions, (variables of its problem, 2) each."""
        boxes = self.arrays["found"][np.asarray(numbers, np.int64)]
        return [box[:len(p.variables)] for box, p in zip(boxes, self.problems_of(numbers), strict=True)]

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
        if isinstance(numbers, range):
            numbers = np.arange(numbers.start, numbers.stop)
        times: np.ndarray = self.arrays["found"][numbers, self._objectives[self.arrays["owner"][numbers]]]
        return times

    def possible(self, k: int) -> bool:
        """Whether the solution may be one: not where the only zero of a region was found to lie outside the domain, or to violate
        inequalities.
        """
        return self.kind(k) != layout.ALONE or bool(may_be(self.problem_of(k), self.found(k)[None])[0])

    def possible_ones(self) -> np.ndarray:
        """The numbers of the solutions that may be one."""
        kept = self.arrays["kind"][:self.solution_count] != layout.ALONE
        if not kept.all():
            for k in np.unique(self.arrays["owner"][np.flatnonzero(~kept)]).tolist():
                numbers = self.numbers(k, layout.ALONE)
                kept[numbers] = may_be(self.problems[k], self.boxes(k, numbers))
        return np.flatnonzero(kept)

    def clear_until(self, found: Sequence[int] | np.ndarray, end: float) -> float:
        """The least time at which anything was found, was thinned, or is still open; none of these solutions comes after `end`."""
        return min(self.least_left(end), float(self.times(found)[:, 0].min(initial=np.inf)))

    def least_left(self, end: float) -> float:
        """The least time, at most `end`, at which anything was thinned or is still open."""
        return min([float(self.clear), end, *(self.least_open(p) for p in range(len(self.problems)))])

    def adopt(self, other: "Search", problems: Mapping[int, int], unique: bool = False) -> None:
        """Take over the solutions of problems of another search, {its number: number here}, and what it knows of the objective; or `unique`
        solutions only, and what is proved.
        """
        if not unique:
            self.tentative, self.clear, self.latest_left = other.tentative, other.clear, other.latest_left
        self.proved, self.proved_along = other.proved, other.proved_along
        self.left |= {problems[k] for k in other.left if k in problems}
        for k in other.solutions:
            if other.owner(k) in problems and (not unique or other.kind(k) == layout.UNIQUE):
                while self.solution_count + 2 * LANES >= self._solution_room:
                    self.grow_solutions()
                new = self.solution_count
                self.solution_count = new + 1
                n = len(other.problems[other.owner(k)].variables)
                for name in ("found", "region"):
                    self.arrays[name][new, :n] = other.arrays[name][k, :n]
                for name in ("place", "kind"):
                    self.arrays[name][new] = other.arrays[name][k]
                self.arrays["owner"][new], self.arrays["dimension"][new] = problems[other.owner(k)], -1

    def locate_first(self, p: int) -> bool:
        """Record a place near the first box of problem p where rounding cannot exclude a zero, as LOCATED. Return whether there is one."""
        if self.solution_count + 2 * LANES >= self._solution_room:
            self.grow_solutions()
        return bool(compiled(locate_first)(self.arrays.address, p))

    def forget_after(self, time: float) -> None:
        """Leave out all solutions that come later than that, unless all do."""
        kept = [k for k in self.solutions if self.found(k)[self.problems[self.owner(k)].objective, 0] <= time]
        if kept:
            for name in self.arrays.sized("solution_room"):
                self.arrays[name][:len(kept)] = self.arrays[name][kept]
            self.solution_count = self.walked = len(kept)

    def leave(self, p: int, begin: float) -> None:
        """Search problem p no further: nothing is known of it from `begin` on."""
        # First: Ctrl-C may come at any moment.
        self.clear, self.latest_left = min(self.clear, begin), np.inf
        self.left.add(p)
        self._empty(p)

    def withdraw(self, p: int) -> np.ndarray:
        """The queue of problem p, as `open` lists it, which is empty then. Its caller queues the boxes again, or searches them."""
        boxes = self.open(p).copy()
        self._empty(p)
        return boxes

    def _empty(self, p: int) -> None:
        """Forget the boxes in the queue of problem p."""
        # They lie just behind the free ones, and are free now.
        count = len(self._queued(p))
        self._unused += count
        self.open_count -= count
        self.arrays["problem"][p, _AT["root"]] = -1

    def leave_out(self, samples: Sequence[int]) -> range:
        """Leave these samples out, for others that are near; the numbers of new ones, where too wide a gap would stay."""
        first = len(self.solutions)
        if len(samples) == 0 or self._sampling == 0:
            return range(first, first)
        self.arrays["kind"][list(samples)] = layout.LEFT_OUT
        self._mending, self.walked = 1, 0
        while self.walked < first:
            reason = self.run(first - self.walked)
            if reason == layout.NEED_BOXES:
                self.grow_boxes()
            elif reason == layout.NEED_SOLUTIONS:
                self.grow_solutions()
        return range(first, len(self.solutions))

    def latest(self, k: int) -> float:
        """The greatest objective in the box of solution k."""
        return float(self.found(k)[self.problems[self.owner(k)].objective, 1])

    def open(self, p: int) -> np.ndarray:
        """The queue of problem p: boxes (n, variables, 2)."""
        boxes: np.ndarray = self.arrays["box"][self._queued(p), :len(self.problems[p].variables)]
        return boxes

    def _queued(self, p: int) -> np.ndarray:
        """The numbers of the boxes in the queue of problem p, valid until the queues change."""
        unused = self._unused
        numbers: np.ndarray = self.arrays["free"][unused:unused + compiled(list_queued)(self.arrays.address, p)]
        return numbers

    def least_open(self, p: int) -> float:
        """The least objective of the boxes that are still queued of problem p; infinite where there are none."""
        root = self.arrays["problem"].item(p, _AT["root"])
        if root < 0:
            return np.inf
        if self._upper_first:
            return float(self.open(p)[:, self.problems[p].objective, 0].min())
        return float(self.arrays["key"][root])

    def open_boxes(self) -> list[tuple[int, np.ndarray]]:
        """(problem, box) of everything still queued."""
        return [(p, box) for p in range(len(self.problems)) for box in self.open(p)]

    # -- memory -------------------------------------------------------------------------------------------------

    def grow_boxes(self) -> None:
        """Twice the room for boxes and for nodes, whichever there is too little of."""
        room = self._node_room
        if room - self._nodes < 8 * LANES:
            if room < min(_MOST_NODES, _MOST_NUMBERS // self.arrays["record"].shape[1]):
                self.arrays.double("node_room")
            else:
                self.arrays["pair"][:] = -1
                self._nodes = 0
            return
        old, unused = len(self.arrays["key"]), self._unused
        self.arrays.double("box_room")
        self.arrays["free"][unused:unused + old] = np.arange(2 * old - 1, old - 1, -1)
        self._unused = unused + old

    def grow_solutions(self) -> None:
        """Twice the room for solutions."""
        self.arrays.double("solution_room")

    def _fill(self, k: int, p: Problem, row: np.ndarray) -> None:
        """The memory of problem k."""
        a, n = self.arrays, len(p.variables)
        own = a["problem"][k]
        own[:] = row
        own[_AT["closed"]] = p.border is None
        own[_AT["parameters"]], own[_AT["point_parameters"]] = p.parameter_addresses
        assert 3 * len(p.margins) == len(p.places)
        for side, margin in enumerate(p.margins):
            if margin is not None:
                own[_AT["margin"] + side], own[_AT["measures"] + side] = margin.program.entry, margin.program.address
        if row[_AT["body"]] and p.views:
            own[_AT["view"]], own[_AT["view"] + 1] = map(address, p.views)
        a["domain"][k, :n], a["inner"][k, :n] = p.outer, p.inner
        a["polar"][k] = -np.inf, np.inf
        for name, values in (("border", p.border), ("period", p.period), ("polar", p.polar)):
            if values is not None:
                a[name][k, :n] = values
