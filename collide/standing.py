"""Contacts with which bodies begin, and which a search cannot tell from new ones.

Bodies that rest, slide or roll on one another stay tangent, with a closing speed of 0: no part of that contact can be excluded, and
none is proved to be a contact that comes in. Nothing found afterwards in the same situation can raise the time up to which all is
clear, which is the beginning then. So after some points of such a contact the situation is left; the others are searched on.
"""

import math

import numpy as np

from .budget import Clock, drive
from .search import layout
from .state import Search

# So many unproved places of contact in one situation are enough; steps after which they are counted.
_ENOUGH, _STEPS = 24, 100


def drive_past(s: Search, clock: Clock, begin: float, boxes: float = math.inf) -> bool:
    """Like `drive`, but situations of bodies that do not start apart are left where contacts at `begin` stand; `s.left` names them."""
    if not any(p.incoming for p in s.problems):
        return drive(s, clock, boxes=boxes)
    return drive(s, clock, lambda: _leave(s, begin), _STEPS, boxes)


def _leave(s: Search, begin: float) -> None:
    """Leave the situations with enough unproved places, once a box that begins at `begin` is known to stay."""
    if s.real[layout.CLEAR] > begin:
        return
    count = len(s.solutions)
    located = np.bincount(s.arrays["owner"][:count][s.arrays["kind"][:count] == layout.LOCATED], minlength=len(s.problems))
    for k, problem in enumerate(s.problems):
        if problem.incoming and located[k] >= _ENOUGH and k not in s.left:
            s.leave(k, begin)
