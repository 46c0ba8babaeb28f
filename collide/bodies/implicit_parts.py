"""The smooth parts of the surface of an implicit body: where one leaf is zero (a face), or two (a crease), or three (a corner).

A surface ends at its bounds, so where it reaches a side of them there is an edge too, and a vertex where it reaches a line in which two
sides meet, or a crease a side. Each part is closed, and every point at which another one goes on differently is a point of a part of
lower dimension: so tangency holds wherever a part is touched first, unless another part is touched there as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import sympy as sp

from generative import ImplicitBody, ImplicitSurface, x, y, z
from generative.implicit import Piece

from .cells import Side


@dataclass(frozen=True, eq=False)
class Implicit:
    """The points where every one of `leaves` is zero, on these `sides` of their bounds, that lie on the surface of the whole body: on one
    of `pieces`.
    """

    feature: str
    leaves: tuple[ImplicitSurface, ...]
    pieces: tuple[Piece, ...]
    two_sided: bool = False
    sides: tuple[Side, ...] = ()

    # It has no parameters of its own.
    path = symbols = names = domain = periods = border = polar = outward = ()
    surface = whole = around = None

    @property
    def dimension(self) -> int:
        return 3 - len(self.leaves) - len(self.sides)


def implicit_parts(body: ImplicitBody) -> tuple[Implicit, ...]:
    """Faces, creases and corners; edges and vertices at the bounds, of which some may turn out not to be there (`presence.without_absent`).

    A point of the surface, inside the bounds, with no other leaf zero is inside a face's piece; with just one other zero, on a crease; with
    two, at a corner (more are covered by these): so all are found.
    """
    leaves = list(dict.fromkeys(body.leaves))
    inner = [(chosen, ()) for count in (1, 2, 3) for chosen in combinations(leaves, count) if _may_meet(chosen)]
    ends = [(chosen, sides) for chosen, _ in inner for count in range(1, 4 - len(chosen)) for sides in _sides(chosen, count)]
    found: dict[int, list[Implicit]] = {1: [], 2: [], 3: []}
    for chosen, sides in (*inner, *ends):
        count = len(chosen) + len(sides)
        kind = ("face", "edge", "vertex")[count - 1]
        pieces = tuple(p for p in body.pieces if p.leaf in chosen)
        found[count].append(Implicit(f"{kind} {len(found[count])}", chosen, pieces, bool(sides), sides))
    return tuple(p for parts in found.values() for p in parts)


def _may_meet(leaves: Sequence[ImplicitSurface]) -> bool:
    """Different surfaces (a leaf and its complement are one), whose bounds meet if they move together."""
    for a, b in combinations(leaves, 2):
        if a.complement() == b:
            return False
        # Where bounds depend on the numbers of a family nothing is known.
        if a.motion == b.motion and any((q[0] > p[1]) == True or (p[0] > q[1]) == True for p, q in zip(a.bounds, b.bounds, strict=True)):  # noqa: E712
            return False
    return True


def _sides(leaves: Sequence[ImplicitSurface], count: int) -> list[tuple[Side, ...]]:
    """Every choice of so many sides of the bounds of leaves, not two of one coordinate, and of sides that are one plane the first."""
    planes = {(leaf.motion, c, leaf.bounds[c][end]): (k, c, end)
              for k, leaf in reversed(list(enumerate(leaves))) for c, end in product(range(3), (0, 1)) if not _is_side(leaf, c, end)}
    return [chosen for chosen in combinations(sorted(planes.values()), count) if len({(k, c) for k, c, _ in chosen}) == count]


def _is_side(leaf: ImplicitSurface, coordinate: int, end: int) -> bool:
    """Is all of this side of the bounds part of the surface? Then the surface does not end there."""
    at = {(x, y, z)[coordinate]: leaf.bounds[coordinate][end]}
    return bool(sp.expand(leaf.body.xreplace(at)) == 0)
