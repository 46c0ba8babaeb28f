"""`self_contact`: time and place of the first contact of a deforming surface, or a sheet of several, with itself.

`glue` finds where surfaces are joined. `injective` proves that neighbouring places are different points of space, and leaves pairs of boxes
whose parameters are apart. Those are searched like the faces of two bodies.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from codegen.interval import Interval
from codegen.walk import nesting_in_words
from generative import ParametricSurface, Solid, t
from generative.numeric import approx_function

from ..answers.contacts import Contacts, Status
from ..answers.report import contacts
from ..bezier.nurbs import BezierNets
from ..given import check_in_space, check_span, takes_separation
from ..moment.start import Start
from ..proof import logged, self_log
from ..search.budget import Budget, as_budget
from ..search.clock import CONVERTING, Clock
from ..search.drive import drive
from ..search.options import Options, resolved
from ..search.search import Search
from ..sheets.assembly import SheetPieces, Span, bodies_of, carrier
from ..sheets.closed_sides import EARLY, beside, closed_sides, doubtful
from ..sheets.enclosures import neighbours
from ..sheets.glue import folds
from ..sheets.injective import division
from ..sheets.self_pairs import Held, SheetPair, at_start, pair_problem
from ..sheets.sheet import SurfaceFamily
from .arguments import check_options

if TYPE_CHECKING:
    from ..proof.log import Log

# Up to so many unproved places may be at sides and corners; more are samples of a curve or a surface. Up to so many boxes are searched
# again one by one.
_FEW, _MANY = 8, 20_000


@takes_separation
@nesting_in_words
def self_contact(surface: ParametricSurface | Solid | BezierNets | Sequence[ParametricSurface], time: tuple[Any, Any], *,
                 simultaneity: float = 1e-6, spacing: float = 0.05, tolerance: float = 1e-9, budget: Budget | float | None = None,
                 progress: bool = False, log: str | PathLike[str] | None = None) -> Contacts:
    """Find the earliest contact of a deforming surface with itself, or of a sheet of several surfaces with themselves and each other.

    A contact is one point of space at two different places of the sheet.

    Parameters
    ----------
    surface : ParametricSurface, Solid, BezierNets or sequence of ParametricSurface
        One surface, a list of them, a Solid (its faces), or `BezierNets`.
    time : pair
        (first, last): finite numbers or exact SymPy numbers, first < last.
    simultaneity, tolerance, progress : optional
        Options as in `first_contact`.
    spacing : float, optional
        The distance between the points listed on curves and patches of contact, as in `first_contact`.

        Deprecated: the former name `separation` is still taken until 0.1.0, with a DeprecationWarning.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds.
    log : path, optional
        A file for a log of the proof. It can be written for surfaces that are not joined, and for one that closes on itself where its
        formulas repeat.

    Returns
    -------
    Contacts
        With `time`, which encloses the earliest contact, and `clear_until`. Contacts of a side or a corner count like others; their
        features are "edge 2" or "vertex 1" of the surface. A contact on a shared side may be listed for both surfaces that have it.

    Raises
    ------
    TypeError
        For anything but a parametric surface or a list of them.
    ValueError
        For surfaces with a free `Parameter`; for a pole without smooth parameters; for a time span that is not finite or does not go
        forward; for a tolerance or budget that is not positive; with `log`, where no log can be written.

    Notes
    -----
    `time` *encloses* the earliest contact. Before `clear_until` there is *proved* to be none, however close the two places are.

    *Joined sides.* Sides and corners that coincide at all times, with parameters in proportion, are found and *proved* to coincide: there
    one place has several parameters. Any other touch at the start is a contact. All pairs of places are covered: of one surface; across a
    seam, a side or a pole; round a corner, however many surfaces share it; far from each other.

    *Folds.* Places may meet that are arbitrarily close to each other: where a surface folds up (its normal vanishes), or where two surfaces
    fold together along a side or at a corner (their tangents lie on one another). From the first time at which this is not excluded nothing
    is claimed. The answer ends there, and is UNRESOLVED if nothing was found before. Two surfaces that share two sides with a common
    corner, like the halves of a pillow, have the same tangents there. That is covered if the surfaces bend away from each other (their
    mixed second derivatives by u and v differ, out of the tangent plane).

    *Poles.* Round a pole, where a side is a single point, smooth parameters are needed, as a ball has them. If none are found: ValueError.

    *Closing sides.* Sides that close along all their length at once, with parameters in proportion, as those of a strip that rolls up, are
    *proved* to meet from their formulas. Other contacts at the same time may then be missing from the list. Any other contact without
    crossing is only located, UNRESOLVED.

    Examples
    --------
    A flat plate never touches itself, however it is moved.

    >>> from collide import self_contact
    >>> from generative import ParametricSurface, t, u, v
    >>> plate = ParametricSurface([u, v, t * u], {u: (0, 1), v: (0, 1)})
    >>> self_contact(plate, (0, 1)).status
    Status.NO_CONTACT
    """
    span = check_span(time)
    check_in_space(surface, "self_contact")
    check_options("auto", "auto", simultaneity=simultaneity, spacing=spacing, tolerance=tolerance)
    clock = Clock(as_budget(budget), progress)
    options = Options(simultaneity=resolved(simultaneity, span), spacing=float(spacing), tolerance=float(tolerance))
    bodies, found = bodies_of(surface), _Found(None, False, {}, span[0], span[1], True)
    proof: Log | None = None
    with clock.query():
        sheet = SheetPieces(bodies, span)
        if log is not None:
            proof = self_log(log, bodies, time, span, sheet.closing)
        for known in _searches(sheet, span, options, clock):
            found = known
    search, finished, start, seen, limit, covered = found
    answer = contacts(search, finished, (), (span[0], limit), start, clock, seen)
    answer = _limited(replace(answer, bodies=bodies, **_carried(answer, bodies)), span, limit, covered)
    return logged(answer, proof, clock)


def _carried(answer: Contacts, bodies: Sequence[Any]) -> dict[str, Any]:
    """Points and normals in the world, of a sheet that moves as a whole."""
    motion = carrier(bodies)
    if motion is None or motion.is_identity or not len(answer):
        return {}
    entries = approx_function(motion.entries, [t])(np.array([box[-1].mean() for box in answer.boxes]))
    turn = entries[:, :9].reshape(-1, 3, 3)
    points, normals = (np.einsum("kij,kj->ki", turn, a) for a in (answer.points, answer.normals))
    return {"points": points + entries[:, 9:], "normals": normals}


class _Found(NamedTuple):
    """A search, and whether it came to its end; the state of the pairs at the start; up to which time everything was looked at; the time at
    which the search ends, and whether it ends there because of a fold rather than of the budget.
    """

    search: Search | None
    finished: bool
    start: dict[tuple[int, int], Start]
    seen: float
    limit: float
    covered: bool


def _searches(sheet: SheetPieces, span: Span, options: Options, clock: Clock) -> Iterator[_Found]:
    """The findings, ever more of them: first the state at the start, then the earliest contact after it, for which tangency holds only if
    nothing touches at the start.
    """
    tasks, limit, covered = _tasks(sheet, span, clock)
    start = dict.fromkeys(itertools.combinations_with_replacement(range(len(sheet.pieces)), 2), Start.UNKNOWN)
    yield _Found(None, False, start, span[0], limit, covered)
    clock.extend()
    search, finished = _started(tasks, span[0], options, clock)
    touching = {search.problems[search.owner(k)].label for k in search.solutions} if search else set()
    if not finished or limit == span[0]:
        touching = set(start)
    start = {pair: Start.UNKNOWN if pair in touching else Start.DISJOINT for pair in start}
    if touching:
        yield _Found(search, finished, start, span[0], limit, covered)
        return
    yield _Found(None, False, start, span[0], limit, covered)
    yield _Found(*_timed(tasks, (span[0], limit), options, clock), start, limit, limit, covered)


Task = tuple[SheetPair, np.ndarray]
"""A pair and its boxes (n, 5, 2) of u1, v1, u2, v2, t, all of whose places are different."""


def _tasks(sheet: SheetPieces, span: Span, clock: Clock) -> tuple[list[Task], float, bool]:
    """The tasks of the search; the time up to which they go; and whether that is the time of a fold rather than the end of the budget."""
    groups: dict[tuple[SurfaceFamily, SurfaceFamily, int, int], list[SheetPair]] = {}
    for pair in sheet.near:
        groups.setdefault((pair.first.shape, pair.second.shape, len(pair.joins), len(list(folds(*pair)))), []).append(pair)
    tasks, limit, covered = [], span[1], True
    for group in groups.values():
        kept, owners, left, complete = division(neighbours(group), (span[0], limit), clock)
        limit, covered = left[:, -1, 0].min(initial=limit), covered and complete
        order = np.argsort(owners, kind="stable")
        cuts = np.searchsorted(owners[order], np.arange(1, len(group)))
        tasks += [(pair, boxes) for pair, boxes in zip(group, np.split(kept[order], cuts), strict=True) if len(boxes)]
    if limit > span[0]:
        for pair, window in sheet.far((span[0], limit)):
            tasks.append((pair, np.concatenate([pair.outer, [window]])[None]))
    return tasks, float(limit), covered


def _within(tasks: Sequence[Task], window: Span) -> list[Task]:
    """The parts of tasks in a window of time."""
    parts = []
    for pair, boxes in tasks:
        now = boxes[(boxes[:, -1, 0] <= window[1]) & (boxes[:, -1, 1] >= window[0])]
        now[:, -1] = np.clip(now[:, -1], *window)
        parts.append((pair, now))
    return [(pair, boxes) for pair, boxes in parts if len(boxes)]


def _started(tasks: Sequence[Task], moment: float, options: Options, clock: Clock) -> tuple[Search | None, bool]:
    """A search for contacts at the beginning, and whether it came to its end."""
    now = _within(tasks, (moment, moment))
    if not now:
        return None, True
    with clock.doing(CONVERTING):
        search = Search([at_start(pair, moment) for pair, _ in now], options, starts=[boxes for _, boxes in now])
    return search, drive(search, clock)


def _timed(tasks: Sequence[Task], span: Span, options: Options, clock: Clock) -> tuple[Search | None, bool]:
    """A search for the earliest contact. The faces tell the time to within `simultaneity`. If a side or a corner may be hit, it is a
    situation of its own from there on.
    """
    now = _within(tasks, span)
    if not now:
        return None, True
    with clock.doing(CONVERTING):
        search = Search([pair_problem(pair, span) for pair, _ in now], options, starts=[boxes for _, boxes in now])
    search.gap = options.simultaneity
    boxes, finished = 0, False
    while not finished and search.iterations >= boxes:
        boxes = max(EARLY, 2 * boxes)
        finished = drive(search, clock, boxes=boxes)
        sides = closed_sides(search, [pair for pair, _ in now], span, options)
        if sides is not None:
            return beside(search, sides, options, clock)
    search.gap = 0.0
    if not finished or len(doubtful(search)) > _FEW:
        return search, finished
    known = search.possible_ones()
    # A contact is proved in a box round it, and this box must not begin before the window.
    begin = max(span[0], search.clear_until(known, span[1]) - options.simultaneity)
    around = begin, min(span[1], search.proved + options.simultaneity)
    solved = {search.owner(i) for i in search.solutions}
    near = _within([task for k, task in enumerate(now) if k in solved or len(search.open(k))], around)
    if search.clear == np.inf and search.open_count < _MANY:
        # Nothing was thinned out: contacts not known to be alone are in the boxes that are left.
        near = _within([(pair, search.open(k)) for k, (pair, _) in enumerate(now)], around)
    features = [(pair, held, boxes) for pair, at in near for held, boxes in _features(pair, at)]
    if not features:
        return search, drive(search, clock)
    return _hit(search, [pair for pair, _ in now], near, features, around, options, clock)


Feature = tuple[SheetPair, Held, np.ndarray]


def _features(pair: SheetPair, boxes: np.ndarray) -> Iterable[tuple[Held, np.ndarray]]:
    """Sides and corners of a pair that its boxes reach, and the boxes of their free parameters."""
    ends = [(None, *(end for end in (0, 1) if (a % 2, end) in pair.pieces[a // 2].edges)) for a in range(4)]
    reached = {(a, end): (boxes[:, a, end] <= pair.outer[a, 0]) if end == 0 else (boxes[:, a, end] >= pair.outer[a, 1])
               for a in range(4) for end in (0, 1)}
    for held in itertools.product(*ends):
        at = [(a, end) for a, end in enumerate(held) if end is not None]
        chosen = boxes[np.all([reached[key] for key in at], axis=0)] if at else boxes[:0]
        if len(chosen):
            yield held, np.delete(chosen, [a for a, _ in at], axis=1)


def _hit(search: Search, pairs: Sequence[SheetPair], tasks: Sequence[Task], features: Sequence[Feature], window: Span,
         options: Options, clock: Clock) -> tuple[Search, bool]:
    """Searches the window round the earliest contact again, now with sides and corners beside the faces. Each problem begins with its boxes
    from before: they hold all that it left over, and all that it thinned out near its solutions. What was unique stays unique.
    """
    problems = [pair_problem(pair, window, closed=False) for pair, _ in tasks]
    problems += [pair_problem(pair, window, held, closed=False) for pair, held, _ in features]
    again = Search(problems, options, starts=[*(boxes for _, boxes in tasks), *(boxes for _, _, boxes in features)])
    number = {pair: k for k, (pair, _) in enumerate(tasks)}
    again.adopt(search, {k: number[pair] for k, pair in enumerate(pairs) if pair in number}, unique=True)
    return again, drive(again, clock)


def _limited(found: Contacts, span: Span, limit: float, covered: bool) -> Contacts:
    """The answer up to `limit`, as one about the whole span."""
    if limit == span[1]:
        return found
    note = (f"From t = {limit:.12g} on, places as close to each other as one likes may meet: where a normal vanishes, or two surfaces fold "
            "together at a common side or corner." if covered else
            f"From t = {limit:.12g} on, the budget did not suffice to prove that places close to each other do not meet.")
    if found.status is Status.NO_CONTACT:
        status = Status.UNRESOLVED if covered else Status.BUDGET_SPENT
        return replace(found, status=status, time=Interval(limit, span[1]), time_span=span, notes=(*found.notes, note),
                       open=found.start)
    time = Interval(found.time[0], span[1]) if found.time is not None and found.status is Status.BUDGET_SPENT else found.time
    return replace(found, time=time, time_span=span, notes=(*found.notes, note))


