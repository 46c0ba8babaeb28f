"""Motions on an expression graph. Those of products are multiplied there, where bodies share their factors."""

import functools
from collections.abc import Sequence
from typing import Any

from codegen.from_sympy import convert
from codegen.graph.expr import Expr, ExprPool
from codegen.graph.meanvalue import mean_value_form
from codegen.graph.vectors import Vector
from codegen.walk import replaced
from generative import Motion
from generative.products import Product
from generative.resting import symbols_of


def row_times(w: Sequence[Expr], v: Sequence[Expr]) -> Expr:
    """The product of a row and a column of a 3 x 3 matrix."""
    return w[0] * v[0] + w[1] * v[1] + w[2] * v[2]


@functools.lru_cache(maxsize=4096)
def divided(motion: Motion, first: int) -> tuple[Product, Product]:
    """A product as that of so many of its first factors and that of the others."""
    return Product(*motion.factors[:first]), Product(*motion.factors[first:])


@functools.lru_cache(maxsize=256)
def renamed(motion: Motion, symbols: tuple[Any, ...]) -> Motion:
    """The motion with the first symbols of families in the place of these."""
    names = dict(zip(symbols, symbols_of(len(symbols)), strict=True))
    return motion.changed(lambda e: replaced(e, names))


def entries_of(motion: Motion, known: dict[Any, Expr], pool: ExprPool, time: Expr | None) -> list[Expr]:
    """The nine entries of the rotation, row after row, and the three of the translation. Those of products, whose factors vary together,
    are enclosed to second order in the time, too, where it is a variable.
    """
    if not isinstance(motion, Product):
        return convert(motion.entries, known, pool)
    if not motion.factors:
        return [pool.constant(int(k in (0, 4, 8))) for k in range(12)]
    total, *others = [convert(f.entries, known, pool) for f in motion.factors]
    for factor in others:
        total = _multiplied(total, factor)
    if len([f for f in motion.factors if not f.is_constant]) < 2 or time is None or time.op != "variable":
        return total
    return mean_value_form(total, [time])


def _multiplied(first: Sequence[Expr], second: Sequence[Expr]) -> list[Expr]:
    turned = [row_times(first[3 * i:3 * i + 3], second[j:9:3]) for i in range(3) for j in range(3)]
    return [*turned, *carried(first, second[9:])]


def turned(entries: Sequence[Expr], direction: Sequence[Expr]) -> Vector:
    """R p, of the entries of a motion."""
    a, b, c = (row_times(entries[3 * i:3 * i + 3], direction) for i in range(3))
    return a, b, c


def carried(entries: Sequence[Expr], point: Sequence[Expr]) -> Vector:
    """R p + T, of the entries of a motion."""
    a, b, c = (e + shift for e, shift in zip(turned(entries, point), entries[9:], strict=True))
    return a, b, c


def way_between(first: Sequence[Expr], second: Sequence[Expr]) -> list[Expr]:
    """R2^T R1, row after row, and R2^T (T1 - T2), of the entries of two motions: where a point in the frame of the first is in that of the
    second.
    """
    back = [second[k:9:3] for k in range(3)]
    shift = [a.pool.node("sub", a, b) for a, b in zip(first[9:], second[9:], strict=True)]
    return [*(row_times(row, first[c:9:3]) for row in back for c in range(3)), *(row_times(row, shift) for row in back)]
