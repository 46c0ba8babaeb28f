"""`Index`: location of points and segments in a polyhedron (Vanecek 1990)."""

import math
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from codegen.deadline import check
from codegen.given import doubles, shown

from ...bodies.mesh import LARGEST, Mesh
from ...frozen import Frozen
from ...given import is_number
from .brep import Entities
from .build import make
from .segment_walk import HomogeneousSegment
from .tree import EDGE, IN, SIDE, VERTEX


class Kind(Enum):
    """The location of a point: IN a body or OUT of it, or on its surface: of a polyhedron inside a FACE, inside an EDGE, or at a VERTEX.
    UNRESOLVED: at the surface of a curved body, or so near that it is not known.
    """

    IN = 0
    OUT = 1
    FACE = 2
    EDGE = 3
    VERTEX = 4
    UNRESOLVED = 5


Run = tuple[Kind, int, np.ndarray | None]
_KIND = {SIDE: Kind.FACE, EDGE: Kind.EDGE, VERTEX: Kind.VERTEX}
_CODES = np.array([_KIND[0], _KIND[1], _KIND[2], Kind.IN, Kind.OUT], object)


class Index(Frozen):
    """The B-rep index of a closed polyhedron: a tree of planes that locates points and segments in it.

    Parameters
    ----------
    mesh : Mesh
        At rest, and closed: every edge joins two triangles that run through it in opposite senses, counterclockwise as seen from outside.
        It may consist of several parts, have holes and cavities, and touch itself at points and along lines.

    Attributes
    ----------
    face_of : ndarray, (triangles,)
        The number of the face that a triangle is in.
    edge_of : ndarray, (len(mesh.edges),)
        The number of the edge that an edge of the mesh belongs to; -1 if it belongs to none.

    Raises
    ------
    ValueError
        For any other mesh: one that is open, not manifold, degenerate, inside out, or crosses itself; the triangles concerned are named.

    Notes
    -----
    The *faces* are the largest connected flat ones, of one or more triangles. An edge between two triangles in one plane is none of the
    polyhedron, nor is a vertex in the middle of a face or of a straight edge. A point on such an edge is in the FACE. Faces, edges and
    vertices have numbers of the mesh, the least of those they consist of. The number of a vertex is the least of those at its place.

    The tree is that of Vanecek 1990.

    Answers are exact for the numbers as they are given, with no tolerance: signs are decided by rounded arithmetic with a bound of its
    error, and where that does not decide, in integers.

    Examples
    --------
    >>> import numpy as np
    >>> import collide
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> index = collide.Index(collide.Mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]))
    >>> kinds, numbers = index.classify([[0.1, 0.1, 0.1], [0.25, 0.25, 0.5], [0, 0, 0.5], [0, 0, 1]])
    >>> [kind.name for kind in kinds], numbers.tolist()
    (['IN', 'FACE', 'EDGE', 'VERTEX'], [-1, 2, 2, 3])
    """

    def __init__(self, mesh: Mesh) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(f"an index is made of a Mesh, got {shown(mesh)}")
        if not mesh.rigid or not mesh.motion.is_identity:
            raise ValueError("an index is made of a mesh at rest, with vertices (n, 3) and without a motion")
        self.mesh = mesh
        self.entities = Entities(mesh)
        self.tree = make(self.entities)
        corners = self.entities.vertices[self.entities.corners]
        self.box = np.concatenate([corners.min(axis=(0, 1)), corners.max(axis=(0, 1))])
        self._freeze()

    @property
    def face_of(self) -> np.ndarray:
        """(m,): the number of the face that each triangle is in."""
        return self.entities.face_of

    @property
    def edge_of(self) -> np.ndarray:
        """(e,): the number of the edge that each of `mesh.edges` belongs to; -1 where both its triangles are of one face."""
        return self.entities.edge_of

    @property
    def nodes(self) -> int:
        """The number of planes of the tree."""
        return len(self.tree.child)

    @property
    def heights(self) -> tuple[int, float]:
        """The most nodes on the way to a leaf, and their mean over all leaves."""
        return self.tree.heights

    def classify(self, points: Any, tolerance: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Locate points, exactly.

        Parameters
        ----------
        points : array_like, (n, 3)
            Finite doubles, taken exactly.
        tolerance : float, optional
            `tolerance`, a distance from planes (Vanecek's epsilon): up to it a point counts as on a plane of the tree, so that answers near
            edges depend on the tree.

        Returns
        -------
        kinds : ndarray, (n,)
            Of `Kind`.
        numbers : ndarray, (n,)
            Of the face, edge or vertex; -1 for IN and OUT.

        Raises
        ------
        ValueError
            For points of another shape, or not finite, and for a tolerance that is negative or not finite.
        """
        p = checked_places(points, "points", 2)
        leaves = self.tree.walk(p, checked_tolerance(tolerance), self.box + tolerance * np.repeat([-1.0, 1.0], 3))
        return unpacked(leaves)

    def classify_segments(self, q: Any, tolerance: float = 0.0) -> list[list[Run]]:
        """Locate segments: list the kinds that each runs through, from its first end to its last. Exact.

        Parameters
        ----------
        q : array_like, (n, 2, 3)
            The ends of n segments.
        tolerance : float, optional
            As in `classify`.

        Returns
        -------
        list of list
            For each segment a list of (kind, number, point), kinds and numbers as in `classify`. A part in one face, along one edge, or IN
            or OUT has None for its point; a single point of a face, an edge or a vertex has that point (3,), rounded.
        """
        ends = checked_places(q, "segments", 3)
        within = checked_tolerance(tolerance)
        low, high = ends.min(axis=1), ends.max(axis=1)
        near = ((low <= self.box[3:] + within) & (high >= self.box[:3] - within)).all(axis=1)
        return [self._runs(pair, within) if close else [(Kind.OUT, -1, None)] for pair, close in zip(ends.tolist(), near, strict=True)]

    def _runs(self, ends: Sequence[Sequence[float]], tolerance: float) -> list[Run]:
        check()
        first, last = self.entities.scaled.points(ends)
        return runs(HomogeneousSegment(self.tree, first, last, tolerance))

    def __repr__(self) -> str:
        return f"Index({self.nodes} nodes of {self.mesh!r})"


def runs(segment: HomogeneousSegment) -> list[Run]:
    """The places that a segment runs through, by kind and number."""
    pieces = segment.pieces()
    kinds, numbers = unpacked(np.array([p.leaf for p in pieces]))
    return [(kind, number, np.array([float(c) for c in segment.at(p.begin)]) if p.begin == p.end and p.leaf <= -8 else None)
            for kind, number, p in zip(kinds, numbers.tolist(), pieces, strict=True)]


def unpacked(leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kinds (n,) of leaves, and the numbers of entities, -1 for IN and OUT."""
    codes, numbers = np.where(leaves == IN, 3, 4), np.full(len(leaves), -1)
    which = np.flatnonzero(leaves <= -8)
    codes[which], numbers[which] = (-8 - leaves[which]) % 4, (-8 - leaves[which]) // 4
    return _CODES[codes], numbers


def checked_places(given: Any, name: str, dimensions: int) -> np.ndarray:
    """Points (n, 3), or segments (n, 2, 3), as doubles."""
    shape = "(n, 3)" if dimensions == 2 else "(n, 2, 3)"
    places = doubles(given, name, shape)
    if places.ndim != dimensions or places.shape[1:] != ((3,) if dimensions == 2 else (2, 3)):
        raise ValueError(f"{name} must have the shape {shape}, got {places.shape}")
    largest = np.abs(places).max(axis=tuple(range(1, dimensions)), initial=0.0)
    if not (largest <= LARGEST).all():
        raise ValueError(f"{name} must be finite and no larger than {LARGEST:g}, number {int((~(largest <= LARGEST)).argmax())} is not")
    return np.ascontiguousarray(places)


def checked_tolerance(tolerance: Any) -> float:
    """The tolerance of a plane, as a float."""
    if not is_number(tolerance) or not 0 <= tolerance < math.inf:
        raise ValueError(f"tolerance must be a number that is not negative, got {shown(tolerance)}")
    return float(tolerance)
