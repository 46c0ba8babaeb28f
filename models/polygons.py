"""Polyhedra of many faces, as arrays for `collide.Mesh`: links of a chain, and threads (Ponamgi, Manocha and Lin 1995, Section 5).

Coordinates have few digits, so that what is said of them is exact.
"""

import itertools
from functools import cache
from typing import Any

import numpy as np

Arrays = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3), and triangles (m, 3), counterclockwise as seen from outside."""


def _circle(count: int) -> np.ndarray:
    turn = 2 * np.pi * np.arange(count) / count
    return np.asarray(np.round(np.stack([np.cos(turn), np.sin(turn)], axis=1) * 2.0**20) / 2.0**20)


def torus(*, around: int = 20, along: int = 10, minor: float = 0.1875) -> Arrays:
    """2 `around` `along` triangles with their corners on a torus about the z axis, of the radius 1 and the tube radius `minor`.

    Two of its corners are (1 - minor, 0, 0) and (-1 + minor, 0, 0), if both numbers are even. Of two links of a chain, one of them turned
    by pi / 2 about the x axis, with centres 1 + s apart on it, the nearest corners are as far apart as smooth links are: g, which is
    1 - s - 2 minor. They touch when that is 0. The surfaces are nearer before: the edges at these corners, which run towards the other
    link, are g cos h / sqrt(1 + sin(h)^2) apart, h being pi / `around`, up to 1e-6, by which the coordinates are rounded.
    """
    tube = minor * _circle(along)
    vertices = np.array([[(1 + a) * x, (1 + a) * y, b] for x, y in _circle(around) for a, b in tube])
    j, k = (x.ravel() for x in np.indices((around, along)))
    a, b, c, d = ((j + m) % around * along + (k + n) % along for m, n in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return vertices, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


# -- threads ---------------------------------------------------------------------------------------------------------------

AROUND = 11
STEP = 0.0625
PITCH = AROUND * STEP
ALLOWANCE = 0.0625
PLAY = 0.046875
"""Play of the bolt in the nut along the axis, either way: ALLOWANCE times the radius of the root, 1, times the height of a flank over its
depth, 3/4.
"""
_ROWS = 7
_RISE = STEP * np.array([0, 1, 2.5, 4, 5.5, 6.5, 8.75])
_RADIUS = np.array([1, 1, 1.125, 1.25, 1.375, 1.375, 1.1875])


@cache
def _corners(turns: int) -> np.ndarray:
    """The corners of the thread: rows of the profile, those of the first column first, which has a turn more."""
    def column(j: int) -> np.ndarray:
        row = np.arange(_ROWS * (turns + (j == 0)) + 1)
        radius, rise = _RADIUS[row % _ROWS], _RISE[row % _ROWS] + PITCH * (row // _ROWS) + STEP * j
        return np.column_stack([radius[:, None] * _circle(AROUND)[j], rise])

    return np.concatenate([column(j) for j in range(AROUND)])


def _at(turns: int, row: np.ndarray | int, j: np.ndarray | int) -> np.ndarray:
    """The number of a corner; column 11 is column 0, a turn higher."""
    row, j = np.asarray(row) + np.where(np.asarray(j) == AROUND, _ROWS, 0), np.asarray(j) % AROUND
    return np.asarray(np.where(j == 0, row, _ROWS * turns + _ROWS + 1 + (j - 1) * (_ROWS * turns + 1) + row))


def _thread(turns: int) -> np.ndarray:
    row, j = (x.ravel() for x in np.indices((_ROWS * turns, AROUND)))
    a, b, c, d = (_at(turns, row + m, j + n) for m, n in ((0, 0), (0, 1), (1, 1), (1, 0)))
    return np.concatenate([np.stack([a, b, d], axis=1), np.stack([b, c, d], axis=1)])


def nut(turns: int) -> Arrays:
    """The thread of a nut alone, which is open: 154 triangles a turn, `bolt`'s with its distance from the axis times 1 + ALLOWANCE."""
    return _corners(turns) * [1 + ALLOWANCE, 1 + ALLOWANCE, 1], _thread(turns)[:, ::-1]


def bolt(turns: int) -> Arrays:
    """A bolt with a right-handed thread of so many turns about the z axis, closed: 154 triangles a turn, and 50 at each end.

    In a half-plane of the axis through corners the thread is a trapezium: the root at the radius 1, the crest at 11/8, and flanks that are
    9/32 high. It has 11 columns of corners a turn, of which each is STEP higher than the one before; where it stands in `nut`, moved
    along a screw by any number of steps, every half-plane of the axis meets the nut a factor 1 + ALLOWANCE farther out. If it is pushed
    along the axis then, the corners at the nut's least radius touch its flanks after PLAY exactly: between half-planes through corners the
    ratio of the two depths that come to face each other is less, as triangles are divided so that flanks are nowhere steeper, for their
    depths, and flanks are no less than a step high.
    """
    corners, last = _corners(turns), _ROWS * turns
    ends = [(0, -0.5, -0.75), (1, last * PITCH / _ROWS + PITCH + 0.5, last * PITCH / _ROWS + PITCH + 0.75)]
    vertices, triangles, count = [corners], [_thread(turns)], len(corners)
    for top, low, tip in ends:
        rim = np.column_stack([_circle(AROUND), np.full(AROUND, low)])
        vertices += [rim, np.column_stack([0.5 * _circle(6), np.full(6, tip)])]
        triangles.append(_end(turns, last * top, bool(top), count))
        count += AROUND + 6
    return np.concatenate(vertices), np.concatenate(triangles)


def _end(turns: int, row: int, top: bool, first: int) -> np.ndarray:
    """50 triangles: the end of the ridge, a round wall, and a blunt tip. `first`: the number of the first corner of the rim."""
    edge, rim, tip = _at(turns, row, np.arange(AROUND + 1)), first + np.arange(AROUND + 1) % AROUND, first + AROUND + np.arange(7) % 6
    ridge = _at(turns, row + np.arange(_ROWS + 1), 0)
    faces: list[Any] = [ridge[list(face)] for face in ((1, 2, 7), (2, 6, 7), (2, 3, 6), (3, 4, 6), (4, 5, 6))]
    cut = 0 if top else AROUND - 1
    for j in range(AROUND):
        if j != cut:
            faces += [[rim[j], rim[j + 1], edge[j + 1]], [rim[j], edge[j + 1], edge[j]]]
    # The side at the ridge has two corners more.
    chain = [ridge[0], ridge[1], ridge[7], rim[0], rim[1]] if top else [rim[10], rim[0], ridge[0], ridge[1], ridge[7]]
    apex = edge[1] if top else edge[10]
    faces += [[apex, p, q] for p, q in itertools.pairwise(chain)]
    # Round the tip, by angles.
    j = k = 0
    while j < AROUND or k < 6:
        if k == 6 or (j < AROUND and (j + 1) * 6 <= (k + 1) * AROUND):
            faces.append([rim[j + 1], rim[j], tip[k]])
            j += 1
        else:
            faces.append([tip[k], tip[k + 1], rim[j]])
            k += 1
    faces += [[tip[0], tip[m + 1], tip[m]] for m in range(1, 5)]
    return np.array(faces)[:, ::-1 if top else 1]
