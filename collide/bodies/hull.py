"""The convex hull of a mesh: faces that belong to the mesh, and caps over its concavities (Ponamgi, Manocha and Lin 1995, 4.2 to 4.4).

What of the hull is not covered by triangles of the mesh is a region on it, whose border is a rim of edges of the mesh. In a plane of the
hull the border of that region is the border of the face, less that of the triangles in it. Regions of neighbouring planes that share an
edge are one cap. Under it lies what of the mesh begins at its rim and is not on the hull. All signs are exact.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check

from ..frozen import Frozen
from .convex_hull import convex_hull
from .dyadic import cross, dot, integers

Edge = tuple[int, int]


class Cap(NamedTuple):
    """`faces`: triangles of the hull that are wholly or partly in it. `rim`: its border, pairs of vertices, counterclockwise as seen from
    outside; none if no triangle of the mesh is on the hull. `concavity`: the triangles of the mesh under it. `concavities`: the numbers in
    `Hull.concavities` of what these are: a cap may be over several, and a hole that goes through has a cap at each end.
    """

    faces: tuple[int, ...]
    rim: tuple[Edge, ...]
    concavity: tuple[int, ...]
    concavities: tuple[int, ...]

    @property
    def loops(self) -> tuple[tuple[int, ...], ...]:
        """The border as closed loops of vertices, none twice in one of them, each beginning with its least vertex. The cap is on the left
        of each, as seen from outside: so an outer loop goes round counterclockwise, one round an island clockwise.
        """
        after, found = defaultdict[int, list[int]](list), list[tuple[int, ...]]()
        for i, j in sorted(self.rim, reverse=True):
            after[i].append(j)
        while after:
            path = [min(after)]
            while path[-1] not in path[:-1]:
                ends = after[path[-1]]
                path.append(ends.pop())
                if not ends:
                    del after[path[-2]]
            loop = path[path.index(path[-1]):-1]
            # The edges before the loop are looked at again.
            for i, j in pairwise(path[:path.index(path[-1]) + 1]):
                after[i].append(j)
            first = loop.index(min(loop))
            found.append((*loop[first:], *loop[:first]))
        return tuple(sorted(found))


class Hull(Frozen):
    """The convex hull of a mesh.

    `mesh`: the hull as a mesh, with the same vertices, of which it uses some. `real` (m,): is the face of the hull that a triangle of it
    belongs to made of triangles of the mesh? Else some of it is a cap. `caps`: all of them. `concavities`: the triangles of each part of
    the mesh that hangs together and is not on the hull; `caps_of`: for each, the numbers of the caps over it, none for an inner shell.
    """

    def __init__(self, mesh: Any) -> None:
        self._corners, vertices = mesh.topology.corners, mesh.vertices[:, :3]
        used = np.unique(self._corners)
        self.triangles = used[convex_hull(vertices[used])]
        self.mesh = type(mesh)(vertices, self.triangles, name=mesh.name)
        self._places = integers(vertices)
        self._freeze()

    def __repr__(self) -> str:
        return f"Hull({len(self.triangles)} triangles, {len(self.caps)} caps)"

    @property
    def real(self) -> np.ndarray:
        """(m,): see above."""
        return np.array([not self._open[f] for f in self._facet.tolist()], bool)

    @property
    def caps(self) -> tuple[Cap, ...]:
        """All caps."""
        return self._caps

    @property
    def concavities(self) -> tuple[tuple[int, ...], ...]:
        """All concavities, and inner shells."""
        rest, part = self._hidden
        return tuple(tuple(rest[part == number].tolist()) for number in np.unique(part).tolist())

    @property
    def caps_of(self) -> tuple[tuple[int, ...], ...]:
        """For each concavity the caps over it."""
        return tuple(tuple(k for k, cap in enumerate(self.caps) if number in cap.concavities) for number in range(len(self.concavities)))

    @cached_property
    def _facet(self) -> np.ndarray:
        """(m,): numbers of triangles in one plane are equal."""
        topology, normals = self.mesh.topology, self._normals
        a, b = topology.sides.T
        flat = (cross(normals[a], normals[b]) == 0).all(axis=1)
        return _joined(len(self.triangles), np.column_stack([a, b])[flat].tolist())

    @cached_property
    def _normals(self) -> np.ndarray:
        a, b, c = (self._places[self.triangles[:, k]] for k in range(3))
        return cross(b - a, c - a)

    @cached_property
    def _covering(self) -> dict[int, list[int]]:
        """The triangles of the mesh that lie on the hull, by the number of its face."""
        first = np.unique(self._facet, return_index=True)[1]
        of, found = dict[int, list[int]](), defaultdict[int, list[int]](list)
        for k in first.tolist():
            check()
            height = dot(self._places - self._places[self.triangles[k, 0]], self._normals[k])
            for v in np.flatnonzero(height == 0).tolist():
                of.setdefault(v, []).append(int(self._facet[k]))
        for number, (i, j, k) in enumerate(self._corners.tolist()):
            for f in set(of.get(i, ())) & set(of.get(j, ())) & set(of.get(k, ())):
                p, q, r = self._places[[i, j, k]]
                if dot(cross(q - p, r - p), self._normals[self._facet == f][0]) > 0:
                    found[f].append(number)
        return found

    @cached_property
    def _open(self) -> dict[int, set[Edge]]:
        """The border, for each face of the hull, of what is not covered in it."""
        out = {}
        for f in np.unique(self._facet).tolist():
            whole = _border(self.triangles[self._facet == f].tolist())
            known = _border(self._corners[self._covering[f]].tolist())
            points = {v for e in whole | known for v in e}
            whole, known = self._divided(whole, points), self._divided(known, points)
            out[f] = (whole - known) | {(j, i) for i, j in known - whole}
        return out

    def _divided(self, edges: Iterable[Edge], points: set[int]) -> set[Edge]:
        """Edges cut at those of the points that lie on them."""
        some, out = np.array(sorted(points), np.int64), set[Edge]()
        for i, j in edges:
            along = self._places[j] - self._places[i]
            off = self._places[some] - self._places[i]
            share = dot(off, along)
            on = (cross(off, along) == 0).all(axis=1) & (share > 0) & (share < dot(along, along))
            stops = [i, *some[on][np.argsort(share[on])].tolist(), j]
            out |= set(pairwise(stops))
        return out

    @cached_property
    def _caps(self) -> tuple[Cap, ...]:
        pieces = [(f, loop) for f, edges in self._open.items() for loop in self._loops(f, edges)]
        at = {e: k for k, (_, loop) in enumerate(pieces) for e in loop}
        cap_of = _joined(len(pieces), [(k, at[j, i]) for (i, j), k in at.items() if (j, i) in at])
        out = []
        for number in np.unique(cap_of).tolist():
            own = [pieces[k] for k in np.flatnonzero(cap_of == number).tolist()]
            edges = {e for _, loop in own for e in loop}
            rim = {(i, j) for i, j in edges if (j, i) not in edges}
            faces = np.flatnonzero(np.isin(self._facet, [f for f, _ in own]))
            out.append(Cap(tuple(faces.tolist()), tuple(sorted(rim)), *self._under(rim, {v for e in edges for v in e})))
        return tuple(out)

    def _loops(self, facet: int, edges: set[Edge]) -> list[set[Edge]]:
        """The borders of the regions of a face, each with what goes round islands in it, where it is on the other side."""
        listed = sorted(edges)
        part = _joined(len(listed), _chained(listed))
        normal = self._normals[self._facet == facet][0]
        outer, islands = list[tuple[int, set[Edge]]](), list[set[Edge]]()
        for number in np.unique(part).tolist():
            loop = [listed[k] for k in np.flatnonzero(part == number).tolist()]
            begin, end = (self._places[[e[k] for e in loop]] for k in range(2))
            area = int(dot(cross(begin, end).sum(axis=0), normal))
            if area > 0:
                outer.append((area, set(loop)))
            else:
                islands.append(set(loop))
        borders = [set(loop) for _, loop in outer]
        for island in islands:
            around = [(area, k) for k, (area, loop) in enumerate(outer) if self._inside(min(island)[0], loop, normal)]
            if around:
                borders[min(around)[1]] |= island
        return borders

    def _inside(self, vertex: int, loop: Iterable[Edge], normal: np.ndarray) -> bool:
        """Whether a vertex in the plane of a loop, and not on it, is inside: a ray crosses it an odd number of times."""
        axis = int(np.argmax([abs(int(c)) for c in normal]))
        x, y = (axis + 1) % 3, (axis + 2) % 3
        px, py = (int(self._places[vertex, k]) for k in (x, y))
        crossings = 0
        for ends in loop:
            (ax, ay), (bx, by) = ((int(self._places[e, x]), int(self._places[e, y])) for e in ends)
            if (ay > py) != (by > py):
                side = (bx - ax) * (py - ay) - (px - ax) * (by - ay)
                crossings += (side > 0) == (by > ay)
        return crossings % 2 == 1

    @cached_property
    def _hidden(self) -> tuple[np.ndarray, np.ndarray]:
        """The triangles of the mesh that are not on the hull, and for each the number of what it hangs together with."""
        seen = {k for found in self._covering.values() for k in found}
        rest = np.array([k for k in range(len(self._corners)) if k not in seen], np.int64)
        sides = defaultdict[Edge, list[int]](list)
        for k, corners in enumerate(self._corners[rest].tolist()):
            for n in range(3):
                i, j = corners[n - 1], corners[n]
                sides[min(i, j), max(i, j)].append(k)
        return rest, _joined(len(rest), [(some[0], other) for some in sides.values() for other in some[1:]])

    def _under(self, rim: set[Edge], vertices: set[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The triangles under a cap, and the numbers of the concavities."""
        rest, part = self._hidden
        corners = self._corners[rest].tolist()
        if rim:
            begun = {p for p, c in zip(part.tolist(), corners, strict=True) if any((c[k - 1], c[k]) in rim for k in range(3))}
        else:
            begun = {p for p, c in zip(part.tolist(), corners, strict=True) if not vertices.isdisjoint(c)}
        numbers = np.searchsorted(np.unique(part), sorted(begun))
        return tuple(rest[np.isin(part, sorted(begun))].tolist()), tuple(numbers.tolist())


def _border(triangles: list[list[int]]) -> set[Edge]:
    edges = {(c[k - 1], c[k]) for c in triangles for k in range(3)}
    return {(i, j) for i, j in edges if (j, i) not in edges}


def _chained(edges: list[Edge]) -> list[Edge]:
    """Pairs of numbers of edges with a common vertex."""
    at = dict[int, int]()
    return [(k, at.setdefault(v, k)) for k, e in enumerate(edges) for v in e]


def _joined(count: int, pairs: Iterable[Any]) -> np.ndarray:
    """(count,): the least number that each is joined with by pairs."""
    above = list(range(count))

    def top(k: int) -> int:
        while above[k] != k:
            above[k] = above[above[k]]
            k = above[k]
        return k

    for i, j in pairs:
        a, b = top(i), top(j)
        above[max(a, b)] = min(a, b)
    return np.array([top(k) for k in range(count)], np.int64)
