"""Situations that are left: contacts that a search can neither exclude nor prove, and that go on.

Bodies that rest, slide or roll on one another from the beginning stay tangent, with a closing speed of 0: no part of that contact can be
excluded, and none is proved to be a contact that comes in. Of bodies that start apart it is the same where they come to touch without ever
crossing, as faces that slide along each other in one plane, whose formulas are rounded. Nothing found afterwards in the same situation
can raise the time up to which all is clear. So after some places, and a while, the situation is left; the others are searched on.
"""

import math

import numpy as np

from .budget import Clock, drive
from .search import layout
from .state import Search

# So many unproved places of contact in one situation are enough; steps after which they are counted.
_ENOUGH, _STEPS = 24, 100
# Of bodies that start apart, a situation is left after so many boxes without proof.
_WHILE = 1 << 17


def drive_past(s: Search, clock: Clock, begin: float, boxes: float = math.inf) -> bool:
    """Like `drive`, but situations are left where contacts stand that cannot be proved: of bodies that do not start apart, at `begin`;
    `s.left` names them.
    """
    incoming = any(p.incoming for p in s.problems)

    def between() -> None:
        if incoming:
            _leave(s, begin)
        _leave_doubt(s)

    return drive(s, clock, between, _STEPS if incoming else None, boxes)


def _leave(s: Search, begin: float) -> None:
    """Leave the situations with enough unproved places, once a box that begins at `begin` is known to stay."""
    if s.real[layout.CLEAR] > begin:
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
    """Where a contact was located, but none proved for many boxes, leave the situation with most open ones of those with located places."""
    boxes = int(s.count[layout.ITERATIONS])
    if s.real[layout.PROVED] < np.inf or not len(s.solutions):
        s.doubtful = boxes
    elif boxes - s.doubtful > _WHILE:
        s.doubtful = boxes
        waiting = [len(s.open(k)) if located else 0 for k, located in enumerate(_located(s).tolist())]
        k = int(np.argmax(waiting))
        if waiting[k]:
            s.leave(k, s.least_open(k))
