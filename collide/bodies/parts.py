"""The smooth parts of a body's surface, down to its edges and vertices: what a contact can be a contact of.

A parametric part is a face, or a face along a path in its parameters (an edge), or at a point of them (a vertex). Where
a side of the rectangle collapses to a pole, there may be parameters p and q that are smooth there (`generative.chart`):
on demand the face ends a little before the pole, and round it is a part with those. Where there are none, the pole itself
is a part. Those of implicit bodies: `implicit_parts`.
Every part says where tangency may be used: at the end of a parameter only if that end is a seam, or if another part of
the same body covers it (Snyder 1993, Appendix A).
"""

import functools
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

import sympy as sp

from codegen.deadline import interruptible
from generative import Edge, ImplicitBody, ParametricSurface, Solid, u, v
from generative.chart import is_pole, pole_chart
from generative.creases import creased
from generative.polyhedron import CLOSED
from generative.resting import runs_along
from generative.seams import period

from .cells import Cell, Parametric, Path
from .implicit_parts import Candidates, implicit_parts
from .mesh import Mesh
from .mesh_cells import Triangles

# Smooth parameters take over in boxes that lie within this part of their reach from a pole.
_CLOSE = sp.Rational(1, 32)


# A pole: the number of its face, the symbol and the end (0 or 1) at which it lies.
Pole = tuple[int, Any, int]


def parts_of(body: Any, charts: frozenset[Pole] = frozenset()) -> Sequence[Cell]:
    """Every part of a body: faces first, then edges, then vertices. Those of the poles in `charts` have smooth parameters. All triangles of
    a mesh are one. Those of an implicit body of many leaves are made when they are asked for (`Candidates`).
    """
    return _parts(body, charts)


@functools.lru_cache(maxsize=256)
@interruptible()
def _parts(body: Any, charts: frozenset[Pole]) -> Sequence[Cell]:
    if isinstance(body, Mesh):
        return (Triangles(body),)
    if charts:
        return _with_charts(body, charts)
    if isinstance(body, ImplicitBody):
        return implicit_parts(body)
    return tuple(_parametric_parts(body if isinstance(body, Solid) else as_solid(body), two_sided=not is_closed(body)))


def faces_of(body: Any) -> tuple[Cell, ...]:
    """Whole faces, whose closed union is the surface; those of one solid meet along their borders only. Of a solid those that are shown."""
    parts = parts_of(body)
    return parts.faces if isinstance(parts, Candidates) else tuple(p for p in parts if p.is_face)


@functools.lru_cache(maxsize=1 << 12)
@interruptible()
def face_of(body: Any, k: int) -> Cell:
    """Face k of a parametric body, of a solid also where it is not shown."""
    if isinstance(body, Solid) and not body.planar:
        return _face(body, k, two_sided=not is_closed(body))
    return faces_of(body)[k]


def like(body: Any, face: Cell) -> Cell:
    """The face of a body that is what a face is of another one, which differs in its formulas alone."""
    if face.of is not None:
        (whole,) = parts_of(body)
        return whole.face(face.of[1])  # type: ignore[attr-defined, no-any-return]
    return next(f for f in faces_of(body) if f.feature == face.feature)


# -- parametric bodies --------------------------------------------------------------------------------------------


def sides(surface: ParametricSurface) -> list[tuple[Any, int]]:
    """The sides of the parameter rectangle that are no seams: (symbol, 0 for its lower end or 1)."""
    return [(s, end) for s in (u, v) if period(surface, s) == 0.0 for end in (0, 1)]


def as_solid(surface: ParametricSurface) -> Solid:
    """A patch as a one-face solid: its sides that are neither seams nor poles are edges, their ends vertices. With creases it has a face
    for each smooth piece.
    """
    pieces = creased(surface)
    if pieces is not None:
        return pieces
    open_sides = [(s, end) for s, end in sides(surface) if not is_pole(surface, s, end)]
    edges, corners = [], []
    for s, end in open_sides:
        value = surface.domain[s][end]
        other = v if s is u else u
        edges.append(Edge((0,), ((value, u) if s is u else (u, value),), surface.domain[other]))
        if period(surface, other) == 0.0:
            corners += [(value, w) if s is u else (w, value) for w in surface.domain[other]]
    return _assembled(surface, edges, list(dict.fromkeys(corners)))


def _assembled(surface: ParametricSurface, edges: Sequence[Edge], corners: Sequence[Path]) -> Solid:
    from generative import Vertex

    return Solid([surface], edges, [Vertex((0,), (c,)) for c in corners])


def is_closed(body: Any) -> bool:
    """Whether the surface is known to have no border. A patch: its sides are seams and poles. A solid: every other side belongs to a
    declared edge of two faces. Implicit bodies have an inside by their sign.
    """
    if isinstance(body, Mesh):
        return body.closed
    return isinstance(body, ImplicitBody) or _is_closed(body.resting)


def has_inside(body: Any) -> bool:
    """Whether a body is closed, or a polyhedron that is known to be, faces of which may be made of several patches."""
    return is_closed(body) or (isinstance(body, Solid) and body.closed == CLOSED)


@functools.lru_cache(maxsize=256)
@interruptible()
def _is_closed(body: Any) -> bool:
    faces = body.faces if isinstance(body, Solid) else (body,)
    edges = [e for e in body.edges if len(e.faces) > 1] if isinstance(body, Solid) else []
    if isinstance(body, Solid) and body.planar:
        return True
    return all(is_pole(f, s, end) or _covered(k, f, s, end, edges) for k, f in enumerate(faces) for s, end in sides(f))


def _planar_parts(solid: Solid) -> list[Parametric]:
    """The outlines of a region of the plane, and their corners."""
    on = (u, sp.Integer(0))
    parts = []
    for k, face in enumerate(solid.faces):
        along = period(face, u)
        parts.append(Parametric(f"edge {k}", face, on, (u,), (face.domain[u],), (along,), ((False, False),), ((face, on),), planar=True))
    for k, vertex in enumerate(solid.vertices):
        shared = tuple((solid.faces[f], p) for f, p in zip(vertex.faces, vertex.points, strict=True))
        parts.append(Parametric(f"vertex {k}", *shared[0], (), (), (), (), shared, planar=True))
    return parts


def _parametric_parts(solid: Solid, two_sided: bool) -> list[Parametric]:
    if solid.planar:
        return _planar_parts(solid)
    shown = sorted(solid.shown)
    parts = [_face(solid, k, two_sided) for k in shown]
    # An edge or a vertex is on each of its faces, so one that has a face that is not shown is where nothing is asked about, either.
    edges = {k: e for k, e in enumerate(solid.edges) if solid.shown.issuperset(e.faces)}
    ended = {f for e in edges.values() for f in e.faces}
    corners = {(f, _numbers(p)) for vertex in solid.vertices for f, p in zip(vertex.faces, vertex.points, strict=True) if f in ended}
    parts += [_edge(solid, k, corners, two_sided) for k in edges]
    for k, vertex in enumerate(solid.vertices):
        if solid.shown.issuperset(vertex.faces):
            shared = tuple((solid.faces[f], p) for f, p in zip(vertex.faces, vertex.points, strict=True))
            parts.append(Parametric(f"vertex {k}", *shared[0], (), (), (), (), shared, two_sided))
    for k in shown:
        parts += [_pole(solid.faces[k], k, s, end, two_sided) for (s, end), chart in _poles(solid, k).items() if chart is None]
    return parts


def _face(solid: Solid, k: int, two_sided: bool) -> Parametric:
    face = solid.faces[k]
    free = set(sides(face))
    border = tuple(
        (*(((s, end) in free and not is_pole(face, s, end) and not _covered(k, face, s, end, solid.edges)) for end in (0, 1)),)
        for s in (u, v))
    polar = {pole: face.domain[pole[0]][pole[1]] * (1 - _CLOSE) + chart[1] * _CLOSE for pole, chart in _poles(solid, k).items() if chart}
    return Parametric(f"face {k}", face, (u, v), (u, v), tuple(face.domain[s] for s in (u, v)),
                      (period(face, u), period(face, v)), border, ((face, (u, v)),), two_sided,  # type: ignore[arg-type]
                      polar=tuple((polar.get((s, 0)), polar.get((s, 1))) for s in (u, v)))


def _poles(solid: Solid, k: int) -> dict[tuple[Any, int], tuple[ParametricSurface, Any] | None]:
    """The poles of face k, (symbol, end), that are no vertices, each with its `pole_chart`."""
    face = solid.faces[k]
    return {(s, end): pole_chart(face, s, end) if period(face, v if s is u else u) > 0.0 else None
            for s, end in sides(face) if is_pole(face, s, end) and not _declared(solid, k, s, end)}


def _with_charts(body: Any, charts: frozenset[Pole]) -> tuple[Cell, ...]:
    """The parts with faces that end before these poles, and neighbourhoods of the poles in smooth parameters."""
    parts: list[Cell] = list(parts_of(body))
    for k, s, end in sorted(charts, key=str):
        at = next(j for j, part in enumerate(parts) if part.is_face and part.feature == f"face {k}")
        face = parts[at]
        assert isinstance(face, Parametric)
        found = pole_chart(face.surface, s, end)
        assert found is not None, "asked for a chart that there is"
        chart, limit = found
        ends = list(face.domain[s is v])
        ends[end] = limit
        domain = ((ends[0], ends[1]), face.domain[1]) if s is u else (face.domain[0], (ends[0], ends[1]))
        parts[at] = replace(face, domain=domain, whole=face.whole or face)
        parts.append(_cap(face, chart, s, end))
    return tuple(parts)


def _cap(face: Parametric, chart: ParametricSurface, symbol: Any, end: int) -> Parametric:
    """A neighbourhood of a pole of a face in smooth parameters; its border lies inside the face."""
    return Parametric(face.feature, chart, (u, v), (u, v), tuple(chart.domain[s] for s in (u, v)), (0.0, 0.0),
                      ((False, False), (False, False)), ((chart, (u, v)),), face.two_sided, ("p", "q"), around=(face.surface, symbol, end))


def _edge(solid: Solid, k: int, corners: Set[tuple[int, Path]], two_sided: bool) -> Parametric:
    """Edge k; `corners`: the vertices, as points of faces."""
    edge = solid.edges[k]
    shared = tuple((solid.faces[f], p) for f, p in zip(edge.faces, edge.paths, strict=True))
    face, path = shared[0]
    along = _closes(face, path, edge.domain)
    ends = [any((f, _numbers((a.xreplace({u: e}), b.xreplace({u: e})))) in corners
                for f, (a, b) in zip(edge.faces, edge.paths, strict=True)) for e in edge.domain]
    border = (not along and not ends[0], not along and not ends[1])
    return Parametric(f"edge {k}", face, path, (u,), (edge.domain,), (along,), (border,), shared, two_sided)


@functools.lru_cache(maxsize=1024)
@interruptible()
def ends_of(part: Cell) -> tuple[tuple[bool, bool], ...]:
    """Per end of each symbol: whether the surface ends there, or an edge or a vertex that is a part of its own covers it. Of poles all do
    but those with smooth parameters: round the tip of a cone the surface has no tangent plane. A neighbourhood of a pole ends inside its
    face.
    """
    if part.planar and part.is_face:
        return ((not part.periods[0],) * 2,)
    if part.dimension < 2 or part.names != ("u", "v"):
        return part.border
    free = set(sides(part.surface))
    return tuple(((s, 0) in free and polar[0] is None, (s, 1) in free and polar[1] is None)
                 for s, polar in zip(part.symbols, part.polar, strict=True))


def _numbers(point: Path) -> Path:
    return sp.expand(point[0]), sp.expand(point[1])


def _closes(face: ParametricSurface, path: Path, domain: tuple[Any, Any]) -> float:
    """The period of an edge that runs once round a periodic parameter of its face at a fixed value of the other; else 0."""
    for s, along, across in ((u, *path), (v, *reversed(path))):
        if along == u and not across.has(u) and tuple(face.domain[s]) == tuple(domain):
            return period(face, s)
    return 0.0


def _pole(face: ParametricSurface, k: int, symbol: Any, end: int, two_sided: bool) -> Parametric:
    """A pole without smooth parameters as a part of its own: a point of the face, found whatever the parameters do there."""
    value = face.domain[symbol][end]
    other = v if symbol is u else u
    lo, hi = face.domain[other]
    point = (value, (lo + hi) / 2) if symbol is u else ((lo + hi) / 2, value)
    return Parametric(f"face {k}", face, point, (), (), (), (), ((face, point),), two_sided, around=(face, symbol, end))


def _declared(solid: Solid, k: int, symbol: Any, end: int) -> bool:
    """Whether the pole is a vertex of the solid."""
    value = solid.faces[k].domain[symbol][end]
    at = 0 if symbol is u else 1
    return any(f == k and p[at] == value for vertex in solid.vertices for f, p in zip(vertex.faces, vertex.points, strict=True))


def _covered(k: int, face: ParametricSurface, symbol: Any, end: int, edges: Sequence[Edge]) -> bool:
    """Whether a declared edge runs along the whole of this side."""
    return any(runs_along(face, path, edge.domain, symbol, end)
               for edge in edges for f, path in zip(edge.faces, edge.paths, strict=True) if f == k)
