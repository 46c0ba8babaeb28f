"""Check of a log, read once, line by line.

A log states a problem (`problem`), and makes claims (`claims`). Each comes down to systems that have no solution in a box, or one in a box.
That a system has none is proved by a tree that divides the box. Each step follows by itself (`rules`), so blocks of steps may be verified
in any order, and elsewhere.
"""

import itertools
import math
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from os import PathLike
from typing import Any

import flint
from flint import arb

from .claims import Claims, ClaimStep
from .problem import LogProblem
from .rules import side
from .text import Late, Lines, Refused, double, require
from .words import box_text

BLOCK, AHEAD, BITS = 32, 16, 64
"""Steps that are verified together elsewhere, and how many times these wait there; bits of precision."""
OWN = threading.local()


class CheckStatus(Enum):
    """Whether a log is a proof; each value is its sentence."""

    ACCEPTED = "Every step follows: the theorem is proved."
    REJECTED = "The log is no proof."
    BUDGET_SPENT = "The budget was spent before every step was verified."

    def __repr__(self) -> str:
        return f"CheckStatus.{self.name}"


@dataclass(frozen=True)
class Checked:
    """The answer of the checker on a log: `theorem` in words, if it is ACCEPTED; else the `reason`, and the `line` (from 1) that does not
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
    """Check whether the log in the file `path` is a proof: ACCEPTED with the theorem that it proves, or REJECTED with the first step that
    does not follow.

    Formulas are evaluated in Arb, by the rules of this folder alone; nothing of the search, nor of its code, is used. `executor`:
    anything with `submit` or `map`, such as a ProcessPoolExecutor, which then verifies blocks of steps. After so many `seconds` it stops.
    Raises OSError for a file that cannot be read.
    """
    begin, steps, line, reason, status = time.perf_counter(), 0, 0, "", CheckStatus.ACCEPTED
    with open(path, encoding="ascii", errors="replace", newline="\n") as file, flint.ctx.workprec(BITS):
        claims = Claims(Lines(file, begin + seconds))
        try:
            for verified in _verified(claims, executor):
                steps += verified
        except Late:
            status, line, reason = CheckStatus.BUDGET_SPENT, claims.lines.number, CheckStatus.BUDGET_SPENT.value[:-1]
        except Refused as error:
            status, line, reason = CheckStatus.REJECTED, error.line or claims.lines.number, str(error)
    theorem = " ".join(claims.theorem) if status is CheckStatus.ACCEPTED else ""
    return Checked(status, theorem, reason, line, steps, time.perf_counter() - begin, tuple(claims.statement))


def _verified(claims: Claims, executor: Any) -> Iterator[int]:
    """The numbers of steps verified, one after another, or by an executor, of which few blocks wait at a time. Raises `Refused`."""
    steps = claims.steps()
    if executor is None:
        for step in steps:
            follow(claims.problem, step)
            yield 1
        return
    while waiting := [*itertools.islice(steps, AHEAD * BLOCK)]:
        tasks = [(claims.statement, waiting[k:k + BLOCK]) for k in range(0, len(waiting), BLOCK)]
        if hasattr(executor, "submit"):
            yield from (future.result() for future in [executor.submit(_block, task) for task in tasks])
        else:
            yield from executor.map(_block, tasks)


def _block(task: tuple[list[str], list[ClaimStep]]) -> int:
    """In another process or thread, each of which reads the statement for itself, since programs grow."""
    statement, steps = task
    with flint.ctx.workprec(BITS):
        if getattr(OWN, "statement", None) != statement:
            OWN.problem, OWN.statement = LogProblem(statement), statement
        for step in steps:
            follow(OWN.problem, step)
    return len(steps)


def follow(problem: LogProblem, step: ClaimStep) -> None:
    """Raise `Refused` if a step does not follow."""
    kind, *words = step.words
    try:
        box, numbers, system = [side(*ends) for ends in step.box], [arb(double(word)) for word in words], problem.system(step.case)
        same = bool(problem.between) and step.case.parts[0] == step.case.parts[1]
        require(kind != "d" or same, "this is no step about two places of one piece")
        follows = {"d": system.injective, "x": system.exists, "n": system.excludes, "c": system.excludes}[kind](box, numbers)
    except Refused as error:
        raise Refused(str(error), step.line) from None
    if not follows:
        shown = "a solution in" if kind == "x" else "no solution in"
        raise Refused(f"the step {' '.join(step.words)[:60]!r} does not show {shown} {box_text(step.box)}", step.line)
