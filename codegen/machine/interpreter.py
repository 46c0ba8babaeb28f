"""The interpreter's native side: a function for each operation, which calls that of the next instruction, and `enter`, which begins.

    enter(ptr x, ptr p, ptr out, ptr program)       evaluates one block of lanes of a kernel
    enter5(ptr a0, ..., ptr a4, ptr program)        runs straight-line code of so many pointers (`recording`)

A program is an array of 64-bit words. Its first `HEADER` words are the address of its counter of calls, the bytes of its frame, the
address of its constants, how many vectors there are of these, of x and of p, and, for a frame that is too large for the stack, what goes
into out where memory for it is refused, as an address and a number of vectors. Instructions follow: the address of a function, then
its operands, which are the offsets in the frame of arguments and results. The frame begins with a vector of the pointers, or of out
alone. All functions have the signature (ptr frame, ptr instruction) and end in a tail call, so a program runs through them without a
loop (threaded code: Bell, Comm. ACM 16, 1973).

The operations are emitted by the functions that compiled kernels use, and have the same bits.
"""

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..emit.entry import add_entry
from ..emit.lanes import WIDTH, Emit, Lanes, Module
from ..emit.room import add_with_room
from . import cache, waited
from .native import Code, code_key

VECTOR = 8 * WIDTH
"""Bytes a vector."""

HEADER = 8
"""Words before the first instruction."""


class Instruction(NamedTuple):
    """An instruction: so many operands, and `write`, which is given them. `symbol` says all there is to know about it."""

    symbol: str
    operands: int
    write: Callable[[Lanes, list[str]], None]


def operation(name: str, emit: Emit, arguments: int, numbers: int = 0) -> tuple[Instruction, int]:
    """The instruction that applies an operation to vectors, which are followed by its results, and how many these are. `numbers`: so many
    doubles come last among the operands, as they are, and go to the operation in every lane.
    """
    results = _results(name, emit, arguments + numbers)

    def write(L: Lanes, operands: list[str]) -> None:
        places = [_place(L, offset) for offset in operands[:arguments + results]]
        values = [L.emit(f"load {L.vector}, ptr {at}, align {VECTOR}") for at in places[:arguments]]
        values += [_everywhere(L, word) for word in operands[arguments + results:]]
        for value, at in zip(emit(L, *values), places[arguments:], strict=True):
            L.lines.append(f"  store {L.vector} {value}, ptr {at}, align {VECTOR}")

    return Instruction(f"{name}_{arguments}", arguments + results + numbers, write), results


def _everywhere(L: Lanes, word: str) -> str:
    """The double that a word is, in every lane."""
    one = L.emit(f"insertelement {L.vector} poison, double {L.emit(f'bitcast i64 {word} to double')}, i64 0")
    return L.emit(f"shufflevector {L.vector} {one}, {L.vector} poison, <{L.width} x i32> zeroinitializer")


_counts: dict[tuple[str, int], int] = {}


def _results(name: str, emit: Emit, arguments: int) -> int:
    if (name, arguments) not in _counts:
        _counts[name, arguments] = len(emit(Lanes({}), *("%a" for _ in range(arguments))))
    return _counts[name, arguments]


@functools.cache
def output(vectors: int) -> Instruction:
    """Writes vectors to where results go, at the offset that is the last operand."""
    def write(L: Lanes, operands: list[str]) -> None:
        to = L.emit(f"getelementptr i8, ptr {L.emit('load ptr, ptr %s')}, i64 {operands[-1]}")
        for k, offset in enumerate(operands[:-1]):
            L.store(to, k, L.emit(f"load {L.vector}, ptr {_place(L, offset)}, align {VECTOR}"))

    return Instruction(f"output_{vectors}", vectors + 1, write)


LEAVE = Instruction("leave", 0, lambda L, operands: None)
"""The last instruction."""


class Library:
    """The functions of one rounding mode, compiled when first wanted, many at once."""

    def __init__(self, rounding: str) -> None:
        self.rounding = rounding
        self.address: dict[str, int] = {}
        self._alive: list[Code] = []
        self._lock = threading.RLock()

    def need(self, instructions: Iterable[Instruction], opt: int = 2) -> dict[str, int]:
        """Addresses by symbol, of these at least; made with so much effort."""
        with self._lock:
            new = {i.symbol: i for i in instructions if i.symbol not in self.address}
            if new:
                self._link(tuple(sorted(new)), lambda module: _define_all(module, new.values()), opt)
            return self.address

    def has(self, symbols: Iterable[str], opt: int = 2) -> bool:
        """Whether all these functions are linked, or their code is in the cache, together."""
        with self._lock:
            new = tuple(sorted({symbol for symbol in symbols if symbol not in self.address}))
            code = cache.load(self._key(new, opt)) if new else None
            if code is not None:
                self._add(code, new)
            return code is not None or not new

    def enter(self, large: bool, pointers: int = 0) -> int:
        """The address of `enter`, for frames on the stack or for `large` ones; or of that for so many `pointers`."""
        name = f"enter{pointers or ''}{'_large' if large else ''}"
        with self._lock:
            if name not in self.address:
                self._link((name,), lambda module: _enter(module, name, large, pointers), 0 if pointers else 2)
            return self.address[name]

    def _link(self, symbols: tuple[str, ...], add: Callable[[Module], object], opt: int) -> None:
        def given() -> tuple[str, None, int]:
            module = Module(rounding=self.rounding)
            add(module)
            return module.text(), None, opt

        self._add(waited.kept(self._key(symbols, opt), "text", given), symbols)

    def _key(self, symbols: tuple[str, ...], opt: int) -> str:
        return code_key("instructions", repr(symbols), self.rounding, str(opt))

    def _add(self, made: bytes, symbols: tuple[str, ...]) -> None:
        code = Code(made, symbols)
        self._alive.append(code)
        self.address |= code.address


UPWARD, NEAREST = Library("upward"), Library("nearest")


def _define_all(module: Module, instructions: Iterable[Instruction]) -> None:
    for instruction in instructions:
        _define(module, instruction)


def _define(module: Module, instruction: Instruction) -> None:
    L = module.lanes()
    offsets = [L.emit(f"load i64, ptr {_word(L, k + 1)}") for k in range(instruction.operands)]
    instruction.write(L, offsets)
    if instruction is not LEAVE:
        following = _word(L, instruction.operands + 1)
        function = L.emit(f"load ptr, ptr {following}")
        L.lines.append(f"  musttail call void {function}(ptr %s, ptr {following})")
    body = "\n".join(L.lines)
    module.add(instruction.symbol, f"define void @{instruction.symbol}(ptr %s, ptr %i) #2 {{\n{body}\n  ret void\n}}")


def _place(L: Lanes, offset: str) -> str:
    return L.emit(f"getelementptr i8, ptr %s, i64 {offset}")


def _word(L: Lanes, k: int) -> str:
    return L.emit(f"getelementptr i64, ptr %i, i64 {k}")


def _enter(module: Module, name: str, large: bool, pointers: int = 0) -> None:
    """Counts the call, and runs the program with a frame."""
    given = [f"%a{k}" for k in range(pointers)] or ["%x", "%p", "%out"]
    parameters = ", ".join(f"ptr {a}" for a in [*given, "%i"])
    copied = [] if pointers else [("x", "%x"), ("p", "%p")]
    module.add("run", _run(module.lanes(), parameters, given if pointers else ["%out"], copied))
    L = module.lanes()
    calls, size, values, count = (L.emit(f"load {kind}, ptr {_word(L, k)}") for k, kind in ((0, "ptr"), (1, "i64"), (6, "ptr"), (7, "i64")))
    more = L.emit(f"add i64 {L.emit(f'load i64, ptr {calls}')}, 1")
    L.lines.append(f"  store i64 {more}, ptr {calls}")
    cut = len(L.lines)
    _copy(L, "unknown", "refused", values, given[-1], count)
    add_with_room(module, "begin", parameters, size, large, [f"  call void @run({parameters}, ptr %room)"], L.lines[cut:], L.lines[:cut])
    add_entry(module, name, "begin", parameters, parameters)


def _run(L: Lanes, parameters: str, kept: Sequence[str], copied: Sequence[tuple[str, str]]) -> str:
    """A function that fills the frame ``%s``, with the pointers that are kept, the constants, and what is copied, and begins."""
    header = [L.emit(f"load {'ptr' if k == 2 else 'i64'}, ptr {_word(L, k)}") for k in range(2, 6)]
    for k, pointer in enumerate(kept):
        L.lines.append(f"  store ptr {pointer}, ptr {L.emit(f'getelementptr ptr, ptr %s, i64 {k}')}")
    to, label = L.emit(f"getelementptr i8, ptr %s, i64 {VECTOR}"), "entry"
    for (name, source), count in zip([("constants", header[0]), *copied], header[1:], strict=False):
        _copy(L, f"copy_{name}", label, source, to, count)
        label = f"copy_{name}.done"
        to = L.emit(f"getelementptr {L.vector}, ptr {to}, i64 {count}")
    first = _word(L, HEADER)
    L.lines.append(f"  call void {L.emit(f'load ptr, ptr {first}')}(ptr %s, ptr {first})")
    body = "\n".join(L.lines)
    return f"define internal void @run({parameters}, ptr %s) #2 {{\nentry:\n{body}\n  ret void\n}}"


def _copy(L: Lanes, name: str, before: str, source: str, to: str, count: str) -> None:
    """A loop over vectors."""
    k = f"%{name}.k"
    L.lines += [f"  br label %{name}", f"{name}:", f"  {k} = phi i64 [ 0, %{before} ], [ {k}1, %{name}.next ]",
                f"  {k}more = icmp slt i64 {k}, {count}", f"  br i1 {k}more, label %{name}.next, label %{name}.done", f"{name}.next:"]
    value = L.emit(f"load {L.vector}, ptr {L.emit(f'getelementptr {L.vector}, ptr {source}, i64 {k}')}, align 8")
    L.lines += [f"  store {L.vector} {value}, ptr {L.emit(f'getelementptr {L.vector}, ptr {to}, i64 {k}')}, align 8",
                f"  {k}1 = add i64 {k}, 1", f"  br label %{name}", f"{name}.done:"]
