"""Boxes in turned frames: bounds of distances that hold for all points of the parts, and are close where these are nearest."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from collide.bodies.extent import extent_of
from collide.bodies.parts import faces_of
from collide.culling.turned_boxes import Placed, frame_along, nearest_of_hulls, placed, turned_distances
from generative import Rigid, solids

CORNERS = list(itertools.product((0, 1), repeat=3))


def motion(turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """(1, 12, 2): a motion by doubles."""
    return np.repeat(np.append(turn.ravel(), shift)[None, :, None], 2, axis=2)


def squared(p: list[Fraction], q: list[Fraction]) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(p, q, strict=True)), Fraction(0))


def image(placed: Placed, point: list[Fraction]) -> list[Fraction]:
    at = [Fraction(e) for e in placed.motions[0, :, 0].tolist()]
    return [sum((at[3 * i + j] * point[j] for j in range(3)), at[9 + i]) for i in range(3)]


def test_no_point_of_two_boxes_is_nearer_than_their_bound() -> None:
    """By exact arithmetic: corners, and points between them, of boxes in random poses of doubles, at sizes far from 1 as well."""
    rng, apart = np.random.default_rng(3), 0
    for size in (1.0, 1e-9, 1e12):
        for _ in range(12):
            both = []
            for side in (0, 1):
                turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
                cells = size * np.sort(rng.uniform(-1, 1, (1, 1, 3, 2)), axis=-1)
                both.append(Placed(motion(turn, size * (rng.uniform(-1, 1, 3) + [0, 0, 4 * side])), cells))
            found = turned_distances(*both)
            assert found is not None
            bound, far = Fraction(float(found[0][0, 0])), []
            for shares in rng.integers(0, 5, (20, 2, 3)).tolist():
                points = [image(own, [Fraction(lo) + (Fraction(hi) - Fraction(lo)) * Fraction(s, 4)
                                      for s, (lo, hi) in zip(row, own.cells[0, 0].tolist(), strict=True)])
                          for row, own in zip(shares, both, strict=True)]
                far.append(squared(*points))
            assert bound**2 <= min(far)
            apart += bound > 0
    assert apart == 36


@pytest.mark.parametrize("way", [(1, 0, 0), (0, 0, -1), (1, 1, 1), (1e-9, 1, 0), (1e-200, 3e-200, 0), (1e150, 1, 2)])
def test_a_frame_lengthens_no_vector(way: tuple[float, float, float]) -> None:
    """F^T F - I has no positive eigenvalue: the leading minors of I - F^T F are positive, in exact arithmetic."""
    frame = frame_along(np.array(way))
    assert frame is not None
    f = [[Fraction(e) for e in row] for row in frame.tolist()]
    m = [[(i == j) - sum(f[k][i] * f[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    second = m[0][0] * m[1][1] - m[0][1] * m[1][0]
    third = sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3))
    assert m[0][0] > 0 and second > 0 and third > 0
    along = frame @ (np.array(way) / np.abs(way).max())
    assert abs(along[0]) > 1e9 * np.abs(along[1:]).max()


def test_hulls_that_meet_have_no_direction() -> None:
    corners = np.array(CORNERS, float)
    assert nearest_of_hulls(corners, corners + 0.5) is None
    assert nearest_of_hulls(corners, np.full((2, 3), np.inf)) is None
    near = nearest_of_hulls(corners, corners + [3.0, 0.25, 0.0])
    assert near is not None and np.allclose(near[1] - near[0], [2, 0, 0])


def test_parts_of_a_solid_that_is_turned() -> None:
    """A cube is above a plate, with a corner down: the three faces at that corner are as near as it is, the others are farther."""
    cube = solids.box((1, 1, 1)).moved(Rigid(rotation=[0.88, 0.325, -0.28, 0.2], normalize=True, translation=[0, 0, 3]))
    parts = [[extent_of(part) for part in faces_of(body)] for body in (cube, solids.box((4, 4, 1)))]
    found = turned_distances(*(placed(own, 0.0) for own in parts))
    assert found is not None
    least = found[0].min(axis=1)
    corners = parts[0][0].motion.apply
    lowest = min(float(corners([x - 0.5, y - 0.5, z - 0.5])[2]) for x, y, z in CORNERS) - 0.5
    assert sorted(least)[2] <= lowest and np.allclose(sorted(least)[:3], lowest) and sorted(least)[3] > lowest + 0.1
