"""Leaves of combined bodies that are one surface, and those that are level sets of one function: *proved* by their formulas.

The function of a leaf is written in the frame of what carries it, as a sum of terms of x, y and z with coefficients. Two leaves are one
surface if their coefficients are in one ratio, a number, whose sign says whether they have the same side inside. So planes, quadrics and
all formulas that are equal but for a factor are told, in all frames. Coefficients that are no rational numbers are compared by what SymPy
simplifies: where it does not see that two are equal, the leaves count as two surfaces.
"""

import functools
import itertools
import operator
import zlib
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from codegen.deadline import interruptible
from codegen.walk import free_symbols

from .motion import IDENTITY, Motion
from .symbols import x, y, z
from .vanishing import vanishes

# Longer formulas are taken as they stand.
_LONG = 400
# Digits in which numbers are compared first, and how little they may differ to be looked at closer.
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
    """Which of the leaves, in these frames, are one surface. What values at some points tell apart is not looked at any closer."""
    literals = dict[tuple[Any, Motion], int]()
    signatures = {own: _signature(*own) for own in zip((leaf.body for leaf in leaves), frames, strict=True)}
    # Of two that are written with opposite signs one is counted.
    shapes = Counter(shape for (body, frame), (shape, _) in signatures.items()
                     if (-body, frame) not in signatures or hash(body) > hash(-body))
    several = len(set(signatures.values())) < len(leaves)
    families: dict[Hashable, list[_Family]] = {}
    found = Surfaces([], {}, [])
    for k, own in enumerate(zip((leaf.body for leaf in leaves), frames, strict=True)):
        body, frame = own
        new, opposite = len(found.members) + 1, literals.get((-body, frame))
        shape, _ = signatures[own]
        if own not in literals:
            alone = not several or shapes[shape] == 1
            literals[own] = -opposite if opposite else new if alone else _literal(_leaf(*own), families.setdefault(shape, []), new)
        found.literals.append(literals[own])
        found.members.setdefault(abs(literals[own]), []).append(k)
    found.nested.extend(chain for own in families.values() for family in own for chain in family.nested)
    told = {k for chain in found.nested for k in chain}
    found.nested.extend([k] for k in found.members if k not in told)
    return found


# Places of no symmetry, at which functions are compared; in so many digits, of which so many must agree.
_PLACES = [tuple(sp.Rational(e, 1009) for e in place) for place in ((331, -457, 613), (-719, 211, 97), (523, 877, -149), (-83, -641, -787),
                                                                    (1201, 367, 1123))]
_AGREE = 12


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def _signature(body: Any, frame: Motion) -> tuple[Any, Any]:
    """Rounded numbers that are the same for all functions a F + b, with numbers a and b, and one more that is the same for all a F. Of what
    has no such values they are the formula itself.
    """
    known = {s: _sample(s) for s in free_symbols(body) - {x, y, z}}
    values = [sp.N(body.xreplace({**known, **dict(zip((x, y, z), place, strict=True))}), _DIGITS) for place in _local_places(frame)]
    steps = [value - values[0] for value in values[1:]]
    if not all(value.is_number and value.is_finite for value in values):
        return (body, frame), 0
    most = max(map(abs, steps))
    unit = next((step for step in steps if abs(step) > most / 16), None)
    return ((body, frame), 0) if unit is None else ((*(_rounded(step / unit) for step in steps),), _rounded(values[0] / unit))


@functools.lru_cache(maxsize=4096)
@interruptible()
def _local_places(frame: Motion) -> list[tuple[Any, ...]]:
    """The places in a frame."""
    back = frame.inverse()
    known = {s: _sample(s) for s in back.symbols}
    entries = [sp.N(e.xreplace(known), _DIGITS) for e in back.entries]
    return [tuple(sp.N(sum(entries[3 * i + j] * place[j] for j in range(3)) + entries[9 + i], _DIGITS) for i in range(3))
            for place in _PLACES]


def _rounded(value: Any) -> str:
    return str(sp.N(value, _AGREE)) if abs(value) > _NEAR else "0"


def _sample(symbol: Any) -> Any:
    """A number that stands for a parameter, or for the time."""
    return sp.Rational(1 + zlib.crc32(str(symbol).encode()) % 9973, 4999)


def coincidences(leaves: Sequence[Any], frames: Sequence[Motion]) -> list[tuple[Any, ...]]:
    """Of pairs of leaves that are one surface for some numbers in the place of parameters alone, formulas of these that are 0 then."""
    alike: dict[Hashable, dict[Leaf, None]] = {}
    if not any(free_symbols(leaf.body) - {x, y, z} or frame.symbols for leaf, frame in zip(leaves, frames, strict=True)):
        return []
    for leaf, frame in zip(leaves, frames, strict=True):
        known = _leaf(leaf.body, frame)
        alike.setdefault(tuple(e for e, _ in known.terms), {})[known] = None
    pairs = (pair for own in alike.values() for pair in itertools.combinations(own, 2))
    found = (tuple(dict.fromkeys(e for e in _differences(a, b) if e != 0)) for a, b in pairs)
    return [own for own in found if own and all(e.free_symbols for e in own)]


def _differences(a: Leaf, b: Leaf) -> list[Any]:
    coefficients = ((p, q) for (_, p), (_, q) in zip(a.terms, b.terms, strict=True))
    return [p if p.is_Rational else sp.expand(p) for p in (p - q for p, q in (*coefficients, (a.level, b.level)))]


def _literal(leaf: Leaf, alike: list[_Family], new: int) -> int:
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
    formula = formula.replace(lambda e: (e.is_Function or (e.is_Pow and not e.exp.is_Integer)) and e.has(x, y, z), _simpler_inside)
    terms = _terms(formula)
    level = terms.pop(sp.S.One, sp.S.Zero)
    order = sorted(terms, key=sp.default_sort_key)
    scale = terms[order[0]] if order else sp.S.One
    return Leaf(tuple((e, _over(terms[e], scale)) for e in order), _over(level, scale), scale)


def _simpler_inside(function: Any) -> Any:
    """A root or another function with what it is of as a sum of terms."""
    of, *others = function.args
    return function.func(sp.Add(*(e * (c if c.is_Rational else sp.simplify(c)) for e, c in _terms(of).items())), *others)


def _terms(formula: Any) -> dict[Any, Any]:
    """Terms of x, y and z, with coefficients that are not 0."""
    found = dict[Any, Any]()
    for term in sp.Add.make_args(formula if formula.count_ops() > _LONG else sp.expand(formula)):
        coefficient, rest = term.as_independent(x, y, z, as_Add=False)
        found[rest] = found.get(rest, sp.S.Zero) + coefficient
    return {rest: c for rest, c in found.items() if not _is_zero(c)}


def _over(a: Any, b: Any) -> Any:
    return a if b == 1 else a / b


@functools.lru_cache(maxsize=4096)
@interruptible()
def _side(ratio: Any) -> int:
    """The sign of a factor; 0 where it is not told."""
    told = ratio if ratio.is_positive or ratio.is_negative or ratio.count_ops() > _LONG else sp.simplify(ratio)
    return 1 if told.is_positive else -1 if told.is_negative else 0


def _equal(a: Any, b: Any) -> bool:
    return a == b or _is_zero(a - b)


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def _is_zero(e: Any) -> bool:
    """Is a number, or a formula of parameters and the time, seen to be 0? Most are not where numbers stand for these."""
    if e.is_Rational:
        return bool(e == 0)
    value = sp.N(e.xreplace({s: _sample(s) for s in free_symbols(e)}), _DIGITS)
    return not (value.is_number and abs(value) > _NEAR) and vanishes(e)


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def _sign(e: Any) -> int | None:
    """The sign of a number, or of a formula of parameters and the time that has one; None where it is not told."""
    if _is_zero(e):
        return 0
    if not free_symbols(e):
        value = sp.N(e, _DIGITS)
        return None if not value.is_real or abs(value) < _NEAR else 1 if value > 0 else -1
    return 1 if e.is_positive else -1 if e.is_negative else None
