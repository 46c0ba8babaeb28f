"""`maximize`: the global maximum of a function under constraints, as minus the minimum of minus the function."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from os import PathLike
from typing import Any, ClassVar

from codegen.interval import Interval
from codegen.walk import nesting_in_words

from ..search.budget import Budget
from .formulas import read_domain
from .minimize import minimize, read_objective
from .minimum import Minimum
from .unbounded import filled_in, has_infinite_ends


class MaximumStatus(Enum):
    """The outcome of `maximize`; each value is its sentence."""

    OPTIMAL = "The global maximum is proved to lie in the bracket, which is as narrow as asked for."
    INFEASIBLE = "No point of the domain satisfies the constraints: proved."
    UNRESOLVED = "The search ended with a bracket wider than asked for, or without a proof that a feasible point exists."
    BUDGET_SPENT = "The budget was spent before the bracket was as narrow as asked for."

    def __repr__(self) -> str:
        return f"MaximumStatus.{self.name}"


@dataclass(frozen=True, eq=False, repr=False)
class Maximum(Minimum):
    """The global maximum of a function over the feasible points of a box.

    `bracket` provably holds the maximum if there is a feasible point at all; its lower end is finite where one is proved, and then f is no
    smaller there. All else is as in `Minimum`, with maximizers in the place of minimizers.
    """

    status: MaximumStatus  # type: ignore[assignment]
    _words: ClassVar[tuple[str, str]] = "maximum", "maximizers"


@nesting_in_words
def maximize(objective: Any, domain: Mapping[Any, tuple[Any, Any]], *, equal: Any = (), at_least: Any = (), tolerance: float = 1e-8,
             width: float = 1e-6, budget: Budget | float | None = None, progress: bool = False,
             log: str | PathLike[str] | None = None) -> Maximum:
    """Bracket the global maximum of `objective` over the points of a box that satisfy all constraints.

    Parameters
    ----------
    objective, domain, equal, at_least, tolerance, width, budget, progress
        As in `minimize`.
    log : path, optional
        As in `minimize`. The log is about the minimum of -f: its bounds are those of the maximum with the other sign.

    Returns
    -------
    Maximum
        With `bracket` = (lo, hi), lo <= hi, which encloses the greatest value.

    Raises
    ------
    TypeError, ValueError
        As `minimize`.

    Notes
    -----
    max f = -min(-f): the search is that of `minimize` (Hansen and Walster 2004, Chapter 13), and so is what it guarantees. Points where a
    formula is undefined, or larger than 1e300, are not feasible.

    Examples
    --------
    >>> import sympy as sp
    >>> x = sp.Symbol("x", real=True)
    >>> m = maximize(x * (1 - x), {x: (0, 1)})
    >>> m.status, m.bracket.lo <= 0.25 <= m.bracket.hi
    (MaximumStatus.OPTIMAL, True)
    """
    finite = filled_in(domain) if has_infinite_ends(domain) else domain
    function = read_objective(objective, read_domain(finite), "maximize")
    found = minimize(-function, domain, equal=equal, at_least=at_least, tolerance=tolerance, width=width, budget=budget, progress=progress,
                     log=log)
    own = {f.name: getattr(found, f.name) for f in fields(found)}
    about = () if log is None else ("The log is about the minimum of minus the objective: bounds of the maximum have the other sign.",)
    bracket = Interval(0.0 - found.bracket.hi, 0.0 - found.bracket.lo)
    return Maximum(**own | {"status": MaximumStatus[found.status.name], "bracket": bracket, "notes": (*found.notes, *about)})
