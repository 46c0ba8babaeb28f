"""Shapes made by the operators of `generative.sweep`: tubes along curves, vases, gears, a one-sided strip, and solids with caps."""

from typing import Any

import sympy as sp

from generative import Curve, ParametricSurface, Solid, curve, solids, u, v
from generative.sweep import extrude, revolve, sweep
from generative.symbols import exact

from .facts import Facts, centred, shape
from .quadrics import TURN


def _tube_facts(length: Any, radius: Any) -> Facts:
    """A tube of constant radius about a curve of this length: area 2 pi r L, enclosing pi r^2 L (Pappus, Weyl)."""
    return {"area": 2 * sp.pi * radius * length}


def _spring_facts(radius: Any = 1, wire: Any = sp.Rational(1, 5), pitch: Any = 1, turns: Any = 3) -> Facts:
    return _tube_facts(turns * sp.sqrt((2 * sp.pi * radius) ** 2 + exact(pitch) ** 2), wire)


@shape(_spring_facts, source="MathWorld: Helix, Tube", signed="pitch")
def spring(*, radius: Any = 1, wire: Any = sp.Rational(1, 5), pitch: Any = 1, turns: Any = 3) -> ParametricSurface:
    """A round wire of radius `wire` about the helix (radius cos u, radius sin u, pitch u / (2 pi)), open at both ends."""
    return sweep(curve.circle(wire), curve.helix(radius, pitch, turns))


def _trefoil_facts(size: Any = 1, wire: Any = sp.Rational(2, 5)) -> Facts:
    return {"closed": True}


@shape(_trefoil_facts, source="MathWorld: Trefoil Knot", symmetry="half turn y, turn 3")
def trefoil_knot(*, size: Any = 1, wire: Any = sp.Rational(2, 5)) -> ParametricSurface:
    """A tube about the trefoil size (sin u + 2 sin 2u, cos u - 2 cos 2u, -sin 3u), the standard parametrization."""
    path = [size * e for e in (sp.sin(u) + 2 * sp.sin(2 * u), sp.cos(u) - 2 * sp.cos(2 * u), -sp.sin(3 * u))]
    return sweep(curve.circle(wire), Curve(path, TURN))


def _elbow_facts(bend: Any = 1, radius: Any = sp.Rational(3, 10), angle: Any = sp.pi / 2) -> Facts:
    return _tube_facts(bend * angle, radius)


@shape(_elbow_facts, source="MathWorld: Torus, Tube", symmetry="mirror z")
def pipe_elbow(*, bend: Any = 1, radius: Any = sp.Rational(3, 10), angle: Any = sp.pi / 2) -> ParametricSurface:
    """A pipe bent by `angle` along the arc bend (cos u, sin u, 0), open at both ends: a piece of a torus."""
    return sweep(curve.circle(radius), curve.arc(bend, 0, angle))


def _vase_facts(radius: Any = 1, wave: Any = sp.Rational(1, 4), height: Any = 3) -> Facts:
    return {"box": [*centred(radius + wave, radius + wave), (0, height)]}


@shape(_vase_facts, source="made for this catalogue; MathWorld: Surface of Revolution", symmetry="mirror x, turn", signed="wave")
def vase(*, radius: Any = 1, wave: Any = sp.Rational(1, 4), height: Any = 3) -> ParametricSurface:
    """(rho cos u, rho sin u, height v) with rho = radius + wave sin(2 pi v), 0 <= v <= 1; open above and below."""
    return revolve(Curve([radius + wave * sp.sin(2 * sp.pi * u), 0, height * u], (0, 1)))


def _gear_facts(teeth: int = 12, radius: Any = 1, depth: Any = sp.Rational(1, 10), width: Any = sp.Rational(1, 2)) -> Facts:
    return {"radius_range": (radius - depth, sp.sqrt((exact(radius) + depth) ** 2 + exact(width) ** 2))}


@shape(_gear_facts, source="MathWorld: Gear Curve", symmetry="turn teeth", signed="depth")
def gear_rim(*, teeth: int = 12, radius: Any = 1, depth: Any = sp.Rational(1, 10),
             width: Any = sp.Rational(1, 2)) -> ParametricSurface:
    """The rim of a gear with smooth teeth, from z = 0 to `width`: rho = radius + depth tanh(3 sin(teeth u)) / tanh(3)."""
    rho = radius + depth * sp.tanh(3 * sp.sin(teeth * u)) / sp.tanh(3)
    return extrude(Curve([rho * sp.cos(u), rho * sp.sin(u), 0], TURN), [0, 0, width])


def _moebius_facts(radius: Any = 1, width: Any = sp.Rational(1, 2)) -> Facts:
    return {}


@shape(_moebius_facts, source="MathWorld: Möbius Strip", symmetry="half turn x")
def moebius_strip(*, radius: Any = 1, width: Any = sp.Rational(1, 2)) -> ParametricSurface:
    """A strip of this width with half a twist round a circle of this radius: one-sided, so no normal is outward.

    (rho cos u, rho sin u, w sin(u/2)) with rho = radius + w cos(u/2), w = width v, |v| <= 1/2.
    """
    across = radius + width * v * sp.cos(u / 2)
    return ParametricSurface([across * sp.cos(u), across * sp.sin(u), width * v * sp.sin(u / 2)],
                             {u: TURN, v: (sp.Rational(-1, 2), sp.Rational(1, 2))})


def _egg_facts(radius: Any = 1, taper: Any = sp.Rational(1, 4)) -> Facts:
    taper = exact(taper)
    return {"volume": sp.Rational(4, 3) * sp.pi * exact(radius) ** 3 * (1 + taper**2 / 5), "closed": True}


@shape(_egg_facts, source="A. H. Barr, Global and local deformations of solid primitives, SIGGRAPH 1984: a sphere tapered along its axis",
       symmetry="mirror x, turn", signed="taper")
def egg(*, radius: Any = 1, taper: Any = sp.Rational(1, 4)) -> ParametricSurface:
    """A sphere of this radius whose horizontal sections shrink upwards, by the factor 1 - taper z / radius.

    (rho cos u, rho sin u, radius sin v) with rho = radius cos v (1 - taper sin v).
    """
    slim = radius * sp.cos(v) * (1 - taper * sp.sin(v))
    return ParametricSurface([slim * sp.cos(u), slim * sp.sin(u), radius * sp.sin(v)], {u: TURN, v: (-sp.pi / 2, sp.pi / 2)})


def _spout_facts(root: Any = sp.Rational(2, 5), tip: Any = sp.Rational(1, 5)) -> Facts:
    return {}


@shape(_spout_facts, source="made for this catalogue; MathWorld: Bézier Curve, Tube", symmetry="mirror y")
def teapot_spout(*, root: Any = sp.Rational(2, 5), tip: Any = sp.Rational(1, 5)) -> ParametricSurface:
    """A tube about a cubic Bezier path in the plane y = 0, whose radius falls evenly from `root` to `tip`; open at both ends.

    path(u) + (root + u (tip - root)) (cos v side + sin v top), with the control points (0, 0, 0), (1, 0, 0), (1/2, 0, 1) and
    (3/2, 0, 6/5) of the path and two unit vectors at right angles to it.
    """
    path = curve.bezier([(0, 0, 0), (1, 0, 0), (sp.Rational(1, 2), 0, 1), (sp.Rational(3, 2), 0, sp.Rational(6, 5))])
    return sweep(curve.circle(1), path, up=(0, 1, 0), scale=root + u * (exact(tip) - root))


# -- solids with caps ------------------------------------------------------------------------------------------------------


def _hook_facts(bend: Any = 1, wide: Any = sp.Rational(2, 5), thick: Any = sp.Rational(1, 4), angle: Any = sp.pi) -> Facts:
    return {"volume": sp.pi * exact(wide) * thick * bend * angle, "closed": True}


@shape(_hook_facts, source="MathWorld: Pappus's Centroid Theorem; the section swept along an arc", symmetry="mirror z")
def hook(*, bend: Any = 1, wide: Any = sp.Rational(2, 5), thick: Any = sp.Rational(1, 4), angle: Any = sp.pi) -> Solid:
    """An ellipse of semi-axes `wide` (across) and `thick` (upwards) swept along an arc of radius `bend`, with caps. Volume: Pappus.

    The side is (rho cos u, rho sin u, thick sin v) with rho = bend + wide cos v, 0 <= u <= angle.
    """
    return solids.swept(curve.ellipse(wide, thick), curve.arc(bend, 0, angle))


def _foot_facts(radius: Any = 1, squash: Any = sp.Rational(1, 2), height: Any = 2) -> Facts:
    radius, squash = exact(radius), exact(squash)
    w = sp.Symbol("w")
    widths = [_through(w, [radius, radius * (1 + squash), radius / 2]), _through(w, [radius, radius * (1 - squash), radius / 2])]
    return {"volume": sp.pi * height / 2 * sp.integrate(sp.expand(widths[0] * widths[1]), (w, 0, 2)), "closed": True}


def _through(w: Any, values: Any) -> Any:
    """The quadratic through the values at 0, 1 and 2."""
    a, b, c = values
    return a * (w - 1) * (w - 2) / 2 - b * w * (w - 2) + c * w * (w - 1) / 2


@shape(_foot_facts, source="made for this catalogue; MathWorld: Lagrange Interpolating Polynomial",
       symmetry="mirror x, mirror y", signed="squash")
def lofted_foot(*, radius: Any = 1, squash: Any = sp.Rational(1, 2), height: Any = 2) -> Solid:
    """A loft through a circle, an ellipse of semi-axes (1 +- squash) radius half way up and a circle half as wide, with caps.

    (a cos u, b sin u, v height / 2), 0 <= v <= 2, where a and b are the quadratics through the semi-axes at v = 0, 1 and 2.
    """
    sections = [Curve([a * sp.cos(u), b * sp.sin(u), k * exact(height) / 2], TURN) for k, (a, b) in
                enumerate([(radius, radius), (radius * (1 + squash), radius * (1 - squash)), (exact(radius) / 2,) * 2])]
    return solids.lofted(sections)
