"""Logs of proofs, and the program that checks them.

`checker` stands for itself: it imports nothing of the project. The rest writes logs, after a search that has found the answer:
`statement` and `text` write what was asked, `trees` finds steps that exclude boxes, in native code (`native`) over the formulas as a
`tape`, `existence` boxes with solutions, and the logs of each query are put together by a module of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..search.drive import Budget, Clock, as_budget

if TYPE_CHECKING:
    from .checker.check import Checked
    from .log import Log


def check(path: str | PathLike[str], *, executor: Any = None, budget: Budget | float | None = None) -> "Checked":
    """Is the log in the file `path` a proof? Its `status` is ACCEPTED, with the `theorem` that it proves in words, or REJECTED, with the
    `reason` and the `line` of the first step that does not follow, or BUDGET_SPENT.

    Every step is computed again from the formulas in the log, in Arb, by a program that shares nothing with the search. `executor`:
    anything with `submit` or `map`, such as a `ProcessPoolExecutor`, which then verifies blocks of steps. `budget`: seconds or a
    `Budget`, of which the seconds count.

    Raises OSError for a file that cannot be read, ValueError for a budget that is not positive, and ImportError without python-flint
    (``pip install generative-collision[proof]``).
    """
    require_arb()
    from .checker.check import check as checked

    seconds = as_budget(budget).seconds
    return checked(path, executor=executor, seconds=math.inf if seconds is None else seconds)


def require_arb() -> None:
    try:
        import flint  # noqa: F401
    except ImportError:
        raise ImportError("logs of proofs need python-flint: pip install generative-collision[proof]") from None


def logged(found: Any, proof: "Log | None", clock: Clock) -> Any:
    """An answer whose log is written, if there is one: it tells what the log proves, and its seconds are those of both."""
    if proof is None:
        return found
    told = proof.write(found, lambda: not clock.over)
    return replace(found, notes=(*found.notes, told), seconds=clock.seconds)


def contact_log(path: str | PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                tracked: Sequence[Any]) -> "Log":
    """What writes the log of `first_contact`. Raises ValueError for what no log can be written of."""
    require_arb()
    from .contact_log import ContactLog
    from .text import NoLog

    if tracked:
        raise NoLog("no log can be written with tracked contacts, which are no part of what it proves")
    return ContactLog(path, bodies, time, span)


def distance_log(path: str | PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                 ignored: Sequence[tuple[int, int]]) -> "Log":
    """What writes the log of `distance` and `clearance`."""
    require_arb()
    from .distance_log import DistanceLog

    return DistanceLog(path, bodies, time, span, ignored)


def zeros_log(path: str | PathLike[str], variables: Sequence[tuple[Any, Any, Any]], equations: Sequence[Any],
              at_least: Sequence[Any]) -> "Log":
    """What writes the log of `solve`."""
    require_arb()
    from .formula_logs import ZerosLog

    return ZerosLog(path, variables, equations, at_least)


def minimum_log(path: str | PathLike[str], variables: Sequence[tuple[Any, Any, Any]], objective: Any, equations: Sequence[Any],
                at_least: Sequence[Any]) -> "Log":
    """What writes the log of `minimize`."""
    require_arb()
    from .formula_logs import MinimumLog

    return MinimumLog(path, variables, objective, equations, at_least)
