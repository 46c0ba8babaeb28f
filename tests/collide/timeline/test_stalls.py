"""Situations that are left: which ones, when, and that nothing is claimed of them from then on."""

from dataclasses import replace

import numpy as np
import pytest

from collide.bodies.parts import faces_of
from collide.search.native import layout
from collide.search.options import Options
from collide.search.search import Search
from collide.situations.contact import situation
from collide.timeline import stalls as standing
from tests.collide.contact_scenes import TILT, ball, move, slab


def two_plates(**changes):
    """Two balls, either above a plate of its own, each with two boxes; the second begins earlier."""
    problems = [replace(situation(faces_of(ball().moved(TILT).moved(move(0, 0, 2)))[0], faces_of(slab())[0], (0, 4), label=(k, 2)),
                        **changes) for k in (0, 1)]
    starts = []
    for begin, end in ((0.5, 4.0), (0.25, 2.0)):
        halves = np.stack([problems[0].outer] * 2)
        halves[0, 0, 1] = halves[1, 0, 0] = 3.0
        halves[:, 4] = begin, end
        starts.append(halves)
    return Search(problems, Options(spacing=0.1), starts=starts)


def locate(search, p, begin, count=1):
    box = np.array([[0.1, 0.2]] * 4 + [[begin, begin + 0.1]])
    for _ in range(count):
        assert search.note(p, box, layout.LOCATED)
    search.clear = np.inf


def test_of_what_is_left_nothing_is_claimed_from_its_first_box_on():
    """Bodies that start apart: a place was located late, while boxes that begin earlier are open."""
    search = two_plates()
    locate(search, 0, 3.0)
    standing._leave_doubt(search)
    assert not search.left  # it has not taken long
    search.doubtful = -standing._WHILE - 1
    standing._leave_doubt(search)
    assert search.left == {0} and not len(search.open(0)) and len(search.open(1)) == 2
    assert search.clear == 0.5 and search.latest_left == np.inf
    # Nothing was located of the other one: it is searched on, however long that takes.
    search.doubtful = -standing._WHILE - 1
    standing._leave_doubt(search)
    assert search.left == {0} and search.clear == 0.5


def test_nothing_is_left_once_contact_is_proved():
    search = two_plates()
    locate(search, 0, 3.0)
    search.proved, search.doubtful = 3.5, -standing._WHILE - 1
    standing._leave_doubt(search)
    assert not search.left and search.doubtful == 0


@pytest.mark.parametrize(("count", "clear", "incoming", "left"), [
    (standing._ENOUGH, 0.0, True, {0}), (standing._ENOUGH - 1, 0.0, True, set()),
    (standing._ENOUGH, 0.125, True, set()),  # all is clear at the beginning: these contacts came later
    (standing._ENOUGH, 0.0, False, set()),  # of bodies that start apart they did so, too
])
def test_contacts_that_stand_from_the_beginning_are_left(count, clear, incoming, left):
    search = two_plates(incoming=incoming)
    locate(search, 0, 0.0, count)
    locate(search, 1, 0.0, 1)
    search.clear = clear
    standing._leave(search, 0.0)
    assert search.left == left and search.clear == clear
