"""Pairs of rigid bodies that many rows of numbers keep apart: bounds of all rows in a few calls, before any of them is searched.

A body is covered by balls and boxes in its own frame. A pair is seen from a frame that moves with what both motions share
(`relative_frames`): there the earlier of two links rests. Let D(t) be the difference of the centres of two balls, or of a centre and a
point of a box at rest. Over a window of time with the middle m, by the mean value theorem,

    |D(t)| >= |D(m)| - h sup |D'|,   h being half the length of the window,

for components that are continuous, with D' enclosing Clarke's gradient: the motion bound of Schwarzer, Saha and Latombe (2005), with
enclosures in the place of bounds that are known beforehand. Where that is larger than both radii, the bodies are *proved* apart in the
window. A ball keeps its radius because motions are rigid; a rotation given as a matrix may be off by 1e-12 of a length, for which `MARGIN`
has room, and one with a `Parameter` is looked at in each row (`queries.rotations`).
"""

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check
from generative import ParametricSurface, Solid
from generative.changes import pieces_of
from generative.symbols import Parameter

from ..bodies.extent import carried, extent_of
from ..bodies.parts import faces_of
from ..bodies.relative_frames import relative_frames
from ..bodies.rounded import Rounded, rounded_of
from .approach_loop import MARGIN
from .boxes_apart import greatest_lengths
from .motion_rows import MotionRows, halves, middles

# Effort only: windows of a span, parts of a window that is not decided, and how often these are divided; balls along a body at most, and
# rows that are looked at together.
_WINDOWS, PARTS, _ROUNDS, _BALLS, _AT_ONCE = 16, 4, 2, 8, 1 << 13
# More than the root of what squares lose that are too small for doubles.
_TINY = 2.0**-500


class Cover(NamedTuple):
    """Balls that hold the surface of a body together, centres (b, 3) in its frame and radii (b,); and for when it rests boxes (c, 3, 2), no
    farther from which than `margins` (c,) all of the surface is.
    """

    centres: np.ndarray
    radii: np.ndarray
    boxes: np.ndarray
    margins: np.ndarray


class Left(NamedTuple):
    """Windows of time (n, 2) in rows with these numbers (n,), in order."""

    rows: np.ndarray
    times: np.ndarray

    def some(self, chosen: np.ndarray) -> "Left":
        return Left(self.rows[chosen], self.times[chosen])

    def joined(self, other: "Left") -> "Left":
        """These and others."""
        return Left(np.concatenate([self.rows, other.rows]), np.concatenate([self.times, other.times]))

    def parts(self) -> "Left":
        """All windows, each in equal parts."""
        cuts = np.linspace(self.times[:, 0], self.times[:, 1], PARTS + 1, axis=1)
        cuts[:, 0], cuts[:, -1] = self.times.T
        return Left(np.repeat(self.rows, PARTS), np.stack([cuts[:, :-1], cuts[:, 1:]], axis=-1).reshape(-1, 2))


def chunks(count: int) -> Iterator[slice]:
    """Rows that are looked at together."""
    step = _AT_ONCE // _WINDOWS
    return (slice(begin, begin + step) for begin in range(0, count, step))


class PosePairs:
    """Pairs (k, 2) of rigid bodies, seen from the frames that move with what both have in common; `motions` of all bodies."""

    def __init__(self, bodies: Sequence[Any], pairs: np.ndarray, symbols: Sequence[Any]) -> None:
        frames = relative_frames(bodies, pairs)
        self.bodies, self.pairs = frames.bodies, [(int(i), int(j)) for i, j in frames.pairs]
        self.motions = [MotionRows(body, symbols) for body in frames.bodies]
        self._covers = [cover_of(body) for body in frames.bodies]

    def left(self, rows: np.ndarray, span: np.ndarray) -> Iterator[Left]:
        """Windows of a span, of each pair in turn, in which its bodies are not *proved* apart, in rows of numbers (n, p)."""
        ends = np.linspace(span[0], span[1], _WINDOWS + 1)
        ends[0], ends[-1] = span
        known = dict[int, _Carried]()
        whole = Left(np.repeat(np.arange(len(rows)), _WINDOWS), np.tile(np.stack([ends[:-1], ends[1:]], axis=1), (len(rows), 1)))
        for pair in self.pairs:
            check()
            covers = self._covers_of(pair)
            if covers is None:
                yield whole
                continue
            for body, cover in zip(pair, covers, strict=True):
                if body not in known:
                    known[body] = _carried(self.motions[body], cover, rows[whole.rows], whole.times)
            yield whole.some(~_far([known[k] for k in pair], whole.times))

    def divided(self, k: int, rows: np.ndarray, left: Left) -> Left:
        """Those parts of windows in which pair k is not *proved* apart."""
        covers = self._covers_of(self.pairs[k])
        for _ in range(_ROUNDS if covers is not None and len(left.rows) else 0):
            left = left.parts()
            sides = [_carried(self.motions[body], own, rows[left.rows], left.times)
                     for body, own in zip(self.pairs[k], covers or (), strict=True)]
            left = left.some(~_far(sides, left.times))
        return left

    def _covers_of(self, pair: tuple[int, int]) -> tuple[Cover, Cover] | None:
        first, second = (self._covers[k] for k in pair)
        return None if first is None or second is None else (first, second)


class _Carried(NamedTuple):
    """Where the balls of a cover are in the middles of windows, (3, 2, b, n), and their velocities (3, 2, b, n) throughout; of a body at
    rest boxes (3, 2, c, 1) and their margins.
    """

    places: np.ndarray
    velocities: np.ndarray
    radii: np.ndarray


def _far(sides: Sequence[_Carried], times: np.ndarray) -> np.ndarray:
    """(n,): whether all balls of one body are farther from those of the other than both move and reach in each window. Not where a bound is
    no number.
    """
    first, second = sides
    half, far = halves(times), np.ones(len(times), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for a, radius in enumerate(first.radii.tolist()):
            gaps, speeds = np.zeros((1, 1)), np.zeros((1, 1))
            for p, q, v, w in zip(first.places[:, :, a], second.places, first.velocities[:, :, a], second.velocities, strict=True):
                gaps = gaps + np.maximum(np.maximum(p[0] - q[1], q[0] - p[1]), 0.0) ** 2
                speeds = speeds + np.maximum(v[1] - w[0], w[1] - v[0]) ** 2
            reach = half * (np.sqrt(speeds) + _TINY) + (radius + second.radii[:, None])
            far &= (gaps > (reach * MARGIN) ** 2).all(axis=0)
    return far


def _carried(own: MotionRows, cover: Cover, rows: np.ndarray, times: np.ndarray) -> _Carried:
    """The cover of a body with the numbers of rows (n, p) in windows of time (n, 2)."""
    if own.rests:
        motion = own.at(rows[:1], np.zeros(1))
        return _Carried(_by_axes(carried(motion, cover.boxes[None])), np.zeros((3, 2, len(cover.boxes), 1)), cover.margins)
    motion, slopes = own.at(rows, middles(times)), own.slopes(rows, times)
    centres = np.repeat(cover.centres[None, ..., None], 2, axis=3)
    held = np.broadcast_to(centres, (len(times), *centres.shape[1:]))
    return _Carried(_by_axes(carried(motion, held)), _by_axes(carried(slopes, held)), cover.radii)


def _by_axes(boxes: np.ndarray) -> np.ndarray:
    """Boxes (n, b, 3, 2) as an array (3, 2, b, n)."""
    return np.ascontiguousarray(boxes.transpose(2, 3, 1, 0))


@functools.lru_cache(maxsize=1024)
def cover_of(body: Any) -> Cover | None:
    """The cover of a rigid body of faces whose shape has no parameters; None of others."""
    if not isinstance(body, (Solid, ParametricSurface)) or getattr(body, "planar", False):
        return None
    pieces = list(pieces_of(body))
    if len({piece.motion for piece in pieces}) != 1 or any(_varies(piece) for piece in pieces):
        return None
    cells = np.concatenate([extent_of(part).resting for part in faces_of(body.resting)])
    if not np.isfinite(cells).all():
        return None
    rounded = rounded_of(body.resting)
    if rounded is not None:
        centres, radii = _along_core(rounded)
        return Cover(centres, radii, np.repeat(centres[..., None], 2, axis=2), radii)
    boxes = _slabs(cells)
    centres = boxes.mean(axis=2)
    radii = greatest_lengths(np.maximum(boxes[..., 1] - centres, centres - boxes[..., 0]))
    return Cover(centres, radii, boxes, np.zeros(len(boxes)))


def _along_core(body: Rounded) -> tuple[np.ndarray, np.ndarray]:
    """Centres (b, 3) along the core of a ball or a capsule, both ends among them, and the radius (b,) of balls that hold it together: the
    nearest point of the core is an end, or at most half a gap from a centre and at right angles to the way there. Centres are rounded.
    """
    core = np.array([[float(e) for e in p] for p in body.core])
    radius = float(np.sqrt(float(body.square)))
    long = float(np.linalg.norm(core[-1] - core[0]))
    count = int(np.clip(np.ceil(long / radius), 0, _BALLS)) + 1
    shares = np.linspace(0.0, 1.0, count)[:, None]
    reach = np.hypot(radius, 0.5 * long / max(count - 1, 1)) + 2.0**-48 * np.abs(core).max()
    return core[0] + shares * (core[-1] - core[0]), np.full(count, reach * (1.0 + 2.0**-48))


def _varies(piece: ParametricSurface) -> bool:
    formulas = (*piece.body, *(e for pair in piece.domain.values() for e in pair))
    return piece.deforming or any(isinstance(s, Parameter) for e in formulas for s in e.free_symbols)


def _slabs(cells: np.ndarray) -> np.ndarray:
    """Boxes (b, 3, 2) round the parts of cells (n, 3, 2) in slabs across the longest side of the box round them all, about as long as wide.
    """
    whole = np.stack([cells[..., 0].min(axis=0), cells[..., 1].max(axis=0)], axis=1)
    sides = whole[:, 1] - whole[:, 0]
    axis, (_, middle, longest) = int(np.argmax(sides)), np.sort(sides)
    ends = np.linspace(whole[axis, 0], whole[axis, 1], int(np.ceil(min(_BALLS, longest / middle))) + 1 if middle > 0.0 else 2)
    ends[0], ends[-1] = whole[axis]
    found = []
    for lo, hi in itertools.pairwise(ends.tolist()):
        own = cells[(cells[:, axis, 0] <= hi) & (cells[:, axis, 1] >= lo)].copy()
        own[:, axis] = np.clip(own[:, axis], lo, hi)
        if len(own):
            found.append(np.stack([own[..., 0].min(axis=0), own[..., 1].max(axis=0)], axis=1))
    return np.stack(found)
