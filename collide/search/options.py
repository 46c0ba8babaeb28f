"""Options that a query gives its searches."""

from dataclasses import dataclass

# Against its size, how closely a time is told: 16 units in its last place or more, so that no stage across a kink, of 4 at most (see
# `generative.changes`), is longer than what counts as simultaneous.
ROUNDINGS = 2.0**-48


def resolved(simultaneity: float, span: tuple[float, float]) -> float:
    """The width that counts as simultaneous in a span of time: no less than some roundings of its times."""
    return max(float(simultaneity), ROUNDINGS * max(map(abs, span)))


@dataclass(frozen=True)
class Options:
    """`method`: how boxes are narrowed (`prepare.METHODS`); `order`: by which end of their times they are taken; `sample`: whether contacts
    are looked for in boxes by local solves; `simultaneity`: so much later than the first, solutions count; `spacing`: so near to each other
    they stand for one another; `tolerance`: the largest parameter width accepted without proof. `first_only`: whether any solution ends the
    search.
    """

    method: str = "auto"
    order: str = "auto"
    simultaneity: float = 0.0
    spacing: float = 0.0
    tolerance: float = 1e-9
    sample: bool = True
    first_only: bool = False
