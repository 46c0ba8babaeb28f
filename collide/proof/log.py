"""What all logs have in common: a statement, claims with their trees, and the file."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import flint
import numpy as np

from codegen.given import shown

from .checker.check import BITS
from .checker.claims import FIRST, System
from .checker.problem import Part, Problem, above, below
from .existence import found_solution, inner
from .trees import Box, Grower, Stuck

Alive = Callable[[], bool]
"""Is there time left?"""
Span = tuple[float, float]


class Log:
    """The log of one answer, in the making. A query makes it before its search, so that what cannot be written is refused then."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"log must be the path of a file, got {shown(path)}")
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))) or os.path.isdir(path):
            raise ValueError(f"log must be the path of a file in a folder that exists, got {shown(path)}")
        self.path, self.said = path, list[str]()

    def begin(self, lines: Sequence[str]) -> None:
        self.lines, self.problem = [*lines], Problem(lines)
        self.growers = dict[System, Grower]()

    def write(self, found: Any, alive: Alive) -> str:
        """Writes the log of an answer, and says in words what it proves, or why there is none. An older file does not stay."""
        with flint.ctx.workprec(BITS):
            claims = self.claims(found, alive)
        if os.path.exists(self.path):
            os.remove(self.path)
        if not claims:
            return " ".join(["No log was written:", *(self.said or ["no proof was found in the steps of a log."])])
        part = f"{os.fspath(self.path)}.part"
        with open(part, "w", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in (FIRST, *self.lines, *claims, "end"))
        os.replace(part, self.path)
        return f"The log proves {' and '.join(self.said)}."

    def claims(self, found: Any, alive: Alive) -> list[str]:
        """The lines of what is proved; `said` in words."""
        raise NotImplementedError

    # -- parts of claims ------------------------------------------------------------------------------------------

    def grower(self, system: System) -> Grower:
        """What grows trees of a system, named as the checker does."""
        if system not in self.growers:
            self.growers[system] = Grower(self.problem, system)
        return self.growers[system]

    def domain(self, system: System, span: Sequence[Span]) -> list[Span]:
        """The box that a tree divides; `span` is that of the time, if it is a variable."""
        return [*((below(lo), above(hi)) for lo, hi in self.problem.ranges(*system)), *span]

    def tree(self, system: System, span: Sequence[Span], most: int, alive: Alive, inside: Sequence[Box] = ()) -> list[str]:
        """A tree that excludes a system. Raises `Stuck`."""
        grower = Grower(self.problem, system, inside) if inside else self.grower(system)
        if grower.grow(self.domain(system, span), most, alive) < np.inf:
            raise Stuck
        return grower.lines()

    def pairs(self, first: set[tuple[int, int]]) -> Iterator[tuple[Part, Part]]:
        """Pairs of pieces, those of the bodies in `first` before others, since they fail first."""
        own = self.problem.pieces
        return iter(sorted(self.problem.pairs(), key=lambda pair: (own[pair[0][0]].body, own[pair[1][0]].body) not in first))

    def solution(self, system: System, near: Sequence[float], reach: float, moment: float | None = None) -> str | None:
        """A step `x`: a solution near a point; of bodies at a moment, with the values of parameters as they are."""
        at = [] if moment is None else [(moment, moment)]
        root = [*inner(self.problem.ranges(*system)), *at]
        point, size = np.array([*near, *(s[0] for s in at)]), np.array([hi - lo for lo, hi in root])
        point = np.clip(point, *np.array(root).T)
        held = range(len(root) - 1 - len(self.problem.variables), len(root)) if at else []
        return found_solution(self.grower(system), self.problem.system(*system), root, point, reach * size, held)
