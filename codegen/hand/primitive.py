"""Functions with the user's own inclusion: formulas of the ends of the arguments, or native code."""

import ctypes
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from ..from_sympy import declared_of
from ..functions.primitives import Primitive, primitive_ends, primitive_places, primitive_value_ends
from ..given import expression, shown
from ..graph.binders import EXPANDED
from ..graph.expr import reachable
from ..graph.primitives import decoded, formulas, registered
from ..sympy_rules import UnsupportedExpression
from .contradiction import contradiction


class Ends(NamedTuple):
    """Both ends of a box, as symbols: what formulas of bounds are written in."""

    lo: Any
    hi: Any


def primitive(name: str, *, bounds: Any, points: Any, derivative: Callable[..., Any] | None = None,
              inverse: Callable[..., Any] | None = None, arguments: int | None = None, level: int | None = None) -> Primitive:
    """Declare a function by its own inclusion, for use in any formula.

    Parameters
    ----------
    name : str
        A Python identifier: the name in printed formulas and in logs.
    bounds : callable or address
        ``bounds(x, ...)`` is called once, with an object of two symbols ``x.lo`` and ``x.hi`` for each argument, and returns two
        formulas: a lower and an upper bound of the function over the box. They are evaluated in interval arithmetic, so rounding is taken
        care of. Several monotone pieces are a `Piecewise` of conditions on the ends; where one is undecided by rounding, both its
        branches count. An end that is undefined means that there is no bound on its side. Or the address of native code, an integer or an
        object of ctypes or numba: ``void(const double *ends, double *bounds)`` takes lo and hi of each argument, writes two numbers, both
        NaN where it knows nothing, answers for its rounding, and may be called by several threads at once, with boxes that have infinite
        ends.
    points : callable or address
        ``points(x, ...)`` returns a formula of the arguments, which *approximates* the function at a point. Or native code
        ``void(const double *x, double *value)``.
    derivative : callable, optional
        ``derivative(x, ...)`` returns the derivative, of several arguments a list of partial derivatives, which may hold other declared
        functions. A parameter called ``value`` stands for the function itself: ``lambda x, value: value * (1 - value)``. Without it
        `jacobian` knows nothing.
    inverse : callable, optional
        ``inverse(y)`` returns a lower and an upper bound of the argument where the function has a value between ``y.lo`` and ``y.hi``, for
        `contract`. Of several arguments ``inverse(y, x, ...)`` returns a list of such pairs. A lower bound above the upper one means that
        there is no such argument.
    arguments : int, optional
        How many there are; if not given, as many as `points` takes, or 1 for native code.
    level : {1, 2, 3}, optional
        What holds wherever the bounds are defined: 1 that it is defined, 2 that it is continuous, 3 that it is differentiable. If not
        given, 3 with a derivative and 1 without.

    Returns
    -------
    Primitive
        Called with formulas it is a SymPy expression.

    Raises
    ------
    ValueError
        If a point lies outside the bounds, a difference of points outside the bounds of the derivative, or an argument outside the
        bounds of the inverse, by more than half the digits of a double, at the places that are tried; the message names one.
    TypeError
        If a formula is text, or no formula.

    Notes
    -----
    That the bounds hold is an *assumption*: what follows from it is proved under this assumption alone. It is tried at some hundred boxes,
    which proves nothing. Logs state it.

    Examples
    --------
    >>> from sympy import Max, Min, Piecewise, symbols
    >>> x = symbols("x", real=True)
    >>> import codegen
    >>> hill = codegen.primitive("hill", points=lambda x: x * (1 - x), derivative=lambda x: 1 - 2 * x,
    ...     bounds=lambda x: (Min(x.lo * (1 - x.lo), x.hi * (1 - x.hi)),
    ...                       Piecewise((x.hi * (1 - x.hi), x.hi < 0.5), (x.lo * (1 - x.lo), x.lo > 0.5), (0.25, True))))
    >>> [float(end[0, 0]) for end in codegen.compile([hill(x) + 1], [x]).interval([[0]], [[1]])]
    [1.0, 1.25]
    """
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
        raise ValueError(f"the name of a primitive must be a Python identifier of ASCII letters, got {shown(name)}")
    code = address(bounds), address(points)
    n = _count(points if code[1] is None else None, arguments)
    boxes = _pairs(primitive_ends(n))
    places = primitive_places(n)
    own = [] if code[0] is not None else _list(_called(name, "bounds", bounds, boxes), 2, f"bounds of {name}")
    at = [] if code[1] is not None else _list([_called(name, "points", points, places[:n])], 1, f"points of {name}")
    slopes = [] if derivative is None else _slopes(name, derivative, places)
    inverses = [] if inverse is None else _inverses(name, inverse, boxes)
    if level is None:
        level = 3 if slopes else 1
    if level not in (1, 2, 3):
        raise ValueError(f"the level of {name} must be 1 (defined), 2 (continuous) or 3 (differentiable), got {shown(level)}")
    if code[0] is None and code[1] is not None:
        raise ValueError(f"points of {name} that are native code need native bounds; give both as addresses, or points as a formula")
    native = "" if code[0] is None else registered(code[0], code[1] or 0, (bounds, points))
    made = Primitive(name, n, int(level), own, at, slopes, inverses, native)
    _check_formulas(made)
    reason = contradiction(made)
    if reason:
        raise ValueError(reason)
    return made


def address(given: Any) -> int | None:
    """The address of native code; None for a callable of formulas."""
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, int):
        if given <= 0:
            raise ValueError(f"an address of native code is positive, got {given}")
        return given
    if isinstance(given, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return ctypes.cast(given, ctypes.c_void_p).value
    own = getattr(given, "address", None)
    return own if isinstance(own, int) else None


def _count(points: Any, arguments: Any) -> int:
    if arguments is None:
        taken = [] if points is None else _signature("points", points).parameters.values()
        arguments = sum(p.default is p.empty for p in taken) or 1
    if not (isinstance(arguments, int) and not isinstance(arguments, bool) and 1 <= arguments <= 64):
        raise ValueError(f"a primitive has from 1 to 64 arguments, got {shown(arguments)}")
    return arguments


def _signature(owner: str, function: Any) -> inspect.Signature:
    if not callable(function):
        raise TypeError(f"{owner} must be a function that returns formulas, or an address of native code, got {shown(function)}")
    return inspect.signature(function)


def _called(name: str, owner: str, function: Any, given: Sequence[Any], **more: Any) -> Any:
    try:
        _signature(f"{owner} of {name}", function).bind(*given, **more)
    except TypeError:
        raise TypeError(f"{owner} of {name} must be a function of {len(given)} argument{'s' * (len(given) != 1)}") from None
    return function(*given, **more)


def _list(given: Any, count: int, owner: str) -> list[Any]:
    """So many formulas."""
    if not isinstance(given, (list, tuple, sp.Tuple)) or len(given) != count:
        raise TypeError(f"{owner} must be {count} formulas, got {shown(given)}")
    found = [expression(e, f"the {owner}") for e in given]
    for e in found:
        if not isinstance(e, sp.Expr):
            raise TypeError(f"{owner} must be formulas, got {shown(e)}")
    return found


def _pairs(ends: Sequence[Any]) -> list[Ends]:
    return [Ends(*pair) for pair in zip(ends[::2], ends[1::2], strict=True)]


def _slopes(name: str, derivative: Any, places: Sequence[Any]) -> list[Any]:
    more = {"value": places[-1]} if "value" in _signature(f"derivative of {name}", derivative).parameters else {}
    found = _called(name, "derivative", derivative, places[:-1], **more)
    return _list(found if isinstance(found, (list, tuple, sp.Tuple)) else [found], len(places) - 1, f"derivatives of {name}")


def _inverses(name: str, inverse: Any, boxes: Sequence[Ends]) -> list[Any]:
    value, owner = Ends(*primitive_value_ends()), f"inverse of {name}"
    if len(boxes) == 1:
        return _list(_called(name, "inverse", inverse, [value]), 2, owner)
    found = _called(name, "inverse", inverse, [value, *boxes])
    if not isinstance(found, (list, tuple)) or len(found) != len(boxes):
        raise TypeError(f"the {owner} must be {len(boxes)} pairs of bounds, one an argument, got {shown(found)}")
    return [e for pair in found for e in _list(pair, 2, owner)]


def _check_formulas(made: Primitive) -> None:
    """Refuse repetition in formulas that are written in place."""
    declared = decoded(declared_of(made))
    for graph in (declared.bounds, declared.points, declared.slopes, declared.inverses):
        found = sorted({e.op for e in reachable(formulas(graph))} & EXPANDED)
        if found:
            raise UnsupportedExpression(f"formulas of {made.name} may hold no {found[0]}; it is computed by repetition")
