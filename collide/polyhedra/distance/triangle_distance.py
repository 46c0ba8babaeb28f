"""The nearest points of two triangles, in plain doubles: approximately, and no claim is made of them."""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Structure, array

# Of the square of a sine: below that edges count as parallel.
_FLAT = 1e-14


class NearestMemory(Structure):
    t: Grid[float] = array(6, 3)    # the corners of both,
    near: Floats = array(6)         # and the nearest points
    squared: float                  # how far these are from each other


@native
def nearest(s: NearestMemory) -> None:
    s.squared = np.inf
    for i in range(3):
        for j in range(3):
            edges(s, i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3)
        corner(s, i, 3, 1.0)
        corner(s, 3 + i, 0, -1.0)
    return


@native
def edges(s: NearestMemory, a: int, b: int, c: int, d: int) -> None:
    ux, uy, uz = s.t[b, 0] - s.t[a, 0], s.t[b, 1] - s.t[a, 1], s.t[b, 2] - s.t[a, 2]
    vx, vy, vz = s.t[d, 0] - s.t[c, 0], s.t[d, 1] - s.t[c, 1], s.t[d, 2] - s.t[c, 2]
    rx, ry, rz = s.t[a, 0] - s.t[c, 0], s.t[a, 1] - s.t[c, 1], s.t[a, 2] - s.t[c, 2]
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    ur, vr = ux * rx + uy * ry + uz * rz, vx * rx + vy * ry + vz * rz
    den, x, y = uu * vv - uv * uv, 0.0, 0.0
    if den > uu * vv * _FLAT:
        x = unit((uv * vr - ur * vv) / den)
    if vv > 0.0:
        y = unit((uv * x + vr) / vv)
    if uu > 0.0:
        x = unit((uv * y - ur) / uu)
    note(s, s.t[a, 0] + x * ux, s.t[a, 1] + x * uy, s.t[a, 2] + x * uz, s.t[c, 0] + y * vx, s.t[c, 1] + y * vy, s.t[c, 2] + y * vz)


@native
def unit(x: float) -> float:
    return min(max(x, 0.0), 1.0)


@native
def corner(s: NearestMemory, p: int, f: int, way: float) -> None:
    """A corner and the point of the other triangle below it, if there is one. `way` -1: the corner is of the second triangle."""
    ux, uy, uz = s.t[f + 1, 0] - s.t[f, 0], s.t[f + 1, 1] - s.t[f, 1], s.t[f + 1, 2] - s.t[f, 2]
    vx, vy, vz = s.t[f + 2, 0] - s.t[f, 0], s.t[f + 2, 1] - s.t[f, 1], s.t[f + 2, 2] - s.t[f, 2]
    rx, ry, rz = s.t[p, 0] - s.t[f, 0], s.t[p, 1] - s.t[f, 1], s.t[p, 2] - s.t[f, 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    if not nn > 0.0:
        return
    x = ((ry * vz - rz * vy) * nx + (rz * vx - rx * vz) * ny + (rx * vy - ry * vx) * nz) / nn
    y = ((uy * rz - uz * ry) * nx + (uz * rx - ux * rz) * ny + (ux * ry - uy * rx) * nz) / nn
    if x >= 0.0 and y >= 0.0 and x + y <= 1.0:
        a, b, c = s.t[f, 0] + x * ux + y * vx, s.t[f, 1] + x * uy + y * vy, s.t[f, 2] + x * uz + y * vz
        if way > 0.0:
            note(s, s.t[p, 0], s.t[p, 1], s.t[p, 2], a, b, c)
        else:
            note(s, a, b, c, s.t[p, 0], s.t[p, 1], s.t[p, 2])
    return


@native
def note(s: NearestMemory, a: float, b: float, c: float, x: float, y: float, z: float) -> None:
    squared = (x - a) * (x - a) + (y - b) * (y - b) + (z - c) * (z - c)
    if squared < s.squared:
        s.squared = squared
        s.near[0], s.near[1], s.near[2], s.near[3], s.near[4], s.near[5] = a, b, c, x, y, z
    return
