"""The state of a pair of bodies at the beginning: apart, touching, overlapping, or one inside the other.

Two searches decide: whether the surfaces meet at that moment (their contact equations with the time fixed; a proved zero
means that they cross), and if they do not, whether a piece of one surface is inside the other body (`inside`).
"""

import functools
import itertools
import math
from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..bodies.cells import Cell, whole_of
from ..bodies.numbers import NONE, Numbers, both
from ..bodies.parts import faces_of
from ..bodies.surface_points import FEW, coarse_extent, extent
from ..search.clock import CONVERTING, Clock
from ..search.drive import drive
from ..search.native.layout import EXISTS, UNIQUE
from ..search.options import Options
from ..search.prepare import prepare
from ..search.problem import Problem
from ..search.search import Search
from ..situations.contact import at_time, member, situation, with_numbers
from .inside import inside
from .near_faces import near_faces
from .region import Region
from .separators import separated

# So many boxes are searched before faces that lie close to each other all over are told apart in another way.
_PATIENCE = 1 << 15
# Points in common are looked for in so many boxes, and are so far from each other, against the smaller of the bodies.
_SOME, _APART = 1 << 12, 0.2


class Start(Enum):
    """The state of a pair of bodies at the beginning of the time span; each value is its sentence."""

    DISJOINT = "disjoint at the start (proved)"
    TOUCHING = "touching at the start, as far as the tolerance tells"
    OVERLAPPING = "overlapping at the start"
    UNKNOWN = "not decided to be apart at the start"

    def __repr__(self) -> str:
        return f"Start.{self.name}"


class Beginning(NamedTuple):
    """The state of two bodies at a moment, and whether their surfaces are proved not to meet then. `unbounded`: the state is UNKNOWN since
    formulas have no bound at places where the surfaces could not be told apart.
    """

    state: Start
    apart: bool
    unbounded: bool = False


class Met(NamedTuple):
    """Two surfaces at a moment: *proved* to be DISJOINT, or to cross (OVERLAPPING), or neither (TOUCHING, UNKNOWN); and the search that
    tells, None where boxes round the bodies, or round their faces, are apart.
    """

    state: Start
    search: Search | None


def start_of(first: Any, second: Any, moment: float, tolerance: float, clock: Clock,
             close: Sequence[tuple[Cell, Cell]] | None = None, numbers: tuple[Numbers, Numbers] = (NONE, NONE)) -> Beginning:
    """The state at `moment`. DISJOINT is proved, OVERLAPPING too (of bodies that are closed, as they claim to be). UNKNOWN where the budget
    was spent, or where the surfaces are apart, but it is not decided whether one body encloses a piece of the other.

    `close`: the pairs of faces that may meet then; None: all. `numbers`: of bodies that are formulas of families.
    """
    if close is None:
        if _outside(first, second, moment, numbers):
            return Beginning(Start.DISJOINT, True)
        close = near_faces(first, second, moment, numbers)
    found = surfaces_at(first, second, moment, tolerance, clock, close, numbers)
    # Where no faces are near each other one body may still enclose the other.
    if found.state is Start.TOUCHING and found.search is not None and _unbounded(found.search):
        return Beginning(Start.UNKNOWN, False, True)
    if found.state is not Start.DISJOINT or (found.search is None and close != []):
        return Beginning(found.state, found.state is Start.DISJOINT)
    return Beginning(nested(first, second, moment, clock, numbers), True)


def surfaces_at(first: Any, second: Any, moment: float, tolerance: float, clock: Clock,
                close: Sequence[tuple[Cell, Cell]] | None = None, numbers: tuple[Numbers, Numbers] = (NONE, NONE),
                patient: bool = True, region: Region | None = None) -> Met:
    """Whether the surfaces of two bodies meet at `moment`. See `Met`; `close` and `numbers` as in `start_of`. `patient`: as long as it
    takes. `region`: where alone they may meet, if that is known.
    """
    if region is None and _outside(first, second, moment, numbers):
        return Met(Start.DISJOINT, None)
    close = near_faces(first, second, moment, numbers) if close is None else close
    pairs = tuple(itertools.product(faces_of(first), faces_of(second))) if close is None else tuple(close)
    if not pairs:
        return Met(Start.DISJOINT, None)
    search, finished = met(pairs, (moment, moment), tolerance, clock, numbers, _PATIENCE, region=region)
    if not finished and _separated(search, pairs, moment, clock, numbers):
        return Met(Start.DISJOINT, search)
    finished = finished or (patient and len(search.problems) == len(pairs) and drive(search, clock))
    if search.proved < math.inf:
        return Met(Start.OVERLAPPING, search)
    if not finished:
        return Met(Start.UNKNOWN, search)
    return Met(Start.TOUCHING if search.solutions else Start.DISJOINT, search)


def _unbounded(search: Search) -> bool:
    """Whether the equations have no bound in all boxes that a search located: nothing is known of how near surfaces are there."""
    for k in search.solutions:
        problem, box = search.problem_of(k), search.found(k)
        lo, hi = problem.ranges(box[None, :, 0], box[None, :, 1])
        if np.isfinite([lo, hi])[..., :len(problem.equations)].all():
            return False
    return True


def common_points(first: Any, second: Any, moment: float, tolerance: float, clock: Clock, numbers: tuple[Numbers, Numbers],
                  close: Sequence[tuple[Cell, Cell]] | None = None) -> list[tuple[Problem, np.ndarray]]:
    """Some points that two surfaces are *proved* to have in common at a moment, far from each other: problems, and their variables. `close`
    as in `start_of`.
    """
    pairs = tuple(itertools.product(faces_of(first), faces_of(second))) if close is None else tuple(close)
    size = min(float(np.ptp(extent(body, moment, own), axis=1).max()) for body, own in zip((first, second), numbers, strict=True))
    search, _ = met(pairs, (moment, moment), tolerance, clock, numbers, _SOME, _APART * size)
    return [(search.problem_of(k), search.found(k).mean(axis=1)) for k in search.solutions if search.kind(k) in (EXISTS, UNIQUE)]


def crossings(pairs: Sequence[tuple[Cell, Cell]], moment: float, numbers: tuple[Numbers, Numbers], label: tuple[int, int]) -> list[Problem]:
    """The meetings of pairs of faces of bodies i and j, `label`, at `moment`. What a search *proves* to exist there are crossings."""
    return [_meeting(pair, (moment, moment), numbers, len(pairs) > FEW).with_data(label=label) for pair in pairs]


def met(pairs: Sequence[tuple[Cell, Cell]], window: tuple[float, float], tolerance: float, clock: Clock,
        numbers: tuple[Numbers, Numbers], boxes: float = math.inf, spacing: float = math.inf,
        region: Region | None = None) -> tuple[Search, bool]:
    """The search for a point where faces meet in a window, in so many boxes, and whether it came to its end; it does not if the time is up
    before all is converted. `spacing`: for several points, so far from each other. `region`: where alone they may meet, if that is
    known.
    """
    problems: list[Problem] = []
    with clock.doing(CONVERTING):
        for pair in pairs:
            problems.append(_meeting(pair, window, numbers, len(pairs) > FEW))
            prepare(problems[-1], "auto")
            if clock.over:
                break
    search = Search(problems, Options(tolerance=tolerance, spacing=spacing, first_only=spacing == math.inf),
                    starts=None if region is None else [region.boxes(p) for p in problems])
    return search, drive(search, clock, boxes=boxes) and len(problems) == len(pairs)


def _separated(search: Search, pairs: Sequence[tuple[Cell, Cell]], moment: float, clock: Clock, numbers: tuple[Numbers, Numbers]) -> bool:
    """Whether functions of space prove all faces apart that a search has not told apart for long."""
    if len(search.problems) < len(pairs) or search.solutions or search.proved < math.inf or clock.exceeded():
        return False
    return all(separated(*pair, moment, (both(numbers[0], pair[0].own), both(numbers[1], pair[1].own)), clock)
               for k, pair in enumerate(pairs) if len(search.open(k)))


def nested(first: Any, second: Any, moment: float, clock: Clock, numbers: tuple[Numbers, Numbers] = (NONE, NONE)) -> Start:
    """The state of two bodies whose surfaces are proved not to meet: OVERLAPPING if a piece of one is inside the other, DISJOINT if none
    is, UNKNOWN where that is not decided.
    """
    answers = [inside(a, b, moment, clock, n) for a, b, n in ((first, second, numbers), (second, first, numbers[::-1]))]
    if True in answers:
        return Start.OVERLAPPING
    return Start.UNKNOWN if None in answers else Start.DISJOINT


def apart_within(pairs: Sequence[tuple[Cell, Cell]], window: tuple[float, float], tolerance: float, clock: Clock,
                 numbers: tuple[Numbers, Numbers]) -> bool:
    """Whether the surfaces of faces are proved not to meet in a short window of time, however they moved before, in some boxes."""
    search, finished = met(pairs, window, tolerance, clock, numbers, _PATIENCE)
    return finished and not search.solutions and not search.proved < math.inf


@functools.lru_cache(maxsize=1024)
def _meeting(pair: tuple[Cell, Cell], window: tuple[float, float], numbers: tuple[Numbers, Numbers], many: bool) -> Problem:
    """Meetings of two surfaces at one moment, or in a window. Faces are closed, so their edges need no problems of their own. `many`: there
    are other pairs.
    """
    numbers = both(numbers[0], pair[0].own), both(numbers[1], pair[1].own)
    span, symbols = (sp.Rational(window[0]), sp.Rational(window[1])), (numbers[0].symbols, numbers[1].symbols)
    build = member if many else situation
    # The span is data, so it is left out of what names the situation.
    whole = build(*map(whole_of, pair), time=(0, 1), tangency=False, implied=True, symbols=symbols)
    return at_time(with_numbers(whole, numbers, span).with_data(features=(pair[0].feature, pair[1].feature)), window)


def _outside(first: Any, second: Any, moment: float, numbers: tuple[Numbers, Numbers]) -> bool:
    """Whether boxes round two bodies are apart: first wide ones, from few cells, then closer ones."""
    return any(_apart(*(box(body, moment, own) for body, own in zip((first, second), numbers, strict=True)))
               for box in (coarse_extent, extent))


def _apart(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(((a[:, 0] > b[:, 1]) | (b[:, 0] > a[:, 1])).any())
