"""The answer of `clearance_profile`: how near bodies come in each part of a time span."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from generative.body import label

from .. import picture
from ..picture.charts import clearance_chart
from .distances import Clearance
from .link_states import ByRobot, Listed
from .table import ROWS, card, counted, interval


@dataclass(frozen=True, eq=False, repr=False)
class ClearanceProfile(ByRobot):
    """The least distance of bodies in each of n parts of a time span, of all pairs that are asked about.

    `parts`: the answer of `clearance` for each part. `ends` (n + 1,): those of the parts. `bracket` (n, 2): *provably* encloses the least
    distance in each part; a part that the budget did not reach has 0 to infinity. `times` (n, 2) and `pairs` (n, 2): about when, and of
    which bodies it is attained, NaN and -1 where that is not known. `bodies`: those that were asked about.
    """

    parts: Sequence[Clearance]
    bodies: Sequence[Any]

    @property
    def ends(self) -> np.ndarray:
        return np.array([self.parts[0].time_span[0], *(part.time_span[1] for part in self.parts)])

    @property
    def bracket(self) -> np.ndarray:
        return np.array([part.bracket for part in self.parts])

    @property
    def times(self) -> np.ndarray:
        return np.array([part.times[0] if len(part) else (np.nan, np.nan) for part in self.parts])

    @property
    def pairs(self) -> np.ndarray:
        return np.array([part.pairs[0] if len(part) else (-1, -1) for part in self.parts])

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        lo, hi = self.bracket.min(axis=0).tolist()
        return f"ClearanceProfile({counted(len(self), 'part')}, least distance in [{lo!r}, {hi!r}])"

    def least(self) -> Clearance:
        """The part in which the bodies come nearest, by the upper ends of the brackets."""
        return self.parts[int(np.argmin(self.bracket[:, 1]))]

    def nearest_of(self, name: str) -> np.ndarray:
        """(k,): the numbers of those parts in which a body of this name is one of the two that are nearest."""
        named = [{label(self.bodies, int(i)) for i in pair if i >= 0} for pair in self.pairs]
        return np.array([k for k, own in enumerate(named) if name in own], np.int64)

    def _time_span(self) -> tuple[float, float]:
        return float(self.ends[0]), float(self.ends[-1])

    def _items(self) -> Iterator[Listed]:
        """Each part as an item of the answer, at its nearest points."""
        for n, part in enumerate(self.parts):
            yield from (item._replace(row=n) for item in itertools.islice(part._items(), 1))

    def summary(self) -> str:
        """One paragraph: how near the bodies come, when, and which of them."""
        lo, hi = self.bracket.min(axis=0).tolist()
        first = f"The least distance is enclosed in {counted(len(self), 'part')} of the time span; of all it lies in [{lo!r}, {hi!r}]."
        part = self.least()
        if not len(part):
            return first
        i, j = part.pairs[0].tolist()
        return f"{first} The nearest are {label(self.bodies, i)} and {label(self.bodies, j)}, about t = {part.moment:.6g}."

    def chart(self) -> Any:
        """A plotly figure: what is proved of each part as a band, and moments at which the least distance is attained as dots."""
        return clearance_chart(self.parts)

    def show(self) -> None:
        """Show the bodies up to the moment at which they are nearest, in a notebook or browser."""
        self.least().show()

    def save_html(self, path: str | PathLike[str], title: str = "Clearance") -> None:
        """Write the scene of the moment at which bodies are nearest as one self-contained HTML page."""
        picture.save_html(path, [self.least()], titles=[title])

    def _repr_html_(self) -> str:
        rows = [[interval(p.time_span), interval(p.bracket), *((label(self.bodies, int(i)) for i in p.pairs[0]) if len(p) else ("", ""))]
                for p in self.parts[:ROWS]]
        return card(self.summary(), ["time", "distance", "first", "second"], rows, len(self), "part")
