"""Bodies whose motions follow splines of time, between two knots and across one: one formula, with symbols for the numbers of the piece.

So all pieces are members of one family, and their numbers are rows of an array: nothing is derived or converted for each.
"""

import functools
from typing import Any, NamedTuple

import sympy as sp

from codegen.deadline import interruptible
from codegen.functions import Samples, Spline, hermite, joined
from codegen.walk import atoms, replaced

from .brep import Solid
from .changes import pieces_of, with_formulas
from .family import Member, member_of
from .implicit import ImplicitSurface
from .symbols import Parameter, t


class Slot(NamedTuple):
    """What the numbers of a piece are taken from: `kind` knots, values or slopes of samples, `later` than the knot before the piece."""

    samples: Samples
    kind: str
    later: int


class Between(NamedTuple):
    """A body that follows splines, as a member of a family, and the slot of each parameter among its numbers."""

    member: Member
    slots: dict[Any, Slot]


@functools.lru_cache(maxsize=4096)
@interruptible()
def splines_of(body: Any) -> tuple[Spline, ...] | None:
    """The splines in the motions of a body, in order. None where they are elsewhere, or not of the time itself: such bodies are taken by
    their formulas as they are.
    """
    moving = {e for piece in pieces_of(body) for f in piece.motion.formulas for e in atoms(f, Spline)}
    shapes = (f for p in pieces_of(body) for f in ((p.body, *sp.flatten(p.bounds)) if isinstance(p, ImplicitSurface) else p.body))
    if any(e.args[0] != t or e.order for e in moving) or any(atoms(f, Spline) for f in shapes):
        return None
    return tuple(sorted(moving, key=lambda e: e.samples.key))


@functools.lru_cache(maxsize=4096)
@interruptible()
def between(body: Any, across: frozenset[Samples] = frozenset()) -> Between:
    """The body between two knots; or across one of those of the splines through the samples `across`, by one formula on both sides."""
    change, slots = {}, dict[Any, Slot]()
    grids: dict[bytes, int] = {}
    for j, e in enumerate(splines_of(body) or ()):
        g = grids.setdefault(e.samples.knots.tobytes(), len(grids))
        change[e] = _formula(e.samples, e.samples in across, f"k{g}_", j, slots)
    whole = with_formulas(body, lambda e: replaced(e, change))
    return Between(Member(whole, tuple(slots), tuple(slots)) if isinstance(whole, Solid) else member_of(whole), slots)


def _formula(samples: Samples, across: bool, knots: str, number: int, slots: dict[Any, Slot]) -> Any:
    def symbols(name: str, kind: str) -> list[Any]:
        found = [Parameter(f"{name}{k}") for k in range(3 if across else 2)]
        slots.update((s, Slot(samples, kind, k)) for k, s in enumerate(found))
        return found

    at, value, slope = symbols(knots, "knots"), symbols(f"p{number}_", "values"), symbols(f"m{number}_", "slopes")
    return joined(t, at, value, slope) if across else hermite(t, *at, *value, *slope)


def followed(body: Any, moment: float) -> Any:
    """The body with the pieces of its splines that hold at a moment."""
    held = {e: e.piece_at(sp.Rational(moment)) for e in splines_of(body) or ()}
    return with_formulas(body, lambda e: replaced(e, held)) if held else body
