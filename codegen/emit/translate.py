"""Translation of the nodes of an expression graph to operations on vectors, independent of the kind of code.

A value is one or more vectors of lanes: -lo and hi of an interval, surely true and surely false of a truth value, one vector for
points; a level is one more vector, where decorations are needed. What a vector is only the writer knows (`lower` writes machine code,
`bytecode` for the interpreter); it stands here for a name that is passed on.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ..deadline import check
from ..graph.binders import constants
from ..graph.expr import Expr, reachable
from ..graph.signs import LARGEST, SignFacts, analyse
from ..reference.interpreter import enclose_constant
from .dispatch import INLINE, PAIRED, POINT, interval_operation, level_operation, shown
from .elementary import arithmetic, logic
from .lanes import Emit, Kind

Vector = Any
Values = tuple[Vector, ...]

# Nodes that are translated between two looks at the clock: some milliseconds.
_GLANCE = 128
# Operations whose value depends on the level of one of their arguments, and which one that is.
_GUARD = {"refined": 0, "trusted": 1}
# What `either` does not use: where a form counts is a level for bounds, and a number for points.
_FOR_BOUNDS, _FOR_POINTS = 2, 3


def vectors(kind: Kind) -> tuple[int, int]:
    """Vectors an input and vectors an output in the blocks of this kind."""
    return {"interval": (2, 2), "decorated": (2, 3), "points": (1, 1)}[kind]


def decorated_nodes(outputs: Sequence[Expr], kind: Kind) -> set[int]:
    """The nodes whose level is needed: all for a decorated kernel, else those below the functions being refined."""
    if kind == "points":
        return set()
    order = reachable(outputs)
    if kind == "decorated":
        return {e.index for e in order}
    roots = [e.args[_GUARD[e.op]] for e in order if e.op in _GUARD]
    roots += [e.args[k] for e in order if e.op == "either" for k in (0, _FOR_BOUNDS)]
    # The body of a loop may ask for the levels of what it takes from outside.
    roots += [a for e in order if e.op == "loop" for a in e.args]
    return {e.index for e in reachable(roots)}


def live_nodes(outputs: Sequence[Expr], kind: Kind, decorated: set[int]) -> list[Expr]:
    """The nodes to compute. A guard counts for decorations only, an enclosed constant has no arguments."""
    seen: dict[int, Expr] = {}
    constant = constants(reachable(outputs))
    stack = list(outputs)
    while stack:
        e = stack.pop()
        if e.index in seen:
            continue
        seen[e.index] = e
        stack += used(e, kind, decorated, constant)
    return [seen[k] for k in sorted(seen)]


def used(e: Expr, kind: Kind, decorated: set[int], constant: dict[int, bool]) -> tuple[Expr, ...]:
    """The arguments that this kind of code takes."""
    if (kind == "points" and e.op in _GUARD) or (e.op == "guarded" and e.index not in decorated):
        return e.args[:1]
    if e.op == "either":
        return (*e.args[:2], e.args[_FOR_POINTS if kind == "points" else _FOR_BOUNDS])
    return () if constant[e.index] and kind != "points" else e.args


class Translation:
    """Walks the nodes to compute, in order: `node` leaves the vectors of a node in `values`, that of its level in `levels` (None: 3).

    `bounded`: see `Kernel`. Results then pass through `confined`, which makes them the whole line where an input is larger than what was
    taken for granted: what comes there before, be it NaN, is not looked at. `guard`: products that may be 0 * inf are guarded; where they
    are not, somebody else looks whether one was (see `unguarded`).
    """

    def __init__(self, outputs: Sequence[Expr], kind: Kind, bounded: bool = False, guard: bool = True) -> None:
        self.outputs, self.kind, self.bounded, self.guard = outputs, kind, bounded, guard
        self.decorated = decorated_nodes(outputs, kind)
        self.order = live_nodes(outputs, kind, self.decorated)
        self.known: dict[int, SignFacts] = analyse(reachable(outputs), bounded) if kind != "points" else {}
        self.constant = constants(reachable(outputs))
        self.factors = Counter(a.index for e in self.order if e.op == "mul" for a in e.args)
        self.enclosures: dict[int, tuple[float, float]] = {}
        self.values: dict[int, Values] = {}
        self.levels: dict[int, Vector | None] = {}
        self.pairs = self._find_pairs()

    # -- to be written ------------------------------------------------------------------------------------------

    def number(self, x: float) -> Vector:
        """The same double in every lane."""
        raise NotImplementedError

    def input(self, e: Expr) -> Values:
        """The vectors of a variable or parameter."""
        raise NotImplementedError

    def apply(self, name: str, emit: Emit, *args: Vector, short: bool = False) -> Values:
        """The results of the operation `name`, written by `emit`. `short`: two or three instructions."""
        raise NotImplementedError

    def special(self, e: Expr) -> bool:
        """Treat a node that only this writer knows. Return whether it is one."""
        return False

    def needed(self, e: Expr) -> tuple[Expr, ...]:
        """The arguments that are taken."""
        return used(e, self.kind, self.decorated, self.constant)

    # -- nodes --------------------------------------------------------------------------------------------------

    def node(self, e: Expr) -> None:
        if e.index in self.values:
            return
        if len(self.values) % _GLANCE == 0:
            check()
        self.levels[e.index] = None
        if e.op in ("variable", "parameter"):
            self.values[e.index] = self.input(e)
        elif self.special(e):
            pass
        elif self.kind == "points":
            self.values[e.index] = self._point(e)
        elif self.constant[e.index]:
            self._constant(e)
        else:
            self.values[e.index] = self._interval(e)
            if e.index in self.decorated:
                self.levels[e.index] = self._level(e)

    def results(self, e: Expr) -> Values:
        """The vectors of an output."""
        values = self.values[e.index]
        if self.bounded:
            values = self.apply("confined", logic.confined, *values, self.excess(), short=True)
        return (*values, self.levels[e.index] or self.number(3.0)) if self.kind == "decorated" else values

    def excess(self) -> Vector:
        """+inf in lanes where an input is larger than `LARGEST`, -inf in others."""
        raise NotImplementedError

    def make_excess(self) -> Vector:
        """The `excess` of the largest end of the inputs. One of the two numbers of an interval (-lo, hi) with lo <= hi is as large as the
        larger end.
        """
        largest = self.number(0.0)
        for e in self.order:
            for end in self.input(e) if e.op in ("variable", "parameter") else ():
                (largest,) = self.apply("larger_end", logic.larger_end, end, largest, short=True)
        return self.apply("excess", logic.excess, largest, self.number(LARGEST), short=True)[0]

    def _arguments(self, e: Expr) -> Values:
        return tuple(v for a in e.args for v in self.values[a.index])

    def _constant(self, e: Expr) -> None:
        """A constant expression is a constant function: differentiable wherever it is defined at all."""
        lo, hi = self._enclosed(e)
        self.values[e.index] = (self.number(-lo), self.number(hi))
        self.levels[e.index] = self.number(0.0) if math.isinf(lo) and math.isinf(hi) else None

    def _enclosed(self, e: Expr) -> tuple[float, float]:
        if e.index not in self.enclosures:
            self.enclosures[e.index] = enclose_constant(e)
        return self.enclosures[e.index]

    def _interval(self, e: Expr) -> Values:
        if e.op == "guarded":
            return self.values[e.args[0].index]
        if e.op == "undefined":
            return self.number(math.inf), self.number(math.inf)
        if e.op in _GUARD:
            return self._trusting(e)
        if e.op == "either":
            return self._either(e)
        if e.index in self.pairs:
            return self._paired(e)
        if e.op == "mul" and any(self.constant[a.index] for a in e.args):
            return self._scaled(e)
        inline = INLINE.get(e.op)
        if inline is not None:
            return self.apply(e.op, inline, *self._arguments(e), short=True)
        name, emit = interval_operation(e, [self.known[a.index] for a in e.args], self.guard)
        return self.apply(name, emit, *self._ordered(e, name))

    def _trusting(self, e: Expr) -> Values:
        """`refined`: both are bounds where f is continuous on the whole box; elsewhere only the natural extension is. `trusted`: the same
        for a level, with the whole line elsewhere.
        """
        level = self.levels[e.args[_GUARD[e.op]].index]
        if e.op == "refined":
            if level is None:
                return self.apply("intersect", logic.intersect, *self._arguments(e), short=True)
            return self.apply("refine", logic.refine, *self._arguments(e), level, short=True)
        values = self.values[e.args[0].index]
        return values if level is None else self.apply("trust", logic.trust, *values, level, self.number(float(e.value)), short=True)

    def _either(self, e: Expr) -> Values:
        first, second, guard, _ = e.args
        levels = [self._level_of(a) for a in (first, guard)]
        values = *self.values[first.index], *self.values[second.index], *levels, self.number(float(e.value))
        return self.apply("either", logic.either, *values, short=True)

    def _level_of(self, e: Expr) -> Vector:
        return self.levels[e.index] or self.number(3.0)

    def _ordered(self, e: Expr, name: str) -> Values:
        """The arguments, the nonnegative factor first where the product is specialized for it, of others the one that has most products:
        what depends on the first one alone is computed once (see `arithmetic.multiply`).
        """
        exchanged = False
        if name.startswith("multiply_nonnegative"):
            exchanged = not self.known[e.args[0].index].nonnegative
        elif name in ("multiply", "multiply_finite"):
            exchanged = self.factors[e.args[1].index] > self.factors[e.args[0].index]
        if exchanged:
            a, b = e.args
            return (*self.values[b.index], *self.values[a.index])
        return self._arguments(e)

    def _scaled(self, e: Expr) -> Values:
        a, b = e.args
        if not self.constant[a.index]:
            a, b = b, a
        (n, h), (lo, hi) = self.values[b.index], self._enclosed(a)
        emit, values, numbers = arithmetic.constant_product(n, h, lo, hi)
        return self.apply(emit.__name__, emit, *values, *map(self.number, numbers), short=True)

    def _find_pairs(self) -> dict[int, Expr]:
        """sin and cos of the same argument share one argument reduction: each points at the other."""
        first: dict[tuple[int, ...], Expr] = {}
        pairs: dict[int, Expr] = {}
        for e in self.order:
            if e.op in ("sin", "cos") and not (self.constant[e.index] and self.kind != "points"):
                other = first.setdefault((e.args[0].index,), e)
                if other is not e:
                    pairs[e.index], pairs[other.index] = other, e
        return pairs

    def _paired(self, e: Expr) -> Values:
        name = "sincos" if self.kind != "points" else "sincos_point"
        both = self.apply(name, PAIRED[name], *self._arguments(e))
        half = len(both) // 2
        sine, cosine = both[:half], both[half:]
        other = self.pairs[e.index]
        self.values[other.index] = sine if other.op == "sin" else cosine
        self.levels[other.index] = self._level(other) if other.index in self.decorated else None
        return sine if e.op == "sin" else cosine

    # -- decorations --------------------------------------------------------------------------------------------

    def _level(self, e: Expr) -> Vector | None:
        """min of the arguments' levels and the operation's own; None stands for 3 everywhere."""
        if e.op == "undefined":
            return self.number(0.0)
        if e.op in ("midpoint", "centre"):
            return None
        if e.op in _GUARD:
            return self.levels[e.args[0].index]
        if e.op in ("where", "choice", "restricted", "guarded"):
            return self._chosen_level(e)
        if e.op == "either":
            levels = [self._level_of(a) for a in e.args[:3]]
            return self.apply("either_level", logic.either_level, *levels, self.number(float(e.value)), short=True)[0]
        own: Vector | None = None
        found = level_operation(e)
        if found is not None:
            (own,) = self.apply(*found, *self._arguments(e))
        for a in e.args:
            level = self.levels[a.index]
            if level is not None:
                own = level if own is None else self._least(own, level)
        return own

    def _least(self, a: Vector, b: Vector) -> Vector:
        return self.apply("least_level", logic.least_level, a, b, short=True)[0]

    def _chosen_level(self, e: Expr) -> Vector | None:
        three = self.number(3.0)
        levels = [self.levels[a.index] or three for a in e.args]
        if e.op == "guarded":
            if self.levels[e.args[1].index] is None:
                return self.levels[e.args[0].index]
            return self.apply("guarded_level", logic.guarded_level, levels[0], levels[1], short=True)[0]
        if e.op == "restricted":
            (chosen,) = self.apply("restricted_level", logic.restricted_level, *self.values[e.args[0].index], levels[1], short=True)
            return self._least(chosen, levels[0])
        emit = logic.chosen_level if e.op == "where" else logic.choice_level
        (chosen,) = self.apply(emit.__name__, emit, *self.values[e.args[0].index], levels[1], levels[2], short=True)
        return self._least(chosen, levels[0])

    # -- points -------------------------------------------------------------------------------------------------

    def _point(self, e: Expr) -> Values:
        if e.op == "constant":
            return (self.number(_nearest(e)),)
        if e.op == "undefined":
            return (self.number(math.nan),)
        if e.op == "guarded" or e.op in _GUARD:
            return self.values[e.args[0].index]
        if e.index in self.pairs:
            return self._paired(e)
        if e.op == "either":
            values = tuple(v for a in self.needed(e) for v in self.values[a.index])
            return self.apply("either_point", logic.either_point, *values)
        name, emit, short = _point_operation(e)
        return self.apply(name, emit, *self._arguments(e), short=short)


def _point_operation(e: Expr) -> tuple[str, Emit, bool]:
    emit, inline = POINT[e.op]
    if e.value is None:
        return f"{e.op}_{len(e.args)}_point", emit, inline
    return f"{e.op}_{shown(e.value)}_point", _with_value(emit, e.value), inline


def _with_value(emit: Callable[..., Any], value: Any) -> Emit:
    return lambda L, *a: emit(L, *a, value)


def _nearest(e: Expr) -> float:
    if isinstance(e.value, Fraction):
        try:
            return float(e.value)
        except OverflowError:
            return math.inf if e.value > 0 else -math.inf
    lo, hi = enclose_constant(e)
    return lo if lo == hi else 0.5 * (lo + hi)
