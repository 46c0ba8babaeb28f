"""Formulas: read from text in prefix form, and enclosed over boxes with their first and second derivatives.

A formula is an atom or (operator formula ...). Atoms are integers, fractions p/q, hexadecimal doubles, pi, e, names of variables, and #k,
the k-th definition. Nothing of the text is ever executed: an operator is looked up in the table of this file, and what is not there is
refused, but functions that the log itself assumes (`Assumed`).

A derivative is a formula, too: that of each operator by its arguments stands beside it. So only values are ever computed, in Arb's balls:
every result encloses what it stands for, and is nan where the formula is undefined somewhere in the box, or where it has no derivative. A
jet is (value, {i: derivative}, {(i, j): second derivative, i <= j}), by the variables at the places i; what is not in it is zero.
"""

import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from .text import Formula, count, number, read, require

LARGEST = 300_000
"""The largest number of operations of all formulas of a program together."""
FARTHEST, USUAL, EXPONENTIAL = 1 << 1000, 1 << 12, 1 << 200
"""A number is written as 2^k times 64 bits, with |k| below FARTHEST, so it is short: a chain of a thousand squares, each of which
doubles k, is refused. What is no product and no exponential adds less than USUAL to the greatest |k|, as do numbers of a log (DIGITS) and
doubles. Of greater exponentials than 2^EXPONENTIAL Arb gives no finite enclosure."""
PRODUCTS = {"*": 1, "square": 2, "w f + m f f / 2": 2}
"""The |k| of a product, against those of its factors together."""
CONSTANTS = {"pi": arb.pi, "e": arb.const_e}
Jet = tuple[Any, dict[int, Any], dict[tuple[int, int], Any]]


# -- operators ----------------------------------------------------------------------------------------------------


def constant(value: Fraction | int | str) -> Any:
    return CONSTANTS[value]() if isinstance(value, str) else arb(fmpq(value.numerator, value.denominator))


def square(x: Any) -> Any:
    lo, hi = x.abs_lower(), x.abs_upper()
    return x * x if x.is_exact() else (lo * lo).union(hi * hi) + 0 * x


def absolute(x: Any) -> Any:
    return x.abs_lower().union(x.abs_upper()) + 0 * x


def choice(s: Any, a: Any, b: Any) -> Any:
    """a where s > 0, b where s < 0, else one of both."""
    return a if s > 0 else b if s < 0 else a.union(b) + 0 * s


def jump(s: Any, a: Any, b: Any) -> Any:
    """a where s > 0, b where s < 0, nothing where s may be 0."""
    return a if s > 0 else b if s < 0 else arb("nan")


def weighed(f: Any, w: Any, m: Any) -> Any:
    return w * f + m / 2 * square(f)


# Of each operator: how many arguments a, b, c it has; its value y; and its derivatives by each of these. Those of choices are by the
# variable by which a, b, c have the derivatives da, db, dc. Where the arguments of max, min, abs may be equal they are Clarke's, with which
# the mean value theorem holds; of other choices nothing is known there. A name with spaces cannot be written in a log.
RULES: dict[str, tuple[int, Callable[..., Any], tuple[str, ...] | str]] = {
    "+": (2, operator.add, ("1", "1")), "-": (2, operator.sub, ("1", "-1")), "*": (2, operator.mul, ("b", "a")),
    "neg": (1, operator.neg, ("-1",)), "inv": (1, lambda a: 1 / a, ("(neg (square y))",)), "square": (1, square, ("(* 2 a)",)),
    "w f + m f f / 2": (3, weighed, ("(+ b (* c a))", "a", "(* 1/2 (square a))")), "abs": (1, absolute, "(if a da (neg da))"),
    "max": (2, arb.max, "(if (- a b) da db)"), "min": (2, arb.min, "(if (- b a) da db)"),
    "if": (3, choice, "(jump a db dc)"), "jump": (3, jump, "(jump a db dc)"),
    "floor": (1, arb.floor, ("(jump (min (- a y) (- (+ y 1) a)) 0 0)",)),
    "sin": (1, arb.sin, ("(cos a)",)), "cos": (1, arb.cos, ("(neg (sin a))",)), "tan": (1, arb.tan, ("(+ 1 (square y))",)),
    "exp": (1, arb.exp, ("y",)), "log": (1, arb.log, ("(inv a)",)), "sqrt": (1, arb.sqrt, ("(inv (* 2 y))",)),
    "asin": (1, arb.asin, ("(inv (sqrt (- 1 (square a))))",)), "acos": (1, arb.acos, ("(neg (inv (sqrt (- 1 (square a)))))",)),
    "atan": (1, arb.atan, ("(inv (+ 1 (square a)))",)), "sinh": (1, arb.sinh, ("(cosh a)",)), "cosh": (1, arb.cosh, ("(sinh a)",)),
    "tanh": (1, arb.tanh, ("(- 1 (square y))",)), "asinh": (1, arb.asinh, ("(inv (sqrt (+ 1 (square a))))",)),
}  # fmt: skip
DERIVATIVES = {name: [read(text)[0] for text in ([rule] if isinstance(rule, str) else rule)] for name, (_, _, rule) in RULES.items()}
MANY = ("+", "*", "max", "min")
"""Operators that may have more than two arguments."""


class Assumed:
    """A function that a log assumes: its values over a box lie between two formulas of both ends of each argument, lo0, hi0, lo1, ... Its
    derivatives, if the log assumes any, are formulas of the arguments x0, x1, ... and of the value, which is the last of these.
    """

    def __init__(self, name: str, arguments: int, formulas: Sequence[Formula], earlier: Mapping[str, "Assumed"]) -> None:
        require(name.isidentifier() and name not in (*RULES, *CONSTANTS, *earlier), f"{name[:40]!r} is no name for a function")
        require(len(formulas) in (2, 2 + arguments), f"{name[:40]} has two bounds, and a derivative by each argument or none")
        self.name, self.arguments, self.formulas, self.program = name, arguments, formulas, FormulaProgram(earlier)
        names = {f"{end}{k}": self.program.variable() for k in range(arguments) for end in ("lo", "hi")}
        self.places = [self.program.add(formula, names) for formula in formulas[:2]]
        scratch = FormulaProgram(earlier)
        for formula in formulas[2:]:
            scratch.add(formula, {f"x{k}": scratch.variable() for k in range(arguments + 1)})
        require(not any(isinstance(value, str) and at == "variable" for own in (self.program, scratch) for at, _, value in own.operations),
                f"bounds of {name[:40]} are formulas of lo0, hi0, lo1, ..., and derivatives of x0, x1, ...")

    def __call__(self, *boxes: Any) -> Any:
        """A ball that holds the values over a box."""
        if not all(x.is_finite() for x in boxes):
            return arb("nan")
        (low, _, _), (high, _, _) = self.program.jets(self.places, [end for x in boxes for end in (x.lower(), x.upper())], 0, ())
        return low.union(high) + 0 * sum(boxes)

    def slopes(self, y: int, args: Sequence[int], program: "FormulaProgram") -> list[int]:
        """The derivatives, where the function itself is bounded."""
        require(len(self.formulas) > 2, f"of {self.name} no derivative is assumed")
        names, none = {f"x{k}": place for k, place in enumerate([*args, y])}, program.operation("*", program.number(0), y)
        return [program.operation("+", program.add(formula, names), none) for formula in self.formulas[2:]]


class FormulaProgram:
    """Formulas as a list of operations, each on results of earlier ones; those of numbers alone are done once."""

    def __init__(self, assumed: Mapping[str, Assumed] | None = None) -> None:
        self.known: dict[Any, int] = {}
        self.assumed = dict(assumed or {})
        self.operations: list[tuple[str, tuple[int, ...], Any]] = []
        self.constants: list[Any] = []
        self.sizes: list[int] = []
        self.slopes: dict[tuple[int, int], int] = {}
        self.variables: list[int] = []
        self.plan = functools.lru_cache(maxsize=64)(self._plan)

    def add(self, formula: Formula, names: Mapping[str, int]) -> int:
        """The place of a formula's value; `names`: those of definitions, as #1, and of some variables."""
        if isinstance(formula, str):
            if formula in names:
                return names[formula]
            if formula.isidentifier() and formula not in CONSTANTS:
                return self.variable(formula)
            return self.number(formula if formula in CONSTANTS else number(formula))
        name, *parts = formula or [""]
        args = [self.add(part, names) for part in parts]
        known = isinstance(name, str) and (len(args) == self.arguments(name) or (name in MANY and len(args) > 2))
        require(known, f"{str(name)[:40]!r} with {len(args)} arguments is nothing that a formula may contain")
        return self.folded(str(name), args) if name in MANY else self.operation(str(name), *args)

    def assume(self, args: Sequence[Formula]) -> None:
        """A function, by a name, how many arguments it has, and its formulas."""
        name = str(args[0])
        self.assumed[name] = Assumed(name, count(args[1]), args[2:], self.assumed)

    def arguments(self, name: str) -> int:
        """The number of arguments of an operator; -1 where there is none of this name."""
        return RULES[name][0] if name in RULES else self.assumed[name].arguments if name in self.assumed else -1

    def function(self, name: str) -> Callable[..., Any]:
        """The value of an operator."""
        return RULES[name][1] if name in RULES else self.assumed[name]

    def operation(self, name: str, *args: int, value: Any = None) -> int:
        """The place of the result; `value`: which number or variable it is."""
        if name == "*" and args[0] == args[1]:
            name, args = "square", args[:1]
        key = name, args, value
        if key not in self.known:
            require(len(self.operations) < LARGEST, f"the formulas and their derivatives have more than {LARGEST} operations")
            self.sizes.append(self._size(name, [self.sizes[a] for a in args]))
            given = [self.constants[a] for a in args]
            unknown = name == "variable" or any(x is None for x in given)
            self.known[key] = len(self.operations)
            self.operations.append(key)
            self.constants.append(constant(value) if name == "number" else None if unknown else self.function(name)(*given))
        return self.known[key]

    def _size(self, name: str, sizes: Sequence[int]) -> int:
        """A bound of |k| of the result."""
        size = PRODUCTS[name] * sum(sizes) + 64 if name in PRODUCTS else max(sizes, default=0) + USUAL
        size = max(size, EXPONENTIAL) if name in ("exp", "sinh", "cosh") else size
        require(size < FARTHEST, "a formula multiplies numbers so often that they may be beyond 2^(2^1000)")
        return size

    def number(self, value: Fraction | int | str) -> int:
        return self.operation("number", value=value)

    def variable(self, name: str | None = None) -> int:
        """One that stands for others (`take`), or without a name the next of those for which `jets` is given balls."""
        place = self.operation("variable", value=len(self.variables) if name is None else name)
        self.variables += [place] if name is None else []
        return place

    def folded(self, name: str, places: Iterable[int]) -> int:
        return functools.reduce(functools.partial(self.operation, name), places)

    def total(self, places: Iterable[int]) -> int:
        return self.folded("+", [*places] or [self.number(0)])

    def product(self, a: int, b: int) -> int:
        one = self.number(1)
        return b if a == one else a if b == one else self.operation("*", a, b)

    def take(self, other: "FormulaProgram", places: Iterable[int], bound: Mapping[str, int]) -> list[int]:
        """Results of another program, whose variables stand for these of this one."""
        wanted, new = [*places], dict[int, int]()
        self.assumed.update(other.assumed)
        for place in other.before(wanted):
            name, args, value = other.operations[place]
            require(name != "variable" or value in bound, f"{value!r} is no number, and no variable of this formula")
            new[place] = bound[value] if name == "variable" else self.operation(name, *(new[a] for a in args), value=value)
        return [new[place] for place in wanted]

    def before(self, places: Iterable[int]) -> list[int]:
        """All that results depend on, and these, in order."""
        found, stack = set[int](), [*places]
        while stack:
            place = stack.pop()
            if place not in found:
                found.add(place)
                stack.extend(self.operations[place][1])
        return sorted(found)

    # -- derivatives ----------------------------------------------------------------------------------------------

    def derive(self, places: Iterable[int], i: int) -> None:
        """Note in `slopes` where the derivatives of results by a variable are, of those that depend on it."""
        for place in self.before(places):
            if (place, i) not in self.slopes and (place == i or any((a, i) in self.slopes for a in self.operations[place][1])):
                self.slopes[place, i] = self.number(1) if place == i else self._slope(place, i)
        require(len(self.slopes) <= 4 * LARGEST, f"the formulas have more than {4 * LARGEST} derivatives")

    def _slope(self, place: int, i: int) -> int:
        """By the chain rule."""
        name, args, _ = self.operations[place]
        if name in self.assumed:
            own = [(partial, self.slopes[a, i]) for partial, a in zip(self.assumed[name].slopes(place, args, self), args, strict=True)
                   if (a, i) in self.slopes]
            return self.total(self.product(partial, slope) for partial, slope in own)
        names, slopes = {"y": place, **dict(zip("abc", args, strict=False))}, [self.slopes.get((a, i)) for a in args]
        if isinstance(RULES[name][2], str):
            known = [self.number(0) if slope is None else slope for slope in slopes]
            return self.add(DERIVATIVES[name][0], {**names, **dict(zip(("da", "db", "dc"), known, strict=False))})
        return self.total(self.product(self.add(partial, names), slope)
                          for partial, slope in zip(DERIVATIVES[name], slopes, strict=True) if slope is not None)

    def dependent(self, places: Sequence[int], free: Sequence[int]) -> list[int]:
        """Determinants that vanish where the derivatives of m results by some variables are linearly dependent: each of those by the first
        m - 1 and one more.
        """
        require(len(places) <= 6, "the derivatives of more than 6 equations are not compared")
        for i in free:
            self.derive(places, i)
        table, m = [[self.slopes.get((place, i), self.number(0)) for place in places] for i in free], len(places)
        return [self._determinant([*table[:m - 1], row]) for row in table[m - 1:]]

    def _determinant(self, table: Sequence[Sequence[int]]) -> int:
        """By its first row."""
        if not table:
            return self.number(1)
        minors = [self._determinant([[*row[:k], *row[k + 1:]] for row in table[1:]]) for k in range(len(table))]
        terms = [self.product(entry, minor) for entry, minor in zip(table[0], minors, strict=True)]
        return self.total(term if k % 2 == 0 else self.operation("neg", term) for k, term in enumerate(terms))

    # -- values ---------------------------------------------------------------------------------------------------

    def jets(self, places: Sequence[int], values: Sequence[Any], order: int, free: Sequence[int]) -> list[Jet]:
        """The jets of results up to an order, by the variables at the places `free`, for balls of the first variables, or of all."""
        layout, steps = self.plan(tuple(places), order, tuple(free))
        done = self.constants.copy()
        for place, ball in zip(self.variables, values, strict=False):
            done[place] = ball
        for place, function, args in steps:
            done[place] = function(*[done[a] for a in args])
        return [(done[row], {i: done[at] for i, at in g.items()}, {ij: done[at] for ij, at in h.items()}) for row, g, h in layout]

    def _plan(self, places: Sequence[int], order: int, free: Sequence[int]) -> tuple[list[Any], list[Any]]:
        """The places of the parts of jets, and the steps that compute them: functions and their arguments."""
        for i in free if order else ():
            self.derive(places, i)
        first = [{i: self.slopes[place, i] for i in free if order and (place, i) in self.slopes} for place in places]
        for j in free if order > 1 else ():
            self.derive([at for g in first for i, at in g.items() if i <= j], j)
        second = [{(i, j): self.slopes[at, j] for i, at in g.items() for j in free if order > 1 and i <= j and (at, j) in self.slopes}
                  for g in first]
        needed = self.before(at for rows in (places, *(g.values() for g in first), *(h.values() for h in second)) for at in rows)
        steps = [(at, *self.operations[at]) for at in needed if self.constants[at] is None and at not in self.variables]
        return [*zip(places, first, second, strict=True)], [(at, self.function(name), args) for at, name, args, _ in steps]
