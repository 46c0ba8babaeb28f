"""Balls that fly, beside each other or beside what is fixed and flat: until when they are apart, and that they meet then, without search.

The square of the distance of two centres, and the height of one above a plane, are polynomials of the time. Their signs are told by whole
numbers: those of flights are doubles, multiples of a power of two. A polynomial whose coefficients after Bernstein are positive is so in
all of a window.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.constants import enclose

from ..answers.contacts import Contacts
from ..culling.broad_phase import Window
from ..culling.stretches_loop import ROUNDINGS, WIDER
from .actor import Actor
from .flight import Flight
from .forced import Forced
from .neighbours import not_before
from .outline import exact_ball
from .planes import Parted, contacts_of
from .walls import Wall, walls_of

# A window is halved so often to prove that a polynomial is positive in it; the bracket of a zero grows until bodies move by such a part of
# their size in it; steps until what touched is apart grow by so much. Zeros that are real but for so much are tried; and
# bodies that come back to each other at once may be in each other by such a part. Effort only.
_HALVINGS, _LONG, _LONGER, _REAL, _HARDLY = 60, 1e-9, 8.0, 1e-9, 1e-13


class Radius(NamedTuple):
    """That of a ball lies between these."""

    least: float
    most: float


class Beside(NamedTuple):
    """Two paths, of centres, and how near these come: to each other, or to a wall the only one that flies; `reach`: bounds of that."""

    paths: tuple[Flight | Forced, ...]
    wall: Wall | None
    reach: Radius


def known(one: Actor, other: Actor) -> bool:
    """Are two bodies such that all is told here?"""
    if radius_of(one) is not None:
        return radius_of(other) is not None or len(walls_of(other)) > 0
    return radius_of(other) is not None and len(walls_of(one)) > 0


def radius_of(actor: Actor) -> Radius | None:
    """None of what is no ball, or whose centre does not go along a polynomial."""
    if actor.ball is None or not isinstance(actor.seen, (Flight, Forced)) or (actor.rigid.fixed and actor.middle.any()):
        return None
    a, b, c = actor.middle.tolist()
    return _radius(actor.rigid.outline, (a, b, c))


@functools.lru_cache(maxsize=512)
def _radius(shape: Any, middle: tuple[float, float, float]) -> Radius:
    found = exact_ball(shape, middle)
    assert found is not None
    # The centre that the shape has may be a rounding beside the one that flies.
    aside = sum(abs(sp.Rational(m) - e) for m, e in zip(middle, found[0], strict=True))
    return Radius(enclose(sp.sqrt(found[1]) - aside)[0], enclose(sp.sqrt(found[1]) + aside)[1])


def beside(one: Actor, other: Actor, window: Window) -> Beside:
    """How two bodies are beside each other: of the walls of one that is fixed, that which the ball reaches last."""
    first, second = radius_of(one), radius_of(other)
    if first is not None and second is not None:
        least, most = (float(np.nextafter(a + b, way)) for a, b, way in zip(first, second, (-np.inf, np.inf), strict=True))
        return Beside((one.seen, other.seen), None, Radius(least, most))
    ball, radius, fixed = (one, first, other) if first is not None else (other, second, one)
    assert radius is not None
    found = [Beside((ball.seen,), w, radius) for w in walls_of(fixed)]
    heights = [gap_at(b, window[0])[0] for b in found]
    # Behind some of these it is already.
    front = [b for b, height in zip(found, heights, strict=True) if height >= min(0.0, max(heights))]
    return max(front, key=lambda b: next(iter(zeros(b, b.reach.most, window)), math.inf)) if len(front) > 1 else front[0]


# -- polynomials -----------------------------------------------------------------------------------------------------------


def polynomial(b: Beside, reach: float, begin: float, end: float) -> list[int]:
    """A positive multiple, by whole numbers, of the coefficients of what tells that centres are farther than `reach` from each other, or
    from the plane of a wall, at the time begin + u (end - begin), as a polynomial of u: exactly.
    """
    rows = [_coefficients(course) for course in b.paths]
    degree, plane = max(map(len, rows)) - 1, (*b.wall.normal.tolist(), b.wall.level) if b.wall else ()
    numbers, s = _whole([reach, begin, end, *plane, *(c.start for c in b.paths), *itertools.chain(*itertools.chain(*rows))])
    far, first, last, *rest = numbers
    walls, starts, rest = rest[:len(plane)], rest[len(plane):len(plane) + len(rows)], rest[len(plane) + len(rows):]
    # Multiples of 2^(-s - s degree).
    place = [[0] * (degree + 1) for _ in range(3)]
    for k in range(3):
        at = 0
        for n, row in enumerate(rows):
            own = _shifted(rest[at + k:at + 3 * len(row):3], first - starts[n], last - first, s)
            for m, e in enumerate(own):
                place[k][m] += (-e if n < len(rows) - 1 else e) << s * (degree + 1 - len(row))
            at += 3 * len(row)
    if b.wall is None:
        found = [sum(e) for e in zip(*map(_square, place), strict=True)]
        found[0] -= (far << s * degree) ** 2
        return found
    found = [sum(n * e[k] for n, e in zip(walls, place, strict=False)) for k in range(degree + 1)]
    found[0] -= (far + walls[3]) << s * (degree + 1)
    return found


def _coefficients(course: Flight | Forced) -> list[list[float]]:
    """Of the path of a centre, by the time since its start."""
    if isinstance(course, Forced):
        return [course.centre.tolist(), *course.path.tolist()]
    centre, velocity, acceleration = course.floats
    return [centre, velocity, [e / 2.0 for e in acceleration]]


def _whole(values: Sequence[float]) -> tuple[list[int], int]:
    """Doubles as multiples of 2^-shift."""
    ratios = [float(e).as_integer_ratio() for e in values]
    shift = max(d.bit_length() for _, d in ratios) - 1
    return [n << (shift - d.bit_length() + 1) for n, d in ratios], shift


def _shifted(row: Sequence[int], begin: int, length: int, s: int) -> list[int]:
    """The coefficients by u of a polynomial of tau = begin + u length, all multiples of 2^-s, as multiples of 2^(-s - s degree)."""
    found, scale = [row[-1]], 0
    for e in row[-2::-1]:
        scale += s
        found = [begin * a + length * b for a, b in zip([*found, 0], [0, *found], strict=True)]
        found[0] += e << scale
    return found


def _square(row: Sequence[int]) -> list[int]:
    """Of a polynomial: that of its value at a power of two which tells all coefficients of the product (Kronecker)."""
    width = 2 * max(e.bit_length() for e in row) + len(row).bit_length() + 1
    value = sum(e << width * k for k, e in enumerate(row)) ** 2
    found, half = list[int](), 1 << (width - 1)
    for _ in range(2 * len(row) - 1):
        found.append(((value + half) & (2 * half - 1)) - half)
        value = (value - found[-1]) >> width
    return found


def farther(b: Beside, reach: float, begin: float, end: float) -> bool:
    """Is it *proved* that centres are farther than `reach` from each other, or from a wall, all the time?"""
    row = polynomial(b, reach, begin, end)
    degree = len(row) - 1
    share = math.lcm(*(math.comb(degree, k) for k in range(degree + 1)))
    row = [e * (share // math.comb(degree, k)) for k, e in enumerate(row)]
    for k in range(degree):
        row[k + 1:] = [a + b for a, b in itertools.pairwise(row[k:])]
    return _positive(row, _HALVINGS)


def _positive(row: list[int], halvings: int) -> bool:
    """Of a polynomial by its coefficients after Bernstein, or by those of both halves (de Casteljau)."""
    if row[0] <= 0 or row[-1] <= 0:
        return False
    if min(row) > 0:
        return True
    degree = len(row) - 1
    left, right = [row[0] << degree], [row[-1] << degree]
    for k in range(1, degree + 1):
        row = [a + b for a, b in itertools.pairwise(row)]
        left.append(row[0] << (degree - k))
        right.append(row[-1] << (degree - k))
    return halvings > 0 and _positive(left, halvings - 1) and _positive(right[::-1], halvings - 1)


def nearer(b: Beside, reach: float, time: float) -> bool:
    """Is it *proved* that centres are nearer than that at a time?"""
    return polynomial(b, reach, time, time)[0] < 0


def zeros(b: Beside, reach: float, window: Window) -> list[float]:
    """When centres come as near as that, in order, in doubles: no proof."""
    row = polynomial(b, reach, *window)
    size = max(map(abs, row))
    values = [e / size for e in row] if size else [0.0]
    found = [u for u in _roots(values) if sum(k * e * u ** (k - 1) for k, e in enumerate(values) if k) < 0.0]
    return [window[0] + u * (window[1] - window[0]) for u in found if 0.0 <= u <= 1.0]


def _roots(row: list[float]) -> list[float]:
    """The real ones, in order."""
    while len(row) > 1 and row[-1] == 0.0:
        row = row[:-1]
    if len(row) > 3:
        found = np.roots(row[::-1])
        return sorted(found.real[np.abs(found.imag) <= _REAL * np.abs(found)].tolist())
    if len(row) < 3:
        return [-row[0] / row[1]] if len(row) == 2 else []
    c, half, a = row[0], row[1] / 2.0, row[2]
    square = half * half - a * c
    if square < 0.0:
        return []
    q = -(half + math.copysign(math.sqrt(square), half))
    return sorted([q / a, c / q]) if q else [0.0]


# -- as of bodies of flat faces --------------------------------------------------------------------------------------------


def parted(one: Actor, other: Actor, window: Window, allowed: float = 0.0, stride: float = np.inf) -> Parted:
    """As `planes.parted`."""
    begin, end = window
    b = beside(one, other, window)
    if _far(b, window):
        gap, normal = gap_at(b, end)
        return Parted(begin, end, normal, gap, True)
    # What touches now may come into the other by a rounding as it parts.
    since = _since(b, window, allowed, stride) if allowed > 0.0 else np.inf
    since = begin if since == np.inf and farther(b, b.reach.most, begin, begin) else since
    until = _before(b, b.reach.most, since, end) if since < np.inf else _hardly(b, window, allowed)
    gap, normal = gap_at(b, until)
    return Parted(since, until, normal, gap, since < np.inf and gap > 0.0)


def _hardly(b: Beside, window: Window, allowed: float) -> float:
    """Until when bodies that touch are hardly in each other: what does not come together as it begins is less so as it comes back."""
    begin, end = window
    if not allowed > 0.0 or farther(b, b.reach.most - allowed, begin, end):
        return end if allowed > 0.0 else begin
    return _before(b, b.reach.most * (1.0 - _HARDLY), begin, end) if closing(b, begin) <= 0.0 else begin


def _far(b: Beside, window: Window) -> bool:
    """Are two balls proved apart by how fast they are at most, or by where balls a little greater would meet?"""
    if len(b.paths) < 2:
        return False
    one, other = b.paths
    if isinstance(one, Flight) and isinstance(other, Flight):
        return not_before(one, other, window, b.reach.most) >= window[1]
    (lo, hi, _), (low, high, _) = (c.pace(*window) for c in b.paths)
    moved = float(np.linalg.norm(np.maximum(np.abs(hi - low), np.abs(high - lo)))) * (window[1] - window[0])
    size = sum(float(np.abs(c.centre_at(window[0])).max()) for c in b.paths) + b.reach.most + moved
    return gap_at(b, window[0])[0] > WIDER * moved + ROUNDINGS * size


def _since(b: Beside, window: Window, allowed: float, stride: float) -> float:
    """When bodies are proved apart that are `allowed` deep in each other at most until then; inf: never."""
    (begin, end), since = window, min(window[0] + stride, window[1])
    while not farther(b, b.reach.most, since, since):
        if since == end:
            return np.inf
        since = min(begin + _LONGER * (since - begin), end)
    return since if farther(b, b.reach.most - allowed, begin, since) else np.inf


def _before(b: Beside, reach: float, since: float, end: float) -> float:
    """Until when centres are proved farther than that from each other, or from a wall; `since` if that is not proved."""
    zero = next((s for s in zeros(b, reach, (since, end)) if since < s), np.inf)
    if zero >= end:
        return end if farther(b, reach, since, end) else since
    unit, wide, speed = float(np.spacing(abs(zero))), 0.0, closing(b, zero)
    while wide * speed <= _LONG * b.reach.most and zero - wide > since:
        if farther(b, reach, since, zero - wide):
            return zero - wide
        wide = 2.0 * wide + unit
    return since


def gap_at(b: Beside, time: float) -> tuple[float, np.ndarray]:
    """How far bodies are apart, in doubles, and the normal from the first path to the second, or from the wall to the only one."""
    places = [f.centre_at(time) for f in b.paths]
    if b.wall is not None:
        return float(places[0] @ b.wall.normal) - b.wall.level - b.reach.most, b.wall.normal
    way = places[1] - places[0]
    far = float(np.linalg.norm(way))
    return far - b.reach.most, way / far


def closing(b: Beside, time: float) -> float:
    """How fast bodies come together, in doubles."""
    speeds = [f.velocity_at(time) for f in b.paths]
    return -float(gap_at(b, time)[1] @ (speeds[0] if len(speeds) == 1 else speeds[1] - speeds[0]))


def met(one: Actor, other: Actor, apart: Parted, end: float, size: float, least: float = 0.0) -> Contacts | None:
    """As `planes.met`."""
    now, b = apart.until, beside(one, other, (apart.until, end))
    speed, wide = closing(b, now), 2.0 * float(np.spacing(abs(now)))
    while speed > least and wide * speed <= _LONG * size and now + wide <= end:
        if _meet(b, now + wide):
            gap, normal = gap_at(b, now)
            centre = b.paths[0].centre_at(now)
            if b.wall is not None:
                # From the first body to the second.
                point, normal = centre - (b.reach.most + gap / 2.0) * normal, -normal if radius_of(one) is not None else normal
            else:
                point = centre + (radius_of(one).most + gap / 2.0) * normal  # type: ignore[union-attr]
            return contacts_of(point[None], normal, np.ones(1, bool), (now, now + wide), end)
        wide *= 2.0
    return None


def _meet(b: Beside, time: float) -> bool:
    """Are both proved to have a point in common?"""
    if b.wall is None:
        return nearer(b, b.reach.least, time)
    # On the line through the centre along the normal, where the face is.
    low = b._replace(wall=b.wall._replace(level=b.wall.low))
    return b.wall.faces(b.paths[0].centre_at(time)) and nearer(low, float(np.nextafter(b.reach.least * b.wall.length, -np.inf)), time)
