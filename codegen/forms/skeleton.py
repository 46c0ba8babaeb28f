"""Formulas without their rational numbers, in the order in which SymPy gives them: a key for what is derived of formulas that differ in
these numbers alone.

Whoever keeps something by a `Skeleton` must get the same from all formulas that have it. The skeleton says which numbers are equal, or
opposite to each other, and which are small; and it holds small integers and exponents as they are.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp

PLAIN = frozenset((sp.Add, sp.Mul, sp.sin, sp.cos, sp.tan, sp.exp, sp.log, sp.asin, sp.acos, sp.atan, sp.atan2, sp.sinh, sp.cosh, sp.tanh,
                   sp.Abs, sp.Min, sp.Max))
"""Functions that are nothing but their class and their arguments. Beside them and powers, expressions stand in a skeleton as they are."""

# Small numbers: integers up to this size, and fractions of them with denominators up to this one.
_INTEGER, _DENOMINATOR = 1024, 32


def is_small(number: Any) -> bool:
    """Whether a rational number is small."""
    return bool(abs(number.p) <= _INTEGER and number.q <= _DENOMINATOR)


class Skeleton:
    """The skeleton of `expressions`. `nodes` are their parts, each once; those of formulas with equal skeletons correspond, place by place.
    Equal skeletons are equal values.
    """

    __slots__ = ("_hash", "_key", "_numbers", "_places", "expressions", "nodes")

    def __init__(self, expressions: Sequence[Any]) -> None:
        self.expressions, self.nodes = tuple(expressions), list[Any]()
        self._places = dict[Any, int]()
        # The places of numbers that are open, by numerator and denominator.
        self._numbers = dict[tuple[int, int], int]()
        tokens: list[Any] = []
        for e in self.expressions:
            self._walk(e, tokens)
        self._key = tuple(tokens)
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Skeleton) and self._hash == other._hash and self._key == other._key

    def place(self, part: Any) -> int | None:
        """The place of a part among the nodes; None of what is no part."""
        if isinstance(part, sp.Rational) and (int(part.p), int(part.q)) in self._numbers:
            return self._numbers[int(part.p), int(part.q)]
        return self._places.get(part)

    def open_numbers(self, parts: Iterable[Any]) -> tuple[int, ...]:
        """The places of the numbers that occur in expressions, and that the skeleton leaves open."""
        found = {n for e in parts for n in e.atoms(sp.Rational)}
        return tuple(sorted({self._numbers[key] for n in found if (key := (int(n.p), int(n.q))) in self._numbers}))

    def _walk(self, e: Any, tokens: list[Any]) -> None:
        kind = type(e)
        if kind in PLAIN or (kind is sp.Pow and e.exp.is_Rational):
            known = self._places.get(e)
            if known is not None:
                tokens += "again", known
                return
            args = e.args
            if kind is sp.Pow:
                tokens += kind, args[1]
                self._walk(args[0], tokens)
            else:
                tokens += kind, len(args)
                for a in args:
                    self._walk(a, tokens)
        elif isinstance(e, sp.Rational) and not (e.q == 1 and -_INTEGER <= e.p <= _INTEGER):
            self._number(e, tokens)
            return
        else:
            tokens.append(e)
        self._places[e] = len(self.nodes)
        self.nodes.append(e)

    def _number(self, e: Any, tokens: list[Any]) -> None:
        p, q = int(e.p), int(e.q)
        if (p, q) in self._numbers:
            tokens += "again", self._numbers[p, q]
            return
        opposite = self._numbers.get((-p, q))
        tokens += ("minus", opposite) if opposite is not None else ("small" if is_small(e) else "number",)
        self._numbers[p, q] = len(self.nodes)
        self.nodes.append(e)
