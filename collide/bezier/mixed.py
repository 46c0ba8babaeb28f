"""Pairs of moving Bezier patches of different kinds or degrees: both as tensor-product patches of one degree, with the error of that."""

from typing import Any

import numpy as np

from codegen.given import doubles

from ..answers.batch import Batch
from ..search.budget import Budget
from .pairs import bezier_pairs, squares_of

# The error of a round of averages, in units of 2**-53 of the largest number: two quotients, two products and a sum.
_ROUND = 4.0


def bezier_mixed_pairs(first: Any, second: Any, tolerance: float = 1e-6, budget: Budget | float | None = None, workers: int = 1) -> Batch:
    """Find whether two moving Bezier patches of different kinds or degrees touch for some t in [0, 1], and when first, for n pairs.

    Parameters
    ----------
    first, second : array_like, (n, 2, N+1, M+1, 3) or (n, 2, (N+1)(N+2)/2, 3)
        Pair, (control points at t = 0, velocities), and those of a patch: of a tensor product as in `bezier_pairs`, or of a triangle as in
        `bezier_triangle_pairs`. All first patches are of one kind and degree, and all second ones.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the time.
    budget : float or Budget, optional
        Seconds for all pairs together (None: 60), or a `Budget`, of which each pair has as many `boxes` to itself; without these, none
        takes more than 200,000.
    workers : int, optional
        So many threads share the pairs. The answer is the same to the bit.

    Returns
    -------
    Batch
        As `bezier_pairs`; u and v of a triangular patch are its own.

    Raises
    ------
    ValueError
        For arrays of other shapes, or of different lengths, and numbers that are not finite.

    Notes
    -----
    The guarantees are those of `bezier_pairs`. A triangle becomes a tensor-product patch, as in `bezier_triangle_pairs`, and the degrees of
    both patches are raised to the larger ones, with averages of control points. Each round of these errs by less than 4 units of 2**-53 of
    the largest number, and the search takes as much as its `error`. So patches that touch on a region, as flat ones do, may be UNRESOLVED.

    Examples
    --------
    A triangle falls on a bent sheet, which it meets at t = 1/2.

    >>> import numpy as np
    >>> from collide import bezier_mixed_pairs
    >>> flat = np.array([[-1, -1, 1], [-1, 3, 1], [3, -1, 1]], float)
    >>> dome = np.array([[[i - 1, j - 1, (i % 2) + (j % 2) - 0.5] for j in range(3)] for i in range(3)], float)
    >>> found = bezier_mixed_pairs([[flat, 0 * flat - [0, 0, 1]]], [[dome, 0 * dome]])
    >>> found.hit.tolist(), bool(found.time[0, 0] <= 0.5 <= found.time[0, 1])
    ([True], True)
    """
    patches = [_squared(p, name) for p, name in ((first, "first"), (second, "second"))]
    a, b = (square for square, _ in patches)
    if len(a) != len(b):
        raise ValueError(f"there must be as many second patches as first ones, got {len(a)} and {len(b)}")
    degrees = [max(a.shape[k], b.shape[k]) - 1 for k in (2, 3)]
    raised = [_elevated(_elevated(square, degrees[0], 2), degrees[1], 3) for square, _ in patches]
    rounds = max(turned + sum(d + 1 - n for d, n in zip(degrees, square.shape[2:4], strict=True)) for square, turned in patches)
    q = np.ascontiguousarray(np.stack(raised, axis=1))
    sizes = np.maximum(_size(first), _size(second)).sum(axis=1), np.abs(q).max(axis=(1, 3, 4, 5), initial=0.0).sum(axis=1)
    # The size of what was raised may be smaller.
    shrunk = float((sizes[0] / np.maximum(sizes[1], 2.0**-900)).max(initial=1.0))
    answer = bezier_pairs(q, tolerance, budget=budget, workers=workers, error=_ROUND * rounds * 2.0**-53 * shrunk)
    for k, (_, turned) in enumerate(patches):
        if turned:
            answer.parameters[:, 2 * k + 1] *= 1.0 - answer.parameters[:, 2 * k]
    return answer


def _squared(given: Any, name: str) -> tuple[np.ndarray, int]:
    """Patches (n, 2, N+1, M+1, 3), and by how many rounds of averages they were made of triangles."""
    p = doubles(given, f"the {name} patches", "(n, 2, N+1, M+1, 3) or (n, 2, (N+1)(N+2)/2, 3)")
    degree = round((2 * p.shape[2] + 0.25) ** 0.5 - 1.5) if p.ndim == 4 else 0
    triangles = p.ndim == 4 and degree >= 1 and 2 * p.shape[2] == (degree + 1) * (degree + 2)
    if p.shape[-1:] != (3,) or p.shape[1:2] != (2,) or not (triangles or (p.ndim == 5 and min(p.shape[2:4]) >= 1)):
        raise ValueError(f"the {name} patches must be of the shape (n, 2, N+1, M+1, 3), or of triangles (n, 2, (N+1)(N+2)/2, 3), "
                         f"got {p.shape}")
    if not np.isfinite(p).all():
        raise ValueError(f"the {name} patches must have finite control points and velocities")
    if triangles:
        return squares_of(p[:, None], degree)[:, 0], degree
    return p, 0


def _elevated(p: np.ndarray, degree: int, axis: int) -> np.ndarray:
    """Raise the degree along an axis."""
    row = np.moveaxis(p, axis, 2)
    while row.shape[2] <= degree:
        m = row.shape[2]
        share = (np.arange(m + 1) / m)[:, None, None]
        ends = np.concatenate([row[:, :, :1], row, row[:, :, -1:]], axis=2)
        row = share * ends[:, :, :-1] + (np.arange(m, -1, -1) / m)[:, None, None] * ends[:, :, 1:]
    return np.moveaxis(row, 2, axis)


def _size(given: Any) -> np.ndarray:
    """(n, 2): the largest coordinate, and the largest velocity."""
    p = np.asarray(given, float)
    return np.asarray(np.abs(p).max(axis=tuple(range(2, p.ndim)), initial=0.0))
