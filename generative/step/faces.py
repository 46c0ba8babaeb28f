"""One face of a file: a surface over a rectangle of its parameters, or trimmed by loops."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..brep import Edge, Solid, Vertex
from ..chart import is_pole
from ..pattern import exactly
from ..seams import period
from ..surface import ParametricSurface
from ..symbols import u, v
from ..trimmed import inside
from ..trimming_pieces import LoopPiece, sample
from .clipping import Loop, clipped
from .curves import CurveForm, Unread, backwards, coordinates, is_segment, moved, plane_piece, projected, segment, shapes_of
from .gaps import Use
from .kernel import opencascade
from .surfaces import ROUND, SurfaceForm, sheets

# Against the size of a face in its parameters, what is nearer than this is the same: files keep 12 digits.
_SAME, _DIGITS = 1e-9, 1e-11
# Ends that are farther apart than the first number are joined, and not if they are farther than the second, against the size of a loop.
_ROUNDED, _APART = 1e-13, 1e-4
# Curves shorter than this, against the size of their loop, are left out.
_SHORT = 1e-5

Ends = list[tuple[float, float]]
Known = dict[int, list[CurveForm]]
"""The curves in space of edges, by what is equal for one edge, however it is turned, and different for others."""


class Rectangle(NamedTuple):
    """Ranges of u and v that a face fills."""

    u: tuple[Any, Any]
    v: tuple[Any, Any]


def face_patches(face: Any, scale: Any, turned: bool, known: Known) -> tuple[list[Solid], list[Use]]:
    """A TopoDS_Face as solids of one piece each, whose faces make it up, and its edges beside it; `turned`: its normal is against that of
    its surface; `known`: the curves of edges.
    """
    surface = opencascade().tool.Surface_s(face)
    while type(surface).__name__ == "Geom_RectangularTrimmedSurface":
        surface = surface.BasisSurface()
    parts = sheets(surface)
    read = [_loop(wire, face, surface, known) for wire in _wires(face)]
    uses = [Use(parts, flat, space) for loop in read for pairs in loop for flat, space in pairs.edges]
    loops = [[p for pairs in loop for p in pairs.pieces] for loop in read if loop]
    ends = ends_of(loops)
    filled = _rectangle(loops, ends)
    made: list[Solid] = []
    for part in parts:
        if filled is not None:
            made += _over_rectangle(part, _rounded(filled, part), turned, scale)
        else:
            made += _inside_loops(part, loops, ends, turned, scale)
    if not made:
        raise Unread("its loops enclose nothing of its surface")
    return made, uses


def _wires(face: Any) -> Iterator[Any]:
    explorer = opencascade().explorer(face, opencascade().wire)
    while explorer.More():
        yield opencascade().shapes.Wire(explorer.Current())
        explorer.Next()


class EdgeUse(NamedTuple):
    """The pieces of an edge in the parameters of a face, along its loop, and those pieces beside their curves in space."""

    pieces: list[LoopPiece]
    edges: list[tuple[LoopPiece, CurveForm]]


def _loop(wire: Any, face: Any, surface: Any, known: Known) -> list[EdgeUse]:
    """The edges of a loop, one after the other, with their ends where the next ones begin."""
    explorer = opencascade().wire_explorer(wire, face)
    plane = _Plane(surface) if type(surface).__name__ == "Geom_Plane" else None
    found: list[tuple[list[LoopPiece], list[CurveForm], bool]] = []
    while explorer.More():
        edge = explorer.Current()
        found.append((*_edge(edge, face, plane, known), edge.Orientation() == opencascade().reversed))
        explorer.Next()
    every, count = opencascade().explorer(wire, opencascade().edge), 0
    while every.More():
        count += 1
        every.Next()
    if count != len(found):
        raise Unread("the edges of one of its loops do not follow each other")
    sample(p for pieces, _, _ in found for p in pieces)
    found = [(_simple(pieces), space, back) for pieces, space, back in found]
    joined = iter(_meeting([p for pieces, _, back in found for p in ([*map(backwards, pieces[::-1])] if back else pieces)]))
    uses = []
    for pieces, spaces, back in found:
        own = [next(joined) for _ in pieces]
        forwards = [*map(backwards, own[::-1])] if back else own
        uses.append(EdgeUse(own, _beside(forwards, spaces)))
    return uses


class _Plane:
    """The directions of a plane, in doubles."""

    def __init__(self, surface: Any) -> None:
        axes = surface.Position()
        self.origin = np.array(coordinates(axes.Location()))
        self.ways = np.array([coordinates(axes.XDirection()), coordinates(axes.YDirection())])


def _edge(edge: Any, face: Any, plane: _Plane | None, known: Known) -> tuple[list[LoopPiece], list[CurveForm]]:
    """The curve of an edge in the parameters of a face, and in space, where it has one: on a plane the first is made from the second,
    elsewhere it is as the kernel has it.
    """
    tool = opencascade().tool
    space = list[CurveForm]()
    if not tool.Degenerated_s(edge):
        # The faces of an edge share its curve in space.
        space = known.get(hash(edge)) or shapes_of(tool.Curve_s(edge, 0.0, 0.0), *tool.Range_s(edge))
        known[hash(edge)] = space
    if plane is not None:
        flat = [projected(s, plane.origin, plane.ways) for s in space]
    else:
        curve = tool.CurveOnSurface_s(edge, face, 0.0, 0.0)
        if curve is None:
            raise Unread("an edge of it has no curve in its parameters")
        flat = shapes_of(curve, *tool.Range_s(edge, face))
    return [plane_piece(s) for s in flat], space


def _beside(pieces: Sequence[LoopPiece], spaces: Sequence[CurveForm]) -> list[tuple[LoopPiece, CurveForm]]:
    """Pieces and curves in space cut where either is, by the share of the way along the edge, or of its parameter."""
    if not spaces:
        return []
    first, last = spaces[0].first, spaces[-1].last
    if len(pieces) == 1 and len(spaces) == 1:
        return [(pieces[0], spaces[0])]
    if len(pieces) == 1 and is_segment(pieces[0]):
        shares = [((s.first - first) / (last - first), (s.last - first) / (last - first)) for s in spaces]
        return [(LoopPiece(pieces[0].curve, a, b), s) for (a, b), s in zip(shares, spaces, strict=True)]
    places = sorted({first, last, *(float(p.first) for p in pieces[1:]), *(s.first for s in spaces[1:])})
    found = []
    for a, b in pairwise(places):
        middle = 0.5 * (a + b)
        own = next(p for p in pieces if float(p.first) <= middle <= float(p.last))
        space = next(s for s in spaces if s.first <= middle <= s.last)
        found.append((LoopPiece(own.curve, a, b), space._replace(first=a, last=b)))
    return found


def _simple(pieces: Loop) -> Loop:
    """A straight line in place of pieces that do not leave it and have a steady speed; of constant u or v, where that does not change."""
    points, slopes = (np.concatenate(rows) for rows in zip(*(p.sampled for p in pieces), strict=True))
    lengths = [float(p.last) - float(p.first) for p in pieces]
    way = points[-1] - points[0]
    length = float(np.hypot(*way))
    steady = np.repeat(lengths, len(points) // len(pieces))[:, None] * way / sum(lengths)
    if np.abs(slopes - steady).max() > _SAME * length:
        return pieces
    a, b = points[0].tolist(), points[-1].tolist()
    for k in (0, 1):
        if abs(way[k]) <= max(_SAME * length, _DIGITS * float(np.abs(points).max())) < length:
            b[k] = a[k]
    return [segment(a, b)]


def _meeting(loop: Loop) -> Loop:
    """The pieces with their ends moved to where the next ones begin: those of straight lines always, of others if they are farther apart
    than rounding.
    """
    if len(loop) < 2:
        return loop
    sample(loop)
    points = np.array([p.sampled[0] for p in loop])
    size = float(np.ptp(points.reshape(-1, 2), axis=0).max())
    corners = points[:, 0].copy()
    for k, p in enumerate(loop):
        # What does not move where it begins ends where it would, so that the one before it can follow.
        if is_segment(p) and not is_segment(loop[k - 1]):
            corners[k] = points[k - 1][-1]
    found = []
    for k, p in enumerate(loop):
        off = np.array([corners[k] - points[k][0], corners[(k + 1) % len(loop)] - points[k][-1]])
        off[np.abs(off).max(axis=1) >= _APART * size] = 0.0
        exact = is_segment(p) or np.abs(off).max() > _ROUNDED * size
        found.append(_upright(moved(p, *off), p) if exact and off.any() else p)
    return found


def _upright(p: LoopPiece, before: LoopPiece) -> LoopPiece:
    """A moved segment, along a line of constant u or v where it was before and that is not lost by more than rounding."""
    if not is_segment(p):
        return p
    numbers, own = list(p.curve.numbers), before.curve.numbers
    size = max(map(abs, numbers))
    for k in (0, 1):
        if own[k] == own[k + 2] and abs(numbers[k] - numbers[k + 2]) <= _DIGITS * size:
            numbers[k] = numbers[k + 2] = own[k]
    return segment(numbers[:2], numbers[2:])


def ends_of(loops: Sequence[Loop]) -> Ends:
    """The least and greatest sampled values of u, and of v."""
    sample(c for loop in loops for c in loop)
    points = np.concatenate([c.sampled[0] for loop in loops for c in loop])
    return list(zip(points.min(axis=0).tolist(), points.max(axis=0).tolist(), strict=True))


def _rectangle(loops: Sequence[Loop], ends: Ends) -> Rectangle | None:
    """The rectangle that one loop of lines of constant u and v runs round, if it does."""
    if len(loops) != 1 or not all(is_segment(c) for c in loops[0]):
        return None
    size, corners = max(hi - lo for lo, hi in ends), []
    for c in loops[0]:
        a, b, p, q = c.curve.numbers
        if (a == p) == (b == q):
            return None
        corners.append((a, b))
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)) / 2
    whole = (ends[0][1] - ends[0][0]) * (ends[1][1] - ends[1][0])
    return Rectangle(*ends) if whole > 0.0 and abs(abs(area) - whole) <= _SAME * size**2 else None


def _rounded(found: Rectangle, part: SurfaceForm) -> Rectangle:
    """The rectangle with full turns for what the file writes with 12 digits, and with the poles of a sphere and the tip of a cone."""
    kind, sides = part.kind[0], list(found)
    for k in part.full_turns:
        if abs(sides[k][1] - sides[k][0] - 2 * math.pi) < _SAME:
            lo = exactly(sides[k][0])
            sides[k] = lo, lo + 2 * sp.pi
    if kind == "SphericalSurface":
        lo, hi = sides[1]
        sides[1] = (-sp.pi / 2 if abs(lo + math.pi / 2) < _SAME else lo, sp.pi / 2 if abs(hi - math.pi / 2) < _SAME else hi)
    if kind == "ConicalSurface":
        radius, angle = part.numbers[-2:]
        tip = -radius / math.sin(angle)
        exact = -exactly(radius) / sp.sin(exactly(angle))
        sides[1] = tuple(exact if abs(e - tip) < _SAME * (1 + abs(tip)) else e for e in sides[1])  # type: ignore[assignment]
    return Rectangle(*sides)


def _over_rectangle(part: SurfaceForm, filled: Rectangle, turned: bool, scale: Any) -> list[Solid]:
    sides = [_common(*pair) for pair in ((filled.u, part.u_range), (filled.v, part.v_range))]
    if None in sides:
        return []
    domain = tuple((exactly(lo), exactly(hi)) for lo, hi in sides)  # type: ignore[misc]
    return [bordered(ParametricSurface._unchecked(part.source(scale), domain, turned), part)]


def _common(own: tuple[Any, Any], limits: tuple[float, float] | None) -> tuple[Any, Any] | None:
    if limits is None:
        return own
    near = _SAME * (1 + abs(limits[1] - limits[0]))
    lo, hi = (limit if abs(float(e) - limit) < near else e for e, limit in zip(own, limits, strict=True))
    lo, hi = max(lo, limits[0]), min(hi, limits[1])
    return (lo, hi) if float(hi - lo) > near else None


def _inside_loops(part: SurfaceForm, loops: Sequence[Loop], ends: Ends, turned: bool, scale: Any) -> list[Solid]:
    kept = list(loops)
    for axis, limits in enumerate((part.u_range, part.v_range)):
        if limits is None:
            continue
        near = _SAME * (limits[1] - limits[0])
        for value, above in ((limits[0], True), (limits[1], False)):
            lo, hi = ends[axis]
            if lo < value - near if above else hi > value + near:
                kept = clipped(kept, axis, value, above)
    kept = [loop for loop in kept if min(hi - lo for lo, hi in ends_of([loop])) > _SAME * max(hi - lo for lo, hi in ends)]
    if not kept:
        return []
    (a, b), (c, d) = ends_of(kept)
    whole = ParametricSurface._unchecked(part.source(scale), ((exactly(a), exactly(b)), (exactly(c), exactly(d))), turned)
    rows = np.array(part.sampled(0.5 * (a + b), 0.5 * (c + d))[3:]).reshape(2, 3)
    lengths = np.hypot(np.hypot(rows[:, 0], rows[:, 1]), rows[:, 2])
    lengths[lengths == 0.0] = 1.0
    try:
        return [inside(whole, kept, tuple(lengths.tolist()))]
    except ValueError:
        return [inside(whole, [_meeting(_without_short(loop)) for loop in kept], tuple(lengths.tolist()))]


def _without_short(loop: Loop) -> Loop:
    sizes = [float(np.ptp(c.sampled[0], axis=0).max()) for c in loop]
    kept = [c for c, size in zip(loop, sizes, strict=True) if size > _SHORT * max(sizes)]
    return kept if len(kept) > 2 else loop


def bordered(surface: ParametricSurface, part: SurfaceForm) -> Solid:
    """A patch with its sides that are neither seams nor poles as edges, and their corners."""
    closed = {s: _closes(surface, part, s) for s in (u, v)}
    edges, corners = [], []
    for s, other in ((u, v), (v, u)):
        for end in (0, 1):
            if closed[s] or _is_point(surface, part, s, end):
                continue
            value = surface.domain[s][end]
            edges.append(Edge._unchecked((0,), (((value, u) if s is u else (u, value)),), surface.domain[other]))
            if not closed[other]:
                corners += [(value, w) if s is u else (w, value) for w in surface.domain[other]]
    made = Solid._unchecked([surface], edges, [Vertex._unchecked((0,), (c,)) for c in dict.fromkeys(corners)])
    made._made_so = True
    return made


def _closes(surface: ParametricSurface, part: SurfaceForm, s: Any) -> bool:
    """(The angles of a round surface close it after a full turn; its other parameters and those of splines never do.)"""
    kind = part.kind[0]
    if kind in ("Plane", "Patch", *ROUND):
        lo, hi = surface.domain[s]
        return (0 if s is u else 1) in part.full_turns and not (hi - lo).is_Rational and hi - lo == 2 * sp.pi
    return period(surface, s) > 0.0


def _is_point(surface: ParametricSurface, part: SurfaceForm, s: Any, end: int) -> bool:
    kind = part.kind[0]
    if kind in ("Plane", "CylindricalSurface", "ToroidalSurface") or (kind in ROUND and s is u):
        return False
    if kind == "Patch":
        axis = 0 if s is u else 1
        return bool(surface.domain[s][end] == exactly(part.numbers[2 * axis + end])) and part.is_point(axis, end)
    # Ends of a sphere or cone are not rational where they are poles.
    return (kind not in ROUND or not surface.domain[s][end].is_Rational) and is_pole(surface, s, end)
