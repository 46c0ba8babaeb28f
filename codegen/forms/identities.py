"""Functions that have a second form, tighter somewhere than the one they are written in: both are taken, and intersected.

Each identity holds at all real numbers where the first form is defined, or where a guard says so.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..graph.expr import Expr, ExprPool, natural
from .removable import removable, vanishing

# The largest distance of two arguments of the gamma function for which their ratio is written as a product.
_PRODUCT = 20
# Arguments of the gamma function for which at points a ratio is better computed by logarithms.
_LARGE = 100
# Operations of a linear formula that are taken apart, at most.
_OPERATIONS = 64


def both(first: Expr, second: Expr, guard: Expr | None = None, near: Expr | float = 2) -> Expr:
    """Two forms of one function. The second holds where the guard is differentiable; without one, everywhere. At points it is taken where
    `near` is less than 1 in size.
    """
    pool = first.pool
    return pool.node("either", first, second, pool.constant(1) if guard is None else guard, pool.lift(near), value=3)


def cotangent(x: Expr) -> Expr:
    """1/tan x has no value at the poles of the tangent, where the cotangent is 0: there it is the tangent of the complement."""
    pool = x.pool
    return both(1 / pool.node("tan", x), pool.node("tan", pool.constant("pi") * Fraction(1, 2) - x))


def fraction(x: Expr) -> Expr:
    """x - floor(x) lies in [0, 1]."""
    pool = x.pool
    return _within(x - pool.node("floor", x), pool.constant(0), pool.constant(1))


def modulo(x: Expr, y: Expr) -> Expr:
    """x - y floor(x / y) lies between 0 and y."""
    pool = x.pool
    zero, rest = pool.constant(0), x - y * pool.node("floor", x / y)
    if y.op == "constant":
        positive = isinstance(y.value, str) or y.value > 0
        return _within(rest, zero if positive else y, y if positive else zero)
    return _within(rest, pool.node("min", y, zero), pool.node("max", y, zero))


def repetition(terms: Sequence[Expr], total: Expr) -> Expr:
    """b u + d + c floor(a u + s) with b = -a c is c s + d less c times a fraction, which is between 0 and 1: x - 2 floor(x/2 + 1/2) lies
    between -1 and 1.
    """
    steps = [(k, found) for k, e in enumerate(terms) if (found := _linear(e))[0].op == "floor"]
    if len(steps) != 1 or not 2 <= len(terms) <= 3:
        return total
    (k, (step, c, added)), *_ = steps
    others = [e for j, e in enumerate(terms) if j != k]
    (u, a, s), (v, b, d) = _linear(step.args[0]), _linear(others[0] if len(others) == 1 else others[0] + others[1])
    if u is not v or u.op == "constant" or b != -a * c:
        return total
    end, pool = c * s + d + added, total.pool
    return _within(total, pool.constant(min(end, end - c)), pool.constant(max(end, end - c)))


def _within(e: Expr, lo: Expr, hi: Expr) -> Expr:
    return both(e, e.pool.node("min", e.pool.node("max", e, lo), hi))


def logarithm(x: Expr) -> Expr:
    """log(1 + s) vanishes with s; log(1 + e^s) = max(s, 0) + log(1 + e^-|s|) does not overflow."""
    pool, s = x.pool, _beyond_one(x)
    plain = pool.node("log", x)
    if s is None:
        return plain
    if s.op == "exp":
        (t,) = s.args
        tail = pool.node("exp", -pool.node("abs", t))
        return both(plain, pool.node("max", t, pool.constant(0)) + vanishing(pool.node("log", 1 + tail), tail), near=0)
    return vanishing(plain, s)


def _beyond_one(x: Expr) -> Expr | None:
    """s, if x is 1 + s."""
    if x.op in ("add", "sub") and _one(x.args[0]):
        return x.args[1] if x.op == "add" else -x.args[1]
    if x.op == "add" and _one(x.args[1]):
        return x.args[0]
    return x.args[0] + 1 if x.op == "sub" and x.args[1].op == "constant" and x.args[1].value == -1 else None


def _one(e: Expr) -> bool:
    return e.op == "constant" and e.value == 1


def difference(terms: Sequence[Expr], total: Expr) -> Expr:
    """e^s - 1 vanishes with s."""
    for one, power in (terms, reversed(terms)) if len(terms) == 2 else ():
        if one.op == "constant" and one.value == -1 and power.op == "exp":
            return vanishing(total, power.args[0])
        if _one(one) and power.op == "neg" and power.args[0].op == "exp":
            return -vanishing(-total, power.args[0].args[0])
    return total


def product(factors: Sequence[Expr]) -> Expr:
    """Factors with negative exponents are gathered into one denominator: one division instead of several."""
    plain = _quotient(*_gathered(factors))
    above, below = _gathered([natural([e])[0] for e in factors])
    if below is None:
        return plain
    kept = any(e.op == "either" and e.args[0].op == "div" for e in factors)
    found = removable(above, below, plain if kept else None)
    return plain if found is None else found


def _gathered(factors: Sequence[Expr]) -> tuple[Expr, Expr | None]:
    above: Expr | None = None
    below: Expr | None = None
    for a in factors:
        if a.op == "div" and _one(a.args[0]):
            below = a.args[1] if below is None else below * a.args[1]
        else:
            above = a if above is None else above * a
    return factors[0].pool.constant(1) if above is None else above, below


def _quotient(above: Expr, below: Expr | None) -> Expr:
    """Ratios that are bounded where their parts are not."""
    if below is None:
        return _odd_root(above) if above.op == "mul" else above
    plain = above / below
    if above.op == "exp" and _beyond_one(below) is above:
        return both(plain, 1 / (1 + above.pool.node("exp", -above.args[0])), near=0)
    if above.op == below.op == "gamma":
        return _gamma_ratio(plain, above.args[0], below.args[0])
    return _single(plain, above, below)


def _single(plain: Expr, above: Expr, below: Expr) -> Expr:
    """(a u + b) / (c u + d) = a/c + (b - a d / c) / (c u + d), where u occurs once: x/(1 + x) is 1 at most for x > 0."""
    (u, a, b), (v, c, d) = _linear(above), _linear(below)
    rest = b - a * d / c
    if u is not v or u.op == "constant" or rest == 0:
        return plain
    return both(plain, rest / below + a / c)


def _linear(e: Expr) -> tuple[Expr, Fraction, Fraction]:
    """(u, a, b) with e = a u + b, a not 0; of a formula of very many operations u is one that could be taken apart further."""
    a, b = Fraction(1), Fraction(0)
    for _ in range(_OPERATIONS):
        u, added = _shifted(e)
        b += a * added
        number, rest = _scaled(u)
        if number is not None:
            a, u = a * number, rest
        elif u.op == "sub" and u.args[0].op == "constant" and isinstance(u.args[0].value, Fraction):
            a, b, u = -a, b + a * u.args[0].value, u.args[1]
        elif u is e:
            break
        e = u
    return e, a, b


def _scaled(e: Expr) -> tuple[Fraction | None, Expr]:
    """A number that is not 0 and the formula that it is a factor of; None and `e` where it is no such product."""
    if e.op == "neg":
        return Fraction(-1), e.args[0]
    for number, rest in (e.args, e.args[::-1]) if e.op == "mul" else ():
        if number.op == "constant" and isinstance(number.value, Fraction) and number.value != 0:
            return number.value, rest
    return None, e


def _gamma_ratio(plain: Expr, a: Expr, b: Expr) -> Expr:
    """gamma(a)/gamma(b) for a, b > 0: a product where a - b is a small integer, else the exponential of a difference."""
    pool, steps = plain.pool, _distance(a, b)
    positive = pool.node("log", a) + pool.node("log", b)
    if steps is None or abs(steps) > _PRODUCT:
        return both(plain, pool.node("exp", pool.node("loggamma", a) - pool.node("loggamma", b)), positive, _LARGE / a)
    total, least = pool.constant(1), b if steps > 0 else a
    for k in range(abs(steps)):
        total = total * (least + k)
    return both(plain, total if steps > 0 else 1 / total, positive, 0)


def _distance(a: Expr, b: Expr) -> int | None:
    """a - b, if it is seen to be an integer."""
    (x, p), (y, q) = _shifted(a), _shifted(b)
    return int(p - q) if x is y and (p - q).denominator == 1 else None


def _shifted(e: Expr) -> tuple[Expr, Fraction]:
    """e as a formula and a number that is added to it."""
    for x, number in ((e.args[0], e.args[1]), (e.args[1], e.args[0])) if e.op in ("add", "sub") else ():
        if number.op == "constant" and isinstance(number.value, Fraction) and (e.op == "add" or number is e.args[1]):
            return x, number.value if e.op == "add" else -number.value
    return e, Fraction(0)


def _odd_root(e: Expr) -> Expr:
    """sign(s) |s|^q with q > 0 is continuous: the difference of the powers of both sides."""
    pool = e.pool
    for step, power in (e.args, e.args[::-1]) if any(a.op == "sign" for a in e.args) else ():
        base, raised = _root(power)
        if step.op == "sign" and base is not None and base.op == "abs" and base.args[0] is step.args[0]:
            s, zero = step.args[0], pool.constant(0)
            return both(e, raised(pool.node("max", s, zero)) - raised(pool.node("max", -s, zero)))
    return e


def _root(e: Expr) -> tuple[Expr | None, Callable[[Expr], Expr]]:
    """The base of a positive constant power that is no integer, and the power as a function."""
    pool: ExprPool = e.pool
    if e.op == "sqrt":
        return e.args[0], lambda x: pool.node("sqrt", x)
    if e.op == "pow" and e.args[1].op == "constant" and isinstance(e.args[1].value, Fraction) and e.args[1].value > 0:
        return e.args[0], lambda x: pool.node("pow", x, e.args[1])
    return None, lambda x: x
