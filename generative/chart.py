"""Smooth parameters round a pole: p = rho cos(w) and q = rho sin(w) instead of an angle w and a distance.

Where a side of the parameter rectangle collapses to a point, S_u or S_v vanishes there, and with it every system of
equations that is written in u and v. A surface that is smooth at the pole is a smooth function of p and q; if its formula
is a polynomial in the distance, or one in sines and cosines of it, that function is found here by algebra. In the second
case rho is the tangent of half the distance, so that sine and cosine are rational: 2 rho / (1 + rho^2) and
(1 - rho^2) / (1 + rho^2).
"""

import functools
import math
import sys
from collections.abc import Sequence
from typing import Any

import sympy as sp

from .patterned import is_apart
from .surface import ParametricSurface
from .symbols import u, v

# A chart reaches this part of the way to the other side, and at most this angle. Its square is this much larger, a number of so many bits.
_SHARE, _ANGLE, _BEYOND, _BITS = sp.Rational(1, 10), sp.Rational(1, 2), 1.25, 20

_P, _Q = u, v
# Shares of a side at which points of it are compared.
_PLACES = sp.Rational(5, 16), sp.Rational(11, 16)
_RHO = sp.Dummy("rho", positive=True)
_SINE, _COSINE = sp.Dummy("sine"), sp.Dummy("cosine")


@functools.cache
def _square() -> Any:
    """(Made when it is wanted: SymPy's first sum imports much.)"""
    return _P**2 + _Q**2


def is_pole(surface: ParametricSurface, symbol: Any, end: int) -> bool:
    """Whether this side of the rectangle is proved to be a single point of the body (at every time)."""
    value, (lo, hi) = surface.domain[symbol][end], surface.domain[v if symbol is u else u]
    places = [lo + share * (hi - lo) for share in _PLACES]
    if is_apart(surface, *((value, place) if symbol is u else (place, value) for place in places)):
        return False
    return _is_point(surface.body, symbol, surface.domain[symbol][end])


@functools.lru_cache(maxsize=1024)
def _is_point(points: tuple[Any, ...], symbol: Any, value: Any) -> bool:
    other = v if symbol is u else u
    side = [e.xreplace({symbol: value}) for e in points if e.has(other)]
    return not any(_seen_to_vary(e, other) for e in side) and not any(sp.expand(e).has(other) for e in side)


def _seen_to_vary(e: Any, symbol: Any) -> bool:
    """Whether a formula is clearly different at two numbers for the symbol, with some numbers for the others. Most formulas are, and then
    need not be expanded.

    It is computed with 30 digits, so terms that cancel leave far less than that, unless they are larger than 10^20.
    """
    others = {s: sp.Float(0.35 + 0.3 / (k + 2), 30) for k, s in enumerate(sorted(e.free_symbols, key=str))}
    values = [e.xreplace({**others, symbol: sp.Float(place, 30)}) for place in (0.3125, 0.6875)]
    first, second = (value if value.is_Float else sp.N(value, 30) for value in values)
    return bool(first.is_Float and second.is_Float and abs(float(first) - float(second)) > 1e-6 * (1 + abs(float(first))))


@functools.lru_cache(maxsize=512)
def pole_chart(surface: ParametricSurface, symbol: Any, end: int) -> tuple[ParametricSurface, Any] | None:
    """The surface round the pole at an end of `symbol`, with p and q as its parameters u and v, over a square; and the value of `symbol` up
    to which the square covers the surface, from the pole on. None if no smooth formula is found.

    `surface` must be proved to close on itself along its other parameter.
    """
    found = _resting_chart(tuple(surface.body), tuple(surface.domain.items()), symbol, end)
    if found is None:
        return None
    smooth, half, limit = found
    flipped = surface.flipped != ((end == 0) if symbol is v else (end == 1))
    return ParametricSurface(smooth, {u: (-half, half), v: (-half, half)}, flipped=flipped, motion=surface.motion), limit


@functools.lru_cache(maxsize=512)
def _resting_chart(points: tuple[Any, ...], domain: tuple[tuple[Any, tuple[Any, Any]], ...], symbol: Any, end: int,
                   ) -> tuple[tuple[Any, ...], Any, Any] | None:
    """The formulas of a chart, half the side of its square, and how far it reaches. Equal bodies share them, however they move."""
    limits, other = dict(domain), v if symbol is u else u
    lo, hi = limits[other]
    pole, opposite = limits[symbol][end], limits[symbol][1 - end]
    if pole.free_symbols or opposite.free_symbols:
        return None
    inward = 1 if end == 0 else -1
    w, r = sp.Dummy("w", real=True), sp.Dummy("r", real=True)
    body = [e.subs({other: lo + (hi - lo) / (2 * sp.pi) * w, symbol: pole + inward * r}, simultaneous=True) for e in points]
    rate = _rate(body, r)
    if rate is None:
        return None
    smooth = [_smooth(e.subs(r, r / rate) if rate else e, r, w, bool(rate)) for e in body]
    if any(e is None for e in smooth):
        return None
    reach = abs(opposite - pole) * _SHARE
    reach = sp.Min(reach, _ANGLE / rate) if rate else reach
    half = _half(math.tan(float(reach * rate) / 2) if rate else float(reach))
    return None if half is None else (tuple(smooth), half, pole + inward * reach)


def _half(rho: float) -> Any:
    """Half the side of a square that covers the disc of radius rho: about 5/4 rho, with few digits. None beyond the range of doubles.

    It is at most 1.26 rho, so no point of the square is further from the pole than 1.79 rho. Hence the square stays on the surface: where
    rho = tan(x), the distance atan(k tan(x)) of k rho is at most k x for k >= 1, which is 1.79 tenths of the way to the other side.
    """
    if not sys.float_info.min <= rho < math.inf:
        return None
    mantissa, exponent = math.frexp(_BEYOND * rho)
    return math.ceil(math.ldexp(mantissa, _BITS)) * sp.Integer(2) ** (exponent - _BITS)


def from_chart(surface: ParametricSurface, symbol: Any, end: int, first: float, p: float, q: float) -> tuple[float, float]:
    """About the parameters u and v of the point p, q of a `pole_chart`; `first` is the least value of the parameter that is not `symbol`.
    At p = q = 0, the pole, that parameter is `first`, though any value would do.
    """
    lo, hi = surface.domain[v if symbol is u else u]
    pole, inward = float(surface.domain[symbol][end]), 1 if end == 0 else -1
    rate = pole_rate(surface, symbol, end)
    rho, angle = math.hypot(p, q), math.atan2(q, p) % (2 * math.pi)
    across = first + float(hi - lo) * angle / (2 * math.pi)
    along = pole + inward * (2 * math.atan(rho) / rate if rate else rho)
    return (along, across) if symbol is u else (across, along)


def pole_rate(surface: ParametricSurface, symbol: Any, end: int) -> float:
    """The factor of distances in sines and cosines, of which rho is then the tangent of half; 0 where rho is the distance."""
    r = sp.Dummy("r", real=True)
    inward = 1 if end == 0 else -1
    return float(_rate([e.xreplace({symbol: surface.domain[symbol][end] + inward * r}) for e in surface.body], r))


def _rate(body: Sequence[Any], r: Any) -> Any:
    """The greatest number of which all factors of r in sines and cosines are multiples; 0 if r is in none of them. None if there is no such
    number, or if r occurs outside of them, too.
    """
    rates = []
    for e in body:
        # Those of others are functions of what is smooth itself.
        waves = [w for w in e.atoms(sp.sin, sp.cos) if w.has(r) and not any(a.has(r) for a in w.args[0].atoms(sp.sin, sp.cos))]
        rates += [abs(sp.diff(w.args[0], r)) for w in waves]
        if waves and e.xreplace({w: sp.Dummy() for w in waves}).has(r):
            return None
    if not rates:
        return sp.Integer(0)
    if any(k.free_symbols for k in rates) or any(not (k / rates[0]).is_rational for k in rates):
        return None
    if any(e.has(r) and not any(w.has(r) for w in e.atoms(sp.sin, sp.cos)) for e in body):
        return None
    return rates[0] * functools.reduce(sp.gcd, [k / rates[0] for k in rates])


def _smooth(e: Any, r: Any, w: Any, turning: bool) -> Any:
    """An expression of r and w as one of p and q; None if it is not seen to be smooth."""
    names = {sp.sin(w): _Q / _RHO, sp.cos(w): _P / _RHO}
    names |= {sp.sin(r): _RHO * _SINE, sp.cos(r): _COSINE} if turning else {r: _RHO}
    inner: dict[Any, Any] = {}
    polar = _with_inner(sp.expand_trig(e).xreplace(names), inner)
    if polar is None or polar.has(r) or polar.has(w):
        return None
    found = _even(sp.expand(polar))
    if found is None:
        return None
    known = {_SINE: 2 / (1 + _square()), _COSINE: (1 - _square()) / (1 + _square())}
    return found.xreplace({**known, **{name: f.xreplace(known) for name, f in inner.items()}})


def _with_inner(e: Any, inner: dict[Any, Any]) -> Any:
    """The expression with a symbol for each function of something that is smooth itself; `inner` says what the symbols stand for. None if
    the inside of a function is not seen to be smooth.
    """
    if not e.has(_RHO):
        return e
    if e.is_Mul:
        e = _one_size(e)
    if e.is_Symbol or e.func in (sp.Add, sp.Mul) or (e.is_Pow and e.exp.is_Integer and (e.exp > 0 or e.base == _RHO)):
        parts = [_with_inner(a, inner) for a in e.args]
        return None if any(a is None for a in parts) else e.func(*parts) if parts else e
    arguments = []
    for a in e.args:
        part = _with_inner(a, inner)
        part = None if part is None else _even(sp.expand(part))
        if part is None:
            return None
        arguments.append(part.xreplace(inner))
    name = sp.Dummy("inner", real=True)
    inner[name] = e.func(*arguments)
    return name


def _one_size(e: Any) -> Any:
    """A product with all its absolute values as one, powers of rho included: SymPy splits |cos(3 w) rho^3| into a product of absolute
    values that are no smooth functions of p and q.
    """
    sizes = [f for f in e.args if isinstance(f, sp.Abs)]
    if not sizes:
        return e
    rest = sp.Mul(*(f for f in e.args if not isinstance(f, sp.Abs)))
    _, power = rest.as_coeff_exponent(_RHO)
    inside = sp.expand(_RHO**power * sp.Mul(*(f.args[0] for f in sizes)))
    return sp.Mul(rest / _RHO**power, sp.Abs(inside, evaluate=False), evaluate=False)


def _even(e: Any) -> Any:
    """A sum of powers of rho as a function of p and q. The powers must be even; a power below zero must have a multiple of p^2 + q^2, which
    is rho^2, as its factor.
    """
    powers: dict[int, Any] = {}
    for term in sp.Add.make_args(e):
        coefficient, power = term.as_coeff_exponent(_RHO)
        if not power.is_Integer or coefficient.has(_RHO):
            return None
        powers[int(power)] = powers.get(int(power), 0) + coefficient
    if any(k % 2 and sp.expand(c) != 0 for k, c in powers.items()):
        return None
    for k in sorted(k for k in powers if k < 0):
        while k < 0:
            quotient, rest = sp.div(powers.pop(k, 0), _square(), _P, _Q)
            if sp.expand(rest) != 0:
                return None
            k += 2
            powers[k] = powers.get(k, 0) + quotient
    return sum((c * _square() ** (k // 2) for k, c in powers.items() if k % 2 == 0), sp.Integer(0))
