"""Agreement of two answers to one question.

An answer is a claim: there is no contact before `clear`, and there is one by `by`. Two claims contradict each other where one proves a
contact at a time that the other proves to be free of any, or where one lists less than all contacts at the first time. What one knows and
the other does not is no contradiction; `weaker` says it in a word, to be counted. Times are compared as the rational numbers they are: ways
that change units or origins do so exactly, so rounding is no excuse.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import sympy as sp

from collide import Start, Status

# Points are middles of boxes in doubles: so near each other, against a size of the scene of about one, they count as one place.
NEAR = 1e-4


@dataclass(frozen=True)
class Place:
    """One listed point: where, of which bodies (i < j), the normal outward from body i, when, and what is proved of it."""

    at: np.ndarray
    pair: tuple[int, int]
    normal: np.ndarray
    time: tuple[Fraction, Fraction]
    unique: bool
    exists: bool


@dataclass(frozen=True)
class Claim:
    """What an answer says, in units and numbers of bodies of the scene as it was drawn.

    `by` is None where no contact is proved. `start`: the states of the pairs; claims about pairs that do not start apart speak of other
    contacts. `places` is None where an answer does not list all; `simultaneity`: how much later than the first they are listed.
    `spacing`: at most so far from a place another one stands for it. `asked`: the calls that were made, for `source`. `same_question`:
    what is meant by a contact is the same as of the scene also where bodies do not start apart.
    """

    way: str
    status: Status
    clear: Fraction
    by: Fraction | None
    end: Fraction
    start: dict[tuple[int, int], Start] = field(default_factory=dict)
    places: tuple[Place, ...] | None = None
    simultaneity: Fraction = Fraction(0)
    spacing: float = 0.0
    seconds: float = 0.0
    asked: tuple[Any, ...] = ()
    same_question: bool = False

    @property
    def comparable(self) -> bool:
        return all(state is Start.DISJOINT for state in self.start.values())

    @property
    def isolated(self) -> bool:
        """Are all contacts at the first time listed, and all of them isolated?"""
        return self.status is Status.CONTACT and self.places is not None and all(p.unique for p in self.places)

    def __str__(self) -> str:
        by = "-" if self.by is None else repr(float(self.by))
        found = "" if self.places is None else f", {len(self.places)} places, {sum(p.unique for p in self.places)} unique"
        return f"{self.way}: {self.status.name}, clear until {float(self.clear)!r}, contact by {by}{found}"


def closed_form(time: Any, end: Any) -> Claim:
    """What is known of a scene from its formulas: the time of the first contact, to thirty digits, or "none"."""
    last = Fraction(str(sp.N(end, 40)))
    start = {(0, 1): Start.DISJOINT}
    if time == "none":
        return Claim("closed form", Status.NO_CONTACT, last, None, last, start)
    near, room = Fraction(str(sp.N(time, 60))), Fraction(1, 10**40)
    return Claim("closed form", Status.CONTACT, near - room, near + room, last, start)


def contradictions(claims: list[Claim]) -> Iterator[str]:
    """Everything in which claims contradict themselves, or each other, a line each."""
    for claim in claims:
        yield from _own(claim)
    for a, b in combinations(claims, 2):
        yield from _states(a, b)
        if (a.comparable and b.comparable) or (a.same_question and b.same_question and a.start == b.start):
            for one, other in ((a, b), (b, a)):
                yield from _time(one, other)
                yield from _missing(one, other)


def weaker(claims: list[Claim]) -> Iterator[str]:
    """Which claims know less than another one, as "way: UNRESOLVED"."""
    known = any(c.status in (Status.CONTACT, Status.NO_CONTACT) for c in claims)
    for c in claims:
        if not c.comparable:
            yield f"{c.way}: start not decided"
        elif known and c.status in (Status.UNRESOLVED, Status.BUDGET_SPENT):
            yield f"{c.way}: {c.status.name}"


def _own(c: Claim) -> Iterator[str]:
    if c.by is not None and c.by < c.clear:
        yield f"a contact proved by {float(c.by)!r}, and none before {float(c.clear)!r}: {c}"
    if c.status is Status.CONTACT and c.by is None:
        yield f"CONTACT without a bracket: {c}"
    if c.status is Status.NO_CONTACT and (c.clear < c.end or c.places):
        yield f"NO_CONTACT that is not clear to the end {float(c.end)!r}, or lists places: {c}"
    for p in c.places or ():
        if c.comparable and p.exists and p.time[1] < c.clear:
            yield f"a contact proved at {p.at} by {float(p.time[1])!r}, and none before {float(c.clear)!r}: {c}"


def _states(a: Claim, b: Claim) -> Iterator[str]:
    for pair in a.start.keys() & b.start.keys():
        if {a.start[pair], b.start[pair]} == {Start.DISJOINT, Start.OVERLAPPING}:
            yield f"bodies {pair} start {a.start[pair].name} in {a.way}, {b.start[pair].name} in {b.way}"


def _time(a: Claim, b: Claim) -> Iterator[str]:
    """A contact is proved by one at a time at which the other proves that there is none."""
    if a.by is None:
        return
    if a.by < b.clear or (b.status is Status.NO_CONTACT and a.by <= b.end):
        yield f"a contact proved by {float(a.by)!r}, and none before {float(b.clear)!r}: {a} / {b}"


def _missing(a: Claim, b: Claim) -> Iterator[str]:
    """An isolated contact that one proves at a time at which the other lists all, and does not list this one."""
    if a.places is None or b.places is None or b.status is not Status.CONTACT or a.status is not Status.CONTACT:
        return
    for p in a.places:
        if not p.unique or p.time[1] > max(a.clear, b.clear) + min(a.simultaneity, b.simultaneity):
            continue
        near = [q for q in b.places if np.linalg.norm(p.at - q.at) <= (NEAR if b.isolated else max(NEAR, 2 * b.spacing))]
        if not any(q.pair == p.pair for q in near):
            yield f"an isolated contact of bodies {p.pair} at {p.at} in {a.way} is not listed in {b.way}: {a} / {b}"
        elif a.isolated and b.isolated and not any(_alike(p, q) for q in near):
            yield f"the normals at {p.at} are {p.normal} in {a.way} and {near[0].normal} in {b.way}"


def _alike(p: Place, q: Place) -> bool:
    """The same direction, or one is not known; of a body with itself, in either sense."""
    apart = min(np.linalg.norm(p.normal - sign * q.normal) for sign in ((1, -1) if p.pair[0] == p.pair[1] else (1,)))
    return not apart > 1e-3
