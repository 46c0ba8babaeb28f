"""Derivatives of random formulas with switches, on boxes that lie on these, against their limits from each side.

A formula at a point p has one smooth formula in each direction from it: that of the branches, signs and integers just beside p, found
exactly at p + d / 2^40. Its derivative at p is the limit of derivatives from that side, which bounds on a box that holds p must enclose.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

import codegen
from codegen.graph.autodiff import jacobian
from codegen.reference.interpreter import interpret

x, y = sp.symbols("x y", real=True)
HALF, BESIDE, DIGITS, ROUNDING = sp.Rational(1, 2), sp.Rational(1, 2**40), 60, 1e-11
_RELATIONS = (sp.Lt, sp.Le, sp.Gt, sp.Ge, sp.Eq, sp.Ne)


def linear(rng: random.Random) -> Any:
    return rng.choice([x, y, -x, x - HALF, y + HALF, x - y, x + y, 2 * x - 1, x + 2 * y])


def smooth(rng: random.Random) -> Any:
    a, b = linear(rng), linear(rng)
    return rng.choice([a, 3 * a, a * b, a**2 - b, sp.sin(a) + b, sp.exp(a), a**3, 2 + a * b**2, sp.cos(a * b), sp.Integer(1)])


def condition(rng: random.Random, depth: int) -> Any:
    kind = rng.random()
    if depth and kind < 0.3:
        parts = condition(rng, depth - 1), condition(rng, depth - 1)
        return rng.choice([sp.And, sp.Or])(*parts) if kind < 0.24 else sp.Not(parts[0])
    return rng.choice(_RELATIONS)(rng.choice([linear(rng), linear(rng), formula(rng, depth - 1) if depth > 0 else smooth(rng)]), 0)


def formula(rng: random.Random, depth: int) -> Any:
    """A formula with switches within switches, at most so deep."""
    if depth <= 0 or rng.random() < 0.15:
        return smooth(rng)
    a, b, c = (formula(rng, depth - 1) for _ in range(3))
    own = rng.choice([linear(rng), a])
    return rng.choice([
        lambda: sp.Piecewise((a, condition(rng, depth - 1)), (b, True)),
        lambda: sp.Piecewise((a, condition(rng, 1)), (a + linear(rng) * b, True)),
        lambda: sp.Piecewise((a, condition(rng, 1)), (b, condition(rng, 0)), (c, True)),
        lambda: sp.Abs(own) * b, lambda: sp.Abs(own)**3 + b, lambda: sp.sign(own) * b, lambda: own * sp.sign(own) + b,
        lambda: sp.Min(a, b), lambda: sp.Max(own, b), lambda: sp.Min(sp.Max(own, -HALF), HALF), lambda: sp.floor(own) * b,
        lambda: sp.ceiling(own) + a, lambda: sp.Heaviside(own) * b, lambda: sp.Mod(own, 2) * b, lambda: sp.frac(own) + a * b,
        lambda: own * sp.Piecewise((1, condition(rng, 0)), (-1, True)), lambda: a + b, lambda: a * b,
        lambda: own * sp.atan2(linear(rng), linear(rng)), lambda: sp.sin(a) - b,
    ])()  # fmt: skip


class Ambiguous(Exception):
    """A switch just at the place that is looked at."""


def beside(e: Any, at: dict[Any, Any]) -> Any:
    """The smooth formula that holds at a place."""
    if not e.args:
        return e
    if isinstance(e, sp.Piecewise):
        return next((beside(f, at) for f, c in e.args if holds(c, at)), sp.nan)
    args = [beside(a, at) for a in e.args]
    if isinstance(e, sp.Abs):
        return args[0] * sign_of(args[0], at)
    if isinstance(e, sp.sign):
        return sp.Integer(sign_of(args[0], at))
    if isinstance(e, sp.Heaviside):
        return sp.Integer((sign_of(args[0], at) + 1) // 2)
    if isinstance(e, (sp.Min, sp.Max)):
        best = args[0]
        for a in args[1:]:
            if a != best and (sign_of(a - best, at) > 0) is isinstance(e, sp.Max):
                best = a
        return best
    if isinstance(e, (sp.floor, sp.ceiling)):
        below = integer_below(args[0], at)
        return sp.Integer(below + isinstance(e, sp.ceiling))
    if isinstance(e, sp.frac):
        return args[0] - integer_below(args[0], at)
    if isinstance(e, sp.Mod):
        return args[0] - args[1] * integer_below(args[0] / args[1], at)
    if isinstance(e, sp.atan2):
        return branch_of_angle(*args, at)
    return e.func(*args)


def branch_of_angle(b: Any, a: Any, at: dict[Any, Any]) -> Any:
    """atan2 without its cut."""
    if sign_of(a, at) > 0:
        return sp.atan(b / a)
    return sp.pi / 2 * sign_of(b, at) - sp.atan(a / b) if b != 0 else sp.pi


def value(e: Any, at: dict[Any, Any]) -> Any:
    return sp.sympify(e).subs(at).evalf(DIGITS)


def finite(number: Any) -> float:
    return float(number) if number.is_Float or number.is_Rational else np.nan


def sign_of(e: Any, at: dict[Any, Any]) -> int:
    number = value(e, at)
    if not (number.is_real and abs(number) > sp.Float(10) ** -45):
        raise Ambiguous
    return 1 if number > 0 else -1


def integer_below(e: Any, at: dict[Any, Any]) -> int:
    number = value(e, at)
    if not number.is_real or abs(number - round(number)) < sp.Float(10) ** -45:
        raise Ambiguous
    return int(sp.floor(number))


def holds(c: Any, at: dict[Any, Any]) -> bool:
    if c in (sp.true, sp.false):
        return bool(c)
    if isinstance(c, sp.Not):
        return not holds(c.args[0], at)
    if isinstance(c, sp.ITE):
        return holds(c.args[1 if holds(c.args[0], at) else 2], at)
    if isinstance(c, (sp.And, sp.Or)):
        return (all if isinstance(c, sp.And) else any)([holds(a, at) for a in c.args])
    difference = beside(c.lhs, at) - beside(c.rhs, at)
    if difference == 0:
        return isinstance(c, (sp.Le, sp.Ge, sp.Eq))
    if isinstance(c, (sp.Eq, sp.Ne)):
        sign_of(difference, at)
        return isinstance(c, sp.Ne)
    return (sign_of(difference, at) > 0) is isinstance(c, (sp.Gt, sp.Ge))


_STEPS = [(-1, "-3/7", "2/5", 1), ("-8/9", "-1/5", "1/3", "10/11")]
DIRECTIONS = [(sp.Rational(a), sp.Rational(b)) for a, b in product(*_STEPS)]


def limits(e: Any, p: Sequence[Any]) -> Iterator[tuple[tuple[Any, Any], list[float]]]:
    """Of each direction the limits of f, f_x, f_y, f_xx, f_xy, f_yx, f_yy at p from there, where they are finite."""
    here = dict(zip((x, y), p, strict=True))
    known: dict[Any, list[float]] = {}
    for d in DIRECTIONS:
        try:
            smooth_one = beside(e, {s: a + BESIDE * step for s, a, step in zip((x, y), p, d, strict=True)})
        except Ambiguous:
            continue
        if smooth_one not in known:
            first = [sp.diff(smooth_one, s) for s in (x, y)]
            parts = [smooth_one, *first, *(sp.diff(g, s) for g in first for s in (x, y))]
            numbers = [value(g, here) for g in parts]
            known[smooth_one] = list(map(finite, numbers))
        yield d, known[smooth_one]


def boxes(p: Sequence[Any], width: float) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Boxes that p is a corner, on a side, in the middle, or all of; on which sides they go on, -1, 1, 0 for none or 2 for both."""
    kinds = list(product((0, -1, 1, 2), repeat=2))
    at = np.array([float(a) for a in p])
    lo = np.array([[a - width * (k in (-1, 2)) for a, k in zip(at, kind, strict=True)] for kind in kinds])
    hi = np.array([[a + width * (k in (1, 2)) for a, k in zip(at, kind, strict=True)] for kind in kinds])
    return lo, hi, kinds


def inside(d: Sequence[Any], kind: Sequence[int]) -> bool:
    return all(k == 2 or (k != 0 and (step > 0) == (k > 0)) for step, k in zip(d, kind, strict=True))


def wrong(seed: int, second: bool = True) -> Iterator[str]:
    """What bounds and levels of one formula's derivatives say that its limits contradict."""
    rng = random.Random(f"switches {seed}")
    e = formula(rng, rng.choice((1, 1, 2, 2, 3)))
    p = [sp.Rational(rng.randint(-2, 2), 2) for _ in range(2)]
    lo, hi, kinds = boxes(p, rng.choice((2.0**-30, 0.125, 0.75)))
    kernel = codegen.compile([e], [x, y], quick=True)
    level = kernel.decorated(lo, hi)[2][:, 0]
    slopes = kernel.jacobian()
    found = [slopes.decorated(lo, hi)]
    reference = interpret(jacobian(kernel.outputs, kernel._differentiable()), lo, hi)
    orders = [("reference", reference, 1, 3), ("derivative", found[0], 1, 3)]
    if second:
        orders.append(("second derivative", kernel.hessian().decorated(lo, hi), 3, 7))
    at_p = finite(value(e, dict(zip((x, y), p, strict=True))))
    sides = list(limits(e, p))
    for row, kind in enumerate(kinds):
        yield from _levels(f"{e} at {p}, sides {kind}", int(level[row]), at_p, sides, kind)
        # A function has no derivative where it is undefined.
        for name, (below, above, own), first, last in orders if np.isfinite(at_p) else ():
            if own[row].any() and level[row] < 3:
                yield f"{e} at {p}, sides {kind}: a level {own[row]} of the {name}, of a function of level {level[row]}"
            for _, numbers in sides:
                for k in range(first, last):
                    n, a, b = numbers[k], below[row, k - first], above[row, k - first]
                    if np.isfinite(n) and not a - ROUNDING * (1 + abs(n)) <= n <= b + ROUNDING * (1 + abs(n)):
                        yield f"{e} at {p}, sides {kind}: {name} {k - first} is {n!r} from one side, not in [{a!r}, {b!r}]"


def _levels(what: str, level: int, at_p: float, sides: Sequence[Any], kind: Sequence[int]) -> Iterator[str]:
    if level >= 1 and np.isnan(at_p):
        yield f"{what}: level {level}, but it is undefined there"
    for d, numbers in sides:
        jump = abs(numbers[0] - at_p) > ROUNDING * (1 + abs(at_p))
        if jump and (level == 3 or (level == 2 and inside(d, kind))):
            yield f"{what}: level {level}, but it jumps from {at_p!r} to {numbers[0]!r}"
        if level == 3 and any(abs(a - b) > ROUNDING * (1 + abs(a)) for a, b in zip(numbers[1:3], sides[0][1][1:3], strict=True)):
            yield f"{what}: level 3, but derivatives are {numbers[1:3]} and {sides[0][1][1:3]}"


def compared(kind: str, seed: int, budget: float) -> tuple[str, list[str]]:
    try:
        return "looked at", list(wrong(seed))
    except codegen.UnsupportedExpression:
        return "not compiled", []
