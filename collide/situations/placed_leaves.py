"""The leaves of a body in numbers: where their frames are to each other, and of which sign their functions are in boxes.

All leaves of one formula share a kernel, which takes their numbers and the way between two frames as parameters, row by row. So a body of
many leaves takes a few small kernels, and a box only the leaves that are in doubt there.
"""

import copy
import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.algebra.margin import TERMS
from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool, reachable
from codegen.graph.meanvalue import mean_value_form
from codegen.kernel import Kernel
from generative import ImplicitBody, ImplicitSurface, Motion, t, x, y, z
from generative.combination import Combination
from generative.resting import symbols_of
from generative.template import read, write

from ..bodies.motions import carried, entries_of, way_between
from ..bodies.numbers import Numbers
from .carriers import SAME, carrier_of, rests_of

# Rows of one call of a kernel.
_ROWS = 1 << 14
# Motions are such up to 1e-12 in each entry of R R^T. By so much, against their size, the ways between leaves that one motion carries may
# vary in time.
_TRUSTED = 1e-11
# Effort only: any moment tells the ways between such leaves, the better the narrower the bounds of their motions are then. Where formulas
# are not defined, the bounds are wide, or infinite.
_MOMENTS, _SHARP = [0.0, *(sign * 2.0**k for k in range(-4, 11) for sign in (1, -1))], 1e-6


class PlacedLeaves:
    """The leaves of a body with these numbers. `frames`: the number of the frame of each; `bounds` (leaves, 3, 2) hold the exact ones,
    which hold those of `inner`.

    Boxes (n, 4, 2) are in coordinates of the frames `own` (n,), the last column is the time.
    """

    def __init__(self, body: ImplicitBody, numbers: Numbers) -> None:
        self.leaves, motions = leaves_of(body)
        self.frames = np.array([motions.index(leaf.motion) for leaf in self.leaves])
        self.bounds, self.inner = np.stack([numbers.bounds(leaf.bounds) for leaf in self.leaves], axis=1)
        self._kinds = [_Kind(kernel, np.array(own), numbers.enclose_all(values).reshape(len(own), len(values) // len(own), 2))
                       for kernel, own, values in _kinds(self.leaves)]
        self._motions, self._numbers = motions, numbers
        self._still = None if moves(body, numbers) else self._known_ways(body)

    def only(self, leaves: np.ndarray) -> "PlacedLeaves":
        """Some of the leaves (k,), in order, with the same frames."""
        other = copy.copy(self)
        other.leaves, other.frames, other.bounds = tuple(self.leaves[k] for k in leaves), self.frames[leaves], self.bounds[leaves]
        wanted = ((kind, np.isin(kind.leaves, leaves)) for kind in self._kinds)
        other._kinds = [_Kind(kind.kernel, np.searchsorted(leaves, kind.leaves[own]), kind.numbers[own])
                        for kind, own in wanted if own.any()]
        return other

    def signs(self, boxes: np.ndarray, own: np.ndarray, asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, leaves) each: whether the function of a leaf may be >= 0 in a box, and <= 0. Both where it is not `asked`."""
        up, down = np.ones(asked.shape, bool), np.ones(asked.shape, bool)
        entries = self._at(boxes)
        for kernel, leaves, numbers in self._kinds:
            for rows, columns in _chunks(asked[:, leaves]):
                ways = self._ways(entries, rows, own[rows], self.frames[leaves[columns]])
                lo, hi = kernel.interval(*_ends(boxes[rows]), parameters=_ends(np.concatenate([ways, numbers[columns]], axis=1)))
                up[rows, leaves[columns]], down[rows, leaves[columns]] = hi[:, 0] >= 0, lo[:, 0] <= 0
        return up, down

    def coordinates(self, boxes: np.ndarray, own: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """(n, frames, 3, 2): where boxes are in the frames `asked` (n, frames); anywhere in others."""
        found = np.broadcast_to([-np.inf, np.inf], (*asked.shape, 3, 2)).copy()
        entries = self._at(boxes)
        for rows, frames in _chunks(asked):
            ways = self._ways(entries, rows, own[rows], frames)
            lo, hi = _place().interval(*_ends(boxes[rows, :3]), parameters=_ends(ways))
            found[rows, frames] = np.stack([lo, hi], axis=2)
            same = own[rows] == frames
            found[rows[same], frames[same]] = boxes[rows[same], :3]
        return found

    def _at(self, boxes: np.ndarray) -> np.ndarray | None:
        """(n, frames, 12, 2): the entries of all motions in the times of boxes, where they matter."""
        return self._moved(boxes[:, 3:]) if self._still is None else None

    def _moved(self, times: np.ndarray) -> np.ndarray:
        lo, hi = _entries(self._motions, self._numbers.symbols).interval(*_ends(times), parameters=self._numbers.parameters)
        return np.stack([lo, hi], axis=2).reshape(len(times), -1, 12, 2)

    def _ways(self, entries: np.ndarray | None, rows: np.ndarray, own: np.ndarray, frames: np.ndarray) -> np.ndarray:
        """(k, 12, 2): rotations and shifts of points in the frames `own`, into others."""
        if entries is None:
            assert self._still is not None
            return np.asarray(self._still[own, frames])
        found = between(entries[rows, own], entries[rows, frames])
        found[own == frames] = SAME
        return found

    def _known_ways(self, body: ImplicitBody) -> np.ndarray | None:
        """(frames, frames, 12, 2): those of what does not move against each other."""
        shared = carrier_of(body, self._numbers)
        if shared is None:
            return self._ways_at_rest(any(t in m.symbols for m in self._motions))
        return _all_ways(rests_of(self._motions, self._numbers, shared))

    def _ways_at_rest(self, carried_along: bool) -> np.ndarray | None:
        """(frames, frames, 12, 2): the ways, where they are the same at all times; None where no moment tried tells."""
        entries, count = self._moved(np.zeros((1, 1, 2))), self.frames.max() + 1
        if not _spread(entries)[0] <= _SHARP:
            entries = self._moved(np.repeat(_MOMENTS, 2).reshape(-1, 1, 2))
        entries = entries[np.argmin(_spread(entries))]
        if not np.isfinite(entries).all():
            return None
        found = _all_ways(entries)
        if carried_along:
            shifts = np.abs(found[..., 9:, :]).max(axis=3).sum(axis=2)[..., None]
            size = np.repeat([1.0, 0.0], [9, 3]) + np.repeat([0.0, 1.0], [9, 3]) * shifts
            found += _TRUSTED * size[..., None] * [-1, 1]
            found[np.arange(count), np.arange(count)] = SAME
        return found


def _all_ways(entries: np.ndarray) -> np.ndarray:
    """(frames, frames, 12, 2): the ways between frames with these entries (frames, 12, 2)."""
    count = len(entries)
    own, frames = (a.ravel() for a in np.indices((count, count)))
    found = between(entries[own], entries[frames]).reshape(count, count, 12, 2)
    found[np.arange(count), np.arange(count)] = SAME
    return found


class _Kind(NamedTuple):
    """The leaves of one formula, with the numbers of each: its kernel takes the way from the frame of a box, and then these."""

    kernel: Kernel
    leaves: np.ndarray
    numbers: np.ndarray


@functools.lru_cache(maxsize=128)
def leaves_of(body: ImplicitBody) -> tuple[tuple[ImplicitSurface, ...], tuple[Motion, ...]]:
    """The different leaves of a body, and their motions."""
    leaves = tuple(dict.fromkeys(body.leaves))
    return leaves, tuple(dict.fromkeys(leaf.motion for leaf in leaves))


@functools.lru_cache(maxsize=1024)
def _moving(body: ImplicitBody, symbols: tuple[Any, ...]) -> bool:
    leaves, motions = leaves_of(body)
    if len(motions) == 1 or (isinstance(body, Combination) and body.together):
        return any(leaf.deforming for leaf in leaves)
    return any(leaf.deforming for leaf in leaves) or any(t in m.symbols for m in motions)


@functools.lru_cache(maxsize=1024)
def moves(body: ImplicitBody, numbers: Numbers) -> bool:
    """Whether the shape of a body may depend on the time."""
    return _moving(body, numbers.symbols)


@functools.lru_cache(maxsize=128)
def _entries(motions: tuple[Motion, ...], symbols: tuple[Any, ...]) -> Kernel:
    """The twelve entries of every motion, of the time."""
    pool = ExprPool()
    known = {s: pool.parameter(k) for k, s in enumerate(symbols)} | {t: pool.variable(0)}
    return Kernel([e for m in motions for e in entries_of(m, known, pool, known[t])], ["t"], [str(s) for s in symbols], quick=True)


@functools.cache
def _relative() -> Kernel:
    """R2^T R1 and R2^T (T1 - T2), of the entries of two motions."""
    pool = ExprPool()
    first, second = ([pool.variable(12 * side + k) for k in range(12)] for side in (0, 1))
    return Kernel(way_between(first, second), [f"e{k}" for k in range(24)], quick=True)


def _spread(entries: np.ndarray) -> np.ndarray:
    """(n,): how wide bounds (n, ..., 2) are at most."""
    return np.asarray((entries[..., 1] - entries[..., 0]).max(axis=(1, 2)))


def between(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(k, 12, 2): the ways from frames with the entries `first` (k, 12, 2) into those with `second`."""
    lo, hi = _relative().interval(*_ends(np.concatenate([first, second], axis=1)))
    return np.stack([lo, hi], axis=2)


@functools.cache
def _place() -> Kernel:
    """The coordinates of a point in another frame, of the way there."""
    pool = ExprPool()
    return Kernel(carried([pool.parameter(k) for k in range(12)], [pool.variable(k) for k in range(3)]), ["x", "y", "z"],
                  [f"w{k}" for k in range(12)], quick=True)


@functools.lru_cache(maxsize=128)
def _kinds(leaves: tuple[ImplicitSurface, ...]) -> list[tuple[Kernel, list[int], tuple[Any, ...]]]:
    """The leaves of each formula: the kernel, which they are, and their numbers, those of one after the other."""
    found: dict[Any, tuple[Kernel, list[int], list[Any]]] = {}
    for k, leaf in enumerate(leaves):
        shape, numbers = _quadric(leaf.body) or _formula(leaf.body)
        if shape not in found:
            found[shape] = _function(shape, len(numbers)), [], []
        found[shape][1].append(k)
        found[shape][2].extend(numbers)
    return [(kernel, own, tuple(numbers)) for kernel, own, numbers in found.values()]


def _formula(body: Any) -> tuple[Any, list[Any]]:
    (formulas,), numbers = read([([body], False)])
    return formulas, list(numbers)


def _quadric(body: Any) -> tuple[Any, list[Any]] | None:
    """Planes, balls and cylinders of all sizes and turns are one kind."""
    found = coefficients_of(body)
    if found is None:
        return None
    known = dict(zip(symbols_of(len(TERMS)), found, strict=True))
    return _QUADRIC, [known[s] for s in _ORDER]


@functools.lru_cache(maxsize=4096)
def coefficients_of(body: Any) -> tuple[Any, ...] | None:
    """The coefficients of a polynomial of degree 2, in the order of `TERMS`; None for any other function."""
    if t in body.free_symbols or not body.is_polynomial(x, y, z):
        return None
    terms = sp.Poly(body, x, y, z).as_dict()
    if any(sum(powers) > 2 for powers in terms):
        return None
    return tuple(terms.get(powers, sp.S.Zero) for powers in TERMS)


_QUADRIC, _ORDER = _formula(sum(s * x**i * y**j * z**k for s, (i, j, k) in zip(symbols_of(len(TERMS)), TERMS, strict=True)))


@functools.lru_cache(maxsize=512)
def _function(shape: Any, count: int) -> Kernel:
    """The function of leaves of one formula with so many numbers, of coordinates in another frame and the time."""
    pool, symbols = ExprPool(), symbols_of(count)
    way = [pool.parameter(k) for k in range(12)]
    variables = [pool.variable(k) for k in range(4)]
    known = dict(zip((x, y, z), carried(way, variables[:3]), strict=True)) | {t: variables[3]}
    known |= {s: pool.parameter(12 + k) for k, s in enumerate(symbols)}
    instructions, outputs = shape
    value = convert([write(instructions, symbols)[k] for k in outputs], known, pool)
    used = [v for v in variables if v in reachable(value)]
    return Kernel(mean_value_form(value, used), ["x", "y", "z", "t"], [*(f"w{k}" for k in range(12)), *map(str, symbols)], quick=True)


def _ends(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return boxes[..., 0], boxes[..., 1]


def _chunks(asked: np.ndarray) -> Iterator[Sequence[np.ndarray]]:
    """The rows and columns of what is asked, not too many at once."""
    rows, columns = np.nonzero(asked)
    for k in range(0, len(rows), _ROWS):
        yield rows[k:k + _ROWS], columns[k:k + _ROWS]
