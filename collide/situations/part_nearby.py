"""Parts of combined bodies of many leaves as they are in a box that holds them: with conditions on the leaves in doubt there alone.

All points of a part lie in the box of `where`, and so in a box with some room round it. A point is on the part exactly if it is in that
box, and on the part: so where the box is a condition, what is proved of the signs of leaves throughout it need not be asked of a point.
The box holds wherever the search goes, since it is no domain, and the room keeps the points of the part off its sides.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy as sp

from codegen.algebra.margin import Margin
from generative import ImplicitBody, ImplicitSurface, x, y, z
from generative.combination import Combination
from generative.implicit import BoundaryPiece

from ..bodies.cells import Cell
from ..bodies.extent import box_of
from ..bodies.implicit_parts import Implicit, is_large
from ..bodies.numbers import Numbers
from .carriers import carrier_of
from .occupancy import tree_of
from .part_kind import of_kind
from .part_margin import Measure, Signs
from .placed_leaves import leaves_of, moves
from .presence import occupancy_of, where
from .quadrics import Quadrics, quadrics

# Effort only: the room round a part, against the size of its box, and against that of the bounds of its leaf, since a proof needs room
# round a vertex, whose box is as small as rounding leaves it. Where it is small, points near the sides are told late.
_ROOM, _LEAST = 1 / 16, 2.0**-16
Told = Mapping[ImplicitSurface, int]
"""The signs, 1 or -1, of the leaves that have one."""


def nearby(part: Cell, numbers: Numbers) -> Cell:
    """A part of a combined body with the same points, which is measured, or has fewer conditions if its leaves are no quadrics that keep
    their places to each other; the part itself where that is not known.
    """
    return _nearby(part, numbers) if isinstance(part, Implicit) and isinstance(part.body, Combination) else part


@functools.lru_cache(maxsize=4096)
def _nearby(part: Implicit, numbers: Numbers) -> Cell:
    assert part.body is not None
    # Whatever the time: of leaves that move against each other more would have to be told.
    box = None if moves(part.body, numbers) else where(part, numbers, (0.0, 0.0))
    if box is None or not np.isfinite(box).all():
        return part
    box, known = roomy(box, box_of(part, numbers)), occupancy_of(part.body, numbers, (0.0, 0.0))
    signs, unbounded = known.signs(part, box), known.within_bounds(part, box)
    shared = carrier_of(part.body, numbers)
    if shared is not None:
        measured, margin = _measured(part, quadrics(part.body, numbers, shared), signs, unbounded)
        if measured:
            free = unbounded if part.sides else range(len(part.leaves))
            gathered = of_kind(part, part.body, numbers, box, True, margin, free)
            assert gathered is not None
            return gathered
    if not is_large(part.body):
        return part
    up, down = signs
    kind = _reduced(part, tuple((up.astype(int) - down.astype(int)).tolist()))
    gathered = of_kind(kind, part.body, numbers, box, False, None, unbounded)
    if gathered is not None:
        return gathered
    if kind is part:
        return part
    return replace(kind, own=Numbers(_SYMBOLS, [None] * len(_SYMBOLS), np.repeat(box.reshape(-1, 1), 2, axis=1)), whole=kind)


def _measured(part: Implicit, known: Quadrics, signs: Signs, unbounded: Sequence[int]) -> tuple[bool, Margin | None]:
    """Whether the part is measured, and by what: on the surface, and within the bounds of its leaves. Those of parts at bounds are
    conditions.
    """
    assert part.body is not None
    measure = Measure(part, tree_of(part.body), known, signs)
    if not measure.on_surface():
        return False, None
    if not part.sides:
        measure.within_bounds([k for k in range(len(part.leaves)) if k not in unbounded])
    return True, measure.made()


def roomy(box: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """A box (3, 2) that holds `box`: differences and sums are rounded monotonically, so no end moves inwards. `whole`: the bounds of the
    leaf.
    """
    room = _ROOM * float((box[:, 1] - box[:, 0]).max()) + _LEAST * float((whole[:, 1] - whole[:, 0]).max())
    return np.stack([box[:, 0] - room, box[:, 1] + room], axis=1)


# Like no symbols of families.
_SYMBOLS = tuple(sp.Dummy(f"{c}{end}", real=True) for c in "xyz" for end in ("lo", "hi"))


@functools.lru_cache(maxsize=4096)
def _reduced(part: Implicit, signs: tuple[int, ...]) -> Implicit:
    """The part in a box, whose ends are symbols, in which the leaves of its body have these signs (0: in doubt). So parts in boxes that
    differ in numbers alone share their kernels.
    """
    assert part.body is not None
    leaves, _ = leaves_of(part.body)
    told = {leaf: sign for leaf, sign in zip(leaves, signs, strict=True) if sign and _is_total(leaf)
            and not any(own.same_surface(leaf) for own in part.leaves)}
    pieces = [piece for piece in (_left(p, told) for p in part.pieces) if piece is not None]
    low, high = _SYMBOLS[::2], _SYMBOLS[1::2]
    return replace(part, pieces=tuple(pieces), within=tuple(zip(low, high, strict=True))) if told and pieces else part


def _is_total(leaf: ImplicitSurface) -> bool:
    """Whether the function of a leaf is defined everywhere. Of others a sign is one where they are defined."""
    return bool(leaf.body.is_polynomial(x, y, z)) and not leaf.deforming


def _left(piece: BoundaryPiece, told: Told) -> BoundaryPiece | None:
    """A piece where leaves have signs; None where it has no point."""
    outside, inside = ([_rest(body, told) for body in bodies] for bodies in (piece.outside, piece.inside))
    if any(isinstance(e, int) and e < 0 for e in outside) or any(isinstance(e, int) and e > 0 for e in inside):
        return None
    return BoundaryPiece(piece.leaf, _bodies(outside), _bodies(inside))


def _bodies(rests: Sequence[int | ImplicitBody]) -> tuple[ImplicitBody, ...]:
    return tuple(e for e in rests if not isinstance(e, int))


def _rest(body: ImplicitBody, told: Told) -> int | ImplicitBody:
    """The sign of a body where leaves have signs; or, where it has none, one of the same sign as this one, made of the others.

    In a union, the minimum, what is negative makes it negative, and what is positive leaves its sign to the others.
    """
    if isinstance(body, ImplicitSurface):
        return told.get(body, 0) or body
    assert isinstance(body, Combination)
    own = [_rest(child, told) for child in body.children]
    ruling = -1 if body.operation == "union" else 1
    left = _bodies(own)
    if any(isinstance(e, int) and e == ruling for e in own):
        return ruling
    if not left:
        return -ruling
    return left[0] if len(left) == 1 else Combination(body.operation, left)
