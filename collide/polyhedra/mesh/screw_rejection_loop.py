"""Rejection tests under a screw, without a search (Kim and Rossignac 2003, Section 3).

A point on a screw keeps its distance from the axis, and rises and turns evenly. So two parts are apart throughout a window of time if the
ranges of their distances from the axis, of their heights along it, or of their angles round it, moved on by what the screw does in the
window, have nothing in common. The least distance of an edge or a triangle from the axis is not that of its ends: the printed annulus
takes these, and rejects edges that do meet.

All numbers are doubles. They are off by far less than `margin`, 2**-40 of all lengths that occur, and angles by less than that over the
distance from the axis; ranges are that much wider.
"""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, array

from ..primitives.loop import LinearMemory

# Rows of `band`: for each mesh its triangle, the edges and the vertices of that; beside these the two nodes.
BODY, EDGE, VERTEX, BALLS = 7, 1, 4, 14
# Kinds of pairs, and tests, three of each; a half turn, and an angle that may be any.
NODES, PAIR, FACE, EDGES, TESTS = 0, 1, 2, 3, 3
HALF, ANY = 3.141592653589793, 4.0


class ScrewMemory(LinearMemory):
    """The data of the screw; for a mesh's vertices: two coordinates across the axis, the height, the distance from it, the angle."""

    screw: int                                     # 1 + the mesh that moves, or 0 where nothing does by an even screw
    turn: Floats = array(2)                        # its angle at time 0, and in a unit of time
    rise: Floats = array(2)
    margin: float
    around1: Grid[float] = array("vertices", 5)
    around2: Grid[float] = array("vertices", 5)
    corner: Grid[float] = array(6, 5)              # of a pair of triangles
    ball1: Grid[float] = array("nodes", 4)         # of a node: distance from the axis, height, angle; its radius
    ball2: Grid[float] = array("nodes", 4)
    band: Grid[float] = array(16, 6)               # ranges of distance and of height, middle and half of that of angles
    turned: Floats = array(2)                      # what the screw does in the window: likewise
    risen: Floats = array(2)
    refused: Ints = array(12)                      # pairs that were told apart: TESTS kind + test


@native
def sweep(s: ScrewMemory, time: float, end: float) -> None:
    """Find the turn and the rise of the screw in a window."""
    a, b = s.turn[0] + s.turn[1] * time, s.turn[0] + s.turn[1] * end
    s.turned[0], s.turned[1] = 0.5 * (a + b), 0.5 * abs(b - a) + 2.0e-12 * (1.0 + abs(a) + abs(b))
    a, b = s.rise[0] + s.rise[1] * time, s.rise[0] + s.rise[1] * end
    s.risen[0], s.risen[1] = min(a, b) - s.margin, max(a, b) + s.margin


@native
def wrapped(angle: float) -> float:
    """Between -pi and pi."""
    return angle - 2.0 * HALF * np.round(angle / (2.0 * HALF))


@native
def of_vertex(s: ScrewMemory, row: int, k: int) -> None:
    s.band[row, 0], s.band[row, 1] = s.corner[k, 3] - s.margin, s.corner[k, 3] + s.margin
    s.band[row, 2], s.band[row, 3] = s.corner[k, 2], s.corner[k, 2]
    s.band[row, 4], s.band[row, 5] = s.corner[k, 4], ANY
    if s.corner[k, 3] > 1e3 * s.margin:
        s.band[row, 5] = 2.0 * s.margin / s.corner[k, 3]


@native
def of_ball(s: ScrewMemory, row: int, distance: float, height: float, angle: float, radius: float) -> None:
    radius += s.margin
    s.band[row, 0], s.band[row, 1] = distance - radius, distance + radius
    s.band[row, 2], s.band[row, 3] = height - radius, height + radius
    # An arc is at most pi / 2 times as long as its sine.
    s.band[row, 4], s.band[row, 5] = angle, ANY
    if radius < 0.9 * distance:
        s.band[row, 5] = 0.5000001 * HALF * radius / distance


@native
def nodes_refused(s: ScrewMemory, a: int, b: int) -> bool:
    """Whether two nodes are apart throughout the window, by the balls round them."""
    of_ball(s, BALLS, s.ball1[a, 0], s.ball1[a, 1], s.ball1[a, 2], s.ball1[a, 3])
    of_ball(s, BALLS + 1, s.ball2[b, 0], s.ball2[b, 1], s.ball2[b, 2], s.ball2[b, 3])
    return refused(s, BALLS, BALLS + 1, NODES)


@native
def nearest_to_axis(s: ScrewMemory, i: int, j: int) -> float:
    """The distance of the axis from an edge, seen along it."""
    x, y = s.corner[j, 0] - s.corner[i, 0], s.corner[j, 1] - s.corner[i, 1]
    square = x * x + y * y
    share = 0.0
    if square > 0.0:
        share = min(max(-(s.corner[i, 0] * x + s.corner[i, 1] * y) / square, 0.0), 1.0)
    x, y = s.corner[i, 0] + share * x, s.corner[i, 1] + share * y
    return np.sqrt(x * x + y * y)


@native
def of_edge(s: ScrewMemory, row: int, i: int, j: int) -> None:
    near = nearest_to_axis(s, i, j)
    s.band[row, 0], s.band[row, 1] = near - s.margin, max(s.corner[i, 3], s.corner[j, 3]) + s.margin
    s.band[row, 2], s.band[row, 3] = min(s.corner[i, 2], s.corner[j, 2]), max(s.corner[i, 2], s.corner[j, 2])
    way = wrapped(s.corner[j, 4] - s.corner[i, 4])
    s.band[row, 4], s.band[row, 5] = s.corner[i, 4] + 0.5 * way, ANY
    # An edge that passes by the axis is seen under less than a half turn.
    if near > 1e3 * s.margin and abs(way) < 3.1:
        s.band[row, 5] = 0.5 * abs(way) + 4.0 * s.margin / near


@native
def of_triangle(s: ScrewMemory, row: int, k: int) -> None:
    low, high = min(s.corner[k, 2], s.corner[k + 1, 2], s.corner[k + 2, 2]), max(s.corner[k, 2], s.corner[k + 1, 2], s.corner[k + 2, 2])
    far = max(s.corner[k, 3], s.corner[k + 1, 3], s.corner[k + 2, 3])
    near = min(nearest_to_axis(s, k, k + 1), nearest_to_axis(s, k + 1, k + 2), nearest_to_axis(s, k + 2, k))
    # The angles of the corners, as seen from the first one, of a triangle beside the axis lie within less than a half turn.
    one, two = wrapped(s.corner[k + 1, 4] - s.corner[k, 4]), wrapped(s.corner[k + 2, 4] - s.corner[k, 4])
    begin, end = min(0.0, one, two), max(0.0, one, two)
    beside = near > 1e3 * s.margin and end - begin < 3.1
    s.band[row, 0], s.band[row, 1] = near - s.margin if beside else 0.0, far + s.margin
    s.band[row, 2], s.band[row, 3] = low, high
    s.band[row, 4], s.band[row, 5] = s.corner[k, 4] + 0.5 * (begin + end), ANY
    if beside:
        s.band[row, 5] = 0.5 * (end - begin) + 4.0 * s.margin / near


@native
def of_parts(s: ScrewMemory) -> None:
    """Find the bands of the edges and vertices of both triangles; `sweep` and `of_triangle` were called."""
    for side in range(2):
        for k in range(3):
            of_edge(s, BODY * side + EDGE + k, 3 * side + k, 3 * side + (k + 1) % 3)
            of_vertex(s, BODY * side + VERTEX + k, 3 * side + k)


@native
def refused(s: ScrewMemory, first: int, second: int, kind: int) -> bool:
    """Whether these parts, of the first and of the second mesh, are apart throughout the window."""
    test = -1
    a, b = first, second
    if s.screw == 2:
        a, b = second, first
    if s.band[a, 0] > s.band[b, 1] or s.band[b, 0] > s.band[a, 1]:
        test = 0
    elif s.band[a, 2] + s.risen[0] > s.band[b, 3] or s.band[b, 2] > s.band[a, 3] + s.risen[1]:
        test = 1
    elif abs(wrapped(s.band[a, 4] + s.turned[0] - s.band[b, 4])) > s.band[a, 5] + s.band[b, 5] + s.turned[1]:
        test = 2
    if test < 0:
        return False
    s.refused[TESTS * kind + test] += 1
    return True
