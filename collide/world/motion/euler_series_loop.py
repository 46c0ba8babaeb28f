"""The native loop of `rotation.free_series`: Euler's equations of a body without torque, as a Taylor series in its own frame."""

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Structure, array


class SeriesMemory(Structure):
    """Rows k hold the terms of order k: of the spin, of the angular momentum, and of the quaternion that turns the body from the start."""

    terms: int
    inertia: Grid[float] = array(3, 3)
    inverse: Grid[float] = array(3, 3)
    spin: Grid[float] = array("rows", 3)
    momentum: Grid[float] = array("rows", 3)
    turned: Grid[float] = array("rows", 4)
    sums: Floats = array(7)


@native
def free(s: SeriesMemory) -> int:
    """All terms after the first ones: w' = I^-1 (I w x w), q' = q w / 2."""
    for k in range(s.terms):
        for i in range(7):
            s.sums[i] = 0.0
        for i in range(3):
            s.momentum[k, i] = s.inertia[i, 0] * s.spin[k, 0] + s.inertia[i, 1] * s.spin[k, 1] + s.inertia[i, 2] * s.spin[k, 2]
        for j in range(k + 1):
            add(s, j, k - j)
        for i in range(3):
            s.spin[k + 1, i] = (s.inverse[i, 0] * s.sums[0] + s.inverse[i, 1] * s.sums[1] + s.inverse[i, 2] * s.sums[2]) / (k + 1.0)
        for i in range(4):
            s.turned[k + 1, i] = s.sums[3 + i] / (2.0 * (k + 1.0))
    return 0


@native
def add(s: SeriesMemory, j: int, m: int) -> None:
    """The products of terms of order j and m."""
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        s.sums[i] += s.momentum[j, a] * s.spin[m, b] - s.momentum[j, b] * s.spin[m, a]
        s.sums[3] -= s.turned[j, 1 + i] * s.spin[m, i]
        s.sums[4 + i] += s.turned[j, 0] * s.spin[m, i] + (s.turned[j, 1 + a] * s.spin[m, b] - s.turned[j, 1 + b] * s.spin[m, a])
