"""Functions of the user's (`graph.primitives`) in the reference arithmetic: their formulas at the ends of a box."""

import ctypes
from collections.abc import Sequence
from typing import Any

from mpmath import libmp
from mpmath.libmp import finf, fninf, from_man_exp, mpf_neg

from ..graph.evaluate import evaluate
from ..graph.primitives import Declared, decoded, formulas, native
from .directed import DOUBLE, Number, Pair, greatest, least, to_float
from .functions import Decorated

_LARGEST = DOUBLE.down(from_man_exp(1, 1024))


def primitive_range(arithmetic: Any, value: bytes, box: Sequence[Pair]) -> tuple[Pair, int]:
    """Bounds over a box, and the level."""
    declared = decoded(value)
    if declared.native:
        return _called(declared, box)
    ends = [_end(x) for pair in box for x in pair]
    low, high = evaluate(formulas(declared.bounds), arithmetic, ends)
    if low.level and high.level:
        return (least(low.lo, high.lo), greatest(low.hi, high.hi)), declared.level
    return (low.lo if low.level else fninf, high.hi if high.level else finf), 0


def _end(x: Number) -> Decorated:
    """An end as an interval; of an infinite one the numbers beyond the largest double."""
    return Decorated(least(x, _LARGEST), greatest(x, mpf_neg(_LARGEST)), 3)


def _called(declared: Declared, box: Sequence[Pair]) -> tuple[Pair, int]:
    ends = [to_float(end) for lo, hi in box for end in (DOUBLE.down(lo), DOUBLE.up(hi))]
    given, found = (ctypes.c_double * len(ends))(*ends), (ctypes.c_double * 2)()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(native(declared).bounds)(ctypes.addressof(given), ctypes.addressof(found))
    low, high = found
    if not low <= high:
        return (fninf, finf), 0
    return (libmp.from_float(low), libmp.from_float(high)), declared.level
