"""The period in which the hulls of two nodes of moving Bezier patches meet along axes: Chen et al. 2024, Algorithm 3.

The axes are those of the world, or the 15 of two oriented boxes: their own axes at a moment (Equation 21) and the cross products of
one's with the other's. What an axis removes is proved by the kernel TEST: `apart.apart`, or `apart.swept`.
"""

from codegen.machine.loops import call_kernel, native

from ..loop import address, measured
from ..memory import LANES, TEST


@native
def meeting(s, a, b, tl, th, groups):
    """The period in which the hulls of two nodes may meet along all axes of so many groups of eight, into `out`; is there one?

    Each axis removes closed periods, in which there is no contact. What is left is enclosed by one interval.
    """
    s.T[0] = tl
    s.T[1] = th
    s.T[2] = s.radius[a] + s.radius[b]
    call_kernel(s.count[TEST], address(s, a), address(s, b), s.D, s.T, s.J)
    if groups == 2:
        for i in range(3 * LANES):
            s.D[i] = s.D[3 * LANES + i]
        for i in range(4 * LANES):
            s.X[i] = s.J[i]
        call_kernel(s.count[TEST], address(s, a), address(s, b), s.D, s.T, s.J)
        for i in range(4 * LANES):
            s.J[4 * LANES + i] = s.X[i]
    changed = True
    while changed and tl <= th:
        changed = False
        for block in range(0, 4 * groups, 2):
            for lane in range(LANES):
                begin, stop = s.J[block * LANES + lane], s.J[(block + 1) * LANES + lane]
                if begin <= stop:
                    if begin <= tl and stop > tl:
                        tl = stop
                        changed = True
                    if stop >= th and begin < th:
                        th = begin
                        changed = True
                    if begin <= tl and stop >= th:
                        return False
    s.out[0] = tl
    s.out[1] = th
    return tl <= th


@native
def world_axes(s):
    """The axes of coordinates as the first group; five times none."""
    for k in range(LANES):
        axis(s, k, 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@native
def oriented_axes(s, a, b, t):
    """The axes of both nodes at a time, and the nine cross products, as two groups; the last one twice."""
    for side in range(2):
        node = b if side == 1 else a
        axis(s, 3 * side, measured(s, node, 0, 0, t), measured(s, node, 0, 1, t), measured(s, node, 0, 2, t))
        axis(s, 3 * side + 1, measured(s, node, 1, 0, t), measured(s, node, 1, 1, t), measured(s, node, 1, 2, t))
        crossed(s, 3 * side + 1, 3 * side, 3 * side + 1)
        crossed(s, 3 * side + 2, 3 * side, 3 * side + 1)
    for i in range(3):
        for j in range(3):
            crossed(s, 6 + 3 * i + j, i, 3 + j)
    crossed(s, 15, 0, 3)


@native
def axis(s, k, x, y, z):
    """Axis k of 16: two groups of three blocks."""
    at = 3 * LANES * (k // LANES) + k % LANES
    s.D[at] = x
    s.D[at + LANES] = y
    s.D[at + 2 * LANES] = z


@native
def crossed(s, k, i, j):
    """Axis k is the cross product of axes i and j."""
    a, b = 3 * LANES * (i // LANES) + i % LANES, 3 * LANES * (j // LANES) + j % LANES
    x1, y1, z1 = s.D[a], s.D[a + LANES], s.D[a + 2 * LANES]
    x2, y2, z2 = s.D[b], s.D[b + LANES], s.D[b + 2 * LANES]
    axis(s, k, y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2)
