"""What the notes of an answer say of its log, and answers whose logs cannot be written."""

import errno
import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import collide
from generative import Rigid, t, x

from .made import CORNERS, FACES, PLATE, RISE, bowl

HALF = sp.Rational(1, 2)
PIECEWISE = {
    "undefined on a half": lambda path: collide.solve([sp.Piecewise((x - HALF, x >= HALF))], {x: (0, 1)}, log=path),
    "undefined of a minimum": lambda path: collide.minimize(sp.Piecewise((x, x >= 0), (1 + 0 * x, x > -1)), {x: (-2, 2)}, log=path),
    "at a single place": lambda path: collide.solve([sp.Piecewise((x - HALF, sp.And(x >= HALF, x <= HALF)), (1, True))], {x: (0, 1)},
                                                    log=path),
    "steps": lambda path: collide.solve([sp.floor(3 * x) - HALF + x], {x: (0, 2)}, log=path),
    "a step at an end": lambda path: collide.solve([sp.Piecewise((x - 1, x < HALF), (x - sp.Rational(3, 4), True))], {x: (0, 1)}, log=path),
    "two steps": lambda path: collide.minimize(sp.Piecewise((x + 2, x < HALF), (1 - x, x < 1), (x, True)), {x: (0, 2)}, log=path),
}


@pytest.mark.parametrize("name", PIECEWISE)
def test_a_note_says_of_choices_what_the_checker_accepts(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.proof"
    answer = PIECEWISE[name](path)
    assert path.exists() == answer.notes[-1].startswith("The log "), answer.notes
    assert not path.exists() or collide.check(path).accepted, collide.check(path)


def test_a_short_log_is_checked_before_it_is_said_to_prove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, made = tmp_path / "a.proof", importlib.import_module("collide.proof.formula_logs")
    answer = collide.solve([x - HALF], {x: (0, 1)}, log=path)
    assert answer.notes[-1] == "The log proves that all zeros lie in 1 boxes, of which 1 hold exactly one each." and path.exists()
    monkeypatch.setattr(made.ZerosLog, "claims", lambda self, found, alive: self.said.append("that there is none") or ["none", "n 1"])
    note = collide.solve([x - HALF], {x: (0, 1)}, log=path).notes[-1]
    assert note.startswith("No log was written: its checker does not accept it, since the step 'n 1' does not show"), note
    assert not path.exists() and not [*tmp_path.iterdir()]
    monkeypatch.setattr(importlib.import_module("collide.proof.log"), "_SHORT", 0)
    assert collide.solve([x - HALF], {x: (0, 1)}, log=path).notes[-1] == "The log claims that there is none; collide.check verifies it."


def full(room: int) -> Any:
    """A disk that is full after so many letters."""
    written = Path.write_text

    def write_text(path: Path, text: str, *args: Any, **options: Any) -> int:
        written(path, text[:room], *args, **options)
        raise OSError(errno.ENOSPC, "No space left on device")
    return write_text


ASKED = {
    "solve": lambda path: collide.solve([x - HALF], {x: (0, 1)}, log=path).status,
    "minimize": lambda path: collide.minimize(x**2, {x: (-1, 2)}, log=path).status,
    "first_contact": lambda path: collide.first_contact([PLATE, bowl()], (0, 3), log=path).status,
    "distance": lambda path: collide.distance(PLATE, bowl().at(0), log=path).status,
    "mesh_mesh": lambda path: collide.mesh_mesh((CORNERS, FACES), (CORNERS, FACES), motions=(Rigid(), Rigid(
        translation=[0.1, 0.2, 2 - t])), time=(0, 2), log=path).status,
}


@pytest.mark.parametrize("name", ASKED)
def test_a_full_disk_and_ctrl_c_lose_neither_the_answer_nor_the_old_log(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.proof"
    expected = ASKED[name](path)
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full(100))
        assert ASKED[name](path) is expected
    with monkeypatch.context() as patched:
        patched.setattr(importlib.import_module("collide.proof.log").Log, "_written", interrupt)
        assert ASKED[name](path) is expected
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]


def interrupt(*_: Any) -> str:
    raise KeyboardInterrupt


def test_what_came_in_between_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, log = tmp_path / "a.proof", importlib.import_module("collide.proof.log").Log
    monkeypatch.setattr(Path, "write_text", full(5))
    note = collide.solve([x - HALF], {x: (0, 1)}, log=path).notes[-1]
    assert note.startswith(f"No log was written: {str(path)!r} is not written: No space left on device"), note
    monkeypatch.setattr(log, "_written", interrupt)
    assert collide.solve([x - HALF], {x: (0, 1)}, log=path).notes[-1] == "No log was written: it was interrupted."
    monkeypatch.setattr(log, "_written", lambda *_: 1 // 0)
    assert "of an error, ZeroDivisionError" in collide.solve([x - HALF], {x: (0, 1)}, log=path).notes[-1]


@pytest.mark.parametrize(("failing", "told"), [
    (lambda: 1 // 0, "Logs of 2 of 3 rows were written; of row 1 none: of an error, ZeroDivisionError("),
    (interrupt, "Logs of 1 of 3 rows were written; of row 1 and those after it none: it was interrupted."),
])  # fmt: skip
def test_a_row_that_fails_loses_no_other(failing: Any, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (second := tmp_path / "row-1.proof").write_text("old")
    log = importlib.import_module("collide.proof.row_logs").RowLog
    written = log.write
    monkeypatch.setattr(log, "write", lambda self, *args: failing() if self.path == second else written(self, *args))
    found = collide.contact_batch([PLATE, bowl(RISE)], (0, 3), parameters={RISE: np.array([1.0, 1.5, 2.0])}, log=tmp_path)
    assert found.notes[-1].startswith(told) and all(status is collide.Status.CONTACT for status in found.status), found.notes
    assert second.read_text() == "old"
