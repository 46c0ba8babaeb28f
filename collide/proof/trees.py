"""The prover: a tree of steps that shows that a system has no solution in a box, or how far it comes.

The search for steps is native (`native.grow`); here it is given its formulas and its memory, and what it finds is written down.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory
from codegen.machine.structures import LANES

from .checker.problem import Case, Problem
from .native import evaluate as native_evaluate
from .native import grow as native_grow
from .native.memory import CONVEX, DIVIDED, INSIDE, MEAN, NATURAL, OPEN, OVER, SINGLE, ProverMemory
from .tape import Tape, addresses, constants_of

# Blocks of boxes until the time is looked at, first and at most; boxes for which there is room at first.
_FIRST, _SLICE, _ROOM = 4, 64, 1 << 12
Box = Sequence[tuple[float, float]]


class Stuck(Exception):
    """No tree of so many steps was found."""


class Tree:
    """A tree as it is grown so far. `used`: how many boxes it has; `open_from`: where the first open one begins, in the last variable,
    or infinity for a complete tree.
    """

    def __init__(self, s: Memory) -> None:
        self.used, self.m = int(s.number("used")), int(s.number("m"))
        self.kinds, self.parts, self.by, self.cuts = (s[name][:self.used].copy() for name in ("kind", "part", "by", "cut"))
        self.box, self.weights, self.more, self.near = (s[name][:self.used].copy() for name in ("box", "weights", "more", "near"))
        self.open_from = self.box[self.kinds == OPEN, -1, 0].min(initial=np.inf)

    def lines(self, until: float = np.inf) -> list[str]:
        """The tree in preorder, as one text; boxes that begin after `until` are left out. Raises `Stuck` where one is open that does not.
        """
        steps = self._steps()
        for k in np.flatnonzero(self.box[:, -1, 0] > until).tolist():
            steps[k] = "l"
        halves = np.where(self.kinds == DIVIDED, self.parts, -1).tolist()
        result, stack = list[str](), [0]
        while stack:
            k = stack.pop()
            result.append(steps[k])
            if halves[k] >= 0 and steps[k] != "l":
                stack.append(halves[k] + 1)
                stack.append(halves[k])
        if "" in result:
            raise Stuck
        return ["\n".join(result)]

    def _steps(self) -> list[str]:
        """Of all boxes; of those that are open nothing."""
        found, single = [""] * self.used, _singles(self.m)
        for kind in (NATURAL, MEAN):
            self._fill(found, kind, "n" + " %d" * self.m, self.weights)
        numbers = np.hstack([self.weights, self.more, self.near])
        self._fill(found, CONVEX, "c" + " %s" * numbers.shape[1], numbers, float.hex)
        self._fill(found, INSIDE, "i %d", self.parts)
        self._fill(found, SINGLE, "%s", self.more[:, 0], lambda row: single[int(row)])
        at = self.kinds == DIVIDED
        sides = self.box[at, self.by[at]]
        halved = at.copy()
        halved[at] = self.cuts[at] == 0.5 * (sides[:, 0] + sides[:, 1])
        self._fill(found, DIVIDED, "s %d", self.by)
        for k in np.flatnonzero(at & ~halved).tolist():
            found[k] += f" {short(self.cuts[k])}"
        return found

    def _fill(self, found: list[str], kind: int, template: str, rows: np.ndarray, written: Callable[[Any], Any] = float) -> None:
        """The texts of boxes of a kind: their rows, put into a template."""
        at = np.flatnonzero(self.kinds == kind)
        texts = f"{template}\n" * len(at) % tuple(map(written, rows[at].ravel().tolist()))
        for k, text in zip(at.tolist(), (shortened(texts) if written is float.hex else texts).split("\n"), strict=False):
            found[k] = text


def _singles(m: int) -> dict[int, str]:
    """The step of the r-th row alone, from 1 on; of the negative one if r < 0."""
    return {sign * r: " ".join(["n", *["0"] * (r - 1), str(sign), *["0"] * (m - r)]) for r in range(1, m + 1) for sign in (1, -1)}


class Grower:
    """Grows trees of one system of a problem, named as the checker does; of triangles, of all that differ in their cells alone (`of`)."""

    def __init__(self, problem: Problem, case: Case, inside: Sequence[Box] = ()) -> None:
        """`inside`: boxes in which nothing need be excluded."""
        system = problem.system(case)
        self.rows = (*system.equations, *system.conditions)
        self.n, self.m, self.equations = len(problem.ranges(case)), len(self.rows), len(system.equations)
        tape = Tape(self.n)
        self.cells = [tape.number(float(x)) for x in system.cells]
        self.given = [*map(tape.variable, range(self.n)), *self.cells]
        ends = [len(tape.code)]
        found = [self._recorded(tape, system.program, order, ends) for order in (1, 2)]
        self.s = Memory(ProverMemory, {"n": self.n, "m": self.m, "entries": found[1].size, "registers": tape.registers,
                                       "steps": len(tape.code) + 1, "lists": max(len(inside), 1), "room": _ROOM})
        s = self.s
        s["code"][:len(tape.code)] = np.array(tape.code, np.int64).reshape(-1, 4)
        s["begin"][:] = 0, *ends
        s["call"][:len(tape.calls)] = addresses(tape.calls)
        s["where"][:] = found
        s["ball"][:] = constants_of(tape)
        s.set("base", s["ball"].ctypes.data)
        s.set("equations", self.equations)
        s.set("scaled", int(problem.question != "contact" or case.room is not None or self.n != 5))
        s.set("objective", self.n - 1 if problem.question == "contact" and case.room is None else -1)
        s.set("listed", len(inside))
        s["inner"][:len(inside)] = np.array(inside, float).reshape(-1, self.n, 2)
        compiled(native_evaluate.prepare)(s.address)

    def of(self, cells: Sequence[Any]) -> "Grower":
        """With these cells."""
        for register, x in zip(self.cells, cells, strict=True):
            self.s["ball"][register.at, :LANES] = float(x)
        return self

    def _recorded(self, tape: Tape, program: Any, order: int, ends: list[int]) -> np.ndarray:
        """The registers of entries of jets up to an order."""
        n, m = self.n, self.m
        where = np.full(m + m * n + m * n * n, -1)
        layout = program.plan(self.rows, order, tuple(range(n)))[0]
        places = [{r: place, **{m + r * n + i: at for i, at in slopes.items()},
                   **{m + m * n + (r * n + a) * n + b: at for (i, j), at in second.items() for a, b in ((i, j), (j, i))}}
                  for r, (place, slopes, second) in enumerate(layout)]
        balls = tape.run(program, [at for row in places for at in row.values()], self.given)
        for row in places:
            for entry, at in row.items():
                where[entry] = balls[at].at
        ends.append(len(tape.code))
        return where

    def jets(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At points (N, n): values (N, m) and derivatives (N, m, n), nearly."""
        found, m, n = self.balls(points, points, 1)[0], self.m, self.n
        return found[:, :m], found[:, m:m + m * n].reshape(-1, m, n)

    def balls(self, lo: np.ndarray, hi: np.ndarray, order: int) -> np.ndarray:
        """Middles and radii of all entries of jets over boxes (N, n), nearly: (2, N, entries)."""
        s, parts = self.s, list[np.ndarray]()
        for k in range(0, len(lo), LANES):
            count = len(lo[k:k + LANES])
            s["lo"][:, :count], s["hi"][:, :count] = lo[k:k + LANES].T, hi[k:k + LANES].T
            compiled(native_evaluate.jets)(s.address, order)
            parts.append(s["jet"][OVER].reshape(-1, 2, LANES)[:, :, :count].transpose(1, 2, 0).copy())
        return np.concatenate(parts, axis=1)

    # -- trees ----------------------------------------------------------------------------------------------------

    def grow(self, root: Box, most: int, alive: Callable[[], bool], enough: float = np.inf) -> Tree:
        """A tree over a box, grown until it is complete, has `most` boxes or some more, no box that begins before `enough` is open, or no
        time is left.
        """
        s = self.s
        s["box"][0] = root
        s["near"][0] = np.nan
        for name, value in {"kind": OPEN, "depth": 0, "child": -1, "sibling": -1, "key": root[-1][0]}.items():
            s[name][0] = value
        for name, value in {"root": 0, "used": 1}.items():
            s.set(name, value)
        blocks = _FIRST
        while True:
            reason = compiled(native_grow.grow)(s.address, min(blocks, 1 + max(most, 0) // (2 * LANES)))
            if reason == native_grow.FULL:
                s.double("room")
            if (reason in (native_grow.GROWN, native_grow.STUCK) or s.number("used") >= most
                    or s["key"][int(s.number("root"))] >= enough or not alive()):
                return Tree(s)
            blocks = min(2 * blocks, _SLICE)


def short(x: float) -> str:
    """A double, as a checker reads it, short where it can be."""
    return str(int(x)) if x == int(x) and abs(x) < 1e6 else shortened(float(x).hex())


def shortened(text: str) -> str:
    """Doubles without zeros at their ends."""
    return re.sub(r"\.?0+p", "p", text)
