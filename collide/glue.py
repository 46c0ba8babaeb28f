"""Pairs of places on one surface, or on two that share a side, that may meet without being the same place.

Every place coincides with itself, so what can be asked of one surface is whether *different* parameters give the same
point. For parameters close to each other a theorem decides it. Let H be a box that holds p and q, and e1, e2 two directions.
By the mean value theorem e_i . (S(p) - S(q)) = (m_i1, m_i2) . (p - q) with m_ij among the values of e_i . S_u and e_i . S_v
on H (of Clarke's gradients, where S has kinks). If no matrix with such entries is singular, S(p) = S(q) only where p = q: S is
*injective* on H. Two surfaces that share a side are glued along it: the parameters of the second continue those of the
first, and the theorem holds for the glued map with entries from both, as Clarke's gradients on the side are averages of
theirs. A closed surface is glued to itself.

`Glued.pairs` divides all pairs of places until each pair of boxes is proved injective, which drops it, or lies apart in
the parameters, which makes it an ordinary question of contact. What is neither when it is small is *not covered*.
"""

import functools
import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from codegen.autodiff import partials
from codegen.expr import ExprPool
from codegen.from_sympy import convert
from codegen.kernel import Kernel, compile
from generative import ParametricSurface, t, u, v

from .parts import sides
from .patch import bounds, enclose, period

# Division ends where boxes are this small against the domain, or when so many pairs of boxes were examined, so many at once.
_SMALLEST, _MOST, _AT_ONCE = 2.0**-11, 1_000_000, 1 << 13
# Boxes are neighbours if they are nearer than this, against the size of the domain.
_NEAR = sp.Rational(1, 2**24)
# A pair of boxes is an array (5, 2), of u1, v1, u2, v2, t.
_FIRST, _SECOND, _TIME = slice(0, 2), slice(2, 4), 4
u1, v1, u2, v2 = sp.symbols("u1 v1 u2 v2", real=True)

Point = tuple[Any, Any, Any]
Pieces = list[tuple[Point, np.ndarray]]


@dataclass(frozen=True)
class Glued:
    """Two surfaces on one plane of parameters: those of the first, and beyond its side at the end `end` (0 lower, 1 upper) of the
    parameter number `across` those of the second. `place` is where (u, v) of the second lies there; `continued` are its
    points as a function of that place. For a surface with itself `across` is None, and it closes along the parameters
    that have one of `periods`.
    """

    first: ParametricSurface
    second: ParametricSurface
    continued: Point
    place: tuple[Any, Any] = (u, v)
    across: int | None = None
    end: int = 0
    periods: tuple[Any, Any] = (0, 0)

    @cached_property
    def sizes(self) -> list[Any]:
        return [hi - lo for lo, hi in self.first.domain.values()]

    @property
    def distinct(self) -> tuple[Any, ...]:
        """Expressions of u1, v1, u2, v2: all of them positive where pairs of boxes are apart, one of them negative where
        the two places are the same.
        """
        near = (_NEAR / 2) ** 2
        other = [e.xreplace({u: u2, v: v2}) for e in self.place]
        shifts = itertools.product(*([-p, 0, p] if p else [0] for p in self.periods))
        return tuple(sum(((b + s - a) / size) ** 2 for a, b, s, size in zip((u1, v1), other, shift, self.sizes, strict=True)) - near
                     for shift in shifts)

    def pairs(self, span: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of boxes (n, 5, 2) that are apart, to be searched; and those that are not covered.

        Every pair of different places, at every time of the span up to the earliest of a box that is not covered, is in one of
        them or proved not to meet. Of a surface with itself (p, q) stands for (q, p) too.
        """
        outer, _ = bounds([*self.first.domain.values(), *self.second.domain.values()])
        boxes = np.concatenate([outer, [span]])[None]
        smallest = _SMALLEST * (boxes[0, :, 1] - boxes[0, :, 0])
        kept, left, limit, examined = [], [], span[1], 0
        while len(boxes):
            first, later = _earliest(boxes, _AT_ONCE if examined < _MOST else len(boxes))
            done, divided, uncovered = self._examined(first, smallest, last=examined >= _MOST)
            examined += len(first)
            kept.append(done)
            left.append(uncovered)
            limit = uncovered[:, _TIME, 0].min(initial=limit)
            boxes = np.concatenate([later, divided])
            boxes = boxes[boxes[:, _TIME, 0] <= limit]
        return np.concatenate(kept), np.concatenate(left)

    def _examined(self, boxes: np.ndarray, smallest: np.ndarray, last: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Those to be searched, parts of those to be divided, and those not covered: the small ones, or all if these are the last."""
        hull, apart = self._hull(boxes)
        doubtful = ~self._injective(hull)
        kept = boxes[doubtful & apart]
        boxes, hull = boxes[doubtful & ~apart], hull[doubtful & ~apart]
        small = boxes[:, :, 1] - boxes[:, :, 0] < smallest
        end = small.all(axis=1) | last
        return kept, self._divided(boxes[~end], self._axis(hull[~end], small[~end], smallest)), boxes[end]

    # -- where the boxes are --------------------------------------------------------------------------------------

    def _hull(self, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, 3, 2): boxes in u, v, t that hold both places on the glued plane; and which pairs are apart there."""
        a, b = boxes[:, _FIRST], self._placed(boxes)
        apart = np.any(_gap(a, b) > [float(_NEAR * size) for size in self.sizes], axis=1)
        both = np.stack([np.minimum(a[:, :, 0], b[:, :, 0]), np.maximum(a[:, :, 1], b[:, :, 1])], axis=2)
        return np.concatenate([both, boxes[:, _TIME:]], axis=1), apart

    def _placed(self, boxes: np.ndarray) -> np.ndarray:
        """The second boxes on the glued plane; whole periods away, where that is nearer to the first ones."""
        a, own = boxes[:, _FIRST], boxes[:, _SECOND]
        if self.across is not None:
            return _mapped(self.place, own)
        b = own
        for k, length in enumerate(self.periods):
            for shift in (-length, length) if length else ():
                moved = _mapped(tuple(s + shift if j == k else s for j, s in enumerate((u, v))), own)
                nearer = _gap(a, moved)[:, k] < _gap(a, b)[:, k]
                b = np.where(nearer[:, None, None] & (np.arange(2) == k)[:, None], moved, b)
        return b

    # -- the theorem ----------------------------------------------------------------------------------------------

    def _injective(self, hull: np.ndarray) -> np.ndarray:
        """Is no matrix with entries from their enclosures singular?"""
        lo, hi = _determinant_kernel().interval(*self._entries(hull, _directions(self._pieces(hull))))
        return (lo[:, 0] > 0) | (hi[:, 0] < 0)

    def _entries(self, hull: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Enclose e_1 . S_u, e_1 . S_v, e_2 . S_u, e_2 . S_v on each hull: (n, 4)."""
        pieces = self._pieces(hull)
        ends = [_slopes(f).interval(b[:, :, 0], b[:, :, 1], parameters=(e, e)) for f, b in pieces]
        return np.min([lo for lo, _ in ends], axis=0), np.max([hi for _, hi in ends], axis=0)

    def _pieces(self, hull: np.ndarray) -> Pieces:
        """The formulas that hold on the hulls, each with the part of them where it does."""
        if self.across is None:
            return [(self.first.expressions, hull)]
        lo, hi = enclose(list(self.first.domain.values())[self.across][self.end])
        low, high = hull.copy(), hull.copy()
        low[:, self.across] = np.minimum(low[:, self.across], hi)
        high[:, self.across] = np.maximum(high[:, self.across], lo)
        mine, other = (low, high) if self.end else (high, low)
        return [(self.first.expressions, mine), (self.continued, other)]

    # -- division -------------------------------------------------------------------------------------------------

    def _axis(self, hull: np.ndarray, small: np.ndarray, unit: np.ndarray) -> np.ndarray:
        """Along which of u, v, t to halve: the one without whose width the slopes are known best."""
        e = _directions(self._pieces(hull))
        lo, hi = self._entries(hull, e)
        size = np.tile(np.maximum(np.abs(lo), np.abs(hi)).reshape(-1, 2, 2).max(axis=1), 2)
        doubt, width = np.empty((len(hull), 3)), (hull[:, :, 1] - hull[:, :, 0]) / unit[[0, 1, _TIME]]
        for axis in range(3):
            thin = hull.copy()
            thin[:, axis] = hull[:, axis].mean(axis=1, keepdims=True)
            lo, hi = self._entries(thin, e)
            with np.errstate(invalid="ignore", divide="ignore"):
                doubt[:, axis] = np.nan_to_num((hi - lo) / size, nan=np.inf).sum(axis=1)
        tiny = np.stack([small[:, 0] & small[:, 2], small[:, 1] & small[:, 3], small[:, 4]], axis=1)
        doubt[tiny], width[tiny] = np.inf, -1.0
        return np.where(np.isinf(doubt).all(axis=1), np.argmax(width, axis=1), np.argmin(doubt, axis=1))

    def _divided(self, boxes: np.ndarray, axis: np.ndarray) -> np.ndarray:
        """Halves in time, or all pairs of halves along a parameter; of equal boxes of one surface each pair of halves once."""
        parts = [_half(boxes[axis == 2], _TIME, upper) for upper in (0, 1)]
        for k in (0, 1):
            whole = boxes[axis == k]
            for i, j in itertools.product((0, 1), repeat=2):
                repeated = (i, j) == (1, 0) and self.across is None
                equal = (whole[:, _FIRST] == whole[:, _SECOND]).all(axis=(1, 2)) & repeated
                parts.append(_half(_half(whole[~equal], k, i), 2 + k, j))
        return np.concatenate(parts)


def _earliest(boxes: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """As many boxes that begin first, and the others."""
    if count >= len(boxes):
        return boxes, boxes[:0]
    order = np.argpartition(boxes[:, _TIME, 0], count)
    return boxes[order[:count]], boxes[order[count:]]


def _half(boxes: np.ndarray, k: int, upper: int) -> np.ndarray:
    result = boxes.copy()
    result[:, k, 1 - upper] = 0.5 * (boxes[:, k, 0] + boxes[:, k, 1])
    return result


def _gap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    gap: np.ndarray = np.maximum(a[:, :, 0] - b[:, :, 1], b[:, :, 0] - a[:, :, 1])
    return gap


def _mapped(place: tuple[Any, ...], boxes: np.ndarray) -> np.ndarray:
    """Encloses the images (n, 2, 2) of boxes of (u, v)."""
    return np.stack(_map_kernel(place).interval(boxes[:, :, 0], boxes[:, :, 1]), axis=2)


@functools.lru_cache(maxsize=64)
def _map_kernel(place: tuple[Any, ...]) -> Kernel:
    return compile(list(place), [u, v])


@functools.lru_cache(maxsize=1)
def _determinant_kernel() -> Kernel:
    a, b, c, d = sp.symbols("a b c d", real=True)
    return compile([a * d - b * c], [a, b, c, d])


@functools.lru_cache(maxsize=64)
def _slopes(surface: Point) -> Kernel:
    """e1 . S_u, e1 . S_v, e2 . S_u, e2 . S_v as functions of u, v, t; e1 and e2 are parameters. Clarke's gradients, and the
    whole line where S is not continuous.
    """
    pool = ExprPool()
    at = [pool.variable(k) for k in range(3)]
    position = convert(surface, dict(zip((u, v, t), at, strict=True)), pool)
    e = [pool.parameter(k) for k in range(6)]
    along = [e[3 * i] * position[0] + e[3 * i + 1] * position[1] + e[3 * i + 2] * position[2] for i in (0, 1)]
    rows = partials(along, at[:2])
    outputs = [pool.trusted(d, f) for f, row in zip(along, rows, strict=True) for d in row]
    return Kernel(outputs, ("u", "v", "t"), [f"e{k}" for k in range(6)])


@functools.lru_cache(maxsize=64)
def _tangents(surface: Point) -> Kernel:
    return compile([sp.diff(c, s) for s in (u, v) for c in surface], [u, v, t])


def _directions(pieces: Pieces) -> np.ndarray:
    """(n, 6): e1 and e2, perpendicular, in the plane of the mean tangents at the middle of each piece. Any would do."""
    tangents = np.sum([_tangents(f).points(b.mean(axis=2)) for f, b in pieces], axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        a = tangents[:, :3] / np.linalg.norm(tangents[:, :3], axis=1, keepdims=True)
        b = tangents[:, 3:] - (tangents[:, 3:] * a).sum(axis=1, keepdims=True) * a
        b = b / np.linalg.norm(b, axis=1, keepdims=True)
    return np.nan_to_num(np.hstack([a, b]), posinf=0.0, neginf=0.0)


# -- gluing -------------------------------------------------------------------------------------------------------


def with_itself(surface: ParametricSurface) -> Glued:
    periods = tuple(hi - lo if period(surface, s) else sp.Integer(0) for s, (lo, hi) in surface.domain.items())
    return Glued(surface, surface, surface.expressions, periods=(periods[0], periods[1]))


def along_side(first: ParametricSurface, second: ParametricSurface) -> Glued:
    """Two surfaces along the side that they share, which is proved to be the same curve with proportional parameters."""
    shared = [g for side in sides(first) for other in sides(second) for reverse in (False, True)
              if (g := _glued(first, second, side, other, reverse)) is not None]
    if len(shared) != 1:
        raise ValueError(f"the two surfaces must share one side, with parameters in proportion along it; they share {len(shared)}")
    return shared[0]


def _glued(first: ParametricSurface, second: ParametricSurface, side: tuple[Any, int], other: tuple[Any, int],
           reverse: bool) -> Glued | None:
    """The surfaces glued along the side `side` of the first, `other` of the second, if these coincide."""
    (a, end), (b, far) = side, other
    along, beside = (v if a is u else u), (v if b is u else u)
    (a_lo, a_hi), (l_lo, l_hi), (b_lo, b_hi), (m_lo, m_hi) = (
        *(first.domain[s] for s in (a, along)), *(second.domain[s] for s in (b, beside)))
    start, rate = ((m_hi, -1) if reverse else (m_lo, 1))
    rate *= (m_hi - m_lo) / (l_hi - l_lo)
    edge, limit = (a_lo, a_hi)[end], (b_lo, b_hi)[far]
    pace = (b_hi - b_lo) / (a_hi - a_lo) * (1 if end != far else -1)
    back = {b: limit + pace * (a - edge), beside: start + rate * (along - l_lo)}
    continued = tuple(e.subs(back, simultaneous=True) for e in second.expressions)
    if not all(_vanishes((e - f).subs(a, edge)) for e, f in zip(first.expressions, continued, strict=True)):
        return None
    place = {a: edge + (b - limit) / pace, along: l_lo + (beside - start) / rate}
    return Glued(first, second, continued, (place[u], place[v]), 0 if a is u else 1, end)  # type: ignore[arg-type]


def _vanishes(e: Any) -> bool:
    """Is e shown to be zero? At some points first, in numbers: most sides do not coincide."""
    symbols = sorted(e.free_symbols, key=str)
    for k in range(1, 4):
        at = {s: sp.Rational(7 * k + 3 * j, 31) for j, s in enumerate(symbols)}
        if abs(complex(e.xreplace(at).evalf(20))) > 1e-9:
            return False
    return bool(sp.expand(e) == 0 or sp.simplify(e) == 0)
