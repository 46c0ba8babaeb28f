"""Times at which the formulas of moving bodies may jump: where `floor` and the like step, or pieces change by other conditions than those
of `changes`.

Nothing is known of derivatives by time across such a moment, nor just when it is. So a time span is searched in stages that end just before
and just after. In between, as long as doubles are apart, only positions count: those by each of the formulas that may hold then.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.from_sympy import from_sympy
from codegen.kernel import Kernel
from generative import ImplicitSurface, t
from generative.changes import atoms_of, changes_at_known_moments, pieces_of, with_formulas
from generative.symbols import Parameter

from ..bodies.numbers import NONE, Numbers
from ..culling.broad_phase import Window
from ..search.paving import Paving

# Where these change is looked for: what is made of them may jump, or its derivative be unknown.
_CHANGING = (sp.Piecewise, sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.sign, sp.Heaviside)
# More changes than this are not told apart: such a span is searched as a whole.
_MOST = 1024
# So many combinations of formulas that may hold just then are looked at. More are told as a doubt: effort only.
_VARIANTS = 16
# Against the span, the width of an interval round a change that need not be narrower: less than a rounding of its ends but near
# t = 0, where doubles are dense.
_FINEST = 2.0**-56


def jumps_of(bodies: Sequence[Any], span: Window, numbers: Sequence[Numbers] | None = None) -> list[Window]:
    """Intervals in order, as narrow as doubles allow, that hold all moments in a span at which a formula of a body jumps; none where
    there are too many. `numbers`: of bodies that are formulas of families.
    """
    found = [_changes(kernel, own, span) for kernel, own in _kernels(bodies, numbers or [NONE] * len(bodies))]
    boxes = [intervals for intervals in found if intervals is not None]
    return _merged(np.concatenate(boxes)) if boxes and len(boxes) == len(found) else []


def free_of_jumps(bodies: Sequence[Any], numbers: Sequence[Numbers], span: Window) -> bool:
    """Whether it is proved that no formula of a body jumps within a span."""
    return all(kernel.decorated(np.array([span[:1]]), np.array([span[1:]]), parameters=own.parameters)[2].min() == 3
               for kernel, own in _kernels(bodies, numbers))


def _kernels(bodies: Sequence[Any], numbers: Sequence[Numbers]) -> list[tuple[Kernel, Numbers]]:
    """The formulas that may jump, with their numbers."""
    return [(_changing(formulas, own.symbols), own) for body, own in zip(bodies, numbers, strict=True)
            for formulas in map(_formulas, pieces_of(body)) if formulas]


@functools.lru_cache(maxsize=4096)
def _formulas(piece: Any) -> tuple[Any, ...]:
    """The largest parts of its formulas that may change at moments, of the time alone."""
    whole = [*piece.motion.formulas, *([piece.body] if isinstance(piece, ImplicitSurface) else piece.body)]
    found = {e for formula in whole for e in atoms_of(formula, _CHANGING) if not changes_at_known_moments(e)}
    timed = [e for e in found if e.has(t) and all(s == t or isinstance(s, Parameter) for s in e.free_symbols)]
    return tuple(sorted((e for e in timed if not any(e is not other and other.has(e) for other in timed)), key=sp.default_sort_key))


@functools.lru_cache(maxsize=1024)
def _changing(formulas: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel:
    return Kernel(from_sympy(formulas, [t], symbols), ["t"], [str(s) for s in symbols], quick=True)


@functools.lru_cache(maxsize=256)
def _changes(kernel: Kernel, numbers: Numbers, span: Window) -> np.ndarray | None:
    """Intervals (k, 2) as narrow as doubles allow, outside of which in the span all formulas are proved differentiable; None if there
    are too many.
    """
    paving = Paving(np.array([[span]]), most=4 * _MOST)
    for boxes in paving:
        level = kernel.decorated(boxes[..., 0], boxes[..., 1], parameters=numbers.parameters)[2]
        changing = boxes[(level < 3).any(axis=1)]
        lo, hi = changing[:, 0].T
        narrow = (np.nextafter(lo, np.inf) >= hi) | (hi - lo < _FINEST * (span[1] - span[0]))
        paving.keep(changing[~narrow], changing[narrow])
    return paving.small[:, 0] if paving.done else None


def _merged(intervals: np.ndarray) -> list[Window]:
    """Intervals in order, those that touch as one."""
    result: list[Window] = []
    for lo, hi in sorted(map(tuple, intervals.tolist())):
        if result and lo <= result[-1][1]:
            result[-1] = result[-1][0], max(hi, result[-1][1])
        else:
            result.append((lo, hi))
    return result


# -- formulas of a moment -----------------------------------------------------------------------------------------


def variants(bodies: Sequence[Any], numbers: Sequence[Numbers], window: Window) -> list[tuple[Any, ...]]:
    """Bodies without functions that jump, such that at each time of a short window the bodies are where one of these tuples is; none where
    that is not known, or would take too many. Bodies with a function in common take the same value of it.
    """
    return list(_variants(tuple(bodies), tuple(numbers), window))


@functools.lru_cache(maxsize=256)
def _variants(bodies: tuple[Any, ...], numbers: tuple[Numbers, ...], window: Window) -> tuple[tuple[Any, ...], ...]:
    done: list[tuple[Any, ...]] = []
    left = [bodies]
    while left and len(done) + len(left) <= _VARIANTS:
        variant = left.pop()
        same = _innermost(variant, numbers)
        if not same:
            done.append(variant)
            continue
        choices = sorted({choice for k, e in same for choice in _choices(e, numbers[k], window)})
        if not choices:
            return ()
        left += [_decided(variant, same, choice) for choice in choices]
    return () if left else tuple(done)


Placed = tuple[int, Any]
"""A function of a body: the number of the body, and the function."""


def _innermost(bodies: tuple[Any, ...], numbers: tuple[Numbers, ...]) -> list[Placed]:
    """A function that may jump, of the time alone and of nothing that may jump itself, wherever bodies have it; none if there is none."""
    found: dict[Any, list[Placed]] = {}
    for k, body in enumerate(bodies):
        formulas = dict.fromkeys(e for piece in pieces_of(body) for e in _formulas(piece))
        inner = dict.fromkeys(e for formula in formulas for e in sp.preorder_traversal(formula)
                              if isinstance(e, _CHANGING) and not any(a.has(*_CHANGING) for a in e.args))
        for e in inner:
            found.setdefault(_meaning(e, k, numbers[k]), []).append((k, e))
    return next(iter(found.values()), [])


def _meaning(e: Any, body: int, numbers: Numbers) -> Any:
    """The key that functions of several bodies that are *proved* to be the same have in common: their arguments with the numbers of each
    body.
    """
    known = dict(zip(numbers.symbols, numbers.exact, strict=True)) if numbers.exact else {
        s: sp.Rational(lo) for s, (lo, hi) in zip(numbers.symbols, numbers.intervals.tolist(), strict=True) if lo == hi}
    parts = [part for a in e.args for part in (a.args if isinstance(e, sp.Piecewise) else (a,))]
    exact = tuple(part.xreplace(known) for part in parts)
    # Symbols that stay are numbers of this body alone.
    return (type(e), exact) if all(part.free_symbols <= {t} for part in exact) else (body, e)


def _decided(bodies: tuple[Any, ...], same: Sequence[Placed], choice: int) -> tuple[Any, ...]:
    """The bodies with one of the formulas that a function may stand for in its place."""
    changes: dict[int, dict[Any, Any]] = {}
    for k, e in same:
        changes.setdefault(k, {})[e] = _chosen(e, choice)
    return tuple(with_formulas(body, functools.partial(_replaced, changes[k])) if k in changes else body for k, body in enumerate(bodies))


def _replaced(changes: dict[Any, Any], e: Any) -> Any:
    return e.xreplace(changes)


def _choices(e: Any, numbers: Numbers, window: Window) -> list[int]:
    """The values that the function may take in a window, or the numbers of the formulas that it may stand for (see `_chosen`); none where
    that is not known.
    """
    g = e.args[0]
    if isinstance(e, sp.Piecewise):
        return [*range(len(e.args))]
    if isinstance(e, (sp.sign, sp.Heaviside)):
        lo, hi = _range(g, numbers, window)
        return [k for k, possible in zip((-1, 0, 1), (lo < 0, lo <= 0 <= hi, hi > 0), strict=True) if possible]
    if isinstance(e, sp.ceiling):
        return [-k for k in _steps(-g, numbers, window)]
    return _steps(g / e.args[1] if isinstance(e, sp.Mod) else g, numbers, window)


def _chosen(e: Any, choice: int) -> Any:
    """The formula that the function stands for: the piece of that number, or what follows from the sign or the step of its argument."""
    if isinstance(e, sp.Piecewise):
        return e.args[choice][0]
    if isinstance(e, sp.Heaviside):
        return (sp.Integer(0), e.args[1], sp.Integer(1))[choice + 1]
    if isinstance(e, (sp.Mod, sp.frac)):
        return e.args[0] - choice * (e.args[1] if isinstance(e, sp.Mod) else 1)
    return sp.Integer(choice)


def _steps(g: Any, numbers: Numbers, window: Window) -> list[int]:
    """The values of floor(g) in a window, if they are few."""
    lo, hi = _range(g, numbers, window)
    return [*range(math.floor(lo), math.floor(hi) + 1)] if hi - lo < _VARIANTS else []


def _range(g: Any, numbers: Numbers, window: Window) -> tuple[float, float]:
    """Bounds of a formula of the time in a window."""
    kernel = _changing((g,), numbers.symbols)
    assert kernel is not None
    lo, hi, level = kernel.decorated(np.array([window[:1]]), np.array([window[1:]]), parameters=numbers.parameters)
    return (float(lo[0, 0]), float(hi[0, 0])) if level[0, 0] else (-math.inf, math.inf)
