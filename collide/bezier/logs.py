"""Logs of pairs of patches: each is one of two surfaces, stated as formulas of exactly the given numbers."""

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import comb
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from codegen.given import expression
from generative import ParametricSurface, t, u, v
from generative.curve import project

from ..answers.batch import Batch
from ..proof import logged, row_logs
from ..search.clock import Clock

if TYPE_CHECKING:
    from ..proof.row_logs import RowLogs

_EXACT = np.vectorize(expression, otypes=[object])


def patch_logs(folder: str | PathLike[str] | None, q: np.ndarray, weights: np.ndarray | None, triangles: bool = False,
               error: float = 0.0) -> "RowLogs | None":
    """The writer of the logs of pairs of patches, if there is a folder for these."""
    if folder is None:
        return None
    if error:
        raise ValueError("no log can be written of patches with an error, which are no formulas")
    return row_logs(folder, len(q), functools.partial(_patches, q, weights, triangles), (0, 1), (0.0, 1.0))


def written(found: Batch, proof: "RowLogs | None", clock: Clock, triangles: bool = False) -> Batch:
    """The answer, with its logs written."""
    if proof is None:
        return found
    shares = found.parameters.copy()
    if triangles:
        with np.errstate(all="ignore"):
            shares[:, 1::2] = np.clip(np.nan_to_num(shares[:, 1::2] / (1 - shares[:, ::2])), 0, 1)
    return replace(found, notes=logged(replace(found, parameters=shares), proof, clock).notes)


def _patches(q: np.ndarray, weights: np.ndarray | None, triangles: bool, k: int) -> list[ParametricSurface]:
    return [_patch(q[k, side], None if weights is None else weights[k, side], triangles) for side in (0, 1)]


def _patch(net: np.ndarray, weights: np.ndarray | None, triangles: bool) -> ParametricSurface:
    """Control points and velocities (2, ..., 3), and weights (...), as polynomials by powers of u and v: differences of neighbouring points
    are small, and so balls of these stay narrow.
    """
    points, heavy = _EXACT(net[0]) + t * _EXACT(net[1]), np.ones(net[0].shape[:-1], int) if weights is None else _EXACT(weights)
    parts = [*np.moveaxis(points * heavy[..., None], -1, 0), heavy]
    rows = [_rows(part) if triangles else part.tolist() for part in parts]
    values = [_polynomial(part) for part in rows[:3 if weights is None else 4]]
    return ParametricSurface(project(values), {u: (0, 1), v: (0, 1)})


def _powers(points: Sequence[Any]) -> list[Any]:
    """Coefficients of powers from those of Bernstein polynomials: multiples of differences."""
    n, result, rest = len(points) - 1, list[Any](), list(points)
    for k in range(n + 1):
        result.append(sp.expand(comb(n, k) * rest[0]))
        rest = [b - a for a, b in itertools.pairwise(rest)]
    return result


def _polynomial(rows: Sequence[Sequence[Any]]) -> Any:
    """That of control points, by Horner's rule."""
    along = [[*_powers(row), *[sp.Integer(0)] * (len(rows[0]) - len(row))] for row in rows]
    columns = [_powers(column) for column in zip(*along, strict=True)]
    return _nested([_nested(row, v) for row in zip(*columns, strict=True)], u)


def _nested(coefficients: Sequence[Any], s: Any) -> Any:
    return functools.reduce(lambda total, c: c + s * total, reversed(coefficients))


def _rows(values: np.ndarray) -> list[list[Any]]:
    """The rows of a triangle, the longest first."""
    size = round((2 * len(values) + 0.25) ** 0.5 - 0.5)
    ends = np.cumsum([0, *range(size, 0, -1)])
    return [values[a:b].tolist() for a, b in itertools.pairwise(ends)]
