"""Special functions of SymPy by their inclusions over boxes: formulas of the ends, made of elementary functions and of tables.

A function is a `Primitive` whose bounds are proved here, beside them. `Tabled` stands for a function of
`codegen.emit.elementary.tabled`, monotone and with a proved error. A formula of a point is a pair: a lower bound and an upper one; they
differ where a series is cut off. Derivatives that need each other know so many further ones.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import sympy as sp

from ..operators import DefiniteIntegral
from . import _Function
from .primitives import Primitive, primitive_ends, primitive_places, primitive_value_ends

Formula = Callable[[Any], Any]
Both = Callable[[Any], tuple[Any, Any]]
GAMMA = sp.EulerGamma


class Tabled(_Function):
    """``Tabled(name, x)`` is a tabled function, of the symbol that has its name."""

    def _eval_is_real(self) -> bool | None:
        return True if self.args[1].is_real else None


def table(name: str, x: Any) -> Any:
    return Tabled(sp.Symbol(name), x)


def cases(*pairs: tuple[Any, Any]) -> Any:
    return sp.Piecewise(*pairs)


def halves(low: Sequence[tuple[Any, Any]], high: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    return cases(*low), cases(*high)


def declared(name: str, both: Both, bounds: Sequence[Any], slope: Any = None, inverse: Sequence[Any] = ()) -> Primitive:
    """A function of one argument; `slope` is a formula of the argument and the value."""
    x, _ = primitive_places(1)
    return Primitive(name, 1, 3 if slope is not None else 1, bounds, [both(x)[0]], [] if slope is None else [slope], inverse)


def monotone(name: str, both: Both, slope: Any = None, rising: bool = True, inverse: Sequence[Any] = ()) -> Primitive:
    lo, hi = primitive_ends(1)
    ends = (lo, hi) if rising else (hi, lo)
    return declared(name, both, [both(ends[0])[0], both(ends[1])[1]], slope, inverse)


def odd(positive: Both) -> Both:
    """From a function of x >= 0."""
    def both(x: Any) -> tuple[Any, Any]:
        low, high = positive(abs(x))
        return halves([(low, x >= 0), (-high, True)], [(high, x >= 0), (-low, True)])

    return both


def swinging(both: Both, lo: Any, hi: Any, place: Formula, first: Any) -> tuple[Any, Any]:
    """The range over lo >= 0 of a function whose extremes, at place(first), place(first + 1), ..., from lo on, lie between the two before."""
    near, after = place(first), place(first + 1)
    low, high = ([both(e)[k] for e in (lo, hi, near, after)] for k in range(2))
    return (cases((sp.Min(*low[:2]), hi < near), (sp.Min(*low[:3]), hi < after), (sp.Min(*low), True)),
            cases((sp.Max(*high[:2]), hi < near), (sp.Max(*high[:3]), hi < after), (sp.Max(*high), True)))


# -- exponential integrals ------------------------------------------------------------------------------------------


def e1(x: Any) -> tuple[Any, Any]:
    """E_1 x, x > 0. From 1024 on x e^x E_1(x) is between 1 - 1/x and 1 (DLMF 6.12.1, whose terms alternate)."""
    near, middle = (-sp.log(x) - GAMMA + x * table("ein", x), x <= 1), (sp.exp(-x) / x * table("e1_scaled", x), x < 1024)
    return halves([near, middle, (sp.exp(-x) / x * (1 - 1 / x), True)], [near, middle, (sp.exp(-x) / x, True)])


def ei(x: Any) -> tuple[Any, Any]:
    """Ei x, x > 0. From 1024 on it is beyond the doubles; x e^-x Ei(x) is greater than 1, and less than 1 + 2/x."""
    near, middle = (sp.log(x) + GAMMA + x * table("ein_minus", x), x < 4), (sp.exp(x) / x * table("ei_scaled", x), x < 1024)
    return halves([near, middle, (sp.exp(x) / x, True)], [near, middle, (sp.exp(x) / x * (1 + 2 / x), True)])


@cache
def exponential_integral_1() -> Primitive:
    x, _ = primitive_places(1)
    return monotone("E1", e1, -sp.exp(-x) / x, rising=False)


@cache
def exponential_integral() -> Primitive:
    """Ei falls for x < 0, where it is -E_1(-x), and rises for x > 0; at 0 it has a pole."""
    def both(x: Any) -> tuple[Any, Any]:
        return halves([(ei(x)[0], x > 0), (-e1(-x)[1], True)], [(ei(x)[1], x > 0), (-e1(-x)[0], True)])

    (lo, hi), (x, _) = primitive_ends(1), primitive_places(1)
    low = cases((ei(lo)[0], lo >= 0), (-e1(-hi)[1], hi <= 0))
    high = cases((ei(hi)[1], lo >= 0), (-e1(-lo)[0], hi <= 0), (sp.Max(ei(hi)[1], -e1(-lo)[0]), True))
    return declared("Ei", both, [low, high], sp.exp(x) / x)


# -- sines and cosines ----------------------------------------------------------------------------------------------


def shi(x: Any) -> tuple[Any, Any]:
    """Shi x, x >= 0: half of Ei(x) + E_1(x) from 4 on."""
    near = x * table("shi", x), x <= 4
    return halves([near, ((ei(x)[0] + e1(x)[0]) / 2, True)], [near, ((ei(x)[1] + e1(x)[1]) / 2, True)])


def chi(x: Any) -> tuple[Any, Any]:
    """Chi x, x > 0."""
    near = sp.log(x) + GAMMA + x**2 * table("chi", x), x <= 4
    return halves([near, ((ei(x)[0] - e1(x)[1]) / 2, True)], [near, ((ei(x)[1] - e1(x)[0]) / 2, True)])


def ci(x: Any) -> tuple[Any, Any]:
    """Ci x = f sin x - g cos x, x > 0 (DLMF 6.2.19). The terms of f and g alternate, and what is left out is less than the next (6.12.ii)."""
    near = sp.log(x) + GAMMA + x**2 * table("ci", x), x <= 4
    middle = table("ci_cos", x) * sp.sin(x) / x - table("ci_sin", x) * sp.cos(x) / x**2, x < 256
    f, g = (sum((-1) ** k * sp.factorial(2 * k + j) / x ** (2 * k) for k in range(5)) for j in range(2))
    far, rest = f * sp.sin(x) / x - g * sp.cos(x) / x**2, sp.factorial(10) / x**11 + sp.factorial(11) / x**12
    return halves([near, middle, (far - rest, True)], [near, middle, (far + rest, True)])


@cache
def hyperbolic_sine_integral() -> Primitive:
    x, _ = primitive_places(1)
    return monotone("Shi", odd(shi), sp.sinh(x) / x)


@cache
def hyperbolic_cosine_integral() -> Primitive:
    x, _ = primitive_places(1)
    return monotone("Chi", chi, sp.cosh(x) / x)


@cache
def cosine_integral() -> Primitive:
    """Extremes at (k + 1/2) pi, of sizes f that fall, with signs that alternate."""
    (lo, hi), (x, _) = primitive_ends(1), primitive_places(1)
    bounds = swinging(ci, lo, hi, lambda k: (k + sp.Rational(1, 2)) * sp.pi, sp.floor(lo / sp.pi + sp.Rational(1, 2)))
    return declared("Ci", ci, bounds, sp.cos(x) / x)


def _odd_factorial(n: int) -> Any:
    return sp.factorial2(n) if n > 0 else sp.Integer(1)


def _fresnel(x: Any, near: Any, sine: bool) -> tuple[Any, Any]:
    """S or C of x >= 0: 1/2 - f cos - g sin, or 1/2 + f sin - g cos, of pi x^2 / 2 (DLMF 7.5.3, 7.5.4); f and g as for Ci (7.12.ii)."""
    angle, w = sp.pi * x**2 / 2, sp.pi * x**2
    a, b = (sp.cos(angle), sp.sin(angle)) if sine else (-sp.sin(angle), sp.cos(angle))
    one, other = a / (sp.pi * x), b / (sp.pi**2 * x**3)
    middle = sp.Rational(1, 2) - table("fresnel_f", x) * one - table("fresnel_g", x) * other
    f, g = (sum((-1) ** k * _odd_factorial(4 * k + j) / w ** (2 * k) for k in range(4)) for j in (-1, 1))
    rest = _odd_factorial(15) / w**8 / x + _odd_factorial(17) / w**8 / x**3
    far = sp.Rational(1, 2) - f * one - g * other
    first = near, x <= sp.Rational(3, 2)
    return halves([first, (middle, x < 16), (far - rest, True)], [first, (middle, x < 16), (far + rest, True)])


def fresnel(sine: bool) -> Primitive:
    """Odd; extremes of S at the roots of 2 k, k = 1, 2, ..., of C at those of 2 k + 1, ever nearer to 1/2, on both sides of it in turn."""
    return _fresnel_s() if sine else _fresnel_c()


def _fresnel_made(sine: bool) -> Primitive:
    def positive(x: Any) -> tuple[Any, Any]:
        return _fresnel(x, x**3 * table("fresnel_s", x) if sine else x * table("fresnel_c", x), sine)

    def over(a: Any, b: Any) -> tuple[Any, Any]:
        shift = 0 if sine else 1
        first = sp.Max(sp.ceiling((a**2 - shift) / 2), 1 - shift)
        return swinging(positive, a, b, lambda k: sp.sqrt(2 * k + shift), first)

    (lo, hi), (x, _) = primitive_ends(1), primitive_places(1)
    right, left = over(lo, hi), over(-hi, -lo)
    low = cases((right[0], lo >= 0), (-left[1], hi <= 0), (-over(sp.Integer(0), -lo)[1], True))
    high = cases((right[1], lo >= 0), (-left[0], hi <= 0), (over(sp.Integer(0), hi)[1], True))
    slope = (sp.sin if sine else sp.cos)(sp.pi * x**2 / 2)
    return declared("fresnels" if sine else "fresnelc", odd(positive), [low, high], slope)


@cache
def _fresnel_s() -> Primitive:
    return _fresnel_made(True)


@cache
def _fresnel_c() -> Primitive:
    return _fresnel_made(False)


# -- inverse functions ----------------------------------------------------------------------------------------------


def _branch(x: Any) -> tuple[Any, Any]:
    """L = -log(-x) and q of x < 0, q^2/2 = L - 1; u = -W(x) fulfils u - log u = L."""
    size = -sp.log(-x)
    return size, sp.sqrt(2 * sp.Max(size - 1, 0))


def w0(x: Any) -> tuple[Any, Any]:
    """W_0 x, x >= -1/e. -W_0 = 1 - q + q^2/3 - ... is between 1 - q and 1 - q + q^2 for q < 2^-26."""
    _, q = _branch(x)
    above, far = (x * table("w0", x), x <= 2), (table("w0_exp", sp.log(x)), True)
    below, near = (x * table("w0_below", -x), x >= -sp.Rational(1, 4)), (-table("w0_near", q), q >= sp.Rational(1, 2**26))
    inside, positive = x >= -sp.exp(-1), x >= 0

    def half(last: Any) -> Any:
        return cases((cases(above, far), positive), (cases(below, near, (last, True)), inside))

    return half(q - 1 - q**2), half(q - 1)


def w1(x: Any) -> tuple[Any, Any]:
    """W_-1 x, -1/e <= x < 0. -W_-1 = 1 + q + q^2/3 + ... is between 1 + q and 1 + q + q^2 for q < 2^-26."""
    size, q = _branch(x)
    near, far = (-table("w1_near", q), q < 2), (-table("w1_exp", size), True)

    def half(last: Any) -> Any:
        return cases((cases((last, q < sp.Rational(1, 2**26)), near, far), sp.And(x >= -sp.exp(-1), x < 0)))

    return half(-1 - q - q**2), half(-1 - q)


@cache
def lambert(branch: int) -> Primitive:
    """W_0 rises, W_-1 falls; W' = e^-W / (1 + W), and x = W e^W, which turns at W = -1."""
    _, w = primitive_places(1)
    low, high = primitive_value_ends()
    slope = sp.exp(-w) / (1 + w)
    if branch == 0:
        a, b = sp.Max(low, -1), sp.Max(high, -1)
        return monotone("LambertW", w0, slope, inverse=(a * sp.exp(a), b * sp.exp(b)))
    a, b = sp.Min(high, -1), sp.Min(low, -1)
    return monotone("LambertW_1", w1, slope, rising=False, inverse=(a * sp.exp(a), b * sp.exp(b)))


def erfinv(x: Any) -> tuple[Any, Any]:
    """erfinv x, x >= 0; 1 - x is exact from 1/2 on."""
    found = cases((x * table("erfinv", x), x <= sp.Rational(1, 2)), (table("erfinv_below", 1 - x), True))
    return found, found


def erfcinv(x: Any) -> tuple[Any, Any]:
    inner = odd(erfinv)(1 - x)
    first = table("erfinv_below", x), x < sp.Rational(1, 2)
    return halves([first, (inner[0], True)], [first, (inner[1], True)])


@cache
def inverse_error_function() -> Primitive:
    _, y = primitive_places(1)
    return monotone("erfinv", odd(erfinv), sp.sqrt(sp.pi) / 2 * sp.exp(y**2), inverse=[sp.erf(e) for e in primitive_value_ends()])


@cache
def inverse_complement() -> Primitive:
    (_, y), (low, high) = primitive_places(1), primitive_value_ends()
    return monotone("erfcinv", erfcinv, -sp.sqrt(sp.pi) / 2 * sp.exp(y**2), rising=False, inverse=[sp.erfc(high), sp.erfc(low)])


# -- elliptic integrals ---------------------------------------------------------------------------------------------

TINY = sp.Rational(1, 2**40)


def _complete(m: Any, name: str, ends: Callable[[Any], tuple[Any, Any]], power: Any, near: tuple[Any, Any]) -> tuple[Any, Any]:
    """K or E of m by a table of 1 - m; beyond 1 that is y^power times the value at 1/y (DLMF 19.7.2, with m / (m - 1)); `ends`: for y below
    the table, `near`: for small m.
    """
    y = 1 - m

    def within(z: Any, k: int) -> Any:
        return cases((table(name, z), z >= sp.Rational(1, 2**54)), (ends(z)[k], z > 0))

    low, high = (cases((near[k], sp.And(m > -TINY, m < TINY)), (within(y, k), m > 0), (y**power * within(1 / y, k), m < 0)) for k in range(2))
    return low, high


def elliptic_k(m: Any) -> tuple[Any, Any]:
    """K(1 - z) = sum ((1/2)_k / k!)^2 z^k (log(1/sqrt z) + d(k)), d(0) = log 4 the largest (DLMF 19.12.1): between A and A (1 + z) for z < 1/2."""
    def ends(z: Any) -> tuple[Any, Any]:
        a = sp.log(4) - sp.log(z) / 2
        return a, a * (1 + z)

    half = sp.pi / 2 * (1 + m / 4)
    return _complete(m, "elliptic_k", ends, -sp.Rational(1, 2), (half - m**2, half + m**2))


def elliptic_e(m: Any) -> tuple[Any, Any]:
    """1 <= E(1 - z) <= 1 + z (log 4 - log(z)/2) for z < 1/2 (DLMF 19.12.2)."""
    def ends(z: Any) -> tuple[Any, Any]:
        return sp.Integer(1), 1 + z * (sp.log(4) - sp.log(z) / 2)

    half = sp.pi / 2 * (1 - m / 4)
    return _complete(m, "elliptic_e", ends, sp.Rational(1, 2), (half - m**2, half + m**2))


@cache
def complete_elliptic_k(depth: int = 2) -> Primitive:
    """K' = (E/(1 - m) - K)/(2 m), by a table where m is small."""
    m, value = primitive_places(1)
    small = sp.And(m > -sp.Rational(1, 2), m < sp.Rational(1, 2))
    slope = cases((table("elliptic_k_slope", 1 - m), small), ((complete_elliptic_e(depth - 1)(m) / (1 - m) - value) / (2 * m), True))
    return monotone("elliptic_k", elliptic_k, slope if depth else None)


@cache
def complete_elliptic_e(depth: int = 2) -> Primitive:
    """E' = (E - K)/(2 m)."""
    m, value = primitive_places(1)
    small = sp.And(m > -sp.Rational(1, 2), m < sp.Rational(1, 2))
    slope = cases((-table("elliptic_e_slope", 1 - m), small), ((value - complete_elliptic_k(depth - 1)(m)) / (2 * m), True)) if depth > 0 else None
    return monotone("elliptic_e", elliptic_e, slope, rising=False)


# -- modified Bessel functions --------------------------------------------------------------------------------------


def bessel_k(order: int, x: Any) -> tuple[Any, Any]:
    """K_n x, x > 0: K_0 and K_1, and K_(n+1) = K_(n-1) + (2 n / x) K_n, whose terms are positive (DLMF 10.29.1).

    Below 2^-30, with B = -log(x/2) - gamma, K_0 is between B and B (1 + x^2) + x^2 (10.31.2), and x K_1 between 1 - 400 x^2 and 1, as x is at
    least 2^-1074. From 1024 on sqrt(2 x / pi) e^x K_0 is between 1 - 1/(8 x) and 1, that of K_1 between 1 and 1 + 3/(8 x) (10.40.iii).
    """
    small, large = x < sp.Rational(1, 2**30), x < 1024
    b, far = -sp.log(x / 2) - GAMMA, sp.exp(-x) * sp.sqrt(sp.pi / (2 * x))
    zero, one = sp.exp(-x) * table("bessel_k0", x), sp.exp(-x) / x * table("bessel_k1", x)
    before = halves([(b, small), (zero, large), (far * (1 - 1 / (8 * x)), True)],
                    [(b * (1 + x**2) + x**2, small), (zero, large), (far, True)])
    now = halves([((1 - 400 * x**2) / x, small), (one, large), (far, True)],
                 [(1 / x, small), (one, large), (far * (1 + 3 / (8 * x)), True)])
    for k in range(order):
        before, now = now, (before[0] + 2 * (k + 1) / x * now[0], before[1] + 2 * (k + 1) / x * now[1])
    return before


def bessel_i(order: int, x: Any) -> tuple[Any, Any]:
    """I_0 or I_1 of x >= 0. From 1024 on sqrt(2 pi x) e^-x I_0 is between 1 and 1 + 1/x, that of I_1 between 1 - 1/x and 1 (10.40.1)."""
    near = table("bessel_i0", x) if order == 0 else x * table("bessel_i1", x)
    middle, far = sp.exp(x) / sp.sqrt(x) * table(f"bessel_i{order}_scaled", x), sp.exp(x) / sp.sqrt(2 * sp.pi * x)
    both = (far, far * (1 + 1 / x)) if order == 0 else (far * (1 - 1 / x), far)
    return halves(*([(near, x <= 4), (middle, x < 1024), (e, True)] for e in both))


@cache
def modified_bessel_k(order: int, depth: int = 2) -> Primitive:
    """K_0' = -K_1, K_n' = -K_(n-1) - (n/x) K_n."""
    x, value = primitive_places(1)
    other = modified_bessel_k(1 if order == 0 else order - 1, depth - 1)(x) if depth > 0 else None
    slope = None if other is None else -other - order / x * value
    return monotone(f"besselk{order}", lambda x: bessel_k(order, x), slope, rising=False)


@cache
def modified_bessel_i(order: int, depth: int = 2) -> Primitive:
    """I_0' = I_1; I_1 is odd, and I_1' = I_0 - I_1/x, of which Arb's table of I_1(x)/x knows the value at 0."""
    (lo, hi), (x, value) = primitive_ends(1), primitive_places(1)
    if order:
        near = table("bessel_i1", abs(x))
        slope = modified_bessel_i(0, depth - 1)(x) - cases((near, abs(x) <= 4), (value / x, True)) if depth > 0 else None
        return monotone("besseli1", odd(lambda x: bessel_i(1, x)), slope)
    low = cases((bessel_i(0, lo)[0], lo >= 0), (bessel_i(0, -hi)[0], hi <= 0), (1, True))
    high = bessel_i(0, sp.Max(-lo, hi))[1]
    slope = modified_bessel_i(1, depth - 1)(x) if depth > 0 else None
    return declared("besseli0", lambda x: bessel_i(0, abs(x)), [low, high], slope)


# -- SymPy's functions ----------------------------------------------------------------------------------------------

MOST_ORDERS = 40
"""Beyond, K_n has formulas of too many operations."""


def _order(e: Any, least: int, most: int) -> int:
    if not (e.order.is_Integer and least <= e.order <= most):
        raise ValueError(f"the order of {type(e).__name__} must be an integer from {least} to {most}, got {e.order}")
    return int(e.order)


def _lambert(e: Any) -> Any:
    branch = e.args[1] if len(e.args) > 1 else sp.Integer(0)
    if branch not in (0, -1):
        raise ValueError(f"LambertW has real values on the branches 0 and -1 alone, got {branch}")
    return lambert(int(branch))(e.args[0])


def _expint(e: Any) -> Any:
    if e.args[0] != 1:
        raise ValueError(f"the order of expint must be 1, got {e.args[0]}; write expint(n, x).rewrite(E1) or expand_func for integers n > 1")
    return exponential_integral_1()(e.args[1])


def _incomplete(e: Any, power: Any) -> Any:
    """The integral of (1 - m sin^2)^power."""
    s = sp.Dummy("s", real=True)
    return DefiniteIntegral((1 - e.args[1] * sp.sin(s) ** 2) ** power, s, 0, e.args[0])


SPECIAL: dict[type, Callable[[Any], Any]] = {
    sp.Ei: lambda e: exponential_integral()(*e.args), sp.expint: _expint, sp.li: lambda e: exponential_integral()(sp.log(e.args[0])),
    sp.Shi: lambda e: hyperbolic_sine_integral()(*e.args), sp.Chi: lambda e: hyperbolic_cosine_integral()(*e.args),
    sp.Ci: lambda e: cosine_integral()(*e.args), sp.fresnels: lambda e: fresnel(True)(*e.args), sp.fresnelc: lambda e: fresnel(False)(*e.args),
    sp.LambertW: _lambert, sp.erfinv: lambda e: inverse_error_function()(*e.args), sp.erfcinv: lambda e: inverse_complement()(*e.args),
    sp.erf2: lambda e: sp.erf(e.args[1]) - sp.erf(e.args[0]), sp.elliptic_k: lambda e: complete_elliptic_k()(*e.args),
    sp.elliptic_e: lambda e: complete_elliptic_e()(*e.args) if len(e.args) == 1 else _incomplete(e, sp.Rational(1, 2)),
    sp.elliptic_f: lambda e: _incomplete(e, -sp.Rational(1, 2)),
    sp.besselk: lambda e: modified_bessel_k(abs(_order(e, -MOST_ORDERS, MOST_ORDERS)))(e.argument),
    sp.besseli: lambda e: modified_bessel_i(abs(_order(e, -1, 1)))(e.argument),
}  # fmt: skip
"""What the functions of SymPy are here."""
