"""Bodies whose edges miss their faces, as those of files do (`Solid.gap`): what answers hold of them."""

import math
from collections.abc import Sequence
from typing import Any

from codegen.interval import Interval
from generative.body import called

from ..bodies.thickened import gap_of

_THICK = ("Brackets of times are wider by that: what is proved to be clear is so for the body thickened by it, and contacts are proved of "
          "its faces.")
_DRAWN = "The answer is proved of its faces, without that; thickened by it, the body may be met where it comes that near."


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


def gap_notes(bodies: Sequence[Any], thick: bool) -> tuple[str, ...]:
    """A note on each body with a gap, beside times of contact; `thick`: thickened bodies were searched."""
    return _notes(bodies, _THICK if thick else _DRAWN)


def without_gaps(bodies: Sequence[Any]) -> list[Any]:
    """The bodies as they are drawn, for questions whose answers leave gaps out."""
    return [body.with_gap(0.0) if gap_of(body) > 0.0 else body for body in bodies]


def distance_notes_of_gaps(bodies: Sequence[Any]) -> tuple[str, ...]:
    """A note on each body with a gap, beside a distance."""
    return _notes(bodies, "The bracket is wider by that, and holds for the body thickened by it.")


def _notes(bodies: Sequence[Any], meaning: str) -> tuple[str, ...]:
    return tuple(f"Edges of {called(bodies, k, 'Body ')} are up to {gap_of(body):.2g} off its faces (`Solid.gap`). {meaning}"
                 for k, body in enumerate(bodies) if gap_of(body) > 0.0)
