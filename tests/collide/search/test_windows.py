"""Long searches of distances that stay the same all the time, window after window: closed forms. Windows are made small here, so that
searches of some thousand boxes have many.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import sympy as sp

import collide
from collide import Budget, DistanceStatus
from collide.search import windows
from collide.search.search import Search
from generative import ParametricSurface, Rigid, Screw, t, u, v

R = sp.Rational
AXIS = [0, 0, 1]
TURN = 2 * sp.pi


def wall(radius: Any, half: Any) -> ParametricSurface:
    return ParametricSurface([radius * sp.cos(u), radius * sp.sin(u), v], {u: (0, TURN), v: (-half, half)})


def thread(radius: Any, pitch: Any, turns: int) -> ParametricSurface:
    """A wire of this radius along a helix of radius 2."""
    long = sp.sqrt(4 + pitch**2)
    inward, up = [-sp.cos(u), -sp.sin(u), 0], [pitch * sp.sin(u) / long, -pitch * sp.cos(u) / long, 2 / long]
    helix = [2 * sp.cos(u), 2 * sp.sin(u), pitch * u]
    return ParametricSurface([h + radius * (sp.cos(v) * a + sp.sin(v) * b) for h, a, b in zip(helix, inward, up, strict=True)],
                             {u: (-turns, turns), v: (0, TURN)})


def cam() -> list[Any]:
    """A disc of radius 1 that turns about an axis 1 from its centre, in a ring of radius 3: 1 apart at all times."""
    return [wall(1, R(1, 2)).moved(Rigid(translation=[1, 0, 0])).moved(Screw(AXIS, angle=6 * t)), wall(3, 1)]


def pin() -> list[Any]:
    """A pin of radius 1/2 that turns and runs along a slot of width 3."""
    sides = [ParametricSurface([u, R(side * 3, 2), v], {u: (-4, 4), v: (-2, 2)}) for side in (1, -1)]
    return [wall(R(1, 2), 1).moved(Screw(AXIS, angle=7 * t)).moved(Rigid(translation=[4 * t - 2, 0, 0])), *sides]


def screw() -> list[Any]:
    """A wire of radius 1/4 that is screwed along inside a tube of radius 3/4 round the same helix."""
    return [thread(R(1, 4), R(1, 3), 1).moved(Screw(AXIS, angle=2 * t, advance=R(2, 3) * t)), thread(R(3, 4), R(1, 3), 4)]


# The gap, and a share of it that takes many boxes.
SCENES = {"cam": (cam, 1, R(99, 100)), "pin": (pin, 1, R(98, 100)), "screw": (screw, R(1, 2), R(9, 10))}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The boxes of all windows, which are small."""
    counts, made = list[int](), windows._windows
    monkeypatch.setattr(windows, "_LONG", 2000)
    monkeypatch.setattr(windows, "_EXAMINED", 4000)
    monkeypatch.setattr(windows, "_BEGUN", 64)

    def counted(search: Any) -> Any:
        found = made(search)
        counts.extend(len(window.boxes) for window in found)
        return found

    monkeypatch.setattr(windows, "_windows", counted)
    yield counts


@pytest.mark.parametrize("name", SCENES)
def test_a_distance_that_stays_the_same_is_kept_or_not(name: str, taken: list[int]) -> None:
    scene, gap, share = SCENES[name]
    kept = collide.clearance(scene(), (0, 1), share * gap)
    assert kept.status is DistanceStatus.CLEAR and len(taken) > 1 and max(taken) <= 64
    missed = collide.clearance(scene(), (0, 1), R(21, 20) * gap)
    assert missed.status is DistanceStatus.NEARER and missed.bracket.hi >= float(gap)


def test_windows_decide_as_one_queue_does(taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    in_windows = collide.clearance(screw(), (0, 1), R(9, 20))
    monkeypatch.setattr(windows, "_LONG", 10**9)
    count = len(taken)
    whole = collide.clearance(screw(), (0, 1), R(9, 20))
    assert len(taken) == count and whole.verdict is in_windows.verdict is True
    assert abs(in_windows.iterations - whole.iterations) < 0.2 * whole.iterations


def test_a_spent_budget_forgets_no_window(taken: list[int]) -> None:
    """The disc bulges where it is late in the span: what is left open then holds the least distance, 7/8."""
    bulge = wall(1, R(1, 2)).moved(Rigid(translation=[1 + t**8 / 8, 0, 0])).moved(Screw(AXIS, angle=6 * t))
    for boxes in range(7000, 12_000, 500):
        answer = collide.clearance([bulge, wall(3, 1)], (0, 1), budget=Budget(boxes=boxes))
        assert answer.status is DistanceStatus.BUDGET_SPENT
        assert answer.bracket.lo <= 0.875 <= answer.bracket.hi
    assert len(taken) > 1
    assert collide.clearance([bulge, wall(3, 1)], (0, 1), R(8751, 10_000)).status is DistanceStatus.NEARER
    assert collide.clearance([bulge, wall(3, 1)], (0, 1), R(8749, 10_000)).status is DistanceStatus.CLEAR


@pytest.mark.parametrize("boxes", [9000, 10_000, 100_000])
def test_all_boxes_that_are_taken_out_are_queued_again(boxes: int, taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    queued, push = list[int](), Search.push

    def counted(search: Search, k: int, own: Any) -> None:
        if taken:
            queued.append(len(own))
        push(search, k, own)

    monkeypatch.setattr(Search, "push", counted)
    collide.clearance(cam(), (0, 1), R(99, 100), budget=Budget(boxes=boxes))
    assert sum(queued) == sum(taken) > 0


def test_a_note_tells_the_distance_at_which_a_search_stood(taken: list[int]) -> None:
    collide.clearance(screw(), (0, 1), R(1, 20))
    answer = collide.clearance(screw(), (0, 1), budget=0.2)
    assert answer.status is DistanceStatus.BUDGET_SPENT and "stood at t" not in " ".join(answer.notes)
