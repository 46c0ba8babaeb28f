"""Bodies whose shapes and motions are apart, found in the formulas of their positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.expr import Expr
from .advance import rough
from .composition import carried, composed
from .separation import factored, separated


@dataclass(frozen=True, eq=False)
class MovingShape:
    """A body on a graph whose shape and motion are apart: at matrix shape + shift in the world. `shape` are functions of so many
    variables of its own, three for a rigid body; the matrix, row after row, and the shift are functions of the time. `rigid`: the
    matrix is known to be a rotation. A body that deforms by functions of the time, the matrix `inner` (empty for others), is at matrix
    inner shape + shift. With `pairs` the shape consists of functions of one parameter, and the products of these pairs of them, one
    of the first parameter and one of the second (counted from its first one on), stand for it.
    """

    shape: Sequence[Expr]
    matrix: Sequence[Expr]
    shift: Sequence[Expr]
    own: Sequence[int]
    rigid: bool = False
    inner: Sequence[Expr] = ()
    pairs: tuple[tuple[int, int], ...] = ()

    @property
    def parts(self) -> tuple[Sequence[Expr], ...]:
        """Its nodes; `rebuilt` puts others in their place."""
        return self.shape, self.matrix, self.shift, self.inner

    @property
    def kind(self) -> tuple[Any, ...]:
        """The rest of its structure, as a key."""
        return "moving", *self.own, self.rigid, self.pairs

    def rebuilt(self, parts: Sequence[Sequence[Expr]]) -> "MovingShape":
        shape, matrix, shift, inner = parts
        return MovingShape(shape, matrix, shift, self.own, self.rigid, inner, self.pairs)


@dataclass(frozen=True, eq=False)
class DeformingBody:
    """A body at F(shape, time): `shape` are m functions of so many variables of its own, and `form` is F of variables 0 to m - 1 of the
    graph and the time as variable m.
    """

    shape: Sequence[Expr]
    form: Sequence[Expr]
    own: Sequence[int]

    @property
    def parts(self) -> tuple[Sequence[Expr], ...]:
        return self.shape, self.form

    @property
    def kind(self) -> tuple[Any, ...]:
        return "deforming", *self.own

    def rebuilt(self, parts: Sequence[Sequence[Expr]]) -> "DeformingBody":
        shape, form = parts
        return DeformingBody(shape, form, self.own)


Bodies = tuple[MovingShape, MovingShape] | tuple[DeformingBody, DeformingBody]


def moving(position: Sequence[Expr], own: Sequence[int], time: int) -> MovingShape | None:
    """A body at a position given by variables of its own and the time, if its shape and its motion are seen to be separable."""
    found = separated(position, time)
    if found is not None and len(found.shape) <= len(position):
        return MovingShape(*found, own)
    inner, matrix, shift = carried(position, time)
    inside = separated(inner, time) if inner else None
    if inside is None:
        return None
    for i, rest in enumerate(inside.shift):
        shift = [e + matrix[len(inner) * row + i] * rest for row, e in enumerate(shift)]
    parts = factored(inside.shape, (own[0], own[1])) if len(own) == 2 else None
    if parts is None or len(parts.first) + len(parts.second) >= len(inside.shape) or rough(inside.shape):
        return MovingShape(inside.shape, matrix, shift, own, inner=inside.matrix)
    scaled = [e * parts.scales[k % len(inside.shape)] for k, e in enumerate(inside.matrix)]
    return MovingShape([*parts.first, *parts.second], matrix, shift, own, inner=scaled, pairs=tuple(parts.pairs))


def deforming(positions: Sequence[Sequence[Expr]], owns: Sequence[Sequence[int]], time: int) -> tuple[DeformingBody, DeformingBody] | None:
    """Two bodies at positions given by variables of their own and the time, if these are seen to act through a few functions."""
    found = [composed(position, time) for position in positions]
    if found[0] is None or found[1] is None:
        return None
    return DeformingBody(*found[0], owns[0]), DeformingBody(*found[1], owns[1])
