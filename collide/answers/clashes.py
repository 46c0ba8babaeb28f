"""Answer of `clash`: the relation of each pair of bodies, in the words of CAD, from spell to spell."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from codegen.interval import Interval
from generative.body import label

from ..moment.pairs import Pairs
from .contacts import Status, effort
from .table import ROWS, card, counted, interval


class ClashKind(Enum):
    """The relation of two bodies; each value is its sentence."""

    NONE = "The surfaces do not meet, and neither body is inside the other: proved."
    TOUCH = "The surfaces meet, and no interiors overlap as far as is found."
    INTERFERE = "The surfaces cross, or an interior point is common: proved."
    FIRST_INSIDE = "The surfaces do not meet, and a piece of the first body is inside the second: proved."
    SECOND_INSIDE = "The surfaces do not meet, and a piece of the second body is inside the first: proved."
    UNDECIDED = "None of the others is proved."

    def __repr__(self) -> str:
        return f"ClashKind.{self.name}"


class TouchRegion(Enum):
    """The kind of region in which two bodies touch; estimated from nearest points, but for flat faces, where it is exact."""

    POINT = "single points"
    CURVE = "a curve, or a straight line"
    FACE = "a piece of a face"

    def __repr__(self) -> str:
        return f"TouchRegion.{self.name}"


class ClashSpell(NamedTuple):
    """A relation of a pair, from a time within `begin` to one within `end`. A TOUCH has a `region` and a `gap`, a proved bracket of the
    distance of the surfaces at the moment that was looked at; `proved`: whether the relation is a theorem.
    """

    pair: tuple[int, int]
    kind: ClashKind
    begin: Interval
    end: Interval
    proved: bool
    region: TouchRegion | None = None
    gap: Interval | None = None


_GRAVITY = (ClashKind.INTERFERE, ClashKind.FIRST_INSIDE, ClashKind.SECOND_INSIDE, ClashKind.UNDECIDED, ClashKind.TOUCH, ClashKind.NONE)
_WORDS = {ClashKind.NONE: "clear", ClashKind.TOUCH: "touch", ClashKind.INTERFERE: "interfere", ClashKind.UNDECIDED: "undecided"}


@dataclass(frozen=True, eq=False, repr=False)
class Clashes:
    """The relations of all pairs of bodies in a time span.

    `spells`, in the order of pairs and of time, without a gap between those of a pair. `status`: CONTACT where some pair touches,
    interferes or is inside another; NO_CONTACT where none does, which is proved; UNRESOLVED or BUDGET_SPENT where some spell is UNDECIDED
    and no pair is found to clash. `iterations` are boxes examined, `seconds` the time of the whole call. `ignored`: pairs of which nothing
    is claimed.
    `notes` are further sentences of the summary.
    """

    status: Status
    spells: tuple[ClashSpell, ...]
    iterations: int
    seconds: float
    bodies: Sequence[Any]
    time_span: tuple[float, float]
    ignored: Pairs
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.spells)

    def of(self, first: int, second: int) -> list[ClashSpell]:
        """The spells of a pair of bodies, given by their numbers, in the order of time. ValueError for a pair that was not asked about."""
        pair = min(first, second), max(first, second)
        if not 0 <= pair[0] < pair[1] < len(self.bodies) or pair in self.ignored:
            raise ValueError(f"nothing is known of bodies {first} and {second}: it takes two of {len(self.bodies)} bodies, not ignored")
        return [s for s in self.spells if s.pair == pair]

    @property
    def worst(self) -> dict[tuple[int, int], ClashKind]:
        """The gravest relation of each pair: INTERFERE, then inside, UNDECIDED, TOUCH, NONE."""
        found: dict[tuple[int, int], ClashKind] = {}
        for s in self.spells:
            found[s.pair] = min(s.kind, found.get(s.pair, s.kind), key=_GRAVITY.index)
        return found

    def words(self, spell: ClashSpell) -> str:
        """The relation with the names of the bodies where they matter."""
        first, second = (label(self.bodies, k, "body ") for k in spell.pair)
        if spell.kind in (ClashKind.FIRST_INSIDE, ClashKind.SECOND_INSIDE):
            inner, outer = (first, second) if spell.kind is ClashKind.FIRST_INSIDE else (second, first)
            return f"{inner} inside {outer}"
        return _WORDS[spell.kind] + (f" ({spell.region.name.lower()})" if spell.region is not None else "")

    def __repr__(self) -> str:
        counts = [(kind, sum(k is kind for k in self.worst.values())) for kind in _GRAVITY]
        return f"Clashes({self.status.name}, {', '.join(f'{n} {kind.name}' for kind, n in counts if n)})"

    def summary(self) -> str:
        """One paragraph: which pairs clash, how and when, and what is not decided."""
        lo, hi = self.time_span
        told = [f"{' and '.join(label(self.bodies, k, 'body ') for k in s.pair)}: {self.words(s)} {_when(s)}" for s in self.spells
                if s.kind is not ClashKind.NONE]
        rest = [f"{counted(len(told) - ROWS, 'more spell')} of others"] if len(told) > ROWS else []
        clear = sum(k is ClashKind.NONE for k in self.worst.values())
        relations = "; ".join([*told[:ROWS], *rest, *([f"{counted(clear, 'pair')} clear throughout"] if clear else [])])
        return " ".join([f"From t = {lo!r} to t = {hi!r}: {relations}.", *self.notes, effort(self.iterations, self.seconds)])

    def _repr_html_(self) -> str:
        rows = [[", ".join(label(self.bodies, k) for k in s.pair), self.words(s), interval(s.begin), interval(s.end)]
                for s in self.spells[:ROWS]]
        return card(self.summary(), ["bodies", "relation", "begins", "ends"], rows, len(self.spells), "spell")


def _when(s: ClashSpell) -> str:
    middle = [float(np.mean(e)) for e in (s.begin, s.end)]
    return f"at t = {middle[0]:.6g}" if middle[0] == middle[1] else f"from t = {middle[0]:.6g} to {middle[1]:.6g}"
