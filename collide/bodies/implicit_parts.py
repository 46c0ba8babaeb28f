"""The smooth parts of the surface of an implicit body: where one leaf is zero (a face), or two (a crease), or three (a corner).

A surface ends at its bounds, so where it reaches a side of them there is an edge too, and a vertex where it reaches a line in which two
sides meet, or a crease a side. Each part is closed, and every point at which another one goes on differently is a point of a part of
lower dimension: so tangency holds wherever a part is touched first, unless another part is touched there as well.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import sympy as sp

from generative import ImplicitBody, ImplicitSurface, x, y, z
from generative.implicit import Piece

from .cells import Side
from .numbers import NONE


@dataclass(frozen=True, eq=False)
class Implicit:
    """The points where every one of `leaves` is zero, on these `sides` of their bounds, that lie on the surface of the whole body: on one
    of `pieces`. `body`: the whole one, of which this is a part.
    """

    feature: str
    leaves: tuple[ImplicitSurface, ...]
    pieces: tuple[Piece, ...]
    two_sided: bool = False
    sides: tuple[Side, ...] = ()
    body: ImplicitBody | None = None

    # It has no parameters of its own.
    path = symbols = names = domain = periods = border = polar = outward = ()
    surface = whole = around = of = None
    own = NONE

    @property
    def dimension(self) -> int:
        return 3 - len(self.leaves) - len(self.sides)


def implicit_parts(body: ImplicitBody) -> tuple[Implicit, ...]:
    """Faces, creases and corners; edges and vertices at the bounds, of which some may turn out not to be there (`presence.without_absent`).

    A point of the surface, inside the bounds, with no other leaf zero is inside a face's piece; with just one other zero, on a crease; with
    two, at a corner (more are covered by these): so all are found.
    """
    leaves = list(dict.fromkeys(body.leaves))
    apart = {(a, b) for a, b in combinations(leaves, 2) if not _may_meet(a, b)}
    inner = [(chosen, ()) for count in (1, 2, 3) for chosen in combinations(leaves, count) if apart.isdisjoint(combinations(chosen, 2))]
    ends = [(chosen, sides) for chosen, _ in inner for count in range(1, 4 - len(chosen)) for sides in _sides(chosen, count)]
    own: dict[ImplicitSurface, list[int]] = {}
    for k, piece in enumerate(body.pieces):
        own.setdefault(piece.leaf, []).append(k)
    found: dict[int, list[Implicit]] = {1: [], 2: [], 3: []}
    for chosen, sides in (*inner, *ends):
        count = len(chosen) + len(sides)
        kind = ("face", "edge", "vertex")[count - 1]
        pieces = tuple(body.pieces[k] for k in sorted(k for leaf in chosen for k in own[leaf]))
        found[count].append(Implicit(f"{kind} {len(found[count])}", chosen, pieces, bool(sides), sides, body))
    return tuple(p for parts in found.values() for p in parts)


def _may_meet(a: ImplicitSurface, b: ImplicitSurface) -> bool:
    """Different surfaces (a leaf and its complement are one), whose bounds meet if they move together."""
    return not (a.same_surface(b) or (a.motion == b.motion and any(map(_apart, a.bounds, b.bounds))))


@functools.lru_cache(maxsize=4096)
def _apart(p: tuple[Any, Any], q: tuple[Any, Any]) -> bool:
    """Where bounds depend on the numbers of a family nothing is known."""
    return (q[0] > p[1]) == True or (p[0] > q[1]) == True  # noqa: E712


def _sides(leaves: Sequence[ImplicitSurface], count: int) -> list[tuple[Side, ...]]:
    """Every choice of so many sides of the bounds of leaves, not two of one coordinate, and of sides that are one plane the first."""
    planes = {(leaf.motion, c, leaf.bounds[c][end]): (k, c, end)
              for k, leaf in reversed(list(enumerate(leaves))) for c, end in product(range(3), (0, 1)) if not is_side(leaf, c, end)}
    return [chosen for chosen in combinations(sorted(planes.values()), count) if len({(k, c) for k, c, _ in chosen}) == count]


@functools.lru_cache(maxsize=4096)
def is_side(leaf: ImplicitSurface, coordinate: int, end: int) -> bool:
    """Is all of this side of the bounds part of the surface? Then the surface does not end there."""
    at = {(x, y, z)[coordinate]: leaf.bounds[coordinate][end]}
    return bool(sp.expand(leaf.body.xreplace(at)) == 0)
