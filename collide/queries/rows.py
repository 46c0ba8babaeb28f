"""The rows of a batch. Each is one pair of bodies: the formulas of a family, with numbers of its own."""

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose, framed
from codegen.given import doubles
from generative import ParametricSurface, u, v
from generative.body import called
from generative.changes import with_formulas
from generative.creases import may_be_creased
from generative.family import Member, member_of
from generative.symbols import parameters_of

from ..bodies.numbers import Numbers, end_kernel
from ..bodies.parts import faces_of
from ..bodies.surface_points import position_kernel
from ..moment.pairs import Starts
from ..moment.start import Start
from ..search.problem import Problem
from ..situations.contact import situation
from ..timeline.scene import Scene, closed_border

# Points, as shares of the domains and of the time span, at which it is tested whether a surface has a position.
_SOMEWHERE = np.array([[0.5] * 5, [0.31, 0.73, 0.67, 0.19, 0.41], [0.83, 0.23, 0.11, 0.59, 0.77], [0.07, 0.43, 0.37, 0.89, 0.13]])


def checked(bodies: Any, parameters: Any) -> dict[Any, np.ndarray]:
    """The values of the parameters, arrays of one length."""
    if not isinstance(bodies, Sequence) or len(bodies) != 2 or not all(isinstance(b, ParametricSurface) for b in bodies):
        raise TypeError("contact_batch takes a list of two ParametricSurface values; call first_contact for other bodies, row by row with "
                        "numbers in the place of the parameters")
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must be a dictionary {{symbol: array}}, got a {type(parameters).__name__}")
    used = {s for b in bodies
            for s in parameters_of(*b.body, *itertools.chain(*b.domain.values()), b.motion.rotation, b.motion.translation)}
    if not used:
        raise ValueError("the bodies contain no Parameter symbols; call first_contact for a single pair")
    missing, unknown = sorted(used - set(parameters), key=str), [s for s in parameters if s not in used]
    if missing:
        raise ValueError(f"the bodies contain the parameter {missing[0]}, for which no values are given")
    if unknown:
        raise ValueError(f"values are given for {unknown[0]!r}, which is no Parameter symbol of the bodies")
    values = {s: doubles(array, f"the values of {s}", "(n,)") for s, array in parameters.items()}
    for s, array in values.items():
        if array.ndim != 1:
            raise ValueError(f"the values of {s} must have the shape (n,), got {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"the values of {s} must be finite numbers, got {array[~np.isfinite(array)][0]} in row "
                             f"{np.flatnonzero(~np.isfinite(array))[0]}")
    lengths = {len(array): s for s, array in values.items()}
    if len(lengths) > 1:
        (a, first), (b, second) = list(lengths.items())[:2]
        raise ValueError(f"all parameters need equally many values, got {a} for {first} and {b} for {second}")
    return values


class Rows:
    """The family of the pair, and the instances of it that the rows are."""

    def __init__(self, bodies: Sequence[ParametricSurface], time: tuple[Any, Any], values: Mapping[Any, np.ndarray]) -> None:
        self.bodies, self.time, self.values = tuple(bodies), tuple(time), values
        self.members = member_of(bodies[0]), member_of(bodies[1])
        self.count = len(next(iter(values.values())))
        self.numbers = [_table(m, values, self.count) for m in self.members]
        self.creased = any(may_be_creased(m.body.resting) for m in self.members)
        self.outer, self.inner = self._domains()
        self._check_positions()

    def _domains(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, 5, 2): boxes that contain the domains of the rows, and boxes that lie inside them."""
        sides = list(zip(self.members, self.numbers, strict=True))
        ends = [[_column(e, m, values) for e in m.body.domain[s]] for m, values in sides for s in (u, v)]
        for (lo, hi), (k, s) in zip(ends, itertools.product((0, 1), (u, v)), strict=True):
            empty = np.flatnonzero(~(hi[:, 0] > lo[:, 1]))
            if len(empty):
                raise ValueError(f"the domain of {s} of {called(self.bodies, k)} is empty or reversed in row {empty[0]}")
        outer, inner = np.empty((2, self.count, 5, 2))
        for j, (lo, hi) in enumerate(ends):
            outer[:, j] = np.stack([lo[:, 0], hi[:, 1]], axis=1)
            inner[:, j] = np.stack([lo[:, 1], hi[:, 0]], axis=1)
        first, last = (enclose(e) for e in self.time)
        outer[:, 4], inner[:, 4] = (ends[0] for ends in framed([(first, last)]))
        return outer, inner

    def _check_positions(self) -> None:
        """Refuses rows in which a body has no position at any of some points."""
        boxes = self.outer[:, None, :, 0] + _SOMEWHERE[None] * (self.outer[:, None, :, 1] - self.outer[:, None, :, 0])
        for body, (m, numbers) in enumerate(zip(self.members, self.numbers, strict=True)):
            at = boxes[..., [2 * body, 2 * body + 1, 4]].reshape(-1, 3)
            ends = numbers.repeat(len(_SOMEWHERE), axis=0)
            given = (ends[..., 0], ends[..., 1]) if m.symbols else None
            lo, hi, level = position_kernel(m.body, m.symbols).decorated(at, at, parameters=given)
            known = np.all((np.isfinite(lo) & np.isfinite(hi) & (level > 0)).reshape(self.count, len(_SOMEWHERE), 3), axis=2)
            for row in np.flatnonzero(~np.any(known, axis=1))[:1]:
                raise ValueError(f"{called(self.bodies, body)} has no position in row {row}; look for numbers that its formulas cannot "
                                 "take, such as a rotation axis of length zero")

    @functools.cached_property
    def whole(self) -> Problem:
        """The situation of the two faces, which stand for their borders, too. All rows share it if no surface has creases."""
        first, second = (faces_of(m.body)[0] for m in self.members)
        assert not self.creased
        found = situation(first, second, (0, 1), symbols=(self.members[0].symbols, self.members[1].symbols))
        return found.instance(found.parameters, found.outer, found.inner, border=closed_border(first, second, unproved=True))

    def problem(self, k: int) -> Problem:
        return self.whole.instance(np.concatenate([values[k] for values in self.numbers]), self.outer[k], self.inner[k])

    def scene(self, k: int, span: tuple[float, float]) -> Scene:
        """The row as a scene of two bodies, by the formulas of the family. Their surfaces count as apart at the start."""
        given = self._given(k)
        numbers = [Numbers(m.symbols, [given.get(e, e) for e in m.numbers], values[k])
                   for m, values in zip(self.members, self.numbers, strict=True)]
        return _apart(Scene([m.body for m in self.members], self.time, span, (), numbers=numbers))

    def single(self, k: int, span: tuple[float, float]) -> Scene | None:
        """The row as `first_contact` would see it, with its numbers in the formulas. None where SymPy finds no value for one of them, as
        for 0/0.
        """
        given = self._given(k)
        try:
            bodies = [with_formulas(body, lambda e: e.xreplace(given)) for body in self.bodies]
        except ValueError:
            return None
        return _apart(Scene(bodies, self.time, span, ()))

    def _given(self, k: int) -> dict[Any, Any]:
        """The parameters as they were given, each with its number in a row."""
        return {s: sp.Rational(float(array[k])) for s, array in self.values.items()}


def _apart(scene: Scene) -> Scene:
    """Lets the surfaces count as apart before the start, also if they are at rest. If they meet at the start, they are then found to meet
    there.
    """
    scene.states, scene.unproved = Starts(2, Start.DISJOINT), scene.begin
    return scene


def _table(member: Member, values: Mapping[Any, np.ndarray], count: int) -> np.ndarray:
    """(n, p, 2): intervals that hold the numbers of a body in each row."""
    table = np.empty((count, len(member.symbols), 2))
    for j, e in enumerate(member.numbers):
        table[:, j] = values[e][:, None] if e in values else enclose(e)
    return table


def _column(e: Any, member: Member, values: np.ndarray) -> np.ndarray:
    """(n, 2): an end of a domain in each row, enclosed."""
    if not e.free_symbols:
        return np.tile(enclose(e), (len(values), 1))
    if e in member.symbols:
        return np.asarray(values[:, member.symbols.index(e)])
    none = np.empty((len(values), 0))
    lo, hi = end_kernel(e, member.symbols).interval(none, none, parameters=(values[..., 0], values[..., 1]))
    return np.concatenate([lo, hi], axis=1)
