"""The stages of a time span that end just before and just after the moments at which formulas of motions change."""

import math
from collections.abc import Sequence
from typing import Any

from codegen.constants import enclose
from generative.changes import moments_of


def stage_ends(bodies: Sequence[Any], span: tuple[float, float]) -> list[float]:
    """The doubles next to (bounds of) the moments within a span at which a formula of a body changes, in order."""
    bounds = [enclose(moment) for moment in moments_of(bodies)]
    ends = {math.nextafter(end, side) for pair in bounds for end, side in zip(pair, (-math.inf, math.inf), strict=True)}
    return sorted(end for end in ends if span[0] < end < span[1])
