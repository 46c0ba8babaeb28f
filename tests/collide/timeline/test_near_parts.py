"""Meetings of bodies of many leaves: as far in time as they are asked for, and none is left out."""

import math

import sympy as sp

from collide.culling.broad_phase import windows
from collide.situations import presence
from collide.timeline.scene import Scene
from generative import Rigid, axis_angle, t
from tests.collide.contact_scenes import Q, sphere
from tests.collide.situations.test_occupancy import wheel

SPAN = (0.0, 1.0)


def scene():
    ball = sphere(Q(3, 20)).moved(Rigid(translation=[Q(6, 10) * sp.sqrt(2) / 2, Q(6, 10) * sp.sqrt(2) / 2, 1 - t]))
    return Scene([ball, wheel().moved(Rigid(rotation=axis_angle([0, 0, 1], t)))], (sp.S.Zero, sp.S.One), SPAN, ())


def test_no_meeting_is_left_out():
    """All parts are looked at closely, all at once, in the other way. Both windows hold all times of contact, so they overlap."""
    own = scene()
    found = {(m.first.feature, m.second.feature): m.window for m in own.meetings()}
    parts = [(k, part) for k in (0, 1) for part in own.parts(k)
             if not part.leaves or presence.where(part, own.numbers[k], SPAN) is not None]
    met = windows([own.extent(*part) for part in parts], [k for k, _ in parts], SPAN)
    assert len(found) > 5
    for (a, b), (lo, hi) in met.items():
        window = found.get((parts[a][1].feature, parts[b][1].feature))
        # It may be proved apart where the other way does not see it, in a short window.
        assert (window is not None and window[0] <= hi and lo <= window[1]) or hi - lo < 0.1


def test_meetings_are_found_as_far_in_time_as_they_are_asked_for():
    whole = {m.features: m.window for m in scene().meetings(math.inf)}
    for until in (0.1, 0.4, 0.6):
        some = scene()
        assert {m.features: m.window for m in some.meetings(until)} == {k: w for k, w in whole.items() if w[0] <= until}
    assert not scene().meetings(0.1) and len(whole) > 5
