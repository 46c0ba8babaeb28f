"""`minimize`: the global minimum of a function under constraints, bracketed with proof.

The objective becomes one more variable w with the equation f - w = 0, each inequality g >= 0 a slack variable s >= 0
with g - s = 0, and the search looks for the least w at which the equations hold. The upper end of the bracket is f on a
box in which a feasible point is *proved* to exist (with the remaining variables frozen, those at the end of their domain
exactly there), or at a point that is seen to be feasible by evaluation (`feasible_points`); the lower end is the least w of all
boxes that are not excluded.

Necessary conditions (Fritz John 1948; see Hansen and Walster 2004, Chapter 13) keep the boxes round a minimizer few:
there are u0, u >= 0 and v, with u0 + sum u + sum v^2 = 1 and u s = 0, such that L = u0 f - u.g - v.h satisfies dL/dx = 0,
but for variables at an end of their domain. So (x - lo) (hi - x) dL/dx = 0 holds everywhere. Multiplied out like this, the
conditions need no exceptions, and are a square system whose isolated zeros are found by Newton's method. They hold
where f, g and h are differentiable, and are used in such boxes only. The infimum is not lost by that: a closed box that
holds infinitely many members of a minimizing sequence holds its limit, which is a minimizer if all functions are
differentiable, so continuous, there. Where f has no lower bound or g no upper bound in doubles, w or s is cut off at
1e300, which is one more constraint, and the conditions are not used at all.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, ExprPool
from codegen.interval import Interval
from codegen.kernel import Kernel
from codegen.walk import nesting_in_words

from ..given import check_positive
from ..proof import logged, minimum_log
from ..search.budget import Budget, as_budget
from ..search.clock import READING, Clock
from ..search.drive import drive
from ..search.feasible_points import lower_by_points
from ..search.native.layout import ALONE, UNIQUE
from ..search.options import Options
from ..search.problem import Problem
from ..search.search import Search
from .alternatives import Term, alternatives, closed, closed_relation
from .formulas import Domain, check_real_variables, merge, read_conditions, read_domain, read_functions, settled, stack
from .integers import Cells, IntegerCell, Least, least
from .minimum import Minimum, MinimumStatus
from .unbounded import filled_in, finite_ends, has_infinite_ends, some_value

if TYPE_CHECKING:
    from ..proof.log import Log

# Values beyond this are not searched: a variable needs finite bounds.
_HUGE = 1e300
# Room beyond the range of a function, against its size: an extreme value is enclosed by an interval that reaches beyond it.
_ROOM = 1e-6
# Boxes examined at least to narrow the boxes of the minimizers once the bracket is narrow.
_REFINEMENT, _SLICE = 1000, 20
# The bracket of a search for the value of a feasible point, and its share of the time that is left.
_ROUGH, _UPPER_SHARE = 1.0, 0.25
# The bracket counts as narrow enough up to the rounding of the comparison that ended the search.
_SLACK = 1.001


@nesting_in_words
def minimize(objective: Any, domain: Mapping[Any, tuple[Any, Any]], *, equal: Any = (), at_least: Any = (), tolerance: float = 1e-8,
             width: float = 1e-6, budget: Budget | float | None = None, progress: bool = False,
             log: str | PathLike[str] | None = None) -> Minimum:
    """Bracket the global minimum of `objective` over the points of a box that satisfy all constraints.

    Parameters
    ----------
    objective : formula
        The real function f.
    domain : mapping
        {symbol: (lo, hi), ...}, with lo < hi. An infinite end is replaced by a finite one beyond which every value is *proved* to be above
        the minimum; `notes` say so. A symbol with ``integer=True`` is one; one with a sign has its domain cut at 0, which `notes` say.
    equal : formula or list, optional
        Formulas h, meaning h = 0, or Eq(a, b).
    at_least : formula, relation or list, optional
        Formulas g, meaning g >= 0, or relations, joined by And, Or, Not in any way. Each strict inequality g > 0 is read as g >= 0, however
        it is written, so that a minimum exists; `notes` say so. (And(x > y, y >= x) is False already in SymPy.)
    tolerance : float, optional
        `tolerance`, a bracket width: that of the minimum, times its size where that is larger than 1.
    width : float, optional
        `width`, a parameter width: boxes are divided until they are no wider.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds. A spent budget raises nothing.
    progress : bool, optional
        Show a bar.
    log : path, optional
        A file for a log of the proof, which `collide.check` verifies by itself. It is found after the search, within the same budget, and
        `notes` say what it proves.

    Returns
    -------
    Minimum
        With `bracket` = (lo, hi), lo <= hi, which encloses the least value.

    Raises
    ------
    TypeError
        For anything but real formulas and conditions.
    ValueError
        For more than one objective, a symbol without a domain, a domain without lo < hi, or with an infinite end that no finite one can
        replace, a tolerance, width or budget that is not positive; with `log`, where no log can be written; and UnsupportedExpression, its
        subclass, for a formula that has no inclusion function.

    Notes
    -----
    `bracket` *encloses* the least value, if a feasible point exists (Hansen and Walster 2004, Chapter 13). Boxes of integers are split
    between two of them, and bounded by the minimum over real numbers (Land and Doig 1960). Points where a formula is
    undefined, or larger than 1e300, are not feasible.

    Examples
    --------
    >>> import sympy as sp
    >>> from collide import minimize
    >>> x = sp.Symbol("x", real=True)
    >>> m = minimize(x * (x - 1), {x: (0, 1)})
    >>> m.status, m.bracket.lo <= -0.25 <= m.bracket.hi
    (MinimumStatus.OPTIMAL, True)
    """
    if has_infinite_ends(domain):
        return _of_unbounded(objective, domain, equal, at_least, (tolerance, width), budget, progress, log)
    box = read_domain(domain)
    tolerance, width = check_positive("tolerance", tolerance), check_positive("width", width)
    function = read_objective(objective, box, "minimize")
    equations = [e for e in read_functions(equal, box, "equal") if e != 0]
    conditions = read_conditions(at_least, box)
    terms, strict = [] if box.integers.any() else alternatives(conditions), closed(conditions)
    clock = Clock(as_budget(budget), progress, READING)
    proof = None if log is None else _log(log, box, function, equations, terms)
    notes = (*([f"Strict inequalities were read as closed: {', '.join(strict)}."] if strict else []), *box.notes)
    if box.integers.any():
        found = _mixed(box, function, equations, conditions, (tolerance, width), clock)
        return replace(found, notes=(*notes, *found.notes))
    search, finished = None, False
    with clock.query():
        candidates = [_problem(function, [*equations, *term.equal], term.at_least, box) for term in terms]
        problems = [p for p in candidates if p is not None]
        search = Search(problems, Options(tolerance=width)) if problems else None
        finished = search is None or _search(search, len(box), tolerance, clock)
    if search is None:
        found = _infeasible(box, clock) if finished else _unsearched(box, clock)
    else:
        found = clock.read(functools.partial(_result, search, finished, box, tolerance, clock))
    if notes:
        found = replace(found, notes=(*notes, *found.notes))
    return logged(found, proof, clock)


def read_objective(objective: Any, box: Domain, query: str) -> Any:
    """The one formula whose extremum is asked for."""
    functions = read_functions(objective, box, "the objective")
    if len(functions) != 1:
        raise ValueError(f"{query} takes one objective, got {len(functions)}")
    if isinstance(objective, sp.Equality):
        raise TypeError(f"the objective must be a real formula, got {objective}; a condition to be met belongs to equal=")
    return functions[0]


def _log(path: str | PathLike[str], box: Domain, objective: Any, equations: Sequence[Any], terms: Sequence[Term]) -> "Log":
    check_real_variables(box)
    if len(terms) != 1:
        raise ValueError("no log can be written of conditions that are joined by Or")
    variables = [(s, lo, hi) for s, (lo, hi) in zip(box.symbols, box.ends, strict=True)]
    return minimum_log(path, variables, objective, [*equations, *terms[0].equal], terms[0].at_least)


def _of_unbounded(objective: Any, domain: Mapping[Any, Any], equal: Any, at_least: Any, widths: tuple[float, float],
                  budget: Budget | float | None, progress: bool, log: Any) -> Minimum:
    """A minimum over a domain with infinite ends: of a finite part, outside which f is above its value at a feasible point."""
    if log is not None:
        raise ValueError("no log can be written of a domain with infinite ends; give the finite ones that `notes` name without log=")
    box, clock = read_domain(filled_in(domain)), Clock(as_budget(budget), reading=READING)
    function = read_objective(objective, box, "minimize")
    conditions = [closed_relation(c) for c in read_conditions(at_least, box)]

    def value(part: dict[Any, Any]) -> float:
        rest = clock.rest
        spent = _UPPER_SHARE * rest.seconds if rest.seconds is not None else None
        found = minimize(function, part, equal=equal, at_least=at_least, tolerance=_ROUGH, budget=replace(rest, seconds=spent))
        clock.boxes += found.iterations
        return float(found.bracket.hi)

    upper = math.inf
    with clock.query():
        upper = some_value(domain, value)
    if upper < math.inf:
        conditions.append(sp.Le(function, sp.Rational(*upper.as_integer_ratio()), evaluate=False))
    elif clock.exceeded():
        return _unsearched(replace(box, outer=np.array([[float(e) for e in domain[s]] for s in box.symbols])), clock)
    ends, notes = finite_ends(domain, equal, conditions, "best point")
    found = minimize(function, ends, equal=equal, at_least=at_least, tolerance=widths[0], width=widths[1], budget=clock.rest,
                     progress=progress)
    return replace(found, notes=(*found.notes, *notes), iterations=found.iterations + clock.boxes, seconds=clock.seconds)


def _mixed(box: Domain, objective: Any, equal: Sequence[Any], conditions: Sequence[Any], widths: tuple[float, float],
           clock: Clock) -> Minimum:
    """A minimum of which some variables are integers."""
    tolerance, width = widths
    closed_conditions = [closed_relation(c) for c in conditions]
    found, cells = Least(), Cells(box, equal, closed_conditions)

    def question(function: Any, cell: IntegerCell, budget: Budget) -> Minimum:
        return minimize(function, cell.domain, equal=cell.formulas, at_least=cell.conditions, tolerance=tolerance, width=width,  # type: ignore[no-any-return]
                        budget=budget)

    with clock.query():
        least(cells, objective, question, found, tolerance, clock)
    return clock.read(functools.partial(_least_of, found, box, tolerance, clock))


def _least_of(found: Least, box: Domain, tolerance: float, clock: Clock) -> Minimum:
    left, n = found.remaining(), len(box)
    if not left and found.upper == math.inf:
        return _infeasible(box, clock) if found.done else _unsearched(box, clock)
    lower = found.lower
    ones, others = [b for b, alone in left if alone], [b for b, alone in left if not alone]
    boxes = [*ones, *merge(stack(others, n))]
    status = MinimumStatus.UNRESOLVED if found.done else MinimumStatus.BUDGET_SPENT
    if _narrow(lower, found.upper, tolerance):
        status = MinimumStatus.OPTIMAL
    point = None if found.feasible is None else found.feasible.mean(axis=1)
    return Minimum(status=status, bracket=Interval(lower, found.upper), boxes=stack(boxes, n), unique=np.arange(len(boxes)) < len(ones),
                   point=point, feasible=found.feasible, variables=box.names, iterations=clock.boxes, seconds=clock.seconds)


# -- the problem ------------------------------------------------------------------------------------------------------


def _problem(objective: Any, equal: Sequence[Any], at_least: Sequence[Any], box: Domain) -> Problem | None:
    """Variables x, w, s, u0, u, v in this order; None where the ranges alone exclude a feasible point."""
    pool = ExprPool()
    nodes = box.nodes(pool)
    n, k = len(box), len(at_least)
    f, *rest = convert([objective, *at_least, *equal], nodes, pool)
    g, h = rest[:k], rest[k:]
    ranges = _ranges([f, *g], box)
    if any(hi < 0 for _, hi in ranges[1:]):
        return None
    cut_off = ranges[0][0] == -_HUGE or any(hi == _HUGE for _, hi in ranges[1:])
    # A little room beyond the range lets the enclosure of an extreme value lie inside.
    ranges = [(lo - _ROOM * (1 + abs(lo)) if i == 0 else 0.0, hi + _ROOM * (1 + abs(hi))) for i, (lo, hi) in enumerate(ranges)]
    w, *s = (pool.variable(n + i) for i in range(1 + k))
    multipliers = [pool.variable(n + 1 + k + i) for i in range(1 + k + len(h))] if (k or h) and not cut_off else []
    extra = ranges + [(0.0, 1.0)] * (1 + k) + [(-1.0, 1.0)] * len(h) if multipliers else ranges
    names = ["minimum", *(f"slack {i}" for i in range(k)), *(f"multiplier {i}" for i in range(len(multipliers)))]
    equations = (f - w, *h, *(gi - si for gi, si in zip(g, s, strict=True)))
    necessary = () if cut_off else _fritz_john(f, g, h, s, multipliers, box, nodes)
    return Problem((*box.names, *names), np.concatenate([box.outer, extra]), np.concatenate([box.inner, extra]),
                   equations=equations, necessary=necessary, objective=n, searched=n, propagate=True)


def _ranges(functions: Sequence[Expr], box: Domain) -> list[tuple[float, float]]:
    """Bounds of the functions over the domain, finite."""
    lo, hi = Kernel(functions, box.names, quick=True).interval(box.outer[None, :, 0], box.outer[None, :, 1])
    return [(max(a, -_HUGE), min(b, _HUGE)) for a, b in zip(lo[0].tolist(), hi[0].tolist(), strict=True)]


def _fritz_john(f: Expr, g: Sequence[Expr], h: Sequence[Expr], s: Sequence[Expr], multipliers: Sequence[Expr], box: Domain,
                nodes: Mapping[Any, Expr]) -> tuple[Expr, ...]:
    """dL/dx times the distances to the ends of the domain; u s; and the norm of the multipliers: one row a variable x, u, and one."""
    pool = f.pool
    u0, u, v = (multipliers[0], multipliers[1:1 + len(g)], multipliers[1 + len(g):]) if multipliers else (pool.constant(1), [], [])
    x = [nodes[symbol] for symbol in box.symbols]
    gradients = partials([f, *g, *h], x)
    ends = convert([end for pair in box.ends for end in pair], {}, pool)
    rows = []
    for j in range(len(x)):
        slope = u0 * gradients[0][j]
        for factor, row in zip([*u, *v], gradients[1:], strict=True):
            slope = slope - factor * row[j]
        rows.append((x[j] - ends[2 * j]) * (ends[2 * j + 1] - x[j]) * slope)
    rows += [ui * si for ui, si in zip(u, s, strict=True)]
    if multipliers:
        norm = u0 - 1
        for ui in u:
            norm = norm + ui
        for vi in v:
            norm = norm + vi**2
        rows.append(norm)
    return tuple(_trusted(row, [f, *g, *h]) for row in rows)


def _trusted(row: Expr, functions: Sequence[Expr]) -> Expr:
    """The row where all functions are differentiable on the whole box, the whole line elsewhere."""
    for e in functions:
        row = row.pool.trusted(row, e, 3)
    return row


# -- running and reading ------------------------------------------------------------------------------------------------


def _search(s: Search, n: int, tolerance: float, clock: Clock) -> bool:
    """Run until the bracket is narrow, and as long again to narrow the boxes of minimizers; return whether the first part was finished."""
    s.gap = s.share = tolerance
    examined = _REFINEMENT

    def evaluate() -> None:
        """Ever more rarely, boxes are looked at by evaluation: where slopes are infinite, nothing else proves a feasible point."""
        nonlocal examined
        if s.iterations >= examined:
            examined *= 4
            lower_by_points(s, n)

    finished = drive(s, clock, evaluate)
    if finished and any(len(s.open(p)) for p in range(len(s.problems))):
        s.gap = 0.0
        drive(s, clock, steps=_SLICE, boxes=2 * s.iterations + _REFINEMENT)
    return finished


def _infeasible(box: Domain, clock: Clock) -> Minimum:
    n = len(box)
    return Minimum(status=MinimumStatus.INFEASIBLE, bracket=Interval(math.inf, math.inf), boxes=stack([], n), unique=np.zeros(0, bool),
                   point=None, feasible=None, variables=box.names, iterations=clock.boxes, seconds=clock.seconds)


def _unsearched(box: Domain, clock: Clock) -> Minimum:
    """Interrupted before the search began: all that is known is the domain."""
    return Minimum(status=MinimumStatus.BUDGET_SPENT, bracket=Interval(-math.inf, math.inf), boxes=box.outer[None],
                   unique=np.zeros(1, bool), point=None, feasible=None, variables=box.names, iterations=0, seconds=clock.seconds)


def _result(s: Search, finished: bool, box: Domain, tolerance: float, clock: Clock) -> Minimum:
    n = len(box)
    lower, upper, ones, others = _bracketed(s, n)
    if finished and not len(ones) and not len(others) and upper == math.inf:
        return _infeasible(box, clock)
    if not _narrow(lower, upper, tolerance):
        lower_by_points(s, n)
        lower, upper, ones, others = _bracketed(s, n)
    status = MinimumStatus.UNRESOLVED if finished else MinimumStatus.BUDGET_SPENT
    if _narrow(lower, upper, tolerance):
        status = MinimumStatus.OPTIMAL
    boxes = [*ones[:, :n], *merge(others[:, :n])]
    feasible = s.arrays["best"][:n].copy() if upper < math.inf else None
    return Minimum(status=status, bracket=Interval(lower, upper), boxes=stack(boxes, n), unique=np.arange(len(boxes)) < len(ones),
                   point=None if feasible is None else feasible.mean(axis=1), feasible=feasible, variables=box.names,
                   iterations=clock.boxes, seconds=clock.seconds)


def _bracketed(s: Search, n: int) -> tuple[float, float, np.ndarray, np.ndarray]:
    """The bracket, and the `_candidates`."""
    upper = s.proved
    ones, others = _candidates(s, upper, n)
    lower = min(float(boxes[:, n, 0].min(initial=math.inf)) for boxes in (ones, others))
    return -math.inf if lower <= -_HUGE else lower, upper, ones, others


def _narrow(lower: float, upper: float, tolerance: float) -> bool:
    return upper < math.inf and upper - lower <= _SLACK * tolerance * max(1.0, abs(upper))


def _candidates(s: Search, upper: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The boxes (k, n + 1, 2), of x and w, that may hold a minimizer: isolated zeros of the necessary conditions, and all others left."""
    ones, others = [], []
    for p in range(len(s.problems)):
        alone = s.numbers(p, UNIQUE, ALONE)
        ones.append(s.boxes(p, alone)[:, :n + 1])
        left = np.concatenate([s.boxes(p, np.setdiff1d(s.numbers(p), alone)), s.open(p)])
        others.append(left[~settled(s, p, left, UNIQUE, ALONE), :n + 1])
    some, rest = np.concatenate(ones), np.concatenate(others)
    return some[some[:, n, 0] <= upper], rest[rest[:, n, 0] <= upper]
