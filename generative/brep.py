"""Solids by their boundary: smooth faces, edges where faces meet, vertices where edges meet (Snyder 1993, App. A).

An edge is a face evaluated along a path in its parameter rectangle, usually a border; a vertex is a face evaluated at a
parameter point. Both name every face they belong to, with the path or point in each, so that positions and all outward
directions follow. A cylinder has three faces and two edges and no vertex; a torus has one face and nothing else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar

import sympy as sp

from codegen.given import TEXT, shown

from .body import Body, checked_name
from .motion import Motion
from .planar_motion import keeps_plane
from .surface import ParametricSurface
from .symbols import exact, formula, interval, parameters_of, t, u, v

UNCHECKED = "not checked to close"
SEWN = "closes at sampled points, not proved"
PLANAR = "a region of the plane z = 0, bounded by outlines"
# Against the largest coordinate, a distance that may be the rounding of coefficients computed in doubles.
CLOSE = 1e-9


@dataclass(frozen=True)
class Edge:
    """A curve of parameter u over `domain`: on face ``faces[k]`` it runs along ``paths[k]``, two expressions of u."""

    faces: tuple[int, ...]
    paths: tuple[tuple[Any, Any], ...]
    domain: tuple[Any, Any]

    def __post_init__(self) -> None:
        paths = _pairs(self.paths, [u], "the paths of an edge", "an edge path")
        object.__setattr__(self, "faces", _numbers(self.faces, "an edge"))
        object.__setattr__(self, "paths", paths)
        object.__setattr__(self, "domain", interval(self.domain, "the domain of an edge"))
        if not self.faces or len(self.faces) != len(self.paths):
            raise ValueError(f"an edge needs one path a face, got {len(self.faces)} faces and {len(self.paths)} paths")

    @classmethod
    def _unchecked(cls, faces: tuple[int, ...], paths: tuple[tuple[Any, Any], ...], domain: tuple[Any, Any]) -> "Edge":
        return _plain(cls, faces=faces, paths=paths, domain=domain)


@dataclass(frozen=True)
class Vertex:
    """A point: on face ``faces[k]`` it lies at the parameters ``points[k]`` = (u, v)."""

    faces: tuple[int, ...]
    points: tuple[tuple[Any, Any], ...]

    def __post_init__(self) -> None:
        points = _pairs(self.points, [], "the points of a vertex", "a vertex")
        object.__setattr__(self, "faces", _numbers(self.faces, "a vertex"))
        object.__setattr__(self, "points", points)
        if not self.faces or len(self.faces) != len(self.points):
            raise ValueError(f"a vertex needs a point a face, got {len(self.faces)} faces, {len(self.points)} points")

    @classmethod
    def _unchecked(cls, faces: tuple[int, ...], points: tuple[tuple[Any, Any], ...]) -> "Vertex":
        return _plain(cls, faces=faces, points=points)


def _plain(kind: Any, **values: Any) -> Any:
    """A frozen value whose parts are known to be sound."""
    made = kind.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _pairs(given: Any, allowed: Sequence[Any], owner: str, one: str) -> tuple[tuple[Any, Any], ...]:
    """A pair of formulas a face."""
    listed = isinstance(given, Iterable) and not isinstance(given, TEXT)
    pairs = [list(p) if isinstance(p, Iterable) and not isinstance(p, TEXT) else [p] for p in given] if listed else [[given]]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{owner} must be pairs (u, v), one a face, got {shown(given)}")
    return tuple((formula(a, allowed, one), formula(b, allowed, one)) for a, b in pairs)


def _numbers(given: Any, owner: str) -> tuple[int, ...]:
    numbers: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, TEXT) else [None]
    if not all(isinstance(f, Integral) for f in numbers):
        raise ValueError(f"the faces of {owner} must be a list of their numbers, got {shown(given)}")
    return tuple(map(int, numbers))


class Solid(Body):
    """A body bounded by `faces` (ParametricSurface, normals outward), with the `edges` and `vertices` between them.

    That the declared edges and vertices lie on their faces is tested at a few sample points when a solid is made: a
    difference raises, agreement is no proof; where formulas contain a `Parameter` nothing is tested. Whether the
    faces close up is not checked here; `generative.sew.sew` finds edges and vertices by itself and tests that at sampled points, and
    `collide.check_solid` proves it. `closed` and the `repr` say which of these was done. `name`: what results call it. Immutable; `moved`
    gives a new solid.

    A face may be a solid itself, as a trimmed surface is (`ParametricSurface.trimmed`): its faces, edges and vertices take its place, and
    numbers of faces in `edges` and `vertices` count these.
    """

    _gap = 0.0
    # The numbers of the faces to which a question is limited; None: all.
    _shown: frozenset[int] | None = None
    # Whether edges and vertices lie on their faces by construction.
    _made_so = False
    # Writes a solid to a STEP file. `saved`, which builds on this module, sets it.
    _save_step: ClassVar[Any]

    def __init__(self, faces: Sequence[ParametricSurface], edges: Sequence[Edge] = (),
                 vertices: Sequence[Vertex] = (), *, name: str | None = None) -> None:
        if not all(isinstance(given, Iterable) for given in (faces, edges, vertices)):
            given = ", ".join(map(shown, (faces, edges, vertices)))
            raise TypeError(f"a solid takes a list of faces, one of edges and one of vertices, got {given}")
        self._gap = max((getattr(f, "gap", 0.0) for f in faces), default=0.0)
        if any(isinstance(f, Solid) for f in faces):
            own = joined([f if isinstance(f, Solid) else Solid([f]) for f in faces])
            faces, edges, vertices = own.faces, (*own.edges, *edges), (*own.vertices, *vertices)
        self._faces, self._edges, self._vertices = tuple(faces), tuple(edges), tuple(vertices)
        self._closed, self._name = UNCHECKED, checked_name(name)
        if not self._faces or not all(isinstance(f, ParametricSurface) for f in self._faces):
            raise ValueError("a solid needs faces, each a ParametricSurface")
        if not (all(isinstance(e, Edge) for e in self._edges) and all(isinstance(p, Vertex) for p in self._vertices)):
            raise TypeError("the edges of a solid are Edge values and its vertices are Vertex values")
        features: list[tuple[str, Edge | Vertex]] = [(f"edge {k}", e) for k, e in enumerate(self._edges)]
        features += [(f"vertex {k}", p) for k, p in enumerate(self._vertices)]
        for name, feature in features:
            self._check(name, feature)
        self._check_places(features)

    @property
    def faces(self) -> tuple[ParametricSurface, ...]:
        return self._faces

    @property
    def edges(self) -> tuple[Edge, ...]:
        return self._edges

    @property
    def vertices(self) -> tuple[Vertex, ...]:
        return self._vertices

    @property
    def gap(self) -> float:
        """A bound of how far edges are from the faces that they bound, in units of length; 0 where no file gave them apart.

        Some roundings of a reader are not in it (see `generative.step.solids_from_step`).
        """
        return self._gap

    @property
    def shown(self) -> frozenset[int]:
        """The numbers of the faces to which a question is limited; of most solids all of them."""
        return frozenset(range(len(self.faces))) if self._shown is None else self._shown

    @property
    def whole(self) -> "Solid":
        """This solid with all of its faces shown."""
        return self if self._shown is None else self.showing(None)

    @property
    def made_so(self) -> bool:
        """Whether edges and vertices lie on their faces by construction, as those of trimmed surfaces do."""
        return self._made_so

    def showing(self, faces: frozenset[int] | None) -> "Solid":
        """This solid for a question that is limited to some of its faces, by their numbers; for those who have proved that it is. Faces,
        edges and vertices keep their numbers.
        """
        result = self._like(self.faces, self.closed)
        result._shown = faces
        return result

    @property
    def planar(self) -> bool:
        """Whether it is a region of the plane z = 0 (see `generative.plane`). Its faces are strips across the plane, for pictures; it is
        bounded by the curves v = 0 on them.
        """
        return self.closed == PLANAR

    @property
    def closed(self) -> str:
        """The knowledge of whether the faces close up, in words."""
        return self._closed

    def position(self, feature: Edge | Vertex, face: int = 0) -> tuple[Any, Any, Any]:
        """The edge curve (of u and t) or vertex (of t) in the world, taken from its `face`-th face."""
        return self._evaluate(feature, face, self.faces[feature.faces[face]].expressions)

    def outward(self, feature: Edge | Vertex) -> list[tuple[Any, Any, Any]]:
        """The outward directions at an edge or vertex, one a face (Snyder 1993, Appendix A), not normalized."""
        return [self._evaluate(feature, k, self.faces[f].normal) for k, f in enumerate(feature.faces)]

    def moved(self, motion: Motion) -> "Solid":
        """This solid carried along by `motion`, after the motion it has already."""
        if self.planar and isinstance(motion, Motion) and not keeps_plane(motion):
            raise ValueError("a region of the plane z = 0 is moved by turns about z and shifts along x and y alone, as far as that is seen")
        return self.carried(motion)

    def carried(self, motion: Motion) -> "Solid":
        """As `moved`, by a motion of which symbols of a family may hide that it keeps the plane of a region."""
        motions = {m: f.moved(motion).motion for m, f in {f.motion: f for f in self.faces}.items()}
        return self.with_faces([f.carried_by(motions[f.motion]) for f in self.faces])

    def with_faces(self, faces: Sequence[ParametricSurface]) -> "Solid":
        """This solid with its own faces carried by other motions."""
        moved = self._like(faces, self.closed)
        moved.__dict__["resting"] = self.resting
        return moved

    @cached_property
    def resting(self) -> "Solid":
        """This solid with every face in the body's frame: the same object for all that are moved from one."""
        return self._like([f.resting for f in self.faces], self.closed)

    def at(self, time: Any) -> "Solid":
        """This solid with t replaced by a number or by an expression of t."""
        closed = UNCHECKED if not self.planar and any(f.deforming for f in self.faces) else self.closed
        return self._like([f.at(time) for f in self.faces], closed)

    def mapped(self, faces: Sequence[ParametricSurface]) -> "Solid":
        """This solid with each face replaced by its image under one map of space: edges and vertices stay where they are."""
        return self._like(faces, UNCHECKED if self.closed == UNCHECKED else SEWN)

    def noted(self, closed: str) -> "Solid":
        """This solid with another remark on its closing; for those who have checked it."""
        return self._like(self.faces, closed)

    def _like(self, faces: Sequence[ParametricSurface], closed: str) -> "Solid":
        """This solid with other faces in the places of its own."""
        result = Solid._unchecked(faces, self.edges, self.vertices, closed)
        result._name, result._gap, result._shown, result._made_so = self._name, self._gap, self._shown, self._made_so
        return result

    def save_step(self, path: Any, unit: str = "mm") -> None:
        """Write this solid to a STEP file, each face by the formula of its surface, for CAD programs.

        Parameters
        ----------
        path : path-like
            The file. One that is there is replaced when the new one is complete.
        unit : str, optional
            The unit of lengths of the solid: "m", "cm", "mm", "in" or "ft". The file is in millimetres.

        Raises
        ------
        ImportError
            Without OpenCASCADE (extra `cad`).
        ValueError
            For a solid that moves, has a `Parameter`, or does not close up, and for a face of a kind that is not written.
        OSError
            Where the file cannot be written.

        Notes
        -----
        The file *approximates* the solid (see `generative.step.save_step`).

        Examples
        --------
        >>> from generative import solids
        >>> solids.cylinder(radius=5, length=20, name="pin").save_step("pin.step")  # doctest: +SKIP
        """
        self._save_step(self, path, unit)

    def with_gap(self, gap: float) -> "Solid":
        """This solid with a bound of how far its edges are from its faces, in units of length (`gap`); for those who have found it."""
        result = self._like(self.faces, self.closed)
        result._gap = gap
        return result

    @classmethod
    def _unchecked(cls, faces: Sequence[ParametricSurface], edges: Sequence[Edge], vertices: Sequence[Vertex],
                   closed: str = UNCHECKED) -> "Solid":
        """A solid whose edges and vertices lie on its faces by construction."""
        result = cls.__new__(cls)
        result._faces, result._edges, result._vertices = tuple(faces), tuple(edges), tuple(vertices)
        result._closed = closed
        return result

    @staticmethod
    def _evaluate(feature: Edge | Vertex, face: int, expressions: Sequence[Any]) -> tuple[Any, Any, Any]:
        at = (feature.paths if isinstance(feature, Edge) else feature.points)[face]
        a, b, c = (e.xreplace({u: at[0], v: at[1]}) for e in expressions)
        return a, b, c

    def _check(self, name: str, feature: Edge | Vertex) -> None:
        for f in feature.faces:
            if not 0 <= f < len(self.faces):
                raise ValueError(f"{name} names face {f}, but the solid has faces 0 to {len(self.faces) - 1}")

    def _check_places(self, features: Sequence[tuple[str, Edge | Vertex]]) -> None:
        """Refuse what is seen, at sampled points, to lie apart on its faces, against the largest coordinate seen."""
        seen = [(name, feature, *place) for name, feature in features if len(feature.faces) > 1 for place in self._places(feature)]
        size = max((abs(c) for *_, points in seen for point in points for c in point), default=0.0)
        for name, feature, parameter, (first, *others) in seen:
            for k, other in enumerate(others, 1):
                if max(abs(a - b) for a, b in zip(first, other, strict=True)) > CLOSE * size:
                    raise ValueError(f"{name} is not on both of the faces {feature.faces[0]} and {feature.faces[k]}: "
                                     f"they differ at its parameter {parameter}")

    def _places(self, feature: Edge | Vertex) -> list[tuple[Any, list[list[complex]]]]:
        """Some parameters of a feature, and where it is there on each of its faces; none where that is not known."""
        lo, hi = feature.domain if isinstance(feature, Edge) else (sp.Integer(0), sp.Integer(1))
        faces = [self.faces[f] for f in feature.faces]
        # What is carried by one motion lies together as it does at rest.
        together = all(face.motion == faces[0].motion for face in faces)
        curves = [self._evaluate(feature, k, face.body if together else face.expressions) for k, face in enumerate(faces)]
        if parameters_of(lo, hi, *(e for curve in curves for e in curve)):
            return []
        samples = [{u: lo + fraction * (hi - lo), t: exact(fraction)} for fraction in (0, sp.Rational(3, 7), 1)]
        return [(at[u], [[complex(sp.N(e.subs(at))) for e in curve] for curve in curves]) for at in samples]

    def _key(self) -> tuple[Any, ...]:
        return self.faces, self.edges, self.vertices, self.gap, self._shown

    def __repr__(self) -> str:
        counts = f"{len(self.faces)} faces, {len(self.edges)} edges, {len(self.vertices)} vertices"
        return f"Solid({counts}; {self.closed}{self._named_in_repr()})"


def joined(parts: Sequence[Solid], closed: str = UNCHECKED) -> Solid:
    """The faces, edges and vertices of several solids as those of one."""
    faces: list[ParametricSurface] = []
    edges: list[Edge] = []
    vertices: list[Vertex] = []
    for part in parts:
        first = len(faces)
        faces += part.faces
        edges += [Edge._unchecked(tuple(f + first for f in e.faces), e.paths, e.domain) for e in part.edges]
        vertices += [Vertex._unchecked(tuple(f + first for f in p.faces), p.points) for p in part.vertices]
    result = Solid._unchecked(faces, edges, vertices, closed)
    result._made_so = all(part.made_so for part in parts)
    return result
