"""Sentences about leaves of combined bodies that count as two surfaces though they are one, or may be one.

Leaves that coincide for single values of a parameter, or at single moments, are looked for by interval arithmetic: functions that are equal
but for a factor have proportional values at all places. So in a box of parameters and times in which the values of two leaves, at some
places, are proved not to be proportional, they are two surfaces.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose, framed
from codegen.kernel import compile
from codegen.walk import free_symbols
from generative import t
from generative.body import called
from generative.combination import Combination, LeafComparison, given_leaves

# Pairs of leaves that are compared in boxes of parameters and times, for one body, and how many of them at once. Effort only.
_MOST, _ONCE = 1 << 18, 1 << 14
# Pairs of leaves that a sentence names.
_NAMED = 3
_SOME_TIME = sp.Rational(4721, 6337)
Pairs = Sequence[tuple[int, int]]


def coincident_notes(bodies: Sequence[Any], time: tuple[Any, Any], ranges: Mapping[Any, tuple[Any, Any]] | None = None) -> tuple[str, ...]:
    """Sentences about all combined bodies.

    Parameters
    ----------
    bodies : sequence of bodies
        The bodies as the query takes them, with numbers in the place of the parameters that have one.
    time : pair of numbers
        The time span, whose ends may be equal.
    ranges : mapping of Parameter to pair of numbers, optional
        The ranges of the other parameters.

    Returns
    -------
    tuple of str
    """
    return tuple(note for k, body in enumerate(bodies) if isinstance(body, Combination)
                 for note in _notes(body, called(bodies, k, "Body "), time, ranges or {}))


def _notes(body: Combination, name: str, time: tuple[Any, Any], ranges: Mapping[Any, tuple[Any, Any]]) -> Iterator[str]:
    told = body.comparison
    if told is None:
        return
    if told.doubtful:
        yield (f"{name} has leaves that are nearly one surface, {_named(body, told.doubtful)}: they are not proved to be one, so they "
               "count as two, with the gap between them.")
    if told.as_written:
        yield (f"{name} is taken as it is written, with walls and skins where leaves coincide, {_named(body, _together(told))}: "
               f"{told.as_written}.")
    now_and_then = sometimes_coincident(body, told, {**ranges, t: time})
    if now_and_then:
        yield (f"{name} has leaves that may coincide at single moments or for single values of parameters, "
               f"{_named(body, now_and_then)}: they count as two surfaces there.")


def _named(body: Combination, pairs: Pairs) -> str:
    leaves = given_leaves(body)
    words = [" and ".join(str(k) if leaves[k].name is None else f'{k} ("{leaves[k].name}")' for k in pair) for pair in pairs[:_NAMED]]
    more = f", and {len(pairs) - _NAMED} more pairs" if len(pairs) > _NAMED else ""
    return f"{'; '.join(words)}{more} (of {len(leaves)}, numbered from 0 as they were given)"


def _together(told: LeafComparison) -> Pairs:
    """The leaves of each surface that has several, as pairs of neighbours."""
    members = defaultdict[int, list[int]](list)
    for k, literal in enumerate(told.literals):
        members[abs(literal)].append(k)
    return [pair for own in members.values() for pair in itertools.pairwise(own)]


def sometimes_coincident(body: Combination, told: LeafComparison, ranges: Mapping[Any, tuple[Any, Any]]) -> Pairs:
    """The pairs of leaves that are not one surface for most values of the symbols, and not proved to be two for all in their ranges."""
    values = body.samples
    symbols = sorted({s for own in values for e in own for s in free_symbols(e)}, key=str)
    pairs = _changing(values, told)
    if not pairs or not symbols or not all(s in ranges for s in symbols):
        return ()
    ends, _ = framed([(enclose(lo), enclose(hi)) for lo, hi in (ranges[s] for s in symbols)])
    kernel = compile([e for own in values for e in own], symbols, quick=True)
    boxes, examined = ends[None], 0
    while True:
        lo, hi = kernel.interval(boxes[..., 0], boxes[..., 1])
        left = may_be_proportional(lo.reshape(len(boxes), len(values), -1), hi.reshape(len(boxes), len(values), -1), pairs)
        examined += left.size
        boxes, pairs = boxes[left.any(axis=1)], [pairs[k] for k in np.flatnonzero(left.any(axis=0)).tolist()]
        if not pairs or examined + 2 * len(boxes) * len(pairs) > _MOST:
            return pairs
        boxes = _halved(boxes)


def coincident_at(body: Combination, told: LeafComparison, symbols: Sequence[Any], values: np.ndarray) -> np.ndarray:
    """(n,): in which rows (n, s) of values of the parameters leaves may be one surface, at all times, that are not one in most rows."""
    # Leaves that are one surface at all times are one at this time.
    own = [tuple(e.xreplace({t: _SOME_TIME}) for e in leaf) for leaf in body.samples]
    pairs = _changing(own, told)
    if not pairs:
        return np.zeros(len(values), bool)
    lo, hi = compile([e for leaf in own for e in leaf], symbols, quick=True).interval(values, values)
    shape = len(values), len(own), -1
    return np.asarray(may_be_proportional(lo.reshape(shape), hi.reshape(shape), pairs).any(axis=1))


def _changing(values: Sequence[tuple[Any, ...]], told: LeafComparison) -> Pairs:
    """The pairs of leaves that are two surfaces, one of which at least changes with a symbol."""
    fixed = [not any(free_symbols(e) for e in own) for own in values]
    return [(a, b) for a, b in itertools.combinations(range(len(values)), 2)
            if abs(told.literals[a]) != abs(told.literals[b]) and not (fixed[a] and fixed[b])]


def _halved(boxes: np.ndarray) -> np.ndarray:
    """Both halves of boxes (n, s, 2), across their widest sides."""
    at, wide = np.arange(len(boxes)), (boxes[..., 1] - boxes[..., 0]).argmax(axis=1)
    middle = 0.5 * boxes[at, wide].sum(axis=1)
    lower, upper = boxes.copy(), boxes.copy()
    lower[at, wide, 1] = upper[at, wide, 0] = middle
    return np.concatenate([lower, upper])


def may_be_proportional(lo: np.ndarray, hi: np.ndarray, pairs: Pairs) -> np.ndarray:
    """(n, p): in which of n boxes the values of the leaves of p pairs, bounds (n, leaves, places), are not proved not to be proportional.

    Proportional values a and b have a_i b_j = a_j b_i. The place i is one where a is far from 0. Products are rounded outwards.
    """
    step = max(1, _ONCE // max(1, len(lo)))
    parts = (np.array(pairs[k:k + step], int).reshape(-1, 2).T for k in range(0, len(pairs), step))
    found = [_may_be(*(ends[:, own] for own in part for ends in (lo, hi))) for part in parts]
    return np.concatenate([np.zeros((len(lo), 0), bool), *found], axis=1)


def _may_be(lo: np.ndarray, hi: np.ndarray, other_lo: np.ndarray, other_hi: np.ndarray) -> np.ndarray:
    """(n, p): the same for bounds (n, p, places) of the values of the first leaves, and of the second ones."""
    i = np.abs(lo + hi).argmax(axis=2)[..., None]
    at, to, other_at, other_to = (np.take_along_axis(e, i, 2) for e in (lo, hi, other_lo, other_hi))
    first, second = _product(at, to, other_lo, other_hi), _product(lo, hi, other_at, other_to)
    return np.asarray(~((first[0] > second[1]) | (first[1] < second[0])).any(axis=2))


def _product(lo: np.ndarray, hi: np.ndarray, other_lo: np.ndarray, other_hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of products, rounded outwards. Bounds that are no numbers exclude nothing."""
    with np.errstate(invalid="ignore", over="ignore"):
        corners = np.stack([lo * other_lo, lo * other_hi, hi * other_lo, hi * other_hi])
    return np.nextafter(corners.min(axis=0), -np.inf), np.nextafter(corners.max(axis=0), np.inf)
