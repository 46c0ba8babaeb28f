"""Two triangles' parts, decided exactly: on straight paths, and under motions that are polynomials (`exact.motion`)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact import feature_pairs
from ..exact.motion import ExactMotion
from ..primitives.triangle_pair import EDGES, FACES
from .initial_overlap import meet_exactly
from .loop import MEET

# Of the unit that s is in: roots are told so closely before they are put in times.
_CLOSE = 2.0**-30


def straight(corners: Sequence[np.ndarray], part: int, tolerance: float) -> Any:
    """The first contact of two triangles' parts on straight paths; None if there is none."""
    if part == MEET:
        first, second = ([[Fraction(x) for x in p[:3]] for p in c.tolist()] for c in corners)
        return ((0.0, 0.0), (np.inf, np.inf)) if meet_exactly(first, second) else None
    points = np.concatenate(corners)[_points(part)]
    q = np.concatenate([points[:, :3], points[:, 3:]])[None]
    return feature_pairs.answer(feature_pairs.integers(q)[0], part < 6, tolerance)


def moving(known: ExactMotion, corners: Sequence[np.ndarray], part: int, span: tuple[float, float], tolerance: float) -> tuple[bool, Any]:
    """Whether a meeting of parts within a span, before which they do not meet, is decided; and the first contact, if there is one."""
    begin, end = span
    window = known.window(begin, end)
    if part == MEET:
        if window is None or not window.sharp:
            return False, None
        first, second = ([list(map(Fraction, p)) for p in c.tolist()] for c in corners)
        met = meet_exactly([window.place(p, Fraction(0)) for p in first], second)
        return True, ((begin, begin), (np.inf, np.inf)) if met else None
    which = _points(part)
    swapped = 3 <= part < 6
    while window is not None:
        own, other = ([corners[k // 3][k % 3].tolist() for k in which if (k >= 3) == side] for side in (False, True))
        query = window.query(own, other, part < 6, swapped)
        at = feature_pairs.first_touch(query, _CLOSE)
        if at is not None:
            at, bracket = window.narrowed(at, 0.5 * tolerance)
            sure = bracket[1] - bracket[0] <= tolerance and (window.sharp or bracket[0] >= begin)
            return sure, ((max(bracket[0], begin), max(bracket[1], begin)), feature_pairs.parameters(query, at))
        if window.end >= end:
            return True, None
        begin = window.end
        window = known.window(begin, end)
    return False, None


def _points(part: int) -> Any:
    """The corners of both triangles that a query is about."""
    return (*FACES, *EDGES)[part]
