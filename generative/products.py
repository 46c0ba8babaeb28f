"""Motions that are kept as their factors, and the factors of long chains: joints along z, and poses that are given as arrays.

The numbers in them are apart from their formulas, so that chains of one kind share all code.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp

from codegen.given import shown

from .motion import IDENTITY, Motion, Rigid
from .symbols import SYMBOLS, formula, t, text, vector
from .turns import axis_angle

_IDENTITY = sp.ImmutableMatrix.eye(3)
# Half of what a rotation may differ by, 1e-12, so roundings cannot decide.
_CLEAR = 5e-13


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

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """The entries."""
        return *self._numbers[0], *self._numbers[1]

    @cached_property
    def entries(self) -> tuple[Any, ...]:
        return tuple(sp.Rational(e.numerator, e.denominator) for e in self.numbers)

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
        return all(e == (k in (0, 4, 8)) for k, e in enumerate(self.numbers))

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

    multiplied = False

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

    @cached_property
    def mover(self) -> Motion:
        moving = [k for k, f in enumerate(self.factors) if not f.is_constant]
        before, last = self.factors[:moving[-1]] if moving else (), self.factors[moving[-1]].mover if moving else IDENTITY
        return Product(*before, last) if before else last

    @cached_property
    def rest(self) -> Motion:
        moving = [k for k, f in enumerate(self.factors) if not f.is_constant]
        return Product(self.factors[moving[-1]].rest, *self.factors[moving[-1] + 1:]) if moving else self

    def changed(self, change: Callable[[Any], Any]) -> "Motion":
        return Product(*(f.changed(change) for f in self.factors))

    def __matmul__(self, other: Motion) -> Motion:
        if not isinstance(other, Motion):
            return NotImplemented
        if self.is_identity or other.is_identity:
            return other if self.is_identity else self
        return Product(self, other)

    def __rmatmul__(self, other: Motion) -> Motion:
        return Product(other, self) if isinstance(other, Motion) else NotImplemented

    def inverse(self) -> Motion:
        return Product(*(f.inverse() for f in reversed(self.factors)))

    def _key(self) -> tuple[Any, ...]:
        return self.factors

    def __repr__(self) -> str:
        return f"Product({', '.join(map(repr, self.factors))})"


def common(first: Motion, second: Motion) -> int:
    """The number of factors that two products begin with in common; 0 where one of the motions is no product."""
    if not isinstance(first, Product) or not isinstance(second, Product):
        return 0
    alike = [a is b or a == b for a, b in zip(first.factors, second.factors, strict=False)]
    return alike.index(False) if False in alike else len(alike)


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
    """Whether it is seen in doubles that these numbers are a rotation, clearly within 1e-12."""
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
