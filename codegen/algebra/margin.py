"""Minima and maxima of quadrics as programs for the interpreter: ready in milliseconds, however many there are, and nothing is compiled
for a new one. They bound the values in boxes, and narrow boxes to where these may be >= 0 (`margin_cuts`).
"""

import ctypes
import struct
from collections.abc import Sequence

import numpy as np

from ..emit.interval_vectors import Interval, plus, times
from ..emit.lanes import WIDTH, Emit, Lanes
from ..graph.signs import LARGEST
from ..machine.bytecode import Program, ProgramStep, assembled
from ..machine.interpreter import LEAVE, VECTOR, operation, output
from .margin_cuts import CUTS, CuttingSurface, Pair, gates_of, left, less, within
from .quadric import TERMS, centred, expanded, linear, pairs, second, total

__all__ = ["TERMS", "Margin", "Pair"]

_BOX = (1, 2, 3, 4, 5, 6)


class _Steps:
    """Steps of a program, and the vectors that there are: those of a box come first."""

    def __init__(self, steps: Sequence[ProgramStep] = (), numbers: Sequence[tuple[float, int]] = (), count: int = len(_BOX)) -> None:
        self.steps, self._numbers, self.count = [*steps], dict(numbers), count

    def copy(self) -> "_Steps":
        return _Steps(self.steps, [*self._numbers.items()], self.count)

    def new(self, count: int) -> tuple[int, ...]:
        self.count += count
        return tuple(range(self.count - count + 1, self.count + 1))

    def number(self, x: float) -> int:
        if x not in self._numbers:
            (self._numbers[x],) = self.new(1)
        return self._numbers[x]

    def add(self, name: str, emit: Emit, arguments: Sequence[int], count: int, numbers: Sequence[float] = ()) -> tuple[int, ...]:
        """The results, so many of them. `numbers` go to the operation as they are."""
        instruction, _ = operation(name, emit, len(arguments), len(numbers))
        words = struct.unpack(f"<{len(numbers)}q", struct.pack(f"<{len(numbers)}d", *numbers))
        results = self.new(count)
        self.steps.append(ProgramStep(instruction, tuple(arguments), results, words))
        return results

    def program(self, given: Sequence[int], results: Sequence[int]) -> Program:
        outputs = [ProgramStep(output(2), tuple(results[k:k + 2]), rest=(VECTOR * k,)) for k in range(0, len(results), 2)]
        constants = {struct.pack("<d", x): vector for x, vector in self._numbers.items()}
        steps, unknown = [*self.steps, *outputs, ProgramStep(LEAVE, ())], np.full(len(results) * WIDTH, np.inf)
        return Program(assembled(steps, constants, "upward", (given, ()), unknown=unknown))


class Margin:
    """A function of the points (x, y, z) of boxes, made of quadrics by `least`, `greatest` and `opposite`, and ended by `end`; then it
    *encloses* its values. Of boxes that reach further than `LARGEST` it tells nothing.
    """

    def __init__(self) -> None:
        self._steps, self._leaves, self._least = _Steps(), dict[Pair, CuttingSurface](), dict[Pair, tuple[Pair, Pair]]()
        self._narrowing: dict[int, Program] = {}

    def quadric(self, coefficients: np.ndarray, centre: Sequence[float]) -> Pair:
        """The quadric of points about a centre: `coefficients` (10, 2) hold those of the `TERMS`, and are at most `LARGEST` in size."""
        return self._leaf(CuttingSurface("quadric", _ends(coefficients), list(centre)), _quadric)

    def plane(self, coefficients: np.ndarray) -> Pair:
        """The plane of the last four terms."""
        return self._leaf(CuttingSurface("plane", _ends(coefficients), []), _plane)

    def zero(self) -> Pair:
        return self._steps.number(0.0), self._steps.number(0.0)

    def least(self, a: Pair, b: Pair) -> Pair:
        n, h = self._steps.add("least", _least, (*a, *b), 2)
        self._least[n, h] = a, b
        return n, h

    def greatest(self, a: Pair, b: Pair) -> Pair:
        return self.opposite(self.least(self.opposite(a), self.opposite(b)))

    def opposite(self, a: Pair) -> Pair:
        return a[1], a[0]

    def end(self, value: Pair) -> "Margin":
        """Make this the value of the function."""
        self._value, steps = value, self._steps.copy()
        self.program = steps.program(_BOX, steps.add("confined", _confined, (*value, *_BOX), 2))
        return self

    def narrowing(self, variables: int) -> Program:
        """A program that is called with a block of boxes of places f(x) (3, 2, lanes), boxes that hold places f(c), the Jacobian (3,
        variables, 2, lanes) of f over the boxes X of variables, X and c, both (variables, 2, lanes). It tells bounds of the values at the
        places, the upper one negative where X holds no point of which it may be >= 0, and what of X may hold any.
        """
        if variables not in self._narrowing:
            steps = self._steps.copy()
            given = *_BOX, *steps.new(6 + 10 * variables)
            places, box, centre = given[:-4 * variables], given[-4 * variables:-2 * variables], given[-2 * variables:]
            about: Sequence[int] = steps.add(f"less_{variables}", less, (*box, *centre), 2 * variables)
            for leaf, gates in gates_of(self._value, self._leaves, self._least):
                gate = steps.number(-1.0)
                for other in gates:
                    (gate,) = steps.add("larger", lambda L, a, b: (L.max(a, b),), (gate, other), 1)
                about = steps.add(f"cut_{leaf.name}_{variables}", CUTS[leaf.name], (gate, *places, *about), 2 * variables, leaf.numbers)
            found = steps.add(f"left_{variables}", left, (*self._value, *_BOX, *box, *centre, *about), 2 + 2 * variables)
            self._narrowing[variables] = steps.program(given, found)
        return self._narrowing[variables]

    def _leaf(self, leaf: CuttingSurface, emit: Emit) -> Pair:
        n, h = self._steps.add(leaf.name, emit, _BOX, 2, leaf.numbers)
        self._leaves[n, h] = leaf
        return n, h

    def bounds(self, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) each: bounds of the values in boxes from `lo` to `hi` (n, 3)."""
        ends = _called(self.program, np.stack([-lo, hi], axis=2).reshape(-1, 6), 2)
        return -ends[0], ends[1]

    def narrowed(self, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Boxes (n, 3) within those from `lo` to `hi` (n, 3) that hold all points of these where the value is not negative, and which of
        them, (n,), may hold any.
        """
        box, centre = np.stack([-lo, hi], axis=2).reshape(-1, 6), 0.5 * (lo + hi)
        point = np.stack([-centre, centre], axis=2).reshape(-1, 6)
        ways = np.tile(np.outer(np.eye(3), [-1.0, 1.0]).ravel(), (len(lo), 1))
        ends = _called(self.narrowing(3), np.concatenate([box, point, ways, box, point], axis=1), 8)
        low, high = -ends[2::2].T, ends[3::2].T
        return low, high, np.asarray((ends[1] >= 0.0) & (low <= high).all(axis=1))


def _called(program: Program, given: np.ndarray, results: int) -> np.ndarray:
    """(results, n): what a program makes of vectors (n, of them)."""
    count = -(-len(given) // WIDTH)
    padded = np.zeros((count * WIDTH, given.shape[1]))
    padded[:len(given)] = given
    blocks, found = np.ascontiguousarray(padded.reshape(count, WIDTH, given.shape[1]).transpose(0, 2, 1)), np.empty((count, results, WIDTH))
    call = _Call(program.entry)
    for block, out in zip(blocks, found, strict=True):
        call(block.ctypes.data, None, out.ctypes.data, program.address)
    return np.asarray(found.transpose(1, 0, 2).reshape(results, -1)[:, :len(given)])


_Call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


def _ends(coefficients: np.ndarray) -> list[float]:
    assert np.abs(coefficients).max() <= LARGEST
    return [float(e) for lo, hi in coefficients.tolist() for e in (-lo, hi)]


# -- instructions: all ends are finite where the coordinates are, which `_confined` looks at last ---------------------


def _quadric(L: Lanes, *v: str) -> Interval:
    """The natural extension, of coordinates about the centre; and F(m + H) as F(m) + F'(m) H and the terms of second order of H, which is
    exact except for what the terms have in common. For any point m, as the middle of the box, both hold all values.
    """
    q, at = pairs(v[6:26]), centred(L, pairs(v[:6]), v[26:])
    middle = [L.mul(L.const(0.5), L.sub(h, n)) for n, h in at]
    e = expanded(L, q, [(L.neg(m), m) for m in middle], at)
    natural, taylor = total(L, q, at), plus(L, e.value, second(L, q, e.about))
    for slope, h in zip(e.slopes, e.about, strict=True):
        taylor = plus(L, taylor, times(L, slope, h))
    return L.min(natural[0], taylor[0]), L.min(natural[1], taylor[1])


def _plane(L: Lanes, *v: str) -> Interval:
    return linear(L, pairs(v[6:]), pairs(v[:6]))


def _least(L: Lanes, an: str, ah: str, bn: str, bh: str) -> Interval:
    return L.max(an, bn), L.min(ah, bh)


def _confined(L: Lanes, n: str, h: str, *ends: str) -> Interval:
    """The whole line where coordinates are larger than `LARGEST`, or no numbers."""
    known, whole = within(L, ends), L.const(np.inf)
    return L.select(known, n, whole), L.select(known, h, whole)
