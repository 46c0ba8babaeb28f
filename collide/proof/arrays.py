"""Arrays of boxes and of jets over them, and what the prover computes of these: as the rules of the checker do, but nearly, and of many
at once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .balls import Balls

# Part of all radii that Arb may add by rounding them.
ROUNDED = 1e-6
# Sweeps of a quadratic least value; weights as integers up to this.
_QUADRATIC, _DIGITS = 8, 200


@dataclass(frozen=True)
class Jets:
    """Of N boxes and m rows: values (N, m), derivatives (N, m, n), and second ones (N, m, n, n), each of middles and radii."""

    value: Balls
    slope: Balls
    second: Balls | None = None

    def __getitem__(self, rows: np.ndarray) -> "Jets":
        """Values and derivatives of some boxes."""
        return Jets(*(Balls(b.mid[rows], b.rad[rows]) for b in (self.value, self.slope)))


@dataclass(frozen=True)
class Boxes:
    """N boxes, their ends (N, n)."""

    lo: np.ndarray
    hi: np.ndarray

    @property
    def mid(self) -> np.ndarray:
        return 0.5 * (self.lo + self.hi)

    @property
    def rad(self) -> np.ndarray:
        return 0.5 * (self.hi - self.lo)

    def __getitem__(self, index: Any) -> "Boxes":
        return Boxes(self.lo[index], self.hi[index])


def either(first: np.ndarray, a: Jets, b: Jets) -> Jets:
    """Of each point the jets in a or in b, without radii."""
    pairs = ((a.value, b.value), (a.slope, b.slope), (a.second, b.second))
    return Jets(*(Balls(np.where(first.reshape(-1, *[1] * (x.mid.ndim - 1)), x.mid, y.mid), 0.0 * x.mid) for x, y in pairs if x and y))


def unit(weights: np.ndarray) -> np.ndarray:
    """Weights (N, m) of length 1; zeros where there are none."""
    size = np.linalg.norm(weights, axis=1, keepdims=True)
    return np.asarray(np.where((size > 0) & np.isfinite(size), weights / np.where(size > 0, size, 1.0), 0.0))


def newton_step(h: np.ndarray, slope: np.ndarray, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """The step, from lo to hi, to the least point of a quadratic function; of the other sign where that is not convex."""
    values, vectors = np.linalg.eigh(np.nan_to_num(h))
    values = np.maximum(abs(values), 1e-12 * abs(values).max(axis=1, keepdims=True) + 1e-300)
    h, slope = np.einsum("kij,kj,klj->kil", vectors, values, vectors), np.nan_to_num(slope)
    along = np.einsum("kji,kj->ki", vectors, slope) / values
    step = np.clip(-np.einsum("kij,kj->ki", vectors, along), lo, hi)
    slope = slope + np.einsum("kij,kj->ki", h, step)
    for i in [*range(h.shape[1])] * _QUADRATIC:
        new = np.clip(step[:, i] - slope[:, i] / h[:, i, i], lo[:, i], hi[:, i])
        slope = slope + h[:, :, i] * (new - step[:, i])[:, None]
        step[:, i] = new
    return np.asarray(step)


def positive_definite(h: Balls, bend: np.ndarray) -> np.ndarray:
    """(N,): as `rules.positive_definite`, of h + bend I."""
    n = h.mid.shape[1]
    mid, rad = h.mid + bend[:, None, None] * np.eye(n), h.rad.copy()
    good = np.ones(len(mid), bool)
    for k in range(n):
        pivot = Balls(mid[:, k, k], rad[:, k, k])
        good &= pivot.mid - pivot.rad * (1 + ROUNDED) > 1e-12 * abs(pivot.mid)
        for i in range(k + 1, n):
            factor = Balls(mid[:, i, k], rad[:, i, k]) / pivot
            row = Balls(mid[:, i, k + 1:], rad[:, i, k + 1:]) - Balls(factor.mid[:, None], factor.rad[:, None]) * Balls(
                mid[:, k, k + 1:], rad[:, k, k + 1:])
            mid[:, i, k + 1:], rad[:, i, k + 1:] = row.mid, row.rad
    return good


def combined(weights: Any, slope: Balls) -> Balls:
    """(N, n): the slopes of rows, with weights (numbers or balls)."""
    w = weights if isinstance(weights, Balls) else Balls(weights, 0 * weights)
    product = Balls(w.mid[:, :, None], w.rad[:, :, None]) * slope
    return Balls(product.mid.sum(axis=1), product.rad.sum(axis=1))


def least_face(boxes: Boxes, slopes: Balls) -> Boxes:
    """As `rules._least_face`, where it is not a matter of roundings."""
    rad = slopes.rad * (1 + ROUNDED)
    flat = (slopes.mid == 0) & (slopes.rad == 0)
    up, down = (slopes.mid - rad > 0) | flat, slopes.mid + rad < 0
    return Boxes(np.where(down, boxes.hi, boxes.lo), np.where(up, boxes.lo, boxes.hi))


def dot(weights: np.ndarray, value: Balls) -> Balls:
    return Balls((weights * value.mid).sum(axis=1), (abs(weights) * value.rad).sum(axis=1))


def rounded(weights: np.ndarray) -> np.ndarray:
    """Weights as integers of few digits."""
    size = abs(weights).max(axis=1, keepdims=True)
    return np.asarray(np.where(size > 0, np.round(_DIGITS * weights / np.where(size > 0, size, 1.0)), 0.0))
