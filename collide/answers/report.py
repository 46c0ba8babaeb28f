"""Makes the `Contacts` of what a search found: which solutions count, where they are, and what was proved of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from codegen.interval import Interval

from ..moment.start import Start
from ..search.clock import CONVERTING, SEARCHING, Clock
from ..search.native.layout import EXISTS, LOCATED, UNIQUE
from ..search.problem import Problem
from ..search.search import Search
from .contacts import Contacts, Status
from .distinct import distinct, labels
from .left_open import Windows, in_the_way, left_open, named_pairs
from .local_minimum import come_to_touch

States = Mapping[tuple[int, int], Start]

# A speed of approach below this part of the speeds of both bodies may be nothing but rounding.
_SLOW = 1e-9
# Against the spacing, how far from a contact a sample is another place: a contact may be a sample of other features, too, and rounded
# then. A spacing may be larger than a line, of which one sample lies between the ends.
_ELSEWHERE = 2.0**-12


class _Found(NamedTuple):
    """Solutions: their numbers, what is known of each, and the times of its box, (k, 2)."""

    numbers: np.ndarray
    kinds: np.ndarray
    times: np.ndarray

    def those(self, which: np.ndarray) -> "_Found":
        return self if which.all() else _Found(self.numbers[which], self.kinds[which], self.times[which])


class _Verdict(NamedTuple):
    """The answer that follows from the solutions that count."""

    status: Status
    bracket: Interval | None
    clear: float
    notes: tuple[str, ...] = ()


class _Listed(NamedTuple):
    """The solutions that are listed, what is known of them, and their normals."""

    known: Sequence[int]
    kinds: Sequence[int]
    normals: np.ndarray


_UNCOMPARED = ("What was found is listed as it is: places were not compared with each other, so none is called isolated, some may be "
               "listed several times, and normals are missing.")


def contacts(s: Search | None, finished: bool, bodies: Sequence[Any], span: tuple[float, float], start: States, clock: Clock,
             seen: float, notes: tuple[str, ...] = (), nesting: Collection[tuple[int, int]] = (), near: Windows | None = None) -> Contacts:
    """The answer: what the search found, when everything up to the time `seen` was looked at. A search None means that there was nothing to
    search.

    If the time is up, or Ctrl-C comes, before all solutions were compared with each other, they are listed without that. `near`: when which
    pairs come near each other; None where that is not known.
    """
    answer = _answer(s, finished, bodies, span, start, clock, seen, notes, nesting)
    if answer.status in (Status.CONTACT, Status.NO_CONTACT):
        return answer
    last = span[1] if answer.time is None else answer.time[1]
    left: Collection[tuple[int, int]] = start
    if near is not None:
        left = left_open(s, near, seen if finished or s is not None else answer.clear_until, last)
    stood = in_the_way(s, clock, bodies) if answer.status is Status.BUDGET_SPENT and clock.late else ()
    return replace(answer, open=left, notes=(*answer.notes, *stood))


def _answer(s: Search | None, finished: bool, bodies: Sequence[Any], span: tuple[float, float], start: States, clock: Clock,
            seen: float, notes: tuple[str, ...], nesting: Collection[tuple[int, int]]) -> Contacts:
    if s is None:
        status = Status.BUDGET_SPENT if not finished else Status.NO_CONTACT if seen >= span[1] else Status.UNRESOLVED
        told = _Verdict(status, None if status is Status.NO_CONTACT else Interval(seen, span[1]), seen)
        return _assemble(None, told, _Listed([], [], np.empty((0, 3))), bodies, span, start, clock, notes, nesting)
    verdict = listed = None
    with clock.reporting():
        found = _counted(s, bodies, start)
        verdict = _verdict(s, found, finished, bodies, span, seen, start)
        listed = _listed(s, found, finished, start)
    verdict = verdict or _verdict(s, _early(s), finished, bodies, span, seen, start)
    if listed is None:
        listed, notes = _unlisted(s), (*notes, _UNCOMPARED)
    return _assemble(s, verdict, listed, bodies, span, start, clock, (*notes, *verdict.notes), nesting)


def _verdict(s: Search, found: _Found, finished: bool, bodies: Sequence[Any], span: tuple[float, float], seen: float,
             start: States) -> _Verdict:
    proved = s.proved
    # Adding 0.0 turns -0.0 into 0.0.
    clear = min(seen, s.least_left(span[1]), float(found.times[:, 0].min(initial=np.inf))) + 0.0
    status, bracket = Status.NO_CONTACT, None
    if not finished:
        status, bracket = Status.BUDGET_SPENT, Interval(clear, min(proved, span[1]))
    elif proved < np.inf:
        status, bracket = Status.CONTACT, Interval(clear, proved)
    elif len(found.numbers) or s.clear < np.inf:
        latest = max(span[0], s.latest_left, float(found.times[:, 1].max(initial=-np.inf)))
        status, bracket = Status.UNRESOLVED, Interval(clear, min(span[1], latest))
    elif clear < span[1]:
        status, bracket = Status.UNRESOLVED, Interval(clear, span[1])
    return _Verdict(status, bracket, clear, (*(_standing(s, found, bodies, start) if clear <= span[0] else ()), *_left(s, bodies)))


def _early(s: Search) -> _Found:
    """The solutions that may be among the first contacts."""
    numbers = s.possible_ones()
    found = _Found(numbers, s.arrays["kind"][numbers], s.times(numbers))
    return found.those(found.times[:, 0] <= s.proved + s.simultaneity)


def _counted(s: Search, bodies: Sequence[Any], start: States) -> _Found:
    """Those of them that count. A unique contact that comes later than the proved one counts only if bodies come to touch there."""
    early = _early(s)
    later = (early.kinds == UNIQUE) & (early.times[:, 0] > s.proved)
    if not later.any():
        return early
    numbers = zip(early.numbers.tolist(), later, strict=True)
    return early.those(np.array([not doubt or _comes_to_touch(s, k, bodies, start) for k, doubt in numbers], bool))


def _listed(s: Search, found: _Found, finished: bool, start: States) -> _Listed:
    """The solutions that count, each place once. If something is proved, then of the others only those that may come before it are listed.
    The contact that proves the time need not be in a listed box.
    """
    wanted = (found.kinds >= EXISTS) | (found.times[:, 0] < s.proved - s.simultaneity)
    known = distinct(s, found.numbers[wanted if wanted.any() else slice(None)].tolist())
    rest = found.numbers[found.kinds == EXISTS]
    kinds = _kinds(s, known, rest)
    if finished and len(rest):
        added = s.leave_out(np.setdiff1d(rest, known).tolist())
        known, kinds = [*known, *added], [*kinds, *map(s.kind, added)]
    return _Listed(known, kinds, _normals(s, known, start))


def _unlisted(s: Search) -> _Listed:
    """All solutions, listed without comparing them. So none is called unique: it might lie on a curve of others."""
    found = _early(s)
    known = found.those(found.kinds >= LOCATED)
    return _Listed(known.numbers.tolist(), np.minimum(known.kinds, EXISTS).tolist(), np.full((len(known.numbers), 3), np.nan))


def _assemble(s: Search | None, verdict: _Verdict, listed: _Listed, bodies: Sequence[Any], span: tuple[float, float], start: States,
              clock: Clock, notes: tuple[str, ...], nesting: Collection[tuple[int, int]]) -> Contacts:
    known, kind = listed.known, np.array(listed.kinds, np.int64)
    problems = [] if s is None else s.problems_of(known)
    return Contacts(
        status=verdict.status, time=verdict.bracket, clear_until=max(verdict.clear, span[0]),
        points=np.empty((0, 3)) if s is None else _middle(s.arrays["place"][known]), normals=listed.normals,
        proved=kind == UNIQUE, existence=kind >= EXISTS, pairs=np.array([p.label for p in problems], np.int64).reshape(-1, 2),
        features=[p.features for p in problems], held=[p.held for p in problems], variables=[p.variables for p in problems],
        boxes=[] if s is None else s.boxes_of(known), iterations=clock.boxes, seconds=clock.seconds, start=start,
        bodies=tuple(bodies), time_span=span, notes=(*notes, *(_spent(clock) if verdict.status is Status.BUDGET_SPENT else ())),
        nesting=frozenset(nesting))


def _comes_to_touch(s: Search, k: int, bodies: Sequence[Any], start: States) -> bool:
    """Whether bodies come to touch at solution k. True where that is not known, and for bodies that do not start apart."""
    problem, at = s.problem_of(k), _middle(s.found(k))
    if problem.incoming or not bodies:
        return True
    (normal,) = _normals(s, [k], start)
    return come_to_touch(problem, at, normal, bodies)


def _standing(s: Search, found: _Found, bodies: Sequence[Any], start: States) -> tuple[str, ...]:
    """The pairs that begin with contacts that cannot be told from new ones; None for those that are not decided at the start."""
    problems = {*s.arrays["owner"][found.numbers].tolist()} | s.left
    pairs = sorted(pair for pair in {s.problems[p].label for p in problems if s.problems[p].incoming}
                   if pair in start and start[pair] is not Start.UNKNOWN)
    if not pairs:
        return ()
    return (f"What bodies {named_pairs(bodies, pairs)} begin with cannot be told from a new contact: name it in `tracked` to find later "
            "ones.",)


def _left(s: Search, bodies: Sequence[Any]) -> tuple[str, ...]:
    """The pairs of bodies that start apart and were not searched to the end."""
    pairs = sorted({p.label for p in (s.problems[k] for k in s.left) if not p.incoming})
    if not pairs:
        return ()
    return (f"Bodies {named_pairs(bodies, pairs)} may touch and stay so without crossing, which rounding cannot tell from a near miss: the "
            "search for what comes later there was left.",)


def _spent(clock: Clock) -> tuple[str, ...]:
    """The limit that ended the work; if it was the time, also the activities that took it."""
    if not clock.late:
        return (clock.reason(),)
    again = "What is converted and compiled is kept, so the same call again has most of that time to search."
    mostly = clock.went_to.get(CONVERTING, 0.0) > clock.went_to.get(SEARCHING, 0.0)
    return (clock.reason(), clock.account(), *([again] if mostly else []))


def _middle(boxes: np.ndarray) -> np.ndarray:
    return 0.5 * (boxes[..., 0] + boxes[..., 1])


def _kinds(s: Search, known: Sequence[int], samples: np.ndarray) -> list[int]:
    """The proved properties of each solution, seen together with all samples of curves and patches.

    A contact that is unique in its own situation need not be isolated: where a face lands flat, its corner is the only contact of that
    corner. If samples of a curve or patch of the same two bodies, from another situation and perhaps at the same time, lie round such a
    contact, and elsewhere, it counts as one that exists.
    """
    kinds = [s.kind(k) for k in known]
    if not len(samples) or UNIQUE not in kinds:
        return kinds
    middle, pair = _middle(s.arrays["place"]), labels(s)
    owner, apart = s.arrays["owner"], s.spacing
    for number, k in enumerate(known):
        if kinds[number] == UNIQUE:
            far = np.linalg.norm(middle[samples] - middle[k], axis=1)
            early = s.times(samples)[:, 0] <= s.latest(k)
            others = early & (owner[samples] != owner[k]) & (pair[owner[samples]] == pair[owner[k]])
            if (others & (_ELSEWHERE * apart < far) & (far < 2.0 * apart)).any():
                kinds[number] = EXISTS
    return kinds


# -- normals ---------------------------------------------------------------------------------------------------


def _normals(s: Search, known: Sequence[int], start: States) -> np.ndarray:
    """(k, 3): the unit normal at each of the solutions, those of a problem at once."""
    numbers, normals = np.asarray(known, np.int64), np.full((len(known), 3), np.nan)
    owners = s.arrays["owner"][numbers]
    for p in dict.fromkeys(owners.tolist()):
        problem, own = s.problems[p], owners == p
        apart = problem.label in start and (start[problem.label] is Start.DISJOINT or not problem.incoming)
        normals[own] = unit_normals(problem, _middle(s.boxes(p, numbers[own])), apart)
    return normals


def unit_normals(problem: Problem, at: np.ndarray, apart: bool) -> np.ndarray:
    """The separating directions at contacts (k, variables), approximately: (k, 3), NaN where there is none.

    For bodies that start apart it is the direction in which they approach, whichever way their normals were declared. For other bodies, and
    where bodies do not approach, the declared side decides.
    """
    candidates = problem.candidates(at)
    if not candidates.shape[1]:
        return np.full((len(at), 3), np.nan)
    size = np.abs(candidates[:, :, :3]).max(axis=2)
    good = (size > 0) & (size < np.inf)
    chosen: Any = np.s_[:, 0] if candidates.shape[1] == 1 else (np.arange(len(at)), good.argmax(axis=1))
    best, size, good = candidates[chosen], size[chosen], good[chosen]
    direction, (speed, against, declared) = best[:, :3], best[:, 3:].T
    side = np.where(np.abs(speed) > _SLOW * against, speed, declared) if apart else declared
    with np.errstate(invalid="ignore"):
        # By a power of two, which is exact: bodies of any size have normals whose squares overflow.
        direction = direction / np.ldexp(1.0, np.frexp(size)[1] - 1)[:, None]
        length = np.sqrt((direction**2).sum(axis=1))
        normals: np.ndarray = direction / np.where(side >= 0, length, -length)[:, None]
    normals[~good] = np.nan
    return normals
