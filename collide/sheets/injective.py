"""Pairs of places on a sheet that may meet without being the same place.

Every place coincides with itself, so what can be asked of a sheet is whether *different* places are the same point of space. For places
close to each other two theorems decide it.

Along a side. Let H be a box of the plane of a `Join` that holds p and q, and e1, e2 two directions. By the mean value theorem
e_i . (S(p) - S(q)) = (m_i1, m_i2) . (p - q) with m_ij among the values of e_i . S_u and e_i . S_v on H (of Clarke's gradients, where S has
kinks). If no matrix with such entries is singular, S(p) = S(q) only where p = q: S is *injective* on H. Two surfaces that share a side
are glued along it: the parameters of the second continue those of the first, and the theorem holds for the glued map with entries from
both, as Clarke's gradients on the side are averages of theirs. A surface that closes is glued to itself.

At a corner. Let p0 and q0 be the corners that are the same point, and n a direction. If n . S_u and n . S_v point away from the corner on
a box of the first surface that holds p and p0 (positive times the direction of the parameter away from the corner), and n . S_u and
n . S_v of the second surface towards it on a box that holds q and q0, then n . S(p) >= n . S(p0) = n . S(q0) >= n . S(q) by the mean value
theorem, with equality only where p = p0 and q = q0. By Gordan's theorem there is such an n if no combination of the four tangents
with weights >= 0 vanishes: if the two quarters do not meet, and neither folds up.

Where two surfaces share two sides, their tangents agree at the common corner: for that see `folding`.

`division` halves pairs of boxes until each is proved injective, which drops it, or lies apart in the parameters, which makes it an
ordinary question of contact. What is neither when it is small is *not covered*.
"""

import functools
import itertools
from dataclasses import dataclass

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile

from ..search.clock import SEARCHING, Clock
from .enclosures import PiecePairs, affine, hull_of, slopes_on, tangents_at
from .folding import unfolded

# Division ends where boxes are this small against the domain, or when so many pairs of boxes were examined, so many at once.
_SMALLEST, _MOST, _AT_ONCE = 2.0**-11, 1_000_000, 1 << 13
# Boxes are neighbours if they are nearer than this, against the size of the domain: what is farther is searched like other pairs.
NEAR = sp.Rational(1, 2**24)
# A pair of boxes is an array (5, 2), of u1, v1, u2, v2, t.
_FIRST, _SECOND, _TIME = slice(0, 2), slice(2, 4), 4


# -- division -----------------------------------------------------------------------------------------------------


def division(known: PiecePairs, span: tuple[float, float], clock: Clock) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """Pairs of boxes (n, 5, 2) that are apart, to be searched; the numbers (n,) of their pairs of pieces; those that are not covered; and
    whether it came to its end within the budget.

    Every pair of different places, at every time of the span up to the earliest of a box that is not covered, is in one of them
    or *proved* not to meet. Of one piece (p, q) stands for (q, p) too.
    """
    boxes = np.concatenate([known.domain, np.tile(np.array(span), (len(known), 1, 1))], axis=1)
    owner, smallest, examined, limit = np.arange(len(known)), _SMALLEST * (boxes[:, :, 1] - boxes[:, :, 0]), 0, span[1]
    kept, left = [(boxes[:0], owner[:0])], [boxes[:0]]
    with clock.working(), clock.doing(SEARCHING):
        while len(boxes) and not clock.exceeded():
            last = examined >= _MOST
            now, later = _earliest(boxes, len(boxes) if last else _AT_ONCE)
            done, divided, uncovered = _examined(known, boxes[now], owner[now], smallest, last)
            examined, clock.boxes = examined + len(now), clock.boxes + len(now)
            limit = uncovered[:, _TIME, 0].min(initial=limit)
            kept, left = [*kept, done], [*left, uncovered]
            rest, whose = np.concatenate([boxes[later], divided[0]]), np.concatenate([owner[later], divided[1]])
            early = rest[:, _TIME, 0] <= limit
            boxes, owner = rest[early], whose[early]
    found, owners = (np.concatenate(parts) for parts in zip(*kept, strict=True))
    return found, owners, np.concatenate([*left, boxes]), not len(boxes)


Boxes = tuple[np.ndarray, np.ndarray]


def _examined(known: PiecePairs, boxes: np.ndarray, owner: np.ndarray, smallest: np.ndarray, last: bool) -> tuple[Boxes, Boxes, np.ndarray]:
    """Those to be searched, parts of those to be divided, and those not covered: the small ones, or all if these are the last."""
    join, hull, apart = _nearest(known, boxes, owner)
    near = _Near(known, owner, join, hull, boxes)
    doubtful = near.doubtful()
    kept = boxes[doubtful & apart], owner[doubtful & apart]
    near = near.some(doubtful & ~apart)
    small = near.boxes[:, :, 1] - near.boxes[:, :, 0] < smallest[near.owner]
    end = small.all(axis=1) | last
    rest = near.some(~end)
    return kept, rest.divided(rest.axis(small[~end], smallest[rest.owner])), near.boxes[end]


def _nearest(known: PiecePairs, boxes: np.ndarray, owner: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The join by which the places are nearest; boxes (n, 3, 2) in u, v, t that hold both on its plane; and which pairs are apart by all.
    """
    a, count = boxes[:, _FIRST], known.place.shape[1]
    rows = np.repeat(owner, count)
    placed = affine(known.place[rows, np.tile(np.arange(count), len(owner))], np.repeat(boxes[:, _SECOND], count, axis=0))
    placed = placed.reshape(len(boxes), count, 2, 2)
    size = known.domain[owner, :2, 1] - known.domain[owner, :2, 0]
    gap = (np.maximum(a[:, None, :, 0] - placed[..., 1], placed[..., 0] - a[:, None, :, 1]) / size[:, None]).max(axis=2)
    join = np.argmin(gap, axis=1)
    b = placed[np.arange(len(boxes)), join]
    return join, np.concatenate([hull_of(a, b), boxes[:, _TIME:]], axis=1), gap.min(axis=1) > float(NEAR)


@dataclass(frozen=True, eq=False)
class _Near:
    """Pairs of boxes, each with its pair of pieces, the join by which it is nearest, and its hull on the plane of that."""

    known: PiecePairs
    owner: np.ndarray
    join: np.ndarray
    hull: np.ndarray
    boxes: np.ndarray

    def some(self, which: np.ndarray) -> "_Near":
        return _Near(self.known, *(a[which] for a in (self.owner, self.join, self.hull, self.boxes)))

    def _of(self, name: str) -> np.ndarray:
        values: np.ndarray = getattr(self.known, name)[self.owner, self.join]
        return values

    def doubtful(self) -> np.ndarray:
        """The mask of those not proved injective."""
        corner = np.asarray(self._of("across").all(axis=1))
        doubtful = np.full(len(self.owner), True)
        for which, theorem in ((~corner, _Near._along_side), (corner, _Near._at_corner)):
            doubtful[which] = ~theorem(self.some(which))
        if self.known.folds.shape[1]:
            left = self.some(doubtful)
            doubtful[doubtful] = ~unfolded(self.known, left.owner, left.boxes)
        return doubtful

    # -- along a side -------------------------------------------------------------------------------------------

    def _along_side(self) -> np.ndarray:
        lo, hi = _determinant().interval(*self._entries(self.hull, self._directions()))
        return (lo[:, 0] > 0) | (hi[:, 0] < 0)

    def _sides(self, hull: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The parts of the hulls where the first surface is; which ones go on in the second, and where, in its own parameters."""
        across, edge = self._of("across"), self._of("edge")
        lower, upper = np.where(across < 0, edge[..., 0], -np.inf), np.where(across > 0, edge[..., 1], np.inf)
        mine = np.concatenate([_clipped(hull[:, :2], lower, upper), hull[:, 2:]], axis=1)
        lower, upper = np.where(across > 0, edge[..., 0], -np.inf), np.where(across < 0, edge[..., 1], np.inf)
        other = _clipped(hull[:, :2], lower, upper)
        goes_on = np.asarray(across.any(axis=1))
        own = affine(self._of("back")[goes_on], other[goes_on])
        return mine, goes_on, np.concatenate([own, hull[goes_on, 2:]], axis=1)

    def _directions(self) -> np.ndarray:
        """(n, 6): e1 and e2, whose slopes along the tangents at the middle are 1 and 0; across a side along the mean of both unit tangents
        at right angles to it, which sees both parts go the same way unless they lie on one another. Any would do.
        """
        mine, goes_on, own = self._sides(self.hull)
        tangents = tangents_at(self.known, 0, self.owner, mine).reshape(-1, 2, 3)
        other = tangents_at(self.known, 1, self.owner[goes_on], own).reshape(-1, 2, 3)
        back = self._of("back")[goes_on].mean(axis=-1)[:, :4].reshape(-1, 2, 2)
        other = np.einsum("rok,roi->rki", back, other)
        rows, beside = np.arange(len(other)), np.argmax(self._of("across")[goes_on] != 0, axis=1)
        inner, outer = tangents[goes_on], other
        along = inner[rows, 1 - beside] + outer[rows, 1 - beside]
        both = np.empty_like(outer)
        both[rows, 1 - beside] = along
        both[rows, beside] = _unit_beside(inner[rows, beside], along) + _unit_beside(outer[rows, beside], along)
        tangents[goes_on] = both
        return _dual(tangents.reshape(-1, 6))

    def _entries(self, hull: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Enclose e_1 . S_u, e_1 . S_v, e_2 . S_u, e_2 . S_v on each hull: (n, 4)."""
        mine, goes_on, own = self._sides(hull)
        lo, hi = slopes_on(self.known, 0, self.owner, mine, e)
        second = slopes_on(self.known, 1, self.owner[goes_on], own, e[goes_on])
        back = self._of("back")[goes_on][:, :4]
        low, high = _chain().interval(*(np.hstack([s, back[..., k]]) for k, s in enumerate(second)))
        lo[goes_on], hi[goes_on] = np.minimum(lo[goes_on], low), np.maximum(hi[goes_on], high)
        return lo, hi

    # -- at a corner --------------------------------------------------------------------------------------------

    def _at_corner(self) -> np.ndarray:
        if not len(self.owner):
            return np.empty(0, bool)
        across, corner = self._of("across"), self._of("edge")
        mine = hull_of(self.boxes[:, _FIRST], corner)
        own = hull_of(self.boxes[:, _SECOND], affine(self._of("back"), corner))
        # The sense of each parameter away from the corner; those of the second run on the plane with the signs of their rates.
        away = -across, across * np.sign(self._of("back").mean(axis=-1)[:, [0, 3]])
        boxes = [np.concatenate([box, self.boxes[:, _TIME:]], axis=1) for box in (mine, own)]
        outward = [tangents_at(self.known, k, self.owner, boxes[k]).reshape(-1, 2, 3) * away[k][:, :, None] for k in (0, 1)]
        n = _between(np.concatenate([outward[0], -outward[1]], axis=1))
        proved = np.full(len(n), True)
        for k, wanted in enumerate((away[0], -away[1])):
            lo, hi = (ends[:, :2] for ends in slopes_on(self.known, k, self.owner, boxes[k], np.hstack([n, np.zeros_like(n)])))
            proved &= np.where(wanted > 0, lo > 0, hi < 0).all(axis=1)
        return proved

    # -- division -----------------------------------------------------------------------------------------------

    def axis(self, small: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """Along which of u, v, t to halve: the one without whose width the slopes are known best; round a corner the widest."""
        e, source = self._directions(), 2 + self._of("source")
        lo, hi = self._entries(self.hull, e)
        size = np.tile(np.maximum(np.abs(lo), np.abs(hi)).reshape(-1, 2, 2).max(axis=1), 2)
        doubt, width = np.empty((len(self.hull), 3)), (self.hull[:, :, 1] - self.hull[:, :, 0]) / unit[:, [0, 1, _TIME]]
        for axis in range(3):
            thin = self.hull.copy()
            thin[:, axis] = self.hull[:, axis].mean(axis=1, keepdims=True)
            lo, hi = self._entries(thin, e)
            with np.errstate(invalid="ignore", divide="ignore"):
                doubt[:, axis] = np.nan_to_num((hi - lo) / size, nan=np.inf).sum(axis=1)
        tiny = np.column_stack([*(small[:, k] & np.take_along_axis(small, source[:, k, None], axis=1)[:, 0] for k in (0, 1)), small[:, 4]])
        doubt[tiny], width[tiny] = np.inf, -1.0
        return np.where(np.isinf(doubt).all(axis=1), np.argmax(width, axis=1), np.argmin(doubt, axis=1))

    def divided(self, axis: np.ndarray) -> Boxes:
        """Halves in time, or all pairs of halves along a parameter; of equal boxes of one surface each pair of halves once."""
        late = axis == 2
        parts = [(_half(self.boxes[late], np.full(late.sum(), _TIME), upper), self.owner[late]) for upper in (0, 1)]
        boxes, owner, axis = self.boxes[~late], self.owner[~late], axis[~late]
        other = 2 + np.take_along_axis(self._of("source")[~late], axis[:, None], axis=1)[:, 0]
        equal = (boxes[:, _FIRST] == boxes[:, _SECOND]).all(axis=(1, 2)) & self.known.same[owner]
        for i, j in itertools.product((0, 1), repeat=2):
            use = ~equal if (i, j) == (1, 0) else np.full(len(boxes), True)
            parts.append((_half(_half(boxes[use], axis[use], i), other[use], j), owner[use]))
        return np.concatenate([b for b, _ in parts]), np.concatenate([o for _, o in parts])


def _clipped(boxes: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The parts of boxes within limits; something small where there is none, as of a thin box beyond them."""
    return np.sort(np.stack([np.maximum(boxes[..., 0], lower), np.minimum(boxes[..., 1], upper)], axis=-1), axis=-1)


def _earliest(boxes: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of as many boxes that begin first, and of the others."""
    if count >= len(boxes):
        return np.arange(len(boxes)), np.arange(0)
    order = np.argpartition(boxes[:, _TIME, 0], count)
    return order[:count], order[count:]


def _half(boxes: np.ndarray, k: np.ndarray, upper: int) -> np.ndarray:
    result, rows = boxes.copy(), np.arange(len(boxes))
    result[rows, k, 1 - upper] = 0.5 * (boxes[rows, k, 0] + boxes[rows, k, 1])
    return result


def _unit_beside(a: np.ndarray, along: np.ndarray) -> np.ndarray:
    """The unit vectors of the parts of vectors (n, 3) at right angles to others."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        part = a - along * ((a * along).sum(axis=1) / (along**2).sum(axis=1))[:, None]
        return np.nan_to_num(part / np.linalg.norm(part, axis=1, keepdims=True), nan=0.0, posinf=0.0, neginf=0.0)


def _dual(tangents: np.ndarray) -> np.ndarray:
    """(n, 6): e1 and e2 in the plane of two vectors a and b each (n, 6), with e1 . a = e2 . b = 1 and e1 . b = e2 . a = 0."""
    a, b = tangents[:, :3], tangents[:, 3:]
    aa, bb, ab = ((p * q).sum(axis=1, keepdims=True) for p, q in ((a, a), (b, b), (a, b)))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        dual = np.hstack([bb * a - ab * b, aa * b - ab * a]) / (aa * bb - ab * ab)
    return np.where(np.isfinite(dual), dual, 0.0)


def _between(directions: np.ndarray) -> np.ndarray:
    """(n, 3): a direction that makes the least of its cosines with (n, 4, 3) large; any would do."""
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = np.nan_to_num(directions / np.linalg.norm(directions, axis=2, keepdims=True))
    n = unit.sum(axis=1)
    for step in range(1, 24):
        worst = np.argmin(np.einsum("rki,ri->rk", unit, n), axis=1)
        n = n + unit[np.arange(len(n)), worst] * (2.0 / step)
    return np.asarray(n)


# -- kernels ------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1)
def _determinant() -> Kernel:
    a, b, c, d = sp.symbols("a b c d", real=True)
    return compile([a * d - b * c], [a, b, c, d])


@functools.lru_cache(maxsize=1)
def _chain() -> Kernel:
    """Slopes by the plane's parameters from those by the own ones, and the factors of the plane's in the own."""
    s, f = sp.symbols("s0:4", real=True), sp.symbols("f0:4", real=True)
    return compile([s[2 * i] * f[k] + s[2 * i + 1] * f[2 + k] for i in (0, 1) for k in (0, 1)], [*s, *f])
