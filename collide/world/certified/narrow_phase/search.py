"""First meeting of two bodies of any shape, by a search and by a system of equations with all digits.

The search is that of `first_contact`, with intervals that hold the numbers of the flights. The system of equations is over balls.

What the search excludes is excluded for all numbers in the intervals, and so for the flights that there are, whose numbers are among them.
Zeros that it does not exclude are in boxes that it lists, or in boxes that it left. If before some time there is but one such box, and in
that just one zero, then that is the only contact before that time. It may be one of faces, edges or corners: all of their situations are
searched.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.from_sympy import convert
from codegen.graph.expr import Expr, ExprPool

from ....bodies.cells import whole_of
from ....culling.broad_phase import Window
from ....moment.start import Start
from ....search.clock import Clock
from ....search.native.layout import UNIQUE
from ....search.options import Options, resolved
from ....situations.contact import situation
from ....timeline.along import searched
from ....timeline.evidence import Evidence, SceneQuery
from ....timeline.scene import Scene
from ...motion.templates import ONE, OTHER
from ...narrow_phase.search import SIMULTANEITY, SPACING, TOLERANCE, surfaces_apart
from ...reason import Undecided
from ..arithmetic.enclosures import above, below
from ..arithmetic.krawczyk import SituationSystem
from ..motion.body import QueriedBody

# Where a contact is not found to be alone, spans end this part of the time before it after it.
_SHORTER = 0.25, 2.0**-6, 2.0**-12

@dataclass(frozen=True, eq=False)
class CertifiedContact:
    """The only contact of two bodies before the time `alone`: its `time`, `point` (3,) and a `normal` (3,) from the first body to the
    second; `closing`: the speed, in lengths of that, at which they come together.
    """

    time: Any
    point: np.ndarray
    normal: np.ndarray
    closing: Any
    alone: float


@dataclass(frozen=True)
class Answer:
    """Two bodies do not meet before the time `clear`. Then comes `contact`, if there is one; if not, `open` tells whether they may meet,
    and `by` when they do at the latest, where that is known.
    """

    clear: float
    contact: CertifiedContact | None = None
    open: bool = False
    by: float | None = None


def first_meeting(first: QueriedBody, second: QueriedBody, span: Window, size: float, clock: Clock) -> Answer:
    """The first contact in a span of two bodies that are apart as it begins. Raises Undecided, without a word, if the budget is spent.

    Where a contact is found, but not that it is alone, shorter spans are searched, that end soon after it.
    """
    found = _met(first, second, span, size, clock)
    for part in _SHORTER:
        if found.contact is not None or found.by is None:
            break
        again = _met(first, second, (span[0], min(found.by + part * (found.by - span[0]), span[1])), size, clock)
        found = again if again.contact is not None else found
    return found


def _met(first: QueriedBody, second: QueriedBody, span: Window, size: float, clock: Clock) -> Answer:
    one, other = first.moving, second.moving
    scene = Scene([one.body, other.body], span, span, (), numbers=[one.numbers, other.numbers],
                  carried=[one.carried[ONE], other.carried[OTHER]])
    scene.states.usual = Start.DISJOINT
    options = Options(simultaneity=resolved(SIMULTANEITY, span), spacing=SPACING * size, tolerance=TOLERANCE)
    *_, found = [Evidence(None, False, span[0]), *searched(SceneQuery(scene, options, clock))]
    if not found.finished:
        raise Undecided
    search, clear = found.search, found.clear_until(span[1])
    if search is None or not (found.located or found.proved < np.inf):
        return Answer(clear, None, clear < span[1])
    numbers = search.possible_ones()
    if not len(numbers):
        return Answer(clear, None, clear < span[1])
    begins = search.times(numbers)[:, 0]
    first_one = int(numbers[begins.argmin()])
    alone = min([found.seen, search.least_left(span[1]), search.proved + search.simultaneity, *begins[numbers != first_one].tolist()])
    owner = search.owner(first_one)
    by = float(search.proved) if search.proved < np.inf else None
    if search.kind(first_one) != UNIQUE or len(found.meetings) != len(search.problems) or not clear < span[1]:
        return Answer(clear, None, True, by)
    contact = _contact(scene, found.meetings[owner], search.problems[owner], search.found(first_one), (first, second), alone)
    return Answer(clear, contact, True, by)


def apart(first: QueriedBody, second: QueriedBody, moment: float, clock: Clock) -> bool:
    """Whether the surfaces of two bodies are proved not to meet at a moment."""
    return surfaces_apart(first.moving, second.moving, moment, clock)


def _contact(scene: Scene, meeting: Any, problem: Any, box: np.ndarray, bodies: tuple[QueriedBody, QueriedBody],
             alone: float) -> CertifiedContact | None:
    """The contact that a search found, with all digits; None if that is not proved once more, or if other contacts may come as soon."""
    # Those that were searched may be measured, with numbers of their own; their points are the same.
    cells = meeting.first, meeting.second
    if any(cell.mover is not None or cell.own.symbols for cell in cells):
        return None
    exact = situation(whole_of(cells[0]), whole_of(cells[1]), literal=True, **scene.named(meeting.label, cells))
    directions = exact.directions() if exact.directions is not None else None
    # The directions may have parameters of their own, after those of the equations.
    late = None if directions is None else _late(exact.late, len(directions[1]), bodies)
    if exact.variables != problem.variables or directions is None or late is None:
        return None
    system = SituationSystem(exact, lambda time: [*bodies[0].numbers(time), *bodies[1].numbers(time)], late)
    zero = system.zero(box)
    if zero is None or not above(zero[-1]) < alone:
        return None
    time, values = zero[-1], [y for y, _ in system.at(zero, [*exact.image[:3], *directions[0].outputs[:3]])]
    point, normal = np.array(values[:3], object), np.array(values[3:], object)
    speed = normal @ (bodies[0].velocity(point, time) - bodies[1].velocity(point, time))
    # Bodies that come from apart close along the direction that separates them, whichever way their normals are declared.
    normal, speed = (-normal, -speed) if speed < 0 else (normal, speed)
    return CertifiedContact(time, point, normal, speed, alone) if normal @ normal > 0 else None


def _late(late: Sequence[tuple[int, int, Any]], count: int, bodies: tuple[QueriedBody, QueriedBody]) -> list[Expr] | None:
    """Parameters that are formulas of the numbers of the bodies, such as the ends of an edge of a box, on a graph; None if these and the
    numbers are not all of the `count` parameters.
    """
    pool, (one, other) = ExprPool(), [b.moving.numbers.symbols for b in bodies]
    known = [{s: pool.parameter(first + k) for k, s in enumerate(own)} for first, own in ((0, one), (len(one), other))]
    if count != len(one) + len(other) + len(late):
        return None
    return [convert([e], known[side - 1], pool)[0] for _, side, e in late]


def parted(first: QueriedBody, second: QueriedBody, touch: Any, after: float, size: float, clock: Clock) -> bool:
    """Whether two bodies that touch at a time, at one place, where smooth faces do, are proved apart from then on, up to the time `after`.

    Both are given in the time -t. If they are apart at `after`, and the first contact before it, as the time runs back, is the only zero
    of the equations of contact down to beyond the `touch`, then it is that: since the touch is such a zero, too.
    """
    begin, end = -after, -below(touch) + (after - below(touch))
    if not (end < min(first.until, second.until) and apart(first, second, begin, clock)):
        return False
    found = first_meeting(first, second, (begin, end), size, clock).contact
    return found is not None and above(-touch) < found.alone

