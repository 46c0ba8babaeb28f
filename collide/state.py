"""The memory of a search: arrays, filled with problems, and grown between slices."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from codegen import linear
from codegen.local_step import LARGEST, local_step

from . import layout
from .advance import RigidAdvance
from .layout import FIELDS, LANES
from .native import compiled
from .problem import Problem
from .search import push_held, run

_BOXES, _NODES, _SOLUTIONS = 1 << 12, 1 << 12, 256
# The most nodes kept; beyond, all are forgotten, and made again where they are wanted.
_MOST_NODES = 1 << 16

# How a method narrows boxes: 0 not at all, 1 by Linear_Solve on the raw rows, 2 by a square operator as well; and
# the operator, which is also the one that proves uniqueness.
METHODS = {"auto": (1, "krawczyk"), "newton": (2, "interval_inverse"), "krawczyk": (2, "krawczyk"), "subdivision": (0, "krawczyk")}

_PER_BOX = ("box", "key", "child", "sibling", "free", "plan", "horizon", "pair")
_PER_NODE = ("record", "rectangle", "halves")
_PER_SOLUTION = ("found", "region", "place", "kind", "owner")


class Search:
    """A search over `problems`, each with its whole domain queued, or with the boxes `starts` (n, variables, 2). `arrays`
    holds all of its state, so it can be sliced, resumed and copied.
    """

    def __init__(self, problems: Sequence[Problem], *, method: str = "auto", order: str = "auto", sample: bool = True,
                 simultaneity: float = 0.0, separation: float = 0.0, tolerance: float = 1e-9, first_only: bool = False,
                 starts: Sequence[np.ndarray] | None = None) -> None:
        self.problems = tuple(problems)
        self.n = max(len(p.variables) for p in problems)
        newton, operator = METHODS[method]
        self.record = max((m.length for p in problems if isinstance(p.advance, RigidAdvance) for m in p.advance.models), default=1)
        self.march = method == "auto"
        self.arrays = self._allocate(max(len(p.rows) for p in problems))
        self._fill(operator)
        for name, value in ((layout.STRIDE, self.n), (layout.PROBLEMS, len(problems)), (layout.ROOM, _SOLUTIONS),
                            (layout.FREE, _BOXES), (layout.ROOM_NODES, _NODES), (layout.RECORD_STRIDE, self.record),
                            (layout.NEXT_LOCAL, 3), (layout.NEWTON, newton), (layout.SAMPLE, int(sample)),
                            (layout.UPPER_FIRST, int(order == "upper")), (layout.FIRST_ONLY, int(first_only))):
            self.count[name] = value
        self.real[[layout.PROVED, layout.TENTATIVE, layout.CLEAR]] = np.inf
        self.real[layout.SIMULTANEITY], self.real[layout.SEPARATION] = simultaneity, separation
        self.real[layout.TOLERANCE] = tolerance
        self._point()
        for k, p in enumerate(problems):
            for box in starts[k] if starts is not None else [p.outer]:
                self._push(k, box)

    def _push(self, k: int, box: np.ndarray) -> None:
        """Queue a box of problem k."""
        if self.count[layout.FREE] == 0:
            self.grow_boxes()
        self.arrays["hold"][0, :len(box)] = box
        compiled(push_held, 1)(self.address, k)

    def run(self, steps: int) -> int:
        """Up to `steps` steps; why it stopped (`layout.FINISHED` and others)."""
        return compiled(run, 1)(self.address, steps)

    # -- reading ------------------------------------------------------------------------------------------------

    @property
    def count(self) -> np.ndarray:
        return self.arrays["count"]

    @property
    def real(self) -> np.ndarray:
        return self.arrays["real"]

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
        return sum(a.nbytes for a in self.arrays.values())

    def owner(self, k: int) -> int:
        """The number of the problem that solution k solves."""
        return int(self.arrays["owner"][k])

    def kind(self, k: int) -> int:
        return int(self.arrays["kind"][k])

    def found(self, k: int) -> np.ndarray:
        """The box of solution k, (variables of its problem, 2)."""
        box: np.ndarray = self.arrays["found"][k, :len(self.problems[self.owner(k)].variables)]
        return box

    def adopt(self, other: "Search", problems: Mapping[int, int]) -> None:
        """Take over the solutions of problems of another search, {its number: number here}, and what it knows of the objective."""
        self.real[[layout.PROVED, layout.TENTATIVE, layout.CLEAR]] = other.real[[layout.PROVED, layout.TENTATIVE, layout.CLEAR]]
        for k in other.solutions:
            if other.owner(k) in problems:
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

    def latest(self, k: int) -> float:
        """The greatest objective in the box of solution k."""
        return float(self.found(k)[self.problems[self.owner(k)].objective, 1])

    def open(self, p: int) -> np.ndarray:
        """What is still queued of problem p: boxes (n, variables, 2)."""
        child, sibling = self.arrays["child"].tolist(), self.arrays["sibling"].tolist()
        stack, found = [int(self.arrays["table"][p, layout.ROOT])], []
        while stack:
            i = stack.pop()
            if i >= 0:
                found.append(i)
                stack += (child[i], sibling[i])
        boxes: np.ndarray = self.arrays["box"][found, :len(self.problems[p].variables)]
        return boxes

    def open_boxes(self) -> list[tuple[int, np.ndarray]]:
        """(problem, box) of everything still queued."""
        return [(p, box) for p in range(len(self.problems)) for box in self.open(p)]

    # -- memory -------------------------------------------------------------------------------------------------

    def grow_boxes(self) -> None:
        """Twice the room for boxes and for nodes, whichever there is too little of."""
        room = int(self.count[layout.ROOM_NODES])
        if room - self.count[layout.NODES] < 8 * LANES:
            if room < _MOST_NODES:
                self._double(_PER_NODE)
                self.count[layout.ROOM_NODES] *= 2
            else:
                self.arrays["pair"][:] = -1
                self.count[layout.NODES] = 0
            return
        old, unused = len(self.arrays["key"]), int(self.count[layout.FREE])
        self._double(_PER_BOX)
        self.arrays["free"][unused:unused + old] = np.arange(2 * old - 1, old - 1, -1)
        self.count[layout.FREE] = unused + old

    def grow_solutions(self) -> None:
        """Twice the room for solutions."""
        self._double(_PER_SOLUTION)
        self.count[layout.ROOM] *= 2

    def _double(self, names: Sequence[str]) -> None:
        for name in names:
            a = self.arrays[name]
            self.arrays[name] = np.concatenate([a, np.zeros_like(a)])
        self._point()

    def _allocate(self, m: int) -> dict[str, np.ndarray]:
        n, problems = self.n, len(self.problems)
        bounds = max((len(k.outputs) for p in self.problems if p.advance for k in p.advance.all_kernels), default=0)
        values = max(m + m * n, *(len(p.least_kernel.outputs) for p in self.problems if p.advance), 0)
        per_problem = {"table": (problems, layout.COLUMNS), "domain": (problems, n, 2), "inner": (problems, n, 2),
                       "border": (problems, n, 2), "period": (problems, n), "polar": (problems, n, 2), "normal": (problems, 3)}
        per_box = dict.fromkeys(_PER_BOX, (_BOXES,)) | {"box": (_BOXES, n, 2), "pair": (_BOXES, 2)}
        per_node = {"record": (_NODES, self.record), "rectangle": (_NODES, 2, 2), "halves": (_NODES,)}
        per_solution = dict.fromkeys(_PER_SOLUTION, (_SOLUTIONS,)) | {
            "found": (_SOLUTIONS, n, 2), "region": (_SOLUTIONS, n, 2), "place": (_SOLUTIONS, 3, 2)}
        blocks = {"X": (n, 2), "C": (n,), "F": (m + 1, 2), "V": (m + 1, 2), "M": (m, n, 2), "K": (n, 2), "Q": (n, 2), "hull": (n, 2),
                  "G": (m, m, 2), "flag": (), "image": (6, 2), "point": (n,), "value": (values,), "steps": (2 * n + 1,),
                  "multiplier": (m,), "unheld": (n,), "damping": (), "reach": (),
                  "Z": (2 * n, 2), "T": (bounds, 2), "S": (4, 2), "W": (2, 2),
                  "A": (self.record,), "B": (self.record,), "made": (self.record,),
                  "N": (m,), "out": (n + 1,)}
        rest = {"count": (layout.COUNTS,), "real": (layout.REALS,), "before": (LANES, n, 2), "hold": (LANES, n, 2),
                "action": (LANES,), "trial": (LANES,), "until": (LANES,), "reached": (LANES, n),
                "both": (LANES, 2), "parents": (LANES, 2), "fresh": (LANES,), "asked": (LANES,), "repeat": (LANES,), "later": (LANES,),
                "small": (max(m, n), n), "step": (n,), "gradient": (n,), "best": (n, 2), "centre": (n,), "tight": (n, 2), "wide": (n, 2),
                "near": (3, 2), "pick": (max(m, n),), "bound": (n,),
                "base": (n,), "along": (2, n), "heading": (2, 3), "spot": (3,), "aim": (LANES, 2), "pace": (LANES,), "goal": (LANES,)}
        shapes: dict[str, Any] = {**per_problem, **per_box, **per_node, **per_solution,
                                  **{k: (*v, LANES) for k, v in blocks.items()}, **rest}
        return {name: np.zeros(shapes[name], np.float64 if kind is float else np.int64) for name, kind in FIELDS.items()}

    def _point(self) -> None:
        self._addresses = np.array([self.arrays[name].ctypes.data for name in FIELDS], np.int64)
        self.address = self._addresses.ctypes.data

    def _fill(self, operator: str) -> None:
        a = self.arrays
        a["free"][:] = np.arange(_BOXES - 1, -1, -1)
        for k, p in enumerate(self.problems):
            n = len(p.variables)
            a["table"][k] = _row(p, operator)
            if self.march and p.advance:
                a["table"][k, layout.TAYLOR] = p.advance.kernel.block_address()
                a["table"][k, layout.TIME_BOUND] = p.advance.bound
                if isinstance(p.advance, RigidAdvance):
                    _fill_trees(a["table"][k], p.advance)
                a["table"][k, layout.LEAST] = p.least_kernel.block_address("points")
                a["table"][k, layout.LEAST_STEP] = p.least_step
            a["domain"][k, :n], a["inner"][k, :n] = p.outer, p.inner
            a["polar"][k] = -np.inf, np.inf
            for name, values in (("border", p.border), ("period", p.period), ("polar", p.polar)):
                if values is not None:
                    a[name][k, :n] = values


def _fill_trees(row: np.ndarray, advance: RigidAdvance) -> None:
    for side in (0, 1):
        row[layout.BODY + side] = advance.kernels[side].block_address()
        row[layout.RECORD + side] = advance.records[side]
        row[layout.LENGTH + side] = advance.models[side].length
        row[layout.OWN + side] = len(advance.models[side].degrees)


def _row(p: Problem, operator: str) -> list[int]:
    row = [0] * layout.COLUMNS
    n, m, e = len(p.variables), len(p.rows), len(p.equations)
    row[layout.VARIABLES], row[layout.ROWS], row[layout.EQUATIONS], row[layout.ROOT] = n, m, e, -1
    row[layout.OBJECTIVE] = -1 if p.objective is None else p.objective
    row[layout.RANGE], row[layout.SLOPE] = p.range_kernel.block_address(), p.slope_kernel.block_address()
    row[layout.POINT] = p.point_kernel.block_address("points")
    row[layout.IMAGE] = p.image_kernel.block_address() if p.image_kernel else 0
    row[layout.PARAMETERS], row[layout.POINT_PARAMETERS] = (block.ctypes.data for block in p.parameter_blocks)
    row[layout.LOCAL_STEP] = local_step(m, n) if n <= LARGEST and not p.propagate else 0
    row[layout.LINEAR] = linear.linear_solve(m, n, p.pattern if p.propagate else None)
    square: Callable[[int], int] = getattr(linear, operator)
    if n in (e, m):
        row[layout.UNIQUENESS] = square(n)
        row[layout.SQUARE] = row[layout.UNIQUENESS] if m == n else 0
    row[layout.SEARCHED] = n if p.searched is None else p.searched
    row[layout.CLOSED] = int(p.border is None)
    if p.propagate:
        row[layout.BACKWARD] = p.backward.address["kernel"] if p.backward else 0
        if n in (e, m):
            row[layout.PRECONDITION], row[layout.DECOUPLED] = linear.precondition(n), linear.linear_solve(n, n)
    if e <= n and not p.strict:
        row[layout.EXISTENCE] = linear.krawczyk(e)
    return row
