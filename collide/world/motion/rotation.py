"""Rotations in doubles: matrices and quaternions [w, x, y, z], and the Taylor series of a body that tumbles."""

import math

import numpy as np

from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory

from . import euler_series_loop
from .euler_series_loop import SeriesMemory

# Terms after the first of polynomials under forces, and of the series of a body that tumbles; and what the last of these may come to where
# a step ends: some roundings. Effort only: with 16 of them steps are 2.8 times as long as with 12, with 20 another 1.9 times, but formulas
# take longer.
TERMS, TUMBLING, _REMAINDER = 12, 16, 1e-16
_NEXT, _AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation by an angle about an axis of length 1 (Rodrigues)."""
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross))


def abouts(axis: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """(m, 3, 3): rotations by angles (m,) about an axis of length 1."""
    cross, angles = np.cross(np.eye(3), axis), angles[:, None, None]
    return np.asarray(np.eye(3) + np.sin(angles) * cross + (1.0 - np.cos(angles)) * (cross @ cross))


def matrix(q: np.ndarray) -> np.ndarray:
    """The rotation p -> q p q^-1, of a quaternion of any length but zero."""
    w, a, b, c = q
    half = np.array([[-(b * b + c * c), a * b - w * c, a * c + w * b], [a * b + w * c, -(a * a + c * c), b * c - w * a],
                     [a * c - w * b, b * c + w * a, -(a * a + b * b)]])
    return np.asarray(np.eye(3) + 2.0 * half / (q @ q))


def matrices(q: np.ndarray) -> np.ndarray:
    """(m, 3, 3): of quaternions (m, 4)."""
    w, a, b, c = q.T
    found = np.empty((len(q), 3, 3))
    for k, e in enumerate((-(b * b + c * c), a * b - w * c, a * c + w * b, a * b + w * c, -(a * a + c * c), b * c - w * a,
                           a * c - w * b, b * c + w * a, -(a * a + b * b))):
        found[:, k // 3, k % 3] = e
    return np.eye(3) + found * (2.0 / (q * q).sum(axis=1))[:, None, None]


def quaternion(r: np.ndarray) -> np.ndarray:
    """A quaternion of length 1, its largest entry positive, of a matrix."""
    four = np.array([[r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
                     [0, r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
                     [0, 0, r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1]], [0, 0, 0, r[2, 2] - r[0, 0] - r[1, 1]]])
    four = np.triu(four) + np.triu(four, 1).T + np.eye(4)
    row = four[np.argmax(np.diag(four))]
    return np.asarray(row / np.linalg.norm(row) * math.copysign(1.0, row[np.argmax(np.abs(row))]))


def quaternions(r: np.ndarray) -> np.ndarray:
    """(m, 4): quaternions of length 1, their largest entries positive, of matrices (m, 3, 3)."""
    xx, yy, zz = np.diagonal(r, axis1=1, axis2=2).T
    four = np.zeros((len(r), 4, 4))
    four[:, range(4), range(4)] = 1.0 + np.stack([xx + yy + zz, xx - yy - zz, yy - xx - zz, zz - xx - yy], axis=1)
    for k, i, j in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
        four[:, 0, 1 + k] = four[:, 1 + k, 0] = r[:, i, j] - r[:, j, i]
        four[:, 1 + i, 1 + j] = four[:, 1 + j, 1 + i] = r[:, i, j] + r[:, j, i]
    most = np.argmax(np.diagonal(four, axis1=1, axis2=2), axis=1)
    rows = four[np.arange(len(r)), most]
    found = rows / np.linalg.norm(rows, axis=1)[:, None]
    return np.asarray(found * np.sign(np.take_along_axis(found, np.abs(found).argmax(axis=1)[:, None], axis=1)))


def orthonormal(r: np.ndarray) -> np.ndarray:
    """The matrix of the quaternion of a matrix that is a rotation except for rounding."""
    return matrix(quaternion(r))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The product of vectors (3,); `np.cross` takes five times as long."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def times(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The product of quaternions."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + cross(p[1:], q[1:]))])


def products(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(m, 4): the products of quaternions, row by row."""
    found = np.empty(np.broadcast_shapes(p.shape, q.shape))
    found[..., 0] = p[..., 0] * q[..., 0] - (p[..., 1:] * q[..., 1:]).sum(axis=-1)
    found[..., 1:] = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + crosses(p[..., 1:], q[..., 1:])
    return found


def steady_series(spin: np.ndarray, change: np.ndarray) -> np.ndarray:
    """(TUMBLING + 1, 4): the quaternion p(s) with p' = w p / 2, p(0) = 1, of a spin w + s `change` in the world."""
    p = np.zeros((TUMBLING + 1, 4))
    p[0, 0] = 1.0
    w, a = (np.array([0.0, *e]) for e in (spin, change))
    for k in range(TUMBLING):
        p[k + 1] = (times(w, p[k]) + (times(a, p[k - 1]) if k else 0.0)) / (2.0 * (k + 1))
    return p


def free_series(turn: np.ndarray, spin: np.ndarray, inertia: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """The same for a body without torque: Euler's equations in its own frame. `turn`, `spin` in the world; `inertia` in the frame."""
    memory = Memory(SeriesMemory, {"rows": TUMBLING + 1})
    for name, value in (("inertia", inertia), ("inverse", inverse)):
        memory[name][:] = value
    memory["spin"][0], memory["turned"][0, 0] = turn.T @ spin, 1.0
    memory.set("terms", TUMBLING)
    compiled(euler_series_loop.free)(memory.address)
    q = memory["turned"]
    # Seen from the world, it comes after the turn so far.
    return np.column_stack([q[:, 0], q[:, 1:] @ turn.T])


def crosses(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of vectors (..., 3), row by row; `np.cross` takes ten times as long for so few."""
    return np.asarray(a.take(_NEXT, -1) * b.take(_AFTER, -1) - a.take(_AFTER, -1) * b.take(_NEXT, -1))


def length_of_step(series: np.ndarray) -> float:
    """Approximates how far a series holds, except for some roundings: where neither of its last two terms says more. That is no proof about
    what is left out; from the start of a step on the motion *is* the polynomial.
    """
    sizes = np.abs(series).max(axis=1)
    return min([float((_REMAINDER / sizes[k]) ** (1.0 / k)) for k in (TUMBLING, TUMBLING - 1) if sizes[k] > 0.0], default=math.inf)


def at(series: np.ndarray, time: float) -> np.ndarray:
    """The matrix of a series at a time."""
    return matrix(np.polynomial.polynomial.polyval(time, series))


def frame(normal: np.ndarray) -> np.ndarray:
    """(3, 3): the normal, and two directions across it."""
    across = np.zeros(3)
    across[np.argmin(np.abs(normal))] = 1.0
    second = cross(normal, across)
    second /= np.linalg.norm(second)
    return np.array([normal, second, cross(normal, second)])


def frames(normals: np.ndarray) -> np.ndarray:
    """(m, 3, 3): of normals (m, 3)."""
    across = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    second = crosses(normals, across)
    second /= np.sqrt((second * second).sum(axis=1))[:, None]
    return np.stack([normals, second, crosses(normals, second)], axis=1)
