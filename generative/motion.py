"""Rigid motions as functions of time: p goes to rotation(t) p + translation(t).

A motion is an immutable value made of exact SymPy expressions of t. ``a @ b`` does b first and then a; ``a.inverse()``
undoes a. Nothing is simplified: products stay as they are composed, since the compiler shares common parts by itself. A `Product` is not
even multiplied: long chains of motions are kept as their factors, and so are poses that are given as arrays.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from codegen.given import expression, shown
from codegen.walk import check_nesting, free_symbols, replaced

from .symbols import SYMBOLS, exact, formula, items, latex, parameters_of, t, text, vector
from .value import Value

_IDENTITY = sp.ImmutableMatrix.eye(3)
# Half of what a rotation may differ by, 1e-12, so roundings cannot decide.
_CLEAR = 5e-13


def _entries(given: Any) -> list[Any]:
    """Of a matrix or a vector of expressions, row after row."""
    rows = items(given.tolist() if hasattr(given, "tolist") else given, "the rotation or the translation of a motion")
    return [expression(e, "a motion") for row in rows for e in (row if isinstance(row, (list, tuple)) else [row])]


class Motion(Value):
    """p -> rotation p + translation, `rotation` a 3 x 3 and `translation` a 3 x 1 immutable SymPy matrix of t."""

    def __init__(self, rotation: Any, translation: Any) -> None:
        self._rotation = rotation if isinstance(rotation, sp.ImmutableMatrix) else sp.ImmutableMatrix(3, 3, _entries(rotation))
        self._translation = sp.ImmutableMatrix(3, 1, _entries(translation))
        check_nesting("a motion", *self.entries)

    @property
    def rotation(self) -> sp.ImmutableMatrix:
        return self._rotation

    @property
    def translation(self) -> sp.ImmutableMatrix:
        return self._translation

    @cached_property
    def entries(self) -> tuple[Any, ...]:
        """The nine of the rotation, row after row, and the three of the translation."""
        return *self.rotation, *self.translation

    @property
    def factors(self) -> tuple["Motion", ...]:
        """What it is the product of, the last one done first: of a `Product` its factors, of others the motion itself."""
        return (self,)

    @property
    def formulas(self) -> tuple[Any, ...]:
        """The expressions that it is made of: the entries of its factors."""
        return self.entries

    @cached_property
    def is_identity(self) -> bool:
        return bool(self.rotation == _IDENTITY and self.translation.is_zero_matrix)

    @cached_property
    def symbols(self) -> frozenset[Any]:
        """The symbols that occur in it: t, and parameters."""
        return frozenset(free_symbols(*self.formulas))

    @property
    def is_constant(self) -> bool:
        """Whether t does not occur."""
        return not self.symbols

    def apply(self, point: Sequence[Any]) -> tuple[Any, Any, Any]:
        """The image of a point, given as three expressions."""
        px, py, pz = (a + b for a, b in zip(self.turn(point), self.translation, strict=True))
        return px, py, pz

    def turn(self, direction: Sequence[Any]) -> tuple[Any, Any, Any]:
        """The image of a direction: rotated, not translated."""
        given = [expression(d, "a point or a direction") for d in items(direction, "a point or a direction")]
        dx, dy, dz = (sum(r * d for r, d in zip(self.rotation.row(i), given, strict=True)) for i in range(3))
        return dx, dy, dz

    def at(self, time: Any) -> "Motion":
        """This motion with t replaced by a number or by an expression of t."""
        change = {t: formula(time, [t], "a time")}
        return self.changed(lambda e: replaced(e, change))

    def changed(self, change: Callable[[Any], Any]) -> "Motion":
        """This motion with all of its formulas changed, on trust that it stays a motion."""
        return Rigid._unchecked(self.rotation.applyfunc(change), [change(e) for e in self.translation])

    def inverse(self) -> "Motion":
        """p -> rotation^T (p - translation)."""
        back = self.rotation.T
        return Rigid._unchecked(back, -back * self.translation)

    def seen_from(self, frame: "Motion") -> "Motion":
        """This motion relative to a body that moves by `frame`: what an observer sitting on that body sees."""
        if not isinstance(frame, Motion):
            raise TypeError(f"a motion is seen from a Motion, got {shown(frame)}")
        return frame.inverse() @ self

    def __matmul__(self, other: "Motion") -> "Motion":
        if not isinstance(other, Motion):
            return NotImplemented
        if self.is_identity or other.is_identity:
            return other if self.is_identity else self
        if isinstance(self, Product) or isinstance(other, Product):
            return Product(self, other)
        return Rigid._unchecked(self.rotation * other.rotation, self.apply(other.translation))

    def _key(self) -> tuple[Any, ...]:
        return self.rotation, self.translation

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle p \\mapsto {latex(self.rotation)}\\, p + {latex(self.translation)}$"


class Rigid(Motion):
    """A rotation followed by a translation.

    `rotation` is a 3 x 3 matrix of determinant 1, or a quaternion [w, x, y, z], scalar first, or None. `translation` is a
    3-vector. Entries are numbers or expressions of t. A constant matrix is checked to be a rotation, and a constant quaternion
    to have length 1, up to 1e-12 to admit those computed in floating point; ``normalize=True`` takes a quaternion of any
    length but zero. A quaternion that depends on t may have any length. A matrix that depends on t is checked at three times and
    otherwise taken on trust, as one that contains a `Parameter` is, and so is the inverse of such a motion, which transposes it.
    """

    def __init__(self, rotation: Any = None, translation: Any = (0, 0, 0), *, normalize: bool = False) -> None:
        super().__init__(_rotation_matrix(rotation, normalize), vector(translation, [t], "a translation"))

    @classmethod
    def _unchecked(cls, rotation: Any, translation: Any) -> "Rigid":
        """A composition of motions that were checked when they were made."""
        motion = cls.__new__(cls)
        Motion.__init__(motion, rotation, translation)
        return motion

    def __repr__(self) -> str:
        parts = [] if self.rotation == _IDENTITY else [f"rotation={text(self.rotation.tolist())}"]
        if not self.translation.is_zero_matrix:
            parts.append(f"translation={text(list(self.translation))}")
        return f"Rigid({', '.join(parts)})"


class Screw(Motion):
    """A turn by `angle` about the line through `point` along `axis`, with an advance of `advance` along the axis.

    `angle` (radian) and `advance` are numbers or expressions of t; `axis` has any length but zero. Every rigid
    displacement is such a screw (Chasles); see Kim and Rossignac 2003, Section 2.
    """

    def __init__(self, axis: Any, point: Any = (0, 0, 0), angle: Any = 0, advance: Any = 0) -> None:
        self._axis, self._point = vector(axis, [], "a screw axis"), vector(point, [], "a point of a screw axis")
        self._angle, self._advance = formula(angle, [t], "a screw angle"), formula(advance, [t], "a screw advance")
        turn = axis_angle(self._axis, self._angle)
        p, unit = sp.Matrix(self._point), sp.Matrix(_unit(self._axis))
        super().__init__(turn, p - turn * p + self._advance * unit)

    def __repr__(self) -> str:
        return (f"Screw(axis={text(list(self._axis))}, point={text(list(self._point))}, "
                f"angle={text(self._angle)}, advance={text(self._advance)})")


class AlongZ(Motion):
    """The screw about the z axis by `angle`, with an advance along it, as of a joint: its entries are made only when they are asked for."""

    def __init__(self, angle: Any = 0, advance: Any = 0) -> None:
        self._angle, self._advance = formula(angle, [t], "a screw angle"), formula(advance, [t], "a screw advance")

    @property
    def formulas(self) -> tuple[Any, ...]:
        """Angle and advance."""
        return self._angle, self._advance

    @cached_property
    def rotation(self) -> sp.ImmutableMatrix:  # type: ignore[override]
        return axis_angle((0, 0, 1), self._angle)

    @property
    def translation(self) -> sp.ImmutableMatrix:
        return sp.ImmutableMatrix([0, 0, self._advance])

    @cached_property
    def is_identity(self) -> bool:
        return bool(self._angle == 0 and self._advance == 0)

    def changed(self, change: Callable[[Any], Any]) -> Motion:
        return AlongZ(*map(change, self.formulas))

    def inverse(self) -> Motion:
        return AlongZ(-self._angle, -self._advance)

    def _key(self) -> tuple[Any, ...]:
        return self.formulas

    def __repr__(self) -> str:
        return f"AlongZ({text(self._angle)}, {text(self._advance)})"


class Pose(Motion):
    """A constant rotation and translation, by twelve exact numbers: matrices are made only when they are asked for. See `pose`."""

    def __init__(self, rotation: Sequence[Fraction], translation: Sequence[Fraction]) -> None:
        self._numbers = tuple(rotation), tuple(translation)

    @cached_property
    def entries(self) -> tuple[Any, ...]:
        return tuple(sp.Rational(e.numerator, e.denominator) for part in self._numbers for e in part)

    @cached_property
    def symbols(self) -> frozenset[Any]:
        return frozenset()

    @property
    def rotation(self) -> sp.ImmutableMatrix:
        return sp.ImmutableMatrix(3, 3, self.entries[:9])

    @property
    def translation(self) -> sp.ImmutableMatrix:
        return sp.ImmutableMatrix(3, 1, self.entries[9:])

    @cached_property
    def is_identity(self) -> bool:
        return all(e == (k in (0, 4, 8)) for k, e in enumerate(e for part in self._numbers for e in part))

    def changed(self, change: Callable[[Any], Any]) -> Motion:
        return self

    def _key(self) -> tuple[Any, ...]:
        return self._numbers

    def __repr__(self) -> str:
        return f"Rigid({text(self.rotation.tolist())}, {text(list(self.translation))})"


class Product(Motion):
    """Motions one after the other, the last one first, kept as factors: their formulas are not multiplied out.

    What is derived from a product takes the numbers of its factors apart from their formulas, and of a constant factor all twelve entries
    as numbers. So products of one kind, as the poses of an arm at other joint values, or bodies at other places, share all code. A product
    is equal to products of equal factors alone.
    """

    def __init__(self, *motions: Motion) -> None:
        if not all(isinstance(m, Motion) for m in motions):
            raise TypeError(f"a product is one of Motion values, got {shown(motions)}")
        self._factors = tuple(f for m in motions for f in m.factors)

    @property
    def factors(self) -> tuple[Motion, ...]:
        return self._factors

    @cached_property
    def formulas(self) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(e for f in self.factors for e in f.formulas))

    @cached_property
    def rotation(self) -> sp.ImmutableMatrix:  # type: ignore[override]
        return functools.reduce(lambda a, b: a * b, (f.rotation for f in self.factors), _IDENTITY)

    @cached_property
    def translation(self) -> sp.ImmutableMatrix:  # type: ignore[override]
        return sp.ImmutableMatrix(3, 1, self.apply((0, 0, 0)))

    def apply(self, point: Sequence[Any]) -> tuple[Any, Any, Any]:
        return functools.reduce(lambda p, f: f.apply(p), reversed(self.factors), vector(point, [*SYMBOLS.values()], "a point"))

    def turn(self, direction: Sequence[Any]) -> tuple[Any, Any, Any]:
        return functools.reduce(lambda d, f: f.turn(d), reversed(self.factors), vector(direction, [*SYMBOLS.values()], "a direction"))

    @cached_property
    def is_identity(self) -> bool:
        return all(f.is_identity for f in self.factors)

    def changed(self, change: Callable[[Any], Any]) -> "Motion":
        return Product(*(f.changed(change) for f in self.factors))

    def inverse(self) -> Motion:
        return Product(*(f.inverse() for f in reversed(self.factors)))

    def _key(self) -> tuple[Any, ...]:
        return self.factors

    def __repr__(self) -> str:
        return f"Product({', '.join(map(repr, self.factors))})"


def common(first: Motion, second: Motion) -> int:
    """How many factors two products begin with in common; 0 where one of the motions is no product."""
    if not isinstance(first, Product) or not isinstance(second, Product):
        return 0
    alike = [a is b or a == b for a, b in zip(first.factors, second.factors, strict=False)]
    return alike.index(False) if False in alike else len(alike)


IDENTITY = Rigid._unchecked(_IDENTITY, [0, 0, 0])


def pose(rotation: Any = None, translation: Any = (0, 0, 0), *, normalize: bool = False) -> Product:
    """The constant motion to a place given as arrays of doubles: a matrix (3, 3) or a quaternion [w, x, y, z], or None, and a vector.

    As `Rigid` of the same numbers, which are taken exactly, checked alike (a matrix up to 1e-12 of each entry of R R^T, a quaternion up to
    1e-12 of its length, unless `normalize`), and refused with the same errors if they are not finite or no rotation. But it is a `Product`,
    whose numbers no formula depends on: bodies of one kind at other poses take some microseconds each, and share all code.
    """
    turn, shift = _doubles(rotation), _doubles(translation)
    if shift is None or len(shift) != 3 or (rotation is not None and (turn is None or not _turns(turn, normalize))):
        return Product(Rigid(rotation, translation, normalize=normalize))
    return Product(Pose(_matrix(turn or [1.0, 0.0, 0.0, 0.0]), [Fraction(e) for e in shift]))


def _doubles(given: Any) -> list[float] | None:
    """The finite numbers of an array or of nested lists, row after row; None for anything else."""
    rows = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(rows, (list, tuple)):
        return None
    flat = [e for row in rows for e in (row if isinstance(row, (list, tuple)) else [row])]
    exact = all((isinstance(e, float) and math.isfinite(e)) or (type(e) is int and abs(e) < 2**53) for e in flat)
    return [float(e) for e in flat] if exact else None


def _turns(numbers: Sequence[float], normalize: bool) -> bool:
    """Is it seen in doubles that these numbers are a rotation, clearly within 1e-12?"""
    if len(numbers) == 4:
        square = sum(e * e for e in numbers)
        return _CLEAR < square < 1 / _CLEAR if normalize else abs(square - 1) < _CLEAR
    if len(numbers) != 9:
        return False
    a, b, c = numbers[:3], numbers[3:6], numbers[6:]
    pairs = (a, a, 1), (b, b, 1), (c, c, 1), (a, b, 0), (b, c, 0), (a, c, 0)
    defects = [sum(e * f for e, f in zip(p, q, strict=True)) - product for p, q, product in pairs]
    turned = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    return max(map(abs, defects)) < _CLEAR and sum(p * q for p, q in zip(turned, c, strict=True)) > 0


def _matrix(numbers: Sequence[float]) -> list[Fraction]:
    """A matrix, or that of a quaternion, in exact arithmetic."""
    if len(numbers) == 9:
        return [Fraction(e) for e in numbers]
    w, a, b, c = map(Fraction, numbers)
    half = [-(b * b + c * c), a * b - w * c, a * c + w * b, a * b + w * c, -(a * a + c * c), b * c - w * a, a * c - w * b, b * c + w * a,
            -(a * a + b * b)]
    square = w * w + a * a + b * b + c * c
    return [(k % 4 == 0) + 2 * e / square for k, e in enumerate(half)]


def axis_angle(axis: Any, angle: Any) -> sp.ImmutableMatrix:
    """The right-handed rotation by `angle` about `axis`: I + sin(angle) K + (1 - cos(angle)) K^2, K p = axis x p.

    (Rodrigues' formula; the axis has any length but zero.)
    """
    ax, ay, az = _unit(vector(axis, [], "an axis of rotation"))
    turn = formula(angle, [t], "an angle of rotation")
    cross = sp.Matrix([[0, -az, ay], [az, 0, -ax], [-ay, ax, 0]])
    return sp.ImmutableMatrix(_IDENTITY + sp.sin(turn) * cross + (1 - sp.cos(turn)) * cross * cross)


def euler(order: str, angles: Sequence[Any]) -> sp.ImmutableMatrix:
    """Successive rotations about coordinate axes, in the convention of SciPy's Rotation.from_euler.

    `order` is up to three letters: of "xyz" for fixed axes, of "XYZ" for axes that move with the body. Angles are in
    radian.
    """
    turns = items(angles, "the angles of euler")
    if not order or len(order) != len(turns) or not (set(order) <= set("xyz") or set(order) <= set("XYZ")):
        raise ValueError(f"euler needs one angle a letter of 'xyz' or of 'XYZ', got {shown(order)} and {len(turns)} angles")
    result = _IDENTITY
    for letter, angle in zip(order, turns, strict=True):
        turn = axis_angle([int(letter.lower() == axis) for axis in "xyz"], angle)
        result = turn * result if order.islower() else result * turn
    return result


def quaternion_matrix(quaternion: Any, *, normalize: bool = True) -> sp.ImmutableMatrix:
    """The rotation p -> q p q^-1 of the quaternion [w, x, y, z] of any length but zero: the matrix divides by |q|^2.

    So it is a rotation exactly, for floats too. Without `normalize` a constant quaternion must have length 1 up to 1e-12.
    """
    w, a, b, c = (formula(e, [t], "a quaternion") for e in items(quaternion, "a quaternion"))
    square = w**2 + a**2 + b**2 + c**2
    if square.is_zero:
        raise ValueError("the quaternion [0, 0, 0, 0] is no rotation")
    if not normalize and not square.free_symbols and abs(sp.N(square, 30) - 1) > sp.Float("2e-12"):
        length = float(sp.sqrt(square))
        raise ValueError(f"the quaternion has length {length:.6g}, not 1; pass normalize=True if it is to be divided by it")
    half = sp.Matrix([[-(b**2 + c**2), a * b - w * c, a * c + w * b],
                      [a * b + w * c, -(a**2 + c**2), b * c - w * a],
                      [a * c - w * b, b * c + w * a, -(a**2 + b**2)]])
    return sp.ImmutableMatrix(_IDENTITY + 2 * half / square)


def _rotation_matrix(rotation: Any, normalize: bool) -> sp.ImmutableMatrix:
    if rotation is None:
        return _IDENTITY
    rows = rotation.tolist() if hasattr(rotation, "tolist") else list(rotation) if isinstance(rotation, (list, tuple, sp.Tuple)) else []
    if len(rows) == 4 and not any(isinstance(r, (list, tuple)) and len(r) > 1 for r in rows):
        return quaternion_matrix([r[0] if isinstance(r, (list, tuple)) else r for r in rows], normalize=normalize)
    if len(rows) != 3 or not all(isinstance(r, (list, tuple)) and len(r) == 3 for r in rows):
        raise ValueError(f"a rotation must be a 3 x 3 matrix or a quaternion [w, x, y, z], got {shown(rotation)}")
    matrix = sp.ImmutableMatrix([[formula(e, [t], "a rotation") for e in row] for row in rows])
    if parameters_of(matrix):
        return matrix
    for time in (sp.Integer(0), sp.Rational(3, 7), sp.Integer(1)) if matrix.free_symbols else (None,):
        _check_rotation(matrix if time is None else matrix.xreplace({t: time}), "" if time is None else f" at t = {time}")
    return matrix


def _check_rotation(matrix: sp.ImmutableMatrix, when: str) -> None:
    """Refuse numbers that differ from a rotation by more than 1e-12, the rounding of some operations, where they are defined."""
    numbers = matrix.applyfunc(lambda e: sp.N(e, 30))
    if not all(e.is_real and e.is_finite for e in numbers):
        return
    defect = max(abs(e) for e in numbers * numbers.T - _IDENTITY)
    if defect > sp.Float("1e-12"):
        raise ValueError(f"the matrix is no rotation{when}: R R^T differs from the identity by {float(defect):.3g}")
    if numbers.det() < 0:
        raise ValueError(f"the matrix is no rotation{when}: its determinant is -1, which makes it a mirror image")


def _unit(axis: Sequence[Any]) -> list[Any]:
    length = sp.sqrt(sum(exact(a) ** 2 for a in axis))
    if length.is_zero:
        raise ValueError("an axis of rotation must not be the zero vector")
    return [a / length for a in axis]
