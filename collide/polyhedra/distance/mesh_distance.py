"""Distance of meshes, at a moment or over a span of time.

In a window of time the places of vertices are those of a straight path and a part that is bounded by the second derivatives of the
motions (`motion_windows`), which shrinks with the square of its length. For straight paths `bound_loop` bounds the distance on both
sides, over the whole window, and tells which pairs of triangles may be the nearest. Windows are halved, always that of the least bound,
and of a window only the pairs of triangles that were left of the one before are looked at again; those farther than points that are known
are dropped.
"""

import heapq
import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from codegen.deadline import check
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number
from generative import IDENTITY

from ...bodies.mesh import Mesh
from ...search.clock import Clock
from ..mesh.initial_overlap import crossing
from ..primitives.motion_windows import ENTRIES, Windows, motion_windows
from . import bound_loop
from .bound_loop import DistanceMemory
from .triangles_cross_exact import cross_surely, touch_exactly

# Room for waiting nodes at first, and for pairs of triangles that are left; a window with more of these is halved as a whole.
_ROOM, _MOST = 1 << 12, 1 << 14
# Of a rounding, against what is rounded.
_ROUNDED = 2.0**-49
# Moments at which the distance is known first; a window of the span that is not halved; a distance against the size of bodies that is none.
_SEEDS, _SHORTEST, _NONE = 5, 2.0**-44, 2.0**-42
# Pairs whose triangles may touch that are looked at exactly.
_EXACT = 500


@dataclass
class MeshDistanceBounds:
    """The result so far: `lower` and `upper` bound the least distance; two points (2, 3) as near as `upper`, on two triangles of the bodies
    `pair`, with these `corners` (3, 3), at a time; `meets`: they are proved to meet there. `finished`: the search came to its end.
    `waiting`: the pairs of bodies of which it did not yet, None where they are not known yet.
    """

    lower: float = 0.0
    upper: float = math.inf
    points: np.ndarray | None = None
    corners: tuple[np.ndarray, np.ndarray] | None = None
    triangles: tuple[int, int] = (0, 0)
    pair: tuple[int, int] = (0, 1)
    time: float = 0.0
    meets: bool = False
    finished: bool = True
    waiting: list[tuple[int, int]] | None = None

    def ends(self, reach: float) -> bool:
        """Whether the result so far is enough."""
        return self.meets or self.upper < reach < math.inf

    def is_nearest(self, upper: float) -> bool:
        """Whether two meshes are as near to each other as other bodies."""
        return self.meets or (self.points is not None and self.upper <= upper)


class DistanceTolerance(NamedTuple):
    """The share of itself by which the distance may be uncertain; the distance beyond which nothing matters."""

    share: float
    reach: float


class PairWindow(NamedTuple):
    """A window: a lower bound of the distance of its pairs; a number to compare by; its ends; the pairs of triangles, None for all."""

    lower: float
    number: int
    begin: float
    end: float
    pairs: np.ndarray | None


def search(meshes: tuple[Mesh, Mesh], span: tuple[float, float], asked: DistanceTolerance, clock: Clock, found: MeshDistanceBounds,
           pair: tuple[int, int]) -> float:
    """Bound the distance of two meshes over a span from below, and update `found` where they are nearer than known."""
    state = MeshDistanceSearch(meshes, asked, clock, found, pair)
    if span[0] == span[1]:
        return state.at_rest(span[0])
    for time in np.linspace(*span, _SEEDS).tolist() if found.upper == math.inf else ():
        state.at_rest(time)
        if found.meets:
            return 0.0
    return state.over(span)


class MeshDistanceSearch:
    """The search over windows of time of two meshes."""

    upper, off, examined = Number[float](DistanceMemory), Number[float](DistanceMemory), Number[int](DistanceMemory)
    turning = Number[int](DistanceMemory)
    count, first, second = Number[int](DistanceMemory), Number[int](DistanceMemory), Number[int](DistanceMemory)

    def __init__(self, meshes: tuple[Mesh, Mesh], asked: DistanceTolerance, clock: Clock, found: MeshDistanceBounds,
                 pair: tuple[int, int]) -> None:
        self.meshes, self.asked, self.clock, self.found, self.pair = meshes, asked, clock, found, pair
        self.windows = motion_windows(meshes[0].motion, meshes[1].motion)
        first, second = meshes
        nodes, vertices, triangles = len(first.shape.children), len(first.vertices), len(first.triangles)
        self._held = {
            "rest": np.concatenate([mesh.vertices[:, :3] for mesh in meshes]),
            "corner": np.concatenate([first.triangles, second.triangles + vertices]),
            "tree": np.concatenate([first.shape.children, second.shape.children + np.where(second.shape.children < 0, -triangles, nodes)]),
            "size": np.concatenate([mesh.tree.size for mesh in meshes])}
        self._held |= {"vertex": np.empty((len(self._held["rest"]), 6)), "node": np.empty((len(self._held["tree"]), 12))}
        self.triangles, self.vertices, self.corners = triangles, self._held["vertex"], self._held["corner"]
        self.arrays = Memory(DistanceMemory, {"nodes": 0, "triangles": 0, "vertices": 0, "wait_room": _ROOM, "pair_room": _MOST})
        for name, array in self._held.items():
            self.arrays.refer(name, array.ctypes.data)
        for name, number in (("share", asked.share), ("reach", asked.reach), ("upper", found.upper), ("split_at", vertices),
                             ("second_root", nodes), ("vertices", len(self.vertices)), ("nodes", len(self._held["tree"]))):
            self.arrays.set(name, number)
        self.size = max(float(np.abs(mesh.tree.boxes[0, :6]).max()) for mesh in meshes)

    # -- windows of time --------------------------------------------------------------------------------------------------

    def at_rest(self, time: float) -> float:
        lower, pairs = self.look(time, time, None)
        if not self.found.meets and lower == 0.0 and pairs is not None:
            near = pairs[:_EXACT]
            k = touch_exactly(self.meshes, time, near - [0, self.triangles]) if len(pairs) <= _EXACT else None
            if k is not None:
                self._meet(near[k], time)
        return lower

    def over(self, span: tuple[float, float]) -> float:
        """The least bound of all windows that are left, from the least on halved until they are narrow enough."""
        numbers = itertools.count()
        heap = [PairWindow(0.0, next(numbers), *span, None)]
        shortest = _SHORTEST * max(span[1] - span[0], *map(abs, span))
        while heap and not self.found.ends(self.asked.reach):
            window = heapq.heappop(heap)
            enough = window.lower >= self._limit or window.end - window.begin < shortest or self.found.upper < _NONE * self.size
            if enough or self.clock.exceeded():
                self.found.finished = self.found.finished and enough
                heapq.heappush(heap, window)
                break
            middle = 0.5 * (window.begin + window.end)
            for begin, end in ((window.begin, middle), (middle, window.end)):
                lower, pairs = self.look(begin, end, window.pairs)
                if pairs is None or len(pairs):
                    heapq.heappush(heap, PairWindow(max(lower, window.lower), next(numbers), begin, end, pairs))
                if self.found.meets:
                    break
        lower = min([self._limit, *(window.lower for window in heap[:1])])
        if not self.found.meets and self.found.pair == self.pair and self.found.upper < _NONE * self.size:
            self.at_rest(self.found.time)
        return 0.0 if self.found.meets else lower

    @property
    def _limit(self) -> float:
        return min(self.found.upper * (1.0 - self.asked.share), self.asked.reach)

    def look(self, begin: float, end: float, pairs: np.ndarray | None) -> tuple[float, np.ndarray | None]:
        """A lower bound of the distance of the meshes in a window, and the pairs of triangles that may be nearer than known; None: all."""
        check()
        motion = np.concatenate(straight(self.windows, begin, end))
        self.arrays["motion"][:] = motion
        compiled(bound_loop.place)(self.arrays.address)
        turns = [motion[k:k + 2, :9].reshape(2, 3, 3) @ motion[k:k + 2, :9].mean(axis=0).reshape(3, 3).T for k in (0, 3)]
        self.arrays["turn"][:], self.turning = np.concatenate(turns).reshape(4, 9), int((motion[::3, :9] != motion[1::3, :9]).any())
        if not np.isfinite(motion).all():
            self.off = math.inf
        before = self.examined
        if pairs is None:
            known = self._through_trees()
        else:
            self.arrays["pair"][:len(pairs)] = pairs
            compiled(bound_loop.again)(self.arrays.address, len(pairs))
            known = True
        self.clock.boxes += self.examined - before
        self._note(begin, end)
        if not known:
            return 0.0, None
        left, lower = self.arrays["pair"][:self.count], self.arrays["lower"][:self.count]
        kept = lower < self._limit
        left, lower = left[kept], lower[kept]
        self._cross(left[lower == 0.0], 0.5 * (begin + end))
        return float(lower.min(initial=self._limit)), left.copy()

    def _through_trees(self) -> bool:
        """All pairs of triangles; False if too many are left."""
        compiled(bound_loop.begin)(self.arrays.address)
        while compiled(bound_loop.search)(self.arrays.address) != bound_loop.FINISHED:
            if self.count + 1 > _MOST:
                return False
            self.arrays.double("wait_room")
        return True

    def _note(self, begin: float, end: float) -> None:
        if self.upper < self.found.upper:
            self.found.upper, self.found.points = self.upper, self.arrays["best"].reshape(2, 3).copy()
            self._found(np.array([self.first, self.second]), 0.5 * (begin + end))

    # -- surfaces that meet -----------------------------------------------------------------------------------------------

    def _cross(self, pairs: np.ndarray, time: float) -> None:
        """Note one of these pairs whose triangles are proved to cross in the middle of the window, if there is one."""
        if len(pairs):
            surely = cross_surely(*self.places(pairs), self.off)
            if surely.any():
                self._meet(pairs[surely.argmax()], time)

    def places(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(k, 3, 3) each: the corners of the triangles of pairs, in the middle of the window."""
        first, second = (self.vertices[self.corners[own]].reshape(-1, 3, 2, 3).mean(axis=2) for own in pairs.T)
        return first, second

    def _meet(self, pair: np.ndarray, time: float) -> None:
        first, second = self._found(pair, time)
        share = crossing(first, second)
        point = share[0] @ first if np.isfinite(share).all() else self.arrays["best"][:3].copy()
        self.found.meets, self.found.upper, self.found.points = True, 0.0, np.stack([point, point])

    def _found(self, pair: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Note what is known of two triangles, and return their corners."""
        first, second = (c[0] for c in self.places(pair[None]))
        self.found.triangles, self.found.pair = (int(pair[0]), int(pair[1]) - self.triangles), self.pair
        self.found.time, self.found.corners = time, (first, second)
        return first, second


def about(mesh: Mesh, time: float) -> np.ndarray:
    """(n, 3): the places of its vertices at a time, approximately."""
    (motion, *_), _ = straight(motion_windows(mesh.motion, IDENTITY), time, time)
    return np.asarray(mesh.vertices[:, :3] @ motion[:9].reshape(3, 3).T + motion[9:])


def straight(windows: Windows, begin: float, end: float) -> list[np.ndarray]:
    """Both motions (3, 12), of rotation and translation: their values at both ends of a window, and how far they may be from a straight
    line between these.
    """
    numbers = (-windows.numbers[:, 0, 0], windows.numbers[:, 1, 0]) if len(windows.numbers) else None
    ends = (np.array([[x, begin, end]]) for x in (begin, end))
    lo, hi = (bound[0] for bound in windows.kernel.interval(*ends, parameters=numbers))
    with np.errstate(invalid="ignore", over="ignore"):
        middle, radius = 0.5 * lo + 0.5 * hi, (0.5 * hi - 0.5 * lo) * (1.0 + _ROUNDED) + _ROUNDED * np.maximum(np.abs(lo), np.abs(hi))
        size = np.maximum(np.abs(lo), np.abs(hi))
    first, last, curve, wide = (slice(2 * ENTRIES * k, 2 * ENTRIES * (k + 1)) for k in range(4))
    bend = 0.125 * (end - begin) ** 2 * size[curve] * (1.0 + _ROUNDED) if end > begin else 0.0
    near = np.maximum(radius[first], radius[last]) + bend
    if len(lo) > 8 * ENTRIES and not lo[-1] == hi[-1] == 0.0:
        near = np.full(2 * ENTRIES, np.inf)
    curved = near <= radius[wide]
    both = [np.nan_to_num(np.where(curved, middle[part], middle[wide]), posinf=0.0, neginf=0.0) for part in (first, last)]
    off = np.where(curved, near, np.where(np.isnan(radius[wide]), np.inf, radius[wide]))
    return [np.stack([part[k:k + ENTRIES] for part in (*both, off)]) for k in (0, ENTRIES)]


def feature(mesh: Mesh, triangle: int, corners: np.ndarray, point: np.ndarray) -> str:
    """The part of a triangle that a point of it is on, except for rounding: "vertex 3", "edge 1-2" or "face 7"."""
    matrix = np.stack([corners[1] - corners[0], corners[2] - corners[0]], axis=1)
    share, *_ = np.linalg.lstsq(matrix, point - corners[0], rcond=None)
    weights = np.array([1.0 - share.sum(), *share])
    on = np.flatnonzero(weights > 1e-9).tolist()
    names = mesh.triangles[triangle].tolist()
    if len(on) == 1:
        return f"vertex {names[on[0]]}"
    return f"face {triangle}" if len(on) == 3 else "edge {}-{}".format(*sorted(names[k] for k in on))
