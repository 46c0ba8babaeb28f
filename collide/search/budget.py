"""Limits of a query: seconds, boxes, bytes."""

from dataclasses import dataclass

from codegen.given import shown

from ..given import is_number


@dataclass(frozen=True)
class Budget:
    """Limits of a query.

    Parameters
    ----------
    seconds : float or None, optional
        Of the whole call; 60 if not given. Work begun before their end, and the answer, may take some two tenths of a second more.
    boxes : int or None, optional
        Examined: the `iterations` of the result.
    bytes : int or None, optional
        Of memory for the queue, which grows by doubling: a search ends once it has more.

    Raises
    ------
    ValueError
        For a limit that is not positive.

    Notes
    -----
    None is no limit.

    Examples
    --------
    >>> from collide import Budget
    >>> Budget(seconds=None, boxes=1000).boxes
    1000
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
    """The values of every `budget=`: seconds, a Budget, or None for the default of 60 seconds."""
    if isinstance(budget, Budget):
        return budget
    return Budget() if budget is None else Budget(seconds=budget)
