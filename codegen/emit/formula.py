"""Graphs written in place, as parts of library functions: the formulas of functions that the user declared."""

from collections.abc import Sequence

from ..graph.expr import Expr
from .elementary.primitive import Written, register
from .lanes import Emit, Kind, Lanes
from .translate import Translation, Values


class _InPlace(Translation):
    """Writes a graph whose variables are vectors that are there already."""

    def __init__(self, L: Lanes, outputs: Sequence[Expr], kind: Kind, inputs: Sequence[Values]) -> None:
        super().__init__(outputs, kind)
        self.L, self.inputs = L, inputs
        for e in self.order:
            self.node(e)

    def number(self, x: float) -> str:
        return self.L.const(x)

    def input(self, e: Expr) -> Values:
        return tuple(self.inputs[e.value])

    def apply(self, name: str, emit: Emit, *args: str, short: bool = False) -> Values:
        return tuple(emit(self.L, *args)) if short else self.L.called(name, emit, *args)


@register
def written(L: Lanes, outputs: Sequence[Expr], kind: Kind, inputs: Sequence[Values]) -> Written:
    """The vectors of formulas: those of an interval and of its level, or of a point."""
    made = _InPlace(L, outputs, kind, inputs)
    return [made.results(e) for e in outputs]
