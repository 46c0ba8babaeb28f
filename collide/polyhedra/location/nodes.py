"""The tree of an index as arrays, its planes in integers, and points that go down it."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property

import numpy as np

from codegen.deadline import check
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory

from ...frozen import Frozen, frozen
from ..exact.planes import Plane, Point, sign, value
from . import point_walk
from .brep import Entities
from .point_walk import PointWalkMemory
from .tree import FACE, OUT

# Points that are classified at a time: some hundredths of a second, until Python may look for Ctrl-C.
_POINTS = 20_000


class IndexTree(Frozen):
    """The nodes of an index: `arrays` as in `tree.TreeMemory`."""

    NAMES = ("normal", "anchor", "error", "length", "size", "axis", "what", "child")

    def __init__(self, entities: Entities, arrays: Mapping[str, np.ndarray]) -> None:
        self.entities, self.arrays, self._planes = entities, arrays, dict[int, Plane]()

    def finish(self, count: int) -> None:
        """It has so many nodes, and no more will be made."""
        self.arrays = {name: self.arrays[name][:count].copy() for name in self.NAMES}
        self._freeze()

    def _freeze(self) -> None:
        frozen([*self.arrays.values()])

    @property
    def child(self) -> np.ndarray:
        """(nodes, 3): a node, or a leaf as in `tree`, above, on and below."""
        return self.arrays["child"]

    def plane(self, n: int) -> Plane:
        """The plane of a node, exactly."""
        if n not in self._planes:
            scaled, (kind, number, k), axis = self.entities.scaled, self.arrays["what"][n].tolist(), int(self.arrays["axis"][n])
            if axis >= 0:
                way = 1 if self.arrays["normal"][n, axis] > 0 else -1
                self._planes[n] = scaled.across(axis, float(self.arrays["anchor"][n, axis]), way)
            elif kind == FACE:
                self._planes[n] = self.entities.plane(number)
            else:
                a, b = self.entities.edges[number].tolist()
                self._planes[n] = scaled.along(a, b, k)
        return self._planes[n]

    def within(self, n: int, tolerance: float) -> Fraction:
        """Up to which size values in `plane` of points with W = 1 are zero."""
        axis, bits = int(self.arrays["axis"][n]), self.entities.scaled.bits
        unit = abs(self.plane(n)[axis]) << bits if axis >= 0 else 1 << bits * (3 if self.arrays["what"][n, 0] == FACE else 2)
        return Fraction(tolerance * float(self.arrays["length"][n])) * unit

    def side(self, n: int, point: Point, tolerance: float = 0.0) -> int:
        """1 above, 0 on, -1 below the plane of a node, exactly."""
        level = value(self.plane(n), point)
        return 0 if tolerance and abs(level) <= self.within(n, tolerance) * point[3] else sign(level)

    @cached_property
    def heights(self) -> tuple[int, float]:
        """The height of the tree, and the mean height of its leaves: nodes on the way to them."""
        depth = np.ones(len(self.child), np.int64)
        for n, children in enumerate(self.child.tolist()):
            for c in children:
                if c >= 0:
                    depth[c] = depth[n] + 1
        leaves = (self.child < 0).sum(axis=1)
        return int(depth.max()), float((depth * leaves).sum() / leaves.sum())

    def walk(self, points: np.ndarray, tolerance: float = 0.0, box: np.ndarray | None = None, *,
             exact: Callable[[int], Point] | None = None, roots: np.ndarray | None = None, radius: np.ndarray | None = None) -> np.ndarray:
        """The leaves (n,) that points (n, 3) come to; OUT for what is outside the box (6,), lower and upper corner. `exact`: they are
        these, within the `radius` (n,) of what is given in any coordinate. `roots`: where each begins, on the border of its region; -1 for
        the root.
        """
        found = np.empty(len(points), np.int64)
        roots = np.full(len(points), -1) if roots is None else roots
        radius = np.zeros(len(points)) if radius is None else radius
        box = np.repeat([-np.inf, np.inf], 3) if box is None else box
        for begin in range(0, len(points), _POINTS):
            which = np.arange(begin, min(begin + _POINTS, len(points)))
            nodes, signs = np.full((len(which), 1), -1), np.zeros((len(which), 1), np.int64)
            while len(which):
                check()
                given = {"point": points[which], "root": roots[which], "radius": radius[which], "known_node": nodes, "known_sign": signs}
                found[which], asked = self._walked(given, box, tolerance)
                left = asked[:, 0]
                which = which[left]
                own = [self.entities.scaled.points([points[i].tolist()])[0] if exact is None else exact(i) for i in which.tolist()]
                new = [self.side(n, p, tolerance) for n, p in zip(asked[:, 1].tolist(), own, strict=True)]
                nodes, signs = np.column_stack([nodes[left], asked[:, 1]]), np.column_stack([signs[left], np.array(new, np.int64)])
        return found

    def _walked(self, given: Mapping[str, np.ndarray], box: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
        """The leaves that points come to, and of those that wait for a sign (k, 2): their numbers and the node."""
        count, many = given["known_node"].shape
        memory = Memory(PointWalkMemory, {"node_room": 0, "given": 0, "many": 0, "trail_room": 4 * self.heights[0] + 8})
        found, ask = np.empty(count, np.int64), np.empty((count, 2), np.int64)
        held = {name: np.ascontiguousarray(array) for name, array in (dict(given) | dict(self.arrays)).items()}
        for name, array in (held | {"found": found, "ask": ask}).items():
            memory.refer(name, array.ctypes.data)
        memory["box"][:] = box
        for name, number in (("given", count), ("many", many), ("outside", OUT), ("tolerance", tolerance)):
            memory.set(name, number)
        return found, ask[:compiled(point_walk.walk)(memory.address)]
