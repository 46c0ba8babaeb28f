"""`pave`: a set of points that satisfy relations, between boxes proved to lie in it and boxes proved to cover it."""

import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import sympy as sp

from codegen.contractor import Contractor, Formula, contract
from codegen.interval import Interval
from codegen.walk import nesting_in_words

from ..answers.contacts import effort
from ..answers.table import ROWS, card, counted, interval
from ..frozen import Frozen
from ..given import check_positive
from ..picture import boxes as picture
from ..search.budget import Budget, as_budget
from ..search.clock import SEARCHING, Clock
from ..search.paving import Paving
from .formulas import Domain, read_domain
from .implicit_functions import proved_pieces

# Boxes of one level at most, and how many are contracted between two looks at the clock.
_MOST, _PART = 1 << 22, 1 << 16
# What is proved inside at one side of a box becomes a box of its own where it is at least this part of the width: else boxes grow thin.
_SHARE = 0.25
# Rounds of the contractors: what more would bring is had more cheaply by dividing.
_ROUNDS = 3


class SubpavingStatus(Enum):
    """The outcome of `pave`; each value is its sentence."""

    PAVED = "Every point of the domain is proved to be inside or outside, but in the border boxes, which are as small as asked for."
    EMPTY = "No point: proved for the whole domain."
    BUDGET_SPENT = "The budget was spent before the border boxes were as small as asked for; what is proved of inside and outside holds."

    def __repr__(self) -> str:
        return f"SubpavingStatus.{self.name}"


@dataclass(frozen=True, eq=False)
class Subpaving(Frozen):
    """A set in a box, between two unions of boxes: inner ⊂ set ⊂ inner ∪ border. Immutable.

    `inner` (k, n, 2): every point of these boxes is *proved* to be in the set. `border` (j, n, 2): boxes of which that is not decided;
    every point of the set lies in an inner box or a border box, also when the budget was spent. No two of all boxes share more than
    their sides. `domain` (n, 2): the box of doubles that was searched; ends that are no doubles were rounded outwards. Of the
    variables that are `integers` a box holds the integers in it. `notes` are further sentences of the summary.

    Of equations, which have no inner boxes: `exists` (j,), for each border box: for every value of the `free` variables in the box,
    *proved*, there is exactly one value of the others such that the point is in the set, and in the box `regions` (j, n, 2), which holds
    the border box. So that piece of the curve (surface, point) of zeros is one piece, a graph over the free variables, and no other one is
    in the box. `free` (j, n): which variables that are. All of it is False where nothing is proved.
    """

    status: SubpavingStatus
    inner: np.ndarray
    border: np.ndarray
    exists: np.ndarray
    regions: np.ndarray
    free: np.ndarray
    domain: np.ndarray
    variables: tuple[str, ...]
    iterations: int
    seconds: float
    notes: tuple[str, ...] = ()
    integers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._freeze()

    def __repr__(self) -> str:
        return f"Subpaving({self.status.name}, {counted(len(self.inner), 'inner box')}, {counted(len(self.border), 'border box')})"

    @property
    def volume(self) -> Interval:
        """Bounds of the volume of the set (length, area) in the units of the variables, rounded outwards. Integers are counted."""
        counted = np.array([name in self.integers for name in self.variables])
        inside, doubtful = _volume(self.inner, counted), _volume(self.border, counted)
        return Interval(inside.lo, math.nextafter(inside.hi + doubtful.hi, math.inf) if doubtful.hi else inside.hi)

    def summary(self) -> str:
        """One paragraph: what was proved, and what was not."""
        if self.status is SubpavingStatus.EMPTY:
            return " ".join([self.status.value, *self.notes, effort(self.iterations, self.seconds)])
        found = f"{counted(len(self.inner), 'inner box')} and {counted(len(self.border), 'border box')}"
        pieces = f" A piece of the zeros is proved to exist in {int(self.exists.sum()):,} of these." if self.exists.any() else ""
        volume = self.volume
        sentences = [f"{self.status.value} Found: {found}.{pieces} The volume is from {volume.lo:.9g} to {volume.hi:.9g}.", *self.notes]
        return " ".join([*sentences, effort(self.iterations, self.seconds)])

    def _repr_html_(self) -> str:
        boxes, kinds = np.concatenate([self.inner, self.border]), len(self.inner)
        rows = [[*map(interval, boxes[k]), "inside (proved)" if k < kinds else "border"] for k in range(min(len(boxes), ROWS))]
        return card(self.summary(), [*self.variables, "known"], rows, len(boxes), "box")

    def figure(self) -> Any:
        """The interactive plotly figure, for two variables: inner boxes, border boxes, and those with a proved piece. ValueError else."""
        return picture.figure(self.domain, self.variables, {"inside (proved)": self.inner, "border": self.border[~self.exists],
                                                            "a piece of the zeros (proved)": self.border[self.exists]})

    def show(self) -> Any:
        """The interactive figure, shown in a notebook or browser."""
        return self.figure().show()


@nesting_in_words
def pave(constraints: Any, domain: Mapping[Any, tuple[Any, Any]], *, eps: float, budget: Budget | float | None = None,
         progress: bool = False) -> Subpaving:
    """Cover the points of a box that satisfy all constraints, between inner and outer boxes.

    Parameters
    ----------
    constraints : relation or list
        Relations of SymPy, joined by And, Or and Not in any way, as of `codegen.contract`. A relation holds where both of its sides are
        defined and it is true.
    domain : mapping
        {symbol: (lo, hi), ...}, with finite lo < hi; assumptions as of `minimize`.
    eps : float
        In the units of the variables. Boxes are halved until no side is longer, or than some units in the last place of its ends.
    budget : float or Budget, optional
        Seconds or a `Budget`; None is 60 seconds. A spent budget raises nothing.
    progress : bool, optional
        Show a bar.

    Returns
    -------
    Subpaving
        With `inner` boxes (k, n, 2) and `border` boxes (j, n, 2), n being the number of variables.

    Raises
    ------
    TypeError
        For anything but relations.
    ValueError
        For a symbol without a domain, a domain that is not finite with lo < hi, an `eps` or a budget that is not positive; and
        UnsupportedExpression, its subclass, for a formula that has no inclusion function.

    Notes
    -----
    Inner boxes are *proved* to lie in the set; inner and border boxes together *enclose* it. Boxes are contracted to the set and to its
    complement, and the rest of both is halved (Jaulin and Walter 1993), with separators (Jaulin and Desrochers 2014). Where some
    constraints are equations, the boxes cover their zeros, and the search tries to prove for each box that a piece of them passes through
    it. Isolated zeros are rather found by `solve`.

    Examples
    --------
    >>> import sympy as sp
    >>> from collide import pave
    >>> x, y = sp.symbols("x y", real=True)
    >>> disc = pave(x**2 + y**2 <= 1, {x: (-2, 2), y: (-2, 2)}, eps=0.1)
    >>> area = [(boxes[..., 1] - boxes[..., 0]).prod(axis=1).sum() for boxes in (disc.inner, disc.border)]
    >>> bool(area[0] <= sp.pi <= area[0] + area[1])
    True
    """
    box, eps = read_domain(domain), check_positive("eps", eps)
    outer = contract(constraints, box.symbols, rounds=_ROUNDS)
    clock = Clock(as_budget(budget), progress)
    found = _Found(box, clock.budget)
    with clock.query(), clock.doing(SEARCHING):
        _search(found, outer, eps, clock)
        found.prove(outer)
    return clock.read(functools.partial(found.result, clock))


class _Found:
    """The subpaving as far as it is known: at any time `inner`, what the paving has `left` and its `small` boxes are an answer."""

    def __init__(self, box: Domain, budget: Budget) -> None:
        n = len(box)
        self.box = box
        self.inner: list[np.ndarray] = [np.empty((0, n, 2))]
        most = min(_MOST, (budget.bytes or math.inf) / (16 * n))
        self.paving = Paving(box.outer[None].copy(), most=most, examined=budget.boxes or math.inf,
                             integers=box.integers if box.integers.any() else None)
        self.done = False
        self.proofs: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def prove(self, outer: Contractor) -> None:
        """Pieces of zeros in the small boxes; nothing is proved of them before that has ended."""
        equations, others = _divided(outer)
        if equations and self.done and not self.box.integers.any():
            self.proofs = proved_pieces(equations, ~others, outer.symbols, self.paving.small, self.box.outer)

    def result(self, clock: Clock) -> Subpaving:
        inner, border = np.concatenate(self.inner), np.concatenate([self.paving.small, self.paving.left])
        exists, regions, free = self.proofs or _unproved(border)
        status = SubpavingStatus.EMPTY if not len(inner) + len(border) else SubpavingStatus.PAVED
        return Subpaving(status=status if self.done else SubpavingStatus.BUDGET_SPENT, inner=inner, border=border, exists=exists,
                         regions=regions, free=free, domain=self.box.outer.copy(), variables=self.box.names, iterations=clock.boxes,
                         seconds=clock.seconds, notes=self.box.notes,
                         integers=tuple(name for name, whole in zip(self.box.names, self.box.integers, strict=True) if whole))


def _whole(boxes: np.ndarray, integers: np.ndarray) -> np.ndarray:
    """Boxes with the ends of integers rounded inwards."""
    if not integers.any():
        return boxes
    boxes = boxes.copy()
    boxes[:, integers, 0], boxes[:, integers, 1] = np.ceil(boxes[:, integers, 0]), np.floor(boxes[:, integers, 1])
    return boxes[(boxes[..., 0] <= boxes[..., 1]).all(axis=1)]


def _unproved(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros(len(boxes), bool), boxes.copy(), np.zeros(boxes.shape[:2], bool)


def _search(found: _Found, outer: Contractor, eps: float, clock: Clock) -> None:
    """Level by level. A level that is not gone through to its end changes nothing of what is found."""
    inner, paving, count = ~outer, found.paving, 0
    for boxes in paving:
        clock.tell(len(boxes) + len(paving.small), count)
        parts = [_separated(outer, inner, part) for part in _parts(boxes)]
        rest, inside = (_whole(np.concatenate(arrays), found.box.integers) for arrays in zip(*parts, strict=True))
        # Sides of a few units in the last place have no middle.
        small = (rest[..., 1] - rest[..., 0] <= np.maximum(eps, 4 * np.spacing(np.abs(rest).max(axis=2)))).all(axis=1)
        clock.boxes, count = clock.boxes + len(boxes), count + len(inside)
        found.inner.append(inside)
        paving.keep(rest[~small], rest[small])
    found.done = paving.done


def _parts(boxes: np.ndarray) -> Iterator[np.ndarray]:
    return (boxes[k:k + _PART] for k in range(0, len(boxes), _PART))


def _separated(outer: Contractor, inner: Contractor, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The boxes that hold all those points of boxes (k, n, 2) that may lie either way, and boxes of those that are proved inside."""
    lo, hi = outer(boxes[..., 0], boxes[..., 1])
    possible = ~np.isnan(lo[:, 0])
    kept = np.stack([lo[possible], hi[possible]], axis=2)
    return _peeled(kept, *inner(kept[..., 0], kept[..., 1]))


def _peeled(boxes: np.ndarray, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of boxes whose points outside of [lo, hi] are proved inside, NaN if all are.

    Points of the sides of [lo, hi] are not proved. So what is left goes one double beyond it, and the slabs that are cut off end there.
    """
    proved = np.isnan(lo[:, 0])
    inside, rest = [boxes[proved]], boxes[~proved]
    ends = np.stack([np.nextafter(lo[~proved], -np.inf), np.nextafter(hi[~proved], np.inf)], axis=2)
    least = _SHARE * (rest[..., 1] - rest[..., 0])
    for axis in range(boxes.shape[1]):
        for side, sign in ((0, 1), (1, -1)):
            cut = sign * (ends[:, axis, side] - rest[:, axis, side]) > least[:, axis]
            slab = rest[cut]
            slab[:, axis, 1 - side] = rest[cut, axis, side] = ends[cut, axis, side]
            inside.append(slab)
    return rest, np.concatenate(inside)


def _divided(outer: Contractor) -> tuple[list[Any], Contractor]:
    """The equations that must all hold, as formulas that vanish, and the contractor of the other constraints."""
    equations, others, parts = list[Any](), list[Formula](), [outer.formula]
    while parts:
        part = parts.pop(0)
        if part.kind == "all":
            parts += part.parts
        elif part.kind == "holds" and isinstance(part.parts[0], sp.Equality):
            equations.append(part.parts[0].lhs - part.parts[0].rhs)
        else:
            others.append(part)
    return equations, Contractor(Formula("all", tuple(others)), outer.symbols, (), outer.rounds)


def _volume(boxes: np.ndarray, integers: np.ndarray | None = None) -> Interval:
    """Bounds of the sum of the volumes of boxes, in which integers are counted.

    A rounded difference, product or sum is next to the exact one, or is it.
    """
    lo = hi = np.ones(len(boxes))
    for axis in range(boxes.shape[1]):
        width = boxes[:, axis, 1] - boxes[:, axis, 0] + (1.0 if integers is not None and integers[axis] else 0.0)
        lo = np.maximum(np.nextafter(lo * np.maximum(np.nextafter(width, -np.inf), 0.0), -np.inf), 0.0)
        hi = np.nextafter(hi * np.nextafter(width, np.inf), np.inf)
    return Interval(max(math.nextafter(math.fsum(lo), -math.inf), 0.0), math.nextafter(math.fsum(hi), math.inf) if len(boxes) else 0.0)
