"""Signs of gaps of flying balls, to each other or to a wall, by polynomials that are proved.

The square of the distance of two centres, and the height of one above a plane, are polynomials of the time. Their signs are told by whole
numbers: those of flights are doubles, multiples of a power of two. A polynomial whose coefficients after Bernstein are positive is so in
all of a window.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...culling.broad_phase import Window
from ..motion.ballistic import Ballistic
from ..motion.polynomial import Polynomial
from .support_planes import Wall

# A window is halved so often to prove that a polynomial is positive in it; zeros that are real but for so much are tried, of a polynomial
# without the last coefficients that are less than so much of the greatest: less than its roundings, in a window. Effort only.
_HALVINGS, _REAL, _NONE = 60, 1e-9, 1e-20


class Radius(NamedTuple):
    """Bounds of the radius of a ball."""

    least: float
    most: float


class Beside(NamedTuple):
    """Two paths, of centres, and how near these come: to each other, or to a wall the only one that flies; `reach`: bounds of that."""

    paths: tuple[Ballistic | Polynomial, ...]
    wall: Wall | None
    reach: Radius


def gap_at(b: Beside, time: float) -> tuple[float, np.ndarray]:
    """The gap between bodies, in doubles, and the normal from the first path to the second, or from the wall to the only one."""
    places = [f.centre_at(time) for f in b.paths]
    if b.wall is not None:
        return float(places[0] @ b.wall.normal) - b.wall.level - b.reach.most, b.wall.normal
    way = places[1] - places[0]
    far = float(np.linalg.norm(way))
    return far - b.reach.most, way / far


def closing(b: Beside, time: float) -> float:
    """The speed at which bodies come together, in doubles."""
    speeds = [f.velocity_at(time) for f in b.paths]
    return -float(gap_at(b, time)[1] @ (speeds[0] if len(speeds) == 1 else speeds[1] - speeds[0]))


def polynomial(b: Beside, reach: float, begin: float, end: float) -> list[int]:
    """A positive multiple, by whole numbers, of the coefficients of what tells that centres are farther than `reach` from each other, or
    from the plane of a wall, at the time begin + u (end - begin), as a polynomial of u: exactly.
    """
    rows = [course.coefficients for course in b.paths]
    degree, plane = max(map(len, rows)) - 1, (*b.wall.normal.tolist(), b.wall.level) if b.wall else ()
    numbers, s = _whole([reach, begin, end, *plane, *(c.start for c in b.paths), *itertools.chain(*itertools.chain(*rows))])
    far, first, last, *rest = numbers
    walls, starts, rest = rest[:len(plane)], rest[len(plane):len(plane) + len(rows)], rest[len(plane) + len(rows):]
    # Multiples of 2^(-s - s degree).
    place = [[0] * (degree + 1) for _ in range(3)]
    for k in range(3):
        at = 0
        for n, row in enumerate(rows):
            own = _shifted(rest[at + k:at + 3 * len(row):3], first - starts[n], last - first, s)
            for m, e in enumerate(own):
                place[k][m] += (-e if n < len(rows) - 1 else e) << s * (degree + 1 - len(row))
            at += 3 * len(row)
    if b.wall is None:
        found = [sum(e) for e in zip(*map(_square, place), strict=True)]
        found[0] -= (far << s * degree) ** 2
        return found
    found = [sum(n * e[k] for n, e in zip(walls, place, strict=False)) for k in range(degree + 1)]
    found[0] -= (far + walls[3]) << s * (degree + 1)
    return found


def _whole(values: Sequence[float]) -> tuple[list[int], int]:
    """Doubles as multiples of 2^-shift."""
    ratios = [float(e).as_integer_ratio() for e in values]
    shift = max(d.bit_length() for _, d in ratios) - 1
    return [n << (shift - d.bit_length() + 1) for n, d in ratios], shift


def _shifted(row: Sequence[int], begin: int, length: int, s: int) -> list[int]:
    """The coefficients by u of a polynomial of tau = begin + u length, all multiples of 2^-s, as multiples of 2^(-s - s degree)."""
    found, scale = [row[-1]], 0
    for e in row[-2::-1]:
        scale += s
        found = [begin * a + length * b for a, b in zip([*found, 0], [0, *found], strict=True)]
        found[0] += e << scale
    return found


def _square(row: Sequence[int]) -> list[int]:
    """The square of a polynomial, by that of its value at a power of two, which tells all coefficients of the product (Kronecker)."""
    width = 2 * max(e.bit_length() for e in row) + len(row).bit_length() + 1
    value = sum(e << width * k for k, e in enumerate(row)) ** 2
    found, half = list[int](), 1 << (width - 1)
    for _ in range(2 * len(row) - 1):
        found.append(((value + half) & (2 * half - 1)) - half)
        value = (value - found[-1]) >> width
    return found


def farther(b: Beside, reach: float, begin: float, end: float) -> bool:
    """Whether it is *proved* that centres are farther than `reach` from each other, or from a wall, all the time."""
    row = polynomial(b, reach, begin, end)
    degree = len(row) - 1
    share = math.lcm(*(math.comb(degree, k) for k in range(degree + 1)))
    row = [e * (share // math.comb(degree, k)) for k, e in enumerate(row)]
    for k in range(degree):
        row[k + 1:] = [a + b for a, b in itertools.pairwise(row[k:])]
    return _positive(row, _HALVINGS)


def _positive(row: list[int], halvings: int) -> bool:
    """Whether a polynomial is positive, by its coefficients after Bernstein, or by those of both halves (de Casteljau)."""
    if row[0] <= 0 or row[-1] <= 0:
        return False
    if min(row) > 0:
        return True
    degree = len(row) - 1
    left, right = [row[0] << degree], [row[-1] << degree]
    for k in range(1, degree + 1):
        row = [a + b for a, b in itertools.pairwise(row)]
        left.append(row[0] << (degree - k))
        right.append(row[-1] << (degree - k))
    return halvings > 0 and _positive(left, halvings - 1) and _positive(right[::-1], halvings - 1)


def nearer(b: Beside, reach: float, time: float) -> bool:
    """Whether it is *proved* that centres are nearer than `reach` at a time."""
    return polynomial(b, reach, time, time)[0] < 0


def zeros(b: Beside, reach: float, window: Window) -> list[float]:
    """The times at which centres come as near as `reach`, in order, in doubles: no proof."""
    row = polynomial(b, reach, *window)
    size = max(map(abs, row))
    values = [e / size for e in row] if size else [0.0]
    found = [u for u in _roots(values) if 0.0 <= u <= 1.0 and sum(k * e * u ** (k - 1) for k, e in enumerate(values) if k) < 0.0]
    return [window[0] + u * (window[1] - window[0]) for u in found]


def _roots(row: list[float]) -> list[float]:
    """The real roots, in order, those outside of 0 to 1 except for what matters little there."""
    least = _NONE * max(map(abs, row))
    while len(row) > 1 and abs(row[-1]) <= least:
        row = row[:-1]
    if len(row) > 3:
        found = np.roots(row[::-1])
        return sorted(found.real[np.abs(found.imag) <= _REAL * np.abs(found)].tolist())
    if len(row) < 3:
        return [-row[0] / row[1]] if len(row) == 2 else []
    c, half, a = row[0], row[1] / 2.0, row[2]
    square = half * half - a * c
    if square < 0.0:
        return []
    q = -(half + math.copysign(math.sqrt(square), half))
    return sorted([q / a, c / q]) if q else [0.0]
