"""The edges of a triangle mesh, which triangles they join, and whether these close up. Corners at the same place are one."""

from functools import cached_property

import numpy as np

from codegen.deadline import check

from ..frozen import Frozen


class Topology(Frozen):
    """The topology of vertices (n, 3) and triangles (m, 3): `corners` (m, 3), the least number of a vertex at the place of each corner;
    `edges` (e, 2), pairs of these, each once; `edge_of` (m, 3): the edges of a triangle, the k-th one from its corner k to the next;
    `count` (e,): how many triangles an edge belongs to, and `sides` (e, 2): the first and the last of them.
    """

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray) -> None:
        self.corners = _merged(vertices)[triangles]
        check()
        ends = np.sort(np.stack([self.corners, np.roll(self.corners, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
        keys, self._first, of = np.unique(ends[:, 0] << 32 | ends[:, 1], return_index=True, return_inverse=True)
        check()
        self.edges = np.stack([keys >> 32, keys & (1 << 32) - 1], axis=1)
        self.edge_of = of.reshape(-1, 3)
        self.count = np.bincount(of.ravel(), minlength=len(keys))
        last = np.empty(len(keys), np.int64)
        last[of.ravel()] = np.arange(len(ends))
        self._last = last
        self.sides = np.stack([self._first, last], axis=1) // 3
        self._freeze()

    @cached_property
    def open_edge(self) -> int | None:
        """An edge that belongs to an odd number of triangles; None if the mesh is closed. An edge of no length bounds nothing."""
        odd = np.flatnonzero((self.count % 2 == 1) & (self.edges[:, 0] != self.edges[:, 1]))
        return int(odd[0]) if len(odd) else None

    @cached_property
    def oriented(self) -> bool:
        """Whether every edge joins two triangles that run through it in opposite senses."""
        begins = self.corners.ravel()
        return bool((self.count == 2).all() and (begins[self._first] != begins[self._last]).all())

    @cached_property
    def misturned(self) -> tuple[int, int] | None:
        """Two triangles that run through their edge in the same sense; None if the mesh is turned one way all over. Edges of other numbers
        of triangles tell nothing.
        """
        begins = self.corners.ravel()
        same = np.flatnonzero((self.count == 2) & (begins[self._first] == begins[self._last]) & (self.edges[:, 0] != self.edges[:, 1]))
        return None if not len(same) else (int(self._first[same[0]]) // 3, int(self._last[same[0]]) // 3)

    @cached_property
    def triangle_of(self) -> np.ndarray:
        """(n,): the first triangle that has a vertex; -1 for vertices of none."""
        flat = self.corners.ravel()
        found = np.full(flat.max(initial=-1) + 1, -1)
        found[flat[::-1]] = np.arange(len(flat))[::-1] // 3
        return found

    @cached_property
    def corners_at(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners of triangles, the k-th one of triangle m being 3 m + k, in the order of their vertices, one of each triangle at a
        vertex; and where those of each vertex begin.
        """
        flat = self.corners.ravel()
        order = np.argsort(flat, kind="stable")
        own, triangles = flat[order], order // 3
        order = order[np.append(True, (own[1:] != own[:-1]) | (triangles[1:] != triangles[:-1]))[:len(order)]]
        return order, np.concatenate([[0], np.cumsum(np.bincount(flat[order]))])

    @cached_property
    def pieces(self) -> np.ndarray:
        """A vertex of each part of the mesh that hangs together."""
        label = np.arange(self.corners.max(initial=-1) + 1)
        while True:
            check()
            own = label[self.corners]
            new = label.copy()
            np.minimum.at(new, own.ravel(), np.repeat(own.min(axis=1), 3))
            while (new[new] != new).any():
                new = new[new]
            new = new[label]
            if (new == label).all():
                return np.unique(label[self.corners])
            label = new

    def edge_number(self, first: int, second: int) -> int:
        """The number of the edge of two vertices, the first one less."""
        return int(np.searchsorted(self.edges[:, 0] << 32 | self.edges[:, 1], first << 32 | second))

    def edge_name(self, edge: int) -> str:
        """"edge 3-7", of its two vertices."""
        return "edge {}-{}".format(*self.edges[edge].tolist())


def _merged(vertices: np.ndarray) -> np.ndarray:
    """(n,): of each vertex the least number of one at the same place. (Adding 0.0 turns -0.0 into 0.0.)"""
    places = np.ascontiguousarray(vertices + 0.0)
    _, first, of = np.unique(places.view(np.dtype((np.void, 24))).ravel(), return_index=True, return_inverse=True)
    return np.asarray(first[of])
