"""Answers of the batch functions, and the checks they share."""

from dataclasses import dataclass, field

import numpy as np

from .consistency import check_times
from .contacts import Status
from .table import ROWS, card, interval, point


@dataclass(frozen=True, eq=False)
class Batch:
    """The answers to n small problems. `proved` means `exists` here: no contact of a batch is proved to be the only one.

    `status` (n,) of `Status`; `hit` (n,): contact is proved, or not excluded; `time` (n, 2): a bracket of the earliest contact, no wider
    than the tolerance, a bracket width, unless the budget was spent, nothing is proved, or `notes` say so, NaN without a hit; `parameters`:
    where the parts touch, in doubles, NaN without a hit; `proved` (n,): a contact is proved to exist within the bracket; `tests` (n,), also
    called `iterations` as in other results: how many boxes were examined. `notes` count undecided rows, and tell of rows lost with a worker
    and of brackets that rounding leaves wider than the tolerance.
    """

    status: np.ndarray
    hit: np.ndarray
    time: np.ndarray
    parameters: np.ndarray
    proved: np.ndarray
    tests: np.ndarray
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        check_times(self.time, self.hit, self.proved)

    @property
    def unique(self) -> np.ndarray:
        """(n,) bool: all False, since uniqueness is not asked of batches."""
        return np.zeros(len(self), bool)

    @property
    def exists(self) -> np.ndarray:
        """(n,) bool: a contact is *proved* to exist within the bracket (`proved`)."""
        return self.proved

    @property
    def iterations(self) -> np.ndarray:
        """(n,): how many boxes were examined (`tests`)."""
        return self.tests

    def __len__(self) -> int:
        return len(self.hit)

    def __repr__(self) -> str:
        proved = int(self.proved.sum())
        return f"Batch({len(self)} problems, {proved} with a proved contact, {int(self.hit.sum()) - proved} not decided)"

    def _repr_html_(self) -> str:
        """The number of problems of each status, and the first hits."""
        counts = [f"{int((self.status == s).sum()):,} {s.name}" for s in Status if (self.status == s).any()]
        hits = np.flatnonzero(self.hit)
        rows = [[f"{k}", interval(self.time[k]), point(self.parameters[k]), "proved" if self.proved[k] else "not excluded"]
                for k in hits[:ROWS]]
        told = " ".join([f"{self!r}: {', '.join(counts)}", *self.notes])
        return card(told, ["problem", "time", "parameters", "contact"], rows, len(hits), "hit")


@dataclass(frozen=True, eq=False, repr=False)
class BodyBatch(Batch):
    """The answers to n scenes of bodies. `parameters` (n, 4) are u1, v1, u2, v2; further, of each hit, approximately: `pairs` (n, 2), the
    bodies that meet, `faces` (n, 2), on which of their faces, and `points` (n, 3), where in space. Numbers of bodies are -1 without a hit,
    or where no place is known, those of faces also for implicit bodies, whose u and v are NaN.
    """

    pairs: np.ndarray
    faces: np.ndarray
    points: np.ndarray


_BY_NUMBER = np.array([Status.NO_CONTACT, Status.CONTACT, Status.UNRESOLVED, Status.BUDGET_SPENT], object)


def statuses(codes: np.ndarray) -> np.ndarray:
    """0 no contact, 1 contact, 2 unresolved, 3 budget spent."""
    return _BY_NUMBER[codes]
