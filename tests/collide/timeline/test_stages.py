"""Contacts just at the end of the time span: proved by how the motions go on, where they do. The length of stages is `pace`'s."""

import numpy as np
import pytest
import sympy as sp

from collide import Budget, Start, Status, first_contact
from collide.bodies.numbers import NONE
from collide.search.clock import Clock
from collide.search.options import Options
from collide.timeline.evidence import SceneQuery
from collide.timeline.jumps import free_of_jumps
from collide.timeline.scene import Scene
from collide.timeline.stages import beyond, searches
from generative import Rigid, t
from models.shapes.patches import plane_patch
from tests.collide.contact_scenes import TILT, TURNED, Q, ball, box, cylinder, move, sphere

PLATE = plane_patch(width=4, depth=4)
SPIN = Rigid(rotation=TILT.rotation) @ Rigid(rotation=[[sp.cos(t), -sp.sin(t), 0], [sp.sin(t), sp.cos(t), 0], [0, 0, 1]])
END = Q(3, 8)


def landing(upper, lower, height, end, frame=TILT, boxes=400_000, aside=Q(1, 9)):
    """Both in a tilted frame; the upper one is at (`aside`, 1/13, height)."""
    return first_contact([upper.moved(move(aside, Q(1, 13), height)).moved(frame), lower.moved(frame)], (0, end), spacing=0.2,
                         budget=Budget(seconds=None, boxes=boxes))


@pytest.mark.parametrize("frame", [TILT, SPIN], ids=["tilted", "turning"])
@pytest.mark.parametrize("upper, lower, above", [(ball(), PLATE, 1), (sphere(), PLATE, 1), (cylinder(Q(1, 2), 1), PLATE, 0),
                                                 (box(1, 1, 1), box(3, 3, 1), 1)], ids=["ball", "implicit", "cylinder", "box"])
def test_a_contact_just_at_the_end_is_proved(upper, lower, above, frame):
    c = landing(upper, lower, above + END - t, END, frame)
    assert c.status is Status.CONTACT and c.existence.any() and c.start[0, 1] is Start.DISJOINT
    assert Q(c.time.lo) <= END <= Q(c.time.hi) and c.time.hi - c.time.lo < 2e-6 and Q(c.clear_until) <= END
    assert c.time.hi <= float(END) or "ends" in c.summary()


@pytest.mark.parametrize("late", [Q(1, 10**7), Q(1, 10**9), Q(1, 10**12)])
def test_what_meets_a_little_after_the_end_does_not_count(late):
    for upper, above in ((ball(), 1), (cylinder(Q(1, 2), 1), 0)):
        c = landing(upper, PLATE, above + END + late - t, END)
        assert c.status is Status.NO_CONTACT and c.clear_until == float(END)


OPTIONS = Options(simultaneity=1e-6, spacing=0.2)


def coming_down(late):
    """A ball that reaches a plate so much after the end, and a search that begins with it apart; and what is known at the end."""
    clock = Clock(Budget(seconds=None, boxes=100_000))
    scene = Scene([ball().moved(move(Q(1, 9), Q(1, 13), 1 + END + late - t)).moved(TILT), PLATE.moved(TILT)], (0, END), (0.0, 0.375), ())
    scene.start(1e-9, clock)
    query = SceneQuery(scene, OPTIONS, clock)
    *_, found = searches(query)
    return query, found


def test_a_search_beyond_the_end_says_whether_what_is_located_there_comes_after_it():
    """What was located at the end is a contact just then, or one that is proved to come later, or not decided."""
    _, found = coming_down(0)
    assert found.located and not found.proved < np.inf
    decided = {late: beyond(query, found)
               for late in (0, Q(1, 10**7), Q(9, 10**7), Q(3, 10**6)) for query, _ in [coming_down(late)]}
    assert decided[0].search is not None and Q(decided[0].proved) >= END
    for late in (Q(1, 10**7), Q(9, 10**7)):
        assert decided[late][:3] == (None, True, float(END))  # no contact, up to the end
    assert decided[Q(3, 10**6)] is None


@pytest.mark.parametrize("height", [1 + sp.Abs(t - END), 1 + sp.Max(END - t, 0) - sp.Heaviside(t - END - Q(1, 10**7)),
                                    1 + END - t + sp.Heaviside(t - END - Q(1, 10**7))], ids=["turned back", "jumps down", "jumps up"])
def test_other_formulas_after_the_end_prove_nothing(height):
    c = landing(ball(), PLATE, height, END, aside=sp.sqrt(2) / 13)
    assert c.status is Status.UNRESOLVED and Q(c.clear_until) <= END and c.time.hi <= float(END)


def test_a_point_of_simple_numbers_proves_a_touch_at_the_end():
    c = landing(ball(), PLATE, 1 + sp.Abs(t - END), END)
    assert c.status is Status.CONTACT and Q(c.clear_until) <= END == Q(c.time.hi)


def test_formulas_that_are_not_defined_after_the_end_prove_nothing():
    upper = ball().moved(move(0, 0, 2 + sp.sqrt(END - t))).moved(TILT)
    c = first_contact([upper, ball().moved(TURNED)], (0, END), budget=Budget(seconds=None, boxes=50_000))
    assert c.status is not Status.NO_CONTACT and Q(c.clear_until) <= END


def test_jumps_too_dense_to_be_told_apart_are_seen():
    dense = ball().moved(move(0, 0, sp.floor(10**15 * t)))
    assert free_of_jumps([ball(), ball().moved(move(0, 0, sp.floor(t)))], [NONE, NONE], (0.25, 0.75))
    assert not free_of_jumps([ball(), dense], [NONE, NONE], (0.25, 0.75))
