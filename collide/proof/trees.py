"""The prover: a tree of steps that shows that a system has no solution in a box, or how far it comes.

The search for steps is native (`native.grow`); here it is given its formulas and its memory, and what it finds is written down.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory
from codegen.machine.structures import LANES

from .checker.problem import Problem
from .native import evaluate as native_evaluate
from .native import grow as native_grow
from .native.memory import CONVEX, DIVIDED, INSIDE, MEAN, NATURAL, OPEN, OVER, SINGLE, ProverMemory
from .tape import Ball, Tape, addresses, constants_of

# Blocks of boxes, at most, until the time is looked at; boxes for which there is room at first.
_SLICE, _ROOM = 64, 1 << 12
Box = Sequence[tuple[float, float]]


class Stuck(Exception):
    """No tree of so many steps was found."""


class Tree:
    """A tree as it is grown so far. `used`: how many boxes it has; `open_from`: where the first open one begins, in the last variable,
    or infinity for a complete tree.
    """

    def __init__(self, s: Memory) -> None:
        self.used, self.m = int(s.number("used")), int(s.number("m"))
        self.kinds, self.parts, self.by, self.cuts = (s[name][:self.used].tolist() for name in ("kind", "part", "by", "cut"))
        self.begins = s["box"][:self.used, s.number("n") - 1, 0].tolist()
        self.weights, self.more, self.near = (s[name][:self.used].copy() for name in ("weights", "more", "near"))
        self.open_from = min((begin for begin, kind in zip(self.begins, self.kinds, strict=True) if kind == OPEN), default=np.inf)

    def lines(self, until: float = np.inf) -> list[str]:
        """The tree in preorder; boxes that begin after `until` are left out."""
        kinds, parts = self.kinds, self.parts
        result, stack = list[str](), [0]
        while stack:
            k = stack.pop()
            if self.begins[k] > until:
                result.append("l")
            elif kinds[k] == DIVIDED:
                result.append(f"s {self.by[k]} {short(self.cuts[k])}")
                stack += [parts[k] + 1, parts[k]]
            elif kinds[k] == INSIDE:
                result.append(f"i {parts[k]}")
            else:
                result.append(self._step(k, kinds[k]))
        return result

    def _step(self, k: int, kind: int) -> str:
        if kind == OPEN:
            raise Stuck
        more, weights = self.more[k].tolist(), self.weights[k].tolist()
        if kind == SINGLE:
            row = int(abs(more[0])) - 1
            return " ".join(["n", *["0"] * row, "1" if more[0] > 0 else "-1", *["0"] * (self.m - row - 1)])
        if kind == CONVEX:
            return " ".join(["c", *map(short, [*weights, *more, *self.near[k].tolist()])])
        assert kind in (NATURAL, MEAN)
        return " ".join(["n" if kind == NATURAL else "m", *map(short, weights)])


class Grower:
    """Grows trees of one system of a problem, named as the checker does; of triangles, of all that differ in their corners alone (`of`)."""

    def __init__(self, problem: Problem, system: tuple[Any, ...], inside: Sequence[Box] = ()) -> None:
        """`inside`: boxes in which nothing need be excluded."""
        rows = problem.system(*system)
        self.n, self.m, self.equations = rows.program.variables - len(rows.corners), len(rows.program.rows), rows.equations
        tape = Tape(self.n)
        self.corners = [tape.number(float(x)) for x in rows.corners]
        self.given = [*map(tape.variable, range(self.n)), *self.corners]
        quick = problem.built(tape, *system)
        ends = [len(tape.code)]
        found = [self._recorded(tape, quick.program, order, ends) for order in (1, 2)]
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
        s.set("scaled", int(system[0] != "common point" or self.n != 5))
        s.set("objective", self.n - 1 if system[0] == "common point" else -1)
        s.set("listed", len(inside))
        s["inner"][:len(inside)] = np.array(inside, float).reshape(-1, self.n, 2)
        compiled(native_evaluate.prepare)(s.address)

    def of(self, corners: Sequence[Any]) -> "Grower":
        """With these corners."""
        for register, x in zip(self.corners, corners, strict=True):
            self.s["ball"][register.at, :LANES] = float(x)
        return self

    def _recorded(self, tape: Tape, program: Any, order: int, ends: list[int]) -> np.ndarray:
        """The registers of entries of jets up to an order."""
        n, m = self.n, self.m
        where = np.full(m + m * n + m * n * n, -1)
        for r, (value, slope, second) in enumerate(program.jets(self.given, order, range(n))):
            entries = {r: value, **{m + r * n + i: d for i, d in slope.items()}}
            for (i, j), d in second.items() if order > 1 else ():
                entries |= {m + m * n + (r * n + a) * n + b: d for a, b in ((i, j), (j, i))}
            for k, d in entries.items():
                where[k] = d.at if isinstance(d, Ball) else tape.lifted(d).at
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

    def grow(self, root: Box, most: int, alive: Callable[[], bool]) -> Tree:
        """A tree over a box, grown until it is complete, has `most` boxes or some more, or no time is left."""
        s = self.s
        s["box"][0] = root
        s["near"][0], s["weights"][0] = np.nan, 0.0
        for name, value in {"kind": OPEN, "depth": 0, "child": -1, "sibling": -1, "key": root[-1][0]}.items():
            s[name][0] = value
        for name, value in {"root": 0, "used": 1}.items():
            s.set(name, value)
        while True:
            reason = compiled(native_grow.grow)(s.address, min(_SLICE, 1 + max(most, 0) // (2 * LANES)))
            if reason == native_grow.FULL:
                s.double("room")
            if reason in (native_grow.GROWN, native_grow.STUCK) or s.number("used") >= most or not alive():
                return Tree(s)


def short(x: float) -> str:
    """A double, as a checker reads it, short where it can be."""
    if x == int(x) and abs(x) < 1e6:
        return str(int(x))
    head, _, exponent = x.hex().partition("p")
    return f"{head.rstrip('0').rstrip('.')}p{exponent}" if "." in head else x.hex()
