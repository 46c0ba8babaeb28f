"""Identity of contact regions from pose to pose: a bar on a fork, feet over an edge, and footprints by hand."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import RegionEvent, RegionTracker, touch
from collide.answers.contact_regions import Footprint, RegionState
from generative import IDENTITY, Rigid

from ..polyhedra.touch.test_regions import block, united

BIRTH, MERGE, SPLIT, DEATH = RegionEvent


def tracked(a, b, shifts):
    tracker = RegionTracker()
    for time, shift in enumerate(shifts):
        tracker.update(touch(a, b, (Rigid(translation=shift), IDENTITY)), time)
    return tracker


def told(tracker):
    return [(c.time, c.kind, c.before, c.after) for c in tracker.history]


def test_a_bar_on_a_fork_merges_and_splits():
    fork = united(block([0, 0, 0], [3, 1, 1]), block([0, 1, 0], [1, 4, 1]), block([2, 1, 0], [3, 4, 1]))
    bar = block([-1, 2, 1], [4, 3, 2])
    # On both legs; nearer to the base; over a part of the base; back; lifted.
    found = tracked(bar, fork, [[0, y, z] for y, z in ((0, 0), (-0.5, 0), (-1.5, 0), (-0.75, 0), (0, 1))])
    (_, b, _, _), (_, _, merged, one), (_, _, before, split) = told(found)[1:4]
    assert [c[:2] for c in told(found)] == [(0, BIRTH), (0, BIRTH), (2, MERGE), (3, SPLIT), (4, DEATH), (4, DEATH)]
    assert b is BIRTH and merged == (0, 1) and one == (0,) == before and split[0] == 0 and split[1] == 2
    assert found.numbers == ()


def test_feet_that_leave_an_edge_die_one_by_one():
    table = united(block([0, 0, 1], [5, 3, 2]), *(block([x, y, 0], [x + 1, y + 1, 1]) for x in (0, 4) for y in (0, 2)))
    found = tracked(table, block([-1, -1, -1], [9, 4, 0]), [[x, 0, 0] for x in (0, -0.5, -1.5, -3, -8)])
    assert [c[:2] for c in told(found)] == [(0, BIRTH)] * 4 + [(3, DEATH)] * 2 + [(4, DEATH)] * 2
    assert {n for c in told(found)[4:] for n in c[2]} == {0, 1, 2, 3}


def test_a_block_that_tips_keeps_its_region():
    """From a face to an edge of it, exactly: cosine 4/5."""
    tipped = Rigid(rotation=sp.Matrix([[4, 0, -3], [0, 5, 0], [3, 0, 4]]) / 5)
    cube, floor = block([0, 0, 0], [1, 1, 1]), block([-5, -5, -1], [5, 5, 0])
    tracker = RegionTracker()
    for time, pose in enumerate([IDENTITY, tipped]):
        found = touch(cube, floor, (pose, IDENTITY), at=0)
        if not found.rounded:
            tracker.update(found, time)
    assert [c.kind for c in tracker.history] == [BIRTH] and tracker.numbers == (0,)


def test_footprints_by_hand():
    def print_of(contacts, faces=""):
        return Footprint(frozenset(contacts), frozenset(faces))

    state, _ = RegionState().onward([print_of("ab"), print_of("cd"), print_of("e", "F")], 0, 0)
    # Two merge, and split in the same step; one has no contact in common, but faces.
    state, found = state.onward([print_of("x", "FG"), print_of("acg"), print_of("d")], 1, 3)
    assert state.numbers == (2, 0, 3) and found == ((1, MERGE, (0, 1), (0,)), (1, SPLIT, (0,), (0, 3)))
    # Faces in common are no link where contacts are.
    state, found = state.onward([print_of("x", "F"), print_of("y", "F")], 1, 4)
    assert state.numbers == (2, 4) and [c.kind for c in found] == [DEATH, DEATH, BIRTH]


def test_bad_answers():
    tracker = RegionTracker()
    with pytest.raises(TypeError, match=r"answers of collide.touch"):
        tracker.update(np.zeros(3), 0)
    found = touch(block([0, 0, 0], [1, 1, 1]), block([0, 0, 1], [1, 1, 2]))
    tracker.update(found, 1.0)
    for time in (0.5, np.nan, "2", np.inf):
        with pytest.raises(ValueError, match="time"):
            tracker.update(found, time)
    assert tracker.update(found, 1.0) == () and isinstance(tracker.history[0], collide.RegionChange)
