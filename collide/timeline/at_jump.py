"""Candidates of contact while a motion jumps: in a short stretch of which only the positions by each formula that may hold are known."""

import math

from ..culling.broad_phase import Window
from ..moment.pairs import Pair
from ..search.clock import CONVERTING
from ..search.native.layout import LOCATED
from ..search.search import Search
from .crossings import crossing
from .evidence import Evidence, SceneQuery, about, within
from .stalls import Request, drive_past

# Boxes in which it may be seen that nothing meets while a motion jumps, and after how many it is looked whether something was located.
_JUMP, _GLANCE = 100_000, 2_000


def at_jump(query: SceneQuery, span: Window) -> Evidence:
    """The evidence of what may meet while a motion jumps. A meeting is excluded wherever the bodies may be meanwhile, or by each of the
    formulas that may hold then; or it is proved of the moment after the jump, where bodies cross then.
    """
    scene, options, clock = query.scene, query.options, query.clock
    meetings = [m for m in scene.meetings(span[1]) if within(m, span)]
    if not meetings:
        return Evidence(None, True, span[1])
    with clock.doing(CONVERTING):
        search = Search([scene.problem(m, span) for m in meetings], options)
    found = Evidence(search, drive_past(search, clock, scene.begin, _GLANCE) is Request.DONE, span[0], meetings)
    if search.pole is None and not (found.finished and not found.located):
        known = crossing(query, span, _JUMP)
        if known is None and scene.is_clear(span, options.tolerance, clock, _doubtful(search)):
            return Evidence(None, True, span[1])
        found = known or _looked_at(query, found, search)
    if search.pole is not None:
        scene.use_chart(*search.pole)
        return at_jump(query, span)
    decided = found.proved < math.inf or (found.finished and not found.located)
    return found if decided or clock.ended else _undecided(found, search, span)


def _undecided(found: Evidence, search: Search, span: Window) -> Evidence:
    """Contact was neither proved nor excluded, near what was located and in the first boxes that are open: at any time of the span."""
    for k in range(len(search.problems)):
        if len(search.open(k)):
            search.note(k, search.open(k)[0], LOCATED)
    search.latest_left = max(search.latest_left, span[1])
    return found._replace(finished=True, doubt=f"While a motion jumps, at {about(span[1])}, bodies may meet: by formulas that may "
                          "hold then they come near each other, and which ones hold together rounding cannot tell.")


def _doubtful(search: Search) -> set[Pair]:
    """The pairs of bodies of which something is open, left, or found: that the others do not meet is *proved*. (A box is left out only
    for the sake of what is found of the same two bodies.)
    """
    left = search.left.union(map(search.owner, search.solutions), (k for k in range(len(search.problems)) if len(search.open(k))))
    return {search.problems[k].label for k in left}


def _looked_at(query: SceneQuery, found: Evidence, search: Search) -> Evidence:
    """Goes on with a search for what meets while a motion jumps. What is located once cannot be excluded."""
    boxes = _GLANCE
    while not (found.finished or found.located or search.pole) and boxes <= search.iterations and boxes < _JUMP:
        boxes += _GLANCE
        found = found._replace(finished=drive_past(search, query.clock, query.scene.begin, boxes) is Request.DONE)
    return found
