"""Kernels that several tests of the outside contract call."""

import pytest
import sympy as sp

import codegen

x, y, a, b = sp.symbols("x y a b", real=True)
EXPRESSIONS = [sp.sin(x) * y, x**2 - y, sp.exp(x / 4), sp.Piecewise((x, x < y), (y, True)), sp.sqrt(x + 2)]


@pytest.fixture(scope="module")
def kernel() -> codegen.Kernel:
    return codegen.compile(EXPRESSIONS, [x, y])


@pytest.fixture(scope="module")
def with_parameters() -> codegen.Kernel:
    return codegen.compile([a * x + b, sp.sin(x * a) - y * b], [x, y], [a, b])
