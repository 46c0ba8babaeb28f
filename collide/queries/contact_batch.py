"""`contact_batch`: the earliest contact of bodies, for many values of the numbers in their formulas, with one compiled kernel for all.

The formulas contain `generative.Parameter` symbols, and each row of values makes one scene (`rows`). Nothing is converted or compiled again
from row to row, nor for another batch of the same family (`generative.family`). A row is gone through like a single call, stage by stage
(`timeline`); but of two patches a row is first searched as one problem, and only what takes long or ends in doubt is gone through so.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any

import numpy as np

from codegen.walk import nesting_in_words

from ..answers.batch import BodyBatch
from ..bodies.thickened import Shift
from ..given import check_span, check_tolerance
from ..proof import logged, row_logs
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from .arguments import ignored_pairs
from .contact_rows import RowAnswers, row_bodies
from .gaps import without_gaps
from .rows import RowFamilies, check_rows, checked, shared
from .thick_contact import have_gaps
from .undecided_rows import with_undecided


@nesting_in_words
def contact_batch(bodies: Sequence[Any], time: tuple[Any, Any], *, parameters: Mapping[Any, Any], tolerance: float = 1e-6,
                  ignore: Iterable[Any] = (), executor: Any = None, budget: Budget | float | None = None,
                  progress: bool = False, log: str | PathLike[str] | None = None) -> BodyBatch:
    """Find when moving surfaces first meet, for n values of the parameters in their formulas.

    Parameters
    ----------
    bodies : sequence
        Two or more, of all kinds that `first_contact` takes, with `generative.Parameter` symbols in their formulas, motions, domains or
        bounds.
    time, ignore
        As in `first_contact`.
    parameters : mapping
        {symbol: array (n,)}: n numbers for each of these symbols, doubles that count as exact. Row k of the answer is for the k-th of each.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the time.
    executor : optional
        Shares the rows, as a `concurrent.futures.ProcessPoolExecutor`, or any object that has `submit` or `map` like it. The answers are
        the same bits.
    budget : float or Budget, optional
        Seconds or a `Budget`, for all rows; None is 60 seconds. With an executor its boxes and bytes are those of each chunk of rows.
    progress : bool, optional
        Show a bar.
    log : path, optional
        A folder, in which each decided row gets a log of its proof, `row-0.proof` and so on, as `first_contact` writes it. Logs are found
        after the search, by this process.

    Returns
    -------
    Batch
        With `status`, `hit` and `proved` (n,), and `time` (n, 2). Approximately, `pairs` (n, 2) are the bodies that meet, on their `faces`
        (n, 2), at `points` (n, 3), and `parameters` (n, 4) are u1, v1, u2, v2 there. An implicit body has none: its face is -1, and its u
        and v are NaN. A face of a mesh is a triangle.

    Raises
    ------
    TypeError
        For bodies that are not in a list.
    ValueError
        For fewer than two bodies; for a symbol without values, values without a symbol, arrays of different lengths or with numbers that
        are not finite; for a tolerance outside 1e-12 to 1; for a time span that does not go forward; for ignored pairs of bodies that do
        not exist; for a body without parameters that `first_contact` refuses; where no log can be written; for a row in which a domain is
        empty or a body has no position, as with a rotation axis of length zero.

    Notes
    -----
    The answer of a row is the least t of the span at which the closed surfaces of two bodies meet, borders included: that of
    `first_contact` for bodies that start apart. Surfaces that meet at time[0] do so at this very time. That one body may enclose another is
    not looked at.

    - No hit: *proved* free of contact.
    - CONTACT: `time` *encloses* the earliest contact, and one is *proved* to exist within it. `notes` say so where rounding leaves the
      bracket wider than the tolerance. The bracket of a contact just at the end of the span may end a little later.
    - UNRESOLVED: no contact before time[0], and one is neither proved nor excluded near `points`. For a graze `time` is as wide as rounding
      leaves it open: about 1e-8, or more where bodies part slowly.
    - BUDGET_SPENT: no contact before time[0], and one by time[1] where `proved`. These are rows that the budget does not reach, rows open
      at Ctrl-C, and rows whose worker died (`notes`).

    Solids with gaps (`Solid.gap`) are *proved* clear as thickened by them, and contact is *proved* of their faces; `time` encloses both.

    Rotation matrices with parameters are looked at in each row as `generative.Rigid` looks at those without: as they are, or at three times
    where they depend on t, and refused if they stretch.

    Examples
    --------
    >>> import numpy as np
    >>> from collide import contact_batch
    >>> from generative import Parameter, ParametricSurface, Rigid, t, u, v
    >>> speed = Parameter("speed")
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, 1 - speed * t]))
    >>> contact_batch([plate, bowl], (0, 2), parameters={speed: np.array([0.25, 1.0, 2.0])})
    Batch(3 problems, 2 with a proved contact, 0 not decided)
    """
    span, tolerance, clock = check_span(time), check_tolerance(tolerance, 1e-12), Clock(as_budget(budget), progress)
    values = checked(bodies, parameters)
    ignored = ignored_pairs(ignore, bodies)
    count = len(next(iter(values.values())))
    proof = None if log is None else row_logs(log, count, partial(row_bodies, bodies, values), tuple(time), span, ignored)
    if executor is not None and count:
        with clock.working():
            check_rows(bodies, time, span, values, ignored)
        together = shared(contact_batch, bodies, time, values, executor, clock, tolerance=tolerance, ignore=ignore)
        return logged(with_undecided(together, clock), proof, clock)
    answer = RowAnswers(count, span, tolerance)
    with clock.query():
        answer.solve_all(RowFamilies(bodies, time, span, values, ignored, Shift.CUBE), clock)
        left = answer.doubtful if have_gaps(bodies) else np.empty(0, np.int64)
        if len(left) and not clock.exceeded():
            drawn = RowAnswers(len(left), span, tolerance)
            drawn.solve_all(RowFamilies(without_gaps(bodies), time, span, {s: array[left] for s, array in values.items()}, ignored), clock)
            answer.meet(left, drawn)
    return logged(with_undecided(answer.batch(), clock), proof, clock)


