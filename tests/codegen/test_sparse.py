"""Sparse Jacobians and Hessians: the entries of the dense ones, which are checked elsewhere, in SciPy's format, and no more code."""

import pickle
import random
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen

SYMBOLS = sp.symbols("a:7", real=True)
P = sp.Symbol("p", real=True)


def system(seed: int) -> list[Any]:
    """Each of some expressions takes a few of the variables."""
    rng = random.Random(seed)
    forms = [lambda a, b, c: a * sp.sin(b) + 3, lambda a, b, c: a**2 - P * b / (2 + c**2), lambda a, b, c: sp.Max(a, b) * sp.sqrt(c + 5),
             lambda a, b, c: sp.floor(a) + b, lambda a, b, c: sp.Piecewise((a * b, c < 0), (b**3, True)), lambda a, b, c: P + 1,
             lambda a, b, c: sp.Abs(a * b) - a + c]  # fmt: skip
    return [form(*rng.sample(SYMBOLS, 3)) for form in forms]


def answers(kernel: codegen.Kernel) -> list[np.ndarray]:
    rng = np.random.default_rng(8)
    lo = rng.uniform(-2, 2, (11, 7))
    hi, q = lo + rng.uniform(0, 0.5, (11, 7)), np.array([0.5])
    return [*kernel.decorated(lo, hi, parameters=(q, q + 1)), *kernel.interval(lo, hi, parameters=(q, q + 1)),
            kernel.points(lo, parameters=q)]


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def entries(kernel: codegen.Kernel) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the entries."""
    assert kernel.pattern is not None
    rows = np.repeat(np.arange(kernel.pattern.shape[0]), np.diff(kernel.pattern.indptr))
    return rows, kernel.pattern.indices


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("quick", [False, True])
def test_entries_of_the_jacobian(seed: int, quick: bool) -> None:
    kernel = codegen.compile(system(seed), SYMBOLS, [P], quick=quick)
    dense, sparse = kernel.jacobian(), kernel.jacobian(sparse=True)
    rows, columns = entries(sparse)
    listed = np.zeros((7, 7), bool)
    listed[rows, columns] = True
    for whole, some in zip(answers(dense), answers(sparse), strict=True):
        assert same_bits(whole[:, 7 * rows + columns], some)
    lo, hi = answers(dense)[:2]
    assert not lo.reshape(-1, 7, 7)[:, ~listed].any() and not hi.reshape(-1, 7, 7)[:, ~listed].any()
    free = [[a in e.free_symbols for a in SYMBOLS] for e in system(seed)]
    assert not (listed & ~np.array(free)).any() and listed.sum() >= 12


@pytest.mark.parametrize("seed", range(2))
def test_entries_of_the_hessian(seed: int) -> None:
    """The derivatives of the Jacobian, each pair of variables once."""
    kernel = codegen.compile(system(seed), SYMBOLS, [P], quick=True)
    whole, sparse = kernel.hessian(), kernel.hessian(sparse=True)
    assert whole.pattern is None and sparse.pattern is not None and sparse.pattern.shape == (49, 7)
    rows, columns = entries(sparse)
    assert (columns <= rows % 7).all() and len(rows) >= 8
    for twice, dense, some in zip(answers(kernel.jacobian().jacobian()), answers(whole), answers(sparse), strict=True):
        matrices = dense.reshape(-1, 7, 7, 7)
        assert same_bits(matrices[:, rows // 7, rows % 7, columns], some) and same_bits(twice[:, 7 * rows + columns], some)
        symmetric = dense if dense.dtype != np.uint8 else None
        assert symmetric is None or same_bits(matrices, matrices.transpose(0, 1, 3, 2))
        rest = matrices.copy()
        rest[:, rows // 7, rows % 7, columns] = rest[:, rows // 7, columns, rows % 7] = 0
        assert dense.dtype == np.uint8 or not rest[~np.isnan(rest)].any()


def test_hessian_is_sympys() -> None:
    x, y, z = sp.symbols("x y z", real=True)
    f = x**2 * y + sp.exp(y) * sp.sin(x) - z
    at = (0.5, -1.25, 3.0)
    found = codegen.compile([f], [x, y, z]).hessian().points([at]).reshape(3, 3)
    assert np.allclose(found, np.array(sp.hessian(f, (x, y, z)).subs(dict(zip((x, y, z), at, strict=True))), float), rtol=1e-14)


def test_scipys_matrices() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    kernel = codegen.compile(system(0), SYMBOLS, [P], quick=True)
    jacobian = kernel.jacobian(sparse=True)
    assert jacobian.pattern is not None
    at, q = np.linspace(0.1, 0.9, 7)[None], np.array([2.0])
    matrix = jacobian.pattern.csr(jacobian.points(at, parameters=q)[0])
    assert isinstance(matrix, sparse.csr_array) and matrix.has_sorted_indices
    assert same_bits(matrix.toarray(), kernel.jacobian().points(at, parameters=q).reshape(7, 7))
    with pytest.raises(ValueError, match=r"values must have shape \(\d+,\)"):
        jacobian.pattern.csr([[1.0]])


def test_only_entries_are_code() -> None:
    """Of two entries a row: code and operations in proportion to the rows, of the dense matrix as well."""
    sizes = {}
    for n in (20, 80):
        s = sp.symbols(f"s:{n}", real=True)
        kernel = codegen.compile([sp.sin(s[i]) * s[(i + 1) % n] for i in range(n)], s)
        sparse, dense = kernel.jacobian(sparse=True), kernel.jacobian()
        assert len(sparse.outputs) == 2 * n and len(dense.outputs) == n * n
        sizes[n] = [len(sparse.llvm()), len(dense.llvm()), len(dense.llvm("decorated"))]
    assert all(b < 6 * a for a, b in zip(sizes[20], sizes[80], strict=True))
    assert sizes[80][1] < 1.5 * sizes[80][0]


def test_a_kernel_without_entries_and_one_that_travels() -> None:
    x, y = sp.symbols("x y", real=True)
    none = codegen.compile([sp.Integer(3), sp.floor(x)], [x, y]).jacobian(sparse=True)
    assert none.pattern is not None and none.pattern.shape == (2, 2) and none.pattern.indptr.tolist() == [0, 0, 0]
    assert none.points([[1.0, 2.0]]).shape == (1, 0) and none.jacobian(sparse=True).outputs == ()
    kernel = pickle.loads(pickle.dumps(codegen.compile([x * y, y], [x, y]).jacobian(sparse=True)))
    assert kernel.pattern.indices.tolist() == [0, 1, 1] and kernel.points([[2.0, 3.0]]).tolist() == [[3.0, 2.0, 1.0]]
