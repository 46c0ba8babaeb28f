"""Bodies thickened by their gaps, as members of families: shifted by a vector that is only known to lie in a cube.

Of a body with a gap g (`Solid.gap`) all that is known is that its points are within g of its faces. Shifted in its own frame by each vector
of the cube [-g, g]^3, its faces cover all these points, since the cube holds the ball of radius g and a motion keeps distances. The three
coordinates of the shift are numbers of the body whose intervals are [-g, g], so a search that uses enclosures of its numbers alone proves
for *every* shift what it proves:

- Two thickened bodies meet at a time where points p and q of the two are within the sum of both gaps. Then there are shifts, one in each
  cube, that take p and q to one point. So where no contact is proved, the thickened bodies do not meet.
- Where a contact is proved, there is one for the shift 0, too: that of the faces as they are.
"""

import functools
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
import sympy as sp

from generative import Parameter, Rigid, Solid
from generative.products import Product
from generative.resting import Member, symbols_of

from .numbers import Numbers

# A search of thickened bodies that has located so many places, of which it proves none, gets no further. Effort only.
MANY = 64


class Shift(Enum):
    """The shift of a solid with a gap: it is not in the formulas, or it is, and is 0 or anywhere in the cube."""

    NONE = 0
    ZERO = 1
    CUBE = 2


def gap_of(body: Any) -> float:
    """The gap of a solid, 0 for other bodies."""
    return body.gap if isinstance(body, Solid) else 0.0


def shifts_of(bodies: Sequence[Any], shift: Shift) -> dict[Parameter, tuple[float, float]]:
    """The symbols for the shifts of solids with gaps, and the interval of each; {} where shifts are not in the formulas."""
    gaps = [] if shift is Shift.NONE else [(k, gap_of(body)) for k, body in enumerate(bodies) if gap_of(body) > 0.0]
    return {s: (-gap, gap) if shift is Shift.CUBE else (0.0, 0.0) for k, gap in gaps for s in _symbols(k)}


def shifted(member: Member, k: int, shifts: Mapping[Parameter, Any]) -> Member:
    """Body k as a member of its family, with its shift among the numbers if it has one."""
    own = _symbols(k)
    if own[0] not in shifts:
        return member
    symbols = symbols_of(len(member.symbols) + 3)
    return Member(_shifted(member.body, symbols[-3:]), symbols, (*member.data, *own))


class _Along(Parameter):
    """A coordinate of the shift of a body: another symbol than any `Parameter` of the same name."""

    __slots__ = ()


@functools.lru_cache(maxsize=512)
def _symbols(k: int) -> tuple[Parameter, ...]:
    return tuple(_Along(f"shift{k}_{axis}") for axis in "xyz")


def shifted_in_ranges(bodies: Sequence[Any]) -> tuple[list[Any], dict[Parameter, tuple[float, float]]]:
    """The bodies, those with gaps shifted by parameters, and the range of each of these: the statement of a log."""
    shifts = shifts_of(bodies, Shift.CUBE)
    return [_shifted(body, _symbols(k)) if _symbols(k)[0] in shifts else body for k, body in enumerate(bodies)], shifts


def with_shift(body: Any, numbers: Numbers, gap: float, shift: Shift) -> tuple[Any, Numbers]:
    """A solid of a family and its numbers, with a shift if it has a gap; others as they are."""
    if not gap > 0.0:
        return body, numbers
    symbols, wide = symbols_of(len(numbers.symbols) + 3), shift is Shift.CUBE
    intervals = np.concatenate([numbers.intervals.reshape(-1, 2), [[-gap, gap] if wide else [0.0, 0.0]] * 3])
    exact = [*numbers.exact, *[None if wide else sp.Integer(0)] * 3]
    return _shifted(body, symbols[-3:]), Numbers(symbols, exact, intervals)


@functools.lru_cache(maxsize=512)
def _shifted(body: Solid, symbols: tuple[Parameter, ...]) -> Solid:
    """The solid shifted in its own frame by symbols."""
    shift = Rigid(translation=symbols)
    motions = {m: m @ shift if m.multiplied else Product(m, shift) for m in {f.motion for f in body.faces}}
    return body.with_faces([f.carried_by(motions[f.motion]) for f in body.faces])
