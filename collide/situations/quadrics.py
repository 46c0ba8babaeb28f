"""The leaves of a body that are quadrics and keep their places to each other, as numbers: their coefficients in the frames of others.

A quadric X^T A X + l X + c of the points X = R u + d, where u is about a centre, is u^T (R^T A R) u + (2 A d + l) R u + d^T A d + l d + c.
A kernel encloses these coefficients, of the enclosed numbers of the leaf and of the way to its frame.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.algebra.margin import TERMS, Margin, Pair
from codegen.graph.expr import Expr, ExprPool
from codegen.graph.signs import LARGEST
from codegen.kernel import Kernel
from generative import ImplicitBody

from ..bodies.motions import carried, row_times
from ..bodies.numbers import Numbers
from .carriers import SAME, rests_of
from .placed_leaves import between, coefficients_of, leaves_of


class Quadrics:
    """The leaves of a body with these numbers, the motions of which begin with so many `shared` factors, each before at most one that is
    constant. `known`: which of the leaves are quadrics; `frames` (leaves,): the number of the frame of each.
    """

    def __init__(self, body: ImplicitBody, numbers: Numbers, shared: int) -> None:
        (self.leaves, motions), self._numbers = leaves_of(body), numbers
        self.number = {leaf: k for k, leaf in enumerate(self.leaves)}
        self.frames = np.array([motions.index(leaf.motion) for leaf in self.leaves])
        found = [coefficients_of(leaf.body) for leaf in self.leaves]
        self.known = np.array([own is not None for own in found])
        values = numbers.enclose_all([e for own in found for e in own or (0,) * len(TERMS)])
        self._own = values.reshape(len(found), -1, 2)
        self._rests = rests_of(motions, numbers, shared)
        self._seen, self._ways = functools.cache(self._seen_from), functools.cache(self._ways_from)
        self._plane = functools.cache(self._coefficients)

    def _ways_from(self, frame: int) -> np.ndarray:
        """(frames, 12, 2): the ways from a frame into all others."""
        count = len(self._rests)
        ways = between(np.repeat(self._rests[[frame]], count, axis=0), self._rests)
        ways[frame] = SAME
        return ways

    def _seen_from(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients (leaves, 10, 2) of the leaves in a frame, about centres (leaves, 3)."""
        ways = self._ways(frame)[self.frames]
        middle = ways.mean(axis=2)
        # The origin of the frame of a leaf, nearly: about any centre they are enclosed.
        centres = -np.einsum("kij,ki->kj", middle[:, :9].reshape(-1, 3, 3), middle[:, 9:])
        centres[~self._own[:, :6].any(axis=(1, 2))] = 0.0
        parameters = np.concatenate([ways, self._own, np.repeat(centres[..., None], 2, axis=2)], axis=1)
        none = np.empty((len(ways), 0))
        lo, hi = _turned().interval(none, none, parameters=(parameters[..., 0], parameters[..., 1]))
        return np.stack([lo, hi], axis=2), centres

    def usable(self, frame: int) -> np.ndarray:
        """(leaves,): whether they may be put into a `Margin`."""
        coefficients, centres = self._seen(frame)
        return np.asarray(self.known & (np.abs(coefficients) <= LARGEST).all(axis=(1, 2)) & (np.abs(centres) <= LARGEST).all(axis=1))

    def add(self, margin: Margin, frame: int, leaf: int) -> Pair:
        """The function of a leaf, of coordinates in a frame."""
        coefficients, centres = self._seen(frame)
        if not self._own[leaf, :6].any():
            return margin.plane(coefficients[leaf, 6:])
        return margin.quadric(coefficients[leaf], centres[leaf].tolist())

    def within(self, margin: Margin, frame: int, leaf: int) -> Pair:
        """The amount by which points, of coordinates in a frame, are within the bounds of a leaf."""
        other, found = int(self.frames[leaf]), list[Pair]()
        for c, (lo, hi) in enumerate(self.leaves[leaf].bounds):
            found += [self.beyond(margin, frame, other, c, lo), margin.opposite(self.beyond(margin, frame, other, c, hi))]
        return functools.reduce(margin.least, found)

    def beyond(self, margin: Margin, frame: int, other: int, coordinate: int, end: Any) -> Pair:
        """The amount by which a coordinate in another frame is larger than a number."""
        return margin.plane(self._plane(frame, other, coordinate, end))

    def _coefficients(self, frame: int, other: int, coordinate: int, end: Any) -> np.ndarray:
        way = self._ways(frame)[other]
        none, given = np.empty((1, 0)), np.array([way[9 + coordinate], self._numbers.enclose(end)])
        (lo,), (hi,) = _difference().interval(none, none, parameters=(given[:, 0], given[:, 1]))
        return np.concatenate([way[3 * coordinate:3 * coordinate + 3], [[lo[0], hi[0]]]])


quadrics = functools.lru_cache(maxsize=64)(Quadrics)


@functools.cache
def _difference() -> Kernel:
    pool = ExprPool()
    return Kernel([pool.parameter(0) - pool.parameter(1)], [], ["a", "b"], quick=True)


@functools.cache
def _turned() -> Kernel:
    """The coefficients of a quadric about a centre in another frame, of the way from there, its own coefficients and the centre."""
    pool = ExprPool()
    way, own, centre = ([pool.parameter(first + k) for k in range(count)] for first, count in ((0, 12), (12, 10), (22, 3)))
    d = carried(way, centre)
    columns = [way[j:9:3] for j in range(3)]
    # Twice the matrix, so that all its entries are coefficients.
    double = [[own[i] + own[i] if i == j else own[i + j + 2] for j in range(3)] for i in range(3)]
    half = pool.constant(1) / 2
    slope = [row_times(double[i], d) + own[6 + i] for i in range(3)]
    second = [half * _form(double, columns[i], columns[i]) for i in range(3)]
    mixed = [_form(double, columns[i], columns[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    constant = half * _form(double, d, d) + row_times(own[6:9], d) + own[9]
    linear = [row_times(column, slope) for column in columns]
    return Kernel([*second, *mixed, *linear, constant], [], [f"p{k}" for k in range(25)], quick=True)


def _form(matrix: Sequence[Sequence[Expr]], a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return row_times(a, [row_times(row, b) for row in matrix])


