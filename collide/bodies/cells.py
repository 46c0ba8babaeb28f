"""What all cells of bodies have in common, those of parametric ones (`parts`) and of implicit ones (`implicit_parts`)."""

from typing import Any, Protocol

import sympy as sp

from generative import ImplicitBody, ImplicitSurface, ParametricSurface
from generative.implicit import Piece

# A side of the bounds of an implicit surface: the number of the leaf, the number of the coordinate, and the end of it (0 or 1).
Side = tuple[int, int, int]


class Cell(Protocol):
    """A smooth part of the surface of a body, given either by parameters or by equations; what belongs to the other way is empty, or None.

    By parameters: see `Parametric`. By equations: see `Implicit`, whose `leaves` are never empty.
    """

    def __hash__(self) -> int: ...

    @property
    def feature(self) -> str: ...
    @property
    def two_sided(self) -> bool: ...
    @property
    def dimension(self) -> int: ...

    @property
    def surface(self) -> Any: ...
    @property
    def path(self) -> tuple[Any, ...]: ...
    @property
    def symbols(self) -> tuple[Any, ...]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def domain(self) -> tuple[tuple[Any, Any], ...]: ...
    @property
    def periods(self) -> tuple[float, ...]: ...
    @property
    def border(self) -> tuple[tuple[bool, bool], ...]: ...
    @property
    def polar(self) -> tuple[tuple[Any, Any], ...]: ...
    @property
    def outward(self) -> tuple[tuple[ParametricSurface, tuple[Any, Any]], ...]: ...
    @property
    def whole(self) -> "Cell | None": ...
    @property
    def around(self) -> tuple[ParametricSurface, Any, int] | None: ...

    @property
    def leaves(self) -> tuple[ImplicitSurface, ...]: ...
    @property
    def pieces(self) -> tuple[Piece, ...]: ...
    @property
    def sides(self) -> tuple[Side, ...]: ...
    @property
    def body(self) -> ImplicitBody | None: ...


def end_of(cell: Cell, side: Side) -> sp.Expr:
    """The value that a coordinate has on a side of the bounds."""
    leaf, coordinate, end = side
    return cell.leaves[leaf].bounds[coordinate][end]
