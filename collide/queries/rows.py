"""The rows of a batch. Each is the same bodies: the formulas of families, with numbers of its own."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
import sympy as sp

from codegen.constants import enclose, framed
from codegen.given import doubles
from codegen.kernel import Kernel, compile
from generative import ImplicitBody, ParametricSurface, Solid, t, u, v
from generative.body import called
from generative.brep import Edge, Vertex
from generative.changes import pieces_of, with_formulas
from generative.combination import Combination
from generative.creases import may_be_creased
from generative.family import family_of, parameters_in
from generative.knots import splines_of
from generative.resting import Member
from generative.symbols import Parameter

from ..bodies.flat import may_be_flat
from ..bodies.numbers import Numbers, end_kernel, numbers_of
from ..bodies.parts import faces_of
from ..bodies.surface_points import position_kernel
from ..bodies.thickened import Shift, shifted, shifts_of
from ..culling.core_contacts import RowsDecided, rows_decided
from ..culling.core_gaps import carried
from ..culling.motion_rows import MotionRows
from ..moment.pairs import Pair, Pairs, Starts
from ..moment.start import Start
from ..search.clock import Clock
from ..search.fan_out import fan_out, renumbered
from ..search.problem import Problem
from ..search.rows import Instances
from ..situations.contact import situation
from ..timeline.course import Course
from ..timeline.scene import Scene
from ..timeline.situated import closed_border
from .arguments import check_bodies, check_kinds
from .coincident_notes import coincident_at
from .parameters import check_symbol
from .rotations import check_rotations_in_rows

T = TypeVar("T")

# Rows that are checked at a time.
_SOME = 1 << 14
# Effort only: pairs of more bodies are not looked at for all rows at once.
_MOST_BODIES = 64
# Points, as shares of the domains and of the time span, at which it is tested whether a surface has a position.
_SOMEWHERE = np.array([[0.5] * 5, [0.31, 0.73, 0.67, 0.19, 0.41], [0.83, 0.23, 0.11, 0.59, 0.77], [0.07, 0.43, 0.37, 0.89, 0.13]])


def checked(bodies: Any, parameters: Any) -> dict[Any, np.ndarray]:
    """The values of the parameters, arrays of one length."""
    check_kinds(bodies, "contact_batch")
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must be a dictionary {{symbol: array}}, got a {type(parameters).__name__}")
    for key in parameters:
        check_symbol(key)
    used = frozenset().union(*map(parameters_in, bodies))
    if not used:
        raise ValueError("the bodies contain no Parameter symbols; call first_contact for bodies that have all their numbers")
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


def shared(query: Callable[..., T], bodies: Sequence[Any], time: tuple[Any, Any], values: Mapping[Any, np.ndarray], executor: Any,
           clock: Clock, *given: Any, **options: Any) -> T:
    """The answer of a batch query to all rows, by the workers of an executor."""
    def ask(lo: int, hi: int) -> partial[T]:
        return partial(query, bodies, time, *given, parameters=_some(values, lo, hi), **options)

    return fan_out(ask, len(next(iter(values.values()))), executor, clock)


def check_rows(bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], values: Mapping[Any, np.ndarray],
               ignored: Pairs, least: float = 0.0) -> None:
    """Refuses what cannot be asked of rows, some at a time, so that all of them are never held twice."""
    count = len(next(iter(values.values())))
    for lo in range(0, max(count, 1), _SOME):
        try:
            RowFamilies(bodies, time, span, _some(values, lo, lo + _SOME), ignored).check_sizes(least)
        except ValueError as error:
            raise ValueError(renumbered(error, lo)) from error


def _some(values: Mapping[Any, np.ndarray], lo: int, hi: int) -> dict[Any, np.ndarray]:
    return {s: array[lo:hi] for s, array in values.items()}


class RowFamilies:
    """The families of the bodies, and the instances of them that the rows are.

    `shift`: of solids with gaps, in all rows; `thick`: some are thickened. `quick`: two patches, whose rows are one problem each, unless
    they are `creased`. `literal`: edges or vertices of a solid contain parameters, so rows have formulas of their own. `follows`:
    bodies follow splines. `flat`: all faces may be flat, and none is thickened.
    """

    def __init__(self, bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], values: Mapping[Any, np.ndarray],
                 ignored: Pairs, shift: Shift = Shift.NONE) -> None:
        self.shift, self._shifts = shift, shifts_of(bodies, shift)
        self.thick = bool(self._shifts)
        self.bodies, self.time, self.span, self.values, self.ignored = tuple(bodies), tuple(time), span, values, ignored
        self.count = len(next(iter(values.values())))
        self.follows = any(map(splines_of, bodies))
        self.literal = any(_is_literal(b) for b in bodies)
        # What has all its numbers is checked as in a single call; faces and motions with parameters are looked at row by row.
        check_bodies([b.resting if isinstance(b, Solid) else b for b in bodies if not parameters_in(
            b.resting if isinstance(b, Solid) else b)], span)
        self.coincident = self._coincident()
        check_rotations_in_rows(bodies, values)
        self.members = [shifted(family_of(b), k, self._shifts) for k, b in enumerate(bodies)]
        self.numbers = [_table(m, values, self._shifts, self.count) for m in self.members]
        patches = [m for m in self.members if isinstance(m.body, ParametricSurface)]
        self.quick = len(bodies) == len(patches) == 2 and not self.follows
        # Exact answers are about bodies as they are.
        self.flat = not self.thick and all(map(may_be_flat, bodies))
        self.creased = any(may_be_creased(m.body.resting) for m in patches)
        # (n, p): the pairs that are proved apart throughout the span, where that is looked at.
        self._kept_apart: np.ndarray | None = None
        self.outer, self.inner = self._domains()
        if not (self.follows or self.literal):
            self._check_positions()

    def _coincident(self) -> np.ndarray:
        """(n,): in which rows leaves of a combined body may be one surface that are two in most. In others they are proved to be two."""
        found = np.zeros(self.count, bool)
        symbols = tuple(self.values)
        at = np.stack([*self.values.values()], axis=1) if symbols else np.empty((self.count, 0))
        for body in self.bodies:
            told = body.comparison if isinstance(body, Combination) else None
            if told is not None:
                found |= coincident_at(body, told, symbols, at)
        return found

    def is_single(self, k: int) -> bool:
        """Whether a row has formulas of its own, with its numbers in them."""
        return bool(self.literal or self.coincident[k])

    def _domains(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, 2 p + 1, 2): boxes that contain the domains of p patches and the time span in the rows, and boxes that lie inside them."""
        ends = [bounds for k, (m, values) in enumerate(zip(self.members, self.numbers, strict=True)) for bounds in self._ends(k, m, values)]
        outer, inner = np.empty((2, self.count, len(ends) + 1, 2))
        for j, (lo, hi) in enumerate(ends):
            outer[:, j] = np.stack([lo[:, 0], hi[:, 1]], axis=1)
            inner[:, j] = np.stack([lo[:, 1], hi[:, 0]], axis=1)
        first, last = (enclose(e) for e in self.time)
        outer[:, -1], inner[:, -1] = (ends[0] for ends in framed([(first, last)]))
        return outer, inner

    def _ends(self, body: int, member: Member, values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Both ends of the domains of a patch in each row; those of the bounds of implicit surfaces are looked at alone."""
        own = [(f"the domain of {s}", member.body.domain[s]) for s in (u, v)] if isinstance(member.body, ParametricSurface) else []
        leaves = pieces_of(member.body) if isinstance(member.body, ImplicitBody) else ()
        bounds = [(f"the range of {s}", ends) for leaf in leaves for s, ends in zip("xyz", leaf.bounds, strict=True)]
        for what, ends in own + bounds:
            lo, hi = (_column(e, member, values) for e in ends)
            empty = np.flatnonzero(~(hi[:, 0] > lo[:, 1]))
            if len(empty):
                raise ValueError(f"{what} of {called(self.bodies, body)} is empty or reversed in row {empty[0]}")
            if own:
                yield lo, hi

    def check_sizes(self, least: float) -> None:
        """Refuses rows in which an implicit surface is smaller."""
        for body, (m, values) in enumerate(zip(self.members, self.numbers, strict=True)):
            for leaf in pieces_of(m.body) if isinstance(m.body, ImplicitBody) else ():
                ends = [[_column(e, m, values) for e in pair] for pair in leaf.bounds]
                size = np.max([hi[:, 1] - lo[:, 0] for lo, hi in ends], axis=0)
                for row in np.flatnonzero(size < least)[:1]:
                    raise ValueError(f"{called(self.bodies, body)} has a size below {least} in row {row}, whose square is no double: give "
                                     "lengths in a smaller unit")

    def _check_positions(self) -> None:
        """Refuses rows in which a body has no position at any of some points: a patch on itself, other bodies by their motions."""
        boxes, first = self.outer[..., 0], 0
        reach = self.outer[..., 1] - self.outer[..., 0]
        for body, (m, numbers) in enumerate(zip(self.members, self.numbers, strict=True)):
            if isinstance(m.body, ParametricSurface):
                columns, kernels = [first, first + 1, -1], [position_kernel(m.body, m.symbols)]
                shares, first = _SOMEWHERE[:, [2 * min(body, 1), 2 * min(body, 1) + 1, 4]], first + 2
            else:
                motions = dict.fromkeys(f for piece in pieces_of(m.body) for f in piece.motion.factors)
                columns, shares, kernels = [-1], _SOMEWHERE[:, 4:], [_motion_kernel(f, m.symbols) for f in motions]
            at = (boxes[:, None, columns] + shares[None] * reach[:, None, columns]).reshape(-1, len(columns))
            ends = numbers.repeat(len(shares), axis=0)
            for kernel in kernels:
                lo, hi, level = kernel.decorated(at, at, parameters=(ends[..., 0], ends[..., 1]) if m.symbols else None)
                known = np.all((np.isfinite(lo) & np.isfinite(hi) & (level > 0)).reshape(self.count, len(shares), lo.shape[-1]), axis=2)
                for row in np.flatnonzero(~np.any(known, axis=1))[:1]:
                    raise ValueError(f"{called(self.bodies, body)} has no position in row {row}; look for numbers that its formulas cannot "
                                     "take, such as a rotation axis of length zero")

    @functools.cached_property
    def whole(self) -> Problem:
        """The situation of the two faces of quick rows without creases, which stand for their borders, too."""
        first, second = (faces_of(m.body)[0] for m in self.members)
        assert self.quick and not self.creased
        found = situation(first, second, (0, 1), symbols=(self.members[0].symbols, self.members[1].symbols))
        return found.instance(found.parameters, found.outer, found.inner, border=closed_border(first, second, unproved=True))

    @functools.cached_property
    def instances(self) -> Instances:
        """Those that `problem` gives."""
        own = np.concatenate(self.numbers, axis=1)
        rest = np.broadcast_to(self.whole.parameters[own.shape[1]:], (self.count, len(self.whole.parameters) - own.shape[1], 2))
        return Instances(self.outer, self.inner, np.concatenate([own, rest], axis=1))

    def problem(self, k: int) -> Problem:
        return self.whole.instance(np.concatenate([values[k] for values in self.numbers]), self.outer[k], self.inner[k])

    def scene(self, k: int) -> Scene | None:
        """The row as a scene of bodies whose surfaces count as apart at the start, by the formulas of the families; as `first_contact`
        would see it, with its numbers in the formulas, where these are its own (`is_single`), or `quick`: such a row takes long, which is
        worth code of its own. None where SymPy then finds no value for one of them, as for 0/0.
        """
        if self.is_single(k) or self.quick:
            return self._single(k)
        if self.follows:
            course = Course(self.bodies, self.span, {s: float(array[k]) for s, array in self.values.items()}, self.shift)
            return self._apart(Scene(self.bodies, self.time, self.span, (), ignored=self.ignored, course=course))
        return self.family(k, self.near(k))

    def decide(self, gap: float) -> RowsDecided | None:
        """Rows in which all pairs of bodies are *proved* apart before any of them is looked at, and in which the first contact of convex
        bodies is proved within `gap`; None where that is not looked at, as of thickened bodies.
        """
        if self.thick or self.quick or self.follows or len(self.bodies) > _MOST_BODIES or not self.count:
            return None
        rows = np.stack([*self.values.values()], axis=1)
        known = rows_decided(self.bodies, self._pairs, tuple(self.values), rows, self.outer[0, -1], gap)
        self._kept_apart = known.apart
        return known._replace(pairs=self._pairs[known.pairs])

    def in_space(self, body: int, rows: np.ndarray, moments: np.ndarray, points: np.ndarray) -> np.ndarray:
        """About where points (k, 3) in the frame of a body are in space, in rows (k,) at moments (k,)."""
        numbers = np.stack([*self.values.values()], axis=1)[rows]
        return carried(MotionRows(self.bodies[body], tuple(self.values)).points(numbers, moments), points.T).T

    def near(self, k: int) -> list[Pair] | None:
        """The pairs of bodies that are not *proved* apart in a row before it is looked at; None: all that are asked about."""
        return None if self._kept_apart is None else [(i, j) for i, j in self._pairs[~self._kept_apart[k]].tolist()]

    @functools.cached_property
    def _pairs(self) -> np.ndarray:
        """(p, 2): the pairs of bodies that are asked about."""
        pairs = np.stack(np.triu_indices(len(self.bodies), 1), axis=1)
        return np.asarray(pairs[~self.ignored.holds(*pairs.T)])

    def family(self, k: int, labels: Sequence[Pair] | None = None) -> Scene:
        """The row as such a scene, by the formulas of the families, whatever the bodies; about these pairs of them, None: all."""
        numbers = [Numbers(m.symbols, [None if isinstance(e, Parameter) else e for e in m.data], values[k]) if m.free else numbers_of(m)
                   for m, values in zip(self.members, self.numbers, strict=True)]
        return self._apart(Scene([m.body for m in self.members], self.time, self.span, (), numbers=numbers, ignored=self.ignored,
                                 carried=self.bodies, labels=labels))

    def _single(self, k: int) -> Scene | None:
        given = {s: sp.Rational(float(array[k])) for s, array in self.values.items()}
        try:
            bodies = [_substituted(body, given) for body in self.bodies]
            if not self.quick:
                check_bodies(bodies, self.span)
        except ValueError as error:
            if self.quick:
                return None
            raise ValueError(f"row {k}: {error}") from error
        return self._apart(Scene(bodies, self.time, self.span, (), ignored=self.ignored, shift=self.shift,
                                 course=Course(bodies, self.span, shift=self.shift) if self.follows else None))

    def _apart(self, scene: Scene) -> Scene:
        """Lets the surfaces count as apart before the start, also if they are at rest. If they meet at the start, they are then found to
        meet there.
        """
        scene.states, scene.unproved = Starts(len(self.bodies), Start.DISJOINT, self.ignored), scene.begin
        return scene


def _is_literal(body: Any) -> bool:
    return isinstance(body, Solid) and bool(parameters_in(body.resting))


def _substituted(body: Any, given: Mapping[Any, Any]) -> Any:
    """A body with numbers for its parameters."""
    def change(e: Any) -> Any:
        return e.xreplace(given)

    if isinstance(body, ImplicitBody):
        return body.changed(change)
    found = with_formulas(body, change)
    if not isinstance(body, Solid):
        return found
    edges = [Edge(e.faces, tuple((change(a), change(b)) for a, b in e.paths), (change(e.domain[0]), change(e.domain[1])))
             for e in body.edges]
    vertices = [Vertex(p.faces, tuple((change(a), change(b)) for a, b in p.points)) for p in body.vertices]
    return Solid._unchecked(found.faces, edges, vertices, body.closed).with_gap(body.gap)


@functools.lru_cache(maxsize=512)
def _motion_kernel(motion: Any, symbols: tuple[Any, ...]) -> Kernel:
    return compile(list(motion.entries), [t], symbols, quick=True)


def _table(member: Member, values: Mapping[Any, np.ndarray], shifts: Mapping[Any, tuple[float, float]], count: int) -> np.ndarray:
    """(n, p, 2): intervals that hold the numbers of a body in each row."""
    table = np.empty((count, len(member.symbols), 2))
    for j, e in enumerate(member.data):
        table[:, j] = values[e][:, None] if e in values else shifts[e] if e in shifts else enclose(e)
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
