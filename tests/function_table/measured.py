"""A construct, measured: whether it compiles, a step that makes it compile, and its bounds against Arb."""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from flint import arb, ctx

import codegen
from codegen.from_sympy import flatten
from codegen.sympy_rules import UnsupportedExpression

from .constructs import Construct
from .referee import PRECISION, NotInArb, prepared, real_value

BOXES, SAMPLES = 24, 17
WIDTHS = (0.0, 1e-3, 1.0)
COMPILES, STEP, REFUSED = "compiles", "one step", "refused"


class Measured(NamedTuple):
    """`excess`: median and worst of each width of `WIDTHS`, none where Arb has no values."""

    state: str
    in_arb: bool
    excess: tuple[tuple[float, float], ...] = ()
    step: str = ""
    sentence: str = ""


def measured(c: Construct) -> Measured:
    formula = c.formula
    said = refusal(formula)
    with ctx.workprec(PRECISION):
        if said is None:
            found = excess(c, formula)
            return Measured(COMPILES, bool(found), found)
        step = next((name for name, taken in STEPS.items() if _compiles_after(taken, formula)), "")
        return Measured(STEP if step else REFUSED, in_arb(c, formula), step=step, sentence=said)


def variables(formula: Any) -> list[Any]:
    """Its free symbols by name, or the first of the list for a constant."""
    try:
        free = {s for e in flatten(formula) for s in getattr(e, "free_symbols", ())}
    except UnsupportedExpression:
        free = set()
    return sorted((s for s in free if isinstance(s, sp.Symbol)), key=str) or [sp.Symbol("x", real=True)]


def refusal(formula: Any) -> str | None:
    """The sentence of a refusal, None if the formula compiles."""
    try:
        codegen.compile(formula if isinstance(formula, (list, tuple)) else [formula], variables(formula))
    except (ValueError, TypeError) as error:
        return str(error)
    except AttributeError:
        return refusal([formula]) if not isinstance(formula, list) else "no expression"
    return None


def _compiles_after(step: Callable[[Any], Any], formula: Any) -> bool:
    try:
        changed = step(formula)
        return changed != formula and refusal(changed) is None
    except Exception:  # any error of SymPy's means that the step does not apply
        return False


def _real_symbols(formula: Any) -> Any:
    return formula.xreplace({s: sp.Symbol(s.name, real=True) for s in formula.free_symbols if type(s) is sp.Symbol})


# Steps of SymPy, as a user would write them.
STEPS: dict[str, Callable[[Any], Any]] = {
    "real=True": _real_symbols, ".doit()": lambda e: e.doit(), ".rewrite(gamma)": lambda e: e.rewrite(sp.gamma),
    ".rewrite(Piecewise)": lambda e: e.rewrite(sp.Piecewise), "expand_func": sp.expand_func, "hyperexpand": sp.hyperexpand,
    "expand(complex=True)": lambda e: sp.expand(e, complex=True), "simplify": sp.simplify,
    ".rewrite(Integral)": lambda e: e.rewrite(sp.Integral),
    ".removeO()": lambda e: e.removeO(), ".as_relational(x)": lambda e: e.as_relational(sp.Symbol("x", real=True)),
    ".to_matrix(N)": lambda e: e.to_matrix(sp.vector.CoordSys3D("N")), ".components.values()": lambda e: list(e.components.values()),
    ".as_explicit()": lambda e: e.as_explicit(),
}  # fmt: skip


def in_arb(c: Construct, formula: Any) -> bool:
    """Whether Arb has a real value in the middle of the ranges."""
    try:
        real_value(_first(formula), dict.fromkeys(variables(formula), 0.37 * c.lo + 0.63 * c.hi))
    except (NotInArb, AttributeError, UnsupportedExpression):
        return False
    return True


def _first(formula: Any) -> Any:
    """The entry that the figures are of: the first that is no constant."""
    entries = flatten(formula)
    return next((e for e in entries if getattr(e, "free_symbols", None)), entries[0]) if entries else None


def excess(c: Construct, formula: Any) -> tuple[tuple[float, float], ...]:
    """Median and worst width above the hull of Arb's values, of each width of boxes."""
    over, names = _first(formula), variables(formula)
    made, rng = codegen.compile([over], names), np.random.default_rng(5)
    over, found = prepared(over), []
    for width in WIDTHS:
        lo = rng.uniform(c.lo, max(c.hi - width, c.lo), (BOXES, len(names)))
        hi = np.minimum(lo + width, c.hi)
        for k in (k for k, s in enumerate(names) if s.is_integer):
            lo[:, k] = hi[:, k] = np.maximum(np.floor(hi[:, k]), 1)
        low, high = (e[:, 0] for e in made.interval(lo, hi))
        rows = [r for r in (_over(over, names, *row) for row in zip(lo, hi, low, high, strict=True)) if r is not None]
        if not rows:
            return ()
        found.append((float(np.median(rows)), float(np.max(rows))))
    return tuple(found)


def _over(e: Any, names: list[Any], lo: np.ndarray, hi: np.ndarray, low: float, high: float) -> float | None:
    """In units of the last place for a point, else as a part of the range's width, or of the size where the values are equal."""
    each = SAMPLES if len(names) == 1 else 5
    points = itertools.product(*(np.linspace(a, b, each) if b > a else [a] for a, b in zip(lo, hi, strict=True)))
    values = [v for v in (_value(e, names, p) for p in points) if v is not None]
    if not values:
        return None
    assert all(not v < arb(low) and not v > arb(high) for v in values), (e, lo, hi, low, high)
    least, most = min(map(float, values)), max(map(float, values))
    more = (high - low) - (most - least)
    size = max(abs(least), abs(most), 1e-290)
    if (lo == hi).all():
        return float(more / np.spacing(size))
    return max(more / (most - least), 0.0) if most - least > 1e-12 * size else float(more / size)


def _value(e: Any, names: list[Any], point: tuple[float, ...]) -> arb | None:
    try:
        return real_value(e, dict(zip(names, map(float, point), strict=True)))
    except NotInArb:
        return None
