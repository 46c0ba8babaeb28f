"""Three-valued truth over boxes, and the choice it drives.

A truth value on a box is the pair (surely true, surely false) of lanes; undecided is (0, 0). A lane holds 1.0 where the proof holds in a
neighbourhood of the box too, if what is compared is continuous there, and `TOUCHING` where it holds on the box alone, which touches the
switch: as x <= 0 on [-1, 0]. For points a truth value is one lane, 1.0 or 0.0. Masks would do within one function, but doubles pass
through memory and calls like every other value.
"""

import math

from ..lanes import Lanes

Value = str


TOUCHING = 0.75
"""A truth value that is proved on the box, not around it."""


def _flag(L: Lanes, mask: str) -> Value:
    return L.select(mask, L.const(1.0), L.const(0.0))


def _graded(L: Lanes, around: str, on_box: str) -> Value:
    return L.select(around, L.const(1.0), L.select(on_box, L.const(TOUCHING), L.const(0.0)))


def _holds(L: Lanes, flag: Value) -> str:
    return L.gt(flag, L.const(0.5))


def _holds_around(L: Lanes, flag: Value) -> str:
    return L.gt(flag, L.const(TOUCHING))


def true(L: Lanes) -> tuple[Value, Value]:
    return L.const(1.0), L.const(0.0)


def false(L: Lanes) -> tuple[Value, Value]:
    return L.const(0.0), L.const(1.0)


def lt(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> tuple[Value, Value]:
    """x < y: surely where X lies below Y, surely not where X lies at or above Y."""
    return _flag(L, L.lt(xh, L.neg(yn))), _graded(L, L.gt(L.neg(xn), yh), L.ge(L.neg(xn), yh))


def le(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> tuple[Value, Value]:
    return _graded(L, L.lt(xh, L.neg(yn)), L.le(xh, L.neg(yn))), _flag(L, L.gt(L.neg(xn), yh))


def eq(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> tuple[Value, Value]:
    """x = y: surely where both boxes are the same point, surely not where they are disjoint."""
    points = L.both(L.eq(xh, L.neg(xn)), L.eq(yh, L.neg(yn)))
    apart = L.either(L.lt(xh, L.neg(yn)), L.lt(yh, L.neg(xn)))
    return L.select(L.both(points, L.eq(xh, yh)), L.const(TOUCHING), L.const(0.0)), _flag(L, apart)


def and_(L: Lanes, at: Value, af: Value, bt: Value, bf: Value) -> tuple[Value, Value]:
    return L.min(at, bt), L.max(af, bf)


def or_(L: Lanes, at: Value, af: Value, bt: Value, bf: Value) -> tuple[Value, Value]:
    return L.max(at, bt), L.min(af, bf)


def not_(L: Lanes, at: Value, af: Value) -> tuple[Value, Value]:
    return af, at


def around(L: Lanes, at: Value, af: Value) -> tuple[Value, Value]:
    """Only what holds in a neighbourhood of the box, too: undecided where the box touches the switch."""
    return _flag(L, _holds_around(L, at)), _flag(L, _holds_around(L, af))


def where(L: Lanes, ct: Value, cf: Value, an: Value, ah: Value, bn: Value, bh: Value) -> tuple[Value, Value]:
    """The branch that is surely taken, else the hull of both."""
    yes, no = _holds(L, ct), _holds(L, cf)
    return (L.select(yes, an, L.select(no, bn, L.max(an, bn))),
            L.select(yes, ah, L.select(no, bh, L.max(ah, bh))))


def restricted(L: Lanes, ct: Value, cf: Value, an: Value, ah: Value) -> tuple[Value, Value]:
    """The value, which is one wherever the condition holds; the whole line where it surely fails."""
    no, infinity = _holds(L, cf), L.const(math.inf)
    return L.select(no, infinity, an), L.select(no, infinity, ah)


def restricted_level(L: Lanes, ct: Value, cf: Value, a: Value) -> tuple[Value]:
    """The level of the value where the condition surely holds, at most 2 where the box touches the switch; else 0."""
    taken = L.select(_holds_around(L, ct), a, L.min(a, L.const(2.0)))
    return (L.select(_holds(L, ct), taken, L.const(0.0)),)


def restricted_point(L: Lanes, c: Value, a: Value) -> tuple[Value]:
    return (L.select(_holds(L, c), a, L.const(math.nan)),)


def chosen_level(L: Lanes, ct: Value, cf: Value, a: Value, b: Value) -> tuple[Value]:
    """Level of `where`: that of the branch taken, at most 2 where the box touches the switch; undecided, the function may jump: at most 1.
    """
    undecided = L.min(L.min(a, b), L.const(1.0))
    taken = L.select(_holds(L, ct), a, L.select(_holds(L, cf), b, undecided))
    return (L.min(taken, L.select(_holds_around(L, L.max(ct, cf)), L.const(3.0), L.const(2.0))),)


def _sides(L: Lanes, sn: Value, sh: Value) -> tuple[str, str]:
    """Masks: s > 0 on the whole box, s < 0 on the whole box."""
    return L.lt(sn, L.const(0.0)), L.lt(sh, L.const(0.0))


def choice(L: Lanes, sn: Value, sh: Value, an: Value, ah: Value, bn: Value, bh: Value) -> tuple[Value, Value]:
    """a where s > 0, b where s < 0, and the hull of both where the box of s holds 0: Clarke's gradient at a kink."""
    above, below = _sides(L, sn, sh)
    return (L.select(above, an, L.select(below, bn, L.max(an, bn))),
            L.select(above, ah, L.select(below, bh, L.max(ah, bh))))


def choice_level(L: Lanes, sn: Value, sh: Value, a: Value, b: Value) -> tuple[Value]:
    above, below = _sides(L, sn, sh)
    return (L.select(above, a, L.select(below, b, L.min(L.min(a, b), L.const(1.0)))),)


def choice_point(L: Lanes, s: Value, a: Value, b: Value) -> tuple[Value]:
    """At s = 0 the middle of a and b, NaN where s is."""
    zero = L.const(0.0)
    middle = L.add(L.mul(L.add(a, b), L.const(0.5)), s)
    return (L.select(L.gt(s, zero), a, L.select(L.lt(s, zero), b, middle)),)


def lt_point(L: Lanes, x: Value, y: Value) -> tuple[Value]:
    return (_flag(L, L.lt(x, y)),)


def le_point(L: Lanes, x: Value, y: Value) -> tuple[Value]:
    return (_flag(L, L.le(x, y)),)


def eq_point(L: Lanes, x: Value, y: Value) -> tuple[Value]:
    return (_flag(L, L.eq(x, y)),)


def and_point(L: Lanes, a: Value, b: Value) -> tuple[Value]:
    return (L.min(a, b),)


def or_point(L: Lanes, a: Value, b: Value) -> tuple[Value]:
    return (L.max(a, b),)


def not_point(L: Lanes, a: Value) -> tuple[Value]:
    return (L.sub(L.const(1.0), a),)


def where_point(L: Lanes, c: Value, a: Value, b: Value) -> tuple[Value]:
    return (L.select(_holds(L, c), a, b),)


# -- levels that decide ---------------------------------------------------------------------------------------------------


def least_level(L: Lanes, a: Value, b: Value) -> tuple[Value]:
    return (L.min(a, b),)


def guarded_level(L: Lanes, level: Value, guard: Value) -> tuple[Value]:
    """The level where that of the guard is 3, else 0."""
    return (L.select(L.eq(guard, L.const(3.0)), level, L.const(0.0)),)


def intersect(L: Lanes, fn: Value, fh: Value, n: Value, h: Value) -> tuple[Value, Value]:
    return L.min(n, fn), L.min(h, fh)


def refine(L: Lanes, fn: Value, fh: Value, n: Value, h: Value, level: Value) -> tuple[Value, Value]:
    """The intersection of both where the level is 2 or more, else the first."""
    both = intersect(L, fn, fh, n, h)
    continuous = L.ge(level, L.const(2.0))
    return L.select(continuous, both[0], fn), L.select(continuous, both[1], fh)


def trust(L: Lanes, n: Value, h: Value, level: Value, least: Value) -> tuple[Value, Value]:
    """[lo, hi] where the level is at least `least`, else the whole line."""
    enough, infinity = L.ge(level, least), L.const(float("inf"))
    return L.select(enough, n, infinity), L.select(enough, h, infinity)


def either(L: Lanes, an: Value, ah: Value, bn: Value, bh: Value, a: Value, guard: Value, least: Value) -> tuple[Value, Value]:
    """The first of two forms of one function where the level of the guard is less than `least`; else the second, and the intersection of
    both where the first is proved to be defined: where it is not, its bounds hold of a limit only, which the second has as a value.
    """
    trusted, both = L.ge(guard, least), L.ge(a, L.const(1.0))
    return tuple(L.select(trusted, L.select(both, L.min(x, y), y), x) for x, y in ((an, bn), (ah, bh)))  # type: ignore[return-value]


def either_level(L: Lanes, a: Value, b: Value, guard: Value, least: Value) -> tuple[Value]:
    """The greater of both levels, where the guard has the level `least`."""
    return (L.select(L.ge(guard, least), L.max(a, b), a),)


def either_point(L: Lanes, a: Value, b: Value, near: Value) -> tuple[Value]:
    """The second near the place where the first loses its digits: there `near` is less than 1 in size."""
    return (L.select(L.lt(L.abs(near), L.const(1.0)), b, a),)


# -- inputs of known size -----------------------------------------------------------------------------------------


def larger_end(L: Lanes, a: Value, b: Value) -> tuple[Value]:
    return (L.max(a, b),)


def excess(L: Lanes, largest: Value, allowed: Value) -> tuple[Value]:
    """+inf where an end is larger than allowed, -inf elsewhere."""
    return (L.select(L.gt(largest, allowed), L.const(math.inf), L.const(-math.inf)),)


def confined(L: Lanes, n: Value, h: Value, beyond: Value) -> tuple[Value, Value]:
    """The whole line where `excess` is +inf: a maximum drops a NaN in its first operand."""
    return L.max(n, beyond), L.max(h, beyond)
