"""Solids from curves: extruded, revolved, lofted and swept, closed by caps where they are open; and solids of a few numbers: boxes,
cylinders, spheres, cones, and what a ball sweeps, capsules and rounded boxes.

Outlines are closed curves that run counterclockwise; `generative.sew` makes the edges and refuses what does not close.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import sympy as sp

from .brep import Edge, Solid
from .curve import Curve
from .polyhedron import brick
from .sew import cap, open_sides, sew
from .surface import ParametricSurface
from .sweep import extrude, loft, revolve, sweep
from .symbols import positive, text, u, v, vector

_TURN = (0, 2 * sp.pi)


def capped(side: ParametricSurface, *centres: Any) -> Solid:
    """A tube closed by a cap at each open end, in the order u = lo, u = hi, v = lo, v = hi.

    `centres`: one point an open end, from which its whole outline is seen; none: the mean of three points of each outline. Caps of
    plane outlines are flat. A surface that is closed already is a solid by itself.
    """
    ends = open_sides(side)
    if centres and len(centres) != len(ends):
        raise ValueError(f"the surface has {len(ends)} open ends, got {len(centres)} centres of caps")
    if len(ends) > 2:
        raise ValueError("only a tube can be capped: one pair of opposite sides of the surface must coincide")
    return sew([side, *(cap(side, end, centre) for end, centre in zip(ends, centres or [None] * len(ends), strict=True))])


def extruded(outline: Curve, direction: Any) -> Solid:
    """The closed outline moved along `direction`, with two caps."""
    return capped(extrude(outline, direction))


def revolved(profile: Curve) -> Solid:
    """The profile, a curve in the half-plane x >= 0, y = 0 that runs upwards, turned about the z axis and closed by discs.

    Where it begins or ends on the axis there is no disc; a closed profile needs none.
    """
    tube = revolve(profile)
    middles = {v_end: (0, 0, profile.at(profile.domain[v_end])[2]) for v_end in (0, 1)}
    return capped(tube, *(middles[end] for _, end in open_sides(tube)))


def lofted(sections: Sequence[Curve], *, at: Sequence[Any] | None = None) -> Solid:
    """The solid through closed sections, as `generative.sweep.loft` joins them, with caps on the first and last."""
    return capped(loft(sections, at=at))


def swept(section: Curve, path: Curve, *, up: Any = (0, 0, 1), scale: Any = 1) -> Solid:
    """The closed section carried along the path as by `generative.sweep.sweep`, with caps about the ends of the path.

    The section must surround its origin. No caps where path and frame close up.
    """
    tube = sweep(section, path, up=up, scale=scale)
    return capped(tube, *(path.at(path.domain[end]) for _, end in open_sides(tube)))


def box(sizes: Any = (1, 1, 1), *, name: str | None = None) -> Solid:
    """|x| <= a/2, |y| <= b/2, |z| <= c/2 for `sizes` = (a, b, c), positive numbers. `name`: what results call it."""
    return brick([positive(e, [], "a size of a box") for e in vector(sizes, [], "the sizes of a box")]).named(name)


def cylinder(radius: Any = sp.Rational(1, 2), length: Any = 1, *, name: str | None = None) -> Solid:
    """x^2 + y^2 <= radius^2, |z| <= length/2: about the origin, along z. `name`: what results call it."""
    r, end = positive(radius, [], "the radius of a cylinder"), positive(length, [], "the length of a cylinder")
    low = Curve([r * sp.cos(u), r * sp.sin(u), -end / 2], _TURN)
    return extruded(low, [0, 0, end]).named(name)


def sphere(radius: Any = sp.Rational(1, 2), *, name: str | None = None) -> Solid:
    """The ball about the origin with this radius. `name`: what results call it."""
    r = positive(radius, [], "the radius of a sphere")
    return revolved(Curve([r * sp.sin(u), 0, -r * sp.cos(u)], (0, sp.pi))).named(name)


def cone(radius: Any = sp.Rational(1, 2), height: Any = 1, *, name: str | None = None) -> Solid:
    """The points between the disk of this radius in the plane z = -height/2 and the tip (0, 0, height/2). `name`: what results call it."""
    r, h = positive(radius, [], "the radius of a cone"), positive(height, [], "the height of a cone")
    across = r * (1 - v)
    return capped(ParametricSurface([across * sp.cos(u), across * sp.sin(u), h * v - h / 2], {u: _TURN, v: (0, 1)})).named(name)


def capsule(radius: Any = sp.Rational(1, 2), length: Any = 1, *, name: str | None = None) -> Solid:
    """The points no farther than `radius` from the segment (0, 0, 0) to (0, 0, length): a cylinder with hemispheres at both ends.

    Normals agree along its two edges. `name`: what results call it.
    """
    r, end = positive(radius, [], "the radius of a capsule"), positive(length, [], "the length of a capsule")
    tube = ParametricSurface([r * sp.cos(u), r * sp.sin(u), v], {u: _TURN, v: (0, end)})
    across = [r * sp.cos(v) * sp.cos(u), r * sp.cos(v) * sp.sin(u)]
    low, high = (ParametricSurface([*across, height + r * sp.sin(v)], {u: _TURN, v: latitudes})
                 for height, latitudes in ((0, (-sp.pi / 2, 0)), (end, (0, sp.pi / 2))))
    edges = [Edge((0, k), ((u, height), (u, 0)), _TURN) for k, height in ((1, 0), (2, end))]
    # On both edges the latitude is 0, so hemisphere and cylinder have the same formula there.
    return Solid._unchecked([tube, low, high], edges, (), "closed: a cylinder between hemispheres").named(name)


def rounded_box(sizes: Any = (1, 1, 1), radius: Any = sp.Rational(1, 8), *, name: str | None = None) -> Solid:
    """|x| <= a/2, |y| <= b/2, |z| <= c/2 for `sizes` = (a, b, c), with edges and corners rounded by balls of this radius.

    That is all points no farther than `radius` from a smaller box: six rectangles, twelve quarters of cylinders, eight of balls.
    `name`: what results call it.
    """
    r = positive(radius, [], "the radius of a rounded box")
    half = [positive(e, [], "a size of a rounded box") / 2 - r for e in vector(sizes, [], "the sizes of a rounded box")]
    for e in half:
        positive(e, [], f"each size of a rounded box less twice its radius {text(r)}")
    signs = list(itertools.product((-1, 1), repeat=2))
    faces = [_rectangle(half, r, axis, sign) for axis in range(3) for sign in (-1, 1)]
    faces += [_quarter(half, r, axis, *pair) for axis in range(3) for pair in signs]
    faces += [_eighth(half, r, *corner) for corner in itertools.product((-1, 1), repeat=3)]
    return sew(faces).named(name)


def _rectangle(half: Sequence[Any], radius: Any, axis: int, sign: int) -> ParametricSurface:
    b, c = (axis + 1) % 3, (axis + 2) % 3
    point = {axis: sign * (half[axis] + radius), b: u, c: v}
    return ParametricSurface([point[k] for k in range(3)], {u: (-half[b], half[b]), v: (-half[c], half[c])}, flipped=sign < 0)


def _quarter(half: Sequence[Any], radius: Any, axis: int, first: int, second: int) -> ParametricSurface:
    """A quarter of a cylinder along an edge, u the angle from the first of the other axes towards the second."""
    b, c = (axis + 1) % 3, (axis + 2) % 3
    point = {axis: v, b: first * (half[b] + radius * sp.cos(u)), c: second * (half[c] + radius * sp.sin(u))}
    return ParametricSurface([point[k] for k in range(3)], {u: (0, sp.pi / 2), v: (-half[axis], half[axis])}, flipped=first * second < 0)


def _eighth(half: Sequence[Any], radius: Any, *signs: int) -> ParametricSurface:
    """An eighth of a ball, by longitude and latitude."""
    away = sp.cos(v) * sp.cos(u), sp.cos(v) * sp.sin(u), sp.sin(v)
    point = [sign * (h + radius * e) for sign, h, e in zip(signs, half, away, strict=True)]
    return ParametricSurface(point, {u: (0, sp.pi / 2), v: (0, sp.pi / 2)}, flipped=signs[0] * signs[1] * signs[2] < 0)
