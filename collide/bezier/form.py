"""Parametric surfaces as rational Bezier patches, exactly: polynomials and quotients of them, and sines and cosines as well.

Over a piece of the parameter rectangle a parameter is a + (b - a) s with s from 0 to 1 or, where it occurs in sines and cosines,
theta = a + 2 atan(q s), q = tan((b - a) / 2), over at most a quarter of a turn. By sin(2 atan x) = 2 x / (1 + x^2) and
cos(2 atan x) = (1 - x^2) / (1 + x^2) both are quotients of polynomials in s then (Piegl and Tiller, *The NURBS Book*, Section 7.3).
Coefficients are exact numbers until the end, when each control point is rounded and the error counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
import sympy as sp
from sympy.polys.rings import ring

from codegen.constants import enclose
from codegen.given import expression
from generative import ParametricSurface, t, u, v

# Patches of higher degree are refused: kernels grow with the number of control points.
HIGHEST = 8
_COSINE, _SINE = sp.symbols("c0:2", real=True), sp.symbols("s0:2", real=True)
_ACCEPTED = ("method 'time-dependent' takes surfaces given by polynomials in u and v (or in their sines and cosines) and quotients of "
             "such, whose points move on straight lines at constant speed")


@dataclass(frozen=True)
class ParameterRun:
    """A parameter over a piece: base + rate s, or base + rate atan(turn s) where `turn` is not None; s from 0 to 1. Exact."""

    base: Any
    rate: Any
    turn: Any = None

    def at(self, s: Any) -> Any:
        return self.base + self.rate * (s if self.turn is None else sp.atan(self.turn * s))


@dataclass(frozen=True, eq=False)
class BezierPiece:
    """A patch: exact weights, weighted control points and weighted velocities (per unit of time) at t = 0.

    `weights[i][j]` and the others: i counts along u, j along v.
    """

    runs: tuple[ParameterRun, ParameterRun]
    weights: list[list[Any]]
    points: list[list[tuple[Any, Any, Any]]]
    velocities: list[list[tuple[Any, Any, Any]]]

    @property
    def degrees(self) -> tuple[int, int]:
        return len(self.weights) - 1, len(self.weights[0]) - 1


@lru_cache(maxsize=4096)
def pieces(surface: ParametricSurface, name: str = "a body") -> tuple[BezierPiece, ...]:
    """The moving surface in the world as rational Bezier patches with positive weights.

    ValueError where it is none, or its points do not move on straight lines at constant speed.
    """
    numerators, weight, runs, trigonometric = _quotients(surface, name)
    result = []
    for first in runs[0]:
        for second in runs[1]:
            axes = [_Axis(run, *ends, trigonometric[k], [*numerators, weight], k) for k, (run, ends) in enumerate((first, second))]
            if max(a.degree for a in axes) > HIGHEST:
                degrees = " and ".join(str(a.degree) for a in axes)
                raise ValueError(f"{name} is a Bezier patch of degrees {degrees}; at most {HIGHEST} is accepted")
            net = [_tensor(p, axes) for p in (weight, *(_power(n, 0) for n in numerators), *(_power(n, 1) for n in numerators))]
            result.append(_piece((first[0], second[0]), net, name))
    return tuple(result)


Terms = dict[tuple[int, ...], Any]
"""A polynomial: exponents of (u or its cosine, its sine; the same for v; t) and coefficients."""


def _quotients(surface: ParametricSurface, name: str) -> tuple[list[Terms], Terms, list[list[tuple[ParameterRun, tuple[Any, Any]]]],
                                                               list[bool]]:
    """Three numerators over one denominator, the pieces of u and v, and which of them is an angle."""
    expressions, runs, trigonometric = list(surface.body), [], []
    for k, symbol in enumerate((u, v)):
        expressions, own, angle = _axis(expressions, symbol, k, surface.domain[symbol], name)
        runs.append(own)
        trigonometric.append(angle)
    generators = (_COSINE[0] if trigonometric[0] else u, _SINE[0], _COSINE[1] if trigonometric[1] else v, _SINE[1], t)
    everything = [*expressions, *surface.motion.entries]
    if any(e.free_symbols - set(generators) for e in everything):
        raise _refusal(name)
    constants = sorted(set().union(*(_constants(e) for e in everything)), key=sp.default_sort_key)
    polynomials = ring([*(g.name for g in generators), *(f"k{n}" for n in range(len(constants)))], sp.QQ)[0]
    known = {g: (x, polynomials.one) for g, x in zip([*generators, *constants], polynomials.gens, strict=True)}
    try:
        body, motion = ([_fraction(e, known, polynomials) for e in part] for part in (everything[:3], everything[3:]))
        turned = [reduce(_sum_of, map(_product_of, motion[3 * i:3 * i + 3], body)) for i in range(3)]
        parts = [_reduced(*_sum_of(a, b)) for a, b in zip(turned, motion[9:], strict=True)]
    except TypeError:
        raise _refusal(name) from None
    weight = reduce(lambda a, b: a.lcm(b), (d for _, d in parts))
    folded = [_folded(p, constants) for p in (weight, *(n * weight.exquo(d) for n, d in parts))]
    if any(e[4] for e in folded[0]):
        raise _refusal(name)
    if any(e[4] > 1 for p in folded for e in p):
        raise ValueError(f"{name} does not move on straight lines at constant speed: {_ACCEPTED}")
    return folded[1:], folded[0], runs, trigonometric


def _constants(e: Any) -> set[Any]:
    """The largest numbers in an expression that are not rational: they take part as if they were variables."""
    if not e.free_symbols:
        return set() if e.is_Rational else {e}
    return set().union(*(_constants(x) for x in e.args)) if e.args else set()


def _fraction(e: Any, known: dict[Any, Any], polynomials: Any) -> tuple[Any, Any]:
    """An expression as a quotient of polynomials; TypeError where it is none. `known` also keeps what was met before."""
    if e in known:
        return known[e]
    if e.is_Rational:
        n, d = polynomials.domain_new(sp.QQ(int(e.p), int(e.q))) * polynomials.one, polynomials.one
    elif e.is_Pow and e.exp.is_Integer:
        n, d = _fraction(e.base, known, polynomials)
        n, d = (n, d) if e.exp > 0 else (d, n)
        n, d = n ** abs(int(e.exp)), d ** abs(int(e.exp))
    elif e.is_Add or e.is_Mul:
        parts = [_fraction(x, known, polynomials) for x in e.args]
        n, d = reduce(_product_of if e.is_Mul else _sum_of, parts)
    else:
        raise TypeError(f"{e} is no quotient of polynomials")
    known[e] = n, d
    return n, d


def _product_of(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    return a[0] * b[0], a[1] * b[1]


def _sum_of(a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
    return (a[0] + b[0], a[1]) if a[1] == b[1] else (a[0] * b[1] + b[0] * a[1], a[1] * b[1])


def _reduced(n: Any, d: Any) -> tuple[Any, Any]:
    if d.is_ground:
        return n / d, d.ring.one
    n, d = n.cancel(d)
    return n / d.LC, d / d.LC


def _folded(p: Any, constants: Sequence[Any]) -> Terms:
    """The terms of a polynomial by the exponents of its five variables; coefficients with the constants in them."""
    result: Terms = {}
    for exponents, c in p.terms():
        factor: Any = Fraction(int(c.numerator), int(c.denominator))
        for k, n in zip(constants, exponents[5:], strict=True):
            factor = factor * k**n if n else factor
        result[exponents[:5]] = result.get(exponents[:5], Fraction(0)) + factor
    return {e: c for e, c in result.items() if c != 0}


def _refusal(name: str) -> ValueError:
    return ValueError(f"{name} is no Bezier patch on a straight path: {_ACCEPTED}")


def _axis(expressions: list[Any], symbol: Any, k: int, ends: tuple[Any, Any],
          name: str) -> tuple[list[Any], list[tuple[ParameterRun, tuple[Any, Any]]], bool]:
    """The expressions with sines and cosines of a parameter as symbols, its runs with the ends of the angle, and whether it is an angle."""
    waves = sorted({w for e in expressions for w in e.atoms(sp.sin, sp.cos) if w.has(symbol)}, key=str)
    lo, hi = ends
    if not waves:
        return expressions, [(ParameterRun(lo, hi - lo), (lo, hi))], False
    rates = [sp.diff(w.args[0], symbol) for w in waves]
    if any(not r.is_Rational for r in rates) or any(w.has(t) for w in waves):
        raise _refusal(name)
    base = sp.Rational(sp.gcd([abs(r) for r in rates]))
    angle = sp.Dummy("angle", real=True)
    changed = [sp.expand_trig(e.xreplace({w: w.func(sp.expand(w.args[0].xreplace({symbol: angle / base}))) for w in waves}))
               for e in expressions]
    changed = [e.xreplace({sp.cos(angle): _COSINE[k], sp.sin(angle): _SINE[k]}) for e in changed]
    if any(e.has(symbol, angle) for e in changed):
        raise _refusal(name)
    first, last = base * lo, base * hi
    count = int(sp.ceiling(2 * (last - first) / sp.pi))
    steps = [first + (last - first) * sp.Rational(n, count) for n in range(count + 1)]
    turn = sp.tan((last - first) / (2 * count))
    return changed, [(ParameterRun(a / base, 2 / base, turn), (a, b)) for a, b in pairwise(steps)], True


class _Axis:
    """Bernstein coefficients, over one run, of every monomial in a parameter (or in its cosine and sine) that occurs."""

    def __init__(self, run: ParameterRun, lo: Any, hi: Any, angle: bool, polynomials: Sequence[Terms], k: int) -> None:
        exponents = {e[2 * k:2 * k + 2] for p in polynomials for e in p}
        whole = max((sum(e) for e in exponents), default=0)
        self.degree = max(1, 2 * whole if angle else whole)
        if angle:
            q, c, s = number(run.turn), number(sp.cos(lo)), number(sp.sin(lo))
            factors = [c, -2 * q * s, -c * q * q], [s, 2 * q * c, -s * q * q]
            rest = [1, 0, q * q]
        else:
            factors, rest = ([number(lo), number(hi) - number(lo)], [1]), [1]
        self.basis: dict[tuple[int, ...], list[Any]] = {}
        for m, n in exponents:
            power = _product([[1], *[factors[0]] * m, *[factors[1]] * n, *[rest] * (whole - m - n)])
            self.basis[m, n] = _bernstein(power, self.degree)


def _product(polynomials: Sequence[list[Any]]) -> list[Any]:
    result = [Fraction(1)]
    for p in polynomials:
        following: list[Any] = [Fraction(0)] * (len(result) + len(p) - 1)
        for (i, a), (j, b) in ((x, y) for x in enumerate(result) for y in enumerate(p)):
            following[i + j] = following[i + j] + a * b
        result = following
    return result


def _bernstein(power: list[Any], degree: int) -> list[Any]:
    """Coefficients in the Bernstein basis from those of powers."""
    c = power + [Fraction(0)] * (degree + 1 - len(power))
    return [sum((Fraction(comb(k, j), comb(degree, j)) * c[j] for j in range(k + 1)), Fraction(0)) for k in range(degree + 1)]


def _power(terms: Terms, of_time: int) -> Terms:
    """The coefficient of t to this power."""
    return {(*e[:4], 0): c for e, c in terms.items() if e[4] == of_time}


def _tensor(terms: Terms, axes: Sequence[_Axis]) -> list[list[Any]]:
    total: list[list[Any]] = [[Fraction(0)] * (axes[1].degree + 1) for _ in range(axes[0].degree + 1)]
    for e, coefficient in terms.items():
        c = number(coefficient)
        for i, a in enumerate(axes[0].basis[e[0:2]]):
            for j, b in enumerate(axes[1].basis[e[2:4]]):
                total[i][j] = total[i][j] + c * a * b
    return total


def number(x: Any) -> Any:
    """Rationals as Fractions, which are quick; other exact numbers as they are."""
    x = expression(x)
    return Fraction(int(x.p), int(x.q)) if x.is_Rational else x


def _piece(runs: tuple[ParameterRun, ParameterRun], net: list[list[list[Any]]], name: str) -> BezierPiece:
    weights = net[0]
    signs = {np.sign(nearest(w)[0]) for row in weights for w in row}
    if signs not in ({1.0}, {-1.0}):
        raise ValueError(f"{name} is a quotient whose denominator has Bernstein coefficients that are not positive: restrict its domain")
    sign = 1 if 1.0 in signs else -1
    coordinates = [[list(zip(*rows, strict=True)) for rows in zip(*net[k:k + 3], strict=True)] for k in (1, 4)]
    points, velocities = ([[(sign * a, sign * b, sign * c) for a, b, c in row] for row in part] for part in coordinates)
    return BezierPiece(runs, [[sign * w for w in row] for row in weights], points, velocities)


def nearest(x: Any) -> tuple[float, float]:
    """A double near an exact number, and a bound of its relative error."""
    if isinstance(x, (int, Fraction)):
        near = float(x)
        return near, 0.0 if Fraction(near) == x else 2.0**-52
    lo, hi = enclose(x)
    return lo, 0.0 if lo == hi else 2.0**-51


def raised(row: Sequence[Any], degree: int) -> list[Any]:
    """Bernstein coefficients of the same polynomial at a higher degree, exact."""
    c = list(row)
    while len(c) <= degree:
        m = len(c)
        c = [c[0], *(Fraction(k, m) * c[k - 1] + Fraction(m - k, m) * c[k] for k in range(1, m)), c[-1]]
    return c
