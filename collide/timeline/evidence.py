"""What a search of some meetings found, and the search of what meets while a motion jumps."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..culling.broad_phase import Window
from ..search.drive import CONVERTING, Clock, drive
from ..search.native.layout import LOCATED
from ..search.search import Search
from .scene import Meeting, Pair, Scene
from .stalls import drive_past

# Boxes in which it may be seen that nothing meets while a motion jumps, and after how many it is looked whether something was located.
_JUMP, _GLANCE = 100_000, 2_000


class Found(NamedTuple):
    """A search of meetings, one problem each, whether it came to its end, and the time up to which everything was looked at; and the
    features to search yet to say what was hit. `slow`: it got on so slowly that it was left. `note`: says in words what is located.
    """

    search: Search | None
    finished: bool
    seen: float
    meetings: Sequence[Meeting] = ()
    features: Sequence[Meeting] = ()
    slow: bool = False
    note: str = ""

    @property
    def proved(self) -> float:
        """A time by which contact is proved."""
        return math.inf if self.search is None else self.search.proved

    @property
    def located(self) -> bool:
        return self.search is not None and any(self.search.possible(k) for k in self.search.solutions)


def within(m: Meeting, span: Window) -> bool:
    return m.window[0] <= span[1] and m.window[1] >= span[0]


def jumped(scene: Scene, span: Window, options: dict[str, Any], clock: Clock) -> Found:
    """What may meet while a motion jumps. It is excluded wherever the bodies may be meanwhile, or by each of the formulas that may hold
    then; or it is proved of the moment after it, where bodies cross then.
    """
    meetings = [m for m in scene.meetings() if within(m, span)]
    if not meetings:
        return Found(None, True, span[1])
    with clock.doing(CONVERTING):
        search = Search([scene.problem(m, span) for m in meetings], **options)
    found = Found(search, drive_past(search, clock, scene.begin, _GLANCE), span[0], meetings)
    if search.pole is None and not (found.finished and not found.located):
        known = crossed(scene, span, options, clock)
        if known is None and scene.passes(span, options["tolerance"], clock, doubtful(search)):
            return Found(None, True, span[1])
        found = known or _looked_at(scene, found, clock)
    if search.pole is not None:
        scene.take_chart(*search.pole)
        return jumped(scene, span, options, clock)
    decided = found.proved < math.inf or (found.finished and not found.located)
    return found if decided or clock.ended else _undecided(found, search, span)


def _undecided(found: Found, search: Search, span: Window) -> Found:
    """Contact was neither proved nor excluded, near what was located and in the first boxes that are open: at any time of the span."""
    for k in range(len(search.problems)):
        if len(search.open(k)):
            search.note(k, search.open(k)[0], LOCATED)
    search.latest_left = max(search.latest_left, span[1])
    return found._replace(finished=True, note=f"While a motion jumps, at about t = {span[1]:.9g}, bodies may meet: by formulas that may "
                          "hold then they come near each other, and which ones hold together rounding cannot tell.")


def doubtful(search: Search) -> set[Pair]:
    """The pairs of bodies of which something is open, left, or found: that the others do not meet is *proved*. (A box is left out only
    for the sake of what is found of the same two bodies.)
    """
    left = search.left.union(map(search.owner, search.solutions), (k for k in range(len(search.problems)) if len(search.open(k))))
    return {search.problems[k].label for k in left}


def _looked_at(scene: Scene, found: Found, clock: Clock) -> Found:
    """Goes on with a search for what meets while a motion jumps. What is located once cannot be excluded."""
    search, boxes = found.search, _GLANCE
    assert search is not None
    while not (found.finished or found.located or search.pole) and boxes <= search.iterations and boxes < _JUMP:
        boxes += _GLANCE
        found = found._replace(finished=drive_past(search, clock, scene.begin, boxes))
    return found


def crossed(scene: Scene, span: Window, options: dict[str, Any], clock: Clock, boxes: int = _JUMP) -> Found | None:
    """Where bodies that were apart before a jump, at the beginning of the span, *provably* cross after it, at its end."""
    crossings = scene.crossings(span[1])
    if not crossings:
        return None
    search = Search([problem for _, problem in crossings], **options)
    drive(search, clock, boxes=boxes)
    # The time is known, whatever is still open.
    return Found(search, True, span[0], [m for m, _ in crossings]) if search.proved < math.inf else None
