"""From the state of a search to the `Contacts` it found: which solutions count, where they are, and what was
proved.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from codegen.interval import Interval

from ..moment.start import Start
from ..search.drive import Clock
from ..search.native.layout import EXISTS, UNIQUE
from ..search.problem import Problem
from ..search.search import Search
from .contacts import Contacts, Status, duration
from .local_minimum import come_to_touch

Starts = dict[tuple[int, int], Start]

# So few solutions are all compared; of more, so many at a time with those that may be near.
_FEW, _AT_ONCE = 32, 64
# Against the speeds of both bodies, the speed at which they approach that may be the rounding of a graze.
_SLOW = 1e-9


def contacts(s: Search | None, finished: bool, bodies: Sequence[Any], span: tuple[float, float], start: Starts, clock: Clock,
             seen: float, notes: tuple[str, ...] = ()) -> Contacts:
    """What the search found, after everything up to the time `seen` was looked at; None: there was nothing to
    search.
    """
    if s is None:
        status, bracket = (Status.NO_CONTACT, None) if finished else (Status.BUDGET_SPENT, Interval(seen, span[1]))
        return _assemble(None, [], [], status, bracket, seen, bodies, span, start, clock, notes)
    proved, times = s.proved, s.times(s.solutions)
    found = [k for k in np.flatnonzero(times[:, 0] <= proved + s.simultaneity).tolist() if s.possible(k)]
    found = [k for k in found if s.kind(k) != UNIQUE or times[k, 0] <= proved or _comes_to_touch(s, k, bodies, start)]
    # The sum with 0.0 makes 0.0 of -0.0.
    clear = min(seen, s.clear_until(found, span[1])) + 0.0
    status, bracket = Status.NO_CONTACT, None
    if not finished:
        status, bracket = Status.BUDGET_SPENT, Interval(clear, min(proved, span[1]))
    elif proved < np.inf:
        status, bracket = Status.CONTACT, Interval(clear, proved)
    elif found or s.clear < np.inf:
        latest = max(span[0], s.latest_left, float(times[found, 1].max(initial=-np.inf)))
        status, bracket = Status.UNRESOLVED, Interval(clear, min(span[1], latest))
    # Beside what is proved, only what may come before it is worth listing. A time may be proved by a contact in no listed box.
    first = proved - s.simultaneity
    known = _distinct(s, [k for k in found if s.kind(k) >= EXISTS or times[k, 0] < first] or found)
    kinds = _kinds(s, known, found)
    if finished:
        added = s.leave_out([k for k in found if k not in set(known) and s.kind(k) == EXISTS])
        known, kinds = [*known, *added], [*kinds, *map(s.kind, added)]
    return _assemble(s, known, kinds, status, bracket, clear, bodies, span, start, clock,
                     (*notes, *(_standing(s, found) if clear <= span[0] else ()), *_left(s)))


def _assemble(s: Search | None, known: Sequence[int], kinds: Sequence[int], status: Status, bracket: Interval | None, clear: float,
              bodies: Sequence[Any], span: tuple[float, float], start: Starts, clock: Clock,
              notes: tuple[str, ...] = ()) -> Contacts:
    problems = [] if s is None else [s.problem_of(k) for k in known]
    boxes = [] if s is None else [s.found(k).copy() for k in known]
    kind = np.array(kinds, np.int64)
    return Contacts(
        status=status, time=bracket, clear_until=max(clear, span[0]),
        points=np.empty((0, 3)) if s is None else _middle(s.arrays["place"][known]), normals=_normals(problems, boxes, start),
        proved=kind == UNIQUE, existence=kind >= EXISTS, pairs=np.array([p.label for p in problems], np.int64).reshape(-1, 2),
        features=[p.features for p in problems], boxes=boxes, variables=[p.variables for p in problems], iterations=clock.boxes,
        seconds=clock.seconds, start=start, bodies=tuple(bodies), time_span=span,
        notes=(*notes, *(_spent(clock) if status is Status.BUDGET_SPENT else ())))


def _comes_to_touch(s: Search, k: int, bodies: Sequence[Any], start: Starts) -> bool:
    """Do bodies come to touch at solution k, as far as that is known? Of bodies that start apart only."""
    problem, at = s.problem_of(k), _middle(s.found(k))
    if problem.incoming or not bodies:
        return True
    (normal,) = _normals([problem], [s.found(k)], start)
    return come_to_touch(problem, at, normal, bodies)


def _standing(s: Search, found: Sequence[int]) -> tuple[str, ...]:
    """Which pairs begin with contacts that cannot be told from new ones."""
    problems = {s.owner(k) for k in found} | s.left
    pairs = sorted({s.problems[p].label for p in problems if s.problems[p].incoming})
    if not pairs:
        return ()
    return (f"What bodies {_named(pairs)} begin with cannot be told from a new contact: name it in `tracked` to find later ones.",)


def _left(s: Search) -> tuple[str, ...]:
    """Which pairs of bodies that start apart were not searched to the end."""
    pairs = sorted({p.label for p in (s.problems[k] for k in s.left) if not p.incoming})
    if not pairs:
        return ()
    return (f"Bodies {_named(pairs)} may touch and stay so without crossing, which rounding cannot tell from a near miss: the search for "
            "what comes later there was left.",)


def _named(pairs: Sequence[tuple[int, int]]) -> str:
    return "; ".join(f"{i} and {j}" for i, j in pairs[:4]) + ("; and others" if len(pairs) > 4 else "")


def _spent(clock: Clock) -> tuple[str, ...]:
    """What ended the work, or what a budget of seconds went to, where not to searching."""
    if clock.interrupted:
        return ("The work was interrupted, or the system refused memory.",)
    if not clock.over:
        return ("What ended the work is the limit of boxes or of bytes.",)
    seconds = clock.seconds
    if clock.searched > 0.5 * seconds:
        return ()
    return (f"{duration(seconds - clock.searched)} of {duration(seconds)} went to converting and compiling formulas; machine code is kept, "
            "so the same call again has most of that time to search.",)


def _middle(boxes: np.ndarray) -> np.ndarray:
    return 0.5 * (boxes[..., 0] + boxes[..., 1])


def _kinds(s: Search, known: Sequence[int], found: Sequence[int]) -> list[int]:
    """What is known of solutions among others that were found.

    Unique in its own situation is not yet isolated: the corner of a face that lands flat is the only contact of
    that corner. With samples of a manifold of another situation of the pair round it, at times that may be the same, it
    counts as a contact that exists.
    """
    kinds = [s.kind(k) for k in known]
    samples = np.array([k for k in found if s.kind(k) == EXISTS], np.int64)
    if not len(samples) or UNIQUE not in kinds:
        return kinds
    middle, pair = _middle(s.arrays["place"]), _labels(s)
    owner, apart = s.arrays["owner"], s.separation
    for number, k in enumerate(known):
        if kinds[number] == UNIQUE:
            far = np.linalg.norm(middle[samples] - middle[k], axis=1)
            early = s.times(samples)[:, 0] <= s.latest(k)
            others = early & (owner[samples] != owner[k]) & (pair[owner[samples]] == pair[owner[k]])
            if (others & (0.25 * apart < far) & (far < 2.0 * apart)).any():
                kinds[number] = EXISTS
    return kinds


def _labels(s: Search) -> np.ndarray:
    """(problems,): the same number for problems of the same pair of bodies."""
    number: dict[tuple[int, int], int] = {}
    return np.array([number.setdefault(p.label, len(number)) for p in s.problems], np.int64)


# -- one point for one place --------------------------------------------------------------------------------------


def _distinct(s: Search, found: Sequence[int]) -> list[int]:
    """The solutions without those that repeat another one of the same pair.

    Closed parts share their borders, so a point on an edge solves the problem of the face as well. A solution that is
    not proved unique is left out near one that is known better: proved unique, or proved to exist, or of features of
    lower dimension. Near means by `separation`, the distance of samples; half of it for a sample that is proved to exist.
    A surface that covers itself is met at one place for several parameters: of solutions proved unique for theirs, whose boxes meet in
    space and in time, one is kept.
    """
    numbers = np.array(sorted(found), np.int64)
    owner, kind = s.arrays["owner"][numbers], s.arrays["kind"][numbers]
    if (owner == owner[:1]).all() and not _any_meet(s.arrays["place"][numbers[kind == UNIQUE]]):
        return numbers.tolist()
    dimension = np.array([_dimension(p) for p in s.problems])[owner]
    order = numbers[np.lexsort((dimension, -np.maximum(kind, 0)))]
    left = np.full(len(order), True)
    for better, worse in _near_pairs(s, order):
        repeated = _repeats(s, order[worse], order[better])
        for k, other in zip(better[repeated].tolist(), worse[repeated].tolist(), strict=True):
            if left[k]:
                left[other] = False
    return sorted(order[left].tolist())


def _any_meet(places: np.ndarray) -> bool:
    """Do any two of a few boxes meet? Of many it is not looked at."""
    if len(places) > _FEW:
        return True
    before = (places[:, None, :, 0] <= places[None, :, :, 1]).all(axis=2)
    return int(np.count_nonzero(before & before.T)) > len(places)


def _near_pairs(s: Search, numbers: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of places in a list of solutions, the second later in the list, that may be near each other; some at a time."""
    if len(numbers) <= _FEW:
        yield np.triu_indices(len(numbers), 1)
        return
    around = _Around(s, numbers)
    for first in range(0, len(numbers), _AT_ONCE):
        yield around.later(np.arange(first, min(first + _AT_ONCE, len(numbers))))


class _Around:
    """Which of some solutions may be at the place of each other, or nearer than the separation: of tens of thousands not all pairs are
    compared.
    """

    def __init__(self, s: Search, numbers: np.ndarray) -> None:
        places = s.arrays["place"][numbers]
        self.middles = np.nan_to_num(_middle(places), posinf=0.0, neginf=0.0).T
        widths = np.nan_to_num(places[..., 1] - places[..., 0], nan=np.inf)
        # Rounding is far less than the separation doubled.
        self.reach = 2.0 * float(s.separation + widths.max(initial=0.0))
        self.along = self.middles[np.argmax(np.ptp(self.middles, axis=1))]
        self.sorted = np.argsort(self.along, kind="stable")

    def later(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of places in the list, one of `rows` and one after it."""
        along = self.along[self.sorted]
        begin = np.searchsorted(along, self.along[rows] - self.reach, "left")
        count = np.searchsorted(along, self.along[rows] + self.reach, "right") - begin
        first = np.repeat(rows, count)
        second = self.sorted[np.arange(count.sum()) + np.repeat(begin - (np.cumsum(count) - count), count)]
        left = second > first
        for x in self.middles:
            first, second = first[left], second[left]
            left = np.abs(x[first] - x[second]) <= self.reach
        return first[left], second[left]


def _dimension(p: Problem) -> int:
    return sum(("vertex", "edge", "face").index(name.split()[0]) for name in p.features)


def _repeats(s: Search, numbers: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(k,): is each solution at the place of the other one, for the same pair of bodies: in a different situation, or in the same one for
    other parameters?
    """
    owner, pair, kind = s.arrays["owner"], _labels(s), s.arrays["kind"][numbers]
    mine, theirs = owner[numbers], owner[others]
    times, others_times = s.times(numbers), s.times(others)
    later = others_times[:, 0] - times[:, 1]
    both = (kind == UNIQUE) & (s.arrays["kind"][others] == UNIQUE) & (later <= 0) & (times[:, 0] <= others_times[:, 1])
    same = (pair[mine] == pair[theirs]) & np.where(mine == theirs, both, later <= s.simultaneity)
    a, b = s.arrays["place"][numbers], s.arrays["place"][others]
    meet = ((a[..., 0] <= b[..., 1]) & (b[..., 0] <= a[..., 1])).all(axis=1)
    farthest = np.maximum(np.abs(a[..., 1] - b[..., 0]), np.abs(b[..., 1] - a[..., 0]))
    near = np.sqrt((farthest**2).sum(axis=1)) < s.separation * np.where(kind == EXISTS, 0.5, 1.0)
    return np.asarray(same & np.where(kind == UNIQUE, meet, near))


# -- normals ---------------------------------------------------------------------------------------------------


def _normals(problems: Sequence[Problem], boxes: Sequence[np.ndarray], start: Starts) -> np.ndarray:
    """(k, 3): the unit normal at each contact, all contacts of a problem at once."""
    normals = np.full((len(problems), 3), np.nan)
    numbers: dict[Problem, list[int]] = {}
    for k, p in enumerate(problems):
        numbers.setdefault(p, []).append(k)
    for problem, own in numbers.items():
        apart = problem.label in start and (start[problem.label] is Start.DISJOINT or not problem.incoming)
        normals[own] = unit_normals(problem, _middle(np.array([boxes[k] for k in own])), apart)
    return normals


def unit_normals(problem: Problem, at: np.ndarray, apart: bool) -> np.ndarray:
    """The separating directions at contacts (k, variables), approximately: (k, 3), NaN where there is none.

    Bodies that start apart come together, so the direction is the one in which they approach, whichever way their
    normals were declared; where they do not approach, and for other bodies, the declared side counts.
    """
    normals, candidates = np.full((len(at), 3), np.nan), problem.candidates(at)
    direction, speed, against, declared = candidates[..., :3], candidates[..., 3], candidates[..., 4], candidates[..., 5]
    largest = np.abs(direction).max(axis=2)
    good = (largest > 0) & (largest < np.inf)
    # Powers of two, by which to divide is exact: bodies of any size have normals whose squares overflow.
    scale = np.ldexp(1.0, np.frexp(np.where(good, largest, 1.0))[1] - 1)
    direction = direction / scale[..., None]
    length = np.sqrt((direction**2).sum(axis=2))
    side = np.where(apart & (np.abs(speed) > _SLOW * against), speed, declared)
    some = np.flatnonzero(good.any(axis=1))
    if len(some):
        first = some, good[some].argmax(axis=1)
        normals[some] = direction[first] / np.where(side >= 0, length, -length)[first][:, None]
    return normals
