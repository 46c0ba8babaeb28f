"""Bound of the first touch of two bodies in flight by their outward normals, for the native loop of `bounding_trees_loop`.

Where bodies touch for the first time, and are smooth there, their outward normals are opposed: otherwise they would be in each other then,
and just before. And what touches comes together: if the point of the one moves, against that of the other, to the side of the outward
normal n of that, it was inside just before. So of bodies that touch as a time begins, but are not in each other, and move like that
wherever they may touch, none comes into the other in it.
"""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, array

from .stretches_loop import StretchesMemory

# How long something holds is shortened by so much.
SHORTER = 1.0 - 2.0**-20
# Sines of angles between vectors that are parallel but for rounding are no greater.
SLANT = 1e-6
# What parts does so with this share of its speed at least: so it gets out of roundings, too.
_LEAVING = 1e-3


class TreesMemory(StretchesMemory):
    """Trees of two bodies."""

    node1: Grid[float] = array("nodes", 8)  # centre, radius, thickness and normal
    node2: Grid[float] = array("nodes", 8)
    slant1: Floats = array("nodes")         # bounds of tangents of angles between these normals and the outward ones of what nodes hold;
    slant2: Floats = array("nodes")         # infinite: none is known
    way: Floats = array(6)                  # D and V of a pair


@native
def averted_for(s: TreesMemory, a: int, b: int, time: float) -> float:
    """The time for which, from a time on, no outward normals of what two nodes hold are opposed. Infinite: to the end.

    Those of one are within an angle of its normal, of tangent `slant`, so they are not if the angle between the normal of one node and the
    opposite of the other is greater than the sum of both.
    """
    one, two, opposed = 0.0, 0.0, 0.0
    for i in range(3):
        first, second = 0.0, 0.0
        for j in range(3):
            k = 3 * i + j
            first += (s.turn[k] + time * s.turn[9 + k]) * s.node1[a, 5 + j]
            second += (s.turn[18 + k] + time * s.turn[27 + k]) * s.node2[b, 5 + j]
        one += first * first
        two += second * second
        opposed -= first * second
    one, two = np.sqrt(one), np.sqrt(two)
    if not (one > 0.5 and two > 0.5):
        return 0.0
    slant = (s.slant1[a] + s.slant2[b]) / (1.0 - s.slant1[a] * s.slant2[b])
    spare = 1.0 / np.sqrt(1.0 + slant * slant) - opposed / (one * two) - SLANT - 2.0 * (s.skew[0] + s.skew[1])
    return lasting(spare, 2.0 * (s.whirl[0] + s.whirl[1]), s.last - time)


@native
def parting_for(s: TreesMemory, a: int, b: int, time: float, side: int) -> float:
    """The time for which, from a time on, all that may touch of what two nodes hold parts, as the normal of one of them tells. Infinite: to
    the end.

    At a common point w, the velocity of the other body against that of `side`, is W, that of the centres of the nodes, up to an error of
    e. With m, the unit vector along the normal of the node, n w > 0 for all outward normals n if m W - e > slant (|W| + e).
    """
    square, along, size, force = 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        m, g = 0.0, s.place[6 + i]
        w = s.way[3 + i] + time * g
        for j in range(3):
            k = 3 * i + j
            if side == 0:
                m += (s.turn[k] + time * s.turn[9 + k]) * s.node1[a, 5 + j]
            else:
                m += (s.turn[18 + k] + time * s.turn[27 + k]) * s.node2[b, 5 + j]
        square += m * m
        along += m * w
        size += w * w
        force += g * g
    square, size, force = np.sqrt(square), np.sqrt(size), np.sqrt(force)
    if not square > 0.5:
        return 0.0
    along = along / square if side == 0 else -along / square
    slant = (s.slant1[a] if side == 0 else s.slant2[b]) + _LEAVING
    one, two = s.node1[a, 3], s.node2[b, 3]
    e = s.drift + time * s.bend + (s.pace[0] + time * s.jerk[0]) * one + (s.pace[1] + time * s.jerk[1]) * two
    spare = along - e - slant * (size + e) - (SLANT + 2.0 * s.skew[side]) * size
    # As time goes on W changes by a force, e grows, and m turns.
    rate = (1.0 + slant) * (force + s.bend + s.jerk[0] * one + s.jerk[1] * two) + 2.0 * s.whirl[side] * (size + force * (s.last - time))
    return lasting(spare, rate, s.last - time)


@native
def lasting(spare: float, rate: float, rest: float) -> float:
    """The time for which something is positive that decreases no faster than that; infinite: for the rest of the time."""
    if not spare > 0.0:
        return 0.0
    return np.inf if rate * rest < spare else SHORTER * spare / rate
