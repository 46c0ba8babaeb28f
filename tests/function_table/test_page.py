"""The page of constructs is the one that its command writes; its referee agrees with mpmath."""

import mpmath
import pytest
import sympy as sp
from flint import ctx

from .constructs import constructs, x
from .measured import COMPILES, measured
from .page import PAGE, page
from .referee import PRECISION, real_value


def test_the_page_is_what_is_measured() -> None:
    """Slow: all constructs."""
    assert page([(c, measured(c)) for c in constructs()]) == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["exp(x)", "Rem(x, 2)", "besselk(Rational(1, 2), x)", "legendre(n, x)", "x < 1", "oo*x"])
def test_rows_of_the_page_are_what_is_measured(text: str) -> None:
    c = next(c for c in constructs() if c.text == text)
    row = page([(c, measured(c))]).splitlines()[-1] if measured(c).state != COMPILES else next(
        line for line in page([(c, measured(c))]).splitlines() if line.startswith("| `"))
    assert row in PAGE.read_text(encoding="utf-8").splitlines()


def test_the_list_has_no_construct_twice() -> None:
    texts = [c.text for c in constructs()]
    assert len(texts) == len(set(texts)) > 400


@pytest.mark.parametrize("e", [sp.beta(x, 3), sp.harmonic(x, 2), sp.betainc(2, 3, 0, x), sp.lerchphi(x, 2, 1), sp.jn(2, x), sp.Rem(x, 2),
                               sp.elliptic_f(x, sp.Rational(1, 3)), sp.fresnels(x), sp.Piecewise((x**2, x < 0), (x**3, True))])
def test_the_referee_agrees_with_mpmath(e: sp.Expr) -> None:
    with ctx.workprec(PRECISION):
        found = real_value(e, {x: 0.625})
    assert abs(mpmath.mpf(found.mid().str(25, radius=False)) - mpmath.mpf(str(e.subs(x, sp.Rational(5, 8)).evalf(30)))) < 1e-20
