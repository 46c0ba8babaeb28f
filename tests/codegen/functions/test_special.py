"""Special functions against Arb: values, bounds over boxes, derivatives, points, backward rules."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy as sp
from flint import acb, arb, ctx

import codegen
import collide
from codegen.graph.tables import layout, rows
from codegen.reference.interpreter import interpret

from ..arb_arithmetic import exact, surely_outside

x = sp.Symbol("x", real=True)
BITS = 200
HALF = sp.Rational(1, 2)


class Referee(NamedTuple):
    """A function of SymPy, the same in Arb, the range of its arguments, whether sizes are drawn by their logarithm, and its poles."""

    formula: Any
    value: Callable[[arb], arb]
    lo: float
    hi: float
    log: bool = True
    ulps: float = 64.0
    poles: Sequence[int] = ()


REFEREES: dict[str, Referee] = {
    "Ei": Referee(sp.Ei(x), lambda a: a.ei(), 1e-300, 700.0), "Ei below 0": Referee(sp.Ei(-x), lambda a: (-a).ei(), 1e-300, 700.0),
    "E1": Referee(sp.expint(1, x), lambda a: acb(a).expint(acb(1)).real, 1e-300, 700.0),
    "li": Referee(sp.li(x), lambda a: a.li(), 1.01, 1e300, ulps=1e4),
    "Shi": Referee(sp.Shi(x), lambda a: a.shi(), 1e-300, 700.0), "Chi": Referee(sp.Chi(x), lambda a: a.chi(), 1e-300, 700.0),
    "Ci": Referee(sp.Ci(x), lambda a: a.ci(), 1e-300, 1e6),
    "fresnels": Referee(sp.fresnels(x), lambda a: a.fresnel_s(), 1e-90, 1e4, ulps=1e6),
    "fresnelc": Referee(sp.fresnelc(x), lambda a: a.fresnel_c(), 1e-300, 1e4, ulps=1e6),
    "LambertW": Referee(sp.LambertW(x), lambda a: a.lambertw(), 1e-300, 1e308),
    "LambertW below 0": Referee(sp.LambertW(-x), lambda a: (-a).lambertw(), 1e-300, 0.36, ulps=1e4),
    "LambertW, -1": Referee(sp.LambertW(-x, -1), lambda a: (-a).lambertw(-1), 1e-300, 0.36, ulps=1e4),
    "erfinv": Referee(sp.erfinv(x), lambda a: a.erfinv(), 1e-300, 1 - 2.0**-53),
    "erfcinv": Referee(sp.erfcinv(x), lambda a: a.erfcinv(), 1e-16, 1.9, ulps=1e4),
    "elliptic_k": Referee(sp.elliptic_k(x), lambda a: acb(a).elliptic_k().real, 1e-300, 1 - 2.0**-53),
    "elliptic_k below 0": Referee(sp.elliptic_k(-x), lambda a: acb(-a).elliptic_k().real, 1e-300, 1e300),
    "elliptic_e": Referee(sp.elliptic_e(x), lambda a: acb(a).elliptic_e().real, 1e-300, 1 - 2.0**-53),
    "elliptic_e below 0": Referee(sp.elliptic_e(-x), lambda a: acb(-a).elliptic_e().real, 1e-300, 1e300),
    **{f"lowergamma {s}": Referee(sp.lowergamma(s, x), lambda a, s=s: a.gamma_lower(arb(float(s))), 1e-12, 600.0, ulps=1024.0)
       for s in (HALF / 2, 7 * HALF / 2)},
    **{f"uppergamma {s}": Referee(sp.uppergamma(s, x), lambda a, s=s: a.gamma_upper(arb(float(s))), 1e-12, 600.0, ulps=1e9)
       for s in (HALF / 2, 23 * HALF / 2)},
    **{f"besselk {n}": Referee(sp.besselk(n, x), lambda a, n=n: acb(a).bessel_k(acb(n)).real, 1e-30, 700.0) for n in (0, 1, 2, 5)},
    **{f"besseli {n}": Referee(sp.besseli(n, x), lambda a, n=n: acb(a).bessel_i(acb(n)).real, 1e-300 if n < 2 else 1e-30, 700.0,
                               ulps=64.0 if n < 2 else 512.0) for n in (0, 1, 2, 9)},
    **{f"bessely {n}": Referee(sp.bessely(n, x), lambda a, n=n: acb(a).bessel_y(acb(n)).real, 1e-12, 1e5, ulps=256.0) for n in (0, 1, 4)},
    **{f"besselj {n}": Referee(sp.besselj(n, x), lambda a, n=n: acb(a).bessel_j(acb(n)).real, 1e-9, 1e5, ulps=256.0) for n in (0, 1, 12)},
    **{f"{kind}{side}": Referee(function(x if side == "" else -x), lambda a, k=k, s=1 if side == "" else -1: acb(s * a).airy()[k].real,
                                1e-9, 90.0, ulps=1e4)
       for k, (kind, function) in enumerate((("Ai", sp.airyai), ("Ai'", sp.airyaiprime), ("Bi", sp.airybi), ("Bi'", sp.airybiprime)))
       for side in ("", " below 0")},
    "zeta below 0": Referee(sp.zeta(-x), lambda a: (-a).zeta(), 1e-9, 1.5, ulps=64.0),
    "zeta": Referee(sp.zeta(x), lambda a: a.zeta(), 1e-9, 60.0, ulps=1e4, poles=[1]),
    **{f"polylog {n}": Referee(sp.polylog(n, 1 - x), lambda a, n=n: (1 - acb(a)).polylog(acb(n)).real, 1e-15, 30.0, ulps=1e3)
       for n in (2, 3, 6)},
    "Si": Referee(sp.Si(x), lambda a: a.si(), 1e-300, 1e9), "gamma": Referee(sp.gamma(x), lambda a: a.gamma(), 1e-300, 171.6),
    "gamma below 0": Referee(sp.gamma(-x), lambda a: (-a).gamma(), 1e-300, 160.0, ulps=1e3, poles=range(161)),
    "loggamma": Referee(sp.loggamma(x), lambda a: a.lgamma(), 1e-300, 1e300), "erfc": Referee(sp.erfc(x), lambda a: a.erfc(), 1e-300, 26.5),
    "digamma": Referee(sp.digamma(x), lambda a: a.digamma(), 1e-300, 1e300, ulps=200.0),
}  # fmt: skip


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    with ctx.workprec(BITS):
        yield


def places(r: Referee, count: int, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    spread = np.exp(rng.uniform(np.log(r.lo), np.log(r.hi), count)) if r.log else rng.uniform(r.lo, r.hi, count)
    # Most in the middle, where formulas change.
    usual = rng.uniform(0, min(r.hi, 30.0), count)
    return np.clip(np.where(rng.random(count) < 0.4, spread, usual), r.lo, r.hi)


@pytest.mark.parametrize("name", REFEREES)
def test_thin_boxes_hold_the_value(name: str) -> None:
    r = REFEREES[name]
    check_points(r, places(r, 150))


def check_points(r: Referee, at: np.ndarray) -> float:
    """None outside; the worst width in ulps of the larger end."""
    made = codegen.compile([r.formula], [x])
    low, high, level = made.decorated(at[:, None], at[:, None])
    points = made.points(at[:, None])[:, 0]
    worst = 0.0
    for a, lo, hi, held, p in zip(at, low[:, 0], high[:, 0], level[:, 0], points, strict=True):
        y = r.value(exact(a))
        assert y.is_finite() and not y < exact(lo) and not y > exact(hi), (r.formula, a, lo, hi, y)
        size = max(abs(lo), abs(hi))
        width = (hi - lo) / np.spacing(size)
        # Near zeros, and of differences of large numbers, absolute accuracy counts.
        floor = 2e-16 * max(1.0, float(abs(r.value(exact(1e-9)).mid())) if "uppergamma" in str(r.formula) else 1.0)
        assert held == 3 and (width <= r.ulps or hi - lo <= 1024 * floor), (r.formula, a, lo, hi)
        assert abs(p - float(y.mid())) <= r.ulps * max(np.spacing(abs(p)), floor), (r.formula, a, p, y)
        worst = max(worst, width)
    return worst


@pytest.mark.parametrize("name", REFEREES)
def test_boxes_hold_values_inside(name: str) -> None:
    """Bounds hold the values, and are finite where the box has no pole."""
    r = REFEREES[name]
    made = codegen.compile([r.formula], [x])
    a, b = places(r, 60, 1), places(r, 60, 2)
    lo, hi = np.minimum(a, b), np.maximum(a, b)
    low, high = (e[:, 0] for e in made.interval(lo[:, None], hi[:, None]))
    for k in range(len(lo)):
        assert np.isfinite([low[k], high[k]]).all() or any(lo[k] <= pole <= hi[k] for pole in r.poles), (r.formula, lo[k], hi[k])
        for share in (0.0, 0.13, 0.5, 0.77, 1.0):
            y = r.value(exact(lo[k] + share * (hi[k] - lo[k]) if share < 1 else hi[k]))
            assert not surely_outside(y, low[k], high[k]), (r.formula, lo[k], hi[k], low[k], high[k], y)


@pytest.mark.parametrize("name", REFEREES)
def test_derivatives_by_differences(name: str) -> None:
    """The mean value theorem, in Arb."""
    r = REFEREES[name]
    made = codegen.compile([r.formula], [x]).jacobian()
    at = places(r, 40, 5)
    at = at[(at > 1e-6) & (at < 100)]
    ends = np.minimum(at * 1.0001, r.hi)
    at = at[ends > at]
    ends = ends[:len(at)]
    low, high = (e[:, 0] for e in made.interval(at[:, None], ends[:, None]))
    for a, b, lo, hi in zip(at, ends, low, high, strict=True):
        slope = (r.value(exact(b)) - r.value(exact(a))) / (exact(b) - exact(a))
        assert not slope < exact(lo) and not slope > exact(hi), (r.formula, a, b, lo, hi, slope)
        assert lo > -np.inf and hi < np.inf


def test_the_reference_encloses_likewise() -> None:
    made = codegen.compile([sp.Ei(x), sp.elliptic_k(x), sp.erfinv(x)], [x])
    lo, hi = np.array([[0.25], [0.5]]), np.array([[0.25], [0.75]])
    for a, b in zip(made.interval(lo, hi), interpret(made.outputs, lo, hi)[:2], strict=True):
        assert np.allclose(a, b, rtol=1e-14)


def test_poles_and_borders() -> None:
    made = codegen.compile([sp.Ei(x), sp.LambertW(x), sp.erfinv(x), sp.elliptic_k(x), sp.besselk(0, x)], [x])
    low, high, level = made.decorated([[-1.0], [-9.0]], [[2.0], [9.0]])
    assert (level == 0).all() and low[0, 0] == -np.inf and high[0, 0] == pytest.approx(4.954234356, rel=1e-9)
    assert np.isnan(made.points([[1.5]])[0, [2, 3]]).all() and np.isnan(made.points([[-1.0]])[0, [1, 4]]).all()
    both = codegen.compile([sp.Ci(x), sp.fresnels(x), sp.fresnelc(x), sp.Shi(x), sp.besseli(0, x)], [x])
    low, high = both.interval([[1.0], [-3.0]], [[20.0], [3.0]])
    assert low[0, 0] == pytest.approx(-0.198407560, rel=1e-8) and high[0, 0] == pytest.approx(0.472000651, rel=1e-8)
    assert high[1, 1] == -low[1, 1] == pytest.approx(0.7139722, rel=1e-6) and high[1, 2] == pytest.approx(0.7798934, rel=1e-6)
    assert low[1, 4] == 1.0
    low, high, level = codegen.compile([sp.lowergamma(HALF / 2, x)], [x]).decorated([[0.0]], [[0.5]])
    assert (low[0, 0], level[0, 0]) == (0.0, 1) and high[0, 0] == pytest.approx(3.06902949, rel=1e-8)


def test_queries_take_them() -> None:
    zeros = collide.solve([sp.Ci(x)], {x: (0.1, 20)})
    assert zeros.status is collide.ZerosStatus.COMPLETE and len(zeros.boxes) == 7 and zeros.proved.all()
    (box,) = collide.solve([sp.LambertW(x) - 1], {x: (-0.3, 9)}).boxes
    assert box[0, 0] <= np.e <= box[0, 1]
    low, high = codegen.contract(sp.And(sp.erfinv(x) >= 1, sp.erfinv(x) <= 2), [x])([[-0.99]], [[0.999]])
    assert low[0, 0] == pytest.approx(0.8427007929, rel=1e-9) and high[0, 0] == pytest.approx(0.9953222650, rel=1e-9)


@pytest.mark.parametrize(("formula", "says"), [
    (sp.expint(sp.Rational(1, 3), x), "order of expint"), (sp.besseli(HALF + 21, x), "halves up to 20"),
    (sp.besselk(sp.Rational(1, 3), x), "integer"),
    (sp.LambertW(x, 1), "branches 0 and -1"), (sp.lowergamma(sp.Rational(99, 4), x), "number from 0 to 20"),
])  # fmt: skip
def test_what_is_not_known_is_said(formula: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        codegen.compile([formula], [x])


def test_tables_have_the_rows_that_they_say() -> None:
    table = layout("ein")
    assert rows("ein").shape == (table.rows, table.degree + 3) == (9, 18) and not table.rising


@pytest.mark.parametrize("f", [sp.besselk(0, x), sp.besselk(1, x), sp.besselk(2, x), sp.bessely(0, x), sp.bessely(1, x), sp.expint(1, x),
                               sp.Ci(x), sp.Chi(x), sp.loggamma(x)], ids=str)
def test_nothing_is_proved_of_boxes_that_reach_below_the_domain(f: Any) -> None:
    level = codegen.compile([f], [x]).decorated([[-3.5], [-1e-12], [-2.0], [-1e-300]], [[1e-9], [-1e-13], [2.0], [0.0]])[2]
    assert (level == 0).all()
