"""Motions through keyframes, from pose to pose by even screws, whose formulas are made only when they are asked for.

All their pieces are one formula with numbers of its own for each (see `knots`), and these are enclosed for all pieces at once. With R, T of
the earlier pose, the turn `angle` about the axis n, N p = n x p, and s from 0 to 1, the piece is R + sin(s angle) N R + (1 - cos(s angle))
N^2 R and T + s V + sin(s angle) V1 + (1 - cos(s angle)) V2, see `_numbers`.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.from_sympy import from_sympy
from codegen.kernel import Kernel

from .motion import Motion, Rigid
from .products import Pose, Product
from .screw import checked, in_turn, interpolate_poses
from .symbols import formula, items, t

Array = np.ndarray
# Above this cosine of the turn its axis is seen in the antisymmetric part of the rotation, below in the symmetric one.
_HALF_TURN = -0.5
# Wider enclosures of numbers, against the lengths in a motion, are not worth having: exact formulas are taken then.
_WIDEST = 1e-9
# Operations in an entry of a pose that is looked into.
_LONG = 50
_IDENTITY = sp.ImmutableMatrix.eye(3)


def keyframes(poses: Sequence[Motion], times: Sequence[Any]) -> Motion:
    """Screw interpolation through several poses, piecewise in time. It is continuous; its velocity in general is not.

    The first screw also holds before the first time, and the last one after the last. Its formulas are made when they are asked for;
    queries that go through the time span go from keyframe to keyframe, where the times are doubles and the poses are exact rotations, as
    those of quaternions are.
    """
    poses, times = items(poses, "the poses"), items(times, "the times of keyframes")
    if len(poses) < 2 or len(poses) != len(times):
        raise ValueError(f"keyframes need at least two poses and one time a pose, got {len(poses)} and {len(times)}")
    moments = checked(poses, times)
    if all(pose == poses[0] for pose in poses):
        return poses[0]
    found = Keyframed(poses, moments)
    if len(poses) == 2:
        return found.piece(0)
    return found if found.is_exact else Rigid._unchecked(found.rotation, found.translation)


class Keyframed(Motion):
    """Through constant `poses` at `moments`, three or more, as `in_turn` of `interpolate_poses` between them. Products with it are kept as
    factors, so that nothing is multiplied out.
    """

    multiplied = False

    def __init__(self, poses: Sequence[Motion], moments: Sequence[Any]) -> None:
        self._poses, self._moments = tuple(poses), tuple(moments)

    @cached_property
    def symbols(self) -> frozenset[Any]:
        return frozenset([t])

    @cached_property
    def is_identity(self) -> bool:
        return False

    @cached_property
    def entries(self) -> tuple[Any, ...]:
        whole = in_turn([self.piece(k) for k in range(len(self._moments) - 1)], self._moments)
        return whole.entries

    @property
    def rotation(self) -> sp.ImmutableMatrix:
        return sp.ImmutableMatrix(3, 3, self.entries[:9])

    @property
    def translation(self) -> sp.ImmutableMatrix:
        return sp.ImmutableMatrix(3, 1, self.entries[9:])

    def piece(self, k: int) -> Motion:
        """The screw from pose k to the next."""
        return _screw(*self._poses[k:k + 2], *self._moments[k:k + 2])

    def piece_at(self, moment: Any) -> Motion:
        """The screw that holds at a moment."""
        later = [k for k, e in enumerate(self._moments[1:-1], 1) if moment >= e]
        return self.piece(later[-1] if later else 0)

    def at(self, time: Any) -> Motion:
        number = formula(time, [t], "a time")
        return self.piece_at(number).at(time) if number.is_Rational else super().at(time)

    def inverse(self) -> Motion:
        return Rigid._unchecked(self.rotation, self.translation).inverse()

    def __matmul__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return self if other.is_identity else Product(self, other)

    def __rmatmul__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        return self if other.is_identity else Product(other, self)

    def backwards(self) -> "Keyframed":
        """The motion that is at -t where this one is at t."""
        return Keyframed(self._poses[::-1], [-e for e in self._moments[::-1]])

    def _key(self) -> tuple[Any, ...]:
        return self._poses, self._moments

    def __repr__(self) -> str:
        return f"keyframes({list(self._poses)}, {list(self._moments)})"

    # -- numbers of all pieces ------------------------------------------------------------------------------------

    @cached_property
    def _numbers(self) -> list[tuple[Any, ...]]:
        return list(map(_entries, self._poses))

    @cached_property
    def _turning(self) -> list[bool]:
        return [a[:9] != b[:9] for a, b in pairwise(self._numbers)]

    @property
    def turns(self) -> bool:
        """Whether there are poses of different rotations."""
        return any(self._turning)

    @cached_property
    def is_exact(self) -> bool:
        """Whether the moments are doubles, and the poses exact rotations."""
        doubles = all(e.is_Rational and sp.Rational(float(e)) == e for e in self._moments)
        return doubles and all(_is_rotation(e[:9]) for e in self._numbers)

    @property
    def is_numeric(self) -> bool:
        """Whether `knots`, `poses` and `screws` are known. It must be exact, and turns clear."""
        return self.screws is not None

    @cached_property
    def knots(self) -> Array:
        """(n,): the moments."""
        return np.array([float(e) for e in self._moments])

    @cached_property
    def poses(self) -> Array:
        """(n, 12, 2): enclosures of rotations, row after row, and translations."""
        return np.array([[_tight(e) if isinstance(e, Fraction) else enclose(e) for e in own] for own in self._numbers])

    @cached_property
    def screws(self) -> Array | None:
        """(n - 1, 52, 2): enclosures of the numbers of the pieces beside their poses, as `_numbers` has them."""
        if not self.is_exact:
            return None
        turning = np.array(self._turning)
        ends = np.concatenate([self.poses[:-1], self.poses[1:]], axis=1)
        found = np.zeros((len(ends), len(_numbers()), 2))
        found[~turning, 37:40] = _straight(ends[~turning])
        found[turning] = _turning(ends[turning])
        size = 1 + np.abs(self.poses).max()
        return found if (found[..., 1] - found[..., 0] <= _WIDEST * size).all() else None


@functools.lru_cache(maxsize=4096)
def _screw(first: Motion, second: Motion, begin: Any, end: Any) -> Motion:
    return interpolate_poses(first, second, (begin, end))


def _entries(pose: Motion) -> tuple[Any, ...]:
    """The twelve entries of a pose, fractions where they are rational."""
    (*others, last) = pose.factors
    if isinstance(last, Pose) and not others:
        return last.numbers
    return tuple(Fraction(e.p, e.q) if e.is_Rational else e for e in pose.entries)


def _tight(e: Fraction) -> tuple[float, float]:
    """The doubles round a fraction. Python rounds the quotient of two integers to the nearest one."""
    near = e.numerator / e.denominator
    rest = e - Fraction(near)
    return (near, math.nextafter(near, math.inf)) if rest > 0 else (math.nextafter(near, -math.inf) if rest else near, near)


def _is_rotation(entries: Sequence[Any]) -> bool:
    """Whether R R^T = I is seen to hold exactly. That sin^2 is 1 - cos^2 is all that is used of sines, and long formulas are not looked
    into.
    """
    if any(not isinstance(e, Fraction) and e.count_ops() > _LONG for e in entries):
        return False
    rows = entries[:3], entries[3:6], entries[6:]
    if all(isinstance(e, Fraction) for e in entries):
        return all(_dot(rows[i], rows[j]) == (i == j) for i in range(3) for j in range(i + 1))
    exact = [[sp.Rational(e.numerator, e.denominator) if isinstance(e, Fraction) else e for e in row] for row in rows]
    products = [_dot(exact[i], exact[j]) - int(i == j) for i in range(3) for j in range(i + 1)]
    return all(e == 0 or _reduced(sp.expand(e)) == 0 for e in products)


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _reduced(e: Any) -> Any:
    powers = {p for p in e.atoms(sp.Pow) if isinstance(p.base, sp.sin) and p.exp.is_Integer and p.exp > 1}
    return sp.expand(e.xreplace({p: (1 - sp.cos(p.base.args[0])**2)**(p.exp // 2) * p.base**(p.exp % 2) for p in powers}))


# -- the formulas of the numbers ----------------------------------------------------------------------------------


_Poses = tuple[Any, Any, Any, Any]


@functools.cache
def _given() -> tuple[tuple[Any, ...], _Poses]:
    """24 symbols, and the rotations and translations of two poses made of them."""
    symbols = sp.symbols("p0:24", real=True)
    return symbols, (sp.Matrix(3, 3, symbols[:9]), sp.Matrix(symbols[9:12]), sp.Matrix(3, 3, symbols[12:21]), sp.Matrix(symbols[21:]))


def _twice(turn: Any) -> Any:
    """2 sin(angle) times the axis of a rotation."""
    return sp.Matrix([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])


def _cross(n: Any) -> Any:
    return sp.Matrix([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])


@functools.cache
def _axis_and_angle(half_turn: bool) -> Kernel:
    """The axis, the angle and the cotangent of its half, of two poses. `half_turn`: by the symmetric part of the rotation, of which the
    column counts that three more numbers name, and that column times `_twice`, of whose sign nothing is taken: it is the axis of the sense
    in which it is positive.
    """
    symbols, (first, _, second, _) = _given()
    turn = second * first.T
    cosine, twice, pick = (turn.trace() - 1) / 2, _twice(turn), sp.symbols("w0:3", real=True)
    if half_turn:
        column = ((turn + turn.T) / 2 - cosine * sp.eye(3)) * sp.Matrix(pick)
        axis = column / sp.sqrt(column.dot(column))
        sine = axis.dot(twice) / 2
        cotangent = sine / (1 - cosine)
    else:
        length = sp.sqrt(twice.dot(twice))
        axis, sine = twice / length, length / 2
        cotangent = (1 + cosine) / sine
    outputs = [*axis, sp.atan2(sine, cosine), cotangent, sine]
    given = [*symbols, *pick]
    return Kernel(from_sympy(outputs, given, []), [str(s) for s in given], quick=True)


def _numbers() -> tuple[Any, ...]:
    """The numbers of a piece beside its poses: the angle; N R and N^2 R of the earlier pose, and of the later one; V; V1 and V2, seen from
    the earlier pose, and from the later one.

    The screw is about the line through c, which seen from T is c = (e' + cot(angle / 2) n x e') / 2 with e the way from T to the later
    translation and e' = e - (e . n) n. It carries T to T + s (e . n) n - sin(s angle) N c - (1 - cos(s angle)) N^2 c. Seen from the later
    pose, s goes from -1 to 0, and the line is through c - e'.
    """
    return _derived()[1]


@functools.cache
def _derived() -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    symbols, (first, begin, second, end) = _given()
    n, (angle, cotangent) = sp.Matrix(sp.symbols("n0:3", real=True)), sp.symbols("a c", real=True)
    cross, way = _cross(n), end - begin
    along = way.dot(n) * n
    across = (way - along) / 2
    aside, turned = cotangent * across, cross * across
    both = cotangent * turned
    return (*symbols, *n, angle, cotangent), (angle, *(cross * first), *(cross * (cross * first)), *(cross * second),
        *(cross * (cross * second)), *along, *(aside - turned), *(across + both), *(aside + turned), *(both - across))


@functools.cache
def _derive() -> Kernel:
    symbols, outputs = _derived()
    return Kernel(from_sympy(list(outputs), list(symbols), []), [str(s) for s in symbols], quick=True)


def _enclosed(kernel: Kernel, boxes: Array) -> Array:
    return np.stack(kernel.interval(boxes[..., 0], boxes[..., 1]), axis=-1)


def _straight(ends: Array) -> Array:
    """(n, 3, 2): the way from each pose to the next, of equal rotations."""
    low, high = ends[:, 21:, 0] - ends[:, 9:12, 1], ends[:, 21:, 1] - ends[:, 9:12, 0]
    # A difference of doubles is within half a unit in its last place of the exact one.
    return np.stack([np.nextafter(low, -np.inf), np.nextafter(high, np.inf)], axis=-1)


def _turning(ends: Array) -> Array:
    """(n, 52, 2): the numbers of pieces that turn, of the poses at their ends."""
    pick, axes = np.zeros((len(ends), 3, 2)), np.empty((len(ends), 5, 2))
    middle = ends.mean(axis=-1)
    turn = np.einsum("nij,nkj->nik", middle[:, 12:21].reshape(-1, 3, 3), middle[:, :9].reshape(-1, 3, 3))
    half = np.trace(turn, axis1=1, axis2=2) < 2 * _HALF_TURN + 1
    largest = np.diagonal(turn, axis1=1, axis2=2).argmax(axis=1)
    twice = np.stack([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=1)
    rows = np.arange(len(ends))
    sense = np.where(twice[rows, largest] < 0, -1.0, 1.0)
    pick[rows, largest] = sense[:, None]
    for near, own in ((False, ~half), (True, half)):
        found = _enclosed(_axis_and_angle(near), np.concatenate([ends[own], pick[own]], axis=1))
        # An axis of which the sense is not clear is no number.
        found[found[:, 5, 0] <= 0] = [-np.inf, np.inf]
        axes[own] = found[:, :5]
    return _enclosed(_derive(), np.concatenate([ends, axes], axis=1))


# -- the formula of a piece ---------------------------------------------------------------------------------------


Named = Callable[[str, int, int, int], list[Any]]
"""The symbols of numbers: of `knots`, `poses` or `screws`, so much later than the knot before, from one place among them to another."""


def between(motion: Keyframed, time: Any, named: Named, across: bool) -> Motion:
    """The motion between two knots, or (`across`) round the middle one of three, by symbols for its numbers."""
    at = [named("knots", k, 0, 1)[0] for k in range(3 if across else 2)]
    if across:
        before, after = sp.Min(time - at[1], 0) / (at[1] - at[0]), sp.Max(time - at[1], 0) / (at[2] - at[1])
        parts = [_part(motion, named, 0, before, True), _part(motion, named, 1, after, False)]
    else:
        parts = [_part(motion, named, 0, (time - at[0]) / (at[1] - at[0]), False)]
    first = named("poses", int(across), 0, 12) if motion.turns else [*motion.piece(0).rotation, *named("poses", int(across), 9, 12)]
    whole = [sum(e) for e in zip(first, *parts, strict=True)]
    return Rigid._unchecked(sp.ImmutableMatrix(3, 3, whole[:9]), whole[9:])


def _part(motion: Keyframed, named: Named, later: int, share: Any, from_end: bool) -> list[Any]:
    """The part that a screw adds to the rotation and the translation of the pose that it is seen from."""
    along = [share * e for e in named("screws", later, 37, 40)]
    if not motion.turns:
        return [sp.Integer(0)] * 9 + along
    turn, shift = (19, 46) if from_end else (1, 40)
    angle = named("screws", later, 0, 1)[0] * share
    sine, rest = sp.sin(angle), 1 - sp.cos(angle)
    turned = zip(named("screws", later, turn, turn + 9), named("screws", later, turn + 9, turn + 18), strict=True)
    moved = zip(along, named("screws", later, shift, shift + 3), named("screws", later, shift + 3, shift + 6), strict=True)
    return [*(sine * a + rest * b for a, b in turned), *(e + sine * a + rest * b for e, a, b in moved)]
