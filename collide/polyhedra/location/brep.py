"""Faces, edges and vertices of a closed polyhedron that is given as a mesh of triangles (Vanecek 1990, 2.3).

Triangles that share an edge and lie in one plane are one face; that edge is none of the polyhedron, a pseudo edge. A vertex that is in the
middle of a face, or where two edges go on straight, is none either. What is left has the least number of what it is made of: a face that
of its triangles, an edge that of `Mesh.edges`, a vertex that of the vertices at its place. All of it is decided exactly.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from generative.body import called

from ...bodies.mesh import Mesh
from ...frozen import Frozen
from ..exact.planes import Plane, Scaled, dot, value
from .tree import EDGE, SIDE

# Of numbers that are rounded once; a product and what is below the range of doubles.
_U, _TINY = 2.0**-53, 2.0**-1000


class Planes(NamedTuple):
    """The planes of triangles (m): `normal` (m, 3), rounded; `error` (m,): no component of an exact normal is further from it; `axis` (m,):
    of those at right angles to one, else -1; `steep` (m,): an axis that is not in the plane, proved.
    """

    normal: np.ndarray
    error: np.ndarray
    axis: np.ndarray
    steep: np.ndarray


class Entities(Frozen):
    """The entities of a Mesh, closed and at rest. ValueError for one that is open, not manifold, not oriented or degenerate: it names the
    triangles.

    `face_of` (m,): the number of the face that each triangle is in; `edge_of` (e,): that of the edge which each edge of the mesh belongs
    to, -1 for a pseudo edge; `is_vertex` (n,): whether it is a vertex of the polyhedron.
    """

    def __init__(self, mesh: Mesh) -> None:
        self.mesh, self.name = mesh, called([mesh], 0) if mesh.name else "the mesh"
        self.known = mesh.topology
        self.vertices = np.ascontiguousarray(mesh.vertices[:, :3] + 0.0)
        self.corners, self.edges = self.known.corners, self.known.edges
        self.scaled, self._exact = Scaled(self.vertices), dict[int, Plane]()
        if not len(self.corners):
            raise ValueError(f"{self.name} has no triangles, so it encloses nothing")
        self._check_edges()
        self.planes = self._planes()
        flat = self._coplanar()
        self.face_of = components(len(self.corners), self.known.sides[flat])
        sides = self.face_of[self.known.sides]
        real = sides[:, 0] != sides[:, 1]
        self.edge_of, self.is_vertex = _edges(self.edges, np.sort(sides, axis=1), real, len(self.vertices))
        self._freeze()

    def _check_edges(self) -> None:
        wrong = self.corners[:, 0] == self.corners[:, 1]
        wrong |= (self.corners[:, 1] == self.corners[:, 2]) | (self.corners[:, 2] == self.corners[:, 0])
        if wrong.any():
            raise ValueError(f"{self.name} is degenerate: triangle {int(wrong.argmax())} has two corners at one place")
        count, known = self.known.count, self.known
        wrong = count != 2
        if wrong.any():
            k = int(wrong.argmax())
            kind = "open" if count[k] == 1 else "not manifold"
            raise ValueError(f"{self.name} is {kind}: {known.edge_name(k)} belongs to {self._listed(self._at(k))}")
        begins = self._begins()
        wrong = begins[:, 0] == begins[:, 1]
        if wrong.any():
            k = int(wrong.argmax())
            raise ValueError(f"{self.name} is not oriented: {self._listed(self._at(k))} run through {known.edge_name(k)} in the same sense")

    def _at(self, edge: int) -> list[int]:
        return np.flatnonzero((self.known.edge_of == edge).any(axis=1)).tolist()  # type: ignore[no-any-return]

    def _listed(self, triangles: list[int]) -> str:
        return f"triangle{'s' if len(triangles) > 1 else ''} {', '.join(map(str, triangles))}"

    def _begins(self) -> np.ndarray:
        """(e, 2): from which vertex on both triangles run through an edge."""
        return np.stack([np.where(self.known.edge_of[k] == np.arange(len(self.edges))[:, None], self.corners[k], 0).sum(axis=1)
                         for k in self.known.sides.T], axis=1)

    def _planes(self) -> Planes:
        corner = self.vertices[self.corners]
        normal, error = normals(corner)
        same = (corner == corner[:, :1]).all(axis=1)
        axis = np.where(same.any(axis=1), same.argmax(axis=1), -1)
        steep = np.abs(normal).argmax(axis=1)
        for k in np.flatnonzero(np.abs(normal).max(axis=1) <= error).tolist():
            exact = self.scaled.through(*self.corners[k].tolist())
            if not any(exact[:3]):
                raise ValueError(f"{self.name} is degenerate: triangle {k} has no area")
            steep[k] = max(range(3), key=lambda i: abs(exact[i]))
        steep = np.where(axis >= 0, axis, steep)
        return Planes(normal, error, axis, steep)

    def _coplanar(self) -> np.ndarray:
        """(e,): whether the triangles of an edge lie in one plane. ValueError where one of them lies on the other."""
        first, last = self.known.sides.T
        apex = self.corners[last].sum(axis=1) - self.edges.sum(axis=1)
        d = self.vertices[apex] - self.vertices[self.corners[first, 0]]
        size = np.abs(d).sum(axis=1)
        level = (self.planes.normal[first] * d).sum(axis=1)
        flat = np.abs(level) <= (self.planes.error[first] + 8 * _U * np.abs(self.planes.normal[first]).max(axis=1)) * size + _TINY
        for k in np.flatnonzero(flat).tolist():
            planes = [self.plane(int(t)) for t in (first[k], last[k])]
            flat[k] = value(planes[0], self.scaled.at_vertex(int(apex[k]))) == 0
            if flat[k] and dot(planes[0][:3], planes[1][:3]) < 0:
                raise ValueError(f"{self.name} is degenerate: triangles {first[k]} and {last[k]} lie on each other")
        return flat

    def plane(self, triangle: int) -> Plane:
        """The plane of a triangle, exactly."""
        if triangle not in self._exact:
            a, b, c = self.corners[triangle].tolist()
            self._exact[triangle] = self.scaled.through(a, b, c)
        return self._exact[triangle]

    @cached_property
    def faces_at(self) -> tuple[np.ndarray, np.ndarray]:
        """Faces at the vertices, those of vertex k from `begins[k]` to `begins[k + 1]`; and `begins` (n + 1,)."""
        pairs = np.unique(np.stack([self.corners.ravel(), np.repeat(self.face_of, 3)], axis=1), axis=0)
        return np.ascontiguousarray(pairs[:, 1]), np.searchsorted(pairs[:, 0], np.arange(len(self.vertices) + 1))


    @cached_property
    def lines(self) -> np.ndarray:
        """(k, 3): the number of each edge of the polyhedron, and the two vertices at its ends."""
        which = np.flatnonzero(self.edge_of >= 0)
        number, ends = np.repeat(self.edge_of[which], 2), self.edges[which].ravel()
        number, ends = number[self.is_vertex[ends]], ends[self.is_vertex[ends]]
        order = np.lexsort([ends, number])
        return np.column_stack([number[order][::2], ends[order].reshape(-1, 2)])

    def faces_of(self, kind: int, number: int) -> list[int]:
        """The faces at a VERTEX, an EDGE or a FACE, by their numbers."""
        if kind == SIDE:
            return [number]
        if kind == EDGE:
            return self.face_of[self.known.sides[number]].tolist()  # type: ignore[no-any-return]
        own, begins = self.faces_at
        return own[begins[number]:begins[number + 1]].tolist()  # type: ignore[no-any-return]


def normals(corner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The normals of triangles (m, 3, 3), and how far their components may be off: differences, products and a difference are rounded once
    each.
    """
    u, v = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    i, j = [1, 2, 0], [2, 0, 1]
    first, second = u[:, i] * v[:, j], u[:, j] * v[:, i]
    return first - second, (np.abs(first) + np.abs(second)).max(axis=1) * (6 * _U) + _TINY


def components(n: int, pairs: np.ndarray) -> np.ndarray:
    """(n,): the least number of those that hang together with each by `pairs` (k, 2)."""
    label = np.arange(n)
    while len(pairs):
        own = label[pairs]
        low = own.min(axis=1)
        if (own == low[:, None]).all():
            break
        np.minimum.at(label, own.ravel(), np.repeat(low, 2))
        while (label[label] != label).any():
            label = label[label]
    return label


def _edges(edges: np.ndarray, faces: np.ndarray, real: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of merged edges, -1 for pseudo ones, and which vertices are none. Where two edges between the same two planes meet, and
    no other, they are on the line of these planes.
    """
    which = np.flatnonzero(real)
    at = edges[which].ravel()
    order = np.argsort(at, kind="stable")
    own, begins, count = np.unique(at[order], return_index=True, return_counts=True)
    pairs = which[order // 2][begins[count == 2, None] + [0, 1]]
    straight = (faces[pairs[:, 0]] == faces[pairs[:, 1]]).all(axis=1)
    is_vertex = np.zeros(n, bool)
    is_vertex[own] = True
    is_vertex[own[count == 2][straight]] = False
    return np.where(real, components(len(edges), pairs[straight]), -1), is_vertex
