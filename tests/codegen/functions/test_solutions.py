"""Solutions of differential equations as SymPy functions, and as operations of graphs."""

import pickle

import numpy as np
import pytest
import sympy as sp
from mpmath import mp

import codegen
from codegen.from_sympy import UnsupportedExpression
from codegen.functions.solutions import Solution
from codegen.graph.expr import ExprPool
from codegen.graph.flows import encoded
from codegen.reference.interpreter import interpret
from generative import ode, t
from tests.initial_values import PENDULUM, x, y

a, k = sp.symbols("a k", real=True)


def pendulum(start: object = 1, strength: object = 1) -> list[Solution]:
    return ode([y, -strength * sp.sin(x)], [x, y], [start, 0], (t, 0, -0.5, 8))


def test_derivatives_are_right_hand_sides() -> None:
    angle, speed = pendulum()
    assert angle.diff(t) == speed and speed.diff(t) == -sp.sin(angle) and angle.diff(x) == 0
    assert angle.subs(t, 3 * t).diff(t) == 3 * speed.subs(t, 3 * t) and angle.subs(t, 0) == 1
    assert str(angle) == "x(t)" and sp.latex(angle**2) == r"x\left(t\right)^{2}"


def test_equal_problems_are_equal() -> None:
    assert pendulum() == pendulum() != pendulum(2) and pickle.loads(pickle.dumps(pendulum())) == pendulum()
    assert pendulum(a)[0].subs(a, 1) == pendulum()[0]


def test_derivatives_by_numbers_hold_difference_quotients() -> None:
    angle = pendulum(a, k)[0]
    slopes = codegen.compile([angle.diff(s).subs({a: 1, k: 1}) for s in (a, k)], [t])
    lo, hi = slopes.interval([[5.0]], [[5.0]])
    step = 2.0**-14
    for s, low, high in zip((a, k), lo[0], hi[0], strict=True):
        other = {a: 1, k: 1}
        later, before = (codegen.compile(angle.subs({**other, s: 1 + e}), [t]).points([[5.0]])[0, 0] for e in (step, -step))
        quotient = (later - before) / (2 * step)
        assert abs(0.5 * (low + high) - quotient) < 1e-6 and high - low < 1e-11


def test_numbers_are_evaluated_in_mpmath() -> None:
    lo, hi = codegen.compile(pendulum(), [t]).interval([[2.0], [-0.25]], [[2.0], [-0.25]])
    with mp.workdps(30):
        assert lo[0, 0] <= sp.N(pendulum()[0].subs(t, 2), 20) <= hi[0, 0]
        assert lo[1, 1] <= sp.N(pendulum()[1].subs(t, -0.25), 20) <= hi[1, 1]


def test_numbers_are_needed_to_compile() -> None:
    with pytest.raises(UnsupportedExpression, match="depend on a, k; substitute numbers"):
        codegen.compile(pendulum(a, k)[0], [t])


def test_kernels_enclose_the_reference() -> None:
    """And so does code that is interpreted, and that of another process."""
    outputs = [*pendulum(), pendulum()[0] ** 2 * sp.sin(pendulum()[1])]
    kernel, quick = (codegen.compile(outputs, [t], quick=q) for q in (False, True))
    rng = np.random.default_rng(5)
    lo = rng.uniform(-0.5, 8, (200, 1))
    hi = lo + rng.uniform(0, 1, (200, 1)) ** 6
    low, high, level = kernel.decorated(lo, hi)
    for other in (quick, pickle.loads(pickle.dumps(kernel))):
        assert all((p == q).all() for p, q in zip(other.decorated(lo, hi), (low, high, level), strict=True))
    below, above, known = interpret(kernel.outputs, lo, hi)
    assert (low <= below).all() and (above <= high).all() and (level == known).all() and 0 < (level == 3).mean() < 1


def test_jacobian_holds_the_rate() -> None:
    angle, speed = pendulum()
    times = np.linspace(0, 7, 30)[:, None]
    lo, hi, level = codegen.compile([angle], [t]).jacobian().decorated(times, times + 1e-3)
    low, high = codegen.compile([speed], [t]).interval(times, times + 1e-3)
    assert (level == 3).all() and (lo == low).all() and (hi == high).all()


def test_integrals_of_solutions() -> None:
    """The integral of the speed is the angle: Gauss's rule takes Taylor coefficients of order 10 through the equations."""
    angle, speed = pendulum()
    s = sp.Symbol("s", real=True)
    lo, hi = codegen.compile(codegen.operators.DefiniteIntegral(speed.subs(t, s), s, 1, t) - angle, [t]).interval([[4.0]], [[4.0]])
    value = -float(sp.N(angle.subs(t, 1)))
    assert lo[0, 0] <= value <= hi[0, 0] and hi[0, 0] - lo[0, 0] < 1e-9


def test_one_node_a_component() -> None:
    pool, flow = ExprPool(), codegen.from_sympy.flow_of(pendulum()[0].problem)
    s = pool.variable(0)
    assert pool.node("solution", s, value=encoded(0, flow)) is pool.node("solution", s, value=encoded(0, flow))
    assert pool.node("solution", s, value=encoded(0, flow)) is not pool.node("solution", s, value=encoded(1, flow))
    assert flow.states == len(PENDULUM.states)
