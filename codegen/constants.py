"""Exact numbers, and the ends of exact intervals, as the doubles that enclose them."""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from .forms.skeleton import Skeleton
from .from_sympy import convert
from .graph.binders import EXPANDED
from .graph.expr import Expr, ExprPool, reachable
from .kernel import Kernel, compile, enclose_repeated
from .reference.interpreter import enclose_constant

Step = tuple[Any, ...]
"""("rational",) is the next leaf, ("is", number), ("power", exponent, place), or a function and the places of its arguments."""

_FUNCTIONS = frozenset((sp.Add, sp.Mul, sp.sin, sp.cos, sp.tan, sp.exp, sp.atan, sp.sinh, sp.cosh, sp.tanh))
_UNORDERED = frozenset((sp.Add, sp.Mul))
# Numbers of more parts, or that nest deeper, are not written so.
_PARTS, _DEPTH = 400, 40
TIGHT = 2.0**-47
"""Against a number, the width up to which an enclosure by a kernel does."""
_NONE = np.empty((1, 0))


class Unwritten:
    """An exact number whose expression is made when somebody asks for it; its enclosure is known without."""

    @property
    def written(self) -> Any:
        """The expression."""
        raise NotImplementedError

    @property
    def enclosure(self) -> tuple[float, float]:
        """Two doubles that enclose the number, tight or within `TIGHT`."""
        raise NotImplementedError


def written(number: Any) -> Any:
    """The expression of an exact number."""
    return number.written if isinstance(number, Unwritten) else number


def enclose_graph(constant: Expr) -> tuple[float, float]:
    """As `enclose_constant`: the double enclosure of a graph without variables; one with integrals or inverse functions by a kernel."""
    repeated = any(e.op in EXPANDED for e in reachable([constant]))
    return enclose_repeated([constant])[0] if repeated else enclose_constant(constant)


@functools.lru_cache(maxsize=4096, typed=True)
def enclose(number: Any) -> tuple[float, float]:
    """The tight double enclosure of an exact real number, as also a finite double is."""
    if isinstance(number, Unwritten):
        return number.enclosure
    if isinstance(number, float) and math.isfinite(number):
        return float(number) + 0.0, float(number) + 0.0
    known = _root(number) if isinstance(number, sp.Basic) else None
    return known or enclose_graph(convert([number], {}, ExprPool())[0])


def enclose_all(numbers: Sequence[Any]) -> np.ndarray:
    """(n, 2): enclosures of exact real numbers, those of rational numbers and of their roots tight. Others that are made of the same
    operations are enclosed by one kernel, whatever the rational numbers in them; where that is not within 2^-47 of them, tightly, too.
    """
    found, others = np.full((len(numbers), 2), np.nan), list[int]()
    for k, e in enumerate(numbers):
        if isinstance(e, Unwritten):
            found[k] = e.enclosure
        elif isinstance(e, sp.Rational) or not getattr(e, "args", ()):
            found[k] = enclose(e)
        else:
            others.append(k)
    if others:
        _enclose_operations([numbers[k] for k in others], others, found)
    return found


def _enclose_operations(numbers: Sequence[Any], places: Sequence[int], found: np.ndarray) -> None:
    """Puts enclosures of numbers with operations in their places."""
    skeleton = Skeleton(numbers)
    plan = _plan(skeleton)
    for k in plan.others:
        found[places[k]] = enclose(numbers[k])
    if plan.kernel is None:
        return
    ends = np.array([enclose(skeleton.nodes[k]) for k in plan.leaves]).reshape(-1, 2)
    lo, hi = (end[0] for end in plan.kernel.interval(_NONE, _NONE, parameters=(ends[:, 0], ends[:, 1])))
    tight = hi - lo <= TIGHT * np.minimum(np.abs(lo), np.abs(hi))
    for k, low, high, known in zip(plan.written, lo.tolist(), hi.tolist(), tight.tolist(), strict=True):
        found[places[k]] = (low, high) if known else enclose(numbers[k])


@functools.lru_cache(maxsize=1024)
def _plan(skeleton: Skeleton) -> "_Plan":
    """The ways in which the numbers of a skeleton are enclosed."""
    written, others = _Written(), list[int]()
    for k, e in enumerate(skeleton.expressions):
        if _root_of(e) or not written.take(e, k):
            others.append(k)
    leaves = [skeleton.place(e) for e in written.leaves]
    kernel = _kernel(tuple(written.steps), tuple(written.roots)) if written.places else None
    return _Plan(tuple(written.places), tuple(others), tuple(k for k in leaves if k is not None), kernel)


class _Plan(NamedTuple):
    """The places of numbers that one kernel encloses, by steps that lead to roots from leaves, nodes of the skeleton; and of the others."""

    written: tuple[int, ...]
    others: tuple[int, ...]
    leaves: tuple[int, ...]
    kernel: Kernel | None


def _rational(p: int, q: int) -> tuple[float, float] | None:
    """The tight enclosure of p / q; None beyond the range of doubles."""
    try:
        return enclose_fraction(p, q)
    except OverflowError:
        return None


def enclose_fraction(p: int, q: int) -> tuple[float, float]:
    """The tight enclosure of p / q, q > 0, whose quotient Python rounds to nearest. Raises OverflowError beyond the range of doubles."""
    near = p / q
    above, below = near.as_integer_ratio()
    side = p * below - above * q
    return (near + 0.0 if side >= 0 else math.nextafter(near, -math.inf)), (near + 0.0 if side <= 0 else math.nextafter(near, math.inf))


def _root_of(number: Any) -> tuple[Any, Any] | None:
    """The rational number and the integer such that the number is one times the square root of the other; None of others."""
    factors = sp.Mul.make_args(number)
    factor, root = (factors[0], factors[-1]) if len(factors) == 2 else (sp.S.One, number)
    known = factor.is_Rational and root.is_Pow and root.exp == sp.S.Half and root.base.is_Integer
    return (factor, root.base) if known else None


def _root(number: Any) -> tuple[float, float] | None:
    """The tight enclosure of a rational number, or of one times the square root of an integer, by integers; None for others.

    A double is compared with the number exactly, and moved to its neighbour where it is on the wrong side.
    """
    if isinstance(number, sp.Rational):
        return _rational(int(number.p), int(number.q))
    found = _root_of(number)
    if found is None:
        return None
    factor, base = found
    p, q, d = int(factor.p), int(factor.q), int(base)
    above, below = p * p * d, q * q
    try:
        size = math.sqrt(above / below)
    except OverflowError:
        return None
    if not 1e-150 < size < 1e150 and p:
        return None
    low = high = size
    while _sign(low, above, below) > 0:
        low = math.nextafter(low, 0.0)
    while _sign(high, above, below) < 0:
        high = math.nextafter(high, math.inf)
    while low < high and _sign(math.nextafter(low, math.inf), above, below) <= 0:
        low = math.nextafter(low, math.inf)
    while low < high and _sign(math.nextafter(high, 0.0), above, below) >= 0:
        high = math.nextafter(high, 0.0)
    return (low, high) if p >= 0 else (-high, -low)


def _sign(x: float, above: int, below: int) -> int:
    """The sign of x^2 - above / below, exactly, for x >= 0."""
    n, m = x.as_integer_ratio()
    left, right = n * n * below, m * m * above
    return (left > right) - (left < right)


def bounds(ends: Sequence[tuple[Any, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Exact intervals as doubles: arrays (n, 2) that enclose them and that lie within them. An end with free symbols is NaN."""
    return framed([(_end(lo), _end(hi)) for lo, hi in ends])


def _end(e: Any) -> tuple[float, float]:
    return (math.nan, math.nan) if getattr(e, "free_symbols", None) else enclose(e)


def framed(ends: Sequence[tuple[tuple[float, float], tuple[float, float]]]) -> tuple[np.ndarray, np.ndarray]:
    """Arrays (n, 2) that enclose intervals and that lie within them, from enclosures of both their ends."""
    outer = np.array([(lo[0], hi[1]) for lo, hi in ends]).reshape(-1, 2)
    inner = np.array([(lo[1], hi[0]) for lo, hi in ends]).reshape(-1, 2)
    return outer, np.where(inner[:, :1] <= inner[:, 1:], inner, outer)


# -- numbers by the operations that make them of rational ones ------------------------------------------------------------------


class _Written:
    """Numbers that were taken, as `steps` of rational `leaves`, and their `places` among those that were given."""

    def __init__(self) -> None:
        self.leaves, self.places = list[Any](), list[int]()
        self.steps, self.roots = list[Step](), list[int]()
        self._place: dict[Any, int] = {}
        self._kinds: dict[Any, str] = {}

    def take(self, number: Any, place: int) -> bool:
        """Writes a number, unless it is made of other operations or of too many."""
        if not self._kind(number, _DEPTH) or len(self._kinds) > _PARTS:
            return False
        self.places.append(place)
        self.roots.append(self._write(number))
        return True

    def _kind(self, e: Any, depth: int) -> str:
        """The operations of a number, without the rational ones in it; "" where it is not written."""
        known = self._kinds.get(e)
        if known is None:
            known = self._kinds[e] = self._kind_of(e, depth)
        return known

    def _kind_of(self, e: Any, depth: int) -> str:
        if e.is_Rational:
            return "q" if _is_data(e) else str(e)
        if not e.args:
            return "pi" if e is sp.pi else ""
        if not depth or (not e.is_Pow and type(e) not in _FUNCTIONS) or (e.is_Pow and not e.exp.is_Rational):
            return ""
        kinds = [self._kind(a, depth - 1) for a in (e.args[:1] if e.is_Pow else e.args)]
        name = f"^{e.exp}" if e.is_Pow else type(e).__name__
        return f"{name}({','.join(sorted(kinds) if type(e) in _UNORDERED else kinds)})" if all(kinds) else ""

    def _write(self, e: Any) -> int:
        if e in self._place:
            return self._place[e]
        if e.is_Rational and _is_data(e):
            self.leaves.append(e)
            return self._step(("rational",))
        if not e.args:
            return self._step(("is", e))
        if e.is_Pow:
            step: Step = ("power", e.exp, self._write(e.base))
        else:
            arguments = sorted(e.args, key=self._kinds.__getitem__) if type(e) in _UNORDERED else e.args
            step = type(e), *map(self._write, arguments)
        self._place[e] = self._step(step)
        return self._place[e]

    def _step(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1


def _is_data(number: Any) -> bool:
    """Whether a rational number is none of 0, 1 and -1."""
    return bool(number.q != 1 or not -1 <= number.p <= 1)


@functools.lru_cache(maxsize=256)
def _kernel(steps: tuple[Step, ...], roots: tuple[int, ...]) -> Kernel:
    """The numbers as functions of their leaves."""
    symbols = [sp.Symbol(f"q{k}", real=True) for k in range(sum(kind == "rational" for kind, *_ in steps))]
    built, leaves = list[Any](), iter(symbols)
    for kind, *rest in steps:
        if kind == "rational":
            built.append(next(leaves))
        elif kind == "is":
            built.append(rest[0])
        else:
            built.append(built[rest[1]] ** rest[0] if kind == "power" else kind(*(built[k] for k in rest)))
    return compile([built[k] for k in roots], [], symbols, quick=True)
