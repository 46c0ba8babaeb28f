"""Graphs as bytes, for keys of caches and for other processes."""

import marshal
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .expr import Expr, ExprPool, reachable


def serialize(outputs: Sequence[Expr]) -> bytes:
    """A graph as bytes: equal graphs give equal bytes, and `deserialize` rebuilds it node by node."""
    order = reachable(outputs)
    position = {e.index: k for k, e in enumerate(order)}
    nodes = [(e.op, *[position[a.index] for a in e.args], _plain(e.value)) for e in order]
    return marshal.dumps((nodes, [position[e.index] for e in outputs]), 2)


def _plain(value: Any) -> Any:
    return (value.numerator, value.denominator) if isinstance(value, Fraction) else value


def deserialize(data: bytes) -> list[Expr]:
    pool = ExprPool()
    nodes, outputs = marshal.loads(data)
    built: list[Expr] = []
    for op, *args, value in nodes:
        number = Fraction(*value) if isinstance(value, tuple) else value
        built.append(pool.restore(op, tuple(built[k] for k in args), number))
    return [built[k] for k in outputs]
