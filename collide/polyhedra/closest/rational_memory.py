"""Initial state of `closest.memory`, with doubles and with rationals; and poses as given."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np

from codegen.given import doubles
from codegen.machine.memory import Memory

from ...bodies.dyadic import fractions
from .memory import ROWS
from .voronoi_walk import LARGEST, ORTHONORMAL

# Of sets of corners, as bits: how many, which, and how many half-edges on it begins.
_MEMBERS = [0, 1, 1, 2, 1, 2, 2, 3]
_MEMBER = [[0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0], [2, 0, 0], [1, 2, 0], [0, 1, 2]]
_TURN = [0, 0, 1, 0, 2, 2, 1, 0]


def sets_of_corners(arrays: Memory, vertices: Sequence[np.ndarray]) -> None:
    """Constants, and sizes of bodies with these vertices."""
    for name, values in (("members", _MEMBERS), ("member", _MEMBER), ("turn", _TURN)):
        arrays[name][:] = values
    for name, value in (("unit", 2.0**-51), ("tiny", 2.0**-1000), ("slack", 1 + 2.0**-20)):
        arrays.set(name, value)
    arrays["width"][:] = [np.abs(v).sum(axis=1).max(initial=0.0) for v in vertices]


def exact_memory(arrays: Mapping[str, np.ndarray], vertices: np.ndarray, pose: np.ndarray, features: tuple[int, ...]) -> SimpleNamespace:
    """The same with rationals in the place of doubles: `vertices`, rationals, of both bodies; rotations and translations (2, 12); features,
    two dimensions and two half-edges.
    """
    zero = Fraction(0)
    s = SimpleNamespace(**{name: arrays[name] for name in ("start", "after", "twin", "begin", "members", "member", "turn")})
    s.vertex, s.pose, s.dim, s.slot = vertices, fractions(pose), np.array(features[:2]), np.array(features[2:])
    s.number, s.place, s.weight = np.zeros(6, int), np.full((6, 3), zero, object), np.full(6, zero, object)
    s.v, s.radius, s.norm, s.point = (np.full(shape, zero, object) for shape in ((ROWS, 3), ROWS, ROWS, (2, 3)))
    s.spin = s.shift = s.width = [zero, zero]
    s.unit = s.tiny = s.far = s.square = s.gain = zero
    s.slack, s.steps, s.inner = Fraction(1), 0, 0
    return s


def given_pose(given: Any, name: str) -> np.ndarray:
    """A matrix (4, 4) of doubles."""
    m = doubles(given, name, "(4, 4)")
    if m.shape != (4, 4):
        raise ValueError(f"{name} must have the shape (4, 4), got {m.shape}")
    return m


def check_pose(m: np.ndarray, name: str) -> None:
    """Raise for what `voronoi_walk.load` refuses."""
    if not (np.abs(m[:3, 3]).max() <= LARGEST and (m[3] == (0, 0, 0, 1)).all()):
        raise ValueError(f"{name} must be finite, no larger than {LARGEST:g}, with the last row 0, 0, 0, 1; got {m.tolist()}")
    r = m[:3, :3]
    if not (np.abs(r.T @ r - np.eye(3)).max() <= 0.99 * ORTHONORMAL and np.linalg.det(r) > 0):
        raise ValueError(f"the columns of the rotation in {name} must be orthonormal and right-handed, got {r.tolist()}")
