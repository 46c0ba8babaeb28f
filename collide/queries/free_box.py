"""`free_box`: a box of values of parameters, as of joint angles, in which bodies keep a distance.

Whether a box is free is one question to `clearance`. The box grows in proportion to the room that is left to the limits, then one side at
a time, and each size that is kept is proved. How sizes are chosen decides nothing but how large the box becomes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from codegen.given import shown
from codegen.interval import Interval
from codegen.walk import nesting_in_words
from generative.symbols import text

from ..answers.distances import Clearance
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from .arguments import check_kinds
from .distance import clearance
from .parameters import Range, read_parameters

# Bisections of the common share of the way to the limits, and of each side after that.
_TOGETHER, _EACH = 7, 2

Box = dict[Any, Range]


@dataclass(frozen=True, eq=False, repr=False)
class FreeBox:
    """A box of values of parameters. `ranges` {symbol: (lo, hi)}, exact numbers, all of which are the start where not even that is proved
    free; `verdict`: True where the bodies are *proved* to keep the distance for all values in it, otherwise that of the start; `clearance`:
    the answer that proves it; `asked`: how many boxes were tried.
    """

    ranges: Mapping[Any, Range]
    verdict: bool | None
    clearance: Clearance
    asked: int

    @property
    def box(self) -> dict[Any, Interval]:
        """The ranges in doubles: those in between are in the box."""
        return {s: Interval(float(lo), float(hi)) for s, (lo, hi) in self.ranges.items()}

    def summary(self) -> str:
        """One sentence: the box, and whether it is free."""
        words = ", ".join(f"{text(s)} from {lo:.6g} to {hi:.6g}" for s, (lo, hi) in self.box.items())
        known = {True: "are proved to keep", False: "are proved not to keep", None: "are not proved to keep"}[self.verdict]
        return f"The bodies {known} the distance for {words}; {self.asked} boxes were tried."

    def __repr__(self) -> str:
        return f"FreeBox(verdict={self.verdict}, {len(self.ranges)} parameters, {self.asked} boxes tried)"


@nesting_in_words
def free_box(bodies: Sequence[Any], at_least: float, *, start: Mapping[Any, Any], limits: Mapping[Any, Any],
             time: tuple[Any, Any] | None = None, ignore: Iterable[Any] = (), budget: Budget | float | None = None) -> FreeBox:
    """Grow a box of values of parameters round given ones, as large as it can be proved that bodies keep a distance in it.

    Parameters
    ----------
    bodies, time, ignore
        As in `clearance`; without a time span the box holds poses, with one it holds motions.
    at_least : float
        The distance that is kept.
    start : mapping
        {symbol: number}, the values that the box holds.
    limits : mapping
        {symbol: (lo, hi)}, of all parameters: what the box does not go beyond.
    budget : float or Budget, optional
        Seconds or a `Budget`, for all boxes; None is 60 seconds.

    Returns
    -------
    FreeBox
        With `ranges`, `box`, `verdict` and `clearance`.

    Raises
    ------
    TypeError, ValueError
        As `clearance`. ValueError also for a start beyond its limits.

    Notes
    -----
    That the distance is kept in the box is *proved*. Its size *approximates* that of the largest one: each side was tried to be longer.

    Examples
    --------
    A plate may be up to 1 below a bowl, less the distance to be kept.

    >>> from collide import free_box
    >>> from generative import Parameter, ParametricSurface, Rigid, u, v
    >>> height = Parameter("height")
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, height]))
    >>> bowl = ParametricSurface([u, v, 1 + u**2 + v**2], {u: (-1, 1), v: (-1, 1)})
    >>> found = free_box([plate, bowl], 0.125, start={height: 0}, limits={height: (-1, 2)})
    >>> found.verdict, found.box[height].lo, 0.8 < found.box[height].hi < 0.875
    (True, -1.0, True)
    """
    check_kinds(bodies, "free_box")
    clock = Clock(as_budget(budget))
    known, ends = read_parameters(start, bodies), read_parameters(limits, bodies)
    for s, (lo, hi) in ends.items():
        if not lo <= known[s][0] == known[s][1] <= hi:
            raise ValueError(f"the start of {s} must be one number within its limits, got {shown(start[s])}")
    grown = _Grown(bodies, at_least, time, ignore, clock, known)
    if grown.verdict is True:
        grown.together(ends)
        for s in ends:
            for side in (0, 1):
                grown.along(s, side, ends[s][side])
    return FreeBox(grown.box, grown.verdict, grown.answer, grown.asked)


class _Grown:
    """The largest box so far that is proved free."""

    def __init__(self, bodies: Sequence[Any], at_least: float, time: tuple[Any, Any] | None, ignore: Iterable[Any], clock: Clock,
                 start: Box) -> None:
        self._bodies, self._at_least, self._time, self._ignore, self._clock = bodies, at_least, time, [*ignore], clock
        self.asked, self.box = 0, start
        self.answer = self._ask(start)
        self.verdict = self.answer.verdict

    def _ask(self, box: Box) -> Clearance:
        self.asked += 1
        asked = {s: lo if lo == hi else (lo, hi) for s, (lo, hi) in box.items()}
        return clearance(self._bodies, self._time, self._at_least, ignore=self._ignore, parameters=asked, budget=self._clock.rest)

    def _try(self, box: Box) -> bool:
        """Whether a box is proved free, which it then is from now on."""
        if box == self.box or self._clock.over:
            return box == self.box
        found = self._ask(box)
        if found.verdict is True:
            self.box, self.answer = box, found
        return found.verdict is True

    def together(self, ends: Box) -> None:
        """All sides by the same share of the way to their limits."""
        start, least, most = dict(self.box), sp.Integer(0), sp.Integer(1)
        share = most
        for _ in range(_TOGETHER):
            if self._try({s: tuple(at + share * (end - at) for at, end in zip(start[s], ends[s], strict=True)) for s in start}):
                least = share
            else:
                most = share
            if least == most or self._clock.over:
                return
            share = (least + most) / 2

    def along(self, symbol: Any, side: int, limit: Any) -> None:
        """One side, as far as its limit if that is proved free."""
        most = limit
        for _ in range(1 + _EACH):
            at = list(self.box[symbol])
            at[side] = most
            if self._try({**self.box, symbol: (at[0], at[1])}) or self._clock.over:
                return
            most = (most + self.box[symbol][side]) / 2
