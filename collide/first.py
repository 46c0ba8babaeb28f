"""`first_contact`: when and where do moving bodies first touch?"""

from collections.abc import Sequence
from typing import Any

from . import broad_phase
from .answer import contacts
from .budget import Budget, Clock, as_budget, drive
from .checks import check_bodies, check_options, check_span, check_tracked
from .contact import Tracked, situations
from .problem import Problem
from .result import Contacts, Start
from .start import start_of
from .state import Search

Pair = tuple[int, int]


def first_contact(bodies: Sequence[Any], time: tuple[Any, Any], *, simultaneity: float = 1e-6, separation: float = 0.05,
                  tolerance: float = 1e-9, tracked: Sequence[Tracked] = (), method: str = "auto", order: str = "auto",
                  tangency: bool = True, budget: Budget | float | None = None, progress: bool = False) -> Contacts:
    """The earliest contact of moving, possibly deforming bodies in a time span, with what is proved about it.

    For pairs *proved* disjoint at time[0]: `time` of the result encloses the least t at which the closed surfaces
    meet, and before `clear_until` they are *proved* not to meet. For pairs that touch or overlap at the start: the
    same for new incoming tangential contacts (Snyder 1993, Section 2). An implicit surface is what lies within its bounds.

    `bodies`: ParametricSurface, ImplicitSurface (and unions, intersections, differences of them) and Solid values.
    `simultaneity`: contacts at most this much later than the first are reported with it. `separation`: distance between
    sampled points where contacts form curves or patches. `tolerance`: the largest parameter width accepted without
    proof. `tracked`: contacts that are known already (`Tracked`). `method`, `order`, `tangency`: see the README; they
    change the work, not the meaning. `budget`: seconds or a `Budget`.
    """
    span = check_span(time)
    check_options(method, order, simultaneity=simultaneity, separation=separation, tolerance=tolerance)
    check_bodies(bodies, span)
    check_tracked(tracked, bodies, span)
    clock = Clock(as_budget(budget), progress)
    try:
        windows = _windows(bodies, span)
        start = {(i, j): start_of(bodies[i], bodies[j], span[0], tolerance, clock) if window[0] <= span[0] else Start.DISJOINT
                 for (i, j), window in windows.items()}
        problems = [p for pair, window in windows.items()
                    for p in _problems(bodies, pair, time if window == span else window, start[pair], tangency, tracked)]
        search = Search(problems, method=method, order=order, simultaneity=simultaneity, separation=separation,
                        tolerance=tolerance)
        finished = drive(search, clock)
    finally:
        clock.close()
    return contacts(search, finished, bodies, span, start, clock)


def _windows(bodies: Sequence[Any], span: tuple[float, float]) -> dict[Pair, tuple[float, float]]:
    """The pairs that may touch and when; a window that begins later begins with the bodies apart.

    For a single pair the search is quicker than the culling.
    """
    if len(bodies) == 2:
        return {(0, 1): span}
    return broad_phase.windows(broad_phase.extents(bodies), span)


def _problems(bodies: Sequence[Any], pair: Pair, time: tuple[Any, Any], start: Start, tangency: bool,
              tracked: Sequence[Tracked]) -> list[Problem]:
    """The situations of a pair; only incoming contacts count unless the bodies start apart."""
    first, second = (bodies[k] for k in pair)
    known = [_on_surface(item, bodies) for item in tracked if item.pair == pair]
    return situations(first, second, time, tangency=tangency, incoming=start is not Start.DISJOINT, tracked=known, label=pair)


def _on_surface(item: Tracked, bodies: Sequence[Any]) -> tuple[Any, Any, Any, float]:
    """A tracked contact as the point of one surface: of the first body that has parameters."""
    if item.u1 is not None:
        return bodies[item.pair[0]], item.u1, item.v1, item.radius
    return bodies[item.pair[1]], item.u2, item.v2, item.radius
