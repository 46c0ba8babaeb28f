"""Pavings cover what they are asked to, and end where they should."""

import math

import numpy as np
import pytest

from codegen.deadline import TimeUp, limited
from collide.search.paving import Paving, divided

SQUARE = np.array([[[-1.0, 1.0], [-1.0, 1.0]]])
RNG = np.random.default_rng(1)


def covered(points: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    return ((boxes[None, ..., 0] <= points[:, None]) & (points[:, None] <= boxes[None, ..., 1])).all(axis=2).any(axis=1)


def near_circle(boxes: np.ndarray) -> np.ndarray:
    """Which boxes may meet the unit circle."""
    most = (np.abs(boxes).max(axis=2) ** 2).sum(axis=1)
    least = (np.where(boxes[..., 0] * boxes[..., 1] <= 0, 0.0, np.abs(boxes).min(axis=2)) ** 2).sum(axis=1)
    return (least <= 1 + 1e-9) & (most >= 1 - 1e-9)


@pytest.mark.parametrize("axes", [(None,), (0,), (0, 1), (None, None, 1)])
def test_halves_cover_the_boxes(axes: tuple[int | None, ...]) -> None:
    boxes = np.sort(RNG.normal(size=(20, 2, 2)) * 10.0 ** RNG.integers(-300, 300, (20, 2, 1)), axis=2)
    halves = divided(boxes, *axes)
    assert len(halves) == 20 << len(axes)
    for box in boxes:
        points = np.concatenate([box[:, 0] + RNG.random((500, 2)) * (box[:, 1] - box[:, 0]), box.T])
        points = np.clip(points, box[:, 0], box[:, 1])
        within = (halves[..., 0] >= box[:, 0]) & (halves[..., 1] <= box[:, 1])
        assert covered(points, halves[within.all(axis=1)]).all()


def test_halves_cover_what_no_double_divides() -> None:
    thin = np.array([[[1.0, np.nextafter(1.0, 2.0)], [0.0, 0.0]]])
    halves = divided(thin, None)
    assert halves[0, 0, 1] == halves[1, 0, 0] and halves[0, 0, 0] == 1.0 and halves[1, 0, 1] == thin[0, 0, 1]


@pytest.mark.parametrize(("axes", "most"), [((None,), 1000), ((0, 1), 3000)])
def test_what_is_left_covers_the_set(axes: tuple[int | None, ...], most: int) -> None:
    paving = Paving(SQUARE, axes=axes, most=most)
    for boxes in paving:
        assert len(boxes) <= most
        paving.keep(boxes[near_circle(boxes)])
    angle = RNG.random(5000) * 2 * math.pi
    assert not paving.done and most < len(paving.left) << len(axes)
    assert covered(np.column_stack([np.cos(angle), np.sin(angle)]), paving.left).all()
    assert np.ptp(paving.left, axis=2).max() < 0.05


def test_small_boxes_are_put_aside_and_count() -> None:
    angle = RNG.random(5000) * 2 * math.pi
    for most, done in ((4000, True), (800, False)):
        paving, widest = Paving(SQUARE, most=most), 0
        for boxes in paving:
            widest = max(widest, len(boxes))
            doubtful = boxes[near_circle(boxes)]
            small = np.ptp(doubtful, axis=2).max(axis=1) < np.where(doubtful[:, 0, 0] < 0, 0.01, 0.02)
            paving.keep(doubtful[~small], doubtful[small])
        assert paving.done is done and widest < 800
        assert covered(np.column_stack([np.cos(angle), np.sin(angle)]), np.concatenate([paving.left, paving.small])).all()


def test_it_ends_where_nothing_is_left_or_enough_was_examined() -> None:
    seen, paving = 0, Paving(SQUARE, examined=100)
    for boxes in paving:
        seen += len(boxes)
    assert seen == 63 and len(paving.left) == 32 and not paving.done
    paving = Paving(SQUARE)
    levels = 0
    for boxes in paving:
        levels += 1
        paving.keep(boxes[:0] if levels == 5 else boxes)
    assert levels == 5 and paving.done


def test_it_ends_with_the_time_of_the_caller() -> None:
    looks = iter([1.0, 1.0, -1.0])
    with limited(lambda: next(looks)), pytest.raises(TimeUp):
        for _ in Paving(SQUARE, most=1000):
            pass
