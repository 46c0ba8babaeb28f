"""Limits of a query: seconds, boxes, bytes."""

from dataclasses import dataclass

from codegen.given import shown

from ..given import is_number


@dataclass(frozen=True)
class Budget:
    """What a query may use: `seconds` of time, `boxes` examined (the `iterations` of its result), `bytes` of memory for its queue, which
    grows by doubling: a search ends once it has more. None is no limit. The seconds are those of the whole call; what is
    begun when they are over, and the answer, may take some two tenths of a second more.
    """

    seconds: float | None = 60.0
    boxes: int | None = None
    bytes: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "boxes", "bytes"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and value > 0):
                raise ValueError(f"the budget's {name} must be positive or None, got {shown(value)}")


def as_budget(budget: "Budget | float | None") -> Budget:
    """What every `budget=` may be: seconds, a Budget, or None for the default of 60 seconds."""
    if isinstance(budget, Budget):
        return budget
    return Budget() if budget is None else Budget(seconds=budget)
