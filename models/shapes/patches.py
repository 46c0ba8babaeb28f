"""Patches: pieces of planes and height fields over a rectangle about the origin, with the normal upwards."""

from typing import Any

import sympy as sp

from generative import ImplicitSurface, ParametricSurface, u, v, z
from generative.symbols import exact

from .facts import Facts, centred, shape


def _half(size: Any) -> Any:
    return exact(size) / 2


def _plane_facts(width: Any = 2, depth: Any = 2) -> Facts:
    return {"area": exact(width) * depth, "box": centred(_half(width), _half(depth), 0)}


@shape(_plane_facts, source="MathWorld: Plane, the definition", symmetry="mirror x, mirror y")
def plane_patch(*, width: Any = 2, depth: Any = 2) -> ParametricSurface:
    """The rectangle |x| <= width/2, |y| <= depth/2 of the plane z = 0."""
    domain = dict(zip((u, v), centred(_half(width), _half(depth)), strict=True))
    return ParametricSurface([u, v, 0], domain)


@shape(_plane_facts, source="MathWorld: Half-Space, the definition", symmetry="mirror x, mirror y")
def implicit_floor(*, width: Any = 2, depth: Any = 2) -> ImplicitSurface:
    """The half-space z < 0, looked at within |x| <= width/2, |y| <= depth/2 and |z| <= 1."""
    return ImplicitSurface(z, bounds=centred(_half(width), _half(depth), 1))


def _height_field(size: Any, height: Any) -> ParametricSurface:
    """z = height(u, v) over the square of this size, u and v running from -1 to 1."""
    return ParametricSurface([_half(size) * u, _half(size) * v, height], {u: (-1, 1), v: (-1, 1)})


def _wavy_facts(size: Any = 2, amplitude: Any = sp.Rational(1, 10), waves: int = 2) -> Facts:
    return {"box": centred(_half(size), _half(size), amplitude)}


@shape(_wavy_facts, source="made for this catalogue; a mode of the square membrane, MathWorld: Wave Equation--Rectangle",
       symmetry="half turn x, turn 2", signed="amplitude")
def wavy_sheet(*, size: Any = 2, amplitude: Any = sp.Rational(1, 10), waves: int = 2) -> ParametricSurface:
    """z = amplitude sin(k u) sin(k v), k = pi `waves`, over a square: `waves` whole waves a side; u = 2x/size, v = 2y/size."""
    return _height_field(size, amplitude * sp.sin(sp.pi * waves * u) * sp.sin(sp.pi * waves * v))


def _cushion_facts(size: Any = 2, height: Any = sp.Rational(1, 2)) -> Facts:
    return {"box": [*centred(_half(size), _half(size)), (0, height)]}


@shape(_cushion_facts, source="made for this catalogue; a product of two parabolas", symmetry="mirror x, turn 4", signed="height")
def cushion(*, size: Any = 2, height: Any = sp.Rational(1, 2)) -> ParametricSurface:
    """z = height (1 - u^2) (1 - v^2), u = 2x/size, v = 2y/size: the upper half of a pillow."""
    return _height_field(size, height * (1 - u**2) * (1 - v**2))


def _saddle_facts(size: Any = 2, height: Any = sp.Rational(1, 2)) -> Facts:
    return {"box": centred(_half(size), _half(size), height)}


@shape(_saddle_facts, source="MathWorld: Hyperbolic Paraboloid", symmetry="mirror x, mirror y", signed="height")
def saddle(*, size: Any = 2, height: Any = sp.Rational(1, 2)) -> ParametricSurface:
    """z = height (u^2 - v^2), u = 2x/size, v = 2y/size: a hyperbolic paraboloid."""
    return _height_field(size, height * (u**2 - v**2))
