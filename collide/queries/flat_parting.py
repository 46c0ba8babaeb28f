"""Two bodies of flat faces that touch as a span of time begins, and part at once, by any motions: proved with the plane of a face.

Seen from a body, the corners of the other move. If at the beginning none of them is below the plane of a face above which the body has no
corner, and each that is on the plane rises at a positive rate throughout a window, and no other comes down to it, then the bodies have no
point in common in that window, but at its beginning. Where corners are at the beginning is exact; rates are enclosed.
"""

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from codegen.kernel import Kernel, compile
from generative import Motion, t

from ..bodies.flat import FlatBody, flat_of
from ..moment.pairs import pairs_in
from ..moment.start import Start
from ..polyhedra.flat.relative_motion import FlatMotion, motion_of
from ..timeline.scene import Scene

# Faces times corners that are looked at; windows are halved so often.
_MOST, _HALVINGS = 1 << 10, 40

Plane = tuple[Sequence[Fraction], Fraction]


def part_at_once(scene: Scene, bodies: Sequence[Any], span: tuple[float, float]) -> None:
    """Such pairs of a scene are searched from when they are known to be apart. Those that move in an exact form are answered otherwise."""
    for label in list(pairs_in(scene.states, Start.TOUCHING)):
        first, second = (bodies[k] for k in label)
        if label not in scene.early and label not in scene.tracked and FlatMotion.of(first, second) is None:
            end = parted_until(first, second, span)
            if end is not None:
                scene.part(label, end)


def parted_until(first: Any, second: Any, span: tuple[float, float]) -> float | None:
    """A time up to which two bodies have no point in common but at the beginning of a span; None where that is not proved."""
    flats = flat_of(first), flat_of(second)
    if flats[0] is None or flats[1] is None or max(len(a.faces) * len(b.corners) for a, b in (flats, flats[::-1]) if a and b) > _MOST:
        return None
    motions = motion_of(first), motion_of(second)
    if any(m.symbols - {t} or not m.multiplied for m in motions):
        return None
    for k in (0, 1):
        still, moving = flats[k], flats[1 - k]
        assert still is not None and moving is not None
        known = _risen(still, moving, motions[1 - k].seen_from(motions[k]), span)
        if known is not None:
            return known
    return None


def _risen(still: FlatBody, moving: FlatBody, motion: Motion, span: tuple[float, float]) -> float | None:
    """By the planes of a body that stands still."""
    start = [e.xreplace({t: sp.Rational(span[0])}) for e in motion.entries]
    if not all(e.is_Rational for e in start):
        return None
    begin = [Fraction(int(e.p), int(e.q)) for e in start]
    heights = [(normal, [_dot(_weights(normal, c), begin) - h for c in moving.corners]) for normal, h in _planes(still)]
    touching = [(normal, above) for normal, above in heights if min(above) == 0]
    length = Fraction(span[1]) - Fraction(span[0])
    for _ in range(_HALVINGS if touching else 0):
        end = float(Fraction(span[0]) + length)
        rates = _rates(motion, span[0], end)
        way = Fraction(end) - Fraction(span[0])
        if rates is not None and way > 0 and any(
                all(_keeps_above(h, _slowest(normal, c, rates), way) for h, c in zip(above, moving.corners, strict=True))
                for normal, above in touching):
            return end
        length /= 2
    return None


def _keeps_above(height: Fraction, rate: Fraction, way: Fraction) -> bool:
    return rate > 0 if height == 0 else height + way * min(rate, Fraction(0)) > 0


def _planes(body: FlatBody) -> list[Plane]:
    """Those of faces above which there is no corner: n . x <= h."""
    found = list[Plane]()
    for face in body.faces:
        a, b, c = (body.corners[k] for k in face.triangles[0])
        u, v = ([y - x for x, y in zip(a, p, strict=True)] for p in (b, c))
        normal = u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]
        for n in (normal, tuple(-e for e in normal)):
            h = _dot(n, a)
            if any(n) and all(_dot(n, p) <= h for p in body.corners):
                found.append((n, h))
    return found


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _weights(normal: Sequence[Fraction], corner: Sequence[Fraction]) -> list[Fraction]:
    """By which the entries of a motion give the height of a corner."""
    return [*(n * c for n in normal for c in corner), *normal]


def _slowest(normal: Sequence[Fraction], corner: Sequence[Fraction], rates: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    return sum((w * ends[0 if w > 0 else 1] for w, ends in zip(_weights(normal, corner), rates, strict=True)), Fraction(0))


def _rates(motion: Motion, begin: float, end: float) -> list[tuple[Fraction, Fraction]] | None:
    """Enclosures of the derivatives of the entries; None where they are not proved to be differentiable."""
    lo, hi, level = _derivatives(motion).decorated([[begin]], [[end]])
    if not (level.all() and abs(lo).max() < float("inf") and abs(hi).max() < float("inf")):
        return None
    return [(Fraction(a), Fraction(b)) for a, b in zip(lo[0].tolist(), hi[0].tolist(), strict=True)]


@functools.lru_cache(maxsize=64)
def _derivatives(motion: Motion) -> Kernel:
    return compile(list(motion.entries), [t], quick=True).jacobian()
