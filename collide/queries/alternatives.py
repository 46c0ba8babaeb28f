"""Conditions joined by And, Or and Not as alternatives, each of inequalities and equations that hold together."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

from codegen.given import shown
from codegen.walk import free_symbols

# Alternatives at most, each a problem of its own on the common queue.
_TERMS = 64


class Term(NamedTuple):
    """A conjunction: formulas that are at least 0, and formulas that are 0."""

    at_least: tuple[Any, ...] = ()
    equal: tuple[Any, ...] = ()


class _Literal(NamedTuple):
    """A relation of a formula to 0: "=", ">=" or ">"."""

    formula: Any
    relation: str


def alternatives(conditions: Sequence[Any]) -> list[Term]:
    """The conditions as terms of which at least one holds (disjunctive normal form), inequalities closed."""
    terms = _literals(conditions)
    if len(terms) > _TERMS:
        raise ValueError(f"the conditions have {len(terms)} alternatives, more than {_TERMS}; split the domain or simplify them")
    return [Term(tuple(e.formula for e in term if e.relation != "="), tuple(e.formula for e in term if e.relation == "="))
            for term in terms]


def closed(conditions: Sequence[Any]) -> list[str]:
    """The strict inequalities in the terms, and as what each was read."""
    terms = _literals([c for c in conditions if not of_integers(c)])
    strict = dict.fromkeys(e.formula for term in terms for e in term if e.relation == ">")
    return [f"{shown(f)} > 0 as >= 0" for f in strict if not f.is_number]


def of_integers(e: Any) -> bool:
    """Whether all variables of an expression are integers, so that a strict inequality leaves a closed set."""
    return bool(free_symbols(e)) and all(s.is_integer for s in free_symbols(e))


def _literals(conditions: Sequence[Any]) -> list[tuple[_Literal, ...]]:
    return _conjunction([_terms(c, True) for c in conditions])


def _terms(c: Any, holds: bool, excluded: bool = False) -> list[tuple[_Literal, ...]]:
    """Terms of the condition, or of its negation. `excluded`: see `_conjunction`."""
    if c in (sp.true, sp.false):
        return [()] if bool(c) is holds else []
    if isinstance(c, sp.Not):
        return _terms(c.args[0], not holds, excluded)
    if isinstance(c, (sp.And, sp.Or)):
        parts = [_terms(a, holds, excluded) for a in c.args]
        return _conjunction(parts, excluded) if isinstance(c, sp.And) is holds else [t for part in parts for t in part]
    if isinstance(c, (sp.Eq, sp.Ne)):
        if isinstance(c, sp.Eq) is not holds:
            raise ValueError(f"{c if holds else sp.Not(c)} excludes single values, which leaves no closed set to minimize over")
        return [(_Literal(c.lhs - c.rhs, "="),)]
    if isinstance(c, (sp.Ge, sp.Gt, sp.Le, sp.Lt)):
        difference = c.lhs - c.rhs if isinstance(c, (sp.Ge, sp.Gt)) is holds else c.rhs - c.lhs
        return [(_Literal(difference, ">" if isinstance(c, (sp.Gt, sp.Lt)) is holds else ">="),)]
    return _terms(sp.to_nnf(c, simplify=False), holds, excluded=True)


def _conjunction(parts: Sequence[list[tuple[_Literal, ...]]], excluded: bool = False) -> list[tuple[_Literal, ...]]:
    """`excluded`: leave out terms that hold a relation and its negation, as those of Xor and ITE do. No point satisfies both; but as
    inequalities are closed, points between them would.
    """
    terms: list[tuple[_Literal, ...]] = [()]
    for part in parts:
        terms = [a + b for a in terms for b in part if not (excluded and _contradictory(a, b))]
        if len(terms) > 100 * _TERMS:
            break
    return terms


def _contradictory(a: tuple[_Literal, ...], b: tuple[_Literal, ...]) -> bool:
    """Whether one alternative says g > 0 and the other g <= 0."""
    return any(">" in (d.relation, e.relation) and "=" not in (d.relation, e.relation) and d.formula == -e.formula for d in a for e in b)


def closed_relation(c: Any) -> Any:
    """The condition with each strict inequality as the closed one, except those of integers."""
    if of_integers(c):
        return c
    if isinstance(c, (sp.Gt, sp.Lt)):
        return (sp.Ge if isinstance(c, sp.Gt) else sp.Le)(*c.args, evaluate=False)
    return c.func(*map(closed_relation, c.args)) if isinstance(c, (sp.And, sp.Or)) else c
