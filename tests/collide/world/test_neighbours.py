"""Boxes and bounds of bodies that fly, against samples of where they are."""

import numpy as np

from collide.world.flight import Inertia, flight
from collide.world.neighbours import Neighbours, box, leash, not_before, not_before_box
from collide.world.undoable import Undoable

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
    rng = np.random.default_rng(7)
    near = Neighbours(30)
    for k in range(30):
        lo = rng.uniform(0, 5, 3)
        near.hold(k, lo, lo + rng.uniform(0, 2, 3), 1.0)
    for k in range(30):
        there = [j for j in range(30) if j != k and (near.lo[k] <= near.hi[j]).all() and (near.lo[j] <= near.hi[k]).all()]
        assert near.near(k) == there and near.count(k, near.lo[k], near.hi[k]) == len(there)


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
