"""Minima and maxima of quadrics as programs for the interpreter: ready in milliseconds, however many there are, and nothing is compiled
for a new one.
"""

import ctypes
import struct
from collections.abc import Sequence

import numpy as np

from ..emit.elementary import arithmetic
from ..emit.interval_vectors import Interval, plus, times
from ..emit.lanes import WIDTH, Emit, Lanes
from ..graph.signs import LARGEST
from .bytecode import Program, Step
from .interpreter import LEAVE, operation, output

TERMS = (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)
"""The powers of the coordinates in the terms of a quadric, in the order of its coefficients."""

Pair = tuple[int, int]
"""An interval, as vectors of a program."""


class Margin:
    """A function of the points (x, y, z) of boxes, made of quadrics by `least`, `greatest` and `opposite`, and ended by `end`; then it
    *encloses* its values. Of boxes that reach further than `LARGEST` it tells nothing.
    """

    program: Program

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._constants: dict[bytes, int] = {}
        self._count = 6

    def quadric(self, coefficients: np.ndarray, centre: Sequence[float]) -> Pair:
        """Of points about a centre: `coefficients` (10, 2) hold those of the `TERMS`, and are at most `LARGEST` in size."""
        return self._add("quadric", _quadric, (1, 2, 3, 4, 5, 6), [*_ends(coefficients), *centre])

    def plane(self, coefficients: np.ndarray) -> Pair:
        """Of the last four terms."""
        return self._add("plane", _plane, (1, 2, 3, 4, 5, 6), _ends(coefficients))

    def zero(self) -> Pair:
        key = struct.pack("<d", 0.0)
        if key not in self._constants:
            self._count += 1
            self._constants[key] = self._count
        return self._constants[key], self._constants[key]

    def least(self, a: Pair, b: Pair) -> Pair:
        return self._add("least", _least, (*a, *b))

    def greatest(self, a: Pair, b: Pair) -> Pair:
        return self.opposite(self.least(self.opposite(a), self.opposite(b)))

    def opposite(self, a: Pair) -> Pair:
        return a[1], a[0]

    def end(self, value: Pair) -> "Margin":
        """This is the value of the function."""
        last = self._add("confined", _confined, (*value, 1, 2, 3, 4, 5, 6))
        self._steps += [Step(output(2), last, rest=(0,)), Step(LEAVE, ())]
        unknown = np.full(2 * WIDTH, np.inf)
        self.program = Program(self._steps, self._constants, "upward", (range(1, 7), ()), unknown=unknown)
        self._steps, self._constants = [], {}
        return self

    def _add(self, name: str, emit: Emit, arguments: tuple[int, ...], numbers: Sequence[float] = ()) -> Pair:
        instruction, _ = operation(name, emit, len(arguments), len(numbers))
        self._count += 2
        results = self._count - 1, self._count
        words = struct.unpack(f"<{len(numbers)}q", struct.pack(f"<{len(numbers)}d", *numbers))
        self._steps.append(Step(instruction, arguments, results, words))
        return results

    def bounds(self, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) each: bounds of the values in boxes from `lo` to `hi` (n, 3)."""
        count = -(-len(lo) // WIDTH)
        given = np.zeros((count * WIDTH, 6))
        given[:len(lo), ::2], given[:len(lo), 1::2] = -lo, hi
        blocks = np.ascontiguousarray(given.reshape(count, WIDTH, 6).transpose(0, 2, 1))
        found = np.empty((count, 2, WIDTH))
        call = _Call(self.program.entry)
        for block, out in zip(blocks, found, strict=True):
            call(block.ctypes.data, None, out.ctypes.data, self.program.address)
        ends = found.transpose(1, 0, 2).reshape(2, -1)[:, :len(lo)]
        return -ends[0], ends[1]


_Call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)


def _ends(coefficients: np.ndarray) -> list[float]:
    assert np.abs(coefficients).max() <= LARGEST
    return [float(e) for lo, hi in coefficients.tolist() for e in (-lo, hi)]


# -- instructions: all ends are finite where the coordinates are, which `_confined` looks at last ---------------------


def _pairs(v: Sequence[str]) -> list[Interval]:
    return list(zip(v[::2], v[1::2], strict=True))


def _quadric(L: Lanes, *v: str) -> Interval:
    """The natural extension, of coordinates about the centre; and F(m + H) as F(m) + F'(m) H and the terms of second order of H, which is
    exact but for what the terms have in common. For any point m, as the middle of the box, both hold all values.
    """
    q, centre = _pairs(v[6:26]), v[26:]
    at = [(L.add(n, c), L.sub(h, c)) for (n, h), c in zip(_pairs(v[:6]), centre, strict=True)]
    middle = [L.mul(L.const(0.5), L.sub(h, n)) for n, h in at]
    point, about = [(L.neg(m), m) for m in middle], [(L.add(n, m), L.sub(h, m)) for (n, h), m in zip(at, middle, strict=True)]
    slopes = []
    for i in range(3):
        # 2 q m, of which half would be the same with another rounding.
        total = times(L, plus(L, q[i], q[i]), point[i])
        for j in range(3):
            if j != i:
                total = plus(L, total, times(L, q[i + j + 2], point[j]))
        slopes.append(plus(L, total, q[6 + i]))
    natural, second = _sum(L, q, at), _second(L, q, about)
    taylor = plus(L, _sum(L, q, point), second)
    for slope, h in zip(slopes, about, strict=True):
        taylor = plus(L, taylor, times(L, slope, h))
    return L.min(natural[0], taylor[0]), L.min(natural[1], taylor[1])


def _second(L: Lanes, q: list[Interval], at: list[Interval]) -> Interval:
    total = times(L, q[0], arithmetic.square(L, *at[0]))
    for i in (1, 2):
        total = plus(L, total, times(L, q[i], arithmetic.square(L, *at[i])))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        total = plus(L, total, times(L, q[i + j + 2], times(L, at[i], at[j])))
    return total


def _sum(L: Lanes, q: list[Interval], at: list[Interval]) -> Interval:
    return plus(L, _second(L, q, at), _linear(L, q[6:], at))


def _linear(L: Lanes, q: list[Interval], at: list[Interval]) -> Interval:
    total = q[3]
    for c, e in zip(q, at, strict=False):
        total = plus(L, total, times(L, c, e))
    return total


def _plane(L: Lanes, *v: str) -> Interval:
    return _linear(L, _pairs(v[6:]), _pairs(v[:6]))


def _least(L: Lanes, an: str, ah: str, bn: str, bh: str) -> Interval:
    return L.max(an, bn), L.min(ah, bh)


def _confined(L: Lanes, n: str, h: str, *ends: str) -> Interval:
    """The whole line where coordinates are larger than `LARGEST`, or no numbers."""
    known = L.le(ends[0], L.const(LARGEST))
    for end in ends[1:]:
        known = L.both(known, L.le(end, L.const(LARGEST)))
    whole = L.const(np.inf)
    return L.select(known, n, whole), L.select(known, h, whole)

