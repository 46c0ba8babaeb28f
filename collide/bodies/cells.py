"""Common parts of the cells of bodies, parametric (`parts`) and implicit (`implicit_parts`)."""

from dataclasses import dataclass
from typing import Any, Protocol

import sympy as sp

from codegen.algebra.margin import Margin
from generative import ImplicitBody, ImplicitSurface, Motion, ParametricSurface
from generative.implicit import BoundaryPiece

from .numbers import NONE, Numbers

Path = tuple[Any, Any]
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
    def planar(self) -> bool: ...
    @property
    def is_face(self) -> bool: ...

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
    def own(self) -> Numbers: ...
    @property
    def of(self) -> tuple[Any, int] | None: ...

    @property
    def leaves(self) -> tuple[ImplicitSurface, ...]: ...
    @property
    def pieces(self) -> tuple[BoundaryPiece, ...]: ...
    @property
    def sides(self) -> tuple[Side, ...]: ...
    @property
    def body(self) -> ImplicitBody | None: ...
    @property
    def within(self) -> tuple[tuple[Any, Any], ...]: ...
    @property
    def mover(self) -> Motion | None: ...
    @property
    def unbounded(self) -> tuple[int, ...]: ...
    @property
    def measured(self) -> bool: ...
    @property
    def margin(self) -> Margin | None: ...


@dataclass(frozen=True, eq=False)
class Parametric:
    """`surface` along `path`, its two parameters as expressions of `symbols`, which run over `domain`.

    `border`: per end of each symbol, may the surface end there without another part to cover it? `outward`: the faces
    that meet here, each with its path; their normals are the outward directions. `two_sided`: no side is the inside.
    `names` are those of the symbols in results. `polar`: per end of each symbol, up to which value the surface is so near a
    pole that smooth parameters should take over; None where that end is no such pole. `whole`: the part of which this one is
    what is left without the neighbourhoods of some poles; it differs in its `domain` alone. `around`: of such a neighbourhood, and of a
    pole that is a part itself, the face, and the symbol and the end at which it has the pole. `own`: numbers of its own, beside those of
    its body; `whole` is then what all that differ in these have in common. `of`: the mesh that it is a part of, and its number there.
    `planar`: of a region of the plane z = 0, whose curves are its faces.
    """

    feature: str
    surface: ParametricSurface
    path: Path
    symbols: tuple[Any, ...]
    domain: tuple[tuple[Any, Any], ...]
    periods: tuple[float, ...]
    border: tuple[tuple[bool, bool], ...]
    outward: tuple[tuple[ParametricSurface, Path], ...]
    two_sided: bool = False
    names: tuple[str, ...] = ("u", "v")
    polar: tuple[tuple[Any, Any], ...] = ((None, None), (None, None))
    whole: "Parametric | None" = None
    around: tuple[ParametricSurface, Any, int] | None = None
    own: Numbers = NONE
    of: tuple[Any, int] | None = None
    planar: bool = False

    # It is not given by equations.
    leaves = pieces = sides = within = unbounded = ()
    body = mover = margin = None
    measured = False

    @property
    def dimension(self) -> int:
        return len(self.symbols)

    @property
    def is_face(self) -> bool:
        """Whether it is of the dimension of the surface of its body."""
        return len(self.symbols) == 2 - self.planar


def whole_of(cell: Cell) -> Cell:
    """The cell by whose formulas it is searched."""
    return cell.whole or cell


def end_of(cell: Cell, side: Side) -> sp.Expr:
    """The value that a coordinate has on a side of the bounds."""
    leaf, coordinate, end = side
    return cell.leaves[leaf].bounds[coordinate][end]
