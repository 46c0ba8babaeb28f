"""Many pairs of bodies that are asked about at once, and the proofs that they are apart, in arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...moment.region import Region
from ...moment.start import Start
from ..motion.moving_body import MovingBody
from ..motion.templates import QueryBody
from .separating_planes import Parted


class PairBatch(NamedTuple):
    """n pairs that are asked about at once, with columns of n entries.

    `one`, `other`: their bodies; `numbers`: their numbers in the run; `windows` (n, 2): the times between which they are asked about;
    `sizes`: the radius of the smaller body; `starts`: the states as the windows begin, None if not known; `allowed`: the depth in others
    allowed until they are proved apart; `strides`: times in which they move so little that steps may begin with them; `soon`: times
    so late that a later bound is no better; `least`: speeds below which an approach is no contact; `sides`: the bodies as a search sees
    them, or parts of them; `regions`: the only places where they may meet, if known.
    """

    one: Sequence[MovingBody]
    other: Sequence[MovingBody]
    numbers: Sequence[tuple[int, int]]
    windows: np.ndarray
    sizes: np.ndarray
    starts: Sequence[Start | None]
    allowed: np.ndarray
    strides: np.ndarray
    soon: np.ndarray
    least: np.ndarray
    sides: Sequence[tuple[QueryBody, QueryBody]] = ()
    regions: Sequence[Region | None] = ()

    @classmethod
    def of(cls, pairs: Sequence[tuple[MovingBody, MovingBody]], windows: Sequence[tuple[float, float]], sizes: Sequence[float],
           numbers: Sequence[tuple[int, int]] = (), starts: Sequence[Start | None] = (), allowed: Sequence[float] = (),
           strides: Sequence[float] = (), soon: Sequence[float] = (), least: Sequence[float] = (),
           sides: Sequence[tuple[QueryBody, QueryBody]] = (), regions: Sequence[Region | None] = ()) -> "PairBatch":
        """The pairs in their windows. By default they start apart and stay so, steps are as long as possible, and all bounds are wanted."""
        n = len(pairs)
        return cls([a for a, _ in pairs], [b for _, b in pairs], numbers or [(0, 1)] * n, np.array(windows, float).reshape(n, 2),
                   np.array(sizes, float), starts or [Start.DISJOINT] * n, _column(allowed, n, 0.0), _column(strides, n, np.inf),
                   _column(soon, n, np.inf), _column(least, n, 0.0), sides, regions or [None] * n)

    def __len__(self) -> int:
        return len(self.one)


def _column(values: Sequence[float], n: int, usual: float) -> np.ndarray:
    return np.array(values, float) if len(values) else np.full(n, usual)


class Separations(NamedTuple):
    """Proofs that n pairs are apart, in columns: from `since` up to `until`; `normals` (n, 3): the directions from the first to the second
    body in which they are apart most then, by `gaps`, except for rounding, or NaN; `certain`: whether these are known to be more than
    nothing. Up to `horizons` they are apart, too, except for what may be in the `regions`.
    """

    since: np.ndarray
    until: np.ndarray
    normals: np.ndarray
    gaps: np.ndarray
    certain: np.ndarray
    horizons: np.ndarray
    regions: Sequence[Region | None]

    @classmethod
    def of(cls, rows: Sequence[Parted]) -> "Separations":
        """The columns of proofs about pairs one by one."""
        n = len(rows)
        until = np.array([r.until for r in rows], float)
        return cls(np.array([r.since for r in rows], float), until, np.array([r.normal for r in rows], float).reshape(n, 3),
                   np.array([r.gap for r in rows], float), np.array([r.certain for r in rows], bool), until, [None] * n)

    @classmethod
    def bounds(cls, since: Sequence[float], until: Sequence[float], horizons: Sequence[float] | None = None,
               regions: Sequence[Region | None] = ()) -> "Separations":
        """Bounds alone, without directions and gaps."""
        n, ends = len(until), np.array(until, float)
        return cls(np.array(since, float), ends, np.full((n, 3), np.nan), np.full(n, np.nan), np.zeros(n, bool),
                   ends if horizons is None else np.array(horizons, float), regions or [None] * n)

    def rows(self) -> list[Parted]:
        """The proofs about pairs one by one."""
        return [Parted(*e) for e in zip(self.since.tolist(), self.until.tolist(), self.normals, self.gaps.tolist(), self.certain.tolist(),
                                        strict=True)]
