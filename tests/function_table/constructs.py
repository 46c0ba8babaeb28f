"""Constructs that SymPy users write, each with the same function in Arb."""

from collections.abc import Callable
from typing import Any, NamedTuple

import sympy as sp
from flint import acb, arb

x, HALF = sp.Symbol("x", real=True), sp.Rational(1, 2)


class Construct(NamedTuple):
    """`lo`, `hi`: where boxes are drawn. `remark`: what is to be known."""

    formula: Any
    value: Callable[[arb], arb]
    lo: float
    hi: float
    remark: str = ""


def _named(name: str) -> Callable[[arb], arb]:
    return lambda a: getattr(a, name)()


def _complex(function: Callable[[acb], acb]) -> Callable[[arb], arb]:
    return lambda a: function(acb(a)).real


def _airy(k: int) -> Callable[[arb], arb]:
    return lambda a: acb(a).airy()[k].real


REPEATED, CYLINDER = "x occurs more than once", "absolute accuracy near zeros"
ELEMENTARY = {name: Construct(getattr(sp, name)(x), _named(name), lo, hi) for name, lo, hi in (
    ("exp", -20.0, 20.0), ("log", 1e-3, 50.0), ("sin", -20.0, 20.0), ("cos", -20.0, 20.0), ("tan", -1.4, 1.4), ("sinh", -9.0, 9.0),
    ("cosh", -9.0, 9.0), ("tanh", -4.0, 4.0), ("asin", -1.0, 1.0), ("acos", -1.0, 1.0), ("atan", -20.0, 20.0), ("asinh", -20.0, 20.0),
    ("acosh", 1.0, 20.0), ("atanh", -0.99, 0.99))}
POWERS = {
    "sqrt(x)": Construct(sp.sqrt(x), lambda a: a.sqrt(), 0.0, 50.0),
    "x**(1/3)": Construct(x ** sp.Rational(1, 3), lambda a: a.root(3), 1e-3, 50.0),
    "x**7": Construct(x**7, lambda a: a**7, -3.0, 3.0), "x**100": Construct(x**100, lambda a: a**100, 0.5, 2.0),
    "2**x": Construct(2**x, lambda a: (a * arb(2).log()).exp(), -9.0, 9.0),
    "x**pi": Construct(x**sp.pi, lambda a: a ** arb.pi(), 1e-2, 9.0),
    "x/(1 + x)": Construct(x / (1 + x), lambda a: 1 - 1 / (1 + a), 0.0, 9.0, REPEATED),
    "x*log(x)": Construct(x * sp.log(x), lambda a: a * a.log() if a != 0 else arb(0), 0.0, 9.0),
    "1/x": Construct(1 / x, lambda a: 1 / a, 0.1, 9.0), "Abs(x)": Construct(abs(x), abs, -9.0, 9.0),
    "floor(x)": Construct(sp.floor(x), _named("floor"), -9.0, 9.0),
    "sec": Construct(sp.sec(x), lambda a: 1 / a.cos(), -1.4, 1.4),
    "coth": Construct(sp.coth(x), _named("coth"), 0.1, 9.0),
    "3 x**2 - 2 x**3": Construct(3 * x**2 - 2 * x**3, lambda a: 3 * a**2 - 2 * a**3, 0.0, 1.0, REPEATED),
}  # fmt: skip
SPECIAL: dict[str, Construct] = {
    "sinc": Construct(sp.sinc(x), lambda a: a.sinc(), -20.0, 20.0), "erf": Construct(sp.erf(x), _named("erf"), -5.0, 5.0),
    "erfc": Construct(sp.erfc(x), _named("erfc"), -3.0, 7.0), "gamma": Construct(sp.gamma(x), _named("gamma"), 0.5, 20.0),
    "loggamma": Construct(sp.loggamma(x), _named("lgamma"), 0.5, 50.0), "digamma": Construct(sp.digamma(x), _named("digamma"), 0.5, 50.0),
    "Si": Construct(sp.Si(x), _named("si"), -20.0, 20.0),
    **{f"besselj({n}, x)": Construct(sp.besselj(n, x), lambda a, n=n: a.bessel_j(arb(n)), 0.0, 30.0) for n in (0, 1)},
    "Ei": Construct(sp.Ei(x), _named("ei"), 0.01, 20.0), "E1": Construct(sp.expint(1, x), _complex(lambda z: z.expint(acb(1))), 0.01, 20.0),
    "li": Construct(sp.li(x), _named("li"), 1.1, 50.0), "Ci": Construct(sp.Ci(x), _named("ci"), 0.1, 30.0),
    "Shi": Construct(sp.Shi(x), _named("shi"), -9.0, 9.0), "Chi": Construct(sp.Chi(x), _named("chi"), 0.1, 9.0),
    "fresnels": Construct(sp.fresnels(x), _named("fresnel_s"), -5.0, 5.0),
    "fresnelc": Construct(sp.fresnelc(x), _named("fresnel_c"), -5.0, 5.0),
    "LambertW": Construct(sp.LambertW(x), _named("lambertw"), -0.3, 20.0, "near -1/e half the digits"),
    "LambertW(x, -1)": Construct(sp.LambertW(x, -1), lambda a: a.lambertw(-1), -0.3, -0.01, "near -1/e half the digits"),
    "erfinv": Construct(sp.erfinv(x), _named("erfinv"), -0.99, 0.99), "erfcinv": Construct(sp.erfcinv(x), _named("erfcinv"), 0.01, 1.9),
    "elliptic_k": Construct(sp.elliptic_k(x), _complex(lambda z: z.elliptic_k()), -9.0, 0.99),
    "elliptic_e": Construct(sp.elliptic_e(x), _complex(lambda z: z.elliptic_e()), -9.0, 0.99),
    "elliptic_f(x, 1/2)": Construct(sp.elliptic_f(x, HALF), _complex(lambda z: acb.elliptic_f(z, acb(0.5))), 0.1, 1.5, "an integral"),
    "lowergamma(1/4, x)": Construct(sp.lowergamma(HALF / 2, x), lambda a: a.gamma_lower(arb(0.25)), 0.1, 20.0),
    "uppergamma(1/4, x)": Construct(sp.uppergamma(HALF / 2, x), lambda a: a.gamma_upper(arb(0.25)), 0.1, 9.0, "absolute accuracy below 40"),
    **{f"besselk({n}, x)": Construct(sp.besselk(n, x), lambda a, n=n: acb(a).bessel_k(acb(n)).real, 0.1, 20.0) for n in (0, 1, 5)},
    **{f"besseli({n}, x)": Construct(sp.besseli(n, x), lambda a, n=n: acb(a).bessel_i(acb(n)).real, -9.0, 9.0) for n in (0, 1, 2, 9)},
    **{f"bessely({n}, x)": Construct(sp.bessely(n, x), lambda a, n=n: acb(a).bessel_y(acb(n)).real, 0.1, 90.0, CYLINDER)
       for n in (0, 1, 7)},
    **{f"besselj({n}, x), far": Construct(sp.besselj(n, x), lambda a, n=n: acb(a).bessel_j(acb(n)).real, 62.0, 1e4, CYLINDER)
       for n in (0, 9)},
    "besselj(20, x), near": Construct(sp.besselj(20, x), lambda a: acb(a).bessel_j(acb(20)).real, 0.1, 19.0),
    **{name: Construct(function(x), _airy(k), -30.0, 9.0, "2/3 x**(3/2) carries its rounding")
       for k, (name, function) in enumerate((("airyai", sp.airyai), ("airyaiprime", sp.airyaiprime), ("airybi", sp.airybi),
                                             ("airybiprime", sp.airybiprime)))},
    "zeta": Construct(sp.zeta(x), lambda a: a.zeta(), 1.1, 30.0), "zeta below 1": Construct(sp.zeta(x), lambda a: a.zeta(), -9.0, 0.9),
    **{f"polylog({n}, x)": Construct(sp.polylog(n, x), lambda a, n=n: acb(a).polylog(acb(n)).real, -9.0, 1.0) for n in (2, 3)},
    "gamma below 0": Construct(sp.gamma(x), _named("gamma"), -4.9, -4.1, "x occurs more than once"),
    "gamma, large": Construct(sp.gamma(x), _named("gamma"), 20.0, 171.0),
    "erfc, large": Construct(sp.erfc(x), _named("erfc"), 8.0, 26.0), "Si, far": Construct(sp.Si(x), _named("si"), 64.0, 1e6),
}  # fmt: skip
ORTHOGONAL: dict[str, Construct] = {name: Construct(formula, value, -1.0, 1.0, CYLINDER) for name, formula, value in (
    ("legendre(20, x)", sp.legendre(20, x), lambda a: a.legendre_p(arb(20))),
    ("chebyshevt(20, x)", sp.chebyshevt(20, x), lambda a: a.chebyshev_t(20)),
    ("chebyshevu(15, x)", sp.chebyshevu(15, x), lambda a: a.chebyshev_u(15)))}
CONSTRUCTS = ELEMENTARY | POWERS | SPECIAL | ORTHOGONAL

REFUSED = [("besselj, bessely, besseli and besselk of orders that are no integers or variables", "tables are of the orders 0 and 1"),
           ("bessely, besseli and besselk of orders beyond 60", "too many operations"),
           ("polylog of orders beyond 20 or no integers, zeta of two arguments", "sums that are not cut off yet"),
           ("lowergamma and uppergamma of a variable first argument", "no table of two arguments"),
           ("hyper, meijerg", "a function of any number of parameters; call hyperexpand or expand_func"),
           ("hankel1, hankel2, Ynm", "complex values")]
