"""Pieces of the zeros of fewer equations than variables, proved to exist: with some variables held, Krawczyk's operator finds the others.

Let f have m components, x be m of the variables and y the others. If for C near the inverse of f_x, and for all x in X and y in Y,

    c - C f(c, b) + (1 - C f_x(X, Y)) (X - c) - C f_y(X, Y) (Y - b)

lies in the interior of X, then for every y in Y there is exactly one x in X with f(x, y) = 0 (Krawczyk 1969; Neumaier 1990, 5.1), by
the mean value theorem about (c, b) in X × Y.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.contractor import Contractor
from codegen.from_sympy import from_sympy
from codegen.graph.autodiff import jacobian
from codegen.graph.expr import Expr, substitute
from codegen.kernel import Kernel

# Choices of the variables that are solved for, at most; widths are tried so often, each so many times what the last one led to.
_CHOICES, _TRIALS, _WIDER = 100, 4, 1.5
# Steps of Newton's method to a point near which the proof is tried.
_STEPS = 2

Proofs = tuple[np.ndarray, np.ndarray, np.ndarray]


def proved_pieces(equations: Sequence[Any], outside: Contractor, symbols: Sequence[Any], boxes: np.ndarray, domain: np.ndarray) -> Proofs:
    """Whether it is proved of boxes (k, n, 2) that for all values of some variables in the box there is exactly one zero in a larger box
    that lies in the domain, and where the other constraints hold, `outside` of which nothing else is left: (k,), these boxes (k, n, 2), and
    which variables those are (k, n).
    """
    n, m = len(symbols), len(equations)
    exists, regions, free = np.zeros(len(boxes), bool), boxes.copy(), np.zeros((len(boxes), n), bool)
    choices = list(itertools.islice(itertools.combinations(range(n), m), _CHOICES))
    if m > n or not len(boxes):
        return exists, regions, free
    pieces = _Pieces(from_sympy(equations, symbols), list(map(str, symbols)))
    slopes = pieces.slopes(boxes.mean(axis=2))
    best = np.argmax([np.abs(np.linalg.det(slopes[:, :, c])) for c in choices], axis=0)
    for k, choice in enumerate(choices):
        rows = np.flatnonzero(best == k)
        if not len(rows):
            continue
        found, region = pieces.proved(list(choice), boxes[rows], slopes[rows])
        found &= ((domain[:, 0] <= region[..., 0]) & (region[..., 1] <= domain[:, 1])).all(axis=1)
        found[found] = np.isnan(outside(region[found, :, 0], region[found, :, 1])[0][:, 0])
        rows, region = rows[found], region[found]
        exists[rows], regions[rows], free[rows] = True, region, [j not in choice for j in range(n)]
    return exists, regions, free


class _Pieces:
    """The kernels of a system of equations."""

    def __init__(self, functions: Sequence[Expr], names: Sequence[str]) -> None:
        pool, n = functions[0].pool, len(names)
        self.functions, self.names = functions, names
        self.x = [pool.variable(k) for k in range(n)]
        self.derivatives = jacobian(functions, self.x)
        self.values = Kernel(functions, names)

    def slopes(self, points: np.ndarray) -> np.ndarray:
        """Approximate derivatives at points (k, n): (k, m, n); 0 where there are none."""
        found = Kernel(self.derivatives, self.names).points(points).reshape(len(points), len(self.functions), len(self.names))
        known: Any = np.isfinite(found).all(axis=(1, 2))
        return np.where(known[:, None, None], found, 0.0)

    def proved(self, choice: list[int], boxes: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(k,) and (k, n, 2): the variables `choice` are solved for, in these boxes."""
        regular = np.linalg.det(slopes[:, :, choice]) != 0.0
        inverse = np.linalg.inv(np.where(regular[:, None, None], slopes[:, :, choice], np.eye(len(choice))))
        centre = boxes.mean(axis=2)
        for _ in range(_STEPS):
            step = np.einsum("kij,kj->ki", inverse, self.values.points(centre))
            centre[:, choice] -= np.where(np.isfinite(step), step, 0.0)
        numbers = np.concatenate([centre, inverse.reshape(len(boxes), -1)], axis=1)
        kernel, proved, regions = self._krawczyk(choice), np.zeros(len(boxes), bool), boxes.copy()
        half = 0.5 * (boxes[..., 1] - boxes[..., 0])
        others = [j for j in range(len(self.names)) if j not in choice]
        radius = _WIDER * np.einsum("kij,kj->ki", np.abs(inverse @ slopes[:, :, others]), half[:, others]) + 1e-12
        for _ in range(_TRIALS):
            rows = np.flatnonzero(~proved & regular & np.isfinite(numbers).all(axis=1) & np.isfinite(radius).all(axis=1))
            region = boxes[rows]
            region[:, choice, 0] = np.minimum(region[:, choice, 0], centre[rows][:, choice] - radius[rows])
            region[:, choice, 1] = np.maximum(region[:, choice, 1], centre[rows][:, choice] + radius[rows])
            lo, hi, level = kernel.decorated(region[..., 0], region[..., 1], parameters=(numbers[rows], numbers[rows]))
            inside = (region[:, choice, 0] < lo) & (hi < region[:, choice, 1]) & (level > 0)
            regions[rows], proved[rows] = region, inside.all(axis=1)
            radius[rows] = _WIDER * np.maximum(centre[rows][:, choice] - lo, hi - centre[rows][:, choice])
        return proved, regions

    def _krawczyk(self, choice: Sequence[int]) -> Kernel:
        """The operator above as a kernel of the variables, with (c, b) and C as parameters."""
        pool, n, m = self.x[0].pool, len(self.x), len(choice)
        centre = [pool.parameter(k) for k in range(n)]
        inverse = [[pool.parameter(n + i * m + j) for j in range(m)] for i in range(m)]
        at_centre = substitute(self.functions, {x.index: c for x, c in zip(self.x, centre, strict=True)})
        outputs = []
        for i, row in enumerate(inverse):
            total = centre[choice[i]] - _dot(row, at_centre)
            for k, (x, c) in enumerate(zip(self.x, centre, strict=True)):
                slope = _dot(row, [self.derivatives[j * n + k] for j in range(m)])
                total = total + (int(k == choice[i]) - slope) * (x - c)
            outputs.append(total)
        return Kernel(outputs, self.names, [f"c{k}" for k in range(n + m * m)])


def _dot(row: Sequence[Expr], column: Sequence[Expr]) -> Expr:
    total = row[0] * column[0]
    for a, b in zip(row[1:], column[1:], strict=True):
        total = total + a * b
    return total
