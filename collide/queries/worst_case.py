"""The earliest contact for any values of parameters in their ranges: `first_contact` with boxes of parameters.

The parameters are variables of the search (`timeline.worst_case`), until it is proved at which ends of their ranges contact is earliest.
What is then left is the question with these numbers.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import sympy as sp

from codegen.constants import enclose
from codegen.interval import Interval
from generative.symbols import text

from ..answers.contacts import Contacts
from ..answers.report import contacts
from ..bodies.parameters import over_fixed_domain, substituted, variable_of
from ..bodies.thickened import Shift
from ..given import check_span
from ..moment.pairs import Starts
from ..moment.start import Start
from ..search.budget import as_budget
from ..search.clock import Clock
from ..search.native.layout import UNIQUE
from ..search.options import Options, resolved
from ..search.search import Search
from ..timeline.worst_case import ParameterSearch
from .arguments import check_kinds, check_options, ignored_pairs
from .coincident_notes import coincident_notes
from .contact_notes import starting
from .gaps import gap_notes, without_gaps
from .parameters import Range, check_ranges, for_any
from .thick_contact import BOXES, SHARE, have_gaps, is_decided, together

Ranges = Mapping[Any, Range]


class _Known(NamedTuple):
    """The least time as far as it is known. `settled`: the parameters that are numbers there; `idle`: those that it does not depend on.
    `search`: what is left where not all are settled, which came to its end (`finished`).
    """

    asked: ParameterSearch | None = None
    settled: Mapping[Any, Any] = {}
    idle: frozenset[Any] = frozenset()
    search: Search | None = None
    finished: bool = False
    proved: float = math.inf


def worst_case(bodies: Sequence[Any], time: tuple[Any, Any], ranges: Ranges, options: Mapping[str, Any],
               ordinary: Callable[..., Contacts]) -> Contacts:
    """The earliest contact for any values in the ranges; `parameters` of the answer are the worst ones of each contact. `options`: those of
    `first_contact`, which is `ordinary`. Bodies with gaps are searched as in `thick_contact`.
    """
    if not have_gaps(bodies):
        return _searched(bodies, time, ranges, options, ordinary)
    clock = Clock(as_budget(options["budget"]))
    with clock.at_most(BOXES, SHARE):
        thick = _searched(bodies, time, ranges, {**options, "budget": clock.rest}, ordinary)
    if is_decided(thick, bodies) or clock.over:
        return thick
    drawn = _searched(without_gaps(bodies), time, ranges, {**options, "budget": clock.rest}, ordinary)
    found = together(thick, drawn, bodies)
    return replace(found, notes=tuple(dict.fromkeys((*gap_notes(bodies), *found.notes))))


def _searched(bodies: Sequence[Any], time: tuple[Any, Any], ranges: Ranges, options: Mapping[str, Any],
              ordinary: Callable[..., Contacts]) -> Contacts:
    """The answer by one search; solids with gaps are thickened by them."""
    span = check_span(time)
    names = "simultaneity", "spacing", "tolerance"
    check_options(options["method"], options["order"], **{name: options[name] for name in names})
    if len(options["tracked"]) or options["method"] == "time-dependent" or not options["tangency"]:
        raise ValueError('ranges of parameters take no tracked contacts, not method="time-dependent", and not tangency=False')
    clock = Clock(as_budget(options["budget"]), options["progress"])
    asked = Options(options["method"], options["order"], resolved(options["simultaneity"], span), float(options["spacing"]),
                    float(options["tolerance"]))
    gaps = gap_notes(bodies)
    found, mapped = _Known(), list(bodies)
    start = Starts(len(bodies), Start.UNKNOWN)
    undecided, notes, coincident = set[tuple[int, int]](), tuple[str, ...](), tuple[str, ...]()
    with clock.query():
        check_kinds(bodies)
        check_ranges(bodies, ranges, span)
        mapped = [over_fixed_domain(body, ranges) for body in bodies]
        ignored = ignored_pairs(options["ignore"], bodies)
        coincident = coincident_notes(bodies, span, ranges)
        clock.extend()
        for found in _settling(mapped, ranges, (tuple(time), span), (ignored, asked, clock)):
            assert found.asked is not None
            if found.asked.ranges.keys() == ranges.keys():
                start, undecided = found.asked.scene.states, found.asked.scene.undecided
                notes = starting(found.asked.scene, bodies)
    # For the worst values pairs may be proved apart at the beginning that are not for all values.
    apart = found.asked is not None and all(found.asked.scene.states[label] is Start.DISJOINT for label in undecided)
    if found.finished and found.settled.keys() == ranges.keys() and apart:
        answer = ordinary([substituted(body, found.settled) for body in bodies], time, **{**options, "budget": clock.rest})
        answer = replace(answer, iterations=answer.iterations + clock.boxes, seconds=clock.seconds, start=start,
                         nesting=frozenset(undecided))
    else:
        values, shown = {s: found.settled.get(s, sp.Rational(_middle(ends))) for s, ends in ranges.items()}, mapped
        with clock.reporting():
            shown = [substituted(body, values) for body in mapped]
        seen = span[1] if found.finished else span[0]
        answer = contacts(found.search, found.finished, shown, span, start, clock, seen, notes, undecided,
                          None if found.asked is None else [(m.label, m.window) for m in found.asked.scene.near])
    if answer.clear_until <= span[0]:
        # Surfaces of those pairs may meet at the beginning.
        answer = replace(answer, nesting=frozenset())
    return _told(replace(answer, notes=tuple(dict.fromkeys((*gaps, *coincident, *answer.notes)))), found, ranges)


def _settling(bodies: Sequence[Any], ranges: Ranges, time: tuple[Any, Any], how: tuple[Any, Options, Clock]) -> Iterator[_Known]:
    """The least time as far as it is known, ever more of it."""
    (given, span), (ignored, options, clock) = time, how
    found = _Known()
    while True:
        left = {s: ends for s, ends in ranges.items() if s not in found.settled}
        asked = ParameterSearch([substituted(body, found.settled) for body in bodies], left, given, span, ignored, shift=Shift.CUBE)
        asked.start(options.tolerance, clock)
        found = found._replace(asked=asked, finished=False)
        yield found
        if not left and not asked.scene.undecided:
            yield found._replace(finished=True)
            return
        search = asked.search(options, clock, found.proved)
        proved = found.proved if search.search is None else min(found.proved, search.search.proved)
        found = found._replace(proved=proved, search=search.search, finished=search.finished)
        if not search.ends and not search.idle:
            break
        idle = {s: left[s][0] for s in search.idle}
        found = found._replace(settled={**found.settled, **search.ends, **idle}, idle=found.idle | search.idle)
    if found.search is not None and not (found.finished and _isolated(found.search)) and not clock.ended:
        last, finished, _ = asked.to_the_end(options, clock, found.proved, options.simultaneity)
        found = found._replace(search=last, finished=finished)
    yield found


def _isolated(search: Search) -> bool:
    """Whether everything that is left was proved to be isolated."""
    return search.open_count == 0 and all(search.kind(k) == UNIQUE for k in search.possible_ones().tolist())


def _middle(ends: Range) -> float:
    return 0.5 * (float(ends[0]) + float(ends[1]))


def _told(answer: Contacts, found: _Known, ranges: Ranges) -> Contacts:
    """With the worst values of the parameters, and in words what is known of them."""
    settled = {s: Interval(*enclose(value)) for s, value in found.settled.items() if s not in found.idle}
    whole = {s: Interval(enclose(lo)[0], enclose(hi)[1]) for s, (lo, hi) in ranges.items()}
    worst = []
    for k in range(len(answer)):
        rows = dict(zip(answer.variables[k], answer.boxes[k].tolist(), strict=True))
        at = {s: Interval(*rows[variable_of(s)]) for s in ranges if variable_of(s) in rows}
        worst.append({s: settled.get(s, at.get(s, whole[s])) for s in ranges})
    return replace(answer, parameters=worst, given=dict(ranges), notes=(*_notes(found, ranges), *answer.notes))


def _notes(found: _Known, ranges: Ranges) -> tuple[str, ...]:
    values = [f"{s} = {text(value)}" for s, value in found.settled.items() if s not in found.idle]
    notes = [for_any(ranges)]
    if values:
        notes.append(f"Contact is earliest for {', '.join(values)}: proved by the signs of derivatives.")
    if found.idle:
        notes.append(f"It does not depend on {', '.join(map(str, sorted(found.idle, key=str)))}.")
    return tuple(notes)
