"""Functions of the user's as SymPy functions: `codegen.primitive` makes them.

A `Primitive` has its formulas in symbols of its own: `primitive_places`, the arguments and after them the value; `primitive_ends`, both
ends of each argument; `primitive_value_ends`, those of the value.
"""

import functools
import hashlib
from collections.abc import Sequence
from typing import Any

import sympy as sp

from ..operators import BoundSymbol
from ..walk import parts, replaced
from . import _Function

# Beyond the symbols of differential equations.
_FIRST = 1_000_000


@functools.cache
def primitive_places(n: int) -> tuple[Any, ...]:
    """The n arguments, and the value."""
    return tuple(BoundSymbol(f"x{k}", dummy_index=_FIRST + k, real=True) for k in range(n + 1))


@functools.cache
def primitive_ends(n: int) -> tuple[Any, ...]:
    """lo_1, hi_1, lo_2, ..., of n arguments."""
    return tuple(BoundSymbol(f"{end}{k // 2}", dummy_index=_FIRST + 1000 + k, real=True)
                 for k, end in enumerate(("lo", "hi") * n))


@functools.cache
def primitive_value_ends() -> tuple[Any, ...]:
    return tuple(BoundSymbol(end, dummy_index=_FIRST + 900 + k, real=True) for k, end in enumerate(("low", "high")))


class Primitive(sp.Atom):  # type: ignore[misc]
    """A function of so many `arguments` with bounds of the user's; called with formulas it is one. See `codegen.primitive`, which makes it,
    and `codegen.graph.primitives` for what its formulas are.
    """

    __slots__ = ("arguments", "bounds", "inverses", "level", "name", "native", "points", "slopes")

    def __new__(cls, name: str, arguments: int, level: int, bounds: Sequence[Any], points: Sequence[Any], slopes: Sequence[Any],
                inverses: Sequence[Any], native: str = "") -> "Primitive":
        made: Primitive = super().__new__(cls)
        made.name, made.arguments, made.level, made.native = name, arguments, level, native
        made.bounds, made.points, made.slopes, made.inverses = map(tuple, (bounds, points, slopes, inverses))
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.name, self.arguments, self.level, self.bounds, self.points, self.slopes, self.inverses, self.native

    def __getstate__(self) -> None:
        return None

    def _hashable_content(self) -> tuple[Any, ...]:
        return self.__getnewargs__()

    def sort_key(self, order: Any = None) -> Any:
        return self.class_key(), (1, (_written(self),)), sp.S.One.sort_key(), sp.S.One

    def __call__(self, *arguments: Any) -> Any:
        """The function of these formulas or numbers."""
        if len(arguments) != self.arguments:
            raise TypeError(f"{self.name} takes {self.arguments} argument{'s' * (self.arguments != 1)}, got {len(arguments)}")
        return AppliedPrimitive(self, *arguments)

    def _sympystr(self, printer: Any) -> str:
        return self.name

    def _latex(self, printer: Any) -> str:
        return rf"\operatorname{{{self.name}}}"


class AppliedPrimitive(_Function):
    """``AppliedPrimitive(f, x, ...)`` is the function f of x, ...: write ``f(x, ...)``."""

    @classmethod
    def eval(cls, f: Any, *args: Any) -> Any:
        if not isinstance(f, Primitive) or len(args) != f.arguments:
            raise ValueError("AppliedPrimitive needs a function that codegen.primitive made, and its arguments")
        return None

    @property
    def primitive(self) -> Primitive:
        found: Primitive = self.args[0]
        return found

    def fdiff(self, argindex: int = 1) -> Any:
        f, *args = self.args
        if argindex < 2 or not f.slopes:
            raise sp.core.function.ArgumentIndexError(self, argindex)
        return replaced(f.slopes[argindex - 2], dict(zip(primitive_places(f.arguments), [*args, self], strict=True)))

    def _eval_derivative(self, s: Any) -> Any:
        f, *args = self.args
        slopes = [a.diff(s) for a in args]
        if not f.slopes and any(slopes):
            raise ValueError(f"the function {f.name} was declared without a derivative; give codegen.primitive one")
        return sp.Add(*(self.fdiff(k + 2) * slope for k, slope in enumerate(slopes) if slope != 0))

    def at_points(self) -> Any:
        """The formula of its points, which approximates it."""
        f, *args = self.args
        return replaced(f.points[0], dict(zip(primitive_places(f.arguments), args, strict=False))) if f.points else sp.nan

    def _eval_evalf(self, prec: int) -> Any:
        found = self.at_points()
        return found._eval_evalf(prec) if found.is_number and found is not sp.nan else None

    def _eval_is_real(self) -> bool | None:
        return True if all(a.is_real for a in self.args[1:]) else None

    def _sympystr(self, printer: Any) -> str:
        f, *args = self.args
        return f"{f.name}({', '.join(map(printer._print, args))})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        f, *args = self.args
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\operatorname{{{f.name}}}{power}\left({', '.join(map(printer._print, args))}\right)"


@functools.lru_cache(maxsize=1024)
def _written(f: Primitive) -> str:
    """A text that tells it from others, of formulas whose parts are written once each."""
    formulas = [*f.bounds, *f.points, *f.slopes, *f.inverses]
    digests: dict[int, str] = {}
    for e in parts(*formulas):
        inside = [digests[id(a)] for a in e.args] if e.args else [_written(e) if isinstance(e, Primitive) else str(e)]
        digests[id(e)] = hashlib.sha1(f"{type(e).__name__}({','.join(inside)})".encode(), usedforsecurity=False).hexdigest()
    return " ".join([f.name, str(f.arguments), str(f.level), f.native, *(digests[id(e)] for e in formulas)])
