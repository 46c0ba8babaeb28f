"""Bounds of how far edges are from the faces they bound: the curve in space against the image of the piece in the parameters.

*Proved*, for all points of an edge. Both run over one parameter s from 0 to 1. Where they are waves of the same angle, or straight, terms
of the difference are collected by wave: each coefficient is then enclosed near its value, and one evaluation over all s is enough. Other
differences are enclosed by Taylor's theorem over ranges of s that are halved where the bound is much larger than values at midpoints.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, ExprPool, substitute
from codegen.kernel import Kernel, compile

from ..pattern import Pattern, bounds
from ..symbols import u, v
from ..trimming_pieces import LoopPiece
from .curves import CurveForm, curve_pattern, is_segment, symbols
from .surfaces import ROUND, SurfaceForm, surface_pattern

# Ranges are halved so often at most; not where a bound is within this factor of values, or below this share of the size of coordinates, or,
# below the next share, where it fell by less than the last factor, as it does where only rounding is left.
_ROUNDS, _FACTOR, _FINE, _ROUNDING, _FALLS = 16, 1.3, 4e-16, 1e-10, 0.8
# The order of Taylor's theorem.
_ORDER = 5
# By so much of its size a patch of a spline is wider, where it is asked which of its patches a curve runs along.
_WIDER = 1e-9


class Use(NamedTuple):
    """An edge beside a face: pieces of its surface, its curve in the parameters and in space, both from the first to the last parameter."""

    parts: Sequence[SurfaceForm]
    flat: LoopPiece
    space: CurveForm


Kind = tuple[Any, ...]
# The squares of larger numbers are far from the least doubles.
_SQUARED = 1e-140


def gaps(uses: Sequence[Use]) -> np.ndarray:
    """Upper bounds of the distance between the image of the piece and the edge, one for each use."""
    found = np.zeros(len(uses))
    groups: dict[Kind, list[tuple[int, np.ndarray]]] = {}
    known: dict[int, np.ndarray] = {}
    for k, use in enumerate(uses):
        for part in use.parts if len(use.parts) == 1 else filter(_met_by(use.flat), use.parts):
            kind, numbers = _collected(part, use) or _general(part, use, known)
            groups.setdefault(kind, []).append((k, numbers))
    for kind, own in groups.items():
        rows = np.array([numbers for _, numbers in own])
        sizes = _largest(kind, rows) if kind[0] == "general" else _over_all(kind, rows)
        np.maximum.at(found, [k for k, _ in own], sizes)
    return found


def _over_all(kind: Kind, numbers: np.ndarray) -> np.ndarray:
    own = numbers.transpose(1, 0, 2).copy()
    ones = np.ones((len(numbers), 1))
    return _sizes(*_kernel(kind).interval(0.0 * ones, ones, parameters=(own[0], own[1])))


def _sizes(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Upper bounds of lengths of vectors; 0 where all of their coordinates are. Where their squares may be too small for doubles the bound
    is the sum of the coordinates.
    """
    largest = np.maximum(np.abs(low[:, :3]), np.abs(high[:, :3]))
    top = largest.max(axis=1)
    lengths = np.where(top > _SQUARED, np.sqrt((largest**2).sum(axis=1)), largest.sum(axis=1))
    return np.where(top > 0.0, np.nextafter(lengths * (1 + 1e-14), np.inf), 0.0)


def _largest(kind: Kind, numbers: np.ndarray) -> np.ndarray:
    """Bounds of the difference where its piece of the surface counts, over ranges of s; `numbers`: (n, 2, p), the first four of each the
    ranges of u and of v.
    """
    kernel, count = _kernel(kind), len(numbers)
    found, seen = np.zeros(count), np.zeros(count)
    owners = np.arange(count)
    low, high, before = np.zeros((count, 1)), np.ones((count, 1)), np.full(count, np.nan)
    for k in range(_ROUNDS):
        own = numbers[owners].transpose(1, 0, 2).copy()
        lo, hi = kernel.interval(low, high, parameters=(own[0, :, 4:].copy(), own[1, :, 4:].copy()))
        here = ((lo[:, 3:] <= own[1, :, 1:4:2]) & (hi[:, 3:] >= own[0, :, 0:4:2])).all(axis=1)
        values = kernel.points(0.5 * (low + high), parameters=own.mean(axis=0)[:, 4:].copy())
        inside = here & ((values[:, 3:] <= own[1, :, 1:4:2]) & (values[:, 3:] >= own[0, :, 0:4:2])).all(axis=1)
        np.maximum.at(seen, owners[inside], np.sqrt((values[inside, :3] ** 2).sum(axis=1)))
        sizes, coordinates = _sizes(lo, hi), np.abs(own[1, :, 4:]).max(axis=1)
        more = here & (sizes > _FACTOR * seen[owners] + _FINE * coordinates) & ~(sizes >= _FALLS * before) & (k < _ROUNDS - 1)
        done = here & ~more
        np.maximum.at(found, owners[done], sizes[done])
        if not more.any():
            break
        before = np.tile(np.where(sizes < _ROUNDING * coordinates, sizes, np.nan)[more], 2)
        middle, owners = 0.5 * (low + high)[more], np.tile(owners[more], 2)
        low, high = np.concatenate([low[more], middle]), np.concatenate([middle, high[more]])
    return found


# -- kinds of differences ----------------------------------------------------------------------------------------------


def _met_by(flat: LoopPiece) -> Callable[[SurfaceForm], bool]:
    """Whether a patch may be met by a piece: its control points have it in their hull, where they are seen to be that."""
    numbers = flat.curve.numbers
    bezier = any(flat.curve.pattern is curve_pattern(("Bezier", d, False), 2) for d in [len(numbers) // 2 - 2] if d > 0)
    poles = np.array(numbers[2:] if bezier else numbers, float).reshape(-1, 2) if bezier or is_segment(flat) else None

    def meets(part: SurfaceForm) -> bool:
        limits = [r for r in (part.u_range, part.v_range) if r is not None]
        if poles is None or len(limits) < 2:
            return True
        return all(poles[:, k].min() <= hi + _WIDER * (hi - lo) and poles[:, k].max() >= lo - _WIDER * (hi - lo)
                   for k, (lo, hi) in enumerate(limits))

    return meets


def _known_bounds(numbers: tuple[Any, ...], known: dict[int, np.ndarray]) -> np.ndarray:
    if id(numbers) not in known:
        known[id(numbers)] = bounds(numbers)
    return known[id(numbers)]


def _general(part: SurfaceForm, use: Use, known: dict[int, np.ndarray]) -> tuple[Kind, np.ndarray]:
    pattern, flat, space = use.flat.curve.pattern, use.flat.curve.numbers, use.space
    limits = [(-math.inf, math.inf) if r is None else (r[0] - _WIDER * (r[1] - r[0]), r[1] + _WIDER * (r[1] - r[0]))
              for r in (part.u_range, part.v_range)]
    return ("general", part.kind, pattern, space.kind), np.hstack([
        np.tile(np.ravel(limits), (2, 1)), _known_bounds(part.numbers, known), bounds([*flat, use.flat.first, use.flat.last]),
        _known_bounds(space.numbers, known), bounds([space.first, space.last])])


@functools.cache
def _kernel(kind: Kind) -> Kernel:
    if kind[0] != "general":
        pattern = _COLLECTED[kind[0]](*kind[1:])
        return compile(list(pattern.formulas), [u], pattern.symbols, quick=True)
    _, surface, flat, space = kind
    own, other = surface_pattern(surface), curve_pattern(space, 3)
    counts = [len(own.symbols), len(flat.symbols) + 2, len(other.symbols) + 2]
    pool = ExprPool()
    s, begins = pool.variable(0), np.cumsum([0, *counts])
    mine, its, edge = ([pool.parameter(k) for k in range(a, b)] for a, b in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True))
    a, b, _ = flat.nodes({u: its[-2] + s * (its[-1] - its[-2])}, its[:-2], pool)
    place = other.nodes({u: edge[-2] + s * (edge[-1] - edge[-2])}, edge[:-2], pool)
    off = [p - q for p, q in zip(own.nodes({u: a, v: b}, mine, pool), place, strict=True)]
    return compile([*(_taylor_form(e, s) for e in off), a, b], [u], [f"n{k}" for k in range(sum(counts))], quick=True)


def _taylor_form(f: Expr, s: Expr) -> Expr:
    """The natural extension cut with that of Taylor's theorem about the midpoint, to the order `_ORDER`, where f is differentiable."""
    pool = f.pool
    centre = pool.node("midpoint", s)
    step = pool.node("sub", s, centre)
    total, slope = substitute([f], {s.index: centre})[0], f
    for k in range(1, _ORDER + 1):
        ((slope,),) = partials([slope], [s])
        factor = slope if k == _ORDER else substitute([slope], {s.index: centre})[0]
        total = total + pool.constant(Fraction(1, math.factorial(k))) * factor * pool.power_integer(step, k)
    return pool.node("refined", f, pool.trusted(total, f, 3))


def _collected(part: SurfaceForm, use: Use) -> tuple[Kind, np.ndarray] | None:
    """A kind whose terms are collected, and its numbers, where the curves are seen to be of one."""
    kind, flat, space = part.kind[0], use.flat, use.space
    if kind == "Plane":
        if is_segment(flat) and space.kind == ("Line",):
            return ("flat line",), bounds([*part.numbers, *flat.curve.numbers, *space.numbers, space.first, space.last])
        if flat.curve.pattern is curve_pattern(space.kind, 2) and space.kind[0] in ("Ellipse", "Hyperbola"):
            angle = sorted((space.first, space.last))
            waves = np.array([[angle[0]], [angle[1]]])
            return ("flat wave", space.kind[0]), np.hstack([bounds([*part.numbers, *flat.curve.numbers, *space.numbers]), waves])
    if kind in ROUND and is_segment(flat):
        a, b, c, d = flat.curve.numbers
        if space.kind == ("Line",) and kind in ("CylindricalSurface", "ConicalSurface") and abs(c - a) <= _WIDER:
            numbers = bounds([*part.numbers, b, d, *space.numbers, space.first, space.last])
            return ("ruled", kind), np.hstack([numbers, [[min(a, c)], [max(a, c)]]])
        if space.kind == ("Ellipse",):
            return _turning(part, flat, space)
    return None


def _turning(part: SurfaceForm, flat: LoopPiece, space: CurveForm) -> tuple[Kind, np.ndarray] | None:
    """A circle along lines of constant u or v: the angle of the surface is that of the circle, or against it, and a shift."""
    numbers, length = flat.curve.numbers, space.last - space.first
    for axis in (0, 1) if part.kind[0] == "ToroidalSurface" else (0,):
        a, c, b, d = numbers[axis], numbers[axis + 2], numbers[1 - axis], numbers[3 - axis]
        sense = 1 if c > a else -1
        if abs(abs(c - a) - length) > _WIDER or abs(d - b) > _WIDER:
            continue
        # Rounded outwards: each shift is a difference of two doubles.
        shifts = [a - sense * space.first, c - sense * space.last]
        around = [math.nextafter(min(shifts), -math.inf), math.nextafter(max(shifts), math.inf)]
        rest = [[around[0], min(b, d), space.first], [around[1], max(b, d), space.last]]
        return ("turning", part.kind[0], axis, sense), np.hstack([bounds([*part.numbers, *space.numbers]), rest])
    return None


def _flat_line() -> Pattern:
    n = symbols(24)
    at = {u: n[12] + u * (n[14] - n[12]), v: n[13] + u * (n[15] - n[13])}
    own = [e.xreplace(dict(zip(symbols(12), n[:12], strict=True))).xreplace(at) for e in surface_pattern(("Plane",)).formulas]
    edge = [n[16 + k] + (n[22] + u * (n[23] - n[22])) * n[19 + k] for k in range(3)]
    return _by_waves(own, edge, n, [u])


def _flat_wave(kind: str) -> Pattern:
    """(The last number is the angle of both.)"""
    flat, space = curve_pattern((kind,), 2), curve_pattern((kind,), 3)
    n = symbols(12 + 6 + 9 + 1)
    a, b = (e.xreplace(dict(zip(flat.symbols, n[12:18], strict=True))) for e in flat.formulas[:2])
    edge = [e.xreplace(dict(zip(space.symbols, n[18:27], strict=True))) for e in space.formulas]
    own = [e.xreplace({u: a, v: b}) for e in surface_pattern(("Plane",)).formulas]
    waves = [sp.cos(u), sp.sin(u)] if kind == "Ellipse" else [sp.cosh(u), sp.sinh(u)]
    return _by_waves(own, edge, n, waves, {u: n[-1]})


def _ruled(kind: str) -> Pattern:
    """(The last number is u.)"""
    surface = surface_pattern((kind,))
    count = len(surface.symbols)
    n = symbols(count + 2 + 6 + 2 + 1)
    p = n[count:]
    own = [e.xreplace({u: n[-1], v: p[0] + u * (p[1] - p[0])}) for e in surface.formulas]
    edge = [p[2 + k] + (p[8] + u * (p[9] - p[8])) * p[5 + k] for k in range(3)]
    return _by_waves(own, edge, n, [u])


def _turned(kind: str, axis: int, sense: int) -> Pattern:
    """(The last numbers are the shift, the other parameter, and the angle of the circle.)"""
    surface, space = surface_pattern((kind,)), curve_pattern(("Ellipse",), 3)
    count = len(surface.symbols)
    n = symbols(count + 9 + 3)
    shift, other, angle = n[-3:]
    edge = [e.xreplace(dict(zip(space.symbols, n[count:count + 9], strict=True))) for e in space.formulas]
    own = [e.xreplace(dict(zip((u, v) if axis == 0 else (v, u), (sense * u + shift, other), strict=True))) for e in surface.formulas]
    return _by_waves([sp.expand_trig(e) for e in own], edge, n, [sp.cos(u), sp.sin(u)], {u: angle})


_COLLECTED: dict[str, Callable[..., Pattern]] = {"flat line": _flat_line, "flat wave": _flat_wave, "ruled": _ruled, "turning": _turned}


def _by_waves(own: Sequence[Any], edge: Sequence[Any], n: tuple[Any, ...], waves: Sequence[Any], at: Any = None) -> Pattern:
    """The difference with one term for each wave."""
    found = []
    for a, b in zip(own, edge, strict=True):
        terms = sp.collect(sp.expand(a - b), waves, evaluate=False)
        found.append(sum((factor * wave for wave, factor in terms.items()), sp.S.Zero).xreplace(at or {}))
    return Pattern(tuple(found), n)
