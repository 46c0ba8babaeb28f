"""Bodies with `Parameter` symbols in their formulas: with numbers in the place of these, or as members of families that have symbols for
them.
"""

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from codegen.constants import enclose, enclose_all
from generative import Edge, ImplicitBody, ParametricSurface, Solid, Vertex, u, v
from generative.changes import with_formulas
from generative.family import parameters_in
from generative.resting import Member

from .cells import Path
from .numbers import Numbers, numbers_of

Ranges = Mapping[Any, tuple[Any, Any]]


def substituted(body: Any, values: Mapping[Any, Any]) -> Any:
    """The body with exact numbers in the place of symbols. Edges of a solid are not compared with its faces here: queries refuse
    solids with edges that are proved to leave them.
    """
    return _substituted(body, tuple(values.items())).named(body.name)


@functools.lru_cache(maxsize=4096)
def _substituted(body: Any, values: tuple[tuple[Any, Any], ...]) -> Any:
    known = dict(values)
    if not parameters_in(body) & known.keys():
        return body
    if isinstance(body, ImplicitBody):
        return body.changed(lambda e: e.xreplace(known))
    found = with_formulas(body, lambda e: e.xreplace(known))
    if not isinstance(body, Solid):
        return found
    edges = [Edge(e.faces, _replaced(e.paths, known), tuple(end.xreplace(known) for end in e.domain)) for e in body.edges]
    return _alike(body, Solid._unchecked(found.faces, edges, [Vertex(p.faces, _replaced(p.points, known)) for p in body.vertices]))


def _alike(body: Solid, other: Solid) -> Solid:
    """A solid that is in the plane where another one is, and has its gap."""
    return (other.noted(body.closed) if body.planar else other).with_gap(body.gap)


def _replaced(pairs: tuple[tuple[Any, Any], ...], known: Mapping[Any, Any]) -> tuple[tuple[Any, Any], ...]:
    return tuple((a.xreplace(known), b.xreplace(known)) for a, b in pairs)


def over_fixed_domain(body: Any, symbols: Collection[Any]) -> Any:
    """The body, its patches, faces and edges over the unit interval in each parameter whose ends depend on some symbols: that is then the
    share of the way.
    """
    if isinstance(body, Solid):
        return _solid_over_fixed(body, frozenset(symbols))
    if not isinstance(body, ParametricSurface):
        return body
    ends = {s: body.domain[s] for s in (u, v) if _depend(body.domain[s], symbols)}
    if not ends:
        return body
    shape = [e.xreplace({s: lo + (hi - lo) * s for s, (lo, hi) in ends.items()}) for e in body.body]
    domain = {s: (0, 1) if s in ends else body.domain[s] for s in (u, v)}
    return ParametricSurface(shape, domain, flipped=body.flipped, motion=body.motion, name=body.name)


@functools.lru_cache(maxsize=256)
def _solid_over_fixed(body: Solid, symbols: frozenset[Any]) -> Solid:
    if not any(_depend(ends, symbols) for ends in (*(f.domain[s] for f in body.faces for s in (u, v)), *(e.domain for e in body.edges))):
        return body

    def on(k: int, place: Path) -> Path:
        """The share of the way of a place on face k."""
        first, second = (e if not _depend((lo, hi), symbols) else (e - lo) / (hi - lo)
                         for e, (lo, hi) in zip(place, (body.faces[k].domain[s] for s in (u, v)), strict=True))
        return first, second

    edges = []
    for edge in body.edges:
        (lo, hi), along = edge.domain, _depend(edge.domain, symbols)
        change = {u: lo + (hi - lo) * u} if along else {}
        paths = tuple(on(k, (p.xreplace(change), q.xreplace(change))) for k, (p, q) in zip(edge.faces, edge.paths, strict=True))
        edges.append(Edge(edge.faces, paths, (0, 1) if along else edge.domain))
    corners = [Vertex(w.faces, tuple(on(k, p) for k, p in zip(w.faces, w.points, strict=True))) for w in body.vertices]
    return _alike(body, Solid([over_fixed_domain(face, symbols) for face in body.faces], edges, corners, name=body.name))


def _depend(ends: tuple[Any, Any], symbols: Collection[Any]) -> bool:
    return bool((ends[0].free_symbols | ends[1].free_symbols).intersection(symbols))


def variable_of(symbol: Any) -> str:
    """The name of a parameter as a variable; those of bodies end with the number of the body."""
    return f"({symbol})"


def in_ranges(members: Sequence[Member], ranges: Ranges) -> tuple[tuple[Numbers, ...], tuple[tuple[str, ...], ...]]:
    """The numbers of members of families, those in `ranges` as intervals; and of each member what variables these are, "" for others, and
    where both ends are the same.
    """
    numbers = tuple(_in_ranges(m, ranges) for m in members)
    wide = {s for s, (lo, hi) in ranges.items() if lo != hi}
    return numbers, tuple(tuple(variable_of(e) if e in wide else "" for e in m.data) for m in members)


def _in_ranges(member: Member, ranges: Ranges) -> Numbers:
    if not any(e in ranges for e in member.data):
        return numbers_of(member)
    found = np.empty((len(member.data), 2))
    wide = np.array([e in ranges for e in member.data])
    found[wide] = [_hull(ranges[e]) for e in member.data if e in ranges]
    found[~wide] = enclose_all([e for e in member.data if e not in ranges])
    return Numbers(member.symbols, [None if e in ranges else e for e in member.data], found)


def _hull(ends: tuple[Any, Any]) -> tuple[float, float]:
    return enclose(ends[0])[0], enclose(ends[1])[1]
