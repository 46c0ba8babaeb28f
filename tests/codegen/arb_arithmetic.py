"""Graphs at points by Arb (python-flint): the independent referee of bounds and of decorations.

``evaluate(outputs, ArbArithmetic(), [point(x), ...])`` gives, for every output, a `Point`: a ball that holds the exact
value, and what was seen on the way there. A ball of NaN says nothing (Arb could not decide); None says that the
function is surely undefined there.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from flint import arb, fmpq

Ball = arb | None
Seen = Mapping[int, tuple[int, int]]
"""Operation number -> (greatest level if another point of the box shows another state, state)."""

UNKNOWN = arb("nan")
NOTHING: Seen = MappingProxyType({})


class Point(NamedTuple):
    """The value at a point and the discrete states that led to it: which branch, which integer, which sign."""

    ball: Ball
    seen: Seen = NOTHING


class Truth(NamedTuple):
    holds: bool | None
    seen: Seen = NOTHING
    undefined: bool = False


def exact(x: float | Fraction) -> arb:
    p, q = x.as_integer_ratio()
    return arb(fmpq(p, q))


def point(x: float) -> Point:
    return Point(exact(x))


def surely_outside(ball: Ball, lo: float, hi: float) -> bool:
    """Does the exact value surely lie outside [lo, hi]?"""
    if ball is None:
        return False
    return (lo > -math.inf and bool(ball < exact(lo))) or (hi < math.inf and bool(ball > exact(hi)))


def highest_level(points: list[Point]) -> int:
    """An upper bound of the level on any box that holds these points."""
    if any(p.ball is None for p in points):
        return 0
    level = 3
    for number in set().union(*(p.seen for p in points)):
        states = {p.seen[number] for p in points if number in p.seen}
        if len({state for _, state in states}) > 1:
            level = min(level, *(most for most, _ in states))
    return level


def _merged(*args: "Point | Truth") -> Seen:
    return {k: v for a in args for k, v in a.seen.items()}


class ArbArithmetic:
    """One method an operation, on `Point`; operations are numbered in the order of evaluation."""

    def __init__(self) -> None:
        self.number = 0

    def _apply(self, function: Callable[..., Ball], *args: Point) -> Point:
        self.number += 1
        if any(a.ball is None for a in args):
            return Point(None, _merged(*args))
        balls = [a.ball for a in args if a.ball is not None]
        known = all(ball.is_finite() for ball in balls)
        return Point(function(*balls) if known else UNKNOWN, _merged(*args))

    def _stated(self, function: Callable[..., Ball], most: int, state: int | None, *args: Point) -> Point:
        result = self._apply(function, *args)
        seen = {} if state is None else {self.number: (most, state)}
        return Point(result.ball, {**result.seen, **seen})

    def __getattr__(self, name: str) -> Callable[[Point], Point]:
        """exp, sin, cos, atan, sinh, cosh, tanh, asinh: defined everywhere, and named as in Arb."""
        if name not in ("exp", "sin", "cos", "atan", "sinh", "cosh", "tanh", "asinh"):
            raise AttributeError(name)
        return lambda x: self._apply(lambda b: getattr(b, name)(), x)

    def _inside(self, function: Callable[[arb], arb], outside: Callable[[arb], bool], x: Point) -> Point:
        return self._apply(lambda b: None if outside(b) else function(b), x)

    def constant(self, value: Fraction | str) -> Point:
        named = {"pi": arb.pi, "e": lambda: arb(1).exp(), "euler_gamma": arb.const_euler, "catalan": arb.const_catalan}
        self.number += 1
        return Point(named[value]() if isinstance(value, str) else exact(value))

    def undefined(self) -> Point:
        self.number += 1
        return Point(None)

    def add(self, x: Point, y: Point) -> Point:
        return self._apply(lambda a, b: a + b, x, y)

    def sub(self, x: Point, y: Point) -> Point:
        return self._apply(lambda a, b: a - b, x, y)

    def neg(self, x: Point) -> Point:
        return self._apply(lambda a: -a, x)

    def mul(self, x: Point, y: Point) -> Point:
        return self._apply(lambda a, b: a * b, x, y)

    def fma(self, x: Point, y: Point, z: Point) -> Point:
        return self._apply(lambda a, b, c: a * b + c, x, y, z)

    def div(self, x: Point, y: Point) -> Point:
        return self._apply(lambda a, b: None if b == 0 else a / b, x, y)

    def power_integer(self, exponent: int, x: Point) -> Point:
        return self._apply(lambda a: a**exponent, x)

    def pow(self, x: Point, y: Point) -> Point:
        def power(a: arb, b: arb) -> Ball:
            if a < 0 or (a == 0 and b <= 0):
                return None
            return (arb(0) if b > 0 else UNKNOWN) if a == 0 else (a.log() * b).exp()
        return self._apply(power, x, y)

    def sqrt(self, x: Point) -> Point:
        return self._inside(lambda a: a.sqrt(), lambda a: a < 0, x)

    def log(self, x: Point) -> Point:
        return self._inside(lambda a: a.log(), lambda a: a <= 0, x)

    def entropy(self, x: Point) -> Point:
        return self._inside(lambda a: a * a.log(), lambda a: a <= 0, x)

    def tan(self, x: Point) -> Point:
        """Next to a pole, on either side of it, tan is large: the number of the branch tells the sides apart."""
        branch = None if x.ball is None else _integer((x.ball / arb.pi() + exact(0.5)).floor())
        return self._stated(lambda a: a.tan(), 0, branch, x)

    def asin(self, x: Point) -> Point:
        return self._inside(lambda a: a.asin(), lambda a: abs(a) > 1, x)

    def acos(self, x: Point) -> Point:
        return self._inside(lambda a: a.acos(), lambda a: abs(a) > 1, x)

    def acosh(self, x: Point) -> Point:
        return self._inside(lambda a: a.acosh(), lambda a: a < 1, x)

    def atanh(self, x: Point) -> Point:
        return self._inside(lambda a: a.atanh(), lambda a: abs(a) >= 1, x)

    def atan2(self, y: Point, x: Point) -> Point:
        below = None if y.ball is None or x.ball is None or not x.ball < 0 else _sign(y.ball + 0)
        side = None if below is None else int(below < 0)
        return self._stated(lambda b, a: None if a == 0 and b == 0 else arb.atan2(b, a), 1, side, y, x)

    def abs(self, x: Point) -> Point:
        return self._stated(abs, 2, _nonzero(_sign(x.ball)), x)

    def sign(self, x: Point) -> Point:
        return self._stated(lambda a: a.sgn(), 1, _sign(x.ball), x)

    def heaviside(self, x: Point) -> Point:
        return self._stated(lambda a: (a.sgn() + 1) / 2, 1, _sign(x.ball), x)

    def floor(self, x: Point) -> Point:
        return self._stated(lambda a: a.floor(), 1, None if x.ball is None else _integer(x.ball.floor()), x)

    def ceiling(self, x: Point) -> Point:
        return self._stated(lambda a: a.ceil(), 1, None if x.ball is None else _integer(x.ball.ceil()), x)

    def min(self, x: Point, y: Point) -> Point:
        return self._stated(lambda a, b: a.min(b), 2, _order(x, y), x, y)

    def max(self, x: Point, y: Point) -> Point:
        return self._stated(lambda a, b: a.max(b), 2, _order(x, y), x, y)

    def sinc(self, order: int, x: Point) -> Point:
        """j_k(x)/x^k = 0F1(k + 3/2; -x^2/4) / (2k+1)!! (DLMF 10.16.9 and 10.47.3)."""
        odd = math.prod(range(1, 2 * order + 2, 2))
        return self._apply(lambda a: (-a * a / 4).hypgeom_0f1(arb(fmpq(2 * order + 3, 2))) / odd, x)

    def erf(self, x: Point) -> Point:
        return self._apply(lambda a: a.erf(), x)

    def erfc(self, x: Point) -> Point:
        return self._apply(lambda a: a.erfc(), x)

    def loggamma(self, x: Point) -> Point:
        return self._inside(lambda a: a.lgamma(), lambda a: a <= 0, x)

    def gamma(self, x: Point) -> Point:
        return self._apply(lambda a: a.gamma(), x)

    def polygamma(self, order: int, x: Point) -> Point:
        """(-1)^(n+1) n! zeta(n + 1, x)."""
        def value(a: arb) -> arb:
            return a.digamma() if order == 0 else (-1) ** (order + 1) * arb(order + 1).gamma() * arb(order + 1).zeta(a)
        return self._inside(value, lambda a: a <= 0, x)

    def sine_integral(self, x: Point) -> Point:
        return self._apply(lambda a: a.si(), x)

    def bessel_j(self, order: int, x: Point) -> Point:
        return self._apply(lambda a: a.bessel_j(arb(order)), x)

    def chebyshev(self, x: Point, *c: Point) -> Point:
        def series(a: arb, *coefficients: arb) -> arb:
            total, before, now = arb(0), a, arb(1)
            for ck in coefficients:
                total, before, now = total + ck * now, now, 2 * a * now - before
            return total
        return self._apply(series, x, *c)

    # -- truth --------------------------------------------------------------------------------------------------

    def _compare(self, compare: Callable[[arb, arb], bool], x: Point, y: Point) -> Truth:
        self.number += 1
        if x.ball is None or y.ball is None:
            return Truth(None, _merged(x, y), undefined=True)
        holds, fails = compare(x.ball, y.ball), _surely_not(compare, x.ball, y.ball)
        return Truth(True if holds else False if fails else None, _merged(x, y))

    def lt(self, x: Point, y: Point) -> Truth:
        return self._compare(lambda a, b: bool(a < b), x, y)

    def le(self, x: Point, y: Point) -> Truth:
        return self._compare(lambda a, b: bool(a <= b), x, y)

    def eq(self, x: Point, y: Point) -> Truth:
        return self._compare(lambda a, b: bool(a == b), x, y)

    def true(self) -> Truth:
        return Truth(True)

    def false(self) -> Truth:
        return Truth(False)

    def not_(self, a: Truth) -> Truth:
        return a._replace(holds=None if a.holds is None else not a.holds)

    def and_(self, a: Truth, b: Truth) -> Truth:
        holds = False if False in (a.holds, b.holds) else None if None in (a.holds, b.holds) else True
        return Truth(holds, _merged(a, b), a.undefined or b.undefined)

    def or_(self, a: Truth, b: Truth) -> Truth:
        return self.not_(self.and_(self.not_(a), self.not_(b)))

    def where(self, condition: Truth, x: Point, y: Point) -> Point:
        self.number += 1
        if condition.undefined:
            return Point(None)
        if condition.holds is None:
            return Point(UNKNOWN, condition.seen)
        taken = x if condition.holds else y
        return Point(taken.ball, {**condition.seen, **taken.seen, self.number: (1, int(condition.holds))})

    def restricted(self, condition: Truth, x: Point) -> Point:
        return self.where(condition, x, Point(None))

    def either(self, level: int, natural: Point, form: Point, guard: Point, near: Point) -> Point:
        return natural

    def primitive(self, value: bytes, *x: Point) -> Point:
        """A further form of a function that has a first one, or none that is known here."""
        return Point(None)

    def choice(self, s: Point, x: Point, y: Point) -> Point:
        """x where s > 0, y where s < 0; at s = 0 either may be meant."""
        zero = self.constant(Fraction(0))
        return self.where(self.lt(zero, s), x, self.where(self.lt(s, zero), y, Point(UNKNOWN, s.seen)))

    def guarded(self, value: Point, guard: Point) -> Point:
        return value if guard.ball is not None else Point(None)

    def around(self, a: Truth) -> Truth:
        return a

    def hull(self, x: Point, y: Point) -> Point:
        """A point of it, the one that kernels take at points."""
        return x

    def trusted(self, level: int, value: Point, guard: Point) -> Point:
        return value

    def refined(self, natural: Point, form: Point) -> Point:
        return natural


def _surely_not(compare: Callable[[arb, arb], bool], a: arb, b: arb) -> bool:
    """No number of a and no number of b compare so: for <, <= and =."""
    if not (a.is_finite() and b.is_finite()):
        return False
    if compare(arb(0), arb(1)):
        return bool(a >= b) if not compare(arb(0), arb(0)) else bool(a > b)
    return bool(a != b)


def _sign(ball: Ball) -> int | None:
    if ball is None:
        return None
    return 1 if ball > 0 else -1 if ball < 0 else 0 if ball == 0 else None


def _nonzero(sign: int | None) -> int | None:
    """0 belongs to both sides of a kink."""
    return sign or None


def _order(x: Point, y: Point) -> int | None:
    return None if x.ball is None or y.ball is None else _nonzero(_sign(x.ball - y.ball))


def _integer(ball: arb) -> int | None:
    number = ball.unique_fmpz()
    return None if number is None else int(number)
