"""Sides of a sheet that meet along all their length at one moment, such as those of a strip that rolls up into a tube.

There the sheet goes on smoothly from one side into the other: nothing crosses, and no zero of the equations is one that persists when
they are changed a little, so interval methods cannot prove it. Formulas can. Let D(s, t) be the difference of the two sides at shares s
of their lengths, N_k the numerators of its coordinates, and g a factor that all N_k have, of t only. By the intermediate value theorem
g has a zero in a window of time where it is continuous and has opposite signs at the ends; then D vanishes, for all s at once.

Numerators are factored as polynomials in s, t, and sines and cosines. That sin(a) and 1 - cos(a) have the factor sin(a/2) is seen from
the half angle: with S and C its sine and cosine they are 2 S C and 2 S^2; 1 is S^2 + C^2 where a term has a lower degree in both.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.deadline import interruptible
from codegen.kernel import Kernel, compile
from generative import t, u, v

from .glue import Side, side_difference
from .sheet import SheetPiece

Span = tuple[float, float]
# These decide what is tried, not what is proved.
# Sides whose points are this near, against their coordinates, may meet; formulas larger than this are not factored.
_NEAR, _LARGE = 1e-3, 4000
# Times tried for a change of sign, halvings towards it, and the half widths of brackets round it, against the window.
_TIMES, _HALVINGS, _WIDTHS = 65, 60, tuple(2.0**-k for k in range(51, 20, -2))
# Cells along a side, each shown to be defined; places of a side as a share of the distance asked for, and the most of them.
_CELLS, _DENSE, _MOST = 16, 0.8, 500


class Closing(NamedTuple):
    """Two sides meet at some moment in `time`; `places` (k, 2, 2) enclose their free parameters at k places, that of the first and that
    of the second, no farther from each other than was asked for.
    """

    time: Span
    places: np.ndarray


def closing(first: SheetPiece, side: Side, second: SheetPiece, other: Side, window: Span, spacing: float) -> Closing | None:
    """Sides that are *proved* to meet at one moment of the window, with parameters in proportion; None if that is not shown."""
    along = (u, v)[1 - side[0]]
    ends = first.domain[1 - side[0]]
    for reverse in (False, True):
        difference = side_difference(first, side, second, other, reverse)
        if not _seem_to_meet(difference, along, ends, window[0]):
            continue
        for factor in _common_factors(difference):
            time = _zero(factor, window)
            if time is not None and _defined(difference, along, ends, time):
                return Closing(time, _places(first, side, second, other, reverse, time[1], spacing))
    return None


def _seem_to_meet(difference: Sequence[Any], along: Any, ends: Sequence[Any], moment: float) -> bool:
    lo, hi = map(float, ends)
    for share in (0.3125, 0.6875):
        at = {along: lo + share * (hi - lo), t: moment}
        for e in difference:
            size = sum(abs(complex(term.evalf(15, subs=at))) for term in sp.Add.make_args(e))
            # A single term that vanishes has no size to be measured by. This only says whether a proof is tried.
            if not abs(complex(e.evalf(15, subs=at))) <= _NEAR * (1.0 + size):
                return False
    return True


# -- factors ------------------------------------------------------------------------------------------------------


@interruptible()
def _common_factors(difference: Sequence[Any]) -> list[Any]:
    """Factors, of the time only, of all coordinates; none where these vanish identically."""
    numerators = [sp.fraction(sp.together(sp.expand_trig(e)))[0] for e in difference]
    if sum(e.count_ops() for e in numerators) > _LARGE:
        return []
    halves: dict[Any, Any] = {}
    for base in _angles(numerators):
        s, c = sp.Dummy(), sp.Dummy()
        numerators = [_by_half_angle(e, base, s, c) for e in numerators]
        halves |= {s: sp.sin(base / 2), c: sp.cos(base / 2)}
    common = functools.reduce(sp.gcd, numerators, sp.S.Zero)
    factors = [f.xreplace(halves) for f, _ in sp.factor_list(common)[1]]
    return [f for f in factors if f.free_symbols == {t}]


def _angles(expressions: Iterable[Any]) -> list[Any]:
    """Angles that depend on t, such that all those in sines and cosines are whole multiples of one of them."""
    found: list[Any] = []
    for angle in sorted({w.args[0] for e in expressions for w in e.atoms(sp.sin, sp.cos) if w.has(t)}, key=str):
        for k, base in enumerate(found):
            ratio = sp.cancel(angle / base)
            if ratio.is_Rational:
                found[k] = base / ratio.q
                break
        else:
            found.append(angle)
    return found


def _by_half_angle(e: Any, base: Any, s: Any, c: Any) -> Any:
    """e as a homogeneous polynomial in the sine and the cosine of half an angle."""
    turned = {}
    for wave in e.atoms(sp.sin, sp.cos):
        ratio = sp.cancel(wave.args[0] / base)
        if ratio.is_Integer:
            power = sp.expand((c + sp.I * s) ** abs(2 * ratio))
            part = power.coeff(sp.I, 1) * sp.sign(ratio) if isinstance(wave, sp.sin) else power.coeff(sp.I, 0)
            turned[wave] = part
    polynomial = sp.Poly(sp.expand(e.xreplace(turned)), s, c)
    degree = polynomial.total_degree()
    return sum((a * s**i * c**j * (s**2 + c**2) ** sp.Rational(degree - i - j, 2) for (i, j), a in polynomial.terms()), sp.S.Zero)


# -- moments ------------------------------------------------------------------------------------------------------


def _zero(factor: Any, window: Span) -> Span | None:
    """A short window that is *proved* to hold a zero of a function of t: it is continuous there, with opposite signs at the ends."""
    kernel = compile([factor], [t])
    times = np.linspace(*window, _TIMES)
    changes = np.flatnonzero(np.diff(np.sign(kernel.points(times[:, None])[:, 0])))
    if not len(changes):
        return None
    a, b = times[changes[0]], times[changes[0] + 1]
    sign = _value(kernel, a)
    for _ in range(_HALVINGS):
        middle = 0.5 * (a + b)
        a, b = (middle, b) if _value(kernel, middle) * sign > 0 else (a, middle)
    for width in _WIDTHS:
        reach = width * max(window[1] - window[0], abs(b))
        ends = max(b - reach, window[0]), min(b + reach, window[1])
        lo, hi = kernel.interval(np.array(ends)[:, None], np.array(ends)[:, None])
        _, _, regular = kernel.decorated([[ends[0]]], [[ends[1]]])
        if ((lo[0, 0] > 0 and hi[1, 0] < 0) or (hi[0, 0] < 0 and lo[1, 0] > 0)) and regular[0, 0] >= 2:
            return float(ends[0]), float(ends[1])
    return None


def _value(kernel: Kernel, moment: float) -> float:
    return float(kernel.points([[moment]])[0, 0])


def _defined(difference: Sequence[Any], along: Any, ends: Sequence[Any], time: Span) -> bool:
    """Whether the difference is *proved* to be defined along the whole sides at these times. Then its denominators are not zero."""
    (lo, _), (_, hi) = map(enclose, ends)
    edges = np.linspace(lo, hi, _CELLS + 1)
    edges[-1] = hi
    boxes = [np.column_stack([edges[k:_CELLS + k], np.full(_CELLS, time[k])]) for k in (0, 1)]
    return bool((compile(list(difference), [along, t]).decorated(*boxes)[2] >= 1).all())


def _places(first: SheetPiece, side: Side, second: SheetPiece, other: Side, reverse: bool, moment: float, spacing: float) -> np.ndarray:
    lo, hi = first.outer[1 - side[0]]
    shares = np.linspace(0.0, 1.0, 8 * _CELLS + 1)
    at = np.insert((lo + shares * (hi - lo))[:, None], side[0], float(first.domain[side[0]][side[1]]), axis=1)
    rows = np.column_stack([at, np.full(len(at), moment)])
    points = first.shape.place.points(rows, parameters=first.numbers.mean(axis=1))
    length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    count = min(max(1, math.ceil(length / (_DENSE * spacing))), _MOST) if math.isfinite(length) else 1
    places = [sp.Rational(2 * k + 1, 2 * count) for k in range(count)]
    return np.array([[enclose(_between(first.domain[1 - side[0]], share)),
                      enclose(_between(second.domain[1 - other[0]], 1 - share if reverse else share))] for share in places])


def _between(ends: Sequence[Any], share: Any) -> Any:
    return ends[0] + share * (ends[1] - ends[0])
