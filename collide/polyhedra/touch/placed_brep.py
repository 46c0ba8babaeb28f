"""A polyhedron that is placed beside another one, in rational numbers: its vertices, edges and faces in the other's tree."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..exact.planes import Plane, Point, between, cross, dot, sign, value
from ..location.brep import Entities
from ..location.nodes import IndexTree
from ..location.segment_walk import HomogeneousSegment
from ..location.tree import IN

Place = tuple[Fraction, Fraction, Fraction]
_ROUNDED = 2.0**-50


class Affine:
    """x -> matrix x + shift, of rational numbers."""

    def __init__(self, matrix: Sequence[Sequence[Fraction]], shift: Sequence[Fraction]) -> None:
        self.matrix, self.shift = matrix, shift

    def __call__(self, x: Sequence[Fraction]) -> Place:
        a, b, c = (d + s for d, s in zip(self.turn(x), self.shift, strict=True))
        return a, b, c

    def turn(self, x: Sequence[Fraction]) -> Place:
        """Without the shift."""
        a, b, c = (row[0] * x[0] + row[1] * x[1] + row[2] * x[2] for row in self.matrix)
        return a, b, c

    def inverse(self) -> "Affine":
        a, b, c = self.matrix
        rows = [_cross(b, c), _cross(c, a), _cross(a, b)]
        size = sum(x * y for x, y in zip(a, rows[0], strict=True))
        turned = Affine([[row[k] / size for row in rows] for k in range(3)], [Fraction(0)] * 3)
        return Affine(turned.matrix, [-x for x in turned.turn(self.shift)])

    def __matmul__(self, other: "Affine") -> "Affine":
        columns = [self.turn(column) for column in zip(*other.matrix, strict=True)]
        return Affine(list(zip(*columns, strict=True)), self(other.shift))

    @property
    def array(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([[float(x) for x in row] for row in self.matrix]), np.array([float(x) for x in self.shift])


def about(carried: Affine, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Images (n, 3) of places, and how far (n,) they may be off in a coordinate: they are rounded a few times, and so is what carries them.
    """
    matrix, shift = carried.array
    return places @ matrix.T + shift, _ROUNDED * (np.abs(places) @ np.abs(matrix).T + np.abs(shift)).max(axis=1, initial=0.0)


def _cross(u: Sequence[Fraction], v: Sequence[Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


class PlacedBrep:
    """The entities of one polyhedron, carried into the frame of another one, whose `tree` and box (6,) are given."""

    def __init__(self, entities: Entities, carried: Affine, tree: IndexTree, box: np.ndarray, tolerance: float) -> None:
        self.entities, self.carried, self.tree, self.tolerance = entities, carried, tree, tolerance
        self.about, self.off = about(carried, entities.vertices)
        self.box = box + tolerance * np.repeat([-1.0, 1.0], 3)
        self._places = dict[int, Place]()

    def vertex(self, k: int) -> Place:
        """The place of a vertex, exactly."""
        if k not in self._places:
            self._places[k] = self.carried([Fraction(x) for x in self.entities.vertices[k].tolist()])
        return self._places[k]

    def _near(self, corners: np.ndarray) -> np.ndarray:
        """(n,): whether a part with these vertices (n, k) may come to the box."""
        p, off = self.about[corners], self.off[corners].max(axis=1)[:, None]
        return ((p.min(axis=1) - off <= self.box[3:]) & (p.max(axis=1) + off >= self.box[:3])).all(axis=1)

    def vertices(self) -> Iterator[tuple[int, int]]:
        """Vertices near the other body, and the leaves they come to."""
        which = np.flatnonzero(self.entities.is_vertex)
        which = which[self._near(which[:, None])]
        scaled = self.tree.entities.scaled
        leaves = self.tree.walk(self.about[which], self.tolerance, exact=lambda k: scaled.points([self.vertex(int(which[k]))])[0],
                                radius=self.off[which])
        yield from zip(which.tolist(), leaves.tolist(), strict=True)

    def edges(self) -> Iterator[tuple[int, HomogeneousSegment]]:
        """Edges near the other body."""
        lines = self.entities.lines
        for number, a, b in lines[self._near(lines[:, 1:])].tolist():
            first, last = self.tree.entities.scaled.points([self.vertex(a), self.vertex(b)])
            yield number, HomogeneousSegment(self.tree, first, last, self.tolerance)

    def enters(self, triangle: int) -> bool:
        """Whether a part of a triangle is inside the other body, or in a face of it that has its outside on the same side. With a
        tolerance, which such a part may be within, the latter alone.
        """
        corners, tree = self.entities.corners[triangle].tolist(), self.tree
        a, b, c = tree.entities.scaled.points([self.vertex(k) for k in corners])
        normal = cross(_minus(b, a), _minus(c, a))
        return any((leaf == IN and not self.tolerance) or (leaf <= -8 and dot(tree.entities.plane((-8 - leaf) // 4)[:3], normal) > 0)
                   for leaf, _ in self._parts(0, [a, b, c]))

    def _parts(self, n: int, polygon: Sequence[Point]) -> Iterator[tuple[int, Sequence[Point]]]:
        """The leaves that the inner points of a convex polygon come to, except for lines in it, with the parts that do."""
        if n < 0:
            yield n, polygon
            return
        plane, (above, on, below) = self.tree.plane(n), self.tree.child[n].tolist()
        sides = [sign(value(plane, p)) for p in polygon]
        if 1 in sides:
            yield from self._parts(above, clipped(polygon, sides, plane))
        if -1 in sides:
            yield from self._parts(below, clipped(polygon, [-s for s in sides], plane))
        if not any(sides):
            for leaf, part in self._parts(on, polygon):
                if leaf <= -8:
                    yield leaf, part
                else:
                    # No face is in the plane here, so on both sides there is the same.
                    yield from self._parts(above, part)

    @cached_property
    def triangle_boxes(self) -> tuple[np.ndarray, np.ndarray]:
        """(m, 3) each: bounds of the triangles, in the other's frame."""
        corners = self.entities.corners
        p, off = self.about[corners], self.off[corners].max(axis=1)[:, None]
        return p.min(axis=1) - off, p.max(axis=1) + off

    @cached_property
    def outward(self) -> np.ndarray:
        """(m, 3): unit normals of triangles, in the other's frame, rounded."""
        matrix, _ = self.carried.array
        normal = self.entities.planes.normal @ matrix.T
        return normal / np.sqrt((normal ** 2).sum(axis=1))[:, None]


def clipped(polygon: Sequence[Point], sides: Sequence[int], plane: Plane) -> list[Point]:
    """The part of a polygon above a plane."""
    found = []
    for k, (p, here) in enumerate(zip(polygon, sides, strict=True)):
        after = (k + 1) % len(polygon)
        if here >= 0:
            found.append(p)
        if here * sides[after] < 0:
            found.append(between(p, polygon[after], plane))
    return found


def _minus(p: Point, q: Point) -> tuple[int, int, int]:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]
