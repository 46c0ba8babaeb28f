"""Answers about distances: at a moment, or over a span of time."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from codegen.interval import Interval
from generative.body import label

from .. import picture
from .consistency import check_bracket
from .contacts import effort
from .left_open import pair_array, undecided_in_words
from .link_states import ByRobot, Listed
from .nearest_points import moving_points
from .table import ROWS, card, counted, interval, point

# Pairs of bodies whose nearest points a picture follows.
_FOLLOWED = 4


class DistanceStatus(Enum):
    """The outcome of `distance` and `clearance`; each value is its sentence."""

    MEASURED = "The least distance lies in the bracket, which is as narrow as asked for, or as doubles are: proved."
    MEETING = "The surfaces meet: proved."
    CLEAR = "The bodies are never nearer to each other than asked for: proved."
    NEARER = "The bodies come nearer to each other than asked for: proved."
    UNRESOLVED = "The search ended with a bracket wider than asked for."
    BUDGET_SPENT = "The budget was spent before the question was decided."
    NOWHERE = "There is no distance, since a body has no surface within its bounds: proved."

    def __repr__(self) -> str:
        return f"DistanceStatus.{self.name}"


@dataclass(frozen=True, eq=False, repr=False)
class Distance(ByRobot):
    """The least distance of the surfaces of two bodies at a moment.

    `bracket` *provably* encloses it; it is 0 to 0 where the surfaces are proved to meet. Of each of k pairs of nearest points: `points` (k,
    2, 3), one on each body, approximately; `unique` (k,), proved to be the only pair near there at which the distance is critical, so
    isolated, the others being samples of curves or patches of nearest points, or places that are only located; `features`, which parts
    of the bodies they lie on; `boxes` and `variables`, what encloses them; `parameters`, the values of those that were given, {symbol:
    Interval}, with those of the first pair in `bodies`. If the search came to its end, all nearest points are listed, or near one that
    is. `time_span` is that which was asked about, `notes` are further sentences of the summary, `iterations` boxes examined, `seconds`
    the time of the whole call.
    """

    status: DistanceStatus
    bracket: Interval
    points: np.ndarray
    unique: np.ndarray
    features: Sequence[tuple[str, str]]
    boxes: Sequence[np.ndarray]
    variables: Sequence[tuple[str, ...]]
    iterations: int
    seconds: float
    notes: tuple[str, ...] = ()
    bodies: Sequence[Any] = ()
    parameters: Sequence[Mapping[Any, Interval]] = ()
    time_span: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        check_bracket("the distance", *self.bracket)
        k = len(self.points)
        assert self.points.shape == (k, 2, 3) and self.unique.shape == (k,)
        assert k == len(self.features) == len(self.boxes) == len(self.variables)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        points = f"{counted(len(self), 'pair')} of nearest points, {int(self.unique.sum())} proved unique"
        return f"{type(self).__name__}({self.status.name}, bracket=[{self.bracket.lo!r}, {self.bracket.hi!r}], {points})"

    @property
    def moment(self) -> float:
        """The time that was asked about, or about when the first of the nearest points are as near as they are."""
        return self.time_span[0]

    def followed(self, times: np.ndarray) -> np.ndarray:
        """(m, k, 2, 3): the k pairs of points at m times, NaN where they are not known."""
        return np.tile(self.points, (len(times), 1, 1, 1))

    def _items(self) -> Iterator[Listed]:
        """Each pair of nearest points as an item of an answer; its moment is any in the time span."""
        for k, points in enumerate(self.points):
            yield Listed(k, (0, 1), points, self.time_span, self.bracket, self.parameters[k] if self.parameters else {})

    def show(self) -> None:
        """The bodies up to that moment, with the nearest points and the segments between them, in a notebook or browser."""
        picture.figure(self).show()

    def save_html(self, path: str | PathLike[str], title: str = "Distance") -> None:
        """Write that scene and the summary as one self-contained HTML page."""
        picture.save_html(path, [self], titles=[title])

    def summary(self) -> str:
        """One paragraph: what was proved, and what was not."""
        told = self.status.value, self._value(), self._listed(), self._undecided()
        sentences = [*told, *self.notes, effort(self.iterations, self.seconds)]
        return " ".join(s for s in sentences if s)

    def _value(self) -> str:
        lo, hi = self.bracket
        if self.status is DistanceStatus.NOWHERE:
            return ""
        if hi == math.inf:
            return f"The least distance is {lo!r} or more."
        return f"The least distance lies in [{lo!r}, {hi!r}]."

    def _listed(self) -> str:
        unique, rest = int(self.unique.sum()), int((~self.unique).sum())
        parts = [f"{counted(unique, 'pair')} of nearest points proved unique and isolated"] if unique else []
        parts += [f"{counted(rest, 'pair')} of points, perhaps samples of a curve or patch of them"] if rest else []
        return f"Listed: {' and '.join(parts)}." if parts else ""

    def _undecided(self) -> str:
        return ""

    def _rows(self) -> list[list[str]]:
        return [[point(self.points[k, 0]), point(self.points[k, 1]), ", ".join(self.features[k]),
                 "unique (proved)" if self.unique[k] else "located"] for k in range(min(len(self), ROWS))]

    def _repr_html_(self) -> str:
        return card(self.summary(), ["point of the first", "point of the second", "features", "known"], self._rows(), len(self), "pair")


@dataclass(frozen=True, eq=False, repr=False)
class Clearance(Distance):
    """The least distance of the surfaces of bodies over a span of time, of all pairs that are asked about.

    As of `Distance`, and of each pair of points `times` (k, 2), which enclose the moment, and `pairs` (k, 2), the indices of both bodies.
    Points that are proved unique are listed at each moment at which bodies are as near; samples of curves perhaps at one moment only.
    `verdict`, where a distance was asked for: True, *proved* that the bodies are never nearer than that; False, proved that they are,
    at `points`; None where that is not decided, or was not asked. `open`: the pairs that `undecided` lists, of `asked` pairs.
    `again`: the same question about equal parts of the time span.
    """

    times: np.ndarray = None  # type: ignore[assignment]
    pairs: np.ndarray = None  # type: ignore[assignment]
    verdict: bool | None = None
    open: Collection[tuple[int, int]] = ()
    asked: int = 1
    again: Callable[..., Sequence["Clearance"]] | None = None

    def profile(self, parts: int = 40, *, tolerance: float = 0.02, budget: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Bound the least distance from below in equal parts of the time span, each searched anew.

        Parameters
        ----------
        parts : int, optional
            The number of parts.
        tolerance : float, optional
            That of each distance, against its size.
        budget : float or Budget, optional
            Seconds or a `Budget` for all parts; None is 60 seconds.

        Returns
        -------
        times : ndarray, shape (parts,)
            The beginnings of the parts.
        lower : ndarray, shape (parts,)
            Distances that are *proved* to be kept throughout each part; 0 in parts that the budget did not reach.

        See Also
        --------
        clearance_profile : brackets of the distance, the pairs that are nearest, and a chart.
        """
        assert self.again is not None
        answers = self.again(parts, tolerance, budget)
        return np.array([a.time_span[0] for a in answers]), np.array([a.bracket[0] for a in answers])

    def _items(self) -> Iterator[Listed]:
        """Each pair of nearest points as an item of an answer, with its bodies and its time."""
        for item in super()._items():
            yield item._replace(pair=self.pairs[item.row].tolist(), time=self.times[item.row])

    @cached_property
    def undecided(self) -> np.ndarray:
        """(m, 2) int64, in order: the pairs of bodies i < j that were not searched to the end, and may be nearer to each other than the
        upper end of the bracket, or than what was asked for.

        Of all other pairs it is *proved* that they are not. None is listed where the question is decided, for MEASURED, CLEAR, NEARER,
        MEETING and NOWHERE.
        """
        return pair_array(self.open)

    def _undecided(self) -> str:
        return undecided_in_words(self.bodies, self.undecided, self.asked)

    def __post_init__(self) -> None:
        super().__post_init__()
        assert self.times.shape == self.pairs.shape == (len(self.points), 2)

    @property
    def moment(self) -> float:
        return float(self.times[0].mean()) if len(self) and np.isfinite(self.times[0]).all() else self.time_span[1]

    def followed(self, times: np.ndarray) -> np.ndarray:
        """(m, k, 2, 3): about where the k pairs of bodies that come nearest are nearest at m times, NaN where that is not known."""
        pairs = np.unique(self.pairs, axis=0).tolist()[:_FOLLOWED]
        found = [moving_points([self.bodies[i] for i in pair], times) for pair in pairs]
        return np.stack(found, axis=1) if found else np.empty((len(times), 0, 2, 3))

    def _repr_html_(self) -> str:
        head = ["time", "bodies", "point of the first", "point of the second", "features", "known"]
        rows = [[interval(self.times[k]), ", ".join(label(self.bodies, i) for i in self.pairs[k]), *row]
                for k, row in enumerate(self._rows())]
        return card(self.summary(), head, rows, len(self), "pair")


@dataclass(frozen=True, eq=False)
class ClearanceBatch:
    """The least distances of bodies for n rows of parameters.

    `status` (n,) of `DistanceStatus`; `bracket` (n, 2), which *provably* encloses the least distance; `verdict` (n,): True, False or None,
    as of `Clearance`; of one pair of nearest points, approximately: `times` (n, 2), which enclose the moment, `pairs` (n, 2), the bodies,
    and `points` (n, 2, 3), NaN and -1 where none is known; `tests` (n,): how many boxes were examined. `notes` tell of rows that were
    lost with the worker that had them, and of leaves of combined bodies that may coincide.
    """

    status: np.ndarray
    bracket: np.ndarray
    verdict: np.ndarray
    times: np.ndarray
    pairs: np.ndarray
    points: np.ndarray
    tests: np.ndarray
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for k in np.flatnonzero(~(self.bracket[:, 0] <= self.bracket[:, 1])):
            check_bracket("the distance", *self.bracket[k])

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        return f"ClearanceBatch({counted(len(self), 'row')}, {self._counts()})"

    def _counts(self) -> str:
        return ", ".join(f"{int((self.status == s).sum()):,} {s.name}" for s in DistanceStatus if (self.status == s).any())

    def _repr_html_(self) -> str:
        rows = [[f"{k}", interval(self.bracket[k]), interval(self.times[k]), point(self.points[k, 0]), point(self.points[k, 1])]
                for k in range(min(len(self), ROWS))]
        return card(" ".join([repr(self), *self.notes]), ["row", "distance", "time", "point of the first", "point of the second"], rows,
                    len(self), "row")
