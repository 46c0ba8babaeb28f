"""Contacts of moving triangles: nearest points of vertices and faces, and of pairs of edges, that a step may bring together."""

from typing import Any, NamedTuple

import numpy as np

from ..polyhedra.step.candidates import NearFeatures, Parts

# What is no length, against the largest of several; and parts whose nearest points are nearer to their ends than this share, of a length.
_NONE, _INNER = 1e-12, 1e-9


class NearPoints(NamedTuple):
    """The arrays of c contacts: vertices (c, 4), the `shares` (c, 4) by which differences of points are sums of these, `normals` (c, 3)
    along which the first part is above the second, and `gaps` (c,).
    """

    vertices: np.ndarray
    shares: np.ndarray
    normals: np.ndarray
    gaps: np.ndarray

    def rows(self, count: int) -> Any:
        """(c, count) SciPy sparse matrix: differences of nearest points, of `count` vertices."""
        from scipy.sparse import csr_array

        starts = 4 * np.arange(len(self.gaps) + 1)
        return csr_array((self.shares.ravel(), self.vertices.ravel(), starts), shape=(len(self.gaps), count))


def near_points(parts: Parts, before: np.ndarray, after: np.ndarray, thickness: float, moving: int) -> NearPoints:
    """The contacts of which the step from `before` to `after` may bring the points nearer than a thickness. Vertices from number `moving`
    on stay where they are: no contacts are between these alone.
    """
    near = NearFeatures(parts, before, after, thickness)
    found = [_of_faces(near.points, before), _of_edges(near.edges, before)]
    numbers = np.concatenate([near.points, near.edges])
    shares, inner = (np.concatenate(e) for e in zip(*found, strict=True))
    way = np.einsum("ck,cki->ci", shares, before[numbers])
    gaps = np.linalg.norm(way, axis=1)
    moved = np.linalg.norm(np.einsum("ck,cki->ci", shares, (after - before)[numbers]), axis=1)
    # A gap of a few roundings has no direction.
    apart = gaps > _NONE * np.abs(before[numbers]).max(axis=(1, 2), initial=0.0)
    normals = np.zeros_like(way)
    normals[:len(near.points)] = _outward(near.points, before, moving)
    normals[apart] = way[apart] / gaps[apart, None]
    kept = inner & normals.any(axis=1) & (gaps <= thickness + moved) & (numbers < moving).any(axis=1)
    return NearPoints(numbers[kept], shares[kept], normals[kept], gaps[kept])


def _outward(numbers: np.ndarray, places: np.ndarray, moving: int) -> np.ndarray:
    """(c, 3): the unit normals of faces that stay where they are, for vertices that lie on them; zeros for other faces."""
    _, a, b, c = np.moveaxis(places[numbers], 1, 0)
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1)[:, None]
    still = np.asarray((numbers[:, 1:] >= moving).all(axis=1))
    return np.where(still[:, None] & (sizes > 0.0), normals / np.maximum(sizes, 1e-300), 0.0)


def _of_faces(numbers: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares (c, 4) of a vertex and the corners of a face, and whether the nearest point of its plane is on the face."""
    p, a, b, c = np.moveaxis(places[numbers], 1, 0)
    first, second, away = b - a, c - a, p - a
    s, t = _solved(first, second, away)
    shares = np.stack([np.ones(len(s)), s + t - 1.0, -s, -t], axis=1)
    return shares, (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)


def _of_edges(numbers: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares (c, 4) of the ends of two edges, and whether the nearest points of their lines are inner ones."""
    a, b, c, d = np.moveaxis(places[numbers], 1, 0)
    s, t = _solved(b - a, c - d, c - a)
    shares = np.stack([1.0 - s, s, t - 1.0, -t], axis=1)
    return shares, (np.minimum(s, t) > _INNER) & (np.maximum(s, t) < 1.0 - _INNER)


def _solved(first: np.ndarray, second: np.ndarray, way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """s and t (c,) with which s first + t second is nearest to a vector; NaN, which is nowhere inner, where they are parallel."""
    ee, ef, ff = ((x * y).sum(axis=1) for x, y in ((first, first), (first, second), (second, second)))
    ew, fw, area = (first * way).sum(axis=1), (second * way).sum(axis=1), ee * ff - ef * ef
    area = np.where(area > _NONE * ee * ff, area, np.nan)
    return (ew * ff - fw * ef) / area, (fw * ee - ew * ef) / area
