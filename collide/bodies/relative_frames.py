"""Pairs of bodies, each seen from the frame that moves by all that both motions begin with: there it is no part of any formula.

Links of one chain are seen from the frame of the earlier one, bodies on one turntable from that of the turntable, and what one motion
carries is at rest. A distance is the same in all these frames, as rotations and translations keep it.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from generative import Motion
from generative.products import Product
from generative.relative import alike, leading, seen_within, up_to_varying

from .motions import entries_of

Pair = tuple[int, int]


class RelativeFrames(NamedTuple):
    """`bodies` as they are given, and after these as they are seen from frames that move; body k is the given one `owners[k]` (m,). `pairs`
    (n, 2) of them are asked about. Of those given pairs that are seen from frames: `seen`, how the pair is called here, and `frames`.
    """

    bodies: tuple[Any, ...]
    owners: np.ndarray
    pairs: np.ndarray
    seen: Mapping[Pair, Pair]
    frames: Mapping[Pair, Motion]

    def given(self, label: Pair) -> Pair:
        """The given bodies of a pair."""
        i, j = self.owners[list(label)].tolist()
        return i, j

    def label(self, given: Pair) -> Pair:
        """The pair here of given bodies."""
        return self.seen.get(given, given)


def relative_frames(bodies: Sequence[Any], pairs: np.ndarray) -> RelativeFrames:
    """The relative frames of pairs (n, 2) of bodies that are asked about."""
    numbers = dict[Motion, int]()
    made = [_moving(leading(body)) for body in bodies]
    named = [tuple(numbers.setdefault(m, len(numbers)) for m in motions) for motions in made]
    # Pairs have something in common where all up to the first motion that varies is the same.
    groups = dict[tuple[int, ...], int]()
    group = np.array([groups.setdefault(own[:up_to_varying(motions)], len(groups)) if own else -1 - k
                      for k, (own, motions) in enumerate(zip(named, made, strict=True))], np.int64)
    own, found, seen, frames = np.array(pairs), dict[tuple[int, int], int](), dict[Pair, Pair](), dict[Pair, Motion]()
    for n in np.flatnonzero(group[own[:, 0]] == group[own[:, 1]]).tolist() if len(own) else ():
        i, j = own[n].tolist()
        count = alike(named[i], named[j])
        first, second = (found.setdefault((k, count), len(bodies) + len(found)) for k in (i, j))
        seen[i, j] = own[n] = first, second
        frames[i, j] = _frame(made[i][:count])
    relative = [seen_within(bodies[k], count) for k, count in found]
    owners = np.array([*range(len(bodies)), *(k for k, _ in found)], np.int64)
    return RelativeFrames((*bodies, *relative), owners, own, seen, frames)


def _moving(motions: Sequence[Motion]) -> Sequence[Motion]:
    """Those motions, if any of them varies."""
    return () if all(m.is_constant for m in motions) else motions


@functools.lru_cache(maxsize=1 << 12)
def _frame(motions: tuple[Motion, ...]) -> Motion:
    return Product(*motions)


def in_world(motion: Motion, points: np.ndarray, values: Mapping[Any, np.ndarray]) -> np.ndarray:
    """Points (n, m, 3) that are seen from a frame with this motion, where they are in space, except for rounding. `values`: the time, and
    parameters, (n,) each.
    """
    symbols = tuple(sorted(motion.symbols, key=str))
    at = np.stack([values[s] for s in symbols], axis=1)
    entries = _frame_kernel(motion, symbols).points(at)
    turned = np.einsum("nij,nkj->nki", entries[:, :9].reshape(-1, 3, 3), points)
    return np.asarray(turned + entries[:, None, 9:])


@functools.lru_cache(maxsize=256)
def _frame_kernel(motion: Motion, symbols: tuple[Any, ...]) -> Kernel:
    pool = ExprPool()
    known = {s: pool.variable(k) for k, s in enumerate(symbols)}
    return Kernel(entries_of(motion, known, pool, None), [str(s) for s in symbols], [], quick=True)
