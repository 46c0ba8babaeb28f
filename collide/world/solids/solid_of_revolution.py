"""Combined bodies that turn into themselves about an axis, as solids: of planes, cylinders, cones and balls round the axis.

In a half plane from the axis, where a point has its distance r from the axis and its height h along it, leaves are regions that end at
lines and circles. These cut one another in arcs; the body's surface is what the arcs sweep that it is on one side of alone.

Coefficients are rational, so that all places where curves cut each other are found exactly, as roots of polynomials of degree 2 at most.
Between two of these a curve stays on one side of each of the others, which is found at one point of the arc, by exact numbers and
enclosures of them.
"""

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.constants import enclose
from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Solid, u, v, x, y, z
from generative.combination import Combination
from generative.sew import sew
from generative.symbols import exact

# Against size: what is not further from a curve than this is on it, and bodies that nearly touch themselves are left as they are.
_CLEAR = 1e-7
# Places are one that are the same to so many digits.
_DIGITS = 9
# Effort only.
_LEAVES = 48
_TURN = (0, 2 * sp.pi)
# Powers of x, y, z and the distance from the axis, of an axis along z.
_MONOMIALS = {"a": (2, 0, 0, 0), "x": (1, 0, 0, 0), "y": (0, 1, 0, 0), "b": (0, 0, 0, 1), "c": (0, 0, 2, 0), "d": (0, 0, 1, 0),
              "e": (0, 0, 0, 0)}
_DISTANCE = sp.Symbol("r", nonnegative=True)

Place = tuple[Any, Any]


class ProfileConic(NamedTuple):
    """In a half plane from the axis, a r^2 + b r + c h^2 + d h + e = 0: a line, or half a circle."""

    a: Any
    b: Any
    c: Any
    d: Any
    e: Any

    @property
    def level(self) -> Any:
        """The height of a plane across the axis; else None."""
        return None if self.a or self.b else -self.e / self.d

    @property
    def circle(self) -> tuple[Any, Any] | None:
        """The height of the middle, and the radius squared."""
        middle = -self.d / (2 * self.c) if self.c else None
        return None if middle is None else (middle, middle**2 - self.e / self.a)

    @property
    def known(self) -> bool:
        """Whether it is a line, or a circle that exists."""
        if self.c:
            return self.a == self.c and not self.b and self.circle[1] > 0  # type: ignore[index]
        if self.a:
            return not self.b and not self.d and self.e / self.a < 0
        return bool(self.b or self.d)

    def slope(self, r: float, h: float) -> tuple[float, float]:
        return 2.0 * float(self.a) * r + float(self.b), 2.0 * float(self.c) * h + float(self.d)

    def side(self, r: Any, h: Any) -> int:
        """The *proved* sign of its function at a place that is known exactly; 0 where it is zero, or not known, or nearly so."""
        lo, hi = enclose(self.a * r * r + self.b * r + self.c * h * h + self.d * h + self.e)
        far, high = float(r), float(h)
        size = (1.0 + abs(far) + abs(high)) * (1.0 + float(np.hypot(*self.slope(far, high))))
        return 0 if max(-lo, hi) <= _CLEAR * size else 1 if lo > 0.0 else -1 if hi < 0.0 else 0

    def beside(self, h: Any) -> list[Any]:
        """Distances from the axis at a height; of no plane."""
        if self.circle is not None:
            middle, square = self.circle
            left = square - (h - middle) ** 2
            return [sp.sqrt(left)] if left >= 0 else []
        return [sp.sqrt(-self.e / self.a)] if self.a else [-(self.d * h + self.e) / self.b]

    def path(self, s: Any) -> Place:
        """By its parameter: the distance of a plane, the latitude on a circle, the height of others."""
        if self.level is not None:
            return s, self.level
        if self.circle is not None:
            middle, square = self.circle
            return sp.sqrt(square) * sp.cos(s), middle + sp.sqrt(square) * sp.sin(s)
        return self.beside(s)[0], s

    def at(self, place: Place) -> Any:
        """The parameter of a place on it."""
        if self.circle is not None:
            return sp.asin((place[1] - self.circle[0]) / sp.sqrt(self.circle[1]))
        return place[0] if self.level is not None else place[1]


def turned_of(shape: Any) -> Solid | None:
    """The same points as a Solid; None of other bodies, of one that has no end, that reaches beyond the bounds of a leaf, that touches
    itself, or of which it is not clear where its leaves cut one another. What reaches beyond bounds only by roundings counts as within: see
    `turns_exactly`.
    """
    return _turned(shape)[0]


def turns_exactly(shape: Any) -> bool:
    """Whether `turned_of` is *proved* to give the same points, and not only the same except for a sliver that bounds may cut off."""
    return _turned(shape)[1]


@functools.lru_cache(maxsize=256)
def _turned(shape: Any) -> tuple[Solid | None, bool]:
    if not isinstance(shape, Combination) or len(shape.leaves) > _LEAVES:
        return None, False
    for axis in range(3):
        known = _curves(shape.leaves, axis)
        if known is not None:
            try:
                faces, proved = _faces(shape, *known, axis)
                return (sew(faces).named(shape.name), proved) if faces else (None, False)
            except ValueError:
                return None, False
    return None, False


def _curves(leaves: Sequence[ImplicitSurface], axis: int) -> tuple[dict[ImplicitSurface, tuple[ProfileConic, int]], tuple[Any, Any]] | None:
    """The curve of each leaf, with 1, or -1 if its inside is where that is positive; and the place of the axis."""
    first, second, along = ((x, y, z)[(axis + k) % 3] for k in (1, 2, 3))
    found, places = dict[ImplicitSurface, tuple[ProfileConic, int]](), set[tuple[Any, Any]]()
    for leaf in leaves:
        e = leaf.expression
        roots = [p for p in e.atoms(sp.Pow) if p.exp == sp.S.Half and p.free_symbols]
        try:
            poly = sp.Poly(e.xreplace(dict.fromkeys(roots, _DISTANCE)), first, second, along, _DISTANCE)
            inner = [sp.Poly(p.base, first, second, along) for p in roots]
        except sp.PolynomialError:
            return None
        if poly.total_degree() > 2 or not all(c.is_Rational for p in (poly, *inner) for c in p.coeffs()) or len(roots) > 1:
            return None
        terms = [dict(p.terms()) for p in (poly, *inner)]
        own = {k: terms[0].pop(m, sp.S.Zero) for k, m in _MONOMIALS.items()}
        if terms[0].pop((0, 2, 0, 0), sp.S.Zero) != own["a"] or terms[0] or (own["a"] and own["b"]):
            return None
        middle = (-own["x"] / (2 * own["a"]), -own["y"] / (2 * own["a"])) if own["a"] else None
        if middle is None and (own["x"] or own["y"]):
            return None
        if own["b"]:
            p, q = (-terms[1].get(m, sp.S.Zero) / 2 for m in ((1, 0, 0), (0, 1, 0)))
            middle = p, q
            if sp.expand(roots[0].base - (first - p) ** 2 - (second - q) ** 2) != 0:
                return None
        places |= {middle} if middle is not None else set()
        square = own["a"] * sum(m * m for m in middle) if middle is not None and own["a"] else sp.S.Zero
        row = (own["a"], own["b"], own["c"], own["d"], own["e"] - square)
        lead = next((c for c in row if c), None)
        curve = ProfileConic(*(c / abs(lead) for c in row)) if lead is not None else None
        if curve is None or not curve.known or len(places) > 1:
            return None
        turned = ProfileConic(*(-c for c in curve))
        known = {c for c, _ in found.values()}
        found[leaf] = (turned, -1) if turned in known else (curve, 1)
    return (found, places.pop()) if places else None


def _meet(one: ProfileConic, other: ProfileConic) -> list[Place]:
    """The places where two curves meet, exactly."""
    if one.level is not None or other.level is not None:
        first, second = (one, other) if one.level is not None else (other, one)
        return [] if second.level is not None else [(r, first.level) for r in second.beside(first.level)]
    if one.circle is not None and other.circle is not None:
        (p, s), (q, t) = one.circle, other.circle
        heights = [] if p == q else [(s - t - p * p + q * q) / (2 * (q - p))]
    elif one.circle is None and other.circle is None:
        h = sp.Symbol("h", real=True)
        heights = sp.roots(sp.Poly(one.beside(h)[0] - other.beside(h)[0], h), multiple=True) if one.d or other.d else []
    else:
        line, ring = (one, other) if one.circle is None else (other, one)
        h = sp.Symbol("h", real=True)
        middle, square = ring.circle  # type: ignore[misc]
        heights = sp.roots(sp.Poly(line.beside(h)[0] ** 2 + (h - middle) ** 2 - square, h), multiple=True)
    lines = one if one.circle is None else other
    if any(h.is_real is None for h in heights):
        raise ValueError("it is not told whether curves meet")
    return [(r, h) for h in heights if h.is_real for r in lines.beside(h) if r >= 0]


def _faces(shape: Combination, curves: dict[ImplicitSurface, tuple[ProfileConic, int]], place: tuple[Any, Any],
           axis: int) -> tuple[list[ParametricSurface], bool]:
    """The faces that arcs sweep on the surface, none where that is unclear; and whether they are *proved* to be within bounds of leaves."""
    found, uses, proved = list[ParametricSurface](), Counter[tuple[float, ...]](), True
    every = list(dict.fromkeys(c for c, _ in curves.values()))
    for curve in every:
        ends = {float(curve.at(p)): curve.at(p) for p in _ends(curve, every)}
        marks = sorted(ends)
        outer = [] if curve.circle is not None else [marks[0] - 1.0, marks[-1] + 1.0] if marks else [0.0]
        known = [_boundary(shape, curves, curve, s) for s in (*((a + b) / 2.0 for a, b in itertools.pairwise(marks)), *outer)]
        if None in known or any(known[max(len(marks) - 1, 0):]):
            return [], False
        for k in (k for k, side in enumerate(known) if side):
            uses.update(tuple(round(float(e), _DIGITS) + 0.0 for e in curve.path(ends[m])) for m in marks[k:k + 2])
        # Arcs that go on in each other are one.
        for side, group in itertools.groupby(range(len(marks) - 1), key=lambda k: known[k]):
            own = list(group)
            if side:
                arc = ends[marks[own[0]]], ends[marks[own[-1] + 1]]
                within = [_within(leaf, curve, arc, place, axis) for leaf, (c, _) in curves.items() if c == curve]
                if not any(clear for clear, _ in within):
                    return [], False
                proved = proved and any(exactly for _, exactly in within)
                found.append(_swept(curve, arc, side, place, axis))
    # Else it touches itself.
    return (found, proved) if all(count == (2 if r > 0.0 else 1) for (r, _), count in uses.items()) else ([], False)


def _boundary(shape: Combination, curves: dict[ImplicitSurface, tuple[ProfileConic, int]], curve: ProfileConic, s: float) -> int | None:
    """Whether a body is on one side of a curve alone at a place: 1 if outside is where the curve's function is positive, -1 if that is
    inside; 0 if it is not, and None where that is not clear.
    """
    r, h = curve.path(exact(s))
    above, below = (_inside(shape, curves, curve, side, r, h) if float(r) > 0.0 else False for side in (1, -1))
    return None if above is None or below is None else int(below) - int(above)


def _ends(curve: ProfileConic, every: Sequence[ProfileConic]) -> Iterator[Place]:
    """The places where arcs of a curve end: where others cut it, and at the axis."""
    for other in every:
        yield from () if other == curve else _meet(curve, other)
    if curve.level is not None:
        yield sp.S.Zero, curve.level
    elif curve.circle is not None:
        yield from ((sp.S.Zero, curve.circle[0] + k * sp.sqrt(curve.circle[1])) for k in (-1, 1))
    elif curve.b and curve.d:
        yield sp.S.Zero, -curve.e / curve.d


def _inside(body: ImplicitBody, curves: dict[ImplicitSurface, tuple[ProfileConic, int]], own: ProfileConic, side: int, r: Any,
            h: Any) -> bool | None:
    """Whether a body is on a side of a curve at a place on it; None if that is not clear."""
    if isinstance(body, Combination):
        known = [_inside(child, curves, own, side, r, h) for child in body.children]
        union = body.operation == "union"
        return union if union in known else None if None in known else not union
    assert isinstance(body, ImplicitSurface), "what is no combination is a leaf"
    curve, way = curves[body]
    value = side if curve == own else curve.side(r, h)
    return None if not value else value * way < 0


def _swept(curve: ProfileConic, ends: tuple[Any, Any], side: int, place: tuple[Any, Any], axis: int) -> ParametricSurface:
    """By an arc; `side`: where the curve's function goes to outward."""
    r, h = curve.path(v)
    middle = {v: exact((float(ends[0]) + float(ends[1])) / 2.0)}
    at, forward = ([float(e.subs(middle)) for e in pair] for pair in ((r, h), (sp.diff(r, v), sp.diff(h, v))))
    out = curve.slope(*at)
    own = [place[0] + r * sp.cos(u), place[1] + r * sp.sin(u), h]
    return ParametricSurface([own[(k - axis - 1) % 3] for k in range(3)], {u: _TURN, v: ends},
                             flipped=side * (forward[1] * out[0] - forward[0] * out[1]) < 0.0)


def _within(leaf: ImplicitSurface, curve: ProfileConic, ends: tuple[Any, Any], place: Place, axis: int) -> tuple[bool, bool]:
    """Whether the surface that an arc sweeps is within the bounds of a leaf, except for roundings; and whether that is *proved*."""
    clear = proved = True
    for k, (lo, hi) in enumerate(leaf.bounds):
        across = [leaf.motion.rotation[(axis + n) % 3, k] for n in (1, 2)]
        along, out = leaf.motion.rotation[axis, k], sp.sqrt(sum(e * e for e in across))
        middle = sum(e * p for e, p in zip(across, place, strict=True)) - sum(
            leaf.motion.rotation[n, k] * leaf.motion.translation[n] for n in range(3))
        for left in (*(exact(hi) - middle - e for e in _furthest(curve, ends, out, along)),
                     *(middle - exact(lo) - e for e in _furthest(curve, ends, out, -along))):
            clear = clear and float(left) >= -_CLEAR * float(hi - lo)
            proved = proved and enclose(sp.expand(left))[0] >= 0.0
    return clear, clear and proved


def _furthest(curve: ProfileConic, ends: tuple[Any, Any], out: Any, along: Any) -> list[Any]:
    """Numbers of which one is the greatest out * r + along * h of an arc, out >= 0, and none is greater, but in roundings."""
    found = [out * r + along * h for r, h in map(curve.path, ends)]
    if curve.circle is not None:
        # On a circle also where it goes that way, if that is on the arc.
        way = math.atan2(along, out)
        if float(ends[0]) - _CLEAR <= way <= float(ends[1]) + _CLEAR:
            middle, square = curve.circle
            found.append(along * middle + sp.sqrt(square) * sp.sqrt(out**2 + along**2))
    return found
