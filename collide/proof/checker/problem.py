"""What a log is about: bodies or formulas, as it states them, and the systems without solutions that its claims come down to."""

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from .formulas import Arb, Program
from .pieces import Mesh, Piece, index
from .rules import Side, System
from .text import Formula, Refused, number, read

WORDS = {"let": (2,), "surface": (8,), "level": range(8, 1000), "mesh": (13,), "corner": (3, 6), "triangle": (3,), "time": (2,),
         "self": (0, 2), "except": (2,), "variable": (3,), "equation": (1,), "condition": (1,), "objective": (1,)}  # fmt: skip
"""The lines of a statement, and how many arguments they have."""
MOST, VARIABLES = 4096, 64
"""Pieces or rows, and variables."""
QUESTIONS = ("contact", "distance", "zeros", "minimum")

Ranges = tuple[tuple[Any, Any], ...]
Part = tuple[int, ...]
"""(k,): a piece; (k, i, j): the triangles i to j - 1 of a mesh."""


class Problem:
    """The statement of a log."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.question = ""
        self.definitions: dict[str, Formula] = {}
        self.pieces: list[Piece | Mesh] = []
        self.time: list[Formula] = []
        self.excepted: set[tuple[int, int]] = set()
        self.variables: dict[str, tuple[Formula, Formula]] = {}
        self.rows: dict[str, list[Formula]] = {"equation": [], "condition": [], "objective": []}
        self.itself: Sequence[Formula] | None = None
        self.numbers, self.numbered = Program(0), dict[str, int]()
        for line in lines:
            self._read(line)
        if max(len(self.pieces), *map(len, self.rows.values())) > MOST or len(self.variables) > VARIABLES:
            raise Refused(f"there are more than {MOST} pieces or rows, or more than {VARIABLES} variables")
        self.of_bodies = self.question in QUESTIONS[:2]
        self._built = functools.lru_cache(maxsize=8)(functools.partial(self.built, Arb))

    def _read(self, line: str) -> None:
        word, *args = read(line) or [""]
        if word == "question" and not self.question and args and args[0] in QUESTIONS:
            self.question = str(args[0])
        elif not self.question or not isinstance(word, str) or len(args) not in WORDS.get(word, ()):
            raise Refused(f"the statement has no line such as {line[:60].strip()!r}")
        elif (word == "time" and self.time) or (
                word not in ("let", "variable") and (word in self.rows) != (self.question in QUESTIONS[2:])):
            raise Refused(f"{line[:60].strip()!r} is nothing that this question has, or has again")
        elif word == "let":
            if args[0] != f"#{len(self.definitions) + 1}" or any(n not in self.definitions for n in _references(args[1])):
                raise Refused("definitions are numbered #1, #2, ..., and refer to earlier ones")
            self.definitions[args[0]] = args[1]
        elif word == "surface":
            self.pieces.append(Piece(index(args[0]), tuple(args[1:5]), tuple(args[5:8])))
        elif word == "level":
            self.pieces.append(Piece(index(args[0]), tuple(args[1:7]), ("x", "y", "z"), (args[7],), tuple(args[8:])))
        elif word == "mesh":
            self.pieces.append(Mesh(index(args[0]), tuple(args[1:]), [], [], {}))
        elif word in ("corner", "triangle"):
            if not self.pieces or not isinstance(self.pieces[-1], Mesh):
                raise Refused("corners and triangles follow the line of their mesh")
            self.pieces[-1].add(word, args)
        elif word == "time":
            self.time = args
        elif word == "self":
            self.itself = args
        elif word == "except":
            i, j = sorted(map(index, args))
            self.excepted.add((i, j))
        elif word == "variable":
            taken = {*self.variables, "e", "pi", *("uvxyzt" if self.question in QUESTIONS[:2] else "")}
            if not (isinstance(args[0], str) and args[0].isidentifier()) or args[0] in taken:
                raise Refused("a variable has a name of its own")
            self.variables[args[0]] = args[1], args[2]
        else:
            self.rows[word].append(args[0])

    # -- pieces ---------------------------------------------------------------------------------------------------

    def parts(self) -> list[Part]:
        """All pieces, each as a whole."""
        return [(k, 0, len(piece.triangles)) if isinstance(piece, Mesh) else (k,) for k, piece in enumerate(self.pieces)]

    def part(self, name: Part) -> Piece:
        """A piece, or a part of a mesh."""
        piece = self.pieces[name[0]] if name[0] < len(self.pieces) else None
        if isinstance(piece, Mesh) and len(name) == 3 and 0 <= name[1] < name[2] <= len(piece.triangles):
            return piece.part(*name[1:])
        if not isinstance(piece, Piece) or len(name) > 1:
            raise Refused("there is no such piece")
        return piece

    def pairs(self) -> Iterator[tuple[Part, Part]]:
        """All pairs of pieces of different bodies, but those of pairs of bodies that nothing is claimed of; or of pieces of all bodies."""
        parts = self.parts()
        return ((a, b) for a in parts for b in parts if self.claimed(a, b))

    def claimed(self, a: Part, b: Part) -> bool:
        i, j = self.pieces[a[0]].body, self.pieces[b[0]].body
        return a <= b if self.itself is not None else i < j and (i, j) not in self.excepted

    # -- systems, by their names ----------------------------------------------------------------------------------

    def ranges(self, kind: str, *names: Any) -> Ranges:
        """Balls of both ends of the variables of a system; of pairs of pieces those of the first, the second, and of what both depend on,
        of which the time comes last.
        """
        ends = [*itertools.chain(*self.variables.values()), *self.time]
        if kind != "formulas":
            self.moment(0)
            first, second = self._ordered(kind, *map(self.part, names[:2]))
            shared = kind != "near" and bool(second.equations)
            if shared and any(self.number(lo) > self.number(hi) for lo, hi in zip(second.ranges[::2], second.ranges[1::2], strict=True)):
                raise Refused("a range is empty")
            ends = [*first.ranges, *(() if shared else second.ranges), *ends]
        balls = [self.number(end) for end in ends]
        return tuple(zip(balls[::2], balls[1::2], strict=True))

    def system(self, kind: str, *names: Any) -> System:
        """A system in Arb; those of triangles of one mesh are alike but for their corners, and those of several of them in all."""
        if kind == "formulas":
            return self._built(kind, *names)
        own = self._built(*self.alike(kind, *names))
        return own.of([arb(x) for part in names[:2] if len(part) > 1 for x in self.part(part).corners])

    def alike(self, kind: str, *names: Any) -> tuple[Any, ...]:
        """The name of one system that stands for all that are alike."""
        if kind == "formulas":
            return (kind, *names)
        parts = [part if len(part) == 1 else (part[0], 0, 1) if part[2] - part[1] == 1 else self.parts()[part[0]] for part in names[:2]]
        return (kind, *parts, *names[2:])

    def built(self, backend: Any, kind: str, *names: Any) -> System:
        """A system: "formulas", with a bound of the objective or None; "common point" of two parts, "near", at most so far from each other,
        "touch" with variables that are free: a common point where derivatives by these are linearly dependent; or the "place" of a part.
        """
        if kind == "formulas":
            return self._of_formulas(backend, *names)
        return self._of_place(backend, *names) if kind == "place" else self._of_pair(backend, kind, *names)

    def _of_place(self, backend: Any, a: Part) -> System:
        piece, n = self.part(a), len(self.part(a).letters)
        size = n + len(self.variables) + 1
        program = Program(size + len(piece.corners), backend)
        program.rows = self._placed(program, piece, {name: n + k for k, name in enumerate((*self.variables, "t"))}, range(n), size)[0]
        return System(program, 3)

    def different(self, system: Sequence[Any], box: Sequence[Side], values: Sequence[Any]) -> bool:
        """Have different places of one piece no common point if both lie in a box of two places?"""
        kind, *parts = system
        if kind != "common point" or parts[0] != parts[1] or len(self.part(parts[0]).letters) != 2 or len(values) != 6:
            raise Refused("this is no step about two places of one piece")
        hull = [(a[0], b[1], a[2].union(b[2])) for a, b in zip(box[:2], box[2:4], strict=True)]
        return self.system("place", parts[0]).injective(hull, box[4:], values)

    def _of_formulas(self, backend: Any, most: Fraction | None) -> System:
        """Equations and conditions; and, if a bound is given, the condition that the objective is at most that."""
        program = Program(len(self.variables), backend)
        names = {name: i for i, name in enumerate(self.variables)}
        rows = [program.add(f, names, self.definitions) for f in (*self.rows["equation"], *self.rows["condition"])]
        if most is not None:
            if len(self.rows["objective"]) != 1:
                raise Refused("a bound is claimed of one objective")
            (objective,) = self.rows["objective"]
            rows.append(program.operation("-", program.add(objective, names, self.definitions), program.number(most)))
        program.rows = rows
        return System(program, len(self.rows["equation"]))

    def _ordered(self, kind: str, first: Piece, second: Piece) -> tuple[Piece, Piece]:
        """Of common points, a piece with an equation comes last."""
        return (second, first) if kind != "near" and first.equations and not second.equations else (first, second)

    def _of_pair(self, backend: Any, kind: str, a: Part, b: Part, more: Any = ()) -> System:
        first, second = self._ordered(kind, self.part(a), self.part(b))
        shared, n, m = kind != "near" and bool(second.equations), len(first.letters), len(second.letters)
        size = n + (0 if shared else m) + len(self.variables) + 1
        program = Program(size + len(first.corners) + len(second.corners), backend)
        names = {name: n + (0 if shared else m) + k for k, name in enumerate((*self.variables, "t"))}
        point, equations, conditions = self._placed(program, first, names, range(n), size)
        other, others, further = self._placed(program, second, names, point if shared else range(n, n + m), size + len(first.corners))
        conditions = [*conditions, *further]
        if shared:
            ends = [program.add(end, {}, self.definitions) for end in second.ranges]
            conditions += [program.operation("-", *pair) for k, p in enumerate(point) for pair in ((ends[2 * k], p), (p, ends[2 * k + 1]))]
        apart = [] if shared else [program.operation("-", p, q) for p, q in zip(point, other, strict=True)]
        if kind == "common point" and a == b and first.letters == "uv" and len(a) == 1:
            conditions += self._in_order(program)
        if kind == "near":
            squares = [program.power(d, Fraction(2)) for d in apart]
            total = program.operation("+", program.operation("+", squares[0], squares[1]), squares[2])
            apart, conditions = [], [*conditions, program.operation("-", total, program.number(more * more))]
        equations = [*apart, *equations, *others]
        if kind == "touch":
            equations += program.dependent(equations, more)
        program.rows = [*equations, *conditions]
        return System(program, len(equations))

    def _in_order(self, program: Program) -> list[int]:
        """Of two places of one surface, whose parameters are the first four variables, the first has the lesser u; and if the statement
        says so, u and v differ by at most as much.
        """
        step, across = (program.operation("-", 2 + k, k) for k in (0, 1))
        sizes = [step, program.operation("max", across, program.operation("neg", across))]
        most = [program.add(f, {}, self.definitions) for f in self.itself or ()]
        return [program.operation("neg", step), *(program.operation("-", *pair) for pair in zip(sizes, most, strict=False))]

    def _placed(self, program: Program, piece: Piece, names: dict[str, int], at: Sequence[int],
                corners: int) -> tuple[list[int], list[int], list[int]]:
        """Where the point of a piece is, and its equations and conditions; `corners`: where those of a triangle begin."""
        own = {**names, **dict(zip(piece.letters, at, strict=True)), **{f"c{k}": corners + k for k in range(len(piece.corners))}}
        point, equations, conditions = ([program.add(f, own, self.definitions) for f in group]
                                        for group in (piece.point, piece.equations, piece.conditions))
        if piece.motion:
            *rows, x, y, z = (program.add(f, dict(names), self.definitions) for f in piece.motion)
            turned = [[program.operation("*", m, p) for m, p in zip(rows[k:k + 3], point, strict=True)] for k in (0, 3, 6)]
            point = [functools.reduce(functools.partial(program.operation, "+"), row, c) for row, c in zip(turned, (x, y, z), strict=True)]
        return point, equations, conditions

    def number(self, formula: Formula) -> Any:
        """The ball of a formula without variables; definitions are computed once for all of these."""
        if isinstance(formula, str) and not formula.startswith("#"):
            return Arb.constant(formula if formula in ("pi", "e") else number(formula))
        return self.numbers.values[self.numbers.add(formula, self.numbered, self.definitions)]

    def moment(self, k: int) -> Any:
        """The ball of the k-th number in the line of the time."""
        if k >= len(self.time):
            raise Refused("the statement does not say which time is meant")
        return self.number(self.time[k])


def _references(formula: Formula) -> set[str]:
    if isinstance(formula, str):
        return {formula} if formula.startswith("#") else set()
    return {name for part in formula for name in _references(part)}


def below(x: Any) -> float:
    """The largest double that is seen to be at most every number of a ball."""
    return float(x) if arb(float(x)) == x else math.nextafter(float(x.lower()), -math.inf)


def above(x: Any) -> float:
    return -below(-x)
