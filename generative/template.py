"""Formulas without their numbers: what formulas that differ in numbers alone have in common.

SymPy orders the terms of a sum by their numbers among other things, so sin(t/3) + cos(2 t/7) and sin(5 t/7) + cos(t/9) come in no common
order. `Reader` takes the numbers out and orders what is left by its structure, as a list of instructions that can be compared and
hashed: formulas of one family give equal instructions, and `write` makes the formula of the family of these.

Small numbers are structure rather than data: exponents, the 3 of sin(3 u), the 2 pi of a whole turn. They stay.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import sympy as sp

from .symbols import Parameter, parameters_of

# What may contain numbers that vary. Anything else (conditions, integrals, functions of our own) is taken as it stands.
_FUNCTIONS = {f.__name__: f for f in (sp.Add, sp.Mul, sp.sin, sp.cos, sp.tan, sp.exp, sp.log, sp.asin, sp.acos, sp.atan, sp.atan2, sp.sinh,
                                      sp.cosh, sp.tanh, sp.Abs, sp.Min, sp.Max)}
_UNORDERED = frozenset({"Add", "Mul", "Min", "Max"})
# Integers up to this size, and fractions of such with denominators up to this one, are structure.
_INTEGER, _DENOMINATOR, _ATOMS = 1024, 32, 4

Instruction = tuple[Any, ...]
"""("is", expression), ("number", k), ("with", expression, ((parameter, k), ...)), ("power", exponent, i), or the name of a function and the
positions of its arguments."""


class Reader:
    """Reads formulas into instructions; `numbers` are those met, in this order: exact SymPy numbers, and `Parameter` symbols."""

    def __init__(self) -> None:
        self.numbers: list[Any] = []
        self._number: dict[Any, int] = {}

    def read(self, expressions: Sequence[Any]) -> tuple[tuple[Instruction, ...], tuple[int, ...]]:
        """The instructions, and the positions of the expressions among them."""
        parts: dict[Any, tuple[Any, ...]] = {}
        digests: dict[Any, bytes] = {}
        position: dict[Any, int] = {}
        made: list[Instruction] = []
        for e in expressions:
            _digest(e, parts, digests)
            self._emit(e, parts, position, made)
        return tuple(made), tuple(position[e] for e in expressions)

    def _emit(self, root: Any, parts: dict[Any, tuple[Any, ...]], position: dict[Any, int], made: list[Instruction]) -> None:
        stack = [root]
        while stack:
            e = stack[-1]
            waiting = [a for a in parts[e] if a not in position] if e not in position else []
            if waiting:
                stack += reversed(waiting)
                continue
            stack.pop()
            if e not in position:
                made.append(self._instruction(e, [position[a] for a in parts[e]]))
                position[e] = len(made) - 1

    def _instruction(self, e: Any, at: list[int]) -> Instruction:
        if at:
            return ("power", e.exp, *at) if e.is_Pow else (type(e).__name__, *at)
        if _varies(e):
            return "number", self._taken(e)
        inside = sorted(parameters_of(e), key=str)
        return ("with", e, tuple((s, self._taken(s)) for s in inside)) if inside else ("is", e)

    def _taken(self, number: Any) -> int:
        """Its place among the numbers."""
        if number not in self._number:
            self._number[number] = len(self.numbers)
            self.numbers.append(number)
        return self._number[number]


def write(instructions: Sequence[Instruction], symbols: Sequence[Any]) -> list[Any]:
    """The expression of every instruction, with the symbols in the place of the numbers."""
    built: list[Any] = []
    for name, *rest in instructions:
        if name == "is":
            built.append(rest[0])
        elif name == "with":
            built.append(rest[0].xreplace({s: symbols[k] for s, k in rest[1]}))
        elif name == "number":
            built.append(symbols[rest[0]])
        elif name == "power":
            built.append(built[rest[1]] ** rest[0])
        else:
            built.append(_FUNCTIONS[name](*(built[k] for k in rest)))
    return built


def _digest(root: Any, parts: dict[Any, tuple[Any, ...]], digests: dict[Any, bytes]) -> None:
    """Finds the parts of all nodes, in an order that no number decides."""
    stack = [root]
    while stack:
        e = stack[-1]
        if e in digests:
            stack.pop()
            continue
        if e not in parts:
            parts[e] = _parts(e)
        waiting = [a for a in parts[e] if a not in digests]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        name = type(e).__name__
        if name in _UNORDERED and len(parts[e]) > 1:
            parts[e] = tuple(sorted(parts[e], key=digests.__getitem__))
        own = _leaf(e) if not parts[e] else f"power {e.exp}" if e.is_Pow else name
        digests[e] = hashlib.sha1(b"".join([own.encode(), *(digests[a] for a in parts[e])]), usedforsecurity=False).digest()


def _leaf(e: Any) -> str:
    return "number" if _varies(e) else str(e)


def _parts(e: Any) -> tuple[Any, ...]:
    """The arguments of a node, the numbers of a sum or product as one if one of them varies; none for what is taken as it stands."""
    if e.is_Atom or e.is_number:
        return ()
    if e.is_Pow:
        return (e.base,) if e.exp.is_Rational else ()
    if type(e).__name__ not in _FUNCTIONS:
        return ()
    args: tuple[Any, ...] = e.args
    if e.is_Add or e.is_Mul:
        numbers = [a for a in args if a.is_number]
        if len(numbers) > 1 and any(_varies(a) for a in numbers):
            return (e.func(*numbers), *(a for a in args if not a.is_number))
    return args


def _varies(e: Any) -> bool:
    """Is it a number that is data rather than structure?"""
    if e.is_Rational:
        return not _small(e)
    if isinstance(e, Parameter):
        return True
    if not e.is_number or e.is_Atom:
        return False
    rationals = e.atoms(sp.Rational)
    return len(rationals) > _ATOMS or not all(map(_small, rationals))


def _small(number: Any) -> bool:
    return bool(abs(number.p) <= _INTEGER and number.q <= _DENOMINATOR)
