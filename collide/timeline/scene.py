"""Scene: its pairs to search, the start of its bodies, and scenes derived from it, of other spans of time or of some pairs."""

import copy
import itertools
import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.deadline import check
from generative import ImplicitBody
from generative.changes import is_short, smooth_bodies
from generative.creases import asks_numbers, divided
from generative.family import member_of
from generative.relative import by_factors
from generative.rest import at_rest, carried_along, carrier
from generative.resting import Member

from ..bodies.cells import Cell
from ..bodies.numbers import Numbers, check_numbers, numbers_of
from ..bodies.parts import Pole, faces_of, like
from ..bodies.surface_points import boxes_at, face_extents
from ..bodies.thickened import Shift, gap_of, with_shift
from ..culling.broad_phase import Window, may_meet
from ..culling.shown_near import shown_near
from ..culling.sweep import sweep_and_prune
from ..moment.pairs import Pair, Pairs, Starts, pairs_in
from ..moment.start import Beginning, Start, apart_within, crossings, nested, start_of
from ..search.clock import Clock
from ..search.problem import Problem
from ..situations.presence import outline
from ..situations.tracking import Tracked, known_points
from . import jumps
from .approaching import Approaching
from .course import Course, Held
from .near_triangles import faces_at
from .situated import Meeting


class Scene(Approaching):
    """The parts of all bodies, and the situations of those that come near each other."""

    def __init__(self, bodies: Sequence[Any], time: tuple[Any, Any], span: Window, tracked: Sequence[Tracked], *,
                 tangency: bool = True, closed: bool = True, numbers: Sequence[Numbers] | None = None,
                 ignored: Pairs | None = None, course: Course | None = None, carried: Sequence[Any] | None = None,
                 shift: Shift = Shift.NONE, labels: Sequence[Pair] | None = None, reach: float | None = None) -> None:
        """`closed`: faces may stand for their borders. `numbers`: of bodies that are formulas of families already. `ignored`: pairs of
        bodies that are not asked about. `course`: of bodies that follow splines; the scene is then that of its first stage. `carried`: the
        bodies as they were given, where those of families do not tell which of them move alike. `shift`: solids with gaps are thickened by
        them; those that follow splines are so in the course. `labels`: the pairs of bodies that the scene is about, None: all.
        `reach`: the scene is about its span and this much before it, so that faces of solids with many that are proved far from all others
        then are not shown (`shown_near`).
        """
        given, self.course, self.holds = carried or bodies, course, (-math.inf, math.inf)
        if numbers is None and course is None:
            bodies = carried = by_factors(bodies)
        # What it was when it was made; and do formulas hold across a knot.
        self._first: Scene | None = None
        self.across = False
        self.labels = None if labels is None else tuple(labels)
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
        if shift is not Shift.NONE and course is None:
            shifted = [with_shift(body, own, gap_of(b), shift) for body, own, b in zip(self.bodies, self.numbers, given, strict=True)]
            self.bodies, self.numbers = tuple(body for body, _ in shifted), tuple(own for _, own in shifted)
        self.tracked = {pair: known_points([item for item in tracked if item.pair == pair], self.bodies)
                        for pair in {item.pair for item in tracked}}
        self._carriers = [carrier(body) for body in carried or given]
        self._movers = [carrier(body) for body in given]
        self.resting = Pairs(len(self.bodies), groups=carried_along(self._movers))
        # What no part is looked at for: pairs that are not asked about, and, once it is known how they begin, those at rest.
        self.left_out = [Pairs(len(self.bodies)) if ignored is None else ignored]
        if reach is not None and course is None and not tracked:
            self.bodies = shown_near(self.bodies, self.numbers, (span[0] - reach, span[1]), self.asked)
        self.charts: list[frozenset[Pole]] = [frozenset()] * len(self.bodies)
        self.states = Starts(len(self.bodies), Start.UNKNOWN, self.left_out[0])
        # Pairs whose surfaces are proved apart at the beginning, where it is not decided whether one body encloses the other.
        self.undecided: set[Pair] = set()
        # Likewise, where one does; pairs that touch as the span begins, and part at once; and until when surfaces are proved apart.
        self.nested: set[Pair] = set()
        self.parted: set[Pair] = set()
        self.apart_until: dict[Pair, float] = {}
        # Pairs whose formulas have no bound at the beginning where they could not be told apart.
        self.unbounded: set[Pair] = set()
        self.early: frozenset[Pair] = frozenset()
        self.begin = span[0]
        # A moment at which bodies may meet that count as apart: what they do there need not be tangent.
        self.unproved = -math.inf
        self._place()

    @property
    def first(self) -> "Scene":
        """The scene as it was when it was made."""
        return self._first or self

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

    def start(self, tolerance: float, clock: Clock) -> Starts:
        """The state of every pair at the beginning, as `look` tells it. From there on pairs at rest are left out: they stay as they are, so
        none of their contacts is new.
        """
        self.look(tolerance, clock)
        self.leave_out_resting()
        return self.states

    def look(self, tolerance: float, clock: Clock) -> None:
        """The state of every pair at the beginning. If all their faces are apart then, one body may still enclose the other."""
        close = self._close(self.begin)
        self.states = Starts(len(self.bodies), Start.DISJOINT, self.states.ignored)
        # Where faces of all pairs are close there is nothing more to find.
        for label in sorted({*close, *(self._overlapping() if len(close) < len(self.states) else ())}):
            check()
            state, apart, unbounded = Beginning(Start.UNKNOWN, label not in close)
            if label not in close:
                state = nested(self.bodies[label[0]], self.bodies[label[1]], self.begin, clock, self.pair_numbers(label))
            elif not clock.over:
                state, apart, unbounded = self._start_of(label, self.begin, tolerance, clock, close[label])
            if state is not Start.DISJOINT:
                self.states.others[label] = state
            if apart and state is Start.UNKNOWN:
                self.undecided.add(label)
            elif apart and state is Start.OVERLAPPING:
                self.nested.add(label)
            if unbounded:
                self.unbounded.add(label)

    def leave_out_resting(self, asked: Collection[Pair] = ()) -> None:
        """Leave out pairs at rest, except those that are `asked` whether they meet at the beginning: of all others it is known."""
        self.resting.single |= set(filter(self.rest, self.states.others))
        self.resting = self.resting.without(asked)
        self.left_out = [*self.left_out, self.resting]
        self.near = [m for m in self.near if m.label not in self.resting]

    def rest(self, label: Pair) -> bool:
        """Whether two bodies are seen not to move against each other."""
        return at_rest(*(self._movers[k] for k in label))

    def _close(self, at: float) -> dict[Pair, list[tuple[Cell, Cell]]]:
        """The pairs of faces that may meet at a moment, by pairs of bodies."""
        close: dict[Pair, list[tuple[Cell, Cell]]] = {}
        for m in self.single(self._closer_faces([m for m in self.near if m.window[0] <= at], at), (at, at)):
            close.setdefault(m.label, []).append((m.first, m.second))
        return close

    def _overlapping(self) -> list[Pair]:
        """Pairs of bodies round which boxes at the beginning meet, so that one of them may enclose the other."""
        extents = [[self.extent(k, p, outline) for p in faces_of(body)] if isinstance(body, ImplicitBody) else
                   face_extents(body, self.numbers[k]) for k, body in enumerate(self.bodies)]
        owned = [(k, own) for k, several in enumerate(extents) for own in several]
        boxes, owners = boxes_at([own for _, own in owned], self.begin), np.array([k for k, _ in owned], np.int64)
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
        """The same, except pairs of bodies of which all is known."""
        if not labels:
            return self
        other = copy.copy(self)
        other.left_out = [*self.left_out, Pairs(len(self.bodies), labels)]
        other.near, other._meetings = [m for m in self.near if m.label not in labels], None
        return other

    def held(self, held: Held, span: Window, labels: Collection[Pair]) -> "Scene":
        """The scene in another span of time, with the formulas and numbers that bodies have then, of these pairs of bodies alone."""
        other = copy.copy(self)
        other.numbers, other.holds, other.labels, other.across = held.numbers, held.window, tuple(labels), held.across
        return other.within(span, held.bodies)

    def stage(self, numbers: tuple[Numbers, ...], holds: Window, span: Window, near: Sequence[tuple[Pair, Cell, Cell]]) -> "Scene":
        """The same formulas with other numbers, in another span of time, in which these parts come near each other; each pair is looked at
        in the window alone outside of which it is proved apart.
        """
        other = copy.copy(self)
        other.numbers, other.holds, other.charts, other.begin = numbers, holds, list(self.charts), span[0]
        other.span, other.time = span, (sp.Rational(span[0]), sp.Rational(span[1]))
        by_faces = {label: self.by_faces(label) for label in {label for label, *_ in near}}
        meetings = [Meeting(label, p, q, span, by_faces[label]) for label, p, q in near]
        other._parts = {k: self.lasting(k) for k in {k for label, *_ in near for k in label}}
        meetings = other.closer(meetings, span)
        other.near = [m for m in meetings if self.faces(m)]
        other._set_meetings(meetings)
        return other

    def is_clear(self, window: Window, tolerance: float, clock: Clock, jumping: Collection[Pair] | None = None) -> bool:
        """Whether it is proved that nothing meets in a stage across a change of motion, by the formulas before it, at it and after it.

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
        return faces_at(pair, lambda side, part: self.extent(label[side], part), moment, self.shared(label))

    def crossings(self, moment: float) -> list[tuple[Meeting, Problem]]:
        """The meetings of faces of bodies that started apart, with the problems of where they cross at a moment."""
        close: dict[Pair, list[Meeting]] = {}
        near = [m for m in self.near if self.apart(m.label) and m.window[0] <= moment <= m.window[1]]
        for m in self.single(self._closer_faces(near, moment), (moment, moment)):
            close.setdefault(m.label, []).append(m)
        return [found for label, own in close.items() for found in zip(
            own, crossings([(m.first, m.second) for m in own], moment, self.pair_numbers(label), label), strict=True)]
