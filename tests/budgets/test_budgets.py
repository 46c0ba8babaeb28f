"""The suite that measures budgets: that it asks, and tells what it measured. (It asserts no time; see ``python -m tests.budgets``.)"""

import pytest

from tests.budgets.__main__ import report
from tests.budgets.asked import Late, asked, latest
from tests.budgets.questions import QUESTIONS, UNLIMITED
from tests.ways.shapes import Draw


@pytest.mark.parametrize("name", ["solve", "mesh_straight", "worst_case", "bezier_pairs", "touching"])
def test_questions_are_made(name):
    assert callable(QUESTIONS[name](Draw("a seed")))


def test_a_question_is_asked_in_a_process_of_its_own():
    late = asked("pave", 1, 0.2)
    assert "SubpavingStatus" in late.told and late.seconds > -0.2


def test_ctrl_c_reaches_a_question():
    late = asked("screws", 3, 0.01)
    assert late.interrupt and "screws" in UNLIMITED and late.told.startswith(("KeyboardInterrupt", "ScrewFit"))


def test_the_latest_come_first(capsys):
    found = [Late("solve", k, 1.0, False, seconds=k / 4, own=k / 5) for k in range(5)]
    report(found, 0.5)
    said = capsys.readouterr().out
    assert "5 questions, 2 of them late by more than 0.5 s" in said
    assert [line.split(",")[0] for line in latest(found, 2)] == ["solve:4", "solve:3"]
