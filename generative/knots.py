"""Bodies whose motions follow splines of time, or go from keyframe to keyframe, between two knots and across one: one formula, with symbols
for the numbers of the piece.

So all pieces are members of one family, and their numbers are rows of an array: nothing is derived or converted for each.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.deadline import interruptible
from codegen.functions import Samples, Spline, hermite, joined
from codegen.walk import atoms, replaced, survey

from .changes import pieces_of, with_formulas
from .family import family_of
from .implicit import ImplicitSurface
from .keyframed import Keyframed
from .keyframed import between as keyframes_between
from .motion import Motion
from .resting import Member
from .symbols import Parameter, t


class Slot(NamedTuple):
    """The source of the numbers of a piece: doubles (n,) or intervals (n, 2), `later` than the knot before the piece."""

    knots: np.ndarray
    values: np.ndarray
    later: int

    def at(self, times: np.ndarray) -> np.ndarray:
        """(k, 2): the number of the pieces that hold from so many times on."""
        first = np.clip(np.searchsorted(self.knots, times, "right") - 1, 0, len(self.knots) - 2)
        found = self.values[first + self.later]
        return found if found.ndim == 2 else np.stack([found, found], axis=1)


Followed = Spline | Keyframed
"""A function or motion that a body follows from knot to knot."""


def knots_of(e: Followed) -> np.ndarray:
    """The moments (n,) between which one formula holds."""
    return e.knots if isinstance(e, Keyframed) else e.samples.knots


class Between(NamedTuple):
    """A body that follows splines, as a member of a family, and the slot of each parameter among its numbers."""

    member: Member
    slots: dict[Any, Slot]


@functools.lru_cache(maxsize=4096)
@interruptible()
def splines_of(body: Any) -> tuple[Followed, ...] | None:
    """The splines and the motions through keyframes in the motions of a body, in order. None where splines are elsewhere, or not of the
    time itself: such bodies are taken by their formulas as they are, and so are keyframes of which the numbers are not known.
    """
    factors = dict.fromkeys(f for piece in pieces_of(body) for f in piece.motion.factors)
    keyed = [f for f in factors if isinstance(f, Keyframed) and f.is_numeric]
    moving = {e for factor in factors if factor not in keyed and Spline in factor.survey.kinds for f in factor.formulas
              for e in atoms(f, Spline)}
    shapes = (f for p in pieces_of(body) for f in ((p.body, *sp.flatten(p.bounds)) if isinstance(p, ImplicitSurface) else p.ingredients))
    if any(e.args[0] != t or e.order for e in moving) or any(Spline in survey(f).kinds for f in shapes):
        return None
    return *sorted(moving, key=lambda e: e.samples.key), *keyed


@functools.lru_cache(maxsize=4096)
@interruptible()
def between(body: Any, across: frozenset[Followed] = frozenset()) -> Between:
    """The body between two knots; or across one of those of what it follows in `across`, by one formula on both sides."""
    change, motions, slots = {}, dict[Motion, Motion](), dict[Any, Slot]()
    grids: dict[bytes, int] = {}
    for j, e in enumerate(splines_of(body) or ()):
        g = grids.setdefault(knots_of(e).tobytes(), len(grids))
        if isinstance(e, Keyframed):
            motions[e] = keyframes_between(e, t, functools.partial(_named, e, f"k{g}_", j, slots), e in across)
        else:
            change[e] = _formula(e.samples, e in across, f"k{g}_", j, slots)
    whole = with_formulas(body, lambda e: replaced(e, change), motions)
    return Between(family_of(whole), slots)


def _formula(samples: Samples, across: bool, knots: str, number: int, slots: dict[Any, Slot]) -> Any:
    def symbols(name: str, values: np.ndarray) -> list[Any]:
        found = [Parameter(f"{name}{k}") for k in range(3 if across else 2)]
        slots.update((s, Slot(samples.knots, values, k)) for k, s in enumerate(found))
        return found

    at, value = symbols(knots, samples.knots), symbols(f"p{number}_", samples.values)
    slope = symbols(f"m{number}_", samples.slopes)
    return joined(t, at, value, slope) if across else hermite(t, *at, *value, *slope)


def _named(motion: Keyframed, knots: str, number: int, slots: dict[Any, Slot], kind: str, later: int, begin: int, end: int) -> list[Any]:
    """Symbols for numbers of a motion through keyframes, which are noted."""
    if kind == "knots":
        found = [Parameter(f"{knots}{later}")]
        slots[found[0]] = Slot(motion.knots, motion.knots, later)
        return found
    found = [Parameter(f"{kind}{number}_{later}_{k}") for k in range(begin, end)]
    slots.update((s, Slot(motion.knots, getattr(motion, kind)[:, k], later)) for k, s in enumerate(found, begin))
    return found


def followed(body: Any, moment: float) -> Any:
    """The body with the pieces of what it follows that hold at a moment."""
    at, held, motions = sp.Rational(moment), dict[Any, Any](), dict[Motion, Motion]()
    for e in splines_of(body) or ():
        (motions if isinstance(e, Keyframed) else held)[e] = e.piece_at(at)
    return with_formulas(body, lambda e: replaced(e, held), motions) if held or motions else body
