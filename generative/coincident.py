"""Leaves of combined bodies that are one surface, and those that are level sets of one function: *proved* by their formulas.

The function of a leaf is written in the frame that the leaves share, as a sum of terms of x, y and z with coefficients. Two leaves are one
surface if their coefficients are in one ratio, a number, whose sign says whether they have the same side inside. So planes, quadrics and
all formulas that are equal up to a factor are recognised, in all frames. SymPy compares coefficients that are not rational. Where it does
not see that two are equal, the leaves count as two surfaces, and are listed as doubtful if their values agree.
"""

import decimal
import functools
import itertools
import math
import operator
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp

from codegen.deadline import interruptible
from codegen.walk import free_symbols

from .at_samples import DIGITS, alike, precise, sample, sampled_number, value_of
from .common_zeros import with_common_zeros
from .motion import IDENTITY, Motion
from .symbols import x, y, z
from .vanishing import vanishes

# Longer formulas are taken as they stand.
_LONG = 400
# How little numbers may differ to be looked at closer.
_NEAR = 1e-20


class LeafTerms(NamedTuple):
    """The function of a leaf over `scale`: terms with coefficients, the first one 1, and a constant, the `level`."""

    terms: tuple[tuple[Any, Any], ...]
    level: Any
    scale: Any


class Surfaces(NamedTuple):
    """The surfaces of leaves.

    `literals`: for each leaf, in order, the number k of its surface, or -k if it has the other side inside. `members`: the leaves on each
    surface, by their numbers. `nested`: chains of surfaces k, each of which has the earlier ones inside. `doubtful`: pairs of leaves that
    count as two surfaces, though their values agree, or they have no values to compare, or have zeros in common (`common_zeros`).
    """

    literals: list[int]
    members: dict[int, list[int]]
    nested: list[list[int]]
    doubtful: list[tuple[int, int]]


class _Family:
    """Surfaces that are level sets of one function, in the order in which they hold each other."""

    def __init__(self, first: LeafTerms) -> None:
        self.first, self.chain = first, list[tuple[Any, int]]()
        self.sign = _side(first.scale)

    def side(self, leaf: LeafTerms) -> int:
        """The side of this leaf, if it is of the function: 1 if it has inside where that is less, -1 if it has the other side; else 0."""
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
    """The motions of leaves in the frame that they share."""
    made = {motion: _factors(motion) for motion in dict.fromkeys(leaf.motion for leaf in leaves)}
    shared = len(list(itertools.takewhile(lambda column: len(set(column)) == 1, zip(*made.values(), strict=False))))
    rests = {motion: functools.reduce(operator.matmul, factors[shared:], IDENTITY) for motion, factors in made.items()}
    return [rests[leaf.motion] for leaf in leaves]


def _factors(motion: Motion) -> tuple[Motion, ...]:
    """The factors of a motion, the last one first."""
    if motion._made is not None:
        return tuple(f for part in motion._made for f in _factors(part))
    return () if motion.is_identity else motion.factors


def surfaces_of(leaves: Sequence[Any], frames: Sequence[Motion]) -> Surfaces:
    """The surfaces of leaves in these frames. Leaves whose values at some places differ are not compared any closer."""
    literals = dict[tuple[Any, Motion], int]()
    signatures = {own: _signature(*own) for own in zip((leaf.body for leaf in leaves), frames, strict=True)}
    # Of two that are written with opposite signs one is counted.
    shapes = Counter(own.shape for (body, frame), own in signatures.items()
                     if (-body, frame) not in signatures or hash(body) > hash(-body))
    several = len({own[:2] for own in signatures.values()}) < len(leaves)
    families: dict[Hashable, list[_Family]] = {}
    found = Surfaces([], {}, [], [])
    for k, own in enumerate(zip((leaf.body for leaf in leaves), frames, strict=True)):
        body, frame = own
        new, opposite = len(found.members) + 1, literals.get((-body, frame))
        shape = signatures[own].shape
        if own not in literals:
            alone = not several or shapes[shape] == 1
            literals[own] = -opposite if opposite else new if alone else _literal(_leaf(*own), families.setdefault(shape, []), new)
        found.literals.append(literals[own])
        found.members.setdefault(abs(literals[own]), []).append(k)
    found.nested.extend(chain for own in families.values() for family in own for chain in family.nested)
    told = {k for chain in found.nested for k in chain}
    found.nested.extend([k] for k in found.members if k not in told)
    firsts = {own[0]: signatures[leaves[own[0]].body, frames[own[0]]] for own in found.members.values()}
    found.doubtful.extend(_doubtful(firsts, _reach(leaves, frames)) if len(firsts) > 1 else ())
    others = with_common_zeros([(k, leaves[k], frames[k], own.shape) for k, own in firsts.items()])
    found.doubtful.extend(pair for pair in others if pair not in found.doubtful)
    return found


class _Signature(NamedTuple):
    """Values of a function at some places. `shape`: rounded numbers that are the same for all functions a F + b, with numbers a and b;
    `level`: one that is the same for all a F. `values`: these before they are rounded, the level last; empty where there are none.
    """

    shape: Hashable
    level: Hashable
    values: tuple[Any, ...] = ()


def _doubtful(own: Mapping[int, _Signature], reach: float) -> Iterator[tuple[int, int]]:
    """Pairs of leaves whose values agree in `_AGREE` digits, and neighbours in the list of those that have no values."""
    yield from itertools.pairwise(k for k, signature in own.items() if not signature.values)
    order = sorted((float(signature.values[-1]), k) for k, signature in own.items() if signature.values)
    for at, (level, a) in enumerate(order):
        # Below 1 the level is mostly that of the places, not of the leaf, so the size of the body alone says how near is near.
        near = _ALIKE * (reach if reach < 1 else max(reach, abs(level)))
        for other, b in itertools.islice(order, at + 1, None):
            if other - level > near + 2 * math.ulp(level):
                break
            if _agree(own[a].values, own[b].values, near):
                yield min(a, b), max(a, b)


def _agree(a: Sequence[Any], b: Sequence[Any], near: float) -> bool:
    return abs(a[-1] - b[-1]) <= near and all(abs(p - q) <= _ALIKE * max(1, abs(p)) for p, q in zip(a[:-1], b[:-1], strict=True))


def _reach(leaves: Sequence[Any], frames: Sequence[Motion]) -> float:
    """The distance from the origin of their common frame that leaves reach, roughly."""
    bounds = max(_largest(leaf.bounds) for leaf in leaves)
    return bounds + max(_largest((tuple(frame.translation),)) for frame in set(frames))


@functools.lru_cache(maxsize=4096)
def _largest(rows: tuple[tuple[Any, ...], ...]) -> float:
    return max(abs(float(sampled_number(e))) for e in itertools.chain(*rows))


# Places of no symmetry, at which functions are compared; in so many digits, of which so many must agree.
_PLACES = [tuple(sp.Rational(e, 1009) for e in place) for place in ((331, -457, 613), (-719, 211, 97), (523, 877, -149), (-83, -641, -787),
                                                                    (1201, 367, 1123))]
_AGREE = 12
# Values that agree in so many digits differ by less. The doubles of one number that was computed in two ways are nearer to each other.
_ALIKE = 10.0**-_AGREE


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def _signature(body: Any, frame: Motion) -> _Signature:
    """The values of a leaf in a frame; the formula itself in the place of numbers that it does not have."""
    known = {s: sample(s) for s in free_symbols(body) - {x, y, z}}
    with precise():
        values = alike([value_of(body, {**known, **dict(zip((x, y, z), place, strict=True))}) for place in _local_places(frame)])
        if not all(_is_finite(value) for value in values):
            return _Signature((body, frame), 0)
        steps = [value - values[0] for value in values[1:]]
        most = max(map(abs, steps))
        unit = next((step for step in steps if abs(step) > most / 16), None)
        if unit is None:
            return _Signature((body, frame), 0)
        shape, level = [step / unit for step in steps], values[0] / unit
        found = (*map(_rounded, shape),), _rounded(level)
    return _Signature(*found, (*map(float, shape), level) if all(map(_is_real, (*shape, level))) else ())


@functools.lru_cache(maxsize=4096)
@interruptible()
def _local_places(frame: Motion) -> list[tuple[Any, ...]]:
    """The places in a frame, whose rotation is turned back by its transpose."""
    known = {s: sample(s) for s in frame.symbols}
    with precise():
        entries = alike([value_of(e, known) for e in frame.entries])
        places = [alike([decimal.Decimal(c.p) / c.q, *entries])[0] for place in _PLACES for c in place]
        shifted = [[c - d for c, d in zip(places[k:k + 3], entries[9:], strict=True)] for k in range(0, len(places), 3)]
        return [tuple(sum(entries[3 * j + i] * own[j] for j in range(3)) for i in range(3)) for own in shifted]


def _rounded(value: Any) -> str:
    if not _is_real(value):
        return str(sp.N(value, _AGREE)) if abs(value) > _NEAR else "0"
    return format(decimal.Decimal(str(value)), f".{_AGREE - 1}e") if abs(value) > _NEAR else "0"


def _is_real(value: Any) -> bool:
    return isinstance(value, decimal.Decimal) or bool(value.is_real)


def _is_finite(value: Any) -> bool:
    return value.is_finite() if isinstance(value, decimal.Decimal) else bool(value.is_number and value.is_finite)


def samples(leaves: Sequence[Any], frames: Sequence[Motion]) -> list[tuple[Any, ...]]:
    """Values of the functions of leaves at places of their common frame, as formulas of the parameters and the time.

    Two functions that are equal but for a factor have proportional values. So leaves whose values are proved not to be proportional, for
    some numbers in the place of the symbols, are two surfaces for these.
    """
    return [_sampled(leaf.body, frame) for leaf, frame in zip(leaves, frames, strict=True)]


@functools.lru_cache(maxsize=4096)
@interruptible()
def _sampled(body: Any, frame: Motion) -> tuple[Any, ...]:
    back = frame.inverse()
    shifted = ([c - d for c, d in zip(place, frame.translation, strict=True)] for place in _PLACES)
    return tuple(body.xreplace(dict(zip((x, y, z), back.turn(own), strict=True))) for own in shifted)


def _literal(leaf: LeafTerms, alike: list[_Family], new: int) -> int:
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
def _leaf(body: Any, frame: Motion) -> LeafTerms:
    formula = body
    if not frame.is_identity:
        shifted = [s - d for s, d in zip((x, y, z), frame.translation, strict=True)]
        formula = body.xreplace(dict(zip((x, y, z), frame.inverse().turn(shifted), strict=True)))
    formula = formula.replace(lambda e: (e.is_Function or (e.is_Pow and not e.exp.is_Integer)) and e.has(x, y, z), _simpler_inside)
    terms = _terms(formula)
    level = terms.pop(sp.S.One, sp.S.Zero)
    order = sorted(terms, key=sp.default_sort_key)
    scale = terms[order[0]] if order else sp.S.One
    return LeafTerms(tuple((e, _over(terms[e], scale)) for e in order), _over(level, scale), scale)


def _simpler_inside(function: Any) -> Any:
    """A root or another function with its argument as a sum of terms."""
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
    """Whether a number, or a formula of parameters and the time, is seen to be 0. Most are not 0 with samples in the place of symbols."""
    if e.is_Rational:
        return bool(e == 0)
    value = sampled_number(e)
    return not (value.is_number and abs(value) > _NEAR) and vanishes(e)


@functools.lru_cache(maxsize=1 << 14)
@interruptible()
def _sign(e: Any) -> int | None:
    """The sign of a number, or of a formula of parameters and the time that has one; None where it is not told."""
    if _is_zero(e):
        return 0
    if not free_symbols(e):
        value = sp.N(e, DIGITS)
        return None if not value.is_real or abs(value) < _NEAR else 1 if value > 0 else -1
    return 1 if e.is_positive else -1 if e.is_negative else None
