"""`distance` and `clearance`: the least distance of bodies, at a moment or over a span of time, and its place.

Both are the search for a least value that `minimize` and `first_contact` are: the distance is the objective, the conditions of a critical
distance contract boxes as tangency does (`situations.distance`), and bounds of second order along directions move the least distance of a
box on as they move the time of contact on (`codegen.time_bounds.distance`). `timeline.nearest` says which pairs are searched.
"""

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.given import shown
from codegen.interval import Interval
from codegen.walk import nesting_in_words
from generative import ImplicitBody, t
from generative.body import called
from generative.family import member_of, parameters_in
from generative.rest import carrier

from ..answers.distances import Clearance, Distance, DistanceStatus
from ..answers.left_open import all_pairs, in_the_way, named_pairs
from ..answers.nearest_points import Listed, listed
from ..bodies.mesh import Mesh
from ..bodies.numbers import check_numbers
from ..bodies.parameters import Ranges, over_fixed_domain, substituted, variable_of
from ..given import check_positive, check_span, is_number, takes_separation
from ..moment.pairs import Pair, Pairs
from ..polyhedra.distance.mesh_distance import MeshDistanceBounds
from ..proof import distance_log, logged
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..timeline.nearest import Asked, Neighbours
from ..timeline.neighbourhood import Found
from .arguments import check_bodies, check_kinds, ignored_pairs
from .coincident_notes import coincident_notes
from .distance_of_meshes import DistanceBounds, known, nearest, nested, size_of
from .distance_of_meshes import listed as listed_of
from .gaps import distance_notes_of_gaps, widened
from .parameters import check_ranges, for_any, points_in, read_parameters
from .time_parts import TimeParts

if TYPE_CHECKING:
    from ..proof.log import Log

# Against the size of the bodies, a distance that may be nothing but rounding.
_CLOSE = 1e-12
# Implicit bodies of which a part is smaller are refused: squares of their lengths have not all the digits of a double.
TINY = 1e-145
# The moment at which bodies are looked at that do not depend on the time.
_STILL = sp.Integer(0), sp.Integer(0)


@takes_separation
@nesting_in_words
def distance(a: Any, b: Any, at: float = 0.0, *, tolerance: float = 1e-9, spacing: float | None = None,
             parameters: Mapping[Any, Any] | None = None, budget: Budget | float | None = None, progress: bool = False,
             log: str | PathLike[str] | None = None) -> Distance:
    """Bracket the least distance of the surfaces of two bodies at a moment, and list all pairs of nearest points.

    Parameters
    ----------
    a, b : body
        ParametricSurface, ImplicitSurface (and unions, intersections, differences of them), Solid and `Mesh` values. Their surfaces count,
        within their bounds, as in `first_contact`.
    at : float, optional
        The time, as a double.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the distance, against its size. A bracket with no double strictly inside it is as narrow as
        any tolerance asks.
    spacing : float, optional
        The distance between the points listed where nearest points form curves or patches. None is a tenth of the size of the smaller body.

        Deprecated: the former name `separation` is still taken until 0.1.0, with a DeprecationWarning.
    parameters : mapping, optional
        {symbol: number or (lo, hi)}, for the `generative.Parameter` symbols in the formulas. With ranges (lo, hi) the least distance for
        any values in these is meant; `parameters` of the answer holds the values (boxes) at which it comes about.
    budget, progress, log : optional
        As in `minimize`.

    Returns
    -------
    Distance
        With `bracket` = (lo, hi) and `points` (k, 2, 3), pairs of nearest points; of two meshes one pair is listed. That one body is inside
        the other is said in `notes`. A spent budget, Ctrl-C and refused memory raise nothing: the result then holds what is proved so far.

    Raises
    ------
    TypeError
        For anything that is no body.
    ValueError
        For a body without a surface or a normal, with a free `Parameter`, or with edges that do not lie on its faces; for a time that is
        not finite; for a tolerance, spacing or budget that is not positive; with `log`, where no log can be written.

    Notes
    -----
    `bracket` *encloses* the least distance. Points *approximate*.

    The distance of surfaces that are *proved* to meet is 0. Where they touch without crossing, which rounding cannot tell from a near miss,
    the bracket begins with 0 and ends with a few roundings. A touch of meshes is decided if their poses are rational numbers.

    The search takes longer where nearest points form curves or surfaces. If algebra proves that both bodies turn into themselves about one
    axis, as coaxial tori, concentric spheres, and cans made of implicit surfaces do, a slice of one of them is enough.

    Examples
    --------
    >>> from collide import distance
    >>> from generative import ParametricSurface, Rigid, u, v
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, 2]))
    >>> distance(plate, bowl).points.round(9).__abs__().tolist()
    [[[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]]
    """
    if not is_number(at) or not math.isfinite(float(at)):
        raise ValueError(f"at must be a finite number, the time, got {shown(at)}")
    moment = float(at) + 0.0
    asked = as_asked(tolerance, spacing, math.inf)
    proof = None if log is None else _log(log, (a, b), (sp.Rational(moment),) * 2, (moment, moment), (), parameters)
    found, told, drawn, clock, _ = _search((a, b), (moment, moment), (moment, moment), (), asked, parameters, budget, progress)
    answer = Distance(*told, clock.boxes, clock.seconds, found.notes, *drawn, (moment, moment))
    return logged(answer, proof, clock)


@takes_separation
@nesting_in_words
def clearance(bodies: Sequence[Any], time: tuple[Any, Any] | None = None, at_least: float | None = None, *, tolerance: float = 1e-9,
              spacing: float | None = None, ignore: Iterable[Any] = (), parameters: Mapping[Any, Any] | None = None,
              budget: Budget | float | None = None, progress: bool = False, log: str | PathLike[str] | None = None) -> Clearance:
    """Bracket the least distance of moving, possibly deforming bodies over a time span, of all pairs, with its time and place.

    Parameters
    ----------
    bodies, ignore
        As in `first_contact`.
    time : pair, optional
        As in `first_contact`. None is for bodies that do not depend on t: with ranges of parameters the answer holds for all poses in a box
        of joint values, whatever the path through it.
    at_least : float, optional
        A distance. Then the search only decides whether the bodies keep it, and ends with the first proof of one or the other: `verdict`.
        If they do, the bracket begins with it.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the distance, against its size.
    spacing, parameters, budget, progress, log : optional
        As in `distance`.

        Deprecated: `separation`, the former name of `spacing`, is still taken until 0.1.0, with a DeprecationWarning.

    Returns
    -------
    Clearance
        With `bracket`, `times`, `pairs`, `points` (k, 2, 3), and `verdict` (True, False or None).

    Raises
    ------
    TypeError, ValueError
        As `distance`. ValueError also for fewer than two bodies, a time span that does not go forward, ignored pairs of bodies that do not
        exist, and a distance `at_least` that is not positive.

    Notes
    -----
    The distance is that of the surfaces. `bracket` *encloses* it; the `verdict` is *proved* either way, or None. Pairs that are farther
    from each other than others are known to come, at all times, are not searched.

    Examples
    --------
    >>> from collide import clearance
    >>> from generative import ParametricSurface, Rigid, t, u, v
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, 2 - t]))
    >>> clearance([plate, bowl], (0, 1), at_least=0.5).verdict
    True
    """
    if time is None:
        check_kinds(bodies, "clearance")
        _check_still(bodies)
    given, span = (_STILL, (0.0, 0.0)) if time is None else (tuple(time), check_span(time))
    reach = math.inf if at_least is None else check_positive("at_least", at_least)
    asked, ignore = as_asked(tolerance, spacing, reach), tuple(ignore) if isinstance(ignore, Iterator) else ignore
    proof = None if log is None else _log(log, bodies, given, span, ignore, parameters)
    found, told, drawn, clock, left = _search(bodies, given, span, ignore, asked, parameters, budget, progress)
    again = TimeParts(clearance, bodies, given, ignore, parameters)
    answer = Clearance(*told, clock.boxes, clock.seconds, found.notes, *drawn, span, found.times, found.pairs, verdict_of(told[0]), *left,
                       again)
    return logged(answer, proof, clock)


def _check_still(bodies: Sequence[Any]) -> None:
    for k, body in enumerate(bodies):
        place = carrier(body)
        if place is None or t in place.symbols:
            raise ValueError(f"{called(bodies, k)} depends on t, so clearance needs the time span that is meant: time=(first, last)")


def _log(path: str | PathLike[str], bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], ignore: Iterable[Any],
         parameters: Mapping[Any, Any] | None) -> "Log":
    check_kinds(bodies, "clearance")
    ignored = ignored_pairs(ignore, bodies) if ignore else ()
    values = _values(parameters, bodies)
    own = _with(values, bodies, span)
    left_out = [pair for pair in itertools.combinations(range(len(bodies)), 2) if pair in ignored]
    return distance_log(path, own, time, span, left_out, _ranges(values))


def as_asked(tolerance: float, spacing: float | None, reach: float) -> Asked:
    """The question, checked."""
    return Asked(check_positive("tolerance", tolerance), None if spacing is None else check_positive("spacing", spacing), reach)


def verdict_of(status: DistanceStatus) -> bool | None:
    """Whether bodies keep a distance that was asked for; None where that is not decided."""
    return {DistanceStatus.CLEAR: True, DistanceStatus.NEARER: False}.get(status)


Shown = tuple[Sequence[Any], list[dict[Any, Interval]]]
Told = tuple[DistanceStatus, Interval, np.ndarray, np.ndarray, Sequence[tuple[str, str]], Sequence[np.ndarray], Sequence[tuple[str, ...]]]


def _search(bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], ignore: Iterable[Any], asked: Asked,
            parameters: Mapping[Any, Any] | None, budget: Budget | float | None,
            progress: bool) -> tuple[Listed, Told, Shown, Clock, tuple[Collection[Pair], int]]:
    """The nearest points, what the answer begins with, what it shows, the pairs that are not decided,
    and how many were asked about.
    """
    clock = Clock(as_budget(budget), progress)
    found, between, points = Found(), MeshDistanceBounds(), Listed()
    scene, notes, bodies = None, tuple[str, ...](), tuple(bodies) if isinstance(bodies, Sequence) else bodies
    values: Ranges = {}
    ignored = Pairs(len(bodies) if isinstance(bodies, Sequence) else 0)
    with clock.query():
        check_kinds(bodies, "clearance")
        values = _values(parameters, bodies)
        ignored = ignored_pairs(ignore, bodies) if ignore else ignored
        own = _with(values, bodies, span)
        scene = search_pairs(own, (time, span), ignored, _ranges(values), (asked, clock), found, between)
        notes = (*_notes(scene, bodies, own, known(found, between), ignored, span[0], clock), *coincident_notes(own, span, _ranges(values)),
                 *distance_notes_of_gaps(bodies))
    outcome = known(found, between)
    with clock.reporting():
        points = nearest_of(bodies, scene, found, between)
    if _ranges(values):
        notes = (for_any(_ranges(values)), *notes)
    status = status_of(outcome, asked)
    left = _left_open(status, found, between, ignored, min(outcome.upper, asked.reach))
    if not outcome.finished:
        told = (clock.account(), *in_the_way(found.stands, clock, bodies)) if status is DistanceStatus.BUDGET_SPENT and clock.late else ()
        notes = (*notes, clock.reason(), *told)
    bracket = Interval(0.0, 0.0) if outcome.meets else widened(Interval(outcome.lower + 0.0, outcome.upper), bodies)
    answer = status, bracket, points.points, points.unique, points.features, points.boxes, points.variables
    shown: Shown = bodies, _worst(points, values, bodies)
    with clock.reporting():
        shown = _shown(shown[1], values, bodies), shown[1]
    return points._replace(notes=notes), answer, shown, clock, (left, len(all_pairs(ignored.count, ignored)))


def _left_open(status: DistanceStatus, found: Found, between: MeshDistanceBounds, ignored: Pairs, upper: float) -> Collection[Pair]:
    """The pairs of bodies that may be nearer to each other than `upper`, as far as is known, where that leaves anything undecided."""
    if status not in (DistanceStatus.BUDGET_SPENT, DistanceStatus.UNRESOLVED):
        return ()
    if between.waiting is None or (found.waiting is None and not found.finished):
        return all_pairs(ignored.count, ignored)
    located = {problem.label for problem, _, box in found.boxes if box[-1, 0] < upper}
    return {*between.waiting, *located, *(pair for pair, least in (found.waiting or {}).items() if least < upper)}


def search_pairs(bodies: Sequence[Any], time: tuple[Any, tuple[float, float]], ignored: Pairs, ranges: Ranges, how: tuple[Asked, Clock],
                 found: Found, between: MeshDistanceBounds) -> Neighbours | None:
    """Searches the pairs of meshes (`between`), and all others (`found`): the neighbours that these are; None without any."""
    (given, span), (asked, clock) = time, how
    nearest(bodies, span, ignored, asked, clock, between)
    found.upper = between.upper
    scene = None if between.ends(asked.reach) else _others(bodies, given, span, ignored, ranges)
    if scene is None:
        # Of pairs that are not searched nothing is known.
        found.lower, found.finished = 0.0 if between.ends(asked.reach) else math.inf, True
    else:
        clock.extend()
        scene.search(asked, clock, found)
    return scene


def nearest_of(bodies: Sequence[Any], scene: Neighbours | None, found: Found, between: MeshDistanceBounds) -> Listed:
    """The points that are nearest of all pairs that were searched."""
    if scene is None or between.is_nearest(found.upper):
        return listed_of(bodies, between)
    return listed(found, scene)


def _others(bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], ignored: Pairs, ranges: Ranges) -> Neighbours | None:
    """All pairs but those of two meshes; None if there are no others."""
    meshes = [k for k, body in enumerate(bodies) if isinstance(body, Mesh)]
    if len(meshes) == len(bodies):
        return None
    for k, body in enumerate(bodies):
        if isinstance(body, ImplicitBody) and any(_is_tiny(leaf.bounds) for leaf in body.leaves):
            raise ValueError(f"{called(bodies, k)} has a size below {TINY}, whose square is no double: give lengths in a smaller unit")
    return Neighbours(bodies, time, span, Pairs(len(bodies), ignored.single, [*ignored.groups, meshes]), ranges)


def _is_tiny(bounds: Sequence[tuple[Any, Any]]) -> bool:
    widths = [hi - lo for lo, hi in bounds]
    return all(width.is_number and width < TINY for width in widths)


def _values(parameters: Mapping[Any, Any] | None, bodies: Sequence[Any]) -> Ranges:
    if parameters is not None:
        return read_parameters(parameters, bodies)
    check_numbers(bodies, [member_of(body) for body in bodies])
    return {}


def _with(values: Ranges, bodies: Sequence[Any], span: tuple[float, float]) -> Sequence[Any]:
    """The bodies with numbers in the place of the parameters that have one."""
    if not values:
        check_bodies(bodies, span)
        return bodies
    own, ranges = [substituted(body, points_in(values)) for body in bodies], _ranges(values)
    check_ranges(own, ranges, span)
    return [over_fixed_domain(body, ranges) for body in own]


def _ranges(values: Ranges) -> Ranges:
    return {s: (lo, hi) for s, (lo, hi) in values.items() if lo != hi}


def _shown(worst: Sequence[Mapping[Any, Interval]], values: Ranges, bodies: Sequence[Any]) -> Sequence[Any]:
    """The bodies, with numbers at which they are nearest."""
    at = {s: sp.Rational(sum(worst[0][s]) / 2) if worst and lo != hi else lo for s, (lo, hi) in values.items()}
    return [substituted(body, at) for body in bodies] if at else bodies


def _worst(found: Listed, values: Ranges, bodies: Sequence[Any]) -> list[dict[Any, Interval]]:
    """The values of the parameters at which each pair of points is as near as it is; the whole range of those that neither body has."""
    known = {s: Interval(enclose(lo)[0], enclose(hi)[1]) for s, (lo, hi) in values.items()}
    worst = []
    for box, names, sample, pair in zip(found.boxes, found.variables, found.samples, found.pairs.tolist(), strict=True):
        own = {variable_of(s) for k in pair for s in parameters_in(bodies[k])}
        at = {name: Interval(lo, hi) for name, (lo, hi) in zip(names, box.tolist(), strict=True)}
        at |= {name: Interval(value, value) for name, value in sample.items() if name in own}
        worst.append({s: _common(at.get(variable_of(s), whole), whole) for s, whole in known.items()})
    return worst


def _common(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.lo, b.lo), min(a.hi, b.hi))


def status_of(found: DistanceBounds, asked: Asked) -> DistanceStatus:
    """The status that the search has shown."""
    if asked.reach < math.inf:
        if found.meets or found.upper < asked.reach:
            return DistanceStatus.NEARER
        if found.finished and found.lower >= asked.reach:
            return DistanceStatus.CLEAR
    elif found.meets:
        return DistanceStatus.MEETING
    elif found.finished and found.lower == math.inf:
        return DistanceStatus.NOWHERE
    elif found.upper < math.inf and _is_narrow(found.lower, found.upper, asked.tolerance):
        return DistanceStatus.MEASURED
    return DistanceStatus.UNRESOLVED if found.finished else DistanceStatus.BUDGET_SPENT


def _is_narrow(lower: float, upper: float, tolerance: float) -> bool:
    """Whether a bracket is as narrow as asked for, or as doubles are: none lies strictly inside it."""
    return upper - lower <= 1.001 * tolerance * upper or upper <= math.nextafter(lower, math.inf)


def _notes(scene: Neighbours | None, bodies: Sequence[Any], own: Sequence[Any], found: DistanceBounds, ignored: Pairs, moment: float,
           clock: Clock) -> Iterator[str]:
    """Notes on the bodies that lie inside others when the time begins; or that nothing is known of it, as they may touch."""
    size = max(0.0 if scene is None else scene.size, *(size_of(body) for body in own if isinstance(body, Mesh)), 0.0)
    if not found.meets and found.lower == 0.0 < found.upper < _CLOSE * size:
        yield "The surfaces touch, or nearly do, without crossing, which rounding cannot tell apart."
    elif not found.meets and found.lower > 0.0:
        inside, unknown = ([], []) if scene is None else scene.nested(clock)
        for i, j in (*inside, *nested(own, ignored, moment, clock)):
            yield f"When the time begins, a piece of the surface of {called(bodies, i)} is inside {called(bodies, j)}."
        if unknown:
            yield f"Whether one of two bodies is inside the other is not decided of {named_pairs(bodies, unknown)}."
