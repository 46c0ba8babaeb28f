"""Shape families: the numbers of a formula as parameters, so that a hundred equal fruits compile once.

Formulas of one family differ only in their numbers. `family` replaces every largest constant part by a parameter and encloses its value;
formulas of one family then have equal graphs, and so share machine code. 0, 1 and -1, which are structure rather than data, stay
constants, and operations with an infinite or no value stay operations.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .constants import enclose_graph
from .graph.binders import constants
from .graph.expr import Expr, ExprPool, reachable
from .graph.serialize import deserialize, serialize

_STRUCTURE = frozenset({Fraction(-1), Fraction(0), Fraction(1)})


class Family(NamedTuple):
    """`outputs` in variables and parameters; `numbers` (p, 2) encloses the parameters of this member."""

    outputs: list[Expr]
    numbers: np.ndarray


def family(outputs: Sequence[Expr], parameters: int = 0) -> Family:
    """The family of a graph, in a pool of its own, and the member's numbers. The graph may have so many parameters of its own, which come
    before those that stand for numbers.
    """
    member = _Member(ExprPool(), parameters)
    order = reachable(outputs)
    constant = constants(order)
    for e in order:
        if e.op == "parameter" and e.value >= parameters:
            raise ValueError(f"the graph has the parameter {e.value} of its own; say how many it has")
        if not constant[e.index]:
            member.note(e)
    built = [member.node(e) for e in outputs]
    return Family(built, np.array(member.numbers).reshape(-1, 2))


class _Member:
    """Rebuilds a graph node by node, constant parts as parameters."""

    def __init__(self, pool: ExprPool, parameters: int) -> None:
        self.pool, self.parameters = pool, parameters
        self.built: dict[int, Expr] = {}
        self.numbers: list[tuple[float, float]] = []

    def note(self, e: Expr) -> None:
        """Arguments come before users, so only a user or the end asks for a constant part: the largest ones."""
        self.built[e.index] = self.pool.restore(e.op, tuple(self.node(a) for a in e.args), e.value)

    def node(self, e: Expr) -> Expr:
        if e.index not in self.built:
            self.built[e.index] = self._number(e)
        return self.built[e.index]

    def _number(self, e: Expr) -> Expr:
        if e.op == "constant" and e.value in _STRUCTURE:
            return self.pool.restore("constant", (), e.value)
        ends = _enclosed(serialize([e]))
        if not all(map(math.isfinite, ends)):
            # Undefined, or too large: a parameter could not tell which, so the operation stays.
            return self.pool.restore(e.op, tuple(self.node(a) for a in e.args), e.value)
        self.numbers.append(ends)
        return self.pool.parameter(self.parameters + len(self.numbers) - 1)


@functools.lru_cache(maxsize=4096)
def _enclosed(constant: bytes) -> tuple[float, float]:
    """Enclosures are dear, and members of a family made one after the other have most of their numbers in common."""
    return enclose_graph(deserialize(constant)[0])
