"""Common parts of `solve` and `minimize`: domains, formulas and conditions as the user writes them, checked and converted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanFunction

from codegen.constants import bounds
from codegen.from_sympy import check_real, convert
from codegen.given import expression, shown
from codegen.graph.expr import Expr, ExprPool
from codegen.walk import free_symbols

from ..search.search import Search

# If there are more boxes, runs of them are joined before groups are formed.
_MANY = 2000
# All integers up to this size are doubles.
_LARGEST = 2**53


@dataclass(frozen=True, eq=False)
class Domain:
    """A box: its symbols, their exact ends, and the ends in doubles (`outer` encloses the exact box, `inner` lies in it).

    `notes`: sentences about ends that were moved, as a symbol is assumed to have a sign.
    """

    symbols: tuple[sp.Symbol, ...]
    ends: tuple[tuple[Any, Any], ...]
    outer: np.ndarray
    inner: np.ndarray
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.symbols)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(str, self.symbols))

    @property
    def integers(self) -> np.ndarray:
        """(n,) bool: whether the variable is an integer."""
        return np.array([bool(x.is_integer) for x in self.symbols])

    def nodes(self, pool: ExprPool) -> dict[Any, Expr]:
        """The first variables of a graph, by symbol."""
        return {x: pool.variable(k) for k, x in enumerate(self.symbols)}


def read_domain(domain: Any) -> Domain:
    """{symbol: (lo, hi), ...} with finite lo < hi. The ends of integers are rounded inwards; where no number is left, ValueError."""
    if not isinstance(domain, Mapping) or not domain:
        raise ValueError(f"the domain must be a dictionary {{symbol: (lo, hi), ...}} with at least one symbol, got {shown(domain)}")
    ends, notes = [], []
    for x, interval in domain.items():
        if not isinstance(x, sp.Symbol):
            raise TypeError(f"a variable must be a SymPy Symbol, got {shown(x)} of type {type(x).__name__}")
        if not isinstance(interval, (tuple, list, np.ndarray)) or len(interval) != 2:
            raise ValueError(f"the domain of {x} must be a pair (lo, hi), got {shown(interval)}")
        lo, hi = (expression(end, f"an end of the domain of {x}") for end in interval)
        _check_assumptions(x)
        if not (_finite(lo) and _finite(hi)):
            raise ValueError(f"the domain of {x} must have two finite real ends, got {shown(interval)}; "
                             "give those between which answers are wanted")
        if not lo < hi:
            raise ValueError(f"the domain of {x} must satisfy lo < hi, got {shown(interval)}; substitute the value of a fixed variable")
        cut = _cut(x, lo, hi)
        if cut != (lo, hi):
            notes.append(f"{x} is assumed to be {_sign_of(x)}: its domain ends at 0, ({cut[0]}, {cut[1]}).")
        ends.append(_rounded(x, *cut))
    outer, inner = bounds(ends)
    return Domain(tuple(domain), tuple(ends), outer, inner, tuple(notes))


def _check_assumptions(x: Any) -> None:
    """A variable is any real number, or any integer: others are not searched for."""
    check_real(x)
    others = ("even", "odd", "prime", "composite") if x.is_integer else ("integer", "rational", "algebraic")
    for name in others:
        known = getattr(x, f"is_{name}")
        if known is not None and not _by_sign(x, name):
            raise ValueError(f"the symbol {x} is assumed {'' if known else 'not '}to be {name}, but a domain holds all real numbers or all "
                             f'integers in it; write Symbol("{x}", real=True) or Symbol("{x}", integer=True), and try values one by one')


def check_real_variables(domain: Domain) -> None:
    """ValueError where some variable is an integer."""
    if domain.integers.any():
        names = ", ".join(name for name, integer in zip(domain.names, domain.integers, strict=True) if integer)
        raise ValueError(f"no log can be written of integer variables, such as {names}; leave out log=")


def _by_sign(x: Any, name: str) -> bool:
    """Whether an assumption follows from the sign of a symbol. An integer that is not positive is no prime number."""
    return name in ("prime", "composite") and bool(x.is_nonpositive)


def _sign_of(x: Any) -> str:
    return next(name for name in ("positive", "negative", "nonnegative", "nonpositive") if getattr(x, f"is_extended_{name}"))


def _cut(x: Any, lo: Any, hi: Any) -> tuple[Any, Any]:
    """The part of the domain that has the assumed sign, with 0 as its end."""
    zero = sp.Integer(0)
    new = zero if x.is_extended_nonnegative and lo < 0 else lo, zero if x.is_extended_nonpositive and hi > 0 else hi
    if not new[0] < new[1]:
        raise ValueError(f"the symbol {x} is assumed to be {_sign_of(x)}, but its domain is from {lo} to {hi}; "
                         f'change the domain, or write Symbol("{x}", real=True)')
    return new


def _rounded(x: Any, lo: Any, hi: Any) -> tuple[Any, Any]:
    """The ends of an integer, rounded inwards."""
    if not x.is_integer:
        return lo, hi
    new = sp.ceiling(lo), sp.floor(hi)
    if x.is_nonzero:
        new = sp.Integer(1) if new[0] == 0 else new[0], sp.Integer(-1) if new[1] == 0 else new[1]
    if new[0] > new[1]:
        raise ValueError(f"the symbol {x} is assumed to be an integer, and there is none in its domain, from {lo} to {hi}")
    if max(abs(new[0]), abs(new[1])) > _LARGEST:
        raise ValueError(f"integers are searched for up to 2**53 in size, got the domain of {x} from {lo} to {hi}")
    return new


def _finite(end: Any) -> bool:
    return isinstance(end, sp.Expr) and bool(end.is_number and end.is_real and end.is_finite)


def read_functions(given: Any, domain: Domain, what: str) -> list[Any]:
    """Real-valued SymPy expressions; an equation Eq(a, b) stands for a - b."""
    items = list(given) if isinstance(given, (list, tuple, sp.MatrixBase, sp.Tuple, np.ndarray)) else [given]
    functions = []
    for item in items:
        if isinstance(item, sp.MatrixBase):
            functions += read_functions(item, domain, what)
            continue
        e = expression(item, f"a formula of {what}")
        if isinstance(e, sp.Equality):
            e = e.lhs - e.rhs
        if (isinstance(e, (Boolean, bool)) and not isinstance(e, sp.Symbol)) or not isinstance(e, sp.Expr):
            raise TypeError(f"{what} must be real formulas or equations Eq(a, b), got {shown(item)}")
        _check_symbols(e, domain)
        functions.append(e)
    return functions


def read_conditions(given: Any, domain: Domain) -> list[Any]:
    """Conditions as SymPy Booleans: a formula g means g >= 0."""
    items = list(given) if isinstance(given, (list, tuple, sp.Tuple)) else [given]
    conditions = []
    for item in items:
        if isinstance(item, sp.MatrixBase):
            conditions += read_conditions(list(item), domain)
            continue
        e = expression(item, "a condition")
        if e in (sp.true, sp.false):
            conditions.append(e)
        elif isinstance(e, (Relational, BooleanFunction)):
            _check_symbols(e, domain)
            conditions.append(e)
        elif isinstance(e, sp.Expr) and e.is_extended_real is not False and e is not sp.nan:
            _check_symbols(e, domain)
            conditions.append(sp.Ge(e, 0))
        else:
            raise TypeError(f"a condition is a formula g, meaning g >= 0, or a relation, or And, Or, Not of relations; got {shown(item)}")
    return conditions


def _check_symbols(e: Any, domain: Domain) -> None:
    for s in sorted(free_symbols(e) - set(domain.symbols), key=str):
        if str(s) in domain.names:
            raise ValueError(f"the free symbol {s} has other assumptions than the {s} of the domain; use the very same symbol")
        raise ValueError(f"the free symbol {s} has no domain; list it as {s}: (lo, hi), or substitute a value")


def convert_condition(conditions: Iterable[Any], nodes: Mapping[Any, Expr], pool: ExprPool, domain: Domain) -> Expr | None:
    """One truth value for all conditions, that symbols are not 0 among them where that is assumed; None when there is none."""
    total: Expr | None = None
    zero = pool.constant(0)
    nonzero = [pool.not_(pool.node("eq", nodes[x], zero)) for x, (lo, hi) in zip(domain.symbols, domain.outer, strict=True)
               if x.is_extended_nonzero and lo <= 0 <= hi]
    for part in [*convert(list(conditions), dict(nodes), pool), *nonzero]:
        total = part if total is None else pool.node("and", total, part)
    return total


# -- results ------------------------------------------------------------------------------------------------------


def settled(s: Search, problem: int, boxes: np.ndarray, *kinds: int) -> np.ndarray:
    """(k,): whether the boxes (k, n, 2) lie where a solution of one of these kinds is proved to be the only zero of its problem."""
    result = np.zeros(len(boxes), bool)
    for k in s.numbers(problem, *kinds):
        region = s.arrays["region"][k, :boxes.shape[1]]
        result |= ((region[:, 0] <= boxes[:, :, 0]) & (boxes[:, :, 1] <= region[:, 1])).all(axis=1)
    return result


def merge(boxes: np.ndarray) -> list[np.ndarray]:
    """Hulls of groups of boxes that touch. They cover all the boxes, and no two hulls touch. If there are very many boxes, those in one run
    along the axis in which they reach furthest are one group, whether they touch or not.
    """
    if len(boxes) > _MANY:
        boxes = np.array(_runs(boxes))
    merged = np.empty((0, *np.shape(boxes)[1:]))
    for box in boxes:
        hull = box
        while len(merged):
            near = ((merged[:, :, 0] <= hull[:, 1]) & (hull[:, 0] <= merged[:, :, 1])).all(axis=1)
            if not near.any():
                break
            hull = _hull(np.concatenate([merged[near], hull[None]]))
            merged = merged[~near]
        merged = np.concatenate([merged, hull[None]]) if len(merged) else hull[None]
    return list(merged)


def _hull(boxes: np.ndarray) -> np.ndarray:
    return np.stack([boxes[:, :, 0].min(axis=0), boxes[:, :, 1].max(axis=0)], axis=1)


def _runs(boxes: np.ndarray) -> list[np.ndarray]:
    axis = int(np.argmax(boxes[:, :, 1].max(axis=0) - boxes[:, :, 0].min(axis=0)))
    order = np.argsort(boxes[:, axis, 0], kind="stable")
    return [_hull(boxes[run]) for run in np.array_split(order, _MANY)]


def stack(boxes: Sequence[np.ndarray], n: int) -> np.ndarray:
    """Boxes as one array (k, n, 2)."""
    return np.array(boxes, float).reshape(-1, n, 2)
