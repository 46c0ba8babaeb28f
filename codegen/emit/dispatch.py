"""Table of the emitters: operation by operation, in each of the three kinds of code.

Interval emitters take and return (-lo, hi) pairs; level emitters take the same and return one lane; point emitters
take and return one value. An operation absent from LEVEL is differentiable wherever it is evaluated.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..graph.expr import Expr
from ..graph.signs import SignFacts
from .elementary import (
    arithmetic,
    bessel,
    chebyshev,
    exponential,
    gamma,
    hyperbolic,
    inverse_trigonometric,
    kinks,
    logic,
    power,
    primitive,
    solution,
    tabled,
    tabulated,
    tricubic,
    trigonometric,
)
from .lanes import Emit, Lanes

# Two or three instructions: written in place.
INLINE: dict[str, Callable[..., Any]] = {
    "add": arithmetic.add, "sub": arithmetic.subtract, "neg": arithmetic.negate,
    "midpoint": arithmetic.midpoint, "centre": arithmetic.centre, "hull": arithmetic.hull,
    "true": logic.true, "false": logic.false, "not": logic.not_, "and": logic.and_, "or": logic.or_,
    "around": logic.around,
}  # fmt: skip

INTERVAL: dict[str, Emit] = {
    "fma": arithmetic.fma, "pow": power.pow, "sqrt": arithmetic.sqrt, "abs": kinks.abs,
    "sign": kinks.sign, "heaviside": kinks.heaviside, "min": kinks.min, "max": kinks.max,
    "floor": kinks.floor, "ceiling": kinks.ceiling, "exp": exponential.exp, "log": exponential.log, "entropy": exponential.entropy,
    "sin": trigonometric.sin, "cos": trigonometric.cos, "tan": trigonometric.tan,
    "asin": inverse_trigonometric.asin, "acos": inverse_trigonometric.acos, "atan": inverse_trigonometric.atan,
    "atan2": inverse_trigonometric.atan2, "sinh": hyperbolic.sinh, "cosh": hyperbolic.cosh, "tanh": hyperbolic.tanh,
    "asinh": hyperbolic.asinh, "acosh": hyperbolic.acosh, "atanh": hyperbolic.atanh,
    "erf": tabulated.erf, "erfc": tabulated.erfc, "sine_integral": tabulated.sine_integral,
    "loggamma": gamma.loggamma, "gamma": gamma.gamma,
    "lt": logic.lt, "le": logic.le, "eq": logic.eq, "where": logic.where, "restricted": logic.restricted, "choice": logic.choice,
}  # fmt: skip

LEVEL: dict[str, Emit] = {
    "div": arithmetic.divide_level, "pow": power.pow_level, "sqrt": arithmetic.sqrt_level, "abs": kinks.abs_level,
    "sign": kinks.sign_level, "heaviside": kinks.heaviside_level,
    "min": kinks.min_level, "max": kinks.max_level,
    "floor": kinks.floor_level, "ceiling": kinks.ceiling_level,
    "log": exponential.log_level, "entropy": exponential.log_level, "loggamma": exponential.log_level, "gamma": exponential.log_level,
    "polygamma": exponential.log_level, "tan": trigonometric.tan_level,
    "asin": inverse_trigonometric.asin_level, "acos": inverse_trigonometric.acos_level,
    "atan2": inverse_trigonometric.atan2_level,
    "acosh": hyperbolic.acosh_level, "atanh": hyperbolic.atanh_level,
}  # fmt: skip

# emitter, and whether it is written in place
POINT: dict[str, tuple[Emit, bool]] = {
    "add": (lambda L, a, b: (L.add(a, b),), True), "sub": (lambda L, a, b: (L.sub(a, b),), True),
    "mul": (lambda L, a, b: (L.mul(a, b),), True), "div": (lambda L, a, b: (L.div(a, b),), True),
    "neg": (lambda L, a: (L.neg(a),), True), "midpoint": (lambda L, a: (a,), True),
    "centre": (lambda L, a, slope: (a,), True), "hull": (lambda L, a, b: (a,), True),
    "fma": (lambda L, a, b, c: (L.fma(a, b, c),), True),
    "power_integer": (power.power_integer_point, False), "pow": (power.pow_point, False),
    "sqrt": (arithmetic.sqrt_point, True), "abs": (kinks.abs_point, True), "sign": (kinks.sign_point, False),
    "heaviside": (kinks.heaviside_point, False), "min": (kinks.min_point, False),
    "max": (kinks.max_point, False), "floor": (kinks.floor_point, True),
    "ceiling": (kinks.ceiling_point, True), "exp": (exponential.exp_point, False),
    "log": (exponential.log_point, False), "entropy": (exponential.entropy_point, False),
    "sin": (trigonometric.sin_point, False),
    "cos": (trigonometric.cos_point, False), "tan": (trigonometric.tan_point, False),
    "asin": (inverse_trigonometric.asin_point, False), "acos": (inverse_trigonometric.acos_point, False),
    "atan": (inverse_trigonometric.atan_point, False), "atan2": (inverse_trigonometric.atan2_point, False),
    "sinh": (hyperbolic.sinh_point, False), "cosh": (hyperbolic.cosh_point, False),
    "tanh": (hyperbolic.tanh_point, False), "asinh": (hyperbolic.asinh_point, False),
    "acosh": (hyperbolic.acosh_point, False), "atanh": (hyperbolic.atanh_point, False),
    "erf": (tabulated.erf_point, False), "erfc": (tabulated.erfc_point, False), "sine_integral": (tabulated.sine_integral_point, False),
    "loggamma": (gamma.loggamma_point, False), "gamma": (gamma.gamma_point, False), "polygamma": (gamma.polygamma_point, False),
    "bessel_j": (tabulated.bessel_j_point, False), "solution": (solution.solution_point, False),
    "tricubic": (tricubic.tricubic_point, False), "primitive": (primitive.primitive_point, False),
    "tabled": (tabled.tabled_point, False),
    "sinc": (bessel.sinc_point, False), "chebyshev": (chebyshev.chebyshev_point, False),
    "lt": (logic.lt_point, False), "le": (logic.le_point, False), "eq": (logic.eq_point, False),
    "and": (logic.and_point, True), "or": (logic.or_point, True), "not": (logic.not_point, True), "around": (lambda L, a: (a,), True),
    "true": (lambda L: (L.const(1.0),), True), "false": (lambda L: (L.const(0.0),), True),
    "where": (logic.where_point, False), "choice": (logic.choice_point, False), "restricted": (logic.restricted_point, False),
}  # fmt: skip

PAIRED: dict[str, Emit] = {"sincos": trigonometric.sincos, "sincos_point": trigonometric.sincos_point}

# Families of functions by what is a constant of their code: an exponent, an order, which solution or lattice it is.
NUMBERED: dict[str, Emit] = {
    "power_integer": power.power_integer, "sinc": bessel.sinc, "bessel_j": tabulated.bessel_j, "polygamma": gamma.polygamma,
    "solution": solution.solution, "tricubic": tricubic.tricubic, "primitive": primitive.primitive,
    "tabled": tabled.tabled,
}  # fmt: skip


_NUMBERED_LEVEL: dict[str, Emit] = {
    "solution": solution.solution_level, "tricubic": tricubic.tricubic_level, "primitive": primitive.primitive_level,
    "tabled": tabled.tabled_level,
}  # fmt: skip


def shown(value: Any) -> str:
    """The value of a node in the name of a function."""
    return solution.name(value) if isinstance(value, bytes) else str(value)


def level_operation(e: Expr) -> tuple[str, Emit] | None:
    """Name and emitter of what an operation says of its level; None for one that is differentiable wherever it is evaluated."""
    if e.op in _NUMBERED_LEVEL:
        return f"{e.op}_{shown(e.value)}_level", lambda L, *a: _NUMBERED_LEVEL[e.op](L, *a, e.value)
    return (f"{e.op}_level", LEVEL[e.op]) if e.op in LEVEL else None


def interval_operation(e: Expr, known: Sequence[SignFacts], guard: bool = True) -> tuple[str, Emit]:
    """Name and emitter of the library function for the node `e`, chosen by what is `known` of its arguments. `guard`: see `is_guarded`."""
    if e.op == "mul":
        return _product(known, guard and is_guarded(known))
    if e.op == "div":
        a = e.args[0]
        one = a.op == "constant" and a.value == 1
        return ("reciprocal_of", _reciprocal) if one else ("divide", arithmetic.divide)
    if e.op in NUMBERED:
        emit, number = NUMBERED[e.op], e.value
        return f"{e.op}_{shown(number)}", lambda L, *a: emit(L, *a, number)
    if e.op == "chebyshev":
        return f"chebyshev_{len(e.args) - 2}", chebyshev.chebyshev
    return e.op, INTERVAL[e.op]


def _reciprocal(L: Lanes, one_n: str, one_h: str, n: str, h: str) -> tuple[str, str]:
    return arithmetic.reciprocal(L, n, h)


def is_guarded(known: Sequence[SignFacts]) -> bool:
    """Whether a product of such arguments needs a guard against 0 * infinity."""
    return not all(argument.finite for argument in known)


def _product(known: Sequence[SignFacts], guard: bool) -> tuple[str, Emit]:
    """The product with the fewest multiplications."""
    a, b = known
    suffix = "" if guard else "_finite"
    if a.nonnegative and b.nonnegative:
        emit: Callable[..., Any] = arithmetic.multiply_both_nonnegative
    elif a.nonnegative or b.nonnegative:
        emit = arithmetic.multiply_nonnegative
    else:
        emit = arithmetic.multiply
    return emit.__name__ + suffix, lambda L, *args: emit(L, *args, guard=guard)
