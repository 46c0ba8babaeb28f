"""The expression graph: hash-consed nodes, in creation order.

A node is interned in its `ExprPool`, so within a pool equal means identical, and a node is created after its
arguments: increasing `index` is a topological order. No walk here recurses, so a chain of 100,000 operations is no
deeper than any other graph. What a graph means is said by `evaluate`.

Simplifications made while building hold wherever the graph is defined *and* keep its domain: ``x + 0``, ``x * 1``,
``x * x -> x**2``; never ``x / x``, ``0 * x`` or a choice between equals by a condition that may be undefined.
"""

import threading
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from ..deadline import check

# Every operation with its number of arguments (None: any number). `value` carries what is not an expression: the
# number of a constant, the position of a variable or parameter, the exponent of power_integer, the order of sinc,
# bessel_j and polygamma, the number of a bound variable, how often an operation repeats, which solution it is (see `flows`),
# which spline (see `lattices`), which function of the user's (see `primitives`), which table, or the level that a guard must have
# (`trusted`, `either`).
ARITY: dict[str, int | None] = {
    "constant": 0, "variable": 0, "parameter": 0, "undefined": 0,
    "add": 2, "sub": 2, "neg": 1, "mul": 2, "div": 2, "fma": 3, "power_integer": 1, "pow": 2, "sqrt": 1,
    "abs": 1, "sign": 1, "heaviside": 1, "min": 2, "max": 2, "floor": 1, "ceiling": 1,
    "exp": 1, "log": 1, "entropy": 1, "sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "atan2": 2,
    "sinh": 1, "cosh": 1, "tanh": 1, "asinh": 1, "acosh": 1, "atanh": 1,
    "sinc": 1, "chebyshev": None, "erf": 1, "erfc": 1, "bessel_j": 1, "sine_integral": 1,
    "loggamma": 1, "gamma": 1, "polygamma": 1, "solution": 1, "flow": None, "tricubic": 3,
    "primitive": None, "tabled": 1,
    "lt": 2, "le": 2, "eq": 2, "and": 2, "or": 2, "not": 1, "true": 0, "false": 0, "around": 1, "where": 3, "choice": 3,
    "restricted": 2, "either": 4, "guarded": 2, "trusted": 2, "midpoint": 1, "centre": 2, "refined": 2, "hull": 2,
    # Operations that bind a leaf (see `binders`), and what lowering makes of a repetition.
    "bound": 0, "integral": 4, "inverse": 5, "sum": 2, "union": 2, "captured": 0, "loop": None,
}  # fmt: skip
BOOLEAN = frozenset({"lt", "le", "eq", "and", "or", "not", "true", "false", "around"})
# Operations that are defined wherever their arguments are.
_TOTAL = frozenset({
    "constant", "variable", "parameter", "add", "sub", "neg", "mul", "fma", "power_integer", "abs", "sign", "heaviside", "min", "max",
    "floor", "ceiling", "exp", "sin", "cos", "atan", "sinh", "cosh", "tanh", "asinh", "sinc", "chebyshev", "erf", "erfc", "bessel_j",
    "sine_integral", "tricubic", "where", "choice", *BOOLEAN,
})  # fmt: skip

_CHOOSING = frozenset({"where", "restricted"})

# Nodes that are asked for between two looks at the clock: about a millisecond.
_GLANCE = 512
# Rational arithmetic on constants is exact; past this size a fold would cost more than the operation it saves.
_FOLD_BITS = 4096


class Expr:
    """One node: `op`, `args` (nodes), `value` (see ARITY), `index` (creation order in `pool`). Pools create nodes."""

    __slots__ = ("args", "index", "op", "pool", "value")

    def __init__(self, pool: "ExprPool", op: str, args: tuple["Expr", ...], value: Any, index: int) -> None:
        self.pool, self.op, self.args, self.value, self.index = pool, op, args, value, index

    @property
    def boolean(self) -> bool:
        """Whether this node stands for a truth value rather than a number."""
        return self.op in BOOLEAN

    def __repr__(self) -> str:
        inside = [f"#{a.index}" for a in self.args] + ([repr(self.value)] if self.value is not None else [])
        return f"#{self.index} = {self.op}({', '.join(inside)})"

    def __reduce__(self) -> Any:
        raise TypeError("an Expr belongs to its ExprPool and cannot be pickled; pickle the Kernel instead")

    def __add__(self, other: "Expr | int | float | Fraction") -> "Expr":
        return self.pool.add(self, self.pool.lift(other))

    def __radd__(self, other: int | float | Fraction) -> "Expr":
        return self.pool.add(self.pool.lift(other), self)

    def __sub__(self, other: "Expr | int | float | Fraction") -> "Expr":
        return self.pool.sub(self, self.pool.lift(other))

    def __rsub__(self, other: int | float | Fraction) -> "Expr":
        return self.pool.sub(self.pool.lift(other), self)

    def __mul__(self, other: "Expr | int | float | Fraction") -> "Expr":
        return self.pool.mul(self, self.pool.lift(other))

    def __rmul__(self, other: int | float | Fraction) -> "Expr":
        return self.pool.mul(self.pool.lift(other), self)

    def __truediv__(self, other: "Expr | int | float | Fraction") -> "Expr":
        return self.pool.div(self, self.pool.lift(other))

    def __rtruediv__(self, other: int | float | Fraction) -> "Expr":
        return self.pool.div(self.pool.lift(other), self)

    def __neg__(self) -> "Expr":
        return self.pool.neg(self)

    def __pow__(self, exponent: int) -> "Expr":
        return self.pool.power_integer(self, exponent)


def _key(op: str, args: tuple[Expr, ...], value: Any) -> tuple[Any, ...]:
    """The name of a node in its pool. It carries the kind of the value: in Python True == 1 == 1.0. Hashing a Fraction costs a modular
    power: its two integers serve as well.
    """
    kind = (value.numerator, value.denominator) if type(value) is Fraction else value
    return (op, type(value), kind, *[a.index for a in args])


class ExprPool:
    """Creates and interns nodes. The methods are the graph's vocabulary; `node` is the general one.

    >>> pool = ExprPool()
    >>> x = pool.variable(0)
    >>> pool.node("sin", x) is pool.node("sin", x)
    True
    """

    def __init__(self) -> None:
        self._interned: dict[tuple[Any, ...], Expr] = {}
        self._asked, self._released = 0, False
        self.nodes: list[Expr] = []
        self._lock = threading.Lock()

    def _intern(self, op: str, args: tuple[Expr, ...], value: Any = None) -> Expr:
        # All that builds graphs comes by here: conversion, derivatives, substitution.
        self._asked += 1
        if self._asked % _GLANCE == 0:
            check()
        key = _key(op, args, value)
        found = self._interned.get(key)
        if found is None:
            # Threads share pools, as they share kernels and problems: two new nodes of one index would be taken for each other.
            with self._lock:
                if len(self._interned) < len(self.nodes):
                    self._interned = {_key(e.op, e.args, e.value): e for e in self.nodes}
                found = self._interned.get(key)
                if found is None:
                    if self._released:
                        raise RuntimeError("this graph was released, so it makes no more nodes: their numbers would be those of others")
                    found = Expr(self, op, args, value, len(self.nodes))
                    self.nodes.append(found)
                    self._interned[key] = found
        return found

    def rest(self) -> None:
        """Forget how nodes are found, which takes as much memory as they do, until there is a new one. For a graph that is written."""
        with self._lock:
            self._interned = {}

    def release(self) -> None:
        """Give the nodes free that nobody holds. (They and their pool hold each other.) The pool makes no more nodes."""
        with self._lock:
            self._interned, self.nodes, self._released = {}, [], True

    def node(self, op: str, *args: Expr, value: Any = None) -> Expr:
        """The node ``op(args)``, simplified where a rule below applies."""
        if op not in ARITY:
            raise ValueError(f"unknown operation {op!r}; known are {', '.join(sorted(ARITY))}")
        if ARITY[op] not in (None, len(args)):
            raise ValueError(f"{op} takes {ARITY[op]} arguments, got {len(args)}")
        if any(a.pool is not self for a in args):
            raise ValueError(f"the arguments of {op} come from another ExprPool; build one graph in one pool")
        simplify = _SIMPLIFY.get(op)
        if simplify is not None:
            return simplify(self, *args) if value is None else simplify(self, *args, value)
        return self._intern(op, args, value)

    def restore(self, op: str, args: tuple[Expr, ...], value: Any) -> Expr:
        """The node exactly as given, without simplification: for graphs that were built before."""
        return self._intern(op, args, value)

    def lift(self, x: Expr | int | float | Fraction) -> Expr:
        """A number as a constant node; a node as itself."""
        return x if isinstance(x, Expr) else self.constant(x)

    def constant(self, value: int | float | Fraction | str) -> Expr:
        """An exact rational (a float means its exact binary value), or one of "pi", "e", "euler_gamma", "catalan"."""
        if isinstance(value, str):
            return self._intern("constant", (), value)
        if isinstance(value, float) and value - value != 0.0:
            raise ValueError(f"a constant must be a finite real number, got {value}")
        return self._intern("constant", (), value if type(value) is Fraction else Fraction(value))

    def variable(self, position: int) -> Expr:
        """The variable at `position` of the input boxes."""
        return self._intern("variable", (), position)

    def parameter(self, position: int) -> Expr:
        """The parameter at `position` of the parameter arrays."""
        return self._intern("parameter", (), position)

    def add(self, a: Expr, b: Expr) -> Expr:
        folded = self._fold(a, b, lambda p, q: p + q)
        if folded is not None:
            return folded
        if _is(a, 0):
            return b
        if _is(b, 0):
            return a
        if b.op == "neg":
            return self.sub(a, b.args[0])
        if a.op == "neg":
            return self.sub(b, a.args[0])
        return self._intern("add", (a, b) if a.index <= b.index else (b, a))

    def sub(self, a: Expr, b: Expr) -> Expr:
        folded = self._fold(a, b, lambda p, q: p - q)
        if folded is not None:
            return folded
        if _is(b, 0):
            return a
        if _is(a, 0):
            return self.neg(b)
        if b.op == "neg":
            return self.add(a, b.args[0])
        return self._intern("sub", (a, b))

    def neg(self, a: Expr) -> Expr:
        if a.op == "neg":
            return a.args[0]
        if a.op == "sub":
            return self.sub(a.args[1], a.args[0])
        if _rational(a):
            return self.constant(-a.value)
        return self._intern("neg", (a,))

    def mul(self, a: Expr, b: Expr) -> Expr:
        folded = self._fold(a, b, lambda p, q: p * q)
        if folded is not None:
            return folded
        for one, other in ((a, b), (b, a)):
            if _is(one, 1):
                return other
            if _is(one, -1):
                return self.neg(other)
            if one.op == "neg":
                return self.neg(self.mul(one.args[0], other))
        if a is b:
            return self.power_integer(a, 2)
        return self._intern("mul", (a, b) if a.index <= b.index else (b, a))

    def div(self, a: Expr, b: Expr) -> Expr:
        if not _is(b, 0):
            folded = self._fold(a, b, lambda p, q: p / q)
            if folded is not None:
                return folded
        if _is(b, 1):
            return a
        if b.op == "neg":
            return self.neg(self.div(a, b.args[0]))
        if a.op == "neg":
            return self.neg(self.div(a.args[0], b))
        if _rational(b) and b.value and b.value.numerator in (1, -1):
            return self.mul(a, self.constant(1 / b.value))
        return self._intern("div", (a, b))

    def power_integer(self, a: Expr, exponent: int) -> Expr:
        if exponent == 1:
            return a
        if exponent < 0:
            return self.div(self.constant(1), self.power_integer(a, -exponent))
        if _rational(a) and a.value.numerator.bit_length() * exponent < _FOLD_BITS:
            return self.constant(a.value**exponent)
        if exponent == 0:
            # SymPy itself reads x**0 as 1; keep the domain of x all the same.
            return self.node("guarded", self.constant(1), a)
        if exponent % 2 == 0 and a.op in ("neg", "abs"):
            return self.power_integer(a.args[0], exponent)
        return self._intern("power_integer", (a,), exponent)

    def guarded(self, value: Expr, guard: Expr) -> Expr:
        """`value`, but with decoration 0 wherever `guard` is not proved differentiable on the whole box."""
        return self._intern("guarded", (value, guard))

    def trusted(self, value: Expr, guard: Expr, level: int = 2) -> Expr:
        """`value` where `guard` has at least this level on the whole box, the whole line elsewhere: for derivatives that proofs use."""
        return self._intern("trusted", (value, guard), level)

    def not_(self, a: Expr) -> Expr:
        if a.op == "not":
            return a.args[0]
        if a.op in ("true", "false"):
            return self._intern("false" if a.op == "true" else "true", ())
        return self._intern("not", (a,))

    def where(self, condition: Expr, a: Expr, b: Expr) -> Expr:
        if not condition.boolean:
            raise ValueError(f"where needs a truth value as its condition, got {condition!r}")
        if condition.op in ("true", "false"):
            return a if condition.op == "true" else b
        # A choice by the same condition inside a branch is made already.
        opposite = self.not_(condition)
        if a.op in _CHOOSING and a.args[0] is condition:
            a = a.args[1]
        if b.op in _CHOOSING and b.args[0] is opposite:
            b = b.args[1]
        elif b.op == "where" and b.args[0] is condition:
            b = b.args[2]
        if b.op == "undefined":
            return self._intern("restricted", (condition, a))
        if a.op == "undefined":
            return self._intern("restricted", (opposite, b))
        if a is b and all(e.op in _TOTAL for e in reachable([condition])):
            return a
        return self._intern("where", (condition, a, b))

    def _fold(self, a: Expr, b: Expr, operation: Any) -> Expr | None:
        if not (_rational(a) and _rational(b)):
            return None
        value: Fraction = operation(a.value, b.value)
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > _FOLD_BITS:
            return None
        return self.constant(value)


_SIMPLIFY: dict[str, Any] = {
    "constant": ExprPool.constant, "add": ExprPool.add, "sub": ExprPool.sub, "neg": ExprPool.neg, "mul": ExprPool.mul,
    "div": ExprPool.div, "power_integer": ExprPool.power_integer, "not": ExprPool.not_, "where": ExprPool.where,
}  # fmt: skip


def _rational(a: Expr) -> bool:
    return a.op == "constant" and isinstance(a.value, Fraction)


def _is(a: Expr, number: int) -> bool:
    return _rational(a) and a.value.denominator == 1 and a.value.numerator == number  # type: ignore[no-any-return]


def reachable(outputs: Iterable[Expr]) -> list[Expr]:
    """Every node that `outputs` depend on, themselves included, arguments before users."""
    seen: dict[int, Expr] = {}
    stack = list(outputs)
    while stack:
        e = stack.pop()
        if e.index not in seen:
            seen[e.index] = e
            stack.extend(e.args)
    return [seen[k] for k in sorted(seen)]


def substitute(outputs: Sequence[Expr], replacement: dict[int, Expr]) -> list[Expr]:
    """The same graph with the nodes of the given indices replaced."""
    done = dict(replacement)
    for e in reachable(outputs):
        if e.index not in done:
            args = tuple(done[a.index] for a in e.args)
            same = all(a is b for a, b in zip(args, e.args, strict=True))
            done[e.index] = e if same else e.pool.node(e.op, *args, value=e.value)
    return [done[e.index] for e in outputs]


def natural(outputs: Sequence[Expr], whole: bool = True) -> list[Expr]:
    """The graph with the first form of each function that has two: for what computes no levels, which tell where the other counts.

    Where the first form lacks a value that the function has, nothing is known of it; if the `whole` function is needed, it stays.
    """
    order = reachable(outputs)
    if not any(e.op == "either" for e in order):
        return list(outputs)
    done: dict[int, Expr] = {}
    for e in order:
        args = tuple(done[a.index] for a in e.args)
        if e.op == "either" and e.args[3].op == "constant":
            # The first form counts at points, and so lacks no value.
            done[e.index] = args[0]
        elif e.op == "either" and args[0].op == "restricted":
            done[e.index] = e if whole else e.pool.node("undefined")
        elif e.op == "either" and not (whole and args[0].op == "where"):
            done[e.index] = args[0]
        else:
            done[e.index] = e if args == e.args else e.pool.node(e.op, *args, value=e.value)
    return [done[e.index] for e in outputs]
