"""Numbers by the operations that make them of rational ones: numbers of one kind, as the entries of turns by any angles, share a kernel."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from .kernel import Kernel, compile

Step = tuple[Any, ...]
"""("rational",) is the next leaf, ("is", number), ("power", exponent, place), or a function and the places of its arguments."""

_FUNCTIONS = frozenset((sp.Add, sp.Mul, sp.sin, sp.cos, sp.tan, sp.exp, sp.atan, sp.sinh, sp.cosh, sp.tanh))
_UNORDERED = frozenset((sp.Add, sp.Mul))
# Numbers of more parts, or that nest deeper, are not written so.
_PARTS, _DEPTH = 400, 40


class Written:
    """Numbers that were taken, as `steps` of rational `leaves`, and their `places` among those that were given."""

    def __init__(self) -> None:
        self.leaves, self.places = list[Any](), list[int]()
        self._steps, self._roots = list[Step](), list[int]()
        self._place: dict[Any, int] = {}
        self._kinds: dict[Any, str] = {}

    def take(self, number: Any, place: int) -> bool:
        """Writes a number, unless it is made of other operations or of too many."""
        if not self._kind(number, _DEPTH) or len(self._kinds) > _PARTS:
            return False
        self.places.append(place)
        self._roots.append(self._write(number))
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
        self._steps.append(step)
        return len(self._steps) - 1

    def bounds(self, leaves: Sequence[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of enclosures of the numbers, of those of their leaves."""
        none, ends = np.empty((1, 0)), np.array(leaves).reshape(-1, 2)
        lo, hi = _kernel(tuple(self._steps), tuple(self._roots)).interval(none, none, parameters=(ends[:, 0], ends[:, 1]))
        return lo[0], hi[0]


def _is_data(number: Any) -> bool:
    """Is a rational number none of 0, 1 and -1?"""
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
