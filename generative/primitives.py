"""Implicit primitives, and blends that round the creases of unions, intersections and differences.

Every function is positive outside. Primitives are plain polynomials, or distances where the docstring says so.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from .implicit import ImplicitBody, ImplicitSurface, intersection
from .motion import IDENTITY
from .symbols import formula, positive, t, text, vector, x, y, z

WIDER = sp.Rational(9, 8)
"""Bounds reach this much farther than the shape."""


def half_space(normal: Any = (0, 0, 1), offset: Any = 0, *, size: Any = 10) -> ImplicitSurface:
    """normal . p <= offset within a cube of half-width `size` about the origin; a distance if the normal has length 1."""
    n = vector(normal, [], "a normal")
    if all(e.is_zero for e in n):
        raise ValueError("the normal of a half-space must not be the zero vector")
    level, half = formula(offset, [x, y, z, t], "the offset of a half-space"), positive(size, [], "the size of a half-space")
    return ImplicitSurface(n[0] * x + n[1] * y + n[2] * z - level, [(-half, half)] * 3)


def ball(radius: Any = 1, centre: Any = (0, 0, 0)) -> ImplicitSurface:
    """|p - centre|^2 <= radius^2."""
    c, r = vector(centre, [], "a centre"), positive(radius, [], "the radius of a ball")
    square = sum((s - e) ** 2 for s, e in zip((x, y, z), c, strict=True))
    return ImplicitSurface(square - r**2, [(e - WIDER * r, e + WIDER * r) for e in c])


def round_cylinder(radius: Any = 1, height: Any = 2) -> ImplicitBody:
    """x^2 + y^2 <= radius^2 and 0 <= z <= height, with sharp rims."""
    r, h = positive(radius, [], "the radius of a cylinder"), positive(height, [], "the height of a cylinder")
    bounds = [(-WIDER * r, WIDER * r)] * 2 + [(-h / 8, WIDER * h)]
    return intersection(*(ImplicitSurface(e, bounds) for e in (x**2 + y**2 - r**2, -z, z - h)))


def round_cone(radius: Any = 1, height: Any = 2) -> ImplicitBody:
    """rho / radius + z / height <= 1 and z >= 0, with a sharp rim; the function has a kink on the axis only."""
    r, h = positive(radius, [], "the radius of a cone"), positive(height, [], "the height of a cone")
    bounds = [(-WIDER * r, WIDER * r)] * 2 + [(-h / 8, WIDER * h)]
    return intersection(ImplicitSurface(sp.sqrt(x**2 + y**2) / r + z / h - 1, bounds), ImplicitSurface(-z, bounds))


def block(sizes: Any = (1, 1, 1)) -> ImplicitBody:
    """|x| <= a/2, |y| <= b/2, |z| <= c/2 for `sizes` = (a, b, c), with sharp edges."""
    half = [positive(e, [], "the size of a block") / 2 for e in vector(sizes, [], "the sizes of a block")]
    bounds = [(-WIDER * h, WIDER * h) for h in half]
    return intersection(*(ImplicitSurface(sign * s - h, bounds) for s, h in zip((x, y, z), half, strict=True) for sign in (-1, 1)))


def blend_union(*bodies: ImplicitBody, width: Any, bounds: Any = None) -> ImplicitSurface:
    """The union with its creases filled: pairwise (a + b - sqrt((a - b)^2 + width^2)) / 2, smooth where a and b are.

    It is at most min(a, b) and at least min(a, b) - width/2: the blend contains the union, and where the functions are
    distances it reaches at most `width`/2 beyond it for two bodies. `bounds`, in the world, hold those of all bodies if not
    given, for bodies that are not moved.
    """
    return _blend(bodies, width, bounds, lambda a, b, root: (a + b - root) / 2)


def blend_intersection(*bodies: ImplicitBody, width: Any, bounds: Any = None) -> ImplicitSurface:
    """The intersection with its creases rounded off: pairwise (a + b + sqrt((a - b)^2 + width^2)) / 2, at least max(a, b)."""
    return _blend(bodies, width, bounds, lambda a, b, root: (a + b + root) / 2)


def blend_difference(body: ImplicitBody, taken_away: ImplicitBody, *, width: Any, bounds: Any = None) -> ImplicitSurface:
    """The first body outside the second, with rounded creases."""
    return blend_intersection(body, ~taken_away, width=width, bounds=bounds)


def _blend(bodies: Sequence[ImplicitBody], width: Any, bounds: Any, rule: Callable[[Any, Any, Any], Any]) -> ImplicitSurface:
    """The rule applied from the left in world coordinates; without motions, bounds need not be given."""
    if len(bodies) < 2 or not all(isinstance(b, ImplicitBody) for b in bodies):
        raise TypeError("a blend needs at least two implicit bodies")
    size = formula(width, [x, y, z, t], "the width of a blend")
    if not size.is_positive:
        raise ValueError(f"the width of a blend must be positive, got {text(size)}")
    if bounds is None:
        if any(leaf.motion != IDENTITY for b in bodies for leaf in b.leaves):
            raise ValueError("a blend of moved bodies needs bounds=[(xlo, xhi), (ylo, yhi), (zlo, zhi)], in world coordinates")
        bounds = _hull([leaf.bounds for b in bodies for leaf in b.leaves])
    result, *others = (b.expression for b in bodies)
    for other in others:
        result = rule(result, other, sp.sqrt((result - other) ** 2 + size**2))
    return ImplicitSurface(result, bounds)


def _hull(boxes: Sequence[Any]) -> list[tuple[Any, Any]]:
    return [(sp.Min(*(b[k][0] for b in boxes)), sp.Max(*(b[k][1] for b in boxes))) for k in range(3)]
