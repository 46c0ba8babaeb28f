"""The public interval: two doubles, lower and upper bound of a real number.

Inside kernels an interval is a pair of vectors (-lo, hi) (see `codegen.emit.lanes`); everywhere else it is this tuple. The
methods describe an interval and are ordinary floating-point code; `codegen.reference.interpreter` has the arithmetic that
encloses.
"""

import math
from typing import NamedTuple


class Interval(NamedTuple):
    """The real numbers x with lo <= x <= hi; lo may be -inf, hi may be +inf.

    >>> Interval(1.0, 1.5).midpoint
    1.25
    """

    lo: float
    hi: float

    @property
    def width(self) -> float:
        """hi - lo, not less than the exact width: a result rounded down is replaced by the next double."""
        width = self.hi - self.lo
        # The rounding error of a difference is a double, found exactly by TwoSum (Knuth) unless that overflows.
        back = width - self.hi
        error = (self.hi - (width - back)) + (-self.lo - back)
        return math.nextafter(width, math.inf) if error > 0.0 else width

    @property
    def midpoint(self) -> float:
        """A finite double within the interval, the nearest to the middle when both ends are finite."""
        if self.lo == -math.inf:
            return 0.0 if self.hi >= 0.0 else min(self.hi, -math.ldexp(1.0, 1023))
        if self.hi == math.inf:
            return -Interval(-math.inf, -self.lo).midpoint
        large = max(-self.lo, self.hi) > 1.0  # halving first cannot overflow, halving last cannot lose denormal bits
        middle = 0.5 * self.lo + 0.5 * self.hi if large else 0.5 * (self.lo + self.hi)
        return min(max(middle, self.lo), self.hi)

    def contains(self, other: "float | Interval") -> bool:
        """Whether the interval holds this number, or the whole of another interval."""
        lo, hi = other if isinstance(other, Interval) else (other, other)
        return self.lo <= lo and hi <= self.hi

    def intersects(self, other: "Interval") -> bool:
        """Whether the two intervals share a number."""
        return self.lo <= other.hi and other.lo <= self.hi

    def __repr__(self) -> str:
        return f"Interval({self.lo!r}, {self.hi!r})"

    def __str__(self) -> str:
        return f"[{self.lo!r}, {self.hi!r}]"
