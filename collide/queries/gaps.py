"""Bodies whose edges miss their faces, as those of files do (`Solid.gap`): what answers hold of them."""

import math
from collections.abc import Sequence
from typing import Any

from codegen.interval import Interval
from generative.body import called

from ..bodies.thickened import gap_of

_THICK = ("Brackets of times are wider by that: what is proved to be clear is so for the body thickened by it, and contacts are proved of "
          "its faces.")


def widened(bracket: Interval, bodies: Sequence[Any]) -> Interval:
    """A bracket of distances of the bodies that holds those of the bodies thickened by their gaps.

    A point of a thickened body is no farther from the body than its gap, so distances fall by at most the sum of two gaps, here the largest
    two. Rounded downwards.
    """
    *_, second, first = 0.0, 0.0, *sorted(map(gap_of, bodies))
    if first == 0.0:
        return bracket
    both = math.nextafter(first + second, math.inf)
    return Interval(max(0.0, math.nextafter(bracket.lo - both, -math.inf)), bracket.hi)


def gap_notes(bodies: Sequence[Any]) -> tuple[str, ...]:
    """A note on each body with a gap, beside times of contact."""
    return _notes(bodies, _THICK)


def notes_of_runs(bodies: Sequence[Any]) -> tuple[str, ...]:
    """A note on each body with a gap, beside a simulation."""
    return _notes(bodies, "The run is one of its faces, without that.")


def refuse_gaps(bodies: Sequence[Any], why: str) -> None:
    """Raise ValueError for a body with a gap, where gaps cannot be counted."""
    for k, body in enumerate(bodies):
        if gap_of(body) > 0.0:
            raise ValueError(f"edges of {called(bodies, k)} are up to {gap_of(body):.2g} off its faces (`Solid.gap`), but {why}; ask about "
                             "body.with_gap(0), the body as its faces are")


def without_gaps(bodies: Sequence[Any]) -> list[Any]:
    """The bodies as they are drawn, for questions whose answers leave gaps out."""
    return [body.with_gap(0.0) if gap_of(body) > 0.0 else body for body in bodies]


def distance_notes_of_gaps(bodies: Sequence[Any]) -> tuple[str, ...]:
    """A note on each body with a gap, beside a distance."""
    return _notes(bodies, "The bracket is wider by that, and holds for the body thickened by it.")


def _notes(bodies: Sequence[Any], meaning: str) -> tuple[str, ...]:
    return tuple(f"Edges of {called(bodies, k, 'Body ')} are up to {gap_of(body):.2g} off its faces (`Solid.gap`). {meaning}"
                 for k, body in enumerate(bodies) if gap_of(body) > 0.0)
