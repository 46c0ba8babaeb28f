"""Domains of formulas: conditions on the expression graph under which they are defined nowhere in a box.

A kernel answers with the whole line where a formula is undefined on all of a box, as it does where it knows no bounds; so the
answer alone does not say that the box holds no point of a surface. The argument of a square root does, where it is proved negative.
"""

from collections.abc import Sequence

from .binders import BINDERS
from .expr import Expr, ExprPool, reachable
from .signs import analyse

# Nodes that bind a variable, or that only enclosures and derivatives need, and branches nested deeper than this, are not looked into.
_CLOSED = BINDERS | {"trusted", "refined", "guarded", "choice", "hull", "captured", "loop"}
_DEEPEST = 16


def domain(outputs: Sequence[Expr], divisions: bool = False) -> Expr | None:
    """A truth value that holds wherever all `outputs` are defined: where a kernel proves it false on a box, some output is defined
    nowhere in it. None where nothing is known that could be false. `divisions`: a divisor that is zero everywhere counts, too.
    """
    return _all(outputs[0].pool, _conditions(outputs, divisions, _DEEPEST)) if outputs else None


def _conditions(outputs: Sequence[Expr], divisions: bool, depth: int) -> list[Expr]:
    """Conditions that must all hold. Of a choice both branches are evaluated on some boxes, but a point needs one of them only."""
    known = analyse(reachable(outputs))
    found: dict[int, Expr] = {}
    stack, seen = list(outputs), set()
    while stack:
        e = stack.pop()
        if e.index in seen:
            continue
        seen.add(e.index)
        if e.op == "where":
            own = _branches(e, divisions, depth - 1) if depth > 0 else None
        else:
            stack += () if e.op in _CLOSED else e.args[:1] if e.op == "either" else e.args
            own = None if e.op == "sqrt" and known[e.args[0].index].nonnegative else _own(e, divisions)
        if own is not None:
            found[own.index] = own
    return list(found.values())


def _branches(e: Expr, divisions: bool, depth: int) -> Expr | None:
    pool, (condition, *branches) = e.pool, e.args
    first, second = (_all(pool, _conditions([b], divisions, depth)) for b in branches)
    if first is None and second is None:
        return None
    yes = condition if first is None else pool.node("and", condition, first)
    no = pool.not_(condition) if second is None else pool.node("and", pool.not_(condition), second)
    return pool.node("or", yes, no)


def _own(e: Expr, divisions: bool) -> Expr | None:
    """The condition that an operation puts on its arguments."""
    pool = e.pool
    zero, one, minus = pool.constant(0), pool.constant(1), pool.constant(-1)
    if e.op in ("sqrt", "pow"):
        return pool.node("le", zero, e.args[0])
    if e.op in ("log", "entropy", "loggamma", "polygamma"):
        return pool.node("lt", zero, e.args[0])
    if e.op == "restricted":
        return e.args[0]
    if e.op == "acosh":
        return pool.node("le", one, e.args[0])
    if e.op in ("asin", "acos", "atanh"):
        relation = "lt" if e.op == "atanh" else "le"
        return pool.node("and", pool.node(relation, minus, e.args[0]), pool.node(relation, e.args[0], one))
    if e.op == "div" and divisions:
        return pool.node("or", pool.node("lt", e.args[1], zero), pool.node("lt", zero, e.args[1]))
    return pool.node("false") if e.op == "undefined" else None


def _all(pool: ExprPool, conditions: Sequence[Expr]) -> Expr | None:
    if not conditions:
        return None
    total = conditions[0]
    for c in conditions[1:]:
        total = pool.node("and", total, c)
    return total
