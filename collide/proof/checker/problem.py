"""Problem of a log as it states it, and the systems without solutions that its claims come down to.

A *piece* is the set of points (X, Y, Z) over the ranges of its parameters that fulfil equations = 0 and conditions <= 0, if it has any; or
the image of triangles under (X, Y, Z). A question about bodies asks for common points of two pieces, or how far these are from each other;
one about formulas has a single piece: of zeros it has no point, of a minimum one coordinate.
"""

import functools
import itertools
import math
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb

from .formulas import FormulaProgram
from .rules import RowPlaces, system_of
from .text import Formula, count, double, read, require, written

PATCH = "piece1 parameter3 parameter3 point3 (condition1 )*"
SURFACE = "piece1 (parameter3 )*point3 ((equation1|condition1) )*"
MESH = "piece1 (parameter1 )+point3 (corner[1-6] )+(triangle3 )+"
QUESTIONS = {"contact": f"(variable3 )+(({SURFACE}|{MESH})+(except2 )*|({PATCH})+self[1-3] )",
             "distance": f"(variable3 )+({SURFACE}|{MESH})+(except2 )*",
             "zeros": "(variable3 )+piece1 ((equation1|condition1) )+",
             "minimum": "(variable3 )+piece1 ((equation1|condition1) )*point1 "}  # fmt: skip
"""The lines that state a question, in their order, as regular expressions; each with the number of its arguments. Definitions, `let2`, and
functions that are assumed, `assume`, may come anywhere. No other lines state anything.
"""
PIECES, VARIABLES = 4096, 64
Box = tuple[tuple[float, float], ...]
Part = tuple[int, ...]
"""(k,): a piece; (k, i, j): its triangles i to j - 1."""


class Case(NamedTuple):
    """Names a system: that of one part or two; `bound` is the time, the distance or the value that is meant, and `room` says of which
    variables' derivatives are to be dependent, if any.
    """

    parts: tuple[Part, ...]
    bound: float | None = None
    room: tuple[int, ...] | None = None


@dataclass
class LogPiece:
    """`parameters` with both ends of their ranges, and `rows`: places of formulas in the statement's program. If it consists of triangles,
    corners are values of parameters without ranges; several triangles stand for the box that holds them, in a single one the parameters are
    `inner` formulas of u, v and its `cells`, the numbers c0, c1, ...
    """

    body: int
    parameters: dict[str, list[int]] = field(default_factory=dict)
    rows: dict[str, list[int]] = field(default_factory=lambda: {"point": [], "equation": [], "condition": []})
    corners: list[tuple[float, ...]] = field(default_factory=list)
    triangles: list[tuple[int, ...]] = field(default_factory=list)
    inner: dict[str, int] = field(default_factory=dict)
    cells: tuple[Any, ...] = ()


class LogProblem:
    """The statement of a log."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.program, self.names = FormulaProgram(), dict[str, int]()
        self.pieces, self.variables = list[LogPiece](), dict[str, list[int]]()
        self.excepted, self.between, self.itself = set[tuple[int, ...]](), list[int](), ""
        word, _, self.question = " ".join(lines[:1]).partition(" ")
        require(word == "question" and self.question in QUESTIONS, "a statement begins with a question: contact, distance, zeros, minimum")
        self.of_bodies, rows = self.question in ("contact", "distance"), [read(line) or [""] for line in lines[1:]]
        kinds = [f"{line.partition(' ')[0]}{len(row) - 1} " for line, row in zip(lines[1:], rows, strict=True)]
        require(re.fullmatch(QUESTIONS[self.question], "".join(kind for kind in kinds if not re.match("let2|assume", kind))),
                f"a question about {self.question} is not stated by these lines in this order")
        for row in rows:
            self._state(str(row[0]), row[1:])
        require(not self.of_bodies or [*self.variables][-1] == "t", "the last variable is the time t")
        known = {piece.body for piece in self.pieces}.issuperset(itertools.chain(*self.excepted))
        require(known and all(i < j for i, j in self.excepted), "of two bodies nothing is claimed, the lower number first")
        self.part, self.built = functools.lru_cache(maxsize=64)(self._part), functools.lru_cache(maxsize=8)(self._built)
        self.box = functools.cache(self._box)

    # -- lines ----------------------------------------------------------------------------------------------------

    def _state(self, word: str, args: Sequence[Formula]) -> None:
        if word == "let":
            require(args[0] == f"#{len(self.names) + 1}", "definitions are numbered #1, #2, ..., and refer to earlier ones")
            self.names[f"#{len(self.names) + 1}"] = self._add(args[1])
        elif word == "assume":
            require(len(args) > 3, "a function is assumed by its name, how many arguments it has, and two bounds")
            self.program.assume(args)
        elif word == "variable":
            self.variables[self._name(args[0], ())] = self._range(args[1:])
        elif word == "piece":
            self.pieces.append(LogPiece(count(args[0])))
        elif word == "except":
            self.excepted.add(tuple(map(count, args)))
        elif word == "self":
            self.between, self.itself = [*map(self._add, args)], " and ".join(f"{written(formula)} <= 0" for formula in args)
        else:
            self._of_piece(self.pieces[-1], word, args)
        require(len(self.pieces) <= PIECES and len(self.variables) <= VARIABLES, f"more than {PIECES} pieces or {VARIABLES} variables")

    def _of_piece(self, piece: LogPiece, word: str, args: Sequence[Formula]) -> None:
        if word == "parameter":
            piece.parameters[self._name(args[0], piece.parameters)] = self._range(args[1:])
        elif word == "corner":
            piece.corners.append(tuple(map(double, args)))
            require(len(args) == len(piece.parameters), "corners have values of all parameters")
        elif word == "triangle":
            piece.triangles.append(tuple(map(count, args)))
            require(max(piece.triangles[-1]) < len(piece.corners), "the corners of a piece come before its triangles")
        else:
            piece.rows[word] += map(self._add, args)

    def compared(self) -> None:
        """Raise `Refused` unless what is compared of one piece are formulas of its two places, of each piece."""
        operations = [self.program.operations[place] for place in self.program.before(self.between)]
        letters = {value for name, _, value in operations if name == "variable"}
        for piece in self.pieces if self.between else ():
            own, second = {*self.variables, *piece.parameters}, {f"{name}1" for name in piece.parameters}
            require(not own & second, "a name stands for both places")
            require(letters <= own | second, "what is compared has a name that stands for no place")

    def _add(self, formula: Formula) -> int:
        return self.program.add(formula, self.names)

    def _name(self, name: Formula, others: Container[Formula]) -> str:
        own = isinstance(name, str) and name.isidentifier() and name not in {"e", "pi", *self.variables} and name not in others
        require(own, "a variable has a name of its own")
        return str(name)

    def _range(self, formulas: Sequence[Formula]) -> list[int]:
        """Places of both ends, if there are any."""
        places = [*map(self._add, formulas)]
        ends = [self.program.constants[place] for place in places]
        require(all(x is not None for x in ends), "the end of a range is a number")
        require(not ends or -math.inf < below(ends[0]) <= above(ends[1]) < math.inf, "a range is empty, or without end")
        return places

    # -- parts ----------------------------------------------------------------------------------------------------

    def tuples(self) -> Iterator[tuple[Part, ...]]:
        """The parts that a claim that there is nothing is about: all pairs of pieces, or the only one."""
        parts: list[Part] = [(k, 0, len(piece.triangles)) if piece.corners else (k,) for k, piece in enumerate(self.pieces)]
        return filter(self.claimed, itertools.product(parts, repeat=2 if self.of_bodies else 1))

    def claimed(self, parts: tuple[Part, ...]) -> bool:
        """Two of different bodies, of which anything is claimed, or any two of all bodies; or the only piece."""
        bodies = tuple(self.pieces[part[0]].body for part in parts)
        if self.between or not self.of_bodies:
            return parts[0] <= parts[-1]
        return bodies[0] < bodies[1] and bodies not in self.excepted

    def _part(self, name: Part) -> LogPiece:
        """A piece; or triangles of it, over shares u and v of two sides of a single one, or over the box that holds several."""
        k, *ends = name
        require(k < len(self.pieces) and len(ends) == (2 if self.pieces[k].corners else 0), "there is no such piece")
        piece, number = self.pieces[k], self.program.number
        if not ends:
            return piece
        i, j = ends
        require(i < j <= len(piece.triangles), "there are no such triangles")
        if j - i > 1:
            sides = [[number(Fraction(lo)), number(Fraction(hi))] for lo, hi in self.box(k, i, j)]
            return replace(piece, parameters=dict(zip(piece.parameters, sides, strict=True)))
        n = len(piece.parameters)
        texts = (f"(+ c{m} (* u (- c{n + m} c{m})) (* v (- c{2 * n + m} c{m})))" for m in range(n))
        inner = {name: self._add(read(text)[0]) for name, text in zip(piece.parameters, texts, strict=True)}
        cells = tuple(arb(x) for corner in piece.triangles[i] for x in piece.corners[corner])
        return replace(piece, parameters={name: [number(0), number(1)] for name in "uv"}, inner=inner, cells=cells)

    def _box(self, k: int, i: int, j: int) -> Box:
        """Least and greatest coordinates of the corners of some triangles."""
        middle, piece = (i + j) // 2, self.pieces[k]
        rows = [piece.corners[corner] for corner in piece.triangles[i]] if j - i == 1 else [
            ends for half in (self.box(k, i, middle), self.box(k, middle, j)) for ends in zip(*half, strict=True)]
        return tuple((min(column), max(column)) for column in zip(*rows, strict=True))

    # -- systems --------------------------------------------------------------------------------------------------

    def ranges(self, case: Case) -> list[tuple[Any, Any]]:
        """Balls of both ends of the variables of a system: parameters of its pieces, and what all depend on, of which the time is last."""
        own = (ends for piece in self._roles(case.parts)[0] for ends in piece.parameters.values())
        return [(self.program.constants[lo], self.program.constants[hi]) for lo, hi in (*own, *self.variables.values())]

    def root(self, case: Case) -> Box:
        """The box that holds these ranges."""
        return tuple((below(lo), above(hi)) for lo, hi in self.ranges(case))

    def system(self, case: Case) -> RowPlaces:
        return self.built(self.alike(case))._replace(cells=tuple(x for part in case.parts for x in self.part(part).cells))

    def alike(self, case: Case) -> Case:
        """One that stands for all whose systems are alike but for their cells and ranges."""
        parts = tuple(part if len(part) == 1 else (part[0], 0, min(part[2] - part[1], 2)) for part in case.parts)
        return Case(parts, None if self.question == "contact" else case.bound, case.room)

    def _roles(self, parts: Sequence[Part]) -> tuple[list[LogPiece], list[LogPiece]]:
        """Those that are over their parameters, and one, if there is such a one, whose points are its parameters: where it has a point in
        common with another, they are the coordinates of that.
        """
        pieces = [*map(self.part, parts)]
        for k in (1, 0) if self.question == "contact" else ():
            rows, own = pieces[k].rows, [*map(self.program.variable, pieces[k].parameters)]
            if rows["equation"] and rows["point"] == own:
                return [pieces[1 - k]], [pieces[k]]
        return pieces, []

    def _built(self, case: Case) -> RowPlaces:
        """The rows of a system: a common point, or one at most so far from another, or of at most such a value; then those of pieces."""
        (over, levels), program = self._roles(case.parts), FormulaProgram()
        places = [{name: program.variable() for name in piece.parameters} for piece in over]
        shared = {name: program.variable() for name in self.variables}
        take, minus = functools.partial(program.take, self.program), functools.partial(program.operation, "-")
        equations, conditions, names = list[int](), list[int](), list[dict[str, int]]()
        for piece, own in zip(over, places, strict=True):
            inner = dict(own, **{f"c{k}": program.variable() for k in range(len(piece.cells))})
            if piece.cells:
                conditions += take([self._add(read("(- (+ u v) 1)")[0])], own)
                inner = dict(zip(piece.inner, take(piece.inner.values(), inner), strict=True))
            names.append({**shared, **inner})
        points = [take(piece.rows["point"], own) for piece, own in zip(over, names, strict=True)]
        for level in levels:
            for p, ends in zip(points[0], level.parameters.values(), strict=True):
                lo, hi = take(ends, {})
                conditions += minus(lo, p), minus(p, hi)
            names.append({**shared, **dict(zip(level.parameters, points[0], strict=True))})
        apart = [minus(p, q) for p, q in zip(*points, strict=True)] if len(points) == 2 else []
        equations += apart if self.question == "contact" else []
        if case.bound is not None:
            value = program.total(program.operation("square", d) for d in apart) if apart else points[0][0]
            conditions.append(minus(value, program.number(Fraction(case.bound) ** (2 if apart else 1))))
        for piece, own in zip([*over, *levels], names, strict=True):
            equations += take(piece.rows["equation"], own)
            conditions += take(piece.rows["condition"], own)
        if self.between and case.parts[0] == case.parts[1]:
            second = {f"{name}1": place for name, place in places[1].items()}
            conditions += take(self.between, {**names[0], **second})
        equations += program.dependent(equations, case.room) if case.room is not None else []
        return system_of(program, equations, conditions)


def halves(case: Case, k: int) -> Iterator[Case]:
    """The same about the upper half of the triangles of a part, and about the lower one."""
    part = case.parts[k] if k < len(case.parts) else ()
    require(len(part) == 3 and part[2] - part[1] > 1, "only several triangles of a mesh are halved")
    piece, i, j = part
    for half in ((piece, (i + j) // 2, j), (piece, i, (i + j) // 2)):
        yield case._replace(parts=(*case.parts[:k], half, *case.parts[k + 1:]))


def below(x: Any) -> float:
    """The largest double that is seen to be at most every number of a ball."""
    return float(x) if arb(float(x)) == x else math.nextafter(float(x.lower()), -math.inf)


def above(x: Any) -> float:
    return 0.0 - below(-x)
