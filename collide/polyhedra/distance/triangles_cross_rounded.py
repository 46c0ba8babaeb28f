"""Intersection of two triangles at poses of their bodies, whatever the rounding, by signs with bounds of their errors (`closest.memory`).
"""

from codegen.machine.loops import native

from ..closest.memory import E, F, M, N, WalkMemory, X, Y, Z, cross, difference, dot, edge, error, measure, put_all

APART, NEAR, OPEN = 0, 1, 2


@native
def verdict(s: WalkMemory, known: bool) -> int:
    """The verdict on the triangles that begin with the half-edges `slot`. `known`: they are near."""
    if known:
        return NEAR
    s.dim[0], s.dim[1] = 2, 2
    put_all(s)
    for side in range(2):
        for k in range(3):
            if surely_crosses(s, side, k):
                return NEAR
    return OPEN


@native
def surely_crosses(s: WalkMemory, side: int, k: int) -> bool:
    """Whether a side of one triangle crosses the other, whatever the rounding."""
    i, far, j = 3 * side + k, 3 * side + (k + 1) % 3, 3 * (1 - side)
    edge(s, E, 1 - side, j, j + 1)
    edge(s, F, 1 - side, j, j + 2)
    cross(s, M, E, F)
    difference(s, j, i)
    begin, off = dot(s, X, M), error(s, X, M)
    difference(s, j, far)
    end = dot(s, X, M)
    if not (abs(begin) > off and abs(end) > error(s, X, M) and (begin > 0.0) != (end > 0.0)):
        return False
    edge(s, N, side, i, far)
    up, down = 0, 0
    for m in range(3):
        difference(s, i, j + m)
        for c in range(3):
            s.v[Y, c] = s.v[X, c]
        measure(s, Y, s.far)
        difference(s, i, j + (m + 1) % 3)
        cross(s, Z, Y, X)
        turn, off = dot(s, Z, N), error(s, Z, N)
        up += 1 if turn > off else 0
        down += 1 if turn < -off else 0
    return up == 3 or down == 3
