"""`first_contact`: time and place of the first contact of moving bodies.

Pairs of parts that are proved apart over the whole time are left out (`broad_phase`). The others are searched in the order in which they
may meet. A pair that could meet only after the first contact is not searched, and not even compiled. Where the faces of bodies tell the
time (`scene`), edges and vertices are searched only round the contacts found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from codegen.constants import enclose
from codegen.given import shown
from codegen.interval import Interval
from codegen.walk import nesting_in_words

from ..answers.contacts import Contacts
from ..answers.report import contacts
from ..bezier.published import time_dependent
from ..bodies.parameters import over_fixed_domain, substituted
from ..given import check_span, takes_separation
from ..moment.pairs import Starts
from ..moment.start import Start
from ..proof import contact_log, logged
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..search.options import Options, resolved
from ..situations.tracking import Tracked, check_tracked
from .arguments import check_bodies, check_kinds, check_options, ignored_pairs
from .contact_search import ContactQuestion
from .gaps import refuse_gaps
from .parameters import points_in, read_parameters
from .thick_contact import ThickContact
from .worst_case import worst_case


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
        budget that is not positive; for an unknown option; for tracked functions that do not follow the bodies, or solids with gaps beside
        them; with `log`, where no log can be written.

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
    turning evenly about an axis. Of other bodies contact is *proved* by a point with rational coordinates at a rational time that exact
    arithmetic puts on both surfaces, if there is one near what is located; else `Contacts.gap_bounds` says that they touch, or by which
    distance they miss at most.

    *Gaps.* Solids of files have a gap (`Solid.gap`). `time` then *encloses* the first contact of the bodies thickened by their gaps, and
    that of their faces; before `clear_until` the thickened bodies are *proved* not to meet. A contact is *proved* of the faces. A log
    says so, too: shifts of the bodies by up to the gap are parameters of its theorem. `tracked` is refused.

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
    known = ThickContact(ContactQuestion(bodies, time, span, options, tracked, bool(tangency)))
    with clock.query():
        check_kinds(bodies)
        ignored = ignored_pairs(ignore, bodies)
        check_tracked(tracked, bodies, span)
        if len(tracked):
            refuse_gaps(bodies, "tracked contacts are points of faces")
        if method == "time-dependent":
            check_bodies(bodies, span)
            if log is not None:
                raise ValueError('no log can be written with method="time-dependent"; take "auto"')
            refuse_gaps(bodies, 'method="time-dependent" searches faces alone')
            return time_dependent.first_contact(bodies, tuple(time), span, clock, options, tracked=bool(tracked))
        check_bodies(known.placed(ignored, limited=log is None).shown, span)
        if log is not None:
            known.drawn.proof = contact_log(log, bodies, time, span, tracked)
        if not known.decides(ignored, clock):
            scene = known.drawn.scene or known.drawn.place(ignored)
            known.drawn.begin(scene, clock)
            known.drawn.search(scene, clock)
            known.again(ignored, clock)
    return logged(known.answer(clock), known.drawn.proof, clock)


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


