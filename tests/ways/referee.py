"""A third opinion: contacts found by dense samples and local solves, in floating point. It proves nothing, but a place that it finds, where
two surfaces come together to rounding before a time that is claimed to be clear, is a missed contact.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from scipy.spatial import cKDTree

from generative import ParametricSurface, Solid, t, u, v, x, y, z

from .agreement import Claim
from .scenes import Scene

GRID, MOMENTS, STARTS, STEPS, DELTA = 20, 14, 24, 20, 1e-6
# Surfaces that come so near each other at a solution, against a size of about one, meet; a time earlier by so much is earlier.
TOGETHER, EARLIER = 1e-12, 1e-6


class Cell:
    """A surface with parameters in [0, 1]^2 , or an implicit surface with the conditions under which it is there."""

    def __init__(self, surface: Any, conditions: Any = ()) -> None:
        self.parametric = isinstance(surface, ParametricSurface)
        if self.parametric:
            (u0, u1), (v0, v1) = surface.domain[u], surface.domain[v]
            formula = [e.xreplace({u: u0 + u * (u1 - u0), v: v0 + v * (v1 - v0)}) for e in surface.expressions]
            self.place = sp.lambdify([u, v, t], formula, "numpy", cse=True)
        else:
            inside = [1 - (2 * s - lo - hi) ** 2 / (hi - lo) ** 2 for s, (lo, hi) in zip(surface.coordinates, surface.bounds, strict=True)]
            self.value = sp.lambdify([x, y, z, t], surface.expression, "numpy", cse=True)
            self.allowed = sp.lambdify([x, y, z, t], [*inside, *conditions], "numpy", cse=True)

    def at(self, a: Any, b: Any, time: Any) -> np.ndarray:
        return np.stack(np.broadcast_arrays(*(np.asarray(c, float) for c in self.place(a, b, time)), np.asarray(a, float))[:3], axis=-1)


def cells_of(body: Any) -> list[Cell]:
    if isinstance(body, ParametricSurface):
        return [Cell(body)]
    if isinstance(body, Solid):
        return [Cell(face) for face in body.faces]
    return [Cell(p.leaf, [*(b.expression for b in p.outside), *(-b.expression for b in p.inside)]) for p in body.pieces]


def earliest(scene: Scene, latest: float, seed: int = 0) -> tuple[float, np.ndarray] | None:
    """The earliest contact that is found before `latest`: its time and place; None if none is found."""
    span, parts = (float(scene.span[0]), latest), [cells_of(b) for b in scene.bodies]
    if not span[0] < span[1]:
        return None
    together = [(a, b) for first, second in combinations(parts, 2) for a, b in product(first, second)]
    rng, grid = np.random.default_rng(seed), GRID if len(together) <= 4 else GRID // 2
    starts = sorted((s for a, b in together for s in _starts(a, b, span, rng, grid)), key=lambda s: s.far)
    best: dict[tuple[Cell, Cell], list[np.ndarray]] = {}
    for start in starts[:STARTS * min(len(together), 4)]:
        best.setdefault(start.cells, []).append(start.numbers)
    found = [f for pair, numbers in best.items() for f in _solved(pair, np.array(numbers), span)]
    return min(found, key=lambda f: f[0], default=None)


def missed(scene: Scene, claims: list[Claim]) -> Iterator[str]:
    """A contact before a time that is claimed to be clear."""
    clear = max((c for c in claims if c.comparable), key=lambda c: c.clear, default=None)
    if clear is None:
        return
    length = float(scene.span[1] - scene.span[0])
    found = earliest(scene, float(clear.clear) - EARLIER * length)
    if found is not None:
        yield f"surfaces meet at t = {found[0]!r} at {found[1]}, found by samples, and none before {float(clear.clear)!r}: {clear}"


def unsupported(scene: Scene, claims: list[Claim]) -> Iterator[str]:
    """A contact is claimed by a time at which no samples find one. Asked where claims are few and the surfaces are parametric."""
    proved = [c for c in claims if c.comparable and c.by is not None]
    if not proved or not all(isinstance(b, (ParametricSurface, Solid)) for b in scene.bodies):
        return
    first = min(proved, key=lambda c: c.by or Fraction(0))
    assert first.by is not None
    length = float(scene.span[1] - scene.span[0])
    latest = min(float(first.by) + 0.02 * length, float(scene.span[1]))
    # Of several bodies once more those alone that are said to meet: a corner that has just gone through is in few samples.
    alone = [replace(scene, bodies=[scene.bodies[k] for k in pair]) for pair in sorted({p.pair for p in first.places or ()})]
    asked = [(scene, seed) for seed in range(3)] + [(pair, seed) for pair in alone for seed in range(12)]
    if latest < float(scene.span[1]) and all(earliest(some, latest, seed) is None for some, seed in asked):
        yield f"no samples find a contact by {latest!r}, and one is proved by {float(first.by)!r}: {first}"


class Start(NamedTuple):
    """Numbers near which two cells may meet, the time last, and how far they are from it there."""

    far: float
    cells: tuple[Cell, Cell]
    numbers: np.ndarray


def _starts(a: Cell, b: Cell, span: tuple[float, float], rng: np.random.Generator, grid: int) -> list[Start]:
    with np.errstate(all="ignore"):
        if a.parametric and b.parametric:
            far, numbers = _near(a, b, span, rng, grid)
        elif a.parametric or b.parametric:
            far, numbers = _signs(*((a, b) if a.parametric else (b, a)), span, grid)
        else:
            points = np.column_stack([rng.uniform(-3, 3, (20_000, 3)), rng.uniform(*span, 20_000)])
            far, numbers = np.abs(a.value(*points.T)) + np.abs(b.value(*points.T)), points
    best = np.argsort(far)[:STARTS]
    return [Start(float(far[k]), (a, b), numbers[k]) for k in best if np.isfinite(far[k])]


def _near(a: Cell, b: Cell, span: tuple[float, float], rng: np.random.Generator, grid: int) -> tuple[np.ndarray, np.ndarray]:
    """Parameters of samples that are the nearest to each other, a few at each of some moments."""
    far, numbers = [], []
    even = np.linspace(0, 1, grid)
    # Where a corner comes first few even samples are near it: every other time more are near the sides.
    grids = [np.stack(np.meshgrid(side, side), -1).reshape(-1, 2) for side in (even, 0.5 - 0.5 * np.cos(np.pi * even))]
    for k, time in enumerate(np.linspace(*span, MOMENTS)):
        even = grids[k % 2]
        p, q = ((even + rng.uniform(-0.02, 0.02, even.shape)).clip(0, 1) for _ in range(2))
        first, second = a.at(*p.T, time), b.at(*q.T, time)
        if np.isfinite(first).all() and np.isfinite(second).all():
            distance, index = cKDTree(second).query(first)
            best = np.argsort(distance)[:3]
            far.append(distance[best])
            numbers.append(np.column_stack([p[best], q[index[best]], np.full(len(best), time)]))
    return np.concatenate([np.empty(0), *far]), np.concatenate([np.empty((0, 5)), *numbers])


def _signs(p: Cell, f: Cell, span: tuple[float, float], grid: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples of a surface, and the size of the function there."""
    sides = [np.linspace(0, 1, 3 * grid)] * 2
    numbers = np.stack(np.meshgrid(*sides, np.linspace(*span, MOMENTS)), -1).reshape(-1, 3)
    return np.abs(f.value(*np.moveaxis(p.at(*numbers.T), -1, 0), numbers[:, 2])), numbers


def _solved(cells: tuple[Cell, Cell], s: np.ndarray, span: tuple[float, float]) -> Iterator[tuple[float, np.ndarray]]:
    """The times and places of contacts near starts (n, numbers), by steps of Gauss and Newton, the least ones, for all at once."""
    (a, b), size = cells, s.shape[1]
    p, f = (a, b) if a.parametric else (b, a)

    def residual(s: np.ndarray) -> np.ndarray:
        c = s.T
        if size == 5:
            return a.at(c[0], c[1], c[4]) - b.at(c[2], c[3], c[4])
        values = [a.value(*c), b.value(*c)] if size == 4 else [f.value(*np.moveaxis(p.at(*c), -1, 0), c[2])]
        return np.stack([np.broadcast_to(e, len(s)) for e in values], axis=1).astype(float)

    lo, hi = (np.zeros(size), np.ones(size)) if size != 4 else (np.full(4, -8.0), np.full(4, 8.0))
    lo[-1], hi[-1] = span
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            value = residual(s)
            slopes = np.stack([(residual(s + h) - residual(s - h)) / (2 * DELTA) for h in DELTA * np.eye(size)], axis=2)
            square = slopes @ slopes.transpose(0, 2, 1)
            square += 1e-14 * np.trace(square, axis1=1, axis2=2)[:, None, None] * np.eye(value.shape[1]) + 1e-300 * np.eye(value.shape[1])
            good = np.isfinite(square).all(axis=(1, 2)) & np.isfinite(value).all(axis=1)
            s, value, slopes, square = s[good], value[good], slopes[good], square[good]
            s = np.clip(s - (slopes.transpose(0, 2, 1) @ np.linalg.solve(square, value[:, :, None]))[:, :, 0].clip(-0.3, 0.3), lo, hi)
        s = s[np.abs(residual(s)).max(axis=1) < TOGETHER] if len(s) else s
        places = s[:, :3] if size == 4 else p.at(s[:, 0], s[:, 1], s[:, -1])
        for at, time in zip(places, s[:, -1].tolist(), strict=True):
            if all(c.parametric or (np.array(c.allowed(*at, time), float) > 1e-9).all() for c in cells):
                yield time, at
