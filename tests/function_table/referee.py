"""SymPy expressions evaluated by Arb: rules of its own, one a function, that share nothing with the kernels."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from flint import acb, arb, fmpq

Values = Mapping[Any, acb]
PRECISION = 120
"""Bits of Arb: more than twice those of a double, so that cancellation of half of them leaves all of a double."""


class NotInArb(ValueError):
    """A part that Arb lacks, or a value that is not decided at this precision."""


def value(e: Any, at: Values) -> acb:
    """Enclose an expression at a point."""
    if e in at:
        return at[e]
    kind = type(e).__name__
    if e.is_Rational:
        return acb(arb(fmpq(int(e.p), int(e.q))))
    if e.is_Float:
        return acb(arb(fmpq(*map(int, sp.Rational(e).as_numer_denom()))))
    if kind in _WHOLE:
        return _WHOLE[kind](e, at)
    if kind in _NUMBERS:
        return acb(_NUMBERS[kind]())
    if kind not in _FUNCTIONS:
        raise NotInArb(kind)
    return _FUNCTIONS[kind](*(value(a, at) for a in e.args))


def real_value(e: Any, at: Mapping[Any, float]) -> arb:
    """Enclose a real expression at a point of doubles; NotInArb where it is not finite and real there."""
    try:
        found = value(e, {s: acb(arb(v)) for s, v in at.items()})
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise NotInArb(str(error)) from None
    if not found.is_finite() or not found.imag.contains(0) or float(found.imag.rad()) > 1e-20 * (1 + abs(float(found.real.mid()))):
        raise NotInArb("not finite and real")
    return found.real


def _real(z: acb) -> arb:
    if not z.imag.contains(0):
        raise NotInArb("complex")
    return z.real


def _condition(c: Any, at: Values) -> bool:
    if c in (sp.true, sp.false):
        return bool(c)
    parts = [_condition(a, at) for a in c.args] if isinstance(c, (sp.And, sp.Or, sp.Not, sp.Xor, sp.Implies, sp.ITE, sp.Equivalent)) else []
    if parts:
        return bool(type(c)(*(sp.true if p else sp.false for p in parts)))
    if isinstance(c, sp.Contains):
        return _condition(c.args[1].as_relational(c.args[0]), at)
    gap = _real(value(c.lhs, at)) - _real(value(c.rhs, at))
    sign = _sign(gap)
    return bool({"Lt": sign < 0, "Le": sign <= 0, "Gt": sign > 0, "Ge": sign >= 0, "Eq": sign == 0, "Ne": sign != 0}[_RELATIONS[c.rel_op]])


_TO_DO = (sp.Determinant, sp.Trace, sp.Permanent)
_RELATIONS = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq", "!=": "Ne"}


def _sign(a: arb) -> int:
    if a > 0 or a < 0 or a == 0:
        return 1 if a > 0 else -1 if a < 0 else 0
    raise NotInArb("sign not decided")


def _floor(a: acb) -> acb:
    found = _real(a).floor()
    if found.rad() != 0:
        raise NotInArb("integer not decided")
    return acb(found)


def _piecewise(e: Any, at: Values) -> acb:
    for branch, condition in e.args:
        if _condition(condition, at):
            return value(branch, at)
    raise NotInArb("no branch")


def _power(e: Any, at: Values) -> acb:
    base = value(e.base, at)
    if e.exp.is_Integer:
        return base ** int(e.exp)
    exponent = value(e.exp, at)
    return acb(0) if base == 0 and exponent.real > 0 else base**exponent


def _integral(e: Any, at: Values) -> acb:
    """An integral between finite limits of an analytic integrand."""
    if len(e.limits) != 1 or len(e.limits[0]) != 3:
        raise NotInArb("Integral")
    s, low, high = e.limits[0]
    return acb.integral(lambda z, _: value(e.function, {**at, s: z}), value(low, at), value(high, at))


def prepared(e: Any) -> Any:
    """The expression with what Arb takes over done by SymPy once: sums, derivatives, integrals with kinks, functions by others."""
    changes = {part: part.doit() for part in e.atoms(sp.Sum, sp.Product, sp.Derivative, sp.Subs, sp.Integral)
               if not isinstance(part, sp.Integral) or len(part.limits) > 1 or _not_analytic(part.function)}
    return e.doit() if isinstance(e, _TO_DO) else e.xreplace(changes)


def _not_analytic(e: Any) -> bool:
    return bool(e.atoms(sp.Abs)) or any(not power.exp.is_integer for power in e.atoms(sp.Pow))


def _inverse(e: Any, at: Values) -> acb:
    """The place by bisection of f - y: its error is 2^-100 of the first gap."""
    f, s, y, lo, hi = e.args
    aim, (a, b) = _real(value(y, at)), (arb(_real(value(end, at))) for end in (lo, hi))
    for _ in range(100):
        middle = ((a + b) / 2).mid()
        a, b = (middle, b) if _real(value(f, {**at, s: acb(middle)})) < aim else (a, middle)
    return acb((a + b) / 2)


_WHOLE: dict[str, Callable[[Any, Values], acb]] = {
    "Add": lambda e, at: sum((value(a, at) for a in e.args), acb(0)),
    "Mul": lambda e, at: math.prod((value(a, at) for a in e.args), start=acb(1)),
    "Pow": _power, "Piecewise": _piecewise, "Integral": _integral, "KroneckerDelta": lambda e, at: value(e.rewrite(sp.Piecewise), at),
    "SingularityFunction": lambda e, at: value(e.rewrite(sp.Piecewise), at), "Poly": lambda e, at: value(e.as_expr(), at),
    "Inverse": _inverse, "Spline": lambda e, at: value(e.unrolled(), at),
    "hyper": lambda e, at: value(e.args[2], at).hypgeom([value(a, at) for a in e.ap], [value(b, at) for b in e.bq]),
    "ComplexRootOf": lambda e, at: acb(arb(str(e.evalf(45)), 1e-40)), "AlgebraicNumber": lambda e, at: value(e.as_expr(), at),
    "TribonacciConstant": lambda e, at: value(e.expand(func=True), at), "jn": lambda e, at: value(e.expand(func=True), at),
    "yn": lambda e, at: value(e.expand(func=True), at), "Ynm": lambda e, at: value(e.expand(func=True), at),
    "Znm": lambda e, at: value(e.expand(func=True), at),
}  # fmt: skip
_NUMBERS: dict[str, Callable[[], Any]] = {
    "Pi": arb.pi, "Exp1": arb.const_e, "EulerGamma": arb.const_euler, "Catalan": arb.const_catalan, "ImaginaryUnit": lambda: acb(0, 1),
    "GoldenRatio": lambda: (1 + arb(5).sqrt()) / 2,
}  # fmt: skip


def _many(fold: Callable[[list[arb]], arb]) -> Callable[..., acb]:
    return lambda *args: acb(fold([_real(a) for a in args]))


def _choice(first: bool) -> Callable[[list[arb]], arb]:
    def chosen(args: list[arb]) -> arb:
        best = args[0]
        for a in args[1:]:
            best = a if (_sign(best - a) < 0) == first and best != a else best
        return best
    return chosen


def _named(name: str) -> Callable[..., acb]:
    return lambda z: getattr(z, name)()


def _of_real(name: str) -> Callable[..., acb]:
    return lambda z: acb(getattr(_real(z), name)())


def _heaviside(z: acb, zero: acb) -> acb:
    sign = _sign(_real(z))
    return acb(1) if sign > 0 else acb(0) if sign < 0 else zero


def _mod(a: acb, b: acb) -> acb:
    return a - b * _floor(a / b)


def _quotient(top: acb, *bottom: acb) -> acb:
    return math.prod((b.rgamma() for b in bottom), start=top)


def _polygamma(n: acb, z: acb) -> acb:
    return z.digamma() if n == 0 else z.polygamma(n)


_LOG2, _LOG10 = (lambda: arb(2).log()), (lambda: arb(10).log())
_FUNCTIONS: dict[str, Callable[..., acb]] = {
    **{name: _named(name) for name in ("exp", "log", "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "sech",
                                       "csch", "asin", "acos", "atan", "asinh", "acosh", "atanh", "sinc", "erf", "erfc", "erfi", "gamma",
                                       "digamma",
                                       "elliptic_k", "li", "rgamma", "log1p", "expm1")},
    **{name: (lambda z, f=f: getattr(1 / z, f)()) for name, f in (("acot", "atan"), ("asec", "acos"), ("acsc", "asin"), ("acoth", "atanh"),
                                                                 ("asech", "acosh"), ("acsch", "asinh"))},
    "log2": lambda z: z.log() / acb(_LOG2()), "log10": lambda z: z.log() / acb(_LOG10()), "exp2": lambda z: (z * _LOG2()).exp(),
    "Cbrt": lambda z: z ** acb(arb(fmpq(1, 3))), "Sqrt": _named("sqrt"), "hypot": lambda a, b: (a * a + b * b).sqrt(),
    "fma": lambda a, b, c: a * b + c, "UnevaluatedExpr": lambda z: z, "LambertW": lambda z, k=acb(0): z.lambertw(int(float(k.real))),
    "atan2": lambda b, a: acb(arb.atan2(_real(b), _real(a))), "Abs": lambda z: acb(abs(z)), "sign": lambda z: acb(_sign(_real(z))),
    "Heaviside": _heaviside, "Min": _many(_choice(False)), "Max": _many(_choice(True)), "floor": _floor,
    "ceiling": lambda z: -_floor(-z), "frac": lambda z: z - _floor(z), "Mod": _mod,
    "Rem": lambda a, b: a - b * (_floor(a / b) if _sign(_real(a / b)) >= 0 else -_floor(-a / b)),
    "re": lambda z: acb(z.real), "im": lambda z: acb(z.imag), "conjugate": lambda z: acb(z.real, -z.imag), "arg": lambda z: acb(z.arg()),
    "erf2": lambda a, b: b.erf() - a.erf(), "erfinv": _of_real("erfinv"), "erfcinv": _of_real("erfcinv"),
    "fresnels": _of_real("fresnel_s"), "fresnelc": _of_real("fresnel_c"), "expint": lambda s, z: z.expint(s), "Ei": _of_real("ei"),
    "Li": lambda z: z.li() - acb(2).li(), "Si": _named("si"), "Ci": _of_real("ci"), "Shi": _named("shi"), "Chi": _of_real("chi"),
    "loggamma": _of_real("lgamma"), "polygamma": _polygamma, "factorial": lambda z: (z + 1).gamma(),
    "trigamma": lambda z: z.polygamma(acb(1)), "binomial": lambda a, b: _quotient((a + 1).gamma(), b + 1, a - b + 1),
    "beta": lambda a, b: _quotient(a.gamma() * b.gamma(), a + b), "RisingFactorial": lambda a, b: _quotient((a + b).gamma(), a),
    "FallingFactorial": lambda a, b: _quotient((a + 1).gamma(), a - b + 1),
    "harmonic": lambda z, m=acb(1): (z + 1).digamma() + arb.const_euler() if m == 1 else m.zeta() - m.zeta(z + 1),
    "catalan": lambda z: acb(4) ** z * _quotient((z + acb(0.5)).gamma(), z + 2) / acb.pi().sqrt(),
    "betainc": lambda a, b, low, z: z.beta_lower(a, b) - low.beta_lower(a, b),
    "betainc_regularized": lambda a, b, low, z: z.beta_lower(a, b, 1) - low.beta_lower(a, b, 1),
    "lowergamma": lambda s, z: z.gamma_lower(s), "uppergamma": lambda s, z: z.gamma_upper(s),
    "zeta": lambda s, a=acb(1): s.zeta(a), "polylog": lambda s, z: z.polylog(s),
    "riemann_xi": lambda s: s * (s - 1) / 2 * (s / 2).gamma() * s.zeta() * acb.pi() ** (-s / 2),
    "dirichlet_eta": lambda s: (1 - acb(2) ** (1 - s)) * s.zeta(), "lerchphi": lambda z, s, a: z.lerch_phi(s, a),
    "stieltjes": lambda n, a=acb(1): acb.stieltjes(int(float(n.real)), a),
    "besselj": lambda n, z: z.bessel_j(n), "bessely": lambda n, z: z.bessel_y(n), "besseli": lambda n, z: z.bessel_i(n),
    "besselk": lambda n, z: z.bessel_k(n),
    "hankel1": lambda n, z: z.bessel_j(n) + acb(0, 1) * z.bessel_y(n), "hankel2": lambda n, z: z.bessel_j(n) - acb(0, 1) * z.bessel_y(n),
    "Chebyshev": lambda z, *c: sum((a * z.chebyshev_t(k) for k, a in enumerate(c)), acb(0)),
    "SphericalBesselQuotient": lambda k, z: (acb.pi() / 2).sqrt() * abs(z) ** (-k - acb(0.5)) * acb(abs(z)).bessel_j(k + acb(0.5)),
    **{name: (lambda z, k=k: z.airy()[k]) for k, name in enumerate(("airyai", "airyaiprime", "airybi", "airybiprime"))},
    "elliptic_e": lambda *a: a[0].elliptic_e() if len(a) == 1 else acb.elliptic_e_inc(*a), "elliptic_f": lambda a, m: acb.elliptic_f(a, m),
    "elliptic_pi": lambda n, *a: acb.elliptic_pi(n, *a) if len(a) == 1 else acb.elliptic_pi_inc(n, *a),
    "legendre": lambda n, z: z.legendre_p(n), "chebyshevt": lambda n, z: z.chebyshev_t(n), "hermite": lambda n, z: z.hermite_h(n),
}  # fmt: skip
