"""Formulas without their numbers: what formulas have in common that differ only in their numbers.

SymPy orders the terms of a sum also by their numbers, so sin(t/3) + cos(2 t/7) and sin(5 t/7) + cos(t/9) have their terms in different
orders. `TemplateReader` takes the numbers out, and orders what is left by its structure, as a list of instructions that can be compared and
hashed. Formulas of one family give equal instructions, and from these `write` makes the formula of the family.

Some numbers are structure rather than data, and stay: exponents, and in a shape small integers, as well as small fractions of a parameter
in a sine or cosine, such as the 3 of sin(3 u) and the 2 pi of a whole turn, since they decide where the shape closes on itself. In a motion
nothing depends on small numbers in this way.
"""

import functools
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from codegen.forms.skeleton import PLAIN, Skeleton, is_small
from codegen.walk import atoms

from .symbols import Parameter, parameters_of

# Time spans are divided at the kinks of a motion, so the numbers that say where these are stay in the formula.
_KINKED = frozenset((sp.Abs, sp.Min, sp.Max))
_UNORDERED = frozenset((sp.Add, sp.Mul, sp.Min, sp.Max))
# Irrational numbers are small, too, if they are made of so many small ones at most.
_ATOMS = 4

# Readings that are kept; a template is some ten kilobytes.
_KEPT = 1024

Instruction = tuple[Any, ...]
"""("is", expression), ("number", k), ("minus", k), ("with", expression, ((parameter, k), ...)), ("power", exponent, i), or the class of a
function and the positions of its arguments."""
Formulas = tuple[tuple[Instruction, ...], tuple[int, ...]]
"""Instructions, and the positions of expressions among them."""
Group = tuple[Sequence[Any], bool]
"""Expressions that are read together, and whether those that are numbers are data, unless 0."""


class _Datum(NamedTuple):
    """A number, or a parameter, that is data. Equal numbers (up to their sign) are one datum. But small numbers of a motion may be equal by
    chance, so `place` tells them apart.
    """

    value: Any
    place: Any = None


class TemplateReader:
    """Reads formulas into instructions. `numbers` are those that it met, in this order: exact SymPy numbers, and `Parameter` symbols.
    `moves`: the formulas are those of a motion, in which all numbers are data except 0 and factors of 1 and -1. `fixed`: numbers that are
    structure.
    """

    def __init__(self, moves: bool = False, fixed: Iterable[Any] = ()) -> None:
        self.numbers: list[Any] = []
        self._moves, self._fixed = moves, {sign * e for e in fixed for sign in (1, -1)}
        self._waves: set[Any] = set()
        self._number: dict[_Datum, int] = {}
        self._numeric: dict[Any, bool] = {}
        self._parts: dict[Any, tuple[Any, ...]] = {}
        self._digests: dict[Any, bytes] = {}
        self.joined: dict[Any, Any] = {}
        """Data made of several numbers of a sum or product: the class, and these."""

    def read(self, expressions: Sequence[Any], places: bool = False) -> Formulas:
        """The instructions, and the positions of the expressions among them. `places`: those that are numbers are data, unless 0."""
        for e in expressions:
            self._find_numbers(e)
            self._waves.update(*(sp.Add.make_args(w.args[0]) for w in atoms(e, sp.sin, sp.cos)))
        roots = [self._datum(e, k) if places and self._numeric[e] and e != 0 else self._number_or(e) for k, e in enumerate(expressions)]
        position: dict[Any, int] = {}
        made: list[Instruction] = []
        for e in roots:
            self._digest(e)
            self._emit(e, position, made)
        return tuple(made), tuple(position[e] for e in roots)

    def _find_numbers(self, root: Any) -> None:
        """Find the parts that are numbers; `is_number` of SymPy recurses."""
        stack, numeric = [root], self._numeric
        while stack:
            e = stack[-1]
            waiting = [a for a in e.args if a not in numeric] if e not in numeric else []
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if e not in numeric:
                numeric[e] = all(numeric[a] for a in e.args) if e.args else bool(getattr(e, "is_number", False))

    def _digest(self, root: Any) -> None:
        """Finds the parts of all nodes, in an order that does not depend on numbers."""
        parts, digests = self._parts, self._digests
        stack = [root]
        while stack:
            e = stack[-1]
            if e in digests:
                stack.pop()
                continue
            if e not in parts:
                parts[e] = self._arguments(e)
            waiting = [a for a in parts[e] if a not in digests]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if parts[e] and type(e) in _UNORDERED:
                parts[e] = tuple(sorted(parts[e], key=digests.__getitem__))
            own = "number" if isinstance(e, _Datum) else _spelled(e) if not parts[e] else _name(e)
            digests[e] = hashlib.sha1(b"".join([own.encode(), *(digests[a] for a in parts[e])]), usedforsecurity=False).digest()

    def _arguments(self, e: Any) -> tuple[Any, ...]:
        """The arguments of a node, those numbers of a sum or product that are data as one; none for what is taken as it stands."""
        if isinstance(e, _Datum) or not e.args or self._numeric[e]:
            return ()
        if e.is_Pow:
            return (self._number_or(e.base),) if e.exp.is_Rational else ()
        if type(e) not in PLAIN or (self._moves and type(e) in _KINKED):
            return ()
        numbers = [a for a in e.args if self._numeric[a]] if e.is_Add or e.is_Mul else []
        if not self._moves and e in self._waves and not any(map(self._varies_in_wave, numbers)):
            return tuple(a if self._numeric[a] else self._number_or(a) for a in e.args)
        if not (numbers and (any(map(self._varies, numbers)) or (self._moves and (e.is_Add or numbers != [-1])))):
            return tuple(map(self._number_or, e.args))
        datum = self._datum(numbers[0] if len(numbers) == 1 else self._join(e.func, numbers), e)
        return datum, *(self._number_or(a) for a in e.args if not self._numeric[a])

    def _join(self, function: Any, numbers: Sequence[Any]) -> Any:
        whole = function(*numbers)
        self.joined[whole] = function, tuple(numbers)
        return whole

    def _datum(self, number: Any, place: Any) -> _Datum:
        return _Datum(number, place if self._moves and number.is_Rational and is_small(number) else None)

    def _number_or(self, e: Any) -> Any:
        return _Datum(e) if self._varies(e) else e

    def _varies(self, e: Any) -> bool:
        """Whether an expression is data rather than structure: a parameter, or a number that is no small integer, nor an irrational one
        made of small ones.
        """
        if e.is_Atom:
            return isinstance(e, Parameter) or bool(e.is_Rational and not (e.is_Integer and is_small(e)) and e not in self._fixed)
        if not self._numeric[e] or e in self._fixed:
            return False
        rationals = e.atoms(sp.Rational)
        return len(rationals) > _ATOMS or not all(map(is_small, rationals))

    def _varies_in_wave(self, number: Any) -> bool:
        """Whether a factor of a parameter in a sine or cosine is data: small fractions are structure there."""
        return self._varies(number) and not (number.is_Rational and is_small(number))

    def _emit(self, root: Any, position: dict[Any, int], made: list[Instruction]) -> None:
        stack = [root]
        while stack:
            e = stack[-1]
            waiting = [a for a in self._parts[e] if a not in position] if e not in position else []
            if waiting:
                stack += reversed(waiting)
                continue
            stack.pop()
            if e not in position:
                position[e] = len(made)
                made.append(self._instruction(e, [position[a] for a in self._parts[e]]))

    def _instruction(self, e: Any, at: list[int]) -> Instruction:
        if isinstance(e, _Datum):
            opposite = self._number.get(_Datum(-e.value)) if e.place is None else None
            return ("number", self._taken(e)) if opposite is None else ("minus", opposite)
        if at:
            return ("power", e.exp, *at) if e.is_Pow else (type(e), *at)
        inside = sorted(parameters_of(e), key=str)
        return ("with", e, tuple((s, self._taken(_Datum(s))) for s in inside)) if inside else ("is", e)

    def _taken(self, datum: _Datum) -> int:
        """Its place among the numbers."""
        if datum not in self._number:
            self._number[datum] = len(self.numbers)
            self.numbers.append(datum.value)
        return self._number[datum]


# -- reading formulas that differ in their numbers alone once -------------------------------------------------------------------------


class _Reading(NamedTuple):
    """The formulas of groups, and their numbers; or of each number the place among the nodes of a skeleton, or a function and such
    places, or the parameter that it is.
    """

    formulas: tuple[Formulas, ...]
    numbers: tuple[Any, ...]


def read(groups: Sequence[Group], moves: bool = False, fixed: Iterable[Any] = ()) -> tuple[tuple[Formulas, ...], tuple[Any, ...]]:
    """The formulas of groups, and the numbers taken out, as one `TemplateReader` reads them; formulas that have a skeleton in common are
    read once. `moves` and `fixed` as there.

    The reader asks of a number only whether it is small, fixed, and equal or opposite to others; the values of those that are structure are
    in its formulas.
    """
    skeleton, layout = Skeleton([e for group, _ in groups for e in group]), tuple((len(group), places) for group, places in groups)
    signed = {sign * e for e in fixed for sign in (1, -1)}
    held = tuple(k for k, e in enumerate(skeleton.nodes) if e in signed) if signed else ()
    stays = _structure(skeleton, layout, moves, held)
    if stays is None:
        found = _read(skeleton, layout, moves, held)[0]
        return found.formulas, found.numbers
    reading = _reading(skeleton, layout, moves, held, tuple(skeleton.nodes[k] for k in stays))
    return reading.formulas, tuple(_number(e, skeleton.nodes) for e in reading.numbers)


Layout = tuple[tuple[int, bool], ...]
"""The number of expressions in each group, and whether numbers are data there."""


@functools.lru_cache(maxsize=_KEPT)
def _structure(skeleton: Skeleton, layout: Layout, moves: bool, held: tuple[int, ...]) -> tuple[int, ...] | None:
    """The places of the open numbers that are structure; None where what is derived of the formulas is not known to follow from that."""
    found, reader = _read(skeleton, layout, moves, held)
    if any(whole.func is not function or set(whole.args) != set(numbers) for whole, (function, numbers) in reader.joined.items()):
        return None
    made = [e for instructions, _ in found.formulas for kind, e, *_ in instructions if kind in ("is", "with")]
    return skeleton.open_numbers(made)


@functools.lru_cache(maxsize=_KEPT)
def _reading(skeleton: Skeleton, layout: Layout, moves: bool, held: tuple[int, ...], _: tuple[Any, ...]) -> _Reading:
    """With the places of numbers instead of these. The last argument: the numbers that are structure."""
    found, reader = _read(skeleton, layout, moves, held)
    return found._replace(numbers=tuple(_placed(e, skeleton, reader) for e in found.numbers))


def _read(skeleton: Skeleton, layout: Layout, moves: bool, held: tuple[int, ...]) -> tuple[_Reading, TemplateReader]:
    reader, given = TemplateReader(moves, [skeleton.nodes[k] for k in held]), iter(skeleton.expressions)
    formulas = tuple(reader.read([next(given) for _ in range(count)], places) for count, places in layout)
    return _Reading(formulas, tuple(reader.numbers)), reader


def _placed(number: Any, skeleton: Skeleton, reader: TemplateReader) -> Any:
    if isinstance(number, Parameter):
        return number
    place = skeleton.place(number)
    if place is not None:
        return place
    function, numbers = reader.joined[number]
    return function, *(skeleton.place(e) for e in numbers)


def _number(placed: Any, nodes: Sequence[Any]) -> Any:
    if isinstance(placed, int):
        return nodes[placed]
    return placed[0](*(nodes[k] for k in placed[1:])) if isinstance(placed, tuple) else placed


def write(instructions: Sequence[Instruction], symbols: Sequence[Any]) -> list[Any]:
    """The expression of every instruction, with the symbols in the place of the numbers."""
    built: list[Any] = []
    for kind, *rest in instructions:
        if kind == "is":
            built.append(rest[0])
        elif kind == "with":
            built.append(rest[0].xreplace({s: symbols[k] for s, k in rest[1]}))
        elif kind in ("number", "minus"):
            built.append(symbols[rest[0]] if kind == "number" else -symbols[rest[0]])
        elif kind == "power":
            built.append(built[rest[1]] ** rest[0])
        else:
            built.append(kind(*(built[k] for k in rest)))
    return built


def _spelled(e: Any) -> str:
    """All nodes of an expression, each before its arguments. Printing would put long sums in order first, which takes minutes."""
    return " ".join(f"{type(a).__name__}/{len(a.args)}" if a.args else str(a) for a in sp.preorder_traversal(e))


def _name(e: Any) -> str:
    return f"power {e.exp}" if e.is_Pow else type(e).__name__

