"""Logs of proofs, and the program that checks them.

`checker` stands for itself: it imports nothing of the project. The rest writes logs, after a search that has found the answer:
`statement` and `text` write what was asked, `trees` finds steps that exclude boxes, in native code (`native`) over the formulas as a
`tape`, which `log` asks for of halves of meshes (`triangles`) down to single triangles, `existence` boxes with solutions, and the logs of
each query are put together by a module of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..bodies.mesh import Mesh
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from .text import reason

if TYPE_CHECKING:
    from .checker.check import Checked
    from .log import Log
    from .row_logs import RowLogs


def check(path: str | PathLike[str], *, executor: Any = None, budget: Budget | float | None = None) -> "Checked":
    """Verify that the log in a file is a proof.

    Parameters
    ----------
    path : path
        The file, as the `log` of a query wrote it.
    executor : optional
        Verifies blocks of steps: any object with `submit` or `map`, such as a `ProcessPoolExecutor`.
    budget : float or Budget, optional
        Seconds or a `Budget`, of which the seconds count; None is 60 seconds.

    Returns
    -------
    Checked
        Its `status` is ACCEPTED, with the `theorem` that it proves in words; or REJECTED, with the `reason` and the `line` of the first
        step that does not follow; or BUDGET_SPENT.

    Raises
    ------
    OSError
        For a file that cannot be read.
    ValueError
        For a budget that is not positive.
    ImportError
        Without python-flint (``pip install generative-collision[proof]``).

    Notes
    -----
    ACCEPTED *proves* the theorem: every step is computed again from the formulas in the log, in Arb, by a program that shares nothing with
    the search.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import sympy as sp
    >>> from collide import check, solve
    >>> x = sp.Symbol("x", real=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = pathlib.Path(folder, "root.proof")
    ...     zeros = solve([x**2 - 2], {x: (0, 2)}, log=log)
    ...     check(log).status.name
    'ACCEPTED'
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


def logged(found: Any, proof: "Log | RowLogs | None", clock: Clock) -> Any:
    """An answer whose log is written, if there is one: it tells what the log proves, and its seconds are those of both. Where no log can be
    written, or Ctrl-C is pressed, its notes say so.
    """
    if proof is None:
        return found
    try:
        note = proof.write(found, lambda: not clock.over)
    except (Exception, KeyboardInterrupt) as error:
        note = f"No log was written: {reason(error)}."
    notes = (*found.notes, note)
    return replace(found, notes=notes, seconds=clock.seconds) if hasattr(found, "seconds") else replace(found, notes=notes)


def contact_log(path: str | PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                tracked: Sequence[Any] = (), ranges: Any = None) -> "Log":
    """The writer of the log of `first_contact`. Raises ValueError for what no log can be written of."""
    require_arb()
    from .contact_log import ContactLog
    from .text import NoLog

    if tracked:
        raise NoLog("no log can be written with tracked contacts, which are no part of what it proves")
    return ContactLog(path, bodies, time, span, ranges)


def mesh_log(path: str | PathLike[str], meshes: Sequence[Mesh], motions: Sequence[Any], time: Sequence[Any],
             span: tuple[float, float]) -> "Log":
    """The writer of the log of `mesh_mesh`."""
    require_arb()
    from .contact_log import MeshLog

    return MeshLog(path, [mesh.moved(motion) for mesh, motion in zip(meshes, motions, strict=True)], time, span)


def self_log(path: str | PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
             closing: Sequence[Any] | None) -> "Log":
    """The writer of the log of `self_contact`; `closing`: joins of a single surface with itself, where its formulas repeat. ValueError for
    None: surfaces that are joined otherwise, or have poles.
    """
    require_arb()
    from .self_log import SelfLog
    from .text import NoLog

    if closing is None:
        raise NoLog("no log can be written of surfaces with poles, or that are joined, but for one that closes on itself by its formulas")
    return SelfLog(path, bodies, time, span, closing)


def row_logs(folder: str | PathLike[str], rows: int, bodies: Any, time: Sequence[Any], span: tuple[float, float],
             ignored: Any = ()) -> "RowLogs":
    """The writer of the logs of a batch; `bodies`: a function that gives those of a row."""
    require_arb()
    from .row_logs import RowLogs

    return RowLogs(folder, rows, bodies, time, span, ignored)


def distance_log(path: str | PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                 ignored: Sequence[tuple[int, int]], ranges: Any) -> "Log":
    """The writer of the log of `distance` and `clearance`."""
    require_arb()
    from .distance_log import DistanceLog

    return DistanceLog(path, bodies, time, span, ignored, ranges)


def zeros_log(path: str | PathLike[str], variables: Sequence[tuple[Any, Any, Any]], equations: Sequence[Any],
              at_least: Sequence[Any]) -> "Log":
    """The writer of the log of `solve`."""
    require_arb()
    from .formula_logs import ZerosLog

    return ZerosLog(path, variables, equations, at_least)


def minimum_log(path: str | PathLike[str], variables: Sequence[tuple[Any, Any, Any]], objective: Any, equations: Sequence[Any],
                at_least: Sequence[Any]) -> "Log":
    """The writer of the log of `minimize`."""
    require_arb()
    from .formula_logs import MinimumLog

    return MinimumLog(path, variables, objective, equations, at_least)
