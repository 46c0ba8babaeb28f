"""Functions of the user's as an operation: ``primitive(x_1, ..., x_n)`` is bounded by formulas of the ends of its arguments.

Its value, bytes, says all that is known of it, a `Declared`. All formulas are graphs of variables alone:

    bounds      a lower and an upper bound, of lo_1, hi_1, lo_2, ..., the ends of the arguments
    points      the value at a point, of x_1, ..., x_n
    slopes      the partial derivatives, of x_1, ..., x_n and the value itself, which is variable n; empty where none are known
    inverses    a lower and an upper bound of each argument, of the ends of the value and of all arguments; empty where none are known

That the bounds hold is an assumption, the user's: nothing here proves it. Bounds of native code stand in `NATIVE`, by a key that is of this
process alone, and so is machine code with its address.
"""

import functools
import hashlib
import marshal
import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

from .expr import Expr, ExprPool, reachable
from .serialize import deserialize


class Declared(NamedTuple):
    """`level`: what holds of it wherever its bounds are defined, 1 defined, 2 continuous, 3 differentiable. `native`: a key of `NATIVE`, in
    the place of bounds and points.
    """

    name: str
    arguments: int
    level: int
    bounds: bytes
    points: bytes
    slopes: bytes
    inverses: bytes
    native: str


class Native(NamedTuple):
    """Addresses of code, and what keeps it alive; 0 for points that are formulas."""

    bounds: int
    points: int
    kept: Any


NATIVE: dict[str, Native] = {}


def registered(bounds: int, points: int, kept: Any) -> str:
    """The key of native code."""
    key = secrets.token_hex(8)
    NATIVE[key] = Native(bounds, points, kept)
    return key


def native(declared: Declared) -> Native:
    """The native code of a function; ValueError in another process than that where it was declared."""
    if declared.native not in NATIVE:
        raise ValueError(f"the native code of {declared.name} belongs to the process that declared it; declare the function here, too")
    return NATIVE[declared.native]


def encoded(declared: Declared) -> bytes:
    """The value of a node."""
    return marshal.dumps(tuple(declared), 2)


@functools.lru_cache(maxsize=256)
def decoded(value: bytes) -> Declared:
    return Declared(*marshal.loads(value))


@functools.lru_cache(maxsize=1024)
def formulas(graph: bytes) -> tuple[Expr, ...]:
    """The formulas of a graph; of none there are none."""
    return tuple(deserialize(graph)) if graph else ()


def key(value: bytes) -> str:
    """Tells it from others, in the names of functions."""
    return hashlib.sha1(value, usedforsecurity=False).hexdigest()


def slopes(pool: ExprPool, e: Expr, args: Sequence[Expr]) -> list[Expr]:
    """The partial derivatives at a node; `undefined` where none are known."""
    found = formulas(decoded(e.value).slopes)
    built: dict[int, Expr] = {}
    for part in reachable(found):
        if part.op == "variable":
            built[part.index] = [*args, e][part.value]
        else:
            built[part.index] = pool.node(part.op, *(built[a.index] for a in part.args), value=part.value)
    return [built[part.index] for part in found] or [pool.node("undefined")] * len(args)
