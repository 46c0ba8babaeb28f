"""Bodies whose edges miss their faces, as those of files do (`Solid.gap`): what answers hold of them."""

import math
from collections.abc import Sequence
from typing import Any

from codegen.interval import Interval
from generative import Solid
from generative.body import called


def gap_of(body: Any) -> float:
    """The gap of a solid, 0 for other bodies."""
    return body.gap if isinstance(body, Solid) else 0.0


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


def contact_notes_of_gaps(bodies: Sequence[Any]) -> tuple[str, ...]:
    """A note on each body with a gap, beside a contact."""
    return tuple(f"Edges of {called(bodies, k, 'Body ')} are up to {gap_of(body):.2g} off its faces (`Solid.gap`). The answer is proved of "
                 "its faces, without that; thickened by it, the body may be met where it comes that near."
                 for k, body in enumerate(bodies) if gap_of(body) > 0.0)


def distance_notes_of_gaps(bodies: Sequence[Any]) -> tuple[str, ...]:
    """A note on each body with a gap, beside a distance."""
    return tuple(f"Edges of {called(bodies, k, 'Body ')} are up to {gap_of(body):.2g} off its faces (`Solid.gap`): the bracket is wider by "
                 "that, and holds for the body thickened by it."
                 for k, body in enumerate(bodies) if gap_of(body) > 0.0)
