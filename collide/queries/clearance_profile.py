"""`clearance_profile`: how near moving bodies come in each part of a time span."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codegen.walk import nesting_in_words

from ..answers.clearance_profile import ClearanceProfile
from ..given import check_positive, check_span
from ..search.budget import Budget
from .distance import clearance
from .time_parts import TimeParts


@nesting_in_words
def clearance_profile(bodies: Sequence[Any], time: tuple[Any, Any], parts: int = 40, *, tolerance: float = 0.02, ignore: Iterable[Any] = (),
                      parameters: Mapping[Any, Any] | None = None, budget: Budget | float | None = None) -> ClearanceProfile:
    """Bracket the least distance of moving bodies in each of equal parts of a time span.

    Parameters
    ----------
    bodies, time, ignore, parameters
        As in `clearance`.
    parts : int, optional
        The number of parts.
    tolerance : float, optional
        `tolerance`, a bracket width: that of each distance, against its size.
    budget : float or Budget, optional
        Seconds or a `Budget`, for all parts; None is 60 seconds.

    Returns
    -------
    ClearanceProfile
        With `ends` (parts + 1,), `bracket` (parts, 2), `pairs`, `times`, and `chart()`.

    Raises
    ------
    TypeError, ValueError
        As `clearance`. ValueError also for a number of parts that is not a positive whole number.

    Notes
    -----
    The lower end of each bracket is *proved* to be kept throughout its part, ends included; the upper end is attained in it.

    Examples
    --------
    >>> from collide import clearance_profile
    >>> from generative import ParametricSurface, Rigid, t, u, v
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, 2 - t]))
    >>> clearance_profile([plate, bowl], (0, 1), 4).bracket.round(1).tolist()
    [[1.7, 1.8], [1.5, 1.5], [1.2, 1.3], [1.0, 1.0]]
    """
    check_span(time)
    check_positive("tolerance", tolerance)
    asked = TimeParts(clearance, bodies, time, tuple(ignore), parameters)
    return ClearanceProfile(asked(parts, tolerance, budget), tuple(bodies))
