"""The period in which the hulls of two nodes of moving Bezier patches meet along axes: Chen et al. 2024, Algorithm 3.

The axes are those of the world, or the 15 of two oriented boxes: their own axes at a moment (Equation 21) and the cross products of
one's with the other's. What an axis removes is proved by the kernel `test`: `apart.apart`, or `apart.swept`.
"""

from codegen.machine.loops import call_kernel, native

from ..loop import ALONG_U, ALONG_V, measured
from ..memory import LANES, Subpatch
from .contacts_memory import AxesMemory


@native
def meeting(s: AxesMemory, a: Subpatch, b: Subpatch, begin: float, end: float, groups: int) -> bool:
    """The `period` in which the hulls of two nodes may meet along all axes of so many groups of eight; whether there is one.

    Each axis removes closed periods, in which there is no contact. What is left is enclosed by one interval.
    """
    s.T[0], s.T[1], s.T[2] = begin, end, a.radius + b.radius
    for group in range(groups):
        call_kernel(s.test, a.vectors, b.vectors, s.axes[group], s.T, s.apart[group])
    changed = True
    while changed and begin <= end:
        changed = False
        for block in range(0, 4 * groups, 2):
            apart = s.apart[block // 4]
            for lane in range(LANES):
                start, stop = apart[block % 4, lane], apart[block % 4 + 1, lane]
                if start <= stop:
                    if start <= begin and stop > begin:
                        begin = stop
                        changed = True
                    if stop >= end and start < end:
                        end = start
                        changed = True
                    if start <= begin and stop >= end:
                        return False
    s.period[0], s.period[1] = begin, end
    return begin <= end


@native
def world_axes(s: AxesMemory) -> None:
    """The axes of coordinates as the first group; five times none."""
    for k in range(LANES):
        axis(s, k, 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@native
def oriented_axes(s: AxesMemory, a: Subpatch, b: Subpatch, t: float) -> None:
    """The axes of both nodes at a time, and the nine cross products, as two groups; the last one twice."""
    for side in range(2):
        node = b if side == 1 else a
        along(s, 3 * side, node, ALONG_U, t)
        along(s, 3 * side + 1, node, ALONG_V, t)
        crossed(s, 3 * side + 1, 3 * side, 3 * side + 1)
        crossed(s, 3 * side + 2, 3 * side, 3 * side + 1)
    for i in range(3):
        for j in range(3):
            crossed(s, 6 + 3 * i + j, i, 3 + j)
    crossed(s, 15, 0, 3)


@native
def along(s: AxesMemory, k: int, node: Subpatch, which: int, t: float) -> None:
    """Axis k is one of the vectors of a node."""
    axis(s, k, measured(s, node, which, 0, t), measured(s, node, which, 1, t), measured(s, node, which, 2, t))


@native
def axis(s: AxesMemory, k: int, x: float, y: float, z: float) -> None:
    """Axis k of 16."""
    axes, lane = s.axes[k // LANES], k % LANES
    axes[0, lane], axes[1, lane], axes[2, lane] = x, y, z


@native
def crossed(s: AxesMemory, k: int, i: int, j: int) -> None:
    """Axis k is the cross product of axes i and j."""
    a, b, p, q = s.axes[i // LANES], s.axes[j // LANES], i % LANES, j % LANES
    x1, y1, z1 = a[0, p], a[1, p], a[2, p]
    x2, y2, z2 = b[0, q], b[1, q], b[2, q]
    axis(s, k, y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2)
