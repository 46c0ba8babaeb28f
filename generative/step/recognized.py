"""Formulas as sums of vectors times powers, cosines and sines, and the surfaces of turns among them; for the writer of files.

Coefficients are doubles here. What differs by less than 1e-12 of the largest of them is taken as equal: formulas of files hold directions
that are orthogonal and of length 1 up to rounding.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..symbols import u, v

ROUNDING = 1e-12
_WAVES = {s: sp.symbols(f"cos_{s} sin_{s}", real=True) for s in (u, v)}
Powers = tuple[int, int, int]
"""Those of a parameter, and of the cosine and the sine of its angle."""


class Wave(NamedTuple):
    """The angle rate * s + shift of a parameter s, of which a formula has cosine and sine."""

    rate: float
    shift: float

    def at(self, s: Any) -> float:
        return self.rate * float(s) + self.shift


class Terms(NamedTuple):
    """A map of u and v into space: vectors by their powers for u and for v, and the angles of u and v."""

    vectors: dict[tuple[Powers, Powers], np.ndarray]
    waves: dict[Any, Wave]

    @property
    def size(self) -> float:
        return max(float(np.abs(e).max()) for e in self.vectors.values())

    def only(self, symbol: Any, powers: Powers) -> dict[Powers, np.ndarray]:
        """The vectors with these powers of one parameter, by the powers of the other one."""
        k = 0 if symbol is u else 1
        return {key[1 - k]: e for key, e in self.vectors.items() if key[k] == powers}

    def among(self, symbol: Any, *allowed: Powers) -> bool:
        """Whether a parameter has no other powers than these."""
        return all(key[0 if symbol is u else 1] in allowed for key in self.vectors)


CONSTANT, LINEAR, COSINE, SINE = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)


def terms(body: Sequence[Any]) -> Terms | None:
    """The terms of formulas; None for formulas of another kind."""
    found = _angles(body)
    if found is None:
        return None
    changes = {f(angle): w for s, angle in found.items() for f, w in zip((sp.cos, sp.sin), _WAVES[s], strict=True)}
    letters = (u, *_WAVES[u], v, *_WAVES[v])
    vectors: dict[tuple[Powers, Powers], np.ndarray] = {}
    try:
        for k, e in enumerate(body):
            for powers, c in sp.Poly(sp.expand(e).xreplace(changes), *letters).terms():
                vectors.setdefault((powers[:3], powers[3:]), np.zeros(3))[k] = float(c)
    except (sp.PolynomialError, TypeError):
        return None
    waves = {s: Wave(*(float(angle.coeff(s, n)) for n in (1, 0))) for s, angle in found.items()}
    size = max(float(np.abs(e).max()) for e in vectors.values())
    return Terms({key: e for key, e in vectors.items() if np.abs(e).max() > ROUNDING * size or key == (CONSTANT, CONSTANT)}, waves)


def _angles(body: Sequence[Any]) -> dict[Any, Any] | None:
    """The one angle of each parameter, of which formulas have cosines and sines, where there are no others and it is affine."""
    found: dict[Any, Any] = {}
    for f in sorted(sp.Tuple(*map(sp.expand, body)).atoms(sp.cos, sp.sin), key=str):
        angle = f.args[0]
        names = angle.free_symbols
        if not names:
            continue
        (s, *others) = names
        if others or s not in (u, v) or found.setdefault(s, angle) != angle or not sp.diff(angle, s).is_number:
            return None
    return {s: sp.expand(angle) for s, angle in found.items()}


class RevolvedForm(NamedTuple):
    """A surface of revolution O + radius (cos X + sin Y) + height Z; radius and height by powers of the other parameter."""

    symbol: Any
    origin: np.ndarray
    frame: np.ndarray
    radius: dict[Powers, float]
    height: dict[Powers, float]


def turn(found: Terms) -> RevolvedForm | None:
    """The terms as a surface of revolution, if they are one."""
    return next((made for s in (u, v) if s in found.waves and (made := _turn(found, s)) is not None), None)


def _turn(found: Terms, symbol: Any) -> RevolvedForm | None:
    if not found.among(symbol, CONSTANT, COSINE, SINE):
        return None
    still, cosine, sine = (found.only(symbol, p) for p in (CONSTANT, COSINE, SINE))
    near = ROUNDING * found.size
    longest = max(cosine.values(), key=lambda e: float(np.linalg.norm(e)), default=None)
    if longest is None or set(cosine) != set(sine):
        return None
    x = longest / np.linalg.norm(longest)
    radius = {p: float(e @ x) for p, e in cosine.items()}
    y = np.sum([radius[p] * e for p, e in sine.items()], axis=0) / sum(r**2 for r in radius.values())
    z, origin = np.cross(x, y), still.get(CONSTANT, np.zeros(3))
    height = {p: float(e @ z) for p, e in still.items() if p != CONSTANT}
    off = [cosine[p] - radius[p] * x for p in cosine] + [sine[p] - radius[p] * y for p in sine]
    off += [still[p] - height[p] * z for p in height]
    straight = max(abs(float(x @ y)), abs(float(y @ y) - 1.0)) <= ROUNDING
    return RevolvedForm(symbol, origin, np.array([x, y, z]), radius, height) if straight and np.abs(off).max() <= near else None


def value(coefficients: dict[Powers, Any], wave: Wave | None, s: Any) -> Any:
    """The sum of coefficients, numbers or vectors, times powers of a parameter and of the waves of its angle."""
    angle = wave.at(s) if wave else 0.0
    return sum(c * float(s) ** p[0] * math.cos(angle) ** p[1] * math.sin(angle) ** p[2] for p, c in coefficients.items())


def normal_of_plane(found: Terms) -> np.ndarray | None:
    """The direction across the plane of a map, if all of it lies in one."""
    rows = np.array([e for key, e in found.vectors.items() if key != (CONSTANT, CONSTANT)])
    _, sizes, ways = np.linalg.svd(np.vstack([rows, np.zeros((3, 3))]))
    return ways[2] if sizes[2] <= ROUNDING * found.size and sizes[1] > ROUNDING * found.size else None


def net(body: Sequence[Any], ranges: Sequence[tuple[Any, Any]]) -> np.ndarray | None:
    """(m, n, 4): poles times weights, and weights, of polynomial or rational formulas of u and v over a rectangle, as a Bezier patch; None
    for other formulas. They are exact before they are rounded to doubles.
    """
    pairs = [sp.fraction(sp.together(e)) for e in body]
    below = functools.reduce(sp.lcm, (d for _, d in pairs), sp.S.One)
    to_unit = {s: lo + s * (hi - lo) for s, (lo, hi) in zip((u, v), ranges, strict=True)}
    try:
        fractions = [sp.cancel(n * below / d) for n, d in [*pairs, (sp.S.One, sp.S.One)]]
        rows = [sp.Poly(sp.expand(e.subs(to_unit, simultaneous=True)), u, v) for e in fractions]
    except sp.PolynomialError:
        return None
    if any(c.free_symbols for p in rows for c in p.coeffs()):
        return None
    degrees = [max(1, *(p.degree(s) for p in rows)) for s in (u, v)]
    powers = np.zeros((degrees[0] + 1, degrees[1] + 1, 4), object) + sp.S.Zero
    for k, p in enumerate(rows):
        for (i, j), c in p.terms():
            powers[i, j, k] = c
    made = np.einsum("ai,bj,ijk->abk", *(_to_bernstein(d) for d in degrees), powers).astype(float)
    return made / made[0, 0, 3] if made[0, 0, 3] else None


def _to_bernstein(degree: int) -> np.ndarray:
    """The matrix of x^i = sum over k of binomial(k, i) / binomial(n, i) B_k: the rows are k."""
    rows = [[sp.binomial(k, i) / sp.binomial(degree, i) for i in range(degree + 1)] for k in range(degree + 1)]
    return np.array(rows, object)
