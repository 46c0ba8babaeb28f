"""Formulas and numbers as the user gives them: none of them runs as a program.

SymPy's `sympify` runs text, and asks objects that it does not know what they stand for; so does whatever calls it in SymPy, as `sin`,
`Matrix` and `subs` do. And `lambdify` writes a program, in which the names of symbols and functions stand as they are. So nothing comes to
these that was not seen here.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from operator import index
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from mpmath.libmp import to_rational
from numpy.typing import NDArray

from .walk import free_symbols, is_writable, parts

TEXT = (str, bytes, bytearray)
_LONGEST = 60
# Where the classes of formulas that `lambdify` may write come from; those of functions that have a name only come from nowhere.
_WRITTEN = ("sympy.core.", "sympy.functions.", "sympy.logic.", "sympy.integrals.", "sympy.codegen.cfunctions", "codegen.")


class NotAFormula(TypeError, ValueError):
    """Text, or an object of an unknown kind, where a formula or a number is expected."""


def expression(given: Any, owner: str = "a formula") -> Any:
    """`given` as a SymPy object: that itself, or the exact value of a number. NotAFormula, which names the `owner`, for anything else.

    Numbers are those of Python, NumPy and mpmath, and of other types that have an integer value or numerator and denominator.
    """
    if isinstance(given, sp.Basic):
        return given
    if isinstance(given, (bool, np.bool_)):
        return sp.true if given else sp.false
    if isinstance(given, (complex, np.complexfloating)):
        return expression(given.real) + sp.I * expression(given.imag)
    if isinstance(given, TEXT):
        raise NotAFormula(f"{owner} is written with SymPy symbols, not as text; got {shown(given)}")
    try:
        return _number(given)
    except (TypeError, AttributeError):
        kind = "None" if given is None else f"an object of type {type(given).__name__}"
        raise NotAFormula(f"{owner} must be a SymPy expression or a number, got {kind}") from None


def _number(given: Any) -> Any:
    """The exact value of a real number; TypeError or AttributeError for what is none."""
    try:
        return sp.Rational(*map(index, _ratio(given)))
    except OverflowError:
        return sp.oo if given > 0 else -sp.oo
    except ValueError:
        return sp.nan


def _ratio(given: Any) -> tuple[Any, Any]:
    """Numerator and denominator; OverflowError for an infinity, ValueError for NaN."""
    if isinstance(given, (float, np.floating, Decimal)):
        return given.as_integer_ratio()
    if isinstance(given, mpmath.mpf):
        return to_rational(given._mpf_) if mpmath.isfinite(given) else float(given).as_integer_ratio()  # type: ignore[no-any-return]
    return given.numerator, given.denominator


def shown(given: Any) -> str:
    """The value that was given, for a message: one line, not long."""
    if isinstance(given, sp.Basic) and not is_writable(given):
        return f"a formula of {len(parts(given)):,} operations"
    try:
        text = " ".join((str(given) if isinstance(given, sp.Basic) else repr(given)).split())
    except RecursionError:
        return f"a deeply nested {type(given).__name__}"
    return text if len(text) <= _LONGEST else text[:_LONGEST - 3] + "..."


def doubles(given: Any, name: str, shape: str) -> NDArray[np.float64]:
    """`given` as a contiguous array of doubles, rounded to nearest; ValueError for what is no array of real numbers. Text is none."""
    try:
        array = np.asarray(given if not isinstance(given, TEXT) else str(given))
    except ValueError:
        raise ValueError(f"{name} must be an array of numbers of shape {shape}, got a {type(given).__name__} of unequal parts") from None
    if array.dtype.kind == "O":
        array = np.array([_double(e, name) for e in array.ravel()], np.float64).reshape(array.shape)
    elif array.dtype.kind not in "fiub":
        kind = {"c": "complex numbers", "U": "text", "S": "text"}.get(array.dtype.kind, f"a {type(given).__name__}")
        raise ValueError(f"{name} must be an array of numbers of shape {shape}, got {kind}")
    return np.ascontiguousarray(array, np.float64)


def _double(given: Any, name: str) -> float:
    if isinstance(given, (float, bool)):
        return float(given)
    number = expression(given, f"a number of {name}")
    if number.is_extended_real is False or not (number.is_number or number is sp.nan):
        raise ValueError(f"{name} must be an array of real numbers, got {shown(number)}")
    return float(number)


def lambdified(arguments: Sequence[Any], expressions: Sequence[Any], modules: Any, **options: Any) -> Callable[..., Any]:
    """SymPy's `lambdify`, for expressions in the arguments alone and in functions that SymPy or `codegen` knows; ValueError for others."""
    known = set(arguments)
    for e in expressions:
        for s in sorted(free_symbols(e) - known, key=str):
            raise ValueError(f"the symbol {shown(s)} has no value here; substitute a number")
        for part in parts(e):
            if not (_is_leaf(part, known) if not part.args else (type(part).__module__ or "").startswith(_WRITTEN)):
                raise ValueError(f"{shown(part)} cannot be computed: {type(part).__name__} is no function of SymPy")
    return sp.lambdify([*arguments], [*expressions], modules, **options)  # type: ignore[no-any-return]


def _is_leaf(e: Any, known: set[Any]) -> bool:
    """A number, a truth value, or a symbol whose name is harmless: SymPy writes other names for arguments."""
    if isinstance(e, sp.Symbol):
        return e in known or e.name.isidentifier()
    return isinstance(e, (sp.Number, sp.NumberSymbol, sp.logic.boolalg.BooleanAtom))
