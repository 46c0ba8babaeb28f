"""Formulas: read from text in prefix form, and enclosed over boxes with their first and second derivatives.

A formula is an atom or (operator formula ...). Atoms are integers, fractions p/q, hexadecimal doubles, pi, e, names of variables, and #k,
the k-th definition. Nothing of the text is ever executed: an operator is looked up in the tables of this file, and what is not there is
refused.

The arithmetic is that of a backend, here Arb's balls: every result encloses what it stands for, and is nan where the formula is undefined
somewhere in the box, or where it has no derivative. A jet is (value, {i: derivative}, {(i, j): second derivative, i <= j}); what is not
in it is zero.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    "neg": (lambda x: -x, lambda x, y: 0 * x - 1, lambda x, y: 0 * x),
}

# -- jets ---------------------------------------------------------------------------------------------------------


def _add_to(table: dict[Any, Any], key: Any, value: Any) -> None:
    table[key] = table[key] + value if key in table else value


def _chain(order: int, value: Any, first: Any, second: Any, a: Jet) -> Jet:
    """Of f(a) the jet, from the value and functions that give the derivatives of f (called where they are needed)."""
    g: dict[int, Any] = {}
    h: dict[tuple[int, int], Any] = {}
    if a[1]:
        d = first()
        g = {i: d * e for i, e in a[1].items()}
        if order > 1:
            dd = second()
            h = {ij: d * e for ij, e in a[2].items()}
            for i, p in a[1].items():
                for j, q in a[1].items():
                    if i <= j:
                        _add_to(h, (i, j), dd * (p * q))
    return value, g, h


def _sum(a: Jet, b: Jet, sign: int) -> Jet:
    g, h = dict(a[1]), dict(a[2])
    for table, more in ((g, b[1]), (h, b[2])):
        for key, d in more.items():
            _add_to(table, key, d if sign > 0 else -d)
    return a[0] + b[0] if sign > 0 else a[0] - b[0], g, h


def _add(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return _sum(a, b, 1)


def _sub(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return _sum(a, b, -1)


def _mul(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    (x, gx, hx), (y, gy, hy) = a, b
    g = {i: d * y for i, d in gx.items()}
    for i, d in gy.items():
        _add_to(g, i, x * d)
    h = {ij: d * y for ij, d in hx.items()}
    for ij, d in hy.items():
        _add_to(h, ij, x * d)
    if order > 1:
        for i, p in gx.items():
            for j, q in gy.items():
                _add_to(h, (min(i, j), max(i, j)), p * q if i != j else 2 * (p * q))
    return x * y, g, h


def _div(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    y = 1 / b[0]
    return _mul(backend, order, a, _chain(order, y, lambda: -(y * y), lambda: 2 * y * y * y, b))


def _pow(backend: Any, order: int, a: Jet, n: int) -> Jet:
    x = a[0]
    if n < 0:
        return _div(backend, order, (0 * x + 1, {}, {}), _pow(backend, order, a, -n))
    return _chain(order, power(backend, x, n), lambda: n * power(backend, x, max(n - 1, 0)),
                  lambda: n * (n - 1) * power(backend, x, max(n - 2, 0)), a)


def _abs(backend: Any, order: int, a: Jet) -> Jet:
    """Its derivative is Clarke's, with which the mean value theorem holds; at 0 it has no second one."""
    s = backend.sign(a[0])
    return _chain(order, backend.absolute(a[0]), lambda: s, lambda: backend.choose(s, 0 * s, 0 * s, backend.undefined), a)


def _extreme(backend: Any, order: int, a: Jet, b: Jet, sign: int) -> Jet:
    """(a + b + |a - b|) / 2, or with - the least of both; but the value is that of the ends."""
    s = _sum(_sum(a, b, 1), _abs(backend, order, _sum(a, b, -1)), sign)
    value = a[0].max(b[0]) if sign > 0 else a[0].min(b[0])
    return value, {i: d / 2 for i, d in s[1].items()}, {ij: d / 2 for ij, d in s[2].items()}


def _max(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return _extreme(backend, order, a, b, 1)


def _min(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return _extreme(backend, order, a, b, -1)


def _floor(backend: Any, order: int, a: Jet) -> Jet:
    """A step: it has a derivative, 0, where it is one number on the whole box."""
    value = a[0].floor()
    inside = backend.sign(a[0] - value) - backend.sign(value + 1 - a[0])  # 0 if value < x < value + 1
    flat = backend.choose(inside + 1, 0 * value, 0 * value, backend.undefined)
    return _chain(order, value, lambda: flat, lambda: flat, a)


def _keys(*jets: Jet) -> dict[int, Any]:
    """What a condition depends on; the derivatives mean nothing."""
    return {i: d for jet in jets for i, d in jet[1].items()}


def _less(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    """A condition is 1 where it holds on the whole box, -1 where it does nowhere; where a = b may be, it is undecided."""
    return backend.sign(b[0] - a[0]), _keys(a, b), {}


def _both(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return backend.choose(a[0], b[0], a[0], backend.hull), _keys(a, b), {}


def _either(backend: Any, order: int, a: Jet, b: Jet) -> Jet:
    return backend.choose(a[0], a[0], b[0], backend.hull), _keys(a, b), {}


def _if(backend: Any, order: int, c: Jet, a: Jet, b: Jet) -> Jet:
    """Where the condition is undecided the value is one of both, and nothing is known of derivatives: the formula may jump."""
    zero, keys = 0 * (a[0] + b[0] + c[0]), sorted(_keys(c, a, b))

    def chosen(yes: Any, no: Any) -> Any:
        return backend.choose(c[0], yes, no, backend.undefined)
    g = {i: chosen(a[1].get(i, zero), b[1].get(i, zero)) for i in keys}
    pairs = [(i, j) for i in keys for j in keys if i <= j and order > 1]
    return backend.choose(c[0], a[0], b[0], backend.hull) + 0 * c[0], g, {k: chosen(a[2].get(k, zero), b[2].get(k, zero)) for k in pairs}


RULES: dict[str, Callable[..., Jet]] = {"+": _add, "-": _sub, "*": _mul, "/": _div, "max": _max, "min": _min, "<": _less, "and": _both,
                                        "or": _either, "if": _if, "abs": _abs, "floor": _floor}
COUNTS = {"-": 2, "/": 2, "<": 2, "if": 3, "abs": 1, "floor": 1, "not": 1, **dict.fromkeys(FUNCTIONS, 1)}
"""How many arguments an operator has, but for `MANY`, which take two or more, and the sign -."""
MANY = ("+", "*", "max", "min", "and", "or")


class Program:
    """Formulas as a list of operations, each on results of earlier ones; those of numbers alone are done once."""

    def __init__(self, variables: int, backend: Any = Arb) -> None:
        self.backend, self.variables = backend, variables
        self.start: list[Jet | None] = [None] * variables
        self.steps: list[tuple[int, Callable[..., Jet], tuple[Any, ...]]] = []
        self.rows: list[int] = []
        self.known: dict[Any, int] = {}

    def add(self, formula: Formula, names: dict[str, int], definitions: Mapping[str, Formula]) -> int:
        """The place of a formula's value; `names` says where those of variables (and, as they are met, of definitions) are."""
        for name in _needed(formula, definitions, names):
            names[name] = self._add(definitions[name], names)
        return self._add(formula, names)

    def _add(self, formula: Formula, names: Mapping[str, int]) -> int:
        if isinstance(formula, str):
            if formula in names:
                return names[formula]
            return self.operation(("number", formula if formula in ("pi", "e") else number(formula)))
        name, *parts = formula or [""]
        if not isinstance(name, str):
            raise Refused("an operator is a name")
        if name == "^" and len(parts) == 2:
            return self._power(self._add(parts[0], names), parts[1])
        args = [self._add(part, names) for part in parts]
        if name == "-" and len(args) == 1:
            name = "neg"
        if name in MANY and len(args) > 1:
            total = args[0]
            for a in args[1:]:
                total = self._power(a, "2") if name == "*" and a == total and len(args) == 2 else self.operation((name, total, a))
            return total
        if len(args) != COUNTS.get(name):
            raise Refused(f"{name[:40]!r} with {len(args)} arguments is nothing that a formula may contain")
        return self.operation(("neg" if name == "not" else name, *args))

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
        rule = self._rule(name, args)
        operands = tuple(args[:1] if name == "^" else args)
        if all(self.start[a] is not None for a in operands):
            self.start.append(rule(0, *(self.start[a] for a in operands)))
        else:
            self.start.append(None)
            self.steps.append((place, rule, operands))
        return place

    def _rule(self, name: str, args: Sequence[Any]) -> Callable[..., Jet]:
        backend = self.backend
        if name == "^":
            return lambda order, a: _pow(backend, order, a, args[1])
        if name in FUNCTIONS:
            value, first, second = FUNCTIONS[name]

            def function(order: int, a: Jet) -> Jet:
                x = a[0]
                y = value(x)
                return _chain(order, y, lambda: first(x, y), lambda: second(x, y), a)
            return function
        return functools.partial(RULES[name], backend)

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
