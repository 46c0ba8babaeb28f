"""Integrals over what is inside a smooth implicit surface, in doubles (Saye, High-order quadrature methods for implicitly defined surfaces
and volumes in hyperrectangles, 2015).

A box is cut until the surface in it is a graph over one of its sides, by the signs of interval bounds of derivatives: along one axis the
function is monotone; on the two sides across it, it has one sign or is monotone along a second axis; and so it is on the four edges along
the third. Then the integral over the box is one of integrals of integrals whose ends are zeros of monotone functions. Between the zeros
all of them are analytic, and Gauss's rule converges fast.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import x, y, z

# Points of two rules, also in small boxes, whose difference tells whether a box is cut again: where it is more than this part of the whole,
# the finer of them is out by much less. Cuts are not in the middle, lest planes of symmetry be cut.
_RULES, _CLOSE, _CUT = ((7, 11), (3, 5)), 1e-12, 0.4721359549995794
# Cuts after which boxes are small; cuts, and boxes at once, at most; points along each side of those that are left.
_SMALL, _DEPTH, _BOXES, _SAMPLES = 5, 14, 1 << 12, 4
# By this part bounds are made wider, if so many points along each side tell that nothing is there.
_SHELL, _SEEN = 0.01, 33
# Steps of a zero's search, and how well it is found, against its size.
_STEPS, _ROUNDINGS = 60, 1e-14

Boxes = np.ndarray
Rows = np.ndarray
Combine = Callable[[np.ndarray], np.ndarray]


def smooth(expression: Any) -> bool:
    """Whether a function has no kinks that are seen."""
    return not expression.has(sp.Abs, sp.Max, sp.Min, sp.sign, sp.Piecewise, sp.floor, sp.ceiling, sp.Mod)


class _Leaf:
    """A smooth function: with its slopes, and theirs."""

    def __init__(self, expression: Any) -> None:
        slopes = [sp.diff(expression, s) for s in (x, y, z)]
        self.kernel = compile([expression, *slopes], [x, y, z], quick=True)
        self.bent = compile([sp.diff(e, s) for e in slopes for s in (x, y, z)], [x, y, z], quick=True)

    def signs(self, boxes: Boxes) -> np.ndarray:
        """(n,): 0 where it may have both."""
        level = _range((self.kernel, self.bent), boxes)[:, 0]
        return np.where(level[:, 1] <= 0.0, -1, np.where(level[:, 0] >= 0.0, 1, 0))


def volume_moments(leaves: Sequence[Any], combined: Combine, bounds: np.ndarray) -> tuple[np.ndarray, float]:
    """Integrals of 1, x, y, z, xx, yy, zz, yz, zx, xy within bounds (3, 2), and an estimate of the error of the first of them.

    `combined`: of the signs (n, m) of m smooth functions, that (n,) of a body, -1 inside and 1 outside, 0 where those that are 0 may be
    both. Where two of them matter boxes are cut as small as may be, and then sampled.
    """
    known = [_Leaf(e) for e in leaves]
    boxes = _wider(known, combined, bounds)[None]
    total, error, whole = np.zeros(10), 0.0, float(np.prod(np.ptp(bounds, axis=1)))
    for depth in range(_DEPTH + 1):
        signs = np.stack([leaf.signs(boxes) for leaf in known], axis=1)
        state = combined(signs)
        total = total + _rule(boxes[state < 0]).sum(axis=0)
        boxes, signs = boxes[state == 0], signs[state == 0]
        if depth == _DEPTH or len(boxes) > _BOXES or not len(boxes):
            break
        left = np.ones(len(boxes), bool)
        for n, leaf in enumerate(known):
            own = np.flatnonzero((signs[:, n] == 0) & ((signs == 0).sum(axis=1) == 1))
            found, change = _graphs(leaf, boxes[own], _RULES[depth >= _SMALL])
            # Of what a function cuts out the rest is inside.
            signs[own, n] = -1
            outer = combined(signs[own]) > 0
            found[outer] = _rule(boxes[own[outer]]) - found[outer]
            good = change <= _CLOSE * whole
            total, error, left[own[good]] = total + found[good].sum(axis=0), error + float(change[good].sum()), False
            signs[own, n] = 0
        boxes = _cut(boxes[left])
    return total + _sampled(known, combined, boxes), error + float(np.prod(np.ptp(boxes, axis=2), axis=1).sum()) / _SAMPLES**2


def _wider(leaves: Sequence[_Leaf], combined: Combine, bounds: np.ndarray) -> np.ndarray:
    """Bounds a little further out, lest a body touches them, where nothing else seems to be there."""
    wider = bounds + _SHELL * np.ptp(bounds, axis=1)[:, None] * [-1.0, 1.0]
    grid = np.stack(np.meshgrid(*(np.linspace(lo, hi, _SEEN) for lo, hi in wider), indexing="ij"), axis=-1).reshape(-1, 3)
    outside = grid[((grid < bounds[:, 0]) | (grid > bounds[:, 1])).any(axis=1)]
    signs = np.stack([np.sign(leaf.kernel.points(outside)[:, 0]) for leaf in leaves], axis=1)
    return wider if (combined(signs) > 0).all() else bounds


def _graphs(leaf: _Leaf, boxes: Boxes, rules: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """(n, 10), (n,): integrals over where a function is negative in boxes, and by how much two rules differ; infinity where it is no graph.
    """
    ways, found, change = _ways((leaf.kernel, leaf.bent), boxes), np.zeros((len(boxes), 10)), np.full(len(boxes), np.inf)
    for way in itertools.permutations(range(3)):
        own = np.flatnonzero((ways == way).all(axis=1))
        if len(own):
            rough, found[own] = (_inner(leaf.kernel, boxes[own], way, count) for count in rules)
            change[own] = np.abs(found[own] - rough)[:, 0]
    return found, change


def _sampled(leaves: Sequence[_Leaf], combined: Combine, boxes: Boxes) -> np.ndarray:
    """(10,): integrals over boxes by a lattice in each of them."""
    parts = (np.stack(np.meshgrid(*[np.arange(_SAMPLES) + 0.5] * 3, indexing="ij"), axis=-1) / _SAMPLES).reshape(-1, 3)
    points = (boxes[:, None, :, 0] + parts * np.ptp(boxes, axis=2)[:, None]).reshape(-1, 3)
    signs = np.stack([np.sign(leaf.kernel.points(points)[:, 0]) for leaf in leaves], axis=1)
    share = np.repeat(np.prod(np.ptp(boxes, axis=2), axis=1) / _SAMPLES**3, _SAMPLES**3) * (combined(signs) < 0)
    first, second = points.T, (points[:, [0, 1, 2, 1, 2, 0]] * points[:, [0, 1, 2, 2, 0, 1]]).T
    return np.array([share.sum(), *(first @ share), *(second @ share)])


def _range(kernels: tuple[Kernel, Kernel], boxes: Boxes) -> np.ndarray:
    """(n, 4, 2): bounds of the function and its slopes, except for rounding, also by the mean value theorem from the middles of boxes."""
    lo, hi = np.ascontiguousarray(boxes[..., 0]), np.ascontiguousarray(boxes[..., 1])
    half, middle = (hi - lo) / 2.0, kernels[0].points((lo + hi) / 2.0)
    low, high = (np.array(e) for e in kernels[0].interval(lo, hi))
    bends = np.abs(np.stack(kernels[1].interval(lo, hi))).max(axis=0).reshape(-1, 3, 3)
    with np.errstate(invalid="ignore"):
        off = np.einsum("nij,nj->ni", bends, half)
        low[:, 1:], high[:, 1:] = np.fmax(low[:, 1:], middle[:, 1:] - off), np.fmin(high[:, 1:], middle[:, 1:] + off)
        far = (np.maximum(np.abs(low[:, 1:]), np.abs(high[:, 1:])) * half).sum(axis=1)
        low[:, 0], high[:, 0] = np.fmax(low[:, 0], middle[:, 0] - far), np.fmin(high[:, 0], middle[:, 0] + far)
    return np.stack([low, high], axis=-1)


def _cut(boxes: Boxes) -> Boxes:
    middle = boxes[..., 0] + _CUT * np.ptp(boxes, axis=2)
    found = [np.stack([np.where(upper, middle, boxes[..., 0]), np.where(upper, boxes[..., 1], middle)], axis=-1)
             for upper in itertools.product((False, True), repeat=3)]
    return np.concatenate(found)


def _ways(kernels: tuple[Kernel, Kernel], boxes: Boxes) -> np.ndarray:
    """(n, 3): the axis along which the function is monotone in a box, the one along which it is so on the sides across that, and the third;
    -1 where there are none. Of several those along which it is steepest.
    """
    found, best = np.full((len(boxes), 3), -1), np.zeros(len(boxes))
    whole = _steep(_range(kernels, boxes))
    sides = {(k, end): _steep(_range(kernels, _flat(boxes, {k: end}))) for k in range(3) for end in (0, 1)}
    edges = {(j, k, a, b): _steep(_range(kernels, _flat(boxes, {j: a, k: b}))) for j, k in itertools.combinations(range(3), 2)
             for a in (0, 1) for b in (0, 1)}
    for k, j, i in itertools.permutations(range(3)):
        score = whole[:, 1 + k]
        for end in (0, 1):
            score = np.minimum(score, np.maximum(sides[k, end][:, 0], sides[k, end][:, 1 + j]))
        for a, b in itertools.product((0, 1), repeat=2):
            edge = edges[(j, k, a, b) if j < k else (k, j, b, a)]
            score = np.minimum(score, np.maximum(edge[:, 0], edge[:, 1 + i]))
        better = score > best
        found[better], best[better] = (k, j, i), score[better]
    return found


def _steep(ranges: np.ndarray) -> np.ndarray:
    """(n, 4): 0 for what may be zero; else 1 for the function, and for a slope how large it is at least, against all of them."""
    most = np.abs(ranges).max(axis=-1)
    least = np.where(np.sign(ranges).prod(axis=-1) > 0.0, np.abs(ranges).min(axis=-1), 0.0)
    found = least / np.maximum(most[:, 1:].sum(axis=1, keepdims=True), 1e-300)
    found[:, 0] = (ranges[:, 0, 0] >= 0.0) | (ranges[:, 0, 1] <= 0.0)
    return found


def _flat(boxes: Boxes, ends: dict[int, int]) -> Boxes:
    found = boxes.copy()
    for k, end in ends.items():
        found[:, k] = boxes[:, k, end, None]
    return found


def _zeros(kernel: Kernel, points: Rows, k: int, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Zeros of functions along axis k, monotone between two ends; the end at which they are nearer to zero where they have none."""
    points = points.copy()

    def at(places: np.ndarray, rows: Any = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        points[rows, k] = places
        found = np.asarray(kernel.points(points[rows]))
        return found[:, 0], found[:, 1 + k]

    first, last = at(lo)[0], at(hi)[0]
    none, nearer = (first > 0) == (last > 0), np.where(np.abs(first) <= np.abs(last), lo, hi)
    left, found = np.flatnonzero(~none), np.where(none, nearer, (lo + hi) / 2.0)
    rising, close = (last > first)[left], _ROUNDINGS * (np.abs(lo) + np.abs(hi))[left]
    lo, hi = lo[left], hi[left]
    for _ in range(_STEPS):
        now = found[left]
        value, slope = at(now, left)
        above = (value > 0) == rising
        lo, hi = np.where(above, lo, now), np.where(above, now, hi)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = now - value / slope
        then = found[left] = np.where((step >= lo) & (step <= hi), step, (lo + hi) / 2.0)
        more = np.abs(then - now) > close
        left, lo, hi, rising, close = (e[more] for e in (left, lo, hi, rising, close))
        if not len(left):
            break
    return found


def _inner(kernel: Kernel, boxes: Boxes, way: Sequence[int], count: int) -> np.ndarray:
    """(n, 10): integrals over parts of boxes, with a rule of so many points."""
    k, j, i = way
    n, owner = len(boxes), np.arange(len(boxes))
    # Along the third axis, between zeros on the four edges.
    marks = [boxes[:, i, 0], boxes[:, i, 1]]
    for a, b in itertools.product((0, 1), repeat=2):
        corner = _flat(boxes, {j: a, k: b})[..., 0]
        marks.append(_zeros(kernel, corner, i, boxes[:, i, 0], boxes[:, i, 1]))
    owner, place, weight = _between(np.sort(np.stack(marks, axis=1), axis=1), owner, count)
    points = boxes[owner, :, 0]
    points[:, i] = place
    # Along the second one, between zeros on the two sides.
    marks = [boxes[owner, j, 0], boxes[owner, j, 1]]
    for b in (0, 1):
        points[:, k] = boxes[owner, k, b]
        marks.append(_zeros(kernel, points, j, boxes[owner, j, 0], boxes[owner, j, 1]))
    row, place, share = _between(np.sort(np.stack(marks, axis=1), axis=1), np.arange(len(owner)), count)
    owner, weight, points = owner[row], weight[row] * share, points[row]
    points[:, j] = place
    # Along the first one, from or to the only zero.
    lo, hi = boxes[owner, k, 0], boxes[owner, k, 1]
    zero = _zeros(kernel, points, k, lo, hi)
    points[:, k] = (lo + hi) / 2.0
    points[:, k] = hi
    rising = np.asarray(kernel.points(points))[:, 0] > 0.0
    points[:, k] = lo
    falling = np.asarray(kernel.points(points))[:, 0] > 0.0
    lo, hi = np.where(falling, zero, lo), np.where(rising, zero, hi)
    keep = ~(rising & falling)
    own = _powers(points, k, lo, hi) * (weight * keep)[:, None]
    found = np.zeros((n, 10))
    np.add.at(found, owner, own)
    return found


def _between(marks: np.ndarray, rows: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The points of a rule in the pieces between sorted marks (n, m) that are not empty: their rows (p,), the points, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    lo, hi = marks[:, :-1], marks[:, 1:]
    row, piece = np.nonzero(hi > lo)
    half, middle = (hi - lo)[row, piece] / 2.0, (hi + lo)[row, piece] / 2.0
    return np.repeat(rows[row], count), (middle[:, None] + half[:, None] * nodes).ravel(), (half[:, None] * weights).ravel()


def _powers(points: Rows, k: int, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """(n, 10): the integrals along lines parallel to axis k, through points."""
    first, second, third = hi - lo, (hi**2 - lo**2) / 2.0, (hi**3 - lo**3) / 3.0
    one = [second if d == k else points[:, d] * first for d in range(3)]
    two = [third if d == k else points[:, d] ** 2 * first for d in range(3)]
    mixed = [points[:, a] * one[b] if a != k else points[:, b] * one[a] for a, b in ((1, 2), (2, 0), (0, 1))]
    return np.stack([first, *one, *two, *mixed], axis=1)


def _rule(boxes: Boxes) -> np.ndarray:
    """(n, 10): over whole boxes."""
    lo, hi = boxes[..., 0], boxes[..., 1]
    first, second, third = hi - lo, (hi**2 - lo**2) / 2.0, (hi**3 - lo**3) / 3.0
    ways = [tuple(int(d == k) for d in range(3)) for k in range(3)]
    powers = [(0, 0, 0), *ways, *(tuple(2 * e for e in w) for w in ways), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    table = np.stack([first, second, third], axis=-1)
    return np.stack([np.prod([table[:, d, p[d]] for d in range(3)], axis=0) for p in powers], axis=1)
