"""Bodies as members of families: one formula with symbols for its numbers, and the numbers of each body.

Everything that is derived from formulas alone (derivatives, poles, seams, compiled kernels) is then done once for a family, whatever the
sizes, poses and velocities of its members.
"""

import functools
from dataclasses import dataclass
from typing import Any

import sympy as sp

from .chart import is_pole
from .motion import Rigid
from .surface import ParametricSurface
from .symbols import Parameter, parameters_of, u, v
from .template import Instruction, Reader, write

Formulas = tuple[tuple[Instruction, ...], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Member:
    """A body of a family: `body` with `symbols` for numbers, and `numbers`, the exact value of each (a SymPy number, or a
    `Parameter` of the body as it was given).
    """

    body: Any
    symbols: tuple[Parameter, ...] = ()
    numbers: tuple[Any, ...] = ()


@functools.lru_cache(maxsize=512)
def member_of(body: Any) -> Member:
    """The body as a member of its family. Bodies other than parametric surfaces are families of their own.

    The ends of a domain are data, too, unless the surface has a pole there and they are numbers: how it goes on round a pole depends on
    them.
    """
    if not isinstance(body, ParametricSurface):
        return Member(body)
    shape, motion = _resting(body.resting), Reader(moves=True)
    moves = motion.read(body.motion.entries[:9]), motion.read(body.motion.entries[9:], places=True)
    numbers = *shape.numbers, *motion.numbers
    return Member(_moved(shape.body, moves, len(shape.numbers), len(numbers)), _symbols(len(numbers)), numbers)


@functools.lru_cache(maxsize=512)
def _resting(body: ParametricSurface) -> Member:
    """The member that a surface without a motion is: bodies of one shape share it, however they move."""
    shape = Reader()
    ends = [e for pair in body.domain.values() for e in pair]
    # Where a length is no rational number it may be whole turns, after which the surface closes on itself: then it is structure.
    turns = tuple(not (hi - lo).is_Rational for lo, hi in body.domain.values())
    data = [e for (lo, hi), turn in zip(body.domain.values(), turns, strict=True) for e in (lo, hi - lo if turn else hi)]
    whole = _surface(shape.read([*body.body, *data]), turns, body.flipped, len(shape.numbers))
    if not parameters_of(*ends) and _symbolic(*whole.domain.values()) and any(is_pole(whole, s, end) for s in (u, v) for end in (0, 1)):
        shape = Reader(fixed=ends)
        whole = _surface(shape.read(body.body), tuple(ends), body.flipped, len(shape.numbers))
    return Member(whole, _symbols(len(shape.numbers)), tuple(shape.numbers))


@functools.lru_cache(maxsize=4096)
def _symbols(count: int) -> tuple[Parameter, ...]:
    return tuple(Parameter(f"n{k}") for k in range(count))


@functools.lru_cache(maxsize=512)
def _surface(shape: Formulas, ends: tuple[Any, ...], flipped: bool, numbers: int) -> ParametricSurface:
    """The surface of a family. `ends`: of its domain; or, of each parameter, whether the second one of two numbers among the formulas
    is the length of its domain, not its end.
    """
    body = _written(shape, _symbols(numbers))
    if len(ends) == 2:
        turns, data, body = ends, body[3:], body[:3]
        ends = tuple(e for k, turn in enumerate(turns) for e in (data[2 * k], data[2 * k + 1] + (data[2 * k] if turn else 0)))
    return ParametricSurface(body, {u: (ends[0], ends[1]), v: (ends[2], ends[3])}, flipped=flipped)


@functools.lru_cache(maxsize=512)
def _moved(resting: ParametricSurface, motion: tuple[Formulas, Formulas], own: int, numbers: int) -> ParametricSurface:
    """The surface of a family with `own` numbers, carried by a motion that has the others."""
    rotation, translation = (_written(part, _symbols(numbers)[own:]) for part in motion)
    return resting.placed(Rigid._unchecked(sp.ImmutableMatrix(3, 3, rotation), translation))


def _written(formulas: Formulas, symbols: tuple[Parameter, ...]) -> list[Any]:
    instructions, outputs = formulas
    built = write(instructions, symbols)
    return [built[k] for k in outputs]


def _symbolic(*pairs: tuple[Any, Any]) -> bool:
    return any(e.free_symbols for pair in pairs for e in pair)
