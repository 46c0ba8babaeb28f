"""The parameters that a question is asked for: numbers, or ranges of numbers, for the `Parameter` symbols of its bodies."""

import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from codegen.deadline import check
from codegen.given import TEXT, shown
from generative import ImplicitBody
from generative.body import called
from generative.changes import pieces_of
from generative.family import parameters_in
from generative.symbols import Parameter, exact, text

from ..bodies.parameters import substituted
from .arguments import check_body
from .rotations import check_rotations

# At the ends of ranges, and at zero, it is looked for bodies that degenerate, at so many combinations at most.
_MOST = 64

Range = tuple[Any, Any]


def read_parameters(parameters: Any, bodies: Sequence[Any]) -> dict[Any, Range]:
    """{symbol: (lo, hi)}, exact numbers, both the same where one number was given."""
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must be a dictionary {{symbol: number or (lo, hi)}}, got {shown(parameters)}")
    used = set().union(*(parameters_in(body) for body in bodies))
    for s in parameters:
        check_symbol(s)
        if s not in used:
            raise ValueError(f"no formula of the bodies has the parameter {s}, for which numbers are given")
    missing = sorted(used - set(parameters), key=str)
    if missing:
        raise ValueError(f"the bodies contain the parameter {missing[0]}, for which no numbers are given")
    found = {s: _range(s, value) for s, value in parameters.items()}
    check_rotations(bodies, found)
    return found


def check_symbol(key: Any) -> None:
    """Refuses what is no Parameter symbol as a key of parameters."""
    if not isinstance(key, Parameter):
        got = f"the symbol {key}, which is no Parameter" if isinstance(key, sp.Symbol) else shown(key)
        raise TypeError(f"the keys of parameters are the Parameter symbols themselves, as in {{w: 1}}, got {got}")


def _range(symbol: Any, given: Any) -> Range:
    if isinstance(given, (tuple, list)):
        if len(given) != 2:
            raise ValueError(f"the parameter {symbol} takes a number or a pair (lo, hi), got {shown(given)}")
        lo, hi = (_number(symbol, e) for e in given)
        if not lo < hi:
            raise ValueError(f"the range of the parameter {symbol} must go from less to more, got {given[0]} to {given[1]}")
        return lo, hi
    number = _number(symbol, given)
    return number, number


def _number(symbol: Any, given: Any) -> Any:
    try:
        if isinstance(given, TEXT):
            raise TypeError
        number = exact(given)
    except (TypeError, ValueError):
        number = None
    if not isinstance(number, sp.Expr) or not (number.is_number and number.is_real and number.is_finite):
        raise ValueError(f"the numbers of the parameter {symbol} must be finite and real, got {shown(given)}")
    return number


def points_in(ranges: Mapping[Any, Range]) -> dict[Any, Any]:
    """Those that are one number."""
    return {s: lo for s, (lo, hi) in ranges.items() if lo == hi}


def check_ranges(bodies: Sequence[Any], ranges: Mapping[Any, Range], span: tuple[float, float]) -> None:
    """Refuses ranges in which a body degenerates, as far as that is seen at their ends, and at zero: in the shape of a body, and in each
    factor of its motion.
    """
    known = set[Any]()
    for k, body in enumerate(bodies):
        shape = body if isinstance(body, ImplicitBody) else body.resting
        for at in _corners(parameters_in(shape), ranges):
            _check(functools.partial(_check_shape, shape, at, called(bodies, k), span), at)
        factors = {f for piece in pieces_of(body) for f in piece.motion.factors} - known
        for factor in factors:
            for at in _corners(factor.symbols, ranges):
                _check(functools.partial(_entries, factor, at), at)
        known |= factors


def _check_shape(shape: Any, at: Mapping[Any, Any], name: str, span: tuple[float, float]) -> None:
    check_body(substituted(shape, at), name, span)


def _entries(factor: Any, at: Mapping[Any, Any]) -> Any:
    return factor.changed(lambda e: e.xreplace(at)).entries


def _corners(symbols: Collection[Any], ranges: Mapping[Any, Range]) -> Iterator[dict[Any, Any]]:
    """Values of those of the symbols that have ranges."""
    own = {s: ends for s, ends in ranges.items() if s in symbols}
    ends = [[lo] if lo == hi else [lo, hi, *([sp.Integer(0)] if lo < 0 < hi else [])] for lo, hi in own.values()]
    for values in itertools.islice(itertools.product(*ends), _MOST):
        check()
        yield dict(zip(own, values, strict=True))


def _check(made: Callable[[], Any], at: Mapping[Any, Any]) -> None:
    try:
        made()
    except ValueError as error:
        where = ", ".join(f"{s} = {value}" for s, value in at.items())
        raise ValueError(f"{error} (with {where}, in the ranges of the parameters)" if at else str(error)) from None


def for_any(ranges: Mapping[Any, Range]) -> str:
    """A sentence that names the ranges."""
    given = ", ".join(f"{s} from {text(lo)} to {text(hi)}" for s, (lo, hi) in ranges.items())
    return f"All this is for any {given}."
