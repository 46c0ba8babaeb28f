"""All of the time in which the surfaces of two bodies of flat convex faces meet, within a window, exactly.

They meet at a moment if a corner of one body is on a face of the other, if two sides meet, or if a side goes through a face. The last goes
on for a while. So they begin or cease to meet only as a corner and a face, or two sides, do: at one of the `times` of their query, at which
these touch (see `exact`, which is the same in time that runs backwards). Between two such moments next to each other they meet throughout,
or nowhere; one moment tells. There only those touch whose four points stay in one plane.
"""

import itertools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check

from ...bodies.flat import FlatBody
from ..exact.feature_pairs import FeaturePolynomials
from ..exact.motion import RationalMotion
from ..exact.real_roots import Polynomial, Root, compare, in_order, refined, value_at
from ..mesh.initial_overlap import meet_exactly
from .contact_region import MovingTouch, parts
from .relative_motion import FlatMotion

# A turn by more than this is left to the search, and so are bodies with more pairs of faces.
_MOST_TURN, _MOST = 100.0, 1 << 9
# How far coordinates are off in doubles, against the greatest, and where they are very small.
_ROUNDING, _LEAST = 2.0**-50, 2.0**-1000
START, END = Root((0, 1), 0, 0, 0), Root((-1, 1), 1, 1, 0)


def spells(bodies: tuple[FlatBody, FlatBody], scale: int, window: RationalMotion) -> list[tuple[Root, Root]]:
    """The closed intervals of s in [0, 1] in which the surfaces meet, in order; those of one moment are its root twice."""
    touch = MovingTouch(bodies, scale, window, START)
    queries = []
    for first, second in parts(touch, *_bounds(touch)):
        check()
        queries.append(touch.query(first, second))
    meeting = _Meeting(touch, [q for q in queries if not q.volume])
    times = in_order([at for q in queries for at in _touches(q)])
    marks = [START, *(at for at in times if compare(at, START) and compare(at, END)), END]
    meets = [any(not compare(at, known) for known in times) for at in (START, END)]
    meets = [meets[0], *(True for _ in marks[1:-1]), meets[1]]
    found: list[tuple[Root, Root]] = []
    for k, at in enumerate(marks):
        before = k > 0 and meeting.between(marks[k - 1], at)
        if before:
            # The bodies are closed, so they meet at both ends of what is open.
            found[-1] = found[-1][0], at
        elif meets[k] or (k + 1 < len(marks) and meeting.between(at, marks[k + 1])):
            found.append((at, at))
    return found


def _bounds(touch: MovingTouch) -> tuple[np.ndarray, np.ndarray]:
    """Between which places (n, 3) the second body sees corners of the first in the window: by Bernstein's coefficients."""
    degree = max(len(p) for p in (*touch.window.entries, touch.window.scale)) - 1
    below = _bernstein(touch.window.scale, degree)
    if not min(below) > 0:
        size = (len(touch.seen[0]), 3)
        return np.full(size, -np.inf), np.full(size, np.inf)
    moved, _ = touch.window.paths(touch.exact[0], [])
    shares = [[[above / under for above, under in zip(_bernstein(c, degree), below, strict=True)] for c in p] for p in moved]
    whole = math.lcm(*(Fraction(c).denominator for p in touch.exact[0] for c in p))
    low, high = (np.array([[float(end(c) / whole) for c in p] for p in shares]).reshape(-1, 3) for end in (min, max))
    # Corners of the second body, too, are rounded to doubles.
    room = _ROUNDING * max(np.abs(x).max() for x in (low, high, touch.seen[1])) + _LEAST
    return low - room, high + room


def _bernstein(p: Polynomial, degree: int) -> list[Fraction]:
    """Its coefficients over [0, 1], raised to a degree: it lies between the least and the greatest."""
    shares = [Fraction(c, math.comb(degree, k)) for k, c in enumerate(p)]
    return [sum((math.comb(i, k) * c for k, c in enumerate(shares[:i + 1])), Fraction(0)) for i in range(degree + 1)]


def _touches(query: FeaturePolynomials) -> list[Root]:
    check()
    return [at for at in query.times() if query.touches(at)]


class _Meeting:
    """The test whether the surfaces meet between two moments. `flat`: the queries whose points stay in one plane."""

    def __init__(self, touch: MovingTouch, flat: list[FeaturePolynomials]) -> None:
        self.touch, self.flat, self._known = touch, flat, dict[tuple[Root, Root], bool]()
        self.paths = touch.paths(range(len(touch.exact[0])), range(len(touch.exact[1])))
        self.bits = max(1, *(len(c) for points in self.paths for p in points for c in p))
        self.triangles = [[t for face in body.faces for t in face.triangles] for body in touch.bodies]

    def between(self, first: Root, second: Root) -> bool:
        if (first, second) not in self._known:
            at = _middle(first, second)
            self._known[first, second] = any(q.touches(at) for q in self.flat) or self._cross(at)
        return self._known[first, second]

    def _cross(self, at: Root) -> bool:
        """Whether a side goes through a face."""
        check()
        # All coordinates times the same positive number.
        placed = [[[value_at(c, at.a, at.bits) << at.bits * (self.bits - len(c)) for c in p] for p in points] for points in self.paths]
        corners: list[Any] = [[[points[c] for c in t] for t in own] for points, own in zip(placed, self.triangles, strict=True)]
        boxes = [[[(min(axis), max(axis)) for axis in zip(*t, strict=True)] for t in own] for own in corners]
        for (p, a), (q, b) in itertools.product(*(zip(own, box, strict=True) for own, box in zip(corners, boxes, strict=True))):
            if all(x[0] <= y[1] and y[0] <= x[1] for x, y in zip(a, b, strict=True)) and meet_exactly(p, q, border=True):
                return True
        return False


def _middle(first: Root, second: Root) -> Root:
    """A dyadic number between two roots, the first of which is less."""
    while first.b << second.bits >= second.a << first.bits:
        first, second = refined(first), refined(second)
    bits = max(first.bits, second.bits) + 1
    # The simplest one will do, in whose numbers there are fewer digits.
    low, high = first.b << (bits - first.bits), second.a << (bits - second.bits)
    while bits and (low >> 1) + 1 < -(-high >> 1):
        low, high, bits = low >> 1, -(-high >> 1), bits - 1
    middle = (low + high) >> 1
    return Root((-middle, 1 << bits), middle, middle, bits)


# -- in times --------------------------------------------------------------------------------------------------------


class Times(NamedTuple):
    """`windows`: (begin, end, meet), at every moment of which the surfaces meet, or do not but at the ends; `met`: brackets of moments at
    which they do.
    """

    windows: list[tuple[float, float, bool]]
    met: list[tuple[float, float]]


def times(known: FlatMotion, span: tuple[float, float]) -> Times | None:
    """All of a span; None where it takes too many windows, or looks at too many parts."""
    begin, end = span
    found = Times([], [])
    way = 0.0 if known.relative.turn is None else abs(float(known.relative.turn.speed)) * (end - begin)
    if way > _MOST_TURN or len(known.flats[0].faces) * len(known.flats[1].faces) > _MOST:
        return None
    while begin < end:
        window = known.relative.window(begin, end)
        if window is None:
            return None
        _note(found, spells(known.flats, known.scale, window), window, (begin, window.end), span)
        # Windows have some time in common, so that it is known of the moment at which one ends.
        begin = window.end if window.end >= end else math.nextafter(window.end, -math.inf)
    return found


def _note(found: Times, meeting: list[tuple[Root, Root]], window: RationalMotion, held: tuple[float, float],
          span: tuple[float, float]) -> None:
    """`held`: the window in doubles, within which its ends are."""
    at = held[0]
    for first, last in meeting:
        begin, end = _bracket(first, window, held), _bracket(last, window, held)
        if first != last:
            # Those of the window meet for longer; ends that are rounded may be beyond it.
            begin, end = (held[0],) * 2 if first == START else begin, (held[1],) * 2 if last == END else end
        found.windows.extend([(at, begin[0], False), (begin[1], end[0], True)])
        if first == last or begin[1] <= end[0]:
            found.met.extend(both for both in (begin, end) if span[0] <= both[0] and both[1] <= span[1])
        at = end[1]
    found.windows.append((at, held[1], False))
    found.windows[:] = [w for w in found.windows if w[0] < w[1]]


def _bracket(at: Root, window: RationalMotion, held: tuple[float, float]) -> tuple[float, float]:
    if at == START and window.sharp:
        return held[0], held[0]
    return window.narrowed(at, 0.0)[1]
