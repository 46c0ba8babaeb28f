"""Kernels beside bounds by hand: what is wider, by how much, and contradictions."""

from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen

x = sp.Symbol("x", real=True)
KERNEL = codegen.compile([x - x**2], [x])
LO, HI = np.array([[0.0], [0.0], [2.0]]), np.array([[1.0], [0.0], [3.0]])


def exact(lo: Any, hi: Any) -> tuple[Any, Any]:
    """The range, which is exact here."""
    ends = np.sort(np.concatenate([lo - lo * lo, hi - hi * hi], axis=1), axis=1)
    return ends[:, 0], np.where((lo <= 0.5) & (hi >= 0.5), 0.25, ends[:, 1:])[:, 0]


def test_where_either_is_wider_and_by_how_much() -> None:
    found = codegen.compare(KERNEL, exact, (LO, HI))
    assert found and found.contradictions.shape == (0, 2)
    assert found.kernel == (2, 8.0, found.kernel.ulps, 0, 0) and found.by_hand.rows == 0
    other = codegen.compare(codegen.compile([sp.Max(sp.Min(x - x**2, 0.25), x - x**2)], [x]), lambda lo, hi: (lo - 99, hi + 99), (LO, HI))
    assert other.by_hand.rows == 3 and other.by_hand.box == 1 and other.by_hand.ratio == np.inf
    assert str(found) == ("3 boxes: no contradiction; the kernel is wider in 2, at worst 8 times at box 0, expression 0; "
                          "by hand is nowhere wider")


def test_contradictions_are_found_and_named() -> None:
    found = codegen.compare(KERNEL, lambda lo, hi: (lo + 5, hi + 5), (LO, HI))
    assert not found and found.contradictions.tolist() == [[0, 0], [1, 0], [2, 0]]
    assert "3 CONTRADICTIONS, first at box 0, expression 0: the kernel has [-1.0, 1.0], by hand [5.0, 6.0]" in str(found)


def test_one_ulp_is_said_as_such() -> None:
    found = codegen.compare(codegen.compile([x / 3], [x]), lambda lo, hi: (lo / 3, hi / 3), ([[1.0]], [[2.0]]))
    assert "the kernel is wider in 1, at worst by 1 ulps" in str(found)


def test_two_kernels_and_infinities() -> None:
    other = codegen.compile([1 / x], [x])
    found = codegen.compare(KERNEL, other, ([[-1.0]], [[1.0]]))
    assert found.by_hand.ratio == np.inf and found.kernel.rows == 0


@pytest.mark.parametrize(("by_hand", "says"), [
    (lambda lo, hi: (hi + 1, lo), "no interval"), (lambda lo, hi: (lo * np.nan, hi), "no interval"), (lambda lo, hi: lo, "two arrays"),
    (lambda lo, hi: (lo[:1], hi[:1]), "shape"), (3, "function of lo and hi"),
])  # fmt: skip
def test_what_is_no_inclusion_is_refused(by_hand: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        codegen.compare(KERNEL, by_hand, (LO, HI))
