"""Motions that carry the leaves of a body that keep their places to each other."""

import functools
import itertools
from collections.abc import Sequence

import numpy as np
import sympy as sp

from codegen.walk import replaced
from generative import ImplicitBody, Motion, t
from generative.orthogonal import is_orthogonal
from generative.products import Product

from ..bodies.numbers import Numbers

SAME = np.repeat([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], 2).reshape(12, 2)
"""The entries of no motion."""


@functools.lru_cache(maxsize=256)
def carrier_of(body: ImplicitBody, numbers: Numbers) -> int | None:
    """The number of factors with which the motions of all leaves begin that carry them, each after at most one that is constant; None where
    they differ in more, or where it is not seen that these turn and do not stretch.
    """
    motions = list(dict.fromkeys(leaf.motion for leaf in body.leaves))
    columns = zip(*(m.factors for m in motions), strict=False)
    count = len(list(itertools.takewhile(lambda column: len(set(column)) == 1, columns)))
    alike = count > 0 and all(len(m.factors) <= count + 1 and not any(t in f.symbols for f in m.factors[count:]) for m in motions)
    known = alike and not any(leaf.deforming for leaf in body.leaves) and _turns(product_of(motions[0].factors[:count]), numbers)
    return count if known else None


@functools.lru_cache(maxsize=256)
def _turns(motion: Motion, numbers: Numbers) -> bool:
    """Whether it is seen by expanding the formulas that R^T R is the identity."""
    if len(numbers.exact) < len(numbers.symbols):
        return False
    known = dict(numbers.pairs)
    return all(is_orthogonal(sp.ImmutableMatrix(3, 3, [replaced(e, known) for e in factor.entries[:9]])) for factor in motion.factors)


@functools.lru_cache(maxsize=256)
def product_of(factors: tuple[Motion, ...]) -> Motion:
    return factors[0] if len(factors) == 1 else Product(*factors)


def rests_of(motions: Sequence[Motion], numbers: Numbers, shared: int) -> np.ndarray:
    """(motions, 12, 2): the enclosed entries of the factors after those that are shared."""
    return np.stack([SAME if len(m.factors) == shared else numbers.enclose_all(m.factors[-1].entries) for m in motions])
