"""`critical_value`: the least value of a parameter for which bodies meet, as the largest safe radius, or a limit of speed.

The parameter takes the place of the time as the objective of the search, and the time is one more variable (`timeline.worst_case`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from codegen.given import shown
from codegen.interval import Interval
from codegen.walk import nesting_in_words

from ..answers.consistency import check_bracket
from ..answers.contacts import Status, effort
from ..answers.distinct import distinct
from ..answers.table import ROWS, card, counted, interval, point
from ..bodies.parameters import over_fixed_domain
from ..bodies.thickened import MANY, Shift
from ..given import check_positive, check_span, takes_separation
from ..moment.pairs import Starts
from ..moment.start import Start
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..search.native.layout import EXISTS, UNIQUE
from ..search.options import Options
from ..search.search import Search
from ..timeline.worst_case import ParameterSearch
from .arguments import check_kinds, ignored_pairs
from .coincident_notes import coincident_notes
from .gaps import gap_notes
from .parameters import check_ranges, read_parameters
from .thick_contact import BOXES, SHARE, have_gaps

# Against the range, how much more than the critical value a sample of a curve of contacts may need. Effort only.
_COARSE = 1e-3


@dataclass(frozen=True, eq=False)
class CriticalValue:
    """The least value of a parameter, in its range, for which bodies meet within a span of time.

    `bracket` encloses it: for all values in the range below bracket[0] the surfaces are *proved* never to meet in the whole span, and where
    `status` is CONTACT they are proved to meet for some value of at most bracket[1]. NO_CONTACT: proved never to meet, for all values; the
    bracket is then (inf, inf). `time` encloses the times of the k contacts listed, None where none is; `times` (k, 2) and `points` (k, 3)
    are those of each, `pairs` (k, 2) the bodies, `features` what touches, and `unique` (k,): proved to be the only one in its box, and
    isolated. `symbol` is the parameter. `notes` are further sentences of the summary: where the budget was spent, which limit ended the
    work.
    """

    status: Status
    symbol: Any
    bracket: Interval
    time: Interval | None
    times: np.ndarray
    points: np.ndarray
    pairs: np.ndarray
    features: Sequence[tuple[str, str]]
    unique: np.ndarray
    iterations: int
    seconds: float
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_bracket("the critical value", *self.bracket)

    def __repr__(self) -> str:
        return f"CriticalValue({self.status.name}, {self.symbol} in [{self.bracket.lo!r}, {self.bracket.hi!r}])"

    def _repr_html_(self) -> str:
        rows = [[point(self.points[k]), interval(self.times[k]), ", ".join(self.features[k])] for k in range(min(len(self.points), ROWS))]
        return card(self.summary(), ["point", "time", "features"], rows, len(self.points), "point")

    def summary(self) -> str:
        """One paragraph: what was proved, and what was not."""
        lo, hi = self.bracket
        if self.status is Status.NO_CONTACT:
            told = f"The bodies are proved not to meet for any {self.symbol} of its range, at any time of the span."
        else:
            sure = "" if self.status is Status.CONTACT else ", if there is one,"
            told = (f"The least {self.symbol} for which the bodies meet{sure} is in [{lo!r}, {hi!r}]: below it they are proved not to, at "
                    f"any time of the span; {counted(len(self.points), 'point')}, {int(self.unique.sum())} proved unique.")
        if self.status is Status.BUDGET_SPENT:
            told = f"{self.status.value} {told}"
        return " ".join([told, *self.notes, effort(self.iterations, self.seconds)])


@takes_separation
@nesting_in_words
def critical_value(bodies: Sequence[Any], time: tuple[Any, Any], parameter: Mapping[Any, tuple[Any, Any]], *, tolerance: float = 1e-6,
                   spacing: float = 0.05, ignore: Iterable[Any] = (), budget: Budget | float | None = None,
                   progress: bool = False) -> CriticalValue:
    """Bracket the least value of one parameter for which the surfaces of bodies meet at any time in a span, with proof.

    Parameters
    ----------
    bodies, time, ignore
        As in `first_contact`.
    parameter : mapping
        {symbol: (lo, hi)}. The symbol is a `generative.Parameter`, which may stand anywhere in the formulas: sizes, poses, speeds, ends of
        domains.
    tolerance : float, optional
        `tolerance`, a bracket width, against the range: that of the value where contacts form curves. Isolated ones are known to some
        roundings.
    spacing : float, optional
        The distance between the points listed on curves and patches of contact, as in `first_contact`.

        Deprecated: the former name `separation` is still taken until 0.1.0, with a DeprecationWarning.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds.
    progress : bool, optional
        Show a bar.

    Returns
    -------
    CriticalValue
        With `bracket` = (lo, hi) and the points of contact at the least value.

    Raises
    ------
    TypeError, ValueError
        As `first_contact`. ValueError also for more than one parameter, and for a number instead of a range.

    Notes
    -----
    Below `bracket` the surfaces are *proved* not to meet at any time of the span. If `status` is CONTACT, they are *proved* to meet for a
    value of at most its upper end. Closed surfaces count, also from within; if they meet for lo, that is the answer. Solids with gaps
    (`Solid.gap`) are *proved* clear as thickened by them, and contact is *proved* of their faces.

    Examples
    --------
    >>> from collide import critical_value
    >>> from generative import Parameter, ParametricSurface, Rigid, t, u, v
    >>> depth = Parameter("depth")
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = bowl.moved(Rigid(translation=[0, 0, 1 + (t - 1)**2 - depth]))
    >>> round(critical_value([plate, bowl], (0, 2), {depth: (0, 2)}).bracket[0], 12)
    1.0
    """
    span, tolerance = check_span(time), check_positive("tolerance", tolerance)
    clock = Clock(as_budget(budget), progress)
    check_kinds(bodies, "critical_value", meshes=False)
    ranges = read_parameters(parameter, bodies)
    (symbol, (lo, hi)), *others = ranges.items()
    if others or lo == hi:
        raise ValueError(f"critical_value takes one parameter and its range, {{symbol: (lo, hi)}}, got {shown(parameter)}")
    known, limit = _Found(), math.inf
    notes: tuple[str, ...] = ()
    with clock.query():
        check_ranges(bodies, ranges, span)
        ignored = ignored_pairs(ignore, bodies)
        options = Options(simultaneity=tolerance * float(hi - lo), spacing=check_positive("spacing", spacing))
        clock.extend()
        fixed = [over_fixed_domain(body, ranges) for body in bodies]
        notes = (*gap_notes(bodies), *coincident_notes(bodies, span, ranges))

        def ask(shift: Shift) -> _Found:
            asked = ParameterSearch(fixed, ranges, tuple(time), span, ignored, symbol, shift)
            # Whether they meet at the beginning is no other question.
            asked.scene.states = Starts(len(bodies), Start.DISJOINT, ignored)
            return _searched(asked, options, float(hi - lo), clock)

        if have_gaps(bodies):
            # As in `thick_contact`.
            with clock.at_most(BOXES, SHARE, MANY):
                known = ask(Shift.CUBE)
            limit = math.inf if known.decides else known.lower(float(lo))
        if not known.decides:
            known = ask(Shift.NONE)
    return clock.read(lambda: _answer(known, symbol, limit, (float(lo), float(hi)), clock, notes))


class _Found(NamedTuple):
    """A search, whether it came to its end, and a value up to which all is known to be clear beside."""

    search: Search | None = None
    finished: bool = False
    clear: float = -math.inf

    @property
    def decides(self) -> bool:
        """Whether it is proved that bodies meet for a value, or for none."""
        return self.finished and (self.search is None or self.search.proved < math.inf)

    def lower(self, begin: float) -> float:
        """The value below which nothing meets; `begin`: that of the range."""
        if self.search is None:
            return math.inf if self.finished else begin
        return max(self.clear, self.search.clear_until(self.search.possible_ones(), math.inf))


def _searched(asked: ParameterSearch, options: Options, size: float, clock: Clock) -> _Found:
    left = asked.search(options, clock)
    if left.search is None:
        return _Found(None, left.finished)
    if left.finished or clock.ended:
        return _Found(left.search, left.finished)
    # Where contacts form curves, samples of them are told to a wider tolerance than the value.
    return _Found(*asked.to_the_end(options, clock, left.search.proved, max(options.simultaneity, _COARSE * size)))


def _answer(known: _Found, symbol: Any, limit: float, ends: tuple[float, float], clock: Clock, notes: tuple[str, ...]) -> CriticalValue:
    """The answer; `limit`: up to it thickened bodies are clear, too."""
    search, finished, lower = known.search, known.finished, min(known.lower(ends[0]), limit)
    found = np.zeros(0, np.int64) if search is None else search.possible_ones()
    upper = math.inf if search is None else search.proved
    status = Status.NO_CONTACT
    if not finished:
        status, upper = Status.BUDGET_SPENT, min(upper, ends[1])
    elif upper < math.inf:
        status = Status.CONTACT
    elif lower < math.inf:
        status, upper = Status.UNRESOLVED, ends[1]
    listed = [] if search is None else _listed(search, found)
    problems = [] if search is None else [search.problem_of(k) for k in listed]
    boxes = [] if search is None else [search.found(k) for k in listed]
    times = np.array([box[p.variables.index("t")] for box, p in zip(boxes, problems, strict=True)]).reshape(-1, 2)
    return CriticalValue(
        status=status, symbol=symbol, bracket=Interval(min(lower, upper) + 0.0, upper),
        time=Interval(float(times[:, 0].min()), float(times[:, 1].max())) if len(times) else None, times=times,
        points=np.empty((0, 3)) if search is None else search.arrays["place"][listed].mean(axis=2), features=[p.features for p in problems],
        pairs=np.array([p.label for p in problems], np.int64).reshape(-1, 2), iterations=clock.boxes, seconds=clock.seconds,
        unique=np.array([search.kind(k) == UNIQUE for k in listed] if search else [], bool),
        notes=(*notes, *(() if status is not Status.BUDGET_SPENT else (clock.reason(),))))


def _listed(search: Search, found: np.ndarray) -> list[int]:
    """The solutions that are listed, each place once: those that are proved, if there are any."""
    known = [k for k in distinct(search, found.tolist()) if search.kind(k) != UNIQUE or search.times([k])[0, 0] <= search.proved]
    return [k for k in known if search.kind(k) >= EXISTS] or known
