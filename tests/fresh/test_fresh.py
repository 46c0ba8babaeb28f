"""New questions in a process that has answered others, and in a new one that interprets; `python -m tests.fresh` asks many."""

from tests.fresh.__main__ import Process, answer, compared, differences


def test_a_few_questions() -> None:
    warm = Process(answer)
    try:
        for number in (0, 10, 20, 5, 1):
            known, wrong = compared(number, 7, warm)
            assert known[0] in ("CONTACT", "NO_CONTACT", "MEASURED") and not wrong
    finally:
        warm.close()


def test_what_contradicts() -> None:
    """(A comparison that finds nothing is no comparison.)"""
    assert not differences(("CONTACT", (1.0, 2.0)), ("CONTACT", (2.0, 3.0))) and not differences(("NO_CONTACT", None), ("NO_CONTACT", None))
    assert differences(("CONTACT", (1.0, 2.0)), ("CONTACT", (2.5, 3.0))) and differences(("CONTACT", (1.0, 2.0)), ("NO_CONTACT", None))
    assert len(differences(("MEASURED", (1.0, 2.0)), ("UNRESOLVED", (1.0, 3.0)))) == 1
