"""The claims of a log, read line by line, and the steps that they come down to.

There are three: that a system has no solution (`none`), that it has one (`some`), and that it has exactly one in a box (`one`); what system
is meant goes by the question (`Claims._between`). That there is none is shown by a tree in preorder: a step divides a box in two (`s`), or
shows of a box that it holds no solution (`n`, `c`, `d`: `rules`). The boxes are never written: they follow from the ranges of the variables
and the divisions above, so the leaves of a tree cover its root.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint

from . import words
from .problem import Part, Problem, above, below
from .text import Lines, Refused, double, number
from .words import Box, box_text

FIRST = "collide proof 2"
STATEMENT, DEEPEST, ZEROS = 1 << 22, 2000, 1 << 17
"""Characters of a statement; depth of a tree; and sides of boxes of zeros."""
BOUNDS = {("contact", "none"): (1,), ("distance", "none"): (1,), ("distance", "some"): (1,), ("minimum", "none"): (0, 1),
          ("minimum", "some"): (1,)}  # fmt: skip
"""How many numbers a claim has: a time, a distance or a value; else none."""
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
        self.boxes, self.shown, self.places = list[Box](), list[Box](), list[Box]()

    def steps(self) -> Iterator[Step]:
        """All steps but the divisions; what they prove together is added to the theorem when the last one is read."""
        if self.lines.next() != FIRST:
            raise Refused(f"a log begins with the line {FIRST!r}")
        claims, size = {"none": self._none, "some": self._some, "one": self._one, "box": self._box}, 0
        while (line := self.lines.next()).partition(" ")[0] not in claims:
            self.statement.append(line)
            size += 1 + len(line)
            if size > STATEMENT:
                raise Refused(f"the statement is longer than {STATEMENT} characters")
        self.problem = problem_of(tuple(self.statement))
        while line != "end":
            word, *args = line.split() or [""]
            if word not in claims:
                raise Refused(f"a claim was expected here, not {line[:40]!r}")
            yield from claims[word](args)
            line = self.lines.next()
        if not self.theorem:
            raise Refused("nothing is claimed")
        if self.lines.file.read(1):
            raise Refused("something follows the end")

    def _none(self, args: Sequence[str]) -> Iterator[Step]:
        """Surfaces have no common point until a time, or are farther from each other than this at all times; there is no zero but in the
        boxes listed before; or no point that fulfils the constraints, or none at which the objective is at most a number.
        """
        bound, contact = self._bound("none", args), self.problem.question == "contact"
        until = float(bound) if bound is not None and contact else math.inf
        if contact and not below(self.problem.moment(0)) < until <= above(self.problem.moment(1)):
            raise Refused("this is no time within the span")
        for a, b in self.problem.pairs() if self.problem.of_bodies else ():
            if self.lines.next() != (expected := f"pair {a[0]} {b[0]}"):
                raise Refused(f"here the pieces {a[0]} and {b[0]} are to be excluded: {expected!r} was expected")
            yield from self._tree(self._between((a, b), bound), (), until)
        if not self.problem.of_bodies:
            yield from self._tree(("formulas", bound), self.boxes)
        self.theorem.append(words.none(self.problem, bound, self.shown, len(self.places)))
        self.least = -math.inf if bound is None else float(bound)

    def _some(self, args: Sequence[str]) -> Iterator[Step]:
        """Two parts have a common point, or points at most so far from each other; or a point has an objective of at most this."""
        bodies = self.problem.of_bodies
        bound = self._bound("some", args[:-2] if bodies else args)
        system = self._between(self._parts(args[-2:]), bound) if bodies else ("formulas", bound)
        step = self._exists(system, self.lines.next())
        yield step
        self.theorem += words.some(self.problem, system, bound, step.box, self.least)

    def _one(self, args: Sequence[str]) -> Iterator[Step]:
        """Two lines `x`: in the box of the first there is exactly one zero, or common point where tangents are dependent; it lies in the
        second.
        """
        system: System = "formulas", None
        if self.problem.question == "contact":
            a, b = self._parts(args)
            only, near = self._alone(("common point", a, b))
            spatial = only.box[:len(only.box) - len(self.problem.variables) - 1]
            system = "touch", a, b, tuple(i for i, (lo, hi) in enumerate(spatial) if lo < hi)
            self.theorem.append(words.one(self.problem, system, only.box, near.box))
        else:
            if self.problem.question != "zeros" or args:
                raise Refused("this is no claim about what the log states")
            only, near = self._alone(system)
            if any(lo == hi for lo, hi in only.box):
                raise Refused("a zero is the only one where all variables are free")
            if any(_meet(near.box, place) for place in self.places):
                raise Refused("two of these boxes may hold one and the same zero")
            self.places.append(near.box)
            self._listed(only.box, near.box)
        yield from (only._replace(system=system), near._replace(system=system))

    def _box(self, args: Sequence[str]) -> Iterator[Step]:
        """A box in which zeros may lie."""
        if self.problem.question != "zeros" or len(args) != 2 * len(self.problem.variables):
            raise Refused("a box of zeros has two ends of each variable")
        box = _sides(args)
        self._listed(box, box)
        return iter(())

    def _listed(self, box: Box, shown: Box) -> None:
        self.boxes.append(box)
        self.shown.append(shown)
        if len(self.boxes) * max(len(box), 1) > ZEROS:
            raise Refused(f"boxes of zeros have more than {ZEROS} sides")

    # -- what is meant --------------------------------------------------------------------------------------------

    def _bound(self, claim: str, args: Sequence[str]) -> Fraction | None:
        """The number of a claim, a double, if it has one."""
        if len(args) not in BOUNDS.get((self.problem.question, claim), (0,)):
            raise Refused("this is no claim about what the log states")
        if self.problem.of_bodies and not any(True for _ in self.problem.pairs()):
            raise Refused("the log is about no two bodies")
        value = double(args[0]) if args else None
        if self.problem.question == "distance" and (self.problem.itself is not None or not value or value < 0):
            raise Refused("a distance is a positive number, and one of places of different bodies")
        return None if value is None else Fraction(value)

    def _between(self, parts: Sequence[Part], bound: Fraction | None) -> System:
        """Common points of two parts, or points at most so far from each other."""
        return ("common point", *parts) if self.problem.question == "contact" else ("near", *parts, bound)

    def _parts(self, args: Sequence[str]) -> tuple[Part, ...]:
        """Two pieces of different bodies, or parts of meshes."""
        parts = tuple(tuple(int(number(word)) for word in name.split(":")) for name in args)
        if any(len(part) > 1 and part[1:] != (part[1], part[1] + 1) for part in parts):
            raise Refused("a point is one of a single triangle of a mesh")
        if len(parts) != 2 or min(map(min, parts)) < 0 or not self.problem.claimed(*((self.problem.part(part), part)[1] for part in parts)):
            raise Refused("these are no pieces of different bodies")
        return parts

    # -- trees ----------------------------------------------------------------------------------------------------

    def _root(self, system: System) -> Box:
        """The ranges of the variables."""
        root = tuple((below(lo), above(hi)) for lo, hi in self.problem.ranges(*system))
        if not all(-math.inf < lo <= hi < math.inf for lo, hi in root):
            raise Refused("a range is empty, or without end")
        return root

    def _tree(self, system: System, boxes: Sequence[Box], until: float = math.inf) -> Iterator[Step]:
        """The leaves of a tree over the ranges of a system. Leaves of the kind `i` lie inside a box that is listed, those of the kind `l`
        begin later than `until`.
        """
        stack: list[tuple[System, Box]] = [(system, self._root(system))]
        while stack:
            (system, box), step = stack.pop(), self.lines.next().split()
            if len(stack) > DEEPEST:
                raise Refused("the tree is too deep")
            if step[:1] == ["s"] and len(step) in (2, 3):
                k = int(number(step[1]))
                lo, hi = box[k] if 0 <= k < len(box) else (0.0, 0.0)
                at = double(step[2]) if len(step) == 3 else 0.5 * (lo + hi)
                if not lo < at < hi:
                    raise Refused("this does not divide the box")
                stack += [(system, (*box[:k], ends, *box[k + 1:])) for ends in ((at, hi), (lo, at))]
            elif step in (["h", "0"], ["h", "1"]):
                shared = len(self.problem.variables) + 1
                stack += [(half, (*self._root(half)[:-shared], *box[-shared:])) for half in halves(system, int(step[1]))]
            elif step[:1] == ["i"] and len(step) == 2:
                k = int(number(step[1]))
                if not (0 <= k < len(boxes) and _within(box, boxes[k])):
                    raise Refused(f"{box_text(box)} does not lie in a box that is listed")
            elif step == ["l"]:
                if not (box and box[-1][0] > until):
                    raise Refused(f"{box_text(box)} does not begin after the time of the claim")
            elif step[:1] in (["n"], ["c"], ["d"]):
                yield Step(self.lines.number, system, box, tuple(step))
            else:
                raise Refused(f"a step was expected here, not {' '.join(step)[:40]!r}")

    def _alone(self, system: System) -> tuple[Step, Step]:
        """Two lines `x`: in the box of the first is exactly one solution, if there is one in that of the second."""
        only, near = self._exists(system, self.lines.next()), self._exists(system, self.lines.next())
        if not _within(near.box, only.box) or [lo == hi for lo, hi in near.box] != [lo == hi for lo, hi in only.box]:
            raise Refused("the second box has the same free variables, and lies in the first")
        return only, near

    def _exists(self, system: System, line: str) -> Step:
        """A line `x`: a box in the domain, and a matrix."""
        (word, *numbers), ranges = line.split() or [""], self.problem.ranges(*system)
        ends = 2 * len(ranges)
        if word != "x" or len(numbers) < ends:
            raise Refused("a box in which a solution exists was expected")
        box = _sides(numbers[:ends])
        if not all(a <= b and flint.arb(a) >= lo and flint.arb(b) <= hi for (lo, hi), (a, b) in zip(ranges, box, strict=True)):
            raise Refused("this box does not lie in the domain")
        if system[0] != "formulas" and system[1] == system[2]:
            self._different(system, box)
        return Step(self.lines.number, system, box, (word, *numbers[ends:]))

    def _different(self, system: System, box: Box) -> None:
        """Are two places in a box of places of one piece never the same?"""
        n = len(self.problem.part(system[1]).letters)
        if n + n + len(self.problem.variables) >= len(box):
            raise Refused("of one piece only points of a surface or a triangle are two places")
        if _meet(box[:n], box[n:2 * n]):
            raise Refused("these may be one and the same place")


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
