"""Moving points as A(t) g(x) + T(t): functions of the time apart from those of the other variables, found in a graph.

Every rigid motion has this form, with three functions g, and so have surfaces whose control points are any functions of the time,
standing waves, waves that travel (by the addition theorems), and whatever is rigidly carried on top. What is wanted of a shape
can then be evaluated once for all times.

The form is made by the laws of arithmetic, which hold wherever the graph is defined; so the result is defined there and
equal to it.
"""

import functools
import operator
from collections.abc import Sequence
from typing import NamedTuple

from ..graph.expr import Expr, ExprPool, reachable

MOST = 20
"""With more functions than these the form is not worth its while."""

# Sums of more products than these are not followed.
_TERMS = 64

_LAWS = frozenset({"add", "sub", "neg", "mul", "div", "fma", "power_integer", "sin", "cos", "exp"})

Form = dict[Expr, Expr]
"""A sum of g f for each g: f, where g is 1 or a function of the variables of one kind, and f depends on none of them."""


class Separated(NamedTuple):
    """The points matrix shape + shift: `shape` holds m functions of the variables but the time; `matrix`, row-major, and `shift` are
    functions of the time.
    """

    shape: list[Expr]
    matrix: list[Expr]
    shift: list[Expr]


def separated(outputs: Sequence[Expr], time: int) -> Separated | None:
    """The separated form of `outputs`, whose time is variable `time`, with as few functions as are seen to do; None where none is
    seen, or nothing but the time counts.
    """
    pool = outputs[0].pool
    forms = _forms(outputs, {e.value for e in reachable(outputs) if e.op == "variable"} - {time}, whole=True)
    if forms is None:
        return None
    one, zero = pool.constant(1), pool.constant(0)
    shift = [form.pop(one, zero) for form in forms]
    forms = [{g: f for g, f in form.items() if f is not zero} for form in forms]
    if not any(forms):
        return None
    shape, matrix = _by_shapes(forms)
    if len(shape) > len(outputs):
        shape, matrix = min((shape, matrix), _by_times(forms, time), key=lambda found: len(found[0]))
    return Separated(shape, matrix, shift) if 0 < len(shape) <= MOST else None


def _by_shapes(forms: Sequence[Form]) -> tuple[list[Expr], list[Expr]]:
    """A column for each function of the other variables; those with the same coefficients share one."""
    zero = next(g.pool.constant(0) for form in forms for g in form)
    shared: dict[tuple[Expr, ...], Expr] = {}
    for g in dict.fromkeys(g for form in forms for g in form):
        column = tuple(form.get(g, zero) for form in forms)
        shared[column] = shared[column] + g if column in shared else g
    return list(shared.values()), [column[i] for i in range(len(forms)) for column in shared]


def _by_times(forms: Sequence[Form], time: int) -> tuple[list[Expr], list[Expr]]:
    """A column for each coordinate and function of the time in it."""
    columns: dict[tuple[int, Expr], Expr] = {}
    for i, form in enumerate(forms):
        for g, coefficient in form.items():
            for f, c in (_forms([coefficient], {time}, whole=False) or [{}])[0].items():
                columns[i, f] = columns[i, f] + c * g if (i, f) in columns else c * g
    zero = next(iter(columns))[1].pool.constant(0)
    return list(columns.values()), [f if i == k else zero for i in range(len(forms)) for k, f in columns]


def _forms(outputs: Sequence[Expr], variables: set[int], whole: bool) -> list[Form] | None:
    """Forms of the outputs by functions of these variables; None if one has none. `whole`: what depends on these variables alone is
    not taken apart.
    """
    rules = _Rules(outputs[0].pool)
    own: dict[int, bool] = {}
    other: dict[int, bool] = {}
    known: dict[int, Form | None] = {}
    for e in reachable(outputs):
        own[e.index] = e.value in variables if e.op == "variable" else any(own[a.index] for a in e.args)
        other[e.index] = e.value not in variables if e.op == "variable" else any(other[a.index] for a in e.args)
        if not own[e.index]:
            known[e.index] = {rules.one: e}
        elif whole and not other[e.index]:
            known[e.index] = {e: rules.one}
        else:
            found = rules.of(e, [known[a.index] for a in e.args])
            known[e.index] = {e: rules.one} if found is None and not other[e.index] else found
    result = [known[e.index] for e in outputs]
    return [dict(form) for form in result if form is not None] if None not in result else None


class _Rules:
    """Rules by which the form of a node follows from those of its arguments."""

    def __init__(self, pool: ExprPool) -> None:
        self.pool, self.one = pool, pool.constant(1)

    def of(self, e: Expr, parts: Sequence[Form | None]) -> Form | None:
        if e.op not in _LAWS or None in parts:
            return None
        found: Form | None = getattr(self, e.op)(*parts, *(() if e.value is None else (e.value,)))
        return found if found is not None and len(found) <= _TERMS else None

    def add(self, a: Form, b: Form) -> Form:
        return a | {g: a[g] + f if g in a else f for g, f in b.items()}

    def neg(self, a: Form) -> Form:
        return {g: -f for g, f in a.items()}

    def sub(self, a: Form, b: Form) -> Form:
        return a | {g: a[g] - f if g in a else -f for g, f in b.items()}

    def mul(self, a: Form, b: Form) -> Form:
        total: Form = {}
        for g, f in a.items():
            for h, k in b.items():
                total = self.add(total, {g * h: f * k})
        return total

    def fma(self, a: Form, b: Form, c: Form) -> Form:
        return self.add(self.mul(a, b), c)

    def div(self, a: Form, b: Form) -> Form | None:
        if len(b) > 1:
            return None
        ((h, k),) = b.items()
        return {g / h: f / k for g, f in a.items()}

    def power_integer(self, a: Form, exponent: int) -> Form | None:
        if len(a) == 1:
            ((g, f),) = a.items()
            return {self.pool.power_integer(g, exponent): self.pool.power_integer(f, exponent)}
        total = a
        for _ in range(exponent - 1):
            if len(total) > _TERMS:
                return None
            total = self.mul(total, a)
        return total if exponent > 0 else None

    def sin(self, a: Form) -> Form | None:
        """sin(p + q) = sin p cos q + cos p sin q"""
        both = self.split(a)
        if both is None:
            return None
        (s, c), (u, v) = ((self.pool.node("sin", x), self.pool.node("cos", x)) for x in both)
        return {s: v, c: u}

    def cos(self, a: Form) -> Form | None:
        """cos(p + q) = cos p cos q - sin p sin q"""
        both = self.split(a)
        if both is None:
            return None
        (s, c), (u, v) = ((self.pool.node("sin", x), self.pool.node("cos", x)) for x in both)
        return {c: v, s: -u}

    def exp(self, a: Form) -> Form | None:
        both = self.split(a)
        return None if both is None else {self.pool.node("exp", both[0]): self.pool.node("exp", both[1])}

    def split(self, a: Form) -> tuple[Expr, Expr] | None:
        """The part of a sum that depends on variables of one kind, and the rest, if those do not mix."""
        own, rest = self.pool.constant(0), self.pool.constant(0)
        for g, f in a.items():
            if g is self.one:
                rest = rest + f
            elif any(e.op == "variable" for e in reachable([f])):
                return None
            else:
                own = own + f * g
        return own, rest


class Factored(NamedTuple):
    """The functions scale a b: a and b by their numbers in `first` and `second`, functions of one variable each."""

    first: list[Expr]
    second: list[Expr]
    pairs: list[tuple[int, int]]
    scales: list[Expr]


def factored(outputs: Sequence[Expr], variables: tuple[int, int]) -> Factored | None:
    """The functions as such products, by their factors in the graph; None if one is seen to be none."""
    pool = outputs[0].pool
    depends: dict[int, set[int]] = {}
    for e in reachable(outputs):
        depends[e.index] = {e.value} if e.op == "variable" else set().union(*(depends[a.index] for a in e.args))
    sides: tuple[dict[Expr, int], dict[Expr, int]] = {}, {}
    pairs, scales = [], []
    for e in outputs:
        parts: list[list[Expr]] = [[], [], []]
        stack = [e]
        while stack:
            x = stack.pop()
            if len(depends[x.index]) < 2:
                parts[next((k for k in (0, 1) if variables[k] in depends[x.index]), 2)].append(x)
            elif x.op in ("mul", "neg"):
                stack += x.args
                parts[2] += [pool.constant(-1)] * (x.op == "neg")
            else:
                return None
        a, b, scale = (functools.reduce(operator.mul, sorted(part, key=lambda x: x.index), pool.constant(1)) for part in parts)
        pairs.append((sides[0].setdefault(a, len(sides[0])), sides[1].setdefault(b, len(sides[1]))))
        scales.append(scale)
    return Factored(list(sides[0]), list(sides[1]), pairs, scales)
