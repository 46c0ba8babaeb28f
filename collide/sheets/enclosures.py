"""Pairs of surfaces that are joined as arrays, and enclosures over many boxes at once."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.kernel import Kernel, compile

from .glue import Join, folds
from .sheet import SheetPiece, SurfaceFamily


@dataclass(frozen=True, eq=False)
class PiecePairs:
    """m pairs of pieces of two families that have K joins each: arrays with one row a pair. `back` takes the plane to the second's own
    parameters, as `place` takes them there: rates and offset of each of K joins, (m, K, 2, 2 factors of u and v and an offset, 2).
    `folds` of the pairs, at F common corners of sides that are both shared: the same two maps, as (m, F, 12, 2), and the corners
    (m, F, 2, 2).
    """

    shapes: tuple[SurfaceFamily, SurfaceFamily]
    numbers: tuple[np.ndarray, np.ndarray]
    domain: np.ndarray
    place: np.ndarray
    back: np.ndarray
    across: np.ndarray
    edge: np.ndarray
    source: np.ndarray
    same: np.ndarray
    folds: np.ndarray
    corners: np.ndarray

    def __len__(self) -> int:
        return len(self.domain)


def neighbours(pairs: Sequence[tuple[SheetPiece, SheetPiece, tuple[Join, ...]]]) -> PiecePairs:
    """Pairs of equal families, equally many joins, and equally many folds."""
    bent = [list(folds(*pair)) for pair in pairs]
    first, second = [p for p, _, _ in pairs], [q for _, q, _ in pairs]
    count = len(pairs[0][2])
    edge = [[[enclose(p.domain[k][max(join.across[k], 0)]) for k in (0, 1)] for join in known] for p, _, known in pairs]
    return PiecePairs(
        (first[0].shape, second[0].shape), (np.stack([p.numbers for p in first]), np.stack([q.numbers for q in second])),
        np.stack([np.concatenate([p.outer, q.outer]) for p, q in zip(first, second, strict=True)]),
        _arrays([j for _, _, known in pairs for j in known], count, _forward),
        _arrays([j for _, _, known in pairs for j in known], count, _backward),
        np.array([[j.across for j in known] for _, _, known in pairs]), np.array(edge),
        np.array([[j.source for j in known] for _, _, known in pairs]), np.array([p is q for p, q, _ in pairs]),
        np.array([[[enclose(e) for e in (*_forward(j), *_backward(j))] for j, _ in known] for known in bent]).reshape(
            len(pairs), len(bent[0]), 12, 2),
        np.array([[[enclose(e) for e in corner] for _, corner in known] for known in bent]).reshape(len(pairs), len(bent[0]), 2, 2))


def _arrays(known: Sequence[Join], count: int, entries: Callable[[Join], tuple[Any, ...]]) -> np.ndarray:
    return np.array([[enclose(e) for e in entries(j)] for j in known]).reshape(-1, count, 6, 2)


def _forward(j: Join) -> tuple[Any, ...]:
    """Factors of the second's u and v in both parameters of the plane, and the offsets there."""
    return (*(j.rates[k] if j.source[k] == own else sp.Integer(0) for k in (0, 1) for own in (0, 1)), *j.offset)


def _backward(j: Join) -> tuple[Any, ...]:
    """Factors of the plane's parameters in the second's u and v, and the offsets there."""
    at = [j.source.index(own) for own in (0, 1)]
    factors = [1 / j.rates[k] if at[own] == k else sp.Integer(0) for own in (0, 1) for k in (0, 1)]
    return (*factors, *(-j.offset[k] / j.rates[k] for k in at))


# -- enclosures -----------------------------------------------------------------------------------------------------


def hull_of(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The hull of boxes (..., 2)."""
    return np.stack([np.minimum(a[..., 0], b[..., 0]), np.maximum(a[..., 1], b[..., 1])], axis=-1)


def slopes_on(known: PiecePairs, side: int, owner: np.ndarray, box: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Enclose e1 . S_u, e1 . S_v, e2 . S_u, e2 . S_v of the first or second surfaces on boxes (n, 3, 2), e (n, 6): (n, 4)."""
    lo, hi = (np.hstack([known.numbers[side][owner, :, k], e]) for k in (0, 1))
    return known.shapes[side].slopes.interval(box[:, :, 0], box[:, :, 1], parameters=(lo, hi))


def tangents_at(known: PiecePairs, side: int, owner: np.ndarray, box: np.ndarray) -> np.ndarray:
    """S_u and S_v at the middles of boxes, *approximately*: (n, 6)."""
    return known.shapes[side].tangents.points(box.mean(axis=2), parameters=known.numbers[side][owner].mean(axis=2))


def affine(factors: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Encloses the images (n, 2, 2) of boxes (n, 2, 2) under maps with the given factors and offsets (n, 6, 2)."""
    lo, hi = _map_kernel().interval(boxes[:, :, 0], boxes[:, :, 1], parameters=(factors[..., 0], factors[..., 1]))
    return np.stack([lo, hi], axis=2)


@functools.lru_cache(maxsize=1)
def _map_kernel() -> Kernel:
    a, b, *f = sp.symbols("a b f0:6", real=True)
    return compile([f[0] * a + f[1] * b + f[4], f[2] * a + f[3] * b + f[5]], [a, b], f)
