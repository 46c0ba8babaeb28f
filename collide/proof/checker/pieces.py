"""The pieces of bodies: surfaces, levels of functions, and triangles of meshes."""

from collections.abc import Sequence
from typing import NamedTuple

from .text import Formula, Refused, double


class Piece(NamedTuple):
    """A part of a body's surface: the points (X, Y, Z) of u and v within two ranges, or of x, y, z within three (or twice three) of them,
    which solve an equation and fulfil conditions (<= 0), if there are any; moved by three rows of a matrix and a translation, if there are.
    `corners`: of a triangle the numbers that its formulas call c0, c1, ...
    """

    body: int
    ranges: tuple[Formula, ...]
    point: tuple[Formula, ...]
    equations: tuple[Formula, ...] = ()
    conditions: tuple[Formula, ...] = ()
    motion: tuple[Formula, ...] = ()
    corners: tuple[float, ...] = ()

    @property
    def letters(self) -> Sequence[str]:
        return "uv" if len(self.ranges) == 4 else ("x", "y", "z", "x1", "y1", "z1")[:len(self.ranges) // 2]


class Mesh(NamedTuple):
    """Triangles between corners, each at one place, or at two, between which it moves from t = 0 to t = 1; then moved as a whole."""

    body: int
    motion: tuple[Formula, ...]
    corners: list[tuple[float, ...]]
    triangles: list[tuple[int, ...]]
    boxes: dict[tuple[int, int], tuple[float, ...]]

    def add(self, word: str, args: Sequence[Formula]) -> None:
        if word == "corner":
            self.corners.append(tuple(double(str(x)) for x in args))
        else:
            self.triangles.append(tuple(map(index, args)))
        if len(self.corners[-1:]) != 1 or len(self.corners[-1]) != len(self.corners[0]) or (
                self.triangles and max(self.triangles[-1]) >= len(self.corners)):
            raise Refused("the corners of a mesh are of one kind, and come before its triangles")

    def box(self, i: int, j: int) -> tuple[float, ...]:
        """Least and greatest coordinates of the corners of triangles i to j - 1."""
        if (i, j) not in self.boxes:
            middle = (i + j) // 2
            rows = [self.corners[k] for k in self.triangles[i]] if j - i == 1 else [
                side for half in (self.box(i, middle), self.box(middle, j)) for side in (half[::2], half[1::2])]
            self.boxes[i, j] = tuple(f(column) for column in zip(*rows, strict=True) for f in (min, max))
        return self.boxes[i, j]

    def part(self, i: int, j: int) -> Piece:
        """A triangle, over shares u and v of two sides; or of several triangles the box that holds them."""
        if j - i > 1:
            ranges, at = [x.hex() for x in self.box(i, j)], list[Formula](("x", "y", "z", "x1", "y1", "z1")[:len(self.corners[0])])
        else:
            ranges, n = ["0", "1", "0", "1"], len(self.corners[0])
            names = [(f"c{k}", f"c{n + k}", f"c{2 * n + k}") for k in range(n)]
            at = [["+", a, ["*", "u", ["-", b, a]], ["*", "v", ["-", c, a]]] for a, b, c in names]
        if len(at) == 6:
            at = [["+", a, ["*", "t", ["-", b, a]]] for a, b in zip(at[:3], at[3:], strict=True)]
        inside = (["-", ["+", "u", "v"], "1"],) if j - i == 1 else ()
        corners = [x for k in self.triangles[i] for x in self.corners[k]] if j - i == 1 else []
        return Piece(self.body, tuple(ranges), tuple(at), (), inside, self.motion, tuple(corners))


def index(text: Formula) -> int:
    if not (isinstance(text, str) and text.isdecimal() and len(text) < 7):
        raise Refused(f"{str(text)[:40]!r} is no number of a body or a piece")
    return int(text)
