"""The third kind of proof: surfaces that were apart before have met by a time at which some point is proved to be on both.

It decides where bodies touch and never cross, which rounding cannot tell from a near miss, if numbers are as simple as people draw them:
see `moment.common_point`.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ..moment.common_point import have_in_common, simplest
from ..moment.pairs import Pair
from ..search.native.layout import LOCATED
from ..search.search import Search
from .evidence import SceneQuery
from .scene import Scene

# So many places are tried, those of the simplest numbers first; and how far they are from the ones located, against the size of these, and
# how far times are, against the span: along a curve of contact some other place may have simpler numbers. Effort only.
_TRIED, _REACHES = 32, ((0.0, 0.0), (2.0**-20, 2.0**-24), (2.0**-6, 2.0**-24))

Place = tuple[Fraction, ...]


def met_by(query: SceneQuery, s: Search) -> float:
    """A time by which two bodies are proved to meet, at a place that a search located; infinite where none is proved."""
    with query.clock.reporting():
        for label, moment, place in _candidates(s, query.scene):
            if have_in_common([(query.scene.bodies[k], query.scene.numbers[k]) for k in label], place, moment):
                near = float(moment)
                return near if Fraction(near) >= moment else math.nextafter(near, math.inf)
    return math.inf


def _candidates(s: Search, scene: Scene) -> list[tuple[Pair, Fraction, Place]]:
    """Pairs of bodies that start apart, times at which the formulas of the scene hold, and places, the simplest numbers first."""
    (begin, end), (first, last) = scene.span, scene.holds
    found = {(s.problem_of(k).label, moment, place) for k, moment, place in _simple(s, end - begin)
             if max(begin, first) <= moment <= min(end, last)}
    return sorted(found, key=lambda one: (one[1].denominator, sum(abs(e.numerator) + e.denominator for e in one[2])))[:_TRIED]


def _simple(s: Search, length: float) -> Iterator[tuple[int, Fraction, Place]]:
    """The simplest time in the box of each solution that is located, and not proved, and the simplest places in it and near it."""
    count = len(s.solutions)
    numbers = np.flatnonzero(s.arrays["kind"][:count] == LOCATED)
    places = s.arrays["place"][numbers]
    size = float(np.ptp(places[np.isfinite(places)])) if np.isfinite(places).any() else 0.0
    for k, time, place in zip(numbers.tolist(), s.times(numbers).tolist(), places.tolist(), strict=True):
        if not s.problem_of(k).incoming and np.isfinite([*time, *itertools.chain(*place)]).all():
            for way, late in _REACHES:
                moment = simplest(time[0] - late * length, time[1] + late * length)
                yield k, moment, tuple(simplest(lo - way * size, hi + way * size) for lo, hi in place)
