"""A patch and its equal, which shifts against it: contact over all of both, at the moment at which they come to lie on each other.

Let both be p -> R S(p) + T with one S and one R. They have a point in common at a moment if S(p) - S(q) = -d, where d is the shift of the
first seen from the second. The difference is a mean of S_u times that of u, and a mean of S_v times that of v. Where no vectors from the
bounds of S_u and S_v over the whole patch span the direction of d, there is none unless d = 0: so the first root of d is the first contact,
and all points touch then. Directions of d are known if its coordinates are proportional, or after division by the time that is left to a
rational root.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from codegen.interval import Interval
from codegen.kernel import compile
from generative import ParametricSurface, u, v

from ..bodies.numbers import NONE
from ..bodies.parts import is_closed
from ..bodies.surface_points import grid
from ..moment.start import Start
from ..polyhedra.exact.rational_shift import rational_shift
from ..polyhedra.exact.real_roots import Polynomial, Root, rational, roots, sign_at, trim
from ..polyhedra.flat.contact_samples import ContactSample
from ..timeline.scene import Scene
from .flat_pairs import FlatMeeting

# Cells along each side, over which slopes are bounded; parts of the time in which a direction is; samples along a side, at most.
_CELLS, _PARTS, _MOST = 16, 32, 40
# Half the width of a box of parameters, against their range.
_WIDTH = 2.0**-40
_START = Root((0, 1), 0, 0, 0)

Pair = tuple[int, int]
Ends = tuple[Fraction, Fraction]


class Direction(NamedTuple):
    """Bounds (3, 2) of vectors along a shift in a part of the time, and the last of them."""

    bounds: Sequence[Ends]
    last: Sequence[Fraction]


class Slopes(NamedTuple):
    """Bounds (3, 2) of S_u and of S_v over a whole patch, exact fractions."""

    by_u: Sequence[Ends]
    by_v: Sequence[Ends]


def congruent_pairs(scene: Scene, bodies: Sequence[Any], spacing: float) -> dict[Pair, FlatMeeting | None]:
    """The meetings of patches that come to lie on their equals, of the pairs that start apart."""
    found: dict[Pair, FlatMeeting | None] = {}
    for label in sorted({m.label for m in scene.near}):
        if scene.states[label] is Start.DISJOINT and label not in scene.early and label not in scene.tracked:
            first, second = (bodies[k] for k in label)
            met = _meeting(label, first, second, scene.span, spacing) if _are_equal(first, second) else None
            if met is not None:
                found[label] = met
    return found


def _are_equal(first: Any, second: Any) -> bool:
    """Whether two bodies are the same patch, which does not deform, turned alike."""
    if not (isinstance(first, ParametricSurface) and isinstance(second, ParametricSurface)):
        return False
    return bool(first.resting == second.resting and not first.deforming and first.motion.multiplied and second.motion.multiplied
                and first.motion.rotation == second.motion.rotation)


def _meeting(label: Pair, first: ParametricSurface, second: ParametricSurface, span: tuple[float, float],
             spacing: float) -> FlatMeeting | None:
    bounds = slopes_of(first.resting)
    known = None if bounds is None else rational_shift(first.motion, second.motion)
    window = None if known is None or len(known.scale) > 1 or known.scale[0] < 0 else known.window(*span)
    if bounds is None or window is None:
        return None
    shift = window.entries[9:]
    at = _first_zero(shift)
    ways = [] if at is None else _directions(shift, at)
    if at is None or not ways or not all(_spans(bounds, way) for way in ways):
        return None
    lo, hi = window.narrowed(at, 0.0)[1]
    time = Interval(max(lo, span[0]), min(hi, span[1]))
    rows, sparse = _rows(first.resting, [-float(e) for e in ways[-1].last], spacing)
    return None if time[0] > time[1] else FlatMeeting(label, time, rows, second.motion, 1, sparse)


# -- proof ----------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def slopes_of(face: ParametricSurface) -> Slopes | None:
    """None of patches that are closed, not differentiable, or whose slopes may be parallel."""
    if set().union(*(e.free_symbols for e in face.body)) - {u, v} or is_closed(face):
        return None
    kernel, cells = compile(list(face.body), [u, v], quick=True), grid(face, NONE, _CELLS)
    _, _, level = kernel.decorated(cells[..., 0], cells[..., 1])
    lo, hi = kernel.jacobian().interval(cells[..., 0], cells[..., 1])
    if not ((level >= 3).all() and np.isfinite(lo).all() and np.isfinite(hi).all()):
        return None
    ends = [(Fraction(float(a)), Fraction(float(b))) for a, b in zip(lo.min(axis=0), hi.max(axis=0), strict=True)]
    found = Slopes(ends[::2], ends[1::2])
    return None if all(a <= 0 <= b for a, b in _cross(found.by_u, found.by_v)) else found


def _first_zero(shift: Sequence[Polynomial]) -> Root | None:
    """The first s in (0, 1] at which all coordinates vanish."""
    own = next((p for p in shift if p), None)
    if own is None or all(sign_at(p, _START) == 0 for p in shift):
        return None
    return next((r for r in roots(own) if all(sign_at(p, r) == 0 for p in shift)), None)


def _directions(shift: Sequence[Polynomial], at: Root) -> list[Direction]:
    """The directions of the shift in parts of the time up to a root; none where they are not known."""
    own = next(p for p in shift if p)
    top = [p[len(own) - 1] if len(p) >= len(own) else 0 for p in shift]
    if all(trim(c * own[-1] for c in p) == trim(c * k for c in own) for p, k in zip(shift, top, strict=True)):
        # Proportional to one coordinate, which does not change its sign before its first root.
        way = [Fraction(k if own[0] * own[-1] > 0 else -k) for k in top]
        return [Direction([(e, e) for e in way], way)]
    end = rational(at)
    if end is None:
        return []
    left = [_divided(p, end) for p in shift]
    marks = [end * k / _PARTS for k in range(_PARTS + 1)]
    return [Direction([_range(p, a, b) for p in left], [_value(p, b) for p in left]) for a, b in itertools.pairwise(marks)]


def _divided(p: Polynomial, end: Fraction) -> list[Fraction]:
    """p / (end - s), for a root `end` of p."""
    found, carry = list[Fraction](), Fraction(0)
    for c in reversed(p):
        carry = carry * end + c
        found.append(carry)
    return [-e for e in reversed(found[:-1])]


def _value(p: Sequence[Fraction], s: Fraction) -> Fraction:
    return functools.reduce(lambda value, c: value * s + c, reversed(p), Fraction(0))


def _range(p: Sequence[Fraction], a: Fraction, b: Fraction) -> Ends:
    """Bounds of a polynomial over [a, b], 0 <= a, by Horner's rule."""
    lo = hi = Fraction(0)
    for c in reversed(p):
        lo, hi = _product((lo, hi), (a, b))
        lo, hi = lo + c, hi + c
    return lo, hi


def _product(x: Ends, y: Ends) -> Ends:
    ends = [p * q for p in x for q in y]
    return min(ends), max(ends)


def _difference(x: Ends, y: Ends) -> Ends:
    return x[0] - y[1], x[1] - y[0]


def _cross(x: Sequence[Ends], y: Sequence[Ends]) -> list[Ends]:
    return [_difference(_product(x[(k + 1) % 3], y[(k + 2) % 3]), _product(x[(k + 2) % 3], y[(k + 1) % 3])) for k in range(3)]


def _spans(bounds: Slopes, way: Direction) -> bool:
    """Whether a direction is linearly independent of all slopes: the bounds of a determinant do not hold 0."""
    terms = [_product(n, k) for n, k in zip(_cross(bounds.by_u, bounds.by_v), way.bounds, strict=True)]
    return not sum(t[0] for t in terms) <= 0 <= sum(t[1] for t in terms)


# -- rows -----------------------------------------------------------------------------------------------------------


def _rows(face: ParametricSurface, toward: Sequence[float], spacing: float) -> tuple[list[ContactSample], bool]:
    """Samples of the patch, and whether they are farther apart than `spacing`. Normals go the way that the first body comes."""
    kernel = compile([*face.body, *face.body_normal], [u, v], quick=True)
    slopes = compile(list(face.body), [u, v], quick=True).jacobian()
    ends = np.array([[float(e) for e in face.domain[s]] for s in (u, v)])
    middle = slopes.points(grid(face, NONE, _CELLS).mean(axis=2)).reshape(-1, 3, 2)
    lengths = np.linalg.norm(middle, axis=1).max(axis=0) * np.ptp(ends, axis=1)
    wanted = [math.ceil(float(e) / spacing) for e in lengths]
    (a, b), (c, d) = ends.tolist()
    first, second = np.linspace(a, b, min(wanted[0], _MOST) + 1), np.linspace(c, d, min(wanted[1], _MOST) + 1)
    at = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1)
    rows, off = list[ContactSample](), _WIDTH * np.ptp(ends, axis=1)
    for place, values in zip(at.reshape(-1, 2), np.asarray(kernel.points(at.reshape(-1, 2))), strict=True):
        box = np.stack([np.maximum(place - off, ends[:, 0]), np.minimum(place + off, ends[:, 1])], axis=1)
        normal = values[3:] / np.linalg.norm(values[3:])
        normal = -normal if normal @ np.array(toward) < 0 else normal
        rows.append(ContactSample(values[:3], normal, ("face 0", "face 0"), ("u1", "v1", "u2", "v2"), np.concatenate([box, box]), False))
    return rows, max(wanted) > _MOST
