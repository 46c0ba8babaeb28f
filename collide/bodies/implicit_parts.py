"""The smooth parts of the surface of an implicit body: where one leaf is zero (a face), or two (a crease), or three (a corner).

A surface ends at its bounds, so where it reaches a side of them there is an edge too, and a vertex where it reaches a line in which two
sides meet, or a crease a side. Each part is closed, and every point at which another one goes on differently is a point of a part of
lower dimension: so tangency holds wherever a part is touched first, unless another part is touched there as well.
"""

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import sympy as sp

from codegen.algebra.margin import Margin
from generative import ImplicitBody, ImplicitSurface, Motion, x, y, z
from generative.combination import Combination
from generative.implicit import BoundaryPiece

from .cells import Side
from .numbers import NONE, Numbers


@dataclass(frozen=True, eq=False)
class Implicit:
    """The points where every one of `leaves` is zero, on these `sides` of their bounds, that lie on the surface of the whole body: on one
    of `pieces`. `body`: the whole one, of which this is a part. `within`: a box that holds them, in the frame of the first leaf, its ends
    being symbols of `own`; `whole` is then what all that differ in these have in common. `mover`: what carries its leaves, each after one
    constant motion at most. `unbounded`: the leaves, by their numbers, whose bounds are no condition. `measured`: in the place of `pieces`
    (and of bounds) a function of coordinates in the frame of the first leaf, in the part itself `margin`, is not negative exactly where
    points are on it; None is so everywhere.
    """

    feature: str
    leaves: tuple[ImplicitSurface, ...]
    pieces: tuple[BoundaryPiece, ...]
    two_sided: bool = False
    sides: tuple[Side, ...] = ()
    body: ImplicitBody | None = None
    within: tuple[tuple[Any, Any], ...] = ()
    own: Numbers = NONE
    whole: "Implicit | None" = None
    mover: Motion | None = None
    unbounded: tuple[int, ...] = ()
    measured: bool = False
    margin: Margin | None = None

    # It has no parameters of its own.
    path = symbols = names = domain = periods = border = polar = outward = ()
    surface = around = of = None
    planar = False

    @property
    def dimension(self) -> int:
        return 3 - len(self.leaves) - len(self.sides)

    @property
    def is_face(self) -> bool:
        return self.dimension == 2


# The parts of bodies with more leaves are not listed, but found where leaves meet.
FEW = 8
_KINDS = "face", "edge", "vertex"
Numbered = tuple[tuple[int, ...], tuple[Side, ...]]
"""A part by the numbers of its leaves, and its sides."""


def implicit_parts(body: ImplicitBody) -> "tuple[Implicit, ...] | Candidates":
    """Faces, creases and corners; edges and vertices at the bounds, of which some may turn out not to be there (`presence.without_absent`).

    A point of the surface, inside the bounds, with no other leaf zero is inside a face's piece; with just one other zero, on a crease; with
    two, at a corner (more are covered by these): so all are found.
    """
    candidates = Candidates(body)
    if is_large(body):
        return candidates
    return tuple(candidates)


@functools.lru_cache(maxsize=4096)
def is_large(body: ImplicitBody | None) -> bool:
    """Whether a body has so many leaves that they are looked at together, or has them in several frames."""
    return isinstance(body, Combination) and (len(body.leaves) > FEW or len({leaf.motion for leaf in body.leaves}) > 1)


class Candidates(Sequence[Implicit]):
    """All that may be parts of a body, each made when it is asked for, those of many leaves named by these and sides: edge 3/17 is where
    leaves 3 and 17 are zero, and edge 3/x+ where leaf 3 reaches the upper end of its bounds for x.
    """

    def __init__(self, body: ImplicitBody) -> None:
        self.body, self.leaves = body, tuple(dict.fromkeys(body.leaves))
        self._own: dict[ImplicitSurface, list[int]] = {}
        for k, piece in enumerate(body.pieces):
            self._own.setdefault(piece.leaf, []).append(k)
        self.part = functools.cache(self._made)

    @functools.cached_property
    def _numbers(self) -> dict[Numbered, int]:
        """Parts of few leaves are numbered."""
        counts, listed = [itertools.count() for _ in _KINDS], self.listed() if len(self.leaves) <= FEW else ()
        return {(chosen, sides): next(counts[len(chosen) + len(sides) - 1]) for chosen, sides in listed}

    @functools.cached_property
    def faces(self) -> tuple[Implicit, ...]:
        return tuple(self.part((k,), ()) for k in range(len(self.leaves)))

    def listed(self) -> Iterator[Numbered]:
        """Faces, and what lies where these meet; then what lies at bounds."""
        count, meeting = range(len(self.leaves)), functools.cache(lambda a, b: may_meet(self.leaves[a], self.leaves[b]))
        inner = [chosen for size in (1, 2, 3) for chosen in combinations(count, size)
                 if all(meeting(a, b) for a, b in combinations(chosen, 2))]
        yield from ((chosen, ()) for chosen in inner)
        for chosen in inner:
            leaves = [self.leaves[k] for k in chosen]
            yield from ((chosen, sides) for size in range(1, 4 - len(chosen)) for sides in _sides(leaves, size))

    def _made(self, chosen: tuple[int, ...], sides: tuple[Side, ...]) -> Implicit:
        leaves = tuple(self.leaves[k] for k in chosen)
        pieces = tuple(self.body.pieces[k] for k in sorted(k for leaf in leaves for k in self._own[leaf]))
        kind = _KINDS[len(chosen) + len(sides) - 1]
        if (chosen, sides) in self._numbers:
            return Implicit(f"{kind} {self._numbers[chosen, sides]}", leaves, pieces, bool(sides), sides, self.body)
        ends = [f"{'xyz'[c]}{'-+'[end]}" if len(chosen) == 1 else f"{chosen[k]}{'xyz'[c]}{'-+'[end]}" for k, c, end in sides]
        return Implicit(f"{kind} {'/'.join([*map(str, chosen), *ends])}", leaves, pieces, bool(sides), sides, self.body)

    @functools.cached_property
    def _all(self) -> tuple[Implicit, ...]:
        return tuple(sorted((self.part(*numbered) for numbered in self.listed()), key=lambda part: -part.dimension))

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, k: Any) -> Any:
        return self._all[k]


def may_meet(a: ImplicitSurface, b: ImplicitSurface) -> bool:
    """Different surfaces (a leaf and its complement are one), whose bounds meet if they move together."""
    return not (a.same_surface(b) or (a.motion == b.motion and any(map(_apart, a.bounds, b.bounds))))


@functools.lru_cache(maxsize=4096)
def _apart(p: tuple[Any, Any], q: tuple[Any, Any]) -> bool:
    """Whether two ranges are known to be apart: where bounds depend on the numbers of a family nothing is known."""
    return (q[0] > p[1]) == True or (p[0] > q[1]) == True  # noqa: E712


def _sides(leaves: Sequence[ImplicitSurface], count: int) -> list[tuple[Side, ...]]:
    """Every choice of so many sides of the bounds of leaves, not two of one coordinate, and of sides that are one plane the first."""
    planes = {(leaf.motion, c, leaf.bounds[c][end]): (k, c, end)
              for k, leaf in reversed(list(enumerate(leaves))) for c, end in product(range(3), (0, 1)) if not is_side(leaf, c, end)}
    return [chosen for chosen in combinations(sorted(planes.values()), count) if len({(k, c) for k, c, _ in chosen}) == count]


@functools.lru_cache(maxsize=4096)
def is_side(leaf: ImplicitSurface, coordinate: int, end: int) -> bool:
    """Whether all of this side of the bounds is part of the surface. If so, the surface does not end there."""
    at = {(x, y, z)[coordinate]: leaf.bounds[coordinate][end]}
    return bool(sp.expand(leaf.body.xreplace(at)) == 0)
