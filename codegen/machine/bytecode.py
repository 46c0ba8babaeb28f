"""Programs for the interpreter (`interpreter`), those of expression graphs: ready in a millisecond, where LLVM takes 20 to 200 for code.

The frame of a program holds vectors of lanes,

    where results go | constants | x | p | intermediate values, whose room is used again

of x and p as many as the graph uses.
"""

import marshal
import struct
import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..emit.lanes import WIDTH, Emit, Kind
from ..emit.room import UNKNOWN, is_large
from ..emit.translate import Translation, Values, vectors
from ..graph.expr import Expr, reachable
from .interpreter import HEADER, LEAVE, NEAREST, UPWARD, VECTOR, Instruction, Library, operation, output

_REPEATED = frozenset({"integral", "inverse", "sum", "union", "loop", "flow"})
_NONE = np.empty(0)


def interpretable(outputs: Sequence[Expr]) -> bool:
    """Whether the interpreter can evaluate a graph. It takes no repetitions."""
    return not any(e.op in _REPEATED for e in reachable(outputs))


class ProgramStep(NamedTuple):
    """An instruction with the vectors it takes and makes, and other operands."""

    instruction: Instruction
    arguments: tuple[int, ...]
    results: tuple[int, ...] = ()
    rest: tuple[int, ...] = ()


class Layout(NamedTuple):
    """A program without addresses, as it is kept on disk: its `words` from the header on, with the number of a symbol at the `places` where
    functions are called; `counts`: how many vectors there are of constants, of x and of p; and see `assembled`.
    """

    rounding: str
    pointers: int
    room: int
    counts: tuple[int, int, int]
    symbols: tuple[str, ...]
    places: np.ndarray
    words: np.ndarray
    constants: np.ndarray
    unknown: np.ndarray

    @property
    def steps(self) -> int:
        """The number of instructions."""
        return len(self.places)

    def packed(self) -> bytes:
        return zlib.compress(marshal.dumps(tuple(e.tobytes() if isinstance(e, np.ndarray) else e for e in self), 2), 1)


def unpacked(data: bytes) -> Layout:
    """Unpack the result of `packed`."""
    *numbers, places, words, constants, unknown = marshal.loads(zlib.decompress(data))
    arrays = (np.frombuffer(e, kind) for e, kind in ((places, np.int64), (words, np.int64), (constants, np.float64), (unknown, np.float64)))
    return Layout(*numbers, *arrays)


def _library(rounding: str) -> Library:
    return NEAREST if rounding == "nearest" else UPWARD


class Program:
    """Words at `address` for `interpreter.enter` at `entry`, and how many bytes they take with the constants (`size`); a frame that is
    `large` is no part of the stack. There are its functions.
    """

    def __init__(self, layout: Layout) -> None:
        library, size = _library(layout.rounding), VECTOR * layout.room
        self.large = is_large(size)
        self._unknown, self._calls, self._constants = layout.unknown, np.zeros(1, np.int64), np.repeat(layout.constants, WIDTH)
        head = [self._calls.ctypes.data, size, self._constants.ctypes.data, *layout.counts, self._unknown.ctypes.data,
                len(self._unknown) // WIDTH]
        assert len(head) == HEADER
        self._words = np.concatenate([np.array(head, np.int64), layout.words])
        functions = np.array([library.address[symbol] for symbol in layout.symbols], np.int64)
        self._words[HEADER + layout.places] = functions[layout.words[layout.places]]
        self.address, self.entry = self._words.ctypes.data, library.enter(self.large, layout.pointers)
        self.size = self._words.nbytes + self._constants.nbytes + self._unknown.nbytes

    def count_at(self, address: int) -> None:
        """Count its calls there."""
        self._words[0] = address


def assembled(steps: Sequence[ProgramStep], constants: dict[bytes, int], rounding: str,
              inputs: tuple[Sequence[int], Sequence[int]] = ((), ()), pointers: int = 0, unknown: np.ndarray = _NONE) -> Layout:
    """The layout of the program of these steps.

    `constants`: the number of a vector by the bytes of its double; `inputs`: those of vectors of x and of p; `pointers`: see
    `interpreter.enter`; `unknown`: what is written where memory is refused.
    """
    # Single operations of straight-line code are no better for LLVM's efforts.
    _library(rounding).need([step.instruction for step in steps], 0 if pointers else 2)
    place, room = _places(steps, [*constants.values(), *inputs[0], *inputs[1]])
    symbols, places, words = dict[str, int](), list[int](), list[int]()
    for step in steps:
        places.append(len(words))
        words += [symbols.setdefault(step.instruction.symbol, len(symbols)),
                  *(VECTOR * place[v] for v in (*step.arguments, *step.results)), *step.rest]
    return Layout(rounding, pointers, room, (len(constants), len(inputs[0]), len(inputs[1])), tuple(symbols),
                  np.array(places, np.int64), np.array(words, np.int64), np.array([struct.unpack("<d", x)[0] for x in constants]), unknown)


def kernel_layout(outputs: Sequence[Expr], kind: Kind, bounded: bool = False) -> Layout:
    """The layout of the program of a graph that is `interpretable`. `bounded`: see `Kernel`."""
    writer = _Writer(outputs, kind, bounded)
    return assembled(writer.steps, writer.constants, "nearest" if kind == "points" else "upward",
                     (writer.inputs["variable"], writer.inputs["parameter"]),
                     unknown=np.tile(np.repeat(UNKNOWN[kind], WIDTH), len(outputs)))


def known_layout(data: bytes | None) -> Layout | None:
    """The layout of a program that was packed, if there is one and its functions need not be written anew."""
    layout = None if data is None else unpacked(data)
    return layout if layout is not None and _library(layout.rounding).has(layout.symbols) else None


def _places(steps: Sequence[ProgramStep], fixed: Sequence[int]) -> tuple[dict[int, int], int]:
    """The place in the frame of every vector, and how many places there are. A place is used again after the last step that needs it: a
    step loads all it takes before it stores what it makes.
    """
    place = {v: 1 + k for k, v in enumerate(fixed)}
    last = {v: k for k, step in enumerate(steps) for v in (*step.results, *step.arguments)}
    last |= dict.fromkeys(fixed, len(steps))
    room, free = 1 + len(fixed), []
    for k, step in enumerate(steps):
        free += [place[v] for v in dict.fromkeys(step.arguments) if last[v] == k]
        for v in step.results:
            if not free:
                free, room = [room], room + 1
            place[v] = free.pop()
        free += [place[v] for v in step.results if last[v] == k]
    return place, room


class _Writer(Translation):
    """Notes the steps to all outputs. Vectors are numbered from 1."""

    def __init__(self, outputs: Sequence[Expr], kind: Kind, bounded: bool = False) -> None:
        super().__init__(outputs, kind, bounded)
        self.steps: list[ProgramStep] = []
        self.constants: dict[bytes, int] = {}
        self.inputs: dict[str, list[int]] = {"variable": [], "parameter": []}
        self.count = 0
        self._run()

    def _new(self) -> int:
        self.count += 1
        return self.count

    def number(self, x: float) -> int:
        key = struct.pack("<d", x)
        if key not in self.constants:
            self.constants[key] = self._new()
        return self.constants[key]

    def input(self, e: Expr) -> Values:
        """Those before it count as used, too."""
        size, known = vectors(self.kind)[0], self.inputs[e.op]
        while len(known) < size * (e.value + 1):
            known.append(self._new())
        return tuple(known[size * e.value:size * (e.value + 1)])

    def apply(self, name: str, emit: Emit, *args: int, short: bool = False) -> Values:
        instruction, count = operation(name, emit, len(args))
        results = tuple(self._new() for _ in range(count))
        self.steps.append(ProgramStep(instruction, args, results))
        return results

    def excess(self) -> int:
        return self._excess

    def _run(self) -> None:
        wanted: dict[int, list[int]] = {}
        for k, e in enumerate(self.outputs):
            wanted.setdefault(e.index, []).append(k)
        size = vectors(self.kind)[1]
        self._excess = self.make_excess() if self.bounded else 0
        for e in self.order:
            self.node(e)
            for k in wanted.get(e.index, ()):
                self.steps.append(ProgramStep(output(size), self.results(e), rest=(VECTOR * size * k,)))
        self.steps.append(ProgramStep(LEAVE, ()))
