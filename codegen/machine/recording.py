"""Straight-line code as a program for the interpreter, instruction by instruction as it was written: the bits are those of machine code.

What is recorded: vectors that are loaded from the pointers given and stored there, at places known now, and whatever computes vectors,
masks and integers from vectors in between. Of anything else, as branches, there is no program.
"""

import functools
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256

from ..emit.lanes import Declarations, Lanes
from .bytecode import Program, ProgramStep, assembled
from .interpreter import LEAVE, VECTOR, Instruction

# As many pointers as a vector holds.
MOST_POINTERS = 8

_PLACE = re.compile(r"getelementptr (?:inbounds )?<8 x double>, ptr %(\w+), i64 (\d+)")
_STORE = re.compile(r"store <8 x double> (.+), ptr (%r\d+), align 8")
_LOAD = ["load <8 x double>, ptr ", ", align 8"]
_VALUE = re.compile(r"(%r\d+|splat \(double 0x[0-9A-F]{16}\))")
_KNOWN = re.compile(r"fneg|f?(?:add|sub|mul)|fdiv|[fi]cmp|select|and|or|xor|shl|lshr|bitcast|shufflevector|call <8 x \w+> @llvm\.")
_TYPE = re.compile(r"<8 x (?:double|i1|i64)>")
_DOUBLE, _MASK = "<8 x double>", "<8 x i1>"


def recorded(L: Lanes, pointers: Sequence[str]) -> Program | None:
    """The program of what was written by `L` for these pointers; None if there is none, or none that needs no memory but the stack: where
    that is refused, straight-line code has nothing to say.
    """
    if len(pointers) > MOST_POINTERS:
        return None
    try:
        made = _Recording(L, pointers)
    except _Unknown:
        return None
    program = Program(assembled(made.steps, made.constants, L.rounding, pointers=len(pointers)))
    return None if program.large else program


class _Unknown(Exception):
    """An instruction that is not recorded."""


class _Recording:
    """The steps of lines. Vectors are numbered from 1. A comparison that is used once becomes a part of what uses it."""

    def __init__(self, L: Lanes, pointers: Sequence[str]) -> None:
        _declared.update(L.intrinsics)
        lines = [(name, _VALUE.split(what)) for name, _, what in (line[2:].partition(" = ") for line in L.lines)]
        self._uses = Counter(value for name, parts in lines for value in (parts[1::2] or _VALUE.findall(name)))
        self._pointers = {name: 8 * k for k, name in enumerate(pointers)}
        self.constants: dict[bytes, int] = {}
        self._numbers: dict[str, int] = {}
        self._types: dict[str, str] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._later: dict[str, tuple[str, list[str]]] = {}
        self.steps: list[ProgramStep] = []
        for name, parts in lines:
            self._line(name, parts)
        self.steps.append(ProgramStep(LEAVE, ()))

    def _line(self, name: str, parts: list[str]) -> None:
        """``name = parts``, of which each second one is a value; or what has no value, a store."""
        what = parts[0]
        if what.startswith("load"):
            if parts[::2] != _LOAD:
                raise _Unknown
            self.steps.append(ProgramStep(_READ, (), (self._new(name, _DOUBLE),), self._place(parts[1])))
        elif what.startswith("getelementptr"):
            if not (found := _PLACE.fullmatch(what)) or found[1] not in self._pointers:
                raise _Unknown
            self._places[name] = self._pointers[found[1]], VECTOR * int(found[2])
        elif what:
            self._computed(name, "\0".join(parts[::2]), parts[1::2])
        elif found := _STORE.fullmatch(name):
            self.steps.append(ProgramStep(_WRITE, (self._number(found[1]),), (), self._place(found[2])))
        else:
            raise _Unknown

    def _place(self, name: str) -> tuple[int, int]:
        if name not in self._places:
            raise _Unknown
        return self._places[name]

    def _new(self, name: str, kind: str) -> int:
        self._types[name] = kind
        number = self._numbers[name] = len(self._numbers) + 1
        return number

    def _number(self, value: str) -> int:
        if value not in self._numbers:
            if value.startswith("%"):
                raise _Unknown
            self.constants[struct.pack("<Q", int(value[14:-1], 16))] = self._new(value, _DOUBLE)
        return self._numbers[value]

    def _computed(self, name: str, text: str, values: list[str]) -> None:
        kind = _result(text)
        if text.startswith("fcmp") and self._uses[name] == 1:
            self._later[name] = text, values
            return
        texts, given = [text], list[str]()
        for value in values:
            before, inner = self._later.pop(value, ("", [value]))
            texts.append(before)
            given += inner
        order = {value: k for k, value in enumerate(dict.fromkeys(given))}
        numbers = tuple([self._number(value) for value in order])
        types = tuple([self._types[value] for value in order])
        instruction = _instruction(tuple(texts), tuple([order[value] for value in given]), types, kind)
        self.steps.append(ProgramStep(instruction, numbers, (self._new(name, kind),)))


_declared: Declarations = {}
"""Declarations of LLVM's functions by their names."""


@functools.lru_cache(maxsize=4096)
def _result(text: str) -> str:
    """The type of what an operation makes."""
    types = _TYPE.findall(text)
    if not _KNOWN.match(text) or not types:
        raise _Unknown
    return _MASK if text[1:4] == "cmp" else types[-1] if text.startswith(("select", "bitcast")) else types[0]


@functools.lru_cache(maxsize=4096)
def _instruction(texts: tuple[str, ...], given: tuple[int, ...], types: tuple[str, ...], kind: str) -> Instruction:
    """An operation, the first text; the others are the comparisons that make its values, or empty for those that are given. `given`: the
    numbers of arguments of these `types`, in their order.
    """
    def write(L: Lanes, operands: list[str]) -> None:
        L.intrinsics.update((name, _declared[name]) for text in texts for name in re.findall(r"@(llvm\.[\w.]+)", text))
        arguments = [L.emit(f"load {each}, ptr {_at(L, '%s', operands[k])}") for k, each in enumerate(types)]
        rest = (arguments[k] for k in given)
        values = [L.emit(_filled(text, rest)) if text else next(rest) for text in texts[1:]]
        result = L.emit(_filled(texts[0], iter(values)))
        L.lines.append(f"  store {kind} {result}, ptr {_at(L, '%s', operands[-1])}")

    return Instruction("recorded_" + sha256(f"{texts} {given} {types}".encode()).hexdigest()[:16], len(types) + 1, write)


def _filled(text: str, values: Iterator[str]) -> str:
    first, *others = text.split("\0")
    return first + "".join(next(values) + other for other in others)


def _at(L: Lanes, begin: str, offset: str) -> str:
    return L.emit(f"getelementptr i8, ptr {begin}, i64 {offset}")


def _far(L: Lanes, pointer: str, offset: str) -> str:
    """The place at an offset of a pointer that is in the frame."""
    return _at(L, L.emit(f"load ptr, ptr {_at(L, '%s', pointer)}"), offset)


def _read(L: Lanes, operands: list[str]) -> None:
    value = L.emit(f"load {L.vector}, ptr {_far(L, *operands[1:])}, align 8")
    L.lines.append(f"  store {L.vector} {value}, ptr {_at(L, '%s', operands[0])}, align {VECTOR}")


def _write(L: Lanes, operands: list[str]) -> None:
    value = L.emit(f"load {L.vector}, ptr {_at(L, '%s', operands[0])}, align {VECTOR}")
    L.lines.append(f"  store {L.vector} {value}, ptr {_far(L, *operands[1:])}, align 8")


_READ, _WRITE = Instruction("read", 3, _read), Instruction("write", 3, _write)
