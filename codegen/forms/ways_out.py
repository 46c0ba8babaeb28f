"""Functions that SymPy itself writes by others, one step away: what stands for them in a kernel.

Each is an exact identity wherever both sides are defined as real numbers. SymPy's limits and integrals are none of these steps: they are
results of a search.
"""

from collections.abc import Callable
from typing import Any

import sympy as sp

Step = Callable[[Any], Any]


def _of_reciprocal(function: Any) -> Step:
    return lambda e: function(1 / e.args[0])


def _first(e: Any) -> Any:
    return e.args[0]


def _harmonic(e: Any) -> Any:
    """The harmonic number of the first order: psi(n + 1) + gamma."""
    return sp.digamma(e.args[0] + 1) + sp.EulerGamma if len(e.args) == 1 or e.args[1] == 1 else None


def _doing(e: Any) -> Any:
    return e.doit()


# By name: SymPy takes long to import some of them.
_STEPS: dict[str, Step] = {
    "asec": _of_reciprocal(sp.acos), "acsc": _of_reciprocal(sp.asin), "acot": _of_reciprocal(sp.atan),
    "asech": _of_reciprocal(sp.acosh), "acsch": _of_reciprocal(sp.asinh), "acoth": _of_reciprocal(sp.atanh),
    "re": _first, "conjugate": _first, "adjoint": _first, "transpose": _first, "UnevaluatedExpr": _first,
    "harmonic": _harmonic, "KroneckerDelta": lambda e: e.rewrite(sp.Piecewise), "Poly": lambda e: e.as_expr(),
    "Contains": lambda e: e.args[1].as_relational(e.args[0]),
    "Sum": _doing, "Product": _doing, "Determinant": _doing, "Trace": _doing, "MatrixElement": _doing, "Permanent": _doing,
}
# Steps of functions that are not listed.
_GENERAL: tuple[Step, ...] = (lambda e: e.expand(func=True), lambda e: e.rewrite(sp.gamma))


def other_form(e: Any, known: Callable[[type], Any]) -> Any:
    """The same function by others, all of which are `known` classes; None if there is none of one step."""
    own = _STEPS.get(type(e).__name__) if str(type(e).__module__).startswith("sympy.") else None
    for step in (own,) if own is not None else _GENERAL if isinstance(e, sp.Function) else ():
        try:
            found = step(e)
        except (AttributeError, NotImplementedError, TypeError, ValueError):
            continue
        if isinstance(found, sp.Basic) and found != e and _compiles(found, known):
            return found
    return None


def _compiles(e: Any, known: Callable[[type], Any]) -> bool:
    """Whether all parts of an expression are known, and real and finite as far as that is seen."""
    for part in sp.preorder_traversal(e):
        if part.is_Atom:
            fine = part.is_Symbol or (getattr(part, "is_finite", None) is not False and getattr(part, "is_real", None) is not False)
        else:
            fine = isinstance(part, (sp.Tuple, _PAIR)) or known(type(part)) is not None
        if not fine:
            return False
    return True


_PAIR = type(sp.Piecewise((0, sp.Symbol("x") > 0), (1, True)).args[0])
"""The class of a value with its condition."""
