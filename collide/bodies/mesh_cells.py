"""The cells of a triangle mesh. All of it is one cell, `Triangles`, which is looked at through the tree of the mesh; the faces, edges and
vertices in it are made where they are asked for. Those of a kind have one formula, with symbols for the coordinates of their corners: a
situation of them is one compiled problem with rows of numbers.
"""

import copy
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.deadline import check
from generative import Motion, ParametricSurface, u, v
from generative.triangulated import CORNERS, TRIANGLE

from .cells import Parametric
from .mesh import Mesh
from .mesh_rows import EDGE, FACE, FAN, MOST, VERTEX, Slots, corners_of, is_fan, slots
from .numbers import NONE, Numbers

_UNIT, _ZERO = {u: (0, 1), v: (0, 1)}, sp.Integer(0)
_A, _B, _C, _D = (CORNERS[k:k + 3] for k in (0, 3, 6, 9))
# The planes of both triangles at an edge from a to b, the third corners of which are c and d; the edge is where v = 0.
_BESIDE = tuple(ParametricSurface([p + u * (q - p) + v * (r - p) for p, q, r in zip(_A, _B, third, strict=True)], _UNIT, flipped=flipped)
                for third, flipped in ((_C, False), (_D, True)))
_POINT = ParametricSurface([_A[0] + u, _A[1] + v, _A[2]], _UNIT)
# The planes of the triangles at a vertex: their other corners are the next two numbers each.
_FAN = tuple(ParametricSurface([p + u * (q - p) + v * (r - p) for p, q, r in zip(_A, CORNERS[k:k + 3], CORNERS[k + 3:k + 6], strict=True)],
                               _UNIT) for k in range(3, 3 + 6 * MOST, 6))


class Faces(Sequence[Parametric]):
    """The triangles of a mesh as cells, each made where it is asked for."""

    def __init__(self, whole: "Triangles") -> None:
        self.whole = whole

    def __len__(self) -> int:
        return len(self.whole.mesh.triangles)

    def __getitem__(self, k: Any) -> Any:
        return self.whole.face(range(len(self))[k])


class Triangles:
    """All triangles of a mesh, closed, as one cell; `motion` may have symbols for its numbers. Nothing is searched in it: the cells of its
    triangles are (`face`, `edge`, `vertex`, by numbers).
    """

    feature, dimension, own = "faces", 2, NONE
    planar, is_face = False, True
    path, symbols, names, domain = (u, v), (u, v), ("u", "v"), ()
    periods = border = polar = outward = leaves = pieces = sides = within = unbounded = ()
    whole = around = body = of = mover = margin = None
    measured = False

    def __init__(self, mesh: Mesh) -> None:
        self.mesh, self.surface, self.two_sided = mesh, mesh.face, not (mesh.closed and mesh.topology.oriented)
        self._made: dict[tuple[int, int], Parametric] = {}

    @property
    def box(self) -> np.ndarray:
        """(3, 2): round all of them, in the frame of the mesh."""
        return self.mesh.tree.boxes[0, :6].reshape(2, 3).T

    def cell(self, kind: int, number: int) -> Parametric:
        """A cell by its kind (see `mesh_rows`)."""
        if (kind, number) not in self._made:
            check()
            two_sided = self.two_sided if kind in (EDGE, FACE) else kind == VERTEX
            dimension, corners = kind % FAN, corners_of(self.mesh, kind, np.array([number]))[0]
            name = self.mesh.topology.edge_name(number) if kind == EDGE else f"{'face' if kind == FACE else 'vertex'} {number}"
            self._made[kind, number] = _member(_kind(dimension, self.mesh.motion, two_sided), name, corners, self, number)
        return self._made[kind, number]

    def face(self, k: int) -> Parametric:
        """Triangle k."""
        return self.cell(FACE, k)

    def boxes(self) -> np.ndarray:
        """(m, 3, 2): round each of them, in the frame of the mesh."""
        corners = self.mesh.vertices[self.mesh.triangles, :3]
        return np.stack([corners.min(axis=1), corners.max(axis=1)], axis=-1)

    def edge(self, k: int) -> Parametric:
        """Edge k of the topology."""
        return self.cell(EDGE, k)

    def vertex(self, k: int, sided: bool = False) -> Parametric:
        """Vertex k; `sided`: with the outward directions there, if they are few."""
        return self.cell(FAN if sided and not self.two_sided and is_fan(self.mesh.topology, k) else VERTEX, k)

    def beside(self, k: int) -> list[Parametric]:
        """The edges and vertices of triangle k, those of no length left out."""
        known = self.mesh.topology
        edges = [e for e in dict.fromkeys(known.edge_of[k].tolist()) if known.edges[e, 0] != known.edges[e, 1]]
        return [*map(self.edge, edges), *map(self.vertex, dict.fromkeys(known.corners[k].tolist()))]

    def slots(self, triangles: np.ndarray, sided: bool) -> Slots:
        """The cells for which triangles stand; `sided`: see `vertex`."""
        return slots(self.mesh, triangles, sided and not self.two_sided)


@functools.lru_cache(maxsize=256)
def _kind(dimension: int, motion: Motion, two_sided: bool) -> Parametric:
    """The formulas of all faces, edges or vertices of meshes that move by a motion. At every end of a face or an edge is another cell."""
    face, point, *beside = (surface.carried_by(motion) for surface in (TRIANGLE, _POINT, *_BESIDE))
    name, paths, surfaces = (("vertex 0", (_ZERO, _ZERO), [point]), ("edge 0", (u, _ZERO), beside), ("face 0", (u, v), [face]))[dimension]
    outward = tuple((surface, paths) for surface in surfaces) if dimension else ()
    if dimension == 2:
        # That of the plane vanishes nowhere.
        outward = ((beside[0], (_ZERO, _ZERO)),)
    elif not dimension and not two_sided:
        outward = tuple((surface.carried_by(motion), paths) for surface in _FAN)
    return Parametric(name, surfaces[0], paths, (u, v)[:dimension], (TRIANGLE.domain[u],) * dimension, (0.0,) * dimension,
                      ((False, False),) * dimension, outward, two_sided)


def _member(kind: Parametric, name: str, corners: np.ndarray, of: Triangles, number: int) -> Parametric:
    """A cell by its kind and its corners (k, 3)."""
    values = np.repeat(corners.reshape(-1, 1), 2, axis=1)
    made = copy.copy(kind)
    made.__dict__.update(feature=name, whole=kind, own=Numbers(CORNERS[:len(values)], (None,) * len(values), values), of=(of, number))
    return made
