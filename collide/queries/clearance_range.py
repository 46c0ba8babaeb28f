"""`clearance_range`: the least and the greatest clearance of bodies over a motion, as over the range of a joint."""

import functools
import heapq
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

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
# The decoration of a formula that is defined and continuous in a box.
_CONTINUOUS = 2
_MOMENT = sp.Symbol("moment", real=True)
_UNBOUNDED = "The greatest clearance has no upper bound as yet: a distance has none, or a motion is not proved to be bounded."


@dataclass(frozen=True, eq=False, repr=False)
class ClearanceRange:
    """Least and greatest clearance in a time span. `least`: the answer of `clearance`; `greatest` *encloses* the greatest value that the
    least distance of all pairs has at any moment, and `moment` is where it is at least `greatest`.lo. `status` is MEASURED where both
    brackets are as narrow as asked for. `iterations` are boxes examined, `seconds` the time of the whole call, `notes` further sentences.
    """

    status: DistanceStatus
    least: Clearance
    greatest: Interval
    moment: float
    iterations: int
    seconds: float
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lo, hi = self.least.bracket, self.greatest
        return f"ClearanceRange({self.status.name}, least=[{lo.lo!r}, {lo.hi!r}], greatest=[{hi.lo!r}, {hi.hi!r}])"

    def summary(self) -> str:
        """One paragraph."""
        both = (f"The least clearance lies in [{self.least.bracket.lo!r}, {self.least.bracket.hi!r}], the greatest one in "
                f"[{self.greatest.lo!r}, {self.greatest.hi!r}], near t = {self.moment!r}.")
        return " ".join((both, *self.notes, effort(self.iterations, self.seconds)))


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
    distance is measured, and within a window it grows by no more than points of the bodies move meanwhile, which kernels bound. Where a
    motion has no bound, or a body is not defined, `greatest` ends with infinity, and a note says so.

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
    least = clearance(bodies, time, ignore=ignore, budget=_half(clock.rest))
    found = _Greatest(span[0])
    with clock.query():
        _search(bodies, span, share, ignore, (clock, found))
    known = least.status in (DistanceStatus.MEASURED, DistanceStatus.MEETING) and found.narrow
    status = DistanceStatus.MEASURED if known else DistanceStatus.BUDGET_SPENT if clock.ended else DistanceStatus.UNRESOLVED
    greatest = Interval(found.best, max(found.best, found.upper))
    notes = () if greatest.hi < math.inf else (_UNBOUNDED,)
    return ClearanceRange(status, least, greatest, found.moment, least.iterations + clock.boxes, clock.seconds, notes)


@dataclass
class _Greatest:
    """The greatest clearance as far as it is known, also where the search of it is broken off."""

    moment: float
    best: float = 0.0
    upper: float = math.inf
    narrow: bool = False


def _search(bodies: Sequence[Any], span: tuple[float, float], share: float, ignore: Iterable[Any], how: tuple[Clock, _Greatest]) -> None:
    """Windows in order of their upper bounds; each is cut in half until none is above what is found by more than the tolerance. Of windows
    without an upper bound the longest come first; those that no double cuts are `left`.
    """
    clock, found = how
    ignored, ways = ignored_pairs(ignore, bodies), [_Displacements(b) for b in bodies]
    pairs = [pair for pair in itertools.combinations(range(len(bodies)), 2) if pair not in ignored]
    sizes = [float((box[:, 1] - box[:, 0]).max()) for box in (extent(b, span[0]) for b in bodies) if np.isfinite(box).all()]
    least = share * min(sizes, default=0.0)
    queue, waiting, above, left = list[tuple[float, float, float, float]](), [span], math.inf, 0.0
    while waiting or (queue and -queue[0][0] - found.best > least and not clock.exceeded()):
        if not waiting:
            above, _, lo, hi = heapq.heappop(queue)
            above, middle = -above, 0.5 * (lo + hi)
            if not lo < middle < hi:
                left = max(left, above)
                continue
            waiting = [(lo, middle), (middle, hi)]
        lo, hi = waiting.pop()
        middle = 0.5 * (lo + hi)
        gaps = [distance(bodies[i], bodies[j], at=middle, budget=_half(clock.rest)).bracket for i, j in pairs]
        nearest = min(gap.lo for gap in gaps)
        # Without a bound where a body is not defined.
        if found.best < nearest < math.inf:
            found.best, found.moment = nearest, middle
        moves = [way.most(middle, lo, hi) for way in ways]
        most = min(above, *(_up(gap.hi + _up(moves[i] + moves[j])) for gap, (i, j) in zip(gaps, pairs, strict=True)))
        heapq.heappush(queue, (-most, lo - hi, lo, hi))
        if not waiting:
            found.upper = max(left, -queue[0][0])
    found.upper = max(left, -queue[0][0] if queue else 0.0)
    found.narrow = found.upper - found.best <= least


def _half(budget: Budget) -> Budget:
    """Half of the seconds, so that nothing takes them all, as a moment at a jump does."""
    return budget if budget.seconds is None else replace(budget, seconds=0.5 * budget.seconds)


def _up(value: float) -> float:
    return math.nextafter(value, math.inf)


class _Displacements:
    """Bounds of how far points of a rigid body are moved between a moment and any other of a window."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._motions = dict.fromkeys(p.motion for p in pieces_of(body) if not p.motion.is_constant)
        self._kernels = [(_back(m), _path(m)) for m in self._motions]
        self._speeds = [path.jacobian() for _, path in self._kernels]

    def most(self, moment: float, lo: float, hi: float) -> float:
        """The longest time from the moment, times the greatest speed of a point that is in the body's box then. Where the path of one is
        not proved to be continuous, the range of the way from its place at the moment; infinite where that has no bound.
        """
        box = extent(self._body, moment) if self._kernels else np.zeros((3, 2))
        if not np.isfinite(box).all():
            return math.inf
        found = 0.0
        for motion, (back, path), speeds in zip(self._motions, self._kernels, self._speeds, strict=True):
            own = back.interval([[moment, *box[:, 0]]], [[moment, *box[:, 1]]])
            if not np.isfinite(own).all():
                return math.inf
            window, longest = ([[lo, *own[0][0]]], [[hi, *own[1][0]]]), _up(max(hi - moment, moment - lo))
            if (path.decorated(*window)[2] >= _CONTINUOUS).all():
                low, high = (ends[:, ::4] for ends in speeds.interval(*window))
            else:
                (low, high), longest = _way(motion).interval(*([[moment, *end[0]]] for end in window)), 1.0
            way = np.maximum(-low, high)[0]
            found = max(found, float(np.sqrt((way**2).sum())) * _ROUNDINGS * longest * _ROUNDINGS)
        return found


def _back(motion: Motion) -> Kernel:
    return compile(list(motion.inverse().apply((x, y, z))), [t, x, y, z])


def _path(motion: Motion) -> Kernel:
    return compile(list(motion.apply((x, y, z))), [t, x, y, z])


@functools.lru_cache(maxsize=64)
def _way(motion: Motion) -> Kernel:
    """The way of a point from its place at another moment."""
    path = motion.apply((x, y, z))
    return compile([e - e.xreplace({t: _MOMENT}) for e in path], [_MOMENT, t, x, y, z])
