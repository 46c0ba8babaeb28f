"""Shapes at rest as members of families: their formulas with symbols for their numbers, and the numbers of each.

A family closes on itself, has its poles, and has edges along its sides, where each of its members does. What the family has, it has for all
numbers. That a member has no more is seen of its numbers; where it is not, the numbers that decide stay in the formulas.
"""

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.constants import written as written_number
from codegen.kernel import Kernel, compile

from .brep import Edge, Solid, Vertex
from .chart import is_pole
from .seams import period, turns
from .surface import Deferred, ParametricSurface
from .symbols import Parameter, parameters_of, t, u, v
from .template import Formulas, read, write

Path = tuple[Any, Any]

# A solid of more numbers stays as it is: each kernel of its parts would have all of them as parameters.
_MOST = 48
# Shares of the way along a side at which it is looked at, and the time of those that deform.
_SHARES, _TIME = (sp.Rational(5, 16), sp.Rational(11, 16)), sp.Rational(7, 16)


@dataclass(frozen=True, eq=False)
class Member:
    """A body of a family: `body` with `symbols` for numbers, and `data`, the exact value of each: a SymPy number, one that is not written
    yet, or a `Parameter` of the body as it was given.
    """

    body: Any
    symbols: tuple[Parameter, ...] = ()
    data: tuple[Any, ...] = ()

    @functools.cached_property
    def numbers(self) -> tuple[Any, ...]:
        """The data as expressions."""
        return tuple(map(written_number, self.data))

    @functools.cached_property
    def free(self) -> frozenset[Parameter]:
        """The parameters of the body as it was given among the numbers."""
        return frozenset(e for e in self.data if isinstance(e, Parameter))


@functools.lru_cache(maxsize=4096)
def symbols_of(count: int) -> tuple[Parameter, ...]:
    """The symbols of a family of so many numbers."""
    return tuple(Parameter(f"n{k}") for k in range(count))


def written(formulas: Formulas, symbols: Iterable[Parameter]) -> list[Any]:
    """The expressions of formulas with these symbols."""
    instructions, outputs = formulas
    built = write(instructions, tuple(symbols))
    return [built[k] for k in outputs]


@functools.lru_cache(maxsize=512)
def resting_surface(body: ParametricSurface) -> Member:
    """A surface without motion as a member of its family. Bodies of one shape share it, however they move.

    The family closes on itself where the body does. Numbers that decide this stay in the formula, whatever their size.
    """
    member = _read(body, ())
    for structure in (_ends, _frequencies, _all_numbers):
        if not member.numbers or _closes_alike(member.body, body, member):
            break
        member = _read(body, structure(body))
    return member


@functools.lru_cache(maxsize=512)
def member_at_numbers(face: ParametricSurface) -> Member:
    """A surface as a member of a family, if it does not move and all of its numbers are known; else as it is. The family need not close on
    itself where the surface does: it is for places at known numbers.
    """
    member = _read(face, ()) if face.motion.is_identity else Member(face)
    return Member(face) if member.free else member


def _read(body: ParametricSurface, fixed: Iterable[Any]) -> Member:
    # A length that is no rational number may be whole turns, after which the surface closes on itself. Then it stays in the formula.
    whole = tuple(not (hi - lo).is_Rational for lo, hi in body.domain.values())
    data = [e for (lo, hi), turn in zip(body.domain.values(), whole, strict=True) for e in (lo, hi - lo if turn else hi)]
    (shape,), numbers = read([([*body.body, *data], False)], fixed=fixed)
    return Member(_surface(shape, whole, body.flipped, len(numbers)), symbols_of(len(numbers)), numbers)


@functools.lru_cache(maxsize=512)
def _surface(shape: Formulas, whole: tuple[bool, bool], flipped: bool, numbers: int) -> ParametricSurface:
    """The surface of a family. `whole` says, for each parameter, whether the second of its two numbers at the end of the formulas is the
    length of its range, or the end of it.
    """
    made = written(shape, symbols_of(numbers))
    ends = [(made[k], made[k + 1] + (made[k] if turn else 0)) for k, turn in zip((3, 5), whole, strict=True)]
    return ParametricSurface(made[:3], dict(zip((u, v), ends, strict=True)), flipped=flipped)


# -- solids ---------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def resting_solid(body: Solid) -> Member | None:
    """A solid without motion as a member of its family; None where it has too many numbers.

    Equal numbers of a solid are one, wherever they stand, so that edges and vertices keep their places on its faces.
    """
    if _has_many_numbers(body):
        return None
    fixed: set[Any] = set()
    for structure in (_ends, _frequencies, _all_numbers, None):
        member = _read_solid(body, fixed)
        if member is None or not member.numbers:
            return member
        other = [face for own, face in zip(member.body.faces, body.faces, strict=True) if not _closes_alike(own, face, member)]
        alike = _has_features_alike(member.body, body)
        if alike and not other:
            return member
        if structure is None:
            break
        fixed = fixed.union(*map(structure, other), *([] if alike else [_all_of_features(body)]))
    return None


def _has_many_numbers(body: Solid) -> bool:
    """Whether a solid is taken to have too many numbers: faces of files have numbers of their own, which are not looked at."""
    return sum(isinstance(face.source, Deferred) and not parameters_of(*face.ingredients) for face in body.faces) > _MOST


def _read_solid(body: Solid, fixed: Iterable[Any]) -> Member | None:
    features: list[Edge | Vertex] = [*body.edges, *body.vertices]
    written = [e for face in body.faces for e in _of_face(face)] + [e for feature in features for e in _of_feature(feature)]
    (shape,), numbers = read([(written, False)], fixed=fixed)
    if len(numbers) > _MOST:
        return None
    layout = (tuple(face.flipped for face in body.faces), tuple(edge.faces for edge in body.edges),
              tuple(vertex.faces for vertex in body.vertices))
    return Member(_solid(shape, layout, body.closed, len(numbers)), symbols_of(len(numbers)), numbers)


def _of_face(face: ParametricSurface) -> Iterator[Any]:
    return itertools.chain(face.body, *face.domain.values())


def _of_feature(feature: Edge | Vertex) -> Iterator[Any]:
    return itertools.chain(*feature.paths, feature.domain) if isinstance(feature, Edge) else itertools.chain(*feature.points)


@functools.lru_cache(maxsize=512)
def _solid(shape: Formulas, layout: tuple[tuple[Any, ...], ...], closed: str, numbers: int) -> Solid:
    """The solid of a family. `layout`: which faces are flipped, and on which faces edges and vertices lie."""
    made, (flipped, along, at) = iter(written(shape, symbols_of(numbers))), layout

    def pair() -> Path:
        return next(made), next(made)

    faces = [ParametricSurface([next(made), *pair()], {u: pair(), v: pair()}, flipped=flip) for flip in flipped]
    edges = [Edge(on, tuple(pair() for _ in on), pair()) for on in along]
    return Solid._unchecked(faces, edges, [Vertex(on, tuple(pair() for _ in on)) for on in at], closed)


def _all_of_features(body: Solid) -> set[Any]:
    """The numbers of edges and vertices, and the ends of the domains of faces."""
    features: list[Edge | Vertex] = [*body.edges, *body.vertices]
    found = {part for feature in features for e in _of_feature(feature) for part in sp.preorder_traversal(e) if part.is_number}
    return found.union(*map(_ends, body.faces))


def _has_features_alike(family: Solid, body: Solid) -> bool:
    """Whether edges run along whole sides of faces, and end in vertices, in the family as on the body."""
    known = _features(family)
    return all(known[k] or not ask(body) for k, ask in enumerate(_asked(body)))


@functools.lru_cache(maxsize=512)
def _features(family: Solid) -> tuple[bool, ...]:
    return tuple(ask(family) for ask in _asked(family))


def _asked(solid: Solid) -> Iterator[Callable[[Solid], bool]]:
    """Questions about the features of a solid, the same for all solids of its layout."""
    for j, edge in enumerate(solid.edges):
        for place in range(len(edge.faces)):
            yield lambda body, j=j, place=place: _runs_along_side(body, j, place)  # type: ignore[misc]
            for end in (0, 1):
                yield lambda body, j=j, place=place, end=end: _ends_in_vertex(body, j, place, end)  # type: ignore[misc]


def _runs_along_side(solid: Solid, j: int, place: int) -> bool:
    face = solid.faces[solid.edges[j].faces[place]]
    return any(runs_along(face, solid.edges[j].paths[place], solid.edges[j].domain, s, end) for s in (u, v) for end in (0, 1))


def runs_along(face: ParametricSurface, path: Path, domain: Path, symbol: Any, end: int) -> bool:
    """Whether a path runs along the whole of a side of a face. It holds the symbol at that end and is a polynomial in the other parameter,
    from one end of the domain to the other.
    """
    at, other = (0 if symbol is u else 1), face.domain[v if symbol is u else u]
    if not equal(path[at], face.domain[symbol][end]) or not path[1 - at].is_polynomial(u):
        return False
    ends = [path[1 - at].xreplace({u: e}) for e in domain]
    return all(map(equal, ends, other)) or all(map(equal, ends, reversed(other)))


def _ends_in_vertex(solid: Solid, j: int, place: int, end: int) -> bool:
    edge = solid.edges[j]
    at = [e.xreplace({u: edge.domain[end]}) for e in edge.paths[place]]
    return any(f == edge.faces[place] and all(map(equal, at, p))
               for vertex in solid.vertices for f, p in zip(vertex.faces, vertex.points, strict=True))


def equal(a: Any, b: Any) -> bool:
    """Equal by expansion; numbers that need more to be seen equal count as different, which is safe."""
    return bool(a == b or sp.expand(a - b) == 0)


# -- where a shape closes on itself -----------------------------------------------------------------------------------


def _closes_alike(family: ParametricSurface, body: ParametricSurface, member: Member) -> bool:
    """Whether both surfaces close on themselves in the same way and, if the family has a pole and the ends of the body's domain are
    numbers, the family's are numbers, too.
    """
    symbolic = _symbolic(*family.domain.values()) and not _symbolic(*body.domain.values())
    if symbolic and any(is_pole(family, s, end) for s in (u, v) for end in (0, 1)):
        return False
    return _is_as_open(family, member) or _closings(family) == _closings(body)


@functools.lru_cache(maxsize=512)
def _closings(body: ParametricSurface) -> tuple[tuple[bool, ...], ...]:
    """For each parameter, whether the surface closes on itself along it, and whether there is a pole at either end of the other parameter.
    """
    return tuple((period(body, s) > 0.0, *(is_pole(body, other, end) for end in (0, 1))) for s, other in ((u, v), (v, u)))


def _is_as_open(family: ParametricSurface, member: Member) -> bool:
    """Whether it is proved that a member closes, and has poles, where the family does alone. Opposite sides are apart at a place, and a
    side that is no pole has two places that are apart: enclosures of them are disjoint.
    """
    if any(isinstance(e, Parameter) for e in member.numbers):
        return False
    asked = _open_sides(family)
    if not asked:
        return True
    numbers, none = np.array([enclose(e) for e in member.numbers]).reshape(-1, 2), np.empty((1, 0))
    lo, hi = (e.reshape(-1, 2, 3) for e in _places_kernel(family, member.symbols).interval(none, none, parameters=(*numbers.T,)))
    return bool(((lo[:, 0] > hi[:, 1]) | (lo[:, 1] > hi[:, 0])).any(axis=1).all())


@functools.lru_cache(maxsize=512)
def _open_sides(family: ParametricSurface) -> tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...]:
    """Pairs of places (u, v) that are the same if a member closes, or has a pole, where the family does not."""
    share = {s: [lo + (hi - lo) * e for e in _SHARES] for s, (lo, hi) in family.domain.items()}
    found = []
    for s, other in ((u, v), (v, u)):
        places = [[(end, e) if s is u else (e, end) for e in share[other]] for end in family.domain[s]]
        found += [] if turns(family, s) else [(places[0][0], places[1][0])]
        found += [(places[end][0], places[end][1]) for end in (0, 1) if not is_pole(family, s, end)]
    return tuple(found)


@functools.lru_cache(maxsize=512)
def _places_kernel(family: ParametricSurface, symbols: tuple[Any, ...]) -> Kernel:
    places = [place for pair in _open_sides(family) for place in pair]
    return compile([e.xreplace({u: a, v: b, t: _TIME}) for a, b in places for e in family.body], [], symbols, quick=True)


def _ends(body: ParametricSurface) -> set[Any]:
    return {e for lo, hi in body.domain.values() for e in (lo, hi, hi - lo)}


def _frequencies(body: ParametricSurface) -> set[Any]:
    """The ends of the domain, and the factors of a parameter in a sine or cosine."""
    waves = {w.args[0] for e in body.body for w in e.atoms(sp.sin, sp.cos)}
    return _ends(body) | {k for w in waves for s in (u, v) for k in [sp.diff(w, s)] if k.is_number}


def _all_numbers(body: ParametricSurface) -> set[Any]:
    return _ends(body) | {part for e in body.body for part in sp.preorder_traversal(e) if part.is_number}


def _symbolic(*pairs: tuple[Any, Any]) -> bool:
    return any(e.free_symbols for pair in pairs for e in pair)
