"""SymPy expressions walked with a stack of our own, each part once however often it occurs.

SymPy's functions recurse, so they end where operations are nested deeper than Python's limit of recursion, and they see a tree: of motions
composed ten times, whose entries have their parts in common, millions of parts.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.functions.elementary.piecewise import ExprCondPair

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

DEEPEST = 120
"""So many operations may be nested where SymPy's functions are needed: for each of them these make up to five calls, of the thousand that
Python allows, and those of the caller count."""

# A page or two.
_WRITTEN = 10_000


def parts(*expressions: Any) -> list[Any]:
    """Every part of the expressions, themselves included, once each, arguments before what takes them.

    In this order they are hashed here, too: SymPy remembers hashes, and computes them by recursion.
    """
    done: dict[int, Any] = {}
    stack = [(e, False) for e in reversed(expressions)]
    while stack:
        e, ready = stack.pop()
        if ready or not e.args:
            hash(e)
            done[id(e)] = e
        elif id(e) not in done:
            stack.append((e, True))
            stack += [(a, False) for a in reversed(e.args) if id(a) not in done]
    return list(done.values())


def nesting(*expressions: Any) -> int:
    """The largest number of operations that are nested in each other."""
    found: dict[int, int] = {}
    for e in parts(*expressions):
        found[id(e)] = 1 + max(found[id(a)] for a in e.args) if e.args else 0
    return max((found[id(e)] for e in expressions), default=0)


class Survey(NamedTuple):
    """The operations that are nested in each other in expressions, at most; their free symbols; and the classes of their parts."""

    nesting: int
    symbols: frozenset[Any]
    kinds: frozenset[type]


@functools.lru_cache(maxsize=1 << 13)
def survey(*expressions: Any) -> Survey:
    """All of this by one walk. Formulas are surveyed when they are made, and what comes later looks it up."""
    depth: dict[int, int] = {}
    kinds, leaves, deepest = set[type](), list[Any](), 0
    for e in parts(*expressions):
        kinds.add(type(e))
        args = e.args
        if args:
            depth[id(e)] = own = 1 + max(depth[id(a)] for a in args)
            deepest = max(deepest, own)
        else:
            depth[id(e)] = 0
            leaves.append(e)
    # Operators that bind a symbol, and things with symbols in them that are no arguments, tell of them by a way of their own.
    own_way = any(_differs(kind, "free_symbols") for kind in kinds if not issubclass(kind, sp.Symbol))
    return Survey(deepest, frozenset(free_symbols(*expressions) if own_way else (e for e in leaves if isinstance(e, sp.Symbol))),
                  frozenset(kinds))


def check_nesting(owner: str, *expressions: Any) -> Survey:
    """The survey of expressions; ValueError where operations are nested too deep for SymPy."""
    known = survey(*expressions)
    found = known.nesting
    if found > DEEPEST:
        raise ValueError(f"{owner} nests {found} operations in each other, more than the {DEEPEST} that SymPy's functions, which recurse, "
                         "come to the end of; write it flatter, as a sum of products instead of Horner's form")
    return known


def nesting_in_words(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The function, with ValueError in the place of RecursionError."""
    @functools.wraps(function)
    def asked(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        try:
            return function(*args, **options)
        except RecursionError:
            raise ValueError("a formula nests more operations in each other than SymPy's functions, which recurse, come to the end of from "
                             "here; write it flatter, or ask from a place that is nested in fewer calls") from None

    return asked


def is_writable(e: Any) -> bool:
    """Whether it is short enough to be written out, with every part as often as it occurs, and not nested too deep."""
    length: dict[int, int] = {}
    for part in parts(e):
        length[id(part)] = 1 + sum(length[id(a)] for a in part.args)
    return length[id(e)] <= _WRITTEN and nesting(e) <= DEEPEST


def free_symbols(*expressions: Any) -> set[Any]:
    """The free symbols of all expressions, as the property of SymPy has them."""
    found: dict[int, frozenset[Any]] = {}
    for e in parts(*expressions):
        if _differs(type(e), "free_symbols"):  # type: ignore[arg-type]
            found[id(e)] = frozenset(e.free_symbols)
        else:
            found[id(e)] = frozenset().union(*(found[id(a)] for a in e.args))
    return set().union(*(found[id(e)] for e in expressions))


def atoms(e: Any, *kinds: type) -> set[Any]:
    """The parts of these kinds."""
    return {part for part in parts(e) if isinstance(part, kinds)}


def has(e: Any, *patterns: Any) -> bool:
    """Whether one of these symbols or numbers, or a part of one of these kinds, occurs."""
    kinds = tuple(p for p in patterns if isinstance(p, type))
    leaves = {p for p in patterns if not isinstance(p, type)}
    return any(isinstance(part, kinds) or part in leaves for part in parts(e))


def replaced(e: Any, change: Mapping[Any, Any]) -> Any:
    """As `xreplace` of SymPy: parts that are keys of `change` are replaced by their values, all at once."""
    found: dict[int, Any] = {}
    for part in parts(e):
        if part in change:
            found[id(part)] = change[part]
        elif _differs(type(part), "_xreplace"):  # type: ignore[arg-type]
            found[id(part)] = part.xreplace(change)
        else:
            args = [found[id(a)] for a in part.args]
            same = all(a is b for a, b in zip(args, part.args, strict=True))
            found[id(part)] = part if same else _rebuilt(part, args)
    return found[id(e)]


def _rebuilt(part: Any, args: list[Any]) -> Any:
    """An operation with other arguments, as SymPy writes it. Long polynomials are products and whole powers of sums, and SymPy asks of each
    whether terms may be infinite or 0, which takes most of the time. Here those are put together without that.
    """
    if isinstance(part, sp.Pow) and args[0].is_Add and args[1].is_Integer and args[1] not in (0, 1) and not args[0].is_number:
        return sp.Pow(*args, evaluate=False)
    found = _product(args) if isinstance(part, sp.Mul) else None
    return part.func(*args) if found is None else found


def _product(args: list[Any]) -> Any:
    """The product of a rational number and of several factors with different bases, none of them a number; None for others, which SymPy
    combines.
    """
    number, factors = sp.S.One, list[Any]()
    for e in args:
        for factor in e.args if e.is_Mul else (e,):
            if factor.is_Rational:
                number *= factor
            else:
                factors.append(factor)
    bases = {factor.base if factor.is_Pow else factor for factor in factors}
    if number == 0 or len(factors) < 2 or len(bases) < len(factors) or not all(b.is_Add or b.is_Symbol for b in bases):
        return None
    return sp.Mul._from_args([*([] if number == 1 else [number]), *sorted(factors, key=_ORDER)])


_ORDER = functools.cmp_to_key(sp.Basic.compare)


@functools.lru_cache(maxsize=1024)
def _differs(kind: type, name: str) -> bool:
    """Whether a class does this in a way of its own. (Classes of functions have attributes of such names, too.)"""
    return next(c for c in kind.__mro__ if name in vars(c)) is not sp.Basic


def derivative(e: Any, s: sp.Symbol) -> Any:
    """The derivative by s, operation by operation."""
    found: dict[int, Any] = {}
    for part in parts(e):
        found[id(part)] = _derivative(part, [found[id(a)] for a in part.args], s)
    return found[id(e)]


def _derivative(e: Any, slopes: list[Any], s: sp.Symbol) -> Any:
    """The derivative of one operation, by those of its arguments."""
    if not e.args:
        return sp.Integer(int(e == s))
    if not isinstance(e, sp.Expr):
        # A branch of a Piecewise has the slope of its formula; conditions and limits have none.
        return slopes[0] if isinstance(e, ExprCondPair) else sp.S.Zero
    if isinstance(e, sp.Piecewise):
        return sp.Piecewise(*((d, branch.cond) for d, branch in zip(slopes, e.args, strict=True)))
    if isinstance(e, sp.Add):
        return sp.Add(*slopes)
    if isinstance(e, sp.Mul):
        return sp.Add(*(sp.Mul(*e.args[:k], d, *e.args[k + 1:]) for k, d in enumerate(slopes) if d != 0))
    if isinstance(e, sp.Pow) and slopes[1] == 0:
        return e.exp * e.base ** (e.exp - 1) * slopes[0]
    if isinstance(e, sp.Function) and not isinstance(e, AppliedUndef):
        return sp.Add(*(e.fdiff(k) * d for k, d in enumerate(slopes, 1) if d != 0))
    return sp.diff(e, s)
