"""`contacts_during`: all contacts of moving bodies in a time span, when each begins and when it ends.

Pairs of bodies are taken one look at a time, in turn (`timeline.spells`), so that a budget that is spent leaves something known of each.
"""

import itertools
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.walk import nesting_in_words

from ..answers.contact_times import ContactTimes, Spell, contact_times
from ..bodies.relative_frames import relative_frames
from ..bodies.thickened import Shift, gap_of
from ..culling.broad_phase import Window
from ..given import check_span, check_tolerance
from ..moment.pairs import Pair, Pairs
from ..polyhedra.flat.contact_intervals import times
from ..polyhedra.flat.relative_motion import FlatMotion
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..search.options import Options, resolved
from ..timeline.course import course_of
from ..timeline.scene import Scene
from ..timeline.spells import Spells
from .arguments import check_bodies, check_kinds, ignored_pairs
from .coincident_notes import coincident_notes
from .gaps import gap_notes

_SPACING, _TOLERANCE = 0.05, 1e-9


@nesting_in_words
def contacts_during(bodies: Sequence[Any], time: tuple[Any, Any], *, tolerance: float = 1e-6, ignore: Iterable[Any] = (),
                    budget: Budget | float | None = None, progress: bool = False) -> ContactTimes:
    """List when bodies touch, from the beginning of a time span to its end, and when they are apart.

    Parameters
    ----------
    bodies, time, ignore
        As in `first_contact`.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the moments at which spells of contact begin and end. A shorter stretch of time is not looked
        at more closely.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds. After a spent budget, or Ctrl-C, the rest is UNDECIDED.
    progress : bool, optional
        Show a bar.

    Returns
    -------
    ContactTimes
        For each pair that may touch, spells of SEPARATION, of CONTACT, and UNDECIDED ones.

    Raises
    ------
    TypeError
        For bodies that are not in a list.
    ValueError
        For bodies, a time span and ignored pairs that `first_contact` refuses, and for a tolerance outside 1e-12 to 1.

    Notes
    -----
    Contact is of surfaces: two bodies are in contact at a moment if their closed surfaces, borders included, have a point in common then. A
    body wholly inside another does not touch it; bodies that overlap do. How they come together does not count, so that it makes no
    difference whether they touch at time[0].

    SEPARATION is *proved* free of contact. In CONTACT the surfaces are *proved* to meet at every moment. A touch that rounding cannot tell
    from a near miss, as of a ball that passes a plane at just its radius, is UNDECIDED for an instant. A contact in which surfaces touch
    without crossing, as in sliding or rolling, or cross along edges alone, is UNDECIDED for as long as it lasts.

    Two parametric bodies of flat faces with rational corners are decided exactly where one seen from the other shifts by a polynomial of t,
    or turns evenly about an axis: also for how long they slide flush, and when they touch for an instant.

    Of solids with gaps (`Solid.gap`), SEPARATION is proved of the bodies thickened by them, and CONTACT of their faces. Where thickened
    bodies may meet alone, it is UNDECIDED.

    Examples
    --------
    >>> from collide import contacts_during
    >>> from generative import Rigid, primitives, t
    >>> balls = [primitives.ball(), primitives.ball().moved(Rigid(translation=[t, 1, 0]))]
    >>> contacts_during(balls, (-3, 3))
    ContactTimes(CONTACT, 1 contact, 0 undecided)
    """
    span, tolerance, clock = check_span(time), check_tolerance(tolerance, 1e-12), Clock(as_budget(budget), progress)
    options = Options(simultaneity=resolved(tolerance, span), spacing=_SPACING, tolerance=_TOLERANCE)
    known: dict[Pair, Spells] = {}
    notes: tuple[str, ...] = ()
    ignored, finished, others = Pairs(len(bodies) if isinstance(bodies, Sequence) else 0), False, Spell.UNDECIDED
    with clock.query():
        check_kinds(bodies, "contacts_during")
        ignored = ignored_pairs(ignore, bodies)
        check_bodies(bodies, span)
        clock.extend()
        near = _near(bodies, span, ignored)
        # Surfaces meet at the same times in the frame of a motion that both bodies share.
        frames = relative_frames(bodies, np.array([*near], np.int64).reshape(-1, 2))
        own = {pair: [frames.bodies[k] for k in frames.label(pair)] for pair in near}
        known |= {pair: Spells(own[pair], span, window, options) for pair, window in near.items()}
        others = Spell.SEPARATION
        notes = (*gap_notes(bodies), *coincident_notes(bodies, span))
        _tell(known, own, span)
        finished = _looked(known, clock)
    return contact_times({pair: (own.windows, own.met) for pair, own in known.items()}, span, options.simultaneity, finished,
                         others, iterations=clock.boxes, seconds=clock.seconds, bodies=tuple(bodies), ignored=ignored,
                         notes=notes if finished else (*notes, clock.reason()))


def _near(bodies: Sequence[Any], span: Window, ignored: Pairs) -> dict[Pair, Window]:
    """The pairs that come near each other, each with a window of time outside of which it is proved apart."""
    if course_of(bodies, span) is not None:
        return {pair: span for pair in itertools.combinations(range(len(bodies)), 2) if pair not in ignored}
    scene = Scene(bodies, (sp.Rational(span[0]), sp.Rational(span[1])), span, (), ignored=ignored, shift=Shift.CUBE)
    found: dict[Pair, Window] = {}
    for m in scene.near:
        lo, hi = found.get(m.label, m.window)
        found[m.label] = max(span[0], min(lo, m.window[0])), min(span[1], max(hi, m.window[1]))
    return found


def _tell(known: Mapping[Pair, Spells], bodies: Mapping[Pair, Sequence[Any]], span: Window) -> None:
    """Pairs of bodies of flat faces without gaps are told exactly, where they move in an exact form."""
    for pair, own in known.items():
        flat = None if any(gap_of(body) > 0.0 for body in bodies[pair]) else FlatMotion.of(*bodies[pair])
        exact = None if flat is None else times(flat, span)
        if exact is not None:
            own.told(*exact)


def _looked(known: dict[Pair, Spells], clock: Clock) -> bool:
    """Looks at all pairs, in turn, until nothing is left to look at; False if the budget is spent before."""
    waiting = deque(known.values())
    while waiting:
        if clock.exceeded():
            return False
        spells = waiting.popleft()
        spells.look(clock)
        if not spells.done:
            waiting.append(spells)
    return not clock.ended
