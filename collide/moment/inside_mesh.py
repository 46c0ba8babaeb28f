"""Point in a closed mesh, by the parity of the triangles that a ray crosses.

A ray from it crosses an odd number of triangles then. Edges belong to an even number of triangles each, so the crossings of all rays that
meet no edge are odd together, or even.
"""

import functools

import numpy as np

from codegen.graph.expr import Expr
from codegen.graph.vectors import Vector, cross, dot, subtract
from codegen.kernel import Kernel

from ..bodies.members import fixed_kernel
from ..bodies.mesh import Mesh
from ..bodies.numbers import Numbers
from ..bodies.surface_points import vertices_at

# Directions of rays, tried in turn: none is along an axis or in a plane of symmetry of the usual shapes.
RAYS = ((0.36, 0.48, 0.81), (-0.72, 0.31, 0.62), (0.13, -0.87, 0.47), (0.59, 0.67, -0.45))


def encloses(mesh: Mesh, point: np.ndarray, moment: float, numbers: Numbers) -> bool | None:
    """Whether a box (3, 2) that does not meet a closed mesh is inside it at a moment. None where no ray tells: all come too near an edge.
    """
    corners = vertices_at(mesh, np.arange(len(mesh.vertices)), moment, numbers)[mesh.triangles]
    if not np.isfinite(corners).all():
        return None
    boxes = np.stack([corners[..., 0].min(axis=1), corners[..., 1].max(axis=1)], axis=-1)
    for ray in RAYS:
        # What lies behind the point in a direction of the ray is not crossed; what may be is few triangles.
        ahead = np.all([boxes[:, k, 1] >= point[k, 0] if d > 0 else boxes[:, k, 0] <= point[k, 1] for k, d in enumerate(ray)], axis=0)
        found = _crossings(corners[ahead], point, ray)
        if found is not None:
            return found % 2 == 1
    return None


def _crossings(corners: np.ndarray, point: np.ndarray, ray: tuple[float, ...]) -> int | None:
    """The number of triangles (n, 3, 3, 2) that a ray crosses; None where one of them is not decided."""
    given = np.concatenate([corners.reshape(-1, 9, 2), np.broadcast_to(point, (len(corners), 3, 2)),
                            np.broadcast_to(np.array(ray)[:, None], (len(corners), 3, 2))], axis=1)
    lo, hi = _kernel().interval(given[..., 0], given[..., 1])
    sign = np.where(lo > 0, 1, np.where(hi < 0, -1, 0))
    sides, height = sign[:, :3], sign[:, 3]
    # It passes beside the triangle, or meets its plane, on a line that goes through it, behind the point.
    beside = (sides.min(axis=1) == -1) & (sides.max(axis=1) == 1)
    through = (sides == sides[:, :1]).all(axis=1) & (sides[:, 0] != 0)
    behind, crossed = through & (height * sides[:, 0] == -1), through & (height * sides[:, 0] == 1)
    return int(crossed.sum()) if (beside | behind | crossed).all() else None


@functools.cache
def _kernel() -> Kernel:
    """The sides of the edges of a triangle, whose corners are the first nine numbers, on which a line passes, which goes through the point
    of the next three in the direction of the last; and the side of the triangle on which the point is, along its normal.
    """
    def write(*w: Expr) -> list[Expr]:
        a, b, c, point, ray = (_vector(w, k) for k in range(0, 15, 3))
        p, q, r = (subtract(corner, point) for corner in (a, b, c))
        sides = [dot(ray, cross(first, second)) for first, second in ((p, q), (q, r), (r, p))]
        return [*sides, dot(p, cross(subtract(b, a), subtract(c, a)))]

    return fixed_kernel(15, write)


def _vector(w: tuple[Expr, ...], k: int) -> Vector:
    return w[k], w[k + 1], w[k + 2]
