"""Regions of the plane from the outlines of a DXF drawing. Needs the extra `dxf`.

Lines, arcs and splines that meet end to end are closed outlines; outlines inside others are holes. All numbers of the file are taken as the
doubles that are read; ends that are apart by rounding are made one.
"""

import math
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, NamedTuple

import sympy as sp

from codegen.given import shown

from . import curve as curves
from .brep import Solid
from .curve import Curve
from .numeric import approx_function
from .outlines_apart import NamedCurve, meeting
from .plane import arcs, region
from .symbols import exact, positive, u

# Entities that draw no outline.
_NOTES = {"TEXT", "MTEXT", "DIMENSION", "LEADER", "MULTILEADER", "ATTDEF", "ATTRIB", "POINT", "VIEWPORT", "HATCH", "IMAGE", "TOLERANCE"}
_UNITS = {0: "no unit", 1: "inches", 2: "feet", 4: "millimetres", 5: "centimetres", 6: "metres"}
# Samples of a piece, to tell which outline is inside another.
_SAMPLES = 16

Point = tuple[float, float]


class DrawnRegions(NamedTuple):
    """The `regions` of a drawing, each a planar `Solid`; `unit`, what the header of the file says of its numbers; and `notes`, sentences on
    what was left out and how far ends were apart.
    """

    regions: list[Solid]
    unit: str
    notes: tuple[str, ...]


class _DrawnPiece(NamedTuple):
    """A piece from a point to another: an arc with a bulge (0: a line), or a spline by its control points, knots, degree and weights."""

    start: Point
    end: Point
    bulge: float
    spline: tuple[Any, ...] | None
    name: str

    def reversed(self) -> "_DrawnPiece":
        spline = self.spline
        if spline is not None:
            points, knots, degree, weights = spline
            spline = points[::-1], [knots[0] + knots[-1] - k for k in reversed(knots)], degree, weights and weights[::-1]
        return _DrawnPiece(self.end, self.start, -self.bulge, spline, self.name)


def regions_from_dxf(path: str | PathLike[str], *, layer: str | None = None, scale: Any = 1, join: float = 1e-6) -> DrawnRegions:
    """Read the closed outlines of a drawing as regions of the plane, with those inside others as holes.

    Parameters
    ----------
    path : str or path
        A DXF file, as ezdxf reads it.
    layer : str, optional
        The layer that is read; None: all.
    scale : number, optional
        The factor from the numbers of the file to those of the regions, exact: 1 keeps them, as the file has them, whatever its header
        says of a unit; ``sympy.Rational(1, 1000)`` makes metres of millimetres.
    join : float, optional
        Ends of pieces as near as that, against the size of the drawing, are one point. Outlines as near are refused.

    Returns
    -------
    DrawnRegions
        Regions, in the order in which their outlines begin in the file; the unit that the header names; notes.

    Raises
    ------
    ImportError
        Without ezdxf.
    ValueError
        For a drawing without a closed outline, an outline that is open or branches, outlines that cross, touch or lie on each other, or
        come nearer than `join` allows, both entities being named, and an entity that is no line, arc, circle, polyline,
        full ellipse, spline by control points, or insertion of these; it is named by its type and handle.

    Notes
    -----
    Outlines are *proved* apart from each other, in interval arithmetic. That one does not cross itself is not checked.

    Polylines and splines are *exact* in the doubles of the file; bulges are those of rational circles. Ends of arcs, which files give by
    angles, are computed in doubles, so that an arc is that of the drawing up to rounding and `join`; `notes` say how far ends were moved.
    Entities that are drawn in a mirrored frame, extrusion (0, 0, -1), are mirrored.
    """
    try:
        import ezdxf
    except ImportError as error:
        raise ImportError("regions_from_dxf needs ezdxf: pip install generative-collision[dxf]") from error
    factor = positive(scale, [], "the scale of a drawing")
    try:
        document = ezdxf.readfile(str(path))
    except ezdxf.DXFError as error:
        raise ValueError(f"{shown(str(path))} is no DXF file that ezdxf reads: {error}") from error
    pieces, closed, left = list[_DrawnPiece](), list[NamedCurve](), list[str]()
    for entity in _entities(document.modelspace(), layer):
        _read(entity, pieces, closed, left)
    chained, moved = _chained(pieces, join)
    loops = [*chained, *([c] for c in closed)]
    if not loops:
        raise ValueError(f"the drawing {shown(str(path))} has no closed outline" + (f" on layer {layer}" if layer else ""))
    if (found := meeting(loops, join)) is not None:
        raise ValueError(f"the outlines of {' and '.join(found)} cross, touch or lie on each other, or come nearer than join={join} times "
                         "the size of the drawing; outlines of a region lie apart")
    curved = [[Curve([factor * e for e in c.expressions], c.domain) for c, _ in loop] for loop in loops]
    unit = _UNITS.get(document.header.get("$INSUNITS", 0), "another unit")
    notes = [f"Entities that are no outlines were left out: {', '.join(left)}."] if left else []
    notes += [f"Ends that were up to {moved:.3g} apart were made one."] if moved > 0 else []
    return DrawnRegions(_nested(curved), unit, tuple(notes))


# -- entities -----------------------------------------------------------------------------------------------------------


def _entities(layout: Any, layer: str | None) -> Iterator[Any]:
    for entity in layout:
        if layer is not None and entity.dxf.layer != layer:
            continue
        if entity.dxftype() == "INSERT":
            yield from _entities(entity.virtual_entities(), None)
        else:
            yield entity


def _read(entity: Any, pieces: list[_DrawnPiece], closed: list[NamedCurve], left: list[str]) -> None:
    kind, d = entity.dxftype(), entity.dxf
    name = f"{kind} {d.handle or 'of a block'}"
    if kind in _NOTES:
        left.append(name)
    elif kind == "LINE":
        pieces.append(_DrawnPiece(_flat(d.start, name), _flat(d.end, name), 0.0, None, name))
    elif kind in ("LWPOLYLINE", "POLYLINE"):
        _read_polyline(entity, kind, name, pieces)
    elif kind in ("ARC", "CIRCLE"):
        mirrored = _mirrored(entity, name)
        centre, radius = (-d.center[0] if mirrored else d.center[0], d.center[1]), float(d.radius)
        if kind == "CIRCLE":
            a, b, r = map(exact, (*centre, radius))
            closed.append((Curve([a + r * sp.cos(u), b + r * sp.sin(u), 0], (0, 2 * sp.pi)), name))
        else:
            pieces.append(_arc(centre, radius, d.start_angle, d.end_angle, mirrored, name))
    elif kind == "ELLIPSE":
        closed.append((_ellipse(d, name), name))
    elif kind == "SPLINE":
        pieces.append(_spline(entity, name))
    else:
        raise ValueError(f"{name} is no line, arc, circle, polyline, full ellipse or spline")


def _flat(point: Any, name: str) -> Point:
    if point[2] != 0:
        raise ValueError(f"{name} leaves the plane z = 0: a point has z = {point[2]}")
    return float(point[0]), float(point[1])


def _mirrored(entity: Any, name: str) -> bool:
    """Whether the frame of an entity is seen from below: x has the other sign."""
    across = tuple(entity.dxf.get("extrusion", (0.0, 0.0, 1.0)))
    if across[:2] != (0.0, 0.0) or across[2] not in (1.0, -1.0):
        raise ValueError(f"{name} lies in another plane: its extrusion is {across}")
    return across[2] < 0


def _read_polyline(entity: Any, kind: str, name: str, pieces: list[_DrawnPiece]) -> None:
    if kind == "LWPOLYLINE":
        corners = [(float(x), float(y), float(b)) for x, y, b in entity.get_points("xyb")]
    elif entity.is_2d_polyline:
        corners = [(float(w.dxf.location[0]), float(w.dxf.location[1]), float(w.dxf.get("bulge", 0.0))) for w in entity.vertices]
    else:
        raise ValueError(f"{name} is a polyline in space")
    sign = -1.0 if _mirrored(entity, name) else 1.0
    corners = [(sign * x, y, sign * b) for x, y, b in corners]
    following = [*corners[1:], *(corners[:1] if entity.is_closed else [])]
    for (ax, ay, b), (bx, by, _) in zip(corners, following, strict=False):
        if (ax, ay) != (bx, by):
            pieces.append(_DrawnPiece((ax, ay), (bx, by), b, None, name))


def _arc(centre: Point, radius: float, start: float, end: float, mirrored: bool, name: str) -> _DrawnPiece:
    """Counter-clockwise from the first angle to the second, in degrees; mirrored angles run the other way."""
    while end <= start:
        end += 360.0
    first, last = (math.radians(180.0 - a if mirrored else a) for a in (start, end))
    ends = [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in (first, last)]
    return _DrawnPiece(ends[0], ends[1], math.tan((last - first) / 4), None, name)


def _ellipse(d: Any, name: str) -> Curve:
    turn = abs(d.end_param - d.start_param)
    if abs(turn - 2 * math.pi) > 1e-9:
        raise ValueError(f"{name} is a part of an ellipse; draw it as a spline")
    a, b, _ = map(exact, map(float, d.center))
    p, q, _ = map(exact, map(float, d.major_axis))
    r = exact(float(d.ratio))
    return Curve([a + p * sp.cos(u) - r * q * sp.sin(u), b + q * sp.cos(u) + r * p * sp.sin(u), 0], (0, 2 * sp.pi))


def _spline(entity: Any, name: str) -> _DrawnPiece:
    points = [_flat(p, name) for p in entity.control_points]
    if not points:
        raise ValueError(f"{name} has fit points alone, of which no curve follows; give control points")
    degree, knots, weights = entity.dxf.degree, [float(k) for k in entity.knots], [float(w) for w in entity.weights] or None
    if knots[0] != knots[degree] or knots[-1] != knots[-degree - 1]:
        raise ValueError(f"{name} has unclamped knots; its ends are no control points")
    return _DrawnPiece(points[0], points[-1], 0.0, (points, knots, degree, weights), name)


# -- outlines -----------------------------------------------------------------------------------------------------------


def _chained(pieces: Sequence[_DrawnPiece], join: float) -> tuple[list[list[NamedCurve]], float]:
    """Closed outlines of pieces that follow each other, and how far their ends were moved at most."""
    ends = [p for piece in pieces for p in (piece.start, piece.end)]
    size = max((max(c) - min(c) for c in zip(*ends, strict=True)), default=0.0)
    nodes, which, moved = list[Point](), list[int](), 0.0
    for p in ends:
        far = [math.dist(p, q) for q in nodes]
        k = min(range(len(nodes)), key=far.__getitem__, default=-1)
        if k < 0 or far[k] > join * size:
            nodes.append(p)
            k = len(nodes) - 1
        else:
            moved = max(moved, far[k])
        which.append(k)
    at: dict[int, list[int]] = {}
    for k, node in enumerate(which):
        at.setdefault(node, []).append(k)
    for node, own in at.items():
        if len(own) != 2:
            what = "is open" if len(own) == 1 else "branches"
            names = dict.fromkeys(pieces[k // 2].name for k in own)
            raise ValueError(f"an outline {what} at {nodes[node]}, at an end of {' and '.join(names)}")
    left, loops = dict.fromkeys(range(len(pieces))), []
    while left:
        loops.append(_loop(next(iter(left)), pieces, which, at, nodes, left))
    return loops, moved


def _loop(first: int, pieces: Sequence[_DrawnPiece], which: Sequence[int], at: dict[int, list[int]], nodes: Sequence[Point],
          left: dict[int, None]) -> list[NamedCurve]:
    found, end = list[NamedCurve](), 2 * first
    while end // 2 in left:
        k, forward = end // 2, end % 2 == 0
        del left[k]
        piece = pieces[k] if forward else pieces[k].reversed()
        out = 2 * k + 1 if forward else 2 * k
        found += [(c, piece.name) for c in _curves(piece, nodes[which[end]], nodes[which[out]])]
        end = next((e for e in at[which[out]] if e != out), out)
    return found


def _curves(piece: _DrawnPiece, start: Point, end: Point) -> list[Curve]:
    """The piece between ends that may have been moved."""
    if piece.spline is None:
        return arcs(start, end, piece.bulge)
    points, knots, degree, weights = piece.spline
    inner = [start, *points[1:-1], end]
    return curves.b_spline([(x, y, 0) for x, y in inner], knots, degree, weights)


def _nested(loops: Sequence[list[Curve]]) -> list[Solid]:
    """Outlines inside an even number of others bound regions; the others are holes of the smallest one around them."""
    rings = [_sampled(loop) for loop in loops]
    around = [[j for j, other in enumerate(rings) if j != k and _inside(ring[0], other)] for k, ring in enumerate(rings)]
    outer = [k for k, own in enumerate(around) if len(own) % 2 == 0]
    holes: dict[int, list[list[Curve]]] = {k: [] for k in outer}
    for k, own in enumerate(around):
        if len(own) % 2 == 1:
            holes[max((j for j in own if j in holes), key=lambda j: len(around[j]))].append(loops[k])
    return [region(loops[k], holes[k]) for k in outer]


def _sampled(loop: Sequence[Curve]) -> list[Point]:
    found = []
    for p in loop:
        at = approx_function(p.expressions[:2], [u])
        lo, hi = map(float, p.domain)
        found += [at(lo + (hi - lo) * k / _SAMPLES) for k in range(_SAMPLES)]
    return [(float(a), float(b)) for a, b in found]


def _inside(point: Point, ring: Sequence[Point]) -> bool:
    """By the crossings of a ray along x."""
    inside = False
    for (ax, ay), (bx, by) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (ay > point[1]) != (by > point[1]) and point[0] < ax + (point[1] - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return inside
