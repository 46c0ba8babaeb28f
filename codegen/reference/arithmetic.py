"""The slow reference arithmetic: what a kernel means, one tightly rounded operation at a time.

``evaluate(outputs, Reference(), variables)`` computes decorated intervals. An operation encloses the values of its
function on the part of the box where it is defined, and the result is the *tight* enclosure in the format (the
doubles, or any number of bits with unbounded exponents). Undefined on the whole box means the whole line.

The level says what holds on the whole box: 0 nothing known, 1 defined, 2 and continuous, 3 and differentiable. It is
the least of the arguments' levels and of what the operation itself says. It speaks of real functions: an infinite
bound (of an overflow, or of an unbounded box) takes nothing away from it.

Nothing here is fast; everything is meant to be read. Transcendental values come from `codegen.reference.directed`, with 60 and
more guard bits and repeated until the rounding is certain.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from mpmath import libmp
from mpmath.libmp import finf, fninf, fzero, mpf_mul, mpf_neg

from .chebyshev_basis import basis_range
from .constants import named_constant
from .directed import DOUBLE, DOWN, UP, Number, Pair, greatest, infinite, least, less, power, real_power, sign
from .entire import ERF, SI, bessel, complement, entire_range
from .functions import Decorated, ElementaryFunctions, excludes_zero
from .gamma import gamma_range, log_value, plain_value, polygamma_range
from .primitive import primitive_range
from .solution import solution_range
from .spherical_bessel import quotient_range
from .tabled import tabled_range
from .tricubic import spline_level, spline_range


class Truth(NamedTuple):
    """The facts proved of a condition, and the least level of what it compares.

    `holds`, `fails`: 0 not proved, 1 on the whole box, 2 in a neighbourhood of it too, if what is compared is continuous there.
    """

    holds: int
    fails: int
    level: int


class Reference(ElementaryFunctions):
    """Outward-rounded arithmetic of decorated intervals, for `codegen.graph.evaluate.evaluate`; one method an operation."""

    # -- constants ----------------------------------------------------------------------------------------------

    def constant(self, value: Fraction | str) -> Decorated:
        if isinstance(value, str):
            return Decorated(*named_constant(value, self.format), 3)
        p, q, bits = value.numerator, value.denominator, self.format.precision
        down, up = (libmp.from_rational(p, q, bits, rounding) for rounding in (DOWN, UP))
        return Decorated(self.format.down(down), self.format.up(up), 3)

    # -- arithmetic ---------------------------------------------------------------------------------------------

    def _outward(self, operation: Callable[..., Number], below: Sequence[Number], above: Sequence[Number]) -> Pair:
        """The operation on the two groups of operands, rounded down and up."""
        bits = self.format.precision
        return (self.format.down(operation(*below, bits, DOWN)), self.format.up(operation(*above, bits, UP)))

    def neg(self, x: Decorated) -> Decorated:
        return Decorated(mpf_neg(x.hi), mpf_neg(x.lo), x.level)

    def add(self, x: Decorated, y: Decorated) -> Decorated:
        return self._decorated(self._outward(libmp.mpf_add, (x.lo, y.lo), (x.hi, y.hi)), 3, x, y)

    def sub(self, x: Decorated, y: Decorated) -> Decorated:
        return self.add(x, self.neg(y))

    def mul(self, x: Decorated, y: Decorated) -> Decorated:
        return self.fma(x, y, Decorated(fzero, fzero, 3))

    def fma(self, x: Decorated, y: Decorated, z: Decorated) -> Decorated:
        """x y + z, rounded once; 0 times infinity is 0, since an end is a bound and not a number of the interval."""
        products = [_product(a, b) for a in x[:2] for b in y[:2]]
        bounds = self._outward(libmp.mpf_add, (least(*products), z.lo), (greatest(*products), z.hi))
        return self._decorated(bounds, 3, x, y, z)

    def div(self, x: Decorated, y: Decorated) -> Decorated:
        """x / y over the y that are not 0."""
        if sign(y.hi) <= 0:
            x, y = self.neg(x), self.neg(y)
        if y.hi == fzero or sign(y.lo) < 0:
            return self.undefined()
        lo = self._quotient(x.lo, y.hi if sign(x.lo) > 0 else y.lo, DOWN)
        hi = self._quotient(x.hi, y.lo if sign(x.hi) > 0 else y.hi, UP)
        return self._decorated((self.format.down(lo), self.format.up(hi)), 0 if y.lo == fzero else 3, x, y)

    def _quotient(self, x: Number, y: Number, rounding: str) -> Number:
        """x / y for y >= 0; the limits where y = 0 or y = inf."""
        if x == fzero or y == fzero or infinite(x):
            return x if x == fzero or infinite(x) else finf if sign(x) > 0 else fninf
        return libmp.mpf_div(x, y, self.format.precision, rounding)

    def power_integer(self, exponent: int, x: Decorated) -> Decorated:
        """x**exponent for exponent >= 0."""
        ends = (x.lo, x.hi)
        if exponent % 2 == 0:
            ends = greatest(fzero, x.lo, mpf_neg(x.hi)), greatest(mpf_neg(x.lo), x.hi)
        lo, hi = (power(end, exponent, self.format) for end in ends)
        return self._decorated((lo[0], hi[1]), 3, x)

    def pow(self, x: Decorated, y: Decorated) -> Decorated:
        """x**y for x > 0, and 0**y = 0 for y > 0: monotone in x and in y, so the corners span the range."""
        if sign(x.hi) < 0 or (x.hi == fzero and sign(y.hi) <= 0):
            return self.undefined()
        level = 3 if sign(x.lo) > 0 else 2 if x.lo == fzero and sign(y.lo) > 0 else 0
        if x.hi == fzero:
            return self._decorated((fzero, fzero), level, x, y)
        corners = [real_power(a, b, self.format) for a in (greatest(x.lo, fzero), x.hi) for b in y[:2]]
        bounds = least(*(c[0] for c in corners)), greatest(*(c[1] for c in corners))
        return self._decorated(bounds, level, x, y)

    def sqrt(self, x: Decorated) -> Decorated:
        if sign(x.hi) < 0:
            return self.undefined()
        level = 3 if sign(x.lo) > 0 else 2 if x.lo == fzero else 0
        return self._decorated(self._outward(libmp.mpf_sqrt, (greatest(x.lo, fzero),), (x.hi,)), level, x)

    # -- kinks and jumps ----------------------------------------------------------------------------------------

    def min(self, x: Decorated, y: Decorated) -> Decorated:
        return self._decorated((least(x.lo, y.lo), least(x.hi, y.hi)), 3 if _disjoint(x, y) else 2, x, y)

    def max(self, x: Decorated, y: Decorated) -> Decorated:
        return self._decorated((greatest(x.lo, y.lo), greatest(x.hi, y.hi)), 3 if _disjoint(x, y) else 2, x, y)

    def sign(self, x: Decorated) -> Decorated:
        lo, hi = (libmp.from_int(sign(end)) for end in x[:2])
        return self._decorated((lo, hi), 3 if excludes_zero(x) else 1, x)

    def heaviside(self, x: Decorated) -> Decorated:
        """0 for x < 0, 1/2 at 0, 1 for x > 0."""
        lo, hi = (libmp.mpf_shift(libmp.from_int(sign(end) + 1), -1) for end in x[:2])
        return self._decorated((lo, hi), 3 if excludes_zero(x) else 1, x)

    def floor(self, x: Decorated) -> Decorated:
        lo, hi = (libmp.mpf_floor(end) for end in x[:2])
        return self._decorated((lo, hi), 3 if lo == hi and lo != x.lo else 1, x)

    def ceiling(self, x: Decorated) -> Decorated:
        return self.neg(self.floor(self.neg(x)))

    # -- series -------------------------------------------------------------------------------------------------

    def sinc(self, order: int, x: Decorated) -> Decorated:
        """j_order(x) / x**order, of the spherical Bessel function; order 0 is sin(x)/x."""
        return self._decorated(quotient_range(order, x.lo, x.hi, self.format), 3, x)

    def erf(self, x: Decorated) -> Decorated:
        return self._decorated(entire_range(ERF, x.lo, x.hi, self.format), 3, x)

    def erfc(self, x: Decorated) -> Decorated:
        """Decreasing: the ends change places."""
        return self._decorated((complement(x.hi, self.format)[0], complement(x.lo, self.format)[1]), 3, x)

    def sine_integral(self, x: Decorated) -> Decorated:
        return self._decorated(entire_range(SI, x.lo, x.hi, self.format), 3, x)

    def bessel_j(self, order: int, x: Decorated) -> Decorated:
        return self._decorated(entire_range(bessel(order), x.lo, x.hi, self.format), 3, x)

    def loggamma(self, x: Decorated) -> Decorated:
        if sign(x.hi) <= 0:
            return self.undefined()
        return self._decorated(gamma_range(log_value, x.lo, x.hi, self.format), 3 if sign(x.lo) > 0 else 0, x)

    def gamma(self, x: Decorated) -> Decorated:
        """The whole line for boxes that reach below 0."""
        if sign(x.lo) < 0 or sign(x.hi) <= 0:
            return self.undefined()
        return self._decorated(gamma_range(plain_value, x.lo, x.hi, self.format), 3 if sign(x.lo) > 0 else 0, x)

    def polygamma(self, order: int, x: Decorated) -> Decorated:
        if sign(x.hi) <= 0:
            return self.undefined()
        return self._decorated(polygamma_range(order, x.lo, x.hi, self.format), 3 if sign(x.lo) > 0 else 0, x)

    def solution(self, value: bytes, x: Decorated) -> Decorated:
        """The solution of a differential equation; the whole line beyond what is known of it."""
        bounds = solution_range(value, x.lo, x.hi, self.format)
        return self.undefined() if bounds is None else self._decorated(bounds, 3, x)

    def tabled(self, name: str, x: Decorated) -> Decorated:
        """A tabled function, enclosed by its table."""
        bounds = tabled_range(name, x.lo, x.hi, self.format)
        return self.undefined() if bounds is None else self._decorated(bounds, 3, x)

    def primitive(self, value: bytes, *x: Decorated) -> Decorated:
        """A function of the user's."""
        bounds, level = primitive_range(self, value, [(e.lo, e.hi) for e in x])
        return self._decorated(bounds, level, *x)

    def tricubic(self, value: bytes, *x: Decorated) -> Decorated:
        """A tricubic B-spline; second derivatives have kinks at knots, and third ones jump."""
        box = [(e.lo, e.hi) for e in x]
        return self._decorated(spline_range(value, box, self.format), spline_level(value, box), *x)

    def chebyshev(self, x: Decorated, *c: Decorated) -> Decorated:
        """c_0 + c_1 T_1(x) + ..., by Snyder 1993, Appendix B; values at the ends where the derivative has one sign."""
        ends = [self._basis(end, end, len(c)) for end in x[:2]]
        basis = self._basis(x.lo, x.hi, len(c))
        lo, hi, level = self._series(c, basis)
        slope = self._series(self._derivative(c), basis)
        if sign(slope.hi) <= 0 or sign(slope.lo) >= 0:
            left, right = (self._series(c, end) for end in (ends if sign(slope.lo) >= 0 else ends[::-1]))
            lo, hi = greatest(lo, left.lo), least(hi, right.hi)
        return Decorated(lo, hi, min(level, x.level))

    def _series(self, c: Sequence[Decorated], basis: Sequence[Decorated]) -> Decorated:
        total = c[0] if c else self.constant(Fraction(0))
        for ck, tk in zip(c[1:], basis[1:], strict=False):
            total = self.add(total, self.mul(ck, tk))
        return total

    def _derivative(self, c: Sequence[Decorated]) -> list[Decorated]:
        """The derivative's coefficients: d_(k-1) = d_(k+1) + 2 k c_k, and half of that for d_0."""
        d = [self.constant(Fraction(0))] * (len(c) + 1)
        for k in range(len(c) - 1, 0, -1):
            d[k - 1] = self.add(d[k + 1], self.mul(self.constant(Fraction(2 * k)), c[k]))
        d[0] = self.mul(self.constant(Fraction(1, 2)), d[0])
        return d[: len(c) - 1]

    def _basis(self, lo: Number, hi: Number, count: int) -> list[Decorated]:
        """The range of each T_k on [lo, hi]."""
        return [Decorated(*basis_range(k, lo, hi, self.format), 3) for k in range(count)]

    # -- truth --------------------------------------------------------------------------------------------------

    def true(self) -> Truth:
        return Truth(holds=2, fails=0, level=3)

    def false(self) -> Truth:
        return Truth(holds=0, fails=2, level=3)

    def lt(self, x: Decorated, y: Decorated) -> Truth:
        return Truth(2 * less(x.hi, y.lo), less(y.hi, x.lo) + (not less(x.lo, y.hi)), min(x.level, y.level))

    def le(self, x: Decorated, y: Decorated) -> Truth:
        return self.not_(self.lt(y, x))

    def eq(self, x: Decorated, y: Decorated) -> Truth:
        return Truth(int(x.lo == x.hi == y.lo == y.hi), 2 * _disjoint(x, y), min(x.level, y.level))

    def and_(self, a: Truth, b: Truth) -> Truth:
        return Truth(min(a.holds, b.holds), max(a.fails, b.fails), min(a.level, b.level))

    def or_(self, a: Truth, b: Truth) -> Truth:
        return self.not_(self.and_(self.not_(a), self.not_(b)))

    def not_(self, a: Truth) -> Truth:
        return Truth(a.fails, a.holds, a.level)

    def around(self, a: Truth) -> Truth:
        """Only what holds in a neighbourhood of the box, too."""
        return Truth(a.holds // 2 * 2, a.fails // 2 * 2, a.level)

    def where(self, condition: Truth, x: Decorated, y: Decorated) -> Decorated:
        """The branch that is taken on the whole box, differentiable only if it is taken in a neighbourhood; the hull of both, which may
        jump, when that is undecided.
        """
        proved = max(condition.holds, condition.fails)
        if proved:
            taken = x if condition.holds else y
            return taken._replace(level=min(taken.level, condition.level, 1 + proved))
        hull = least(x.lo, y.lo), greatest(x.hi, y.hi)
        return self._decorated(hull, min(1, condition.level), x, y)

    def restricted(self, condition: Truth, x: Decorated) -> Decorated:
        """x where the condition holds; the whole line where it surely fails, and nothing is known where that is undecided."""
        if condition.fails:
            return self.undefined()
        return x._replace(level=min(x.level, condition.level, 1 + condition.holds) if condition.holds else 0)

    def choice(self, s: Decorated, x: Decorated, y: Decorated) -> Decorated:
        """x where s > 0, y where s < 0, the hull of both on a box of s that holds 0."""
        return self.where(Truth(2 * (sign(s.lo) > 0), 2 * (sign(s.hi) < 0), s.level), x, y)

    # -- what a kernel adds -------------------------------------------------------------------------------------

    def guarded(self, value: Decorated, guard: Decorated) -> Decorated:
        """`value`, of which nothing is known unless `guard` is differentiable on the whole box."""
        return value if guard.level == 3 else value._replace(level=0)

    def trusted(self, level: int, value: Decorated, guard: Decorated) -> Decorated:
        """`value`, bounded only where `guard` has at least this level: else the whole line; its level stays."""
        return value if guard.level >= level else Decorated(fninf, finf, value.level)

    def either(self, level: int, natural: Decorated, form: Decorated, guard: Decorated, near: Decorated) -> Decorated:
        """Two forms of one function, of which the second counts where `guard` has at least this level; both where the first is defined."""
        if guard.level < level:
            return natural
        best = max(natural.level, form.level)
        if not natural.level:
            return form._replace(level=best)
        return Decorated(greatest(natural.lo, form.lo), least(natural.hi, form.hi), best)

    def midpoint(self, x: Decorated) -> Decorated:
        """The point of the box that a kernel takes as its centre: the middle, rounded up, among the finite doubles. It is one number for
        the whole box, whatever is known of the function.
        """
        largest = DOUBLE.down(libmp.from_man_exp(1, 1024))
        middle = mpf_neg(largest)
        if x[:2] != (fninf, finf):
            middle = self.format.up(libmp.mpf_shift(self.format.up(libmp.mpf_add(x.lo, x.hi, 0, UP)), -1))
        centre = least(greatest(middle, mpf_neg(largest)), x.hi, largest)
        return Decorated(centre, centre, 3)

    def centre(self, x: Decorated, slope: Decorated) -> Decorated:
        """A point of the box as a kernel takes it: an end of it where the slopes have one sign, else a point within, here the middle."""
        largest = DOUBLE.down(libmp.from_man_exp(1, 1024))
        if libmp.mpf_ge(slope.lo, fzero):
            point = greatest(x.lo, mpf_neg(largest))
        elif libmp.mpf_le(slope.hi, fzero):
            point = least(x.hi, largest)
        else:
            return self.midpoint(x)
        return Decorated(point, point, 3)

    def hull(self, x: Decorated, y: Decorated) -> Decorated:
        """Any point of the two, or between them."""
        return self._decorated((least(x.lo, y.lo), greatest(x.hi, y.hi)), 3, x, y)

    def refined(self, natural: Decorated, form: Decorated) -> Decorated:
        """The intersection with a form from derivatives, a bound where the function is continuous."""
        if natural.level < 2:
            return natural
        return Decorated(greatest(natural.lo, form.lo), least(natural.hi, form.hi), natural.level)


def _product(a: Number, b: Number) -> Number:
    return fzero if fzero in (a, b) else mpf_mul(a, b)


def _disjoint(x: Decorated, y: Decorated) -> bool:
    return less(x.hi, y.lo) or less(y.hi, x.lo)
