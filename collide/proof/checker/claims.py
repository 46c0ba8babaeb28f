"""The claims of a log, read line by line, and the steps that they come down to.

A tree is written in preorder: a step divides a box in two (`s`), or shows of a box that it holds no solution (`n`, `m`, `c`, `d`: `rules`).
The boxes are never written: they follow from the ranges of the variables and the divisions above, so the leaves of a tree cover its root.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint

from .problem import Part, Problem, above, below
from .text import Lines, Refused, double, number
from .words import Box, bodies, box_text, formula_text, parameters, surfaces, when

FIRST = "collide proof 1"
STATEMENT, DEEPEST, ZEROS = 1 << 22, 2000, 1 << 16
"""Characters of a statement; depth of a tree; and boxes of zeros."""
System = tuple[Any, ...]
"""The name of a system (`Problem.built`)."""


class Step(NamedTuple):
    """A step that says of a box that a system has no solution in it, or one (`x`)."""

    line: int
    system: System
    box: Box
    words: tuple[str, ...]


class Claims:
    """What a log states and claims; `theorem`: what follows when all steps do."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.statement, self.theorem, self.least = list[str](), list[str](), math.inf

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
        self.problem = problem_of(tuple(self.statement))
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
        span = f"{formula_text(self.problem.time[0])} <= t <= {until!r}"
        self.theorem.append(f"{surfaces(self.problem)} have no point in common at any time t with {span}{parameters(self.problem)}.")
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
        lo, hi = step.box[-1]
        self.theorem.append(f"{bodies(self.problem, a, b)} have a point in common {when(self.problem, step.box)}.")
        if self.least < hi and flint.arb(lo) >= self.problem.moment(0):
            self.theorem.append(f"So their first contact lies in {self.least!r} <= t <= {hi!r}.")

    def _touch(self, args: Sequence[str]) -> Iterator[Step]:
        """Two lines `x`: in the box of the first there is exactly one common point where tangents are dependent; it lies in the second."""
        self._asked("contact", len(args) == 2)
        a, b = self._parts(args)
        only, near = self._alone(("common point", a, b), self.lines.next())
        spatial = only.box[:len(only.box) - len(self.problem.variables) - 1]
        system = "touch", a, b, tuple(i for i, (lo, hi) in enumerate(spatial) if lo < hi)
        first = self.problem.system("common point", a, b).equations - 1
        yield from (only._replace(system=system), near._replace(system=system))
        # At a corner there are no more variables than equations: then the common point itself is the only one in its box.
        where = (f" at which the equations' derivatives by the first {first} variables of place that have room and by any other of place "
                 "are linearly dependent") if len(system[3]) > first else ""
        both = bodies(self.problem, a, b)
        self.theorem.append(f"{both} have exactly one point in common in {box_text(only.box)}{where}: at {box_text(near.box)}.")

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
        times = " to ".join(map(formula_text, self.problem.time))
        self.theorem.append(f"{surfaces(self.problem)} are farther from each other than {float(least)!r} at all times t from {times}"
                            f"{parameters(self.problem)}.")
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
        self.theorem.append(f"Somewhere they are at most {float(most)!r} from each other, {when(self.problem, step.box)}.")
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
                only, near = self._alone(system, line)
                if any(lo == hi for lo, hi in only.box):
                    raise Refused("a zero is the only one where all variables are free")
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
        listed = "; ".join(map(box_text, shown[:8])) + ("; ..." if len(boxes) > 8 else "")
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
        self.theorem.append(f"It is at most {float(most)!r} at a point of them in {box_text(step.box)}.")

    def _asked(self, question: str, complete: bool) -> None:
        if self.problem.question != question or not complete:
            raise Refused("this is no claim about what the log states")
        if question == "distance" and self.problem.itself is not None:
            raise Refused("nothing is claimed of the distances of places of one body")
        if question in ("contact", "distance") and not any(True for _ in self.problem.pairs()):
            raise Refused("the log is about no two bodies")

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
            if words[:1] == ["s"] and len(words) in (2, 3):
                k = int(number(words[1]))
                lo, hi = box[k] if 0 <= k < len(box) else (0.0, 0.0)
                at = double(words[2]) if len(words) == 3 else 0.5 * (lo + hi)
                if not lo < at < hi:
                    raise Refused("this does not divide the box")
                stack += [(system, (*box[:k], ends, *box[k + 1:])) for ends in ((at, box[k][1]), (box[k][0], at))]
            elif words in (["h", "0"], ["h", "1"]):
                n = len(self.problem.variables)
                for half in halves(system, int(words[1])):
                    root = self._root(half)
                    stack.append((half, (*root[:len(root) - n], *box[-n - 1:])))
            elif words[:1] == ["i"] and len(words) == 2:
                k = int(number(words[1]))
                if not (0 <= k < len(boxes) and _within(box, boxes[k])):
                    raise Refused(f"{box_text(box)} does not lie in a box that is listed")
            elif words == ["l"]:
                if not (box and box[-1][0] > until):
                    raise Refused(f"{box_text(box)} does not begin after the time of the claim")
            elif words[:1] in (["n"], ["m"], ["c"], ["d"]):
                yield Step(self.lines.number, system, box, tuple(words))
            else:
                raise Refused(f"a step was expected here, not {' '.join(words)[:40]!r}")

    def _alone(self, system: System, line: str) -> tuple[Step, Step]:
        """This line `x` and the next: in the box of the first is exactly one solution, if there is one in that of the second."""
        only, near = self._exists(system, line), self._exists(system, self.lines.next())
        if not _within(near.box, only.box) or [lo == hi for lo, hi in near.box] != [lo == hi for lo, hi in only.box]:
            raise Refused("the second box has the same free variables, and lies in the first")
        return only, near

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


def halves(system: System, side: int) -> Iterator[System]:
    """The same about the upper half of a mesh, and about the lower one."""
    part: Part = system[1 + side] if len(system) > 2 else ()
    if len(part) != 3 or part[2] - part[1] < 2:
        raise Refused("only several triangles of a mesh are halved")
    k, i, j = part
    for half in ((k, (i + j) // 2, j), (k, i, (i + j) // 2)):
        yield (*system[:1 + side], half, *system[2 + side:])


@functools.lru_cache(maxsize=1)
def problem_of(statement: tuple[str, ...]) -> Problem:
    return Problem(statement)


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
