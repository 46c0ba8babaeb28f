"""Bodies in a span of time, or at one moment: their parts, the boxes round these, and where surfaces are proved to meet."""

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.constants import enclose
from codegen.deadline import check
from generative import IDENTITY, ImplicitBody
from generative.creases import asks_numbers, divided
from generative.rest import carrier

from ..bodies.cells import Cell
from ..bodies.extent import Extent, extent_of
from ..bodies.flat_faces import flat_faces
from ..bodies.implicit_parts import is_large
from ..bodies.mesh import Mesh
from ..bodies.mesh_cells import Faces, Triangles
from ..bodies.numbers import Numbers
from ..bodies.parameters import Ranges, variable_of
from ..bodies.parts import Pole, faces_of, parts_of
from ..bodies.relative_frames import relative_frames
from ..bodies.staged import Staged
from ..bodies.surface_points import FEW
from ..culling.boxes_apart import boxes_of_faces, boxes_through, greatest_distances, least_distances, meeting, slices_in
from ..moment.inside import inside
from ..moment.pairs import Pair, Pairs
from ..moment.start import crossings, met
from ..search.clock import Clock
from ..search.problem import Problem
from ..situations.occupancy import Occupancy
from ..situations.points_at import approached, distances_at, rounded
from ..situations.presence import near, occupancy_of, where, without_absent
from .whereabouts import Whereabouts, common, is_closed

# Effort only. In so many boxes it is decided whether surfaces meet, if it can be.
_MEETING = 20_000
# So many first for the faces that are nearest as far as is known, where there are others.
_PROMISING = 5000
# So many places where surfaces seem to meet are looked at.
LOOKED_AT = 64
# Where Newton's method begins, as shares of the ranges of all parameters.
_SHARES = 0.5, 0.3, 0.8
# Against the size of what is asked about, a distance that is not told from 0.
SMALL = 1e-6
# So many stages are tried there.
_STAGES = 16
# The parameter width of the smallest boxes.
WIDTH = 1e-9
# At so many corners of the ranges of parameters, and in the middle, it is asked whether surfaces meet.
_CORNERS = 8

# So many pairs of bodies are looked at together.
_AT_ONCE = 1 << 14

# Values of the parameters that have ranges, by their names as variables.
Sample = Mapping[str, float]
# What encloses a place of a problem, and values of parameters there that are not among its variables.
Where = tuple[Problem, np.ndarray, Sample]


@dataclass
class Found:
    """The least distance as far as it is known: `lower` and `upper` bound it; `finished`: the search came to its end; `boxes` may hold
    nearest points, each of a problem with what is known of it (`native.layout`); `meets`: the surfaces are proved to meet there; `best`
    holds points that are as near as `upper`; `nearer`: that is nearer than asked. `waiting`: the pairs that are not searched to the end,
    with what they are apart at least; None where that is not known yet. `stands`: the search of some of them that was ended.
    """

    lower: float = 0.0
    upper: float = math.inf
    finished: bool = False
    boxes: list[tuple[Problem, int, np.ndarray]] = field(default_factory=list)
    best: Where | None = None
    meets: Where | None = None
    nearer: bool = False
    waiting: dict[Pair, float] | None = None
    stands: Any = None

    def open(self, reach: float) -> bool:
        """Whether there is more to be searched."""
        return self.meets is None and not self.upper < reach < math.inf


class Neighbourhood:
    """Bodies in a span of time, or at one moment, with parameters in ranges."""

    def __init__(self, bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], ignored: Pairs,
                 ranges: Ranges) -> None:
        self.relative = relative_frames(bodies, _asked(len(bodies), ignored))
        bodies = self.relative.bodies
        self.staged = Staged(bodies, time, span, ranges)
        self.span, self.values, self.free = span, ranges, self.staged.free
        self.ranges = {s: ends for s, ends in ranges.items() if ends[0] != ends[1]}
        # In the first stage; what is asked of bodies in their own frames is the same in all.
        self.numbers = tuple(self.staged.numbers(k) for k in range(len(bodies)))
        self.bodies = tuple(divided(m.body, own.pairs) if asks_numbers(m.body) else m.body
                            for m, own in zip(self.staged.members, self.numbers, strict=True))
        self._carriers = [carrier(body) for body in bodies]
        self.charts: list[frozenset[Pole]] = [frozenset()] * len(bodies)
        self.slices, self.stages = slices_in(self.staged.ends)
        self.flat = {k: found for k, b in enumerate(self.bodies) if (found := flat_faces(b, self.numbers[k])) is not None}
        self.names = tuple(self.flat[k].names(own) if k in self.flat else own for k, own in enumerate(self.free))
        self.crowded = {k for k, b in enumerate(self.bodies) if k not in self.flat and isinstance(b, ImplicitBody) and is_large(b)}
        # Of pairs of bodies of which one is crowded: where they may be nearest, and which of them are not as near as others are.
        self.whereabouts, self.apart = dict[Pair, Whereabouts](), set[Pair]()
        self.closed = dict[int, int]()
        self._parts, self._boxes = dict[int, Sequence[Cell]](), dict[int, np.ndarray]()
        for k in range(len(bodies)):
            self._look_at_parts(k)
        self.around = np.stack([_hull(self._boxes[k]) for k in range(len(bodies))])
        self.size = float(max(np.ptp(self.around[..., :], axis=(0, 1, 3)).max(), 1e-300))

    def _look_at_parts(self, k: int) -> None:
        """The parts of a body, and boxes round them."""
        self._parts[k] = self._parts_of(k)
        self._boxes[k] = self._boxes_of(k)
        self.closed[k] = len(self._parts[k])
        others = [p for p in self._candidates(k) if not is_closed(p)] if k in self.crowded else []
        if others:
            found, boxes = common(others, self._parts[k], self._boxes[k])
            self._parts[k], self._boxes[k] = [*self._parts[k], *found], np.concatenate([self._boxes[k], boxes])

    def _parts_of(self, k: int) -> Sequence[Cell]:
        """All parts of an implicit body, of crowded ones the faces, of flat ones closed patches; the triangles of a mesh; of another one
        its closed faces, and the poles that have no smooth parameters.
        """
        if k in self.flat:
            return self.flat[k]
        if isinstance(self.bodies[k], Mesh):
            return Faces(Triangles(self.bodies[k]))
        found = self._candidates(k)
        found = tuple(filter(is_closed, found)) if k in self.crowded else without_absent(found, self.numbers[k], self.span)
        return tuple(p for p in found if p.leaves or p.is_face or p.around is not None)

    def _candidates(self, k: int) -> Sequence[Cell]:
        """The candidates for parts of a body; of an implicit one of many leaves those that may have a point."""
        found = parts_of(self.bodies[k], self.charts[k])
        return without_absent(found, self.numbers[k], self.span) if is_large(self.bodies[k]) else found

    def _boxes_of(self, k: int) -> np.ndarray:
        if not self._parts[k]:
            return np.empty((0, len(self.slices), 3, 2))
        parts = self._parts[k]
        if isinstance(parts, Faces):
            return boxes_of_faces(parts, self.numbers[k], self.slices, self._table(k))
        return boxes_through([self._extent(k, p) for p in self._parts[k]], self.slices, self._table(k))

    def _table(self, k: int) -> np.ndarray | None:
        """(slices, p, 2): the numbers of a body in each slice; None if they stay the same."""
        found = self.staged.table(k)
        if found is not None and k in self.flat:
            found = found[:, self.flat[k].columns]
        return None if found is None else found[self.stages]

    def part_numbers(self, k: int, stage: int = 0) -> Numbers:
        """The numbers that the parts of a body take in a stage, some of which are the variables of these `names`."""
        own = self.staged.numbers(k, stage)
        return self.flat[k].moving(own) if k in self.flat else own

    def _extent(self, k: int, part: Cell, stage: int = 0) -> Extent:
        """The extent of a part with the numbers of a stage."""
        found = where(part, self.numbers[k], self.span) if part.leaves else None
        return extent_of(part, self.part_numbers(k, stage), None if found is None else tuple(map(tuple, found.tolist())))

    def rests(self, label: Pair) -> bool:
        """Whether two bodies keep their shapes and places: all that is asked of them is then known at one moment."""
        return all(self._carriers[k] == IDENTITY for k in label)

    def window(self, label: Pair, stage: int) -> tuple[float, float]:
        """The time in which two bodies are looked at in a stage."""
        return (self.span[0],) * 2 if self.rests(label) else self.stage_window(stage)

    def stage_window(self, stage: int) -> tuple[float, float]:
        return self.span if len(self.staged) == 1 else (float(self.staged.ends[stage]), float(self.staged.ends[stage + 1]))

    # -- pairs --------------------------------------------------------------------------------------------------------

    def pairs(self) -> list[tuple[float, Pair]]:
        """The pairs of bodies that are asked about, those that may be nearest first."""
        i, j = self.relative.pairs.T
        least = np.empty(len(i))
        for begin in range(0, len(i), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            least[some] = least_distances(self.around[i[some]], self.around[j[some]]).min(axis=1)
        order = np.argsort(least, kind="stable")
        return [(float(least[k]), (int(i[k]), int(j[k]))) for k in order]

    def reach(self, label: Pair) -> float:
        """An upper bound of the distance of two bodies."""
        i, j = label
        return float(greatest_distances(self.around[i], self.around[j]).max(initial=0.0))

    # -- what is near where bodies may be nearest ---------------------------------------------------------------------

    def reached(self, label: Pair, side: int) -> dict[int, np.ndarray]:
        """The numbers of the parts of one of two bodies that reach into boxes that may hold nearest points, and into which. Edges and
        vertices of crowded bodies are looked at more closely where they seem to.
        """
        k, whereabouts = label[side], self.whereabouts[label]
        found = {i: whereabouts.reached(side, self._boxes[k][i]) for i in range(self.closed[k])}
        for i in range(self.closed[k], len(self._boxes[k])):
            check()
            part = self._parts[k][i]
            into = whereabouts.reached(side, self._boxes[k][i], self._occupancy(k).numbers(part))
            for look in (near, where):
                box = look(part, self.numbers[k], self.span) if into.any() else None
                if box is None:
                    into = np.zeros_like(into)
                    break
                extent = extent_of(part, self.numbers[k], tuple(map(tuple, box.tolist())))
                into = into & whereabouts.reached(side, boxes_through([extent], self.slices, self._table(k))[0])
            found[i] = into
        return {i: into for i, into in found.items() if into.any()}

    def _occupancy(self, k: int) -> Occupancy:
        return occupancy_of(self.bodies[k], self.numbers[k], self.span)

    def _met(self, problem: Problem, side: int, boxes: np.ndarray) -> np.ndarray:
        """The leaves and sides of a crowded body that may be met in boxes in the frame of the face that a problem is about, whose leaf has
        its number.
        """
        k = self.relative.label(problem.label)[side]
        if k not in self.crowded:
            return np.empty((len(boxes), 0), bool)
        return self._occupancy(k).met(boxes, int(problem.features[side].split()[1]))

    def _faces_reached(self, label: Pair, side: int, faces: Sequence[Cell]) -> list[tuple[Cell, np.ndarray]]:
        """Faces, and into which boxes they reach that may hold common points; all of them where no such boxes are known."""
        if label not in self.whereabouts:
            return [(face, np.ones(1, bool)) for face in faces]
        boxes, own = self.whereabouts[label].within(0.0), self._boxes[label[side]]
        closed = self._parts[label[side]][:self.closed[label[side]]]
        known = {id(part): boxes.reached(side, around) for part, around in zip(closed, own, strict=False)}
        whole = np.ones(len(boxes.when[0]), bool)
        return [(face, known.get(id(face), ~whole if face.leaves else whole)) for face in faces]

    # -- where surfaces meet ------------------------------------------------------------------------------------------

    def meet(self, labels: Iterable[Pair], clock: Clock, found: Found, stages: Mapping[Pair, Collection[int]] | None = None) -> None:
        """Look for places where the surfaces of pairs of bodies are proved to meet. Where they seem to, the distance is at most that of
        points there. For ranges of parameters: with some values of these. `stages`: of each pair those that are looked at; None: all in
        which boxes meet.
        """
        for label, sample in itertools.product(labels, self.samples(found)):
            for stage in self._stages_near(label):
                if found.meets is None and (stages is None or stage in stages[label]):
                    self._meet_at(label, stage, sample, clock, found)

    def _stages_near(self, label: Pair) -> list[int]:
        """The stages in which boxes round two bodies meet."""
        near = self.stages[least_distances(*(self.around[k] for k in label)) == 0.0]
        return [] if not len(near) else [0] if self.rests(label) else np.unique(near).tolist()

    def _meet_at(self, label: Pair, stage: int, sample: Sample, clock: Clock, found: Found) -> None:
        numbers = self._numbers_at(label, stage, sample)
        faces = [self._faces_reached(label, side, self._faces_near(*pair)) for side, pair in enumerate((label, label[::-1]))]
        pairs = [(a, b) for (a, first), (b, second) in itertools.product(*faces) if (first & second).any()]
        if not pairs:
            return
        nearest, span = self._nearest_of(pairs, found), self.window(label, stage)
        search, _ = met(nearest or pairs, span, WIDTH, clock, numbers, _PROMISING if nearest else _MEETING)
        if nearest and not search.proved < math.inf:
            search, _ = met(pairs, span, WIDTH, clock, numbers, _MEETING)
        if search.proved < math.inf:
            problem = search.problems[search.best_problem].with_data(label=self.relative.given(label))
            found.meets = problem, search.arrays["best"][:len(problem.variables)].copy(), sample
            return
        for k in search.possible_ones().tolist()[:LOOKED_AT]:
            domain = self._domain(span, numbers, *pairs[search.owner(k)])
            self._look_at(search.problem_of(k).with_data(label=self.relative.given(label)), search.found(k).mean(axis=1), domain, sample,
                          found)

    @staticmethod
    def _nearest_of(pairs: Sequence[tuple[Cell, Cell]], found: Found) -> list[tuple[Cell, Cell]]:
        """The pairs of faces, of many, on which the known nearest points are."""
        features = found.best[0].features if found.best is not None and len(pairs) > FEW else None
        return [(a, b) for a, b in pairs if (a.feature, b.feature) == features]

    def _faces_near(self, k: int, other: int) -> Sequence[Cell]:
        """The faces of a body; those of a mesh that are near another body."""
        if k in self.flat:
            return self._parts[k]
        if not isinstance(self._parts[k], Faces):
            return faces_of(self.bodies[k])
        near = np.flatnonzero(meeting(self._boxes[k], self.around[other]))
        return [self._parts[k][i] for i in near.tolist()]

    def samples(self, found: Found) -> Iterator[Sample]:
        """Values in the ranges of parameters: where points are nearest as far as is known, in the middle, and at corners. None
        where a range holds no double.
        """
        if not self.ranges:
            yield {}
            return
        ends = {variable_of(s): (enclose(lo)[1], enclose(hi)[0]) for s, (lo, hi) in self.ranges.items()}
        if any(lo > hi for lo, hi in ends.values()):
            return
        middle = {name: 0.5 * (lo + hi) for name, (lo, hi) in ends.items()}
        if found.best is not None:
            problem, box, sample = found.best
            rows = dict(zip(problem.variables, box.mean(axis=1).tolist(), strict=True))
            yield {name: min(max(rows.get(name, sample.get(name, at)), ends[name][0]), ends[name][1]) for name, at in middle.items()}
        yield middle
        for corner in itertools.islice(itertools.product(*ends.values()), _CORNERS):
            yield dict(zip(ends, corner, strict=True))

    def _numbers_at(self, label: Pair, stage: int, sample: Sample) -> tuple[Numbers, Numbers]:
        """The numbers of two bodies in a stage with these values of the parameters that have ranges: doubles within them."""
        first, second = (self._numbers_of(k, stage, sample) for k in label)
        return first, second

    def _numbers_of(self, k: int, stage: int, sample: Sample) -> Numbers:
        own, names = self.part_numbers(k, stage), self.names[k]
        if not any(names):
            return own
        at = [(sample[name],) * 2 if name else tuple(row) for name, row in zip(names, own.intervals.tolist(), strict=True)]
        return Numbers(own.symbols, [None if name else e for name, e in zip(names, own.exact, strict=True)], np.array(at))

    @staticmethod
    def _domain(window: tuple[float, float], numbers: tuple[Numbers, Numbers], a: Cell, b: Cell) -> np.ndarray:
        """The box within the domains of two faces, and the time: problems of crossings keep clear of borders."""
        ends = [own.bounds(part.domain)[1].reshape(-1, 2) for own, part in zip(numbers, (a, b), strict=True)]
        return np.concatenate([*ends, [window]])

    def seem_to_meet(self, label: Pair, found: Found) -> bool:
        """Whether surfaces come together by Newton's method from places on faces. Of implicit ones that is not known. False if they are
        proved to meet there.
        """
        faces = [list(itertools.islice(self._smooth_near(*pair), LOOKED_AT)) for pair in (label, label[::-1])]
        sample, stages = next(self.samples(found), None), self._stages_near(label)
        if sample is None:
            return False
        for stage in stages[::1 + len(stages) // _STAGES]:
            for (a, box), (b, other) in itertools.islice(itertools.product(*faces), LOOKED_AT):
                now = self.stages == stage
                if least_distances(box[now], other[now]).min() == 0.0 and self._come_together(label, stage, (a, b), sample, found):
                    return False
        return found.upper <= SMALL * self.size

    def _come_together(self, label: Pair, stage: int, faces: tuple[Cell, Cell], sample: Sample, found: Found) -> bool:
        """Look for common points of two faces from some places, in a stage; return whether one is proved."""
        numbers, window = self._numbers_at(label, stage, sample), self.window(label, stage)
        problem = crossings([faces], window[0], numbers, self.relative.given(label))[0]
        for share in _SHARES:
            domain = self._domain(window, numbers, *faces)
            self._look_at(problem, domain @ [1.0 - share, share], domain, sample, found)
            if found.meets is not None:
                return True
        return False

    def _smooth_near(self, k: int, other: int) -> Iterator[tuple[Cell, np.ndarray]]:
        """The parametric faces of a body near another one, and boxes round them."""
        for i in np.flatnonzero(meeting(self._boxes[k], self.around[other])).tolist():
            part = self._parts[k][i]
            if part.is_face and not part.leaves:
                yield part, self._boxes[k][i]

    @staticmethod
    def _look_at(problem: Problem, at: np.ndarray, domain: np.ndarray, sample: Sample, found: Found) -> None:
        """Note the distance of points near which surfaces may meet: of parametric ones, as they come nearest by Newton's method."""
        if len(problem.equations) != 3 or len(domain) != len(problem.variables):
            return
        places = rounded(problem, approached(problem, at, domain), domain)
        far = distances_at(problem, places)
        k = int(np.argmin(far))
        if far[k] < found.upper:
            found.upper, found.best = float(far[k]), (problem, np.repeat(places[k][:, None], 2, axis=1), sample)
        if far[k] == 0.0:
            found.meets = found.best

    def nested(self, clock: Clock) -> tuple[list[Pair], list[Pair]]:
        """The pairs of bodies with surfaces proved apart of which the first is proved to have a piece inside the second, when the time
        begins, and those where that is not decided.
        """
        proved, unknown = [], []
        for _, label in self.pairs():
            for i, j in (label, label[::-1]):
                if self._may_be_inside(i, j):
                    answer = inside(self.bodies[i], self.bodies[j], self.span[0], clock, (self.numbers[i], self.numbers[j]))
                    proved += [self.relative.given((i, j))] if answer else []
                    unknown += [self.relative.given((i, j))] if answer is None else []
        return proved, unknown

    def _may_be_inside(self, i: int, j: int) -> bool:
        """Whether the box round a part of body i lies in that round body j. Those of bodies that deform are of the first slice."""
        boxes, around = self._boxes[i][:, 0], self.around[j, 0]
        return bool(((boxes[..., 0] >= around[:, 0]) & (boxes[..., 1] <= around[:, 1])).all(axis=1).any())


def _asked(count: int, ignored: Pairs) -> np.ndarray:
    """(n, 2): the pairs of bodies that are asked about."""
    pairs = np.stack(np.triu_indices(count, 1), axis=1)
    return np.asarray(pairs[~ignored.holds(*pairs.T)])


def _hull(boxes: np.ndarray) -> np.ndarray:
    """(slices, 3, 2) of (parts, slices, 3, 2)."""
    return np.stack([boxes[..., 0].min(axis=0, initial=math.inf), boxes[..., 1].max(axis=0, initial=-math.inf)], axis=-1)
