"""Solids of unit cubes, and where points are in them: told by the eight cubes round each point, which is no search for planes."""

import itertools
import math
from fractions import Fraction

import numpy as np

import collide

SHEAR = np.array([[1, 2, -1], [0, 1, 3], [2, 4, -1]], float)
"""Of determinant 1, so that nothing is at right angles to an axis and all numbers stay whole."""


def voxels(g, size, share):
    """Which cubes of (size, size, size) are filled; none of them meet along an edge alone."""
    full = g.random((size,) * 3) < share
    while (bad := _bad(full)).any():
        full[tuple(bad[0])] = True
    return full


def _bad(full):
    """An empty cube beside an edge at which two cubes meet alone."""
    padded = np.pad(full, 1)
    for axes in itertools.combinations(range(3), 2):
        a, b, c, d = (np.roll(padded, shift, axes) for shift in ((0, 0), (0, 1), (1, 0), (1, 1)))
        for one, other, empty in ((a, d, (b, c)), (b, c, (a, d))):
            wrong = np.argwhere(one & other & ~empty[0] & ~empty[1])
            if len(wrong):
                own = [(0, 1), (1, 0)] if one is a else [(0, 0), (1, 1)]
                for shift in own:
                    cube = wrong[0] - 1
                    cube[list(axes)] -= shift
                    if (cube >= 0).all() and (cube < full.shape[0]).all():
                        return cube[None]
    return np.zeros((0, 3), int)


def mesh_of(full, g, matrix=None):
    """Its surface, each square as two triangles."""
    squares = []
    padded = np.pad(full, 1)
    for axis, way in itertools.product(range(3), (0, 1)):
        beyond = np.roll(padded, 1 - 2 * way, axis)
        for cube in np.argwhere(padded & ~beyond) - 1:
            i, j = (axis + 1) % 3, (axis + 2) % 3
            corners = np.repeat(cube[None], 4, axis=0)
            corners[:, axis] += way
            corners[:, i] += [0, 1, 1, 0]
            corners[:, j] += [0, 0, 1, 1]
            squares.append(corners if way else corners[::-1])
    places, of = np.unique(np.concatenate(squares), axis=0, return_inverse=True)
    of = np.roll(of.reshape(-1, 4), 1, axis=1) if g.random() < 0.5 else of.reshape(-1, 4)
    triangles = np.concatenate([of[:, :3], of[:, [0, 2, 3]]])
    return collide.Mesh(places @ (np.eye(3) if matrix is None else matrix).T, triangles)


def kinds(full, points):
    """Kinds (n,) of points: what is the same along an axis near the point is not bounded there."""
    padded = np.pad(full, 2)
    lower, upper = np.ceil(points).astype(int) - 1 + 2, np.floor(points).astype(int) + 2
    lower, upper = (np.clip(x, 0, padded.shape[0] - 1) for x in (lower, upper))
    octants = np.stack([padded[tuple(np.where(pick, upper, lower).T)] for pick in itertools.product((False, True), repeat=3)], axis=1)
    octants = octants.reshape(-1, 2, 2, 2)
    changes = sum((np.diff(octants, axis=axis) != 0).any(axis=(1, 2, 3)).astype(int) for axis in (1, 2, 3))
    table = np.array([collide.Kind.OUT, collide.Kind.FACE, collide.Kind.EDGE, collide.Kind.VERTEX, collide.Kind.IN], object)
    return table[np.where((changes == 0) & octants[:, 0, 0, 0], 4, changes)]


def along(full, segment):
    """(kind, is it a point?) of what a segment runs through, cut at all planes of the lattice."""
    p, q = ([Fraction(x) for x in end] for end in segment.tolist())
    marks = {Fraction(0), Fraction(1)}
    for a, b in zip(p, q, strict=True):
        if a != b:
            marks |= {s for k in range(-1, full.shape[0] + 2) if 0 < (s := (k - a) / (b - a)) < 1}
    order = sorted(marks)
    places = sorted([(s, True) for s in order] + [((a + b) / 2, False) for a, b in itertools.pairwise(order)])
    cells = [[int(c) if c.denominator == 1 else math.floor(c) + 0.5 for c in (a + s * (b - a) for a, b in zip(p, q, strict=True))]
             for s, _ in places]
    return list(zip(kinds(full, np.array(cells, float)), (is_point for _, is_point in places), strict=True))
