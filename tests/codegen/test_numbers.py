"""Numbers as users give them to kernels: any real ones, of any type and memory order, rounded outwards; others are named."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen

from .boxes import boxes, same_bits

x, y, a = sp.symbols("x y a", real=True)


@pytest.mark.parametrize(("lo", "hi", "message"), [
    (np.zeros((3, 1)), np.ones((3, 2)), r"lo must have shape \(n, 2\).* x, y; got \(3, 1\)"),
    (np.zeros((3, 2)), np.ones((3, 3)), r"hi must have shape \(n, 2\).*got \(3, 3\)"),
    (np.zeros(2), np.ones(2), r"lo must have shape \(n, 2\).*got \(2,\)"),
    (np.zeros((3, 2)), np.ones((4, 2)), "lo has 3 rows and hi 4"),
])  # fmt: skip
def test_wrong_shapes(kernel: codegen.Kernel, lo: Any, hi: Any, message: str) -> None:
    for call in (kernel.interval, kernel.decorated):
        with pytest.raises(ValueError, match=message):
            call(lo, hi)


def test_wrong_shapes_of_points_and_parameters(kernel: codegen.Kernel, with_parameters: codegen.Kernel) -> None:
    lo, hi = boxes(3)
    with pytest.raises(ValueError, match=r"points must have shape \(n, 2\).*got \(3, 4\)"):
        kernel.points(np.zeros((3, 4)))
    with pytest.raises(ValueError, match=r"needs parameters=..., one value each for a, b"):
        with_parameters.interval(lo, hi)
    with pytest.raises(ValueError, match=r"needs parameters=..., one value each for a, b"):
        with_parameters.points(lo)
    for p in (np.zeros(3), np.zeros((2, 2)), np.zeros((3, 1))):
        with pytest.raises(ValueError, match=r"parameters must have shape \(2,\) or \(3, 2\), got"):
            with_parameters.interval(lo, hi, parameters=(p, p))
    with pytest.raises(ValueError, match=r"pair \(plo, phi\)"):
        with_parameters.interval(lo, hi, parameters=np.zeros((3, 2)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="both as"):
        with_parameters.interval(lo, hi, parameters=(np.zeros(2), np.ones((3, 2))))
    with pytest.raises(ValueError, match=r"got \(2,\)"):
        kernel.interval(lo, hi, parameters=(np.zeros(2), np.zeros(2)))


@pytest.mark.parametrize("row", [0, 5, 8, 32])
@pytest.mark.parametrize(("low", "high"), [
    (np.nan, 1.0), (0.0, np.nan), (np.nan, np.nan), (1.0, 0.5), (np.inf, np.inf), (-np.inf, -np.inf), (np.inf, -np.inf),
])  # fmt: skip
def test_bad_bounds_are_named_with_their_row(kernel: codegen.Kernel, row: int, low: float, high: float) -> None:
    lo, hi = boxes(33)
    lo[row, 1], hi[row, 1] = low, high
    for call in (kernel.interval, kernel.decorated):
        with pytest.raises(ValueError, match=rf"^box row {row}: y = \[{low}, {high}\] is not an interval; bounds must"):
            call(lo, hi)


THIRD, LARGE = Fraction(1, 3), 2**53 + 1


@pytest.mark.parametrize("given", [
    [[THIRD, LARGE]], np.array([[2**60 + 1, -LARGE]]), np.array([[2**63 + 1, LARGE]], np.uint64), np.ones((1, 2), np.longdouble) / 3,
    [[sp.pi, sp.sqrt(2)]], [[sp.Rational(1, 3), 10**400]], [[-(10**400), 0.1]],
], ids=range(7))  # fmt: skip
def test_bounds_that_are_no_doubles_are_rounded_outwards(given: Any) -> None:
    kernel = codegen.compile([x, y, a], [x, y], [a])
    exact = [sp.sympify(Fraction(*e.as_integer_ratio()) if isinstance(e, np.longdouble) else e) for e in np.array(given, object)[0]]
    lo, hi = kernel.interval(given, given, parameters=([exact[0]], [exact[0]]))
    for number, low, high in zip([*exact, exact[0]], lo[0].tolist(), hi[0].tolist(), strict=True):
        assert (low == -np.inf or sp.Rational(low) <= number) and (high == np.inf or number <= sp.Rational(high))
        assert high == math.nextafter(low, math.inf) or high == low == number


def test_ends_of_other_types_at_infinity() -> None:
    kernel = codegen.compile([x], [x])
    assert [b.tolist() for b in kernel.interval([[-sp.oo]], [[sp.oo]])] == [[[-np.inf]], [[np.inf]]]
    assert [b.tolist() for b in kernel.interval(np.array([[-np.inf]], np.longdouble), [[Fraction(1, 2)]])] == [[[-np.inf]], [[0.5]]]
    with pytest.raises(ValueError, match="is not an interval"):
        kernel.interval(np.array([[np.nan]], object), [[1.0]])


@pytest.mark.parametrize(("given", "message"), [
    ([["a", "b"]], "an array of real numbers"), ([["1", "2"]], "an array of real numbers"), ([[1j, 0]], "got complex128"),
    ([[None, 0]], "an array of real numbers"), ([[1, 2], [3]], "of unequal parts"), ([[sp.Symbol("q"), 0]], "real numbers, got q"),
    ([[sp.I, 0]], "real numbers, got I"), (None, "an array of real numbers"),
])  # fmt: skip
def test_what_is_no_array_of_numbers(kernel: codegen.Kernel, given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"lo must be.*{message}"):
        kernel.interval(given, [[1, 2]])
    with pytest.raises(ValueError, match=r"points must be.*numbers"):
        kernel.points(given)


def test_bad_parameter_bounds_are_named_with_their_row(with_parameters: codegen.Kernel) -> None:
    lo, hi = boxes(20)
    plo, phi = boxes(20)
    phi[13, 0] = -9.0
    with pytest.raises(ValueError, match=r"parameter row 13: a = \[.*, -9.0\]"):
        with_parameters.interval(lo, hi, parameters=(plo, phi))
    with pytest.raises(ValueError, match=r"parameter row 0: b = \[nan, 0.0\]"):
        with_parameters.interval(lo, hi, parameters=([0.0, np.nan], [0.0, 0.0]))


def test_infinite_ends_that_make_sense_are_taken(kernel: codegen.Kernel) -> None:
    lo, hi = kernel.interval([[-np.inf, 0.0]], [[np.inf, np.inf]])
    assert (lo[0, 0], hi[0, 0], lo[0, 2], hi[0, 2]) == (-np.inf, np.inf, 0.0, np.inf) and not np.isnan([lo, hi]).any()


def test_the_callers_arrays_are_neither_modified_nor_required_to_be_c_contiguous(kernel: codegen.Kernel) -> None:
    lo, hi = boxes(20)
    expected, before = kernel.interval(lo, hi), (lo.copy(), hi.copy())
    for array in (lo, hi):
        array.flags.writeable = False
    for p, q in ((lo, hi), (np.asfortranarray(lo), np.asfortranarray(hi)), (lo.tolist(), hi.tolist()),
                 (np.repeat(lo, 3, 0)[::3], np.repeat(hi, 3, 0)[::3]), (lo[::-1][::-1], hi), (lo.astype(">f8"), hi)):
        assert all(same_bits(r, e) for r, e in zip(kernel.interval(p, q), expected, strict=True))
    assert same_bits(lo, before[0]) and same_bits(hi, before[1])


def test_integers_and_other_types_are_numbers(kernel: codegen.Kernel) -> None:
    integers = np.array([[0, 1], [2, 3]])
    assert all(same_bits(p, q) for p, q in zip(kernel.interval(integers, integers + 1),
                                               kernel.interval(integers.astype(float), integers + 1.0), strict=True))
    assert same_bits(kernel.points([[0, 1]]), kernel.points([[0.0, 1.0]]))
    single = np.float32([[0.1, 0.2]])
    assert kernel.points(single)[0, 1] == float(single[0, 0]) ** 2 - float(single[0, 1])
