"""First meeting of two bodies in flight, one pair at a time, with the inner stages of `first_contact`.

Its statements hold here: for bodies that start apart nothing meets before the time of the answer; for bodies that touch as they start, and
part, there is no new incoming contact before it (Snyder 1993, Section 2).
"""

import numpy as np

from ...answers.contacts import Contacts
from ...answers.report import contacts
from ...bodies.extent import extent_of
from ...culling.broad_phase import Window
from ...moment.region import Region
from ...moment.start import Start, surfaces_at
from ...search.clock import Clock
from ...search.options import Options, resolved
from ...timeline.along import searched
from ...timeline.evidence import Evidence, SceneQuery
from ...timeline.near_triangles import faces_at
from ...timeline.scene import Scene
from ..motion.templates import ONE, OTHER, QueryBody

# As in `first_contact`; points of curves and patches are this part of the smaller body apart.
SIMULTANEITY, SPACING, TOLERANCE = 1e-9, 0.25, 1e-9


def meet(first: QueryBody, second: QueryBody, span: Window, start: Start | None, size: float, clock: Clock,
         region: Region | None = None) -> Contacts:
    """The earliest contact of two bodies in a span. `start`: what is known of them as it begins; None: nothing. `size`: of the smaller.
    `region`: where alone they may meet, if that is known.
    """
    options = Options(simultaneity=resolved(SIMULTANEITY, span), spacing=SPACING * size, tolerance=TOLERANCE)
    carried = [first.carried[ONE], second.carried[OTHER]]
    scene = Scene([first.body, second.body], span, span, (), numbers=[first.numbers, second.numbers], carried=carried)
    found = Evidence(None, False, span[0])
    if start is None:
        scene.start(options.tolerance, clock)
        scene.extend_back(options.simultaneity, options.tolerance, clock)
    elif start is Start.DISJOINT:
        scene.states.usual = Start.DISJOINT
    else:
        scene.states.usual = Start.DISJOINT
        scene.states.others[(0, 1)] = start
    for known in searched(SceneQuery(scene, options, clock, region)):
        found = known
    return contacts(found.search, found.finished, carried, span, scene.states, clock, found.seen, (), scene.undecided)


def surfaces_apart(first: QueryBody, second: QueryBody, moment: float, clock: Clock, tolerance: float = TOLERANCE,
                   region: Region | None = None) -> bool:
    """Whether it is proved that the surfaces of two bodies do not meet at a moment. `region`: where alone they may."""
    return _surfaces(first, second, moment, clock, tolerance, region) is Start.DISJOINT


def surfaces_cross(first: QueryBody, second: QueryBody, moment: float, clock: Clock) -> bool:
    """Whether it is proved that the surfaces of two bodies cross at a moment."""
    return _surfaces(first, second, moment, clock, TOLERANCE) is Start.OVERLAPPING


def _surfaces(first: QueryBody, second: QueryBody, moment: float, clock: Clock, tolerance: float, region: Region | None = None) -> Start:
    sides = first, second
    close = faces_at([m.body for m in sides], lambda side, part: extent_of(part, sides[side].numbers), moment)
    return surfaces_at(first.body, second.body, moment, tolerance, clock, close, (first.numbers, second.numbers), region=region).state


def state_at(first: QueryBody, second: QueryBody, moment: float, clock: Clock) -> Start:
    """The state of two bodies at a moment: they are apart, touch, or overlap."""
    span = moment, float(np.nextafter(moment, np.inf))
    scene = Scene([first.body, second.body], span, span, (), numbers=[first.numbers, second.numbers],
                  carried=[first.carried[ONE], second.carried[OTHER]])
    return scene.start(TOLERANCE, clock)[(0, 1)]
