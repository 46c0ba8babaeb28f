"""Integrals over rectangles, and over the tetrahedra from the origin to triangles, in doubles.

Gauss's rule over panels, which are divided where halves tell something else.
"""

import itertools
from collections.abc import Callable

import numpy as np

# Points of the rule along each side of a panel; panels are divided until halves change an integral by no more than this part of it, or
# there are too many.
_POINTS, _CLOSE = 12, 1e-13
# So many panels are integrated at once.
_TOGETHER = 64


def triangle_moments(corners: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Moments of tetrahedra from the origin to triangles (n, 3, 3)."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    six = np.linalg.det(corners)
    total = corners.sum(axis=1)
    products = np.einsum("nki,nkj->nij", corners, corners) + np.einsum("ni,nj->nij", total, total)
    second = np.einsum("n,nij->ij", six, products) / 120
    moments = [*normals.sum(axis=0), six.sum() / 6, *(six[:, None] * total).sum(axis=0) / 24, *np.diag(second), second[1, 2], second[2, 0],
               second[0, 1]]
    return np.array(moments), float(np.linalg.norm(normals, axis=1).sum()), 1e-15


def integral(f: Callable[[np.ndarray], np.ndarray], domain: np.ndarray, most: int = 1 << 13) -> tuple[np.ndarray, np.ndarray]:
    """The integral of f over a rectangle (2, 2), and how much the last refinement changed it. Panels are divided to at most so many."""
    panels = _quarters(domain[None])
    coarse = _gauss(f, panels)
    total, error = np.zeros_like(coarse[0]), np.zeros_like(coarse[0])
    while len(panels):
        finer = _quarters(panels)
        values = _gauss(f, finer).reshape(len(panels), 4, -1)
        change = np.abs(values.sum(axis=1) - coarse)
        scale = np.abs(total) + np.abs(values).sum(axis=(0, 1))
        good = (change <= _CLOSE * scale).all(axis=1)
        good |= 4 * np.count_nonzero(~good) > most
        total, error = total + values[good].sum(axis=(0, 1)), error + change[good].sum(axis=0)
        panels, coarse = finer.reshape(-1, 4, 2, 2)[~good].reshape(-1, 2, 2), values[~good].reshape(-1, len(total))
    return total, error


def _quarters(panels: np.ndarray) -> np.ndarray:
    """(4 n, 2, 2) of (n, 2, 2), the four of each one after the other."""
    middle = panels.mean(axis=2)
    ends = [np.stack([np.stack([panels[:, k, 0], middle[:, k]], 1), np.stack([middle[:, k], panels[:, k, 1]], 1)]) for k in (0, 1)]
    return np.stack([np.stack([ends[0][i], ends[1][j]], 1) for i, j in itertools.product((0, 1), repeat=2)], 1).reshape(-1, 2, 2)


def _gauss(f: Callable[[np.ndarray], np.ndarray], panels: np.ndarray) -> np.ndarray:
    """(n, values): the integral over each panel by one rule."""
    return np.concatenate([_rule(f, panels[k:k + _TOGETHER]) for k in range(0, len(panels), _TOGETHER)])


def _rule(f: Callable[[np.ndarray], np.ndarray], panels: np.ndarray) -> np.ndarray:
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    half = (panels[:, :, 1] - panels[:, :, 0]) / 2
    at = panels.mean(axis=2)[:, :, None] + half[:, :, None] * nodes
    places = np.stack([np.repeat(at[:, 0], _POINTS, 1), np.tile(at[:, 1], (1, _POINTS))], axis=-1)
    values = np.asarray(f(places.reshape(-1, 2))).reshape(len(panels), _POINTS**2, -1)
    both = np.outer(weights, weights).ravel()
    return np.asarray(np.einsum("nkv,k,n->nv", values, both, half.prod(axis=1)))
