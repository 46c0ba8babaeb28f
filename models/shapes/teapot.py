"""The Utah teapot: 32 bicubic Bezier patches after the table of M. Newell (1975, University of Utah).

The published table of 306 points is highly regular, and only what is not repeated is kept here. Rim, body, lid and bottom are turned
about the z axis: a profile of four points (r, z) for each of six bands, and in every quarter the ring (r, 0), (r, 0.56 r), (0.56 r, r),
(0, r); of the lid's knob the ring of radius 0.8 has 0.45 in place of 0.448, as published. Handle and spout are halves and their
mirror images in y: four sections each, with an inner and an outer point (x, z) and a half width.
"""

from typing import Any

import sympy as sp

from generative import Solid
from generative.patch import bezier_patch
from generative.symbols import exact

from .facts import Facts, shape

Point = tuple[Any, Any, Any]
Net = list[list[Point]]

# From the top down, so that the normal is outward.
_PROFILES = {
    "rim": ("1.4 2.4", "1.3375 2.53125", "1.4375 2.53125", "1.5 2.4"),
    "upper body": ("1.5 2.4", "1.75 1.875", "2 1.35", "2 0.9"),
    "lower body": ("2 0.9", "2 0.45", "1.5 0.225", "1.5 0.15"),
    "knob": ("0 3.15", "0.8 3.15", "0 2.85", "0.2 2.7"),
    "lid": ("0.2 2.7", "0.4 2.55", "1.3 2.55", "1.3 2.4"),
    "bottom": ("1.5 0.15", "1.5 0.075", "1.425 0", "0 0"),
}
# Inner x and z, outer x and z, half width.
_SECTIONS = {
    "upper handle": ("-1.6 2.025 -1.5 2.25 0.3", "-2.3 2.025 -2.5 2.25 0.3", "-2.7 2.025 -3 2.25 0.3", "-2.7 1.8 -3 1.8 0.3"),
    "lower handle": ("-2.7 1.8 -3 1.8 0.3", "-2.7 1.575 -3 1.35 0.3", "-2.5 1.125 -2.65 0.9375 0.3", "-2 0.9 -1.9 0.6 0.3"),
    "lower spout": ("1.7 1.425 1.7 0.6 0.66", "2.6 1.425 3.1 0.825 0.66", "2.3 2.1 2.4 2.025 0.25", "2.7 2.4 3.3 2.4 0.25"),
    "upper spout": ("2.7 2.4 3.3 2.4 0.25", "2.8 2.475 3.525 2.49375 0.25", "2.9 2.475 3.45 2.5125 0.15", "2.8 2.4 3.2 2.4 0.15"),
}


def teapot_nets(size: Any = 1) -> list[Net]:
    """The 4 x 4 control points of the 32 patches, exact: the quarters of the six bands first, then handle and spout."""
    nets = [_quarter(_numbers(rows), turn) for rows in _PROFILES.values() for turn in range(4)]
    nets += [_half(_numbers(rows), side) for rows in _SECTIONS.values() for side in (-1, 1)]
    scale = exact(size)
    return [[[(scale * x, scale * y, scale * z) for x, y, z in row] for row in net] for net in nets]


def _numbers(rows: tuple[str, ...]) -> list[list[Any]]:
    return [[sp.Rational(x) for x in row.split()] for row in rows]


def _quarter(profile: list[list[Any]], turns: int) -> Net:
    return [[_turned(x, y, turns) + (z,) for x, y in _ring(r)] for r, z in profile]  # type: ignore[misc]


def _ring(r: Any) -> list[tuple[Any, Any]]:
    near = sp.Rational(9, 20) if r == sp.Rational(4, 5) else r * sp.Rational(14, 25)
    return [(r, sp.Integer(0)), (r, near), (near, r), (sp.Integer(0), r)]


def _turned(x: Any, y: Any, turns: int) -> tuple[Any, Any]:
    """The point turned by quarter turns, exactly."""
    for _ in range(turns):
        x, y = -y, x
    return x, y


def _half(sections: list[list[Any]], side: int) -> Net:
    rows = [[(x, sp.Integer(0), z), (x, side * w, z), (a, side * w, c), (a, sp.Integer(0), c)] for x, z, a, c, w in sections]
    return rows if side > 0 else [row[::-1] for row in rows]  # a mirror image run through forwards would be inside out


def _teapot_facts(size: Any = 1) -> Facts:
    # The outer curve of the upper spout is farthest where 225 - 600 s + 125 s^2 = 0.
    s = (12 - 3 * sp.sqrt(11)) / 5
    x = [sp.Rational(w) for w in ("3.3", "3.525", "3.45", "3.2")]
    farthest = sum(c * w * s**k * (1 - s)**(3 - k) for k, (c, w) in enumerate(zip((1, 3, 3, 1), x, strict=True)))
    scale = exact(size)
    return {"box": [(-3 * scale, farthest * scale), (-2 * scale, 2 * scale), (0 * scale, sp.Rational(63, 20) * scale)]}


@shape(_teapot_facts, source="M. Newell, University of Utah, 1975; printed in F. Crow, The origins of the teapot, IEEE CG&A 7(1), 1987",
       symmetry="mirror y")
def teapot(*, size: Any = 1) -> Solid:
    """The 32 patches as faces, z upwards, spout along +x: S(u, v) = the sum of B_i(u) B_j(v) P_ij.

    Lid and body are apart; handle and spout run into the body.
    """
    return Solid([bezier_patch(net) for net in teapot_nets(size)])
