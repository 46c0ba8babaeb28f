"""Formulas of the kernel's surfaces: each as patches over rectangles of its parameters, which for all but splines is one."""

from typing import Any, NamedTuple

import sympy as sp

from ..curve import bezier_points, spans
from ..patch import patch_of
from ..symbols import derivative, u, v
from .curves import Unread, expanded, space_curve
from .numbers import Frame, combined, frame, number, vector


class Sheet(NamedTuple):
    """Three formulas of u and v that hold between these values of u and of v; None: all."""

    body: list[Any]
    u_range: tuple[Any, Any] | None = None
    v_range: tuple[Any, Any] | None = None


def sheets(surface: Any, scale: Any) -> list[Sheet]:
    """The formulas of a Geom_Surface, lengths times `scale`; its parameters are the kernel's, so those that are lengths are not scaled."""
    kind = type(surface).__name__.removeprefix("Geom_")
    if kind == "RectangularTrimmedSurface":
        return sheets(surface.BasisSurface(), scale)
    if kind in _ROUND:
        axes = frame(surface.Position(), scale)
        return [Sheet(_ROUND[kind](surface, axes, scale))]
    if kind == "SurfaceOfLinearExtrusion":
        way = vector(surface.Direction(), scale)
        return [Sheet(combined((1, c.expressions), (v, way)), u_range=c.domain) for c in _basis(surface, 0, scale)]
    if kind == "SurfaceOfRevolution":
        return [Sheet(_turned(surface, [e.xreplace({u: v}) for e in c.expressions], scale), v_range=c.domain)
                for c in _basis(surface, 2, scale)]
    if kind in ("BSplineSurface", "BezierSurface"):
        return _spline(surface, scale)
    if kind == "OffsetSurface":
        return [part._replace(body=_offset(part.body, number(surface.Offset()) * scale)) for part in sheets(surface.BasisSurface(), scale)]
    raise Unread(f"surfaces of the kind {kind} are not read")


def _plane(surface: Any, axes: Frame, scale: Any) -> list[Any]:
    return combined((1, axes.origin), (u * scale, axes.first), (v * scale, axes.second))


def _circled(axes: Frame, radius: Any, height: Any) -> list[Any]:
    """The circle of angle u about an axis, at a height."""
    return combined((1, axes.origin), (radius * sp.cos(u), axes.first), (radius * sp.sin(u), axes.second), (height, axes.third))


def _cylinder(surface: Any, axes: Frame, scale: Any) -> list[Any]:
    return _circled(axes, number(surface.Radius()) * scale, v * scale)


def _cone(surface: Any, axes: Frame, scale: Any) -> list[Any]:
    angle = number(surface.SemiAngle())
    return _circled(axes, (number(surface.RefRadius()) + v * sp.sin(angle)) * scale, v * sp.cos(angle) * scale)


def _sphere(surface: Any, axes: Frame, scale: Any) -> list[Any]:
    radius = number(surface.Radius()) * scale
    return _circled(axes, radius * sp.cos(v), radius * sp.sin(v))


def _torus(surface: Any, axes: Frame, scale: Any) -> list[Any]:
    small = number(surface.MinorRadius()) * scale
    return _circled(axes, number(surface.MajorRadius()) * scale + small * sp.cos(v), small * sp.sin(v))


_ROUND = {"Plane": _plane, "CylindricalSurface": _cylinder, "ConicalSurface": _cone, "SphericalSurface": _sphere,
          "ToroidalSurface": _torus}


def _basis(surface: Any, at: int, scale: Any) -> list[Any]:
    """The pieces of the curve that makes a swept surface; `at`: where its range is among the bounds of the surface."""
    bounds = surface.Bounds()
    curve = surface.BasisCurve()
    ends = bounds[at], bounds[at + 1]
    far = 1e6
    return space_curve(curve, max(ends[0], -far), min(ends[1], far), scale)


def _turned(surface: Any, curve: list[Any], scale: Any) -> list[Any]:
    """A curve turned about an axis by the angle u (Rodrigues)."""
    axis = surface.Axis()
    place, way = vector(axis.Location(), scale), vector(axis.Direction())
    arm = [c - p for c, p in zip(curve, place, strict=True)]
    along = sum(a * b for a, b in zip(arm, way, strict=True))
    across = [way[1] * arm[2] - way[2] * arm[1], way[2] * arm[0] - way[0] * arm[2], way[0] * arm[1] - way[1] * arm[0]]
    return combined((1, place), (sp.cos(u), arm), (sp.sin(u), across), ((1 - sp.cos(u)) * along, way))


def _offset(body: list[Any], distance: Any) -> list[Any]:
    a, b = ([derivative(e, s) for e in body] for s in (u, v))
    normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return combined((1, body), (distance / sp.sqrt(sum(e**2 for e in normal)), normal))


def _spline(surface: Any, scale: Any) -> list[Sheet]:
    """The patches between knots; those of a periodic one over its period."""
    counts, degrees = (surface.NbUPoles(), surface.NbVPoles()), (surface.UDegree(), surface.VDegree())
    places = [_knots(surface, s) for s in "UV"]
    rational = surface.IsURational() or surface.IsVRational()
    net = [[_pole(surface, i % counts[0], j % counts[1], scale, rational) for j in range(len(places[1]) - degrees[1] - 1)]
           for i in range(len(places[0]) - degrees[0] - 1)]
    found = []
    for i in spans(places[0], degrees[0]):
        columns = [bezier_points(column, places[0], degrees[0], i) for column in zip(*net, strict=True)]
        for j in spans(places[1], degrees[1]):
            rows = [bezier_points(row, places[1], degrees[1], j) for row in zip(*columns, strict=True)]
            ends = (places[0][i], places[0][i + 1]), (places[1][j], places[1][j + 1])
            found.append(Sheet(list(patch_of(rows, *ends).body), *ends))
    return found


def _pole(surface: Any, i: int, j: int, scale: Any, rational: bool) -> tuple[Any, ...]:
    point = vector(surface.Pole(i + 1, j + 1), scale)
    if not rational:
        return point
    weight = number(surface.Weight(i + 1, j + 1))
    return (*(c * weight for c in point), weight)


def _knots(surface: Any, s: str) -> list[Any]:
    degree = getattr(surface, f"{s}Degree")()
    if not hasattr(surface, "NbUKnots"):
        return [sp.S.Zero] * (degree + 1) + [sp.S.One] * (degree + 1)
    count = getattr(surface, f"Nb{s}Knots")()
    return expanded([number(getattr(surface, f"{s}Knot")(k + 1)) for k in range(count)],
                    [getattr(surface, f"{s}Multiplicity")(k + 1) for k in range(count)], degree, getattr(surface, f"Is{s}Periodic")())
