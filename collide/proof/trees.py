"""The prover: a tree of steps that shows that a system has no solution in a box, or how far it comes.

The search for steps is native (`native.grow`); here it is given its formulas and its memory, and what it finds is written down.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory
from codegen.machine.structures import LANES

from .families import Recorded
from .native import evaluate as native_evaluate
from .native import grow as native_grow
from .native.memory import OPEN, OVER, ProverMemory
from .native.text import FULL, TextMemory, write

# Blocks of boxes until the time is looked at, first and at most; boxes for which there is room at first.
_FIRST, _SLICE, _ROOM = 4, 64, 1 << 12
# Letters for which there is room at first, for each box and beside; what is written of boxes.
_LETTERS, _LONGEST = 12, 4096
WRITTEN = ("kind", "part", "by", "cut", "box", "weights", "more", "near")
Box = Sequence[tuple[float, float]]


class Stuck(Exception):
    """No tree of so many steps was found."""


class GrownTree:
    """A tree as it is grown so far. `used`: how many boxes it has; `open_from`: where the first open one begins, in the last variable,
    or infinity for a complete tree.
    """

    def __init__(self, s: Memory) -> None:
        self.used, self.sizes = int(s.number("used")), {name: int(s.number(name)) for name in ("n", "m")}
        self.arrays = {name: s[name][:self.used].copy() for name in WRITTEN}
        self.open_from = self.arrays["box"][self.arrays["kind"] == OPEN, -1, 0].min(initial=np.inf)

    def lines(self, until: float = np.inf) -> list[str]:
        """The tree in preorder, as one text; boxes that begin after `until` are left out. Raises `Stuck` where one is open that does not.
        """
        if self.open_from <= until and self.open_from < np.inf:
            raise Stuck
        s = Memory(TextMemory, {**self.sizes, "used": self.used, "room": _LETTERS * self.used + _LONGEST})
        for name, array in self.arrays.items():
            s.refer(name, array.ctypes.data)
        s.set("until", until)
        while compiled(write)(s.address) == FULL:
            s.double("room")
        return [s["text"][:int(s.number("end")) - 1].astype(np.uint8).tobytes().decode("ascii")]


class Grower:
    """Grows trees of a system that is recorded; of members of a family one after another (`of`)."""

    def __init__(self, tape: Recorded, inside: Sequence[Box] = ()) -> None:
        """`inside`: boxes in which nothing need be excluded."""
        self.n, self.m, self.equations, self.given = tape.n, tape.m, tape.equations, tape.given
        self.s = Memory(ProverMemory, {"n": self.n, "m": self.m, "entries": tape.where.shape[1], "registers": tape.registers,
                                       "steps": len(tape.code) + 1, "lists": max(len(inside), 1), "room": _ROOM})
        s = self.s
        s["code"][:len(tape.code)] = tape.code
        s["begin"][:] = tape.begin
        s["call"][:len(tape.call)] = tape.call
        s["where"][:] = tape.where
        s["ball"][:] = tape.ball
        s.set("base", s["ball"].ctypes.data)
        s.set("equations", self.equations)
        s.set("scaled", int(not tape.contact or self.n != 5))
        s.set("objective", self.n - 1 if tape.contact else -1)
        s.set("listed", len(inside))
        s["inner"][:len(inside)] = np.array(inside, float).reshape(-1, self.n, 2)

    def of(self, numbers: Sequence[float]) -> "Grower":
        """With these numbers."""
        self.s["ball"][self.given, :LANES] = np.array(numbers, float).reshape(-1, 1)
        compiled(native_evaluate.prepare)(self.s.address)
        return self

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

    def grow(self, root: Box, most: int, alive: Callable[[], bool], enough: float = np.inf) -> GrownTree:
        """A tree over a box, grown until it is complete, has `most` boxes or some more, no box that begins before `enough` is open, or no
        time is left.
        """
        s = self.s
        s["box"][0] = root
        s["near"][0] = np.nan
        s["asked"][:], s["tries"][:], s["wins"][:] = 0, 0, 0
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
                return GrownTree(s)
            blocks = min(2 * blocks, _SLICE)


def short(x: float) -> str:
    """A double, as a checker reads it, short where it can be."""
    return str(int(x)) if x == int(x) and abs(x) < 1e6 else re.sub(r"\.?0+p", "p", float(x).hex())

