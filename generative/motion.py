"""Rigid motions as functions of time: p goes to rotation(t) p + translation(t).

A motion is an immutable value made of exact SymPy expressions of t. ``a @ b`` does b first and then a; ``a.inverse()``
undoes a. Nothing is simplified: products stay as they are composed, since the compiler shares common parts by itself.
"""

import functools
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import sympy as sp

from codegen.given import expression, shown
from codegen.walk import Survey, check_nesting, replaced, survey

from .symbols import formula, items, latex, parameters_of, t, text, vector
from .turns import Turn, axis_angle, known_turn, unit
from .value import Value

_IDENTITY = sp.ImmutableMatrix.eye(3)


def _entries(given: Any) -> list[Any]:
    """The entries of a matrix or a vector of expressions, row after row."""
    rows = items(given.tolist() if hasattr(given, "tolist") else given, "the rotation or the translation of a motion")
    return [expression(e, "a motion") for row in rows for e in (row if isinstance(row, (list, tuple)) else [row])]


class Motion(Value):
    """p -> rotation p + translation, `rotation` a 3 x 3 and `translation` a 3 x 1 immutable SymPy matrix of t."""

    multiplied: ClassVar[bool] = True
    """Whether products with other motions are multiplied out."""
    _screw: "tuple[Screw, Motion] | None" = None
    _made: "tuple[Motion, Motion] | None" = None
    _survey: Survey | None = None

    def __init__(self, rotation: Any, translation: Any) -> None:
        self._rotation = rotation if isinstance(rotation, sp.ImmutableMatrix) else sp.ImmutableMatrix(3, 3, _entries(rotation))
        self._translation = sp.ImmutableMatrix(3, 1, _entries(translation))
        self._survey = check_nesting("a motion", *self.formulas)

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
        """The motions it is the product of, the last one done first: of a `Product` its factors, of others the motion itself."""
        return (self,)

    @property
    def composed(self) -> tuple["Motion", ...]:
        """The two motions that it is known to be composed of, the last one done first, where it is multiplied out; else itself."""
        return self._made or (self,)

    @property
    def formulas(self) -> tuple[Any, ...]:
        """The expressions that it is made of: the entries of its factors, except those of a `Turn`, which are constant."""
        return tuple(self.translation) if isinstance(self.rotation, Turn) else self.entries

    @cached_property
    def is_identity(self) -> bool:
        return not isinstance(self.rotation, Turn) and bool(self.rotation == _IDENTITY and self.translation.is_zero_matrix)

    @property
    def survey(self) -> Survey:
        """The survey of the expressions that it is made of."""
        if self._survey is None:
            self._survey = survey(*self.formulas)
        return self._survey

    @property
    def symbols(self) -> frozenset[Any]:
        """The symbols that occur in it: t, and parameters."""
        return self.survey.symbols

    @property
    def is_constant(self) -> bool:
        """Whether t does not occur."""
        return not self.symbols

    @property
    def screw(self) -> tuple["Screw", "Motion"] | None:
        """The screw that it is known to be, and the constant motion the screw comes after; None otherwise."""
        return self._screw

    @cached_property
    def mover(self) -> "Motion":
        """The factor of it that moves: A, where it is known to be made as A after a constant motion; the identity where it is constant
        itself.
        """
        if self.is_constant:
            return IDENTITY
        if self._made is None:
            return self
        last, first = self._made
        if first.is_constant:
            return last.mover
        return self if first.mover is first else last @ first.mover

    @cached_property
    def rest(self) -> "Motion":
        """The motion before the `mover`: a constant motion, after which that is the whole."""
        if self.is_constant:
            return self
        if self._made is None:
            return IDENTITY
        last, first = self._made
        if first.is_constant:
            return last.rest @ first
        return IDENTITY if first.mover is first else first.rest

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
        rotation = self.rotation if isinstance(self.rotation, Turn) else self.rotation.applyfunc(change)
        made = Rigid._unchecked(rotation, [change(e) for e in self.translation])
        if self._made is not None:
            last, first = self._made
            made._made = last.changed(change), first.changed(change)
        return made

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
        if not other.multiplied:
            return NotImplemented
        product = Rigid._unchecked(self.rotation * other.rotation, self.apply(other.translation))
        product._made = self, other
        if self.screw is not None and other.is_constant:
            product._screw = self.screw[0], self.screw[1] @ other
        return product

    def _key(self) -> tuple[Any, ...]:
        turn = self.rotation
        return ((turn.axis, turn.angle) if isinstance(turn, Turn) else turn), self.translation

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle p \\mapsto {latex(self.rotation)}\\, p + {latex(self.translation)}$"


class Rigid(Motion):
    """A rotation followed by a translation.

    `rotation` is a 3 x 3 matrix of determinant 1, or a quaternion [w, x, y, z], scalar first, or None. `translation` is a
    3-vector. Entries are numbers or expressions of t. A constant matrix is checked to be a rotation, and a constant quaternion
    to have length 1, up to 1e-12 to admit those computed in floating point; ``normalize=True`` takes a quaternion of any
    length but zero. A quaternion that depends on t may have any length. A matrix that depends on t is checked at three times and
    otherwise taken on trust, and so is the inverse of such a motion, which transposes it. One that contains a `Parameter` is checked when
    a query is asked: with numbers as if these were in it, and for a range it must be proved to be a rotation, which it is where sines,
    cosines and square roots of it cancel; those of `axis_angle`, `euler` and quaternions are.
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
        p, along = sp.Matrix(self._point), sp.Matrix(unit(self._axis))
        super().__init__(turn, p - turn * p + self._advance * along)

    @property
    def axis(self) -> tuple[Any, ...]:
        """The direction of the axis, as given."""
        return tuple(self._axis)

    @property
    def point(self) -> tuple[Any, ...]:
        """A point of the axis."""
        return tuple(self._point)

    @property
    def angle(self) -> Any:
        """The angle of the turn."""
        return self._angle

    @property
    def advance(self) -> Any:
        """The advance along the axis."""
        return self._advance

    @property
    def screw(self) -> tuple["Screw", Motion]:
        """Itself, after no motion."""
        return self, IDENTITY

    def __repr__(self) -> str:
        return (f"Screw(axis={text(list(self._axis))}, point={text(list(self._point))}, "
                f"angle={text(self._angle)}, advance={text(self._advance)})")


IDENTITY = Rigid._unchecked(_IDENTITY, [0, 0, 0])


@functools.lru_cache(maxsize=1024)
def keeps_plane(motion: "Motion") -> bool:
    """Whether it is seen, in exact arithmetic, that a motion turns about z and shifts along x and y alone."""
    r, d = motion.rotation, motion.translation
    return all(_vanishes(e) for e in (r[0, 2], r[1, 2], r[2, 0], r[2, 1], r[2, 2] - 1, d[2]))


def _vanishes(e: Any) -> bool:
    return bool(e.is_zero or sp.expand(e).is_zero or sp.trigsimp(sp.expand(e)).is_zero)


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
    return known_turn(result)


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
    return known_turn(_IDENTITY + 2 * half / square)


def _rotation_matrix(rotation: Any, normalize: bool) -> sp.ImmutableMatrix:
    if rotation is None or getattr(rotation, "is_turn", False):
        return _IDENTITY if rotation is None else rotation
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
