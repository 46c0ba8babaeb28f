"""Bodies that overlap and whose surfaces lie on each other, as two cubes on a grid that share a half: by points inside of both."""

import numpy as np

from generative import ParametricSurface

from ...bodies.parts import has_inside
from ...bodies.surface_points import extent
from ...moment.inside import contains
from ...search.clock import Clock
from ..motion.templates import QueryBody

# So many points are tried, spread evenly over where both may be (R. Roberts's sequence, by the root of x^4 = x + 1), and where that is
# thinner than this, against its size, none. Effort only.
_TRIED, _THIN = 32, 1e-6
_ROOT = 1.2207440846057596
_PLACES = np.vstack([np.full(3, 0.5), (0.5 + np.arange(1, _TRIED)[:, None] / _ROOT ** np.arange(1.0, 4.0)) % 1.0])


def share_a_point(first: QueryBody, second: QueryBody, moment: float, clock: Clock) -> bool:
    """Whether one of some points is *proved* to be inside both bodies, which are closed, at a moment."""
    sides = first, second
    if not all(has_inside(m.body) for m in sides):
        return False
    boxes = np.array([extent(m.body, moment, m.numbers) for m in sides])
    lo, hi = boxes[..., 0].max(axis=0), boxes[..., 1].min(axis=0)
    if not (hi - lo).min() > _THIN * np.ptp(boxes, axis=2).max(initial=0.0, where=np.isfinite(boxes).all(axis=2)):
        return False
    points = lo + _PLACES * (hi - lo)
    return any(all(_inside(m, point, moment, clock) for m in sides) for point in points)


def _inside(moving: QueryBody, point: np.ndarray, moment: float, clock: Clock) -> bool:
    room = isinstance(moving.body, ParametricSurface) and moving.body.flipped
    return bool(contains(moving.body, np.stack([point, point], axis=1), moment, clock, moving.numbers, apart=False, room=room))
