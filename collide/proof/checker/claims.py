"""The claims of a log, read line by line, and the steps that they come down to.

There are three: that a system has no solution (`none`), that it has one (`some`), and that it has exactly one in a box (`one`). That there
is none is shown by a tree in preorder: a step divides a box in two (`s`), or shows of a box that it holds no solution (`n`, `c`, `d`:
`rules`). The boxes are never written: they follow from the ranges of the variables and the divisions above, so the leaves of a tree cover
its root.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flint import arb

from . import words
from .problem import Box, Case, LogProblem, halves
from .text import Lines, count, double, require

FIRST = "collide proof 3"
STATEMENT, DEEPEST, ZEROS = 1 << 22, 2000, 1 << 17
"""Characters of a statement; depth of a tree; and sides of boxes of zeros."""
CLAIMS = {("contact", "none"): (1, 0), ("contact", "some"): (0, 2), ("contact", "one"): (0, 2), ("distance", "none"): (1, 0),
          ("distance", "some"): (1, 2), ("zeros", "none"): (0, 0), ("zeros", "some"): (0, 1), ("zeros", "one"): (0, 1),
          ("minimum", "none"): (1, 0), ("minimum", "some"): (1, 1)}  # fmt: skip
"""The counts of numbers (a time, a distance or a value) and of parts that each question and claim has. Boxes (`box`) are of zeros."""
STEPS = {"contact": ("s", "n", "c", "h", "l", "d"), "distance": ("s", "n", "c", "h"), "zeros": ("s", "n", "c", "i"),
         "minimum": ("s", "n", "c")}  # fmt: skip
"""The steps of a tree for each question: `h` is of several triangles, `d` of two places of one piece."""


class ClaimStep(NamedTuple):
    """A step that says of a box that a system has no solution in it, or one (`x`)."""

    line: int
    case: Case
    box: Box
    words: tuple[str, ...]


class Claims:
    """The statement and the claims of a log; `theorem`: what follows when all steps do."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.statement, self.theorem, self.least = list[str](), list[str](), math.inf
        self.listed: list[tuple[Box, Box, bool]] = []
        """Boxes in which zeros may lie, and in which part of each, and whether there is exactly one."""

    def steps(self) -> Iterator[ClaimStep]:
        """All steps but the divisions; what they prove together is added to the theorem when the last one is read."""
        require(self.lines.next() == FIRST, f"a log begins with the line {FIRST!r}")
        claims, size = {"none": self._none, "some": self._some, "one": self._one, "box": self._box}, 0
        while (line := self.lines.next()).partition(" ")[0] not in claims:
            self.statement.append(line)
            size += 1 + len(line)
            require(size <= STATEMENT, f"the statement is longer than {STATEMENT} characters")
        self.problem = LogProblem(self.statement)
        self.problem.compared()
        while line != "end":
            word, *args = line.split() or [""]
            require(word in claims, f"a claim was expected here, not {line[:40]!r}")
            yield from claims[word](args)
            line = self.lines.next()
        require(self.theorem, "nothing is claimed")
        self.theorem[:0] = words.assumed(self.problem)
        require(not self.lines.file.read(1), "something follows the end")

    def _none(self, args: Sequence[str]) -> Iterator[ClaimStep]:
        """Surfaces have no common point until a time, or are farther from each other than this at all times; there is no zero but in the
        boxes listed before; or no point at which the objective is at most a number.
        """
        case = self._case("none", args)
        for parts in self.problem.tuples():
            case = case._replace(parts=parts)
            yield from self._tree(case)
        require(case.parts, "the log is about no two bodies")
        self.theorem.append(words.none(self.problem, case, self.problem.root(case), self.listed))
        self.least = -math.inf if case.bound is None else case.bound

    def _some(self, args: Sequence[str]) -> Iterator[ClaimStep]:
        """Two parts have a common point, or points at most so far from each other; or a point has an objective of at most this."""
        case = self._case("some", args)
        step = self._exists(case)
        yield step
        self.theorem += words.some(self.problem, case, step.box, self.least)

    def _one(self, args: Sequence[str]) -> Iterator[ClaimStep]:
        """Two lines `x`: in the box of the first there is exactly one zero, or common point where tangents are dependent; it lies in the
        second.
        """
        case = self._case("one", args)
        only, near = self._exists(case), self._exists(case)
        room = [i for i, (lo, hi) in enumerate(only.box) if lo < hi]
        require(_within(near.box, only.box), "the second box lies in the first")
        if self.problem.question == "contact":
            case = case._replace(room=tuple(i for i in room if i < len(only.box) - len(self.problem.variables)))
            self.theorem.append(words.one(self.problem, case, only.box, near.box))
        else:
            require(len(room) == len(only.box), "a zero is the only one where all variables are free")
            others = (part for _, part, single in self.listed if single)
            require(not any(_meet(near.box, part) for part in others), "two of these boxes may hold one and the same zero")
            self._list(only.box, near.box, True)
        yield from (only._replace(case=case), near._replace(case=case))

    def _box(self, args: Sequence[str]) -> Iterator[ClaimStep]:
        """A box in which zeros may lie."""
        zeros = self.problem.question == "zeros" and len(args) == 2 * len(self.problem.variables)
        require(zeros, "a box of zeros has two ends of each variable")
        box = _sides(args)
        require(all(lo <= hi for lo, hi in box), "a side of a box has its lower end first")
        self._list(box, box, False)
        return iter(())

    def _list(self, box: Box, part: Box, single: bool) -> None:
        self.listed.append((box, part, single))
        require(len(self.listed) * max(len(box), 1) <= ZEROS, f"boxes of zeros have more than {ZEROS} sides")

    def _case(self, claim: str, args: Sequence[str]) -> Case:
        """The case that a claim is about."""
        numbers, named = CLAIMS.get((self.problem.question, claim), (0, -1))
        require(len(args) == numbers + named, "this is no claim about what the log states")
        bound = double(args[0]) if numbers else None
        require(bound is None or bound >= 0 or self.problem.question != "distance", "a distance is not negative")
        parts = tuple(tuple(map(count, name.split(":"))) for name in args[numbers:])
        claimed = all(map(self.problem.part, parts)) and (not named or self.problem.claimed(parts))
        require(claimed, "these are no pieces of different bodies")
        require(all(len(part) == 1 or part[1] + 1 == part[2] for part in parts), "a point is one of a single triangle of a mesh")
        return Case(parts, bound)

    def _tree(self, root: Case) -> Iterator[ClaimStep]:
        """The leaves of a tree over the ranges of a system, but those of the kind `i`, which lie inside a box that is listed, and of the
        kind `l`, which begin later than the time of the claim.
        """
        stack = [(root, self.problem.root(root))]
        until = root.bound if root.bound is not None and self.problem.question == "contact" else math.inf
        require(until == math.inf or stack[0][1][-1][0] < until <= stack[0][1][-1][1], "this is no time within the span")
        while stack:
            (case, box), line = stack.pop(), self.lines.next()
            kind, *args = line.split() or [""]
            require(len(stack) <= DEEPEST, "the tree is too deep")
            require(kind in STEPS[self.problem.question], f"a step was expected here, not {line[:40]!r}")
            if kind == "s" and len(args) in (1, 2):
                k = count(args[0])
                lo, hi = box[k] if k < len(box) else (0.0, 0.0)
                at = double(args[1]) if len(args) == 2 else 0.5 * (lo + hi)
                require(lo < at < hi, "this does not divide the box")
                stack += [(case, (*box[:k], ends, *box[k + 1:])) for ends in ((at, hi), (lo, at))]
            elif kind == "h" and len(args) == 1:  # bodies share the time, at least
                shared = len(self.problem.variables)
                stack += [(half, (*self.problem.root(half)[:-shared], *box[-shared:])) for half in halves(case, count(args[0]))]
            elif kind == "i" and len(args) == 1:
                k = count(args[0])
                require(k < len(self.listed) and _within(box, self.listed[k][0]), "this box does not lie in a box that is listed")
            elif kind == "l" and not args:
                require(box and box[-1][0] > until, "this box does not begin after the time of the claim")
            else:
                require(kind in ("n", "c", "d"), f"the step {line[:40]!r} has too few or too many numbers")
                yield ClaimStep(self.lines.number, case, box, (kind, *args))

    def _exists(self, case: Case) -> ClaimStep:
        """A line `x`: a box in the domain, and a matrix."""
        (word, *numbers), ranges = self.lines.next().split() or [""], self.problem.ranges(case)
        require(word == "x" and len(numbers) >= 2 * len(ranges), "a box in which a solution exists was expected")
        box = _sides(numbers[:2 * len(ranges)])
        within = all(a <= b and arb(a) >= lo and arb(b) <= hi for (lo, hi), (a, b) in zip(ranges, box, strict=True))
        require(within, "this box does not lie in the domain")
        same = len(case.parts) == 2 and case.parts[0] == case.parts[1]
        require(not (same and _meet(box[:2], box[2:4])), "these may be one and the same place")
        return ClaimStep(self.lines.number, case, box, (word, *numbers[2 * len(ranges):]))


def _sides(numbers: Sequence[str]) -> Box:
    values = [double(word) for word in numbers]
    return tuple(zip(values[::2], values[1::2], strict=True))


def _within(inner: Box, outer: Box) -> bool:
    return all(a <= c and d <= b for (a, b), (c, d) in zip(outer, inner, strict=True))


def _meet(first: Box, second: Box) -> bool:
    return all(a <= d and c <= b for (a, b), (c, d) in zip(first, second, strict=True))
