"""`clearance_range`: the least and the greatest clearance of bodies over a motion, as over the range of a joint."""

import heapq
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen import compile
from codegen.interval import Interval
from codegen.kernel import Kernel
from codegen.walk import nesting_in_words
from generative import Motion, t, x, y, z
from generative.changes import pieces_of

from ..answers.contacts import effort
from ..answers.distances import Clearance, DistanceStatus
from ..bodies.surface_points import extent
from ..given import check_positive, check_span
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from .arguments import ignored_pairs
from .distance import clearance, distance

# More than the roundings of a sum of three squares and its root, against its size.
_ROUNDINGS = 1 + 2.0**-50


@dataclass(frozen=True, eq=False, repr=False)
class ClearanceRange:
    """Least and greatest clearance in a time span. `least`: the answer of `clearance`; `greatest` *encloses* the greatest value that the
    least distance of all pairs has at any moment, and `moment` is where it is at least `greatest`.lo. `status` is MEASURED where both
    brackets are as narrow as asked for. `iterations` are boxes examined, `seconds` the time of the whole call.
    """

    status: DistanceStatus
    least: Clearance
    greatest: Interval
    moment: float
    iterations: int
    seconds: float

    def __repr__(self) -> str:
        lo, hi = self.least.bracket, self.greatest
        return f"ClearanceRange({self.status.name}, least=[{lo.lo!r}, {lo.hi!r}], greatest=[{hi.lo!r}, {hi.hi!r}])"

    def summary(self) -> str:
        """One paragraph."""
        return (f"The least clearance lies in [{self.least.bracket.lo!r}, {self.least.bracket.hi!r}], the greatest one in "
                f"[{self.greatest.lo!r}, {self.greatest.hi!r}], near t = {self.moment!r}. {effort(self.iterations, self.seconds)}")


@nesting_in_words
def clearance_range(bodies: Sequence[Any], time: tuple[Any, Any], *, tolerance: float = 1e-3, ignore: Iterable[Any] = (),
                    budget: Budget | float | None = None, progress: bool = False) -> ClearanceRange:
    """Bracket the least and the greatest clearance of bodies over a time span, as over the range of a joint.

    Parameters
    ----------
    bodies, time, ignore
        As in `clearance`. Motions are rigid. To go over the range of a joint give its value as t.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the greatest clearance, against the size of the bodies.
    budget : float or Budget, optional
        Seconds or a `Budget`, for both searches together; None is 60 seconds.
    progress : bool, optional
        Show a bar.

    Returns
    -------
    ClearanceRange
        With `least`, a `Clearance`, and the bracket `greatest`.

    Raises
    ------
    TypeError, ValueError
        As `clearance`; for bodies that deform.

    Notes
    -----
    Both brackets *enclose*. The greatest clearance is searched over windows of time, the most promising first: at a moment the least
    distance is measured, and within a window it grows by no more than points of the bodies move meanwhile, which kernels bound.

    Examples
    --------
    A ball goes round in a circle about a point one away from another ball's centre: the gap is 1/2 to 5/2.

    >>> import collide, sympy as sp
    >>> from generative import Rigid, primitives, t
    >>> balls = primitives.ball(0.25).moved(Rigid(translation=[sp.cos(t), sp.sin(t), 0])), primitives.ball(0.25, (2, 0, 0))
    >>> found = collide.clearance_range(balls, (0, 4))
    >>> found.status, abs(found.greatest.hi - 2.5) < 0.01
    (DistanceStatus.MEASURED, True)
    """
    span, share, clock = check_span(time), check_positive("tolerance", tolerance), Clock(as_budget(budget), progress)
    if len(bodies) < 2:
        raise ValueError("a clearance takes at least two bodies")
    for k, body in enumerate(bodies):
        if any(getattr(p, "deforming", False) for p in pieces_of(body)):
            raise ValueError(f"clearance_range takes rigid bodies, but body {k} deforms")
    least = clearance(bodies, time, ignore=ignore, budget=clock.rest)
    with clock.query():
        greatest, moment, found = _greatest(bodies, span, share, ignore, clock)
    known = least.status in (DistanceStatus.MEASURED, DistanceStatus.MEETING) and found
    status = DistanceStatus.MEASURED if known else DistanceStatus.BUDGET_SPENT if clock.ended else DistanceStatus.UNRESOLVED
    return ClearanceRange(status, least, greatest, moment, least.iterations + clock.boxes, clock.seconds)


def _greatest(bodies: Sequence[Any], span: tuple[float, float], share: float, ignore: Iterable[Any],
              clock: Clock) -> tuple[Interval, float, bool]:
    """Windows in order of their upper bounds; each is cut in half until none is above what is found by more than the tolerance."""
    ignored, ways = ignored_pairs(ignore, bodies), [_Displacements(b) for b in bodies]
    pairs = [pair for pair in itertools.combinations(range(len(bodies)), 2) if pair not in ignored]
    least = share * min(float(np.ptp(extent(b, span[0]), axis=1).max()) for b in bodies)
    best, moment, queue = 0.0, span[0], list[tuple[float, float, float]]()
    waiting = [span]
    while waiting or (-queue[0][0] - best > least and not clock.exceeded()):
        if not waiting:
            _, lo, hi = heapq.heappop(queue)
            waiting = [(lo, 0.5 * (lo + hi)), (0.5 * (lo + hi), hi)]
        lo, hi = waiting.pop()
        middle = 0.5 * (lo + hi)
        gaps = [distance(bodies[i], bodies[j], at=middle, budget=clock.rest).bracket for i, j in pairs]
        moves = [way.most(middle, lo, hi) for way in ways]
        most = [_up(gap.hi + _up(moves[i] + moves[j])) for gap, (i, j) in zip(gaps, pairs, strict=True)]
        if min(gap.lo for gap in gaps) > best:
            best, moment = min(gap.lo for gap in gaps), middle
        heapq.heappush(queue, (-min(most), lo, hi))
    return Interval(best, max(best, -queue[0][0])), moment, -queue[0][0] - best <= least


def _up(value: float) -> float:
    return math.nextafter(value, math.inf)


class _Displacements:
    """Bounds of how far points of a rigid body are moved between a moment and any other of a window."""

    def __init__(self, body: Any) -> None:
        self._body = body
        motions = dict.fromkeys(p.motion for p in pieces_of(body) if not p.motion.is_constant)
        self._kernels = [(_back(m), _path(m).jacobian()) for m in motions]

    def most(self, moment: float, lo: float, hi: float) -> float:
        """The longest time from the moment, times the greatest speed of a point that is in the body's box then."""
        box = extent(self._body, moment) if self._kernels else None
        found = 0.0
        for back, path in self._kernels:
            assert box is not None
            own = back.interval([[moment, *box[:, 0]]], [[moment, *box[:, 1]]])
            low, high = path.interval([[lo, *own[0][0]]], [[hi, *own[1][0]]])
            speed = np.maximum(-low, high)[0, ::4]
            found = max(found, float(np.sqrt((speed**2).sum())) * _ROUNDINGS * _up(max(hi - moment, moment - lo)) * _ROUNDINGS)
        return found


def _back(motion: Motion) -> Kernel:
    return compile(list(motion.inverse().apply((x, y, z))), [t, x, y, z])


def _path(motion: Motion) -> Kernel:
    return compile(list(motion.apply((x, y, z))), [t, x, y, z])
