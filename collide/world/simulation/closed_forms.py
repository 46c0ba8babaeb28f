"""Next contacts of many pairs by a closed form, also of bodies that are barely in each other since they touched."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...answers.contacts import Contacts
from ...moment.start import Start
from ..motion.moving_body import MovingBody
from ..narrow_phase.pair_batch import PairBatch, Separations
from ..narrow_phase.separating_planes import Parted
from ..narrow_phase.time_of_impact import TimeOfImpact
from . import expiry
from .event_queue import PairKey
from .pair import PairState
from .parting import SOON
from .state import Simulation, ordered

# Of bodies of flat faces that part, steps begin with the time in which they move so far, against size. Effort only.
_STRIDING = 1e-9
# Against size and speed: they come no deeper, and no faster together, where they come out of each other.
_OUTWARD = 1e-12


class OpenPair(NamedTuple):
    """A pair that is known not to meet up to `begin`, and asked about up to `until`."""

    key: PairKey
    begin: float
    until: float


class Answered(NamedTuple):
    """The proof that a pair is apart, and the contact that ends it, if that is proved; `doubtful`: its bodies may be in each other as the
    time begins.
    """

    found: Parted
    hit: Contacts | None
    doubtful: bool


class _Rows:
    """The pairs that are asked about, with what a closed form tells of each by now."""

    def __init__(self, s: Simulation, form: TimeOfImpact, asked: Sequence[OpenPair]) -> None:
        self.form, self.asked, self.all = form, asked, range(len(asked))
        self.bodies: list[tuple[MovingBody, MovingBody]] = []
        for a in asked:
            i, j = ordered(s.actors, a.key.bodies)
            self.bodies.append((s.actors[i], s.actors[j]))
        self.sizes, self.speeds = [s.size(a.key) for a in asked], [expiry.closing_bound(s, a.key) for a in asked]
        self.doubtful = [s.pairs[a.key].start is not Start.DISJOINT for a in asked]
        self.fresh = [s.pairs[a.key].motions is None for a in asked]
        self.found: list[Parted] = [None] * len(asked)  # type: ignore[list-item]
        self.hits: list[Contacts | None] = [None] * len(asked)

    def batch(self, which: Sequence[int], allowed: Callable[[int], float], least: Callable[[int], float], since: bool) -> PairBatch:
        """These pairs, from the beginning on, or `since` they are not proved apart any more."""
        windows = [(self.found[n].until if since else self.asked[n].begin, self.asked[n].until) for n in which]
        strides = [_STRIDING * self.sizes[n] / self.speeds[n] if self.speeds[n] > 0.0 else math.inf for n in which]
        return PairBatch.of([self.bodies[n] for n in which], windows, [self.sizes[n] for n in which], allowed=[allowed(n) for n in which],
                            strides=strides, least=[least(n) for n in which])

    def ask(self, which: Sequence[int], allowed: Callable[[int], float], meet: Callable[[int], bool],
            least: Callable[[int], float] = lambda n: 0.0) -> None:
        """Ask of these pairs until when they are apart, or `allowed` deep in each other; and for the contacts of those of them that `meet`,
        faster than `least`.
        """
        pairs = self.batch(which, allowed, least, False)
        apart = self.form.separated_until(pairs)
        for n, found in zip(which, apart.rows(), strict=True):
            self.found[n], self.hits[n] = found, None
        come = [k for k, n in enumerate(which) if meet(n)]
        if come:
            of = pairs if len(come) == len(which) else self.batch([which[k] for k in come], allowed, least, False)
            known = apart if len(come) == len(which) else Separations.of([self.found[which[k]] for k in come])
            for k, hit in zip(come, self.form.first_contacts(of, known), strict=True):
                self.hits[which[k]] = hit

    def late(self, n: int) -> bool:
        """Whether a pair is proved apart for a while, but not to the end."""
        return self.asked[n].begin < self.found[n].until < self.asked[n].until

    def stuck(self, n: int) -> bool:
        """Whether nothing is proved of a pair."""
        return self.hits[n] is None and not self.found[n].until > self.asked[n].begin


def by_closed_form(s: Simulation, form: TimeOfImpact, asked: Sequence[OpenPair]) -> list[Answered]:
    """The times up to which pairs are proved apart, or barely in each other since they touched; and their next contacts, if proved."""
    rows = _Rows(s, form, asked)
    rows.ask(rows.all, lambda n: SOON[0] * rows.sizes[n] if rows.doubtful[n] else 0.0, rows.late)
    _come_out(rows)
    _meet_late(rows)
    return [Answered(*e) for e in zip(rows.found, rows.hits, rows.doubtful, strict=True)]


def _come_out(rows: _Rows) -> None:
    """A body that hits another is moved out of it, and may be moved into a third: it comes out again, or hits that at once."""
    deep = [n for n in rows.all if (rows.doubtful[n] or rows.fresh[n]) and not rows.found[n].until > rows.asked[n].begin
            and rows.found[n].gap > -SOON[1] * rows.sizes[n]]
    if not deep:
        return
    gaps = {n: rows.found[n].gap for n in deep}
    for n in deep:
        rows.doubtful[n] = True
    rows.ask(deep, lambda n: _OUTWARD * rows.sizes[n] - (1.0 + _OUTWARD) * gaps[n], lambda n: rows.found[n].until < rows.asked[n].until,
             lambda n: _OUTWARD * rows.speeds[n])
    stuck = [n for n in deep if rows.stuck(n)]
    if stuck:
        rows.ask(stuck, lambda n: max(SOON[0] * rows.sizes[n], -2.0 * gaps[n]), lambda n: False)


def _meet_late(rows: _Rows) -> None:
    """Pairs that meet just before they are looked at again are left for then."""
    late = [n for n in rows.all if rows.hits[n] is None and rows.found[n].until < rows.asked[n].until
            and rows.speeds[n] * (rows.asked[n].until - rows.found[n].until) <= SOON[1] * rows.sizes[n]]
    if late:
        rest = rows.form.separated_until(rows.batch(late, lambda n: SOON[0] * rows.sizes[n], lambda n: 0.0, True))
        for n, found in zip(late, rest.rows(), strict=True):
            if found.until >= rows.asked[n].until:
                rows.found[n], rows.doubtful[n] = found, True


def proved_apart(s: Simulation, key: PairKey, known: Answered) -> None:
    """Note the claim of a closed form."""
    pair = s.pairs[key]
    if known.found.since < math.inf:
        pair = pair.sure().separates()
    elif pair.state is not PairState.PARTING:
        # Bodies that may be barely in each other are not searched as if they were apart.
        pair = pair.unsure()
    pair = pair.apart_from(known.found.since) if known.doubtful else pair
    s.pairs[key] = pair.clear(known.found.until, s.versions(key))
