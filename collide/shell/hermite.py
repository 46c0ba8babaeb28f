"""Bicubic Hermite patches on a grid of nodes: shape functions and their derivatives, and where each patch takes its numbers from.

A node has the place x and the derivatives x_u, x_v and x_uv, by parameters that go from 0 to 1 along each patch. Patches that share nodes
join with continuous tangents (`generative.patch.hermite`).
"""

import itertools

import numpy as np

# Rows: the functions of value 0, slope 0, value 1, slope 1, by powers of the parameter.
_CUBIC = np.array([[1.0, 0, -3, 2], [0, 1, -2, 1], [0, 0, 3, -2], [0, 0, -1, 1]])


def cubic(at: np.ndarray, order: int = 0) -> np.ndarray:
    """(n, 4): derivatives of the four cubic Hermite functions at parameters (n,)."""
    factors = [float(np.prod(np.arange(k - order + 1, k + 1))) if k >= order else 0.0 for k in range(4)]
    powers = np.stack([f * at ** max(k - order, 0) for k, f in enumerate(factors)], axis=1)
    return np.asarray(powers @ _CUBIC.T)


def functions(at: np.ndarray, orders: tuple[int, int] = (0, 0)) -> np.ndarray:
    """(n, 16): derivatives of the functions of a patch at (n, 2); columns: nodes 00, 01, 10, 11 (u first), of each x, x_u, x_v, x_uv."""
    first, second = cubic(at[:, 0], orders[0]), cubic(at[:, 1], orders[1])
    corners = itertools.product((0, 1), repeat=2)
    columns = [first[:, 2 * i + p] * second[:, 2 * j + q] for i, j in corners for p, q in ((0, 0), (1, 0), (0, 1), (1, 1))]
    return np.stack(columns, axis=1)


def places_of_patches(shape: tuple[int, int]) -> np.ndarray:
    """(patches, 16): numbers of the vectors of each patch, four to a node; nodes (n + 1, m + 1) are numbered along v first."""
    n, m = shape
    node = np.arange((n + 1) * (m + 1)).reshape(n + 1, m + 1)
    corners = np.stack([node[:-1, :-1], node[:-1, 1:], node[1:, :-1], node[1:, 1:]], axis=-1).reshape(-1, 4)
    return np.asarray((4 * corners[:, :, None] + np.arange(4)).reshape(-1, 16))


def gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (count^2, 2) and weights of Gauss's rule over the unit square."""
    at, weights = np.polynomial.legendre.leggauss(count)
    at, weights = (1.0 + at) / 2.0, weights / 2.0
    return np.stack(np.meshgrid(at, at, indexing="ij"), axis=-1).reshape(-1, 2), np.outer(weights, weights).ravel()


def triangulation(shape: tuple[int, int], cells: int) -> tuple[list[tuple[int, np.ndarray]], np.ndarray]:
    """Points of a sheet, `cells` to each side of a patch: for each the patch and its parameters; and triangles between them."""
    n, m = shape
    points = []
    for i, j in itertools.product(range(n * cells + 1), range(m * cells + 1)):
        a, b = min(i // cells, n - 1), min(j // cells, m - 1)
        points.append((a * m + b, np.array([i / cells - a, j / cells - b])))
    k = np.arange((n * cells + 1) * (m * cells + 1)).reshape(n * cells + 1, -1)
    low, right, high, left = k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]
    triangles = np.concatenate([np.stack(e, axis=-1).reshape(-1, 3) for e in ((low, right, high), (low, high, left))])
    return points, triangles
