"""The functions that are tabled. `codegen.functions.special` says how others are made of them, and where."""

from collections.abc import Callable

from flint import acb, acb_series, arb, arb_series, ctx

from codegen.graph.tables import NEITHER, TableLayout

from .rows import Function, Table

Most = Callable[[arb, arb], arb]
Series = Callable[[float, int], list[arb]]


def linear(function: Function, first: float, last: float, bits: int, degree: int, rising: int, reach: float,
           most: Most | None = None) -> Table:
    return Table(function, TableLayout(True, first, last, bits, degree, rising), reach, None, most)


def geometric(function: Function, first: float, last: float, bits: int, degree: int, rising: int, reach: float = 0.5,
              most: Most | None = None) -> Table:
    return Table(function, TableLayout(False, first, last, bits, degree, rising), reach, None, most)


def at_least(function: Function) -> Most:
    """Of an integral of a positive function times e^(-z t), or a power of p + z q with a negative exponent, p and q positive: |f(z)| is at
    most f(Re z), which is largest at the least real part.
    """
    return lambda lo, hi: function(acb(lo)).real


def at_most(function: Function) -> Most:
    """Of a power series without negative coefficients: |f(z)| is at most f(|z|)."""
    return lambda lo, hi: function(acb(hi.max(-lo))).real


def u(z: acb, a: float = 1, b: float = 1) -> acb:
    """U(a, b, z), Tricomi's function: e^z E_1(z) for a = b = 1 (DLMF 13.6.6)."""
    return z.hypgeom_u(acb(a), acb(b))


I, PI = acb(0, 1), acb.pi


def root() -> acb:
    """A fourth root of -1."""
    return acb(arb(1) / 4).exp_pi_i()


def cos_part(z: acb) -> acb:
    """f of DLMF 6.2.17: the integral of e^(-z t) / (1 + t^2)."""
    return (u(-I * z) - u(I * z)) / (2 * I)


def sin_part(z: acb) -> acb:
    """g of DLMF 6.2.18."""
    return (u(-I * z) + u(I * z)) / 2


def fresnel_parts(z: acb) -> tuple[acb, acb]:
    """(1 +- i)/2 e^(s^2) erfc s, s^2 = -+ i pi z^2 / 2 (DLMF 7.5.9), of which g is the half sum, and f the half difference over i."""
    s, root = I * PI() * z * z / 2, PI().sqrt()
    return (1 + I) / 2 * u(-s, 0.5, 0.5) / root, (1 - I) / 2 * u(s, 0.5, 0.5) / root


def fresnel_f(z: acb) -> acb:
    p, q = fresnel_parts(z)
    return PI() * z * (p - q) / (2 * I)


def fresnel_g(z: acb) -> acb:
    p, q = fresnel_parts(z)
    return PI() ** 2 * z**3 * (p + q) / 2


def _reversion(at: arb, count: int) -> arb_series:
    """The series of erfinv where it has this value, without its first term."""
    assert ctx.cap > count, "series have as many terms as are wanted"
    c = arb_series([at, 1], prec=count + 1).erf()
    return arb_series([0, *(c[k] for k in range(1, count + 1))], prec=count + 1).reversion()


def erfinv_series(centre: float, degree: int) -> list[arb]:
    """Of erfinv at a centre: the reversion of erf where it has this value. Its derivatives are positive for x >= 0 (Carlitz 1963)."""
    at = arb(centre).erfinv()
    found = _reversion(at, degree + 2)
    return [at, *(found[k] for k in range(1, degree + 2))]


def erfinv_quotient(centre: float, degree: int) -> list[arb]:
    """Of erfinv(x) / x, whose derivatives are positive, too."""
    c = erfinv_series(centre, degree + 1)
    if centre == 0:
        return c[1:degree + 2]
    found = arb_series(c, prec=degree + 1) / arb_series([arb(centre), 1], prec=degree + 1)
    return [found[k] for k in range(degree + 1)]


def erfinv_below(centre: float, degree: int) -> list[arb]:
    """Of erfinv(1 - y) at y."""
    at = 1 - arb(centre)
    y = at.erfinv()
    found = _reversion(y, degree + 1)
    return [y, *((-1) ** k * found[k] for k in range(1, degree + 1))]


def ein_minus(z: acb) -> acb:
    return z.hypgeom([acb(1), acb(1)], [acb(2), acb(2)])


def shi(z: acb) -> acb:
    return (z * z / 4).hypgeom([acb(0.5)], [acb(1.5), acb(1.5)])


def chi(z: acb) -> acb:
    return (z * z / 4).hypgeom([acb(1), acb(1)], [acb(2), acb(2), acb(1.5)]) / 4


def fresnel_s(z: acb) -> acb:
    """S(x)/x^3 at a fourth root of -1 times x: all signs plus (DLMF 7.6.7)."""
    return PI() / 6 * (PI() ** 2 * z**4 / 16).hypgeom([acb(0.75)], [acb(1.5), acb(1.75)])


def fresnel_c(z: acb) -> acb:
    return (PI() ** 2 * z**4 / 16).hypgeom([acb(0.25)], [acb(0.5), acb(1.25)])


def elliptic_k(z: acb) -> acb:
    """The integral of 1/sqrt(cos^2 + z sin^2) over a quarter turn."""
    return (1 - z).elliptic_k()


def elliptic_e(z: acb) -> acb:
    """That of sqrt(cos^2 + z sin^2), for which |E| is at most that of |z|."""
    return (1 - z).elliptic_e()


def k_slope(z: acb) -> acb:
    return PI() / 8 * (1 - z).hypgeom_2f1(acb(1.5), acb(1.5), acb(2))


def e_slope(z: acb) -> acb:
    return PI() / 8 * (1 - z).hypgeom_2f1(acb(0.5), acb(1.5), acb(2))


def k0(z: acb) -> acb:
    """e^z K_0(z), the integral of e^(-z (cosh t - 1)) (DLMF 10.32.9)."""
    return PI().sqrt() * u(2 * z, 0.5, 1)


def k1(z: acb) -> acb:
    return 2 * z * PI().sqrt() * u(2 * z, 1.5, 3)


def i0(z: acb) -> acb:
    return (z * z / 4).hypgeom_0f1(acb(1))


def i1(z: acb) -> acb:
    return (z * z / 4).hypgeom_0f1(acb(2)) / 2


def i0_scaled(z: acb) -> acb:
    """e^(-z) I_0(z), the mean of e^(-z (1 - cos t)) (DLMF 10.32.1), which bounds that of I_1, too."""
    return (-2 * z).hypgeom_1f1(acb(0.5), acb(1))


def left(z: acb) -> acb:
    """W_-1 for Im z >= 0, continued analytically across -1/e < z < 0."""
    return acb(z.real.lambertw(-1)) if z.imag == 0 else z.lambertw(-1)


def w1_most(lo: arb, hi: arb) -> arb:
    """v = L + log v with |arg v| <= pi, as |Im L| < pi, and log t <= t/2: so |v| <= 2 (|L| + pi), |L| <= hi + 2."""
    return 2 * (hi + 6)


def u_most(lo: arb, hi: arb) -> arb:
    """Likewise of L = 1 + z^2/2, with |Im L| <= 0.65 c^2 < pi at the centres c < 2."""
    return 2 * (1 + hi**2 / 2 + 4)


# -- Hankel's expansions ----------------------------------------------------------------------------------------------


def hankel(order: arb, w: acb) -> acb:
    """W(w) = sqrt(2 w/pi) e^w K_n(w) = (2 w)^(n + 1/2) U(n + 1/2, 2 n + 1, 2 w) (DLMF 10.39.6), which goes to 1."""
    a = order + arb(1) / 2
    return (2 * w) ** acb(a) * (2 * w).hypgeom_u(acb(a), acb(2 * a))


def parts(order: arb, z: acb) -> tuple[acb, acb]:
    """P and Q of J and Y (DLMF 10.17): W(-i z) = P + i Q."""
    one, other = hankel(order, -I * z), hankel(order, I * z)
    return (one + other) / 2, (one - other) / (2 * I)


def hankel_most(lo: arb, hi: arb) -> arb:
    """More than |P| and |Q| of the orders 0, 1/3, 2/3 and 1 where |arg w| <= 75 degrees and |w| > 1 once paths of the integral

        W(w) = (2 w)^a / Gamma(a) int e^(-2 w t) t^(a-1) (1 + t)^(a-1) dt,  a = n + 1/2 <= 3/2

    are turned, by at most 150 degrees, so that |1 + t| >= 1/2: with r = |w| / Re w <= 3.87, |W| <= r^a (1 + r^(a-1) ...) < 40.
    """
    return arb(40)


def zeta_of(z: acb) -> acb:
    """2/3 z^(3/2)."""
    return 2 * z * z.sqrt() / 3


def airy_parts(order: arb, z: acb) -> tuple[acb, acb]:
    """P and Q of Ai(-z) (order 1/3), R and S of Ai'(-z) (2/3) (DLMF 9.7.9 to 9.7.12)."""
    p, q = parts(order, zeta_of(z))
    return p, -q


def bi_scaled(z: acb, slope: bool) -> acb:
    value, root = z.airy()[3 if slope else 2], z.sqrt().sqrt()
    return PI().sqrt() * (-zeta_of(z)).exp() * (value / root if slope else value * root)


def bi_most(slope: bool) -> Most:
    """Of power series without negative coefficients, and of Ai, of which 3^(1/2) |Ai| is at most Bi of the size."""
    return lambda lo, hi: acb(hi.max(-lo)).airy()[3 if slope else 2].real


def airy_number(k: int) -> Function:
    """Ai, Ai', Bi or Bi'."""
    return lambda z: z.airy()[k]


def airy_series(k: int) -> Series:
    """Of number k of Ai, Ai', Bi, Bi': y'' = x y."""
    def series(centre: float, degree: int) -> list[arb]:
        values, at = acb(centre).airy(), arb(centre)
        c = [values[k - k % 2].real, values[k - k % 2 + 1].real]
        for j in range(degree + 1):
            c.append((at * c[j] + (c[j - 1] if j else arb(0))) / ((j + 1) * (j + 2)))
        return [(j + 1) * a for j, a in enumerate(c[1:degree + 2])] if k % 2 else c[:degree + 1]

    return series


def of_series(function: Callable[[arb_series], arb_series]) -> Series:
    def series(centre: float, degree: int) -> list[arb]:
        found = function(arb_series([centre, 1], prec=degree + 1))
        return [found[k] for k in range(degree + 1)]

    return series


def y0_rest(z: acb) -> acb:
    """pi/2 Y_0 - (log(z/2) + gamma) J_0, entire (DLMF 10.8.2)."""
    return PI() / 2 * z.bessel_y(acb(0)) - ((z / 2).log() + acb(arb.const_euler())) * z.bessel_j(acb(0))


def y1_rest(z: acb) -> acb:
    """(pi/2 Y_1 + 1/z - (log(z/2) + gamma) J_1) / z, entire."""
    return (PI() / 2 * z.bessel_y(acb(1)) + 1 / z - ((z / 2).log() + acb(arb.const_euler())) * z.bessel_j(acb(1))) / z


def y_most(lo: arb, hi: arb) -> arb:
    """Terms of y0_rest are H_k (z^2/4)^k / k!^2, H_k <= k, so its sum and that of y1_rest, of which terms are smaller, are below that of
    (|z|^2/4) I_0(|z|)-like terms: |z|^2/4 e^|z| and 1.
    """
    size = hi.max(-lo)
    return (1 + size**2 / 4) * size.exp()


def pole_free(z: acb) -> acb:
    """(z - 1) zeta(z)."""
    return (z - 1) * z.zeta()


def zeta_most(lo: arb, hi: arb) -> arb:
    """zeta(s) = 1/(s - 1) + 1/2 + s/12 - s (s + 1)/2 int B_2({x}) x^(-s-2), |B_2| <= 1/6, for Re s > -1 (DLMF 25.2.10)."""
    size = hi.max(-lo) + 1
    return 1 + (size + 1) * (arb(0.5) + size / 12 + size * (size + 1) / (12 * (1 + lo)))


def pole_free_slope(z: acb) -> acb:
    """Its derivative."""
    c = acb_series([z, 1], prec=2).zeta()
    return c[0] + (z - 1) * c[1]


def digamma_zero() -> arb:
    at = arb("1.46163214496836234126265954232572132846819620400644")
    for _ in range(4):
        at = arb(at.mid()) - arb(at.mid()).digamma() / acb(at.mid()).polygamma(acb(1)).real
    return at


def thirds(k: int) -> arb:
    """k/3 at the precision that is set."""
    return arb(k) / 3


TABLES: dict[str, Table] = {
    # (E_1(x) + log x + gamma) / x, and the same of Ei, which are entire; x e^x E_1(x) and x e^-x Ei(x).
    "ein": linear(lambda z: (-z).hypgeom([acb(1), acb(1)], [acb(2), acb(2)]), 0, 1, 3, 15, False, 1.5, at_most(ein_minus)),
    "ein_minus": linear(ein_minus, 0, 4, 3, 15, True, 1.5, at_most(ein_minus)),
    "e1_scaled": geometric(lambda z: z * u(z), 1, 1024, 4, 15, True, most=lambda lo, hi: hi * u(acb(lo)).real),
    "ei_scaled": geometric(lambda z: z * (-z).exp() * z.ei(), 4, 1024, 5, 19, False, 0.125),
    # Shi(x)/x, and (Chi x - log x - gamma)/x^2 and the same of Ci, entire; x f(x) and x^2 g(x) of DLMF 6.2.17.
    "shi": linear(shi, 0, 4, 3, 15, True, 1.5, at_most(shi)),
    "chi": linear(chi, 0, 4, 3, 15, True, 1.5, at_most(chi)),
    "ci": linear(lambda z: -chi(I * z), 0, 4, 3, 15, True, 1.5, at_most(chi)),
    "ci_cos": geometric(lambda z: z * cos_part(z), 4, 256, 4, 15, True, most=lambda lo, hi: hi * cos_part(acb(lo)).real),
    "ci_sin": geometric(lambda z: z * z * sin_part(z), 4, 256, 4, 15, True, most=lambda lo, hi: hi * hi * sin_part(acb(lo)).real),
    # S(x)/x^3 and C(x)/x, entire; pi x f(x) and pi^2 x^3 g(x) of DLMF 7.2.10.
    "fresnel_s": linear(lambda z: fresnel_s(z * root()), 0, 1.5, 4, 16, False, 0.5, at_most(fresnel_s)),
    "fresnel_c": linear(lambda z: fresnel_c(z * root()), 0, 1.5, 4, 16, False, 0.5, at_most(fresnel_c)),
    "fresnel_f": geometric(fresnel_f, 1, 16, 4, 16, True, 0.4, lambda lo, hi: hi / lo * fresnel_f(acb(lo)).real),
    "fresnel_g": geometric(fresnel_g, 1, 16, 4, 16, True, 0.4, lambda lo, hi: (hi / lo) ** 3 * fresnel_g(acb(lo)).real),
    # e^(-W(x)) = W(x)/x on both sides of 0; W(e^x); of x < 0, with q^2/2 = -log(-x) - 1, -W_0 and -W_-1; -W_-1(-e^-x).
    "w0": linear(lambda z: (-z.lambertw()).exp(), 0, 2, 5, 14, False, 0.3),
    "w0_below": linear(lambda z: (-(-z).lambertw()).exp(), 0, 0.25, 6, 15, True, 0.1),
    "w0_exp": linear(lambda z: z.exp().lambertw(), 0, 750, 0, 24, True, 2.7),
    "w0_near": geometric(lambda z: -(-(-1 - z * z / 2).exp()).lambertw(), 2.0**-26, 1, 3, 21, False, most=u_most),
    "w1_near": geometric(lambda z: -left(-(-1 - z * z / 2).exp()), 2.0**-26, 2, 3, 21, True, most=u_most),
    "w1_exp": linear(lambda z: -left(-(-z).exp()), 3, 750, 1, 20, True, 1.75, w1_most),
    # K and E of 1 - x, and K' and -E' of it.
    "elliptic_k": geometric(elliptic_k, 2.0**-54, 1, 3, 20, False, most=at_least(elliptic_k)),
    "elliptic_e": geometric(elliptic_e, 2.0**-54, 1, 3, 20, True, most=at_most(elliptic_e)),
    "elliptic_k_slope": geometric(k_slope, 0.25, 4, 4, 16, False, most=at_least(k_slope)),
    "elliptic_e_slope": geometric(e_slope, 0.25, 4, 4, 16, False, most=at_least(e_slope)),
    # erfinv(x)/x, erfinv(1 - x).
    "erfinv": Table(lambda z: acb(z.real.erfinv() / z.real), TableLayout(True, 0, 0.5, 4, 16, True), 0.375, erfinv_quotient,
                    lambda lo, hi: hi.max(-lo).erfinv() / hi.max(-lo)),
    "erfinv_below": Table(lambda z: acb((1 - z.real).erfinv()), TableLayout(False, 2.0**-54, 0.5, 3, 20, False), 0.5, erfinv_below,
                          lambda lo, hi: (1 - lo).erfinv()),
    # e^x K_0(x) and x e^x K_1(x); I_0(x) and I_1(x)/x; sqrt(x) e^-x I_n(x).
    "bessel_k0": geometric(k0, 2.0**-30, 1024, 3, 20, False, most=at_least(k0)),
    "bessel_k1": geometric(lambda z: z * k1(z), 2.0**-30, 1024, 3, 20, True, most=lambda lo, hi: hi * k1(acb(lo)).real),
    "bessel_i0": linear(i0, 0, 4, 3, 15, True, 1.5, at_most(i0)),
    "bessel_i1": linear(i1, 0, 4, 3, 15, True, 1.5, at_most(i1)),
    "bessel_i0_scaled": geometric(lambda z: z.sqrt() * i0_scaled(z), 4, 1024, 4, 17, False, 0.4, most=lambda lo, hi: hi.sqrt() *
    i0_scaled(acb(lo)).real), "bessel_i1_scaled": geometric(lambda z: z.sqrt() * z / 2 * (-2 * z).hypgeom_1f1(acb(1.5), acb(3)), 4, 1024,
    4, 17, True, 0.4,
                                  most=lambda lo, hi: hi.sqrt() * i0_scaled(acb(lo)).real),
    # Ai, Ai', Bi, Bi' at points; scaled, and P, Q, R, S of negative arguments.
    **{name: Table(airy_number(k), TableLayout(True, -4, 4, 3, 18, NEITHER), 1.5, airy_series(k), bi_most(k % 2 == 1))
       for k, name in enumerate(("airy_ai", "airy_ai_slope", "airy_bi", "airy_bi_slope"))},
    "airy_ai_scaled": geometric(lambda z: hankel(thirds(1), zeta_of(z)), 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "airy_ai_slope_scaled": geometric(lambda z: hankel(thirds(2), zeta_of(z)), 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "airy_bi_scaled": geometric(lambda z: bi_scaled(z, False), 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "airy_bi_slope_scaled": geometric(lambda z: bi_scaled(z, True), 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "airy_p": geometric(lambda z: airy_parts(thirds(1), z)[0], 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "airy_q": geometric(lambda z: airy_parts(thirds(1), z)[1], 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "airy_r": geometric(lambda z: airy_parts(thirds(2), z)[0], 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "airy_s": geometric(lambda z: airy_parts(thirds(2), z)[1], 4, 1024, 3, 20, NEITHER, most=hankel_most),
    # P and Q of J and Y, and what is left of Y without its logarithm.
    "hankel_p0": geometric(lambda z: parts(thirds(0), z)[0], 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "hankel_q0": geometric(lambda z: parts(thirds(0), z)[1], 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "hankel_p1": geometric(lambda z: parts(thirds(3), z)[0], 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "hankel_q1": geometric(lambda z: parts(thirds(3), z)[1], 4, 1024, 3, 20, NEITHER, most=hankel_most),
    "bessel_y0": linear(y0_rest, 0, 4, 3, 16, NEITHER, 1.4, y_most),
    "bessel_y1": linear(y1_rest, 0, 4, 3, 16, NEITHER, 1.4, y_most),
    # (s - 1) zeta(s) and its derivative.
    "zeta": linear(pole_free, 0, 16, 3, 18, True, 0.7, zeta_most),
    "zeta_slope": linear(pole_free_slope, 0, 16, 3, 18, NEITHER, 0.7, lambda lo, hi: 8 * zeta_most(lo - 0.125, hi + 0.125)),
    # Gamma, which is no larger than at the real part; log Gamma, and it over (x - 1)(x - 2); digamma over x less its zero.
    "gamma": Table(lambda z: z.gamma(), TableLayout(True, 2, 168, 2, 20, True), 1.5, of_series(lambda s: s.gamma()),
                   lambda lo, hi: lo.gamma().max(hi.gamma())),
    "loggamma": Table(lambda z: z.lgamma(), TableLayout(False, 2, 1024, 3, 20, True), 0.5, of_series(lambda s: s.lgamma()), None),
    "loggamma_quotient": linear(lambda z: z.lgamma() / ((z - 1) * (z - 2)), 0.5, 3, 3, 22, False, 0.4),
    "digamma_quotient": linear(lambda z: z.digamma() / (z - digamma_zero()), 1, 2, 4, 18, False, 0.7),
    # x sqrt(pi) e^(x^2) erfc x.
    "erfc_scaled": geometric(lambda z: z * u(z * z, 0.5, 0.5), 8, 32, 3, 20, True, 0.4, lambda lo, hi: hi / lo),
}  # fmt: skip
