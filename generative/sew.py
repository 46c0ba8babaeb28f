"""Solids from faces alone: shared borders are found and become edges and vertices, and whatever does not close up is named.

Borders are compared at a few parameters in floating point, so that agreement is no proof (`collide.check_solid` proves it). A side
of a face's rectangle may be a pole (one point), a seam (it coincides with the opposite side), or one half of an edge: then exactly
one side of another face runs along it with the same parameter up to a linear map, and, where both normals point outwards, in the
opposite sense.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import sympy as sp

from codegen.given import lambdified, shown

from .brep import CLOSE, SEWN, Edge, Solid, Vertex
from .mesh import enclosing
from .resting import member_at_numbers
from .surface import ParametricSurface
from .symbols import double, items, parameters_of, t, u, v, vector

Point = tuple[float, float, float]
# Where sides are compared, shares of their length that are not symmetric: what runs backward is seen to.
FRACTIONS = (0.0, 0.21, 0.5, 0.83, 1.0)
_SHARES = {*FRACTIONS, *(1 - f for f in FRACTIONS)}


@dataclass(frozen=True)
class _Side:
    """One side of a face's rectangle, run through forwards: `symbol` = its end number `end`, the other parameter free."""

    face: int
    symbol: Any
    end: int
    domain: tuple[Any, Any]
    fixed: Any
    points: tuple[Point, ...]
    back: tuple[Point, ...]
    sense: int

    def path(self, parameter: Any) -> tuple[Any, Any]:
        return (self.fixed, parameter) if self.symbol == u else (parameter, self.fixed)

    def __str__(self) -> str:
        return f"the side {self.symbol} = {self.fixed} of face {self.face}"


@dataclass(frozen=True)
class Border:
    """The pair that closes one side of a face: `first` and `second`, curves of u over `domain`, should be the same curve.

    Each is (face, path), the path two expressions of u; both are on one face for a seam. At a pole the second is a point.
    `between` says, for messages, what they are.
    """

    first: tuple[int, tuple[Any, Any]]
    second: tuple[int, tuple[Any, Any]]
    domain: tuple[Any, Any]
    between: str


def sew(faces: Sequence[ParametricSurface]) -> Solid:
    """The solid bounded by these faces, normals outward; every side must be a pole, a seam, or shared with one other face.

    Raises ValueError that names the first side that is free, shared by three, or shared in the same sense (a flipped face), and
    for faces that enclose nothing or are all turned inside out. All of this is judged at t = 0.
    """
    sides, near = _sides(faces)
    matched = _matched(sides, near)
    edges = [_edge(*pair) for pair in matched]
    ends = [corner for pair in matched if not _distance(pair[0].points[0], pair[0].points[-1]) <= near for corner in _corners(*pair)]
    volume = enclosing(faces)
    if volume == 0:
        raise ValueError("the faces enclose no volume: the profile or outline they are made from is degenerate")
    if volume < 0:
        raise ValueError("the faces enclose a negative volume: all normals point inwards; give every face the other orientation")
    # That edges and vertices are on all of their faces was just seen, at t = 0: the same test again only for faces that deform.
    made = Solid if any(f.deforming for f in faces) else Solid._unchecked
    return made(faces, edges, _vertices(ends, near)).noted(SEWN)


def borders(faces: Sequence[ParametricSurface]) -> list[Border]:
    """The borders that close each side of the faces, each pair of sides once; ValueError as `sew`."""
    sides, near = _sides(faces)
    found = []
    for side in sides:
        here = side.face, side.path(u)
        if _pole(side, near):
            found.append(Border(here, (side.face, side.path(side.domain[0])), side.domain, f"{side}, a pole,"))
        elif side.end == 0 and _seam(side, sides, near):
            far = next(o for o in sides if _opposite(o, side))
            found.append(Border(here, (far.face, far.path(u)), side.domain, f"{side}, a seam,"))
    for pair in _matched(sides, near):
        edge = _edge(*pair)
        first, second = zip(edge.faces, edge.paths, strict=True)
        found.append(Border(first, second, edge.domain, f"{pair[0]} and {pair[1]}"))
    return found


def _sides(faces: Sequence[ParametricSurface]) -> tuple[list[_Side], float]:
    """The four sides of every face, and the distance up to which points count as one."""
    if isinstance(faces, (ParametricSurface, Solid)) or not items(faces, "the faces") or not all(
            isinstance(f, ParametricSurface) for f in faces):
        raise ValueError("a solid needs faces, each a ParametricSurface")
    for s in parameters_of(*(e for face in faces for e in (*face.expressions, *chain(*face.domain.values())))):
        raise ValueError(f"the faces contain the parameter {s}: whether they close is seen at numbers only; substitute one")
    sides = [_side(k, face, s, end, points) for k, face in enumerate(faces) for (s, end), points in _samples(face).items()]
    return sides, CLOSE * (max(abs(c) for side in sides for p in side.points for c in p) or 1.0)


@lru_cache(maxsize=256)
def _samples(face: ParametricSurface) -> dict[tuple[Any, int], dict[float, Point]]:
    """Points of the four sides of a face at t = 0, by shares of their lengths, in doubles: by one function for all faces of a family."""
    family = member_at_numbers(face)
    function, numbers = _places(family.body, family.symbols), [double(e) for e in family.numbers]
    ends = {s: (double(lo), double(hi)) for s, (lo, hi) in face.domain.items()}
    found: dict[tuple[Any, int], dict[float, Point]] = {}
    for s, other in ((u, v), (v, u)):
        lo, hi = ends[other]
        along = {share: lo + share * (hi - lo) for share in _SHARES}
        for end in (0, 1):
            at = ends[s][end]
            places = {share: (at, e) if s == u else (e, at) for share, e in along.items()}
            found[s, end] = {share: _point(function(*place, *numbers)) for share, place in places.items()}
    return found


def _point(given: Sequence[float]) -> Point:
    x, y, z = given
    return float(x), float(y), float(z)


@lru_cache(maxsize=256)
def _places(face: ParametricSurface, symbols: tuple[Any, ...]) -> Callable[..., Sequence[float]]:
    return lambdified([u, v, *symbols], [e.subs(t, 0) for e in face.expressions], "math")


def _matched(sides: Sequence[_Side], near: float) -> list[tuple[_Side, _Side, bool]]:
    """Pairs of sides that are neither poles nor seams, with whether they run in opposite senses of their parameters."""
    open_sides = [s for s in sides if not _pole(s, near) and not _seam(s, sides, near)]
    pairs = []
    while open_sides:
        side = open_sides.pop(0)
        partners = [other for other in open_sides if _meet(side.points, other.points, near) or _meet(side.points, other.back, near)]
        if len(partners) != 1:
            problem = "meets no other side: the solid is open there" if not partners else f"is shared by {len(partners) + 1} sides"
            raise ValueError(f"{side} {problem}")
        other = partners[0]
        open_sides.remove(other)
        reverse = not _meet(side.points, other.points, near)
        if side.sense * other.sense * (-1 if reverse else 1) > 0:
            raise ValueError(f"{side} and {other} coincide in the same sense: one of the two faces must be flipped")
        pairs.append((side, other, reverse))
    return pairs


def cap(surface: ParametricSurface, side: tuple[Any, int], centre: Any = None, *, flipped: bool | None = None) -> ParametricSurface:
    """The straight lines from the side (symbol, 0 or 1) of a surface to `centre`, v = 0 there: a flat cap of a plane outline.

    `centre`: a point from which all of the outline is seen; None is the mean of three points of it a third of its parameter
    range apart. `flipped`: None turns the normal so that cap and surface look outwards together.
    """
    if not isinstance(surface, ParametricSurface):
        raise TypeError(f"a cap closes a ParametricSurface, got {shown(surface)}")
    if not isinstance(side, (tuple, list)) or len(side) != 2 or side[0] not in (u, v) or side[1] not in (0, 1):
        raise ValueError(f"the side of a cap is a pair such as (u, 0) or (v, 1), got {shown(side)}")
    symbol, end = side
    fixed, other = surface.domain[symbol][end], v if symbol == u else u
    border = [e.xreplace({symbol: fixed}).xreplace({v: u}) for e in surface.body]
    middle = _middle(border, surface.domain[other]) if centre is None else vector(centre, [t], "the centre of a cap")
    if flipped is None:
        flipped = _sense(symbol, end, surface) < 0
    body = [c + v * (b - c) for b, c in zip(border, middle, strict=True)]
    return ParametricSurface(body, {u: surface.domain[other], v: (0, 1)}, flipped=flipped, motion=surface.motion)


def open_sides(surface: ParametricSurface) -> list[tuple[Any, int]]:
    """The sides (symbol, 0 or 1) of a surface that are neither poles nor seams, as seen at sampled points."""
    sides, near = _sides([surface])
    return [(s.symbol, s.end) for s in sides if not _pole(s, near) and not _seam(s, sides, near)]


def _middle(border: Sequence[Any], domain: tuple[Any, Any]) -> list[Any]:
    lo, hi = domain
    thirds = [lo + (hi - lo) * sp.Rational(k, 3) for k in range(3)]
    return [sum(e.xreplace({u: at}) for at in thirds) / 3 for e in border]


def _sense(symbol: Any, end: int, face: ParametricSurface) -> int:
    """1 if a side is run through forwards counterclockwise round the rectangle, as v = lo and u = hi; a flipped face reverses it."""
    forwards = (symbol == v) == (end == 0)
    return 1 if forwards != face.flipped else -1


def _side(k: int, face: ParametricSurface, symbol: Any, end: int, points: dict[float, Point]) -> _Side:
    forth, back = tuple(points[f] for f in FRACTIONS), tuple(points[1 - f] for f in FRACTIONS)
    return _Side(k, symbol, end, face.domain[v if symbol == u else u], face.domain[symbol][end], forth, back, _sense(symbol, end, face))


def _distance(a: Point, b: Point) -> float:
    return max(abs(p - q) for p, q in zip(a, b, strict=True))


def _meet(a: Sequence[Point], b: Sequence[Point], near: float) -> bool:
    return all(_distance(p, q) <= near for p, q in zip(a, b, strict=True))


def _pole(side: _Side, near: float) -> bool:
    return all(_distance(p, side.points[0]) <= near for p in side.points)


def _seam(side: _Side, sides: Sequence[_Side], near: float) -> bool:
    return _meet(side.points, next(o for o in sides if _opposite(o, side)).points, near)


def _opposite(other: _Side, side: _Side) -> bool:
    return (other.face, other.symbol, other.end) == (side.face, side.symbol, 1 - side.end)


def _edge(side: _Side, other: _Side, reverse: bool) -> Edge:
    (lo, hi), (a, b) = side.domain, other.domain
    along = (u - lo) * (b - a) / (hi - lo)
    return Edge._unchecked((side.face, other.face), (side.path(u), other.path(b - along if reverse else a + along)), side.domain)


def _corners(side: _Side, other: _Side, reverse: bool) -> list[tuple[Point, int, tuple[Any, Any]]]:
    """(place, face, parameters) of both ends of an edge on both of its faces."""
    found = []
    for k in (0, -1):
        found.append((side.points[k], side.face, side.path(side.domain[k])))
        found.append((side.points[k], other.face, other.path(other.domain[-1 - k if reverse else k])))
    return found


def _vertices(ends: Sequence[tuple[Point, int, tuple[Any, Any]]], near: float) -> list[Vertex]:
    groups: list[list[tuple[Point, int, tuple[Any, Any]]]] = []
    for end in ends:
        group = next((g for g in groups if _distance(g[0][0], end[0]) <= near), None)
        if group is None:
            groups.append([end])
        elif not any(e[1] == end[1] for e in group):
            group.append(end)
    return [Vertex(tuple(e[1] for e in g), tuple(e[2] for e in g)) for g in groups]
