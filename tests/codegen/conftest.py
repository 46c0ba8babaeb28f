"""Kernels that several tests of the outside contract call, and a process in which nothing is compiled."""

import pytest
import sympy as sp

import codegen
from codegen.emit import lower
from codegen.machine import linked, tiers

x, y, a, b = sp.symbols("x y a b", real=True)
EXPRESSIONS = [sp.sin(x) * y, x**2 - y, sp.exp(x / 4), sp.Piecewise((x, x < y), (y, True)), sp.sqrt(x + 2)]


@pytest.fixture(scope="module")
def kernel() -> codegen.Kernel:
    return codegen.compile(EXPRESSIONS, [x, y])


@pytest.fixture(scope="module")
def with_parameters() -> codegen.Kernel:
    return codegen.compile([a * x + b, sp.sin(x * a) - y * b], [x, y], [a, b])


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine code from before, on disk or in this process; and what is compiled, quickly."""
    monkeypatch.setenv("GENERATIVE_COLLISION_CACHE", "")
    monkeypatch.setattr(linked, "_codes", {})
    monkeypatch.setattr(linked, "_tiers", {})
    monkeypatch.setattr(tiers, "_all", [])
    monkeypatch.setattr(lower, "OUTLINE", 0)
