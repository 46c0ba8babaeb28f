"""The order of work of `first_contact`: faces before edges, earlier pairs before later ones, and what ends it early."""

import itertools
import re
import time

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from collide.search.native import layout
from collide.timeline import examine, stages
from collide.timeline import stalls as standing
from collide.timeline.features import _faces_at, explained
from collide.timeline.scene import Scene
from collide.timeline.situated import Meeting
from generative import ParametricSurface, Rigid, Screw, axis_angle, t, u, v
from models.shapes.machine import frustum
from models.shapes.patches import plane_patch
from models.shapes.quadrics import sphere
from models.shapes.rings import torus
from models.shapes.solids import box

Q = sp.Rational


def falling(places, heights):
    """Balls of radius 1/2 falling at unit speed on a patch; the one at height h touches it at the time h - 1/2."""
    ball = sphere(radius=Q(1, 2)).moved(Rigid(rotation=axis_angle([1, 0, 0], 1)))
    balls = [ball.moved(Rigid(translation=[a, b, h - t])) for (a, b), h in zip(places, heights, strict=True)]
    return [*balls, plane_patch(width=20, depth=20).moved(Rigid(translation=[Q(1, 3), Q(1, 7), 0]))]


PLACES = [(2 * k - 5, Q(k, 3)) for k in range(6)]


@pytest.mark.parametrize(("apart", "simultaneity", "expected"), [(Q(4, 10**7), 1e-6, 3), (Q(4, 10**7), 1e-7, 1), (Q(1, 10**11), 1e-9, 6)])
def test_pairs_that_meet_almost_at_once(apart, simultaneity, expected):
    bodies = falling(PLACES, [Q(3, 2) + k * apart for k in (3, 0, 5, 1, 4, 2)])
    c = collide.first_contact(bodies, (0, 3), simultaneity=simultaneity)
    order = {0: 1, 1: 3, 2: 5, 3: 0, 4: 4, 5: 2}
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo <= 1 <= c.time.hi and c.clear_until <= 1
    assert sorted(c.pairs.tolist()) == sorted([order[k], 6] for k in range(expected))


def test_what_is_simultaneous_may_come_in_a_later_stage(monkeypatch):
    """Contacts at 1, 1.1, 1.2, .. with stages that end where the next pair may meet: those up to a quarter after the first one."""
    monkeypatch.setattr(stages, "_BATCH", 1)
    bodies = falling(PLACES, [Q(3, 2) + Q(k, 10) for k in (3, 0, 5, 1, 4, 2)])
    c = collide.first_contact(bodies, (0, 3), simultaneity=0.25)
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo <= 1 <= c.time.hi
    assert sorted(c.pairs.tolist()) == [[1, 6], [3, 6], [5, 6]]


def spiral(sense):
    """A ball of radius 1/2 on a narrowing spiral that rises and falls, 32 turns in 200; `sense`: the side at which it begins."""
    r = (3 - t / 100) * sense
    return sphere(radius=Q(1, 2)).moved(Rigid(translation=[r * sp.cos(t), r * sp.sin(t), sp.cos(t) / 2]))


@pytest.mark.parametrize("count", [1, 2])
def test_many_turns_in_one_span(count):
    """A unit ball, and one ball or two on spirals round it: the distance of the centres is 3/2 first after 24 turns."""
    turned = Rigid(rotation=axis_angle([1, 2, 3], 1))
    bodies = [b.moved(turned) for b in (sphere(), *map(spiral, (1, -1)[:count]))]
    c = collide.first_contact(bodies, (0, 200), budget=collide.Budget(boxes=500_000 * count))
    with mpmath.workdps(40):
        gap = lambda s: (3 - s / 100)**2 + mpmath.cos(s)**2 / 4 - mpmath.mpf(9) / 4  # noqa: E731
        # Before t = 150 the first term alone is above 9/4.
        assert all(gap(mpmath.mpf(k) / 100) > 0 for k in range(15000, 15187))
        meet = mpmath.findroot(gap, (151.87, 151.88), solver="anderson")
        assert c.status is Status.CONTACT and c.clear_until <= c.time.lo <= meet <= c.time.hi
    assert c.proved.all() and sorted(c.pairs.tolist()) == [[0, k + 1] for k in range(count)]


def test_many_turns_past_each_other():
    """A box turns in a span of 1000 before a ball, which keeps away from its corners by more than a third: proved apart throughout."""
    blade = box(sizes=(2, 1, 1)).moved(Screw(axis=[0, 1, 3], angle=t))
    ball = sphere(radius=Q(1, 2)).moved(Rigid(translation=[2, 0, 0]))
    c = collide.first_contact([blade, ball], (0, 1000), budget=collide.Budget(boxes=500_000))
    assert c.status is Status.NO_CONTACT and c.clear_until == 1000


def test_later_pairs_are_not_compiled(monkeypatch):
    """Ten balls fall one after the other: of the situations of ball and patch few are asked for."""
    built = set()
    whole = Scene.problem

    def problem(self, m, span):
        built.add(m.label)
        return whole(self, m, span)

    monkeypatch.setattr(Scene, "problem", problem)
    bodies = falling([(k - 5, k - 4) for k in range(0, 10)], [2 + Q(k, 2) for k in range(10)])
    c = collide.first_contact(bodies, (0, 10))
    assert c.status is Status.CONTACT and c.time.lo <= 1.5 <= c.time.hi and c.pairs.tolist() == [[0, 10]]
    assert len({label for label in built if 10 in label}) <= 6


def halves(boxes, j):
    """Boxes (n, variables, 2) cut in the middle of variable j."""
    middle = boxes[:, j].mean(axis=1)
    first, second = boxes.copy(), boxes.copy()
    first[:, j, 1] = second[:, j, 0] = middle
    return np.concatenate([first, second])


def test_what_is_open_when_the_time_is_known_is_searched_on(monkeypatch):
    """A patch comes down with six lowest points, four in its face and two on a side. When the search of the face knows the time, what is
    left, here in many small boxes, is searched with the side.
    """
    left, hit = [], stages.hit

    def cut(query, found):
        s = found.search
        for k in range(len(found.meetings)):
            boxes = s.open(k)
            for j in (0, 1, 0, 1, 0, 1):
                boxes = halves(boxes, j)
            s.arrays.table(layout.ProblemRow)["root"][k], s.open_count = -1, 0
            s.push(k, boxes)
            left.append(len(s.open(k)))
        return hit(query, found)

    monkeypatch.setattr(stages, "hit", cut)
    along = (v + Q(1, 2))**2 * (v - Q(3, 10))**2
    body = ParametricSurface([u, v, (u + Q(1, 2))**2 * (u - Q(1, 4))**2 * (1 - u) + along], {u: (-1, 1), v: (-1, 1)})
    floor = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
    c = collide.first_contact([body.moved(Rigid(translation=[0, 0, 1 - t])), floor], (0, 3))
    assert len(left) == 1 and left[0] >= 64
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo <= 1 <= c.time.hi and c.clear_until <= 1
    expected = [[a, b, 0] for a in (-0.5, 0.25, 1) for b in (-0.5, 0.3)]
    assert len(c) == 6 and np.allclose(sorted(c.points.round(6).tolist()), expected, rtol=0, atol=1e-5)


def test_stages_leave_no_time_out(monkeypatch):
    """A ball on a spiral as above; searches are left after few boxes. The next stage begins no later than anything is open or located."""
    begun, until = [], {}
    passes, timed = Scene.is_clear, stages.first_meeting

    def begins(self, window, *given):
        begun.append(window)
        return passes(self, window, *given)

    def looked(query, span, *given):
        found = timed(query, span, *given)
        if found.slow:
            s = found.search
            until[len(begun) - 1] = found.seen
            opened = [box[problem.objective, 0] for k, problem in enumerate(s.problems) for box in s.open(k)]
            assert opened and span[0] < found.seen <= min(*opened, s.clear, span[1])
        return found

    monkeypatch.setattr(standing, "_PATIENCE", 256)
    monkeypatch.setattr(standing, "_GLANCE", 256)
    monkeypatch.setattr(Scene, "is_clear", begins)
    monkeypatch.setattr(stages, "first_meeting", looked)
    c = collide.first_contact([sphere(), spiral(1)], (0, 200), budget=collide.Budget(boxes=500_000))
    assert c.status is Status.CONTACT and 151.87 < c.time.lo <= c.time.hi < 151.88
    assert len(until) > 1 and begun[0][0] == 0
    for number, ((_, end), (begin, _)) in enumerate(itertools.pairwise(begun)):
        assert begin <= until.get(number, end)


@pytest.mark.parametrize("length", [2.0**-4, 2.0**-14, 2.0**-30])
def test_a_short_stage_keeps_what_meets_in_it(length):
    """Balls that reach the patch at 1, 2, 3; looked at more closely just before 1, round it and just after it."""
    scene = Scene(falling(PLACES[:3], [Q(3, 2), Q(5, 2), Q(7, 2)]), (0, 4), (0.0, 4.0), ())
    scene.start(1e-9, collide.search.clock.Clock(collide.Budget()))
    for span in ((1 - length, 1.0), (1 - length / 2, 1 + length / 2), (1.0, 1 + length)):
        windows = [m.window for m in scene.closer(scene.meetings(), span) if m.label == (0, 3)]
        assert any(lo <= 1 <= hi for lo, hi in windows)
    assert scene.closer(scene.meetings(), (0.25 - length, 0.25)) == []


@pytest.mark.parametrize("length", [2.0**-4, 2.0**-14])
def test_a_short_span_that_was_looked_back_from_keeps_what_meets_in_it(length):
    """One ball reaches the patch as the span begins, and is searched from a little before; another one in the middle of it."""
    moment = Q(length) / 2
    scene = Scene(falling(PLACES[:2], [Q(1, 2), Q(1, 2) + moment]), (0, Q(length)), (0.0, length), ())
    clock = collide.search.clock.Clock(collide.Budget())
    scene.start(1e-9, clock)
    scene.extend_back(1e-6, 1e-9, clock)
    assert scene.early == {(0, 2)} and scene.span[0] < 0
    assert any(lo <= moment <= hi for m in scene.near if m.label == (1, 2) for lo, hi in [m.window])


def test_edges_that_stay_in_one_plane():
    """Two frusta slide towards each other on a table: their lower rims touch first, where nothing crosses."""
    turned = axis_angle([0, 0, 1], Q(1, 3))
    away = Rigid(rotation=turned, translation=[Q(12, 5) - t, Q(7, 10), 0])
    c = collide.first_contact([frustum(), frustum().moved(away)], (0, 2))
    meeting = Q(12, 5) - sp.sqrt(4 - Q(49, 100))
    assert c.time.lo <= meeting <= c.time.hi and c.status is Status.CONTACT
    assert np.allclose(c.points, [[float(Q(12, 5) - meeting) / 2, 0.35, 0.0]], atol=1e-5)
    assert c.iterations < 100_000


def test_of_parts_in_one_plane_the_side_faces_say_more():
    scene = Scene([frustum(), frustum().moved(Rigid(translation=[3 - t, 0, 0]))], (0, 2), (0.0, 2.0), ())
    scene.start(1e-9, collide.search.clock.Clock(collide.Budget()))
    parts = [{part.feature: part for part in scene.parts(k)} for k in (0, 1)]
    flat = [(a, b) for a in parts[0] for b in parts[1]
            if explained(scene, Meeting((0, 1), parts[0][a], parts[1][b], (0.0, 2.0)))]
    dimension = {"vertex": 0, "edge": 1, "face": 2}
    assert flat and all(dimension[name.split()[0]] >= 1 for pair in flat for name in pair)
    # For each of them the parts round it are looked at in other pairs.
    edges = [(a, b) for a, b in flat if a.startswith("edge") and b.startswith("edge")]
    assert edges
    for a, b in edges:
        faces = _faces_at(scene, parts[1][b], 1)
        assert any((a, f.feature) not in flat for f in faces)


# -- what ends it early ---------------------------------------------------------------------------------------------------


def test_time_lost_before_the_search_is_told_and_something_is_searched(monkeypatch):
    """A budget that compiling used up: the first search still runs for a slice, and the answer tells where the time went."""
    start, now, lost = Scene.start, time.perf_counter, []

    def slow(self, tolerance, clock):
        result = start(self, tolerance, clock)
        lost.append(100.0)
        return result

    monkeypatch.setattr(time, "perf_counter", lambda: now() + sum(lost))
    monkeypatch.setattr(Scene, "start", slow)
    # However busy the machine is.
    monkeypatch.setattr(collide.search.clock, "GRACE", 60.0)
    monkeypatch.setattr(collide.search.clock, "_SLICE", 3)
    c = collide.first_contact(falling(PLACES[:1], [4]), (0, 5), budget=50.0)
    assert c.status is Status.BUDGET_SPENT and c.iterations > 0
    assert re.search(r"limit of 50 s\. Of 1\d\d s went 1\d\d s to looking at the bodies", c.summary())
    assert c.time.lo <= 3.5 <= c.time.hi


def test_an_interrupt_while_compiling_keeps_what_is_proved(monkeypatch):
    """A ball falls through a ring, later ones on the patch: Ctrl-C comes when the second stage is compiled."""
    made = []
    search = examine.Search

    def interrupted(*args, **options):
        if made:
            raise KeyboardInterrupt
        made.append(search(*args, **options))
        return made[-1]

    ring = torus().moved(Rigid(translation=[8, 0, 3]))
    through = sphere(radius=Q(1, 4)).moved(Rigid(translation=[8, 0, Q(9, 2) - t]))
    monkeypatch.setattr(stages, "_BATCH", 1)
    monkeypatch.setattr(examine, "Search", interrupted)
    c = collide.first_contact([ring, through, *falling(PLACES, [5 + Q(k, 2) for k in range(6)])], (0, 10))
    assert c.status is Status.BUDGET_SPENT and len(c) == 0 and made[0].iterations > 0
    assert 1 < c.clear_until == c.time.lo <= 4.25 and "was interrupted" in c.summary() and "if there is one" in c.summary()


def test_an_interrupt_at_once(monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(Scene, "start", interrupted)
    c = collide.first_contact(falling(PLACES[:1], [4]), (0, 5))
    assert c.status is Status.BUDGET_SPENT and c.clear_until == 0.0 and c.time == (0.0, 5.0)


def test_an_interrupt_while_the_state_at_the_start_is_decided(monkeypatch):
    """A search ends early without raising then; no stage of the time span is begun after it."""
    start = Scene.start

    def interrupted(self, tolerance, clock):
        result = start(self, tolerance, clock)
        clock.interrupted = True
        return result

    monkeypatch.setattr(Scene, "start", interrupted)
    c = collide.first_contact(falling(PLACES[:1], [4]), (0, 5))
    assert c.status is Status.BUDGET_SPENT and c.clear_until == 0.0 and c.time == (0.0, 5.0)


@pytest.mark.parametrize("interrupt", [False, True])
def test_compiling_for_later_queries_costs_no_answer(monkeypatch, interrupt):
    """What queries use again is asked for when the answer is there; Ctrl-C then changes nothing."""
    asked = []

    def compile_repeated():
        asked.append(1)
        if interrupt:
            raise KeyboardInterrupt

    monkeypatch.setattr(collide.search.clock, "compile_repeated", compile_repeated)
    bodies = falling(PLACES[:1], [4])
    c = collide.first_contact(bodies, (0, 5), budget=30.0)
    assert c.status is Status.CONTACT and asked == [1]


def test_edges_and_vertices_are_not_converted_once_the_time_is_up(monkeypatch):
    """Two cubes in an oblique pose meet flat: as that is known the time is up, and the situations that would say what was hit are left."""
    found, prepared = [], []

    def late(*args):
        found.extend(features(*args))
        monkeypatch.setattr(collide.search.clock.Clock, "over", bool(found))
        return list(found)

    def counted(problem, method):
        if found:
            prepared.append(problem)
        prepare(problem, method)

    features, prepare = examine.features, examine.prepare
    monkeypatch.setattr(examine, "features", late)
    monkeypatch.setattr(examine, "prepare", counted)
    pose = Rigid(rotation=[1, 2, -1, 3], normalize=True)
    # A shift by a root has no exact form, so it is searched for.
    c = collide.first_contact([box().moved(Rigid(translation=[2 - t, sp.sqrt(2) / 6, Q(1, 3)])).moved(pose), box().moved(pose)], (0, 2))
    assert len(found) > 10 and len(prepared) <= 1
    assert c.status is Status.BUDGET_SPENT and c.time.lo <= 1 <= c.time.hi < 1.001 and c.clear_until <= 1
    assert "The first contact comes at t = 1," in c.summary()
