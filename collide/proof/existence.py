"""The prover's other half: a box in which Krawczyk's test shows a solution."""

import itertools
from collections.abc import Sequence

import numpy as np
from flint import arb

from .checker.problem import below
from .checker.rules import System, side
from .trees import Grower, short

# Starts from which a solution is looked for, at first and in all; steps of Newton's method; sizes of boxes, against the distance from the
# start; by how much equations may fail for the next step not to be worth its time, or must be better after it; and than the best of points.
_REST, _MOVING, _WORSE = 1e-13, 0.9, 1e3
_FIRST, _STARTS, _STEPS, _SIZES = 4, 24, 40, tuple(0.25**k for k in range(1, 14))
# Matrices whose least singular value is such a part of the greatest are not inverted.
_SINGULAR = 1e-14
# Of the only zero: steps of Newton's method, and sizes of boxes, parts of the domain.
_POLISHED, _PARTS = 3, tuple(2.0**-k for k in range(1, 45))


def found_solution(grower: Grower, system: System, root: Sequence[tuple[float, float]], near: np.ndarray, reach: np.ndarray,
                   held: Sequence[int]) -> str | None:
    """The line of a box in `root` with a solution, near a point, with as many variables held as needed, those of `held` first.

    `system` is the checker's, which decides; `reach` (n,): how far from `near` starts may lie.
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
            if not ((rest > _REST) & (rest < _MOVING * before)).any():
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
    """Which variables are free: as many as there are equations, best conditioned first."""
    m = grower.equations
    slope = grower.jets(point[None])[1][0, :m]
    able = [i for i in range(len(point)) if i not in held]
    sizes = {chosen: np.linalg.svd(slope[:, chosen], compute_uv=False) if m else np.ones(1) for chosen in itertools.combinations(able, m)}
    return sorted((c for c in sizes if sizes[c][-1] > _SINGULAR * sizes[c][0]), key=lambda c: -sizes[c][-1])[:4]


def _proved(grower: Grower, system: System, point: np.ndarray, chosen: tuple[int, ...], root: Sequence[tuple[float, float]],
            reach: np.ndarray) -> str | None:
    """The step, if the checker's own test says yes."""
    slope = grower.jets(point[None])[1][0, :grower.equations]
    matrix = np.linalg.inv(slope[:, chosen]).ravel() if chosen else np.zeros(0)
    if not np.isfinite(matrix).all():
        return None
    for size in _SIZES:
        box = [(float(p), float(p)) for p in point]
        for i in chosen:
            r = size * max(float(reach[i]), 1e-13)
            box[i] = max(float(point[i]) - r, root[i][0]), min(float(point[i]) + r, root[i][1])
        if system.exists([side(*s) for s in box], [arb(float(y)) for y in matrix]):
            return " ".join(["x", *(short(end) for s in box for end in s), *map(short, matrix)])
    return None


def only_one(grower: Grower, system: System, point: np.ndarray, root: np.ndarray, free: Sequence[int]) -> tuple[str, np.ndarray] | None:
    """The largest box round a zero in which it is seen to be the only one, as far as some variables are free, and its line with that of the
    smallest such box; if there are as many of these as equations.
    """
    own, m = list(free), len(system.equations)
    if len(own) != m:
        return None
    for _ in range(_POLISHED):
        value, slope = (rows[0] for rows in grower.jets(point[None]))
        if not np.isfinite(slope[:m]).all() or not np.linalg.cond(slope[:m, own]) < 1e14:
            return None
        step = np.zeros(len(point))
        step[own] = np.linalg.solve(slope[:m, own], value[:m])
        point = np.clip(point - step, root[:, 0], root[:, 1])
    matrix = np.linalg.inv(slope[:m, own]).ravel()
    wide, near = (_round(system, point, matrix, root, own, sizes) for sizes in (_PARTS, _PARTS[::-1]))
    return (f"{wide[0]}\n{near[0]}", wide[1]) if wide and near else None


def _round(system: System, point: np.ndarray, matrix: np.ndarray, root: np.ndarray, free: Sequence[int],
           sizes: Sequence[float]) -> tuple[str, np.ndarray] | None:
    """The first box of one of these sizes in which the test says that there is one zero."""
    for size in sizes:
        r = size * (root[:, 1] - root[:, 0]) * np.isin(np.arange(len(point)), free)
        box = np.stack([np.maximum(point - r, root[:, 0]), np.minimum(point + r, root[:, 1])], axis=1)
        if system.exists([side(lo, hi) for lo, hi in box.tolist()], [arb(y) for y in matrix.tolist()]):
            return f"x {sides_text(box)} {' '.join(map(short, matrix))}", box
    return None


def sides_text(box: np.ndarray) -> str:
    return " ".join(short(end) for pair in box for end in pair)


def inner(ranges: Sequence[tuple[arb, arb]]) -> list[tuple[float, float]]:
    """Doubles within ranges whose ends are balls."""
    return [(-below(-lo), below(hi)) for lo, hi in ranges]


