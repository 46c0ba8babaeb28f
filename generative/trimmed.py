"""Trimmed surfaces: the part of a surface whose parameters lie inside closed loops of curves in the plane of u and v.

The region is cut into cells (`trimming_cells`). The surface over a cell is a patch over a rectangle like any other, so that every query
takes it; sides of cells are edges, their corners vertices.

*Proved:* the determinant of the derivatives of a cell's map is linear in w, between L' x (H - L) and H' x (H - L). Where both are positive
for all s, the map covers each point as often as its border winds round it (the degree of a map counts preimages by the signs of its
determinant). Sides of cells within the region are straight lines that belong to two cells, in opposite senses, so all borders add up to the
loops: each point is covered as often as the loops wind round it, which is once inside and never outside.

Loops whose pieces do not meet exactly, as those of files, count as closed by the straight lines between their ends; cells leave out the
slivers there. They also leave out the ends of cusps, where a curve leaves a line of constant u or v without an angle.
"""

import enum
import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from codegen.given import shown
from codegen.kernel import compile
from codegen.walk import replaced

from .brep import Edge, Solid, Vertex
from .curve import Curve
from .patterned import Patterned
from .surface import Deferred, ParametricSurface
from .symbols import derivative, items, u, v
from .triangulation import winding
from .trimming_cells import cells, oriented
from .trimming_pieces import LoopPiece, Path, TrimCell
from .trimming_proof import enclosed_cell, prove

# Against the size of a loop, ends of pieces farther apart than this do not meet.
_MEETS = 1e-4
# So often ranges of a parameter are halved where boxes follow a loop, and into so many.
_HALVINGS, _MOST = 40, 4096
# Against the size of a loop, ends nearer to each other than this count as one where boxes follow a loop.
_MEETS_NOT = 1e-9


class Where(enum.Enum):
    """The position of a box of parameters, as to the loops of a trimmed surface; each value is its sentence."""

    INSIDE = "inside the loops (proved)"
    OUTSIDE = "outside the loops (proved)"
    CUT = "not proved to be inside or outside: a loop may cut it"

    def __repr__(self) -> str:
        return f"Where.{self.name}"


class Trimmed(Solid):
    """The part of `surface` inside `loops`, a body of one face cut into patches. See `trimmed`, which makes it."""

    def __init__(self, surface: ParametricSurface, loops: Sequence[Sequence[LoopPiece]], parts: Sequence[TrimCell]) -> None:
        self._surface, self._loops = surface, loops
        patches = [_patch(surface, cell) for cell in parts]
        edges, vertices = _borders(parts)
        made = Solid._unchecked(patches, edges, vertices)
        self._faces, self._edges, self._vertices, self._closed, self._name = made.faces, made.edges, made.vertices, made.closed, None
        self._made_so = True

    @property
    def surface(self) -> ParametricSurface:
        """The whole surface."""
        return self._surface

    def where(self, u: Any, v: Any) -> Where:
        """Decide whether a box of parameters is inside the loops.

        Parameters
        ----------
        u, v : float or (float, float)
            A parameter, or the least and greatest value of it.

        Returns
        -------
        Where
            INSIDE or OUTSIDE is *proved*.

        Notes
        -----
        A box that meets none of the boxes round pieces of the loops lies on one side of all loops. Their winding number about it is that of
        the polygon of the pieces' ends, to which they can be moved within these boxes without meeting it.

        Examples
        --------
        >>> from generative import ParametricSurface, curve, u, v
        >>> plate = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)}).trimmed([[curve.circle(2)], [curve.circle(1)]])
        >>> plate.where(0, 1.5), plate.where((-0.1, 0.1), (0, 0.1)), plate.where(0, (0.5, 1.5))
        (Where.INSIDE, Where.OUTSIDE, Where.CUT)
        """
        low, high = np.array([np.broadcast_to(np.asarray(e, float), 2) for e in (u, v)]).T
        total, middle = 0, 0.5 * (low + high)
        for loop in self._loops:
            ring = _boxes_apart(loop, low, high)
            if ring is None:
                return Where.CUT
            total += winding(ring, *map(Fraction, middle.tolist()))
        return Where.INSIDE if total else Where.OUTSIDE


def trimmed(surface: ParametricSurface, loops: Any) -> Trimmed:
    """Trim a surface by closed loops: see `ParametricSurface.trimmed`."""
    given = [_loop(k, loop) for k, loop in enumerate(items(loops, "the loops"))]
    if not given:
        raise ValueError("a surface is trimmed by at least one loop of curves, got none")
    return inside(surface, [[LoopPiece(c, *c.domain) for c in loop] for loop in given], _lengths(surface))


def inside(surface: ParametricSurface, loops: Sequence[Sequence[LoopPiece]], lengths: tuple[float, float]) -> Trimmed:
    """The part of a surface inside loops of pieces; `lengths`: about how long one unit of u and of v is on the surface."""
    turned = oriented(loops)
    try:
        found = cells(turned, lengths)
    except ValueError as error:
        raise ValueError(f"the surface cannot be trimmed: {error}") from error
    prove(found)
    return Trimmed(surface, turned, found)


def _loop(k: int, loop: Any) -> list[Curve]:
    curves: list[Curve] = items([loop] if isinstance(loop, Curve) else loop, f"loop {k}")
    for c in curves:
        if not isinstance(c, Curve) or c.expressions[2] != 0 or any(e.free_symbols - {u} for e in c.expressions):
            raise ValueError(f"loop {k} must be made of Curve values [u, v, 0] of the parameter u alone, got {shown(c)}")
    rows = [LoopPiece(c, *c.domain).sampled[0] for c in curves]
    if not rows:
        raise ValueError(f"loop {k} holds no curve")
    near = _MEETS * max(float(np.ptp(p, axis=0).max()) for p in rows)
    for j, after in enumerate([*rows[1:], rows[0]]):
        if np.abs(rows[j][-1] - after[0]).max() > near:
            a, b = ("({:.12g}, {:.12g})".format(*p) for p in (rows[j][-1], after[0]))
            raise ValueError(f"loop {k} is not closed: its piece {j} ends at (u, v) = {a}, and the next one begins at {b}; "
                             "curve.reversed() turns a piece round")
    return curves


def _lengths(surface: ParametricSurface) -> tuple[float, float]:
    """About how long one unit of u and of v is on the surface."""
    middle = {s: float((lo + hi) / 2) for s, (lo, hi) in surface.domain.items()}
    found = []
    for s in (u, v):
        slope = [float(sp.N(derivative(e, s).subs(middle))) for e in surface.body]
        found.append(math.hypot(*slope) or 1.0)
    return found[0], found[1]


_WHOLE = {u: (sp.S.Zero, sp.S.One), v: (sp.S.Zero, sp.S.One)}


def _patch(surface: ParametricSurface, cell: TrimCell) -> ParametricSurface:
    """The surface over a cell. Its values are enclosed without its formulas where those of the surface are of a pattern."""
    source = surface.source
    own = source if isinstance(source, Patterned) else None
    enclosed = None if own is None else functools.partial(enclosed_cell, own.pattern, own.numbers, cell)
    key = "cell", surface.source, cell.key
    return surface.over(Deferred(functools.partial(_composed, surface, cell), key, surface.ingredients, enclosed), _WHOLE)


def _composed(surface: ParametricSurface, cell: TrimCell) -> tuple[Any, Any, Any]:
    at = dict(zip((u, v), cell.path, strict=True))
    a, b, c = (replaced(e, at) for e in surface.body)
    return a, b, c


_START, _BACK = {u: sp.S.Zero}, {u: 1 - u}


@functools.cache
def _changed(path: Path, back: bool) -> Path:
    """A side of a cell run through backwards, or its first point."""
    a, b = (e.xreplace(_BACK if back else _START) for e in path)
    return a, b


def _borders(parts: Sequence[TrimCell]) -> tuple[list[Edge], list[Vertex]]:
    """The sides of cells, those of two cells once, and their corners."""
    users: dict[tuple[int, int], list[tuple[int, Path]]] = {}
    corners: dict[int, list[tuple[int, Path]]] = {}
    for k, cell in enumerate(parts):
        for (a, b), path in cell.sides:
            if (b, a) in users:
                users[b, a].append((k, _changed(path, True)))
            else:
                users[a, b] = [(k, path)]
            if not cell.closed:
                corners.setdefault(a, []).append((k, _changed(path, False)))
    whole = _WHOLE[u]
    edges = [Edge._unchecked(tuple(k for k, _ in own), tuple(p for _, p in own), whole) for own in users.values()]
    return edges, [Vertex._unchecked(tuple(k for k, _ in own), tuple(p for _, p in own)) for own in corners.values()]


def _boxes_apart(loop: Sequence[LoopPiece], low: np.ndarray, high: np.ndarray) -> list[list[Fraction]] | None:
    """Points of boxes that follow a loop and do not meet the box from `low` to `high`, each in a box and the one after it; None where no
    such boxes are found.
    """
    boxes: list[np.ndarray] = []
    for piece in loop:
        found = _boxes_round(piece, low, high)
        if found is None:
            return None
        boxes += found
    # Those at the end of a piece and at the beginning of the next one need a box that holds both.
    ring = []
    for a, b in zip(boxes, [*boxes[1:], boxes[0]], strict=True):
        inner = np.maximum(a[0], b[0]), np.minimum(a[1], b[1])
        if (inner[0] > inner[1]).any():
            return None
        ring.append([(Fraction(p) + Fraction(q)) / 2 for p, q in zip(*(e.tolist() for e in inner), strict=True)])
    return ring


def _boxes_round(piece: LoopPiece, low: np.ndarray, high: np.ndarray) -> list[np.ndarray] | None:
    kernel = compile(list(piece.path), [u], quick=True)
    places = np.linspace(0.0, 1.0, 9)
    for _ in range(_HALVINGS):
        # Each range is widened by a little, so that pieces whose ends differ by rounding share a point.
        lo, hi = kernel.interval(places[:-1, None], places[1:, None])
        room = _MEETS_NOT * (1.0 + np.abs(hi).max() + np.abs(lo).max())
        lo, hi = lo - room, hi + room
        meets = ((lo <= high) & (hi >= low)).all(axis=1)
        if not meets.any():
            return list(np.stack([lo, hi], axis=1))
        if len(places) > _MOST:
            return None
        places = np.sort(np.concatenate([places, (0.5 * (places[1:] + places[:-1]))[meets]]))
    return None


ParametricSurface._trim = staticmethod(trimmed)
