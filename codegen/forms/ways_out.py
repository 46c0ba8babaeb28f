"""Functions that SymPy itself writes by others, one step away: what stands for them in a kernel.

Each is an exact identity wherever both sides are defined as real numbers. SymPy's limits and integrals are none of these steps: they are
results of a search.
"""

from collections.abc import Callable
from typing import Any

import sympy as sp

from ..functions.zeta_functions import hurwitz

Step = Callable[[Any], Any]


def _of_reciprocal(function: Any) -> Step:
    return lambda e: function(1 / e.args[0])


def _first(e: Any) -> Any:
    return e.args[0]


def _harmonic(e: Any) -> Any:
    """The harmonic number of an integer order m: psi(n + 1) + gamma, and zeta(m) - zeta(m, n + 1) for m > 1."""
    n, m = e.args if len(e.args) > 1 else (e.args[0], sp.Integer(1))
    if m == 1:
        return sp.digamma(n + 1) + sp.EulerGamma
    return sp.zeta(m) - hurwitz(int(m), n + 1) if m.is_Integer and m > 1 else None


def _remainder(e: Any) -> Any:
    """The remainder with the sign of the dividend."""
    return sp.sign(e.args[0]) * sp.Mod(abs(e.args[0]), abs(e.args[1]))


def _imaginary_error(e: Any) -> Any:
    t = sp.Dummy("t", real=True)
    return 2 / sp.sqrt(sp.pi) * sp.Integral(sp.exp(t**2), (t, 0, e.args[0]))


def _rewriting(by: Any) -> Step:
    return lambda e: e.rewrite(by)


def _doing(e: Any) -> Any:
    return e.doit()


# By name: SymPy takes long to import some of them.
_STEPS: dict[str, Step] = {
    "asec": _of_reciprocal(sp.acos), "acsc": _of_reciprocal(sp.asin), "acot": _of_reciprocal(sp.atan),
    "asech": _of_reciprocal(sp.acosh), "acsch": _of_reciprocal(sp.asinh), "acoth": _of_reciprocal(sp.atanh),
    "re": _first, "conjugate": _first, "adjoint": _first, "transpose": _first, "UnevaluatedExpr": _first,
    "harmonic": _harmonic, "erfi": _imaginary_error, "Rem": _remainder, "Li": _rewriting(sp.li), "arg": _rewriting(sp.atan2),
    "KroneckerDelta": _rewriting(sp.Piecewise), "SingularityFunction": _rewriting(sp.Piecewise), "dirichlet_eta": _rewriting(sp.zeta),
    "riemann_xi": _rewriting(sp.zeta), "betainc": _rewriting(sp.Integral), "betainc_regularized": _rewriting(sp.Integral),
    "elliptic_pi": _rewriting(sp.Integral), "LeviCivita": _doing, "Poly": lambda e: e.as_expr(),
    "Contains": lambda e: e.args[1].as_relational(e.args[0]),
    "Sum": _doing, "Product": _doing, "Determinant": _doing, "Trace": _doing, "MatrixElement": _doing, "Permanent": _doing,
}
# Steps of functions that are not listed.
_GENERAL: tuple[Step, ...] = (lambda e: e.expand(func=True), lambda e: e.rewrite(sp.gamma))


_COMPLEX = "its values are complex; a kernel computes with real numbers only"
_ENTRIES = "give its entries, a list of formulas"
_UNKNOWN = "put a Symbol in its place by .xreplace()"
_UNEVALUATED = "it is not evaluated yet; call .doit() on the formula"
# By name: advice for classes that no step makes real formulas of.
ADVICE: dict[str, str] = {
    **dict.fromkeys(("hankel1", "hankel2", "hn1", "hn2", "Ynm", "polar_lift", "exp_polar", "principal_branch"), _COMPLEX),
    "Quaternion": _ENTRIES, "Point2D": _ENTRIES, "Point3D": _ENTRIES, "VectorAdd": "call .to_matrix(system)",
    "VectorMul": "call .to_matrix(system)", "Lambda": "call it with an argument", "MatrixElement": _UNKNOWN, "Indexed": _UNKNOWN,
    "Quantity": "units have no numbers; give the formula in numbers of one system", "Limit": _UNEVALUATED,
    "CosineTransform": _UNEVALUATED, "SineTransform": _UNEVALUATED, "LaplaceTransform": _UNEVALUATED, "FourierTransform": _UNEVALUATED,
    "DiracDelta": "it is no function; compile the function itself, and take its derivatives by `jacobian`",
    "Order": "it stands for any terms of higher order; leave it out by .removeO()",
    "ImaginaryUnit": "where the formula is real in value, give sp.expand(formula, complex=True)",
    "AccumulationBounds": "make it a variable with this range",
}  # fmt: skip


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
