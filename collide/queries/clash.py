"""`clash`: the relation of each pair of bodies in a time span, in the words of CAD: none, touch, interfere, one inside the other.

`contacts_during` says when surfaces meet and when not; between two such moments the relation does not change but by a touch that turns into
an interference, so one moment of each spell is looked at.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.interval import Interval
from codegen.walk import nesting_in_words

from ..answers.clashes import Clashes, ClashKind, ClashSpell, TouchRegion
from ..answers.contact_times import ContactTimes, Spell, Stretch
from ..answers.contacts import Status
from ..bodies.numbers import NONE
from ..bodies.parts import has_inside
from ..bodies.surface_points import extent
from ..moment.inside import inside
from ..moment.start import Start
from ..polyhedra.exact.real_roots import Root
from ..polyhedra.flat.contact_region import MovingTouch
from ..polyhedra.flat.relative_motion import FlatMotion
from ..polyhedra.location.index import Kind
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..timeline.scene import Scene
from .classify import classify
from .contacts_during import contacts_during
from .distance import distance

_TOLERANCE = 1e-9
# Against the size of the smaller body: samples of a region of contact lie so far apart at most and are neighbours; a region as small is a
# point; and how much wider than long the neighbourhood of a sample is on a face.
_NEIGHBOURS, _POINT, _WIDE = 0.25, 2.0**-6, 0.4


@nesting_in_words
def clash(bodies: Sequence[Any], time: tuple[Any, Any], *, tolerance: float = 1e-6, ignore: Iterable[Any] = (),
          budget: Budget | float | None = None, progress: bool = False) -> Clashes:
    """Tell of each pair of bodies whether and when it is clear, touches, interferes, or one is inside the other.

    Parameters
    ----------
    bodies, time, ignore
        As in `first_contact`.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the moments at which relations begin and end, as in `contacts_during`.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds. After a spent budget, or Ctrl-C, the rest is UNDECIDED.
    progress : bool, optional
        Show a bar.

    Returns
    -------
    Clashes
        For each pair, spells: NONE, TOUCH (with a region: point, curve or face), INTERFERE, FIRST_INSIDE, SECOND_INSIDE, or UNDECIDED.

    Raises
    ------
    TypeError, ValueError
        As `contacts_during`.

    Notes
    -----
    NONE and one inside the other are *proved* for the whole spell: surfaces are proved apart, and the relation at one of its moments is
    proved. INTERFERE is *proved* at a moment of a spell in which the surfaces are proved to meet throughout. Where `contacts_during` does
    not decide whether surfaces meet, the relation is that at one moment, `begin` and `end` reach to it, and it is not `proved`. A TOUCH
    for an instant between two spells that are NONE is *proved* up to the tolerance: contact exists within its bracket. A TOUCH that lasts
    is no theorem: surfaces meet, or are so near that rounding does not tell (`gap` is a proved bracket of their distance), and no point
    is found that is inside both bodies. The region is exact for bodies of flat faces with rational corners, else *approximated* from
    nearest points.

    The words are those of Parasolid's clash query (none, abut, interfere, a in b, b in a), over time.

    Examples
    --------
    >>> import collide
    >>> from generative import Rigid, solids, t
    >>> table = solids.box((4, 4, 1))
    >>> brick = solids.box((1, 1, 1)).moved(Rigid(translation=[t, 0, 1]))
    >>> answer = collide.clash([table, brick], (0, 4))
    >>> [(answer.words(s), s.begin.lo, s.end.hi) for s in answer.spells]
    [('touch (face)', 0.0, 2.5), ('clear', 2.5, 4.0)]
    """
    limits = as_budget(budget)
    clock = Clock(limits, progress)
    times = contacts_during(bodies, time, tolerance=tolerance, ignore=ignore, budget=limits, progress=progress)
    spells: list[ClashSpell] = []
    with clock.query():
        for i in range(len(bodies)):
            for j in range(i + 1, len(bodies)):
                if (i, j) not in times.ignored:
                    spells += _spells(times, (i, j), clock)
    notes = times.notes if times.status is not Status.BUDGET_SPENT and not clock.ended else (*times.notes, clock.reason())
    return Clashes(_status(spells, times), tuple(spells), times.iterations + clock.boxes, clock.seconds, tuple(bodies), times.time_span,
                   times.ignored, tuple(n for n in notes if n))


def _status(spells: Sequence[ClashSpell], times: ContactTimes) -> Status:
    kinds = {s.kind for s in spells}
    if kinds <= {ClashKind.NONE}:
        return Status.NO_CONTACT
    if kinds <= {ClashKind.NONE, ClashKind.UNDECIDED}:
        return Status.BUDGET_SPENT if times.status is Status.BUDGET_SPENT else Status.UNRESOLVED
    return Status.CONTACT


def _spells(times: ContactTimes, pair: tuple[int, int], clock: Clock) -> list[ClashSpell]:
    found: list[ClashSpell] = []
    bodies = times.bodies[pair[0]], times.bodies[pair[1]]
    for s in times.of(*pair):
        kind, region, gap = _relation(bodies, s, clock)
        begin, end = (Interval(*map(float, e)) for e in (s.begin, s.end))
        decided = kind not in (ClashKind.TOUCH, ClashKind.UNDECIDED)
        proved = decided and s.kind is not Spell.UNDECIDED
        if decided and not proved:
            # The relation is that at one moment; before and after it, it begins and ends somewhere.
            begin, end = Interval(begin.lo, _moment(s)), Interval(_moment(s), end.hi)
        if found and kind is found[-1].kind is ClashKind.INTERFERE:
            # Surfaces may touch once more for an instant while the bodies interfere.
            last = found.pop()
            begin, proved = last.begin, proved and last.proved
        found.append(ClashSpell(pair, kind, begin, end, proved, region, gap))
    met = {s.begin for s in times.of(*pair) if s.kind is Spell.CONTACT}
    for k in range(1, len(found) - 1):
        instant = found[k].kind is ClashKind.TOUCH and found[k].end.lo <= found[k].begin.hi
        if instant and {found[k - 1].kind, found[k + 1].kind} == {ClashKind.NONE} and found[k].begin in met:
            gap = found[k].gap
            found[k] = found[k]._replace(proved=True, gap=None if gap is None else Interval(0.0, gap.hi))
    return found


def _relation(bodies: tuple[Any, Any], s: Stretch, clock: Clock) -> tuple[ClashKind, TouchRegion | None, Interval | None]:
    """At a moment of a spell."""
    instant, moment = s.end.lo <= s.begin.hi, _moment(s)
    if clock.exceeded():
        return ClashKind.UNDECIDED, None, None
    if s.kind is Spell.SEPARATION:
        return _nested(bodies, moment, clock), None, None
    # For an instant surfaces touch, or all but touch.
    state, apart = (Start.TOUCHING, False) if instant else _state(bodies, moment, clock)
    if apart:
        return _nested(bodies, moment, clock), None, None
    if state is Start.OVERLAPPING:
        return ClashKind.INTERFERE, None, None
    if state is not Start.TOUCHING:
        return ClashKind.UNDECIDED, None, None
    if _common_interior(bodies, moment, clock):
        return ClashKind.INTERFERE, None, None
    return ClashKind.TOUCH, *_touching(bodies, moment, clock)


def _moment(s: Stretch) -> float:
    """In the middle of a spell."""
    return float(0.5 * (s.begin.lo + s.end.hi) if s.end.lo <= s.begin.hi else 0.5 * (s.begin.hi + s.end.lo))


def _state(bodies: tuple[Any, Any], moment: float, clock: Clock) -> tuple[Start, bool]:
    """The state of two bodies at a moment, and whether their surfaces are proved apart though one body is in the other."""
    after = float(np.nextafter(moment, np.inf))
    scene = Scene(bodies, (sp.Rational(moment), sp.Rational(after)), (moment, after), ())
    scene.look(_TOLERANCE, clock)
    return scene.states[0, 1], (0, 1) in scene.nested


def _nested(bodies: tuple[Any, Any], moment: float, clock: Clock) -> ClashKind:
    """The relation of bodies whose surfaces do not meet."""
    first, second = bodies
    boxes = [extent(b, moment) for b in bodies]
    if ((boxes[0][:, 0] > boxes[1][:, 1]) | (boxes[1][:, 0] > boxes[0][:, 1])).any():
        return ClashKind.NONE

    inner = inside(first, second, moment, clock, (NONE, NONE)), inside(second, first, moment, clock, (NONE, NONE))
    if inner[0]:
        return ClashKind.FIRST_INSIDE
    if inner[1]:
        return ClashKind.SECOND_INSIDE
    return ClashKind.UNDECIDED if None in inner else ClashKind.NONE


def _common_interior(bodies: tuple[Any, Any], moment: float, clock: Clock) -> bool:
    """Whether one of some points is *proved* to be inside both bodies."""
    if not all(map(has_inside, bodies)) or clock.exceeded():
        return False
    boxes = [extent(b, moment) for b in bodies]
    both = np.stack([np.maximum(boxes[0][:, 0], boxes[1][:, 0]), np.minimum(boxes[0][:, 1], boxes[1][:, 1])], axis=1)
    points = np.array([box.mean(axis=1) for box in (both, *boxes)])
    kinds = [classify(body, points, moment, budget=clock.rest) for body in bodies]
    return bool(((kinds[0] == Kind.IN) & (kinds[1] == Kind.IN)).any())


def _touching(bodies: tuple[Any, Any], moment: float, clock: Clock) -> tuple[TouchRegion | None, Interval | None]:
    """The region of contact, and the bracket of the distance there."""
    flat = _flat_points(bodies, moment)
    if flat:
        return max((_rank(p) for p in flat), key=[*TouchRegion].index), Interval(0.0, 0.0)
    if clock.exceeded():
        return None, None
    near = distance(*bodies, at=moment, budget=clock.rest)
    size = min(float(np.ptp(extent(b, moment), axis=1).max()) for b in bodies)
    return _region(near.points.mean(axis=1), size), near.bracket


def _flat_points(bodies: tuple[Any, Any], moment: float) -> list[np.ndarray]:
    """Corners of the regions that bodies of flat faces have in common, exactly those; none where that is not known."""
    known = FlatMotion.of(*bodies)
    window = None if known is None else known.relative.window(moment, float(np.nextafter(moment, np.inf)))
    if known is None or window is None or not window.sharp:
        return []
    touch = MovingTouch(known.flats, known.scale, window, Root((0, 1), 0, 0, 0))
    return [np.array([touch.position(p) for p in r.places]) for r in touch.regions]


def _rank(corners: np.ndarray) -> TouchRegion:
    """The dimension of the hull of places, of which three on a line are seen to be on one in doubles."""
    sizes = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    return [*TouchRegion][min(2, int((sizes > 1e-9 * max(sizes.max(), np.abs(corners).max())).sum()))]


def _region(points: np.ndarray, size: float) -> TouchRegion | None:
    """The kind of region that samples fill, by their neighbourhoods."""
    if not len(points):
        return None
    if np.ptp(points, axis=0).max() <= _POINT * size:
        return TouchRegion.POINT
    votes = []
    for p in points:
        near = points[np.abs(points - p).max(axis=1) <= _NEIGHBOURS * size] - p
        sizes = np.linalg.svd(near - near.mean(axis=0), compute_uv=False) if len(near) > 2 else np.zeros(2)
        votes.append(0 if len(near) < 2 else 2 if sizes[1] > _WIDE * sizes[0] else 1)
    return [*TouchRegion][int(np.median(votes))]
