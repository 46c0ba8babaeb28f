"""What a log is about: bodies or formulas, as it states them, and the systems without solutions that its claims come down to."""

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb

from .formulas import Arb, Formula, Program, Refused, constant, number, read
from .rules import System

WORDS = {"let": 2, "surface": 8, "level": None, "time": None, "except": 2, "variable": 3, "equation": 1, "condition": 1, "objective": 1}
"""The lines of a statement, and how many arguments they have."""
MOST = 4096
QUESTIONS = ("contact", "distance", "zeros", "minimum")


Ranges = tuple[tuple[Any, Any], ...]


class Piece(NamedTuple):
    """A part of a body's surface: {(X, Y, Z)(u, v, t)} over the ranges of u and v, or the points x, y, z within three ranges that solve
    an equation and fulfil conditions (<= 0).
    """

    body: int
    ranges: tuple[Formula, ...]
    point: tuple[Formula, ...]
    equations: tuple[Formula, ...] = ()
    conditions: tuple[Formula, ...] = ()


class Problem:
    """The statement of a log."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.question = ""
        self.definitions: dict[str, Formula] = {}
        self.pieces: list[Piece] = []
        self.time: list[Formula] = []
        self.excepted: set[tuple[int, int]] = set()
        self.variables: list[tuple[str, Formula, Formula]] = []
        self.rows: dict[str, list[Formula]] = {"equation": [], "condition": [], "objective": []}
        for line in lines:
            self._read(line)
        if len(self.pieces) > MOST:
            raise Refused(f"the bodies have more than {MOST} pieces")
        self.system = functools.lru_cache(maxsize=8)(functools.partial(self.built, Arb))

    def _read(self, line: str) -> None:
        word, *args = read(line) or [""]
        if word == "question" and not self.question and args and args[0] in QUESTIONS:
            self.question = str(args[0])
            return
        if not self.question or not isinstance(word, str) or word not in WORDS or WORDS[word] not in (None, len(args)):
            raise Refused(f"the statement has no line such as {line[:60].strip()!r}")
        if word == "let":
            if args[0] != f"#{len(self.definitions) + 1}" or any(n not in self.definitions for n in _references(args[1])):
                raise Refused("definitions are numbered #1, #2, ..., and refer to earlier ones")
            self.definitions[args[0]] = args[1]
        elif word == "surface":
            self.pieces.append(Piece(_index(args[0]), tuple(args[1:5]), tuple(args[5:8])))
        elif word == "level":
            if len(args) < 8:
                raise Refused("a level has a body, six ends of ranges, an equation, and conditions")
            self.pieces.append(Piece(_index(args[0]), tuple(args[1:7]), ("x", "y", "z"), (args[7],), tuple(args[8:])))
        elif word == "time":
            self.time = args
        elif word == "except":
            i, j = sorted(map(_index, args))
            self.excepted.add((i, j))
        elif word == "variable":
            if not (isinstance(args[0], str) and args[0].isidentifier()) or args[0] in [name for name, _, _ in self.variables]:
                raise Refused("a variable has a name of its own")
            self.variables.append((args[0], args[1], args[2]))
        else:
            self.rows[word].append(args[0])

    def pairs(self) -> Iterator[tuple[int, int]]:
        """All pairs of pieces of different bodies, but those of pairs of bodies that nothing is claimed of."""
        everyone = range(len(self.pieces))
        return ((a, b) for a in everyone for b in everyone if self.claimed(a, b))

    def claimed(self, a: int, b: int) -> bool:
        i, j = self.pieces[a].body, self.pieces[b].body
        return i < j and (i, j) not in self.excepted

    # -- systems, by their names ----------------------------------------------------------------------------------

    def built(self, backend: Any, kind: str, *names: Any) -> tuple[System, Ranges]:
        """A system, and the ranges (balls of both ends) of its variables; of pairs of pieces but for the time, which comes last."""
        if kind == "formulas":
            return self._of_formulas(backend, *names)
        return self._of_pair(backend, kind == "common point", *names)

    def _of_formulas(self, backend: Any, most: Fraction | None) -> tuple[System, Ranges]:
        """Equations and conditions; and, if a bound is given, the condition that the objective is at most that."""
        program = Program(len(self.variables), backend)
        names = {name: i for i, (name, _, _) in enumerate(self.variables)}
        rows = [program.add(f, names, self.definitions) for f in (*self.rows["equation"], *self.rows["condition"])]
        if most is not None:
            if len(self.rows["objective"]) != 1:
                raise Refused("a bound is claimed of one objective")
            (objective,) = self.rows["objective"]
            rows.append(program.add(["-", objective, _text(most)], names, self.definitions))
        program.rows = rows
        return System(program, len(self.rows["equation"])), tuple(self._range(lo, hi) for _, lo, hi in self.variables)

    def _of_pair(self, backend: Any, common: bool, a: int, b: int, most: Fraction | None = None) -> tuple[System, Ranges]:
        """A common point of two pieces, or a point of each, at most so far from each other."""
        first, second = self.pieces[a], self.pieces[b]
        if common and first.equations and not second.equations:
            first, second = second, first
        shared = common and bool(second.equations)
        ranges = [self._range(*first.ranges[k:k + 2]) for k in range(0, len(first.ranges), 2)]
        ranges += [] if shared else [self._range(*second.ranges[k:k + 2]) for k in range(0, len(second.ranges), 2)]
        program, n = Program(len(ranges) + 1, backend), len(first.ranges) // 2
        point, equations, conditions = self._place(program, first, "xyz" if first.equations else "uv", range(n))
        at = point if shared else range(n, len(ranges))
        other, more, further = self._place(program, second, "xyz" if second.equations else "uv", at)
        if shared:
            further = further + self._inside(program, point, second.ranges)
        if common and not shared:
            equations = [program.operation(("-", p, q)) for p, q in zip(point, other, strict=True)]
        if not common:
            squares = [program.operation(("^", program.operation(("-", p, q)), 2)) for p, q in zip(point, other, strict=True)]
            total = program.operation(("+", program.operation(("+", squares[0], squares[1])), squares[2]))
            further = [*further, program.operation(("-", total, program.operation(("number", most * most if most is not None else 0))))]
        program.rows = [*equations, *more, *conditions, *further]
        return System(program, len(equations) + len(more)), tuple(ranges)

    def _place(self, program: Program, piece: Piece, letters: str, at: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        names = {"t": program.variables - 1, **dict(zip(letters, at, strict=True))}
        groups = (piece.point, piece.equations, piece.conditions)
        point, equations, conditions = ([program.add(f, names, self.definitions) for f in group] for group in groups)
        return point, equations, conditions

    def _inside(self, program: Program, point: Sequence[int], ranges: Sequence[Formula]) -> list[int]:
        """The conditions that a point lies within three ranges."""
        ends = [program.add(end, {}, self.definitions) for end in ranges]
        pairs = [pair for k, p in enumerate(point) for pair in ((ends[2 * k], p), (p, ends[2 * k + 1]))]
        return [program.operation(("-", *pair)) for pair in pairs]

    def _range(self, lo: Formula, hi: Formula) -> tuple[Any, Any]:
        return constant(lo, self.definitions), constant(hi, self.definitions)

    def number(self, formula: Formula) -> Any:
        """The ball of a formula without variables."""
        return constant(formula, self.definitions)

    def moment(self, k: int) -> Any:
        """The ball of the k-th number in the line of the time."""
        if k >= len(self.time):
            raise Refused("the statement does not say which time is meant")
        return constant(self.time[k], self.definitions)


def _references(formula: Formula) -> set[str]:
    if isinstance(formula, str):
        return {formula} if formula.startswith("#") else set()
    return {name for part in formula for name in _references(part)}


def _index(text: Formula) -> int:
    if not (isinstance(text, str) and text.isdecimal() and len(text) < 7):
        raise Refused(f"{str(text)[:40]!r} is no number of a body or a piece")
    return int(text)


def _text(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def below(x: Any) -> float:
    """The largest double that is seen to be at most every number of a ball."""
    return float(x) if arb(float(x)) == x else math.nextafter(float(x.lower()), -math.inf)


def above(x: Any) -> float:
    return -below(-x)


def double(text: str) -> float:
    """An integer, or a hexadecimal double; finite."""
    value = number(text)
    if value.denominator & (value.denominator - 1) or abs(value) > 2**1000 or Fraction(float(value)) != value:
        raise Refused(f"{text[:40]!r} is no double")
    return float(value)
