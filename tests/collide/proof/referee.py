"""Truth of the claims of a log.

Formulas are read and evaluated in doubles here, by nothing of the checker's, and claims are put to the test.

That a system has no solution in a box is refuted by one that Newton's method finds from many starts; that it has one is confirmed by
Newton's method from the middle of the box of the claim.
"""

import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

_STARTS, _ROUNDS, _STEP, _ZERO, _FAR = 300, 40, 1e-6, 1e-11, 1e-6

Values = dict[str, Any]
Rows = Callable[[np.ndarray], list[np.ndarray]]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "-": lambda a, b: a - b, "inv": lambda a: 1 / a, "square": lambda a: a * a, "neg": lambda a: -a,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh,
    "if": lambda s, a, b: np.where(s > 0, a, b),
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "abs", "floor")}}
MANY: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "*": operator.mul, "max": np.maximum, "min": np.minimum}


def tree(text: str) -> list[Any]:
    top: list[Any] = []
    stack = [top]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            stack[-1].append([])
            stack.append(stack[-1][-1])
        elif token == ")":
            stack.pop()
        else:
            stack[-1].append(token)
    return top


def number(text: str) -> float:
    return float.fromhex(text) if "x" in text else float(Fraction(text))


@dataclass
class Part:
    """A piece, or one triangle: its ranges, and where its point is, as a function of values of all letters."""

    body: int
    name: tuple[int, ...]
    ranges: list[tuple[float, float]]
    point: list[Any]
    letters: list[str]
    level: list[Any] = field(default_factory=list)
    conditions: list[Any] = field(default_factory=list)
    inner: dict[str, Any] = field(default_factory=dict)
    corners: list[list[str]] = field(default_factory=list)

    @property
    def implicit(self) -> bool:
        return bool(self.level) and self.point == self.letters


class Stated:
    """The statement of a log."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lets: dict[str, Any] = {}
        self.parts: list[Part] = []
        self.variables: dict[str, tuple[float, float]] = {}
        self.itself: list[Any] = []
        self.excepted: set[tuple[int, int]] = set()
        pieces = list[Part]()
        for line in lines:
            word, *args = tree(line)
            if word == "let":
                self.lets[args[0]] = args[1]
            elif word == "variable":
                self.variables[args[0]] = self.constant(args[1]), self.constant(args[2])
            elif word == "piece":
                pieces.append(Part(int(args[0]), (len(pieces),), [], [], []))
            elif word == "parameter":
                pieces[-1].letters.append(args[0])
                pieces[-1].ranges += [(self.constant(args[1]), self.constant(args[2]))] if args[1:] else []
            elif word in ("point", "equation", "condition"):
                {"point": pieces[-1].point, "equation": pieces[-1].level, "condition": pieces[-1].conditions}[word].extend(args)
            elif word == "corner":
                pieces[-1].corners.append(args)
            elif word == "triangle":
                whole, corners = pieces[-1], [pieces[-1].corners[int(k)] for k in args]
                inner = {name: ["+", p, ["*", "u", ["-", q, p]], ["*", "v", ["-", r, p]]]
                         for name, p, q, r in zip(whole.letters, *corners, strict=True)}
                count = sum(part.body == whole.body and len(part.name) > 1 for part in self.parts)
                self.parts.append(Part(whole.body, (*whole.name, count, count + 1), [(0, 1)] * 2, whole.point, ["u", "v"],
                                       conditions=tree("(- (+ u v) 1)"), inner=inner))
            elif word == "self":
                self.itself = args
            elif word == "except":
                self.excepted.add((int(args[0]), int(args[1])))
        self.parts += [piece for piece in pieces if not piece.corners]
        self.parts.sort(key=lambda part: part.name)
        self.time = self.variables.get("t", (0.0, 0.0))
        self.shared = {name: ends for name, ends in self.variables.items() if name != "t"}

    def constant(self, e: Any) -> float:
        return float(self.value(e, {}))

    def value(self, e: Any, values: Values) -> Any:
        """`values` are those of letters, and of definitions as they are met."""
        if isinstance(e, list):
            name, *parts = e
            args = [self.value(part, values) for part in parts]
            return functools.reduce(MANY[name], args) if name in MANY else FUNCTIONS[name](*args)
        if e in values:
            return values[e]
        if e.startswith("#"):
            values[e] = self.value(self.lets[e], values)
            return values[e]
        return np.float64({"pi": np.pi, "e": np.e}[e] if e in ("pi", "e") else number(e))

    # -- systems: the box of the variables, and rows of equations and of conditions -------------------------------------

    def pair(self, a: Part, b: Part, span: tuple[float, float], least: float | None = None) -> tuple[np.ndarray, Rows, Rows]:
        """Common points of two parts, or points at most so far from each other, in the checker's order of variables."""
        if least is None and a.implicit and not b.implicit:
            a, b = b, a
        shared = least is None and b.implicit
        n, m = len(a.ranges), 0 if shared else len(b.ranges)
        box = np.array([*a.ranges, *b.ranges[:m], *self.shared.values(), span])

        def both(x: np.ndarray) -> tuple[list[Any], list[Any], list[Any]]:
            common = {**dict(zip(self.shared, x.T[n + m:], strict=False)), "t": x[:, -1]}
            p, level, within = self._point(a, x.T[:n], common)
            q, other, limits = self._point(b, p if shared else x.T[n:n + m], common)
            if shared:
                limits = limits + [side for (lo, hi), c in zip(b.ranges, p, strict=True) for side in (lo - c, c - hi)]
            apart = [] if shared else [c - d for c, d in zip(p, q, strict=True)]
            if a is b and self.itself:
                places = {**dict(zip(["u", "v", "u1", "v1"], x.T, strict=False)), **common}
                limits += [*(self.value(e, places) for e in self.itself), 1e-2 - abs(x[:, 2:4] - x[:, :2]).max(axis=1)]
            if least is not None:
                return [], level + other, within + limits + [sum(d * d for d in apart) - least**2]
            return apart, level + other, within + limits

        return box, lambda x: [*both(x)[0], *both(x)[1]], lambda x: both(x)[2]

    def _point(self, part: Part, place: Any, common: Values) -> tuple[list[Any], list[Any], list[Any]]:
        own = {**common, **dict(zip(part.letters, place, strict=True))}
        more = [[self.value(e, own) for e in rows] for rows in (part.level, part.conditions)]
        if part.inner:
            own = {**common, **{name: self.value(e, own) for name, e in part.inner.items()}}
        return [self.value(e, own) for e in part.point], *more

    def formulas(self, most: float | None) -> tuple[np.ndarray, Rows, Rows]:
        (whole,) = self.parts
        letters, sides = [*whole.letters, *self.variables], [*whole.ranges, *self.variables.values()]

        def of(rows: list[Any], x: np.ndarray) -> list[Any]:
            values = dict(zip(letters, x.T, strict=True))
            return [self.value(e, values) for e in rows]
        return (np.array(sides).reshape(-1, 2), lambda x: of(whole.level, x),
                lambda x: of(whole.conditions, x) + ([of(whole.point, x)[0] - most] if most is not None else []))

    def pairs(self) -> Iterator[tuple[Part, Part]]:
        for a, b in itertools.product(self.parts, repeat=2):
            if (a.name <= b.name if self.itself else a.body < b.body and (a.body, b.body) not in self.excepted):
                yield a, b


def values(rows: Rows, x: np.ndarray) -> np.ndarray:
    found = [np.broadcast_to(row, len(x)) for row in rows(x)]
    return np.stack(found, axis=1) if found else np.zeros((len(x), 0))


def solutions(box: np.ndarray, equations: Rows, conditions: Rows, starts: np.ndarray, free: Sequence[int] | None = None) -> np.ndarray:
    """Solutions in a box that Gauss-Newton's method finds, in doubles."""
    lo, hi = box[:, 0], box[:, 1]
    own = [*range(len(box))] if free is None else [*free]

    def rest(x: np.ndarray) -> np.ndarray:
        return np.nan_to_num(np.concatenate([values(equations, x), np.maximum(values(conditions, x), 0)], axis=1), nan=1e9)
    x = starts.copy()
    for _ in range(_ROUNDS):
        before = x.copy()
        step = _STEP * np.eye(len(box))
        slope = np.stack([(rest(x + step[i]) - rest(x - step[i])) / (2 * _STEP) for i in own], axis=2) if own else np.zeros((len(x), 1, 0))
        if own and slope.shape[1]:
            slope = np.clip(slope, -1e12, 1e12)
            normal = np.einsum("kri,krj->kij", slope, slope)
            least = 1e-10 * np.einsum("kii->k", normal)[:, None, None] * np.eye(len(own)) + 1e-30 * np.eye(len(own))
            x[:, own] -= np.linalg.solve(normal + least, np.einsum("kri,kr->ki", slope, rest(x))[:, :, None])[:, :, 0]
        x = np.clip(x, lo, hi)
        if abs(x - before).max(initial=0.0) < 1e-14:
            break
    gap = abs(rest(x)).max(axis=1, initial=0.0)
    return x[gap < _ZERO * (1 + abs(box).max(initial=0.0))]


def some(system: tuple[np.ndarray, Rows, Rows], count: int = _STARTS) -> np.ndarray:
    box, equations, conditions = system
    starts = np.random.default_rng(1).uniform(box[:, 0], box[:, 1], (count, len(box)))
    return solutions(box, equations, conditions, starts)


def confirmed(system: tuple[np.ndarray, Rows, Rows], line: str) -> bool:
    """Is there a solution in the box of a line `x`?"""
    box, equations, conditions = system
    ends = np.array([*map(number, line.split()[1:1 + 2 * len(box)])]).reshape(-1, 2)
    free = np.flatnonzero(ends[:, 0] < ends[:, 1])
    return len(solutions(ends, equations, conditions, ends.mean(axis=1)[None], free)) > 0


def refuted(lines: Sequence[str]) -> str:
    """Which claim of a log is found to be false, or an empty text. `lines` of a log that a checker has accepted."""
    first, question = next(k for k, line in enumerate(lines) if line.split(" ")[0] in WORDS), lines[1].split()[1]
    with np.errstate(all="ignore"):
        stated = Stated(lines[2:first])
        for k, line in enumerate(lines):
            word, *args = line.split()
            if k >= first and (question, word) in CLAIMS:
                before = lines[first:k] if (question, word) == ("zeros", "none") else lines[k + 1:]
                if CLAIMS[question, word](stated, args, before):
                    return line
    return ""


def _clear(stated: Stated, args: list[str], _: Sequence[str]) -> bool:
    pairs = [*stated.pairs()]
    return any(len(some(stated.pair(a, b, (stated.time[0], number(args[0]))), max(20, _STARTS // len(pairs)))) for a, b in pairs)


def _farther(stated: Stated, args: list[str], _: Sequence[str]) -> bool:
    return any(len(some(stated.pair(a, b, (stated.time[0], stated.time[1]), number(args[0])))) for a, b in stated.pairs())


def _named(stated: Stated, text: str) -> Part:
    return next(part for part in stated.parts if part.name == tuple(map(int, text.split(":"))))


def _meet(stated: Stated, args: list[str], rest: Sequence[str]) -> bool:
    a, b = (_named(stated, text) for text in args)
    return not confirmed(stated.pair(a, b, (-np.inf, np.inf)), rest[0])


def _nearer(stated: Stated, args: list[str], rest: Sequence[str]) -> bool:
    a, b = (_named(stated, text) for text in args[1:])
    return not confirmed(stated.pair(a, b, (stated.time[0], stated.time[1]), number(args[0])), rest[0])


def _touch(stated: Stated, args: list[str], rest: Sequence[str]) -> bool:
    """A common point in the second box is confirmed; that others of the first are not tangential is seen by singular values."""
    a, b = (_named(stated, text) for text in args)
    box, equations, conditions = stated.pair(a, b, (-np.inf, np.inf))
    if not confirmed((box, equations, conditions), rest[1]):
        return True
    only, near = (np.array([*map(number, line.split()[1:1 + 2 * len(box)])]).reshape(-1, 2) for line in rest[:2])
    room = [i for i in range(len(box) - len(stated.variables)) if only[i, 0] < only[i, 1]]

    def least(x: np.ndarray) -> list[np.ndarray]:
        step = 1e-5 * np.eye(len(box))
        columns = [(values(equations, x + step[i]) - values(equations, x - step[i])) / 2e-5 for i in room]
        slope = np.stack(columns, axis=2) if room else np.zeros((*values(equations, x).shape, 0))
        return [*equations(x), np.linalg.det(slope @ slope.transpose(0, 2, 1)) if len(room) >= slope.shape[1] else 0 * x[:, 0]]
    starts = np.random.default_rng(2).uniform(only[:, 0], only[:, 1], (60, len(box)))
    found = solutions(only, least, conditions, starts)
    size = np.maximum(np.ptp(only, axis=1), _FAR)
    return bool((abs(found - near.mean(axis=1)) > 1e-2 * size + np.ptp(near, axis=1)).any())


def _zeros(stated: Stated, args: list[str], before: Sequence[str]) -> bool:
    """Every zero found lies in a box that is listed, and in those that hold one it is the same."""
    system, listed = stated.formulas(None), []
    for word, line in itertools.pairwise(["", *before]):
        if word == "one 0" or line.startswith("box "):
            listed.append((word == "one 0", np.array([*map(number, line.split()[1:1 + 2 * len(system[0])])]).reshape(-1, 2)))
    found = some(system)
    inside = [((box[:, 0] - 1e-9 <= found) & (found <= box[:, 1] + 1e-9)).all(axis=1) for _, box in listed]
    return not np.any([*inside, np.zeros(len(found), bool)], axis=0).all() or any(
        one and len(found[own]) and np.ptp(found[own], axis=0).max() > _FAR for (one, _), own in zip(listed, inside, strict=True))


def _zero(stated: Stated, args: list[str], rest: Sequence[str]) -> bool:
    return not confirmed(stated.formulas(None), rest[1])


def _above(stated: Stated, args: list[str], _: Sequence[str]) -> bool:
    least = number(args[0]) if args else None
    return len(some(stated.formulas(None if least is None else least - 1e-9 * max(1, abs(least))))) > 0


def _below(stated: Stated, args: list[str], rest: Sequence[str]) -> bool:
    return not confirmed(stated.formulas(number(args[0])), rest[0])


CLAIMS: dict[tuple[str, str], Callable[[Stated, list[str], Sequence[str]], bool]] = {
    ("contact", "none"): _clear, ("distance", "none"): _farther, ("contact", "some"): _meet, ("distance", "some"): _nearer,
    ("contact", "one"): _touch, ("zeros", "none"): _zeros, ("zeros", "one"): _zero, ("minimum", "none"): _above,
    ("minimum", "some"): _below}
WORDS = ("none", "some", "one", "box")
