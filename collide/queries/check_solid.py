"""That a solid closes, proved: the borders of its faces meet everywhere, not at sampled points only."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.kernel import Kernel, compile
from codegen.walk import nesting_in_words
from generative import Solid, t, u, v
from generative.sew import Border, borders

from ..given import check_in_space, check_positive, check_span
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..search.paving import Paving

# Boxes examined at most; a difference of two curves needs some tens of thousands where it does not cancel.
_MOST = 1 << 18


@nesting_in_words
def check_solid(solid: Solid, *, time: Any = (0, 1), within: float | None = None, budget: Budget | float | None = None) -> Solid:
    """Prove that the faces of a solid close up, and note it in its `closed`.

    Parameters
    ----------
    solid : Solid
        Every side of every face must be a pole, a seam, or coincide with one side of another face.
    time : pair, optional
        (first, last): the span over which it is proved.
    within : float, optional
        `within`, a distance. The two curves of each pair of sides differ by at most this in each coordinate. None is 1e-9 of the size of
        the solid.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds.

    Returns
    -------
    Solid
        The same solid. Where closing can be neither proved nor refuted, or not within the budget, `closed` says so.

    Raises
    ------
    ValueError
        For a solid that is open or proved to gape; the message names the sides.

    Notes
    -----
    Which sides coincide is found at sampled points (`generative.sew`); then it is *proved*, by enclosures over the whole side and the whole
    time span. That normals point outwards is not proved.

    Examples
    --------
    >>> from collide import check_solid
    >>> from generative.polyhedron import brick
    >>> "proved" in check_solid(brick((1, 1, 1))).closed
    True
    """
    if not isinstance(solid, Solid):
        raise TypeError(f"check_solid takes a Solid, got a {type(solid).__name__}")
    check_in_space(solid, "check_solid")
    if within is not None:
        check_positive("within", within)
    span, clock = check_span(time), Clock(as_budget(budget))
    found = None
    with clock.query():
        found = _checked(solid, span, within, clock)
    return solid.noted(f"{solid.closed}; neither proved nor refuted within the budget") if found is None else found


def _checked(solid: Solid, span: tuple[float, float], within: float | None, clock: Clock) -> Solid:
    found = borders(solid.faces)
    together = len({face.motion for face in solid.faces}) == 1
    moving = any(face.deforming for face in solid.faces) or not together
    curves = [[_curve(solid, border, side, together) for side in (border.first, border.second)] for border in found]
    gaps = [[p - q for p, q in zip(first, second, strict=True)] for first, second in curves]
    rest = [k for k, gap in enumerate(gaps) if any(e != 0 for e in gap)]
    if not rest:
        return solid.noted("closed: borders proved to coincide exactly")
    limit = 1e-9 * _size(curves, span) if within is None else float(within)
    box = np.array([[0.0, 1.0], list(span)] if moving else [[0.0, 1.0]])
    kernel = compile([e for k in rest for e in gaps[k]], [u, t] if moving else [u], form="mean-value")
    gaping, decided = _examine(kernel, box, limit, clock)
    if gaping is not None:
        raise ValueError(f"{found[rest[gaping // 3]].between} are proved to gape by more than {limit:.3g}")
    if not decided:
        return solid.noted(f"{solid.closed}; within {limit:.3g} neither proved nor refuted")
    return solid.noted(f"closed: borders proved to meet within {limit:.3g}" + (f" for t from {span[0]:g} to {span[1]:g}" if moving else ""))


def _curve(solid: Solid, border: Border, side: tuple[int, tuple[Any, Any]], together: bool) -> list[Any]:
    """One side of a border as expressions of u from 0 to 1, in the frame of the body where all faces share it."""
    face, path = side
    lo, hi = border.domain
    at = {u: lo + u * (hi - lo)}
    surface = solid.faces[face]
    first, second = (e.xreplace(at) for e in path)
    return [e.xreplace({u: first, v: second}) for e in (surface.body if together else surface.expressions)]


def _size(curves: Sequence[Sequence[Sequence[Any]]], span: tuple[float, float]) -> float:
    """About the largest coordinate of a border."""
    at = np.stack(np.meshgrid(np.linspace(0, 1, 9), span), axis=-1).reshape(-1, 2)
    return float(np.nanmax(np.abs(compile([e for first, _ in curves for e in first], [u, t]).points(at)))) or 1.0


def _examine(kernel: Kernel, box: np.ndarray, limit: float, clock: Clock) -> tuple[int | None, bool]:
    """(an output proved to exceed the limit somewhere, or None; whether all are proved to stay within it everywhere)."""
    paving = Paving(box[None], examined=_MOST)
    for boxes in paving:
        clock.boxes += len(boxes)
        if clock.exceeded():
            return None, False
        middle = boxes.mean(axis=2)
        lo, hi = kernel.interval(middle, middle)
        apart = (lo > limit) | (hi < -limit)
        if apart.any():
            return int(apart.any(axis=0).argmax()), False
        lo, hi = kernel.interval(boxes[:, :, 0], boxes[:, :, 1])
        paving.keep(boxes[((lo < -limit) | (hi > limit)).any(axis=1)])
    return None, paving.done
