"""Tori and bumpy closed surfaces, centred at the origin."""

from typing import Any

import sympy as sp

from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z

from .facts import Facts, centred, shape
from .quadrics import LATITUDE, TURN

THIN = sp.Rational(3, 10)


def _torus_facts(major: Any = 1, minor: Any = THIN, u_origin: Any = 0, v_origin: Any = 0) -> Facts:
    return {"area": 4 * sp.pi**2 * major * minor, "volume": 2 * sp.pi**2 * major * minor**2, "closed": True,
            "box": centred(major + minor, major + minor, minor)}


@shape(_torus_facts, source="MathWorld: Torus", symmetry="mirror x, mirror z, turn", signed="u_origin v_origin")
def torus(*, major: Any = 1, minor: Any = THIN, u_origin: Any = 0, v_origin: Any = 0) -> ParametricSurface:
    """((R + r cos v) cos u, (R + r cos v) sin u, r sin v): a tube of radius r = `minor` round a circle of radius R = `major`.

    The parameter ranges start at `u_origin` and `v_origin` and cover a full turn; both borders are seams.
    """
    across = major + minor * sp.cos(v)
    return ParametricSurface([across * sp.cos(u), across * sp.sin(u), minor * sp.sin(v)],
                             {u: (u_origin, u_origin + 2 * sp.pi), v: (v_origin, v_origin + 2 * sp.pi)})


def _implicit_torus_facts(major: Any = 1, minor: Any = THIN) -> Facts:
    return _torus_facts(major, minor)


@shape(_implicit_torus_facts, source="MathWorld: Torus", symmetry="mirror x, mirror z, turn")
def implicit_torus(*, major: Any = 1, minor: Any = THIN) -> ImplicitSurface:
    """(x^2 + y^2 + z^2 + R^2 - r^2)^2 = 4 R^2 (x^2 + y^2), R = `major`, r = `minor`."""
    out, body = sp.Rational(9, 8) * (major + minor), (x**2 + y**2 + z**2 + major**2 - minor**2) ** 2
    return ImplicitSurface(body - 4 * major**2 * (x**2 + y**2), bounds=centred(out, out, sp.Rational(5, 4) * minor))


def _bumpy_facts(radius: Any = 1, bump: Any = THIN, around: int = 4, along: int = 3) -> Facts:
    return {"closed": True, "radius_range": (radius - bump, radius + bump)}


@shape(_bumpy_facts, source="made for this catalogue after the bumpy objects of Snyder 1993, Figure 12, whose formula is not printed",
       symmetry="half turn x, turn around", signed="bump")
def bumpy_sphere(*, radius: Any = 1, bump: Any = THIN, around: int = 4, along: int = 3) -> ParametricSurface:
    """(radius + bump cos(v)^m sin(m u) sin(n v)) times the unit sphere, u longitude, v latitude, m = `around`, n = `along`.

    It is smooth at the poles too: near them cos(v)^m sin(m u) is, up to smooth factors, Im (x + i y)^m, and sin(n v) is even in
    the distance to the pole for odd n.
    """
    if around < 1 or along % 2 != 1:
        raise ValueError(f"a bumpy sphere needs around >= 1 and an odd number along, got {around} and {along}")
    size = radius + bump * sp.cos(v) ** around * sp.sin(around * u) * sp.sin(along * v)
    return ParametricSurface([size * sp.cos(u) * sp.cos(v), size * sp.sin(u) * sp.cos(v), size * sp.sin(v)],
                             {u: TURN, v: LATITUDE})
