"""Is a log a proof? It is read once, line by line.

A log states a problem (`problem`), and makes claims (`claims`). Each comes down to systems that have no solution in a box, or one in a box.
That a system has none is proved by a tree that divides the box. Each step follows by itself (`rules`), so blocks of steps may be verified
in any order, and elsewhere.
"""

import functools
import itertools
import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from os import PathLike
from typing import Any

import flint

from .claims import Claims, Step, problem_of
from .problem import Problem
from .rules import side
from .text import Late, Lines, Refused, double
from .words import box_text

BLOCK, WORDS, AHEAD, BITS = 64, 1 << 16, 32, 64
"""Steps that are verified together, and words of these, or little more; how many times these wait elsewhere; bits of precision."""


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


def check(path: str | PathLike[str], *, executor: Any = None, seconds: float = math.inf) -> Checked:
    """Is the log in the file `path` a proof? ACCEPTED with the theorem that it proves, or REJECTED with the first step that does not
    follow.

    Formulas are evaluated in Arb, by the rules of this folder alone; nothing of the search, nor of its code, is used. `executor`:
    anything with `submit` or `map`, such as a ProcessPoolExecutor, which then verifies blocks of steps. After so many `seconds` it stops.
    Raises OSError for a file that cannot be read.
    """
    begin = time.perf_counter()
    with open(path, encoding="ascii", errors="replace") as file, flint.ctx.workprec(BITS):
        log = _Log(Claims(Lines(file, begin + seconds)))
        try:
            for failed in _elsewhere(executor, log.blocks(log.claims.steps()), begin + seconds):
                if failed:
                    return log.answer(CheckStatus.REJECTED, failed[0], failed[1], begin)
        except Late:
            return log.answer(CheckStatus.BUDGET_SPENT, log.claims.lines.number, CheckStatus.BUDGET_SPENT.value[:-1], begin)
        except Refused as error:
            return log.answer(CheckStatus.REJECTED, log.claims.lines.number, str(error), begin)
        return log.answer(CheckStatus.ACCEPTED, 0, "", begin)


class _Log:
    def __init__(self, claims: Claims) -> None:
        self.claims, self.verified = claims, 0

    def answer(self, status: CheckStatus, line: int, reason: str, begin: float) -> Checked:
        theorem = " ".join(self.claims.theorem) if status is CheckStatus.ACCEPTED else ""
        return Checked(status, theorem, reason, line, self.verified, time.perf_counter() - begin, tuple(self.claims.statement))

    def blocks(self, steps: Iterator[Step]) -> Iterator[tuple[tuple[str, ...], list[Step]]]:
        """Steps together with the statement that they are about."""
        while block := list(_some(steps)):
            self.verified += len(block)
            yield tuple(self.claims.statement), block


def _some(steps: Iterator[Step]) -> Iterator[Step]:
    words = 0
    for step in itertools.islice(steps, BLOCK):
        yield step
        words += len(step.words)
        if words > WORDS:
            return


def _verify(block: tuple[tuple[str, ...], list[Step]], end: float = math.inf) -> tuple[int, str] | None:
    """The line of the first step of a block that does not follow, and why; None if all do."""
    statement, steps = block
    with flint.ctx.workprec(BITS):
        problem = problem_of(statement)
        for step in steps:
            if time.perf_counter() > end:
                raise Late
            try:
                if not _follows(problem, step):
                    kind = "a solution in" if step.words[0] == "x" else "no solution in"
                    return step.line, f"the step {' '.join(step.words)[:60]!r} does not show {kind} {box_text(step.box)}"
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
    return system.convex(box, weights, rest[0], rest[1], rest[2:]) if rest else system.natural(box, weights) or system.convex(box, weights)
