"""Rotations by an axis and an angle.

Where both are rational numbers their matrix is made only when somebody asks for entries: what a family needs of such a turn is which of its
entries are 0, 1, equal or opposite, which is known of the axis, and enclosures of the others, by integers.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from codegen.constants import TIGHT, Unwritten, enclose, enclose_fraction

from .symbols import exact, formula, t, vector
from .template import Formulas, Instruction

_IDENTITY = sp.ImmutableMatrix.eye(3)
# Integers stand for numbers times 2^160, up to an error that leaves 130 bits.
_BITS = 160
_ONE, _ERROR = 1 << _BITS, 1 << 30
_UNKNOWN = [(-math.inf, math.inf)] * 9


def axis_angle(axis: Any, angle: Any) -> sp.ImmutableMatrix:
    """The right-handed rotation by `angle` about `axis`: I + sin(angle) K + (1 - cos(angle)) K^2, K p = axis x p.

    (Rodrigues' formula; the axis has any length but zero.)
    """
    given, turn = vector(axis, [], "an axis of rotation"), formula(angle, [t], "an angle of rotation")
    if not all(a.is_Rational for a in given):
        return known_turn(_turn(unit(given), turn))
    if turn.is_Rational and turn != 0 and any(given):
        return Turn.about(_whole(given), turn)
    return known_turn(sp.Matrix(3, 3, _rational_turn(given, turn)))


def known_turn(matrix: Any) -> sp.ImmutableMatrix:
    """A matrix that is a rotation by the way that it was made: it need not be looked at again where it is used."""
    rotation = sp.ImmutableMatrix(matrix)
    rotation.is_turn = True
    return rotation


class Turn(sp.ImmutableMatrix):  # type: ignore[misc]
    """The matrix of a turn about a vector of integers, not 0, by a rational angle, not 0. Its entries are made when one is asked for.

    The sine and cosine of such an angle are transcendental (Lindemann), so entries are 0, 1, equal or opposite only where they are for all
    angles.
    """

    is_turn = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """(What SymPy makes of a turn is a matrix like others.)"""
        return sp.ImmutableMatrix(*args, **kwargs)

    @classmethod
    def about(cls, axis: Sequence[int], angle: Any) -> "Turn":
        """The turn about an axis by an angle: the same one, whichever way the axis is given."""
        if next(a for a in axis if a) < 0:
            axis, angle = [-a for a in axis], -angle
        made = object.__new__(cls)
        made._assumptions, made._mhash, made._rows, made._cols = cls.default_assumptions, None, 3, 3
        made.axis, made.angle = tuple(axis), angle
        return made

    @functools.cached_property
    def written(self) -> sp.ImmutableMatrix:
        """The matrix with its entries."""
        return sp.ImmutableMatrix(3, 3, _rational_turn(self.axis, self.angle))

    @functools.cached_property
    def entries(self) -> tuple[Any, ...]:
        """The entries, row after row: 0 and 1, and numbers that are not written yet."""
        return tuple(known if known is not None else _Entry(self, k) for k, known in enumerate(_known_entries(self.axis)))

    @functools.cached_property
    def enclosures(self) -> list[tuple[float, float]] | None:
        """Two doubles that enclose each entry; None where the angle is too large.

        The entries are n_i n_j (1 - cos) + K_ij sin, and cos more on the diagonal, with n = a / |a|. By integers, 2^`_BITS` times as large,
        the first term is off by at most the error of the cosine and 1, the second by that of the sine and 3.
        """
        waves = _waves(int(self.angle.p), int(self.angle.q))
        if waves is None:
            return None
        (sine, cosine), square, off = waves, sum(a * a for a in self.axis), 3 * _ERROR
        sides = [math.isqrt((a * a << 2 * _BITS) // square) * (1 if a > 0 else -1) * sine >> _BITS for a in self.axis]
        found = []
        for i, j in itertools.product(range(3), repeat=2):
            value = self.axis[i] * self.axis[j] * (_ONE - cosine) // square
            value += cosine if i == j else sides[3 - i - j] * (1 if (i - j) % 3 == 1 else -1)
            found.append((enclose_fraction(value - off, _ONE)[0], enclose_fraction(value + off, _ONE)[1]))
        return found

    @property
    def formulas(self) -> tuple[Formulas, tuple[Any, ...]]:
        """The formulas of the entries without numbers, and the numbers."""
        formulas, places = _formulas(tuple(map(bool, self.axis)))
        return formulas, tuple(self.entries[k] for k in places)

    # What SymPy's matrices are made of.

    @property
    def _args(self) -> Any:
        return self.written._args

    @property
    def _rep(self) -> Any:
        return self.written._rep

    @classmethod
    def _fromrep(cls, rep: Any) -> sp.ImmutableMatrix:
        return sp.ImmutableMatrix._fromrep(rep)

    @property
    def func(self) -> Any:
        return sp.ImmutableMatrix

    def __hash__(self) -> int:
        return hash(self.written)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return Turn.about, (self.axis, self.angle)


class _Entry(Unwritten):
    """An entry of a turn."""

    def __init__(self, turn: Turn, place: int) -> None:
        self._turn, self._place = turn, place

    @property
    def written(self) -> Any:
        return self._turn.written[self._place]

    @property
    def enclosure(self) -> tuple[float, float]:
        lo, hi = (self._turn.enclosures or _UNKNOWN)[self._place]
        return (lo, hi) if hi - lo <= TIGHT * min(abs(lo), abs(hi)) else enclose(self.written)


def _waves(p: int, q: int) -> tuple[int, int] | None:
    """Sine and cosine of p / q, 2^`_BITS` times as large, as integers that are off by less than `_ERROR`; None of angles beyond 8.

    They are sums of terms x^k / k!. Each is made of the one before it, with an error of 8 / k times that of that one, and of less than
    e^8 / k + 2 besides: 8^m j! / (j + m)! <= 417 for all j and m, so up to k = 128 errors are below 417 (6 e^8 + 256) < 2^23, and below
    2^29 in a sum of 64. Where a term is 0 the next ones are half as large or less, below 2^24 in sum.
    """
    if abs(p) > 8 * q:
        return None
    x, term, sums = (abs(p) << _BITS) // q, _ONE, [0, 0, 0, 0]
    for k in range(1, 129):
        sums[k % 4 - 1] += term
        if not term:
            break
        term = (term * x >> _BITS) // k
    sine = sums[1] - sums[3]
    return (sine if p > 0 else -sine), sums[0] - sums[2]


def _known_entries(axis: Sequence[int]) -> list[Any]:
    """The entries that are 0 or 1, and None for others, of which those that depend on the angle are irrational."""
    zero, one = sp.S.Zero, sp.S.One
    found: list[Any] = [None] * 9
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        if not axis[j] and not axis[k]:
            found[4 * i] = one
        if not axis[k] and not axis[i] * axis[j]:
            found[3 * i + j] = found[3 * j + i] = zero
    return found


@functools.lru_cache(maxsize=8)
def _formulas(along: tuple[bool, bool, bool]) -> tuple[Formulas, tuple[int, ...]]:
    """The formulas of the entries of turns about axes with these components, and which entries their numbers are. Without the others, a
    component leaves entries that are equal or opposite.
    """
    known = _known_entries(along)
    made: list[Instruction] = []
    numbers: list[int] = []
    at: list[int | None] = [None] * 9

    def put(place: int, instruction: Instruction) -> None:
        at[place] = len(made)
        made.append(instruction)

    for place, (i, j) in enumerate((i, j) for i in range(3) for j in range(3)):
        if known[place] is not None:
            put(place, ("is", known[place]))
            continue
        twin = _twin(along, i, j)
        if twin is None:
            put(place, ("number", len(numbers)))
            numbers.append(place)
        else:
            other, opposite = twin
            put(place, ("minus" if opposite else "number", numbers.index(other)))
    return (tuple(made), tuple(k for k in at if k is not None)), tuple(numbers)


def _twin(along: tuple[bool, bool, bool], i: int, j: int) -> tuple[int, bool] | None:
    """An entry before (i, j) that it equals, or is the opposite of, for all such axes."""
    if i > j and not (along[i] and along[j] and along[3 - i - j]):
        return 3 * j + i, along[3 - i - j]
    if i == j and not along[i] and sum(along) == 1:
        first = along.index(False)
        return (4 * first, False) if first < i else None
    return None


def _turn(axis: Sequence[Any], angle: Any) -> Any:
    cross = _cross(axis)
    return _IDENTITY + sp.sin(angle) * cross + (1 - sp.cos(angle)) * cross * cross


def _cross(axis: Sequence[Any]) -> Any:
    """K, with K p = axis x p."""
    ax, ay, az = axis
    return sp.Matrix([[0, -az, ay], [az, 0, -ax], [-ay, ax, 0]])


def _rational_turn(axis: Sequence[Any], angle: Any) -> list[Any]:
    """The same entries, of a unit axis n = a / |a| by rational numbers: n n^T + (I - n n^T) cos(angle) + sin(angle) K."""
    given = [Fraction(int(a.p), int(a.q)) if isinstance(a, sp.Basic) else Fraction(a) for a in axis]
    square = sum(a * a for a in given)
    if not square:
        unit(axis)
    # 1 / |a| = sqrt(p q) / p for |a|^2 = p / q, where SymPy looks for squares among the factors.
    sine, cosine = sp.sqrt(square.numerator * square.denominator) * sp.sin(angle), sp.cos(angle)

    sides = [_multiple(given[k] / square.numerator, sine) for k in range(3)]
    back = [_multiple(-given[k] / square.numerator, sine) for k in range(3)]
    products = {(i, j): given[i] * given[j] / square for i in range(3) for j in range(i, 3)}
    even = {(i, j): (_rational(e), _multiple((i == j) - e, cosine)) for (i, j), e in products.items()}

    def entry(i: int, j: int) -> Any:
        own = even[min(i, j), max(i, j)]
        return sp.Add(*own) if i == j else sp.Add(*own, (sides if (j - i) % 3 == 2 else back)[3 - i - j])

    return [entry(i, j) for i in range(3) for j in range(3)]


def _whole(axis: Sequence[Any]) -> list[int]:
    """The shortest vector of integers along an axis of rational numbers."""
    common = math.lcm(*(int(a.q) for a in axis))
    found = [int(a.p) * (common // int(a.q)) for a in axis]
    divisor = math.gcd(*found)
    return [a // divisor for a in found]


def _multiple(factor: Fraction, wave: Any) -> Any:
    """The product that SymPy makes, without its search for what can be put together: there is nothing in a multiple of a sine or cosine."""
    own, rest = wave.as_coeff_Mul()
    whole = _rational(factor) * own
    if whole in (0, 1) or not isinstance(sp.Mul.make_args(rest)[-1], (sp.sin, sp.cos)):
        return whole * rest
    return sp.Mul(whole, *sp.Mul.make_args(rest), evaluate=False)


def _rational(number: Fraction) -> Any:
    return sp.Rational(number.numerator, number.denominator)


def unit(axis: Sequence[Any]) -> list[Any]:
    """The unit vector along an axis."""
    length = sp.sqrt(sum(exact(a) ** 2 for a in axis))
    if length.is_zero:
        raise ValueError("an axis of rotation must not be the zero vector")
    return [a / length for a in axis]
