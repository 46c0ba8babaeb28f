"""An index is made: the native search for planes, with exact signs where it asks for them; then its leaves are labelled and checked."""

from fractions import Fraction

import numpy as np

from codegen.deadline import check
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number

from ..exact.planes import Point, between, meeting, mixture
from ..mesh.initial_overlap import meet_exactly
from . import split_loop
from .brep import Entities
from .fragments import BuildMemory
from .nodes import IndexTree
from .tree import ABOVE, BELOW, IN, OUT

_ROUNDED = 2.0**-50
# Where in a wall of a box and in a part of a face points are taken that tell on which side is what: anywhere, but not in symmetric places.
_IN_WALL, _SHARES = (0.3137, 0.5861, 0.4279, 0.7243, 0.1889), ((5, 7, 8, 11, 13), (9, 4, 12, 7, 6))
_GROWING = ("corner_room", "piece_room", "node_room", "region_room")


def make(entities: Entities) -> IndexTree:
    """The tree of an index. ValueError for a mesh that crosses itself or is inside out."""
    build = _Build(entities)
    build.run()
    build.tree.finish(build.nodes)
    build.label_empty()
    build.check()
    return build.tree


class _Build:
    nodes, corners, pieces = Number[int](BuildMemory), Number[int](BuildMemory), Number[int](BuildMemory)
    regions, asked, faces = Number[int](BuildMemory), Number[int](BuildMemory), Number[int](BuildMemory)
    empties, crossed, other = Number[int](BuildMemory), Number[int](BuildMemory), Number[int](BuildMemory)

    def __init__(self, entities: Entities) -> None:
        self.entities = entities
        edges, vertices = np.flatnonzero(entities.edge_of >= 0), np.flatnonzero(entities.is_vertex)
        pieces = len(entities.corners) + len(edges) + len(vertices)
        self.arrays = Memory(BuildMemory, {"vertices": 0, "triangles": 0, "edges": 0, "faces_at": 0, "begins": 0, "region_room": 64,
                                           "corner_room": 40 * pieces, "piece_room": 16 * pieces, "node_room": 4 * pieces})
        self.tree, planes = IndexTree(entities, self.arrays), entities.planes
        error = 1.01 * (planes.error + 8 * _ROUNDED * np.abs(planes.normal).max(axis=1))
        at, begins = entities.faces_at
        held = {"vertex": entities.vertices, "corner": entities.corners, "face": entities.face_of, "end": entities.edges,
                "plane": np.column_stack([planes.normal, error, np.sqrt((planes.normal ** 2).sum(axis=1))]),
                "flat": np.column_stack([planes.axis, planes.steep]), "edge": entities.edge_of, "face_at": at, "first_at": begins}
        self._held = {name: np.ascontiguousarray(array) for name, array in held.items()}
        for name, array in self._held.items():
            self.arrays.refer(name, array.ctypes.data)
        self._begin(edges, vertices)

    def _begin(self, edges: np.ndarray, vertices: np.ndarray) -> None:
        """All pieces, in a box with room round them."""
        entities, arrays, m = self.entities, self.arrays, len(self.entities.corners)
        of = np.concatenate([entities.corners.ravel(), entities.edges[edges].ravel(), vertices])
        arrays["of"][:len(of)] = of
        arrays["x"][:len(of), :3] = entities.vertices[of]
        arrays["along"][:3 * m] = entities.known.edge_of.ravel()
        counts = np.repeat([3, 2, 1], [m, len(edges), len(vertices)])
        self.corners, self.pieces = len(of), len(counts)
        numbers = np.concatenate([np.arange(m), edges, vertices])
        arrays["piece"][:len(counts)] = np.stack([np.cumsum(counts) - counts, counts, numbers], axis=1)
        low, high = entities.vertices[of].min(axis=0), entities.vertices[of].max(axis=0)
        self.outer = np.concatenate([low, high]) + float((high - low).max()) * np.repeat([-1.0, 1.0], 3)
        arrays["region"][0], arrays["box"][0], self.regions = (0, ABOVE, 3, 0, len(counts), 0, 1), self.outer, 1

    def run(self) -> None:
        while (reason := compiled(split_loop.build)(self.arrays.address)) != split_loop.DONE:
            check()
            if reason == split_loop.NEED_ROOM:
                for size in _GROWING:
                    self.arrays.double(size)
            else:
                for i, q in self.arrays["ask"][:self.asked].tolist():
                    self.arrays["sign"][i] = self.tree.side(self.nodes - 1, self._corner(i, q))
        if self.crossed:
            raise ValueError(f"{self.entities.name} touches itself in a plane: triangles {self.other} and {self.crossed - 1} overlap")

    def _corner(self, i: int, q: int) -> Point:
        """A corner of piece q, exactly."""
        begin, count, number = self.arrays["piece"][q].tolist()
        of, along, scaled = int(self.arrays["of"][i]), self.arrays["along"], self.entities.scaled
        if of >= 0:
            return scaled.at_vertex(of)
        sides = [int(along[i]), number if count == 2 else int(along[begin + (i - begin - 1) % count])]
        edge, planes = max(sides), [self.tree.plane(-1 - side) for side in sides if side < 0]
        if edge < 0:
            return meeting(self.entities.plane(number), *planes)
        a, b = self.entities.edges[edge].tolist()
        return between(scaled.at_vertex(a), scaled.at_vertex(b), planes[0])

    # -- labels -----------------------------------------------------------------------------------------------------------

    def label_empty(self) -> None:
        """An empty part of a box is what is beyond the wall of the other part."""
        left, child = self.arrays["empty"][:self.empties], self.tree.child
        for shift in range(64):
            if not len(left):
                return
            nodes, sides = left.T
            box, axis = self.arrays["wall"][nodes], self.tree.arrays["axis"][nodes]
            share = np.array([_IN_WALL[(k + shift) % 5] for k in range(3)])
            points = box[:, :3] + share * (box[:, 3:] - box[:, :3])
            points[np.arange(len(nodes)), axis] = self.tree.arrays["anchor"][nodes, axis]
            found = self.tree.walk(points, roots=child[nodes, ABOVE + BELOW - sides])
            told = (found == IN) | (found == OUT)
            child[nodes[told], sides[told]] = found[told]
            left = left[~told]
        raise RuntimeError("empty parts of boxes are left without a label")

    def check(self) -> None:
        """Check that both sides of all faces are what their triangles say, and that the outside is outside."""
        if self.tree.walk(self.outer[None, :3])[0] != OUT:
            k = int(self.entities.vertices[self.entities.corners].max(axis=1)[:, 0].argmax())
            raise ValueError(f"{self.entities.name} is inside out: triangle {k} goes round clockwise, as seen from outside")
        nodes, pieces = self.arrays["on_plane"][:self.faces].T
        triangles = self.arrays["piece"][pieces, 2]
        up = self._up(nodes, triangles)
        for way, want in ((ABOVE, np.where(up, OUT, IN)), (BELOW, np.where(up, IN, OUT))):
            found = self.tree.child[nodes, way].copy()
            for shares in _SHARES:
                again = np.flatnonzero((found >= 0) | (found <= -8))
                found[again] = self._beside(pieces[again], self.tree.child[nodes[again], way], shares)
            if (found != want).any():
                self._refuse(int(triangles[(found != want).argmax()]))

    def _beside(self, pieces: np.ndarray, roots: np.ndarray, shares: tuple[int, ...]) -> np.ndarray:
        """The leaves beside the pieces of faces (k,), on the sides of nodes (k,)."""
        points, radius = self._middles(pieces, shares)
        return self.tree.walk(points, exact=lambda k: self._middle(int(pieces[k]), shares), roots=roots, radius=radius)

    def _up(self, nodes: np.ndarray, triangles: np.ndarray) -> np.ndarray:
        """(k,): whether the normal of a triangle in the plane of a node points above."""
        return (self.tree.arrays["normal"][nodes] * self.entities.planes.normal[triangles]).sum(axis=1) > 0

    def _middles(self, pieces: np.ndarray, shares: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """A point in each of the pieces, and how far it may be off."""
        begin, count = self.arrays["piece"][pieces, :2].T
        order = np.arange(count.max(initial=0))
        weight = np.where(order < count[:, None], np.resize(shares, len(order)), 0)
        corner = self.arrays["x"][np.minimum(begin[:, None] + order, begin[:, None] + count[:, None] - 1)]
        points = (weight[..., None] * corner[..., :3]).sum(axis=1) / weight.sum(axis=1)[:, None]
        size = np.abs(corner[..., :3]).max(axis=(1, 2), initial=0.0)
        return points, 1.001 * corner[..., 3].max(axis=1, initial=0.0) + size * len(order) * _ROUNDED

    def _middle(self, q: int, shares: tuple[int, ...]) -> Point:
        begin, count, _ = self.arrays["piece"][q].tolist()
        return mixture([self._corner(i, q) for i in range(begin, begin + count)], np.resize(shares, count).tolist())

    def _refuse(self, triangle: int) -> None:
        """Raise ValueError with the reason why the inside is not on one side of a triangle."""
        for border in (False, True):
            for k in (triangle, *range(len(self.entities.corners))):
                for j in self._apart(k):
                    if meet_exactly(self._fractions(k), self._fractions(j), border):
                        raise ValueError(f"{self.entities.name} crosses itself: triangles {min(j, k)} and {max(j, k)} do")
        raise ValueError(f"{self.entities.name} is inside out at triangle {triangle}: its inside is not where others say")

    def _apart(self, k: int) -> list[int]:
        """Triangles near triangle k that have no corner of it."""
        corner = self.entities.vertices[self.entities.corners]
        low, high = corner.min(axis=1), corner.max(axis=1)
        near = ((low <= high[k]) & (low[k] <= high)).all(axis=1)
        return np.flatnonzero(near & ~np.isin(self.entities.corners, self.entities.corners[k]).any(axis=1)).tolist()

    def _fractions(self, k: int) -> list[list[Fraction]]:
        return [[Fraction(x) for x in p] for p in self.entities.vertices[self.entities.corners[k]].tolist()]
