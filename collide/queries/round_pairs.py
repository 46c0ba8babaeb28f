"""Balls and capsules, with each other and with flat bodies, answered exactly where a search decides nothing: touch without crossing.

A ball that turns back just on a floor, or grazes another one, touches at a double root of a polynomial (`polyhedra.flat.core_distance`).
Where motions are polynomials or rational functions of t, or turn evenly about an axis, it is decided whether it touches, and when.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.interval import Interval
from generative import ImplicitSurface, Motion, Rigid, Solid, u, v

from ..bodies.flat import FlatBody, flat_of
from ..bodies.nearest_parameters import nearest_parameters
from ..bodies.rounded import Rounded, plane_within, rounded_of
from ..moment.start import Start
from ..polyhedra.exact.motion import ExactMotion, RationalMotion, exact_motion
from ..polyhedra.exact.rational_shift import negative, rational_shift
from ..polyhedra.exact.real_roots import Root, roots, sign_at
from ..polyhedra.flat.contact_samples import ContactSample
from ..polyhedra.flat.core_distance import Core, Nearing, PartPair, nearest_points, nearing, part_pairs, start_apart
from ..polyhedra.flat.relative_motion import motion_of
from ..polyhedra.primitives.motion_windows import motion_windows
from .flat_pairs import FlatMeeting

# So many pairs of parts are looked at, and samples along a line; a turn by more than this is not.
_MOST, _SAMPLES, _MOST_TURN = 1 << 12, 100, 100.0
# Half the width of a box of parameters, against their range; places are one that are nearer, against size; how far doubles are off.
_WIDTH, _CLOSE, _OFF = 2.0**-30, 2.0**-26, 1e-12
_START = Root((0, 1), 0, 0, 0)


class RoundSide(NamedTuple):
    """A body by its core, the square of its radius, and the motion of the core."""

    body: Any
    core: Core
    square: Fraction
    motion: Motion
    flat: FlatBody | None


Pair = tuple[int, int]


def round_pairs(labels: Sequence[Pair], start: Mapping[Pair, Start], bodies: Sequence[Any], span: tuple[float, float],
                spacing: float) -> dict[Pair, FlatMeeting | None]:
    """The exact answers about pairs that a search left undecided; None for those that do not meet."""
    found: dict[Pair, FlatMeeting | None] = {}
    for i, j in labels:
        sides = (side_of(bodies[i]), side_of(bodies[j])) if i < j and start[i, j] is Start.DISJOINT else (None, None)
        if sides[0] is not None and sides[1] is not None:
            decided, met = _decided((i, j), (sides[0], sides[1]), span, spacing)
            if decided:
                found[i, j] = met
    return found


def side_of(body: Any) -> RoundSide | None:
    """None of bodies that are not flat, nor rounded."""
    rounded = rounded_of(body)
    if rounded is None:
        flat, plane = flat_of(body), plane_within(body.body, body.bounds) if isinstance(body, ImplicitSurface) else None
        if plane is not None:
            return RoundSide(body, Core(plane, [], [tuple(range(len(plane)))]), Fraction(0), body.motion, None)
        if flat is None:
            return None
        segments = sorted({tuple(sorted(s)) for face in flat.faces for s in face.sides})
        return RoundSide(body, Core(flat.corners, segments, [f.ring for f in flat.faces]), Fraction(0), motion_of(body), flat)  # type: ignore[arg-type]
    motion = body.motion if isinstance(body, ImplicitSurface) else motion_of(body)
    if len(rounded.core) > 1:
        return RoundSide(body, Core(rounded.core, [(0, 1)], []), rounded.square, motion, None)
    # A ball looks the same however it turns.
    return RoundSide(body, Core([(Fraction(0),) * 3], [], []), rounded.square, _shift(rounded, motion), None)


def _shift(ball: Rounded, motion: Motion) -> Motion:
    middle = [sp.Rational(e.numerator, e.denominator) for e in ball.core[0]]
    return Rigid(translation=[sp.simplify(e) if any(middle) else e for e in motion.apply(middle)])


def _decided(label: Pair, sides: tuple[RoundSide, RoundSide], span: tuple[float, float], spacing: float) -> tuple[bool, FlatMeeting | None]:
    """Whether it is decided when two bodies meet; and when and where they do."""
    first, second = sides
    square = _sum_of_radii(first.square, second.square)
    if not square or len(first.core) * len(second.core) > _MOST:
        return False, None
    for window in _windows(first.motion, second.motion, span):
        pairs = [] if window is None else list(part_pairs(first.core, second.core, square, window))
        if window is None or not start_apart(pairs):
            return False, None
        met = nearing(pairs)
        if met is not None:
            lo, hi = window.narrowed(met.at, 0.0)[1]
            time = Interval(max(lo, span[0]), min(hi, span[1]))
            if time[0] > time[1] or any(_at_bounds(s, k, met.parts) for k, s in enumerate(sides)):
                # Where an implicit plane ends at its bounds a search tells.
                return False, None
            return True, FlatMeeting(label, time, _rows(sides, window, met, time, spacing), second.motion, 1, False)
    return True, None


def _at_bounds(side: RoundSide, k: int, parts: Sequence[PartPair]) -> bool:
    """Whether an implicit plane is met where it ends."""
    return side.square == 0 and side.flat is None and any(len((p.first, p.second)[k]) < 3 for p in parts)


def _sum_of_radii(one: Fraction, other: Fraction) -> Fraction | None:
    """The square of the sum of two radii; None where it is no fraction."""
    if not one or not other:
        return one or other
    both = one * other
    root = Fraction(math.isqrt(both.numerator), math.isqrt(both.denominator))
    return one + other + 2 * root if root * root == both else None


def _windows(first: Motion, second: Motion, span: tuple[float, float]) -> Iterator[RationalMotion | None]:
    """The relative motion in windows that cover a span of time; None where it has no exact form."""
    known = rational_shift(first, second) or exact_motion(first, second)
    if known is None or (known.turn is not None and abs(float(known.turn.speed)) * (span[1] - span[0]) > _MOST_TURN):
        yield None
        return
    begin, end = span
    while begin < end:
        window = _positive(known, begin, end)
        yield window
        if window is None or window.end >= end:
            return
        begin = math.nextafter(window.end, -math.inf)


def _positive(known: ExactMotion, begin: float, end: float) -> RationalMotion | None:
    """A window whose scale is positive; None where it vanishes: a pole of the motion."""
    window = known.window(begin, end)
    if window is not None and known.turn is None and sign_at(window.scale, _START) < 0:
        window = negative(known).window(begin, end)
    poles = window is None or (known.turn is None and (sign_at(window.scale, _START) <= 0 or roots(window.scale)))
    return None if poles else window


# -- rows -----------------------------------------------------------------------------------------------------------


def _rows(sides: tuple[RoundSide, RoundSide], window: RationalMotion, met: Nearing, time: Interval, spacing: float) -> list[ContactSample]:
    """The contacts, each place once; of a line all along it."""
    middle = window.middle(met.at)
    placed = [np.array([window.place(p, middle) for p in sides[0].core.corners], float), np.array(sides[1].core.corners, float)]
    points = [nearest_points(pair, *placed) for pair in met.parts]
    size = max(1e-300, *(float(np.abs(p).max()) for p in placed), *(math.sqrt(s.square) for s in sides))
    kept = [k for k, (p, _) in enumerate(points) if not any(np.linalg.norm(p - points[m][0]) <= _CLOSE * size for m in range(k))]
    lines = [e for e in itertools.combinations(kept, 2) if any(_common(sides, met.parts[e[0]], met.parts[e[1]]))]
    along = {k for e in lines for k in e}
    found = [_row(sides, met.parts[k], points[k], time, k not in along) for k in kept]
    for a, b in lines:
        length = float(np.linalg.norm(points[a][0] - points[b][0]))
        count = min(_SAMPLES, math.ceil(length / spacing))
        for share in np.arange(1, count) / max(count, 1):
            both = tuple((1.0 - share) * p + share * q for p, q in zip(points[a], points[b], strict=True))
            found.append(_row(sides, None, (both[0], both[1]), time, False))
    return found


def _common(sides: tuple[RoundSide, RoundSide], one: PartPair, other: PartPair) -> Iterator[bool]:
    """Whether all points between those of two pairs of parts lie on one part of each body."""
    for k, side in enumerate(sides):
        both = {*(one.first, one.second)[k], *(other.first, other.second)[k]}
        whole = [{*range(len(side.core.corners))}] if side.flat is None else [set(r) for r in side.core.polygons]
        yield any(both <= w for w in whole)


def _row(sides: tuple[RoundSide, RoundSide], pair: PartPair | None, nearest: tuple[np.ndarray, np.ndarray], time: Interval,
         isolated: bool) -> ContactSample:
    way = nearest[1] - nearest[0]
    normal = way / float(np.linalg.norm(way))
    point = nearest[0] + math.sqrt(sides[0].square) * normal
    moment = 0.5 * (time[0] + time[1])
    rotation, shift = _pose(sides[1].motion, moment)
    place = rotation @ point + shift
    features, names, parameters = list[str](), list[str](), list[tuple[float, float]]()
    for k, side in enumerate(sides):
        feature, ends = _feature(side, () if pair is None else (pair.first, pair.second)[k], place, moment)
        features.append(feature)
        names += [f"{s}{k + 1}" for s in "uv"[:len(ends)]]
        parameters += ends
    if not names and all(isinstance(s.body, ImplicitSurface) for s in sides):
        off = _OFF * (1.0 + float(np.abs(place).max()))
        names, parameters = list("xyz"), [(float(c) - off, float(c) + off) for c in place]
    return ContactSample(point, normal, (features[0], features[1]), tuple(names), np.array(parameters).reshape(-1, 2), isolated)


def _pose(motion: Motion, moment: float) -> tuple[np.ndarray, np.ndarray]:
    entries = motion_windows(motion, motion).at(moment)[1]
    return entries[:9].reshape(3, 3), entries[9:]


def _feature(side: RoundSide, part: Sequence[int], place: np.ndarray, moment: float) -> tuple[str, list[tuple[float, float]]]:
    """The feature of a body at a place in the world, and ranges of its parameters."""
    if isinstance(side.body, ImplicitSurface):
        return "face 0", []
    if side.flat is not None and len(part) == 1 and part[0] in side.flat.vertices:
        return side.flat.vertices[part[0]], []
    edge = None if side.flat is None or len(part) != 2 else side.flat.edges.get(frozenset(part))
    if edge is not None:
        a, b = (np.array(side.core.corners[c], float) for c in edge.ends)
        rotation, shift = _pose(side.motion, moment)
        share = float(((place - shift) @ rotation - a) @ (b - a) / ((b - a) @ (b - a)))
        return edge.feature, [_around(edge.at[0] + share * (edge.at[1] - edge.at[0]), min(edge.at), max(edge.at), 0.0)]
    return _on_faces(side.body, place, moment)


def _on_faces(body: Any, place: np.ndarray, moment: float) -> tuple[str, list[tuple[float, float]]]:
    """The face that is nearest to a place, and ranges of u and v there: all of one at a pole."""
    faces = body.faces if isinstance(body, Solid) else [body]
    found = [nearest_parameters(f, place[None], moment) for f in faces]
    k = int(np.argmin([float(far[0]) for far, _, _ in found]))
    off = _OFF * (1.0 + float(np.abs(place).max())) / np.maximum(np.linalg.norm(found[k][2][0], axis=1), 1e-300)
    ends = [[float(e) for e in faces[k].domain[s]] for s in (u, v)]
    return f"face {k}", [_around(float(value), lo, hi, float(o)) for value, (lo, hi), o in zip(found[k][1][0], ends, off, strict=True)]


def _around(value: float, lo: float, hi: float, off: float) -> tuple[float, float]:
    reach = _WIDTH * (hi - lo) + off
    return max(lo, value - reach), min(hi, value + reach)
