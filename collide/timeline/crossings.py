"""Contacts just where the formulas of motions end or change: at the end of the time span, and at a kink.

Rounding cannot tell whether such a contact comes before that moment or after it. At the end of the span it is asked whether it is proved by
how the motions go on. At a kink formulas are searched that hold on both sides and are *proved* continuous, so that one search sees what
leads into contact and what goes on from there; their derivatives by time enclose those of both sides (Clarke's).
"""

import collections
import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from generative.changes import joined_bodies

from ..culling.broad_phase import Window
from ..search.drive import Clock
from ..search.search import Search
from .evidence import Found, crossed
from .jumps import free_of_jumps
from .kinks import stage_ends
from .scene import Scene

# Against the time span, how far a search goes on beyond what may be a touch.
_REACH = 1e-6
# Boxes in which it may be seen that bodies cross.
_CROSSED = 1 << 13
_TOUCH = ("bodies come so near that rounding cannot tell a touch from a near miss, and they are not proved to cross then or soon after.")
# Of what is located at a kink, the difference of times that counts as none, against the time span; and of parameters, see `tolerance`.
_CLOSE = 1e-12

Searches = Callable[..., Iterator[Found]]
"""Searches of a scene, with some options changed."""


def beyond(scene: Scene, found: Found, options: dict[str, Any], clock: Clock, searches: Searches) -> Found | None:
    """A search from where all is clear to `simultaneity` after the span, if that decides what is located at the end of it; the formulas
    must not change there.
    """
    assert found.search is not None
    (begin, end), reach = scene.span, options["simultaneity"]
    clear = _clear(found, end)
    # A little before all is clear, lest a proof find its border there.
    span = max(begin, clear - reach), end + reach
    if end - clear > reach or not begin < clear or not span[0] < end < span[1] or clock.exceeded():
        return None
    if stage_ends(scene.bodies, _around(span)) or not free_of_jumps(scene.bodies, scene.numbers, _around(span)):
        return None
    later = _last(searches(scene.within(span))) or found
    if later.finished and later.proved < math.inf:
        assert later.search is not None
        first = later.search.clear_until(later.search.solutions, span[1])
        return later if first <= end else Found(None, True, end)
    return None


def at_kink(scene: Scene, stage: Window, options: dict[str, Any], clock: Clock, searches: Searches) -> tuple[Found, float]:
    """What is found in a short stage that ends beside a change of motion, and the time up to which it tells all.

    Where no contact is proved, places located there stay an open question: the search can but go on after them.
    """
    found, end = _joined(scene, stage, options, clock, searches), min(scene.span[1], stage[1] + options["simultaneity"])
    close = _CLOSE * (scene.span[1] - scene.span[0])
    if found is not None and _clear(found, end) < stage[1] - close and not found.proved < math.inf:
        # What is located stands for all that is simultaneous with it: the time is better known where that is less.
        found = _joined(scene, stage, options, clock, functools.partial(searches, simultaneity=close, tolerance=_CLOSE)) or found
    if found is None:
        found, end = _last(searches(scene.within(stage))) or Found(None, False, stage[0]), stage[1]
    if found.search is None or found.proved < math.inf:
        return found, end
    seen = _clear(found, end)
    if not found.located:
        return found._replace(seen=seen), end
    if _crosses(scene, found.search, min(scene.span[1], stage[1] + options["simultaneity"] / 2), options, clock):
        return found._replace(seen=seen), end
    return found._replace(seen=seen, note=f"Just as a motion changes its formula, at about t = {stage[1]:.9g}, {_TOUCH}"), end


def touches(found: Found, end: float) -> bool:
    """Did a search locate something before a time, of bodies that start apart, and prove nothing?"""
    s = found.search
    if s is None or not found.finished or found.proved < math.inf or _clear(found, end) >= end:
        return False
    return found.located and not any(s.problems[s.owner(k)].incoming for k in s.solutions)


def reach_of(span: Window, options: dict[str, Any]) -> float:
    """How far a search goes on beyond what may be a touch."""
    return max(float(options["simultaneity"]), _REACH * (span[1] - span[0]))


def touched_before(found: Found, span: Window, options: dict[str, Any]) -> str:
    """In words, whether bodies may touch well before a contact that is proved."""
    if not found.finished or not found.proved < math.inf:
        return ""
    clear = _clear(found, span[1])
    wide = span[0] < clear < found.proved - 2.0 * reach_of(span, options)
    return f"From about t = {clear:.9g} on bodies may touch: that was neither proved nor excluded." if wide else ""


def past_touch(scene: Scene, found: Found, end: float, reach: float, options: dict[str, Any], clock: Clock) -> tuple[Found, float]:
    """What is known in a stage up to `end` where bodies may touch, and a time from which on more is to be searched: the end, where the
    search tells that all is soon clear again. Else a time soon after the touch; that they cross then would prove contact.
    """
    s = found.search
    assert s is not None
    seen = _clear(found, scene.span[1])
    after = seen + reach
    touched = found._replace(seen=seen, note=f"At about t = {seen:.9g}, {_TOUCH}")
    if found.seen >= end and max([s.latest_left, *(s.latest(k) for k in s.solutions)]) <= after:
        return touched, end
    s.forget_after(after)
    if _crosses(scene, s, after, options, clock):
        return found._replace(seen=seen), after
    s.latest_left = after
    return touched, after


def _crosses(scene: Scene, s: Search, time: float, options: dict[str, Any], clock: Clock) -> bool:
    """Do bodies provably cross at a time? Then what was located before it is where they first meet."""
    s.proved = min(s.proved, crossed_by(scene, time, options=options, clock=clock))
    return bool(s.proved < math.inf)


def crossed_by(scene: Scene, time: float, *, options: dict[str, Any], clock: Clock) -> float:
    """A time by which bodies are proved to meet because they cross then; infinite where that is not proved."""
    found = crossed(scene, (time, time), options, clock, _CROSSED)
    return math.inf if found is None else found.proved


def _joined(scene: Scene, stage: Window, options: dict[str, Any], clock: Clock, searches: Searches) -> Found | None:
    """A search from `simultaneity` before the stage to as much after it; None where motions are not known to be continuous then, and to
    change once.
    """
    reach = options["simultaneity"]
    span = max(scene.span[0], stage[0] - reach), min(scene.span[1], stage[1] + reach)
    if not span[0] < stage[0] or not stage[1] < span[1] or clock.exceeded():
        return None
    bodies = joined_bodies(scene.bodies, _around(span))
    if not bodies or not free_of_jumps(bodies, scene.numbers, _around(span)):
        return None
    found = _last(searches(scene.within(span, bodies)))
    return found if found is not None and found.finished else None


def _clear(found: Found, end: float) -> float:
    """The time up to which nothing meets, at most `end`."""
    s = found.search
    return found.seen if s is None else min(found.seen, s.clear_until(s.possible_ones(), end))


def _around(span: Window) -> Window:
    return float(np.nextafter(span[0], -math.inf)), float(np.nextafter(span[1], math.inf))


def _last(found: Iterator[Found]) -> Found | None:
    return (collections.deque(found, maxlen=1) or [None])[0]
