"""Two surfaces that share two sides with a common corner, as the halves of a pillow do: whether different places near it are different
points.

Let c be the corner and B(u, v) the second surface with parameters such that it agrees with the first one, A, on both sides u = c_u and
v = c_v: places of both lie on one rectangle, and the tangents of A and B agree at c. D = A - B vanishes on these sides, so

    D(q) = (q_u - c_u) (q_v - c_v) k    with k_i among the values of D_i,uv between c and q,

D(q) being the integral of D_uv over that rectangle. If A(p) = B(q), then with the mean value theorem for each coordinate

    0 = A(p) - A(q) + D(q) = (m_i1, m_i2) . (p - q) + (q_u - c_u) (q_v - c_v) k_i,    m_ij among the values of A_u and A_v near p and q.

If no matrix with rows (m_i1, m_i2, k_i) is singular, p = q, and it lies on one of the sides: A(p) and B(q) are the same place. So it is
shown that the surfaces bend away from each other from the corner on.
"""

import functools

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile

from .enclosures import PiecePairs, affine, hull_of, slopes_on


def unfolded(known: PiecePairs, owner: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Whether each pair of boxes (n, 5, 2), of the pairs of surfaces `owner`, is *proved* to hold no contact of different places, by one of
    the corners.
    """
    proved = np.full(len(owner), False)
    for corner in range(known.folds.shape[1]):
        left = np.flatnonzero(~proved)
        proved[left] = _unfolded(known, owner[left], boxes[left], corner)
    return proved


def _unfolded(known: PiecePairs, owner: np.ndarray, boxes: np.ndarray, number: int) -> np.ndarray:
    forth, back = np.split(known.folds[owner, number], 2, axis=1)
    corner = known.corners[owner, number]
    placed = affine(forth, boxes[:, 2:4])
    time = boxes[:, 4:]
    near = np.concatenate([hull_of(boxes[:, :2], placed), time], axis=1)
    mine = np.concatenate([hull_of(placed, corner), time], axis=1)
    other = np.concatenate([hull_of(boxes[:, 2:4], affine(back, corner)), time], axis=1)
    e = _inverse(known, owner, near, mine, other, back)
    m = [slopes_on(known, 0, owner, near, rows) for rows in (e[:, :6], np.hstack([e[:, 6:], e[:, 6:]]))]
    k = [_twist(known, side, owner, box, e) for side, box in enumerate((mine, other))]
    ends = [np.hstack([m[0][i], m[1][i][:, :2], k[0][i], k[1][i], back[:, :4, i]]) for i in (0, 1)]
    lo, hi = _determinant().interval(*ends)
    return np.asarray((lo[:, 0] > 0) | (hi[:, 0] < 0))


def _inverse(known: PiecePairs, owner: np.ndarray, near: np.ndarray, mine: np.ndarray, other: np.ndarray, back: np.ndarray) -> np.ndarray:
    """(n, 9): three directions, the rows of the inverse of the matrix at the middle. Any would do."""
    unit = np.tile(np.eye(3).ravel(), (len(owner), 1))

    def middle(box: np.ndarray) -> np.ndarray:
        return np.repeat(box.mean(axis=2, keepdims=True), 2, axis=2)

    rows = [slopes_on(known, 0, owner, middle(near), e)[0] for e in (unit[:, :6], np.hstack([unit[:, 6:], unit[:, 6:]]))]
    twists = [_twist(known, side, owner, middle(box), unit)[0] for side, box in enumerate((mine, other))]
    factors = back.mean(axis=2)
    k = twists[0] - (factors[:, :1] * factors[:, 3:4] + factors[:, 1:2] * factors[:, 2:3]) * twists[1]
    matrix = np.concatenate([np.hstack([rows[0], rows[1][:, :2]]).reshape(-1, 3, 2), k[:, :, None]], axis=2)
    good = np.isfinite(matrix).all(axis=(1, 2))
    good[good] = np.abs(np.linalg.det(matrix[good])) > 0.0
    matrix[~good] = np.eye(3)
    return np.linalg.inv(matrix).reshape(-1, 9)


def _twist(known: PiecePairs, side: int, owner: np.ndarray, box: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Enclose e_i . S_uv on boxes: (n, 3)."""
    lo, hi = (np.hstack([known.numbers[side][owner, :, k], e]) for k in (0, 1))
    return known.shapes[side].twist.interval(box[:, :, 0], box[:, :, 1], parameters=(lo, hi))


@functools.lru_cache(maxsize=1)
def _determinant() -> Kernel:
    """The determinant of six slopes, row after row, both twists, and the factors of the plane's parameters in the second's."""
    m, a, b, f = (sp.symbols(f"{name}0:{n}", real=True) for name, n in (("m", 6), ("a", 3), ("b", 3), ("f", 4)))
    rows = [[m[2 * i], m[2 * i + 1], a[i] - (f[0] * f[3] + f[1] * f[2]) * b[i]] for i in range(3)]
    return compile([sp.Matrix(rows).det(method="berkowitz")], [*m, *a, *b, *f])
