"""Formulas: read from text in prefix form, and enclosed over boxes with their first and second derivatives.

A formula is an atom or (operator formula ...). Atoms are integers, fractions p/q, hexadecimal doubles, pi, e, names of variables, and #k,
the k-th definition. Nothing of the text is ever executed: an operator is looked up in the tables of this file, and what is not there is
refused.

The arithmetic is that of a backend, here Arb's balls: every result encloses what it stands for, and is nan where the formula is undefined
somewhere in the box, or where it has no derivative. A jet is (value, {i: derivative}, {(i, j): second derivative, i <= j}); what is not
in it is zero.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

DEEPEST, LARGEST, DIGITS, EXPONENT = 200, 100_000, 1200, 1000
"""How deep formulas nest, how many operations all have together, how long a number is written, and the largest integer exponent."""

Formula = str | list[Any]
Jet = tuple[Any, dict[int, Any], dict[tuple[int, int], Any]]


class Refused(ValueError):
    """The log is not accepted; the message says why, in a sentence."""


# -- text ---------------------------------------------------------------------------------------------------------


def read(text: str) -> list[Formula]:
    """The formulas of a line."""
    top: list[Any] = []
    open_lists = [top]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            if len(open_lists) > DEEPEST:
                raise Refused(f"formulas nest deeper than {DEEPEST}")
            open_lists[-1].append([])
            open_lists.append(open_lists[-1][-1])
        elif token != ")":
            open_lists[-1].append(token)
        elif len(open_lists) == 1:
            raise Refused("a bracket is closed that was not opened")
        else:
            open_lists.pop()
    if len(open_lists) > 1:
        raise Refused("a bracket is not closed")
    return top


def number(text: str) -> Fraction:
    """An integer, a fraction p/q or a hexadecimal double, exact."""
    try:
        if len(text) > DIGITS or "_" in text:
            raise ValueError
        if "x" in text:
            return Fraction(float.fromhex(text))
        p, _, q = text.partition("/")
        return Fraction(int(p), int(q or 1))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise Refused(f"{text[:40]!r} is no number") from None


# -- the arithmetic of Arb ----------------------------------------------------------------------------------------


class Arb:
    """What rules need beside + - * / and the functions that balls have."""

    @staticmethod
    def constant(value: Fraction | str) -> Any:
        if isinstance(value, str):
            return arb.pi() if value == "pi" else arb.const_e()
        return arb(fmpq(value.numerator, value.denominator))

    @staticmethod
    def square(x: Any) -> Any:
        return x * x if not x.contains(0) else arb(0).union(x.abs_upper() ** 2)

    @staticmethod
    def absolute(x: Any) -> Any:
        return x.abs_lower().union(x.abs_upper()) + 0 * x

    @staticmethod
    def sign(x: Any) -> Any:
        """1 where x > 0, -1 where x < 0; else their hull, and nan where x is."""
        return arb(1) if x > 0 else arb(-1) if x < 0 else arb(0, 1) + 0 * x

    @staticmethod
    def choose(s: Any, yes: Any, no: Any, either: Callable[[Any, Any], Any]) -> Any:
        """`yes` where s = 1, `no` where s = -1, else `either` of them."""
        return yes if s == 1 else no if s == -1 else either(yes, no)

    @staticmethod
    def hull(a: Any, b: Any) -> Any:
        return a.union(b)

    @staticmethod
    def undefined(a: Any, b: Any) -> Any:
        return arb("nan")


def power(backend: Any, x: Any, n: int) -> Any:
    """x**n for n >= 0, by squares."""
    if n == 0:
        return 0 * x + 1
    root = power(backend, x, n // 2) if n > 1 else x
    even = backend.square(root) if n > 1 else root
    return even * x if n > 1 and n % 2 else even


# Of each function of one variable: value, first and second derivative, from x and (the derivatives) the value y.
FUNCTIONS: dict[str, tuple[Callable[..., Any], ...]] = {
    "sin": (lambda x: x.sin(), lambda x, y: x.cos(), lambda x, y: -y),
    "cos": (lambda x: x.cos(), lambda x, y: -x.sin(), lambda x, y: -y),
    "tan": (lambda x: x.tan(), lambda x, y: y * y + 1, lambda x, y: 2 * y * (y * y + 1)),
    "exp": (lambda x: x.exp(), lambda x, y: y, lambda x, y: y),
    "log": (lambda x: x.log(), lambda x, y: 1 / x, lambda x, y: -1 / (x * x)),
    "sqrt": (lambda x: x.sqrt(), lambda x, y: 1 / (2 * y), lambda x, y: -1 / (4 * x * y)),
    "inv": (lambda x: 1 / x, lambda x, y: -(y * y), lambda x, y: 2 * y * y * y),
    "asin": (lambda x: x.asin(), lambda x, y: 1 / (1 - x * x).sqrt(), lambda x, y: x / ((1 - x * x) * (1 - x * x).sqrt())),
    "acos": (lambda x: x.acos(), lambda x, y: -1 / (1 - x * x).sqrt(), lambda x, y: -x / ((1 - x * x) * (1 - x * x).sqrt())),
    "atan": (lambda x: x.atan(), lambda x, y: 1 / (x * x + 1), lambda x, y: -2 * x / ((x * x + 1) * (x * x + 1))),
    "sinh": (lambda x: x.sinh(), lambda x, y: x.cosh(), lambda x, y: y),
    "cosh": (lambda x: x.cosh(), lambda x, y: x.sinh(), lambda x, y: y),
    "tanh": (lambda x: x.tanh(), lambda x, y: 1 - y * y, lambda x, y: -2 * y * (1 - y * y)),
    "asinh": (lambda x: x.asinh(), lambda x, y: 1 / (x * x + 1).sqrt(), lambda x, y: -x / ((x * x + 1) * (x * x + 1).sqrt())),
}

# -- jets ---------------------------------------------------------------------------------------------------------


def _add_to(table: dict[Any, Any], key: Any, value: Any) -> None:
    table[key] = table[key] + value if key in table else value


def _chain(order: int, value: Any, first: Callable[[], Any], second: Callable[[], Any], a: Jet) -> Jet:
    """The jet of f(a), from its value and functions that give the derivatives of f (called where they are needed)."""
    if not a[1]:
        return value, {}, {}
    d, dd = first(), second() if order > 1 else None
    h = {ij: d * e for ij, e in a[2].items()}
    for i, p in a[1].items() if order > 1 else ():
        for j, q in a[1].items():
            if i <= j:
                _add_to(h, (i, j), dd * (p * q))
    return value, {i: d * e for i, e in a[1].items()}, h


def _sum(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    g, h = dict(a[1]), dict(a[2])
    for table, more in ((g, b[1]), (h, b[2])):
        for key, d in more.items():
            _add_to(table, key, d)
    return a[0] + b[0], g, h


def _negative(backend: Any, order: int, a: Jet) -> Jet:
    return -a[0], {i: -d for i, d in a[1].items()}, {ij: -d for ij, d in a[2].items()}


def _difference(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return _sum(backend, order, a, _negative(backend, order, b))


def _product(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    (x, gx, hx), (y, gy, hy) = a, b
    g, h = {i: d * y for i, d in gx.items()}, {ij: d * y for ij, d in hx.items()}
    for table, own in ((g, gy), (h, hy)):
        for key, d in own.items():
            _add_to(table, key, x * d)
    for i, p in gx.items() if order > 1 else ():
        for j, q in gy.items():
            _add_to(h, (min(i, j), max(i, j)), p * q if i != j else 2 * (p * q))
    return x * y, g, h


def _function(name: str, backend: Any, order: int, a: Jet) -> Jet:
    value, first, second = FUNCTIONS[name]
    y = value(a[0])
    return _chain(order, y, lambda: first(a[0], y), lambda: second(a[0], y), a)


def _quotient(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return _product(backend, order, a, _function("inv", backend, order, b))


def _power(n: int, backend: Any, order: int, a: Jet) -> Jet:
    if n < 0:
        return _function("inv", backend, order, _power(-n, backend, order, a))
    return _chain(order, power(backend, a[0], n), lambda: n * power(backend, a[0], max(n - 1, 0)),
                  lambda: n * (n - 1) * power(backend, a[0], max(n - 2, 0)), a)


def _choice(backend: Any, order: int, s: Any, a: Jet, b: Jet, value: Any, first: Callable[[Any, Any], Any], keys: Iterable[int]) -> Jet:
    """A jet of this value: that of a where s = 1, of b where s = -1; elsewhere `first` says what is known of derivatives, and nothing is of
    second ones. `keys`: the variables that it depends on.
    """
    zero, own = 0 * (a[0] + b[0] + s), sorted({*a[1], *b[1], *keys})

    def chosen(k: int, key: Any, unknown: Callable[[Any, Any], Any]) -> Any:
        return backend.choose(s, a[k].get(key, zero), b[k].get(key, zero), unknown)
    pairs = [(i, j) for i in own for j in own if i <= j and order > 1]
    return value, {i: chosen(1, i, first) for i in own}, {ij: chosen(2, ij, backend.undefined) for ij in pairs}


def _max(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    """Where a = b may be, derivatives are Clarke's, with which the mean value theorem holds."""
    return _choice(backend, order, backend.sign(a[0] - b[0]), a, b, a[0].max(b[0]), backend.hull, ())


def _min(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return _choice(backend, order, backend.sign(b[0] - a[0]), a, b, a[0].min(b[0]), backend.hull, ())


def _abs(backend: Any, order: int, a: Jet) -> Jet:
    return _choice(backend, order, backend.sign(a[0]), a, _negative(backend, order, a), backend.absolute(a[0]), backend.hull, ())


def _floor(backend: Any, order: int, a: Jet) -> Jet:
    """A step: it has a derivative, 0, where it is one number on the whole box."""
    value = a[0].floor()
    inside = backend.sign(a[0] - value) - backend.sign(value + 1 - a[0])  # 0 if value < x < value + 1
    flat = backend.choose(inside + 1, 0 * value, 0 * value, backend.undefined)
    return _chain(order, value, lambda: flat, lambda: flat, a)


# A condition is 1 where it holds on the whole box, -1 where it does nowhere, and else their hull. Of its derivatives it is only said by
# which variables there are any.


def _less(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return backend.sign(b[0] - a[0]), a[1] | b[1], {}


def _both(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return backend.choose(a[0], b[0], a[0], backend.hull), a[1] | b[1], {}


def _either(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return backend.choose(a[0], a[0], b[0], backend.hull), a[1] | b[1], {}


def _if(backend: Any, order: int, c: Jet, a: Jet, b: Jet) -> Jet:
    """Where the condition is undecided the value is one of both, and nothing is known of derivatives: the formula may jump."""
    value = backend.choose(c[0], a[0], b[0], backend.hull) + 0 * c[0]
    return _choice(backend, order, c[0], a, b, value, backend.undefined, c[1])


RULES: dict[str, tuple[int, Callable[..., Jet]]] = {
    "+": (2, _sum), "-": (2, _difference), "*": (2, _product), "/": (2, _quotient), "max": (2, _max), "min": (2, _min), "<": (2, _less),
    "and": (2, _both), "or": (2, _either), "not": (1, _negative), "if": (3, _if), "neg": (1, _negative), "abs": (1, _abs),
    "floor": (1, _floor), **{name: (1, functools.partial(_function, name)) for name in FUNCTIONS}}
"""Of each operator how many arguments it has, and its rule."""
MANY = ("+", "*", "max", "min", "and", "or")
"""Operators that may have more than two arguments."""
CONDITIONS = ("<", "and", "or", "not")
"""Operators whose values are conditions; all others give numbers. Conditions are no numbers, since they have no derivatives."""


class Program:
    """Formulas as a list of operations, each on results of earlier ones; those of numbers alone are done once."""

    def __init__(self, variables: int, backend: Any = Arb) -> None:
        self.backend, self.variables = backend, variables
        self.start: list[Jet | None] = [None] * variables
        self.steps: list[tuple[int, Callable[..., Jet], tuple[Any, ...]]] = []
        self.rows: list[int] = []
        self.known: dict[Any, int] = {}
        self.conditions: set[int] = set()

    def add(self, formula: Formula, names: dict[str, int], definitions: Mapping[str, Formula]) -> int:
        """The place of a formula's value; `names` says where those of variables (and, as they are met, of definitions) are."""
        for name in _needed(formula, definitions, names):
            names[name] = self._add(definitions[name], names)
        return self._numbers("a formula", [self._add(formula, names)])[0]

    def _add(self, formula: Formula, names: Mapping[str, int]) -> int:
        if isinstance(formula, str):
            if formula in names:
                return names[formula]
            return self.operation(("number", formula if formula in ("pi", "e") else number(formula)))
        name, *parts = formula or [""]
        if not isinstance(name, str):
            raise Refused("an operator is a name")
        if name == "^" and len(parts) == 2:
            return self._power(self._numbers(name, [self._add(parts[0], names)])[0], parts[1])
        args = [self._add(part, names) for part in parts]
        if name == "-" and len(args) == 1:
            name = "neg"
        if name not in RULES or (len(args) != RULES[name][0] and not (name in MANY and len(args) > 2)):
            raise Refused(f"{name[:40]!r} with {len(args)} arguments is nothing that a formula may contain")
        self._numbers(name, args)
        if name == "*" and args[0] == args[1] and len(args) == 2:
            return self._power(args[0], "2")
        place = self.operation((name, *args)) if name not in MANY else functools.reduce(lambda a, b: self.operation((name, a, b)), args)
        self.conditions |= {place} if name in CONDITIONS else set()
        return place

    def _numbers(self, name: str, args: Sequence[int]) -> Sequence[int]:
        """The arguments of an operator, which are conditions where it asks for these, and numbers elsewhere."""
        asked = len(args) if name in CONDITIONS[1:] else 1 if name == "if" else 0
        if any((place in self.conditions) != (k < asked) for k, place in enumerate(args)):
            raise Refused(f"{name!r} has a condition where a number belongs, or a number where a condition does")
        return args

    def _power(self, base: int, exponent: Formula) -> int:
        n = number(exponent) if isinstance(exponent, str) else Fraction(1, 2)
        if n.denominator != 1 or abs(n) > EXPONENT:
            raise Refused(f"an exponent is an integer of at most {EXPONENT}")
        return self.operation(("^", base, int(n)))

    def operation(self, key: tuple[Any, ...]) -> int:
        if key in self.known:
            return self.known[key]
        if len(self.start) >= LARGEST:
            raise Refused(f"the formulas have more than {LARGEST} operations")
        name, *args = key
        place = self.known[key] = len(self.start)
        if name == "number":
            self.start.append((self.backend.constant(args[0]), {}, {}))
            return place
        rule = functools.partial(functools.partial(_power, args.pop()) if name == "^" else RULES[name][1], self.backend)
        if all(self.start[a] is not None for a in args):
            self.start.append(rule(0, *(self.start[a] for a in args)))
        else:
            self.start.append(None)
            self.steps.append((place, rule, tuple(args)))
        return place

    def jets(self, box: Sequence[Any], order: int, free: Sequence[int] | None = None) -> list[Jet]:
        """Of each row the jet up to `order` over a box of balls, with derivatives by the variables in `free` (None: by all)."""
        done = list(self.start)
        for i, x in enumerate(box):
            done[i] = (x, {i: self.backend.constant(Fraction(1))} if order and (free is None or i in free) else {}, {})
        for place, rule, args in self.steps:
            done[place] = rule(order, *[done[a] for a in args])
        return [done[row] for row in self.rows]  # type: ignore[misc]


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


def constant(formula: Formula, definitions: Mapping[str, Formula]) -> Any:
    """The ball of a formula without variables."""
    program = Program(0)
    program.rows = [program.add(formula, {}, definitions)]
    return program.jets([], 0)[0][0]
