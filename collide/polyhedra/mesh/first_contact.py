"""The first contact of two moving triangle meshes."""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np

from codegen.deadline import TimeUp, check, limited
from codegen.given import shown
from codegen.interval import Interval
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Number
from generative import IDENTITY, Motion, t

from ...answers.contacts import Status
from ...bodies.mesh import Mesh, as_mesh
from ...given import check_span
from ...proof import logged, mesh_log
from ...search.budget import Budget, as_budget
from ...search.clock import Clock
from ..exact.motion import exact_motion
from ..primitives.arguments import Motions, check_motions, check_moving_tolerance, check_straight
from ..primitives.loop import HIT, UNDECIDED
from ..primitives.memory import NO_LIMIT, Searches
from ..primitives.motion_windows import motion_windows
from ..primitives.moving_kernel import moving_window_kernel
from ..primitives.straight_kernel import window_kernel
from ..primitives.triangle_pair import weights
from . import exact_fallback, loop
from .box_kernel import meeting, rigid_boxes, straight_boxes
from .initial_overlap import crossing
from .loop import MEET, MeshMemory
from .mesh_contact import MeshContact
from .screw_rejection import OBJECTS, TESTS, ScrewAxis, ScrewBounds, axis_of, objects_apart, seen_from

# Tests a slice: some tens of milliseconds, so that Ctrl-C and budgets are prompt. Room for queued pairs, at first.
_SLICE, _ROOM = 200_000, 1 << 12
# Tests after which meshes are seen from the axis of a screw, too, which takes about as long as these. Effort only.
_UNSEEN = 2000
# As in `queries`: calls of the kernel a query, after which it is decided exactly, or queued again.
_CALLS, _MOST_CALLS = 20, 3000
# A query is not decided exactly where a proved contact comes no later than it by more than this part of the tolerance.
_SAME = 0.25


def mesh_mesh(first: Any, second: Any, tolerance: float = 1e-6, *, motions: Motions = None, time: Any = (0, 1),
              budget: Budget | float | None = None, rejection: bool | None = None,
              log: str | PathLike[str] | None = None) -> MeshContact:
    """Find when two moving triangle meshes first meet, as closed surfaces.

    Parameters
    ----------
    first, second : pair or Mesh
        (vertices, triangles), the triangles (m, 3) being indices; or a `Mesh` made of them, for several queries. Without `motions` vertices
        (2, n, 3) are places at t = 0 and at t = 1, between which they move at constant velocity. With `motions` vertices (n, 3) are in the
        frames of two bodies.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the time.
    motions : pair of Motion, optional
        Those of the two bodies.
    time : pair, optional
        The span, with `motions`.
    budget : float or Budget, optional
        Seconds, or a `Budget`: no more than its boxes, windows of time of a pair of nodes or of a query, are examined, the `iterations` of
        the result; seconds and bytes end it within some hundredths of a second. Ctrl-C ends it like a spent one.
    rejection : bool, optional
        The tests of Kim and Rossignac 2003, Section 3, for an even screw of one body beside one at rest: True has them from the start, so
        that `rejections` count all that they do, False goes without. None has them where the search is long. The answer is the same.
    log : path, optional
        A file for a log of the proof. It is found after the search, within its seconds; `notes` say what it proves.

    Returns
    -------
    MeshContact
        With `status`, and `time`, the bracket of the first contact.

    Raises
    ------
    TypeError
        For motions that are not of the class `Motion`.
    ValueError
        For anything that is no mesh (see `Mesh`), for vertices of the other kind than `motions` asks for, for motions with free parameters,
        and for a time span, tolerance or budget that is none.

    Notes
    -----
    Without `motions` the answer is exact: neither a false positive nor a false negative. With `motions` it is exact, too, where one body
    seen from the other shifts by a polynomial of t of rational coefficients, of a degree up to 4, or turns evenly about an axis, and
    neither turns nor shifts else. For other motions a contact that cannot be decided near the resolution of doubles is UNRESOLVED (see
    `edge_edge`).

    Meshes that cross at the beginning are in contact there. A mesh wholly inside another closed one does not touch it. Bodies that are
    close and move nearly alike take long: they are proved apart sooner as one sees the other, with ``motions=(a.seen_from(b), Rigid())``.

    Examples
    --------
    A tetrahedron falls on another one, which it meets at t = 1/2.

    >>> import numpy as np
    >>> from collide import mesh_mesh
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    >>> triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> above = corners + [0, 0, 1.5]
    >>> found = mesh_mesh((np.stack([corners, corners]), triangles), (np.stack([above, above - [0, 0, 1]]), triangles))
    >>> found.status, found.time[0] <= 0.5 <= found.time[1]
    (Status.CONTACT, True)
    """
    began = perf_counter()
    limit = as_budget(budget)
    span, pair = (0.0, 1.0), None
    if motions is not None:
        span, pair = check_span(time), check_motions(motions)
    else:
        check_straight(time)
    tolerance = check_moving_tolerance(tolerance, span)
    if rejection not in (True, False, None):
        raise TypeError(f"rejection is True, False or None, got {shown(rejection)}")
    search, finished, proof = None, False, None
    with contextlib.suppress(KeyboardInterrupt, TimeUp), limited(lambda: (limit.seconds or math.inf) - (perf_counter() - began)):
        meshes = as_mesh(first, "first", pair is not None), as_mesh(second, "second", pair is not None)
        if not all(len(m.triangles) for m in meshes):
            return replace(_nothing(span[1], None, began), names=_names(first, second))
        if log is not None:
            proof = mesh_log(log, meshes, pair or (IDENTITY, IDENTITY), time, span)
        axis = None if pair is None or rejection is False else axis_of(*pair)
        if axis is not None and objects_apart(axis, meshes, span):
            found = replace(_nothing(span[1], None, began), names=_names(first, second), rejections={OBJECTS: 1})
            return logged(found, proof, Clock(limit))
        search = _Search(meshes, pair, span, tolerance)
        if axis is not None and rejection:
            search.see(seen_from(axis, meshes, span))
        finished = search.run(limit, began, axis if search.seen is None else None)
    found = _unsearched(span, began) if search is None else _answer(search, finished, began)
    found = replace(found, names=_names(first, second), rejections={} if search is None else search.rejections)
    return logged(found, proof, Clock(limit))


def _names(first: Any, second: Any) -> tuple[str | None, str | None]:
    a, b = (mesh.name if isinstance(mesh, Mesh) else None for mesh in (first, second))
    return a, b


class _Search:
    cut, least = Number[float](MeshMemory), Number[float](MeshMemory)
    unused, recorded, root = Number[int](MeshMemory), Number[int](MeshMemory), Number[int](MeshMemory)
    tested, most = Number[int](MeshMemory), Number[int](MeshMemory)
    asked, leaves = Number[int](MeshMemory), Number[int](MeshMemory)

    def __init__(self, meshes: tuple[Mesh, Mesh], motions: tuple[Motion, Motion] | None, span: tuple[float, float],
                 tolerance: float, seen: ScrewBounds | None = None) -> None:
        self.meshes, self.motions, self.span, self.tolerance = meshes, motions, span, tolerance
        self.exact = None if motions is None else exact_motion(*motions)
        if self.exact is not None and all(t in m.symbols for m in motions or ()):
            # What both have in common would only widen bounds.
            motions = self.exact.motion, IDENTITY
        windows = None if motions is None else motion_windows(*motions)
        self.memory = Searches(windows, MeshMemory, {"box_room": _ROOM, "nodes": 0, "triangles": 0, "vertices": 0})
        self.memory.limits(span, tolerance, _CALLS if motions is None else _MOST_CALLS)
        self.arrays = self.memory.arrays
        for k, m in enumerate(meshes, 1):
            for name, values in (("node", m.tree.boxes), ("tree", m.tree.children), ("size", m.tree.size), ("corner", m.triangles),
                                 ("owned", m.owned), ("vertex", m.vertices)):
                self.arrays.refer(f"{name}{k}", values.ctypes.data)
        moving = motions is not None
        kernels = ([rigid_boxes(), meeting(True), moving_window_kernel(True), moving_window_kernel(True, True), moving_window_kernel(False)]
                   if moving else [straight_boxes(), meeting(False), window_kernel(True), window_kernel(True), window_kernel(False)])
        for name, kernel in zip(("boxes", "meeting", "vertex_face", "face_vertex", "edge_edge"), kernels, strict=True):
            self.arrays.set(name, kernel)
        self.arrays.set("exact", int(self.exact is not None))
        self.see(seen)
        self.arrays.set("query", self.arrays["q"].ctypes.data)
        self.arrays["free"][:] = np.arange(_ROOM)
        self.arrays["best"][:] = self.cut = self.least = np.inf
        self.unused = _ROOM
        compiled(loop.start)(self.arrays.address)

    def see(self, seen: ScrewBounds | None) -> None:
        """From now on what the screw tells apart is not searched."""
        self.seen = seen
        if seen is not None:
            for name, value in (("screw", 1 + seen.axis.moving), ("margin", seen.margin)):
                self.arrays.set(name, value)
            self.arrays["turn"][:], self.arrays["rise"][:] = seen.axis.turn, seen.axis.rise
            for k in (0, 1):
                self.arrays.refer(f"around{k + 1}", seen.around[k].ctypes.data)
                self.arrays.refer(f"ball{k + 1}", seen.balls[k].ctypes.data)

    def run(self, budget: Budget, began: float, axis: ScrewAxis | None) -> bool:
        """Whether it ended within the budget. Ctrl-C ends it like a spent one. `axis`: of a screw by which they move."""
        self.most = NO_LIMIT if budget.boxes is None else int(budget.boxes)
        tests = _SLICE if axis is None else _UNSEEN
        with contextlib.suppress(KeyboardInterrupt, TimeUp):
            while budget.seconds is None or perf_counter() - began < budget.seconds:
                check()
                reason = compiled(loop.search)(self.arrays.address, tests)
                if reason == loop.FINISHED:
                    return True
                if reason == loop.NEED_ROOM:
                    self.grow()
                elif reason == loop.DECIDE:
                    self.decide()
                if reason == loop.SPENT or (budget.bytes or np.inf) < self.bytes:
                    break
                if axis is not None and reason == loop.SLICE:
                    self.see(seen_from(axis, self.meshes, self.span))
                    axis, tests = None, _SLICE
        return False

    @property
    def rejections(self) -> dict[str, int]:
        """Counts by test; none where the motion is no screw, or the search came to its end before."""
        return {} if self.seen is None else {OBJECTS: 0, **dict(zip(TESTS, self.arrays["refused"].tolist(), strict=True))}

    @property
    def bytes(self) -> int:
        return sum(self.arrays[name].nbytes for name in self.arrays.sized("box_room"))

    def grow(self) -> None:
        """Twice the room for queued pairs; of the old one all but `kept` is in use."""
        old, kept = len(self.arrays["key"]), self.unused
        self.arrays.double("box_room")
        self.arrays["free"][kept:kept + old] = np.arange(old, 2 * old)
        self.unused = kept + old

    def decide(self) -> None:
        """The exact method for the queries on record."""
        records = zip(self.arrays["record"][:self.recorded].tolist(), self.arrays["doubt"][:self.recorded].tolist(), strict=True)
        for (i, j, part), doubt in records:
            corners = [m.vertices[m.triangles[k]] for m, k in zip(self.meshes, (i, j), strict=True)]
            if self.exact is None:
                self.note(exact_fallback.straight(corners, part, self.tolerance), i, j, part)
            elif self.arrays["best"][0, 1] - doubt[0] <= _SAME * self.tolerance:
                # As good as simultaneous with a contact that is proved.
                self.least = min(self.least, doubt[0])
            else:
                span = doubt[0], min(self.cut, self.span[1])
                decided, found = exact_fallback.moving(self.exact, [c[:, :3] for c in corners], part, span, self.tolerance)
                if decided:
                    self.note(found, i, j, part)
                else:
                    self.leave(doubt, i, j, part)
        self.recorded = 0

    def leave(self, doubt: Sequence[float], i: int, j: int, part: int) -> None:
        """Note a query that is not decided; see `loop.note`."""
        self.least, self.cut = min(self.least, doubt[0]), min(self.cut, max(doubt[0] + self.tolerance, doubt[1]))
        if doubt[0] < self.arrays["best"][1, 0]:
            self.arrays["best"][1] = *doubt, np.nan, np.nan, i, j, part, UNDECIDED

    def note(self, found: Any, i: int, j: int, part: int) -> None:
        if found is None:
            return
        (begin, end), parameters = found
        self.least = min(self.least, begin)
        # Of what moves rigidly, too, all is searched that may meet within the tolerance: brackets that are cut off are found to be wide.
        self.cut = min(self.cut, end if self.motions is None else max(end, begin + self.tolerance))
        best = self.arrays["best"]
        if end < best[0, 1]:
            best[0] = begin, end, *parameters, i, j, part, HIT

    @property
    def open(self) -> float:
        """No pair that is still open meets before."""
        return float(self.arrays["key"][self.root]) if self.root >= 0 else np.inf


# -- answers ------------------------------------------------------------------------------------------------------


def _nothing(end: float, search: _Search | None, began: float) -> MeshContact:
    tests, queries, leaves = (0, 0, 0) if search is None else (search.tested, search.asked, search.leaves)
    return MeshContact(Status.NO_CONTACT, None, end, None, None, np.full(3, np.nan), np.full((2, 3), np.nan), tests, leaves, queries,
                       perf_counter() - began)


def _unsearched(span: tuple[float, float], began: float) -> MeshContact:
    return replace(_nothing(span[0], None, began), status=Status.BUDGET_SPENT, time=Interval(*span))


def _answer(search: _Search, finished: bool, began: float) -> MeshContact:
    proved, other = search.arrays["best"]
    least = min(search.least, np.inf if finished else search.open)
    if finished and not np.isfinite(least):
        return _nothing(search.span[1], search, began)
    certain = proved[1] - least <= search.tolerance
    row = proved if certain or not np.isfinite(other[0]) else other
    status = Status.CONTACT if certain else Status.BUDGET_SPENT if not finished else Status.UNRESOLVED
    end = float(min(row[1], search.span[1]))
    tests, queries, leaves = search.tested, search.asked, search.leaves
    triangles, parts, point, share = None, None, np.full(3, np.nan), np.full((2, 3), np.nan)
    if np.isfinite(row[0]):
        i, j, part = (int(x) for x in row[4:7])
        triangles, parts, share = (i, j), _parts(search, i, j, part), _weights(search, i, j, part, row)
        point = _corners(search, i, j, row[:2].mean())[0].T @ share[0]
    return MeshContact(status, Interval(least, end), least, triangles, parts, point, share, tests, leaves, queries, perf_counter() - began)


def _parts(search: _Search, i: int, j: int, part: int) -> tuple[str, str]:
    """Names of what touches."""
    a, b = (m.triangles[k].tolist() for m, k in zip(search.meshes, (i, j), strict=True))
    if part == MEET:
        return f"face {i}", f"face {j}"
    if part < 3:
        return f"vertex {a[part]}", f"face {j}"
    if part < 6:
        return f"face {i}", f"vertex {b[part - 3]}"
    p, q = divmod(part - 6, 3)
    return f"edge {a[p]}-{a[(p + 1) % 3]}", f"edge {b[q]}-{b[(q + 1) % 3]}"


def _corners(search: _Search, i: int, j: int, time: float) -> list[np.ndarray]:
    """The corners (3, 3) of both triangles, in doubles."""
    corners = [m.vertices[m.triangles[k]] for m, k in zip(search.meshes, (i, j), strict=True)]
    if search.motions is None:
        return [c[:, :3] + time * (c[:, 3:] - c[:, :3]) for c in corners]
    return [c[:, :3] @ entries[:9].reshape(3, 3).T + entries[9:]
            for c, entries in zip(corners, motion_windows(*search.motions).at(time), strict=True)]


def _weights(search: _Search, i: int, j: int, part: int, row: np.ndarray) -> np.ndarray:
    if part == MEET:
        return crossing(*_corners(search, i, j, search.span[0]))
    both = weights(np.array([part]), row[None, 2:4]).reshape(2, 2)
    return np.concatenate([1 - both.sum(axis=1, keepdims=True), both], axis=1)

