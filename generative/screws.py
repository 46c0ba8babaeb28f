"""A motion as a chain of screws, with a proved bound of the error (Kim and Rossignac 2003, Section 2).

The error at a time is the length of (S - M) p for the matrices of screw and motion. That is a convex function of p: nowhere in the hull of
points is it larger than at one of them. The entries of S - M are enclosed over windows of time by their mean value forms.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from codegen.family import family
from codegen.from_sympy import convert
from codegen.given import doubles, shown
from codegen.graph.expr import ExprPool
from codegen.graph.meanvalue import mean_value_form
from codegen.kernel import Kernel

from .fitted import Fit
from .following import check_finite, check_numbers, increasing
from .keyframed import keyframes
from .motion import Motion, Rigid
from .numeric import approx_function
from .screw import interpolate_poses
from .symbols import exact, t

Array = np.ndarray
# Windows of a screw in which its error is enclosed; times at which it is looked at before; the largest angle; screws there may be.
_WINDOWS, _LOOKS, _TURN, _MOST = 64, 9, 1.5, 4096


@dataclass(frozen=True, repr=False)
class ScrewFit(Fit):
    """A motion as a chain of screws: `value`, all of them, one after the other; `segments`: each, with its span of time; `points` (n, 3):
    those that it was asked for. `error` is a *proved* bound of the distance between the places where the motion and the screws carry any of
    the points, or of their hull.
    """

    segments: tuple[tuple[Motion, tuple[float, float]], ...] = ()
    points: Any = field(default=(), compare=False)


def screws(motion: Motion, time: Sequence[float], points: Any, tolerance: float = 1e-3) -> ScrewFit:
    """A motion over a span of time as even screws between poses of it, halved until they are near enough (Kim and Rossignac 2003).

    `points` (n, 3): none of them, nor of their hull, is carried further than `tolerance` from where the motion carries it, at any time of
    the span: proved by interval arithmetic. Poses are taken in doubles, which the bound counts; screws join exactly. ValueError for a
    motion that is not defined all the time, or that jumps.
    """
    if not isinstance(motion, Motion):
        raise TypeError(f"screws follow a Motion, got {shown(motion)}")
    span = increasing(time, 2, "a span of time")
    data = doubles(points, "points", "(n, 3)")
    if data.ndim != 2 or data.shape[1] != 3 or not len(data):
        raise ValueError(f"points must be an array of shape (n, 3), n > 0, got the shape {data.shape}")
    check_finite(data, "points must be finite, but point")
    check_numbers(tolerance=tolerance)
    found = Screws(motion, (float(span[0]), float(span[1])), data, float(tolerance))
    segments = tuple(zip(found.motions, pairwise(found.times), strict=True))
    value = keyframes(found.poses, [exact(e) for e in found.times])
    statement = f"proved for {len(data)} points and their hull; {len(segments)} screws"
    return ScrewFit(value, max(found.errors), statement, (found.times[0], found.times[-1]), segments, data)


class Screws:
    """Screws between poses of a motion at `times`, as few as halving gives that miss no point by more than the tolerance."""

    def __init__(self, motion: Motion, span: tuple[float, float], points: Array, tolerance: float) -> None:
        self.motion, self.points, self.tolerance = motion, points, tolerance
        self._entries = approx_function(motion.entries, [t])
        self.times, self.motions, self.errors = [span[0]], list[Motion](), list[float]()
        self._known: dict[float, Motion] = {}
        open_ends = [span[1]]
        while open_ends:
            begin, end = self.times[-1], open_ends[-1]
            if not self._accepted(begin, end):
                middle = 0.5 * (begin + end)
                if not begin < middle < end or len(self.times) + len(open_ends) > _MOST:
                    raise ValueError(f"no {_MOST} screws follow the motion up to {tolerance:g}, as near t = {begin:g}")
                open_ends.append(middle)
            else:
                self.times.append(open_ends.pop())

    def _accepted(self, begin: float, end: float) -> bool:
        """Whether one screw follows the motion: by a look at it, then by a proof."""
        if self._seen(begin, end) > 0.9 * self.tolerance:
            return False
        screw = interpolate_poses(self._pose(begin), self._pose(end), (begin, end))
        error = _proved(screw, self.motion, np.linspace(begin, end, _WINDOWS + 1), self.points)
        if error <= self.tolerance:
            self.motions.append(screw)
            self.errors.append(error)
        return error <= self.tolerance

    def _matrix(self, at: Any) -> tuple[Array, Array]:
        entries = self._entries(np.asarray(at, float))
        if not np.isfinite(entries).all():
            raise ValueError(f"the motion is not defined near t = {np.min(at):g}")
        return entries[..., :9].reshape(*np.shape(at), 3, 3), entries[..., 9:]

    @property
    def poses(self) -> list[Motion]:
        """The poses at `times`."""
        return list(map(self._pose, self.times))

    def _pose(self, at: float) -> Motion:
        if at not in self._known:
            rotation, shift = self._matrix(at)
            self._known[at] = Rigid(_quaternion(rotation).tolist(), shift.tolist(), normalize=True)
        return self._known[at]

    def _seen(self, begin: float, end: float) -> float:
        """The error at some times, about; infinite for a large turn."""
        (first, last), shifts = self._matrix(np.array([begin, end]))
        turn, move = _logarithm(last @ first.T, shifts[1] - last @ first.T @ shifts[0])
        if np.linalg.norm(turn) > _TURN:
            return float(np.inf)
        shares = np.arange(1, _LOOKS) / _LOOKS
        rotations, places = self._matrix(begin + shares * (end - begin))
        largest = 0.0
        for share, r, d in zip(shares, rotations, places, strict=True):
            q, v = _exponential(share * turn, share * move)
            off = self.points @ (q @ first - r).T + (q @ shifts[0] + v - d)
            largest = max(largest, float(np.linalg.norm(off, axis=1).max()))
        return largest


def _proved(screw: Motion, motion: Motion, ends: Array, points: Array) -> float:
    """A bound of the distance of any of the points between the two, in windows of time with these ends."""
    pool = ExprPool()
    entries = convert([*screw.entries, *motion.entries], {t: pool.variable(0)}, pool)
    outputs, numbers = family([a - b for a, b in zip(entries[:12], entries[12:], strict=True)])
    variable = outputs[0].pool.variable(0)
    kernel = Kernel(mean_value_form(outputs, [variable]), ["t"], [f"p{k}" for k in range(len(numbers))], quick=True)
    low, high = kernel.interval(ends[:-1, None], ends[1:, None], parameters=(numbers[:, 0], numbers[:, 1]))
    return _largest(0.5 * low + 0.5 * high, np.maximum(high - (0.5 * low + 0.5 * high), 0.5 * low + 0.5 * high - low), points)


def _largest(middle: Array, radius: Array, points: Array) -> float:
    """The largest of the lengths of D p for matrices D within the radius of the middle ones, and points."""
    sizes, length = np.abs(points), np.zeros((len(middle), len(points)))
    for k in range(3):
        row, shift = slice(3 * k, 3 * k + 3), 9 + k
        value = np.abs(middle[:, row] @ points.T + middle[:, shift, None])
        off = radius[:, row] @ sizes.T + radius[:, shift, None]
        # What the products above are rounded by.
        off += 2.0**-48 * (np.abs(middle[:, row]) @ sizes.T + np.abs(middle[:, shift, None]))
        length += (value + off) ** 2
    return float(np.sqrt(length.max()) * (1 + 2.0**-40) + 2.0**-500)


# -- in doubles -------------------------------------------------------------------------------------------------------


def _quaternion(r: Array) -> Array:
    """Scalar first, of a rotation matrix: the largest column of 4 q q^T."""
    w = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    square = np.empty((4, 4))
    square[0, 0], square[0, 1:], square[1:, 0] = 1 + np.trace(r), w, w
    square[1:, 1:] = r + r.T + (1 - np.trace(r)) * np.eye(3)
    q = square[square.diagonal().argmax()]
    return np.asarray(q / np.linalg.norm(q))


def _skew(w: Array) -> Array:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def _coefficients(angle: float) -> tuple[float, float, float]:
    """sin x / x, (1 - cos x) / x^2 and (x - sin x) / x^3."""
    if angle < 1e-3:
        return 1 - angle**2 / 6, 0.5 - angle**2 / 24, 1 / 6 - angle**2 / 120
    return np.sin(angle) / angle, (1 - np.cos(angle)) / angle**2, (angle - np.sin(angle)) / angle**3


def _exponential(turn: Array, move: Array) -> tuple[Array, Array]:
    """The displacement after a unit of time by the twist (turn, move)."""
    k = _skew(turn)
    a, b, c = _coefficients(float(np.linalg.norm(turn)))
    return np.eye(3) + a * k + b * k @ k, (np.eye(3) + b * k + c * k @ k) @ move


def _logarithm(rotation: Array, shift: Array) -> tuple[Array, Array]:
    """The twist of a displacement."""
    q = _quaternion(rotation)
    q = q if q[0] >= 0 else -q
    sine = float(np.linalg.norm(q[1:]))
    turn = q[1:] * (2 * np.arctan2(sine, q[0]) / sine if sine > 0 else 2.0)
    k = _skew(turn)
    _, b, c = _coefficients(float(np.linalg.norm(turn)))
    return turn, np.linalg.solve(np.eye(3) + b * k + c * k @ k, shift)
