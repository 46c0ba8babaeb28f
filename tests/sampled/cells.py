"""Random unions, intersections and differences of boxes with corners on a grid, whose faces coincide often, against the unit cells that
these are made of, which say exactly which points are in the body, on its surface and out of it, its volume, when a falling ball hits it,
and how far a ball is from it.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

import collide
from collide import Kind
from generative import ImplicitBody, ImplicitSurface, Rigid, primitives, t

SIDE, SMALL = 3, sp.Rational(1, 4)
GAP = 1e-9


class Cells:
    """A random body with the cells (SIDE, SIDE, SIDE) that it fills. Its leaves are scaled, some boxes are turned by quarters."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.body, self.filled = self._made(int(self.rng.integers(2, 5)))

    def _made(self, count: int) -> tuple[ImplicitBody, np.ndarray]:
        if count == 1:
            return self._box()
        first = int(self.rng.integers(1, count))
        (a, own), (b, other) = self._made(first), self._made(count - first)
        kind = self.rng.choice(4, p=[0.4, 0.15, 0.4, 0.05])
        if kind == 3:
            return (a - b) | (b - a), own ^ other
        return (a | b, a & b, a - b)[kind], (own | other, own & other, own & ~other)[kind]

    def _box(self) -> tuple[ImplicitBody, np.ndarray]:
        lo = self.rng.integers(0, SIDE, 3)
        hi = np.array([self.rng.integers(a + 1, SIDE + 1) for a in lo])
        filled = np.zeros((SIDE,) * 3, bool)
        filled[tuple(slice(a, b) for a, b in zip(lo, hi, strict=True))] = True
        sizes, middle = [sp.Integer(int(e)) for e in hi - lo], [sp.Rational(int(e), 2) for e in lo + hi]
        turns = int(self.rng.integers(4))
        if turns % 2:
            sizes[:2] = sizes[1::-1]
        c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[turns]
        box = primitives.block(sizes).moved(Rigid(rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]], translation=middle))
        return self._scaled(box, sp.Rational(int(self.rng.integers(1, 4)), int(self.rng.integers(1, 4)))), filled

    def _scaled(self, body: Any, factor: Any) -> ImplicitBody:
        leaves = [ImplicitSurface(leaf.body * factor, leaf.bounds, motion=leaf.motion) for leaf in body.leaves]
        whole = leaves[0]
        for leaf in leaves[1:]:
            whole = whole & leaf
        return whole

    @property
    def boxes(self) -> np.ndarray:
        """(n, 3): the lower corners of the cells that are filled."""
        return np.argwhere(self.filled).astype(float)

    def kind(self, point: np.ndarray) -> Kind:
        """Of a point whose coordinates are multiples of 1/2: by the cells round it."""
        padded = np.pad(self.filled, 1)
        ends = [sorted({math.floor(c + 1 - 0.25), math.floor(c + 1 + 0.25)}) for c in point]
        around = padded[np.ix_(*ends)]
        return Kind.IN if around.all() else Kind.FACE if around.any() else Kind.OUT

    def apart(self, point: np.ndarray) -> float:
        """How far a point is from the cells."""
        beyond = np.maximum(np.maximum(self.boxes - point, point - self.boxes - 1), 0)
        return float(np.linalg.norm(beyond, axis=1).min(initial=math.inf))

    def height(self, place: np.ndarray) -> float:
        """How high the centre of a ball of radius SMALL that falls on (x, y) is when it hits; -inf if it does not."""
        beyond = np.maximum(np.maximum(self.boxes[:, :2] - place, place - self.boxes[:, :2] - 1), 0)
        far, tops = (beyond**2).sum(axis=1), self.boxes[:, 2] + 1
        hit = far < float(SMALL) ** 2
        return float((tops[hit] + np.sqrt(float(SMALL) ** 2 - far[hit])).max(initial=-math.inf))


def compared(_: str, seed: int, budget: float) -> tuple[str, list[str]]:
    """The statuses of what is asked of the body of a seed, and what is wrong."""
    cells = Cells(seed)
    statuses, found = list[str](), list[str]()
    for ask in (_classified, _weighed, _fallen, _near):
        status, wrong = ask(cells, budget)
        statuses += [status] if status else []
        found += wrong
    return " ".join(sorted(statuses)), found


def _classified(cells: Cells, _: float) -> tuple[str, list[str]]:
    points = cells.rng.integers(-1, 2 * SIDE + 2, (40, 3)) / 2
    told = collide.classify(cells.body, points)
    return "", [f"{p.tolist()} is {cells.kind(p).name}, told {kind.name}" for p, kind in zip(points, told, strict=True)
                if kind is not cells.kind(p)]


def _weighed(cells: Cells, _: float) -> tuple[str, list[str]]:
    count = int(cells.filled.sum())
    try:
        volume = collide.mass_properties(cells.body).volume
    except ValueError as error:
        return "", [f"{error}, but {count} cells are filled"] if count else []
    return "", [] if abs(volume - count) < GAP else [f"the volume is {count}, told {volume!r}"]


def _fallen(cells: Cells, budget: float) -> tuple[str, list[str]]:
    place = cells.rng.integers(-1, 16 * SIDE + 2, 2) / 16 + 1 / 64
    ball = primitives.ball(SMALL).moved(Rigid(translation=[*map(sp.Rational, place.tolist()), 4 - t]))
    height = cells.height(place)
    answer = collide.first_contact([ball, cells.body], (0, 5), budget=budget)
    return answer.status.name, list(_wrong(answer, 4 - height))


def _wrong(answer: collide.Contacts, right: float) -> Iterator[str]:
    if answer.clear_until > right + GAP:
        yield f"they meet at {right!r}, but are told to be clear until {answer.clear_until!r}"
    if answer.time is not None and not answer.time.lo - GAP <= right <= answer.time.hi + GAP:
        yield f"they meet at {right!r}, told {answer.time}"
    if answer.status is collide.Status.NO_CONTACT and right < 5:
        yield f"they meet at {right!r}, told never"


def _near(cells: Cells, budget: float) -> tuple[str, list[str]]:
    point = cells.rng.integers(-16, 16 * (SIDE + 1), 3) / 16 + 1 / 64
    apart = cells.apart(point) - float(SMALL)
    if not GAP < apart < math.inf:
        return "", []
    answer = collide.distance(primitives.ball(SMALL, list(map(sp.Rational, point.tolist()))), cells.body, budget=budget)
    lo, hi = answer.bracket
    return answer.status.name, [] if lo - GAP <= apart <= hi + GAP else [f"{apart!r} apart, told {answer.bracket}"]
