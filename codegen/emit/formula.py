"""Graphs written in place, as parts of library functions: the formulas of functions that the user declared."""

import hashlib
from collections.abc import Sequence

from ..graph.expr import Expr
from ..graph.serialize import serialize
from .branches import Branching
from .elementary.primitive import Written, register
from .lanes import Emit, Kind, Lanes
from .translate import Values


class _InPlace(Branching):
    """Writes a graph whose variables are vectors that are there already."""

    def __init__(self, L: Lanes, outputs: Sequence[Expr], kind: Kind, inputs: Sequence[Values]) -> None:
        super().__init__(outputs, kind)
        self.lanes, self.inputs = L, inputs
        self.prefix = f"{kind}{hashlib.sha1(serialize(outputs), usedforsecurity=False).hexdigest()[:16]}"
        self.divide()
        for e in self.order:
            self.node(e)

    def number(self, x: float) -> str:
        return self.lanes.const(x)

    def input(self, e: Expr) -> Values:
        return tuple(self.inputs[e.value])

    def apply(self, name: str, emit: Emit, *args: str, short: bool = False) -> Values:
        return tuple(emit(self.lanes, *args)) if short else self.lanes.called(name, emit, *args)


@register
def written(L: Lanes, outputs: Sequence[Expr], kind: Kind, inputs: Sequence[Values]) -> Written:
    """The vectors of formulas: those of an interval and of its level, or of a point."""
    made = _InPlace(L, outputs, kind, inputs)
    return [made.results(e) for e in outputs]
