"""Systems without their numbers: their formulas are recorded on a tape once, whatever sizes, poses and velocities bodies have.

Fractions and doubles in the text of a statement become names `n0_`, `n1_`, ...; integers stay. So a query that is asked again, also of
other bodies of the same formulas, finds its tapes made.
"""

import functools
import itertools
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .checker.problem import Box, Case, LogProblem, Part, below
from .tape import Ball, Tape, addresses, constants_of

_TOKEN = re.compile(r"#\d+|(?<![\w.])-?(?:0x[0-9a-f.]+p[+-]\d+|\d+/\d+)")
_NAME = re.compile(r"#\d+")
# Stands for a bound that is told later.
_BOUND = 1.3533 * 2.0**211


class Recorded(NamedTuple):
    """A tape. `given`: registers of the numbers that a member of the family has, of the bound, if there is one, and of cells. `contact`:
    whether the last variable is the time until which a tree comes.
    """

    n: int
    m: int
    equations: int
    contact: bool
    registers: int
    code: np.ndarray
    begin: tuple[int, ...]
    call: list[int]
    where: np.ndarray
    ball: np.ndarray
    given: list[int]


class Families:
    """Those of the systems of one statement, and the boxes of these."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.problem, self.question = LogProblem(lines), lines[0]
        self.definitions, self.pieces, self.itself, self.assumed = dict[str, str](), list[list[str]](), list[str](), list[str]()
        for line in lines[1:]:
            word, _, rest = line.partition(" ")
            if word == "let":
                name, _, self.definitions[name] = rest.partition(" ")
            elif word == "assume":
                self.assumed.append(line)
            elif word == "piece":
                self.pieces.append([])
            elif word == "self":
                self.itself = [line]
            elif word not in ("variable", "except", "triangle") and not (word == "corner" and self.pieces[-1][-1].startswith("corner")):
                self.pieces[-1].append(line if word != "corner" else f"corner{' 0' * len(rest.split())}")
        self._known: dict[Case, tuple[Recorded, list[float]]] = {}
        self.outer, self.inner = functools.lru_cache(maxsize=1024)(self.problem.root), functools.lru_cache(maxsize=1024)(self._inner)

    def _inner(self, case: Case) -> Box:
        """Doubles within the ranges of the variables."""
        return tuple((-below(-lo), below(hi)) for lo, hi in self.problem.ranges(case))

    def of(self, case: Case) -> tuple[Recorded, list[float]]:
        """The tape of a system, named as the checker does, and the numbers that it is given."""
        alike = self.problem.alike(case)._replace(bound=None if case.bound is None else _BOUND)
        if alike not in self._known:
            self._known[alike] = self._told(alike)
        tape, numbers = self._known[alike]
        bound = [] if case.bound is None else [case.bound ** (2 if self.problem.of_bodies else 1)]
        return tape, [*numbers, *bound, *(float(x) for part in case.parts for x in self.problem.part(part).cells)]

    def _told(self, case: Case) -> tuple[Recorded, list[float]]:
        own, rows = [*dict.fromkeys(part[0] for part in case.parts)], list[str]()
        for k, number in enumerate(own):
            piece = self.problem.pieces[number]
            several = max([part[2] - part[1] for part in case.parts if part[0] == number and len(part) == 3], default=0)
            rows += [f"piece {k}", *(self._line(line, piece) for line in self.pieces[number]), *["triangle 0 0 0"] * several]
        parts: tuple[Part, ...] = tuple((own.index(part[0]), *part[1:]) for part in case.parts)
        variables = [f"variable {name} 0 1" for name in self.problem.variables]
        lines, numbers = self._abstract([*rows, *self.itself])
        definitions = [line for line in lines if line.startswith("let")]
        text = [self.question, *self.assumed, *definitions, *variables, *lines[len(definitions):]]
        return recorded("\n".join(text), case._replace(parts=parts), len(numbers)), numbers

    def _line(self, line: str, piece: Any) -> str:
        """Ranges count in systems only where they bound points in space."""
        word, *rest = line.split(" ", 2)
        return f"parameter {rest[0]} 0 1" if word == "parameter" and len(rest) > 1 and not piece.rows["equation"] else line

    def _abstract(self, rows: Sequence[str]) -> tuple[list[str], list[float]]:
        """Lines with names for their numbers, after the definitions that they refer to; and these numbers."""
        names, slots = dict[str, str](), dict[str, str]()

        def named(found: re.Match[str]) -> str:
            token = found.group()
            return names[token] if token[0] == "#" else slots.setdefault(token, f"n{len(slots)}_")

        lines = []
        for name in self._used(rows):
            names[name] = f"#{len(names) + 1}"
            lines.append(f"let {names[name]} {_TOKEN.sub(named, self.definitions[name])}")
        # The ends of a range are numbers.
        lines += [self._unfolded(row) if row.startswith("parameter") else _TOKEN.sub(named, row) for row in rows]
        return lines, [float.fromhex(text) if "x" in text else float(Fraction(text)) for text in slots]

    def _used(self, rows: Iterable[str]) -> list[str]:
        """The definitions that lines refer to, the earlier ones first."""
        found, stack = set[str](), [row for row in rows if not row.startswith("parameter")]
        while stack:
            new = {*_NAME.findall(stack.pop())} - found
            found |= new
            stack.extend(self.definitions[name] for name in new)
        return sorted(found, key=lambda name: int(name[1:]))

    def _unfolded(self, line: str) -> str:
        """Without definitions."""
        while "#" in line:
            line = _NAME.sub(lambda found: self.definitions[found.group()], line)
        return line


@functools.lru_cache(maxsize=32)
def families(lines: tuple[str, ...], thread: int) -> Families:
    """Kept for each thread, since computing with a problem changes what it knows."""
    return Families(lines)


@functools.lru_cache(maxsize=128)
def recorded(lines: str, case: Case, numbers: int) -> Recorded:
    """The tape of a system of the problem with these lines, in which so many numbers have names."""
    problem = LogProblem(lines.split("\n"))
    zero = problem.program.number(0)
    problem.variables = {**{f"n{k}_": [zero, zero] for k in range(numbers)}, **problem.variables}
    system, size = problem.system(case), len(problem.ranges(case))
    first = size - len(problem.variables)
    tape = Tape(size - numbers)
    own, cells = ([tape.number(0.0) for _ in range(count)] for count in (numbers, len(system.cells)))
    given = [*map(tape.variable, range(first)), *own, *map(tape.variable, range(first, tape.variables)), *cells]
    free = [k for k in range(size) if not first <= k < first + numbers]
    bound = [place for key, place in system.program.known.items() if case.bound is not None and key[2] in (_BOUND, Fraction(_BOUND) ** 2)]
    bounds, ends = {place: tape.number(0.0) for place in bound}, [0]
    # Of a common point with dependent derivatives no tree is grown.
    orders, rows = (0, 1, 2) if case.room is None else (0, 1), (*system.equations, *system.conditions)
    found = [_entries(tape, system.program, rows, given, bounds, free, order, ends) for order in orders][1:]
    assert np.array_equal(found[0][:len(rows)], found[-1][:len(rows)]), "values are in the same registers, whatever comes with them"
    code, begin = _once(tape, ends)
    return Recorded(tape.variables, len(rows), len(system.equations), problem.question == "contact" and case.room is None, tape.registers,
                    code, begin, addresses(tape.calls), np.array([*found, found[-1]][:2]), constants_of(tape),
                    [ball.at for ball in (*own, *bounds.values(), *cells)])


def _entries(tape: Tape, program: Any, rows: Sequence[int], given: Sequence[Ball], bounds: dict[int, Ball], free: Sequence[int], order: int,
             ends: list[int]) -> np.ndarray:
    """The registers of entries of jets up to an order."""
    n, m, i = len(free), len(rows), {k: i for i, k in enumerate(free)}
    where, places = np.full(m + m * n + m * n * n, -1), dict[int, int]()
    for r, (place, slopes, second) in enumerate(program.plan(rows, order, tuple(free))[0]):
        places |= {r: place, **{m + r * n + i[k]: at for k, at in slopes.items()}}
        places |= {m + m * n + (r * n + i[a]) * n + i[b]: at for (j, k), at in second.items() for a, b in ((j, k), (k, j))}
    balls = tape.run(program, places.values(), given, bounds)
    for entry, at in places.items():
        where[entry] = balls[at].at
    ends.append(len(tape.code))
    return where


def _once(tape: Tape, ends: Sequence[int]) -> tuple[np.ndarray, tuple[int, ...]]:
    """The code, what depends on numbers alone first; where that ends, and where each order does."""
    moves = {*range(tape.variables)}
    parts: list[list[tuple[int, ...]]] = [[] for _ in ends]
    for order, (begin, end) in enumerate(itertools.pairwise(ends), 1):
        for step in tape.code[begin:end]:
            # A choice reads three neighbours.
            read = {step[2], *range(step[3], step[3] + (3 if tape.chooses(step[0]) else 1))}
            if read & moves:
                moves.add(step[1])
            parts[order if step[1] in moves else 0].append(step)
    sizes = np.cumsum([0, *map(len, parts)]).tolist()
    code = np.array([step for part in parts for step in part], np.int64).reshape(-1, 4)
    return code, (*sizes, *[sizes[-1]] * (5 - len(sizes)))
