"""Formulas: read from text in prefix form, and enclosed over boxes with their first and second derivatives.

A formula is an atom or (operator formula ...). Atoms are integers, fractions p/q, hexadecimal doubles, pi, e, names of variables, and #k,
the k-th definition. Nothing of the text is ever executed: an operator is looked up in the tables of this file, and what is not there is
refused.

A derivative is a formula, too: that of each operator by its arguments stands beside it. So only values are ever computed, by the
arithmetic of a backend, here Arb's balls: every result encloses what it stands for, and is nan where the formula is undefined somewhere in
the box, or where it has no derivative. A jet is (value, {i: derivative}, {(i, j): second derivative, i <= j}); what is not in it is zero.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from .text import Formula, Refused, number, read

LARGEST, EXPONENT = 300_000, 1000
"""How many operations all formulas have together, and the largest integer exponent."""
Jet = tuple[Any, dict[int, Any], dict[tuple[int, int], Any]]


# -- operators ----------------------------------------------------------------------------------------------------


class Arb:
    """What operators need beside + - * / and the functions that balls have."""

    @staticmethod
    def constant(value: Fraction | str) -> Any:
        if isinstance(value, str):
            return arb.pi() if value == "pi" else arb.const_e()
        return arb(fmpq(value.numerator, value.denominator))

    @staticmethod
    def square(x: Any) -> Any:
        lo, hi = x.abs_lower(), x.abs_upper()
        return x * x if x.is_exact() else (lo * lo).union(hi * hi) + 0 * x

    @staticmethod
    def absolute(x: Any) -> Any:
        return x.abs_lower().union(x.abs_upper()) + 0 * x

    @staticmethod
    def choice(s: Any, a: Any, b: Any) -> Any:
        """a where s > 0, b where s < 0, else one of both."""
        return a if s > 0 else b if s < 0 else a.union(b) + 0 * s

    @staticmethod
    def jump(s: Any, a: Any, b: Any) -> Any:
        """Likewise, but nothing where s may be 0."""
        return a if s > 0 else b if s < 0 else arb("nan")


def power(backend: Any, x: Any, n: int) -> Any:
    """x**n for n >= 0, by squares."""
    if n == 0:
        return 0 * x + 1
    root = power(backend, x, n // 2) if n > 1 else x
    even = backend.square(root) if n > 1 else root
    return even * x if n > 1 and n % 2 else even


# Of each operator: its value in a backend's arithmetic, and its derivatives by its arguments a and b, as formulas of these and of its
# value y; those of choices are below.
RULES: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "+": (lambda k, a, b: a + b, ("1", "1")), "-": (lambda k, a, b: a - b, ("1", "-1")), "*": (lambda k, a, b: a * b, ("b", "a")),
    "neg": (lambda k, a: -a, ("-1",)), "inv": (lambda k, a: 1 / a, ("(- (^ y 2))",)), "max": (lambda k, a, b: a.max(b), ()),
    "min": (lambda k, a, b: a.min(b), ()), "abs": (lambda k, a, b: k.absolute(a), ()), "if": (lambda k, s, a, b: k.choice(s, a, b), ()),
    "jump": (lambda k, s, a, b: k.jump(s, a, b), ()), "floor": (lambda k, a: a.floor(), ("(jump (min (- a y) (- (+ y 1) a)) 0 0)",)),
    "sin": (lambda k, a: a.sin(), ("(cos a)",)), "cos": (lambda k, a: a.cos(), ("(- (sin a))",)),
    "tan": (lambda k, a: a.tan(), ("(+ 1 (^ y 2))",)), "exp": (lambda k, a: a.exp(), ("y",)), "log": (lambda k, a: a.log(), ("(inv a)",)),
    "sqrt": (lambda k, a: a.sqrt(), ("(inv (* 2 y))",)), "asin": (lambda k, a: a.asin(), ("(inv (sqrt (- 1 (^ a 2))))",)),
    "acos": (lambda k, a: a.acos(), ("(- (inv (sqrt (- 1 (^ a 2)))))",)), "atan": (lambda k, a: a.atan(), ("(inv (+ 1 (^ a 2)))",)),
    "sinh": (lambda k, a: a.sinh(), ("(cosh a)",)), "cosh": (lambda k, a: a.cosh(), ("(sinh a)",)),
    "tanh": (lambda k, a: a.tanh(), ("(- 1 (^ y 2))",)), "asinh": (lambda k, a: a.asinh(), ("(inv (sqrt (+ 1 (^ a 2))))",)),
}  # fmt: skip
DERIVATIVES = {name: [read(text)[0] for text in texts] for name, (_, texts) in RULES.items()}
ARGUMENTS = {name: value.__code__.co_argcount - 1 for name, (value, _) in RULES.items()} | {"abs": 1}
MANY = ("+", "*", "max", "min")
"""Operators that may have more than two arguments."""


class Program:
    """Formulas as a list of operations, each on results of earlier ones; those of numbers alone are done once."""

    def __init__(self, variables: int, backend: Any = Arb) -> None:
        self.backend, self.variables = backend, variables
        self.known: dict[Any, int] = {}
        self.keys: list[tuple[Any, ...]] = []
        self.values: list[Any] = []
        self.slopes: list[dict[int, int]] = []
        self.derived = 0
        self.rows: list[int] = []
        for i in range(variables):
            self.operation("variable", i)
        self._plan = functools.lru_cache(maxsize=64)(self._planned)

    def add(self, formula: Formula, names: dict[str, int], definitions: Mapping[str, Formula]) -> int:
        """The place of a formula's value; `names` says where those of variables (and, as they are met, of definitions) are."""
        for name in _needed(formula, definitions, names):
            names[name] = self._add(definitions[name], names)
        return self._add(formula, names)

    def _add(self, formula: Formula, names: Mapping[str, int]) -> int:
        if isinstance(formula, str):
            return names[formula] if formula in names else self.number(formula if formula in ("pi", "e") else number(formula))
        name, *parts = formula or [""]
        if not isinstance(name, str):
            raise Refused("an operator is a name")
        if name == "^" and len(parts) == 2:
            return self.power(self._add(parts[0], names), number(parts[1]) if isinstance(parts[1], str) else Fraction(1, 2))
        args = [self._add(part, names) for part in parts]
        if name == "-" and len(args) == 1:
            name = "neg"
        if name == "/" and len(args) == 2:
            name, args = "*", [args[0], self.operation("inv", args[1])]
        if name not in RULES or (len(args) != ARGUMENTS[name] and not (name in MANY and len(args) > 2)):
            raise Refused(f"{name[:40]!r} with {len(args)} arguments is nothing that a formula may contain")
        if name == "abs":
            args.append(self.operation("neg", args[0]))
        return self.operation(name, *args) if name not in MANY else functools.reduce(functools.partial(self.operation, name), args)

    def number(self, value: Fraction | str) -> int:
        return self.operation("number", value)

    def power(self, base: int, n: Fraction) -> int:
        if n.denominator != 1 or abs(n) > EXPONENT:
            raise Refused(f"an exponent is an integer of at most {EXPONENT}")
        raised = base if abs(n) == 1 else self.operation("^", base, abs(int(n)))
        return raised if n >= 0 else self.operation("inv", raised)

    def product(self, a: int, b: int) -> int:
        one = self.number(Fraction(1))
        return b if a == one else a if b == one else self.operation("*", a, b)

    def operation(self, name: str, *args: Any) -> int:
        """The place of the result."""
        if name == "*" and args[0] == args[1]:
            name, args = "^", (args[0], 2)
        if (name, args) in self.known:
            return self.known[name, args]
        if len(self.keys) >= LARGEST:
            raise Refused(f"the formulas and their derivatives have more than {LARGEST} operations")
        place = self.known[name, args] = len(self.keys)
        self.keys.append((name, args))
        self.slopes.append({})
        self.values.append(self.backend.constant(args[0]) if name == "number" else None)
        if name not in ("number", "variable") and all(self.values[a] is not None for a in self._arguments(place)):
            self.values[place] = self._step(place)[1](*(self.values[a] for a in self._arguments(place)))
        return place

    def _arguments(self, place: int) -> tuple[int, ...]:
        name, args = self.keys[place]
        return () if name in ("number", "variable") else args[:1] if name == "^" else args

    def _step(self, place: int) -> tuple[int, Callable[..., Any], tuple[int, ...]]:
        """How a result is computed: by which function, of what."""
        name, args = self.keys[place]
        how = (lambda k, x, n=args[1]: power(k, x, n)) if name == "^" else RULES[name][0]
        return place, functools.partial(how, self.backend), self._arguments(place)

    # -- derivatives ----------------------------------------------------------------------------------------------

    def derive(self, places: Sequence[int], i: int) -> None:
        """Notes in `slopes` where the derivatives of results by the i-th variable are, of those that depend on it."""
        for place in self._before(places):
            args = self._arguments(place)
            if i not in self.slopes[place] and (place == i or any(i in self.slopes[a] for a in args)):
                self.slopes[place][i] = self._derivative(place, [self.slopes[a].get(i) for a in args])
                self.derived += 1
        if self.derived > 4 * LARGEST:
            raise Refused(f"the formulas have more than {4 * LARGEST} derivatives")

    def _derivative(self, place: int, slopes: Sequence[int | None]) -> int:
        """From those of the arguments, of which a result depends on one at least."""
        name, args = self.keys[place]
        if name == "variable":
            return self.number(Fraction(1))
        if name in ("max", "min", "abs", "if", "jump"):
            return self._of_choice(name, args, slopes[-2:])
        if name == "^":
            partials = [self.product(self.number(Fraction(args[1])), self.power(args[0], Fraction(max(args[1] - 1, 0))))]
        else:
            partials = [self._add(formula, {"y": place, **dict(zip("ab", args, strict=False))}) for formula in DERIVATIVES[name]]
        terms = [self.product(p, d) for p, d in zip(partials, slopes, strict=True) if d is not None]
        return functools.reduce(functools.partial(self.operation, "+"), terms)

    def _of_choice(self, name: str, args: Sequence[int], slopes: Sequence[int | None]) -> int:
        """Where the arguments of max, min, abs may be equal, derivatives are Clarke's, with which the mean value theorem holds; of other
        choices nothing is known there.
        """
        known = [self.number(Fraction(0)) if d is None else d for d in slopes]
        if name in ("max", "min"):
            args = [self.operation("-", *(args if name == "max" else args[::-1]))]
        return self.operation("jump" if name in ("if", "jump") else "if", args[0], *known)

    def dependent(self, places: Sequence[int], free: Sequence[int]) -> list[int]:
        """Determinants that vanish where the derivatives of m results by some variables are linearly dependent: each of those by the first
        m - 1 and one more.
        """
        for i in free:
            self.derive(places, i)
        m, zero = len(places), self.number(Fraction(0))
        table = [[self.slopes[place].get(i, zero) for place in places] for i in free]
        return [self._determinant([*table[:m - 1], row]) for row in table[m - 1:]]

    def _determinant(self, table: Sequence[Sequence[int]]) -> int:
        if not table:
            return self.number(Fraction(1))
        minors = [self.product(e, self._determinant([[*row[:k], *row[k + 1:]] for row in table[1:]])) for k, e in enumerate(table[0])]
        total = minors[0]
        for k, minor in enumerate(minors[1:], 1):
            total = self.operation("-" if k % 2 else "+", total, minor)
        return total

    def _before(self, places: Sequence[int]) -> list[int]:
        """All that results depend on, and these, in order."""
        found, stack = set[int](), [*places]
        while stack:
            place = stack.pop()
            if place not in found:
                found.add(place)
                stack.extend(self._arguments(place))
        return sorted(found)

    # -- values ---------------------------------------------------------------------------------------------------

    def jets(self, box: Sequence[Any], order: int, free: Sequence[int] | None = None) -> list[Jet]:
        """Of each row the jet up to `order` over a box of balls, with derivatives by the variables in `free` (None: by all)."""
        layout, steps = self._plan(tuple(self.rows), order, tuple(range(self.variables) if free is None else free))
        done = [*box, *self.values[len(box):]]
        for place, function, args in steps:
            done[place] = function(*[done[a] for a in args])
        return [(done[row], {i: done[at] for i, at in g.items()}, {ij: done[at] for ij, at in h.items()}) for row, g, h in layout]

    def _planned(self, rows: tuple[int, ...], order: int, free: tuple[int, ...]) -> tuple[list[Any], list[Any]]:
        """Where what belongs to each row is, and how all that is computed."""
        for i in free if order else ():
            self.derive(rows, i)
        firsts = [{i: self.slopes[row][i] for i in free if order and i in self.slopes[row]} for row in rows]
        for j in free if order > 1 else ():
            self.derive([at for g in firsts for i, at in g.items() if i <= j], j)
        layout = []
        for row, g in zip(rows, firsts, strict=True):
            pairs = [(i, j) for i, at in g.items() for j in self.slopes[at] if order > 1 and i <= j and j in free]
            layout.append((row, g, {(i, j): self.slopes[g[i]][j] for i, j in pairs}))
        needed = self._before([at for row, g, h in layout for at in (row, *g.values(), *h.values())])
        return layout, [self._step(at) for at in needed if at >= self.variables and self.values[at] is None]


def _needed(formula: Formula, definitions: Mapping[str, Formula], known: Mapping[str, int]) -> Iterator[str]:
    """The definitions that a formula refers to, the earlier ones first; a definition refers to earlier ones only."""
    found: set[str] = set()
    stack: list[Formula] = [formula]
    while stack:
        e = stack.pop()
        if isinstance(e, list):
            stack.extend(e)
        elif e.startswith("#") and e not in found and e not in known:
            if e not in definitions:
                raise Refused(f"{e[:40]!r} is not defined")
            found.add(e)
            stack.append(definitions[e])
    return iter(sorted(found, key=lambda name: int(name[1:])))
