"""`solve`: all zeros of a system of equations in a box, each proved or listed as undecided."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from codegen.contractor import contract
from codegen.from_sympy import convert
from codegen.given import shown
from codegen.graph.expr import ExprPool
from codegen.sympy_rules import UnsupportedExpression
from codegen.walk import nesting_in_words

from ..answers.contacts import effort
from ..answers.table import ROWS, card, counted, interval
from ..given import check_positive
from ..proof import logged, zeros_log
from ..search.budget import Budget, as_budget
from ..search.clock import READING, Clock
from ..search.drive import drive
from ..search.native.layout import UNIQUE
from ..search.options import Options
from ..search.prepare import METHODS
from ..search.problem import Problem
from ..search.search import Search
from .alternatives import alternatives
from .formulas import Domain, check_real_variables, convert_condition, merge, read_conditions, read_domain, read_functions, settled, stack
from .integers import Cells, IntegerCell, Located, locate
from .unbounded import finite_ends
from .undecided import Reason, by_signs, full_of_zeros, reasons, told

if TYPE_CHECKING:
    from ..proof.log import Log


class ZerosStatus(Enum):
    """The outcome of `solve`; each value is its sentence."""

    COMPLETE = "All zeros in the domain are listed, and each is proved to exist and to be the only one in its region."
    UNRESOLVED = "All zeros in the domain lie in the listed boxes, but not every box is proved to hold one."
    NO_SOLUTION = "No zero: proved for the whole domain."
    BUDGET_SPENT = "The budget was spent before the whole domain was searched; zeros not proved yet lie in the undecided boxes."

    def __repr__(self) -> str:
        return f"ZerosStatus.{self.name}"


@dataclass(frozen=True, eq=False)
class Zeros:
    """The zeros of a system in a box, k of them, in n variables. `proved` means `unique` here.

    `boxes` (k, n, 2) enclose them. `proved` (k,): exactly one zero lies in this box, and it is the only one in
    `regions` (k, n, 2). A box that is not proved may hold no zero, one or several; such a box may be wider than the
    tolerance, where neighbouring undecided boxes were merged. Every zero in the domain lies in one of the boxes, also
    when the budget was spent: then boxes that were not searched are among them. `reasons`, of a search that has ended: why the boxes are
    undecided, one a box that is not proved, in their order; they prove nothing.
    """

    status: ZerosStatus
    boxes: np.ndarray
    proved: np.ndarray
    regions: np.ndarray
    variables: tuple[str, ...]
    iterations: int
    seconds: float
    notes: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def unique(self) -> np.ndarray:
        """(k,) bool: *proved* to hold exactly one zero (`proved`)."""
        return self.proved

    @property
    def exists(self) -> np.ndarray:
        """(k,) bool: *proved* to hold a zero; of a box that is not `unique` that is not known."""
        return self.proved

    def __len__(self) -> int:
        return len(self.boxes)

    def __repr__(self) -> str:
        return f"Zeros({self.status.name}, {len(self)} boxes, {int(self.proved.sum())} proved)"

    @property
    def points(self) -> np.ndarray:
        """The middles of the boxes, (k, n): approximate zeros."""
        return 0.5 * (self.boxes[:, :, 0] + self.boxes[:, :, 1])

    def _repr_html_(self) -> str:
        """The summary, and the enclosures of the zeros."""
        rows = [[*map(interval, self.boxes[k]), "unique (proved)" if self.proved[k] else "undecided"] for k in range(min(len(self), ROWS))]
        return card(self.summary(), [*self.variables, "known"], rows, len(self), "box")

    def summary(self) -> str:
        """One paragraph: what was proved, and what was not."""
        proved, rest = int(self.proved.sum()), int((~self.proved).sum())
        found = [f"{counted(proved, 'zero')} proved"] if proved else []
        found += [f"{rest} undecided {'box' if rest == 1 else 'boxes'}"] if rest else []
        listed = f" Listed: {' and '.join(found)}." if found else ""
        return " ".join([f"{self.status.value}{listed}", *self.notes, effort(self.iterations, self.seconds)])


@nesting_in_words
def solve(equations: Any, domain: Mapping[Any, tuple[Any, Any]], *, at_least: Any = (), implied: Any = (), tolerance: float = 1e-9,
          method: str = "auto", budget: Budget | float | None = None, progress: bool = False,
          log: str | PathLike[str] | None = None) -> Zeros:
    """Find all zeros of a system of equations in a box, each proved where that is possible.

    Parameters
    ----------
    equations : formula, relation or list
        Formulas f, meaning f = 0, or Eq(a, b).
    domain : mapping
        {symbol: (lo, hi), ...}, with lo < hi. An infinite end is replaced by a finite one beyond which it is *proved* that no zero lies;
        `notes` say so. A symbol with ``integer=True`` is one; one with a sign has its domain cut at 0, which `notes` say.
    at_least : formula, relation or list, optional
        Formulas g, meaning g >= 0, or relations, joined by And, Or, Not in any way. All must hold, strict ones strictly.
    implied : formula or list, optional
        Formulas that you assert to vanish at every zero of the equations. They help the search.
    tolerance : float, optional
        `tolerance`, a parameter width: boxes are divided until they are no wider, and only then left undecided.
    method : str, optional
        "auto"; or "newton", "krawczyk", "subdivision" for comparison.
    budget, progress, log : optional
        As in `minimize`.

    Returns
    -------
    Zeros
        With `boxes` (k, n, 2) and `unique` (k,), in the order of `variables`. Every zero of the domain lies in one of the boxes.

    Raises
    ------
    TypeError
        For anything but real formulas and conditions.
    ValueError
        For a symbol without a domain, a domain without lo < hi, or with an infinite end that no finite one can replace, fewer equations
        than variables, a tolerance or budget that is not positive, an unknown method; with `log`, where no log can be written; and
        UnsupportedExpression, its subclass, for a formula that has no inclusion function.

    Notes
    -----
    `boxes` *enclose* all zeros. A zero of as many equations as variables is *proved* where an interval Newton operator maps a box round it
    into its interior (Snyder 1993, Section 5). Multiple zeros and zeros on the border of the domain are only located. Zeros of more
    equations than variables are located, never proved, since an arbitrarily small change may destroy them. If some of the equations are
    known to follow from the others, pass those as `implied`: the rest is proved.

    A box on all of which each equation is exactly 0, as floor(x) - 1 on [1, 3/2], is not divided: it is listed, and `reasons` say FILLED.
    So a search in one variable ends at sets of zeros with an interior; in more variables their borders take very many boxes.

    Integers are split between, never differentiated by; each value is put into the formulas, exactly. There must be as many equations as
    real variables at least. What is left undecided for a value of the integers is listed with that value.

    Examples
    --------
    >>> import sympy as sp
    >>> from collide import solve
    >>> x, y = sp.symbols("x y", real=True)
    >>> zeros = solve([x**2 + y**2 - 1, x - y], {x: (-2, 2), y: (-2, 2)})
    >>> zeros.status, zeros.unique.tolist(), zeros.boxes.mean(axis=2).round(6).tolist()
    (ZerosStatus.COMPLETE, [True, True], [[-0.707107, -0.707107], [0.707107, 0.707107]])
    """
    domain, proved_ends = finite_ends(domain, equations, at_least)
    if proved_ends and log is not None:
        raise ValueError("no log can be written of a domain with infinite ends; give the finite ones that `notes` name without log=")
    box = read_domain(domain)
    box = replace(box, notes=(*box.notes, *proved_ends))
    tolerance = check_positive("tolerance", tolerance)
    if method not in [*METHODS]:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {shown(method)}")
    functions = [e for e in read_functions(equations, box, "equations") if e != 0]
    others = read_functions(implied, box, "implied")
    _check_count(functions, others, box)
    conditions, clock = read_conditions(at_least, box), Clock(as_budget(budget), progress, READING)
    proof = None if log is None else _log(log, box, functions, conditions)
    if box.integers.any():
        return _mixed(box, functions, conditions, {"implied": others, "tolerance": tolerance, "method": method}, clock)
    search, finished = None, False
    with clock.query():
        search = Search([_problem(functions, others, conditions, box, method)], Options(method=method, tolerance=tolerance))
        finished = drive(search, clock)
    if search is None:
        return _unsearched(box, clock)
    found = clock.read(functools.partial(_result, search, search.problems[0], (functions, box.symbols), finished, box.notes, clock))
    return logged(found, proof, clock)


def _log(path: str | PathLike[str], box: Domain, functions: Sequence[Any], conditions: Sequence[Any]) -> "Log":
    check_real_variables(box)
    if len(terms := alternatives(conditions)) != 1:
        raise ValueError("no log can be written of conditions that are joined by Or")
    variables = [(s, lo, hi) for s, (lo, hi) in zip(box.symbols, box.ends, strict=True)]
    return zeros_log(path, variables, [*functions, *terms[0].equal], terms[0].at_least)


def _check_count(functions: Sequence[Any], others: Sequence[Any], box: Domain) -> None:
    f, n = len(functions), int((~box.integers).sum())
    if f < n:
        raise ValueError(f"{counted(f, 'equation')} in {counted(n, 'variable')} have curves or surfaces of zeros, not points; "
                         f"collide.pave covers those with boxes; for points add {n - f} more or substitute values for {n - f} variables")
    if others and f != n:
        raise ValueError(f"implied equations need exactly {n} independent ones beside them, as many as variables, got {f}")


def _problem(functions: Sequence[Any], others: Sequence[Any], conditions: Sequence[Any], box: Domain, method: str) -> Problem:
    pool = ExprPool()
    nodes = box.nodes(pool)
    return Problem(box.names, box.outer, box.inner, equations=tuple(convert(functions, nodes, pool)),
                   necessary=tuple(convert(others, nodes, pool)), feasible=convert_condition(conditions, nodes, pool, box),
                   propagate=method == "auto")


def _mixed(box: Domain, functions: Sequence[Any], conditions: Sequence[Any], options: Mapping[str, Any], clock: Clock) -> Zeros:
    """Zeros of which some variables are integers."""
    found, cells = Located(), Cells(box, functions, conditions)
    others = options["implied"]

    def question(cell: IntegerCell, budget: Budget) -> Zeros:
        rest = [e for e in (cells.put(other, cell.box) for other in others) if e.free_symbols]
        return solve(cell.formulas, cell.domain, at_least=cell.conditions, budget=budget, **{**options, "implied": rest})  # type: ignore[no-any-return]

    with clock.query():
        locate(cells, question, found, clock)
    boxes, n = [*found.boxes, *(b for part in found.left for b in part)], len(box)
    proved = np.array([*found.proved, *[False] * (len(boxes) - len(found.proved))], bool)
    regions = [*found.regions, *boxes[len(found.regions):]]
    status = ZerosStatus.BUDGET_SPENT if found.left or found.open else ZerosStatus.NO_SOLUTION if not boxes else \
        ZerosStatus.COMPLETE if proved.all() else ZerosStatus.UNRESOLVED
    return Zeros(status=status, boxes=stack(boxes, n), proved=proved, regions=stack(regions, n), variables=box.names,
                 iterations=clock.boxes, seconds=clock.seconds, notes=box.notes)


def _unsearched(box: Domain, clock: Clock) -> Zeros:
    """Interrupted before the search began: all that is known is the domain."""
    whole = box.outer[None]
    return Zeros(status=ZerosStatus.BUDGET_SPENT, boxes=whole, proved=np.zeros(1, bool), regions=whole, variables=box.names,
                 iterations=0, seconds=clock.seconds, notes=box.notes)


def _result(s: Search, problem: Problem, system: tuple[Sequence[Any], Sequence[Any]], finished: bool, notes: tuple[str, ...],
            clock: Clock) -> Zeros:
    n = len(problem.variables)
    proved = s.numbers(0, UNIQUE)
    left = np.concatenate([s.boxes(0, np.setdiff1d(s.numbers(0), proved)), s.open(0)])
    left = left[~settled(s, 0, left, UNIQUE)]
    left = left[_possible(problem, left)]
    filled = full_of_zeros(problem, left)
    located = stack(merge(_contracted(system, left) if finished and len(left) else left), n)
    signs, located = by_signs(problem, located)
    rest = located[~signs]
    known = [*s.boxes(0, proved), *located[signs]]
    boxes = [*known, *rest]
    regions = [*(s.arrays["region"][k, :n] for k in proved), *located[signs], *rest]
    why = tuple(reasons(problem, rest, filled)) if finished else ()
    if not finished:
        status = ZerosStatus.BUDGET_SPENT
    elif not boxes:
        status = ZerosStatus.NO_SOLUTION
    else:
        status = ZerosStatus.UNRESOLVED if len(rest) else ZerosStatus.COMPLETE
    return Zeros(status=status, boxes=stack(boxes, n), proved=np.arange(len(boxes)) < len(known), regions=stack(regions, n),
                 variables=problem.variables, iterations=clock.boxes, seconds=clock.seconds, notes=(*notes, *told(why, finished, filled)),
                 reasons=why)


def _contracted(system: tuple[Sequence[Any], Sequence[Any]], boxes: np.ndarray) -> np.ndarray:
    """The boxes, of those given (k, n, 2), that may hold a zero by the inverses of all functions: so poles are told from zeros."""
    functions, symbols = system
    try:
        lo, _ = contract([sp.Eq(f, 0, evaluate=False) for f in functions], symbols)(boxes[:, :, 0], boxes[:, :, 1])
    except UnsupportedExpression:
        return boxes
    return boxes[~np.isnan(lo).any(axis=1)]


def _possible(problem: Problem, boxes: np.ndarray) -> np.ndarray:
    """Whether boxes (k, n, 2) may hold a zero in the domain that satisfies the conditions: (k,)."""
    lo, hi = np.maximum(boxes[:, :, 0], problem.outer[:, 0]), np.minimum(boxes[:, :, 1], problem.outer[:, 1])
    possible = (lo <= hi).all(axis=1)
    lower, upper = problem.range_kernel.interval(lo[possible], hi[possible])
    possible[possible] = (lower[:, :-1] <= 0).all(axis=1) & (upper >= 0).all(axis=1) & (upper[:, -1] > 0)
    return np.asarray(possible)
