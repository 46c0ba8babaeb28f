"""The slow interpreter of expression graphs: the definition that compiled kernels are tested against.

It evaluates a graph in the outward-rounded arithmetic of `codegen.reference_arithmetic`, box by box. A subgraph
without variables is one number and is enclosed as one, as the compiler does for the literals it writes.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpmath import libmp

from .directed import DOUBLE, Format, to_float
from .expr import Expr, evaluate, reachable
from .reference_arithmetic import Decorated, Reference

# Past this many bits a constant is taken to be a double that no rounding will ever show to be one, like sqrt(2)**2.
_MOST_BITS = 1024


def enclose_constant(expression: Expr) -> tuple[float, float]:
    """The tight double enclosure of an expression without variables; the whole line unless it is proved to be defined.

    Evaluated with twice the bits until both ends round to the same or to neighbouring doubles. A double that no
    rounding shows to be one, like sqrt(2)**2, ends as the enclosure by its two neighbours.
    """
    bits = 128
    while True:
        (value,) = evaluate([expression], Reference(Format(bits)), [])
        lo, hi = DOUBLE.down(value.lo), DOUBLE.up(value.hi)
        close = lo == hi or (DOUBLE.down(value.hi), DOUBLE.up(value.lo)) == (lo, hi)
        if bits >= _MOST_BITS or (close and value.level > 0):
            return (to_float(lo), to_float(hi)) if value.level > 0 else (-math.inf, math.inf)
        bits *= 2


def interpret(outputs: Sequence[Expr], lo: Any, hi: Any, plo: Any = None, phi: Any = None) -> tuple[Any, Any, Any]:
    """Bounds and levels of `outputs` on boxes, arrays (n, d) -> (n, outputs): what a decorated kernel computes."""
    lo, hi = np.asarray(lo, float), np.asarray(hi, float)
    none = np.empty((len(lo), 0))
    plo, phi = (none if p is None else np.broadcast_to(p, (len(lo), np.shape(p)[-1])) for p in (plo, phi))
    constants = _constants(outputs)
    boxes = zip(lo, hi, plo, phi, strict=True)
    rows = [_row(outputs, constants, _box(a, b), _box(c, d)) for a, b, c, d in boxes]
    result = np.array([[(to_float(v.lo), to_float(v.hi), v.level) for v in row] for row in rows])
    result = result.reshape(len(lo), len(outputs), 3)
    return result[..., 0], result[..., 1], result[..., 2].astype(np.uint8)


def _box(lo: Any, hi: Any) -> list[Decorated]:
    return [Decorated(libmp.from_float(float(a)), libmp.from_float(float(b)), 3) for a, b in zip(lo, hi, strict=True)]


def _constants(outputs: Sequence[Expr]) -> dict[int, Decorated]:
    """The enclosures of the nodes without variables, by index: each is one number, whatever its operations."""
    found: dict[int, Decorated] = {}
    for e in reachable(outputs):
        leaf = e.op in ("variable", "parameter", "undefined")
        if not (leaf or e.boolean) and all(a.index in found for a in e.args):
            lo, hi = enclose_constant(e)
            level = 0 if lo == -math.inf and hi == math.inf else 3
            found[e.index] = Decorated(libmp.from_float(lo), libmp.from_float(hi), level)
    return found


def _row(outputs: Sequence[Expr], constants: dict[int, Decorated], x: list[Decorated], p: list[Decorated],
         ) -> list[Decorated]:
    values: dict[int, Any] = dict(constants)
    leaves = {"variable": x, "parameter": p}
    for e in reachable(outputs):
        if e.op in leaves:
            values[e.index] = leaves[e.op][e.value]
        elif e.index not in values:
            operation = getattr(Reference(), e.op + "_" if e.op in ("and", "or", "not") else e.op)
            values[e.index] = operation(*(() if e.value is None else (e.value,)), *(values[a.index] for a in e.args))
    return [values[e.index] for e in outputs]
