"""Rows of a batch that are searched together: the same bits as by themselves, and what is done before Ctrl-C is kept."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import collide
from collide import Status
from collide.queries.contact_rows import RowAnswers
from collide.search import rows
from generative import Rigid, t
from tests.benchmarks.families import asked, bicubic, twisting, wavy
from tests.benchmarks.families import drawn as drawn_pairs
from tests.collide.queries.test_contact_batch import R1, R2, SPEED, X, Y, ball, drawn

BALLS = [ball(R1), ball(R2, Rigid(translation=[X - SPEED * t, Y, 0]))]


def same(a: Any, b: Any) -> None:
    for f in fields(a):
        first, second = getattr(a, f.name), getattr(b, f.name)
        assert f.name == "notes" or np.array_equal(first, second, equal_nan=first.dtype.kind == "f"), f.name


def alone(monkeypatch: pytest.MonkeyPatch, *question: Any, **values: Any) -> Any:
    with monkeypatch.context() as patch:
        patch.setattr(RowAnswers, "solve_together", lambda *_: None)
        return collide.contact_batch(*question, **values)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows were told of together."""
    told, read = [0], rows.RowSearch._read

    def counting(self: Any, *given: Any) -> Any:
        found = read(self, *given)
        told[0] += int(found.finished.sum())
        return found

    monkeypatch.setattr(rows.RowSearch, "_read", counting)
    return told


@pytest.mark.parametrize("family", [bicubic, wavy, twisting])
def test_patches_in_general_motion(family: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rotation matrices of parameters, and a body that deforms."""
    told = counted(monkeypatch)
    bodies, parameters = asked(family(), *drawn_pairs(family(), 12))
    same(collide.contact_batch(bodies, (0, 1), parameters=parameters), alone(monkeypatch, bodies, (0, 1), parameters=parameters))
    assert told[0] > 6


def test_more_rows_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one of a size that other kernels are for, and rows that take more steps than are taken together."""
    monkeypatch.setattr(rows, "_ROWS", 16)
    monkeypatch.setattr(rows, "_STEPS", 8)
    told, values = counted(monkeypatch), drawn(40)
    values[Y][7] = 1e200
    same(collide.contact_batch(BALLS, (0, 2), parameters=values), alone(monkeypatch, BALLS, (0, 2), parameters=values))
    assert 10 < told[0] < 39


def test_ctrl_c_keeps_the_rows_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    values, native, calls = drawn(40), rows.compiled, list[int]()

    def compiled(entry: Any) -> Any:
        if entry is not rows.search_rows:
            return native(entry)

        def called(*arguments: int) -> int:
            calls.append(1)
            if len(calls) == 3:
                raise KeyboardInterrupt
            return native(entry)(*arguments)
        return called

    whole = collide.contact_batch(BALLS, (0, 2), parameters=values)
    monkeypatch.setattr(rows, "next_part", lambda *_: 5)
    monkeypatch.setattr(rows, "compiled", compiled)
    found = collide.contact_batch(BALLS, (0, 2), parameters=values)
    assert len(calls) == 3 and (found.status[9:] == Status.BUDGET_SPENT).all() and (found.time[9:] == [0, 2]).all()
    done = found.status != Status.BUDGET_SPENT
    assert done.sum() > 4 and np.array_equal(found.time[done], whole.time[done], equal_nan=True)
