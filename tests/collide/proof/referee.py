"""Is what a log claims true? Formulas are read and evaluated in doubles here, by nothing of the checker's, and claims are put to the test.

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
    "-": lambda a, *b: a - b[0] if b else -a, "/": lambda a, b: a / b, "^": lambda a, n: a ** int(n), "inv": lambda a: 1 / a,
    "neg": lambda a: -a, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh,
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
    level: list[Any] = field(default_factory=list)
    conditions: list[Any] = field(default_factory=list)
    motion: list[Any] = field(default_factory=list)

    @property
    def letters(self) -> str:
        return "uv" if len(self.ranges) == 2 else "xyz"


class Stated:
    """The statement of a log."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lets: dict[str, Any] = {}
        self.parts: list[Part] = []
        self.variables: dict[str, tuple[float, float]] = {}
        self.rows: dict[str, list[Any]] = {"equation": [], "condition": [], "objective": []}
        self.time: list[float] = []
        self.itself: list[float] | None = None
        self.excepted: set[tuple[int, int]] = set()
        count, corners = 0, list[list[str]]()
        for line in lines:
            word, *args = tree(line)
            if word == "let":
                self.lets[args[0]] = args[1]
            elif word in ("surface", "level"):
                n = 4 if word == "surface" else 6
                ends = [self.constant(e) for e in args[1:1 + n]]
                rest, sides = args[1 + n:], [*zip(ends[::2], ends[1::2], strict=True)]
                self.parts.append(Part(int(args[0]), (count,), sides, rest) if n == 4 else
                                  Part(int(args[0]), (count,), sides, ["x", "y", "z"], rest[:1], rest[1:]))
                count += 1
            elif word == "mesh":
                body, motion, corners, triangles = int(args[0]), args[1:], [], 0
                count += 1
            elif word == "corner":
                corners.append(args)
            elif word == "triangle":
                a, b, c = (corners[int(k)] for k in args)
                at: list[Any] = [["+", p, ["*", "u", ["-", q, p]], ["*", "v", ["-", r, p]]] for p, q, r in zip(a, b, c, strict=True)]
                at = at if len(at) == 3 else [["+", p, ["*", "t", ["-", q, p]]] for p, q in zip(at[:3], at[3:], strict=True)]
                self.parts.append(Part(body, (count - 1, triangles, triangles + 1), [(0, 1)] * 2, at, [], tree("(- (+ u v) 1)"), motion))
                triangles += 1
            elif word == "variable":
                self.variables[args[0]] = self.constant(args[1]), self.constant(args[2])
            elif word in self.rows:
                self.rows[word].append(args[0])
            elif word in ("time", "self"):
                setattr(self, "time" if word == "time" else "itself", [self.constant(e) for e in args])
            elif word == "except":
                self.excepted.add((int(args[0]), int(args[1])))

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
        if least is None and a.level and not b.level:
            a, b = b, a
        shared = least is None and bool(b.level)
        n, m = len(a.ranges), 0 if shared else len(b.ranges)
        box = np.array([*a.ranges, *b.ranges[:m], *self.variables.values(), span])

        def both(x: np.ndarray) -> tuple[list[Any], list[Any], list[Any]]:
            common = {**dict(zip(self.variables, x.T[n + m:], strict=False)), "t": x[:, -1]}
            p, level, within = self._point(a, x.T[:n], common)
            q, other, limits = self._point(b, p if shared else x.T[n:n + m], common)
            if shared:
                limits = limits + [side for (lo, hi), c in zip(b.ranges, p, strict=True) for side in (lo - c, c - hi)]
            apart = [] if shared else [c - d for c, d in zip(p, q, strict=True)]
            if a is b and self.itself is not None:
                way = x[:, 2:4] - x[:, :2]
                limits += [*(abs(w) - most for w, most in zip(way.T, self.itself, strict=False)), 1e-2 - abs(way).max(axis=1)]
            if least is not None:
                return [], level + other, within + limits + [sum(d * d for d in apart) - least**2]
            return apart, level + other, within + limits

        return box, lambda x: [*both(x)[0], *both(x)[1]], lambda x: both(x)[2]

    def _point(self, part: Part, place: Any, common: Values) -> tuple[list[Any], list[Any], list[Any]]:
        own = {**common, **dict(zip(part.letters, place, strict=True))}
        point = [self.value(e, own) for e in part.point]
        more = [[self.value(e, own) for e in rows] for rows in (part.level, part.conditions)]
        if part.motion:
            moved = dict(common)
            entries = [self.value(e, moved) for e in part.motion]
            point = [sum(m * c for m, c in zip(entries[3 * k:3 * k + 3], point, strict=True)) + entries[9 + k] for k in range(3)]
        return point, *more

    def formulas(self, most: float | None) -> tuple[np.ndarray, Rows, Rows]:
        def of(kind: str, x: np.ndarray) -> list[Any]:
            values = dict(zip(self.variables, x.T, strict=True))
            return [self.value(e, values) for e in self.rows[kind]]
        return (np.array([*self.variables.values()]).reshape(-1, 2), lambda x: of("equation", x),
                lambda x: of("condition", x) + ([of("objective", x)[0] - most] if most is not None else []))

    def pairs(self) -> Iterator[tuple[Part, Part]]:
        for a, b in itertools.product(self.parts, repeat=2):
            if (a.name <= b.name if self.itself is not None else a.body < b.body and (a.body, b.body) not in self.excepted):
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
    room = [i for i in range(len(box) - len(stated.variables) - 1) if only[i, 0] < only[i, 1]]

    def least(x: np.ndarray) -> list[np.ndarray]:
        step = 1e-5 * np.eye(len(box))
        slope = np.stack([(values(equations, x + step[i]) - values(equations, x - step[i])) / 2e-5 for i in room], axis=2)
        return [*equations(x), np.linalg.det(slope @ slope.transpose(0, 2, 1)) if len(room) >= slope.shape[1] else 0 * x[:, 0]]
    starts = np.random.default_rng(2).uniform(only[:, 0], only[:, 1], (60, len(box)))
    found = solutions(only, least, conditions, starts)
    size = np.maximum(np.ptp(only, axis=1), _FAR)
    return bool((abs(found - near.mean(axis=1)) > 1e-2 * size + np.ptp(near, axis=1)).any())


def _zeros(stated: Stated, args: list[str], before: Sequence[str]) -> bool:
    """Every zero found lies in a box that is listed, and in those that hold one it is the same."""
    system, listed = stated.formulas(None), []
    for word, line in itertools.pairwise(["", *before]):
        if word == "one" or line.startswith("box "):
            listed.append((word == "one", np.array([*map(number, line.split()[1:1 + 2 * len(system[0])])]).reshape(-1, 2)))
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
