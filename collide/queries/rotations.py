"""Rotations in the motions of bodies with parameters: matrices that are given entry by entry are rotations for all values asked about."""

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from codegen.walk import free_symbols
from generative import Rigid, t
from generative.body import called
from generative.changes import pieces_of
from generative.orthogonal import is_orthogonal
from generative.relative import made_of
from generative.symbols import parameters_of

# As `Rigid` admits it of matrices of numbers, for those computed in floating point.
_TOLERANCE = 1e-12
_TIMES = np.array([0.0, 3 / 7, 1.0])


def entry_matrices(body: Any) -> list[sp.ImmutableMatrix]:
    """The matrices with parameters in the motions of a body that were not made by turns about axes."""
    motions = dict.fromkeys(f for motion in dict.fromkeys(piece.motion for piece in pieces_of(body)) for f in made_of(motion))
    return [f.rotation for f in motions if isinstance(f, Rigid) and not getattr(f.rotation, "is_turn", False) and parameters_of(f.rotation)]


def check_rotations(bodies: Sequence[Any], ranges: Mapping[Any, tuple[Any, Any]]) -> None:
    """Refuse matrices that are not rotations for the values {symbol: (lo, hi)} of parameters. With one value for each they are looked at
    as `Rigid` looks at numbers and functions of t; for a range it is proved, up to 1e-12 of each entry of R^T R.
    """
    for k, body in enumerate(bodies):
        for matrix in entry_matrices(body):
            known = {s: lo for s, (lo, hi) in ranges.items() if lo == hi}
            own = matrix.xreplace(known)
            wide = sorted(set(free_symbols(own)) & ranges.keys(), key=str)
            for way in range(3) if wide else (0,):
                _check(own, {s: (ranges[s][0], sum(ranges[s]) / 2, ranges[s][1])[way] for s in wide}, called(bodies, k))
            if wide and not is_orthogonal(own, _TOLERANCE):
                raise ValueError(f"the matrix in the motion of {called(bodies, k)} is not proved to be a rotation for all values of "
                                 f"{', '.join(map(str, wide))} in their ranges; give it by axis_angle, euler or a quaternion")


def check_rotations_in_rows(bodies: Sequence[Any], values: Mapping[Any, np.ndarray]) -> None:
    """Refuse matrices that are not rotations for the numbers (n,) of parameters in some row, at times at which `Rigid` looks at them."""
    for k, body in enumerate(bodies):
        for matrix in entry_matrices(body):
            own = sorted(parameters_of(matrix), key=str)
            at = np.stack([np.repeat(values[s], len(_TIMES)) for s in own], axis=1)
            at = np.column_stack([np.tile(_TIMES, len(at) // len(_TIMES)), at])
            off = _stretched(*(e.reshape(-1, 3, 3) for e in _matrix_kernel(matrix, tuple(own)).interval(at, at)))
            for n in np.flatnonzero(off)[:1].tolist():
                raise ValueError(f"the matrix in the motion of {called(bodies, k)} is no rotation in row {n // len(_TIMES)}: "
                                 "R R^T is not the identity, or its determinant is -1")


def _stretched(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """(n,): whether enclosed matrices (n, 3, 3) are no rotations, which those that are no numbers do not tell."""
    known = (np.isfinite(lo) & np.isfinite(hi)).all(axis=(1, 2))
    middle = np.where(known[:, None, None], 0.5 * (lo + hi), np.eye(3))
    size = np.abs(middle).max(axis=(1, 2))
    width = np.where(known, (hi - lo).max(axis=(1, 2)), 0.0)
    # Of three products each, what the entries may be off, and the roundings of products and sums.
    slack = 3.0 * width * (2.0 * size + width) + 2.0**-48 * (1.0 + 3.0 * size**2)
    defect = np.abs(middle @ middle.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2))
    return np.asarray((defect - slack > _TOLERANCE) | ((defect < 0.5) & (np.linalg.det(middle) < 0)))


@functools.lru_cache(maxsize=256)
def _matrix_kernel(matrix: sp.ImmutableMatrix, symbols: tuple[Any, ...]) -> Kernel:
    return compile([*matrix], [t, *symbols], quick=True)


def _check(matrix: sp.ImmutableMatrix, values: Mapping[Any, Any], name: str) -> None:
    try:
        Rigid(matrix.xreplace(dict(values)))
    except ValueError as error:
        where = f" (with {', '.join(f'{s} = {e}' for s, e in values.items())}, in the ranges of the parameters)" if values else ""
        raise ValueError(f"in the motion of {name}, {error}{where}") from None
