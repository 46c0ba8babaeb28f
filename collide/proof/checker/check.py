"""Is a log a proof? It is read once, line by line.

A log states a problem (`problem`), and makes claims. Each claim comes down to systems that have no solution in a box, or one in a box.
That a system has none is proved by a tree, written in preorder: a step divides a box in two (`s`), or shows of a box that it holds no
solution (`n`, `m`, `c`: `rules`). The boxes are never written: they follow from the ranges of the variables and the divisions above, so
the leaves of a tree cover its root. Each step follows by itself, so blocks of steps may be verified in any order, and elsewhere.
"""

import functools
import itertools
import math
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from os import PathLike
from typing import Any, NamedTuple

import flint

from .formulas import Refused, number
from .problem import Part, Problem, above, below, double
from .rules import side

FIRST = "collide proof 1"
LONGEST, STATEMENT, DEEPEST, BLOCK, AHEAD, BITS = 1 << 20, 1 << 22, 2000, 64, 32, 64
WORDS, ZEROS = 1 << 16, 1 << 16
"""Characters of a line, and of a statement; depth of a tree; steps that are verified together, and how many times these wait elsewhere;
bits of precision; words of steps that are verified together, or little more; and boxes of zeros.
"""
Box = tuple[tuple[float, float], ...]
System = tuple[Any, ...]
"""The name of a system (`Problem.built`)."""


class CheckStatus(Enum):
    """Whether a log is a proof; each value is its sentence."""

    ACCEPTED = "Every step follows: the theorem is proved."
    REJECTED = "The log is no proof."
    BUDGET_SPENT = "The budget was spent before every step was verified."

    def __repr__(self) -> str:
        return f"CheckStatus.{self.name}"


@dataclass(frozen=True)
class Checked:
    """What the checker says of a log: `theorem` in words, if it is ACCEPTED; else the `reason`, and the `line` (from 1) that does not
    follow. `statement`: the lines that say what is claimed, of what formulas. `steps` were verified, in `seconds`.
    """

    status: CheckStatus
    theorem: str
    reason: str
    line: int
    steps: int
    seconds: float
    statement: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        return self.status is CheckStatus.ACCEPTED

    def __str__(self) -> str:
        if self.accepted:
            return f"ACCEPTED. {self.theorem} {self.steps:,} steps were verified in {self.seconds:.2g} s."
        return f"{self.status.name} at line {self.line}: {self.reason}."


class Late(Exception):
    """The time is up."""


class Step(NamedTuple):
    """A step that says of a box that a system has no solution in it, or one (`x`)."""

    line: int
    system: System
    box: Box
    words: tuple[str, ...]


class Lines:
    """The lines of a log, counted, until the time is up."""

    def __init__(self, file: Any, end: float) -> None:
        self.file, self.end, self.number = file, end, 0

    def next(self) -> str:
        if time.perf_counter() > self.end:
            raise Late
        line = self.file.readline(LONGEST)
        self.number += 1
        if not line.endswith("\n"):
            raise Refused("the log ends before it is complete" if len(line) < LONGEST else f"a line is longer than {LONGEST} characters")
        if not line[:-1].isprintable():
            raise Refused("a line has characters that are not printed")
        return str(line[:-1])


def check(path: str | PathLike[str], *, executor: Any = None, seconds: float = math.inf) -> Checked:
    """Is the log in the file `path` a proof? ACCEPTED with the theorem that it proves, or REJECTED with the first step that does not
    follow.

    Formulas are evaluated in Arb, by the rules of this folder alone; nothing of the search, nor of its code, is used. `executor`:
    anything with `submit` or `map`, such as a ProcessPoolExecutor, which then verifies blocks of steps. After so many `seconds` it stops.
    Raises OSError for a file that cannot be read.
    """
    begin = time.perf_counter()
    with open(path, encoding="ascii", errors="replace") as file, flint.ctx.workprec(BITS):
        log = _Log(Lines(file, begin + seconds))
        try:
            for failed in _elsewhere(executor, log.blocks(log.steps()), log.lines.end):
                if failed:
                    return log.answer(CheckStatus.REJECTED, failed[0], failed[1], begin)
        except Late:
            return log.answer(CheckStatus.BUDGET_SPENT, log.lines.number, CheckStatus.BUDGET_SPENT.value[:-1], begin)
        except Refused as error:
            return log.answer(CheckStatus.REJECTED, log.lines.number, str(error), begin)
        return log.answer(CheckStatus.ACCEPTED, 0, "", begin)


class _Log:
    def __init__(self, lines: Lines) -> None:
        self.lines, self.verified = lines, 0
        self.statement, self.theorem, self.least = list[str](), list[str](), math.inf

    def answer(self, status: CheckStatus, line: int, reason: str, begin: float) -> Checked:
        theorem = " ".join(self.theorem) if status is CheckStatus.ACCEPTED else ""
        return Checked(status, theorem, reason, line, self.verified, time.perf_counter() - begin, tuple(self.statement))

    def blocks(self, steps: Iterator[Step]) -> Iterator[tuple[tuple[str, ...], list[Step]]]:
        """Steps together with the statement that they are about."""
        while block := list(_some(steps)):
            self.verified += len(block)
            yield tuple(self.statement), block

    # -- the claims -----------------------------------------------------------------------------------------------

    def steps(self) -> Iterator[Step]:
        """All steps but the divisions; what they prove together is added to the theorem when the last one is read."""
        if self.lines.next() != FIRST:
            raise Refused(f"a log begins with the line {FIRST!r}")
        claims = {"clear": self._clear, "meet": self._meet, "touch": self._touch, "farther": self._farther, "nearer": self._nearer,
                  "zeros": self._zeros, "above": self._above, "below": self._below, "infeasible": self._above}
        size = 0
        while (line := self.lines.next()).partition(" ")[0] not in claims:
            self.statement.append(line)
            size += 1 + len(line)
            if size > STATEMENT:
                raise Refused(f"the statement is longer than {STATEMENT} characters")
        self.problem = _problem(tuple(self.statement))
        while line != "end":
            word, *args = line.split()
            if word not in claims:
                raise Refused(f"a claim was expected here, not {line[:40]!r}")
            yield from claims[word](args)
            line = self.lines.next()
        if not self.theorem:
            raise Refused("nothing is claimed")
        if self.lines.file.read(1):
            raise Refused("something follows the end")

    def _clear(self, args: Sequence[str]) -> Iterator[Step]:
        """From the beginning until this time surfaces of different bodies have no common point; or different places of all surfaces."""
        self._asked("contact", len(self.problem.time) == 1)
        begin, until = below(self.problem.moment(0)), float(_bound(args))
        for a, b in self.problem.pairs():
            end = float(_bound(self._named(a, b)))
            if not -math.inf < begin < until <= end:
                raise Refused("the time does not go forward")
            yield from self._tree(("common point", a, b), (begin, end), (), until)
        span = f"{_formula(self.problem.time[0])} <= t <= {until!r}"
        self.theorem.append(f"{self._surfaces()} have no point in common at any time t with {span}{self._parameters()}.")
        self.least = until

    def _meet(self, args: Sequence[str]) -> Iterator[Step]:
        """Two parts have a common point at a time in the box."""
        self._asked("contact", len(args) == 2)
        a, b = self._parts(args)
        step = self._exists(("common point", a, b), self.lines.next())
        n = len(self.problem.part(a).letters)
        if a == b and n + n + len(self.problem.variables) >= len(step.box):
            raise Refused("of one piece only points of a surface or a triangle are two places")
        if a == b and _meet(step.box[:n], step.box[n:2 * n]):
            raise Refused("these may be one and the same place")
        yield step
        when, (lo, hi) = self._when(step), step.box[-1]
        self.theorem.append(f"{self._bodies(a, b)} have a point in common {when}.")
        if self.least < hi and flint.arb(lo) >= self.problem.moment(0):
            self.theorem.append(f"So their first contact lies in {self.least!r} <= t <= {hi!r}.")

    def _touch(self, args: Sequence[str]) -> Iterator[Step]:
        """Two lines `x`: in the box of the first there is exactly one common point where tangents are dependent; it lies in the second."""
        self._asked("contact", len(args) == 2)
        a, b = self._parts(args)
        only, near = (self._exists(("common point", a, b), self.lines.next()) for _ in range(2))
        spatial = only.box[:len(only.box) - len(self.problem.variables) - 1]
        system = "touch", a, b, tuple(i for i, (lo, hi) in enumerate(spatial) if lo < hi)
        first = self.problem.system("common point", a, b).equations - 1
        if not _within(near.box, only.box) or [lo == hi for lo, hi in near.box] != [lo == hi for lo, hi in only.box]:
            raise Refused("the second box has the same free variables, and lies in the first")
        yield from (only._replace(system=system), near._replace(system=system))
        # At a corner there are no more variables than equations: then the common point itself is the only one in its box.
        where = (f" at which the equations' derivatives by the first {first} variables of place that have room and by any other of place "
                 "are linearly dependent") if len(system[3]) > first else ""
        self.theorem.append(f"{self._bodies(a, b)} have exactly one point in common in {_box(only.box)}{where}: at {_box(near.box)}.")

    def _farther(self, args: Sequence[str]) -> Iterator[Step]:
        """Surfaces of different bodies are farther from each other than this, at all times."""
        self._asked("distance", len(self.problem.time) == 2)
        least = _bound(args, 0.0)
        span = below(self.problem.moment(0)), above(self.problem.moment(1))
        if self.problem.moment(0) > self.problem.moment(1) or not -math.inf < span[0] <= span[1] < math.inf:
            raise Refused("the time span is empty, or without end")
        for a, b in self.problem.pairs():
            if self._named(a, b):
                raise Refused("the line of a pair of a distance has no number")
            yield from self._tree(("near", a, b, least), span)
        times = " to ".join(map(_formula, self.problem.time))
        self.theorem.append(f"{self._surfaces()} are farther from each other than {float(least)!r} at all times t from {times}"
                            f"{self._parameters()}.")
        self.least = float(least)

    def _nearer(self, args: Sequence[str]) -> Iterator[Step]:
        """Two points of different bodies are at most so far from each other."""
        self._asked("distance", len(args) == 3 and len(self.problem.time) == 2)
        a, b = self._parts(args[1:])
        most = _bound(args[:1], 0.0)
        step = self._exists(("near", a, b, most), self.lines.next())
        span = self.problem.moment(0), self.problem.moment(1)
        if not (flint.arb(step.box[-1][0]) >= span[0] and flint.arb(step.box[-1][1]) <= span[1]):
            raise Refused("this is not within the time span")
        yield step
        self.theorem.append(f"Somewhere they are at most {float(most)!r} from each other, {self._when(step)}.")
        if self.least < most:
            self.theorem.append(f"So the least distance lies between {self.least!r} and {float(most)!r}.")

    def _zeros(self, args: Sequence[str]) -> Iterator[Step]:
        """All zeros lie in so many boxes. Of some of these it is shown that they hold exactly one (`x`), and in which part of them
        (`x`).
        """
        self._asked("zeros", True)
        system = ("formulas", None)
        boxes, shown, places = list[Box](), list[Box](), list[Box]()
        count = _bound(args)
        if not 0 <= count <= ZEROS or count.denominator > 1:
            raise Refused(f"boxes of zeros are counted, up to {ZEROS}")
        for _ in range(int(count)):
            line = self.lines.next()
            if line.startswith("x "):
                only, near = self._exists(system, line), self._exists(system, self.lines.next())
                if any(lo == hi for lo, hi in only.box) or not _within(near.box, only.box):
                    raise Refused("a zero is the only one where all variables are free, and lies in that box")
                if any(_meet(near.box, place) for place in places):
                    raise Refused("two of these boxes may hold one and the same zero")
                yield from (only, near)
                places.append(near.box)
            elif line.startswith("box ") and len(line.split()) == 1 + 2 * len(self.problem.variables):
                only = near = Step(0, system, _sides(line.split()[1:]), ())
            else:
                raise Refused("a box of zeros was expected")
            boxes.append(only.box)
            shown.append(near.box)
        yield from self._tree(system, (), boxes)
        listed = "; ".join(map(_box, shown[:8])) + ("; ..." if len(boxes) > 8 else "")
        self.theorem.append(f"All zeros lie in {len(boxes)} boxes, of which {len(places)} hold exactly one each: {listed}." if boxes else
                            "There is no zero.")

    def _above(self, args: Sequence[str]) -> Iterator[Step]:
        """The objective is greater than this wherever the equations and conditions hold; without a number: they hold nowhere."""
        self._asked("minimum", True)
        least = _bound(args) if args else None
        yield from self._tree(("formulas", least))
        self.theorem.append("No point of the domain fulfils the constraints." if least is None else
                            f"The objective is greater than {float(least)!r} at all points of the domain that fulfil the constraints.")

    def _below(self, args: Sequence[str]) -> Iterator[Step]:
        """A point that fulfils the equations and conditions has an objective of at most this."""
        self._asked("minimum", True)
        most = _bound(args)
        step = self._exists(("formulas", most), self.lines.next())
        yield step
        self.theorem.append(f"It is at most {float(most)!r} at a point of them in {_box(step.box)}.")

    def _asked(self, question: str, complete: bool) -> None:
        if self.problem.question != question or not complete:
            raise Refused("this is no claim about what the log states")
        if question == "distance" and self.problem.itself is not None:
            raise Refused("nothing is claimed of the distances of places of one body")
        if question in ("contact", "distance") and not any(True for _ in self.problem.pairs()):
            raise Refused("the log is about no two bodies")

    # -- in words -------------------------------------------------------------------------------------------------

    def _surfaces(self) -> str:
        if self.problem.itself is not None:
            most = " and ".join(map(_formula, self.problem.itself))
            limits = f" (of one surface those whose u and v differ by at most {most})" if most else ""
            return f"Places of the surfaces that are different{limits}"
        bodies, pairs = {piece.body for piece in self.problem.pieces}, sorted(self.problem.excepted)
        but = f", but for pairs {', '.join(f'{i} and {j}' for i, j in pairs)}, of which nothing is claimed," if pairs else ""
        return f"Of {len(bodies)} bodies those surfaces that belong to different ones{but}"

    def _bodies(self, a: Part, b: Part) -> str:
        if self.problem.itself is not None:
            return "Places of the surfaces that are different"
        return "Surfaces of bodies {} and {}".format(*(self.problem.pieces[part[0]].body for part in (a, b)))

    def _parameters(self) -> str:
        ranges = [f"{name} from {_formula(lo)} to {_formula(hi)}" for name, (lo, hi) in self.problem.variables.items()]
        return f", for all {', '.join(ranges)}" if ranges else ""

    def _when(self, step: Step) -> str:
        n = len(self.problem.variables)
        at = [f"{name} in [{lo!r}, {hi!r}]" for name, (lo, hi) in zip(self.problem.variables, step.box[-n - 1:-1], strict=True)]
        lo, hi = step.box[-1]
        return f"{'at t =' if lo == hi else 'at a time t in'} {lo if lo == hi else [lo, hi]!r}{', with ' if at else ''}{', '.join(at)}"

    # -- trees ----------------------------------------------------------------------------------------------------

    def _parts(self, args: Sequence[str]) -> tuple[Part, Part]:
        """Two pieces of different bodies, or parts of meshes."""
        a, b = (tuple(int(number(word)) for word in name.split(":")) for name in args)
        if any(len(part) > 1 and part[1:] != (part[1], part[1] + 1) for part in (a, b)):
            raise Refused("a point is one of a single triangle of a mesh")
        if min(*a, *b) < 0 or not self.problem.claimed(self.problem.part(a) and a, self.problem.part(b) and b):
            raise Refused("these are no pieces of different bodies")
        return a, b

    def _named(self, a: Part, b: Part) -> list[str]:
        """What the line of a pair says beside its pieces."""
        words = self.lines.next().split()
        if words[:3] != ["pair", str(a[0]), str(b[0])]:
            raise Refused(f"here the pieces {a[0]} and {b[0]} are to be excluded: 'pair {a[0]} {b[0]}' was expected")
        return words[3:]

    def _root(self, system: System) -> Box:
        """The ranges of the variables, but for the time."""
        root = tuple((below(lo), above(hi)) for lo, hi in self.problem.ranges(*system))
        if not all(-math.inf < lo <= hi < math.inf for lo, hi in root):
            raise Refused("a range is empty, or without end")
        return root

    def _tree(self, system: System, span: tuple[float, ...] = (), boxes: Sequence[Box] = (), until: float = math.inf) -> Iterator[Step]:
        """The leaves of a tree over the ranges of a system, and a span of time if that is a variable. Leaves of the kind `i` lie inside a
        box that is listed, those of the kind `l` begin later than `until`.
        """
        stack: list[tuple[System, Box]] = [(system, (*self._root(system), *([(span[0], span[1])] if span else [])))]
        while stack:
            (system, box), words = stack.pop(), self.lines.next().split()
            if len(stack) > DEEPEST:
                raise Refused("the tree is too deep")
            if words[:1] == ["s"] and len(words) == 3:
                k, at = int(number(words[1])), double(words[2])
                if not (0 <= k < len(box) and box[k][0] < at < box[k][1]):
                    raise Refused("this does not divide the box")
                stack += [(system, (*box[:k], ends, *box[k + 1:])) for ends in ((at, box[k][1]), (box[k][0], at))]
            elif words in (["h", "0"], ["h", "1"]):
                n = len(self.problem.variables)
                for half in _halves(system, int(words[1])):
                    root = self._root(half)
                    stack.append((half, (*root[:len(root) - n], *box[-n - 1:])))
            elif words[:1] == ["i"] and len(words) == 2:
                k = int(number(words[1]))
                if not (0 <= k < len(boxes) and _within(box, boxes[k])):
                    raise Refused(f"{_box(box)} does not lie in a box that is listed")
            elif words == ["l"]:
                if not (box and box[-1][0] > until):
                    raise Refused(f"{_box(box)} does not begin after the time of the claim")
            elif words[:1] in (["n"], ["m"], ["c"], ["d"]):
                yield Step(self.lines.number, system, box, tuple(words))
            else:
                raise Refused(f"a step was expected here, not {' '.join(words)[:40]!r}")

    def _exists(self, system: System, line: str) -> Step:
        """A line `x`: a box in the domain, and a matrix."""
        words, ranges = line.split(), self.problem.ranges(*system)
        n = len(ranges) + (system[0] != "formulas")
        if words[:1] != ["x"] or len(words) < 1 + 2 * n:
            raise Refused("a box in which a solution exists was expected")
        box = _sides(words[1:1 + 2 * n])
        inside = zip(ranges, box, strict=False)
        if not all(a <= b for a, b in box) or not all(flint.arb(a) >= lo and flint.arb(b) <= hi for (lo, hi), (a, b) in inside):
            raise Refused("this box does not lie in the domain")
        return Step(self.lines.number, system, box, ("x", *words[1 + 2 * n:]))


def _some(steps: Iterator[Step]) -> Iterator[Step]:
    words = 0
    for step in itertools.islice(steps, BLOCK):
        yield step
        words += len(step.words)
        if words > WORDS:
            return


def _halves(system: System, side: int) -> Iterator[System]:
    """The same about the upper half of a mesh, and about the lower one."""
    part: Part = system[1 + side] if len(system) > 2 else ()
    if len(part) != 3 or part[2] - part[1] < 2:
        raise Refused("only several triangles of a mesh are halved")
    k, i, j = part
    for half in ((k, (i + j) // 2, j), (k, i, (i + j) // 2)):
        yield (*system[:1 + side], half, *system[2 + side:])


@functools.lru_cache(maxsize=1)
def _problem(statement: tuple[str, ...]) -> Problem:
    return Problem(statement)


def _verify(block: tuple[tuple[str, ...], list[Step]], end: float = math.inf) -> tuple[int, str] | None:
    """The line of the first step of a block that does not follow, and why; None if all do."""
    statement, steps = block
    with flint.ctx.workprec(BITS):
        problem = _problem(statement)
        for step in steps:
            if time.perf_counter() > end:
                raise Late
            try:
                if not _follows(problem, step):
                    kind = "a solution in" if step.words[0] == "x" else "no solution in"
                    return step.line, f"the step {' '.join(step.words)[:60]!r} does not show {kind} {_box(step.box)}"
            except Refused as error:
                return step.line, str(error)
    return None


def _elsewhere(executor: Any, blocks: Iterator[Any], end: float) -> Iterator[tuple[int, str] | None]:
    """What `_verify` says of each block, by an executor if there is one, of which few blocks wait at a time."""
    if not hasattr(executor, "submit"):
        yield from map(functools.partial(_verify, end=end), blocks) if executor is None else executor.map(_verify, blocks)
        return
    waiting: deque[Any] = deque()
    for block in blocks:
        waiting.append(executor.submit(_verify, block))
        if len(waiting) > AHEAD:
            yield waiting.popleft().result()
    yield from (future.result() for future in waiting)


def _follows(problem: Problem, step: Step) -> bool:
    box = [side(lo, hi) for lo, hi in step.box]
    kind, *words = step.words
    values = [flint.arb(double(word)) for word in words]
    if kind == "d":
        return problem.different(step.system, box, values)
    system = problem.system(*step.system)
    if kind == "x":
        return system.exists(box, values)
    n = len(system.program.rows)
    weights, rest = values[:n], values[n:]
    if len(weights) < n or len(rest) != (2 + len(box) if kind == "c" else 0):
        raise Refused("this step has too few or too many numbers")
    if not all(w >= 0 for w in weights[system.equations:]):
        raise Refused("the weight of a condition is negative")
    if kind == "n":
        return system.natural(box, weights)
    return system.mean_value(box, weights) if kind == "m" else system.convex(box, weights, rest[0], rest[1], rest[2:])


def _sides(words: Sequence[str]) -> Box:
    values = [double(word) for word in words]
    return tuple(zip(values[::2], values[1::2], strict=True))


def _within(inner: Box, outer: Box) -> bool:
    return all(a <= c and d <= b for (a, b), (c, d) in zip(outer, inner, strict=True))


def _meet(first: Box, second: Box) -> bool:
    return all(a <= d and c <= b for (a, b), (c, d) in zip(first, second, strict=True))


def _bound(args: Sequence[str], least: float = -math.inf) -> Fraction:
    """The number of a claim, a double."""
    if len(args) != 1 or not double(args[0]) > least:
        raise Refused("this claim has one number" if len(args) != 1 else "a distance is positive")
    return Fraction(double(args[0]))


def _formula(formula: Any) -> str:
    return formula if isinstance(formula, str) else f"({' '.join(map(_formula, formula))})"


def _box(box: Box) -> str:
    return " x ".join(f"[{lo!r}, {hi!r}]" for lo, hi in box)
