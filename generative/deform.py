"""Deformations of space applied to surfaces: any map of (x, y, z), possibly changing in time.

They act on the surface where it is, in the world, motion included, so that they compose like motions do. A deformation that
reverses orientation (a mirror image) also reverses the normal.
"""

from typing import Any, TypeVar

import sympy as sp

from .brep import Solid
from .surface import ParametricSurface
from .symbols import formula, positive, t, vector, x, y, z

Shape = TypeVar("Shape", ParametricSurface, Solid)


def deform(surface: Shape, mapping: Any, *, mirrored: bool = False) -> Shape:
    """The image of the surface or solid under (x, y, z) -> mapping, three expressions of x, y, z and t.

    `mirrored` says that the mapping reverses orientation, and keeps the normal outwards. A solid keeps its edges and vertices.
    """
    image = vector(mapping, [x, y, z, t], "a deformation")
    if isinstance(surface, Solid):
        if surface.gap > 0.0:
            raise ValueError(f"edges of the solid are up to {surface.gap:.2g} off its faces (`Solid.gap`), and a deformation may change "
                             "that: deform solid.with_gap(0), and give the result a bound that holds for it, result.with_gap(...)")
        return surface.mapped([deform(face, image, mirrored=mirrored) for face in surface.faces])
    if not isinstance(surface, ParametricSurface):
        raise TypeError(f"deformations act on ParametricSurface and Solid values, got a {type(surface).__name__}")
    change = dict(zip((x, y, z), surface.expressions, strict=True))
    return ParametricSurface([e.xreplace(change) for e in image], surface.domain, flipped=surface.flipped != mirrored,
                             name=surface.name)


def scale(surface: Shape, factors: Any) -> Shape:
    """(a x, b y, c z); one factor serves all three. Negative factors mirror."""
    each = vector(factors if hasattr(factors, "__iter__") else [factors] * 3, [t], "a scaling")
    if any(f.is_zero for f in each):
        raise ValueError("a scaling by zero flattens the surface; factors must differ from zero")
    mirrored = sum(bool(f.is_negative) for f in each) % 2 == 1
    return deform(surface, [f * s for f, s in zip(each, (x, y, z), strict=True)], mirrored=mirrored)


def twist(surface: Shape, rate: Any) -> Shape:
    """A turn about the z axis by the angle rate z: `rate` in radian a metre, a number or an expression of t."""
    angle = formula(rate, [t], "a rate of twist") * z
    return deform(surface, [x * sp.cos(angle) - y * sp.sin(angle), x * sp.sin(angle) + y * sp.cos(angle), z])


def taper(surface: Shape, factor: Any) -> Shape:
    """(factor x, factor y, z), `factor` a positive expression of z and t."""
    size = positive(factor, [z, t], "the factor of a taper")
    return deform(surface, [size * x, size * y, z])


def bend(surface: Shape, curvature: Any) -> Shape:
    """The x axis bent upwards into a circle of this curvature, cross-sections kept plane; it must stay below 1/z everywhere.

    (x, z) -> (sin(k x) (1/k - z), 1/k - cos(k x) (1/k - z)), written with sinc so that k = 0 (no bend) is allowed in passing.
    """
    k = formula(curvature, [t], "a curvature")
    # (1 - cos a) / k = x sin(a/2) sinc(a/2) with a = k x.
    along = x * sp.sinc(k * x) - z * sp.sin(k * x)
    up = x * sp.sin(k * x / 2) * sp.sinc(k * x / 2) + z * sp.cos(k * x)
    return deform(surface, [along, y, up])
