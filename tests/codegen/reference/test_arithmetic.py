"""The reference arithmetic against exact fractions and against Arb: enclosure, tightness, levels."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from mpmath import libmp

from codegen.graph.expr import ExprPool
from codegen.interval import Interval
from codegen.reference import directed
from codegen.reference.arithmetic import Reference
from codegen.reference.interpreter import enclose_constant, enclose_rational, interpret
from tests.codegen.boxes import INF, LINE, one

LARGEST = float.fromhex("0x1.fffffffffffffp1023")


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    old, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = old


def neighbours(lo: float, hi: float) -> bool:
    """Are the bounds those of one real number rounded down and up?"""
    return lo == hi or math.nextafter(lo, INF) == hi


def random_double(rng: random.Random) -> float:
    """Of any size, often near 0, 1 and powers of two."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.uniform(-4, 4)
    if kind == 1:
        return rng.choice([-1, 1]) * 2.0 ** rng.uniform(-1074, 1023)
    if kind == 2:
        return rng.choice([-1, 1]) * (1 + rng.choice([-1, 1]) * 2.0 ** rng.uniform(-54, 0))
    if kind == 3:
        return float(rng.randrange(-9, 10)) / 2
    return rng.choice([-1, 1]) * 2.0 ** rng.uniform(-60, 20)


def random_interval(rng: random.Random) -> tuple[float, float]:
    a, b = sorted([random_double(rng), random_double(rng)])
    return (a, a) if rng.random() < 0.1 else (a, b)


def rounded(exact: Fraction) -> tuple[float, float]:
    """The doubles next to an exact rational, below and above."""
    try:
        x = float(exact)
    except OverflowError:
        return (LARGEST, INF) if exact > 0 else (-INF, -LARGEST)
    lo = x if Fraction(x) <= exact else math.nextafter(x, -INF)
    hi = x if Fraction(x) >= exact else math.nextafter(x, INF)
    return lo, hi


# -- rational operations ----------------------------------------------------------------------------------------------


def test_sums_products_and_quotients_are_the_tight_hull_of_the_exact_ones() -> None:
    rng = random.Random(1)
    pool = ExprPool()
    x, y, z = (pool.variable(k) for k in range(3))
    outputs = [x + y, x - y, x * y, pool.node("fma", x, y, z), x / y]
    for _ in range(400):
        boxes = [random_interval(rng) for _ in range(3)]
        lo, hi, _ = interpret(outputs, [[b[0] for b in boxes]], [[b[1] for b in boxes]])
        (a, b, c) = [[Fraction(e) for e in box] for box in boxes]
        exact = [[p + q for p in a for q in b], [p - q for p in a for q in b], [p * q for p in a for q in b],
                 [p * q + r for p in a for q in b for r in c]]
        if boxes[1][0] > 0 or boxes[1][1] < 0:
            exact.append([p / q for p in a for q in b])
        for k, values in enumerate(exact):
            assert (lo[0, k], hi[0, k]) == (rounded(min(values))[0], rounded(max(values))[1])


@pytest.mark.parametrize("exponent", [2, 3, 4, 5, 7, 12])
def test_integer_powers_are_tight(exponent: int) -> None:
    rng = random.Random(exponent)
    e = ExprPool().variable(0) ** exponent
    for _ in range(60):
        a, b = random_interval(rng)
        values = [Fraction(a) ** exponent, Fraction(b) ** exponent] + [Fraction(0)] * (a <= 0 <= b)
        assert one(e, (a, b)) == (rounded(min(values))[0], rounded(max(values))[1], 3)


def test_square_root_is_tight() -> None:
    rng = random.Random(2)
    pool = ExprPool()
    e = pool.node("sqrt", pool.variable(0))
    for _ in range(300):
        x = abs(random_double(rng))
        lo, hi, level = one(e, (x, x))
        assert Fraction(lo) ** 2 <= Fraction(x) <= Fraction(hi) ** 2 and neighbours(lo, hi)
        assert level == (3 if x > 0 else 2)


# -- elementary functions ---------------------------------------------------------------------------------------------

DOMAIN = {"log": (5e-324, INF), "asin": (-1, 1), "acos": (-1, 1), "acosh": (1, INF), "atanh": (-1 + 2**-53, 1 - 2**-53)}


def arb_of(x: float) -> arb:
    p, q = x.as_integer_ratio()
    return arb(fmpq(p, q))


def surely_outside(value: arb, lo: float, hi: float) -> bool:
    """Does the ball lie wholly below lo or wholly above hi?"""
    return bool(value < arb_of(lo) if lo > -INF else False) or bool(value > arb_of(hi) if hi < INF else False)


@pytest.mark.parametrize("name", sorted(directed.ENCLOSE))
def test_elementary_functions_are_the_tight_enclosure_of_arbs_value(name: str) -> None:
    rng = random.Random(name)
    pool = ExprPool()
    e = pool.node(name, pool.variable(0))
    lowest, highest = DOMAIN.get(name, (-INF, INF))
    points = [x for x in (random_double(rng) for _ in range(400)) if lowest <= x <= highest][:150]
    for x in points:
        if name in ("exp", "sinh", "cosh") and abs(x) > 1e4:
            continue
        lo, hi, _ = one(e, (x, x))
        ctx.prec = 2400 if abs(x) < 1e-20 or abs(x) > 1e20 else 400
        assert not surely_outside(getattr(arb_of(x), name)(), lo, hi), x
        assert neighbours(lo, hi), x


SAMPLED = {"log": (3, 2), "asin": (0, 1), "acos": (0, 1), "atanh": (0, 0.9), "acosh": (4, 3),
           **dict.fromkeys(["exp", "sin", "cos", "tan", "atan", "tanh", "sinc"], (0, 9))}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SAMPLED))
def test_ranges_hold_the_function_and_are_reached(name: str) -> None:
    """Samples lie inside; the bounds are not far from the samples' extremes on boxes sampled densely."""
    rng = random.Random(name)
    pool = ExprPool()
    e = pool.node(name, pool.variable(0), value=0) if name == "sinc" else pool.node(name, pool.variable(0))
    for _ in range(12):
        centre, width = SAMPLED[name]
        a, b = sorted(centre + width * rng.uniform(-1, 1) for _ in range(2))
        lo, hi, level = one(e, (a, b))
        xs = np.linspace(a, b, 400)
        values = np.sinc(xs / np.pi) if name == "sinc" else getattr(np, name.replace("a", "arc", name[0] == "a"))(xs)
        assert np.all(values >= lo - 1e-12) and np.all(values <= hi + 1e-12)
        if level == 3:
            step = np.max(np.abs(np.diff(values)))
            assert values.min() - lo <= step + 1e-12 and hi - values.max() <= step + 1e-12


@pytest.mark.parametrize("order", range(5))
def test_spherical_bessel_quotients_are_tight(order: int) -> None:
    rng = random.Random(order)
    pool = ExprPool()
    e = pool.node("sinc", pool.variable(0), value=order)
    for _ in range(60):
        x = rng.choice([rng.uniform(-70, 70), 2.0 ** rng.uniform(-30, 10), rng.uniform(-1, 1)])
        lo, hi, _ = one(e, (x, x))
        z = arb_of(x)
        # DLMF 10.47.3: j_k(z) = sqrt(pi / 2z) J_(k+1/2)(z), and 0F1 removes the singularity (DLMF 10.16.9).
        half = arb(fmpq(2 * order + 3, 2))
        exact = (-z * z / 4).hypgeom_0f1(half) / arb(math.prod(range(1, 2 * order + 2, 2)))
        assert not surely_outside(exact, lo, hi) and neighbours(lo, hi), x


def test_spherical_bessel_ranges_reach_their_extrema() -> None:
    pool = ExprPool()
    for order in range(3):
        e = pool.node("sinc", pool.variable(0), value=order)
        for a, b in ((0.5, 5.0), (2.0, 9.0), (5.0, 13.0), (-3.0, 8.0), (100.0, 109.0), (3.0, 1e9)):
            lo, hi, _ = one(e, (a, b))
            xs = np.linspace(a, min(b, a + 20), 300)
            points = interpret([e], xs[:, None], xs[:, None])
            assert lo <= points[0].min() and points[1].max() <= hi
            assert max(points[0].min() - lo, hi - points[1].max()) < 3e-3 * (points[1].max() - points[0].min())


def test_real_powers() -> None:
    rng = random.Random(5)
    pool = ExprPool()
    e = pool.node("pow", pool.variable(0), pool.variable(1))
    for _ in range(200):
        x, y = abs(random_double(rng)) or 1.0, rng.choice([rng.uniform(-3, 3), rng.randrange(-6, 7) / 4])
        lo, hi, level = one(e, (x, x), (y, y))
        assert not surely_outside(arb_of(x) ** arb_of(y), lo, hi) and neighbours(lo, hi), (x, y)
        assert level == 3
    assert one(e, (4.0, 4.0), (0.5, 0.5)) == (2.0, 2.0, 3)
    assert one(e, (2.25, 2.25), (1.5, 1.5)) == (3.375, 3.375, 3)
    assert one(e, (0.0, 4.0), (0.5, 2.0)) == (0.0, 16.0, 2)
    assert one(e, (0.0, 4.0), (0.0, 2.0)) == (0.0, 16.0, 0)
    assert one(e, (-1.0, 4.0), (-0.5, 2.0)) == (0.0, INF, 0)
    assert one(e, (-2.0, -1.0), (3.0, 3.0)) == (-INF, INF, 0)


# -- Chebyshev series -------------------------------------------------------------------------------------------------


def exact_chebyshev(c: list[Fraction], x: Fraction) -> Fraction:
    total, before, now = Fraction(0), x, Fraction(1)
    for ck in c:
        total += ck * now
        before, now = now, 2 * x * now - before
    return total


def test_chebyshev_series_hold_their_exact_values() -> None:
    rng = random.Random(7)
    for _ in range(60):
        pool = ExprPool()
        c = [rng.uniform(-1, 1) for _ in range(rng.randrange(1, 8))]
        e = pool.node("chebyshev", pool.variable(0), *(pool.constant(ck) for ck in c))
        a, b = sorted(rng.uniform(-1.2, 1.2) for _ in range(2))
        lo, hi, level = one(e, (a, b))
        for k in range(9):
            x = Fraction(a) + (Fraction(b) - Fraction(a)) * k / 8
            assert Fraction(lo) <= exact_chebyshev([Fraction(ck) for ck in c], x) <= Fraction(hi)
        assert level == 3


def test_chebyshev_is_tight_for_one_basis_function_and_where_monotone() -> None:
    pool = ExprPool()
    zero, one_, x = pool.constant(0), pool.constant(1), pool.variable(0)
    third = pool.node("chebyshev", x, zero, zero, zero, one_)
    assert one(third, (-1, 1)) == (-1, 1, 3)
    # The extremum at cos(2 pi / 3) = -1/2 is +1: the parity rule printed in the paper is wrong for odd degrees.
    assert one(third, (-0.75, 0.0))[:2] == (0, 1)
    assert one(third, (0.0, 0.75)) == (-1, 0, 3)
    rising = pool.node("chebyshev", x, zero, one_, pool.constant(Fraction(1, 8)), pool.constant(Fraction(1, 16)))
    lo, hi, _ = one(rising, (-1.0, 1.0))
    assert (lo, hi) == (-1 + 0.125 - 0.0625, 1 + 0.125 + 0.0625)


# -- constants and intervals ------------------------------------------------------------------------------------------


def test_constants_are_enclosed_tightly() -> None:
    pool = ExprPool()
    third, two = pool.constant(Fraction(1, 3)), pool.constant(2)
    exact = {third: arb(fmpq(1, 3)), pool.constant("pi"): arb.pi(), pool.node("sqrt", two): arb(2).sqrt(),
             pool.constant("e"): arb(1).exp(),
             pool.node("sin", pool.constant("pi")): arb(0), pool.node("sin", pool.constant(10**22)): arb(10**22).sin(),
             pool.node("cos", pool.constant(-7)): arb(7).cos(),
             pool.constant("euler_gamma"): arb.const_euler(), pool.constant("catalan"): arb.const_catalan(),
             pool.node("exp", two * Fraction(1, 7)) - pool.node("log", third): (arb(2) / 7).exp() + arb(3).log()}
    for e, value in exact.items():
        lo, hi = enclose_constant(e)
        assert not surely_outside(value, lo, hi)
        assert neighbours(lo, hi) or (e.op == "sin" and max(-lo, hi) < 1e-300)
    assert enclose_constant(pool.node("sin", pool.constant(-(10**400)))) != (-1.0, 1.0)
    far = pool.node("exp", pool.node("exp", pool.constant(50)))
    for e in (pool.node("acosh", far), pool.node("chebyshev", far, two, two, two), pool.node("pow", third + 2, far)):
        lo, hi = enclose_constant(e)
        assert lo > 1e4 and hi == np.inf
    assert enclose_constant(pool.node("sqrt", pool.constant(4))) == (2.0, 2.0)
    assert enclose_constant(pool.node("sqrt", pool.constant(-4))) == LINE
    assert enclose_constant(pool.node("log", pool.constant(0))) == LINE
    # Undefined stays undefined, though exp and sin of the whole line are bounded.
    assert enclose_constant(pool.node("exp", pool.node("sqrt", pool.constant(-4)))) == LINE
    assert enclose_constant(pool.node("exp", pool.constant(10**6))) == (1.7976931348623157e308, INF)
    assert enclose_constant(pool.node("exp", pool.constant(-(10**30)))) == (0.0, 5e-324)


def test_rational_numbers_are_enclosed_tightly() -> None:
    """By comparison of exact fractions: of all sizes, among them doubles, numbers next to doubles, and those below the least one."""
    rng = random.Random(5)
    largest = Fraction(float.fromhex("0x1.fffffffffffffp+1023"))
    numbers = [Fraction(0), Fraction(1, 3), Fraction(1, 2**1075), Fraction(3, 2**1076), -Fraction(1, 10**400), largest, -largest + 1]
    for _ in range(2000):
        q = Fraction(rng.getrandbits(rng.randrange(1, 1000)) + 1, rng.getrandbits(rng.randrange(1, 1100)) + 1)
        double = Fraction(math.ldexp(rng.random(), rng.randrange(-1080, 1000)))
        numbers += [q, -q, double, double * (1 + Fraction(1, 2**80))]
    for value in numbers:
        for lo, hi in (enclose_rational(value), enclose_constant(ExprPool().constant(value))):
            assert Fraction(lo) <= value <= Fraction(hi)
            assert lo == hi or (hi == math.nextafter(lo, INF) and Fraction(lo) < value < Fraction(hi))
            assert str(lo) != "-0.0" and str(hi) != "-0.0"


def test_more_bits_give_nested_bounds() -> None:
    """The same operation in a wider format lies inside: the rounding is outward at every precision."""
    x = libmp.from_float(random.Random(11).uniform(1, 2))
    for name in ("exp", "sin", "log", "atan", "acosh"):
        coarse, fine = (directed.function(name, x, directed.Format(bits)) for bits in (24, 200))
        assert directed.less(coarse[0], fine[0]) and directed.less(fine[1], coarse[1])
    assert Reference(directed.Format(10)).constant(Fraction(1, 3)).level == 3


def test_interval() -> None:
    i = Interval(1.0, 2.0)
    assert i.midpoint == 1.5 and i.width == 1.0 and i.contains(2.0) and not i.contains(Interval(1.5, 2.5))
    assert i.intersects(Interval(2.0, 3.0)) and not i.intersects(Interval(2.5, 3.0)) and repr(i) == "Interval(1.0, 2.0)"
    rng = random.Random(13)
    for _ in range(300):
        box = Interval(*random_interval(rng))
        assert Fraction(box.lo) <= Fraction(box.midpoint) <= Fraction(box.hi)
        assert box.width == INF or Fraction(box.width) >= Fraction(box.hi) - Fraction(box.lo)
    assert Interval(-INF, INF).midpoint == 0.0 and Interval(1e308, INF).contains(Interval(1e308, INF).midpoint)
