"""Edges and vertices near what a search of faces located: the situations that say which parts of two bodies meet there.

Faces that are closed stand for their borders in the search for the earliest time (`scene`). Where it ends, few parts of lower
dimension may be within the time left, and each pair of them is a situation of its own (Snyder 1993, Appendix A).
"""

import functools
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from codegen.graph.expr import Expr, reachable, substitute
from codegen.kernel import Kernel

from ..bodies.cells import Cell, Path, whole_of
from ..bodies.crowd import Crowd
from ..bodies.extent import Extent, carried
from ..bodies.members import path_cells
from ..bodies.numbers import Numbers
from ..bodies.parts import faces_of, is_closed
from ..bodies.surface_points import FEW
from ..culling.broad_phase import Window, may_meet
from ..moment.pairs import Pair
from ..search.problem import Problem, formula_kernel
from ..search.search import Search
from ..situations.contact import situation
from .scene import Scene
from .situated import Meeting


def bordered(scene: Scene, meetings: Sequence[Meeting]) -> bool:
    """Whether faces stand for edges or vertices."""
    return any(m.closed and (m.first.of or m.second.of or any(not part.is_face for k in m.label for part in scene.parts(k)))
               for m in meetings)


def features(scene: Scene, search: Search, meetings: Sequence[Meeting], span: Window) -> list[Meeting]:
    """The pairs of parts of lower dimension that may be within `span` at the contacts that a search of `meetings` has located by now.

    Every contact is in an open box, or in that of a solution, or was thinned: then it is within `spacing` of a solution.
    """
    if not search.open_count and not len(search.solutions):
        return []
    thinned = bool(search.clear < np.inf)
    beside = _Beside(scene, meetings)
    left = [found for k, m in enumerate(meetings) if m.closed for found in [_left_of(beside, search, k, m, span, thinned)] if found]
    cells = _cells_of(scene, [(body, p) for found in left for body, side in zip(found.meeting.label, found.parts, strict=True)
                              for p in side], span)
    edges = [e for found in left for e in _edges(scene, search, found, span, cells)]
    # Bodies of one family have their parts in common, so parts alone do not name a pair.
    near = list({(e.label, e.first, e.second): e for e in edges}.values())
    if len(near) > FEW:
        keep = may_meet([(scene.extent(m.label[0], m.first), scene.extent(m.label[1], m.second)) for m in near], span)
        near = [m for m, kept in zip(near, keep, strict=True) if kept]
    return [m for m in near if not explained(scene, m)]


def explained(scene: Scene, m: Meeting) -> bool:
    """Whether two parts stay in one plane (across a coordinate axis), and their contacts are those of other parts, too.

    Such a situation is singular. Where flat pieces in one plane first meet, they do at edges; these touch there, away from their
    ends, so an edge is tangent to the other face at the second edge, and the situation of this edge and that face holds.
    """
    if m.first.of or m.second.of or not _in_one_plane(scene, m.first, m.second, m.label):
        return False
    if m.first.dimension == m.second.dimension == 1:
        others = [(m.first, f) for f in _faces_at(scene, m.second, m.label[1])]
        others += [(f, m.second) for f in _faces_at(scene, m.first, m.label[0])]
        return not all(_in_one_plane(scene, p, q, m.label) for p, q in others)
    return min(m.first.dimension, m.second.dimension) > 0 and all(is_closed(scene.bodies[k]) for k in m.label)


def _in_one_plane(scene: Scene, first: Cell, second: Cell, label: Pair) -> bool:
    cells = scene.nearby(label, (first, second))
    a, b = (whole_of(cell) if cell.leaves else cell for cell in cells)
    problem, numbers = situation(a, b, literal=True, **scene.named(label, cells)), scene.situation_numbers(label, cells)
    if "constant" not in problem.built:
        problem.built["constant"] = _constant(problem.equations, sum(len(own.symbols) for own in numbers))
    equations, kernel = problem.built["constant"]
    return any(_is_zero(equations[k], numbers) for k in _possible_zeros(kernel, numbers)) if equations else False


def _constant(equations: Sequence[Expr], count: int) -> tuple[list[Expr], Kernel | None]:
    """Those of the equations that have no variables and none but the first parameters, and a kernel of them."""
    own = [e for e in equations if all(node.op != "variable" and (node.op != "parameter" or node.value < count) for node in reachable([e]))]
    return own, formula_kernel(own, (), count) if own else None


def _possible_zeros(kernel: Kernel, numbers: Sequence[Numbers]) -> list[int]:
    """Which of the expressions have bounds that hold 0, with the numbers that a kernel takes one after the other."""
    intervals = np.concatenate([np.empty((0, 2)), *(own.intervals for own in numbers if own.symbols)])
    none, parameters = np.empty((1, 0)), (intervals[:, 0], intervals[:, 1])
    low, high = kernel.interval(none, none, parameters=parameters if len(intervals) else None)
    return [k for k, (a, b) in enumerate(zip(low[0].tolist(), high[0].tolist(), strict=True)) if a <= 0.0 <= b]


def _faces_at(scene: Scene, part: Cell, body: int) -> list[Cell]:
    return [f for f in faces_of(scene.bodies[body]) if any(f.surface is s for s, _ in part.outward)]


Cells = dict[tuple[int, Cell], np.ndarray]
"""Boxes (k, 3, 2) in space that hold a part of a body throughout a span of time, by (number of the body, part)."""


class _Beside:
    """The parts of bodies that may be at what is left of meetings."""

    def __init__(self, scene: Scene, meetings: Sequence[Meeting]) -> None:
        self.scene, self._faces = scene, dict[int, dict[Cell, None]]()
        for m in meetings:
            for body, cell in zip(m.label, (m.first, m.second), strict=True):
                if cell.of:
                    self._faces.setdefault(body, {})[cell] = None

    def face(self, body: int, face: Cell) -> Sequence[Cell]:
        """A face and the parts at its border."""
        if face.of:
            return (face, *face.of[0].beside(face.of[1]))
        return _on_face(self.scene.parts(body), face)

    def all(self, body: int) -> Sequence[Cell]:
        """All parts of a body; of a mesh those triangles that are searched, and what is at their borders."""
        if body not in self._faces:
            return self.scene.parts(body)
        return tuple(dict.fromkeys(part for face in self._faces[body] for part in self.face(body, face)))


class _Left(NamedTuple):
    """The rest of the problem of a meeting: boxes, and solutions near which some were thinned; and on either side the parts of the body
    that may be in them, (parts, boxes).
    """

    meeting: Meeting
    problem: Problem
    boxes: np.ndarray
    thinned: list[int]
    parts: tuple[list[Cell], list[Cell]]
    on: tuple[np.ndarray, np.ndarray]


def _left_of(beside: _Beside, search: Search, k: int, m: Meeting, span: Window, thinned: bool) -> _Left | None:
    """None where no part of lower dimension may be in what is left."""
    problem, boxes = search.problems[k], _left(search, k)
    boxes = boxes[boxes[:, -1, 0] <= span[1]]
    boxes[:, -1, 1] = np.minimum(boxes[:, -1, 1], span[1])
    own = [i for i in search.solutions if search.owner(i) == k] if thinned else []
    if not len(boxes) and not own:
        return None
    sides = []
    first, both = m.first.dimension, m.first.dimension + m.second.dimension
    for body, face, at in ((m.label[0], m.first, slice(0, first)), (m.label[1], m.second, slice(first, both))):
        parts = beside.all(body) if own else beside.face(body, face)
        extents = tuple(beside.scene.extent(body, p) for p in parts)
        on = _on_paths(extents, tuple(parts), face, boxes[:, at], problem.outer[at])
        near = np.flatnonzero(on.any(axis=1) | bool(own))
        sides.append(([parts[k] for k in near.tolist()], on[near]))
    if all(p.is_face for parts, _ in sides for p in parts):
        return None
    return _Left(m, problem, boxes, own, (sides[0][0], sides[1][0]), (sides[0][1], sides[1][1]))


def _edges(scene: Scene, search: Search, left: _Left, span: Window, cells: Cells) -> list[Meeting]:
    """Pairs of parts of lower dimension on the faces of a meeting that are in what is left of it, by the `cells` of all parts in a span."""
    m, own = left.meeting, left.thinned
    margin = search.spacing * np.array([-1.0, 1.0])
    places = np.concatenate([_places(left.problem, left.boxes),
                             np.nextafter(search.arrays["place"][own] + margin, [-np.inf, np.inf])])
    a, b = (_meets([cells[body, p] for p in parts], places) & np.pad(on, ((0, 0), (0, len(own))), constant_values=True)
            for body, parts, on in zip(m.label, left.parts, left.on, strict=True))
    both = (a[:, None] & b[None]).any(axis=2)
    begin = span[0] if m.label in scene.early else max(span[0], scene.begin)
    return [Meeting(m.label, p, q, (begin, scene.span[1])) for (p, q), meet in zip(
        itertools.product(*left.parts), both.ravel().tolist(), strict=True) if meet and not (p.is_face and q.is_face)]


def _cells_of(scene: Scene, parts: Sequence[tuple[int, Cell]], span: Window) -> Cells:
    """The boxes in which parts of bodies are throughout a span of time, all found at once."""
    owned = list(dict.fromkeys(parts))
    if not owned:
        return {}
    crowd, which = Crowd([scene.extent(body, p) for body, p in owned]), np.arange(len(owned))
    times = np.tile(span, (len(owned), 1))
    return dict(zip(owned, carried(crowd.motions(which, times), crowd.cells(which, times)), strict=True))


def _meets(cells: Sequence[np.ndarray], boxes: np.ndarray) -> np.ndarray:
    """(parts, n): whether a part, in its cells (k, 3, 2), may come into the box (n, 3, 2) in space."""
    most = max(map(len, cells))
    padded = np.stack([_padded(own, most) for own in cells])[:, :, None]
    meet = np.full((len(cells), most, len(boxes)), True)
    for k in range(3):
        meet &= (padded[..., k, 0] <= boxes[:, k, 1]) & (boxes[:, k, 0] <= padded[..., k, 1])
    return np.asarray(meet.any(axis=1))


def _is_zero(e: Expr, numbers: Sequence[Numbers]) -> bool:
    """Whether an expression without variables is exactly zero, with these numbers. Not where one is only known within bounds."""
    if not all(own.are_exact for own in numbers):
        return False
    exact = [node for own in numbers for node in own.known(e.pool).values()]
    (value,) = substitute([e], {e.pool.parameter(k).index: number for k, number in enumerate(exact)})
    return value.op == "constant" and value.value == 0


def _places(problem: Problem, boxes: np.ndarray) -> np.ndarray:
    """The places in space of the points of boxes that both parts share: (n, 3, 2)."""
    assert problem.image_kernel is not None
    if not len(boxes):
        return np.empty((0, 3, 2))
    parameters = (problem.parameters[:, 0], problem.parameters[:, 1]) if len(problem.parameters) else None
    lo, hi = problem.image_kernel.interval(boxes[..., 0], boxes[..., 1], parameters=parameters)
    return np.stack([np.maximum(lo[:, :3], lo[:, 3:]), np.minimum(hi[:, :3], hi[:, 3:])], axis=-1)


@functools.lru_cache(maxsize=4096)
def _on_face(parts: tuple[Cell, ...], face: Cell) -> tuple[Cell, ...]:
    """The face and the parts that have a path on its surface."""
    return tuple(p for p in parts if p is face or any(s is face.surface for s, _ in p.outward))


def _on_paths(extents: tuple[Extent, ...], parts: tuple[Cell, ...], face: Cell, boxes: np.ndarray, domain: np.ndarray) -> np.ndarray:
    """(parts, n): whether a point of the part may be in the box (n, p, 2) in the parameters of a face, or of a curve in the plane."""
    cells, owners = _cells_on(extents, parts, face)
    low, high = boxes[..., 0] <= domain[:, 0], boxes[..., 1] >= domain[:, 1]
    within = np.full((len(cells), len(boxes)), True)
    for j, ends in enumerate(np.moveaxis(cells, 1, 0)[:boxes.shape[1], :, None]):
        meet = (ends[..., 0] <= boxes[:, j, 1]) & (boxes[:, j, 0] <= ends[..., 1])
        if face.periods[j] != 0.0:
            # Both ends of a parameter that closes on itself are one place.
            meet |= (low[:, j] & (ends[..., 1] >= domain[j, 1])) | (high[:, j] & (ends[..., 0] <= domain[j, 0]))
        within &= meet
    on = np.full((len(parts), len(boxes)), False)
    if len(owners):
        some, begins = np.unique(owners, return_index=True)
        on[some] = np.logical_or.reduceat(within, begins, axis=0)
    for k, part in enumerate(parts):
        if part is face or part.of:
            # Where those of a mesh are, is told in space alone.
            on[k] = True
        elif _is_pole(part, face):
            # All of a side.
            on[k] = (low | high).any(axis=1)
    return on


def _is_pole(part: Cell, face: Cell) -> bool:
    return part.dimension == 0 and part.feature == face.feature and bool(_paths(part, face))


def _paths(part: Cell, face: Cell) -> list[Path]:
    return [path for surface, path in part.outward if surface is face.surface]


@functools.lru_cache(maxsize=4096)
def _cells_on(extents: tuple[Extent, ...], parts: tuple[Cell, ...], face: Cell) -> tuple[np.ndarray, np.ndarray]:
    """Cells (k, 2, 2) of the paths of parts on a face, and the number of the part of each, in order; none of the face and of poles."""
    found = [(number, path_cells(path, extent.symbols, extent.grid, extent.numbers))
             for number, (extent, part) in enumerate(zip(extents, parts, strict=True))
             if part is not face and not _is_pole(part, face) for path in _paths(part, face)]
    cells = np.concatenate([c for _, c in found]) if found else np.empty((0, 2, 2))
    return cells, np.repeat([number for number, _ in found], [len(c) for _, c in found]).astype(np.int64)


def _padded(cells: np.ndarray, most: int) -> np.ndarray:
    return np.concatenate([cells, np.repeat(cells[-1:], most - len(cells), axis=0)])


def _left(search: Search, k: int) -> np.ndarray:
    """The boxes where contacts of problem k may still be, or are: open ones and those of solutions."""
    own = [i for i in search.solutions if search.owner(i) == k and search.possible(i)]
    n = len(search.problems[k].variables)
    return np.concatenate([search.open(k), search.arrays["found"][own, :n]])
