"""Knowledge of the time span after a search of a part of it, and open questions for all that follows."""

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..culling.broad_phase import Window
from ..moment.pairs import Pair
from ..moment.region import Region
from ..search.clock import Clock
from ..search.options import Options
from ..search.search import Search
from .course import Held
from .scene import Scene
from .situated import Meeting


class SceneQuery(NamedTuple):
    """A scene, what is asked of its searches, and the budget. `region`: where alone the two bodies of the scene may meet in its span, if
    that is known. `features`: what is hit is searched, too, once the time is known.
    """

    scene: Scene
    options: Options
    clock: Clock
    region: Region | None = None
    features: bool = True

    def within(self, span: Window, bodies: Sequence[Any] | None = None) -> "SceneQuery":
        """The query of the same bodies, or others that are there, in another span of time."""
        return self._replace(scene=self.scene.within(span, bodies), region=None)

    def held(self, held: Held, span: Window, labels: Collection[Pair]) -> "SceneQuery":
        """The query with the formulas and numbers that bodies have then, of these pairs alone."""
        return self._replace(scene=self.scene.held(held, span, labels), region=None)


class Evidence(NamedTuple):
    """A search of meetings, one problem each, whether it came to its end, and the time up to which everything was looked at; and the
    features to search yet to say what was hit. `slow`: it got on so slowly that it was left. `doubt`: says in words what is located.
    """

    search: Search | None
    finished: bool
    seen: float
    meetings: Sequence[Meeting] = ()
    features: Sequence[Meeting] = ()
    slow: bool = False
    doubt: str = ""
    touched: bool = False

    @property
    def proved(self) -> float:
        """A time by which contact is proved."""
        return math.inf if self.search is None else self.search.proved

    @property
    def located(self) -> bool:
        return self.search is not None and any(self.search.possible(k) for k in self.search.solutions)

    @property
    def open(self) -> bool:
        """Whether something was located by a search that came to its end, and proves nothing."""
        return self.finished and not self.proved < math.inf and self.located

    def clear_until(self, end: float) -> float:
        """The time up to which nothing meets, at most `end`."""
        s = self.search
        return self.seen if s is None else min(self.seen, s.clear_until(s.possible_ones(), end))

    def has_before(self, moment: float) -> bool:
        """Whether something was located or left open before a moment."""
        s = self.search
        if s is None or self.seen < moment:
            return self.seen < moment
        early = np.flatnonzero(s.times(s.solutions)[:, 0] < moment)
        return s.least_left(moment) < moment or any(map(s.possible, early.tolist()))


class Doubts:
    """Stretches that were passed with something located in them. The first of them bounds all that can be said of later ones."""

    def __init__(self) -> None:
        self._first: Evidence | None = None

    def passed(self, found: Evidence, end: float) -> Evidence:
        """The evidence after a short stretch that must be passed: that found in it if contact is proved, else what is known at its end."""
        if found.proved < math.inf:
            return found
        if found.located or not found.finished:
            if self._first is not None and self._first.search is not None:
                # What comes first may be either.
                self._first.search.latest_left = max(self._first.search.latest_left, end)
            self._first = self._first or found
        return Evidence(None, True, end)

    def told(self, found: Evidence) -> Evidence:
        """The evidence after the doubts so far."""
        first = self._first
        return found if first is None else found._replace(seen=min(found.seen, first.seen), doubt=first.doubt)

    def at_end(self, found: Evidence) -> Evidence:
        """The evidence at the end of all: the first doubt, if there is one."""
        return self._first or found


def within(m: Meeting, span: Window) -> bool:
    return m.window[0] <= span[1] and m.window[1] >= span[0]


def about(time: float) -> str:
    """A time in words. (Adding 0.0 turns -0.0 into 0.0.)"""
    return f"about t = {time + 0.0:.9g}"
