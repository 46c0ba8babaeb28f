"""Meshes in logs: the lines of one, and which of its triangles are near a point."""

from typing import Any

import numpy as np
import sympy as sp

from codegen.given import expression
from generative import t, x, y, z
from generative.numeric import approx_function

from ..bodies.mesh import Mesh
from .trees import short

COORDINATES = sp.symbols("x1 y1 z1", real=True)
"""Coordinates of corners at t = 1, of meshes that move by themselves."""
# How many triangles are tried; and by which share of the way to its middle a place in one is moved, for no rounding to carry it outside.
_TRIED, _INWARD = 4, 2.0**-40


class LogTriangles:
    """Those of a mesh, which `motion` moves, in the order in which a log has them: that of the leaves of the mesh's tree, so that halves of
    them lie close together.
    """

    def __init__(self, mesh: Mesh, motion: Any) -> None:
        self.mesh, self.motion, self.order = mesh, motion, _leaves(mesh)
        self.corners = mesh.vertices[mesh.triangles[self.order]]
        """(m, 3, 6): places of corners at both ends of the time of meshes that move by themselves."""
        self.place = approx_function([*map(expression, motion.entries)], [t])

    def rows(self, body: int) -> list[tuple[str, list[Any]]]:
        """The lines of a statement: a first word, or more, and formulas."""
        places = self.mesh.vertices[:, :3] if self.mesh.rigid else self.mesh.vertices
        at = [x, y, z] if self.mesh.rigid else [p + t * (q - p) for p, q in zip((x, y, z), COORDINATES, strict=True)]
        names = ["x", "y", "z", *([] if self.mesh.rigid else map(str, COORDINATES))]
        return [(f"piece {body}", list[Any]()), *((f"parameter {name}", list[Any]()) for name in names),
                ("point", list(self.motion.apply(at))),
                *((f"corner {' '.join(map(short, row))}", list[Any]()) for row in places.tolist()),
                *((f"triangle {i} {j} {k}", list[Any]()) for i, j, k in self.mesh.triangles[self.order].tolist())]

    def in_frame(self, first: int, end: int, moment: float) -> np.ndarray:
        """Corners (triangles, 3, 3) at a time, in its frame."""
        corners = self.corners[first:end]
        return corners[..., :3] if self.mesh.rigid else corners[..., :3] + moment * (corners[..., 3:] - corners[..., :3])

    def moved(self, points: np.ndarray, moment: float) -> np.ndarray:
        """Points (..., 3) of its frame in space."""
        entries = np.asarray(self.place(np.array([[moment]]))).ravel()
        return np.asarray(points @ entries[:9].reshape(3, 3).T + entries[9:])

    def nearest(self, point: np.ndarray, moment: float) -> list[tuple[tuple[int, int], list[float]]]:
        """The triangles (i, i + 1) nearest to a point that lies on the mesh nearly; and shares u, v of two sides that lead there."""
        corners = self.moved(self.in_frame(0, len(self.order), moment), moment)
        sides = (corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1)
        u, v = np.clip(np.einsum("kij,kj->ik", np.linalg.pinv(sides), point - corners[:, 0]), 0.0, 1.0)
        shares = np.stack([u, np.minimum(v, 1.0 - u)], axis=-1)
        away = np.linalg.norm(np.einsum("kij,kj->ki", sides, shares) + corners[:, 0] - point, axis=1)
        shares += _INWARD * (1 / 3 - shares)
        return [((int(i), int(i) + 1), shares[i].tolist()) for i in np.argsort(away, kind="stable")[:_TRIED]]


def _leaves(mesh: Mesh) -> np.ndarray:
    """The triangles in the order of the leaves of the mesh's tree, whose nodes are halves of it."""
    order, stack = [], [0] if len(mesh.triangles) else []
    while stack:
        child = int(mesh.tree.children[stack.pop()])
        if child < 0:
            order.append(-1 - child)
        else:
            stack += [child + 1, child]
    return np.array(order, int)
