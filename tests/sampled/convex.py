"""Depth of balls, ellipsoids and blocks in each other, at many times at once: by a plane between them in closed form.

Two convex bodies are in each other no deeper than their reaches along any direction tell. The one that is taken is that of a plane which
touches both: of blocks, one of the fifteen across faces and edges; of an ellipsoid and another body, that at the point of the other one
which is nearest to the middle where the ellipsoid is stretched to a unit ball.
"""

import itertools
from dataclasses import dataclass

import numpy as np

_ROUNDS = 200


@dataclass(frozen=True, eq=False)
class Convex:
    """A block of half sides `sizes` (3,), or an ellipsoid of these semiaxes if it is `round`."""

    sizes: np.ndarray
    round: bool

    @property
    def radius(self) -> float:
        return float(self.sizes.max() if self.round else np.linalg.norm(self.sizes))

    def reach(self, way: np.ndarray) -> np.ndarray:
        """How far it goes from its middle along directions (..., 3) in its own coordinates."""
        return np.asarray(np.linalg.norm(self.sizes * way, axis=-1) if self.round else np.abs(self.sizes * way).sum(axis=-1))


def depth(one: Convex, other: Convex, p: np.ndarray, r: np.ndarray, q: np.ndarray, s: np.ndarray) -> np.ndarray:
    """(m,): at most so deep are bodies with middles p and q (m, 3), turned by r and s (m, 3, 3), in each other; less than 0 where they are
    apart.
    """
    if not one.round and not other.round:
        ways = np.concatenate([np.swapaxes(r, 1, 2), np.swapaxes(s, 1, 2),
                               np.cross(np.swapaxes(r, 1, 2)[:, :, None], np.swapaxes(s, 1, 2)[:, None]).reshape(-1, 9, 3)], axis=1)
    elif not one.round:
        return depth(other, one, q, s, p, r)
    else:
        # The other body where the first is a unit ball: its middle, and its half sides or semiaxes.
        middle = _own(r, q - p) / one.sizes
        frame = np.swapaxes(r, 1, 2) @ s * other.sizes / one.sizes[:, None]
        near = _of_ellipsoid(middle, frame) if other.round else _of_block(middle, frame)
        ways = (r @ (near / one.sizes)[..., None])[..., 0][:, None]
    return _along(one, other, p, r, q, s, ways)


def _along(one: Convex, other: Convex, p: np.ndarray, r: np.ndarray, q: np.ndarray, s: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """By the best of directions (m, k, 3)."""
    sizes = np.linalg.norm(ways, axis=-1, keepdims=True)
    ways = ways / np.maximum(sizes, 1e-300)
    deep = one.reach(ways @ r) + other.reach(ways @ s) - np.abs((ways * (q - p)[:, None]).sum(axis=-1))
    return np.asarray(np.where(sizes[..., 0] > 1e-6, deep, np.inf).min(axis=1))


def _own(turn: np.ndarray, way: np.ndarray) -> np.ndarray:
    return np.asarray((np.swapaxes(turn, 1, 2) @ way[..., None])[..., 0])


def _of_block(middle: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """(m, 3): the point of middle + frame [-1, 1]^3 that is nearest to the origin: of those that are on a corner, an edge, a face, or
    inside, and nearest on its line or plane.
    """
    best, found = np.full(len(middle), np.inf), np.zeros_like(middle)
    for fixed in itertools.product((-1.0, 0.0, 1.0), repeat=3):
        at, open_ = np.tile(fixed, (len(middle), 1)), [k for k in range(3) if fixed[k] == 0.0]
        if open_:
            own = frame[:, :, open_]
            begin = middle + (frame @ at[..., None])[..., 0]
            at[:, open_] = -np.linalg.solve(np.swapaxes(own, 1, 2) @ own, np.swapaxes(own, 1, 2) @ begin[..., None])[..., 0]
        point = middle + (frame @ np.clip(at, -1.0, 1.0)[..., None])[..., 0]
        far = np.linalg.norm(point, axis=1)
        found[far < best] = point[far < best]
        best = np.minimum(best, far)
    return found


def _of_ellipsoid(middle: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """(m, 3): the point of the ellipsoid middle + frame (unit ball) that is nearest to the origin: where its normal goes there, as the zero
    of a falling function of one number, by halving.
    """
    squares, axes = np.linalg.eigh(frame @ np.swapaxes(frame, 1, 2))
    own = _own(axes, middle)
    lo, hi = np.zeros(len(own)), np.sqrt(squares[:, 2]) * np.linalg.norm(own, axis=1)
    for _ in range(_ROUNDS):
        half = (lo + hi) / 2.0
        beyond = (squares * own**2 / (squares + half[:, None])**2).sum(axis=1) > 1.0
        lo, hi = np.where(beyond, half, lo), np.where(beyond, hi, half)
        if (hi - lo <= 4e-16 * hi).all():
            break
    point = own - squares * own / (squares + hi[:, None])
    return np.asarray((axes @ point[..., None])[..., 0])
