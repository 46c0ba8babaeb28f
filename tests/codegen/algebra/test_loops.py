"""The loops of `algebra.loops` give the bits of the straight-line code of `linear`; zero columns left out change nothing."""

import ctypes

import numpy as np
import pytest

from codegen.algebra import linear

SHAPES = {"linear_solve": "M f c X flag", "precondition": "M f G g", "krawczyk": "M f c X K flag", "interval_inverse": "M f c X K flag"}


def blocks(n: int, width: float, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)

    def intervals(*shape: int, size: float) -> np.ndarray:
        middle, radius = rng.normal(size=(*shape, 8)), size * rng.random((*shape, 8))
        return np.stack([radius - middle, radius + middle], axis=-2)

    M = intervals(n, n, size=width) + 3.0 * np.eye(n)[:, :, None, None] * np.array([-1, 1])[:, None]
    M[rng.random((n, n)) < 0.2] = 0.0
    c = rng.normal(size=(n, 8))
    X = np.stack([0.3 - c, 0.3 + c], axis=1)
    return {"M": M, "f": intervals(n, size=1e-3) * 0.1, "c": c, "X": X, "flag": np.ones(8), "K": np.zeros((n, 2, 8)),
            "G": np.zeros((n, n, 2, 8)), "g": np.zeros((n, 2, 8))}


def run(name: str, n: int, given: dict[str, np.ndarray], pattern: linear.Pattern | None = None) -> list[np.ndarray]:
    address = linear.linear_solve(n, n, pattern) if name == "linear_solve" else getattr(linear, name)(n)
    arrays = [given[a].copy() for a in SHAPES[name].split()]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(address)(*(a.ctypes.data for a in arrays))
    return arrays


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_loops_give_the_same_bits(name: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    raised = 0.0
    for seed, width in enumerate((1e-3, 0.1, 2.0)):
        given = blocks(n, width, seed)
        monkeypatch.setattr(linear, "UNROLLED", 99)
        straight = run(name, n, given)
        monkeypatch.setattr(linear, "UNROLLED", 0)
        loops = run(name, n, given)
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(straight, loops, strict=True))
        raised += straight[-1].sum() if name in ("krawczyk", "interval_inverse") else 1
    assert raised > 0


def test_pattern_leaves_out_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "UNROLLED", 0)
    given = blocks(6, 0.1, 7)
    pattern = tuple(tuple(j for j in range(6) if given["M"][i, j].any()) for i in range(6))
    assert any(len(row) < 6 for row in pattern)
    full, sparse = run("linear_solve", 6, given), run("linear_solve", 6, given, pattern)
    assert all(np.array_equal(a, b) for a, b in zip(full, sparse, strict=True))


def test_a_pivot_that_ends_at_zero_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Division by [0, 2] bounds one side only; the inverse must not be taken for enclosed."""
    given = blocks(2, 1e-3, 1)
    given["M"][:] = 0.0
    given["M"][0, 0, 1], given["M"][1, 1] = 2.0, np.array([-1.0, 1.0])[:, None]
    for unrolled in (99, 0):
        monkeypatch.setattr(linear, "UNROLLED", unrolled)
        *_, K, flag = run("interval_inverse", 2, given)
        assert (flag == 0).all() and np.isposinf(K).all()
