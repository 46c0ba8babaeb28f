"""Boxes and bounds of bodies that fly, against samples of where they are."""

import numpy as np
import pytest

from collide import Outcome, RigidBody, World
from collide.world.broad_phase.boxes import BoxFrame, MovingBoxes, box, falling, falling_box, leash, not_before, not_before_box
from collide.world.journal import Undoable
from collide.world.motion.ballistic import flight
from collide.world.motion.state import Inertia
from collide.world.simulation import expiry
from collide.world.simulation.event_queue import EventKind, EventQueue

from ..scenes import BALL as SPHERE

BALL = Inertia(np.eye(3))


def flown(rng, force):
    return flight(float(rng.normal()), 3 * rng.normal(size=3), rng.normal(size=3), force, np.eye(3), np.zeros(3), BALL)


def test_boxes_hold_bodies_and_nothing_meets_before_it_may():
    rng = np.random.default_rng(5)
    for k in range(60):
        force = np.array([0.0, 0.0, -10.0])
        one, other = flown(rng, force), flown(rng, force if k % 2 else np.zeros(3))
        begin = max(one.start, other.start)
        window = begin, begin + float(rng.uniform(0.1, 3))
        times = np.linspace(*window, 400)
        places = [np.array([c.centre_at(s) for s in times]) for c in (one, other)]
        lo, hi = box(one, window, 0.5)
        assert (lo <= places[0].min(axis=0) - 0.5).all() and (places[0].max(axis=0) + 0.5 <= hi).all()
        # So that they meet.
        speed = (one.centre_at(begin) - other.centre_at(begin)) / (0.6 * (window[1] - begin)) + one.velocity_at(begin)
        other = other.again(begin, velocity=speed + 0.1 * rng.normal(size=3))
        places[1] = np.array([other.centre_at(s) for s in times])
        first = not_before(one, other, window, 1.0)
        before = times < first
        assert window[0] <= first <= window[1]
        assert (np.linalg.norm(places[0] - places[1], axis=1)[before] > 1.0).all()
        if k % 2 and first < window[1]:
            # Of the same acceleration it is when they meet.
            assert np.linalg.norm(one.centre_at(first) - other.centre_at(first)) < 1.0 + 3e-6
        below = places[0][-1] - [0, 0, 0.4]
        corner = below - [1, 1, 2], below + [1, 1, 0]
        one = one.again(begin, velocity=np.array([0.0, 0.0, -abs(one.velocity_at(begin)[2])]))
        places[0] = np.array([one.centre_at(s) for s in times])
        first = not_before_box(one, *corner, window, 0.5)
        gaps = np.linalg.norm(np.maximum(0.0, np.maximum(corner[0] - places[0], places[0] - corner[1])), axis=1)
        assert (gaps[times < first] > 0.5).all()


def test_a_leash_is_kept():
    rng = np.random.default_rng(6)
    for _ in range(20):
        course = flown(rng, np.array([0.0, 0.0, -10.0]))
        until = leash(course, course.start + 0.3, 2.0)
        here = course.centre_at(course.start + 0.3)
        assert max(np.linalg.norm(course.centre_at(s) - here) for s in np.linspace(course.start + 0.3, until, 50)) <= 2.0 * (1 + 1e-12)
    assert leash(flight(0.0, np.zeros(3), np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3), BALL), 0.0, 1.0) == np.inf


def test_near_are_those_whose_boxes_meet():
    """Of two that fall, those that fall; of others, those at rest. And after undoing, as before."""
    rng = np.random.default_rng(7)
    near, boxes, falls = MovingBoxes(30), rng.uniform(0, 5, (2, 30, 3)), rng.uniform(size=30) < 0.5
    ends = boxes + rng.uniform(0, 2, (2, 30, 3))
    for k in range(30):
        near.falling(k, bool(falls[k]))
        for frame in near.frames(k):
            near.hold(k, frame, boxes[frame.value, k], ends[frame.value, k], 1.0 + frame.value + k)

    def there(k):
        frames = (falls & falls[k]).astype(int)
        lo, hi = boxes[frames, np.arange(30)], ends[frames, np.arange(30)]
        return [j for j in range(30) if j != k and (boxes[frames[j], k] <= hi[j]).all() and (lo[j] <= ends[frames[j], k]).all()]

    assert [near.near(k) for k in range(30)] == [there(k) for k in range(30)] and falls.any() and not falls.all()
    for k, j in ((0, 1), (3, 9), (11, 12)):
        assert near.both_until(k, j) == 1.0 + bool(falls[k] and falls[j]) + min(k, j)
    near.mark()
    near.falling(0, not falls[0])
    near.hold(5, BoxFrame.REST, boxes[0, 6], ends[0, 6], 0.5)
    near.undo()
    assert [near.near(k) for k in range(30)] == [there(k) for k in range(30)]


def test_falling_boxes_hold_what_is_seen_while_falling():
    """Also long after the time from which the fall is counted; and bodies move evenly then."""
    rng, force = np.random.default_rng(8), np.array([0.3, 0.0, -9.81])
    for since in (-3.0, 0.0, -200.0):
        course = flown(rng, force)
        window = course.start + 0.2, course.start + 2.0
        lo, hi = falling_box(course, since, window, 0.5)
        times = np.linspace(*window, 50)
        seen = np.array([course.centre_at(s) - force * (s - since) ** 2 / 2 for s in times])
        assert (lo <= seen.min(axis=0) - 0.5).all() and (seen.max(axis=0) + 0.5 <= hi).all()
        assert (hi - lo <= np.ptp(seen, axis=0) + 1.0 + 1e-6).all()
        even = falling(course, since)
        assert not even.acceleration.any() and np.abs([even.centre_at(s) for s in times] - seen).max() < 1e-9


def test_what_is_to_be_done_comes_in_order_and_is_undone():
    """Against a list that is sorted; entries of earlier versions do not come."""
    rng, version = np.random.default_rng(9), {"now": (0,)}
    queue, there = EventQueue(lambda key: version["now"] if key == (3,) else (0,)), []
    for _ in range(200):
        queue.mark()
        before = [(e.time, e.order) for e in sorted(queue)]
        for what in rng.integers(3, size=rng.integers(1, 9)).tolist():
            if what < 2:
                queue.push(float(rng.integers(50)), EventKind.LOOK, (int(rng.integers(6)),))
            elif (first := queue.next()) is not None:
                assert queue.pop() is first and all((first.time, first.order) < (e.time, e.order) for e in queue)
        if rng.uniform() < 0.5:
            queue.undo()
            assert [(e.time, e.order) for e in sorted(queue)] == before
        version["now"] = (int(rng.integers(2)),)
        there = sorted(queue)
        assert queue.next() is (there[0] if there else None) and all(queue.holds(e) for e in there)


def test_dictionaries_are_again_what_they_were():
    """Against copies, after random changes; twice, since undoing leaves nothing to undo."""
    rng, known = np.random.default_rng(0), Undoable()
    for _ in range(50):
        known.mark()
        before = dict(known)
        for key, what in rng.integers(8, size=(rng.integers(12), 2)).tolist():
            if what < 4:
                known[key] = what
            elif what < 6 and key in known:
                del known[key]
            else:
                now = dict(known)
                assert known.pop(key, -1) == now.pop(key, -1) and known == now
        after = dict(known)
        known.undo()
        assert known == before
        known.undo()
        assert known == before
        for key in before:
            known.pop(key)
        for key, value in after.items():
            known[key] = value
        assert known == after


@pytest.mark.parametrize("force", [(0, 0, 0), (0, 0, -10)])
def test_boxes_of_what_flies_off_grow(monkeypatch, force):
    """They were as short as it takes to move 3200 radii, some 30 microseconds; what is far ahead is hit as it was."""
    count, hold = list[int](), expiry.new_box
    monkeypatch.setattr(expiry, "new_box", lambda *args: (count.append(1), hold(*args)))
    places, speeds = [(0, 0, 0), (4, 0, 0), (2e8 + 6, 0, 0), (0, 9, 0)], [(0, 0, 0), (1e8, 0, 0), (0, 0, 0), (1, 1, 0)]
    run = World([RigidBody(SPHERE, position=p, velocity=s) for p, s in zip(places, speeds, strict=True)], gravity=force).run(until=5.0)
    assert run.outcome is Outcome.FINISHED and len(count) < 200
    (event,) = run.events
    assert event.time[0] <= 2.0 <= event.time[1] and event.time[1] - event.time[0] < 1e-14
