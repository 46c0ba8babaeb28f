"""Logs of `solve` and `minimize`: boxes in which zeros are, and bounds of a minimum."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .checker.problem import Case
from .existence import only_one, sides_text
from .log import Alive, Log
from .statement import formulas_lines
from .trees import Stuck

_MOST = 200_000
# By which part of its size a bound of a minimum is less than what the search found, and the most steps of a tree then.
_GAPS = ((0.0, 20_000), (2.0**-30, 40_000), (2.0**-20, 60_000), (2.0**-14, 80_000), (2.0**-10, 100_000))
# What boxes that hold undecided zeros are widened by, as parts of the domain.
_WIDER = (0.0, 1e-6, 1e-4, 1e-2)

Variables = Sequence[tuple[Any, Any, Any]]


class ZerosLog(Log):
    def __init__(self, path: str | os.PathLike[str], variables: Variables, equations: Sequence[Any], at_least: Sequence[Any]) -> None:
        super().__init__(path)
        self.begin(formulas_lines("zeros", variables, [*(("equation", f) for f in equations), *(("condition", -g) for g in at_least)]))

    def claims(self, found: Any, alive: Alive) -> list[str]:
        case = Case(((0,),))
        self.root = np.array(self.families.inner(case))
        for wider in _WIDER:
            lines, boxes, proved = list[str](), list[np.ndarray](), 0
            for box in found.boxes:
                only = only_one(self.grower(case), self.test(case), box.mean(axis=1), self.root, range(len(box)))
                proved += bool(only)
                more = wider * (self.root[:, 1] - self.root[:, 0])
                boxes.append(only[1] if only else np.stack([box[:, 0] - more, box[:, 1] + more], axis=1))
                lines.append(f"one 0\n{only[0]}" if only else f"box {sides_text(boxes[-1])}")
            try:
                tree = self.tree(case, _MOST, alive, [box.tolist() for box in boxes])
            except Stuck:
                continue
            self.said.append(f"that all zeros lie in {len(boxes)} boxes, of which {proved} hold exactly one each")
            return [*lines, "none", *tree]
        return []


class MinimumLog(Log):
    def __init__(self, path: str | os.PathLike[str], variables: Variables, objective: Any, equations: Sequence[Any],
                 at_least: Sequence[Any]) -> None:
        super().__init__(path)
        self.variables = variables
        self.rows = [*(("equation", f) for f in equations), *(("condition", -g) for g in at_least), ("point", objective)]
        self.begin(formulas_lines("minimum", variables, self.rows))

    def claims(self, found: Any, alive: Alive) -> list[str]:
        if found.status.name == "INFEASIBLE":
            return self._infeasible(alive)
        return [*self._above(found, alive), *self._below(found)]

    def _infeasible(self, alive: Alive) -> list[str]:
        if len(self.rows) == 1:
            self.said = ["the objective is defined nowhere."]
            return []
        self.begin(formulas_lines("zeros", self.variables, self.rows[:-1]))
        try:
            tree = self.tree(Case(((0,),)), _MOST, alive)
        except Stuck:
            return []
        self.said.append("that no point of the domain fulfils the constraints")
        return ["none", *tree]

    def _above(self, found: Any, alive: Alive) -> list[str]:
        for gap, most in _GAPS if found.bracket.lo > -np.inf else ():
            least = found.bracket.lo - gap * max(1.0, abs(found.bracket.lo))
            try:
                tree = self.tree(Case(((0,),), least), most, alive)
            except Stuck:
                continue
            self.said.append(f"that the minimum is greater than {least!r}")
            return [f"none {least.hex()}", *tree]
        return []

    def _below(self, found: Any) -> list[str]:
        for gap, _ in _GAPS if found.point is not None else ():
            most = found.bracket.hi + gap * max(1.0, abs(found.bracket.hi))
            line = self.solution(Case(((0,),), most), found.point.tolist(), 2.0**-20)
            if line:
                self.said.append(f"that it is at most {most!r}")
                return [f"some {most.hex()} 0", line]
        return []
