"""Formulas of the kernel's curves in space and in the plane of parameters, over the range that an edge uses."""

import math
from collections.abc import Sequence
from typing import Any

import sympy as sp

from ..curve import Curve, bernstein, bezier_points, project, spans
from ..symbols import u
from .numbers import combined, frame, number, vector

_CONICS = {"Circle", "Ellipse", "Hyperbola", "Parabola"}


class Unread(ValueError):
    """Something in a file that has no formula here."""


def space_curve(curve: Any, first: float, last: float, scale: Any) -> list[Curve]:
    """A Geom_Curve from one of its parameters to another, as pieces over their own ranges of the kernel's parameter, in order."""
    kind = type(curve).__name__.removeprefix("Geom_")
    ends = _range(kind, first, last)
    if kind == "TrimmedCurve":
        return space_curve(curve.BasisCurve(), first, last, scale)
    if kind == "Line":
        axis = curve.Position()
        return [Curve(combined((1, vector(axis.Location(), scale)), (u * scale, vector(axis.Direction()))), ends)]
    if kind in _CONICS:
        axes = frame(curve.Position(), scale)
        a, b = _conic(kind, curve, scale)
        return [Curve(combined((1, axes.origin), (a, axes.first), (b, axes.second)), ends)]
    if kind in ("BSplineCurve", "BezierCurve"):
        return spline_pieces(curve, *ends, lambda p: vector(p, scale))
    raise Unread(f"curves of the kind {kind} are not read")


def plane_curve(curve: Any, first: float, last: float) -> list[Curve]:
    """A Geom2d_Curve as in `space_curve`, as [u, v, 0]."""
    kind = type(curve).__name__.removeprefix("Geom2d_")
    ends = _range(kind, first, last)
    if kind == "TrimmedCurve":
        return plane_curve(curve.BasisCurve(), first, last)
    if kind == "Line":
        place, way = curve.Location(), curve.Direction()
        return [Curve([number(place.X()) + u * number(way.X()), number(place.Y()) + u * number(way.Y()), 0], ends)]
    if kind in _CONICS:
        axes, (a, b) = curve.Position(), _conic(kind, curve, 1)
        place, x, y = axes.Location(), axes.XDirection(), axes.YDirection()
        return [Curve([number(place.X()) + a * number(x.X()) + b * number(y.X()),
                       number(place.Y()) + a * number(x.Y()) + b * number(y.Y()), 0], ends)]
    if kind in ("BSplineCurve", "BezierCurve"):
        return spline_pieces(curve, *ends, lambda p: (number(p.X()), number(p.Y()), sp.S.Zero))
    raise Unread(f"curves of the kind {kind} in the parameters of a face are not read")


def _range(kind: str, first: float, last: float) -> tuple[Any, Any]:
    """The range of a parameter; what is written as a full turn of an ellipse with 12 digits is one."""
    lo = number(first)
    full = kind in ("Circle", "Ellipse") and abs(last - first - 2 * math.pi) < 1e-9
    return lo, lo + 2 * sp.pi if full else number(last)


def _conic(kind: str, curve: Any, scale: Any) -> tuple[Any, Any]:
    """Its coordinates along its axes: of a parabola u is the second one, as in the kernel."""
    if kind == "Circle":
        radius = number(curve.Radius()) * scale
        return radius * sp.cos(u), radius * sp.sin(u)
    if kind == "Parabola":
        return u**2 / (4 * number(curve.Focal())) * scale, u * scale
    a, b = number(curve.MajorRadius()) * scale, number(curve.MinorRadius()) * scale
    return (a * sp.cos(u), b * sp.sin(u)) if kind == "Ellipse" else (a * sp.cosh(u), b * sp.sinh(u))


def spline_pieces(curve: Any, first: Any, last: Any, point: Any) -> list[Curve]:
    """A spline between two of its parameters as polynomial or rational pieces over their ranges."""
    degree, places, count = curve.Degree(), knots(curve), curve.NbPoles()
    poles = [point(curve.Pole(k + 1)) for k in range(count)]
    if curve.IsRational():
        weights = [number(curve.Weight(k + 1)) for k in range(count)]
        poles = [(*(c * w for c in p), w) for p, w in zip(poles, weights, strict=True)]
    # A periodic spline goes on with its first poles.
    poles = [poles[k % count] for k in range(len(places) - degree - 1)]
    pieces = []
    for k in spans(places, degree):
        lo, hi = max(places[k], first), min(places[k + 1], last)
        if lo < hi:
            whole = Curve(project(bernstein(bezier_points(poles, places, degree, k), u)), (0, 1)).onto((places[k], places[k + 1]))
            pieces.append(Curve(whole.expressions, (lo, hi)))
    return pieces


def knots(curve: Any) -> list[Any]:
    """The knots, each as often as it counts; of a periodic spline with those before and after its period that its poles need."""
    if not hasattr(curve, "NbKnots"):
        return [sp.S.Zero] * (curve.Degree() + 1) + [sp.S.One] * (curve.Degree() + 1)
    return expanded([number(curve.Knot(k + 1)) for k in range(curve.NbKnots())],
                    [curve.Multiplicity(k + 1) for k in range(curve.NbKnots())], curve.Degree(), curve.IsPeriodic())


def expanded(values: Sequence[Any], multiplicities: Sequence[int], degree: int, periodic: bool) -> list[Any]:
    """Knots as often as they count. Those of a periodic spline go on beyond both ends, one period away.

    The first pole of a periodic spline counts from the knot that lies degree + 1 - m knots before the first of the m equal knots at the
    begin of the period.
    """
    flat = [k for k, m in zip(values, multiplicities, strict=True) for _ in range(m)]
    if not periodic:
        return flat
    period, more = values[-1] - values[0], degree + 1 - multiplicities[0]
    inner = flat[:len(flat) - multiplicities[-1]]
    before = [k - period for k in inner[len(inner) - more:]] if more else []
    after = [k + period for k in inner[multiplicities[0]:multiplicities[0] + more]]
    return [*before, *flat, *after]
