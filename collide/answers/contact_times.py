"""Answer of `contacts_during`: for each pair of bodies the intervals of contact and of separation, in order."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from codegen.interval import Interval
from generative.body import label

from ..moment.pairs import Pair, Pairs
from .consistency import ContradictionError, check_bracket
from .contacts import Status, effort
from .table import ROWS, card, counted, interval

Windows = Sequence[tuple[float, float, bool]]
"""(begin, end, meet): *proved* to meet throughout, or proved not to meet but at the ends."""


class Spell(Enum):
    """State of a stretch of time; each value is its sentence."""

    SEPARATION = "The surfaces are proved not to meet."
    CONTACT = "The surfaces are proved to meet."
    UNDECIDED = "It is neither proved nor excluded that the surfaces meet."

    def __repr__(self) -> str:
        return f"Spell.{self.name}"


class Stretch(NamedTuple):
    """A spell of a pair, which begins at a moment within `begin`, and ends at one within `end`."""

    kind: Spell
    begin: Interval
    end: Interval


@dataclass(frozen=True, eq=False)
class ContactTimes:
    """Spells of contact and of separation in a time span: k spells, by pairs, and of each pair in the order of time, without a gap between
    them.

    `pairs` (k, 2), the indices of the two bodies; `kinds` (k,) of `Spell`; `begins` and `ends` (k, 2), brackets: the end of each spell of a
    pair is the beginning of the next. A SEPARATION is *proved* free of contact from begins[:, 1] to ends[:, 0], these two left out. Of a
    CONTACT the surfaces are *proved* to meet at every moment from begins[:, 1] to ends[:, 0]; where these brackets overlap, as of a touch
    for an instant, at some moment within them. A bracket between these two kinds *provably* contains a moment at which contact begins or
    ends; what else may come and go within it is not told, and it is no wider than the tolerance. UNDECIDED: nothing is claimed from
    begins[:, 0] to ends[:, 1]; of a possible touch for an instant both brackets are the same. `others`: of pairs that are not listed, and
    not ignored; SEPARATION, in all of the time span, unless the budget was spent before it was known which pairs come near each other.

    `status`: CONTACT or NO_CONTACT where all is decided, UNRESOLVED where not, or BUDGET_SPENT. `iterations` are boxes examined, `seconds`
    the time of the whole call. `ignored`: pairs of which nothing is claimed. `notes` are further sentences of the summary.
    """

    status: Status
    pairs: np.ndarray
    kinds: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    iterations: int
    seconds: float
    bodies: Sequence[Any]
    time_span: tuple[float, float]
    ignored: Pairs
    others: Spell = Spell.SEPARATION
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for k in range(len(self)):
            check_bracket(f"the beginning of spell {k}", *self.begins[k].tolist())
            check_bracket(f"the end of spell {k}", *self.ends[k].tolist())

    def __len__(self) -> int:
        return len(self.kinds)

    def of(self, first: int, second: int) -> list[Stretch]:
        """The spells of a pair of bodies, given by their numbers, in the order of time. ValueError for a pair that was not asked about."""
        pair = (min(first, second), max(first, second))
        if not 0 <= pair[0] < pair[1] < len(self.bodies) or pair in self.ignored:
            raise ValueError(f"nothing is known of bodies {first} and {second}: it takes two of {len(self.bodies)} bodies, not ignored")
        own = np.flatnonzero((self.pairs == pair).all(axis=1)).tolist()
        if not own:
            lo, hi = self.time_span
            return [Stretch(self.others, Interval(lo, lo), Interval(hi, hi))]
        return [Stretch(self.kinds[k], Interval(*self.begins[k]), Interval(*self.ends[k])) for k in own]

    def __repr__(self) -> str:
        contacts, left = (int((self.kinds == kind).sum()) for kind in (Spell.CONTACT, Spell.UNDECIDED))
        return f"ContactTimes({self.status.name}, {counted(contacts, 'contact')}, {left} undecided)"

    def summary(self) -> str:
        """One paragraph: which bodies touch how often, and what is not decided."""
        first, last = self.time_span
        sentences = [f"From t = {first!r} to t = {last!r}: {'; '.join(self._counts())}."]
        left = self.kinds == Spell.UNDECIDED
        if left.any():
            widths = (self.ends[:, 1] - self.begins[:, 0])[left]
            sentences.append(f"{counted(int(left.sum()), 'spell')} of {float(widths.sum()):.3g} in all, the longest of "
                             f"{float(widths.max()):.3g}, {'is' if left.sum() == 1 else 'are'} undecided.")
        return " ".join([*sentences, *self.notes, effort(self.iterations, self.seconds)])

    def _counts(self) -> Iterator[str]:
        """In words, how often the bodies of each pair touch."""
        touching = [pair for pair in dict.fromkeys(map(tuple, self.pairs.tolist()))
                    if (self.kinds[(self.pairs == pair).all(axis=1)] == Spell.CONTACT).any()]
        for i, j in touching[:ROWS]:
            own = (self.pairs == (i, j)).all(axis=1) & (self.kinds == Spell.CONTACT)
            first, second = (label(self.bodies, k, "body ") for k in (i, j))
            yield f"{first} and {second} have {counted(int(own.sum()), 'spell')} of contact"
        if len(touching) > ROWS:
            yield f"so do {counted(len(touching) - ROWS, 'more pair')}"
        which = "no other pair is" if touching else "no pair is"
        decided = self.status in (Status.CONTACT, Status.NO_CONTACT)
        yield f"{which} found to touch" + (", which is proved" if decided else "")

    def _repr_html_(self) -> str:
        rows = [[", ".join(label(self.bodies, body) for body in self.pairs[k]), self.kinds[k].name.lower(), interval(self.begins[k]),
                 interval(self.ends[k])] for k in range(min(len(self), ROWS))]
        return card(self.summary(), ["bodies", "spell", "begins", "ends"], rows, len(self), "spell")


def contact_times(known: Mapping[Pair, tuple[Windows, Sequence[tuple[float, float]]]], span: tuple[float, float], tolerance: float,
                  finished: bool, others: Spell, **fields: Any) -> ContactTimes:
    """The answer, of the windows in which each pair is proved apart or to meet, and of those in which it is proved to meet some time."""
    rows = [(pair, *row) for pair, (windows, met) in sorted(known.items()) for row in _spells(windows, met, span, tolerance)]
    kinds = np.empty(len(rows), object)
    kinds[:] = [kind for _, kind, *_ in rows]
    ends = np.array([(begin, end) for *_, begin, end in rows], float).reshape(-1, 2, 2)
    status = Status.NO_CONTACT if (kinds == Spell.SEPARATION).all() else Status.CONTACT
    if others is Spell.UNDECIDED or (kinds == Spell.UNDECIDED).any():
        status = Status.UNRESOLVED if finished else Status.BUDGET_SPENT
    return ContactTimes(status=status, pairs=np.array([pair for pair, *_ in rows], np.int64).reshape(-1, 2), kinds=kinds,
                        begins=ends[:, 0], ends=ends[:, 1], time_span=span, others=others, **fields)


_Row = tuple[Spell, tuple[float, float], tuple[float, float]]


def _spells(windows: Windows, met: Iterable[tuple[float, float]], span: tuple[float, float], tolerance: float) -> list[_Row]:
    """Kind, beginning and end of spells that cover the time span."""
    joined, met = _joined(windows), list(met)
    _check(joined, met)
    joined = [(max(lo, span[0]), min(hi, span[1]), meet) for lo, hi, meet in joined]
    rows: list[_Row] = []
    last, begin = None, (span[0], span[0])
    for lo, hi, meet in [*joined, (span[1], span[1], None)]:
        gap = begin[0] if last is None else last[0], lo
        bracket = last is not None and meet is not None and gap[1] - gap[0] <= tolerance
        end = gap if bracket else (gap[0], gap[0])
        if last is not None:
            rows.append((Spell.CONTACT if last[1] else Spell.SEPARATION, begin, end))
        apart = (meet is False) if last is None else (last[1] is False and meet is None)
        if apart and gap[0] == gap[1] and any(gap == both for both in met):
            # They touch just as the time span begins, or ends.
            rows.append((Spell.CONTACT, gap, gap))
        same = last is not None and last[1] == meet
        if same or (gap[0] < gap[1] and not bracket):
            touch = bracket and meet is False and any(gap[0] <= a and b <= gap[1] for a, b in met)
            rows.append((Spell.CONTACT if touch else Spell.UNDECIDED, end, gap if bracket else (lo, lo)))
        begin, last = gap if bracket else (lo, lo), (hi, meet)
    return rows


def _joined(windows: Windows) -> list[tuple[float, float, bool]]:
    """The windows in order, those of one kind as one that overlap; or share an end, unless bodies are apart, and may touch then."""
    found: list[tuple[float, float, bool]] = []
    for lo, hi, meet in sorted(windows):
        if found and meet == found[-1][2] and (lo < found[-1][1] or (meet and lo == found[-1][1])):
            found[-1] = found[-1][0], max(hi, found[-1][1]), meet
        else:
            found.append((lo, hi, meet))
    return found


def _check(windows: Windows, met: Iterable[tuple[float, float]]) -> None:
    """Raises ContradictionError if contact is both proved and excluded."""
    for (_, hi, first), (lo, _, second) in itertools.pairwise(windows):
        if lo < hi and first != second:
            raise ContradictionError(f"Contact is both proved and excluded from t = {lo!r} to t = {hi!r}")
    for a, b in met:
        if any(lo < a and b < hi for lo, hi, meet in windows if not meet):
            raise ContradictionError(f"Contact is excluded from t = {a!r} to t = {b!r}, and proved to come then")
