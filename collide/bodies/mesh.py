"""Triangle meshes as trees of boxes: a balanced binary tree over the triangles of a mesh, one a leaf.

A node has two boxes, of its triangles at the beginning and at the end of straight trajectories; in a rigid body both are the same
box in its frame. Their ends are coordinates of vertices, so they are exact.
"""

import functools
import hashlib
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check
from codegen.given import doubles
from generative.body import checked_name
from generative.triangulated import Triangulated

from ..frozen import Frozen, frozen
from .hull import Hull
from .topology import Topology

# Coordinates up to this are searched: no product of four of them and of a direction of degree two to three overflows.
LARGEST = 2.0**100
# Lengths that are not divided by; the share of all volumes that is more than their sum is rounded by.
LEAST, _CLEARLY = 2.0**-1000, 2.0**-20


class Mesh(Frozen, Triangulated):
    """A triangle mesh as a body, and for `mesh_mesh`: checked, with a tree of boxes that is made once, when a query first needs it.

    Parameters
    ----------
    vertices : array_like, (n, 3) or (2, n, 3)
        In the frame of a rigid body; or places at the beginning and at the end of straight trajectories, which is for `mesh_mesh` alone.
        Numbers are taken exactly.
    triangles : array_like, (m, 3)
        Indices of vertices, counterclockwise as seen from outside.
    name : str, optional
        Results call the body so.

    Raises
    ------
    ValueError
        For arrays of other shapes, for numbers that are not finite or exceed 2**100, and for indices of no vertex.

    Notes
    -----
    As a body it is its triangles, closed. It has an inside if it is `closed`: if every edge belongs to an even number of triangles. Else it
    is a sheet, and `hole` names an edge of its border. Triangles that are turned the wrong way (`misturned`) change neither what is inside
    nor when bodies that start apart first meet; but of bodies that overlap at the start they decide which contacts are new.

    Immutable: its arrays are copies, and read-only; `moved`, `placed` and `named` give other meshes of the same arrays. Two are equal if
    they have the same numbers, the same tree and equal motions.

    Examples
    --------
    >>> from collide import Mesh
    >>> corners, triangles = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> Mesh(corners, triangles).closed, Mesh(corners, triangles[:3]).closed
    (True, False)
    """

    def __init__(self, vertices: Any, triangles: Any, *, name: str | None = None) -> None:
        self._name = checked_name(name)
        self._set(_places(vertices, "the mesh"), _corners(triangles, "the mesh", np.shape(vertices)[-2]))

    def _set(self, places: np.ndarray, triangles: np.ndarray) -> None:
        self.rigid, self.triangles = places.ndim == 2, triangles
        self.vertices = _rows(places)
        """(n, 6): places at the beginning and at the end."""
        self.owned = _owned(triangles)
        self._freeze()

    def _key(self) -> tuple[Any, ...]:
        return self._digest, self.motion

    @cached_property
    def _digest(self) -> bytes:
        """The digest of all numbers, and of the tree, which decides in what order triangles are looked at."""
        arrays = self.vertices, self.triangles, self.tree.children
        shape = repr((self.rigid, *(array.shape for array in arrays)))
        return hashlib.sha256(shape.encode() + b"".join(array.tobytes() for array in arrays)).digest()

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices (n, 3) in its own frame, of one that moves by itself at the beginning, and triangles (m, 3)."""
        return self.vertices[:, :3], self.triangles

    @cached_property
    def shape(self) -> "TreeShape":
        """The division of the triangles by its tree of boxes."""
        return frozen(_halvings(self.vertices, self.triangles)) if self.motion.is_identity else self.resting.shape

    @cached_property
    def tree(self) -> "MovingTree":
        """Its tree of boxes, at rest."""
        return frozen(_fitted(self.vertices, self.triangles, self.shape)) if self.motion.is_identity else self.resting.tree

    @cached_property
    def topology(self) -> Topology:
        """Its edges, and what hangs together."""
        return Topology(self.vertices[:, :3], self.triangles) if self.motion.is_identity else self.resting.topology

    @property
    def edges(self) -> np.ndarray:
        """(e, 2): the vertices of its edges, each edge once, in order, the lesser one first; of vertices at one place the least stands for
        all.
        """
        return self.topology.edges

    @cached_property
    def radii(self) -> np.ndarray:
        """(nodes,): the radii of the balls round the boxes of the tree in the frame of a rigid mesh, except for rounding."""
        low, high = self.tree.boxes[:, :3], self.tree.boxes[:, 3:6]
        middle = 0.5 * (low + high)
        if not self.motion.is_identity:
            return self.resting.radii
        return frozen(np.sqrt((np.maximum(middle - low, high - middle) ** 2).sum(axis=1)))

    @property
    def closed(self) -> bool:
        """Whether every edge belongs to an even number of triangles. If so, the mesh has an inside: what a ray leaves by an odd number."""
        return self.topology.open_edge is None

    @property
    def hole(self) -> str | None:
        """An edge of a hole, such as "edge 3-7" of two vertices; None for a closed mesh."""
        edge = self.topology.open_edge
        return None if edge is None else self.topology.edge_name(edge)

    @cached_property
    def misturned(self) -> str | None:
        """In words, what triangles of a closed mesh do not go round counterclockwise, as seen from outside; None where none are known: of
        shells in each other only all of them together are looked at, and of edges only those that join two triangles.
        """
        if not self.closed or not len(self.triangles):
            return None
        if self.topology.misturned is not None:
            return "triangles {} and {} go round in opposite senses".format(*self.topology.misturned)
        corners = self.vertices[self.triangles, :3] / max(float(np.abs(self.vertices[:, :3]).max()), LEAST)
        a, b, c = (corners - corners.mean(axis=(0, 1))).transpose(1, 0, 2)
        volumes = (np.cross(a, b) * c).sum(axis=1)
        if not volumes.sum() < -_CLEARLY * np.abs(volumes).sum():
            return None
        return f"triangle {int(corners[:, :, 0].max(axis=1).argmax())} goes round clockwise, as seen from outside: it is inside out"

    def hull(self) -> Hull:
        """Its convex hull, exactly: which of its faces are those of the mesh, and which are caps over concavities. ValueError if all
        vertices lie in a plane.
        """
        if not self.rigid:
            raise ValueError("a hull is of vertices of the shape (n, 3), got a Mesh of (2, n, 3)")
        return Hull(self)

    def with_vertices(self, vertices: Any) -> "Mesh":
        """The same triangles with their vertices at other places, for the next step of time: only the boxes are made anew. The tree
        stays as it is, and is a good one as long as the mesh is not turned inside out.
        """
        places = _places(vertices, "the mesh")
        if places.shape[-2] != len(self.vertices):
            raise ValueError(f"the mesh has {len(self.vertices)} vertices, got {places.shape[-2]}")
        other = Mesh.__new__(Mesh)
        other._name, other._motion = self.name, self.motion
        other.rigid, other.triangles, other.owned = places.ndim == 2, self.triangles, self.owned
        other.vertices, other.__dict__["shape"] = _rows(places), self.shape
        other._freeze()
        return other

    def __repr__(self) -> str:
        moved = "" if self.motion.is_identity else f".moved({self.motion!r})"
        return f"Mesh({len(self.vertices)} vertices, {len(self.triangles)} triangles{self._named_in_repr()}){moved}"


Triangulated.made = Mesh


class TreeShape(NamedTuple):
    """`children` (nodes,): the first of two neighbours, or -1 - k for the leaf of triangle k. `levels`: the first node of each level,
    node 0 being the root.
    """

    children: np.ndarray
    levels: list[int]


class MovingTree(NamedTuple):
    """`boxes` (nodes, 12): lower and upper corner at the beginning, then at the end. `children` (nodes,): as in `TreeShape`. `size`
    (nodes,): to compare nodes by.
    """

    boxes: np.ndarray
    children: np.ndarray
    size: np.ndarray


def as_mesh(mesh: Any, name: str, rigid: bool) -> Mesh:
    """A Mesh, or a pair (vertices, triangles); vertices are (n, 3) if they move with a body, else (2, n, 3)."""
    shape = "(n, 3)" if rigid else "(2, n, 3), places at the beginning and at the end"
    if not isinstance(mesh, Mesh):
        try:
            vertices, triangles = mesh
        except (TypeError, ValueError):
            raise ValueError(f"the {name} mesh must be a Mesh or a pair (vertices, triangles), got a {type(mesh).__name__}") from None
        places = _places(vertices, f"the {name} mesh", shape)
        if (places.ndim == 2) == rigid:
            mesh = Mesh.__new__(Mesh)
            mesh._name = None
            mesh._set(places, _corners(triangles, f"the {name} mesh", places.shape[-2]))
            return mesh
        raise ValueError(f"vertices of the {name} mesh must have the shape {shape}, got {places.shape}")
    if not mesh.motion.is_identity:
        raise ValueError(f"the {name} mesh has a motion of its own; give it at rest, and motions by themselves")
    if mesh.rigid != rigid:
        given, own = "(n, 3)" if mesh.rigid else "(2, n, 3)", "" if mesh.name is None else f' ("{mesh.name}")'
        raise ValueError(f"vertices of the {name} mesh{own} must have the shape {shape}, got a Mesh of {given}")
    return mesh


def _places(vertices: Any, owner: str, shape: str = "(n, 3) or (2, n, 3)") -> np.ndarray:
    points = doubles(vertices, f"vertices of {owner}", shape)
    if points.ndim not in (2, 3) or points.shape[-1] != 3 or (points.ndim == 3 and len(points) != 2):
        raise ValueError(f"vertices of {owner} must have the shape {shape}, got {points.shape}")
    if not np.abs(points).max(initial=0.0) <= LARGEST:
        raise ValueError(f"vertices of {owner} must be finite and no larger than {LARGEST:g}")
    return points


def _corners(triangles: Any, owner: str, n: int) -> np.ndarray:
    corners = np.asarray(triangles)
    if corners.ndim != 2 or corners.shape[1] != 3 or not (corners.dtype.kind in "iu" or corners.size == 0):
        raise ValueError(f"triangles of {owner} must be whole numbers of the shape (m, 3), got {corners.dtype} {corners.shape}")
    if corners.size and not (corners.min() >= 0 and corners.max() < n):
        raise ValueError(f"triangles of {owner} must be indices from 0 to {n - 1}, got {corners.min()} to {corners.max()}")
    return np.array(corners, np.int64, order="C")  # a copy, as a Mesh is kept


def _rows(places: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.concatenate([places, places] if places.ndim == 2 else list(places), axis=1))


def _owned(triangles: np.ndarray) -> np.ndarray:
    """(m, 6): whether the triangle stands for its vertices and edges 0, 1, 2. Of the triangles that share a vertex or an edge one does
    (Curtis, Tamstorf and Manocha 2008).
    """
    owned = np.zeros((len(triangles), 6), np.int64)
    edges = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    for first, items in ((0, triangles.ravel()), (3, edges[:, 0] << 32 | edges[:, 1])):
        check()
        _, where = np.unique(items, return_index=True)
        owned[where // 3, first + where % 3] = 1
    return owned


def _halvings(vertices: np.ndarray, triangles: np.ndarray) -> TreeShape:
    """Split at the median along the longest side, level by level."""
    low, high = _ends(vertices, triangles)
    centre = low[:, 0] + high[:, 0] + low[:, 1] + high[:, 1]
    order, starts = np.arange(len(centre)), np.zeros(min(len(centre), 1), np.int64)
    children, levels, count = [np.zeros(0, np.int64)], [0], len(starts)
    while len(starts):
        check()
        leaf = np.diff(np.append(starts, len(order))) == 1
        children.append(np.where(leaf, -1 - order[starts], count + 2 * (np.cumsum(~leaf) - 1)))
        levels.append(count)
        count += 2 * int((~leaf).sum())
        order, starts = _halved(order, starts, np.diff(np.append(starts, len(order))), centre)
    return TreeShape(np.concatenate(children).astype(np.int64), levels)


def _ends(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corners (m, 2, 3) of the triangles at the beginning and at the end."""
    corners = vertices[triangles].reshape(-1, 3, 2, 3)
    low, high = (functools.reduce(least, (corners[:, 0], corners[:, 1], corners[:, 2])) for least in (np.minimum, np.maximum))
    return low, high


def _fitted(vertices: np.ndarray, triangles: np.ndarray, shape: TreeShape) -> MovingTree:
    """The boxes, from the leaves up."""
    low, high = _ends(vertices, triangles)
    # Lower ends, and upper ends negated, so that one minimum serves both.
    ends = np.stack([low, -high], axis=2).reshape(-1, 12)
    boxes = np.empty((len(shape.children), 12))
    leaf = shape.children < 0
    boxes[leaf] = ends[-1 - shape.children[leaf]]
    for first, last in zip(shape.levels[-2::-1], shape.levels[:0:-1], strict=True):
        check()
        nodes = first + np.flatnonzero(~leaf[first:last])
        kids = shape.children[nodes]
        boxes[nodes] = np.minimum(boxes[kids], boxes[kids + 1])
    boxes *= np.array([1.0, -1.0] * 2).repeat(3)
    extent = (boxes[:, 3:6] - boxes[:, :3] + boxes[:, 9:] - boxes[:, 6:9]).sum(axis=1)
    return MovingTree(boxes, shape.children, extent)


def _halved(order: np.ndarray, starts: np.ndarray, sizes: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The next level: the parts with more than one triangle, sorted along their longest side, as two parts each."""
    keep = np.repeat(sizes > 1, sizes)
    order, sizes = order[keep], sizes[sizes > 1]
    if not len(sizes):
        return order, sizes
    starts = np.cumsum(sizes) - sizes
    low, high = (least.reduceat(centre[order], starts) for least in (np.minimum, np.maximum))
    part, rows = np.repeat(np.arange(len(sizes)), sizes), np.arange(len(sizes))
    axis = (high - low).argmax(axis=1)
    low, width = low[rows, axis], (high - low)[rows, axis]
    # Parts stay together: within a part the keys differ by half at most.
    share = 0.5 / np.where(width > 0, width, 1.0)
    order = order[np.argsort(part + (centre[order, axis[part]] - low[part]) * share[part])]
    return order, np.stack([starts, starts + sizes // 2], axis=1).ravel()
