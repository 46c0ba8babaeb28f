"""Zero sets of sampled functions as triangles: marching tetrahedra, and clipping a mesh by a condition. In floating point."""

import numpy as np

Vertices = np.ndarray
"""(n, 3) float64."""

Triangles = np.ndarray
"""(m, 3) int32, indices of vertices."""


def clipped(vertices: Vertices, triangles: Triangles, value: np.ndarray) -> tuple[Vertices, Triangles]:
    """The part of a mesh where the linear interpolant of `value`, given at the vertices, is at most zero."""
    inside = value[triangles] <= 0
    count = inside.sum(axis=1)
    cut = (count == 1) | (count == 2)
    # Corners turned so that the one that differs from the two others comes first.
    odd = np.argmax(inside[cut] == (count[cut] == 1)[:, None], axis=1)
    a, b, c = np.take_along_axis(triangles[cut], (odd[:, None] + np.arange(3)) % 3, axis=1).T
    new = [vertices[a] + (value[a] / (value[a] - value[other]))[:, None] * (vertices[other] - vertices[a]) for other in (b, c)]
    ab = len(vertices) + np.arange(len(a))
    ac, tip = ab + len(a), count[cut] == 1
    pieces = [triangles[count == 3], np.stack([a, ab, ac], axis=1)[tip], np.stack([ab, b, c], axis=1)[~tip],
              np.stack([ab, c, ac], axis=1)[~tip]]
    return np.concatenate([vertices, *new]), np.concatenate(pieces).astype(np.int32)


# The six tetrahedra of a cube round its diagonal from corner 0 to corner 7 (Kuhn), corners numbered 4 i + 2 j + k.
_TETRAHEDRA = np.array([[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]])


def marching_tetrahedra(grid: np.ndarray, values: np.ndarray) -> tuple[Vertices, Triangles]:
    """The zero set of the piecewise linear interpolant of `values` (a, b, c) at the points `grid` (a, b, c, 3).

    Triangles are counterclockwise as seen from the positive side.
    """
    index: np.ndarray = np.arange(values.size).reshape(values.shape)
    corners = np.stack([index[i:index.shape[0] - 1 + i, j:index.shape[1] - 1 + j, k:index.shape[2] - 1 + k].ravel()
                        for i in (0, 1) for j in (0, 1) for k in (0, 1)], axis=1)
    value, point = values.ravel(), grid.reshape(-1, 3)
    corners = corners[(value[corners].min(axis=1) <= 0) & (value[corners].max(axis=1) > 0)]
    tetrahedra = corners[:, _TETRAHEDRA].reshape(-1, 4)
    inside = value[tetrahedra] <= 0
    # Corners sorted so that those inside come first: the cut is a triangle (1 or 3 inside) or a quadrilateral (2 inside).
    order = np.argsort(~inside, axis=1, kind="stable")
    tetrahedra, count = np.take_along_axis(tetrahedra, order, axis=1), inside.sum(axis=1)
    cuts = {1: [[(0, 1), (0, 2), (0, 3)]], 3: [[(3, 0), (3, 1), (3, 2)]],
            2: [[(0, 2), (0, 3), (1, 3)], [(0, 2), (1, 3), (1, 2)]]}
    edges = np.concatenate([tetrahedra[count == n][:, triangle] for n, triangles in cuts.items() for triangle in triangles])
    keys, triangles = np.unique(np.sort(edges, axis=2).reshape(-1, 2) @ [value.size, 1], return_inverse=True)
    a, b = np.divmod(keys, value.size)
    share = (value[a] / (value[a] - value[b]))[:, None]
    vertices = point[a] + share * (point[b] - point[a])
    return vertices, _oriented(vertices, triangles.reshape(-1, 3).astype(np.int32), edges, point, value)


def _oriented(vertices: Vertices, triangles: Triangles, edges: np.ndarray, point: np.ndarray, value: np.ndarray) -> Triangles:
    """Turn the triangles whose normal does not look along a cut edge from its inside end to its outside end."""
    a, b = edges[:, :, 0], edges[:, :, 1]
    outward = (np.where((value[a] <= 0)[..., None], 1, -1) * (point[b] - point[a])).sum(axis=1)
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    wrong = np.einsum("ij,ij->i", np.cross(q - p, r - p), outward) < 0
    triangles[wrong] = triangles[wrong][:, ::-1]
    return triangles
