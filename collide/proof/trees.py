"""The prover: a tree of steps that shows that a system has no solution in a box, or why none was found.

It goes breadth first, over arrays of boxes, and looks for the steps that the checker knows (`checker.rules`). The weights of a step are
those of the residual of the linearized rows, made least within the box: of two surfaces the direction between their nearest points. What
the checker will find in Arb is computed here in the same way, nearly, by `balls`.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import ROUNDED, Boxes, Jets, combined, dot, either, least_face, newton_step, positive_definite, rounded, unit
from .balls import Balls
from .checker.rules import System

# Part of all sizes that numbers may be off; sweeps of a linear least value, and steps of Newton's method.
_EXACT, _SWEEPS, _NEWTON = 1e-13, 6, 2
# A part of the least eigenvalue at a point that is to be kept by a weight of squares; boxes that are looked at together.
_KEPT, _CHUNK = 0.5, 4096


class Stuck(Exception):
    """No tree of so many steps was found; `lo`, `hi` are the boxes that are left."""

    def __init__(self, left: Boxes) -> None:
        super().__init__()
        self.left = left


class Grower:
    """Grows trees of one system."""

    def __init__(self, system: System, scaled: bool, inside: Boxes | None = None) -> None:
        """`scaled`: rows are of different sizes. `inside`: boxes (k, n) in which nothing need be excluded."""
        self.system, self.scaled, self.inside = system, scaled, inside
        self.n, self.m, self.equations = system.program.variables, len(system.program.rows), system.equations

    def grow(self, root: Sequence[tuple[float, float]], most: int, alive: Callable[[], bool]) -> list[str]:
        """The lines of a tree over `root`, in preorder; Stuck if it has more than `most` steps, or if there is no time."""
        boxes = Boxes(np.array([[lo for lo, _ in root]]), np.array([[hi for _, hi in root]]))
        numbers, words, children = np.zeros(1, int), [""], [(0, 0)]
        self._point, self._weights = np.full((1, self.n), np.nan), np.zeros((1, self.m))
        for level in itertools.count():
            if not len(numbers):
                return _preorder(words, children)
            self._bent = level % 2 == 0
            found = self._steps(boxes)
            for k, text in zip(numbers.tolist(), found, strict=True):
                words[k] = text
            left = np.array([not text for text in found])
            boxes, numbers, self._point, self._weights = boxes[left], numbers[left], self._point[left], self._weights[left]
            if len(words) + 2 * len(numbers) > most or not alive():
                if len(numbers):
                    raise Stuck(boxes)
            boxes, numbers = self._divide(boxes, numbers, words, children)
        raise AssertionError("unreachable")

    def _divide(self, boxes: Boxes, numbers: np.ndarray, words: list[str], children: list[tuple[int, int]]) -> tuple[Boxes, np.ndarray]:
        if not len(numbers):
            return boxes, numbers
        rows = np.arange(len(numbers))
        k = self._where(boxes)
        at = boxes.mid[rows, k]
        self._along(boxes, k, at)
        if not np.all((boxes.lo[rows, k] < at) & (at < boxes.hi[rows, k])):
            raise Stuck(boxes)
        for row, number in enumerate(numbers.tolist()):
            words[number] = f"s {k[row]} {short(at[row])}"
            children[number] = len(words) + 2 * row, len(words) + 2 * row + 1
        words += [""] * (2 * len(numbers))
        children += [(0, 0)] * (2 * len(numbers))
        lo, hi = np.repeat(boxes.lo, 2, axis=0), np.repeat(boxes.hi, 2, axis=0)
        self._point, self._weights = np.repeat(self._point, 2, axis=0), np.repeat(self._weights, 2, axis=0)
        hi[2 * rows, k] = lo[2 * rows + 1, k] = at
        return Boxes(lo, hi), np.arange(len(words) - 2 * len(numbers), len(words))

    def _along(self, boxes: Boxes, k: np.ndarray, at: np.ndarray) -> None:
        """Boxes that lie partly in one that is listed are divided along its border: where most is cut off."""
        for lo, hi in zip(self.inside.lo, self.inside.hi, strict=True) if self.inside is not None else ():
            size = np.where(boxes.rad > 0, 2 * boxes.rad, 1.0)
            near = ((lo < boxes.hi) & (boxes.lo < hi)).all(axis=1)
            for ends, cut in ((lo, (lo - boxes.lo) / size), (hi, (boxes.hi - hi) / size)):
                best = np.argmax(cut, axis=1)
                most = cut[np.arange(len(k)), best]
                use = near & (most > 0) & (most < 1)
                k[use], at[use] = best[use], ends[best[use]]

    def _where(self, boxes: Boxes) -> np.ndarray:
        """By which variable a box is divided: the one that changes the rows most."""
        slope = self._slopes
        reach = np.sqrt((((abs(slope.mid) + slope.rad) * self._scale[:, :, None]) ** 2).sum(axis=1)) * boxes.rad
        unknown = ~np.isfinite(reach)
        reach = np.where(unknown.any(axis=1, keepdims=True), np.where(unknown, boxes.rad, 0.0), reach)
        return np.asarray(np.argmax(reach, axis=1))

    # -- steps ----------------------------------------------------------------------------------------------------

    def _steps(self, boxes: Boxes) -> list[str]:
        """Of each box the step that excludes it, or nothing; keeps the slopes of the others for `_where`."""
        texts: list[str] = []
        kept = []
        for k in range(0, len(boxes.lo), _CHUNK):
            found, slopes, scale = self._some(boxes[k:k + _CHUNK], self._point[k:k + _CHUNK], self._weights[k:k + _CHUNK])
            left = np.array([not text for text in found])
            texts += found
            kept.append((slopes.mid[left], slopes.rad[left], scale[left]))
        mid, rad, self._scale = (np.concatenate(part) for part in zip(*kept, strict=True))
        self._slopes = Balls(mid, rad)
        return texts

    def _some(self, boxes: Boxes, points: np.ndarray, known: np.ndarray) -> tuple[list[str], Balls, np.ndarray]:
        with np.errstate(all="ignore"):
            found = np.array([""] * len(boxes.lo), dtype=object)
            jets = self.jets(boxes.mid, boxes.rad, 1)
            scale = self._scales(jets, boxes)
            if self.inside is not None:
                self._mark_inside(boxes, found)
            weights, _ = self._nearest(boxes, boxes.mid, scale)
            weights = rounded(np.where(np.isfinite(weights), weights, 0.0))
            self._single(jets.value, found)
            self._take(found, "n", weights, dot(weights, jets.value))
            self._mean_value(boxes, jets, weights, found)
            if self._bent:
                self._convex(boxes, jets, scale, found, points, known)
        return list(found), jets.slope, scale

    def _mark_inside(self, boxes: Boxes, found: np.ndarray) -> None:
        assert self.inside is not None
        for k in range(len(self.inside.lo)):
            found[np.all((self.inside.lo[k] <= boxes.lo) & (boxes.hi <= self.inside.hi[k]), axis=1)] = f"i {k}"

    def _single(self, value: Balls, found: np.ndarray) -> None:
        """Boxes in which one row alone does not vanish."""
        away = np.where(np.arange(self.m) < self.equations, abs(value.mid), value.mid) - value.rad * (1 + ROUNDED)
        sure = away > _EXACT * (1 + abs(value.mid))
        best = np.argmax(np.where(sure, away, -np.inf), axis=1)
        for k in np.flatnonzero(sure.any(axis=1) & (found == "")):
            weights = ["0"] * self.m
            weights[best[k]] = "1" if value.mid[k, best[k]] > 0 else "-1"
            found[k] = f"n {' '.join(weights)}"

    def _take(self, found: np.ndarray, kind: str, weights: np.ndarray, bound: Balls, size: float = 1.0) -> None:
        """Writes the step of this kind where the bound says that it holds, with something to spare."""
        spare = _EXACT * abs(weights).sum(axis=1) * size
        for k in np.flatnonzero((bound.mid - bound.rad * (1 + ROUNDED) > spare) & (found == "")):
            found[k] = f"{kind} {' '.join(map(_integer, weights[k]))}"

    def _mean_value(self, boxes: Boxes, jets: Jets, weights: np.ndarray, found: np.ndarray) -> None:
        rows = np.flatnonzero(found == "")
        if not len(rows):
            return
        boxes, weights, found_here = boxes[rows], weights[rows], found[rows]
        slopes = combined(weights, Balls(jets.slope.mid[rows], jets.slope.rad[rows]))
        face = least_face(boxes, slopes)
        value = self.jets(face.mid, None, 0).value
        change = ((abs(slopes.mid) + slopes.rad) * face.rad).sum(axis=1)
        self._take(found_here, "m", weights, Balls(dot(weights, value).mid, change))
        found[rows] = found_here

    # -- second order ---------------------------------------------------------------------------------------------

    def _convex(self, boxes: Boxes, jets: Jets, scale: np.ndarray, found: np.ndarray, points: np.ndarray, known: np.ndarray) -> None:
        """Steps of second order, with the weights of the nearest points first, and then with those that the boxes around had, made
        better; `points` and `known` weights are kept for the parts of a box.
        """
        rows = np.flatnonzero((found == "") & np.isfinite(jets.slope.mid + jets.slope.rad).all(axis=(1, 2)))
        if not len(rows):
            return
        boxes, jets = boxes[rows], jets[rows]
        new = np.isnan(points[rows, :1])
        _, step = self._nearest(boxes, boxes.mid, scale[rows])
        point = self._descend(boxes, np.where(new, boxes.mid + step, points[rows]), 0 * known[rows], np.ones(len(rows)), _NEWTON)
        points[rows] = point
        weights = unit(self._pressed(self.jets(point, None, 0).value.mid))
        left = self._bound(boxes, jets, point, weights, 0, rows, found)
        weights = np.where((known[rows] == 0).all(axis=1, keepdims=True), weights, known[rows])[left]
        rows, boxes, point, jets = rows[left], boxes[left], point[left], jets[left]
        if len(rows):
            self._bound(boxes, jets, point, weights, 1, rows, found, known)

    def _bound(self, boxes: Boxes, jets: Jets, point: np.ndarray, weights: np.ndarray, times: int, rows: np.ndarray, found: np.ndarray,
               known: np.ndarray | None = None) -> np.ndarray:
        """Writes the steps that hold, and returns which boxes have none."""
        point, weights, m = self._dual(boxes, point, weights, times)
        bound, bend = self._second_order(boxes, jets, weights, m, point)
        if known is not None:
            known[rows] = weights
        good = bound > 1e-14 * abs(weights).sum(axis=1)
        for k in np.flatnonzero(good):
            found[rows[k]] = f"c {' '.join(map(short, [*weights[k], m[k], bend[k], *point[k]]))}"
        return np.flatnonzero(~good)

    def _dual(self, boxes: Boxes, point: np.ndarray, weights: np.ndarray, times: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A point, weights of length 1 and m for which the least of w . F + (m/2) |F|^2 in the box is there; the weights are changed so
        many times by the method of multipliers, for that least to be great.
        """
        m = self._square_weight(weights, self.jets(point, None, 2))
        point = self._descend(boxes, point, weights, m, 2)
        for _ in range(times):
            at = self.jets(point, None, 2)
            weights = unit(self._pressed(self._forces(weights, m, at.value).mid))
            m = self._square_weight(weights, at)
            point = self._descend(boxes, point, weights, m, 2)
        return point, weights, m

    def _pressed(self, forces: np.ndarray) -> np.ndarray:
        """Of conditions none is negative."""
        return np.where(np.arange(self.m) < self.equations, forces, np.maximum(forces, 0.0))

    def _descend(self, boxes: Boxes, point: np.ndarray, weights: np.ndarray, m: np.ndarray, steps: int) -> np.ndarray:
        """Newton's method for a least w . F + (m/2) |F|^2 within the boxes; where a step does not lead down, shorter ones are tried."""
        point = np.clip(point, boxes.lo, boxes.hi)
        at, length = self.jets(point, None, 2), np.ones(len(point))
        best = self._height(weights, m, at)
        for _ in range(steps):
            forces = self._forces(weights, m, at.value).mid
            slope = (forces[:, :, None] * at.slope.mid).sum(axis=1)
            whole = np.ones_like(point, bool)
            step = newton_step(self._hessian(weights, m, at, whole).mid, slope, boxes.lo - point, boxes.hi - point)
            trial = np.clip(point + length[:, None] * np.nan_to_num(step), boxes.lo, boxes.hi)
            new = self.jets(trial, None, 2)
            height = self._height(weights, m, new)
            down = height <= best
            point, best = np.where(down[:, None], trial, point), np.where(down, height, best)
            at = either(down, new, at)
            length = np.where(down, np.minimum(1.0, 4 * length), 0.125 * length)
        return point

    def _height(self, weights: np.ndarray, m: np.ndarray, at: Jets) -> np.ndarray:
        value = at.value.mid
        return np.asarray((weights * value).sum(axis=1) + 0.5 * m * (value[:, :self.equations] ** 2).sum(axis=1))

    def _square_weight(self, weights: np.ndarray, at: Jets) -> np.ndarray:
        """The weight m of the squares of equations: about as small as makes second derivatives positive at a point, where any does."""
        assert at.second is not None
        slope = at.slope.mid[:, :self.equations]
        h, squares = np.einsum("kr,krij->kij", weights, at.second.mid), np.einsum("kri,krj->kij", slope, slope)
        unit = np.nan_to_num(np.linalg.norm(h, axis=(1, 2)) / np.linalg.norm(squares, axis=(1, 2)), posinf=0.0)
        trials = np.array([0.0, 0.25, 1.0, 4.0, 16.0, 64.0])[:, None] * unit
        least = np.array([np.linalg.eigvalsh(np.nan_to_num(h + m[:, None, None] * squares))[:, 0] for m in trials])
        enough = least >= np.where(least[-1] > 0, _KEPT * least[-1], -np.inf)
        return np.asarray(np.where(least[-1] > 0, trials[np.argmax(enough, axis=0), np.arange(len(unit))], trials[0]))

    def _second_order(self, boxes: Boxes, jets: Jets, weights: np.ndarray, m: np.ndarray, point: np.ndarray) -> tuple[Any, Any]:
        """As `System.convex`: the bound, and the `bend` it is made with."""
        slopes = combined(self._forces(weights, m, jets.value), jets.slope)
        face = least_face(boxes, slopes)
        free = face.rad > 0
        at = np.where(free, point, face.lo)
        over = self.jets(face.mid, face.rad, 2)
        h = self._hessian(weights, m, over, free)
        bend = np.maximum(0.0, 1.0001 * (np.linalg.norm(h.rad, axis=(1, 2)) - np.linalg.eigvalsh(np.nan_to_num(h.mid))[:, 0]))
        bend = np.where(positive_definite(h, 0 * bend), 0.0, bend)
        here = self.jets(at, None, 1)
        forces = self._forces(weights, m, here.value)
        value = here.value.mid[:, :self.equations]
        bound = (weights * here.value.mid).sum(axis=1) + 0.5 * m * (value * value).sum(axis=1)
        slope = (forces.mid[:, :, None] * here.slope.mid).sum(axis=1)
        low = np.minimum(slope * (face.lo - at), slope * (face.hi - at)) * (1 + ROUNDED) - 0.5 * bend[:, None] * np.maximum(
            abs(face.lo - at), abs(face.hi - at)) ** 2 * (1 + ROUNDED)
        low -= ROUNDED * abs(slope) * face.rad
        bound = bound + np.where(free, low, 0.0).sum(axis=1)
        return np.where(positive_definite(h, bend * (1 - ROUNDED)), bound, -np.inf), bend

    def _forces(self, weights: np.ndarray, m: np.ndarray, value: Balls) -> Balls:
        square = (np.arange(self.m) < self.equations) * m[:, None]
        return Balls(weights + square * value.mid, square * value.rad)

    def _hessian(self, weights: np.ndarray, m: np.ndarray, over: Jets, free: np.ndarray) -> Balls:
        """(N, n, n), the identity where variables are held."""
        assert over.second is not None
        forces = self._forces(weights, m, over.value)
        j = Balls(over.slope.mid[:, :self.equations], over.slope.rad[:, :self.equations])
        products = Balls(j.mid[:, :, :, None], j.rad[:, :, :, None]) * Balls(j.mid[:, :, None, :], j.rad[:, :, None, :])
        h = Balls(forces.mid[:, :, None, None], forces.rad[:, :, None, None]) * over.second
        both = free[:, :, None] & free[:, None, :]
        mid = h.mid.sum(axis=1) + m[:, None, None] * products.mid.sum(axis=1)
        rad = h.rad.sum(axis=1) + m[:, None, None] * products.rad.sum(axis=1)
        size = np.max(abs(mid), axis=(1, 2), initial=0)
        return Balls(np.where(both, mid, np.eye(self.n) * size[:, None, None]), np.where(both, rad, 0.0))

    # -- formulas -------------------------------------------------------------------------------------------------

    def jets(self, mid: np.ndarray, rad: np.ndarray | None, order: int) -> Jets:
        """Over boxes, or (None) at points."""
        rows = self.system.program.jets([Balls(mid[:, i], None if rad is None else rad[:, i]) for i in range(self.n)], order)
        count = len(mid)

        def stacked(shape: tuple[int, ...], entries: Any) -> Balls:
            mids, rads = np.zeros((count, *shape)), np.zeros((count, *shape))
            for index, ball in entries:
                mids[(slice(None), *index)] = ball.mid
                if ball.rad is not None:
                    rads[(slice(None), *index)] = ball.rad
            return Balls(mids, rads)
        value = stacked((self.m,), [((r,), v) for r, (v, _, _) in enumerate(rows)])
        slope = stacked((self.m, self.n), [((r, i), d) for r, (_, g, _) in enumerate(rows) for i, d in g.items()] if order else [])
        if order < 2:
            return Jets(value, slope, None)
        pairs = [((r, i, j), d) for r, (_, _, h) in enumerate(rows) for (a, b), d in h.items() for i, j in {(a, b), (b, a)}]
        return Jets(value, slope, stacked((self.m, self.n, self.n), pairs))

    def _scales(self, jets: Jets, boxes: Boxes) -> np.ndarray:
        """(N, m): by how much a row is multiplied for all to be of one size; conditions that hold on a whole box do not count."""
        open_rows = (np.arange(self.m) < self.equations) | (jets.value.mid + jets.value.rad > 0)
        if not self.scaled:
            return np.asarray(1.0 * open_rows)
        size = (abs(jets.slope.mid) * boxes.rad[:, None, :]).sum(axis=2)
        return open_rows * np.where(np.isfinite(size) & (size > 0), 1 / np.where(size > 0, size, 1.0), 1.0)

    def _nearest(self, boxes: Boxes, point: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights of rows, and the step from `point` within the box, that make the linearized rows least."""
        jets = self.jets(point, None, 1)
        rest, step = scale * jets.value.mid, np.zeros_like(point)
        conditions = np.arange(self.m) >= self.equations
        slope = np.nan_to_num(scale[:, :, None] * jets.slope.mid)
        square = (slope**2).sum(axis=1)
        lo, hi = boxes.lo - point, boxes.hi - point
        for i in [*range(self.n)] * _SWEEPS:
            counted = np.where(conditions & (rest < 0), 0.0, rest)
            new = np.clip(step[:, i] - (counted * slope[:, :, i]).sum(axis=1) / np.where(square[:, i] > 0, square[:, i], np.inf),
                          lo[:, i], hi[:, i])
            rest = rest + (new - step[:, i])[:, None] * slope[:, :, i]
            step[:, i] = new
        return scale * np.where(conditions & (rest < 0), 0.0, rest), step


def _preorder(words: list[str], children: list[tuple[int, int]]) -> list[str]:
    lines, stack = [], [0]
    while stack:
        k = stack.pop()
        lines.append(words[k])
        if children[k][0]:
            stack += reversed(children[k])
    return lines


def _integer(x: float) -> str:
    return str(int(x))


def short(x: float) -> str:
    """A double, as a checker reads it, short where it can be."""
    value = float(x)
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    head, _, exponent = value.hex().partition("p")
    return f"{head.rstrip('0').rstrip('.')}p{exponent}" if "." in head else value.hex()


