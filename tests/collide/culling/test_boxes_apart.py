"""Distances of boxes round parts: no pair of points in them is nearer, or farther, and corners attain both."""

import itertools

import mpmath
import numpy as np
import pytest
import sympy as sp

from collide.bodies.extent import extent_of
from collide.bodies.parts import faces_of
from collide.culling.boxes_apart import SLICES, boxes_through, greatest_distances, least_distances, meeting, slices_in
from generative import Rigid, t, u, v
from models.shapes.rings import torus


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_boxes_enclose_the_distances_of_their_points(size: float) -> None:
    rng = np.random.default_rng(2)
    boxes = np.sort(rng.uniform(-1, 1, (2, 200, 3, 1)) + size * rng.uniform(0, 1, (2, 200, 3, 2)), axis=-1)
    least, greatest = least_distances(*boxes), greatest_distances(*boxes)
    corners = np.array(list(itertools.product((0, 1), repeat=3)))
    at = [b[:, np.arange(3), corners] for b in boxes]
    far = np.linalg.norm(at[0][:, :, None] - at[1][:, None], axis=-1).reshape(200, -1)
    assert (far.max(axis=1) <= greatest).all() and np.allclose(far.max(axis=1), greatest)
    nearest = [np.clip(boxes[0].mean(axis=-1), boxes[1][..., 0], boxes[1][..., 1])]
    for _ in range(20):
        nearest = [np.clip(nearest[0], boxes[0][..., 0], boxes[0][..., 1])]
        other = np.clip(nearest[0], boxes[1][..., 0], boxes[1][..., 1])
        near = np.linalg.norm(nearest[0] - other, axis=1)
        nearest = [other]
    assert (least <= near).all() and np.allclose(least, near)


def test_boxes_meet_where_none_of_their_distances_is_more_than_0() -> None:
    """Also where they just touch, and where an end is infinite."""
    rng = np.random.default_rng(4)
    ends = np.sort(rng.integers(-6, 7, (5000, 2, 3, 2)), axis=-1).astype(float)
    ends[::50, :, 0] = -np.inf, np.inf
    other = np.sort(rng.integers(-3, 4, (2, 3, 2)), axis=-1).astype(float)
    meet = meeting(ends, other)
    assert (meet == (least_distances(ends, other).min(axis=1) == 0.0)).all() and 100 < meet.sum() < 4900


@pytest.mark.parametrize("power", [-1074, -1070, -600, -540, -480, 400, 600, 1020])
def test_distances_of_tiny_and_huge_boxes_are_bounds(power: int) -> None:
    """Their squares are no doubles, or have lost digits."""
    rng = np.random.default_rng(3)
    gaps = rng.integers(0, 8, (200, 3))
    zero, size = np.zeros((200, 3, 2)), np.ldexp(gaps.astype(float), power - (3 if power > 0 else 0))
    away = np.stack([size, size], axis=-1)
    with mpmath.workprec(200):
        for row, least, greatest in zip(size, least_distances(zero, away), greatest_distances(zero, away), strict=True):
            assert least <= mpmath.sqrt(sum(mpmath.mpf(float(x)) ** 2 for x in row)) <= greatest


def test_slices_cover_the_span_and_boxes_the_part() -> None:
    assert slices_in(np.array([0.5]))[0].tolist() == [[0.5, 0.5]]
    slices, stages = slices_in(np.array([0.0, 1.0]))
    assert not stages.any()
    assert len(slices) == SLICES and slices[0, 0] == 0.0 and slices[-1, 1] == 1.0 and (slices[1:, 0] == slices[:-1, 1]).all()
    body = torus().moved(Rigid(translation=[3 * t, 0, t**2]))
    boxes = boxes_through([extent_of(p) for p in faces_of(body)], slices)
    place = sp.lambdify([u, v, t], list(body.expressions))
    rng = np.random.default_rng(0)
    for k, (first, last) in enumerate(slices):
        for a, b, moment in zip(*rng.uniform(0, 2 * np.pi, (2, 20)), rng.uniform(first, last, 20), strict=True):
            point = np.array(place(a, b, moment), float)
            assert (boxes[0, k, :, 0] <= point + 1e-12).all() and (point <= boxes[0, k, :, 1] + 1e-12).all()
