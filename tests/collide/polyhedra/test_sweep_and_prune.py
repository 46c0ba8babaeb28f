"""Sweep and prune with coherence: against all pairs, at every step."""

import numpy as np
import pytest

import collide
from collide.polyhedra import sweep_and_prune


def overlapping(boxes):
    low, high = boxes[..., 0], boxes[..., 1]
    meet = ((low[:, None] <= high) & (low <= high[:, None])).all(axis=2)
    return set(map(tuple, np.argwhere(np.triu(meet, 1)).tolist()))


def walk(seed, n, steps, speed, grid=None):
    """Boxes that move in the unit cube; with a grid their ends are often equal."""
    random = np.random.default_rng(seed)
    centre, velocity, half = random.random((n, 3)), speed * random.normal(size=(n, 3)), 0.1 * random.random((n, 3))
    for _ in range(steps):
        centre = centre + velocity
        velocity[(centre < 0) | (centre > 1)] *= -1
        boxes = np.stack([centre - half, centre + half], axis=-1)
        yield np.round(boxes * grid) / grid if grid else boxes


def check(boxes):
    boxes = iter(boxes)
    first = next(boxes)
    kept, before = collide.SweepAndPrune(first), overlapping(first)
    changes = 0
    for now in boxes:
        begun, ended = kept.update(now)
        after = overlapping(now)
        assert begun.tolist() == sorted(map(list, after - before)) and ended.tolist() == sorted(map(list, before - after))
        before = after
        changes += len(begun) + len(ended)
    assert kept.pairs.tolist() == sorted(map(list, before)) and np.array_equal(kept.boxes, now)
    return changes


@pytest.mark.parametrize("grid", [None, 20])
def test_a_thousand_steps_agree_with_all_pairs(grid):
    assert check(walk(1, 40, 1000, 0.01, grid)) > 1000


def test_where_boxes_jump_they_are_sorted_anew(monkeypatch):
    monkeypatch.setattr(sweep_and_prune, "_FAR", 2)
    monkeypatch.setattr(sweep_and_prune, "_ROOM", 1)
    assert check(walk(2, 50, 60, 0.3)) > 200


def test_there_is_room_for_any_number_of_pairs(monkeypatch):
    monkeypatch.setattr(sweep_and_prune, "_ROOM", 1)
    assert check(walk(3, 50, 30, 0.2)) > 200


def test_boxes_that_touch_overlap_and_ends_may_be_infinite():
    kept = collide.SweepAndPrune([[[0, 1]] * 3, [[2, 3]] * 3, [[-np.inf, np.inf], [0, 1], [5, 5]]])
    assert kept.pairs.tolist() == []
    begun, ended = kept.update([[[0, 1]] * 3, [[1, 3]] * 3, [[-np.inf, np.inf], [-0.0, 0.0], [1, 1]]])
    assert begun.tolist() == [[0, 1], [0, 2]] and ended.shape == (0, 2)
    begun, ended = kept.update([[[0, 1]] * 3, [[1, 3]] * 3, [[0, 0], [0, 0], [-np.inf, np.inf]]])
    assert len(begun) == len(ended) == 0
    begun, ended = kept.update([[[0, 1]] * 3, [[np.nextafter(1, 2), 3]] * 3, [[2, 2], [2, 2], [-np.inf, np.inf]]])
    assert begun.tolist() == [[1, 2]] and ended.tolist() == [[0, 1], [0, 2]]


def test_no_boxes_and_one_box():
    for n in (0, 1):
        kept = collide.SweepAndPrune(np.zeros((n, 3, 2)))
        assert [x.shape for x in kept.update(np.ones((n, 3, 2)))] == [(0, 2), (0, 2)] and kept.pairs.shape == (0, 2)


def test_what_is_no_box_is_named_and_changes_nothing():
    boxes = np.array([[[0.0, 1]] * 3, [[2, 3]] * 3])
    kept = collide.SweepAndPrune(boxes)
    for wrong, message in ((boxes[:1], "there are 2 boxes, got 1"), (boxes[:, :2], r"shape \(n, 3, 2\)"), ("boxes", "text"),
                           (boxes[..., ::-1], "box 0 has a lower end above"), (boxes * [1, np.nan], "box 0 .* or NaN")):
        with pytest.raises(ValueError, match=message):
            kept.update(wrong)
    with pytest.raises(ValueError, match="box 1"):
        collide.SweepAndPrune(boxes * [[[1.0, 1]] * 3, [[1, -1]] * 3])
    assert kept.update(boxes - [[[0.0]], [[1]]])[0].tolist() == [[0, 1]]
