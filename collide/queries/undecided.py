"""Boxes that a search for zeros leaves undecided: some are proved by a change of sign, of others it is said why they are left.

In one variable a continuous function that has different signs at both ends of a box has a zero in it, and only one if its derivative has
one sign there. That also proves zeros where the function is so steep, or so flat, that an interval operator rounds them away.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from codegen.graph.expr import Expr, reachable
from codegen.kernel import Kernel

from ..search.problem import Problem

# Units in the last place by which a box is widened before the signs at its ends are looked at.
_WIDER = (4, 64, 1024)
# Said of a search that has not finished.
_BORDERS = "In some regions of the undecided boxes every point is a zero. Their borders take many boxes: collide.pave covers such sets."


class Reason(Enum):
    """The reason why a box is undecided; each value is its sentence, of boxes that are counted before it."""

    FILLED = "with a region in which every point is a zero: collide.pave covers sets of zeros"
    POLE = "where a denominator is 0 and its numerator is not: at or near a pole"
    QUOTIENT = "where a numerator and its denominator may both be 0"
    UNDEFINED = "where an equation is not known to be defined, or has no bound"
    JUMP = "where an equation may jump or have a kink"
    BORDER = "at the border of the domain, where no zero is proved unless it is exactly there"
    CONDITION = "where it is not decided whether the conditions hold, as at a zero at which one of them begins to fail"
    MANY = "of more equations than variables, which are located only"
    DOUBLE = "where the derivatives are singular, or nearly so: a multiple zero, or several close to each other"
    OPEN = "where none of these is seen: a smaller tolerance may decide them, unless rounding prevents it"

    def __repr__(self) -> str:
        return f"Reason.{self.name}"


def by_signs(problem: Problem, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether boxes (k, 1, 2) of one equation in one variable are proved to hold one zero, and boxes (k, 1, 2) that do."""
    done, result = np.zeros(len(boxes), bool), boxes.copy()
    if len(problem.variables) != 1 or len(problem.equations) != 1 or not len(boxes):
        return done, result
    kernel = Kernel(problem.equations, problem.variables, quick=True)
    for wider in _WIDER:
        room = wider * np.spacing(np.abs(boxes).max(axis=2))
        lo, hi = boxes[:, :, 0] - room, boxes[:, :, 1] + room
        found = _crosses(kernel, lo, hi) & (problem.inner[:, 0] <= lo)[:, 0] & (hi <= problem.inner[:, 1])[:, 0] & ~done
        found[found] = problem.range_kernel.interval(lo[found], hi[found])[0][:, -1] >= 1
        result[found] = np.stack([lo[found], hi[found]], axis=2)
        done |= found
    return done, result


def _crosses(kernel: Kernel, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Whether the function has signs that differ at the ends, and a derivative of one sign between them."""
    first, second = kernel.interval(lo, lo), kernel.interval(hi, hi)
    below, above, level = kernel.jacobian().decorated(lo, hi)
    rises = (first[1] < 0) & (second[0] > 0) & (below > 0)
    falls = (first[0] > 0) & (second[1] < 0) & (above < 0)
    return np.asarray(((rises | falls) & (level == 3) & (kernel.decorated(lo, hi)[2] == 3))[:, 0])


def reasons(problem: Problem, boxes: np.ndarray, filled: np.ndarray) -> list[Reason]:
    """The reasons why boxes (k, n, 2) are undecided, of each the first one that is seen. `filled` (m, n, 2): parts full of zeros."""
    if not len(boxes):
        return []
    lo, hi = boxes[:, :, 0], boxes[:, :, 1]
    kernel = Kernel(problem.equations, problem.variables, quick=True)
    low, high, level = kernel.decorated(lo, hi)
    least, poles = level.min(axis=1), _poles(problem.equations, problem.variables, lo, hi)
    border: Any = ((lo <= problem.inner[:, 0]) | (hi >= problem.inner[:, 1])).any(axis=1)
    square = len(problem.equations) == len(problem.variables)
    singular: Any = _singular(kernel, lo, hi) if square else np.ones(len(boxes), bool)
    unsure: Any = problem.range_kernel.interval(lo, hi)[0][:, -1] < 1
    infinite: Any = ~(np.isfinite(low) & np.isfinite(high)).all(axis=1)
    found = []
    for k in range(len(boxes)):
        unbounded = least[k] == 0 or infinite[k]
        seen = {Reason.FILLED: _holds_one(boxes[k], filled), poles[k]: unbounded, Reason.UNDEFINED: unbounded, Reason.BORDER: border[k],
                Reason.JUMP: least[k] < 3, Reason.CONDITION: unsure[k], Reason.MANY: not square, Reason.DOUBLE: singular[k]}
        found.append(next((reason for reason, holds in seen.items() if reason is not None and holds), Reason.OPEN))
    return found


def full_of_zeros(problem: Problem, boxes: np.ndarray) -> np.ndarray:
    """Those of the boxes (k, n, 2), cut to the domain, that are *proved* to have an interior in which every point is a zero: (m, n, 2)."""
    lo, hi = np.maximum(boxes[:, :, 0], problem.inner[:, 0]), np.minimum(boxes[:, :, 1], problem.inner[:, 1])
    wide = (lo < hi).all(axis=1)
    lo, hi = lo[wide], hi[wide]
    low, high, level = Kernel(problem.equations, problem.variables, quick=True).decorated(lo, hi)
    full = ((low == 0) & (high == 0) & (level > 0)).all(axis=1) & (problem.range_kernel.interval(lo, hi)[0][:, -1] >= 1)
    return np.stack([lo[full], hi[full]], axis=2)


def _holds_one(box: np.ndarray, parts: np.ndarray) -> bool:
    """Whether a box (n, 2) holds one of the parts (m, n, 2)."""
    return bool(((box[:, 0] <= parts[:, :, 0]) & (parts[:, :, 1] <= box[:, 1])).all(axis=1).any())


def _poles(equations: Sequence[Expr], names: Sequence[str], lo: np.ndarray, hi: np.ndarray) -> list[Reason | None]:
    """The reasons that are seen in quotients whose denominator may be 0."""
    quotients = [e for e in reachable(equations) if e.op == "div" and e.args[1].op != "constant"]
    if not quotients:
        return [None] * len(lo)
    below, above = Kernel([part for e in quotients for part in e.args], names, quick=True).interval(lo, hi)
    zero = (below <= 0) & (above >= 0)
    numerators, denominators = zero[:, ::2], zero[:, 1::2]
    both: Any = (numerators & denominators).any(axis=1)
    poles: Any = (denominators & ~numerators).any(axis=1)
    return [Reason.POLE if p else Reason.QUOTIENT if b else None for p, b in zip(poles, both, strict=True)]


def _singular(kernel: Kernel, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Whether the Jacobian is not seen to be regular on the box. In doubles: a hint, and no proof."""
    n = lo.shape[1]
    below, above = (e.reshape(-1, n, n) for e in kernel.jacobian().interval(lo, hi))
    result = np.ones(len(lo), bool)
    for k, (a, b) in enumerate(zip(below, above, strict=True)):
        if not (np.isfinite(a) & np.isfinite(b)).all():
            continue
        middle, radius = 0.5 * a + 0.5 * b, 0.5 * b - 0.5 * a
        if np.linalg.matrix_rank(middle) == n:
            result[k] = (np.abs(np.linalg.inv(middle)) @ radius).sum(axis=1).max() >= 1
    return result


def told(found: Sequence[Any], finished: bool, filled: np.ndarray) -> tuple[str, ...]:
    """A sentence about undecided boxes, by their reasons; of a search that has not finished, about the parts that are full of zeros."""
    if not finished:
        return (_BORDERS,) if len(filled) else ()
    counts = {reason: list(found).count(reason) for reason in Reason}
    parts = [f"{count} {reason.value}" for reason, count in counts.items() if count]
    return (f"Undecided: {'; '.join(parts)}.",) if parts else ()
