"""What there is to search in a scene: parts of bodies that may meet, each pair with its window of time.

The faces of a body are closed, so they meet whenever anything of the bodies meets. Where both bodies are parametric and start apart,
the faces alone therefore tell when that is: edges and vertices are looked at only round the contacts found, to say what was hit and to
prove it. Other pairs need all their parts: a crease of implicit bodies is not a border of faces, and what touches already is searched
for incoming contacts of each kind.
"""

import copy
import functools
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
import sympy as sp

from codegen.deadline import check
from codegen.machine.linked import crowded
from generative import ImplicitBody, u, v
from generative.changes import is_short, pieces_of, smooth_bodies
from generative.creases import asks_numbers, divided
from generative.family import Member, member_of
from generative.products import Product, common
from generative.rest import at_rest, carried_along, carrier

from ..bodies.cells import Cell, whole_of
from ..bodies.extent import Extent, extent_of
from ..bodies.implicit_parts import Candidates, is_large
from ..bodies.mesh import Mesh
from ..bodies.motions import divided as divided_motion
from ..bodies.numbers import NONE, Numbers, both, check_numbers, numbers_of
from ..bodies.parts import Pole, ends_of, faces_of, like, parts_of
from ..bodies.surface_points import FEW, boxes_at
from ..culling.broad_phase import Asked, Shared, Window, may_meet, windows
from ..culling.sweep import sweep_and_prune
from ..moment.pairs import Pair, Pairs, Starts, pairs_in
from ..moment.start import Beginning, Start, apart_within, crossings, nested, start_of
from ..search.clock import Clock
from ..search.problem import Problem
from ..situations.contact import member, situation, with_numbers
from ..situations.part_nearby import nearby
from ..situations.presence import is_still, near, outline, where, without_absent
from ..situations.tracking import Known, Tracked, known_points
from . import jumps
from .course import Course, Held
from .near_parts import Group, NearParts, Side
from .near_triangles import Bundle, as_window, faces_at, is_bundle, own_columns

# Of no more parts it is counted which pairs are asked about.
_COUNTED = 64


Features = tuple[Pair, str, str]


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two parts of the bodies `label` = (i, j) that may meet within `window`. `closed`: faces that stand for their borders, too."""

    label: Pair
    first: Cell
    second: Cell
    window: Window
    closed: bool = False

    @property
    def features(self) -> Features:
        """What names it among the meetings of a scene, where a face may have several parts."""
        return self.label, self.first.feature, self.second.feature


class Scene:
    """The parts of all bodies, and the situations of those that come near each other."""

    def __init__(self, bodies: Sequence[Any], time: tuple[Any, Any], span: Window, tracked: Sequence[Tracked], *,
                 tangency: bool = True, closed: bool = True, numbers: Sequence[Numbers] | None = None,
                 ignored: Pairs | None = None, course: Course | None = None, carried: Sequence[Any] | None = None) -> None:
        """`closed`: faces may stand for their borders. `numbers`: of bodies that are formulas of families already. `ignored`: pairs of
        bodies that are not asked about. `course`: of bodies that follow splines; the scene is then that of its first stage. `carried`: the
        bodies as they were given, where those of families do not tell which of them move alike.
        """
        given, self.course, self.holds = carried or bodies, course, (-math.inf, math.inf)
        # What it was when it was made; do formulas hold across a knot; and the pairs of bodies that the scene is about, None: all.
        self._first: Scene | None = None
        self.across = False
        self.labels: tuple[Pair, ...] | None = None
        if course is not None:
            check_numbers(bodies, [Member(b) for b in bodies], course.values)
            bodies, numbers, self.holds, _ = course.piece(0)
            span, time = (span[0], float(course.ends[1])), (time[0], time[1] if len(course.ends) == 2 else sp.Rational(course.ends[1]))
        self.time, self.span, self.tangency, self.closed = time, span, tangency, closed
        members = [member_of(b) if numbers is None else Member(b) for b in bodies]
        if numbers is None:
            check_numbers(bodies, members)
        self.numbers = tuple(numbers or map(numbers_of, members))
        self.bodies = tuple(divided(m.body, own.pairs) if asks_numbers(m.body) else m.body
                            for m, own in zip(members, self.numbers, strict=True))
        self.tracked = {pair: known_points([item for item in tracked if item.pair == pair], self.bodies)
                        for pair in {item.pair for item in tracked}}
        self._carriers = [carrier(body) for body in given]
        self.resting = Pairs(len(self.bodies), groups=carried_along(self._carriers))
        # What no part is looked at for: pairs that are not asked about, and, once it is known how they begin, those at rest.
        self.left_out = [Pairs(len(self.bodies)) if ignored is None else ignored]
        self.charts: list[frozenset[Pole]] = [frozenset()] * len(self.bodies)
        self.states = Starts(len(self.bodies), Start.UNKNOWN, self.left_out[0])
        # Pairs whose surfaces are proved apart at the beginning, where it is not decided whether one body encloses the other.
        self.undecided: set[Pair] = set()
        # Likewise, where one does; pairs that touch as the span begins, and part at once; and until when surfaces are proved apart.
        self.nested: set[Pair] = set()
        self.parted: set[Pair] = set()
        self.apart_until: dict[Pair, float] = {}
        self.early: frozenset[Pair] = frozenset()
        self.begin = span[0]
        # A moment at which bodies may meet that count as apart: what they do there need not be tangent.
        self.unproved = -math.inf
        self._place()

    @property
    def first(self) -> "Scene":
        """What it was when it was made."""
        return self._first or self

    def _place(self) -> None:
        bodies = range(len(self.bodies)) if self.labels is None else sorted({k for label in self.labels for k in label})
        self._parts: dict[int, Sequence[Cell]] = {k: self._parts_of(k) for k in bodies if not is_large(self.bodies[k])}
        self.near, self.many = self._near(self._faces(bodies), self.labels), True
        self._meetings: list[Meeting] | None = None
        self.bundles: list[Bundle] = []
        self._late_parts: dict[Pair, NearParts] = {}
        self._kinds: dict[Any, tuple[Problem, tuple[Numbers, ...]]] = {}

    def _parts_of(self, body: int) -> Sequence[Cell]:
        return without_absent(parts_of(self.bodies[body], self.charts[body]), self.numbers[body], self.span)

    def _faces(self, bodies: Iterable[int]) -> list[tuple[int, Cell]]:
        return [(k, part) for k in bodies for part in self._faces_of(k) if part.dimension == 2]

    def _faces_of(self, body: int) -> Sequence[Cell]:
        """The faces of a body, of one of few leaves all parts."""
        if not is_large(self.bodies[body]):
            return self.parts(body)
        return [face for face in faces_of(self.bodies[body]) if outline(face, self.numbers[body], self.span) is not None]

    def parts(self, body: int) -> Sequence[Cell]:
        """Those of a body of many leaves are found when they are asked for."""
        if body not in self._parts:
            self._parts[body] = self._parts_of(body)
        return self._parts[body]

    def use_chart(self, problem: Problem, variable: int, end: int) -> None:
        """Use smooth parameters round the pole at an end of a variable of a problem."""
        name = problem.variables[variable]
        side = int(name[-1]) - 1
        body, face = problem.label[side], int(problem.features[side].split()[1])
        self.charts[body] |= {(face, u if name[0] == "u" else v, end)}
        self._parts[body], self._meetings = self._parts_of(body), None
        # The parts of a face are where it was, so they meet nothing else, nor at other times.
        known: dict[Features, Window] = {}
        for m in self.near:
            if body in m.label:
                lo, hi = known.get(m.features, m.window)
                known[m.features] = min(lo, m.window[0]), max(hi, m.window[1])
        labels = {label for label, *_ in known}
        found = self._near(self._faces(sorted({k for label in labels for k in label})), labels)
        again = [replace(m, window=(max(m.window[0], lo), min(m.window[1], hi))) for m in found if m.features in known
                 for lo, hi in [known[m.features]] if m.window[0] <= hi and lo <= m.window[1]]
        self.near = sorted([*(m for m in self.near if body not in m.label), *again], key=attrgetter("label"))

    def _near(self, parts: Sequence[tuple[int, Cell]], labels: Iterable[Pair] | None = None, closely: bool = False) -> list[Meeting]:
        """Pairs of parts of different bodies, of these pairs of bodies, that may meet. `closely`: they are not faces alone."""
        owners = np.array([k for k, _ in parts], np.int64)
        wanted = None if labels is None else Pairs(len(self.bodies), labels)

        def asked(i: np.ndarray, j: np.ndarray) -> np.ndarray:
            return self.asked(i, j) if wanted is None else self.asked(i, j) & wanted.holds(i, j)

        found = self._all_of(owners, asked if wanted is not None or any(self.left_out) else None)
        if found is None:
            found = self._windows(parts, owners, asked, closely)
        return self._cut([Meeting((parts[a][0], parts[b][0]), parts[a][1], parts[b][1], window) for (a, b), window in found.items()])

    def _cut(self, meetings: list[Meeting]) -> list[Meeting]:
        """Meetings in the time for which they are searched."""
        near = self._late(meetings)
        if self.span[0] == self.begin:
            return near
        # Only the pairs in `early` are searched from before the beginning.
        cut = [m if m.label in self.early else replace(m, window=(max(m.window[0], self.begin), m.window[1])) for m in near]
        return [m for m in cut if m.window[0] <= m.window[1]]

    def _late(self, meetings: list[Meeting]) -> list[Meeting]:
        """Meetings without the time in which surfaces are proved apart."""
        if not self.apart_until:
            return meetings
        late = [replace(m, window=(max(m.window[0], self.apart_until.get(m.label, m.window[0])), m.window[1])) for m in meetings]
        return [m for m in late if m.window[0] <= m.window[1]]

    def surfaces(self, label: Pair) -> "Scene":
        """Two bodies of which one is inside the other, as if they were apart, as their surfaces are."""
        other = copy.copy(self)
        other.labels, other.charts = (label,), list(self.charts)
        other.states = Starts(len(self.bodies), Start.DISJOINT, self.states.ignored)
        other._place()
        return other

    def part(self, label: Pair, until: float) -> None:
        """Two bodies touch as the span begins, and are apart from then on, up to a time, from which they are searched."""
        self.parted.add(label)
        self.leave_out(label, until)

    def leave_out(self, label: Pair, until: float) -> None:
        """The surfaces of two bodies are proved apart until a time, or (infinite) throughout."""
        self.apart_until[label] = until
        self.near, self._meetings = self._late(self.near), None

    def _all_of(self, owners: np.ndarray, asked: Asked | None) -> dict[Pair, Window] | None:
        """All pairs of parts over the whole span, where they are few; else None."""
        if len(owners) > _COUNTED:
            return None
        own = owners.tolist()
        pairs = [(a, b) for a, b in itertools.combinations(range(len(own)), 2) if own[a] != own[b]]
        if pairs and asked is not None:
            pairs = list(itertools.compress(pairs, asked(*owners[np.array(pairs)].T)))
        return dict.fromkeys(pairs, self.span) if len(pairs) <= FEW else None

    def _windows(self, parts: Sequence[tuple[int, Cell]], owners: np.ndarray, asked: Asked, closely: bool) -> dict[Pair, Window]:
        """When pairs of parts, by their numbers, may meet. `closely`: parts of large bodies are looked at so if they come near others at
        all.
        """
        place = near if closely else outline
        met = windows([self.extent(owner, part, place) for owner, part in parts], owners, self.span, asked=asked, shared=self._frames)
        if not closely or not any(is_large(part.body) for _, part in parts):
            return met
        left = sorted(k for k in {k for pair in met for k in pair}
                      if not is_large(parts[k][1].body) or where(parts[k][1], self.numbers[parts[k][0]], self.span) is not None)
        again = windows([self.extent(*parts[k]) for k in left], owners[left], self.span, asked=asked, shared=self._frames)
        return {(left[a], left[b]): window for (a, b), window in again.items()}

    def start(self, tolerance: float, clock: Clock) -> Starts:
        """The state of every pair at the beginning. If all their faces are apart then, one body may still enclose the other. From there on
        pairs at rest are left out: they stay as they are, so none of their contacts is new.
        """
        close = self._close(self.begin)
        self.states = Starts(len(self.bodies), Start.DISJOINT, self.states.ignored)
        # Where faces of all pairs are close there is nothing more to find.
        for label in sorted({*close, *(self._overlapping() if len(close) < len(self.states) else ())}):
            check()
            state, apart = Start.UNKNOWN, label not in close
            if label not in close:
                state = nested(self.bodies[label[0]], self.bodies[label[1]], self.begin, clock, self.pair_numbers(label))
            elif not clock.over:
                state, apart = self._start_of(label, self.begin, tolerance, clock, close[label])
            if state is not Start.DISJOINT:
                self.states.others[label] = state
            if apart and state is Start.UNKNOWN:
                self.undecided.add(label)
            elif apart and state is Start.OVERLAPPING:
                self.nested.add(label)
        self.resting.single |= {(i, j) for i, j in self.states.others if at_rest(self._carriers[i], self._carriers[j])}
        self.left_out = [*self.left_out, self.resting]
        self.near = [m for m in self.near if m.label not in self.resting]
        return self.states

    def _close(self, at: float) -> dict[Pair, list[tuple[Cell, Cell]]]:
        """The pairs of faces that may meet at a moment, by pairs of bodies."""
        close: dict[Pair, list[tuple[Cell, Cell]]] = {}
        for m in self.single(self._closer_faces([m for m in self.near if m.window[0] <= at], at), (at, at)):
            close.setdefault(m.label, []).append((m.first, m.second))
        return close

    def _closer_faces(self, meetings: list[Meeting], at: float) -> list[Meeting]:
        """Those of pairs of faces that may meet at a moment, where bodies have many leaves."""
        late = [m for m in meetings if is_large(m.first.body) or is_large(m.second.body)]
        absent = [m for m in late if any(c.leaves and where(c, n, self.span) is None
                                         for c, n in zip((m.first, m.second), self.pair_numbers(m.label), strict=True))]
        doubt = [m for m in late if m not in absent]
        met = may_meet([(self.extent(m.label[0], m.first), self.extent(m.label[1], m.second)) for m in doubt], (at, at))
        apart = {*absent, *(m for m, meet in zip(doubt, met.tolist(), strict=True) if not meet)}
        return [m for m in meetings if m not in apart]

    def single(self, meetings: Iterable[Meeting], window: Window) -> list[Meeting]:
        """Meetings, those of single triangles that may meet within a window in the place of those of all of a mesh."""
        found: list[Meeting] = []
        for m in meetings:
            bundle = self._bundle(replace(m, closed=True), as_window(window)) if is_bundle(m) else None
            found += [m] if bundle is None else bundle.meetings(bundle.until(math.inf))
        return found

    def _bundle(self, m: Meeting, window: Window) -> Bundle:
        return Bundle.of(m, self.extent, self._shared(m.label), window, not self.apart(m.label))

    def _overlapping(self) -> list[Pair]:
        """Pairs of bodies round which boxes at the beginning meet, so that one of them may enclose the other."""
        owned = [(k, p) for k, body in enumerate(self.bodies) for p in faces_of(body)]
        boxes, owners = boxes_at([self.extent(k, p, outline) for k, p in owned], self.begin), np.array([k for k, _ in owned], np.int64)
        first = np.searchsorted(owners, np.arange(len(self.bodies)))
        pairs = np.sort(sweep_and_prune(np.minimum.reduceat(boxes[..., 0], first), np.maximum.reduceat(boxes[..., 1], first)), axis=1)
        return [(i, j) for i, j in pairs.tolist() if (i, j) not in self.left_out[0]]

    def extend_back(self, reach: float, tolerance: float, clock: Clock) -> None:
        """Pairs that touch at the beginning, but are proved apart `reach` before it, come together just then. They are searched from there
        like others that start apart: a contact at the very beginning, which rounding could not tell from one before it, is then proved.
        """
        moment = self.begin - reach
        touching = [label for label in pairs_in(self.states, Start.TOUCHING) if label not in self.tracked]
        if touching and moment < self.holds[0] and self.course is not None:
            # The stages after the first one are those of a piece still.
            self._first = copy.copy(self)
            self.bodies, self.numbers, self.holds, self.across = self.course.across(self.holds[0])
        self.early = frozenset(label for label in touching if self.holds[0] <= moment < self.begin and not clock.over
                               and self._start_of(label, moment, tolerance, clock).state is Start.DISJOINT)
        if self.early:
            self.first.early = self.early
            self._begin_at(moment, sp.Rational(moment))

    def restore_begin(self, time: tuple[Any, Any]) -> None:
        """All pairs are searched from the beginning again."""
        self.early = frozenset()
        self._begin_at(self.begin, time[0])

    def _begin_at(self, moment: float, exact: Any) -> None:
        self.span, self.time = (moment, self.span[1]), (exact, self.time[1])
        self._place()

    def within(self, span: Window, bodies: Sequence[Any] | None = None) -> "Scene":
        """The same bodies in another span of time, from which on all that is known to start apart is apart; or others that are there."""
        other = copy.copy(self)
        other.bodies = self.bodies if bodies is None else tuple(bodies)
        other.charts, other.begin = list(self.charts), span[0]
        other.span, other.time = span, (sp.Rational(span[0]), sp.Rational(span[1]))
        other._place()
        return other

    def without(self, labels: Collection[Pair]) -> "Scene":
        """The same, but for pairs of bodies of which all is known."""
        if not labels:
            return self
        other = copy.copy(self)
        other.left_out = [*self.left_out, Pairs(len(self.bodies), labels)]
        other.near, other._meetings = [m for m in self.near if m.label not in labels], None
        return other

    def held(self, held: Held, span: Window, labels: Collection[Pair]) -> "Scene":
        """Likewise, with the formulas and numbers that bodies have then, of these pairs of bodies alone."""
        other = copy.copy(self)
        other.numbers, other.holds, other.labels, other.across = held.numbers, held.window, tuple(labels), held.across
        return other.within(span, held.bodies)

    def stage(self, numbers: tuple[Numbers, ...], holds: Window, span: Window, near: Sequence[tuple[Pair, Cell, Cell]]) -> "Scene":
        """The same formulas with other numbers, in another span of time, in which these parts come near each other."""
        other = copy.copy(self)
        other.numbers, other.holds, other.charts, other.begin = numbers, holds, list(self.charts), span[0]
        other.span, other.time = span, (sp.Rational(span[0]), sp.Rational(span[1]))
        by_faces = {label: self.by_faces(label) for label in {label for label, *_ in near}}
        meetings = [Meeting(label, p, q, span, by_faces[label]) for label, p, q in near]
        other._parts = {k: self.lasting(k) for k in {k for label, *_ in near for k in label}}
        other.near = [m for m in meetings if self.faces(m)]
        other._set_meetings(meetings)
        return other

    def lasting(self, body: int) -> Sequence[Cell]:
        """The parts of a body, but for those of which it is proved that they are nowhere, whatever the numbers of its motion."""
        parts = parts_of(self.bodies[body], self.charts[body])
        return without_absent(parts, self.numbers[body], self.span) if is_still(parts) else parts

    def lasting_extents(self, body: int) -> list[Extent]:
        """Where they are in their own frames, likewise."""
        parts = self.lasting(body)
        return [self.extent(body, p) if is_still(parts) else extent_of(p, self.numbers[body]) for p in parts]

    def asked(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Of bodies i < j, arrays, which pairs are looked at?"""
        known = np.ones(len(i), bool)
        for left in filter(None, self.left_out):
            known &= ~left.holds(i, j)
        return known

    def is_clear(self, window: Window, tolerance: float, clock: Clock, jumping: Collection[Pair] | None = None) -> bool:
        """Is it proved that nothing meets in a stage across a change of motion, by the formulas before it, at it and after it?

        `jumping`: of these pairs alone, where a motion jumps, by each of the formulas that may hold then.
        """
        if jumping is None and not is_short(*window):
            return False
        met = [m for m in self.near if m.window[0] <= window[1] and m.window[1] >= window[0] and (jumping is None or m.label in jumping)]
        near = may_meet([(self.extent(m.label[0], m.first), self.extent(m.label[1], m.second)) for m in met], window)
        if not near.any():
            return True
        met = list(itertools.compress(met, near))
        variants = smooth_bodies(self.bodies, *window) if jumping is None else jumps.variants(self.bodies, self.numbers, window)
        cells: dict[Pair, list[tuple[Cell, Cell]]] = {}
        for m in self.single(met, window):
            cells.setdefault(m.label, []).append((m.first, m.second))
        return bool(variants) and all(
            apart_within([(like(bodies[label[0]], a), like(bodies[label[1]], b)) for a, b in dict.fromkeys(pairs)],
                         window, tolerance, clock, self.pair_numbers(label)) for bodies in variants for label, pairs in cells.items())

    def _start_of(self, label: Pair, moment: float, tolerance: float, clock: Clock,
                  close: Sequence[tuple[Cell, Cell]] | None = None) -> Beginning:
        first, second = (self.bodies[k] for k in label)
        close = self.faces_at(label, moment) if close is None else close
        return start_of(first, second, moment, tolerance, clock, close, self.pair_numbers(label))

    def faces_at(self, label: Pair, moment: float) -> list[tuple[Cell, Cell]] | None:
        """The pairs of faces of two bodies that may meet at a moment, of a mesh those of triangles; None, which is all, without one."""
        pair = [self.bodies[k] for k in label]
        return faces_at(pair, lambda side, part: self.extent(label[side], part), moment, self._shared(label))

    def apart(self, label: Pair) -> bool:
        """Do two bodies count as apart where their search begins: proved so, or as to their surfaces, where no more is known?"""
        return self.states[label] is Start.DISJOINT or label in self.early or label in self.undecided or label in self.parted

    def crossings(self, moment: float) -> list[tuple[Meeting, Problem]]:
        """Where do faces of bodies that started apart cross at a moment?"""
        close: dict[Pair, list[Meeting]] = {}
        near = [m for m in self.near if self.apart(m.label) and m.window[0] <= moment <= m.window[1]]
        for m in self.single(self._closer_faces(near, moment), (moment, moment)):
            close.setdefault(m.label, []).append(m)
        return [found for label, own in close.items() for found in zip(
            own, crossings([(m.first, m.second) for m in own], moment, self.pair_numbers(label), label), strict=True)]

    def by_faces(self, label: Pair) -> bool:
        """Do the closed faces of two bodies tell when they meet?"""
        apart = self.apart(label) and label not in self.tracked
        return self.closed and apart and not any(isinstance(self.bodies[k], ImplicitBody) for k in label)

    def meetings(self, until: float = math.inf) -> list[Meeting]:
        """All that must be searched to know when bodies meet up to a time, in the order of their windows. Of triangles of meshes, and parts
        of bodies of many leaves, no more is looked for than may meet up to then, or has been found.
        """
        known = self.of_parts(until)
        if not self.bundles:
            return known
        found = [m for bundle in self.bundles for m in bundle.meetings(bundle.until(max(until, self.horizon)))]
        return sorted([*known, *found], key=lambda m: m.window[0])

    def of_parts(self, until: float = math.inf) -> list[Meeting]:
        """The meetings that are not of triangles of meshes, those being in `bundles`."""
        known = self._known_meetings()
        if not self._late_parts:
            return known
        found = [Meeting(label, *own) for label, parts in self._late_parts.items() for own in parts.until(max(until, self.horizon))]
        return sorted([*known, *self._cut(found)], key=lambda m: m.window[0])

    def _known_meetings(self) -> list[Meeting]:
        """Those that are all found at once."""
        if self._meetings is None:
            by_faces = {label: self.by_faces(label) for label in {m.label for m in self.near}}
            faces = [replace(m, closed=True) for m in self.near if by_faces[m.label]]
            labels = {label for label, alone in by_faces.items() if not alone}
            late = {label for label in labels if self._are_late(label)}
            owners = sorted({k for label in labels - late for k in label})
            others = self._near([(k, part) for k in owners for part in self.parts(k)], labels - late, True) if owners else []
            self._set_meetings([*faces, *others])
            self._late_parts = {label: self._parts_near(label) for label in sorted(late)}
            self.many |= bool(late)
        assert self._meetings is not None
        return self._meetings

    def _are_late(self, label: Pair) -> bool:
        """Are the parts of two bodies looked for as far in time as they are asked for?"""
        bodies = [self.bodies[k] for k in label]
        return any(map(is_large, bodies)) and not any(isinstance(body, Mesh) for body in bodies)

    def _parts_near(self, label: Pair) -> NearParts:
        sides = [self._groups(k) for k in label]
        groups, owners = [*sides[0], *sides[1]], np.repeat(label, [len(own) for own in sides])
        return NearParts(groups, windows([g.extent for g in groups], owners, self.span))

    def _groups(self, body: int) -> list[Group]:
        """What is looked at first of a body."""
        numbers = self.numbers[body]
        if not is_large(self.bodies[body]):
            return [Group(self.extent(body, part), part) for part in self.parts(body)]
        candidates = parts_of(self.bodies[body])
        assert isinstance(candidates, Candidates)
        return Side(candidates, numbers, self.span, lambda part, box: placed(part, numbers, box)).groups()

    def _set_meetings(self, meetings: Sequence[Meeting]) -> None:
        self.bundles = [self._bundle(m, m.window) for m in meetings if is_bundle(m)]
        self._meetings = sorted([m for m in meetings if not is_bundle(m)], key=lambda m: m.window[0])
        self._kinds, self._late_parts = {}, {}
        self.many, self.horizon = len(meetings) > FEW or bool(self.bundles), -math.inf

    def look_ahead(self, count: int) -> float:
        """A time up to which all meetings are known: so many more of the triangles of each mesh, or of parts of many leaves, or all."""
        self._known_meetings()
        ends = [*(bundle.more(count) for bundle in self.bundles), *(parts.more(count) for parts in self._late_parts.values())]
        self.horizon = min([self.span[1], *ends])
        return self.horizon

    def closer(self, meetings: Sequence[Meeting], span: Window) -> list[Meeting]:
        """Those of the meetings that may be within a part of the time span, each with its window there."""
        single = [m for m in meetings if m.first.of or m.second.of]
        meetings = [m for m in meetings if not (m.first.of or m.second.of)]
        parts = list(dict.fromkeys(owned for m in meetings for owned in zip(m.label, (m.first, m.second), strict=True)))
        number = {owned: at for at, owned in enumerate(parts)}
        met = windows([self.extent(k, p) for k, p in parts], [k for k, _ in parts], span, shared=self._frames)
        # Triangles were found one by one, which is closer.
        found = single
        for m in meetings:
            a, b = sorted(number[owned] for owned in zip(m.label, (m.first, m.second), strict=True))
            if (a, b) in met:
                lo, hi = max(met[a, b][0], m.window[0]), min(met[a, b][1], m.window[1])
                if lo <= hi:
                    found.append(replace(m, window=(lo, hi)))
        return found

    def problem(self, m: Meeting, span: Window) -> Problem:
        """The situation over a span of time; only incoming contacts count unless the bodies start apart."""
        whole, numbers = self.kind(m) if m.first.of or m.second.of else self._whole(m)
        window = max(m.window[0], span[0]), min(m.window[1], span[1])
        border = closed_border(m.first, m.second, window[0] <= self.unproved) if m.closed else None
        return over(whole, (m.first, m.second), numbers, window, border)

    def _whole(self, m: Meeting) -> tuple[Problem, tuple[Numbers, ...]]:
        """The situation over all of the scene's span, and its numbers."""
        build = member if self.many or crowded() or not (m.closed or self.faces(m)) else situation
        first, second = cells = self.nearby(m.label, (m.first, m.second))
        numbers = self.situation_numbers(m.label, cells)
        whole = build(whole_of(first), whole_of(second), **self.named(m.label, cells))
        return with_numbers(whole, numbers, self.time).with_data(label=m.label, features=(m.first.feature, m.second.feature)), numbers

    def nearby(self, label: Pair, cells: tuple[Cell, Cell]) -> tuple[Cell, Cell]:
        """Parts of a pair of bodies as they are searched: those of bodies of many leaves with conditions on few of these."""
        first, second = (nearby(part, numbers) for part, numbers in zip(cells, self.pair_numbers(label), strict=True))
        return first, second

    def kind(self, m: Meeting) -> tuple[Problem, tuple[Numbers, ...]]:
        """Likewise, of cells of a mesh: all of a kind differ in numbers of their own alone, which come last in those of either side."""
        key = m.label, *(whole_of(cell) if cell.of else cell for cell in (m.first, m.second))
        if key not in self._kinds:
            self._kinds[key] = self._whole(m)
        whole, numbers = self._kinds[key]
        values = whole.parameters.copy()
        for cell, columns in zip((m.first, m.second), own_columns(m, numbers), strict=True):
            values[columns] = cell.own.intervals
        return whole.with_data(parameters=values, features=(m.first.feature, m.second.feature)), numbers

    def named(self, label: Pair, cells: tuple[Cell, Cell]) -> dict[str, Any]:
        """What names the situation of two parts of a pair of bodies, beside the parts. With symbols the span is data, so it is left out."""
        symbols = tuple(numbers.symbols for numbers in self.situation_numbers(label, cells))
        named = {"time": (0, 1) if any(symbols) else self.time, "tangency": self.tangency,
                 "incoming": not self.apart(label), "tracked": self._known(label)[0], "symbols": symbols}
        return named | ({"shared": self._shared(label)} if self._shared(label) else {})

    def _shared(self, label: Pair) -> int:
        """How many factors the motions of two parametric bodies begin with in common; 0 where contacts are known, which have places in the
        world.
        """
        first, second = (self._carriers[k] for k in label)
        if label in self.tracked or first is None or second is None or any(isinstance(self.bodies[k], ImplicitBody) for k in label):
            return 0
        return common(first, second)

    @property
    def _frames(self) -> Shared | None:
        """The same of arrays of bodies; None where no pair has anything in common."""
        if sum(isinstance(m, Product) for m in self._carriers) < 2:
            return None
        return lambda i, j: np.array([self._shared(label) for label in zip(i.tolist(), j.tolist(), strict=True)], np.int64)

    def situation_numbers(self, label: Pair, cells: tuple[Cell, Cell]) -> tuple[Numbers, ...]:
        """The numbers of two parts as their situations take them: of the first, the second, known contacts, and a motion in common."""
        pair = tuple(both(n, cell.own) if cell.mover is None else cell.own for n, cell in zip(self.pair_numbers(label), cells, strict=True))
        shared = self._shared(label)
        if not shared:
            return *pair, self._known(label)[1]
        (before, first), (_, second) = (_divided_numbers(self.bodies[k], own, shared) for k, own in zip(label, pair, strict=True))
        return first, second, self._known(label)[1], before

    def _known(self, label: Pair) -> tuple[tuple[Known, ...], Numbers]:
        """The tracked contacts of two bodies, and their numbers."""
        return self.tracked.get(label, ((), NONE))

    def pair_numbers(self, label: Pair) -> tuple[Numbers, Numbers]:
        """The numbers of two bodies."""
        return self.numbers[label[0]], self.numbers[label[1]]

    @staticmethod
    def faces(m: Meeting) -> bool:
        return m.first.dimension == m.second.dimension == 2

    def extent(self, body: int, part: Cell, place: Callable[..., np.ndarray | None] = where) -> Extent:
        """Where a part is; `place` tells it of implicit ones."""
        return placed(part, self.numbers[body], place(part, self.numbers[body], self.span) if part.leaves else None)


def placed(part: Cell, numbers: Numbers, box: np.ndarray | None) -> Extent:
    """Where a part is that is in a box, if one is known."""
    return extent_of(part, numbers, None if box is None else tuple(map(tuple, box.tolist())))


@functools.lru_cache(maxsize=1024)
def closed_border(first: Cell, second: Cell, unproved: bool) -> np.ndarray:
    """Tangency is not used at any end of the faces: there may be an edge. Nor where time begins, if they may cross then (`unproved`)."""
    return np.array([*ends_of(first), *ends_of(second), (unproved, False)], int)


@functools.lru_cache(maxsize=4096)
def _divided_numbers(body: Any, numbers: Numbers, shared: int) -> tuple[Numbers, Numbers]:
    """The numbers of the first factors of a motion, and all others."""
    first = divided_motion(pieces_of(body)[0].motion, shared)[0].symbols
    return numbers.only(first), numbers.only(set(numbers.symbols) - first)


def over(problem: Problem, parts: tuple[Cell, Cell], numbers: tuple[Numbers, ...], window: Window, border: np.ndarray | None) -> Problem:
    """The problem, with the same kernels, over a window of time and the domains of parts of those it was built for; with other
    borders, where they are given.
    """
    limits = {problem.variables.index("t"): window}
    for side, part in enumerate(parts, 1):
        if part.whole and part.domain is not part.whole.domain:
            columns = [problem.variables.index(f"{name}{side}") for name in part.names]
            limits |= zip(columns, numbers[side - 1].bounds(part.domain)[0], strict=True)
    if border is None and all(ends[0] <= problem.outer[j, 0] and ends[1] >= problem.outer[j, 1] for j, ends in limits.items()):
        return problem
    outer, inner = problem.outer.copy(), problem.inner.copy()
    for box, (j, ends) in itertools.product((outer, inner), limits.items()):
        box[j] = max(box[j, 0], ends[0]), min(box[j, 1], ends[1])
    return problem.with_data(outer=outer, inner=inner, border=problem.border if border is None else border)
