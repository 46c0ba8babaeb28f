"""Bodies that are all points no farther than a radius from a core: balls round a point, capsules round a segment; planes within bounds.

They are recognised by their formulas: a closed patch all of whose points are *proved* to be as far from one centre, a polynomial that is
that of a sphere, and solids with the formulas of `solids.capsule`.
"""

import functools
import itertools
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.deadline import interruptible
from codegen.kernel import compile
from generative import ImplicitSurface, ParametricSurface, Solid, solids, u, v, x, y, z
from generative.mesh import enclosing

from .parts import is_closed

Point = tuple[Fraction, Fraction, Fraction]

# Points of a patch, by shares of its domain, through which a sphere is laid; how far others may be off it, and a centre off a fraction.
_SHARES, _OFF, _LARGEST = np.linspace(0.07, 0.95, 6), 1e-9, 1 << 20
_FEW = 200


class Rounded(NamedTuple):
    """`core`: its corners in the coordinates of the body, one or two; `square`: of the radius."""

    core: tuple[Point, ...]
    square: Fraction


def rounded_of(body: Any) -> Rounded | None:
    """The core of a ball or a capsule, in its own coordinates; None of other bodies."""
    if isinstance(body, ImplicitSurface):
        return _polynomial(body.body, body.bounds)
    if isinstance(body, ParametricSurface):
        return _patch(body.resting)
    if isinstance(body, Solid) and all(f.motion == body.faces[0].motion for f in body.faces):
        return _solid(body.resting)
    return None


@functools.lru_cache(maxsize=512)
def plane_within(F: Any, bounds: Any) -> tuple[Point, ...] | None:
    """The corners of the polygon in which the plane F = 0 meets a box, in turn; None of other functions, and where it has no area."""
    if not F.is_polynomial(x, y, z) or sp.Poly(F, x, y, z).total_degree() != 1:
        return None
    p = sp.Poly(F, x, y, z)
    if not all(e.is_Rational for e in (*p.coeffs(), *(end for pair in bounds for end in pair))):
        return None
    normal, level = [_fraction(p.coeff_monomial(s)) for s in (x, y, z)], _fraction(p.coeff_monomial(1))
    ends = [tuple(map(_fraction, pair)) for pair in bounds]
    found = {q for k in range(3) for q in _crossings(normal, level, ends, k)}
    return _in_turn(normal, found) if len(found) > 2 else None


def _crossings(normal: list[Fraction], level: Fraction, ends: list[Any], k: int) -> list[Point]:
    """The points of a plane on the edges of a box along axis k."""
    i, j = (k + 1) % 3, (k + 2) % 3
    found = []
    for a, b in itertools.product(ends[i], ends[j]) if normal[k] else ():
        at = [a, b, -(level + normal[i] * a + normal[j] * b) / normal[k]]
        if ends[k][0] <= at[2] <= ends[k][1]:
            found.append(tuple(at[(m - i) % 3] for m in range(3)))
    return found  # type: ignore[return-value]


def _in_turn(normal: list[Fraction], points: set[Point]) -> tuple[Point, ...]:
    """Corners of a convex polygon counterclockwise, as seen against its normal: by exact angles about the first one."""
    k = max(range(3), key=lambda m: abs(normal[m]))
    i, j, sign = (k + 1) % 3, (k + 2) % 3, 1 if normal[k] > 0 else -1
    first = min(points, key=lambda p: (p[i], p[j]))
    others = [p for p in points if p != first]

    def turn(p: Point, q: Point) -> int:
        area = (p[i] - first[i]) * (q[j] - first[j]) - (p[j] - first[j]) * (q[i] - first[i])
        return -sign * ((area > 0) - (area < 0))

    return (first, *sorted(others, key=functools.cmp_to_key(turn)))


@functools.lru_cache(maxsize=512)
def _solid(body: Solid) -> Rounded | None:
    if len(body.faces) == 1:
        return _patch(body.faces[0])
    if len(body.faces) != 3:
        return None
    radius, end = sp.simplify(body.faces[0].body[0] / sp.cos(u)), body.faces[0].domain[v][1]
    if not (radius.is_Rational and radius > 0 and end.is_Rational and end > 0):
        return None
    same = all(f.body == g.body and f.domain == g.domain for f, g in zip(body.faces, solids.capsule(radius, end).faces, strict=True))
    return Rounded(((Fraction(0),) * 3, (Fraction(0), Fraction(0), _fraction(end))), _fraction(radius) ** 2) if same else None


@functools.lru_cache(maxsize=512)
@interruptible()
def _polynomial(F: Any, bounds: Any) -> Rounded | None:
    """a (x^2 + y^2 + z^2) and terms of lower degrees, a > 0, all of whose zeros are within the bounds."""
    if not F.is_polynomial(x, y, z):
        return None
    p = sp.Poly(F, x, y, z)
    a = p.coeff_monomial(x**2)
    if not all(c.is_Rational for c in p.coeffs()) or not a > 0:
        return None
    middle = [-p.coeff_monomial(s) / (2 * a) for s in (x, y, z)]
    square = sum(m**2 for m in middle) - p.coeff_monomial(1) / a
    sphere = a * (sum((s - m) ** 2 for s, m in zip((x, y, z), middle, strict=True)) - square)
    within = all(lo < m < hi and (m - lo) ** 2 > square and (hi - m) ** 2 > square for m, (lo, hi) in zip(middle, bounds, strict=True))
    if not (square > 0 and within and sp.expand(p.as_expr() - sphere) == 0):
        return None
    a, b, c = map(_fraction, middle)
    return Rounded(((a, b, c),), _fraction(square))


@functools.lru_cache(maxsize=512)
@interruptible()
def _patch(face: ParametricSurface) -> Rounded | None:
    """A closed patch on a sphere covers all of it if it encloses a volume."""
    known = not set().union(*(e.free_symbols for e in face.body)) - {u, v}
    middle = _centre(face) if known and is_closed(face) else None
    if middle is None:
        return None
    square = sum((e - m) ** 2 for e, m in zip(face.body, middle, strict=True))
    square = square if sp.count_ops(square) > _FEW else sp.expand(sp.expand(square).replace(_is_even_sine, _by_cosine))
    square = square if square.is_Rational or sp.count_ops(square) > _FEW else sp.trigsimp(square)
    if not (square.is_Rational and square > 0) or not enclosing([face]):
        return None
    a, b, c = map(_fraction, middle)
    return Rounded(((a, b, c),), _fraction(square))


def _centre(face: ParametricSurface) -> tuple[Any, Any, Any] | None:
    """The centre of the sphere through points of a patch, if all are on it, and it is a simple fraction; a guess."""
    ends = [[float(e) for e in face.domain[s]] for s in (u, v)]
    at = np.stack(np.meshgrid(*(lo + _SHARES * (hi - lo) for lo, hi in ends)), axis=-1).reshape(-1, 2)
    places = np.asarray(compile(list(face.body), [u, v], quick=True).points(at))
    if not np.isfinite(places).all():
        return None
    rows = np.column_stack([2.0 * places, np.ones(len(places))])
    found = np.linalg.lstsq(rows, (places**2).sum(axis=1), rcond=None)[0]
    size = float(np.abs(places).max())
    far = np.linalg.norm(places - found[:3], axis=1)
    if not np.ptp(far) <= _OFF * size:
        return None
    simple = [Fraction(float(e)).limit_denominator(_LARGEST) for e in found[:3]]
    close = all(abs(float(s) - e) <= _OFF * size for s, e in zip(simple, found, strict=False))
    a, b, c = (sp.Rational(s.numerator, s.denominator) for s in simple)
    return (a, b, c) if close else None


def _is_even_sine(e: Any) -> bool:
    return bool(e.is_Pow and isinstance(e.base, sp.sin) and e.exp.is_Integer and e.exp > 0 and e.exp % 2 == 0)


def _by_cosine(e: Any) -> Any:
    return (1 - sp.cos(e.base.args[0]) ** 2) ** (e.exp / 2)


def _fraction(e: Any) -> Fraction:
    return Fraction(int(e.p), int(e.q))
