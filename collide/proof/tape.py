"""The formulas of a system as a tape of operations on balls, for the prover's native loop.

Nothing rests on it: the prover looks with it for steps that Arb will verify. So rounding is not bounded here, and steps are taken only
where something is to spare.
"""

import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from codegen.graph.expr import Expr, ExprPool
from codegen.kernel import Kernel
from codegen.machine.structures import LANES

from .checker.formulas import Assumed, FormulaProgram
from .checker.text import read, written
from .native.evaluate import ADD, MUL, NEG, SUB
from .text import NoLog

_STEPS = {"+": ADD, "-": SUB, "*": MUL, "neg": NEG}
# Arb encloses sin and cos of wide balls with 30 bits; and what it adds to other functions, by measurement.
_WIDE, _WIDE_PART, _ADDED = 2e-9, 1e-8, 1.002
# Where a function jumps, radii are taken so much larger, and by such a part of the middle, for what is rounded there and in Arb.
_MORE, _PART = 1 + 1e-3, 1e-15
_ASSUMED = "assumed "


class Ball:
    """A register."""

    __slots__ = ("at", "tape")

    def __init__(self, tape: "Tape", at: int) -> None:
        self.tape, self.at = tape, at


class Tape:
    """The operations so far."""

    def __init__(self, variables: int) -> None:
        self.variables = variables
        self.code: list[tuple[int, int, int, int]] = []
        self.constants: list[tuple[int, float]] = []
        self.calls: list[str] = ["", "", "", ""]
        self.registers = variables
        self._known: dict[Any, Ball] = {}
        self._one = self.constant(1.0)

    def _new(self) -> Ball:
        self.registers += 1
        return Ball(self, self.registers - 1)

    def variable(self, i: int) -> Ball:
        return Ball(self, i)

    def constant(self, number: float) -> Ball:
        key = number.hex()  # nan, too, has one register
        if key not in self._known:
            self._known[key] = self._new()
            self.constants.append((self._known[key].at, number))
        return self._known[key]

    def number(self, value: float) -> Ball:
        """A register for one number alone, which may be changed."""
        own = self._new()
        self.constants.append((own.at, value))
        return own

    def step(self, operation: int, a: Ball, b: Ball) -> Ball:
        if operation == MUL and self._one.at in (a.at, b.at):
            return a if b.at == self._one.at else b
        key = operation, a.at, b.at
        if key not in self._known:
            result = self._known[key] = self._new()
            self.code.append((operation, result.at, a.at, b.at))
        return self._known[key]

    def called(self, name: str, a: Ball, b: Ball) -> Ball:
        if name not in self.calls:
            self.calls.append(name)
        return self.step(self.calls.index(name), a, b)

    def chooses(self, operation: int) -> bool:
        return self.calls[operation:operation + 1] == ["choose"]

    def run(self, program: FormulaProgram, places: Iterable[int], given: Sequence[Ball], bounds: Mapping[int, Ball]) -> dict[int, Ball]:
        """The balls of results of a program, and of all that they depend on; `bounds`: those of numbers that are told later."""
        done = {**dict(zip(program.variables, given, strict=False)), **bounds}
        for at in program.before(places):
            (name, args, _), value = program.operations[at], program.constants[at]
            if value is not None and at not in done:
                done[at] = self.constant(float(value))
            elif at not in done:
                own = program.assumed.get(name)
                done[at] = self._operation(name if own is None else assumption(own), *(done[a] for a in args))
        return done

    def _operation(self, name: str, a: Ball, *more: Ball) -> Ball:
        if name in _STEPS:
            return self.step(_STEPS[name], a, more[0] if more else a)
        if name in ("if", "jump"):
            return self.choice(a, *more) if name == "if" else self.jump(a, *more)
        return self.called(name, a, more[0] if more else a)

    def choice(self, s: Ball, a: Ball, b: Ball) -> Ball:
        return self._chosen(s, a, b, self.step(ADD, self.called("hull", a, b), self.step(MUL, self.constant(0.0), s)))

    def jump(self, s: Ball, a: Ball, b: Ball) -> Ball:
        return self._chosen(s, a, b, self.called("undefined", a, a))

    def _chosen(self, s: Ball, a: Ball, b: Ball, either: Ball) -> Ball:
        """One of three neighbours in the registers, by the sign of s; `either` where that is undecided."""
        key = "three", a.at, b.at, either.at
        if key not in self._known:
            three = [self._new() for _ in range(3)]
            for place, x in zip(three, (a, b, either), strict=True):
                self.code.append((ADD, place.at, x.at, self.constant(0.0).at))
            self._known[key] = three[0]
        return self.called("choose", self.called("sign", s, s), self._known[key])


def addresses(names: list[str]) -> list[int]:
    """The addresses of the code of operations."""
    return [_kernel(name).block_address("points") if name else 0 for name in names]


@functools.cache
def _kernel(name: str) -> Kernel:
    """An operation on balls: middle and radius are variables, those of a second operand parameters."""
    pool = ExprPool()
    x = pool.variable(0), pool.variable(1)
    y = tuple(pool.parameter(k) for k in range(6))
    if name.startswith(_ASSUMED):
        return Kernel(list(_assumed(pool, name, x, y)), ["mid", "rad"], [f"y{k}" for k in range(6)], None, True)
    outputs = _TWO[name](pool, x, y) if name in _TWO else _FUNCTIONS[name](pool, *x)
    return Kernel(list(outputs), ["mid", "rad"], [f"y{k}" for k in range(6)], None, True)


def assumption(f: Assumed) -> str:
    """The operation of a function that the log assumes, as a name that tells all of it."""
    if f.arguments > 2:
        raise NoLog(f"no log can be written for {f.name}, which has more than two arguments")
    lines = [" ".join([g.name, str(g.arguments), *map(written, g.formulas)]) for g in (*f.program.assumed.values(), f)]
    return _ASSUMED + "\n".join(lines)


def _assumed(pool: ExprPool, name: str, x: Any, y: Any) -> tuple[Expr, Expr]:
    """Between both bounds; somewhat more for what Arb adds."""
    program = FormulaProgram()
    for line in name.removeprefix(_ASSUMED).split("\n"):
        program.assume(read(line))
    own = [*program.assumed.values()][-1]
    ends = [e for ball in (x, y[:2])[:own.arguments] for e in _ends(ball)]
    low, high = _graph(pool, own, ends)
    mid, rad = _between(pool.node("min", low, high), pool.node("max", low, high))
    return mid, rad * (1 + _WIDE_PART) + pool.node("abs", mid) * _PART


def _graph(pool: ExprPool, f: Assumed, given: Sequence[Expr]) -> list[Expr]:
    """The bounds of a function at ends of its arguments; a function within is its two bounds' middle."""
    done = dict(zip(f.program.variables, given, strict=True))
    for at in f.program.before(f.places):
        name, args, value = f.program.operations[at]
        if name == "number":
            done[at] = pool.constant({"pi": "pi", "e": "e"}.get(value, value))
        elif name in f.program.assumed:
            inner = f.program.assumed[name]
            low, high = _graph(pool, inner, [done[a] for a in args for _ in range(2)])
            done[at] = 0.5 * (low + high)
        elif at not in done:
            a = [done[a] for a in args]
            done[at] = _PLAIN[name](*a) if name in _PLAIN else pool.node(name, *a)
    return [done[at] for at in f.places]


_PLAIN: dict[str, Callable[..., Expr]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "neg": operator.neg, "inv": lambda a: 1 / a, "square": lambda a: a**2,
    "if": lambda s, a, b: s.pool.node("choice", s, a, b), "jump": lambda s, a, b: s.pool.node("choice", s, a, b),
}  # fmt: skip


def _between(lo: Expr, hi: Expr) -> tuple[Expr, Expr]:
    return 0.5 * (lo + hi), 0.5 * (hi - lo)


def _ends(x: Any) -> tuple[Expr, Expr]:
    return x[0] - x[1], x[0] + x[1]


def _nan(pool: ExprPool) -> Expr:
    return pool.node("log", pool.constant(-1))


def _extreme(name: str) -> Callable[..., tuple[Expr, Expr]]:
    return lambda pool, x, y: _between(*(pool.node(name, a, b) for a, b in zip(_ends(x), _ends(y[:2]), strict=True)))


def _hull(pool: ExprPool, x: Any, y: Any) -> tuple[Expr, Expr]:
    (a, b), (c, d) = _ends(x), _ends(y[:2])
    return _between(pool.node("min", a, c), pool.node("max", b, d))


def _inverse(pool: ExprPool, x: Expr, r: Expr) -> tuple[Expr, Expr]:
    """The hull of both ends, as Arb has it of wide balls."""
    lo, hi = _ends((x, r))
    least = lo * hi
    mid = pool.where(pool.node("lt", pool.constant(0), least), x / least, _nan(pool))
    return mid, r / least + pool.node("abs", mid) * _widened(pool, x, r)


def _root(pool: ExprPool, x: Expr, r: Expr) -> tuple[Expr, Expr]:
    lo, hi = (pool.node("sqrt", e) for e in _ends((x, r)))
    mid = 0.5 * (lo + hi)
    return mid, pool.where(pool.node("eq", r, pool.constant(0)), r, 0.5 * r / mid + mid * _widened(pool, x, r))


def _widened(pool: ExprPool, x: Expr, r: Expr) -> Expr:
    """The widening of wide balls by Arb, against their size."""
    return pool.node("min", pool.constant(_WIDE_PART), 0.01 * r / pool.node("abs", x))


def _choose(pool: ExprPool, x: Any, y: Any) -> tuple[Expr, Expr]:
    sure = pool.node("eq", x[1], pool.constant(0))
    yes, no = (pool.node("and", sure, pool.node("eq", x[0], pool.constant(k))) for k in (1, -1))
    return tuple(pool.where(yes, y[k], pool.where(no, y[2 + k], y[4 + k])) for k in range(2))  # type: ignore[return-value]


def _square(pool: ExprPool, x: Expr, r: Expr) -> tuple[Expr, Expr]:
    most = (pool.node("abs", x) + r)**2
    crosses = pool.node("and", pool.node("le", pool.node("abs", x), r), pool.node("lt", pool.constant(0), r))
    return pool.where(crosses, 0.5 * most, x * x + r * r), pool.where(crosses, 0.5 * most, 2 * r * pool.node("abs", x))


def _absolute(pool: ExprPool, x: Expr, r: Expr) -> tuple[Expr, Expr]:
    least, most = _near(pool, x, r), _far(pool, x, r)
    return _between(least, most)


def _sign(pool: ExprPool, x: Expr, r: Expr) -> tuple[Expr, Expr]:
    sure = pool.node("lt", _MORE * r, pool.node("abs", x))
    unknown = x + r - (x + r)
    return pool.where(sure, pool.node("sign", x), unknown), pool.where(sure, pool.constant(0), unknown + 1)


def _floor(pool: ExprPool, x: Expr, r: Expr) -> tuple[Expr, Expr]:
    wide = pool.where(pool.node("eq", r, pool.constant(0)), r, _MORE * r + _PART * pool.node("abs", x))
    return _between(*(pool.node("floor", e) for e in _ends((x, wide))))


def _wave(name: str, crest: float) -> Callable[..., tuple[Expr, Expr]]:
    """sin or cos, which is 1 at `crest`."""
    def function(pool: ExprPool, x: Expr, r: Expr) -> tuple[Expr, Expr]:
        lo, hi = _ends((x, r))
        a, b = pool.node(name, lo), pool.node(name, hi)

        def passes(place: float) -> Expr:
            turns = [(e - place) * (0.5 / math.pi) for e in (lo, hi)]
            return pool.node("le", pool.node("ceiling", turns[0]), pool.node("floor", turns[1]))
        least = pool.where(passes(crest + math.pi), pool.constant(-1), pool.node("min", a, b))
        most = pool.where(passes(crest), pool.constant(1), pool.node("max", a, b))
        mid, rad = _between(least, most)
        point = pool.node("eq", r, pool.constant(0))
        return pool.where(point, pool.node(name, x), mid), pool.where(point, r, pool.node("min", rad + _WIDE, 1.01 * r))
    return function


def _near(pool: ExprPool, x: Expr, r: Expr) -> Expr:
    """The least size of numbers of a ball; and the greatest."""
    return pool.node("max", pool.node("abs", x) - r, pool.constant(0))


def _far(pool: ExprPool, x: Expr, r: Expr) -> Expr:
    return pool.node("abs", x) + r


def _smooth(name: str, steepest: Callable[[ExprPool, Expr, Expr], Expr]) -> Callable[..., tuple[Expr, Expr]]:
    """A function, and by how much it changes at most; a little more for what Arb adds."""
    return lambda pool, x, r: (pool.node(name, x), _ADDED * r * steepest(pool, x, r))


def _tangent_slope(pool: ExprPool, x: Expr, r: Expr) -> Expr:
    lo, hi = ((e - math.pi / 2) * (1 / math.pi) for e in _ends((x, r)))
    ends = [pool.node("tan", e)**2 + 1 for e in _ends((x, r))]
    broken = pool.node("lt", pool.node("floor", lo), pool.node("floor", hi))
    return pool.where(broken, _nan(pool), pool.node("max", *ends))


def _hyperbolic(name: str, slope: str) -> Callable[..., tuple[Expr, Expr]]:
    """As sin and cos, with 30 bits for wide balls."""
    def function(pool: ExprPool, x: Expr, r: Expr) -> tuple[Expr, Expr]:
        far = _far(pool, x, r)
        return pool.node(name, x), r * pool.node(slope, far) + pool.node("min", r, pool.constant(_WIDE)) * pool.node("cosh", far)
    return function


_TWO: dict[str, Callable[..., tuple[Expr, Expr]]] = {
    "max": _extreme("max"), "min": _extreme("min"), "hull": _hull, "choose": _choose}
_FUNCTIONS: dict[str, Callable[..., tuple[Expr, Expr]]] = {
    "sin": _wave("sin", math.pi / 2), "cos": _wave("cos", 0.0), "square": _square, "abs": _absolute, "sign": _sign, "floor": _floor,
    "undefined": lambda pool, x, r: (_nan(pool), _nan(pool)),
    "tan": _smooth("tan", _tangent_slope), "exp": _smooth("exp", lambda pool, x, r: pool.node("exp", x + r)),
    "log": _smooth("log", lambda pool, x, r: pool.node("exp", -pool.node("log", x - r))),
    "sqrt": _root, "inv": _inverse,
    "asin": _smooth("asin", lambda pool, x, r: (1.02 + 0.5 * r) / pool.node("sqrt", 1 - _far(pool, x, r)**2)),
    "acos": _smooth("acos", lambda pool, x, r: (1.02 + 0.5 * r) / pool.node("sqrt", 1 - _far(pool, x, r)**2)),
    "atan": _smooth("atan", lambda pool, x, r: 1 / (_near(pool, x, r)**2 + 1)),
    "sinh": _hyperbolic("sinh", "cosh"), "cosh": _hyperbolic("cosh", "sinh"),
    "tanh": _smooth("tanh", lambda pool, x, r: 1.05 * pool.node("exp", 2 * r) / pool.node("cosh", _near(pool, x, r))**2),
    "asinh": _smooth("asinh", lambda pool, x, r: (1 + 1.5 * r) / pool.node("sqrt", _near(pool, x, r)**2 + 1)),
}


def constants_of(tape: Tape) -> np.ndarray:
    """The registers of a tape as they are at first."""
    balls = np.zeros((tape.registers, 2 * LANES))
    for at, number in tape.constants:
        balls[at, :LANES] = number
    return balls
