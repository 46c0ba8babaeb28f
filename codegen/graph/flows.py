"""Solutions of ordinary differential equations as operations: ``solution(s)`` is a component of x with x' = f(x, s) and x(0) = x0.

Its value, bytes, says which: the component, and the `Flow`. The derivative is the right-hand side itself, at the solution. What is known
of the values is a `FlowTable`, which a solver makes when machine code is written (`codegen.initial_value`); code that is kept needs none.
"""

import functools
import marshal
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .expr import Expr, ExprPool, reachable
from .serialize import deserialize, serialize


class Flow(NamedTuple):
    """`graph`: f_1, ..., f_n, of the time as variable 0 and of the states as 1 to n; then the lower and the upper ends of x0, all without
    variables. To be integrated from 0 to `begin` and to `end`, in at most so many `steps` each way. A flow with `ranges` has parameters, as
    variables from n + 1 on, also in x0 (see `families`); `depth` says how often derivatives by parameters were taken. The start may
    be divided in so many parts (`divisions`).
    """

    graph: bytes
    states: int
    begin: float
    end: float
    steps: int
    ranges: tuple[tuple[float, float], ...] = ()
    depth: int = 0
    divisions: int = 1

    @property
    def parts(self) -> tuple[list[Expr], list[Expr], list[Expr]]:
        """f, and the ends of x0."""
        found, n = deserialize(self.graph), self.states
        return found[:n], found[n:2 * n], found[2 * n:]


class FlowTable(NamedTuple):
    """Enclosures of all components in N cells, between `ends` (N + 1,), increasing.

    In cell k the component i is x(s) = c_0 + c_1 z + ... + c_d z^d with z = s - base[k], c = `coefficients[k, i]`, up to `error[k, i]`,
    and x'(s) the derivative of that up to `slope_error[k, i]`, in exact arithmetic. `bend[k, i]` bounds |x''|, and `range[k, i]` encloses
    x. `reason`: why it goes no further to either side, empty where the wanted end was reached.
    """

    ends: np.ndarray
    base: np.ndarray
    coefficients: np.ndarray
    error: np.ndarray
    slope_error: np.ndarray
    bend: np.ndarray
    range: np.ndarray
    reason: tuple[str, str]


def described(rates: Sequence[Expr], low: Sequence[Expr], high: Sequence[Expr], begin: float, end: float, steps: int,
              ranges: tuple[tuple[float, float], ...] = (), depth: int = 0, divisions: int = 1) -> Flow:
    """The flow of nodes of one pool; see `Flow.graph`."""
    return Flow(serialize([*rates, *low, *high]), len(rates), begin, end, steps, ranges, depth, divisions)


def encoded(component: int, flow: Flow) -> bytes:
    """The value of a node."""
    return marshal.dumps((component, *flow), 2)


@functools.lru_cache(maxsize=1024)
def decoded(value: bytes) -> tuple[int, Flow]:
    component, *flow = marshal.loads(value)
    return component, Flow(*flow)


def slope(pool: ExprPool, value: bytes, args: Sequence[Expr]) -> Expr:
    """The derivative by the time: the right-hand side, at the solution. `args`: the time and the parameters."""
    component, flow = decoded(value)
    rate = flow.parts[0][component]
    op, others = ("flow" if flow.ranges else "solution"), [args[0], *[None] * flow.states, *args[1:]]
    built: dict[int, Expr] = {}
    for e in reachable([rate]):
        if e.op == "variable":
            built[e.index] = others[e.value] or pool.node(op, *args, value=encoded(e.value - 1, flow))
        else:
            built[e.index] = pool.node(e.op, *(built[a.index] for a in e.args), value=e.value)
    return built[rate.index]


_solvers: list[Callable[[Flow], FlowTable]] = []


def register(solver: Callable[[Flow], FlowTable]) -> Callable[[Flow], FlowTable]:
    """Solvers use kernels, which stand above the graphs that hold solutions."""
    _solvers[:] = [solver]
    return solver


@functools.lru_cache(maxsize=32)
def table(flow: Flow) -> FlowTable:
    return _solvers[0](flow)
