"""Regularized union, intersection and difference of two polyhedra."""

import itertools
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from codegen.deadline import check
from codegen.given import shown

from ...bodies.mesh import Mesh, as_mesh
from ..location.index import Kind, checked_places
from .arrangement import Divided, Key, Polygon, Seam, fitted, spread, triangles
from .crossings import meetings
from .exact_points import DECISIVE, Point, Points, determinant, dot
from .inside import Surface

KEPT = {"union": ({"out", "same"}, {"out"}), "intersection": ({"in", "same"}, {"in"}), "difference": ({"out", "opposite"}, {"in"})}
"""Parts of both surfaces that bound the result of each operation, by where they are against the other body: inside it, outside it, or on
its surface with the same or the opposite side outward (Requicha and Voelcker 1977).
"""


class Boolean:
    """A polyhedron combined of two: the answer of `boolean`, exact.

    Attributes
    ----------
    operation : str
        "union", "intersection" or "difference".
    volume : Fraction
        The volume, exactly.
    mesh : Mesh or None
        The surface with its vertices rounded to doubles, closed; None for an empty result.
    moved : float
        No vertex of `mesh` is farther from the exact one than this along a coordinate.
    """

    def __init__(self, operation: str, points: Points, faces: np.ndarray) -> None:
        self.operation, self._points, self._faces = operation, points, faces

    @cached_property
    def volume(self) -> Fraction:
        exact = self._points.exact
        return sum((determinant(*(exact[k] for k in face)) for face in self._faces.tolist()), Fraction(0)) / 6

    @cached_property
    def _rounded(self) -> tuple[np.ndarray, np.ndarray, float]:
        numbers, faces = np.unique(self._faces, return_inverse=True)
        exact = [self._points.exact[k] for k in numbers.tolist()]
        places = np.array([[float(c) for c in p] for p in exact]).reshape(-1, 3)
        moved = max((abs(c - Fraction(float(r))) for p, row in zip(exact, places, strict=True) for c, r in zip(p, row, strict=True)),
                    default=Fraction(0))
        vertices, owner = np.unique(places, axis=0, return_inverse=True)
        corners = owner.ravel()[faces.reshape(-1, 3)]
        whole = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
        return vertices, corners[whole], float(np.nextafter(float(moved), np.inf)) if moved else 0.0

    @cached_property
    def mesh(self) -> Mesh | None:
        vertices, corners, _ = self._rounded
        return Mesh(vertices, corners) if len(corners) else None

    @property
    def moved(self) -> float:
        return self._rounded[2]

    @cached_property
    def _surface(self) -> Surface:
        return Surface(self._points, self._faces)

    def classify(self, points: Any) -> np.ndarray:
        """Where points are, exactly.

        Parameters
        ----------
        points : array_like, shape (n, 3)
            Doubles, which count as exact.

        Returns
        -------
        ndarray of Kind, shape (n,)
            IN, OUT, or FACE for points of the surface, also where they lie on an edge or a vertex.
        """
        kinds = {True: Kind.IN, False: Kind.OUT, None: Kind.FACE}
        places = checked_places(points, "points", 2)
        return np.array([kinds[self._surface.contains(_exact(p))] for p in places.tolist()], object)

    def __repr__(self) -> str:
        return f"Boolean({self.operation}, {len(self._faces)} triangles, volume={float(self.volume)!r})"


def boolean(a: Any, b: Any, operation: str) -> Boolean:
    """Combine two polyhedra: regularized union, intersection or difference, exactly.

    Parameters
    ----------
    a, b : Mesh, or pair of arrays (vertices (n, 3), triangles (m, 3))
        Closed meshes at rest whose triangles go round counterclockwise as seen from outside. Coordinates count as exact.
    operation : {"union", "intersection", "difference"}
        "difference" is the closure of the interior of `a` without `b`.

    Returns
    -------
    Boolean
        With `volume` (a Fraction), `mesh` (rounded to doubles, with `moved`) and `classify`.

    Raises
    ------
    ValueError
        For meshes with a hole, with triangles that go round the wrong way or have no area, or with a motion, and for another operation.

    Notes
    -----
    The result is the closure of its interior: walls, lids and edges without thickness vanish (Requicha and Voelcker 1977; Vanecek 1990,
    Section 5). All decisions are exact: signs of determinants in doubles with a bound of their error, in rationals where that does not
    decide. Coincident faces, edges and vertices need no tolerance. Faces are not merged, so `mesh` has more triangles than needed.

    Examples
    --------
    Two unit cubes that share half of each other.

    >>> import numpy as np
    >>> from generative.polyhedron import brick
    >>> from collide import Mesh
    >>> corners = np.array([[x, y, z] for x in (0.0, 1) for y in (0.0, 1) for z in (0.0, 1)])
    >>> quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    >>> cube = np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])
    >>> r = boolean((corners, cube), (corners + [0.5, 0, 0], cube), "union")
    >>> r.volume, r.mesh.closed
    (Fraction(3, 2), True)
    """
    if operation not in KEPT:
        raise ValueError(f'the operation is "union", "intersection" or "difference", got {shown(operation)}')
    meshes = [_checked(mesh, name) for mesh, name in ((a, "first"), (b, "second"))]
    points = Points(np.concatenate([vertices for vertices, _ in meshes]))
    surfaces = [_whole(points, vertices, corners, name) for (vertices, corners), name in zip(meshes, ("first", "second"), strict=True)]
    parts = _parts(points, surfaces)
    faces = []
    for m, kept in enumerate(KEPT[operation]):
        chosen = [f for where in kept for f in parts[m].get(where, [])]
        faces += [(p, r, q) for p, q, r in chosen] if m and operation == "difference" else chosen
    return Boolean(operation, points, np.array(faces, np.int64).reshape(-1, 3))


def _checked(given: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    mesh = as_mesh(given, name, rigid=True)
    if mesh.hole is not None:
        raise ValueError(f"the {name} mesh has a hole at {mesh.hole}; a boolean takes closed meshes")
    if mesh.misturned is not None:
        raise ValueError(f"of the {name} mesh, {mesh.misturned}")
    vertices, corners = mesh.arrays
    return vertices, corners


def _exact(point: Iterable[float]) -> Point:
    x, y, z = map(Fraction, point)
    return x, y, z


Face = tuple[int, int, int]


def _parts(points: Points, surfaces: list[np.ndarray]) -> list[dict[str, list[Face]]]:
    """Of both surfaces the triangles, after division, by where they are against the other body."""
    divided, cut, flat = _divided(points, surfaces)
    return [_placed(points, (m, surfaces[m]), Surface(points, surfaces[1 - m]), divided, cut, flat) for m in (0, 1)]


def _whole(points: Points, vertices: np.ndarray, corners: np.ndarray, name: str) -> np.ndarray:
    """Triangles as numbers of points, without those two corners of which are one. ValueError for others without area."""
    faces = np.array([points.number(_exact(p)) for p in vertices.tolist()])[corners]
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    places = points.doubles()[faces]
    rough = np.abs(np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0])).max(axis=1)
    for k in np.flatnonzero(distinct & (rough <= DECISIVE)).tolist():
        if not any(Divided(points, faces[k].tolist()).normal):
            raise ValueError(f"triangle {k} of the {name} mesh has no area: its corners are in a line")
    return np.asarray(faces[distinct])


Flat = dict[Key, list[Divided]]
"""Of a triangle, those of the other mesh in its plane."""


def _divided(points: Points, surfaces: list[np.ndarray]) -> tuple[dict[Key, Divided], set[tuple[int, int]], Flat]:
    """The triangles that the other surface divides, or that lie beside such ones; the pieces of seams at which a side may change."""
    divided, seams, flat = dict[Key, Divided](), list[Seam](), Flat()

    def of(m: int, k: int) -> Divided:
        if (m, k) not in divided:
            divided[m, k] = Divided(points, surfaces[m][k].tolist())
        return divided[m, k]

    for a, b, ends in meetings(points, *surfaces):
        one, other = of(0, a), of(1, b)
        if ends is None:
            flat.setdefault((0, a), []).append(other)
            flat.setdefault((1, b), []).append(one)
        sides = [(one, other, ends)] if ends else [*((one, other, s) for s in _sides(other)), *((other, one, s) for s in _sides(one))]
        for first, second, side in sides:
            first.divide(side)
            if ends:
                second.divide(side)
            seams.append(Seam(side, ((0, a), (1, b)), True))
    for m in (0, 1):
        seams += _borders(m, surfaces[m], [k for n, k in list(divided) if n == m], of)
    spread(divided, seams)
    cut = {pair for seam in seams if seam.cuts for pair in _pieces(points, seam)}
    return divided, cut, flat


def _sides(part: Divided) -> list[tuple[int, int]]:
    a, b, c = part.corners
    return [(a, b), (b, c), (c, a)]


def _borders(m: int, faces: np.ndarray, touched: list[int], of: Any) -> list[Seam]:
    """The sides of divided triangles, with all triangles that have them."""
    owners: dict[tuple[int, int], list[int]] = {}
    wanted = {tuple(sorted(side)) for k in touched for side in _sides(of(m, k))}
    for k, (a, b, c) in enumerate(faces.tolist()):
        for side in ((a, b), (b, c), (c, a)):
            if (key := tuple(sorted(side))) in wanted:
                owners.setdefault((key[0], key[1]), []).append(k)
    for k in itertools.chain(*owners.values()):
        of(m, k)
    return [Seam(side, [(m, k) for k in dict.fromkeys(found)], False) for side, found in owners.items()]


def _pieces(points: Points, seam: Seam) -> list[tuple[int, int]]:
    a, b = (points.exact[k] for k in seam.ends)
    axis = max(range(3), key=lambda k: abs(b[k] - a[k]))
    order = sorted(seam.points, key=lambda k: points.exact[k][axis])
    return [(min(pair), max(pair)) for pair in itertools.pairwise(order)]


def _placed(points: Points, own: tuple[int, np.ndarray], other: Surface, divided: dict[Key, Divided], cut: set[tuple[int, int]],
            flat: Flat) -> dict[str, list[Face]]:
    """The triangles of a surface by where they are: parts that hang together, but for seams, are on one side."""
    m, faces = own
    polygons: list[Polygon] = []
    shapes: list[list[Face]] = []
    found: dict[str, list[Face]] = {}
    for k, corners in enumerate(faces.tolist()):
        check()
        part = divided.get((m, k))
        if part is None:
            polygons.append(corners)
            shapes.append([(corners[0], corners[1], corners[2])])
            continue
        for polygon in fitted(part):
            shape = triangles(part, polygon)
            where = _on(points, part, shape[0], flat.get((m, k), ()))
            if where:
                found.setdefault(where, []).extend(shape)
            else:
                polygons.append(polygon)
                shapes.append(shape)
    for group in _joined(polygons, cut):
        inside = other.contains(_middle(points, shapes[group[0]][0]))
        assert inside is not None, "parts on the other surface are known already"
        found.setdefault("in" if inside else "out", []).extend(f for k in group for f in shapes[k])
    return found


def _on(points: Points, part: Divided, face: Face, others: Iterable[Divided]) -> str:
    """Whether a part lies on a triangle of the other surface: "same" or "opposite" by their outer sides; else ""."""
    for other in others:
        middle, (a, b, c) = points.number(_middle(points, face)), other.corners
        if min(other.side(a, b, middle), other.side(b, c, middle), other.side(c, a, middle)) > 0:
            return "same" if dot(part.normal, other.normal) > 0 else "opposite"
    return ""


def _middle(points: Points, face: Face) -> Point:
    x, y, z = (sum(c, Fraction(0)) / 3 for c in zip(*(points.exact[k] for k in face), strict=True))
    return x, y, z


def _joined(polygons: list[Polygon], cut: set[tuple[int, int]]) -> list[list[int]]:
    """Groups of polygons that hang together by sides that are not cut."""
    leader = list(range(len(polygons)))

    def lead(k: int) -> int:
        while leader[k] != k:
            leader[k] = leader[leader[k]]
            k = leader[k]
        return k

    first: dict[tuple[int, int], int] = {}
    for k, polygon in enumerate(polygons):
        for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            side = (a, b) if a < b else (b, a)
            if side not in cut:
                leader[lead(k)] = lead(first.setdefault(side, k))
    groups: dict[int, list[int]] = {}
    for k in range(len(polygons)):
        groups.setdefault(lead(k), []).append(k)
    return list(groups.values())
