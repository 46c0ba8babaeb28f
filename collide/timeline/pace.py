"""The length of stages in which a span of time is searched."""

import math

# A search that gets on slowly begins anew over a shorter stage, so many times in a row at most; and no more where a shorter stage then
# takes more than this share of the boxes for its time.
_TRIES, _PAYS = 6, 0.5


class Pace:
    """The length of the stages that a search is left for where it gets on slowly."""

    def __init__(self) -> None:
        self.length, self.tries, self.cost = math.inf, 0, math.inf

    @property
    def hasty(self) -> bool:
        """Whether a search that gets on slowly may be left."""
        return self.tries < _TRIES

    def slow(self, begin: float, seen: float, boxes: int) -> None:
        """A search took so many boxes from `begin` to `seen`."""
        self.cost, self.length, self.tries = boxes / (seen - begin), 0.5 * (seen - begin), self.tries + 1

    def passed(self, begin: float, end: float, boxes: int) -> None:
        """A stage came to its end."""
        if self.tries and boxes > _PAYS * self.cost * (end - begin):
            self.length, self.tries = math.inf, _TRIES
        elif self.length < math.inf:
            self.length, self.tries = 2.0 * self.length, 0
