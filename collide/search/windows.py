"""Long searches over a span of time, one window of time after the other.

A search takes the boxes that come first by their objective. A distance that stays nearly the same all the time keeps boxes open throughout
the span, by the million, each of them far from the last one in memory. So boxes that are near each other in time are searched for a while
before others are, those that hold the least objective first: the bisection of time by Schwarzer, Saha and Latombe (2005), with the bounds
of the search in the place of bounds of the motion. No box is left out by that.
"""

import math
from typing import NamedTuple

import numpy as np

from .clock import Clock
from .drive import drive
from .search import Search

# Effort only: boxes that a search examines before its span is divided, and before a window is divided again; and boxes that a window
# begins with. (Measured on threads of five million boxes: two thirds of the time of one queue; a quarter to four times of each are alike.)
_LONG, _EXAMINED, _BEGUN = 1 << 16, 1 << 16, 1 << 10


class _Window(NamedTuple):
    """Open boxes (n, variables, 2) of a problem, by its number, and the least objective in them."""

    problem: int
    boxes: np.ndarray
    least: float


def drive_in_windows(s: Search, clock: Clock, boxes: float = math.inf) -> bool:
    """Run a search as `drive` does, to its end, or until it has examined so many boxes; window after window once that takes long."""
    aside, limit = list[_Window](), min(boxes, s.iterations + _LONG)
    try:
        while True:
            finished = drive(s, clock, boxes=limit)
            if s.answered or (finished and not aside):
                return finished
            if not finished and (s.pole is not None or s.iterations < limit or limit >= boxes):
                return False
            if not finished:
                aside = sorted([*aside, *_windows(s)], key=lambda window: -window.least)
            window = aside.pop()
            s.push(window.problem, window.boxes)
            limit = min(boxes, s.iterations + _EXAMINED)
    finally:
        for window in aside:
            s.push(window.problem, window.boxes)


def _windows(s: Search) -> list[_Window]:
    """All open boxes of a search, which are taken from it, in windows of time; those of bodies at rest as they come."""
    found = []
    for k, p in enumerate(s.problems):
        boxes = s.withdraw(k)
        if "t" in p.variables:
            boxes = boxes[np.argsort(boxes[:, p.variables.index("t")].sum(axis=1), kind="stable")]
        for own in (boxes[first:first + _BEGUN] for first in range(0, len(boxes), _BEGUN)):
            found.append(_Window(k, own, float(own[:, p.objective, 0].min())))
    return found
