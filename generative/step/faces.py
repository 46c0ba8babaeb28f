"""One face of a file: a surface over a rectangle of its parameters, or trimmed by loops."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..brep import Edge, Solid, Vertex
from ..chart import is_pole
from ..curve import Curve, line
from ..seams import period
from ..surface import ParametricSurface
from ..symbols import u, v
from .clipping import Loop, clipped
from .curves import Unread, plane_curve, space_curve
from .gaps import gap_of
from .kernel import opencascade
from .numbers import frame, number
from .surfaces import Sheet, sheets

# Against the size of a face in its parameters, what is nearer than this is the same: files keep 12 digits.
_SAME, _DIGITS = 1e-9, 1e-11
# Ends that are farther apart than the first number are joined, and not if they are farther than the second, against the size of a loop.
_ROUNDED, _APART = 1e-13, 1e-4
# Curves shorter than this, against the size of their loop, are left out.
_SHORT = 1e-5
_FULL = {"CylindricalSurface": (0,), "ConicalSurface": (0,), "SphericalSurface": (0,), "ToroidalSurface": (0, 1),
         "SurfaceOfRevolution": (0,)}


class Rectangle(NamedTuple):
    """Ranges of u and v that a face fills."""

    u: tuple[Any, Any]
    v: tuple[Any, Any]


def face_patches(face: Any, scale: Any, turned: bool) -> tuple[list[Solid], float]:
    """A TopoDS_Face as solids of one piece each, whose faces make it up, and a bound of its gaps; `turned`: its normal is against that of
    its surface.
    """
    surface = opencascade().tool.Surface_s(face)
    while type(surface).__name__ == "Geom_RectangularTrimmedSurface":
        surface = surface.BasisSurface()
    made_of = sheets(surface, scale)
    gap = [0.0]
    loops = [list(_loop(wire, face, surface, made_of, scale, gap)) for wire in _wires(face)]
    loops = [loop for loop in loops if loop]
    kind = type(surface).__name__.removeprefix("Geom_")
    ends = _ends(loops)
    filled = _rectangle(loops, ends)
    made: list[Solid] = []
    for sheet in made_of:
        if filled is not None:
            made += _over_rectangle(sheet, _rounded(filled, kind, surface), turned)
        else:
            made += _inside_loops(sheet, loops, ends, turned)
    if not made:
        raise Unread("its loops enclose nothing of its surface")
    return made, gap[0]


def _wires(face: Any) -> Iterator[Any]:
    explorer = opencascade().explorer(face, opencascade().wire)
    while explorer.More():
        yield opencascade().shapes.Wire(explorer.Current())
        explorer.Next()


def _loop(wire: Any, face: Any, surface: Any, made_of: Sequence[Sheet], scale: Any, gap: list[float]) -> Iterator[Curve]:
    """Curves [u, v, 0] of the parameters of a face, one after the other; `gap` becomes at least the bound of their gaps."""
    explorer = opencascade().wire_explorer(wire, face)
    count = 0
    while explorer.More():
        edge = explorer.Current()
        given = parameter_curve(edge, face, surface)
        if not opencascade().tool.Degenerated_s(edge):
            first, last = opencascade().tool.Range_s(edge)
            space = space_curve(opencascade().tool.Curve_s(edge, 0.0, 0.0), first, last, scale)
            gap[0] = max(gap[0], gap_of(made_of, given, space))
        pieces = _simple(given)
        yield from ([c.reversed() for c in reversed(pieces)] if edge.Orientation() == opencascade().reversed else pieces)
        explorer.Next()
        count += 1
    every = opencascade().explorer(wire, opencascade().edge)
    while every.More():
        count -= 1
        every.Next()
    if count:
        raise Unread("the edges of one of its loops do not follow each other")


def parameter_curve(edge: Any, face: Any, surface: Any) -> list[Curve]:
    """The curve of an edge in the parameters of a face: on a plane that of its curve in space, elsewhere as the kernel has it."""
    if type(surface).__name__ == "Geom_Plane":
        first, last = opencascade().tool.Range_s(edge)
        axes = frame(surface.Position(), 1)
        return [_projected(c, axes) for c in space_curve(opencascade().tool.Curve_s(edge, 0.0, 0.0), first, last, 1)]
    curve = opencascade().tool.CurveOnSurface_s(edge, face, 0.0, 0.0)
    if curve is None:
        raise Unread("an edge of it has no curve in its parameters")
    return plane_curve(curve, *opencascade().tool.Range_s(edge, face))


def _projected(c: Curve, axes: Any) -> Curve:
    arm = [e - o for e, o in zip(c.expressions, axes.origin, strict=True)]
    along = [sp.expand(sum(a * w for a, w in zip(arm, way, strict=True))) for way in (axes.first, axes.second)]
    return Curve([*map(_rounded_numbers, along), 0], c.domain)


def _rounded_numbers(e: Any) -> Any:
    """The formula with its rational factors rounded to doubles; what is nothing but rounding goes."""
    terms = [term.as_coeff_Mul() for term in sp.Add.make_args(e)]
    if not all(c.is_Rational and not rest.has(sp.Pow) for c, rest in terms):
        return e
    largest = max(abs(float(c)) for c, _ in terms)
    return sp.Add(*(sp.Rational(float(c)) * rest for c, rest in terms if abs(float(c)) > 1e-15 * largest))


def _simple(pieces: Loop) -> Loop:
    """A straight line in place of pieces that do not leave it; of constant u or v, where that does not change."""
    points = np.concatenate([_samples(c) for c in pieces])
    way = points[-1] - points[0]
    length = float(np.hypot(*way))
    off = np.abs((points - points[0]) @ np.array([-way[1], way[0]])).max() / length if length else math.inf
    if off > _SAME * length:
        return pieces
    a, b = pieces[0].at(pieces[0].domain[0]), list(pieces[-1].at(pieces[-1].domain[1]))
    for k in (0, 1):
        if abs(way[k]) <= max(_SAME * length, _DIGITS * float(np.abs(points).max())) < length:
            b[k] = a[k]
    return [line(a, b)]


def _meeting(loop: Loop) -> Loop:
    """The curves with their ends moved to where the next ones begin, if they are farther apart than rounding."""
    found = []
    points = [_samples(c) for c in loop]
    size = max(float(np.ptp(p, axis=0).max()) for p in points)
    for k, c in enumerate(loop):
        begin = points[(k + 1) % len(loop)][0]
        off = begin - points[k][-1]
        if len(loop) == 1 or not _ROUNDED * size < np.abs(off).max() < _APART * size:
            found.append(c)
            continue
        lo, hi = c.domain
        share = (u - lo) / (hi - lo)
        moved = [e + sp.Rational(float(d)) * share for e, d in zip(c.expressions[:2], off, strict=True)]
        found.append(Curve([*moved, 0], c.domain))
    return found


def _samples(c: Curve) -> np.ndarray:
    lo, hi = c.domain
    return np.array([[float(e) for e in c.at(lo + (hi - lo) * sp.Rational(k, 8))[:2]] for k in range(9)])


def _ends(loops: Sequence[Loop]) -> list[tuple[float, float]]:
    points = np.concatenate([_samples(c) for loop in loops for c in loop])
    return [(float(points[:, k].min()), float(points[:, k].max())) for k in (0, 1)]


def _rectangle(loops: Sequence[Loop], ends: Sequence[tuple[float, float]]) -> Rectangle | None:
    """The rectangle that one loop of lines of constant u and v runs round, if it does."""
    if len(loops) != 1:
        return None
    size, corners = max(hi - lo for lo, hi in ends), []
    for c in loops[0]:
        if c.expressions[0].is_number == c.expressions[1].is_number:
            return None
        corners.append([float(e) for e in c.at(c.domain[0])[:2]])
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)) / 2
    whole = (ends[0][1] - ends[0][0]) * (ends[1][1] - ends[1][0])
    if abs(abs(area) - whole) > _SAME * size**2 or not whole > 0.0:
        return None
    u_range, v_range = ((number(lo), number(hi)) for lo, hi in ends)
    return Rectangle(u_range, v_range)


def _rounded(found: Rectangle, kind: str, surface: Any) -> Rectangle:
    """The rectangle with full turns for what the file writes with 12 digits, and with the poles of a sphere."""
    sides = [found.u, found.v]
    for k in _FULL.get(kind, ()):
        if abs(float(sides[k][1] - sides[k][0]) - 2 * math.pi) < _SAME:
            sides[k] = sides[k][0], sides[k][0] + 2 * sp.pi
    if kind == "SphericalSurface":
        lo, hi = sides[1]
        sides[1] = (-sp.pi / 2 if abs(float(lo) + math.pi / 2) < _SAME else lo, sp.pi / 2 if abs(float(hi) - math.pi / 2) < _SAME else hi)
    if kind == "ConicalSurface":
        tip = -number(surface.RefRadius()) / sp.sin(number(surface.SemiAngle()))
        sides[1] = tuple(tip if abs(float(e - tip)) < _SAME * (1 + abs(float(tip))) else e for e in sides[1])  # type: ignore[assignment]
    return Rectangle(*sides)


def _over_rectangle(sheet: Sheet, filled: Rectangle, turned: bool) -> list[Solid]:
    sides = [_common(*pair) for pair in ((filled.u, sheet.u_range), (filled.v, sheet.v_range))]
    if None in sides:
        return []
    return [bordered(ParametricSurface(sheet.body, dict(zip((u, v), sides, strict=True)), flipped=turned))]


def _common(own: tuple[Any, Any], limits: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
    if limits is None:
        return own
    near = _SAME * (1 + abs(float(limits[1] - limits[0])))
    lo, hi = (limit if abs(float(e - limit)) < near else e for e, limit in zip(own, limits, strict=True))
    lo, hi = max(lo, limits[0]), min(hi, limits[1])
    return (lo, hi) if float(hi - lo) > near else None


def _inside_loops(sheet: Sheet, loops: Sequence[Loop], ends: Sequence[tuple[float, float]], turned: bool) -> list[Solid]:
    kept = list(loops)
    for axis, limits in enumerate((sheet.u_range, sheet.v_range)):
        if limits is None:
            continue
        near = _SAME * float(limits[1] - limits[0])
        for value, above in ((limits[0], True), (limits[1], False)):
            lo, hi = ends[axis]
            if lo < float(value) - near if above else hi > float(value) + near:
                kept = clipped(kept, axis, value, above)
    kept = [loop for loop in kept if min(hi - lo for lo, hi in _ends([loop])) > _SAME * max(hi - lo for lo, hi in ends)]
    if not kept:
        return []
    domain = {s: (number(lo), number(hi)) for s, (lo, hi) in zip((u, v), _ends(kept), strict=True)}
    whole = ParametricSurface(sheet.body, domain, flipped=turned)
    try:
        return [whole.trimmed([_meeting(loop) for loop in kept])]
    except ValueError:
        return [whole.trimmed([_meeting(_without_short(loop)) for loop in kept])]


def _without_short(loop: Loop) -> Loop:
    points = [_samples(c) for c in loop]
    size = max(float(np.ptp(p, axis=0).max()) for p in points)
    kept = [c for c, p in zip(loop, points, strict=True) if np.ptp(p, axis=0).max() > _SHORT * size]
    return kept if len(kept) > 2 else loop


def bordered(surface: ParametricSurface) -> Solid:
    """A patch with its sides that are neither seams nor poles as edges, and their corners."""
    edges, corners = [], []
    for s, other in ((u, v), (v, u)):
        if period(surface, s) > 0.0:
            continue
        for end in (0, 1):
            if is_pole(surface, s, end):
                continue
            value = surface.domain[s][end]
            edges.append(Edge((0,), (((value, u) if s is u else (u, value)),), surface.domain[other]))
            if period(surface, other) == 0.0:
                corners += [(value, w) if s is u else (w, value) for w in surface.domain[other]]
    return Solid._unchecked([surface], edges, [Vertex((0,), (c,)) for c in dict.fromkeys(corners)])
