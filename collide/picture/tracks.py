"""Poses over a time span as few keys, between which a page interpolates: positions linearly, rotations by normalized quaternions."""

from collections.abc import Callable, Sequence

import numpy as np

from generative import Motion
from generative.mesh import approx_motion

Track = tuple[np.ndarray, np.ndarray]
"""Times (n,), and poses (n, 7): positions, and quaternions [w, x, y, z] without jumps of sign."""

Poses = Callable[[np.ndarray], np.ndarray]
"""Times (n,) -> (n, 7)."""

# Samples of a span at first, and at most.
_FEWEST, _MOST = 33, 16385


def poses_of(motion: Motion) -> Poses:
    """The poses of a motion, where it is finite; elsewhere those of the time before, or of the first time at which it is."""
    place = approx_motion(motion)

    def poses(times: np.ndarray) -> np.ndarray:
        turns, shifts = place(times)
        return np.column_stack([shifts, quaternions(turns)])

    return poses


def quaternions(turns: np.ndarray) -> np.ndarray:
    """The quaternions of rotations (n, 3, 3); the identity where these are not finite."""
    from scipy.spatial.transform import Rotation

    finite = np.isfinite(turns).all(axis=(1, 2))
    found: np.ndarray = Rotation.from_matrix(np.where(finite[:, None, None], turns, np.eye(3))).as_quat()
    return found[:, [3, 0, 1, 2]]


def track(poses: Poses, span: Sequence[float], error: float, reach: float, fewest: int = _FEWEST) -> Track:
    """Keys of a motion over a span, such that a point of the body, `reach` from its origin, is nowhere out by more than about `error`.

    The span is sampled ever finer until what lies between samples is told by them.
    """
    if not span[0] < span[1]:
        return np.array(span[:1]), _joined(poses(np.array(span[:1])))
    count = fewest
    while True:
        times = np.linspace(span[0], span[1], count)
        found = _joined(poses(times))
        if count >= _MOST or _between(found, reach).max(initial=0.0) <= error:
            return thinned(times, found, error, reach)
        count = 2 * count - 1


def thinned(times: np.ndarray, poses: np.ndarray, error: float, reach: float) -> Track:
    """Those of the keys from which the others follow except for the error (Douglas and Peucker)."""
    scaled = poses * _weights(reach)
    keep, open_parts = {0, len(times) - 1}, [(0, len(times) - 1)]
    while open_parts:
        a, b = open_parts.pop()
        if b - a < 2:
            continue
        share = ((times[a + 1:b] - times[a]) / max(times[b] - times[a], 1e-300))[:, None]
        off = np.linalg.norm(scaled[a] + share * (scaled[b] - scaled[a]) - scaled[a + 1:b], axis=1)
        worst = int(off.argmax())
        if off[worst] > error:
            middle = a + 1 + worst
            keep.add(middle)
            open_parts += [(a, middle), (middle, b)]
    chosen = sorted(keep)
    if len(chosen) == 2 and not (np.abs(scaled[-1] - scaled[0]) > 1e-12 * max(1.0, float(np.abs(scaled[0]).max()))).any():
        chosen = chosen[:1]
    return times[chosen], poses[chosen]


def _weights(reach: float) -> np.ndarray:
    """A quaternion that changes by d turns by 2 d."""
    return np.array([1.0] * 3 + [2.0 * reach] * 4)


def _between(poses: np.ndarray, reach: float) -> np.ndarray:
    """The distance of every second pose from the middle of its neighbours."""
    scaled = poses * _weights(reach)
    return np.linalg.norm(scaled[1:-1:2] - (scaled[:-2:2] + scaled[2::2]) / 2, axis=1)


def _joined(poses: np.ndarray) -> np.ndarray:
    """Quaternions of the sign that is nearer to the one before; poses that are not finite replaced by finite ones next to them."""
    finite = np.isfinite(poses).all(axis=1)
    if not finite.any():
        return np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(poses), 1))
    last = np.maximum.accumulate(np.where(finite, np.arange(len(poses)), -1))
    poses = poses[np.where(last < 0, int(finite.argmax()), last)]
    flips = np.cumprod(np.where((poses[1:, 3:] * poses[:-1, 3:]).sum(axis=1) < 0, -1.0, 1.0))
    return np.column_stack([poses[:, :3], poses[:, 3:] * np.concatenate([[1.0], flips])[:, None]])
