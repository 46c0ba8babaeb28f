"""Expression graphs evaluated over any arithmetic, a class with one method an operation: exact rationals, balls, intervals.

This is the living definition of what a graph means; the compiled kernels are tested against it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from .expr import Expr, reachable


def evaluate(outputs: Sequence[Expr], arithmetic: Any, variables: Sequence[Any], parameters: Sequence[Any] = ()) -> list[Any]:
    """The values of `outputs` in any `arithmetic`: an object with ``constant(value)`` and a method an operation.

    The method of an operation takes the values of the arguments, and ``value`` first where the node carries one.
    """
    values: dict[int, Any] = {}
    evaluate_nodes(reachable(outputs), values, arithmetic, variables, parameters)
    return [values[e.index] for e in outputs]


def evaluate_nodes(order: Iterable[Expr], values: dict[int, Any], arithmetic: Any, variables: Sequence[Any],
                   parameters: Sequence[Any]) -> None:
    """As `evaluate`: add the values of the nodes in `order` to those known by index, among which are all arguments from outside."""
    leaves = {"variable": variables, "parameter": parameters}
    for e in order:
        if e.op in leaves:
            values[e.index] = leaves[e.op][e.value]
        elif e.index not in values:
            operation = getattr(arithmetic, e.op + "_" if e.op in ("and", "or", "not") else e.op)
            own = () if e.value is None else (e.value,)
            values[e.index] = operation(*own, *(values[a.index] for a in e.args))
