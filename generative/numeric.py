"""Formulas as NumPy functions, for pictures: they approximate, and prove nothing.

SymPy's `lambdify` does the work. Operators with a variable of their own (`codegen.operators`) are evaluated before it: an integral
by Gauss's rule, an inverse by Newton's method, both at all points at once.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.functions import Spline
from codegen.functions.lattices import TricubicSpline
from codegen.functions.solutions import Solution
from codegen.given import expression, lambdified
from codegen.initial_value.known import approximate
from codegen.operators import DefiniteIntegral, Inverse, separate
from codegen.walk import atoms, replaced

_FUNCTIONS = {"Chebyshev": lambda s, *c: np.polynomial.chebyshev.chebval(s, np.array(c, dtype=float))}

# Panels of an integral, nodes a panel, and steps of Newton's method: plenty for a picture.
_PANELS, _NODES, _STEPS = 16, 8, 8


def approx_function(expressions: Sequence[Any], symbols: Sequence[sp.Symbol]) -> Callable[..., np.ndarray]:
    """A NumPy function of arrays, one a symbol, that approximates the expressions; they are stacked along the last axis."""
    # NumPy functions refuse integers of more than 64 bits, of which exact rationals may be made.
    given = [expression(e) for e in expressions]
    splines = {e: e.unrolled() if isinstance(e, Spline) and not e.free_symbols <= {*symbols} else sp.Dummy(real=True)
               for e in atoms(sp.Tuple(*given), Spline, Solution, TricubicSpline)}
    if splines:
        return _with_splines([replaced(e, splines) for e in given], symbols, {e: s for e, s in splines.items() if s.is_Symbol})
    large = {n: sp.Float(n, 20) for e in given for n in e.atoms(sp.Rational) if max(abs(n.p), n.q) >= 2**53}
    plain, operators = separate([e.xreplace(large) for e in given])
    function = lambdified([*symbols, *operators.values()], plain, [_FUNCTIONS, "numpy"], cse=True)
    inner = [_at_different_points(operator, symbols) for operator in operators]

    def evaluate(*values: Any) -> np.ndarray:
        shape = np.broadcast_shapes(*(np.shape(value) for value in values))
        with np.errstate(all="ignore"):
            results = function(*values, *(g(*values) for g in inner))
            return np.stack([np.broadcast_to(np.asarray(e, dtype=float), shape) for e in results], axis=-1)

    return evaluate


def _with_splines(expressions: Sequence[Any], symbols: Sequence[sp.Symbol], splines: dict[Any, Any]) -> Callable[..., np.ndarray]:
    """The function of formulas in which symbols stand for splines, and for solutions of differential equations."""
    outer = approx_function(expressions, [*symbols, *splines.values()])
    inner = [approx_function(e.args[:3 if isinstance(e, TricubicSpline) else 1], symbols) for e in splines]

    def evaluate(*values: Any) -> np.ndarray:
        at = [np.moveaxis(f(*values), -1, 0) for f in inner]
        found = (approximate(e, *s) if isinstance(e, Solution) else e.approx(*s) for e, s in zip(splines, at, strict=True))
        return outer(*values, *found)

    return evaluate


def _at_different_points(operator: Any, symbols: Sequence[sp.Symbol]) -> Callable[..., np.ndarray]:
    """The operator evaluated once for equal values of the symbols it contains: on a grid it often varies along one side only."""
    used = [k for k, s in enumerate(symbols) if s in operator.free_symbols]
    function = _KINDS[type(operator)](operator, [symbols[k] for k in used])

    def evaluate(*values: Any) -> np.ndarray:
        if not used:
            return function()
        points = np.stack(np.broadcast_arrays(*(np.asarray(values[k], dtype=float) for k in used)), axis=-1)
        different, where = np.unique(points.reshape(-1, len(used)), axis=0, return_inverse=True)
        return function(*different.T)[where.ravel()].reshape(points.shape[:-1])

    return evaluate


def _integral(operator: Any, symbols: Sequence[sp.Symbol]) -> Callable[..., np.ndarray]:
    f = approx_function([operator.function], [operator.variable, *symbols])
    limits = approx_function(operator.args[2:4], symbols)
    x, w = np.polynomial.legendre.leggauss(_NODES)
    places = (np.arange(_PANELS)[:, None] + (x + 1) / 2).ravel() / _PANELS
    weights = np.tile(w / 2, _PANELS) / _PANELS

    def evaluate(*values: Any) -> np.ndarray:
        a, b = np.moveaxis(limits(*values), -1, 0)
        s = a[..., None] + (b - a)[..., None] * places
        return (b - a) * (f(s, *(np.asarray(value)[..., None] for value in values))[..., 0] @ weights)  # type: ignore[no-any-return]

    return evaluate


def _inverse(operator: Any, symbols: Sequence[sp.Symbol]) -> Callable[..., np.ndarray]:
    """Newton's method from the chord, kept inside [lo, hi] by bisection."""
    f, s, *_ = operator.args
    both = approx_function([f, f.diff(s)], [s, *symbols])
    outside = approx_function(operator.args[2:5], symbols)

    def evaluate(*values: Any) -> np.ndarray:
        y, left, right = np.moveaxis(outside(*values), -1, 0)
        ends = both(left, *values)[..., 0], both(right, *values)[..., 0]
        at = left + (right - left) * (y - ends[0]) / (ends[1] - ends[0])
        for _ in range(_STEPS):
            value, rate = np.moveaxis(both(at, *values), -1, 0)
            move = (value - y) / rate
            left, right = np.where(move > 0, left, at), np.where(move > 0, at, right)
            at = np.where((left <= at - move) & (at - move <= right), at - move, (left + right) / 2)
        return at

    return evaluate


_KINDS = {DefiniteIntegral: _integral, Inverse: _inverse}
