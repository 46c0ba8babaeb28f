"""SymPy functions that `codegen` knows beside SymPy's own: Chebyshev series, spherical Bessel quotients; integrals and inverses
are in `operators`, cubic splines in `spline`.

They are ordinary SymPy expressions: they print, substitute, differentiate and evaluate numerically.
"""

from typing import Any

import sympy as sp

from .given import expression
from .operators import DefiniteIntegral, Inverse
from .spline import Samples, Spline

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
