"""Sign and bound of size of every node of a graph, valid for all boxes.

Both speak of the *computed* ends. They rest on operations that clamp their result to their range, so they let a
product take fewer multiplications and do without the guard against 0 * infinity. Operations that may be undefined
on a whole box (and then answer with the whole line) count only where their argument is in the domain for sure.

Of inputs nothing is known, unless a kernel takes none larger than `LARGEST`. Sums and products of these, up to some thirty factors, are
then below every overflow; so they have no infinite ends, and 0 * infinity cannot occur in what is made of them.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .expr import Expr

_ALWAYS_NONNEGATIVE = frozenset({"abs", "exp", "cosh", "heaviside", "erfc"})
_BOUND = {"sin": 1.0, "cos": 1.0, "tanh": 1.0, "sign": 1.0, "heaviside": 1.0, "sinc": 1.0, "atan": 2.0, "atan2": 4.0,
          "erf": 1.0, "erfc": 2.0, "bessel_j": 1.0, "sine_integral": 2.0}  # fmt: skip

# A bound below this cannot overflow: it is far below 2^1024, and every rounding adds less than the factor used below.
_FINITE = 1e300
_ROUNDING = 1.0 + 2.0**-40

LARGEST = 2.0**32
"""The largest size of the ends of inputs of which a size is known."""


class SignFacts(NamedTuple):
    """`nonnegative`: the lower end is >= 0. `bound`: no end is larger in size (inf when nothing is known)."""

    nonnegative: bool
    bound: float

    @property
    def finite(self) -> bool:
        return self.bound < _FINITE


def analyse(order: Sequence[Expr], bounded: bool = False) -> dict[int, SignFacts]:
    """The facts known of every node of `order` (arguments before users), by index. `bounded`: of boxes and parameters all ends of which are
    at most `LARGEST` in size.
    """
    inputs = LARGEST if bounded else math.inf
    known: dict[int, SignFacts] = {}
    for e in order:
        args = [known[a.index] for a in e.args if not a.boolean]
        known[e.index] = SignFacts(_nonnegative(e, args), _bound(e, args, inputs) * _ROUNDING)
    return known


def _nonnegative(e: Expr, args: Sequence[SignFacts]) -> bool:
    if e.op == "constant":
        return not isinstance(e.value, Fraction) or e.value >= 0
    if e.op == "power_integer" and e.value % 2 == 0:
        return True
    if e.op in ("add", "mul", "min", "sqrt", "where", "power_integer", "guarded", "hull"):
        return all(a.nonnegative for a in args)
    if e.op == "either":
        return all(a.nonnegative for a in args[:2])
    if e.op == "max":
        return any(a.nonnegative for a in args)
    return e.op in _ALWAYS_NONNEGATIVE


def _bound(e: Expr, args: Sequence[SignFacts], inputs: float) -> float:
    sizes = [a.bound for a in args]
    if e.op in ("variable", "parameter"):
        return inputs
    if e.op == "constant":
        return _constant_size(e)
    if e.op in ("add", "sub"):
        return sum(sizes)
    if e.op == "mul":
        return sizes[0] * sizes[1] if math.isfinite(sum(sizes)) else math.inf
    if e.op == "power_integer":
        return _power(sizes[0], e.value)
    if e.op == "either":
        return max(sizes[:2])
    if e.op in ("neg", "abs", "min", "max", "where", "choice", "hull"):
        return max(sizes)
    return _BOUND.get(e.op, math.inf)


def _constant_size(e: Expr) -> float:
    if not isinstance(e.value, Fraction):
        return 4.0
    exact = abs(e.value)
    return float(exact) if exact < 2**1000 else math.inf


def _power(size: float, exponent: int) -> float:
    return size**exponent if size < 1 or exponent * math.log2(size) < 1000 else math.inf
