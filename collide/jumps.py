"""Times at which the formulas of moving bodies may jump: where `floor` and the like step, or pieces change by other conditions than those
of `breaks`.

Nothing is known of derivatives by time across such a moment, and no formula is known that holds just there. So a time span is searched in
stages that end just before and just after: in between, as long as doubles are apart, only positions count.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.from_sympy import from_sympy
from codegen.kernel import Kernel
from generative import ImplicitSurface, t
from generative.symbols import Parameter

from .border import Window, halved
from .breaks import changes_at_known_moments, pieces_of
from .numbers import NONE, Numbers

# Where these change is looked for: what is made of them may jump, or its derivative be unknown.
_CHANGING = (sp.Piecewise, sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.sign, sp.Heaviside)
# More changes than this are not told apart: such a span is searched as a whole.
_MOST = 1024
# Against the span, the width of an interval round a change that need not be narrower.
_FINEST = 2.0**-56


def jumps_of(bodies: Sequence[Any], span: Window, numbers: Sequence[Numbers] | None = None) -> list[Window]:
    """Intervals in order, as narrow as doubles allow, that hold all moments in a span at which a formula of a body jumps; none where
    there are too many. `numbers`: of bodies that are formulas of families.
    """
    known = numbers or [NONE] * len(bodies)
    kernels = [(_changing(formulas, own.symbols), own) for body, own in zip(bodies, known, strict=True)
               for formulas in map(_formulas, pieces_of(body))]
    found = [_changes(kernel, own, span) for kernel, own in kernels if kernel is not None]
    boxes = [intervals for intervals in found if intervals is not None]
    return _merged(np.concatenate(boxes)) if boxes and len(boxes) == len(found) else []


@functools.lru_cache(maxsize=4096)
def _formulas(piece: Any) -> tuple[Any, ...]:
    """The largest parts of its formulas that may change at moments, of the time alone."""
    whole = [*piece.motion.entries, *([piece.body] if isinstance(piece, ImplicitSurface) else piece.body)]
    found = {e for formula in whole if formula.has(*_CHANGING) for e in formula.atoms(*_CHANGING) if not changes_at_known_moments(e)}
    timed = [e for e in found if e.has(t) and all(s == t or isinstance(s, Parameter) for s in e.free_symbols)]
    return tuple(sorted((e for e in timed if not any(e is not other and other.has(e) for other in timed)), key=sp.default_sort_key))


@functools.lru_cache(maxsize=1024)
def _changing(formulas: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel | None:
    return Kernel(from_sympy(formulas, [t], symbols), ["t"], [str(s) for s in symbols], quick=True) if formulas else None


@functools.lru_cache(maxsize=256)
def _changes(kernel: Kernel, numbers: Numbers, span: Window) -> np.ndarray | None:
    """Intervals (k, 2) as narrow as doubles allow, outside of which in the span all formulas are proved differentiable; None if there
    are too many.
    """
    boxes, small = np.array([[span]]), np.empty((0, 1, 2))
    while len(boxes):
        level = kernel.decorated(boxes[..., 0], boxes[..., 1], parameters=numbers.parameters)[2]
        boxes = boxes[(level < 3).any(axis=1)]
        lo, hi = boxes[:, 0].T
        narrow = (np.nextafter(lo, np.inf) >= hi) | (hi - lo < _FINEST * (span[1] - span[0]))
        small, boxes = np.concatenate([small, boxes[narrow]]), halved(boxes[~narrow])
        if len(boxes) + len(small) > 4 * _MOST:
            return None
    return small[:, 0]


def _merged(intervals: np.ndarray) -> list[Window]:
    """Intervals in order, those that touch as one."""
    result: list[Window] = []
    for lo, hi in sorted(map(tuple, intervals.tolist())):
        if result and lo <= result[-1][1]:
            result[-1] = result[-1][0], max(hi, result[-1][1])
        else:
            result.append((lo, hi))
    return result
