"""First contacts of rigid convex bodies in many rows of numbers, *proved* before any row is searched.

Where two convex bodies first meet is guessed in doubles, by the distance of their hulls. Then all pairs are proved apart up to just before
that, in windows that are divided where a bound is not enough; and just after it two bodies are proved to have a point in common, by points
of both hulls. The bodies being apart before, and moving continuously, there is a first moment in between at which they touch: their
surfaces meet, as inner points of neither are in the other then.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check

from ..bodies.convex_cores import ConvexCore, core_of
from .core_gaps import (
    Cores,
    Nearest,
    apart,
    carried,
    common_points,
    crossing,
    entries,
    meeting,
    nearest,
    places_of,
    seen_from,
    turned_back,
)
from .motion_rows import MotionRows, halves, middles
from .poses_apart import Left, PosePairs, chunks

# Effort only: parts of windows at whose ends distances are looked at; steps to where a distance vanishes; how often windows are divided,
# and in how many of them a pair may be undecided then; the part of a tolerance that is used on either side.
_SAMPLES, _STEPS, _ROUNDS, _MOST, _SHARE = 4, 10, 12, 64, 0.45
# Points on two surfaces are off these by so much at most, against the size of their coordinates; less than any distance.
_CLOSE, _TINY = 1e-9, 1e-300


class RowsDecided(NamedTuple):
    """`apart` (n, pairs): the pairs that are proved apart throughout. In rows `hits` (k,) the first contact is proved to be within `times`
    (k, 2), and the pair `pairs` (k,) to be in contact within it, about at `points` (k, 2, 3) in the frames of its bodies.
    """

    apart: np.ndarray
    hits: np.ndarray
    times: np.ndarray
    pairs: np.ndarray
    points: np.ndarray


def rows_decided(bodies: Sequence[Any], pairs: np.ndarray, symbols: Sequence[Any], rows: np.ndarray, span: np.ndarray,
                 gap: float) -> RowsDecided:
    """The pairs (k, 2) of bodies that are proved apart in a span, with numbers (n, p) for the symbols, and first contacts, within `gap`."""
    scene = CorePairs(bodies, pairs, symbols, span, gap)
    found = [RowsDecided(np.empty((0, len(pairs)), bool), np.empty(0, np.int64), np.empty((0, 2)), np.empty(0, np.int64),
                         np.empty((0, 2, 3)))]
    for some in chunks(len(rows)):
        known = scene.decided(rows[some])
        found.append(known._replace(hits=known.hits + some.start))
    return RowsDecided(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


class _Guess(NamedTuple):
    """About when and which pairs first meet in rows (n,): no time, and no pair, is infinite, and -1."""

    time: np.ndarray
    pair: np.ndarray


class CorePairs:
    """Pairs of bodies, those of convex ones with their hulls, in a span of time."""

    def __init__(self, bodies: Sequence[Any], pairs: np.ndarray, symbols: Sequence[Any], span: np.ndarray, gap: float) -> None:
        self._scene, self._span, self._gap = PosePairs(bodies, pairs, symbols), span, gap
        self._cores = [_both(*(core_of(self._scene.bodies[body]) for body in pair)) for pair in self._scene.pairs]

    def decided(self, rows: np.ndarray) -> RowsDecided:
        """The answers to rows of numbers (n, p)."""
        left = list(self._scene.left(rows, self._span))
        close = _any_of(rows, left)
        start, begun, points = self._start(rows, left)
        left = [own.some(~start[own.rows]) for own in left]
        guess = self._guess(rows, left)
        times = np.clip(guess.time[:, None] + _SHARE * self._gap * np.array([-1.0, 1.0]), -np.inf, self._span[1])
        met, places = self._meet(rows, guess, times)
        until = np.where(guess.pair < 0, np.inf, times[:, 0])
        open_ = _any_of(rows, [self._left(k, rows, own, until) for k, own in enumerate(left)])
        met &= (times[:, 0] > self._span[0]) & ~open_.any(axis=1)
        first = begun >= 0
        times[first], guess.pair[first], places[first] = self._span[0], begun[first], points[first]
        hits = np.flatnonzero(met | first)
        return RowsDecided(~np.where((start | (guess.pair >= 0))[:, None], close, open_), hits, times[hits], guess.pair[hits], places[hits])

    def _start(self, rows: np.ndarray, left: Sequence[Left]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n,): whether bodies seem to meet as the span begins; a pair whose surfaces are *proved* to, or -1; and about where (n, 2, 3)."""
        near, pair, points = np.zeros(len(rows), bool), np.full(len(rows), -1), np.zeros((len(rows), 2, 3))
        for k, own in enumerate(left):
            cores, which = self._cores[k], own.rows[(own.times[:, 0] == self._span[0]) & (pair[own.rows] < 0)]
            if cores is None or not len(which):
                continue
            at = [entries(_all(m.at(rows[which], np.full(len(which), self._span[0])), which)) for m in self._motions(k)]
            corners = [places_of(core, e.middle) for core, e in zip(cores, at, strict=True)]
            found = nearest(cores, corners)
            near[which[found.distance <= cores[0].outer + cores[1].outer]] = True
            place, off = common_points(cores, corners, found.beside(cores, [e.middle for e in at]))
            sure = crossing(cores, at, found) & (off < _CLOSE * np.abs(place).max(axis=0))
            pair[which[sure]] = k
            points[which[sure]] = np.stack([seen_from(e.middle, place) for e in at]).transpose(2, 0, 1)[sure]
        return near, pair, points

    def _motions(self, k: int) -> list[MotionRows]:
        """The motions of pair k."""
        return [self._scene.motions[body] for body in self._scene.pairs[k]]

    def _guess(self, rows: np.ndarray, left: Sequence[Left]) -> _Guess:
        """The first time at which hulls come as near as they are thick, of those windows that are left."""
        time, pair = np.full(len(rows), np.inf), np.full(len(rows), -1)
        for k, own in enumerate(left):
            cores = self._cores[k]
            if cores is not None and len(own.rows):
                check()
                which, when = self._crossing(k, cores, rows, own)
                sooner = when < time[which]
                time[which[sooner]], pair[which[sooner]] = when[sooner], k
        return _Guess(time, pair)

    def _crossing(self, k: int, cores: Cores, rows: np.ndarray, left: Left) -> tuple[np.ndarray, np.ndarray]:
        """Rows, each once, and about when the distance of the bodies of pair k first vanishes there."""
        cuts = np.linspace(left.times[:, 0], left.times[:, 1], _SAMPLES + 1, axis=1)
        far = self._distances(k, cores, rows[np.repeat(left.rows, _SAMPLES + 1)], cuts.ravel()).reshape(cuts.shape)
        window, part = np.nonzero((far[:, :-1] > 0.0) & (far[:, 1:] <= 0.0))
        which, first = np.unique(left.rows[window], return_index=True)
        window, part = window[first], part[first]
        ends = [(cuts[window, part + side], far[window, part + side]) for side in (0, 1)]
        return which, _root(lambda at: self._distances(k, cores, rows[which], at), *ends)

    def _distances(self, k: int, cores: Cores, rows: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """(n,): about how far the bodies of pair k are from each other."""
        at = [places_of(core, _all(m.points(rows, moments).T, moments).T) for core, m in zip(cores, self._motions(k), strict=True)]
        return nearest(cores, at).distance - (cores[0].outer + cores[1].outer)

    def _meet(self, rows: np.ndarray, guess: _Guess, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,): whether the pair of a guess is proved to have a point in common at the end of these times (n, 2), and to move continuously
        within; and about where the bodies touch, in their own frames (n, 2, 3).
        """
        proved, points = np.zeros(len(rows), bool), np.zeros((len(rows), 2, 3))
        for k in np.unique(guess.pair[guess.pair >= 0]).tolist():
            cores, own = self._cores[k], np.flatnonzero(guess.pair == k)
            motions = self._motions(k)
            assert cores is not None
            at = [entries(m.at(rows[own], times[own, 1])) for m in motions]
            near = nearest(cores, [places_of(core, e.middle) for core, e in zip(cores, at, strict=True)])
            proved[own] = meeting(cores, at, near)
            for m in motions:
                proved[own] &= np.isfinite(m.slopes(rows[own], times[own])).all(axis=(1, 2))
            points[own] = _touching(cores, [e.middle for e in at], near)
        return proved, points

    def _left(self, k: int, rows: np.ndarray, left: Left, until: np.ndarray) -> Left:
        """The parts of windows up to these times (n,) in which pair k is not *proved* apart."""
        times = np.stack([left.times[:, 0], np.minimum(left.times[:, 1], until[left.rows])], axis=1)
        left, cores = Left(left.rows, times).some(times[:, 0] < times[:, 1]), self._cores[k]
        if cores is None:
            return self._scene.divided(k, rows, left)
        for turn in range(_ROUNDS):
            # A row that has many is not divided further.
            few = np.bincount(left.rows, minlength=len(rows))[left.rows] <= _MOST
            own = left.some(few).parts() if turn else left.some(few)
            own = own.some(~self._apart(k, cores, rows, own)) if len(own.rows) else own
            left = left.some(~few).joined(own)
        return left

    def _apart(self, k: int, cores: Cores, rows: np.ndarray, left: Left) -> np.ndarray:
        check()
        own, motions = rows[left.rows], self._motions(k)
        places, speeds = [entries(m.at(own, middles(left.times))) for m in motions], [entries(m.slopes(own, left.times)) for m in motions]
        return apart(cores, places, speeds, halves(left.times))


def _both(first: ConvexCore | None, second: ConvexCore | None) -> Cores | None:
    return None if first is None or second is None else (first, second)


def _any_of(rows: np.ndarray, left: Sequence[Left]) -> np.ndarray:
    """(n, pairs): the rows that have windows that are left."""
    found = np.zeros((len(rows), len(left)), bool)
    for k, own in enumerate(left):
        found[own.rows, k] = True
    return found


def _all(bounds: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """One for each row, also of a body at rest: both bodies of a pair may be."""
    return np.broadcast_to(bounds, (len(rows), *bounds.shape[1:]))


def _touching(cores: Cores, motions: Sequence[np.ndarray], near: Nearest) -> np.ndarray:
    """(n, 2, 3): about the points of two bodies, each in its own frame, that are nearest to the other, with these entries (12, n)."""
    points = [near.points(cores, side) for side in (0, 1)]
    first, second = (carried(own, p) for own, p in zip(motions, points, strict=True))
    way = (second - first) / np.maximum(near.distance, _TINY)
    found = [p + max(core.inner, 0.0) * sign * turned_back(own, way)
             for p, core, own, sign in zip(points, cores, motions, (1.0, -1.0), strict=True)]
    return np.stack(found).transpose(2, 0, 1)


def _root(f: Callable[[np.ndarray], np.ndarray], begin: tuple[np.ndarray, np.ndarray], end: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """About where functions vanish between times with values of different signs: the rule of false position, as the Illinois algorithm."""
    (a, f_a), (b, f_b) = begin, end
    for _ in range(_STEPS if len(a) else 0):
        with np.errstate(invalid="ignore", divide="ignore"):
            c = b - f_b * (b - a) / (f_b - f_a)
        c = np.where(np.isfinite(c), np.clip(c, np.minimum(a, b), np.maximum(a, b)), b)
        f_c = f(c)
        other = (f_c > 0.0) != (f_b > 0.0)
        a, f_a = np.where(other, b, a), np.where(other, f_b, 0.5 * f_a)
        b, f_b = c, f_c
    return np.asarray(b)
