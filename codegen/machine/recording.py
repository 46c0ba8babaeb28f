"""Straight-line code as a program for the interpreter, instruction by instruction as it was written: the bits are those of machine code.

What is recorded: vectors that are loaded from the pointers given and stored there, at places known now, and whatever computes vectors,
masks and integers from vectors in between. Of anything else, as branches, there is no program.
"""

import functools
import re
import struct
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from ..emit.lanes import Lanes
from .bytecode import Program, Step
from .interpreter import LEAVE, VECTOR, Instruction

# As many pointers as a vector holds.
MOST_POINTERS = 8

_PLACE = re.compile(r"  (%r\d+) = getelementptr (?:inbounds )?<8 x double>, ptr %(\w+), i64 (\d+)")
_LOAD = re.compile(r"  (%r\d+) = load <8 x double>, ptr (%r\d+), align 8")
_STORE = re.compile(r"  store <8 x double> (.+), ptr (%r\d+), align 8")
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
    program = Program(made.steps, made.constants, L.rounding, pointers=len(pointers))
    return None if program.large else program


class _Unknown(Exception):
    """An instruction that is not recorded."""


class _Recording:
    """The steps of lines. Vectors are numbered from 1. A comparison that is used once becomes a part of what uses it."""

    def __init__(self, L: Lanes, pointers: Sequence[str]) -> None:
        self._intrinsics, self._pointers = L.intrinsics, {name: 8 * k for k, name in enumerate(pointers)}
        self._uses = Counter(name for line in L.lines for name in _VALUE.findall(line.partition(" = ")[2] or line))
        self.constants: dict[bytes, int] = {}
        self._numbers: dict[str, int] = {}
        self._types: dict[str, str] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._later: dict[str, str] = {}
        self.steps = [step for line in L.lines for step in self._step(line)]
        self.steps.append(Step(LEAVE, ()))

    def _step(self, line: str) -> list[Step]:
        if found := _PLACE.fullmatch(line):
            name, pointer, k = found.groups()
            if pointer not in self._pointers:
                raise _Unknown
            self._places[name] = self._pointers[pointer], VECTOR * int(k)
            return []
        if found := _LOAD.fullmatch(line):
            return [Step(_READ, (), (self._new(found[1], _DOUBLE),), self._place(found[2]))]
        if found := _STORE.fullmatch(line):
            return [Step(_WRITE, (self._number(found[1]),), (), self._place(found[2]))]
        return self._computed(*line.strip().split(" = ", 1)) if " = " in line else self._refuse()

    def _refuse(self) -> list[Step]:
        raise _Unknown

    def _place(self, name: str) -> tuple[int, int]:
        if name not in self._places:
            raise _Unknown
        return self._places[name]

    def _new(self, name: str, kind: str) -> int:
        self._types[name] = kind
        self._numbers[name] = len(self._numbers) + 1
        return self._numbers[name]

    def _number(self, value: str) -> int:
        if value not in self._numbers:
            if value.startswith("%"):
                raise _Unknown
            self.constants[struct.pack("<Q", int(value[14:-1], 16))] = self._new(value, _DOUBLE)
        return self._numbers[value]

    def _computed(self, name: str, what: str) -> list[Step]:
        kind = _result(what)
        if what.startswith("fcmp") and self._uses[name] == 1:
            self._types[name], self._later[name] = kind, what
            return []
        lines, values = list[str](), dict[str, str]()
        what = self._written(what, lines, values)
        numbers = tuple(self._number(value) for value in values)
        text = "\n".join([*lines, what])
        instruction = _instruction(text, tuple(self._types[value] for value in values), kind, self._declared(text))
        return [Step(instruction, numbers, (self._new(name, kind),))]

    def _written(self, what: str, lines: list[str], values: dict[str, str]) -> str:
        """An operation on arguments, after lines with the comparisons that become a part of it."""
        parts = _VALUE.split(what)
        for k in range(1, len(parts), 2):
            value = parts[k]
            if value in self._later:
                lines.append(self._written(self._later.pop(value), lines, values))
                parts[k] = f"%c{len(lines) - 1}"
            else:
                parts[k] = values.setdefault(value, f"%a{len(values)}")
        return "".join(parts)

    def _declared(self, text: str) -> tuple[tuple[str, str], ...]:
        return tuple((name, self._intrinsics[name]) for name in re.findall(r"@(llvm\.[\w.]+)", text)) if "@" in text else ()


@functools.lru_cache(maxsize=4096)
def _result_of(what: str) -> str:
    types = _TYPE.findall(what)
    if not _KNOWN.match(what) or not types:
        raise _Unknown
    return _MASK if what[1:4] == "cmp" else types[-1] if what.startswith(("select", "bitcast")) else types[0]


def _result(what: str) -> str:
    """The type of what an operation makes."""
    return _result_of(_VALUE.sub("", what))


@functools.lru_cache(maxsize=4096)
def _instruction(text: str, types: tuple[str, ...], kind: str, declared: tuple[tuple[str, str], ...]) -> Instruction:
    """Lines of which the last one makes a result, all others comparisons; of arguments of these types."""
    def write(L: Lanes, operands: list[str]) -> None:
        L.intrinsics.update(declared)
        names = {f"%a{k}": L.emit(f"load {kind}, ptr {_at(L, '%s', operands[k])}") for k, kind in enumerate(types)}
        for k, line in enumerate(text.split("\n")):
            names[f"%c{k}"] = last = L.emit(re.sub(r"%[ac]\d+", lambda found: names[found[0]], line))
        L.lines.append(f"  store {kind} {last}, ptr {_at(L, '%s', operands[-1])}")

    return Instruction("recorded_" + sha256(f"{text} {types}".encode()).hexdigest()[:16], len(types) + 1, write)


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
