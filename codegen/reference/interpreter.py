"""The slow interpreter of expression graphs: the definition that compiled kernels are tested against.

It evaluates a graph in the outward-rounded arithmetic of `codegen.reference.arithmetic`, box by box. A subgraph
without variables is one number and is enclosed as one, as the compiler does for the literals it writes.
"""

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import libmp

from ..graph.binders import EXPANDED, constants, unroll
from ..graph.evaluate import evaluate, evaluate_nodes
from ..graph.expr import Expr, reachable
from ..graph.quadrature import expand
from .arithmetic import Reference
from .directed import DOUBLE, Format, to_float
from .functions import Decorated

# Past this many bits a constant is taken to be a double that no rounding will ever show to be one, like sqrt(2)**2.
_MOST_BITS = 1024
# Parts of a constant beyond 2 to this power count as infinite, and those as near to 0 as 0: an exact sum would take all memory.
_FARTHEST = 1 << 16


def enclose_constant(expression: Expr) -> tuple[float, float]:
    """The tight double enclosure of an expression without variables; the whole line unless it is proved to be defined.

    (With integrals or inverse functions in it, an enclosure, not the tight one: a quadrature takes thousands of operations, and its error
    does not fall with more bits. A kernel returns the same bits sooner.)

    Evaluated with twice the bits until both ends round to the same or to neighbouring doubles. A double that no
    rounding shows to be one, like sqrt(2)**2, ends as the enclosure by its two neighbours.
    """
    if expression.op == "constant" and isinstance(expression.value, Fraction) and abs(expression.value) < sys.float_info.max:
        return enclose_rational(expression.value)
    if any(e.op in EXPANDED for e in reachable([expression])):
        (value,) = evaluate(expanded([expression]), Reference(), [])
        return (to_float(value.lo), to_float(value.hi)) if value.level > 0 else (-math.inf, math.inf)
    bits = 128
    while True:
        (value,) = evaluate([expression], Reference(Format(bits, -_FARTHEST, _FARTHEST)), [])
        lo, hi = DOUBLE.down(value.lo), DOUBLE.up(value.hi)
        close = lo == hi or (DOUBLE.down(value.hi), DOUBLE.up(value.lo)) == (lo, hi)
        if bits >= _MOST_BITS or (close and value.level > 0):
            return (to_float(lo), to_float(hi)) if value.level > 0 else (-math.inf, math.inf)
        bits *= 2


def enclose_rational(value: Fraction) -> tuple[float, float]:
    """The tight double enclosure of a rational number that is less than the largest double in size.

    Python rounds the quotient of two integers to the nearest double, so the number lies between that and the next on its other side.
    """
    nearest = value.numerator / value.denominator
    n, d = nearest.as_integer_ratio()
    left, right = n * value.denominator, value.numerator * d
    lo = math.nextafter(nearest, -math.inf) if left > right else nearest
    hi = math.nextafter(nearest, math.inf) if left < right else nearest
    # The sum with 0.0 makes 0.0 of -0.0.
    return lo + 0.0, hi + 0.0


def expanded(outputs: Sequence[Expr]) -> list[Expr]:
    """The graph with integrals and inverse functions as the operations that enclose them."""
    if not any(e.op in EXPANDED for e in reachable(outputs)):
        return list(outputs)
    return unroll(expand(outputs, "rigorous"))


def interpret(outputs: Sequence[Expr], lo: Any, hi: Any, plo: Any = None, phi: Any = None) -> tuple[Any, Any, Any]:
    """Bounds and levels of `outputs` on boxes, arrays (n, d) -> (n, outputs): what a decorated kernel computes."""
    lo, hi = np.asarray(lo, float), np.asarray(hi, float)
    none = np.empty((len(lo), 0))
    plo, phi = (none if p is None else np.broadcast_to(p, (len(lo), np.shape(p)[-1])) for p in (plo, phi))
    outputs = expanded(outputs)
    order = reachable(outputs)
    known = _constants(order, outputs)
    constant = constants(order)
    order = [e for e in order if not constant[e.index]]
    boxes = zip(lo, hi, plo, phi, strict=True)
    rows = [_row(outputs, order, known, _box(a, b), _box(c, d)) for a, b, c, d in boxes]
    result = np.array([[(to_float(v.lo), to_float(v.hi), v.level) for v in row] for row in rows])
    result = result.reshape(len(lo), len(outputs), 3)
    return result[..., 0], result[..., 1], result[..., 2].astype(np.uint8)


def _box(lo: Any, hi: Any) -> list[Decorated]:
    return [Decorated(libmp.from_float(float(a)), libmp.from_float(float(b)), 3) for a, b in zip(lo, hi, strict=True)]


def _constants(order: Sequence[Expr], outputs: Sequence[Expr]) -> dict[int, Decorated]:
    """The enclosures of the largest parts without variables, by index: each is one number, whatever its operations."""
    constant = constants(order)
    used = [*outputs, *(a for e in order if not constant[e.index] for a in e.args)]
    found: dict[int, Decorated] = {}
    for e in used:
        if constant[e.index] and e.index not in found:
            lo, hi = enclose_constant(e)
            level = 0 if lo == -math.inf and hi == math.inf else 3
            found[e.index] = Decorated(libmp.from_float(lo), libmp.from_float(hi), level)
    return found


def _row(outputs: Sequence[Expr], order: Sequence[Expr], known: dict[int, Decorated], x: list[Decorated],
         p: list[Decorated]) -> list[Decorated]:
    values: dict[int, Any] = dict(known)
    evaluate_nodes(order, values, Reference(), x, p)
    return [values[e.index] for e in outputs]
