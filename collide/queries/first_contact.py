"""`first_contact`: time and place of the first contact of moving bodies.

Pairs of parts that are proved apart over the whole time are left out (`broad_phase`). The others are searched in the order in which they
may meet. A pair that could meet only after the first contact is not searched, and not even compiled. Where the faces of bodies tell the
time (`scene`), edges and vertices are searched only round the contacts found.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from codegen.constants import enclose
from codegen.given import shown
from codegen.interval import Interval
from codegen.walk import nesting_in_words

from ..answers.contacts import Contacts, Status
from ..answers.report import contacts
from ..bezier.published import time_dependent
from ..bodies.parameters import over_fixed_domain, substituted
from ..culling.broad_phase import Window
from ..given import check_span, takes_separation
from ..moment.pairs import Starts
from ..moment.start import Start
from ..proof import contact_log, logged
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..search.options import Options, resolved
from ..situations.tracking import Tracked, check_tracked
from ..timeline.along import near_after, searched
from ..timeline.course import course_of
from ..timeline.crossings import reach_of
from ..timeline.evidence import Evidence, SceneQuery, about
from ..timeline.examine import shortly_before
from ..timeline.near_triangles import is_bundle
from ..timeline.scene import Scene
from .arguments import check_bodies, check_kinds, check_options, ignored_pairs
from .contact_notes import notes_of
from .flat_pairs import FlatMeeting, flat_pairs, together, until
from .flat_parting import part_at_once
from .parameters import points_in, read_parameters
from .round_pairs import Pair, round_pairs
from .worst_case import worst_case

if TYPE_CHECKING:
    from ..proof.log import Log

# Boxes in which it is asked until when the surface of a mesh is apart from that of a body in it, or round it. Effort only.
_FACES_FIRST = 1 << 15


@takes_separation
@nesting_in_words
def first_contact(bodies: Sequence[Any], time: tuple[Any, Any], *, simultaneity: float = 1e-6, spacing: float = 0.05,
                  tolerance: float = 1e-9, tracked: Sequence[Tracked] = (), ignore: Iterable[Any] = (), method: str = "auto",
                  order: str = "auto", tangency: bool = True, parameters: Mapping[Any, Any] | None = None,
                  budget: Budget | float | None = None, progress: bool = False, log: str | PathLike[str] | None = None) -> Contacts:
    """Find the earliest contact of moving, possibly deforming bodies in a time span, with proof.

    Parameters
    ----------
    bodies : sequence
        ParametricSurface, ImplicitSurface (and unions, intersections, differences of them), Solid and `Mesh` values, two or more. An
        implicit surface is seen within its bounds only.
    time : pair
        (first, last): finite numbers or exact SymPy numbers, first < last.
    simultaneity : float, optional
        In units of time. A contact that comes at most this much later than the first is listed, too, if surfaces come to touch there, also
        from within; an isolated one at which they part, or have crossed already, is not. Late in time it is some roundings of the time at
        least. Where contacts form curves or patches, the bracket of the time is about this wide.
    spacing : float, optional
        The distance between the points listed on curves and patches of contact. Isolated contacts beside these are listed, too, but one of
        the same two faces may be missed if it is nearer to the curve or patch than an eighth of `spacing`.

        Deprecated: the former name `separation` is still taken until 0.1.0, with a DeprecationWarning.
    tolerance : float, optional
        `tolerance`, a parameter width: boxes are divided until they are no wider, and only then listed without proof.
    tracked : sequence of Tracked, optional
        Contacts that are known already; they are not reported.
    ignore : iterable, optional
        Pairs of bodies that are not asked about, and groups (of more than two) without any pair to ask about. Bodies are given by numbers
        or names, as in ``ignore=[(0, 1), ("base", "arm", "hand")]``. Nothing is claimed of these pairs; all claims are about the others.
    method, order, tangency : optional
        See `docs/pages/methods.md`. They change the work, not the meaning.
    parameters : mapping, optional
        {symbol: number or (lo, hi)}, for the `generative.Parameter` symbols in the formulas.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds. It counts everything, also compiling formulas; but compiled formulas are searched for at
        least some milliseconds. To go on after a spent budget, ask again for the time from `clear_until` on.
    progress : bool, optional
        Show a bar.
    log : path, optional
        A file for a log of the proof, which `collide.check` verifies.

    Returns
    -------
    Contacts
        With `status`, `time` (the bracket of the earliest contact), `clear_until`, and the contacts: `points`, `normals`, `features`, `uv`,
        and whether each is proved to exist and to be `unique`. A spent budget, Ctrl-C and refused memory raise nothing: the result then
        holds what is proved so far.

    Raises
    ------
    TypeError
        For bodies that are not in a list, or of an unknown kind.
    ValueError
        For fewer than two bodies; for a body without a surface or a normal, with a free `Parameter`, or with edges that do not lie on its
        faces; for parameters that no formula has; for ranges that are empty, reversed, or seen to make a body degenerate; for ignored pairs
        of bodies that do not exist, and if no pair is left; for a time span that is not finite or does not go forward; for a tolerance or
        budget that is not positive; for an unknown option; for tracked functions that do not follow the bodies; with `log`, where no log
        can be written.

    Notes
    -----
    Pairs *proved* disjoint at time[0]: `time` *encloses* the least t at which the closed surfaces meet, and before `clear_until` they are
    *proved* not to meet. Pairs that touch or overlap at the start: the same for new incoming tangential contacts (Snyder 1993, Section 2).
    Positions of points and normals *approximate*. See `docs/pages/guarantees.md`.

    *Ends of the span.* A pair that touches at the start, but is proved disjoint `simultaneity` before it by the formulas of its motions, is
    searched from there like a pair that starts apart; the bracket of a contact just at time[0] then begins a little earlier, because of
    rounding. The bracket of a contact just at time[1] may end a little later, if the motions go on by the same formulas; it holds time[1]
    then.

    *Flat faces.* Two parametric bodies of flat faces with rational corners are answered exactly where one seen from the other shifts by a
    polynomial of t, or turns evenly about an axis: contact without crossing and flush sliding are proved, too. Where such a pair touches at
    the start, and parts at once, the answer is when it meets again.

    *Touch without crossing.* Balls and capsules, with each other and with bodies of flat faces, are decided exactly where a search decides
    nothing, as where a ball turns back just on a floor: along polynomials and rational functions of t, balls however they turn, others
    turning evenly about an axis. Of other bodies `Contacts.gap_bounds` says that they touch, or by which distance they miss at most.

    *Parameters.* `Contacts.sensitivity` encloses how contacts move with them. With ranges (lo, hi) `time` *encloses* the earliest contact
    for any values in these, and before `clear_until` there is none for all of them. The contacts listed come first, and `parameters` of the
    answer holds the values (boxes) at which each does: the worst case. Pairs of bodies in whose formulas a range stands, and that are not
    proved apart at time[0] for all values, count as apart, also if they do not move against each other; surfaces that meet there for some
    values do so at this very time. A contact at a corner or on a side of the ranges is unique only if the sign of the derivative of the
    time by the parameters there is proved. u and v of a patch whose domain depends on a range are shares of it; bounds of implicit surfaces
    are the widest.

    Examples
    --------
    A bowl falls on a plate, which it meets at t = 1.

    >>> from collide import first_contact
    >>> from generative import ParametricSurface, Rigid, t, u, v
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, 1 - t]))
    >>> found = first_contact([plate, bowl], (0, 2))
    >>> found.status, found.time.lo <= 1 <= found.time.hi, found.unique.tolist()
    (Status.CONTACT, True, [True])
    """
    if parameters is not None:
        return _with_parameters(bodies, time, parameters, {
            "simultaneity": simultaneity, "spacing": spacing, "tolerance": tolerance, "tracked": tracked, "ignore": ignore,
            "method": method, "order": order, "tangency": tangency, "budget": budget, "progress": progress, "log": log})
    span = check_span(time)
    check_options(method, order, simultaneity=simultaneity, spacing=spacing, tolerance=tolerance)
    if not isinstance(tangency, (bool, np.bool_)):
        raise TypeError(f"tangency must be True or False, got {shown(tangency)}")
    clock = Clock(as_budget(budget), progress)
    options = Options(method, order, resolved(simultaneity, span), float(spacing), float(tolerance))
    start = Starts(len(bodies) if isinstance(bodies, Sequence) else 0, Start.UNKNOWN)
    proof: Log | None = None
    found, undecided = Evidence(None, False, span[0]), set[tuple[int, int]]()
    notes: tuple[str, ...] = ()
    exact, last = dict[tuple[int, int], FlatMeeting | None](), span[1]
    scene: Scene | None = None
    whole = False

    def answered() -> Contacts:
        seen = found
        if not whole and found.seen < last and not found.proved < math.inf:
            # A stage came to its end, not the span.
            seen = found._replace(finished=False)
        near = None if scene is None else _near(scene, seen.seen, clock)
        answer = contacts(seen.search, seen.finished, bodies, (span[0], last), start, clock, seen.seen, notes, undecided, near)
        return answer if seen.doubt else _touched_before(answer, options.simultaneity)

    with clock.query():
        check_kinds(bodies)
        ignored = ignored_pairs(ignore, bodies)
        start = Starts(len(bodies), Start.UNKNOWN, ignored)
        check_tracked(tracked, bodies, span)
        if method == "time-dependent":
            check_bodies(bodies, span)
            if log is not None:
                raise ValueError('no log can be written with method="time-dependent"; take "auto"')
            return time_dependent.first_contact(bodies, tuple(time), span, clock, options, tracked=bool(tracked))
        scene = Scene(bodies, tuple(time), span, tracked, tangency=tangency, closed=tangency and method == "auto", ignored=ignored,
                      course=None if tracked else course_of(bodies, span))
        check_bodies(bodies, span)
        if log is not None:
            proof = contact_log(log, bodies, time, span, tracked)
        start, undecided = scene.start(options.tolerance, clock), scene.undecided
        scene.extend_back(options.simultaneity, options.tolerance, clock)
        clock.extend()
        if proof is None and scene.closed and scene.course is None:
            scene, exact, last = _flat_answered(scene, bodies, span, options, clock)
        _leave_out_nested(SceneQuery(scene, options, clock))
        for known in _evidence(SceneQuery(scene, options, clock), tuple(time)):
            found = known
        whole = True
        notes = notes_of(scene, found, bodies, span)
        touching = _touching(answered(), scene, bodies, options) if proof is None and _doubtful(found, scene, options) else {}
        if touching:
            whole, exact = False, exact | touching
            scene, last = scene.without(touching), min(last, until(exact, span, scene, options.simultaneity))
            scene = scene.within((span[0], last)) if scene.near and last < span[1] else scene
            for known in _evidence(SceneQuery(scene, options, clock), tuple(time)):
                found = known
            whole, notes = True, notes_of(scene, found, bodies, span)
    return logged(together(answered(), exact, span, options.simultaneity), proof, clock)


def _doubtful(found: Evidence, scene: Scene, options: Options) -> bool:
    """Whether something is located, and not proved, well before any contact that is proved."""
    known = min(found.proved, scene.span[1]) - 2.0 * reach_of(scene.span, options.simultaneity)
    return scene.course is None and (found.open or found.clear_until(scene.span[1]) < known)


def _touching(answer: Contacts, scene: Scene, bodies: Sequence[Any], options: Options) -> dict[Pair, FlatMeeting | None]:
    """The exact answers for undecided pairs of balls, capsules and flat bodies, which may touch without crossing."""
    labels = {*map(tuple, answer.undecided.tolist()), *map(tuple, answer.pairs[~answer.existence].tolist())}
    found = round_pairs(sorted(labels), answer.start, bodies, scene.span, options.spacing)
    return {label: met for label, met in found.items() if label not in scene.tracked and label not in scene.early}


def _with_parameters(bodies: Sequence[Any], time: tuple[Any, Any], parameters: Any, options: dict[str, Any]) -> Contacts:
    """With numbers in the place of the parameters, the worst ones of ranges."""
    check_kinds(bodies)
    ranges = read_parameters(parameters, bodies)
    values = points_in(ranges)
    known = {s: Interval(*enclose(value)) for s, value in values.items()}
    clock, own = Clock(as_budget(options["budget"])), list[Any]()
    with clock.working():
        own = [substituted(body, values) for body in bodies]
    if not own:
        span = check_span(time)
        return contacts(None, False, bodies, span, Starts(len(bodies), Start.UNKNOWN), clock, span[0])
    options["budget"] = clock.rest
    if len(values) == len(ranges):
        found = first_contact(own, time, **options)
        return replace(found, parameters=[known] * len(found), given=values, formulas=tuple(bodies))
    check_kinds(bodies, "first_contact with ranges of parameters", meshes=False)
    wide, log = {s: ends for s, ends in ranges.items() if s not in values}, options.pop("log")
    span = check_span(time)
    proof = None if log is None else contact_log(log, [over_fixed_domain(body, wide) for body in own], time, span, (), wide)
    found = logged(worst_case(own, time, wide, options, first_contact), proof, clock)
    worst = [{s: known[s] if s in known else at[s] for s in ranges} for at in found.parameters]
    formulas = tuple(bodies)
    with clock.reporting():
        formulas = tuple(over_fixed_domain(body, found.given.keys()) for body in bodies)
    return replace(found, parameters=worst, given=ranges, formulas=formulas)


def _flat_answered(scene: Scene, bodies: Sequence[Any], span: Window, options: Options,
                   clock: Clock) -> tuple[Scene, dict[tuple[int, int], FlatMeeting | None], float]:
    """The exact answers for pairs of flat faces; a scene of all other pairs, and up to when these are of interest."""
    part_at_once(scene, bodies, span)
    exact = flat_pairs(scene, bodies, options.spacing, options.simultaneity, clock)
    others, last = scene.without(exact), until(exact, span, scene, options.simultaneity)
    return (others.within((span[0], last)) if others.near and last < span[1] else others), exact, last


def _leave_out_nested(query: SceneQuery) -> None:
    """Leave out bodies one of which is inside the other until their surfaces meet: nothing of them meets before. Meshes have many edges and
    vertices, so it is asked first of their faces alone when that is.
    """
    scene = query.scene
    for label in sorted(scene.nested) if scene.course is None else ():
        surfaces = scene.surfaces(label)
        if surfaces.by_faces(label) and any(map(is_bundle, surfaces.near)):
            found = Evidence(None, False, scene.begin)
            with query.clock.at_most(_FACES_FIRST):
                for more in searched(query._replace(scene=surfaces, features=False)):
                    found = more
            clear, end = found.clear_until(scene.span[1]), scene.span[1]
            never = found.finished and not found.located and not found.proved < math.inf and clear >= end
            scene.leave_out(label, math.inf if never else shortly_before(clear, scene.span))


def _evidence(query: SceneQuery, time: tuple[Any, Any]) -> Iterator[Evidence]:
    """The evidence, ever more of it. If bodies met before the start, only what comes after it counts."""
    begin, proved = query.scene.begin, math.inf
    for found in searched(query):
        proved = found.proved
        yield found
    if proved < begin:
        query.scene.restore_begin(time)
        yield from searched(query)


def _near(scene: Scene, seen: float, clock: Clock) -> list[tuple[tuple[int, int], Window]] | None:
    """The pairs of bodies that come near each other after a time, and the windows of this; None where it takes too long to tell."""
    if scene.course is None:
        return [(m.label, m.window) for m in scene.near]
    found = None
    with clock.reporting():
        found = near_after(scene.first, scene.course, seen)
    return found


def _touched_before(answer: Contacts, simultaneity: float) -> Contacts:
    """The answer, which says so where bodies may touch well before the contact that is proved."""
    if not _may_touch_before(answer, simultaneity):
        return answer
    note = f"From {about(answer.clear_until)} on bodies may touch: that was neither proved nor excluded."
    return replace(answer, notes=(note, *answer.notes))


def _may_touch_before(answer: Contacts, simultaneity: float) -> bool:
    span = answer.time_span
    met = answer.time.hi if answer.status is Status.CONTACT and answer.time is not None else span[0]
    return span[0] < answer.clear_until < met - 2.0 * reach_of(span, simultaneity)
