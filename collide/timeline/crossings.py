"""The second kind of proof: bodies that were apart before and *provably* cross at a moment have met by then.

It decides what a search for tangent contacts leaves open: what is located where formulas of motions change or jump, and where bodies come
so near that rounding hides whether they touch.
"""

import math

from ..culling.broad_phase import Window
from ..search.drive import drive
from ..search.problem import Problem
from ..search.search import Search
from .common_points import met_by
from .evidence import Evidence, SceneQuery, about
from .sign_change import changes_sign

# Boxes in which it may be seen that bodies cross. (Measured: tests/benchmarks/constants.py, no case needs more than a quarter.)
_CROSSED = 1 << 13
# Against the time span, how far a search goes on beyond what may be a touch. What is proved or left in doubt there is told: it decides
# how wide the doubt is, not what is true.
_REACH = 1e-6
TOUCH = "bodies come so near that rounding cannot tell a touch from a near miss, and they are not proved to cross then or soon after."


def crossing(query: SceneQuery, span: Window, boxes: int = _CROSSED) -> Evidence | None:
    """The evidence that bodies that were apart at the beginning of the span *provably* cross at its end."""
    crossings = query.scene.crossings(span[1])
    search = _searched(query, [problem for _, problem in crossings], boxes)
    # The time is known, whatever is still open.
    return Evidence(search, True, span[0], [m for m, _ in crossings]) if search is not None and search.proved < math.inf else None


def crossed_by(query: SceneQuery, time: float) -> float:
    """A time by which bodies are proved to meet because they cross at a time; infinite where that is not proved."""
    search = _searched(query, [problem for _, problem in query.scene.crossings(time)], _CROSSED)
    if search is None:
        return math.inf
    return search.proved if search.proved < math.inf or not changes_sign(search) else time


def _searched(query: SceneQuery, problems: list[Problem], boxes: int) -> Search | None:
    if not problems:
        return None
    search = Search(problems, query.options)
    drive(search, query.clock, boxes=boxes)
    return search


def bounded(query: SceneQuery, found: Evidence, time: float, doubt: str) -> Evidence:
    """The evidence located before a time: it is where bodies first meet if they cross then, or have a point of it in common, else it stays
    in doubt.
    """
    s = found.search
    assert s is not None
    s.proved = min(s.proved, crossed_by(query, time))
    if s.proved < math.inf:
        return found
    s.proved = met_by(query, s)
    return found._replace(touched=True) if s.proved < math.inf else found._replace(doubt=doubt)


# -- touches ------------------------------------------------------------------------------------------------------


def reach_of(span: Window, simultaneity: float) -> float:
    """The time by which a search goes on beyond what may be a touch."""
    return max(simultaneity, _REACH * (span[1] - span[0]))


def touches(found: Evidence, end: float) -> bool:
    """Whether a search located something before a time, of bodies that start apart, and proved nothing."""
    s = found.search
    return s is not None and found.open and found.clear_until(end) < end and not any(s.problems[s.owner(k)].incoming for k in s.solutions)


def past_touch(query: SceneQuery, found: Evidence, end: float, reach: float) -> tuple[Evidence, float]:
    """The evidence in a stretch up to `end` where bodies may touch, and a time from which on more is to be searched: the end, where the
    search tells that all is soon clear again. Else a time soon after the touch; that they cross then would prove contact.
    """
    s = found.search
    assert s is not None
    seen, soon = found.clear_until(query.scene.span[1]), max([s.latest_left, *(s.latest(k) for k in s.solutions)])
    after, doubt, touched = seen + reach, f"At {about(seen)}, {TOUCH}", found._replace(seen=seen)
    if found.seen >= end and soon <= after:
        return touched._replace(doubt=doubt), end
    s.forget_after(after)
    touched = bounded(query, touched, after, doubt)
    if not touched.proved < math.inf:
        s.latest_left = after
    return touched, after
