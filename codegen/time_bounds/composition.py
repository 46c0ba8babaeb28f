"""Moving points as compositions, found in a graph: a deforming body on a carrier, or functions of the parameters within a function of these
and the time.

What cannot be written as A(t) g(x) + T(t) by few functions (`separation`) often is a composition: a bending rod that is turned, a wave that
runs over a surface. The laws of arithmetic that are used hold wherever the graph is defined.
"""

import functools
import operator
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..graph.binders import BINDERS
from ..graph.expr import Expr, reachable, substitute

# As many functions at most are worth bounds of all second derivatives by them.
_MOST_FUNCTIONS = 6


class Carried(NamedTuple):
    """The points matrix inner + shift: `matrix`, three rows, and `shift` are functions of the time, and `inner` are up to three functions
    of all variables.
    """

    inner: list[Expr]
    matrix: list[Expr]
    shift: list[Expr]


def carried(outputs: Sequence[Expr], time: int) -> Carried:
    """Three coordinates, whose time is variable `time`, as a deforming body on a carrier, such as a rotation, that is found in
    the formulas; the body as it is where none is found.
    """
    sums = [_Sum(e, time) for e in outputs]
    alone = [_Sum(e, time).merged() for e in outputs]
    uses = Counter(e for each in sums for e in each.parts)
    mixed = [a if any(uses[e] > 1 for e in a.parts) else b for a, b in zip(sums, alone, strict=True)]
    choices = [(found, list(dict.fromkeys(e for each in found for e in each.parts))) for found in (sums, mixed, alone)]
    found, inner = next(choice for choice in choices if len(choice[1]) <= len(outputs))
    zero = outputs[0].pool.constant(0)
    return Carried(inner, [each.parts.get(e, zero) for each in found for e in inner], [each.rest for each in found])


class _Sum:
    """A coordinate as the sum of `rest`, a function of the time alone, and of the keys of `parts` times such functions."""

    def __init__(self, e: Expr, time: int) -> None:
        self.one, self.rest = e.pool.constant(1), e.pool.constant(0)
        self.parts: dict[Expr, Expr] = {}
        # Does a node depend on anything but the time?
        self._other: dict[int, bool] = {}
        for x in reachable([e]):
            self._other[x.index] = (x.op == "variable" and x.value != time) or any(self._other[a.index] for a in x.args)
        self._add(e)

    def merged(self) -> "_Sum":
        """The same with all products as one part."""
        total = None
        for e, factor in self.parts.items():
            total = factor * e if total is None else total + factor * e
        self.parts = {} if total is None else {total: self.one}
        return self

    def _add(self, e: Expr) -> None:
        stack = [(e, self.one)]
        while stack:
            e, factor = stack.pop()
            if not self._other[e.index]:
                self.rest = self.rest + factor * e
            elif e.op in ("add", "sub", "neg"):
                signs = {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}[e.op]
                stack += [(x, factor if sign > 0 else -factor) for x, sign in zip(e.args, signs, strict=True)]
            else:
                times, others = self._factors(e)
                product = functools.reduce(operator.mul, others)
                scale = functools.reduce(operator.mul, times, factor)
                self.parts[product] = self.parts[product] + scale if product in self.parts else scale

    def _factors(self, e: Expr) -> tuple[list[Expr], list[Expr]]:
        """The factors of a product that depend on the time alone, and the others."""
        times: list[Expr] = []
        others: list[Expr] = []
        stack = [e]
        while stack:
            e = stack.pop()
            if e.op == "mul" and self._other[e.index]:
                stack += e.args
            else:
                (others if self._other[e.index] else times).append(e)
        return times, others


class Composed(NamedTuple):
    """The points F(g, t): `shape` holds the functions g of the variables but the time, m of them, and `form` is F of variables
    0 to m - 1 and the time as variable m.
    """

    shape: list[Expr]
    form: list[Expr]


def composed(outputs: Sequence[Expr], time: int) -> Composed | None:
    """`outputs`, whose time is variable `time`, by the largest parts that depend on other variables alone; None where these are more than
    some, or none but variables.
    """
    pool = outputs[0].pool
    own: dict[int, bool] = {}
    other: dict[int, bool] = {}
    for e in reachable(outputs):
        own[e.index] = e.value == time if e.op == "variable" else any(own[a.index] for a in e.args)
        other[e.index] = e.value != time if e.op == "variable" else any(other[a.index] for a in e.args)
    atoms: dict[int, Expr] = {}
    stack, seen = list(outputs), set()
    while stack:
        e = stack.pop()
        if other[e.index] and not own[e.index]:
            atoms[e.index] = e
        elif other[e.index] and e.index not in seen:
            if e.op in BINDERS:
                return None
            seen.add(e.index)
            stack.extend(e.args)
    shape = [atoms[k] for k in sorted(atoms)]
    if not 0 < len(shape) <= _MOST_FUNCTIONS or all(e.op == "variable" for e in shape):
        return None
    place = {e.index: pool.variable(k) for k, e in enumerate(shape)} | {pool.variable(time).index: pool.variable(len(shape))}
    return Composed(shape, substitute(outputs, place))
