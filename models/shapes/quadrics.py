"""Spheres, ellipsoids, cylinders, cones and paraboloids, centred at or standing on the origin.

Formulas of areas and volumes are those of any table of mensuration.
"""

from typing import Any

import sympy as sp

from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from generative.symbols import exact

from .facts import Facts, centred, shape

TURN = (0, 2 * sp.pi)
LATITUDE = (-sp.pi / 2, sp.pi / 2)


def _sphere_facts(radius: Any = 1) -> Facts:
    return {"area": 4 * sp.pi * radius**2, "volume": sp.Rational(4, 3) * sp.pi * radius**3, "closed": True,
            "box": centred(radius, radius, radius)}


@shape(_sphere_facts, source="MathWorld: Sphere", symmetry="mirror x, mirror z, turn")
def sphere(*, radius: Any = 1) -> ParametricSurface:
    """radius (cos u cos v, sin u cos v, sin v): longitude u, latitude v; poles at v = -pi/2 and pi/2."""
    return ellipsoid(semiaxes=(radius, radius, radius))


def _ellipsoid_facts(semiaxes: Any = (1, 2, 3)) -> Facts:
    a, b, c = semiaxes
    return {"volume": sp.Rational(4, 3) * sp.pi * a * b * c, "closed": True, "box": centred(a, b, c)}


@shape(_ellipsoid_facts, source="MathWorld: Ellipsoid", symmetry="mirror x, mirror y, mirror z")
def ellipsoid(*, semiaxes: Any = (1, 2, 3)) -> ParametricSurface:
    """(a cos u cos v, b sin u cos v, c sin v), the sphere stretched along the axes."""
    a, b, c = semiaxes
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: TURN, v: LATITUDE})


@shape(_sphere_facts, source="MathWorld: Sphere", symmetry="mirror x, mirror z, turn")
def implicit_sphere(*, radius: Any = 1) -> ImplicitSurface:
    """x^2 + y^2 + z^2 = radius^2."""
    return ImplicitSurface(x**2 + y**2 + z**2 - radius**2, bounds=centred(*[sp.Rational(5, 4) * radius] * 3))


def _cylinder_facts(radius: Any = 1, height: Any = 2) -> Facts:
    return {"area": 2 * sp.pi * radius * height, "box": [*centred(radius, radius), (0, height)]}


@shape(_cylinder_facts, source="MathWorld: Cylinder", symmetry="mirror x, turn")
def cylinder_side(*, radius: Any = 1, height: Any = 2) -> ParametricSurface:
    """(radius cos u, radius sin u, v): the curved side only, standing on the plane z = 0."""
    return ParametricSurface([radius * sp.cos(u), radius * sp.sin(u), v], {u: TURN, v: (0, height)})


def _cone_facts(radius: Any = 1, height: Any = 2) -> Facts:
    slant = sp.sqrt(exact(radius) ** 2 + exact(height) ** 2)
    return {"area": sp.pi * radius * slant, "box": [*centred(radius, radius), (0, height)]}


@shape(_cone_facts, source="MathWorld: Cone", symmetry="mirror x, turn")
def cone_side(*, radius: Any = 1, height: Any = 2) -> ParametricSurface:
    """radius (1 - v) (cos u, sin u) at the height v `height`: the curved side; the apex v = 1 is a pole."""
    across = radius * (1 - v)
    return ParametricSurface([across * sp.cos(u), across * sp.sin(u), height * v], {u: TURN, v: (0, 1)})


def _cup_facts(radius: Any = 1, height: Any = 1) -> Facts:
    radius, height = exact(radius), exact(height)
    slope = 4 * height**2 / radius**2
    return {"area": sp.pi * radius**4 / (6 * height**2) * ((1 + slope) ** sp.Rational(3, 2) - 1),
            "box": [*centred(radius, radius), (0, height)]}


@shape(_cup_facts, source="MathWorld: Paraboloid", symmetry="mirror x, turn")
def paraboloid_cup(*, radius: Any = 1, height: Any = 1) -> ParametricSurface:
    """z = height (x^2 + y^2) / radius^2 up to the rim, in polar form; the normal looks into the cup. v = 0 is a pole."""
    return ParametricSurface([radius * v * sp.cos(u), radius * v * sp.sin(u), height * v**2], {u: TURN, v: (0, 1)},
                             flipped=True)


def _hyperboloid_facts(waist: Any = 1, rim: Any = 2, height: Any = 2) -> Facts:
    half = exact(height) / 2
    return {"box": centred(rim, rim, half), "radius_range": (waist, sp.sqrt(rim**2 + half**2))}


@shape(_hyperboloid_facts, source="MathWorld: One-Sheeted Hyperboloid", symmetry="mirror x, mirror z, turn")
def hyperboloid(*, waist: Any = 1, rim: Any = 2, height: Any = 2) -> ParametricSurface:
    """rho^2 = waist^2 + (rim^2 - waist^2) (2 z / height)^2: a cooling tower, ruled by straight lines."""
    swing = sp.sqrt(exact(rim) ** 2 - exact(waist) ** 2) * v
    body = [waist * sp.cos(u) - swing * sp.sin(u), waist * sp.sin(u) + swing * sp.cos(u), exact(height) / 2 * v]
    return ParametricSurface(body, {u: TURN, v: (-1, 1)})


def _catenoid_facts(waist: Any = 1, height: Any = 2) -> Facts:
    waist, half = exact(waist), exact(height) / 2
    rim = waist * sp.cosh(half / waist)
    return {"area": sp.pi * waist * (2 * half + waist * sp.sinh(2 * half / waist)), "box": [*centred(rim, rim), *centred(half)]}


@shape(_catenoid_facts, source="MathWorld: Catenoid", symmetry="mirror x, mirror z, turn")
def catenoid(*, waist: Any = 1, height: Any = 2) -> ParametricSurface:
    """rho = waist cosh(z / waist), |z| <= height/2: the soap film between two rings."""
    rho = waist * sp.cosh(v / waist)
    half = exact(height) / 2
    return ParametricSurface([rho * sp.cos(u), rho * sp.sin(u), v], {u: TURN, v: (-half, half)})
