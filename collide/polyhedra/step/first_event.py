"""The first time after the start at which parts of a mesh meet, exactly.

Parts that touch at the start may part: a later contact is at another zero of their volume (`exact.feature_pairs`). If they are in one plane
all the time, that is not asked: the answer is the start.
"""

import math

import numpy as np

from codegen.deadline import check

from ..exact import feature_pairs
from ..exact.real_roots import refined
from ..primitives.queries import edge_edge, vertex_face

# Widths of brackets, of the first look and of the last.
_ROUGH, _FINE = 1e-6, 1e-13


def clear_until(before: np.ndarray, after: np.ndarray, points: np.ndarray, edges: np.ndarray) -> float:
    """A time before which, except for the start, no candidates meet, within 1e-13 of the first at which some do; infinite for none."""
    cut = math.inf
    for which, query, face in ((points, vertex_face, True), (edges, edge_edge, False)):
        if not len(which):
            continue
        q = np.concatenate([before[which], after[which]], axis=1)
        found = query(q, _ROUGH)
        rows = np.flatnonzero(found.hit)
        started = rows[found.time[rows, 0] <= 0.0]
        rows = rows[(found.time[rows, 0] > 0.0) & (found.time[rows, 0] < min(cut, found.time[rows, 1].min(initial=cut)))]
        if len(rows):
            cut = min(cut, float(query(q[rows], _FINE).time[:, 0].min()))
        for points_of in feature_pairs.integers(q[started]):
            check()
            cut = min(cut, _after_start(points_of, face))
    return cut


def _after_start(points: list[list[int]], face: bool) -> float:
    """The same for parts that may touch at the start."""
    query = feature_pairs.FeaturePolynomials(feature_pairs.straight(points), face)
    times = query.times()
    if not query.volume:
        return 0.0 if any(query.touches(at) for at in times) else math.inf
    at = next((at for at in times if (at.a, at.b) != (0, 0) and query.touches(at)), None)
    if at is None:
        return math.inf
    while at.a == 0 or (at.b - at.a) / (1 << at.bits) > _FINE:
        at = refined(at)
    return (at.a >> max(0, at.bits - 52)) * 2.0 ** -min(at.bits, 52)
