"""Bodies that do not move against each other. What touches then goes on touching, so none of their contacts is new."""

import functools
from collections.abc import Sequence
from typing import Any

import sympy as sp

from codegen.deadline import interruptible
from codegen.walk import replaced

from . import IDENTITY, Motion, t
from .changes import pieces_of
from .products import Product, common
from .symbols import Parameter


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def carrier(body: Any) -> Motion | None:
    """The motion that carries the whole body, if its shape is fixed; the identity if it does not move. None for other bodies."""
    pieces = pieces_of(body)
    motions = {piece.motion if t in piece.motion.symbols else IDENTITY for piece in pieces}
    return next(iter(motions)) if len(motions) == 1 and not any(piece.deforming for piece in pieces) else None


def carried_along(carriers: Sequence[Motion | None]) -> list[list[int]]:
    """Groups of two bodies or more that have the same motion."""
    together: dict[tuple[Motion, ...], list[int]] = {}
    for k, motion in enumerate(carriers):
        if motion is not None:
            together.setdefault(motion.factors, []).append(k)
    return [bodies for bodies in together.values() if len(bodies) > 1]


@functools.lru_cache(maxsize=1024)
@interruptible()
def at_rest(first: Motion | None, second: Motion | None) -> bool:
    """Whether one of two rigid motions is the other one after a constant displacement. This is decided by expanding their formulas.

    Let R, T and S, U be their rotations and translations. Then S = R B and U = T + R a must hold for the B and a that hold at t = 0. Of
    products it is seen only where they begin with the same factors, and no other one depends on t.
    """
    if first is None or second is None or not all(map(_rigid, (first, second))):
        return False
    if isinstance(first, Product) or isinstance(second, Product):
        shared = common(first, second)
        return all(t not in f.symbols for m in (first, second) for f in m.factors[shared:])
    start = {t: sp.Integer(0)}
    turned = (first.rotation.T * second.rotation).applyfunc(lambda e: replaced(e, start))
    moved = (first.rotation.T * (second.translation - first.translation)).applyfunc(lambda e: replaced(e, start))
    if not all(e.is_finite for e in (*turned, *moved)):
        return False
    left = [*(second.rotation - first.rotation * turned), *(second.translation - first.translation - first.rotation * moved)]
    return all(sp.expand(e) == 0 for e in left)


def _rigid(motion: Motion) -> bool:
    """Whether a motion consists of formulas of the time and of parameters."""
    return all(s == t or isinstance(s, Parameter) for s in motion.symbols)
