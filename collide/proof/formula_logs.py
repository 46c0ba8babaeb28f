"""Logs of `solve` and `minimize`: boxes in which zeros are, and bounds of a minimum."""

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from .checker.rules import side
from .existence import inner
from .log import Alive, Log
from .statement import formulas_lines
from .trees import Stuck, short

_MOST = 200_000
# By which part of its size a bound of a minimum is less than what the search found, and the most steps of a tree then.
_GAPS = ((0.0, 20_000), (2.0**-30, 40_000), (2.0**-20, 60_000), (2.0**-14, 80_000), (2.0**-10, 100_000))
# Sizes of boxes in which a zero is the only one; and of those that hold undecided ones; parts of the domain.
_SIZES, _WIDER = tuple(2.0**-k for k in range(1, 45)), (0.0, 1e-6, 1e-4, 1e-2)

Variables = Sequence[tuple[Any, Any, Any]]


class ZerosLog(Log):
    def __init__(self, path: str | os.PathLike[str], variables: Variables, equations: Sequence[Any], at_least: Sequence[Any]) -> None:
        super().__init__(path)
        self.begin(formulas_lines("zeros", variables, [*(("equation", f) for f in equations), *(("condition", -g) for g in at_least)]))

    def claims(self, found: Any, alive: Alive) -> list[str]:
        _, ranges = self.problem.system("formulas", None)
        self.root = np.array(inner(ranges))
        for wider in _WIDER:
            lines, boxes, proved = list[str](), list[np.ndarray](), 0
            for box in found.boxes:
                only = self._only(box.mean(axis=1))
                proved += bool(only)
                more = wider * (self.root[:, 1] - self.root[:, 0])
                boxes.append(only[1] if only else np.stack([box[:, 0] - more, box[:, 1] + more], axis=1))
                lines.append(only[0] if only else f"box {_sides(boxes[-1])}")
            try:
                tree = self.tree(("formulas", None), (), _MOST, alive, [box.tolist() for box in boxes])
            except Stuck:
                continue
            self.said.append(f"that all zeros lie in {len(boxes)} boxes, of which {proved} hold exactly one each")
            return [f"zeros {len(lines)}", *lines, *tree]
        return []

    def _only(self, point: np.ndarray) -> tuple[str, np.ndarray] | None:
        """The largest box round a zero in which it is seen to be the only one, and its line, with that of the smallest such box."""
        system, _ = self.problem.system("formulas", None)
        n = len(point)
        if system.equations != n:
            return None
        slope = self.grower(("formulas", None)).jets(point[None])[1][0, :n]
        if not np.isfinite(slope).all() or not np.linalg.cond(slope) < 1e14:
            return None
        matrix = np.linalg.inv(slope).ravel()
        wide, near = self._square(point, matrix, _SIZES), self._square(point, matrix, reversed(_SIZES))
        return (f"{wide[0]}\n{near[0]}", wide[1]) if wide and near else None

    def _square(self, point: np.ndarray, matrix: np.ndarray, sizes: Iterable[float]) -> tuple[str, np.ndarray] | None:
        """The first box of one of these sizes in which the test says that there is one zero."""
        system, _ = self.problem.system("formulas", None)
        for size in sizes:
            r = size * (self.root[:, 1] - self.root[:, 0])
            box = np.stack([np.maximum(point - r, self.root[:, 0]), np.minimum(point + r, self.root[:, 1])], axis=1)
            if system.exists([side(lo, hi) for lo, hi in box.tolist()], [arb(y) for y in matrix.tolist()]):
                return f"x {_sides(box)} {' '.join(map(short, matrix))}", box
        return None


class MinimumLog(Log):
    def __init__(self, path: str | os.PathLike[str], variables: Variables, objective: Any, equations: Sequence[Any],
                 at_least: Sequence[Any]) -> None:
        super().__init__(path)
        rows = [*(("equation", f) for f in equations), *(("condition", -g) for g in at_least), ("objective", objective)]
        self.begin(formulas_lines("minimum", variables, rows))

    def claims(self, found: Any, alive: Alive) -> list[str]:
        if found.status.name == "INFEASIBLE":
            return self._infeasible(alive)
        return [*self._above(found, alive), *self._below(found)]

    def _infeasible(self, alive: Alive) -> list[str]:
        try:
            tree = self.tree(("formulas", None), (), _MOST, alive)
        except Stuck:
            return []
        self.said.append("that no point of the domain fulfils the constraints")
        return ["infeasible", *tree]

    def _above(self, found: Any, alive: Alive) -> list[str]:
        for gap, most in _GAPS if found.bracket.lo > -np.inf else ():
            least = found.bracket.lo - gap * max(1.0, abs(found.bracket.lo))
            try:
                tree = self.tree(("formulas", Fraction(least)), (), most, alive)
            except Stuck:
                continue
            self.said.append(f"that the minimum is greater than {least!r}")
            return [f"above {least.hex()}", *tree]
        return []

    def _below(self, found: Any) -> list[str]:
        for gap, _ in _GAPS if found.point is not None else ():
            most = found.bracket.hi + gap * max(1.0, abs(found.bracket.hi))
            line = self.solution(("formulas", Fraction(most)), found.point.tolist(), 2.0**-20)
            if line:
                self.said.append(f"that it is at most {most!r}")
                return [f"below {most.hex()}", line]
        return []


def _sides(box: np.ndarray) -> str:
    return " ".join(short(end) for pair in box for end in pair)
