"""Triangles of a mesh that come near another cell, or near those of another mesh, in the order of time.

The trees of the meshes are gone down as far as it is asked for (`descent_loop`): of all pairs of nodes those come first that may meet
first. So the triangles that may meet by a time are known, and no others were looked at but those on the way to them. Until when a pair of
nodes is proved apart is found as for other parts (`approach_loop`), by their boxes in the frame of a mesh.
"""

import numpy as np

from codegen.deadline import check
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number

from ..bodies.cells import Cell
from ..bodies.extent import Extent
from ..bodies.mesh import Mesh
from ..bodies.mesh_cells import Triangles
from . import descent_loop
from .approach import kernels, native_part
from .approach_loop import MovingPart
from .broad_phase import Window
from .descent_loop import DescentMemory

# What there is room for at first, and pairs that are asked for where all are.
_ROOM, _ALL = 256, 1 << 62


class Descent:
    """The pairs of triangles of two cells, of which one is all triangles of a mesh, or both are; of another cell, of itself, number 0.

    `parts`: where the cells are. Nothing is claimed of what is before or after the window.
    """

    found, _unused = Number[int](DescentMemory), Number[int](DescentMemory, "unused")
    _root, _limit = Number[int](DescentMemory, "root"), Number[float](DescentMemory, "limit")

    def __init__(self, cells: tuple[Cell, Cell], parts: tuple[Extent, Extent], window: Window) -> None:
        known = [native_part(part) for part in parts]
        blocks = [1 if isinstance(c, Triangles) else len(k.cells) for c, k in zip(cells, known, strict=True)]
        most = max(len(c.mesh.triangles) for c in cells if isinstance(c, Triangles))
        self.arrays = Memory(DescentMemory, {"parts": 2, "pairs": 1, "blocks": max(blocks), "grids": sum(blocks), "images": 2 * max(blocks),
                                             "nodes": 0, "triangles": most, "box_room": _ROOM, "found_room": _ROOM})
        self._kept: list[object] = [known]
        rows = self.arrays.table(MovingPart)
        for side, (cell, part, first) in enumerate(zip(cells, known, (0, blocks[0]), strict=True)):
            rows[side] = (*part.row[:4], first, *part.row[4:])
            self.arrays["radius"][side] = parts[side].still.reach
            self.arrays["grid"][first:first + blocks[side]] = part.cells[:blocks[side]]
            self.arrays["whole"][side], self.arrays["kept"][side] = part.row[3], part.cells[0].ravel()
            if isinstance(cell, Triangles):
                rows["centre"][side] = self.arrays["centre"][side].ctypes.data
            self._refer(side + 1, cell.mesh if isinstance(cell, Triangles) else parts[side].still)
        for name, value in (*kernels(), ("closely", 1), ("pairs", 1), ("unused", _ROOM), ("end", window[1])):
            self.arrays.set(name, value)
        self.arrays["pair"][0], self.arrays["time"][0] = (0, 1), window[0]
        self.arrays["free"][:] = np.arange(_ROOM)
        compiled(descent_loop.begin_descent)(self.arrays.address)

    def _refer(self, side: int, tree: Mesh | Extent) -> None:
        """The tree of a side: of a mesh, of a face, or of one leaf."""
        if isinstance(tree, Mesh):
            values = {"node": tree.tree.boxes, "tree": tree.tree.children, "size": tree.tree.size, "radius": tree.radii,
                      "corner": tree.triangles, "vertex": tree.vertices}
        else:
            boxes, children, size = tree.tree or (np.zeros((1, 12)), np.array([-1]), np.zeros(1))
            values = {"node": boxes, "tree": children, "size": size}
        self.arrays.set(f"tree_of{side}", descent_loop.MESH if isinstance(tree, Mesh) else descent_loop.FACE if tree.tree else 0)
        self._kept.append(values)
        for name, array in values.items():
            self.arrays.refer(f"{name}{side}", array.ctypes.data)

    @property
    def horizon(self) -> float:
        """All pairs that may meet before it are found; infinite where all are."""
        return float(self.arrays["key"][self._root]) if self._root >= 0 else np.inf

    def until(self, time: float) -> None:
        """Finds all pairs that may meet up to a time."""
        self._run(time, _ALL)

    def more(self, count: int) -> None:
        """Finds so many pairs more, or all."""
        self._run(np.inf, self.found + count)

    @property
    def pairs(self) -> np.ndarray:
        """(n, 2): the triangles found, in order."""
        return self.arrays["hits"][:self.found]

    @property
    def times(self) -> np.ndarray:
        """(n,): times before which they are *proved* apart in the window."""
        return self.arrays["when"][:self.found]

    def _run(self, limit: float, wanted: int) -> None:
        self._limit = limit
        while (reason := compiled(descent_loop.descend)(self.arrays.address, wanted)) != descent_loop.FINISHED:
            check()
            if reason == descent_loop.NEED_FOUND:
                self.arrays.double("found_room")
            elif reason == descent_loop.NEED_ROOM:
                old, kept = len(self.arrays["key"]), self._unused
                self.arrays.double("box_room")
                self.arrays["free"][kept:kept + old] = np.arange(old, 2 * old)
                self._unused = kept + old
