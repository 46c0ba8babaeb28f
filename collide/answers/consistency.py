"""Answers that would contradict themselves are never returned.

What is asked of an answer here follows from the meaning of what it says, whatever the rounding: a time before which contact is excluded
is no later than one by which contact is proved. Where that fails, one of two proofs is wrong, and so may be all that rests on it.
"""

import math

import numpy as np

_REPORT = "This is an error of generative-collision, not of what was asked: please report it, with the call that led to it."


class ContradictionError(RuntimeError):
    """Two claims of one answer, each of them proved, contradict each other: an error of this library."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}. {_REPORT}")


def check_bracket(what: str, lo: float, hi: float) -> None:
    """Raises ContradictionError for an interval that holds no number: a reversed one, or one with an end that is NaN."""
    if not lo <= hi:
        raise ContradictionError(f"The bracket of {what} is reversed: [{lo!r}, {hi!r}]")


def check_time(bracket: tuple[float, float] | None, clear_until: float, last: float, proved_by: float = math.inf) -> None:
    """Raises ContradictionError if contact is excluded before `clear_until`, and yet said to come earlier: by the end of its bracket, or by
    the time `proved_by`. A bracket None stands for no contact up to the `last` moment asked for, so it is excluded until then.
    """
    if bracket is not None:
        check_bracket("the time", *bracket)
    elif not clear_until >= last:
        raise ContradictionError(f"No contact was found up to t = {last!r}, but contact is excluded only before t = {clear_until!r}")
    latest = proved_by if bracket is None else min(bracket[1], proved_by)
    if not clear_until <= latest:
        raise ContradictionError(f"Contact is excluded before t = {clear_until!r}, and said to be by t = {latest!r}")


def check_times(time: np.ndarray, hit: np.ndarray, proved: np.ndarray) -> None:
    """The same for rows: brackets (n, 2), which rows may hold a contact (n,), and for which rows one is proved (n,)."""
    for k in np.flatnonzero(hit & ~(time[:, 0] <= time[:, 1])).tolist():
        check_bracket(f"the time in row {k}", *time[k].tolist())
    for k in np.flatnonzero(proved & ~hit).tolist():
        raise ContradictionError(f"Contact is both proved and excluded in row {k}")
