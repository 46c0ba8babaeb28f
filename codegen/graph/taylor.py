"""Taylor coefficients of a formula by one leaf, as nodes: the recurrences of automatic differentiation, order by order.

The coefficient k of e at s is e^(k)(s) / k!. For e = op(a) the chain rule e' = P a', with the partial derivative P of
`autodiff.RULES`, gives k e_k = sum_j j a_j P_(k-j), in which P is needed up to order k - 1 only; products, quotients and square
roots have shorter recurrences of their own (Moore 1966, Chapter 11; Griewank and Walther 2008, Section 13.2).

Over a box the coefficients enclose the true ones wherever the formula has level 3 there: each operation that has, is analytic
there, since the branches of its kinks and jumps are decided.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from .autodiff import RULES, THROUGH, branches, forward
from .binders import BINDERS
from .expr import Expr, ExprPool, reachable

Series = list[Expr | None]
"""Coefficients; None is a structural zero."""


def taylor(root: Expr, leaf: Expr, at: Expr, order: int) -> Series:
    """The coefficients 0, 1, ..., `order` of `root` as a function of the leaf at `at` (a point, or a box: then over the box)."""
    return _Taylor({root: order}, leaf, at, {}).series[root.index]


def flow(rates: dict[Expr, Expr], time: Expr, begin: Sequence[Expr], orders: Sequence[int]) -> list[Series]:
    """The coefficients of a solution of x' = f(x, time), of each component up to its order: `rates` has the formula f of each leaf x, and
    `begin` its value at `time`.

    x_(k+1) = f_k / (k + 1), and f_k depends on coefficients up to k.
    """
    leaves = {x.index: (rate, at) for (x, rate), at in zip(rates.items(), begin, strict=True)}
    found = _Taylor(dict(zip(rates, orders, strict=True)), time, time, leaves).series
    return [found[x.index][:order + 1] for x, order in zip(rates, orders, strict=True)]


class _Taylor:
    """`flows`: leaves that depend on the first leaf by their rates, and begin at a value."""

    def __init__(self, roots: dict[Expr, int], leaf: Expr, at: Expr, flows: dict[int, tuple[Expr, Expr]]) -> None:
        self.pool, self.leaf, self.at, self.flows = leaf.pool, leaf, at, flows
        self.needed: dict[int, int] = {}
        self.partials: dict[int, list[tuple[Expr, Expr]]] = {}
        self.depends: dict[int, bool] = {leaf.index: True, **dict.fromkeys(flows, True)}
        for root, order in roots.items():
            self._demand(root, order)
        nodes = [self.pool.nodes[index] for index in sorted(self.needed)]
        self.series: dict[int, Series] = {e.index: [] for e in nodes}
        for k in range(max(roots.values()) + 1):
            for e in nodes:
                if self.needed[e.index] >= k:
                    self.series[e.index].append(self._coefficient(e, k))

    # -- what is needed -------------------------------------------------------------------------------------------

    def _demand(self, root: Expr, order: int) -> None:
        """Note up to which order every node is needed, and the partial derivatives that the recurrences take."""
        stack = [(root, order)]
        while stack:
            e, k = stack.pop()
            if self.needed.get(e.index, -1) >= k:
                continue
            self.needed[e.index] = k
            if not self._dependent(e):
                continue
            whole = e.args[:2] if e.op == "either" else () if e.op in BINDERS else e.args
            stack += [(a, k) for a in whole] + [(a, 0) for a in e.args[len(whole):]]
            if k and e.index not in self.partials:
                self.partials[e.index] = self._partials(e)
            stack += [pair for a, p in self.partials.get(e.index, []) for pair in ((a, k), (p, k - 1))]

    def _dependent(self, e: Expr) -> bool:
        if e.index not in self.depends:
            # No operation inside binds the leaf: bound ones are numbered by nesting.
            for n in reachable([e]):
                self.depends.setdefault(n.index, any(self.depends[a.index] for a in n.args))
        return self.depends[e.index]

    def _partials(self, e: Expr) -> list[tuple[Expr, Expr]]:
        """(argument, partial derivative) pairs of the general recurrence; those of integrals and inverses are by the leaves, which their
        bodies may hold, and of flows it is the derivative as a whole.
        """
        if e.index in self.flows:
            return [(e, self.flows[e.index][0])]
        if e is self.leaf or e.boolean or e.op in THROUGH or e.op == "either" or _own(e) is not None or branches(self.pool, e) is not None:
            return []
        if e.op in BINDERS:
            order, leaves = reachable([e]), [self.leaf, *(self.pool.nodes[index] for index in self.flows)]
            return [(x, p) for x in leaves if (p := forward(self.pool, order, x).get(e.index)) is not None]
        rule = _powers(self.pool, e) if e.op == "pow" else RULES[e.op](self.pool, e, e.args)
        return [(a, p) for a, p in zip(e.args, rule, strict=True) if p is not None and self._dependent(a)]

    # -- the coefficients -----------------------------------------------------------------------------------------

    def _coefficient(self, e: Expr, k: int) -> Expr | None:
        if e is self.leaf:
            return self.at if k == 0 else self.pool.constant(1) if k == 1 else None
        if not self._dependent(e):
            return e if k == 0 else None
        if e.index in self.flows:
            return self._derived(e, k) if k else self.flows[e.index][1]
        if k == 0 and all(self.series[a.index][0] is not None for a in e.args):
            return self.pool.node(e.op, *(self._zeroth(a) for a in e.args), value=e.value)
        if e.op in THROUGH:
            return self.series[e.args[THROUGH[e.op]].index][k]
        if e.op == "either":
            return self._either(e, k)
        if branches(self.pool, e) is not None:
            return self._branch(e, k)
        own = _own(e)
        if own is not None:
            return own(self, e, *(self.series[a.index] for a in e.args), k)
        total = _dot((self._rate(a, j), self.series[partial.index][k - j])
                     for a, partial in self.partials[e.index] for j in range(1, k + 1))
        return None if total is None else total * Fraction(1, k)

    def _derived(self, e: Expr, k: int) -> Expr | None:
        """e_k = (e')_(k-1) / k."""
        rate = self._rate(e, k)
        return None if rate is None else rate * Fraction(1, k)

    def _rate(self, a: Expr, j: int) -> Expr | None:
        """j a_j, which is the coefficient j - 1 of a'."""
        if a.index in self.flows:
            return self.series[self.flows[a.index][0].index][j - 1]
        a_j = self.series[a.index][j]
        return None if a_j is None else a_j * j

    def _zeroth(self, a: Expr) -> Expr:
        """A truth value has a value and no derivatives."""
        value = self.series[a.index][0]
        assert value is not None
        return value

    def _either(self, e: Expr, k: int) -> Expr | None:
        """Coefficients of both forms; those of the second count where it is differentiable, and its guard with it."""
        first, second = (self.series[a.index][k] for a in e.args[:2])
        if first is None and second is None:
            return None
        guard, zero = self.pool.guarded(self._zeroth(e.args[1]), self._zeroth(e.args[2])), self.pool.constant(0)
        return self.pool.node("either", first or zero, second or zero, guard, self._zeroth(e.args[3]), value=3)

    def _branch(self, e: Expr, k: int) -> Expr | None:
        """The coefficient of the branch that is taken: min and max choose by the difference."""
        values = [self._zeroth(a) for a in e.args]
        if e.op in ("min", "max"):
            values.insert(0, values[0] - values[1] if e.op == "max" else values[1] - values[0])
        a, b = (self.series[x.index][k] for x in e.args[-2:])
        if a is None and b is None:
            return None
        zero = self.pool.constant(0)
        return self.pool.node("where" if e.op == "where" else "choice", values[0], zero if a is None else a, zero if b is None else b)


def _powers(pool: ExprPool, e: Expr) -> tuple[Expr, Expr]:
    """Partial derivatives of b^w, in itself: by w b^(w-1) each order would need the series of one more power."""
    base, exponent = e.args
    return exponent * e / base, e * pool.node("log", base)


def _sum(terms: Iterable[Expr | None]) -> Expr | None:
    total: Expr | None = None
    for term in terms:
        if term is not None:
            total = term if total is None else total + term
    return total


def _minus(a: Expr | None, b: Expr | None) -> Expr | None:
    return a if b is None else -b if a is None else a - b


def _dot(pairs: Iterable[tuple[Expr | None, Expr | None]]) -> Expr | None:
    """The sum of products, without the zeros."""
    return _sum(a * b for a, b in pairs if a is not None and b is not None)


def _product(a: Series, b: Series, ks: Iterable[int], k: int) -> Expr | None:
    """The sum of a_j b_(k-j) over the j of `ks`."""
    return _dot((a[j], b[k - j]) for j in ks)


def _square(x: Series, ks: Sequence[int], k: int) -> Expr | None:
    """The sum of x_j x_(k-j) over a symmetric range: twice the lower half, and the square of the middle."""
    half = _product(x, x, [j for j in ks if 2 * j < k], k)
    middle = x[k // 2] if k % 2 == 0 and k // 2 in ks else None
    return _sum([None if half is None else 2 * half, None if middle is None else middle**2])


def _power(t: _Taylor, e: Expr, x: Series, k: int) -> Expr | None:
    return _square(x, range(k + 1), k)


def _divide(t: _Taylor, e: Expr, a: Series, b: Series, k: int) -> Expr | None:
    """e b = a, so b_0 e_k = a_k - sum b_j e_(k-j)."""
    rest = _minus(a[k], _product(b, t.series[e.index], range(1, k + 1), k))
    return None if rest is None else rest / t._zeroth(e.args[1])


def _root(t: _Taylor, e: Expr, x: Series, k: int) -> Expr | None:
    """e^2 = x, so 2 e_0 e_k = x_k - sum e_j e_(k-j)."""
    y = t.series[e.index]
    rest = _minus(x[k], _square(y, range(1, k), k))
    return None if rest is None else rest / (2 * t._zeroth(e))


def _own(e: Expr) -> Callable[..., Expr | None] | None:
    """The recurrence of an operation that has a shorter one than the general."""
    return _power if e.op == "power_integer" and e.value == 2 else _OWN.get(e.op)


_OWN: dict[str, Callable[..., Expr | None]] = {
    "add": lambda t, e, a, b, k: _sum([a[k], b[k]]),
    "sub": lambda t, e, a, b, k: _minus(a[k], b[k]),
    "neg": lambda t, e, a, k: None if a[k] is None else -a[k],
    "mul": lambda t, e, a, b, k: _product(a, b, range(k + 1), k),
    "div": _divide, "sqrt": _root,
}  # fmt: skip
