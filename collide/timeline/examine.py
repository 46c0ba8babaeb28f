"""The search of one stretch of time: first when bodies meet, by their faces, then what was hit, with edges and vertices beside them.

A search is formulated anew, and adopts what is known, where it asks for it: at a pole, with smooth parameters round that; where the time is
known but borders of faces may be what is hit, with the features there.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..culling.broad_phase import Window
from ..search.clock import CONVERTING
from ..search.prepare import prepare
from ..search.problem import Problem
from ..search.search import Search
from .evidence import Evidence, SceneQuery
from .features import bordered, explained, features
from .sieve import near_in
from .situated import Meeting
from .stalls import Looks, Request, StopReason, drive_looking, drive_past

# Effort only (measured: tests/benchmarks/constants.py, 4 and 64 are alike).
# So many pairs of parts of two bodies are culled once more, before they are converted, by their windows in the stretch alone.
_MANY = 16
_TO_THE_END = Looks()
# Where boxes gather along a curve, the time is known well enough for the search of features if no more than this share of it is left. From
# 1 to 5 hundredths are as good as each other; with 90 features have more to do than they save (measured).
_AHEAD = 0.02
# A search begins anew a little before what is clear, against the span: the smallest box in which `search.prove` tries to prove a contact is
# as wide, and what it proves must not lie before the beginning.
_MARGIN = 1e-12


def first_meeting(query: SceneQuery, span: Window, proved: float = math.inf, looks: Looks = _TO_THE_END, closer: bool = False) -> Evidence:
    """A search of what may meet in a span of time, where contact is proved by the time `proved`.

    Where faces stand for their borders tangency does not narrow contacts there, so it stops as soon as the time is known to within
    `simultaneity`, and goes on only if nothing is left at a border. Where contact is unlikely to be isolated it stops some way before, if
    what is hit is searched next: in the last of the time boxes gather along a curve, where samples thin them out, but those of edges do so
    only in what follows. `looks`: what it may be left for. `closer`: what may meet is looked at more closely before, as it is where that
    is much.
    """
    meetings = near_in(query, span)
    if meetings is None:
        return Evidence(None, False, span[0])
    if closer or len(meetings) > _MANY * len({m.label for m in meetings}):
        meetings = query.scene.closer(meetings, span)
    if not meetings:
        return Evidence(None, True, span[1])
    problems = _converted(query, meetings, span)
    if problems is None:
        return Evidence(None, False, span[0])
    search = Search(problems, query.options, starts=None if query.region is None else [query.region.boxes(p) for p in problems])
    search.proved = proved
    if bordered(query.scene, meetings):
        search.gap, search.ahead = query.options.simultaneity, _AHEAD if query.features else 0.0
    clear = max(span[0], min(m.window[0] for m in meetings))
    return _answered(query, meetings, span, search, drive_looking(search, query.clock, query.scene.begin, span, clear, looks))


def _answered(query: SceneQuery, meetings: Sequence[Meeting], span: Window, search: Search, stop: StopReason) -> Evidence:
    """The evidence of a span when its search stops, with what it asked for done."""
    request = stop.request
    if request is Request.CLEAR:
        return Evidence(None, True, stop.clear)
    if request in (Request.TOUCH, Request.SLOW):
        return Evidence(search, request is Request.TOUCH, stop.clear, meetings, slow=request is Request.SLOW)
    if request is Request.CHART:
        return _charted(query, search, span)
    if request is Request.DONE and search.gap > 0.0:
        hit = _features(query, search, meetings, span)
        if hit:
            return Evidence(search, True, span[1], meetings, hit)
        search.gap = 0.0
        return _answered(query, meetings, span, search, StopReason(drive_past(search, query.clock, query.scene.begin)))
    return Evidence(search, request is Request.DONE, span[1], meetings)


def _charted(query: SceneQuery, search: Search, span: Window) -> Evidence:
    """Begins anew, where a search met a pole, at the time up to which all is clear, with smooth parameters round that pole."""
    assert search.pole is not None
    query.scene.use_chart(*search.pole)
    begin = shortly_before(search.clear_until(search.solutions, span[1]), span)
    return first_meeting(query._replace(region=None), (begin, span[1]), search.proved)


def _converted(query: SceneQuery, meetings: Sequence[Meeting], span: Window) -> list[Problem] | None:
    """The problems with their code, one after the other; None if the time is up before. What is converted is kept for later calls."""
    problems: list[Problem] = []
    with query.clock.doing(CONVERTING):
        for m in meetings:
            query.clock.converting = m.label
            if problems and query.clock.over:
                return None
            problems.append(query.scene.problem(m, span))
            prepare(problems[-1], query.options.method)
    query.clock.converting = None
    return problems


def shortly_before(clear: float, span: Window) -> float:
    """The time at which a search begins anew if all is clear until `clear`."""
    return max(span[0], clear - _MARGIN * (span[1] - clear))


def simultaneous_until(query: SceneQuery, time: float) -> float:
    """The end of what is simultaneous with a time."""
    return min(query.scene.span[1], float(np.nextafter(time + query.options.simultaneity, math.inf)))


# -- what was hit -------------------------------------------------------------------------------------------------


def _features(query: SceneQuery, search: Search, meetings: Sequence[Meeting], span: Window) -> list[Meeting]:
    """The features at what a search located of the first contact."""
    found = search.possible_ones()
    # What was thinned out may be later than all that stands for it.
    located = max([search.latest_left, *(search.latest(k) for k in found)])
    latest = min(search.proved, located if math.isfinite(located) else span[1])
    around = shortly_before(search.clear_until(found, span[1]), span), min(span[1], simultaneous_until(query, latest))
    return features(query.scene, search, meetings, around)


def hit(query: SceneQuery, found: Evidence) -> Evidence:
    """Goes on with a search that stopped when the time was known, now with edges and vertices beside the faces."""
    search, meetings, scene = found.search, found.meetings, query.scene
    assert search is not None
    left = [k for k, m in enumerate(meetings) if not explained(scene, m)
            and (len(search.open(k)) or any(search.owner(i) == k for i in search.solutions))]
    inner = [replace(meetings[k], closed=False) for k in left]
    problems = _converted(query, (*inner, *found.features), scene.span)
    if problems is None:
        return Evidence(search, False, found.seen, meetings)
    starts = [*(search.open(k) for k in left), *(p.outer[None] for p in problems[len(left):])]
    again = Search(problems, query.options, starts=starts)
    again.adopt(search, {k: new for new, k in enumerate(left)})
    # What stays behind, since other parts have the same contacts, was not excluded: it is told as something that may be thereabouts.
    again.latest_left = max([again.latest_left, *(search.latest(k) for k in search.solutions)])
    request = drive_past(again, query.clock, scene.begin)
    if request is Request.CHART:
        return _charted(query, again, (scene.span[0], found.seen))
    return Evidence(again, request is Request.DONE, found.seen, (*inner, *found.features))
