"""Contractors: boxes narrowed to what satisfies constraints, for branch and prune with intervals.

`contract` compiles relations, joined by And and Or as you like, into code that narrows arrays of boxes (Benhamou, Goualard, Granvilliers
and Puget 1999, algorithm HC4; Chabert and Jaulin 2009, "Contractor programming"). `codegen.algebra.contraction` is how.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from sympy.core.relational import Relational

from .algebra.contraction import LIMIT, All, Part, Relation, Some, relations, too_long, write
from .emit.lanes import Kind, Module
from .from_sympy import check_symbols, convert
from .given import expression, shown
from .graph.expr import Expr, ExprPool
from .graph.serialize import serialize
from .kernel import Array, Entry, Kernel
from .machine.native import code_key
from .numbers import rounded_doubles
from .sympy_rules import UnsupportedExpression
from .walk import nesting_in_words

# What a relation is on the graph, and whether its sides are exchanged.
_OPERATIONS = {sp.Le: ("le", False), sp.Lt: ("lt", False), sp.Ge: ("le", True), sp.Gt: ("lt", True), sp.Eq: ("eq", False),
               sp.Ne: ("ne", False)}
_MOST_ROUNDS = 1000


@dataclass(frozen=True)
class Formula:
    """Relations as SymPy has them, joined by `kind`: "all" or "some" of `parts`, or one, which "holds" or "fails"."""

    kind: str
    parts: tuple[Any, ...]

    def __invert__(self) -> "Formula":
        if self.kind in ("holds", "fails"):
            return Formula("fails" if self.kind == "holds" else "holds", self.parts)
        return Formula("some" if self.kind == "all" else "all", tuple(~p for p in self.parts))


@nesting_in_words
def contract(constraints: Any, variables: Sequence[Any], parameters: Sequence[Any] = (), *, rounds: int = 10) -> "Contractor":
    """The contractor of constraints, all of which must hold: code that cuts off parts of boxes that hold no solution.

    `constraints`: a SymPy relation (``sp.Le(f, 0)``, ``sp.Eq(f, g)``, ``x < y``), relations joined by And, Or and Not, or a list of such. f
    in [a, b] is ``sp.And(f >= a, f <= b)``. A relation *holds* where both sides are defined and it is true. `variables`, `parameters`: as
    of `codegen.compile`; a variable that is assumed to be an integer (``Symbol("n", integer=True)``) is one: its bounds are rounded
    inwards, and boxes without an integer are empty. `rounds`: a box is gone through that often at most, see `Contractor`.

    Raises TypeError for what is no relation, text among it, UnsupportedExpression (a ValueError) for a formula that has no inclusion
    function or more than 1,500 operations, and ValueError for symbols that are not listed, or twice, and for `rounds` that are no number
    from 1 to 1,000.
    """
    check_symbols(variables, parameters)
    if not (isinstance(rounds, (int, np.integer)) and not isinstance(rounds, bool) and 1 <= rounds <= _MOST_ROUNDS):
        raise ValueError(f"rounds must be an integer from 1 to {_MOST_ROUNDS:,}, got {shown(rounds)}")
    if not len(variables):
        raise ValueError("a contractor narrows boxes of at least one variable")
    items = constraints if isinstance(constraints, (list, tuple, sp.Tuple)) else [constraints]
    return Contractor(Formula("all", tuple(map(read, items))), tuple(variables), tuple(parameters), int(rounds))


def read(given: Any) -> Formula:
    """A condition of the user's. TypeError for what is none."""
    e = expression(given, "a constraint")
    if e in (sp.true, sp.false):
        return Formula("all" if e == sp.true else "some", ())
    if isinstance(e, Relational):
        if type(e) not in _OPERATIONS:
            raise TypeError(f"a constraint compares by <=, <, >=, >, Eq or Ne, got {shown(e)}")
        return Formula("holds", (e,))
    if isinstance(e, (sp.And, sp.Or)):
        return Formula("all" if isinstance(e, sp.And) else "some", tuple(map(read, e.args)))
    if isinstance(e, sp.logic.boolalg.BooleanFunction):
        if isinstance(e, sp.Not) and isinstance(e.args[0], Relational):
            return read(e.args[0].negated)
        return read(sp.to_nnf(e, simplify=False))
    raise TypeError(f"a constraint is a relation, as Le(f, 0) or Eq(f, 0), or And, Or, Not of relations; got {shown(e)}")


class Contractor:
    """Constraints compiled into code that narrows boxes; made by `contract`, immutable.

    Called with bounds (n, variables), lo <= hi, it returns bounds of the same shape: boxes within the given ones that hold every point of
    them that satisfies the constraints (for *some* value of the parameters, where these are intervals). A box *proved* to hold no such
    point comes back as NaN, and boxes of NaN are taken as empty. Bounds that are no doubles are rounded outwards.

    A round goes through all operations forward and backward once, in the order of the constraints. There is another one as long as some
    side of the box has become shorter by a tenth, or an infinite end finite, and up to `rounds` of them. What comes of a box does not
    depend on others. A choice narrows where one of its branches is excluded; integrals and inverse functions narrow nothing, but their
    bounds count.

    ``c & d`` and ``c | d`` are the contractors of both conditions and of at least one of them. ``~c`` contracts to where the constraints of
    c are *not* satisfied or not defined, for some value of the parameters: so what it cuts off is proved to satisfy them, for all.
    """

    def __init__(self, formula: Formula, variables: tuple[Any, ...], parameters: tuple[Any, ...], rounds: int) -> None:
        self.formula, self.symbols, self.parameter_symbols, self.rounds = formula, variables, parameters, rounds
        self._kernel = _Code(formula, variables, parameters, rounds)

    @property
    def variables(self) -> tuple[str, ...]:
        return self._kernel.variables

    @property
    def parameters(self) -> tuple[str, ...]:
        return self._kernel.parameters

    def __repr__(self) -> str:
        return f"<Contractor of {len(relations(self._kernel.part))} relations in ({', '.join(self.variables)})>"

    def __call__(self, lo: ArrayLike, hi: ArrayLike, *, parameters: tuple[ArrayLike, ArrayLike] | None = None) -> tuple[Array, Array]:
        """The contracted boxes (lo, hi); empty ones are NaN.

        ValueError for wrong shapes, for reversed bounds and for a box of which some bounds are NaN and others are not (with the row).
        """
        a, b = rounded_doubles(lo, "lo", 0), rounded_doubles(hi, "hi", 1)
        if a.shape != b.shape or a.ndim != 2:
            return self._kernel.interval(a, b, parameters=parameters)
        empty: Any = (np.isnan(a) & np.isnan(b)).all(axis=1)
        if not empty.any():
            return self._kernel.interval(a, b, parameters=parameters)
        a, b = (np.where(empty[:, None], 0.0, ends) for ends in (a, b))
        out = self._kernel.interval(a, b, parameters=parameters)
        for ends in out:
            ends[empty] = np.nan
        return out

    def __and__(self, other: "Contractor") -> "Contractor":
        return self._joined("all", other)

    def __or__(self, other: "Contractor") -> "Contractor":
        return self._joined("some", other)

    def __invert__(self) -> "Contractor":
        return Contractor(~self.formula, self.symbols, self.parameter_symbols, self.rounds)

    def _joined(self, kind: str, other: Any) -> "Contractor":
        if not isinstance(other, Contractor):
            return NotImplemented
        if (self.symbols, self.parameter_symbols) != (other.symbols, other.parameter_symbols):
            raise ValueError("two contractors that are joined must have the same variables and parameters, in the same order")
        formula = Formula(kind, (self.formula, other.formula))
        return Contractor(formula, self.symbols, self.parameter_symbols, max(self.rounds, other.rounds))

    def __reduce__(self) -> tuple[Callable[..., "Contractor"], tuple[Any, ...]]:
        return Contractor, (self.formula, self.symbols, self.parameter_symbols, self.rounds)

    def address(self, entry: Entry = "block") -> int:
        """The address of an entry for native callers, as `Kernel.address`: expressions are the variables, and empty boxes NaN."""
        return self._kernel.address("interval", entry)

    def capsule(self, entry: Entry = "block") -> Any:
        """The same address as a PyCapsule, named by the C type of the function."""
        return self._kernel.capsule("interval", entry)


class _Code(Kernel):
    """A kernel whose results are not bounds of its outputs, the variables, but these contracted."""

    def __init__(self, formula: Formula, variables: Sequence[Any], parameters: Sequence[Any], rounds: int) -> None:
        pool = ExprPool()
        known: dict[Any, Expr] = {s: pool.variable(k) for k, s in enumerate(variables)}
        super().__init__(list(known.values()), list(map(str, variables)), list(map(str, parameters)))
        part = _part(formula, known | {s: pool.parameter(k) for k, s in enumerate(parameters)}, pool)
        whole = [r for s in variables if s.is_integer for r in _integer(known[s])]
        self.part, self.rounds = All((All((part,)), All(tuple(whole)))) if whole else part, rounds

    def llvm(self, kind: Kind = "interval", entry: str = "batch") -> str:
        return write(Module(longest=0), self.part, len(self.variables), len(self.parameters), self.rounds, entry)

    def _name(self, kind: Kind, entry: str) -> str:
        sides = [e for r in relations(self.part) for e in r.sides]
        sizes = f"{len(self.variables)} {len(self.parameters)} {self.rounds}"
        return code_key("contract", serialize(sides), _structure(self.part), entry, sizes)


def _part(formula: Formula, known: dict[Any, Expr], pool: ExprPool) -> Part:
    """The formula on a graph."""
    if formula.kind in ("all", "some"):
        parts = tuple(_part(p, known, pool) for p in formula.parts)
        return All(parts) if formula.kind == "all" else Some(parts)
    (relation,) = formula.parts
    op, swapped = _OPERATIONS[type(relation)]
    first, second = convert([relation.rhs, relation.lhs] if swapped else [relation.lhs, relation.rhs], known, pool)
    part = Relation(op, first, second, formula.kind == "holds")
    if first.boolean or second.boolean:
        raise TypeError(f"a constraint compares numbers, not truth values, got {shown(relation)}")
    if too_long(part):
        raise UnsupportedExpression(f"{shown(relation)} has more than {LIMIT:,} operations; give a shorter one")
    return part


def _integer(x: Expr) -> tuple[Relation, Relation]:
    """x is its floor and its ceiling: bounds are rounded inwards."""
    return Relation("eq", x, x.pool.node("floor", x)), Relation("eq", x, x.pool.node("ceiling", x))


def _structure(part: Part) -> str:
    """The way the relations are joined, as text: with their sides it determines the code."""
    if isinstance(part, Relation):
        return f"{part.op} {part.holds}"
    return f"{type(part).__name__}({', '.join(map(_structure, part.parts))})"
