"""Leaves of combined bodies that are one surface, and those that are level sets of one function: *proved* by their formulas.

The function of a leaf is written in the frame of what carries it, as a sum of terms of x, y and z with coefficients. Two leaves are one
surface if their coefficients are in one ratio, a number, whose sign says whether they have the same side inside. So planes, quadrics and
all formulas that are equal but for a factor are told, in all frames. Coefficients that are no rational numbers are compared by what SymPy
simplifies: where it does not see that two are equal, the leaves count as two surfaces.
"""

import functools
import itertools
import operator
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from codegen.deadline import interruptible
from codegen.walk import free_symbols

from .motion import IDENTITY, Motion
from .symbols import x, y, z
from .vanishing import vanishes

# Longer formulas are taken as they stand, and so are longer coefficients.
_LONG, _SHORT = 400, 60
# Digits in which numbers are compared before they are simplified, and how much two may differ that are.
_DIGITS, _NEAR = 30, 1e-20


class Leaf(NamedTuple):
    """The function of a leaf over `scale`: terms with coefficients, the first one 1, and a constant, the `level`."""

    terms: tuple[tuple[Any, Any], ...]
    level: Any
    scale: Any


class Surfaces(NamedTuple):
    """Of leaves, in order, the numbers k of their surfaces, or -k of those with the other side inside; the leaves on each surface, by their
    numbers; and chains of surfaces k, each of which has the earlier ones inside.
    """

    literals: list[int]
    members: dict[int, list[int]]
    nested: list[list[int]]


class _Family:
    """Surfaces that are level sets of one function, in the order in which they hold each other."""

    def __init__(self, first: Leaf) -> None:
        self.first, self.chain = first, list[tuple[Any, int]]()
        self.sign = _side(first.scale)

    def side(self, leaf: Leaf) -> int:
        """If this leaf is of the function: 1 if it has inside where that is less, -1 if it has the other side; else 0."""
        if [e for e, _ in leaf.terms] != [e for e, _ in self.first.terms]:
            return 0
        if not all(_equal(a, b) for (_, a), (_, b) in zip(leaf.terms, self.first.terms, strict=True)):
            return 0
        return (self.sign or 1) * _side(leaf.scale / self.first.scale)

    @property
    def nested(self) -> list[list[int]]:
        """Chains; of a function the sign of which is not told each surface is alone."""
        numbers = [number for _, number in self.chain]
        return [numbers] if self.sign else [[k] for k in numbers]

    def place(self, level: Any, new: int) -> int | None:
        """The surface of a level, `new` if there is none; None where it is not told whether it is one that there is."""
        signs = [_sign(level - own) for own, _ in self.chain]
        if None in signs:
            return None
        if 0 in signs:
            return self.chain[signs.index(0)][1]
        # A level above: the function is less there.
        self.chain.insert(sum(sign is not None and sign < 0 for sign in signs), (level, new))
        return new


def frames_of(leaves: Sequence[Any]) -> list[Motion]:
    """The motions of leaves after what carries them all."""
    made = {motion: _factors(motion) for motion in dict.fromkeys(leaf.motion for leaf in leaves)}
    shared = len(list(itertools.takewhile(lambda column: len(set(column)) == 1, zip(*made.values(), strict=False))))
    rests = {motion: functools.reduce(operator.matmul, factors[shared:], IDENTITY) for motion, factors in made.items()}
    return [rests[leaf.motion] for leaf in leaves]


def _factors(motion: Motion) -> tuple[Motion, ...]:
    """What a motion is made of, the last one first."""
    if motion._made is not None:
        return tuple(f for part in motion._made for f in _factors(part))
    return () if motion.is_identity else motion.factors


def surfaces_of(leaves: Sequence[Any], frames: Sequence[Motion]) -> Surfaces:
    """Which of the leaves, in these frames, are one surface."""
    families: dict[Hashable, list[_Family]] = {}
    found = Surfaces([], {}, [])
    for k, (leaf, frame) in enumerate(zip(leaves, frames, strict=True)):
        literal = _literal(_leaf(leaf.body, frame), families, len(found.members) + 1)
        found.literals.append(literal)
        found.members.setdefault(abs(literal), []).append(k)
    found.nested.extend(chain for alike in families.values() for family in alike for chain in family.nested)
    return found


def coincidences(leaves: Sequence[Any], frames: Sequence[Motion]) -> list[tuple[Any, ...]]:
    """Of pairs of leaves that are one surface for some numbers in the place of parameters alone, formulas of these that are 0 then."""
    alike: dict[Hashable, dict[Leaf, None]] = {}
    for leaf, frame in zip(leaves, frames, strict=True):
        known = _leaf(leaf.body, frame)
        alike.setdefault(tuple(e for e, _ in known.terms), {})[known] = None
    pairs = (pair for own in alike.values() for pair in itertools.combinations(own, 2))
    found = (tuple(dict.fromkeys(e for e in _differences(a, b) if e != 0)) for a, b in pairs)
    return [own for own in found if own and all(e.free_symbols for e in own)]


def _differences(a: Leaf, b: Leaf) -> list[Any]:
    coefficients = ((p, q) for (_, p), (_, q) in zip(a.terms, b.terms, strict=True))
    return [p if p.is_Rational else sp.expand(p) for p in (p - q for p, q in (*coefficients, (a.level, b.level)))]


def _literal(leaf: Leaf, families: dict[Hashable, list[_Family]], new: int) -> int:
    exact = all(c.is_Rational for _, c in leaf.terms)
    alike = families.setdefault(leaf.terms if exact else tuple(e for e, _ in leaf.terms), [])
    for family in alike:
        side = family.side(leaf)
        place = family.place(leaf.level, new) if side else None
        if place is not None:
            return side * place
    alike.append(_Family(leaf))
    alike[-1].place(leaf.level, new)
    return (alike[-1].sign or 1) * new


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def _leaf(body: Any, frame: Motion) -> Leaf:
    formula = body
    if not frame.is_identity:
        shifted = [s - d for s, d in zip((x, y, z), frame.translation, strict=True)]
        formula = body.xreplace(dict(zip((x, y, z), frame.inverse().turn(shifted), strict=True)))
    formula = formula.replace(lambda e: e.is_Function or (e.is_Pow and not e.exp.is_Integer), _simpler_inside)
    terms = _terms(formula)
    level = terms.pop(sp.S.One, sp.S.Zero)
    order = sorted(terms, key=sp.default_sort_key)
    scale = terms[order[0]] if order else sp.S.One
    return Leaf(tuple((e, _over(terms[e], scale)) for e in order), _over(level, scale), scale)


def _simpler_inside(function: Any) -> Any:
    """A root or another function with what it is of as a sum of terms."""
    of, *others = function.args
    return function.func(sp.Add(*(e * c for e, c in _terms(of).items())), *others)


def _terms(formula: Any) -> dict[Any, Any]:
    """Terms of x, y and z, with coefficients that are not 0."""
    found = dict[Any, Any]()
    for term in sp.Add.make_args(formula if formula.count_ops() > _LONG else sp.expand(formula)):
        coefficient, rest = term.as_independent(x, y, z, as_Add=False)
        found[rest] = found.get(rest, sp.S.Zero) + coefficient
    known = ((rest, _simpler(c)) for rest, c in found.items())
    return {rest: c for rest, c in known if c != 0}


def _simpler(c: Any) -> Any:
    """A coefficient, as a rational number where SymPy sees that it is one."""
    return c if c.is_Atom or (-c).is_Atom or c.count_ops() > _SHORT else sp.simplify(c)


def _over(a: Any, b: Any) -> Any:
    return a if b == 1 else a / b


def _side(ratio: Any) -> int:
    return 1 if ratio.is_positive else -1 if ratio.is_negative else 0


def _equal(a: Any, b: Any) -> bool:
    return a == b or _sign(a - b) == 0


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def _sign(e: Any) -> int | None:
    """The sign of a number, or of a formula of parameters and the time that has one; None where it is not told."""
    if e.is_Rational:
        return int(sp.sign(e))
    if not free_symbols(e):
        value = sp.N(e, _DIGITS)
        if value.is_real and abs(value) > _NEAR:
            return 1 if value > 0 else -1
    return 0 if vanishes(e) else 1 if e.is_positive else -1 if e.is_negative else None
