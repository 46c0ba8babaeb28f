"""Parts of moving bodies that may meet, each pair with its window of time.

The faces of a body are closed, so they meet whenever anything of the bodies meets. Where both bodies are parametric and start apart,
the faces alone therefore tell when that is: edges and vertices are looked at only round the contacts found, to say what was hit and to
prove it. Other pairs need all their parts: a crease of implicit bodies is not a border of faces, and what touches already is searched
for incoming contacts of each kind.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from generative import u, v

from ..bodies.cells import Cell
from ..bodies.extent import Extent, extent_of
from ..bodies.implicit_parts import Candidates, is_large
from ..bodies.mesh import Mesh
from ..bodies.numbers import Numbers
from ..bodies.parts import Pole, faces_of, parts_of
from ..bodies.surface_points import FEW
from ..culling.broad_phase import Asked, Window, may_meet, windows
from ..moment.pairs import Pair, Pairs
from ..search.problem import Problem
from ..situations.presence import is_still, near, outline, where, without_absent
from .near_parts import Group, LeafBody, NearParts
from .near_triangles import Bundle, as_window, is_bundle
from .situated import Features, Meeting, Situated, placed

# Of no more parts it is counted which pairs are asked about.
_COUNTED = 64


class Approaching(Situated):
    """Their parts, and those pairs of them that come near each other. `near`: the faces that do."""

    # The pairs of bodies that it is about, None: all; and what no part is looked at for.
    labels: tuple[Pair, ...] | None
    left_out: list[Pairs]
    charts: list[frozenset[Pole]]
    # The beginning of what is asked about, where the span may begin earlier; and until when surfaces are proved apart.
    begin: float
    apart_until: dict[Pair, float]

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
        return [(k, part) for k in bodies for part in self._faces_of(k) if part.is_face]

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

    def asked(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Whether pairs of bodies i < j, arrays, are looked at."""
        known = np.ones(len(i), bool)
        for left in filter(None, self.left_out):
            known &= ~left.holds(i, j)
        return known

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
        """The windows in which pairs of parts, by their numbers, may meet. `closely`: parts of large bodies are looked at so if they come
        near others at all.
        """
        place = near if closely else outline
        met = windows([self.extent(owner, part, place) for owner, part in parts], owners, self.span, asked=asked, shared=self._frames)
        if not closely or not any(is_large(part.body) for _, part in parts):
            return met
        left = sorted(k for k in {k for pair in met for k in pair}
                      if not is_large(parts[k][1].body) or where(parts[k][1], self.numbers[parts[k][0]], self.span) is not None)
        again = windows([self.extent(*parts[k]) for k in left], owners[left], self.span, asked=asked, shared=self._frames)
        return {(left[a], left[b]): window for (a, b), window in again.items()}

    def _closer_faces(self, meetings: list[Meeting], at: float) -> list[Meeting]:
        """Those of pairs of faces that may meet at a moment, where bodies have many leaves."""
        late = [m for m in meetings if is_large(m.first.body) or is_large(m.second.body)]
        absent = {m for m in late if any(c.leaves and where(c, n, self.span) is None
                                         for c, n in zip((m.first, m.second), self.pair_numbers(m.label), strict=True))}
        doubt = [m for m in late if m not in absent]
        met = may_meet([(self.extent(m.label[0], m.first), self.extent(m.label[1], m.second)) for m in doubt], (at, at))
        apart = absent.union(m for m, meet in zip(doubt, met.tolist(), strict=True) if not meet)
        return [m for m in meetings if m not in apart]

    def single(self, meetings: Iterable[Meeting], window: Window) -> list[Meeting]:
        """Meetings, those of single triangles that may meet within a window in the place of those of all of a mesh."""
        found: list[Meeting] = []
        for m in meetings:
            bundle = self._bundle(replace(m, closed=True), as_window(window)) if is_bundle(m) else None
            found += [m] if bundle is None else bundle.meetings(bundle.until(math.inf))
        return found

    def _bundle(self, m: Meeting, window: Window) -> Bundle:
        return Bundle.of(m, self.extent, self.shared(m.label), window, not self.apart(m.label))

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
        """Whether the parts of two bodies are looked for as far in time as they are asked for."""
        bodies = [self.bodies[k] for k in label]
        return any(map(is_large, bodies)) and not any(isinstance(body, Mesh) for body in bodies)

    def _parts_near(self, label: Pair) -> NearParts:
        sides = [self._groups(k) for k in label]
        groups, owners = [*sides[0], *sides[1]], np.repeat(label, [len(own) for own in sides])
        return NearParts(groups, windows([g.extent for g in groups], owners, self.span))

    def _groups(self, body: int) -> list[Group]:
        """The groups of a body that are looked at first."""
        numbers = self.numbers[body]
        if not is_large(self.bodies[body]):
            return [Group(self.extent(body, part), part) for part in self.parts(body)]
        candidates = parts_of(self.bodies[body])
        assert isinstance(candidates, Candidates)
        return LeafBody(candidates, numbers, self.span, lambda part, box: placed(part, numbers, box)).groups()

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

    def lasting(self, body: int) -> Sequence[Cell]:
        """The parts of a body except those of which it is proved that they are nowhere, whatever the numbers of its motion."""
        parts = parts_of(self.bodies[body], self.charts[body])
        return without_absent(parts, self.numbers[body], self.span) if is_still(parts) else parts

    def lasting_extents(self, body: int) -> list[Extent]:
        """The extents, in their own frames, of the parts that `lasting` lists."""
        parts = self.lasting(body)
        return [self.extent(body, p) if is_still(parts) else extent_of(p, self.numbers[body]) for p in parts]
