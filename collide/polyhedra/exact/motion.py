"""Two rigid motions as exact polynomials, where one body seen from the other shifts by a polynomial of the time, or turns about an axis.

Formulas are polynomials in t, sines and cosines, and square roots, over the rationals; what they have in common, as a frame in which
both bodies stand askew, falls out by the rules c^2 + s^2 = 1 and r^2 = n. Where t alone is left, coordinates are polynomials of t. Where
the sine and the cosine of an angle a + b t are left, they are polynomials of w = tan(angle / 2) / sqrt(n), all times the same power of
1 + n w^2: sqrt(n) is the length of a rational vector along the axis. So `exact` decides what intervals leave open: touches, and parts that
stay in one plane. A motion that shifts while it turns has no such form.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import sympy as sp
from sympy.polys.rings import PolyElement, ring

from codegen.constants import enclose, enclose_fraction
from codegen.walk import replaced
from generative import Motion, Rigid, t

from .feature_pairs import FeaturePolynomials, Vector
from .real_roots import Polynomial, Root, rational, refined, trim

# An angle is looked at from -1 to 1 round a multiple of pi.
_REACH = 1.0
# Formulas with more sines, cosines and roots are not looked into, nor polynomials of a higher degree.
_MOST, _DEGREE = 8, 4

Coefficients = list[Fraction]


class Turn(NamedTuple):
    """An angle begin + speed t, and n."""

    begin: Any
    speed: Any
    square: int


class RationalMotion(NamedTuple):
    """The first body seen from the second for s in [0, 1]: the entries of the motion (12,), all times the positive `scale`, as integer
    polynomials of s. `ends`: of w, or of the time, at s = 0 and s = 1; `half_turns`: by which the angle of w is less. `sharp`: does it
    begin just at the time it was asked for, or may it begin a rounding before? `end`: the time up to which it goes at least.
    """

    entries: Sequence[Polynomial]
    scale: Polynomial
    ends: tuple[Fraction, Fraction]
    end: float
    turn: Turn | None
    half_turns: int
    sharp: bool

    def query(self, first: Sequence[Any], second: Sequence[Any], face: bool, swapped: bool = False) -> FeaturePolynomials:
        """The query of points of the first body and of the second, in their frames; `swapped`: those of the second come first."""
        moved, still = self.paths(first, second)
        return FeaturePolynomials([*still, *moved] if swapped else [*moved, *still], face)

    def paths(self, first: Sequence[Any], second: Sequence[Any]) -> tuple[list[Vector], list[Vector]]:
        """The paths of points of both bodies, all coordinates times the same positive function."""
        whole = math.lcm(*(Fraction(c).denominator for p in (*first, *second) for c in p))
        own, other = ([[int(Fraction(c) * whole) for c in p] for p in points] for points in (first, second))
        return self.whole_paths(own, other, whole)

    def whole_paths(self, first: Sequence[Sequence[int]], second: Sequence[Sequence[int]], whole: int) -> tuple[list[Vector], list[Vector]]:
        """The paths of points whose coordinates, times a whole number, are whole."""
        still: list[Vector] = [tuple(trim(c * e for e in self.scale) for c in p) for p in second]  # type: ignore[misc]
        return [self._moved(p, whole) for p in first], still

    def _moved(self, point: Sequence[int], whole: int) -> Vector:
        weights, e = (*point, whole), self.entries
        x, y, z = (_combined([e[3 * i], e[3 * i + 1], e[3 * i + 2], e[9 + i]], weights) for i in range(3))
        return x, y, z

    def place(self, point: Sequence[Any], at: Fraction) -> list[Fraction]:
        """The place at which the second body sees a point of the first at s = `at`."""
        whole = math.lcm(*(Fraction(c).denominator for c in point))
        moved, scale = self._moved([int(Fraction(c) * whole) for c in point], whole), _value(self.scale, at)
        return [_value(c, at) / (whole * scale) for c in moved]

    @staticmethod
    def middle(at: Root) -> Fraction:
        """The middle of the interval of a root."""
        return Fraction(at.a + at.b, 2 << at.bits)

    def time(self, at: Root) -> tuple[float, float]:
        """Doubles round the time of a root, which are tight for a rational one."""
        exact = rational(at)
        marks = [Fraction(e, 1 << at.bits) for e in (at.a, at.b)] if exact is None else [exact]
        ends = [self.ends[0] + (self.ends[1] - self.ends[0]) * s for s in marks]
        both = [_enclosed(e) if self.turn is None else enclose(_time_of(self.turn, self.half_turns, e)) for e in ends]
        return min(lo for lo, _ in both), max(hi for _, hi in both)

    def narrowed(self, at: Root, width: float) -> tuple[Root, tuple[float, float]]:
        """A root in an interval of time no wider than `width`, or as narrow as doubles are."""
        found = self.time(at)
        for _ in range(4):
            if found[1] - found[0] <= width or found[1] <= math.nextafter(found[0], math.inf):
                break
            at = refined(at)
            found = self.time(at)
        return at, found


class ExactMotion(NamedTuple):
    """`entries` (12,) and `scale`: polynomials of t, or of w for even numbers of half turns and for odd ones. `motion`: the same as
    a formula.
    """

    motion: Motion
    entries: tuple[Sequence[Coefficients], Sequence[Coefficients]]
    scale: Coefficients
    turn: Turn | None

    def window(self, begin: float, end: float) -> RationalMotion | None:
        """From a time to another, or, where an angle goes farther, to an earlier one; None where ends cannot be told well."""
        half_turns, ends, sharp = 0, (Fraction(begin), Fraction(end)), True
        if self.turn is not None:
            way = float(self.turn.speed)
            end = min(end, begin + _REACH / abs(way))
            half_turns = round((float(self.turn.begin) + way * 0.5 * (begin + end)) / math.pi)
            low, high = (_w_of(self.turn, half_turns, e) for e in (begin, end))
            ends, sharp = ((low[0], high[1]) if way > 0 else (low[1], high[0])), low[0] == low[1]
        if ends[0] == ends[1]:
            return None
        shifted = [_shifted(p, *ends) for p in (*self.entries[half_turns % 2], self.scale)]
        whole = math.lcm(*(c.denominator for p in shifted for c in p))
        *entries, scale = (trim(int(c * whole) for c in p) for p in shifted)
        return RationalMotion(entries, scale, ends, end, self.turn, half_turns, sharp)


@functools.lru_cache(maxsize=256)
def exact_motion(first: Motion, second: Motion) -> ExactMotion | None:
    """The first of two motions seen from the second; None where it has no such form."""
    if not (first.multiplied and second.multiplied) or (first.symbols | second.symbols) - {t}:
        return None
    relative = _relative([*first.entries, *second.entries])
    if relative is None:
        return None
    entries, angles, roots, back = relative
    used = [any(e.degree(k) > 0 for e in entries) for k in range(entries[0].ring.ngens)]
    turning = [angle for k, angle in enumerate(angles) if used[k] or used[len(angles) + k]]
    square = [n for k, n in enumerate(roots) if used[2 * len(angles) + k]]
    degree = max(map(_degree, entries))
    if degree > _DEGREE or len(turning) > 1 or len(square) > len(turning):
        return None
    formulas = [replaced(e.as_expr(), back) for e in entries]
    motion = Rigid._unchecked(sp.ImmutableMatrix(3, 3, formulas[:9]), formulas[9:])
    if not turning:
        polynomials = [_in_time(e) for e in entries]
        return ExactMotion(motion, (polynomials, polynomials), [Fraction(1)], None)
    angle, speed = turning[0], sp.diff(turning[0], t)
    begin = sp.expand(angle - speed * t)
    if used[-1] or not (speed.is_number and speed.is_real and begin.is_number and begin.is_real) or speed == 0:
        return None
    n, at = (square or [1])[0], angles.index(angle)
    degree = max(powers[at] + powers[len(angles) + at] for e in entries for powers in e.itermonoms())
    places = at, len(angles) + at, 2 * len(angles) + roots.index(n) if square else None
    even, odd = ([_in_w(e, places, n, degree, sign) for e in entries] for sign in (1, -1))
    if any(p is None for p in even):
        return None
    return ExactMotion(motion, (even, odd), _power([Fraction(1), Fraction(0), Fraction(n)], degree), Turn(begin, speed, n))  # type: ignore[arg-type]


# -- normal forms -------------------------------------------------------------------------------------------------


def _relative(entries: Sequence[Any]) -> tuple[list[PolyElement], list[Any], list[int], dict[Any, Any]] | None:
    """The entries of the first motion (of both, 24) seen from the second, in normal form; the angles, of which the ring has the sines and
    then the cosines, and then the integers of which it has the roots; its last generator is t. And what its symbols stand for. None for
    other formulas.
    """
    waves = sorted(set().union(*(e.atoms(sp.sin, sp.cos) for e in entries)), key=sp.default_sort_key)
    angles = list(dict.fromkeys(w.args[0] for w in waves))
    powers = set().union(*(e.atoms(sp.Pow) for e in entries))
    roots = sorted({p.base for p in powers if p.exp in (sp.S.Half, -sp.S.Half)}, key=sp.default_sort_key)
    if len(angles) + len(roots) > _MOST or not all(n.is_Integer and n > 0 for n in roots):
        return None
    symbols = [sp.Dummy() for _ in range(2 * len(angles) + len(roots))]
    change = {f(a): symbols[k * len(angles) + i] for k, f in enumerate((sp.sin, sp.cos)) for i, a in enumerate(angles)}
    change |= {sp.sqrt(n): symbols[2 * len(angles) + k] for k, n in enumerate(roots)}
    over, *gens = ring([*symbols, t], sp.QQ, sp.lex)
    try:
        known = [over.from_expr(replaced(e, change)) for e in entries]
    except ValueError:
        return None
    a = len(angles)
    rules = [gens[k]**2 + gens[a + k]**2 - 1 for k in range(a)] + [gens[2 * a + k]**2 - int(n) for k, n in enumerate(roots)]
    first, second = known[:12], known[12:]
    away = [p - q for p, q in zip(first[9:], second[9:], strict=True)]
    seen = [sum((second[3 * k + i] * first[3 * k + j] for k in range(3)), over.zero) for i, j in product(range(3), repeat=2)]
    seen += [sum((second[3 * k + i] * away[k] for k in range(3)), over.zero) for i in range(3)]
    return [e.rem(rules) if rules else e for e in seen], angles, [int(n) for n in roots], {s: e for e, s in change.items()}


def _degree(e: PolyElement) -> int:
    return max((sum(powers) for powers in e.itermonoms()), default=0)


def _in_time(e: PolyElement) -> Coefficients:
    found = [Fraction(0)] * (1 + max((powers[-1] for powers in e.itermonoms()), default=0))
    for powers, c in e.iterterms():
        found[powers[-1]] += Fraction(int(c.numerator), int(c.denominator))
    return found


def _in_w(e: PolyElement, places: tuple[int, int, int | None], n: int, degree: int, sign: int) -> Coefficients | None:
    """Times (1 + n w^2)^degree, for an angle of an even number of half turns less (`sign` 1) or an odd one (-1). None if a root is left."""
    found = [Fraction(0)] * (2 * degree + 1)
    for powers, c in e.iterterms():
        i, j = powers[places[1]], powers[places[0]]
        root = j + (0 if places[2] is None else powers[places[2]])
        if n > 1 and root % 2:
            return None
        factor = Fraction(int(c.numerator), int(c.denominator)) * sign**(i + j) * 2**j * (n**(root // 2) if n > 1 else 1)
        term = _times(_power([Fraction(1), Fraction(0), Fraction(-n)], i), _power([Fraction(1), Fraction(0), Fraction(n)], degree - i - j))
        for k, x in enumerate(term):
            found[j + k] += factor * x
    return found


# -- polynomials of rational coefficients ---------------------------------------------------------------------------


def _times(p: Coefficients, q: Coefficients) -> Coefficients:
    out = [Fraction(0)] * (len(p) + len(q) - 1)
    for (i, a), (j, b) in product(enumerate(p), enumerate(q)):
        out[i + j] += a * b
    return out


def _power(p: Coefficients, k: int) -> Coefficients:
    return functools.reduce(_times, [p] * k, [Fraction(1)])


def _shifted(p: Coefficients, begin: Fraction, end: Fraction) -> Coefficients:
    """p(begin + (end - begin) s) as a polynomial of s."""
    out = [Fraction(0)]
    for c in reversed(p):
        out = _times(out, [begin, end - begin])
        out[0] += c
    return out


def _combined(polynomials: Sequence[Polynomial], weights: Sequence[int]) -> Polynomial:
    out = [0] * max(map(len, polynomials))
    for p, w in zip(polynomials, weights, strict=True):
        for k, c in enumerate(p):
            out[k] += w * c
    return trim(out)


def _value(p: Polynomial, at: Fraction) -> Fraction:
    value = Fraction(0)
    for c in reversed(p):
        value = value * at + c
    return value


# -- the time and w -------------------------------------------------------------------------------------------------


def _w_of(turn: Turn, half_turns: int, time: float) -> tuple[Fraction, Fraction]:
    """Bounds of w at a time."""
    angle = (turn.begin + turn.speed * sp.Rational(time) - half_turns * sp.pi) / 2
    lo, hi = enclose(sp.tan(angle) / sp.sqrt(turn.square))
    return Fraction(lo), Fraction(hi)


def _time_of(turn: Turn, half_turns: int, w: Fraction) -> Any:
    half = sp.atan(sp.sqrt(turn.square) * sp.Rational(w.numerator, w.denominator))
    return (2 * half + half_turns * sp.pi - turn.begin) / turn.speed


def _enclosed(x: Fraction) -> tuple[float, float]:
    return enclose_fraction(x.numerator, x.denominator)
