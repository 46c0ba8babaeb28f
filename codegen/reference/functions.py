"""Elementary functions of decorated intervals, for the slow reference arithmetic: tight ranges from monotone pieces."""

from typing import NamedTuple

from mpmath import libmp
from mpmath.libmp import finf, fninf, fone, fzero, mpf_neg

from .directed import (
    DOUBLE,
    LARGEST_ANGLE,
    Format,
    Number,
    Pair,
    floor_of_half_turns,
    function,
    greatest,
    half_turns,
    infinite,
    inverse_e,
    least,
    less,
    magnitude,
    sign,
    widened,
    x_log_x,
)


class Decorated(NamedTuple):
    """The real numbers from lo to hi, and the level of the function that takes these values on the box."""

    lo: Number
    hi: Number
    level: int


_MINUS_ONE = mpf_neg(fone)


class ElementaryFunctions:
    """The part of `reference_arithmetic.Reference` that is made of monotone pieces: one method a function."""

    def __init__(self, format: Format = DOUBLE) -> None:
        self.format = format

    def _decorated(self, bounds: Pair, level: int, *args: Decorated) -> Decorated:
        return Decorated(*bounds, min([level, *(a.level for a in args)]))

    def undefined(self) -> Decorated:
        return Decorated(fninf, finf, 0)

    def abs(self, x: Decorated) -> Decorated:
        ends = greatest(fzero, x.lo, mpf_neg(x.hi)), greatest(mpf_neg(x.lo), x.hi)
        return self._decorated(ends, 3 if excludes_zero(x) else 2, x)

    # -- monotone functions -------------------------------------------------------------------------------------

    def _span(self, name: str, lo: Number, hi: Number) -> Pair:
        """The range of a function that increases from lo to hi."""
        return function(name, lo, self.format)[0], function(name, hi, self.format)[1]

    def _on(self, name: str, x: Decorated, domain: Pair, closed: bool) -> Decorated:
        """An increasing function on its domain, differentiable inside it and, when closed, continuous at its ends."""
        inside = less(domain[0], x.lo) and less(x.hi, domain[1])
        within = not less(x.lo, domain[0]) and not less(domain[1], x.hi)
        beyond = less(x.hi, domain[0]) or less(domain[1], x.lo)
        if beyond or (not closed and (x.hi == domain[0] or x.lo == domain[1])):
            return self.undefined()
        bounds = self._span(name, greatest(x.lo, domain[0]), least(x.hi, domain[1]))
        return self._decorated(bounds, 3 if inside else 2 if within and closed else 0, x)

    def _everywhere(self, name: str, x: Decorated) -> Decorated:
        return self._decorated(self._span(name, x.lo, x.hi), 3, x)

    def exp(self, x: Decorated) -> Decorated:
        return self._everywhere("exp", x)

    def sinh(self, x: Decorated) -> Decorated:
        return self._everywhere("sinh", x)

    def tanh(self, x: Decorated) -> Decorated:
        return self._everywhere("tanh", x)

    def asinh(self, x: Decorated) -> Decorated:
        return self._everywhere("asinh", x)

    def atan(self, x: Decorated) -> Decorated:
        return self._everywhere("atan", x)

    def cosh(self, x: Decorated) -> Decorated:
        size = self.abs(x)
        return self._decorated(self._span("cosh", size.lo, size.hi), 3, x)

    def log(self, x: Decorated) -> Decorated:
        if sign(x.hi) <= 0:
            return self.undefined()
        return self._decorated(self._span("log", greatest(x.lo, fzero), x.hi), 3 if sign(x.lo) > 0 else 0, x)

    def entropy(self, x: Decorated) -> Decorated:
        """x log x for x > 0, with its limit 0 at 0: least at 1/e."""
        if sign(x.hi) <= 0:
            return self.undefined()
        lower = greatest(x.lo, fzero)
        ends = [x_log_x(lower, self.format), x_log_x(x.hi, self.format)]
        least_at, deepest = inverse_e(self.format)
        lo = deepest if not less(least_at[1], lower) and not less(x.hi, least_at[0]) else least(ends[0][0], ends[1][0])
        return self._decorated((lo, greatest(ends[0][1], ends[1][1])), 3 if sign(x.lo) > 0 else 0, x)

    def asin(self, x: Decorated) -> Decorated:
        return self._on("asin", x, (_MINUS_ONE, fone), closed=True)

    def acos(self, x: Decorated) -> Decorated:
        """Decreasing: the ends change places."""
        level = self.asin(x).level
        if less(x.hi, _MINUS_ONE) or less(fone, x.lo):
            return self.undefined()
        ends = greatest(x.lo, _MINUS_ONE), least(x.hi, fone)
        return Decorated(function("acos", ends[1], self.format)[0], function("acos", ends[0], self.format)[1], level)

    def acosh(self, x: Decorated) -> Decorated:
        result = self._on("acosh", x, (fone, finf), closed=True)
        # An unbounded box does not end at infinity: it is inside the domain there.
        return result._replace(level=min(x.level, 3)) if less(fone, x.lo) else result

    def atanh(self, x: Decorated) -> Decorated:
        return self._on("atanh", x, (_MINUS_ONE, fone), closed=False)

    # -- angles -------------------------------------------------------------------------------------------------

    def _pieces(self, x: Decorated, quarter: bool) -> tuple[int, int] | None:
        """The numbers of the monotone pieces that the ends lie in; None for unbounded or very large arguments."""
        if any(infinite(end) or magnitude(end) > LARGEST_ANGLE for end in x[:2] if end != fzero):
            return None
        return floor_of_half_turns(x.lo, quarter), floor_of_half_turns(x.hi, quarter)

    def _wave(self, name: str, x: Decorated) -> Decorated:
        """sin or cos. Entering piece k, sin passes -(-1)**k and cos passes (-1)**k."""
        pieces = self._pieces(x, quarter=name == "sin")
        if pieces is None:
            return self._decorated((_MINUS_ONE, fone), 3, x)
        ends = [function(name, end, self.format) for end in x[:2]]
        bounds = least(ends[0][0], ends[1][0]), greatest(ends[0][1], ends[1][1])
        for k in range(pieces[0] + 1, min(pieces[1], pieces[0] + 2) + 1):
            extremum = _MINUS_ONE if (k + (name == "sin")) % 2 else fone
            bounds = least(bounds[0], extremum), greatest(bounds[1], extremum)
        return self._decorated(bounds, 3, x)

    def sin(self, x: Decorated) -> Decorated:
        return self._wave("sin", x)

    def cos(self, x: Decorated) -> Decorated:
        return self._wave("cos", x)

    def tan(self, x: Decorated) -> Decorated:
        """Increasing between poles; the whole line when a pole is inside."""
        pieces = self._pieces(x, quarter=True)
        if pieces is None or pieces[0] != pieces[1]:
            return self.undefined()
        return self._everywhere("tan", x)

    def atan2(self, y: Decorated, x: Decorated) -> Decorated:
        """The angle of (x, y) in (-pi, pi]: off the cut the corners of the box but the origin span the range."""
        corners = [(b, a) for b in y[:2] for a in x[:2] if not (a == b == fzero or (infinite(a) and infinite(b)))]
        meets_cut = sign(y.lo) <= 0 <= sign(y.hi) and sign(x.lo) < 0
        if not corners:
            # Only the origin, or four infinite ends.
            return self.undefined() if x.lo == fzero else self._decorated(self._full_turn(), 0, x, y)
        level = 0 if not (excludes_zero(x) or excludes_zero(y)) else 1 if meets_cut else 3
        if meets_cut and sign(y.lo) < 0:
            return self._decorated(self._full_turn(), level, x, y)
        angles = [self._angle(b, a) for b, a in corners]
        return self._decorated((least(*(p[0] for p in angles)), greatest(*(p[1] for p in angles))), level, x, y)

    def _full_turn(self) -> Pair:
        pi = half_turns(1, 0, self.format)[1]
        return mpf_neg(pi), pi

    def _angle(self, y: Number, x: Number) -> Pair:
        """The tight enclosure of atan2(y, x) at a point that is not the origin; one of x and y may be infinite."""
        if y == fzero or x == finf:
            return (fzero, fzero) if sign(x) > 0 else half_turns(1, 0, self.format)
        if x == fzero or infinite(y):
            return half_turns(sign(y), 1, self.format)
        if x == fninf:
            return half_turns(sign(y), 0, self.format)
        return self.format.tight(lambda bits: widened(libmp.mpf_atan2(y, x, bits), bits))


def excludes_zero(x: Decorated) -> bool:
    return sign(x.lo) > 0 or sign(x.hi) < 0
