"""Situations that are left: contacts that a search can neither exclude nor prove, and that go on.

Bodies that rest, slide or roll on one another from the beginning stay tangent, with a closing speed of 0: no part of that contact can be
excluded, and none is proved to be a contact that comes in. Of bodies that start apart it is the same where they come to touch without ever
crossing, as faces that slide along each other in one plane, whose formulas are rounded. Nothing found afterwards in the same situation
can raise the time up to which all is clear. So after some places, and a while, the situation is left; the others are searched on.
"""

import itertools
import math
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

import numpy as np

from ..search.clock import Clock
from ..search.drive import drive
from ..search.native import layout
from ..search.native.layout import LANES
from ..search.search import Search

# All of these decide only effort: what is left is told as a doubt. (Measured but for _STEPS and _WHILE: tests/benchmarks/constants.py, a
# quarter to four times are alike within 3 % in the mean; single cases take up to 5 times as many boxes.)
# So many unproved places of contact in one situation are enough; steps after which they are counted.
_ENOUGH, _STEPS = 24, 100
# Boxes after which it is looked how far a search came. One that with more boxes gets on by less than this share of the time ahead, and in
# the later half of them by no more than in the earlier one, is slow. (Many first divide boxes that all begin at once, and then get on ever
# faster: those are not to be begun anew. Measured: 53,000 boxes in the place of 92,000 for a Geneva wheel and its pin, 31,000 of 66,000 for
# nine bodies in a bowl, 201,000 of 252,000 for a box that turns many times.)
_GLANCE, _PATIENCE, _SHARE = 1 << 11, 1 << 14, 0.25
# After so many boxes that do not get on it is looked whether bodies touch; if they do not seem to, once more after twice as many each time.
_STANDING = 1 << 13
# Of bodies that start apart, a situation is left after so many boxes without proof.
_WHILE = 1 << 17


class Looks(NamedTuple):
    """The reasons to leave a search, of which it is looked from time to time how far it came: that all is clear except a time `near` before
    the end; that it gets on slowly (`hasty`); or that it comes to a stand within a time `touch` where rounding may hide a contact, none
    being proved. `stay`: then only the situations are left of which that is so. `crossed`: proves a contact by a time given, and says when
    it was.
    """

    near: float = 0.0
    hasty: bool = False
    touch: float = 0.0
    stay: bool = False
    crossed: Callable[[float], float] = lambda time: math.inf

    @property
    def wanted(self) -> bool:
        return self.near > 0.0 or self.hasty or self.touch > 0.0


class Request(Enum):
    """The reason why a search stopped: it is `DONE`, or the budget is `SPENT`; it wants a `CHART` round a pole; or it is left, since all is
    `CLEAR` to just before the end, bodies may `TOUCH`, or it is `SLOW`.
    """

    DONE = "done"
    SPENT = "spent"
    CHART = "chart"
    CLEAR = "clear"
    TOUCH = "touch"
    SLOW = "slow"


class StopReason(NamedTuple):
    """The reason why a search stopped; where it was left, the time up to which all is clear."""

    request: Request
    clear: float = math.nan


def drive_looking(s: Search, clock: Clock, begin: float, span: tuple[float, float], mark: float, looks: Looks) -> StopReason:
    """Drives a search of a time span, in which all is clear up to `mark`."""
    before, stood, look, request = -math.inf, 0.0, _STANDING, Request.SPENT
    marks, due = (mark, mark), _PATIENCE // 2
    for boxes in itertools.count(_GLANCE, _GLANCE) if looks.wanted else (math.inf,):
        request = drive_past(s, clock, begin, boxes)
        if request is not Request.SPENT or s.iterations < boxes:
            break
        clear, ahead = s.clear_until(s.solutions, span[1]), min(s.least_open(k) for k in range(len(s.problems)))
        if looks.near > 0.0 and clear >= span[1] - looks.near:
            return StopReason(Request.CLEAR, clear)
        if ahead >= before + looks.touch or s.proved < np.inf:
            before, stood, look = ahead, boxes, _STANDING
        elif boxes - stood >= look and ahead + 2.0 * looks.touch < span[1]:
            if _stands(s, ahead, looks):
                return StopReason(Request.TOUCH, clear)
            look *= 2
        if looks.hasty and s.iterations >= due:
            if due >= _PATIENCE and _slow(s, marks, clear, span):
                return StopReason(Request.SLOW, clear)
            marks, due = (marks[1], clear), due + _PATIENCE // 2
    return StopReason(request)


def _stands(s: Search, ahead: float, looks: Looks) -> bool:
    """Whether a search that does not get on is to be left, after a look at where it is."""
    located = [k for k, p in enumerate(s.problems) if not p.incoming and s.least_open(k) <= ahead + looks.touch and s.locate_first(k)]
    if not located:
        return False
    if looks.stay:
        for k in located:
            s.leave(k, s.least_open(k))
        return False
    s.proved = min(s.proved, looks.crossed(ahead + looks.touch))
    return not s.proved < np.inf


def _slow(s: Search, marks: tuple[float, float], clear: float, span: tuple[float, float]) -> bool:
    """Whether a search got on from the first mark to `clear`, ever more slowly, and by little of what is ahead: if it found something, of
    most of the span.
    """
    begin, halfway = marks
    ahead = min(span[1], s.proved) - clear
    far = not len(s.solutions) or ahead > clear - span[0]
    return far and begin < clear and clear - begin < _SHARE * ahead and clear - halfway <= halfway - begin


def drive_past(s: Search, clock: Clock, begin: float, boxes: float = math.inf) -> Request:
    """Like `drive`, but situations are left where contacts stand that cannot be proved: of bodies that do not start apart, at `begin`;
    `s.left` names them.
    """
    incoming = any(p.incoming for p in s.problems)

    def between() -> None:
        if incoming:
            _leave(s, begin)
        _leave_doubt(s)

    left = boxes - s.iterations
    finished = drive(s, clock, between, _STEPS if incoming else max(1, int(left) // LANES) if left < math.inf else None, boxes)
    return Request.CHART if s.pole is not None else Request.DONE if finished else Request.SPENT


def _leave(s: Search, begin: float) -> None:
    """Leave the situations with enough unproved places, once a box that begins at `begin` is known to stay."""
    if s.clear > begin:
        return
    located = _located(s)
    for k, problem in enumerate(s.problems):
        if problem.incoming and located[k] >= _ENOUGH and k not in s.left:
            s.leave(k, begin)


def _located(s: Search) -> np.ndarray:
    """(problems,): how many places are located, and not proved."""
    count = len(s.solutions)
    return np.bincount(s.arrays["owner"][:count][s.arrays["kind"][:count] == layout.LOCATED], minlength=len(s.problems))


def _leave_doubt(s: Search) -> None:
    """Leave the situation with most open boxes, of those with located places, if one was located, but no contact proved for many boxes."""
    boxes = s.iterations
    if s.proved < np.inf or not len(s.solutions):
        s.doubtful = boxes
    elif boxes - s.doubtful > _WHILE:
        s.doubtful = boxes
        waiting = [len(s.open(k)) if located else 0 for k, located in enumerate(_located(s).tolist())]
        k = int(np.argmax(waiting))
        if waiting[k]:
            s.leave(k, s.least_open(k))
