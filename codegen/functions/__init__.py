"""SymPy functions that `codegen` knows beside SymPy's own: Chebyshev series, spherical Bessel quotients, cubic splines through
samples; integrals and inverses are in `operators`.

They are ordinary SymPy expressions: they print, substitute, differentiate and evaluate numerically.
"""

import functools
import hashlib
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
import sympy as sp

from ..given import doubles, expression
from ..operators import DefiniteIntegral, Inverse

__all__ = ["Chebyshev", "DefiniteIntegral", "Inverse", "Samples", "SphericalBesselQuotient", "Spline", "cosc"]


class _Function(sp.Function):  # type: ignore[misc]
    """SymPy's own functions read text; these take formulas and numbers."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return super().__new__(cls, *(expression(a, f"an argument of {cls.__name__}") for a in args), **options)


class Chebyshev(_Function):
    """``Chebyshev(x, c0, c1, ..., cn)`` is the series c0 + c1 T_1(x) + ... + cn T_n(x).

    The first term is the whole c0, as in `numpy.polynomial.chebyshev`; Snyder 1993 (Appendix B) halves it. The
    coefficients may be numbers or parameters. Outside [-1, 1] the T_k are evaluated as polynomials.
    """

    @classmethod
    def eval(cls, *args: Any) -> Any:
        if len(args) < 2:
            raise ValueError("Chebyshev needs an argument and at least one coefficient: Chebyshev(x, c0, c1, ...)")
        if len(args) == 2:
            return args[1]
        return None

    def fdiff(self, argindex: int = 1) -> Any:
        x, *c = self.args
        if argindex > 1:
            return sp.chebyshevt(argindex - 2, x)
        n = len(c) - 1
        d: list[Any] = [sp.Integer(0)] * (n + 2)
        for k in range(n, 0, -1):
            d[k - 1] = d[k + 1] + 2 * k * c[k]
        d[0] = d[0] / 2
        return Chebyshev(x, *d[:n])

    def _eval_evalf(self, prec: int) -> Any:
        x, *c = (a.evalf(n=sp.core.evalf.prec_to_dps(prec) + 5) for a in self.args)
        if not x.is_number:
            return None
        return sum((ck * sp.chebyshevt(k, x) for k, ck in enumerate(c)), sp.Integer(0))._eval_evalf(prec)

    def _eval_is_real(self) -> bool | None:
        return True if all(a.is_real for a in self.args) else None


class SphericalBesselQuotient(_Function):
    """``SphericalBesselQuotient(k, x)`` is j_k(x) / x^k, entire and even; k = 0 is sin(x)/x.

    Its derivative by x is -x times that of order k + 1 (DLMF 10.51.2), so a derivative of `sinc` of any order has
    an inclusion function without a division by x.
    """

    @classmethod
    def eval(cls, k: Any, x: Any) -> Any:
        if k == 0:
            return sp.sinc(x)
        if x.is_zero:
            return sp.Integer(1) / sp.factorial2(2 * k + 1)
        return None

    def fdiff(self, argindex: int = 2) -> Any:
        if argindex != 2:
            raise sp.core.function.ArgumentIndexError(self, argindex)
        k, x = self.args
        return -x * SphericalBesselQuotient(k + 1, x)

    def _eval_evalf(self, prec: int) -> Any:
        k, x = self.args
        if not x.is_number:
            return None
        return (sp.jn(k, x) / x**k)._eval_evalf(prec)

    def _eval_is_real(self) -> bool | None:
        return True if self.args[1].is_real else None


def cosc(x: Any) -> Any:
    """(1 - cos x) / x^2 without its removable singularity: sinc(x/2)^2 / 2."""
    return sp.sinc(expression(x) / 2) ** 2 / 2


# -- cubic splines --------------------------------------------------------------------------------------------------


class Samples(sp.Atom):  # type: ignore[misc]
    """The samples that a `Spline` goes through: increasing `knots` (n,), and `values` and `slopes` (n,) there, all doubles, exact. `column`
    tells apart, and orders, those that were recorded together.
    """

    __slots__ = ("column", "digest", "knots", "slopes", "values")

    def __new__(cls, knots: Any, values: Any, slopes: Any, column: int = 0) -> "Samples":
        made: Samples = super().__new__(cls)
        given = {"knots": knots, "values": values, "slopes": slopes}
        arrays = [doubles(e, f"the {name} of Samples", "(n,)").copy() for name, e in given.items()]
        made.knots, made.values, made.slopes = arrays
        if made.knots.ndim != 1 or len(made.knots) < 2 or any(e.shape != made.knots.shape for e in arrays):
            raise ValueError(f"Samples have n >= 2 knots, values and slopes, got the shapes {[e.shape for e in arrays]}")
        if not (np.isfinite(arrays).all() and (np.diff(made.knots) > 0).all()):
            raise ValueError("Samples have increasing knots, and all of their numbers are finite")
        for e in arrays:
            e.flags.writeable = False
        made.column = index(column)
        made.digest = hashlib.sha1(b"".join(e.tobytes() for e in (made.knots, made.values, made.slopes)), usedforsecurity=False).digest()
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.knots, self.values, self.slopes, self.column

    def __getstate__(self) -> None:
        return None

    @property
    def key(self) -> tuple[int, int, bytes]:
        """A key that tells samples apart, and puts them in order."""
        return self.column, len(self.knots), self.digest

    def _hashable_content(self) -> tuple[Any, ...]:
        return self.key

    def _sympystr(self, printer: Any) -> str:
        return f"{len(self.knots)} samples"

    def _latex(self, printer: Any) -> str:
        return rf"\text{{{len(self.knots)} samples}}"

    def piece(self, k: int, x: Any) -> Any:
        """The cubic between knots k and k + 1, exactly."""
        ends = [sp.Rational(float(e)) for a in (self.knots, self.values, self.slopes) for e in a[k:k + 2]]
        return hermite(x, *ends)


class Spline(_Function):
    """``Spline(x, samples)`` is the cubic between each two knots that has the given values and slopes there: its derivative is continuous.

    The first piece goes on before the first knot, and the last one after the last. ``Spline(x, samples, k)`` is derivative k; at a knot
    where it jumps the later piece counts. Of a number it is evaluated exactly, and of anything but a linear function of one symbol it is
    a Piecewise.
    """

    nargs = (2, 3)

    @classmethod
    def eval(cls, x: Any, samples: Any, order: Any = sp.Integer(0)) -> Any:
        if not isinstance(samples, Samples) or not (order.is_Integer and order >= 0):
            raise ValueError("Spline needs an argument, Samples, and perhaps the order of a derivative: Spline(x, samples, 1)")
        if order > 3:
            return sp.Integer(0)
        symbols = x.free_symbols
        if not symbols:
            return _piece(samples, _place(samples, x), int(order), x)
        if len(samples.knots) == 2:
            return _piece(samples, 0, int(order), x)
        linear = len(symbols) == 1 and x.is_polynomial(*symbols) and sp.Poly(x, *symbols).degree() == 1
        if not linear or not all(c.is_Rational for c in sp.Poly(x, *symbols).coeffs()):
            return _unrolled(samples, int(order), x)
        return None

    @property
    def samples(self) -> Samples:
        found: Samples = self.args[1]
        return found

    @property
    def order(self) -> int:
        """The order of the derivative."""
        return int(self.args[2]) if len(self.args) > 2 else 0

    def fdiff(self, argindex: int = 1) -> Any:
        if argindex != 1:
            raise sp.core.function.ArgumentIndexError(self, argindex)
        return Spline(self.args[0], self.samples, self.order + 1)

    def _eval_derivative(self, s: Any) -> Any:
        return self.fdiff() * self.args[0].diff(s)

    def _eval_is_real(self) -> bool | None:
        return True if self.args[0].is_real else None

    def unrolled(self) -> Any:
        """The same function as a Piecewise."""
        return _unrolled(self.samples, self.order, self.args[0])

    def piece_at(self, place: Any) -> Any:
        """The formula that holds where the argument is this number."""
        return _piece(self.samples, _place(self.samples, place), self.order, self.args[0])

    def within(self, first: float, last: float) -> Any:
        """The same function where the argument is in [first, last], by the pieces that hold there alone."""
        s, (begin, end) = self.samples, np.searchsorted(self.samples.knots, (first, last), "right")
        held = slice(min(max(begin - 1, 0), len(s.knots) - 2), max(end + 1, 2))
        return Spline(self.args[0], Samples(s.knots[held], s.values[held], s.slopes[held], s.column), *self.args[2:])

    def approx(self, at: np.ndarray) -> np.ndarray:
        """Values at numbers, in doubles."""
        s = self.samples
        k = np.clip(np.searchsorted(s.knots, at, "right") - 1, 0, len(s.knots) - 2)
        width, late = s.knots[k + 1] - s.knots[k], at - s.knots[k]
        rise = (s.values[k + 1] - s.values[k]) / width
        third = (s.slopes[k] + s.slopes[k + 1] - 2 * rise) / width**2
        second = (3 * rise - 2 * s.slopes[k] - s.slopes[k + 1]) / width
        cubic = np.stack([s.values[k], s.slopes[k], second, third])
        for _ in range(self.order):
            cubic = np.stack([cubic[1], 2 * cubic[2], 3 * cubic[3], 0 * cubic[3]])
        return np.asarray(cubic[0] + late * (cubic[1] + late * (cubic[2] + late * cubic[3])))


def hermite(x: Any, begin: Any, end: Any, first: Any, last: Any, out: Any, into: Any) -> Any:
    """The cubic with values `first`, `last` and slopes `out`, `into` at `begin` and `end`. Differences come first, so that an enclosure
    over the whole piece is as wide as what happens in it.
    """
    width, rise = end - begin, last - first
    s = (x - begin) / width
    out, into = width * out, width * into
    return first + s * (out + s * (3 * rise - 2 * out - into + s * (out + into - 2 * rise)))


def joined(x: Any, at: Sequence[Any], value: Sequence[Any], slope: Sequence[Any]) -> Any:
    """The two cubics between three knots as one formula, with their values and slopes at the knots.

    In powers of x - knot they have the first two terms in common. Of the others what the second has more is multiplied by max(x - knot, 0):
    so the formula and its derivative are exact on either side, and the terms that change vanish at the knot.
    """
    (before, knot, after), s = at, x - at[1]
    terms = []
    for width, rise, far in ((before - knot, value[0] - value[1], slope[0]), (after - knot, value[2] - value[1], slope[2])):
        terms.append(((3 * rise / width - 2 * slope[1] - far) / width, (slope[1] + far - 2 * rise / width) / width**2))
    (second, third), (square, cube) = terms
    later = sp.Max(s, 0)
    return value[1] + s * (slope[1] + s * (second + s * third)) + later**2 * (square - second + later * (cube - third))


def _place(samples: Samples, x: Any) -> int:
    """The number of the piece that holds at a number."""
    near = int(np.searchsorted(samples.knots, float(x), "right")) - 1
    # Rounding to a double may have crossed a knot, one at most.
    later = [k for k in (near + 1, near, near - 1) if 0 < k < len(samples.knots) - 1 and x >= sp.Rational(float(samples.knots[k]))]
    return later[0] if later else 0


@functools.lru_cache(maxsize=1 << 14)
def _piece(samples: Samples, k: int, order: int, x: Any) -> Any:
    s = sp.Dummy(real=True)
    return sp.diff(samples.piece(k, s), s, order).xreplace({s: x}) if order else samples.piece(k, x)


@functools.lru_cache(maxsize=64)
def _unrolled(samples: Samples, order: int, x: Any) -> Any:
    pieces = [_piece(samples, k, order, x) for k in range(len(samples.knots) - 1)]
    conditions = [*(x < sp.Rational(float(e)) for e in samples.knots[1:-1]), True]
    return sp.Piecewise(*zip(pieces, conditions, strict=True))
