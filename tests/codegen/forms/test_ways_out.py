"""Functions that SymPy writes by others, Bessel functions of half orders (`half_orders`): values by mpmath; sentences for the rest."""

from typing import Any

import mpmath
import pytest
import sympy as sp
from sympy.codegen import cfunctions

import codegen
from codegen.sympy_rules import UnsupportedExpression

x, y = sp.symbols("x y", real=True)
k, z = sp.Symbol("k", integer=True), sp.Symbol("z")
HALF = sp.Rational(1, 2)
MATRIX = sp.Matrix([[x, 1], [2, y]])


@pytest.mark.parametrize("e", [
    sp.asec(x), sp.acsc(x), sp.acot(x), sp.acot(-x), sp.asech(1 / x), sp.acsch(x), sp.acoth(x), sp.binomial(x, 3), sp.binomial(x, y),
    sp.rf(x, y), sp.ff(x, y), sp.harmonic(x), sp.catalan(x), sp.jn(2, x), sp.yn(1, x), cfunctions.expm1(x), cfunctions.log1p(x),
    cfunctions.hypot(x, y), cfunctions.Cbrt(x), cfunctions.log2(x), cfunctions.exp2(x), sp.Sum(x**k, (k, 0, 3)),
    sp.Product(x + k, (k, 1, 3)), sp.erf2(x, y), sp.KroneckerDelta(x, y), x * sp.TribonacciConstant,
    sp.factorial(x), sp.beta(x, y), sp.UnevaluatedExpr(x) + 1,
    sp.harmonic(x, 3), sp.zeta(3, x), sp.zeta(x, 3), sp.Li(x + 1), sp.dirichlet_eta(x), sp.Rem(-x, y),
    sp.SingularityFunction(x, 1, 2), sp.expint(3, x), sp.polylog(-2, y), sp.arg(x), 1 / sp.tan(x),
    sp.Determinant(MATRIX), sp.Trace(MATRIX), sp.re(z) + sp.conjugate(z), sp.Piecewise((x, sp.Contains(x, sp.Interval(0, 2))), (1, True)),
])  # fmt: skip
def test_a_function_is_what_sympy_says(e: Any) -> None:
    values = {x: sp.Rational(5, 4), y: sp.Rational(1, 3), z: sp.Rational(2, 5)}
    truth = sp.re(e.doit().rewrite(sp.gamma).expand(func=True).subs(values).evalf(30))
    box = [[float(v) for v in values.values()]]
    wide = [[b + 1e-12 for b in box[0]]]
    lo, hi, level = codegen.compile([e], list(values)).decorated([[b - 1e-12 for b in box[0]]], wide)
    assert lo[0, 0] <= truth <= hi[0, 0] and hi[0, 0] - lo[0, 0] < 1e-9 and level[0, 0] == 3


# Values of mpmath, of integrals and of orders that are halves; I of higher orders cancels near 0.
@pytest.mark.parametrize(("e", "truth"), [
    (sp.erfi(x), mpmath.erfi), (sp.betainc(2, 3, 0, x), lambda a: mpmath.betainc(2, 3, 0, a)),
    (sp.betainc_regularized(2, 3, 0, x), lambda a: mpmath.betainc(2, 3, 0, a, regularized=True)),
    (sp.elliptic_pi(sp.Rational(1, 4), x), lambda a: mpmath.ellippi(mpmath.mpf(1) / 4, a)),
    *((kind(n + HALF, x), lambda a, value=value, n=n: value(mpmath.mpf(n) + 0.5, a)) for n in (0, 3, -1, -3) for kind, value in (
        (sp.besselj, mpmath.besselj), (sp.bessely, mpmath.bessely), (sp.besseli, mpmath.besseli), (sp.besselk, mpmath.besselk))),
    *((x * sp.besselj(n, sp.Rational(m, 2)), lambda a, n=n, m=m: a * mpmath.besselj(n, mpmath.mpf(m) / 2))
      for n, m in ((0, 1), (2, 3), (5, -9))),
    (sp.riemann_xi(x), lambda s: s * (s - 1) / 2 * mpmath.gamma(s / 2) * mpmath.zeta(s) / mpmath.pi ** (s / 2)),
])  # fmt: skip
def test_integrals_and_halves_hold_their_values(e: Any, truth: Any) -> None:
    made = codegen.compile([e], [x])
    for a in (0.3, 0.8, 0.95):
        (lo,), (hi,) = (end[0] for end in made.interval([[a]], [[a]]))
        with mpmath.workdps(30):
            assert lo <= truth(mpmath.mpf(a)) <= hi and hi - lo < 1e-7 * max(abs(hi), 1e-3)


def test_matrices_are_their_entries() -> None:
    lo, hi = codegen.compile(sp.MatMul(MATRIX, sp.Inverse(MATRIX)), [x, y]).interval([[3.0, 2.0]], [[3.0, 2.0]])
    assert (lo[0] <= [1, 0, 0, 1]).all() and (hi[0] >= [1, 0, 0, 1]).all() and (hi - lo < 1e-13).all()


@pytest.mark.parametrize(("e", "words"), [
    (sp.Limit(sp.sin(x) / x, x, 0), r"not evaluated yet; call .doit\(\)"), (sp.O(x**2), r"leave it out by .removeO\(\)"),
    (sp.mathieuc(1, 2, x), "no bounds of mathieuc are known"), (sp.legendre(k, x), "no bounds of legendre are known"),
    (sp.im(z), "z is a real number here.*real=True"), (sp.hankel1(0, x), "its values are complex"),
    (sp.I * x, "sp.expand.formula, complex=True"), (sp.IndexedBase("a")[0] + x, "put a Symbol in its place"),
])  # fmt: skip
def test_what_has_no_such_form_says_so(e: Any, words: str) -> None:
    """The message is short: it lists no classes."""
    with pytest.raises(UnsupportedExpression, match=words) as raised:
        codegen.compile([e], [x, k])
    assert len(str(raised.value)) < 250
