"""The prover's other half: a box in which Krawczyk's test shows a solution."""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from flint import arb

from .checker.rules import RowPlaces, side
from .trees import Grower, short

# Starts from which a solution is looked for, at first and in all; steps of Newton's method; sizes of boxes, against the distance from the
# start; by how much equations may fail for the next step not to be worth its time, or must be better after it; and than the best of points.
_REST, _MOVING, _WORSE = 1e-13, 0.9, 1e3
_FIRST, _STARTS, _STEPS, _SIZES = 4, 24, 40, tuple(0.25**k for k in range(1, 14))
# Radii are taken so much larger for roundings of Arb; what the test is said to find by that much is found; and errors of doubles, at most,
# as parts of what is added up.
_ROUNDED, _SURELY, _ERROR = 1 + 1e-6, 0.98, 1e-14
# Matrices whose least singular value is such a part of the greatest are not inverted.
_SINGULAR = 1e-14
# Of the only zero: steps of Newton's method, and sizes of boxes, parts of the domain.
_POLISHED, _PARTS = 3, tuple(2.0**-k for k in range(1, 45))


Test = Callable[[], RowPlaces]
"""The system of the checker, which is made only where the prover is in doubt what its test says."""


def found_solution(grower: Grower, system: Test, root: Sequence[tuple[float, float]], near: np.ndarray, reach: np.ndarray,
                   held: Sequence[int]) -> str | None:
    """The line of a box in `root` with a solution, near a point, with as many variables held as needed, those of `held` first.

    `reach` (n,): how far from `near` starts may lie.
    """
    lo, hi = np.array(root).T
    ways = np.random.default_rng(0).uniform(-1, 1, (_STARTS, len(near)))
    ways[0] = 0.0
    for few in (ways[:_FIRST], ways[_FIRST:]):
        starts = np.clip(near + reach * few, lo, hi)
        starts[:, list(held)] = near[list(held)]
        for point in _newton(grower, starts, (lo, hi), held):
            for chosen in _choices(grower, point, held):
                line = _proved(grower, system, point, chosen, root, reach)
                if line:
                    return line
    return None


def _newton(grower: Grower, points: np.ndarray, root: tuple[np.ndarray, np.ndarray], held: Sequence[int]) -> np.ndarray:
    """Points where the equations vanish nearly, those first at which they do so best and conditions have the most to spare."""
    m = grower.equations
    if m == 0:
        return points[np.argsort(grower.jets(points)[0].max(axis=1))]
    rest = np.full(len(points), np.inf)
    for _ in range(_STEPS):
        with np.errstate(all="ignore"):
            value, slope = grower.jets(points)
            before, rest = rest, abs(value[:, :m]).max(axis=1)
            if (rest <= _REST).any() or not (rest < _MOVING * before).any():
                break
            slope = np.nan_to_num(slope[:, :m])
            slope[:, :, list(held)] = 0.0
            step = -np.einsum("kij,kj->ki", np.linalg.pinv(slope, rcond=1e-9), np.nan_to_num(value[:, :m]))
        points = np.clip(points + step, *root)
    value = grower.jets(points)[0]
    rest = abs(value[:, :m]).max(axis=1)
    loose = value[:, m:].max(axis=1, initial=-np.inf)
    most = min(1e-9 * (1 + abs(points).max()), _WORSE * np.nan_to_num(rest, nan=np.inf).min() + _REST)
    good = np.flatnonzero((rest <= most) & (loose < 1e-9))
    return points[good[np.argsort(loose[good] if m < value.shape[1] else rest[good])]]


def _choices(grower: Grower, point: np.ndarray, held: Sequence[int]) -> list[tuple[int, ...]]:
    """The choices of the free variables: as many as there are equations, best conditioned first."""
    m = grower.equations
    slope = grower.jets(point[None])[1][0, :m]
    able = [i for i in range(len(point)) if i not in held]
    sizes = {chosen: np.linalg.svd(slope[:, chosen], compute_uv=False) if m else np.ones(1) for chosen in itertools.combinations(able, m)}
    return sorted((c for c in sizes if sizes[c][-1] > _SINGULAR * sizes[c][0]), key=lambda c: -sizes[c][-1])[:4]


def _proved(grower: Grower, system: Test, point: np.ndarray, chosen: tuple[int, ...], root: Sequence[tuple[float, float]],
            reach: np.ndarray) -> str | None:
    """The step, if the test says yes."""
    matrix = np.linalg.inv(grower.jets(point[None])[1][0, :grower.equations, chosen].T) if chosen else np.zeros((0, 0))
    if not np.isfinite(matrix).all():
        return None
    radii = np.array(_SIZES)[:, None] * np.maximum(reach, 1e-13) * np.isin(np.arange(len(point)), chosen)
    box = _accepted(grower, system, _boxes(point, radii, np.array(root)), matrix, chosen)
    return None if box is None else _line(box, matrix)


def _boxes(point: np.ndarray, radii: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Boxes (N, n, 2) round a point, within the root in those variables that have room."""
    ends = np.stack([np.maximum(point - radii, root[:, 0]), np.minimum(point + radii, root[:, 1])], axis=-1)
    return np.where(radii[:, :, None] > 0, ends, point[:, None])


def _line(box: np.ndarray, matrix: np.ndarray) -> str:
    return " ".join(["x", sides_text(box), *map(short, matrix.ravel().tolist())])


def _accepted(grower: Grower, system: Test, boxes: np.ndarray, matrix: np.ndarray, free: Sequence[int]) -> np.ndarray | None:
    """The first of some boxes in which the checker's test says that there is a solution."""
    values = matrix.ravel().tolist()
    for box, verdict in zip(boxes, _krawczyk(grower, boxes, matrix, list(free)), strict=True):
        if verdict > 0 or (verdict == 0 and system().exists([side(*ends) for ends in box.tolist()], [*map(arb, values)])):
            return box
    return None


def _krawczyk(grower: Grower, boxes: np.ndarray, matrix: np.ndarray, free: list[int]) -> np.ndarray:
    """The answer of `RowPlaces.exists` for boxes (N, n, 2): 1: yes, -1: no, 0: one of both."""
    m, rows, n = grower.equations, grower.m, grower.n
    middle, radius = boxes.mean(axis=2), 0.5 * np.ptp(boxes, axis=2)[:, free]
    with np.errstate(all="ignore"):
        over, off = grower.balls(boxes[:, :, 0], boxes[:, :, 1], 1)
        value, slope = grower.jets(middle)
        mid, rad = (x[:, rows:rows + rows * n].reshape(-1, rows, n)[:, :, free] for x in (over, off))
        size = np.einsum("nrj,nj->nr", np.abs(slope), np.abs(middle)) + np.abs(value)
        shift = -np.einsum("ij,nj->ni", matrix, value[:, :m])
        spread = np.abs(np.eye(m) - np.einsum("ij,njk->nik", matrix, mid[:, :m])) + np.einsum("ij,njk->nik", np.abs(matrix), rad[:, :m])
        reach = np.abs(shift) + np.einsum("nik,nk->ni", spread, radius) * _ROUNDED
        error = _ERROR * np.einsum("ij,nj->ni", np.abs(matrix), size[:, :m])
        highest = (over + off * _ROUNDED)[:, m:rows]
        yes = (reach + error < _SURELY * radius).all(axis=1) & (highest < -_ERROR * (1 + size[:, m:])).all(axis=1)
        maybe = (reach * _SURELY - error < radius).all(axis=1) & (highest <= _ERROR * (1 + size[:, m:])).all(axis=1)
    return np.where(yes, 1, np.where(maybe, 0, -1))


def only_one(grower: Grower, system: Test, point: np.ndarray, root: np.ndarray, free: Sequence[int]) -> tuple[str, np.ndarray] | None:
    """The largest box round a zero in which it is seen to be the only one, as far as some variables are free, and its line with that of the
    smallest such box; if there are as many of these as equations.
    """
    own, m = list(free), grower.equations
    if len(own) != m:
        return None
    for _ in range(_POLISHED):
        value, slope = (rows[0] for rows in grower.jets(point[None]))
        if not np.isfinite(slope[:m]).all() or not np.linalg.cond(slope[:m, own]) < 1e14:
            return None
        step = np.zeros(len(point))
        step[own] = np.linalg.solve(slope[:m, own], value[:m])
        point = np.clip(point - step, root[:, 0], root[:, 1])
    matrix = np.linalg.inv(slope[:m, own])
    radii = np.array(_PARTS)[:, None] * (root[:, 1] - root[:, 0]) * np.isin(np.arange(len(point)), own)
    boxes = _boxes(point, radii, root)
    wide, near = (_accepted(grower, system, some, matrix, own) for some in (boxes, boxes[::-1]))
    return None if wide is None or near is None else (f"{_line(wide, matrix)}\n{_line(near, matrix)}", wide)


def sides_text(box: np.ndarray) -> str:
    return " ".join(short(end) for pair in box for end in pair)

