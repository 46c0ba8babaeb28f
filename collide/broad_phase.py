"""Which pairs of bodies can touch at all, and when: Snyder 1993, Sections 6 and 7.

The time span is cut into slices. In each, every part of a body is enclosed by a box (a bounding box through time) and, if it is rigid, by
a sphere round its moving centre R(t) O + T(t) (the printed formula of Section 6 omits R(t)). A pair of bodies survives with the window
of slices in which boxes and spheres of two of their parts meet. Boxes are compared by sweep and prune along one axis. Too many pairs may
survive, never too few.

Rigid parts are enclosed in their own frame once, in cells; one kernel evaluates all motions, and one more, the same for every scene,
carries cells along. So two hundred bodies of one shape need no kernel of their own.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from codegen.expr import ExprPool
from codegen.from_sympy import convert
from codegen.kernel import Kernel
from codegen.lanes import WIDTH
from generative import Motion, t

from .native import call_block

SLICES, CELLS = 64, 4
# Up to so many parts all pairs are compared at once.
_FEW = 24

# Distances are compared in ordinary arithmetic: fewer than 2^5 operations of relative error 2^-53 each stay within this margin.
_MARGIN = 1.0 + 2.0**-40


@dataclass(frozen=True, eq=False)
class Extent:
    """A part of body `owner`: the points body(symbols, t), three expressions, over the box `domain` (p, 2), carried by `motion`.

    No symbols: a single point. A part whose body depends on t deforms.
    """

    owner: int
    body: tuple[Any, Any, Any]
    symbols: tuple[Any, ...]
    domain: np.ndarray
    motion: Motion

    @property
    def deforming(self) -> bool:
        return any(sp.sympify(e).has(t) for e in self.body)


def windows(parts: Sequence[Extent], span: tuple[float, float], slices: int = SLICES) -> dict[tuple[int, int], tuple[float, float]]:
    """For every pair of bodies (i, j), i < j, that may touch: the window of time outside of which they are *proved* apart."""
    times = np.linspace(*span, slices + 1)
    times[0], times[-1] = span
    boxes, balls = _enclose(parts, np.stack([times[:-1], times[1:]], axis=-1))
    a, b, when = _overlaps(boxes)
    keep = _balls_meet(balls[a, when], balls[b, when])
    found: dict[tuple[int, int], list[int]] = {}
    for i, j, k in zip(a[keep].tolist(), b[keep].tolist(), when[keep].tolist(), strict=True):
        pair = min(parts[i].owner, parts[j].owner), max(parts[i].owner, parts[j].owner)
        if pair[0] != pair[1]:
            ends = found.setdefault(pair, [k, k])
            ends[0], ends[1] = min(ends[0], k), max(ends[1], k)
    return {pair: (float(times[first]), float(times[last + 1])) for pair, (first, last) in sorted(found.items())}


def _overlaps(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parts and slices (a, b, k) in which two boxes (parts, slices, 3, 2) overlap: all pairs of a few, else by sweep and prune."""
    if len(boxes) <= _FEW:
        a, b = np.triu_indices(len(boxes), 1)
        meet = np.all((boxes[a, ..., 0] <= boxes[b, ..., 1]) & (boxes[b, ..., 0] <= boxes[a, ..., 1]), axis=-1)
        pair, k = np.nonzero(meet)
        return a[pair], b[pair], k
    swept = [(i, j, k) for k in range(boxes.shape[1]) for i, j in sweep_and_prune(boxes[:, k, :, 0], boxes[:, k, :, 1])]
    a, b, k = np.array(swept, np.int64).reshape(-1, 3).T
    return a, b, k


def sweep_and_prune(lo: np.ndarray, hi: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of boxes (n, 3) that overlap: those that do along the axis of widest spread, tested on the others (Six and Wood 1982)."""
    axis = int(np.argmax(np.ptp(np.where(np.isfinite(lo), lo, 0.0), axis=0)))
    order = np.argsort(lo[:, axis], kind="stable")
    # A box meets along the axis those after it in this order that start before it ends.
    ends = np.searchsorted(lo[order, axis], hi[order, axis], side="right")
    counts = np.maximum(ends - np.arange(1, len(order) + 1), 0)
    left = np.repeat(np.arange(len(order)), counts)
    right = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts) + left + 1
    a, b = order[left], order[right]
    meet = np.all((lo[a] <= hi[b]) & (lo[b] <= hi[a]), axis=1)
    return [(int(i), int(j)) for i, j in zip(a[meet], b[meet], strict=True)]


def _balls_meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Balls as rows (3 lower ends, 3 upper ends of the centre, radius); a radius of infinity stands for no ball."""
    with np.errstate(invalid="ignore"):  # a centre that may be anywhere: NaN, which is not beyond anything
        apart = np.maximum(0.0, np.maximum(a[:, :3] - b[:, 3:6], b[:, :3] - a[:, 3:6]))
        return ~(np.sqrt((apart**2).sum(axis=1)) > (a[:, 6] + b[:, 6]) * _MARGIN)


def _enclose(parts: Sequence[Extent], slices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Boxes (parts, slices, 3, 2) and balls (parts, slices, 7) that enclose every part throughout every slice."""
    boxes = np.empty((len(parts), len(slices), 3, 2))
    balls = np.zeros((len(parts), len(slices), 7))
    balls[..., 6] = np.inf
    motions = _motions([p.motion for p in parts], slices)
    for i, part in enumerate(parts):
        cells = _cells(part, slices)
        boxes[i] = _hull(_carry(motions[i], cells))
        if not part.deforming:
            frame = _hull(cells[:1])[0]
            middle = 0.5 * (frame[:, 0] + frame[:, 1])
            # The cells reach no farther from the middle than their farthest corners.
            far = np.abs(cells[0] - middle[:, None]).max(axis=-1)
            centre = _carry(motions[i], np.broadcast_to(middle[:, None], (len(slices), 1, 3, 2)))[:, 0]
            balls[i, :, :3], balls[i, :, 3:6] = centre[..., 0], centre[..., 1]
            balls[i, :, 6] = np.sqrt((far**2).sum(-1).max()) * _MARGIN
    return boxes, balls


def _hull(cells: np.ndarray) -> np.ndarray:
    """Boxes (slices, 3, 2) round cells (slices, cells, 3, 2)."""
    return np.stack([cells[..., 0].min(axis=1), cells[..., 1].max(axis=1)], axis=-1)


def _cells(part: Extent, slices: np.ndarray) -> np.ndarray:
    """Boxes (slices, cells, 3, 2) in the part's own frame that cover it in every slice."""
    grid = _grid(part.domain)
    kernel = _body_kernel(part.body, part.symbols)
    clock = slices if part.deforming else slices[:1]
    places = np.broadcast_to(grid, (len(clock), *grid.shape))
    moments = np.broadcast_to(clock[:, None, None, :], (len(clock), len(grid), 1, 2))
    rows = np.concatenate([places, moments], axis=2).reshape(-1, grid.shape[1] + 1, 2)
    lo, hi = kernel.interval(rows[..., 0], rows[..., 1])
    cells = np.stack([lo, hi], axis=-1).reshape(len(clock), len(grid), 3, 2)
    return cells if part.deforming else np.broadcast_to(cells, (len(slices), *cells.shape[1:]))


def _grid(domain: np.ndarray) -> np.ndarray:
    """(cells, p, 2): a grid that covers the domain exactly; one empty cell for a point."""
    if len(domain) == 0:
        return np.empty((1, 0, 2))
    edges = np.linspace(domain[:, 0], domain[:, 1], CELLS + 1)
    edges[0], edges[-1] = domain[:, 0], domain[:, 1]
    index = np.indices([CELLS] * len(domain)).reshape(len(domain), -1)
    return np.stack([np.stack([edges[k, j], edges[k + 1, j]], axis=-1) for j, k in enumerate(index)], axis=1)


@functools.lru_cache(maxsize=256)
def _body_kernel(body: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel:
    pool = ExprPool()
    known = {s: pool.variable(k) for k, s in enumerate((*symbols, t))}
    return Kernel(convert(body, known, pool), [str(s) for s in (*symbols, t)])


def _motions(motions: Sequence[Motion], slices: np.ndarray) -> np.ndarray:
    """Rotations and translations (motions, slices, 12, 2) enclosed over each slice: one kernel for all, by blocks of slices."""
    kernel = _motion_kernel(tuple(motions))
    padded = np.concatenate([slices, np.repeat(slices[-1:], -len(slices) % WIDTH, axis=0)]).reshape(-1, WIDTH, 2)
    out = np.empty((len(padded), 12 * len(motions), 2, WIDTH))
    for block, result in zip(padded, out, strict=True):
        call_block(kernel.block_address(), np.ascontiguousarray(block.T * [[-1.0], [1.0]]), result)
    values = out.transpose(1, 0, 3, 2).reshape(len(motions), 12, -1, 2)[:, :, :len(slices)] * [-1.0, 1.0]
    return values.transpose(0, 2, 1, 3)


@functools.lru_cache(maxsize=16)
def _motion_kernel(motions: tuple[Motion, ...]) -> Kernel:
    pool = ExprPool()
    rows = [e for m in motions for e in (*m.rotation, *m.translation)]
    return Kernel(convert(rows, {t: pool.variable(0)}, pool), ["t"])


def _carry(motion: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Cells (slices, cells, 3, 2) carried by motions (slices, 12, 2): R p + T, enclosed."""
    count = cells.shape[1]
    rows = np.concatenate([np.repeat(motion, count, axis=0), cells.reshape(-1, 3, 2)], axis=1)
    lo, hi = _rigid_kernel().interval(rows[..., 0], rows[..., 1])
    return np.stack([lo, hi], axis=-1).reshape(*cells.shape)


@functools.cache
def _rigid_kernel() -> Kernel:
    """R p + T in the 9 entries of R, the 3 of T and the 3 of p."""
    pool = ExprPool()
    w = [pool.variable(k) for k in range(15)]
    image = [w[3 * i] * w[12] + w[3 * i + 1] * w[13] + w[3 * i + 2] * w[14] + w[9 + i] for i in range(3)]
    return Kernel(image, [f"x{k}" for k in range(15)])
