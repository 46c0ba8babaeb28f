"""Curves: maps u -> space over a closed interval, and the usual ways to make them.

Curves are the material of surfaces (`generative.sweep`, `generative.patch`); they do not collide by themselves.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import comb
from numbers import Integral
from typing import Any

import numpy as np
import sympy as sp

from codegen.functions import Chebyshev
from codegen.given import shown
from codegen.operators import DefiniteIntegral, Inverse
from codegen.walk import replaced

from .pattern import Pattern, sampled, sampler
from .symbols import derivative, exact, formula, interval, items, latex, positive, simplified, t, text, u, vector
from .value import Value


class Curve(Value):
    """The curve of three expressions in u (and t) over the closed interval `domain` = (lo, hi). Immutable."""

    _expressions: tuple[Any, Any, Any] | None = None
    _pattern: Pattern | None = None
    _numbers: tuple[Any, ...] = ()

    def __init__(self, expressions: Any, domain: Any) -> None:
        self._expressions = vector(expressions, [u, t], "a curve")
        self._domain = interval(domain, "the domain of a curve")
        if not any(e.has(u) for e in self._expressions):
            raise ValueError(f"a curve must depend on u, got the point {text(list(self._expressions))}")

    @classmethod
    def of_pattern(cls, pattern: Pattern, numbers: Sequence[Any], domain: Any) -> "Curve":
        """A curve whose formula is written when it is wanted: that of a pattern of three formulas of u, with its numbers."""
        made = cls.__new__(cls)
        made._pattern, made._numbers, made._domain = pattern, tuple(numbers), domain
        return made

    @property
    def expressions(self) -> tuple[Any, Any, Any]:
        """The map: three expressions in u (and t)."""
        if self._expressions is None:
            assert self._pattern is not None
            a, b, c = self._pattern.written(self._numbers)
            self._expressions = a, b, c
        return self._expressions

    @property
    def pattern(self) -> Pattern:
        """The formulas with symbols for some of their numbers, which `numbers` has."""
        return self._pattern or Pattern(self.expressions)

    @property
    def numbers(self) -> tuple[Any, ...]:
        return self._numbers

    def sampled(self, parameters: Any) -> np.ndarray:
        """(n, 6): the three coordinates and then their derivatives by u at the parameters (n,), in doubles."""
        if self._pattern is None:
            return np.array([sampler(self.pattern, (u,), "math")(p) for p in parameters], float)
        return sampled(self.pattern, [self.numbers], np.asarray(parameters, float)[None])[0]

    @property
    def domain(self) -> tuple[Any, Any]:
        """(lo, hi), exact numbers."""
        return self._domain

    def at(self, parameter: Any) -> tuple[Any, Any, Any]:
        """The three expressions with u replaced by `parameter`, a number or an expression of surface parameters and time."""
        at = {u: exact(parameter, "a parameter of a curve")}
        a, b, c = (replaced(e, at) for e in self.expressions)
        return a, b, c

    @property
    def tangent(self) -> tuple[Any, Any, Any]:
        """The derivative by u, not normalized."""
        a, b, c = (derivative(e, u) for e in self.expressions)
        return a, b, c

    def onto(self, domain: Any) -> "Curve":
        """The same curve with its parameter mapped linearly, so that its domain becomes `domain`."""
        lo, hi = interval(domain, "the domain of a curve")
        a, b = self.domain
        return self if (a, b) == (lo, hi) else Curve(self.at(a + (u - lo) * (b - a) / (hi - lo)), (lo, hi))

    def reversed(self) -> "Curve":
        """The same curve run through backwards."""
        a, b = self.domain
        return Curve(self.at(a + b - u), self.domain)

    @property
    def speed(self) -> Any:
        """The length of the tangent, an expression of u (and t)."""
        return sp.sqrt(simplified(sum(e**2 for e in self.tangent)))

    def arc_length(self, end: Any = None) -> Any:
        """The length from the start of the curve to u = `end`, the whole length if that is None: an expression that compiles.

        `end` is a number or an expression, u itself included. The integral is left to the kernels (`codegen.operators`), unless the
        speed is constant.
        """
        (lo, hi), s = self.domain, sp.Dummy("s", real=True)
        return DefiniteIntegral(self.speed.xreplace({u: s}), s, lo, hi if end is None else exact(end, "the end of an arc"))

    def by_arc_length(self, domain: Any = None, *, beyond: Any = sp.Rational(1, 64)) -> "Curve":
        """The same curve at constant speed: u is the length from its start, or runs over `domain` in proportion to it.

        The parameter is the inverse of the arc length (`codegen.operators.Inverse`), which a kernel must prove to increase: the
        curve must be smooth and its speed positive. So that the ends of the curve are inside, its formula is used on a share
        `beyond` of the domain past both ends, where it must be smooth too. A curve that deforms with t needs a `domain`, which is
        the same at all times.

        >>> from generative import curve
        >>> curve.line([0, 0, 0], [3, 4, 0]).by_arc_length()
        Curve([3*u/5, 4*u/5, 0], (0, 5))
        """
        length, (lo, hi) = self.arc_length(), self.domain
        if domain is None and length.has(t):
            raise ValueError("the length of this curve changes with t; give the domain that u shall run over, such as (0, 1)")
        first, last = (sp.Integer(0), length) if domain is None else interval(domain, "the domain of a curve")
        margin = (hi - lo) * positive(beyond, [], "the share beyond the ends")
        if not self.speed.has(u):
            return self.onto((first, last))
        covered = length * (u - first) / (last - first) if domain is not None else u
        place = sp.Dummy("w", real=True)
        return Curve(self.at(Inverse(self.arc_length(place), place, covered, lo - margin, hi + margin)), (first, last))

    def _key(self) -> tuple[Any, ...]:
        return self.expressions, self.domain

    def __repr__(self) -> str:
        return f"Curve({text(list(self.expressions))}, {text(self.domain)})"

    def _repr_latex_(self) -> str:
        lo, hi = self.domain
        return f"$\\displaystyle C(u) = {latex(sp.ImmutableMatrix(self.expressions))},\\quad u \\in [{latex(lo)}, {latex(hi)}]$"


def line(start: Any, end: Any) -> Curve:
    """The segment from `start` to `end`, u from 0 to 1."""
    a, b = vector(start, [t], "a line"), vector(end, [t], "a line")
    if a == b:
        raise ValueError(f"a line needs two different ends, got {text(list(a))} twice")
    return Curve([p + u * (q - p) for p, q in zip(a, b, strict=True)], (0, 1))


def arc(radius: Any = 1, start: Any = 0, end: Any = 2 * sp.pi) -> Curve:
    """radius (cos u, sin u, 0) for u from `start` to `end`, radian."""
    return ellipse(radius, radius, start, end)


def circle(radius: Any = 1) -> Curve:
    """radius (cos u, sin u, 0), a full turn, counterclockwise."""
    return arc(radius)


def ellipse(a: Any, b: Any, start: Any = 0, end: Any = 2 * sp.pi) -> Curve:
    """(a cos u, b sin u, 0)."""
    a, b = (positive(e, [t], "the semi-axis of an ellipse") for e in (a, b))
    return Curve([a * sp.cos(u), b * sp.sin(u), 0], (start, end))


def superellipse(a: Any = 1, b: Any = 1, power: int = 4) -> Curve:
    """|x/a|^p + |y/b|^p = 1 for an even power p, in polar form: (cos u, sin u) / ((cos u / a)^p + (sin u / b)^p)^(1/p).

    Smooth everywhere, unlike the form with powers of |cos u|; u is the polar angle.
    """
    if not isinstance(power, Integral) or power < 2 or power % 2:
        raise ValueError(f"the power of a superellipse must be even and at least 2, got {shown(power)}")
    a, b = (positive(e, [t], "the semi-axis of a superellipse") for e in (a, b))
    reach = ((sp.cos(u) / a) ** power + (sp.sin(u) / b) ** power) ** sp.Rational(-1, int(power))
    return Curve([reach * sp.cos(u), reach * sp.sin(u), 0], (0, 2 * sp.pi))


def helix(radius: Any = 1, pitch: Any = 1, turns: Any = 1) -> Curve:
    """(radius cos u, radius sin u, pitch u / (2 pi)): `pitch` is the rise of one turn."""
    radius, turns = positive(radius, [t], "the radius of a helix"), positive(turns, [], "the number of turns of a helix")
    rise = formula(pitch, [u, t], "the pitch of a helix") * u / (2 * sp.pi)
    return Curve([radius * sp.cos(u), radius * sp.sin(u), rise], (0, 2 * sp.pi * turns))


def polynomial(coefficients: Sequence[Any], domain: Any = (0, 1)) -> Curve:
    """The sum of coefficients[k] u^k, each coefficient a 3-vector."""
    points = [vector(c, [t], "a coefficient") for c in items(coefficients, "the coefficients")]
    return Curve([sum(c[i] * u**k for k, c in enumerate(points)) for i in range(3)], domain)


def bezier(points: Sequence[Any], weights: Sequence[Any] | None = None) -> Curve:
    """The (rational, if `weights` are given) Bezier curve of these control points, u from 0 to 1."""
    controls = control_points(points, weights)
    return Curve(project(bernstein(controls, u)), (0, 1))


def chebyshev(coefficients: Sequence[Any], domain: Any = (-1, 1)) -> Curve:
    """The Chebyshev series with coefficients[k] (3-vectors) over `domain`; the first term is whole, as in numpy.polynomial."""
    series = [vector(c, [], "a coefficient") for c in items(coefficients, "the coefficients")]
    lo, hi = interval(domain, "the domain of a curve")
    argument = (2 * u - lo - hi) / (hi - lo)
    return Curve([Chebyshev(argument, *(c[i] for c in series)) for i in range(3)], domain)


def piecewise(pieces: Sequence[Curve]) -> Curve:
    """The pieces, each over its own interval, as one curve; every interval must begin, exactly, where the one before it ends.

    At a joint the later piece counts. Whether the pieces meet there is not checked. As faces of a solid the pieces are quicker
    apart: an inclusion function of the whole encloses the neighbours too wherever a joint lies in the box.
    """
    if not pieces or not all(isinstance(p, Curve) for p in items(pieces, "the pieces of a curve")):
        raise ValueError(f"a piecewise curve needs at least one piece, each a Curve, got {shown(pieces)}")
    for k, (a, b) in enumerate(pairwise(pieces), 1):
        if a.domain[1] != b.domain[0]:
            raise ValueError(f"piece {k} begins at {b.domain[0]}, but the piece before it ends at {a.domain[1]}; use onto()")
    joints = [p.domain[1] for p in pieces[:-1]]
    columns = zip(*(p.expressions for p in pieces), strict=True)
    return Curve([joined(column, u, joints) for column in columns], (pieces[0].domain[0], pieces[-1].domain[1]))


def joined(pieces: Sequence[Any], symbol: Any, joints: Sequence[Any]) -> Any:
    """Expressions of `symbol` that follow each other at the joints, as one; at a joint the later one counts."""
    conditions = [*(symbol < exact(joint, "a joint") for joint in joints), True]
    return pieces[0] if len(set(pieces)) == 1 else sp.Piecewise(*zip(pieces, conditions, strict=True))


def polygon(points: Sequence[Any], *, closed: bool = True) -> list[Curve]:
    """The sides of a polygon, u from k to k + 1 on side k; the last joins the last point to the first, if `closed`."""
    corners = items(points, "the corners of a polygon")
    if len(corners) < 2:
        raise ValueError(f"a polygon needs at least two corners, got {len(corners)}")
    corners += corners[:1] if closed else []
    return [line(a, b).onto((k, k + 1)) for k, (a, b) in enumerate(pairwise(corners))]


def b_spline(points: Sequence[Any], knots: Sequence[Any], degree: int, weights: Sequence[Any] | None = None) -> list[Curve]:
    """The B-spline (NURBS, if `weights` are given) as its (rational) Bezier pieces, each over its own knot interval.

    There are len(points) + degree + 1 knots, not decreasing. The pieces are exact: control points by blossoming (Ramshaw 1989).
    """
    controls = control_points(points, weights)
    places = check_knots(knots, len(controls), degree)
    pieces = []
    for j in spans(places, degree):
        lo, hi = places[j], places[j + 1]
        net = bezier_points(controls, places, degree, j)
        pieces.append(Curve(project(bernstein(net, u)), (0, 1)).onto((lo, hi)))
    return pieces


# -- Bernstein form and knots; control points are tuples (w x, w y, w z, w) or (x, y, z) -----------------------------------


def control_points(points: Sequence[Any], weights: Sequence[Any] | None) -> list[tuple[Any, ...]]:
    """Control points in space, or in homogeneous coordinates if there are weights."""
    plain = [vector(p, [t], "a control point") for p in items(points, "the control points")]
    if len(plain) < 2:
        raise ValueError(f"a curve needs at least two control points, got {len(plain)}")
    if weights is None:
        return list(plain)
    exact_weights = [formula(w, [], "a weight") for w in items(weights, "the weights")]
    if len(exact_weights) != len(plain):
        raise ValueError(f"there must be one weight a control point, got {len(exact_weights)} weights for {len(plain)} points")
    if not all(w.is_positive for w in exact_weights):
        raise ValueError(f"weights must be positive, got {text(exact_weights)}")
    return [(*(w * c for c in p), w) for p, w in zip(plain, exact_weights, strict=True)]


def bernstein(points: Sequence[tuple[Any, ...]], parameter: Any) -> list[Any]:
    """The sum of points[k] B_k(parameter), coordinate by coordinate, in Bernstein form."""
    n = len(points) - 1
    basis = [comb(n, k) * parameter**k * (1 - parameter) ** (n - k) for k in range(n + 1)]
    return [sum(b * p[i] for b, p in zip(basis, points, strict=True)) for i in range(len(points[0]))]


def project(values: Sequence[Any]) -> list[Any]:
    """Homogeneous to ordinary coordinates; ordinary ones stay."""
    return list(values) if len(values) == 3 else [c / values[3] for c in values[:3]]


def check_knots(knots: Sequence[Any], count: int, degree: int) -> list[Any]:
    places = [formula(k, [], "a knot") for k in items(knots, "the knots")]
    if not isinstance(degree, int) or degree < 1:
        raise ValueError(f"the degree of a spline must be an integer of at least 1, got {shown(degree)}")
    if len(places) != count + degree + 1:
        raise ValueError(f"{count} control points of degree {degree} need {count + degree + 1} knots, got {len(places)}")
    if any(b < a for a, b in pairwise(places)):
        raise ValueError(f"knots must not decrease, got {text(places)}")
    if not spans(places, degree):
        raise ValueError("the knots span no interval: the first and last of the inner ones are equal")
    for k in sorted(set(places)):
        most = degree + (1 if k in (places[0], places[-1]) else 0)
        if places.count(k) > most:
            raise ValueError(f"the knot {k} occurs {places.count(k)} times; a spline of degree {degree} falls apart where one occurs more "
                             f"than {most} times there")
    return places


def spans(knots: Sequence[Any], degree: int) -> list[int]:
    """The indices j of the intervals (knots[j], knots[j + 1]) that are not empty, within the spline's domain."""
    return [j for j in range(degree, len(knots) - degree - 1) if knots[j] < knots[j + 1]]


def bezier_points(points: Sequence[tuple[Any, ...]], knots: Sequence[Any], degree: int, j: int) -> list[tuple[Any, ...]]:
    """The Bezier control points of the piece over (knots[j], knots[j + 1]): blossoms at its ends."""
    lo, hi = knots[j], knots[j + 1]
    return [_blossom(points, knots, degree, j, [lo] * (degree - k) + [hi] * k) for k in range(degree + 1)]


def _blossom(points: Sequence[tuple[Any, ...]], knots: Sequence[Any], degree: int, j: int, at: Sequence[Any]) -> tuple[Any, ...]:
    """De Boor's triangle with a different parameter in every round."""
    row = [points[i] for i in range(j - degree, j + 1)]
    for depth, parameter in enumerate(at, 1):
        following = []
        for k in range(degree - depth + 1):
            left, right = knots[j - degree + depth + k], knots[j + 1 + k]
            share = (parameter - left) / (right - left)
            # At ends of a spline most shares are 0 or 1.
            following.append(row[k] if share == 0 else row[k + 1] if share == 1 else
                             tuple(a + share * (b - a) for a, b in zip(row[k], row[k + 1], strict=True)))
        row = following
    return row[0]
