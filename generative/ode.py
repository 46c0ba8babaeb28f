"""Solutions of ordinary differential equations as formulas, an operator of GENMOD (Snyder 1992)."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from codegen.functions.solutions import TIME, InitialValueProblem, Solution, datum, state
from codegen.given import shown
from codegen.initial_value.known import ProvedSpan, known
from codegen.walk import free_symbols, has, replaced

from .symbols import NOT_REAL, exact, interval, items

SPAN = 100.0
"""So far the equations are integrated both ways if no end is given."""

STEPS = 1000


def ode(rates: Sequence[Any], states: Sequence[Any], start: Sequence[Any], time: Sequence[Any], *,
        ranges: Mapping[Any, Any] | None = None, steps: int = STEPS, divisions: int = 1) -> list[Any]:
    """The solution of x_k' = f_k(x, t), x_k(t0) = s_k as SymPy functions, one a state, that may stand in any formula and motion.

    `rates`: the formulas f_k, of the symbols `states`, of the time, and of any other symbols. `start`: the values s_k: numbers, formulas of
    other symbols, or pairs (lo, hi) of numbers, of which one is the value and nobody knows which. `time`: (t, t0), the symbol of
    the time and the time of the start; (t, t0, end) with an end; or (t, t0, begin, end). Without them the equations are integrated over a
    time of `SPAN` both ways. `ranges`: pairs (lo, hi) for other symbols, which they are never beyond. `divisions`: in so many parts start
    values that are pairs are divided at most, until the end is reached from each; each part takes some hundredths of a second. One equation
    alone needs none: its solutions do not cross, and lie between those from both ends.

    Inclusion functions *enclose*: values are those of the solution, or of every one that the ranges allow, by validated Taylor series of
    order 20 with a remainder (Lohner 1987), integrated once, when a kernel needs them. Where the solution ends, at a pole or where its
    equations do, where no enclosure is proved or after so many `steps` each way it counts as undefined: bounds are the whole line and
    nothing is known of the box (`regular` 0). What is known begins somewhat before and ends somewhat after the span that was asked for, of
    which an end at t0 is one; `ode_span` says how far it goes, and why no further. Kinks of the equations in time, as of |t - 1|, Max(t, 1)
    and a continuous Piecewise of t, are crossed; where they jump the solution ends.

    The times at which a formula g of the states vanishes are the zeros of that formula: `collide.solve([g], {t: (lo, hi)})` finds them,
    and proves that there are no others.

    The derivative by t is the right-hand side. Derivatives by other symbols are solutions of the variational equations. Such a symbol may
    be a variable or a parameter of a kernel if it has a range, beyond which the solution counts as undefined; and else numbers must be
    substituted before a formula is compiled or used in a body. Bounds then come from the mean-value theorem over the range, and are wider
    than the true ones by about the square of its width, however small a box is; with a number in the place of a symbol they are not.

    Raises ValueError for lists of different lengths, symbols that are listed twice, and anything that is no real formula or number.

    >>> from sympy import sin, symbols
    >>> from generative import ode, t
    >>> x, y = symbols("x y", real=True)
    >>> angle, speed = ode([y, -sin(x)], [x, y], start=[1, 0], time=(t, 0, 10))
    >>> angle.diff(t, 2)
    -sin(x(t))
    """
    names = [_symbol(s) for s in items(states, "the states of ode")]
    formulas, values = ([*items(given, f"the {what} of ode")] for given, what in ((rates, "rates"), (start, "start")))
    if not (len(formulas) == len(names) == len(values) > 0):
        raise ValueError(f"ode needs as many rates and start values as states, got {len(formulas)} and {len(values)} for {len(names)}")
    own, begin, span = _time(time)
    if not isinstance(ranges, Mapping | None):
        raise ValueError(f"the ranges of ode are a dictionary of pairs (lo, hi), got {shown(ranges)}")
    known_ends = {_symbol(s): _doubles(*interval(pair, f"the range of {s}")) for s, pair in (ranges or {}).items()}
    if len({*names, *known_ends, own}) < len(names) + len(known_ends) + 1:
        raise ValueError("ode needs a symbol of its own for each state, for the time, and for each range")
    change = {s: state(k) for k, s in enumerate(names)}
    later = [replaced(_formula(e, "a rate of ode"), {**change, own: begin + TIME}) for e in formulas]
    first = [_start(e, {*change, own}) for e in values]
    data = sorted(free_symbols(*later, *(e for pair in first for e in pair)) - {*change.values(), TIME}, key=str)
    placed = {s: datum(k) for k, s in enumerate(data)}
    problem = InitialValueProblem([replaced(e, placed) for e in later], [(replaced(a, placed), replaced(b, placed)) for a, b in first],
                                  [known_ends.get(s) for s in data], span, _count(steps, "steps"), [s.name for s in names],
                                  _count(divisions, "divisions"))
    return [Solution(own - begin, problem, k, *data) for k in range(len(names))]


def ode_span(solution: Any) -> ProvedSpan:
    """The span over which a function that `ode` made is known: the times, counted from its start, and why no earlier and no later ones are.

    Integrates if that was not done yet. ValueError for other formulas, and where not even one step is proved.
    """
    if not isinstance(solution, Solution):
        raise ValueError(f"ode_span needs a function that ode made, got {shown(solution)}")
    if None in solution.problem.ranges:
        raise ValueError(f"{solution} depends on symbols among its numbers; substitute numbers")
    return known(solution)


def _doubles(lo: Any, hi: Any) -> tuple[float, float]:
    """Ends that hold a range, and what rounding may make of it."""
    return math.nextafter(float(lo), -math.inf), math.nextafter(float(hi), math.inf)


def _symbol(s: Any) -> Any:
    if not isinstance(s, sp.Symbol):
        raise ValueError(f"states, time and ranges of ode are symbols, got {shown(s)}")
    return s


def _formula(given: Any, owner: str) -> Any:
    found = exact(given, owner)
    if not isinstance(found, sp.Expr) or has(found, *NOT_REAL):
        raise ValueError(f"{owner} must be a real formula, got {shown(given)}")
    return found


def _start(given: Any, taken: set[Any]) -> tuple[Any, Any]:
    """The least and the greatest value."""
    if isinstance(given, (tuple, list)):
        return interval(given, "a start value of ode")
    value = _formula(given, "a start value of ode")
    if free_symbols(value) & taken:
        raise ValueError(f"a start value of ode must not depend on the states or the time, got {shown(value)}")
    return value, value


def _time(given: Any) -> tuple[Any, Any, tuple[float, float]]:
    """The symbol of the time, the time of the start, and the span from there."""
    parts = items(given, "the time of ode")
    if not 2 <= len(parts) <= 4:
        raise ValueError("the time of ode is (t, t0), (t, t0, end) or (t, t0, begin, end)")
    symbol, begin, *ends = parts
    start = _formula(begin, "the time of the start of ode")
    if symbol in free_symbols(start):
        raise ValueError(f"the time of the start of ode must not depend on the time, got {shown(start)}")
    if not ends:
        return _symbol(symbol), start, (-SPAN, SPAN)
    reach = [_formula(e, "an end of the time of ode") - start for e in ends]
    if not all(e.is_number and e.is_finite for e in reach):
        raise ValueError(f"the time of ode needs numbers as its ends, got {shown(ends)}")
    least, most = min(0.0, *map(float, reach)), max(0.0, *map(float, reach))
    # A step more either way, so that the ends lie inside.
    more = (most - least) * 2.0**-20 or 2.0**-20
    if not math.isfinite(least - more) or not math.isfinite(most + more):
        raise ValueError(f"the time of ode is too long: {shown(ends)}")
    return _symbol(symbol), start, (least - more, most + more)


def _count(given: Any, what: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise ValueError(f"ode needs a positive number of {what}, got {shown(given)}")
    return given


