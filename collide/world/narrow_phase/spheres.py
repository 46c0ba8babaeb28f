"""Balls that fly, beside each other or what is fixed and flat: until when they are apart, and that they meet then, without a search."""

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose

from ...answers.contacts import Contacts
from ...culling.broad_phase import Window
from ..broad_phase.boxes import not_before
from ..motion.ballistic import Ballistic
from ..motion.moving_body import MovingBody
from ..shapes.margins import ROUNDINGS, WIDER
from ..shapes.simple import exact_ball
from .separating_planes import Parted, contacts_of
from .sphere_gaps import Beside, Radius, closing, farther, gap_at, nearer, zeros
from .support_planes import walls_of

# The bracket of a zero grows until bodies move by such a part of their size in it; steps until what touched is apart grow by so much; and
# bodies that come back to each other at once may be in each other by such a part, and by so many roundings of their places. Effort only.
_LONG, _LONGER, _HARDLY, _ULPS = 1e-9, 8.0, 1e-13, 4.0


def accepts(one: MovingBody, other: MovingBody) -> bool:
    """Whether these are balls whose centres go along polynomials, or one and a fixed body with walls."""
    if radius_of(one) is not None:
        return radius_of(other) is not None or len(walls_of(other)) > 0
    return radius_of(other) is not None and len(walls_of(one)) > 0


def radius_of(actor: MovingBody) -> Radius | None:
    """None of what is no ball, or whose centre does not go along a polynomial."""
    if actor.ball is None or actor.rigid.motion is not None or (actor.rigid.fixed and actor.middle.any()):
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


def beside(one: MovingBody, other: MovingBody, window: Window) -> Beside:
    """The position of two bodies beside each other: of the walls of one that is fixed, the wall that the ball reaches last."""
    first, second = radius_of(one), radius_of(other)
    if first is not None and second is not None:
        return Beside((one.seen, other.seen), None, _both(first, second))
    ball, radius, fixed = (one, first, other) if first is not None else (other, second, one)
    assert radius is not None
    found = [Beside((ball.seen,), w, radius) for w in walls_of(fixed)]
    heights = [gap_at(b, window[0])[0] for b in found]
    # Behind some of these it is already.
    front = [b for b, height in zip(found, heights, strict=True) if height >= min(0.0, max(heights))]
    return max(front, key=lambda b: next(iter(zeros(b, b.reach.most, window)), math.inf)) if len(front) > 1 else front[0]


@functools.lru_cache(maxsize=512)
def _both(one: Radius, other: Radius) -> Radius:
    """The sum of two, exact where that is a double."""
    ends = [(a + b, Fraction(a) + Fraction(b), way) for a, b, way in zip(one, other, (-np.inf, np.inf), strict=True)]
    return Radius(*(about if Fraction(about) == exact else float(np.nextafter(about, way)) for about, exact, way in ends))


# -- as of bodies of flat faces --------------------------------------------------------------------------------------------


def parted(one: MovingBody, other: MovingBody, window: Window, allowed: float = 0.0, stride: float = np.inf) -> Parted:
    """The same as `separating_planes.parted`."""
    begin, end = window
    b = beside(one, other, window)
    if _far(b, window):
        gap, normal = gap_at(b, end)
        return Parted(begin, end, normal, gap, True)
    since = _since(b, window, allowed, stride) if allowed > 0.0 else np.inf
    if since == np.inf and allowed > 0.0 and farther(b, b.reach.most - allowed, begin, end):
        # What touches may come into the other by a rounding as it parts.
        return Parted(np.inf, end, gap_at(b, end)[1], gap_at(b, end)[0], False)
    since = begin if since == np.inf and farther(b, b.reach.most, begin, begin) else since
    until = _before(b, b.reach.most, since, end) if since < np.inf else begin
    if since == np.inf and allowed > 0.0 and closing(b, begin) <= 0.0:
        # What does not come together as it touches comes back at once.
        places = max(float(np.abs(c.centre_at(begin)).max()) for c in b.paths)
        until = _before(b, b.reach.most * (1.0 - _HARDLY) - _ULPS * float(np.spacing(places)), begin, end)
    gap, normal = gap_at(b, until)
    return Parted(since, until, normal, gap, since < np.inf and gap > 0.0)


def _far(b: Beside, window: Window) -> bool:
    """Whether two balls are proved apart by how fast they are at most, or by where balls a little greater would meet."""
    if len(b.paths) < 2:
        return False
    one, other = b.paths
    if isinstance(one, Ballistic) and isinstance(other, Ballistic):
        return not_before(one, other, window, b.reach.most) >= window[1]
    (lo, hi, _), (low, high, _) = (c.pace(*window) for c in b.paths)
    moved = float(np.linalg.norm(np.maximum(np.abs(hi - low), np.abs(high - lo)))) * (window[1] - window[0])
    size = sum(float(np.abs(c.centre_at(window[0])).max()) for c in b.paths) + b.reach.most + moved
    return gap_at(b, window[0])[0] > WIDER * moved + ROUNDINGS * size


def _since(b: Beside, window: Window, allowed: float, stride: float) -> float:
    """The time at which bodies are proved apart that are `allowed` deep in each other at most until then; inf: never."""
    (begin, end), since = window, min(max(window[0] + stride, float(np.nextafter(window[0], np.inf))), window[1])
    while not farther(b, b.reach.most, since, since):
        if since == end:
            return np.inf
        since = min(begin + _LONGER * (since - begin), end)
    return since if farther(b, b.reach.most - allowed, begin, since) else np.inf


def _before(b: Beside, reach: float, since: float, end: float) -> float:
    """The time until which centres are proved farther than `reach` from each other, or from a wall; `since` if that is not proved."""
    zero = next((s for s in zeros(b, reach, (since, end)) if since < s), np.inf)
    if zero >= end:
        return end if farther(b, reach, since, end) else since
    unit, wide, speed = float(np.spacing(abs(zero))), 0.0, closing(b, zero)
    while wide * speed <= _LONG * b.reach.most and zero - wide > since:
        if farther(b, reach, since, zero - wide):
            return zero - wide
        wide = 2.0 * wide + unit
    return since


def met(one: MovingBody, other: MovingBody, apart: Parted, end: float, size: float, least: float = 0.0) -> Contacts | None:
    """The same as `separating_planes.met`."""
    now, b = apart.until, beside(one, other, (apart.until, end))
    if b.wall is not None and not b.wall.faces(b.paths[0].centre_at(now)):
        # Beside the face, to which it may come along the plane.
        return None
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
    """Whether both are proved to have a point in common."""
    if b.wall is None:
        return nearer(b, b.reach.least, time)
    # On the line through the centre along the normal, where the face is.
    low = b._replace(wall=b.wall._replace(level=b.wall.low))
    return b.wall.faces(b.paths[0].centre_at(time)) and nearer(low, float(np.nextafter(b.reach.least * b.wall.length, -np.inf)), time)
