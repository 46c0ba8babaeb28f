"""Moving points as graphs, and SymPy's own numbers as the arithmetic that evaluates them: the referee of `separation` and `composition`."""

import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from generative import axis_angle, t, u, v

TURN = axis_angle([1, 2, 3], t**2 + 1)
BLEND = [(1 - u) ** 2, 2 * u * (1 - u), u**2]


def nodes(expressions):
    """The graph of expressions in u, v and t, which are variables 0, 1 and 2."""
    pool = ExprPool()
    return convert(list(expressions), {u: pool.variable(0), v: pool.variable(1), t: pool.variable(2)}, pool)


class Exact:
    """Any arithmetic for `evaluate`: SymPy's own numbers."""

    def __getattr__(self, name):
        return getattr(sp, name)

    def constant(self, value):
        return sp.pi if value == "pi" else sp.E if value == "e" else sp.Rational(value.numerator, value.denominator)

    def add(self, a, b):
        return a + b

    def sub(self, a, b):
        return a - b

    def neg(self, a):
        return -a

    def mul(self, a, b):
        return a * b

    def div(self, a, b):
        return a / b

    def power_integer(self, n, a):
        return a**n
