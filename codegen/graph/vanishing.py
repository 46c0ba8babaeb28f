"""Zeros of a formula, by its structure: candidates for the places at which the parts of a quotient vanish together.

A formula f has the value v where another one, inside it, has a value that follows: sqrt(g) - 2 = 0 where g = 4, which is x + 1 = 4, which
is x = 3. Each such pair (inner formula, its value) is a candidate. None is claimed to be a zero, nor is the list complete.
"""

from collections.abc import Iterator
from fractions import Fraction

from .expr import Expr, reachable

# Functions that are 0 where their argument is.
_ODD = frozenset({"sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "erf", "sine_integral", "sign"})
# f(g) = v where g is one of the values, in units of pi where it says so.
_VALUES: dict[tuple[str, int], tuple[Fraction | int, ...]] = {
    ("exp", 1): (0,), ("log", 0): (1,), ("entropy", 0): (1,), ("cosh", 1): (0,), ("acosh", 0): (1,), ("acos", 0): (1,), ("erfc", 1): (0,),
    ("sinc", 1): (0,), ("loggamma", 0): (1, 2), ("gamma", 1): (1, 2),
}
_TURNS: dict[tuple[str, int], tuple[Fraction | int, ...]] = {
    ("cos", 1): (0, 2, -2), ("cos", -1): (1, -1), ("cos", 0): (Fraction(1, 2), Fraction(-1, 2)), ("sin", 0): (0, 1, -1),
    ("sin", 1): (Fraction(1, 2),), ("sin", -1): (Fraction(-1, 2),), ("tan", 0): (0, 1, -1),
}
# Where a formula of one variable is no chain of functions, these are tried.
_SIMPLE = (0, 1, -1)
_MOST, _LARGEST = 40, 10**12
_INVERSE = {"exp": "log", "log": "exp"}


def candidates(f: Expr) -> Iterator[tuple[Expr, Expr]]:
    """Pairs (g, c), outer ones first: f may vanish where the formula g, a part of it, has the constant value c."""
    queue, seen = [(f, f.pool.constant(0))], set[tuple[int, int]]()
    while queue and len(seen) < _MOST:
        g, c = queue.pop(0)
        if (g.index, c.index) not in seen and g.op != "constant":
            seen.add((g.index, c.index))
            yield g, c
            queue += _inner(g, c)


def _inner(f: Expr, v: Expr) -> list[tuple[Expr, Expr]]:
    """f = v where one of these has its value."""
    pool, (x, *_) = f.pool, f.args or (f,)
    if f.op in ("add", "sub", "mul", "div"):
        return _solved(f, v)
    if f.op == "neg":
        return [(x, -v)]
    if f.op in ("power_integer", "abs"):
        root = _root(v, f.value) if f.op == "power_integer" else v
        return [] if root is None else [(x, root), (x, -root)]
    if f.op == "sqrt":
        return [(x, v * v)]
    number = int(v.value) if v.op == "constant" and v.value in (-1, 0, 1, 2) else None
    if f.op in _INVERSE and number not in (0, 1):
        return [(x, pool.node(_INVERSE[f.op], v))]
    if number is None or (f.op == "pow" and number in (0, 1)) or (f.op in _ODD and number == 0 and (f.op, 0) not in _TURNS):
        return [] if number is None else [(x, v)]
    values = [pool.constant(w) for w in _VALUES.get((f.op, number), ())]
    return [(x, w) for w in [*values, *(pool.constant("pi") * w if w else pool.constant(0) for w in _TURNS.get((f.op, number), ()))]]


def _root(v: Expr, k: int) -> Expr | None:
    """The k-th root of a rational number, if it is rational."""
    if v.op != "constant" or not isinstance(v.value, Fraction):
        return None
    sign = -1 if v.value < 0 else 1
    roots = [round(abs(n) ** (1 / k)) if abs(n) < _LARGEST else 0 for n in (v.value.numerator, v.value.denominator)]
    found = Fraction(sign * roots[0], max(roots[1], 1))
    return v.pool.constant(found) if found**k == v.value else None


def _solved(f: Expr, v: Expr) -> list[tuple[Expr, Expr]]:
    a, b = f.args
    zero = v.op == "constant" and v.value == 0
    if f.op == "mul":
        found = [(y, v / x) for x, y in ((a, b), (b, a)) if _number(x)]
        return found or ([(a, v), (b, v)] if zero else [])
    if f.op == "div":
        return [(a, v * b)] if _number(b) else [(a, v)] if zero else []
    if _number(b):
        return [(a, v - b if f.op == "add" else v + b)]
    if _number(a):
        return [(b, v - a if f.op == "add" else a - v)]
    inputs = [e for e in reachable([f]) if e.op in ("variable", "parameter")]
    return [(inputs[0], f.pool.constant(c)) for c in _SIMPLE] if len(inputs) == 1 else []


def _number(e: Expr) -> bool:
    """A constant as it stands, or a few operations on such."""
    return e.op == "constant" or (e.op in ("neg", "mul", "div", "add", "sub", "sqrt") and all(map(_number, e.args)))


def linear(f: Expr, v: Expr) -> tuple[Expr, Expr]:
    """f = v, solved for what f is a linear function of, as far as its numbers are constants."""
    while f.op in ("neg", "add", "sub", "mul", "div"):
        inner = [(f.args[0], -v)] if f.op == "neg" else _solved(f, v) if any(map(_number, f.args)) else []
        if len(inner) != 1:
            break
        f, v = inner[0]
    return f, v
