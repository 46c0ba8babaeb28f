"""Solutions of ordinary differential equations as SymPy functions.

An `InitialValueProblem` has its formulas in symbols of its own: `TIME`, which is 0 at the start, `state(k)` and `datum(k)`, its parameters.
"""

import functools
from collections.abc import Sequence
from typing import Any

import mpmath
import sympy as sp

from ..given import expression
from ..operators import BoundSymbol, mpmath_function
from ..walk import replaced
from . import _Function

Pair = tuple[Any, Any]
Range = tuple[float, float] | None

# Far beyond the operators that bind variables of their own inside a formula.
_FIRST = 1000
TIME = BoundSymbol("s", dummy_index=_FIRST, real=True)


@functools.cache
def state(k: int) -> Any:
    return BoundSymbol(f"x{k}", dummy_index=_FIRST + 1 + 2 * k, real=True)


@functools.cache
def datum(k: int) -> Any:
    return BoundSymbol(f"p{k}", dummy_index=_FIRST + 2 + 2 * k, real=True)


class InitialValueProblem(sp.Atom):  # type: ignore[misc]
    """x' = f(x, s, p), x(0) = x0(p): `rates` has the formulas f, `start` pairs of formulas, the least and the greatest value, `ranges` the
    ends of each parameter, or None where they are not known. It is integrated from 0 to the two numbers of `span`, in at most so many
    `steps` each way; the start is divided in so many parts (`divisions`). `names` are for display.
    """

    __slots__ = ("divisions", "names", "ranges", "rates", "span", "start", "steps")

    def __new__(cls, rates: Sequence[Any], start: Sequence[Pair], ranges: Sequence[Range], span: tuple[float, float], steps: int,
                names: Sequence[str], divisions: int = 1) -> "InitialValueProblem":
        made: InitialValueProblem = super().__new__(cls)
        made.rates, made.start, made.ranges = tuple(rates), tuple(start), tuple(ranges)
        made.span, made.steps, made.names, made.divisions = span, steps, tuple(names), divisions
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.rates, self.start, self.ranges, self.span, self.steps, self.names, self.divisions

    def __getstate__(self) -> None:
        return None

    def _hashable_content(self) -> tuple[Any, ...]:
        return self.__getnewargs__()

    def sort_key(self, order: Any = None) -> Any:
        told = str((self.rates, self.start, self.ranges, self.span, self.steps, self.divisions))
        return self.class_key(), (1, (told,)), sp.S.One.sort_key(), sp.S.One

    def _sympystr(self, printer: Any) -> str:
        return f"InitialValueProblem({', '.join(self.names)})"

    @property
    def parameters(self) -> int:
        return len(self.ranges)

    def at(self, values: Sequence[Any]) -> "InitialValueProblem":
        """The problem with numbers for its parameters."""
        change = {datum(k): e for k, e in enumerate(values)}
        rates = [replaced(e, change) for e in self.rates]
        start = [(replaced(a, change), replaced(b, change)) for a, b in self.start]
        return InitialValueProblem(rates, start, (), self.span, self.steps, self.names, self.divisions)

    def varied(self, parameter: int) -> "InitialValueProblem":
        """Together with the derivatives y of all x by a parameter, after them: y' = (df/dx) y + df/dp."""
        n, p = len(self.rates), datum(parameter)
        more = [sp.Add(f.diff(p), *(f.diff(state(j)) * state(n + j) for j in range(n))) for f in self.rates]
        start = [(a.diff(p), b.diff(p)) for a, b in self.start]
        names = [f"d{name}/dp{parameter}" for name in self.names]
        return InitialValueProblem([*self.rates, *more], [*self.start, *start], self.ranges, self.span, self.steps,
                                   [*self.names, *names], self.divisions)


class Solution(_Function):
    """``Solution(s, problem, k, *values)`` is component k of the solution at the time s from its start, with these values of the
    parameters.

    Its derivative by s is the right-hand side; one by a parameter is a component of the variational equations. Undefined beyond what a
    kernel can prove of it (see `codegen.initial_value`), and where the problem has no solution.
    """

    @classmethod
    def eval(cls, s: Any, problem: Any, k: Any, *values: Any) -> Any:
        if not (isinstance(problem, InitialValueProblem) and k.is_Integer and 0 <= k < len(problem.rates)
                and len(values) == problem.parameters):
            raise ValueError("Solution needs a time, an InitialValueProblem, the number of a component, and a value of each parameter")
        if values and all(e.is_number for e in values):
            return cls(s, problem.at(values), k)
        least, greatest = problem.start[int(k)]
        if s == 0 and least == greatest:
            return replaced(least, {datum(j): e for j, e in enumerate(values)})
        return None

    @property
    def problem(self) -> InitialValueProblem:
        found: InitialValueProblem = self.args[1]
        return found

    @property
    def component(self) -> int:
        return int(self.args[2])

    def rate(self) -> Any:
        """The derivative by the first argument."""
        s, problem, k, *values = self.args
        change = {state(j): Solution(s, problem, j, *values) for j in range(len(problem.rates))}
        return replaced(problem.rates[int(k)], {**change, TIME: s, **{datum(j): e for j, e in enumerate(values)}})

    def fdiff(self, argindex: int = 1) -> Any:
        s, problem, k, *values = self.args
        if argindex == 1:
            return self.rate()
        if argindex <= 3:
            raise sp.core.function.ArgumentIndexError(self, argindex)
        return Solution(s, problem.varied(argindex - 4), len(problem.rates) + k, *values)

    def _eval_derivative(self, x: Any) -> Any:
        places = [1, *range(4, len(self.args) + 1)]
        slopes = [(j, self.args[j - 1].diff(x)) for j in places]
        return sp.Add(*(self.fdiff(j) * d for j, d in slopes if d != 0))

    def _eval_is_real(self) -> bool | None:
        return True if self.args[0].is_real else None

    def _eval_evalf(self, prec: int) -> Any:
        s, problem, k, *values = self.args
        if values or not s.is_number or any(a != b for a, b in problem.start):
            return None
        with mpmath.workprec(prec + 20):
            value = _integrated(problem, expression(s).evalf(n=mpmath.mp.dps))[int(k)]
        return sp.Float._new(value._mpf_, prec)

    def _sympystr(self, printer: Any) -> str:
        s, problem, k, *values = self.args
        return f"{problem.names[int(k)]}({', '.join(printer._print(e) for e in (s, *values))})"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        s, problem, k, *values = self.args
        name = printer._print(sp.Symbol(problem.names[int(k)]))
        text = rf"{name}\left({', '.join(printer._print(e) for e in (s, *values))}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"


def _integrated(problem: InitialValueProblem, s: Any) -> Any:
    """All components at a number, by Taylor's series in mpmath; unproved, and slow."""
    symbols = [TIME, *(state(k) for k in range(len(problem.rates)))]
    rates = [mpmath_function(e, symbols) for e in problem.rates]
    sign, start = (-1 if s < 0 else 1), [mpmath_function(a, [])() for a, _ in problem.start]
    along = mpmath.odefun(lambda r, x: [sign * f(sign * r, *x) for f in rates], 0, start)
    return along(abs(mpmath.mpf(s._mpf_) if s.is_Float else mpmath.mpf(s)))
