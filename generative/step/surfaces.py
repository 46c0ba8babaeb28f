"""Surfaces of the kernel as patterns with their numbers, which for all but splines and what is swept along them are one each.

Parameters are the kernel's, so those that are lengths are millimetres, whatever the unit of the solid.
"""

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from ..curve import bernstein, bezier_points, project, spans
from ..pattern import Pattern, sampler
from ..patterned import Patterned
from ..symbols import derivative, u, v
from .curves import CurveForm, Unread, coordinates, curve_pattern, expanded, lighter, shapes_of, symbols

ROUND = ("CylindricalSurface", "ConicalSurface", "SphericalSurface", "ToroidalSurface")
_FULL = {"CylindricalSurface": (0,), "ConicalSurface": (0,), "SphericalSurface": (0,), "ToroidalSurface": (0, 1),
         "SurfaceOfRevolution": (0,)}
# A swept curve without an end is taken so far, mm.
_FAR = 1e6


class SurfaceForm(NamedTuple):
    """A kind of surface and its numbers, over these ranges of u and of v; None: all."""

    kind: tuple[Any, ...]
    numbers: tuple[Any, ...]
    u_range: tuple[float, float] | None = None
    v_range: tuple[float, float] | None = None

    @property
    def pattern(self) -> Pattern:
        return surface_pattern(self.kind)

    @property
    def full_turns(self) -> tuple[int, ...]:
        """The parameters, 0 for u and 1 for v, that are angles, so that the surface closes after a full turn."""
        return (0,) if self.kind == ("SurfaceOfLinearExtrusion", ("Ellipse",)) else _FULL.get(self.kind[0], ())

    def source(self, scale: Any) -> Patterned:
        """The formula in units that are `scale` to a millimetre."""
        return Patterned(self.pattern, self.numbers) if scale == 1 else Patterned(_scaled(self.pattern), (*self.numbers, scale))

    def is_point(self, axis: int, end: int) -> bool:
        """Whether the poles along a side of a patch are one point."""
        _, rows, columns, rational = self.kind
        size = 3 + rational
        poles = [self.numbers[k:k + size] for k in range(4, len(self.numbers), size)]
        side = poles[end * (rows - 1) * columns:][:columns] if axis == 0 else poles[end * (columns - 1)::columns]
        first, weight = side[0], Fraction(side[0][-1]) if rational else 1
        return all(a * weight == b * (Fraction(p[-1]) if rational else 1) for p in side[1:]  # cross-multiplied
                   for a, b in zip(map(Fraction, p[:3]), map(Fraction, first[:3]), strict=True))

    def sampled(self, a: float, b: float) -> Sequence[float]:
        """The point with the parameters a and b, and then the derivatives by u and by v, in doubles."""
        return sampler(self.pattern, (u, v), "math")(a, b, *map(float, self.numbers))


def sheets(surface: Any) -> list[SurfaceForm]:
    """The formulas of a Geom_Surface."""
    kind = type(surface).__name__.removeprefix("Geom_")
    if kind == "RectangularTrimmedSurface":
        return sheets(surface.BasisSurface())
    if kind == "Plane" or kind in ROUND:
        axes = surface.Position()
        ways = axes.Location(), axes.XDirection(), axes.YDirection(), axes.Direction()
        return [SurfaceForm((kind,), (*(c for w in ways for c in coordinates(w)), *_sizes(kind, surface)))]
    if kind == "SurfaceOfLinearExtrusion":
        way = coordinates(surface.Direction())
        return [SurfaceForm((kind, s.kind), (*s.numbers, *way), u_range=_limits(s)) for s in _basis(surface, 0)]
    if kind == "SurfaceOfRevolution":
        axis = surface.Axis()
        turn = *coordinates(axis.Location()), *coordinates(axis.Direction())
        return [SurfaceForm((kind, s.kind), (*s.numbers, *turn), v_range=(s.first, s.last)) for s in _basis(surface, 2)]
    if kind in ("BSplineSurface", "BezierSurface"):
        return _spline(surface)
    if kind == "OffsetSurface":
        return [s._replace(kind=(kind, s.kind), numbers=(*s.numbers, surface.Offset())) for s in sheets(surface.BasisSurface())]
    raise Unread(f"surfaces of the kind {kind} are not read")


def _sizes(kind: str, surface: Any) -> tuple[float, ...]:
    if kind in ("CylindricalSurface", "SphericalSurface"):
        return (surface.Radius(),)
    if kind == "ConicalSurface":
        return surface.RefRadius(), surface.SemiAngle()
    return (surface.MajorRadius(), surface.MinorRadius()) if kind == "ToroidalSurface" else ()


@functools.cache
def _scaled(pattern: Pattern) -> Pattern:
    """A pattern times a number, which comes last."""
    scale = symbols(len(pattern.symbols) + 1)[-1]
    return Pattern(tuple(e * scale for e in pattern.formulas), (*pattern.symbols, scale))


@functools.cache
def surface_pattern(kind: tuple[Any, ...]) -> Pattern:
    """The pattern of a kind of surface."""
    if kind[0] == "Patch":
        return _patch_pattern(*kind[1:])
    if kind[0] == "OffsetSurface":
        formulas, n = surface_pattern(kind[1])
        distance = symbols(len(n) + 1)[-1]
        return Pattern(tuple(_offset(formulas, distance)), (*n, distance))
    if kind[0] in ("SurfaceOfLinearExtrusion", "SurfaceOfRevolution"):
        formulas, n = curve_pattern(kind[1], 3)
        more = symbols(len(n) + (3 if kind[0] == "SurfaceOfLinearExtrusion" else 6))[len(n):]
        swept = _combined((1, formulas), (v, more)) if len(more) == 3 else _turned([e.xreplace({u: v}) for e in formulas], more)
        return Pattern(tuple(swept), (*n, *more))
    n = symbols(12 + {"Plane": 0, "CylindricalSurface": 1, "SphericalSurface": 1}.get(kind[0], 2))
    return Pattern(tuple(_ELEMENTARY[kind[0]](n[:3], n[3:6], n[6:9], n[9:12], *n[12:])), n)


def _combined(*terms: tuple[Any, Sequence[Any]]) -> list[Any]:
    """The sum of numbers or formulas times vectors."""
    return [sum((factor * row[k] for factor, row in terms), sp.S.Zero) for k in range(3)]


def _plane(o: Any, x: Any, y: Any, z: Any) -> list[Any]:
    return _combined((1, o), (u, x), (v, y))


def _circled(o: Any, x: Any, y: Any, z: Any, radius: Any, height: Any) -> list[Any]:
    """The circle of angle u about an axis, at a height."""
    return _combined((1, o), (radius * sp.cos(u), x), (radius * sp.sin(u), y), (height, z))


def _cone(o: Any, x: Any, y: Any, z: Any, radius: Any, angle: Any) -> list[Any]:
    return _circled(o, x, y, z, radius + v * sp.sin(angle), v * sp.cos(angle))


def _sphere(o: Any, x: Any, y: Any, z: Any, radius: Any) -> list[Any]:
    return _circled(o, x, y, z, radius * sp.cos(v), radius * sp.sin(v))


def _torus(o: Any, x: Any, y: Any, z: Any, large: Any, small: Any) -> list[Any]:
    return _circled(o, x, y, z, large + small * sp.cos(v), small * sp.sin(v))


_ELEMENTARY: dict[str, Any] = {"Plane": _plane, "CylindricalSurface": lambda o, x, y, z, radius: _circled(o, x, y, z, radius, v),
                               "ConicalSurface": _cone, "SphericalSurface": _sphere, "ToroidalSurface": _torus}


def _basis(surface: Any, at: int) -> list[CurveForm]:
    """The pieces of the curve that makes a swept surface; `at`: where its range is among the bounds of the surface."""
    ends = surface.Bounds()[at:at + 2]
    return shapes_of(surface.BasisCurve(), max(ends[0], -_FAR), min(ends[1], _FAR))


def _limits(basis: CurveForm) -> tuple[float, float] | None:
    """The range of a piece of a curve; none for an ellipse, since faces may begin at any angle of it."""
    return None if basis.kind == ("Ellipse",) else (basis.first, basis.last)


def _turned(curve: Sequence[Any], n: Sequence[Any]) -> list[Any]:
    """A curve turned about an axis by the angle u (Rodrigues)."""
    place, way = n[:3], n[3:]
    arm = [c - p for c, p in zip(curve, place, strict=True)]
    inward = sum(a * b for a, b in zip(arm, way, strict=True))
    across = [way[1] * arm[2] - way[2] * arm[1], way[2] * arm[0] - way[0] * arm[2], way[0] * arm[1] - way[1] * arm[0]]
    return _combined((1, place), (sp.cos(u), arm), (sp.sin(u), across), ((1 - sp.cos(u)) * inward, way))


def _offset(body: Sequence[Any], distance: Any) -> list[Any]:
    a, b = ([derivative(e, s) for e in body] for s in (u, v))
    normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return _combined((1, body), (distance / sp.sqrt(sum(e**2 for e in normal)), normal))


def _patch_pattern(rows: int, columns: int, rational: bool) -> Pattern:
    """A Bezier patch of so many rows and columns of poles; its first four numbers are its ranges of u and of v."""
    size = 3 + rational
    n = symbols(4 + rows * columns * size)
    poles = [n[k:k + size] for k in range(4, len(n), size)]
    a, b = ((s - lo) / (hi - lo) for s, lo, hi in ((u, *n[:2]), (v, *n[2:4])))
    net = [tuple(bernstein(poles[k:k + columns], b)) for k in range(0, len(poles), columns)]
    return Pattern(tuple(project(bernstein(net, a))), n)


def _spline(surface: Any) -> list[SurfaceForm]:
    """The patches between knots; those of a periodic one over its period."""
    counts, degrees = (surface.NbUPoles(), surface.NbVPoles()), (surface.UDegree(), surface.VDegree())
    places = [_knots(surface, s) for s in "UV"]
    rational = surface.IsURational() or surface.IsVRational()
    poles = [[_pole(surface, i, j, rational) for j in range(counts[1])] for i in range(counts[0])]
    net = [[poles[i % counts[0]][j % counts[1]] for j in range(len(places[1]) - degrees[1] - 1)]
           for i in range(len(places[0]) - degrees[0] - 1)]
    found = []
    for i in spans(places[0], degrees[0]):
        columns = [bezier_points(column, places[0], degrees[0], i) for column in zip(*net, strict=True)]
        for j in spans(places[1], degrees[1]):
            rows = [bezier_points(row, places[1], degrees[1], j) for row in zip(*columns, strict=True)]
            ends = places[0][i], places[0][i + 1], places[1][j], places[1][j + 1]
            numbers = tuple(lighter(e) for e in (*ends, *(c for row in rows for p in row for c in p)))
            found.append(SurfaceForm(("Patch", degrees[0] + 1, degrees[1] + 1, rational), numbers, (float(ends[0]), float(ends[1])),
                               (float(ends[2]), float(ends[3]))))
    return found


def _pole(surface: Any, i: int, j: int, rational: bool) -> tuple[Any, ...]:
    place = tuple(map(Fraction, coordinates(surface.Pole(i + 1, j + 1))))
    if not rational:
        return place
    weight = Fraction(surface.Weight(i + 1, j + 1))
    return (*(c * weight for c in place), weight)


def _knots(surface: Any, s: str) -> list[Any]:
    degree = getattr(surface, f"{s}Degree")()
    if not hasattr(surface, "NbUKnots"):
        return [Fraction(0)] * (degree + 1) + [Fraction(1)] * (degree + 1)
    count = getattr(surface, f"Nb{s}Knots")()
    return expanded([Fraction(getattr(surface, f"{s}Knot")(k + 1)) for k in range(count)],
                    [getattr(surface, f"{s}Multiplicity")(k + 1) for k in range(count)], degree, getattr(surface, f"Is{s}Periodic")())
