"""`joint_travel`: the range of a joint until its chain meets something."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from codegen.given import shown
from codegen.interval import Interval
from codegen.walk import nesting_in_words
from generative import IDENTITY, Chain, t
from generative.body import called
from generative.rest import carrier
from generative.symbols import formula, interval

from ..answers.contacts import Contacts, Status
from ..answers.left_open import named_pairs
from ..moment.pairs import pairs_in
from ..moment.start import Start
from ..search.budget import Budget
from .arguments import KINDS
from .first_contact import first_contact


@dataclass(frozen=True, eq=False, repr=False)
class JointTravel:
    """The range of a joint until collision. `free`: from its lower to its upper end, the start between them, it is *proved* that nothing
    meets; it is the start alone, and nothing is claimed, where pairs are `not_apart`. `stops` are the brackets of the values at which
    something is first met below and above the start; None where the limit is reached. `contacts`: the answers of both ways, in which the
    time counts from the start; None for a way of no length.
    """

    joint: str
    start: float
    limits: tuple[float, float]
    free: Interval
    stops: tuple[Interval | None, Interval | None]
    contacts: tuple[Contacts | None, Contacts | None]

    @property
    def not_apart(self) -> dict[tuple[int, int], Start]:
        """The pairs of bodies, by numbers, that are not *proved* apart at the start, each with its state: they touch, overlap, are inside
        each other, or may. No range is free with them.
        """
        return {pair: state for c in self.contacts if c is not None for pair, state in _not_apart(c).items()}

    @property
    def status(self) -> Status:
        """CONTACT where a stop is proved, NO_CONTACT where the joint is free to both limits; UNRESOLVED or BUDGET_SPENT where a way is not
        decided, UNRESOLVED also where pairs are `not_apart`.
        """
        found = {c.status for c in self.contacts if c is not None} | ({Status.UNRESOLVED} if self.not_apart else set())
        order = Status.BUDGET_SPENT, Status.UNRESOLVED, Status.CONTACT
        return next((s for s in order if s in found), Status.NO_CONTACT)

    def __repr__(self) -> str:
        return f"JointTravel({self.joint}: {self.status.name}, free from {self.free.lo!r} to {self.free.hi!r})"

    def summary(self) -> str:
        """One paragraph: how far the joint is free, and what stops it."""
        told = [f"Joint {self.joint} is proved free from {self.free.lo:.12g} to {self.free.hi:.12g}."]
        if self.not_apart:
            told = [f"No range of joint {self.joint} is proved free: {self._named_starts()}. Give what touches by design in ignore=, and "
                    "place the others apart. The rest is said of the other pairs, and of new incoming tangential contacts of these."]
        if nesting := set().union(*(c.nesting for c in self.contacts if c is not None)):
            told.append(f"Whether one encloses the other is not decided of bodies {named_pairs(self._bodies, sorted(nesting))}: all is "
                        "said of their surfaces.")
        for word, stop, limit, c in zip(("below", "above"), self.stops, self.limits, self.contacts, strict=True):
            if c is not None and stop is not None:
                told.append(f"It is stopped {word} within [{stop.lo!r}, {stop.hi!r}]: {c.summary()}")
            elif c is not None and c.status is Status.NO_CONTACT:
                told.append(f"It reaches its limit {limit:.12g} {word}.")
            elif c is not None:
                told.append(f"It is not decided {word}: {c.status.value}")
        return " ".join(told)

    @property
    def _bodies(self) -> Sequence[Any]:
        return next(c.bodies for c in self.contacts if c is not None)

    def _named_starts(self) -> str:
        """The pairs that are not apart at the start, and how."""
        states = {state: [pair for pair, own in self.not_apart.items() if own is state] for state in self.not_apart.values()}
        return ", ".join(f"bodies {named_pairs(self._bodies, pairs)} are {state.value}" for state, pairs in states.items())


@nesting_in_words
def joint_travel(chain: Chain, joint: str, at: Mapping[str, Any], others: Iterable[Any] = (), *, limits: tuple[Any, Any] | None = None,
                 ignore: Iterable[Any] = (), budget: Budget | float | None = None, progress: bool = False) -> JointTravel:
    """Find how far a joint can move, both ways from a position, until links meet each other or other bodies.

    Parameters
    ----------
    chain : generative.Chain
        Also one with closed loops: then for a joint that drives.
    joint : str
        The joint that moves.
    at : dict of str to number
        The value of every joint of ``chain.values``; that of `joint` is the start.
    others : list of bodies, optional
        Bodies at rest.
    limits : (lo, hi), optional
        How far to look. None: the limits of the joint in the chain.
    ignore : list, optional
        As in `first_contact`; added to ``chain.ignore``. Links come first, with their names, then `others`.
    budget : float or Budget, optional
        Seconds or a `Budget`, for each way; None is 60 seconds.
    progress : bool, optional
        Show a bar.

    Returns
    -------
    JointTravel
        With `free`, the range that is proved free, and `stops`, brackets of the values at which something is met. Where bodies touch or
        overlap at the start, `free` is the start alone, `not_apart` names them, and the status is UNRESOLVED.

    Raises
    ------
    TypeError
        For anything that is no chain.
    ValueError
        For a joint that takes no value, a start outside of the limits, no limits, and one of `others` that moves or deforms with t.

    Notes
    -----
    `free` is *proved*: bodies are apart at the start, and no two surfaces meet in it. Of bodies that touch, overlap or are inside each
    other at the start nothing is called free: for them `contacts` claim only what `first_contact` does. Where surfaces are apart at the
    start, but it is not decided whether one body encloses the other, all is said of their surfaces; the summary names these. A stop
    *encloses* the first value at which a contact is proved.

    Examples
    --------
    A lever of length 1 meets a ball of radius 1/4 whose centre is 1 away: at sin(angle) = 1/4.

    >>> import collide
    >>> from generative import Chain, Rigid, curve, primitives, revolute, sweep
    >>> lever = sweep.ruled(curve.line((0, 0, -1), (1, 0, -1)), curve.line((0, 0, 1), (1, 0, 1)))
    >>> hinge = Chain({"lever": lever}, [revolute("hinge", "base", "lever", limits=(-1, 3))])
    >>> collide.joint_travel(hinge, "hinge", {"hinge": 1}, [primitives.ball(0.25, (1, 0, 0))])
    JointTravel(hinge: CONTACT, free from 0.2526802551420788 to 3.0)
    """
    if not isinstance(chain, Chain):
        raise TypeError(f"joint_travel takes a generative.Chain, got {shown(chain)}")
    if joint not in chain.values or joint not in at:
        raise ValueError(f"joint_travel moves a joint with a value of its own, one of {', '.join(chain.values)}, and takes all their "
                         f"values, got {shown(joint)}")
    ends = chain.limits.get(joint) if limits is None else interval(limits, f"the limits of joint {joint}")
    if ends is None:
        raise ValueError(f"joint {joint} has no limits: give limits=(lo, hi)")
    start = formula(at[joint], [], f"the value of joint {joint}")
    if not ends[0] <= start <= ends[1]:
        raise ValueError(f"joint {joint} starts at {start}, outside of its limits ({ends[0]}, {ends[1]})")
    fixed = _checked(others)
    pairs = [*chain.ignore, *ignore, *_at_rest(chain, fixed)]
    found: list[tuple[float, Interval | None, Contacts | None]] = []
    for way, end in ((-1, ends[0]), (1, ends[1])):
        far = abs(end - start)
        if far == 0:
            found.append((float(start), None, None))
            continue
        c = first_contact([*chain.at({**at, joint: start + way * t}), *fixed], (0, far), ignore=pairs, budget=budget, progress=progress)
        found.append((_moved(start, way, 0 if _not_apart(c) else c.clear_until, -way), _stop(c, start, way), c))
    return JointTravel(joint, float(start), (float(ends[0]), float(ends[1])), Interval(found[0][0], found[1][0]),
                       (found[0][1], found[1][1]), (found[0][2], found[1][2]))


def _checked(others: Iterable[Any]) -> list[Any]:
    """Bodies that are at rest."""
    found = list(others)
    for k, body in enumerate(found):
        if isinstance(body, KINDS) and carrier(body) != IDENTITY:
            raise ValueError(f"{called(found, k)} of others moves or deforms with t; joint_travel takes others at rest, as body.at(0) is")
    return found


def _at_rest(chain: Chain, others: Sequence[Any]) -> list[tuple[int, int]]:
    """Pairs of bodies that are not of the chain."""
    first = sum(map(len, chain.bodies.values()))
    return list(itertools.combinations(range(first, first + len(others)), 2))


def _not_apart(c: Contacts) -> dict[tuple[int, int], Start]:
    """The pairs that are not proved apart at the start."""
    states = (state for state in Start if state is not Start.DISJOINT)
    return {pair: state for state in states for pair in pairs_in(c.start, state) if pair not in c.nesting}


def _moved(start: Any, way: int, far: float, rounding: int) -> float:
    """start + way * far as a double, rounded down (-1) or up (1)."""
    exact = start + way * sp.Rational(far)
    found = float(exact)
    wrong = (sp.Rational(found) - exact) * rounding < 0
    return math.nextafter(found, math.inf * rounding) if wrong else found


def _stop(c: Contacts, start: Any, way: int) -> Interval | None:
    if c.status is not Status.CONTACT or c.time is None:
        return None
    lo, hi = (c.time.lo, c.time.hi) if way > 0 else (c.time.hi, c.time.lo)
    return Interval(_moved(start, way, lo, -1), _moved(start, way, hi, 1))
