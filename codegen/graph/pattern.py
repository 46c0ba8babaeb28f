"""Sparsity pattern of a matrix of derivatives: the index arrays of SciPy's CSR format."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .expr import Expr

Indices = NDArray[np.int32]


class SparsityPattern(NamedTuple):
    """Entry k of the values, for `indptr[i]` <= k < `indptr[i + 1]`, is that of row i and column `indices[k]`; columns ascend in a row.

    `indptr`, (rows + 1,), and `indices`, (entries,), are int32, and not to be changed. Entries that are not listed are 0 wherever the
    function is defined.
    """

    indptr: Indices
    indices: Indices
    shape: tuple[int, int]

    def csr(self, values: ArrayLike) -> Any:
        """A `scipy.sparse.csr_array` of one row of values, (entries,), such as the lower ends of one box. Needs SciPy."""
        from scipy.sparse import csr_array

        data = np.asarray(values)
        if data.shape != self.indices.shape:
            raise ValueError(f"values must have shape ({len(self.indices)},), one for each entry of one matrix; got {data.shape}")
        return csr_array((data, self.indices, self.indptr), shape=self.shape)

    def __reduce__(self) -> "tuple[Callable[..., SparsityPattern], tuple[Any, ...]]":
        return _frozen, tuple(self)


def pattern(rows: Sequence[Mapping[int, Expr]], columns: int) -> SparsityPattern:
    """The pattern of rows {column: entry}, columns ascending."""
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
    indices = np.array([j for row in rows for j in row], np.int32)
    return _frozen(indptr, indices, (len(rows), columns))


def _frozen(indptr: Indices, indices: Indices, shape: tuple[int, int]) -> SparsityPattern:
    """A pattern with arrays that are read-only, as copies of read-only arrays are not."""
    for array in (indptr, indices):
        array.flags.writeable = False
    return SparsityPattern(indptr, indices, shape)
