"""Differential equations on a window of time by Picard's iteration at Chebyshev's points: the rates at all of these are asked for at once,
and integrated as the polynomial through them (Clenshaw and Norton 1963; Bai and Junkins 2011).
"""

import numpy as np
from numpy.polynomial import chebyshev

from codegen.deadline import check

# Points of a window. Rates there are integrated by (NODES, NODES), times the length of the window, from its beginning on.
NODES = 18


def _points(angles: np.ndarray) -> np.ndarray:
    return np.asarray((1.0 - np.cos(angles)) / 2.0)


def followed(integral: np.ndarray, bend: np.ndarray, change: np.ndarray) -> np.ndarray:
    """(m, n): of a change of values (m, n) that comes from their rates, which change with them by `bend` (m, n, n), the one with all that
    comes from it.
    """
    m, n = change.shape
    # Block by block: large systems are solved by as many threads as there are, with roundings that depend on these.
    system, found = -integral[:, :, None, None] * bend[None], change.copy()
    system[np.arange(m), np.arange(m)] += np.eye(n)
    for k in range(m):
        check()
        back = np.linalg.inv(system[k, k])
        system[k, k + 1:], found[k] = back @ system[k, k + 1:], back @ found[k]
        system[k + 1:, k + 1:] -= system[k + 1:, None, k] @ system[None, k, k + 1:]
        found[k + 1:] -= system[k + 1:, k] @ found[k]
    for k in reversed(range(m)):
        found[:k] -= system[:k, k] @ found[k]
    return found


def _integral() -> np.ndarray:
    vander = chebyshev.chebvander(2.0 * POINTS - 1.0, NODES - 1)
    whole = chebyshev.chebint(np.linalg.inv(vander), lbnd=-1.0, axis=0)
    found = chebyshev.chebvander(2.0 * POINTS - 1.0, NODES) @ whole / 2.0
    found[0] = 0.0
    return np.asarray(found)


# Of a window of length 1: the points, others between them, and the integral from its beginning to each of the points.
POINTS = _points(np.pi * np.arange(NODES) / (NODES - 1))
BETWEEN = _points(np.pi * (np.arange(NODES - 1) + 0.5) / (NODES - 1))
INTEGRAL = _integral()
# With these, values at the points between add up to about their integral.
WEIGHTS = np.sin(np.pi * (np.arange(NODES - 1) + 0.5) / (NODES - 1)) * np.pi / (2.0 * (NODES - 1))
