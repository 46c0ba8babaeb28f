"""Curves of the kernel as patterns with their numbers, over the range that an edge uses; in space and in the plane of parameters.

Coefficients of a curve in space are exactly those of the kernel. Curves in the plane are chosen here, near the kernel's, in doubles; the
gap (`gaps`) says how far their images are from the edges.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..curve import Curve, bernstein, bezier_points, spans
from ..pattern import Pattern
from ..symbols import Parameter, u
from ..trimming_cusps import SEGMENT
from ..trimming_pieces import LoopPiece

_CONICS = ("Circle", "Ellipse", "Hyperbola", "Parabola")
_WAVES = {"Ellipse": (sp.cos(u), sp.sin(u)), "Hyperbola": (sp.cosh(u), sp.sinh(u)), "Parabola": (u**2, u)}


class Unread(ValueError):
    """Something in a file that has no formula here."""


class CurveForm(NamedTuple):
    """A kind of formula and the numbers in it, over a range of the kernel's parameter."""

    kind: tuple[Any, ...]
    numbers: tuple[Any, ...]
    first: float
    last: float


@functools.cache
def symbols(count: int) -> tuple[Parameter, ...]:
    return tuple(Parameter(f"n{k}") for k in range(count))


@functools.cache
def curve_pattern(kind: tuple[Any, ...], size: int) -> Pattern:
    """The pattern of a kind of curve of u in a space of `size` dimensions, with zeros to three."""
    if kind[0] == "Bezier":
        _, degree, rational = kind
        n = symbols(2 + (degree + 1) * (size + rational))
        poles = [n[k:k + size + rational] for k in range(2, len(n), size + rational)]
        rows = bernstein(poles, (u - n[0]) / (n[1] - n[0]))
        formulas = [e / rows[size] for e in rows[:size]] if rational else rows
    else:
        waves = (u,) if kind[0] == "Line" else _WAVES[kind[0]]
        n = symbols(size * (1 + len(waves)))
        formulas = [n[k] + sum(w * n[k + size * (j + 1)] for j, w in enumerate(waves)) for k in range(size)]
    return Pattern((*formulas, *[sp.S.Zero] * (3 - size)), n)


def coordinates(p: Any) -> tuple[float, ...]:
    """Those of a point, vector or direction of the kernel, in space or in the plane."""
    return (p.X(), p.Y(), p.Z()) if hasattr(p, "Z") else (p.X(), p.Y())


def shapes_of(curve: Any, first: float, last: float) -> list[CurveForm]:
    """A curve of the kernel, in space or in the plane, from one of its parameters to another, as pieces in order."""
    kind = type(curve).__name__.rpartition("_")[2]
    if kind == "TrimmedCurve":
        return shapes_of(curve.BasisCurve(), first, last)
    if kind == "Line":
        axis = curve.Position()
        return [CurveForm(("Line",), (*coordinates(axis.Location()), *coordinates(axis.Direction())), first, last)]
    if kind in _CONICS:
        return [_conic(kind, curve, first, last)]
    if kind in ("BSplineCurve", "BezierCurve"):
        return _spline(curve, first, last)
    raise Unread(f"curves of the kind {kind} are not read")


def _conic(kind: str, curve: Any, first: float, last: float) -> CurveForm:
    """Its coefficients are products of two doubles each, as fractions."""
    axes = curve.Position()
    a, b = _sizes(kind, curve)
    x, y = (coordinates(w) for w in (axes.XDirection(), axes.YDirection()))
    numbers = *coordinates(axes.Location()), *_product(a, x), *_product(b, y)
    return CurveForm(("Ellipse" if kind == "Circle" else kind,), numbers, first, last)


def _product(factor: Any, way: Sequence[float]) -> list[Any]:
    """(Most components of directions are 0 or 1.)"""
    return [float(factor) * c if c in (0.0, 1.0, -1.0) and isinstance(factor, float) else Fraction(factor) * Fraction(c) for c in way]


def _sizes(kind: str, curve: Any) -> tuple[Any, Any]:
    if kind == "Circle":
        return curve.Radius(), curve.Radius()
    if kind == "Parabola":
        return 1 / (4 * Fraction(curve.Focal())), 1.0
    return curve.MajorRadius(), curve.MinorRadius()


def _spline(curve: Any, first: float, last: float) -> list[CurveForm]:
    """A spline between two of its parameters as polynomial or rational pieces: in space exactly, in the plane in doubles."""
    kind: Any = Fraction if "2d" not in type(curve).__name__ else float
    degree, places, count = curve.Degree(), [kind(k) for k in knots(curve)], curve.NbPoles()
    poles: list[tuple[Any, ...]] = [tuple(map(kind, coordinates(curve.Pole(k + 1)))) for k in range(count)]
    rational = curve.IsRational()
    if rational:
        weights = [kind(curve.Weight(k + 1)) for k in range(count)]
        poles = [(*(c * w for c in p), w) for p, w in zip(poles, weights, strict=True)]
    # A periodic spline goes on with its first poles.
    poles = [poles[k % count] for k in range(len(places) - degree - 1)]
    found: list[CurveForm] = []
    for k in spans(places, degree):
        lo, hi = max(float(places[k]), first), min(float(places[k + 1]), last)
        if lo < hi:
            net = bezier_points(poles, places, degree, k)
            numbers = places[k], places[k + 1], *(c for p in net for c in p)
            found.append(CurveForm(("Bezier", degree, rational), tuple(map(lighter, numbers)), lo, hi))
    return found


def lighter(number: Any) -> Any:
    """A fraction as the double that it is, where it is one."""
    near = float(number)
    return near if near == number else number


def knots(curve: Any) -> list[Fraction]:
    """The knots, each as often as it counts; of a periodic spline with those before and after its period that its poles need."""
    if not hasattr(curve, "NbKnots"):
        return [Fraction(0)] * (curve.Degree() + 1) + [Fraction(1)] * (curve.Degree() + 1)
    return expanded([Fraction(curve.Knot(k + 1)) for k in range(curve.NbKnots())],
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
    # A period may have fewer knots than are wanted.
    turns = range(1, more // len(inner) + 3)
    before = [k - n * period for n in turns[::-1] for k in inner][len(turns) * len(inner) - more:]
    after = [k + n * period for n in turns for k in inner][multiplicities[0]:multiplicities[0] + more]
    return [*before, *flat, *after]


# -- in the plane of parameters ------------------------------------------------------------------------------------------


def plane_piece(shape: CurveForm) -> LoopPiece:
    """A shape in the plane with its numbers rounded to doubles; what is a full turn to 12 digits is one."""
    first, last = shape.first, shape.last
    full = shape.kind == ("Ellipse",) and abs(last - first - 2 * math.pi) < 1e-9
    end = sp.Rational(first) + 2 * sp.pi if full else last
    return LoopPiece(Curve.of_pattern(curve_pattern(shape.kind, 2), [float(e) for e in shape.numbers], (first, end)), first, end)


def projected(shape: CurveForm, origin: np.ndarray, axes: np.ndarray) -> CurveForm:
    """A shape in space in the coordinates of a plane, (2, 3) its directions, in doubles."""
    rational = shape.kind[0] == "Bezier" and shape.kind[2]
    begin = 2 if shape.kind[0] == "Bezier" else 0
    rows = np.array([float(e) for e in shape.numbers[begin:]]).reshape(-1, 4 if rational else 3)
    weights = rows[:, 3:] if rational else np.ones((len(rows), 1))
    if begin == 0:
        weights[1:] = 0.0
    flat = (rows[:, :3] - weights * origin) @ axes.T
    flat[np.abs(flat) <= 1e-15 * np.abs(flat).max()] = 0.0
    made = np.hstack([flat, rows[:, 3:]]).ravel().tolist()
    return shape._replace(numbers=(*shape.numbers[:begin], *made))


def segment(a: Any, b: Any) -> LoopPiece:
    """The straight line between two points, over 0 to 1."""
    return LoopPiece(Curve.of_pattern(SEGMENT, [*map(float, a), *map(float, b)], (sp.S.Zero, sp.S.One)), 0.0, 1.0)


def is_segment(piece: LoopPiece) -> bool:
    return piece.curve.pattern is SEGMENT


def backwards(piece: LoopPiece) -> LoopPiece:
    """A piece run through backwards, a segment as one over 0 to 1."""
    numbers = piece.curve.numbers
    return segment(numbers[2:], numbers[:2]) if is_segment(piece) else piece.back


def moved(piece: LoopPiece, begin: np.ndarray, end: np.ndarray) -> LoopPiece:
    """A piece with its ends moved by these amounts, and points between them in proportion; segments and Bezier curves end there exactly."""
    points, _ = piece.sampled
    if is_segment(piece):
        return segment(points[0] + begin, points[-1] + end)
    first, last = float(piece.first), float(piece.last)
    n = symbols(len(piece.curve.numbers) + 6)[-6:]
    share = (u - n[4]) / (n[5] - n[4])
    numbers = *piece.curve.numbers, *begin.tolist(), *end.tolist(), first, last
    return LoopPiece(Curve.of_pattern(_leaning(piece.curve.pattern, n, share), numbers, piece.curve.domain), piece.first, piece.last)


@functools.cache
def _leaning(pattern: Pattern, n: tuple[Any, ...], share: Any) -> Pattern:
    a, b, c = pattern.formulas
    return Pattern((a + n[0] + share * (n[2] - n[0]), b + n[1] + share * (n[3] - n[1]), c), (*pattern.symbols, *n))
