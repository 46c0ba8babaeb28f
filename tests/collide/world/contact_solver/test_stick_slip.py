"""Contacts that press, stick and slip: closed forms of a block on a slope, also where sweeps find nothing or guess wrong."""

import itertools
from typing import Any

import numpy as np
import pytest

from collide.world.contact_solver import stick_slip
from collide.world.contact_solver.forces import ActiveConstraint, ContactDynamics, solved
from collide.world.contact_solver.stick_slip import gripped

FRICTION, GRAVITY = 0.5, 10.0
FRAME = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
INVERSE = np.diag([1.0, 1, 1, 6, 6, 6])


def block(slope: float, turn: float = 0.3) -> tuple[list[ActiveConstraint], ContactDynamics]:
    """A cube of mass 1 with four corners on a plane: gravity's parts across the plane, in a direction, and along its normal."""
    arms = np.array([[x, y, -0.5] for x, y in itertools.product((-0.5, 0.5), repeat=2)])
    rows = np.array([[[*e, *np.cross(arm, e)] for e in FRAME] for arm in arms])
    down = GRAVITY * np.array([np.sin(slope) * np.cos(turn), np.sin(slope) * np.sin(turn), -np.cos(slope)])
    free = np.tile(FRAME @ down, (4, 1))
    now = ContactDynamics(np.tile(FRAME, (4, 1, 1)), rows, np.zeros((4, 3)), free, np.zeros(4), arms)
    link: Any = None
    return [ActiveConstraint(link, FRICTION, None, 1e-9) for _ in range(4)], now


def guesses(kind: str) -> Any:
    values = {"nothing": 0.0, "not finite": np.nan, "pulls": -1e3}
    return (lambda kept, *_: np.full((len(kept), 3), values[kind])) if kind in values else stick_slip.relaxed


@pytest.mark.parametrize("kind", ["right", "nothing", "not finite", "pulls"])
@pytest.mark.parametrize("slope", [0.3, 0.6, 1.0])
def test_the_sweeps_only_guess_and_the_law_decides(slope: float, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the other guesses fail, too, a wrong one ends without an answer, or with forces that obey the law; slips are known to 1e-6."""
    kept, now = block(slope)
    monkeypatch.setattr(stick_slip, "_giving_way", lambda kept, *_: [None, *kept[1:]])
    monkeypatch.setattr(stick_slip, "relaxed", guesses(kind))
    found = gripped(kept, now, INVERSE, np.ones(6), 1e-12)
    assert found is not None or not (kind == "right" or np.tan(slope) < FRICTION)
    if found is not None:
        speeding = max(0.0, np.sin(slope) - FRICTION * np.cos(slope)) * GRAVITY
        change = np.array([*(FRAME.T @ now.free[0]), 0, 0, 0]) + solved(found, now, INVERSE).change
        np.testing.assert_allclose(change, speeding * np.array([np.cos(0.3), np.sin(0.3), 0, 0, 0, 0]), atol=1e-5)


def test_nothing_acts_where_bodies_fall_apart() -> None:
    kept, now = block(0.3)
    found = gripped(kept, now._replace(free=-now.free), INVERSE, np.ones(6), 1e-12)
    assert found is not None and all(k.loose for k in found)
