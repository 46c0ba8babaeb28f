"""The first contact of bodies thickened by their gaps (`Solid.gap`), and of the bodies as they are.

The thickened bodies are searched first (`bodies.thickened`). Where that search proves a contact, or that there is none, its answer is the
whole answer: it is clear of contact for every shift of the cubes, and contact is proved for every shift, so also for the bodies as they
are. Gaps of files are mostly as small as roundings, and this search then costs as much as the ordinary one.

Where gaps are so large that no box proves a contact for all shifts, the search is left after a share of the budget. What it proves to be
clear holds; a contact is then proved of the bodies as they are. A thickened body holds the body, so it is met no later than that. Ranges of
parameters (`worst_case`), rows of batches and `critical_value` are searched in the same two steps.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from codegen.interval import Interval

from ..answers.contacts import Contacts, Status
from ..answers.left_open import named_pairs
from ..bodies.thickened import MANY, Shift, gap_of
from ..moment.pairs import Pair, Pairs, pairs_in
from ..moment.start import Start
from ..search.clock import Clock
from .contact_search import ContactQuestion, ContactSearch

# What the search of thickened bodies may take, in boxes and of the time that is left. Effort only.
BOXES, SHARE = 1 << 20, 0.5


class ThickContact:
    """A question for a first contact of bodies of which some may have gaps, answered by one search or two."""

    def __init__(self, question: ContactQuestion) -> None:
        self._question, self.drawn = question, ContactSearch(question)
        self._thick: ContactSearch | None = None
        self._cut, self._limited = False, True

    def placed(self, ignored: Pairs, limited: bool) -> ContactSearch:
        """The search that comes first, with its scene: of the thickened bodies, if there are gaps. `limited`: see `ContactSearch`."""
        self._limited, thick = limited, have_gaps(self._question.bodies)
        # The same formulas serve both searches.
        self.drawn = self._begun(Shift.ZERO if thick else Shift.NONE)
        self._thick = self._begun(Shift.CUBE) if thick else None
        first = self._thick or self.drawn
        first.place(ignored)
        return first

    def _begun(self, shift: Shift) -> ContactSearch:
        return ContactSearch(self._question._replace(shift=shift), self._limited)

    def decides(self, ignored: Pairs, clock: Clock) -> bool:
        """Whether the search of the thickened bodies decides the question."""
        if self._thick is None:
            return False
        self._search(self._thick, ignored, clock, SHARE)
        return not self._thick.found.doubt and is_decided(self._thick.answer(clock), self._question.bodies)

    def again(self, ignored: Pairs, clock: Clock) -> None:
        """Search the thickened bodies once more where their share of the time ended that: what it went to, mostly formulas, is made now."""
        if self._cut and not clock.over:
            self._thick = self._begun(Shift.CUBE)
            self._search(self._thick, ignored, clock, 1.0)

    def _search(self, thick: ContactSearch, ignored: Pairs, clock: Clock, share: float) -> None:
        with clock.at_most(BOXES, share, MANY):
            with clock.working():
                scene = thick.scene or thick.place(ignored)
                thick.begin(scene, clock)
                thick.search(scene, clock)
            self._cut = clock.over

    def answer(self, clock: Clock) -> Contacts:
        """The answer by all that is proved so far."""
        if self._thick is None:
            return self.drawn.answer(clock)
        thick = self._thick.answer(clock)
        return thick if self.drawn.scene is None else together(thick, self.drawn.answer(clock), self._question.bodies)


def is_decided(thick: Contacts, bodies: Sequence[Any]) -> bool:
    """Whether the answer about thickened bodies is the whole answer. Less is claimed of these than of the bodies as they are, where they
    are neither proved apart nor to overlap at the start.
    """
    vague = (label for state in (Start.UNKNOWN, Start.TOUCHING) for label in pairs_in(thick.start, state))
    return thick.status in (Status.CONTACT, Status.NO_CONTACT) and not any(gap_of(bodies[k]) > 0.0 for label in vague for k in label)


def have_gaps(bodies: Sequence[Any]) -> bool:
    """Whether any of the bodies has a gap."""
    return any(gap_of(body) > 0.0 for body in bodies)


def together(thick: Contacts, drawn: Contacts, bodies: Sequence[Any]) -> Contacts:
    """The answer about the bodies as they are, clear of contact only as long as the thickened bodies are."""
    near = [label for label in _started(thick) if drawn.start[label] is Start.DISJOINT]
    clear = min(drawn.clear_until, drawn.time_span[0] if near else thick.clear_until)
    notes = (f"Bodies {named_pairs(bodies, near)}, thickened by their gaps, are not proved apart at the start.",) if near else ()
    known: dict[str, Any] = {"clear_until": clear, "notes": (*notes, *drawn.notes)}
    if drawn.time is not None:
        return replace(drawn, time=Interval(min(clear, drawn.time.lo), drawn.time.hi), **known)
    if clear >= drawn.time_span[1]:
        return replace(drawn, **known)
    return replace(drawn, status=Status.UNRESOLVED, time=Interval(clear, drawn.time_span[1]), open=_wide(drawn, bodies), **known)


def _started(answer: Contacts) -> list[Pair]:
    """The pairs that are not proved disjoint at the start."""
    return [label for state in Start if state is not Start.DISJOINT for label in pairs_in(answer.start, state)]


def _wide(answer: Contacts, bodies: Sequence[Any]) -> list[Pair]:
    """The pairs one of which has a gap."""
    return [label for label in answer.start if any(gap_of(bodies[k]) > 0.0 for k in label)]

