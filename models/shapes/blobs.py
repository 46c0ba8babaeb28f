"""Implicit shapes: superellipsoids, rounded and combined bodies, positive outside."""

from typing import Any

import sympy as sp

from generative import ImplicitBody, ImplicitSurface, x, y, z
from generative.symbols import exact

from .facts import Facts, centred, shape


def _super_facts(semiaxes: Any = (1, 1, 1), power: int = 4) -> Facts:
    a, b, c = semiaxes
    e = sp.Rational(1, power)
    return {"volume": 8 * a * b * c * sp.gamma(1 + e) ** 3 / sp.gamma(1 + 3 * e), "closed": True, "box": centred(a, b, c)}


@shape(_super_facts, source="A. H. Barr, Superquadrics and angle-preserving transformations, IEEE CG&A 1(1), 1981",
       symmetry="mirror x, mirror z, turn 4")
def superellipsoid(*, semiaxes: Any = (1, 1, 1), power: int = 4) -> ImplicitSurface:
    """(x/a)^p + (y/b)^p + (z/c)^p = 1 for an even power p: a rounded box. Volume: Dirichlet's integral."""
    if power < 2 or power % 2:
        raise ValueError(f"the power of a superellipsoid must be even and at least 2, got {power}")
    a, b, c = (exact(s) for s in semiaxes)
    bounds = centred(*(sp.Rational(5, 4) * s for s in (a, b, c)))
    return ImplicitSurface((x / a) ** power + (y / b) ** power + (z / c) ** power - 1, bounds)


def lens_facts(radius: Any = 1, rim: Any = sp.Rational(4, 5)) -> Facts:
    """Two equal spheres of this radius that meet in a circle of radius `rim`: two caps, or what both balls share."""
    radius, rim = exact(radius), exact(rim)
    cap = radius - sp.sqrt(radius**2 - rim**2)
    return {"area": 4 * sp.pi * radius * cap, "volume": 2 * sp.pi * cap**2 * (3 * radius - cap) / 3, "closed": True,
            "box": centred(rim, rim, cap)}


@shape(lens_facts, source="MathWorld: Lens, Spherical Cap", symmetry="mirror x, mirror z, turn")
def lens(*, radius: Any = 1, rim: Any = sp.Rational(4, 5)) -> ImplicitBody:
    """x^2 + y^2 + (z - s)^2 <= radius^2 for s = c and s = -c, c^2 = radius^2 - rim^2: two balls meet in a sharp rim of radius `rim`."""
    shift = sp.sqrt(exact(radius) ** 2 - exact(rim) ** 2)
    bounds = centred(*[2 * exact(radius)] * 3)
    low, high = (ImplicitSurface(x**2 + y**2 + (z - s) ** 2 - radius**2, bounds) for s in (-shift, shift))
    return low & high


def _drilled_facts(radius: Any = 1, hole: Any = sp.Rational(1, 2)) -> Facts:
    half = sp.sqrt(exact(radius) ** 2 - exact(hole) ** 2)
    return {"volume": sp.Rational(4, 3) * sp.pi * half**3, "closed": True, "box": centred(radius, radius, half)}


@shape(_drilled_facts, source="MathWorld: Spherical Ring; Wikipedia: Napkin ring problem",
       symmetry="mirror x, mirror z, turn")
def drilled_ball(*, radius: Any = 1, hole: Any = sp.Rational(1, 2)) -> ImplicitBody:
    """x^2 + y^2 + z^2 <= radius^2 and x^2 + y^2 >= hole^2: a bead. Its volume is that of a ball of half its height."""
    if not hole < radius:
        raise ValueError(f"the hole of a drilled ball must be narrower than its radius {radius}, got {hole}")
    wide = sp.Rational(9, 8) * exact(radius)
    ball = ImplicitSurface(x**2 + y**2 + z**2 - radius**2, centred(wide, wide, wide))
    return ball - ImplicitSurface(x**2 + y**2 - hole**2, centred(wide, wide, wide))


def _peanut_facts(focus: Any = 1, size: Any = sp.Rational(11, 10)) -> Facts:
    focus, size = exact(focus), exact(size)
    across = size**2 / (2 * focus)
    return {"closed": True, "box": centred(sp.sqrt(focus**2 + size**2), across, across)}


@shape(_peanut_facts, source="MathWorld: Cassini Ovals, turned about their long axis",
       symmetry="mirror x, mirror y, mirror z")
def peanut(*, focus: Any = 1, size: Any = sp.Rational(11, 10)) -> ImplicitSurface:
    """Cassini's oval turned about the x axis: the distances of a point to (f, 0, 0) and (-f, 0, 0), f = `focus`, have the product size^2.

    (x^2 + y^2 + z^2 + f^2)^2 - 4 f^2 x^2 = size^4.
    One piece with a waist for focus < size < sqrt(2) focus, which is asked for; widest at x^2 = focus^2 - (size^2 / (2 focus))^2.
    """
    if not focus < size < sp.sqrt(2) * focus:
        raise ValueError(f"a peanut needs focus < size < 1.414 focus, got {focus} and {size}")
    out = sp.Rational(9, 8) * sp.sqrt(exact(focus) ** 2 + exact(size) ** 2)
    across = sp.Rational(5, 4) * exact(size) ** 2 / (2 * focus)
    square = x**2 + y**2 + z**2 + focus**2
    return ImplicitSurface(square**2 - 4 * focus**2 * x**2 - size**4, bounds=centred(out, across, across))
